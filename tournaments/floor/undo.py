"""The one undo of an event: results, calls, starts, check-ins, withdrawals, late entries, payments and the like.

Each user undoes their own acts, the last one first, whether by the button, the word `undo` or the API. An act is named,
so that a repeated request undoes nothing more. Which was the last one is read from the log; what has no undo here is
named as well, and nothing older is undone in its place.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.messages import sentence
from engine.errors import Refused
from matches.lifecycle.begun import has_begun
from matches.models import Match, Result
from matches.presentation.labels import final_score, score_of
from players.actors import Actor, log
from players.models import LogEntry
from players.people.rows import lock_club
from tournaments.entries import arrivals, check_in
from tournaments.floor.acts import BEFORE_THE_FLOOR, NOT_UNDONE_HERE, NOUNS, TAKEN_BACK_BY, UNDO, UNDONE, LoggedAct
from tournaments.floor.endings import begun_since, undo_ending
from tournaments.floor.evening import UNDER_WAY, refuse_two_tables, restore_length, restore_start
from tournaments.floor.hold_ups import let_stopped_go_on, paired_since_stop
from tournaments.floor.journal import FactTarget, lock_fixture, lock_floor, read_state, record
from tournaments.floor.sentences import match_name, sentence_of_fact
from tournaments.models import (
    ON_PAPER,
    CheckIn,
    Correction,
    Fixture,
    Floor,
    FloorEvent,
    FloorKind,
    LateEntry,
    Pairing,
    Tournament,
)
from tournaments.results.services import undo_result
from tournaments.state.floor import BEGINNINGS, save_beginning
from tournaments.state.locks import lock_division, lock_event
from tournaments.state.log import entries_of, line_text
from tournaments.state.names import display_name, match_names, shown_entry
from tournaments.state.pairings import take_back
from tournaments.state.settle import settle

OF_BEGUN_MATCHES = (*BEGINNINGS, FloorKind.SHORTENED, FloorKind.START_SET)
"""Facts that say more about a match than where it is on the floor."""
TO_TABLES = (FloorKind.CALLED, FloorKind.MOVED)
OF_BROKEN_TABLES = (FloorKind.MOVED, FloorKind.FREED)
"""Facts about the match of a table that is taken out of use."""
FROM_TABLES = (FloorKind.FREED, FloorKind.ADJOURNED)
"""Facts by which the players of a match were free to play elsewhere."""
NOT_UNDONE = (Result.Kind.VOID, Result.Kind.RULING)
"""Kinds of results that this undo leaves alone. Rulings are corrected, with a reason."""


class ActKind(StrEnum):
    """What can be undone, in the order of acts at the same instant."""

    CHECK_IN = "check-in"
    FLOOR = "floor"
    RESULT = "result"
    CORRECTION = "correction"
    LOGGED = "log"


Fact = FloorEvent | Result | CheckIn | Correction | LogEntry
_KINDS: dict[type[Fact], ActKind] = {
    FloorEvent: ActKind.FLOOR,
    Result: ActKind.RESULT,
    CheckIn: ActKind.CHECK_IN,
    Correction: ActKind.CORRECTION,
    LogEntry: ActKind.LOGGED,
}
PAGE = 50
"""How many lines of the log are read at once."""
_NAME = re.compile(rf"({'|'.join(ActKind)})-(\d{{1,18}})")


@dataclass(frozen=True, slots=True)
class UndoableAct:
    """Something that a user did at an event, mostly to be undone: a fact, or a line of the log.

    A check-in stands for all those of the same tap, and for what was paid by it. A correction is undone by a preview of
    its own.
    """

    fact: Fact
    fixture: Fixture | None = None
    """The match it is about, if any."""

    @property
    def kind(self) -> ActKind:
        return _KINDS[type(self.fact)]

    @property
    def name(self) -> str:
        """What names it in forms and in the API, such as `result-17`."""
        return f"{self.kind}-{self.fact.pk}"

    @property
    def correction(self) -> Correction | None:
        return self.fact if isinstance(self.fact, Correction) else None

    @property
    def has_undo(self) -> bool:
        """Whether acts of its kind can be undone here."""
        return not isinstance(self.fact, LogEntry) or self.fact.verb in UNDO

    @property
    def settle_at(self) -> datetime | None:
        """When something follows from it, if it is a result from which nothing has followed yet."""
        return self.fact.match.settle_at if isinstance(self.fact, Result) else None

    @property
    def text(self) -> str:
        """What was done, as a sentence or, for a result, a clause such as “Alice wins 7–4 at table 3”."""
        if isinstance(self.fact, Result):
            return _result_text(self.fact, self.fixture)
        if isinstance(self.fact, CheckIn):
            return _check_in_text(self.fact)
        if isinstance(self.fact, Correction):
            return _("M%(number)d was corrected.") % {"number": self.fact.fixture.number}
        if isinstance(self.fact, LogEntry):
            return UNDO[self.fact.verb].text(self.fact) if self.has_undo else line_text(self.fact)
        count = _same_tap(self.fact).count() if self.fact.kind == FloorKind.STARTED else 1
        if count > 1:
            return ngettext("%(count)d match has started.", "%(count)d matches have started.", count) % {"count": count}
        return sentence_of_fact(self.fact)

    @property
    def label(self) -> str:
        """What undoing it is called on a button."""
        if self.correction is not None:
            return _("Undo the correction of M%(number)s") % {"number": self.correction.fixture.number}
        if not self.has_undo:
            return _("No undo here: %(act)s") % {"act": self.text}
        return _("Undo: %(act)s") % {"act": self.text}

    @property
    def short_label(self) -> str:
        """The same where names are cut: what was done comes before them."""
        fact = self.fact
        key = fact.verb if isinstance(fact, LogEntry) else fact.kind if isinstance(fact, FloorEvent) else self.kind
        return _("Undo: %(act)s") % {"act": f"{NOUNS[key]} · {self.text}"} if key in NOUNS else self.label

    @property
    def undone_text(self) -> str:
        if isinstance(self.fact, Result) and self.fixture is not None:
            return _("The result of M%(number)d was taken back.") % {"number": self.fixture.number}
        return _("Undone: %(fact)s") % {"fact": self.text}

    @property
    def place(self) -> tuple[datetime, int, int]:
        """Its place in the order of a user's acts."""
        return self.fact.at, list(ActKind).index(self.kind), self.fact.pk


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """What undoing an act does beside, or why it cannot be undone, in words."""

    text: str
    is_refused: bool = False


