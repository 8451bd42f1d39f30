"""Template tags for matches, boards, rankings and reports."""

from typing import Any

from django import template
from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils.html import format_html

from matches.access import MatchSeat, action_url
from matches.models import Claim, Match, Result
from matches.play.correspondence import boards_waiting
from matches.presentation.labels import from_start, score_of, won_score
from matches.records.board import Scene
from matches.records.replays import step_path
from players.models import User

register = template.Library()


@register.filter
def score_in(result: Result, match: Match) -> str:
    """The score of a result of this match in the order of its names, e.g. “5–7”; empty if it has none."""
    return score_of(match, 0, result.score) if result.score is not None else ""


@register.filter
def won_in(report: Claim, match: Match) -> str:
    """The score of a report of this match with the winner's points first, e.g. “7–5”."""
    return won_score(match, report)


@register.filter
def starting(length: str, start: tuple[int, int]) -> str:
    """The length of a match in any words, with the score at which it begins, unless that is 0–0."""
    return from_start(length, start)


@register.inclusion_tag("matches/records/_board.html")
def board(scene: Scene, *, small: bool = False) -> dict[str, Any]:
    """Render the board of a scene. `small` puts the cube on the bar and cuts off the side.

    The page must include `_board_defs.html` once.
    """
    return {"scene": scene, "small": small}


@register.simple_tag
def boards_to_move(user: User) -> int:
    """How many boards by correspondence wait for this user."""
    return len(boards_waiting(user))


@register.simple_tag
def step_url(public_id: str, step: tuple[int, int]) -> str:
    """The URL of one position of a record's replay; `step` is (game, step)."""
    return step_path(reverse("replay", args=[public_id]), step)


@register.simple_tag
def replay_step(replay_url: str, step: tuple[int, int], flip: bool = False) -> str:
    """The URL of one position of the replay at `replay_url`; `step` is (game, step)."""
    return step_path(replay_url, step, flip=flip)


@register.inclusion_tag("matches/rankings/_change.html")
def change(points: float, digits: int = 2) -> dict[str, Any]:
    """Render rating points won or lost, with a sign that screen readers announce."""
    size = floatformat(abs(points), digits)
    return {"up": points >= 0, "size": size}


@register.inclusion_tag("matches/rankings/_provisional.html")
def provisional(is_provisional: bool) -> dict[str, Any]:
    """Render the “?” after a provisional rating."""
    return {"is_provisional": is_provisional}


@register.filter
def signed(points: float) -> str:
    """Rating points with plus or minus: +4.10, −6.48."""
    return f"{'+' if points >= 0 else '−'}{floatformat(abs(points), 2)}"


@register.simple_tag
def action(seat: MatchSeat, name: str, *args: str) -> str:
    """The URL that a form of this reader is sent to."""
    return action_url(seat, name, *args)


@register.simple_tag
def keep(name: str) -> str:
    """The attribute of a form whose action may be kept where there is no connection; empty for other actions."""
    from matches.reporting.outboxes import KEPT  # It imports the pages that have these tags.

    return format_html('data-keep="{}"', name) if name in KEPT else ""


STATE_TAGS = {"settled": "tag-win", "disputed": "tag-danger", "reported": "tag-warning", "provisional": "tag-warning"}


@register.filter
def match_state_tag(state: str) -> str:
    """The CSS class of the tag that shows where a match is."""
    return STATE_TAGS.get(state, "")
