"""Corrections by API: previewed, applied, listed, undone, and what refuses."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from matches.lifecycle.finish import ResultInput
from matches.models import Match
from players.actors import Actor
from players.models import User
from tests.api.requests import problem_code, send
from tests.event_cast import NOW, RunningEvent
from tournaments.models import Correction, Fixture
from tournaments.results import services as results

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
NEW = {"winner": 1, "score": [5, 7]}


@pytest.fixture
def played(running: RunningEvent, by_alice: Actor) -> RunningEvent:
    """M1 ended 7–5 for its first side, M2 7–0, and the final 7–3."""
    for number, score in ((1, (7, 5)), (2, (7, 0)), (3, (7, 3))):
        fixture = Fixture.objects.select_related("stage").get(stage__division=running.division, number=number)
        results.enter_result(fixture=fixture, result=ResultInput(0, score), by=by_alice, now=NOW)
    running.division.refresh_from_db()
    running.fixture.refresh_from_db()
    return running


def here(played: RunningEvent) -> str:
    return f"fixtures/{played.fixture.public_id}/corrections/"


def preview(client: Client, played: RunningEvent) -> dict[str, Any]:
    answer = send(client, "post", f"{here(played)}preview/", NEW)
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    assert answer["ETag"] == f'"{body["seq"]}"'
    return body


def test_a_result_is_previewed_corrected_and_restored(alice_client: Client, played: RunningEvent) -> None:
    previewed = preview(alice_client, played)
    assert (previewed["default"], previewed["standing"]["score"], previewed["result"]["score"]) == (
        "let_stand",
        [7, 5],
        [5, 7],
    )
    (everything,) = [change for change in previewed["choices"] if change["choice"] == "correct_all"]
    (final,) = everything["fixtures"]
    assert (final["number"], final["voided"]["score"], final["stopped"]) == (3, [7, 3], False)
    assert everything["places"]
    assert everything["ratings"]

    request_body = {
        **NEW,
        "choice": "correct_all",
        "after": previewed["seq"],
        "mark": previewed["mark"],
        "reason": "Wrong sheet.",
    }
    response = send(alice_client, "post", here(played), request_body)
    assert response.status_code == 201
    correction = response.json()["correction"]
    assert (correction["choice"], correction["reason"], correction["by"], correction["changed"]) == (
        "correct_all", "Wrong sheet.", "Alice", [[1, 3]],
    )  # fmt: skip
    assert response["ETag"] == f'"{response.json()["seq"]}"'
    assert send(alice_client, "post", here(played), request_body).json()["correction"] == correction, (
        "the second of two clicks"
    )

    assert alice_client.get(f"/api/v1/{here(played)}").json() == [correction]
    undo = f"corrections/{correction['public_id']}/undo/"
    back = send(alice_client, "post", f"{undo}preview/").json()
    assert back["result"]["score"] == [7, 5]
    assert [change["returns"]["score"] for change in back["choices"][-1]["fixtures"]] == [[7, 3]]
    undone = send(alice_client, "post", undo, {"reason": "It was right."}, **{"If-Match": f'"{back["seq"]}"'})
    assert undone.status_code == 201
    assert undone.json()["correction"]["undoes"] == correction["public_id"]
    first = alice_client.get(f"/api/v1/corrections/{correction['public_id']}/").json()
    assert first["undone_by"] == undone.json()["correction"]["public_id"]


def test_a_long_list_takes_as_many_queries_as_a_short_list(alice_client: Client, played: RunningEvent) -> None:
    seq, query_counts = played.division.seq, []
    for number, score in enumerate(([5, 7], [7, 5], [3, 7]), start=1):
        request_body = {"winner": number % 2, "score": score, "choice": "keep_bracket", "after": seq}
        seq = send(alice_client, "post", here(played), request_body).json()["seq"]
        with CaptureQueriesContext(connection) as captured:
            assert len(alice_client.get(f"/api/v1/{here(played)}").json()) == number
        query_counts.append(len(captured))
    assert len(set(query_counts)) == 1, query_counts


def test_letting_a_result_stand_creates_no_correction(alice_client: Client, played: RunningEvent) -> None:
    previewed = preview(alice_client, played)
    response = send(alice_client, "post", here(played), {**NEW, "choice": "let_stand", "after": previewed["seq"]})
    assert (response.status_code, response.json()["correction"], Correction.objects.count()) == (200, None, 0)


def test_refusals_have_codes(alice_client: Client, played: RunningEvent, by_alice: Actor) -> None:
    previewed = preview(alice_client, played)
    request_body = {**NEW, "choice": "correct_all"}
    assert problem_code(send(alice_client, "post", here(played), request_body))[0] == 422, "after is needed"
    assert problem_code(send(alice_client, "post", here(played), {**request_body, "after": previewed["seq"] - 1})) == (
        409,
        "stale",
    )
    same = {**request_body, "winner": 0, "score": [7, 5], "after": previewed["seq"]}
    assert problem_code(send(alice_client, "post", here(played), same)) == (422, "correction_same")
    assert problem_code(send(alice_client, "post", f"{here(played)}preview/", {**NEW, "score": [5, 6]})) == (
        422,
        "result_not_reached",
    )
    assert problem_code(send(alice_client, "post", f"{here(played)}preview/", {**NEW, "kind": "void"}))[0] == 422
    corrected = send(alice_client, "post", here(played), {**request_body, "after": previewed["seq"]}).json()
    undo = f"corrections/{corrected['correction']['public_id']}/undo/"
    assert problem_code(send(alice_client, "post", undo, {"after": previewed["seq"]})) == (409, "stale")
    final = Fixture.objects.select_related("stage").get(stage__division=played.division, number=3)
    results.enter_result(fixture=final, result=ResultInput(0, (7, 1)), by=by_alice, now=NOW)
    assert problem_code(send(alice_client, "post", f"{undo}preview/")) == (409, "successor_begun")


def test_what_has_no_result_has_nothing_to_correct(alice_client: Client, running: RunningEvent) -> None:
    assert problem_code(send(alice_client, "post", f"{here(running)}preview/", NEW)) == (409, "nothing_to_correct")


def test_a_match_begun_since_the_preview_makes_its_mark_stale(
    alice_client: Client, running: RunningEvent, by_alice: Actor
) -> None:
    for number in (1, 2):
        fixture = Fixture.objects.select_related("stage").get(stage__division=running.division, number=number)
        results.enter_result(fixture=fixture, result=ResultInput(0, (7, 5)), by=by_alice, now=NOW)
    previewed = preview(alice_client, running)
    final = Fixture.objects.get(stage__division=running.division, number=3)
    Match.objects.filter(pk=final.match_id).update(seq=9, begun_at=NOW)
    request_body = {**NEW, "choice": "correct_all", "after": previewed["seq"], "mark": previewed["mark"]}
    assert problem_code(send(alice_client, "post", here(running), request_body)) == (409, "stale")
    (again,) = [choice for choice in preview(alice_client, running)["choices"] if choice["choice"] == "correct_all"]
    assert [choice["stopped"] for choice in again["fixtures"]] == [True]


def test_assistants_may_preview_but_not_correct(as_user: Any, erin: User, played: RunningEvent) -> None:
    client = as_user(erin)
    previewed = preview(client, played)
    request_body = {**NEW, "choice": "correct_all", "after": previewed["seq"]}
    assert problem_code(send(client, "post", here(played), request_body))[0] == 403
    assert client.get(f"/api/v1/{here(played)}").json() == []
