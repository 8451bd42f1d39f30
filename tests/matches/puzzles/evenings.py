"""Members whose finished matches hold decisions that may be asked: the positions that ship, as if they had played."""

from datetime import datetime, timedelta
from typing import Any

from matches.models import Analysis, Decision, Match
from matches.puzzles.pool import shipped
from players.models import Club, Player
from tests.matches.cast import NOW, match_between

OLD_ENOUGH = timedelta(days=40)


def movers(count: int, choice: str = Player.PuzzleChoice.ALLOWS) -> list[Player]:
    """Players who have said whether their positions may be puzzles."""
    return [Player.objects.create(name=f"Mover {n}", puzzle_choice=choice) for n in range(count)]


def played(club: Club, mover: Player, other: Player, *, at: datetime = NOW - OLD_ENOUGH, **fields: Any) -> Match:
    """A match that ended at a time, with one decision of the first of two players; `fields` are of the decision."""
    match = match_between(mover, other, club=club)
    Match.objects.filter(pk=match.pk).update(state=Match.State.SETTLED, finished_at=at)
    ask(match, **fields)
    return match


def ask(match: Match, *, side: int = 0, **fields: Any) -> Decision:
    """Add an analysis of a match with one decision."""
    count = Decision.objects.count()
    row = shipped()[count % len(shipped())].decision
    depth = fields.pop("depth", "2-ply")
    candidates = fields.pop("candidates", row.candidates)
    analysis = Analysis.objects.create(
        match=match, club=match.club, backend="gnubg", state=Analysis.State.DONE, settings={"plays": "2-ply"}
    )
    values = {
        "game": 1,
        "event": 20,
        "kind": Decision.Kind.PLAY,
        "phase": Decision.Phase.CONTACT,
        "xgid": row.xgid,
        "cube": row.cube,
        "own_away": row.own_away,
        "opposing_away": row.opposing_away,
        "played": row.played,
        "best": row.best,
        "error": 0,
        "winning": 0.5,
        "counted": True,
    }
    return Decision.objects.create(
        analysis=analysis,
        side=side,
        candidates=[each | {"depth": depth, "winning": 0.5} for each in candidates],
        **values | fields,
    )
