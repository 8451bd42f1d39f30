"""The next round becomes a draft that a director publishes, or that publishes itself after a countdown."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from engine.errors import Refused
from formats.settings import NextRound
from players.models import LogEntry, User
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.draws import services as draws
from tournaments.draws.rounds import request_round
from tournaments.models import Draw

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
Swiss = Callable[..., DivisionDriver]


def make_drafts(driver: DivisionDriver) -> Draw:
    """Make the requested draft without publishing it."""
    request = Draw.objects.get(stage__division=driver.division, state=Draw.State.REQUESTED)
    draws.make_draft(draw_id=request.pk, now=driver.now())
    request.refresh_from_db()
    return request


def sweep(driver: DivisionDriver) -> None:
    for draw_id in draws.due_drafts(driver.at):
        draws.publish_due_draft(draw_id=draw_id, now=driver.at)


@pytest.fixture
def counting(swiss: Swiss) -> tuple[DivisionDriver, Draw]:
    """A draft that publishes itself in five minutes."""
    driver = swiss(6, next_round=NextRound.PUBLISH, countdown=300)
    driver.play_round()
    return driver, make_drafts(driver)


def test_a_complete_round_becomes_a_draft_that_waits_for_the_director(swiss: Swiss) -> None:
    driver = swiss(6)
    driver.play_round()
    draft = make_drafts(driver)
    driver.at += timedelta(days=2)
    sweep(driver)

    draft.refresh_from_db()
    assert (draft.state, draft.publish_at) == (Draw.State.DRAFT, None)
    driver.publish()
    assert len(driver.rounds()) == 2


def test_a_round_publishes_itself_when_its_countdown_is_over_and_not_before(
    counting: tuple[DivisionDriver, Draw],
) -> None:
    driver, draft = counting
    assert draft.publish_at == driver.at + timedelta(seconds=300)
    driver.at = draft.publish_at - timedelta(seconds=1)
    sweep(driver)
    draft.refresh_from_db()
    assert draft.state == Draw.State.DRAFT

    driver.at = draft.publish_at
    sweep(driver)
    sweep(driver)

    draft.refresh_from_db()
    assert draft.state == Draw.State.PUBLISHED
    assert LogEntry.objects.filter(verb="draw_published", params__round=2).count() == 1
    assert is_clean(driver.division)


def test_a_round_publishes_itself_when_the_clock_is_set_back_during_its_countdown(
    counting: tuple[DivisionDriver, Draw],
) -> None:
    driver, draft = counting
    driver.at -= timedelta(hours=1)
    sweep(driver)
    draft.refresh_from_db()
    assert draft.state == Draw.State.PUBLISHED


def test_a_stopped_countdown_leaves_the_round_to_the_director(counting: tuple[DivisionDriver, Draw]) -> None:
    driver, draft = counting
    draws.stop_countdown(division=driver.division, after=driver.seq, by=driver.by, now=driver.now())
    driver.at += timedelta(days=1)
    sweep(driver)

    draft.refresh_from_db()
    assert draft.state == Draw.State.DRAFT
    with pytest.raises(Refused) as refused:
        draws.stop_countdown(division=driver.division, after=driver.seq, by=driver.by, now=driver.now())
    assert refused.value.code == "no_countdown"
    driver.publish()


def test_a_draft_that_no_longer_fits_is_paired_again_with_a_new_countdown(
    counting: tuple[DivisionDriver, Draw],
) -> None:
    driver, draft = counting
    driver.withdraw(driver.division.entries.all()[0])
    driver.at += timedelta(minutes=10)
    sweep(driver)
    draft.refresh_from_db()
    assert (draft.state, draft.publish_at) == (Draw.State.REQUESTED, None)

    again = make_drafts(driver)
    assert again.publish_at == driver.at + timedelta(seconds=300)
    driver.at += timedelta(minutes=10)
    sweep(driver)
    again.refresh_from_db()
    assert again.state == Draw.State.PUBLISHED
    assert is_clean(driver.division)


def test_a_draft_requested_by_a_director_does_not_publish_itself(counting: tuple[DivisionDriver, Draw]) -> None:
    driver, draft = counting
    acts = {"division": driver.division, "by": driver.by, "now": driver.now(), "after": driver.seq}
    request_round(**acts, reason="Two neighbours")
    make_drafts(driver)
    driver.at += timedelta(days=1)
    sweep(driver)

    draft.refresh_from_db()
    assert draft.state == Draw.State.DISCARDED
    assert [draw.state for draw in driver.draw_of(2)] == [Draw.State.DISCARDED, Draw.State.DRAFT]


def test_everybody_sees_the_countdown_and_a_director_stops_it(
    counting: tuple[DivisionDriver, Draw], alice: User, password: str, client: Client
) -> None:
    driver, draft = counting
    tournament = driver.division.tournament
    address = [tournament.club.slug, tournament.slug, driver.division.public_id]
    next_round = Client().get(reverse("api-rounds", args=[driver.division.public_id])).json()["next"]
    assert next_round["draft"] is None
    assert next_round["publish_at"] is not None
    assert "published automatically" in Client().get(reverse("division", args=address)).content.decode()

    client.login(username="alice@example.org", password=password)
    assert "Stop the countdown" in client.get(reverse("rounds", args=address)).content.decode()
    client.post(reverse("countdown-stop", args=address), {})
    draft.refresh_from_db()
    assert draft.publish_at is not None, "a form without the number of the last change does nothing"
    client.post(reverse("countdown-stop", args=address), {"after": driver.seq})
    draft.refresh_from_db()
    assert draft.publish_at is None
