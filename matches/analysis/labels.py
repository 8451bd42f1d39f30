"""Plays, cube actions, figures, programs and boards of judged decisions, as pages show them."""

from dataclasses import replace

from django.utils.formats import number_format
from django.utils.translation import gettext, pgettext

from engine import parse_play, parse_xgid
from engine.cube import Side
from engine.errors import Refused
from engine.match import Phase as MatchPhase
from matches.analysis.arithmetic import BLUNDER, ERROR
from matches.analysis.values import CubeAction, DecisionPhase
from matches.models import Analysis, Decision
from matches.records.board import Diagram, Path, Scene, draw

# Plays, cube actions, figures and programs in words.


MINUS = "−"
PROGRAMS = {"xg": "eXtreme Gammon"}
"""Names of programs that are stored by a short one."""


def action(stored: str) -> str:
    """A play in notation, or a cube action in words."""
    return {
        CubeAction.DOUBLE.value: pgettext("cube", "Double"),
        CubeAction.NO_DOUBLE.value: gettext("No double"),
        CubeAction.TAKE.value: gettext("Take"),
        CubeAction.DROP.value: gettext("Pass"),
    }.get(stored, stored)


def phase(stored: str) -> str:
    """The kind of a decision in words."""
    return {
        DecisionPhase.OPENING.value: gettext("Opening"),
        DecisionPhase.CONTACT.value: gettext("Contact"),
        DecisionPhase.RACE.value: gettext("Race"),
        DecisionPhase.BEAR_OFF.value: gettext("Bear-off"),
        DecisionPhase.CUBE.value: gettext("Cube"),
    }[stored]


def severity(error: float) -> str:
    """`blunder`, `error` or nothing for an equity that was lost; used in CSS classes and by the script."""
    if error >= BLUNDER:
        return "blunder"
    return "error" if error >= ERROR else ""


def number(value: float, digits: int) -> str:
    """A number in the reader's language, with a typographic minus sign; never “−0.0”."""
    rounded = round(value, digits)
    text = str(number_format(abs(rounded), digits))
    return f"{MINUS}{text}" if rounded < 0 else text


def signed(value: float, digits: int) -> str:
    """The same, with a plus sign."""
    text = number(value, digits)
    return text if text.startswith(MINUS) or round(value, digits) == 0 else f"+{text}"


def percent(chance: float, digits: int = 0) -> str:
    """A chance in percent, e.g. “64 %”."""
    return gettext("{percent} %").format(percent=number(100 * chance, digits))


def signed_percent(chance: float) -> str:
    """A difference of chances in percent, e.g. “+6.4 %”."""
    return gettext("{percent} %").format(percent=signed(100 * chance, 1))


def program(analysis: Analysis) -> str:
    """The program of an analysis and its depth, e.g. “gnubg 2-ply”."""
    name = PROGRAMS.get(analysis.backend, analysis.backend)
    return " ".join(filter(None, [name, str(analysis.settings.get("plays", ""))]))


# Boards of judged decisions: what was played and what would have been best.


def diagram_of(decision: Decision, names: tuple[str, str], *, swapped: bool = False) -> Diagram | None:
    """The position of a decision, with the best play marked; None if it cannot be read.

    `names` belong to sides 0 and 1 of the match; `swapped` says that side 0 of the record is side 1 of the match.
    """
    try:
        state = parse_xgid(decision.xgid)
    except Refused:
        return None
    doubled = state.phase is MatchPhase.DOUBLED
    turn = state.turn or 0
    side = decision.side
    own = state.position.swapped() if turn != side else state.position
    diagram = Diagram(
        position=own,
        side=side,
        names=names[::-1] if swapped else names,
        dice=state.dice if decision.kind == Decision.Kind.PLAY else None,
        cube=state.cube,
        cube_owner=state.cube_owner,
        offered=doubled,
        cube_in_play=not state.crawford and state.length != 1,
        paths=paths_of(decision.best) if decision.kind == Decision.Kind.PLAY else (),
    )
    return _mirrored(diagram) if swapped else diagram


def scene_of(decision: Decision, names: tuple[str, str], *, swapped: bool = False, bottom: Side = 0) -> Scene | None:
    """The board of a decision with the best play as solid arrows and the one that was made as dotted ones.

    `bottom` is the side of the match that is at the bottom.
    """
    diagram = diagram_of(decision, names, swapped=swapped)
    if diagram is None:
        return None
    diagram = replace(diagram, bottom=bottom)
    best = draw(diagram)
    if decision.kind != Decision.Kind.PLAY or decision.played == decision.best:
        return best
    return replace(best, played=draw(replace(diagram, paths=paths_of(decision.played))).arrows)


def paths_of(play: str) -> tuple[Path, ...]:
    """The paths of the checkers of a play in notation; empty if there are none."""
    try:
        return tuple(parse_play(play))
    except Refused:
        return ()


def _mirrored(diagram: Diagram) -> Diagram:
    """The same position with the sides exchanged: only colours and names differ."""
    owner = diagram.cube_owner
    return replace(
        diagram,
        side=1 - diagram.side,
        names=diagram.names[::-1],
        cube_owner=1 - owner if owner is not None else None,
    )
