"""Words for what the database keeps as codes."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

VERBS: dict[str, Promise] = {
    "alias_remembered": _("another name remembered"),
    "invitation_withdrawn": _("invitation withdrawn"),
    "invited": _("invited"),
    "merge_undone": _("merge undone"),
    "player_added": _("entered"),
    "player_changed": _("changed"),
    "player_claimed": _("given to an account"),
    "players_merged": _("merged"),
}
"""The verbs of the log that a player's own page may show."""
