"""The page of the side events: a name with its fee in one tap, undone in one, and what it says of each list."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from clubhouse.copies import copy_event
from players.models import Club, Membership, Player, User
from prizes.page.cash import cash_page, cash_rows
from tests.tournaments.offers.conftest import FEE, Desk
from tests.tournaments.support.pages import page, text
from tournaments.entries.check_in import mark_all_here
from tournaments.ledger.accounts import box_of
from tournaments.models import Division, Entry, Offer, Tournament
from tournaments.offers import services as offers

pytestmark = pytest.mark.django_db


def urls(desk: Desk) -> tuple[str, str]:
    """The page of the side events, and the prefix of what is done with the offer."""
    own = f"/events/{desk.event.club.slug}/{desk.event.slug}/check-in/jackpots/"
    return own, f"{own}{desk.offer.public_id}/"


def button_of(html: str, name: str) -> str:
    """The public id that the button of a person sends."""
    found = re.search(rf'name="player" value="([2-9a-z]+)">\s*<bdi>{name}</bdi>', html)
    assert found, f"{name} has no button"
    return found[1]


def test_a_tap_enters_a_name_with_the_fee_and_one_undoes_it(desk: Desk, alice_client: Client) -> None:
    own, offer = urls(desk)
    shown = page(alice_client, own)
    assert f'href="{own}"' in page(alice_client, own.removesuffix("jackpots/")), "the desk leads to it"
    tap = {"player": button_of(shown, "Ann"), "amount": FEE}
    answer = alice_client.post(f"{offer}join/", tap, follow=True)
    assert "Ann is on no. 1 of Jackpot 100: 1 of 4." in text(answer.content.decode())
    assert desk.lists == [("Ann",)]
    assert box_of(desk.event).expected == FEE
    undo = re.search(r'name="entry" value="([2-9a-z]+)">Undo', answer.content.decode())
    assert undo
    alice_client.post(f"{offer}undo/", {"entry": undo[1]})
    assert (desk.lists, box_of(desk.event).expected) == ([()], 0)


def test_who_is_here_is_offered_and_who_is_on_the_list_is_not(desk: Desk, alice_client: Client) -> None:
    own, _offer = urls(desk)
    main = desk.event.divisions.get(name="Main")
    main.entries.exclude(player__name="Hal").update(checked_in_at=desk.at)
    desk.join("Ann")
    shown = page(alice_client, own)
    assert "<bdi>Bea</bdi>" in shown
    assert "<bdi>Hal</bdi>" not in shown, "he is not here"
    assert not re.search(r'name="player"[^>]*>\s*<bdi>Ann</bdi>', shown)
    found = page(alice_client, f"{own}?q=Ida")
    assert "New player" in text(found)


def test_the_first_name_on_a_list_does_not_hide_those_who_are_entered(desk: Desk, alice_client: Client) -> None:
    own, _offer = urls(desk)
    desk.join("Ann")
    assert button_of(page(alice_client, own), "Hal"), "nobody was checked in at the desk"


def test_somebody_looked_for_can_pay_later(desk: Desk, alice_client: Client) -> None:
    own, offer = urls(desk)
    found = page(alice_client, f"{own}?q=Ida")
    form = found[found.index(f'action="{offer}join/"') :].split("</form>")[0]
    assert "New player" in text(form)
    assert 'name="unpaid"' in form
    # A person is meant by the button, whatever is written.
    tap = {"name": "an", "player": button_of(page(alice_client, f"{own}?q=an"), "Ann"), "amount": FEE, "unpaid": "on"}
    alice_client.post(f"{offer}join/", tap)
    assert desk.lists == [("Ann",)]
    assert box_of(desk.event).expected == 0


def test_a_new_name_becomes_a_member_with_a_place(desk: Desk, alice_client: Client, club: Club) -> None:
    _own, offer = urls(desk)
    alice_client.post(f"{offer}join/", {"name": "Ida Berg", "player": "new", "amount": FEE})
    assert desk.lists == [("Ida Berg",)]
    assert Membership.objects.filter(club=club, player__name="Ida Berg").exists()


def test_the_page_says_how_far_each_list_is(desk: Desk, alice_client: Client) -> None:
    own, _offer = urls(desk)
    desk.at = timezone.now()
    desk.join("Ann", "Bea", "Cem", "Dan")
    shown = text(page(alice_client, own))
    assert re.search(r"No. 1 full, starts in (30|[12]?[0-9]) s", shown)
    assert "no. 2: 0 of 4" in shown
    desk.wait(31)
    desk.join("Eva")
    shown = text(page(alice_client, own))
    assert "no. 1 running" in shown
    home = text(page(alice_client, f"/events/{desk.event.club.slug}/{desk.event.slug}/"))
    assert "Jackpot 100 no. 2: 1 of 4" in home, "its lists are folded into one line"
    assert home.count("Jackpot 100 no. 2") == 1


def test_at_closing_time_a_director_decides(desk: Desk, alice_client: Client) -> None:
    _own, offer = urls(desk)
    offers.update_offer(
        offer=desk.offer,
        values=offers.OfferInput("Jackpot 100", 8, [5], fee=FEE),
        by=desk.by,
        now=desk.at,
    )
    desk.join("Ann", "Bea", "Cem", "Dan", "Eva")
    floor = f"/events/{desk.event.club.slug}/{desk.event.slug}/console/"
    choices = ("Start with 5", "Start with the first 4, 1 refunded", "Close, 5 refunded")
    assert choices[0] not in text(page(alice_client, floor))
    Tournament.objects.update(ends_at=timezone.now() - timedelta(minutes=1))
    shown = text(page(alice_client, floor))
    assert all(choice in shown for choice in choices)
    run = desk.run(1)
    sent = {"division": run.public_id, "names": 4, "after": run.seq}
    answer = alice_client.post(f"{offer}start/", sent, follow=True)
    assert "No. 1 has started. 1 fee is to be refunded." in text(answer.content.decode())
    again = alice_client.post(f"{offer}start/", sent, follow=True)
    assert "No. 1 has started." in text(again.content.decode())
    assert Division.objects.filter(offer=desk.offer).count() == 1


def test_a_list_of_another_offer_is_no_choice(desk: Desk, alice_client: Client) -> None:
    """Its number says that there is such a list, which may be of an event that is no more than a draft."""
    _own, offer = urls(desk)
    other = offers.create_offer(
        tournament=desk.event, offer=offers.OfferInput("Other", 4, [5]), by=desk.by, now=desk.at
    )
    answers = set()
    for division in (other.runs.get().public_id, "2222222222"):
        answer = alice_client.post(f"{offer}start/", {"division": division, "names": 4, "after": 0}, follow=True)
        answers.add(text(answer.content.decode()).count("has started"))
        body = {"division": division, "names": 4, "after": 0}
        api = alice_client.post(f"/api/v1/offers/{desk.offer.public_id}/start/", body, content_type="application/json")
        assert (api.status_code, api.json()["errors"][0]["field"]) == (422, "division")
    assert answers == {0}


def test_one_name_can_only_be_refunded(desk: Desk, alice_client: Client) -> None:
    own, _offer = urls(desk)
    desk.join("Ann")
    shown = text(page(alice_client, own))
    assert "Start with" not in shown
    assert "Close, 1 refunded" in shown


def test_an_offer_is_opened_and_changed_and_its_faults_stay_in_the_form(desk: Desk, alice_client: Client) -> None:
    own, offer = urls(desk)
    new = {"name": "Jackpot 50", "size": "8", "fee": "50", "lengths": "3 5", "kept": "2.5", "shares": "60 30"}
    refused = alice_client.post(f"{own}add/", new)
    assert refused.status_code == 422
    assert "The shares must make 100 %" in text(refused.content.decode())
    assert 'value="Jackpot 50"' in refused.content.decode()
    alice_client.post(f"{own}add/", {**new, "shares": "60 40", "rated": "on", "again": "on"})
    made = Offer.objects.get(name="Jackpot 50")
    assert (made.size, made.fee, made.lengths, made.kept, made.shares) == (8, 5000, [3, 5], 250, [6000, 4000])
    run = made.runs.get()
    assert (run.capacity, run.fee, run.lengths, run.rated) == (8, 5000, [3, 5], True)
    changed = {**new, "name": "Jackpot 100", "shares": "100", "fee": "20"}
    alice_client.post(f"{offer}change/", changed)
    assert (desk.run(1).fee, desk.run(1).rated) == (2000, False)


def test_only_directors_come_to_the_page(desk: Desk, client: Client, erin: User, as_user: object) -> None:
    own, offer = urls(desk)
    client.force_login(erin)
    assert client.get(own).status_code == 403
    ann = desk.people["Ann"].public_id
    assert client.post(f"{offer}join/", {"player": ann, "amount": FEE}).status_code == 403
    assert desk.lists == [()]


def test_nobody_of_another_club_is_named(desk: Desk, alice_client: Client) -> None:
    _own, offer = urls(desk)
    stranger = Player.objects.create(name="Stranger")
    answer = alice_client.post(f"{offer}join/", {"player": stranger.public_id, "amount": FEE})
    assert answer.status_code == 404
    assert desk.lists == [()]


def test_the_page_takes_as_many_queries_for_any_number_of_names(desk: Desk, alice_client: Client) -> None:
    own, _offer = urls(desk)
    counts = []
    for names in (("Ann",), ("Bea", "Cem")):
        desk.join(*names)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            page(alice_client, own)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_api_does_the_same(desk: Desk, alice_client: Client) -> None:
    api = "/api/v1/"
    listed = f"{api}tournaments/{desk.event.public_id}/offers/"
    (row,) = alice_client.get(listed).json()
    assert (row["name"], row["lists"][0]["state"], row["lists"][0]["size"]) == ("Jackpot 100", "open", 4)
    join = f"{api}offers/{desk.offer.public_id}/join/"
    headers = {"Idempotency-Key": "first"}
    for _twice in range(2):
        sent = {"name": "Ann", "amount": FEE}
        answer = alice_client.post(join, sent, content_type="application/json", headers=headers)
        assert answer.status_code == 200
    assert answer.json()["lists"][0]["names"] == 1
    refused = alice_client.post(join, {"name": "Bea", "amount": 1}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "fees_changed")
    assert box_of(desk.event).expected == FEE


def test_what_the_club_keeps_is_at_the_cash_desk(desk: Desk) -> None:
    desk.join("Ann", "Bea", "Cem", "Dan")
    desk.wait(30)
    shown = cash_page(desk.event)
    assert [(line.label, line.amount) for line in shown.kept] == [("Jackpot 100 no. 1", "20.00")]
    assert shown.prizes[-1].summary == "4 × 100.00 − 20.00 for the club = 380.00"
    assert [row[:2] for row in cash_rows(desk.event) if row[0] == "kept"] == [["kept", "Jackpot 100 no. 1"]]


def test_a_copy_of_the_event_has_the_same_offers(desk: Desk) -> None:
    desk.join("Ann", "Bea", "Cem", "Dan", "Eva")
    desk.wait(30)
    copy = copy_event(tournament=desk.event, by=desk.by, now=desk.at)
    assert [row.name for row in copy.divisions.order_by("order", "pk")] == ["Main", "Jackpot 100 no. 1"]
    offer = copy.offers.get()
    assert (offer.fee, offer.kept, offer.shares) == (FEE, 500, [7000, 3000])
    assert not Entry.objects.filter(division__tournament=copy).exists()


def test_the_desk_of_arrivals_shows_no_lists(desk: Desk, alice_client: Client) -> None:
    own, _offer = urls(desk)
    desk.join("Ann")
    shown = page(alice_client, own.removesuffix("jackpots/"))
    assert shown.count("<bdi>Ann</bdi>") <= 1
    _batch, count = mark_all_here(tournament=desk.event, division=None, by=desk.by, now=desk.at)
    assert count == 8, "all of the main event are missing until they are checked in there"
