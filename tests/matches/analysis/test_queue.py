"""The queue of analyses: claimed once, tried again, given up visibly, and within the budget of a club."""

import json
import logging
from base64 import b64decode
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import AnonymousUser
from django.test import TestCase
from redis import Redis

from config.celery import app
from core.queue import claim_lasts, resend_after
from engine import Refused, Transcript
from engine.records import write
from engine.simulation import play_out
from matches.analysis import queue
from matches.analysis.access import analysis_of_match, analysis_of_record, seen_of_record
from matches.analysis.backends.base import Backend, Opinion
from matches.analysis.line import next_in_line, waiting_in_line
from matches.analysis.queue import NO_PROGRAM, queue_given_up, try_given_up
from matches.analysis.values import Situation
from matches.models import Action, Analysis, Decision, Match, Submission, Verdict
from matches.play.simulation import Simulation
from matches.play.transcripts import transcript_to_analyse
from matches.presentation.visibility import Viewer
from matches.records.submissions import RecordFile, submit, write_verdict
from matches.reporting import records
from matches.reporting.records import adjudicate_submission
from matches.tasks import analyse
from players.actors import Actor
from players.models import Club, Player, User
from tests.matches.analysis.programs import Indifferent, fake_gnubg
from tests.matches.cast import CAROL, NOW, match_between, minutes
from tests.matches.records.samples import ILLEGAL

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
State = Analysis.State
MATCH = play_out(3, 3, players=("Bob", "Carol"))
CLAIM_MINUTES = queue.claim_lasts() / timedelta(minutes=1)
CHANCES = 5
XG_SHALLOW_AND_HIGHER = 2
"""Stored decisions of the file below in which a play looked at less deeply has a higher equity than the best."""
XG = Path(__file__).resolve().parents[4] / "shared/data/records/kevung+gbf/ronde3-UngerHarmand-HuyckLarsen.xg"


def record_of(data: bytes) -> Submission:
    """A record that is not of a match, checked."""
    row = submit(file=RecordFile(data, "upload"), now=NOW).submission
    adjudicate_submission(submission_id=row.pk, now=NOW)
    return Submission.objects.get(pk=row.pk)


@pytest.fixture
def analysis(db: None) -> Analysis:
    """The analysis of an accepted record, waiting."""
    return record_of(write(MATCH, "mat")).analyses.get()


def work(analysis: Analysis, backend: Backend | None, after: float = 0) -> Analysis:
    """Let a worker take the row this many minutes later; return it as it is then."""
    queue.analyse_next(analysis_id=analysis.pk, backend=backend, played_here=transcript_to_analyse, now=minutes(after))
    return Analysis.objects.get(pk=analysis.pk)


def test_an_accepted_record_waits_for_its_analysis_and_a_rejected_one_does_not(analysis: Analysis) -> None:
    assert (analysis.state, analysis.origin) == (State.QUEUED, Analysis.Origin.COMPUTED)
    assert not record_of(ILLEGAL.encode()).analyses.exists()


def test_a_new_analysis_replaces_the_older_one(analysis: Analysis) -> None:
    first = work(analysis, Indifferent())
    assert (first.state, first.backend, first.cpu_seconds) == (State.DONE, "indifferent", 3.0), "a game a second"
    assert first.decisions.filter(counted=True, error=0).exists()
    assert len(first.record_sha256) == 64
    submission = analysis.submission
    assert submission is not None
    again = queue.enqueue_record(submission=submission, swapped=False, now=minutes(1))
    assert again is not None
    assert analysis_of_record(submission) == first
    corrected = queue.enqueue_record(submission=submission, swapped=True, now=minutes(1))
    assert corrected == again
    assert set(submission.analyses.values_list("swapped", flat=True)) == {True}
    second = work(again, Indifferent(), after=1)
    assert analysis_of_record(submission) == second
    assert Analysis.objects.get() == second
    assert set(Decision.objects.values_list("analysis", flat=True)) == {second.pk}


def test_one_worker_claims_a_row(analysis: Analysis) -> None:
    Analysis.objects.update(state=State.WORKING, claimed_at=NOW, attempts=1)
    assert work(analysis, Indifferent(), after=CLAIM_MINUTES - 1).state == State.WORKING
    assert work(analysis, Indifferent(), after=CLAIM_MINUTES + 1).state == State.DONE


