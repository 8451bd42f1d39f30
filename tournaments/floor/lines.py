"""Typed lines (`tournaments.results.lines` has the syntax): previewed and carried out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
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
from players.models import Player
from tournaments.floor import by_hand, calls, evening, flows, undo
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
from tournaments.results.lines import TypedLine, Verb, parse, parse_floor_line, split, splits_of
from tournaments.results.quick_entry import LineOutcome, OutcomeKind, find_by_number, find_fixture, outcome_of_line
from tournaments.state.locks import lock_division
from tournaments.state.names import match_names
from tournaments.state.settle import settle
from tournaments.state.sheet_codes import with_match_numbers

ONE_DAY = timedelta(days=1)
SAME_RESULT_AGAIN = timedelta(minutes=10)
"""For how long the same score for the same table is taken for the same line typed again."""
FOR_DIRECTORS = (Verb.PAUSE, Verb.RESUME, Verb.AUTO, Verb.ACCESSIBLE, Verb.ADJOURN)
"""Lines that assistants may not enter: about the whole event, private, or adjournments."""
OF_MATCH: dict[Verb, tuple[Callable[..., FloorEvent], FloorKind]] = {
    Verb.CALL: (calls.call, FloorKind.CALLED),
    Verb.AGAIN: (calls.call_again, FloorKind.CALLED_AGAIN),
    Verb.START: (calls.start, FloorKind.STARTED),
    Verb.PIN: (calls.pin, FloorKind.PINNED),
    Verb.HOLD: (calls.hold, FloorKind.HELD),
    Verb.RELEASE: (calls.release, FloorKind.RELEASED),
    Verb.REST: (calls.waive_rest, FloorKind.REST_WAIVED),
    Verb.CLOCKS: (evening.put_clocks_on, FloorKind.CLOCKS),
    Verb.ADJOURN: (evening.adjourn, FloorKind.ADJOURNED),
    Verb.RESUME: (evening.let_go_on, FloorKind.CONTINUED),
    Verb.SITS: (calls.move, FloorKind.MOVED),
}
OF_TABLE: dict[Verb, tuple[Callable[..., FloorEvent], FloorKind]] = {
    Verb.FREE: (calls.free_table, FloorKind.FREED),
    Verb.BACK: (calls.back_in_use, FloorKind.TABLE_BACK),
}


@dataclass(frozen=True, slots=True)
class LineTarget:
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

    A refused line does not stop the others; `undo` takes back the last thing that this user did. The results of an
    evening may come in any order: one whose match was not open is tried again after the others. Match slips are taken
    in the order of their numbers, each pair before its result. Pasting the same list again enters nothing twice.
    Refused: `line_empty`, `too_many_results`.
    """
    # Each line has a time of its own, so that the last one is undone first.
    times = (now + ONE_AFTER_ANOTHER * number for number in count())
    lines = split(text)
    outcomes: dict[int, LineOutcome] = {}
    places = _in_order_of_slips(lines)
    while places:
        for place in places:
            at, in_list = next(times), len(lines) > 1
            outcomes[place] = _outcome(tournament, lines[place], division, by, at, in_list=in_list)
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


def _outcome(
    tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime, *, in_list: bool
) -> LineOutcome:
    undone = _undo(tournament, text, division, by, now)
    if undone is not None:
        return undone
    line = parse_floor_line(text)
    if line is not None and line.verb == Verb.SCORE:
        return _enter_at_table(tournament, line, text, by, now)
    if line is not None:
        return _enter_fact(tournament, line, text, division, by, now)
    if (slip := _slip(tournament, text)) is not None:
        return _enter_slip(tournament, slip, text, division, by, now)
    return outcome_of_line(tournament=tournament, text=text, division=division, by=by, now=now, in_list=in_list)


