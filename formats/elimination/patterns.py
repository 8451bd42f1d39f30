"""Patterns of lower brackets, in the usual notation: parsing, counting and proposals.

In `A.B.|.C.|.` dots separate rounds. A letter means that the losers of that round of the feeding bracket enter here (A
is its first round; `AB` means both), `|` is a round without new entrants, and the last dot is optional. `X` at the end
adds a final between the upper and the lower winner, `R` also a second final if the upper winner loses the first.

In every round as many players meet as possible; if their number is odd, one has a bye. A single entrant of a letter
round waits for the next round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from formats.elimination.knockout import bracket_size
from formats.errors import Refused
from formats.graph import MAIN, ByeSource, Graph

PAUSE = "|"
LETTERS = "ABCDEFGHIJKLMNOPQ"

USUAL = "unshifted"

READY_DOUBLE: dict[int, dict[str, str]] = {
    8: {"unshifted": "A.B.|.C.X"},
    16: {"unshifted": "A.B.|.C.|.D.X", "shifted": "A.B.C.D.|.X"},
    32: {
        "unshifted": "A.B.|.C.|.D.|.E.X",
        "early shift": "A.B.C.D.|.|.E.X",
        "late shift": "A.B.|.C.D.E.|.X",
    },
    64: {"unshifted": "A.B.|.C.|.D.|.E.|.F.X", "shifted": "A.B.C.D.|.E.F.|.X"},
    128: {"supershift": "A.B.C.D.E.F.|.G.|.X"},
}
"""Bracket size -> name -> pattern, for double eliminations whose rounds need no byes."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A parsed pattern: the letters that enter in each round (none for `|`), and how it ends.

    `final` is a final against the upper winner (X), `second_final` a possible second one (R).
    """

    rounds: tuple[tuple[str, ...], ...]
    final: bool = False
    second_final: bool = False

    def __str__(self) -> str:
        body = "".join(f"{''.join(letters) or PAUSE}." for letters in self.rounds)
        return body + ("R" if self.second_final else "X" if self.final else "")

    @property
    def letters(self) -> tuple[str, ...]:
        return tuple(letter for letters in self.rounds for letter in letters)


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """A round of a pattern for a given field: its entrants, matches and byes."""

    text: str
    entrants: int
    matches: int
    byes: int


@dataclass(frozen=True, slots=True)
class PatternProposal:
    """A pattern that suits a field, with its counts."""

    name: str
    pattern: Pattern
    rounds: tuple[PlannedRound, ...]

    @property
    def byes(self) -> int:
        return sum(round_.byes for round_ in self.rounds)


def parse(text: str) -> Pattern:
    """Parse a pattern. Raises Refused with a `pattern_…` code that says what is wrong and where.

    >>> str(parse("A.B.|.C.X"))
    'A.B.|.C.X'
    """
    cleaned = "".join(text.split())
    for place, symbol in enumerate(cleaned, start=1):
        if symbol not in f"{LETTERS}{PAUSE}.XR":
            raise Refused("pattern_symbol", symbol=symbol, place=place)
    items = [item for item in cleaned.split(".") if item]
    endings = ""
    while items and items[-1].strip("XR") == "":
        endings += items.pop()
    for item in items:
        if set(item) & set("XR"):
            raise Refused("pattern_final_early", text=item)
    if not items:
        raise Refused("pattern_empty")
    rounds = tuple(_letters(item, number) for number, item in enumerate(items, start=1))
    if not rounds[0]:
        raise Refused("pattern_without_drop")
    _check_order([letter for letters in rounds for letter in letters])
    return Pattern(rounds, final=bool(endings), second_final="R" in endings)


def _letters(item: str, number: int) -> tuple[str, ...]:
    if item == PAUSE:
        return ()
    if PAUSE in item:
        raise Refused("pattern_round_mixed", round=number, text=item)
    return tuple(item)


def _check_order(letters: Sequence[str]) -> None:
    for before, letter in pairwise(letters):
        if letter <= before:
            raise Refused("pattern_letter_order", letter=letter, before=before)


def losers_by_round(graph: Graph, key: str = MAIN) -> tuple[int, ...]:
    """Return how many lose in each round of a bracket: its fixtures without a bye."""
    return tuple(
        sum(not any(isinstance(source, ByeSource) for source in fixture.sources) for fixture in round_.fixtures)
        for round_ in graph.bracket(key).rounds
    )


def knockout_losers(entries: int) -> tuple[int, ...]:
    """Return how many lose in each round of a knockout.

    >>> knockout_losers(13)
    (5, 4, 2, 1)
    """
    half = bracket_size(entries) // 2
    later = [half >> shift for shift in range(1, half.bit_length())]
    return (entries - half, *later)


def plan(pattern: Pattern, losers: Sequence[int]) -> tuple[PlannedRound, ...]:
    """Return the rounds of a pattern with their counts; `losers` are those of each round of the feeding bracket.

    Raises Refused if a letter has no round, a round would have no match, or more than one player is left at the end.
    """
    known = LETTERS[: len(losers)]
    for letter in pattern.letters:
        if letter not in known:
            raise Refused("pattern_letter_unknown", letter=letter, last=known[-1])
    missing = [letter for letter in known if letter not in pattern.letters]
    if pattern.final and missing:
        raise Refused("pattern_final_misses", missing=", ".join(missing))
    left = 0
    rounds: list[PlannedRound] = []
    for number, letters in enumerate(pattern.rounds, start=1):
        entrants = left + sum(losers[LETTERS.index(letter)] for letter in letters)
        if entrants == 0 or (entrants == 1 and not letters):
            raise Refused("pattern_idle_round", round=number, entrants=entrants)
        matches = entrants // 2
        rounds.append(PlannedRound("".join(letters) or PAUSE, entrants, matches, entrants % 2 if matches else 0))
        left = entrants - matches
    if left != 1:
        raise Refused("pattern_not_one_left", left=left)
    return tuple(rounds)


def unshifted(losers: Sequence[int], *, final: bool = False) -> Pattern:
    """Return the pattern in which the losers of each round enter when no more players than they are left below.

    `losers` are those of the rounds that drop. If only one player loses in the first round, they wait for the second
    (`AB`).
    """
    rounds: list[tuple[str, ...]] = []
    left = at = 0
    while at < len(losers):
        take = 2 if at == 0 and losers[0] == 1 and len(losers) > 1 else 1
        rounds.append(tuple(LETTERS[at : at + take]))
        left = _after(left + sum(losers[at : at + take]))
        at += take
        while left > 1 and (at == len(losers) or left > losers[at]):
            rounds.append(())
            left = _after(left)
    return Pattern(tuple(rounds), final=final)


def fewest(losers: Sequence[int], *, rounds_first: bool = False, final: bool = False) -> Pattern:
    """Return the pattern with the fewest byes and then the fewest rounds, or the reverse with `rounds_first`.

    Losers enter earlier than in `unshifted`, which also means fewer expected rematches.
    """
    best: dict[tuple[int, int], tuple[tuple[int, int], tuple[tuple[str, ...], ...]]] = {(1, len(losers)): ((0, 0), ())}
    start = 2 if losers[0] == 1 and len(losers) > 1 else 1

    def add(byes: int, letters: tuple[str, ...], to: tuple[int, int]) -> None:
        (first, second), rest = best[to]
        cost = (first + 1, second + byes) if rounds_first else (first + byes, second + 1)
        options.append((cost, (letters, *rest)))

    # Dynamic programming from the last round back: the best continuation depends only on how many players are left and
    # which rounds are still to drop.
    for at in range(len(losers), -1, -1):
        for left in range(1 if at else 0, sum(losers[:at]) + 1):
            options = [best[left, at]] if (left, at) in best else []
            if left > 1:
                add(left % 2, (), (_after(left), at))
            take = 1 if at else start
            if at < len(losers):
                entrants = left + sum(losers[at : at + take])
                add(entrants % 2 if entrants > 1 else 0, tuple(LETTERS[at : at + take]), (_after(entrants), at + take))
            if at >= start or left == 0:
                best[left, at] = min(options)
    return Pattern(best[0, 0][1], final=final)


def _after(entrants: int) -> int:
    return entrants - entrants // 2


def propose_consolation(entries: int, *, last_drop: str | None = None) -> tuple[PatternProposal, ...]:
    """Propose consolations for a knockout of `entries`, fewest byes first; none if the field is too small.

    `last_drop` is the letter of the last round whose losers drop; by default all rounds but the final, because the
    finalists win prizes in the main bracket.
    """
    losers = knockout_losers(entries)
    count = len(losers) - 1 if last_drop is None else LETTERS.index(last_drop) + 1
    dropping = losers[:count]
    if sum(dropping) < 2:
        return ()
    patterns = {USUAL: unshifted(dropping), **_general(dropping, final=False)}
    return tuple(sorted(_distinct(patterns, losers), key=lambda proposal: proposal.byes))


def propose_double(entries: int, *, second_final: bool = False) -> tuple[PatternProposal, ...]:
    """Propose double eliminations for `entries`: the usual one first, the others by byes and then by rounds.

    In the usual one the loser of the upper final enters in the lower final and so is at least third.
    """
    losers = knockout_losers(entries)
    # If only one player loses in the first round, they have no opponent there, so no ready pattern fits.
    fitting = READY_DOUBLE.get(bracket_size(entries), {}) if losers[0] > 1 else {}
    named = {USUAL: unshifted(losers, final=True)} | {name: parse(text) for name, text in fitting.items()}
    named |= _general(losers, final=True)
    ended = {name: replace(pattern, second_final=second_final) for name, pattern in named.items()}
    usual, *others = _distinct(ended, losers)
    return (usual, *sorted(others, key=lambda proposal: (proposal.byes, len(proposal.rounds))))


def _general(losers: Sequence[int], *, final: bool) -> dict[str, Pattern]:
    return {
        "fewest byes": fewest(losers, final=final),
        "fewest rounds": fewest(losers, rounds_first=True, final=final),
    }


def _distinct(patterns: Mapping[str, Pattern], losers: Sequence[int]) -> list[PatternProposal]:
    """Return proposals with their counts; each pattern only once, under its first name."""
    names: dict[Pattern, str] = {}
    for name, pattern in patterns.items():
        names.setdefault(pattern, name)
    return [PatternProposal(name, pattern, plan(pattern, losers)) for pattern, name in names.items()]
