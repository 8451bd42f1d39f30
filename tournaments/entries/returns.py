"""Undoing a withdrawal, with a preview: the entry returns to the division.

Walkovers that followed from the withdrawal are opened again, as new matches between the same players. If that would
void a match that has begun since, it is refused. Without rounds, what the others have begun meanwhile is missed, as by
a late entry. Nobody returns to what was decided without them, unless they have a match to play.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.db.models import Q

from engine.errors import Refused
from formats.settings import BY_ROUND, LIVES
from formats.swiss.lives import LAST_ROUND_FOR_LIVES, MISSED_FOR_A_LIFE, lives_left, missed_while_out
from matches.lifecycle.own_match import check_own_match, side_of
from matches.lifecycle.voiding import void_matches
from matches.models import Match, Result
from players.actors import Actor, log
from players.people.rows import canonical, lock_present
from tournaments.entries.services import decided_by, refuse_sides, refuse_spent, same_side
from tournaments.models import (
    Division,
    Draw,
    Entry,
    Fixture,
    MissedMatch,
    OpenPairing,
    Pairing,
    Return,
    Slot,
    Withdrawal,
)
from tournaments.state.derivation import StageState
from tournaments.state.locks import division_changed, lock_division, lock_unfinished_matches
from tournaments.state.pairings import begun_by_present, begun_counts, give_back
from tournaments.state.places import is_full
from tournaments.state.plans import is_continuous
from tournaments.state.preview import MARK_LENGTH, NOTHING, Consequences, DivisionFacts, FixtureChange, consequences_of
from tournaments.state.settle import continue_match, settle
from tournaments.state.stage_rows import DivisionRows
from tournaments.state.versions import DivisionPart

WALKOVERS = (Result.Kind.WALKOVER, Result.Kind.DOUBLE_FORFEIT)


@dataclass(frozen=True, slots=True)
class DivisionReturn:
    entry: Entry
    withdrawals: Sequence[Withdrawal] = ()
    reopened: Sequence[Fixture] = ()
    """Fixtures whose walkover is undone."""
    missed: Sequence[MissedMatch] = ()
    """What is missed in stages without rounds, not saved yet."""
    following: Consequences = NOTHING
    waits: bool = False
    """Whether all places are taken, so that the entry goes on the waiting list."""


@dataclass(frozen=True, slots=True)
class ReturnPreview:
    """A return before it is applied; `mark` changes whenever the preview would."""

    parts: Sequence[DivisionReturn]
    mark: str


def preview_return(*, entry: Entry, event: bool = False) -> ReturnPreview:
    """Preview the return of an entry to its division, or of its player to the whole event.

    Refused: `not_withdrawn`, `return_too_late`, `return_decided`, `too_late_for_lives`, `tournament_not_open`, and as
    `refuse_sides`.
    """
    return _preview(_entries(entry, event))


def bring_back(
    *, entry: Entry, seen: str, by: Actor, now: datetime, event: bool = False, reason: str = ""
) -> ReturnPreview:
    """Undo the withdrawal of an entry; with `event`, of all entries of the player in the event.

    `seen` is the `mark` of the preview. Refused: `stale`, what `lock_present` and `preview_return` refuse, and what
    `check_own_match` refuses for directors who return themselves, since that undoes a match they have lost.
    """
    return _bring_back(_entries(entry, event), seen=seen, by=by, now=now, reason=reason)


def preview_undo(entries: Sequence[Entry]) -> ReturnPreview:
    """Preview `undo_withdrawals`. Refused: as `preview_return`, and `undo_built_on` if an opponent was paired again."""
    preview = _preview(entries, undo=True)
    reopened = [fixture for part in preview.parts for fixture in part.reopened if is_continuous(fixture.stage)]
    for fixture in [*reopened, *(row.fixture for row in _pairings_of(entries) if row.fixture is not None)]:
        slots = Slot.objects.filter(fixture=fixture)
        if OpenPairing.objects.filter(entry__in=slots.values("entry")).exists():
            raise Refused("undo_built_on", fixture=fixture.number)
    return preview


def undo_withdrawals(*, entries: Sequence[Entry], by: Actor, now: datetime) -> None:
    """Undo the withdrawal of these entries of one player, whose matches go on where they were.

    Refused: as `bring_back`.
    """
    with transaction.atomic():
        preview = preview_undo(entries)
        voided = {part.pk: part.match for row in preview.parts for part in row.reopened if part.match is not None}
        for pairing in _pairings_of(entries):
            give_back(pairing)
            assert pairing.fixture is not None  # noqa: S101, filtered
            if (former := pairing.fixture.former.order_by("-pk").first()) is not None:
                voided[pairing.fixture.pk] = former
        _bring_back(entries, seen=preview.mark, by=by, now=now, reason="", undo=True)
        for fixture in Fixture.objects.filter(pk__in=voided).select_related("match"):
            continue_match(fixture, voided[fixture.pk])


def _pairings_of(entries: Sequence[Entry]) -> list[Pairing]:
    """Return the pairings without rounds that the withdrawal of these entries took back."""
    rows = Pairing.objects.filter(taken_back=Pairing.TakenBack.WITHDRAWAL).exclude(fixture=None).order_by("number")
    rows = rows.filter(Q(first__in=entries) | Q(second__in=entries)).select_related("fixture")
    return [row for row in rows if row.taken_back_at in {entry.withdrawn_at for entry in entries}]


def _bring_back(
    entries: Sequence[Entry], *, seen: str, by: Actor, now: datetime, reason: str, undo: bool = False
) -> ReturnPreview:
    with transaction.atomic():
        divisions = {pk: lock_division(pk) for pk in sorted({row.division_id for row in entries})}
        for row in entries:
            row.refresh_from_db()
            row.division = divisions[row.division_id]
        lock_present(*(row.player for row in entries))
        preview = _preview(entries, undo=undo)
        matches = [
            fixture.match_id
            for part in preview.parts
            for fixture in (*part.reopened, *(change.row for change in part.following.changes))
            if fixture.match_id is not None
        ]
        locked_matches = lock_unfinished_matches(divisions.values(), matches)
        if not seen == preview.mark == _mark(preview.parts, locked_matches):
            raise Refused("stale")
        for part in preview.parts:
            _apply(part, locked_matches, by, now, reason)
        for division in divisions.values():
            division_changed(division, part=DivisionPart.ENTRIES)
            settle(division, by=by, now=now, locked=locked_matches, withdrawal_reason=reason)
    return preview


def standing_withdrawals(entry: Entry) -> list[Withdrawal]:
    """Return the withdrawals that a return undoes: the one from the division, else those from single brackets."""
    rows = list(entry.withdrawals.filter(taken_back_at=None).select_related("bracket"))
    return [row for row in rows if row.bracket_id is None] or rows


def _entries(entry: Entry, event: bool) -> list[Entry]:
    """Return the entries that come back, always including the given one."""
    if not event:
        return [entry]
    own = decided_by([canonical(entry.player)])
    rows = Entry.objects.filter(own, division__tournament=entry.division.tournament_id, joined_to=None)
    rows = rows.select_related("division__tournament__club", "player").order_by("pk")
    return [row for row in rows if row.pk == entry.pk or (row.status == Entry.Status.OUT and _is_latest(row))]


def _is_latest(entry: Entry) -> bool:
    later = entry.division.entries.filter(same_side(entry.player), pk__gt=entry.pk, joined_to=None)
    return not later.exists()


def _preview(entries: Iterable[Entry], *, undo: bool = False) -> ReturnPreview:
    parts = [_part(entry, undo=undo) for entry in entries]
    return ReturnPreview(parts, _mark(parts, {}))


def _part(entry: Entry, *, undo: bool) -> DivisionReturn:
    division = entry.division
    if division.status == Division.Status.CANCELLED:
        raise Refused("tournament_not_open")
    if entry.joined_to_id is not None:
        raise Refused("not_withdrawn", name=entry.player.shown_name)
    refuse_sides(division, [entry.player], division.entries.exclude(pk=entry.pk).exclude(status=Entry.Status.OUT))
    withdrawals = standing_withdrawals(entry)
    if not withdrawals and (entry.status != Entry.Status.OUT or division.status != Division.Status.ENTRIES):
        raise Refused("not_withdrawn", name=entry.player.shown_name)
    if division.status == Division.Status.ENTRIES:
        return DivisionReturn(entry, withdrawals, waits=is_full(division))
    before = DivisionFacts(division).states()
    # Whoever entered again began with another entry of theirs, as was offered.
    refuse_spent(before, [entry.player], own=same_side(entry.player) if division.reentry_until else Q(pk=entry.pk))
    reopened = _walkovers(entry, withdrawals, undo=undo)

    def derive(missed: Collection[MissedMatch]) -> list[StageState]:
        keys = [row.pk for row in withdrawals]
        matches = [fixture.match_id for fixture in reopened if fixture.match_id is not None]
        rows = DivisionRows(division, taken_back=keys, reopened=matches, also_missed=missed)
        return DivisionFacts(division, rows.drawn).states()

    since = min(row.at for row in withdrawals)
    after = derive([])
    missed = [] if undo else _missed(entry, since, before, after)
    # What lots take is not shown before.
    if certain := [row for row in missed if not row.by_lot]:
        after = derive(certain)
    following = consequences_of(division, before, after)
    _refuse_if_begun(entry, division, reopened, following.changes)
    if not undo:
        _refuse_if_decided(entry, since, before, following)
    return DivisionReturn(entry, withdrawals, reopened, missed, following)


def _missed(
    entry: Entry, since: datetime, before: Sequence[StageState], after: Sequence[StageState]
) -> list[MissedMatch]:
    """Return what an entry that left `since` misses where it plays again, as a late entry of this time would.

    In lives each costs one or not by lot.

    Refused: `too_late_for_lives` and, where lives are counted by rounds, `late_entry_closed`.
    """
    rows = []
    for old, new in zip(before, after, strict=True):
        settings, event = new.rows.settings, new.event
        if event is None or entry.pk not in event.by_entry or event.by_entry[entry.pk].left is not None:
            continue
        if not settings.is_continuous:
            paired = [
                draw.round for draw in old.rows.of_division.paired.get(old.stage.pk, ()) if _is_since(draw, since)
            ]
            if settings.format == LIVES and len(paired) > LAST_ROUND_FOR_LIVES and not old.over:
                raise Refused("late_entry_closed", round=paired[-1])
            continue
        count = missed_while_out(
            begun_by_present(old), begun_counts(old.rows)[entry.pk], is_strict=settings.is_missed_by_lot
        )
        if not count:
            continue
        left = lives_left(event, settings.lives).get(entry.pk, 0)
        if settings.format == LIVES and not old.over and left <= count // MISSED_FOR_A_LIFE:
            raise Refused("too_late_for_lives", matches=count)
        # In turn, a single one would cost nothing, which pays whoever comes back at the right moment.
        rows.append(MissedMatch(stage=new.stage, entry=entry, count=count, by_lot=settings.format == LIVES))
    return rows


def _is_since(draw: Draw, moment: datetime) -> bool:
    return draw.published_at is not None and draw.published_at > moment


def _refuse_if_decided(entry: Entry, since: datetime, before: Sequence[StageState], following: Consequences) -> None:
    """Refuse who would open again what was played to its end without them, `since` they left: `return_decided`.

    The same where a division is decided and no match of theirs can be played.
    """
    has_match = any(
        change.after.result is None and entry.pk in (change.after.entrants or ()) for change in following.changes
    )
    opened = [old for old, new in zip(before, following.states, strict=True) if old.over and not new.over]
    ended = (row.match.finished_at for old in opened for row in old.rows.fixtures.values() if row.match is not None)
    was_played_out = any(at is not None and at > since for at in ended)
    is_decided = not opened and entry.division.status == Division.Status.FINISHED
    if not has_match and (was_played_out or is_decided):
        raise Refused("return_decided", name=entry.player.shown_name, division=entry.division.name)


def _walkovers(entry: Entry, withdrawals: Sequence[Withdrawal], *, undo: bool) -> list[Fixture]:
    """Return fixtures that the entry lost by these withdrawals; of rounds paired one by one, only the last round.

    Without rounds a match stays lost, unless the withdrawal is undone.
    """
    since = min(row.at for row in withdrawals)
    brackets = {row.bracket_id for row in withdrawals}
    slots = Slot.objects.filter(entry=entry, fixture__match__isnull=False).select_related(
        "fixture__match", "fixture__round", "fixture__stage"
    )
    fixtures = []
    for slot in slots.order_by("fixture__number"):
        fixture = slot.fixture
        if None not in brackets and fixture.round.bracket_id not in brackets:
            continue
        if is_continuous(fixture.stage):
            if not undo:
                continue
        elif fixture.stage.format in BY_ROUND and fixture.round.bracket.rounds.filter(number__gt=fixture.round.number):
            continue
        result = Result.objects.filter(match=fixture.match_id).order_by("-version").first()
        if result is not None and _is_walkover(result, slot.side, since):
            fixtures.append(fixture)
    return fixtures


def _is_walkover(result: Result, side: int, since: datetime) -> bool:
    walkover = result.source == Result.Source.FORMAT and result.kind in WALKOVERS
    return walkover and result.winner != side and result.at >= since


def _refuse_if_begun(
    entry: Entry, division: Division, reopened: Sequence[Fixture], changes: Sequence[FixtureChange]
) -> None:
    begun = [change.row.number for change in changes if change.undoes_play]
    numbers = [fixture.stage.number for fixture in reopened if fixture.stage.format not in BY_ROUND]
    if numbers and not begun:
        # The entrants of a later stage that is paired round by round are fixed once its first round is paired.
        paired = Draw.objects.filter(stage__division=division, stage__number__gt=min(numbers), round__gt=0)
        later = Fixture.objects.filter(stage__in=paired.filter(state=Draw.State.PUBLISHED).values("stage"))
        begun = list(later.order_by("number").values_list("number", flat=True)[:1])
    if begun:
        raise Refused("return_too_late", name=entry.player.shown_name, fixture=min(begun))


def _mark(parts: Iterable[DivisionReturn], locked_matches: Mapping[int, Match]) -> str:
    """Return a fingerprint of the rows that a preview depends on, with matches as they are locked now."""
    versions: set[tuple[str, int, int]] = set()
    for part in parts:
        versions.add(("division", part.entry.division_id, part.entry.division.seq))
        for fixture in (*part.reopened, *(change.row for change in part.following.changes)):
            match = locked_matches.get(fixture.match_id or 0, fixture.match)
            if match is not None:
                versions.add(("match", match.pk, match.seq))
    return sha256(repr(sorted(versions)).encode()).hexdigest()[:MARK_LENGTH]


def _is_own_loss(match: Match, entry: Entry, by: Actor) -> bool:
    """Whether the actor plays for this entry, which lost the match by a walkover."""
    side = side_of(match, by)
    return side is not None and match.players[side].pk == entry.player_id


def _apply(part: DivisionReturn, locked_matches: Mapping[int, Match], by: Actor, now: datetime, reason: str) -> None:
    entry, division = part.entry, part.entry.division
    club = division.tournament.club
    matches = [locked_matches[fixture.match_id] for fixture in part.reopened if fixture.match_id is not None]
    lost = [match for match in matches if _is_own_loss(match, entry, by) and check_own_match(match, by, reason)]
    others = [match for match in matches if match not in lost]
    void_matches(dict.fromkeys(others, False), club=club, by=by, now=now, reason=reason)
    void_matches(dict.fromkeys(lost, False), club=club, by=by, now=now, reason=reason, own_match=True)
    for missed in part.missed:
        missed.at = now
        missed.save()
    for withdrawal in part.withdrawals:
        withdrawal.taken_back_at = now
        withdrawal.save(update_fields=["taken_back_at"])
        Return.objects.create(withdrawal=withdrawal, reason=reason, at=now, by=by.user).reopened.set(matches)
    if entry.status == Entry.Status.OUT:
        entry.status = Entry.Status.WAITING if part.waits else Entry.Status.IN
        entry.withdrawn_at = None
        entry.save(update_fields=["status", "withdrawn_at"])
    numbers = [fixture.number for fixture in part.reopened]
    log(by, "entry_returned", division.topic, club=club, entry=entry.pk, fixtures=numbers, reason=reason)
