"""Notifications about draws, rounds, matches that can be played, and the waiting list."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop

from matches.lifecycle.notices import side_notices
from matches.models import Match, Result
from matches.play.watching import where_of
from matches.presentation.visibility import NOBODY
from players.joining.services import directors_of
from players.models import Club
from players.notifications.kinds import NotificationGroup, NotificationKind, Params
from players.notifications.services import Notice, notify, notify_each, users_of
from players.people.rows import accounts_of
from players.people.stored_elsewhere import Leaving
from tournaments.models import Division, Draw, Entry, Fixture

DRAW_PUBLISHED, ROUND_PAIRED, MATCH_READY, MOVED_UP = "draw_published", "round_paired", "match_ready", "moved_up"

WALKOVER, LEFT = "walkover", "left"

LEFT_OUT = "left_out"
"""Variant for players who were entered but not checked in when the draw was made with those here."""
SUSPENDED, BACK, BACK_WAITING = "suspended", "back", "back_waiting"
"""Variants for players who come back, or may."""


def _is_to_come(params: Params) -> bool:
    """Whether a match is neither called nor being played yet."""
    match = Match.objects.filter(public_id=params["match"]).first()
    return match is not None and where_of([match], NOBODY, timezone.now())[match.pk].is_to_come


def _is_published(params: Params) -> bool:
    return Draw.objects.filter(pk=params["draw"], state=Draw.State.PUBLISHED).exists()


def _is_in(params: Params) -> bool:
    return Entry.objects.filter(pk=params["entry"], status=Entry.Status.IN).exists()


def _is_walkover(params: Params) -> bool:
    newest = Result.objects.filter(match__public_id=params["match"]).order_by("-version").first()
    return newest is not None and newest.kind == Result.Kind.WALKOVER


KINDS = (
    NotificationKind(
        code=MATCH_READY,
        label=gettext_noop("You have an opponent for your next match"),
        group=NotificationGroup.MATCHES,
        sentences={"": gettext_noop("Your next match is against {opponent}.")},
        players=("opponent",),
        is_current=_is_to_come,
    ),
    NotificationKind(
        code=DRAW_PUBLISHED,
        label=gettext_noop("A draw is published"),
        group=NotificationGroup.EVENTS,
        sentences={
            "": gettext_noop("The draw is out."),
            LEFT_OUT: gettext_noop("You are not in the draw, because you were not checked in."),
        },
        details={
            LEFT_OUT: gettext_noop("You are on the waiting list. If you are here, ask the director to let you in.")
        },
        subjects={
            "": gettext_noop("{event}: the draw is out"),
            LEFT_OUT: gettext_noop("{event}: you are not in the draw"),
        },
        subjects_of_several={"": gettext_noop("{event}: the draws are out")},
        is_current=_is_published,
    ),
    NotificationKind(
        code=ROUND_PAIRED,
        label=gettext_noop("A round is paired"),
        group=NotificationGroup.EVENTS,
        sentences={"": gettext_noop("Round {round} is paired.")},
        subjects={"": gettext_noop("{event}: round {round} is paired")},
        default=frozenset({"site", "push"}),
        lapses_after=timedelta(hours=12),
        is_current=_is_published,
    ),
    NotificationKind(
        code=MOVED_UP,
        label=gettext_noop("You move up from the waiting list"),
        group=NotificationGroup.EVENTS,
        sentences={"": gettext_noop("You are in: a place has become free.")},
        subjects={"": gettext_noop("{event}: you are in")},
        is_current=_is_in,
    ),
    NotificationKind(
        code=WALKOVER,
        label=gettext_noop("Your opponent has withdrawn"),
        group=NotificationGroup.MATCHES,
        sentences={"": gettext_noop("{opponent} has withdrawn. You win by walkover.")},
        players=("opponent",),
        is_current=_is_walkover,
    ),
    NotificationKind(
        code=LEFT,
        label=gettext_noop("A player of your event has left the site"),
        group=NotificationGroup.CLUB,
        sentences={
            "": gettext_noop("A player has deleted their account and is withdrawn."),
            SUSPENDED: gettext_noop("{player} is suspended and withdrawn."),
            BACK: gettext_noop("{player} is no longer suspended and plays again."),
            BACK_WAITING: gettext_noop("{player} is no longer suspended and is on the waiting list."),
        },
        subjects={
            "": gettext_noop("{event}: a player has left"),
            SUSPENDED: gettext_noop("{event}: {player} is withdrawn"),
            BACK: gettext_noop("{event}: {player} is back"),
            BACK_WAITING: gettext_noop("{event}: {player} is back"),
        },
        players=("player",),
    ),
)


def notify_published(division: Division, draw: Draw, now: datetime) -> None:
    """Tell everybody who is entered that the draw, or a round, is published, and those who were left out of it."""
    entered = division.entries.filter(status=Entry.Status.IN).values_list("player", flat=True)
    kind = ROUND_PAIRED if draw.round else DRAW_PUBLISHED
    params = {"draw": draw.pk, **_division_params(division), **({"round": draw.round} if draw.round else {})}
    notify(
        users=users_of(entered),
        kind=kind,
        params=params,
        url=_page(division),
        key=_draw_key(draw),
        now=now,
        not_before=division.tournament.undo_until,
    )
    if not draw.left_out:
        return
    left_out = division.entries.filter(pk__in=draw.left_out, status=Entry.Status.WAITING)
    users = users_of(left_out.values_list("player", flat=True))
    notify(
        users=users,
        kind=kind,
        params={**params, "variant": LEFT_OUT},
        url=_page(division),
        key=_draw_key(draw),
        now=now,
        not_before=division.tournament.undo_until,
    )


def _draw_key(draw: Draw) -> str:
    """Name the publication: a draft that is published again, after that was undone, is announced again."""
    return f"draw:{draw.pk}:{draw.published_at:%Y%m%d%H%M%S}"


def notify_moved_up(division: Division, entries: Sequence[Entry], now: datetime) -> None:
    """Tell players that they have moved from the waiting list into the field."""
    accounts = accounts_of(entry.player for entry in entries)
    notices = [
        Notice(
            account,
            {"entry": entry.pk, **_division_params(division)},
            _page(division),
            f"{MOVED_UP}:{entry.pk}:{now:%Y%m%d%H%M%S}",
        )
        for entry in entries
        for account in accounts.get(entry.player_id, ())
    ]
    notify_each(kind=MOVED_UP, notices=notices, now=now)


def notify_ready(division: Division, following: Sequence[Fixture], now: datetime) -> None:
    """Tell the players of new matches, which follow from others, that they can be played.

    The first matches of a draw and the pairings of a round are announced with the draw itself.
    """
    ready = [(fixture, fixture.match) for fixture in following if fixture.match is not None]
    accounts = accounts_of(player for _, match in ready for player in match.players)
    if not accounts:
        return
    notices = [
        notice
        for fixture, match in ready
        for notice in side_notices(
            match, (0, 1), match_params(division, fixture, match), f"{MATCH_READY}:{match.public_id}", accounts
        )
    ]
    notify_each(kind=MATCH_READY, notices=notices, now=now, not_before=division.tournament.undo_until)


def notify_walkover(division: Division, fixture: Fixture, match: Match, winner: int, now: datetime) -> None:
    """Tell a player that they win a match, because their opponent withdrew."""
    accounts, params = accounts_of(match.players), match_params(division, fixture, match)
    key = f"{WALKOVER}:{match.public_id}:{now:%Y%m%d%H%M%S}"
    notify_each(kind=WALKOVER, notices=side_notices(match, [winner], params, key, accounts), now=now)


def notify_left(entry: Entry, *, variant: str, leaving: Leaving) -> None:
    """Tell the directors of an event that a player has left it with the site, or is back."""
    division = entry.division
    params = {"entry": entry.pk, "player": entry.player_id, "variant": variant, **_division_params(division)}
    key = f"{LEFT}:{entry.pk}:{leaving.now:%Y%m%d%H%M%S}"
    users = directors_to_tell(division.tournament.club, leaving)
    notify(users=users, kind=LEFT, params=params, url=_page(division), key=key, now=leaving.now)


def directors_to_tell(club: Club, leaving: Leaving) -> set[int]:
    """Return the accounts of the directors of a club, except for who leaves and who makes them leave."""
    own = users_of(player.pk for player in leaving.players)
    return directors_of(club) - own - ({leaving.by.user.pk} if leaving.by.user is not None else set())


def match_params(division: Division, fixture: Fixture, match: Match) -> dict[str, Any]:
    """Return the parameters that every notification about a match of an event has."""
    params = _division_params(division)
    return {**params, "match": match.public_id, "context": f"{params['context']} · M{fixture.number}"}


def _division_params(division: Division) -> dict[str, Any]:
    event = division.tournament
    return {"context": f"{event.name} · {division.name}", "event": event.name, "language": event.effective_language}


def _page(division: Division) -> str:
    event = division.tournament
    return reverse("division", args=[event.club.slug, event.slug, division.public_id])
