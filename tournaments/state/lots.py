"""Lots drawn after the draw: byes of late entries, ties, unplayed matches.

They have a seed of their own, whose hash is published together with that of the draw.
"""

from tournaments.formats import lots as pure
from tournaments.formats.lots import Lots
from tournaments.models import Stage


def lots_seed(stage: Stage) -> bytes:
    """Return the secret seed of a stage's lots, for formats that draw several."""
    return bytes.fromhex(stage.lots_seed)


def lot(stage: Stage, *key: str | int) -> Lots:
    """Return the lots of a stage for the decision named by `key`; see `tournaments.formats.lots.lot` for keys."""
    return pure.lot(lots_seed(stage), *key)
