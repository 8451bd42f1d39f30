"""An event goes on to its end whatever is killed: every match is settled once, every record judged once.

In a Swiss every round is paired once besides, by workers who are killed, too.

The players send records and claims over HTTP while web, worker, beat and Valkey are killed at random; the last match is
played when the last has been killed, so all of it happens during the event. FAULTS_PLAYERS (64) and FAULTS_KILLS (50)
make the knockout smaller or larger.
"""

import http.client
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, NamedTuple

import pytest
from django.core.signing import Signer

from config.valkey import free_port
from engine.simulation import play_out
from tests.faults.made import SWISS_ROUNDS
from tests.faults.test_supervisor import DATABASE, ROOT, Installation, alive
from tournaments.demo.records import DIALECTS, written

PLAYERS = int(os.environ.get("FAULTS_PLAYERS", "64"))
KILLS = int(os.environ.get("FAULTS_KILLS", "50"))
SWISS_PLAYERS, SWISS_KILLS = 8, 16
PATIENCE = 240.0 + 6 * KILLS
"""Seconds; a machine with much else to do needs several times what an idle one does."""
VICTIMS = ("worker", "worker", "web", "web", "valkey", "valkey", "beat")
BETWEEN_KILLS = (0.3, 1.5)
ANSWER_WITHIN = 20
RETRIED = 3.0
"""Seconds after which a player looks whether what he sent has come to anything."""


class Open(NamedTuple):
    """A match that waits for its players, as the database has it."""

    pk: int
    public_id: str
    seq: int
    state: str
    number: int
    waiting: int
    names: tuple[str, str]


class Event(Installation):
    """An installation with an event in it, whose dead processes come back at once."""

    def start(self) -> "subprocess.Popen[str]":
        self.env |= {
            "RESTART_WITHIN": "0.2",
            "QUEUE_RESEND_AFTER": "1",
            "QUEUE_CLAIM_LASTS": "4",
            "UPLOAD_RATE_ANON": "99999/hour",
            "OWN_LOSS_PENDING": "2",
        }
        # Its output is not read while it runs, and a full pipe would stop it.
        self.said = (self.var / "said").open("w")
        return subprocess.Popen(
            [sys.executable, "-m", "config.supervisor"],
            cwd=ROOT,
            env=self.env,
            stdout=self.said,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """A command in the same installation."""
        env = self.env | {"BARPOINT_PROFILE": "local", "REDIS_URL": f"unix://{self.var / 'run' / 'valkey.sock'}"}
        return subprocess.run([sys.executable, *command], cwd=ROOT, env=env, capture_output=True, text=True)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the database holds, read from outside."""
        database = sqlite3.connect(f"file:{self.var / DATABASE}?mode=ro", uri=True, timeout=20)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def kill(self, name: str) -> bool:
        """Whether there was somebody to kill."""
        try:
            pid = self.pid(name)
            if not alive(pid):
                return False
            os.kill(pid, signal.SIGKILL)
        except (OSError, ValueError):
            return False
        return True

    def over(self) -> bool:
        return self.rows("SELECT status FROM tournaments_division") == [("finished",)]

    def open_matches(self) -> list[Open]:
        """Those that can be played, save the one everybody has forgotten."""
        query = """
            SELECT m.id, m.public_id, m.seq, m.state, f.number,
                (SELECT count(*) FROM matches_submission s WHERE s.match_id = m.id AND s.standing = 'waiting'),
                p.name, q.name
            FROM matches_match m
            JOIN players_player p ON p.id = m.player_0_id JOIN players_player q ON q.id = m.player_1_id
            JOIN tournaments_fixture f ON f.match_id = m.id
            WHERE m.state IN ('open', 'claimed') AND f.number <> 1 ORDER BY m.id
        """
        return [Open(*row[:6], row[6:]) for row in self.rows(query)]


class Players:
    """All of them: each match is reported in one of three ways, again and again until it stands."""

    def __init__(self, event: Event, last: int) -> None:
        self.event = event
        self.last = last
        self.signer = Signer(key=(event.var / "secret_key").read_text(), salt="matches.links", sep=".")
        self.sent_at: dict[tuple[int, int], float] = {}
        self.answers: Counter[str] = Counter()

    def report(self, *, final: bool) -> None:
        """Everybody who has something to say says it; those of the last match only when they may."""
        for match in self.event.open_matches():
            last = self.sent_at.get((match.pk, match.seq), 0.0)
            held_back = match.number == self.last and not final
            if held_back or match.waiting or time.monotonic() - last < RETRIED:
                continue
            self.sent_at[match.pk, match.seq] = time.monotonic()
            winner = match.pk % 2
            score = [1, 0] if winner == 0 else [0, 1]
            claim = {"score": score, "after": match.seq}
            if match.state == "claimed" and match.pk % 4 != 0:
                self.post(match, 1 - winner, "confirm", {"after": match.seq})
            elif match.pk % 4 == 0:
                self.post(match, 1 - winner, "claims", claim)
            elif match.pk % 4 == 1:
                self.post(match, winner, "claims", claim)
            else:
                self.send_record(match)

    def send_record(self, match: Open) -> None:
        transcript = play_out(match.pk, 1, players=match.names)
        record = written(transcript, DIALECTS[match.pk % len(DIALECTS)], "match")
        self.post(match, match.pk % 2, "records", {"text": record.data.decode()})

    def post(self, match: Open, side: int, what: str, body: dict[str, Any]) -> None:
        """A request that may find nobody at home; the answer is counted."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.event.port}/api/v1/matches/{match.public_id}/{what}/",
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Match-Link": self.signer.sign(f"{match.public_id}.{side}")},
        )
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_WITHIN) as response:
                self.answers[f"{what} {response.status}"] += 1
        except urllib.error.HTTPError as error:
            self.answers[f"{what} {error.code}"] += 1
            error.close()
        except (OSError, http.client.HTTPException):
            self.answers[f"{what} nobody"] += 1


