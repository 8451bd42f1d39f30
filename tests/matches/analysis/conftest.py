"""Bob and Carol's match to 3, settled by a record that Carol lost by and sent, and analysed."""

import pytest

from engine.records import write
from engine.simulation import play_out
from matches.models import Analysis, Match, Submission
from matches.records.submissions import RecordFile
from matches.reporting import records
from matches.reporting.records import adjudicate_submission
from players.actors import Actor
from players.models import Club, Player, User
from tests.matches.analysis.rows import analysis_of
from tests.matches.cast import CAROL, NOW, match_between


@pytest.fixture
def match(bob_player: Player, carol_player: Player, club: Club) -> Match:
    """Bob (side 0) against Carol (side 1), to 3."""
    return match_between(bob_player, carol_player, club=club, length=3)


@pytest.fixture
def record(match: Match, carol: User) -> Submission:
    """Bob wins 3–0 in two games."""
    data = write(play_out(2, 3, players=("Bob", "Carol")), "mat")
    row = records.submit_for_match(
        match=match, side=CAROL, file=RecordFile(data, "upload"), by=Actor.of(carol), now=NOW
    ).submission
    adjudicate_submission(submission_id=row.pk, now=NOW)
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    return Submission.objects.get(pk=row.pk)


@pytest.fixture
def analysis(record: Submission, match: Match) -> Analysis:
    """Finished, by gnubg."""
    Analysis.objects.filter(submission=record).delete()
    return analysis_of(record, match=match, now=NOW)
