"""The API description (OpenAPI) is complete and valid, and its page needs no other server."""

import gzip
import re
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from drf_spectacular.generators import SchemaGenerator

from config import api_schema
from config.api_schema import METHODS, operations
from players.models import User
from tests.access.test_routes import routes

Described = dict[str, Any]


@pytest.fixture(scope="module")
def description() -> Described:
    described = SchemaGenerator().get_schema(request=None, public=True)
    assert len(described["paths"]) > 50
    return described


def test_it_is_valid_without_warnings(tmp_path: Any) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))
    assert (tmp_path / "schema.yml").stat().st_size > 50_000


def test_every_route_of_the_api_is_described(description: Described) -> None:
    ours = {plain(route) for route in routes() if "api/v1/" in route}
    assert len(ours) > 50
    assert {re.sub(r"{\w+}", "{}", path) for path in description["paths"]} == ours


def plain(route: str) -> str:
    """Return a route of the URL configuration as a path with unnamed parameters."""
    path = re.sub(r"\(\?P<\w+>[^)]*\)", "{}", route)
    return "/" + path.replace("\\", "").strip("^$")


def test_every_operation_has_its_own_name_and_a_summary(description: Described) -> None:
    names = [operation["operationId"] for _path, operation in operations(description)]
    assert len(names) == len(set(names)) > 70
    for route, operation in operations(description):
        assert operation.get("summary"), f"{operation['operationId']} of {route} has no summary"


def test_every_body_has_an_example(description: Described) -> None:
    bodies = [
        (path, op["operationId"], op["requestBody"]) for path, op in operations(description) if "requestBody" in op
    ]
    assert len(bodies) > 30
    bare = [name for _path, name, body in bodies if not any("examples" in kind for kind in body["content"].values())]
    assert bare == []


def test_every_error_is_problem_details(description: Described) -> None:
    for route, operation in operations(description):
        refusals = {status: body for status, body in operation["responses"].items() if status[0] != "2"}
        assert "default" in refusals, route
        for status, body in refusals.items():
            assert set(body["content"]) == {"application/problem+json"}, f"{status} of {route}"
    problem = description["components"]["schemas"]["Problem"]
    assert set(problem["required"]) == {"type", "title", "status", "code", "detail"}


def test_a_token_or_a_session_authenticates(description: Described) -> None:
    assert set(description["components"]["securitySchemes"]) == {"tokenAuth", "cookieAuth"}
    open_to_all = ("/api/v1/accounts/", "/api/v1/tokens/", "/api/v1/submissions/")
    writes = [
        operation
        for path, item in description["paths"].items()
        for method, operation in item.items()
        if method in METHODS - {"get"} and not path.startswith(open_to_all)
    ]
    assert len(writes) > 30
    assert [operation["operationId"] for operation in writes if not operation.get("security")] == []


@pytest.mark.parametrize("accept", ["application/json", "application/vnd.oai.openapi", "*/*"])
def test_it_is_public(client: Client, db: None, accept: str) -> None:
    answer = client.get("/api/schema/", headers={"Accept": accept})
    assert answer.status_code == 200
    assert b"tournaments_create" in answer.content


def test_it_is_generated_once_for_all_clients(client: Client, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    generated = []
    generate = SchemaGenerator.get_schema

    def counting(self: SchemaGenerator, *args: Any, **kwargs: Any) -> Any:
        generated.append(args)
        return generate(self, *args, **kwargs)

    monkeypatch.setattr(SchemaGenerator, "get_schema", counting)
    api_schema._generated.cache_clear()
    plain = client.get("/api/schema/?format=json")
    client.force_login(bob)
    for query in ("", "&lang=en", "&lang=no-such-language", "&version=2"):
        again = client.get(f"/api/schema/?format=json{query}")
        assert (again.content, again["ETag"]) == (plain.content, plain["ETag"]), query
    compressed = client.get("/api/schema/?format=json", headers={"Accept-Encoding": "gzip, br"})
    assert (compressed["Content-Encoding"], gzip.decompress(compressed.content)) == ("gzip", plain.content)
    assert len(generated) == 1
    yaml = client.get("/api/schema/?format=yaml")
    assert len(generated) == 2
    assert yaml["ETag"] != plain["ETag"]


def test_who_has_it_already_receives_nothing(client: Client, db: None) -> None:
    first = client.get("/api/schema/?format=json")
    assert first["Cache-Control"] == "public, no-cache"
    assert "Set-Cookie" not in first
    again = client.get("/api/schema/?format=json", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    other = client.get("/api/schema/?format=yaml", headers={"If-None-Match": first["ETag"]})
    assert other.status_code == 200


def test_the_documentation_page_needs_no_other_server(client: Client, db: None) -> None:
    answer = client.get("/api/docs/")
    page = answer.content.decode()
    files = re.findall(r'(?:src|href)="([^"#]+)"', page)
    assert len(files) >= 4
    for file in files:
        assert file.startswith("/"), file
        if file.startswith("/static/"):
            assert finders.find(file.removeprefix("/static/")), file
    assert "http" not in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/api/v1/nothing/", "/api/v1/matches/no/", "/api/nowhere"])
def test_an_unknown_url_is_a_problem(client: Client, db: None, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")
    assert answer.json()["code"] == "not_found"
    assert answer.json()["request_id"] == answer.headers["X-Request-ID"]


class WithABug:
    """The site with an API route that crashes."""

    from config.urls import handler400, handler404, handler500
    from config.urls import urlpatterns as _site

    @staticmethod
    def crashes(request: HttpRequest) -> HttpResponse:
        raise RuntimeError("a bug")

    urlpatterns = (*_site, path("api/v1/crashes/", crashes))


@override_settings(ROOT_URLCONF=WithABug)
def test_an_unexpected_error_is_a_problem_and_reveals_nothing(db: None) -> None:
    answer = Client(raise_request_exception=False).get("/api/v1/crashes/")
    assert (answer.status_code, answer.headers["Content-Type"]) == (500, "application/problem+json")
    assert answer.json()["code"] == "error"
    assert "a bug" not in answer.content.decode()


def test_a_request_that_django_refuses_is_a_problem(client: Client, db: None) -> None:
    fields = {f"field{number}": "x" for number in range(1001)}
    answer = client.post("/api/v1/submissions/", fields)
    assert (answer.status_code, answer.headers["Content-Type"]) == (413, "application/problem+json")
    assert answer.json()["code"] == "too_large"


def test_an_unknown_page_is_a_page(client: Client, db: None) -> None:
    assert client.get("/nowhere/").headers["Content-Type"].startswith("text/html")
