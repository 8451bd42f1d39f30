"""Template tags for matches and boards."""

from typing import Any

from django import template
from django.urls import reverse

from matches.models import Claim, Match, Result
from matches.presentation.labels import score_of
from matches.records.board import Scene
from matches.records.replays import step_path

register = template.Library()


@register.filter
def score_in(outcome: Result | Claim, match: Match) -> str:
    """The score of a result or a report of this match, e.g. “7–5”; empty if it has none."""
    return score_of(match, 0, outcome.score) if outcome.score is not None else ""


@register.inclusion_tag("matches/records/_board.html")
def board(scene: Scene, *, small: bool = False) -> dict[str, Any]:
    """Render the board of a scene. `small` omits the numbers and puts the cube on the bar.

    The page must include `_board_defs.html` once.
    """
    return {"scene": scene, "small": small}


@register.simple_tag
def step_url(public_id: str, step: tuple[int, int]) -> str:
    """The URL of one position of a record's replay; `step` is (game, step)."""
    return step_path(reverse("replay", args=[public_id]), step)


@register.simple_tag
def replay_step(replay_url: str, step: tuple[int, int], flip: bool = False) -> str:
    """The URL of one position of the replay at `replay_url`; `step` is (game, step)."""
    return step_path(replay_url, step, flip=flip)
