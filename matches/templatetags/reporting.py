"""Template tags of the pages for reporting a match."""

from django import template

from matches.access import MatchSeat, action_url

register = template.Library()


@register.simple_tag
def action(seat: MatchSeat, name: str, *args: str) -> str:
    """The URL that a form of this reader is sent to."""
    return action_url(seat, name, *args)


STATE_TAGS = {"settled": "tag-win", "disputed": "tag-danger", "reported": "tag-warning", "provisional": "tag-warning"}


@register.filter
def match_state_tag(state: str) -> str:
    """The CSS class of the tag that shows where a match is."""
    return STATE_TAGS.get(state, "")
