"""The page of a floor: calls, results, tables, the forecast and who may do what."""

import re
from collections.abc import Callable
from datetime import timedelta
from gzip import decompress as gunzip
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from matches.models import Match, Result
from players.actors import Actor
from players.models import User
from tests.event_cast import RunningEvent
from tests.pages import html
from tournaments.events.services import create_tournament, update_tournament
from tournaments.floor import calls, evening
from tournaments.floor.page.page import HEADER
from tournaments.models import Division, Fixture, FloorEvent, Round, Table, Tournament

pytestmark = pytest.mark.django_db

LARGEST_UPDATE = 5 * 1024
"""In bytes, compressed."""
HTMX = {"HX-Request": "true"}
MOST_OF_A_LINE = 23
"""Queries in which a result is entered and answered."""
MOST_OF_A_REFUSED_LINE = 9


@pytest.fixture
def division(drawn: Callable[..., Division]) -> Division:
    """A knockout of eight, to 7 points."""
    return drawn(8, match_length=7)


class Page:
    """Alice's view of the floor."""

    def __init__(self, client: Client, tournament: Tournament) -> None:
        self.client, self.tournament = client, tournament
        self.args = (tournament.club.slug, tournament.slug)

    def url(self, name: str, *more: str) -> str:
        return reverse(name, args=[*self.args, *more])

    def html(self) -> str:
        response = self.client.get(self.url("floor"))
        assert response.status_code == 200
        return html(response)

    def do(self, action: str, **data: Any) -> str:
        response = self.client.post(self.url("floor-action", action), data, follow=True)
        return html(response)

    def fixture(self, number: int) -> str:
        return Fixture.objects.get(stage__division__tournament=self.tournament, number=number).public_id

    def table(self, label: str) -> str:
        return Table.objects.get(tournament=self.tournament, label=label).public_id


@pytest.fixture
def page(alice_client: Client, division: Division) -> Page:
    """The floor, opened with three tables."""
    page = Page(alice_client, division.tournament)
    assert "Open the floor" in page.html()
    assert "The floor is open." in page.do("open", tables=3)
    return page


def test_the_floor_opens_from_the_pages_of_an_event_with_tables(
    alice_client: Client, as_user: Callable[[User], Client], erin: User, division: Division
) -> None:
    page = Page(alice_client, division.tournament)
    home, bracket = page.url("event"), page.url("division", division.public_id)
    opens, leads_there = f'action="{page.url("floor-action", "open")}"', f'href="{page.url("floor")}"'
    for path in (home, bracket):
        assert opens not in html(alice_client.get(path)), "nobody has said how many tables there are"
    assert leads_there in html(alice_client.get(page.url("console")))
    Tournament.objects.update(tables=4)
    for path in (home, bracket):
        assert opens in html(alice_client.get(path))
        assert opens not in html(as_user(erin).get(path)), "assistants cannot open it"
    page.do("open", tables=4)
    for path in (home, bracket):
        shown = html(alice_client.get(path))
        assert leads_there in shown
        assert opens not in shown


@pytest.mark.slow
def test_a_match_is_called_started_scored_and_decided_from_the_page(page: Page) -> None:
    assert "Call to table 1" in page.html()
    assert " is called to table 1." in page.do("call", fixture=page.fixture(1), table=page.table("1"))
    assert "Call to table 2" in page.html()
    assert " has started." in page.do("start", fixture=page.fixture(1))
    shown = page.do("score", fixture=page.fixture(1), left=6, right=4)
    assert " stands 6–4." in shown
    assert "1 playing · 2 free" in shown

    sheet = html(page.client.get(page.url("floor-match", page.fixture(1))))
    assert re.search(r'name="winner"\s+value="0"[^>]*\schecked', sheet), "the leader's win is one tap away"
    assert re.search(r'name="points" value="4" required\s+checked', sheet)
    assert "Then: Player" in sheet
    assert "goes to M5." in sheet
    assert "Table 1 is free." in sheet

    seq = Match.objects.get(state=Match.State.OPEN, begun_at__isnull=False).seq
    shown = page.do("result", fixture=page.fixture(1), winner=0, points=4, after=seq)
    assert "3 free" in shown
    assert re.search(r"Undo: Player \d wins 7–4 · Table 1", shown)


