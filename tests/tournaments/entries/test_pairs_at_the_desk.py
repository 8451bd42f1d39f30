"""The desk by person: a row for each with all their entries, of a pair one for each of the two; kiosks and the API."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from players.actors import Actor
from players.models import Player
from players.people.pairs import pair_of
from tests.tournaments.support.pages import text
from tournaments.entries import arrivals, check_in, kiosks
from tournaments.entries import services as entries
from tournaments.entries.check_in import attendees
from tournaments.events import services as events
from tournaments.ledger.accounts import owed_by_entry
from tournaments.models import CheckIn, Division, Entry, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

HTMX = {"HX-Request": "true"}
HERE, AWAY, MISSING, EXCUSED = (str(state) for state in (
    CheckIn.State.HERE, CheckIn.State.AWAY, CheckIn.State.MISSING, CheckIn.State.EXCUSED
))  # fmt: skip


@dataclass
class Desk:
    """Alice at the desk of an event with Ann in the main for 10.00, and Ann & Bea in the doubles for 25.01."""

    main: Division
    doubles: Division
    ann: Player
    bea: Player
    by: Actor

    @property
    def event(self) -> Tournament:
        return Tournament.objects.select_related("club").get(pk=self.main.tournament_id)

    @property
    def url(self) -> str:
        return f"/events/{self.event.club.slug}/{self.event.slug}/check-in/"

    @property
    def alone(self) -> Entry:
        return self.main.entries.select_related("player").get()

    @property
    def pair(self) -> Entry:
        return self.doubles.entries.select_related("player", "division__tournament").get()

    def alone_since(self) -> datetime | None:
        """Since when Ann is here in the main."""
        return self.alone.checked_in_at

    def rows(self, division: Division | None = None) -> list[arrivals.Arrival]:
        context = arrivals.desk(
            self.event, division, show=arrivals.ALL, text="", may_direct=True, now=timezone.now()
        )  # fmt: skip
        rows: list[arrivals.Arrival] = context["arrivals"]
        return rows

    def states(self) -> list[str]:
        """What is recorded of Ann and of Bea for the doubles."""
        return [str(who.state) for who in attendees(self.event, [self.pair], timezone.now())]


@pytest.fixture
def desk(make_division: Callable[..., Division], by_alice: Actor) -> Desk:
    main, doubles = make_division(name="Main", fee=1000), make_division(name="Doubles", fee=2501)
    Tournament.objects.filter(pk=main.tournament_id).update(
        currency="EUR", currency_exponent=2, starts_at=timezone.now() + timedelta(hours=1)
    )
    doubles.tournament_id, doubles.sides = main.tournament_id, Division.Sides.TWO
    doubles.order = main.order + 1
    doubles.save()
    ann, bea = (Player.objects.create(name=name) for name in ("Ann Berg", "Bea Kral"))
    now = timezone.now()
    main, doubles = (Division.objects.select_related("tournament").get(pk=row.pk) for row in (main, doubles))
    entries.enter(division=main, players=[ann], by=by_alice, now=now)
    entries.enter(division=doubles, players=[pair_of(ann, bea)], by=by_alice, now=now)
    events.publish_tournament(tournament=main.tournament, by=by_alice, now=now)
    return Desk(main, doubles, ann, bea, by_alice)


def test_a_row_is_a_person_with_all_their_entries_and_what_they_owe(desk: Desk, alice_client: Client) -> None:
    ann, bea = desk.rows()
    assert (ann.name, ann.details, ann.owed) == ("Ann Berg", "Main · Doubles/Bea Kral", 1000 + 1251)
    assert (bea.name, bea.details, bea.owed) == ("Bea Kral", "Doubles/Ann Berg", 1250)
    assert [row.details for row in desk.rows(desk.doubles)] == ["& Bea Kral", "& Ann Berg"]
    page = alice_client.get(desk.url).content.decode()
    assert page.count('class="arrival ') == 2
    assert "2 missing" in text(page)
    ids = re.findall(r'id="(arrival-[^"]+)"', page)
    assert len(set(ids)) == len(ids) == 2


def test_one_tap_checks_a_person_into_each_of_their_entries(desk: Desk, alice_client: Client) -> None:
    ann, _bea = desk.rows()
    assert ann.person is not None
    data = {"entry": ann.entry.public_id, "person": ann.person.public_id, "state": "here"}
    answer = alice_client.post(f"{desk.url}mark/", data, headers=HTMX).content.decode()
    assert answer.count('class="arrival ') == 1
    assert "1 here" in text(answer)
    assert "Ann Berg · here" in text(answer), "the tap can be undone"
    assert desk.alone_since() is not None
    assert (desk.states(), desk.pair.checked_in_at) == ([HERE, MISSING], None)
    assert [row.state for row in desk.rows()] == [HERE, MISSING]
    alice_client.post(f"{desk.url}undo/", {"batch": CheckIn.objects.latest("pk").batch})
    assert [row.state for row in desk.rows()] == [MISSING, MISSING]


def test_here_and_paid_is_said_of_one_of_a_pair(desk: Desk, alice_client: Client) -> None:
    _ann, bea = desk.rows()
    assert bea.person is not None
    form = {
        "entries": [entry.public_id for entry in bea.entries], "people": [bea.person.public_id],
        "amount": bea.owed, "key": bea.key, "act": "both",
    }  # fmt: skip
    answer = alice_client.post(f"{desk.url}arrive/", form, headers=HTMX).content.decode()
    assert "Bea Kral" in text(answer)
    assert desk.states() == [MISSING, HERE]
    assert owed_by_entry(desk.doubles) == {desk.pair.pk: 1251}
    assert [row.owed for row in desk.rows()] == [2251, 0]


def test_everybody_leaves_out_the_partner_who_is_away(desk: Desk, alice_client: Client) -> None:
    later = timezone.now() + timedelta(hours=1)
    check_in.mark(entry=desk.pair, person=desk.bea, state=AWAY, until=later, by=desk.by, now=timezone.now())
    page = alice_client.get(desk.url).content.decode()
    assert "1 player is here, 22.51 EUR paid in cash" in text(page)
    ann, _bea = desk.rows()
    assert ann.person is not None
    form = {
        "entries": [desk.alone.public_id, desk.pair.public_id], "people": [ann.person.public_id], "amount": 2251,
        "key": ann.key, "act": "both",
    }  # fmt: skip
    alice_client.post(f"{desk.url}arrive/", form)
    assert desk.states() == [HERE, AWAY]
    assert [(row.name, row.owed) for row in desk.rows()] == [("Ann Berg", 0), ("Bea Kral", 1250)]


def test_away_is_of_the_person_in_all_their_entries_and_not_of_the_partner(desk: Desk, alice_client: Client) -> None:
    data = {"entry": desk.alone.public_id, "person": desk.ann.public_id, "state": "away", "until": "23:50"}
    alice_client.post(f"{desk.url}mark/", data)
    assert desk.alone.away_until is not None
    assert desk.states() == [AWAY, MISSING]


def test_a_pair_plays_on_without_one_from_their_row(desk: Desk, alice_client: Client) -> None:
    bea = desk.rows()[1]
    opened = alice_client.get(f"{desk.url}?more={bea.row}").content.decode()
    assert "Plays without Bea Kral" in text(opened)
    data = {"entry": desk.pair.public_id, "person": desk.bea.public_id, "state": "excused"}
    alice_client.post(f"{desk.url}mark/", data)
    assert desk.states() == [MISSING, EXCUSED]
    assert [row.state for row in desk.rows()] == [MISSING, EXCUSED]
    opened = alice_client.get(f"{desk.url}?more={bea.row}").content.decode()
    assert "Bea Kral plays again" in text(opened)
    alice_client.post(f"{desk.url}mark/", {**data, "state": "here"})
    assert desk.states() == [MISSING, HERE]


def test_only_people_of_the_event_can_be_named(desk: Desk, alice_client: Client) -> None:
    stranger = Player.objects.create(name="Zed")
    data = {"entry": desk.pair.public_id, "person": stranger.public_id, "state": "here"}
    alice_client.post(f"{desk.url}mark/", data)
    assert not CheckIn.objects.exists()


def test_a_kiosk_shows_both_and_checks_in_one(desk: Desk, by_alice: Actor) -> None:
    kiosk = kiosks.create_kiosk(tournament=desk.event, by=by_alice, now=timezone.now())
    rows = kiosks.kiosk_page(kiosk, "", timezone.now())["arrivals"]
    assert [(row.name, row.divisions) for row in rows] == [("Ann Berg", "Main · Doubles"), ("Bea Kral", "Doubles")]
    batch = kiosks.check_in_at(kiosk=kiosk, entry=rows[0].entry, person=desk.ann, now=timezone.now())
    assert desk.alone_since() is not None
    assert desk.states() == [HERE, MISSING]
    page = kiosks.kiosk_page(kiosk, "", timezone.now())
    assert page["last_name"] == "Ann Berg"
    assert kiosks.check_in_at(kiosk=kiosk, entry=rows[0].entry, person=desk.ann, now=timezone.now()) == ""
    kiosks.undo_at(kiosk=kiosk, batch=batch, now=timezone.now())
    assert (desk.alone_since(), desk.states()) == (None, [MISSING, MISSING])


def test_a_program_says_whom_of_a_pair(desk: Desk, alice_client: Client) -> None:
    path = f"/api/v1/entries/{desk.pair.public_id}/check-in/"

    def send(**body: Any) -> int:
        return alice_client.post(path, body, content_type="application/json").status_code

    assert send(present=True, person=desk.bea.public_id) == 200
    assert desk.states() == [MISSING, HERE]
    assert send(present=True) == 200
    assert desk.states() == [HERE, HERE]
    assert send(state="excused", person=desk.bea.public_id) == 200
    assert desk.pair.checked_in_at is not None
    assert send(state="excused", person=desk.ann.public_id) == 409
    assert send(present=True, person=Player.objects.create(name="Zed").public_id) == 422
