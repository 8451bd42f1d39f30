"""Agreeing on a shorter match: a length is offered, and once both players want it the match has it.

A director can propose a length at any time; both players have to agree. A player can offer one once the event should be
over, where its rule is to shorten matches; the other player has to agree. Offering the length that is on offer agrees
to it, and another length takes its place.
"""

from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.at_tables import LengthOffer
from matches.lifecycle.opening import set_lengths
from matches.models import Match
from players.actors import Actor
from tournaments.floor.evening import refuse_changed_score, refuse_length, refuse_live
from tournaments.floor.journal import (
    FactTarget,
    lock_fixture,
    lock_floor,
    match_on_floor,
    read_state,
    record,
    refuse_over,
)
from tournaments.floor.notifications import notify_length_offer
from tournaments.floor.state import FloorMatchState, MatchOnFloor
from tournaments.models import Fixture, Floor, FloorEvent, FloorKind, Tournament

MAX_OFFERS = 20
"""Lengths that the players of a match can offer."""


def players_offer_from(tournament: Tournament) -> datetime | None:
    """Return from when on the players of an event can offer a shorter match by themselves; None: never."""
    return tournament.ends_at if tournament.closing_rule == Tournament.ClosingRule.SHORTEN else None


def propose_length(*, fixture: Fixture, length: int, by: Actor, now: datetime) -> FloorEvent:
    """Propose a shorter length to both players, for a director. Proposing what is on offer changes nothing.

    Refused: `fixture_not_ready`, `not_on_floor`, `match_live`, `match_finished`, `match_adjourned`, `not_playing`,
    `cannot_shorten`, `not_shorter`.
    """
    with transaction.atomic():
        playing = _lock(fixture, now)
        offer = playing.row.offer
        if offer is not None and offer.length == length:
            return FloorEvent.objects.get(pk=offer.number)
        refuse_length(playing.row, playing.match, length)
        return _offer(playing, length, {}, by, now)


def offer_length(
    *, fixture: Fixture, side: int, length: int, score: tuple[int, int], by: Actor, now: datetime
) -> FloorEvent:
    """Offer a shorter length to the other player, at the score that this one saw. Repeating it changes nothing.

    Returns the fact that made the match shorter if the other player, or both for a director, wanted that length before.
    Refused: as `propose_length`, and `players_may_not_offer`, `running_score_changed`, `too_many_offers`.
    """
    with transaction.atomic():
        playing = _lock(fixture, now)
        offer, shortened = playing.row.offer, playing.row.shortened
        if shortened is not None and shortened.params["length"] == length:
            return FloorEvent.objects.get(pk=shortened.id)
        refuse_changed_score(playing.row, playing.match, score)
        if offer is not None and offer.length == length:
            return _agree(playing, offer, side, by, now)
        since = players_offer_from(playing.floor.tournament)
        if since is None or now < since:
            raise Refused("players_may_not_offer", fixture=playing.row.number)
        refuse_length(playing.row, playing.match, length)
        offers = FloorEvent.objects.filter(match=playing.match, kind=FloorKind.LENGTH_OFFERED, params__has_key="side")
        if offers.count() >= MAX_OFFERS:
            raise Refused("too_many_offers")
        return _offer(playing, length, {"side": side}, by, now)


def accept_length(*, fixture: Fixture, side: int, offer: int, by: Actor, now: datetime) -> FloorEvent:
    """Agree to the offer with this number. Agreeing twice changes nothing.

    Refused: `offer_gone` if it does not stand any more, and as `propose_length` refuses.
    """
    with transaction.atomic():
        playing = _lock(fixture, now)
        shortened = playing.row.shortened
        if shortened is not None and shortened.params.get("offer") == offer:
            return FloorEvent.objects.get(pk=shortened.id)
        return _agree(playing, _standing(playing, offer), side, by, now)


def decline_length(*, fixture: Fixture, side: int | None, offer: int, by: Actor, now: datetime) -> FloorEvent:
    """Decline the offer with this number; for whoever made or accepted it, and a director (`side` None), withdraw it.

    Declining twice changes nothing.
    Refused: `offer_gone` if it does not stand any more, and as `propose_length` refuses.
    """
    with transaction.atomic():
        playing = _lock(fixture, now)
        if (answer := _declined(playing.match, side, offer)) is not None:
            return answer
        standing = _standing(playing, offer)
        own = side is None or side in standing.agreed
        kind = FloorKind.LENGTH_WITHDRAWN if own else FloorKind.LENGTH_DECLINED
        about = FactTarget(fixture=playing.fixture, params={"offer": offer, "side": side})
        return record(playing.floor, kind, about, by=by, now=now)


class _Playing(NamedTuple):
    """A match that is being played at a table, locked with its floor."""

    floor: Floor
    fixture: Fixture
    match: Match
    row: MatchOnFloor


def _lock(fixture: Fixture, now: datetime) -> _Playing:
    floor = lock_floor(fixture.stage.division.tournament_id, now)
    locked, match = lock_fixture(fixture)
    row = match_on_floor(read_state(floor, now), locked)
    refuse_over(row)
    refuse_live(match)
    if row.state != FloorMatchState.PLAYING:
        raise Refused("not_playing", fixture=row.number)
    return _Playing(floor, locked, match, row)


def _offer(playing: _Playing, length: int, params: dict[str, Any], by: Actor, now: datetime) -> FloorEvent:
    score = playing.row.score
    params |= {"length": length, "was": playing.match.length, "score": None if score is None else list(score)}
    about = FactTarget(fixture=playing.fixture, params=params)
    offered = record(playing.floor, FloorKind.LENGTH_OFFERED, about, by=by, now=now)
    notify_length_offer(offered, by)
    return offered


def _agree(playing: _Playing, offer: LengthOffer, side: int, by: Actor, now: datetime) -> FloorEvent:
    """Record that a side wants the length that is offered; with both, the match has it."""
    if side in offer.agreed:
        return FloorEvent.objects.get(pk=offer.number)
    about = FactTarget(fixture=playing.fixture, params={"offer": offer.number, "side": side})
    accepted = record(playing.floor, FloorKind.LENGTH_ACCEPTED, about, by=by, now=now)
    if {*offer.agreed, side} != {0, 1}:
        return accepted
    set_lengths([playing.match], length=offer.length, by=by)
    params = {"was": offer.was, "length": offer.length, "side": side, "offer": offer.number}
    return record(
        playing.floor, FloorKind.SHORTENED, FactTarget(fixture=playing.fixture, params=params), by=by, now=now
    )


def _standing(playing: _Playing, offer: int) -> LengthOffer:
    standing = playing.row.offer
    if standing is None or standing.number != offer:
        raise Refused("offer_gone", fixture=playing.row.number)
    return standing


def _declined(match: Match, side: int | None, offer: int) -> FloorEvent | None:
    """Return the fact that this side has already declined or withdrawn an offer, if it has."""
    kinds = (FloorKind.LENGTH_DECLINED, FloorKind.LENGTH_WITHDRAWN)
    answers = FloorEvent.objects.filter(match=match, kind__in=kinds, params__offer=offer, undone_by=None)
    return next((answer for answer in answers if answer.params["side"] == side), None)
