"""Typed lines about tables: parsed, previewed and carried out."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from enum import StrEnum
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from core.messages import sentence
from core.names import fold
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match
from matches.presentation.labels import score_of
from players.access import Role, is_at_least, role_in
from players.actors import Actor
from players.models import Player
from tournaments.floor import batches, calls, evening, undo
from tournaments.floor.calls import refuse_call, refuse_table
from tournaments.floor.derivation import floor_state
from tournaments.floor.journal import match_on_floor
from tournaments.floor.selectors import load_facts
from tournaments.floor.sentences import sentence_of_fact, sentence_of_plan
from tournaments.floor.state import FloorState
from tournaments.models import (
    ON_PAPER,
    Autopilot,
    Division,
    Entry,
    Fixture,
    Floor,
    FloorEvent,
    FloorKind,
    Slot,
    Stage,
    Table,
    Tournament,
)
from tournaments.results import quick_entry
from tournaments.results.lines import (
    MOST_LINES,
    MOST_NUMBER_DIGITS,
    Command,
    ForfeitLine,
    NamedForfeit,
    PairLine,
    ScoreLine,
    UndoLine,
    parse,
    split,
    splits_of,
)
from tournaments.results.quick_entry import (
    LineOutcome,
    NamedFixture,
    OutcomeKind,
    find_by_number,
    find_fixture,
    outcome_of_line,
)
from tournaments.state.names import match_names
from tournaments.state.sheet_codes import with_match_numbers

# Parses the floor's lines that a director types; does not use the database.
#
# t5 call m30 call M30 to table 5 m30 call call M30 to the table that is suggested for it m30 again call M30 a second
# time m30 start M30 has started m30 t7 M30 is played at table 7 m30 run 5-3 the running score of M30 m30 pin, hold,
# release put M30 first, keep it from being called, or neither m30 rest M30 needs no more rest m30 clocks M30 is
# played with clocks from now on m30 adjourn, resume M30 is adjourned, or goes on t5 free table 5 is free t5 out lamp
# broken table 5 is out of use; t5 back: it is in use again late smith 10 Smith is 10 minutes late for their match
# accessible smith Smith needs an accessible table; accessible smith off: no longer pause 20:00, pause pause the event
# until then, or until it is resumed resume end the pause auto on, auto off call matches automatically, or only
# suggest them
#
# t5 7-4 the result of the match at table 5, in the order in which its card shows the players
#
# A line that is none of these is another result, or `undo` (`tournaments.results.lines`).


MOST_MINUTES_DIGITS = 3
HOURS, MINUTES = 24, 60

_M = rf"m\s?(?P<number>\d{{1,{MOST_NUMBER_DIGITS}}})"
_T = r"t\s?(?P<table>[^\W_][\w-]{0,19})"
_NUMBERED_T = _T.replace("[^", r"(?=\w*\d)[^", 1)
"""A table with a digit in its label: `tom 7-4` is about Tom."""
_SCORE = r"(?P<left>\d{1,4})\s*[-–—−:/ ]\s*(?P<right>\d{1,4})"


class Verb(StrEnum):
    """What a line does to a match, a table or the event."""

    CALL = "call"
    AGAIN = "again"
    START = "start"
    PIN = "pin"
    HOLD = "hold"
    RELEASE = "release"
    REST = "rest"
    CLOCKS = "clocks"
    ADJOURN = "adjourn"
    SITS = "sits"
    OUT = "out"
    FREE = "free"
    BACK = "back"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class MatchLine:
    """Something about a match; `table` only for a call, empty for the suggested one, and for where it sits."""

    verb: Verb
    number: int
    table: str = ""


@dataclass(frozen=True, slots=True)
class RunningLine:
    """A running score, with the players in the order of the fixture."""

    number: int
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class TableScoreLine:
    """The result of the match at a table, in the order in which its card shows the players."""

    table: str
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class TableLine:
    """A table is free, back in use, or out of use for a reason."""

    verb: Verb
    table: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LateLine:
    """A named player is so many minutes late."""

    name: str
    minutes: int


@dataclass(frozen=True, slots=True)
class AccessibleLine:
    """A named player needs an accessible table, or no longer does."""

    name: str
    needed: bool


@dataclass(frozen=True, slots=True)
class PauseLine:
    """Pause the event until a time of day at the venue; None until it is resumed."""

    until: time | None


@dataclass(frozen=True, slots=True)
class ResumeLine:
    """End the pause."""


@dataclass(frozen=True, slots=True)
class AutopilotLine:
    mode: Autopilot


FactLine = MatchLine | RunningLine | TableLine | LateLine | AccessibleLine | PauseLine | ResumeLine | AutopilotLine
"""A line that becomes a fact of the floor."""
FloorLine = FactLine | TableScoreLine

_ABOUT_MATCH = "|".join(
    (
        Verb.CALL,
        Verb.AGAIN,
        Verb.START,
        Verb.PIN,
        Verb.HOLD,
        Verb.RELEASE,
        Verb.REST,
        Verb.CLOCKS,
        Verb.ADJOURN,
        Verb.RESUME,
    )
)
_PATTERNS: list[tuple[str, Callable[[re.Match[str]], FloorLine | None]]] = [
    (rf"{_T}\s+call\s+{_M}", lambda groups: MatchLine(Verb.CALL, int(groups["number"]), groups["table"])),
    (rf"(?:{_M}\s+call|call\s+{_M.replace('number', 'other')})\s+{_T}", lambda groups: _call(groups)),
    (rf"call\s+{_M}", lambda groups: MatchLine(Verb.CALL, int(groups["number"]))),
    (rf"{_M}\s+(?P<verb>{_ABOUT_MATCH})", lambda groups: _about_match(groups)),
    (rf"{_M}\s+run\s+(\d{{1,2}})\s*[-–−:/ ]\s*(\d{{1,2}})", lambda groups: _running(groups)),
    (rf"{_NUMBERED_T}\s+{_SCORE}", lambda groups: _table_score(groups)),
    (rf"{_M}\s+{_T}", lambda groups: MatchLine(Verb.SITS, int(groups["number"]), groups["table"])),
    (rf"{_T}\s+(?P<verb>free|back)", lambda groups: TableLine(Verb(groups["verb"].lower()), groups["table"])),
    (rf"{_T}\s+out(?:\s+(?P<reason>.+))?", lambda groups: TableLine(Verb.OUT, groups["table"], groups["reason"] or "")),
    (
        rf"late\s+(?P<name>\D.*?)\s+(?P<minutes>\d{{1,{MOST_MINUTES_DIGITS}}})\s*m?(?:in)?",
        lambda groups: LateLine(groups["name"], int(groups["minutes"])),
    ),
    (
        r"accessible\s+(?P<name>\D.*?)(?P<off>\s+off)?",
        lambda groups: AccessibleLine(groups["name"], groups["off"] is None),
    ),
    (r"pause(?:\s+(?P<hour>\d{1,2})[:.](?P<minute>\d{2}))?", lambda groups: _pause(groups)),
    (r"resume", lambda _groups: ResumeLine()),
    (r"auto(?:pilot)?\s+on", lambda _groups: AutopilotLine(Autopilot.CALL)),
    (r"auto(?:pilot)?\s+off", lambda _groups: AutopilotLine(Autopilot.SUGGEST)),
]
_COMPILED = [(re.compile(pattern, re.IGNORECASE), build) for pattern, build in _PATTERNS]


def parse_floor_line(text: str) -> FloorLine | None:
    """Parse one line; None if it is not a line of the floor.

    >>> parse_floor_line("t5 call m30")
    MatchLine(verb=<Verb.CALL: 'call'>, number=30, table='5')
    >>> parse_floor_line("t5 7-4")
    TableScoreLine(table='5', score=(7, 4))
    >>> parse_floor_line("late smith 10")
    LateLine(name='smith', minutes=10)
    >>> parse_floor_line("m22 11-7") is None
    True
    """
    line = " ".join(text.split())
    for pattern, build in _COMPILED:
        if (groups := pattern.fullmatch(line)) is not None:
            return build(groups)
    return None


def _call(groups: re.Match[str]) -> FloorLine:
    return MatchLine(Verb.CALL, int(groups["number"] or groups["other"]), groups["table"])


def _about_match(groups: re.Match[str]) -> FloorLine:
    return MatchLine(Verb(groups["verb"].lower()), int(groups["number"]))


def _running(groups: re.Match[str]) -> FloorLine:
    return RunningLine(int(groups["number"]), (int(groups[2]), int(groups[3])))


def _table_score(groups: re.Match[str]) -> FloorLine:
    return TableScoreLine(groups["table"], (int(groups["left"]), int(groups["right"])))


def _pause(groups: re.Match[str]) -> FloorLine | None:
    if groups["hour"] is None:
        return PauseLine(None)
    hour, minute = int(groups["hour"]), int(groups["minute"])
    return PauseLine(time(hour, minute)) if hour < HOURS and minute < MINUTES else None


# What a director types: lines of the floor (`tournaments.floor.lines` has the syntax), and results.


ONE_DAY = timedelta(days=1)
SAME_RESULT_AGAIN = timedelta(minutes=10)
"""For how long the same score for the same table is taken for the same line typed again."""
FOR_DIRECTORS = (PauseLine, ResumeLine, AutopilotLine, AccessibleLine)
"""Lines that assistants may not enter, beside adjournments: about the whole event, or private."""
OF_MATCH: dict[Verb, Callable[..., FloorEvent]] = {
    Verb.CALL: calls.call,
    Verb.AGAIN: calls.call_again,
    Verb.START: calls.start,
    Verb.PIN: calls.pin,
    Verb.HOLD: calls.hold,
    Verb.RELEASE: calls.release,
    Verb.REST: calls.waive_rest,
    Verb.CLOCKS: evening.put_clocks_on,
    Verb.ADJOURN: evening.adjourn,
    Verb.RESUME: evening.let_go_on,
    Verb.SITS: calls.move,
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


ONE_AFTER_ANOTHER = timedelta(microseconds=1)


def enter_lines(
    *, tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime
) -> list[LineOutcome]:
    """Do what each line says, in its own transaction: a line of the floor, or a result. Return the outcome of each.

    A refused line does not stop the others; `undo` takes back the last thing that this user did. Match slips are taken
    in the order of their numbers, each pair before its result, in whatever order they were typed.
    Refused: `line_empty`, `too_many_results`.
    """
    # Each line has a time of its own, so that the last one is undone first.
    times = (now + ONE_AFTER_ANOTHER * number for number in range(MOST_LINES))
    lines = split(text)
    outcomes = {
        place: _outcome(tournament, lines[place], division, by, at)
        for place, at in zip(_in_order_of_slips(lines), times, strict=False)
    }
    return [outcomes[place] for place in range(len(lines))]


def _in_order_of_slips(lines: Sequence[str]) -> list[int]:
    """Return the places of the lines in the order in which they are entered.

    >>> _in_order_of_slips(["m142 7-3", "undo", "m142 smith jones", "m141 smith brown"])
    [3, 1, 2, 0]
    """
    numbers: dict[int, tuple[int, bool, int]] = {}
    for place, line in enumerate(lines):
        try:
            parsed = parse(line)
        except Refused:
            continue
        if isinstance(parsed, PairLine | ScoreLine | ForfeitLine):
            numbers[place] = (parsed.fixture, not isinstance(parsed, PairLine), place)
    paired = {number for number, is_result, _place in numbers.values() if not is_result}
    slips = [place for place, (number, _is_result, _place) in numbers.items() if number in paired]
    sorted_slips = iter(sorted(slips, key=lambda place: numbers[place]))
    return [next(sorted_slips) if place in slips else place for place in range(len(lines))]


def _outcome(tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime) -> LineOutcome:
    undone = _undo(tournament, text, division, by, now)
    if undone is not None:
        return undone
    line = parse_floor_line(text)
    if isinstance(line, TableScoreLine):
        return _enter_at_table(tournament, line, text, by, now)
    if line is not None:
        return _enter_fact(tournament, line, text, division, by, now)
    if (slip := _slip(tournament, text)) is not None:
        return _enter_slip(tournament, slip, text, division, by, now)
    return outcome_of_line(tournament=tournament, text=text, division=division, by=by, now=now)


def _enter_fact(
    tournament: Tournament, line: FactLine, text: str, division: Division | None, by: Actor, now: datetime
) -> LineOutcome:
    target: Target | None = None
    try:
        refuse_assistant(tournament, line, by)
        if not Floor.objects.filter(tournament=tournament).exists():
            evening.open_floor(tournament=tournament, by=by, now=now)
        target = target_of(tournament, line, division, now)
        fact = target.act(by=by, now=now)
    except Refused as refused:
        return LineOutcome(text, OutcomeKind.REFUSED, target.fixture if target else None, refused=refused)
    return LineOutcome(text, OutcomeKind.DONE, target.fixture, text=sentence_of_fact(fact))


def _slip(tournament: Tournament, text: str) -> PairLine | ScoreLine | None:
    """Return the pair of a match slip, or a result whose slip is not typed yet; None without stages without rounds."""
    try:
        line = parse(text)
    except Refused:
        return None
    if not isinstance(line, PairLine | ScoreLine) or not _flow_stages(tournament):
        return None
    fixtures = Fixture.objects.filter(stage__division__tournament=tournament, number=line.fixture)
    if isinstance(line, PairLine):
        return line
    return None if fixtures.exists() else line


def _flow_stages(tournament: Tournament) -> list[Stage]:
    rows = Tournament.objects.select_related("club").prefetch_related("divisions__stages")
    return batches.flow_stages(rows.get(pk=tournament.pk))


def _enter_slip(
    tournament: Tournament, line: PairLine | ScoreLine, text: str, division: Division | None, by: Actor, now: datetime
) -> LineOutcome:
    fixture: Fixture | None = None
    try:
        stage, (first, second) = _pair_of_slip(tournament, line, division, by)
        fact = batches.pair_on_paper(stage=stage, number=line.fixture, first=first, second=second, by=by, now=now)
        fixture = fact.fixture
    except Refused as refused:
        return LineOutcome(text, OutcomeKind.REFUSED, fixture, refused=refused)
    return LineOutcome(text, OutcomeKind.DONE, fixture, text=sentence_of_fact(fact))


def _pair_of_slip(
    tournament: Tournament, line: PairLine | ScoreLine, division: Division | None, by: Actor
) -> tuple[Stage, tuple[Entry, Entry]]:
    """Return the two entries that the line of a match slip names, and their stage.

    Refused: `directors_only`, `slip_no_pair` for a result, `line_no_division`, `slip_nobody`, `slip_unclear`.
    """
    if isinstance(line, ScoreLine):
        raise Refused("slip_no_pair", fixture=line.fixture)
    if by.user is not None and not is_at_least(role_in(by.user, tournament.club), Role.DIRECTOR):
        raise Refused("directors_only")
    pairs = {
        frozenset((first.pk, second.pk)): (stage, (first, second))
        for stage in _stages_of_slip(tournament, line.division, division)
        for first, second in _pairs_named(line.names, stage)
    }
    if not pairs:
        raise Refused("slip_nobody", name=line.names[:40])
    if len(pairs) > 1:
        raise Refused("slip_unclear", name=line.names[:40])
    return next(iter(pairs.values()))


def _stages_of_slip(tournament: Tournament, named: str, division: Division | None) -> list[Stage]:
    stages = _flow_stages(tournament)
    if named:
        stages = [row for row in stages if fold(row.division.name).startswith(fold(named))]
        if not stages:
            raise Refused("line_no_division", name=named)
    elif division is not None and any(row.division_id == division.pk for row in stages):
        stages = [row for row in stages if row.division_id == division.pk]
    return stages


def _pairs_named(names: str, stage: Stage) -> Iterator[tuple[Entry, Entry]]:
    """Yield the pairs of entries of a stage that the names may mean."""
    entries = list(stage.division.entries.exclude(status=Entry.Status.OUT).select_related("player__merged_into"))
    for left, right in splits_of(names):
        firsts, seconds = _named(left, entries), _named(right, entries)
        yield from ((first, second) for first in firsts for second in seconds if first != second)


def _named(name: str, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries whose player's name contains this text; a full name takes precedence."""
    key = fold(name)
    named = [row for row in entries if key and key in fold(row.player.full_name)]
    return [row for row in named if fold(row.player.full_name) == key] or named


