"""Pagination of pages and API."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.core.signing import BadSignature, Signer
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

Row = TypeVar("Row")

PAGE_SIZE, MAX_PAGE_SIZE = 50, 200
"""Rows of a page in the API: without `page_size`, and at most."""


class PageSerializer(serializers.Serializer[dict[str, Any]]):
    """Which page of a list a client asks for."""

    page_size = serializers.IntegerField(min_value=1, max_value=MAX_PAGE_SIZE, default=PAGE_SIZE)
    cursor = serializers.CharField(max_length=100, required=False)


class CursorPages(BasePagination):
    """Pages of the API's lists, without a count: the last page takes no longer than the first.

    A cursor names the last row of a page, and the next page has the rows after it in the order of the queryset, which
    must be unique. So rows that are added or removed meanwhile neither repeat nor skip others, as long as the order of
    the others stays. A cursor is signed, so that only rows a client was shown can be used to learn the order of others,
    and contains no value of the row, since lists are ordered by names that some readers may not see.
    """

    def __init__(self) -> None:
        self._next: str | None = None

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return the rows of the page. Raises ValidationError for a wrong `page_size` or `cursor`."""
        query = PageSerializer(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        size, cursor = query.validated_data["page_size"], query.validated_data.get("cursor")
        signer = Signer(salt=f"cursor.{queryset.model._meta.label}")
        if cursor is not None:
            queryset = queryset.filter(_after(_row_of(cursor, signer, queryset), _order(queryset)))
        rows = list(queryset[: size + 1])
        if len(rows) > size:
            rows = rows[:size]
            url = request.build_absolute_uri()
            self._next = replace_query_param(url, "cursor", signer.sign(str(rows[-1].pk)))
        return rows

    def get_paginated_response(self, data: Any) -> Response:
        """Return the rows with the URL of the next page."""
        return Response({"next": self._next, "results": data})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The same for the description of the API."""
        following = {"type": "string", "nullable": True, "format": "uri", "description": "The next page, if any."}
        return {
            "type": "object",
            "required": ["next", "results"],
            "properties": {"next": following, "results": schema},
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """The parameters of every list."""
        size = {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": PAGE_SIZE}
        about = "Where the page begins, from `next` of the page before."
        return [
            {"name": "page_size", "in": "query", "required": False, "schema": size},
            {"name": "cursor", "in": "query", "required": False, "schema": {"type": "string"}, "description": about},
        ]


def _order(queryset: QuerySet[Any]) -> Sequence[str]:
    """The fields by which a queryset is ordered."""
    return [str(name) for name in queryset.query.order_by or queryset.model._meta.ordering]


def _row_of(cursor: str, signer: Signer, queryset: QuerySet[Any]) -> Any:
    """Return the row that a cursor names, which may have left the list. Raises ValidationError if it was deleted."""
    try:
        row = queryset.model._base_manager.filter(pk=signer.unsign(cursor)).first()  # noqa: SLF001
    except BadSignature:
        row = None
    if row is None:
        raise serializers.ValidationError({"cursor": [_("This page does not exist. Start again with the first one.")]})
    return row


def _after(last: Any, order: Sequence[str]) -> Q:
    """Condition: a row comes after `last`, in the order of fields of which the last is unique.

    The first field is compared once more on its own, which is what databases use an index for.
    """
    condition, first = Q(), Q()
    for name in reversed(order):
        field, beyond = (name[1:], "lt") if name.startswith("-") else (name, "gt")
        value = last
        for attribute in field.split("__"):
            value = getattr(value, attribute)
        condition = Q(**{f"{field}__{beyond}": value}) | (Q(**{field: value}) & condition if condition else Q())
        first = Q(**{f"{field}__{beyond}e": value})
    return first & condition


class PartSerializer(serializers.Serializer[dict[str, Any]]):
    """Which part of a list a client asks for."""

    page_size = serializers.IntegerField(min_value=1, max_value=MAX_PAGE_SIZE, required=False)
    cursor = serializers.RegexField(r"\A[0-9]{1,9}(-[0-9]{1,9})*\Z", required=False)


PART = [
    OpenApiParameter(
        "page_size",
        {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE},
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
