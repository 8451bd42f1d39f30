"""The boxes of a bracket and the cells of standings as HTML; not templates, because a page has thousands of them."""

import zoneinfo
from collections.abc import Callable, Sequence
from datetime import datetime
from html import escape
from typing import NamedTuple

from django import template
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from core import times
from tournaments.standings.brackets import BoxSide, FixtureBox, RoundColumn
from tournaments.standings.standings import RoundCell

# The boxes of a bracket as HTML.
#
# Not a template, because a bracket of 256 has 2,500 conditions and values: the template language takes 100 ms for
# them, this module 10 ms.


register = template.Library()


class Labels(NamedTuple):
    """The labels of boxes, translated once for a bracket."""

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


def _labels() -> Labels:
    return Labels(
        _("winner → M%(number)d"),
        _("loser → M%(number)d"),
        _("winner → %(round)s, opponent by lot"),
        _("loser → %(round)s, opponent by lot"),
        _("until %(at)s"),
        _("Result"),
        _("won"),
        _("not coming"),
        _("goes on"),
        _("came late"),
    )


@register.simple_tag
def boxes(column: RoundColumn, zone: str, seeded: bool) -> SafeString:
    """Return the list items of a round, with times in the time zone `zone`."""
    labels, clock = _labels(), zoneinfo.ZoneInfo(zone)

    def shown(at: datetime) -> str:
        return date_format(at.astimezone(clock), times.SHORT)

    # User input is escaped below; the rest are labels and ids.
    words = escape(column.words)
    return mark_safe("".join(_box(box, labels, shown, seeded, words) for box in column.boxes))  # noqa: S308


@register.simple_tag
def curves(column: RoundColumn) -> SafeString:
    """Return the curves from a round to the next as SVG, scaled to the gap between them."""
    paths = "".join(f"M0 {start:g}C50 {start:g} 50 {end:g} 100 {end:g}" for start, end in column.links)
    svg = f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true"><path d="{paths}"/></svg>'
    return mark_safe(svg) if paths else mark_safe("")  # noqa: S308, numbers only


def _box(box: FixtureBox, labels: Labels, shown: Callable[[datetime], str], seeded: bool, words: str) -> str:
    state, path = box.mark or box.status, " path" if box.path else ""
    first, second = (_line(line, box, labels, seeded) for line in box.lines)
    return f'\n<li class="is-{state}{path}"><div><p>{_head(box, labels, shown, words)}</p>{first}{second}</div></li>'


def _head(box: FixtureBox, labels: Labels, shown: Callable[[datetime], str], words: str) -> str:
    """Return the number of the match, with its round in words if the page shows only a letter, and where it is."""
    name = f"M{box.number}" + (f'<span class="visually-hidden">, {words}</span>' if words else "")
    parts = [f'<a href="/matches/{box.match}/">{name}</a>' if box.match else f"<span>{name}</span>"]
    if box.where:
        parts.append(f"<b>{escape(box.where)}</b>")
    elif box.note:
        parts.append(f"<i>{escape(box.note)}</i>")
    elif box.due_at:
        parts.append(f"<i>{escape(labels.until % {'at': shown(box.due_at)})}</i>")
    if box.start:
        parts.append(f"<i>{escape(box.start)}</i>")
    if box.can_enter and box.status == "ready":
        parts.append(f'<a class="enter no-print" href="../fixtures/{box.fixture}/">{escape(labels.enter)}</a>')
    parts += _onward(box, labels)
    return "".join(parts)


def _onward(box: FixtureBox, labels: Labels) -> list[str]:
    """Return links to the next matches; the loser's is left out once the match is over."""
    ways = []
    if box.winner_to:
        kind = "far" if box.far else "to"
        ways.append(f'<span class="{kind}">{escape(labels.winner_to % {"number": box.winner_to})}</span>')
    elif box.winner_draw:
        ways.append(f'<span class="far">{escape(labels.winner_draw % {"round": box.winner_draw})}</span>')
    if box.status not in ("waiting", "ready"):
        return ways
    if box.loser_to:
        ways.append(f'<span class="drop">{escape(labels.loser_to % {"number": box.loser_to})}</span>')
    elif box.loser_draw:
        ways.append(f'<span class="drop">{escape(labels.loser_draw % {"round": box.loser_draw})}</span>')
    return ways


