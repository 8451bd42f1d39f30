"""The wall screen: it shows the calls of the floor, all at once while they are fresh."""

import random
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from display.wall import CALLS_ON_SCREEN, FRESH, WallForm, floor_screens, set_wall, short_name
from formats.settings import StageSettings
from matches.reporting import reports
from players.actors import Actor
from players.models import Player
from tests.event_cast import bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import NOON, drawn_as, ready
from tournaments.floor.calls import call, start
from tournaments.floor.evening import open_floor
from tournaments.floor.selectors import floor
from tournaments.floor.state import FloorMatchState
from tournaments.models import Division, Table

__all__ = ["bob_player", "by_alice", "club", "make_division", "make_players", "tournament"]

pytestmark = pytest.mark.django_db
TABLES = 24


@pytest.fixture
def division(make_division: Callable[..., Division], by_alice: Actor) -> Division:
    """A round of 24 matches with as many tables, and a bracket."""
    row = make_division(name="Open", match_length=7)
    field = [Player.objects.create(name=f"Player {number:02}") for number in range(2 * TABLES)]
    drawn_as(row, [StageSettings("knockout")], field, by_alice)
    event = row.tournament
    event.tables = TABLES
    event.save()
    open_floor(tournament=event, by=by_alice, now=NOON)
    return row


def page_of(division: Division, query: str = "") -> str:
    event = division.tournament
    return unescape(Client().get(f"/events/{event.club.slug}/{event.slug}/wall/{query}").content.decode())


def calls_on(page: str) -> list[tuple[str, frozenset[str]]]:
    """The calls on the page: table and names."""
    cards = re.findall(r'<article class="wall-call.*?</article>', page, re.DOTALL)
    return [
        (
            re.findall(r"<b>(.*?)</b>", card)[0],
            frozenset(re.findall(r'"wall-name" dir="auto">(.*?) *\n', card)),
        )
        for card in cards
    ]


@pytest.mark.slow
def test_the_wall_shows_the_calls_of_the_floor(division: Division, by_alice: Actor) -> None:
    event, chance = division.tournament, random.Random(7)
    tables = list(Table.objects.filter(tournament=event))
    chance.shuffle(tables)
    matches = ready(division)
    assert len(matches) == 16, "the others have a bye"
    for fixture, table in zip(matches, tables, strict=False):
        called_at = timezone.now() - timedelta(seconds=chance.randrange(600))
        call(fixture=fixture, table=table, by=by_alice, now=called_at)
        if chance.random() < 0.2:
            start(fixture=fixture, by=by_alice, now=called_at)
        view = floor(event, timezone.now(), staff=False)
        called = [match for match in view.matches.values() if match.state == FloorMatchState.CALLED]
        expected = {(match.where.table, frozenset(match.facts.names)) for match in called}
        page = page_of(division)
        assert set(calls_on(page)) == expected
        assert len(calls_on(page)) == len(expected)
        by_name = calls_on(page_of(division, "?order=name"))
        assert {(table, name) for table, names in by_name for name in names} == {
            (table, name) for table, names in expected for name in names
        }
        fresh = [match for match in called if match.called_at and timezone.now() - match.called_at < FRESH]
        assert page.count("is-fresh") == len(fresh)
        assert ('class="wall-screen is-bracket' in page) == (not fresh)


def test_a_call_names_its_division_where_there_are_several(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    divisions = [make_division(name=name, match_length=5) for name in ("Open", "Speed")]
    event = divisions[0].tournament
    event.tables = 4
    event.save()
    for division in divisions:
        division.tournament = event
        drawn_as(division, [StageSettings("knockout")], make_players(4), by_alice)
    open_floor(tournament=event, by=by_alice, now=NOON)
    call(fixture=ready(divisions[1])[0], by=by_alice, now=timezone.now())
    where = r'wall-call-round">\s*([^<]*?)\s*<'
    assert [text.split(" · ")[0] for text in re.findall(where, page_of(divisions[0]))] == ["Speed"]


@pytest.mark.slow
def test_calls_are_ordered_by_table_or_by_name(division: Division, by_alice: Actor) -> None:
    tables = list(Table.objects.filter(tournament=division.tournament))
    for fixture, table in zip(ready(division), reversed(tables), strict=False):
        call(fixture=fixture, table=table, by=by_alice, now=timezone.now())
    assert [int(table) for table, _names in calls_on(page_of(division))] == list(range(9, 25))
    names = [next(iter(names)) for _table, names in calls_on(page_of(division, "?order=name"))]
    assert len(names) == 32
    assert names == sorted(names)
    assert calls_on(page_of(division, "?order=colour")) == calls_on(page_of(division))


def test_more_calls_than_a_screen_holds_begin_with_the_fresh_ones(
    make_division: Callable[..., Division], by_alice: Actor
) -> None:
    division = make_division(name="Open", match_length=7)
    field = [Player.objects.create(name=f"Player {number:02}") for number in range(2 * TABLES)]
    drawn_as(division, [StageSettings("swiss", rounds=4)], field, by_alice)
    event, now = division.tournament, timezone.now()
    event.tables = TABLES
    event.save()
    open_floor(tournament=event, by=by_alice, now=NOON)
    for index, (fixture, table) in enumerate(zip(ready(division), Table.objects.filter(tournament=event), strict=True)):
        called_at = now if index >= TABLES - 3 else now - 2 * FRESH
        call(fixture=fixture, table=table, by=by_alice, now=called_at)
    first, second, *others = floor_screens(floor(event, now, staff=False))
    assert [len(first.calls), len(second.calls)] == [CALLS_ON_SCREEN, TABLES - CALLS_ON_SCREEN]
    assert [line.table for line in first.calls[:3]] == ["22", "23", "24"]
    assert not any(screen.calls for screen in others)
    assert {tile.label for screen in others for tile in screen.tables} == {str(n) for n in range(1, TABLES + 1)}


def test_the_wall_says_when_the_director_is_called(division: Division, by_alice: Actor) -> None:
    fixture, table = ready(division)[0], Table.objects.filter(tournament=division.tournament)[0]
    call(fixture=fixture, table=table, by=by_alice, now=timezone.now())
    start(fixture=fixture, by=by_alice, now=timezone.now())
    match = fixture.match
    assert match is not None
    report = reports.ScoreReport(0, (7, 3))
    reports.report_score(match=match, side=0, report=report, by=Actor.link(0), now=timezone.now())
    assert "Reported" in page_of(division)
    reports.contest(match=match, side=1, by=Actor.link(1), now=timezone.now())
    shown = page_of(division)
    assert "Director called" in shown
    assert "Reported" not in shown


def test_a_wall_without_the_floor_is_not_held_by_calls(division: Division, by_alice: Actor) -> None:
    event = division.tournament
    call(fixture=ready(division)[0], table=Table.objects.first(), by=by_alice, now=timezone.now())
    assert "is-bracket" not in page_of(division)
    set_wall(tournament=event, message="", parts=["brackets"], seconds=15, by=by_alice)
    assert "is-bracket" in page_of(division)
    assert calls_on(page_of(division)) == []
    form = WallForm(None, event.wall)
    assert form.initial["parts"] == ["brackets"]
    assert "season_tables" not in form.fields, "the event counts in no season"


def test_a_tile_names_both_of_a_pair() -> None:
    assert short_name("Ann & Bea") == "Ann & Bea"
    assert short_name("Alice Andersen & Kofi Mensah") == "Alice & Kofi"
    assert short_name("Wolfeschlegelstein Featherstonehaugh") == "Wolfeschlegelstein F."
