"""The page of play preferences."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from matches.play.preferences.forms import PlayPreferencesForm
from matches.play.preferences.selectors import preferences_of
from matches.play.preferences.services import update_preferences
from players.pages import account_needed, me, page, sent


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def play_preferences(request: HttpRequest) -> HttpResponse:
    """Show and save how the signed-in user wants to play."""
    form = PlayPreferencesForm(sent(request), instance=preferences_of(me(request)))
    if form.is_valid():
        update_preferences(user=me(request), changes=form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("play-preferences")
    return page(request, "matches/play/preferences.html", {"form": form}, form)
