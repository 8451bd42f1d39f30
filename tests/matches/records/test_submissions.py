"""A record is stored once, adjudicated once, and never lost."""

import hashlib
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone
from redis import Redis

import engine
from core.queue import RECORDS
from engine import Check, Refused, check_record
from engine.records import write
from engine.simulation import play_out
from engine.version import VERSION
from matches.models import MAX_BYTES, Submission, Verdict
from matches.records.submissions import MAX_ATTEMPTS, SWEEP_AT_ONCE, RecordFile, send_again, submit
from matches.records.verdicts import as_json, storable
from matches.reporting.records import adjudicate_submission
from players.models import User
from tests.matches.records.samples import ILLEGAL, long_session, simulated

pytestmark = pytest.mark.postgresql
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=timezone.get_default_timezone())


def sent(data: bytes | None = None, *, file_name: str = "", now: datetime = NOW, **more: Any) -> Submission:
    return submit(file=RecordFile(data or simulated(), "upload", file_name), now=now, **more).submission


def adjudicated(submission: Submission, *, now: datetime = NOW) -> Submission:
    adjudicate_submission(submission_id=submission.pk, now=now)
    submission.refresh_from_db()
    return submission


def settled(submission: Submission, patience: float = 60.0) -> Submission:
    """Wait until a worker has finished the submission, or for a limited time."""
    deadline = time.monotonic() + patience
    while submission.is_open and time.monotonic() < deadline:
        time.sleep(0.02)
        submission.refresh_from_db()
    return submission


# Coming in


@pytest.mark.django_db
def test_the_bytes_are_stored_unchanged() -> None:
    data = simulated().replace(b"\n", b"\r\n")
    submission = sent(data, file_name="C:\\matches\\final\n round.mat")
    submission.refresh_from_db()
    assert bytes(submission.data) == data
    assert submission.size == len(data)
    assert submission.sha256 == hashlib.sha256(data).hexdigest()
    assert submission.file_name == "final round.mat"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("data", "code"), [(b"", "file_empty"), (b" \r\n\t", "file_empty"), (b"x" * (MAX_BYTES + 1), "record_too_large")]
)
def test_an_empty_or_too_large_record_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        submit(file=RecordFile(data, "upload"), now=NOW)
    assert refused.value.code == code
    assert not Submission.objects.exists()


@pytest.mark.django_db
def test_a_record_of_exactly_one_mebibyte_is_accepted() -> None:
    assert sent(b"x" * MAX_BYTES).size == MAX_BYTES


@pytest.mark.django_db
def test_the_same_file_sent_twice_leads_to_the_same_page() -> None:
    first = submit(file=RecordFile(simulated(), "upload", "final.mat"), now=NOW)
    again = submit(file=RecordFile(simulated(), "upload", "final.mat"), now=NOW + timedelta(hours=1))
    assert (first.created, again.created) == (True, False)
    assert again.submission == first.submission


@pytest.mark.django_db
def test_another_name_sender_or_content_makes_another_page(bob: User) -> None:
    first = sent(file_name="final.mat")
    others = [
        sent(file_name="Bob against Carol, private.mat"),
        sent(file_name="final.mat", submitter=bob),
        sent(simulated(seed=2), file_name="final.mat"),
    ]
    assert len({first.pk, *(other.pk for other in others)}) == 4


@pytest.mark.django_db
def test_a_file_judged_by_an_older_engine_is_judged_again() -> None:
    old = adjudicated(sent())
    assert sent() == old
    Verdict.objects.filter(submission=old).update(engine_version="0")
    assert sent() != old


@pytest.mark.django_db
def test_a_file_that_could_not_be_checked_can_be_sent_again() -> None:
    old = sent()
    Submission.objects.filter(pk=old.pk).update(state=Submission.State.FAILED)
    assert sent() != old


# Adjudication


def test_a_worker_adjudicates_what_was_sent(celery_worker: Any) -> None:
    submission = settled(sent(now=timezone.now()))
    assert submission.state == Submission.State.DONE
    assert submission.format == "mat"
    assert submission.attempts == 1
    verdict = submission.verdicts.get()
    assert verdict.engine_version == VERSION
    assert verdict.outcome == "accepted"
    assert verdict.content["players"] == ["Bob", "Carol"]


@pytest.mark.django_db
def test_findings_are_stored_as_codes_and_parameters() -> None:
    content = adjudicated(sent(ILLEGAL.encode())).verdicts.get().content
    assert content["outcome"] == "rejected"
    finding = next(finding for finding in content["findings"] if finding["severity"] == "error")
    assert (finding["code"], finding["game"], finding["ply"]) == ("must_play_more", 1, 4)
    assert finding["params"] == {"count": 4, "dice": "6-6", "play": "24/18 13/7"}
    assert finding["nearest"]


@pytest.mark.django_db
@pytest.mark.parametrize("data", [b"\0\xff\x13garbage" * 50, b"no match here", b'{"format": "something else"}'])
def test_text_that_is_no_record_gets_a_verdict(data: bytes) -> None:
    submission = adjudicated(sent(data))
    assert submission.state == Submission.State.DONE
    assert submission.transcript is None
    assert submission.verdicts.get().outcome == "rejected"


@pytest.mark.django_db
def test_a_name_that_databases_cannot_store_does_no_harm() -> None:
    data = write(play_out(1, 1, players=("B\0b", "Carol")), "json").replace(b"Carol", b"C\\ud800rol")
    assert b"\\u0000" in data
    submission = adjudicated(sent(data))
    assert submission.state == Submission.State.DONE
    assert not {"\0", "\ud800"} & set("".join(submission.verdicts.get().content["players"]))


