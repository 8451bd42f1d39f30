"""The dice of a match played here: chains kept by the players' devices or by the server."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.actions import Act, Phase
from engine.dice import Chain, ChainTag
from matches.models import Action, DiceChain, DiceSecret, LiveMatch
from matches.play.dice_export import dice_of
from matches.play.live import Kind
from matches.play.services.chains import MOST_CHAINS
from matches.play.services.directing import Ruling, rule
from matches.play.services.starting import PlaySettings, commit_chain, start
from players.actors import Actor
from players.models import LogEntry
from tests.matches.play.conftest import BOB, CAROL, START, Board, refused

SCRIPT = Path(__file__).resolve().parents[3] / "tools" / "verify_dice.py"


class Device:
    """A player's browser, which keeps a chain and reveals one link after the other."""

    def __init__(self, board: Board, side: int, number: int = 1) -> None:
        secret = hashlib.sha256(f"{side} {number}".encode()).digest()
        self.chain = Chain.from_secret(ChainTag(board.match.public_id, str(side), number), secret)
        self.board, self.side, self.revealed = board, side, 0
        commit_chain(
            match=board.match,
            side=side,
            anchor=self.chain.anchor.hex(),
            by=Actor.of(board.users[side]),
            now=board.now,
        )

    def next_link(self) -> str:
        self.revealed += 1
        return self.chain.link(self.revealed).hex()

    def roll(self, **fields):
        return self.board.do(self.side, Act.ROLL, link=self.next_link(), **fields)


@pytest.fixture
def own_board(match, users, alice) -> Board:
    """Opened without a clock; nobody has committed to a chain."""
    start(match=match, settings=PlaySettings(), by=Actor.of(alice), now=START)
    return Board(match, users)


@pytest.fixture
def devices(own_board) -> list[Device]:
    return [Device(own_board, side) for side in (BOB, CAROL)]


def play_turns(board: Board, devices: list[Device], turns: int) -> None:
    for device in devices:
        board.do(device.side, Kind.READY, link=device.next_link())
    for _ in range(turns):
        if board.game.phase is Phase.TO_PLAY:
            plays = board.game.legal_plays()
            board.do(board.game.turn, Act.PLAY, moves=board.any_play() if plays else ())
        devices[board.game.turn].roll()


def verify(live: LiveMatch, tmp_path: Path) -> str:
    (tmp_path / "match.json").write_text(json.dumps(dice_of(live)))
    command = [sys.executable, "-I", str(SCRIPT), str(tmp_path / "match.json")]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def test_the_export_is_confirmed_by_the_script(own_board, devices, tmp_path):
    play_turns(own_board, devices, 12)
    assert verify(own_board.live, tmp_path) == "All 13 rolls follow from the committed chains.\n"


def test_the_export_of_chains_kept_by_the_server_is_confirmed_too(board, tmp_path):
    mover = board.open_game()
    board.do(mover, Act.PLAY, moves=board.any_play())
    board.do(1 - mover, Act.ROLL)
    assert verify(board.live, tmp_path) == "All 2 rolls follow from the committed chains.\n"
    assert all(chain["kept_by_server"] for chain in dice_of(board.live)["chains"] if chain["owner"] != "server")


def test_a_wrong_link_a_repeated_one_and_none_are_refused(own_board, devices):
    play_turns(own_board, devices, 0)
    mover = own_board.game.turn
    own_board.do(mover, Act.PLAY, moves=own_board.any_play())
    device = devices[1 - mover]
    used = device.chain.link(1).hex()
    for link in ("", "00" * 32, used, device.chain.link(3).hex(), device.chain.link(2).hex().upper(), "no link"):
        with refused("bad_link"):
            own_board.do(device.side, Act.ROLL, link=link)
    assert own_board.game.phase is Phase.TO_ROLL
    device.roll()
    assert own_board.game.phase is Phase.TO_PLAY


def test_no_link_is_revealed_before_its_roll(own_board, devices):
    """What anybody can read holds the links of the rolls made, and no other."""
    play_turns(own_board, devices, 4)
    export = json.dumps(dice_of(own_board.live))
    server = DiceChain.objects.get(live=own_board.live, owner="server")
    kept = Chain.from_checkpoints(
        ChainTag(own_board.match.public_id, "server"), bytes(DiceSecret.objects.get(chain=server).checkpoints)
    )
    assert kept.link(5).hex() in export
    assert kept.link(6).hex() not in export
    assert not DiceSecret.objects.exclude(chain=server).exists()


def test_ready_takes_a_chain(own_board):
    with refused("no_chain"):
        own_board.do(BOB, Kind.READY, link="00" * 32)


def test_the_server_keeps_a_chain_only_where_that_is_allowed(own_board, users):
    with refused("server_chains_off"):
        commit_chain(match=own_board.match, side=BOB, anchor="", by=Actor.of(users[BOB]), now=START)


