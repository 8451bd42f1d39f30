"""The analysis in the replay: candidates, chances, marks, and the way to the next error."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from matches.analysis.access import SeenAnalysis, seen_of_record
from matches.models import Analysis, Decision, Match, Submission
from matches.play.replay import errors_of, judged_steps
from matches.presentation.visibility import NOBODY
from matches.records import replays
from matches.records.replays import step_path
from players.models import Player
from tests.matches.records.samples import simulated
from tests.matches.records.test_replays import match_of
from tests.pages import html

pytestmark = pytest.mark.django_db
Audience = Player.AnalysisVisibility


def steps_of(content: str) -> dict[str, Any]:
    block = re.search(r'<script id="replay-steps" type="application/json">(.*?)</script>', content, re.DOTALL)
    assert block is not None
    steps: dict[str, Any] = json.loads(block[1])
    return steps


@pytest.fixture
def replay(record: Submission) -> str:
    Player.objects.update(analysis_visibility=Audience.PUBLIC)
    return reverse("replay", args=[record.public_id])


def test_each_step_has_its_candidates_and_chances(client: Client, analysis: Analysis, replay: str) -> None:
    content = html(client.get(f"{replay}?g=1&p=1"))
    first = analysis.decisions.filter(game=1)[0]
    assert first.winning is not None
    assert content.count("data-judged=") == 2 * analysis.decisions.filter(game=1).count()
    chance = first.winning if first.side == 0 else 1 - first.winning
    assert f'width="{round(100 * chance)}" height="10"' in content
    assert "+0.100" in content
    assert "gnubg 2-ply" in content


def test_errors_are_marked_and_linked_in_their_order(
    client: Client, analysis: Analysis, record: Submission, replay: str
) -> None:
    places = [(row.game, row.event) for row in analysis.decisions.filter(error__gt=0).order_by("game", "event")]
    assert len({game for game, _ in places}) > 1
    seen = seen_of_record(record, NOBODY)
    assert seen is not None
    assert record.transcript is not None
    replayed = replays.ReplayedMatch(record.transcript, record.verdicts.latest("pk").content)
    steps_walked: list[replays.Step] = []
    game, number = 1, 1
    while (step := (errors := errors_of(seen, replayed, game)).next_after(number, game)) is not None:
        assert errors.index_after(number) == len(steps_walked) + 1
        steps_walked.append(step)
        game, number = step
    assert steps_walked == [replayed.step_at_event(*place) for place in places]
    first = html(client.get(f"{replay}?g=1&p=1"))
    link = re.search(r'data-step="next_error"[^>]*?href="([^"]+)"', first)
    assert link is not None
    assert link[1].replace("&amp;", "&") == step_path(replay, steps_walked[0])
    assert f"1 of {len(places)}" in first
    last = html(client.get(step_path(replay, steps_walked[-1])))
    assert not re.search(r'data-step="next_error"[^>]*?href=', last)
    steps = steps_of(first)
    blunders = analysis.decisions.filter(game=1, error__gt=0.1).count()
    assert blunders
    assert first.count("is-blunder") == 2 * blunders
    assert len(steps["errors"]) == sum(game == 1 for game, _ in places)
    assert steps["errors_before"] == 0


def test_a_player_who_is_not_shown_has_no_marks_or_candidates(
    client: Client, analysis: Analysis, match: Match, replay: str
) -> None:
    Player.objects.filter(pk=match.player_0_id).update(analysis_visibility=Audience.PRIVATE)
    content = html(client.get(f"{replay}?g=1&p=1"))
    shown = analysis.decisions.filter(game=1, side=1)
    assert content.count("data-judged=") == 2 * shown.count()
    assert len(steps_of(content)["errors"]) == shown.filter(error__gt=0).count()
    Player.objects.filter(pk=match.player_1_id).update(analysis_visibility=Audience.PRIVATE)
    content = html(client.get(f"{replay}?g=1&p=1"))
    assert "data-judged" not in content
    assert "errors" not in steps_of(content)


def test_a_match_that_is_not_over_has_no_analysis_in_its_replay(
    client: Client, analysis: Analysis, match: Match, replay: str
) -> None:
    Match.objects.filter(pk=match.pk).update(state=Match.State.DISPUTED)
    assert "data-judged" not in html(client.get(replay))


def test_cube_decisions_are_listed_as_the_side_that_decides_sees_them() -> None:
    game = match_of(simulated(seed=3, length=5)).game(1)
    double = next(moment for moment in game.moments if moment.words == "Doubles to 2")
    equities = {"no_double": 0.4, "double_take": 0.7, "double_pass": 1.0, "counted": True, "game": 1}
    doubled = Decision(kind="double", event=double.event, side=0, played="double", best="double", error=0, **equities)
    answer = Decision(kind="take", event=double.event + 1, side=1, played="drop", best="take", error=0.3, **equities)
    seen = SeenAnalysis(Analysis(), (True, True), (doubled, answer))
    steps = judged_steps(seen, game)
    rows = [[(row["name"], row["equity"], row["is_played"]) for row in step.decisions[0].choices] for step in steps]
    assert rows == [
        [("Double", "+0.700", True), ("No double", "+0.400", False)],
        [("Take", "−0.700", False), ("Pass", "−1.000", True)],
    ]
    assert [step.severity for step in steps] == ["", "blunder"]
    assert steps[1].decisions[0].headline == "A blunder: −0.300"
