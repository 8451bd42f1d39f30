"""Matches between two players each, whose pages behave as the real ones: a stream, reads where needed, pings."""

import asyncio
import itertools
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any

from benchmarks.live.http import Connection, Problem, events

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
class Figures:
    """What was measured, in seconds."""

    acknowledged: list[float] = field(default_factory=list)
    visible: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    late: int = 0
    """Actions that were not sent on time, since what precedes them was not visible yet."""


class Player:
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

    async def watch(self, figures: Figures) -> None:
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
                except (OSError, EOFError, Problem) as error:
                    figures.errors[f"stream: {type(error).__name__}"] += 1
                await asyncio.sleep(RECONNECT_AFTER)
        finally:
            reading.cancel()

    async def _follow(self, figures: Figures) -> None:
        while True:
            await self.changed.wait()
            self.changed.clear()
            if self.state["seq"] < self.streamed and not self.acts:
                try:
                    await self.read()
                except (OSError, EOFError, Problem) as error:
                    figures.errors[f"read: {error}"] += 1
                    # As the page does.
                    await asyncio.sleep(READ_AGAIN_AFTER)
                    self.changed.set()

    async def ping(self, figures: Figures, chance: Random) -> None:
        """Show that the page is open where no action has, and measure the lag."""
        self.signed_at = self.measured_at = monotonic() - chance.uniform(0, SIGN_EVERY)
        while True:
            await asyncio.sleep(self.signed_at + SIGN_EVERY - monotonic())
            if monotonic() < self.signed_at + SIGN_EVERY:
                continue
            self.signed_at = monotonic()
            is_measured = self.signed_at < self.measured_at + MEASURE_EVERY
            await self._exchange("", 1 if is_measured else 2, figures)

    async def has_acted(self, figures: Figures) -> None:
        """Take an action as a sign of life, and measure the lag with its answer if that is due."""
        self.signed_at = monotonic()
        if self.signed_at >= self.measured_at + MEASURE_EVERY and self.state["ping"]:
            await self._exchange(self.state["ping"], 1, figures)

    async def _exchange(self, ping: str, times: int, figures: Figures) -> None:
        for _ in range(times):
            try:
                answer = await self._send_ping({"ping": ping, **SIGN})
            except (OSError, EOFError, Problem) as error:
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


class Table:
    """A match between two players."""

    _keys = itertools.count()

    def __init__(self, match: Json, port: int, chance: Random) -> None:
        self.players = [Player(match["id"], side, session, port) for side, session in enumerate(match["sessions"])]
        self.chance = chance
        self.acknowledged = 0
        """The number of the last action that was acknowledged."""

    async def play(self, first_at: float, every: float, until: float, figures: Figures) -> None:
        """Act every so many seconds; each time counts from when the action was to be sent."""
        for number in itertools.count():
            due_at = first_at + number * every
            if due_at >= until:
                return
            await asyncio.sleep(due_at - monotonic())
            await self.act(due_at, figures)

    async def act(self, due_at: float, figures: Figures) -> None:
        """Let whoever has to act do so; its time counts from `due_at`."""
        player = self.to_act
        if player is None:
            figures.late += 1
            return
        opponent = self.players[1 - player.side]
        body = decision(player.state, self.chance) | {"after": player.state["last"], **SIGN}
        player.acts = True
        try:
            key = f"Idempotency-Key: {next(self._keys)}\r\n"
            state = await player.connection.request("POST", f"{player.path}actions/", body, key)
        except (OSError, EOFError, Problem) as error:
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
    def to_act(self) -> Player | None:
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