def preview_undo(act: UndoableAct | None) -> UndoPreview | None:
    """Return what undoing an act does beside; None of an act that affects nothing else."""
    if act is not None and isinstance(act.fact, LogEntry):
        return _preview_logged(act.fact)
    if act is not None and isinstance(act.fact, CheckIn) and (name := arrivals.drawn_from(act.fact.batch)):
        return UndoPreview(sentence("list_drawn", {"name": name}), is_refused=True)
    if act is None or not isinstance(act.fact, FloorEvent):
        return None
    if act.fact.kind == FloorKind.STAGE_ENDED:
        return _preview_of_ending(act.fact)
    if act.fact.kind != FloorKind.STOPPED:
        return None
    try:
        paired = paired_since_stop(act.fact)
    except Refused as refused:
        return UndoPreview(sentence(refused.code, refused.params), is_refused=True)
    fixtures = [row.fixture for row in paired if row.fixture is not None]
    parts = [_("The match goes on as it was.")]
    parts += [_("%(match)s has not begun and is taken back.") % {"match": match_name(row)} for row in fixtures]
    if table := _taken_table(act.fact, fixtures):
        parts.append(_("Another match is at table %(table)s by now.") % {"table": table})
    return UndoPreview(" ".join(parts))


def _preview_logged(row: LogEntry) -> UndoPreview | None:
    try:
        text = _undo_of(row).follows(row)
    except Refused as refused:
        return UndoPreview(sentence(refused.code, refused.params), is_refused=True)
    return UndoPreview(text) if text else None


def _undo_of(row: LogEntry) -> LoggedAct:
    """Return how an act is undone. Refused: `not_undone_here`."""
    if row.verb not in UNDO:
        raise Refused("not_undone_here")
    return UNDO[row.verb]


def _preview_of_ending(ended: FloorEvent) -> UndoPreview:
    if (begun := begun_since(ended)) is not None:
        return UndoPreview(sentence("bracket_begun", {"fixture": begun}), is_refused=True)
    parts = [_("Players are paired again, and what follows is as it was planned before.")]
    if stopped := ended.params["stopped"]:
        matches = ", ".join(f"M{number}" for number in stopped)
        parts.append(_("These matches go on as they were: %(matches)s.") % {"matches": matches})
    return UndoPreview(" ".join(parts))


