"""How long the random tests search, which TEST_TIER decides, and the seed that their choices follow from.

`test` is for `make test` and .ci/run, whose second pass, on PostgreSQL, is shorter; `soak` is for `make soak`, which
takes another TEST_SEED each time. With the same seed, a run makes the same choices; only the moments at which processes
die differ.
"""

import os
from typing import Any, NamedTuple

import pytest

TEST_SEED = int(os.environ.get("TEST_SEED", "1"))
"""What dice, secrets and random choices of the tests follow from."""


class Tier(NamedTuple):
    """How much the random tests try."""

    examples: int = 100
    """Of each property that does not set a number of its own."""
    events: int = 12
    event_steps: int = 40
    """Histories of an event, and what happens in each (tests/tournaments/test_state_machine.py)."""
    fast_path_matches: int = 1
    """Matches of both ways of an action, at each delay of spectators; 90 have over 20,000 actions in all."""
    live_matches: int = 8
    live_steps: int = 60
    """Matches played here, and what happens in each (tests/matches/play/test_match_machine.py)."""
    corrections: int = 4
    """Histories of each property of corrections."""
    second_model: int = 8
    """Pairs and triples of corrections, predicted (tests/tournaments/results/test_second_model.py)."""
    halls: int = 3
    """Pairs of events in one hall (tests/tournaments/floor/test_halls.py)."""
    nights: int = 1
    """Random nights without rounds."""
    lives: int = 3
    """Histories of corrections in an event of lives."""
    swiss: int = 3
    """Histories of each property of events that are paired round by round (tests/tournaments/test_swiss_machine.py)."""
    places: int = 12
    """Histories of places that are freed and taken (tests/tournaments/entries/test_places.py)."""
    ended_events: int = 2
    """Events that are played to their end (tests/tournaments/test_every_event_ends.py)."""
    every_write: bool = False
    """Whether every write is sent twice, or a sample (tests/repeats)."""
    pairs: int = 1
    """Pairs of formats, each with a field (tests/tournaments/test_stages_that_follow.py)."""
    placed: int = 2
    """Pairs of formats whose places follow the rules (tests/tournaments/test_places_of_two_stages.py)."""
    random_acts: int = 1
    random_act_steps: int = 30
    """Histories of every declared act, and what happens in each (tests/tournaments/test_random_acts.py)."""
    proposals: int = 4
    """Evenings for which formats are proposed and simulated (tests/formats/test_proposals.py)."""
    every_size: bool = False
    """Whether formats are tested with every size of field, or with those where something changes."""
    evenings: int = 1
    evening_steps: int = 6
    """Evenings, and what happens on each (tests/tournaments/test_where_everyone_is.py)."""
    weekends: int = 1
    """Weekends with several events for the same people (tests/demo/test_weekends.py)."""
    mutated_files: int = 160
    """Damaged spreadsheets, pictures, lists and records (tests/test_mutated_files.py)."""
    fuzzed: int = 2
    """Valid and invalid requests to each operation of the API."""
    rows: int = 3
    """Rows of each kind for which the privacy tests request a route."""
    every_page: bool = False
    """Whether a walk reads every page after it has tried what must not succeed, or those where it would show."""
    every_role: bool = False
    """Whether a walk is repeated for roles that are led to the same pages as another, or nearly."""
    interleavings: int = 100
    """Services called by several threads at once."""
    players: int = 8
    kills: int = 9
    """Of an event that goes on while processes are killed (tests/faults/test_event.py)."""
    kills_of_each: int = 1
    """Processes of each kind that are killed during live play."""


TIERS = {
    "test": Tier(),
    "postgresql": Tier(events=3, places=4, placed=1, fuzzed=1, interleavings=400),
    "soak": Tier(
        examples=1000,
        events=60,
        live_matches=60,
        fast_path_matches=90,
        corrections=30,
        second_model=1000,
        halls=300,
        nights=40,
        lives=40,
        swiss=30,
        places=400,
        ended_events=300,
        every_write=True,
        pairs=300,
        placed=600,
        random_acts=200,
        random_act_steps=60,
        proposals=60,
        every_size=True,
        every_page=True,
        every_role=True,
        evenings=4,
        evening_steps=12,
        weekends=20,
        mutated_files=12_000,
        fuzzed=15,
        rows=1000,
        interleavings=2000,
        players=64,
        kills=50,
        kills_of_each=4,
    ),
}
TIER_NAME = os.environ.get("TEST_TIER", "test")
TIER = TIERS[TIER_NAME]


def first_in_make_test(first: Any, *others: Any) -> list[Any]:
    """Return the values of a parameter, all but the first marked as slow: the others find less."""
    return [first, *(pytest.param(other, marks=pytest.mark.slow) for other in others)]
