"""Bob takes back what he decided in practice; between people nothing can be taken back."""

from random import Random
from typing import Any

import pytest
from django.test import Client

from engine import write
from engine.actions import Act, Phase
from engine.adjudication import adjudicate
from engine.bots import Bot, decide
from matches.access import match_for_player
from matches.models import Action, Match
from matches.play import bots, due
from matches.play.acting import DECISIONS
from matches.play.codec import to_data
from matches.play.dice import dice_of
from matches.play.live import EventKind
from matches.play.transcripts import differences_of, transcript_of
from matches.play.watching import watched
from players.models import Player, User
from tests.matches.play.conftest import BOB, START, Board, refused
from tests.matches.play.lobby.test_lobby_pages import as_
from tests.matches.play.lobby.test_practice import bob_acts, live_of, play_on, practise
from verify.verify_dice import Verifier, compare, compare_with_record, games_in_record

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def begun(player: Player, length: int = 3, *, seed: int = 1, plays: int = 0) -> Match:
    """A practice match that waits for a decision of Bob, after so many of his actions."""
    match, chance = practise(player, length=length), Random(seed)
    for _ in range(1 + plays):
        play_on(match, chance)
        bots.act_for_bot(match_id=match.pk, now=START)
    return match


def exported(match: Match, bob: User) -> dict[str, Any]:
    live = live_of(match)
    return dice_of(live, watched(live, match_for_player(bob, match.public_id), bob, START))


def state_of(match: Match) -> object:
    return to_data(due.state_of(live_of(match)))


def test_the_state_is_the_one_before_the_decision_and_the_log_keeps_everything(player: Player) -> None:
    match, chance = begun(player, plays=6), Random(5)
    while due.state_of(live_of(match)).match.phase is not Phase.TO_PLAY:
        play_on(match, chance)
    before, rows = state_of(match), live_of(match).last
    play_on(match, chance)
    bots.act_for_bot(match_id=match.pk, now=START)
    after = live_of(match).last
    assert after > rows
    bob_acts(match, EventKind.TAKE_BACK)
    assert state_of(match) == before
    assert live_of(match).last == after + 1
    assert live_of(match).actions.get(seq=after + 1).data == {"to": rows}
    assert list(differences_of(live_of(match))) == []


@pytest.mark.slow
def test_decisions_can_be_taken_back_one_after_the_other_and_played_again(player: Player) -> None:
    match, chance = begun(player, plays=14), Random(7)
    decisions = live_of(match).actions.filter(side=BOB, kind__in=DECISIONS).count()
    assert decisions > 3
    for _ in range(decisions):
        bob_acts(match, EventKind.TAKE_BACK)
    with refused("nothing_to_take_back"):
        bob_acts(match, EventKind.TAKE_BACK)
    assert list(differences_of(live_of(match))) == []
    for turn in range(2000):
        bots.act_for_bot(match_id=match.pk, now=START)
        if not Match.objects.filter(pk=match.pk, state=Match.State.LIVE).exists():
            break
        play_on(match, chance)
        if turn % 9 == 4 and Match.objects.filter(pk=match.pk, state=Match.State.LIVE).exists():
            bots.act_for_bot(match_id=match.pk, now=START)
            if Match.objects.filter(pk=match.pk, state=Match.State.LIVE).exists():
                bob_acts(match, EventKind.TAKE_BACK)
    live = live_of(match)
    assert Match.objects.get(pk=match.pk).state == Match.State.SETTLED
    assert list(differences_of(live)) == []
    assert [each for each in adjudicate(transcript_of(live)).findings if each.severity == "error"] == []


@pytest.mark.slow
def test_the_dice_of_the_decision_stay_and_every_roll_can_be_checked(player: Player, bob: User) -> None:
    match, chance = begun(player, plays=4), Random(3)
    export: dict[str, Any] = {}
    earlier: dict[str, Any] = {}
    for _ in range(6):
        while due.state_of(live_of(match)).match.phase is not Phase.TO_PLAY:
            play_on(match, chance)
            bots.act_for_bot(match_id=match.pk, now=START)
        dice = due.state_of(live_of(match)).match.dice
        play_on(match, chance)
        bots.act_for_bot(match_id=match.pk, now=START)
        bob_acts(match, EventKind.TAKE_BACK)
        assert due.state_of(live_of(match)).match.dice == dice
        play_on(match, chance)
        bots.act_for_bot(match_id=match.pk, now=START)
        export = exported(match, bob)
        assert not earlier or compare(earlier, export) == []
        earlier = export
    assert len(export["rolls"]) == Action.objects.filter(live=match.pk, kind=Act.ROLL).count()
    assert any(roll.get("taken_back") for roll in export["rolls"])
    assert Verifier(export).run() == []
    record = write(transcript_of(live_of(match)), "mat").decode()
    assert compare_with_record(export, games_in_record(record)) == []


def test_nothing_is_taken_back_before_the_first_decision_nor_from_a_finished_match(player: Player) -> None:
    match = practise(player)
    with refused("nothing_to_take_back"):
        bob_acts(match, EventKind.TAKE_BACK)
    bob_acts(match, EventKind.READY)
    with refused("nothing_to_take_back"):
        bob_acts(match, EventKind.TAKE_BACK)
    bots.act_for_bot(match_id=match.pk, now=START)
    bob_acts(match, Act.CONCEDE)
    with refused("not_live"):
        bob_acts(match, EventKind.TAKE_BACK)


def test_a_take_back_that_saw_less_than_the_bot_has_done_is_stale(player: Player, bob: User) -> None:
    match = begun(player, plays=3)
    page, api = as_(bob), f"/api/v1/matches/{match.public_id}/live/"
    seen = page.get(api).json()
    assert "take_back" in seen["may"]
    body = {"kind": "take_back", "after": seen["last"]}
    first = page.post(f"{api}actions/", body, "application/json", headers={"Idempotency-Key": "k"})
    assert first.status_code == 200
    assert first.json()["actions"][-1]["kind"] == "take_back"
    again = page.post(f"{api}actions/", body, "application/json", headers={"Idempotency-Key": "k"})
    assert again.json()["last"] == first.json()["last"]
    late = page.post(f"{api}actions/", body, "application/json", headers={"Idempotency-Key": "l"})
    assert (late.status_code, late.json()["code"]) == (409, "stale")
    assert Client().post(f"{api}actions/", body, "application/json").status_code == 401


def test_between_people_nothing_can_be_taken_back(board: Board) -> None:
    side = board.open_game()
    board.do(side, Act.PLAY, moves=board.any_play())
    with refused("no_take_back"):
        board.do(side, EventKind.TAKE_BACK)
    assert decide(board.game, Bot.CLUB, Random(1)).act in (Act.ROLL, Act.DOUBLE)
