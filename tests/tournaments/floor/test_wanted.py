"""One person in several events: side events come last, and wait for a match of better rank that is about to begin."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from formats.settings import KNOCKOUT, StageSettings
from matches.lifecycle.finish import ResultInput
from matches.play.watching import where_of
from matches.presentation.visibility import NOBODY
from matches.reporting.calendars import match_events
from players.access import Role
from players.actors import Actor
from players.models import Player
from players.people.rows import PersonId
from tests.event_cast import NOON
from tests.tournaments.floor.facts import BOB, CAROL, ERIN, FRANK, NOW, Facts, codes, match, minutes, state_of
from tests.tournaments.support.played_stages import drawn_as
from tournaments.floor import calls, evening
from tournaments.floor.evening import FloorPlan
from tournaments.floor.page.cards import Cards
from tournaments.floor.page.sheets import match_sheet
from tournaments.floor.selectors import FloorView, floor, rank_of
from tournaments.floor.sentences import explain
from tournaments.floor.state import (
    EnteredResult,
    EntrantSource,
    FloorMatchState,
    FloorSettings,
    FloorState,
    MatchFacts,
    MatchProgress,
    Rank,
    SeatElsewhere,
    TableFacts,
)
from tournaments.floor.times import expected_minutes
from tournaments.models import Division, Fixture, FloorKind, Table, Tournament
from tournaments.results import services as results
from tournaments.standings.context import match_contexts
from tournaments.state.presence import Evidence, PresenceFacts, SignKind

CASES = Path(__file__).resolve().parents[4] / "shared" / "data" / "weekend" / "floor.json"
FROM_M9 = (EntrantSource("entry"), EntrantSource("winner", 9))
ANN, BEA, EVA, FAY = BOB, CAROL, ERIN, FRANK
MAIN, SPEED = 14, 7


def cases() -> list[dict[str, Any]]:
    rows = json.loads(CASES.read_text())["cases"] if CASES.exists() else []
    return [row for row in rows if row["kind"] == "order"]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_the_reference_cases_are_ordered_and_explained_as_stated(case: dict[str, Any]) -> None:
    floor = CaseFloor(case)
    state = floor.state()
    assert [row.fixture for row in state.suggestions] == case["expect"]["suggested"]
    waiting = [row["number"] for row in case["matches"] if row["state"] == "waiting" and None not in row["sides"]]
    reasons = {str(number): floor.reasons(state, number) for number in waiting}
    assert {number: rows for number, rows in reasons.items() if rows} == case["expect"]["waits"]


def test_the_reference_cases_are_there() -> None:
    if not CASES.exists():
        pytest.skip("../shared/data is not there")
    assert any(row[0] == "wanted" for case in cases() for rows in case["expect"]["waits"].values() for row in rows)


class CaseFloor:
    """A case as facts of a floor; each side of a match has a player of its own, who stands for its people."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        names = {name for row in case["matches"] for side in row["sides"] if side for name in side["people"]}
        self.ids = {name: PersonId(at) for at, name in enumerate(sorted({*names, *case.get("merged", {})}), start=1)}
        self.people = {pk: (self.person(name),) for name, pk in self.ids.items()}
        self.rows = [self._match(row) for row in case["matches"]]
        self.tables = [TableFacts(number, str(number)) for number in range(1, case.get("free", 1) + 1)]
        self.facts = Facts(*self.rows)
        for row in case["matches"]:
            self._record(row)
        self._rest()

    def person(self, name: str) -> PersonId:
        return self.ids[self.case.get("merged", {}).get(name, name)]

    def state(self) -> FloorState:
        case = self.case
        signs = [Evidence(NOW, self.person(name), SignKind.NO_SHOW) for name in case.get("missing", [])]
        away = {self.person(name): self._at(until) for name, until in case.get("away", {}).items()}
        return state_of(
            *self.rows,
            facts=self.facts,
            tables=tuple(self.tables),
            settings=FloorSettings(hold=case.get("hold", 15)),
            people=self.people,
            away=away,
            presence=PresenceFacts(tuple(signs)),
        )

    def reasons(self, state: FloorState, number: int) -> list[list[Any]]:
        found = []
        for row in state.matches[number].reasons:
            who = [self._name(row.params["player"], row.code, number, state)] if "player" in row.params else []
            more = {"busy": ["fixture"], "wanted": ["fixture", "minutes"]}.get(row.code, [])
            found.append([row.code, *who, *(row.params[name] for name in more)])
        return found

    def _name(self, player: int, code: str, number: int, state: FloorState) -> str:
        """Return who of a side is meant: reasons of a side name its player row."""
        persons = set(self.people.get(player, (PersonId(player),)))
        if len(persons) > 1:
            expected = self.case["expect"]["waits"][str(number)]
            persons &= {self.ids[row[1]] for row in expected if row[0] == code}
        return next(name for name, pk in self.ids.items() if pk in persons)

    def _at(self, minute: int | None) -> Any:
        return None if minute is None else NOW + minutes(minute - self.case["now"])

    def _match(self, row: dict[str, Any]) -> MatchFacts:
        players = tuple(self._side(row["number"], side, at) for at, side in enumerate(row["sides"]))
        progress = MatchProgress.CLAIMED if row["state"] == "reported" else MatchProgress.OPEN
        pair = None if None in players else players
        sources = (EntrantSource("entry"), EntrantSource("winner", row["from"])) if "from" in row else ()
        return match(
            row["number"],
            pair,
            rank=Rank(row["rank"]),
            players=players,
            progress=progress if pair else MatchProgress.UNKNOWN,
            sources=sources,
        )

    def _side(self, number: int, side: dict[str, Any] | None, at: int) -> int | None:
        if side is None:
            return None
        player = 1000 * number + at
        excused = side.get("excused", [])
        self.people[player] = tuple(self.person(name) for name in side["people"] if name not in excused)
        return player

    def _record(self, row: dict[str, Any]) -> None:
        number, state = row["number"], row["state"]
        if row.get("pinned") or row.get("held"):
            self.facts.add(FloorKind.PINNED if row.get("pinned") else FloorKind.HELD, fixture=number)
        if state != "waiting":
            self._seat(number)
            self.facts.add(FloorKind.CALLED, 90, fixture=number, table=number)
        if state in ("playing", "reported"):
            ends = row.get("ends", self.case["now"]) - self.case["now"]
            self.facts.add(FloorKind.STARTED, expected_minutes(7) - ends, fixture=number)
        if row.get("no_accessible_table"):
            player = next(row.players[1] for row in self.rows if row.number == number)
            self.facts.add(FloorKind.NEEDS_ACCESSIBLE, player=player, params={"needed": True})
            taken = match(99, (9998, 9999))
            self.rows.append(taken)
            self.facts.pairs[99] = taken.pair
            self._seat(99, Table.Category.ACCESSIBLE)
            self.facts.add(FloorKind.CALLED, 1, fixture=99, table=99)

    def _seat(self, number: int, category: Table.Category = Table.Category.NORMAL) -> None:
        self.tables.append(TableFacts(number, str(number), category))

    def _rest(self) -> None:
        for at, (name, until) in enumerate(self.case.get("rests", {}).items(), start=90):
            finished = self._at(until) - minutes(FloorSettings().rest)
            self.rows.append(
                match(
                    at,
                    (self.ids[name], 9990 + at),
                    progress=MatchProgress.SETTLED,
                    begun_at=finished - minutes(60),
                    finished_at=finished,
                )
            )


