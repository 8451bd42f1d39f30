"""Versions of a division: which of its parts have changed since somebody looked, who changed them, and what."""

from collections.abc import Collection
from enum import StrEnum

from django.db.models import Q

from engine.errors import Refused
from players.actors import Actor
from players.models import LogEntry
from tournaments.models import Division
from tournaments.state.log import DIRECTORS_ONLY, KINDS, log_lines


class DivisionPart(StrEnum):
    """What a change of a division is of, by the field with the `seq` after its last one; results are of none."""

    PLAN = "plan_seq"
    ENTRIES = "entries_seq"
    PAIRING = "pairing_seq"


VERBS = {
    DivisionPart.PLAN: (*KINDS["draw"], *KINDS["settings"], "evening_started", "evening_start_undone",
                        "floor_stage_ended", "floor_undone", "flow_changed", "switched_by_clock"),
    DivisionPart.ENTRIES: KINDS["entries"],
    DivisionPart.PAIRING: ("batch_made",),
}  # fmt: skip
"""How the changes of each part are logged."""


def refuse_stale(division: Division, after: int | None, *, by: Actor, parts: Collection[DivisionPart] = ()) -> None:
    """Refuse `after`, the `seq` that `by` saw, if these parts of a locked division have changed since.

    `parts` are what they decided about; by default everything counts, also results and who is here. None is accepted.
    Refused: `stale`, with the current `seq` and, if a part has changed, `changed_by`, `name` and `what`.
    """
    newest = max([getattr(division, part) for part in parts], default=division.seq)
    if after is not None and not newest <= after <= division.seq:
        raise Refused("stale", seq=division.seq, **_last_change(division, after, by, parts or DivisionPart))


def _last_change(division: Division, after: int, by: Actor, parts: Collection[DivisionPart]) -> dict[str, str]:
    """Return who last changed one of these parts since, and what; nothing if none of them has changed, or in secret."""
    event = division.tournament
    verbs = [verb for part in parts if getattr(division, part) > after for verb in VERBS[part]]
    stages = list(division.stages.values_list("public_id", flat=True))
    of_division = Q(topic=division.topic) | Q(topic=event.topic, params__stage__in=stages)
    row = LogEntry.objects.filter(of_division, verb__in=verbs).select_related("user").order_by("-pk").first()
    if row is None or row.verb in DIRECTORS_ONLY:
        return {}
    [line], fixtures = log_lines([row], event), row.params.get("fixtures")
    if row.by == LogEntry.By.SYSTEM and row.verb == "batch_made" and fixtures:
        return {"changed_by": "pairing", "what": ", ".join(f"M{number}" for number in fixtures)}
    what = " · ".join([line.what, *line.details])
    if row.by == LogEntry.By.SYSTEM:
        return {"changed_by": "site", "what": what}
    is_own = by.user is not None and row.user_id == by.user.pk
    return {"changed_by": "you" if is_own else "person", "name": line.who, "what": what}
