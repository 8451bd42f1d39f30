"""A season of 40 evenings with 60 players: CPU seconds for all points with their parts, the table, and an outlook."""

from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from random import Random
from time import process_time

from formats.series.facts import Bracket, Division, Event, How, Match
from formats.series.outlook import Upcoming, contest_of, outlook
from formats.series.presets import PRESETS
from formats.series.table import season

PLAYERS = tuple(f"Player {number}" for number in range(60))
EVENINGS = 40
TARGET = 0.5
"""CPU seconds that a season may take."""
REPEATS = 3
PLANS = ("usual", "usbgf_master_points", "new_england", "nardgammon", "bristol_knockouts")


def evening(number: int, rng: Random) -> Event:
    """Return an evening of all players: a main bracket of 64 and a consolation."""
    matches: list[Match] = []
    main, losers = knockout("main", list(PLAYERS), rng, matches)
    consolation, _ = knockout("consolation", losers, rng, matches)
    division = Division("Open", frozenset(PLAYERS), (main, consolation), tuple(matches))
    day = date(2026, 1, 1) + timedelta(days=7 * number)
    return Event(f"e{number}", day, (division,), "double" if number % 10 == 9 else "normal")


def knockout(name: str, players: list[str], rng: Random, matches: list[Match]) -> tuple[Bracket, list[str]]:
    """Play a knockout; return the bracket, and who lost in its first two rounds."""
    size = 1 << (len(players) - 1).bit_length()
    rounds = size.bit_length() - 1
    left: list[str | None] = [*players, *[None] * (size - len(players))]
    rng.shuffle(left)
    groups: list[tuple[str, ...]] = []
    for number in range(1, rounds + 1):
        winners: list[str | None] = []
        losers: list[str] = []
        for first, second in zip(left[::2], left[1::2], strict=True):
            winner, loser = (first, second) if second is None or rng.random() < 0.5 else (second, first)
            winners.append(winner)
            if winner is None:
                continue
            how = How.PLAYED if loser is not None else How.BYE
            matches.append(Match(name, winner, loser, 7, how, number, rounds - number))
            losers += [loser] if loser is not None else []
        left = winners
        groups.append(tuple(losers))
    champion = tuple(player for player in left if player is not None)
    placings = tuple(group for group in (champion, *reversed(groups)) if group)
    return Bracket(name, frozenset(players), placings, rounds), [player for group in groups[:2] for player in group]


def main() -> None:
    """Measure each plan, and what it would take two evenings before the end."""
    rng = Random("a season")  # noqa: S311 - invented results
    events = [evening(number, rng) for number in range(EVENINGS)]
    slowest = 0.0
    for code in PLANS:
        plan = PRESETS[code].plan
        seconds = min(_seconds(lambda plan=plan: season(plan, events)) for _ in range(REPEATS))
        slowest = max(slowest, seconds)
        print(f"{code:22} {seconds:.3f} s")
    evaluated = season(PRESETS["usual"].plan, events[:-1])
    values = tuple(Fraction(points) for points in (16, 11, 7, 7, 4, 4, 4, 4))
    final = Upcoming("final", frozenset(PLAYERS), values)
    seconds = _seconds(lambda: [outlook(contest_of(evaluated, [final]), player, 8) for player in PLAYERS[:10]])
    print(f"{'outlook of a player':22} {seconds / 10:.3f} s")
    print(f"slowest season: {slowest:.3f} s of {TARGET} s")
    if slowest > TARGET:
        raise SystemExit(1)


def _seconds(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun


if __name__ == "__main__":
    main()