def test_a_worker_that_lost_its_claim_writes_nothing(analysis: Analysis) -> None:
    class Slow(Indifferent):
        def judge(self, transcript: Transcript, situations: Sequence[Situation]) -> Opinion:
            Analysis.objects.update(claimed_at=minutes(50))
            return super().judge(transcript, situations)

    assert work(analysis, Slow()).state == State.WORKING
    assert not Decision.objects.exists()


class Asked(Indifferent):
    """Notes the games that it is asked about, and raises what is laid up for one of them."""

    def __init__(self, **laid_up: BaseException) -> None:
        super().__init__()
        self.games: list[int] = []
        self.laid_up = laid_up

    def judge(self, transcript: Transcript, situations: Sequence[Situation]) -> Opinion:
        [game] = {situation.game for situation in situations}
        self.games.append(game)
        if error := self.laid_up.get(f"game_{game}"):
            raise error
        return super().judge(transcript, situations)


def test_a_killed_worker_costs_one_game(analysis: Analysis) -> None:
    killed, other = Asked(game_2=KeyboardInterrupt()), Asked()
    with pytest.raises(KeyboardInterrupt):
        work(analysis, killed)
    assert set(Decision.objects.values_list("game", flat=True)) == {1}
    assert analysis.submission is not None
    seen = seen_of_record(analysis.submission, Viewer.of(AnonymousUser()))
    assert seen is not None
    assert (seen.is_done, seen.decisions) == (False, ()), "nothing is shown before it is done"
    row = work(analysis, other, after=CLAIM_MINUTES + 1)
    assert (killed.games, other.games) == ([1, 2], [2, 3])
    assert (row.state, row.settings, row.cpu_seconds) == (State.DONE, {}, 3.0)
    whole = work(record_of(write(MATCH, "sgf")).analyses.get(), Indifferent())
    assert row.decisions.count() == whole.decisions.count()


def test_a_game_that_the_program_refuses_is_tried_again_and_costs_itself(analysis: Analysis) -> None:
    refusing = Asked(game_2=Refused("analysis_differs"))
    rows = [work(analysis, refusing, after=2 * attempt) for attempt in (1, 2, 3)]
    assert [row.state for row in rows] == [State.QUEUED, State.QUEUED, State.DONE]
    assert refusing.games == [1, 2, 3, 2, 2]
    assert rows[-1].settings == {"games_left_out": [2]}
    assert set(rows[-1].decisions.values_list("game", flat=True)) == {1, 3}


def test_the_games_of_another_program_are_analysed_again(analysis: Analysis, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        work(analysis, Asked(game_3=KeyboardInterrupt()))
    row = work(analysis, fake_gnubg(tmp_path), after=CLAIM_MINUTES + 1)
    assert (row.state, row.backend) == (State.DONE, "gnubg")
    others = [play for decision in row.decisions.all() for play in decision.candidates if play["play"] == "another"]
    assert others == []


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "failure"), [("kill", "analysis_unreadable"), ("play", "analysis_differs")])
def test_what_fails_is_tried_again_and_given_up(analysis: Analysis, tmp_path: Path, fault: str, failure: str) -> None:
    backend = fake_gnubg(tmp_path, fault)
    for attempt in (1, 2):
        row = work(analysis, backend, after=2 * attempt)
        assert (row.state, row.attempts, row.claimed_at) == (State.QUEUED, attempt, None)
        assert row.not_before == minutes(2 * attempt) + attempt * queue.RETRY_AFTER
        assert work(analysis, backend, after=2 * attempt + attempt / 2 - 0.1).attempts == attempt, "it pauses"
    row = work(analysis, backend, after=6)
    assert (row.state, row.failure) == (State.FAILED, failure)
    assert not Decision.objects.exists()
    assert row.cpu_seconds > 0


def test_a_pause_is_as_long_for_an_old_row_as_for_a_new_one(analysis: Analysis, tmp_path: Path) -> None:
    hours = 6 * 60
    row = work(analysis, fake_gnubg(tmp_path, "kill"), after=hours)
    assert row.not_before is not None
    assert queue.send_again(now=row.not_before - timedelta(seconds=1)) == 0
    assert queue.send_again(now=row.not_before) == 1


