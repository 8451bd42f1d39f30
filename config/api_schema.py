"""The description of the API: parts that all operations share, and serving it from memory."""

import gzip
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse
from django.urls import get_resolver
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.encoding import force_bytes
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.settings import api_settings

from config.api_errors import PROBLEM_JSON
from config.page_cache import PUBLIC_ROUTES, accepts_gzip
from core.access import Who, open_to
from core.api import description_lock
from core.languages import first_offered
from core.live.stream import HEARTBEAT, LONGEST, MAX_TOPICS
from core.ndjson import NdjsonRenderer
from core.repeats import Repeat

Description = dict[str, Any]

JSON, FORM = "application/json", "multipart/form-data"
METHODS = {"get", "post", "put", "patch", "delete"}
EXAMPLE = {
    "type": "about:blank",
    "title": "Conflict",
    "status": 409,
    "code": "stale",
    "detail": "This has changed in the meantime. Look again before you decide.",
    "params": {"seq": 4},
    "request_id": "5f0c8f7d2b1e4a6c9d3e7f8a1b2c3d4e",
}
OTHERWISE = (
    "Errors that any request can have: malformed (400), no account or an unknown token (401), not "
    "allowed (403), not found (404), unsupported type of response (406) or body (415), the site is busy (503)."
)
NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
RATE_LIMITS: Description = {
    "RateLimit-Limit": {"description": "Requests that a window allows.", "schema": NUMBER},
    "RateLimit-Remaining": {"description": "Requests that are left.", "schema": NUMBER},
    "RateLimit-Reset": {"description": "Seconds until the oldest request no longer counts.", "schema": NUMBER},
}
HEADERS: Description = {
    **RATE_LIMITS,
    "ETag": {
        "description": "The version, to send as `If-Match`, or without its quotation marks as `after`.",
        "required": True,
        "schema": TEXT,
    },
    "Public-ETag": {"description": "Sent to anonymous readers; for `If-None-Match`.", "schema": TEXT},
    "Retry-After": {"description": "Seconds to wait before the next attempt.", "schema": NUMBER},
    "WWW-Authenticate": {"description": "How to authenticate.", "schema": TEXT},
    "X-Request-ID": {"description": "Include it when you report a problem.", "schema": TEXT},
}
"""Headers of responses that belong to no operation."""
OF_STATUS = {"401": ["WWW-Authenticate"], "429": ["Retry-After"], "default": ["Retry-After", "WWW-Authenticate"]}
"""Headers of certain errors."""


OWN_LIMITS = frozenset(
    {"live_act", "live_goodbye", "live_hint", "live_ping", "guest_match_read", "guest_match_act", "guest_match_hint"}
)
"""Operations of a match being played here, which count for a player and a match and announce no state of a rate."""
VERSIONED = frozenset(
    {
        "Apart[]", "Batches", "Bracket", "Corrected", "Division", "Draw", "Fixture", "Match", "PaginatedDrawList",
        "Pairings", "Preview", "Rounds", "SetStage[]", "Standings",
    }
)  # fmt: skip
"""Bodies that come with the version of what they show as their ETag."""


def operations(description: Description) -> Iterator[tuple[str, Description]]:
    for path, item in description["paths"].items():
        for method, operation in item.items():
            if method in METHODS:
                yield path, operation


def responses(result: Description, **_context: Any) -> Description:
    """Describe every error as problem details, also those that no view names, and the headers of all responses."""
    components, public = result["components"], _public_paths()
    components["headers"], errors = HEADERS, components.setdefault("responses", {})
    for path, operation in operations(result):
        answers = {"429": {}, **operation["responses"], "default": {}}
        is_public = path in public and operation is result["paths"][path].get("get")
        for status, answer in answers.items():
            if status.startswith("2"):
                is_limited = operation["operationId"] not in OWN_LIMITS
                headers = _headers(*(RATE_LIMITS if is_limited else ()), "X-Request-ID")
                if status != "202" and _body_of(answer) in VERSIONED:
                    headers |= _headers("ETag")
                elif is_public:
                    headers["ETag"] = {"$ref": "#/components/headers/Public-ETag"}
                answer["headers"] = {**answer.get("headers", {}), **headers}
            else:
                errors.setdefault(_name(status), _error(status))
                answers[status] = {"$ref": f"#/components/responses/{_name(status)}"}
        operation["responses"] = dict(sorted(answers.items()))
    return result


def _public_paths() -> set[str]:
    """Return the paths of operations whose answers anonymous readers share (`config.page_cache`)."""
    known = get_resolver().reverse_dict
    return {
        "/" + path % {name: f"{{{name}}}" for name in names}
        for route in PUBLIC_ROUTES
        for patterns, *_rest in known.getlist(route)
        for path, names in patterns
    }


def _body_of(answer: Description) -> str:
    schema = answer.get("content", {}).get(JSON, {}).get("schema", {})
    is_list = schema.get("type") == "array"
    name: str = (schema["items"] if is_list else schema).get("$ref", "").rpartition("/")[2]
    return f"{name}[]" if is_list else name


