"""Reading the running scores of matches from the facts of the floor."""

from collections.abc import Collection

from tournaments.models import FloorEvent


def running_scores(matches: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return match id -> its running score by side, for those of these matches that have one; one query."""
    facts = FloorEvent.objects.filter(match__in=matches, kind=FloorEvent.Kind.RUNNING_SCORE, undone_by=None)
    rows = facts.order_by("pk").values_list("match", "params")
    scores = ((match, params["score"]) for match, params in rows if match is not None)
    return {match: (left, right) for match, (left, right) in scores}