def _enter_at_table(tournament: Tournament, line: TableScoreLine, text: str, by: Actor, now: datetime) -> LineOutcome:
    target: quick_entry.Target | None = None
    try:
        target = _result_at_table(tournament, line, now)
        result = quick_entry.record_target(target, by=by, now=now)
    except Refused as refused:
        fixture, new = (target.fixture, target.new) if target is not None else (None, None)
        return LineOutcome(text, OutcomeKind.REFUSED, fixture, new=new, refused=refused)
    return LineOutcome(text, OutcomeKind.BOOKED, target.fixture, result, target.new)


def _result_at_table(tournament: Tournament, line: TableScoreLine, now: datetime) -> quick_entry.Target:
    """Return the match at a table and the result that a line gives.

    Refused: `no_such_table`, `table_free`, `line_again` if the last match at the table ended with this score just now.
    """
    table = find_table(tournament, line.table)
    on_floor = floor_state(load_facts(tournament), now).tables[table.pk].match
    if on_floor is None:
        raise Refused("table_free", table=table.label)
    rows = Fixture.objects.select_related("stage__division__tournament__club", "match__player_0", "match__player_1")
    fixture = rows.get(pk=on_floor.fixture)
    assert fixture.match is not None  # noqa: S101, it has a table
    new = ResultInput.played(line.score)
    before = table.events.exclude(fixture=fixture).filter(fixture__match__state=Match.State.SETTLED).order_by("-pk")
    last = before.select_related("fixture__match").first()
    if last is not None and last.fixture is not None and last.fixture.match is not None:
        standing = standing_result(last.fixture.match)
        if standing is not None and standing.score == line.score and now - standing.at < SAME_RESULT_AGAIN:
            # The same line typed again must not become the result of the next match.
            names = " – ".join(match_names(last.fixture, staff=True))
            raise Refused("line_again", fixture=last.fixture.number, name=names, next=fixture.number)
    return quick_entry.Target(fixture, fixture.match, new)


