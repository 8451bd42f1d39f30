"""The stages of a division: the formats it is played in, which the director sets before the draw."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from engine.errors import Refused
from formats.elimination.knockout import seed_order
from formats.plans import checked_stages
from formats.settings import ELIMINATION, StageSettings
from players.actors import Actor, log
from players.models import Club
from players.people.rows import lock_club
from tournaments.models import Commitment, Division, Draw, FinalPlace, Stage, Tournament
from tournaments.state.changes import known_facts, notify_changed
from tournaments.state.commitments import abandon, commit, commitment_of, new_seed
from tournaments.state.locks import division_changed, lock_division, lock_event
from tournaments.state.plans import is_continuous, settings_of, store_settings
from tournaments.state.versions import DivisionPart, refuse_stale


def first_stage(division: Division) -> Stage:
    """Return the first stage of a division; create it, with its secret seeds, if there is none."""
    return division.stages.order_by("number").first() or new_stage(division, 1, StageSettings())


def new_stage(division: Division, number: int, settings: StageSettings) -> Stage:
    """Create a planned stage with new secret seeds: one for the draw, one for the lots drawn later."""
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
    """Add new stages of a published event to the club's list of commitments; the club is locked."""
    if tournament.status != Tournament.Status.DRAFT:
        commit([stage for stage in stages if commitment_of(stage) is None], club=club, now=now)


def stage_settings(division: Division) -> list[StageSettings]:
    """Return the settings of a division's stages; a knockout if nothing was set."""
    return [settings_of(stage) for stage in division.stages.order_by("number")] or [StageSettings()]


def set_stages(
    *,
    division: Division,
    stages: Sequence[StageSettings],
    after: int,
    by: Actor,
    now: datetime,
    tables: int | None = None,
    tell: bool = True,
) -> list[Stage]:
    """Set the formats of a division's stages, in order; discard earlier drafts, which are outdated.

    `tables` is the number of tables of the whole event; None leaves it unchanged. Who is entered is told of another
    format, unless it is set with the players here (`tell`).

    All stages but the last need `qualifiers`. The first stage keeps its seed, whose hash may be known already.
    Refused: `stale`, `division_drawn`, `stage_count`, `stage_qualifiers`, and what `checked_stages` refuses.
    """
    with transaction.atomic():
        club = lock_club(division.tournament.club)
        event = lock_event(division.tournament_id)
        row = lock_division(division.pk)
        new_settings = checked_stages(stages, row.lengths)
        refuse_stale(row, after, by=by, parts=[DivisionPart.PLAN])
        if row.status != Division.Status.ENTRIES:
            raise Refused("division_drawn")
        if tables is not None:
            _set_tables(row.tournament, tables, by)
        rows = list(row.stages.order_by("number"))
        before = [settings_of(stage) for stage in rows]
        if before == new_settings:
            return rows
        known = known_facts(event)
        new_stages = [
            _set(row, rows[number - 1] if number <= len(rows) else None, number, settings)
            for number, settings in enumerate(new_settings, start=1)
        ]
        if len(rows) > len(new_settings):
            removed = row.stages.filter(number__gt=len(new_settings))
            abandon(removed, now=now)
            removed.delete()
        commit_published(row.tournament, new_stages, club=club, now=now)
        Draw.objects.filter(stage__in=new_stages, state__in=[Draw.State.DRAFT, Draw.State.REQUESTED]).update(
            state=Draw.State.DISCARDED
        )
        division_changed(row)
        changes = {"format": [_summary(before), _summary(new_settings)]}
        log(by, "stages_changed", row.topic, club=row.tournament.club, changes=changes)
        if tell:
            notify_changed(event, known, by=by, now=now)
    return new_stages


def _set(division: Division, stage: Stage | None, number: int, settings: StageSettings) -> Stage:
    if stage is None:
        return new_stage(division, number, settings)
    store_settings(stage, settings)
    return stage


def _set_tables(tournament: Tournament, tables: int, by: Actor) -> None:
    if tournament.tables != tables:
        changes = {"tables": [tournament.tables, tables]}
        Tournament.objects.filter(pk=tournament.pk).update(tables=tables)
        log(by, "tournament_changed", tournament.topic, club=tournament.club, changes=changes)


def _summary(stages: Sequence[StageSettings]) -> list[dict[str, Any]]:
    """Return the stages for the log: their formats with the settings that differ from the defaults."""
    return [{"format": stage.format, **stage.as_data()} for stage in stages]


def round_deadlines(stage: Stage) -> list[datetime | None]:
    """Return the deadlines of the rounds of a stage, as set by the director; None for a round without one."""
    return [datetime.fromisoformat(text) if text else None for text in stage.settings.get("deadlines", [])]


@dataclass(frozen=True, slots=True)
class Provenance:
    stage: Stage
    drafts: list[Draw]
    commitment: Commitment | None = None
    """The commitment of the draw's seed; None before the event is published."""

    @property
    def published(self) -> Draw | None:
        return next((draw for draw in self.drafts if draw.state == Draw.State.PUBLISHED), None)

    @property
    def is_continuous(self) -> bool:
        """Whether the stage has no rounds, so that every batch can be checked once it is over."""
        return is_continuous(self.stage)

    @property
    def is_bracket(self) -> bool:
        """Whether a bracket was drawn, whose lots the page explains step by step."""
        return self.stage.format in ELIMINATION

    @property
    def taken_back(self) -> list[Draw]:
        """Drafts that were published and later taken back."""
        return [draw for draw in self.drafts if draw.state == Draw.State.TAKEN_BACK]

    @property
    def redraws(self) -> list[Draw]:
        """All drafts after the first; each has the reason for the redraw."""
        return self.drafts[1:]


def provenance_of(stage: Stage) -> Provenance:
    """Return the history of a stage's draw; of its first round, if rounds are paired one by one."""
    drafts = list(stage.draws.filter(round__lte=1).select_related("made_by").order_by("number"))
    return Provenance(stage, drafts, stage.commitments.filter(end="").first())


def seeding(division: Division, ratings: Mapping[int, float]) -> tuple[int, ...]:
    """Return the entries in the order in which they are seeded; empty if they are drawn by lot."""
    if division.draw_method == Division.DrawMethod.RATING:
        return seed_order(ratings)
    return _in_order_of_entry(division, ratings) if division.draw_method == Division.DrawMethod.ENTRY else ()


def _in_order_of_entry(division: Division, entries: Collection[int]) -> tuple[int, ...]:
    """Return the entries in their order; in the final of a season those with a place in it come first, by rank."""
    places = FinalPlace.objects.filter(series__final=division.tournament_id, taken_back_at=None).values_list(
        "player", "player__merged_into", "rank", "pk"
    )
    by_player = {merged or player: (rank, pk) for player, merged, rank, pk in places}
    if not by_player:
        return tuple(sorted(entries))
    players = division.entries.filter(pk__in=entries).values_list("pk", "player", "player__merged_into")
    holders = {pk: by_player.get(merged or player) for pk, player, merged in players}
    return tuple(sorted(entries, key=lambda pk: (holders.get(pk) is None, holders.get(pk) or (0, 0), pk)))