def _taken_table(stopped: FloorEvent, fixtures: Sequence[Fixture]) -> str:
    """Return the label of the table of a stopped match if others, apart from `fixtures`, were sent there since."""
    sent = FloorEvent.objects.filter(kind__in=TO_TABLES, undone_by=None, table__isnull=False)
    own = sent.filter(match=stopped.match, pk__lt=stopped.pk).select_related("table").order_by("-pk").first()
    if own is None or own.table is None:
        return ""
    others = sent.filter(table=own.table, pk__gt=stopped.pk).exclude(fixture__in=fixtures)
    return own.table.label if others.exists() else ""


def undo(*, tournament: Tournament, act: UndoableAct, by: Actor, now: datetime, in_order: bool = True) -> UndoableAct:
    """Undo the last act of this user at this event, and return it; an act that is undone already stays so.

    Without `in_order`, it may be any act of any user. Refused: `nothing_to_undo_on_floor` if the act is not theirs,
    `not_last_on_floor` if they did something else since, `floor_built_on` if something else happened at the same match
    or table since, `undo_is_correction`, `not_undone_here`, and what `undo_result`, `arrivals.undo_tap`,
    `let_stopped_go_on` and the acts of the log refuse.
    """
    if in_order and not _is_by(act.fact, by):
        raise Refused("nothing_to_undo_on_floor")
    with transaction.atomic():
        if isinstance(act.fact, FloorEvent):
            floor = _lock_floor(tournament, act.fact, now)
        # Asked first, since a second request may undo it between both questions: then it is the last no more.
        is_last = not in_order or act == last_act(tournament, by)
        if _is_undone(act.fact):
            return act
        if not is_last:
            raise Refused("not_last_on_floor")
        if isinstance(act.fact, FloorEvent):
            _undo_fact(floor, act.fact, by, now)
        elif isinstance(act.fact, CheckIn):
            arrivals.undo_tap(tournament=tournament, batch=act.fact.batch, by=by, now=now)
        elif isinstance(act.fact, Correction):
            raise Refused("undo_is_correction", fixture=act.fact.fixture.number)
        elif isinstance(act.fact, LogEntry):
            _undo_logged(tournament, act.fact, by, now)
        elif act.fixture is not None:
            return UndoableAct(act.fact, undo_result(fixture=act.fixture, result=act.fact, by=by, now=now))
    return act


def _undo_logged(tournament: Tournament, row: LogEntry, by: Actor, now: datetime) -> None:
    """Undo an act of the log, and log that: what the undo itself writes from `since` on is no act."""
    newest = LogEntry.objects.order_by("-pk").values_list("pk", flat=True)[0]
    _undo_of(row).undo(row, by, now)
    log(by, UNDONE, row.topic, club=tournament.club, undoes=f"{ActKind.LOGGED}-{row.pk}", since=newest)


def _lock_floor(tournament: Tournament, fact: FloorEvent, now: datetime) -> Floor:
    """Lock the floor of a fact to undo; before it the club and the event of a stage whose end has ended the event."""
    if fact.kind == FloorKind.STAGE_ENDED:
        lock_club(tournament.club)
        event = lock_event(tournament.pk)
        if event.status == Tournament.Status.FINISHED and not _is_undone(fact):
            Tournament.objects.filter(pk=event.pk).update(status=Tournament.Status.RUNNING)
    return lock_floor(tournament.pk, now)


def _is_by(fact: Fact, by: Actor) -> bool:
    if isinstance(fact, CheckIn | Correction):
        return by.user is not None and fact.by == by.user
    return (fact.by, fact.user) == (by.kind, by.user)


def _is_undone(fact: Fact) -> bool:
    if isinstance(fact, LogEntry):
        return fact.verb in UNDO and not UNDO[fact.verb].stands(fact)
    if isinstance(fact, Correction):
        return Correction.objects.filter(undoes=fact).exists()
    if isinstance(fact, FloorEvent):
        return FloorEvent.objects.filter(undoes=fact).exists()
    if isinstance(fact, CheckIn):
        return CheckIn.objects.filter(undoes__batch=fact.batch).exists()
    newest = Result.objects.filter(match=fact.match_id).order_by("-version").first()
    return newest is not None and newest.kind == Result.Kind.VOID


