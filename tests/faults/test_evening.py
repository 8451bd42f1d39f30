"""An evening goes on whatever is killed: no match is called twice, and each player hears once of each call.

The autopilot calls by itself while worker, beat, Valkey and web are killed one after the other. The director enters the
results of what was called over HTTP; the players' e-mails arrive at a mail server of this test.
"""

import http.client
import json
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from email.message import Message
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.faults.mailbox import Mailbox
from tests.faults.test_event import Event, started
from tests.faults.test_supervisor import CHILDREN, DATABASE, eventually
from tests.tiers import TEST_SEED

PLAYERS, TABLES = 8, 2
VICTIMS = ("worker", "worker", "beat", "valkey", "web")
BETWEEN_KILLS = (0.5, 1.5)
PATIENCE = 180.0
"""Seconds; a busy machine needs several times as long as an idle one."""
ANSWER_WITHIN = 20.0
IN_HAND = 2
"""Tasks that a worker may be at when it is killed: its threads."""


class Evening(Event):
    """An installation that sends its e-mails to a mailbox, each at once."""

    def __init__(self, var: Path, port: int, mailbox: Mailbox, undo_seconds: int) -> None:
        self.mailbox, self.undo_seconds = mailbox, undo_seconds
        self.statuses: Counter[int] = Counter()
        super().__init__(var, port)

    def start(self) -> "subprocess.Popen[str]":
        self.env |= {
            "EMAIL_BACKEND": "core.mail.SmtpBackend",
            "EMAIL_HOST": "127.0.0.1",
            "EMAIL_PORT": str(self.mailbox.port),
            "RESULT_UNDO_SECONDS": str(self.undo_seconds),
        }
        return super().start()

    def enter(self, event: str, token: str, number: int) -> None:
        """Enter that the first player of a match has won; nobody may answer."""
        try:
            self.ask(event, token, "lines/", {"lines": f"m{number} 1-0"})
        except urllib.error.HTTPError as error:
            self.statuses[error.code] += 1
            error.close()
        except (OSError, http.client.HTTPException):
            pass  # killed; what has no result is entered again

    def ask(self, event: str, token: str, path: str, body: dict[str, str] | None = None) -> Any:
        """Return the answer of an operation of the event, a POST if it has a body."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v1/tournaments/{event}/{path}",
            json.dumps(body).encode() if body is not None else None,
            {"Content-Type": "application/json", "Authorization": f"Token {token}"},
        )
        with urllib.request.urlopen(request, timeout=ANSWER_WITHIN) as response:
            return json.load(response)

    def create(self, mode: str) -> tuple[str, list[str]]:
        """Create the evening, and return its event and the tokens of its two directors."""
        completed = self.run("-m", "tests.faults.create_evening", str(PLAYERS), str(TABLES), mode)
        assert completed.returncode == 0, completed.stderr
        created = json.loads(completed.stdout)
        return created["event"], created["tokens"]

    def kill_everything(self) -> None:
        """Kill the supervisor and all its processes at the same moment, and start them again."""
        self.process.kill()
        self.process.wait()
        for name in CHILDREN:
            self.kill(name)
        self.process = self.start()
        self.wait_until_ready(PATIENCE)

    def make_due(self) -> None:
        """Let the time be over in which the results can be undone."""
        with closing(sqlite3.connect(self.var / DATABASE, timeout=20)) as database, database:
            database.execute("UPDATE matches_match SET settle_at = created_at WHERE settle_at IS NOT NULL")

    def called(self) -> list[int]:
        """Return the numbers of the matches that were called and have no result."""
        query = """
            SELECT f.number FROM tournaments_floorevent e JOIN tournaments_fixture f ON f.id = e.fixture_id
            JOIN matches_match m ON m.id = f.match_id WHERE e.kind = 'called' AND m.state = 'open' ORDER BY f.number
        """
        return [number for (number,) in self.rows(query)]


@pytest.fixture
def evening(request: pytest.FixtureRequest) -> Iterator[Evening]:
    """An evening; its parameter is the time in which a result can be undone, in seconds."""
    mailbox, undo_seconds = Mailbox(), getattr(request, "param", 5)
    with started(partial(Evening, mailbox=mailbox, undo_seconds=undo_seconds)) as evening:
        yield evening
    mailbox.close()


@pytest.mark.slow
@pytest.mark.soak
def test_nothing_is_called_and_nobody_notified_twice_whatever_is_killed(evening: Evening) -> None:
    event, (token, _) = evening.create("call")
    chance, victims = Random(TEST_SEED), list(VICTIMS)
    chance.shuffle(victims)
    deadline, next_kill = time.monotonic() + PATIENCE, time.monotonic()
    while not evening.over():
        assert time.monotonic() < deadline, (TEST_SEED, victims, evening.called())
        if victims and time.monotonic() >= next_kill and evening.kill(victims[-1]):
            victims.pop()
            next_kill = time.monotonic() + chance.uniform(*BETWEEN_KILLS)
        waiting = evening.called()
        # One match stays at its table until the last kill, so that all kills happen during the evening.
        for number in waiting if not victims else waiting[1:]:
            evening.enter(event, token, number)
        time.sleep(0.1)

    calls = evening.rows("SELECT id, match_id, table_id FROM tournaments_floorevent WHERE kind = 'called'")
    assert len(calls) == PLAYERS - 1
    assert not evening.statuses[500]
    assert set(Counter(match for _, match, _ in calls).values()) == {1}, (TEST_SEED, calls)
    every_call_is_delivered_once(evening, [pk for pk, *_ in calls])
    checked = evening.run("manage.py", "check_integrity")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("evening", [300], indirect=True, ids=["for as long as everything takes to start again"])
def test_two_directors_lose_nothing_though_the_server_is_killed_between_a_result_and_what_follows(
    evening: Evening,
) -> None:
    event, (alice, bob) = evening.create("suggest")

    def floor(token: str) -> dict[str, Any]:
        shown: dict[str, Any] = evening.ask(event, token, "floor/")
        return shown

    def line(token: str, text: str) -> None:
        (outcome,) = evening.ask(event, token, "lines/", {"lines": text})
        assert outcome["code"] is None, outcome

    line(alice, "t1 call m1")
    line(bob, "t2 call m2")
    line(alice, "m1 1-0")
    line(bob, "m2 1-0")
    waiting = "SELECT count(*) FROM matches_match WHERE settle_at IS NOT NULL"
    assert evening.rows(waiting) == [(2,)], "nothing has followed from either yet"
    evening.kill_everything()

    # Each undoes what is theirs, in their order, though the server began anew in between.
    first, second = floor(alice)["undoable"], floor(bob)["undoable"]
    assert first["act"] != second["act"]
    evening.ask(event, bob, "floor/undo/", {"act": second["act"]})
    line(bob, "m2 0-1")
    evening.make_due()
    assert eventually(lambda: evening.rows(waiting) == [(0,)], PATIENCE), "a sweep settles both"
    results = evening.rows("SELECT winner, kind FROM matches_result ORDER BY id")
    assert results == [(0, "played"), (0, "played"), (None, "void"), (1, "played")], "both facts of the undo stay"
    views = [{key: value for key, value in floor(token).items() if key != "undoable"} for token in (alice, bob)]
    assert views[0] == views[1]
    (third,) = evening.rows("SELECT max(id) FROM matches_result")
    assert [floor(token)["undoable"]["act"] for token in (alice, bob)] == [first["act"], f"result-{third[0]}"]
    checked = evening.run("manage.py", "check_integrity")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def every_call_is_delivered_once(evening: Evening, calls: list[int]) -> None:
    """Both players have a notification of each call; each that was sent has arrived in one e-mail."""
    notified = evening.rows("SELECT user_id, key FROM players_notification WHERE kind = 'called'")
    assert sorted(Counter(notified).values()) == [1] * 2 * len(calls)
    waiting = "SELECT count(*) FROM players_delivery WHERE channel = 'email' AND state = 'waiting'"
    assert eventually(lambda: evening.rows(waiting) == [(0,)], PATIENCE)
    sent = evening.rows(
        "SELECT u.email, d.batch FROM players_delivery d JOIN players_notification n ON n.id = d.notification_id "
        "JOIN players_user u ON u.id = n.user_id "
        "WHERE d.channel = 'email' AND d.state = 'sent' AND n.kind = 'called'"
    )
    assert sent
    arrived = {(str(mail["To"]), message_id(mail)): mail for mail in evening.mailbox.messages}
    assert {key: calls_in(mail) for key, mail in arrived.items() if calls_in(mail)} == Counter(sent)
    # What a dying worker has sent and not noted yet is sent again; mail programs recognise it by its id.
    assert len(evening.mailbox.messages) - len(arrived) <= IN_HAND * VICTIMS.count("worker")


def message_id(mail: Message) -> str:
    """The part of the Message-ID that names the batch."""
    return str(mail["Message-ID"])[1:].partition("@")[0]


def calls_in(mail: Message) -> int:
    """How many calls an e-mail contains."""
    body = mail.get_payload(decode=True)
    assert isinstance(body, bytes)
    return body.decode().count("Come to table")
