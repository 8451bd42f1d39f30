"""Between the rows of a stage and the pure graph that formats speak of; entries go by their primary keys."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from matches.models import Result as MatchResult
from tournaments.formats import graph as plan
from tournaments.formats.progress import FORFEIT, PLAYED, Progress, Result, Withdrawal
from tournaments.formats.progress import progress as progress_of
from tournaments.models import Bracket, Fixture, Round, Slot, Stage
from tournaments.models import Withdrawal as WithdrawalRow


def store(
    stage: Stage, graph: plan.Graph, *, lengths: Iterable[int], deadlines: Mapping[int, datetime] | None = None
) -> None:
    """Writes the plan of a stage. `lengths` are the match lengths by round; the last one goes on."""
    by_round = list(lengths)
    for order, bracket in enumerate(graph.brackets):
        row = Bracket.objects.create(stage=stage, key=bracket.key, order=order, fed_by=bracket.fed_by or "")
        for round_ in bracket.rounds:
            length = by_round[min(round_.number, len(by_round)) - 1]
            deadline = (deadlines or {}).get(round_.number)
            stored = Round.objects.create(
                bracket=row, number=round_.number, length=length, deadline=deadline, drops=list(round_.drops)
            )
            _store_fixtures(stage, stored, round_.fixtures)


def _store_fixtures(stage: Stage, round_: Round, fixtures: Iterable[plan.Fixture]) -> None:
    pairs = [
        (
            Fixture(
                stage=stage,
                round=round_,
                number=fixture.number,
                needed_if_fixture=fixture.needed_if.fixture if fixture.needed_if else None,
                needed_if_slot=fixture.needed_if.slot if fixture.needed_if else None,
                due_at=round_.deadline,
            ),
            fixture.sources,
        )
        for fixture in fixtures
    ]
    Fixture.objects.bulk_create([row for row, _ in pairs])
    Slot.objects.bulk_create(
        [
            Slot(fixture=row, side=side, round=round_, **_source_fields(source))
            for row, sources in pairs
            for side, source in enumerate(sources)
        ]
    )


def _source_fields(source: plan.Source) -> dict[str, object]:
    match source:
        case plan.EntrySource(entry):
            return {"source": Slot.Source.ENTRY, "source_entry_id": entry}
        case plan.WinnerOf(fixture):
            return {"source": Slot.Source.WINNER, "source_fixture": fixture}
        case plan.LoserOf(fixture):
            return {"source": Slot.Source.LOSER, "source_fixture": fixture}
        case plan.PlaceOf(stage, place):
            return {"source": Slot.Source.PLACE, "source_stage": stage, "source_place": place}
    return {"source": Slot.Source.BYE}


def _source_of(slot: Slot) -> plan.Source:
    if slot.source == Slot.Source.ENTRY and slot.source_entry_id is not None:
        return plan.EntrySource(slot.source_entry_id)
    if slot.source == Slot.Source.PLACE and slot.source_place is not None:
        return plan.PlaceOf(slot.source_stage, slot.source_place)
    if slot.source_fixture is not None:
        kind = plan.WinnerOf if slot.source == Slot.Source.WINNER else plan.LoserOf
        return kind(slot.source_fixture)
    return plan.BYE


class StageRows:
    """All rows of a stage, read in a handful of queries, and what the formats make of them."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.brackets = list(stage.brackets.all())
        self.rounds = list(Round.objects.filter(bracket__stage=stage).order_by("number"))
        self.fixtures = {row.number: row for row in stage.fixtures.select_related("match").order_by("number")}
        self.slots: dict[int, list[Slot]] = {}
        for slot in Slot.objects.filter(fixture__stage=stage).order_by("side"):
            self.slots.setdefault(slot.fixture_id, []).append(slot)

    @property
    def graph(self) -> plan.Graph:
        """The plan."""
        fixtures: dict[int, list[plan.Fixture]] = {}
        for fixture in self.fixtures.values():
            fixtures.setdefault(fixture.round_id, []).append(self._fixture(fixture))
        rounds: dict[int, list[plan.Round]] = {}
        for row in self.rounds:
            round_ = plan.Round(row.number, tuple(fixtures.get(row.pk, ())), tuple(row.drops))
            rounds.setdefault(row.bracket_id, []).append(round_)
        return plan.Graph(
            tuple(plan.Bracket(row.key, tuple(rounds.get(row.pk, ())), row.fed_by or None) for row in self.brackets)
        )

    def _fixture(self, row: Fixture) -> plan.Fixture:
        first, second = (_source_of(slot) for slot in self.slots[row.pk])
        condition = None
        if row.needed_if_fixture is not None and row.needed_if_slot is not None:
            condition = plan.NeededIf(row.needed_if_fixture, row.needed_if_slot)
        return plan.Fixture(row.number, (first, second), condition)

    def results(self) -> dict[int, Result]:
        """The standing result of each fixture, as the formats read it."""
        matches = {row.match_id: number for number, row in self.fixtures.items() if row.match_id is not None}
        standing: dict[int, MatchResult] = {}
        for result in MatchResult.objects.filter(match__in=matches).order_by("version"):
            standing[result.match_id] = result
        return {
            matches[match]: self._result(matches[match], result)
            for match, result in standing.items()
            if result.kind != MatchResult.Kind.VOID
        }

    def _result(self, number: int, result: MatchResult) -> Result:
        first, second = (slot.entry_id or slot.absent_id for slot in self.slots[self.fixtures[number].pk])
        between = (first, second) if first is not None and second is not None else None
        kind = PLAYED if result.score is not None and result.kind == MatchResult.Kind.PLAYED else FORFEIT
        return Result(result.winner, result.score, kind, between)

    def withdrawals(self) -> list[Withdrawal]:
        """Who comes no more."""
        keys = {bracket.pk: bracket.key for bracket in self.brackets}
        rows = WithdrawalRow.objects.filter(entry__division=self.stage.division_id, taken_back_at=None)
        return [
            Withdrawal(row.entry_id, keys.get(row.bracket_id) if row.bracket_id else None)
            for row in rows
            if row.bracket_id is None or row.bracket_id in keys
        ]

    def progress(self) -> Progress:
        """Where everything stands, derived anew from the facts."""
        return progress_of(self.graph, self.results(), self.withdrawals())
