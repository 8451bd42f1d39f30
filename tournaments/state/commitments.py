"""A club's public list of commitments, and the lots that are drawn from them after the draw."""

import secrets
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Max

from formats import lots
from formats.lots import Lots
from formats.lots import commitment as hash_of
from players.models import Club
from tournaments.models import Commitment, Stage

SEED_BYTES = 32


def new_seed() -> tuple[str, str]:
    """Return a new secret seed and its hash, both in hexadecimal."""
    seed = secrets.token_bytes(SEED_BYTES)
    return seed.hex(), hash_of(seed)


def commit(stages: Iterable[Stage], *, club: Club, now: datetime) -> list[Commitment]:
    """Add the hashes of these stages to the list of the club, which the caller has locked."""
    number = Commitment.objects.filter(club=club).aggregate(Max("number"))["number__max"] or 0
    rows = [
        Commitment(
            club=club,
            number=number + place,
            division_id=stage.division_id,
            stage=stage,
            stage_number=stage.number,
            seed_hash=stage.seed_hash,
            lots_hash=stage.lots_hash,
            at=now,
        )
        for place, stage in enumerate(stages, start=1)
    ]
    return Commitment.objects.bulk_create(rows)


def commitment_of(stage: Stage) -> Commitment | None:
    """Return the current commitment of a stage; None before its event is published."""
    return stage.commitments.filter(end="").first()


def retire(stage: Stage, *, club: Club, reason: str, now: datetime) -> Commitment:
    """Give a stage a new seed with a new commitment, and make the old seed public.

    The seed of the lots does not change: taking back a draw must not change the lots. The caller has locked the club.
    """
    old = commitment_of(stage)
    if old is not None:
        old.end, old.ended_at, old.reason, old.seed = Commitment.End.RETIRED, now, reason, stage.seed
        old.save(update_fields=["end", "ended_at", "reason", "seed"])
    stage.seed, stage.seed_hash = new_seed()
    stage.save(update_fields=["seed", "seed_hash"])
    return commit([stage], club=club, now=now)[0]


def abandon(stages: Iterable[Stage], *, now: datetime) -> None:
    """End the commitments of stages that are about to be removed from their division."""
    open_ = Commitment.objects.filter(stage__in=list(stages), end="")
    open_.update(end=Commitment.End.ABANDONED, ended_at=now)


# Lots drawn after the draw: byes of late entries, ties, unplayed matches.
#
# They have a seed of their own, whose hash is published together with that of the draw.


def lots_seed(stage: Stage) -> bytes:
    """Return the secret seed of a stage's lots, for formats that draw several."""
    return bytes.fromhex(stage.lots_seed)


def lot(stage: Stage, *key: str | int) -> Lots:
    """Return the lots of a stage for the decision named by `key`; see `formats.lots.lot` for keys."""
    return lots.lot(lots_seed(stage), *key)
