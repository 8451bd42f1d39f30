"""What is read of an event for its letters: once, for all readers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q

from clubhouse.clubs import CalendarLine, calendar_of
from clubhouse.letters.lines import Deficit, DivisionWon, FinishedMatch, LetterLine, chosen_lines, sentence_of
from core.left_out import refuse_gaps
from engine.errors import Refused
from formats.ratings import win_probability
from formats.series.facts import Player as PlayerId
from formats.series.table import SeriesRow, season
from formats.settings import ELIMINATION
from matches.analysis.judging import match_chance
from matches.analysis.page import has_program
from matches.lifecycle.events import Place, events
from matches.models import Analysis, LiveMatch, Match, Objection, RatingChange, RatingPool, Result, Verdict
from matches.presentation.labels import final_score, score_of
from matches.ratings.pools import publication_of
from matches.ratings.services import provisional_among
from players.models import Player
from players.people.rows import canonical, pairs_of, people_of, side_columns
from prizes.prizes import standings_of
from seasons.chances import Race, race_of
from seasons.page.season import series_of_event
from seasons.tables import SeasonTable, closing_of, season_table
from tournaments.access import VISIBLE
from tournaments.ledger.shares import CertainPlaces
from tournaments.models import Division, Entry, FloorEvent, FloorKind, PastPlacing, Series, SeriesPlan, Tournament
from tournaments.state.advancement import unfinished_divisions
from tournaments.state.stage_rows import UNPLAYED

MAX_MINUTES = 6 * 60
"""A match that took longer was adjourned, or reported late."""


class NightMatch(NamedTuple):
    """A match of the event with the result that stands; `people` stand for its players."""

    match: Match
    result: Result
    people: tuple[int, int]
    """Both sides, after merges; a pair is known by its own id."""
    sides: tuple[tuple[int, ...], tuple[int, ...]]
    """Who played on each side: one person, or both of a pair."""
    is_settled: bool
    """Whether the result is neither provisional nor objected to."""
    place: Place | None

    @property
    def was_played(self) -> bool:
        return self.result.kind not in UNPLAYED

    @property
    def players(self) -> tuple[int, ...]:
        """Everybody who played it."""
        return self.sides[0] + self.sides[1]

    def side_of(self, person: int) -> int:
        """Return on which side somebody who played it was."""
        return 0 if person in self.sides[0] else 1

    @property
    def winner(self) -> int | None:
        """The winner by id; None if nobody won."""
        return None if self.result.winner is None else self.people[self.result.winner]


class NightDivision(NamedTuple):
    """A division with its certain places, and the person behind each entry."""

    division: Division
    places: Mapping[str, CertainPlaces]
    people: Mapping[int, int]


class NightSeason(NamedTuple):
    """A season in which the event counts: its rows by player before and after it, and what is still open."""

    table: SeasonTable
    race: Race | None
    before: Mapping[PlayerId, SeriesRow]
    after: Mapping[PlayerId, SeriesRow]


@dataclass(frozen=True)
class PlayedNight:
    """An event that is over; people are known by the ids of the players who stand for them."""

    event: Tournament
    divisions: Sequence[NightDivision]
    matches: Sequence[NightMatch]
    players: Mapping[int, Player]
    changes: Sequence[RatingChange]
    """Of the pool that comes first, the site's before others, for each match and player."""
    lines: tuple[LetterLine, ...]
    seasons: Sequence[NightSeason]
    calendar: Sequence[CalendarLine]
    analysed_later: frozenset[int]
    """Matches that are being analysed, or wait for a program that is there."""
    hidden_from: Mapping[int, datetime]
    """Pool -> the end of the matches that its weekly list has; none for a list that changes after every match."""

    @cached_property
    def played(self) -> frozenset[int]:
        return frozenset(person for row in self.matches if row.was_played for person in row.players)

    @cached_property
    def by_person(self) -> Mapping[int, Sequence[NightMatch]]:
        rows: dict[int, list[NightMatch]] = defaultdict(list)
        for row in self.matches:
            for person in row.players:
                rows[person].append(row)
        return rows

    def hides(self, change: RatingChange) -> bool:
        """Whether a rating change is not in the weekly list of its pool yet."""
        until = self.hidden_from.get(change.pool_id)
        return until is not None and change.finished_at >= until

    def sentences(self) -> tuple[str, ...]:
        """The lines in the active language, with names as everybody may see them."""
        names = {person: self.players[person].shown_name for line in self.lines for person in line.people}
        return tuple(sentence_of(line, names) for line in self.lines)


