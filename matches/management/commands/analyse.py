"""`./manage.py analyse FILE... [--json]`: how well a recorded match was played; needs no database."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

import engine
from core.messages import sentence
from engine.errors import Refused
from engine.transcript import described_players
from matches.analysis.arithmetic import RecordSummary, SideSummary, summary
from matches.analysis.backends.base import Backend
from matches.analysis.backends.chosen import required_backend
from matches.analysis.queue import analyse
from matches.analysis.values import AnalysedMatch, DecisionPhase


class Command(BaseCommand):
    help = (
        "Analyse how well recorded matches were played, with the program that the settings name. "
        "Exit status: 0 if all were analysed, 1 if any was not."
    )
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("--json", action="store_true", help="one JSON object a line instead of text")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            backend = required_backend()
        except Refused as refused:
            raise CommandError(sentence(refused.code, refused.params)) from None
        failed = [name for name in options["files"] if not self._analyse(name, backend, as_json=options["json"])]
        sys.exit(bool(failed))

    def _analyse(self, name: str, backend: Backend, *, as_json: bool) -> bool:
        """Print the analysis of a file; return whether there is one."""
        try:
            transcript = engine.read(Path(name).read_bytes())
            analysed = analyse(transcript, backend)
        except OSError as error:
            self.stderr.write(f"{name}: {error.strerror}")
            return False
        except Refused as refused:
            self.stderr.write(f"{name}: {sentence(refused.code, refused.params)}")
            return False
        totals = summary(analysed.decisions)
        players = described_players(transcript.players)
        self.stdout.write(
            json.dumps(_as_json(name, transcript.players, analysed, totals), ensure_ascii=False)
            if as_json
            else "\n".join([f"{name}: {players}, {_depths(analysed)}", *map(_line, transcript.players, totals.sides)])
        )
        return True


def _depths(analysed: AnalysedMatch) -> str:
    return f"{analysed.backend} {analysed.version} {analysed.settings.get('plays', '')}".strip()


def _line(player: str, side: SideSummary) -> str:
    """One side: its rating with its sampling error, its luck, and its errors by phase."""
    if side.pr is None:
        return f"  {player}: no decisions"
    error = f" ± {side.sampling_error:.1f}" if side.sampling_error is not None else ""
    phases = ", ".join(
        f"{phase.value.replace('_', '-')} {side.by_phase[phase].error:.3f}"
        for phase in DecisionPhase
        if side.by_phase[phase].decisions
    )
    rating = f"PR {side.pr:.1f}{error} ({side.decisions} decisions)"
    return f"  {player}: {rating}, luck {side.luck:+.3f}, errors {side.error:.3f}: {phases}"


def _as_json(name: str, players: tuple[str, str], analysed: AnalysedMatch, totals: RecordSummary) -> dict[str, Any]:
    return {
        "file": name,
        "players": players,
        "backend": analysed.backend,
        "version": analysed.version,
        "settings": analysed.settings,
        "cpu_seconds": round(analysed.cpu_seconds, 2),
        "sides": [asdict(side) for side in totals.sides],
        "decisions": [asdict(decision) for decision in analysed.decisions],
    }
