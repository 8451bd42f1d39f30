"""A match that is being played here ends by what happens to its event, and no action of an open page is taken then."""

from random import Random

import pytest

from engine.actions import Act, Phase
from engine.clock import MINUTE, SECOND, ClockSettings
from matches.models import LiveMatch, Match
from matches.play import due
from matches.play.acting import ActionInput, act
from matches.play.directing import Ruling, rule
from matches.play.live import EventKind
from matches.play.starting import PlaySettings, commit_chain, start
from players.actors import SYSTEM
from tests.event_cast import RunningEvent
from tests.matches.play.conftest import START, Board
from tests.matches.play.test_fast_path import Pages, is_short, rows, wish
from tests.tournaments.support.correcting import KNOCKOUT, LATER, Cup, integrity_differences, won_by
from tournaments.entries.services import withdraw_from_event

pytestmark = pytest.mark.django_db


def test_a_board_comes_back_with_its_players() -> None:
    cup = Cup.create(4, KNOCKOUT)
    cup.play(Random(1), most=0)
    first, second = cup.ready()
    for fixture in (first, second):
        cup.report(fixture, won_by(0))
    final = cup.ready()[0]
    match = final.match
    assert match is not None
    settings = PlaySettings(ClockSettings(12 * SECOND, 2 * MINUTE), server_chains=True)
    start(match=match, settings=settings, by=SYSTEM, now=LATER)
    for side in (0, 1):
        commit_chain(match=match, side=side, anchor="", by=SYSTEM, now=LATER)
        act(match=match, side=side, request=ActionInput(EventKind.READY, side), by=SYSTEM, now=LATER)
    board = due.state_of(LiveMatch.objects.get())

    correction = cup.correct(first, won_by(1), voided_rated=False)
    match.refresh_from_db()
    assert match.state == Match.State.VOID
    assert due.state_of(LiveMatch.objects.get()).match.phase is Phase.ADJOURNED
    assert LiveMatch.objects.get().due_at is None
    assert cup.fixture(final.number).match_id != match.pk
    assert integrity_differences() == []

    cup.undo(correction)
    match.refresh_from_db()
    assert match.state == Match.State.LIVE
    assert cup.fixture(final.number).match_id == match.pk
    assert integrity_differences() == []
    live = LiveMatch.objects.get()
    rule(match=match, ruling=Ruling(Act.RESUME, live.last), by=SYSTEM, now=LATER)
    resumed = due.state_of(LiveMatch.objects.get())
    assert resumed.match == board.match
    assert resumed.clock is not None
    assert board.clock is not None
    assert [side.bank for side in resumed.clock.sides] == [side.bank for side in board.clock.sides]
    assert resumed.match.turn is not None
    act(match=match, side=resumed.match.turn, request=ActionInput(Act.CONCEDE, live.last + 1), by=SYSTEM, now=LATER)
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED


@pytest.mark.usefixtures("valkey")
@pytest.mark.postgresql
@pytest.mark.parametrize("who_leaves", [0, 1])
def test_whoever_leaves_the_event_plays_no_more(running: RunningEvent, who_leaves: int) -> None:
    match = running.fixture.match
    assert match is not None
    start(match=match, settings=PlaySettings(server_chains=True), by=SYSTEM, now=START)
    for side in (0, 1):
        commit_chain(match=match, side=side, anchor="", by=SYSTEM, now=START)
    board = Board(match, [player.user for player in match.players])  # type: ignore[misc]
    board.open_game()
    pages = Pages(board)
    ways = []
    while len(ways) < 6 or board.game.to_act != who_leaves:
        ways.append(is_short(pages.short(*wish(board, Random(1)))))
    assert ways[-1]
    side, body = wish(board, Random(1))
    withdraw_from_event(tournament=running.tournament, player=match.players[who_leaves], by=SYSTEM, now=board.now)
    before = rows(match)
    answer = pages.short(side, body)
    assert (answer.status_code, is_short(answer), answer.json()["code"]) == (409, False, "not_live")
    assert rows(match) == before
