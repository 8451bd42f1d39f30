"""What the pairing of a round depends on, so that it can be told whether one was made from what is no longer so."""

import hashlib
import json
from collections.abc import Mapping

from tournaments.formats.swiss.event import ByeKind, SwissEvent, SwissPlayer
from tournaments.models import ByeRequest, Division, KeptApart, Stage

Byes = Mapping[int, ByeKind]
"""Entry -> kind of the bye it asked for."""


def requested_byes(stage: Stage, event: SwissEvent) -> Byes:
    """Who of those still in asked to miss the next round."""
    number = event.next_round
    active = {player.entry for player in _active(event, number)}
    rows = ByeRequest.objects.filter(stage=stage, round=number, taken_back_at=None)
    return {row.entry_id: ByeKind(row.kind) for row in rows if row.entry_id in active}


def kept_apart(division: Division) -> frozenset[frozenset[int]]:
    """The pairs of entries that are not to meet."""
    rows = KeptApart.objects.filter(division=division, taken_back_at=None)
    return frozenset(frozenset(pair) for pair in rows.values_list("first", "second"))


def digest(event: SwissEvent, byes: Byes) -> str:
    """A fingerprint of who is in with which score, who has met or must not, the byes asked for, and the rounds to go.

    Ratings and clubs are left out: a draft does not become wrong with them.
    """
    number = event.next_round
    known = {
        "round": number,
        "players": sorted([p.entry, event.scores[p.entry], event.losses[p.entry]] for p in _active(event, number)),
        "met": sorted([*sorted(pair), *rounds] for pair, rounds in event.meetings.items()),
        "forbidden": sorted(sorted(pair) for pair in event.forbidden),
        "byes": sorted([entry, kind.value] for entry, kind in byes.items()),
        "given": sorted(event.pairing_byes.items()),
        "planned": event.planned,
        "rematches": event.allow_rematches,
    }
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def _active(event: SwissEvent, number: int) -> list[SwissPlayer]:
    return [player for player in event.players if player.active(number)]
