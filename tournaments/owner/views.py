"""The pages behind the link of the installation's owner."""

from datetime import datetime

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from core.messages import sentence, status_of
from engine.errors import Refused
from players.accounts.sessions import begin
from players.accounts.views import SignUpForm, open_account
from players.models import User
from players.pages import page, sent
from tournaments.demo.club import SLUG, accounts, director
from tournaments.demo.removal import contents, decline
from tournaments.owner import links
from tournaments.owner.forms import KeyForm, OwnClubForm


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def choice(request: HttpRequest, owner_token: str) -> HttpResponse:
    """Offer the demo or a club of one's own. The form signs in as the demo's director."""
    user = director()
    form = KeyForm(sent(request))
    try:
        if user is not None and form.is_valid():
            user = links.use_for_demo(secret=owner_token, key=form.cleaned_data["key"], now=timezone.now())
            begin(request, user)
            messages.success(request, _("You are now signed in as %(name)s.") % {"name": user})
            return redirect("club", SLUG)
        links.must_be_open(owner_token, timezone.now())
    except Refused as refused:
        return _closed(request, refused)
    if user is None:
        return redirect("owner-club", owner_token)
    context = {"form": form, "director": user, "owner_token": owner_token}
    return page(request, "tournaments/owner/choice.html", context, form)


@sensitive_post_parameters("new_password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def own_club(request: HttpRequest, owner_token: str) -> HttpResponse:
    """Say what goes with the demo; remove it, create the owner's account, and lead to creating a club."""
    now = timezone.now()
    has_demo = accounts().exists()
    form = OwnClubForm(sent(request), has_demo=has_demo)
    account_form = SignUpForm(sent(request)) if _needs_account(request) else None
    forms = [form, account_form] if account_form else [form]
    refusal = None
    try:
        if all(each.is_valid() for each in forms):
            if _start(request, owner_token, form.cleaned_data["key"], account_form, now):
                return redirect("create-club")
        else:
            links.must_be_open(owner_token, now)
    except Refused as refused:
        if refused.code not in ("demo_in_use", "stale"):
            return _closed(request, refused)
        refusal = refused
        form.refuse(refused)
    context = {
        "form": form,
        "account_form": account_form,
        "demo": contents() if has_demo else None,
        "action": _action(has_demo=has_demo, needs_account=account_form is not None),
        "owner_token": owner_token,
    }
    response = page(request, "tournaments/owner/own_club.html", context, *forms)
    if refusal is not None:
        response.status_code = status_of(refusal.code)
    return response


def _action(*, has_demo: bool, needs_account: bool) -> str:
    """Return the label of the button."""
    if has_demo:
        return _("Remove the demo and start")
    return _("Create account") if needs_account else _("Start a club")


def _needs_account(request: HttpRequest) -> bool:
    """Whether the visitor is not signed in, or only as somebody of the demo, who goes with it."""
    return not isinstance(request.user, User) or accounts().filter(pk=request.user.pk).exists()


def _start(request: HttpRequest, secret: str, key: str, account_form: SignUpForm | None, now: datetime) -> bool:
    """Use the link, decline the demo and open the account, or do nothing if one of them is refused."""
    with transaction.atomic():
        links.use(secret=secret, form=f"club {key}", now=now)
        decline(now=now)
        is_done = account_form is None or open_account(request, account_form) is not None
        transaction.set_rollback(not is_done)
    return is_done


def _closed(request: HttpRequest, refused: Refused) -> HttpResponse:
    """Say why the link does nothing."""
    context = {"reason": sentence(refused.code, refused.params)}
    return render(request, "tournaments/owner/closed.html", context, status=status_of(refused.code))
