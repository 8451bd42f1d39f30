"""Template tags for roles, log verbs and notifications."""

from typing import Any

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.live.publishing import now_shown
from players.models import Membership, User
from players.notifications.services import topic_of, unread_and_call

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
    return str(Membership.Role(role).label)


@register.filter
def verb_name(verb: str) -> str:
    """Return the label of a log verb; the verb itself if it has none."""
    return str(VERBS.get(verb, verb))


@register.simple_tag
def bell_of(user: User) -> dict[str, Any]:
    """Return the bell in the header of a page; `call` is a notification that calls the user to a page."""
    unread, call = unread_and_call(user)
    return {"unread": unread, "call": call, "topics": f"{topic_of(user.pk)}={now_shown()}"}
