"""Conversion between the settings of a stage and the fields of its form."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import ngettext

from tournaments.formats.elimination.patterns import Proposal
from tournaments.formats.settings import (
    CHOICES,
    DEFAULT_TIEBREAKS,
    DOUBLE,
    FORMATS,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    PROGRESSIVE,
    ROUND_ROBIN,
    SWISS,
    StageSettings,
)
from tournaments.state.format_labels import PATTERN_NAMES

TIEBREAK_FIELDS = ("tiebreak1", "tiebreak2", "tiebreak3", "tiebreak4", "tiebreak5")
AUTOMATIC, OWN, WITHOUT = "auto", "own", "none"
LOTS = "lots"
"""The tie-break that always comes last, so it is not offered as a choice."""

FieldChoices = list[tuple[str, Promise | str]]

BASIC_FIELDS: Mapping[str, tuple[str, ...]] = {
    KNOCKOUT: ("lengths",),
    PROGRESSIVE: (
        "pattern",
        "own_pattern",
        "last_chance",
        "own_last_chance",
        "lengths",
        "lower_lengths",
        "last_lengths",
    ),
    DOUBLE: ("pattern", "own_pattern", "second_final", "lengths", "lower_lengths", "final_lengths"),
    SWISS: ("rounds", "lengths", "next_round", "countdown"),
    LIVES: ("lives", "lengths", "next_round", "countdown"),
    ROUND_ROBIN: ("twice", "lengths"),
    GROUPS: ("groups", "twice", "lengths", "group_draw"),
    LEAGUE: ("until", "join_until", "twice", "lengths"),
}
"""Format -> the fields of its own that most directors use."""
TABLE_FIELDS = ("win", "loss", "leaver_rule")
MORE_FIELDS: Mapping[str, tuple[str, ...]] = {
    SWISS: ("order", "missed_points", "allow_rematches", "edition", *TIEBREAK_FIELDS),
    ROUND_ROBIN: (*TABLE_FIELDS, *TIEBREAK_FIELDS),
    GROUPS: (*TABLE_FIELDS, *TIEBREAK_FIELDS),
    LEAGUE: (*TABLE_FIELDS, "unplayed", "moving", *TIEBREAK_FIELDS),
}
"""Format -> the fields in its collapsible section."""
KEPT_FIELDS = ("format", "qualifiers", "lengths")
"""Fields that keep their value when another format is chosen."""
PLAIN_FIELDS = {
    "lengths", "lower_lengths", "last_lengths", "final_lengths", "second_final", "rounds", "lives", "order",
    "next_round", "countdown", "missed_points", "allow_rematches", "twice", "groups", "group_draw", "win", "loss",
    "leaver_rule", "until", "join_until", "unplayed", "moving", "edition",
}  # fmt: skip
"""Fields with the same name as the setting they hold."""
SWITCHES = {"second_final", "allow_rematches", "twice"}
DATES = {"until", "join_until"}


def settings_from(format_name: str, cleaned: Mapping[str, Any], *, last: bool) -> StageSettings:
    """Return the settings for the cleaned fields of a stage; settings its format does not use keep their defaults."""
    known = {*BASIC_FIELDS[format_name], *MORE_FIELDS.get(format_name, ())}
    plain = {name: _setting(name, cleaned[name]) for name in known & PLAIN_FIELDS}
    settings = StageSettings(format_name, **plain, qualifiers=None if last else cleaned["qualifiers"])
    if "pattern" in known:
        settings = replace(settings, pattern=_pattern(cleaned["pattern"], cleaned["own_pattern"]) or "")
    if "last_chance" in known:
        settings = replace(settings, last_chance=_pattern(cleaned["last_chance"], cleaned["own_last_chance"]))
    if TIEBREAK_FIELDS[0] in known:
        chosen = tuple(dict.fromkeys(cleaned[name] for name in TIEBREAK_FIELDS if cleaned[name]))
        default = DEFAULT_TIEBREAKS[format_name]
        settings = replace(settings, tiebreaks=() if (*chosen, LOTS) == default else chosen)
    return settings


def _setting(name: str, value: Any) -> Any:
    """Convert the value of a field to the type that `StageSettings` uses."""
    if name in SWITCHES:
        return value == "yes"
    if name in DATES:
        return value.isoformat() if value else ""
    types: dict[str, Any] = {"missed_points": float, **CHOICES}
    return types[name](value) if name in types else value


def _pattern(choice: str, own: str) -> str | None:
    return {AUTOMATIC: "", WITHOUT: None, OWN: own}.get(choice, choice)


def with_defaults(data: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return the submitted data of a stage, with the format's defaults for fields that were not on the page.

    Fields that the page showed for another format than the chosen one are ignored, except `KEPT_FIELDS`.
    """
    own = {name.removeprefix(f"{prefix}-"): value for name, value in data.items() if name.startswith(f"{prefix}-")}
    chosen = own.get("format", "")
    if own.get("shown", chosen) != chosen:
        own = {name: value for name, value in own.items() if name in KEPT_FIELDS}
    defaults = initial_of(StageSettings(chosen if chosen in FORMATS else KNOCKOUT))
    return {f"{prefix}-{name}": str(value) for name, value in (defaults | own).items() if value is not None}


def pattern_choices(proposals: Sequence[Proposal], chosen: str) -> FieldChoices:
    """Return the proposed patterns with their counts, and the chosen one even if it is not proposed."""
    choices: FieldChoices = [(str(proposal.pattern), _pattern_label(proposal)) for proposal in proposals]
    known = {AUTOMATIC, OWN, WITHOUT, "", *(pattern for pattern, _label in choices)}
    return choices if chosen in known else [*choices, (chosen, chosen)]


def _pattern_label(proposal: Proposal) -> str:
    rounds, matches = len(proposal.rounds), sum(round_.matches for round_ in proposal.rounds)
    counts = [
        ngettext("%(count)d round", "%(count)d rounds", rounds) % {"count": rounds},
        ngettext("%(count)d match", "%(count)d matches", matches) % {"count": matches},
        ngettext("%(count)d bye", "%(count)d byes", proposal.byes) % {"count": proposal.byes},
    ]
    return f"{proposal.pattern}  {PATTERN_NAMES.get(proposal.name, proposal.name)}: {', '.join(counts)}"


def initial_of(settings: StageSettings) -> dict[str, Any]:
    """Return the initial values of the fields for these settings."""
    order = [code for code in settings.tiebreak_order if code != LOTS]
    plain = {name: getattr(settings, name) for name in PLAIN_FIELDS}
    switches = {name: "yes" if value else "no" for name, value in plain.items() if name in SWITCHES}
    lengths = {name: " ".join(map(str, plain[name])) for name in plain if name.endswith("lengths")}
    tiebreaks = {name: order[at] if at < len(order) else "" for at, name in enumerate(TIEBREAK_FIELDS)}
    return {
        **plain, **switches, **lengths, **tiebreaks,
        "format": settings.format,
        "qualifiers": settings.qualifiers,
        "pattern": settings.pattern or AUTOMATIC,
        "own_pattern": "",
        "last_chance": WITHOUT if settings.last_chance is None else settings.last_chance or AUTOMATIC,
        "own_last_chance": "",
        "win": f"{settings.win:g}",
        "loss": f"{settings.loss:g}",
        **{name: str(plain[name]) for name in CHOICES},
    }  # fmt: skip
