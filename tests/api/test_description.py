"""The API description (OpenAPI) is complete and valid, and its page needs no other server."""

import gzip
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, FormatChecker

from config import api_schema
from config.api_schema import METHODS, operations
from core.live import publishing
from players.models import User
from tests.access.roles import patterns

Described = dict[str, Any]


@pytest.fixture(scope="module")
def description() -> Described:
    described = SchemaGenerator().get_schema(request=None, public=True)
    assert len(described["paths"]) > 50
    return described


@pytest.mark.slow
def test_it_is_valid_without_warnings(tmp_path: Any) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))
    assert (tmp_path / "schema.yml").stat().st_size > 50_000


def test_every_route_of_the_api_is_described(description: Described) -> None:
    ours = {plain(route) for entry in patterns() if "api/v1/" in (route := str(entry.pattern))}
    assert len(ours) > 50
    assert {re.sub(r"{\w+}", "{}", path) for path in description["paths"]} == ours | {"/live/"}


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
        refusals = {status: answer for status, answer in operation["responses"].items() if status[0] != "2"}
        assert {"default", "429"} <= set(refusals) or route == "/live/"
        for status, answer in refusals.items():
            body = description["components"]["responses"][answer["$ref"].rpartition("/")[2]]
            assert set(body["content"]) == {"application/problem+json"}, f"{status} of {route}"
            assert "X-Request-ID" in body["headers"]
    problem = description["components"]["schemas"]["Problem"]
    assert set(problem["required"]) == {"type", "title", "status", "code", "detail"}
    assert "Retry-After" in description["components"]["responses"]["TooManyRequests"]["headers"]


def faults(schema: Described, value: Any, description: Described) -> list[str]:
    """Return what is wrong with a value by its schema."""
    whole = in_json_schema({**schema, "components": description["components"]})
    checked = Draft202012Validator(whole, format_checker=FormatChecker())
    return [error.message for error in checked.iter_errors(value)]


def in_json_schema(node: Any) -> Any:
    """Return a part of the description with what is `nullable` in the words of JSON Schema."""
    if isinstance(node, list):
        return [in_json_schema(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    plain = {name: in_json_schema(inner) for name, inner in node.items() if name != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if node.get("nullable") is True else plain


def parts(node: Any, path: str = "") -> Iterator[tuple[str, Described]]:
    """Yield each object of the description with its path."""
    if isinstance(node, dict):
        yield path, node
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, value in inner:
        yield from parts(value, f"{path}/{name}")


def test_every_default_is_a_value_that_its_schema_allows(description: Described) -> None:
    stated = [
        (path, part, part["default"])
        for path, part in parts(description)
        if "default" in part and {"type", "$ref", "oneOf", "allOf"} & set(part)
    ]
    assert len(stated) > 30
    wrong = {path: faults({**part, "default": None}, value, description) for path, part, value in stated}
    assert {path: found for path, found in wrong.items() if found} == {}


def test_every_example_is_a_value_that_its_schema_allows(description: Described) -> None:
    shown = [
        (f"{path} {name}", part["schema"], example["value"])
        for path, part in parts(description)
        if "schema" in part
        for name, example in {**part.get("examples", {}), "": {"value": part.get("example")}}.items()
        if example["value"] is not None
    ]
    assert len(shown) > 60
    wrong = {path: faults(schema, value, description) for path, schema, value in shown}
    assert {path: found for path, found in wrong.items() if found} == {}


def test_what_must_be_sent_is_required(description: Described) -> None:
    schemas, seen = description["components"]["schemas"], []
    for route, operation in operations(description):
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        fields = schemas.get(body.get("$ref", "").rpartition("/")[2], {})
        takes_version = any(parameter["name"] == "If-Match" for parameter in operation.get("parameters", ()))
        is_upload = "multipart/form-data" in operation.get("requestBody", {}).get("content", {})
        if takes_version and not is_upload and "after" in fields.get("properties", {}):
            assert "after" in fields["required"], route
            assert operation["requestBody"]["required"], route
            seen.append(route)
    assert len(seen) > 20


def test_a_file_is_sent_as_bytes(description: Described) -> None:
    uploads = [
        operation["requestBody"]["content"]["multipart/form-data"]["schema"]["$ref"].rpartition("/")[2]
        for _path, operation in operations(description)
        if "multipart/form-data" in operation.get("requestBody", {}).get("content", {})
    ]
    assert set(uploads) == {"NameFile", "EntryFile", "Record", "RecordOfMatch", "Emblem", "PastFile"}
    schemas = description["components"]["schemas"]
    field_of = dict.fromkeys(uploads, "file") | {"Emblem": "image"}
    assert [name for name in uploads if schemas[name]["properties"][field_of[name]].get("format") != "binary"] == []
    assert not {"file"} & {*schemas["NameList"]["properties"], *schemas["RecordText"]["properties"]}


def test_every_kind_of_topic_is_described(description: Described) -> None:
    stream = description["paths"]["/live/"]["get"]
    kinds = re.match(r"\^\((.*)\):", stream["parameters"][0]["schema"]["items"]["pattern"])
    assert kinds is not None
    assert set(kinds[1].split("|")) == set(publishing._checks)
    for kind in publishing._checks:
        assert f"`{kind}:" in stream["description"], kind
    for event in ("message", "refused", "alive", "end"):
        assert f"`{event}`" in stream["description"], event


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
    answer = client.get("/api/docs/reference/")
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