def _undo_fact(floor: Floor, fact: FloorEvent, by: Actor, now: datetime) -> None:
    """Undo a fact of a locked floor, with those of the same tap."""
    if fact.kind == FloorKind.STAGE_ENDED:
        undo_ending(floor, fact, by=by, now=now)
        return
    for undone in _same_tap(fact).filter(undone_by=None):
        _refuse_built_on(undone)
        about = FactTarget(fixture=undone.fixture, table=undone.table, player=undone.player, undoes=undone)
        if undone.kind == FloorKind.STOPPED:
            let_stopped_go_on(stopped=undone, by=by, now=now)
            undone.fixture = None if undone.fixture is None else lock_fixture(undone.fixture)[0]
            record(floor, FloorKind.UNDONE, replace(about, fixture=undone.fixture), by=by, now=now)
            continue
        if ON_PAPER in undone.params and undone.fixture is not None:
            _undo_slip(undone.fixture, by, now)
        if undone.kind not in OF_BEGUN_MATCHES or undone.fixture is None:
            record(floor, FloorKind.UNDONE, about, by=by, now=now)
            _refuse_two_tables(floor, undone, now)
            continue
        locked, match = lock_fixture(undone.fixture)
        if undone.kind == FloorKind.SHORTENED:
            restore_length(match, undone, by=by)
        elif undone.kind == FloorKind.START_SET:
            restore_start(match, undone)
        record(floor, FloorKind.UNDONE, replace(about, fixture=locked), by=by, now=now)
        save_beginning(match)
        _refuse_two_tables(floor, undone, now)


def _refuse_two_tables(floor: Floor, undone: FloorEvent, now: datetime) -> None:
    """Refuse if somebody of a match that an undo has brought back was called to another one since."""
    state = read_state(floor, now) if undone.kind in FROM_TABLES else None
    row = state.matches.get(undone.fixture_id or 0) if state is not None else None
    if state is not None and row is not None and row.state in UNDER_WAY:
        refuse_two_tables(state, row, now)


def _undo_slip(fixture: Fixture, by: Actor, now: datetime) -> None:
    """Take back a pair that was made on paper, unless its match has begun or has a result."""
    division = lock_division(fixture.stage.division_id)
    pairing = Pairing.objects.get(fixture=fixture)
    if pairing.taken_back:
        return
    _locked, match = lock_fixture(fixture)
    if has_begun(match) or match.state not in (Match.State.OPEN, Match.State.LIVE):
        raise Refused("pairing_begun", fixture=fixture.number)
    take_back(pairing, Pairing.TakenBack.TYPED, division, by=by, now=now)
    settle(division, by=by, now=now, keep_waiting=True)


def _same_tap(fact: FloorEvent) -> QuerySet[FloorEvent]:
    """Return a fact and those of the same tap, in the order in which they are undone and their matches locked.

    They are the other starts of "All at the table", and a table out of use with what became of its match.
    """
    tap = FloorEvent.objects.filter(tournament=fact.tournament_id, at=fact.at, by=fact.by, user=fact.user)
    same = FloorEvent.objects.filter(pk=fact.pk)
    if fact.kind == FloorKind.STARTED:
        same = tap.filter(kind=fact.kind)
    elif fact.kind == FloorKind.TABLE_OUT:
        same |= tap.filter(kind__in=OF_BROKEN_TABLES, fixture__number=fact.params.get("match"))
    elif fact.kind in OF_BROKEN_TABLES and fact.fixture is not None:
        same |= tap.filter(kind=FloorKind.TABLE_OUT, params__match=fact.fixture.number)
    return same.select_related("fixture", "table", "player").order_by(F("match").asc(nulls_first=True))


def _refuse_built_on(event: FloorEvent) -> None:
    """Refuse if a later fact is about the same match or the same table."""
    same = Q()
    if event.fixture_id is not None:
        same |= Q(fixture=event.fixture_id)
    if event.table_id is not None:
        same |= Q(table=event.table_id)
    if not same:
        return
    later = FloorEvent.objects.filter(same, tournament=event.tournament_id, pk__gt=event.pk, undone_by=None)
    if later.exclude(kind=FloorKind.UNDONE).exists():
        raise Refused("floor_built_on")


