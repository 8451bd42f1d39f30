"""Matches that are being played go on whatever is killed, and while the broker hangs.

The players act over HTTP and insist on each action with its key, as the play page does; somebody watches each match by
the event stream. Every action that was acknowledged is there afterwards, once.
"""

import http.client
import itertools
import json
import os
import signal
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random
from threading import Event as Flag
from threading import Thread
from typing import Any, NamedTuple

import pytest
from django.core.signing import Signer

from benchmarks.bench_live import decision
from tests.faults.test_event import Event, started
from tests.faults.test_supervisor import CHILDREN, eventually
from tests.tiers import TEST_SEED, TIER

pytestmark = pytest.mark.slow
PATIENCE = 120.0
MATCHES = 3
BANK = 6
"""Seconds."""
BETWEEN_KILLS = (0.5, 1.5)
BROKER_HANGS = (5.0, 15.0)
"""Seconds: at least so long that what gave it up asks it again, and at most, on a busy machine."""
ANSWER_WITHIN = 15.0
RECONNECT_AFTER = 0.3
Json = dict[str, Any]


class Club(Event):
    """An installation in which matches are played; its processes are restarted at once."""

    @property
    def signer(self) -> Signer:
        return Signer(key=(self.var / "secret_key").read_text(), salt="matches.links", sep=".")

    def new_matches(self, *args: int) -> Iterator[str]:
        """Open matches to be played here, and return their public ids."""
        completed = self.run("-m", "benchmarks.live.prepare", *map(str, args))
        assert completed.returncode == 0, completed.stderr
        return iter([match["id"] for match in json.loads(completed.stdout)])

    def actions_of(self, public_id: str) -> list[tuple[Any, ...]]:
        """Return number, kind, side, key and time of every action of a match."""
        return self.rows(
            "SELECT a.seq, a.kind, a.side, a.key, a.at FROM matches_action a "
            f"JOIN matches_match m ON m.id = a.live_id WHERE m.public_id = '{public_id}' ORDER BY a.seq"
        )

    def credited(self, public_id: str) -> timedelta:
        """Return how much a match was given back for outages of the server."""
        outages = self.rows(
            "SELECT a.data FROM matches_action a JOIN matches_match m ON m.id = a.live_id "
            f"WHERE m.public_id = '{public_id}' AND a.kind = 'outage'"
        )
        return timedelta(milliseconds=sum(json.loads(data)["value"] for (data,) in outages))

    def seq_of(self, public_id: str) -> int:
        """Return the number of the topic of a match."""
        return int(self.rows(f"SELECT seq FROM matches_match WHERE public_id = '{public_id}'")[0][0])


class Acknowledged(NamedTuple):
    """An action that the server has answered."""

    side: int
    key: str
    kind: str


