"""The critical path: how much play depends on a match; without Django."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise

from tournaments.floor.facts import MatchFacts, Progress
from tournaments.floor.times import expected_minutes


def critical_minutes(matches: Iterable[MatchFacts]) -> Mapping[int, float]:
    """Return for each unfinished fixture the expected minutes of the longest chain of matches that begins with it.

    A match comes before those that wait for its winner or loser, and before the next match of each of its players in
    the same stage (as in a round robin).
    """
    open_matches = {match.fixture: match for match in matches if match.progress != Progress.SETTLED}
    following = _following(open_matches)
    minutes: dict[int, float] = {}
    # The matches that follow from a match have higher numbers in its stage.
    for match in sorted(open_matches.values(), key=lambda match: -match.number):
        after = max((minutes.get(fixture, 0.0) for fixture in following[match.fixture]), default=0.0)
        minutes[match.fixture] = expected_minutes(match.length) + after
    return minutes


def _following(matches: Mapping[int, MatchFacts]) -> dict[int, set[int]]:
    following = {fixture: {next_ for next_ in row.leads_to if next_ in matches} for fixture, row in matches.items()}
    of_player: dict[tuple[int, int], list[MatchFacts]] = defaultdict(list)
    for match in matches.values():
        for player in match.pair or ():
            of_player[match.stage, player].append(match)
    for own in of_player.values():
        ordered = sorted(own, key=lambda match: match.number)
        for match, next_ in pairwise(ordered):
            following[match.fixture].add(next_.fixture)
    return following
