"""What a director does with rounds that are paired one by one: has the next one paired, and changes how it goes on."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from tournaments.draws.services.pairings import state_now, to_be_paired
from tournaments.formats.settings import BY_ROUND, LIVES, SWISS, NextRound, StageSettings
from tournaments.formats.swiss.event import SwissEvent
from tournaments.formats.swiss.pairing import legal
from tournaments.models import ByeRequest, Division, Draw, Entry, Stage, Tournament
from tournaments.state.advancement import replace_draft, request_draft
from tournaments.state.derivation import StageState
from tournaments.state.locks import lock_division
from tournaments.state.plans import settings_of, store_settings
from tournaments.state.settle import settle

Pair = tuple[Entry, Entry]


class Rounds(NamedTuple):
    """A stage that is paired round by round, as it stands."""

    stage: Stage
    settings: StageSettings
    state: StageState
    event: SwissEvent


def stage_by_rounds(division: Division) -> Stage | None:
    """The stage that is paired round by round: of several the last one begun, before the draw only the first."""
    stages = division.stages.filter(format__in=BY_ROUND)
    begun = stages.exclude(status=Stage.Status.PLANNED).order_by("-number").first()
    return begun or stages.filter(number=1).first()


def rounds_of(division: Division) -> Rounds:
    """Where that stage stands. Refused: `not_by_rounds`."""
    stage = stage_by_rounds(division)
    if stage is None:
        raise Refused("not_by_rounds")
    stage.division = division
    state = state_now(division, stage)
    assert state.event is not None  # noqa: S101, it is paired by rounds
    return Rounds(stage, settings_of(stage), state, state.event)


def request_round(
    *, division: Division, by: Actor, now: datetime, after: int, reason: str = "", manual: Sequence[Pair] = ()
) -> Draw:
    """Asks for a draft of the next round; a worker makes it, and it is published as a draw is.

    `manual` are pairs that are fixed beforehand. Pairing a round again needs a reason, which will be public.
    Refused: `stale`, `tournament_not_open`, `not_by_rounds`, `division_not_drawn`, `rounds_over`, `round_open`,
    what is wrong with a pair (`pair_not_in_round`, `pair_twice`, `pair_not_allowed`, `not_with_lives`), and
    `draft_in_work`, `reason_needed`.
    """
    with transaction.atomic():
        row = _locked(division, after)
        found = rounds_of(row)
        stage, number = found.stage, found.event.next_round
        if row.status == Division.Status.ENTRIES:
            raise Refused("division_not_drawn")
        _check_goes_on(found)
        if found.event.rounds and not found.state.progress.over:
            raise Refused("round_open", round=number - 1)
        old = stage.draws.filter(round=number).order_by("-number").first()
        pairs = _checked_pairs(found, manual)
        return replace_draft(stage, number, old=old, reason=reason, by=by, now=now, manual=pairs)


def change_rounds(
    *,
    division: Division,
    by: Actor,
    now: datetime,
    after: int,
    rounds: int | None = None,
    allow_rematches: bool | None = None,
    next_round: NextRound | None = None,
    countdown: int | None = None,
) -> Stage:
    """Changes how a stage goes on while it runs; None leaves it as it is.

    `rounds` is how many there will be; more than were paired give a finished Swiss another round, as long as no later
    stage has begun. `allow_rematches` says whether two may meet again, `next_round` what happens when a round is
    complete, `countdown` the seconds after which one publishes itself. A round that could not be paired is asked for
    again.
    Refused: `stale`, `tournament_not_open`, `not_by_rounds`, `not_with_lives`, `rounds_over`, `rounds_paired`,
    `next_stage_begun`, and what `StageSettings.checked` refuses.
    """
    with transaction.atomic():
        row = _locked(division, after)
        found = rounds_of(row)
        _check_changeable(found, rounds)
        if found.settings.format == LIVES and (rounds is not None or allow_rematches is not None):
            raise Refused("not_with_lives")
        if rounds is not None and rounds < len(found.event.rounds):
            raise Refused("rounds_paired", rounds=len(found.event.rounds))
        before = found.settings
        wanted = replace(
            before,
            rounds=before.rounds if rounds is None else rounds,
            allow_rematches=before.allow_rematches if allow_rematches is None else allow_rematches,
            next_round=before.next_round if next_round is None else next_round,
            countdown=before.countdown if countdown is None else countdown,
        ).checked()
        if wanted != before:
            _store(row, found, wanted, by, now)
    return found.stage


def _store(division: Division, found: Rounds, wanted: StageSettings, by: Actor, now: datetime) -> None:
    stage, before = found.stage, found.settings
    store_settings(stage, wanted)
    changes = {
        name: [getattr(before, name), getattr(wanted, name)]
        for name in ("rounds", "allow_rematches", "next_round", "countdown")
        if getattr(before, name) != getattr(wanted, name)
    }
    log(by, "rounds_changed", division.topic, club=division.tournament.club, changes=changes)
    division.seq += 1
    division.save(update_fields=["seq"])
    undone = stage.draws.filter(state__in=[Draw.State.REQUESTED, Draw.State.DRAFT])
    if wanted.rounds is not None:
        undone.filter(round__gt=wanted.rounds).update(state=Draw.State.DISCARDED)
    settle(division, by=by, now=now)
    ask_again(division, by=by, now=now)


def ask_again(division: Division, *, by: Actor, now: datetime) -> None:
    """The next round is asked for anew if it was refused; to be called when something has changed since."""
    stage = stage_by_rounds(division)
    last = stage.draws.order_by("-number").first() if stage is not None else None
    if last is None or not last.refusal:
        return
    found = rounds_of(division)
    number = found.event.next_round
    if last.round == number and not found.state.over:
        request_draft(found.stage, number, at_once=found.settings.next_round == NextRound.PUBLISH, now=now, by=by)


# Byes that are asked for


def request_bye(*, entry: Entry, round_number: int, kind: str, by: Actor, now: datetime) -> ByeRequest:
    """Notes that somebody will miss a round of a Swiss; asking for the same again changes nothing.

    Refused: `not_entered`, `tournament_not_open`, `not_by_rounds`, `not_with_lives`, `round_paired`, `no_such_round`.
    """
    with transaction.atomic():
        row = _locked(entry.division)
        entry.refresh_from_db()
        if entry.status != Entry.Status.IN:
            raise Refused("not_entered", name=entry.player.shown_name)
        found = rounds_of(row)
        _check_round_ahead(found, round_number)
        mine = ByeRequest.objects.filter(entry=entry, stage=found.stage, round=round_number, taken_back_at=None)
        if (same := mine.filter(kind=kind).first()) is not None:
            return same
        mine.update(taken_back_at=now)
        made = ByeRequest.objects.create(
            entry=entry, stage=found.stage, round=round_number, kind=kind, at=now, by=by.user
        )
        _told(row, "bye_requested", made, by)
    return made


def take_back_bye(*, entry: Entry, round_number: int, by: Actor, now: datetime) -> ByeRequest:
    """The player will be there after all. Refused: `no_bye_requested`, `round_paired`, and as `request_bye`."""
    with transaction.atomic():
        row = _locked(entry.division)
        found = rounds_of(row)
        _check_round_ahead(found, round_number)
        rows = ByeRequest.objects.filter(entry=entry, stage=found.stage, round=round_number, taken_back_at=None)
        asked = rows.first()
        if asked is None:
            raise Refused("no_bye_requested", name=entry.player.shown_name, round=round_number)
        asked.taken_back_at = now
        asked.save(update_fields=["taken_back_at"])
        _told(row, "bye_taken_back", asked, by)
        ask_again(row, by=by, now=now)
    return asked


def _told(division: Division, verb: str, asked: ByeRequest, by: Actor) -> None:
    told = {"entry": asked.entry_id, "round": asked.round, "kind": asked.kind}
    log(by, verb, division.topic, club=division.tournament.club, **told)
    division.seq += 1
    division.save(update_fields=["seq"])


# What all of these need


def _locked(division: Division, after: int | None = None) -> Division:
    row = lock_division(division.pk)
    if after is not None and row.seq != after:
        raise Refused("stale")
    if row.tournament.status == Tournament.Status.CANCELLED or row.status == Division.Status.CANCELLED:
        raise Refused("tournament_not_open")
    return row


def _check_goes_on(found: Rounds) -> None:
    planned = found.event.planned
    paired = len(found.event.rounds)
    if found.state.over or found.stage.status == Stage.Status.FINISHED:
        raise Refused("rounds_over", rounds=paired)
    if planned is not None and paired >= planned and found.state.progress.over:
        raise Refused("rounds_over", rounds=paired)


def _check_changeable(found: Rounds, rounds: int | None) -> None:
    """A finished Swiss goes on with more rounds, unless its places are already played on."""
    more = found.settings.format == SWISS and rounds is not None and rounds > len(found.event.rounds)
    if not (more and found.state.over):
        _check_goes_on(found)
        return
    later = found.stage.division.stages.filter(number__gt=found.stage.number).exclude(status=Stage.Status.PLANNED)
    if (begun := later.order_by("number").first()) is not None:
        raise Refused("next_stage_begun", stage=begun.number)


def _check_round_ahead(found: Rounds, round_number: int) -> None:
    """A bye is asked for before its round is paired."""
    if found.settings.format == LIVES:
        raise Refused("not_with_lives")
    if round_number < found.event.next_round:
        raise Refused("round_paired", round=round_number)
    most = found.event.planned
    if found.state.over or (most is not None and round_number > most):
        raise Refused("no_such_round", round=round_number)


def _checked_pairs(found: Rounds, manual: Sequence[Pair]) -> list[tuple[int, int]]:
    """Pairs that can be fixed: both in this round, none twice, no rematch and no forbidden pair."""
    if manual and found.settings.format == LIVES:
        raise Refused("not_with_lives")
    coming = set(to_be_paired(found.settings, found.event))
    asked = ByeRequest.objects.filter(stage=found.stage, round=found.event.next_round, taken_back_at=None)
    coming -= set(asked.values_list("entry", flat=True))
    used: set[int] = set()
    for first, second in manual:
        names = {"first": first.player.shown_name, "second": second.player.shown_name}
        if not {first.pk, second.pk} <= coming:
            raise Refused("pair_not_in_round", **names)
        if first.pk == second.pk or {first.pk, second.pk} & used:
            raise Refused("pair_twice", **names)
        if not legal(found.event, first.pk, second.pk):
            raise Refused("pair_not_allowed", **names)
        used |= {first.pk, second.pk}
    return [(first.pk, second.pk) for first, second in manual]
