"""Who plays in which division of a league in the season that follows."""

from collections.abc import Collection, Sequence

from tournaments.formats.graph import EntryId


def next_season(
    tables: Sequence[Sequence[EntryId]],
    *,
    moving: Sequence[int],
    leavers: Collection[EntryId] = (),
    newcomers: Sequence[EntryId] = (),
) -> tuple[tuple[EntryId, ...], ...]:
    """Divisions of the next season, best first, from the final tables of this one.

    The last `moving[i]` of division i change places with as many first ones of the division below. Leavers
    go out first; gaps are then filled from the top of the division below, newcomers join the lowest.
    """
    sizes = [len(table) for table in tables]
    stays = [[entry for entry in table if entry not in leavers] for table in tables]
    last = len(stays) - 1
    ups = [table[: moving[at - 1] if at else 0] for at, table in enumerate(stays)]
    rest = [table[len(up) :] for table, up in zip(stays, ups, strict=True)]
    downs = [table[max(0, len(table) - moving[at]) :] if at < last else [] for at, table in enumerate(rest)]
    new = [
        [
            *(downs[at - 1] if at else []),
            *rest[at][: len(rest[at]) - len(downs[at])],
            *(ups[at + 1] if at < last else []),
        ]
        for at in range(len(stays))
    ]
    new[-1] += newcomers
    for at in range(len(new) - 1):
        while len(new[at]) < sizes[at] and new[at + 1]:
            new[at].append(new[at + 1].pop(0))
    return tuple(map(tuple, new))
