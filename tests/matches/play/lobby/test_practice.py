"""Bob practises against a bot, which workers and the clock worker move for."""

import time
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from engine.actions import Act, Phase
from engine.adjudication import adjudicate
from engine.bots import Bot, decide
from matches.models import Action, BotPlayer, LiveMatch, Match, PlayerRating, Result
from matches.play import bots, clock_worker, due
from matches.play.acting import ActionInput, act
from matches.play.dice import dice_of
from matches.play.live import EventKind
from matches.play.lobby.services import BOT_SIDE, start_practice
from matches.play.starting import commit_chain
from matches.play.transcripts import transcript_of
from players.actors import SYSTEM, Actor
from players.models import Player, User
from tests.matches.cast import player_of
from tests.matches.play.conftest import START, refused

BOB = 0
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def practise(player: Player, style: str = "club", length: int = 1) -> Match:
    assert player.user is not None
    by = Actor.of(player.user)
    match = start_practice(player=player, style=style, length=length, by=by, now=START)
    commit_chain(match=match, side=BOB, anchor="", by=by, now=START)
    return match


def live_of(match: Match) -> LiveMatch:
    return LiveMatch.objects.select_related("match__player_0", "match__player_1").get(pk=match.pk)


def bob_acts(match: Match, kind: str, **fields: Any) -> None:
    live = live_of(match)
    user = match.player_0.user
    assert user is not None
    act(match=match, side=BOB, request=ActionInput(kind, live.last, **fields), by=Actor.of(user), now=START)


def play_on(match: Match, chance: Random) -> None:
    """Let Bob do what a bot of his own would, once."""
    state = due.state_of(live_of(match)).match
    if state.phase is Phase.OPENING:
        bob_acts(match, EventKind.READY)
        return
    decision = decide(state, Bot.CLUB, chance)
    value = decision.value if decision.act is Act.RESIGN else None
    bob_acts(match, decision.act, moves=decision.moves, value=value)


@pytest.mark.slow
@pytest.mark.parametrize("style", [bot.value for bot in Bot])
def test_a_whole_match_against_a_bot_is_adjudicated_without_error(player: Player, style: str) -> None:
    match = practise(player, style, length=3)
    chance = Random(1)
    for _ in range(2000):
        bots.act_for_bot(match_id=match.pk, now=START)
        if not Match.objects.filter(pk=match.pk, state=Match.State.LIVE).exists():
            break
        play_on(match, chance)
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    live = live_of(match)
    assert [finding for finding in adjudicate(transcript_of(live)).findings if finding.severity == "error"] == []
    assert live.bot_since is None
    assert Action.objects.filter(live=live, side=BOT_SIDE, by="system").count() > 5
    assert (match.rated, match.visibility, match.unsettled) == (False, "private", False)
    assert Result.objects.filter(match=match).count() == 1
    assert not PlayerRating.objects.exists()


def test_the_bot_is_ready_once_its_opponent_is(player: Player) -> None:
    """Else its link would be known when its opponent commits to a chain, and the first rolls would be weak."""
    match = practise(player)
    assert live_of(match).bot_since is None
    assert bots.act_for_bot(match_id=match.pk, now=START) == 0
    bob_acts(match, EventKind.READY)
    assert live_of(match).bot_since == START
    assert bots.act_for_bot(match_id=match.pk, now=START) >= 1
    assert due.state_of(live_of(match)).match.turn is not None
    assert [roll["weak"] for roll in dice_of(live_of(match))["rolls"]][:1] == [False]


def test_the_bot_goes_on_after_a_pause_when_its_opponent_does(player: Player) -> None:
    match = practise(player)
    bob_acts(match, EventKind.PAUSE)
    assert live_of(match).bot_since is None, "it does not cut the pause short"
    bob_acts(match, EventKind.CONTINUE)
    assert bots.act_for_bot(match_id=match.pk, now=START) == 1, "it continues"
    assert not due.state_of(live_of(match)).is_paused


def test_what_a_worker_left_is_found_by_the_clock_worker(player: Player) -> None:
    match = practise(player)
    bob_acts(match, EventKind.READY)
    clock_worker.work(now=START + timedelta(seconds=2))
    assert live_of(match).bot_since is not None, "a worker may still be at it"
    clock_worker.work(now=START + timedelta(seconds=4))
    assert live_of(match).bot_since is None


def test_a_worker_that_comes_late_changes_nothing(player: Player) -> None:
    match = practise(player)
    bob_acts(match, EventKind.READY)
    seen = live_of(match)
    bots.act_for_bot(match_id=match.pk, now=START)
    late = ActionInput(EventKind.READY, seen.last)
    with refused("stale"):
        act(match=match, side=BOT_SIDE, request=late, by=SYSTEM, now=START)
    assert Action.objects.filter(kind=EventKind.READY, side=BOT_SIDE).count() == 1


def test_the_same_bot_plays_everybody(player: Player, carol: User) -> None:
    first, second = practise(player), practise(player_of(carol))
    assert first.player_1 == second.player_1
    assert first.player_1.user is None
    assert BotPlayer.objects.count() == 1


@pytest.mark.parametrize("length", [0, 16])
def test_a_practice_match_is_short(player: Player, length: int) -> None:
    with refused("bad_length"):
        practise(player, length=length)
    assert not Match.objects.exists()


def test_nobody_collects_unfinished_matches(player: Player) -> None:
    matches = [practise(player) for _ in range(5)]
    with refused("too_many_practice_matches"):
        practise(player)
    bob_acts(matches[0], Act.CONCEDE)
    practise(player)


def soon(true: Callable[[], bool]) -> None:
    """Wait until it is true, for a minute at most."""
    ends = time.monotonic() + 60
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.02)


@pytest.mark.django_db(transaction=True)
def test_a_worker_answers_for_the_bot_soon_after_the_player(player: Player, celery_worker: Any) -> None:
    match = practise(player)
    bob_acts(match, EventKind.READY)
    soon(lambda: due.state_of(live_of(match)).match.phase is not Phase.OPENING)
    soon(lambda: live_of(match).bot_since is None)
