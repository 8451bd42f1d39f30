"""Two entries of one person in a division are one once their players are merged, and two again once that is undone.

Carol has entered with her account, and Alice has entered "C. Berg", whom she takes for somebody else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from engine.errors import Refused
from matches.models import Match
from players.actors import Actor
from players.models import Merge, Player, User
from players.people.services import merge_players, undo_merge
from prizes.services import SidePoolInput, create_pool, join_pool
from tests.event_cast import NOW, publish
from tests.pages import html
from tournaments.draws.kept_apart import keep_apart
from tournaments.entries import check_in, services
from tournaments.entries.arrivals import arrivals_of
from tournaments.entries.event_links import path_for
from tournaments.entries.returns import preview_return
from tournaments.events import services as events
from tournaments.ledger import payments
from tournaments.ledger.accounts import account_of, accounts_of, box_of, owed_by_entry
from tournaments.ledger.payments import PaymentInput
from tournaments.models import CheckIn, Division, Entry, JoinedEntry, KeptApart, Letter, Payment, PoolMember, Withdrawal
from tournaments.state import integrity
from tournaments.state.figures import figures_of

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
Status = Entry.Status


def no_differences() -> None:
    assert list(integrity.differences()) == []


@dataclass
class Event:
    """An event for which Carol and C. Berg may both enter."""

    division: Division
    carol: Player
    berg: Player
    by: Actor

    def enter(self, *players: Player, at: datetime = NOW) -> list[Entry]:
        return services.enter(division=self.division, players=players, by=self.by, now=at)

    def merge(self) -> Merge:
        self.berg.refresh_from_db()
        return merge_players(player=self.berg, into=self.carol, by=self.by, now=NOW + timedelta(hours=1))

    def undo(self, merge: Merge) -> None:
        undo_merge(merge=merge, by=self.by, now=NOW + timedelta(hours=2))

    def statuses(self) -> list[tuple[str, str]]:
        """Return the entries of Carol and C. Berg with their status, in the order of entry."""
        rows = self.division.entries.filter(player__in=(self.carol, self.berg)).order_by("entered_at", "pk")
        return [(entry.player.name, entry.status) for entry in rows.select_related("player")]

    def counts(self) -> tuple[int, int]:
        """Return how many are entered and how many wait, as every page counts them."""
        figures = figures_of([self.division])[self.division.pk]
        assert figures.players == figures.entries
        return figures.players, figures.waiting


OF_ENTRIES = {
    # Added to the entry that stands, where it has none of it.
    "CheckIn.entry": "added", "PoolMember.entry": "added", "ByeRequest.entry": "added",
    "KeptApart.first": "added", "KeptApart.second": "added",
    # Counts for the entry that stands.
    "Payment.entry": "counts",
    # Of an entry that is in a draw, which is never joined to another, or was in one and has left it.
    "Slot.entry": "drawn", "Slot.source_entry": "drawn", "Slot.absent": "drawn", "Pairing.first": "drawn",
    "Pairing.second": "drawn", "OpenPairing.entry": "drawn", "MissedMatch.entry": "drawn", "LateEntry.entry": "drawn",
    "Withdrawal.entry": "drawn",
    # What happened to the entry itself.
    "Substitution.entry": "stays", "Entry.joined_to": "stays", "JoinedEntry.entry": "stays",
    "JoinedEntry.into": "stays",
}  # fmt: skip
"""What becomes of each kind of row that belongs to an entry when the entry is joined to another."""


def test_everything_that_belongs_to_an_entry_has_a_decision() -> None:
    fields = {
        f"{model.__name__}.{field.name}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if field.related_model is Entry
    }
    assert fields == set(OF_ENTRIES), "decide what becomes of it in tournaments/entries/merges.py"


@pytest.fixture
def make_event(make_division: Callable[..., Division], carol_player: Player, by_alice: Actor) -> Callable[..., Event]:
    def make(**settings: Any) -> Event:
        division = make_division(**settings)
        events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
        division.refresh_from_db()
        return Event(division, carol_player, Player.objects.create(name="C. Berg"), by_alice)

    return make


@pytest.fixture
def event(make_event: Callable[..., Event]) -> Event:
    return make_event(fee=30_00, self_registration=True)


def test_two_entries_are_one_and_two_again(event: Event, make_players: Callable[[int], list[Player]]) -> None:
    event.enter(event.berg)
    event.enter(event.carol, *make_players(3), at=NOW + timedelta(minutes=1))
    assert event.counts() == (5, 0)
    merge = event.merge()
    assert event.counts() == (4, 0)
    assert event.statuses() == [("C. Berg", Status.IN), ("Carol", Status.OUT)]
    assert not Withdrawal.objects.exists()
    no_differences()
    event.undo(merge)
    assert event.counts() == (5, 0)
    assert event.statuses() == [("C. Berg", Status.IN), ("Carol", Status.IN)]
    assert not Entry.objects.exclude(joined_to=None).exists()
    no_differences()


def test_the_entry_is_that_of_the_person_wherever_they_look(event: Event, carol: User) -> None:
    event.enter(event.berg)
    event.enter(event.carol, at=NOW + timedelta(minutes=1))
    event.merge()
    browser = Client()
    browser.force_login(carol)
    club, tournament = event.division.tournament.club, event.division.tournament
    page = f"/events/{club.slug}/{tournament.slug}/{event.division.public_id}/"
    for path in (page, f"/events/{club.slug}/{tournament.slug}/", f"/clubs/{club.slug}/", "/my/"):
        answer = html(browser.get(path, follow=True))
        assert tournament.name in answer, path
        assert "withdrawn" not in answer, path
    assert "You are entered" in html(browser.get(page))
    assert "Withdraw" in html(browser.get(f"{page}withdraw/"))
    with pytest.raises(Refused, match="already_entered"):
        services.register(division=event.division, player=event.carol, by=Actor.of(carol), now=NOW)
    browser.post(f"{page}withdraw/")
    assert event.counts() == (0, 0)


def test_a_place_on_the_list_counts_for_more_than_waiting(make_event: Callable[..., Event], bob_player: Player) -> None:
    event = make_event(capacity=2)
    event.enter(bob_player, event.berg)
    event.enter(event.carol, at=NOW + timedelta(minutes=1))
    assert event.counts() == (2, 1)
    merge = event.merge()
    assert event.statuses() == [("C. Berg", Status.IN), ("Carol", Status.OUT)]
    assert event.counts() == (2, 0)
    event.undo(merge)
    assert event.counts() == (2, 1)


def test_of_two_who_wait_the_earlier_place_stays(
    make_event: Callable[..., Event], bob_player: Player, make_players: Callable[[int], list[Player]]
) -> None:
    event = make_event(capacity=2)
    event.enter(bob_player, *make_players(1), event.carol)
    event.enter(event.berg, at=NOW + timedelta(minutes=1))
    merge = event.merge()
    assert event.statuses() == [("Carol", Status.WAITING), ("C. Berg", Status.OUT)]
    event.undo(merge)
    assert event.statuses() == [("Carol", Status.WAITING), ("C. Berg", Status.WAITING)]


def test_a_place_that_becomes_free_goes_to_whoever_waits(make_event: Callable[..., Event], bob_player: Player) -> None:
    """Undoing the merge takes it from nobody: the other entry is the first to wait."""
    event = make_event(capacity=2)
    event.enter(event.berg, event.carol)
    [bob] = event.enter(bob_player, at=NOW + timedelta(minutes=1))
    merge = event.merge()
    bob.refresh_from_db()
    assert (bob.status, event.counts()) == (Status.IN, (2, 0))
    event.undo(merge)
    assert event.counts() == (2, 1)
    assert event.statuses() == [("C. Berg", Status.IN), ("Carol", Status.WAITING)]
    no_differences()


def test_fees_are_owed_once_and_everything_paid_counts(event: Event) -> None:
    berg, carol = event.enter(event.berg, event.carol)
    cash = PaymentInput(30_00, "key", "cash", "")
    payments.receive(tournament=event.division.tournament, player=event.carol, payment=cash, by=event.by, now=NOW)
    merge = event.merge()
    account = account_of(event.division.tournament, event.carol)
    assert (account.due, account.paid, len(account.lines)) == (30_00, 30_00, 1)
    assert account.lines[0].entry == berg
    assert owed_by_entry(event.division) == {}
    box = box_of(event.division.tournament)
    event.undo(merge)
    assert owed_by_entry(event.division) == {berg.pk: 30_00}
    assert [(row.player, row.paid) for row in accounts_of(event.division.tournament) if row.paid] == [
        (event.carol, 30_00)
    ]
    assert box_of(event.division.tournament) == box
    assert Payment.objects.get().entry == carol


def test_presence_side_pools_and_who_is_kept_apart_come_along(event: Event, bob_player: Player) -> None:
    berg, carol, bob = event.enter(event.berg, event.carol, bob_player)
    check_in.mark(entry=carol, state=CheckIn.State.HERE, by=event.by, now=NOW)
    pool = create_pool(division=event.division, pool=SidePoolInput("Extra", 5_00, [100_00], []), by=event.by, now=NOW)
    join_pool(pool=pool, entry=carol, by=event.by, now=NOW)
    keep_apart(first=carol, second=bob, by=event.by, now=NOW)
    merge = event.merge()
    berg.refresh_from_db()
    assert berg.checked_in_at == NOW
    assert PoolMember.objects.filter(entry=berg, taken_back_at=None).exists()
    assert KeptApart.objects.filter(first=berg, second=bob, taken_back_at=None).exists()
    account = account_of(event.division.tournament, event.carol)
    assert account.due == 35_00
    rows = arrivals_of(event.division.tournament, [event.division], may_direct=True, several=False, now=NOW)
    assert {row.entry.pk: row.state for row in rows} == {berg.pk: "here", bob.pk: "missing"}
    event.undo(merge)
    berg.refresh_from_db()
    carol.refresh_from_db()
    assert (berg.checked_in_at, carol.checked_in_at) == (None, NOW)
    assert [row.entry for row in PoolMember.objects.filter(taken_back_at=None)] == [carol]
    assert [(row.first, row.second) for row in KeptApart.objects.filter(taken_back_at=None)] == [(carol, bob)]


def test_a_joined_entry_is_not_let_back_in(event: Event) -> None:
    _berg, carol = event.enter(event.berg, event.carol)
    event.merge()
    carol.refresh_from_db()
    services.withdraw(entry=Entry.objects.get(status=Status.IN), by=event.by, now=NOW)
    with pytest.raises(Refused, match="not_withdrawn"):
        preview_return(entry=carol)
    event.enter(event.carol)
    assert event.counts() == (1, 0)


def test_a_draw_that_follows_has_the_person_once(event: Event, make_players: Callable[[int], list[Player]]) -> None:
    """Once it is drawn, undoing the merge puts the other on the waiting list, from where they can be let in late."""
    event.enter(event.berg, event.carol, *make_players(3))
    merge = event.merge()
    publish(event.division, event.by)
    assert event.division.entries.filter(status=Status.IN).count() == 4
    assert Match.objects.count() == 2
    no_differences()
    event.undo(merge)
    event.division.refresh_from_db()
    assert event.counts() == (4, 1)
    assert event.statuses() == [("C. Berg", Status.IN), ("Carol", Status.WAITING)]
    no_differences()


def test_two_in_one_draw_stay_two_and_the_merge_says_why(
    event: Event, make_players: Callable[[int], list[Player]]
) -> None:
    event.enter(event.berg, event.carol, *make_players(2))
    publish(event.division, event.by)
    with pytest.raises(Refused, match="both_entered"):
        event.merge()
    event.berg.refresh_from_db()
    assert event.berg.merged_into is None
    assert event.counts() == (4, 0)
    assert not Merge.objects.exists()
    # Once the division is over, the results of both are one person's.
    Division.objects.update(status=Division.Status.FINISHED)
    event.merge()
    assert not JoinedEntry.objects.exists()


def test_who_waits_for_a_drawn_division_joins_who_plays_in_it(
    make_event: Callable[..., Event], make_players: Callable[[int], list[Player]]
) -> None:
    event = make_event(capacity=4)
    event.enter(event.berg, *make_players(3))
    event.enter(event.carol, at=NOW + timedelta(minutes=1))
    publish(event.division, event.by)
    merge = event.merge()
    assert event.counts() == (4, 0)
    no_differences()
    event.undo(merge)
    assert event.counts() == (4, 1)
    no_differences()


def test_merges_one_after_the_other_are_undone_in_any_order(event: Event) -> None:
    third = Player.objects.create(name="C. B.")
    first, *_others = event.enter(third, event.berg, event.carol)
    earlier = merge_players(player=third, into=event.berg, by=event.by, now=NOW)
    later = event.merge()
    assert event.counts() == (1, 0)
    assert {entry.joined_to_id for entry in Entry.objects.exclude(pk=first.pk)} == {first.pk}
    event.undo(earlier)
    assert event.counts() == (2, 0)
    no_differences()
    event.undo(later)
    assert event.counts() == (3, 0)
    assert {entry.joined_to_id for entry in (Entry.objects.all())} == {None}
    no_differences()


def test_links_that_both_could_have_kept_end_with_the_merge(event: Event, alice_client: Client) -> None:
    event.enter(event.berg, event.carol)
    old = path_for(event.division.tournament, event.berg, 0)
    merge = event.merge()
    assert Client().get(old).status_code == 200
    event.undo(merge)
    assert Client().get(old).status_code == 404
    assert Client().get(path_for(event.division.tournament, event.berg, 1)).status_code == 200


@pytest.mark.parametrize("entered_both", [False, True])
def test_a_letter_about_an_event_of_the_other_alone_ends_with_the_merge(event: Event, entered_both: bool) -> None:
    event.enter(event.berg, *([event.carol] if entered_both else []))
    merge = event.merge()
    Letter.objects.create(user=event.carol.user, event=event.division.tournament, sent_at=NOW)
    event.undo(merge)
    assert Letter.objects.exists() == entered_both


def test_a_player_read_before_the_merge_is_not_entered_beside_the_other(event: Event) -> None:
    old = Player.objects.get(pk=event.berg.pk)
    event.enter(event.carol)
    event.merge()
    with pytest.raises(Refused, match="already_entered"):
        services.enter(division=event.division, players=[old], by=event.by, now=NOW)
