"""What this room does when a match below has its result."""

from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from matches.lifecycle.signals import match_settled
from matches.models import Match
from tournaments.models import Division
from tournaments.state.settle import settle_division


@receiver(match_settled, dispatch_uid="tournaments.move_on")
def move_on(sender: type[Match], match_id: int, **_: Any) -> None:
    """Moves the bracket on, unless whoever booked the result has already; a sweep does it again where this was cut."""
    match = Match.objects.only("parent_topic", "unsettled").get(pk=match_id)
    division = division_of(match)
    if division is not None and match.unsettled:
        settle_division(division_id=division, now=timezone.now())


def division_of(match: Match) -> int | None:
    """The division that made the match."""
    kind, _, public_id = match.parent_topic.partition(":")
    if kind != "division":
        return None
    return Division.objects.filter(public_id=public_id).values_list("pk", flat=True).first()
