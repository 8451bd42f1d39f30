"""A director who plays wins no match of their own by what is done around it: withdrawals, returns, undone entries."""

from collections.abc import Callable
from typing import Any

import pytest

from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.event_cast import NOON
from tests.tournaments.support.own_match import draw_pair, refusal
from tests.tournaments.support.swiss_rounds import is_clean
from tournaments.entries import services as entries
from tournaments.entries.late import enter_late, preview_undo, undo_late
from tournaments.entries.returns import bring_back, preview_return
from tournaments.floor import lines
from tournaments.models import Division, Entry, Fixture, Slot, Withdrawal
from tournaments.results import corrections, quick_entry
from tournaments.results.services import enter_result, withdraw_from_bracket

pytestmark = pytest.mark.django_db
SCOPES = ("bracket", "division", "event")
REASON = "Bob rang: he has a fever."


@pytest.fixture
def fixture(make_division: Callable[..., Division], bob: User, club: Club, by_alice: Actor) -> Fixture:
    """M1, in which Alice, the only director, meets Bob, a member."""
    bob_player = Player.objects.create(name="Bob", user=bob)
    Membership.objects.create(club=club, player=bob_player)
    return draw_pair(make_division(), [Player.objects.get(name="Alice"), bob_player], by_alice)


@pytest.fixture
def by_carol(club: Club, carol: User) -> Actor:
    """Carol, who assists."""
    player = Player.objects.create(name="Carol", user=carol)
    Membership.objects.create(club=club, player=player, role=Membership.Role.ASSISTANT)
    return Actor.of(carol)


def entry_of(name: str) -> Entry:
    return Entry.objects.select_related("division__tournament__club", "player").get(player__name=name)


def withdraw(name: str, scope: str, by: Actor, reason: str = "") -> None:
    entry = entry_of(name)
    common: dict[str, Any] = {"by": by, "now": NOON, "reason": reason}
    if scope == "bracket":
        withdraw_from_bracket(slot=Slot.objects.get(entry=entry, fixture__number=1), **common)
    elif scope == "division":
        entries.withdraw(entry=entry, **common)
    else:
        entries.withdraw_from_event(tournament=entry.division.tournament, player=entry.player, **common)


def come_back(name: str, by: Actor, reason: str = "") -> None:
    entry = entry_of(name)
    bring_back(entry=entry, seen=preview_return(entry=entry).mark, by=by, now=NOON, reason=reason)


def is_alice(player: Player) -> None:
    """Alice turns out to have been entered under this name."""
    Player.objects.filter(pk=player.pk).update(merged_into=Player.objects.get(name="Alice"))


def standing() -> Result:
    return Result.objects.order_by("-pk")[0]


@pytest.mark.parametrize("scope", SCOPES)
def test_the_only_director_withdraws_the_opponent_with_a_public_reason(
    fixture: Fixture, by_alice: Actor, scope: str
) -> None:
    assert refusal(lambda: withdraw("Bob", scope, by_alice, " ")) == "own_match_reason"
    assert not Withdrawal.objects.exists()
    assert not Result.objects.exists()
    assert entry_of("Bob").status == Entry.Status.IN

    withdraw("Bob", scope, by_alice, REASON)
    assert (standing().kind, standing().own_match, standing().reason) == (Result.Kind.WALKOVER, True, REASON)
    assert is_clean()


@pytest.mark.parametrize("scope", SCOPES)
def test_another_director_can_withdraw_the_opponent(
    fixture: Fixture, by_alice: Actor, by_carol: Actor, scope: str
) -> None:
    assert refusal(lambda: withdraw("Bob", scope, by_alice, REASON)) == "own_match"
    withdraw("Bob", scope, by_carol, REASON)
    assert (standing().kind, standing().own_match, standing().reason) == (Result.Kind.WALKOVER, False, "")


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", ["Alice", "Bob"])
def test_anybody_may_withdraw_themselves(
    fixture: Fixture, alice: User, bob: User, by_carol: Actor, name: str, scope: str
) -> None:
    withdraw(name, scope, Actor.of({"Alice": alice, "Bob": bob}[name]))
    assert (standing().kind, standing().own_match) == (Result.Kind.WALKOVER, False)


def test_withdrawing_somebody_else_needs_no_reason(drawn: Callable[..., Division], by_alice: Actor) -> None:
    drawn(2)
    withdraw("Player 1", "division", by_alice)
    assert standing().kind == Result.Kind.WALKOVER


def test_a_withdrawn_director_is_let_back_in_by_somebody_else(
    fixture: Fixture, by_alice: Actor, by_carol: Actor
) -> None:
    withdraw("Alice", "division", by_alice)
    assert refusal(lambda: come_back("Alice", by_alice, REASON)) == "own_match"
    assert standing().kind == Result.Kind.WALKOVER
    come_back("Alice", by_carol)
    assert (standing().kind, standing().own_match) == (Result.Kind.VOID, False)


