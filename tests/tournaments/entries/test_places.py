"""A freed place is filled from the waiting list, in turn: those who are here first, then in the order of entry.

`Turns` is a second model of it, a few lines over plain lists, which random histories compare with what is stored.
"""

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from hypothesis import given, note
from hypothesis import strategies as st

from clubhouse.tonight import EveningPlan, prepare_evening
from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM, Actor
from players.models import Club, Notification, Player, User
from players.notifications.kinds import texts_of
from players.people.leaving import lift_suspension, suspend
from players.people.services import merge_players, undo_merge
from seasons.finals import answer, offer, prepare_final
from tests.event_cast import NOON
from tests.pages import html
from tests.seasons.test_places import IN_A_WEEK, entered, season
from tests.seasons.test_places import cast as season_cast
from tests.test_layout import module_of, python_files
from tests.tiers import TIER
from tests.tournaments.support.correcting import quickly
from tests.tournaments.support.pages import text
from tournaments.draws import services as draws
from tournaments.draws.undo import undo_published_draw, unpublish_draw
from tournaments.entries import check_in, services
from tournaments.entries.returns import bring_back, preview_return
from tournaments.entries.substitutions import undo_substitution
from tournaments.events import services as events
from tournaments.ledger.accounts import owed_by_entry
from tournaments.models import CheckIn, Division, Entry, FinalPlace, Fixture, Tournament
from tournaments.results.services import enter_result
from tournaments.state import integrity
from tournaments.state.places import passed_over
from tournaments.state.settle import settle_division

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
cast = season_cast
IN, WAITING, OUT = Entry.Status.IN, Entry.Status.WAITING, Entry.Status.OUT


@dataclass
class Row:
    """An entry in the second model; rows are in the order of entry."""

    entry: int
    person: int
    status: str
    here: bool = False
    is_joined: bool = False


@dataclass
class Turns:
    """Who has a place, who waits, and who was told that they move up."""

    capacity: int | None = None
    is_drawn: bool = False
    rows: list[Row] = field(default_factory=list)
    left_out: list[Row] = field(default_factory=list)
    with_account: set[int] = field(default_factory=set)
    told: Counter[int] = field(default_factory=Counter)

    def of(self, *statuses: str) -> list[Row]:
        return [row for row in self.rows if row.status in statuses]

    @property
    def is_full(self) -> bool:
        return self.capacity is not None and len(self.of(IN)) >= self.capacity

    def add(self, entry: int, person: int) -> None:
        self.rows.append(Row(entry, person, WAITING if self.is_full else IN))

    def fill(self) -> None:
        while not self.is_drawn and not self.is_full and (waiting := self.of(WAITING)):
            here = [row for row in waiting if row.here]
            first = (here or waiting)[0]
            first.status = IN
            self.tell(first)

    def tell(self, row: Row) -> None:
        self.told[row.entry] += row.person in self.with_account


