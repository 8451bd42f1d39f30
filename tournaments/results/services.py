"""A director's decisions on a match: a result, a forfeit, a ruling, a withdrawal; and confirming reports."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from engine.errors import Refused
from formats.settings import PLACES
from matches.lifecycle.begun import is_untouched
from matches.lifecycle.finish import Announced, Basis, ResultInput, append_result, standing_result
from matches.lifecycle.own_match import OwnMatchRuling, check_own_match, own_match_ruling
from matches.lifecycle.provisional import end, provisional_of
from matches.lifecycle.voiding import void_matches
from matches.models import Claim, Match, Objection, Provisional, Result, Submission
from matches.reporting.notifications import notify_ruling
from matches.reporting.records import RecordRuling, accept_by_ruling
from matches.reporting.reports import accept_report
from players.actors import Actor, log
from tournaments import access
from tournaments.entries import services as entries
from tournaments.models import Division, Draw, Entry, Fixture, Round, Slot, Tournament, Withdrawal
from tournaments.state.derivation import states_of
from tournaments.state.locks import lock_division, lock_undecided_match, lock_unfinished_matches
from tournaments.state.preview import Choice, preview_result
from tournaments.state.settle import continue_match, is_plain, settle, step_of, take_step
from tournaments.state.stage_rows import DivisionRows
from tournaments.state.versions import DivisionPart

# What helpers of an event leave to its directors when they enter results.


def refuse_helper(fixture: Fixture, match: Match, standing: Result | None, by: Actor) -> None:
    """Refuse to let a helper decide what is left to directors.

    `standing` is the result of the match, if it is settled. Refused: see `reserved_for_directors`.
    """
    if by.user is None or (standing is None and match.state != Match.State.DISPUTED):
        return
    if access.only_helps(by.user, fixture.stage.division.tournament):
        code = reserved_for_directors(fixture, match, standing)
        if code:
            raise Refused(code, fixture=fixture.number)


def reserved_for_directors(fixture: Fixture, match: Match, standing: Result | None) -> str:
    """Return why only directors may enter a result of this match now: the code of a refusal, or empty if helpers may.

    It is `helper_disputed` in a dispute, `helper_ruled` if a director has ruled on the match or corrected it or has to
    answer an objection, and `helper_round_over` if every match of the round has a result.
    """
    if match.state == Match.State.DISPUTED:
        return "helper_disputed"
    if standing is None:
        return ""
    is_ruling = standing.kind == Result.Kind.RULING or bool(standing.waived)
    is_objected = match.objections.filter(state=Objection.State.OPEN).exists()
    if is_ruling or is_objected or fixture.corrections.exists():
        return "helper_ruled"
    undecided = (Fixture.Status.WAITING, Fixture.Status.READY)
    is_round_over = not Fixture.objects.filter(round=fixture.round_id, status__in=undecided).exists()
    return "helper_round_over" if is_round_over else ""


# A director's decisions on a match: a result, a forfeit, a ruling or a record accepted by ruling.


NO_DELAY = timedelta()


def undo_window() -> timedelta:
    """Return how long a result that the staff enter can be undone before anything follows from it."""
    return timedelta(seconds=settings.RESULT_UNDO_SECONDS)


def enter_result(
    *,
    fixture: Fixture,
    result: ResultInput,
    by: Actor,
    now: datetime,
    after: int | None = None,
    reason: str = "",
    settle_after: timedelta = NO_DELAY,
) -> Result:
    """Record a result, replacing the one that stands, and update the bracket in the same transaction.

    After the first result of a match, the bracket waits for `settle_after`, if that is given: a worker updates it then,
    unless the result is undone. `after` is the match's `seq` as the director saw it; sending the same result twice
    records it once.
    Refused: `fixture_not_ready`, `stale`, `successor_begun`, and what `check_own_match`, `refuse_helper` and
    `append_result` refuse.
    """
    entered = _Entered(fixture, result, by, now, after, reason)
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        refuse_cancelled(division)
        return _record_first(division, entered, settle_after) or _record_any(division, entered)


@dataclass(frozen=True, slots=True)
class _Entered:
    fixture: Fixture
    result: ResultInput
    by: Actor
    now: datetime
    after: int | None
    reason: str

    def basis(self, match: Match, standing: Result | None) -> Basis:
        """Check what every result of a match is checked for, whichever way it goes, and return what it rests on.

        The match is locked; `standing` is its result, if it is settled.
        """
        if self.after is not None and match.seq != self.after:
            raise Refused("stale", seq=match.seq)
        own_match = check_own_match(match, self.by, self.reason)
        refuse_helper(self.fixture, match, standing, self.by)
        return Basis(Result.Source.DIRECTOR, reason=self.reason, own_match=own_match)


def _record_first(division: Division, entered: _Entered, settle_after: timedelta) -> Result | None:
    """Record the first result of a match without reading the whole division.

    Nothing follows from it before `settle_after`, or what follows is one step. None, with nothing done, if the match
    has a result or is disputed, or if more may follow at once.
    """
    fixture, result, by, now = entered.fixture, entered.result, entered.by, entered.now
    step = None
    if settle_after:
        match_id = Fixture.objects.values_list("match", flat=True).filter(pk=fixture.pk).first()
    else:
        step = step_of(division, Q(pk=fixture.pk), after_version=0) if is_plain(result) else None
        match_id = step.fixture.match_id if step else None
    match = lock_undecided_match(match_id) if match_id else None
    if match is None:
        return None
    basis = entered.basis(match, None)
    if step is None:
        return append_result(match, result, basis, by=by, now=now, settle_at=now + settle_after)
    version = append_result(match, result, basis, by=by, now=now, earlier=[], announced_by=Announced.CALLER)
    take_step(division, step, match, version, now=now)
    return version


def _record_any(division: Division, entered: _Entered) -> Result:
    """Record a result of a match, and settle the whole division."""
    fixture, result, by, now = entered.fixture, entered.result, entered.by, entered.now
    rows = DivisionRows(division)
    row = rows.fixture(fixture.pk)
    if row is None or row.match_id is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    match = rows.lock_matches(row)
    versions = rows.versions_of(match)
    standing = versions[-1] if match.state == Match.State.SETTLED else None
    is_seen = entered.after in (None, match.seq) and match.settle_at is None
    if standing is not None and not is_seen and ResultInput.of(standing) == result:
        return standing
    basis = entered.basis(match, standing)
    if standing is not None and match.settle_at is None:
        _refuse_if_successor_begun(row, standing, result)
    is_ruling = standing is not None or match.state == Match.State.DISPUTED
    version = append_result(match, result, basis, by=by, now=now, earlier=versions, announced_by=Announced.CALLER)
    rows.add_result(version)
    if is_ruling:
        notify_ruling(match, version)
    settle(division, by=by, now=now, rows=rows, keep_waiting=True)
    return version


def forfeit(
    *,
    fixture: Fixture,
    side: int | None,
    by: Actor,
    now: datetime,
    after: int | None = None,
    reason: str = "",
    settle_after: timedelta = NO_DELAY,
) -> Result:
    """Record that one side forfeits this match, or both (`side` None).

    A single forfeit concerns this match only: the entry still drops to a consolation bracket, if there is one.
    `settle_after` and refused: as `enter_result`.
    """
    kind = Result.Kind.DOUBLE_FORFEIT if side is None else Result.Kind.FORFEIT
    result = ResultInput(None if side is None else 1 - side, kind=kind)
    return enter_result(
        fixture=fixture, result=result, by=by, now=now, after=after, reason=reason, settle_after=settle_after
    )


def rule(
    *,
    fixture: Fixture,
    winner: int | None,
    score: tuple[int, int] | None,
    by: Actor,
    now: datetime,
    reason: str,
    after: int | None = None,
    kind: str = Result.Kind.RULING.value,
) -> Result:
    """Decide a match by ruling, or another `kind` of ending; both players see the reason.

    Refused: `ruling_needs_reason`, otherwise as `enter_result`.
    """
    if not reason.strip():
        raise Refused("ruling_needs_reason")
    result = ResultInput(winner, score, kind)
    return enter_result(fixture=fixture, result=result, by=by, now=now, after=after, reason=reason.strip())


def accept_record(
    *,
    fixture: Fixture,
    submission: Submission,
    ruling: RecordRuling,
    by: Actor,
    now: datetime,
    after: int | None = None,
) -> Result:
    """Accept a rejected record by ruling, and update the bracket.

    Refused: `successor_begun`, and what `records.accept_by_ruling` refuses.
    """
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        rows = DivisionRows(division)
        row = rows.fixture(fixture.pk)
        if row is None or row.match_id is None or submission.match_id != row.match_id:
            raise Refused("fixture_not_ready", fixture=fixture.number)
        refuse_cancelled(division)
        match = rows.lock_matches(row)
        versions = rows.versions_of(match)
        before = versions[-1] if versions and match.settle_at is None else None
        begun = None if before is None else _begun_if_winner_changes(row, before)
        result = accept_by_ruling(
            submission=submission,
            ruling=ruling,
            by=by,
            now=now,
            after=after,
            announced_by=Announced.CALLER,
        )
        if begun is not None and before is not None and before.winner != result.winner:
            raise Refused("successor_begun", fixture=row.number, successor=begun)
        rows.add_result(result)
        settle(division, by=by, now=now, rows=rows, keep_waiting=True)
    return result


def refuse_cancelled(division: Division) -> None:
    """Refuse (`tournament_not_open`) to change a cancelled division."""
    if division.status == Division.Status.CANCELLED:
        raise Refused("tournament_not_open")


def _refuse_if_successor_begun(fixture: Fixture, standing: Result, new: ResultInput) -> None:
    """Refuse another winner once a later match has begun.

    The caller has locked the matches that have not begun, so none begins meanwhile.
    """
    if standing.winner == new.winner and not fixture.advances.filter(result=standing).exists():
        # The same winner with another score changes nobody's next match.
        return
    begun = _successor_begun(fixture, standing, new)
    if begun is not None:
        raise Refused("successor_begun", fixture=fixture.number, successor=begun)


def _successor_begun(fixture: Fixture, standing: Result, new: ResultInput) -> int | None:
    """The number of the first match that has begun and would get other players: only a correction can do that."""
    following = preview_result(fixture, standing, new, with_ratings=False).consequences[Choice.CORRECT_ALL]
    return next((change.row.number for change in (*following.stopped, *following.voided)), None)


def _begun_if_winner_changes(fixture: Fixture, standing: Result) -> int | None:
    """The number of a match that has begun and would get other players if the winner changed."""
    others = [ResultInput(side, None, Result.Kind.RULING) for side in (0, 1) if side != standing.winner]
    numbers = (_successor_begun(fixture, standing, new) for new in others)
    return next((number for number in numbers if number is not None), None)


# Undoing a result that was just entered, as long as nothing depends on it. Any other result is corrected.


def undo_result(*, fixture: Fixture, result: Result, by: Actor, now: datetime) -> Fixture:
    """Undo the result of the match of a fixture, and return the fixture as it is then.

    The match becomes void and keeps the result as a version; a new match is opened in its place. Undoing it twice
    changes nothing.
    Refused: `undo_built_on` if the result was changed since, a match that follows from it has begun, or a later round
    is paired (it can still be corrected); and what `check_own_match` refuses.
    """
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        locked = lock_unfinished_matches([division], [result.match_id])
        match = locked[result.match_id]
        standing = standing_result(match)
        if standing is not None and standing.kind != Result.Kind.VOID:
            if standing != result or _is_depended_on(fixture, match, standing):
                raise Refused("undo_built_on", fixture=fixture.number)
            check_own_match(match, by, "")
            club = division.tournament.club
            void_matches({match: False}, club=club, by=by, now=now)
            log(by, "result_undone", match.topic, club=club, version=result.version)
            settle(division, by=by, now=now, locked=locked, keep_waiting=True)
            continue_match(fixture, match)
    return Fixture.objects.select_related("stage__division", "match__player_0", "match__player_1").get(pk=fixture.pk)


def _is_depended_on(fixture: Fixture, match: Match, standing: Result) -> bool:
    """Whether undoing a result would affect a match that has begun, or a round paired since."""
    since = Match.objects.filter(parent_topic=match.parent_topic, created_at__gte=standing.at).exclude(pk=match.pk)
    # What follows from a result is a match of one of its two players, or one of a later stage.
    players = set(match.players)
    later = Fixture.objects.filter(match__in=since).select_related("match__player_0", "match__player_1", "stage")
    for row in later:
        assert row.match is not None  # noqa: S101, filtered above
        follows = row.stage.number > fixture.stage.number or players & set(row.match.players)
        if follows and not is_untouched(row.match):
            return True
    paired = Draw.objects.filter(stage=fixture.stage, round__gt=0, state=Draw.State.PUBLISHED)
    return paired.filter(published_at__gte=standing.at).exists()


# Withdrawing a player from the page of a match: from its bracket, the division or the event.


def withdraw_side(*, fixture: Fixture, side: int, scope: str, by: Actor, now: datetime, reason: str = "") -> Entry:
    """Withdraw the entry on one side of a fixture; `scope` is "bracket", "division" or "event".

    Refused: `not_entered`, and what the withdrawal from that scope refuses.
    """
    slot = fixture.slots.select_related("entry__player", "fixture__stage", "fixture__round__bracket").get(side=side)
    if slot.entry is None:
        raise Refused("not_entered", name="")
    if scope == "bracket":
        withdraw_from_bracket(slot=slot, by=by, now=now, reason=reason)
    elif scope == "event":
        tournament = fixture.stage.division.tournament
        entries.withdraw_from_event(tournament=tournament, player=slot.entry.player, by=by, now=now, reason=reason)
    else:
        entries.withdraw(entry=slot.entry, by=by, now=now, reason=reason)
    return slot.entry


def preview_withdrawal_of_side(
    *, fixture: Fixture, side: int, scope: str
) -> tuple[Entry, list[entries.DivisionWithdrawal]]:
    """Return the entry that `withdraw_side` would withdraw, and what follows from that. Refused: `not_entered`."""
    slot = fixture.slots.select_related("entry__player", "fixture__round__bracket").get(side=side)
    if slot.entry is None:
        raise Refused("not_entered", name="")
    slot.entry.division = fixture.stage.division
    is_one = fixture.stage.format == PLACES
    bracket = slot.fixture.round.bracket if scope == "bracket" and not is_one else None
    return slot.entry, entries.preview_withdrawal(entry=slot.entry, event=scope == "event", bracket=bracket)


def withdraw_from_bracket(*, slot: Slot, by: Actor, now: datetime, reason: str = "") -> Entry:
    """Withdraw an entry from this bracket; its results so far stay.

    Where there is a place for everybody, the brackets are one: who leaves one leaves the division.

    Refused: `not_entered`, and what `check_own_win` refuses if the director would win by it.
    """
    if slot.entry is None:
        raise Refused("not_entered", name="")
    if slot.fixture.stage.format == PLACES:
        return entries.withdraw(entry=slot.entry, by=by, now=now, reason=reason)
    with transaction.atomic():
        division = lock_division(slot.fixture.stage.division_id)
        refuse_cancelled(division)
        bracket = slot.fixture.round.bracket
        Withdrawal.objects.create(entry=slot.entry, bracket=bracket, reason=reason, at=now, by=by.user)
        log_params = {"entry": slot.entry_id, "bracket": bracket.key, "reason": reason}
        log(by, "bracket_withdrawn", division.topic, club=division.tournament.club, **log_params)
        settle(division, by=by, now=now, withdrawal_reason=reason, part=DivisionPart.ENTRIES)
    return slot.entry


# Confirming at once what nobody opposes: signed reports become results, and provisional results become final.
#
# Closing a round, a division or an event does the same for its provisional results, and ends those that nobody but
# their winner could confirm.


@dataclass(frozen=True, slots=True)
class OpenReport:
    """A match with open reports or a provisional result: what can be confirmed, or the code of why nothing can."""

    fixture: Fixture
    report: Claim | Provisional | None
    code: str = ""

    @property
    def match(self) -> Match:
        assert self.fixture.match is not None  # noqa: S101, only matches have reports
        return self.fixture.match


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The outcome of confirming one report: the new result, or the reason in `open_report.code`."""

    open_report: OpenReport
    result: Result | None = None

    @property
    def code(self) -> str:
        """Why the report was not confirmed; empty if it was."""
        return self.open_report.code


