"""The arrivals desk: who is here and who has paid, in one tap each, taken back in one."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from engine.errors import Refused
from players.actors import Actor
from players.models import Club, Membership, Player, User
from prizes.services import SidePoolInput, create_pool
from tests.event_cast import NOW
from tests.tournaments.support.pages import text
from tournaments.entries import arrivals, check_in
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.ledger.accounts import box_of, owed_by_entry
from tournaments.ledger.payments import close_desk
from tournaments.models import CheckIn, Division, Entry, Fixture, Payment, Tournament
from tournaments.results.services import forfeit

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
FEE = 1000
HERE, MISSING = CheckIn.State.HERE, CheckIn.State.MISSING
KEY, OTHER_KEY = "2222222222", "3333333333"


@dataclass
class Desk:
    """Alice at the desk of a published event with three players, of whom each owes 10.00 EUR."""

    division: Division
    by_alice: Actor

    @property
    def event(self) -> Tournament:
        """The event."""
        return self.division.tournament

    @property
    def url(self) -> str:
        """The URL of the desk."""
        return f"/events/{self.event.club.slug}/{self.event.slug}/check-in/"

    @property
    def entries(self) -> list[Entry]:
        """The entries as they are now."""
        return list(self.division.entries.select_related("player").order_by("pk"))

    def arrive(self, *rows: Entry, amount: int, here: bool = True, key: str = KEY) -> None:
        """Record that players are here and have paid."""
        arrivals.arrive(
            tournament=self.event, entries=rows, here=here, amount=amount, key=key, by=self.by_alice, now=NOW
        )

    def undo(self, key: str = KEY) -> None:
        """Take the tap back."""
        arrivals.undo_tap(tournament=self.event, batch=key, by=self.by_alice, now=NOW)

    @property
    def here(self) -> int:
        """How many are here."""
        return self.division.entries.filter(checked_in_at__isnull=False).count()

    @property
    def owed(self) -> int:
        """What all of them owe."""
        return sum(owed_by_entry(self.division).values())

    @property
    def box(self) -> int:
        """What should be in the box."""
        return box_of(self.event).expected


@pytest.fixture
def desk(make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor) -> Desk:
    division = make_division(fee=FEE)
    Tournament.objects.filter(pk=division.tournament_id).update(currency="EUR", currency_exponent=2)
    entries.enter(division=division, players=make_players(3), by=by_alice, now=NOW)
    events.publish_tournament(tournament=Tournament.objects.get(), by=by_alice, now=NOW)
    return Desk(Division.objects.select_related("tournament__club").get(pk=division.pk), by_alice)


def test_one_tap_records_who_is_here_and_has_paid_and_is_taken_back_once(desk: Desk) -> None:
    bob = desk.entries[0]
    for _twice in range(2):
        desk.arrive(bob, amount=FEE)
    assert (desk.here, desk.owed, desk.box) == (1, 2 * FEE, FEE), "a double tap counts once"
    desk.undo()
    assert (desk.here, desk.owed, desk.box) == (0, 3 * FEE, 0)
    assert Payment.objects.count() == 2, "both stay in the list"
    with pytest.raises(Refused, match="check_in_changed"):
        desk.undo()
    desk.arrive(bob, amount=FEE, key=OTHER_KEY)
    assert (desk.here, desk.owed) == (1, 2 * FEE), "done again after the undo"


def test_everybody_is_here_and_has_paid_in_one_payment_each(desk: Desk) -> None:
    desk.arrive(*desk.entries, amount=3 * FEE)
    assert (desk.here, desk.owed, desk.box) == (3, 0, 3 * FEE)
    assert sorted(Payment.objects.values_list("entry", "amount")) == sorted((row.pk, FEE) for row in desk.entries)
    desk.undo()
    assert (desk.here, desk.owed, desk.box) == (0, 3 * FEE, 0)


def test_a_fee_alone_checks_nobody_in(desk: Desk) -> None:
    desk.arrive(desk.entries[0], amount=FEE, here=False)
    assert (desk.here, desk.owed) == (0, 2 * FEE)
    desk.undo()
    assert desk.owed == 3 * FEE


def test_the_second_of_two_helpers_takes_no_fee_twice(desk: Desk) -> None:
    first = desk.entries[0]
    desk.arrive(first, amount=FEE)
    with pytest.raises(Refused) as refused:
        desk.arrive(*desk.entries, amount=3 * FEE, key=OTHER_KEY)
    assert (refused.value.code, refused.value.params) == ("fees_changed", {"amount": "20.00"})
    assert (desk.here, desk.box) == (1, FEE), "nothing of it is recorded"


def test_a_tap_is_taken_back_except_for_whoever_was_marked_since(desk: Desk) -> None:
    desk.arrive(*desk.entries, amount=3 * FEE)
    gone = desk.entries[0]
    later = NOW + timedelta(minutes=5)
    check_in.mark(entry=gone, state=CheckIn.State.MISSING, by=desk.by_alice, now=later)
    check_in.mark(entry=gone, state=CheckIn.State.HERE, by=desk.by_alice, now=later)
    desk.undo()
    assert (desk.here, desk.owed) == (1, 3 * FEE)


def test_a_closed_cash_desk_refuses_the_fee_and_who_is_here_with_it(desk: Desk) -> None:
    desk.arrive(desk.entries[0], amount=FEE)
    close_desk(tournament=desk.event, counted=FEE, expected=FEE, by=desk.by_alice, now=NOW)
    with pytest.raises(Refused, match="cash_closed"):
        desk.arrive(desk.entries[1], amount=FEE, key=OTHER_KEY)
    with pytest.raises(Refused, match="cash_closed"):
        desk.undo()
    assert (desk.here, desk.box) == (1, FEE)


def test_the_page_offers_one_tap_for_each_and_two_for_all(desk: Desk, alice_client: Client) -> None:
    page = alice_client.get(desk.url).content.decode()
    assert text(page).count("Owes 10.00 EUR") == 3
    assert "3 players are here, 30.00 EUR paid in cash" in text(page)
    key = re.search(r'name="key" value="([2-9a-z]{10})"', page)
    assert key
    form = {"entries": [row.public_id for row in desk.entries], "amount": "3000", "key": key[1], "act": "both"}
    done = alice_client.post(f"{desk.url}arrive/", form, follow=True).content.decode()
    assert "3 here · 30.00 EUR paid" in text(done), "without scripts, too"
    assert "Owes" not in text(done)
    undone = alice_client.post(f"{desk.url}undo/", {"batch": key[1]}, headers=HTMX).content.decode()
    assert text(undone).count("Owes 10.00 EUR") == 3
    assert desk.here == 0


def test_a_tap_that_comes_too_late_shows_the_list_as_it_is(desk: Desk, alice_client: Client) -> None:
    first = desk.entries[0]
    desk.arrive(first, amount=FEE)
    form = {"entries": [first.public_id], "amount": str(FEE), "key": OTHER_KEY, "act": "paid"}
    answer = alice_client.post(f"{desk.url}arrive/", form, headers=HTMX)
    assert answer.headers["HX-Retarget"] == "#check-in"
    assert "0.00 is owed now" in text(answer.content.decode())
    assert answer.content.decode().count('class="arrival ') == 3


def test_only_directors_see_and_take_money(desk: Desk, erin: User, as_user: Callable[[User], Client]) -> None:
    desk.arrive(desk.entries[0], amount=FEE)
    erins = as_user(erin)
    page = erins.get(f"{desk.url}?tap={KEY}").content.decode()
    assert "Owes" not in page
    assert "10.00" not in page
    assert "check-in/arrive/" not in page
    form = {"entries": [desk.entries[1].public_id], "amount": str(FEE), "key": OTHER_KEY, "act": "both"}
    assert erins.post(f"{desk.url}arrive/", form).status_code == 403
    assert erins.post(f"{desk.url}undo/", {"batch": KEY}).status_code == 403
    assert (desk.here, desk.box) == (1, FEE)


def test_regulars_of_the_last_nights_are_offered_and_entered_by_one_tap(
    desk: Desk, club: Club, by_alice: Actor, alice_client: Client
) -> None:
    people = {name: Player.objects.create(name=name) for name in ("Often", "Once", "Left")}
    for player in people.values():
        Membership.objects.create(club=club, player=player)
    for night, names in ((1, ("Often", "Once")), (2, ("Often",)), (9, ("Left",))):
        at = desk.event.starts_at - timedelta(days=7 * night)
        event = events.create_tournament(club=club, by=by_alice, now=NOW, name=f"Night {night}", starts_at=at)
        division = events.create_division(tournament=event, by=by_alice, now=NOW, name="Open", match_length=5)
        entries.enter(division=division, players=[people[name] for name in names], by=by_alice, now=NOW)
        events.publish_tournament(tournament=event, by=by_alice, now=NOW)
    rows = arrivals.regulars(desk.event, desk.division)
    assert [(row.player.name, row.nights) for row in rows] == [("Often", 2), ("Left", 1), ("Once", 1)]

    Tournament.objects.filter(pk=desk.event.pk).update(check_in_opens_at=NOW - timedelta(days=4000))
    often = people["Often"]
    form = {"name": often.name, "player": often.public_id, "here": "on"}
    add = f"{desk.url.removesuffix('check-in/')}{desk.division.public_id}/entries/add/"
    answer = alice_client.post(add, form, headers=HTMX).content.decode()
    assert "Often is entered and here." in text(answer)
    entry = desk.division.entries.get(player=often)
    assert entry.checked_in_at is not None
    assert [row.player.name for row in arrivals.regulars(desk.event, desk.division)] == ["Left", "Once"]


def test_the_desk_needs_as_many_queries_for_many_entries_and_divisions_for_their_fees(
    desk: Desk, alice_client: Client, by_alice: Actor
) -> None:
    alice_client.get(desk.url)
    with CaptureQueriesContext(connection) as few:
        alice_client.get(desk.url)
    players = Player.objects.bulk_create([Player(name=f"Late {number}") for number in range(94)])
    entries.enter(division=desk.division, players=players, by=by_alice, now=NOW)
    desk.arrive(*desk.entries[:50], amount=50 * FEE)
    with CaptureQueriesContext(connection) as many:
        assert alice_client.get(desk.url).content.decode().count('class="arrival ') == 97
    assert len(many) <= len(few) + 1


def test_a_name_for_a_division_that_takes_nobody_is_refused_with_the_reason(desk: Desk, alice_client: Client) -> None:
    Tournament.objects.filter(pk=desk.event.pk).update(status=Tournament.Status.FINISHED)
    add = f"{desk.url.removesuffix('check-in/')}{desk.division.public_id}/entries/add/"
    answer = alice_client.post(add, {"name": "Wanda"})
    assert answer.status_code == 422
    assert "This event is not open." in text(answer.content.decode())
    assert "New player" not in text(answer.content.decode())


def test_a_player_who_did_not_come_is_missing_at_the_desk_until_they_are_here(
    drawn: Callable[..., Division], by_alice: Actor
) -> None:
    division = drawn(8)
    event = division.tournament
    check_in.mark_all_here(tournament=event, division=None, by=by_alice, now=NOW)
    fixture = Fixture.objects.select_related("match__player_0", "stage__division").get(number=1)
    assert fixture.match is not None
    absent, later = fixture.match.player_0, NOW + timedelta(minutes=15)
    forfeit(fixture=fixture, side=0, by=by_alice, now=later)
    desk = arrivals.desk(event, None, show="all", text="", may_direct=True, now=later)
    assert [(row.name, row.state) for row in desk["arrivals"] if row.state != HERE] == [(absent.name, MISSING)]
    assert desk["missing"] == 0, "nobody who is expected"
    assert check_in.mark_all_here(tournament=event, division=None, by=by_alice, now=later)[1] == 0
    later += timedelta(minutes=15)
    entry = division.entries.get(player=absent)
    arrivals.arrive(tournament=event, entries=[entry], here=True, amount=0, key=KEY, by=by_alice, now=later)
    desk = arrivals.desk(event, None, show="all", text="", may_direct=True, now=later)
    assert {row.state for row in desk["arrivals"]} == {HERE}


def test_who_arrives_joins_a_side_pool_by_one_tap(desk: Desk, alice_client: Client) -> None:
    """Until a match is over; what it costs is owed with the fee."""
    pool = create_pool(
        division=desk.division,
        pool=SidePoolInput("Jackpot", 500, [10000], [("main", 1)]),
        by=desk.by_alice,
        now=NOW,
    )
    first, owed = desk.entries[0], desk.owed
    join = f'aria-label="Jackpot 5.00 EUR · {first.player.name}"'
    assert join in alice_client.get(desk.url).content.decode()
    url = f"{desk.url.replace('check-in', 'cash')}pool-member/?tab=arrivals"
    fields = {"act": "join", "pool": pool.public_id, "entry": first.public_id}
    answer = alice_client.post(url, fields, follow=True)
    assert answer.redirect_chain[-1][0] == desk.url
    assert join not in answer.content.decode()
    assert "Jackpot 5.00 EUR · " in answer.content.decode(), "the others can still join"
    assert desk.owed == owed + 500
