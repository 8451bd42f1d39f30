"""Confirming an e-mail address."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from core import throttle
from engine.errors import Refused
from players.accounts import services as account_services
from players.accounts.emails import read_verification, request_email
from players.accounts.views.pages import account_needed, me, refused_back
from players.actors import Actor
from players.models import AccountEmail, User


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_email(request: HttpRequest, secret: str) -> HttpResponse:
    """Show a button, since programs that check e-mails open every link; confirm the address when it is pressed."""
    read = read_verification(secret)
    user = User.objects.filter(pk=read[0], is_active=True).first() if read is not None else None
    if read is None or user is None:
        return render(request, "players/accounts/confirm_email.html", status=HTTPStatus.GONE)
    email = read[1]
    if request.method != "POST":
        return render(request, "players/accounts/confirm_email.html", {"email": email, "secret": secret})
    leads_to = "preferences" if request.user.is_authenticated else "sign-in"
    try:
        account_services.verify_email(user=user, email=email, by=Actor.of(user), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, leads_to)
    messages.success(request, _("Your email address is confirmed."))
    return redirect(leads_to)


@account_needed
@require_POST
def resend_confirmation(request: HttpRequest) -> HttpResponse:
    """Send the link again."""
    user = me(request)
    if user.new_email:
        try:
            throttle.count_password_reset(request, user.new_email)
        except Refused as refused:
            return refused_back(request, refused, "preferences")
        request_email(kind=AccountEmail.Kind.VERIFY, email=user.new_email, user=user, now=timezone.now())
        messages.success(request, _("The link is on its way."))
    return redirect("preferences")
