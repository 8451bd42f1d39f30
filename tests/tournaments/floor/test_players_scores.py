"""Running scores that Bob and Carol enter while they play at a table; Alice directs."""

import re
from dataclasses import dataclass

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from matches.lifecycle import links
from matches.lifecycle.begun import has_begun
from matches.models import Match
from players.actors import Actor
from players.models import LogEntry, User
from tests.event_cast import RunningEvent
from tests.pages import html
from tournaments.entries.event_links import path_for
from tournaments.floor import calls, evening, selectors
from tournaments.models import FloorEvent, FloorKind
from tournaments.standings.brackets import rounds_of
from tournaments.state.integrity import differences

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
RUNNING = FloorKind.RUNNING_SCORE


@dataclass
class AtTable:
    """M1, Bob against Carol to seven points, at an event with two tables."""

    running: RunningEvent
    alice: Actor

    @property
    def match(self) -> Match:
        match = self.running.fixture.match
        assert match is not None
        return Match.objects.get(pk=match.pk)

    @property
    def side_of_bob(self) -> int:
        return 0 if self.match.player_0.name == "Bob" else 1

    def score_for_bob(self, bob: int, carol: int) -> dict[str, int]:
        points = (bob, carol) if self.side_of_bob == 0 else (carol, bob)
        return {"score_0": points[0], "score_1": points[1]}

    def link(self, side: int) -> str:
        return f"/m/{links.token_for(self.match, side)}/"

    def enter(self, side: int, score_0: int, score_1: int) -> HttpResponse:
        posted = {"score_0": score_0, "score_1": score_1}
        return Client(enforce_csrf_checks=True).post(f"{self.link(side)}running-score/", posted, follow=True)

    def call(self) -> None:
        calls.call(fixture=self.running.fixture, by=self.alice, now=timezone.now())

    @property
    def on_floor(self) -> tuple[str, tuple[int, int] | None]:
        row = selectors.floor(self.running.tournament, timezone.now()).state.matches[self.running.fixture.pk]
        return row.state.value, row.score


@pytest.fixture
def at_table(running: RunningEvent, by_alice: Actor) -> AtTable:
    running.tournament.tables = 2
    running.tournament.save()
    evening.open_floor(tournament=running.tournament, by=by_alice, now=timezone.now())
    return AtTable(running, by_alice)


def test_a_player_enters_the_score_once_called_and_it_shows_on_floor_and_bracket(at_table: AtTable) -> None:
    at_table.call()
    assert "Save the score so far" in html(Client().get(at_table.link(0)))
    page = html(at_table.enter(0, 4, 2))
    assert "The score so far is saved." in page
    assert f"entered by <bdi>{at_table.match.player_0.name}</bdi> at" in page
    assert at_table.on_floor == ("playing", (4, 2))
    assert has_begun(at_table.match)
    assert at_table.match.results.count() == at_table.match.claims.count() == 0
    [first_round, _final] = rounds_of(at_table.running.division)
    where = [row.played.where for row in first_round.fixtures]
    assert [(row.state, row.score) for row in where if row is not None] == [("playing", (4, 2)), ("ready", None)]
    [entry] = LogEntry.objects.filter(verb="floor_running_score")
    assert (entry.by, entry.params["score"], entry.params["side"]) == (LogEntry.By.LINK, [4, 2], 0)
    assert list(differences()) == []


def test_the_last_score_stands_and_the_same_score_again_is_no_new_fact(at_table: AtTable) -> None:
    at_table.call()
    for side, left, right in ((0, 4, 2), (0, 4, 2), (1, 4, 2), (1, 4, 3)):
        assert at_table.enter(side, left, right).status_code == 200
    facts = FloorEvent.objects.filter(kind=RUNNING).order_by("pk")
    assert [(fact.params["score"], fact.params["side"]) for fact in facts] == [([4, 2], 0), ([4, 3], 1)]
    assert at_table.on_floor == ("playing", (4, 3))


@pytest.mark.parametrize(("score", "text"), [((7, 2), "decides a match"), ((4, 99), "less than or equal to 25")])
def test_a_score_that_ends_the_match_or_makes_no_sense_is_refused(
    at_table: AtTable, score: tuple[int, int], text: str
) -> None:
    at_table.call()
    refused = at_table.enter(0, *score)
    assert (refused.status_code, at_table.on_floor) == (422, ("called", None))
    assert text in html(refused)


def test_a_match_that_is_not_called_or_already_reported_takes_no_score(at_table: AtTable) -> None:
    assert "Save the score so far" not in html(Client().get(at_table.link(0)))
    assert at_table.enter(0, 1, 0).status_code == 409
    at_table.call()
    at_table.enter(0, 1, 0)
    match = at_table.match
    Client().post(f"{at_table.link(0)}claim/", {"score_0": 2, "score_1": 7, "after": match.seq})
    assert at_table.match.state == Match.State.CLAIMED
    assert "Save the score so far" not in html(Client().get(at_table.link(1)))
    assert at_table.enter(1, 2, 0).status_code == 409
    assert FloorEvent.objects.filter(kind=RUNNING).count() == 1