def _line(line: BoxSide, box: FixtureBox, labels: Labels, seeded: bool) -> str:
    """Return a side; its name links to the match or, if there is none, to the player."""
    classes = line.kind + (" won" if line.won else "") + (" here" if line.here else "")
    entry = f' data-e="{line.entry}"' if line.entry else ""
    seed = f"<small>{line.seed or ''}</small>" if seeded else ""
    name = escape(line.text)
    page = f"/matches/{box.match}/" if box.match else f"/players/{line.player}/"
    pair = ' class="pair"' if " & " in line.text else ""
    who = f'<a href="{page}" dir="auto"{pair}>{name}</a>' if line.player else f'<span dir="auto"{pair}>{name}</span>'
    return f'\n<p class="{classes}"{entry}>{seed}{who}{_ending(line, labels)}</p>'


def _ending(line: BoxSide, labels: Labels) -> str:
    """Return the score, or why there is none."""
    if line.kind == "walkover" and line.player:
        return f"<em>{escape(labels.not_coming)}</em>"
    notes = "".join(f"<em>{escape(word)}</em>" for word, true in _notes(line, labels) if true)
    score = "" if line.score is None else str(line.score)
    if line.won:
        return f'{notes}<b>{score}<span class="visually-hidden"> {escape(labels.won)}</span></b>'
    return f"{notes}<b>{score}</b>" if score else notes


def _notes(line: BoxSide, labels: Labels) -> tuple[tuple[str, bool], ...]:
    return (labels.late, line.late), (labels.onward, line.onward)


# The cells of standings as HTML. Not a template, because a large Swiss has thousands of them.


DELETED = "deleted"


@register.simple_tag
def rounds(cells: Sequence[RoundCell]) -> SafeString:
    """Return the rounds of an entry as list items, with a sentence for screen readers."""
    # Names are escaped; the rest are labels and ids.
    return mark_safe("".join(f'<li class="{_classes(cell)}">{_field(cell)}</li>' for cell in cells))  # noqa: S308


@register.simple_tag
def rounds_in_short(cells: Sequence[RoundCell]) -> SafeString:
    """Return the rounds of an entry as list items without links and sentences, for a table of hundreds of entries."""
    return mark_safe("".join(f'<li class="{_classes(cell)}"><span>{_signs(cell)}</span></li>' for cell in cells))  # noqa: S308


@register.simple_tag
def against(cells: Sequence[RoundCell]) -> SafeString:
    """Return a cell of the cross-table, with a line for each match of the two players."""
    return mark_safe("".join(f'<p class="{_classes(cell)}">{_field(cell, place=False)}</p>' for cell in cells))  # noqa: S308


def _classes(cell: RoundCell) -> str:
    return f"cell is-{cell.tone}" + ("" if cell.counted else f" is-{DELETED}")


def _field(cell: RoundCell, *, place: bool = True) -> str:
    sentence = cell.sentence if cell.counted else f"{cell.sentence} {_('Deleted, because one of the two left.')}"
    signs = _signs(cell, place=place)
    text = f'<span aria-hidden="true">{signs}</span><span class="visually-hidden">{escape(sentence)}</span>'
    title = f'title="{escape(sentence)}"'
    return f'<a href="/matches/{cell.match}/" {title}>{text}</a>' if cell.match else f"<span {title}>{text}</span>"


def _signs(cell: RoundCell, *, place: bool = True) -> str:
    """Return letter, opponent and score of a cell; the opponent as a place, or by name where places are shared."""
    shown = f"<b>{escape(cell.letter)}</b>"
    if place and cell.opponent_name:
        shown += f'<bdi class="name">{escape(cell.opponent_name)}</bdi>'
    elif place and cell.opponent_place is not None:
        shown += f"<i>{cell.opponent_place}</i>"
    if cell.score:
        shown += f"<small>{cell.score[0]}–{cell.score[1]}</small>"
    return shown