def provisional_results(
    tournament: Tournament, by: Actor, *, division: Division | None = None, round_: Round | None = None
) -> list[OpenReport]:
    """Return the matches of an event, a division or a round with a provisional result, by match number."""
    rows = Fixture.objects.filter(stage__division__tournament=tournament, match__provisional=True).select_related(
        "stage__division", "match__player_0", "match__player_1"
    )
    if division is not None:
        rows = rows.filter(stage__division=division)
    if round_ is not None:
        rows = rows.filter(round=round_)
    return [_provisional_result(row, row.match, by) for row in rows.order_by("number") if row.match is not None]


def _provisional_result(fixture: Fixture, match: Match, by: Actor) -> OpenReport:
    """Return the provisional result of a match if this actor can confirm it, or the reason why not."""
    row = provisional_of(match)
    if row is None:
        return OpenReport(fixture, None, "confirm_changed")
    if match.objections.filter(state=Objection.State.OPEN).exists():
        return OpenReport(fixture, None, "confirm_objected")
    standing = own_match_ruling(match, by)
    if standing == OwnMatchRuling.NEEDS_OTHER:
        return OpenReport(fixture, None, "own_match")
    return OpenReport(fixture, row, "" if standing == OwnMatchRuling.IMPARTIAL else "confirm_own_last")