def test_without_an_open_floor_there_are_no_running_scores(running: RunningEvent) -> None:
    match = running.fixture.match
    assert match is not None
    url = f"/m/{links.token_for(match, 0)}/running-score/"
    assert Client().post(url, {"score_0": 1, "score_1": 0}).status_code == 409
    assert not FloorEvent.objects.exists()


def test_the_score_sheet_and_other_people_enter_no_scores(at_table: AtTable, dave: User) -> None:
    at_table.call()
    dave_client = Client()
    dave_client.force_login(dave)
    posted = {"score_0": 1, "score_1": 0}
    sheet = f"/m/{links.token_for(at_table.match, None)}/running-score/"
    assert Client().post(sheet, posted).status_code == 404
    assert dave_client.post(f"/matches/{at_table.match.public_id}/running-score/", posted).status_code == 404
    assert at_table.on_floor == ("called", None)


def test_the_event_link_the_account_and_the_api_take_scores_too(at_table: AtTable, bob: User) -> None:
    at_table.call()
    own = html(Client().get(path_for(at_table.running.tournament, at_table.running.entry.player, 0)))
    [action] = re.findall(r'action="([^"]*/running-score/)"', own)
    assert Client().post(action, at_table.score_for_bob(1, 0)).status_code == 302
    account = Client()
    account.force_login(bob)
    assert "Save the score so far" in html(account.get("/my/"))
    url = f"/matches/{at_table.match.public_id}/running-score/"
    assert account.post(url, at_table.score_for_bob(3, 0)).status_code == 302
    token = links.token_for(at_table.match, at_table.side_of_bob)
    api = f"/api/v1/matches/{at_table.match.public_id}/running-score/"
    answer = Client().post(api, {"score": [3, 3]}, headers={"Match-Link": token}, content_type="application/json")
    assert (answer.status_code, answer.json()) == (200, {"score": [3, 3]})
    assert Client().post(api, {"score": [3, 4]}, content_type="application/json").status_code == 401
    sides = FloorEvent.objects.filter(kind=RUNNING).values_list("params__side", flat=True)
    assert set(sides) == {at_table.side_of_bob}
    assert len(sides) == 3


def test_an_open_page_hears_of_a_score_and_of_its_being_taken_back(at_table: AtTable) -> None:
    at_table.call()

    def version() -> str:
        return html(Client().get(at_table.link(0))).split("?after=")[1].split('"')[0]

    versions = [version()]
    at_table.enter(1, 1, 0)
    versions.append(version())
    poll = Client(headers={"HX-Request": "true"})
    assert poll.get(f"{at_table.link(0)}?after={versions[1]}").status_code == 204
    assert poll.get(f"{at_table.link(0)}?after={versions[0]}").headers["HX-Refresh"] == "true"


@pytest.mark.slow
def test_alice_sees_who_entered_a_score_and_takes_it_back(at_table: AtTable, alice_client: Client) -> None:
    at_table.call()
    at_table.enter(1, 0, 1)
    at_table.enter(0, 6, 1)
    first, second = FloorEvent.objects.filter(kind=RUNNING).order_by("pk")
    floor = f"{at_table.running.url}floor/"
    fixture = at_table.running.fixture.public_id
    sheet = html(alice_client.get(f"{floor}matches/{fixture}/"))
    assert f"6–1, entered by <bdi>{at_table.match.player_0.name}</bdi> at" in sheet

    def take_back(fact: FloorEvent) -> str:
        posted = {"fixture": fixture, "fact": fact.pk}
        return html(alice_client.post(f"{floor}do/take-back-score/", posted, follow=True))

    assert "A newer score was entered since." in take_back(first)
    for _ in range(2):
        assert "Undone: M1" in take_back(second)
        assert at_table.on_floor == ("playing", (0, 1))
    take_back(first)
    assert at_table.on_floor == ("called", None), "it began with that score"
    assert not has_begun(at_table.match)
    assert list(differences()) == []


def test_players_cannot_flood_the_floor_with_scores(at_table: AtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MAX_PLAYERS_SCORES", 2)
    at_table.call()
    statuses = [at_table.enter(0, points, 0).status_code for points in (1, 2, 3)]
    assert statuses == [200, 200, 409]
    calls.set_running_score(fixture=at_table.running.fixture, score=(3, 0), by=at_table.alice, now=timezone.now())
    assert at_table.on_floor == ("playing", (3, 0))
