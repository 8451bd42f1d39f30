"""Long lists of the API as newline-delimited JSON: every page of the list, one object a line, for who asks for it."""

from collections.abc import Generator
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.utils import timezone, translation
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from core.downloads import long_download


class NdjsonRenderer(JSONRenderer):
    """Chosen by `Accept: application/x-ndjson`; it renders errors, which are JSON as always."""

    media_type = "application/x-ndjson"
    format = "ndjson"


def is_wanted(request: Request) -> bool:
    """Whether the client has asked for a list as lines."""
    return isinstance(getattr(request, "accepted_renderer", None), NdjsonRenderer)


def is_page(response: HttpResponseBase) -> bool:
    data = getattr(response, "data", None)
    return isinstance(data, dict) and {"next", "results"} <= data.keys()


def as_lines(view: Any, request: Request, page: dict[str, Any]) -> HttpResponseBase:
    """Return the rows of this page and of all that follow, each of which is read only once the one before was sent.

    Refused: `too_many_downloads`, `too_many_attempts`.
    """
    pages = _pages(view, request, page)
    if page["next"] is None:
        return HttpResponse(b"".join(pages), content_type=NdjsonRenderer.media_type)
    django_request = request._request  # noqa: SLF001
    return long_download(django_request, pages, name="list.ndjson", content_type=NdjsonRenderer.media_type)


def _pages(view: Any, request: Request, page: dict[str, Any]) -> Generator[bytes, None, None]:
    """Yield the pages. Each is asked of the view itself, which authorises again and shows what its reader may see."""
    language, zone, renderer = translation.get_language(), timezone.get_current_timezone(), JSONRenderer()
    while True:
        yield b"".join(renderer.render(row) + b"\n" for row in page["results"])
        if page["next"] is None:
            return
        _free(page["results"])
        # The view reads the query from Django's request, and keeps the paginator of the page before.
        request._request.GET = QueryDict(urlsplit(page["next"]).query)  # noqa: SLF001
        del view._paginator  # noqa: SLF001
        with translation.override(language), timezone.override(zone):
            page = view.get(request, *view.args, **view.kwargs).data


def _free(results: list[Any]) -> None:
    """Free the rows of a page: a serializer and its fields refer to each other, and hold them until it is collected."""
    serializer: Any = getattr(results, "serializer", None)
    for rows in (results, getattr(serializer, "instance", None), getattr(serializer, "_data", None)):
        if isinstance(rows, list):
            rows.clear()
