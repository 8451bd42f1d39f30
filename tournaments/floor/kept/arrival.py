"""How an act of the floor arrives that was done without a connection.

It is bound to the form of its action as if it were sent now, by whoever sends it. If what the reader saw has not
changed, the action runs. What it made is named as it is for its undo.
"""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import transaction

from engine.errors import Refused
from matches.models import Match
from players.actors import Actor
from players.kept.acts import UNDO, Arrived, Kept, Outcome, Seen
from players.kept.outboxes import Arrive
from players.models import KeptAct, Player
from players.people.rows import people_of
from tournaments import access
from tournaments.entries.services import plays_in
from tournaments.floor.derivation import floor_state
from tournaments.floor.kept.rules import is_out_since
from tournaments.floor.page.actions import ACTIONS, FloorAction
from tournaments.floor.page.forms import FloorForm
from tournaments.floor.selectors import load_facts
from tournaments.floor.undo import UndoableAct, act_named, undo
from tournaments.models import Entry, Fixture, FloorEvent, Tournament

BUILT_ON = ("undo_built_on", "floor_built_on", "check_in_changed", "list_drawn", "table_out_of_use")
"""Refusals of the undo of an act by which something else has happened since."""
NUMBERS = {"points": "bad_score", "winner": "bad_score", "left": "running_score_over", "right": "running_score_over"}


def arrival_at(tournament: Tournament) -> Arrive:
    """Return how an act about an event arrives."""

    def arrive(seen: Seen, by: Actor, now: datetime) -> Arrived:
        if seen.act.action == UNDO:
            return _undo(tournament, seen, by, now)
        return _run(tournament, seen, by, now)

    return arrive


def _run(tournament: Tournament, seen: Seen, by: Actor, now: datetime) -> Arrived:
    action, kept, form = _bound(tournament, seen, by, now)
    if (changed := kept.assumed(form, seen, now)) is not None:
        return changed
    done = (kept.run or action.run)(form, by=by, now=now)
    return done if isinstance(done, Arrived) else Arrived(Outcome.DONE)


def would_arrive(tournament: Tournament, seen: Seen, by: Actor, now: datetime) -> Arrived | None:
    """Return what would become of an act now without doing it; None if it would be done. It needs a transaction.

    Refused: as its arrival, apart from what only its service refuses.
    """
    _action, kept, form = _bound(tournament, seen, by, now)
    return kept.assumed(form, seen, now)


def _bound(tournament: Tournament, seen: Seen, by: Actor, now: datetime) -> tuple[FloorAction, Kept, FloorForm]:
    """Return the action of an act, its rules and its valid form. Refused: `not_kept`, `may_not`, a wrong form."""
    action = ACTIONS.get(seen.act.action)
    if action is None or action.kept is None:
        raise Refused("not_kept")
    _require(tournament, by, action.needed)
    form = action.bind(tournament, _values(tournament, seen), now)
    form.typed_at = seen.typed_at
    if not form.is_valid():
        raise _refused_form(form)
    return action, action.kept, form


def _require(tournament: Tournament, by: Actor, needed: access.Needed) -> None:
    """Check the role that the sender has by now. Refused: `may_not`."""
    try:
        access.require_in(by.user or AnonymousUser(), tournament, needed)
    except PermissionDenied:
        raise Refused("may_not") from None


def _values(tournament: Tournament, seen: Seen) -> dict[str, Any]:
    """Return what the form of the action takes: a player stands for their entry, and a list is a text."""
    fields = dict(seen.act.fields)
    players = fields.get("players")
    if isinstance(players, list):
        fields["players"] = " ".join(map(str, players))
        if seen.act.action == "away" and len(players) == 1:
            fields |= _entry_of(tournament, str(players[0]))
    # What the reader saw takes the place of the version.
    return {**fields, "fixture": seen.act.fixture, "after": 0, "reason": ""}


def _entry_of(tournament: Tournament, player: str) -> dict[str, str]:
    """Return an entry with which a player plays, and of a pair who of the two; nothing for anybody else."""
    people = people_of(Player.objects.filter(public_id=player).values_list("pk", flat=True))
    persons = [person for own in people.values() for person in own]
    entries = Entry.objects.filter(plays_in(persons), division__tournament=tournament).select_related("player")
    entry = entries.order_by("-status", "pk").first()
    if entry is None:
        return {}
    is_one_of_two = entry.player.parts is not None and entry.player.public_id != player
    return {"entry": entry.public_id} | ({"person": player} if is_one_of_two else {})


def _refused_form(form: FloorForm) -> Refused:
    """Return the refusal for a form that is not valid."""
    name = next(iter(form.errors))
    if name == "fixture":
        return Refused("not_on_floor")
    if name in ("players", "entry", "person"):
        return Refused("one_player")
    fixture: Fixture | None = form.cleaned_data.get("fixture")
    if name not in NUMBERS or fixture is None or fixture.match is None:
        return Refused("kept_unclear")
    points = form.data.get("points")
    left, right = (form.data.get(side, points) for side in ("left", "right"))
    return Refused(NUMBERS[name], fixture=fixture.number, length=fixture.match.length, left=left, right=right)


def _undo(tournament: Tournament, seen: Seen, by: Actor, now: datetime) -> Arrived:
    """Take back an earlier act of the same outbox. Refused: `no_such_act`, and what its undo refuses."""
    _require(tournament, by, access.HELPER)
    number = seen.act.fields.get("of")
    acts = KeptAct.objects.filter(outbox=seen.outbox)
    target = acts.filter(number=number).first() if isinstance(number, int) and 0 < number < seen.act.number else None
    if target is None:
        raise Refused("no_such_act")
    if target.is_open:
        # A person has nothing to decide any more.
        acts.filter(pk=target.pk).update(
            is_open=False, decision=KeptAct.Decision.UNDONE, decided_by=by.user, decided_at=now
        )
    if target.outcome != Outcome.DONE:
        return Arrived(Outcome.CANCELLED)
    try:
        with transaction.atomic():
            for name in reversed(target.made):
                _undo_made(tournament, name, seen, by, now)
    except Refused as refused:
        if refused.code in BUILT_ON:
            return Arrived(Outcome.DIFFERS, refused.code, refused.params)
        raise
    return Arrived(Outcome.DONE)


def _undo_made(tournament: Tournament, name: str, seen: Seen, by: Actor, now: datetime) -> None:
    act = act_named(tournament, name)
    if act is None:
        raise Refused("not_undone_here")
    if isinstance(act.fact, FloorEvent) and _has_other_result(act, seen):
        raise Refused("floor_built_on")
    undo(tournament=tournament, act=act, by=by, now=now, in_order=False)
    if act.fixture is not None:
        _refuse_broken_table(tournament, act.fixture, seen, now)


def _refuse_broken_table(tournament: Tournament, fixture: Fixture, seen: Seen, now: datetime) -> None:
    """Refused: `table_out_of_use` if a match is back at a table that somebody has taken out of use since."""
    state = floor_state(load_facts(tournament, now), now)
    table = state.matches[fixture.pk].table if fixture.pk in state.matches else None
    if table is not None and table in state.facts.out and is_out_since(table, seen):
        raise Refused("table_out_of_use", table=state.tables[table].facts.label)


def _has_other_result(act: UndoableAct, seen: Seen) -> bool:
    """Whether somebody else has entered a result or a report of the match of a fact since."""
    match = act.fixture.match if act.fixture is not None else None
    if match is None or match.state == Match.State.OPEN:
        return False
    results = match.results.all()
    return not results or any(UndoableAct(row).name not in seen.own for row in results)
