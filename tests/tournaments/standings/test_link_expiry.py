"""Personal links end with the event that their match belongs to."""

from datetime import timedelta

import pytest
from django.utils import timezone

from engine.errors import Refused
from matches import access
from matches.lifecycle import links
from matches.models import Match
from tests.event_cast import RunningEvent
from tournaments.standings.context import event_end

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _two_days(settings) -> None:  # type: ignore[no-untyped-def]
    settings.PERSONAL_LINK_HOURS = 48


def expired(match: Match) -> bool:
    try:
        access.match_for_link(links.token_for(match, 0))
    except Refused as refused:
        return refused.code == "link_expired"
    return False


def test_the_links_of_an_event_end_two_days_after_its_last_match(running: RunningEvent) -> None:
    match = running.fixture.match
    assert match is not None
    assert event_end("division:2222222222") is None
    assert (end := event_end(match.parent_topic)) is not None
    assert end.at is None, "the event goes on"
    event = running.division.tournament
    type(event).objects.filter(pk=event.pk).update(status="finished", starts_at=timezone.now() - timedelta(days=9))
    Match.objects.filter(parent_topic=match.parent_topic).update(
        state=Match.State.SETTLED, finished_at=timezone.now() - timedelta(days=3)
    )
    assert expired(match)
    Match.objects.filter(pk=match.pk).update(
        state=Match.State.OPEN, finished_at=None, created_at=timezone.now() - timedelta(days=9)
    )
    assert expired(match), "a match that was never played, too"
    last = Match.objects.filter(parent_topic=match.parent_topic).exclude(pk=match.pk).first()
    assert last is not None
    Match.objects.filter(pk=last.pk).update(finished_at=timezone.now() - timedelta(days=1))
    assert not expired(match)
