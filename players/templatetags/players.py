"""Template filters of this room."""

from django import template

from players.models import Membership
from players.people.labels import VERBS

register = template.Library()


@register.filter
def role_name(role: str) -> str:
    """The word for a role."""
    return str(Membership.Role(role).label)


@register.filter
def verb_name(verb: str) -> str:
    """The words for a verb of the log; the code itself where none are known."""
    return str(VERBS.get(verb, verb))