class History:
    """An event whose places are freed and taken at random, beside its second model."""

    def __init__(self) -> None:
        self.at = NOON
        self.by = SYSTEM
        club = Club.objects.create(name="Harbour", slug="harbour-places", time_zone="Europe/Copenhagen")
        event = events.create_tournament(club=club, by=SYSTEM, now=NOON, name="Open", starts_at=NOON)
        self.division = events.create_division(
            tournament=event, by=SYSTEM, now=NOON, name="Main", self_registration=True, capacity=3
        )
        events.publish_tournament(tournament=event, by=SYSTEM, now=NOON)
        names = ("Bob", "Carol", "Dave", "Erin", "Frank", "Gus")
        users = User.objects.bulk_create(User(email=f"{name}@places.test", display_name=name) for name in names)
        self.cast = [Player.objects.create(name=user.display_name, user=user) for user in users]
        self.cast += [Player.objects.create(name=f"Guest {number}") for number in range(4)]
        self.turns = Turns(capacity=3, with_account={player.pk for player in self.cast if player.user is not None})

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": self.by, "now": self.now()}

    def now(self) -> datetime:
        self.at += timedelta(minutes=1)
        return self.at

    @property
    def seq(self) -> int:
        self.division.refresh_from_db()
        return self.division.seq

    def entry(self, row: Row) -> Entry:
        return Entry.objects.select_related("division__tournament__club", "player").get(pk=row.entry)

    def not_entered(self) -> list[Player]:
        entered = {row.person for row in self.turns.of(IN, WAITING)}
        return [player for player in self.cast if player.pk not in entered]

    # What happens; each takes a number that chooses, and does nothing if it is not possible now.

    def capacity(self, choice: int) -> None:
        if not self.turns.is_drawn:
            self.turns.capacity = (None, 2, 3, 4, 5, 6)[choice % 6]
            self.division = events.update_division(
                division=self.division, after=self.seq, capacity=self.turns.capacity, **self.acts
            )
            self.turns.fill()

    def register(self, choice: int) -> None:
        if not self.turns.is_drawn and (free := self.not_entered()):
            player = free[choice % len(free)]
            entry = services.register(division=self.division, player=player, **self.acts)
            self.turns.add(entry.pk, player.pk)

    def enter(self, choice: int) -> None:
        if not self.turns.is_drawn and (free := self.not_entered()):
            players = free[choice % len(free) :][:3]
            for entry in services.enter(division=self.division, players=players, **self.acts):
                self.turns.add(entry.pk, entry.player_id)

    def withdraw(self, choice: int) -> None:
        rows = self.turns.of(IN, WAITING)
        if rows and not (self.turns.is_drawn and len(self.turns.of(IN)) < 4):
            row = rows[choice % len(rows)]
            services.withdraw(entry=self.entry(row), **self.acts)
            row.status = OUT
            self.turns.fill()

    def come_back(self, choice: int) -> None:
        entered = {row.person for row in self.turns.of(IN, WAITING)}
        rows = [row for row in self.turns.of(OUT) if not row.is_joined and row.person not in entered]
        if rows and not self.turns.is_drawn:
            row = rows[choice % len(rows)]
            seen = preview_return(entry=self.entry(row)).mark
            bring_back(entry=self.entry(row), seen=seen, **self.acts)
            row.status = WAITING if self.turns.is_full else IN

    def check_in(self, choice: int) -> None:
        if rows := self.turns.of(IN, WAITING):
            row = rows[choice % len(rows)]
            row.here = not row.here
            state = CheckIn.State.HERE if row.here else CheckIn.State.MISSING
            check_in.mark(entry=self.entry(row), state=state, **self.acts)

    def merge(self, choice: int) -> None:
        rows = self.turns.of(IN, WAITING)
        guests = [row for row in rows if Player.objects.filter(pk=row.person, user=None).exists()]
        if self.turns.is_drawn or len(rows) < 2 or not guests:
            return
        guest = guests[choice % len(guests)]
        others = [row for row in rows if row is not guest]
        other = others[choice % len(others)]
        player, into = Player.objects.get(pk=guest.person), Player.objects.get(pk=other.person)
        merge_players(player=player, into=into, **self.acts)
        self.cast = [row for row in self.cast if row.pk != player.pk]
        best, joined = sorted((guest, other), key=lambda row: (row.status != IN, self.turns.rows.index(row)))
        joined.status, joined.is_joined = OUT, True
        best.here |= joined.here
        for row in self.turns.rows:
            row.person = into.pk if row.person == player.pk else row.person
        self.turns.fill()

    def draw(self, choice: int) -> None:
        here_only = choice % 2 == 0
        missing = [row for row in self.turns.of(IN) if not row.here] if here_only else []
        if self.turns.is_drawn or len(self.turns.of(IN)) - len(missing) < 2:
            return
        draw = draws.request_draw(division=self.division, here_only=here_only, reason="Once more", **self.acts)
        draws.make_draft(draw_id=draw.pk, now=self.now())
        draws.publish_draw(division=self.division, after=self.seq, **self.acts)
        self.turns.is_drawn, self.turns.left_out = True, missing
        for row in missing:
            row.status = WAITING

    def take_back(self, choice: int) -> None:
        if not self.turns.is_drawn:
            return
        is_undone = choice % 2 == 0
        if is_undone:
            unpublish_draw(division=self.division, **self.acts)
        else:
            undo_published_draw(division=self.division, reason="Too early", after=self.seq, **self.acts)
        self.turns.is_drawn = False
        for row in self.turns.left_out:
            if row.status == WAITING and not self.turns.is_full:
                row.status = IN
                if not is_undone:
                    self.turns.tell(row)
        self.turns.fill()

    def check(self) -> None:
        """Compare what is stored with the second model."""
        stored = dict(self.division.entries.values_list("pk", "status"))
        assert stored == {row.entry: row.status for row in self.turns.rows}
        told = Counter(
            row.params["entry"] for row in Notification.objects.filter(kind="moved_up", url__contains=self.topic)
        )
        assert told == +self.turns.told
        assert list(integrity.differences()) == []

    @property
    def topic(self) -> str:
        return f"/{self.division.public_id}/"


