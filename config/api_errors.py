"""Error responses of the API: problem details (RFC 9457) with a stable `code`."""

from collections.abc import Iterator, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import is_valid_path
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from config.limits import SAFE
from core.api import UNKNOWN_FIELD
from core.left_out import DivisionBroken, left_out, show_the_rest
from core.messages import sentence, status_of
from engine.errors import Refused

PROBLEM_JSON = "application/problem+json"
API_PATH = "/api/"


def handle(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Handle an exception for DRF; return None for unexpected ones, which `server_error` answers."""
    if isinstance(error, DivisionBroken) and (answer := _without(error, context)) is not None:
        return answer
    if isinstance(error, Refused):
        set_rollback()
        detail = sentence(error.code, error.params)
        response = _problem(status_of(error.code), error.code, detail, params=_plain(error.params))
        if response.status_code == HTTPStatus.TOO_MANY_REQUESTS and "minutes" in error.params:
            response["Retry-After"] = str(60 * error.params["minutes"])
        return response
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if not isinstance(error, exceptions.APIException):
        return None
    set_rollback()
    if isinstance(error, exceptions.ValidationError):
        faults = list(_faults(error.get_full_details()))
        detail = " ".join(fault["message"] for fault in faults)
        is_unknown = any(fault["code"] == UNKNOWN_FIELD for fault in faults)
        code = UNKNOWN_FIELD if is_unknown else error.default_code
        return _problem(HTTPStatus.UNPROCESSABLE_ENTITY, code, detail, errors=faults)
    response = _problem(error.status_code, _code(error), str(error.detail))
    if (header := getattr(error, "auth_header", None)) is not None:
        response["WWW-Authenticate"] = header
    if (wait := getattr(error, "wait", None)) is not None:
        response["Retry-After"] = str(int(wait))
    return response


def _without(broken: DivisionBroken, context: Mapping[str, Any]) -> Response | None:
    """Answer a request to read without the divisions that cannot be shown, which it lists; None if it is refused."""
    view, request = context["view"], context["request"]
    is_read = request.method in SAFE
    read = partial(view.get, request, *context["args"], **context["kwargs"]) if is_read else None
    try:
        answer: Response = show_the_rest(broken, read)
    except DivisionBroken:
        return None
    if isinstance(answer.data, dict):
        answer.data["broken_divisions"] = [
            {"id": row.public_id, "code": row.code, "detail": row.sentence, "params": row.params} for row in left_out()
        ]
    return answer


def problem_response(request: HttpRequest, error: exceptions.APIException) -> HttpResponse | None:
    """Return a problem for an error outside the views of the API; None if the request is for a page."""
    if not request.path.startswith((API_PATH, "/live/")):
        return None
    body = _body(error.status_code, _code(error), str(error.detail))
    return JsonResponse(body, status=error.status_code, content_type=PROBLEM_JSON)


def refused_problem(request: HttpRequest, refused: Refused) -> HttpResponse | None:
    """Return a problem for a refusal outside the views of the API; None if the request is for a page."""
    if not request.path.startswith(API_PATH):
        return None
    detail, params = sentence(refused.code, refused.params), _plain(refused.params)
    body = _body(status_of(refused.code), refused.code, detail, params=params)
    return JsonResponse(body, status=body["status"], content_type=PROBLEM_JSON)


def missing_slash(request: HttpRequest) -> HttpResponse | None:
    """Return a problem that names the right address of the API if only the slash at its end is missing, else None."""
    if not request.path.startswith(API_PATH) or request.path.endswith("/"):
        return None
    if not is_valid_path(f"{request.path_info}/"):
        return None
    code, address = "missing_slash", request.get_full_path(force_append_slash=True)
    params = {"address": address}
    body = _body(status_of(code), code, sentence(code, params), params=params)
    headers = {"Link": f'<{address}>; rel="canonical"'}
    return JsonResponse(body, status=body["status"], content_type=PROBLEM_JSON, headers=headers)


def _problem(status: int, code: str, detail: str, **more: Any) -> Response:
    return Response(_body(status, code, detail, **more), status=status, content_type=PROBLEM_JSON)


def _body(status: int, code: str, detail: str, **more: Any) -> dict[str, Any]:
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "code": code,
        "detail": detail,
        **more,
    }
    if request_id := structlog.contextvars.get_contextvars().get("request_id"):
        body["request_id"] = request_id
    return body


def _code(error: exceptions.APIException) -> str:
    codes = error.get_codes()
    return codes if isinstance(codes, str) else error.default_code


def _faults(details: Any, field: str = "") -> Iterator[dict[str, str]]:
    """Flatten DRF's nested details into {field, code, message}; a nested field is written `games.0.winner`."""
    if isinstance(details, Mapping) and "message" in details and "code" in details:
        yield {"field": field, "code": str(details["code"]), "message": str(details["message"])}
    elif isinstance(details, Mapping):
        for name, inner in details.items():
            below = "" if name == "non_field_errors" else str(name)
            yield from _faults(inner, ".".join(filter(None, [field, below])))
    else:
        # A list of messages belongs to the field; a list of objects is numbered.
        for number, inner in enumerate(details):
            is_message = isinstance(inner, Mapping) and "message" in inner and "code" in inner
            yield from _faults(inner, field if is_message else ".".join(filter(None, [field, str(number)])))


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters as JSON can represent them."""
    kept = (str, int, float, bool, type(None), list, dict)
    return {name: value if isinstance(value, kept) else str(value) for name, value in params.items()}
