"""Cards and match slips with which a stage without rounds goes on by hand, without the server."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.names import fold
from formats.graph import EntryId
from formats.plans import lengths_of
from formats.settings import LIVES
from formats.tables.tiebreaks import plain
from tournaments.floor.flows import Flow, flows_of
from tournaments.floor.selectors import FloorView
from tournaments.state.names import shown_entry

CARDS_A_PAGE = {"a4": 15, "letter": 12}
SLIPS_A_PAGE = {"a4": 24, "letter": 21}
MAX_SLIPS = 72
"""Of a stage: three pages."""
FREE_BOXES = 6
"""Boxes for further matches on a card of somebody who plays until out."""
HUNDRED = 100


@dataclass(frozen=True, slots=True)
class EntryCard:
    """The card of somebody who is still in. Of boxes, each is True if it is filled."""

    name: str
    points: str
    """In a Swiss; empty with lives."""
    lives: Sequence[bool]
    matches: Sequence[bool]
    opponents: Sequence[str]
    playing: str
    """The number of the match in which this player is; empty if free."""


@dataclass(frozen=True, slots=True)
class FlowSheet:
    """A page of cards or of slips of a stage."""

    title: str
    first: int
    last: int
    """The numbers of the free slips."""
    how: Sequence[str] = ()
    """How to pair by hand; on the first page of a stage."""
    cards: Sequence[EntryCard] = ()
    numbers: Sequence[int] = ()
    length: int | None = None
    """The match length if all matches have the same."""


def flow_sheets(view: FloorView, paper: str) -> list[FlowSheet]:
    """Return the cards and slips of the stages that are being played without rounds.

    The numbers of slips begin well above those that the site gives, so that they stay free if it goes on for a while
    after this was printed.
    """
    sheets: list[FlowSheet] = []
    last = view.tournament.last_number
    flows = flows_of(view.tournament, view.state, view.now)
    for flow in flows:
        count = _slips_needed(flow)
        first = ceil((last + count + 1) / HUNDRED) * HUNDRED + 1
        last = first + count - 1
        sheets += _sheets_of(flow, range(first, last + 1), paper)
    return sheets


def _slips_needed(flow: Flow) -> int:
    """Return the most matches that can still be made, at least one and at most `MAX_SLIPS`."""
    left = sum(player.left for player in flow.pool.players)
    most = left - 1 if flow.pool.settings.format == LIVES else left // 2
    return min(MAX_SLIPS, max(1, most))


def _sheets_of(flow: Flow, numbers: range, paper: str) -> list[FlowSheet]:
    title, first, last = flow.division.name, numbers[0], numbers[-1]
    cards = _cards(flow)
    page, slips_a_page = CARDS_A_PAGE[paper], SLIPS_A_PAGE[paper]
    # The sentences take the room of a row of cards.
    starts = [0, *range(page - 3, len(cards), page)]
    lengths = set(lengths_of(flow.pool.settings, "", flow.division.lengths))
    length = lengths.pop() if len(lengths) == 1 else None
    sheets = [
        FlowSheet(title, first, last, how=() if at else how_to_pair(flow), cards=cards[at:end])
        for at, end in zip(starts, [*starts[1:], len(cards)], strict=True)
    ]
    sheets += [
        FlowSheet(title, first, last, numbers=numbers[at : at + slips_a_page], length=length)
        for at in range(0, len(numbers), slips_a_page)
    ]
    return sheets


def how_to_pair(flow: Flow) -> list[str]:
    """Return how directors pair by hand, in four sentences; three if nobody has to wait for slower players."""
    settings = flow.pool.settings
    has_lives = settings.format == LIVES
    sentences = [
        _("Lay the cards of all who are free in rows, one for each number of lives.")
        if has_lives
        else _("Lay the cards of all who are free in rows, one for each number of points."),
        _("Shuffle a row and pair the first two who have not met: both names on a slip, its number on both cards."),
    ]
    if settings.lead:
        sentences.append(
            ngettext(
                "A card with %(count)d match more than the fewest on any table waits.",
                "A card with %(count)d matches more than the fewest on any table waits.",
                settings.lead,
            )
            % {"count": settings.lead}
        )
    sentences.append(_("A card that is alone plays the row below if nobody can come into its own row."))
    return sentences


def _cards(flow: Flow) -> list[EntryCard]:
    settings, entries = flow.pool.settings, flow.state.rows.of_division.entries
    has_lives = settings.format == LIVES
    names = {pk: shown_entry(entry, staff=False) for pk, entry in entries.items()}
    met: dict[EntryId, Counter[str]] = {}
    for row in flow.state.rows.pairings:
        if not row.taken_back:
            met.setdefault(row.first_id, Counter()).update([names[row.second_id]])
            met.setdefault(row.second_id, Counter()).update([names[row.first_id]])
    playing = {entry: match.number for match in flow.pool.playing for entry in match.pair}
    cards = []
    for player in flow.pool.players:
        if player.left < 1 and player.entry not in playing:
            continue
        free = FREE_BOXES if has_lives else player.left
        cards.append(
            EntryCard(
                names[player.entry],
                "" if has_lives else plain(player.points),
                [at >= player.left for at in range(settings.lives)] if has_lives else (),
                [True] * player.begun + [False] * free,
                [
                    name if count == 1 else f"{name} ×{count}"
                    for name, count in met.get(player.entry, Counter()).items()
                ],
                f"M{playing[player.entry]}" if player.entry in playing else "",
            )
        )
    return sorted(cards, key=lambda card: (sum(card.lives), fold(card.name)))
