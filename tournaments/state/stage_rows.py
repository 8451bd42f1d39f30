"""Reading a division: its rows, and what the formats and the pairing derive its state from."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain, product
from typing import Any, NamedTuple, TypeVar

from django.db.models import F, Model, Value

from formats import graph as plan
from formats.facts import DOUBLE_FORFEIT, FORFEIT, NOBODY, PLAYED, Result, Withdrawal
from formats.graph import EntryId, PlaceOf
from formats.progress import Progress
from formats.progress import progress as progress_of
from formats.settings import BY_ROUND, DOUBLE, ELIMINATION, LIVES
from formats.swiss.event import ByeKind, SwissEvent, SwissPlayer
from formats.swiss.lives import lives_for_missed
from formats.swiss.spent_lives import without_spent_lives, without_spent_pairings, without_stopped
from matches.lifecycle.begun import has_begun
from matches.models import Claim, LiveMatch, Match
from matches.models import Result as MatchResult
from tournaments.models import (
    Advance,
    Bracket,
    ByeRequest,
    Division,
    Draw,
    Entry,
    Fixture,
    FloorEvent,
    KeptApart,
    MissedMatch,
    Pairing,
    Round,
    Slot,
    Stage,
)
from tournaments.state.commitments import lots_seed
from tournaments.state.floor import BEGINNINGS
from tournaments.state.locks import lock_unfinished_matches
from tournaments.state.plans import STOPPED, Places, entrants_of, is_continuous, seat_of, settings_of, slot_source
from tournaments.state.teams import team_mates, teams_of

# What the pairing of a round depends on, and a digest of it that shows whether a draft is outdated.


Byes = Mapping[int, ByeKind]
"""Entry id -> kind of the bye it requested."""


def requested_byes(stage: Stage, event: SwissEvent) -> Byes:
    """Return the byes that active entries requested for the next round."""
    number = event.next_round
    active = {player.entry for player in _active(event, number)}
    rows = ByeRequest.objects.filter(stage=stage, round=number, taken_back_at=None)
    return {row.entry_id: ByeKind(row.kind) for row in rows if row.entry_id in active}


def kept_apart(division: Division, at: datetime | None = None) -> frozenset[frozenset[int]]:
    """Return the pairs of entries that must not meet: those a director keeps apart, or did `at` a time, and teams."""
    apart = KeptApart.objects.filter(division=division).order_by()
    apart = apart.filter(taken_back_at=None) if at is None else apart.filter(at__lte=at).exclude(taken_back_at__lte=at)
    in_teams = Entry.objects.filter(division=division).exclude(team="").order_by().values_list("pk", "division", "team")
    rows = list(apart.values_list("first", "second", Value("")).union(in_teams))
    teams = teams_of((entry, team) for entry, _division, team in sorted(rows) if team)
    return frozenset(frozenset((first, second)) for first, second, team in rows if not team) | {*team_mates(teams)}


def digest(event: SwissEvent, byes: Byes) -> str:
    """Return a digest of the active players with their scores, meetings, forbidden pairs, byes and planned rounds.

    Ratings and clubs are left out, because a change of these does not make a draft wrong.
    """
    number = event.next_round
    inputs = {
        "round": number,
        "players": sorted([p.entry, event.scores[p.entry], event.losses[p.entry]] for p in _active(event, number)),
        "met": sorted([*sorted(pair), *rounds] for pair, rounds in event.meetings.items()),
        "forbidden": sorted(sorted(pair) for pair in event.forbidden),
        "byes": sorted([entry, kind.value] for entry, kind in byes.items()),
        "given": sorted(event.pairing_byes.items()),
        "planned": event.planned,
        "rematches": event.allow_rematches,
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def _active(event: SwissEvent, number: int) -> list[SwissPlayer]:
    return [player for player in event.players if player.active(number)]


# Reading a division: its rows, and the plan, results and withdrawals that the formats derive its state from.


VOID = MatchResult.Kind.VOID
Row = TypeVar("Row", bound=Model)

UNPLAYED = {
    MatchResult.Kind.WALKOVER: FORFEIT,
    MatchResult.Kind.FORFEIT: FORFEIT,
    MatchResult.Kind.DOUBLE_FORFEIT: DOUBLE_FORFEIT,
}
"""Kinds of result without play, as the formats name them; every other kind was played."""


class FormerMatch(NamedTuple):
    """A match that was played in a fixture before others took the places of its players."""

    stage: int
    fixture: int
    number: int
    match: int
    players: tuple[int, int]


class Absence(NamedTuple):
    """An entry that withdrew from the whole division, and when it came back, if it did."""

    entry: EntryId
    since: datetime
    until: datetime | None


EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
"""Before and after everything that has happened; in previews, somebody withdraws or comes back after it."""


class DivisionRows:
    """The rows of a division, each kind read in one query for all its stages.

    Each kind is read once, on first access. To see later changes, create a new instance.
    """

    def __init__(
        self,
        division: Division,
        *,
        taken_back: Collection[int] = (),
        reopened: Collection[int] = (),
        withdrawn: Collection[EntryId] = (),
        left: Collection[tuple[EntryId, int]] = (),
        also_missed: Collection[MissedMatch] = (),
    ) -> None:
        """Prepare to read the rows.

        For previews, ignore the withdrawals with ids in `taken_back` and the results of matches with ids in `reopened`,
        take the entries in `withdrawn` as withdrawn from the division, and those in `left` from brackets by id, and
        count what they have `also_missed`.
        """
        self.division = division
        self.reopened, self.withdrawn, self._left = frozenset(reopened), withdrawn, left
        self._taken_back, self._also_missed = frozenset(taken_back), also_missed
        self._by_stage: dict[int, StageRows] = {}
        self.locked: Mapping[int, Match] = {}
        self.has_new_result = False
        """Whether a result was added with `add_result`."""

    def of(self, stage: Stage) -> "StageRows":
        """Return the rows of a stage, always the same instance."""
        if stage.pk not in self._by_stage:
            own = next(row for row in self.stages if row.pk == stage.pk)
            self._by_stage[stage.pk] = StageRows(own, self)
        return self._by_stage[stage.pk]

    @property
    def drawn(self) -> list["StageRows"]:
        return [self.of(stage) for stage in self.stages if stage.is_drawn]

    @cached_property
    def stages(self) -> list[Stage]:
        return list(self.division.stages.order_by("number"))

    @cached_property
    def _has_fixtures(self) -> bool:
        """Whether there can be fixtures: later stages are planned with the first one that is drawn."""
        return any(stage.is_drawn for stage in self.stages)

    @cached_property
    def brackets(self) -> dict[int, list[Bracket]]:
        brackets = {rounds[0].bracket_id: rounds[0].bracket for rounds in self.rounds.values()}
        begun = {row.stage_id for row in brackets.values()}
        # Only these can have a bracket without rounds: a lower bracket of two entries, or rounds that were taken back.
        rest = [stage for stage in self.stages if stage.format == DOUBLE or (stage.is_drawn and stage.pk not in begun)]
        brackets |= Bracket.objects.filter(stage__in=rest).in_bulk()
        return _grouped(sorted(brackets.values(), key=lambda row: row.order), lambda row: row.stage_id)

    @cached_property
    def rounds(self) -> dict[int, list[Round]]:
        if not self._has_fixtures:
            return {}
        rows = Round.objects.filter(bracket__stage__division=self.division).select_related("bracket")
        return _grouped(rows.order_by("number"), lambda row: row.bracket_id)

    @cached_property
    def fixtures(self) -> dict[int, list[Fixture]]:
        """The fixtures by stage, with their matches, in order."""
        if not self._has_fixtures:
            return {}
        rows = Fixture.objects.filter(stage__division=self.division).select_related("match").order_by("number")
        return _grouped(rows, lambda row: row.stage_id)

    @cached_property
    def slots(self) -> dict[int, list[Slot]]:
        """The two slots of each fixture, by its id."""
        if not self._has_fixtures:
            return {}
        rows = Slot.objects.filter(fixture__stage__division=self.division).order_by("side")
        return _grouped(rows, lambda row: row.fixture_id)

    @cached_property
    def entries(self) -> dict[EntryId, Entry]:
        """All entries with their players, by id."""
        rows = {row.pk: row for row in self._entries_with_withdrawals}
        for row in self._entries_with_withdrawals:
            if row.withdrawal in self._taken_back and row.withdrawn_from is None:
                rows[row.pk].status = Entry.Status.IN
        return rows

    @cached_property
    def withdrawals(self) -> list[tuple[EntryId, int | None]]:
        """The withdrawals that count: the entry, and the bracket or None for the whole division."""
        stored = [
            (row.pk, row.withdrawn_from)
            for row in self._entries_with_withdrawals
            if row.withdrawal is not None and row.taken_back_at is None and row.withdrawal not in self._taken_back
        ]
        return [*stored, *self._left]

    @cached_property
    def absences(self) -> list[Absence]:
        """All withdrawals from the whole division, those that were taken back included."""
        stored = [
            Absence(row.pk, row.left_at, LATEST if row.withdrawal in self._taken_back else row.taken_back_at)
            for row in self._entries_with_withdrawals
            if row.withdrawal is not None and row.withdrawn_from is None
        ]
        return [*stored, *(Absence(entry, LATEST, None) for entry in self.withdrawn)]

    @cached_property
    def bracket_absences(self) -> list[tuple[int, Absence]]:
        """All withdrawals from single brackets with the bracket's id, those that were taken back included."""
        stored = [
            (
                row.withdrawn_from,
                Absence(row.pk, row.left_at, LATEST if row.withdrawal in self._taken_back else row.taken_back_at),
            )
            for row in self._entries_with_withdrawals
            if row.withdrawn_from is not None
        ]
        return [*stored, *((bracket, Absence(entry, LATEST, None)) for entry, bracket in self._left)]

    def gone_from(self, stage: Stage, entries: Collection[EntryId]) -> frozenset[EntryId]:
        """Return which of the entries of a table count as withdrawn from its stage.

        Once one of them has begun to play in the next stage, those who had withdrawn by then: neither a later
        withdrawal nor a later return changes anything.
        """
        members = set(entries) if self.absences else set()
        absences = [absence for absence in self.absences if absence.entry in members]
        if not absences:
            return frozenset()
        begun = self.next_begun(stage, entries) or LATEST
        return frozenset(
            absence.entry
            for absence in absences
            if absence.since <= begun and (absence.until is None or absence.until > begun)
        )

    def cannot_go_on(self, stage: Stage, entries: Collection[EntryId]) -> frozenset[EntryId]:
        """Return which of these entries have withdrawn and cannot go on; who has a result in the next stage has."""
        gone, following = self.gone_from(stage, entries), self.following(stage)
        return gone - self.of(following).decided_entries if gone and following is not None else gone

    def following(self, stage: Stage) -> Stage | None:
        return next((row for row in self.stages if row.number == stage.number + 1), None)

    def next_begun(self, stage: Stage, entries: Collection[EntryId]) -> datetime | None:
        """Return when one of these entries began to play in the next stage, or its first round was published."""
        following = self.following(stage)
        if following is None:
            return None
        if following.format in BY_ROUND:
            return min(
                (draw.published_at for draw in self.paired.get(following.pk, ()) if draw.published_at), default=None
            )
        players = {self.entries[entry].player_id for entry in entries}
        return min((at for at, pair in self.of(following).beginnings if players & set(pair)), default=None)

    @cached_property
    def persons(self) -> tuple[frozenset[EntryId], ...]:
        """The entries of each player who entered more than once."""
        by_person: dict[int, set[EntryId]] = {}
        for entry in self.entries.values():
            by_person.setdefault(entry.player.merged_into_id or entry.player_id, set()).add(entry.pk)
        return tuple(frozenset(entries) for entries in by_person.values() if len(entries) > 1)

    @cached_property
    def _entries_with_withdrawals(self) -> list[Any]:
        """The entries, each repeated for every withdrawal after its first one."""
        rows = Entry.objects.filter(division=self.division).select_related("player__merged_into").order_by("pk")
        columns = {
            "withdrawal": F("withdrawals"),
            "withdrawn_from": F("withdrawals__bracket"),
            "left_at": F("withdrawals__at"),
            "taken_back_at": F("withdrawals__taken_back_at"),
        }
        return list(rows.annotate(**columns))

    @cached_property
    def versions(self) -> dict[int, list[MatchResult]]:
        """All versions of the result of each match, former ones included, by match and oldest first."""
        if not self._has_fixtures:
            return {}
        rows = MatchResult.objects.filter(match__parent_topic=self.division.topic).order_by("version")
        return _grouped(rows, lambda row: row.match_id)

    def versions_of(self, match: Match) -> list[MatchResult]:
        """Return the versions of the result of a match, oldest first."""
        return self.versions.get(match.pk, [])

    @cached_property
    def advances(self) -> list[Advance]:
        """Who advances by a corrected result instead of its winner. A first version corrects nothing."""
        corrected = any(len(versions) > 1 for versions in self.versions.values())
        return list(Advance.objects.filter(fixture__stage__division=self.division).order_by("pk")) if corrected else []

    @cached_property
    def former_matches(self) -> list[FormerMatch]:
        """The former matches of all fixtures, oldest first. They became void, so they have a result."""
        current = {row.match_id for rows in self.fixtures.values() for row in rows}
        if self.versions.keys() <= current:
            return []
        links = Fixture.former.through.objects.filter(fixture__stage__division=self.division).order_by("pk")
        rows = links.values_list(
            "fixture__stage", "fixture", "fixture__number", "match", "match__player_0", "match__player_1"
        )
        return [FormerMatch(*row[:4], row[4:]) for row in rows]

    @cached_property
    def paired(self) -> dict[int, list[Draw]]:
        """The published draws of rounds by stage, in the order of the rounds."""
        if not self._has_fixtures:
            return {}
        rows = Draw.objects.filter(stage__division=self.division, state=Draw.State.PUBLISHED, round__gt=0)
        return _grouped(rows.order_by("round"), lambda row: row.stage_id)

    @cached_property
    def pairings(self) -> dict[int, list[Pairing]]:
        """The pairings of the stages without rounds whose fixtures exist, by stage and in order."""
        if not any(map(is_continuous, self.stages)):
            return {}
        rows = Pairing.objects.filter(batch__stage__division=self.division, fixture__isnull=False)
        return _grouped(rows.select_related("batch").order_by("number"), lambda row: row.batch.stage_id)

    @cached_property
    def missed(self) -> dict[int, list[MissedMatch]]:
        """The matches that entries missed in stages without rounds, by stage, without those that were taken back."""
        if not any(map(is_continuous, self.stages)):
            return {}
        rows = MissedMatch.objects.filter(stage__division=self.division, taken_back_at=None)
        return _grouped(chain(rows.order_by("pk"), self._also_missed), lambda row: row.stage_id)

    @cached_property
    def kept_apart(self) -> frozenset[frozenset[EntryId]]:
        """The pairs of entries that must not meet."""
        return kept_apart(self.division)

    def fixture(self, pk: int) -> Fixture | None:
        """Return a fixture with its stage; None if the draw was taken back."""
        for stage in self.stages:
            for row in self.fixtures.get(stage.pk, ()):
                if row.pk == pk:
                    row.stage = stage
                    return row
        return None

    def lock_matches(self, fixture: Fixture) -> Match:
        """Lock what `lock_unfinished_matches` locks and the match of a fixture; return that, with its players and club.

        The division is locked, and the results have not been read yet.
        """
        assert fixture.match_id is not None  # noqa: S101, the caller has checked it
        self.locked = lock_unfinished_matches([self.division], [fixture.match_id])
        for row in chain.from_iterable(self.fixtures.values()):
            if row.match_id in self.locked:
                row.match = self.locked[row.match_id]
        match = self.locked[fixture.match_id]
        players = {entry.player_id: entry.player for entry in self.entries.values()}
        match.player_0 = players.get(match.player_0_id) or match.player_0
        match.player_1 = players.get(match.player_1_id) or match.player_1
        match.club = self.division.tournament.club
        return match

    def add_result(self, result: MatchResult) -> None:
        """Add a result that was stored since, and counts. Call it before anything is derived from the rows."""
        if (match := self.locked.get(result.match_id)) is not None:
            match.settle_at = None
        self.versions.setdefault(result.match_id, []).append(result)
        self.has_new_result = True