def _undo(tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime) -> LineOutcome | None:
    """Undo the user's last act, or the last one at the match that the line names; None if the line is not about that.

    A director undoes what anybody of the staff did at a named match, others only their own.
    """
    act: undo.Act | None = None
    try:
        line = _undo_line(text)
        if line is None:
            return None
        act = _act_to_undo(tournament, line, division, by)
        undone = undo.undo(tournament=tournament, act=act, by=by, now=now, in_order=line == Command.UNDO)
    except Refused as refused:
        return LineOutcome(text, OutcomeKind.REFUSED, act.fixture if act is not None else None, refused=refused)
    return LineOutcome(text, OutcomeKind.UNDONE, undone.fixture, text=undone.undone_text)


def _undo_line(text: str) -> UndoLine | Command | None:
    if not text.lower().startswith(Command.UNDO):
        return None
    line = parse(text)
    return line if isinstance(line, UndoLine) or line == Command.UNDO else None


def _act_to_undo(tournament: Tournament, line: UndoLine | Command, division: Division | None, by: Actor) -> undo.Act:
    """Return what a line undoes. Refused: `nothing_to_undo`, `undo_is_correction`, and as `find_by_number`."""
    if isinstance(line, UndoLine):
        fixture = find_by_number(tournament, line.fixture, division, named=line.division)
        directs = by.user is None or is_at_least(role_in(by.user, tournament.club), Role.DIRECTOR)
        act = undo.last_act_at(fixture, None if directs else by)
    else:
        act = undo.last_act(tournament, by)
        correction = undo.correction_since(tournament, by, act)
        if correction is not None:
            raise Refused("undo_is_correction", fixture=correction.fixture.number)
    if act is None:
        raise Refused("nothing_to_undo")
    return act


