"""Standings and their tie-breaks: functions that can be applied in any order and that explain their results.

A tie-break takes an entry and the entries still tied with it. It returns a figure (more is better) with an explanation
as a code and parameters; `EXPLANATIONS` has the English sentence of each code, for translation. Definitions follow the
FIDE Tie-Break Regulations if these have them (`records.Edition`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from formats.errors import Refused
from formats.graph import EntryId
from formats.tables.records import Records, RoundKind, RoundRecord

EXPLANATIONS: dict[str, str] = {
    "points": "Points: {points}.",
    "wins": "Matches won at the board: {value}.",
    "head_to_head": "Points in matches between the tied players: {value} (matches: {matches}).",
    "head_to_head_average": "Points against the tied players, averaged over repeated meetings: {value}.",
    "head_to_head_first": "Place {place} among the tied players, whatever the results of their missing matches.",
    "head_to_head_open": "Skipped: not all tied players have met.",
    "head_to_head_again": "Again, among the players still tied: {value} (matches: {matches}).",
    "head_to_head_average_again": "Again, among the players still tied: {value}.",
    "head_to_head_first_again": "Again, among the players still tied: place {place}.",
    "head_to_head_open_again": "Skipped: not all tied players have met.",
    "buchholz": "Opponents' points, {parts}: {value}.",
    "buchholz_cut_1": "Opponents' points, {parts}, minus the lowest, {cut}: {value}.",
    "buchholz_median": "Opponents' points, {parts}, minus the lowest and the highest, {cut}: {value}.",
    "sonneborn_berger": "Opponents' points times the result against them, {parts}: {value}.",
    "point_difference": "Points won ({won}) minus points lost ({lost}), each match capped at its length: {value}.",
    "lots": "Place {place} in the drawing of lots.",
    "lots_none": "Lots have not been drawn.",
    "shared": "Still tied after all tie-breaks: the place is shared.",
}
"""Code -> English template."""


class RoundShare(NamedTuple):
    """What a round adds to a figure: the points of its opponent, or those that a bye or an absence counts."""

    value: float
    text: str
    opponent: EntryId | None
    kind: RoundKind
    cut: bool = False
    """It is left out of the sum, as the lowest or the highest."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explanation as data: a stable `code`, and the `params` of its template.

    `shares` are the parts of a sum, whose names a page can add.
    """

    code: str
    params: Mapping[str, Any]
    shares: tuple[RoundShare, ...] = ()

    @property
    def sentence(self) -> str:
        return EXPLANATIONS[self.code].format_map(self.params)


@dataclass(frozen=True, slots=True)
class Figure:
    """The result of a tie-break for an entry; more is better.

    `then` has the explanations if the tie-break was applied again to entries that it left tied.
    """

    value: float
    why: Explanation
    then: tuple[Explanation, ...] = ()


TieBreak = Callable[[EntryId, Sequence[EntryId], Records], Figure]


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """A row of the standings.

    `figures` are those of the tie-breaks in order, None for those that were not needed. `decided_by` is what separates
    the row from the one above it: "points", the name of a tie-break, or "shared".
    """

    place: int
    entry: EntryId
    points: float
    figures: tuple[Figure | None, ...]
    decided_by: str | None

    def explain(self) -> tuple[Explanation, ...]:
        """Explain the place: the points, then every tie-break that was needed."""
        used = [why for figure in self.figures if figure is not None for why in (figure.why, *figure.then)]
        shared = [Explanation("shared", {})] if self.decided_by == "shared" else []
        return (Explanation("points", {"points": plain(self.points)}), *used, *shared)


def plain(value: float) -> str:
    """Format a figure with the usual fractions, or else without needless decimals.

    >>> plain(3.0), plain(7.5), plain(1 / 3), plain(-2.25), plain(7.1)
    ('3', '7½', '⅓', '-2¼', '7.1')
    """
    whole, rest = divmod(abs(value), 1)
    sign = next((sign for fraction, sign in FRACTIONS.items() if abs(rest - fraction) < NEARLY), None)
    if sign is None:
        return f"{value:g}"
    return f"{'-' if value < 0 else ''}{int(whole) or ''}{sign}"


FRACTIONS = {1 / 2: "½", 1 / 3: "⅓", 2 / 3: "⅔", 1 / 4: "¼", 3 / 4: "¾"}
NEARLY = 1e-6
"""Sums of thirds are not exact."""


def wins(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Count the matches won at the board, without byes and forfeits. Source: article 7.2 (games won)."""
    value = sum(game.played and game.points >= records.win for game in records.games[entry])
    return Figure(value, Explanation("wins", {"value": value}))


def head_to_head(entry: EntryId, tied: Sequence[EntryId], records: Records) -> Figure:
    """Return the points in the matches between the tied entries, if all of them have met.

    Repeated matches of two entries count by their average. If not all have met, an entry is put first, second, … only
    if it would be there whatever the results of the missing matches; the others stay tied. `standings` applies it again
    to those still tied. Source: article 6 (direct encounter).
    """
    needed = len(tied) - 1
    if needed > 2 * records.most_rounds:
        # More matches are missing between the tied entries than anybody has played, so nobody is certain to be first.
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
    """The points of an entry against the entries tied with it, and how many of these it has met."""

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
    """Return the entries that are first, second, … even if all those behind them had won every missing match."""
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
    """The contribution of a round to a Buchholz sum."""

    value: float
    voluntary: bool
    game: RoundRecord


def _parts(entry: EntryId, records: Records) -> list[_Part]:
    """Return the contribution of each round. Source: articles 8.1 and 16.4."""
    return [
        _Part(records.worth(entry, game), game.voluntary and not records.counts_as_met(game), game)
        for game in records.games[entry]
        if not (records.scheduled and game.opponent is None)
    ]


