"""An evening that a director makes up to see what a plan gives for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from formats import graph
from formats.series.facts import DecidedBy, SeasonEvent, SeriesBracket, SeriesDivision, SeriesMatch
from formats.series.plan import GROUP, MAIN

INVENTED = "invented"
"""The id of an evening that nobody has played."""
USUAL_PLAYERS, USUAL_LENGTH = 8, 5


@dataclass(frozen=True, slots=True)
class Invented:
    """An evening that somebody makes up to see its points."""

    players: int
    length: int = USUAL_LENGTH


def invented_evening(evening: Invented, day: date, *, is_group: bool = False) -> SeasonEvent:
    """Return a knockout that the players "1", "2" … won in this order, with a consolation of its first losers.

    The best have byes. Or a group, in which everybody has played everybody.
    """
    players = [str(number) for number in range(1, evening.players + 1)]
    if is_group:
        name = f"{GROUP}1"
        bracket = SeriesBracket(name, frozenset(players), tuple((player,) for player in players))
        played = [SeriesMatch(name, winner, loser, evening.length) for winner, loser in combinations(players, 2)]
        return SeasonEvent(INVENTED, day, (SeriesDivision("", frozenset(players), (bracket,), tuple(played)),))
    main, matches = _knockout(MAIN, players, evening.length)
    losers = [match.loser for match in matches if match.round == 1 and match.loser is not None]
    brackets = [main]
    if len(losers) > 1:
        other, more = _knockout(graph.CONSOLATION, sorted(losers, key=int), evening.length)
        brackets, matches = [main, other], [*matches, *more]
    division = SeriesDivision("", frozenset(players), tuple(brackets), tuple(matches))
    return SeasonEvent(INVENTED, day, (division,))


def _knockout(name: str, players: Sequence[str], length: int) -> tuple[SeriesBracket, list[SeriesMatch]]:
    """Return a bracket in which the better of two always wins; the players are in order, the best first."""
    rounds = (len(players) - 1).bit_length()
    left, matches = list(players), []
    placings: list[tuple[str, ...]] = []
    for round_ in range(1, rounds + 1):
        size = 2 ** (rounds - round_)
        byes = 2 * size - len(left)
        to_final = rounds - round_
        matches += [SeriesMatch(name, player, None, length, DecidedBy.BYE, round_, to_final) for player in left[:byes]]
        pairs = list(_pairs(left[byes:]))
        matches += [
            SeriesMatch(name, winner, loser, length, DecidedBy.PLAYED, round_, to_final) for winner, loser in pairs
        ]
        placings.append(tuple(loser for _winner, loser in pairs))
        left = left[:size]
    return SeriesBracket(name, frozenset(players), (tuple(left), *reversed(placings)), rounds), matches


def _pairs(players: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pair the best with the last, and so on."""
    half = len(players) // 2
    yield from zip(players[:half], reversed(players[half:]), strict=True)
