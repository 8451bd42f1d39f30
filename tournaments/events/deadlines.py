"""Deadlines of rounds and of single matches."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Q

from engine.errors import Refused
from formats.elimination.places import rounds_before
from matches.lifecycle.opening import set_due
from players.actors import Actor, log
from tournaments.models import Division, Fixture, Round, Stage
from tournaments.state.locks import calendar_changed, division_changed, lock_division, lock_event
from tournaments.state.plans import LATER_BY, deadline_of, season_end, settings_of
from tournaments.state.stages import first_stage
from tournaments.state.versions import DivisionPart, refuse_stale

Deadlines = Sequence[datetime | None]
OPEN = (Fixture.Status.WAITING, Fixture.Status.READY)


def set_deadlines(*, division: Division, deadlines: Deadlines, after: int, by: Actor, now: datetime) -> Division:
    """Set the deadlines of all rounds, from the first on; further rounds have none.

    After the draw, open matches of a round get its deadline, except those that were extended. A league with a last day
    cannot have deadlines by round. Refused: `stale`, `tournament_not_open`, `deadlines_by_season`.
    """
    with transaction.atomic():
        event = lock_event(division.tournament_id)
        row = lock_division(division.pk)
        refuse_stale(row, after, by=by, parts=[DivisionPart.PLAN])
        if row.status in (Division.Status.FINISHED, Division.Status.CANCELLED):
            raise Refused("tournament_not_open")
        stage = first_stage(row)
        if any(deadlines) and season_end(stage) is not None:
            raise Refused("deadlines_by_season", until=settings_of(stage).until)
        stored = [at.isoformat() if at else "" for at in deadlines]
        before = stage.settings.get("deadlines", [])
        if stored == before:
            return row
        stage.settings = {**stage.settings, "deadlines": stored}
        stage.save(update_fields=["settings"])
        move_rounds(stage, deadlines, by, now)
        division_changed(row)
        calendar_changed(event, now)
        log(by, "deadlines_changed", row.topic, club=row.tournament.club, changes={"deadlines": [before, stored]})
    return row


def move_rounds(stage: Stage, deadlines: Deadlines, by: Actor, now: datetime) -> None:
    """Give the rounds of a locked division these deadlines, or the end of its season, and their matches with them."""
    moved: dict[int, datetime | None] = {}
    rows = Round.objects.filter(bracket__stage=stage).select_related("bracket")
    rounds = list(rows.annotate(count=Count("fixtures")))
    fixtures: dict[str, list[int]] = {}
    for round_ in sorted(rounds, key=lambda row: row.number):
        fixtures.setdefault(round_.bracket.key, []).append(round_.count)
    later_by = LATER_BY | rounds_before(fixtures)
    for round_ in rounds:
        at = season_end(stage) or deadline_of(round_.bracket.key, round_.number, deadlines, later_by)
        if round_.deadline == at:
            continue
        own = Fixture.objects.filter(round=round_, status__in=OPEN, extended=False)
        with_round = own.filter(Q(due_at=None) | Q(due_at=round_.deadline))
        moved |= dict.fromkeys(with_round.values_list("pk", flat=True), at)
        round_.deadline = at
        round_.save(update_fields=["deadline"])
    move_fixtures(moved, by, now)


def move_fixtures(moved: Mapping[int, datetime | None], by: Actor, now: datetime) -> None:
    """Store deadlines of fixtures and of their open matches, which are locked by ascending id."""
    fixtures = list(Fixture.objects.filter(pk__in=moved).select_related("match"))
    for fixture in fixtures:
        fixture.due_at = moved[fixture.pk]
        fixture.deadline_done = fixture.deadline_done and not (fixture.due_at and fixture.due_at > now)
    Fixture.objects.bulk_update(fixtures, ["due_at", "deadline_done"], batch_size=500)
    matches = [(fixture.match, fixture.due_at) for fixture in fixtures if fixture.match is not None]
    for match, at in sorted(matches, key=lambda pair: pair[0].pk):
        if not match.is_over:
            set_due(match, due_at=at, by=by)


def extend_deadline(
    *, fixture: Fixture, due_at: datetime, by: Actor, now: datetime, after: int | None = None
) -> Fixture:
    """Give a match more time; the division's deadline rule then waits until the new deadline.

    `after` is the `seq` of the match that the director saw.
    Refused: `stale`, `deadline_not_ahead`, `fixture_not_ready`, `match_settled`, `match_void`.
    """
    if due_at <= now:
        raise Refused("deadline_not_ahead")
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        row = Fixture.objects.select_related("match").get(pk=fixture.pk)
        if row.match is None:
            raise Refused("fixture_not_ready", fixture=row.number)
        if row.due_at == due_at:
            return row
        if after is not None and row.match.seq != after:
            raise Refused("stale")
        was, row.due_at, row.deadline_done = row.due_at, due_at, False
        row.save(update_fields=["due_at", "deadline_done"])
        set_due(row.match, due_at=due_at, by=by)
        division_changed(division)
        changes = {"deadline": [was.isoformat() if was else "", due_at.isoformat()]}
        log(by, "deadline_moved", division.topic, club=division.tournament.club, fixture=row.number, changes=changes)
    return row
