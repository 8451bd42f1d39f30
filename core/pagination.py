"""Pagination of pages and API."""

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from rest_framework.pagination import PageNumberPagination


class NumberedPages(PageNumberPagination):
    """Pages of 50 for the API, or of the `page_size` the client sends, up to 200."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200


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
