"""Positions and match states as short texts: GNU Backgammon IDs and XGID (docs/rules.md §5).

Side *i* is player *i* of GNU Backgammon; in an XGID side 1 is the player at the bottom.
"""

import binascii
import re

from engine.cube import Score, Side
from engine.errors import Refused
from engine.match import MAX_LENGTH, MatchState, Phase
from engine.position import Position
from engine.search import Dice

_FIELDS = (
    ("cube", 4),
    ("owner", 2),
    ("dice_owner", 1),
    ("crawford", 1),
    ("state", 3),
    ("turn", 1),
    ("doubled", 1),
    ("resigned", 2),
    ("die_1", 3),
    ("die_2", 3),
    ("length", 15),
    ("score_0", 15),
    ("score_1", 15),
    ("no_jacoby", 1),
)
"""Fields of a match ID with their bits, from the least significant on."""
_CENTRED = 3
_MATCH_ID_BYTES = 9
_PLAYING, _OVER, _RESIGNED, _DROPPED = 1, 2, 3, 4
_MAX_CUBE_LOG = 10
_MARKS = r"\s\"'`“”„‟‘’‚«»"
_COPIED_XGID = re.compile(rf"[{_MARKS}]*(?:xgid\s*[=:]\s*)?([^{_MARKS}]+)", re.IGNORECASE).match
_COPIED_ID = re.compile(
    rf"[{_MARKS}]*(?:position id\s*[=:]\s*)?([A-Z0-9+/]{{14}})(?![A-Z0-9+/=])", re.IGNORECASE | re.ASCII
).match


def gnubg_match_id(state: MatchState) -> str:
    """Return the GNU Backgammon match ID of a state: 12 characters, used with `state.position.gnubg_id`."""
    on_roll = state.turn if state.turn is not None else 0
    high, low = sorted(state.dice or (0, 0), reverse=True)
    values = {
        "cube": state.cube.bit_length() - 1,
        "owner": _CENTRED if state.cube_owner is None else state.cube_owner,
        "dice_owner": on_roll,
        "crawford": int(state.crawford),
        "state": _gnubg_state(state),
        "turn": state.to_act if state.to_act is not None else on_roll,
        "doubled": int(state.phase is Phase.DOUBLED),
        "resigned": state.resigned[1] if state.resigned else 0,
        "die_1": high,
        "die_2": low,
        "length": state.length,
        "score_0": state.score[0],
        "score_1": state.score[1],
        "no_jacoby": int(not state.jacoby),
    }
    bits = shift = 0
    for name, width in _FIELDS:
        # A cube or score above 32,768 does not fit; it must not spill into the next field.
        bits |= min(values[name], (1 << width) - 1) << shift
        shift += width
    return binascii.b2a_base64(bits.to_bytes(_MATCH_ID_BYTES, "little"), newline=False).decode()


def _gnubg_state(state: MatchState) -> int:
    if not state.is_over:
        return 0 if state.phase is Phase.OPENING else _PLAYING
    last = state.results[-1].kind.value if state.results else ""
    return {"drop": _DROPPED, "resignation": _RESIGNED}.get(last, _OVER)


def parse_gnubg_ids(position_id: str, match_id: str) -> MatchState:
    """Return the state that a position ID and a match ID describe together.

    Raises Refused: `bad_match_id`, and what `Position.from_gnubg_id` raises.
    """
    position = Position.from_gnubg_id(position_id)
    if not isinstance(match_id, str):
        raise Refused("bad_match_id", text=match_id)
    try:
        raw = binascii.a2b_base64(match_id.encode("ascii"), strict_mode=True)
    except (UnicodeEncodeError, binascii.Error):
        raise Refused("bad_match_id", text=match_id) from None
    if len(raw) != _MATCH_ID_BYTES:
        raise Refused("bad_match_id", text=match_id)
    bits = int.from_bytes(raw, "little")
    values = {}
    for name, width in _FIELDS:
        values[name] = bits & (1 << width) - 1
        bits >>= width
    if values["owner"] == 2 or max(values["die_1"], values["die_2"]) > 6 or values["length"] > MAX_LENGTH:
        raise Refused("bad_match_id", text=match_id)
    return _from_gnubg(position, values)


def _from_gnubg(position: Position, values: dict[str, int]) -> MatchState:
    turn, crawford = values["dice_owner"], bool(values["crawford"])
    low, high = sorted((values["die_1"], values["die_2"]))  # gnubg writes the higher die first, whichever fell first
    dice = (high, low) if low else None
    phase = Phase.TO_PLAY if dice else Phase.TO_ROLL
    resigned = None
    if values["resigned"]:
        resigned, phase = (1 - values["turn"], values["resigned"], phase), Phase.RESIGNED
    elif values["doubled"]:
        phase = Phase.DOUBLED
    elif values["state"] > _PLAYING:
        phase = Phase.OVER
    elif not values["state"]:
        phase = Phase.OPENING
    return MatchState(
        length=values["length"],
        score=(values["score_0"], values["score_1"]),
        jacoby=not values["no_jacoby"] and values["length"] == 0,
        position=position,
        turn=None if phase is Phase.OPENING else turn,
        phase=phase,
        dice=dice,
        cube=1 << values["cube"],
        cube_owner=None if values["owner"] == _CENTRED else values["owner"],
        crawford=crawford,
        crawford_played=_crawford_played((values["score_0"], values["score_1"]), values["length"], crawford=crawford),
        resigned=resigned,
    )


