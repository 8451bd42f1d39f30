"""The API of submitted records."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from engine import check_record
from matches.models import MAX_BYTES, Submission
from matches.reporting.records import adjudicate_submission
from players.models import User
from tests.matches.records.samples import ILLEGAL, simulated

pytestmark = pytest.mark.django_db
PATH = "/api/v1/submissions/"


def post(client: Client, **more: Any) -> Any:
    body = {"text": simulated().decode(), "file_name": "final.mat"}
    return client.post(PATH, more.pop("data", body), content_type="application/json", **more)


def checked(client: Client, text: str) -> Any:
    created = post(client, data={"text": text})
    adjudicate_submission(submission_id=Submission.objects.latest("pk").pk, now=timezone.now())
    return client.get(created["Location"])


def test_text_sent_as_json_is_created_and_returns_its_url(client: Client) -> None:
    response = post(client)
    submission = Submission.objects.get()
    assert response.status_code == 201
    assert response["Location"] == f"http://testserver{PATH}{submission.public_id}/"
    answer = response.json()
    assert answer["public_id"] == submission.public_id
    assert (answer["state"], answer["verdict"], answer["downloads"]) == ("queued", None, {})
    assert answer["page"] == f"http://testserver/check/{submission.public_id}/"
    assert (submission.source, submission.file_name) == ("api", "final.mat")


def test_a_file_may_be_sent_as_multipart(client: Client) -> None:
    data = simulated()
    response = client.post(PATH, {"file": SimpleUploadedFile("round 1.mat", data)})
    assert response.status_code == 201
    submission = Submission.objects.get()
    assert bytes(submission.data) == data
    assert submission.file_name == "round 1.mat"


def test_the_verdict_has_codes_parameters_and_messages(client: Client) -> None:
    answer = checked(client, ILLEGAL).json()
    assert answer["state"] == "done"
    assert answer["format"] == "mat"
    verdict = answer["verdict"]
    assert verdict["outcome"] == "rejected"
    assert verdict["players"] == ["Bob", "Carol"]
    assert verdict["games"][0]["kind"] == "unfinished"
    error = next(finding for finding in verdict["findings"] if finding["severity"] == "error")
    assert error["code"] == "must_play_more"
    assert error["params"]["count"] == 4
    assert error["message"] == "As much of a double as possible must be played, here 4 of 4 steps."
    assert (error["game"], error["ply"], error["line"]) == (1, 4, 6)
    assert error["xgid"]
    assert error["nearest"]


def test_a_checked_match_can_be_downloaded(client: Client) -> None:
    answer = checked(client, simulated().decode()).json()
    assert sorted(answer["downloads"]) == ["json", "mat", "sgf"]
    for extension, address in answer["downloads"].items():
        check = check_record(client.get(address).content)
        assert (check.format, check.verdict.outcome) == (extension, "accepted")


def test_text_that_is_no_record_has_a_verdict_and_no_downloads(client: Client) -> None:
    answer = checked(client, "nothing").json()
    assert answer["verdict"]["outcome"] == "rejected"
    assert answer["downloads"] == {}
    problem = client.get(f"{PATH}{answer['public_id']}/record.mat")
    assert problem.status_code == 404
    assert problem["Content-Type"] == "application/problem+json"
    assert problem.json()["code"] == "no_transcript"


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        ({}, 422, "file_missing"),
        ({"text": "  "}, 422, "file_missing"),
        ({"text": "x" * (MAX_BYTES + 1)}, 413, "record_too_large"),
        ({"text": ["a"]}, 422, "invalid"),
        ([], 422, "invalid"),
    ],
)
def test_an_invalid_upload_returns_a_problem_with_a_code(client: Client, data: Any, status: int, code: str) -> None:
    response = post(client, data=data)
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == code
    assert not Submission.objects.exists()


@pytest.mark.slow
def test_the_largest_record_can_be_sent_as_json_even_if_it_is_all_line_ends(client: Client) -> None:
    text = "\n" * (MAX_BYTES - 1) + "x"
    assert len(json.dumps({"text": text})) > 2 * MAX_BYTES - 2
    assert post(client, data={"text": text}).status_code == 201


def test_a_body_that_is_too_long_is_refused_before_it_is_read(client: Client) -> None:
    response = client.post(PATH, b'{"text": "' + b"x" * (7 * MAX_BYTES) + b'"}', content_type="application/json")
    assert response.status_code == 413


def test_broken_json_returns_a_problem(client: Client) -> None:
    response = client.post(PATH, b'{"text": ', content_type="application/json")
    assert response.status_code == 400
    assert response.json()["code"] == "parse_error"


def test_the_same_key_returns_the_first_submission(client: Client) -> None:
    first, again = (post(client, headers={"Idempotency-Key": "a1"}) for _ in range(2))
    assert first.status_code == again.status_code == 201
    assert first["Location"] == again["Location"]
    other = post(client, data={"text": ILLEGAL}, headers={"Idempotency-Key": "a1"})
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    long = post(client, headers={"Idempotency-Key": "a" * 101})
    assert (long.status_code, long.json()["code"]) == (422, "key_too_long")


def test_the_same_record_without_a_key_returns_the_existing_submission(client: Client) -> None:
    assert post(client).status_code == 201
    again = post(client)
    assert again.status_code == 200
    assert Submission.objects.count() == 1


def test_an_account_is_remembered_as_the_sender(client: Client, bob: User) -> None:
    from tests.tokens import key_for

    token = key_for(bob)
    assert post(client, headers={"Authorization": f"Token {token}"}).status_code == 201
    assert Submission.objects.get().submitter == bob


def test_the_api_and_the_pages_share_one_limit(client: Client, settings: Any) -> None:
    settings.UPLOAD_RATES = {"anon": "1/hour", "user": "1/hour"}
    assert client.post("/check/", {"text": ILLEGAL}).status_code == 302
    response = post(client)
    assert (response.status_code, response.json()["code"]) == (429, "too_many_uploads")


def test_an_unknown_id_is_not_found(client: Client) -> None:
    response = client.get(f"{PATH}2222222222/")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_the_schema_describes_it_with_examples(client: Client) -> None:
    schema = client.get("/api/schema/", headers={"Accept": "application/vnd.oai.openapi+json"}).json()
    create = schema["paths"][PATH]["post"]
    assert set(create["requestBody"]["content"]) == {"multipart/form-data", "application/json"}
    assert create["requestBody"]["content"]["application/json"]["examples"]
    assert {"201", "200", "413", "422", "429"} <= set(create["responses"])
    assert any(parameter["name"] == "Idempotency-Key" for parameter in create["parameters"])
