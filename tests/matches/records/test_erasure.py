"""Erasing a person empties their records; plays and results are kept."""

import pytest

from engine.records import write
from engine.simulation import play_out
from matches.models import Match, Submission
from matches.records.submissions import RecordFile
from matches.reporting.records import adjudicate_submission, submit_for_match
from players.actors import Actor
from players.models import Player, User
from players.people.erasure import erase_player
from tests.matches.cast import BOB, NOW, minutes
from tests.matches.conftest import bob_player, carol_player, club, match, pool

__all__ = ["bob_player", "carol_player", "club", "match", "pool"]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def test_erasing_a_person_removes_files_and_names_but_keeps_results(
    match: Match, bob_player: Player, bob: User
) -> None:
    names = (match.player_0.name, match.player_1.name)
    data = write(play_out(3, match.length, players=names), "mat")
    sent = submit_for_match(
        match=match,
        side=BOB,
        file=RecordFile(data, "upload", "bob.mat"),
        by=Actor.of(bob),
        now=NOW,
    )
    adjudicate_submission(submission_id=sent.submission.pk, now=NOW)
    before = match.results.get()

    erase_player(player=bob_player, by=Actor.of(bob), now=minutes(1))

    row = Submission.objects.get()
    assert (bytes(row.data), row.file_name, row.submitter) == (b"", "", None)
    assert row.transcript is not None
    assert names[0] not in str(row.transcript)
    assert names[0] not in str(row.verdicts.get().content)
    assert row.transcript["games"]
    assert match.results.get() == before
    assert not User.objects.filter(pk=bob.pk).exists()
