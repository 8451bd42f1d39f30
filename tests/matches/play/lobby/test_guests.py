"""A guest plays the Club Bot without an account; Bob signs up and keeps the match."""

from random import Random
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from core import throttle
from engine.actions import Act, Phase
from engine.adjudication import adjudicate
from engine.bots import Bot, decide
from engine.cube import Side
from engine.errors import Refused
from matches.access import match_for_player
from matches.models import Action, DiceChain, LiveMatch, Match
from matches.play import bots, due
from matches.play.codec import to_data
from matches.play.dice import dice_of
from matches.play.live import EventKind
from matches.play.lobby.guests import DECISIONS, GUEST, TAKE_BACK, GuestMatch, GuestStep, keep
from matches.play.transcripts import transcript_of
from matches.play.watching import watched
from players.actors import Actor
from players.models import Player, User
from tests.matches.play.conftest import START
from tests.matches.play.lobby.test_lobby_pages import as_

API = "/api/v1/practice/guest/"
AT = 1_700_000_000_000


def next_step(match: GuestMatch, chance: Random, *, at: int = AT) -> GuestStep:
    """What a bot would do in the guest's place."""
    if match.state.match.phase is Phase.OPENING:
        return GuestStep(GUEST, EventKind.READY, at)
    decision = decide(match.state.match, Bot.CLUB, chance)
    return GuestStep(GUEST, decision.act, at, tuple(decision.moves), play_forced=True, bear_off=True)


def played(length: int, steps: int, seed: int = 1) -> GuestMatch:
    """A match in which the guest has done so much, each time through the signed text."""
    match, chance = GuestMatch.start(length, START), Random(seed)
    for _ in range(steps):
        if match.state.match.is_over:
            break
        match = GuestMatch.load(match.token)
        match.act(next_step(match, chance, at=match.began + 1000 * match.last))
    return match


def post(path: str, code: int = 200, **body: Any) -> Any:
    answer = Client().post(API + path, body, content_type="application/json")
    assert answer.status_code == code, answer.content
    assert not answer.cookies
    return answer.json()


def kept_by(user: User, player: Player, match: GuestMatch) -> Match:
    return keep(token=match.token, player=player, by=Actor.of(user), now=START)


