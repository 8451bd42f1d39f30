"""What the page of an offer shows to the one who is asked: what is open in the club, and no name of a draft."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from clubhouse.handover import taken_over
from players.actors import SYSTEM, Actor
from players.handover.services import accept_offer, offer_ownership
from players.joining.services import ask_to_join
from players.models import Player, User
from seasons.services import SeriesInput, create_series
from tests.event_cast import RunningEvent
from tests.pages import html
from tournaments.events.services import create_tournament
from tournaments.ledger.payments import close_desk
from tournaments.models import Payment

pytestmark = pytest.mark.django_db


def test_what_is_taken_over(running: RunningEvent, alice: User, bob_player: Player, dave: User, bob: User) -> None:
    club, event, now = running.tournament.club, running.tournament, timezone.now()
    join = ask_to_join(club=club, user=dave, claimed="", by=Actor.of(dave), now=now)
    Payment.objects.create(tournament=event, kind="float", amount=5, key="float")
    last_day = now.date() + timedelta(days=30)
    create_series(club=club, series=SeriesInput("Spring race", now.date(), last_day), by=SYSTEM, now=now)
    for number in range(2):
        create_tournament(club=club, by=SYSTEM, now=now, name=f"Secret plan {number}", starts_at=now)
    member = bob_player.memberships.get(club=club)
    offer = offer_ownership(membership=member, then="director", by=Actor.of(alice), now=now)
    client = Client()
    client.force_login(bob)
    page = html(client.get(f"/owner-offers/{offer.public_id}/"))
    for text in (event.name, "Open cash desks", "Spring race", "Requests to join", "Drafts of events"):
        assert text in page
    assert "Secret plan" not in page
    assert join.public_id not in page
    with CaptureQueriesContext(connection) as before:
        shown = taken_over(club, now)
    assert shown["Open cash desks"] == shown["Next events"] == [(event.name, running.url)]
    assert (shown["Requests to join"], shown["Drafts of events"]) == ([("1", "")], [("2", "")])
    close_desk(tournament=event, counted=5, expected=5, note="", by=SYSTEM, now=now)
    with CaptureQueriesContext(connection) as after:
        assert "Open cash desks" not in taken_over(club, now)
    assert len(after) <= len(before) + 1
    # Once it is accepted, the page is about taking it back.
    accept_offer(offer=offer, by=Actor.of(bob), now=now)
    assert "Spring race" not in html(client.get(f"/owner-offers/{offer.public_id}/"))
