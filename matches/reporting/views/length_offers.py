"""Actions of a player who agrees with the opponent on a shorter match."""

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from matches import access
from matches.access import MatchSeat, side_of
from matches.lifecycle.events import events
from matches.lifecycle.length_offers import Answered, Offered
from matches.reporting.forms import LengthAnswerForm, LengthOfferForm
from matches.reporting.views.acting import acting


@acting(lambda request, seat: LengthOfferForm(request.POST, match=seat.match))
def offer(request: HttpRequest, seat: MatchSeat, form: LengthOfferForm) -> str:
    """Offer a shorter length; if the opponent has offered the same, the match has it."""
    length = form.cleaned_data["length"]
    move = Offered(seat.match, side_of(seat), length, form.score)
    return _recorded(seat, move, gettext("Offered. The match stays as it is until your opponent agrees."))


@acting(lambda request, seat: LengthAnswerForm(request.POST))
def accept(request: HttpRequest, seat: MatchSeat, form: LengthAnswerForm) -> str:
    """Agree to the length that is on offer."""
    move = Answered(seat.match, side_of(seat), form.cleaned_data["offer"], accepted=True)
    return _recorded(seat, move, gettext("You agree. Your opponent has not answered yet."))


@acting(lambda request, seat: LengthAnswerForm(request.POST))
def decline(request: HttpRequest, seat: MatchSeat, form: LengthAnswerForm) -> str:
    """Decline the length that is on offer, or withdraw it."""
    move = Answered(seat.match, side_of(seat), form.cleaned_data["offer"], accepted=False)
    return _recorded(seat, move, gettext("The match keeps its length."))


def _recorded(seat: MatchSeat, move: Offered | Answered, unchanged: str) -> str:
    """Record it, and return the new length if both have agreed, else that nothing has changed so far."""
    events().record_length(move, by=seat.by, now=timezone.now())
    length = access.refetch(seat.match).length
    if length == seat.match.length:
        return unchanged
    return gettext("Agreed: you play to {length} points.").format(length=length)
