"""Signing in with a second factor, and the page on which an account turns it on and off."""

from datetime import timedelta
from typing import Any

import segno
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core import throttle
from engine.errors import Refused
from players.access import has_second_factor
from players.accounts import second_factor as services
from players.accounts.backend import check_second_factor
from players.accounts.forms import CodeForm, ConfirmForm
from players.accounts.sessions import begin
from players.accounts.views.pages import account_needed, by, me, page, refused_back, sent
from players.models import User

WAITING = "second_factor"
"""The session key of whoever has given the password but no code yet: user, next page, time, and hash of the password,
so that nobody gets in with the old one after it was changed."""
WAITS_FOR = timedelta(minutes=10)


def wait_for_code(request: HttpRequest, user: User, leads_to: str) -> HttpResponse:
    """Remember who has given the right password, and ask for the code."""
    request.session[WAITING] = [user.pk, leads_to, timezone.now().timestamp(), user.get_session_auth_hash()]
    return redirect("sign-in-code")


def _waiting(request: HttpRequest) -> tuple[User, str] | None:
    pk, leads_to, since, password_hash = request.session.get(WAITING, (None, "", 0.0, ""))
    if pk is None or timezone.now().timestamp() - since > WAITS_FOR.total_seconds():
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    if user is None or not constant_time_compare(password_hash, user.get_session_auth_hash()):
        return None
    return user, leads_to


@sensitive_post_parameters("one_time_code")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_code(request: HttpRequest) -> HttpResponse:
    """Ask for the code of the authenticator app, or a recovery code, and sign in."""
    waiting = _waiting(request)
    if waiting is None:
        return redirect("sign-in")
    user, leads_to = waiting
    form = CodeForm(sent(request))
    if form.is_valid():
        try:
            check_second_factor(request, user, form.cleaned_data["one_time_code"])
        except Refused as refused:
            form.refuse(refused)
        else:
            begin(request, user)
            request.session.pop(WAITING, None)
            return redirect(leads_to or resolve_url(settings.LOGIN_REDIRECT_URL))
    return page(request, "players/accounts/sign_in_code.html", {"form": form}, form)


@account_needed
@never_cache
@require_safe
def second_factor(request: HttpRequest) -> HttpResponse:
    """Show whether the second factor is on, and how to turn it on."""
    return _page(request)


def _page(request: HttpRequest, **bound: Any) -> HttpResponse:
    user = me(request)
    device = services.waiting_device(user)
    context: dict[str, Any] = {
        "is_on": has_second_factor(user),
        "codes_left": user.recovery_codes.count(),
        "code_form": CodeForm(),
        "confirm_form": ConfirmForm(),
    }
    if device is not None:
        code = segno.make(services.setup_url(device, user.shown_email), error="m")
        context["key"] = services.key_of(device)
        context["svg"] = code.svg_inline(scale=4, border=2, omitsize=True, svgclass="qr", lineclass=None)
    return page(request, "players/accounts/second_factor.html", context | bound, *bound.values())


@account_needed
@require_POST
def start_second_factor(request: HttpRequest) -> HttpResponse:
    """Make the key that the app is to scan."""
    try:
        services.start(user=me(request))
    except Refused as refused:
        return refused_back(request, refused, "second-factor")
    return redirect("second-factor")


@sensitive_post_parameters("one_time_code")
@account_needed
@never_cache
@require_POST
def turn_on(request: HttpRequest) -> HttpResponse:
    """Turn the second factor on, and show the recovery codes once."""
    form = CodeForm(request.POST)
    if form.is_valid():
        try:
            throttle.count_code(request, me(request).pk)
            codes = services.turn_on(user=me(request), code=form.cleaned_data["one_time_code"], by=by(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            return page(request, "players/accounts/recovery_codes.html", {"codes": codes})
    return _page(request, code_form=form)


@sensitive_post_parameters("password")
@account_needed
@never_cache
@require_POST
def renew_codes(request: HttpRequest) -> HttpResponse:
    """Replace the recovery codes, and show them once."""
    return _confirmed(request, turn_off=False)


@sensitive_post_parameters("password")
@account_needed
@never_cache
@require_POST
def turn_off(request: HttpRequest) -> HttpResponse:
    """Turn the second factor off."""
    return _confirmed(request, turn_off=True)


def _confirmed(request: HttpRequest, *, turn_off: bool) -> HttpResponse:
    form = ConfirmForm(request.POST)
    user = me(request)
    if not form.is_valid():
        return _page(request, confirm_form=form)
    try:
        throttle.count(throttle.PASSWORD_OF, str(user.pk))
        if turn_off:
            services.turn_off(user=user, by=by(request), **form.cleaned_data)
            messages.success(request, _("The second factor is off."))
            return redirect("second-factor")
        codes = services.renew_recovery_codes(user=user, by=by(request), **form.cleaned_data)
    except Refused as refused:
        form.refuse(refused)
        return _page(request, confirm_form=form)
    return page(request, "players/accounts/recovery_codes.html", {"codes": codes})
