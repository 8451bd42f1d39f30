"""Labels for codes in the database."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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
