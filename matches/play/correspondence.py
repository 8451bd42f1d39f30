"""Matches by correspondence: the boards that wait for a player."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.db.models import Value
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from engine.cube import Side
from matches.models import LiveMatch, Match
from matches.play.codec import from_data
from players.models import User
from players.requests import me

LATEST = datetime.max.replace(tzinfo=UTC)


def boards_waiting(user: User, *, besides: int | None = None) -> list[str]:
    """Return the public ids of the matches by correspondence where this user is to act, the one due first first.

    `besides` is the id of a match to leave out. One query, since every page of the site counts these boards.
    """
    running = LiveMatch.objects.filter(correspondence=True, match__state=Match.State.LIVE).exclude(pk=besides)
    # One part for each way to be a player of a match: with OR, PostgreSQL would read all matches.
    first, *others = [
        running.filter(**{f"match__player_{side}__{account}": user}).values_list(
            "match__public_id", "state", "due_at", Value(side)
        )
        for side in (0, 1)
        for account in ("user", "merged_into__user")
    ]
    rows = first.union(*others, all=True)
    waiting = [(due_at or LATEST, public_id) for public_id, state, due_at, side in rows if _waits_for(state, side)]
    return [public_id for _, public_id in sorted(waiting)]


@open_to(get=Who.SIGNED_IN)
@never_cache
def next_board(request: HttpRequest) -> HttpResponse:
    """Lead to the board by correspondence that waits for the reader, or to their matches where none does."""
    waiting = boards_waiting(me(request))
    if waiting:
        return redirect("match-play", waiting[0])
    messages.info(request, gettext("No board waits for you."))
    return redirect("my-matches")


def _waits_for(state: dict[str, Any], side: Side) -> bool:
    return from_data(state).has_to_act(side)
