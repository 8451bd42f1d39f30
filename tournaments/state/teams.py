"""Teams of a division: named at entry, two or more of them make it a match between teams."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from core.names import fold


def teams_of(named: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return entry id -> its team as it was spelled first; empty unless there are two teams or more.

    >>> teams_of([(1, "CBC"), (2, "cbc"), (3, "MBK"), (4, "")])
    {1: 'CBC', 2: 'CBC', 3: 'MBK'}
    """
    spelled: dict[str, str] = {}
    teams = {entry: spelled.setdefault(fold(team), team) for entry, team in named if fold(team)}
    return teams if len(spelled) > 1 else {}


def team_mates(teams: dict[int, str]) -> Iterator[frozenset[int]]:
    """Yield the pairs of entries that are in the same team and so never meet."""
    members: dict[str, list[int]] = defaultdict(list)
    for entry, team in teams.items():
        members[team].append(entry)
    for entries in members.values():
        yield from map(frozenset, combinations(entries, 2))
