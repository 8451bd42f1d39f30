"""A typed line becomes a result."""

from collections.abc import Callable

import pytest

from engine.errors import Refused
from matches.models import Result
from players.actors import Actor
from tests.tournaments.services.conftest import NOON
from tournaments.models import Division, Fixture, Tournament
from tournaments.services.quick import Quick, enter_line

pytestmark = pytest.mark.django_db
Drawn = Callable[..., Division]


def enter(division: Division, text: str, by: Actor, *, on_screen: Division | None = None) -> Quick:
    return enter_line(tournament=division.tournament, text=text, division=on_screen, by=by, now=NOON)


def refusal(division: Division, text: str, by: Actor, *, on_screen: Division | None = None) -> str:
    with pytest.raises(Refused) as refused:
        enter(division, text, by, on_screen=on_screen)
    return refused.value.code


def test_a_score_is_booked_in_the_order_of_the_fixture(drawn: Drawn, by_alice: Actor) -> None:
    done = enter(drawn(4), "m1 3-7", by_alice)
    assert (done.result.winner, done.result.score, done.result.kind) == (1, (3, 7), Result.Kind.PLAYED)


def test_who_gives_up_loses_and_both_may(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    fixtures = {row.number: row for row in division.stages.get().fixtures.select_related("match__player_1")}
    assert fixtures[1].match is not None
    one = enter(division, f"m1 forfeit {fixtures[1].match.player_1.name}", by_alice)
    both = enter(division, "m2 forfeit both", by_alice)
    assert (one.result.winner, one.result.kind) == (0, Result.Kind.FORFEIT)
    assert (both.result.winner, both.result.kind) == (None, Result.Kind.DOUBLE_FORFEIT)


def test_the_same_line_twice_is_booked_once_and_another_one_refused(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    first, second = (enter(division, "m1 7-3", by_alice) for _twice in range(2))
    assert first.result == second.result
    assert refusal(division, "m1 7-4", by_alice) == "line_settled"
    assert refusal(division, "m1 forfeit both", by_alice) == "line_settled"
    assert Result.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("m9 7-3", "line_no_fixture"),
        ("m3 7-3", "fixture_not_ready"),
        ("m1 6-3", "result_not_reached"),
        ("m1 forfeit nobody", "line_forfeit_nobody"),
        ("juniors m1 7-3", "line_no_division"),
    ],
)
def test_a_line_that_cannot_be_booked_says_why(drawn: Drawn, by_alice: Actor, text: str, code: str) -> None:
    assert refusal(drawn(4), text, by_alice) == code
    assert not Result.objects.exists()


def test_a_match_number_names_one_match_of_the_event(drawn: Drawn, tournament: Tournament, by_alice: Actor) -> None:
    first = drawn(2, name="Open", match_length=5)
    tournament.refresh_from_db()
    second = drawn(2, name="Masters", match_length=7)
    assert enter(first, "m1 5-0", by_alice, on_screen=second).fixture.stage.division == first
    assert enter(first, "masters m2 7-0", by_alice, on_screen=first).fixture.stage.division == second


def test_numbers_given_twice_in_older_events_still_need_the_division(
    drawn: Drawn, tournament: Tournament, by_alice: Actor
) -> None:
    first = drawn(2, name="Open", match_length=5)
    tournament.refresh_from_db()
    second = drawn(2, name="Masters", match_length=7)
    Fixture.objects.filter(stage__division=second).update(number=1)
    assert refusal(first, "m1 5-0", by_alice) == "line_which_division"
    assert enter(first, "m1 5-0", by_alice, on_screen=first).fixture.stage.division == first
    assert enter(first, "masters m1 7-0", by_alice, on_screen=first).fixture.stage.division == second
