"""The end of a match on its board: what it came to, how both played, and where to go from there."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.charts import Axes, ChartFrame, path
from engine.cube import Side
from matches import access
from matches.access import MatchSeat, Visitor, action_url, match_url
from matches.analysis.access import Subject, seen_with_subject
from matches.analysis.match_analysis import SideFigures, biggest_error, section
from matches.lifecycle.events import events
from matches.models import BotPlayer, Challenge, Match, RatingChange
from matches.play.correspondence import boards_waiting
from matches.play.preferences import preferences_of
from matches.play.watching import Watched, watched_match
from matches.presentation import labels
from matches.ratings.services import provisional_among
from players.models import User
from players.people.rows import canonical

AXIS = 14.0
"""The greatest performance rating on the axis of the figures."""
LAST_RATINGS = 10
"""Shown as a line beside the new rating …"""
SPARK = ChartFrame("spark", width=100, height=20, left=0, right=0, top=0, bottom=0)
MIN_SPAN = 4.0
"""… whose height is at least so many rating points, so that small changes look small."""
RATED_WITHIN = timedelta(minutes=2)
"""How long after its end a page asks for the rating of a match."""
HOUR = 60
"""Minutes."""
DAY = 24
"""Hours."""


@dataclass(frozen=True, slots=True)
class Performance:
    """How one side played, with its place on the axis in percent; the bar is one standard error to each side."""

    figures: SideFigures
    is_light: bool
    at: float = 0
    bar: tuple[float, float] = (0, 0)
    """Start and width."""


@never_cache
@open_to(get=Who.EVERYBODY)
def match_end(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """The part of the board's page for a match that is over. Raise Http404 while it goes on, and for viewers."""
    seat = access.match_for_link(token) if token else access.match_for_player(request.user, public_id)
    if seat.side is None:
        raise Http404
    watched = watched_match(seat.match, seat, request.user)
    if not watched.state.match.is_over:
        raise Http404
    return render(request, "matches/play/_end.html", _context(request.user, seat, seat.side, watched))


def _context(user: Visitor, seat: MatchSeat, side: Side, watched: Watched) -> dict[str, Any]:
    match, state = seat.match, watched.state.match
    subject, seen = seen_with_subject(match, user)
    analysis = section(seen, subject, timezone.now()) if seen is not None else None
    waiting = boards_waiting(user, besides=match.pk) if isinstance(user, User) else []
    near_is_light = preferences_of(user).checkers == "light"
    figures = analysis.figures if analysis is not None else ()
    rating = _rating_change(match, side)
    error = biggest_error(seen, subject, side) if seen is not None else None
    rematch = _rematch(user, seat, watched)
    return {
        "title": _title(match, side, state.winner, state.score),
        "facts": _facts(state.game, watched.live.begun_at, match.finished_at),
        "analysis": analysis,
        # The reader first.
        "performances": [_performance(figures[each], (each == side) == near_is_light) for each in (side, 1 - side)]
        if figures
        else [],
        "error": error,
        "again_url": action_url(seat, "again"),
        "rating": rating,
        "is_provisional": rating is not None and bool(provisional_among(rating.pool, [rating.player_id])),
        "sparkline": sparkline(rating),
        "waiting": len(waiting),
        "next_url": reverse("match-play", args=waiting[:1]) if waiting else "",
        "rematch": rematch,
        "asks": rematch is not None or (rating is None and _may_be_rated_soon(match)),
        "analysis_url": subject.url,
        "replay_url": action_url(seat, "replay"),
        "dice_url": action_url(seat, "dice"),
        "context": events().contexts([match.parent_topic]).get(match.parent_topic),
        "back": match_url(seat),
        "topic": _topic(user, subject, analysis is not None and analysis.is_open),
    }


def _title(match: Match, side: Side, winner: int | None, score: tuple[int, int]) -> str:
    if winner is None:
        return gettext("The match is called off")
    shown = labels.shown_score(match.length, score)
    points = f"{shown[winner]}–{shown[1 - winner]}"
    if score[winner] < match.length:
        return gettext("You win") if winner == side else gettext("{name} wins.").format(name=match.names[winner])
    if winner == side:
        return gettext("You win {score}").format(score=points)
    return gettext("{name} wins {score}.").format(name=match.names[winner], score=points)


