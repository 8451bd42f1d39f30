"""When a round or the season of a league ends: each unplayed match by the rule, once, whatever dies meanwhile."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F

from matches.lifecycle.finish import append_result
from matches.lifecycle.opening import set_due
from matches.models import Match, Result, Submission
from matches.reporting.services.proposals import ignored_proposer
from players.actors import SYSTEM, log
from tournaments.formats.tables.round_robin import Unplayed
from tournaments.models import Division, Fixture
from tournaments.state.locks import lock_division, lock_unfinished_matches
from tournaments.state.lots import lot
from tournaments.state.plans import season_end, settings_of
from tournaments.state.settle import settle

GRACE = timedelta(milliseconds=500)
"""An action counts from its arrival; a sweep waits this much longer."""
SWEEP_AT_ONCE = 100


def due_fixtures(now: datetime) -> list[int]:
    """Fixtures whose round has ended and whose rule has not been applied."""
    rows = Fixture.objects.filter(status=Fixture.Status.READY, deadline_done=False, due_at__lte=now - GRACE)
    return list(rows.order_by("due_at", "pk").values_list("pk", flat=True)[:SWEEP_AT_ONCE])


def apply_deadline(*, fixture_id: int, now: datetime) -> str | None:
    """Applies the rule to one fixture; what it did, or None where there is nothing (more) to do.

    A disputed or claimed match waits for its answer: what the players said is never overridden by the clock.
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
        if match.is_over or _is_heard(match, fixture.due_at):
            return None
        what = _decide(division, fixture, match, now)
        fixture.deadline_done = what != "extended"
        fixture.save(update_fields=["deadline_done", "due_at", "extended"])
        log(SYSTEM, f"deadline_{what}", division.topic, club=division.tournament.club, fixture=fixture.number)
        if what in ("director", "extended"):
            Division.objects.filter(pk=division.pk).update(seq=F("seq") + 1)
        else:
            settle(division, by=SYSTEM, now=now, locked=locked)
    return what


def _is_heard(match: Match, due_at: datetime) -> bool:
    """Whether a record that came in time is still being checked: it is heard first, however long that takes."""
    return match.submissions.filter(standing=Submission.Standing.WAITING, created_at__lte=due_at).exists()


def _decide(division: Division, fixture: Fixture, match: Match, now: datetime) -> str:
    """What the rule says, and its result where it gives one."""
    if match.state in (Match.State.DISPUTED, Match.State.CLAIMED):
        return "director"
    if season_end(fixture.stage) is not None:
        return _close_season(fixture, match, now)
    rule = division.deadline_rule
    if rule == Division.DeadlineRule.DIRECTOR:
        return "director"
    proposer = ignored_proposer(match)
    if proposer is not None:
        _forfeit(match, proposer, now)
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
    """A match of a league that was not played until its last day, by the rule of the league."""
    if settings_of(fixture.stage).unplayed is Unplayed.RULING:
        return "director"
    _forfeit(match, None, now)
    return "season_over"


def _side_by_lot(fixture: Fixture) -> int:
    """The side that wins by lot. It is drawn between the two entries, so it stays the same if they change sides."""
    sides = {slot.entry_id: slot.side for slot in fixture.slots.all() if slot.entry_id is not None}
    winner = lot(fixture.stage, "deadline", fixture.number, *sorted(sides)).one_of(sorted(sides))
    return sides[winner]


def _forfeit(match: Match, winner: int | None, now: datetime) -> None:
    kind = Result.Kind.FORFEIT if winner is not None else Result.Kind.DOUBLE_FORFEIT
    append_result(match, winner=winner, score=None, kind=kind, source=Result.Source.DEADLINE, by=SYSTEM, now=now)