def test_the_only_director_comes_back_with_a_public_reason(fixture: Fixture, by_alice: Actor) -> None:
    withdraw("Alice", "division", by_alice)
    assert refusal(lambda: come_back("Alice", by_alice)) == "own_match_reason"
    come_back("Alice", by_alice, "Only stuck in traffic.")
    assert (standing().kind, standing().own_match, standing().reason) == (
        Result.Kind.VOID,
        True,
        "Only stuck in traffic.",
    )
    assert is_clean()


def test_letting_the_opponent_back_in_gives_a_win_up_and_needs_no_reason(fixture: Fixture, by_alice: Actor) -> None:
    withdraw("Bob", "division", by_alice, REASON)
    come_back("Bob", by_alice)
    assert (standing().kind, standing().own_match) == (Result.Kind.VOID, False)


@pytest.fixture
def late(drawn: Callable[..., Division], by_alice: Actor) -> Fixture:
    """M1 or M2, in which somebody who came late has taken Alice's bye."""
    newcomer = Player.objects.create(name="Louise")
    enter_late(division=drawn(3), players=[newcomer], by=by_alice, now=NOON)
    fixture = Fixture.objects.select_related("match").get(slots__entry__player=newcomer)
    assert fixture.match is not None
    is_alice(next(player for player in fixture.match.players if player != newcomer))
    return fixture


def undo(by: Actor, reason: str) -> None:
    entry = entry_of("Louise")
    undo_late(entry=entry, after=preview_undo(entry=entry).seq, by=by, now=NOON, reason=reason)


def test_the_only_director_takes_their_bye_back_with_a_public_reason(late: Fixture, by_alice: Actor) -> None:
    assert refusal(lambda: undo(by_alice, "")) == "own_match_reason"
    assert entry_of("Louise").status == Entry.Status.IN
    undo(by_alice, "She was typed into the wrong division.")
    assert late.match is not None
    result = late.match.results.get()
    assert (result.kind, result.own_match) == (Result.Kind.VOID, True)
    assert result.reason == "She was typed into the wrong division."
    assert is_clean()


def test_or_somebody_else_gives_it_back(late: Fixture, by_alice: Actor, by_carol: Actor) -> None:
    assert refusal(lambda: undo(by_alice, REASON)) == "own_match"
    undo(by_carol, "")
    assert entry_of("Louise").status == Entry.Status.OUT


def test_a_line_is_not_undone_by_whoever_turns_out_to_have_played(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    fixture = draw_pair(make_division(), make_players(2), by_alice)
    event = fixture.stage.division.tournament
    line: dict[str, Any] = {"tournament": event, "division": None, "by": by_alice, "now": NOON}
    quick_entry.enter_line(text="m1 7-3", **line)
    assert fixture.match is not None
    is_alice(fixture.match.player_1)
    (outcome,) = lines.enter_lines(text="undo", **line)
    assert outcome.refused is not None
    assert outcome.refused.code == "own_match_reason"
    assert standing().kind == Result.Kind.PLAYED


@pytest.fixture
def lost_final(drawn: Callable[..., Division], by_alice: Actor) -> Fixture:
    """M1 of a knockout of four, whose winner has beaten Alice in the final."""
    division = drawn(4)
    for number in (1, 2, 3):
        played = Fixture.objects.select_related("stage").get(stage__division=division, number=number)
        enter_result(fixture=played, result=ResultInput(0, (7, 3)), by=by_alice, now=NOON)
    final = Fixture.objects.select_related("match").get(stage__division=division, number=3)
    assert final.match is not None
    is_alice(final.match.player_1)
    return Fixture.objects.select_related("stage__division").get(stage__division=division, number=1)


def correct(fixture: Fixture, by: Actor, choice: str, reason: str) -> object:
    division = Division.objects.get(pk=fixture.stage.division_id)
    new = ResultInput(1, (3, 7), Result.Kind.PLAYED)
    correction = corrections.CorrectionInput(new, choice, reason)
    return corrections.apply_correction(fixture=fixture, correction=correction, after=division.seq, by=by, now=NOON)


def test_a_correction_that_voids_the_directors_own_loss_needs_a_reason_or_somebody_else(
    lost_final: Fixture, by_alice: Actor, club: Club, carol: User
) -> None:
    assert refusal(lambda: correct(lost_final, by_alice, "correct_all", "")) == "own_match_reason"
    player = Player.objects.create(name="Carol", user=carol)
    Membership.objects.create(club=club, player=player, role=Membership.Role.DIRECTOR)
    assert refusal(lambda: correct(lost_final, by_alice, "correct_all", REASON)) == "own_match"
    assert correct(lost_final, Actor.of(carol), "correct_all", "") is not None


def test_a_correction_that_keeps_the_bracket_is_nobodys_own(lost_final: Fixture, by_alice: Actor) -> None:
    assert correct(lost_final, by_alice, "keep_bracket", "") is not None