def open_reports(tournament: Tournament, by: Actor, division: Division | None = None) -> list[OpenReport]:
    """Return the matches of an event, or of one division, with open or disputed reports, by match number."""
    rows = Fixture.objects.filter(
        stage__division__tournament=tournament, match__state__in=[Match.State.CLAIMED, Match.State.DISPUTED]
    ).select_related("stage__division", "match__player_0", "match__player_1")
    if division is not None:
        rows = rows.filter(stage__division=division)
    return [_open_report(row, row.match, by) for row in rows.order_by("number") if row.match is not None]


def _open_report(fixture: Fixture, match: Match, by: Actor) -> OpenReport:
    """Return the report of a match that can be confirmed, or the reason why none can."""
    if match.state == Match.State.DISPUTED:
        return OpenReport(fixture, None, "confirm_disputed")
    signed = list(match.claims.filter(state=Claim.State.OPEN, side__isnull=False).select_related("submission"))
    if not signed:
        return OpenReport(fixture, None, "confirm_unsigned")
    if match.submissions.filter(standing=Submission.Standing.WAITING).exists():
        return OpenReport(fixture, None, "confirm_record_waits")
    standing = own_match_ruling(match, by)
    if standing != OwnMatchRuling.IMPARTIAL:
        return OpenReport(fixture, None, "own_match" if standing == OwnMatchRuling.NEEDS_OTHER else "own_match_reason")
    return OpenReport(fixture, signed[0])


