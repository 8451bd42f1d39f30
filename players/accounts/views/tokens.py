"""The page of an account's API tokens."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from engine.errors import Refused
from players.accounts import api_tokens
from players.accounts.forms import RevokeTokenForm, TokenForm
from players.accounts.views.pages import account_needed, by, me, page, sent


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def make_token(request: HttpRequest) -> HttpResponse:
    """List the tokens, and create one and show it once."""
    form = TokenForm(sent(request))
    new = None
    if form.is_valid():
        try:
            new = api_tokens.create_token(user=me(request), by=by(request), now=timezone.now(), **form.cleaned_data)
        except Refused as refused:
            form.refuse(refused)
    if new is not None:
        return page(request, "players/accounts/token.html", {"token": new.key, "name": new.token.name})
    tokens = api_tokens.live_tokens(me(request), timezone.now())
    return page(request, "players/accounts/tokens.html", {"form": form, "tokens": tokens}, form)


@account_needed
@require_POST
def revoke_token(request: HttpRequest) -> HttpResponse:
    """Delete a token; harmless if there is none."""
    form = RevokeTokenForm(request.POST)
    if form.is_valid():
        api_tokens.revoke_token(user=me(request), token_id=form.cleaned_data["token"], by=by(request))
        messages.success(request, _("Token revoked."))
    return redirect("make-token")
