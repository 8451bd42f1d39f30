"""The replay of a record or of a match played here, as far as its reader may see it."""

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isqrt
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext, ngettext, pgettext
from django.views.decorators.cache import cache_control, never_cache

from core.access import Who, open_to
from core.requests import is_htmx, parse_int
from engine.adjudication import adjudicate
from engine.cube import Side
from engine.errors import Refused
from engine.keys import BAR
from engine.plays import dice_to_play
from engine.records import from_data, to_data
from engine.transcript import Transcript
from matches import access
from matches.analysis import labels as analysis_labels
from matches.analysis.access import SeenAnalysis, seen_of_live, seen_of_record
from matches.analysis.values import CubeAction
from matches.lifecycle.events import events
from matches.models import Decision, LiveMatch, Match, Submission
from matches.play.page import MODULES, THEMES
from matches.play.preferences import preferences_json
from matches.play.transcripts import transcript_of
from matches.play.watching import Watched, seen, watched_by_request, watched_match
from matches.presentation import labels
from matches.presentation.visibility import Viewer
from matches.records import replays
from matches.records.board import (
    BOTTOM,
    HEIGHT,
    LEFT_TABLE,
    POINT_HEIGHT,
    POINT_WIDTH,
    RIGHT_TABLE,
    TOP,
    WIDTH,
    Diagram,
    Scene,
    draw,
    point_x,
)
from matches.records.downloads import CONTENT_TYPES, as_attachment, written
from matches.records.names import OPEN, Mask, mask_for
from matches.records.page import latest_verdict
from matches.records.replays import PlayedGame, ReplayStep, Step, step_path
from matches.records.verdicts import as_json

# What a replay shows of an analysis: for each step who stands how, what was best, and where the errors are.


Kind = Decision.Kind


@dataclass(frozen=True, slots=True)
class ShownDecision:
    """One decision with its candidates, best first."""

    headline: str
    severity: str
    """`blunder`, `error` or nothing."""
    choices: tuple[dict[str, Any], ...]
    is_play: bool


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """The decisions at one step: whether to double, then the play."""

    number: int
    bar: dict[str, Any] | None
    decisions: tuple[ShownDecision, ...]

    @property
    def severity(self) -> str:
        severities = {decision.severity for decision in self.decisions}
        return "blunder" if "blunder" in severities else "error" if "error" in severities else ""


@dataclass(frozen=True, slots=True)
class Errors:
    """Where the errors of a match are, as seen from one of its games."""

    here: tuple[int, ...]
    """Steps of this game."""
    before: int
    """How many are in earlier games."""
    total: int
    later: Step | None
    """The first one in a later game."""

    def next_after(self, step: int, game: int) -> Step | None:
        """The next error after a step of this game; None if there is none."""
        number = next((number for number in self.here if number > step), None)
        return (game, number) if number is not None else self.later

    def index_after(self, step: int) -> int:
        """The number of that error in the match, from 1."""
        return self.before + sum(number <= step for number in self.here) + 1


def judged_steps(seen: SeenAnalysis, game: PlayedGame) -> tuple[JudgedStep, ...]:
    by_event: dict[int, list[Decision]] = {}
    for decision in seen.decisions:
        if decision.game == game.index:
            by_event.setdefault(decision.event, []).append(decision)
    return tuple(_step(moment.number, by_event[moment.event]) for moment in game.moments if moment.event in by_event)


def marked(game: PlayedGame, steps: Iterable[JudgedStep]) -> PlayedGame:
    severities = {step.number: step.severity for step in steps}
    moments = tuple(replace(moment, severity=severities.get(moment.number, "")) for moment in game.moments)
    return replace(game, moments=moments)


def errors_of(seen: SeenAnalysis, match: replays.ReplayedMatch, game: int) -> Errors:
    """Return where the errors are, as seen from a game."""
    wrong = [row for row in seen.decisions if row.counted and analysis_labels.severity(row.error)]
    places = sorted({(row.game, row.event) for row in wrong})
    later = next((match.step_at_event(*place) for place in places if place[0] > game), None)
    here = {match.step_at_event(*place) for place in places if place[0] == game}
    return Errors(
        here=tuple(sorted(step[1] for step in here if step is not None)),
        before=sum(place[0] < game for place in places),
        total=len(places),
        later=later,
    )


