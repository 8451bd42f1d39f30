"""Template filters for roles and log verbs."""

from django import template

from players.models import Membership
from players.people.labels import VERBS

register = template.Library()


@register.filter
def role_name(role: str) -> str:
    """Return the label of a role."""
    return str(Membership.Role(role).label)


@register.filter
def verb_name(verb: str) -> str:
    """Return the label of a log verb; the verb itself if it has none."""
    return str(VERBS.get(verb, verb))
