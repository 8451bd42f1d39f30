"""A page and the number that its forms send back, of one moment."""

from collections.abc import Callable
from typing import TypeVar

from tournaments.models import Division

Page = TypeVar("Page")
TRIES = 3


def of_one_moment(division: Division, read: Callable[[], Page]) -> Page:
    """What `read` gives, with `division.seq` as it was then: a worker may finish a draft while its page is read.

    Without it the page would show the draft with the number before it, and publishing would be refused as stale.
    """
    page = read()
    for _ in range(TRIES):
        seq = Division.objects.values_list("seq", flat=True).get(pk=division.pk)
        if seq == division.seq:
            break
        division.seq = seq
        page = read()
    return page
