"""What an endpoint accepts: the fields and query parameters that its description declares, and nothing else."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from itertools import islice
from threading import Lock
from typing import Any, NamedTuple

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.plumbing import ComponentRegistry
from drf_spectacular.settings import spectacular_settings
from rest_framework import exceptions, serializers, views
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.utils import html

from core import ndjson
from core.lines import check_one_line, is_one_line
from core.requests import entity_tags, parse_int
from engine.errors import Refused

UNKNOWN_FIELD = "unknown_field"
"""The code of a field or query parameter that an operation does not have."""
CSRF_FIELD = "csrfmiddlewaretoken"
"""In forms that a page sends."""
ADMITTED = "barpoint.admitted"
"""The key in the environment of a request that says that its account, permissions and rate were checked."""
OPERATIONS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
MAX_NAMED, MAX_SHOWN = 10, 60
"""How many unknown fields an answer names, and how many characters of each."""


class UnknownField(NamedTuple):
    """A field that a request has and its operation has not."""

    at: str
    """The path to the object that has it, such as `games.0.`; empty at the top."""
    name: str
    known: Iterable[str]
    """The names that are possible there."""


def validated(serializer: type[Any], request: Request, **options: Any) -> dict[str, Any]:
    """Return the validated request data; answers 422 with the invalid fields, or with those that are unknown."""
    checked = serializer(data=request.data, **options)
    for field in _texts(checked):
        if is_one_line(field.max_length, strips=field.trim_whitespace):
            field.validators.append(check_one_line)
    _refuse_unknown(_unknown_fields(checked, request.data))
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)


def validated_query(serializer: type[Any], request: Request) -> dict[str, Any]:
    """Return the validated query parameters; answers 422 with the invalid ones."""
    checked = serializer(data=request.query_params)
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)


def _texts(field: Any) -> Iterator[serializers.CharField]:
    """Yield the texts that a serializer takes, however deep in the data."""
    if isinstance(field, serializers.CharField):
        yield field
    elif isinstance(field, serializers.Serializer):
        for inner in field.fields.values():
            yield from _texts(inner)
    elif (child := getattr(field, "child", None)) is not None:
        yield from _texts(child)


def _unknown_fields(serializer: Any, data: Any, at: str = "") -> Iterator[UnknownField]:
    """Yield the fields, however deep in the data, that the serializer does not have."""
    if isinstance(serializer, serializers.Serializer) and isinstance(data, Mapping):
        fields = {name: field for name, field in serializer.fields.items() if not field.read_only}
        is_form = html.is_html_input(data)
        for name in data:
            if not (name in fields or (is_form and (name == CSRF_FIELD or _is_part_of(name, fields)))):
                yield UnknownField(at, str(name), fields)
        for name, field in fields.items():
            if is_form or name in data:
                yield from _unknown_fields(field, field.get_value(data), f"{at}{name}.")
    elif inner := getattr(serializer, "child", None):
        items = data.items() if isinstance(data, Mapping) else enumerate(data if isinstance(data, list) else ())
        for key, value in items:
            yield from _unknown_fields(inner, value, f"{at}{key}.")


def _is_part_of(name: str, fields: Mapping[str, Any]) -> bool:
    """Whether a form spells a part of a nested field so: `games[0]winner` or `offer.note`."""
    field = fields.get(re.split(r"[\[.]", name, maxsplit=1)[0])
    return isinstance(field, serializers.BaseSerializer) or hasattr(field, "child")


def _refuse_unknown(fields: Iterable[UnknownField]) -> None:
    """Raise ValidationError with a sentence for each of the first fields, if there are any."""
    faults = {}
    for at, name, known in islice(fields, MAX_NAMED):
        short_name = name[:MAX_SHOWN]
        if nearest := get_close_matches(short_name, known, n=1):
            text = f"There is no field {short_name}; did you mean {nearest[0]}?"
        else:
            text = f"There is no field {short_name}."
        faults[f"{at}{short_name}"] = [exceptions.ErrorDetail(text, UNKNOWN_FIELD)]
    if faults:
        raise exceptions.ValidationError(faults)


# The version that a write is based on.


def read_after(request: Request, fields: dict[str, Any]) -> int:
    """Take the `seq` that the client saw from `fields`, or from the If-Match header. Refused: `after_missing`."""
    after = stated_after(request, fields)
    if after is None:
        raise Refused("after_missing")
    return after


def stated_after(request: Request, fields: dict[str, Any]) -> int | None:
    """The same where a client need not send it: None if it sends none. Refused: `after_missing` if it is no number."""
    after: int | None = fields.pop("after", None)
    tags = entity_tags(request.headers.get("If-Match", ""))
    if after is None and tags:
        after = parse_int(tags[0]) if len(tags) == 1 else None
        if after is None:
            raise Refused("after_missing")
    return after


# Query parameters, and bodies of operations that have none.


description_lock = Lock()
"""Held while a description is written, which drf-spectacular can do in one thread at a time."""


class Declared(NamedTuple):
    """What the description of an operation says about its requests."""

    parameters: frozenset[str]
    """Names of its query parameters."""
    has_body: bool


@cache
def declared_requests(view: Callable[..., Any], method: str) -> Declared:
    """Read what one operation accepts from its description, which is written for it alone: some milliseconds, once."""
    with description_lock:
        generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]  # it holds the schema of the endpoint
        endpoint = generator.create_view(view, method)
        endpoint.request = spectacular_settings.GET_MOCK_REQUEST(method, "/", endpoint, None)
        operation = endpoint.schema.get_operation("/", "/", "^/", method, ComponentRegistry())
    parameters = {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "query"}
    # Only `Accept` chooses how a list is sent.
    return Declared(frozenset(parameters - {api_settings.URL_FORMAT_OVERRIDE}), "requestBody" in operation)


class APIView(views.APIView):
    """An endpoint that refuses what its description does not name, and sends a list that has pages also as lines."""

    def get_renderers(self) -> list[Any]:
        """Return the renderers; lists that have pages have one more."""
        is_list = self.request is None or self.request.method in ("GET", "HEAD")
        has_pages = is_list and getattr(self, "paginator", None) is not None
        return [*super().get_renderers(), *([ndjson.NdjsonRenderer()] if has_pages else [])]

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the list as lines to who has asked for them."""
        if ndjson.is_wanted(request) and ndjson.is_page(response):
            try:
                response = ndjson.as_lines(self, request, response.data)
            except Refused as refused:
                response = self.handle_exception(refused)
        return super().finalize_response(request, response, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the request after its account, permissions and rate. Raises ValidationError for what is unknown."""
        super().initial(request, *args, **kwargs)
        request.META[ADMITTED] = True
        method = "GET" if request.method == "HEAD" else request.method
        has_body = request.META.get("CONTENT_LENGTH") not in (None, "", "0")
        if not (request.GET or has_body) or method not in OPERATIONS or not hasattr(self, method.lower()):
            return
        assert request.resolver_match is not None  # noqa: S101, an address has led here
        declared = declared_requests(request.resolver_match.func, method)
        _refuse_unknown(
            UnknownField("", name, declared.parameters) for name in request.GET if name not in declared.parameters
        )
        if has_body and not declared.has_body:
            _refuse_unknown(_unknown_fields(serializers.Serializer(), request.data))
