"""Each figure of a series in a sentence, in the language of the reader."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.languages import ordinal
from formats.series.plan import Eligibility, Plan
from formats.series.sentences import EXPLANATIONS, Phrase, explain_rank, explain_result, explain_winner
from formats.series.table import CountedResult, Season, SeriesRow
from seasons.plan_form import bracket_label
from seasons.tables import local

WHOLE = re.compile(r"(?<=\d)\.0+$")
"""Decimals that say nothing."""
LETTER = re.compile(r"[^\W\d_]")


def result_sentence(row: SeriesRow, result: CountedResult, digits: int) -> str:
    """Say where a player's points of one event come from, and whether they count."""
    phrases = explain_result(row, result, digits)
    shown = (phrase for phrase in phrases if phrase.code != "rounding" or WHOLE.sub("", phrase.params["points"]) != "0")
    return "; ".join(phrase_text(phrase, {}) for phrase in shown)


def rank_sentence(row: SeriesRow, names: Mapping[str, str], digits: int) -> str:
    """Say why a player stands before another with the same total; empty if no rule decided it."""
    if row.reason is None:
        return ""
    return phrase_text(explain_rank(row.reason, digits), names)


def winner_sentence(season: Season, shown: Sequence[str], names: Mapping[str, str], digits: int) -> str:
    """Say why the winner of the only evening is not first among the players as `shown`; empty if they are."""
    phrase = explain_winner(season, shown, digits)
    return "" if phrase is None else phrase_text(phrase, names)


def belongs_text(plan: Plan) -> str:
    """Say who is in the table, and what becomes of the places of others; empty if everybody is."""
    if plan.belongs is Eligibility.MEMBERS:
        who = _("Only members of the club are in the table.")
    elif plan.belongs is Eligibility.ENTERED:
        who = _("Only players who have entered the season are in the table.")
    elif plan.players is not None:
        who = _("Only players whom the plan names are in the table.")
    else:
        return ""
    keep, close_up = _("Guests take places but are not in it."), _("Guests are left out, and places close up.")
    return f"{who} {close_up if plan.close_up else keep}"


def _figures(text: str) -> str:
    """Write the figures of a phrase as its reader does; what has letters is a name."""
    return local(WHOLE.sub("", text)) if not LETTER.search(text) else text


def phrase_text(phrase: Phrase, names: Mapping[str, str]) -> str:
    """Return a phrase as text; players are named as in `names`."""
    params: dict[str, Any] = {
        key: _figures(value) if isinstance(value, str) else value for key, value in phrase.params.items()
    }
    if "bracket" in params:
        params["bracket"] = bracket_label(str(params["bracket"]))
    if "position" in params:
        params["position"] = ordinal(params["position"])
    params |= {key: names.get(str(params[key]), "") for key in ("winner", "other") if key in params}
    text = _(EXPLANATIONS[phrase.code]).format_map(params)
    factors = " ".join(phrase_text(factor, names) for factor in phrase.factors)
    return _("{text} (including {factors})").format(text=text, factors=factors) if factors else text


def members_who_stay(count: int) -> str:
    """Say how many new members of an import that is undone stay; empty if none."""
    if not count:
        return ""
    text = ngettext(
        "{count} new member stays, because they have been used since.",
        "{count} new members stay, because they have been used since.",
        count,
    )
    return text.format(count=count)