def is_over(event: Tournament) -> bool:
    """Whether an event is finished and none of its divisions is open again; one query at most."""
    return event.status == Tournament.Status.FINISHED and not unfinished_divisions(event.pk).exists()


def night_of(event: Tournament, now: datetime) -> PlayedNight:
    """Read an event for its letters; the number of queries does not depend on how many played."""
    refuse_gaps()
    divisions = list(
        event.divisions.exclude(status=Division.Status.CANCELLED)
        .select_related("tournament__club", "pool")
        .prefetch_related("stages")
    )
    matches, players = _matches(divisions)
    changes = _changes(matches)
    placed = [_placed(division) for division in divisions]
    pools = {row.pool_id: row.pool for row in changes}
    until = {pk: last.until for pk, pool in pools.items() if (last := publication_of(pool, now)) is not None}
    left_out = {pk for pk, player in players.items() if not player.in_event_lines or player.erased_at is not None}
    # Nor does a line name a pair of theirs.
    sides = ((side, row.sides[index]) for row in matches for index, side in enumerate(row.people))
    left_out |= {side for side, people in sides if not left_out.isdisjoint(people)}
    won = [first for own in placed if (first := _won(own, matches)) is not None]
    played = {person for row in matches if row.was_played for person in row.players}
    lines = chosen_lines(won, _played_matches(matches, changes), _newcomers(event, played), left_out)
    today = now.astimezone(ZoneInfo(event.club.time_zone)).date()
    tables = [season_table(row, version=_announced(row)) for row in series_of_event(event)]
    seasons = [row for table in tables if (row := _season(table, event, today)) is not None]
    calendar = calendar_of(AnonymousUser(), event.club)
    waiting = _analysed_later(matches)
    return PlayedNight(event, placed, matches, players, changes, lines, seasons, calendar, waiting, until)


def _analysed_later(matches: Iterable[NightMatch]) -> frozenset[int]:
    open_ = Analysis.objects.filter(
        match__in=[row.match.pk for row in matches], state__in=(Analysis.State.QUEUED, Analysis.State.WORKING)
    )
    waiting = frozenset(pk for pk in open_.values_list("match", flat=True) if pk is not None)
    return waiting if waiting and has_program() else frozenset()


def _matches(divisions: Iterable[Division]) -> tuple[list[NightMatch], dict[int, Player]]:
    topics = [division.topic for division in divisions]
    rows = Match.objects.filter(parent_topic__in=topics).exclude(state=Match.State.VOID)
    by_id = rows.select_related("player_0__merged_into", "player_1__merged_into").in_bulk()
    results = Result.objects.filter(match__in=by_id).order_by("version")
    standing = {row.match_id: row for row in results if row.kind != Result.Kind.VOID}
    open_ = Objection.objects.filter(match__in=by_id, state=Objection.State.OPEN)
    objected = set(open_.values_list("match", flat=True))
    places = events().place_facts(by_id)
    matches = []
    players = {row.pk: row for match in by_id.values() for row in (canonical(player) for player in match.players)}
    couples = people_of(pk for pk, row in players.items() if row.parts is not None)
    players |= Player.objects.in_bulk({person for couple in couples.values() for person in couple} - players.keys())
    for pk, result in standing.items():
        match = by_id[pk]
        own = tuple(player.merged_into or player for player in match.players)
        sides = tuple(couples.get(player.pk, (player.pk,)) for player in own)
        is_settled = match.state == Match.State.SETTLED and not match.provisional and pk not in objected
        people = own[0].pk, own[1].pk
        matches.append(NightMatch(match, result, people, (sides[0], sides[1]), is_settled, places.get(pk)))
    return sorted(matches, key=lambda row: (row.match.finished_at or row.result.at, row.match.pk)), players


