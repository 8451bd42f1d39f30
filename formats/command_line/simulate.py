"""`barpoint simulate`: simulate whole events without a database, to compare formats."""

import dataclasses
import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from random import Random
from statistics import mean
from typing import Any

from formats.continuous.night import EveningField, EveningOutcome, EveningPace, SimulatedEvening
from formats.errors import Refused
from formats.graph import EntryId
from formats.plans import MIN_QUALIFIERS
from formats.ratings import win_probability
from formats.settings import LIVES, SWISS, Leader, PairingMode, StageSettings
from formats.simulate import FORMATS, Chance, SimulationReport, Spec, coin, simulate

SUMMARY = "simulate whole events to compare formats"
HELP = "Simulate whole events of a format and count rematches, byes, score differences and seconds."

_MATCH_LENGTH = 7
_BEST, _RANGE = 2000.0, 600.0
_MEAN, _SPREAD = 1600.0, 120.0
"""Ratings of the field of a night without rounds, and their standard deviation."""
_CLUBS = "ABCD"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options: format, field, and how results are decided."""
    parser.add_argument("--format", required=True, choices=sorted(FORMATS))
    parser.add_argument("--players", type=int, required=True)
    parser.add_argument("--rounds", type=int, help="number of rounds of a Swiss")
    parser.add_argument("--pattern", help="pattern of a lower bracket, such as A.B.|.C.X")
    parser.add_argument("--pairing", type=PairingMode, choices=list(PairingMode), default=PairingMode.ROUNDS)
    parser.add_argument("--lives", type=int, default=2, help="without rounds: lives of each player")
    parser.add_argument("--length", type=int, default=5, help="without rounds: points of a match")
    parser.add_argument("--lead", type=int, default=2, help="without rounds: matches ahead of a match in progress")
    parser.add_argument("--window", type=int, default=0, help="without rounds: minutes until a possible pair is made")
    parser.add_argument("--leader", type=Leader, choices=list(Leader), default=Leader.PLAYS)
    parser.add_argument("--tables", type=int, help="without rounds: tables; as many as needed by default")
    parser.add_argument("--rest", type=float, default=5.0, help="without rounds: minutes of rest between matches")
    parser.add_argument(
        "--walk", type=float, default=2.0, help="without rounds: minutes from the call to the first roll"
    )
    parser.add_argument("--minutes-a-point", type=float, default=8.0, help="without rounds: of a match, on average")
    parser.add_argument(
        "--switch", type=int, help="without rounds: places of the bracket that follows, which is played, too"
    )
    parser.add_argument(
        "--switch-time",
        type=float,
        metavar="MINUTES",
        help="without rounds: minutes after which a bracket is drawn at the latest, with as many places as are needed",
    )
    parser.add_argument(
        "--late-length",
        type=_late,
        default=(0, 0),
        metavar="PLAYERS:POINTS",
        help="without rounds: points of a match from so many players still in",
    )
    parser.add_argument(
        "--idle",
        type=_entry_minutes,
        action="append",
        default=[],
        metavar="ENTRY:MINUTES",
        help="who reports so many minutes after the end of their matches, until which these go on; may be repeated",
    )
    parser.add_argument(
        "--late",
        type=_entry_minutes,
        action="append",
        default=[],
        metavar="ENTRY:MINUTES",
        help="who enters so many minutes late; may be repeated",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=1)
    parser.add_argument("--ratings", action="store_true", help="decide results by rating instead of evenly")
    parser.add_argument("--json", action="store_true", help="print one JSON object per event")


def run(options: Namespace) -> int:
    """Simulate the events: one JSON object each, or their averages. Exit status 1 if the format is refused."""
    if options.pairing is PairingMode.CONTINUOUS:
        return _without_rounds(options)
    spec = Spec(options.format, options.players, options.rounds, options.pattern, options.seed)
    chance = _by_rating(spec.players) if options.ratings else coin
    reports: list[SimulationReport] = []
    for event in range(1, options.events + 1):
        try:
            report = simulate(spec, event, chance)
        except Refused as refused:
            print(refused.message, file=sys.stderr)
            return 1
        reports.append(report)
        if options.json:
            print(json.dumps(dataclasses.asdict(report)))
    if reports and not options.json:
        print(_summary(reports))
    return 0


def _by_rating(players: int) -> Chance:
    """Return the win probability in 7-point matches between entries rated from 2000 (entry 1) down to 1400."""

    def rating(entry: int) -> float:
        return _BEST - _RANGE * (entry - 1) / max(1, players - 1)

    return lambda first, second: win_probability(rating(first), rating(second), _MATCH_LENGTH)


def _summary(reports: Sequence[SimulationReport]) -> str:
    """Format averages over the events, one figure per line."""
    figures = {
        "events": len(reports),
        "rounds": mean(report.rounds for report in reports),
        "matches": mean(report.matches for report in reports),
        "byes a player, at most": max(report.byes_per_player_max for report in reports),
        "unfair byes": mean(report.byes_unfair for report in reports),
        "rematches": mean(report.rematches for report in reports),
        "avoidable rematches": mean(report.rematches_avoidable for report in reports),
        "pairing seconds, at most": max(max(report.pairing_seconds) for report in reports),
    }
    return "\n".join(f"{name}: {value:g}" for name, value in figures.items())


def _entry_minutes(text: str) -> tuple[EntryId, float]:
    try:
        entry, minutes = text.split(":")
        return int(entry), float(minutes)
    except ValueError:
        raise ArgumentTypeError("expected an entry and minutes, such as 4:20") from None


def _late(text: str) -> tuple[int, int]:
    try:
        players, points = text.split(":")
        return int(players), int(points)
    except ValueError:
        raise ArgumentTypeError("expected players and points, such as 8:7") from None


def _without_rounds(options: Namespace) -> int:
    if options.format not in (LIVES, SWISS):
        print("Only lives and a Swiss can be paired without rounds.", file=sys.stderr)
        return 1
    try:
        reports = simulated_nights(options)
    except Refused as refused:
        print(refused.message, file=sys.stderr)
        return 1
    if options.json:
        for report in reports:
            print(json.dumps(report))
    elif reports:
        print(_night_summary(reports))
    return 0


def simulated_nights(options: Namespace) -> list[dict[str, Any]]:
    """Return the reports of nights without rounds. Raises Refused for settings that are out of range."""
    settings = StageSettings(
        options.format,
        lives=options.lives if options.format == LIVES else StageSettings().lives,
        rounds=options.rounds if options.format == SWISS else None,
        pairing=PairingMode.CONTINUOUS,
        lead=options.lead,
        window=options.window,
        leader=options.leader if options.format == LIVES else Leader.PLAYS,
        qualifiers=options.switch,
        late_from=options.late_length[0],
        late_length=options.late_length[1],
    ).checked()
    if options.switch_time is not None and not options.switch:
        settings = dataclasses.replace(settings, qualifiers=MIN_QUALIFIERS)
    return [_night(options, settings, event) for event in range(1, options.events + 1)]


def _night(options: Namespace, settings: StageSettings, event: int) -> dict[str, Any]:
    field, ratings, wins, chance = _field(options, event)
    tables = options.tables or max(1, options.players // 2)
    pace = EveningPace(options.minutes_a_point, options.walk, options.rest)
    seed = f"{options.seed}:{event}".encode().ljust(32, b".")
    night = SimulatedEvening(settings, tables, field, chance, pace, wins, seed, options.length, options.switch_time)
    played = night.play()
    if played.switched is not None:
        played = night.play_bracket()
    order = _order(played)
    by_rating = sorted(ratings, key=lambda entry: -ratings[entry])
    by_tempo = sorted(field.tempo, key=lambda entry: field.tempo[entry])
    waits = sorted(played.waits[entry] for entry in field.tempo)
    winner = order[0]
    return {
        "format": options.format,
        "pairing": str(PairingMode.CONTINUOUS),
        "players": options.players,
        "seed": options.seed,
        "event": event,
        "lives": settings.lives if options.format == LIVES else None,
        "length": options.length,
        "lead": options.lead,
        "window": options.window,
        "tables": tables,
        "rest": options.rest,
        "batches": played.batches,
        "matches": played.total,
        "rematches": played.rematches,
        "rematches_avoidable": played.rematches_avoidable,
        "unequal_lives": played.unequal,
        "club_mates": played.club_mates,
        "byes_per_player_max": 1 if played.byes else 0,
        "byes_unfair": max(0, len(played.byes) - 1),
        "wait_minutes": {
            "mean": round(mean(waits), 1),
            "p90": round(waits[int(0.9 * (len(waits) - 1))], 1),
            "max": round(waits[-1], 1),
        },
        "held_by_lead_minutes": round(played.held_by_lead, 1),
        "end_minutes": round(played.end, 1),
        "table_use": round(played.at_tables / (tables * played.end), 3),
        "lead_max": played.lead,
        "switch": round(played.switched_at, 1) if played.switched_at is not None else None,
        "switch_players": played.switched,
        "switch_places": played.places,
        "late_from": settings.late_from,
        "late_length": settings.late_length,
        "winner": winner,
        "winner_rank": by_rating.index(winner) + 1,
        "winner_tempo_quartile": by_tempo.index(winner) * 4 // options.players + 1,
        "idle_entries": sorted(dict(options.idle)),
        "late_entries": sorted(dict(options.late)),
        "batch_seconds": [round(seconds, 4) for seconds in played.seconds],
        "standings_head": [{"place": place, "entry": entry} for place, entry in enumerate(order[:3], start=1)],
    }


def _field(
    options: Namespace, event: int
) -> tuple[EveningField, dict[EntryId, float], Callable[[EntryId, EntryId], float], Random]:
    """Return who plays. Fields and tempi depend on the seed and the event alone, so that settings can be compared."""
    chance = Random(f"{options.seed}:{event}")  # noqa: S311 - a simulation
    drawn = EveningField.drawn(options.players, chance)
    ratings = {entry: chance.gauss(_MEAN, _SPREAD) for entry in drawn.tempo}
    clubs = {entry: chance.choice(_CLUBS) for entry in drawn.tempo}
    field = EveningField(drawn.tempo, clubs, dict(options.idle), dict(options.late))

    def wins(first: EntryId, second: EntryId) -> float:
        return win_probability(ratings[first], ratings[second], options.length) if options.ratings else 0.5

    return field, ratings, wins, chance


def _order(played: EveningOutcome) -> list[EntryId]:
    if played.bracket:
        others = (entry for entry in reversed(played.out) if entry not in played.bracket)
        return [*played.bracket, *sorted(others, key=lambda entry: -played.won[entry])]
    still_in = sorted((entry for entry, left in played.left.items() if left > 0), key=lambda entry: -played.left[entry])
    if not played.out:
        return sorted(played.left, key=lambda entry: -played.won[entry])
    last = played.out[::-1]
    return [*still_in, last[0], *sorted(last[1:], key=lambda entry: -played.won[entry])]


def _night_summary(reports: Sequence[dict[str, Any]]) -> str:
    figures = {
        "nights": len(reports),
        "matches": mean(report["matches"] for report in reports),
        "minutes until the end": round(mean(report["end_minutes"] for report in reports)),
        "minutes of waiting a player": round(mean(report["wait_minutes"]["mean"] for report in reports), 1),
        "longest waiting": round(mean(report["wait_minutes"]["max"] for report in reports), 1),
        "rematches": mean(report["rematches"] for report in reports),
        "avoidable rematches": mean(report["rematches_avoidable"] for report in reports),
        "pairing seconds, at most": max(max(report["batch_seconds"]) for report in reports),
    }
    watched = sorted({*reports[0]["idle_entries"], *reports[0]["late_entries"]})
    for entry in watched:
        won = mean(report["winner"] == entry for report in reports)
        figures[f"nights won by entry {entry}, in percent"] = round(100 * won, 1)
    return "\n".join(f"{name}: {value:g}" for name, value in figures.items())