def _step(number: int, decisions: list[Decision]) -> JudgedStep:
    doubles_first = sorted(decisions, key=lambda decision: decision.kind == Kind.PLAY)
    known = [decision for decision in doubles_first if decision.winning is not None]
    bar = _bar(known[-1].side, known[-1].winning or 0.0) if known else None
    return JudgedStep(number, bar, tuple(_judged(decision) for decision in doubles_first))


def _bar(side: Side, winning: float) -> dict[str, Any]:
    left = winning if side == 0 else 1 - winning
    return {
        # Of side 0, in percent.
        "left": round(100 * left),
        "texts": (analysis_labels.percent(left), analysis_labels.percent(1 - left)),
    }


def _judged(decision: Decision) -> ShownDecision:
    severity = analysis_labels.severity(decision.error) if decision.counted else ""
    return ShownDecision(_headline(decision, severity), severity, _choices(decision), decision.kind == Kind.PLAY)


def _headline(decision: Decision, severity: str) -> str:
    lost = analysis_labels.number(-decision.error, 3)
    if severity == "blunder":
        return gettext("A blunder: {lost}").format(lost=lost)
    if severity == "error":
        return gettext("An error: {lost}").format(lost=lost)
    if decision.played == decision.best or decision.error == 0:
        return gettext("The best decision")
    return gettext("Nearly the best: {lost}").format(lost=lost)


def _choices(decision: Decision) -> tuple[dict[str, Any], ...]:
    if decision.kind == Kind.PLAY:
        rows = [(row["play"], row["equity"], bool(row.get("played"))) for row in decision.candidates]
        return _ranked(rows)
    return _cube_choices(decision)


def _cube_choices(decision: Decision) -> tuple[dict[str, Any], ...]:
    """The cube actions with equities of the side that decides."""
    if decision.no_double is None or decision.double_take is None or decision.double_pass is None:
        return ()
    if decision.kind == Kind.DOUBLE:
        doubled = min(decision.double_take, decision.double_pass)
        equities = {CubeAction.DOUBLE: doubled, CubeAction.NO_DOUBLE: decision.no_double}
    else:
        equities = {CubeAction.TAKE: -decision.double_take, CubeAction.DROP: -decision.double_pass}
    rows = sorted(equities.items(), key=lambda row: -row[1])
    return _ranked(
        [(analysis_labels.action(action.value), equity, decision.played == action) for action, equity in rows]
    )


def _ranked(rows: Sequence[tuple[str, float, bool]]) -> tuple[dict[str, Any], ...]:
    """Choices of name, equity and whether it was played, best first.

    One with a higher equity than the best was looked at less deeply, so that nothing is known to be lost by it.
    """
    best = rows[0][1] if rows else 0.0
    return tuple(
        {
            "name": name,
            "equity": analysis_labels.signed(equity, 3),
            # Empty for the best one, and where it is unknown.
            "lost": "" if number == 0 or equity > best else analysis_labels.number(equity - best, 3),
            "is_best": number == 0,
            "is_played": is_played,
        }
        for number, (name, equity, is_played) in enumerate(rows)
    )


# A position as a small PNG picture, for links that are shared: board, checkers, dice and cube.


Color = bytes
FRAME, FELT, TRAY = bytes((74, 50, 38)), bytes((40, 72, 63)), bytes((56, 37, 28))
SAND, RUST = bytes((205, 185, 140)), bytes((165, 88, 63))
LIGHT, DARK = bytes((251, 246, 233)), bytes((27, 32, 40))
EDGES = {"white": (LIGHT, bytes((58, 43, 34))), "black": (DARK, bytes((211, 219, 227)))}
CUBE_COLOR, INK = bytes((243, 233, 210)), bytes((43, 29, 21))
CHECKER_RADIUS, DIE_SIZE, CUBE_SIZE, PIP_RADIUS = 23, 52, 52, 5
TRAY_LEFT, TRAY_WIDTH = 818, 60
CUBE_X = 43
DIGITS = {
    "0": (7, 5, 5, 5, 7),
    "1": (2, 6, 2, 2, 7),
    "2": (7, 1, 7, 4, 7),
    "3": (7, 1, 7, 1, 7),
    "4": (5, 5, 7, 1, 1),
    "5": (7, 4, 7, 1, 7),
    "6": (7, 4, 7, 5, 7),
    "7": (7, 1, 2, 2, 2),
    "8": (7, 5, 7, 5, 7),
    "9": (7, 5, 7, 1, 7),
}
"""Each digit as five rows of three dots, the left one as the highest bit."""
DOT = 5
PNG = b"\x89PNG\r\n\x1a\n"


