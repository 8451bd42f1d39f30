"""The final of a season in stages: who starts in which round, whoever comes, and what cannot be drawn."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from engine.errors import Refused
from formats.elimination.knockout import seed_places
from formats.facts import Result
from formats.graph import BYE, MAIN, EntrySource, Graph
from formats.plans import draw_places, plan_of, sources_of
from formats.progress import progress
from formats.series.final import QUALIFYING, ROUNDS, FinalRounds, final_rounds
from formats.series.presets import PRESETS
from formats.settings import MAX_STARTS, StageSettings
from tests.formats.cast import SEED

NAMES = {number: name for name, number in ROUNDS.items()}
VIENNA = [
    {"to": 4, "stage": "quarterfinal"},
    {"to": 8, "stage": "last 16"},
    {"to": 12, "stage": "last 32"},
    {"to": 28, "stage": QUALIFYING, "places": 4},
]


def vienna(coming: int = 28) -> Graph:
    return drawn(final_rounds({"places": 28, "stages": VIENNA}), coming)


def drawn(rounds: FinalRounds, coming: int) -> Graph:
    """The bracket of a final to which the entries 1, 2, … come, in the order of the table."""
    settings = StageSettings(starts=rounds.starts).checked()
    entries = range(1, coming + 1)
    places = draw_places(settings, entries, seed=SEED, seeds=tuple(entries)).places
    return plan_of(settings, sources_of(places), seed=SEED)


def first_matches(graph: Graph) -> dict[int, int]:
    """Entry -> the round of its first match, counted backwards from the final; a bye is no match."""
    rounds = graph.bracket(MAIN).rounds
    first: dict[int, int] = {}
    arriving = {fixture.number: fixture for fixture in graph.fixtures.values()}
    for at, round_ in enumerate(rounds):
        for fixture in round_.fixtures:
            for source in fixture.sources:
                while not isinstance(source, EntrySource) and source != BYE:
                    before = arriving[source.fixture]  # type: ignore[union-attr]
                    if BYE not in before.sources:
                        break
                    source = before.sources[before.sources[0] == BYE]
                if isinstance(source, EntrySource) and BYE not in fixture.sources:
                    first.setdefault(source.entry, len(rounds) - at)
    return first


def test_ranks_start_where_the_vienna_cup_says() -> None:
    first = first_matches(vienna())
    expected = dict.fromkeys(range(1, 5), 3) | dict.fromkeys(range(5, 9), 4) | dict.fromkeys(range(9, 13), 5)
    assert first == expected | dict.fromkeys(range(13, 29), 7)
    # Sixteen play for four places, and the best do not meet before they must.
    matches = [sum(BYE not in f.sources for f in round_.fixtures) for round_ in vienna().bracket(MAIN).rounds]
    assert matches == [8, 4, 4, 4, 4, 2, 1]


@pytest.mark.parametrize(
    ("coming", "first"),
    [
        # 25 of 28: the three best of those who play for places have a bye.
        (25, {1: 3, 5: 4, 12: 5, 13: 6, 15: 6, 16: 7, 25: 7}),
        # Nobody needs to play for four places.
        (16, {1: 3, 8: 4, 9: 5, 13: 5, 16: 5}),
        # Two come behind rank 12, so that ranks 9 and 10 have a bye.
        (14, {8: 4, 9: 4, 10: 4, 11: 5, 12: 5, 14: 5}),
        (6, {1: 2, 2: 2, 3: 3, 4: 3, 5: 3, 6: 3}),
        (2, {1: 1, 2: 1}),
    ],
)
def test_who_comes_to_a_smaller_final_moves_up(coming: int, first: dict[int, int]) -> None:
    assert first_matches(vienna(coming)).items() >= first.items()


def random_stages(chance: Random) -> list[dict[str, Any]]:
    """Stages that can be drawn, made round by round from the final backwards."""
    stages: list[dict[str, Any]] = []
    free, number, rank = 1, 0, 0
    for _group in range(chance.randrange(1, 4)):
        steps = chance.randrange(1, 4)
        if number + steps > max(NAMES):
            break
        free, number = free << steps, number + steps
        if free > 1:
            count = chance.randrange(1, free)
            rank, free = rank + count, free - count
            stages.append({"to": rank, "stage": NAMES[number]})
    if chance.random() < 0.5 or number == max(NAMES):
        stages.append({"to": rank + free + chance.randrange(1, 3 * free + 1), "stage": QUALIFYING, "places": free})
    else:
        stages.append({"to": rank + free + chance.randrange(1, free + 1), "stage": NAMES[number + 1]})
    return stages


def matches_by_round(groups: Sequence[tuple[int | None, int]], coming: int) -> dict[int, int]:
    """How many matches each round has, by counting places alone: as many as are needed to fill those of the next."""
    starting: dict[int, int] = {}
    room, left = {0: 1}, coming
    last = max((number for number, _count in groups if number is not None), default=0)
    for number in range(1, last + 1):
        count = min(left, sum(count for at, count in groups[:-1] if at == number))
        starting[number], room[number], left = count, 2 * room[number - 1] - count, left - count
    number = last
    while left > room[number]:
        number += 1
        room[number] = 2 * room[number - 1]
    people, matches = left, {}
    for at in range(number, 0, -1):
        people += starting.get(at, 0)
        matches[at] = max(0, people - room[at - 1])
        people -= matches[at]
    return matches


@pytest.mark.parametrize("seed", range(24))
def test_everybody_starts_in_the_round_that_the_plan_names(seed: int) -> None:
    chance = Random(seed)
    stages = random_stages(chance)
    places = stages[-1]["to"]
    rounds = final_rounds({"places": places, "stages": stages})
    coming = places if seed % 2 else chance.randrange(2, places + 1)
    graph = drawn(rounds, coming)
    first = first_matches(graph)
    assert sorted(first) == list(range(1, coming + 1))
    before = 0
    for start in rounds.groups:
        own = [entry for entry in range(start.first, start.last + 1) if entry <= coming]
        assert [rounds.of(entry) for entry in own] == [start] * len(own)
        if start.round is None:
            # They play for their places before they meet somebody who starts later; the best may have byes until then.
            playing = [entry for entry in own if first[entry] > before]
            assert playing == own[len(own) - len(playing) :]
            assert coming < places or (playing and all(first[entry] >= before for entry in own))
        elif coming == places and start is not rounds.groups[-1]:
            assert {first[entry] for entry in own} == {start.round}
        else:
            # Without enough opponents the best of a group, and nobody else, has a bye in its round.
            early = [entry for entry in own if first[entry] == start.round]
            assert early == own[len(own) - len(early) :]
            assert all(first[entry] <= start.round for entry in own)
        before = start.round or before
    groups = [(start.round, start.last - start.first + 1) for start in rounds.groups]
    main = graph.bracket(MAIN).rounds
    matches = {len(main) - at: sum(BYE not in f.sources for f in row.fixtures) for at, row in enumerate(main)}
    assert {number: count for number, count in matches_by_round(groups, coming).items() if count} == matches
    # It can be played to its end, and everybody has a place then.
    results: dict[int, Result] = {}
    while ready := progress(graph, results).ready:
        results |= {number: Result(chance.randrange(2), None) for number in ready}
    placed = [entry for place in progress(graph, results).places(MAIN) for entry in place.entries]
    assert sorted(placed) == list(range(1, coming + 1))


def test_without_stages_the_places_are_those_of_every_knockout() -> None:
    for count in range(2, 140):
        size, taken = seed_places(count)
        assert (size // 2 < count <= size, taken) == (True, list(range(1, count + 1)))


def test_each_round_in_which_a_knockout_lets_players_start_has_one_name() -> None:
    assert list(ROUNDS.values()) == list(range(1, MAX_STARTS + 1))


def test_presets_of_real_series_can_be_drawn() -> None:
    read = {code: final_rounds(preset.plan.qualify) for code, preset in PRESETS.items()}
    assert read["vienna_cup"].starts == (0, 0, 4, 4, 4)
    assert [code for code, rounds in read.items() if rounds.groups] == ["vienna_cup"]


@pytest.mark.parametrize("places", [2, 3, 7, 8, 9, 28, 64, 65])
def test_the_byes_of_a_plan_are_those_of_the_knockout(places: int) -> None:
    fixtures = drawn(final_rounds({"places": places}), places).bracket(MAIN).rounds[0].fixtures
    byes = sum(BYE in fixture.sources for fixture in fixtures)
    assert final_rounds({"places": places, "byes": byes}) == FinalRounds()
    for wrong in {byes - 1, byes + 1, places} - {0, byes}:
        with pytest.raises(Refused, match=f"has {byes} byes") as refused:
            final_rounds({"places": places, "byes": wrong})
        assert refused.value.code == "series_final_byes"


def stages(*rows: tuple[Any, str]) -> dict[str, Any]:
    """The final of a plan with these stages, as (last rank, round), and as many places."""
    return {"places": rows[-1][0], "stages": [{"to": to, "stage": stage} for to, stage in rows]}


QUARTER, SIXTEEN = (4, "quarterfinal"), "last 16"
REFUSED = {
    "series_number": [{"places": "7"}, {"places": -7}, {"places": True}],
    "series_final_byes": [{"byes": 1}, *({"places": 7, "byes": byes} for byes in (True, "1", [1], 1.5))],
    "series_final_byes_and_stages": [{"places": 28, "byes": 4, "stages": VIENNA}],
    "series_final_stages": [{"places": 8, "stages": "all"}, {"places": 8, "stages": [4, 8]}],
    "series_final_stage": [stages((4, "round 3")), stages((16, QUALIFYING))],
    "series_final_order": [
        stages(QUARTER, (4, SIXTEEN)), stages((4, SIXTEEN), (12, "quarterfinal")),
        stages((True, "quarterfinal")) | {"places": 1}, stages(QUARTER, (8, "quarterfinal")),
    ],
    "series_final_full": [stages((8, "quarterfinal"), (12, SIXTEEN)), stages(QUARTER, (13, SIXTEEN))],
    "series_final_idle": [stages(QUARTER, (8, SIXTEEN)), stages(QUARTER, (8, QUALIFYING))],
    "series_final_qualifying": [
        {"places": 12, "stages": [{"to": 4, "stage": "quarterfinal"}, {"to": 12, "stage": QUALIFYING, "places": 3}]},
    ],
    "series_final_places": [stages(QUARTER, (12, SIXTEEN)) | {"places": 16}],
}  # fmt: skip


@pytest.mark.parametrize(("code", "final"), [(code, final) for code, finals in REFUSED.items() for final in finals])
def test_what_cannot_be_drawn_is_refused(code: str, final: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        final_rounds(final)
    assert refused.value.code == code
    assert "{" not in refused.value.message
