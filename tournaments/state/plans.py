"""Between the rows of a stage and what the pure formats speak of; entries go by their primary keys."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q

from matches.models import Claim
from matches.models import Result as MatchResult
from tournaments.formats import graph as plan
from tournaments.formats.blueprint import lengths_of
from tournaments.formats.graph import EntryId, PlaceOf
from tournaments.formats.progress import DOUBLE_FORFEIT, FORFEIT, NOBODY, PLAYED, Progress, Result, Withdrawal
from tournaments.formats.progress import progress as progress_of
from tournaments.formats.settings import LEAGUE, LIVES, StageSettings
from tournaments.formats.swiss.spent_lives import without_spent_lives
from tournaments.models import Advance, Bracket, Fixture, Round, Slot, Stage
from tournaments.models import Withdrawal as WithdrawalRow
from tournaments.state.lots import lots_seed

Places = Mapping[PlaceOf, EntryId | None]

UNPLAYED = {
    MatchResult.Kind.WALKOVER: FORFEIT,
    MatchResult.Kind.FORFEIT: FORFEIT,
    MatchResult.Kind.DOUBLE_FORFEIT: DOUBLE_FORFEIT,
}
"""Kinds of ending without a match, as tables count them; every other one was played."""

LATER_BY = {plan.CONSOLATION: 1, plan.LOWER: 1, plan.LAST_CHANCE: 2}
"""How many rounds of the main draw are over before the first round of this bracket can be played."""


def settings_of(stage: Stage) -> StageSettings:
    """What the director chose for a stage."""
    return StageSettings.of(stage.format, stage.settings)


def store_settings(stage: Stage, settings: StageSettings) -> None:
    """Writes what the director chose; the deadlines of the rounds, kept beside it, stay."""
    kept = {name: value for name, value in stage.settings.items() if name == "deadlines"}
    stage.format, stage.settings = settings.format, {**kept, **settings.as_data()}
    stage.save(update_fields=["format", "settings"])


def deadline_of(key: str, number: int, deadlines: Sequence[datetime | None]) -> datetime | None:
    """When a round ends; `deadlines` are those of the main draw from its first round on."""
    at = number - 1 + LATER_BY.get(key, 0)
    return deadlines[at] if key != plan.FINAL and at < len(deadlines) else None


def season_end(stage: Stage) -> datetime | None:
    """The instant at which a league is over: the end of its last day where the event is; None without such a day."""
    settings = settings_of(stage)
    if settings.format != LEAGUE or not settings.until:
        return None
    day_after = date.fromisoformat(settings.until) + timedelta(days=1)
    return datetime.combine(day_after, time(), ZoneInfo(stage.division.tournament.time_zone))


def store(
    stage: Stage, graph: plan.Graph, *, lengths: Sequence[int], deadlines: Sequence[datetime | None] = ()
) -> None:
    """Writes the plan of a stage. `lengths` are the division's match lengths by round, where the stage has no own."""
    settings = settings_of(stage)
    season = season_end(stage)
    for order, bracket in enumerate(graph.brackets):
        row = Bracket.objects.create(stage=stage, key=bracket.key, order=order, fed_by=bracket.fed_by or "")
        by_round = lengths_of(settings, bracket.key, lengths)
        for round_ in bracket.rounds:
            deadline = season or deadline_of(bracket.key, round_.number, deadlines)
            store_round(row, round_, lengths=by_round, deadline=deadline)


def store_round(
    bracket: Bracket,
    round_: plan.Round,
    *,
    lengths: Sequence[int],
    deadline: datetime | None = None,
    once_each: bool = True,
) -> Round:
    """Writes one round of a plan; the last of `lengths` goes on. With `once_each` nobody plays twice in it."""
    stored = Round.objects.create(
        bracket=bracket,
        number=round_.number,
        length=lengths[min(round_.number, len(lengths)) - 1],
        deadline=deadline,
        drops=list(round_.drops),
        entrants=entrants_as_data(round_.entrants),
    )
    _store_fixtures(bracket.stage, stored, round_.fixtures, once_each=once_each)
    return stored


def _store_fixtures(stage: Stage, round_: Round, fixtures: Iterable[plan.Fixture], *, once_each: bool) -> None:
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
            Slot(fixture=row, side=side, round=round_, live=once_each, **source_fields(source))
            for row, sources in pairs
            for side, source in enumerate(sources)
        ]
    )


def entrants_as_data(entrants: Iterable[plan.Source]) -> list[tuple[str, int]]:
    """The entrants of a round that is drawn once they are known, as its row keeps them."""
    return [(one.kind, one.fixture) for one in entrants if isinstance(one, plan.WinnerOf | plan.LoserOf)]


