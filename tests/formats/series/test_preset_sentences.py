"""Every preset after the first, second and last evening: something of everybody counts, in plain sentences."""

import re
from random import Random

import pytest

from formats.series.facts import events_from
from formats.series.numbers import format_number
from formats.series.presets import PRESETS
from formats.series.sentences import explain_rank, explain_result, explain_winner
from formats.series.table import season
from tests.formats.series.random_seasons import random_division

EVENINGS = (1, 2, 9)
SEEDS = 12
NONSENSE = re.compile(
    r"^$|\b0 better|\bbest [01]\b|\bNone\b|[{}]"
    r"|(?<![\d.,/÷+] )\b1 (wins|matches|times|steps)\b|× 0(\.0+)?(?![.\d])|no points \("
)


def evenings(seed: int, count: int) -> tuple:
    rng = Random(f"presets {seed}")
    events = []
    for night in range(count):
        division = random_division(rng, 1)
        division |= {"given": {player: str(rng.randint(1, 9)) for player in division["players"]}}
        events.append({"id": f"e{night + 1}", "date": f"2026-{1 + night:02d}-03", "divisions": [division]})
    return events_from(events)


@pytest.mark.parametrize("code", PRESETS)
@pytest.mark.parametrize("over", EVENINGS)
def test_everybody_who_came_has_something_counted_and_is_told_so(code: str, over: int) -> None:
    plan = PRESETS[code].plan
    for seed in range(SEEDS):
        evaluated = season(plan, evenings(seed, over))
        came = {player for event in evaluated.events for player in event.players}
        assert {row.player for row in evaluated.rows} == came
        for row in evaluated.rows:
            assert row.counted, (code, over, row.player)
            each = [explain_result(row, result, plan.show_digits) for result in row.results]
            assert all(each), (code, over, row.player)
            texts = [phrase.text for phrases in each for phrase in phrases]
            texts += [explain_rank(row.reason, plan.show_digits).text] if row.reason else []
            for text in texts:
                assert not NONSENSE.search(text), (code, over, text)
            if over == 1:
                codes = {phrase.code for phrases in each for phrase in phrases}
                assert not codes & {"counts", "counts_one", "not_counted", "not_counted_one"}


@pytest.mark.parametrize("code", PRESETS)
def test_the_winner_of_the_only_evening_is_first_or_a_sentence_says_why(code: str) -> None:
    plan = PRESETS[code].plan
    for seed in range(SEEDS):
        evaluated = season(plan, evenings(seed, 1))
        main = [bracket for bracket in evaluated.events[0].divisions[0].brackets if bracket.name == "main"]
        shown = sorted(evaluated.rows, key=lambda row: (row.rank is None, 0 if row.rank else -row.total))
        phrase = explain_winner(evaluated, [row.player for row in shown], plan.show_digits)
        assert (phrase is None) == (not main or shown[0].player in main[0].placings[0])
        if phrase is not None:
            assert {phrase.params["winner"], phrase.params["other"]} == {main[0].placings[0][0], shown[0].player}
            assert format_number(shown[0].total, plan.show_digits) == phrase.params["points"]


def test_the_sentence_names_the_winner_and_who_is_first_with_their_points() -> None:
    matches = [
        {"bracket": "main", "round": number, "winner": winner, "loser": loser, "length": 5, "how": how}
        for number, winner, loser, how in (
            (1, "Ada", None, "bye"), (1, "Ben", "Cleo", "played"), (2, "Ben", "Dov", "played"),
            (3, "Ada", "Ben", "played"),
        )
    ]  # fmt: skip
    bracket = {
        "name": "main",
        "players": ["Ada", "Ben", "Cleo", "Dov"],
        "placings": [["Ada"], ["Ben"], ["Cleo", "Dov"]],
    }
    division = {"name": "Open", "players": bracket["players"], "brackets": [bracket], "matches": matches}
    events = events_from([{"id": "e1", "date": "2026-03-03", "divisions": [division]}])
    evaluated = season(PRESETS["nordic_tour"].plan, events)
    phrase = explain_winner(evaluated, [row.player for row in evaluated.rows], 0)
    assert phrase is not None
    assert phrase.text == "Ada won the evening, but Ben has more points by these rules: 14 to 7."
    again = season(PRESETS["nordic_tour"].plan, [*events, *evenings(1, 1)])
    assert explain_winner(again, [row.player for row in again.rows], 0) is None, "only after one evening"
