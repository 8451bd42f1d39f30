"""Matches that are being played here at this moment, with the score that spectators may see."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from engine.actions import Phase
from engine.cube import Score
from matches.lifecycle.events import events
from matches.lifecycle.where import OnBoard
from matches.models import LiveMatch, Match
from matches.play.watching.delay import Watched, seen
from matches.presentation.context import MatchContext
from matches.presentation.labels import shown_score
from matches.presentation.visibility import Viewer

MOST = 8
"""Of one list."""


class LiveLine(NamedTuple):
    """A match in a list."""

    public_id: str
    names: tuple[str, str]
    score: Score | None
    """The points as they are shown; None where spectators see the match once it is over."""
    length: int
    delay: int | None
    """Minutes by which the score is behind."""
    context: MatchContext | None
    place: str
    url: str

    @property
    def score_text(self) -> str:
        """The score, such as “3–2”."""
        return "–".join(map(str, self.score)) if self.score is not None else ""

    @property
    def delay_text(self) -> str:
        """By how much the score is behind, in words; empty if it is not."""
        return delay_text(self.delay)


def delay_text(minutes: int | None) -> str:
    """By how much spectators are behind, in words; empty if they are not."""
    if minutes is None:
        return _("shown after the match")
    return _("%(minutes)d min behind") % {"minutes": minutes} if minutes else ""


def boards_of(matches: Collection[int], inside: Collection[int], now: datetime) -> dict[int, OnBoard]:
    """Return match id -> where those of these matches are that are being played here.

    Spectators see them with their delay; the players and those who run a match, in `inside`, as they stand.
    """
    return {row.pk: _board(row, is_inside=row.pk in inside, now=now) for row in _playing().filter(match__in=matches)}


def _board(row: LiveMatch, *, is_inside: bool, now: datetime) -> OnBoard:
    since = row.begun_at or row.started_at
    if not is_inside and row.spectators_delay is None:
        return OnBoard(is_correspondence=row.correspondence, since=row.started_at)
    watched = seen(row, inside=is_inside, now=now)
    match = watched.state.match
    return OnBoard(
        score=_score(row, watched),
        turn=match.to_act if row.correspondence else None,
        is_correspondence=row.correspondence,
        is_adjourned=match.phase is Phase.ADJOURNED,
        since=since if since <= watched.at else row.started_at,
    )


def live_now(viewer: Viewer, now: datetime, *, among: Q | None = None, most: int = MOST) -> list[LiveLine]:
    """Return the matches that this visitor may watch, those with the most points to play for first.

    `among` is a condition on `Match`. Matches against a bot and by correspondence are left out: nobody waits for those.
    """
    visible = Match.objects.filter(viewer.visible(), among or Q(), state=Match.State.LIVE)
    rows = _playing().filter(match__in=visible, bot_side=None, correspondence=False, begun_at__isnull=False)
    lines = list(rows.order_by("-match__length", "started_at", "pk")[:most])
    contexts = events().contexts([row.match.parent_topic for row in lines])
    places = events().places([row.pk for row in lines])
    return [_line(row, contexts.get(row.match.parent_topic), places.get(row.pk, ""), now) for row in lines]


def _playing() -> QuerySet[LiveMatch]:
    players = ("match__player_0", "match__player_1", "match__club")
    return LiveMatch.objects.filter(match__state=Match.State.LIVE).select_related(*players)


def _score(row: LiveMatch, watched: Watched) -> Score:
    left, right = shown_score(row.match.length, watched.state.match.score)
    return left, right


def _line(row: LiveMatch, context: MatchContext | None, place: str, now: datetime) -> LiveLine:
    match = row.match
    first, second = match.names
    return LiveLine(
        public_id=match.public_id,
        names=(first, second),
        score=_board(row, is_inside=False, now=now).score,
        length=match.length,
        delay=row.spectators_delay,
        context=context,
        place=place,
        url=reverse("match-play", args=[match.public_id]),
    )