def buchholz(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Sum the opponents' points. Source: article 8.1; unplayed rounds: article 16."""
    return _buchholz("buchholz", _parts(entry, records), [])


def buchholz_cut_1(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Return Buchholz without its lowest part, voluntarily unplayed rounds first. Source: articles 8, 16.5."""
    parts = _parts(entry, records)
    return _buchholz("buchholz_cut_1", parts, _lowest(parts))


def buchholz_median(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Return Buchholz without its lowest and its highest part. Source: articles 8, 16.5."""
    parts = _parts(entry, records)
    cut = _lowest(parts)
    rest = _without(parts, cut)
    return _buchholz("buchholz_median", parts, [*cut, *sorted(rest, key=lambda part: -part.value)[:1]])


def _lowest(parts: Sequence[_Part]) -> list[_Part]:
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
    shares = tuple(
        RoundShare(
            part.value, plain(part.value), part.game.opponent, part.game.kind, any(part is other for other in cut)
        )
        for part in parts
    )
    return Figure(value, Explanation(code, params, shares))


def sonneborn_berger(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Sum each opponent's points times the result against them (win 1, draw ½). Source: articles 9.1, 16."""
    games = [game for game in records.games[entry] if not (records.scheduled and game.opponent is None)]
    shares = [
        (part.value, game.points / records.win, game)
        for part, game in zip(_parts(entry, records), games, strict=True)
        if game.points
    ]
    value = sum(points * result for points, result, _ in shares)
    texts = [f"{plain(points)}×{plain(result)}" for points, result, _ in shares]
    named = tuple(
        RoundShare(points * result, text, game.opponent, game.kind)
        for text, (points, result, game) in zip(texts, shares, strict=True)
    )
    params = {"parts": " + ".join(texts) or "0", "value": plain(value)}
    return Figure(value, Explanation("sonneborn_berger", params, named))


def point_difference(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Return points won minus points lost at the board, each capped at the match length.

    Raises Refused("tiebreak_needs_one_length") if match lengths differ.
    """
    if len(records.lengths) > 1:
        raise Refused("tiebreak_needs_one_length", lengths=", ".join(map(str, records.lengths)))
    games = [game for game in records.games[entry] if game.played]
    value = sum(game.difference for game in games)
    won = sum(min(game.won, game.length) for game in games)
    return Figure(value, Explanation("point_difference", {"won": won, "lost": won - value, "value": value}))


def lots(entry: EntryId, _tied: Sequence[EntryId], records: Records) -> Figure:
    """Return the place in the drawing of lots, which covers all entries, so that a single drawing breaks every tie."""
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

LABELS: dict[str, tuple[str, str, str]] = {
    "wins": (
        "Matches won",
        "Wins",
        "Number of matches won at the board; byes, forfeits and walkovers do not count.",
    ),
    "head_to_head": (
        "Head-to-head",
        "H2H",
        "Points in the matches between the tied players, if all of them have met; then again among those still tied.",
    ),
    "buchholz": ("Buchholz", "Bhz", "The sum of the opponents' points: stronger opposition ranks higher."),
    "buchholz_cut_1": ("Buchholz minus lowest", "Bhz−1", "The sum of the opponents' points, without the lowest."),
    "buchholz_median": (
        "Median Buchholz",
        "Bhz med",
        "The sum of the opponents' points, without the lowest and the highest.",
    ),
    "sonneborn_berger": (
        "Sonneborn–Berger",
        "SB",
        "The sum of each opponent's points times the result against them.",
    ),
    "point_difference": (
        "Points won minus lost",
        "+/−",
        "Points won minus points lost in all matches, each match capped at its length.",
    ),
    "lots": (
        "Drawing of lots",
        "Lots",
        "Drawn once for all players from the seed of the draw, so that anyone can verify it.",
    ),
}
"""Name -> what readers call it, the heading of its column, and its definition; for translation."""

FIDE_ARTICLES = {
    "wins": "7.2",
    "head_to_head": "6",
    "buchholz": "8.1, 16",
    "buchholz_cut_1": "8, 16.5",
    "buchholz_median": "8, 16.5",
    "sonneborn_berger": "9.1, 16",
}
"""Where the FIDE Tie-Break Regulations define it; the others are our own."""


AGAIN = frozenset({"head_to_head"})
"""Tie-breaks that are applied again to the entries they left tied, before the next tie-break (article 6)."""


def offered(lengths: Iterable[int]) -> tuple[str, ...]:
    """Return the tie-breaks that can be used with these match lengths."""
    one_length = len(set(lengths)) <= 1
    return tuple(name for name in TIEBREAKS if one_length or name != "point_difference")


def standings(records: Records, tiebreaks: Sequence[str] = ()) -> tuple[StandingsRow, ...]:
    """Rank all entries by points, then by the tie-breaks in order; entries that are still tied share a place.

    Each tie-break only looks at entries that the ones before it left tied. Rows that share a place are sorted by id.
    Raises Refused("unknown_tiebreak") or ("tiebreak_needs_one_length").
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
    """Split a group by a tie-break; those in `AGAIN` are repeated for entries still tied until they separate nobody."""
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
    """Split a group into parts of equal value, best first, and note the reason for every part but the first."""
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
) -> Iterable[StandingsRow]:
    place = 1
    for group in groups:
        for at, entry in enumerate(group):
            padded = (*figures[entry], *[None] * (width - len(figures[entry])))
            why = "shared" if len(group) > 1 and at else reason.get(entry)
            yield StandingsRow(place, entry, records.scores[entry], padded, why)
        place += len(group)
