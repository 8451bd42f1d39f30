"""A complete round becomes a draft; where the event says so, it publishes itself after a countdown."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from engine.errors import Refused
from players.models import LogEntry, User
from tests.tournaments.support.swiss_rounds import Hall, is_clean
from tournaments.draws.services import draws
from tournaments.draws.services.rounds import request_round
from tournaments.formats.settings import NextRound
from tournaments.models import Draw

pytestmark = pytest.mark.django_db
Swiss = Callable[..., Hall]


def make_drafts(hall: Hall) -> Draw:
    """The worker makes what was asked for, and nobody publishes it."""
    asked = Draw.objects.get(stage__division=hall.division, state=Draw.State.REQUESTED)
    draws.make_draft(draw_id=asked.pk, now=hall.now())
    asked.refresh_from_db()
    return asked


def sweep(hall: Hall) -> None:
    for draw_id in draws.due_drafts(hall.at):
        draws.publish_due_draft(draw_id=draw_id, now=hall.at)


@pytest.fixture
def counting(swiss: Swiss) -> tuple[Hall, Draw]:
    """A round that publishes itself in five minutes."""
    hall = swiss(6, next_round=NextRound.PUBLISH, countdown=300)
    hall.play_round()
    return hall, make_drafts(hall)


def test_a_complete_round_becomes_a_draft_that_waits_for_the_director(swiss: Swiss) -> None:
    hall = swiss(6)
    hall.play_round()
    draft = make_drafts(hall)
    hall.at += timedelta(days=2)
    sweep(hall)

    draft.refresh_from_db()
    assert (draft.state, draft.publish_at) == (Draw.State.DRAFT, None)
    hall.publish()
    assert len(hall.rounds()) == 2


def test_a_round_publishes_itself_when_its_countdown_is_over_and_not_before(counting: tuple[Hall, Draw]) -> None:
    hall, draft = counting
    assert draft.publish_at == hall.at + timedelta(seconds=300)
    hall.at = draft.publish_at - timedelta(seconds=1)
    sweep(hall)
    draft.refresh_from_db()
    assert draft.state == Draw.State.DRAFT

    hall.at = draft.publish_at
    sweep(hall)
    sweep(hall)

    draft.refresh_from_db()
    assert draft.state == Draw.State.PUBLISHED
    assert LogEntry.objects.filter(verb="draw_published", params__round=2).count() == 1
    assert is_clean(hall.division)


def test_a_stopped_countdown_leaves_the_round_to_the_director(counting: tuple[Hall, Draw]) -> None:
    hall, draft = counting
    draws.stop_countdown(division=hall.division, after=hall.seq, by=hall.by, now=hall.now())
    hall.at += timedelta(days=1)
    sweep(hall)

    draft.refresh_from_db()
    assert draft.state == Draw.State.DRAFT
    with pytest.raises(Refused) as refused:
        draws.stop_countdown(division=hall.division, after=hall.seq, by=hall.by, now=hall.now())
    assert refused.value.code == "no_countdown"
    hall.publish()


def test_a_draft_that_no_longer_fits_is_paired_again_with_a_new_countdown(counting: tuple[Hall, Draw]) -> None:
    hall, draft = counting
    hall.withdraw(hall.division.entries.all()[0])
    hall.at += timedelta(minutes=10)
    sweep(hall)
    draft.refresh_from_db()
    assert (draft.state, draft.publish_at) == (Draw.State.REQUESTED, None)

    again = make_drafts(hall)
    assert again.publish_at == hall.at + timedelta(seconds=300)
    hall.at += timedelta(minutes=10)
    sweep(hall)
    again.refresh_from_db()
    assert again.state == Draw.State.PUBLISHED
    assert is_clean(hall.division)


def test_a_draft_a_director_asked_for_does_not_publish_itself(counting: tuple[Hall, Draw]) -> None:
    hall, draft = counting
    acts = {"division": hall.division, "by": hall.by, "now": hall.now(), "after": hall.seq}
    request_round(**acts, reason="Two neighbours")
    make_drafts(hall)
    hall.at += timedelta(days=1)
    sweep(hall)

    draft.refresh_from_db()
    assert draft.state == Draw.State.DISCARDED
    assert [one.state for one in hall.draw_of(2)] == [Draw.State.DISCARDED, Draw.State.DRAFT]


def test_everybody_sees_when_and_a_director_stops_it(
    counting: tuple[Hall, Draw], alice: User, password: str, client: Client
) -> None:
    hall, draft = counting
    tournament = hall.division.tournament
    address = [tournament.club.slug, tournament.slug, hall.division.public_id]
    told = Client().get(reverse("api-rounds", args=[hall.division.public_id])).json()["next"]
    assert told["draft"] is None
    assert told["publish_at"] is not None
    assert "publishes itself" in Client().get(reverse("division", args=address)).content.decode()

    client.login(username="alice@example.org", password=password)
    assert "Stop the countdown" in client.get(reverse("rounds", args=address)).content.decode()
    client.post(reverse("countdown-stop", args=address), {})
    draft.refresh_from_db()
    assert draft.publish_at is not None, "a form without the number of the last change does nothing"
    client.post(reverse("countdown-stop", args=address), {"after": hall.seq})
    draft.refresh_from_db()
    assert draft.publish_at is None
