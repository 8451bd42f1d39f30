"""The letter about an evening, from its card at home, on a small phone in light and dark."""

from datetime import timedelta

import pytest
from django.utils import timezone

from matches.models import Match
from players.actors import SYSTEM
from players.models import Club, User
from tests.browser.conftest import Check, OpenPage, follow
from tests.clubhouse.letters.conftest import evening, event_of
from tests.tournaments.support.correcting import Cup
from tournaments.events import services as events
from tournaments.models import Letter, Tournament

__all__ = ["evening"]


@pytest.fixture
def next_week(club: Club) -> Tournament:
    now = timezone.now()
    event = events.create_tournament(club=club, by=SYSTEM, now=now, name="Thursday", starts_at=now + timedelta(days=7))
    events.create_division(tournament=event, by=SYSTEM, now=now, name="Open", self_registration=True)
    return events.publish_tournament(tournament=event, by=SYSTEM, now=now)


def test_from_home_to_a_letter_with_every_part(
    open_page: OpenPage, in_both_views: Check, evening: Cup, next_week: Tournament, carol: User
) -> None:
    now = timezone.now()
    Match.objects.update(finished_at=now - timedelta(hours=10))
    Tournament.objects.exclude(pk=next_week.pk).update(starts_at=now - timedelta(hours=14))
    Letter.objects.create(user=carol, event=event_of(evening), sent_at=now, facts={"places": {"1:main": [1, 1]}})
    page = open_page("/", user=carol, width=320)
    in_both_views(page)
    follow(page.get_by_role("link", name="Your evening: Cup one"))
    in_both_views(page)
    for part in ("Changed since the e-mail", "Your matches", "The evening", "Thursday"):
        page.get_by_role("heading", name=part).first.wait_for()
    follow(page.get_by_role("button", name="I’m coming on"))
    assert next_week.divisions.get().entries.filter(player__user=carol).exists()
