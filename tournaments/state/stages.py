"""The stages of a division: which formats follow each other, set by the director before the draw."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from players.models import Club
from players.people.locks import lock_club
from tournaments.formats.plans import checked_stages
from tournaments.formats.settings import StageSettings
from tournaments.models import Division, Draw, Stage, Tournament
from tournaments.state.commitments import abandon, commit, commitment_of, new_seed
from tournaments.state.locks import lock_division
from tournaments.state.numbering import lock_event
from tournaments.state.plans import settings_of, store_settings


def first_stage(division: Division) -> Stage:
    """The stage the entries go into; made with its secret seed when it is first asked for."""
    return division.stages.order_by("number").first() or new_stage(division, 1, StageSettings())


def new_stage(division: Division, number: int, settings: StageSettings) -> Stage:
    """A planned stage with secret seeds of its own: one for the draw, one for the lots drawn later."""
    seed, seed_hash = new_seed()
    lots_seed, lots_hash = new_seed()
    return Stage.objects.create(
        division=division,
        number=number,
        format=settings.format,
        settings=settings.as_data(),
        seed=seed,
        seed_hash=seed_hash,
        lots_seed=lots_seed,
        lots_hash=lots_hash,
    )


def commit_published(tournament: Tournament, stages: Sequence[Stage], *, club: Club, now: datetime) -> None:
    """Enters stages that are new in a published event into the club's list of commitments; the club is locked."""
    if tournament.status != Tournament.Status.DRAFT:
        commit([stage for stage in stages if commitment_of(stage) is None], club=club, now=now)


def stage_settings(division: Division) -> list[StageSettings]:
    """What the stages of a division are played by; a knockout where nothing was set."""
    return [settings_of(stage) for stage in division.stages.order_by("number")] or [StageSettings()]


def set_stages(
    *,
    division: Division,
    stages: Sequence[StageSettings],
    after: int,
    by: Actor,
    now: datetime,
    tables: int | None = None,
) -> list[Stage]:
    """Sets the formats of a division, one after the other; a draft made before is outdated and discarded.

    `tables` are those of the whole event, None to leave them.

    All but the last name their `qualifiers`. The first stage keeps its seed, whose hash may have been seen.
    Refused: `stale`, `division_drawn`, `stage_count`, `stage_qualifiers`, and what `checked_stages` refuses.
    """
    with transaction.atomic():
        club = lock_club(division.tournament.club)
        if tables is not None:
            lock_event(division.tournament_id)
        row = lock_division(division.pk)
        wanted = checked_stages(stages, row.lengths)
        if row.seq != after:
            raise Refused("stale")
        if row.status != Division.Status.ENTRIES:
            raise Refused("division_drawn")
        if tables is not None:
            _set_tables(row.tournament, tables, by)
        before = [settings_of(stage) for stage in row.stages.order_by("number")]
        if before == wanted:
            return list(row.stages.order_by("number"))
        made = [_set(row, number, settings) for number, settings in enumerate(wanted, start=1)]
        removed = row.stages.filter(number__gt=len(wanted))
        abandon(removed, now=now)
        removed.delete()
        commit_published(row.tournament, made, club=club, now=now)
        Draw.objects.filter(stage__in=made, state__in=[Draw.State.DRAFT, Draw.State.REQUESTED]).update(
            state=Draw.State.DISCARDED
        )
        row.seq += 1
        row.save(update_fields=["seq"])
        changes = {"format": [_told(before), _told(wanted)]}
        log(by, "stages_changed", row.topic, club=row.tournament.club, changes=changes)
    return made


def _set(division: Division, number: int, settings: StageSettings) -> Stage:
    stage = division.stages.filter(number=number).first()
    if stage is None:
        return new_stage(division, number, settings)
    store_settings(stage, settings)
    return stage


def _set_tables(tournament: Tournament, tables: int, by: Actor) -> None:
    if tournament.tables != tables:
        changes = {"tables": [tournament.tables, tables]}
        Tournament.objects.filter(pk=tournament.pk).update(tables=tables)
        log(by, "tournament_changed", tournament.topic, club=tournament.club, changes=changes)


def _told(stages: Sequence[StageSettings]) -> str:
    """All stages as the log keeps them: formats, each with what differs from its defaults."""
    return "; ".join(
        " ".join([one.format, *(f"{name}={value}" for name, value in one.as_data().items())]) for one in stages
    )


def round_deadlines(stage: Stage) -> list[datetime | None]:
    """The instants at which the rounds end, as the division's settings give them."""
    return [datetime.fromisoformat(text) if text else None for text in stage.settings.get("deadlines", [])]