@pytest.mark.django_db
def test_nothing_is_stored_of_a_guest(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        board = post("", length=1)
        board = post("actions/", token=board["token"], kind="ready", after=0)
        kinds = [action["kind"] for action in board["actions"]]
        again = post("", token=board["token"])
    assert kinds[:3] == ["ready", "ready", "roll"]
    assert again["actions"] == board["actions"]
    assert again["to_act"] == GUEST
    assert board["chains"][0]["kept_by_server"]


@pytest.mark.django_db
def test_the_board_sets_no_cookie_and_is_two_taps_away(client: Client) -> None:
    home = client.get("/")
    assert 'href="/play/guest/"' in home.content.decode()
    board = client.get("/play/guest/")
    assert board.status_code == 200
    assert not home.cookies
    assert not board.cookies
    assert "csrfmiddlewaretoken" not in board.content.decode()


def test_what_is_sent_again_has_the_same_dice() -> None:
    match = GuestMatch.start(5, START)
    match.act(GuestStep(GUEST, EventKind.READY, AT))
    chance = Random(3)
    while match.state.match.phase is not Phase.TO_PLAY:
        match.act(next_step(match, chance))
    token, plays = match.token, match.state.match.legal_plays()
    assert len(plays) > 1
    rolls = []
    for play in (plays[0], *plays):
        again = GuestMatch.load(token)
        moves = tuple((step.source, step.target) for step in play.steps)
        again.act(GuestStep(GUEST, Act.PLAY, AT + 5, moves))
        rolls += [each["data"]["dice"] for each in again.appended if each["kind"] == "roll"][:1]
    # After some plays the bot doubles before it rolls.
    assert len(rolls) > 1
    assert all(dice == rolls[0] for dice in rolls)


def test_forged_and_foreign_texts_are_refused() -> None:
    token = GuestMatch.start(1, START).token
    for text in (token[:-1], f"x{token}", "", "a:b:c"):
        with pytest.raises(Refused) as refused:
            GuestMatch.load(text)
        assert refused.value.code == "guest_match_lost"


def test_take_back_undoes_the_last_decision_and_keeps_the_dice() -> None:
    match = played(3, 9)
    decided = max(at for at, step in enumerate(match.steps) if step.side == GUEST and step.kind in DECISIONS)
    before = GuestMatch(match.id, match.length, match.began, steps=match.steps[:decided]).replayed()
    play = match.steps[decided]
    after = match.replayed()
    match.act(GuestStep(GUEST, TAKE_BACK, AT))
    assert to_data(match.state) == to_data(before.state)
    match.act(play)
    assert [each["data"] for each in match.appended][: len(before.appended) + 1] == [
        each["data"] for each in after.appended
    ][: len(before.appended) + 1]
    with pytest.raises(Refused, match="nothing_to_take_back"):
        GuestMatch.start(1, START).act(GuestStep(GUEST, TAKE_BACK, AT))


@pytest.mark.django_db
@pytest.mark.parametrize("steps", [0, 1, 2, 12, 60])
def test_a_kept_match_is_an_ordinary_practice_match(player: Player, bob: User, steps: int) -> None:
    guest = played(3, steps)
    match = kept_by(bob, player, guest)
    live = LiveMatch.objects.get(pk=match.pk)
    assert (match.public_id, match.visibility, match.rated) == (guest.id, "private", False)
    assert to_data(due.state_of(live).match and due.state_of(live))["match"] == to_data(guest.state)["match"]
    rows = Action.objects.filter(live=live).order_by("seq")
    assert [(row.kind, row.side, row.data.get("dice"), row.data.get("moves")) for row in rows] == [
        (each["kind"], each["side"], each["data"].get("dice"), each["data"].get("moves"))
        for each in guest.replayed().appended
    ]
    assert kept_by(bob, player, guest) == match
    assert Match.objects.count() == 1


@pytest.mark.django_db
def test_a_whole_match_is_kept_with_its_result_and_its_dice_can_be_checked(
    player: Player, bob: User, django_assert_max_num_queries: Any
) -> None:
    guest = played(5, 1500)
    while guest.state.match.game == 1:
        guest = played(5, 1500)
    assert guest.state.match.is_over
    # The links of dice chains are saved at once, and each game is read for itself.
    with django_assert_max_num_queries(62 + 4 * guest.state.match.game):
        match = kept_by(bob, player, guest)
    live = LiveMatch.objects.select_related("match__player_0", "match__player_1").get(pk=match.pk)
    assert match.state == Match.State.SETTLED
    assert [each for each in adjudicate(transcript_of(live)).findings if each.severity == "error"] == []
    seat = match_for_player(bob, match.public_id)
    export = dice_of(live, watched(live, seat, bob, START))
    assert len(export["rolls"]) == guest.rolls


@pytest.mark.django_db
def test_nobody_keeps_the_match_of_somebody_else(player: Player, bob: User, carol_player: Player) -> None:
    guest = played(1, 4)
    kept_by(bob, player, guest)
    assert carol_player.user is not None
    with pytest.raises(Refused, match="guest_match_kept"):
        kept_by(carol_player.user, carol_player, guest)


@pytest.mark.django_db
def test_keeping_needs_an_account(bob: User) -> None:
    token = played(1, 3).token
    assert post("keep/", 401, token=token)["code"]
    started = as_(bob).post(API + "keep/", {"token": token}, content_type="application/json")
    assert started.status_code == 201
    assert started.json()["page"].endswith("/play/")
    assert as_(bob).get("/play/guest/keep/").status_code == 200
    assert Client().get("/play/guest/keep/").status_code == 302


@pytest.mark.django_db
def test_wrong_input_of_guests_is_refused() -> None:
    board = post("", length=1)
    token = board["token"]
    assert post("", 422, length=0)["code"]
    assert post("", 422, length=1, level="club")["code"] == "unknown_field"
    assert post("", 409, token="x")["code"] == "guest_match_lost"
    assert post("actions/", 409, token=token, kind="ready", after=7)["code"] == "stale"
    assert post("actions/", 422, token=token, kind="claim_flag", after=0)["code"]
    assert post("actions/", 409, token=token, kind="take_back", after=0)["code"] == "nothing_to_take_back"
    answer = Client().post(API + "actions/", {"token": token, "kind": "roll", "after": 0}, "application/json")
    assert answer.json()["code"] == "not_now"


@pytest.mark.django_db
def test_a_guest_is_limited_by_match_and_a_hall_generously(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(throttle, "GUEST_ACTIONS_OF", throttle.GUEST_ACTIONS_OF._replace(most=2))
    token = post("", length=1)["token"]
    for _ in range(2):
        post("", token=token)
    assert post("", 429, token=token)["code"] == "too_many_attempts"
    assert post("", length=1)["token"]
    assert throttle.GUEST_ACTIONS_FROM.most >= 30 * 60


@pytest.mark.django_db
def test_a_kept_match_goes_on_with_the_bot(player: Player, bob: User) -> None:
    match = kept_by(bob, player, played(3, 5))
    assert DiceChain.objects.filter(live=match.pk, kept_by_server=True).count() == 3
    bots.act_for_bot(match_id=match.pk, now=START)
    side: Side | None = due.state_of(LiveMatch.objects.get(pk=match.pk)).match.to_act
    assert side == GUEST