def _name(status: str) -> str:
    return "Error" if status == "default" else str(HTTPStatus(int(status)).name).title().replace("_", "")


def _error(status: str) -> Description:
    body: Description = {"schema": {"$ref": "#/components/schemas/Problem"}}
    if status == "409":
        body["example"] = EXAMPLE
    about = OTHERWISE if status == "default" else f"{HTTPStatus(int(status)).phrase}: problem details (RFC 9457)."
    headers = _headers(*RATE_LIMITS, "X-Request-ID", *OF_STATUS.get(status, ()))
    return {"description": about, "content": {PROBLEM_JSON: body}, "headers": headers}


def _headers(*names: str) -> Description:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


IDEMPOTENCY_KEY: Description = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": TEXT,
    "description": "Up to 100 characters, remembered for 48 hours for your account and this action. Repeating the "
    "request with its key changes nothing and returns the first answer; with other fields than `after` it is refused "
    "(422 `key_reused`). 409 `key_in_progress`, with `Retry-After`, while the first request is being done, and "
    "`key_done` where its answer is lost.",
}
SENT_AGAIN = {
    Repeat.KEY: "Send an `Idempotency-Key`: without one it may be done again.",
    Repeat.OWN_KEY: "Send an `Idempotency-Key`: without one it may be done again.",
    Repeat.STATE: "Sent again, it is refused or changes nothing.",
    Repeat.HARMLESS: "Sent again, it does no harm.",
}


def repeats(result: Description, **_context: Any) -> Description:
    """Describe the key that every write accepts, and what protects a write that is sent again without one."""
    for _path, operation in operations(result):
        if (protection := operation.get("x-repeat")) is not None:
            operation["parameters"] = [*operation.get("parameters", ()), IDEMPOTENCY_KEY]
            described = operation.get("description", "")
            operation["description"] = f"{described}\n\n{SENT_AGAIN[Repeat(protection)]}".strip()
    return result


def plain_numbers(result: Description, **_context: Any) -> Description:
    """Describe a choice between fractions as a number: client generators drop fields with an enum of floats."""
    for schema in result["components"]["schemas"].values():
        if schema.get("type") == "number" and "enum" in schema:
            schema["description"] = f"One of {', '.join(map(str, schema.pop('enum')))}."
    return result


