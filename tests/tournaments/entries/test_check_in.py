"""Check-in by directors and by players: facts that can be undone."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from engine.errors import Refused
from players.actors import Actor
from players.models import LogEntry, Player, User
from tests.event_cast import NOW
from tests.tournaments.support.pages import text
from tournaments.entries import check_in
from tournaments.entries import services as entries
from tournaments.entries.check_in import instant_of
from tournaments.events import services as events
from tournaments.models import CheckIn, Division, Entry, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

HERE, AWAY, MISSING = CheckIn.State.HERE, CheckIn.State.AWAY, CheckIn.State.MISSING
LATER = NOW + timedelta(hours=1)
MOST_OF_A_TAP = 33
"""Queries in which a player is checked in, and the row and the counts are shown."""


@dataclass
class Door:
    """Alice at the door of a published event with Bob, Carol and three others."""

    division: Division
    by_alice: Actor

    @property
    def event(self) -> Tournament:
        """The event."""
        return self.division.tournament

    @property
    def url(self) -> str:
        """The URL of the event."""
        return f"/events/{self.event.club.slug}/{self.event.slug}/"

    def entry(self, name: str) -> Entry:
        """Return the entry of a player as it is now."""
        return self.division.entries.get(player__name=name)

    def mark(self, name: str, state: str, *, minutes: int = 0, **values: Any) -> Entry:
        """Record the presence of a player, so many minutes after noon."""
        now = NOW + timedelta(minutes=minutes)
        return check_in.mark(entry=self.entry(name), state=state, by=self.by_alice, now=now, **values)

    def undo(self, batch: str) -> int:
        """Undo what one tap recorded."""
        return check_in.undo(tournament=self.event, batch=batch, by=self.by_alice, now=LATER)

    def states(self) -> dict[str, str]:
        """Return name -> here, away or missing."""
        rows = self.division.entries.select_related("player")
        return {row.player.name: check_in.state_of(row) for row in rows}


@pytest.fixture
def door(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    bob_player: Player,
    carol_player: Player,
    by_alice: Actor,
) -> Door:
    division = make_division()
    players = [bob_player, carol_player, *make_players(3)]
    entries.enter(division=division, players=players, by=by_alice, now=NOW)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    division.tournament.refresh_from_db()
    division.refresh_from_db()
    return Door(division, by_alice)


def test_the_newest_check_in_holds_and_each_is_kept(door: Door) -> None:
    door.mark("Bob", HERE)
    door.mark("Bob", HERE, minutes=1)
    assert door.entry("Bob").checked_in_at == NOW, "recorded once"
    away = door.mark("Bob", AWAY, minutes=5, until=LATER)
    assert (away.checked_in_at, away.away_until) == (None, LATER)
    door.mark("Bob", MISSING, minutes=9)
    assert door.states()["Bob"] == MISSING
    assert list(CheckIn.objects.values_list("state", flat=True)) == [HERE, AWAY, MISSING]
    assert LogEntry.objects.filter(verb="checked_in_away", user=door.by_alice.user).count() == 1


def test_an_undo_restores_what_was_before_and_only_once(door: Door) -> None:
    door.mark("Bob", AWAY, until=LATER)
    door.mark("Bob", HERE, minutes=3)
    batch = CheckIn.objects.get(state=HERE).batch
    assert door.undo(batch) == 1
    assert door.entry("Bob").away_until == LATER
    with pytest.raises(Refused, match="check_in_changed"):
        door.undo(batch)


def test_everybody_missing_is_checked_in_and_undone_at_once(door: Door) -> None:
    door.mark("Bob", HERE)
    door.mark("Carol", AWAY, until=LATER)
    batch, count = check_in.mark_all_here(tournament=door.event, division=None, by=door.by_alice, now=NOW)
    assert count == 3
    assert list(door.states().values()) == [HERE, AWAY, HERE, HERE, HERE]
    door.mark("Player 1", MISSING, minutes=2)
    door.mark("Player 1", HERE, minutes=3)
    assert door.undo(batch) == 2, "whoever was marked again since keeps that"
    assert list(door.states().values()) == [HERE, AWAY, HERE, MISSING, MISSING]


def test_a_withdrawn_player_cannot_be_checked_in(door: Door) -> None:
    entries.withdraw(entry=door.entry("Bob"), by=door.by_alice, now=NOW)
    with pytest.raises(Refused, match="not_entered"):
        door.mark("Bob", HERE)


@pytest.mark.parametrize(
    ("hours", "is_open"), [(-2.1, False), (-2, True), (1, True)], ids=["too early", "two hours before", "late start"]
)
def test_players_check_in_from_two_hours_before_the_start(door: Door, bob: User, hours: float, is_open: bool) -> None:
    now = door.event.starts_at + timedelta(hours=hours)
    assert check_in.is_open_for_players(door.division, now) is is_open
    values: dict[str, Any] = {
        "tournament": door.event,
        "player": door.entry("Bob").player,
        "by": Actor.of(bob),
        "now": now,
    }
    if not is_open:
        with pytest.raises(Refused, match="check_in_closed"):
            check_in.check_in_self(present=True, **values)
        return
    check_in.check_in_self(present=True, **values)
    assert door.states()["Bob"] == HERE
    assert CheckIn.objects.get().source == CheckIn.Source.PLAYER
    check_in.check_in_self(present=False, **values)
    assert door.states()["Bob"] == MISSING


def test_check_in_ends_with_the_draw_unless_the_event_says_when(door: Door) -> None:
    door.division.status = Division.Status.RUNNING
    assert not check_in.is_open_for_players(door.division, NOW)
    door.event.check_in_closes_at = LATER
    assert check_in.is_open_for_players(door.division, NOW)
    assert not check_in.is_open_for_players(door.division, LATER)


def test_away_until_is_the_next_such_time_on_the_clocks_of_the_event() -> None:
    # Noon UTC is 13:00 in Copenhagen.
    assert instant_of(time(13, 30), "Europe/Copenhagen", NOW) == NOW + timedelta(minutes=30)
    assert instant_of(time(0, 10), "Europe/Copenhagen", NOW) == NOW + timedelta(hours=11, minutes=10)


def test_the_page_counts_filters_and_finds(door: Door, alice_client: Client) -> None:
    door.mark("Bob", HERE)
    page = text(alice_client.get(f"{door.url}check-in/").content.decode())
    assert "1 here" in page
    assert "4 missing" in page
    missing = text(alice_client.get(f"{door.url}check-in/?show=missing").content.decode())
    assert "Carol" in missing
    assert "Bob" not in missing
    fragment = alice_client.get(f"{door.url}check-in/?q=play", headers={"HX-Request": "true"}).content.decode()
    assert fragment.count('class="arrival ') == 3
    assert "<html" not in fragment


def test_a_tap_answers_with_the_row_the_counts_and_an_undo(door: Door, alice_client: Client) -> None:
    data = {"entry": door.entry("Bob").public_id, "state": "here"}
    htmx = {"HX-Request": "true"}
    with CaptureQueriesContext(connection) as captured:
        answer = alice_client.post(f"{door.url}check-in/mark/", data, headers=htmx).content.decode()
    assert len([query for query in captured if "SAVEPOINT" not in query["sql"]]) <= MOST_OF_A_TAP
    assert answer.count('class="arrival ') == 1
    assert "1 here" in text(answer)
    batch = CheckIn.objects.get().batch
    assert f'value="{batch}"' in answer
    alice_client.post(f"{door.url}check-in/undo/", {"batch": batch}, headers=htmx)
    assert door.states()["Bob"] == MISSING
    away = {**data, "state": "away", "until": ""}
    refused = alice_client.post(f"{door.url}check-in/mark/", away, follow=True).content.decode()
    assert "Say when the player will be back." in text(refused)


def test_the_page_needs_as_many_queries_for_many_entries(door: Door, alice_client: Client, by_alice: Actor) -> None:
    url = f"{door.url}check-in/"
    alice_client.get(url)
    with CaptureQueriesContext(connection) as few:
        alice_client.get(url)
    players = Player.objects.bulk_create([Player(name=f"Late {number}") for number in range(30)])
    entries.enter(division=door.division, players=players, by=by_alice, now=NOW)
    check_in.mark_all_here(tournament=door.event, division=None, by=by_alice, now=NOW)
    with CaptureQueriesContext(connection) as many:
        alice_client.get(url)
    assert len(many) <= len(few) + 1


def test_opening_the_poster_s_page_checks_in_nobody_and_a_tap_does(
    door: Door, bob: User, dave: User, as_user: Callable[[User | None], Client], alice_client: Client
) -> None:
    Tournament.objects.filter(pk=door.event.pk).update(starts_at=timezone.now())
    poster = alice_client.get(f"{door.url}check-in/poster/").content.decode()
    assert f'href="http://testserver{door.url}arrive/?from=poster"' in poster
    assert "tell the director at the desk that you are here" in text(
        as_user(None).get(f"{door.url}arrive/").content.decode()
    )
    assert "You are not entered" in text(as_user(dave).get(f"{door.url}arrive/").content.decode())
    assert "arrive/%3Ffrom%3Dposter" in as_user(None).get(f"{door.url}arrive/?from=poster").content.decode()
    page = as_user(bob).get(f"{door.url}arrive/?from=poster").content.decode()
    assert "I am here" in text(page)
    assert 'name="source" value="poster"' in page
    assert not CheckIn.objects.exists()
    data = {"present": "1", "source": "poster"}
    done = as_user(bob).post(f"{door.url}arrive/mark/", data, follow=True).content.decode()
    assert "You are checked in." in text(done)
    assert door.states()["Bob"] == HERE
    assert CheckIn.objects.get().source == CheckIn.Source.POSTER


def test_who_is_not_entered_checks_in_nowhere(door: Door, dave: User) -> None:
    acts = {"tournament": door.event, "present": True, "by": Actor.of(dave), "now": NOW}
    with pytest.raises(Refused, match="check_in_not_entered"):
        check_in.check_in_self(player=Player.objects.create(name="Dave", user=dave), **acts)
