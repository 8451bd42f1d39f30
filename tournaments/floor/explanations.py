"""Why matches wait and why they are suggested, as sentences."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from tournaments.floor.state import Reason

SENTENCES: dict[str, str] = {
    # Why a match waits
    "held": gettext_noop("Held by a director."),
    "busy": gettext_noop("{player} is at M{fixture}."),
    "rests": gettext_noop("{player} rests until {until}."),
    "away": gettext_noop("{player} is away until {until}."),
    "away_open": gettext_noop("{player} is away."),
    "paused": gettext_noop("The event is paused until {until}."),
    "paused_open": gettext_noop("The event is paused."),
    "no_table": gettext_noop("No table is free."),
    "no_accessible_table": gettext_noop("No accessible table is free."),
    "called_before": gettext_noop("A player is first called to M{fixture}."),
    "to_be_decided_winner": gettext_noop("Waits for the winner of M{fixture}."),
    "to_be_decided_loser": gettext_noop("Waits for the loser of M{fixture}."),
    "to_be_decided": gettext_noop("A player is still to be decided."),
    # Why a match is called next
    "pinned_first": gettext_noop("A director put it first; table {table} is free."),
    "only_match": gettext_noop("The only match that can begin; table {table} is free."),
    "first_main": gettext_noop("The main draw comes first; table {table} is free."),
    "first_consolation": gettext_noop("The consolation comes before what is left; table {table} is free."),
    "first_last_chance": gettext_noop("The last chance comes before side events; table {table} is free."),
    "critical_path": gettext_noop("About {minutes} minutes of matches depend on it, the most; table {table} is free."),
    "adjourned": gettext_noop("Adjourned at {score}."),
    "adjourned_on_roll": gettext_noop("Adjourned at {score}; {player} is on roll."),
    "longest_wait": gettext_noop("It has waited longest, since {since}; table {table} is free."),
}
"""Code -> English sentence with `{parameter}` places."""
TIMES = ("until", "since")


def explain(reason: Reason, names: Mapping[int, str], zone: ZoneInfo) -> str:
    """Return the sentence of a reason; `names` has the players by id, and times are those of `zone`."""
    params: dict[str, Any] = dict(reason.params)
    code = _code(reason)
    for key in TIMES:
        if key in params:
            params[key] = time_format(timezone.localtime(datetime.fromisoformat(params[key]), zone), "TIME_FORMAT")
    if "player" in params:
        params["player"] = names.get(params["player"], "")
    return _(SENTENCES[code]).format_map(params)


def _code(reason: Reason) -> str:
    """Return the key of the sentence, which depends on the parameters as well."""
    if reason.code in ("away", "paused") and "until" not in reason.params:
        return f"{reason.code}_open"
    if reason.code == "to_be_decided" and "fixture" in reason.params and reason.params["source"] != "drawn":
        return f"to_be_decided_{reason.params['source']}"
    if reason.code == "bracket_first":
        return f"first_{reason.params['rank']}"
    return reason.code
