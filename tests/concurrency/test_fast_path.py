"""Ordinary actions lock nothing: whoever compares and sets the number of the match first has acted, and nobody else.

All threads have read the match, and found that they may act, before any of them writes.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse

from engine.actions import Act
from matches.models import Action, DiceChain, Match
from matches.play import fast_path
from matches.play.transcripts import differences_of
from players.models import AccountSession
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import TOGETHER, at_once
from tests.matches.play.conftest import Board, board, match, users
from tests.matches.play.test_fast_path import Pages, is_short, wish

__all__ = ["board", "match", "users"]

pytestmark = [*POSTGRESQL_ONLY, pytest.mark.usefixtures("valkey")]
AT_ONCE = 4
ROUNDS = 3
WITHOUT_COMPARING = "UPDATE matches_match SET seq = seq + 1 WHERE id = %s AND seq >= %s AND state = 'live'"


def race(*sends: Callable[[], Any]) -> list[Any]:
    """Send requests at once; whoever takes the fast path writes once all others are about to, or have been answered."""
    all_have_read = threading.Barrier(len(sends))

    def run(send: Callable[[], Any]) -> Any:
        has_waited = False

        def wait() -> None:
            nonlocal has_waited
            if not has_waited:
                has_waited = True
                with suppress(threading.BrokenBarrierError):
                    all_have_read.wait(TOGETHER)

        def execute(execute: Callable[..., Any], sql: str, *args: Any) -> Any:
            if sql == fast_path.MATCH:
                wait()
            return execute(sql, *args)

        with connection.execute_wrapper(execute):
            try:
                return send()
            finally:
                wait()

    return at_once(*(partial(run, send) for send in sends))


@pytest.fixture
def tabs(board: Board) -> list[Pages]:
    """Both players with several sessions each, all of which have acted before: the others repeat each first action."""
    board.open_game()
    tabs, acted = [Pages(board) for _ in range(AT_ONCE)], set()
    while len(acted) < 2:
        side, body = wish(board, Random(1))
        answers = [each.plain(side, body, f"first{body['after']}") for each in tabs]
        assert {answer.status_code for answer in answers} == {200}
        acted.add(side)
    return tabs


def next_of(pages: Pages, kind: str) -> tuple[int, dict[str, Any]]:
    """Play until a side has to act so."""
    while True:
        side, body = wish(pages.board, Random(1))
        if body["kind"] == kind:
            return side, body
        assert pages.short(side, body).status_code == 200


def actions(board: Board) -> int:
    """How many rows the match has; they are numbered in order, and its state follows from them."""
    assert list(differences_of(board.live)) == []
    return Action.objects.filter(live=board.match.pk).count()


def roll_at_once(tabs: list[Pages], *, same_key: bool = False) -> list[HttpResponse]:
    """All tabs of a player send the same roll, each with a key of its own or all with one."""
    side, body = next_of(tabs[0], Act.ROLL)
    key = f"roll{body['after']}"
    keys = [key if same_key else f"{key}-{number}" for number in range(len(tabs))]
    return race(*(partial(pages.short, side, body, key) for pages, key in zip(tabs, keys, strict=True)))


def test_the_same_action_at_once_is_one_action(tabs: list[Pages]) -> None:
    for _ in range(ROUNDS):
        answers = roll_at_once(tabs)
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * (AT_ONCE - 1)
        assert [is_short(answer) for answer in answers if answer.status_code == 200] == [True]
        assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"stale"}
        assert actions(tabs[0].board) == max(answer.json().get("last", 0) for answer in answers)


def test_an_action_that_is_repeated_at_once_is_answered_the_same(tabs: list[Pages]) -> None:
    for _ in range(ROUNDS):
        answers = roll_at_once(tabs, same_key=True)
        assert {answer.status_code for answer in answers} == {200}
        assert sum(map(is_short, answers)) == 1
        assert {answer.json()["last"] for answer in answers} == {actions(tabs[0].board)}


def test_control_without_comparing_the_number_all_of_them_act(
    tabs: list[Pages], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_path, "MATCH", WITHOUT_COMPARING)
    with without_constraint():
        before = Action.objects.count()
        answers = roll_at_once(tabs)
        assert {answer.status_code for answer in answers} == {200}
        assert Action.objects.count() >= before + AT_ONCE


@contextmanager
def without_constraint() -> Iterator[None]:
    """Let two actions of a match have one number."""
    (constraint,) = (each for each in Action._meta.constraints if each.name == "action_seq_once")
    with connection.schema_editor() as editor:
        editor.remove_constraint(Action, constraint)
    try:
        yield
    finally:
        Action.objects.all().delete()
        with connection.schema_editor() as editor:
            editor.add_constraint(Action, constraint)


@pytest.mark.parametrize("start", [race, at_once])
def test_whoever_signs_out_while_they_act_acts_once_at_most(tabs: list[Pages], start: Callable[..., list[Any]]) -> None:
    for pages in tabs:
        side, body = next_of(pages, Act.ROLL)
        before = actions(pages.board)
        session = AccountSession.objects.filter(session_key=pages.clients[side].cookies["sessionid"].value)
        answer, (count, _) = start(partial(pages.short, side, body), session.delete)
        assert count == 1
        # As in the view, what was let in before the sign-out may be written after it.
        assert answer.status_code in (200, 401)
        assert (actions(pages.board) > before) is (answer.status_code == 200)
        before = actions(pages.board)
        refused = pages.short(side, wish(pages.board, Random(1))[1])
        assert (refused.status_code, is_short(refused)) == (401, False)
        assert actions(pages.board) == before


def test_a_roll_and_a_chain_of_the_opponent_at_once_both_count(tabs: list[Pages]) -> None:
    pages, other = tabs[0], tabs[1]
    side, body = next_of(pages, Act.ROLL)
    seq = Match.objects.get(pk=pages.board.match.pk).seq
    chains = f"{pages.path}chains/"
    has_read, is_armed = threading.Event(), threading.Event()

    def execute(execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        if sql == fast_path.MATCH:
            has_read.set()
            assert is_armed.wait(TOGETHER)
        return execute(sql, *args)

    def roll() -> HttpResponse:
        with connection.execute_wrapper(execute):
            return pages.short(side, body)

    def arm() -> Any:
        assert has_read.wait(TOGETHER)
        try:
            return other.clients[1 - side].post(chains, {"anchor": "ab" * 32}, content_type="application/json")
        finally:
            is_armed.set()

    rolled, armed = at_once(roll, arm)
    assert (rolled.status_code, armed.status_code) == (200, 200)
    # Each has a number of its own, so that every page notices both, and the roll is of the chains as they are now.
    assert Match.objects.get(pk=pages.board.match.pk).seq == seq + 2
    assert not is_short(rolled)
    assert len(rolled.json()["chains"]) == DiceChain.objects.filter(live=pages.board.match.pk).count() == 4
    assert actions(pages.board) == rolled.json()["last"]


def test_both_players_at_once_act_in_turn(tabs: list[Pages]) -> None:
    for _ in range(ROUNDS):
        side, body = next_of(tabs[0], Act.PLAY)
        roll = {"kind": Act.ROLL, "after": body["after"] + 1}
        played, rolled = race(partial(tabs[0].short, side, body), partial(tabs[1].short, 1 - side, roll))
        assert (played.status_code, is_short(played)) == (200, True)
        # The roll is ahead of the play, or after it.
        assert rolled.status_code in (200, 409)
        assert actions(tabs[0].board) == max(answer.json().get("last", 0) for answer in (played, rolled))
