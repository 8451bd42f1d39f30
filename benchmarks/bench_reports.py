"""Fifty players report at the same moment, twenty times, in divisions of 128: the slowest acknowledged of each time.

Then both players of 100 matches report the same score at the same moment; every match must end with one result. On
SQLite with one web process, or on the PostgreSQL server that DATABASE_URL names with two. Each report comes by the
personal link of its player and from an IP address of its own.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from time import monotonic, sleep
from typing import Any, NamedTuple

import django

from benchmarks.live.http import Connection, HttpProblem
from benchmarks.live.installation import ROOT, installation

ROUNDS, AT_ONCE, PLAYERS, LENGTH = 20, 50, 128, 7
OPENED_AT_ONCE = 16
BOTH_REPORT = 100
"""Matches that both players report at once."""
RETRIED = {409: 0.0, 503: 1.0}
"""Answers after which the page reads the match and sends the report again, and the seconds until then."""
TRIES = 20


class SentReport(NamedTuple):
    """A player's report of a match, with the number of the match that their page shows."""

    match_id: str
    side: int
    link: str
    after: int


def prepare() -> list[list[SentReport]]:
    """Create a drawn division for each round, and a larger one last; return the reports of each."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from django.utils import timezone

    from players.actors import SYSTEM
    from players.models import Club, Player
    from tournaments.events import services as events

    now = timezone.now()
    club = Club.objects.create(name="Harbour", slug="harbour")
    event = events.create_tournament(club=club, by=SYSTEM, now=now, name="Cup", starts_at=now)
    players = Player.objects.bulk_create([Player(name=f"Player {number}") for number in range(2 * PLAYERS)])
    rounds = [_reports(event, number, players[:PLAYERS], AT_ONCE, sides=(0,)) for number in range(ROUNDS)]
    return [*rounds, _reports(event, ROUNDS, players, BOTH_REPORT, sides=(0, 1))]


def _reports(event: Any, number: int, players: list[Any], count: int, *, sides: tuple[int, ...]) -> list[SentReport]:
    """Draw a division, and return reports of the first `count` matches by these sides."""
    from django.utils import timezone

    from matches.lifecycle import links
    from matches.models import Match
    from players.actors import SYSTEM
    from tournaments.draws import services as draws
    from tournaments.entries import services as entries
    from tournaments.events import services as events
    from tournaments.models import Draw

    now = timezone.now()
    division = events.create_division(tournament=event, by=SYSTEM, now=now, name=f"{number}", match_length=LENGTH)
    entries.enter(division=division, players=players, by=SYSTEM, now=now)
    if not number:
        events.publish_tournament(tournament=event, by=SYSTEM, now=now)
    draw = draws.request_draw(division=division, by=SYSTEM, now=now)
    while draw.state == Draw.State.REQUESTED:
        # A worker of the installation may have claimed it before.
        draws.make_draft(draw_id=draw.pk, now=timezone.now())
        sleep(0.05)
        draw.refresh_from_db()
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=now)
    opened = Match.objects.filter(parent_topic=division.topic, state=Match.State.OPEN).order_by("pk")[:count]
    return [
        SentReport(match.public_id, side, links.token_for(match, side), match.seq) for match in opened for side in sides
    ]


class Phone:
    """The page of one player, which sends a report until it is acknowledged."""

    def __init__(self, port: int, report: SentReport, address: str) -> None:
        self.report = report
        self.connection = Connection(port, {"Match-Link": report.link, "X-Forwarded-For": address, "Accept": "*/*"})
        self.path = f"/api/v1/matches/{report.match_id}/"
        self.retried: Counter[int] = Counter()

    async def open(self) -> None:
        """Read the match."""
        await self.connection.request("GET", self.path)

    async def send(self, began: float) -> float:
        """Return the seconds since `began` when the report was acknowledged."""
        after = self.report.after
        for _ in range(TRIES):
            if await self._request("POST", f"{self.path}claims/", {"score": [LENGTH, 3], "after": after}):
                return monotonic() - began
            match = await self._request("GET", self.path)
            if match and match["state"] == "settled":
                return monotonic() - began
            after = match["seq"] if match else after
        raise SystemExit(f"{self.path}: the report was not acknowledged; {self.retried}")

    async def _request(self, method: str, path: str, body: Any = None) -> Any:
        """Return the answer; None after a moment if the request may be sent again."""
        try:
            return await self.connection.request(method, path, body)
        except HttpProblem as problem:
            if problem.status not in RETRIED:
                raise
            self.retried[problem.status] += 1
            await asyncio.sleep(RETRIED[problem.status])
            return None


async def report_at_once(ports: list[int], number: int, reports: list[SentReport]) -> tuple[float, Counter[int]]:
    """Return the seconds until the last of these reports was acknowledged, and the answers that were retried."""
    phones = [
        Phone(ports[at % len(ports)], report, f"10.{number}.{at // 250}.{at % 250}")
        for at, report in enumerate(reports)
    ]
    # Whoever reports has opened the match before, though not all at once.
    for first in range(0, len(phones), OPENED_AT_ONCE):
        await asyncio.gather(*(phone.open() for phone in phones[first : first + OPENED_AT_ONCE]))
    began = monotonic()
    times = await asyncio.gather(*(phone.send(began) for phone in phones))
    for phone in phones:
        await phone.connection.close()
    return max(times), sum((phone.retried for phone in phones), Counter())


async def results(port: int, reports: list[SentReport]) -> Counter[str]:
    """Count the matches by state and score."""
    connection = Connection(port, {"Accept": "*/*"})
    counts: Counter[str] = Counter()
    for match_id in {report.match_id for report in reports}:
        match = await connection.request("GET", f"/api/v1/matches/{match_id}/")
        counts[f"{match['state']} {match['result'] and match['result']['score']}"] += 1
    await connection.close()
    return counts


def main() -> None:
    if sys.argv[1:] == ["prepare"]:
        print(json.dumps(prepare()))
        return
    url = os.environ.get("DATABASE_URL")
    with installation(url) as running:
        command = [sys.executable, "-m", "benchmarks.bench_reports", "prepare"]
        done = subprocess.run(command, cwd=ROOT, env=running.env, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise SystemExit(done.stderr)
        *rounds, both = [[SentReport(*row) for row in reports] for reports in json.loads(done.stdout)]
        if url:
            running.add_web()
        asyncio.run(measure(running.ports, rounds, both))


async def measure(ports: list[int], rounds: list[list[SentReport]], both: list[SentReport]) -> None:
    """Print the times; exit with 1 unless each match that both players reported ended with their score."""
    print(f"{ROUNDS} times {AT_ONCE} reports at once, {'PostgreSQL' if os.environ.get('DATABASE_URL') else 'SQLite'}")
    slowest = sorted([(await report_at_once(ports, number, reports))[0] for number, reports in enumerate(rounds)])
    median = slowest[len(slowest) // 2]
    print(f"  slowest of each time: median {median:.2f} s, worst {slowest[-1]:.2f} s; load {os.getloadavg()[0]:.1f}")
    taken, retried = await report_at_once(ports, ROUNDS, both)
    counts = await results(ports[0], both)
    print(f"  {len(both)} phones at once, both sides of {BOTH_REPORT} matches: {taken:.2f} s; retried {dict(retried)}")
    print(f"  matches afterwards: {dict(counts)}")
    if counts != {f"settled {[LENGTH, 3]}": BOTH_REPORT}:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
