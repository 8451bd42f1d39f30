"""Typed lines (`tournaments.results.lines` has the syntax): previewed and carried out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils.translation import gettext as _

from core.messages import sentence
from core.names import fold
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match
from matches.presentation.labels import score_of
from players.access import Role, is_at_least, role_in
from players.actors import Actor
from tournaments.floor import by_hand, calls, evening, flows, undo
from tournaments.floor.derivation import floor_state
from tournaments.floor.selectors import load_facts
from tournaments.floor.sentences import sentence_of_fact
from tournaments.floor.state import FloorState
from tournaments.models import Autopilot, Division, Entry, Fixture, Floor, FloorEvent, Slot, Stage, Table, Tournament
from tournaments.results import quick_entry
from tournaments.results.lines import TypedLine, Verb, parse, split, splits_of
from tournaments.results.quick_entry import LineOutcome, OutcomeKind, find_by_number, find_fixture
from tournaments.state.locks import lock_division
from tournaments.state.names import match_names
from tournaments.state.settle import settle
from tournaments.state.sheet_codes import with_match_numbers

ONE_DAY = timedelta(days=1)
SAME_RESULT_AGAIN = timedelta(minutes=10)
"""For how long the same score for the same table is taken for the same line typed again."""
FOR_DIRECTORS = (Verb.PAUSE, Verb.RESUME, Verb.AUTO, Verb.ACCESSIBLE, Verb.ADJOURN)
"""Lines that assistants may not enter: about the whole event, private, or adjournments."""
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


class LineTarget(NamedTuple):
    """What a line is about, with what doing it takes."""

    act: Callable[..., FloorEvent]
    fixture: Fixture | None = None
    table: Table | None = None


ONE_AFTER_ANOTHER = timedelta(microseconds=1)


def enter_lines(
    *,
    tournament: Tournament,
    text: str,
    division: Division | None,
    by: Actor,
    now: datetime,
    seen: int | None = None,
) -> list[LineOutcome]:
    """Do what each line says, in its own transaction: a line of the floor, or a result. Return the outcome of each.

    A refused line does not stop the others; `undo` takes back the last thing that this user did. The results of an
    evening may come in any order: one whose match was not open is tried again after the others. Match slips are taken
    in the order of their numbers, each pair before its result. Pasting the same list again enters nothing twice.
    `seen` is the newest fact of the floor that the user saw: a line about a table is about the match that was there.
    Refused: `line_empty`, `too_many_results`.
    """
    # Each line has a time of its own, so that the last one is undone first.
    times = (now + ONE_AFTER_ANOTHER * number for number in count())
    lines = split(with_match_numbers(tournament, text))
    outcomes: dict[int, LineOutcome] = {}
    places = _in_order_of_slips(lines)
    while places:
        for place in places:
            at = LineReader(tournament, division, by, next(times), in_list=len(lines) > 1, seen=seen)
            outcomes[place] = _outcome(at, lines[place])
        is_booked = any(outcomes[place].result is not None for place in places)
        places = [place for place in places if outcomes[place].is_too_early]
        if places and not (_move_on(tournament, now) or is_booked):
            break
    return [outcomes[place] for place in range(len(lines))]


def _move_on(tournament: Tournament, now: datetime) -> bool:
    """Open the matches that follow from results which can still be undone; whether there were any."""
    topics = {division.topic: division.pk for division in tournament.divisions.all()}
    waiting = Match.objects.filter(parent_topic__in=topics, settle_at__isnull=False, unsettled=True)
    divisions = sorted(topics[topic] for topic in waiting.values_list("parent_topic", flat=True).distinct())
    for pk in divisions:
        with transaction.atomic():
            settle(lock_division(pk), now=now)
    return bool(divisions)


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
        if parsed.number is not None and parsed.verb in (Verb.PAIR, Verb.SCORE, Verb.FORFEIT):
            numbers[place] = (parsed.number, parsed.verb != Verb.PAIR, place)
    paired = {number for number, is_result, _place in numbers.values() if not is_result}
    slips = [place for place, (number, _is_result, _place) in numbers.items() if number in paired]
    sorted_slips = iter(sorted(slips, key=lambda place: numbers[place]))
    return [next(sorted_slips) if place in slips else place for place in range(len(lines))]


@dataclass(frozen=True, slots=True)
class LineReader:
    """For whom, where and when a line is read; `division` is the one on the screen."""

    tournament: Tournament
    division: Division | None
    by: Actor
    now: datetime
    in_list: bool = False
    seen: int | None = None

    @property
    def directs(self) -> bool:
        """Whether they direct the event."""
        return self.by.user is None or is_at_least(role_in(self.by.user, self.tournament.club), Role.DIRECTOR)


Target = Any


class LineKind(NamedTuple):
    """A kind of line: how what it is about is found, and what is done and shown with that."""

    find: Callable[[LineReader, TypedLine], Target]
    """Refused: as for the kind; nothing is written."""
    enter: Callable[[LineReader, str, Target], LineOutcome]
    preview: Callable[[LineReader, Target], "LinePreview"] | None = None
    """What is shown before, if it says more than the sentence of what was done."""


def _kind_of(reader: LineReader, line: TypedLine) -> LineKind:
    """Return the kind of a line, for its preview and for Enter alike. Refused: `directors_only`."""
    if line.verb == Verb.UNDO:
        return UNDO
    if line.verb in FOR_DIRECTORS and not reader.directs:
        raise Refused("directors_only")
    if line.verb not in quick_entry.RESULTS:
        return FACT
    if line.table:
        return AT_TABLE
    return SLIP if _is_slip(reader.tournament, line) else RESULT


def _kind_and_target(reader: LineReader, line: TypedLine) -> tuple[LineKind, Target]:
    """Return the kind of a line and what it is about, on a floor that is open if the line is about one."""
    kind = _kind_of(reader, line)
    if kind is FACT and not Floor.objects.filter(tournament=reader.tournament).exists():
        evening.open_floor(tournament=reader.tournament, by=reader.by, now=reader.now)
    return kind, kind.find(reader, line)


def _outcome(reader: LineReader, text: str) -> LineOutcome:
    target: Target = None
    try:
        line = parse(text)
        if line.verb == Verb.HELP:
            return LineOutcome(text, OutcomeKind.HELP)
        kind, target = _kind_and_target(reader, line)
        return kind.enter(reader, text, target)
    except Refused as refused:
        fixture = getattr(target, "fixture", None) or quick_entry.fixture_of_refusal(reader.tournament, refused)
        return LineOutcome(text, OutcomeKind.REFUSED, fixture, new=getattr(target, "new", None), refused=refused)


def _is_slip(tournament: Tournament, line: TypedLine) -> bool:
    """Whether a line is the pair of a match slip, or a result without one, in a stage without rounds."""
    if line.number is None or line.verb not in (Verb.PAIR, Verb.SCORE) or not _flow_stages(tournament):
        return False
    fixtures = Fixture.objects.filter(stage__division__tournament=tournament, number=line.number)
    return line.verb == Verb.PAIR or not fixtures.exists()


def _flow_stages(tournament: Tournament) -> list[Stage]:
    rows = Tournament.objects.select_related("club").prefetch_related("divisions__stages")
    return flows.flow_stages(rows.get(pk=tournament.pk))


class Slip(NamedTuple):
    """The two entries that the line of a match slip names, and their stage."""

    stage: Stage
    number: int
    pair: tuple[Entry, Entry]


def _pair_of_slip(reader: LineReader, line: TypedLine) -> Slip:
    """Refused: `directors_only`, `slip_no_pair` for a result, `line_no_division`, `slip_nobody`, `slip_unclear`."""
    assert line.number is not None  # noqa: S101, a slip has one
    if line.verb == Verb.SCORE:
        raise Refused("slip_no_pair", fixture=line.number)
    if not reader.directs:
        raise Refused("directors_only")
    pairs = {
        frozenset((first.pk, second.pk)): Slip(stage, line.number, (first, second))
        for stage in _stages_of_slip(reader.tournament, line.division, reader.division)
        for first, second in _pairs_named(line.names[0], stage)
    }
    if not pairs:
        raise Refused("slip_nobody", name=line.names[0][:40])
    if len(pairs) > 1:
        raise Refused("slip_unclear", name=line.names[0][:40])
    return next(iter(pairs.values()))


def _enter_slip(reader: LineReader, text: str, slip: Slip) -> LineOutcome:
    first, second = slip.pair
    fact = by_hand.pair_on_paper(
        stage=slip.stage, number=slip.number, first=first, second=second, by=reader.by, now=reader.now
    )
    return LineOutcome(text, OutcomeKind.DONE, fact.fixture, text=sentence_of_fact(fact))


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


def _enter_result(reader: LineReader, text: str, target: quick_entry.MatchTarget) -> LineOutcome:
    result = quick_entry.record_target(target, by=reader.by, now=reader.now)
    return LineOutcome(text, OutcomeKind.BOOKED, target.fixture, result, target.new)


def _result_at_table(reader: LineReader, line: TypedLine) -> quick_entry.MatchTarget:
    """Return the match at a table and the result that a line gives.

    Refused: `no_such_table`, `table_free`, `line_table_changed` if the reader saw another match there, `line_again` if
    one at the table ended with this score just now.
    """
    table = find_table(reader.tournament, line.table)
    on_floor = floor_state(load_facts(reader.tournament, reader.now), reader.now).tables[table.pk].match
    if on_floor is None:
        raise Refused("table_free", table=table.label)
    rows = Fixture.objects.select_related("stage__division__tournament__club", "match__player_0", "match__player_1")
    fixture = rows.get(pk=on_floor.fixture)
    assert fixture.match is not None  # noqa: S101, it has a table
    assert line.score is not None  # noqa: S101, it is a result
    new = ResultInput.played(line.score)
    before = Fixture.objects.filter(floor_events__table=table, match__state=Match.State.SETTLED).exclude(pk=fixture.pk)
    for last in before.select_related("match").distinct():
        standing = standing_result(last.match) if last.match is not None else None
        if standing is not None and standing.score == line.score and reader.now - standing.at < SAME_RESULT_AGAIN:
            # The same line typed again must not become the result of the next match.
            names = " – ".join(match_names(last, staff=True))
            raise Refused("line_again", fixture=last.number, name=names, next=fixture.number)
    if reader.seen is not None and on_floor.facts.sent_there > reader.seen:
        names = " – ".join(match_names(fixture, staff=True))
        raise Refused("line_table_changed", table=table.label, fixture=fixture.number, name=names)
    return quick_entry.MatchTarget(fixture, fixture.match, new)


class ToUndo(NamedTuple):
    """What is undone; `in_order` if nothing was done after it."""

    act: undo.UndoableAct
    in_order: bool

    @property
    def fixture(self) -> Fixture | None:
        """The match that it is about."""
        return self.act.fixture


def _act_to_undo(reader: LineReader, line: TypedLine) -> ToUndo:
    """Return the user's last act, or the last one at the match that the line names.

    A director undoes what anybody of the staff did at a named match, others only their own.
    Refused: `nothing_to_undo`, and as `find_by_number`.
    """
    tournament, by = reader.tournament, reader.by
    if line.number is not None:
        fixture = find_by_number(tournament, line, reader.division)
        act = undo.last_act_at(fixture, None if reader.directs else by)
    else:
        act = undo.last_act(tournament, by)
    if act is None:
        raise Refused("nothing_to_undo")
    return ToUndo(act, line.number is None)


def _undo(reader: LineReader, text: str, target: ToUndo) -> LineOutcome:
    undone = undo.undo(
        tournament=reader.tournament, act=target.act, by=reader.by, now=reader.now, in_order=target.in_order
    )
    return LineOutcome(text, OutcomeKind.UNDONE, undone.fixture, text=undone.undone_text)


def _enter_fact(reader: LineReader, text: str, target: LineTarget) -> LineOutcome:
    fact = target.act(by=reader.by, now=reader.now)
    return LineOutcome(text, OutcomeKind.DONE, target.fixture, text=sentence_of_fact(fact))


def target_of(reader: LineReader, line: TypedLine) -> LineTarget:
    """Return what a line is about. Refused: `no_such_table`, and what the lookup of matches and names refuses."""
    tournament, division, now = reader.tournament, reader.division, reader.now
    match line.verb:
        case Verb.PAUSE:
            end = _next(tournament, now, line.value) if line.value else None
            return LineTarget(partial(evening.pause, tournament=tournament, until=end))
        case Verb.RESUME if line.number is None:
            return LineTarget(partial(evening.resume, tournament=tournament))
        case Verb.AUTO:
            mode = Autopilot.CALL if line.value.lower() == "on" else Autopilot.SUGGEST
            return LineTarget(partial(evening.set_autopilot, tournament=tournament, mode=mode))
        case Verb.LATE:
            named, minutes = find_fixture(tournament, line, division), int(line.value)
            player = named.match.players[named.side]
            act = partial(calls.mark_late, fixture=named.fixture, player=player, minutes=minutes)
            return LineTarget(act, named.fixture)
        case Verb.ACCESSIBLE:
            named = find_fixture(tournament, line, division)
            player = named.match.players[named.side]
            act = partial(evening.set_needs_accessible, tournament=tournament, player=player, needed=not line.value)
            return LineTarget(act)
        case Verb.OUT:
            table = find_table(tournament, line.table)
            return LineTarget(partial(calls.take_out_of_use, table=table, reason=line.value), table=table)
        case Verb.FREE | Verb.BACK:
            table = find_table(tournament, line.table)
            service = calls.free_table if line.verb == Verb.FREE else calls.back_in_use
            return LineTarget(partial(service, table=table), table=table)
    fixture = find_by_number(tournament, line, division)
    if line.score is not None:
        return LineTarget(partial(calls.set_running_score, fixture=fixture, score=line.score), fixture)
    at = find_table(tournament, line.table) if line.table else None
    arguments = {"table": at} if line.verb in (Verb.CALL, Verb.SITS) else {}
    return LineTarget(partial(OF_MATCH[line.verb], fixture=fixture, **arguments), fixture, at)


def find_table(tournament: Tournament, label: str) -> Table:
    """Return the table of an event with this label, in upper or lower case. Refused: `no_such_table`."""
    for table in tournament.floor_tables.all():
        if fold(table.label) == fold(label):
            return table
    raise Refused("no_such_table", table=label)


def _next(tournament: Tournament, now: datetime, until: str) -> datetime:
    """Return the next moment when the clocks of the event show this time of day, such as 20:00."""
    local = now.astimezone(ZoneInfo(tournament.time_zone))
    hour, minute = map(int, until.replace(".", ":").split(":"))
    moment = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return moment if moment > local else moment + ONE_DAY


# What Enter will do with a line that is being typed.


@dataclass(frozen=True, slots=True)
class LinePreview:
    """What a line will do, or why it will be refused. `table` is an id, to outline it on the page."""

    text: str
    is_refused: bool = False
    table: int | None = None


def preview_line(*, tournament: Tournament, text: str, by: Actor, now: datetime) -> LinePreview | None:
    """Return what Enter will do with a line or a list; None for an empty line and for help.

    Nothing stays written: a line is done and taken back, since only doing it says whether it is refused.
    """
    if not text.strip():
        return None
    reader = LineReader(tournament, None, by, now)
    try:
        lines = split(with_match_numbers(tournament, text))
        if len(lines) > 1:
            number = {"count": len(lines)}
            return LinePreview(_("%(count)d lines: the right ones are entered, the others stay here.") % number)
        line = parse(lines[0])
        if line.verb == Verb.HELP:
            return None
        with transaction.atomic():
            shown = _previewed(reader, lines[0], line)
            transaction.set_rollback(True)
        return shown
    except Refused as refused:
        return LinePreview(sentence(refused.code, refused.params), is_refused=True)


def _previewed(reader: LineReader, text: str, line: TypedLine) -> LinePreview:
    """Do what Enter will, and say so; whoever calls it takes it back."""
    kind, target = _kind_and_target(reader, line)
    shown = kind.preview(reader, target) if kind.preview is not None else None
    if shown is not None and shown.is_refused:
        return shown
    outcome = kind.enter(reader, text, target)
    if shown is not None:
        return shown
    named: Table | None = getattr(target, "table", None)
    rows = floor_state(load_facts(reader.tournament, reader.now), reader.now).matches
    row = rows.get(outcome.fixture.pk) if outcome.fixture is not None else None
    table = named.pk if named is not None else row.table if row is not None else None
    return LinePreview(_("After Enter: %(fact)s") % {"fact": outcome.text}, table=table)


def _of_undo(reader: LineReader, target: ToUndo) -> LinePreview:
    act = target.act
    preview = undo.preview_undo(act)
    if preview is not None and preview.is_refused:
        return LinePreview(preview.text, is_refused=True)
    text = act.label if preview is None else f"{act.label} {preview.text}"
    return LinePreview(text)


def _of_result(reader: LineReader, target: quick_entry.MatchTarget) -> LinePreview:
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
    state = floor_state(load_facts(reader.tournament, reader.now), reader.now)
    parts = [outcome, _place(fixture.number, fixture.pk, state), _preview_next(fixture.stage_id, fixture.number)]
    row = state.matches.get(fixture.pk)
    return LinePreview(" · ".join(part for part in parts if part), table=row.table if row is not None else None)


def _place(number: int, fixture: int, state: FloorState) -> str:
    row = state.matches.get(fixture)
    if row is None or row.table is None:
        return f"M{number}"
    return " · ".join([f"M{number}", _("Table %(table)s") % {"table": row.where.table}])


def _preview_next(stage: int, number: int) -> str:
    """Return where the winner goes, if that is a match of the same stage."""
    slots = Slot.objects.filter(fixture__stage=stage, source=Slot.Source.WINNER, source_fixture=number)
    following = slots.values_list("fixture__number", flat=True).first()
    return _("The winner goes to M%(number)d.") % {"number": following} if following is not None else ""


UNDO = LineKind(_act_to_undo, _undo, _of_undo)
FACT = LineKind(target_of, _enter_fact)
AT_TABLE = LineKind(_result_at_table, _enter_result, _of_result)
SLIP = LineKind(_pair_of_slip, _enter_slip)
RESULT = LineKind(
    lambda reader, line: quick_entry.target_of(reader.tournament, line, reader.division, in_list=reader.in_list),
    _enter_result,
    _of_result,
)
