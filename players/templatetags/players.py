"""Template tags for roles, log verbs and notifications."""

from typing import NamedTuple

from django import template

from core.live.publishing import now_shown
from players.models import Membership, User
from players.notifications.selectors import unread_and_call
from players.notifications.services import topic_of
from players.notifications.texts import Text
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


class Bell(NamedTuple):
    """The bell in the header of a page."""

    unread: int
    call: Text | None
    """Calls the reader to a page."""
    topics: str


@register.simple_tag
def bell_of(user: User) -> Bell:
    """Return the bell of a signed-in user."""
    return Bell(*unread_and_call(user), f"{topic_of(user.pk)}={now_shown()}")