class Canvas:
    """Rows of pixels in RGB."""

    def __init__(self, width: int, height: int, color: Color) -> None:
        self.width, self.height = width, height
        self.rows = [bytearray(color * width) for _ in range(height)]

    def rectangle(self, left: int, top: int, width: int, height: int, color: Color) -> None:
        for y in range(max(top, 0), min(top + height, self.height)):
            self._run(y, left, left + width, color)

    def disc(self, x: int, y: int, radius: int, color: Color) -> None:
        for row in range(max(y - radius, 0), min(y + radius + 1, self.height)):
            half = isqrt(radius * radius - (row - y) ** 2)
            self._run(row, x - half, x + half + 1, color)

    def triangle(self, x: int, base: int, tip: int, width: int, color: Color) -> None:
        """A point of the board; `tip` and `base` are rows."""
        step = 1 if tip > base else -1
        for row in range(base, tip, step):
            half = width * abs(tip - row) // abs(tip - base) // 2
            self._run(row, x - half, x + half, color)

    def text(self, x: int, y: int, text: str, color: Color) -> None:
        """Write a number centred at (x, y)."""
        left = x - (len(text) * 4 - 1) * DOT // 2
        for index, digit in enumerate(text):
            for row, bits in enumerate(DIGITS[digit]):
                for column in range(3):
                    if bits & (4 >> column):
                        place = left + (index * 4 + column) * DOT
                        self.rectangle(place, y - 5 * DOT // 2 + row * DOT, DOT, DOT, color)

    def png(self) -> bytes:
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in self.rows), 6)
        return PNG + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")

    def _run(self, y: int, start: int, end: int, color: Color) -> None:
        start, end = max(start, 0), min(end, self.width)
        if start < end:
            self.rows[y][3 * start : 3 * end] = color * (end - start)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(diagram: Diagram) -> bytes:
    """Return the position of a diagram as a PNG file."""
    scene = draw(diagram)
    canvas = Canvas(WIDTH, HEIGHT, FRAME)
    _ground(canvas)
    for slab in scene.slabs:
        fill, edge = EDGES[slab.colour]
        canvas.rectangle(slab.x, slab.y, 54, 12, edge)
        canvas.rectangle(slab.x + 1, slab.y + 1, 52, 10, fill)
    for checker in scene.checkers:
        fill, edge = EDGES[checker.colour]
        canvas.disc(checker.x, checker.y, CHECKER_RADIUS, edge)
        canvas.disc(checker.x, checker.y, CHECKER_RADIUS - 3, fill)
        if checker.label:
            canvas.text(checker.x, checker.y, checker.label, edge)
    _dice(canvas, scene)
    _cube(canvas, scene)
    return canvas.png()


def _ground(canvas: Canvas) -> None:
    for left in (LEFT_TABLE, RIGHT_TABLE):
        canvas.rectangle(left, TOP, 6 * POINT_WIDTH, BOTTOM - TOP, FELT)
    for top in (TOP, BOTTOM - POINT_HEIGHT - 20):
        canvas.rectangle(TRAY_LEFT, top, TRAY_WIDTH, POINT_HEIGHT + 20, TRAY)
    for point in range(1, BAR):
        base, tip = (BOTTOM - 1, BOTTOM - POINT_HEIGHT) if point <= 12 else (TOP, TOP + POINT_HEIGHT)
        canvas.triangle(point_x(point), base, tip, POINT_WIDTH, RUST if point % 2 else SAND)


def _dice(canvas: Canvas, scene: Scene) -> None:
    for die in scene.dice:
        fill, edge = EDGES[die.colour]
        left, top = die.x - DIE_SIZE // 2, die.y - DIE_SIZE // 2
        canvas.rectangle(left, top, DIE_SIZE, DIE_SIZE, edge)
        canvas.rectangle(left + 2, top + 2, DIE_SIZE - 4, DIE_SIZE - 4, fill)
        for pip in die.pips:
            canvas.disc(pip.x, pip.y, PIP_RADIUS, edge)


