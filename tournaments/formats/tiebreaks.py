"""Standings and their tie-breaks: small functions that can be put in any order, and that say what they did.

A tie-break is asked about one entry among those still tied with it and answers a figure (more is better)
with the reason as a code and parameters; `EXPLANATIONS` has the English sentence of each code, which a
shell may translate. Definitions follow `records.REGULATIONS` where it has them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tournaments.formats.errors import Refused
from tournaments.formats.graph import EntryId
from tournaments.formats.records import Records

EXPLANATIONS: dict[str, str] = {
    "points": "{points} points.",
    "wins": "{value} matches won at the board.",
    "head_to_head": "{value} points in {matches} matches among those tied.",
    "head_to_head_first": "First among those tied, however their missing matches had ended.",
    "head_to_head_open": "Those tied have not all met, so their matches among themselves do not decide.",
    "buchholz": "Opponents' points {parts}: {value}.",
    "buchholz_cut_1": "Opponents' points {parts} without the least, {cut}: {value}.",
    "buchholz_median": "Opponents' points {parts} without the least and the most, {cut}: {value}.",
    "sonneborn_berger": "Opponents' points times own result, {parts}: {value}.",
    "point_difference": "{won} points won and {lost} lost, each match capped at its length: {value}.",
    "playoff": "Place {place} in the play-off.",
    "playoff_none": "Not in a play-off.",
    "lots": "Place {place} when lots were drawn.",
    "lots_none": "Lots have not been drawn.",
    "shared": "Still tied after every tie-break: the place is shared.",
}
"""Code -> English template."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A reason as data: `code` is stable, `params` fill its template."""

    code: str
    params: Mapping[str, Any]

    @property
    def sentence(self) -> str:
        """The sentence in English."""
        return EXPLANATIONS[self.code].format_map(self.params)


@dataclass(frozen=True, slots=True)
class Figure:
    """What a tie-break answers; more is better."""

    value: float
    why: Explanation


TieBreak = Callable[[EntryId, Sequence[EntryId], Records], Figure]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a standing.

    `figures` go with the tie-breaks in their order, None where the tie was broken before. `decided_by`
    names what separates the row from the one above it: "points", a tie-break, or "shared".
    """

    place: int
    entry: EntryId
    points: float
    figures: tuple[Figure | None, ...]
    decided_by: str | None

    def explain(self) -> tuple[Explanation, ...]:
        """The row in words: its points, then every tie-break that was needed."""
        used = [figure.why for figure in self.figures if figure is not None]
        shared = [Explanation("shared", {})] if self.decided_by == "shared" else []
        return (Explanation("points", {"points": plain(self.points)}), *used, *shared)


def plain(value: float) -> str:
    """A figure without needless decimals.

    >>> plain(3.0), plain(7.25)
    ('3', '7.25')
    """
    return f"{value:g}"


def wins(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Matches won at the board; byes and forfeits do not count. Source: article 7.2 (games won)."""
    value = sum(game.played and game.points >= records.win for game in records.games[entry])
    return Figure(value, Explanation("wins", {"value": value}))


def head_to_head(entry: EntryId, tied: Sequence[EntryId], records: Records) -> Figure:
    """Points in the matches of those tied among themselves, if all have met as often.

    If not, only somebody who would be first whatever the missing matches had brought is put first.
    Source: article 6 (direct encounter).
    """
    needed = len(tied) - 1
    if needed > 2 * records.most_rounds:
        # Whoever else is tied misses more matches than anybody has played: nobody is first whatever they bring.
        return Figure(0, Explanation("head_to_head_open", {}))
    points, matches = _among(entry, tied, records)
    counts = {other: _among(other, tied, records) for other in tied}
    if len({met for _, met in counts.values()}) == 1 and matches >= needed and _all_met(tied, records):
        why = Explanation("head_to_head", {"value": plain(points), "matches": matches})
        return Figure(points, why)
    rivals = [score + max(0, needed - met) * records.win for other, (score, met) in counts.items() if other != entry]
    if points > max(rivals, default=0.0):
        return Figure(1, Explanation("head_to_head_first", {}))
    return Figure(0, Explanation("head_to_head_open", {}))


def _among(entry: EntryId, tied: Sequence[EntryId], records: Records) -> tuple[float, int]:
    met = [g for g in records.games[entry] if records.counts_as_met(g) and g.opponent in tied]
    return sum(game.points for game in met), len(met)