def test_a_new_chain_waits_for_a_link_of_the_opponent_or_ten_seconds(own_board, devices, tmp_path):
    play_turns(own_board, devices, 3)
    own_board.do(own_board.game.turn, Act.PLAY, moves=own_board.any_play() if own_board.game.legal_plays() else ())
    roller = own_board.game.turn
    lost = Device(own_board, roller, number=2)
    devices[roller] = lost
    link = lost.next_link()
    with refused("chain_waits"):
        own_board.do(roller, Act.ROLL, link=link)
    own_board.wait(10)
    own_board.do(roller, Act.ROLL, link=link)
    assert dice_of(own_board.live)["rolls"][-1]["weak"]
    assert verify(own_board.live, tmp_path).endswith("1 of them marked weak.\n")


def test_a_new_chain_is_as_good_as_the_first_once_the_opponent_has_rolled(own_board, devices, tmp_path):
    play_turns(own_board, devices, 3)
    own_board.do(own_board.game.turn, Act.PLAY, moves=own_board.any_play() if own_board.game.legal_plays() else ())
    waits = 1 - own_board.game.turn
    devices[waits] = Device(own_board, waits, number=2)
    devices[1 - waits].roll(play_forced=True)
    if own_board.game.phase is Phase.TO_PLAY:
        own_board.do(1 - waits, Act.PLAY, moves=own_board.any_play())
    devices[waits].roll()
    assert not dice_of(own_board.live)["rolls"][-1]["weak"]
    assert "weak" not in verify(own_board.live, tmp_path)


def ready_with_new_chain(board: Board, devices: list[Device], *, before_bob: bool) -> None:
    """Carol commits to a second chain before or after Bob is ready, then both are ready."""
    if before_bob:
        devices[CAROL] = Device(board, CAROL, number=2)
    board.do(BOB, Kind.READY, link=devices[BOB].next_link())
    if not before_bob:
        devices[CAROL] = Device(board, CAROL, number=2)
    board.wait(10)
    board.do(CAROL, Kind.READY, link=devices[CAROL].next_link())


@pytest.mark.parametrize("before_bob", [True, False])
def test_an_opening_is_weak_if_the_other_link_was_known_when_the_chain_was_committed(
    before_bob, own_board, devices, tmp_path
):
    ready_with_new_chain(own_board, devices, before_bob=before_bob)
    (opening,) = dice_of(own_board.live)["rolls"]
    assert opening["weak"] == (not before_bob)
    assert "1 rolls" in verify(own_board.live, tmp_path)


def test_a_side_that_is_ready_again_reveals_the_same_link(own_board, devices, alice, tmp_path):
    """Bob was ready when the match was adjourned: roll 1 has one link of his, whatever happens in between."""
    link = devices[BOB].next_link()
    own_board.do(BOB, Kind.READY, link=link)
    for kind in (Act.ADJOURN, Act.RESUME):
        ruling = Ruling(kind, own_board.live.last)
        rule(match=own_board.match, ruling=ruling, by=Actor.of(alice), now=own_board.now)
    with refused("bad_link"):
        own_board.do(BOB, Kind.READY, link=devices[BOB].next_link())
    own_board.do(BOB, Kind.READY, link=link)
    own_board.do(CAROL, Kind.READY, link=devices[CAROL].next_link())
    assert verify(own_board.live, tmp_path) == "All 1 rolls follow from the committed chains.\n"


def test_committing_to_the_same_chain_again_changes_nothing(own_board, devices):
    again = Device(own_board, BOB)
    play_turns(own_board, [again, devices[CAROL]], 2)
    assert DiceChain.objects.filter(live=own_board.live, owner=BOB).count() == 1
    assert LogEntry.objects.filter(verb="dice_chain_committed").count() == 2


def test_a_first_chain_made_when_the_opponent_was_ready_already_is_weak_but_does_not_wait(own_board, tmp_path):
    """Carol, if she ran the server, could have tried many chains before she committed to this one."""
    bob = Device(own_board, BOB)
    own_board.do(BOB, Kind.READY, link=bob.next_link())
    carol = Device(own_board, CAROL)
    own_board.do(CAROL, Kind.READY, link=carol.next_link())
    assert verify(own_board.live, tmp_path) == "All 1 rolls follow from the committed chains, 1 of them marked weak.\n"
    Action.objects.filter(live=own_board.live, kind=Act.ROLL).update(
        data=dice_of(own_board.live)["rolls"][0] | {"weak": False}
    )
    assert "uses a chain too early and is not marked weak" in verify(own_board.live, tmp_path)
    while own_board.game.turn == CAROL or own_board.game.phase is not Phase.TO_ROLL:
        own_board.do(own_board.game.turn, Act.PLAY, moves=own_board.any_play())
        if own_board.game.turn == CAROL:
            carol.roll()
            assert dice_of(own_board.live)["rolls"][-1]["weak"], "Bob has not rolled yet"
    bob.roll(play_forced=True)
    if own_board.game.phase is Phase.TO_PLAY:
        own_board.do(BOB, Act.PLAY, moves=own_board.any_play())
    carol.roll()
    assert not dice_of(own_board.live)["rolls"][-1]["weak"]


def test_the_chains_of_a_player_are_limited(own_board, devices):
    for number in range(2, MOST_CHAINS + 1):
        Device(own_board, BOB, number=number)
    with refused("too_many_chains"):
        Device(own_board, BOB, number=MOST_CHAINS + 1)
    Device(own_board, CAROL, number=2)