def confirm_all(
    *, tournament: Tournament, reports: Collection[str], by: Actor, now: datetime, division: Division | None = None
) -> list[Confirmation]:
    """Confirm these reports and results, each in its own transaction, and return the outcome for each open match.

    `reports` are the public ids of the reports and provisional results that the director saw; what has come in since
    stays open.
    """
    rows = [*open_reports(tournament, by, division), *provisional_results(tournament, by, division=division)]
    return [
        _confirm(row, by, now) if row.report is not None and not row.code else Confirmation(row)
        for row in rows
        if row.report is None or row.report.public_id in reports
    ]


def close_results(
    *,
    tournament: Tournament,
    results: Collection[str],
    by: Actor,
    now: datetime,
    division: Division | None = None,
    round_: Round | None = None,
) -> list[Confirmation]:
    """End these provisional results of an event, a division or a round by a director's ruling.

    A result of a match that the director plays is left to another member of the staff; if there is none, it ends as
    one that nobody but the winner confirmed, unrated. `results` are the public ids of those that the director saw.

    Refused: `division_broken`, before anything is confirmed.
    """
    for row in [division] if division is not None else tournament.divisions.all():
        states_of(row)
    rows = provisional_results(tournament, by, division=division, round_=round_)
    scope = round_.pk if round_ is not None else division.public_id if division is not None else ""
    closed = [
        _confirm(row, by, now, is_closing=True) if row.report is not None else Confirmation(row)
        for row in rows
        if row.report is None or row.report.public_id in results
    ]
    if numbers := [row.open_report.fixture.number for row in closed if not row.code]:
        log(by, "results_closed", tournament.topic, club=tournament.club, scope=scope, matches=numbers)
    return closed