# A match of a side event waits for one of the main event


def floor_with(
    *,
    ends: float = 8,
    speed: MatchFacts | None = None,
    main: MatchFacts | None = None,
    recorded: Sequence[tuple[FloorKind, int, dict[str, Any]]] = (),
    **fields: object,
) -> FloorState:
    """Ann plays Eva or Fay next, who play for `ends` more minutes, and could play Bea in the speed event now."""
    rows = [
        match(9, (EVA, FAY)),
        main or match(MAIN, None, players=(ANN, None), sources=FROM_M9, division="Main"),
        speed or match(SPEED, (ANN, BEA), stage=2, rank=Rank.SIDE),
    ]
    facts = Facts(*rows)
    facts.add(FloorKind.STARTED, expected_minutes(7) - ends, fixture=9)
    for kind, fixture, params in recorded:
        facts.add(kind, fixture=fixture, params=params)
    return state_of(*rows, facts=facts, **fields)


def test_a_side_match_waits_for_a_better_one_that_begins_soon_and_says_so() -> None:
    state = floor_with()
    assert (codes(state, SPEED), state.suggestions) == (["wanted"], ())
    reason = state.matches[SPEED].reasons[0]
    assert explain(reason, {ANN: "Ann"}, ZoneInfo("UTC")) == "Ann is wanted in Main M14 in about 8 min."
    assert state.changes_at == NOW + minutes(8 + 15), "the hold ends"
    now = floor_with(main=match(MAIN, (ANN, 20), division="Main"), tables=()).matches[SPEED].reasons
    assert [row.code for row in now] == [], "before the floor was opened nobody waits for anything"


