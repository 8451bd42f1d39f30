"""Agreeing on a shorter match, as its players see it: what is on offer to whom, and the form to offer a length."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from matches.access import MatchSeat, action_url
from matches.lifecycle.length_offers import LengthOffer
from matches.lifecycle.where import Where, WhereState
from matches.models import Match
from matches.reporting.running import ShownRunningScore


@dataclass(frozen=True, slots=True)
class ShownOffer:
    """A length on offer, in words for one of the players, with what they can do about it."""

    number: int
    text: str
    accept_label: str
    """Empty if they have agreed already."""
    decline_label: str
    accept_url: str
    decline_url: str


@dataclass(frozen=True, slots=True)
class OfferForm:
    """The lengths that a player can offer at this score, and where the form posts."""

    url: str
    lengths: range
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ShorterMatch:
    """What a player can do to shorten a match that is being played: answer an offer, or offer a length."""

    offer: ShownOffer | None
    form: OfferForm | None


def shorter_match(
    seat: MatchSeat, running: ShownRunningScore | None, where: Where, now: datetime
) -> ShorterMatch | None:
    """What a player can do to shorten a match; None for everybody else, and where nothing is on offer or can be."""
    if seat.side is None or running is None or where.state != WhereState.PLAYING:
        return None
    offer = running.offer
    form = _form(seat, running, offer) if may_offer(running, where, now) else None
    if offer is None and form is None:
        return None
    return ShorterMatch(_shown(seat, seat.side, offer) if offer is not None else None, form)


def may_offer(running: ShownRunningScore, where: Where, now: datetime) -> bool:
    """Whether the players can offer a shorter length by themselves."""
    since = running.players_offer_from
    return since is not None and since <= now and where.state != WhereState.ADJOURNED


def _form(seat: MatchSeat, running: ShownRunningScore, offer: LengthOffer | None) -> OfferForm | None:
    lengths = range(max(running.score) + 1, seat.match.length)
    if not lengths or (offer is not None and lengths == range(offer.length, offer.length + 1)):
        return None
    return OfferForm(action_url(seat, "offer-length"), lengths, running.score)


def _shown(seat: MatchSeat, side: int, offer: LengthOffer) -> ShownOffer:
    has_agreed = side in offer.agreed
    return ShownOffer(
        number=offer.number,
        text=_in_words(seat.match, side, offer),
        accept_label="" if has_agreed else gettext("Play to {length}").format(length=offer.length),
        decline_label=gettext("Withdraw") if has_agreed else gettext("Decline"),
        accept_url=action_url(seat, "accept-length"),
        decline_url=action_url(seat, "decline-length"),
    )


def _in_words(match: Match, side: int, offer: LengthOffer) -> str:
    values = {"name": match.names[1 - side], "length": offer.length, "was": offer.was}
    if side in offer.agreed:
        return gettext("You want to play to {length} points instead of {was}. {name} has not answered yet.").format(
            **values
        )
    if offer.side is not None:
        return gettext("{name} wants to play to {length} points instead of {was}. Do you agree?").format(**values)
    if offer.agreed:
        return gettext(
            "The director proposes to play to {length} points instead of {was}, and {name} agrees. Do you?"
        ).format(**values)
    return gettext(
        "The director proposes to play to {length} points instead of {was}. Both of you have to agree."
    ).format(**values)
