"""Stages that are paired round by round: requesting, pairing and changing rounds."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import ngettext

from engine.errors import Refused
from formats.continuous.rule import ALGORITHM
from formats.graph import BYE, EntrySource, Fixture, Round
from formats.plans import ROUNDS, lengths_of
from formats.settings import BY_ROUND, LIVES, SWISS, NextRound, StageSettings
from formats.swiss.event import SwissEvent, SwissRound
from formats.swiss.feasibility import plan_rounds
from formats.swiss.lives import lives_left, pair_lives
from formats.swiss.pairing import RoundRequest, best_matching, legal, pair_round
from matches.ratings.services import ratings_of
from players.actors import Actor, log
from tournaments.models import ByeRequest, Division, Draw, Entry, Stage, Tournament
from tournaments.state.advancement import replace_draft, request_draft
from tournaments.state.derivation import StageState, states_of
from tournaments.state.locks import division_changed, lock_division, take_numbers
from tournaments.state.names import club_of_each
from tournaments.state.pairings import NewBatch, NewPair, first_pairs, store_batch
from tournaments.state.plans import deadline_of, is_continuous, settings_of, store_round, store_settings
from tournaments.state.settle import settle
from tournaments.state.stage_rows import digest, kept_apart, requested_byes
from tournaments.state.versions import DivisionPart, refuse_stale

# Pairing of Swiss and lives, one round at a time.
#
# A pairing is requested as a row (a `Draw` with a round), made by a worker outside any lock, and published: from then
# on the round is a fact. A draft is outdated if scores or entries have changed since it was made.


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


MIN_TO_PAIR = 2


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


WAITS = "waits"
"""In a draft without rounds, in place of a bye: the entry waits for a table or an opponent."""


def make_round(division: Division, draw: Draw) -> DraftContent:
    """Make the draft of a round, or of the first pairs of a stage without rounds; nothing is written."""
    stage = draw.stage
    if is_continuous(stage):
        return _make_first_batch(division, draw)
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


def _make_first_batch(division: Division, draw: Draw) -> DraftContent:
    """Pair as many entries as there are tables; the others wait."""
    entries = to_be_paired(settings_of(draw.stage), _event_of(division, draw))
    if len(entries) < MIN_TO_PAIR:
        return DraftContent(refusal={"code": "too_few_players", "params": {"players": len(entries)}})
    clubs = club_of_each(division, entries) if division.apart else {}
    pairs = first_pairs(division, draw.stage, entries, clubs, draw.made_at)
    paired = {entry for pair in pairs for entry in pair}
    waiting = [entry for entry in entries if entry not in paired]
    return DraftContent(
        places=[*(entry for pair in pairs for entry in pair), *(place for entry in waiting for place in (entry, None))],
        byes=dict.fromkeys(map(str, waiting), WAITS),
        basis=_basis_without_rounds(division, entries),
        algorithm=ALGORITHM,
        ratings=ratings_by_entry(division, draw),
    )


def _basis_without_rounds(division: Division, entries: Collection[int]) -> str:
    apart = sorted(sorted(pair) for pair in kept_apart(division))
    inputs = [sorted(entries), apart, division.tournament.tables_for(len(entries))]
    return sha256(json.dumps(inputs).encode()).hexdigest()


def ratings_by_entry(division: Division, draw: Draw) -> dict[int, float]:
    """Return the ratings to store with a draft: of all entries before the first round, later of late ones."""
    rows = division.entries.filter(status=Entry.Status.IN)
    if draw.stage.number > 1 or draw.round > 1:
        rows = rows.filter(rating=None)
    players = dict(rows.values_list("pk", "player_id"))
    ratings = ratings_of(players=list(players.values()), pool=division.pool, club=division.tournament.club)
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
    if settings.is_continuous:
        entries = to_be_paired(settings, event)
        return bool(event.rounds) or draw.basis != _basis_without_rounds(division, entries)
    if draw.round != event.next_round or draw.basis != digest(event, requested_byes(draw.stage, event)):
        return True
    return {place for place in draw.places if place is not None} != set(to_be_paired(settings, event))


def to_be_paired(settings: StageSettings, event: SwissEvent) -> list[int]:
    """Return the ids of the entries that play the next round."""
    if settings.format == LIVES:
        return list(lives_left(event, settings.lives))
    return [player.entry for player in event.players if player.active(event.next_round)]


def redraw_reason(old: Draw | None, entries: Collection[int]) -> str:
    """Return the reason of a redraw if the `old` draft had other entries; empty otherwise. It names nobody."""
    if old is None or not old.places or old.state == Draw.State.TAKEN_BACK:
        return ""
    before = {place for place in old.places if place is not None}
    added, removed = len(set(entries) - before), len(before.difference(entries))
    sentences = []
    if added:
        sentences.append(
            ngettext(
                "%(count)d entry more than in the last draft.", "%(count)d entries more than in the last draft.", added
            )
            % {"count": added}
        )
    if removed:
        sentences.append(
            ngettext(
                "%(count)d entry of the last draft is out.", "%(count)d entries of the last draft are out.", removed
            )
            % {"count": removed}
        )
    return " ".join(sentences)


def store_first_batch(draw: Draw, *, event: Tournament, by: Actor, now: datetime) -> None:
    """Write the first pairs of a stage without rounds into its plan; `event` must be locked."""
    stage = draw.stage
    settings = settings_of(stage)
    pairs = list(zip(draw.places[::2], draw.places[1::2], strict=True))
    entries = [entry for pair in pairs for entry in pair if entry is not None]
    length = lengths_of(settings, ROUNDS, stage.division.lengths)[0]
    since, quota = now.isoformat(), settings.lives if settings.format == LIVES else settings.rounds
    batch = NewBatch(
        [NewPair(a, b, length, why=[("by_lot", {})]) for a, b in pairs if a is not None and b is not None],
        room=event.tables_for(len(entries)),
        pool=[[entry, quota, 0, since] for entry in entries],
        private=bool(kept_apart(stage.division)),
    )
    store_batch(stage, batch, event=event, by=by, now=now)


def store_round_of(draw: Draw, deadlines: Sequence[datetime | None], *, event: Tournament) -> None:
    """Write a paired round into the plan of its stage; `event` must be locked."""
    stage = draw.stage
    bracket, _ = stage.brackets.get_or_create(key=ROUNDS)
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


Pair = tuple[Entry, Entry]


class PairedStage(NamedTuple):
    """A stage that is paired round by round, in its current state."""

    stage: Stage
    settings: StageSettings
    state: StageState
    event: SwissEvent


@dataclass(frozen=True, slots=True)
class RoundChanges:
    """New settings for a running stage; None keeps the current value.

    `rounds` is the planned number of rounds, `next_round` what happens when a round is complete, `countdown` the
    seconds after which a round publishes itself.
    """

    rounds: int | None = None
    allow_rematches: bool | None = None
    next_round: NextRound | None = None
    countdown: int | None = None

    def applied_to(self, settings: StageSettings) -> StageSettings:
        """Return the changed settings. Refused: what `StageSettings.checked` refuses."""
        return replace(settings, **{name: value for name, value in asdict(self).items() if value is not None}).checked()


def stage_by_rounds(division: Division) -> Stage | None:
    """Return the stage that is being paired round by round; before the draw, the first stage if it is.

    That is the latest one that has begun, unless an earlier one is open again, after a return or a correction. None if
    there is no such stage.
    """
    rows = division.stages.filter(format__in=BY_ROUND).order_by("number")
    stages = [stage for stage in rows if not is_continuous(stage)]
    begun = [stage for stage in stages if stage.status != Stage.Status.PLANNED]
    still_open = [stage for stage in begun if stage.status != Stage.Status.FINISHED]
    return next(iter([*still_open, *begun[::-1], *(stage for stage in stages if stage.number == 1)]), None)


def paired_stage_of(division: Division) -> PairedStage:
    """Return that stage with its current state. Refused: `not_by_rounds`."""
    stage = stage_by_rounds(division)
    if stage is None:
        raise Refused("not_by_rounds")
    stage.division = division
    state = current_state(division, stage)
    assert state.event is not None  # noqa: S101, it is paired by rounds
    return PairedStage(stage, settings_of(stage), state, state.event)


class WayOut(StrEnum):
    """What a director can do about a round that cannot be paired; END and REMATCHES are made by `change_rounds`."""

    REMATCHES = "allow_rematches"
    LET_MEET = "let_meet"
    CANCEL_BYE = "cancel_bye"
    ADD_PLAYERS = "add_players"
    END = "end"


@dataclass(frozen=True, slots=True)
class WaysOut:
    """What a director can do about a round that cannot be paired; END stops after `end_after` rounds."""

    ways: tuple[WayOut, ...] = ()
    end_after: int = 0


def ways_out(current: PairedStage, refusal: str) -> WaysOut:
    """Return what a director can do after the next round was refused with this code."""
    is_swiss, event = current.settings.format == SWISS, current.event
    can = {
        WayOut.REMATCHES: refusal == "no_legal_pairing" and is_swiss and not current.settings.allow_rematches,
        WayOut.LET_MEET: refusal == "no_legal_pairing" and bool(event.forbidden),
        WayOut.CANCEL_BYE: refusal == "too_few_without_byes",
        WayOut.ADD_PLAYERS: refusal == "too_few_players",
        WayOut.END: is_swiss and bool(event.rounds),
    }
    return WaysOut(tuple(way for way in WayOut if can[way]), len(event.rounds))


def still_refused(current: PairedStage, draw: Draw) -> bool:
    """Whether nothing has changed that a refused pairing depends on."""
    event = current.event
    basis = digest(event, requested_byes(current.stage, event))
    return draw.round == event.next_round and draw.basis == basis


def request_round(
    *, division: Division, by: Actor, now: datetime, after: int, reason: str = "", manual: Sequence[Pair] = ()
) -> Draw:
    """Request a draft of the next round, which a worker makes; it is published like any draft.

    `manual` are pairs fixed beforehand. Pairing a round again needs a reason, which will be public; if entries have
    changed since the last draft, that is the reason unless another is given.
    Refused: `stale`, `tournament_not_open`, `not_by_rounds`, `division_not_drawn`, `rounds_over`, `round_open`,
    `draft_in_work`, `reason_needed`, and for a fixed pair `pair_not_in_round`, `pair_twice`, `pair_not_allowed`,
    `not_with_lives`.
    """
    with transaction.atomic():
        row = _locked(division, by, after)
        current = paired_stage_of(row)
        stage, number = current.stage, current.event.next_round
        if row.status == Division.Status.ENTRIES:
            raise Refused("division_not_drawn")
        _check_not_over(current)
        if current.event.rounds and not current.state.progress.over:
            raise Refused("round_open", round=number - 1)
        old = stage.draws.filter(round=number).order_by("-number").first()
        pairs = _checked_pairs(current, manual)
        reason = reason.strip() or redraw_reason(old, to_be_paired(current.settings, current.event))
        return replace_draft(stage, number, old=old, reason=reason, by=by, now=now, manual=pairs)


def change_rounds(*, division: Division, changes: RoundChanges, after: int, by: Actor, now: datetime) -> Stage:
    """Change the settings of a running stage that is paired round by round.

    A finished Swiss with more rounds than were paired goes on, as long as no later stage has begun. A round that could
    not be paired is requested again.
    Refused: `stale`, `tournament_not_open`, `not_by_rounds`, `not_with_lives`, `rounds_over`, `rounds_paired`,
    `next_stage_begun`, and what `StageSettings.checked` refuses.
    """
    with transaction.atomic():
        row = _locked(division, by, after)
        current = paired_stage_of(row)
        rounds = changes.rounds
        _check_changeable(current, rounds)
        if current.settings.format == LIVES and (rounds is not None or changes.allow_rematches is not None):
            raise Refused("not_with_lives")
        if rounds is not None and rounds < len(current.event.rounds):
            raise Refused("rounds_paired", rounds=len(current.event.rounds))
        settings = changes.applied_to(current.settings)
        if settings != current.settings:
            _store(row, current, settings, by, now)
    return current.stage


def _store(division: Division, current: PairedStage, settings: StageSettings, by: Actor, now: datetime) -> None:
    stage, before = current.stage, current.settings
    store_settings(stage, settings)
    changes = {
        name: [getattr(before, name), getattr(settings, name)]
        for name in ("rounds", "allow_rematches", "next_round", "countdown")
        if getattr(before, name) != getattr(settings, name)
    }
    log(by, "rounds_changed", division.topic, club=division.tournament.club, changes=changes)
    division_changed(division)
    unpublished = stage.draws.filter(state__in=[Draw.State.REQUESTED, Draw.State.DRAFT])
    if settings.rounds is not None:
        unpublished.filter(round__gt=settings.rounds).update(state=Draw.State.DISCARDED)
    settle(division, by=by, now=now)
    request_again_if_refused(division, by=by, now=now)


def request_again_if_refused(division: Division, *, by: Actor, now: datetime) -> None:
    """Request the next round again if it could not be paired; call it after a change that may allow a pairing."""
    stage = stage_by_rounds(division)
    last = stage.draws.order_by("-number").first() if stage is not None else None
    if last is None or not last.refusal:
        return
    current = paired_stage_of(division)
    number = current.event.next_round
    if last.round == number and not current.state.over:
        request_draft(current.stage, number, at_once=current.settings.next_round == NextRound.PUBLISH, now=now, by=by)


def request_bye(*, entry: Entry, round_number: int, kind: str, by: Actor, now: datetime) -> ByeRequest:
    """Record that a player will miss a round of a Swiss; requesting the same bye again changes nothing.

    Refused: `not_entered`, `tournament_not_open`, `not_by_rounds`, `not_with_lives`, `round_paired`, `no_such_round`.
    """
    with transaction.atomic():
        row = _locked(entry.division, by)
        entry.refresh_from_db()
        if entry.status != Entry.Status.IN:
            raise Refused("not_entered", name=entry.player.shown_name)
        current = paired_stage_of(row)
        _check_unpaired_round(current, round_number)
        requests = ByeRequest.objects.filter(entry=entry, stage=current.stage, round=round_number, taken_back_at=None)
        if (existing := requests.filter(kind=kind).first()) is not None:
            return existing
        requests.update(taken_back_at=now)
        bye = ByeRequest.objects.create(
            entry=entry, stage=current.stage, round=round_number, kind=kind, at=now, by=by.user
        )
        _record_change(row, "bye_requested", bye, by)
    return bye


def withdraw_bye(*, entry: Entry, round_number: int, by: Actor, now: datetime) -> ByeRequest:
    """Cancel a requested bye. Refused: `no_bye_requested`, `round_paired`, and as `request_bye`."""
    with transaction.atomic():
        row = _locked(entry.division, by)
        current = paired_stage_of(row)
        _check_unpaired_round(current, round_number)
        requests = ByeRequest.objects.filter(entry=entry, stage=current.stage, round=round_number, taken_back_at=None)
        bye = requests.first()
        if bye is None:
            raise Refused("no_bye_requested", name=entry.player.shown_name, round=round_number)
        bye.taken_back_at = now
        bye.save(update_fields=["taken_back_at"])
        _record_change(row, "bye_taken_back", bye, by)
        request_again_if_refused(row, by=by, now=now)
    return bye


def _record_change(division: Division, verb: str, bye: ByeRequest, by: Actor) -> None:
    """Log a change of a bye and raise the division's `seq`."""
    params = {"entry": bye.entry_id, "round": bye.round, "kind": bye.kind}
    log(by, verb, division.topic, club=division.tournament.club, **params)
    division_changed(division, part=DivisionPart.ENTRIES)


