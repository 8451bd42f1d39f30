"""Promotion and relegation: the divisions of a league in its next season."""

from collections.abc import Collection, Sequence

from formats.graph import EntryId


def next_season(
    tables: Sequence[Sequence[EntryId]],
    *,
    moving: Sequence[int],
    leavers: Collection[EntryId] = (),
    newcomers: Sequence[EntryId] = (),
) -> tuple[tuple[EntryId, ...], ...]:
    """Return the divisions of the next season, best first, from the final tables of this one.

    The last `moving[i]` entries of division i change places with as many from the top of the division below. Leavers
    are removed first; then gaps are filled from the top of the division below, and newcomers join the lowest division.
    """
    sizes = [len(table) for table in tables]
    remaining = [[entry for entry in table if entry not in leavers] for table in tables]
    last = len(remaining) - 1
    ups = [table[: moving[at - 1] if at else 0] for at, table in enumerate(remaining)]
    rest = [table[len(up) :] for table, up in zip(remaining, ups, strict=True)]
    downs = [table[max(0, len(table) - moving[at]) :] if at < last else [] for at, table in enumerate(rest)]
    new = [
        [
            *(downs[at - 1] if at else []),
            *rest[at][: len(rest[at]) - len(downs[at])],
            *(ups[at + 1] if at < last else []),
        ]
        for at in range(len(remaining))
    ]
    new[-1] += newcomers
    for at in range(len(new) - 1):
        while len(new[at]) < sizes[at] and new[at + 1]:
            new[at].append(new[at + 1].pop(0))
    return tuple(map(tuple, new))