def _entrants_of(round_: Round) -> tuple[plan.Source, ...]:
    return tuple(
        plan.WinnerOf(fixture) if kind == plan.WinnerOf.kind else plan.LoserOf(fixture)
        for kind, fixture in round_.entrants
    )


def set_source(slot: Slot, source: plan.Source) -> None:
    """Changes where the entrant of a slot comes from."""
    fields: dict[str, object] = {
        "source_entry_id": None,
        "source_fixture": None,
        "source_stage": "",
        "source_place": None,
        **source_fields(source),
    }
    for name, value in fields.items():
        setattr(slot, name, value)
    slot.save(update_fields=["source", "source_entry", "source_fixture", "source_stage", "source_place"])


def set_drawn(slot: Slot, source: plan.Source) -> None:
    """Writes to whom a seat was drawn, or that it is still to be drawn; it stays a seat."""
    slot.source = Slot.Source(source.kind)
    slot.source_fixture = getattr(source, "fixture", None)
    slot.save(update_fields=["source", "source_fixture"])


def source_fields(source: plan.Source) -> dict[str, Any]:
    """The columns of a slot that has this source; what is not named is empty."""
    match source:
        case plan.EntrySource(entry):
            return {"source": Slot.Source.ENTRY, "source_entry_id": entry}
        case plan.WinnerOf(fixture):
            return {"source": Slot.Source.WINNER, "source_fixture": fixture}
        case plan.LoserOf(fixture):
            return {"source": Slot.Source.LOSER, "source_fixture": fixture}
        case plan.PlaceOf(stage, place):
            return {"source": Slot.Source.PLACE, "source_stage": stage, "source_place": place}
        case plan.Seat(bracket, round_, number):
            return {"source": Slot.Source.DRAWN, "source_stage": f"{bracket}:{round_}", "source_place": number}
    return {"source": Slot.Source.BYE}


def source_of(kind: str, entry: int | None, fixture: int | None, stage: str, place: int | None) -> plan.Source:
    """The source of a slot from the columns of its row; of a seat the one that was drawn, if it was."""
    if kind == Slot.Source.ENTRY and entry is not None:
        return plan.EntrySource(entry)
    if kind == Slot.Source.PLACE and place is not None:
        return plan.PlaceOf(stage, place)
    if kind == Slot.Source.DRAWN and place is not None:
        return _seat(stage, place)
    if fixture is not None:
        return plan.WinnerOf(fixture) if kind == Slot.Source.WINNER else plan.LoserOf(fixture)
    return plan.BYE


def _seat(round_: str, number: int) -> plan.Seat:
    bracket, _colon, round_number = round_.rpartition(":")
    return plan.Seat(bracket, int(round_number), number)


def _source_of(slot: Slot) -> plan.Source:
    return source_of(slot.source, slot.source_entry_id, slot.source_fixture, slot.source_stage, slot.source_place)