def test_only_text_that_databases_can_store_is_stored() -> None:
    assert storable({"B\0b": ["C\ud800rol", 3, None]}) == {"B\ufffdb": ["C?rol", 3, None]}


# Claims


@pytest.mark.django_db
def test_a_claim_keeps_other_workers_away_for_a_minute() -> None:
    submission = sent()
    Submission.objects.filter(pk=submission.pk).update(state="working", claimed_at=NOW, attempts=1)
    assert adjudicated(submission, now=NOW + timedelta(seconds=59)).state == Submission.State.WORKING
    assert adjudicated(submission, now=NOW + timedelta(seconds=60)).state == Submission.State.DONE
    assert submission.attempts == 2


@pytest.mark.django_db
def test_a_record_that_crashes_every_worker_fails() -> None:
    submission = sent()
    Submission.objects.filter(pk=submission.pk).update(state="working", claimed_at=NOW, attempts=MAX_ATTEMPTS)
    adjudicated(submission, now=NOW + timedelta(minutes=2))
    assert submission.state == Submission.State.FAILED
    assert submission.failure == "adjudication_gave_up"
    assert not submission.verdicts.exists()


@pytest.mark.django_db
def test_a_checked_record_is_not_checked_again() -> None:
    submission = adjudicated(sent())
    assert adjudicate_submission(submission_id=submission.pk, now=NOW + timedelta(hours=1)) is None
    assert submission.verdicts.count() == 1


def at_once(count: int, act: Callable[[], Any]) -> list[BaseException]:
    """Run `act` in this many threads that start together; return what they raised."""
    gate, raised = threading.Barrier(count), []

    def run() -> None:
        gate.wait()
        try:
            act()
        except IntegrityError as error:
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


@pytest.mark.slow
def test_of_concurrent_workers_one_adjudicates(transactional_db: None) -> None:
    submission = sent(long_session(100))
    assert at_once(6, lambda: adjudicate_submission(submission_id=submission.pk, now=NOW)) == []
    submission.refresh_from_db()
    assert submission.attempts == 1
    assert submission.verdicts.count() == 1


@pytest.mark.slow
def test_without_a_claim_every_worker_would_write(transactional_db: None) -> None:
    """Control: without a lock, only the database constraint prevents a second verdict."""
    submission = sent(long_session(100))
    all_have_read = threading.Barrier(6)

    def careless() -> None:
        row = Submission.objects.get(pk=submission.pk)
        assert row.is_open
        all_have_read.wait()
        verdict = check_record(bytes(row.data)).verdict
        row.state = Submission.State.DONE
        row.save(update_fields=["state"])
        Verdict.objects.create(
            submission=row, engine_version=VERSION, outcome=verdict.outcome, content=as_json(verdict)
        )

    assert len(at_once(6, careless)) == 5


@pytest.mark.django_db
def test_of_two_workers_with_a_claim_the_slower_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first worker is slower than its claim lasts: while it checks the record, a second one does all the work."""
    submission = sent()
    written: list[Verdict | None] = []

    def check_slowly(data: bytes) -> Check:
        monkeypatch.undo()
        written.append(adjudicate_submission(submission_id=submission.pk, now=NOW + timedelta(seconds=61)))
        return check_record(data)

    monkeypatch.setattr(engine, "check_record", check_slowly)
    written.append(adjudicate_submission(submission_id=submission.pk, now=NOW))
    submission.refresh_from_db()
    assert submission.attempts == 2
    assert [verdict is None for verdict in written] == [False, True]
    assert submission.verdicts.count() == 1


# The sweep


def waiting(valkey: Redis) -> int:
    return int(valkey.llen(RECORDS))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("state", "claimed", "age", "sent_again"),
    [
        ("queued", None, 9, 0),
        ("queued", None, 10, 1),
        ("working", 59, 100, 0),
        ("working", 60, 100, 1),
        ("done", 100, 100, 0),
        ("failed", 100, 100, 0),
    ],
)
def test_the_sweep_resends_records_that_nobody_works_on(
    valkey: Redis, state: str, claimed: int | None, age: int, sent_again: int
) -> None:
    submission = sent()
    valkey.flushall()
    Submission.objects.filter(pk=submission.pk).update(
        state=state,
        sent_at=NOW - timedelta(seconds=age),
        claimed_at=None if claimed is None else NOW - timedelta(seconds=claimed),
    )
    assert send_again(now=NOW) == sent_again
    assert waiting(valkey) == sent_again


@pytest.mark.django_db(transaction=True)
def test_the_sweep_does_not_multiply_a_long_backlog(valkey: Redis) -> None:
    for number in range(SWEEP_AT_ONCE + 5):
        sent(str(number).encode())
    valkey.flushall()
    later = NOW + timedelta(seconds=10)
    assert send_again(now=later) == SWEEP_AT_ONCE
    assert send_again(now=later) == 5
    assert send_again(now=later + timedelta(seconds=9)) == 0
    assert waiting(valkey) == SWEEP_AT_ONCE + 5


# Without a broker


@pytest.mark.usefixtures("broker_down")
def test_a_record_is_stored_quickly_while_the_broker_is_down(transactional_db: None) -> None:
    began = time.monotonic()
    submission = sent()
    assert time.monotonic() - began < 20
    submission.refresh_from_db()
    assert submission.state == Submission.State.QUEUED


def test_the_sweep_finds_records_stored_without_a_broker(celery_worker: Any, valkey: Redis) -> None:
    before = timezone.now() - timedelta(seconds=11)
    submission = sent(now=before)
    valkey.delete(RECORDS)
    Submission.objects.filter(pk=submission.pk).update(state="queued", claimed_at=None, sent_at=before)
    Verdict.objects.filter(submission=submission).delete()
    send_again(now=timezone.now())
    assert settled(submission).state == Submission.State.DONE
