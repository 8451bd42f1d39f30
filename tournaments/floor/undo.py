"""The one undo of an event: results, calls and starts and everything else on the floor, and check-ins.

Each user undoes their own acts, the last one first, whether by the button, the word `undo` or the API. An act is named,
so that a repeated request undoes nothing more.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.messages import sentence
from engine.errors import Refused
from matches.lifecycle.begun import has_begun
from matches.models import Match, Result
from matches.presentation.labels import final_score, score_of
from players.actors import Actor, log
from players.models import LogEntry
from tournaments.entries import arrivals, check_in
from tournaments.floor.batches import let_stopped_go_on, paired_since_stop
from tournaments.floor.evening import restore_length
from tournaments.floor.journal import FactTarget, lock_fixture, lock_floor, record
from tournaments.floor.sentences import match_name, sentence_of_fact
from tournaments.models import ON_PAPER, CheckIn, Correction, Fixture, Floor, FloorEvent, FloorKind, Pairing, Tournament
from tournaments.results.services import undo_result
from tournaments.state.floor import BEGINNINGS, save_beginning
from tournaments.state.locks import lock_division
from tournaments.state.names import match_names, shown_entry
from tournaments.state.pairings import mark_undone
from tournaments.state.settle import settle

OF_BEGUN_MATCHES = (*BEGINNINGS, FloorKind.SHORTENED)
"""Facts that say more about a match than where it is on the floor."""
TO_TABLES = (FloorKind.CALLED, FloorKind.MOVED)
OF_BROKEN_TABLES = (FloorKind.MOVED, FloorKind.FREED)
"""Facts about the match of a table that is taken out of use."""
NOT_UNDONE = (Result.Kind.VOID, Result.Kind.RULING)
"""Kinds of results that this undo leaves alone. Rulings are corrected, with a reason."""


class ActKind(StrEnum):
    """What can be undone, in the order of acts at the same instant."""

    CHECK_IN = "check-in"
    FLOOR = "floor"
    RESULT = "result"


_NAME = re.compile(rf"({'|'.join(ActKind)})-(\d{{1,18}})")


@dataclass(frozen=True, slots=True)
class UndoableAct:
    """Something that a user did at an event and can undo: a fact of the floor, a result, or a check-in.

    A check-in stands for all those of the same tap, and for what was paid by it.
    """

    fact: FloorEvent | Result | CheckIn
    fixture: Fixture | None = None
    """The match it is about, if any."""

    @property
    def kind(self) -> ActKind:
        if isinstance(self.fact, Result):
            return ActKind.RESULT
        return ActKind.CHECK_IN if isinstance(self.fact, CheckIn) else ActKind.FLOOR

    @property
    def name(self) -> str:
        """What names it in forms and in the API, such as `result-17`."""
        return f"{self.kind}-{self.fact.pk}"

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
        count = _same_tap(self.fact).count() if self.fact.kind == FloorKind.STARTED else 1
        if count > 1:
            return ngettext("%(count)d match has started.", "%(count)d matches have started.", count) % {"count": count}
        return sentence_of_fact(self.fact)

    @property
    def label(self) -> str:
        """What undoing it is called on a button."""
        return _("Undo: %(act)s") % {"act": self.text}

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
    if act is None or not isinstance(act.fact, FloorEvent) or act.fact.kind != FloorKind.STOPPED:
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
    or table since, and what `undo_result`, `arrivals.undo_tap` and `let_stopped_go_on` refuse.
    """
    if in_order and not _is_by(act.fact, by):
        raise Refused("nothing_to_undo_on_floor")
    with transaction.atomic():
        if isinstance(act.fact, FloorEvent):
            floor = lock_floor(tournament.pk, now)
        if _is_undone(act.fact):
            return act
        if in_order and (act != last_act(tournament, by) or correction_since(tournament, by, act) is not None):
            raise Refused("not_last_on_floor")
        if isinstance(act.fact, FloorEvent):
            _undo_fact(floor, act.fact, by, now)
        elif isinstance(act.fact, CheckIn):
            arrivals.undo_tap(tournament=tournament, batch=act.fact.batch, by=by, now=now)
        elif act.fixture is not None:
            return UndoableAct(act.fact, undo_result(fixture=act.fixture, result=act.fact, by=by, now=now))
    return act


def _is_by(fact: FloorEvent | Result | CheckIn, by: Actor) -> bool:
    if isinstance(fact, CheckIn):
        return by.user is not None and fact.by == by.user
    return (fact.by, fact.user) == (by.kind, by.user)


def _is_undone(fact: FloorEvent | Result | CheckIn) -> bool:
    if isinstance(fact, FloorEvent):
        return FloorEvent.objects.filter(undoes=fact).exists()
    if isinstance(fact, CheckIn):
        return CheckIn.objects.filter(undoes__batch=fact.batch).exists()
    newest = Result.objects.filter(match=fact.match_id).order_by("-version").first()
    return newest is not None and newest.kind == Result.Kind.VOID


def _undo_fact(floor: Floor, fact: FloorEvent, by: Actor, now: datetime) -> None:
    """Undo a fact of a locked floor, with those of the same tap."""
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
            continue
        locked, match = lock_fixture(undone.fixture)
        if undone.kind == FloorKind.SHORTENED:
            restore_length(match, undone, by=by)
        record(floor, FloorKind.UNDONE, replace(about, fixture=locked), by=by, now=now)
        save_beginning(match)


