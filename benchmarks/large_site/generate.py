"""Fill the configured, empty database: `python -m benchmarks.large_site.generate [--matches 200000 …]`.

Past matches are written in bulk through the models, events through the services. The seed makes it repeatable.
Afterwards the ratings are replayed and the integrity of a club with played events is checked.
"""

import argparse
import os
import sys
from datetime import timedelta
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import django

if TYPE_CHECKING:
    from datetime import datetime

    from matches.models import Match, Result
    from players.models import Club, Player
    from tournaments.models import Division

SEED = 1975
BATCH = 2_000
YEARS = 5
LENGTHS = (5, 7, 9, 11, 13)
FIELD, LENGTH = 32, 7
"""Entries of an event, and the points of its matches."""
FIRST = ("Elif", "Omar", "Uma", "Mei", "Anna", "Ben", "Zoe", "Victor", "Kit", "Gus", "Quinn", "Aki", "Søren", "Íngrid")
LAST = ("Ristic", "Kageyama", "Tomar", "Wright", "Lylloff", "Ballard", "Gulyas", "Weinberg", "Simonsen", "Okafor")


class Size(NamedTuple):
    players: int
    matches: int
    events: int
    played: int
    """Events that are played to their end; the others are drawn."""
    clubs: int


def generate(size: Size) -> None:
    """Create everything, printing what was done and how long it took."""
    from django.utils import timezone

    from matches.ratings import services as ratings

    chance, now = Random(SEED), timezone.now()  # noqa: S311, a run that can be repeated
    began = monotonic()

    def say(text: str) -> None:
        print(f"  {monotonic() - began:7.1f} s  {text}", flush=True)

    clubs = _clubs(size.clubs)
    players = _players(size.players, clubs, chance)
    say(f"{len(players)} players in {len(clubs)} clubs")
    for first in range(0, size.matches, BATCH):
        _past_matches(players, clubs, min(BATCH, size.matches - first), first / size.matches, chance, now)
    say(f"{size.matches} past matches")
    for number in range(size.events):
        division = _event(clubs[number % len(clubs)], players, number, chance, now)
        if number < size.played:
            _play(division, chance, now)
    say(f"{size.events} events, {size.played} of them played")
    ratings.replay_pool(pool_id=ratings.default_pool().pk, now=now)
    say("ratings replayed")


def _clubs(count: int) -> "list[Club]":
    from players.models import Club

    rows = [
        Club(name=f"Club {number}", slug=f"club-{number}", time_zone="Europe/Copenhagen") for number in range(count)
    ]
    return Club.objects.bulk_create(rows)


def _players(count: int, clubs: "list[Club]", chance: Random) -> "list[Player]":
    from players.models import Membership, Player

    names = [f"{chance.choice(FIRST)} {chance.choice(LAST)} {number}" for number in range(count)]
    players = Player.objects.bulk_create([Player(name=name) for name in names], batch_size=BATCH)
    memberships = [Membership(club=clubs[at % len(clubs)], player=player) for at, player in enumerate(players)]
    Membership.objects.bulk_create(memberships, batch_size=BATCH)
    return players


def _past_matches(
    players: "list[Player]", clubs: "list[Club]", count: int, share: float, chance: Random, now: "datetime"
) -> None:
    """Create settled matches that ended `share` of the way through the years; regulars play more than others."""
    from matches.lifecycle.opening import MatchSettings, Opening, open_matches
    from matches.models import Match, Result
    from matches.ratings.services import mark_all_dirty
    from players.actors import SYSTEM

    club = chance.choice(clubs)
    openings = []
    for _ in range(count):
        winner = players[int(len(players) * chance.random() ** 3)]
        loser = winner
        while loser is winner:
            loser = players[int(len(players) * chance.random() ** 2)]
        openings.append(Opening((winner, loser), chance.choice(LENGTHS)))
    start = now - timedelta(days=365 * YEARS * (1 - share))
    matches = open_matches(openings, settings=MatchSettings(club=club), by=SYSTEM, now=start)
    results = []
    for number, match in enumerate(matches):
        match.state, match.seq = Match.State.SETTLED, 1
        match.begun_at = match.finished_at = start + timedelta(seconds=number)
        score = (match.length, chance.randrange(match.length))
        results.append(_result(match, score))
    Match.objects.bulk_update(matches, ["state", "begun_at", "finished_at", "seq"], batch_size=500)
    Result.objects.bulk_create(results, batch_size=500)
    mark_all_dirty(matches)


def _result(match: "Match", score: tuple[int, int]) -> "Result":
    from matches.models import Result

    return Result(
        match=match,
        version=1,
        winner=0,
        score_0=score[0],
        score_1=score[1],
        kind=Result.Kind.PLAYED,
        source=Result.Source.DIRECTOR,
        by="system",
        at=match.finished_at or match.created_at,
    )


def _event(club: "Club", players: "list[Player]", number: int, chance: Random, now: "datetime") -> "Division":
    """Create an event with a published draw of its only division."""
    from players.actors import SYSTEM
    from tournaments.draws import services as draws
    from tournaments.entries import services as entries
    from tournaments.events import services as events

    start = now - timedelta(days=number)
    event = events.create_tournament(club=club, by=SYSTEM, now=start, name=f"Cup {number}", starts_at=start)
    division = events.create_division(tournament=event, by=SYSTEM, now=start, name="Open", match_length=LENGTH)
    entries.enter(division=division, players=chance.sample(players[:2000], FIELD), by=SYSTEM, now=start)
    events.publish_tournament(tournament=event, by=SYSTEM, now=start)
    draw = draws.request_draw(division=division, by=SYSTEM, now=start)
    draws.make_draft(draw_id=draw.pk, now=start)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=start)
    return division


def _play(division: "Division", chance: Random, now: "datetime") -> None:
    """Enter every result."""
    from matches.lifecycle.finish import ResultInput
    from players.actors import SYSTEM
    from tournaments.models import Fixture
    from tournaments.results import services as results

    while ready := list(Fixture.objects.filter(stage__division=division, status="ready").select_related("stage")):
        for fixture in ready:
            score = (LENGTH, chance.randrange(LENGTH))
            result = ResultInput.played(score if chance.random() < 0.5 else score[::-1])
            results.enter_result(fixture=fixture, result=result, by=SYSTEM, now=now)


def main() -> None:
    """Generate, then check the integrity of one club."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_site.generate", description=__doc__)
    for name, number in Size(20_000, 200_000, 130, 10, 40)._asdict().items():
        parser.add_argument(f"--{name}", type=int, default=number)
    size = Size(**vars(parser.parse_args()))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("BARPOINT_PROFILE", "local")
    django.setup()
    from django.core.management import call_command

    from players.models import Player

    if Player.objects.exists():
        sys.exit("The database is not empty.")
    generate(size)
    call_command("check_integrity", club="club-0")


if __name__ == "__main__":
    main()
