"""The installation's owner: a link that works once, to look around the demo or to start a club of their own."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from core.access import Who, open_to
from core.locks import for_update
from core.messages import sentence, status_of
from core.public_ids import hash_of
from core.repeats import Repeat, repeated
from demo.club import SLUG, accounts, director
from demo.removal import contents, decline
from engine.errors import Refused
from players.accounts.sessions import begin
from players.accounts.sign_in import SignUpForm, open_account
from players.forms import RefusingForm
from players.models import User
from players.requests import page, sent
from tournaments.models import Installation

# The link of the installation's owner.
#
# There is one at a time, and it replaces the one before. Opening it changes nothing, since messengers open links to
# preview them; it is used by sending one of its two forms, and signs nobody in before that. It grants no more than
# that form: to be signed in as the demo's director, or to remove the demo and create an ordinary account.


LASTS = timedelta(days=1)
SECRET_BYTES = 32


def renew(*, now: datetime) -> str:
    """Replace the link by a new one, and return its path. Only the hash of its secret is stored."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    fields = {
        "link_hash": hash_of(secret),
        "link_expires_at": now + LASTS,
        "link_used_at": None,
        "link_form_hash": "",
    }
    Installation.objects.update_or_create(pk=Installation.ONLY, defaults=fields)
    return reverse("owner-link", args=[secret])


def must_be_open(secret: str, now: datetime) -> None:
    """Refused: `owner_link_used`, `owner_link_expired`. Raises Http404 for every other secret than the current one."""
    row = _row(secret)
    if row.link_used_at is not None:
        raise Refused("owner_link_used")
    _refuse_expired(row, now)


@transaction.atomic
def use(*, secret: str, form: str, now: datetime) -> None:
    """Use the link for a form, named by its purpose and a random key; harmless when the same form is sent again.

    Refused: `owner_link_used`, `owner_link_expired`. Raises Http404 for every other secret than the current one.
    """
    row = _row(secret, lock=True)
    _refuse_expired(row, now)
    form_hash = hash_of(form)
    if row.link_used_at is not None:
        # The answer may have been lost: whoever has the form sends it again.
        if row.link_form_hash != form_hash:
            raise Refused("owner_link_used")
        return
    row.link_used_at, row.link_form_hash = now, form_hash
    row.save(update_fields=["link_used_at", "link_form_hash"])


@transaction.atomic
def use_for_demo(*, secret: str, key: str, now: datetime) -> User:
    """Use the link to look around the demo, and return its director. Refused: `demo_gone`, and what `use` refuses."""
    use(secret=secret, form=f"demo {key}", now=now)
    user = director()
    if user is None:
        raise Refused("demo_gone")
    return user


def _row(secret: str, *, lock: bool = False) -> Installation:
    rows = Installation.objects.filter(link_hash=hash_of(secret))
    row = (for_update(rows) if lock else rows).first()
    if row is None:
        raise Http404
    return row


def _refuse_expired(row: Installation, now: datetime) -> None:
    if row.link_expires_at is None or row.link_expires_at <= now:
        raise Refused("owner_link_expired")


KEY_BYTES = 16


class KeyForm(RefusingForm):
    """The random key that identifies a form when it is sent again."""

    key = forms.CharField(max_length=64, widget=forms.HiddenInput, initial=lambda: secrets.token_urlsafe(KEY_BYTES))


class OwnClubForm(KeyForm):
    """The start with a club of one's own; a tick removes the demo, if there is one."""

    sure = forms.BooleanField(
        label=gettext_lazy("Remove the demo for good"),
        error_messages={"required": gettext_lazy("Tick the box to confirm.")},
    )

    def __init__(self, *args: Any, has_demo: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not has_demo:
            del self.fields["sure"]


@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.HARMLESS)
def choice(request: HttpRequest, owner_token: str) -> HttpResponse:
    """Offer the demo or a club of one's own. The form signs in as the demo's director."""
    user = director()
    form = KeyForm(sent(request))
    try:
        if user is not None and form.is_valid():
            user = use_for_demo(secret=owner_token, key=form.cleaned_data["key"], now=timezone.now())
            begin(request, user)
            messages.success(request, _("You are now signed in as %(name)s.") % {"name": user})
            return redirect("club", SLUG)
        must_be_open(owner_token, timezone.now())
    except Refused as refused:
        return _closed(request, refused)
    if user is None:
        return redirect("owner-club", owner_token)
    context = {"form": form, "director": user, "owner_token": owner_token}
    return page(request, "demo/choice.html", context, form)


@sensitive_post_parameters("new_password")
@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.KEY)
def own_club(request: HttpRequest, owner_token: str) -> HttpResponse:
    """Preview what goes with the demo; on POST remove it, create the owner's account and go on to a new club."""
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
            must_be_open(owner_token, now)
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
    response = page(request, "demo/own_club.html", context, *forms)
    if refusal is not None:
        response.status_code = status_of(refusal.code)
    return response


def _action(*, has_demo: bool, needs_account: bool) -> str:
    if has_demo:
        return _("Remove the demo and start")
    return _("Create account") if needs_account else _("Create a club")


def _needs_account(request: HttpRequest) -> bool:
    """Whether the visitor needs an account: nobody is signed in, or only a demo account, which will be removed."""
    return not isinstance(request.user, User) or accounts().filter(pk=request.user.pk).exists()


def _start(request: HttpRequest, secret: str, key: str, account_form: SignUpForm | None, now: datetime) -> bool:
    """Use the link, decline the demo and open the account, or do nothing if one of them is refused."""
    with transaction.atomic():
        use(secret=secret, form=f"club {key}", now=now)
        decline(now=now)
        user = request.user if account_form is None else open_account(request, account_form)
        is_done = isinstance(user, User)
        if isinstance(user, User):
            user.owns_site = True
            user.save(update_fields=["owns_site"])
        transaction.set_rollback(not is_done)
    return is_done


def _closed(request: HttpRequest, refused: Refused) -> HttpResponse:
    """Say why the link does nothing."""
    context = {"reason": sentence(refused.code, refused.params)}
    return render(request, "demo/closed.html", context, status=status_of(refused.code))