def _all_met(tied: Sequence[EntryId], records: Records) -> bool:
    return all(
        set(tied) - {entry} <= {g.opponent for g in records.games[entry] if records.counts_as_met(g)} for entry in tied
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """One round's share in a Buchholz sum."""

    value: float
    voluntary: bool


def _parts(entry: EntryId, records: Records) -> list[_Part]:
    """What each round brings: the opponent's adjusted score, or the own score for an unplayed round.

    Source: articles 8.1 and 16.4 (the dummy opponent has as many points as the entry itself).
    """
    own = records.scores[entry]
    return [
        _Part(records.adjusted[game.opponent], voluntary=False)
        if game.opponent is not None and records.counts_as_met(game)
        else _Part(own, game.voluntary)
        for game in records.games[entry]
        if not (records.scheduled and game.opponent is None)
    ]


def buchholz(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """The sum of the opponents' points. Source: article 8.1; unplayed rounds article 16."""
    return _buchholz("buchholz", _parts(entry, records), [])


def buchholz_cut_1(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Buchholz without the least part, one of a voluntarily unplayed round first. Source: articles 8, 16.5."""
    parts = _parts(entry, records)
    return _buchholz("buchholz_cut_1", parts, _least(parts))


def buchholz_median(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Buchholz without the least and the greatest part. Source: articles 8, 16.5."""
    parts = _parts(entry, records)
    cut = _least(parts)
    rest = _without(parts, cut)
    return _buchholz("buchholz_median", parts, [*cut, *sorted(rest, key=lambda part: -part.value)[:1]])


def _least(parts: Sequence[_Part]) -> list[_Part]:
    return sorted(parts, key=lambda part: (not part.voluntary, part.value))[:1]


def _without(parts: Sequence[_Part], cut: Sequence[_Part]) -> list[_Part]:
    rest = list(parts)
    for part in cut:
        rest.remove(part)
    return rest


def _buchholz(code: str, parts: Sequence[_Part], cut: Sequence[_Part]) -> Figure:
    value = sum(part.value for part in parts) - sum(part.value for part in cut)
    params = {
        "parts": " + ".join(plain(part.value) for part in parts) or "0",
        "cut": ", ".join(plain(part.value) for part in cut),
        "value": plain(value),
    }
    return Figure(value, Explanation(code, params))


def sonneborn_berger(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Each opponent's points times the own result against him (1 a win, a half a draw). Source: articles 9.1, 16."""
    games = [game for game in records.games[entry] if not (records.scheduled and game.opponent is None)]
    shares = [
        (part.value, game.points / records.win)
        for part, game in zip(_parts(entry, records), games, strict=True)
        if game.points
    ]
    value = sum(points * result for points, result in shares)
    text = " + ".join(f"{plain(points)}×{plain(result)}" for points, result in shares) or "0"
    return Figure(value, Explanation("sonneborn_berger", {"parts": text, "value": plain(value)}))


def point_difference(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Points won minus points lost at the board, each capped at the match length.

    Not offered where lengths differ: raises Refused("tiebreak_needs_one_length").
    """
    if len(records.lengths) > 1:
        raise Refused("tiebreak_needs_one_length", lengths=", ".join(map(str, records.lengths)))
    games = [game for game in records.games[entry] if game.played]
    value = sum(game.difference for game in games)
    won = sum(min(game.won, game.length) for game in games)
    return Figure(value, Explanation("point_difference", {"won": won, "lost": won - value, "value": value}))


def playoff(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """The place in a play-off. Source: article 3; who was not in it stands behind those who were."""
    place = records.playoffs.get(entry)
    if place is None:
        return Figure(-float(len(records.games) + 1), Explanation("playoff_none", {}))
    return Figure(-place, Explanation("playoff", {"place": place}))


def lots(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """The drawing of lots, seeded, over all entries at once so that one draw serves every tie."""
    place = records.lots[entry]
    return Figure(-place, Explanation("lots" if place else "lots_none", {"place": place}))


TIEBREAKS: dict[str, TieBreak] = {
    "wins": wins,
    "head_to_head": head_to_head,
    "buchholz": buchholz,
    "buchholz_cut_1": buchholz_cut_1,
    "buchholz_median": buchholz_median,
    "sonneborn_berger": sonneborn_berger,
    "point_difference": point_difference,
    "playoff": playoff,
    "lots": lots,
}
"""Name -> tie-break; the name is also the code of its explanation."""


def offered(lengths: Iterable[int]) -> tuple[str, ...]:
    """The tie-breaks that make sense for these match lengths."""
    one_length = len(set(lengths)) <= 1
    return tuple(name for name in TIEBREAKS if one_length or name != "point_difference")


def standings(records: Records, tiebreaks: Sequence[str] = ()) -> tuple[Row, ...]:
    """All entries by points, then by the tie-breaks in order; who is still tied shares the place.

    Each tie-break looks only at those whom the ones before it left tied. Rows that share a place are in the
    order of their ids. Raises Refused("unknown_tiebreak") or ("tiebreak_needs_one_length").
    """
    for name in tiebreaks:
        if name not in TIEBREAKS:
            raise Refused("unknown_tiebreak", name=name)
    figures: dict[EntryId, list[Figure]] = {entry: [] for entry in records.games}
    reason: dict[EntryId, str] = {}
    groups = _split(sorted(records.games), records.scores, "points", reason)
    for name in tiebreaks:
        parted: list[list[EntryId]] = []
        for group in groups:
            parted += _applied(name, group, records, figures, reason)
        groups = parted
    return tuple(_rows(groups, records, figures, reason, len(tiebreaks)))


def _applied(
    name: str,
    group: list[EntryId],
    records: Records,
    figures: dict[EntryId, list[Figure]],
    reason: dict[EntryId, str],
) -> list[list[EntryId]]:
    if len(group) == 1:
        return [group]
    values: dict[EntryId, float] = {}
    for entry in group:
        figure = TIEBREAKS[name](entry, group, records)
        figures[entry].append(figure)
        values[entry] = figure.value
    return _split(group, values, name, reason)


def _split(
    group: Sequence[EntryId], values: Mapping[EntryId, float], name: str, reason: dict[EntryId, str]
) -> list[list[EntryId]]:
    """The group in parts of equal value, best first; the first of each later part remembers what parted it."""
    parts: dict[float, list[EntryId]] = {}
    for entry in group:
        parts.setdefault(values[entry], []).append(entry)
    ordered = [parts[value] for value in sorted(parts, reverse=True)]
    for part in ordered[1:]:
        reason.update(dict.fromkeys(part, name))
    return ordered


def _rows(
    groups: Sequence[Sequence[EntryId]],
    records: Records,
    figures: Mapping[EntryId, list[Figure]],
    reason: Mapping[EntryId, str],
    width: int,
) -> Iterable[Row]:
    place = 1
    for group in groups:
        for at, entry in enumerate(group):
            padded = (*figures[entry], *[None] * (width - len(figures[entry])))
            why = "shared" if len(group) > 1 and at else reason.get(entry)
            yield Row(place, entry, records.scores[entry], padded, why)
        place += len(group)