def _locked(division: Division, by: Actor, after: int | None = None) -> Division:
    row = lock_division(division.pk)
    refuse_stale(row, after, by=by, parts=[DivisionPart.PLAN])
    if row.tournament.status == Tournament.Status.CANCELLED or row.status == Division.Status.CANCELLED:
        raise Refused("tournament_not_open")
    return row


def _check_not_over(current: PairedStage) -> None:
    planned = current.event.planned
    paired = len(current.event.rounds)
    if current.settings.ended or current.state.over or current.stage.status == Stage.Status.FINISHED:
        raise Refused("rounds_over", rounds=paired)
    if planned is not None and paired >= planned and current.state.progress.over:
        raise Refused("rounds_over", rounds=paired)


def _check_changeable(current: PairedStage, rounds: int | None) -> None:
    """Refuse changes to a finished stage, except more rounds for a Swiss before a later stage has begun."""
    more = current.settings.format == SWISS and rounds is not None and rounds > len(current.event.rounds)
    if current.settings.ended or not (more and current.state.over):
        _check_not_over(current)
        return
    later = current.stage.division.stages.filter(number__gt=current.stage.number).exclude(status=Stage.Status.PLANNED)
    if (begun := later.order_by("number").first()) is not None:
        raise Refused("next_stage_begun", stage=begun.number)


