"""Plans of real series, to begin with: each is a plan in its exchange form, with a title and a sentence.

The forms are in `presets.json`; titles and sentences are here, where they are found for translation. The figures are
those that the organisers have published; where a source leaves something open, docs/series.md says how it is read here.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from formats.errors import Refused
from formats.series.plan import Plan, plan_from


@dataclass(frozen=True, slots=True)
class SeriesPreset:
    """A plan to begin with: its English title and summary, and its exchange form without a name."""

    title: str
    summary: str
    form: Mapping[str, Any]

    @property
    def plan(self) -> Plan:
        """The plan, named by the title."""
        return plan_from({"name": self.title, **self.form})


NAMES: Mapping[str, str] = {
    "new_england": "New England (NEBC)",
    "nordic_tour": "Nordic Tour",
    "milwaukee": "Milwaukee",
    "rhein_neckar": "Rhein-Neckar (Mannheim)",
    "usbgf_master_points": "USBGF Master Points 2019",
    "american_tour": "American Backgammon Tour",
    "nardgammon": "nardgammon",
    "vienna_cup": "Vienna Cup",
    "brass_city": "Brass City",
    "columbus": "Columbus",
}
"""Code -> the name of a series, the same in every language."""
TITLES: Mapping[str, str] = {
    **NAMES,
    "usual": "A usual club season",
    "motor_racing": "Points as in motor racing",
    "bristol_groups": "Bristol, groups",
    "bristol_round_robin": "Bristol, round robin",
    "bristol_knockouts": "Bristol, knockouts",
    "backgames_open": "BackGames, open",
    "backgames_intermediate": "BackGames, intermediate",
    "by_rounds": "By rounds (after Gammon Associates)",
    "given": "Points typed in",
}
EXPLANATIONS: Mapping[str, str] = {
    "usual": "Coming, wins by √length and places; doubled nights; the best six of at least four.",
    "motor_racing": "25, 18, 15 and so on for the first ten, and points for coming.",
    "new_england": "The length of each match won, with a bonus for the first places.",
    "nordic_tour": "7, 5 and 3 points for a win in the main bracket, consolation and last chance.",
    "bristol_groups": "A table of points by the size of the group; the best seven count.",
    "bristol_round_robin": "10 for coming, 10 or 15 for a win by its length; the best three count.",
    "bristol_knockouts": "10 for coming, and the higher of main bracket and consolation.",
    "milwaukee": "Coming, wins, and a bonus by the size of the field.",
    "rhein_neckar": "10 for coming, and the length of each match won by play.",
    "usbgf_master_points": "√length for wins and log2 of the field for places, weighted by division and event.",
    "american_tour": "Players of the division times a share of each place, which the director names.",
    "backgames_open": "The higher of a table of places and 0.08 a win.",
    "backgames_intermediate": "The higher of a table of places and 0.04 a win.",
    "nardgammon": "10 · log2 of the field ÷ place, halved every month.",
    "vienna_cup": "2 for coming, 1 for a win, 10 to 1 for the first eight; the worst evening is dropped.",
    "brass_city": "As many points as players for the winner, half of it for the finalist.",
    "columbus": "A point for each win, doubled for the winner of the evening and times 1.3 for the finalist.",
    "by_rounds": "A table of points by the rounds of the bracket, and more on last dates. Set the rows to your own.",
    "given": "For results of another body, or a past season; the best seven count.",
}
"""Code -> what the points of the preset are, in a sentence."""
_FORMS: Mapping[str, Mapping[str, Any]] = json.loads(Path(__file__).with_name("presets.json").read_bytes())
PRESETS: Mapping[str, SeriesPreset] = {
    code: SeriesPreset(TITLES[code], EXPLANATIONS[code], form) for code, form in _FORMS.items()
}
"""Code -> preset, the most usual first."""


def preset(code: str) -> SeriesPreset:
    """Return a preset by its code. Raises Refused("series_preset")."""
    if code not in PRESETS:
        raise Refused("series_preset", preset=code[:40])
    return PRESETS[code]