def refuse_assistant(tournament: Tournament, line: FactLine, by: Actor) -> None:
    """Refuse (`directors_only`) a line for directors by somebody who does not direct the event."""
    is_ruling = isinstance(line, MatchLine) and line.verb in (Verb.ADJOURN, Verb.RESUME)
    if not (is_ruling or isinstance(line, FOR_DIRECTORS)) or by.user is None:
        return
    if not is_at_least(role_in(by.user, tournament.club), Role.DIRECTOR):
        raise Refused("directors_only")


def target_of(tournament: Tournament, line: FactLine, division: Division | None, now: datetime) -> Target:
    """Return what a line is about. Refused: `no_such_table`, and what the lookup of matches and names refuses."""
    match line:
        case MatchLine(verb, number, label):
            fixture = find_by_number(tournament, number, division)
            table = find_table(tournament, label) if label else None
            arguments = {"table": table} if verb in (Verb.CALL, Verb.SITS) else {}
            return Target(partial(OF_MATCH[verb], fixture=fixture, **arguments), KINDS[verb], fixture, table)
        case RunningLine(number, score):
            fixture = find_by_number(tournament, number, division)
            act = partial(calls.set_running_score, fixture=fixture, score=score)
            return Target(act, FloorKind.RUNNING_SCORE, fixture, params={"score": score})
        case LateLine(name, minutes):
            named = find_fixture(tournament, NamedForfeit(name), division)
            player = _player(named)
            act = partial(calls.mark_late, fixture=named.fixture, player=player, minutes=minutes)
            return Target(act, FloorKind.LATE, named.fixture, player=player, params={"minutes": minutes})
        case AccessibleLine(name, needed):
            player = _player(find_fixture(tournament, NamedForfeit(name), division))
            act = partial(evening.set_needs_accessible, tournament=tournament, player=player, needed=needed)
            return Target(act, FloorKind.NEEDS_ACCESSIBLE, player=player, params={"needed": needed})
        case TableLine(Verb.OUT, label, reason):
            table = find_table(tournament, label)
            act = partial(calls.take_out_of_use, table=table, reason=reason)
            return Target(act, FloorKind.TABLE_OUT, table=table, params={"reason": reason})
        case TableLine(verb, label):
            table = find_table(tournament, label)
            service = calls.free_table if verb == Verb.FREE else calls.back_in_use
            return Target(partial(service, table=table), KINDS[verb], table=table)
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
    Verb.SITS: FloorKind.MOVED,
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
    """Return the next moment when the clocks of the event show this time of day."""
    local = now.astimezone(ZoneInfo(tournament.time_zone))
    moment = local.replace(hour=until.hour, minute=until.minute, second=0, microsecond=0)
    return moment if moment > local else moment + ONE_DAY