ACTS = ("capacity", "register", "enter", "withdraw", "come_back", "check_in", "merge", "draw", "take_back")
STEPS = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 11)), min_size=5, max_size=25)


@pytest.mark.slow
@quickly(TIER.places)
@given(steps=STEPS)
def test_places_go_in_turn_whatever_frees_them(steps: list[tuple[str, int]]) -> None:
    with transaction.atomic():
        history = History()
        for act, choice in steps:
            note(f"{act} {choice}")
            getattr(history, act)(choice)
            history.check()
        transaction.set_rollback(True)


# Every function that can free a place, by what it writes.


FREES_NOTHING = {
    "tournaments.draws.services.publish_draw": "the division is drawn with it",
    "tournaments.entries.late._enter_player": "the division is drawn",
    "tournaments.entries.late._restore": "the division is drawn",
    "tournaments.entries.returns._apply": "somebody comes back",
}
"""Functions that write who is in or which divisions take entries, but free no place that is filled by itself."""
FREED = ("Entry.Status.OUT", "Entry.Status.WAITING", "Division.Status.ENTRIES")


def functions() -> dict[str, ast.FunctionDef]:
    """Return the functions of the app by their names."""
    trees = {module_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in python_files("tournaments")}
    return {
        f"{module}.{node.name}": node
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }


