"""Pagination of pages and API."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from django.core.paginator import Page, Paginator
from django.core.signing import BadSignature, Signer
from django.db.models import Q, QuerySet
from rest_framework import serializers
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from core import ndjson

PAGE_SIZE, MAX_PAGE_SIZE = 50, 200
"""Rows of a page in the API: without `page_size`, and at most."""


class PageSerializer(serializers.Serializer[dict[str, Any]]):
    """Which page of a list a client asks for."""

    page_size = serializers.IntegerField(min_value=1, max_value=MAX_PAGE_SIZE, default=PAGE_SIZE)
    cursor = serializers.CharField(max_length=100, required=False)


class CursorPages(BasePagination):
    """Pages of the API's lists, without a count: the last page takes no longer than the first.

    A cursor names the last row of a page, and the next page has the rows after it in the order of the queryset. So rows
    that are added or removed meanwhile neither repeat nor skip others, as long as the order of the others stays. A
    cursor is signed, so that only rows a client was shown can be used to learn the order of others, and contains no
    value of the row, since lists are ordered by names that some readers may not see.
    """

    def __init__(self) -> None:
        self._next: str | None = None

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return the rows of the page. Raises ValidationError for a wrong `page_size` or `cursor`."""
        query = PageSerializer(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        size = MAX_PAGE_SIZE if ndjson.is_wanted(request) else query.validated_data["page_size"]
        cursor = query.validated_data.get("cursor")
        signer = Signer(salt=f"cursor.{queryset.model._meta.label}")
        queryset = without_ties(queryset)
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
        size = {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": PAGE_SIZE}
        about = "Where the page begins, from `next` of the page before."
        return [
            {"name": "page_size", "in": "query", "required": False, "schema": size},
            {"name": "cursor", "in": "query", "required": False, "schema": {"type": "string"}, "description": about},
        ]


def without_ties(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """Return a queryset in its order, and equal rows by id: PostgreSQL orders them anew for each page."""
    order = [*(queryset.query.order_by or queryset.model._meta.ordering)]
    has_id = bool(order) and str(order[-1]).removeprefix("-") in ("pk", "id")
    return queryset.order_by(*order, *([] if has_id else ["pk"]))


def _order(queryset: QuerySet[Any]) -> Sequence[str]:
    return [str(name) for name in queryset.query.order_by or queryset.model._meta.ordering]


def _row_of(cursor: str, signer: Signer, queryset: QuerySet[Any]) -> Any:
    """Return the row that a cursor names, which may have left the list. Raises ValidationError if it was deleted."""
    try:
        # Without the filters of the list, and of the model's own manager.
        row = queryset.model._base_manager.filter(pk=signer.unsign(cursor)).first()  # noqa: SLF001
    except BadSignature:
        row = None
    if row is None:
        raise serializers.ValidationError({"cursor": ["This page does not exist. Start again with the first one."]})
    return row


def _after(last: Any, order: Sequence[str]) -> Q:
    """Condition: a row comes after `last` in this order, whose last field is unique.

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


class NumberedPageSerializer(PageSerializer):
    """Which page of a numbered list a client asks for."""

    cursor = serializers.IntegerField(  # type: ignore[assignment]  # a number instead of a signed text
        min_value=0, max_value=999_999_999, required=False
    )


class NumberedPages(CursorPages):
    """Pages of a list that is computed as a whole, by the ascending `number` of its rows, which is the cursor."""

    def paginate_queryset(self, queryset: Iterable[Any], request: Request, view: Any = None) -> list[Any]:
        """Return the rows of the page. Raises ValidationError for a wrong `page_size` or `cursor`."""
        query = NumberedPageSerializer(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        size, cursor = query.validated_data["page_size"], query.validated_data.get("cursor", -1)
        rows = sorted((row for row in queryset if row.number > cursor), key=attrgetter("number"))
        if len(rows) > size and not ndjson.is_wanted(request):
            rows = rows[:size]
            self._next = replace_query_param(request.build_absolute_uri(), "cursor", rows[-1].number)
        return rows


def page_of(
    rows: QuerySet[Any] | Sequence[Any], number: str | int | None, size: int, *, count: int | None = None
) -> Page[Any]:
    """Return a page of a list: the first if `number` is too small or not a number, the last if it is too large.

    `count` is the number of rows if the caller knows it; it saves a query.
    """
    paginator = Paginator(without_ties(rows) if isinstance(rows, QuerySet) else rows, size)
    if count is not None:
        paginator.count = count
    return paginator.get_page(max(1, number) if isinstance(number, int) else number)
