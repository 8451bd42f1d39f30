"""The ten most used routes on the configured database: `python -m benchmarks.large_site.measure [REQUESTS]`.

Run `./manage.py collectstatic` before.
Server time, through Django's test client and without the page cache; the processor time of it, which other work on the
machine hardly changes; and the requests a second.
"""

import os
import sys
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any

import django

WARM_UP = 3


def routes() -> list[tuple[str, str, bool]]:
    """Return label, path and whether somebody is signed in."""
    from matches.models import Match
    from players.models import Player, User
    from tournaments.models import Division, Fixture

    fixture = Fixture.objects.filter(status="done").select_related("stage__division__tournament__club").first()
    division = fixture.stage.division if fixture else Division.objects.select_related("tournament__club").first()
    match = Match.objects.filter(state="settled").order_by("-pk").first()
    if division is None or match is None:
        sys.exit("The database is empty.")
    busiest: Player = match.player_0
    user, _ = User.objects.get_or_create(email="measured@example.org", defaults={"display_name": "Measured"})
    if busiest.user_id not in (None, user.pk):
        sys.exit(f"{busiest.name} has an account: this is no generated site.")
    Player.objects.filter(user=user).update(user=None)
    Player.objects.filter(pk=busiest.pk).update(user=user)
    home = f"/events/{division.tournament.club.slug}/{division.tournament.slug}/"
    page = f"{home}{division.public_id}/"
    return [
        ("home", "/", False),
        ("events", "/events/", False),
        ("event", home, False),
        ("division", page, False),
        ("pairings", f"{page}pairings/", False),
        ("bracket by API", f"/api/v1/divisions/{division.public_id}/bracket/", False),
        ("rankings", "/rankings/", False),
        ("player", f"/players/{busiest.public_id}/", False),
        ("match", f"/matches/{match.public_id}/", True),
        ("my matches", "/my/", True),
    ]


def measure(label: str, path: str, client: Any, requests: int) -> None:
    times, used = [], []
    for _ in range(requests + WARM_UP):
        began, before = perf_counter(), process_time()
        answer = client.get(path)
        times.append((perf_counter() - began) * 1000)
        used.append((process_time() - before) * 1000)
        if answer.status_code != 200:
            sys.exit(f"{path}: {answer.status_code}")
    times = times[WARM_UP:]
    cuts = quantiles(times, n=100)
    rate = 1000 * len(times) / sum(times)
    cpu = median(used[WARM_UP:])
    print(
        f"  {label:<16} p50 {cuts[49]:7.1f} ms  p99 {cuts[98]:7.1f} ms  CPU {cpu:6.1f} ms  {rate:6.0f}/s",
        flush=True,
    )


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("BARPOINT_PROFILE", "local")
    os.environ.setdefault("LOG_LEVEL", "ERROR")
    django.setup()
    from django.db import connection
    from django.test import Client

    from matches.models import Match
    from players.models import Player, User

    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    print(
        f"{Player.objects.count()} players, {Match.objects.count()} matches ({connection.vendor}), {requests} requests"
    )
    anonymous, signed_in = Client(SERVER_NAME="localhost"), Client(SERVER_NAME="localhost")
    paths = routes()
    signed_in.force_login(User.objects.get(email="measured@example.org"))
    for label, path, is_signed_in in paths:
        measure(label, path, signed_in if is_signed_in else anonymous, requests)
    print(f"  load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
