"""Template tags of the pages on which a match is reported."""

from django import template

from matches.access import Seat
from matches.reporting.action_urls import address

register = template.Library()


@register.simple_tag
def action(seat: Seat, name: str, *more: str) -> str:
    """Where a form of this reader leads."""
    return address(seat, name, *more)


STATE_TAGS = {"settled": "tag-win", "disputed": "tag-danger", "claimed": "tag-warning"}


@register.filter
def match_state_tag(state: str) -> str:
    """The CSS class of the tag that shows the state of a match."""
    return STATE_TAGS.get(state, "")