def _enter_fact(
    tournament: Tournament, line: TypedLine, text: str, division: Division | None, by: Actor, now: datetime
) -> LineOutcome:
    target: LineTarget | None = None
    try:
        refuse_assistant(tournament, line, by)
        if not Floor.objects.filter(tournament=tournament).exists():
            evening.open_floor(tournament=tournament, by=by, now=now)
        target = target_of(tournament, line, division, now)
        fact = target.act(by=by, now=now)
    except Refused as refused:
        return LineOutcome(text, OutcomeKind.REFUSED, target.fixture if target else None, refused=refused)
    return LineOutcome(text, OutcomeKind.DONE, target.fixture, text=sentence_of_fact(fact))


def _slip(tournament: Tournament, text: str) -> TypedLine | None:
    """Return the pair of a match slip, or a result whose slip is not typed yet; None without stages without rounds."""
    try:
        line = parse(text)
    except Refused:
        return None
    if line.number is None or line.verb not in (Verb.PAIR, Verb.SCORE) or not _flow_stages(tournament):
        return None
    fixtures = Fixture.objects.filter(stage__division__tournament=tournament, number=line.number)
    if line.verb == Verb.PAIR:
        return line
    return None if fixtures.exists() else line


def _flow_stages(tournament: Tournament) -> list[Stage]:
    rows = Tournament.objects.select_related("club").prefetch_related("divisions__stages")
    return flows.flow_stages(rows.get(pk=tournament.pk))


def _enter_slip(
    tournament: Tournament, line: TypedLine, text: str, division: Division | None, by: Actor, now: datetime
) -> LineOutcome:
    fixture: Fixture | None = None
    try:
        stage, (first, second) = _pair_of_slip(tournament, line, division, by)
        assert line.number is not None  # noqa: S101, a slip has one
        fact = by_hand.pair_on_paper(stage=stage, number=line.number, first=first, second=second, by=by, now=now)
        fixture = fact.fixture
    except Refused as refused:
        return LineOutcome(text, OutcomeKind.REFUSED, fixture, refused=refused)
    return LineOutcome(text, OutcomeKind.DONE, fixture, text=sentence_of_fact(fact))


def _pair_of_slip(
    tournament: Tournament, line: TypedLine, division: Division | None, by: Actor
) -> tuple[Stage, tuple[Entry, Entry]]:
    """Return the two entries that the line of a match slip names, and their stage.

    Refused: `directors_only`, `slip_no_pair` for a result, `line_no_division`, `slip_nobody`, `slip_unclear`.
    """
    if line.verb == Verb.SCORE:
        raise Refused("slip_no_pair", fixture=line.number)
    if by.user is not None and not is_at_least(role_in(by.user, tournament.club), Role.DIRECTOR):
        raise Refused("directors_only")
    pairs = {
        frozenset((first.pk, second.pk)): (stage, (first, second))
        for stage in _stages_of_slip(tournament, line.division, division)
        for first, second in _pairs_named(line.names[0], stage)
    }
    if not pairs:
        raise Refused("slip_nobody", name=line.names[0][:40])
    if len(pairs) > 1:
        raise Refused("slip_unclear", name=line.names[0][:40])
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


def _enter_at_table(tournament: Tournament, line: TypedLine, text: str, by: Actor, now: datetime) -> LineOutcome:
    target: quick_entry.MatchTarget | None = None
    try:
        target = _result_at_table(tournament, line, now)
        result = quick_entry.record_target(target, by=by, now=now)
    except Refused as refused:
        fixture, new = (target.fixture, target.new) if target is not None else (None, None)
        return LineOutcome(text, OutcomeKind.REFUSED, fixture, new=new, refused=refused)
    return LineOutcome(text, OutcomeKind.BOOKED, target.fixture, result, target.new)


