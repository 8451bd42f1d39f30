"""After a merge one person has one name on every page, in every file and picture; after undoing it the old ones again.

Aloys plays Bob in M1, in a match here and in the season; then he turns out to be Wilhelmine, who has an account.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress

import pytest
from django.db import connection
from django.http import Http404
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from display.sharing.cards import card_of
from matches.lifecycle.finish import ResultInput
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.play.starting import PlaySettings, start
from players.actors import SYSTEM, Actor
from players.models import Club, Membership, Merge, Player
from players.people.services import merge_players, undo_merge
from seasons.imports.seasons import PastInput, count_past, import_past
from seasons.services import PointsInput, count_events, give_points
from tests.access.roles import may
from tests.access.world import CLUB_ROUTES, EVENT_ROUTES, address, corrected, season_of
from tests.event_cast import NOW, RunningEvent, choose_seed, publish
from tests.test_privacy import text_of
from tournaments.entries.services import enter
from tournaments.events.home import find_player
from tournaments.events.services import publish_tournament
from tournaments.models import Division, Fixture, Series
from tournaments.results.services import enter_result

pytestmark = pytest.mark.django_db

OLD, NEW = "Aloys Altmann", "Wilhelmine Neu"
CALLS_THE_MERGE = ("club-members", "api-merges")
"""Where directors undo a merge: it says who was merged into whom."""


SAMPLE = (
    "division", "event", "match", "player of Aloys", "season csv", "series", "standings-file", "api-bracket",
    "api-entries", "api-tournament-floor", "event-wall", "paper-draws", "check-in", "cash", "fixture", "event-report",
)  # fmt: skip
"""Pages that `make test` reads."""


@pytest.fixture
def aloys(club: Club) -> Player:
    player = Player.objects.create(name=OLD)
    Membership.objects.create(club=club, player=player)
    return player


@pytest.fixture
def event(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    bob_player: Player,
    aloys: Player,
    by_alice: Actor,
) -> RunningEvent:
    """A knockout of four that is over, in which Aloys met Bob in M1; he has another match to play."""
    divisions = [make_division(name=name, match_length=7, fee=500) for name in ("Open", "Speed")]
    first, second, third = make_players(3)
    enter(division=divisions[0], players=[bob_player, aloys, first, second], by=by_alice, now=NOW)
    enter(division=divisions[1], players=[aloys, third], by=by_alice, now=NOW)
    choose_seed(divisions[0], [bob_player, aloys])
    publish_tournament(tournament=divisions[0].tournament, by=by_alice, now=NOW)
    for division in divisions:
        publish(division, by_alice)
    fixtures = Fixture.objects.filter(stage__division=divisions[0]).select_related("match", "stage").order_by("number")
    entry = divisions[0].entries.get(player=aloys)
    running = RunningEvent(divisions[0].tournament, divisions[0], fixtures[0], entry)
    corrected(running)
    for number in (1, 2):
        enter_result(fixture=fixtures[number], result=ResultInput(0, (7, 5)), by=by_alice, now=NOW)
    for row in (running.tournament, running.division, running.fixture):
        row.refresh_from_db()
    return running


@pytest.fixture
def season(event: RunningEvent, aloys: Player) -> Series:
    row = season_of(event)
    count_events(series=row, events=[event.tournament], by=SYSTEM)
    points = PointsInput(event.tournament, aloys, "3", "Set up the room.")
    give_points(series=row, given=points, by=SYSTEM, now=NOW)
    data = PastInput(f"name,place,date\n{OLD},1,{NOW.date()}\nBob,2,{NOW.date()}")
    past = import_past(club=row.club, name="2019", data=data, by=SYSTEM, now=NOW)
    count_past(season=past, series=row, by=SYSTEM, now=NOW)
    return row


def played_here(event: RunningEvent) -> str:
    """Open a match of Bob and Aloys that is played here; return its public id."""
    assert event.fixture.match is not None
    opening = Opening(event.fixture.match.players, 5)
    [match] = open_matches([opening], settings=MatchSettings(club=event.tournament.club), by=SYSTEM, now=NOW)
    start(match=match, settings=PlaySettings(), by=SYSTEM, now=timezone.now())
    return match.public_id


def addresses(event: RunningEvent, live: str) -> Iterator[tuple[str, str]]:
    """Yield name and URL of every page, file and operation of the event, its club and season, and about its players."""
    for name in (*EVENT_ROUTES, *CLUB_ROUTES):
        if may("owner", name):
            yield name, address(name, event)
    series = season_of(event)
    season = reverse("series", args=[series.club.slug, series.slug])
    yield from ((f"season {file}", f"{season}table.{file}") for file in ("csv", "json"))
    bob = Player.objects.get(user__email="bob@example.org")
    aloys, match = event.entry.player, event.fixture.match
    assert match is not None
    for name in ("player", "player-matches", "api-player", "api-player-matches"):
        yield f"{name} of Bob", reverse(name, args=[bob.public_id])
        yield f"{name} of Aloys", reverse(name, args=[aloys.public_id])
    yield "versus", reverse("versus", args=[bob.public_id, aloys.public_id])
    for name in ("match", "api-match"):
        yield name, reverse(name, args=[match.public_id])
        yield f"live {name}", reverse(name, args=[live])
    yield from ((name, reverse(name, args=[live])) for name in ("match-play", "api-live"))
    yield from ((name, reverse(name)) for name in ("events", "api-tournaments", "rankings", "players", "home"))
    yield "find", f"{event.url}?find={NEW.split()[1]}"


def cards(event: RunningEvent) -> dict[str, str]:
    """Return the texts of the pictures of shared links by page."""
    series, match = season_of(event), event.fixture.match
    assert match is not None
    place = f"{event.tournament.club.slug}/{event.tournament.slug}"
    keys = {
        "match": match.public_id,
        "player": event.entry.player.public_id,
        "event": place,
        "division": f"{place}/{event.division.public_id}",
        "series": f"{series.club.slug}/{series.slug}",
    }
    texts = {}
    for kind, key in keys.items():
        with suppress(Http404):
            texts[f"picture of {kind}"] = "\n".join(card_of(kind, key).texts())
    return texts


def read(clients: dict[str, Client], event: RunningEvent, live: str, only: Collection[str]) -> dict[str, str]:
    """Return what each page, or each of those given, says to each reader, and the pictures."""
    texts = {
        f"{name} to {reader}": text_of(answer)
        for name, url in addresses(event, live)
        for reader, client in clients.items()
        if (not only or name in only) and (answer := client.get(url, follow=True)).status_code == 200
    }
    return {page: text.casefold() for page, text in {**texts, **cards(event)}.items()}


def saying(name: str, pages: dict[str, str]) -> set[str]:
    return {page for page, text in pages.items() if name.casefold() in text}


def merged(aloys: Player, club: Club) -> Merge:
    into = Player.objects.create(name=NEW)
    Membership.objects.create(club=club, player=into)
    return merge_players(player=aloys, into=into, by=SYSTEM, now=NOW, club=club)


@pytest.mark.slow
@pytest.mark.parametrize(
    "only", [pytest.param(SAMPLE, id="sample"), pytest.param((), id="all", marks=pytest.mark.slow)]
)
def test_a_merged_person_has_one_name_everywhere(
    only: Collection[str],
    event: RunningEvent,
    season: Series,
    aloys: Player,
    club: Club,
    alice_client: Client,
    client: Client,
) -> None:
    readers = {"Alice": alice_client} if only else {"Alice": alice_client, "anybody": client}
    live = played_here(event)
    with_old = saying(OLD, read(readers, event, live, only))
    assert set(only) <= {page.partition(" to ")[0] for page in with_old}
    assert len(with_old) > (15 if only else 60)
    merge = merged(aloys, club)
    after = read(readers, event, live, only)
    calls_it = {page for page in after if page.startswith(CALLS_THE_MERGE)}
    assert saying(OLD, after) - calls_it == set()
    assert with_old - saying(NEW, after) == set()

    undo_merge(merge=merge, by=SYSTEM, now=NOW, club=club)
    # Each link led to the matches of both, so it has ended.
    ended = {f"event-link to {reader}" for reader in readers}
    assert with_old - ended - saying(OLD, read(readers, event, live, only)) == set()


def test_an_entry_is_found_by_the_name_that_is_shown(event: RunningEvent, aloys: Player, club: Club) -> None:
    merged(aloys, club)
    found = [find_player(event.tournament, name, staff=False) for name in (NEW, OLD)]
    assert [[entry.player for entry, _division in rows] for rows in found] == [[aloys, aloys], []]
    Player.objects.filter(name=NEW).update(initials_only=True)
    assert find_player(event.tournament, NEW, staff=False) == []
    assert [entry.player for entry, _division in find_player(event.tournament, NEW, staff=True)] == [aloys, aloys]


@pytest.mark.slow
def test_more_merged_players_take_no_more_queries(event: RunningEvent, aloys: Player, alice_client: Client) -> None:
    api = f"/api/v1/divisions/{event.division.public_id}/"
    urls = [event.url, event.division_url, f"{event.url}check-in/", f"{event.url}floor/", f"{event.url}console/"]
    urls += [f"{api}{name}/" for name in ("entries", "bracket", "standings", "pairings")]
    counts = []
    into = Player.objects.create(name=NEW)
    for player in (aloys, *Player.objects.filter(name__startswith="Player ")):
        player.merged_into = into
        player.save()
        counts.append({url: queries(alice_client, url) for url in urls})
    assert len(counts) > 3
    assert {url: (counts[0][url], counts[-1][url]) for url in urls if counts[-1][url] > counts[0][url]} == {}


def queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200, url
    return len(captured)
