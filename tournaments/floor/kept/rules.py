"""What kept acts of the floor assume, and how they are done: quietly, at once, and named for their undo.

Each assumption is checked under the locks of its service (docs/locking.md), so that it still holds when that runs. The
order of the checks decides what somebody reads if several of them fail.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from engine.errors import Refused
from matches.lifecycle.begun import has_begun
from matches.lifecycle.finish import ResultInput, same_outcome, standing_result
from matches.models import Claim, Match, Result
from matches.reporting.kept import other_terms
from players.actors import Actor
from players.kept.acts import Arrived, Kept, Outcome, Seen
from players.models import Player
from players.people.rows import people_of
from tournaments.entries import check_in
from tournaments.entries.services import plays_in
from tournaments.floor import calls
from tournaments.floor.derivation import floor_state
from tournaments.floor.journal import latest, lock_fixture, lock_floor
from tournaments.floor.selectors import load_facts
from tournaments.floor.state import FloorMatchState, MatchOnFloor, TableState
from tournaments.floor.to_come import NOT_CALLED
from tournaments.floor.undo import UndoableAct
from tournaments.models import (
    TYPED_AT,
    CheckIn,
    Entry,
    Fixture,
    Floor,
    FloorEvent,
    FloorKind,
    Substitution,
    Table,
    Tournament,
)
from tournaments.results.services import enter_result
from tournaments.state.locks import lock_division
from tournaments.state.presence import SignKind, presence_facts

ALREADY = Arrived(Outcome.ALREADY)
SEATS = (FloorKind.CALLED, FloorKind.MOVED, FloorKind.FREED)
"""Facts that say at which table a match is."""
OVER = (Match.State.CLAIMED, Match.State.DISPUTED, Match.State.SETTLED, Match.State.VOID)
REPORTED = (Claim.State.OPEN, Claim.State.CONTESTED)


class Locked(NamedTuple):
    """The match that a kept act is about, with its players as the reader saw them."""

    fixture: Fixture
    match: Match

    def differs(self, code: str, **params: Any) -> Arrived:
        return Arrived(Outcome.DIFFERS, code, {"fixture": self.fixture.number, **params})

    def overtaken(self, code: str) -> Arrived:
        return Arrived(Outcome.OVERTAKEN, code, {"fixture": self.fixture.number})

    def differs_since(self, seen: Seen) -> Arrived | None:
        """Return that the match is to another length or start score than it was, or has lost its table."""
        return self.differs("freed_since") if self._has_lost_table(seen) else self.other_terms(seen)

    def other_terms(self, seen: Seen) -> Arrived | None:
        set_since = self.unseen(seen, FloorKind.START_SET) if seen.act.saw is None else []
        return other_terms(self.match, seen, {"start": set_since[0].params["was"]} if set_since else {})

    def _has_lost_table(self, seen: Seen) -> bool:
        standing = latest(self.fixture, *SEATS)
        if standing is not None and standing.kind != FloorKind.FREED:
            return False
        had = {"undoes__fixture": self.fixture, "undoes__kind__in": SEATS, "undoes__pk__lte": seen.act.seen}
        return bool(self.unseen(seen, FloorKind.FREED)) or unseen(FloorEvent.objects.filter(**had), seen).exists()

    def unseen(self, seen: Seen, *kinds: FloorKind) -> list[FloorEvent]:
        """Return the facts of the match that stand and that the reader had not seen, oldest first."""
        rows = FloorEvent.objects.filter(fixture=self.fixture, match=self.match, kind__in=kinds, undone_by=None)
        return [row for row in unseen(rows, seen) if UndoableAct(row).name not in seen.own]


def unseen(rows: QuerySet[Any], seen: Seen) -> QuerySet[Any]:
    """Return the facts that the reader had not seen: by their number, or by their time.

    A restored backup gives numbers again, so that an old number may be that of a new fact.
    """
    return rows.filter(Q(pk__gt=seen.act.seen) | Q(at__gt=seen.act.seen_at)).order_by("pk")


def is_out_since(table: int, seen: Seen) -> bool:
    """Whether a table that is out of use was taken out of it after the reader had seen it."""
    return unseen(FloorEvent.objects.filter(table=table, kind=FloorKind.TABLE_OUT, undone_by=None), seen).exists()


def _lock(form: Any, seen: Seen, now: datetime, *, with_division: bool = False) -> Locked | Arrived:
    """Lock the match of an act, after the floor and its division; if the players are others, what becomes of it.

    Refused: `not_on_floor` if there is no such match any more.
    """
    fixture: Fixture = form.cleaned_data["fixture"]
    if not with_division or Floor.objects.filter(tournament=form.tournament).exists():  # no result opens one
        with suppress(Refused):
            # In a closed event the same act may have been done, or be needless. Otherwise the service refuses.
            lock_floor(form.tournament.pk, now)
    if with_division:
        lock_division(fixture.stage.division_id)
    try:
        locked = Locked(*lock_fixture(fixture))
    except Fixture.DoesNotExist:
        raise Refused("not_on_floor", fixture=fixture.number) from None
    except Refused:
        return Arrived(Outcome.DIFFERS, "other_players", {"fixture": fixture.number})
    slots = list(locked.fixture.slots.order_by("side").values_list("entry", "entry__public_id"))
    # A substitute plays with the entry of who left.
    substituted = Substitution.objects.filter(entry__in=[pk for pk, _name in slots], at__gt=seen.act.seen_at)
    is_same = tuple(name for _pk, name in slots) == seen.act.pair and not substituted.exists()
    return locked if is_same else locked.differs("other_players")


def _assumed_open(form: Any, seen: Seen, now: datetime) -> Locked | Arrived:
    """Lock a match that goes on, with the same players."""
    locked = _lock(form, seen, now)
    if isinstance(locked, Locked) and locked.match.state in OVER:
        return locked.overtaken("match_finished")
    return locked


def _start_assumed(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    locked = _assumed_open(form, seen, now)
    if isinstance(locked, Arrived):
        return locked
    if has_begun(locked.match):
        return ALREADY
    return locked.differs_since(seen) or _busy(_on_floor(form, locked, now))


def _busy(row: MatchOnFloor | None) -> Arrived | None:
    """Return that somebody of a match that is not called is at another one by now."""
    try:
        if row is not None and row.state in NOT_CALLED:
            calls.refuse_busy(row)
    except Refused as refused:
        return Arrived(Outcome.DIFFERS, refused.code, refused.params)
    return None


def _on_floor(form: Any, locked: Locked, now: datetime) -> MatchOnFloor | None:
    return floor_state(load_facts(form.tournament, now), now).matches.get(locked.fixture.pk)


def _start(form: Any, by: Actor, now: datetime) -> Arrived:
    return _done(calls.start(fixture=form.cleaned_data["fixture"], by=by, now=now, noted=_typed(form)))


def _score_assumed(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    locked = _assumed_open(form, seen, now)
    if isinstance(locked, Arrived):
        return locked
    score, length = (form.cleaned_data["left"], form.cleaned_data["right"]), locked.match.length
    if (event := latest(locked.fixture, FloorKind.RUNNING_SCORE)) is not None and tuple(event.params["score"]) == score:
        return ALREADY
    if locked.unseen(seen, FloorKind.RUNNING_SCORE):
        return locked.overtaken("score_since")
    if (changed := locked.differs_since(seen)) is not None:
        return changed
    if max(score) >= length:
        # Without rounds the service would ask both players whether it is over, who have left the table.
        raise Refused("running_score_over", fixture=locked.fixture.number, length=length, left=score[0], right=score[1])
    return _busy(_on_floor(form, locked, now))


def _score(form: Any, by: Actor, now: datetime) -> Arrived:
    data = form.cleaned_data
    score = (data["left"], data["right"])
    return _done(calls.set_running_score(fixture=data["fixture"], score=score, by=by, now=now, noted=_typed(form)))


def _move_assumed(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    locked = _assumed_open(form, seen, now)
    if isinstance(locked, Arrived):
        return locked
    table: Table = form.cleaned_data["table"]
    state = floor_state(load_facts(form.tournament, now), now)
    row, at_table = state.matches.get(locked.fixture.pk), state.tables.get(table.pk)
    is_seated = row is not None and row.state in (FloorMatchState.CALLED, FloorMatchState.PLAYING)
    if row is not None and is_seated and row.table == table.pk:
        return ALREADY
    if locked.unseen(seen, *SEATS):
        return locked.differs("moved_since")
    if at_table is not None and at_table.match is not None and at_table.match.fixture != locked.fixture.pk:
        return Arrived(Outcome.DIFFERS, "table_taken", {"fixture": at_table.match.number, "table": table.label})
    if at_table is not None and at_table.match is None and at_table.elsewhere is not None:
        where = {"event": at_table.elsewhere.event, "fixture": at_table.elsewhere.number}
        return Arrived(Outcome.DIFFERS, "table_elsewhere", {"table": table.label, **where})
    if at_table is not None and at_table.state == TableState.OUT and is_out_since(table.pk, seen):
        return Arrived(Outcome.DIFFERS, "table_out_of_use", {"table": table.label})
    return _busy(row)


def _move(form: Any, by: Actor, now: datetime) -> Arrived:
    data = form.cleaned_data
    return _done(calls.move(fixture=data["fixture"], table=data["table"], by=by, now=now, noted=_typed(form)))


def _typed(form: Any) -> dict[str, Any]:
    """Return what the fact of a kept act notes."""
    return {TYPED_AT: form.typed_at.isoformat() if form.typed_at is not None else None}


def _done(*facts: FloorEvent | Result | CheckIn) -> Arrived:
    return Arrived(Outcome.DONE, made=tuple(UndoableAct(fact).name for fact in facts))


def _result_assumed(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    locked = _lock(form, seen, now, with_division=True)
    if isinstance(locked, Arrived):
        return locked
    match, typed, points = locked.match, _played(form, locked.match), form.cleaned_data["points"]
    changed = locked.other_terms(seen)
    if (standing := standing_result(match)) is not None and standing.kind != Result.Kind.VOID:
        is_same = standing.kind == Result.Kind.PLAYED and changed is None and _agree(match, typed, standing)
        return ALREADY if is_same else locked.differs("other_result")
    if changed is not None:
        return changed
    if points >= match.length:
        left, right = typed.score or (points, points)
        raise Refused("bad_score", length=match.length, left=left, right=right)
    if not all(_agree(match, typed, report) for report in match.claims.filter(state__in=REPORTED)):
        return locked.differs("other_report")
    scores = locked.unseen(seen, FloorKind.RUNNING_SCORE)
    if scores and scores[-1].params["score"][1 - form.cleaned_data["winner"]] > points:
        return locked.differs("score_since")
    return None


def _result(form: Any, by: Actor, now: datetime) -> Arrived:
    """Enter a result of which everything follows at once: it was to be undone on the device."""
    fixture = form.cleaned_data["fixture"]
    return _done(enter_result(fixture=fixture, result=_played(form, fixture.match), by=by, now=now))


def _played(form: Any, match: Match) -> ResultInput:
    """Return the result as it was typed, by the length that the match has."""
    winner, points = form.cleaned_data["winner"], form.cleaned_data["points"]
    return ResultInput(winner, (match.length, points) if winner == 0 else (points, match.length))


def _agree(match: Match, typed: ResultInput, other: Claim | Result) -> bool:
    return same_outcome(match.length, typed.winner, typed.score, other.winner, other.score)


def _presence_assumed(
    player: Player, entries: Iterable[Entry], state: str, seen: Seen, now: datetime
) -> Arrived | None:
    """Compare what is recorded of a player, or of both of a pair, for these entries, whose divisions are locked."""
    rows = list(entries)
    if not rows:
        raise Refused("not_entered", name=player.shown_name)
    tournament = rows[0].division.tournament
    persons = people_of([player.pk])[player.pk]
    ids = {player.pk, *Player.objects.filter(merged_into__in=persons).values_list("pk", flat=True), *persons}
    missed = [
        sign.at for sign in presence_facts(tournament).signs if sign.kind == SignKind.NO_SHOW and sign.player in ids
    ]
    if any(at > seen.act.seen_at for at in missed):
        return Arrived(Outcome.DIFFERS, "no_show_since")
    is_back = not check_in.no_shows_today(tournament, now).isdisjoint(persons)
    recorded = [who for who in check_in.attendees(tournament, rows, now) if who.person in persons]
    if all(who.state == state for who in recorded if not who.is_excused) and not is_back:
        return ALREADY
    of_person = Q(person=None) | Q(person__in=ids)
    signs = unseen(check_in.standing().filter(of_person, entry__in=rows), seen)
    if any(UndoableAct(sign).name not in seen.own for sign in signs):
        return Arrived(Outcome.OVERTAKEN, "presence_since")
    return None


def _here_assumed(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    if len(form.cleaned_data["players"]) != 1:
        raise Refused("one_player")
    (player,) = form.cleaned_data["players"]
    return _presence_assumed(player, _locked_entries(form.tournament, player), CheckIn.State.HERE, seen, now)


def _locked_entries(tournament: Tournament, player: Player) -> QuerySet[Entry]:
    """Return the entries with which a player, or either of a pair, plays; all divisions of the event are locked."""
    for pk in tournament.divisions.order_by("pk").values_list("pk", flat=True):
        lock_division(pk)
    people = people_of([player.pk])[player.pk]
    entries = Entry.objects.filter(plays_in(people), division__tournament=tournament, status=Entry.Status.IN)
    return entries.select_related("player", "division__tournament")


def _here(form: Any, by: Actor, now: datetime) -> Arrived:
    players = form.cleaned_data["players"]
    batch = check_in.mark_players_here(tournament=form.tournament, players=players, by=by, now=now)
    return _done(*CheckIn.objects.filter(batch=batch).order_by("pk"))


def _away_assumed(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    player: Player = form.cleaned_data["person"] or form.cleaned_data["entry"].player
    rows = _locked_entries(form.tournament, player)
    if (arrived := _presence_assumed(player, rows, CheckIn.State.AWAY, seen, now)) is not None:
        return arrived
    is_over = _away_until(form, now) <= now
    return Arrived(Outcome.OVERTAKEN, "away_over") if is_over else None


def _away(form: Any, by: Actor, now: datetime) -> Arrived:
    who = {"entry": form.cleaned_data["entry"], "person": form.cleaned_data["person"]}
    batch = check_in.mark_everywhere(**who, state=CheckIn.State.AWAY, until=_away_until(form, now), by=by, now=now)
    return _done(*CheckIn.objects.filter(batch=batch).order_by("pk"))


def _away_until(form: Any, now: datetime) -> datetime:
    """Return until when somebody is away who was to be so for some minutes from when it was typed."""
    until: datetime = (form.typed_at or now) + timedelta(minutes=form.cleaned_data["minutes"])
    return until


# A note is stored as an act of the outbox, and nothing else.


def _note_assumed(form: Any, seen: Seen, now: datetime) -> None:
    return None


def _note(form: Any, by: Actor, now: datetime) -> Arrived:
    return _done()


KEPT = {
    "start": Kept(_start_assumed, _start),
    "move": Kept(_move_assumed, _move),
    "score": Kept(_score_assumed, _score),
    "result": Kept(_result_assumed, _result),
    "here": Kept(_here_assumed, _here),
    "away": Kept(_away_assumed, _away),
    "note": Kept(_note_assumed, _note),
}
"""Name of an action of the floor -> how it arrives."""
