"""Standings and their tie-breaks: small functions that can be put in any order, and that say what they did.

A tie-break is asked about one entry among those still tied with it and answers a figure (more is better)
with the reason as a code and parameters; `EXPLANATIONS` has the English sentence of each code, which a
shell may translate. Definitions follow the FIDE Tie-Break Regulations where these have them (`records.Edition`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tournaments.formats.errors import Refused
from tournaments.formats.graph import EntryId
from tournaments.formats.tables.records import Records

EXPLANATIONS: dict[str, str] = {
    "points": "Points: {points}.",
    "wins": "{value} matches won at the board.",
    "head_to_head": "Points in the matches among those tied: {value} (matches: {matches}).",
    "head_to_head_average": "Points against those tied, by average where two have met more than once: {value}.",
    "head_to_head_first": "Place {place} among those tied, however their missing matches had ended.",
    "head_to_head_open": "Those tied have not all met, so their matches among themselves do not decide.",
    "head_to_head_again": "The same among those still tied: {value} (matches: {matches}).",
    "head_to_head_average_again": "The same among those still tied: {value}.",
    "head_to_head_first_again": "The same among those still tied: place {place}.",
    "head_to_head_open_again": "Those still tied have not all met, and others among them are certain to be ahead.",
    "buchholz": "Opponents' points {parts}: {value}.",
    "buchholz_cut_1": "Opponents' points {parts} without the least, {cut}: {value}.",
    "buchholz_median": "Opponents' points {parts} without the least and the most, {cut}: {value}.",
    "sonneborn_berger": "Opponents' points times own result, {parts}: {value}.",
    "point_difference": "{won} points won and {lost} lost, each match capped at its length: {value}.",
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
    """What a tie-break gives; more is better.

    `then` are the reasons of a tie-break that was applied again to those whom it had left tied.
    """

    value: float
    why: Explanation
    then: tuple[Explanation, ...] = ()


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
        used = [why for figure in self.figures if figure is not None for why in (figure.why, *figure.then)]
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
    """Points in the matches of those tied among themselves, if all of them have met.

    Two who met more than once share the average of their matches. If not all have met, only those are put first,
    one after the other, who would stand there whatever the missing matches had brought; the others stay tied.
    `standings` applies it again to those still tied. Source: article 6 (direct encounter).
    """
    needed = len(tied) - 1
    if needed > 2 * records.most_rounds:
        # Whoever else is tied misses more matches than anybody has played: nobody is first whatever they bring.
        return Figure(0, Explanation("head_to_head_open", {}))
    among = frozenset(tied)
    encounters = {other: _Encounters.of(other, among, records) for other in tied}
    own = encounters[entry]
    if all(other.met == needed for other in encounters.values()):
        code = "head_to_head" if own.matches == own.met else "head_to_head_average"
        return Figure(own.points, Explanation(code, {"value": plain(own.points), "matches": own.matches}))
    certain = _certain_first(encounters, records.win)
    if entry in certain:
        place = certain.index(entry)
        return Figure(len(certain) - place, Explanation("head_to_head_first", {"place": place + 1}))
    return Figure(0, Explanation("head_to_head_open", {}))


@dataclass(frozen=True, slots=True)
class _Encounters:
    """What one entry won against the others who are tied with it, and how many of them it has met."""

    points: float
    met: int
    matches: int

    @classmethod
    def of(cls, entry: EntryId, tied: Collection[EntryId], records: Records) -> "_Encounters":
        by_opponent: dict[EntryId, list[float]] = {}
        for game in records.games[entry]:
            if game.opponent is not None and game.opponent in tied and records.counts_as_met(game):
                by_opponent.setdefault(game.opponent, []).append(game.points)
        average = sum(sum(points) / len(points) for points in by_opponent.values())
        return cls(average, len(by_opponent), sum(map(len, by_opponent.values())))


def _certain_first(encounters: Mapping[EntryId, _Encounters], win: float) -> list[EntryId]:
    """Those who stand first, second, … even if all others behind them had won every missing match."""
    needed = len(encounters) - 1
    most = {entry: own.points + (needed - own.met) * win for entry, own in encounters.items()}
    order = sorted(encounters, key=lambda entry: (-encounters[entry].points, -most[entry]))
    certain: list[EntryId] = []
    for at, entry in enumerate(order[:-1]):
        if encounters[entry].points <= max(most[other] for other in order[at + 1 :]):
            break
        certain.append(entry)
    return certain


@dataclass(frozen=True, slots=True)
class _Part:
    """One round's share in a Buchholz sum."""

    value: float
    voluntary: bool


def _parts(entry: EntryId, records: Records) -> list[_Part]:
    """What each round brings. Source: articles 8.1 and 16.4."""
    return [
        _Part(records.worth(entry, game), game.voluntary and not records.counts_as_met(game))
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
    """Each opponent's points times the own result against them (1 a win, a half a draw). Source: articles 9.1, 16."""
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
    "lots": lots,
}
"""Name -> tie-break; the name is also the code of its explanation."""


AGAIN = frozenset({"head_to_head"})
"""Tie-breaks that are applied again to those whom they left tied, before the next one is (article 6)."""


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
    *,
    again: bool = False,
) -> list[list[EntryId]]:
    """The group split by a tie-break; one of `AGAIN` goes on with those still tied until it separates nobody."""
    if len(group) == 1:
        return [group]
    values = {entry: TIEBREAKS[name](entry, group, records) for entry in group}
    parts = _split(group, {entry: figure.value for entry, figure in values.items()}, name, reason)
    if again and len(parts) == 1:
        return parts
    for entry, figure in values.items():
        if again:
            first, why = figures[entry][-1], figure.why
            repeated = Explanation(f"{why.code}_again", why.params)
            figures[entry][-1] = replace(first, then=(*first.then, repeated))
        else:
            figures[entry].append(figure)
    if name not in AGAIN or len(parts) == 1:
        return parts
    return [smaller for part in parts for smaller in _applied(name, part, records, figures, reason, again=True)]


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
