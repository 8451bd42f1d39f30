"""The web process is killed while forty actions a second take the fast path: none that was acknowledged is lost.

On SQLite, or on the PostgreSQL server that DATABASE_URL names, in a database of its own.
"""

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from random import Random
from time import monotonic
from typing import Any

import pytest

from benchmarks.bench_live import LiveFigures, LiveTable
from benchmarks.live.http import HttpProblem
from benchmarks.live.installation import ROOT, LiveInstallation, installation
from tests.tiers import TEST_SEED, TIER

pytestmark = [pytest.mark.slow, pytest.mark.soak, pytest.mark.postgresql]
MATCHES, EVERY = 44, 1.1
"""Matches at once, and seconds between two actions of one."""
KILLS = 4 * TIER.kills_of_each
BETWEEN_KILLS = (200, 400)
"""Actions: each session's first one is answered by the view."""
PATIENCE = 60.0
SIGNED_AFTER = 1.0
"""Seconds after which a seat from the view, which signs each anew, differs; the fast path returns what was sent."""
READ = """
import json
from matches.models import Action
rows = Action.objects.order_by("live_id", "seq").values_list("live__match__public_id", "seq", "side", "kind", "key")
print(json.dumps(list(rows)))
"""


class InsistentTable(LiveTable):
    """A match whose players send each action with its key until it is acknowledged."""

    def __init__(self, match: dict[str, Any], port: int, chance: Random) -> None:
        super().__init__(match, port, chance)
        self.public_id: str = match["id"]
        self.sure: list[tuple[str, int, str, str]] = []
        self.seats: dict[str, float] = {}
        """When each was received first."""
        self.ways: Counter[str] = Counter()

    async def act(self, due_at: float, figures: LiveFigures) -> None:
        """Let whoever has to act do so."""
        for each in self.players:
            if not each.state.get("may") or each.state["last"] < self.acknowledged:
                await self._insist(each.read)
        player = self.to_act
        assert player is not None
        body, key, sent = player.action(self.chance), str(next(self._keys)), player.state["seat"]
        self.seats.setdefault(sent, monotonic())
        header = f"Idempotency-Key: {key}\r\n"
        state = await self._insist(partial(player.connection.request, "POST", f"{player.path}actions/", body, header))
        figures.acknowledged.append(monotonic() - due_at)
        self.acknowledged = state["last"]
        self.sure.append((self.public_id, player.side, body["kind"], f"{player.side}:{key}"))
        if monotonic() - self.seats.get(sent, math.inf) > SIGNED_AFTER:
            self.ways["short" if state["seat"] == sent else "plain"] += 1
        self.seats.setdefault(state["seat"], monotonic())
        player.take(state)

    async def _insist(self, send: Callable[[], Awaitable[Any]]) -> Any:
        deadline = monotonic() + PATIENCE
        while True:
            try:
                return await send()
            except (OSError, EOFError, HttpProblem) as error:
                if monotonic() > deadline or (isinstance(error, HttpProblem) and error.status not in (502, 503)):
                    raise
                for each in self.players:
                    await each.connection.close()
                await asyncio.sleep(0.1)


async def play_and_kill(running: LiveInstallation, tables: Sequence[InsistentTable], chance: Random) -> list[int]:
    """Play at the rate, and return how many actions were acknowledged before each kill, and in all."""
    figures, acknowledged = LiveFigures(), [0]
    starts = [monotonic() + EVERY * number / len(tables) for number in range(len(tables))]
    plays = [
        asyncio.create_task(table.play(start, EVERY, math.inf, figures))
        for table, start in zip(tables, starts, strict=True)
    ]
    for kill in range(KILLS + 1):
        while len(figures.acknowledged) < acknowledged[-1] + chance.randrange(*BETWEEN_KILLS):
            await asyncio.sleep(chance.random() / 10)
            assert not any(play.done() for play in plays), [play.exception() for play in plays if play.done()]
        acknowledged.append(len(figures.acknowledged))
        if kill < KILLS:
            os.kill(int((running.var / "run" / "web.pid").read_text()), signal.SIGKILL)
    for play in plays:
        play.cancel()
    await asyncio.gather(*plays, return_exceptions=True)
    return acknowledged[1:]


def run(running: LiveInstallation, *command: str) -> str:
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=running.env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_nothing_acknowledged_is_lost_when_the_web_process_is_killed() -> None:
    url = os.environ.get("DATABASE_URL", "")
    with installation(url if url.startswith("postgres") else None, {"RESTART_WITHIN": "0.2"}) as running:
        chance = Random(TEST_SEED)
        tables = [InsistentTable(match, running.ports[0], chance) for match in running.prepare(MATCHES)]
        began = monotonic()
        acknowledged = asyncio.run(play_and_kill(running, tables, chance))
        seconds = monotonic() - began
        rows = json.loads(run(running, "manage.py", "shell", "--no-imports", "-c", READ))
        integrity = run(running, "manage.py", "check_integrity")
    ways = sum((table.ways for table in tables), Counter[str]())
    print(f"TEST_SEED={TEST_SEED}, acknowledged before each kill {acknowledged} in {seconds:.0f} s, {dict(ways)}")
    assert ways["short"] > ways["plain"]
    stored = Counter((public_id, side, kind, key) for public_id, _, side, kind, key in rows if key)
    assert set(stored.values()) == {1}
    sure = {action for table in tables for action in table.sure}
    assert len(sure) >= acknowledged[-1]
    assert sure <= stored.keys()
    numbers: dict[str, list[int]] = {}
    for public_id, seq, *_ in rows:
        numbers.setdefault(public_id, []).append(seq)
    assert all(seqs == list(range(1, len(seqs) + 1)) for seqs in numbers.values())
    assert integrity.endswith(": no differences.\n")
