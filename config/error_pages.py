"""Error pages, each with links to go on; the API gets a problem instead."""

import sys
from http import HTTPStatus

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults
from rest_framework import exceptions

from config.api_errors import problem_response
from config.api_parsing import TooLarge
from config.database import is_busy
from config.refusals import BUSY, RETRY_AFTER
from players.accounts.views.pages import way_back


class Busy(exceptions.APIException):
    """The database has no time for a request."""

    status_code = BUSY.status
    default_code = BUSY.code


def page(request: HttpRequest, status: int, template: str) -> HttpResponse:
    """Render an error page with links to the previous page and the home page."""
    back = way_back(request)
    return render(request, template, {"back": "" if back in ("/", request.path) else back}, status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404: no such URL, or nothing there that this visitor may see."""
    return problem_response(request, exceptions.NotFound()) or page(request, HTTPStatus.NOT_FOUND, "404.html")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 403: the visitor may not do this."""
    return problem_response(request, exceptions.PermissionDenied()) or page(request, HTTPStatus.FORBIDDEN, "403.html")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without a CSRF token: the page is old, cookies are off, or the form is on another site."""
    return problem_response(request, exceptions.PermissionDenied()) or page(
        request, HTTPStatus.FORBIDDEN, "403_csrf.html"
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what Django refuses to read: too long, too many fields, an unknown host."""
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent):
        return problem_response(request, TooLarge()) or page(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "413.html")
    # Nothing about this request can be trusted, not even its host, so its page needs no context.
    return problem_response(request, exceptions.ParseError()) or defaults.bad_request(request, exception)


def method_not_allowed(request: HttpRequest) -> HttpResponse:
    """Answer a GET request to a URL that accepts only forms."""
    return page(request, HTTPStatus.METHOD_NOT_ALLOWED, "405.html")


def busy(request: HttpRequest) -> HttpResponse:
    """Answer 503: the database was locked for too long, or takes no more connections."""
    problem = Busy(BUSY.detail(request.method or ""))
    answer = problem_response(request, problem) or page(request, HTTPStatus.SERVICE_UNAVAILABLE, "503.html")
    answer.headers["Retry-After"] = str(RETRY_AFTER)
    return answer


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an unexpected error, which is in the log with the request's id."""
    error = sys.exc_info()[1]
    if error is not None and is_busy(error):
        return busy(request)
    return problem_response(request, exceptions.APIException()) or defaults.server_error(request)
