"""Analyses with figures that can be computed by hand, of simulated matches."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from engine import Frame, replay
from engine.ids import position_xgid
from engine.records import from_data
from engine.transcript import Kind
from matches.models import Analysis, Decision, Match, Submission

ERROR = 0.03
"""Equity that each fifth play of both sides loses."""
BLUNDER = 0.16
"""Equity that the eighth play of a game loses."""
EVERY, EIGHTH = 5, 8


@transaction.atomic  # as a worker stores it: a page that asks meanwhile sees all of it or nothing
def analysis_of(
    record: Submission, *, match: Match | None = None, swapped: bool = False, now: datetime | None = None
) -> Analysis:
    """Store a finished analysis of a record with every play and answer to a double in it."""
    now = now or timezone.now()
    analysis = Analysis.objects.create(
        submission=record,
        match=match,
        club=match.club if match is not None else None,
        swapped=swapped,
        state=Analysis.State.DONE,
        backend="gnubg",
        version="1.08",
        settings={"plays": "2-ply"},
        cpu_seconds=20,
        created_at=now,
        finished_at=now,
    )
    data, verdict = record.transcript, record.verdicts.latest("pk").content
    assert data is not None
    for index, facts in enumerate(verdict["games"], start=1):
        transcript = from_data({**data, "games": [data["games"][index - 1]]})
        store_game(analysis, index, replay(transcript), verdict["length"], facts)
    return analysis


def store_game(
    analysis: Analysis, index: int, frames: Sequence[Frame], length: int, facts: Mapping[str, object]
) -> None:
    """Store the decisions of a game; `facts` are those of its verdict."""
    score, crawford = facts["start"], bool(facts["crawford"])
    assert isinstance(score, list)
    plays = [frame for frame in frames if frame.kind is Kind.PLAY and frame.notation]
    Decision.objects.bulk_create(
        _play(analysis, index, number, frame, (length, (score[0], score[1]), crawford))
        for number, frame in enumerate(plays)
    )


def _play(
    analysis: Analysis, index: int, number: int, frame: Frame, rules: tuple[int, tuple[int, int], bool]
) -> Decision:
    length, score, crawford = rules
    lost = BLUNDER if number == EIGHTH else ERROR if number % EVERY == EVERY - 1 else 0.0
    others = [{"play": "24/23 13/12", "equity": 0.1, "winning": 0.52, "depth": "2-ply", "played": False}]
    own = [{"play": frame.notation, "equity": 0.1 - lost, "winning": 0.52 - lost / 4, "depth": "2-ply", "played": True}]
    return Decision(
        analysis=analysis,
        game=index,
        event=frame.event,
        side=frame.side,
        kind=Decision.Kind.PLAY,
        phase=Decision.Phase.OPENING if number < EVERY else Decision.Phase.CONTACT,
        xgid=position_xgid(
            frame.before,
            turn=frame.side,
            dice=frame.dice,
            cube=frame.cube,
            owner=frame.cube_owner,
            doubled=False,
            score=score,
            crawford=crawford,
            jacoby=False,
            length=length,
        ),
        cube=frame.cube,
        own_away=length - score[frame.side],
        opposing_away=length - score[1 - frame.side],
        played=frame.notation,
        best="24/23 13/12" if lost else frame.notation,
        candidates=[*others, *own] if lost else [*own, *others],
        error=lost,
        error_winning=lost / 4,
        winning=0.3 + 0.4 * (number % 3) / 2,
        luck=0.02 if frame.side == 0 else -0.01,
        luck_winning=0.002 if frame.side == 0 else -0.001,
        counted=True,
    )
