"""Entering players by name and by list."""

from collections.abc import Callable

import pytest

from engine.errors import Refused
from players.actors import Actor
from players.models import Club, Membership, Player
from tests.event_cast import NOON
from tests.tournaments.entries.listed import rows_named
from tournaments.entries import lists
from tournaments.models import Division, Entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def division(make_division: Callable[..., Division]) -> Division:
    return make_division()


def member(club: Club, name: str) -> Player:
    player = Player.objects.create(name=name)
    Membership.objects.create(club=club, player=player)
    return player


def names(division: Division) -> list[str]:
    return list(division.entries.order_by("pk").values_list("player__name", flat=True))


def reasons(result: lists.ListResult) -> list[tuple[str, str]]:
    return [(each.name, each.why) for each in result.left_out]


def test_a_preview_matches_names_and_writes_nothing(division: Division, club: Club, by_alice: Actor) -> None:
    member(club, "Søren Holm")
    twins = [member(club, "Kim Lee"), member(club, "Kim Lee")]
    lists.enter_name(division=division, name="Alice", player="", by=by_alice, now=NOON)

    lines = lists.preview(division=division, people=rows_named(["soren holm", "Kim Lee", "Bob", "bob", "ALICE"]))

    assert [line.status for line in lines] == ["member", "ambiguous", "new", "repeated", "entered"]
    assert {player.pk for player in lines[1].match.candidates} == {player.pk for player in twins}
    assert not Player.objects.filter(name="Bob").exists()
    assert names(division) == ["Alice"]


def test_sending_a_list_twice_enters_nobody_twice(division: Division, by_alice: Actor) -> None:
    for _twice in range(2):
        result = lists.enter_list(
            division=division, people=rows_named(["Bob", "Carol", "bob"]), choices={}, by=by_alice, now=NOON
        )
    assert names(division) == ["Bob", "Carol"]
    assert (result.entries, reasons(result)) == ([], [("Bob", "entered"), ("Carol", "entered"), ("bob", "repeated")])


def test_an_ambiguous_name_is_entered_after_a_choice(division: Division, club: Club, by_alice: Actor) -> None:
    first, _other = member(club, "Kim Lee"), member(club, "Kim Lee")

    without = lists.enter_list(division=division, people=rows_named(["Kim Lee"]), choices={}, by=by_alice, now=NOON)
    chosen = lists.enter_list(
        division=division, people=rows_named(["Kim Lee"]), choices={0: first.public_id}, by=by_alice, now=NOON
    )

    assert (without.entries, reasons(without)) == ([], [("Kim Lee", "ambiguous")])
    assert [entry.player_id for entry in chosen.entries] == [first.pk]


def test_a_name_that_is_left_out_does_not_become_a_member(division: Division, by_alice: Actor) -> None:
    lists.enter_list(division=division, people=rows_named(["Bob", "Typo"]), choices={1: ""}, by=by_alice, now=NOON)
    assert names(division) == ["Bob"]
    assert not Player.objects.filter(name="Typo").exists()


def test_an_ambiguous_name_is_refused_with_candidates(division: Division, club: Club, by_alice: Actor) -> None:
    first, other = member(club, "Kim Lee"), member(club, "Kim Lee")
    with pytest.raises(Refused) as refused:
        lists.enter_name(division=division, name="kim lee", player="", by=by_alice, now=NOON)
    assert refused.value.code == "name_ambiguous"
    assert {pair[0] for pair in refused.value.params["candidates"]} == {first.public_id, other.public_id}

    with pytest.raises(Refused, match="choose_a_player"):
        lists.enter_name(division=division, name="kim lee", player=member(club, "Ola").public_id, by=by_alice, now=NOON)
    entry = lists.enter_name(division=division, name="kim lee", player=other.public_id, by=by_alice, now=NOON)

    assert entry.player == other


def test_a_name_with_another_spelling_needs_a_choice(division: Division, club: Club, by_alice: Actor) -> None:
    nord = member(club, "Nils Nord")
    (line,) = lists.preview(division=division, people=rows_named(["Nils Nørd"]))
    assert (line.status, line.needs_choice, list(line.candidates)) == ("member", True, [nord])
    with pytest.raises(Refused) as refused:
        lists.enter_name(division=division, name="Nils Nørd", player="", by=by_alice, now=NOON)
    assert refused.value.code == "name_of_member"

    result = lists.enter_list(
        division=division,
        people=rows_named(["Nils Nørd", "Nils Nørd", "Nils Nord"]),
        choices={0: nord.public_id, 1: lists.NEW_PLAYER},
        by=by_alice,
        now=NOON,
    )
    assert [entry.player.name for entry in result.entries] == ["Nils Nord", "Nils Nørd"]


def test_a_name_that_is_already_entered_is_refused(division: Division, by_alice: Actor) -> None:
    lists.enter_name(division=division, name="Bob", player="", by=by_alice, now=NOON)
    with pytest.raises(Refused) as refused:
        lists.enter_name(division=division, name="BOB", player="", by=by_alice, now=NOON)
    assert refused.value.code == "already_entered"
    assert Entry.objects.count() == 1
