"""What the home page shows: to visitors a board and what Barpoint is for, to members what concerns them now."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from clubhouse.letters.page import letter_card
from core.access import Who, open_to
from core.live import audience
from engine.actions import Phase
from engine.cube import Side, doubled
from engine.ids import xgid
from engine.match import MatchState
from matches.analysis import labels as analysis_labels
from matches.analysis.access import analyses_of_results, decisions_of, seen_of_matches
from matches.analysis.match_analysis import roll_of
from matches.analysis.page import has_program
from matches.analysis.profile import performance_by_match
from matches.lifecycle.events import events
from matches.lifecycle.where import WhereState
from matches.models import Decision, LiveMatch, Match, PlayerRating, RatingChange
from matches.play.codec import from_data
from matches.play.correspondence import boards_waiting
from matches.play.public_state import game_json
from matches.play.replay import longest_game
from matches.play.watching import LiveLine, Watched, live_now, most_watched
from matches.presentation.labels import score_of, shown_score
from matches.presentation.visibility import NOBODY, Viewer
from matches.ratings.services import default_pool
from matches.records.board import COLOURS, Scene, draw
from matches.records.replays import diagram_at
from matches.reporting.my_matches import MyMatch, action_label, my_matches
from players import selectors
from players.clubs.owners import waiting_for
from players.models import Club, Player, User
from players.people.rows import is_person
from seasons.page.season import own_places
from seasons.places import own_offers
from tournaments.events import selectors as event_selectors

# The board of the page: a match that is being played, else the replay of the last final, else a fixed position.


DEMO = "XGID=-b----E-C---eEA--b-db---A-:0:0:-1:62:0:0:0:5:10"
"""Shown as long as no match can be: a replay needs one that was played on this site."""
LIVE, REPLAY, POSITION = "live", "replay", "position"
BEGINS_AFTER = 3
"""The replay begins after this part of the game, where the board is no longer the one of every game."""


class BoardPlayer(NamedTuple):
    name: str
    colour: str
    """Of their checkers."""
    points: int | None
    won: bool = False


@dataclass(frozen=True, slots=True)
class HomeBoard:
    """A board with what is said about it, and what the script needs that keeps it moving."""

    kind: str
    scene: Scene
    players: tuple[BoardPlayer, ...] = ()
    title: str = ""
    """The event."""
    url: str = ""
    """Where the match is watched or replayed."""
    settings: Mapping[str, Any] | None = None
    """For the script; None for a fixed position."""


def home_board(now: datetime) -> HomeBoard:
    """Return the board that everybody may see."""
    watched = most_watched(now)
    if watched is not None and not watched.state.match.is_over:
        return _live_board(watched)
    match = event_selectors.match_to_replay()
    replay = _replay_board(match, now) if match is not None else None
    return replay if replay is not None else HomeBoard(POSITION, _scene(DEMO, _anybody()))


def _live_board(watched: Watched) -> HomeBoard:
    match, state = watched.live.match, watched.state.match
    score = shown_score(match.length, state.score)
    settings = {
        "topic": match.topic,
        "seq": match.seq,
        "last": watched.last,
        "state": game_json(state),
        "api": reverse("api-live", args=[match.public_id]),
        "style": static("matches/board/board.css"),
    }
    url = reverse("match-play", args=[match.public_id])
    scene = _scene(xgid(state), match.names)
    return HomeBoard(LIVE, scene, _players(match, score), _title(match), url, settings)


def _replay_board(match: Match, now: datetime) -> HomeBoard | None:
    """The replay of a match; None if it ended before its first game."""
    live = LiveMatch.objects.select_related("match__player_0", "match__player_1").get(pk=match.pk)
    steps = longest_game(live, now)
    if not steps:
        return None
    at = len(steps) // BEGINS_AFTER
    result = match.results.order_by("-version").first()
    settings = {
        "at": at,
        "steps": [{key: step[key] for key in ("checkers", "turn", "dice", "cube", "moves")} for step in steps],
        "style": static("matches/board/board.css"),
    }
    url = reverse("match-replay", args=[match.public_id])
    scene = _scene(steps[at]["xgid"], match.names)
    players = _players(match, result.score, result.winner) if result is not None else ()
    return HomeBoard(REPLAY, scene, players, _title(match), url, settings)


def _players(match: Match, score: tuple[int, int] | None, winner: int | None = None) -> tuple[BoardPlayer, ...]:
    points = score if score is not None else (None, None)
    rows = zip(match.names, COLOURS, points, (0, 1), strict=True)
    return tuple(BoardPlayer(name, colour, own, won=side == winner) for name, colour, own, side in rows)


def _scene(position: str, names: tuple[str, str], bottom: Side = 0) -> Scene:
    diagram = diagram_at(position, names)
    assert diagram is not None  # noqa: S101, the engine has written it.
    return draw(replace(diagram, bottom=bottom))


def _anybody() -> tuple[str, str]:
    return _("White"), _("Black")


def _title(match: Match) -> str:
    context = events().contexts([match.parent_topic]).get(match.parent_topic)
    return context.title if context is not None else ""


# What visitors see beside the board.


EVENTS_SHOWN = 4
LIVE_SHOWN = 3
COUNTED_FOR = 600
"""Seconds for which the numbers of the site are kept."""
CLUBS_WORTH_COUNTING = 5


class ExamplePlay(NamedTuple):
    roll: str
    play: str
    lost: str
    """Equity, in words; empty for the best play."""


class Example(NamedTuple):
    """A match whose analysis everybody may see, and two of its errors, the costlier one with what was best."""

    url: str
    plays: tuple[ExamplePlay, ...]
    club: str
    """Its slug, for the puzzle of the day; empty for a match of no club."""


MATCHES_TRIED = 10
REAL_ERRORS = (0.05, 1.0)
"""Equity: a smaller loss may be the program's noise, and a larger one a record that is wrong."""