# What Enter will do with a line that is being typed.


@dataclass(frozen=True, slots=True)
class LinePreview:
    """What a line will do, or why it will be refused. `table` and `fixture` are ids, to outline them on the page."""

    text: str
    is_refused: bool = False
    table: int | None = None
    fixture: int | None = None


def preview_line(
    *, tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime
) -> LinePreview | None:
    """Return what Enter will do with a line; None for an empty line and for help. Nothing is written."""
    if not text.strip():
        return None
    text = with_match_numbers(tournament, text)
    try:
        line = parse_floor_line(text)
        if isinstance(line, TableScoreLine):
            return _of_result(tournament, _result_at_table(tournament, line, now), now)
        if line is not None:
            refuse_assistant(tournament, line, by)
            return _of_floor(tournament, target_of(tournament, line, division, now), now)
        parsed = parse(text)
        if parsed == Command.HELP:
            return None
        if isinstance(parsed, UndoLine) or parsed == Command.UNDO:
            return _of_undo(_act_to_undo(tournament, parsed, division, by))
        if (slip := _slip(tournament, text)) is not None:
            _stage, pair = _pair_of_slip(tournament, slip, division, by)
            return _of_slip(tournament, slip.fixture, pair)
        return _of_result(tournament, quick_entry.target_of(tournament, parsed, division), now)
    except Refused as refused:
        return LinePreview(sentence(refused.code, refused.params), is_refused=True)


