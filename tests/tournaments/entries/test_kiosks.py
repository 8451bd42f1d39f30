"""A kiosk at the door: a device that checks players in and can do nothing else."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from engine.errors import Refused
from players.actors import Actor
from players.models import LogEntry, Player
from tests.pages import html
from tests.tournaments.support.pages import text as visible
from tournaments.draws import services as draws
from tournaments.entries import check_in, kiosks
from tournaments.entries import services as entries
from tournaments.entries.kiosks import kiosk_page, kiosks_of
from tournaments.events import services as events
from tournaments.models import CheckIn, Division, Draw, Kiosk, Tournament
from tournaments.state.log import entries_of, log_lines

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def division(make_division: Callable[..., Division], by_alice: Actor) -> Division:
    """A published event that begins in an hour, with Bob, Carol (initials only), Grete and Hans."""
    division = make_division(name="Open")
    Tournament.objects.filter(pk=division.tournament_id).update(starts_at=timezone.now() + timedelta(hours=1))
    carol = Player.objects.create(name="Carol Carlsen", initials_only=True)
    players = [Player.objects.create(name="Bob"), carol, *(Player.objects.create(name=name) for name in "GH")]
    entries.enter(division=division, players=players, by=by_alice, now=timezone.now())
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=timezone.now())
    return Division.objects.select_related("tournament__club").get(pk=division.pk)


@pytest.fixture
def kiosk(division: Division, by_alice: Actor) -> Kiosk:
    return kiosks.create_kiosk(tournament=division.tournament, by=by_alice, now=timezone.now())


def shown(response: Any) -> str:
    return visible(html(response))


def test_a_paired_device_checks_players_in_and_reaches_nothing_of_the_director(
    division: Division, kiosk: Kiosk, alice_client: Client, by_alice: Actor
) -> None:
    event = division.tournament
    home = f"/events/{event.club.slug}/{event.slug}/"
    link = f"/kiosk/pair/{kiosks.pairing_token(kiosk)}/"
    assert link in html(alice_client.get(f"{home}check-in/kiosks/"))
    looked_at = alice_client.get(link)
    assert looked_at.status_code == 200, "looking at the link pairs nothing"
    assert looked_at["X-Robots-Tag"] == "noindex, nofollow"
    device = alice_client
    response = device.post(link)
    assert not device.cookies.pop("sessionid").value, "Alice is signed out, and a browser drops the empty cookie"
    assert (response.cookies["kiosk"]["httponly"], response.cookies["kiosk"]["path"]) == (True, "/kiosk/")
    assert Client().post(link).status_code == 404, "the link pairs one device"
    for page in ("console/", "check-in/", "edit/", "cash/"):
        assert device.get(home + page).status_code == 302, f"{page} asks to sign in"
    bob = {"entry": division.entries.get(player__name="Bob").public_id}
    assert device.post(f"{home}check-in/mark/", {**bob, "state": "here"}).status_code == 302
    assert not CheckIn.objects.exists()

    page = shown(device.get("/kiosk/"))
    assert "C. C." in page
    assert "Carlsen" not in page, "initials stay initials"
    assert "G" in shown(device.get("/kiosk/?q=g"))
    device.post("/kiosk/check-in/", bob)
    device.post("/kiosk/check-in/", bob)
    [arrival] = CheckIn.objects.all()
    assert (arrival.state, arrival.source, arrival.kiosk) == ("here", "kiosk", kiosk)
    welcome = device.get("/kiosk/")
    assert "Welcome, Bob You are checked in." in shown(welcome)
    assert "data-offset" not in welcome.content.decode(), "the time is the event's, whatever the device's clock says"
    assert "Bob is checked in" in shown(device.get("/kiosk/?next=1"))
    lines = log_lines(entries_of(event, directs=True), event)
    assert ("A check-in kiosk", "checked in") in [(line.who, line.what) for line in lines]

    device.post("/kiosk/undo/", {"batch": arrival.batch})
    assert division.entries.get(player__name="Bob").checked_in_at is None
    assert "Welcome" not in shown(device.get("/kiosk/"))
    [row] = kiosks_of(event, timezone.now(), str)
    assert row.check_ins == 0, "what was undone is not counted"
    assert device.post("/kiosk/check-in/", {"entry": "2222222222"}).status_code == 404
    kiosks.revoke_kiosk(kiosk=kiosk, by=by_alice, now=timezone.now())
    assert device.get("/kiosk/").status_code == 404
    assert device.post("/kiosk/check-in/", bob).status_code == 404
    assert LogEntry.objects.filter(verb="kiosk_revoked").count() == 1


def test_the_order_of_a_kiosk_says_nothing_of_the_names_behind_initials(
    division: Division, kiosk: Kiosk, by_alice: Actor
) -> None:
    walter = Player.objects.create(name="Čelik Walter", initials_only=True)
    names = ["C. Cobb", "c. d.", "Č. Wagner"]
    players = [walter, *(Player.objects.create(name=name) for name in names)]
    entries.enter(division=division, players=players, by=by_alice, now=timezone.now())
    rows = kiosk_page(kiosk, "", timezone.now())["arrivals"]
    assert [row.name for row in rows] == [
        "Bob", "C. C.", "C. Cobb", "c. d.", "Č. W.", "Č. Wagner", "G", "H",
    ]  # fmt: skip


def test_a_pairing_link_expires_and_a_kiosk_ends_with_its_event(
    division: Division, kiosk: Kiosk, by_alice: Actor
) -> None:
    token, event, now = kiosks.pairing_token(kiosk), division.tournament, timezone.now()
    with pytest.raises(Refused, match="kiosk_link_used"):
        kiosks.pair(token=token, now=now + timedelta(minutes=11))
    with pytest.raises(Refused, match="kiosk_link_used"):
        kiosks.pair(token=token[:-1] + ("A" if token[-1] != "A" else "B"), now=now)
    _kiosk, secret = kiosks.pair(token=token, now=now)
    assert kiosks.kiosk_with(secret) == kiosk
    assert kiosks.kiosk_with("") is None
    assert secret not in Kiosk.objects.get().secret_hash
    events.cancel_tournament(tournament=event, by=by_alice, now=now)
    assert kiosks.kiosk_with(secret) is None
    with pytest.raises(Refused, match="tournament_not_open"):
        kiosks.create_kiosk(tournament=Tournament.objects.get(), by=by_alice, now=now)


def test_a_tap_is_undone_for_thirty_seconds_at_the_same_kiosk_only(
    division: Division, kiosk: Kiosk, by_alice: Actor
) -> None:
    now: datetime = timezone.now()
    other = kiosks.create_kiosk(tournament=division.tournament, by=by_alice, now=now)
    bob, grete = (division.entries.get(player__name=name) for name in ["Bob", "G"])
    batch = kiosks.check_in_at(kiosk=kiosk, entry=bob, now=now)
    for at, where in ((31, kiosk), (5, other)):
        with pytest.raises(Refused, match="kiosk_undo_late"):
            kiosks.undo_at(kiosk=where, batch=batch, now=now + timedelta(seconds=at))
    by_director = check_in.mark(entry=grete, state="here", by=by_alice, now=now).check_ins.get()
    with pytest.raises(Refused, match="kiosk_undo_late"):
        kiosks.undo_at(kiosk=kiosk, batch=by_director.batch, now=now)
    assert kiosks.check_in_at(kiosk=kiosk, entry=grete, now=now) == "", "here already"
    kiosks.undo_at(kiosk=kiosk, batch=batch, now=now + timedelta(seconds=29))
    with pytest.raises(Refused, match="check_in_changed"):
        kiosks.undo_at(kiosk=kiosk, batch=batch, now=now + timedelta(seconds=29))
    with pytest.raises(Refused, match="check_in_closed"):
        kiosks.check_in_at(kiosk=kiosk, entry=bob, now=now - timedelta(hours=2))


def test_a_draft_names_who_checked_in_at_a_kiosk(
    division: Division, kiosk: Kiosk, alice_client: Client, by_alice: Actor
) -> None:
    now = timezone.now()
    kiosks.check_in_at(kiosk=kiosk, entry=division.entries.get(player__name="Bob"), now=now)
    check_in.mark(entry=division.entries.get(player__name="G"), state="here", by=by_alice, now=now)
    draw = draws.request_draw(division=division, by=by_alice, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    assert Draw.objects.get().state == "draft"
    event = division.tournament
    page = shown(alice_client.get(f"/events/{event.club.slug}/{event.slug}/{division.public_id}/draw/"))
    assert "Checked in by the players themselves, at a kiosk: Bob ." in page.replace("Bob.", "Bob .")
