"""Changing the match length of rounds that nobody has begun."""

import pytest

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Match
from players.models import LogEntry
from tests.event_cast import NOON
from tournaments.draws.round_lengths import RoundLength, change_round_lengths, rounds_begun
from tournaments.models import Fixture, Round
from tournaments.results import services as results

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def rounds(drawn):
    """The rounds of a knockout of four, to 7 points."""
    division = drawn(4, match_length=7)
    return division, list(Round.objects.filter(bracket__stage__division=division).order_by("number"))


def change(division, round_, seen, length, by):
    changes = [RoundLength(round_.pk, seen, length)]
    return change_round_lengths(tournament=division.tournament, changes=changes, by=by, now=NOON)


def test_a_round_and_its_open_matches_get_the_new_length_and_can_be_given_the_old_one_again(rounds, by_alice):
    division, (semifinals, _final) = rounds
    seq = division.seq
    assert change(division, semifinals, 7, 5, by_alice) == [semifinals]
    assert set(Match.objects.values_list("length", flat=True)) == {5}
    division.refresh_from_db()
    assert division.seq == seq + 1
    assert LogEntry.objects.get(verb="lengths_changed").params["changes"] == {"main 1": [7, 5]}

    assert change(division, semifinals, 7, 5, by_alice) == [], "a repeated click does nothing"
    change(division, semifinals, 5, 7, by_alice)
    assert set(Match.objects.values_list("length", flat=True)) == {7}


def test_a_later_round_plays_to_its_new_length(rounds, by_alice):
    division, (_semifinals, final) = rounds
    change(division, final, 7, 5, by_alice)
    for fixture in Fixture.objects.filter(round__number=1):
        results.enter_result(fixture=fixture, result=ResultInput(0, (7, 2)), by=by_alice, now=NOON)
    assert Match.objects.get(state="open").length == 5


def test_a_begun_round_and_a_stale_page_are_refused(rounds, by_alice):
    division, (semifinals, final) = rounds
    fixture = Fixture.objects.filter(round=semifinals).first()
    results.enter_result(fixture=fixture, result=ResultInput(0, (7, 2)), by=by_alice, now=NOON)
    assert rounds_begun([semifinals.pk, final.pk]) == {semifinals.pk}
    with pytest.raises(Refused) as begun:
        change(division, semifinals, 7, 5, by_alice)
    with pytest.raises(Refused) as stale:
        change(division, final, 9, 5, by_alice)
    assert (begun.value.code, stale.value.code) == ("length_round_begun", "stale")
    assert set(Round.objects.values_list("length", flat=True)) == {7}