class Table:
    """A match with its two players and a spectator."""

    _keys = itertools.count()

    def __init__(self, club: Club, public_id: str) -> None:
        self.club, self.public_id = club, public_id
        self.chance = Random(public_id)
        self.acknowledged: list[Acknowledged] = []
        self.answers: Counter[int] = Counter()
        self.seen = 0
        """The highest number that the spectator's stream has sent."""
        self.streams = 0
        """How often the spectator has connected."""
        self.closed = Flag()
        Thread(target=self._watch, daemon=True).start()

    def step(self) -> bool:
        """Let whoever has to act do so; return whether the action was acknowledged."""
        for side, state in enumerate([self.read(0), self.read(1)]):
            if {"ready", "roll", "play", "take"} & set(state.get("may", ())):
                return self._act(side, state)
        return False

    def read(self, side: int) -> Json:
        """Return the match as a player sees it, or nothing if that was refused."""
        return self._insist(side, "GET", "") or {}

    def _act(self, side: int, state: Json) -> bool:
        body = decision(state, self.chance) | {"after": state["last"]}
        key = f"k{next(self._keys)}"
        accepted = self._insist(side, "POST", "actions/", body, key)
        if accepted is not None:
            self.acknowledged.append(Acknowledged(side, f"{side}:{key}", body["kind"]))
        return accepted is not None

    def _insist(self, side: int, method: str, path: str, body: Json | None = None, key: str = "") -> Json | None:
        """Send a request until the server answers it; return the answer, or None if it was refused."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            status, answer = self._send(side, method, path, body, key)
            self.answers[status] += 1
            if status == 200:
                return answer
            if 400 <= status < 500 and status != 429:
                return None
            time.sleep(0.1)
        raise AssertionError(f"no answer within {PATIENCE:.0f} s: {self.answers}")

    def _send(
        self, side: int, method: str, path: str, body: Json | None = None, key: str = ""
    ) -> tuple[int, Json | None]:
        """Send a request once; return its status (0: no answer) and its answer."""
        headers = {"Content-Type": "application/json", "Match-Link": self.club.signer.sign(f"{self.public_id}.{side}")}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.club.port}/api/v1/matches/{self.public_id}/live/{path}",
            None if body is None else json.dumps(body).encode(),
            headers | ({"Idempotency-Key": key} if key else {}),
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_WITHIN) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, None
        except (OSError, http.client.HTTPException, ValueError):
            return 0, None

    def _watch(self) -> None:
        """Watch the match by its stream, and connect again whenever it ends."""
        url = f"http://127.0.0.1:{self.club.port}/live/?topic=match:{self.public_id}"
        while not self.closed.is_set():
            with suppress(OSError, http.client.HTTPException), urllib.request.urlopen(url, timeout=25) as stream:
                self.streams += 1
                for line in stream:
                    if line.startswith(b"data: ") and "seq" in (data := json.loads(line[6:])):
                        self.seen = max(self.seen, data["seq"])
                    if self.closed.is_set():
                        return
            time.sleep(RECONNECT_AFTER)

    def check(self) -> None:
        """Every acknowledged action is there once, nothing is missing between, and the spectator has caught up."""
        rows = self.club.actions_of(self.public_id)
        assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
        keys = Counter(row[3] for row in rows if row[3])
        assert set(keys.values()) <= {1}
        kinds = {row[3]: (row[1], row[2]) for row in rows}
        for action in self.acknowledged:
            assert kinds.get(action.key) == (action.kind, action.side)
        assert not self.answers[500]
        assert eventually(lambda: self.seen == self.club.seq_of(self.public_id), 30), (self.seen, self.streams)


@pytest.fixture(scope="module")
def club() -> Iterator[Club]:
    with started(Club) as club:
        yield club


@pytest.fixture(scope="module")
def with_usual_clock(club: Club) -> Iterator[str]:
    """Matches of both tests that play some, opened by one process."""
    return club.new_matches(2 * MATCHES)


@pytest.fixture(scope="module")
def with_bank(club: Club) -> Iterator[str]:
    """Matches with a bank of BANK, one for each flag that is to fall."""
    return club.new_matches(2, BANK)


@pytest.fixture
def tables(club: Club, with_usual_clock: Iterator[str]) -> Iterator[list[Table]]:
    created = [Table(club, public_id) for public_id in itertools.islice(with_usual_clock, MATCHES)]
    yield created
    for table in created:
        table.closed.set()


@pytest.mark.soak
def test_play_goes_on_whatever_is_killed(club: Club, tables: list[Table]) -> None:
    chance = Random(TEST_SEED)
    victims = list(CHILDREN) * TIER.kills_of_each
    chance.shuffle(victims)
    next_kill, deadline = time.monotonic() + 1, time.monotonic() + PATIENCE
    while victims:
        assert time.monotonic() < deadline, (TEST_SEED, victims)
        if time.monotonic() >= next_kill and club.kill(victims[-1]):
            victims.pop()
            next_kill = time.monotonic() + chance.uniform(*BETWEEN_KILLS)
        for table in tables:
            table.step()

    before = [len(table.acknowledged) for table in tables]
    assert all(eventually(table.step) for table in tables), "play goes on after the last kill"
    print(f"TEST_SEED={TEST_SEED}, acknowledged {before}, streams {[table.streams for table in tables]}")
    assert min(before) > 5
    for table in tables:
        table.check()
    checked = club.run("manage.py", "check_integrity")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.endswith(": no differences.\n")


def test_play_goes_on_while_the_broker_hangs(club: Club, tables: list[Table]) -> None:
    for table in tables:
        assert table.step()
    broker = club.pid("valkey")
    os.kill(broker, signal.SIGSTOP)
    try:
        hung_at, slowest, count = time.monotonic(), 0.0, 0
        while time.monotonic() < hung_at + BROKER_HANGS[0 if count >= len(tables) else 1]:
            for table in tables:
                began = time.monotonic()
                count += table.step()
                slowest = max(slowest, time.monotonic() - began)
    finally:
        os.kill(broker, signal.SIGCONT)
    print(f"{count} actions while the broker hung, the slowest with its reads in {slowest:.1f} s")
    assert count >= len(tables)
    for table in tables:
        assert table.answers.keys() == {200}
        assert table.step()
        table.check()


@pytest.mark.parametrize("victims", [("clock",), ("clock", "web", "valkey", "beat", "worker")], ids=["clock", "all"])
def test_a_flag_falls_at_its_time_though_processes_are_killed(
    club: Club, with_bank: Iterator[str], victims: tuple[str, ...]
) -> None:
    table = Table(club, next(with_bank))
    assert table.step()
    assert table.step()
    state = table.read(0)
    due_at, credited = datetime.fromisoformat(state["due_at"]), club.credited(table.public_id)
    time.sleep(max(0.0, (due_at - datetime.now(UTC)).total_seconds() - 1))
    for victim in victims:
        assert club.kill(victim)

    assert eventually(lambda: club.actions_of(table.public_id)[-1][1] == "flag", 30)
    settled_after = datetime.now(UTC) - due_at
    _, _, side, _, at = club.actions_of(table.public_id)[-1]
    # A server that takes long to come back credits what was lost to both sides.
    assert datetime.fromisoformat(at).replace(tzinfo=UTC) == due_at + club.credited(table.public_id) - credited
    assert side == state["to_act"]
    # The processes take some seconds to start; one that runs settles a flag within two and a half seconds.
    assert settled_after < timedelta(seconds=20), settled_after
    print(f"settled {settled_after.total_seconds():.1f} s after it was due")
    table.check()
    table.closed.set()
