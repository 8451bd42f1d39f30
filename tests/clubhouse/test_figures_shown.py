"""The figures of every event of the demo club are the same on all pages that show them, on paper and in the API."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from matches.models import Match, Result
from players.actors import SYSTEM
from tests import demo_club
from tests.tournaments.support.pages import text as stripped
from tournaments.floor.evening import adjourn
from tournaments.floor.selectors import floor
from tournaments.floor.state import FloorMatchState
from tournaments.models import Bracket, Division, Draw, Entry, Fixture, Floor, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(scope="module")
def director(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Client]:
    """Grete, who directs the demo club."""
    with django_db_blocker.unblock(), transaction.atomic():
        grete = demo_club.load(now=timezone.now())["director"]
        assert grete is not None
        client = Client()
        client.force_login(grete)
        yield client
        transaction.set_rollback(True)


def text(client: Client, url: str) -> str:
    """The text of a page, without tags and line breaks."""
    answer = client.get(url)
    assert answer.status_code == 200, url
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split()))


def number(count: int, noun: str, plural: str = "") -> str:
    """The number with its noun, as pages show it."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


class Expected:
    """The figures of a division, counted once more from its rows."""

    def __init__(self, division: Division) -> None:
        drawn = division.status != Division.Status.ENTRIES
        rows = list(division.entries.exclude(status=Entry.Status.WAITING))
        rows = [row for row in rows if row.status == "in" or (drawn and row.withdrawals.exists())]
        self.entries = len(rows)
        self.players = {row.player_id for row in rows}
        fixtures = Fixture.objects.filter(stage__division=division)
        decided = fixtures.filter(status__in=("decided", "walkover")).select_related("match")
        kinds = [self._kind(row) for row in decided]
        matches = [row.match for row in decided if self._kind(row) == "played" and row.match is not None]
        self.came = {player for match in matches for player in (match.player_0_id, match.player_1_id)}
        self.walkovers = sum(kind != "played" for kind in kinds)
        self.played = len(kinds) - self.walkovers
        waits = [row for row in fixtures.filter(status="waiting") if not row.needed_if_fixture]
        without_byes = [row for row in waits if not row.slots.filter(status="bye").exists()]
        self.open = len(without_byes) + fixtures.filter(status="ready").count()
        self.total: int | None = len(kinds) + self.open
        stage = division.stages.order_by("number").last()
        if drawn and stage is not None and stage.status == "running":
            if stage.format == "lives":
                self.total = None
            elif stage.format == "swiss":
                self.total = stage.settings["rounds"] * (len(rows) // 2)

    @staticmethod
    def _kind(fixture: Fixture) -> str:
        newest = Result.objects.filter(match=fixture.match).order_by("-version").first()
        unplayed = fixture.status == "walkover" or newest is None or newest.kind in ("walkover", "forfeit")
        return "walkover" if unplayed else "played"

    @property
    def phrase(self) -> str:
        """Its matches as pages show them."""
        played = f"{self.played} of {self.total}" if self.total is not None else f"{self.played}"
        walkovers = f" · {number(self.walkovers, 'walkover')}" if self.walkovers else ""
        return f"{played} matches played{walkovers}"


def urls(division: Division) -> tuple[str, str]:
    event = division.tournament
    base = f"/events/{event.club.slug}/{event.slug}/"
    return base, f"{base}{division.public_id}/"


def all_divisions() -> list[Division]:
    rows = list(Division.objects.select_related("tournament__club").order_by("pk"))
    assert {stage.format for row in rows for stage in row.stages.all()} >= {
        "knockout", "progressive", "double", "swiss", "lives", "roundrobin", "groups", "league",
    }  # fmt: skip
    assert {row.tournament.status for row in rows} == set(Tournament.Status.values)
    return rows


def test_pages_of_a_division_agree(director: Client, subtests: pytest.Subtests) -> None:
    for division in all_divisions():
        event_url, url = urls(division)
        expected = Expected(division)
        with subtests.test(f"{division.tournament.name}, {division.name}"):
            rows = director.get(event_url).content.decode().split('<li class="division-row">')[1:]
            card = stripped(next(row for row in rows if f'href="{url}"' in row))
            page = text(director, url)
            players = number(len(expected.players), "player")
            assert f" · {players} · " in card
            assert f" {players} · " in page
            if division.status in (Division.Status.ENTRIES, Division.Status.CANCELLED):
                continue
            assert expected.phrase in card
            brackets = Bracket.objects.filter(stage__division=division)
            if division.status == Division.Status.RUNNING and len(brackets) > 1:
                assert expected.phrase in page
            paper = text(director, f"{event_url}paper/draws/?division={division.public_id}")
            if expected.total is not None and "Page 1 of" in paper:
                assert f"{division.name} · {number(expected.total, 'match', 'matches')} " in paper
            if Floor.objects.filter(tournament=division.tournament).exists():
                continue  # its console leads to the floor
            console = text(director, f"{event_url}console/?division={division.public_id}")
            by_round = [
                (int(done), int(total)) for done, total in re.findall(r"(\d+) of (\d+) matches played", console)
            ]
            walkovers = [int(count) for count in re.findall(r"matches played · (\d+) walkover", console)]
            assert (sum(done for done, _total in by_round), sum(walkovers)) == (expected.played, expected.walkovers)


def test_pages_of_an_event_agree(director: Client, subtests: pytest.Subtests) -> None:
    lists = text(director, "/events/")
    for event in Tournament.objects.select_related("club"):
        with subtests.test(event.name):
            divisions = [Expected(row) for row in event.divisions.all()]
            entries = sum(row.entries for row in divisions)
            players = len(set().union(*(row.players for row in divisions)))
            totals = [row.total for row in divisions]
            total = None if None in totals else sum(filter(None, totals))
            played, walkovers = (sum(getattr(row, name) for row in divisions) for name in ("played", "walkovers"))
            where = f" in {len(divisions)} divisions" if len(divisions) > 1 else ""
            is_open = event.status == Tournament.Status.PUBLISHED
            status = "Open for entries" if is_open else event.get_status_display()
            assert f" {number(players, 'player')}{where} {status}" in lists.split(event.name, 1)[1]
            summary = text(director, f"/events/{event.club.slug}/{event.slug}/report/")
            of_total = f"{played} of {total}" if total is not None else f"{played}"
            came = len(set().union(*(row.came for row in divisions)))
            who = f"{players}" if came == players else f"{came} of {players} played"
            shown = f"Players {who} Matches {of_total} "
            assert shown + (f"Walkovers {walkovers} " if walkovers else "") + "Points" in summary
            body = director.get(f"/api/v1/tournaments/{event.public_id}/report/").json()
            figures = {name: body["figures"][name] for name in ("players", "entries", "matches", "played", "walkovers")}
            assert figures == {
                "players": players,
                "entries": entries,
                "matches": total,
                "played": played,
                "walkovers": walkovers,
            }
            assert [row["entries"] for row in body["divisions"]] == [row.entries for row in divisions]


def test_the_floor_and_the_steps_count_the_same_matches(director: Client, subtests: pytest.Subtests) -> None:
    adjourned = Match.objects.filter(state="open", begun_at__isnull=False).order_by("pk").first()
    assert adjourned is not None
    fixture = Fixture.objects.get(match=adjourned)
    adjourn(fixture=fixture, by=SYSTEM, now=timezone.now())
    floors = Floor.objects.filter(tournament__status="running").select_related("tournament__club")
    assert floors
    for event in (row.tournament for row in floors):
        with subtests.test(event.name):
            shown = text(director, f"/events/{event.club.slug}/{event.slug}/floor/?all=1")
            at_tables = re.search(r"Tables ((?:\d+ [a-z ]+(?:· )?)+)", shown)
            assert at_tables is not None
            states = {state.strip(): int(count) for count, state in re.findall(r"(\d+) ([a-z ]+)", at_tables[1])}
            step = re.search(r"Floor (?:now|to do): (\d+) playing", shown)
            assert int(step[1] if step else 0) == states.get("playing", 0)
            queue = re.search(r"(\d+) in the queue · (\d+) wait", shown)
            waits = sum(map(int, queue.groups())) if queue is not None else 0
            waits += "floor-call" in director.get(f"/events/{event.club.slug}/{event.slug}/floor/").content.decode()
            on_tables = sum(states.get(state, 0) for state in ("called", "playing", "reported"))
            view = floor(event, timezone.now())
            left_table = sum(row.state == FloorMatchState.REPORTED and not row.table for row in view.matches.values())
            open_matches = sum(Expected(row).open for row in event.divisions.all())
            is_adjourned = int(fixture.stage.division.tournament_id == event.pk)
            assert waits + on_tables + left_table + is_adjourned == open_matches


def test_a_draft_announces_as_many_matches_as_it_will_have(director: Client) -> None:
    drafts = Draw.objects.filter(state=Draw.State.DRAFT).select_related("stage__division__tournament__club")
    assert drafts
    for draft in drafts:
        division = draft.stage.division
        _event, url = urls(division)
        assert "10 players in 16 places · 6 byes · 18 matches" in text(director, f"{url}draw/")