def _of_floor(tournament: Tournament, target: Target, now: datetime) -> LinePreview:
    state = floor_state(load_facts(tournament), now)
    table = target.table.pk if target.table is not None else None
    if target.fixture is not None:
        row = match_on_floor(state, target.fixture)
        table = table or row.table
        if target.kind == FloorKind.CALLED:
            refuse_call(state, row)
            if target.table is not None:
                refuse_table(state, target.table, target.fixture)
    text = sentence_of_plan(
        target.kind, target.params, fixture=target.fixture, table=target.table, player=target.player,
        zone=ZoneInfo(tournament.time_zone),
    )  # fmt: skip
    return LinePreview(text, table=table, fixture=target.fixture.pk if target.fixture is not None else None)


def _of_slip(tournament: Tournament, number: int, pair: tuple[Entry, Entry]) -> LinePreview:
    names = " – ".join(entry.player.shown_name for entry in pair)
    params = {ON_PAPER: True, "match": number, "pair": names}
    return LinePreview(sentence_of_plan(FloorKind.HELD, params, zone=ZoneInfo(tournament.time_zone)))


def _of_undo(act: undo.Act) -> LinePreview:
    preview = undo.preview_undo(act)
    if preview is not None and preview.is_refused:
        return LinePreview(preview.text, is_refused=True)
    text = act.label if preview is None else f"{act.label} {preview.text}"
    return LinePreview(text, fixture=act.fixture.pk if act.fixture is not None else None)


