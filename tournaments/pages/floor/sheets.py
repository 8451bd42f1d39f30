"""The sheets of a match and of a table on the floor: what can be done with them, and what a result leads to."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from matches.models import Match
from players.access import Role
from players.actors import Actor
from tournaments.events.views.pages import event_url_args
from tournaments.floor import selectors
from tournaments.floor.selectors import FloorView, MatchView
from tournaments.floor.services.journal import latest
from tournaments.floor.state import MatchState, TableState
from tournaments.models import Fixture, FloorEvent, FloorKind, Slot, Table, Tournament
from tournaments.pages.floor.posts import action_url
from tournaments.pages.floor.reentries import reentry_posts
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
    again = reentry_posts(tournament, [fixture], now, with_undo=True) if context["may_direct"] else {}
    context |= {
        "on_floor": on_floor,
        "score_url": action_url(tournament, "score"),
        "move_url": action_url(tournament, "move"),
        "late_url": action_url(tournament, "late"),
        "buttons": _buttons(tournament, on_floor),
        "again": again.get(fixture.pk),
        "tables": [table for table in view.tables.values() if table.match is None],
    }
    if fixture.match is not None:
        names = context["names"]
        entered = latest(fixture, FloorKind.RUNNING_SCORE) if on_floor is not None else None
        running = (on_floor.row.score if on_floor is not None else None) or fixture.match.start_score
        context |= {
            "running": running,
            "entered": entered,
            "entered_by": _entered_by(entered, names) if entered is not None else "",
            "take_back_score_url": action_url(tournament, "take-back-score"),
            "form": ResultForm(names=names, initial=_proposed(running, fixture.match.length)),
            "closing": _closing(fixture, on_floor, names, running) if context.get("may_rule") else None,
            "then": [_then(fixture, names, winner, view) for winner in (0, 1)],
        }
    return context


def _proposed(running: tuple[int, int], length: int) -> dict[str, int]:
    """Return the score that the final result starts with: the leader has won."""
    left, right = running
    if left == right:
        return {"left": left, "right": right}
    return {"left": length, "right": right} if left > right else {"left": left, "right": length}


def _closing(
    fixture: Fixture, on_floor: MatchView | None, names: tuple[str, str], running: tuple[int, int]
) -> dict[str, Any] | None:
    """Return what a director can do with a match at closing time; None once it is reported, or played on the site."""
    match = fixture.match
    if on_floor is None or match is None or match.state != Match.State.OPEN or on_floor.state in OVER:
        return None
    tournament = fixture.stage.division.tournament
    lengths = range(max(running) + 1, match.length)
    leader = None if running[0] == running[1] else int(running[1] > running[0])
    return {
        "leader": None if leader is None else names[leader],
        "leader_then": "" if leader is None else _then(fixture, names, leader, None),
        "may_adjourn": on_floor.state == MatchState.PLAYING,
        "may_settle": on_floor.state in (MatchState.PLAYING, MatchState.ADJOURNED),
        "lengths": list(lengths),
        "may_propose": on_floor.state == MatchState.PLAYING,
        "offer": _offer(on_floor, names),
        "offered": on_floor.row.offer,
        "shortened": _shortened(on_floor, names),
        "position": _position(fixture) if on_floor.state == MatchState.ADJOURNED else "",
        **{
            f"{name}_url": action_url(tournament, action)
            for name, action in (
                ("leader", "leader-wins"), ("settle", "settle"), ("adjourn", "adjourn"), ("shorten", "shorten-match"),
                ("propose", "propose-length"), ("withdraw", "withdraw-length"), ("take_back", "take-back-length"),
            )
        },
    }  # fmt: skip


def _offer(on_floor: MatchView, names: tuple[str, str]) -> str:
    """Return which shorter length the players can agree on, and who has agreed; empty if none is on offer."""
    offer = on_floor.row.offer
    if offer is None:
        return ""
    agreed = next(iter(offer.agreed), None)
    if agreed is None:
        return _("The players are asked whether they agree to %(length)d points.") % {"length": offer.length}
    values = {"name": names[agreed], "other": names[1 - agreed], "length": offer.length}
    return _("%(name)s wants to play to %(length)d points. %(other)s has not answered yet.") % values


def _shortened(on_floor: MatchView, names: tuple[str, str]) -> dict[str, Any] | None:
    """Return how a match was shortened last, to be taken back; None if it has the length it began with."""
    fact = on_floor.row.shortened
    if fact is None:
        return None
    values = {"length": fact.params["length"], "was": fact.params["was"]}
    if fact.params.get("side") is None:
        text = _("Shortened to %(length)d points instead of %(was)d.") % values
    else:
        text = _("The players agreed to play to %(length)d points instead of %(was)d.") % values
    return {"fact": fact.id, "text": text, "at": fact.at}


def _position(fixture: Fixture) -> str:
    """Return the position in which a match was adjourned, as it was typed; empty if it was not."""
    adjourned = latest(fixture, FloorKind.ADJOURNED)
    return str(adjourned.params.get("position", "")) if adjourned is not None else ""


def _entered_by(score: FloorEvent, names: tuple[str, str]) -> str:
    """Return who entered a running score: one of the players, or the member of the staff who did."""
    if (side := score.params.get("side")) is not None:
        return names[side]
    return score.user.display_name if score.user is not None else ""


def _then(fixture: Fixture, names: tuple[str, str], winner: int, view: FloorView | None) -> str:
    """Return what happens if this side wins, in words; with `view` also what becomes of the table."""
    slots = Slot.objects.filter(fixture__stage=fixture.stage_id, source_fixture=fixture.number)
    ways = {slot.source: slot.fixture.number for slot in slots.select_related("fixture")}
    parts = []
    for source, side in ((Slot.Source.WINNER, winner), (Slot.Source.LOSER, 1 - winner)):
        if source in ways:
            parts.append(_("%(name)s goes to M%(number)s.") % {"name": names[side], "number": ways[source]})
    row = view.matches.get(fixture.pk) if view is not None else None
    if row is not None and row.table:
        parts.append(_("Table %(table)s is free.") % {"table": row.table})
    return " ".join(parts)


def _buttons(tournament: Tournament, match: MatchView | None) -> list[Button]:
    """Return what can be done with a match in its state with one tap."""
    if match is None or match.state in OVER:
        return []
    buttons = []
    if match.state == MatchState.PLAYING and match.row.clocks is None:
        buttons.append(Button(action_url(tournament, "clocks"), _("Put clocks on")))
    if match.state == MatchState.ADJOURNED:
        buttons.append(Button(action_url(tournament, "let-go-on"), _("Let it go on")))
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