def _result_at_table(tournament: Tournament, line: TypedLine, now: datetime) -> quick_entry.MatchTarget:
    """Return the match at a table and the result that a line gives.

    Refused: `no_such_table`, `table_free`, `line_again` if a match at the table ended with this score just now.
    """
    table = find_table(tournament, line.table)
    on_floor = floor_state(load_facts(tournament), now).tables[table.pk].match
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
        if standing is not None and standing.score == line.score and now - standing.at < SAME_RESULT_AGAIN:
            # The same line typed again must not become the result of the next match.
            names = " – ".join(match_names(last, staff=True))
            raise Refused("line_again", fixture=last.number, name=names, next=fixture.number)
    return quick_entry.MatchTarget(fixture, fixture.match, new)


def _undo(tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime) -> LineOutcome | None:
    """Undo the user's last act, or the last one at the match that the line names; None if the line is not about that.

    A director undoes what anybody of the staff did at a named match, others only their own.
    """
    act: undo.UndoableAct | None = None
    try:
        line = _undo_line(text)
        if line is None:
            return None
        act = _act_to_undo(tournament, line, division, by)
        undone = undo.undo(tournament=tournament, act=act, by=by, now=now, in_order=line.number is None)
    except Refused as refused:
        return LineOutcome(text, OutcomeKind.REFUSED, act.fixture if act is not None else None, refused=refused)
    return LineOutcome(text, OutcomeKind.UNDONE, undone.fixture, text=undone.undone_text)


def _undo_line(text: str) -> TypedLine | None:
    if not text.lower().startswith(Verb.UNDO):
        return None
    line = parse(text)
    return line if line.verb == Verb.UNDO else None


def _act_to_undo(tournament: Tournament, line: TypedLine, division: Division | None, by: Actor) -> undo.UndoableAct:
    """Return what a line undoes. Refused: `nothing_to_undo`, and as `find_by_number`."""
    if line.number is not None:
        fixture = find_by_number(tournament, line, division)
        directs = by.user is None or is_at_least(role_in(by.user, tournament.club), Role.DIRECTOR)
        act = undo.last_act_at(fixture, None if directs else by)
    else:
        act = undo.last_act(tournament, by)
    if act is None:
        raise Refused("nothing_to_undo")
    return act


def refuse_assistant(tournament: Tournament, line: TypedLine, by: Actor) -> None:
    """Refuse (`directors_only`) a line for directors by somebody who does not direct the event."""
    if line.verb not in FOR_DIRECTORS or by.user is None:
        return
    if not is_at_least(role_in(by.user, tournament.club), Role.DIRECTOR):
        raise Refused("directors_only")


def target_of(tournament: Tournament, line: TypedLine, division: Division | None, now: datetime) -> LineTarget:
    """Return what a line is about. Refused: `no_such_table`, and what the lookup of matches and names refuses."""
    match line.verb:
        case Verb.PAUSE:
            end = _next(tournament, now, line.value) if line.value else None
            act = partial(evening.pause, tournament=tournament, until=end)
            return LineTarget(act, FloorKind.PAUSED, params={"until": end.isoformat() if end else None})
        case Verb.RESUME if line.number is None:
            return LineTarget(partial(evening.resume, tournament=tournament), FloorKind.RESUMED)
        case Verb.AUTO:
            mode = Autopilot.CALL if line.value.lower() == "on" else Autopilot.SUGGEST
            act = partial(evening.set_autopilot, tournament=tournament, mode=mode)
            return LineTarget(act, FloorKind.AUTOPILOT, params={"mode": mode.value})
        case Verb.LATE:
            named, minutes = find_fixture(tournament, line, division), int(line.value)
            player = named.match.players[named.side]
            act = partial(calls.mark_late, fixture=named.fixture, player=player, minutes=minutes)
            return LineTarget(act, FloorKind.LATE, named.fixture, player=player, params={"minutes": minutes})
        case Verb.ACCESSIBLE:
            named, needed = find_fixture(tournament, line, division), not line.value
            player = named.match.players[named.side]
            act = partial(evening.set_needs_accessible, tournament=tournament, player=player, needed=needed)
            return LineTarget(act, FloorKind.NEEDS_ACCESSIBLE, player=player, params={"needed": needed})
        case Verb.OUT:
            table = find_table(tournament, line.table)
            act = partial(calls.take_out_of_use, table=table, reason=line.value)
            return LineTarget(act, FloorKind.TABLE_OUT, table=table, params={"reason": line.value})
        case Verb.FREE | Verb.BACK:
            table = find_table(tournament, line.table)
            service, kind = OF_TABLE[line.verb]
            return LineTarget(partial(service, table=table), kind, table=table)
    fixture = find_by_number(tournament, line, division)
    if line.score is not None:
        act = partial(calls.set_running_score, fixture=fixture, score=line.score)
        return LineTarget(act, FloorKind.RUNNING_SCORE, fixture, params={"score": line.score})
    service, kind = OF_MATCH[line.verb]
    at = find_table(tournament, line.table) if line.table else None
    arguments = {"table": at} if line.verb in (Verb.CALL, Verb.SITS) else {}
    return LineTarget(partial(service, fixture=fixture, **arguments), kind, fixture, at)


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
    """What a line will do, or why it will be refused. `table` and `fixture` are ids, to outline them on the page."""

    text: str
    is_refused: bool = False
    table: int | None = None
    fixture: int | None = None


