"""Matches that are being played here at this moment, with the score that spectators may see."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from engine.cube import Score
from matches.models import LiveMatch, Match
from matches.play.watching.delay import seen
from matches.presentation.context import MatchContext, match_contexts, places_of
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


def live_scores(matches: Collection[int], now: datetime) -> dict[int, Score]:
    """Return the scores that spectators see of those of these matches that are being played here, by match id.

    Matches that are not public or that spectators see only once they are over are left out.
    """
    public = Match.objects.filter(pk__in=matches, visibility=Match.Visibility.PUBLIC)
    rows = _playing().filter(match__in=public).exclude(spectators_delay=None)
    return {row.pk: _score(row, now) for row in rows}


def live_now(viewer: Viewer, now: datetime, *, among: Q | None = None, most: int = MOST) -> list[LiveLine]:
    """Return the matches that this visitor may watch, those with the most points to play for first.

    `among` is a condition on `Match`. Matches against a bot and by correspondence are left out: nobody waits for those.
    """
    visible = Match.objects.filter(viewer.visible(), among or Q(), state=Match.State.LIVE)
    rows = _playing().filter(match__in=visible, bot_side=None, correspondence=False, begun_at__isnull=False)
    lines = list(rows.order_by("-match__length", "started_at", "pk")[:most])
    contexts = match_contexts([row.match.parent_topic for row in lines])
    places = places_of([row.pk for row in lines])
    return [_line(row, contexts.get(row.match.parent_topic), places.get(row.pk, ""), now) for row in lines]


def _playing() -> QuerySet[LiveMatch]:
    players = ("match__player_0", "match__player_1", "match__club")
    return LiveMatch.objects.filter(match__state=Match.State.LIVE).select_related(*players)


def _score(row: LiveMatch, now: datetime) -> Score:
    left, right = shown_score(row.match.length, seen(row, now=now).state.match.score)
    return left, right


def _line(row: LiveMatch, context: MatchContext | None, place: str, now: datetime) -> LiveLine:
    match = row.match
    first, second = match.names
    return LiveLine(
        public_id=match.public_id,
        names=(first, second),
        score=_score(row, now) if row.spectators_delay is not None else None,
        length=match.length,
        delay=row.spectators_delay,
        context=context,
        place=place,
        url=reverse("match-play", args=[match.public_id]),
    )
