"""Ending a Swiss or lives in mid-evening: nobody is paired any more, and a bracket of the best follows, or nothing.

The matches in progress finish, or are stopped and count for nobody. Who goes on is decided by the tie-breaks of the
format, then by the lots of the stage, whose hash was published before its draw. The lots of a tie are therefore the
same, whatever is undone and done again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from formats.graph import EntryId
from formats.settings import BY_ROUND, KNOCKOUT, LIVES, StageSettings
from formats.swiss.lives import lives_left
from matches.lifecycle.own_match import side_of
from matches.models import Match
from players.actors import Actor
from players.models import Club
from players.people.rows import lock_club
from tournaments.draws.undo import IN_WORK, begun_fixtures, remove_fixtures, unplan
from tournaments.floor.journal import FactTarget, lock_floor, record
from tournaments.models import Division, Draw, Fixture, Floor, FloorEvent, FloorKind, Pairing, Stage, Tournament
from tournaments.state.commitments import abandon
from tournaments.state.derivation import StageState, states_of
from tournaments.state.locks import division_changed, lock_division, lock_event, lock_unfinished_matches
from tournaments.state.pairings import give_back, mark_undone
from tournaments.state.plans import STOPPED, settings_of, store_settings
from tournaments.state.settle import let_go_on, settle
from tournaments.state.stages import commit_published, new_stage
from tournaments.state.versions import DivisionPart, refuse_stale

BRACKETS = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class Endable:
    """A stage that can be ended: who could go on from it, and its matches that are not over."""

    stage: Stage
    state: StageState
    still_in: Sequence[EntryId]
    open: Sequence[Fixture]

    @property
    def brackets(self) -> list[int]:
        """The sizes of a bracket that those who are still in would fill."""
        return [places for places in BRACKETS if places <= len(self.still_in)]

    def to_stop(self, by: Actor) -> list[Fixture]:
        """Return the matches that would be stopped; directors do not stop their own."""
        return [row for row in self.open if row.match is not None and side_of(row.match, by) is None]


def endable_stages(tournament: Tournament) -> list[Endable]:
    """Return the stages of an event that a director can end now."""
    divisions = [row for row in tournament.divisions.all() if row.status == Division.Status.RUNNING]
    endable = []
    for division in sorted(divisions, key=lambda row: (row.order, row.pk)):
        division.tournament = tournament
        if any(row.format in BY_ROUND and row.status == Stage.Status.RUNNING for row in division.stages.all()):
            stages = (_endable(state) for state in states_of(division))
            endable += [row for row in stages if row is not None]
    return endable


def _endable(state: StageState) -> Endable | None:
    event, stage = state.event, state.stage
    if event is None or not event.rounds or state.over or stage.status != Stage.Status.RUNNING:
        return None
    if state.rows.settings.format == LIVES:
        still_in = list(lives_left(event, state.rows.settings.lives))
    else:
        still_in = [player.entry for player in event.players if player.active(event.next_round)]
    fixtures = (row for number, row in state.rows.fixtures.items() if not state.progress.fixtures[number].over)
    return Endable(stage, state, still_in, [row for row in fixtures if row.match is not None])


def end_stage(*, stage: Stage, places: int | None, stop: bool, after: int, by: Actor, now: datetime) -> FloorEvent:
    """Pair nobody any more in a stage, and let a bracket with so many places follow, or nothing.

    With `stop`, the matches in progress are void and count for nobody; otherwise they finish first. A stage that was
    ended already is ended anew. `after` is the division's `seq`.
    Refused: `stale`, `tournament_not_open`, `stage_over`, `bracket_too_large`.
    """
    with transaction.atomic():
        club = lock_club(stage.division.tournament.club)
        event = lock_event(stage.division.tournament_id)
        floor = lock_floor(event.pk, now)
        division = lock_division(stage.division_id)
        refuse_stale(
            division, after, by=by, parts=[DivisionPart.PLAN, DivisionPart.PAIRING] if stop else [DivisionPart.PLAN]
        )
        if (ended := _standing(stage)) is not None:
            undo_ending(floor, ended, by=by, now=now)
        # What waits to be settled counts.
        settle(division, by=by, now=now)
        stages = (_endable(state) for state in states_of(division))
        endable = next((row for row in stages if row is not None and row.stage.pk == stage.pk), None)
        if endable is None:
            raise Refused("stage_over")
        if places is not None and places not in endable.brackets:
            raise Refused("bracket_too_large", players=len(endable.still_in), places=places)
        rows = list(division.stages.filter(number__gte=stage.number).order_by("number"))
        before = [[row.format, settings_of(row).as_data()] for row in rows]
        stopped = _stop(endable.to_stop(by), floor, division, by, now) if stop else []
        _store(division, rows, _settings_after(rows, places), club=club, now=now)
        if stopped and not endable.state.rows.settings.is_continuous:
            rows[0].settings = {**rows[0].settings, STOPPED: stopped}
            rows[0].save(update_fields=["settings"])
        rows[0].draws.filter(state__in=IN_WORK).update(state=Draw.State.DISCARDED, publish_at=None)
        settle(division, by=by, now=now)
        division_changed(division)
        params = {"stage": stage.public_id, "places": places, "stopped": stopped, "before": before}
        return record(floor, FloorKind.STAGE_ENDED, FactTarget(params=params), by=by, now=now)


def _standing(stage: Stage) -> FloorEvent | None:
    """Return the fact that ended a stage; None if it was not ended, or that was undone."""
    rows = FloorEvent.objects.filter(kind=FloorKind.STAGE_ENDED, params__stage=stage.public_id, undone_by=None)
    return rows.order_by("-pk").first()


def _settings_after(rows: Sequence[Stage], places: int | None) -> list[StageSettings]:
    """Return the settings of a stage that is ended and of the bracket that follows it, which may be planned already."""
    own, *later = map(settings_of, rows)
    ended = replace(own, ended=True, qualifiers=places, switch_time="")
    if places is None:
        return [ended.checked()]
    planned = later[0] if later and later[0].format == KNOCKOUT else StageSettings(KNOCKOUT, lengths=own.lengths[-1:])
    return [ended.checked(), replace(planned, qualifiers=None).checked()]


def _store(
    division: Division, rows: Sequence[Stage], settings: Sequence[StageSettings], *, club: Club, now: datetime
) -> None:
    """Give a stage and those after it, of which there may be more or fewer, other settings."""
    for row, new in zip(rows, settings, strict=False):
        store_settings(row, new)
    first = rows[0].number
    new_stages = [
        new_stage(division, number, new) for number, new in enumerate(settings[len(rows) :], start=first + len(rows))
    ]
    commit_published(division.tournament, new_stages, club=club, now=now)
    removed = division.stages.filter(number__gte=first + len(settings))
    abandon(removed, now=now)
    removed.delete()


def _stop(fixtures: Sequence[Fixture], floor: Floor, division: Division, by: Actor, now: datetime) -> list[int]:
    """Record that these matches are stopped, and return their numbers; `settle` then voids them."""
    locked = lock_unfinished_matches([division])
    for row in fixtures:
        row.match = locked[row.match_id or 0]
        params = {"state": row.match.state, "stage": row.stage.public_id}
        record(floor, FloorKind.STOPPED, FactTarget(fixture=row, params=params), by=by, now=now)
        if (pairing := Pairing.objects.filter(fixture=row).first()) is not None:
            mark_undone(pairing, Pairing.TakenBack.ENDED, by=by, now=now)
    return [row.number for row in fixtures]


def undo_ending(floor: Floor, ended: FloorEvent, *, by: Actor, now: datetime) -> None:
    """Undo that a stage was ended: its stopped matches go on, and what followed is as it was planned before.

    Club, event and floor are locked. Refused: `bracket_begun` once a match of the bracket has begun.
    """
    stage = Stage.objects.get(public_id=ended.params["stage"])
    division = lock_division(stage.division_id)
    rows = list(division.stages.filter(number__gte=stage.number).order_by("number"))
    following = Fixture.objects.filter(stage__in=rows[1:])
    remove_fixtures(division, following, "bracket_begun", "", by, now)
    for row in rows[1:]:
        if row.status != Stage.Status.PLANNED:
            unplan(row, now)
    rows[0].settings.pop(STOPPED, None)
    before = [StageSettings.of(format_, data) for format_, data in ended.params["before"]]
    _store(division, rows, before, club=division.tournament.club, now=now)
    stopped = FloorEvent.objects.filter(
        tournament=floor.tournament, kind=FloorKind.STOPPED, params__stage=stage.public_id, undone_by=None
    ).select_related("fixture__stage__division__tournament", "match")
    locked: dict[int, Match] = lock_unfinished_matches([division], [row.match_id for row in stopped if row.match_id])
    for fact in stopped:
        assert fact.fixture is not None  # noqa: S101, the fact is about a match
        assert fact.match_id is not None  # noqa: S101
        if (pairing := Pairing.objects.filter(fixture=fact.fixture).first()) is not None:
            give_back(pairing)
        let_go_on(fact.fixture, locked[fact.match_id], fact.params["state"], by=by, now=now)
        record(floor, FloorKind.UNDONE, FactTarget(fixture=fact.fixture, undoes=fact), by=by, now=now)
    settle(division, by=by, now=now)
    division_changed(division)
    record(floor, FloorKind.UNDONE, FactTarget(undoes=ended, params={"stage": stage.public_id}), by=by, now=now)


def begun_since(ended: FloorEvent) -> int | None:
    """Return a match of the bracket that has begun, because of which a stage stays ended; None if there is none."""
    following = Fixture.objects.filter(
        stage__division__stages__public_id=ended.params["stage"], stage__number__gt=_number(ended)
    )
    return next(iter(begun_fixtures(list(following.select_related("match")))), None)


def _number(ended: FloorEvent) -> int:
    return Stage.objects.values_list("number", flat=True).get(public_id=ended.params["stage"])
