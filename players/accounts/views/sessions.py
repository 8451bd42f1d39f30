"""The page on which users see where they are signed in."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from players.accounts import sessions as services
from players.accounts.forms import SessionForm
from players.accounts.views.pages import account_needed, me


@account_needed
@never_cache
@require_safe
def sessions(request: HttpRequest) -> HttpResponse:
    """List the sessions of the account."""
    rows = [
        {
            "name": services.name_of(row.session_key),
            "browser": row.browser,
            "started_at": row.started_at,
            "is_current": row.session_key == request.session.session_key,
        }
        for row in services.sessions_of(me(request))
    ]
    return render(request, "players/accounts/sessions.html", {"sessions": rows})


@account_needed
@require_POST
def end_session(request: HttpRequest) -> HttpResponse:
    """End one session; harmless if there is none."""
    form = SessionForm(request.POST)
    if form.is_valid() and services.end(user=me(request), name=form.cleaned_data["session"]):
        messages.success(request, _("That device is signed out."))
    return redirect("sessions")


@account_needed
@require_POST
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    """End all sessions but this one."""
    count = services.end_others(user=me(request), current=request.session.session_key)
    text = ngettext("{count} other device is signed out.", "{count} other devices are signed out.", count)
    messages.success(request, text.format(count=count))
    return redirect("sessions")