def _changes(matches: Iterable[NightMatch]) -> list[RatingChange]:
    rows = RatingChange.objects.filter(match__in=[row.match.pk for row in matches]).select_related("pool__club")
    first: dict[tuple[int, int], RatingChange] = {}
    for row in rows.order_by("-pool__is_default", "pool_id", "finished_at", "match_id"):
        first.setdefault((row.match_id, row.player_id), row)
    return sorted(first.values(), key=lambda row: (row.finished_at, row.match_id))


def _placed(division: Division) -> NightDivision:
    entries = division.entries.order_by().values_list("pk", "player", "player__merged_into")
    return NightDivision(division, standings_of(division), {pk: into or player for pk, player, into in entries})


def _won(row: NightDivision, matches: Iterable[NightMatch]) -> DivisionWon | None:
    """Return the winner of a division; None unless first place is certain and all matches of the winner are settled."""
    first = next(iter(row.places.values()), CertainPlaces()).placings
    if not first or first[0].last != 1 or len(first[0].entries) != 1:
        return None
    winner = row.people[first[0].entries[0]]
    here = [each for each in matches if each.match.parent_topic == row.division.topic]
    own = [each for each in here if winner in each.people]
    if not all(each.is_settled for each in own):
        return None
    players = len({person for each in here for person in each.players})
    last = max(row.division.stages.all(), key=lambda stage: stage.number)
    second = first[1].entries if len(first) > 1 and first[1].first == first[1].last else ()
    finalists = {winner, *(row.people[entry] for entry in second)}
    met = [each for each in own if {*each.people} == finalists and each.winner == winner]
    final = met[-1].match.pk if met and last.format in ELIMINATION else None
    return DivisionWon(row.division.pk, row.division.name, players, winner, final)


def _played_matches(matches: Sequence[NightMatch], changes: Iterable[RatingChange]) -> Iterator[FinishedMatch]:
    """Return what the lines can tell: matches that were played to their end, and whose score tells who won."""
    chances, deficits = _chances(changes), _deficits(matches)
    for row in matches:
        score, side = final_score(row.match, row.result), row.result.winner
        if row.result.kind != Result.Kind.PLAYED or not row.is_settled or score is None or side is None:
            continue
        number = row.place[2] if row.place is not None else 0
        yield FinishedMatch(
            row.match.pk, number, row.people[side], row.people[1 - side], score_of(row.match, side, score),
            chances.get(row.match.pk), _minutes(row.match), deficits.get(row.match.pk),
        )  # fmt: skip


