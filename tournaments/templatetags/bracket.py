"""The boxes of a bracket as HTML.

Written here and not in a template, since a bracket of 256 has 2,500 conditions and values, for which the template
language takes 100 ms and this takes 10.
"""

import zoneinfo
from collections.abc import Callable
from datetime import datetime
from html import escape
from typing import NamedTuple

from django import template
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from tournaments.standings.layout import Box, Column, Line

register = template.Library()

SHORT = "j M H:i"


class Words(NamedTuple):
    """What every box may say, looked up once."""

    marks: dict[str, str]
    winner_to: str
    loser_to: str
    winner_draw: str
    loser_draw: str
    until: str
    enter: str
    won: str
    not_coming: str
    onward: str
    late: str


def _words() -> Words:
    return Words(
        {"live": _("Live"), "claimed": _("Reported"), "disputed": _("Disputed")},
        _("winner → M%(number)d"),
        _("loser → M%(number)d"),
        _("winner → draw of %(round)s"),
        _("loser → draw of %(round)s"),
        _("until %(at)s"),
        _("Result"),
        _("won"),
        _("not coming"),
        _("goes on"),
        _("came late"),
    )


@register.simple_tag
def boxes(column: Column, zone: str, seeded: bool) -> SafeString:
    """The list items of a round; times on the clocks of `zone`."""
    words, clock = _words(), zoneinfo.ZoneInfo(zone)

    def shown(at: datetime) -> str:
        return date_format(at.astimezone(clock), SHORT)

    # Whatever somebody has typed goes through escape below; the rest are our own words and ids.
    return mark_safe("".join(_box(box, words, shown, seeded) for box in column.boxes))  # noqa: S308


@register.simple_tag
def curves(column: Column) -> SafeString:
    """Where each winner of a round goes, as curves in the gap behind it; 100 by 100 of whatever size that has."""
    paths = "".join(f"M0 {start:g}C50 {start:g} 50 {end:g} 100 {end:g}" for start, end in column.links)
    svg = f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true"><path d="{paths}"/></svg>'
    return mark_safe(svg) if paths else mark_safe("")  # noqa: S308, numbers only


def _box(box: Box, words: Words, shown: Callable[[datetime], str], seeded: bool) -> str:
    state, path = box.mark or box.status, " path" if box.path else ""
    first, second = (_line(line, box, words, seeded) for line in box.lines)
    return f'\n<li class="is-{state}{path}"><div><p>{_head(box, words, shown)}</p>{first}{second}</div></li>'


def _head(box: Box, words: Words, shown: Callable[[datetime], str]) -> str:
    name = f"M{box.number}"
    parts = [f'<a href="/matches/{box.match}/">{name}</a>' if box.match else f"<span>{name}</span>"]
    if box.mark:
        parts.append(f"<b>{escape(words.marks[box.mark])}</b>")
    elif box.note:
        parts.append(f"<i>{escape(box.note)}</i>")
    elif box.due_at:
        parts.append(f"<i>{escape(words.until % {'at': shown(box.due_at)})}</i>")
    if box.can_enter and box.status == "ready":
        parts.append(f'<a class="enter no-print" href="../fixtures/{box.fixture}/">{escape(words.enter)}</a>')
    parts += _onward(box, words)
    return "".join(parts)


def _onward(box: Box, words: Words) -> list[str]:
    """Where winner and loser go. The winner's is left out where a line says it, the loser's once they are known."""
    ways = []
    if box.winner_to:
        kind = "far" if box.far else "to"
        ways.append(f'<span class="{kind}">{escape(words.winner_to % {"number": box.winner_to})}</span>')
    elif box.winner_draw:
        ways.append(f'<span class="far">{escape(words.winner_draw % {"round": box.winner_draw})}</span>')
    if box.status not in ("waiting", "ready"):
        return ways
    if box.loser_to:
        ways.append(f'<span class="drop">{escape(words.loser_to % {"number": box.loser_to})}</span>')
    elif box.loser_draw:
        ways.append(f'<span class="drop">{escape(words.loser_draw % {"round": box.loser_draw})}</span>')
    return ways


def _line(line: Line, box: Box, words: Words, seeded: bool) -> str:
    """One side; a name opens the match, or the player's page where there is none."""
    classes = line.kind + (" won" if line.won else "") + (" here" if line.here else "")
    entry = f' data-e="{line.entry}"' if line.entry else ""
    seed = f"<small>{line.seed or ''}</small>" if seeded else ""
    name = escape(line.text)
    page = f"/matches/{box.match}/" if box.match else f"/players/{line.player}/"
    who = f'<a href="{page}">{name}</a>' if line.player else f"<span>{name}</span>"
    return f'\n<p class="{classes}"{entry}>{seed}{who}{_ending(line, words)}</p>'


def _ending(line: Line, words: Words) -> str:
    """The score, a tick, or that they do not come."""
    if line.kind == "walkover" and line.player:
        return f"<em>{escape(words.not_coming)}</em>"
    said = "".join(f"<em>{escape(word)}</em>" for word, true in _said(line, words) if true)
    score = "" if line.score is None else str(line.score)
    if line.won:
        return f'{said}<b>{score}<span class="visually-hidden"> {escape(words.won)}</span></b>'
    return f"{said}<b>{score}</b>" if score else said


def _said(line: Line, words: Words) -> tuple[tuple[str, bool], ...]:
    return (words.late, line.late), (words.onward, line.onward)