def given_up(analysis: Analysis) -> Analysis:
    """The analysis after an attempt without a program."""
    row = work(analysis, None, after=1)
    assert (row.state, row.failure, row.attempts) == (State.FAILED, NO_PROGRAM, 1)
    return row


def test_a_worker_without_a_program_warns_nobody(analysis: Analysis, caplog: pytest.LogCaptureFixture) -> None:
    more = [record_of(write(play_out(seed, 1), "mat")).analyses.get() for seed in (5, 6)]
    queue._note_no_program.cache_clear()
    with caplog.at_level(logging.INFO, queue.__name__):
        for row in (analysis, *more):
            given_up(row)
    [logged] = [record for record in caplog.records if record.name == queue.__name__]
    assert logged.levelno == logging.INFO
    assert "no_analysis_program" in logged.getMessage()


def test_the_newest_is_taken_up_first(analysis: Analysis, valkey: Redis) -> None:
    rows = [given_up(analysis), given_up(record_of(write(play_out(5, 1), "mat")).analyses.get())]
    valkey.delete(queue.ANALYSIS_QUEUE)
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert queue_given_up(now=minutes(4)) == 2
    sent = [json.loads(b64decode(json.loads(message)["body"]))[0] for message in valkey.lrange("analysis", 0, -1)]
    assert sent[::-1] == [[row.pk] for row in reversed(rows)], "a list of the broker is read from its end"


def test_what_was_given_up_without_a_program_is_done_once_there_is_one(analysis: Analysis) -> None:
    given_up(analysis)
    assert try_given_up(now=minutes(4)) == 1
    assert work(analysis, None, after=4).state == State.FAILED, "there is still none"
    assert queue_given_up(now=minutes(10)) == 1
    assert queue_given_up(now=minutes(10)) == try_given_up(now=minutes(10)) == 0
    assert queue.send_again(now=minutes(20)) == 1, "its message may be lost"
    row = work(analysis, Indifferent(), after=11)
    assert (row.state, row.failure, row.attempts) == (State.DONE, "", 1)


def test_what_was_given_up_for_another_reason_or_replaced_since_stays_so(analysis: Analysis) -> None:
    given_up(analysis)
    Analysis.objects.update(failure=queue.GAVE_UP)
    assert queue_given_up(now=minutes(10)) == 0
    Analysis.objects.update(failure=NO_PROGRAM)
    assert analysis.submission is not None
    newer = queue.enqueue_record(submission=analysis.submission, swapped=False, now=minutes(10))
    assert newer is not None
    assert queue_given_up(now=minutes(10)) == 0
    assert work(newer, Indifferent(), after=11).state == State.DONE
    assert try_given_up(now=minutes(12)) == 0


def test_a_crash_before_the_analysis_waits_leaves_the_record_to_be_checked_again() -> None:
    row = submit(file=RecordFile(write(MATCH, "mat"), "upload"), now=NOW).submission

    def crash(verdict: Verdict) -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        write_verdict(submission_id=row.pk, now=NOW, then=crash)
    assert not Verdict.objects.exists()
    adjudicate_submission(submission_id=row.pk, now=NOW + claim_lasts())
    assert row.analyses.get().state == State.QUEUED


def test_a_killed_worker_is_tried_again_three_times(analysis: Analysis) -> None:
    Analysis.objects.update(state=State.WORKING, claimed_at=NOW, attempts=3)
    assert work(analysis, Indifferent(), after=CLAIM_MINUTES - 1).state == State.WORKING
    row = work(analysis, Indifferent(), after=CLAIM_MINUTES + 1)
    assert (row.state, row.failure) == (State.FAILED, queue.GAVE_UP)


def test_a_match_too_long_is_given_up_at_once() -> None:
    row = work(record_of(write(play_out(4, 27), "mat")).analyses.get(), Indifferent())
    assert (row.state, row.failure, row.attempts) == (State.FAILED, "match_too_long_to_analyse", 1)


def test_a_club_that_used_up_its_budget_waits(analysis: Analysis, club: Club, settings: LazySettings) -> None:
    settings.ANALYSIS_CPU_SECONDS = 100
    Analysis.objects.filter(pk=analysis.pk).update(club=club)
    spent = Analysis(submission=analysis.submission, club=club, state=State.DONE, cpu_seconds=60, finished_at=NOW)
    spent.save()
    Analysis.objects.create(
        submission=analysis.submission, club=club, state=State.FAILED, cpu_seconds=40, finished_at=minutes(5)
    )
    row = work(analysis, Indifferent(), after=6)
    assert (row.state, row.attempts, row.not_before) == (State.QUEUED, 0, minutes(6) + queue.OVER_BUDGET)
    assert queue.send_again(now=minutes(15)) == 0
    day = timedelta(days=1) / timedelta(minutes=1)
    assert work(analysis, Indifferent(), after=day + 1).state == State.DONE


