"""Events go on to their end whatever is killed: every match is settled once, every record judged once.

In a Swiss every round is paired once, too, by workers that are killed.

The players of a knockout and a Swiss send records and reports over HTTP while web, worker, beat and Valkey are killed
at random. The last match of each is played after the last kill, so that all kills happen during both.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

import pytest
from django.core.signing import Signer

from config.valkey import free_port
from demo.club import DIALECTS, written
from engine.simulation import play_out
from tests.faults.create_event import SWISS_ROUNDS
from tests.faults.test_supervisor import DATABASE, ROOT, Installation, alive
from tests.tiers import TEST_SEED, TIER

SWISS_PLAYERS = 8
LAST = {"knockout": TIER.players - 1, "swiss": SWISS_ROUNDS * SWISS_PLAYERS // 2}
"""The number of the last match of each event."""
PATIENCE = 240.0 + 6 * TIER.kills
"""Seconds; a busy machine needs several times as long as an idle one."""
VICTIMS = ("worker", "records", "web", "web", "valkey", "valkey", "beat", "clock")
BETWEEN_KILLS = (0.3, 1.5)
ANSWER_WITHIN = 20
RETRIED = 3.0
"""Seconds after which a player checks whether a report had an effect."""


class Open(NamedTuple):
    """A match that can be played, as the database has it."""

    pk: int
    public_id: str
    seq: int
    state: str
    number: int
    waiting: int
    format: str
    names: tuple[str, str]


class Event(Installation):
    """An installation with an event, whose dead processes are restarted at once."""

    def start(self) -> "subprocess.Popen[str]":
        self.env |= {
            "RESTART_WITHIN": "0.2",
            "QUEUE_RESEND_AFTER": "1",
            "QUEUE_CLAIM_LASTS": "4",
            "UPLOAD_RATE_ANON": "99999/hour",
            "OWN_LOSS_PENDING": "2",
        }
        return super().start()

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Run a command in the installation."""
        env = self.env | {"BARPOINT_PROFILE": "local", "REDIS_URL": f"unix://{self.var / 'run' / 'valkey.sock'}"}
        return subprocess.run([sys.executable, *command], cwd=ROOT, env=env, capture_output=True, text=True)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Read from the database, from outside."""
        database = sqlite3.connect(f"file:{self.var / DATABASE}?mode=ro", uri=True, timeout=20)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def kill(self, name: str) -> bool:
        """Kill a process and return whether there was one."""
        try:
            pid = self.pid(name)
            if not alive(pid):
                return False
            os.kill(pid, signal.SIGKILL)
        except (OSError, ValueError):
            return False
        return True

    def over(self) -> bool:
        return self.rows("SELECT DISTINCT status FROM tournaments_division") == [("finished",)]

    def open_matches(self) -> list[Open]:
        """Return the matches that can be played, except those that nobody reports."""
        query = """
            SELECT m.id, m.public_id, m.seq, m.state, f.number,
                (SELECT count(*) FROM matches_submission s WHERE s.match_id = m.id AND s.standing = 'waiting'),
                g.format, p.name, q.name
            FROM matches_match m
            JOIN players_player p ON p.id = m.player_0_id JOIN players_player q ON q.id = m.player_1_id
            JOIN tournaments_fixture f ON f.match_id = m.id JOIN tournaments_stage g ON g.id = f.stage_id
            WHERE m.state IN ('open', 'claimed') AND f.number <> 1 ORDER BY m.id
        """
        return [Open(*row[:7], row[7:]) for row in self.rows(query)]


E = TypeVar("E", bound=Event)


class Players:
    """The players: each match is reported in one of three ways, again and again until the result stands."""

    def __init__(self, event: Event) -> None:
        self.event = event
        self.signer = Signer(key=(event.var / "secret_key").read_text(), salt="matches.links", sep=".")
        self.sent_at: dict[tuple[int, int], float] = {}
        self.answers: Counter[str] = Counter()

    def report(self, *, final: bool) -> None:
        """Report all matches that need it; the last match of each event only when `final` is set."""
        for match in self.event.open_matches():
            last = self.sent_at.get((match.pk, match.seq), 0.0)
            is_held_back = match.number == LAST[match.format] and not final
            if is_held_back or match.waiting or time.monotonic() - last < RETRIED:
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
        """Send a request that may find no server, and count the answer."""
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


@contextmanager
def started(installation: Callable[[Path, int], E]) -> Iterator[E]:
    """An installation that is ready, and stopped at the end."""
    # A short path, since the broker's socket is in it.
    var = Path(tempfile.mkdtemp(prefix="bp-"))
    running = installation(var, free_port())
    running.wait_until_ready(PATIENCE)
    yield running
    running.process.terminate()
    running.process.wait(60)
    shutil.rmtree(var)


@pytest.fixture
def event() -> Iterator[Event]:
    with started(Event) as event:
        yield event


@pytest.mark.slow
@pytest.mark.soak
def test_events_end_whatever_is_killed(event: Event) -> None:
    completed = event.run("-m", "tests.faults.create_event", "knockout", str(TIER.players), "swiss", str(SWISS_PLAYERS))
    assert completed.returncode == 0, completed.stderr
    play_and_kill(event)
    every_match_has_one_result(event)
    every_record_has_one_verdict(event)
    every_round_of_the_swiss_is_paired_once(event)
    checked = event.run("manage.py", "check_integrity")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.endswith(": no differences.\n")


def play_and_kill(event: Event) -> None:
    """Report all matches while processes are killed; the last ones wait for the last kill."""
    chance, players, killed, began = Random(TEST_SEED), Players(event), Counter[str](), time.monotonic()
    next_kill = began
    while not event.over():
        assert time.monotonic() - began < PATIENCE, (killed, players.answers, event.open_matches())
        if killed.total() < TIER.kills and time.monotonic() >= next_kill:
            victim = chance.choice(VICTIMS)
            killed[victim] += event.kill(victim)
            next_kill = time.monotonic() + chance.uniform(*BETWEEN_KILLS)
        players.report(final=killed.total() >= TIER.kills)
        time.sleep(0.05)
    assert killed.total() >= TIER.kills
    print(f"killed {dict(killed)}, answers {dict(players.answers)}")
    print(f"{time.monotonic() - began:.0f} s, TEST_SEED={TEST_SEED}")
    assert not [answer for answer in players.answers if answer.endswith(" 500")]


def every_match_has_one_result(event: Event) -> None:
    decided = event.rows("SELECT match_id FROM tournaments_fixture WHERE status = 'decided'")
    versions = event.rows("SELECT match_id, version FROM matches_result")
    assert len(decided) == sum(LAST.values())
    assert sorted(versions) == sorted((match, 1) for (match,) in decided)
    sources = Counter(source for (source,) in event.rows("SELECT source FROM matches_result"))
    assert sources["deadline"] == len(LAST)
    assert sources["record"] > 0
    assert sources["claim"] > 0


def every_record_has_one_verdict(event: Event) -> None:
    sent = event.rows("SELECT id FROM matches_submission")
    verdicts = event.rows("SELECT submission_id FROM matches_verdict")
    assert sent
    assert sorted(verdicts) == sorted(sent)
    standing = event.rows("SELECT DISTINCT state, standing FROM matches_submission")
    assert standing == [("done", "stands")]


def every_round_of_the_swiss_is_paired_once(event: Event) -> None:
    paired = event.rows(
        "SELECT d.round, count(*) FROM tournaments_draw d JOIN tournaments_stage g ON g.id = d.stage_id "
        "WHERE g.format = 'swiss' AND d.state = 'published' GROUP BY d.round"
    )
    assert sorted(paired) == [(number, 1) for number in range(1, SWISS_ROUNDS + 1)]
    met = event.rows(
        "SELECT min(m.player_0_id, m.player_1_id), max(m.player_0_id, m.player_1_id) FROM matches_match m "
        "JOIN tournaments_fixture f ON f.match_id = m.id JOIN tournaments_stage g ON g.id = f.stage_id "
        "WHERE g.format = 'swiss'"
    )
    assert len(met) == LAST["swiss"]
    assert len(met) == len(set(met)), "nobody has met anybody twice"