def _minutes(match: Match) -> int | None:
    if match.begun_at is None or match.finished_at is None:
        return None
    minutes = int((match.finished_at - match.begun_at).total_seconds() // 60)
    return minutes if 0 < minutes <= MAX_MINUTES else None


def _chances(changes: Iterable[RatingChange]) -> dict[int, float]:
    """Return match -> the winner's chance before it, for matches without a provisional rating."""
    won = [row for row in changes if row.won]
    of_pool: dict[RatingPool, set[int]] = defaultdict(set)
    for row in won:
        of_pool[row.pool] |= {row.player_id, row.opponent_id}
    provisional = {pool.pk: provisional_among(pool, people) for pool, people in of_pool.items()}
    settings = {pool.pk: pool.settings for pool in of_pool}
    return {
        row.match_id: row.expected if row.expected is not None
        else win_probability(row.rating_before, row.opponent_before, row.length, settings[row.pool_id].formula)
        for row in won
        if not provisional[row.pool_id] & {row.player_id, row.opponent_id}
    }  # fmt: skip


Score = tuple[int, int]


def _deficits(matches: Sequence[NightMatch]) -> dict[int, Deficit]:
    """Return match -> where its winner stood worst, by records, boards of this site and running scores."""
    ids = [row.match.pk for row in matches]
    begun: dict[int, list[tuple[Score, bool]]] = defaultdict(list)
    records = {row.result.submission_id: row for row in matches if row.result.submission_id is not None}
    verdicts = Verdict.objects.filter(submission__in=records).order_by("pk")
    for submission, swapped, games in verdicts.values_list("submission", "submission__swapped", "content__games"):
        starts = [((row["start"][0], row["start"][1]), row["crawford"]) for row in games]
        begun[records[submission].match.pk] = [(score[::-1], last) for score, last in starts] if swapped else starts
    for pk, rows in LiveMatch.objects.filter(match__in=ids).values_list("pk", "state__match__results"):
        begun[pk] += [((start[0], start[1]), crawford) for _number, start, *_rest, crawford in rows or ()]
    scores = FloorEvent.objects.filter(match__in=ids, kind=FloorKind.RUNNING_SCORE, undone_by=None).order_by("pk")
    for match, params in scores.values_list("match", "params"):
        # Whoever is one point away for the first time plays the Crawford game.
        begun[match].append(((params["score"][0], params["score"][1]), False))
    worst = {row.match.pk: _worst(row, begun[row.match.pk]) for row in matches if row.match.pk in begun}
    return {pk: deficit for pk, deficit in worst.items() if deficit is not None}


def _worst(row: NightMatch, begun: Sequence[tuple[Score, bool]]) -> Deficit | None:
    match, side = row.match, row.result.winner
    deficits, at_match_point = [], None
    for score, is_crawford in begun:
        away = [match.length - points for points in score]
        if side is None or min(away) <= 0 or score == match.start_score:
            continue
        if min(away) == 1 and at_match_point is None:
            at_match_point = score
        after = not match.crawford or (min(away) == 1 and not is_crawford and score != at_match_point)
        chance = match_chance(away[side], away[1 - side], after_crawford=after)
        deficits.append(Deficit(chance, score_of(match, side, score)))
    return min(deficits, default=None)


def _newcomers(event: Tournament, played: set[int]) -> list[int]:
    """Return who played an event of this club for the first time, imported seasons and matches included."""
    own = Q(player__in=played) | Q(player__merged_into__in=played)
    before = Entry.objects.filter(
        own | Q(player__in=pairs_of(played)),
        division__tournament__club=event.club_id, division__tournament__status__in=VISIBLE,
        division__tournament__starts_at__lt=event.starts_at,
    ).exclude(status=Entry.Status.OUT)  # fmt: skip
    known: list[tuple[int | None, ...]] = [*before.order_by().values_list(*side_columns("player"))]
    known += PastPlacing.objects.filter(own, season__club=event.club_id).order_by().values_list(
        "player", "player__merged_into"
    )  # fmt: skip
    imported = Match.objects.filter(club=event.club_id, as_told=True).order_by()
    for name in ("player_0", "player_1"):
        ids = Q(**{f"{name}__in": played}) | Q(**{f"{name}__merged_into__in": played})
        known += imported.filter(ids).values_list(name, f"{name}__merged_into")
    return sorted(played - {person for row in known for person in row})


def _announced(series: Series) -> SeriesPlan | None:
    closing = closing_of(series)
    return closing.plan if closing is not None else None


def _season(table: SeasonTable, event: Tournament, today: date) -> NightSeason | None:
    nights = table.season.events
    index = next((at for at, row in enumerate(nights) if row.id == event.public_id), None)
    if index is None:
        return None
    before, after = (
        season(table.plan, nights[:until], earned=table.season.points).rows if until else ()
        for until in (index, index + 1)
    )
    try:
        race = race_of(table, today)
    except Refused:  # What it would take cannot be computed for every plan.
        race = None
    return NightSeason(table, race, {row.player: row for row in before}, {row.player: row for row in after})