def example_analysis() -> Example | None:
    """Return the newest example among the latest analysed matches; None if nobody shows how they played."""
    latest = analyses_of_results().filter(NOBODY.visible("match__")).order_by("-match__finished_at", "-pk")
    public = seen_of_matches(latest.select_related("match__live", "match__club")[:MATCHES_TRIED], NOBODY)
    costly = decisions_of(public).filter(kind=Decision.Kind.PLAY, counted=True, error__range=REAL_ERRORS)
    by_match = defaultdict(list)
    for decision in costly.order_by("-error", "pk"):
        by_match[decision.analysis_id].append(decision)
    for seen in public:
        errors = by_match[seen.analysis.pk][:2]
        if len(errors) == 2 and seen.analysis.match is not None:
            url = reverse("match-analysis", args=[seen.analysis.match.public_id])
            best = ExamplePlay(roll_of(errors[0]), errors[0].best, "")
            club = seen.analysis.match.club
            return Example(url, (best, *map(_played, errors)), club.slug if club is not None else "")
    return None


def _played(decision: Decision) -> ExamplePlay:
    return ExamplePlay(roll_of(decision), decision.played, analysis_labels.number(-decision.error, 3))


def visitors_home(now: datetime) -> dict[str, Any]:
    """Return what the home page shows to everybody who is not signed in."""
    live = live_now(NOBODY, now, most=LIVE_SHOWN)
    board = home_board(now)
    return {
        "board": board,
        "numbers": site_numbers(),
        "analyses": has_program(),
        "example": example_analysis(),
        "live_url": board.url if board.kind == LIVE else live[0].url if live else "",
        "watching": sum(audience.sizes([line.public_id for line in live]).values()),
        "events": event_selectors.on_show(EVENTS_SHOWN),
    }


def site_numbers() -> list[str]:
    """Return how many clubs, players and matches there are, in words; empty for a site with few clubs."""
    clubs = Club.objects.exclude(accepted_at=None).count()
    if clubs <= CLUBS_WORTH_COUNTING:
        return []
    counted: tuple[int, int] | None = cache.get("home:numbers")
    if counted is None:
        counted = _counted()
        cache.set("home:numbers", counted, COUNTED_FOR)
    players, matches = counted
    return [
        ngettext("%(count)s club", "%(count)s clubs", clubs) % {"count": number_format(clubs, force_grouping=True)},
        ngettext("%(count)s player", "%(count)s players", players)
        % {"count": number_format(players, force_grouping=True)},
        ngettext("%(count)s match", "%(count)s matches", matches)
        % {"count": number_format(matches, force_grouping=True)},
    ]