def last_act(tournament: Tournament, by: Actor) -> UndoableAct | None:
    """Return what a user did last at an event and was not undone; None if there is nothing.

    It may have no undo here (`has_undo`, `preview_undo`): then nothing older is undone in its place.
    """
    passed, taken_back = set[str](), Counter[tuple[str, str]]()
    before: int | None = None
    for row in _logged(tournament, by):
        if before is not None and row.pk > before:
            continue
        if row.verb in BEFORE_THE_FLOOR:
            return None
        if row.verb == UNDONE:
            passed.add(row.params.get("undoes", ""))
            before = row.params.get("since", before)
        elif row.verb in TAKEN_BACK_BY:
            taken_back[TAKEN_BACK_BY[row.verb], row.topic] += 1
        elif taken_back[row.verb, row.topic]:
            taken_back[row.verb, row.topic] -= 1
        elif (name := _act_name(row)) not in passed:
            passed.add(name)
            if (act := _standing_act(tournament, row)) is not None:
                return act
    return None


def _logged(tournament: Tournament, by: Actor) -> Iterator[LogEntry]:
    """Yield what a user did at an event as the log has it, newest first, without what they did as a player."""
    rows = entries_of(tournament, directs=True).filter(by=by.kind, user=by.user).order_by("-pk")
    page = list(rows[:PAGE])
    while page:
        yield from (row for row in page if "side" not in row.params or row.verb in NOT_UNDONE_HERE)
        page = list(rows.filter(pk__lt=page[-1].pk)[:PAGE]) if len(page) == PAGE else []


def _act_name(row: LogEntry) -> str:
    return str(row.params.get("act", f"{ActKind.LOGGED}-{row.pk}"))


def _standing_act(tournament: Tournament, row: LogEntry) -> UndoableAct | None:
    """Return the act of a line of the log; None if it was undone since, or the line is no act."""
    if (groups := _NAME.fullmatch(row.params.get("act", ""))) is not None:
        if groups[1] == ActKind.FLOOR:
            return _latest(_facts(tournament).filter(pk=groups[2], undone_by=None).first())
        undone = CheckIn.objects.filter(undoes__batch=OuterRef("batch"))
        # Whose presence somebody changed since is not undone; without this, such a check-in would end the user's undo.
        of_same = Q(person=OuterRef("person")) | Q(person=None)
        later = check_in.standing().filter(of_same, entry=OuterRef("entry"), pk__gt=OuterRef("pk"))
        # Who enters late is here with it.
        late = LateEntry.objects.filter(entry=OuterRef("entry"), at=OuterRef("at"))
        rows = _check_ins(tournament).filter(~Exists(undone), ~Exists(later), ~Exists(late), pk=groups[2])
        return _latest(rows.first())
    if row.verb == "result_appended":
        if row.params["source"] == Result.Source.DIRECTOR and row.params["kind"] == Result.Kind.RULING:
            return UndoableAct(row)
        results = _results(tournament).filter(_is_not_undone(), version=row.params["version"])
        return _latest(results.filter(match__public_id=row.topic.removeprefix("match:")).first())
    if row.verb == "result_corrected":
        public_id = row.params.get("correction", "")
        return _latest(Correction.objects.filter(public_id=public_id, undone_by=None).select_related("fixture").first())
    if row.verb == "pairing_taken_back" and "code" not in row.params:
        return None  # It follows from another act.
    if row.verb in NOT_UNDONE_HERE or (row.verb in UNDO and UNDO[row.verb].stands(row)):
        return UndoableAct(row)
    return None


def last_act_at(fixture: Fixture, by: Actor | None = None) -> UndoableAct | None:
    """Return what the staff did last at a match, of what can be undone and was not; with `by`, what this user did."""
    tournament = fixture.stage.division.tournament
    facts = _facts(tournament).filter(fixture=fixture, by=LogEntry.By.USER, undone_by=None)
    facts = facts.exclude(params__has_key="side")  # entered by a player
    results = _results(tournament).filter(_is_not_undone(), match=fixture.match, by=LogEntry.By.USER)
    if by is not None:
        facts, results = facts.filter(user=by.user), results.filter(user=by.user)
    return _latest(facts.order_by("-pk").first(), results.order_by("-at", "-pk").first())


