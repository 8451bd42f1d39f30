"""The description of the API: parts that all operations share, and serving it from memory."""

import gzip
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import Any

from django.conf import settings
from django.http import HttpResponse
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
from config.page_cache import accepts_gzip
from core.api import description_lock
from core.ndjson import NdjsonRenderer

# Parts that all operations of the API description share.


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
    """Describe a choice between fractions as a number: client generators drop fields with an enum of floats."""
    for schema in result["components"]["schemas"].values():
        if schema.get("type") == "number" and "enum" in schema:
            schema["description"] = f"One of {', '.join(map(str, schema.pop('enum')))}."
    return result


def json_bodies(result: Description, **_context: Any) -> Description:
    """Describe bodies as JSON alone where a form is the second choice: generated clients send what is named last.

    Uploads name the form first and keep both.
    """
    for _path, operation in operations(result):
        content = operation.get("requestBody", {}).get("content", {})
        if list(content) == [JSON, FORM]:
            del content[FORM]
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


class ApiSchema(SpectacularAPIView):
    """The description of the API, the same for everybody; `?lang=` chooses a language, `Accept` JSON or YAML."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse | None:
        """Return it, or 304 to a client that has it already."""
        chosen = request.query_params.get("lang")
        language = chosen if chosen in dict(settings.LANGUAGES) else translation.get_language()
        text, compressed, etag = description(language or settings.LANGUAGE_CODE, request.accepted_renderer.format)
        is_compressed = accepts_gzip(request.headers.get("Accept-Encoding", "").encode())
        response = HttpResponse(
            compressed if is_compressed else text,
            content_type=f"{request.accepted_media_type}; charset=utf-8",
            headers={
                "Cache-Control": "public, no-cache",
                "Content-Disposition": f'inline; filename="Barpoint.{request.accepted_renderer.format}"',
                "ETag": etag,
                "Vary": "Accept, Accept-Encoding, Accept-Language, Cookie",
            },
        )
        if is_compressed:
            response["Content-Encoding"] = "gzip"
        return get_conditional_response(request._request, etag=etag, response=response)  # noqa: SLF001