def test_somebody_who_is_wanted_at_once_is_said_to_be() -> None:
    busy = TableFacts(1, "1", Table.Category.RESERVED)
    state = floor_with(main=match(MAIN, (ANN, 20), division="Main"), tables=(busy,), is_open=True)
    reason = state.matches[SPEED].reasons[0]
    assert explain(reason, {ANN: "Ann"}, ZoneInfo("UTC")) == "Ann is wanted in Main M14."


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"ends": 16}, "not soon"),
        ({"ends": -16}, "overdue: a hold has an end"),
        ({"settings": FloorSettings(hold=0)}, "switched off"),
        ({"settings": FloorSettings(hold=7)}, "a shorter hold"),
        ({"recorded": [(FloorKind.PINNED, SPEED, {})]}, "a director put it first"),
        ({"recorded": [(FloorKind.HELD, MAIN, {})]}, "the better match is not to be called"),
        ({"speed": match(SPEED, (ANN, BEA), stage=2)}, "of equal rank"),
        ({"main": match(MAIN, None, players=(ANN, None), rank=Rank.SIDE, sources=FROM_M9)}, "of equal rank, both side"),
        ({"main": match(MAIN, None, players=(ANN, None))}, "nobody knows where the opponent comes from"),
        ({"recorded": [(FloorKind.RUNNING_SCORE, 9, {"score": [0, 6]})]}, None),
        ({"ends": 50, "recorded": [(FloorKind.RUNNING_SCORE, 9, {"score": [1, 6]})]}, None),
        (
            {"ends": 5, "recorded": [(FloorKind.RUNNING_SCORE, 9, {"score": [1, 0]})]},
            "far from over by its score",
        ),
    ],
)
def test_what_ends_or_prevents_a_hold(changes: dict[str, Any], why: str | None) -> None:
    assert (codes(floor_with(**changes), SPEED) == ["wanted"]) is (why is None), why


@pytest.mark.parametrize("partner_is_gone", [False, True])
def test_nobody_waits_for_a_partner_or_an_opponent_who_is_gone(partner_is_gone: bool) -> None:
    pair, opponent, partner = 50, 20, PersonId(51)
    main = match(MAIN, (pair, opponent), stage=3, division="Doubles")
    people = {pair: (PersonId(ANN), partner), partner: (partner,), opponent: (PersonId(opponent),)}
    gone = partner if partner_is_gone else PersonId(opponent)
    assert codes(floor_with(main=main, people=people, is_open=True, tables=()), SPEED) == ["wanted"]
    absent = PresenceFacts((Evidence(NOW, gone, SignKind.NO_SHOW),))
    ways: list[dict[str, Any]] = [
        {"presence": absent},
        {"away": {gone: None}},
        {"away": {gone: NOW + minutes(16)}},
        {"elsewhere": {gone: SeatElsewhere("Friday Lives", "3", NOW)}},
    ]
    for way in ways:
        state = floor_with(main=main, people=people, is_open=True, tables=(), **way)
        assert codes(state, SPEED) == ["no_table"], way
    soon = floor_with(main=main, people=people, is_open=True, tables=(), away={gone: NOW + minutes(5)})
    assert codes(soon, SPEED) == ["wanted"], "back in time"