def defaults_of_choices(result: Description, **_context: Any) -> Description:
    """State the default of a text that may be empty beside its alternatives, since the pattern does not allow it."""
    nodes: list[Any] = [result]
    while nodes:
        node = nodes.pop()
        nodes.extend(node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
        if isinstance(node, dict) and isinstance(node.get("oneOf"), list):
            stated = [schema.pop("default") for schema in node["oneOf"] if "default" in schema]
            if stated:
                node["default"] = stated[0]
    return result


def json_bodies(result: Description, **_context: Any) -> Description:
    """Describe bodies as JSON alone where a form is the second choice: generated clients send what is named last.

    Uploads name the form first and keep both. Such a body is not marked as required: a client generated from it would
    not compile.
    """
    for _path, operation in operations(result):
        content = operation.get("requestBody", {}).get("content", {})
        if list(content) == [JSON, FORM]:
            del content[FORM]
        elif len(content) > 1:
            operation["requestBody"].pop("required", None)
    return result


def seen_versions(result: Description, **_context: Any) -> Description:
    """Require `after` in the body wherever it or `If-Match` must be sent, since a description cannot require either.

    Whoever uploads a record may leave both out.
    """
    schemas = result["components"]["schemas"]
    for _path, operation in operations(result):
        if any(parameter["name"] == "If-Match" for parameter in operation.get("parameters", ())):
            content = operation.get("requestBody", {}).get("content", {})
            if FORM in content:
                continue
            name = content.get(JSON, {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
            if "after" in schemas.get(name, {}).get("properties", {}):
                required = schemas[name].setdefault("required", [])
                required.extend({"after"}.difference(required))
                operation["requestBody"]["required"] = True
    return result


TOPIC = "^(analysis|chat|division|lobby|match|matches|notifications|record-analysis|tournament|user|watch):.+$"
"""The kinds of topics that apps register."""
STREAM = f"""A stream of server-sent events. It begins with the current number of each topic, then sends every new one.
Each event but the last has a JSON object as its data.

| Event | Data | Meaning |
|---|---|---|
| without a name (`message`) | `TopicChange` | the topic has this number now; read it again if you have not seen it |
| `refused` | `RefusedTopic` | you may not watch this one of several topics |
| `alive` | `{{}}` | sent after {HEARTBEAT:g} seconds of silence; after 25 seconds without a byte, reconnect |
| `end` | `{{}}` | the stream ends, after {LONGEST / 60:g} minutes at the latest; reconnect to be authorised again |

| Topic | Number | Changes |
|---|---|---|
| `match:{{id}}` | `seq` of the match | with everything that happens in it; has `content` for most actions |
| `watch:{{id}}` | last action that spectators see | for delayed spectators, instead of `match` |
| `chat:{{id}}/{{room}}` | time in ms | a message in `players` or `spectators` |
| `division:{{id}}` | `seq` of the division | draw, results, entries, deadlines, settings |
| `matches:division:{{id}}` | time in ms | a match begins, has a new score, is reported, ends |
| `tournament:{{id}}` | time in ms | one of its divisions changes |
| `analysis:{{id}}`, `record-analysis:{{id}}` | time in ms | the analysis of a match or a record progresses |
| `user:{{number}}`, `notifications:{{number}}` | time in ms | matches, challenges, notifications of this account |
| `lobby:open` | time in ms | challenges that are open to everybody |
"""
TOPIC_CHANGE: Description = {
    "type": "object",
    "description": "The number of a topic. With `content` that follows what you have, you need not read it again.",
    "required": ["topic", "seq"],
    "properties": {
        "topic": {"type": "string", "pattern": TOPIC},
        "seq": {"type": "integer"},
        "content": {
            "type": "object",
            "additionalProperties": True,
            "description": "The changed fields of the match being played, the new `actions`, and in `may` what each "
            "side may do.",
        },
    },
}
REFUSED_TOPIC: Description = {"type": "object", "required": ["topic"], "properties": {"topic": {"type": "string"}}}


def event_stream(result: Description, **_context: Any) -> Description:
    """Describe `/live/`, which is no view of REST framework."""
    result["components"]["schemas"] |= {"TopicChange": TOPIC_CHANGE, "RefusedTopic": REFUSED_TOPIC}
    topics = {"type": "array", "minItems": 1, "maxItems": MAX_TOPICS, "items": {"type": "string", "pattern": TOPIC}}
    ticket = "For a personal link, from the state of its match: lasts an hour and may only watch."
    parameters = [
        {"name": "topic", "in": "query", "required": True, "style": "form", "explode": True, "schema": topics},
        {"name": "ticket", "in": "query", "schema": TEXT, "description": ticket},
        {"name": "Match-Link", "in": "header", "schema": TEXT, "description": "The secret of a personal link."},
    ]
    result["paths"]["/live/"] = {
        "get": {
            "operationId": "live_stream",
            "summary": "Watch topics change",
            "description": STREAM,
            "tags": ["live"],
            "parameters": parameters,
            "security": [{"tokenAuth": []}, {"cookieAuth": []}, {}],
            "responses": {
                "200": {
                    "description": "The stream.",
                    "content": {"text/event-stream": {"schema": TEXT}},
                    "headers": _headers("X-Request-ID"),
                },
                **{status: {"$ref": f"#/components/responses/{_name(status)}"} for status in ("400", "404", "default")},
            },
        }
    }
    return result


def lines(result: Description, **_context: Any) -> Description:
    """Describe a list that is sent as lines by the object that each line is; only `Accept` chooses it."""
    schemas = result["components"]["schemas"]
    for _path, operation in operations(result):
        if parameters := operation.get("parameters"):
            operation["parameters"] = [row for row in parameters if row["name"] != api_settings.URL_FORMAT_OVERRIDE]
        for answer in operation["responses"].values():
            if content := answer.get("content", {}).get(NdjsonRenderer.media_type):
                name = content["schema"]["$ref"].rpartition("/")[2]
                content["schema"] = schemas[name]["properties"]["results"]["items"]
    return result


# The description of the API as it is served: generated once in a process for each language and format.


RENDERERS: dict[str, type[BaseRenderer]] = {"json": OpenApiJsonRenderer, "yaml": OpenApiYamlRenderer}


def description(language: str, file_type: str) -> tuple[bytes, bytes, str]:
    """Return the description in one language and format, the same compressed, and its ETag.

    Whoever asks for it while it is generated waits for the same one.
    """
    with description_lock:
        return _generated(language, file_type)


@cache
def _generated(language: str, file_type: str) -> tuple[bytes, bytes, str]:
    with translation.override(language):
        schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
        text = force_bytes(RENDERERS[file_type]().render(schema, renderer_context={}))
    return text, gzip.compress(text, mtime=0), f'W/"{blake2b(text, digest_size=12).hexdigest()}"'


@open_to(get=Who.EVERYBODY)
class ApiSchema(SpectacularAPIView):
    """The description of the API, the same for everybody; `?lang=` chooses a language, `Accept` JSON or YAML."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse | None:
        """Return it, or 304 to a client that has it already."""
        language = first_offered(request.query_params.get("lang", ""), translation.get_language() or "")
        text, compressed, etag = description(language, request.accepted_renderer.format)
        is_compressed = accepts_gzip(request.headers.get("Accept-Encoding", "").encode())
        response = HttpResponse(
            compressed if is_compressed else text,
            content_type=f"{request.accepted_media_type}; charset=utf-8",
            headers={
                "Cache-Control": "public, no-cache",
                "Content-Disposition": f'inline; filename="Barpoint.{request.accepted_renderer.format}"',
                "Content-Language": language,
                "ETag": etag,
                "Vary": "Accept, Accept-Encoding, Accept-Language, Cookie",
            },
        )
        if is_compressed:
            response["Content-Encoding"] = "gzip"
        # Django's functions take Django's request.
        return get_conditional_response(request._request, etag=etag, response=response)  # noqa: SLF001
