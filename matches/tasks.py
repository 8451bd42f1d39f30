"""Celery tasks; each calls a service."""

from celery import shared_task
from django.utils import timezone

from core.faults import each
from matches.analysis import queue
from matches.analysis.backends.chosen import chosen_backend
from matches.analysis.backends.gnubg import Gnubg
from matches.analysis.line import next_in_line
from matches.deck import choices
from matches.lifecycle import finish
from matches.play import bots, due, hints, journal
from matches.play.lobby import services as lobby
from matches.play.transcripts import transcript_to_analyse
from matches.rankings import formulas
from matches.ratings import services as ratings
from matches.records import submissions
from matches.reporting import appointments, deadlines, records
from matches.review import gate


@shared_task(name=submissions.ADJUDICATE)
def adjudicate(submission_id: int) -> None:
    """Check one submission, if it is still open."""
    records.adjudicate_submission(submission_id=submission_id, now=timezone.now())


@shared_task(name="matches.sweep_submissions")
def sweep_submissions() -> None:
    """Publish the task again for submissions that a lost message or a crashed worker left behind."""
    submissions.send_again(now=timezone.now())


@shared_task(name=ratings.REPLAY)
def replay_ratings(pool_id: int) -> None:
    ratings.replay_pool(pool_id=pool_id, now=timezone.now())


@shared_task(name="matches.sweep_ratings")
def sweep_ratings() -> None:
    """Publish the task again for pools that wait for a replay or that a crashed worker left behind."""
    ratings.send_again(now=timezone.now())


@shared_task(name=formulas.COMPARE)
def compare_formulas(comparison_id: int) -> None:
    formulas.compare_next(comparison_id=comparison_id, now=timezone.now())


@shared_task(name="matches.sweep_comparisons")
def sweep_comparisons() -> None:
    """Publish the task again for comparisons that nobody computes."""
    formulas.send_comparisons_again(now=timezone.now())


@shared_task(name=records.SETTLE_RECORD)
def settle_record(submission_id: int) -> None:
    records.apply_verdict(submission_id=submission_id, now=timezone.now())


@shared_task(name="matches.sweep_claims")
def sweep_claims() -> None:
    """Accept reports whose waiting time has run out, end provisional results, and tell players of new ones."""
    now = timezone.now()
    sweeps = (deadlines.accept_due_reports, deadlines.end_due_results, deadlines.notify_of_results)
    each("claims", sweeps, lambda sweep: sweep(now=now))


@shared_task(name="matches.sweep_reminders")
def sweep_reminders() -> None:
    sweeps = (appointments.send_due_reminders, appointments.send_due_deadlines)
    each("reminders", sweeps, lambda sweep: sweep(now=timezone.now()))


@shared_task(name="matches.sweep_records")
def sweep_records() -> None:
    """Apply verdicts that a crash left unapplied."""
    deadlines.settle_waiting_records(now=timezone.now())


@shared_task(name=due.SETTLE_DUE)
def settle_live_due(match_id: int) -> None:
    """Let a fallen flag count in a match played here, or end its pause."""
    due.settle_due(match_id=match_id, now=timezone.now())


@shared_task(name=journal.ACT_FOR_BOT)
def act_for_bot(match_id: int) -> None:
    """Let the bot of a match act until its opponent is to."""
    bots.act_for_bot(match_id=match_id, now=timezone.now())


@shared_task(name=journal.ACT_AT_LEVEL)
def act_at_level(match_id: int) -> None:
    """Let the bot of a match act as an analysis program says, which may take seconds."""
    bots.act_for_bot(match_id=match_id, now=timezone.now(), advisor=chosen_backend())


@shared_task(name=hints.ADVISE)
def advise(question: str) -> None:
    """Ask the analysis program for a member's hint in practice."""
    hints.answer(question, chosen_backend())


@shared_task(name=choices.JUDGE)
def judge_plays(xgid: str) -> None:
    """Ask the analysis program what the plays of a question lose that its analysis does not have."""
    choices.judge_plays(xgid, chosen_backend())


@shared_task(name=hints.ADVISE_GUEST)
def advise_guest(question: str) -> None:
    """Ask the analysis program for a guest's hint."""
    hints.answer(question, chosen_backend())


@shared_task(name="matches.sweep_live")
def sweep_live() -> None:
    """Hint workers at matches played here with a fallen flag or an ended pause."""
    due.sweep_due(now=timezone.now())


@shared_task(name="matches.sweep_challenges")
def sweep_challenges() -> None:
    """Close the challenges that nobody accepted in time."""
    lobby.expire_challenges(now=timezone.now())


@shared_task(name=finish.ANNOUNCE)
def announce_result(match_id: int) -> None:
    """Send `match_settled` for a match, so that its event moves on."""
    finish.announce(match_id)


@shared_task(name="matches.sweep_unsettled")
def sweep_unsettled() -> None:
    """Send `match_settled` for results whose time has come, and again where no receiver has acted on one."""
    deadlines.announce_unsettled(now=timezone.now())


@shared_task(name=queue.ANALYSE)
def analyse(analysis_id: int) -> None:
    """Analyse the match or record whose turn it is, which need not be the one that the message was sent for."""
    backend, now = chosen_backend(), timezone.now()
    if backend is not None:
        queue.queue_given_up(now=now)
    first = next_in_line(now) or analysis_id
    row = queue.analyse_next(analysis_id=first, backend=backend, played_here=transcript_to_analyse, now=now)
    if row is not None and isinstance(backend, Gnubg):
        gate.store_shots_cost(row, backend)


@shared_task(name="matches.sweep_analyses")
def sweep_analyses() -> None:
    """Publish the task again for analyses left behind by a lost message or a crash, or due for another try."""
    queue.send_again(now=timezone.now())


@shared_task(name="matches.sweep_given_up_analyses")
def sweep_given_up_analyses() -> None:
    """Let a worker find out whether a program is installed by now, if analyses were given up for lack of one."""
    queue.try_given_up(now=timezone.now())
