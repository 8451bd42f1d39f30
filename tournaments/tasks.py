"""Celery tasks; the work itself is in the services."""

from celery import shared_task
from django.utils import timezone

from core.faults import each
from tournaments.draws import services as draws
from tournaments.entries import check_in
from tournaments.floor import batches, calls, closing_time
from tournaments.models import Division
from tournaments.offers import services as offers
from tournaments.results import overdue, workers
from tournaments.standings.context import WITHOUT_ROUNDS
from tournaments.state import advancement, floor, settle


@shared_task(name=advancement.MAKE_DRAFT)
def make_draft(draw_id: int) -> None:
    """Make a draft, if it is still requested."""
    draws.make_draft(draw_id=draw_id, now=timezone.now())


@shared_task(name="tournaments.sweep_draws")
def sweep_draws() -> None:
    """Make the drafts that a crash or a lost message left behind."""
    each(
        "draws",
        draws.open_requests(timezone.now()),
        lambda pk: draws.make_draft(draw_id=pk, now=timezone.now()),
        at_most=draws.SWEEP_AT_ONCE,
    )


@shared_task(name="tournaments.sweep_countdowns")
def sweep_countdowns() -> None:
    """Publish every draft whose countdown is over, each in its own transaction."""
    each(
        "countdowns",
        draws.due_drafts(timezone.now()),
        lambda pk: draws.publish_due_draft(draw_id=pk, now=timezone.now()),
        at_most=draws.SWEEP_AT_ONCE,
    )


@shared_task(name="tournaments.sweep_lists")
def sweep_lists() -> None:
    """Draw the lists at the desk whose countdown is over."""
    offers.start_lists(timezone.now())


@shared_task(name="tournaments.sweep_deadlines")
def sweep_deadlines() -> None:
    """Apply the deadline rule to every overdue match, each in its own transaction."""
    each(
        "deadlines",
        overdue.due_fixtures(timezone.now()),
        lambda pk: overdue.apply_deadline(fixture_id=pk, now=timezone.now()),
        at_most=overdue.SWEEP_AT_ONCE,
    )


@shared_task(name="tournaments.sweep_held_up")
def sweep_held_up() -> None:
    """Start the stages and finish the events that a locked event or a crash left behind."""
    stalled = advancement.stalled_divisions().values_list("pk", flat=True)
    each("held-up", stalled, lambda pk: settle.settle_stalled(division_id=pk, now=timezone.now()))


@shared_task(name=floor.CALL_READY)
def call_ready(tournament_id: int) -> None:
    """Call the matches of an event that are ready, if its autopilot calls by itself."""
    calls.call_ready(tournament_id=tournament_id, now=timezone.now())


@shared_task(name="tournaments.sweep_floors")
def sweep_floors() -> None:
    """Call what is ready or due for a second call where the autopilot calls by itself, and keep closing time.

    Where it only suggests, end the stages without rounds in which nobody can be paired any more.
    """
    calling = list(floor.self_calling().values_list("tournament", flat=True))
    ended = floor.at_closing_time(timezone.now()).values_list("tournament", flat=True)
    flowing = WITHOUT_ROUNDS.filter(division__status=Division.Status.RUNNING)

    def keep(pk: int) -> None:
        if pk in calling:
            calls.call_ready(tournament_id=pk, now=timezone.now())
            return
        closing_time.stop_calling(tournament_id=pk, now=timezone.now())
        batches.make_due_batches(tournament_id=pk, now=timezone.now())

    each("floors", [*calling, *ended, *flowing.values_list("division__tournament", flat=True)], keep)


@shared_task(name="tournaments.end_check_in_days")
def end_check_in_days() -> None:
    """Reset who is here at every open event whose day has ended."""
    check_in.end_days(now=timezone.now())


@shared_task(name="tournaments.heartbeat")
def give_sign() -> None:
    """Record that a worker is running; the console shows when it last did."""
    workers.beat(timezone.now())
