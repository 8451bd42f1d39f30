"""Deadlines of rounds and league seasons: the division's rule is applied once to each unplayed match."""

from datetime import datetime, timedelta

from django.db import transaction

from formats.tables.round_robin import Unplayed
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.opening import set_due
from matches.models import Match, Result, Submission
from matches.reporting.appointments import who_tried
from players.actors import SYSTEM, log
from tournaments.models import Division, Fixture
from tournaments.state.commitments import lot
from tournaments.state.locks import division_changed, lock_division, lock_unfinished_matches
from tournaments.state.plans import season_end, settings_of
from tournaments.state.settle import settle

GRACE = timedelta(milliseconds=500)
"""A report counts from its arrival, so the sweep waits this much longer."""
SWEEP_AT_ONCE = 100


def due_fixtures(now: datetime) -> list[int]:
    """Return the ids of fixtures past their deadline that the rule has not been applied to."""
    rows = Fixture.objects.filter(status=Fixture.Status.READY, deadline_done=False, due_at__lte=now - GRACE)
    return list(rows.order_by("due_at", "pk").values_list("pk", flat=True))


def apply_deadline(*, fixture_id: int, now: datetime) -> str | None:
    """Apply the rule to one fixture and return what was done, or None if there was nothing (more) to do.

    A match with a report is left to the players and the director: a deadline never overrides what players reported. A
    match that is being played here is left to its own clock.
    """
    with transaction.atomic():
        division = lock_division(Fixture.objects.get(pk=fixture_id).stage.division_id)
        fixture = Fixture.objects.select_related("stage__division__tournament").get(pk=fixture_id)
        if fixture.match_id is None or fixture.deadline_done or fixture.status != Fixture.Status.READY:
            return None
        if fixture.due_at is None or fixture.due_at > now - GRACE or division.status != Division.Status.RUNNING:
            return None
        locked = lock_unfinished_matches([division], [fixture.match_id])
        match = locked[fixture.match_id]
        if match.is_over or _is_being_played(match) or _is_record_pending(match, fixture.due_at):
            return None
        action = _apply_rule(division, fixture, match, now)
        fixture.deadline_done = action != "extended"
        fixture.save(update_fields=["deadline_done", "due_at", "extended"])
        log(SYSTEM, f"deadline_{action}", division.topic, club=division.tournament.club, fixture=fixture.number)
        if action in ("director", "extended"):
            division_changed(division, part=None)
        else:
            settle(division, by=SYSTEM, now=now, locked=locked)
    return action


def _is_being_played(match: Match) -> bool:
    """Whether a match is being played here; an open board that one of the players has not come to is an invitation."""
    return match.state == Match.State.LIVE and not match.live.is_invitation


def _is_record_pending(match: Match, due_at: datetime) -> bool:
    """Whether a record that arrived in time is still being checked; it is waited for, however long that takes."""
    return match.submissions.filter(standing=Submission.Standing.WAITING, created_at__lte=due_at).exists()


def _apply_rule(division: Division, fixture: Fixture, match: Match, now: datetime) -> str:
    """Apply the rule, record its result if it gives one, and return the name of what was done."""
    if match.state in (Match.State.DISPUTED, Match.State.CLAIMED):
        return "director"
    if season_end(fixture.stage) is not None:
        return _close_season(fixture, match, now)
    rule = division.deadline_rule
    if rule == Division.DeadlineRule.DIRECTOR:
        return "director"
    tried = who_tried(match, fixture.due_at or now)
    if tried.is_open:
        return "director"
    if tried.side is not None:
        _forfeit(match, tried.side, now)
        return "proposer_wins"
    if rule == Division.DeadlineRule.EXTEND and not fixture.extended:
        fixture.extended = True
        fixture.due_at = now + timedelta(hours=division.extension_hours)
        set_due(match, due_at=fixture.due_at, by=SYSTEM)
        return "extended"
    if rule == Division.DeadlineRule.LOTS:
        _forfeit(match, _side_by_lot(fixture), now)
        return "lots"
    _forfeit(match, None, now)
    return "both_lose"


def _close_season(fixture: Fixture, match: Match, now: datetime) -> str:
    """Apply the league's rule for matches that were not played by the last day of the season."""
    if settings_of(fixture.stage).unplayed is Unplayed.RULING:
        return "director"
    _forfeit(match, None, now)
    return "season_over"


def _side_by_lot(fixture: Fixture) -> int:
    """Return the side that wins by lot. The lot decides between entries, so it does not depend on their sides."""
    sides = {slot.entry_id: slot.side for slot in fixture.slots.all() if slot.entry_id is not None}
    winner = lot(fixture.stage, "deadline", fixture.number, *sorted(sides)).choice(sorted(sides))
    return sides[winner]


def _forfeit(match: Match, winner: int | None, now: datetime) -> None:
    kind = Result.Kind.FORFEIT if winner is not None else Result.Kind.DOUBLE_FORFEIT
    append_result(match, ResultInput(winner, kind=kind), Basis(Result.Source.DEADLINE), by=SYSTEM, now=now)
