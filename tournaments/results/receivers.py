"""Updates the division when one of its matches gets a result."""

from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from matches.lifecycle.finish import match_settled
from matches.models import Match
from tournaments.models import Division
from tournaments.state.settle import settle_division


@receiver(match_settled, dispatch_uid="tournaments.move_on")
def settle_after_result(sender: type[Match], match_id: int, **_: Any) -> None:
    """Settle the division of the match, unless that was done with the result; a sweep repeats it after a crash."""
    match = Match.objects.only("parent_topic", "unsettled").get(pk=match_id)
    division_id = division_of(match)
    if division_id is not None and match.unsettled:
        settle_division(division_id=division_id, now=timezone.now())


def division_of(match: Match) -> int | None:
    """Return the id of the division that opened the match, or None."""
    kind, _, public_id = match.parent_topic.partition(":")
    if kind != "division":
        return None
    return Division.objects.filter(public_id=public_id).values_list("pk", flat=True).first()
