"""The preferences page; each of its forms has its own URL."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from core import throttle
from core import time_zones as zones
from engine.errors import Refused
from players.accounts import api_tokens
from players.accounts import services as account_services
from players.accounts.forms import DeleteForm, EmailForm, PasswordForm, PreferencesForm
from players.accounts.views.pages import account_needed, by, me, page, sent
from players.models import User
from players.people import services as people_services

# The forms share a page, so their field ids need different prefixes.
IDS = {"form": "id_%s", "email_form": "email_%s", "password_form": "password_%s"}


def _page(request: HttpRequest, **bound: Any) -> HttpResponse:
    user = me(request)
    player = account_services.ensure_player(user=user, by=by(request))
    fields = ("display_name", "language", "time_zone", "theme")
    initial = {name: getattr(user, name) for name in fields} | {
        "initials_only": player.initials_only,
        "analysis_visibility": player.analysis_visibility,
        "country": player.country,
    }
    context: dict[str, Any] = {
        "form": PreferencesForm(initial=initial, auto_id=IDS["form"]),
        "email_form": EmailForm(auto_id=IDS["email_form"]),
        "password_form": PasswordForm(auto_id=IDS["password_form"]),
        "tokens": api_tokens.live_tokens(user, timezone.now()).count(),
        "zones": zones.offered(),
        **bound,
    }
    return page(request, "players/accounts/preferences.html", context, *bound.values())


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """Show the page and save name, country, language, time zone and theme."""
    if request.method != "POST":
        return _page(request)
    form = PreferencesForm(request.POST, auto_id=IDS["form"])
    if form.is_valid():
        try:
            account_services.update_preferences(user=me(request), by=by(request), **form.cleaned_data)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved."))
            return redirect("preferences")
    return _page(request, form=form)


@sensitive_post_parameters("password")
@account_needed
@require_POST
def change_email(request: HttpRequest) -> HttpResponse:
    """Change the e-mail address."""
    form = EmailForm(request.POST, auto_id=IDS["email_form"])
    if form.is_valid():
        try:
            _count_password(me(request))
            account_services.change_email(user=me(request), by=by(request), now=timezone.now(), **form.cleaned_data)
        except Refused as refused:
            form.refuse(refused)
        else:
            text = _("We sent a link to {email}. Open it to confirm that this address is yours.")
            messages.success(request, text.format(email=form.cleaned_data["email"]))
            return redirect("preferences")
    return _page(request, email_form=form)


@sensitive_post_parameters("password", "new_password")
@account_needed
@require_POST
def change_password(request: HttpRequest) -> HttpResponse:
    """Change the password and sign out all other devices."""
    form = PasswordForm(request.POST, auto_id=IDS["password_form"])
    if form.is_valid():
        user = me(request)
        try:
            _count_password(user)
            account_services.change_password(user=user, by=by(request), **form.cleaned_data)
        except Refused as refused:
            form.refuse(refused)
        else:
            update_session_auth_hash(request, user)
            messages.success(request, _("Password changed. Sign in again on your other devices and in your apps."))
            return redirect("preferences")
    return _page(request, password_form=form)


def _count_password(user: User) -> None:
    """Limit the guesses of somebody who finds an unlocked phone."""
    throttle.count(throttle.PASSWORD_OF, str(user.pk))


@sensitive_post_parameters("password")
@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: HttpRequest) -> HttpResponse:
    """Explain what is deleted and delete the account."""
    form = DeleteForm(sent(request))
    if form.is_valid():
        user = me(request)
        try:
            _count_password(user)
            if not user.check_password(form.cleaned_data["password"]):
                raise Refused("wrong_password")
            player = account_services.ensure_player(user=user, by=by(request))
            people_services.erase_player(player=player, by=by(request), now=timezone.now())
        except Refused as refused:
            form.refuse(refused)
        else:
            logout(request)
            messages.success(request, _("Your account was deleted."))
            return redirect("home")
    return page(request, "players/accounts/delete_account.html", {"form": form}, form)
