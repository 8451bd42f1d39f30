"""Context of a replay: of a record that was sent in, or of a match played here.

Every step works without scripts. The page's script gets the steps of one game at a time, and moves the checkers.
"""

from dataclasses import dataclass, replace
from typing import Any

from django.templatetags.static import static
from django.utils.translation import gettext, ngettext

from engine.errors import Refused
from engine.plays import dice_to_play
from matches.analysis import labels as analysis_labels
from matches.analysis.visibility import SeenAnalysis
from matches.play.page.context import MODULES, THEMES
from matches.play.replay.judged import Errors, errors_of, judged_steps, marked
from matches.presentation import labels
from matches.records import replays
from matches.records.board import draw
from matches.records.replays import PlayedGame, ReplayStep, Step, step_path

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
    analysis: SeenAnalysis | None = None
    """As far as the reader may see it."""


@dataclass(frozen=True, slots=True)
class BoardPlayer:
    """A player next to the board."""

    name: str
    side: int
    pips: int
    score: int
    decides: bool

    @property
    def colour(self) -> str:
        return "white" if self.side == 0 else "black"


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


def _board_player(side: int, game: PlayedGame, moment: ReplayStep) -> BoardPlayer:
    return BoardPlayer(
        name=moment.diagram.names[side],
        side=side,
        pips=_pips(moment)[side],
        score=game.start[side],
        decides=moment.side == side,
    )


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
        "pips": [ngettext("{pips} pip", "{pips} pips", pips).format(pips=pips) for pips in _pips(moment)],
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