def test_a_lost_message_is_sent_again(analysis: Analysis) -> None:
    resend = NOW + resend_after()
    assert queue.send_again(now=resend - timedelta(seconds=1)) == 0
    assert queue.send_again(now=resend) == 1
    assert queue.send_again(now=resend) == 0
    work(analysis, Indifferent(), after=1)
    assert queue.send_again(now=minutes(100)) == 0


def test_messages_do_not_pile_up_where_no_worker_takes_them(analysis: Analysis, valkey: Redis) -> None:
    valkey.delete(queue.ANALYSIS_QUEUE)
    sweeps = [queue.send_again(now=NOW + number * timedelta(minutes=1)) for number in range(1, 60)]
    assert sum(sweeps) == valkey.llen(queue.ANALYSIS_QUEUE) == queue.SWEEP_AT_ONCE
    valkey.delete(queue.ANALYSIS_QUEUE)
    assert queue.send_again(now=NOW + timedelta(minutes=60)) == 1, "a worker has begun to take them"


def test_the_task_has_a_queue_of_its_own() -> None:
    assert app.amqp.router.route({}, queue.ANALYSE)["queue"].name == "analysis"
    assert app.amqp.router.route({}, "matches.adjudicate")["queue"].name != "analysis"


def test_analyses_can_be_switched_off(settings: LazySettings) -> None:
    settings.ANALYSIS_BACKEND = "off"
    assert not record_of(write(MATCH, "mat")).analyses.exists()


def test_the_record_of_a_match(bob_player: Player, carol_player: Player, club: Club, carol: User) -> None:
    """Carol lost and sends the record, in which she is on the left. Bob is erased before it is analysed."""
    match = match_between(bob_player, carol_player, club=club, length=3)
    data = write(play_out(6, 3, players=("Carol", "Bob")), "mat")
    row = records.submit_for_match(
        match=match, side=CAROL, file=RecordFile(data, "upload"), by=Actor.of(carol), now=NOW
    ).submission
    adjudicate_submission(submission_id=row.pk, now=NOW)
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    Player.objects.filter(pk=bob_player.pk).update(erased_at=NOW)
    analysis = work(row.analyses.get(), Indifferent())
    assert {decision.side for decision in analysis.decisions.all()} == {0}
    assert (analysis.match, analysis.club, analysis.swapped) == (match, club, True)
    assert analysis_of_match(match) == analysis


@pytest.mark.slow
def test_a_match_played_here() -> None:
    """The plays that the site made for a player do not count, whatever choice there was."""
    players = (Player.objects.create(name="Bob"), Player.objects.create(name="Carol"))
    # Whether anything is forced is up to the dice.
    for seed in range(22, 32):
        match = Simulation(players, seed=seed).run().match
        if forced := Action.objects.filter(live=match.pk, data__forced=True).count():
            break
    assert forced
    analysis = Analysis.objects.get(match=match, submission=None)
    transcript = transcript_to_analyse(match)
    marked = [event for game in transcript.games for event in game.events if event.extra]
    assert len(marked) == forced
    done = work(analysis, Indifferent())
    assert done.state == State.DONE
    assert analysis_of_match(match) == done
    counted = {(row.game, row.event) for row in done.decisions.filter(counted=True)}
    assert counted
    for number, game in enumerate(transcript.games, start=1):
        assert not counted & {(number, at) for at, event in enumerate(game.events) if event.extra}


