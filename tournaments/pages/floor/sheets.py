"""The sheets of a match and of a table on the floor: what can be done with them, and what a result leads to."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from players.access import Role
from players.actors import Actor
from tournaments.events.views.pages import event_url_args
from tournaments.floor import selectors
from tournaments.floor.selectors import FloorView, MatchView
from tournaments.floor.state import MatchState, TableState
from tournaments.models import Fixture, Slot, Table, Tournament
from tournaments.pages.floor.page import action_url
from tournaments.results.forms.fixtures import ResultForm
from tournaments.results.selectors.fixtures import fixture_page

GOING_ON = (MatchState.CALLED, MatchState.PLAYING)
NOT_CALLED = (MatchState.WAITING, MatchState.READY)
OVER = (MatchState.REPORTED, MatchState.SETTLED)


@dataclass(frozen=True, slots=True)
class Button:
    """A button of a sheet: where it posts and its label."""

    url: str
    label: str


def match_sheet(fixture: Fixture, role: Role | None, by: Actor, now: datetime) -> dict[str, Any]:
    """Return the context of the sheet of a match: forms for scores, what a result leads to, and its other actions."""
    tournament = fixture.stage.division.tournament
    context = fixture_page(fixture, role, by, now)
    view = selectors.floor(tournament, now)
    on_floor = view.matches.get(fixture.pk)
    context |= {
        "on_floor": on_floor,
        "score_url": action_url(tournament, "score"),
        "move_url": action_url(tournament, "move"),
        "late_url": action_url(tournament, "late"),
        "buttons": _buttons(tournament, on_floor),
        "tables": [table for table in view.tables.values() if table.match is None],
    }
    if fixture.match is not None:
        names = context["names"]
        running = (on_floor.row.score if on_floor is not None else None) or fixture.match.start_score
        context |= {
            "running": running,
            "form": ResultForm(names=names, initial=_proposed(running, fixture.match.length)),
            "then": [_then(fixture, names, winner, view) for winner in (0, 1)],
        }
    return context


def _proposed(running: tuple[int, int], length: int) -> dict[str, int]:
    """Return the score that the final result starts with: the leader has won."""
    left, right = running
    if left == right:
        return {"left": left, "right": right}
    return {"left": length, "right": right} if left > right else {"left": left, "right": length}


def _then(fixture: Fixture, names: tuple[str, str], winner: int, view: FloorView) -> str:
    """Return what happens if this side wins, in words."""
    slots = Slot.objects.filter(fixture__stage=fixture.stage_id, source_fixture=fixture.number)
    ways = {slot.source: slot.fixture.number for slot in slots.select_related("fixture")}
    parts = []
    for source, side in ((Slot.Source.WINNER, winner), (Slot.Source.LOSER, 1 - winner)):
        if source in ways:
            parts.append(_("%(name)s goes to M%(number)s.") % {"name": names[side], "number": ways[source]})
    row = view.matches.get(fixture.pk)
    if row is not None and row.table:
        parts.append(_("Table %(table)s is free.") % {"table": row.table})
    return " ".join(parts)


def _buttons(tournament: Tournament, match: MatchView | None) -> list[Button]:
    """Return what can be done with a match in its state with one tap."""
    if match is None or match.state in OVER:
        return []
    buttons = []
    if match.state in NOT_CALLED:
        codes = {reason.code for reason in match.row.reasons}
        if codes <= {"rests", "no_table", "no_accessible_table"}:
            buttons.append(Button(action_url(tournament, "call"), _("Call to a table")))
        if "rests" in codes:
            buttons.append(Button(action_url(tournament, "waive-rest"), _("Waive the rest")))
        if match.row.pinned or match.row.held:
            buttons.append(Button(action_url(tournament, "release"), _("Usual order")))
        else:
            buttons.append(Button(action_url(tournament, "pin"), _("Put first")))
            buttons.append(Button(action_url(tournament, "hold"), _("Hold")))
    if match.state == MatchState.CALLED:
        buttons.append(Button(action_url(tournament, "start"), _("Start")))
        buttons.append(Button(action_url(tournament, "call-again"), _("Call again")))
        buttons.append(Button(action_url(tournament, "take-back"), _("Take back the call")))
    return buttons


def table_sheet(tournament: Tournament, table: Table, now: datetime) -> dict[str, Any]:
    """Return the context of the sheet of a table."""
    view = selectors.floor(tournament, now)
    shown = view.tables[table.pk]
    return {
        "tournament": tournament,
        "club": tournament.club,
        "url_args": event_url_args(tournament),
        "table": shown,
        "is_out": shown.row.state == TableState.OUT,
        "callable": view.queue[:8],
        "call_url": action_url(tournament, "call"),
        "free_url": action_url(tournament, "free"),
        "out_url": action_url(tournament, "out"),
        "back_url": action_url(tournament, "back"),
    }
