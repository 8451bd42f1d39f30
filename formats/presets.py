"""Presets: formats with sensible settings for a number of entries, chosen by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from formats.errors import Refused
from formats.settings import (
    DOUBLE,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    PLACES,
    PROGRESSIVE,
    ROUND_ROBIN,
    SWISS,
    PairingMode,
    StageSettings,
    strict,
)

Stages = tuple[StageSettings, ...]

SWISS_ROUNDS = 5
MIN_FOR_LAST_CHANCE = 6
MIN_GROUP = 3
MAX_GROUPS = 64
MIN_FOR_TWO_QUALIFIERS = 6


def _consolation(entries: int) -> Stages:
    return (StageSettings(PROGRESSIVE, last_chance="" if entries >= MIN_FOR_LAST_CHANCE else None),)


def _swiss(entries: int) -> Stages:
    most = max(1, entries - 1 + entries % 2)
    return (StageSettings(SWISS, rounds=min(SWISS_ROUNDS, most)),)


def _groups(entries: int) -> Stages:
    """Return groups of three to five, so many that two qualifiers of each fill a knockout without byes."""
    groups = 2
    while entries >= 2 * groups * MIN_GROUP and groups < MAX_GROUPS:
        groups *= 2
    qualifiers = 2 if entries >= MIN_FOR_TWO_QUALIFIERS else 1
    return (StageSettings(GROUPS, groups=groups, qualifiers=qualifiers), StageSettings(KNOCKOUT))


MIN_FOR_SWITCH, MIN_FOR_LARGE_SWITCH = 8, 24


def _flow_strict(entries: int) -> Stages:
    """Return lives for an event with prizes: nobody gets two matches ahead, and a bracket decides early.

    What a player gains by sitting out is bounded best by this without rounds. A small field plays on to the end.
    """
    flow = strict(StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS))
    if entries < MIN_FOR_SWITCH:
        return (flow,)
    places = 16 if entries >= MIN_FOR_LARGE_SWITCH else 8
    return (replace(flow, qualifiers=places), StageSettings(KNOCKOUT))


def _flow_swiss(entries: int) -> Stages:
    matches = min(SWISS_ROUNDS, max(1, entries - 1))
    return (StageSettings(SWISS, rounds=matches, pairing=PairingMode.CONTINUOUS),)


def with_bracket(stages: Sequence[StageSettings], entries: int) -> Stages | None:
    """Return a single Swiss, or lives without rounds, with a bracket of 4 or 8 after it; None of any other format.

    >>> [stage.format for stage in with_bracket(preset("swiss", 16), 16) or ()]
    ['swiss', 'knockout']
    """
    first = stages[0]
    is_flow = first.format == LIVES and first.is_continuous
    if len(stages) > 1 or entries < MIN_FOR_SWITCH or not (is_flow or first.format == SWISS):
        return None
    places = MIN_FOR_SWITCH if is_flow or entries >= MIN_FOR_LARGE_SWITCH else MIN_FOR_SWITCH // 2
    return (replace(first, qualifiers=places), StageSettings(KNOCKOUT, lengths=first.lengths[-1:]))


PRESETS: Mapping[str, Callable[[int], Stages]] = {
    "knockout": lambda _entries: (StageSettings(KNOCKOUT),),
    "consolation": _consolation,
    "double": lambda _entries: (StageSettings(DOUBLE),),
    "places": lambda _entries: (StageSettings(PLACES),),
    "swiss": _swiss,
    "lives": lambda _entries: (StageSettings(LIVES),),
    "flow": lambda _entries: (StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS),),
    "flow_strict": _flow_strict,
    "flow_swiss": _flow_swiss,
    "groups": _groups,
    "roundrobin": lambda _entries: (StageSettings(ROUND_ROBIN),),
    "league": lambda _entries: (StageSettings(LEAGUE),),
}
"""Name -> function from the number of entries to the stages."""


def preset(name: str, entries: int) -> Stages:
    """Return the stages of a preset for `entries` entries. Raises Refused("no_such_format").

    >>> [stage.format for stage in preset("groups", 13)]
    ['groups', 'knockout']
    """
    if name not in PRESETS:
        raise Refused("no_such_format", name=name)
    return PRESETS[name](entries)