@pytest.mark.slow
def test_a_line_and_undo_work_on_the_floor(page: Page) -> None:
    entered = page.client.post(page.url("floor-line"), {"line": "m2 7-3"}, follow=True)
    assert "M2 ·" in html(entered)
    refused = page.client.post(page.url("floor-line"), {"line": "m99 7-3"})
    assert refused.status_code == 422
    assert "m99 7-3" in html(refused)
    page.do("call", fixture=page.fixture(1), table=page.table("3"))
    [fact] = re.findall(r'name="act" value="([\w-]+)"', page.html())
    page.do("call", fixture=page.fixture(3), table=page.table("1"))
    assert "you have done something else" in page.do("undo", act=fact)
    assert "2 called · 1 free" in page.html()
    [last] = re.findall(r'name="act" value="([\w-]+)"', page.html())
    for _ in range(2):
        assert re.search(r"Undone: M3 .* is called to table 1\.", page.do("undo", act=last))
        assert "1 called · 2 free" in page.html()
    assert re.search(r"Undone: M1 .* is called to table 3\.", page.do("undo", act=fact))
    assert "3 free" in page.html()


@pytest.mark.parametrize(
    ("text", "outcome", "left", "is_done"),
    [
        ("m2 7-3", "M2 ·", "", True),
        ("m99 7-3", "There is no M99", "m99 7-3", False),
        ("m1 7-3; m99 7-3", "There is no M99", "m99 7-3", True),
        ("?", "the score, in the order in which the match shows its players", "", False),
        ("", "Type a result, such as m22 11-7.", "", False),
        (";", "Type a result", ";", False),
    ],
)
def test_a_line_is_answered_with_what_became_of_it_alone(
    page: Page, text: str, outcome: str, left: str, is_done: bool
) -> None:
    answer = page.client.post(page.url("floor-line"), {"line": text}, headers=HTMX)
    assert answer.status_code == 200, "anything else is no answer to a line"
    assert outcome in html(answer)
    assert f">{left}</textarea>" in html(answer)
    assert ("line-done" in html(answer)) is is_done, "only then the floor has changed"
    for elsewhere in ("<html", 'id="floor', "floor-card", 'class="messages"'):
        assert elsewhere not in html(answer)
    without_scripts = page.client.post(page.url("floor-line"), {"line": text}, follow=True)
    assert 'id="floor"' in html(without_scripts)


def test_the_same_line_counts_once_and_typed_again_twice(page: Page) -> None:
    """The answer brings the form with a token of its own, by which the next line is not the same one sent again."""

    def undo(token: str) -> Any:
        return page.client.post(page.url("floor-line"), {"line": "undo", "csrfmiddlewaretoken": token}, headers=HTMX)

    for number in (1, 2):
        page.client.post(page.url("floor-line"), {"line": f"m{number} 7-3"}, headers=HTMX)
    first, again = undo("a" * 64), undo("a" * 64)
    assert first.content == again.content
    assert Match.objects.filter(state=Match.State.SETTLED).count() == 1
    [token] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', html(again))
    assert "M1" in html(undo(token))


def test_a_line_takes_few_queries(page: Page) -> None:
    for text, most in (("m2 7-3", MOST_OF_A_LINE), ("m99 7-3", MOST_OF_A_REFUSED_LINE)):
        with CaptureQueriesContext(connection) as captured:
            page.client.post(page.url("floor-line"), {"line": text}, headers=HTMX)
        assert 0 < len([query for query in captured if "SAVEPOINT" not in query["sql"]]) <= most


def test_undo_names_a_fact_of_this_event(page: Page, by_alice: Actor) -> None:
    page.do("call", fixture=page.fixture(1), table=page.table("3"))
    now = timezone.now()
    club = page.tournament.club
    other = create_tournament(club=club, by=by_alice, now=now, name="Elsewhere", starts_at=now)
    FloorEvent.objects.update(tournament=other)
    page.do("undo", act=f"floor-{FloorEvent.objects.get(kind='called').pk}")
    page.do("undo")
    assert not FloorEvent.objects.filter(kind="undone").exists()


@pytest.mark.slow
def test_a_no_show_takes_two_taps_and_a_line_takes_it_back(page: Page) -> None:
    page.do("call", fixture=page.fixture(1), table=page.table("1"))
    assert "Who is missing?" not in page.html()
    FloorEvent.objects.update(at=timezone.now() - timedelta(minutes=20))
    assert "Who is missing?" in page.html()
    assert "Undo: " in page.do("no-show", fixture=page.fixture(1), side="0")
    result = Result.objects.get()
    assert (result.kind, result.winner) == ("forfeit", 1)
    assert "nobody is a no-show" in page.do("no-show", fixture=page.fixture(1), side="1")
    assert Result.objects.count() == 1
    page.client.post(page.url("floor-line"), {"line": "undo"})
    match = Fixture.objects.get(public_id=page.fixture(1)).match
    assert match is not None
    assert match.state == Match.State.OPEN


