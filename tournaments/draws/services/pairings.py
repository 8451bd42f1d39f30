"""Pairing of Swiss and lives, one round at a time.

A pairing is requested as a row (a `Draw` with a round), made by a worker outside any lock, and published: from then on
the round is a fact. A draft is outdated if scores or entries have changed since it was made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from engine.errors import Refused
from matches.ratings.services import ratings_of
from tournaments.formats.graph import BYE, EntrySource, Fixture, Round
from tournaments.formats.plans import ROUNDS, lengths_of
from tournaments.formats.settings import LIVES, StageSettings
from tournaments.formats.swiss.event import SwissEvent, SwissRound
from tournaments.formats.swiss.feasibility import plan_rounds
from tournaments.formats.swiss.lives import lives_left, pair_lives
from tournaments.formats.swiss.pairing import RoundRequest, best_matching, pair_round
from tournaments.models import Bracket, Division, Draw, Entry, Stage, Tournament
from tournaments.state.club_mates import club_of_each
from tournaments.state.derivation import StageState, states_of
from tournaments.state.numbering import take_numbers
from tournaments.state.pairing_inputs import digest, requested_byes
from tournaments.state.plans import deadline_of, settings_of, store_round


@dataclass(frozen=True)
class DraftContent:
    """The values of a draft's row; `refusal` (code, params) is set if no draft was possible.

    `ratings` are the ratings it was made with, by entry, to be stored with the entries.
    """

    places: list[int | None] = field(default_factory=list)
    byes: dict[str, str] = field(default_factory=dict)
    basis: str = ""
    algorithm: str = ""
    remarks: list[dict[str, Any]] = field(default_factory=list)
    refusal: dict[str, Any] | None = None
    ratings: Mapping[int, float] = field(default_factory=dict)


def current_event(division: Division, stage: Stage) -> SwissEvent:
    """Return a stage that is paired round by round as input of the pairing."""
    state = current_state(division, stage)
    assert state.event is not None  # noqa: S101, callers pass stages that are paired by rounds
    return state.event


def current_state(division: Division, stage: Stage) -> StageState:
    """Return the state of a stage, even before its first round is paired."""
    return next(state for state in states_of(division, also=stage) if state.stage.pk == stage.pk)


def _event_of(division: Division, draw: Draw) -> SwissEvent:
    """Return the input of a pairing, without the entries that it leaves out."""
    event = current_event(division, draw.stage)
    return replace(event, players=tuple(player for player in event.players if player.entry not in draw.left_out))


def make_round(division: Division, draw: Draw) -> DraftContent:
    """Make the draft of a round; nothing is written."""
    stage = draw.stage
    settings, event = settings_of(stage), _event_of(division, draw)
    byes = requested_byes(stage, event)
    basis = digest(event, byes)
    ratings = ratings_by_entry(division, draw)
    event = _with_ratings_and_clubs(division, event, ratings)
    seed = bytes.fromhex(stage.seed)
    try:
        if settings.format == LIVES:
            round_ = pair_lives(event, settings.lives, seed=seed, draft=draw.number)
        else:
            request = RoundRequest(byes, tuple((a, b) for a, b in draw.manual))
            round_ = pair_round(event, request, seed=seed, draft=draw.number)
    except Refused as refused:
        return DraftContent(refusal={"code": refused.code, "params": refused.params}, basis=basis)
    return DraftContent(
        places=_places(round_),
        byes=_byes(round_),
        basis=basis,
        algorithm=settings.format,
        remarks=_later_round_remarks(settings, event, round_),
        ratings=ratings,
    )


def ratings_by_entry(division: Division, draw: Draw) -> dict[int, float]:
    """Return the ratings to store with a draft: before the first round those of all entries, later of late ones."""
    rows = division.entries.filter(status=Entry.Status.IN)
    if draw.stage.number > 1 or draw.round > 1:
        rows = rows.filter(rating=None)
    players = dict(rows.values_list("pk", "player_id"))
    ratings = ratings_of(players=list(players.values()), pool=division.pool)
    return {entry: ratings[player] for entry, player in players.items()}


def _with_ratings_and_clubs(division: Division, event: SwissEvent, ratings: Mapping[int, float]) -> SwissEvent:
    """Return the event with current ratings, and with clubs if club-mates are kept apart."""
    clubs = club_of_each(division, [player.entry for player in event.players]) if division.apart else {}
    players = tuple(
        replace(player, rating=ratings.get(player.entry, player.rating), club=clubs.get(player.entry))
        for player in event.players
    )
    return replace(event, players=players)


def _later_round_remarks(settings: StageSettings, event: SwissEvent, round_: SwissRound) -> list[dict[str, Any]]:
    """Return a warning if this round would leave a later planned round without a pairing."""
    left = (settings.rounds or 0) - event.next_round
    if settings.format == LIVES or settings.allow_rematches or left < 1:
        return []
    after = event.with_round(round_)
    plan = plan_rounds(after, left, match=best_matching)
    if plan.possible:
        return []
    sure = left
    while sure and not plan_rounds(after, sure, match=best_matching).possible:
        sure -= 1
    params = {"round": event.next_round + sure + 1, "certain": plan.possible is False}
    return [{"code": "later_round_impossible", "params": params}]


def _places(round_: SwissRound) -> list[int | None]:
    pairs = [entry for pair in round_.pairs for entry in (pair.first, pair.second)]
    return [*pairs, *(place for bye in round_.byes for place in (bye.entry, None))]


def _byes(round_: SwissRound) -> dict[str, str]:
    return {str(bye.entry): bye.kind.value for bye in round_.byes}


def is_outdated(division: Division, draw: Draw) -> bool:
    """Whether scores or entries have changed since a draft was made, or its round is no longer the next."""
    event = _event_of(division, draw)
    settings = settings_of(draw.stage)
    if draw.round != event.next_round or draw.basis != digest(event, requested_byes(draw.stage, event)):
        return True
    return {place for place in draw.places if place is not None} != set(to_be_paired(settings, event))


def to_be_paired(settings: StageSettings, event: SwissEvent) -> list[int]:
    """Return the ids of the entries that play the next round."""
    if settings.format == LIVES:
        return list(lives_left(event, settings.lives))
    return [player.entry for player in event.players if player.active(event.next_round)]


def store_round_of(draw: Draw, deadlines: Sequence[datetime | None], *, event: Tournament) -> None:
    """Write a paired round into the plan of its stage; `event` must be locked."""
    stage = draw.stage
    bracket, _ = Bracket.objects.get_or_create(stage=stage, key=ROUNDS)
    pairs = list(zip(draw.places[::2], draw.places[1::2], strict=True))
    first = take_numbers(event, len(pairs))
    fixtures = tuple(
        Fixture(first + at, (EntrySource(a), BYE if b is None else EntrySource(b))) for at, (a, b) in enumerate(pairs)
    )
    lengths = lengths_of(settings_of(stage), ROUNDS, stage.division.lengths)
    deadline = deadline_of(ROUNDS, draw.round, deadlines)
    store_round(bracket, Round(draw.round, fixtures), lengths=lengths, deadline=deadline)
    if stage.status == Stage.Status.PLANNED:
        stage.status = Stage.Status.RUNNING
        stage.save(update_fields=["status"])
