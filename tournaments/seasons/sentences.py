"""Each figure of a series in a sentence, in the language of the reader."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from tournaments.formats.series.sentences import SENTENCES, Phrase, explain_rank, explain_result
from tournaments.formats.series.table import Result, Row
from tournaments.seasons.plan_form import bracket_label


def result_sentence(row: Row, result: Result, digits: int) -> str:
    """Say where a player's points of one event come from, and whether they count."""
    return "; ".join(phrase_text(phrase, {}) for phrase in explain_result(row, result, digits))


def rank_sentence(row: Row, names: Mapping[str, str], digits: int) -> str:
    """Say why a player stands before another with the same total; empty if no rule decided it."""
    if row.reason is None:
        return ""
    return phrase_text(explain_rank(row.reason, digits), names)


def phrase_text(phrase: Phrase, names: Mapping[str, str]) -> str:
    """Return a phrase as text; players are named as in `names`."""
    params: dict[str, Any] = dict(phrase.params)
    if "bracket" in params:
        params["bracket"] = bracket_label(str(params["bracket"]))
    if "other" in params:
        params["other"] = names.get(str(params["other"]), "")
    return " ".join(
        [_(SENTENCES[phrase.code]).format_map(params), *(phrase_text(factor, names) for factor in phrase.factors)]
    )
