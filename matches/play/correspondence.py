"""Matches by correspondence: the boards that wait for a player."""

from datetime import UTC, datetime

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from matches.models import LiveMatch, Match
from matches.play.codec import from_data
from players.models import User
from players.pages import account_needed, me

LATEST = datetime.max.replace(tzinfo=UTC)


def boards_waiting(user: User, *, besides: int | None = None) -> list[str]:
    """Return the URLs of the boards by correspondence where this user is to act, the one that is due first first.

    `besides` is the id of a match to leave out. One query.
    """
    mine = Q(match__player_0__user=user) | Q(match__player_1__user=user)
    rows = LiveMatch.objects.filter(mine, correspondence=True, match__state=Match.State.LIVE)
    rows = rows.exclude(pk=besides).select_related("match__player_0", "match__player_1")
    waiting = [row for row in rows if _waits_for(row, user)]
    waiting.sort(key=lambda row: (row.due_at or LATEST, row.pk))
    return [reverse("match-play", args=[row.match.public_id]) for row in waiting]


@account_needed
@never_cache
@require_safe
def next_board(request: HttpRequest) -> HttpResponse:
    """Lead to the board by correspondence that waits for the reader, or to their matches where none does."""
    waiting = boards_waiting(me(request))
    if waiting:
        return redirect(waiting[0])
    messages.info(request, gettext("No board waits for you."))
    return redirect("my-matches")


def _waits_for(row: LiveMatch, user: User) -> bool:
    state = from_data(row.state)
    return any(player.user_id == user.pk and state.has_to_act(side) for side, player in enumerate(row.match.players))
