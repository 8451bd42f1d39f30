"""Pages about chat messages: those that were reported in a club, and the decision on a message."""

from django import forms
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.messages import sentence
from core.repeats import Repeat, repeated
from engine.errors import Refused
from matches.play.chat import services
from matches.play.chat.services import latest_decisions, message_for_moderator, undecided_in_club
from players import access
from players.requests import by, me, safe_next


class DecideMessageForm(forms.Form):
    decision = forms.ChoiceField(choices=[("remove", ""), ("keep", "")])

    @property
    def removes(self) -> bool:
        return bool(self.cleaned_data["decision"] == "remove")


@open_to(get=Who.DIRECTORS)
@never_cache
def reported_messages(request: HttpRequest, slug: str) -> HttpResponse:
    """List the reported messages of a club's matches, and those that were decided on lately."""
    club = access.club_for_director(request.user, slug)
    reader = me(request)
    context = {
        "club": club,
        "reported": undecided_in_club(reader, club),
        "decisions": latest_decisions(reader, club),
        "back": reverse("reported-messages", args=[club.slug]),
    }
    return render(request, "matches/play/reported_messages.html", context)


@open_to(post=Who.STAFF)
@repeated(Repeat.STATE)
def decide(request: HttpRequest, public_id: str, message: str) -> HttpResponse:
    """Remove a message, or keep it."""
    row = message_for_moderator(request.user, public_id, message)
    form = DecideMessageForm(request.POST)
    if not form.is_valid():
        raise BadRequest("The decision is missing.")
    try:
        services.decide(message=row, removes=form.removes, by=by(request), now=timezone.now())
    except Refused as refused:
        messages.error(request, sentence(refused.code, refused.params))
    else:
        messages.success(request, _("This message was removed.") if form.removes else _("The message is visible."))
    return redirect(safe_next(request, reverse("match", args=[public_id])))
