"""Plays, cube actions, figures and programs in words."""

from django.utils.formats import number_format
from django.utils.translation import gettext

from matches.analysis.arithmetic import BLUNDER, ERROR
from matches.analysis.values import CubeAction, Phase
from matches.models import Analysis

MINUS = "−"
PROGRAMS = {"xg": "eXtreme Gammon"}
"""Names of programs that are stored by a short one."""


def action(stored: str) -> str:
    """A play in notation, or a cube action in words."""
    return {
        CubeAction.DOUBLE.value: gettext("Double"),
        CubeAction.NO_DOUBLE.value: gettext("No double"),
        CubeAction.TAKE.value: gettext("Take"),
        CubeAction.DROP.value: gettext("Drop"),
    }.get(stored, stored)


def phase(stored: str) -> str:
    """The kind of a decision in words."""
    return {
        Phase.OPENING.value: gettext("Opening"),
        Phase.CONTACT.value: gettext("Contact"),
        Phase.RACE.value: gettext("Race"),
        Phase.BEAR_OFF.value: gettext("Bear-off"),
        Phase.CUBE.value: gettext("Cube"),
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


def signed_percent(chance: float, digits: int = 1) -> str:
    """A difference of chances in percent, e.g. “+6.4 %”."""
    return gettext("{percent} %").format(percent=signed(100 * chance, digits))


def program(analysis: Analysis) -> str:
    """The program of an analysis and its depth, e.g. “gnubg 2-ply”."""
    name = PROGRAMS.get(analysis.backend, analysis.backend)
    return " ".join(filter(None, [name, str(analysis.settings.get("plays", ""))]))
