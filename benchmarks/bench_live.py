"""Live play over HTTP: 200 matches at once, 500 spectators of one match, 1,000 open streams, and the highest rate."""

import argparse
import asyncio
import itertools
import os
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from random import Random
from statistics import quantiles
from time import monotonic
from types import TracebackType
from typing import Any

from redis.asyncio import Redis

from benchmarks.live.http import HOST, Connection, HttpProblem, events
from benchmarks.live.installation import LiveInstallation, installation
from core.live.publishing import CHANNEL

# Matches between two players each, whose pages behave as the real ones: a stream, reads where needed, pings.


CSRF = "c" * 32
SIGN_EVERY, MEASURE_EVERY = 15.0, 30.0
"""Seconds between two signs of life and between two measurements of the lag, as the play page has them."""
SIGN = {"tab": "bench", "every": int(SIGN_EVERY)}
TICKET_LASTS = 240.0
"""Seconds in which pings use the ticket of an answer instead of the cookies."""
DOUBLE_CHANCE = 0.05
RECONNECT_AFTER = 0.2
READ_AGAIN_AFTER = 0.5
Json = dict[str, Any]


@dataclass
class LiveFigures:
    """What was measured, in seconds."""

    acknowledged: list[float] = field(default_factory=list)
    visible: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    late: int = 0
    """Actions that were not sent on time, since what precedes them was not visible yet."""


class LivePlayer:
    """One side of a match, with its page open, which takes over what the stream sends as the real one does."""

    def __init__(self, match_id: str, side: int, session: str, port: int) -> None:
        self.match_id, self.side = match_id, side
        headers = {"Cookie": f"sessionid={session}; csrftoken={CSRF}", "X-CSRFToken": CSRF, "Accept": "*/*"}
        self.headers, self.port = headers, port
        self.connection = Connection(port, headers)
        # Browsers do not share connections between requests with and without cookies.
        self.without_cookies = Connection(port, {"Accept": "*/*"})
        self.ticket, self.ticket_from = "", -TICKET_LASTS
        self.path = f"/api/v1/matches/{match_id}/live/"
        self.state: Json = {"last": 0, "seq": 0}
        self.streamed = 0
        self.changed = asyncio.Event()
        self.signed_at = self.measured_at = 0.0
        self.acts = False
        """While an action is under way its answer tells what has changed."""
        self.waiting: dict[int, tuple[float, list[float]]] = {}
        """Actions of the opponent that are not visible yet: when each was sent, and where its time goes."""

    async def read(self) -> None:
        """Read what is new in the match."""
        self.take(await self.connection.request("GET", f"{self.path}?since={self.state['last']}"))

    def action(self, chance: Random) -> Json:
        """What the page sends: what its player decides, as a sign of life, with the seat that it was given last."""
        seat = {"seat": self.state["seat"]} if self.state.get("seat") else {}
        return decision(self.state, chance) | {"after": self.state["last"], **SIGN, **seat}

    def take_content(self, seq: int, content: Json | None) -> None:
        """Show what the stream has sent, unless something before is missing or a play is to be chosen."""
        if self.acts or content is None or seq != self.state["seq"] + 1:
            return
        is_next = content["actions"][0]["seq"] == self.state["last"] + 1
        if is_next and (content["turn"], content["phase"]) != (self.side, "to_play"):
            self.take(self.state | content | {"may": content["may"][self.side], "graph": None, "seq": seq})

    def take(self, state: Json) -> None:
        """Show a state, unless a newer one is shown already."""
        if state["seq"] < self.state["seq"]:
            return
        self.state = state
        now = monotonic()
        for number in [number for number in self.waiting if number <= state["last"]]:
            sent_at, times = self.waiting.pop(number)
            times.append(now - sent_at)

    async def watch(self, figures: LiveFigures) -> None:
        """Keep a stream open and read the match whenever the stream has not sent all of a change."""
        reading = asyncio.create_task(self._follow(figures))
        try:
            while True:
                try:
                    async for name, data in events(self.port, f"/live/?topic=match:{self.match_id}", self.headers):
                        if name == "message":
                            self.streamed = max(self.streamed, data["seq"])
                            self.take_content(data["seq"], data.get("content"))
                            self.changed.set()
                except (OSError, EOFError, HttpProblem) as error:
                    figures.errors[f"stream: {type(error).__name__}"] += 1
                await asyncio.sleep(RECONNECT_AFTER)
        finally:
            reading.cancel()

    async def _follow(self, figures: LiveFigures) -> None:
        while True:
            await self.changed.wait()
            self.changed.clear()
            if self.state["seq"] < self.streamed and not self.acts:
                try:
                    await self.read()
                except (OSError, EOFError, HttpProblem) as error:
                    figures.errors[f"read: {error}"] += 1
                    # As the page does.
                    await asyncio.sleep(READ_AGAIN_AFTER)
                    self.changed.set()

    async def ping(self, figures: LiveFigures, chance: Random) -> None:
        """Show that the page is open where no action has, and measure the lag."""
        self.signed_at = self.measured_at = monotonic() - chance.uniform(0, SIGN_EVERY)
        while True:
            await asyncio.sleep(self.signed_at + SIGN_EVERY - monotonic())
            if monotonic() < self.signed_at + SIGN_EVERY:
                continue
            self.signed_at = monotonic()
            is_measured = self.signed_at < self.measured_at + MEASURE_EVERY
            await self._exchange("", 1 if is_measured else 2, figures)

    async def has_acted(self, figures: LiveFigures) -> None:
        """Take an action as a sign of life, and measure the lag with its answer if that is due."""
        self.signed_at = monotonic()
        if self.signed_at >= self.measured_at + MEASURE_EVERY and self.state["ping"]:
            await self._exchange(self.state["ping"], 1, figures)

    async def _exchange(self, ping: str, times: int, figures: LiveFigures) -> None:
        for _ in range(times):
            try:
                answer = await self._send_ping({"ping": ping, **SIGN})
            except (OSError, EOFError, HttpProblem) as error:
                figures.errors[f"ping: {error}"] += 1
                return
            if ping:
                self.measured_at = monotonic()
            ping = answer["ping"]

    async def _send_ping(self, sign: Json) -> Json:
        path = f"{self.path}ping/"
        if monotonic() < self.ticket_from + TICKET_LASTS:
            answer: Json = await self.without_cookies.request("POST", path, sign | {"ticket": self.ticket})
        else:
            answer = await self.connection.request("POST", path, sign)
            self.ticket, self.ticket_from = answer["ticket"], monotonic()
        return answer


