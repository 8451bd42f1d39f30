"""The dice of a match played here: chains kept by the players' devices or by the server."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from engine.actions import Act, Phase
from engine.dice import Chain, ChainTag
from engine.records.mat_writer import write_mat
from engine.records.native_json import write_json
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import Action, DiceChain, DiceSecret, LiveMatch
from matches.play.chains import MAX_ARMINGS
from matches.play.dice import dice_of
from matches.play.directing import Ruling, rule
from matches.play.live import EventKind
from matches.play.starting import PlaySettings, commit_chain, start
from matches.play.transcripts import transcript_of
from players.actors import Actor
from players.models import LogEntry, Player
from tests.matches.play.conftest import BOB, CAROL, START, Board, refused

SCRIPT = Path(__file__).resolve().parents[3] / "verify" / "verify_dice.py"


class Device:
    """A player's browser, which keeps a chain and reveals one link after the other."""

    def __init__(self, board: Board, side: int, number: int = 1) -> None:
        secret = hashlib.sha256(f"{side} {number}".encode()).digest()
        self.chain = Chain.from_secret(ChainTag(board.match.public_id, str(side), number), secret)
        self.board, self.side, self.revealed = board, side, 0
        self.arm()

    def arm(self) -> None:
        """Open the board on this device."""
        commit_chain(
            match=self.board.match,
            side=self.side,
            anchor=self.chain.anchor.hex(),
            by=Actor.of(self.board.users[self.side]),
            now=self.board.now,
        )

    def next_link(self) -> str:
        self.revealed += 1
        return self.chain.link(self.revealed).hex()

    def roll(self, **fields):
        return self.board.do(self.side, Act.ROLL, link=self.next_link(), **fields)

    def play(self, **fields):
        """Play any legal play, as a page does: with a link."""
        return self.board.do(self.side, Act.PLAY, moves=self.board.any_play(), link=self.next_link(), **fields)


@pytest.fixture
def own_board(match, users, alice) -> Board:
    """Opened without a clock; nobody has committed to a chain."""
    start(match=match, settings=PlaySettings(), by=Actor.of(alice), now=START)
    return Board(match, users)


@pytest.fixture
def devices(own_board) -> list[Device]:
    return [Device(own_board, side) for side in (BOB, CAROL)]


def play_turns(board: Board, devices: list[Device], turns: int) -> None:
    """Both are ready, then roll in turn; they play without a link, as API clients may."""
    for device in devices:
        board.do(device.side, EventKind.READY, link=device.next_link())
    for _ in range(turns):
        if board.game.phase is Phase.TO_PLAY:
            board.do(board.game.turn, Act.PLAY, moves=board.any_play())
        devices[board.game.turn].roll()


