"""Fifty players report at the same moment, twenty times, in divisions of 128: the slowest acknowledged of each time.

On SQLite, or on the PostgreSQL server that DATABASE_URL names, with one web process. Each report comes by the personal
link of its player and from an IP address of its own.
"""

import asyncio
import json
import os
import subprocess
import sys
from time import monotonic

import django

from benchmarks.live.http import Connection
from benchmarks.live.installation import ROOT, installation

ROUNDS, AT_ONCE, PLAYERS, LENGTH = 20, 50, 128, 7


def prepare() -> list[list[tuple[str, str, int]]]:
    """Create a drawn division for each round; return id, link and `after` of its matches."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from django.utils import timezone

    from matches.lifecycle import links
    from matches.models import Match
    from players.actors import SYSTEM
    from players.models import Club, Player
    from tournaments.draws.services import draws
    from tournaments.entries.services import entries
    from tournaments.events.services import events

    now = timezone.now()
    club = Club.objects.create(name="Harbour", slug="harbour")
    event = events.create_tournament(club=club, by=SYSTEM, now=now, name="Cup", starts_at=now)
    players = Player.objects.bulk_create([Player(name=f"Player {number}") for number in range(PLAYERS)])
    rounds = []
    for number in range(ROUNDS):
        division = events.create_division(tournament=event, by=SYSTEM, now=now, name=f"{number}", match_length=LENGTH)
        entries.enter(division=division, players=players, by=SYSTEM, now=now)
        if not number:
            events.publish_tournament(tournament=event, by=SYSTEM, now=now)
        draw = draws.request_draw(division=division, by=SYSTEM, now=now)
        draws.make_draft(draw_id=draw.pk, now=now)
        division.refresh_from_db()
        draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=now)
        opened = Match.objects.filter(parent_topic=division.topic, state=Match.State.OPEN).order_by("pk")[:AT_ONCE]
        rounds.append([(match.public_id, links.token_for(match, 0), match.seq) for match in opened])
    return rounds


async def report(port: int, rounds: list[list[tuple[str, str, int]]]) -> list[float]:
    """Send the reports of each round at once; return the slowest answers in seconds."""
    slowest = []
    for number, matches in enumerate(rounds):
        readers = [
            Connection(port, {"Match-Link": link, "X-Forwarded-For": f"10.0.{number}.{at}", "Accept": "*/*"})
            for at, (_, link, _) in enumerate(matches)
        ]
        began = monotonic()
        taken = await asyncio.gather(
            *(_one(reader, match, began) for reader, match in zip(readers, matches, strict=True))
        )
        slowest.append(max(taken))
        for reader in readers:
            await reader.close()
    return slowest


async def _one(reader: Connection, match: tuple[str, str, int], began: float) -> float:
    public_id, _, after = match
    body = {"score": [LENGTH, 3], "after": after}
    await reader.request("POST", f"/api/v1/matches/{public_id}/claims/", body)
    return monotonic() - began


def main() -> None:
    """Start an installation, and measure it."""
    if sys.argv[1:] == ["prepare"]:
        print(json.dumps(prepare()))
        return
    url = os.environ.get("DATABASE_URL")
    with installation(url) as running:
        command = [sys.executable, "-m", "benchmarks.bench_reports", "prepare"]
        done = subprocess.run(command, cwd=ROOT, env=running.env, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise SystemExit(done.stderr)
        slowest = sorted(asyncio.run(report(running.ports[0], json.loads(done.stdout))))
        print(f"{ROUNDS} times {AT_ONCE} reports at once, {'PostgreSQL' if url else 'SQLite'}")
        median = slowest[len(slowest) // 2]
        print(
            f"  slowest of each time: median {median:.2f} s, worst {slowest[-1]:.2f} s; load {os.getloadavg()[0]:.1f}"
        )


if __name__ == "__main__":
    main()