@pytest.fixture
def event() -> Iterator[Event]:
    # A short path, or the broker would not listen on a socket in it.
    var = Path(tempfile.mkdtemp(prefix="bp-event-"))
    running = Event(var, free_port())
    deadline = time.monotonic() + PATIENCE
    while "Barpoint is ready" not in (var / "said").read_text():
        assert running.process.poll() is None, (var / "said").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    yield running
    running.process.terminate()
    running.process.wait(60)
    running.said.close()
    shutil.rmtree(var)


def test_an_event_ends_whatever_is_killed(event: Event) -> None:
    make(event, "knockout", PLAYERS)
    play_and_kill(event, matches=PLAYERS - 1, kills=KILLS)
    every_record_has_one_verdict(event)


def test_a_swiss_is_paired_to_its_end_whatever_is_killed(event: Event) -> None:
    make(event, "swiss", SWISS_PLAYERS)
    play_and_kill(event, matches=SWISS_ROUNDS * SWISS_PLAYERS // 2, kills=SWISS_KILLS)

    paired = event.rows("SELECT round, count(*) FROM tournaments_draw WHERE state = 'published' GROUP BY round")
    assert sorted(paired) == [(number, 1) for number in range(1, SWISS_ROUNDS + 1)]
    met = event.rows("SELECT min(m.player_0_id, m.player_1_id), max(m.player_0_id, m.player_1_id) FROM matches_match m")
    assert len(met) == len(set(met)), "nobody has met anybody twice"


def make(event: Event, format_: str, count: int) -> None:
    """The event of `made`, in the installation."""
    made = event.run("-m", "tests.faults.made", format_, str(count))
    assert made.returncode == 0, made.stderr


def play_and_kill(event: Event, *, matches: int, kills: int) -> None:
    """Everybody reports until the end, and processes are killed meanwhile; the last match waits for the last kill."""
    seed = SystemRandom().randrange(10**6)
    chance, players, killed, began = Random(seed), Players(event, matches), Counter[str](), time.monotonic()
    next_kill = began
    while not event.over():
        assert time.monotonic() - began < PATIENCE, (seed, killed, players.answers, event.rows(HOW_FAR))
        if killed.total() < kills and time.monotonic() >= next_kill:
            victim = chance.choice(VICTIMS)
            killed[victim] += event.kill(victim)
            next_kill = time.monotonic() + chance.uniform(*BETWEEN_KILLS)
        players.report(final=killed.total() >= kills)
        time.sleep(0.05)
    assert killed.total() >= kills
    print(f"{matches} matches, killed {dict(killed)}, answers {dict(players.answers)}")
    print(f"{time.monotonic() - began:.0f} s, seed {seed}")

    every_match_has_one_result(event, matches)
    assert not [answer for answer in players.answers if answer.endswith(" 500")]
    checked = event.run("manage.py", "check_integrity")
    assert (checked.returncode, checked.stdout) == (0, ""), checked.stdout + checked.stderr


HOW_FAR = "SELECT status, count(*) FROM tournaments_fixture GROUP BY status"


def every_match_has_one_result(event: Event, matches: int) -> None:
    decided = event.rows("SELECT match_id FROM tournaments_fixture WHERE status = 'decided'")
    versions = event.rows("SELECT match_id, version FROM matches_result")
    assert len(decided) == matches
    assert sorted(versions) == sorted((match, 1) for (match,) in decided)
    sources = Counter(source for (source,) in event.rows("SELECT source FROM matches_result"))
    assert sources["deadline"] == 1
    assert sources["record"] > 0
    assert sources["claim"] > 0


def every_record_has_one_verdict(event: Event) -> None:
    sent = event.rows("SELECT id FROM matches_submission")
    verdicts = event.rows("SELECT submission_id FROM matches_verdict")
    assert sent
    assert sorted(verdicts) == sorted(sent)
    standing = event.rows("SELECT DISTINCT state, standing FROM matches_submission")
    assert standing == [("done", "stands")]
