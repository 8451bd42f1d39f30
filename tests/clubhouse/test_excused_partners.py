"""Whoever is excused decides over their own entries, and not over the pair that plays on without them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from clubhouse.leaving import parts_of
from formats.settings import KNOCKOUT, StageSettings
from players.actors import SYSTEM, Actor
from players.models import Player, User
from players.people.erasure import erase_player
from players.people.leaving import lift_suspension, suspend
from players.people.pairs import pair_of
from players.people.services import merge_players
from tests.event_cast import NOON, Clocked
from tests.tournaments.support.played_stages import drawn_as
from tests.tournaments.support.swiss_rounds import is_clean
from tournaments.entries import check_in
from tournaments.entries.returns import bring_back, preview_return
from tournaments.entries.services import enter, preview_withdrawal, withdraw, withdraw_from_event
from tournaments.models import Division, Entry, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@dataclass
class Doubles(Clocked):
    """Ann & Bob, who has an account, against Cem & Dan in the doubles, and all four in the main."""

    main: Division
    both: Division
    ann: Player
    bob: Player
    user: User
    at: Any = NOON

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": SYSTEM, "now": self.now()}

    def excuse(self, player: Player) -> None:
        check_in.mark(entry=self.pair, state="excused", person=player, **self.acts)

    @property
    def pair(self) -> Entry:
        rows = Entry.objects.select_related("player", "division__tournament__club")
        return rows.get(division=self.both, player__pair__first=self.ann)

    @property
    def own(self) -> Entry:
        return Entry.objects.select_related("player", "division__tournament__club").get(
            division=self.main, player=self.bob
        )

    def statuses(self) -> tuple[str, str]:
        """Whether Bob's own entry stands, and that of the pair."""
        return self.own.status, self.pair.status


@pytest.fixture(params=["entries", "drawn"])
def doubles(
    request: pytest.FixtureRequest,
    make_division: Callable[..., Division],
    bob: User,
    bob_player: Player,
    by_alice: Actor,
) -> Doubles:
    ann, cem, dan = (Player.objects.create(name=name) for name in ("Ann", "Cem", "Dan"))
    main, both = make_division(name="Main"), make_division(name="Doubles", sides="two")
    sides = [pair_of(ann, bob_player), pair_of(cem, dan)]
    for division, players in ((main, [ann, bob_player, cem, dan]), (both, sides)):
        if request.param == "drawn":
            division.refresh_from_db()
            drawn_as(division, [StageSettings(KNOCKOUT)], players, by_alice)
        else:
            enter(division=division, players=players, by=by_alice, now=NOON)
            Tournament.objects.filter(pk=division.tournament_id).update(status=Tournament.Status.PUBLISHED)
    return Doubles(main, both, ann, bob_player, bob)


def post(path: str) -> Callable[[Doubles], object]:
    def act(doubles: Doubles) -> None:
        client = Client()
        client.force_login(doubles.user)
        event = doubles.main.tournament
        home = f"/events/{event.club.slug}/{event.slug}/"
        answer = client.post(path.format(event=event.public_id, home=home, both=doubles.both.public_id))
        assert answer.status_code in (204, 302)

    return act


Act = Callable[[Doubles], object]
LEAVES: dict[str, Act] = {
    "withdrawn from the event": lambda doubles: withdraw_from_event(
        tournament=doubles.main.tournament, player=doubles.bob, **doubles.acts
    ),
    "withdraws in the API": post("/api/v1/tournaments/{event}/leave/"),
    "deletes the account": lambda doubles: erase_player(player=doubles.bob, **doubles.acts),
    "suspended": lambda doubles: suspend(user=doubles.user, **doubles.acts),
}


@pytest.mark.parametrize("leave", LEAVES.values(), ids=LEAVES)
def test_the_pair_that_plays_on_stays(doubles: Doubles, leave: Act) -> None:
    doubles.excuse(doubles.bob)
    leave(doubles)
    assert doubles.statuses() == ("out", "in")
    assert is_clean()


@pytest.mark.parametrize("leave", LEAVES.values(), ids=LEAVES)
@pytest.mark.parametrize("change", ["nobody is excused", "the other one is excused", "plays again"])
def test_whoever_plays_in_a_pair_takes_it_along(doubles: Doubles, leave: Act, change: str) -> None:
    if change == "the other one is excused":
        doubles.excuse(doubles.ann)
    elif change == "plays again":
        doubles.excuse(doubles.bob)
        check_in.mark(entry=doubles.pair, state="here", person=doubles.bob, **doubles.acts)
    leave(doubles)
    assert doubles.statuses() == ("out", "out")
    assert is_clean()


def test_what_is_shown_before_is_what_happens(doubles: Doubles) -> None:
    def parts() -> tuple[int, int]:
        shown = preview_withdrawal(entry=doubles.own, event=True)
        return len(shown), len(list(parts_of([doubles.bob], doubles.now())))

    assert parts() == (2, 2)
    doubles.excuse(doubles.bob)
    assert parts() == (1, 1)


def test_nobody_withdraws_or_returns_the_pair_that_plays_without_them(doubles: Doubles) -> None:
    withdraw_division = post("{home}{both}/withdraw/")
    doubles.excuse(doubles.bob)
    withdraw_division(doubles)
    assert doubles.statuses() == ("in", "in")
    withdraw(entry=doubles.pair, **doubles.acts)
    withdraw(entry=doubles.own, **doubles.acts)
    bring_back(entry=doubles.own, event=True, seen=preview_return(entry=doubles.own, event=True).mark, **doubles.acts)
    assert doubles.statuses() == ("in", "out")


def test_an_excuse_under_another_name_counts(doubles: Doubles) -> None:
    doubles.excuse(doubles.ann)
    anna = Player.objects.create(name="Anna")
    merge_players(player=doubles.ann, into=anna, **doubles.acts)
    assert withdraw_from_event(tournament=doubles.main.tournament, player=anna, **doubles.acts) == 1
    assert doubles.statuses() == ("in", "in")


def test_a_suspension_that_ends_returns_only_what_it_took(doubles: Doubles) -> None:
    doubles.excuse(doubles.bob)
    suspend(user=doubles.user, **doubles.acts)
    lift_suspension(user=doubles.user, **doubles.acts)
    assert doubles.statuses() == ("in", "in")