def verify(live: LiveMatch, tmp_path: Path, export: dict | None = None) -> str:
    """What the script says of a match and its record, or of another proof with that record."""
    (tmp_path / "match.json").write_text(json.dumps(export or dice_of(live)))
    sentences = set()
    for name, record in (
        ("record.json", write_json(transcript_of(live))),
        ("record.mat", write_mat(transcript_of(live))),
    ):
        (tmp_path / name).write_bytes(record)
        command = [sys.executable, "-I", str(SCRIPT), str(tmp_path / "match.json"), "--record", str(tmp_path / name)]
        sentences.add(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    (sentence,) = sentences
    return sentence


def confirmed(rolls: int, *, weak: int = 0) -> str:
    """What the script says where nothing is wrong."""
    marked = f", {weak} of them marked weak" if weak else ""
    return f"All {rolls} rolls follow from the committed chains{marked} and are those of the record.\n"


def test_the_export_is_confirmed_by_the_script(own_board, devices, tmp_path):
    play_turns(own_board, devices, 12)
    assert verify(own_board.live, tmp_path) == confirmed(13)


def test_the_export_of_chains_kept_by_the_server_is_confirmed_too(board, tmp_path):
    mover = board.open_game()
    board.do(mover, Act.PLAY, moves=board.any_play())
    board.do(1 - mover, Act.ROLL)
    assert verify(board.live, tmp_path) == confirmed(2)
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
        own_board.do(BOB, EventKind.READY, link="00" * 32)


def test_the_server_keeps_a_chain_only_where_that_is_allowed(own_board, users):
    with refused("server_chains_off"):
        commit_chain(match=own_board.match, side=BOB, anchor="", by=Actor.of(users[BOB]), now=START)


class Phones(list[Device]):
    """The devices of one player, who changes between them."""

    def __init__(self, board: Board, side: int, first: Device, count: int) -> None:
        super().__init__([first])
        for number in range(2, count + 1):
            board.wait(60)
            self.append(Device(board, side, number=number))
        self.current = first

    def change(self, to: int) -> None:
        """Open the board on another device."""
        self.current = self[to % len(self)]
        self.current.arm()


@pytest.fixture
def long_board(users, alice) -> Board:
    """A match to 25 points without a clock, long enough for fifty changes of device."""
    first, second = (Player.objects.create(name=user.display_name, user=user) for user in users)
    (match,) = open_matches([Opening((first, second), 25)], settings=MatchSettings(), by=Actor.of(alice), now=START)
    start(match=match, settings=PlaySettings(), by=Actor.of(alice), now=START)
    return Board(match, users)


def take_turn(board: Board, device: Device, *, before_play=lambda: None) -> None:
    """Roll and play on this device, and both get ready for the next game where this one is over."""
    device.roll()
    before_play()
    if board.game.phase is Phase.TO_PLAY:
        device.play()


def play_to_turn_of(side: int, board: Board, carol: Device, bob: Phones, *, changes: Callable[[], None]) -> None:
    """Play on until a side is to roll; Bob changes devices in Carol's turn by `changes`."""
    while True:
        if board.game.phase is Phase.OPENING:
            for device in (bob.current, carol):
                board.do(device.side, EventKind.READY, link=device.next_link())
        elif board.game.phase is Phase.TO_PLAY:
            (bob.current if board.game.turn == BOB else carol).play()
        elif board.game.turn == side:
            return
        elif board.game.turn == CAROL:
            take_turn(board, carol, before_play=changes)
        else:
            take_turn(board, bob.current)


@pytest.mark.slow
def test_forty_changes_of_device_in_the_opponents_turn_are_not_noticed(long_board, tmp_path):
    """Bob moves between five devices while Carol thinks about her play; no roll waits and none is weak."""
    bob, carol = Phones(long_board, BOB, Device(long_board, BOB), 5), Device(long_board, CAROL)
    bob.change(0)
    for change in range(40):
        play_to_turn_of(CAROL, long_board, carol, bob, changes=lambda: None)
        take_turn(long_board, carol, before_play=partial(bob.change, change + 1))
        if long_board.game.phase is Phase.OPENING:
            continue
        take_turn(long_board, bob.current)
    rolls = dice_of(long_board.live)["rolls"]
    used = {link["chain"] for roll in rolls for link in roll["links"] if link["owner"] == "0"}
    assert used == {1, 2, 3, 4, 5}
    assert not any(roll["weak"] for roll in rolls)
    assert DiceChain.objects.filter(live=long_board.live, owner=BOB).count() == 5
    assert verify(long_board.live, tmp_path) == confirmed(len(rolls))


def test_ten_changes_in_ones_own_turn_make_weak_rolls_without_a_wait(long_board, tmp_path):
    bob, carol = Phones(long_board, BOB, Device(long_board, BOB), 5), Device(long_board, CAROL)
    bob.change(0)
    for change in range(10):
        play_to_turn_of(BOB, long_board, carol, bob, changes=lambda: None)
        bob.change(change + 1)
        take_turn(long_board, bob.current)
    rolls = dice_of(long_board.live)["rolls"]
    assert sum(roll["weak"] for roll in rolls) == 10
    assert verify(long_board.live, tmp_path) == confirmed(len(rolls), weak=10)


def test_a_new_device_rolls_in_full_after_the_opponents_play(own_board, devices, tmp_path):
    play_turns(own_board, devices, 3)
    mover = devices[own_board.game.turn]
    waits = 1 - mover.side
    devices[waits] = Device(own_board, waits, number=2)
    mover.play()
    devices[waits].roll()
    assert not dice_of(own_board.live)["rolls"][-1]["weak"]
    assert verify(own_board.live, tmp_path) == confirmed(5)


def test_a_device_that_was_opened_in_ones_own_turn_leaves_the_other_in_force(own_board, devices, tmp_path):
    """Bob looks at the board on his phone, then rolls on his laptop."""
    play_turns(own_board, devices, 3)
    devices[own_board.game.turn].play()
    roller = own_board.game.turn
    Device(own_board, roller, number=2)
    devices[roller].roll()
    assert verify(own_board.live, tmp_path) == confirmed(5)


def test_a_device_serves_only_once_the_opponents_device_has_seen_it_armed(own_board, devices, tmp_path):
    """Carol's page had not heard of Bob's new phone when it sent her play; her link may have been known before."""
    play_turns(own_board, devices, 3)
    mover = devices[own_board.game.turn]
    waits = 1 - mover.side
    devices[waits] = Device(own_board, waits, number=2)
    mover.play(seen=1)
    devices[waits].roll()
    assert verify(own_board.live, tmp_path) == confirmed(5, weak=1)


def test_a_client_that_has_seen_nothing_makes_no_roll_of_its_opponent_weak(own_board, devices, tmp_path):
    """Carol's client sends `"seen": 0` with every link. Only Bob's first roll may be weak by that, and names Carol."""
    bob, carol = devices
    own_board.do(BOB, EventKind.READY, link=bob.next_link())
    own_board.do(CAROL, EventKind.READY, link=carol.next_link(), seen=0)
    for _ in range(12):
        if own_board.game.phase is Phase.TO_PLAY:
            devices[own_board.game.turn].play(**({"seen": 0} if own_board.game.turn == CAROL else {}))
        devices[own_board.game.turn].roll(**({"seen": 0} if own_board.game.turn == CAROL else {}))
    opening, *rolls = dice_of(own_board.live)["rolls"]
    assert (opening["weak"], opening["weak_by"]) == (True, {"0": "1"})
    assert len(rolls) == 12
    assert not any(roll["weak"] for roll in rolls)
    assert verify(own_board.live, tmp_path) == confirmed(13, weak=1)


def test_a_client_cannot_unlearn_a_device_that_it_has_seen_rolling(own_board, devices, tmp_path):
    """Bob comes back to his laptop in Carol's turn; her client knows of both devices, whatever it says."""
    play_turns(own_board, devices, 3)
    mover = devices[own_board.game.turn]
    waits = 1 - mover.side
    phone = Device(own_board, waits, number=2)
    mover.play()
    phone.roll()
    phone.play()
    mover.roll(seen=0)
    mover.play(seen=0)
    phone.roll()
    assert not any(roll["weak"] for roll in dice_of(own_board.live)["rolls"])
    assert verify(own_board.live, tmp_path) == confirmed(7)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"weak_by": {"0": "0", "1": "0"}}, "Roll 5 is marked as weak by the wrong side."),
        ({"weak_by": {}}, "Roll 5 is marked as weak by the wrong side."),
    ],
)
def test_a_weak_roll_that_names_the_wrong_side_is_noticed(change, sentence, changed_in_own_turn, tmp_path):
    (doing,) = dice_of(changed_in_own_turn)["rolls"][-1]["weak_by"].items()
    assert doing[0] == doing[1]
    assert sentence in verify(changed_in_own_turn, tmp_path, altered(dice_of(changed_in_own_turn), **change))


