"""Template tags for matches and boards."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.http import urlencode

from matches.models import Claim, Match, Result
from matches.presentation.labels import score_of
from matches.records.board import Scene

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
def step_url(public_id: str, step: tuple[int, int], flip: bool = False) -> str:
    """The URL of one position of a replay; `step` is (game, step)."""
    query = {"g": step[0], "p": step[1]} | ({"flip": 1} if flip else {})
    return f"{reverse('replay', args=[public_id])}?{urlencode(query)}"
