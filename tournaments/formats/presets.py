"""Formats that are chosen with one word: everything filled in sensibly for a field of so many."""

from collections.abc import Callable, Mapping

from tournaments.formats.errors import Refused
from tournaments.formats.settings import (
    DOUBLE,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    PROGRESSIVE,
    ROUND_ROBIN,
    SWISS,
    StageSettings,
)

Stages = tuple[StageSettings, ...]

SWISS_ROUNDS = 5
LEAST_FOR_LAST_CHANCE = 6
LEAST_IN_GROUP = 3
LARGEST_GROUPS = 64
LEAST_FOR_TWO = 6


def _consolation(entries: int) -> Stages:
    return (StageSettings(PROGRESSIVE, last_chance="" if entries >= LEAST_FOR_LAST_CHANCE else None),)


def _swiss(entries: int) -> Stages:
    most = max(1, entries - 1 + entries % 2)
    return (StageSettings(SWISS, rounds=min(SWISS_ROUNDS, most)),)


def _groups(entries: int) -> Stages:
    """Groups of three to five, as many as make a knockout without byes when two of each go on."""
    groups = 2
    while entries >= 2 * groups * LEAST_IN_GROUP and groups < LARGEST_GROUPS:
        groups *= 2
    going_on = 2 if entries >= LEAST_FOR_TWO else 1
    return (StageSettings(GROUPS, groups=groups, qualifiers=going_on), StageSettings(KNOCKOUT))


PRESETS: Mapping[str, Callable[[int], Stages]] = {
    "knockout": lambda _entries: (StageSettings(KNOCKOUT),),
    "consolation": _consolation,
    "double": lambda _entries: (StageSettings(DOUBLE),),
    "swiss": _swiss,
    "lives": lambda _entries: (StageSettings(LIVES),),
    "groups": _groups,
    "roundrobin": lambda _entries: (StageSettings(ROUND_ROBIN),),
    "league": lambda _entries: (StageSettings(LEAGUE),),
}
"""Name -> what it fills in."""


def preset(name: str, entries: int) -> Stages:
    """The stages of a preset for a field of so many. Raises Refused("no_such_format").

    >>> [stage.format for stage in preset("groups", 13)]
    ['groups', 'knockout']
    """
    if name not in PRESETS:
        raise Refused("no_such_format", name=name)
    return PRESETS[name](entries)