def test_a_match_called_just_now_takes_its_whole_time() -> None:
    rows = [match(9, (EVA, FAY)), match(MAIN, (ANN, EVA)), match(SPEED, (ANN, BEA), stage=2, rank=Rank.SIDE)]
    facts = Facts(*rows)
    facts.add(FloorKind.CALLED, 1, fixture=9, table=1)
    assert [row.fixture for row in state_of(*rows, facts=facts).suggestions] == [SPEED]


def test_the_seconds_in_which_a_result_can_be_undone_do_not_end_a_hold() -> None:
    entered = EnteredResult(0, (7, 3), NOW + minutes(0.1))
    rows = [
        match(9, (EVA, FAY), progress=MatchProgress.CLAIMED, entered=entered),
        match(MAIN, None, players=(ANN, None), sources=FROM_M9),
        match(SPEED, (ANN, BEA), stage=2, rank=Rank.SIDE),
    ]
    assert codes(state_of(*rows), SPEED) == ["wanted"]
    disputed = replace(rows[0], entered=None, progress=MatchProgress.DISPUTED)
    assert codes(state_of(disputed, *rows[1:]), SPEED) == [], "nobody knows how long that takes"


def test_a_better_match_that_lacks_an_accessible_table_holds_back_nobody() -> None:
    rows = [match(1, (20, 21)), match(MAIN, (ANN, EVA)), match(SPEED, (ANN, BEA), stage=2, rank=Rank.SIDE)]
    tables = (TableFacts(1, "1", Table.Category.ACCESSIBLE), TableFacts(2, "2"))
    facts = Facts(*rows)
    facts.add(FloorKind.NEEDS_ACCESSIBLE, player=EVA, params={"needed": True})
    assert [row.fixture for row in state_of(*rows, facts=facts, tables=tables).suggestions] == [1, MAIN]
    facts.add(FloorKind.CALLED, 1, fixture=1, table=1)
    assert [row.fixture for row in state_of(*rows, facts=facts, tables=tables).suggestions] == [SPEED]


def test_of_several_better_matches_the_soonest_is_named() -> None:
    rows = [
        match(9, (EVA, FAY)),
        match(12, None, players=(BEA, None), sources=FROM_M9),
        match(10, (30, 31), stage=4),
        match(13, None, stage=4, players=(ANN, None), sources=(EntrantSource("entry"), EntrantSource("loser", 10))),
        match(SPEED, (ANN, BEA), stage=2, rank=Rank.SIDE),
    ]
    facts = Facts(*rows)
    facts.add(FloorKind.STARTED, expected_minutes(7) - 9, fixture=9)
    facts.add(FloorKind.STARTED, expected_minutes(7) - 4, fixture=10)
    params = state_of(*rows, facts=facts).matches[SPEED].reasons[0].params
    assert (params["player"], params["fixture"], params["minutes"]) == (ANN, 13, 4)


def test_all_brackets_of_a_side_event_rank_as_a_side_event() -> None:
    assert [rank_of(key, is_side=False) for key in ("main", "consolation", "last_chance", "group-1")] == [
        Rank.MAIN,
        Rank.CONSOLATION,
        Rank.LAST_CHANCE,
        Rank.MAIN,
    ]
    assert {rank_of(key, is_side=True) for key in ("main", "consolation", "last_chance", "group-1")} == {Rank.SIDE}


# An event with two divisions


@dataclass
class Weekend:
    """Carol plays in Main, which is under way, and in Speed, a side event; all matches are to 5 points."""

    main: Fixture
    other: Fixture
    """The other match of the first round of Main, whose winner plays against Carol's."""
    speed: Fixture
    tournament: Tournament
    by: Actor

    def floor(self, at: float) -> FloorView:
        return floor(self.tournament, NOON + minutes(at))

    def reasons(self, at: float) -> tuple[str, ...]:
        view = self.floor(at)
        return view.reasons(view.matches[self.speed.pk])


