"""The API of stages and of the preview of a format."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from django.test import Client

from formats.settings import FORMATS, StageSettings
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import NOW, RunningEvent
from tests.tokens import key_for
from tournaments.entries import services as entries
from tournaments.models import Division
from tournaments.state.stages import stage_settings

pytestmark = pytest.mark.django_db

Ask = Callable[..., Any]
GROUPS = {"format": "groups", "groups": 4, "qualifiers": 2, "lengths": [5]}


@pytest.fixture
def tonight(open_division: Division, make_players: Callable[[int], list[Player]], by_alice: Actor) -> Division:
    """Enter thirteen players."""
    entries.enter(division=open_division, players=make_players(13), by=by_alice, now=NOW)
    open_division.refresh_from_db()
    return open_division


@pytest.fixture
def ask(tonight: Division, alice: User) -> Ask:
    """Send a request as Alice, or as another user."""
    key = cache(key_for)

    def send(method: str, what: str, body: Any = None, user: User | None = alice, **query: Any) -> Any:
        headers = {"Authorization": f"Token {key(user)}"} if user else {}
        address = f"/api/v1/divisions/{tonight.public_id}/{what}/"
        if method == "get":
            return Client().get(address, query, headers=headers)
        return getattr(Client(), method)(address, body, content_type="application/json", headers=headers)

    return send


def test_stages_are_set_and_read_with_every_setting(ask: Ask, tonight: Division) -> None:
    body = {"stages": [GROUPS, {"format": "knockout", "lengths": [7, 9]}], "tables": 6, "after": tonight.seq}
    answer = ask("put", "stages", body)
    assert answer.status_code == 200
    assert answer.headers["ETag"] == f'"{tonight.seq + 1}"'
    first, second = answer.json()
    assert (first["number"], first["format"], first["groups"], first["qualifiers"]) == (1, "groups", 4, 2)
    assert (second["number"], second["lengths"], second["last_chance"]) == (2, [7, 9], None)
    assert ask("get", "stages", user=None).json() == answer.json()
    tonight.tournament.refresh_from_db()
    assert tonight.tournament.tables == 6
    assert stage_settings(tonight)[0] == StageSettings("groups", groups=4, qualifiers=2, lengths=(5,))


@pytest.mark.parametrize("name", FORMATS)
def test_stages_that_were_read_can_be_written_back(name: str, ask: Ask, tonight: Division) -> None:
    assert ask("put", "stages", {"stages": [{"format": name}], "after": tonight.seq}).status_code == 200
    read = ask("get", "stages").json()
    stages = [{key: value for key, value in stage.items() if key != "number"} for stage in read]
    tonight.refresh_from_db()
    answer = ask("put", "stages", {"stages": stages, "after": tonight.seq})
    assert (answer.status_code, answer.json()) == (200, read)
    assert stage_settings(tonight) == [StageSettings(name)]


@pytest.mark.parametrize(
    ("stages", "code"),
    [
        ([{"format": "ladder"}], "invalid"),
        ([{"format": "knockout", "rounds": 5}], "setting_not_used"),
        ([{"format": "knockout", "played_to": 8}], "setting_not_used"),
        ([{"format": "places", "shared_by": 3}], "invalid"),
        ([{"format": "league", "edition": "2023-09-01"}], "setting_not_used"),
        ([{"format": "swiss", "tiebreaks": ["playoff"]}], "invalid"),
        ([], "invalid"),
        ([{"format": "swiss"}, {"format": "knockout"}], "stage_qualifiers"),
        ([{"format": "swiss", "qualifiers": 2}, {"format": "swiss", "rounds": 4}], "rounds_with_rematches"),
        ([{"format": "progressive", "pattern": "B.A."}], "pattern_letter_order"),
        ([{"format": "swiss", "tiebreaks": ["point_difference"], "lengths": [5, 7]}], "tiebreak_needs_one_length"),
        ([{"format": "roundrobin", "win": 1, "loss": 2}], "bad_setting"),
        ([{"format": "swiss", "lengths": [26]}], "invalid"),
    ],
)
def test_impossible_stages_are_refused_with_a_code(
    stages: list[dict[str, Any]], code: str, ask: Ask, tonight: Division
) -> None:
    answer = ask("put", "stages", {"stages": stages, "after": tonight.seq})
    assert answer.status_code == 422
    assert code in str(answer.json())
    assert stage_settings(tonight) == [StageSettings()]


def test_a_stale_request_is_refused(ask: Ask, tonight: Division) -> None:
    body = {"stages": [{"format": "swiss"}]}
    assert ask("put", "stages", {**body, "after": tonight.seq + 1}).json()["code"] == "stale"
    assert ask("put", "stages", body).status_code == 422
    assert ask("put", "stages", {**body, "after": tonight.seq}).status_code == 200


def test_stages_cannot_be_set_after_the_draw(running: RunningEvent, alice: User) -> None:
    client = Client(headers={"Authorization": f"Token {key_for(alice)}"})
    body = {"stages": [{"format": "swiss"}], "after": running.division.seq}
    address = f"/api/v1/divisions/{running.division.public_id}/stages/"
    answer = client.put(address, body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "division_drawn")


def test_the_preview_of_the_stored_stages(ask: Ask, tonight: Division) -> None:
    preview = ask("get", "outline", tables=6).json()
    assert (preview["possible"], preview["entries"], preview["matches"]) == (True, 13, {"least": 12, "most": 12})
    (main,) = preview["stages"][0]["brackets"]
    assert [round_["entrants"]["most"] for round_ in main["rounds"]] == [13, 8, 4, 2]
    assert preview["finish"]["minutes"] < preview["finish"]["late_minutes"]
    larger = ask("get", "outline", entries=40, tables=2).json()
    assert larger["finish"]["minutes"] > 2 * preview["finish"]["minutes"]
    assert [round_["code"] for round_ in larger["remarks"]] == ["tables_few"]
    quick = ask("get", "outline", tables=6, minutes_per_point=5.5).json()
    # Rests and walks to the table take as long as before.
    assert preview["finish"]["minutes"] / 2 < quick["finish"]["minutes"] < preview["finish"]["minutes"]


def test_the_preview_of_submitted_stages(ask: Ask, tonight: Division) -> None:
    body = {
        "stages": [GROUPS, {"format": "progressive"}],
        "entries": 17,
        "tables": 8,
        "starts_at": "2026-11-27T19:00:00+01:00",
        "closes_at": "2026-11-27T20:00:00+01:00",
    }
    preview = ask("post", "outline", body).json()
    groups, knockout = preview["stages"]
    assert (groups["groups"], groups["going_on"], knockout["entrants"]) == ([5, 4, 4, 4], 8, 8)
    assert knockout["patterns"][0]["pattern"] == knockout["brackets"][1]["pattern"]
    assert preview["finish"]["at"] > "2026-11-27T18:00:00Z"
    assert [remark["code"] for remark in preview["remarks"]] == ["groups_uneven", "closing_missed"]
    assert stage_settings(tonight) == [StageSettings()]


def test_an_impossible_format_is_a_valid_answer(ask: Ask) -> None:
    answer = ask("post", "outline", {"stages": [{"format": "swiss", "rounds": 9}], "entries": 6})
    assert answer.status_code == 200
    (fault,) = [remark for remark in answer.json()["remarks"] if remark["kind"] == "fault"]
    assert fault["code"] == "rounds_with_rematches"
    assert fault["params"] == {"rounds": 9, "entries": 6, "most": 5}
    assert fault["detail"] == "With 6 players, 9 rounds need rematches. Most rounds without: 5."
    assert answer.json()["possible"] is False


def test_only_directors_set_and_preview_stages(
    ask: Ask, erin: User, frank: User, dave: User, tonight: Division
) -> None:
    body = {"stages": [{"format": "swiss"}], "after": tonight.seq}
    for user, status in ((erin, 403), (frank, 403), (dave, 403), (None, 401)):
        assert ask("put", "stages", body, user=user).status_code == status
        assert ask("post", "outline", body, user=user).status_code == status
        assert ask("get", "outline", user=user).status_code == 403
        assert ask("get", "stages", user=user).status_code == 200
    assert stage_settings(tonight) == [StageSettings()]


def test_queries_for_stages_do_not_grow_with_their_number(
    ask: Ask, tonight: Division, django_assert_max_num_queries: Any
) -> None:
    body = {"stages": [GROUPS, {"format": "knockout"}], "after": tonight.seq}
    assert ask("put", "stages", body).status_code == 200
    with django_assert_max_num_queries(10):
        assert len(ask("get", "stages").json()) == 2
    with django_assert_max_num_queries(14):  # two of them for other divisions at the same tables
        assert ask("get", "outline").json()["possible"]