def test_a_link_that_leaves_out_what_the_board_showed_is_noticed(own_board, devices, tmp_path):
    play_turns(own_board, devices, 3)
    export = dice_of(own_board.live)
    link = export["rolls"][-1]["links"][0]
    forged = altered(export, links=[link | {"seen": 0}])
    assert "has a link that has not seen armings that the board showed" in verify(own_board.live, tmp_path, forged)


def test_a_side_that_was_ready_on_one_device_rolls_the_opening_with_its_chain(own_board, devices, tmp_path):
    """Bob is ready on his laptop and opens his phone before Carol is ready: the laptop's chain is in force."""
    own_board.do(BOB, EventKind.READY, link=devices[BOB].next_link())
    phone = Device(own_board, BOB, number=2)
    own_board.do(CAROL, EventKind.READY, link=devices[CAROL].next_link())
    assert verify(own_board.live, tmp_path) == confirmed(1)
    devices[BOB] = phone
    devices[own_board.game.turn].play()
    devices[own_board.game.turn].roll()
    assert not any(roll["weak"] for roll in dice_of(own_board.live)["rolls"])


def test_at_most_one_new_device_joins_in_a_minute(own_board, devices):
    Device(own_board, BOB, number=2)
    with refused("new_chain_too_soon"):
        Device(own_board, BOB, number=3)
    devices[BOB].arm()
    own_board.wait(60)
    Device(own_board, BOB, number=3)
    Device(own_board, CAROL, number=2)


def test_two_devices_that_join_at_once_do_not_take_the_same_number(own_board, devices, users):
    with refused("chain_number_taken"):
        commit_chain(
            match=own_board.match, side=BOB, anchor="ab" * 32, number=1, by=Actor.of(users[BOB]), now=own_board.now
        )


