"""`check_integrity` finds what does not follow from the facts, and `rebuild` writes it anew."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from matches.lifecycle.finish import ResultInput
from matches.models import RatingPool
from players.actors import Actor
from tests.event_cast import NOON
from tests.tournaments.support.knockouts import fixtures, play_all
from tournaments.entries import services as entries
from tournaments.models import Division, Fixture, Slot
from tournaments.results import services as results
from tournaments.state.integrity import Selection, differences

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
Drawn = Callable[..., Division]


def difference_lines() -> list[str]:
    return [f"{difference.topic} {difference.what}" for difference in differences()]


def replay_ratings() -> None:
    call_command("rebuild")


def test_nothing_differs_after_a_whole_event(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(13)
    entries.withdraw(entry=division.entries.all()[3], by=by_alice, now=NOON)
    play_all(division, by_alice)
    replay_ratings()

    assert difference_lines() == []


def test_matches_are_checked_with_fewer_queries_than_there_are_matches(drawn: Drawn, by_alice: Actor) -> None:
    play_all(drawn(20), by_alice)
    selection = Selection.of()._replace(pools=RatingPool.objects.none())
    with CaptureQueriesContext(connection) as queries:
        assert list(differences(selection)) == []
    assert len(queries) < selection.matches.count() == 19


def test_it_says_how_far_it_has_come(drawn: Drawn, by_alice: Actor, capsys: pytest.CaptureFixture[str]) -> None:
    play_all(drawn(4), by_alice)
    replay_ratings()
    call_command("check_integrity")
    out, err = capsys.readouterr()
    assert "no differences" in out
    assert "… 1 rating pool" in err


def test_a_slot_that_does_not_follow_from_the_facts_is_found_and_rebuilt(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    first = fixtures(division)[0]
    results.enter_result(fixture=first, result=ResultInput(0, (7, 3)), by=by_alice, now=NOON)
    replay_ratings()
    final = fixtures(division)[2]
    Slot.objects.filter(fixture=final, side=0).update(status=Slot.Status.TO_BE_DECIDED, entry=None)
    Fixture.objects.filter(pk=first.pk).update(status=Fixture.Status.READY)

    broken = difference_lines()
    call_command("rebuild")

    assert broken == [f"{division.topic} M1 status", f"{division.topic} M3 side 0"]
    assert difference_lines() == []


def test_a_fixture_without_slots_is_found(drawn: Drawn) -> None:
    division = drawn(4)
    Slot.objects.filter(fixture=fixtures(division)[2]).delete()
    assert f"{division.topic} M3 slots" in (f"{difference.topic} {difference.what}" for difference in differences())


def test_a_match_in_a_state_of_its_own_is_found(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    match = fixtures(division)[0].match
    assert match is not None
    match.state = "settled"
    match.save(update_fields=["state"])

    assert difference_lines() == [f"{match.topic} state"]


def test_the_command_says_what_it_checked_and_ends_with_status_one_where_something_differs(
    drawn: Drawn, capsys: pytest.CaptureFixture[str]
) -> None:
    division = drawn(4)
    call_command("check_integrity")
    assert capsys.readouterr().out == "Checked 1 division, 2 matches, 1 rating pool: no differences.\n"
    Fixture.objects.filter(stage__division=division, number=3).update(status=Fixture.Status.EMPTY)

    with pytest.raises(SystemExit) as end:
        call_command("check_integrity")

    assert end.value.code == 1
    assert capsys.readouterr().out.endswith("Checked 1 division, 2 matches, 1 rating pool: 1 difference.\n")


def test_an_empty_database_does_not_pass() -> None:
    with pytest.raises(CommandError, match="The database is empty"):
        call_command("check_integrity")


@pytest.mark.parametrize("command", ["check_integrity", "rebuild"])
def test_on_a_server_the_database_must_be_named(command: str, settings: Any) -> None:
    settings.IMPLICIT_DATABASE_REFUSED = True
    with pytest.raises(CommandError, match="DATABASE_URL is not set"):
        call_command(command)