def _cube(canvas: Canvas, scene: Scene) -> None:
    if scene.offered is not None:
        x, y, text = scene.offered.x, scene.offered.y, scene.offered.label
    elif scene.cube is not None and not scene.cube.dimmed:
        x, y, text = CUBE_X, scene.cube.side_y, scene.cube.text
    else:
        return
    canvas.rectangle(x - CUBE_SIZE // 2, y - CUBE_SIZE // 2, CUBE_SIZE, CUBE_SIZE, INK)
    canvas.rectangle(x - CUBE_SIZE // 2 + 2, y - CUBE_SIZE // 2 + 2, CUBE_SIZE - 4, CUBE_SIZE - 4, CUBE_COLOR)
    canvas.text(x, y, text, INK)


# Context of a replay: of a record that was sent in, or of a match played here.
#
# Every step works without scripts. The page's script gets the steps of one game at a time, and moves the checkers.


BOARD_MODULES = tuple(f"matches/{name}.js" for name in MODULES if name.startswith("board/"))
DICE, LOWEST_DIE, HIGHEST_DIE = 2, 1, 6


@dataclass(frozen=True, slots=True)
class ReplaySource:
    """A match to be replayed, and the pages around it."""

    match: replays.ReplayedMatch
    players: tuple[str, str]
    length: int | None
    url: str
    """The replay itself."""
    back: tuple[str, str]
    """URL and name of the page that the replay belongs to."""
    files: tuple[tuple[str, str], ...]
    """Formats of the record, each with the URL of the file."""
    event: tuple[str, str] | None = None
    """URL and name of the event."""
    picture_url: str = ""
    """Pictures of its positions, which everybody may see; empty for the replay of a personal link."""
    shared: str = ""
    """Public id of the match whose picture stands for the whole replay; empty for a record."""
    analysis: SeenAnalysis | None = None
    """As far as the reader may see it."""


def replay_context(source: ReplaySource, wanted: Step, *, flip: bool, preferences: dict[str, Any]) -> dict[str, Any]:
    """Context of one step of the replay, or of the nearest existing step.

    Refused: `no_transcript` if there is nothing to replay.
    """
    match = source.match
    chosen, moment = nearest_step(match, wanted)
    analysis = _analysis(source, chosen, moment)
    errors = analysis["errors"] if analysis else None
    if analysis:
        chosen = marked(chosen, analysis["judged"])
    bottom = 1 if flip else 0
    steps = _neighbours(match, chosen, moment)
    return {
        "source": source,
        "players": source.players,
        "replay_url": source.url,
        "length": labels.length(source.length),
        "total": len(match),
        "game": chosen,
        "moment": moment,
        "flip": flip,
        "unflip": not flip,
        "here": moment.step,
        "end": chosen.moments[-1].step,
        "picture": step_path(source.picture_url, moment.step, flip=flip) if source.picture_url else "",
        "scene": draw(replace(moment.diagram, bottom=bottom)),
        "top": _board_player(1 - bottom, chosen, moment),
        "bottom": _board_player(bottom, chosen, moment),
        "rows": replays.rows(chosen),
        "steps": steps,
        "steps_json": _game_json(source, match, chosen, flip=flip) | _errors_json(source, errors, flip=flip),
        "analysis": analysis,
        "settings": _settings(source, preferences),
        "modules": BOARD_MODULES,
    }


def _analysis(source: ReplaySource, game: PlayedGame, moment: ReplayStep) -> dict[str, Any] | None:
    """What the analysis says about the steps of a game; None without an analysis that may be seen."""
    seen = source.analysis
    if seen is None or not seen.decisions:
        return None
    errors = errors_of(seen, source.match, game.index)
    return {
        "program": analysis_labels.program(seen.analysis),
        "judged": judged_steps(seen, game),
        "errors": errors,
        "next_error": errors.next_after(moment.number, game.index),
        "next_index": errors.index_after(moment.number),
    }


def nearest_step(match: replays.ReplayedMatch, wanted: Step) -> tuple[PlayedGame, ReplayStep]:
    """Return the game and the step nearest to the one wanted. Refused: `no_transcript` if there is none."""
    if not len(match):
        raise Refused("no_transcript")
    game, step = wanted
    chosen = match.game(min(max(game, 1), len(match)))
    return chosen, chosen.moments[min(max(step, 1), len(chosen.moments)) - 1]


def _board_player(side: int, game: PlayedGame, moment: ReplayStep) -> dict[str, Any]:
    return {
        "name": moment.diagram.names[side],
        "side": side,
        "colour": "white" if side == 0 else "black",
        "pips": _pips_text(_pips(moment)[side]),
        "score": game.start[side],
        "decides": moment.side == side,
    }


def _pips_text(pips: int) -> str:
    return ngettext("{pips} pip", "{pips} pips", pips).format(pips=pips)


def _pips(moment: ReplayStep) -> tuple[int, int]:
    own, other = moment.diagram.position.pips
    return (own, other) if moment.diagram.side == 0 else (other, own)


def _neighbours(match: replays.ReplayedMatch, game: PlayedGame, moment: ReplayStep) -> dict[str, Step | None]:
    """The steps that the buttons lead to; None for a disabled button."""
    here, first, last = moment.number, game.moments[0].step, game.moments[-1].step
    before, after = _around(match, game)
    return {
        "first": first if moment.step != first else None,
        "previous": (game.index, here - 1) if moment.step != first else before,
        "next": (game.index, here + 1) if moment.step != last else after,
        "last": last if moment.step != last else None,
        "previous_game": (game.index - 1, 1) if before else None,
        "next_game": after,
    }


def _around(match: replays.ReplayedMatch, game: PlayedGame) -> tuple[Step | None, Step | None]:
    """The last step of the game before this one, and the first step of the next one."""
    before = match.game(game.index - 1).moments[-1].step if game.index > 1 else None
    return before, (game.index + 1, 1) if game.index < len(match) else None


# For the script


def _game_json(source: ReplaySource, match: replays.ReplayedMatch, game: PlayedGame, *, flip: bool) -> dict[str, Any]:
    """The steps of a game, and the URLs of the steps around it."""
    before, after = _around(match, game)
    return {
        "game": game.index,
        "flip": flip,
        "before": step_path(source.url, before, flip=flip) if before else "",
        "after": step_path(source.url, after, flip=flip) if after else "",
        "steps": [_step_json(moment) for moment in game.moments],
    }


def _errors_json(source: ReplaySource, errors: Errors | None, *, flip: bool) -> dict[str, Any]:
    """Where the errors are; empty without an analysis."""
    if errors is None:
        return {}
    later = step_path(source.url, errors.later, flip=flip) if errors.later else ""
    return {"errors": list(errors.here), "errors_before": errors.before, "later_error": later}


def _step_json(moment: ReplayStep) -> dict[str, Any]:
    """A position before a decision; `checkers` as side 0 sees them, points of `moves` and `ways` as `turn` does."""
    diagram = moment.diagram
    seen_by_left = diagram.position if diagram.side == 0 else diagram.position.swapped()
    dice = [die for die in diagram.dice or () if LOWEST_DIE <= die <= HIGHEST_DIE]
    return {
        "checkers": list(seen_by_left.counts),
        "turn": diagram.side,
        "side": moment.side,
        "dice": list(dice_to_play((dice[0], dice[1]))) if len(dice) == DICE else dice or None,
        "cube": {
            "face": diagram.face,
            "owner": diagram.cube_owner,
            "offered": diagram.offered,
            "dimmed": not diagram.cube_in_play,
        },
        "moves": [list(move) for move in moment.moves],
        "ways": [list(way) for way in diagram.paths],
        "legal": moment.legal,
        "words": moment.words,
        "pips": [_pips_text(pips) for pips in _pips(moment)],
        "xgid": moment.xgid,
    }


def _settings(source: ReplaySource, preferences: dict[str, Any]) -> dict[str, Any]:
    """What the script needs from the start: the look of the board, and its labels for screen readers by side."""
    return {
        "url": source.url,
        "theme": preferences["theme"],
        "mirrored": preferences["mirrored"],
        "speed": preferences["speed"],
        "themes": {name: static(f"matches/board/themes/{name}.css") for name in THEMES},
        "labels": {
            "board": gettext("Board"),
            "empty": gettext("{place}, empty"),
            "point": gettext("{point} point"),
            "dice": gettext("Dice {dice}"),
        },
        "quiz": gettext("What would you play?"),
        "sides": [
            {
                "checkers": gettext("{place}, {count} of {name}").replace("{name}", name),
                "bar": gettext("{name}’s bar").replace("{name}", name),
                "off": gettext("borne off by {name}").replace("{name}", name),
            }
            for name in source.players
        ],
    }


# What is replayed: a record that was sent in, or a match played here as far as its reader may see it.


CACHED_FOR = 600
"""Seconds for which the adjudication of a match played here is kept, since each game of a replay needs it."""
KEPT_FOR = 24 * 60 * 60
"""Seconds for which the game is kept that the home page replays."""
POSITION = ("checkers", "turn", "dice", "cube", "moves", "xgid")
"""What a step says about its position, without names."""


def record_source(submission: Submission, mask: Mask) -> ReplaySource:
    """A record with the names that its reader may see. Refused: `no_transcript` if it has not been read."""
    if submission.is_open or submission.transcript is None:
        raise Refused("no_transcript")
    content, transcript = latest_verdict(submission).content, submission.transcript
    if mask:
        content, transcript = mask.verdict(content), mask.transcript(transcript)
    public_id = submission.public_id
    return ReplaySource(
        replays.ReplayedMatch(transcript, content),
        labels.names(content["players"]),
        content["length"],
        url=reverse("replay", args=[public_id]),
        back=(reverse("submission", args=[public_id]), gettext("Verdict")),
        files=tuple((format_, reverse("record", args=[public_id, format_])) for format_ in CONTENT_TYPES),
        picture_url=reverse("replay-picture", args=[public_id]),
    )


def live_source(reader: Watched, token: str = "") -> ReplaySource:
    """A match played here, with the URLs of the reader's personal link, if any."""
    match = reader.live.match
    stored, verdict = _adjudicated(reader)
    names = match.names
    prefix, name = ("link", token) if token else ("match", match.public_id)
    context = events().contexts([match.parent_topic]).get(match.parent_topic)
    return ReplaySource(
        replays.ReplayedMatch(stored | {"players": list(names)}, verdict),
        names,
        match.length,
        url=reverse(f"{prefix}-replay", args=[name]),
        back=(reverse("match-link" if token else "match", args=[name]), pgettext("of backgammon", "Match")),
        files=tuple((format_, reverse(f"{prefix}-record", args=[name, format_])) for format_ in CONTENT_TYPES),
        picture_url="" if token else reverse("match-replay-picture", args=[name]),
        shared="" if token else match.public_id,
        event=(context.url, context.title) if context is not None and context.url else None,
    )


def longest_game(live: LiveMatch, now: datetime) -> list[dict[str, Any]]:
    """The steps of the longest game of a match that everybody may see, as the script of a replay reads them.

    They name nobody: names change, and the steps are kept. Empty for a match that ended before its first game.
    """
    key = f"longest-game:{live.match.public_id}:{live.last}"
    known: list[dict[str, Any]] | None = cache.get(key)
    if known is None:
        stored, verdict = _adjudicated(seen(live, now=now))
        games = stored["games"]
        longest = max(range(len(games)), key=lambda index: len(games[index]["events"]), default=None)
        moments = replays.ReplayedMatch(stored, verdict).game(longest + 1).moments if longest is not None else ()
        known = [{name: step[name] for name in POSITION} for step in map(_step_json, moments)]
        cache.set(key, known, KEPT_FOR)
    return known


def live_transcript(reader: Watched) -> Transcript:
    """A match played here as far as its reader may see it, with the names that everybody may see."""
    stored, _ = _adjudicated(reader)
    return replace(from_data(stored), players=shown_names(reader.live.match))


def shown_names(match: Match) -> tuple[str, str]:
    """The names of the players as they want to be named; the same in every record of a player."""
    left, right = (player.shown_name for player in match.players)
    return left, right


def _adjudicated(reader: Watched) -> tuple[dict[str, Any], dict[str, Any]]:
    """The transcript up to the last action that the reader sees, and the engine's verdict on it, both as data."""
    key = f"replay:{reader.live.match.public_id}:{reader.last}"
    known: tuple[dict[str, Any], dict[str, Any]] | None = cache.get(key)
    if known is None:
        transcript = transcript_of(reader.live, until=reader.last)
        known = to_data(transcript), as_json(adjudicate(transcript))
        cache.set(key, known, CACHED_FOR)
    return known


# Replays of records and of matches played here, and the records of the latter as files.


PICTURE_CACHED_FOR = 300
"""Seconds."""


@open_to(get=Who.EVERYBODY)
def record_replay(request: HttpRequest, public_id: str) -> HttpResponse:
    """One position of a record: `?g=3&p=17`, with `&flip=1` from the other side; only its game for the script."""
    submission = access.submission(public_id)
    if submission.is_open:
        return redirect("submission", public_id)
    source = record_source(submission, mask_for(request.user, submission))
    return _page(request, replace(source, analysis=seen_of_record(submission, Viewer.of(request.user))))


@never_cache
@open_to(get=Who.EVERYBODY)
def match_replay(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """One position of a match played here. Leads to the board while there is nothing that the reader may see."""
    reader, _ = watched_by_request(request, public_id, token)
    source = live_source(reader, token)
    if not len(source.match):
        return redirect(reverse("link-play" if token else "match-play", args=[token or public_id]))
    source = replace(source, analysis=seen_of_live(reader.live.match, Viewer.of(request.user)))
    return _page(request, source, own_side=_own_side(request, reader))


def _own_side(request: HttpRequest, reader: Watched) -> Side:
    """The side of a player who reads; 0 for everybody else."""
    if reader.side is not None:
        return reader.side
    users = [player.user_id for player in reader.live.match.players]
    return 1 if request.user.is_authenticated and users[1] == request.user.pk else 0


@never_cache
@open_to(get=Who.EVERYBODY)
def match_record(request: HttpRequest, extension: str, public_id: str = "", token: str = "") -> HttpResponse:
    """Download a match played here, as far as the reader may see it."""
    reader, _ = watched_by_request(request, public_id, token)
    return as_attachment(written(live_transcript(reader), extension, f"match-{reader.live.match.public_id}"))


@cache_control(public=True, max_age=PICTURE_CACHED_FOR)
@open_to(get=Who.EVERYBODY)
def record_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """A position of a record as a picture; it has no names."""
    return _picture(request, record_source(access.submission(public_id), OPEN))


@cache_control(public=True, max_age=PICTURE_CACHED_FOR)
@open_to(get=Who.EVERYBODY)
def match_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """A position of a match played here as a picture: as a visitor sees it, whoever requests it."""
    match = access.match_for_viewer(AnonymousUser(), public_id)
    return _picture(request, live_source(watched_match(match, None, AnonymousUser())))


def _picture(request: HttpRequest, source: ReplaySource) -> HttpResponse:
    """Return the position as a PNG file. Raise Http404 if nothing can be seen."""
    if not len(source.match):
        raise Http404
    _, moment = nearest_step(source.match, _wanted(request))
    diagram = replace(moment.diagram, bottom=1 if request.GET.get("flip") == "1" else 0)
    return HttpResponse(picture(diagram), content_type="image/png")


def _wanted(request: HttpRequest) -> Step:
    return parse_int(request.GET.get("g"), 1), parse_int(request.GET.get("p"), 1)


def _page(request: HttpRequest, source: ReplaySource, own_side: Side = 0) -> HttpResponse:
    """One position; players who come from elsewhere sit on their own side, as at the board."""
    if "e" in request.GET:
        # Links from elsewhere name an event of the record, from which its step follows.
        step = source.match.step_at_event(parse_int(request.GET.get("g"), 1), parse_int(request.GET["e"], 0))
        return redirect(step_path(source.url, step or (1, 1), flip=own_side == 1))
    flip = request.GET.get("flip") == "1" or (own_side == 1 and "g" not in request.GET)
    preferences = preferences_json(request.user)
    context = replay_context(source, _wanted(request), flip=flip, preferences=preferences)
    if source.shared and "g" not in request.GET:
        context["picture"] = ""
    if context["picture"]:
        context["picture"] = request.build_absolute_uri(context["picture"])
    name = "matches/play/_replay.html" if is_htmx(request) else "matches/play/replay.html"
    response = render(request, name, context)
    patch_vary_headers(response, ["HX-Request"])
    return response
