"""The club's public list of commitments: entered before a draw, ended when nothing more will be drawn from them."""

import secrets
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Max

from players.models import Club
from tournaments.formats.lots import commitment as hash_of
from tournaments.models import Commitment, Stage

SEED_BYTES = 32


def new_seed() -> tuple[str, str]:
    """A secret seed and its hash, both in hexadecimal."""
    seed = secrets.token_bytes(SEED_BYTES)
    return seed.hex(), hash_of(seed)


def commit(stages: Iterable[Stage], *, club: Club, now: datetime) -> list[Commitment]:
    """Enters the hashes of these stages into the list of the club, which the caller has locked."""
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
    """The commitment that binds what is drawn from a stage's seed; None before its event is published."""
    return stage.commitments.filter(end="").first()


def retire(stage: Stage, *, club: Club, reason: str, now: datetime) -> Commitment:
    """Gives a stage a new seed, committed to before anything is drawn from it; the old seed becomes public.

    The seed of the lots stays: taking a draw back must not give anybody other lots. The caller has locked the club.
    """
    old = commitment_of(stage)
    if old is not None:
        old.end, old.ended_at, old.reason, old.seed = Commitment.End.RETIRED, now, reason, stage.seed
        old.save(update_fields=["end", "ended_at", "reason", "seed"])
    stage.seed, stage.seed_hash = new_seed()
    stage.save(update_fields=["seed", "seed_hash"])
    return commit([stage], club=club, now=now)[0]


def abandon(stages: Iterable[Stage], *, now: datetime) -> None:
    """Notes that nothing will be drawn from these stages, which are removed from their division."""
    open_ = Commitment.objects.filter(stage__in=list(stages), end="")
    open_.update(end=Commitment.End.ABANDONED, ended_at=now)
