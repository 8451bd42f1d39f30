"""What readers who do not play see of a match played here, and when."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from django.core.cache import cache
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.live import audience, site_version
from core.live.publishing import publish_all, touch
from engine.actions import Phase
from engine.cube import Score, Side
from matches import access
from matches.access import MatchSeat, Visitor, is_insider
from matches.lifecycle.events import MatchContext, events
from matches.lifecycle.locks import matches_topic
from matches.lifecycle.spectators import is_delayed, watch_topic
from matches.lifecycle.where import HasState, OnBoard, Where, WhereFacts, where_is
from matches.models import Action, Claim, LiveMatch, Match
from matches.play.codec import from_data, to_data
from matches.play.live import EventKind, LiveState
from matches.play.transcripts import state_after, state_at_start
from matches.presentation.labels import shown_score
from matches.presentation.visibility import NOBODY, HasPlayers, Viewer

# What a reader may see of a match played here: everything, or what had happened some minutes ago.
#
# Players and those who run the match see it as it stands. Until it is over spectators are behind by the minutes that
# the match says, or see nothing but its beginning. Every output of a match shows what `watched` returns.


CACHED_FOR = 600
"""Seconds for which the last state shown to spectators is kept, from which the next one is computed."""


class Watched(NamedTuple):
    live: LiveMatch
    side: Side | None
    """The side that the reader plays."""
    is_insider: bool
    """Whether the reader plays or runs the match."""
    state: LiveState
    last: int
    """The number of the last action that the reader sees."""
    at: datetime
    """The moment that the reader sees: now, or the end of the delay."""
    is_behind: bool
    """Whether the reader sees the match with a delay."""


def watched(live: LiveMatch, seat: MatchSeat | None, user: Visitor, now: datetime) -> Watched:
    """The match as this reader sees it: with the seat of an account or a link, or as a user without one."""
    side = seat.side if seat is not None else None
    return seen(live, side=side, inside=side is not None or is_insider(user, live.match), now=now)


def seen(live: LiveMatch, *, side: Side | None = None, inside: bool = False, now: datetime) -> Watched:
    """The match as a side, somebody who runs it or, without either, a spectator sees it."""
    if inside or side is not None or not is_delayed(live, live.match):
        is_inside = inside or side is not None
        return Watched(live, side, is_inside, from_data(live.state), live.last, now, is_behind=False)
    at, last = _last_visible(live, now)
    return Watched(live, None, False, _state_after(live, last), last, at, is_behind=True)


def _last_visible(live: LiveMatch, now: datetime) -> tuple[datetime, int]:
    """The moment that spectators see, and the last action up to then."""
    if live.spectators_delay is None:
        return live.started_at, 0
    at = max(live.started_at, now - timedelta(minutes=live.spectators_delay))
    first_hidden = live.actions.filter(at__gt=at).order_by("seq").values_list("seq", flat=True).first()
    return at, live.last if first_hidden is None else first_hidden - 1


def _state_after(live: LiveMatch, last: int) -> LiveState:
    """The state after action `last`, computed from the one that spectators saw before."""
    key = f"watched:{live.match.public_id}"
    known_last, data = cache.get(key) or (0, None)
    if data is None or known_last > last:
        known_last, state = 0, state_at_start(live)
    else:
        state = from_data(data)
    if known_last < last:
        state = state_after(state, live.actions.filter(seq__gt=known_last, seq__lte=last).order_by("seq"))
        cache.set(key, (last, to_data(state)), CACHED_FOR)
    return state


# A match played here, fetched and authorised, as its reader may see it.


def watched_match(match: Match, seat: MatchSeat | None, user: Visitor) -> Watched:
    """Return an authorised match as this reader may see it now. Raises Http404 if it is not played here."""
    live = get_object_or_404(LiveMatch.objects.select_related("match__player_0", "match__player_1"), pk=match.pk)
    return watched(live, seat, user, timezone.now())


def watched_by_request(request: HttpRequest, public_id: str, token: str) -> tuple[Watched, MatchSeat | None]:
    """Return the match of a page or a link as its reader sees it now, and the seat of the link.

    Raise Http404 if they may not see it or it is not played here.
    """
    seat = access.match_for_link(token) if token else None
    match = seat.match if seat is not None else access.match_for_viewer(request.user, public_id)
    return watched_match(match, seat, request.user), seat


# Matches that are being played here at this moment, with the score that spectators may see.


MOST = 8
"""Of one list."""
LIVE_FOR = timedelta(hours=12)
"""A match at which nothing has happened for longer is not live."""


class LiveLine(NamedTuple):
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
    return _("%(minutes)s min behind") % {"minutes": minutes} if minutes else ""


def boards_of(matches: Collection[int], inside: Collection[int], now: datetime) -> dict[int, OnBoard]:
    """Return match id -> its board, for the given matches that are being played here.

    Spectators see them with their delay; the players and those who run a match, in `inside`, as they stand.
    """
    return {row.pk: _board(row, is_inside=row.pk in inside, now=now) for row in _playing().filter(match__in=matches)}


def _board(row: LiveMatch, *, is_inside: bool, now: datetime) -> OnBoard:
    since = row.begun_at or row.started_at
    if row.is_invitation:
        return OnBoard(is_correspondence=row.correspondence, since=row.invited_at, is_invitation=True)
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
    lines = list(_watchable(viewer.visible() & (among or Q()), now)[:most])
    contexts = events().contexts([row.match.parent_topic for row in lines])
    places = events().places([row.pk for row in lines])
    return [_line(row, contexts.get(row.match.parent_topic), places.get(row.pk, ""), now) for row in lines]


def most_watched(now: datetime, *, among: Q | None = None) -> Watched | None:
    """Return the match that most spectators watch, of those that everybody may see as they stand; None without one.

    `among` is a condition on `Match`.
    """
    rows = list(_watchable(NOBODY.visible() & (among or Q()), now).filter(spectators_delay=0)[:MOST])
    spectators = audience.sizes([row.match.public_id for row in rows])
    row = max(rows, key=lambda row: spectators.get(row.match.public_id, 0), default=None)
    return seen(row, now=now) if row is not None else None


def _watchable(condition: Q, now: datetime) -> QuerySet[LiveMatch]:
    """Return the matches between people that are being played, those with the most points to play for first.

    One that is adjourned, or at which nothing has happened for long, is not being played.
    """
    matches = Match.objects.filter(condition, state=Match.State.LIVE)
    rows = _playing().filter(match__in=matches, bot_side=None, correspondence=False, begun_at__isnull=False)
    lately = Action.objects.filter(live=OuterRef("pk"), at__gt=now - LIVE_FOR)
    rows = rows.filter(Exists(lately)).exclude(state__match__phase=Phase.ADJOURNED.value)
    return rows.order_by("-match__length", "started_at", "pk")


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


# Tell spectators who are behind that there is something new to see; the clock worker does it.


WINDOW = timedelta(seconds=3)
"""Each change is announced for so long, in every round of the worker; pages take no notice of what they know."""


def announce_delayed(*, now: datetime) -> int:
    """Publish the actions that spectators see since a moment ago; return how many matches have such."""
    delayed = LiveMatch.objects.filter(match__state=Match.State.LIVE, spectators_delay__gt=0)
    changes: list[tuple[str, int]] = []
    for minutes in delayed.order_by().values_list("spectators_delay", flat=True).distinct():
        seen_until = now - timedelta(minutes=minutes or 0)
        visible = Action.objects.filter(
            live__in=delayed.filter(spectators_delay=minutes), at__gt=seen_until - WINDOW, at__lte=seen_until
        )
        latest = visible.order_by().values_list("live__match__public_id").annotate(Max("seq"))
        changes += [(watch_topic(public_id), seq) for public_id, seq in latest]
        # Once a side is ready for the next game, the score after the last one is to be seen.
        starts = visible.filter(kind=EventKind.READY).exclude(live__match__parent_topic="").order_by()
        for parent_topic in starts.values_list("live__match__parent_topic", flat=True).distinct():
            touch(matches_topic(parent_topic))
    if changes:
        # What public pages show has changed without a write.
        site_version.replace()
        publish_all(changes)
    return len(changes)


# Where many matches are at once, as one reader may see it (docs/floor.md).
#
# What a match waits for is for its players and those who run it; spectators see the score of a match played here with
# its delay.


class WatchedMatch(HasState, HasPlayers, Protocol):
    """A match in a list, with what decides who may see what."""

    @property
    def pk(self) -> int:
        """Its id."""


def where_of(matches: Sequence[WatchedMatch], viewer: Viewer, now: datetime) -> dict[int, Where]:
    """Return where these matches are, by id, as this reader may see it."""
    facts = facts_of(matches, viewer, now)
    return {row.pk: where_is(row, facts[row.pk]) for row in matches}


def facts_of(matches: Sequence[WatchedMatch], viewer: Viewer, now: datetime) -> dict[int, WhereFacts]:
    """Return the facts of `where_is` by match, as this reader may see them.

    The number of queries does not depend on the number of matches. Scores of matches that the reader may not see are
    left out.
    """
    rows = [row for row in matches if row.state not in (Match.State.SETTLED, Match.State.VOID)]
    inside = {row.pk: viewer.is_staff_of(row) for row in rows if viewer.plays_or_runs(row)}
    at = events().at_tables([row.pk for row in rows], inside, now)
    live = [row for row in rows if row.state == Match.State.LIVE]
    boards = boards_of([row.pk for row in live if row.pk in inside or viewer.sees(row)], inside, now)
    reports = reports_of([row.pk for row in rows if row.state == Match.State.CLAIMED])
    return {row.pk: WhereFacts(at.get(row.pk), boards.get(row.pk), reports.get(row.pk)) for row in matches}


def reports_of(matches: Collection[int]) -> dict[int, Claim]:
    """Return match id -> its signed report that waits for an answer."""
    signed = Claim.objects.filter(match__in=matches, state=Claim.State.OPEN, side__isnull=False)
    return {claim.match_id: claim for claim in (signed if matches else ())}
