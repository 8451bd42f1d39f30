"""With a real broker and worker: a record settles the match, and a report leads to an e-mail."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from engine.records import write
from engine.simulation import play_out
from matches.models import Match
from matches.records.submissions import RecordFile
from matches.reporting import records, reports
from players.actors import Actor
from players.models import Player, User
from tests.matches.cast import BOB, match_between

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


def soon(is_so: Callable[[], Any]) -> bool:
    """Whether the condition becomes true within a minute."""
    until = time.monotonic() + 60
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_a_record_becomes_a_report_and_the_loser_gets_an_email(
    celery_worker: Any, bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    match = match_between(bob_player, carol_player, length=3)
    data = write(play_out(1, 3, players=("Bob", "Carol")), "mat")
    records.submit_for_match(
        match=match, side=BOB, file=RecordFile(data, "upload"), by=Actor.of(bob), now=timezone.now()
    )
    assert soon(lambda: Match.objects.get(pk=match.pk).state == Match.State.CLAIMED)
    other = match_between(bob_player, carol_player)
    claim = reports.report_score(
        match=other, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=timezone.now()
    ).report
    assert soon(lambda: other.claims.get().emailed_at)
    claim.refresh_from_db()
    assert claim.stands_at is None
    assert soon(lambda: match.claims.get().emailed_at)
    # What is due for one person at the same moment goes into one e-mail.
    assert len(mail.outbox) in (1, 2)
    assert {address for email in mail.outbox for address in email.to} == {carol.email}
