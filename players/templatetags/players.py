"""Template tags for roles, log verbs and notifications."""

from typing import NamedTuple

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.live.publishing import now_shown
from players.models import Membership, User
from players.notifications.kinds import Text
from players.notifications.services import topic_of, unread_and_call

# Labels for codes in the database.


VERBS: dict[str, Promise] = {
    "data_exported": _("copy of the data made"),
    "alias_remembered": _("name added"),
    "invitation_withdrawn": _("invitation withdrawn"),
    "invited": _("invited"),
    "merge_undone": _("merge undone"),
    "player_added": _("entered"),
    "player_changed": _("changed"),
    "player_claimed": _("linked to an account"),
    "players_merged": _("merged"),
}
"""The log verbs that a player's page may show."""


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
