"""Tonight in one screen: an evening that is started in one step, and undone within a minute."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from clubhouse.tonight import UNDO_FOR, EveningPlan, TonightForm, TonightPage, start_evening, undo_start
from engine.errors import Refused
from formats.settings import PROGRESSIVE, SWISS, StageSettings
from matches.models import Match
from players.actors import SYSTEM, Actor
from players.models import Club, Delivery, LogEntry, Membership, Player, User
from tests.pages import html
from tests.tournaments.support.pages import text
from tournaments.draws.undo import undo_published_draw
from tournaments.entries import check_in
from tournaments.entries.services import enter, withdraw
from tournaments.floor.calls import start
from tournaments.models import (
    Commitment,
    Division,
    Draw,
    Entry,
    Fixture,
    Floor,
    FloorEvent,
    FloorKind,
    OpeningHours,
    Stage,
    Tournament,
    Venue,
)

pytestmark = pytest.mark.django_db
CONSOLATION = (StageSettings(PROGRESSIVE, lengths=(5,), lower_lengths=(3,)),)


@pytest.fixture
def people(club: Club) -> list[Player]:
    """Eight members of the club."""
    rows = [Player.objects.create(name=f"Member {number}") for number in range(1, 9)]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in rows)
    return rows


@pytest.fixture
def start_it(club: Club, people: list[Player], by_alice: Actor) -> Callable[..., Tournament]:
    """Start an evening of the eight, now."""

    def start_one(**changes: Any) -> Tournament:
        now = changes.pop("now", timezone.now())
        plan = {"tables": 4, "closes_at": now + timedelta(hours=4), "stages": CONSOLATION, "players": people}
        given = {key: changes.pop(key) for key in list(changes) if key in plan or key in ("names", "leaving")}
        return start_evening(club=club, plan=EveningPlan(**{**plan, **given}), by=by_alice, now=now, **changes)

    return start_one


@pytest.mark.parametrize(("players", "hours"), [(8, 4), (13, 3), (13, 5)])
def test_a_format_has_one_end_and_is_too_long_only_if_it_is_likely_to_be(club: Club, players: int, hours: int) -> None:
    now = timezone.now()
    page = TonightPage(club, now)
    closes = f"{now.astimezone(page.zone) + timedelta(hours=hours):%H:%M}"
    compared = 0
    for key in ["", *(offer.key for offer in page.offers)]:
        data = {"players": players, "tables": players // 2, "closes": closes, "format": key}
        page.take(TonightForm(data, page=page))
        chosen, timeline = next(offer for offer in page.offers if offer.key == page.chosen), page.timeline
        assert timeline is not None
        assert {chosen.ends, *(line.ends for line in page.compared if line.is_chosen)} == {timeline.ends}
        assert chosen.is_too_long == (timeline.expected > timeline.closing)
        compared += len(page.compared)
    assert compared


@pytest.mark.parametrize(
    ("now", "closes"),
    [
        ("2026-11-22 23:10", "01:30"),  # ten past midnight on a Monday in Copenhagen, during Sunday's evening
        ("2027-03-28 00:40", "06:45"),  # four hours later, since clocks go from two to three
    ],
)
def test_tonight_closes_with_the_venue_or_in_four_hours(club: Club, now: str, closes: str) -> None:
    OpeningHours.objects.create(venue=Venue.objects.create(club=club), weekday=6, opens=time(18), closes=time(1, 30))
    assert TonightPage(club, datetime.fromisoformat(now).replace(tzinfo=UTC)).form.data["closes"] == closes


def called(event: Tournament) -> int:
    return FloorEvent.objects.filter(tournament=event, kind=FloorKind.CALLED, undone_by=None).count()


def places(event: Tournament) -> list[Any]:
    return list(
        Draw.objects.filter(stage__division__tournament=event).order_by("number").values_list("number", "places")
    )


def test_one_step_creates_draws_opens_and_calls(start_it: Callable[..., Tournament]) -> None:
    event = start_it(names=["Wanda Late"])
    division = event.divisions.get()
    assert (event.status, division.status, event.tables) == ("running", "running", 4)
    assert division.entries.filter(status=Entry.Status.IN).exclude(checked_in_at=None).count() == 9
    assert event.floor_tables.count() == 4
    assert called(event) == 4
    assert Draw.objects.get(stage__division=division).state == Draw.State.PUBLISHED
    verbs = set(LogEntry.objects.values_list("verb", flat=True))
    assert {"tournament_published", "draw_published", "floor_opened", "evening_started"} <= verbs


def test_its_fees_are_in_the_currency_of_the_club(start_it: Callable[..., Tournament], club: Club) -> None:
    Club.objects.filter(pk=club.pk).update(currency="EUR")
    club.refresh_from_db()
    event = start_it()
    assert (event.currency, event.currency_exponent) == ("EUR", 2)


def test_an_unclear_fee_is_shown_while_typing_and_asked_about_at_the_start(club: Club, alice_client: Client) -> None:
    Club.objects.filter(pk=club.pk).update(currency="EUR")
    data = {"players": 8, "tables": 4, "closes": "23:00", "fee": "1,500"}
    typing = alice_client.post(reverse("tonight-show", args=[club.slug]), data, headers={"HX-Request": "true"})
    assert (typing.status_code, "which number “1,500” is" in typing.content.decode()) == (200, True)
    asked = alice_client.post(reverse("tonight", args=[club.slug]), data)
    assert (asked.status_code, "1,500.00 EUR" in asked.content.decode()) == (422, True)


def test_starting_twice_starts_one_evening(start_it: Callable[..., Tournament]) -> None:
    now = timezone.now()
    first = start_it(key="once", now=now)
    assert start_it(key="once", now=now) == first, "pressed twice"
    assert start_it(now=now + timedelta(seconds=10)) == first, "by somebody else of the club at the same time"
    assert start_it(key="once", now=now + timedelta(minutes=5)) == first, "sent again after the minute"
    assert Tournament.objects.count() == 1
    assert called(first) == 4


def test_two_evenings_of_a_day_have_names_that_differ(start_it: Callable[..., Tournament], club: Club) -> None:
    later = timezone.now() + timedelta(hours=2)
    first = start_it(key="first")
    second = start_it(key="second", now=later)
    assert [row.name for row in (first, second)] == ["Club night", "Club night (2)"]
    Tournament.objects.update(status="finished")
    copy = start_it(key="third", now=later + timedelta(days=7), like=second)
    assert copy.name == "Club night", "of the copy of a second evening, too"
    again = start_it(key="third", now=later + timedelta(days=7), like=second)
    assert (again, again.name) == (copy, "Club night")


def test_if_it_is_refused_nothing_has_happened(start_it: Callable[..., Tournament], people: list[Player]) -> None:
    with pytest.raises(Refused, match="too_few_entries"):
        start_it(players=people[:1])
    assert not Tournament.objects.exists()
    start_it()


def test_undo_leaves_the_draw_in_the_count(start_it: Callable[..., Tournament], by_alice: Actor) -> None:
    event = start_it()
    before = places(event)
    seed = Commitment.objects.get().seed_hash
    event = undo_start(tournament=event, by=by_alice, now=timezone.now())
    assert (event.status, event.divisions.get().status) == ("published", "entries")
    assert called(event) == 0
    assert not Floor.objects.exists()
    assert not Fixture.objects.exists()
    verbs = list(LogEntry.objects.order_by("pk").values_list("verb", flat=True))
    assert {"draw_unpublished", "floor_shut", "evening_start_undone"} <= set(verbs)
    assert undo_start(tournament=event, by=by_alice, now=timezone.now()) == event, "undone twice"
    assert verbs.count("evening_start_undone") == LogEntry.objects.filter(verb="evening_start_undone").count()

    again = start_it(event=event)
    assert again == event
    assert places(event) == before, "the same entries give the same draw"
    assert called(event) == 4
    assert [row.seed_hash for row in Commitment.objects.all()] == [seed]


def test_the_seed_is_shown_once_the_start_stands(start_it: Callable[..., Tournament]) -> None:
    now = timezone.now()
    event = start_it(now=now)
    assert not Stage.objects.get().seed_is_public
    Tournament.objects.filter(pk=event.pk).update(undo_until=now)
    assert Stage.objects.get().seed_is_public


def test_another_draw_takes_the_next_number_and_needs_a_reason(
    start_it: Callable[..., Tournament], by_alice: Actor
) -> None:
    event = undo_start(tournament=start_it(), by=by_alice, now=timezone.now())
    swiss = (StageSettings(SWISS, rounds=3, lengths=(5,)),)
    with pytest.raises(Refused, match="reason_needed"):
        start_it(event=event, stages=swiss)
    start_it(event=event, stages=swiss, reason="Three rounds are enough")
    assert [number for number, _places in places(event)] == [1, 2]
    assert Draw.objects.get(state=Draw.State.PUBLISHED).reason == "Three rounds are enough"


def test_other_players_are_a_reason_of_their_own(
    start_it: Callable[..., Tournament], people: list[Player], by_alice: Actor
) -> None:
    event = undo_start(tournament=start_it(), by=by_alice, now=timezone.now())
    start_it(event=event, players=people[:-1], leaving=people[-1:])
    assert Draw.objects.get(state=Draw.State.PUBLISHED).number == 2
    assert Draw.objects.get(state=Draw.State.PUBLISHED).reason
    assert event.divisions.get().entries.filter(status=Entry.Status.OUT).count() == 1


def test_undo_is_refused_after_a_minute_and_once_a_match_has_begun(
    start_it: Callable[..., Tournament], by_alice: Actor, alice_client: Client
) -> None:
    now = timezone.now()
    event = start_it(now=now)
    floor = f"/events/{event.club.slug}/{event.slug}/floor/"
    assert "The evening is started." in alice_client.get(floor).content.decode()
    with pytest.raises(Refused, match="start_undo_over"):
        undo_start(tournament=event, by=by_alice, now=now + UNDO_FOR)
    fixture = FloorEvent.objects.filter(kind=FloorKind.CALLED).first()
    assert fixture is not None
    assert fixture.fixture is not None
    start(fixture=fixture.fixture, by=by_alice, now=now + timedelta(seconds=5))
    assert "The evening is started." not in alice_client.get(floor).content.decode(), "nothing that would be refused"
    with pytest.raises(Refused, match="start_begun"):
        undo_start(tournament=event, by=by_alice, now=now + timedelta(seconds=10))
    assert event.divisions.get().status == Division.Status.RUNNING
    assert called(event) == 4


def test_emails_and_pushes_wait_until_the_minute_is_over(
    start_it: Callable[..., Tournament], people: list[Player], bob: User
) -> None:
    Player.objects.filter(pk=people[0].pk).update(user=bob)
    now = timezone.now()
    start_it(now=now)
    deliveries = Delivery.objects.filter(notification__user=bob)
    assert {row.notification.kind for row in deliveries.select_related("notification")} >= {"draw_published", "called"}
    assert all(row.next_at >= now + UNDO_FOR for row in deliveries)


def test_only_who_is_there_counts_as_here_once_check_in_has_begun(
    start_it: Callable[..., Tournament], people: list[Player], by_alice: Actor
) -> None:
    now = timezone.now()
    event = undo_start(tournament=start_it(players=people[:6], now=now), by=by_alice, now=now)
    absent = event.divisions.get().entries.first()
    assert absent is not None
    check_in.mark(entry=absent, state="missing", by=by_alice, now=now)
    start_it(event=event, now=now + timedelta(seconds=30))
    here = event.divisions.get().entries.exclude(checked_in_at=None)
    assert here.count() == 7
    assert absent not in here


def test_a_draw_whose_matches_were_called_can_be_taken_back(
    start_it: Callable[..., Tournament], by_alice: Actor
) -> None:
    event = start_it()
    division = event.divisions.get()
    undo_published_draw(
        division=division, reason="Wrong format", after=division.seq, by=by_alice, now=timezone.now() + UNDO_FOR
    )
    assert event.divisions.get().status == Division.Status.ENTRIES
    calls = FloorEvent.objects.filter(tournament=event, kind=FloorKind.CALLED)
    assert calls.count() == 4, "what happened on the floor stays a fact"
    assert {row.match.state for row in calls.select_related("match") if row.match is not None} == {"void"}


def test_the_api_starts_and_undoes_an_evening(
    people: list[Player], club: Club, alice: User, dave: User, as_user: Callable[[User | None], Client]
) -> None:
    url = f"/api/v1/clubs/{club.slug}/tonight/"
    body: dict[str, Any] = {
        "tables": 4,
        "closes": "23:30",
        "here": [player.public_id for player in people],
        "format": "swiss",
    }
    body["fee"] = 15
    assert as_user(dave).post(url, body, content_type="application/json").status_code == 403
    started = as_user(alice).post(url, body, content_type="application/json")
    assert started.status_code == 201, started.content
    event = Tournament.objects.get()
    assert started.json()["public_id"] == event.public_id
    assert event.divisions.get().stages.get().format == SWISS
    assert event.divisions.get().fee == 15
    undo = f"/api/v1/tournaments/{event.public_id}/start/undo/"
    assert as_user(alice).post(undo, {}, content_type="application/json").json()["status"] == "published"
    unknown = body | {"here": ["aaaaaaaaaa"]}
    assert as_user(alice).post(url, unknown, content_type="application/json").status_code == 422


# The screen.


def event_players(event: Tournament) -> list[Player]:
    return [entry.player for entry in Entry.objects.filter(division__tournament=event).select_related("player")]


def hidden_and_chosen(page: str) -> list[tuple[str, str]]:
    """The hidden fields, figures and the chosen format of the screen, as a browser sends them."""
    inputs = [dict(re.findall(r'([a-z]+)="([^"]*)"', tag)) | {"tag": tag} for tag in re.findall(r"<input[^>]*>", page)]
    left_out = ("checkbox", "radio")
    kept = [row for row in inputs if row.get("type") not in left_out or "checked" in row["tag"]]
    return [(row["name"], row.get("value", "")) for row in kept if "name" in row and row["name"] != "here"]


@pytest.mark.slow
def test_the_screen_starts_tonight_and_undoes_it(
    alice_client: Client, club: Club, people: list[Player], by_alice: Actor
) -> None:
    url = f"/clubs/{club.slug}/tonight/"
    page = html(alice_client.get(url))
    assert "Start tonight" in page
    assert "Same as last week" not in page, "there was no evening before"
    here = [player.public_id for player in people]
    data = {"players": 8, "tables": 4, "closes": "23:45", "here": here, "named": 0, "names": "Nina New"}
    shown = html(alice_client.post(f"{url}show/", data, headers={"HX-Request": "true"}))
    assert "Start with 9 players" in shown
    assert "Proposed for 9 players" in shown
    assert Tournament.objects.count() == 0
    response = alice_client.post(url, data)
    event = Tournament.objects.get()
    assert response.headers["Location"] == f"/events/{club.slug}/{event.slug}/floor/"
    floor = html(alice_client.get(response.headers["Location"]))
    assert "The evening is started." in floor
    undone = alice_client.post(f"/events/{club.slug}/{event.slug}/undo-start/")
    assert undone.headers["Location"] == url
    page = html(alice_client.get(url))
    assert "Start with 9 players" in page, "it is filled in as it was"
    assert "As planned: " in page
    before = places(event)
    fields = dict(hidden_and_chosen(page))
    again = alice_client.post(url, {**fields, "here": [player.public_id for player in event_players(event)]})
    assert again.headers["Location"] == response.headers["Location"]
    assert places(event) == before, "the same players get the same draw"


def test_a_tick_lets_a_bracket_follow_lives_and_a_swiss(alice_client: Client, club: Club, people: list[Player]) -> None:
    data = {"players": 8, "tables": 4, "closes": "23:30", "here": [row.public_id for row in people], "named": 8}
    page = f"/clubs/{club.slug}/tonight/"
    for format_, places in (("flow", 8), ("swiss", 4), ("knockout", 0)):
        preview = html(alice_client.post(f"{page}show/", {**data, "format": format_}))
        assert ("Then a bracket of" in preview) == bool(places), format_
    alice_client.post(page, {**data, "format": "swiss", "bracket": "on"})
    first, second = Stage.objects.order_by("number")
    assert (first.format, first.settings["qualifiers"], second.format) == ("swiss", 4, "knockout")


def test_settings_opens_all_of_them_filled_in(alice_client: Client, club: Club, people: list[Player]) -> None:
    here = [player.public_id for player in people]
    data = {"players": 8, "tables": 4, "closes": "23:45", "here": here, "named": 8, "more": "on", "format": "swiss"}
    response = alice_client.post(f"/clubs/{club.slug}/tonight/", data)
    division = Division.objects.get()
    assert response.headers["Location"].endswith(f"/{division.public_id}/settings/")
    assert (division.tournament.status, division.entries.count()) == ("draft", 8)
    assert division.stages.get().format == SWISS


@pytest.mark.slow
def test_same_as_last_week_fills_in_everything(
    alice_client: Client, club: Club, start_it: Callable[..., Tournament], people: list[Player]
) -> None:
    last = start_it(now=timezone.now() - timedelta(days=7))
    Division.objects.filter(tournament=last).update(fee=60, status=Division.Status.FINISHED)
    Tournament.objects.filter(pk=last.pk).update(status=Tournament.Status.FINISHED)
    url = f"/clubs/{club.slug}/tonight/"
    over = timezone.now().astimezone(ZoneInfo(club.time_zone)).replace(hour=22, minute=52) - timedelta(days=7)
    Match.objects.filter(parent_topic=last.divisions.get().topic).update(finished_at=over)
    page = text(html(alice_client.get(url)))
    assert "Same as last week" in page
    assert "8 players, 60 tickets, done 22:52" in page
    data = {"players": 12, "tables": 9, "closes": "23:45", "named": 0}
    shown = html(alice_client.post(f"{url}show/", data | {"use": "on"}, headers={"HX-Request": "true"}))
    assert "Start with 8 players" in shown
    assert 'name="fee" value="60"' in shown
    assert 'value="4"' in shown, "as many tables"
    here = [player.public_id for player in people]
    alice_client.post(url, data | {"players": 8, "tables": 4, "like": "on", "format": "same", "here": here, "named": 8})
    tonight = Tournament.objects.exclude(pk=last.pk).get()
    assert (tonight.name, tonight.divisions.get().fee) == (last.name, 60)
    assert tonight.divisions.get().stages.get().format == PROGRESSIVE
    assert tonight.status == Tournament.Status.RUNNING


def test_the_copy_made_on_the_summary_keeps_the_players_as_ticks(
    alice_client: Client, client: Client, start_it: Callable[..., Tournament], people: list[Player]
) -> None:
    last = start_it(now=timezone.now() - timedelta(days=7) + timedelta(hours=1))
    last.divisions.update(status=Division.Status.FINISHED)
    Tournament.objects.filter(pk=last.pk).update(status=Tournament.Status.FINISHED)
    base = f"/events/{last.club.slug}/{last.slug}"
    shown = html(alice_client.get(f"{base}/report/"))
    assert "Same again next week" in shown
    assert "Same again next week" not in html(client.get(f"{base}/report/"))
    alice_client.post(f"{base}/copy/", {"key": "one"})
    alice_client.post(f"{base}/copy/", {"key": "one"})
    copy = Tournament.objects.exclude(pk=last.pk).get()
    tonight = f"/clubs/{last.club.slug}/tonight/"
    shown = html(alice_client.get(tonight))
    ticked = set(re.findall(r'name="here" value="(\w+)" checked', shown))
    assert ticked == {player.public_id for player in people}
    assert "Start with 8 players" in text(shown)
    assert not copy.divisions.get().entries.exists(), "nobody is entered before the start"
    division = copy.divisions.get()
    enter(division=division, players=people[:1], by=SYSTEM, now=timezone.now())
    withdraw(entry=division.entries.get(), by=SYSTEM, now=timezone.now())
    assert "Start with 8 players" not in text(html(alice_client.get(tonight))), "who has withdrawn is not ticked"


def test_who_registers_or_withdraws_while_the_screen_is_open_is_not_overruled(
    alice_client: Client, club: Club, people: list[Player], by_alice: Actor
) -> None:
    url = f"/clubs/{club.slug}/tonight/"
    data = {"players": 6, "tables": 3, "closes": "23:45", "here": [row.public_id for row in people[:6]], "named": 6}
    alice_client.post(url, data | {"more": "on"})
    division = Division.objects.select_related("tournament").get()
    sent = {"entered": re.findall(r'name="entered" value="(\w+)"', html(alice_client.get(url)))}
    assert set(sent["entered"]) == {row.public_id for row in people[:6]}
    sent["here"] = [row.public_id for row in people[:5]]
    guest = Player.objects.create(name="Guest")
    enter(division=division, players=[guest], by=SYSTEM, now=timezone.now())
    withdraw(entry=division.entries.get(player=people[0]), by=SYSTEM, now=timezone.now())
    shown = text(html(alice_client.post(f"{url}show/", data | sent)))
    assert "Start with 5 players" in shown
    assert "Not ticked, so withdrawn: Member 6" in shown
    alice_client.post(url, data | sent)
    playing = division.entries.filter(status=Entry.Status.IN)
    assert {entry.player for entry in playing.select_related("player")} == {*people[1:5], guest}


def test_a_name_like_a_member_s_is_asked_about(alice_client: Client, club: Club, people: list[Player]) -> None:
    here = [player.public_id for player in people]
    data = {"players": 9, "tables": 4, "closes": "23:45", "here": here, "named": 9, "names": "Member 1"}
    response = alice_client.post(f"/clubs/{club.slug}/tonight/", data)
    assert response.status_code == 422
    assert not Tournament.objects.exists()


def test_what_is_not_understood_in_the_names_is_asked_about(
    alice_client: Client, club: Club, people: list[Player]
) -> None:
    here = [player.public_id for player in people]
    data = {"players": 9, "tables": 4, "closes": "23:45", "here": here, "named": 9}
    response = alice_client.post(f"/clubs/{club.slug}/tonight/", {**data, "names": "Ola Lund\nBerg;Ann;Lund"})
    assert response.status_code == 422
    assert "Line 2 is not clear: Berg · Ann · Lund." in response.content.decode()
    assert not Tournament.objects.exists()


def test_columns_beside_new_names_are_named_when_the_evening_is_started(
    alice_client: Client, club: Club, people: list[Player]
) -> None:
    data = {"players": 9, "tables": 4, "closes": "23:45", "here": [player.public_id for player in people], "named": 9}
    names = "Name;Mobil;Ort\nOla Lund;12;\n"
    floor = html(alice_client.post(f"/clubs/{club.slug}/tonight/", {**data, "names": names}, follow=True))
    assert "Columns not kept: Mobil." in floor
    assert Player.objects.filter(name="Ola Lund").exists()


def test_whom_a_new_name_means_is_chosen_on_the_page_that_asks(
    alice_client: Client, club: Club, people: list[Player]
) -> None:
    """Of two like him who are known, and the other spelling of another new name; changed names are asked about anew."""
    known = [Player.objects.create(name=f"Franz Huber-{name}") for name in ("Lang", "Kurz")]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in known)
    url, here = f"/clubs/{club.slug}/tonight/", [player.public_id for player in people[:4]]
    names = "Franz Huber\r\nJan Novotny\r\nJan Novotni\r\nOla Lund"
    data = {"players": 8, "tables": 4, "closes": "23:45", "here": here, "named": 8, "names": names}
    page = alice_client.post(url, data)
    shown = text(html(page))
    assert page.status_code == 422
    assert "Choose who “Franz Huber” is." in shown
    assert "→ Franz Huber-Kurz" in shown
    assert "the same as Jan Novotny" in shown
    fields = set(re.findall(r'name="(choice-\d)"', html(page)))
    assert fields == {"choice-0", "choice-2"}
    answers = {"choice-0": known[1].public_id, "choice-2": "", "names_asked": names}
    assert alice_client.post(url, {**data, **answers, "names": f"Ann\r\n{names}"}).status_code == 422
    assert alice_client.post(url, {**data, **answers}).status_code == 302
    entered = Entry.objects.exclude(player__in=people).values_list("player__name", flat=True)
    assert sorted(entered) == ["Franz Huber-Kurz", "Jan Novotny", "Ola Lund"]