class LiveTable:
    _keys = itertools.count()

    def __init__(self, match: Json, port: int, chance: Random) -> None:
        self.players = [LivePlayer(match["id"], side, session, port) for side, session in enumerate(match["sessions"])]
        self.chance = chance
        self.acknowledged = 0
        """The number of the last action that was acknowledged."""

    async def play(self, first_at: float, every: float, until: float, figures: LiveFigures) -> None:
        """Act every so many seconds; each time counts from when the action was to be sent."""
        for number in itertools.count():
            due_at = first_at + number * every
            if due_at >= until:
                return
            await asyncio.sleep(due_at - monotonic())
            await self.act(due_at, figures)

    async def act(self, due_at: float, figures: LiveFigures) -> None:
        """Let whoever has to act do so; its time counts from `due_at`."""
        player = self.to_act
        if player is None:
            figures.late += 1
            return
        opponent = self.players[1 - player.side]
        body = player.action(self.chance)
        player.acts = True
        try:
            key = f"Idempotency-Key: {next(self._keys)}\r\n"
            state = await player.connection.request("POST", f"{player.path}actions/", body, key)
        except (OSError, EOFError, HttpProblem) as error:
            figures.errors[f"{body['kind']}: {error}"] += 1
            return
        finally:
            player.acts = False
            player.changed.set()
        figures.acknowledged.append(monotonic() - due_at)
        self.acknowledged = state["last"]
        opponent.waiting[state["last"]] = due_at, figures.visible
        # The opponent may have read it already.
        opponent.take(opponent.state)
        player.take(state)
        await player.has_acted(figures)

    @property
    def to_act(self) -> LivePlayer | None:
        """Whoever has to act and knows it."""
        for player in self.players:
            may = set(player.state.get("may", ())) & {"ready", "roll", "play", "take"}
            if may and player.state["last"] >= self.acknowledged:
                return player
        return None

    @property
    def lost(self) -> int:
        """How many actions have not become visible to the opponent."""
        return sum(len(player.waiting) for player in self.players)


