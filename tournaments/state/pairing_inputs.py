"""What the pairing of a round depends on, and a digest of it that shows whether a draft is outdated."""

import hashlib
import json
from collections.abc import Mapping

from tournaments.formats.swiss.event import ByeKind, SwissEvent, SwissPlayer
from tournaments.models import ByeRequest, Division, KeptApart, Stage

Byes = Mapping[int, ByeKind]
"""Entry id -> kind of the bye it requested."""


def requested_byes(stage: Stage, event: SwissEvent) -> Byes:
    """Return the byes that active entries requested for the next round."""
    number = event.next_round
    active = {player.entry for player in _active(event, number)}
    rows = ByeRequest.objects.filter(stage=stage, round=number, taken_back_at=None)
    return {row.entry_id: ByeKind(row.kind) for row in rows if row.entry_id in active}


def kept_apart(division: Division) -> frozenset[frozenset[int]]:
    """Return the pairs of entries that must not meet."""
    rows = KeptApart.objects.filter(division=division, taken_back_at=None)
    return frozenset(frozenset(pair) for pair in rows.values_list("first", "second"))


def digest(event: SwissEvent, byes: Byes) -> str:
    """Return a digest of the active players with their scores, meetings, forbidden pairs, byes and planned rounds.

    Ratings and clubs are left out, because a change of these does not make a draft wrong.
    """
    number = event.next_round
    inputs = {
        "round": number,
        "players": sorted([p.entry, event.scores[p.entry], event.losses[p.entry]] for p in _active(event, number)),
        "met": sorted([*sorted(pair), *rounds] for pair, rounds in event.meetings.items()),
        "forbidden": sorted(sorted(pair) for pair in event.forbidden),
        "byes": sorted([entry, kind.value] for entry, kind in byes.items()),
        "given": sorted(event.pairing_byes.items()),
        "planned": event.planned,
        "rematches": event.allow_rematches,
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def _active(event: SwissEvent, number: int) -> list[SwissPlayer]:
    return [player for player in event.players if player.active(number)]