def _counted() -> tuple[int, int]:
    players = Player.objects.filter(is_person(), merged_into=None, erased_at=None)
    return players.count(), Match.objects.filter(state=Match.State.SETTLED).count()


# What members see.


BOARDS_SHOWN = 3
RESULTS_SHOWN = 3
MONTH = timedelta(days=30)
TO_PLAY = ("play", "appointment", "board")


@dataclass(frozen=True, slots=True)
class WaitingBoard:
    """A match by correspondence in which it is the reader's turn."""

    row: MyMatch
    scene: Scene
    score: str
    """With the reader's points first."""
    task: str
    """What the reader has to decide, in words."""

    @property
    def until(self) -> datetime | None:
        """When the reader's time ends."""
        return self.row.match.due_at


class MyLatestResult(NamedTuple):
    """A finished match of the reader."""

    row: MyMatch
    change: float | None
    """Rating points won; None for a match that is not rated."""
    performance: str
    """The performance rating in words; empty if the match was not analysed."""


class LiveMatchRow(NamedTuple):
    """A match that is being played, with the number of its spectators."""

    line: LiveLine
    spectators: int

    @property
    def sides(self) -> list[tuple[str, str]]:
        """The points and the name of each side; without points where spectators see them after the match."""
        points = map(str, self.line.score) if self.line.score is not None else ("", "")
        return list(zip(points, self.line.names, strict=True))


class OwnRating(NamedTuple):
    """The reader's rating, and how it has changed."""

    standing: PlayerRating
    month: float | None
    """Points won in the last thirty days; None without a rated match."""


def members_home(user: User, now: datetime) -> dict[str, Any]:
    """Return what the home page shows to somebody who is signed in; the number of queries is bounded."""
    viewer = Viewer.of(user)
    mine = my_matches(user, now)
    rows = [row for row in (mine["next"], *mine["others"]) if row is not None]
    boards = [row for row in rows if row.where.state == WhereState.CORRESPONDENCE]
    to_move = _to_move(user, boards)
    others = [row for row in rows if row not in boards]
    waiting = [row for row in others if row.asks_me and row.step is not None and row.step.code not in TO_PLAY]
    next_match = next((row for row in others if row not in waiting), None)
    run = event_selectors.run_by(user, viewer.runs)
    evenings = event_selectors.evenings_now(viewer.players, run)
    clubs, asked_clubs = selectors.my_and_asked_clubs(user)
    join_requests = list(selectors.with_requests(viewer.directs)) if viewer.directs else []
    owner_offers = waiting_for(user, now) if clubs else []
    return {
        "today": now,
        "topics": mine["topics"],
        "next": next_match,
        "next_label": action_label(next_match) if next_match is not None else "",
        "why_free": mine["why_free"],
        "next_score": _own_score(next_match) if next_match is not None else "",
        "is_new": not (rows or mine["latest"] or mine["challenges"] or mine["entries"] or viewer.directs),
        "boards": _waiting_boards(to_move[:BOARDS_SHOWN]),
        "to_move": len(to_move),
        "by_correspondence": len(boards),
        "waiting": waiting,
        "challenges": mine["challenges"],
        "join_requests": join_requests,
        "owner_offers": owner_offers,
        "waits": len(waiting) + len(mine["challenges"]) + len(join_requests) + len(owner_offers),
        "latest": _latest(mine["latest"][:RESULTS_SHOWN], viewer),
        "live": _live(viewer, now),
        "rating": _rating(viewer, now),
        "entries": mine["entries"],
        "evenings": [(event, event in run) for event in evenings],
        "run": [event for event in run if event not in evenings],
        "events": [event for event in event_selectors.on_show(EVENTS_SHOWN) if event not in (*run, *evenings)],
        "clubs": clubs,
        "asked_clubs": asked_clubs,
        "final_places": own_offers(viewer.players, now) if viewer.players else [],
        "seasons": own_places(user, clubs, now),
        "directs": viewer.directs,
        "letter": letter_card(user, viewer, now) if viewer.players else None,
    }