def _undo_slip(fixture: Fixture, by: Actor, now: datetime) -> None:
    """Take back a pair that was made on paper, unless its match has begun or has a result."""
    division = lock_division(fixture.stage.division_id)
    pairing = Pairing.objects.get(fixture=fixture)
    if pairing.taken_back:
        return
    _locked, match = lock_fixture(fixture)
    if has_begun(match) or match.state not in (Match.State.OPEN, Match.State.LIVE):
        raise Refused("pairing_begun", fixture=fixture.number)
    mark_undone(pairing, Pairing.TakenBack.TYPED, by=by, now=now)
    params = {"number": pairing.number, "reason": pairing.get_taken_back_display()}
    log(by, "pairing_taken_back", division.topic, club=division.tournament.club, **params)
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


# Finding acts.


def last_act(tournament: Tournament, by: Actor) -> UndoableAct | None:
    """Return what a user did last at an event, of what can be undone and was not; None if there is nothing."""
    facts = _facts(tournament).filter(by=by.kind, user=by.user, undone_by=None)
    results = _results(tournament).filter(_is_not_undone(), by=by.kind, user=by.user)
    check_ins = CheckIn.objects.none() if by.user is None else _check_ins(tournament).filter(by=by.user)
    undone = CheckIn.objects.filter(undoes__batch=OuterRef("batch"))
    # Whose presence somebody changed since is not undone; without this, such a check-in would end the user's undo.
    later = check_in.standing().filter(entry=OuterRef("entry"), pk__gt=OuterRef("pk"))
    return _latest(
        facts.order_by("-pk").first(),
        results.order_by("-at", "-pk").first(),
        check_ins.filter(~Exists(undone), ~Exists(later)).order_by("-pk").first(),
    )


def correction_since(tournament: Tournament, by: Actor, act: UndoableAct | None) -> Correction | None:
    """Return the latest correction by this user after an act of theirs; it is undone by a preview of its own.

    Without an `act`, their latest at the event. None if there is none that stands.
    """
    if by.user is None:
        return None
    own = Correction.objects.filter(fixture__stage__division__tournament=tournament, by=by.user)
    own = own.filter(undoes=None, undone_by=None)
    if act is not None:
        own = own.filter(at__gt=act.fact.at)
    return own.select_related("fixture").order_by("-at", "-pk").first()


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
    fact: FloorEvent | Result | CheckIn | None
    match groups[1]:
        case ActKind.FLOOR:
            fact = _facts(tournament).filter(pk=groups[2]).first()
        case ActKind.RESULT:
            fact = _results(tournament).filter(pk=groups[2]).first()
        case _:
            fact = _check_ins(tournament).filter(pk=groups[2]).first()
    return _latest(fact)


def _facts(tournament: Tournament) -> QuerySet[FloorEvent]:
    names = ("fixture__match__player_0", "fixture__match__player_1", "fixture__stage__division")
    rows = FloorEvent.objects.filter(tournament=tournament).exclude(kind=FloorKind.UNDONE)
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
    return rows.select_related("entry__player", "entry__division__tournament", "by")


def _latest(*facts: FloorEvent | Result | CheckIn | None) -> UndoableAct | None:
    acts = [_act(fact) for fact in facts if fact is not None]
    return max(acts, key=lambda act: act.place, default=None)


def _act(fact: FloorEvent | Result | CheckIn) -> UndoableAct:
    if isinstance(fact, Result):
        rows = Fixture.objects.select_related("stage__division", "match__player_0", "match__player_1")
        return UndoableAct(fact, rows.filter(match=fact.match_id).first())
    return UndoableAct(fact, fact.fixture if isinstance(fact, FloorEvent) else None)


# Acts as sentences.


def _result_text(result: Result, fixture: Fixture | None) -> str:
    match = result.match
    names = match_names(fixture, staff=True) if fixture is not None else match.names
    if result.winner is None:
        return f"{' – '.join(names)}: {result.get_kind_display()}"
    values = {"winner": names[result.winner], "kind": result.get_kind_display(), "table": _table_of(fixture)}
    score = final_score(match, result)
    if score is None:
        return _("%(winner)s wins: %(kind)s") % values
    values["score"] = score_of(match, result.winner, score)
    text = _("%(winner)s wins %(score)s at table %(table)s") if values["table"] else _("%(winner)s wins %(score)s")
    return text % values


def _table_of(fixture: Fixture | None) -> str:
    """Return the label of the table that a match was last sent to; empty without one."""
    sent = FloorEvent.objects.filter(fixture=fixture, kind__in=TO_TABLES, undone_by=None, table__isnull=False)
    return sent.order_by("-pk").values_list("table__label", flat=True).first() or "" if fixture is not None else ""


def _check_in_text(check_in: CheckIn) -> str:
    count = CheckIn.objects.filter(batch=check_in.batch).count()
    if count > 1:
        text = ngettext("%(count)d player checked in", "%(count)d players checked in", count) % {"count": count}
    else:
        name = shown_entry(check_in.entry, staff=True)
        text = _("%(name)s: %(state)s") % {"name": name, "state": check_in.get_state_display()}
    paid = arrivals.paid_text(check_in.entry.division.tournament, check_in.batch)
    return f"{text} · {paid}" if paid else text
