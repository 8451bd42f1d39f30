"""Bob's match with Carol is over and analysed: one of his plays was costly, and he collects such decisions."""

from datetime import timedelta

import pytest

from matches.models import Analysis, Decision, Match
from players.models import Player
from tests.matches.cast import NOW
from tests.matches.deck.test_choices import play_decision

FINISHED = NOW - timedelta(hours=3)


def analysed(match: Match, **fields: object) -> Decision:
    """Analyse a match by us; `fields` change its one decision."""
    analysis = Analysis.objects.create(
        match=match, state="done", backend="gnubg", settings={"plays": "2-ply"}, created_at=FINISHED
    )
    values: dict[str, object] = {"game": 1, "event": 4, "side": 0, "phase": "contact", "cube": 1, "counted": True}
    values |= {"analysis": analysis, "error": 0.16, "error_winning": 0.03, "winning": 0.5}
    decision = play_decision(**values | fields)
    decision.save()
    return decision


@pytest.fixture
def decision(match: Match, bob_player: Player) -> Decision:
    Player.objects.filter(pk=bob_player.pk).update(collects_decisions=True)
    Match.objects.filter(pk=match.pk).update(state="settled", finished_at=FINISHED)
    match.refresh_from_db()
    return analysed(match)