@pytest.mark.slow
def test_a_call_of_the_autopilot_is_taken_back_by_one_tap(page: Page) -> None:
    page.do("autopilot", mode="call")
    event = page.tournament.pk
    assert len(calls.call_ready(tournament_id=event, now=timezone.now())) == 3
    assert "Take back the call" in page.html()
    last = FloorEvent.objects.filter(kind="called").latest("pk").fixture
    assert last is not None
    assert " is not called for now." in page.do("take-back", fixture=last.public_id)
    [instead] = calls.call_ready(tournament_id=event, now=timezone.now())
    assert instead.fixture != last, "it is on hold"
    assert "is not called" in page.do("take-back", fixture=last.public_id), "a second tap changes nothing"


@pytest.mark.slow
def test_a_table_out_of_use_a_pause_and_the_autopilot(page: Page) -> None:
    assert "Lamp broken" in page.do("out", table=page.table("2"), reason="Lamp broken")
    assert "1 out of use" in page.html()
    assert "Back in use" in html(page.client.get(page.url("floor-table", page.table("2"))))
    page.do("back", table=page.table("2"))
    assert "out of use" not in page.html()
    assert "Call M1" in html(page.client.get(page.url("floor-table", page.table("2"))))
    assert "Paused until" in page.do("pause", until="20:00")
    assert "Call to table" not in page.html()
    page.do("resume")
    assert "Autopilot calls by itself" in page.do("autopilot", mode="call")


def test_what_the_page_refuses(page: Page) -> None:
    page.do("call", fixture=page.fixture(1), table=page.table("1"))
    assert "M1" in page.do("call", fixture=page.fixture(2), table=page.table("1")), "the table is taken"
    assert "1 called · 2 free" in page.html()
    assert "Select a valid choice" in page.do("shorten", changes="1:7:5 nonsense")
    assert page.client.get(page.url("floor-table", "a" * 10)).status_code == 404


@pytest.mark.parametrize(("action", "status"), [("pause", 403), ("autopilot", 403), ("undo", 302)])
def test_an_assistant_calls_but_does_not_pause(
    page: Page, erin: User, as_user: Callable[[User | None], Client], action: str, status: int
) -> None:
    client = as_user(erin)
    assert client.get(page.url("floor")).status_code == 200
    assert client.post(page.url("floor-action", action), {"mode": "call"}).status_code == status


@pytest.mark.slow
def test_the_pilot_proposes_shorter_matches_and_one_click_applies_them(page: Page, by_alice: Actor) -> None:
    assert "Closing-time pilot" not in page.html()
    now = timezone.now()
    closing = {"starts_at": now - timedelta(hours=1), "ends_at": now + timedelta(hours=3, minutes=30)}
    update_tournament(tournament=page.tournament, by=by_alice, now=now, **closing)
    response = page.client.get(page.url("floor"))
    assert "Closing-time pilot" in html(response)
    option = response.context["pilot"][0]
    assert option.button in html(response)
    page.do("shorten", changes=option.value)
    assert Round.objects.filter(length__lt=7).count() == option.rounds
    [undo] = re.findall(r'name="changes" value="([^"]+)"(?=[^$]*id="floor-pilot-undo")', page.html())[-1:]
    assert "floor-pilot-undo" in page.html()
    page.do("shorten", changes=undo)
    assert set(Round.objects.values_list("length", flat=True)) == {7}
    assert "floor-pilot-undo" not in page.html()
    page.do("shorten", changes=option.value)
    final = Round.objects.filter(length__lt=7).order_by("pk").first()
    assert final is not None
    Round.objects.filter(pk=final.pk).update(length=6)
    assert "floor-pilot-undo" not in page.html(), "somebody has changed it since"


def test_the_champion_is_on_the_floor_as_soon_as_the_final_is_over(page: Page) -> None:
    for number in range(1, 8):
        page.client.post(page.url("floor-line"), {"line": f"m{number} 7-1"})
    assert "Main: won by <b><bdi>Player" in page.html()


def test_the_line_says_what_enter_will_do(page: Page) -> None:
    page.do("call", fixture=page.fixture(1), table=page.table("2"))
    shown = html(page.client.get(page.url("floor-preview"), {"line": "m1 7-4"}))
    assert " beats " in shown
    assert "The winner goes to M5." in shown
    assert f'data-outline="{page.table("2")}"' in shown
    assert "field-error" in html(page.client.get(page.url("floor-preview"), {"line": "m99 7-4"}))
    assert html(page.client.get(page.url("floor-preview"), {"line": ""})).strip() == ""
    entered = page.client.post(page.url("floor-line"), {"line": "t3 out lamp broken"}, follow=True)
    assert "Table 3 is out of use." in html(entered)


