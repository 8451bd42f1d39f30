"""Which versions of a result repeat an earlier one: undone corrections and reinstated matches."""

from collections.abc import Collection

from matches.models import Result
from tournaments.models import Correction


def origins(matches: Collection[int]) -> dict[int, dict[int, int]]:
    """Return by match id {version id: id of the version it repeats, or its own}, the newest last, without void ones.

    Undoing a correction repeats the version before it; reinstating a match repeats its last version before it was void.
    """
    undone = Correction.objects.filter(after__match__in=matches, undoes__isnull=False)
    repeats = dict(undone.values_list("after", "undoes__before"))
    versions: dict[int, dict[int, int]] = {}
    void: set[int] = set()
    for result in Result.objects.filter(match__in=matches).order_by("version"):
        match_versions = versions.setdefault(result.match_id, {})
        if result.kind == Result.Kind.VOID:
            void.add(result.match_id)
            continue
        if result.match_id in void and match_versions:
            match_versions[result.pk] = match_versions[next(reversed(match_versions))]
        else:
            repeated = repeats.get(result.pk)
            match_versions[result.pk] = match_versions.get(repeated, result.pk) if repeated is not None else result.pk
        void.discard(result.match_id)
    return versions


def is_standing(correction: Correction, versions: dict[int, int]) -> bool:
    """Whether the standing result is the one of this correction; `versions` is the match's entry of `origins`."""
    newest = next(reversed(versions))
    return versions[newest] == versions.get(correction.after_id)