def _check_unpaired_round(current: PairedStage, round_number: int) -> None:
    """Refuse a bye unless it is for a planned round that is not paired yet."""
    if current.settings.format == LIVES:
        raise Refused("not_with_lives")
    if round_number < current.event.next_round:
        raise Refused("round_paired", round=round_number)
    most = current.event.planned
    if current.state.over or (most is not None and round_number > most):
        raise Refused("no_such_round", round=round_number)


def _checked_pairs(current: PairedStage, manual: Sequence[Pair]) -> list[tuple[int, int]]:
    """Return the ids of fixed pairs; refused unless all play this round, none twice, and each pair may meet."""
    if manual and current.settings.format == LIVES:
        raise Refused("not_with_lives")
    available = set(to_be_paired(current.settings, current.event))
    byes = ByeRequest.objects.filter(stage=current.stage, round=current.event.next_round, taken_back_at=None)
    available -= set(byes.values_list("entry", flat=True))
    used: set[int] = set()
    for first, second in manual:
        names = {"first": first.player.shown_name, "second": second.player.shown_name}
        if not {first.pk, second.pk} <= available:
            raise Refused("pair_not_in_round", **names)
        if first.pk == second.pk or {first.pk, second.pk} & used:
            raise Refused("pair_twice", **names)
        if not legal(current.event, first.pk, second.pk):
            raise Refused("pair_not_allowed", **names)
        used |= {first.pk, second.pk}
    return [(first.pk, second.pk) for first, second in manual]
