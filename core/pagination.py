"""Pagination of pages and API."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

Row = TypeVar("Row")


class NumberedPages(PageNumberPagination):
    """Pages of 50 for the API, or of the `page_size` the client sends, up to 200."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200


class PartSerializer(serializers.Serializer[dict[str, Any]]):
    """Which part of a list a client asks for."""

    page_size = serializers.IntegerField(min_value=1, max_value=NumberedPages.max_page_size, required=False)
    cursor = serializers.RegexField(r"\A[0-9]{1,9}(-[0-9]{1,9})*\Z", required=False)


PART = [
    OpenApiParameter(
        "page_size",
        {"type": "integer", "minimum": 1, "maximum": NumberedPages.max_page_size},
        description="Without it the answer is the whole list.",
    ),
    OpenApiParameter(
        "cursor",
        {"type": "string", "pattern": "^[0-9]{1,9}(-[0-9]{1,9})*$"},
        description='Where the part begins, from the `Link` header with `rel="next"` of the part before.',
    ),
]
"""The parameters of a list of which `part_of` returns a part."""


def part_of(
    request: Request, rows: Sequence[Row], key: Callable[[Row], tuple[int, ...]]
) -> tuple[Sequence[Row], dict[str, str]]:
    """Return the part of a list that a request asks for, and the headers of its answer, with a link to the next part.

    `rows` are in the ascending order of `key`, which is the cursor: rows that are added or removed meanwhile neither
    repeat nor skip others. Raises ValidationError for a wrong `page_size` or `cursor`.
    """
    query = PartSerializer(data=request.query_params.dict())
    query.is_valid(raise_exception=True)
    size, cursor = query.validated_data.get("page_size"), query.validated_data.get("cursor")
    if cursor is not None:
        last = tuple(map(int, cursor.split("-")))
        rows = [row for row in rows if key(row) > last]
    if size is None or len(rows) <= size:
        return rows, {}
    rows = rows[:size]
    url = replace_query_param(request.build_absolute_uri(), "cursor", "-".join(map(str, key(rows[-1]))))
    return rows, {"Link": f'<{url}>; rel="next"'}


def page_of(
    rows: QuerySet[Any] | Sequence[Any], number: str | int | None, size: int, *, count: int | None = None
) -> Page[Any]:
    """Return a page of a list: the first if `number` is too small or not a number, the last if it is too large.

    `count` is the number of rows if the caller knows it; it saves a query.
    """
    paginator = Paginator(rows, size)
    if count is not None:
        paginator.count = count
    return paginator.get_page(max(1, number) if isinstance(number, int) else number)