def _crawford_played(score: Score, length: int, *, crawford: bool) -> bool:
    """Whether the Crawford game is over: a side is one point short, and this is not the Crawford game."""
    return length > 1 and not crawford and length - 1 in score


def xgid(state: MatchState) -> str:
    """Return the XGID of a state. XGID has no resignations, so one that was offered is left out."""
    return position_xgid(
        state.position,
        turn=state.turn if state.turn is not None else 0,
        dice=state.dice,
        cube=state.cube,
        owner=state.cube_owner,
        doubled=state.phase is Phase.DOUBLED,
        score=state.score,
        crawford=state.crawford,
        jacoby=state.jacoby,
        length=state.length,
    )


def position_xgid(
    position: Position,
    *,
    turn: Side,
    dice: Dice | None,
    cube: int,
    owner: Side | None,
    doubled: bool,
    score: Score,
    crawford: bool,
    jacoby: bool,
    length: int,
) -> str:
    """Return the XGID of a position seen by side `turn`, which is on roll."""
    letters = (position if turn == 1 else position.swapped()).letters
    owned_by = 0 if owner is None else 1 if owner == 1 else -1
    rolled = "D" if doubled else f"{dice[0]}{dice[1]}" if dice else "00"
    flag = int(crawford) if length else int(jacoby)
    fields = (
        letters,
        cube.bit_length() - 1,
        owned_by,
        1 if turn == 1 else -1,
        rolled,
        score[1],
        score[0],
        flag,
        length,
        _MAX_CUBE_LOG,
    )
    return ":".join(map(str, fields))


def parse_xgid(text: str) -> MatchState:
    """Return the state that an XGID describes, with or without the leading `XGID=`. Raises Refused (`bad_xgid`).

    It may stand in quotation marks, and text may follow it, as eXtreme Gammon writes it.
    The player at the bottom is side 1. `B` (beavered) and `R` (raccooned) are read as `D`.
    """
    if not isinstance(text, str):
        raise Refused("bad_xgid", text=text)
    copied = _COPIED_XGID(text)
    fields = copied[1].split(":") if copied else []
    if len(fields) not in (9, 10) or len(fields[0]) != 26:
        raise Refused("bad_xgid", text=text)
    try:
        cube_log, owned_by, turn_mark = (int(field) for field in fields[1:4])
        bottom, top, flag, length = (int(field) for field in fields[5:9])
        dice = _xgid_dice(fields[4])
    except ValueError:
        raise Refused("bad_xgid", text=text) from None
    bounds = 0 <= cube_log <= 15 and min(bottom, top, flag) >= 0 and 0 <= length <= MAX_LENGTH
    bounds = bounds and (length == 0 or max(bottom, top) < length)
    if not bounds or owned_by not in (-1, 0, 1) or turn_mark not in (-1, 1):
        raise Refused("bad_xgid", text=text)
    position = _xgid_position(fields[0], text)
    doubled = fields[4] in ("D", "B", "R")
    crawford = bool(flag) and length > 0
    state = MatchState(
        length=length,
        score=(top, bottom),
        jacoby=length == 0 and bool(flag & 1),
        position=position if turn_mark == 1 else position.swapped(),
        turn=1 if turn_mark == 1 else 0,
        phase=Phase.DOUBLED if doubled else Phase.TO_PLAY if dice else Phase.TO_ROLL,
        dice=dice,
        cube=1 << cube_log,
        cube_owner=None if owned_by == 0 else 1 if owned_by == 1 else 0,
        crawford=crawford,
    )
    return state._replace(crawford_played=_crawford_played((top, bottom), length, crawford=crawford))


def copied_position(text: str) -> str:
    """Return the position in a text that was copied from a program: a position ID or an XGID, as they are written here.

    Raises Refused: what `parse_xgid` and `Position.from_gnubg_id` raise.
    """
    copied = _COPIED_ID(text)
    return Position.from_gnubg_id(copied[1]).gnubg_id if copied else f"XGID={xgid(parse_xgid(text))}"


def _xgid_dice(field: str) -> Dice | None:
    if field in ("D", "B", "R", "00"):
        return None
    if len(field) != 2 or not set(field) <= set("123456"):
        raise ValueError(field)
    return int(field[0]), int(field[1])


def _xgid_position(letters: str, text: str) -> Position:
    try:
        return Position.from_letters(letters)
    except Refused as refused:
        if refused.code == "bad_letters":
            raise Refused("bad_xgid", text=text) from None
        raise