def frees(function: ast.FunctionDef) -> bool:
    """Whether a function stores that an entry is out or waits, or that a division takes entries, or its settings."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            targets, value = ast.unparse(node.targets[0]), ast.unparse(node.value)
            if ".status" in targets and any(status in value for status in FREED):
                return True
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".update"):
            values = [ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg == "status"]
            if any(status in value for value in values for status in FREED):
                return True
        if isinstance(node, ast.Call) and ast.unparse(node) == "_apply(row, values, SETTINGS)":
            return True
    return False


@pytest.mark.slow
def test_whatever_can_free_a_place_fills_it() -> None:
    """Itself, or for a part of a service each function of its module that calls it."""
    known = functions()
    freeing = {name for name, function in known.items() if frees(function)}
    assert freeing >= FREES_NOTHING.keys() | {"tournaments.events.services.update_division"}
    forgotten = []
    for name in freeing - FREES_NOTHING.keys():
        module, own = name.rsplit(".", 1)
        in_module = [node for other, node in known.items() if other.rsplit(".", 1)[0] == module]
        callers = [node for node in in_module if own.startswith("_") and calls(node, own)]
        if not calls(known[name], "fill_places") and not (
            callers and all(calls(row, "fill_places") for row in callers)
        ):
            forgotten.append(name)
    assert forgotten == [], "call fill_places, or say in FREES_NOTHING why nobody gets a place by it"


def calls(function: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) == name for node in ast.walk(function))


# Capacity.


@dataclass
class Full:
    """A division all of whose places are taken."""

    division: Division
    players: list[Player]
    by: Actor

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": self.by, "now": NOON + timedelta(hours=1)}

    def names(self, status: str) -> str:
        rows = self.division.entries.filter(status=status).select_related("player").order_by("entered_at", "pk")
        return " ".join(row.player.name.removeprefix("Player ") for row in rows)

    @property
    def seq(self) -> int:
        self.division.refresh_from_db()
        return self.division.seq

    @property
    def topic(self) -> str:
        return self.division.public_id

    @property
    def lists(self) -> tuple[str, str]:
        return self.names(IN), self.names(WAITING)

    def entry(self, number: int) -> Entry:
        rows = self.division.entries.select_related("division__tournament__club", "player")
        return rows.exclude(status=OUT).get(player__name=f"Player {number}")

    def change(self, **settings: Any) -> None:
        self.division.refresh_from_db()
        events.update_division(division=self.division, after=self.division.seq, **settings, **self.acts)
        self.division.refresh_from_db()

    def here(self, *numbers: int) -> None:
        for number in numbers:
            check_in.mark(entry=self.entry(number), state=CheckIn.State.HERE, **self.acts)

    def draw(self, **how: Any) -> None:
        draw = draws.request_draw(division=self.division, **how, **self.acts)
        draws.make_draft(draw_id=draw.pk, now=NOON)
        self.division.refresh_from_db()

    def publish(self) -> None:
        draws.publish_draw(division=self.division, after=self.division.seq, **self.acts)
        self.division.refresh_from_db()


@pytest.fixture
def full(make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor) -> Full:
    """Two are in, and three wait: Player 3, 4 and 5. Registration is open."""
    division = make_division(capacity=2, self_registration=True, fee=10_00)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOON)
    division.refresh_from_db()
    players = make_players(6)
    for number, player in enumerate(players[:5]):
        services.enter(division=division, players=[player], by=by_alice, now=NOON + timedelta(minutes=number))
    return Full(division, players, by_alice)


def test_nobody_registers_past_somebody_who_waits(full: Full, carol: User) -> None:
    full.change(capacity=3)
    assert full.lists == ("1 2 3", "4 5")
    services.register(division=full.division, player=full.players[5], **full.acts)
    assert full.lists == ("1 2 3", "4 5 6")
    full.change(capacity=None)
    assert full.lists == ("1 2 3 4 5 6", "")
    assert list(integrity.differences()) == []


def test_places_from_before_are_filled_by_whoever_comes_next(full: Full) -> None:
    """A restored backup may have free places beside a waiting list: the draw leaves nobody out in silence."""
    Division.objects.filter(pk=full.division.pk).update(capacity=None)
    assert [row.what for row in integrity.differences()] == ["who waits although a place is free"]
    with transaction.atomic():
        services.register(division=full.division, player=full.players[5], **full.acts)
        assert full.lists == ("1 2 3 4 5 6", "")
        transaction.set_rollback(True)
    full.draw()
    assert full.lists == ("1 2 3 4 5", "")


def test_once_somebody_is_here_their_turn_comes_first(full: Full) -> None:
    full.here(5, 4)
    services.withdraw(entry=full.entry(1), **full.acts)
    assert full.lists == ("2 4", "3 5")
    full.change(capacity=4)
    assert full.lists == ("2 3 4 5", "")


def test_who_waits_says_that_they_are_here(full: Full, bob: User, as_user: Callable[[User], Client]) -> None:
    Player.objects.filter(name="Player 5").update(user=bob)
    event, client = full.division.tournament, as_user(bob)
    Tournament.objects.filter(pk=event.pk).update(check_in_opens_at=timezone.now() - timedelta(hours=1))
    page = f"/events/{event.club.slug}/{event.slug}/arrive/"
    assert "waiting list" in html(client.get(page))
    client.post(f"{page}mark/", {"present": "1", "source": "player"})
    assert full.entry(5).checked_in_at is not None
    assert "number 1 on the waiting list" in html(client.get(f"/events/{event.club.slug}/{event.slug}/{full.topic}/"))


def test_only_whoever_has_a_place_owes_the_fee(full: Full) -> None:
    assert set(owed_by_entry(full.division)) == {full.entry(1).pk, full.entry(2).pk}
    third = full.entry(3).pk
    services.withdraw(entry=full.entry(1), **full.acts)
    assert owed_by_entry(full.division) == {full.entry(2).pk: 10_00, third: 10_00}


def test_who_leaves_with_others_is_not_told_of_a_place(full: Full, bob: User) -> None:
    """Before an evening starts, all who are not there are withdrawn at once, those who wait included."""
    Player.objects.filter(name="Player 3").update(user=bob)
    leaving = [Player.objects.get(name=f"Player {number}") for number in (1, 3)]
    plan = EveningPlan(2, NOON + timedelta(hours=9), [StageSettings("knockout")], full.players[1:2], (), leaving)
    prepare_evening(club=full.division.tournament.club, plan=plan, event=full.division.tournament, **full.acts)
    assert full.lists == ("2 4", "5")
    assert not Notification.objects.filter(user=bob).exists()


# The draw, and what is undone.


def test_a_draft_says_who_waits(full: Full, alice_client: Client) -> None:
    full.here(1, 2, 5)
    full.draw()
    event = full.division.tournament
    page = text(html(alice_client.get(f"/events/{event.club.slug}/{event.slug}/{full.topic}/draw/")))
    assert "Still on the waiting list, and not in this draft: Player 5, Player 3, Player 4" in page


def test_a_place_that_was_given_away_is_not_given_back(full: Full, alice_client: Client) -> None:
    leaver = full.entry(1)
    services.withdraw(entry=leaver, **full.acts)
    event = full.division.tournament
    path = f"/events/{event.club.slug}/{event.slug}/entries/{leaver.public_id}/back-in/"
    page = html(alice_client.get(path))
    assert "All places are taken: Player 1 goes on the waiting list, as number 1." in text(page)
    seen = preview_return(entry=Entry.objects.get(pk=leaver.pk)).mark
    answer = alice_client.post(path, {"scope": "division", "seen": seen, "reason": ""}, follow=True)
    assert "Player 1 is on the waiting list." in text(html(answer))
    assert full.lists == ("2 3", "1 4 5")


def test_a_withdrawal_from_before_the_draw_was_taken_back_gives_no_place_either(full: Full) -> None:
    full.change(capacity=4)
    full.draw()
    full.publish()
    leaver = full.entry(1)
    services.withdraw(entry=leaver, **full.acts)
    undo_published_draw(division=full.division, reason="Too early", after=full.seq, **full.acts)
    assert full.lists == ("2 3 4 5", "")
    leaver = Entry.objects.select_related("division__tournament__club", "player").get(pk=leaver.pk)
    bring_back(entry=leaver, seen=preview_return(entry=leaver).mark, **full.acts)
    assert full.lists == ("2 3 4 5", "1")


def test_who_is_back_after_a_suspension_may_have_to_wait(full: Full, bob: User, alice: User) -> None:
    Player.objects.filter(name="Player 1").update(user=bob)
    suspend(user=bob, by=SYSTEM, now=NOON + timedelta(hours=1))
    assert full.lists == ("2 3", "4 5")
    lift_suspension(user=bob, by=SYSTEM, now=NOON + timedelta(hours=2))
    assert full.lists == ("2 3", "1 4 5")
    sentences = {row.sentence for row in texts_of(list(Notification.objects.filter(user=alice, kind="left")))}
    assert "Player 1 is no longer suspended and is on the waiting list." in sentences


def test_an_undone_merge_leaves_nobody_waiting_beside_a_free_place(full: Full) -> None:
    merge = merge_players(player=full.players[4], into=full.players[3], **full.acts)
    full.change(capacity=5)
    assert full.lists == ("1 2 3 4", "")
    undo_merge(merge=merge, **full.acts)
    assert full.lists == ("1 2 3 4 5", "")


# The director may let somebody in before those who wait, once they have seen who that is.


def test_a_late_entry_past_who_waits_is_confirmed(full: Full, alice_client: Client) -> None:
    full.change(capacity=3)
    full.draw()
    full.publish()
    services.withdraw(entry=full.entry(1), **full.acts)
    event = full.division.tournament
    path = f"/events/{event.club.slug}/{event.slug}/{full.topic}/entries/add/"
    page = text(html(alice_client.post(path, {"name": "Zoe"})))
    assert "Still waiting, with an earlier turn: Player 4, Player 5." in page
    assert "Let in all the same" in page
    form = {"name": "Zoe", "after": full.seq}
    assert "Player 4, Player 5" in text(html(alice_client.post(path, form, follow=True)))
    api = f"/api/v1/divisions/{full.division.public_id}/entries/"
    refused = alice_client.post(api, form, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "others_wait")
    assert alice_client.post(f"{api}paste/", {"names": ["Zoe"]}, content_type="application/json").status_code == 409
    assert not Player.objects.filter(name="Zoe").exists()
    # The first in turn passes nobody; the second one passes the first.
    assert passed_over(full.division, [full.entry(4)]) == []
    assert passed_over(full.division, [full.entry(5)]) == [full.entry(4)]
    confirmed = alice_client.post(api, form | {"past_waiting": True}, content_type="application/json")
    assert (confirmed.status_code, confirmed.json()["status"]) == (201, "in")


def test_who_waits_and_is_not_here_is_not_passed(full: Full) -> None:
    full.here(1, 2, 5)
    assert [entry.player.name for entry in passed_over(full.division, [Entry(entered_at=NOON)])] == ["Player 5"]
    assert passed_over(full.division, [full.entry(5)]) == []


def test_a_substitute_past_who_waits_is_confirmed(full: Full, alice_client: Client) -> None:
    event, entry = full.division.tournament, full.entry(1)
    path = f"/events/{event.club.slug}/{event.slug}/entries/{entry.public_id}/substitute/"
    assert "past_waiting" not in html(alice_client.get(path))
    form = {"name": "Zoe", "after": full.seq}
    refused = alice_client.post(path, form)
    assert refused.status_code == 422
    assert "Player 3, Player 4, Player 5" in text(html(refused))
    assert 'name="past_waiting"' in html(refused)
    assert alice_client.post(path, form | {"past_waiting": "on"}).status_code == 302
    entry.refresh_from_db()
    assert entry.player.name == "Zoe"
    undo_substitution(entry=entry, after=full.seq, **full.acts)


def test_a_reentry_past_who_waits_is_confirmed(full: Full, alice_client: Client) -> None:
    full.change(capacity=5, reentry_until=timezone.now() + timedelta(hours=5))
    full.draw()
    full.publish()
    full.division.refresh_from_db()
    fixture = next(row for row in Fixture.objects.filter(stage__division=full.division, status="ready"))
    enter_result(fixture=fixture, result=ResultInput(0, (7, 3)), **full.acts)
    settle_division(division_id=full.division.pk, now=full.acts["now"])
    loser = fixture.slots.get(side=1).entry
    assert loser is not None
    services.withdraw(entry=full.division.entries.get(pk=fixture.slots.get(side=0).entry_id), **full.acts)
    Entry.objects.create(division=full.division, player=full.players[5], status=WAITING, entered_at=NOON)
    event = full.division.tournament
    page = html(alice_client.get(f"/events/{event.club.slug}/{event.slug}/entries/{loser.public_id}/re-enter/"))
    assert "Still waiting, with an earlier turn: Player 6." in text(page)
    assert 'name="past_waiting"' in page
    api = f"/api/v1/entries/{loser.public_id}/re-enter/"
    refused = alice_client.post(api, {"after": full.seq}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "others_wait")
    confirmed = alice_client.post(api, {"after": full.seq, "past_waiting": True}, content_type="application/json")
    assert confirmed.status_code == 201


# A final of a season: its places go to the next ranks, and only then to who waits.


def test_a_returned_place_of_a_final_goes_to_the_next_rank(cast: list[Player], by_alice: Actor) -> None:
    row = season(cast, range(80, 0, -10), 2)
    offer(series=row, answer_by=IN_A_WEEK, player=None, by=SYSTEM, now=NOON)
    event = prepare_final(series=row, by=by_alice, now=NOON)
    division = event.divisions.get()
    events.update_division(division=division, after=division.seq, capacity=2, by=by_alice, now=NOON)
    services.enter(division=division, players=[cast[7]], by=by_alice, now=NOON)
    assert entered(event) == ["Player 1", "Player 2"]
    for number, then in ((1, ["Player 1", "Player 3"]), (2, ["Player 1", "Player 4"])):
        answer(series=row, player=cast[number], answer=FinalPlace.Answer.DECLINED, by=SYSTEM, now=NOON, directs=True)
        assert sorted(entered(event)) == then
    for player in (*cast[3:7], cast[7]):
        answer(series=row, player=player, answer=FinalPlace.Answer.DECLINED, by=SYSTEM, now=NOON, directs=True)
    assert list(integrity.differences()) == []
