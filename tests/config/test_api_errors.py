import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.test import Client, RequestFactory
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from engine.errors import Refused
from players.models import User


class GameSerializer(serializers.Serializer):
    points = serializers.IntegerField(min_value=1)


class MatchSerializer(serializers.Serializer):
    length = serializers.IntegerField(max_value=15)
    games = GameSerializer(many=True)


def answer_to(error: Exception) -> Response:
    """Return the response of an endpoint that raises `error`."""

    class Endpoint(APIView):
        permission_classes = ()
        throttle_classes = ()

        def get(self, request: Request) -> Response:
            raise error

    response = Endpoint.as_view()(RequestFactory().get("/"))
    response.render()
    return response


def test_a_refusal_is_a_problem_with_its_code_and_parameters() -> None:
    response = answer_to(Refused("bad_dice", dice="70"))
    assert response.status_code == 422
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.data["code"] == "bad_dice"
    assert response.data["detail"] == "70 is not a roll of two dice with numbers from 1 to 6."
    assert response.data["params"] == {"dice": "70"}


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Refused("stale"), 409, "stale"),
        (Refused("not_yours"), 404, "not_yours"),
        (Refused("may_not"), 403, "may_not"),
        (Http404(), 404, "not_found"),
        (PermissionDenied(), 403, "permission_denied"),
        (exceptions.NotAuthenticated(), 401, "not_authenticated"),
        (exceptions.ParseError(), 400, "parse_error"),
        (exceptions.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (exceptions.UnsupportedMediaType("text/plain"), 415, "unsupported_media_type"),
        (exceptions.Throttled(wait=7), 429, "throttled"),
    ],
)
def test_each_error_has_its_status_and_code(error: Exception, status: int, code: str) -> None:
    response = answer_to(error)
    assert (response.status_code, response.data["code"], response.data["status"]) == (status, code, status)
    assert response.headers["Content-Type"] == "application/problem+json"


def test_a_throttled_client_is_told_how_long_to_wait() -> None:
    assert answer_to(exceptions.Throttled(wait=7)).headers["Retry-After"] == "7"
    assert answer_to(Refused("too_many_attempts", minutes=3)).headers["Retry-After"] == "180"


def test_answers_say_how_many_requests_are_left(client: Client, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"anon": "2/min", "user": "9/min"})
    answers = [client.get("/api/v1/clubs/") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer["RateLimit-Remaining"] for answer in answers] == ["1", "0", "0"]
    assert {answer["RateLimit-Limit"] for answer in answers} == {"2"}
    assert all(0 < int(answer["RateLimit-Reset"]) <= 60 for answer in answers)
    client.force_login(bob)
    mine = client.get("/api/v1/clubs/")
    assert (mine["RateLimit-Limit"], mine["RateLimit-Remaining"]) == ("9", "8")
    assert "RateLimit-Limit" not in client.get("/clubs/")


def test_each_invalid_field_is_named_with_its_reason() -> None:
    serializer = MatchSerializer(data={"length": 99, "games": [{"points": 1}, {"points": 0}]})
    assert not serializer.is_valid()
    response = answer_to(serializers.ValidationError(serializer.errors))
    assert response.status_code == 422
    assert response.data["code"] == "invalid"
    assert [(fault["field"], fault["code"]) for fault in response.data["errors"]] == [
        ("length", "max_value"),
        ("games.1.points", "min_value"),
    ]


def test_an_unexpected_error_is_not_reported_as_a_refusal() -> None:
    with pytest.raises(RuntimeError):
        answer_to(RuntimeError("a bug"))


@pytest.mark.parametrize("method", ["get", "post", "patch", "put", "delete"])
def test_an_address_without_its_slash_is_refused_with_the_right_one(client: Client, method: str) -> None:
    answer = getattr(client, method)("/api/v1/tournaments?club=harbour")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    problem, address = answer.json(), "/api/v1/tournaments/?club=harbour"
    assert (problem["code"], problem["params"]) == ("missing_slash", {"address": address})
    assert problem["detail"] == f"Addresses of the API end with a slash: {address}"
    assert answer["Link"] == f'<{address}>; rel="canonical"'


def test_other_addresses_are_unknown_as_before_and_pages_get_their_slash(client: Client) -> None:
    for path in ("/api/v1/nowhere", "/api/v1/nowhere/", "/api/"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        assert "Link" not in answer
    moved = client.get("/clubs?q=harbour")
    assert (moved.status_code, moved["Location"]) == (301, "/clubs/?q=harbour")
