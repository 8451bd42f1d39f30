"""What the event stream says after an action makes up what a reader would get by reading the match again."""

import json
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from rest_framework.utils.encoders import JSONEncoder

from engine.actions import Act, Phase
from matches.access import MatchSeat
from matches.play.acting import Acted
from matches.play.api import as_json
from matches.play.directing import Ruling, rule
from matches.play.live import EventKind
from matches.play.public_state import streamed_state
from matches.play.watching import watched
from players.actors import Actor
from players.models import User
from tests.matches.play.conftest import BOB, CAROL, Board
from tests.tiers import first_in_make_test

pytestmark = pytest.mark.django_db
OTHERWISE_KNOWN = {"seq", "now", "graph", "ping"}
"""Not in the stream's content: sent beside it, or with the answer to the player who has to choose a play."""


def read(board: Board, side: int | None, since: int = 0) -> dict[str, Any]:
    """What a reader gets, as a spectator or a player."""
    seat = MatchSeat(board.match, side, Actor.link(side)) if side is not None else None
    state = as_json(watched(board.live, seat, AnonymousUser(), board.now), since=since)
    return plain(state)


def plain(data: Any) -> Any:
    return json.loads(json.dumps(data, cls=JSONEncoder))


def random_action(board: Board, chance: Random) -> Acted:
    """Let whoever has to act do something that leaves the match going on."""
    game = board.game
    if game.phase is Phase.OPENING:
        return board.do(BOB if not board.state.ready[BOB] else CAROL, EventKind.READY)
    side = game.to_act
    assert side is not None
    if game.phase is Phase.TO_PLAY:
        return board.do(side, Act.PLAY, moves=board.any_play())
    if game.phase is Phase.DOUBLED:
        return board.do(side, chance.choice([Act.TAKE, Act.DROP]))
    if game.phase is Phase.RESIGNED:
        return board.do(side, chance.choice([Act.REFUSE, Act.ACCEPT]))
    if game.may_double and chance.random() < 0.2:
        return board.do(side, Act.DOUBLE)
    if chance.random() < 0.03 and not board.state.offers[side]:
        return board.do(side, Act.RESIGN, value=1)
    return board.do(side, Act.ROLL, play_forced=chance.random() < 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_in_make_test(0, 1, 2, 3))
def test_each_reader_can_do_without_reading_again(board: Board, seed: int) -> None:
    chance, kinds = Random(seed), set()
    for _ in range(60):
        before = {side: read(board, side) for side in (None, BOB, CAROL)}
        board.wait(chance.uniform(0, 3))
        acted = random_action(board, chance)
        kinds |= {action.kind for action in acted.actions}
        text = streamed_state(acted.live, acted.state, acted.actions)
        if board.game.is_over:
            assert text == ""
            break
        content = json.loads(text)
        assert "graph" not in content
        for side, known in before.items():
            expected = read(board, side)
            may = content["may"][side] if side is not None else []
            shown = known | content | {"may": may, "actions": known["actions"] + content["actions"]}
            for key in expected.keys() - OTHERWISE_KNOWN:
                assert shown[key] == expected[key], key
    assert {"roll", "play"} <= kinds


def test_pages_read_again_while_somebody_is_away_and_after_a_ruling(board: Board, alice: User) -> None:
    side = board.open_game()
    acted = board.do(side, Act.PLAY, moves=board.any_play())
    assert streamed_state(acted.live, acted.state, acted.actions)
    away = acted.state._replace(
        absences=(acted.state.absences[0].begun(0, already=0, page_closed=True), acted.state.absences[1])
    )
    assert streamed_state(acted.live, away, acted.actions) == ""
    ruling = Ruling(EventKind.ADJUST_CLOCK, acted.live.last, side=BOB, value=1000, reason="started late")
    rule(match=board.match, ruling=ruling, by=Actor.of(alice), now=board.now)
    live = board.live
    assert streamed_state(live, board.state, list(live.actions.order_by("-seq")[:1])) == ""
