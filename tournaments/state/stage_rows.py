"""Reading a stage: its rows, and the plan, results and withdrawals that the formats derive its state from."""

from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import product

from django.db.models import Q

from matches.models import Claim
from matches.models import Result as MatchResult
from tournaments.formats import graph as plan
from tournaments.formats.facts import DOUBLE_FORFEIT, FORFEIT, NOBODY, PLAYED, Result, Withdrawal
from tournaments.formats.graph import EntryId, PlaceOf
from tournaments.formats.progress import Progress
from tournaments.formats.progress import progress as progress_of
from tournaments.formats.settings import ELIMINATION, LIVES
from tournaments.formats.swiss.spent_lives import without_spent_lives
from tournaments.models import Advance, Fixture, Round, Slot, Stage
from tournaments.models import Withdrawal as WithdrawalRow
from tournaments.state.lots import lots_seed
from tournaments.state.plans import Places, entrants_of, seat_of, settings_of, slot_source

UNPLAYED = {
    MatchResult.Kind.WALKOVER: FORFEIT,
    MatchResult.Kind.FORFEIT: FORFEIT,
    MatchResult.Kind.DOUBLE_FORFEIT: DOUBLE_FORFEIT,
}
"""Kinds of result without play, as the formats name them; every other kind was played."""