class StageRows:
    """All rows of a stage, read in a handful of queries, and what the formats make of them.

    Each fact is read once, when it is first asked for: to see what was written since, make another.
    """

    def __init__(self, stage: Stage, *, taken_back: Collection[int] = (), reopened: Collection[int] = ()) -> None:
        """To think of: withdrawals with the keys `taken_back` and results of the matches `reopened` do not count."""
        self.stage = stage
        self._taken_back, self._reopened = frozenset(taken_back), frozenset(reopened)
        self.settings = settings_of(stage)
        self.brackets = list(stage.brackets.all())
        self.rounds = list(Round.objects.filter(bracket__stage=stage).order_by("number"))
        self.fixtures = {row.number: row for row in stage.fixtures.select_related("match").order_by("number")}
        self.held: dict[PlaceOf, EntryId | None] = {}
        """Places that were kept when a result of this stage was corrected; known once the results are read."""
        self.slots: dict[int, list[Slot]] = {}
        for slot in Slot.objects.filter(fixture__stage=stage).order_by("side"):
            self.slots.setdefault(slot.fixture_id, []).append(slot)

    @cached_property
    def graph(self) -> plan.Graph:
        """The plan."""
        fixtures: dict[int, list[plan.Fixture]] = {}
        for fixture in self.fixtures.values():
            fixtures.setdefault(fixture.round_id, []).append(self._fixture(fixture))
        rounds: dict[int, list[plan.Round]] = {}
        for row in self.rounds:
            entrants = _entrants_of(row) if row.pk in self.open_draws else ()
            round_ = plan.Round(row.number, tuple(fixtures.get(row.pk, ())), tuple(row.drops), entrants)
            rounds.setdefault(row.bracket_id, []).append(round_)
        return plan.Graph(
            tuple(plan.Bracket(row.key, tuple(rounds.get(row.pk, ())), row.fed_by or None) for row in self.brackets),
            seed=lots_seed(self.stage),
            apart=tuple(frozenset(group) for group in self.stage.apart),
        )

    @cached_property
    def open_draws(self) -> frozenset[int]:
        """Rounds whose draw still follows the facts: nothing has been reported or decided in them by anybody.

        From then on their draw is a fact itself, whatever is corrected before them or taken back in them.
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
        """The seats whose draw, where it is open, is not what is stored: whom each goes to, or that it is undrawn."""
        found: list[tuple[Slot, plan.Source]] = []
        for number, fixture in self.graph.fixtures.items():
            for slot, seat in zip(self.slots[self.fixtures[number].pk], fixture.sources, strict=True):
                if not isinstance(seat, plan.Seat):
                    continue
                order = progress.drawn.get((seat.bracket, seat.round))
                entrants = self.graph.round_of[number].entrants
                drawn = seat if order is None else entrants[order[seat.number - 1]]
                if drawn != _source_of(slot):
                    found.append((slot, drawn))
        return found

    def _fixture(self, row: Fixture) -> plan.Fixture:
        first, second = (self._source(slot) for slot in self.slots[row.pk])
        condition = None
        if row.needed_if_fixture is not None and row.needed_if_slot is not None:
            condition = plan.NeededIf(row.needed_if_fixture, row.needed_if_slot)
        return plan.Fixture(row.number, (first, second), condition)

    def _source(self, slot: Slot) -> plan.Source:
        if slot.round_id in self.open_draws and slot.is_seat:
            return _seat(slot.source_stage, slot.source_place or 0)
        return _source_of(slot)

    @cached_property
    def results(self) -> dict[int, Result]:
        """The standing result of each fixture, as the formats read it."""
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
            self.held |= held_places(advance)
        found = {}
        for result in counted:
            number = matches[result.match_id]
            slots = self.slots[self.fixtures[number].pk]
            first, second = (slot.entry_id or slot.absent_id for slot in slots)
            between = (first, second) if first is not None and second is not None else None
            found[number] = outcome(result, between, kept=kept)
        return found

    @cached_property
    def former_results(self) -> dict[int, list[Result]]:
        """Results that became void because other players came to stand in their fixture, by its number, in order."""
        through = Fixture.former.through.objects.filter(fixture__stage=self.stage)
        links = list(through.order_by("pk").values_list("fixture__number", "match_id"))
        if not links:
            return {}
        played: dict[int, MatchResult] = {}
        rows = MatchResult.objects.filter(match__in=[match for _, match in links]).exclude(kind=MatchResult.Kind.VOID)
        for result in rows.select_related("match").order_by("version"):
            played[result.match_id] = result
        by_player = dict(self.stage.division.entries.order_by("entered_at", "pk").values_list("player", "pk"))
        kept = dict(Advance.objects.filter(result__in=played.values()).values_list("result", "side"))
        found: dict[int, list[Result]] = {}
        for number, match in links:
            if (voided := played.get(match)) is not None:
                between = (by_player[voided.match.player_0_id], by_player[voided.match.player_1_id])
                found.setdefault(number, []).append(outcome(voided, between, kept=kept))
        return found

    def withdrawals(self) -> list[Withdrawal]:
        """Who comes no more."""
        return self._withdrawals

    @cached_property
    def _withdrawals(self) -> list[Withdrawal]:
        keys = {bracket.pk: bracket.key for bracket in self.brackets}
        rows = WithdrawalRow.objects.filter(entry__division=self.stage.division_id, taken_back_at=None)
        rows = rows.exclude(pk__in=self._taken_back)
        return [
            Withdrawal(row.entry_id, keys.get(row.bracket_id) if row.bracket_id else None)
            for row in rows
            if row.bracket_id is None or row.bracket_id in keys
        ]

    def progress(self, places: Places | None = None, instead: Mapping[int, Result] | None = None) -> Progress:
        """Where everything stands, derived anew from the facts.

        `places` are those of earlier stages as far as they are known; `instead` are results to be thought of in place
        of the standing ones, by number.
        """
        results = {**self.results, **(instead or {})}
        state = progress_of(self.graph, results, self._withdrawals, places, turn=False, former=self.former_results)
        return without_spent_lives(state, self.settings.lives) if self.settings.format == LIVES else state


def held_places(advance: Advance) -> dict[PlaceOf, EntryId | None]:
    """The places that were kept with a corrected result."""
    return {PlaceOf(stage, place): entry for stage, place, entry in advance.places}


def outcome(
    result: MatchResult, between: tuple[EntryId, EntryId] | None, *, kept: Mapping[int, int | None] | None = None
) -> Result:
    """A version of a match's result as the formats read it; `kept` says who goes on all the same, by version."""
    kind = UNPLAYED.get(MatchResult.Kind(result.kind), PLAYED)
    advances = None
    if kept is not None and result.pk in kept:
        side = kept[result.pk]
        advances = NOBODY if side is None else side
    return Result(result.winner, result.score, kind, between, advances)