def preview_line(*, tournament: Tournament, text: str, by: Actor, now: datetime) -> LinePreview | None:
    """Return what Enter will do with a line or a list; None for an empty line and for help. Nothing is written."""
    if not text.strip():
        return None
    if (lines := len(text.strip().splitlines())) > 1:
        return LinePreview(_("%(count)d lines: the right ones are entered, the others stay here.") % {"count": lines})
    text = with_match_numbers(tournament, text)
    try:
        line = parse_floor_line(text)
        if line is not None and line.verb == Verb.SCORE:
            return _of_result(tournament, _result_at_table(tournament, line, now), now)
        if line is not None:
            refuse_assistant(tournament, line, by)
            return _of_floor(tournament, target_of(tournament, line, None, now), now)
        parsed = parse(text)
        if parsed.verb == Verb.HELP:
            return None
        if parsed.verb == Verb.UNDO:
            return _of_undo(_act_to_undo(tournament, parsed, None, by))
        if (slip := _slip(tournament, text)) is not None:
            _stage, pair = _pair_of_slip(tournament, slip, None, by)
            return _of_slip(tournament, slip.number, pair)
        return _of_result(tournament, quick_entry.target_of(tournament, parsed, None), now)
    except Refused as refused:
        return LinePreview(sentence(refused.code, refused.params), is_refused=True)


def _of_floor(tournament: Tournament, target: LineTarget, now: datetime) -> LinePreview:
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


def _of_slip(tournament: Tournament, number: int | None, pair: tuple[Entry, Entry]) -> LinePreview:
    names = " – ".join(entry.player.shown_name for entry in pair)
    params = {ON_PAPER: True, "match": number, "pair": names}
    return LinePreview(sentence_of_plan(FloorKind.HELD, params, zone=ZoneInfo(tournament.time_zone)))


def _of_undo(act: undo.UndoableAct) -> LinePreview:
    preview = undo.preview_undo(act)
    if preview is not None and preview.is_refused:
        return LinePreview(preview.text, is_refused=True)
    text = act.label if preview is None else f"{act.label} {preview.text}"
    return LinePreview(text, fixture=act.fixture.pk if act.fixture is not None else None)


def _of_result(tournament: Tournament, target: quick_entry.MatchTarget, now: datetime) -> LinePreview:
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
    return " · ".join([f"M{number}", _("Table %(table)s") % {"table": row.where.table}])


def _preview_next(stage: int, number: int) -> str:
    """Return where the winner goes, if that is a match of the same stage."""
    slots = Slot.objects.filter(fixture__stage=stage, source=Slot.Source.WINNER, source_fixture=number)
    following = slots.values_list("fixture__number", flat=True).first()
    return _("The winner goes to M%(number)d.") % {"number": following} if following is not None else ""