@pytest.mark.slow
def test_players_read_on_their_pages_to_which_table_they_are_called(
    running: RunningEvent, bob: User, carol: User, dave: User, as_user: Callable[[User | None], Client], by_alice: Actor
) -> None:
    now = timezone.now()
    Tournament.objects.update(tables=4)
    evening.open_floor(tournament=running.tournament, by=by_alice, now=now)
    table = Table.objects.get(label="4")
    match = running.fixture.match
    assert match is not None
    places = (reverse("my-matches"), f"/matches/{match.public_id}/", running.url)

    def reads(user: User) -> list[bool]:
        return ["You are called to table 4." in html(as_user(user).get(place)) for place in places]

    assert reads(bob) == [False] * 3
    calls.call(fixture=running.fixture, table=table, by=by_alice, now=now)
    assert reads(bob) == reads(carol) == [True] * 3
    assert reads(dave) == [False] * 3
    calls.start(fixture=running.fixture, by=by_alice, now=now)
    assert reads(bob) == [False] * 3


class OpenFloor:
    """A floor that is open in a browser, which has some versions of its parts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.versions = versions_in(page.html())

    def update(self) -> set[str]:
        """Request what has changed, and return the ids of the elements that are swapped."""
        headers = {"HX-Request": "true", HEADER: self.versions, "Accept-Encoding": "gzip"}
        response = self.page.client.get(self.page.url("floor"), headers=headers)
        assert (response["HX-Reswap"], response["Content-Encoding"]) == ("none", "gzip")
        assert len(response.content) <= LARGEST_UPDATE
        markup = gunzip(response.content).decode()
        self.versions = versions_in(markup)
        return set(re.findall(r'id="([^"]+)" hx-swap-oob="true"', markup)) - {"floor-versions"}


def versions_in(markup: str) -> str:
    [versions] = re.findall(r'data-versions="([^"]+)"', markup)
    return versions


@pytest.mark.slow
def test_an_update_has_only_what_has_changed(page: Page) -> None:
    floor = OpenFloor(page)
    clock, second = {"floor-now"}, f"table-{page.table('2')}"
    assert floor.update() <= clock
    page.do("call", fixture=page.fixture(2), table=page.table("2"))
    assert floor.update() - clock == {"floor-actions", "floor-counts", "floor-panel-next", second}
    page.do("start", fixture=page.fixture(2))
    assert floor.update() - clock == {"floor-actions", "floor-counts", second}
    assert floor.update() <= clock
    page.client.post(page.url("floor-line"), {"line": "m2 7-3"})
    assert floor.update() >= {second, "floor-latest", "floor-counts", "floor-panel-next"}


def test_a_message_is_part_of_the_update_after_an_action(page: Page) -> None:
    floor = OpenFloor(page)
    page.client.post(page.url("floor-action", "pin"), {"fixture": page.fixture(2)})
    assert "floor-messages" in floor.update()
    assert "floor-messages" in floor.update(), "it goes again"
    assert "floor-messages" not in floor.update()


def test_a_page_with_other_parts_gets_the_whole_floor(page: Page) -> None:
    versions = versions_in(page.html())
    for other in ("", "nonsense", versions.replace("table-", "other-"), f"{versions},floor-more=00000000"):
        response = page.client.get(page.url("floor"), headers={"HX-Request": "true", HEADER: other})
        assert "HX-Reswap" not in response
        assert '<div id="floor"' in html(response)
        assert versions_in(html(response)).split(",")[3:] == versions.split(",")[3:]


def test_the_forecast_follows_by_itself(page: Page) -> None:
    shown = html(page.client.get(page.url("floor-forecast")))
    assert "floor-chart" in shown
    assert "All done about" in shown
    assert 'id="floor-total" class="small floor-total" hx-swap-oob="true"' in shown
    assert 'id="step-floor-fact" class="event-step-fact" hx-swap-oob="true">7 to play</span>' in shown


def test_before_the_floor_is_opened_nobody_is_said_to_wait_for_a_table(
    running: RunningEvent, alice_client: Client, bob: User, as_user: Callable[[User], Client]
) -> None:
    assert not running.tournament.has_floor
    api = f"/api/v1/tournaments/{running.tournament.public_id}/floor/"
    floor = alice_client.get(api)
    assert floor.status_code == 200
    assert floor.json()["matches"]
    match = running.fixture.match
    assert match is not None
    pages = [alice_client.get(f"{running.url}{page}") for page in ("console/", "floor/", "floor/forecast/")]
    pages += [alice_client.get(running.fixture_url), as_user(bob).get(f"/matches/{match.public_id}/")]
    assert [page.status_code for page in pages] == [200] * len(pages)
    for page in [floor, *pages]:
        assert "No table is free" not in html(page)
