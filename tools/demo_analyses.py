"""Write `demo/analyses.json.xz`: what gnubg says about the records of the demo (`python -m tools.demo_analyses`).

It takes some 10 seconds of CPU time a match, and keeps what the file has already. Run it after the records or gnubg's
settings have changed, with the demo loaded in the database of the settings; without it, only the matches of the last
evening are analysed.
"""

import json
import lzma
import os
import sys
from random import Random
from typing import Any

PLAYS_KEPT = 3
"""Of each decision, beside the play that was made."""
EVENING, LENGTH = range(401, 408), 5
"""Seeds of the matches of the last evening."""
WORSE_PLAYS, MISSED_DOUBLES = 0.12, 0.2
"""Shares of decisions of that evening that are not the Club Bot's."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from demo.analyses import FILE, evening_records, known_analyses
    from demo.club import SLUG
    from engine.records import from_data, write
    from matches.analysis.backends.chosen import required_backend
    from matches.analysis.queue import analyse, record_hash
    from matches.models import Analysis

    backend = required_backend()
    data = known_analyses()
    data.setdefault("evening", [write(_played(seed), "mat").decode() for seed in EVENING])
    records = [(transcript, True) for transcript in evening_records()]
    rows = Analysis.objects.filter(club__slug=SLUG, submission__transcript__isnull=False).select_related("submission")
    records += [(from_data(row.submission.transcript or {}), False) for row in rows if row.submission is not None]
    for transcript, is_of_evening in records:
        if (key := record_hash(transcript)) in data["matches"]:
            continue
        analysed = analyse(transcript, backend)
        data |= {"backend": analysed.backend, "version": analysed.version, "settings": dict(analysed.settings)}
        decisions = [_judgement(decision, with_chances=is_of_evening) for decision in analysed.decisions]
        data["matches"][key] = {"cpu": round(analysed.cpu_seconds, 1), "judged": decisions}
        FILE.write_bytes(lzma.compress(json.dumps(data, separators=(",", ":")).encode(), preset=9))
        sys.stdout.write(f"{key[:8]} {analysed.cpu_seconds:.0f} s\n")


def _played(seed: int) -> Any:
    """A match of the Club Bot against itself, in which either sometimes takes another play, or does not double."""
    from engine.actions import Act, Action, Phase
    from engine.bots import Bot, decide, ranked_plays
    from engine.match import MatchState, apply
    from engine.recording import record

    chance = Random(seed)  # noqa: S311, a simulation that must be repeatable
    first = state = MatchState.start(LENGTH)
    actions = []
    while not state.is_over:
        action = Action(Act.ROLL) if state.phase is Phase.OPENING else decide(state, Bot.CLUB, chance)
        if action.act is Act.PLAY and action.moves and chance.random() < WORSE_PLAYS:
            play = chance.choice(ranked_plays(state)[:4])
            action = action._replace(moves=tuple((step.source, step.target) for step in play.steps))
        elif action.act is Act.DOUBLE and chance.random() < MISSED_DOUBLES:
            action = Action(Act.ROLL, action.side)
        if action.act is Act.ROLL:
            action = action._replace(dice=(chance.randint(1, 6), chance.randint(1, 6)))
        state = apply(state, action)
        actions.append(action)
    return record(first, actions, ("White", "Black"))


def _judgement(decision: Any, *, with_chances: bool) -> list[Any]:
    """Write the figures by which a decision is judged, as `demo.analyses.judgement_of` reads them."""
    if decision.no_double is not None:
        equities = [round(value, 4) for value in (decision.no_double, decision.double_take, decision.double_pass)]
        return equities + (_chances(decision) if with_chances else [])
    kept = [play for index, play in enumerate(decision.candidates) if index < PLAYS_KEPT or play.played]
    played = next((index for index, play in enumerate(kept) if play.played), None)
    luck = None if decision.luck is None else round(decision.luck, 4)
    plays = [[play.play, round(play.equity, 4), play.depth, *(_chances(play) if with_chances else [])] for play in kept]
    return [luck, played, plays]


def _chances(judged: Any) -> list[list[float]]:
    return [] if judged.chances is None else [[round(chance, 4) for chance in judged.chances]]


if __name__ == "__main__":
    main()