def _facts(games: int, begun: datetime | None, finished: datetime | None) -> str:
    """How many games were played in what time, in words."""
    text = ngettext("%(count)s game", "%(count)s games", games) % {"count": games}
    if begun is None or finished is None:
        return text
    hours, minutes = divmod(max(1, round((finished - begun).total_seconds() / HOUR)), HOUR)
    if hours >= DAY:
        return text
    template = gettext("{hours} h {minutes} min") if hours else gettext("{minutes} min")
    return f"{text} · {template.format(hours=hours, minutes=minutes)}"


def _performance(figures: SideFigures, is_light: bool) -> Performance:
    if figures.rating is None:
        return Performance(figures, is_light)
    error = figures.error or 0.0
    start, end = max(0.0, figures.rating - error), min(AXIS, figures.rating + error)
    percent = 100 / AXIS
    bar = (round(start * percent, 1), round(max(0.0, end - start) * percent, 1))
    return Performance(figures, is_light, round(min(figures.rating, AXIS) * percent, 1), bar)


def _rating_change(match: Match, side: Side) -> RatingChange | None:
    """How the match changed the reader's rating: the site's if it counts in several; None if not, or not yet."""
    changes = RatingChange.objects.filter(match=match, player=match.players[side])
    return changes.select_related("pool").order_by("-pool__is_own", "pk").first()


def _may_be_rated_soon(match: Match) -> bool:
    """Whether a worker may still be about to rate the match."""
    return match.rated and match.finished_at is not None and timezone.now() < match.finished_at + RATED_WITHIN


def sparkline(change: RatingChange | None) -> str:
    """The path of the reader's last ratings up to this match; empty without a change."""
    if change is None:
        return ""
    before = Q(finished_at__lt=change.finished_at) | Q(finished_at=change.finished_at, match_id__lte=change.match_id)
    rows = RatingChange.objects.filter(before, pool=change.pool_id, player=change.player_id)
    last = list(rows.order_by("-finished_at", "-match_id").values_list("rating_before", "rating_after")[:LAST_RATINGS])
    ratings = [last[-1][0], *(after for _, after in reversed(last))]
    high = max(ratings)
    return path(Axes(SPARK, len(ratings) - 1, min(*ratings, high - MIN_SPAN), high).places(ratings))


def _rematch(user: Visitor, seat: MatchSeat, watched: Watched) -> dict[str, Any] | None:
    """How the reader plays the same again: practice at once, a friendly if the opponent wishes it, too.

    `url` and `decline` are operations of the API, which get `body`.
    """
    live, match = watched.live, seat.match
    if not isinstance(user, User) or seat.token:
        return None
    if live.bot_side is not None:
        bot = BotPlayer.objects.get(player=match.players[live.bot_side])
        opponent = {"level": live.bot_level} if live.bot_level else {"opponent": bot.style}
        return {"url": reverse("api-practice"), "body": json.dumps({**opponent, "length": match.length})}
    before = Challenge.objects.filter(match=match).first()
    own_side = seat.side or 0
    if before is None or match.state != Match.State.SETTLED or canonical(match.players[1 - own_side]).has_left:
        return None
    now = timezone.now()
    wishes = list(match.rematches.select_related("match"))
    accepted = next((wish.match for wish in wishes if wish.match is not None), None)
    open_wishes = [wish for wish in wishes if wish.state == Challenge.State.OPEN and wish.expires_at > now]
    own = match.players[own_side]
    theirs = next((wish for wish in open_wishes if wish.challenger_id != own.pk), None)
    return {
        "url": reverse("api-match-rematch", args=[match.public_id]),
        "body": "{}",
        "board": reverse("match-play", args=[accepted.public_id]) if accepted is not None else "",
        "is_asked": any(wish.challenger_id == own.pk for wish in open_wishes),
        "opponent": match.names[1 - own_side],
        "decline": reverse("api-challenge-decline", args=[theirs.public_id]) if theirs is not None else "",
    }


def _topic(user: Visitor, subject: Subject, is_open: bool) -> str:
    """The topic that changes with the analysis; empty once it is done, and for links, which no topic is open to."""
    return subject.topic if is_open and isinstance(user, User) else ""