@pytest.fixture
def weekend(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    carol_player: Player,
    by_alice: Actor,
) -> Weekend:
    divisions = [make_division(name="Main"), make_division(name="Speed", is_side=True)]
    tournament = divisions[0].tournament
    Tournament.objects.update(tables=4)
    for division in divisions:
        division.tournament = tournament
        drawn_as(division, [StageSettings(KNOCKOUT, lengths=(5,))], [carol_player, *make_players(3)], by_alice)
    evening.open_floor(tournament=tournament, by=by_alice, now=NOON)
    ready = Fixture.objects.filter(status=Fixture.Status.READY).select_related("stage__division__tournament", "match")
    of_main = [row for row in ready if row.stage.division == divisions[0]]
    own = [row for row in ready if row.match is not None and carol_player in row.match.players]
    (other,) = [row for row in of_main if row not in own]
    main, speed = sorted(own, key=lambda row: row.number)
    for row in of_main:
        calls.call(fixture=row, by=by_alice, now=NOON)
        calls.start(fixture=row, by=by_alice, now=NOON)
    tournament.refresh_from_db()
    return Weekend(main, other, speed, tournament, by_alice)


@pytest.mark.django_db
@pytest.mark.postgresql
def test_whoever_is_in_two_divisions_is_seen_before_the_call_and_called_to_the_better_match_first(
    weekend: Weekend, carol_player: Player
) -> None:
    view, speed = weekend.floor(10), weekend.speed
    notes = {card.match: card.note for card in Cards(view, []).all()}
    assert notes[f"M{weekend.main.number}"] == f"{carol_player.name}: also wanted in Speed M{speed.number}"
    assert notes[f"M{weekend.other.number}"] == ""
    assert [reason.code for reason in view.matches[speed.pk].reasons] == ["busy"]

    assert weekend.main.match is not None
    side = weekend.main.match.players.index(carol_player)
    result = ResultInput(side, (5, 2) if side == 0 else (2, 5))
    results.enter_result(fixture=weekend.main, result=result, by=weekend.by, now=NOON + minutes(30))
    wanted = weekend.floor(36.5)
    assert weekend.reasons(36.5) == (f"{carol_player.name} is wanted in Main M3 in about 2 min.",)
    assert speed.pk not in [row.fixture for row in wanted.state.suggestions]
    late = weekend.floor(38.5 + 15.5)
    assert speed.pk in [row.fixture for row in late.state.suggestions], "a hold has an end"

    sheet = match_sheet(speed, Role.OWNER, weekend.by, NOON + minutes(36.5))
    assert sheet["reasons"] == weekend.reasons(36.5)
    assert "Call to a table" in [label for _url, label in sheet["buttons"]]
    calls.call(fixture=speed, by=weekend.by, now=NOON + minutes(36.5))
    assert weekend.floor(37).matches[speed.pk].state == FloorMatchState.CALLED, "by hand it can be called"


@pytest.mark.django_db
def test_a_floor_that_never_holds_back_suggests_the_side_match(weekend: Weekend) -> None:
    row = weekend.floor(0).facts.settings
    assert row.hold == 15
    plan = FloorPlan(replace(row, hold=0), [])
    evening.save_floor(tournament=weekend.tournament, plan=plan, by=weekend.by, now=NOON)
    assert weekend.floor(0).facts.settings.hold == 0


@pytest.mark.django_db
def test_calendars_name_the_division_if_its_event_has_several(weekend: Weekend, carol_player: Player) -> None:
    match = weekend.speed.match
    assert match is not None
    match.due_at = NOON + minutes(60)
    (entry,) = match_events([match], where_of([match], NOBODY, NOON), str)
    assert entry.detail.startswith("Speed · ")
    assert match_contexts([match.parent_topic])[match.parent_topic].division == "Speed"
    Division.objects.exclude(name="Speed").update(tournament=copy_of(weekend.tournament))
    assert match_contexts([match.parent_topic])[match.parent_topic].division == ""


def copy_of(tournament: Tournament) -> Tournament:
    return Tournament.objects.create(club=tournament.club, name="Another", slug="another", starts_at=NOON)
