"""Rounds that are paired one by one: Swiss and lives.

A pairing is asked for as a row (`Draw` with its round), made by a worker outside any lock, and published: from then
on the round is a fact. A draft that was made from other scores, or for others than those who are in now, is outdated.
"""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from engine.errors import Refused
from tournaments.derivation import StageState, lengths_by_default, states_of
from tournaments.formats.blueprint import ROUNDS, lengths_of
from tournaments.formats.graph import BYE, EntrySource, Fixture, Round
from tournaments.formats.lives import lives_left, pair_lives
from tournaments.formats.settings import LIVES
from tournaments.formats.swiss import RoundRequest, pair_round
from tournaments.formats.swiss_event import ByeKind, SwissEvent, SwissRound
from tournaments.models import Bracket, ByeRequest, Division, Draw, Stage
from tournaments.plans import deadline_of, settings_of, store_round
from tournaments.services.onward import last_number


def event_now(division: Division, stage: Stage) -> SwissEvent:
    """The stage as it would be paired now."""
    state = state_now(division, stage)
    assert state.event is not None  # noqa: S101, asked only of stages that are paired by rounds
    return state.event


def state_now(division: Division, stage: Stage) -> StageState:
    """Where a stage stands; one whose first round is not paired yet, too."""
    return next(state for state in states_of(division, also=stage) if state.stage.pk == stage.pk)


def paired(division: Division, draw: Draw) -> dict[str, Any]:
    """What a draft of a round says, or why there is none; as the fields of its row."""
    stage = draw.stage
    settings, event = settings_of(stage), event_now(division, stage)
    basis = digest(event, draw.round)
    seed = bytes.fromhex(stage.seed)
    try:
        if settings.format == LIVES:
            made = pair_lives(event, settings.lives, seed=seed, draft=draw.number)
        else:
            asked = RoundRequest(requested_byes(draw), tuple((a, b) for a, b in draw.manual))
            made = pair_round(event, asked, seed=seed, draft=draw.number)
    except Refused as refused:
        return {"refusal": {"code": refused.code, "params": refused.params}, "basis": basis}
    return {"places": _places(made), "byes": _byes(made), "basis": basis, "algorithm": settings.format}


def requested_byes(draw: Draw) -> dict[int, ByeKind]:
    """Who asked to miss this round."""
    rows = ByeRequest.objects.filter(stage=draw.stage_id, round=draw.round, taken_back_at=None)
    return {row.entry_id: ByeKind(row.kind) for row in rows}


def _places(made: SwissRound) -> list[int | None]:
    pairs = [entry for pair in made.pairs for entry in (pair.first, pair.second)]
    return [*pairs, *(place for bye in made.byes for place in (bye.entry, None))]


def _byes(made: SwissRound) -> dict[str, str]:
    return {str(bye.entry): bye.kind.value for bye in made.byes}


def digest(event: SwissEvent, round_number: int) -> str:
    """What a pairing of this round depends on: who is in, with which score, and who has met."""
    players = [[p.entry, event.scores[p.entry], event.losses[p.entry]] for p in event.players if p.active(round_number)]
    met = sorted([*sorted(pair), *rounds] for pair, rounds in event.meetings.items())
    return hashlib.sha256(json.dumps([sorted(players), met]).encode()).hexdigest()


def is_outdated(division: Division, draw: Draw) -> bool:
    """Whether a draft was made from other scores or for others than are in now, or its round is no longer the next."""
    event = event_now(division, draw.stage)
    settings = settings_of(draw.stage)
    placed = {place for place in draw.places if place is not None}
    left = lives_left(event, settings.lives) if settings.format == LIVES else None
    active = {p.entry for p in event.players if p.active(draw.round)} if left is None else set(left)
    return draw.round != event.next_round or placed != active or draw.basis != digest(event, draw.round)


def store_round_of(draw: Draw, deadlines: Sequence[datetime | None]) -> None:
    """Writes a paired round into the plan of its stage."""
    stage = draw.stage
    bracket, _ = Bracket.objects.get_or_create(stage=stage, key=ROUNDS)
    first = last_number(stage.division) + 1
    pairs = zip(draw.places[::2], draw.places[1::2], strict=True)
    fixtures = tuple(
        Fixture(first + at, (EntrySource(a), BYE if b is None else EntrySource(b))) for at, (a, b) in enumerate(pairs)
    )
    lengths = lengths_of(settings_of(stage), ROUNDS, lengths_by_default(stage))
    deadline = deadline_of(ROUNDS, draw.round, deadlines)
    store_round(bracket, Round(draw.round, fixtures), lengths=lengths, deadline=deadline)
    if stage.status == Stage.Status.PLANNED:
        stage.status = Stage.Status.RUNNING
        stage.save(update_fields=["status"])