def test_changes_without_a_link_in_between_are_limited(own_board, devices):
    phone = Device(own_board, BOB, number=2)
    for _ in range(MAX_ARMINGS // 2 - 1):
        devices[BOB].arm()
        phone.arm()
    with refused("too_many_armings"):
        devices[BOB].arm()
    own_board.do(BOB, EventKind.READY, link=phone.next_link())
    devices[BOB].arm()


def test_a_play_without_a_link_leaves_the_next_roll_as_it_was(own_board, devices, tmp_path):
    """An API client that reveals no link with a play: what was armed since its roll is not yet in force."""
    play_turns(own_board, devices, 3)
    mover = own_board.game.turn
    devices[1 - mover] = Device(own_board, 1 - mover, number=2)
    own_board.do(mover, Act.PLAY, moves=own_board.any_play())
    devices[1 - mover].roll()
    assert verify(own_board.live, tmp_path) == confirmed(5, weak=1)


def altered(export: dict, **changes: object) -> dict:
    """The proof with another last roll."""
    *rolls, last = export["rolls"]
    return export | {"rolls": [*rolls, last | changes]}


@pytest.fixture
def changed_in_own_turn(own_board, devices) -> LiveMatch:
    """Rolls 1 to 4 are full, 5 is weak."""
    play_turns(own_board, devices, 3)
    devices[own_board.game.turn].play()
    Device(own_board, own_board.game.turn, number=2).roll()
    return own_board.live


def test_a_weak_roll_turned_strong_is_noticed(changed_in_own_turn, tmp_path):
    assert verify(changed_in_own_turn, tmp_path) == confirmed(5, weak=1)
    forged = altered(dice_of(changed_in_own_turn), weak=False)
    assert "Roll 5 uses a chain that was not in force" in verify(changed_in_own_turn, tmp_path, forged)


def test_a_strong_roll_turned_weak_is_noticed(own_board, devices, tmp_path):
    play_turns(own_board, devices, 4)
    forged = altered(dice_of(own_board.live), weak=True)
    assert "Roll 5 uses the chain in force, but is marked weak" in verify(own_board.live, tmp_path, forged)


def test_a_missing_last_roll_is_noticed_beside_the_record(own_board, devices, tmp_path):
    play_turns(own_board, devices, 4)
    own_board.do(own_board.game.turn, Act.PLAY, moves=own_board.any_play())
    export = dice_of(own_board.live)
    forged = export | {"rolls": export["rolls"][:-1]}
    assert "The proof has 4 rolls that were played, the record 5" in verify(own_board.live, tmp_path, forged)


def ready_with_new_chain(board: Board, devices: list[Device], *, before_bob: bool) -> None:
    """Carol commits to a second chain before or after Bob is ready, then both are ready."""
    if before_bob:
        devices[CAROL] = Device(board, CAROL, number=2)
    board.do(BOB, EventKind.READY, link=devices[BOB].next_link())
    if not before_bob:
        devices[CAROL] = Device(board, CAROL, number=2)
    board.wait(10)
    board.do(CAROL, EventKind.READY, link=devices[CAROL].next_link())


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
    own_board.do(BOB, EventKind.READY, link=link)
    for kind in (Act.ADJOURN, Act.RESUME):
        ruling = Ruling(kind, own_board.live.last)
        rule(match=own_board.match, ruling=ruling, by=Actor.of(alice), now=own_board.now)
    with refused("bad_link"):
        own_board.do(BOB, EventKind.READY, link=devices[BOB].next_link())
    own_board.do(BOB, EventKind.READY, link=link)
    own_board.do(CAROL, EventKind.READY, link=devices[CAROL].next_link())
    assert verify(own_board.live, tmp_path) == confirmed(1)


def test_committing_to_the_same_chain_again_changes_nothing(own_board, devices):
    again = Device(own_board, BOB)
    play_turns(own_board, [again, devices[CAROL]], 2)
    assert DiceChain.objects.filter(live=own_board.live, owner=BOB).count() == 1
    assert LogEntry.objects.filter(verb="dice_chain_committed").count() == 2


def test_a_first_chain_made_when_the_opponent_was_ready_already_is_weak_but_does_not_wait(own_board, tmp_path):
    """Carol, if she ran the server, could have tried many chains before she committed to this one."""
    bob = Device(own_board, BOB)
    own_board.do(BOB, EventKind.READY, link=bob.next_link())
    carol = Device(own_board, CAROL)
    own_board.do(CAROL, EventKind.READY, link=carol.next_link())
    assert verify(own_board.live, tmp_path) == confirmed(1, weak=1)
    Action.objects.filter(live=own_board.live, kind=Act.ROLL).update(
        data=dice_of(own_board.live)["rolls"][0] | {"weak": False}
    )
    assert "uses a chain that was not in force and is not marked weak" in verify(own_board.live, tmp_path)
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