def _grouped(rows: Iterable[Row], key: Callable[[Row], int]) -> dict[int, list[Row]]:
    grouped: dict[int, list[Row]] = {}
    for row in rows:
        grouped.setdefault(key(row), []).append(row)
    return grouped


class StageRows:
    """The rows of a stage, converted to what the formats work with."""

    def __init__(self, stage: Stage, division_rows: DivisionRows) -> None:
        self.stage, self.of_division = stage, division_rows
        self.settings = settings_of(stage)
        self.brackets = division_rows.brackets.get(stage.pk, [])
        self.rounds = sorted(
            (row for bracket in self.brackets for row in division_rows.rounds.get(bracket.pk, ())),
            key=lambda row: row.number,
        )
        # A page reads without a lock: a pairing that came after its rounds were read, or was undone before its slots
        # were, is left out.
        known, slots = {row.pk for row in self.rounds}, division_rows.slots
        fixtures = division_rows.fixtures.get(stage.pk, ())
        self.fixtures = {row.number: row for row in fixtures if row.round_id in known and row.pk in slots}
        self.slots = {row.pk: slots[row.pk] for row in self.fixtures.values()}

    @cached_property
    def graph(self) -> plan.Graph:
        fixtures: dict[int, list[plan.Fixture]] = {}
        for fixture in self.fixtures.values():
            fixtures.setdefault(fixture.round_id, []).append(self._fixture(fixture))
        rounds: dict[int, list[plan.Round]] = {}
        for row in self.rounds:
            entrants = entrants_of(row) if row.pk in self.open_draws else ()
            round_ = plan.Round(row.number, tuple(fixtures.get(row.pk, ())), tuple(row.drops), entrants)
            rounds.setdefault(row.bracket_id, []).append(round_)
        return plan.Graph(
            tuple(plan.Bracket(row.key, tuple(rounds.get(row.pk, ())), row.fed_by or None) for row in self.brackets),
            seed=lots_seed(self.stage),
            apart=tuple(frozenset(group) for group in self.stage.apart),
            persons=self._persons(),
        )

    is_seated = False
    """Whether the places of the bracket are not those that are stored."""

    @property
    def seats(self) -> list[plan.Source]:
        """The places of the main bracket, in order."""
        (first, *_later) = self.graph.bracket(plan.MAIN).rounds
        return [source for fixture in first.fixtures for source in fixture.sources]

    def seated(self, seats: Sequence[plan.Source]) -> "StageRows":
        """Return these rows with other entrants in the places of the main bracket; nothing is stored."""
        rows = copy(self)
        rows.is_seated = True
        main, *others = self.graph.brackets
        first, *later = main.rounds
        fixtures = tuple(
            replace(fixture, sources=(seats[2 * at], seats[2 * at + 1])) for at, fixture in enumerate(first.fixtures)
        )
        main = replace(main, rounds=(replace(first, fixtures=fixtures), *later))
        rows.graph = replace(self.graph, brackets=(main, *others))
        return rows

    def _persons(self) -> tuple[frozenset[EntryId], ...]:
        """Return the entries of each player who entered again, in a division that allows it."""
        may_reenter = self.stage.division.reentry_until is not None and self.settings.format in ELIMINATION
        return self.of_division.persons if may_reenter else ()

    @cached_property
    def decided_entries(self) -> frozenset[EntryId]:
        """The entries with a result in this stage, walkovers included."""
        decided: set[tuple[int, int]] = set()
        for match in (row.match for row in self.fixtures.values()):
            versions = self.of_division.versions_of(match) if match is not None else []
            if match is not None and match.settle_at is None and versions and versions[-1].kind != VOID:
                decided |= {*zip((match.player_0_id, match.player_1_id), match.entry_numbers, strict=True)}
        entries = self.of_division.entries.values()
        return frozenset(entry.pk for entry in entries if (entry.player_id, entry.number) in decided)

    @cached_property
    def beginnings(self) -> list[tuple[datetime, tuple[int, int]]]:
        """When matches of this stage began to be played, reported or decided, and their players.

        What was taken back since is included: who goes on to the stage must not depend on that.
        """
        matches = [row.match for row in self.fixtures.values() if row.match is not None]
        players = {match.pk: (match.player_0_id, match.player_1_id) for match in matches}
        players |= {former.match: former.players for former in self.former_matches}
        decisions = [
            (match, result.at)
            for match in players
            for result in self.of_division.versions.get(match, ())
            if _is_decision(result)
        ]
        claims = Claim.objects.filter(match__in=players).values_list("match", "created_at")
        started = (
            FloorEvent.objects.filter(match__in=players, kind__in=BEGINNINGS).order_by().values_list("match", "at")
        )
        boards = LiveMatch.objects.filter(pk__in=players, begun_at__isnull=False).values_list("pk", "begun_at")
        return [(at, players[match]) for match, at in chain(decisions, claims, started, boards) if at is not None]

    @cached_property
    def open_draws(self) -> frozenset[int]:
        """The ids of rounds with late-drawn lines whose draw is still derived: nobody has reported or decided a match
        with such a line.

        After that the draw is a fact, whatever is corrected in earlier rounds or withdrawn in this one.
        """
        waiting = {row.pk for row in self.rounds if row.entrants}
        if not waiting:
            return frozenset()
        fixtures = [
            row
            for row in self.fixtures.values()
            if row.round_id in waiting and any(slot.is_seat for slot in self.slots[row.pk])
        ]
        rounds = {row.pk: row.round_id for row in fixtures}
        matches = {former.match: rounds[former.fixture] for former in self.former_matches if former.fixture in rounds}
        matches |= {row.match_id: row.round_id for row in fixtures if row.match_id}
        acted = {match for match in matches if any(map(_is_decision, self.of_division.versions.get(match, ())))}
        acted |= set(Claim.objects.filter(match__in=matches).values_list("match", flat=True))
        return frozenset(waiting - {matches[match] for match in acted})

    @cached_property
    def absences(self) -> list[Absence]:
        """The withdrawals from the division or a bracket of the stage, in the order of time."""
        own = {bracket.pk for bracket in self.brackets}
        of_brackets = [absence for bracket, absence in self.of_division.bracket_absences if bracket in own]
        return sorted([*self.of_division.absences, *of_brackets], key=lambda absence: absence.since)

    def left_after_end(self, fixtures: Iterable[plan.Fixture], entries: Collection[EntryId]) -> frozenset[EntryId]:
        """Return which of these entries withdrew after all of these matches were over; nobody while one goes on."""
        left = {absence.entry: absence.since for absence in self.absences if absence.until is None}
        matches = [self.fixtures[fixture.number].match for fixture in fixtures] if left else []
        ended = [match.finished_at for match in matches if match is not None]
        if None in ended:
            return frozenset()
        last = max((at for at in ended if at is not None), default=EARLIEST)
        return frozenset(entry for entry in entries if entry in left and left[entry] > last)

    @cached_property
    def former_matches(self) -> list[FormerMatch]:
        """The former matches of this stage, oldest first."""
        return [former for former in self.of_division.former_matches if former.stage == self.stage.pk]

    def redrawn(self, progress: Progress) -> list[tuple[Slot, plan.Source]]:
        """Return the seats of open draws whose derived source differs from the stored one, with the derived source.

        The same for the places of a bracket that are seated anew.
        """
        redrawn: list[tuple[Slot, plan.Source]] = []
        for number, fixture in self.graph.fixtures.items():
            for slot, seat in zip(self.slots[self.fixtures[number].pk], fixture.sources, strict=True):
                if not isinstance(seat, plan.DrawnSeat):
                    if self.is_seated and seat != slot_source(slot):
                        redrawn.append((slot, seat))
                    continue
                order = progress.drawn.get((seat.bracket, seat.round))
                entrants = self.graph.round_of[number].entrants
                drawn = seat if order is None else entrants[order[seat.number - 1]]
                if drawn != slot_source(slot):
                    redrawn.append((slot, drawn))
        return redrawn

    def _fixture(self, row: Fixture) -> plan.Fixture:
        first, second = (self._source(slot) for slot in self.slots[row.pk])
        condition = None
        if row.needed_if_fixture is not None and row.needed_if_slot is not None:
            condition = plan.NeededIf(row.needed_if_fixture, row.needed_if_slot)
        return plan.Fixture(row.number, (first, second), condition)

    def _source(self, slot: Slot) -> plan.Source:
        if slot.round_id in self.open_draws and slot.is_seat:
            return seat_of(slot.source_stage, slot.source_place or 0)
        return slot_source(slot)

    @cached_property
    def results(self) -> dict[int, Result]:
        """The standing result of each fixture, by number, without those that still wait for `Match.settle_at`."""
        counted: dict[int, MatchResult] = {}
        for number, row in self.fixtures.items():
            if row.match is not None and row.match.settle_at is not None:
                continue
            versions = self.of_division.versions.get(row.match_id or 0)
            if versions and row.match_id not in self.of_division.reopened and versions[-1].kind != VOID:
                counted[number] = versions[-1]
        kept = {advance.result_id: advance for advance in self.of_division.advances}
        results = {}
        for number, result in counted.items():
            first, second = (slot.entry_id or slot.absent_id for slot in self.slots[self.fixtures[number].pk])
            between = (first, second) if first is not None and second is not None else None
            results[number] = outcome(result, between, kept=kept)
        return results

    @cached_property
    def former_results(self) -> dict[int, list[tuple[int, Result]]]:
        """Matches that were voided because the players of their fixture changed, each with the result that counts
        again if the same two meet there, by fixture number and oldest first.
        """
        by_player: dict[int, list[EntryId]] = {}
        if self.former_matches:
            for entry in self.of_division.entries.values():
                by_player.setdefault(entry.player_id, []).append(entry.pk)
        kept = {advance.result_id: advance for advance in self.of_division.advances}
        results: dict[int, list[tuple[int, Result]]] = {}
        for former in self.former_matches:
            played = [row for row in self.of_division.versions.get(former.match, ()) if row.kind != VOID]
            if played:
                pairs = product(*(by_player[player] for player in former.players))
                outcomes = (outcome(played[-1], (first, second), kept=kept) for first, second in pairs)
                standing = [
                    (former.match, row) for row in outcomes if self.is_founded(played[-1], former.number, row.between)
                ]
                results.setdefault(former.number, []).extend(standing)
        return results

    def is_founded(self, result: MatchResult, number: int, between: tuple[EntryId, EntryId] | None) -> bool:
        """Whether what a result followed from still holds: its losers have left, or the time for the match was over.

        In rounds paired one by one, a match stays lost although its loser comes back.
        """
        if result.source == MatchResult.Source.DEADLINE:
            due_at = self.fixtures[number].due_at
            return due_at is not None and due_at <= result.at
        if result.source != MatchResult.Source.FORMAT or self.settings.format in BY_ROUND:
            return True
        here = (None, self.graph.bracket_of[number])
        gone = {item.entry for item in self._withdrawals if item.bracket in here}
        return between is not None and all(between[side] in gone for side in outcome(result, between).losing_slots)

    def withdrawals(self) -> list[Withdrawal]:
        return self._withdrawals

    @cached_property
    def _withdrawals(self) -> list[Withdrawal]:
        keys = {bracket.pk: bracket.key for bracket in self.brackets}
        stored = [
            Withdrawal(entry, None if bracket is None else keys[bracket])
            for entry, bracket in self.of_division.withdrawals
            if bracket is None or bracket in keys
        ]
        return [*stored, *(Withdrawal(entry, None) for entry in self.of_division.withdrawn)]

    @property
    def pairings(self) -> list[Pairing]:
        """The pairings of a stage without rounds, in order, with those that were taken back.

        Pages read without a lock: a pairing that was made since the fixtures were read is left out.
        """
        return [row for row in self.of_division.pairings.get(self.stage.pk, ()) if row.number in self.fixtures]

    def not_standing(self, field: Collection[EntryId] | None) -> dict[int, Pairing.TakenBack]:
        """Return by number why pairings of a stage without rounds do not stand if this is its `field`, None: everybody.

        When a correction of the stage before gives somebody else a place, the pairings of whoever had it do not stand,
        even those that were played. They stand again once both players have their places again, unless one of them has
        begun another match meanwhile; what was paired for them meanwhile is then taken back.
        """
        taken_back = Pairing.TakenBack
        reasons = {row.number: taken_back(row.taken_back) for row in self.pairings if row.taken_back}
        for row in self.pairings:
            is_inside = field is None or (row.first_id in field and row.second_id in field)
            if not row.taken_back and not is_inside:
                reasons[row.number] = taken_back.REPLACED
            elif row.taken_back == taken_back.REPLACED and is_inside:
                since = self.paired_since(row)
                if self.begun.isdisjoint(other.number for other in since):
                    del reasons[row.number]
                    reasons |= {other.number: taken_back.CORRECTION for other in since}
                else:
                    reasons[row.number] = taken_back.CORRECTION
        return reasons

    def paired_since(self, pairing: Pairing) -> list[Pairing]:
        """Return the pairings of the two of a pairing that was taken back which were made since, and stand."""
        both, at = {pairing.first_id, pairing.second_id}, pairing.taken_back_at
        return [
            row
            for row in self.pairings
            if not row.taken_back and at is not None and row.batch.at >= at and both & {row.first_id, row.second_id}
        ]

    @cached_property
    def missed(self) -> Counter[EntryId]:
        """Entry -> the matches that it missed in a stage without rounds."""
        missed: Counter[EntryId] = Counter()
        for row in self.of_division.missed.get(self.stage.pk, ()):
            missed[row.entry_id] += row.count
        return missed

    @cached_property
    def lives_missed(self) -> dict[EntryId, int]:
        """Entry -> the lives that missed matches cost it in a stage without rounds."""
        in_turn, by_lot = Counter[EntryId](), Counter[EntryId]()
        for row in self.of_division.missed.get(self.stage.pk, ()):
            (by_lot if row.by_lot else in_turn)[row.entry_id] += row.count
        seed, persons = bytes.fromhex(self.stage.seed), self.of_division.persons
        first = {entry: min(person) for person in persons for entry in person}
        return {
            entry: lives_for_missed(in_turn[entry], by_lot[entry], seed=seed, person=first.get(entry, entry))
            for entry in (in_turn | by_lot)
        }

    @cached_property
    def begun(self) -> frozenset[int]:
        """The numbers of the fixtures whose matches have begun or are reported."""
        matches = {number: row.match for number, row in self.fixtures.items() if row.match is not None}
        left = (Match.State.OPEN, Match.State.LIVE, Match.State.VOID)
        return frozenset(number for number, row in matches.items() if has_begun(row) or row.state not in left)

    def progress(
        self,
        places: Places | None = None,
        overrides: Mapping[int, Result] | None = None,
        *,
        field: Collection[EntryId] | None = None,
    ) -> Progress:
        """Derive the state of every fixture from the facts.

        `places` are the known places of earlier stages. `overrides` replaces standing results, by fixture number.
        `field` is who has a place in a stage without rounds, None if that is everybody.
        """
        results = {**self.results, **(overrides or {})}
        former = {number: [result for _, result in rows] for number, rows in self.former_results.items()}
        state = progress_of(self.graph, results, self._withdrawals, places, turn=False, former=former)
        if self.settings.is_continuous:
            return without_spent_pairings(
                state,
                taken_back=self.not_standing(field),
                field=field,
                begun=self.begun,
                gone={item.entry for item in self._withdrawals},
                lives=self.settings.lives if self.settings.format == LIVES else None,
                missed=self.lives_missed,
            )
        state = without_stopped(state, self.stage.settings.get(STOPPED, ()))
        return without_spent_lives(state, self.settings.lives) if self.settings.format == LIVES else state


def _is_decision(result: MatchResult) -> bool:
    """Whether a version is a decision of a person, and not of the system."""
    return result.kind != VOID and result.source != MatchResult.Source.FORMAT


def kept_places_of(advance: Advance) -> dict[PlaceOf, EntryId | None]:
    """Return the places that were kept when a result was corrected."""
    return {PlaceOf(stage, place): entry for stage, place, entry in advance.places}


def outcome(
    result: MatchResult, between: tuple[EntryId, EntryId] | None, *, kept: Mapping[int, Advance] | None = None
) -> Result:
    """Convert a version of a match's result for the formats; `kept` has what was kept with it, by result id."""
    kind = UNPLAYED.get(MatchResult.Kind(result.kind), PLAYED)
    advance = (kept or {}).get(result.pk)
    if advance is None:
        return Result(result.winner, result.score, kind, between)
    side = NOBODY if advance.side is None else advance.side
    advances = None if advance.side == result.winner else side
    return Result(result.winner, result.score, kind, between, advances, tuple(kept_places_of(advance).items()))
