"""The cells of standings as HTML. Not a template, because a large Swiss has thousands of them."""

from collections.abc import Sequence
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from tournaments.standings.selectors.cells import Cell

register = template.Library()

DELETED = "deleted"


@register.simple_tag
def rounds(cells: Sequence[Cell]) -> SafeString:
    """Return the rounds of an entry as list items, with a sentence for screen readers."""
    # Names are escaped; the rest are labels and ids.
    return mark_safe("".join(f'<li class="{_classes(cell)}">{_field(cell)}</li>' for cell in cells))  # noqa: S308


@register.simple_tag
def against(cells: Sequence[Cell]) -> SafeString:
    """Return a cell of the cross-table, with a line for each match of the two players."""
    return mark_safe("".join(f'<p class="{_classes(cell)}">{_field(cell, place=False)}</p>' for cell in cells))  # noqa: S308


def _classes(cell: Cell) -> str:
    return f"cell is-{cell.tone}" + ("" if cell.counted else f" is-{DELETED}")


def _field(cell: Cell, *, place: bool = True) -> str:
    sentence = cell.sentence if cell.counted else f"{cell.sentence} {_('Deleted, because one of the two left.')}"
    shown = f"<b>{escape(cell.letter)}</b>"
    if place and cell.opponent_place is not None:
        shown += f"<i>{cell.opponent_place}</i>"
    if cell.score:
        shown += f"<small>{cell.score[0]}–{cell.score[1]}</small>"
    text = f'<span aria-hidden="true">{shown}</span><span class="visually-hidden">{escape(sentence)}</span>'
    title = f'title="{escape(sentence)}"'
    return f'<a href="/matches/{cell.match}/" {title}>{text}</a>' if cell.match else f"<span {title}>{text}</span>"