def act_named(tournament: Tournament, name: str) -> UndoableAct | None:
    """Return the act of an event with this name, undone or not; None if there is none."""
    groups = _NAME.fullmatch(name)
    if groups is None:
        return None
    fact: Fact | None
    match groups[1]:
        case ActKind.FLOOR:
            fact = _facts(tournament).filter(pk=groups[2]).first()
        case ActKind.RESULT:
            fact = _results(tournament).filter(pk=groups[2]).first()
        case ActKind.CORRECTION:
            rows = Correction.objects.filter(fixture__stage__division__tournament=tournament, undoes=None)
            fact = rows.select_related("fixture").filter(pk=groups[2]).first()
        case ActKind.LOGGED:
            verbs = (*UNDO, *NOT_UNDONE_HERE)
            fact = entries_of(tournament, directs=True).filter(pk=groups[2], verb__in=verbs).first()
        case _:
            fact = _check_ins(tournament).filter(pk=groups[2]).first()
    return _latest(fact)


def _facts(tournament: Tournament) -> QuerySet[FloorEvent]:
    names = ("fixture__match__player_0", "fixture__match__player_1", "fixture__stage__division")
    rows = FloorEvent.objects.filter(tournament=tournament).exclude(kind=FloorKind.UNDONE)
    # They are undone with the end of their stage.
    rows = rows.exclude(kind=FloorKind.STOPPED, params__has_key="stage")
    return rows.select_related("tournament", *names, "table", "player", "user")


def _results(tournament: Tournament) -> QuerySet[Result]:
    """Return the first results of matches, as far as the staff entered them, without rulings."""
    earlier = Result.objects.filter(match=OuterRef("match"), version__lt=OuterRef("version"))
    topics = [division.topic for division in tournament.divisions.all()]
    rows = Result.objects.filter(
        ~Exists(earlier.exclude(kind=Result.Kind.VOID)), match__parent_topic__in=topics, source=Result.Source.DIRECTOR
    )
    return rows.exclude(kind__in=NOT_UNDONE).select_related("match__player_0", "match__player_1", "user")


def _is_not_undone() -> Q:
    later = Result.objects.filter(match=OuterRef("match"), version__gt=OuterRef("version"), kind=Result.Kind.VOID)
    return Q(~Exists(later))


def _check_ins(tournament: Tournament) -> QuerySet[CheckIn]:
    rows = CheckIn.objects.filter(entry__division__tournament=tournament, source=CheckIn.Source.DIRECTOR, undoes=None)
    return rows.select_related("entry__player", "entry__division__tournament", "person__merged_into", "by")


def _latest(*facts: Fact | None) -> UndoableAct | None:
    acts = [_act(fact) for fact in facts if fact is not None]
    return max(acts, key=lambda act: act.place, default=None)


def _act(fact: Fact) -> UndoableAct:
    if isinstance(fact, Result):
        rows = Fixture.objects.select_related("stage__division", "match__player_0", "match__player_1")
        return UndoableAct(fact, rows.filter(match=fact.match_id).first())
    return UndoableAct(fact, fact.fixture if isinstance(fact, FloorEvent) else None)


def _result_text(result: Result, fixture: Fixture | None) -> str:
    match = result.match
    names = match_names(fixture, staff=True) if fixture is not None else match.names
    if result.winner is None:
        return f"{' – '.join(names)}: {result.get_kind_display()}"
    winner, table = names[result.winner], _table_of(fixture)
    score = final_score(match, result)
    if score is None:
        return f"{_('{name} wins').format(name=winner)} · {result.get_kind_display()}"
    text = _("{name} wins {score}").format(name=winner, score=score_of(match, result.winner, score))
    return " · ".join([text, *([_("Table %(table)s") % {"table": table}] if table else [])])


def _table_of(fixture: Fixture | None) -> str:
    """Return the label of the table that a match was last sent to; empty without one."""
    sent = FloorEvent.objects.filter(fixture=fixture, kind__in=TO_TABLES, undone_by=None, table__isnull=False)
    return sent.order_by("-pk").values_list("table__label", flat=True).first() or "" if fixture is not None else ""


def _check_in_text(check_in: CheckIn) -> str:
    rows = CheckIn.objects.filter(batch=check_in.batch)
    count = rows.values(who=Coalesce("person", "entry__player")).distinct().count()
    if count > 1:
        text = ngettext("%(count)s player checked in.", "%(count)s players checked in.", count) % {"count": count}
    else:
        person = check_in.person
        name = shown_entry(check_in.entry, staff=True) if person is None else display_name(person, staff=True)
        text = f"{name} · {check_in.get_state_display()}"
    paid = arrivals.paid_text(check_in.entry.division.tournament, check_in.batch)
    return f"{text} · {paid}" if paid else text
