"""Players withdrawing from a whole event."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from players.access import my_player
from tournaments import access
from tournaments.entries.services import entries
from tournaments.events.views.pages import account_needed, by, event_url_args, me


@account_needed
@require_POST
def leave(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Withdraw the signed-in player from every division of an event."""
    tournament = access.tournament(request.user, club, slug)
    player = my_player(me(request))
    withdrawn = entries.withdraw_from_event(tournament=tournament, player=player, by=by(request), now=timezone.now())
    if withdrawn:
        messages.success(request, _("You have withdrawn from %(event)s.") % {"event": tournament.name})
    return redirect("event", *event_url_args(tournament))