def _confirm(seen: OpenReport, by: Actor, now: datetime, *, is_closing: bool = False) -> Confirmation:
    fixture, match_id = seen.fixture, seen.match.pk
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        rows = DivisionRows(division)
        row = rows.fixture(fixture.pk)
        if row is None or row.match_id != match_id:
            return Confirmation(OpenReport(fixture, None, "confirm_changed"))
        match = rows.lock_matches(row)
        if isinstance(seen.report, Provisional):
            return _end(seen, match, division, rows, by=by, now=now, is_closing=is_closing)
        if division.status == Division.Status.CANCELLED or match.state != Match.State.CLAIMED:
            return Confirmation(OpenReport(fixture, None, "confirm_changed"))
        current = _open_report(fixture, match, by)
        if not isinstance(current.report, Claim) or current.report != seen.report:
            return Confirmation(OpenReport(fixture, None, current.code or "confirm_changed"))
        log(by, "claim_confirmed", match.topic, club=match.club, claim=current.report.public_id)
        result = accept_report(
            match,
            current.report,
            by=by,
            now=now,
            earlier=rows.versions_of(match),
            announced_by=Announced.CALLER,
        )
        rows.add_result(result)
        settle(division, by=by, now=now, rows=rows, keep_waiting=True)
    return Confirmation(current, result)


def _end(
    seen: OpenReport,
    match: Match,
    division: Division,
    rows: DivisionRows,
    *,
    by: Actor,
    now: datetime,
    is_closing: bool,
) -> Confirmation:
    """End a provisional result of a locked match by a ruling; if only its winner could, then unrated."""
    current = _provisional_result(seen.fixture, match, by)
    row = current.report
    if not isinstance(row, Provisional) or row != seen.report:
        return Confirmation(OpenReport(seen.fixture, None, current.code or "confirm_changed"))
    if current.code and not is_closing:
        return Confirmation(current)
    how = Provisional.End.NOBODY if current.code else Provisional.End.RULING
    end(match, row, how, by=by, now=now, is_announced=False)
    rows.has_new_result = True
    settle(division, by=by, now=now, rows=rows, keep_waiting=True)
    return Confirmation(OpenReport(seen.fixture, row), row.result)
