"""The pages for what went wrong, each with a way on; the API gets a problem instead."""

from http import HTTPStatus

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults
from rest_framework import exceptions

from config.api_errors import outside
from players.accounts.views.pages import way_back


class TooLarge(exceptions.APIException):
    """More was sent than is read."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request is too large."
    default_code = "too_large"


def page(request: HttpRequest, status: int, template: str) -> HttpResponse:
    """An error page that leads back to where the visitor was, and home."""
    back = way_back(request)
    return render(request, template, {"back": "" if back in ("/", request.path) else back}, status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer where no URL fits, or what it names is not for this visitor."""
    return outside(request, exceptions.NotFound()) or page(request, HTTPStatus.NOT_FOUND, "404.html")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer to what this visitor may see but not do."""
    return outside(request, exceptions.PermissionDenied()) or page(request, HTTPStatus.FORBIDDEN, "403.html")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The answer to a form without its token: an old page, cookies switched off, or another site's form."""
    return outside(request, exceptions.PermissionDenied()) or page(request, HTTPStatus.FORBIDDEN, "403_csrf.html")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer to what Django itself refuses to read: too long, too many fields, another host's."""
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent):
        return outside(request, TooLarge()) or page(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "413.html")
    # Nothing about this request can be trusted, its host least of all, so its page stands alone.
    return outside(request, exceptions.ParseError()) or defaults.bad_request(request, exception)


def method_not_allowed(request: HttpRequest) -> HttpResponse:
    """The answer where a page is asked for at a URL that only takes forms."""
    return page(request, HTTPStatus.METHOD_NOT_ALLOWED, "405.html")


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer where we have made a mistake, which is in the log under the request's id."""
    return outside(request, exceptions.APIException()) or defaults.server_error(request)
