"""Parts that all operations of the API description share."""

from collections.abc import Iterator
from typing import Any

from config.api_errors import PROBLEM_JSON

Description = dict[str, Any]

JSON, FORM = "application/json", "multipart/form-data"
METHODS = {"get", "post", "put", "patch", "delete"}
PROBLEM = "#/components/schemas/Problem"
EXAMPLE = {
    "type": "about:blank",
    "title": "Conflict",
    "status": 409,
    "code": "stale",
    "detail": "Someone else changed this in the meantime. Look again before you decide.",
    "params": {"seq": 4},
    "request_id": "5f0c8f7d2b1e4a6c9d3e7f8a1b2c3d4e",
}
OTHERWISE = (
    "Errors that any request can have: malformed (400), no account or an unknown token (401), not "
    "allowed (403), not found (404), unsupported type of response (406) or body (415), too many "
    "requests (429)."
)


def operations(description: Description) -> Iterator[tuple[str, Description]]:
    """Yield each operation with its path."""
    for path, item in description["paths"].items():
        for method, operation in item.items():
            if method in METHODS:
                yield path, operation


def problems(result: Description, **_context: Any) -> Description:
    """Describe every error as problem details, also those that no view names."""
    for _path, operation in operations(result):
        answers = operation["responses"]
        answers.setdefault("default", {"description": OTHERWISE})
        for status, answer in answers.items():
            if not status.startswith("2"):
                body: Description = {"schema": {"$ref": PROBLEM}}
                if status == "409":
                    body["example"] = EXAMPLE
                answer["content"] = {PROBLEM_JSON: body}
    return result


def plain_numbers(result: Description, **_context: Any) -> Description:
    """Describe choices between fractions by a type alone: generators of clients drop what has an enum of floats."""
    for schema in result["components"]["schemas"].values():
        if schema.get("type") == "number" and "enum" in schema:
            schema["description"] = f"One of {', '.join(map(str, schema.pop('enum')))}."
    return result


def json_bodies(result: Description, **_context: Any) -> Description:
    """Describe bodies as JSON alone where a form is only the second choice: generated clients send the last one named.

    Uploads name the form first and keep both.
    """
    for _path, operation in operations(result):
        content = operation.get("requestBody", {}).get("content", {})
        if list(content) == [JSON, FORM]:
            del content[FORM]
    return result
