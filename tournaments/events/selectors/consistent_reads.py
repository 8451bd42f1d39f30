"""Reading a page together with the `seq` that its forms send back."""

from collections.abc import Callable
from typing import TypeVar

from tournaments.models import Division

Page = TypeVar("Page")
TRIES = 3


def read_with_seq(division: Division, read: Callable[[], Page]) -> Page:
    """Return the result of `read`, after setting `division.seq` to its value at that time.

    A worker may finish a draft while its page is read. The page would then show the draft with the `seq` from before
    it, and publishing would be refused as stale. So the page is read again until its `seq` is current.
    """
    page = read()
    for _ in range(TRIES):
        seq = Division.objects.values_list("seq", flat=True).get(pk=division.pk)
        if seq == division.seq:
            break
        division.seq = seq
        page = read()
    return page
