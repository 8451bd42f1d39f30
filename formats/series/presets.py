"""Plans of real series, to begin with: each is a plan in its exchange form, with a title and a sentence.

The figures are those that the organisers have published; where a source leaves something open, docs/series.md says how
it is read here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from formats.errors import Refused
from formats.series.plan import Plan, plan_from


@dataclass(frozen=True, slots=True)
class Preset:
    """A plan to begin with: its English title and summary, and its exchange form without a name."""

    title: str
    summary: str
    form: Mapping[str, Any]

    @property
    def plan(self) -> Plan:
        """The plan, named by the title."""
        return plan_from({"name": self.title, **self.form})


TITLES: Mapping[str, str] = {
    "usual": "A usual club season",
    "motor_racing": "Points as in motor racing",
    "new_england": "New England (NEBC)",
    "nordic_tour": "Nordic Tour",
    "bristol_groups": "Bristol, groups",
    "bristol_round_robin": "Bristol, round robin",
    "bristol_knockouts": "Bristol, knockouts",
    "milwaukee": "Milwaukee",
    "rhein_neckar": "Rhein-Neckar (Mannheim)",
    "usbgf_master_points": "USBGF Master Points 2019",
    "american_tour": "American Backgammon Tour",
    "backgames_open": "BackGames, open",
    "backgames_intermediate": "BackGames, intermediate",
    "nardgammon": "nardgammon",
    "european_grand_prix": "European Grand Prix (Othello)",
    "british_grand_prix": "British Grand Prix (Othello)",
    "vienna_cup": "Vienna Cup",
    "brass_city": "Brass City",
    "columbus": "Columbus",
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
    "european_grand_prix": "200, 140, 90 and so on; the best four count.",
    "british_grand_prix": "200, 160, 120 and so on, 5 for everybody else; rounded up.",
    "vienna_cup": "2 for coming, 1 for a win, 10 to 1 for the first eight; the worst evening is dropped.",
    "brass_city": "As many points as players for the winner, half of it for the finalist.",
    "columbus": "A point for each win, doubled for the winner of the evening and times 1.3 for the finalist.",
    "by_rounds": "A table of points by the rounds of the bracket, and more on last dates. Set the rows to your own.",
    "given": "For results of another body, or a past season; the best seven count.",
}
"""Code -> what the points of the preset are, in a sentence."""
_FORMS: Mapping[str, Mapping[str, Any]] = {
    "usual": {
        "points": {
            "times": [
                {"class": {"double": "2", "else": "1"}},
                {
                    "add": [
                        {"attend": "1"},
                        {"win": "1", "bracket": "main", "by": "root_length", "walkovers": False},
                        {
                            "times": [
                                "0.5",
                                {"win": "1", "bracket": "consolation", "by": "root_length", "walkovers": False},
                            ]
                        },
                        {
                            "times": [
                                "0.25",
                                {"win": "1", "bracket": "last_chance", "by": "root_length", "walkovers": False},
                            ]
                        },
                        {
                            "place": {
                                "bracket": "main",
                                "ties": "mean",
                                "values": {
                                    "kind": "bands",
                                    "by": "players",
                                    "bands": [
                                        {"to": 7, "rows": {"1": "3", "2": "1"}},
                                        {"to": 15, "rows": {"1": "5", "2": "3", "3": "1", "4": "1"}},
                                        {
                                            "to": None,
                                            "rows": {
                                                "1": "8",
                                                "2": "5",
                                                "3": "3",
                                                "4": "2",
                                                "5": "1",
                                                "6": "1",
                                                "7": "1",
                                                "8": "1",
                                            },
                                        },
                                    ],
                                },
                            }
                        },
                    ]
                },
            ]
        },
        "round_event": {"mode": "half_up", "digits": 2},
        "count": {"best": 6, "min_events": 4},
        "ties": ["best_single", "most_best_places", "head_to_head"],
        "show_digits": 2,
        "qualify": {"places": 8},
    },
    "motor_racing": {
        "points": {
            "add": [
                {"attend": "2"},
                {
                    "place": {
                        "bracket": "main",
                        "ties": "mean",
                        "values": {
                            "kind": "list",
                            "points": ["25", "18", "15", "12", "10", "8", "6", "4", "2", "1"],
                        },
                    }
                },
            ]
        },
        "count": {},
        "ties": ["best_place"],
        "show_digits": 2,
    },
    "new_england": {
        "points": {
            "times": [
                {"division": {"1": "1", "else": "0.5"}},
                {
                    "add": [
                        {"win": "1", "by": "length", "walkovers": True},
                        {"attend": "2", "when": "no_win"},
                        {
                            "by_class": {
                                "bonus": {
                                    "higher": [
                                        {
                                            "place": {
                                                "bracket": "main",
                                                "ties": "each",
                                                "values": {"kind": "list", "points": ["100", "50", "25", "25"]},
                                            }
                                        },
                                        {
                                            "place": {
                                                "bracket": "consolation",
                                                "ties": "each",
                                                "values": {"kind": "list", "points": ["50", "25"]},
                                            }
                                        },
                                    ]
                                },
                                "else": {
                                    "higher": [
                                        {
                                            "place": {
                                                "bracket": "main",
                                                "ties": "each",
                                                "values": {"kind": "list", "points": ["50", "25", "12", "12"]},
                                            }
                                        },
                                        {
                                            "place": {
                                                "bracket": "consolation",
                                                "ties": "each",
                                                "values": {"kind": "list", "points": ["25", "12"]},
                                            }
                                        },
                                    ]
                                },
                            }
                        },
                    ]
                },
            ]
        },
        "count": {},
        "ties": [],
        "show_digits": 1,
        "qualify": {"places": 7, "byes": 1},
    },
    "nordic_tour": {
        "points": {
            "add": [
                {"win": "7", "bracket": "main"},
                {"win": "5", "bracket": "consolation"},
                {"win": "3", "bracket": "last_chance"},
            ]
        },
        "count": {},
        "ties": [],
        "show_digits": 0,
        "qualify": {"places": 16},
    },
    "bristol_groups": {
        "points": {
            "place": {
                "bracket": "group",
                "ties": "mean",
                "values": {
                    "kind": "bands",
                    "by": "players",
                    "bands": [
                        {"to": 4, "rows": {"1": "21", "2": "13", "3": "8", "4": "5"}},
                        {"to": 5, "rows": {"1": "24", "2": "16", "3": "11", "4": "8", "5": "5"}},
                        {"to": 6, "rows": {"1": "27", "2": "19", "3": "14", "4": "11", "5": "8", "6": "5"}},
                        {
                            "to": 7,
                            "rows": {"1": "30", "2": "22", "3": "17", "4": "14", "5": "11", "6": "8", "7": "5"},
                        },
                        {
                            "to": 8,
                            "rows": {
                                "1": "33",
                                "2": "25",
                                "3": "20",
                                "4": "17",
                                "5": "14",
                                "6": "11",
                                "7": "8",
                                "8": "5",
                            },
                        },
                    ],
                },
            }
        },
        "count": {"best": 7},
        "ties": [],
        "show_digits": 1,
    },
    "bristol_round_robin": {
        "points": {"add": [{"attend": "10"}, {"win": {"length": {"3": "10", "5": "15"}}}]},
        "count": {"best": 3},
        "ties": ["fewest_events", "win_share", "head_to_head", "best_dropped"],
        "show_digits": 0,
    },
    "bristol_knockouts": {
        "points": {
            "add": [
                {"attend": "10"},
                {
                    "higher": [
                        {"win": {"final": "35", "semifinal": "25", "earlier": "15"}, "bracket": "main"},
                        {"win": {"final": "15", "semifinal": "10", "earlier": "5"}, "bracket": "consolation"},
                    ]
                },
            ]
        },
        "count": {},
        "ties": ["fewest_events", "head_to_head", "win_share", "best_dropped"],
        "show_digits": 0,
    },
    "milwaukee": {
        "points": {
            "add": [
                {"attend": "1"},
                {"win": "1", "bracket": "main"},
                {"win": "0.8", "bracket": "consolation"},
                {
                    "place": {
                        "bracket": "main",
                        "size": "division",
                        "ties": "mean",
                        "values": {
                            "kind": "bands",
                            "by": "players",
                            "bands": [
                                {"to": 9, "rows": {"1": "2", "2": "1"}},
                                {"to": 18, "rows": {"1": "3", "2": "1.5"}},
                                {"to": None, "rows": {"1": "4", "2": "2"}},
                            ],
                        },
                    }
                },
                {
                    "place": {
                        "bracket": "consolation",
                        "size": "division",
                        "ties": "mean",
                        "values": {
                            "kind": "bands",
                            "by": "players",
                            "bands": [
                                {"to": 9, "rows": {"1": "1"}},
                                {"to": 18, "rows": {"1": "1.5"}},
                                {"to": None, "rows": {"1": "2"}},
                            ],
                        },
                    }
                },
            ]
        },
        "count": {},
        "ties": [],
        "show_digits": 1,
    },
    "rhein_neckar": {
        "points": {"add": [{"attend": "10"}, {"win": "1", "by": "length", "walkovers": False, "byes": False}]},
        "count": {},
        "ties": ["most_events"],
        "show_digits": 0,
        "qualify": {"places": 24, "byes": 8, "substitutes": "next in the table", "tie": "lot"},
    },
    "usbgf_master_points": {
        "points": {
            "times": [
                {"event_weight": True},
                {"division": {"1": "1", "2": "0.7", "else": "0.5"}},
                {
                    "add": [
                        {"times": [{"win": "1", "by": "root_length", "walkovers": False}, "1/3"]},
                        {
                            "place": {
                                "bracket": "main",
                                "values": {
                                    "kind": "log2_rank",
                                    "scale": "0.6",
                                    "factors": ["1", "0.7", "0.5", "0.333", "0.25", "0.2"],
                                    "then": "1/(r-1)",
                                },
                                "ties": "mean",
                            }
                        },
                    ]
                },
            ]
        },
        "count": {},
        "ties": ["best_single"],
        "show_digits": 2,
    },
    "american_tour": {
        "points": {
            "times": [
                {"division": {"1": "1", "2": "0.5", "else": "0.25"}},
                {"place": {"bracket": "main", "size": "division", "values": {"kind": "shares"}, "ties": "mean"}},
            ]
        },
        "count": {},
        "ties": [],
        "show_digits": 2,
    },
    "backgames_open": {
        "points": {
            "higher": [
                {
                    "place": {
                        "bracket": "main",
                        "ties": "rows",
                        "values": {
                            "kind": "bands",
                            "by": "players",
                            "bands": [
                                {
                                    "to": 11,
                                    "rows": {
                                        "1": "1.75",
                                        "1-2": "1.31",
                                        "2": "0.88",
                                        "2-3": "0.73",
                                        "3": "0.58",
                                        "3-4": "0.44",
                                        "4": "0.38",
                                        "5-8": "0.22",
                                    },
                                },
                                {
                                    "to": 23,
                                    "rows": {
                                        "1": "2.00",
                                        "1-2": "1.50",
                                        "2": "1.00",
                                        "2-3": "0.83",
                                        "3": "0.67",
                                        "3-4": "0.50",
                                        "4": "0.44",
                                        "5-8": "0.25",
                                    },
                                },
                                {
                                    "to": 32,
                                    "rows": {
                                        "1": "2.50",
                                        "1-2": "1.88",
                                        "2": "1.25",
                                        "2-3": "1.04",
                                        "3": "0.83",
                                        "3-4": "0.63",
                                        "4": "0.55",
                                        "5-8": "0.31",
                                    },
                                },
                                {
                                    "to": 64,
                                    "rows": {
                                        "1": "3.00",
                                        "1-2": "2.25",
                                        "2": "1.50",
                                        "2-3": "1.25",
                                        "3": "1.00",
                                        "3-4": "0.75",
                                        "4": "0.66",
                                        "5-8": "0.38",
                                    },
                                },
                                {
                                    "to": None,
                                    "rows": {
                                        "1": "4.00",
                                        "1-2": "3.00",
                                        "2": "2.00",
                                        "2-3": "1.67",
                                        "3": "1.33",
                                        "3-4": "1.00",
                                        "4": "0.88",
                                        "5-8": "0.50",
                                    },
                                },
                            ],
                            "cover": ["5-8"],
                            "beyond": "0",
                        },
                    }
                },
                {"win": "0.08", "bracket": "any", "walkovers": True},
            ]
        },
        "count": {},
        "ties": [],
        "show_digits": 2,
    },
    "backgames_intermediate": {
        "points": {
            "higher": [
                {
                    "place": {
                        "bracket": "main",
                        "ties": "rows",
                        "values": {
                            "kind": "bands",
                            "by": "players",
                            "bands": [
                                {
                                    "to": 11,
                                    "rows": {
                                        "1": "1.25",
                                        "1-2": "0.94",
                                        "2": "0.63",
                                        "2-3": "0.52",
                                        "3": "0.42",
                                        "3-4": "0.31",
                                        "4": "0.27",
                                        "5-8": "0.16",
                                    },
                                },
                                {
                                    "to": 23,
                                    "rows": {
                                        "1": "1.50",
                                        "1-2": "1.13",
                                        "2": "0.75",
                                        "2-3": "0.62",
                                        "3": "0.50",
                                        "3-4": "0.38",
                                        "4": "0.33",
                                        "5-8": "0.19",
                                    },
                                },
                                {
                                    "to": 32,
                                    "rows": {
                                        "1": "2.00",
                                        "1-2": "1.50",
                                        "2": "1.00",
                                        "2-3": "0.83",
                                        "3": "0.67",
                                        "3-4": "0.50",
                                        "4": "0.44",
                                        "5-8": "0.25",
                                    },
                                },
                                {
                                    "to": 64,
                                    "rows": {
                                        "1": "2.50",
                                        "1-2": "1.88",
                                        "2": "1.25",
                                        "2-3": "1.04",
                                        "3": "0.83",
                                        "3-4": "0.63",
                                        "4": "0.55",
                                        "5-8": "0.31",
                                    },
                                },
                                {
                                    "to": None,
                                    "rows": {
                                        "1": "3.00",
                                        "1-2": "2.25",
                                        "2": "1.50",
                                        "2-3": "1.25",
                                        "3": "1.00",
                                        "3-4": "0.75",
                                        "4": "0.66",
                                        "5-8": "0.38",
                                    },
                                },
                            ],
                            "cover": ["5-8"],
                            "beyond": "0",
                        },
                    }
                },
                {"win": "0.04", "bracket": "any", "walkovers": True},
            ]
        },
        "count": {},
        "ties": [],
        "show_digits": 2,
    },
    "nardgammon": {
        "points": {"place": {"bracket": "main", "ties": "mean", "values": {"kind": "log2_over_place", "scale": "10"}}},
        "decay": {"every": "month", "factor": "0.5"},
        "count": {},
        "ties": [],
        "show_digits": 2,
    },
    "european_grand_prix": {
        "points": {
            "place": {
                "bracket": "main",
                "ties": "mean_from",
                "from": 5,
                "values": {"kind": "list", "points": ["200", "140", "90", "60", "40", "30", "20", "15", "10", "5"]},
            }
        },
        "count": {"best": 4},
        "ties": [],
        "show_digits": 2,
    },
    "british_grand_prix": {
        "points": {
            "place": {
                "bracket": "main",
                "ties": "mean",
                "values": {
                    "kind": "list",
                    "points": ["200", "160", "120", "100", "80", "60", "40", "20", "10"],
                    "beyond": "5",
                },
            }
        },
        "round_event": {"mode": "ceil", "digits": 0},
        "count": {},
        "ties": ["count_of_values"],
        "tie_values": ["200", "160", "120", "100"],
        "ties_for_first_only": True,
        "show_digits": 0,
    },
    "vienna_cup": {
        "points": {
            "add": [
                {"attend": "2"},
                {"win": "1"},
                {
                    "place": {
                        "bracket": "main",
                        "ties": "mean",
                        "values": {"kind": "list", "points": ["10", "8", "6", "5", "4", "3", "2", "1"]},
                    }
                },
            ]
        },
        "count": {"drop_worst": 1},
        "ties": [],
        "show_digits": 1,
        "qualify": {
            "places": 28,
            "stages": [
                {"to": 4, "stage": "quarterfinal"},
                {"to": 8, "stage": "last 16"},
                {"to": 12, "stage": "last 32"},
                {"to": 28, "stage": "qualifying", "places": 4},
            ],
        },
    },
    "brass_city": {
        "points": {"place": {"bracket": "main", "ties": "mean", "values": {"kind": "field", "factors": ["1", "0.5"]}}},
        "count": {},
        "ties": [],
        "show_digits": 1,
    },
    "columbus": {
        "points": {"times": [{"place_factor": {"bracket": "main", "factors": {"1": "2", "2": "1.3"}}}, {"win": "1"}]},
        "count": {},
        "ties": [],
        "show_digits": 1,
    },
    "by_rounds": {
        "points": {
            "add": [
                {
                    "place": {
                        "bracket": "main",
                        "ties": "mean",
                        "values": {
                            "kind": "bands",
                            "by": "rounds",
                            "bands": [
                                {"to": 2, "rows": {"1": "2", "2": "1"}},
                                {"to": 3, "rows": {"1": "4", "2": "2", "3": "1", "4": "1"}},
                                {
                                    "to": None,
                                    "rows": {
                                        "1": "6",
                                        "2": "4",
                                        "3": "2",
                                        "4": "2",
                                        "5": "1",
                                        "6": "1",
                                        "7": "1",
                                        "8": "1",
                                    },
                                },
                            ],
                        },
                    }
                },
                {
                    "by_class": {
                        "last": {
                            "place": {
                                "bracket": "main",
                                "ties": "mean",
                                "values": {"kind": "list", "points": ["3", "2", "1", "1"]},
                            }
                        }
                    }
                },
            ]
        },
        "count": {},
        "ties": [],
        "show_digits": 1,
    },
    "given": {"points": {"given": True}, "count": {"best": 7}, "ties": [], "show_digits": 0},
}
PRESETS: Mapping[str, Preset] = {code: Preset(TITLES[code], EXPLANATIONS[code], form) for code, form in _FORMS.items()}
"""Code -> preset, the most usual first."""


def preset(code: str) -> Preset:
    """Return a preset by its code. Raises Refused("series_preset")."""
    if code not in PRESETS:
        raise Refused("series_preset", preset=code[:40])
    return PRESETS[code]
