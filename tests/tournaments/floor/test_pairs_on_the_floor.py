"""Who of a pair a match waits for: whoever has to be there is free, here and rested, and nobody is at two tables."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from players.people.rows import PersonId
from tests.tournaments.floor.facts import NOW, Facts, match, minutes, settled, state_of
from tournaments.floor.state import FloorState, MatchFacts, MatchProgress, Rank, TableFacts
from tournaments.models import FloorKind
from tournaments.state.presence import Evidence, PresenceFacts, SignKind, presence

NAMES = ("ann", "ann2", "bea", "cem", "dan", "eva", "fay")
ANN, ANN2, BEA, CEM, DAN, EVA, FAY = (PersonId(number) for number in range(1, 8))
IDS = dict(zip(NAMES, (ANN, ANN2, BEA, CEM, DAN, EVA, FAY), strict=True))
PAIRS = {(ANN, BEA): 101, (CEM, DAN): 102}
PEOPLE = {person: (person,) for person in IDS.values()} | {pair: people for people, pair in PAIRS.items()}
PROGRESS = {
    "waiting": MatchProgress.OPEN,
    "called": MatchProgress.OPEN,
    "playing": MatchProgress.OPEN,
    "reported": MatchProgress.CLAIMED,
}
"""State of a match in a case -> what its facts say apart from the floor."""
OF_OTHER_PARTS = (
    "side event",
    "pinned",
    "wanted",
    "not soon",
    "overdue",
    "switched off",
    "accessible",
    "nobody waits for that",
)


def player(side: dict[str, Any] | None) -> int | None:
    """Return the player of a side of a case: of a pair, the one that stands for both."""
    if side is None:
        return None
    people = tuple(IDS[name] for name in side["people"])
    return people[0] if len(people) == 1 else PAIRS[people[0], people[1]]


def floor_of(case: dict[str, Any]) -> FloorState:
    """Return the floor of a case, whose time is in minutes."""
    rows, at_tables = [], []
    for row in case["matches"]:
        first, second = (player(side) for side in row["sides"])
        excused = {IDS[name] for side in row["sides"] if side for name in side.get("excused", ())}
        pair = None if first is None or second is None else (first, second)
        facts = match(row["number"], pair, rank=Rank(row["rank"]), progress=PROGRESS[row["state"]])
        facts.excused = frozenset(excused)
        rows.append(facts)
        if row["state"] != "waiting":
            at_tables.append(row)
    journal = Facts(*rows)
    for table, row in enumerate(at_tables, start=1):
        journal.add(FloorKind.CALLED, fixture=row["number"], table=table)
        if row["state"] != "called":
            journal.add(FloorKind.STARTED, fixture=row["number"])
    merged = {IDS[name]: (IDS[into],) for name, into in case.get("merged", {}).items()}
    away = {IDS[name]: NOW + minutes(until - case["now"]) for name, until in case.get("away", {}).items()}
    signs = [Evidence(NOW - minutes(5), IDS[name], SignKind.NO_SHOW) for name in case.get("missing", ())]
    rested = [
        settled(50 + number, (IDS[name], 60 + number), 5 - (until - case["now"]))
        for number, (name, until) in enumerate(case.get("rests", {}).items())
    ]
    tables = tuple(TableFacts(number, str(number)) for number in range(1, len(at_tables) + case["free"] + 1))
    return state_of(
        *rows, *rested, facts=journal, people=PEOPLE | merged, away=away, tables=tables,
        presence=PresenceFacts(tuple(signs)),
    )  # fmt: skip


def outcome(state: FloorState, numbers: list[int]) -> dict[str, Any]:
    """Return what is suggested and why the others wait, as the cases say it."""
    names = {person: name for name, person in IDS.items()} | {ANN2: "ann"}
    waits = {}
    for number in numbers:
        reasons = []
        for reason in state.matches[number].reasons:
            who = [names[reason.params["player"]]] if "player" in reason.params else []
            fixture = [reason.params["fixture"]] if reason.code == "busy" else []
            reasons.append([reason.code, *who, *fixture])
        if reasons:
            waits[str(number)] = reasons
    return {"suggested": [row.fixture for row in state.suggestions], "waits": waits}


def test_the_cases_of_the_specification(shared_data: Path) -> None:
    cases = json.loads((shared_data / "weekend" / "floor.json").read_text())["cases"]
    ours = [case for case in cases if not any(word in case["name"] for word in OF_OTHER_PARTS)]
    assert len(ours) == 10
    for case in ours:
        waiting = [row["number"] for row in case["matches"] if row["state"] == "waiting"]
        assert outcome(floor_of(case), waiting) == case["expect"], case["name"]


# The same without the cases of the specification.


def doubles(number: int = 7, **fields: Any) -> MatchFacts:
    return match(number, (PAIRS[ANN, BEA], PAIRS[CEM, DAN]), **fields)


def reasons(state: FloorState, number: int = 7) -> list[tuple[str, int]]:
    return [(row.code, row.params.get("player", 0)) for row in state.matches[number].reasons]


@pytest.mark.parametrize("person", [ANN, BEA, CEM, DAN])
@pytest.mark.parametrize("is_started", [True, False])
def test_a_match_of_pairs_waits_for_a_match_of_any_of_the_four(person: PersonId, *, is_started: bool) -> None:
    main = match(3, (person, EVA))
    journal = Facts(main, doubles())
    journal.add(FloorKind.CALLED, fixture=3, table=1)
    if is_started:
        journal.add(FloorKind.STARTED, fixture=3)
    state = state_of(main, doubles(), facts=journal, people=PEOPLE)
    assert reasons(state) == [("busy", person)]
    assert state.suggestions == ()


@pytest.mark.parametrize("person", [ANN, BEA, CEM, DAN])
def test_whoever_is_excused_holds_up_nothing_and_is_not_held_up(person: PersonId) -> None:
    main = match(3, (person, EVA))
    playing, waiting = Facts(main, doubles()), Facts(main, doubles())
    playing.add(FloorKind.CALLED, fixture=3, table=1)
    state = state_of(main, doubles(excused=frozenset({person})), facts=playing, people=PEOPLE)
    assert [row.fixture for row in state.suggestions] == [7]
    waiting.add(FloorKind.CALLED, fixture=7, table=1)
    state = state_of(main, doubles(excused=frozenset({person})), facts=waiting, people=PEOPLE)
    assert [row.fixture for row in state.suggestions] == [3], "the doubles do not hold them"


def test_two_matches_of_one_person_are_never_suggested_together() -> None:
    state = state_of(match(4, (ANN, EVA)), doubles(), people=PEOPLE)
    assert [row.fixture for row in state.suggestions] == [4]
    assert reasons(state) == [("called_before", 0)]


def test_one_partner_who_is_away_rests_or_is_missing_leaves_the_other_free() -> None:
    main = match(4, (ANN, EVA))
    until = NOW + timedelta(minutes=20)
    for state, code in (
        (state_of(main, doubles(), people=PEOPLE, away={BEA: until}), "away"),
        (state_of(main, doubles(), settled(9, (BEA, FAY), 2), people=PEOPLE), "rests"),
        (
            state_of(
                main, doubles(), people=PEOPLE,
                presence=PresenceFacts((Evidence(NOW - minutes(9), BEA, SignKind.NO_SHOW),)),
            ),
            "not_here",
        ),
    ):  # fmt: skip
        assert reasons(state) == [(code, BEA)]
        assert [row.fixture for row in state.suggestions] == [4]


def test_a_person_is_named_who_is_not_here_not_their_pair() -> None:
    here = tuple(Evidence(NOW - minutes(9), who, SignKind.HERE, at_desk=True) for who in (ANN, CEM, DAN, EVA))
    state = state_of(match(4, (ANN, EVA)), doubles(), people=PEOPLE, presence=PresenceFacts(here))
    assert state.not_here == (BEA,)


# Who is here, by person.


def no_shows(*signs: Evidence) -> frozenset[PersonId]:
    return presence(PresenceFacts(signs), PEOPLE, NOW).no_shows


def sign(kind: SignKind, player: int, ago: float, **fields: Any) -> Evidence:
    return Evidence(NOW - minutes(ago), player, kind, **fields)


def test_a_forfeit_of_a_pair_marks_only_whoever_is_then_recorded_as_missing() -> None:
    forfeit = sign(SignKind.NO_SHOW, PAIRS[ANN, BEA], 10)
    missing = sign(SignKind.MISSING, BEA, 10)
    assert no_shows(forfeit) == frozenset()
    assert no_shows(missing) == frozenset(), "who leaves the hall is no no-show"
    assert no_shows(missing, forfeit) == {BEA}, "at the same moment, in whatever order they are read"
    assert no_shows(forfeit, missing, sign(SignKind.HERE, BEA, 5)) == frozenset()
    assert no_shows(forfeit, sign(SignKind.PLAYED, BEA, 8), sign(SignKind.MISSING, BEA, 5)) == frozenset()


def test_a_match_without_somebody_does_not_say_that_they_are_here() -> None:
    played = sign(SignKind.PLAYED, PAIRS[ANN, BEA], 10, without=frozenset({BEA}))
    assert presence(PresenceFacts((played,)), PEOPLE, NOW).here == {ANN}


def test_away_ends_by_what_is_recorded_of_the_person_under_whatever_entry() -> None:
    until = NOW + minutes(30)
    away = sign(SignKind.AWAY, BEA, 20, until=until)
    assert PresenceFacts((away,)).away(PEOPLE) == {BEA: until}
    assert PresenceFacts((away, sign(SignKind.PLAYED, BEA, 10))).away(PEOPLE) == {BEA: until}
    assert PresenceFacts((away, sign(SignKind.HERE, BEA, 10))).away(PEOPLE) == {}
    assert PresenceFacts((away, sign(SignKind.HERE, ANN, 10))).away(PEOPLE) == {BEA: until}