@pytest.mark.skipif(not XG.exists(), reason="../shared/data is not there")
def test_the_senders_analysis_is_kept_apart() -> None:
    row = record_of(XG.read_bytes())
    work(row.analyses.get(), None)
    senders = row.analyses.get(origin=Analysis.Origin.SENDER)
    assert (senders.state, senders.backend, senders.cpu_seconds) == (State.DONE, "xg", 0)
    assert senders.decisions.count() == 270
    candidates = [decision.candidates for decision in senders.decisions.filter(kind=Decision.Kind.PLAY)]
    first_is_best = [max(row["equity"] for row in rows) == rows[0]["equity"] for rows in candidates if rows]
    assert first_is_best.count(False) == XG_SHALLOW_AND_HIGHER
    # The best play and the one made have their chances, and so has the cube.
    assert all("chances" in row for rows in candidates for row in rows if row["played"] or row is rows[0])
    cubes = senders.decisions.exclude(kind=Decision.Kind.PLAY)
    assert all(row.chances and len(row.chances) == CHANCES for row in cubes)
    ours = analysis_of_record(row)
    assert ours is not None
    assert (ours.origin, ours.failure) == (Analysis.Origin.COMPUTED, NO_PROGRAM)


def ended(pair: tuple[Player, Player], hours: float, **fields: Any) -> int:
    """The analysis of a match of these players that ended so many hours before ten in the evening."""
    match = match_between(*pair)
    at = minutes(120 - 60 * hours)
    Match.objects.filter(pk=match.pk).update(finished_at=at, **fields)
    return Analysis.objects.create(match=match, created_at=at).pk


def test_tonight_goes_first_and_its_players_take_turns_the_newest_first(
    bob_player: Player, carol_player: Player
) -> None:
    users = [User.objects.create(email=f"{name}@example.org", display_name=name) for name in ("Dan", "Eve")]
    dan, eve = (Player.objects.create(name=user.display_name, user=user) for user in users)
    guest = Player.objects.create(name="Guest")
    now = minutes(120)
    told = ended((dan, eve), 0.1, as_told=True)
    last_week = ended((dan, eve), 7 * 24)
    bobs = [ended((bob_player, guest), hours) for hours in (3, 2, 1)]
    carols = [ended((carol_player, guest), hours) for hours in (2.5, 1.5)]
    nobodys = ended((guest, Player.objects.create(name="Another")), 0.5)
    order = [bobs[2], carols[1], bobs[1], carols[0], bobs[0], nobodys, last_week, told]
    assert waiting_in_line(now) == order
    Analysis.objects.filter(pk=bobs[2]).update(state=State.DONE)
    assert waiting_in_line(now) == [carols[1], *order[2:]], "Bob has had his turn"
    Analysis.objects.filter(pk=bobs[0]).update(state=State.WORKING, claimed_at=now)
    assert waiting_in_line(now)[:2] == [bobs[0], carols[1]]
    assert next_in_line(now) == carols[1]
    Analysis.objects.filter(pk=carols[1]).update(not_before=minutes(125))
    assert next_in_line(now) == bobs[1]
    just_now = ended((dan, guest), 0)
    assert next_in_line(now) == just_now
    assert next_in_line(now + queue.claim_lasts()) == bobs[0], "its worker is gone"


def test_nobody_waits_for_the_other_matches_of_an_opponent(bob_player: Player, carol_player: Player) -> None:
    """Bob has beaten three; Carol, who was the first, would wait for all that he played if his turn counted."""
    users = [User.objects.create(email=f"{name}@example.org", display_name=name) for name in ("Dan", "Eve")]
    dan, eve = (Player.objects.create(name=user.display_name, user=user) for user in users)
    pairs = ((dan, eve), (bob_player, dan), (bob_player, eve), (bob_player, carol_player))
    newest, dans, eves, carols = (ended(pair, hours) for hours, pair in enumerate(pairs, start=1))
    assert waiting_in_line(minutes(120)) == [newest, dans, carols, eves]
    assert waiting_in_line(minutes(120 + 9 * 60)) == [newest, dans, carols, eves], "nor the next morning"


def test_a_message_does_what_is_first_in_line(analysis: Analysis, settings: LazySettings) -> None:
    """Without a program what is taken is given up, which shows what was taken."""
    settings.ANALYSIS_BACKEND = "bgsage"
    Analysis.objects.filter(pk=analysis.pk).update(created_at=minutes(-99_999))
    newer = record_of(write(play_out(5, 1), "mat")).analyses.get()
    analyse(analysis.pk)
    assert [Analysis.objects.get(pk=row.pk).state for row in (newer, analysis)] == [State.FAILED, State.QUEUED]
    analyse(newer.pk)
    assert Analysis.objects.get(pk=analysis.pk).state == State.FAILED
