"""What a director types: lines of the floor (`tournaments.floor.line_parser` has the syntax), and results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from core.names import fold
from engine.errors import Refused
from players.access import Role, is_at_least, role_in
from players.actors import Actor
from players.models import Player
from tournaments.floor.line_parser import (
    AccessibleLine,
    AutopilotLine,
    FloorLine,
    LateLine,
    MatchLine,
    MoveLine,
    OutLine,
    PauseLine,
    ResumeLine,
    RunningLine,
    TableLine,
    Verb,
    parse_floor_line,
)
from tournaments.floor.sentences import sentence_of_fact
from tournaments.floor.services import calls, closing, evening, matches, opening, tables, undo
from tournaments.models import Division, Fixture, Floor, FloorEvent, FloorKind, Table, Tournament
from tournaments.results.line_parser import Command, NamedForfeit, split
from tournaments.results.services.quick_entry import LineOutcome, OutcomeKind, find_by_number, outcome_of_line
from tournaments.results.services.quick_lookup import NamedFixture, find_fixture
from tournaments.results.services.quick_undo import last_entered

ONE_DAY = timedelta(days=1)
FOR_DIRECTORS = (PauseLine, ResumeLine, AutopilotLine, AccessibleLine)
"""Lines that assistants may not enter, beside adjournments: about the whole event, or private."""
OF_MATCH: dict[Verb, Callable[..., FloorEvent]] = {
    Verb.CALL: calls.call,
    Verb.AGAIN: calls.call_again,
    Verb.START: calls.start,
    Verb.PIN: matches.pin,
    Verb.HOLD: matches.hold,
    Verb.RELEASE: matches.release,
    Verb.REST: matches.waive_rest,
    Verb.CLOCKS: closing.put_clocks_on,
    Verb.ADJOURN: closing.adjourn,
    Verb.RESUME: closing.let_go_on,
}


@dataclass(frozen=True, slots=True)
class Target:
    """What a line is about, with what doing it takes."""

    act: Callable[..., FloorEvent]
    kind: FloorKind
    fixture: Fixture | None = None
    table: Table | None = None
    player: Player | None = None
    params: Mapping[str, Any] = field(default_factory=dict)


def enter_lines(
    *, tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime
) -> list[LineOutcome]:
    """Do what each line says, in its own transaction: a line of the floor, or a result. Return the outcome of each.

    A refused line does not stop the others; `undo` takes back this director's last line.
    Refused: `line_empty`, `too_many_results`.
    """
    return [_outcome(tournament, line, division, by, now) for line in split(text)]


def _outcome(tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime) -> LineOutcome:
    done = enter_floor_line(tournament, text, division, by, now)
    if done is not None:
        return done
    return outcome_of_line(tournament=tournament, text=text, division=division, by=by, now=now)


def enter_floor_line(
    tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime
) -> LineOutcome | None:
    """Do what a line of the floor says and return the outcome; None if it is not one.

    `undo` takes back the user's last fact of the floor, unless a result was entered by a line since.
    """
    if text.strip().lower() == Command.UNDO:
        return _undo(tournament, text, by, now)
    line = parse_floor_line(text)
    if line is None:
        return None
    target: Target | None = None
    try:
        refuse_assistant(tournament, line, by)
        if not Floor.objects.filter(tournament=tournament).exists():
            opening.open_floor(tournament=tournament, by=by, now=now)
        target = target_of(tournament, line, division, now)
        fact = target.act(by=by, now=now)
    except Refused as refused:
        return LineOutcome(text, OutcomeKind.REFUSED, target.fixture if target else None, refused=refused)
    return LineOutcome(text, OutcomeKind.DONE, target.fixture, text=sentence_of_fact(fact))


def _undo(tournament: Tournament, text: str, by: Actor, now: datetime) -> LineOutcome | None:
    fact, entered = undo.last_of(tournament, by), last_entered(tournament, by)
    if fact is None or (entered is not None and entered.at > fact.at):
        return None
    try:
        undone = undo.undo(tournament=tournament, event=fact, by=by, now=now)
    except Refused as refused:
        return LineOutcome(text, OutcomeKind.REFUSED, fact.fixture, refused=refused)
    return LineOutcome(text, OutcomeKind.DONE, undone.fixture, text=sentence_of_fact(undone, undone=True))


def refuse_assistant(tournament: Tournament, line: FloorLine, by: Actor) -> None:
    """Refuse (`directors_only`) a line for directors by somebody who does not direct the event."""
    is_ruling = isinstance(line, MatchLine) and line.verb in (Verb.ADJOURN, Verb.RESUME)
    if not (is_ruling or isinstance(line, FOR_DIRECTORS)) or by.user is None:
        return
    if not is_at_least(role_in(by.user, tournament.club), Role.DIRECTOR):
        raise Refused("directors_only")


def target_of(tournament: Tournament, line: FloorLine, division: Division | None, now: datetime) -> Target:
    """Return what a line is about. Refused: `no_such_table`, and what the lookup of matches and names refuses."""
    match line:
        case MatchLine(verb, number, label):
            fixture = find_by_number(tournament, number, division)
            table = find_table(tournament, label) if label else None
            arguments = {"table": table} if verb == Verb.CALL else {}
            return Target(partial(OF_MATCH[verb], fixture=fixture, **arguments), KINDS[verb], fixture, table)
        case MoveLine(number, label):
            fixture, table = find_by_number(tournament, number, division), find_table(tournament, label)
            return Target(partial(calls.move, fixture=fixture, table=table), FloorKind.MOVED, fixture, table)
        case RunningLine(number, score):
            fixture = find_by_number(tournament, number, division)
            act = partial(matches.set_running_score, fixture=fixture, score=score)
            return Target(act, FloorKind.RUNNING_SCORE, fixture, params={"score": score})
        case LateLine(name, minutes):
            named = find_fixture(tournament, NamedForfeit(name), division)
            player = _player(named)
            act = partial(matches.mark_late, fixture=named.fixture, player=player, minutes=minutes)
            return Target(act, FloorKind.LATE, named.fixture, player=player, params={"minutes": minutes})
        case AccessibleLine(name, needed):
            player = _player(find_fixture(tournament, NamedForfeit(name), division))
            act = partial(evening.set_needs_accessible, tournament=tournament, player=player, needed=needed)
            return Target(act, FloorKind.NEEDS_ACCESSIBLE, player=player, params={"needed": needed})
        case TableLine(verb, label):
            table = find_table(tournament, label)
            service = tables.free_table if verb == Verb.FREE else tables.back_in_use
            return Target(partial(service, table=table), KINDS[verb], table=table)
        case OutLine(label, reason):
            table = find_table(tournament, label)
            act = partial(tables.take_out_of_use, table=table, reason=reason)
            return Target(act, FloorKind.TABLE_OUT, table=table, params={"reason": reason})
        case PauseLine() | ResumeLine() | AutopilotLine():
            return _of_event(tournament, line, now)


def _of_event(tournament: Tournament, line: PauseLine | ResumeLine | AutopilotLine, now: datetime) -> Target:
    match line:
        case PauseLine(until):
            end = _next(tournament, now, until) if until is not None else None
            act = partial(evening.pause, tournament=tournament, until=end)
            return Target(act, FloorKind.PAUSED, params={"until": end.isoformat() if end else None})
        case ResumeLine():
            return Target(partial(evening.resume, tournament=tournament), FloorKind.RESUMED)
        case AutopilotLine(mode):
            act = partial(evening.set_autopilot, tournament=tournament, mode=mode)
            return Target(act, FloorKind.AUTOPILOT, params={"mode": mode.value})


KINDS = {
    Verb.CALL: FloorKind.CALLED,
    Verb.AGAIN: FloorKind.CALLED_AGAIN,
    Verb.START: FloorKind.STARTED,
    Verb.PIN: FloorKind.PINNED,
    Verb.HOLD: FloorKind.HELD,
    Verb.RELEASE: FloorKind.RELEASED,
    Verb.REST: FloorKind.REST_WAIVED,
    Verb.CLOCKS: FloorKind.CLOCKS,
    Verb.ADJOURN: FloorKind.ADJOURNED,
    Verb.RESUME: FloorKind.CONTINUED,
    Verb.FREE: FloorKind.FREED,
    Verb.BACK: FloorKind.TABLE_BACK,
}


def find_table(tournament: Tournament, label: str) -> Table:
    """Return the table of an event with this label, in upper or lower case. Refused: `no_such_table`."""
    for table in tournament.floor_tables.all():
        if fold(table.label) == fold(label):
            return table
    raise Refused("no_such_table", table=label)


def _player(named: NamedFixture) -> Player:
    return named.match.players[named.side]


def _next(tournament: Tournament, now: datetime, until: time) -> datetime:
    """Return the next moment at which it is this time of day at the event."""
    local = now.astimezone(ZoneInfo(tournament.time_zone))
    moment = local.replace(hour=until.hour, minute=until.minute, second=0, microsecond=0)
    return moment if moment > local else moment + ONE_DAY