def decision(state: Json, chance: Random) -> Json:
    """What a player does next."""
    may = state["may"]
    if "play" in may:
        return {"kind": "play", "play": any_play(state["graph"], chance)}
    if "double" in may and chance.random() < DOUBLE_CHANCE:
        return {"kind": "double"}
    return {"kind": next(kind for kind in ("take", "roll", "ready") if kind in may), "play_forced": True}


def any_play(graph: list[Json], chance: Random) -> str:
    """Walk the graph of legal steps to its end; return the play in notation."""
    node, steps = graph[0], []
    while not node["complete"]:
        edge = chance.choice(node["edges"])
        steps.append(f"{edge['from']}/{edge['to']}")
        node = graph[edge["node"]]
    return " ".join(steps)


# Streams that only watch: when each change of a match reaches each of them.


AT_ONCE = 8
"""Streams that are opened at once; the server authorises no more."""
SEQ = re.compile(rb'"seq": (\d+)')


class Spectator(asyncio.Protocol):
    """One open stream of a match, as cheap as it gets: 500 of them share a core."""

    def __init__(self, path: str, arrivals: dict[int, list[float]]) -> None:
        self._path = path
        self._arrivals = arrivals
        self._transport: asyncio.Transport | None = None
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101, of TCP it is
        self._transport = transport
        transport.write(f"GET {self._path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        """Note when each number arrived; the first one is the current number."""
        now = monotonic()
        if not self.opened.done():
            if data.startswith(b"HTTP/1.1") and not data.startswith(b"HTTP/1.1 200"):
                self.opened.set_exception(ConnectionError(data[:200].decode("latin-1")))
            elif SEQ.search(data):
                self.opened.set_result(None)
            else:
                return
        for seq in SEQ.findall(data):
            self._arrivals[int(seq)].append(now)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the stream has ended."""
        self.lost = True

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


class LiveAudience:
    """Many spectators of one match; a context manager that sends them home at its end."""

    def __init__(self, match_id: str, ports: list[int], count: int) -> None:
        self._path = f"/live/?topic=match:{match_id}"
        self._ports = ports
        self._count = count
        self.arrivals: dict[int, list[float]] = defaultdict(list)
        """When each number of the match arrived, once for each spectator."""
        self.spectators: list[Spectator] = []

    async def __aenter__(self) -> "LiveAudience":
        turns = asyncio.Semaphore(AT_ONCE)
        self.spectators = list(await asyncio.gather(*(self._open(number, turns) for number in range(self._count))))
        self.arrivals.clear()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for spectator in self.spectators:
            spectator.close()

    async def _open(self, number: int, turns: asyncio.Semaphore) -> Spectator:
        async with turns:
            port = self._ports[number % len(self._ports)]
            loop = asyncio.get_running_loop()
            _, spectator = await loop.create_connection(lambda: Spectator(self._path, self.arrivals), HOST, port)
            await spectator.opened
            return spectator

    @property
    def lost(self) -> int:
        """How many streams have ended."""
        return sum(spectator.lost for spectator in self.spectators)


# On SQLite, or on the PostgreSQL server that DATABASE_URL names, in a database of its own. The players' pages behave
# as the real ones: a stream each, a read for each change by the opponent, signs of life. An action counts from the
# moment it was to be sent. Client, server and database share the machine.


SEED = 1975
MATCHES, EVERY = 200, 5.0
"""Matches at once, and seconds between two actions of one: 40 actions a second."""
WARM_UP = 10.0
SECONDS = 30.0
SPECTATORS, STREAMS = 500, 1_000
SHOWN_ACTIONS, SHOWN_EVERY = 40, 0.5
RAMP, RAMP_SECONDS = (10, 20, 30, 40, 60, 80, 100, 120, 150, 200, 250), 10.0
SUSTAINED_WITHIN = 0.250
"""A rate is sustained if p99 of visible is below this, without errors, and 99 of 100 actions could be sent on time."""


class LiveField:
    def __init__(self, matches: Sequence[Json], ports: Sequence[int], chance: Random) -> None:
        self.chance = chance
        self.tables = [LiveTable(match, ports[number % len(ports)], chance) for number, match in enumerate(matches)]
        self.figures = LiveFigures()
        self._pages: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Open the pages, a few at a time."""
        players = [player for table in self.tables for player in table.players]
        for first in range(0, len(players), 8):
            group = players[first : first + 8]
            await asyncio.gather(*(player.read() for player in group))
            self._pages += [asyncio.create_task(player.watch(self.figures)) for player in group]
            self._pages += [asyncio.create_task(player.ping(self.figures, self.chance)) for player in group]
        await asyncio.sleep(2)

    async def play(self, *, rate: float, seconds: float) -> LiveFigures:
        """Play at so many actions a second in all, and return what was measured."""
        figures = self.figures = LiveFigures()
        every = len(self.tables) / rate
        began = monotonic() + 0.1
        starts = [began + number * every / len(self.tables) for number in range(len(self.tables))]
        plays = (
            table.play(start, every, began + seconds, figures) for table, start in zip(self.tables, starts, strict=True)
        )
        await asyncio.gather(*plays)
        await asyncio.sleep(1)
        return figures

    @property
    def lost(self) -> int:
        """How many actions have never become visible to the opponent."""
        return sum(table.lost for table in self.tables)

    async def close(self) -> None:
        for page in self._pages:
            page.cancel()
        await asyncio.gather(*self._pages, return_exceptions=True)


def milliseconds(times: Sequence[float]) -> str:
    """Return p50 and p99 of times in seconds."""
    if len(times) < 2:
        return "        too few   "
    cuts = quantiles(times, n=100)
    return f"{cuts[49] * 1000:6.1f} {cuts[98] * 1000:7.1f} ms"


def show(label: str, figures: LiveFigures, lost: int, cpu: str) -> None:
    errors = sum(figures.errors.values())
    print(
        f"  {label:<26} {milliseconds(figures.acknowledged)}   {milliseconds(figures.visible)}"
        f"  {len(figures.acknowledged):>6} {errors:>6} {figures.late:>5} {lost:>5}   {cpu}   {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    for error, times in figures.errors.most_common(3):
        print(f"      {times} × {error[:160]}")


class Meter:
    """The share of a core that each process has used since the meter was made."""

    def __init__(self, running: LiveInstallation) -> None:
        self._running, self._began, self._before = running, monotonic(), running.cpu_seconds()

    def __str__(self) -> str:
        seconds = monotonic() - self._began
        used = self._running.cpu_seconds()
        shares = {name: (used[name] - self._before.get(name, 0.0)) / seconds for name in used}
        return ", ".join(f"{name} {share:.0%}" for name, share in shares.items() if share > 0.02)


async def measure_play(running: LiveInstallation, field: LiveField, label: str) -> None:
    """Print the figures of the rate of the target."""
    rate = MATCHES / EVERY
    await field.play(rate=rate, seconds=WARM_UP)
    for attempt in range(3):
        meter = Meter(running)
        figures = await field.play(rate=rate, seconds=SECONDS)
        show(f"{label}, {rate:.0f}/s, run {attempt + 1}", figures, field.lost, str(meter))


async def measure_ramp(running: LiveInstallation, field: LiveField, label: str) -> float:
    """Raise the rate until it is no longer sustained; return the highest that was."""
    highest = 0.0
    for rate in RAMP:
        meter = Meter(running)
        figures = await field.play(rate=rate, seconds=RAMP_SECONDS)
        show(f"{label}, {rate}/s", figures, field.lost, str(meter))
        if not is_sustained(figures):
            break
        highest = rate
    return highest


def is_sustained(figures: LiveFigures) -> bool:
    is_fast = len(figures.visible) > 1 and quantiles(figures.visible, n=100)[98] < SUSTAINED_WITHIN
    return is_fast and not figures.errors and figures.late < len(figures.acknowledged) / 100


async def measure_fan_out(running: LiveInstallation, match: Json, chance: Random) -> None:
    """Print when the actions of one match reach all its spectators, after they were published and after being sent."""
    table = LiveTable(match, running.ports[0], chance)
    figures = LiveFigures()
    for player in table.players:
        await player.read()
    published: dict[int, float] = {}
    sent: dict[int, float] = {}
    listening = asyncio.create_task(_listen(running.env["REDIS_URL"], match["id"], published))
    meter = Meter(running)
    async with LiveAudience(match["id"], running.ports, SPECTATORS) as audience:
        for number in count():
            if number == SHOWN_ACTIONS:
                break
            await asyncio.sleep(SHOWN_EVERY)
            began = monotonic()
            await table.act(began, figures)
            for player in table.players:
                await player.read()
            sent[table.players[0].state["seq"]] = began
        await asyncio.sleep(1)
        arrivals, lost = dict(audience.arrivals), audience.lost
    listening.cancel()
    with suppress(asyncio.CancelledError):
        await listening
    complete = sum(len(arrivals.get(seq, ())) == SPECTATORS for seq in sent)
    print(f"\n  {SPECTATORS} spectators of one match, {len(sent)} actions, {complete} of them seen by all, ", end="")
    print(f"{lost} streams lost, {sum(figures.errors.values())} errors; {meter}; load {os.getloadavg()[0]:.1f}")
    for label, since in (("published", published), ("sent", sent)):
        times = [at - since[seq] for seq in sent if seq in since for at in arrivals.get(seq, ())]
        print(f"  {'after it was ' + label:<26} {milliseconds(times)}", flush=True)


async def _listen(url: str, match_id: str, published: dict[int, float]) -> None:
    """Note when each number of a match is published."""
    async with Redis.from_url(url) as client, client.pubsub() as pubsub:
        await pubsub.subscribe(f"{CHANNEL}match:{match_id}")
        async for message in pubsub.listen():
            if message["type"] == "message":
                published.setdefault(int(message["data"].split()[0]), monotonic())


async def measure_streams(running: LiveInstallation, match_id: str) -> None:
    """Print how many connections to the database many open streams hold."""
    before = running.connections()
    began = monotonic()
    async with LiveAudience(match_id, running.ports, STREAMS) as audience:
        took = monotonic() - began
        await asyncio.sleep(1)
        during = running.connections()
        print(f"\n  {STREAMS} streams opened in {took:.1f} s, {audience.lost} lost; ", end="")
        print(f"connections to the database {before} before, {during} with all streams open", flush=True)


async def run(running: LiveInstallation, parts: Sequence[str]) -> None:
    """Measure one part after the other."""
    matches = running.prepare(MATCHES + 1)
    chance = Random(SEED)  # noqa: S311, a run that can be repeated
    *played, shown = matches
    if "fan-out" in parts:
        await measure_fan_out(running, shown, chance)
    if "streams" in parts:
        await measure_streams(running, shown["id"])
    highest = 0.0
    if {"play", "ramp"} & set(parts):
        print(HEAD)
        highest = await _play(running, played, chance, parts, "one web process")
    if "two" in parts:
        running.add_web()
        twice = await _play(running, played, chance, parts, "two web processes")
        if highest:
            print(
                f"\n  Sustained: {highest:.0f} actions a second by one, {twice:.0f} by two: {twice / highest:.1f} times"
            )


async def _play(
    running: LiveInstallation, matches: Sequence[Json], chance: Random, parts: Sequence[str], label: str
) -> float:
    field = LiveField(matches, running.ports, chance)
    await field.open()
    try:
        if "play" in parts:
            await measure_play(running, field, label)
        return await measure_ramp(running, field, label) if "ramp" in parts else 0.0
    except HttpProblem as problem:
        raise SystemExit(str(problem)) from None
    finally:
        await field.close()


PARTS = ("fan-out", "streams", "play", "ramp", "two")
HEAD = (
    f"\n  {'':<26} {'acknowledged':<19} {'visible to opponent':<19} {'count':>6} {'errors':>6} {'late':>5} {'lost':>5}"
    f"   share of a core   load\n  {'':<26} {'p50      p99':>17} {'p50      p99':>20}"
)


def main() -> None:
    """Print the figures of the parts that are chosen."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_live", description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all of them if none is named")
    parts = parser.parse_args().parts or PARTS
    url = os.environ.get("DATABASE_URL")
    with installation(url) as running:
        print(
            f"{MATCHES} matches, an action every {EVERY:.0f} s each, {'PostgreSQL' if url else 'SQLite'}, seed {SEED}"
        )
        asyncio.run(run(running, parts))


if __name__ == "__main__":
    main()