def _own_score(row: MyMatch) -> str:
    """The score of a match that goes on, with the reader's points first; empty if there is none."""
    return score_of(row.match, row.side, row.where.score) if row.where.score is not None else ""


def _to_move(user: User, rows: Sequence[MyMatch]) -> list[MyMatch]:
    """Which of these boards wait for the reader, also to be ready for a game, the most urgent first."""
    waiting = set(boards_waiting(user)) if rows else set()
    to_move = [row for row in rows if row.match.public_id in waiting]
    return sorted(to_move, key=lambda row: row.urgency)


def _waiting_boards(rows: Sequence[MyMatch]) -> list[WaitingBoard]:
    live = LiveMatch.objects.in_bulk([row.match.pk for row in rows])
    return [_waiting_board(row, from_data(live[row.match.pk].state).match) for row in rows]


def _waiting_board(row: MyMatch, state: MatchState) -> WaitingBoard:
    score = score_of(row.match, row.side, state.score)
    return WaitingBoard(row, _scene(xgid(state), row.match.names, 1 if row.side else 0), score, _task(state))


def _task(state: MatchState) -> str:
    match state.phase:
        case Phase.TO_PLAY if state.dice is not None:
            high, low = sorted(state.dice, reverse=True)
            return _("to play {high}-{low}").format(high=high, low=low)
        case Phase.DOUBLED:
            return _("Take at {cube}?").format(cube=doubled(state.cube))
        case Phase.RESIGNED:
            return _("offers to resign")
        case Phase.TO_ROLL:
            return _("to roll")
    return _("Ready to play")


def _latest(rows: Sequence[MyMatch], viewer: Viewer) -> list[MyLatestResult]:
    matches = [row.match.pk for row in rows]
    changes = _changes(viewer.players, matches)
    performances = performance_by_match(viewer.players, matches)
    return [MyLatestResult(row, changes.get(row.match.pk), performances.get(row.match.pk, "")) for row in rows]


def _changes(players: Collection[int], matches: Collection[int]) -> dict[int, float]:
    """Rating points won by match; in the site's ratings if the match counts in several."""
    rows = RatingChange.objects.filter(match__in=matches, player__in=players).order_by("-pool__is_own", "pk")
    return {row.match_id: row.change for row in rows}


def _live(viewer: Viewer, now: datetime) -> list[LiveMatchRow]:
    lines = live_now(viewer, now, most=LIVE_SHOWN)
    spectators = audience.sizes([line.public_id for line in lines])
    return [LiveMatchRow(line, spectators.get(line.public_id, 0)) for line in lines]


def _rating(viewer: Viewer, now: datetime) -> OwnRating | None:
    rows = PlayerRating.objects.filter(pool=default_pool(), player=viewer.player)
    standing = rows.select_related("player", "pool").first()
    if standing is None:
        return None
    changes = RatingChange.objects.filter(pool=standing.pool_id, player=viewer.player, finished_at__gte=now - MONTH)
    first = changes.order_by("finished_at", "match_id").first()
    return OwnRating(standing, standing.rating - first.rating_before if first is not None else None)


@open_to(get=Who.EVERYBODY)
def home(request: HttpRequest) -> HttpResponse:
    """Show members what concerns them now, and visitors what Barpoint is."""
    if isinstance(request.user, User):
        return render(request, "clubhouse/home_member.html", members_home(request.user, timezone.now()))
    return render(request, "clubhouse/home.html", visitors_home(timezone.now()))


@open_to(get=Who.SIGNED_IN)
@never_cache
def start_club_night(request: HttpRequest) -> HttpResponse:
    """Lead directors to tonight's event of their club, and whoever has none to a new club."""
    directed = Club.objects.filter(pk__in=Viewer.of(request.user).directs).order_by("search_key", "pk").first()
    return redirect("create-club") if directed is None else redirect("tonight", directed.slug)
