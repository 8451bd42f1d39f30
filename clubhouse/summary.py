"""The summary of an event: its page and its API."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from django.db.models import Max, Min, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core import downloads
from core.access import Who, open_to
from core.left_out import refuse_gaps
from core.names import fold
from formats.settings import BY_ROUND
from matches.analysis.api import NightSerializer
from matches.analysis.event_report import EventReport, night, night_rows
from matches.models import Match, RatingChange, Result
from matches.presentation.labels import final_score, score_of
from matches.presentation.visibility import Viewer
from matches.rankings.api import PROVISIONAL
from matches.ratings.services import provisional_among
from players.access import Role, Visitor, is_at_least, role_in
from players.models import Player
from players.people.rows import persons_among
from prizes.api import PrizeLineSerializer
from prizes.prizes import DivisionPrizesView, prizes_view, standings_of
from tournaments import access
from tournaments.events.actions import form_key
from tournaments.events.api import TournamentView
from tournaments.ledger.money import Currency
from tournaments.ledger.shares import CertainPlaces
from tournaments.models import Batch, Division, Fixture, FloorEvent, FloorKind, Stage, Tournament
from tournaments.standings.brackets import places_name
from tournaments.state.api import READ
from tournaments.state.figures import Figures, event_figures, figures_of
from tournaments.state.names import Names, display_name, names_for, names_of
from tournaments.state.plans import is_continuous
from tournaments.state.stage_rows import UNPLAYED

PLACES_LISTED = 4
"""The lowest place that is listed for a bracket."""
MAX_UPSETS = 5
LATE_REPORT, FAR_BEHIND = 10, 2
"""Minutes to a report, and matches behind the others, from which on an entry without rounds is listed."""


@dataclass(frozen=True, slots=True)
class BracketPlaceLine:
    place: str
    names: list[str]


@dataclass(frozen=True, slots=True)
class BracketSummary:
    """The best places of a bracket or table, as far as they are certain."""

    key: str
    title: str
    is_over: bool
    places: list[BracketPlaceLine]


@dataclass(frozen=True, slots=True)
class DivisionSummary:
    """A division: its champion (empty until that is certain), its brackets, and its prizes if they are published."""

    division: Division
    entries: int
    champion: str
    brackets: list[BracketSummary]
    prizes: DivisionPrizesView | None

    @property
    def decided_brackets(self) -> list[BracketSummary]:
        return [bracket for bracket in self.brackets if bracket.places]


@dataclass(frozen=True, slots=True)
class Upset:
    """A match that the player with the lower rating won; ratings before the match, in FIBS points."""

    match: str
    winner: str
    loser: str
    score: str
    winner_rating: float
    loser_rating: float

    @property
    def difference(self) -> float:
        """How much lower the winner was rated."""
        return self.loser_rating - self.winner_rating


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """A player's rating before their first and after their last rated match of the event."""

    player: str
    name: str
    before: float
    after: float
    matches: int
    is_provisional: bool
    """Whether it is today."""

    @property
    def change(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class SlowEntry:
    """An entry of a stage without rounds that may have kept others waiting, or sat out."""

    name: str
    minutes: int
    """The longest time from the last running score of a match to the report of its result."""
    behind: int
    """The most matches that it had begun fewer than the median of those still in."""


@dataclass(frozen=True, slots=True)
class EventSummary:
    tournament: Tournament
    divisions: list[DivisionSummary]
    figures: Figures
    played: int
    """How many of the players have played a match."""
    points: int
    """Of both sides of every score."""
    upsets: list[Upset] = field(default_factory=list)
    ratings: list[RatedPlayer] = field(default_factory=list)
    slow: list[SlowEntry] = field(default_factory=list)
    """For directors only."""


def event_summary(user: Visitor, tournament: Tournament) -> EventSummary:
    """Return the summary of an event, with names as this reader may see them."""
    refuse_gaps()
    staff = is_at_least(role_in(user, tournament.club), Role.ASSISTANT)
    # Without lists of side events that never started.
    waiting = (Division.Status.ENTRIES, Division.Status.CANCELLED)
    played = tournament.divisions.exclude(offer__isnull=False, status__in=waiting)
    divisions = list(played.select_related("tournament__club", "pool").prefetch_related("stages"))
    figures = figures_of(divisions)
    fixtures = Fixture.objects.filter(stage__division__in=divisions, match__isnull=False)
    matches = (
        Match.objects.filter(pk__in=fixtures.values("match"))
        .select_related("player_0__merged_into", "player_1__merged_into")
        .in_bulk()
    )
    results = _standing(matches)
    changes = _changes(matches)
    return EventSummary(
        tournament,
        [_division(row, names_for(user, row), figures[row.pk].entries) for row in divisions],
        event_figures(figures.values()),
        len(_players(matches, results)),
        sum((row.score_0 or 0) + (row.score_1 or 0) for row in results.values()),
        _upsets(matches, results, changes, staff),
        _rated(changes, staff),
        _slow_entries(divisions) if is_at_least(role_in(user, tournament.club), Role.DIRECTOR) else [],
    )


def _slow_entries(divisions: Sequence[Division]) -> list[SlowEntry]:
    """Return the entries that reported late or fell behind without rounds, those who reported latest first."""
    rows = []
    for division in divisions:
        for stage in division.stages.all():
            if stage.format in BY_ROUND and is_continuous(stage):
                rows += _slow_in(stage, names_of(division, staff=True))
    return sorted(rows, key=lambda row: (-row.minutes, -row.behind, fold(row.name)))


def _slow_in(stage: Stage, names: Names) -> list[SlowEntry]:
    behind, begun, pairs = Counter[int](), Counter[int](), dict[int, tuple[int, int]]()
    for batch in Batch.objects.filter(stage=stage).order_by("number").prefetch_related("pairings", "missed"):
        free = [row[0] for row in (*batch.pool, *batch.left_out)]
        still_in = {*free, *(entry for number in batch.playing for entry in pairs.get(number, ()))}
        middle = median([begun[entry] for entry in still_in] or [0])
        for entry in still_in:
            behind[entry] = max(behind[entry], int(middle - begun[entry]))
        standing = [row for row in batch.pairings.all() if not row.taken_back]
        pairs |= {row.number: (row.first_id, row.second_id) for row in standing}
        begun.update(entry for row in standing for entry in (row.first_id, row.second_id))
        begun.update(row.entry_id for row in batch.missed.all() if row.taken_back_at is None)
    minutes = _minutes_to_report(stage, pairs)
    slow = {entry for entry in behind | minutes if minutes[entry] > LATE_REPORT or behind[entry] >= FAR_BEHIND}
    return [SlowEntry(names.of(entry), minutes[entry], behind[entry]) for entry in slow]


def _minutes_to_report(stage: Stage, pairs: dict[int, tuple[int, int]]) -> Counter[int]:
    """Return entry -> the most minutes from the last running score of one of its matches to the first report."""
    scores = FloorEvent.objects.filter(
        fixture__stage=stage, kind=FloorKind.RUNNING_SCORE, undone_by=None, match__finished_at__isnull=False
    )
    longest: Counter[int] = Counter()
    rows = scores.values("fixture__number", "match__finished_at").annotate(
        last=Max("at"), claimed=Min("match__claims__created_at")
    )
    for row in rows:
        over = min(at for at in (row["match__finished_at"], row["claimed"]) if at is not None)
        for entry in pairs.get(row["fixture__number"], ()):
            longest[entry] = max(longest[entry], int((over - row["last"]).total_seconds() // 60))
    return longest


def event_night(user: Visitor, tournament: Tournament) -> EventReport:
    """Return how well the event was played, as far as this reader may see it."""
    fixtures = Fixture.objects.filter(stage__division__tournament=tournament, match__isnull=False)
    return night(Q(pk__in=fixtures.values("match")), Viewer.of(user))


def _division(division: Division, names: Names, entries: int) -> DivisionSummary:
    standings = standings_of(division)
    prizes = prizes_view(division, names)
    return DivisionSummary(
        division,
        entries,
        _champion(standings, names),
        [_bracket(key, standing, names) for key, standing in standings.items() if standing.placings],
        prizes if prizes.is_published else None,
    )


def _champion(standings: dict[str, CertainPlaces], names: Names) -> str:
    """Return who has first place of the bracket or table that decides the title; groups decide none."""
    first = next(iter(standings.values()), CertainPlaces())
    best = first.placings[0] if first.placings else None
    if best is None or best.first != 1 or len(best.entries) != 1:
        return ""
    return names.of(best.entries[0])


def _bracket(key: str, standing: CertainPlaces, names: Names) -> BracketSummary:
    places = [
        BracketPlaceLine(
            str(row.first) if row.first == row.last else f"{row.first}–{row.last}",
            [names.of(entry) for entry in row.entries],
        )
        for row in standing.placings
        if row.first <= PLACES_LISTED
    ]
    return BracketSummary(key, places_name(key), standing.over, places)


def _standing(matches: dict[int, Match]) -> dict[int, Result]:
    rows = Result.objects.filter(match__in=matches).order_by("version")
    return {row.match_id: row for row in rows if row.kind != Result.Kind.VOID}


def _players(matches: dict[int, Match], results: dict[int, Result]) -> set[int]:
    """Return the ids of the people who have played a match."""
    played = (matches[pk] for pk, result in results.items() if result.kind not in UNPLAYED)
    return persons_among(player for match in played for player in match.players)


def _changes(matches: dict[int, Match]) -> list[RatingChange]:
    """Return the rating changes of these matches in order, one for each match and player."""
    rows = (
        RatingChange.objects.filter(match__in=matches)
        .select_related("player__merged_into", "pool")
        .order_by("finished_at", "match_id")
    )
    changes: dict[tuple[int, int], RatingChange] = {}
    for row in rows:
        changes.setdefault((row.match_id, row.player_id), row)
    return list(changes.values())


def _upsets(
    matches: dict[int, Match], results: dict[int, Result], changes: Sequence[RatingChange], staff: bool
) -> list[Upset]:
    """Return the wins against the largest rating differences."""
    upsets = []
    for row in changes:
        result, match = results.get(row.match_id), matches[row.match_id]
        if not row.won or row.rating_before >= row.opponent_before or result is None or result.winner is None:
            continue
        loser = match.players[1 - result.winner]
        upsets.append(
            Upset(
                match.public_id,
                display_name(row.player, staff),
                display_name(loser, staff),
                _score(match, result, result.winner),
                row.rating_before,
                row.opponent_before,
            )
        )
    return sorted(upsets, key=lambda upset: -upset.difference)[:MAX_UPSETS]


def _score(match: Match, result: Result, winner: int) -> str:
    """Return the score from the winner's point of view; empty if it does not tell who won."""
    score = final_score(match, result)
    return score_of(match, winner, score) if score is not None else ""


def _rated(changes: Sequence[RatingChange], staff: bool) -> list[RatedPlayer]:
    """Return every rated player, the largest gain first."""
    by_player: dict[Player, list[RatingChange]] = defaultdict(list)
    for row in changes:
        by_player[row.player].append(row)
    people = [row.pk for row in by_player]
    provisional = {pool: provisional_among(pool, people) for pool in {row.pool for row in changes}}
    players = [
        RatedPlayer(
            player.public_id,
            display_name(player, staff),
            rows[0].rating_before,
            rows[-1].rating_after,
            len(rows),
            player.pk in provisional[rows[-1].pool],
        )
        for player, rows in by_player.items()
    ]
    return sorted(players, key=lambda player: -player.change)


@never_cache
@open_to(get=Who.EVERYBODY)
def summary(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show winners, prizes, figures, upsets and rating changes to everybody who may see the event."""
    event = access.tournament(request.user, club, slug)
    role = role_in(request.user, event.club)
    context = {
        "tournament": event,
        "club": event.club,
        "is_staff": is_at_least(role, Role.ASSISTANT),
        "may_direct": is_at_least(role, Role.DIRECTOR),
        "may_copy": is_at_least(role, Role.DIRECTOR) and event.status != Tournament.Status.DRAFT,
        "key": form_key(request),
        "currency": Currency.of(event),
        "summary": event_summary(request.user, event),
        "night": event_night(request.user, event),
    }
    return render(request, "clubhouse/summary.html", context)


@never_cache
@open_to(get=Who.EVERYBODY)
def analysis_csv(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """How well the event was played, as a CSV file, as far as the reader may see it."""
    event = access.tournament(request.user, club, slug)
    name = f"play-quality-{event.club.slug}-{event.slug}.csv"
    return downloads.short_file(night_rows(event_night(request.user, event)), name)


class SummaryPlaceSerializer(serializers.Serializer[Any]):
    """A place of a bracket."""

    place = serializers.CharField(help_text="Such as 1 or 3–4.")
    names = serializers.ListField(child=serializers.CharField())


class SummaryBracketSerializer(serializers.Serializer[Any]):
    """The best places of a bracket or table."""

    key = serializers.CharField()
    title = serializers.CharField()
    is_over = serializers.BooleanField()
    places = SummaryPlaceSerializer(many=True)


class SummaryDivisionSerializer(serializers.Serializer[Any]):
    """A division with its winners and its published prizes."""

    division = serializers.CharField(source="division.public_id")
    name = serializers.CharField(source="division.name")
    entries = serializers.IntegerField()
    champion = serializers.CharField(allow_blank=True)
    brackets = SummaryBracketSerializer(many=True)
    prizes = serializers.SerializerMethodField()

    def get_prizes(self, row: Any) -> list[dict[str, Any]]:
        """Return the published prizes; empty before."""
        if row.prizes is None:
            return []
        lines = [line for section in row.prizes.sections for line in section.lines]
        return [dict(PrizeLineSerializer(line).data) for line in lines]


class SummaryFiguresSerializer(serializers.Serializer[Any]):
    """How large the event was."""

    players = serializers.IntegerField(source="figures.players", help_text="Different players, those who left too.")
    entries = serializers.IntegerField(source="figures.entries", help_text="Of all divisions, re-entries included.")
    matches = serializers.IntegerField(
        source="figures.matches.total",
        allow_null=True,
        help_text="All matches, walkovers and forfeits included; null while their number depends on results.",
    )
    played = serializers.IntegerField(source="figures.matches.played", help_text="Without walkovers and forfeits.")
    walkovers = serializers.IntegerField(source="figures.matches.walkovers", help_text="Walkovers and forfeits.")
    points = serializers.IntegerField(help_text="Of both sides of every score.")


class SummaryUpsetSerializer(serializers.Serializer[Any]):
    """A win of the player with the lower rating."""

    match = serializers.CharField()
    winner = serializers.CharField()
    loser = serializers.CharField()
    score = serializers.CharField(allow_blank=True)
    winner_rating = serializers.FloatField()
    loser_rating = serializers.FloatField()


class SummaryRatingSerializer(serializers.Serializer[Any]):
    """A player's rating before and after the event."""

    player = serializers.CharField()
    name = serializers.CharField()
    before = serializers.FloatField()
    after = serializers.FloatField()
    is_provisional = serializers.BooleanField(help_text=PROVISIONAL)
    matches = serializers.IntegerField()


class EventSummarySerializer(serializers.Serializer[Any]):
    """The summary of an event."""

    tournament = serializers.CharField(source="tournament.public_id")
    name = serializers.CharField(source="tournament.name")
    currency = serializers.CharField(source="tournament.currency")
    divisions = SummaryDivisionSerializer(many=True)
    figures = SummaryFiguresSerializer(source="*")
    upsets = SummaryUpsetSerializer(many=True)
    ratings = SummaryRatingSerializer(many=True)


@open_to(get=Who.EVERYBODY)
class SummaryView(TournamentView):
    @extend_schema(
        operation_id="tournaments_report",
        summary="Get the summary of an event",
        description="Winners of each bracket, published prizes, figures, upsets by rating and rating changes.",
        responses={200: EventSummarySerializer, **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """The summary as it is now; it is complete once the event is finished."""
        return Response(EventSummarySerializer(event_summary(request.user, self.get_tournament())).data)


@open_to(get=Who.EVERYBODY)
class EventAnalysis(TournamentView):
    @extend_schema(
        operation_id="tournaments_analysis",
        summary="How well an event was played",
        description=(
            "Only matches that the reader may see, and only players who share how they play with the reader. "
            "The players as CSV: `/events/<club>/<event>/analysis.csv`."
        ),
        responses={200: NightSerializer, **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        return Response(NightSerializer(event_night(request.user, self.get_tournament())).data)
