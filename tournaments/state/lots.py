"""Lots drawn after the draw: byes of late entries, ties, matches that nobody played.

They come from a seed of their own, whose hash is public with that of the draw.
"""

from tournaments.formats import lots as pure
from tournaments.formats.lots import Lots
from tournaments.models import Stage


def lots_seed(stage: Stage) -> bytes:
    """The secret seed of a stage's lots, for formats that draw several."""
    return bytes.fromhex(stage.lots_seed)


def lot(stage: Stage, *key: str | int) -> Lots:
    """The lot of a stage that decides what `key` names; see `tournaments.formats.lots.lot` for how to choose a key."""
    return pure.lot(lots_seed(stage), *key)
