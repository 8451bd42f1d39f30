"""Where players are called, for the pages of the `matches` app, which must not import this one."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from tournaments.floor.selectors import calls_of


def calls_in_words(matches: Collection[int], now: datetime) -> Mapping[int, str]:
    """Return match id -> “You are called to table 5.”, for those of these matches that are called now."""
    return {match: called_to(call.table) for match, call in calls_of(matches, now).items()}


def called_to(table: str) -> str:
    """Return the sentence that calls a player to a table."""
    return _("You are called to table %(table)s.") % {"table": table}