class StageRows:
    """The rows of a stage, read in a handful of queries and converted to what the formats work with.

    Each fact is read once, on first access. To see later changes, create a new instance.
    """

    def __init__(
        self,
        stage: Stage,
        *,
        taken_back: Collection[int] = (),
        reopened: Collection[int] = (),
        withdrawn: Collection[EntryId] = (),
    ) -> None:
        """Read the rows.

        For previews, ignore the withdrawals with ids in `taken_back` and the results of matches with ids in `reopened`,
        and take the entries in `withdrawn` as withdrawn from the division.
        """
        self.stage = stage
        self._withdrawn = withdrawn
        self._taken_back, self._reopened = frozenset(taken_back), frozenset(reopened)
        self.settings = settings_of(stage)
        self.brackets = list(stage.brackets.all())
        self.rounds = list(Round.objects.filter(bracket__stage=stage).order_by("number"))
        self.fixtures = {row.number: row for row in stage.fixtures.select_related("match").order_by("number")}
        self.kept_places: dict[PlaceOf, EntryId | None] = {}
        """Places that were kept when a result of this stage was corrected; filled when `results` is read."""
        self.slots: dict[int, list[Slot]] = {}
        for slot in Slot.objects.filter(fixture__stage=stage).order_by("side"):
            self.slots.setdefault(slot.fixture_id, []).append(slot)

    @cached_property
    def graph(self) -> plan.Graph:
        """The plan of the stage."""
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

    def _persons(self) -> tuple[frozenset[EntryId], ...]:
        """Return the entries of each player who entered again, in a division that allows it."""
        if self.stage.division.reentry_until is None or self.settings.format not in ELIMINATION:
            return ()
        by_person: dict[int, set[EntryId]] = {}
        rows = self.stage.division.entries.values_list("pk", "player", "player__merged_into")
        for entry, player, merged_into in rows:
            by_person.setdefault(merged_into or player, set()).add(entry)
        return tuple(frozenset(entries) for entries in by_person.values() if len(entries) > 1)

    @cached_property
    def open_draws(self) -> frozenset[int]:
        """The ids of late-drawn rounds whose draw is still derived: nobody has reported or decided anything in them.

        After that the draw is a fact, whatever is corrected in earlier rounds or withdrawn in this one.
        """
        waiting = {row.pk for row in self.rounds if row.entrants}
        if not waiting:
            return frozenset()
        rounds = {row.pk: row.round_id for row in self.fixtures.values() if row.round_id in waiting}
        through = Fixture.former.through.objects.filter(fixture__in=rounds)
        matches = dict(through.values_list("match", "fixture__round"))
        matches |= {row.match_id: row.round_id for row in self.fixtures.values() if row.pk in rounds and row.match_id}
        by_system = Q(kind=MatchResult.Kind.VOID) | Q(source=MatchResult.Source.FORMAT)
        acted = set(MatchResult.objects.filter(match__in=matches).exclude(by_system).values_list("match", flat=True))
        acted |= set(Claim.objects.filter(match__in=matches).values_list("match", flat=True))
        return frozenset(waiting - {matches[match] for match in acted})

    def redrawn(self, progress: Progress) -> list[tuple[Slot, plan.Source]]:
        """Return the seats of open draws whose derived source differs from the stored one, with the derived source."""
        redrawn: list[tuple[Slot, plan.Source]] = []
        for number, fixture in self.graph.fixtures.items():
            for slot, seat in zip(self.slots[self.fixtures[number].pk], fixture.sources, strict=True):
                if not isinstance(seat, plan.Seat):
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
        """The standing result of each fixture, by number."""
        matches = {
            row.match_id: number
            for number, row in self.fixtures.items()
            if row.match_id is not None and row.match_id not in self._reopened
        }
        standing: dict[int, MatchResult] = {}
        for result in MatchResult.objects.filter(match__in=matches).order_by("version"):
            standing[result.match_id] = result
        counted = [result for result in standing.values() if result.kind != MatchResult.Kind.VOID]
        kept = {}
        for advance in Advance.objects.filter(result__in=counted).order_by("pk"):
            kept[advance.result_id] = advance.side
            self.kept_places |= kept_places_of(advance)
        results = {}
        for result in counted:
            number = matches[result.match_id]
            slots = self.slots[self.fixtures[number].pk]
            first, second = (slot.entry_id or slot.absent_id for slot in slots)
            between = (first, second) if first is not None and second is not None else None
            results[number] = outcome(result, between, kept=kept)
        return results

    @cached_property
    def former_results(self) -> dict[int, list[Result]]:
        """Results that were voided because the players of their fixture changed, by fixture number, oldest first."""
        through = Fixture.former.through.objects.filter(fixture__stage=self.stage)
        links = list(through.order_by("pk").values_list("fixture__number", "match_id"))
        if not links:
            return {}
        played: dict[int, MatchResult] = {}
        rows = MatchResult.objects.filter(match__in=[match for _, match in links]).exclude(kind=MatchResult.Kind.VOID)
        for result in rows.select_related("match").order_by("version"):
            played[result.match_id] = result
        by_player: dict[int, list[EntryId]] = {}
        for player, entry in self.stage.division.entries.order_by("pk").values_list("player", "pk"):
            by_player.setdefault(player, []).append(entry)
        kept = dict(Advance.objects.filter(result__in=played.values()).values_list("result", "side"))
        former: dict[int, list[Result]] = {}
        for number, match in links:
            if (voided := played.get(match)) is not None:
                pairs = product(by_player[voided.match.player_0_id], by_player[voided.match.player_1_id])
                former.setdefault(number, []).extend(outcome(voided, between, kept=kept) for between in pairs)
        return former

    def withdrawals(self) -> list[Withdrawal]:
        """Return the withdrawals that count."""
        return self._withdrawals

    @cached_property
    def _withdrawals(self) -> list[Withdrawal]:
        keys = {bracket.pk: bracket.key for bracket in self.brackets}
        rows = WithdrawalRow.objects.filter(entry__division=self.stage.division_id, taken_back_at=None)
        rows = rows.exclude(pk__in=self._taken_back)
        stored = [
            Withdrawal(row.entry_id, keys.get(row.bracket_id) if row.bracket_id else None)
            for row in rows
            if row.bracket_id is None or row.bracket_id in keys
        ]
        return [*stored, *(Withdrawal(entry, None) for entry in self._withdrawn)]

    def progress(self, places: Places | None = None, instead: Mapping[int, Result] | None = None) -> Progress:
        """Derive the state of every fixture from the facts.

        `places` are the known places of earlier stages. `instead` replaces standing results, by fixture number.
        """
        results = {**self.results, **(instead or {})}
        state = progress_of(self.graph, results, self._withdrawals, places, turn=False, former=self.former_results)
        return without_spent_lives(state, self.settings.lives) if self.settings.format == LIVES else state


def kept_places_of(advance: Advance) -> dict[PlaceOf, EntryId | None]:
    """Return the places that were kept when a result was corrected."""
    return {PlaceOf(stage, place): entry for stage, place, entry in advance.places}


def outcome(
    result: MatchResult, between: tuple[EntryId, EntryId] | None, *, kept: Mapping[int, int | None] | None = None
) -> Result:
    """Convert a version of a match's result for the formats; `kept` has the side that advances, by result id."""
    kind = UNPLAYED.get(MatchResult.Kind(result.kind), PLAYED)
    advances = None
    if kept is not None and result.pk in kept:
        side = kept[result.pk]
        advances = NOBODY if side is None else side
    return Result(result.winner, result.score, kind, between, advances)
