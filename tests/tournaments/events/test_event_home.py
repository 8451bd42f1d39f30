"""The home of an event: what is played now, where its divisions stand, what comes when."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formats.settings import DOUBLE, GROUPS, KNOCKOUT, LIVES, PROGRESSIVE, SWISS, StageSettings
from matches.play.watching import LIVE_FOR
from matches.reporting import reports
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import NOW, RunningEvent
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tests.tournaments.support.pages import page, report_first_match, text
from tournaments.events.home import SCHEDULE_SHOWN, DivisionRow, event_home, schedule_of
from tournaments.models import Division, Entry, Fixture, Round, Tournament

pytestmark = pytest.mark.django_db

MAX_QUERIES = 52
"""Of an event with three running divisions, two of them with tables, whose leaders are derived from their results."""


@pytest.fixture
def builder(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> DivisionBuilder:
    return DivisionBuilder(make_division, make_players, by_alice)


def url_of(division: Division) -> str:
    return f"/events/{division.tournament.club.slug}/{division.tournament.slug}/"


def row_of(division: Division) -> DivisionRow:
    """The row of a division as everybody sees it."""
    event = Tournament.objects.get(pk=division.tournament_id)
    rows: list[DivisionRow] = event_home(AnonymousUser(), event, NOW)["divisions"]
    return next(row for row in rows if row.division.pk == division.pk)


def not_lost(division: Division) -> set[int]:
    """The entries that have not lost as many matches as put them out, by the results alone."""
    lives = 2 if division.stages.get().format == DOUBLE else 1
    lost: dict[int, int] = {}
    fixtures = Fixture.objects.filter(stage__division=division, match__results__isnull=False)
    for fixture in fixtures.exclude(round__bracket__key="consolation").select_related("match"):
        result = fixture.match.results.get()  # type: ignore[union-attr]
        loser = fixture.slots.get(side=1 - result.winner).entry_id
        lost[loser or 0] = lost.get(loser or 0, 0) + 1
    return {entry.pk for entry in division.entries.all() if lost.get(entry.pk, 0) < lives}


@pytest.mark.parametrize("format_", [KNOCKOUT, PROGRESSIVE, DOUBLE])
@pytest.mark.parametrize("played", [0, 3, 5, 6, 7, 9])
def test_those_still_in_a_bracket_are_those_who_have_not_lost_it(
    builder: DivisionBuilder, format_: str, played: int
) -> None:
    division = builder.drawn(8, StageSettings(format_))
    builder.play(division, most=played)
    row, expected = row_of(division), not_lost(division)
    if len(expected) == 1:
        assert (row.left, row.still_in) == (0, [])
        assert row.champion == Entry.objects.get(pk__in=expected).player.name
        return
    assert row.champion == ""
    assert row.left == len(expected)
    names = sorted(Entry.objects.filter(pk__in=expected).values_list("player__name", flat=True))
    assert list(row.still_in) == (names if len(names) <= 4 else [])


@pytest.mark.parametrize("format_", [SWISS, LIVES])
def test_a_table_names_its_leaders_once_something_is_played(builder: DivisionBuilder, format_: str) -> None:
    division = builder.drawn(8, StageSettings(format_))
    assert row_of(division).leaders.rows == ()
    builder.play(division, most=4)
    first, second = row_of(division).leaders.rows
    winners = {
        fixture.slots.get(side=fixture.match.results.get().winner).entry.player.name  # type: ignore[union-attr]
        for fixture in Fixture.objects.filter(stage__division=division, match__results__isnull=False)
    }
    assert {first.name, second.name} <= winners
    assert re.fullmatch(r"\d+ (lives|life)" if format_ == LIVES else r"\d+", first.points)


@pytest.mark.parametrize("format_", [SWISS, LIVES])
def test_a_round_that_is_being_played_is_in_no_table_and_both_pages_say_so(
    builder: DivisionBuilder, client: Client, format_: str
) -> None:
    division = builder.drawn(8, StageSettings(format_))
    standings = f"{url_of(division)}{division.public_id}/standings/"
    builder.play(division, most=3)
    assert row_of(division).leaders.rows == ()
    for url in (url_of(division), standings):
        assert "Round 1 is being played" in text(page(client, url))
    builder.play(division, most=1)
    first, second = row_of(division).leaders.rows
    assert first.place == second.place == 1 if format_ == LIVES else (first.place, second.place) == (1, 2)
    for url in (url_of(division), standings):
        assert "is being played" not in text(page(client, url))


def test_a_match_that_waits_for_the_director_is_not_live(running: RunningEvent, client: Client) -> None:
    report_first_match(running)
    match = running.fixture.match
    assert match is not None
    url = url_of(running.division)
    assert "Live now" in text(page(client, url))
    reports.contest(match=match, side=1, by=Actor.link(1), now=NOW)
    assert "Live now" not in text(page(client, url))


def test_a_match_of_an_earlier_day_is_not_live(running: RunningEvent) -> None:
    report_first_match(running)
    event = running.division.tournament
    times = (timezone.now(), timezone.now() + LIVE_FOR)
    shown = [event_home(AnonymousUser(), event, at)["played_now"] for at in times]
    assert [len(rows) for rows in shown] == [1, 0]


def test_hidden_names_are_initials_in_every_row(builder: DivisionBuilder, client: Client) -> None:
    for format_ in (KNOCKOUT, SWISS):
        division = builder.drawn(4, StageSettings(format_), name=format_)
        builder.play(division, most=1)
    Player.objects.update(name="Zoe Ballard", initials_only=True)
    shown = page(client, url_of(division))
    assert "Z. B." in text(shown)
    assert "Ballard" not in shown


def test_groups_have_no_leader(builder: DivisionBuilder) -> None:
    division = builder.drawn(8, StageSettings(GROUPS, groups=2, qualifiers=2), StageSettings(KNOCKOUT))
    builder.play(division, most=4)
    assert row_of(division).leaders.rows == ()


def test_a_finished_division_shows_its_champion_and_no_bar(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(4, StageSettings(KNOCKOUT))
    builder.play(division)
    shown = page(client, url_of(division))
    row = row_of(division)
    assert row.champion
    assert f"Champion: {row.champion}" in text(shown)
    assert "<progress" not in shown
    assert "Still in" not in text(shown)


def test_only_one_card_stays_on_the_screen(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    bob_player: Player,
    bob: User,
    as_user: Callable[[User], Client],
    by_alice: Actor,
) -> None:
    builder = DivisionBuilder(make_division, lambda count: [bob_player, *make_players(count - 1)], by_alice)
    for name in ("Open", "Intermediate"):
        division = builder.drawn(2, StageSettings(KNOCKOUT), name=name)
    shown = page(as_user(bob), url_of(division))
    assert shown.count("next-match") == 1
    assert text(shown).count("Your match against") == 1


def test_the_schedule_is_in_order_and_ticks_what_is_over(tournament: Tournament) -> None:
    tournament.starts_at, tournament.ends_at = NOW - timedelta(hours=1), NOW + timedelta(hours=5)
    tournament.check_in_opens_at = NOW - timedelta(hours=2)
    lines = schedule_of(tournament, [], {}, NOW)
    assert [(line.text, line.is_over) for line in lines] == [("Check-in opens", True), ("Start", True), ("End", False)]


def test_a_long_schedule_shows_what_is_next(builder: DivisionBuilder) -> None:
    division = builder.drawn(32, StageSettings(PROGRESSIVE))
    rounds = list(Round.objects.filter(bracket__stage__division=division).values_list("pk", flat=True))
    assert len(rounds) > SCHEDULE_SHOWN
    for place, pk in enumerate(rounds):
        Round.objects.filter(pk=pk).update(deadline=NOW + timedelta(days=place - 5, hours=1))
    lines = schedule_of(division.tournament, [division], {pk: f"Round {pk}" for pk in rounds}, NOW)
    assert [line.at for line in lines] == sorted(line.at for line in lines)
    assert [line.is_over for line in lines] == [True] * 3 + [False] * (SCHEDULE_SHOWN - 3)


def test_an_empty_event_has_no_empty_parts(client: Client, tournament: Tournament) -> None:
    Tournament.objects.update(status=Tournament.Status.PUBLISHED)
    shown = text(page(client, f"/events/{tournament.club.slug}/{tournament.slug}/"))
    assert "This event has no division yet." in shown
    for part in ("Live now", "Divisions", "Next", "Find a player"):
        assert part not in shown


@pytest.mark.slow
@pytest.mark.parametrize("size", [8, 32])
def test_the_number_of_queries_does_not_grow_with_players(builder: DivisionBuilder, client: Client, size: int) -> None:
    for format_ in (PROGRESSIVE, SWISS, LIVES):
        division = builder.drawn(size, StageSettings(format_), name=format_)
        builder.play(division, most=size // 2)
    with CaptureQueriesContext(connection) as queries:
        page(client, url_of(division))
    assert len(queries) <= MAX_QUERIES