def _of_result(tournament: Tournament, target: quick_entry.Target, now: datetime) -> LinePreview:
    fixture, match, new = target
    first, second = match_names(fixture, staff=False)
    if new.winner is None:
        outcome = _("%(first)s and %(second)s both forfeit") % {"first": first, "second": second}
    else:
        winner, loser = (first, second) if new.winner == 0 else (second, first)
        names = {"winner": winner, "loser": loser}
        if new.score is None:
            outcome = _("%(loser)s forfeits to %(winner)s") % names
        else:
            outcome = _("%(winner)s beats %(loser)s") % names + f" {score_of(match, new.winner, new.score)}"
    state = floor_state(load_facts(tournament), now)
    parts = [outcome, _place(fixture.number, fixture.pk, state), _preview_next(fixture.stage_id, fixture.number)]
    row = state.matches.get(fixture.pk)
    return LinePreview(
        " · ".join(part for part in parts if part), table=row.table if row is not None else None, fixture=fixture.pk
    )


def _place(number: int, fixture: int, state: FloorState) -> str:
    row = state.matches.get(fixture)
    if row is None or row.table is None:
        return f"M{number}"
    return _("M%(number)d, table %(table)s") % {"number": number, "table": row.where.table}


def _preview_next(stage: int, number: int) -> str:
    """Return where the winner goes, if that is a match of the same stage."""
    slots = Slot.objects.filter(fixture__stage=stage, source=Slot.Source.WINNER, source_fixture=number)
    following = slots.values_list("fixture__number", flat=True).first()
    return _("winner to M%(number)d") % {"number": following} if following is not None else ""
