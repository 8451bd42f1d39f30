"""Signing up, in and out, and resetting a password."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, views
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from core import throttle
from engine.errors import Refused
from players.access import has_second_factor
from players.accounts import kept_input
from players.accounts import services as account_services
from players.accounts.forms import ForgottenForm, NewPasswordForm, SignInForm, SignUpForm
from players.accounts.sessions import begin
from players.accounts.views.pages import account_needed, page, safe_next, sent
from players.accounts.views.second_factor import wait_for_code
from players.actors import Actor
from players.models import User
from players.people.services.invitations import accept_invitation


@sensitive_post_parameters("new_password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Create an account and sign in."""
    if request.user.is_authenticated:
        return redirect(safe_next(request, "home"))
    form = SignUpForm(sent(request))
    if form.is_valid():
        user = open_account(request, form)
        if user is not None:
            return redirect(safe_next(request, "club-list"))
    return page(request, "players/accounts/sign_up.html", {"form": form, "next": safe_next(request, "")}, form)


def open_account(request: HttpRequest, form: SignUpForm, invitation: str = "") -> User | None:
    """Create an account and sign in; return None, with the reason in the form, if that was refused.

    Somebody who submits the form twice already has an account and is signed in with the password just chosen; with an
    invitation that account accepts it. The answer is the same, and takes as long, whether another account has the
    address or not.
    """
    fields = form.cleaned_data
    try:
        throttle.count(throttle.SIGN_UP_FROM, throttle.client_network(request))
        user = _known(request, fields)
        if user is None:
            user = account_services.register_user(
                email=fields["email"],
                password=fields["new_password"],
                display_name=fields["display_name"],
                now=timezone.now(),
                invitation=invitation,
            )
        elif invitation:
            accept_invitation(secret=invitation, user=user, by=Actor.of(user), now=timezone.now())
    except Refused as refused:
        form.refuse(refused)
        return None
    begin(request, user)
    if user.new_email:
        text = gettext("We sent a link to {email}. Open it to confirm that this address is yours.")
        messages.info(request, text.format(email=user.new_email))
    return user


def _known(request: HttpRequest, fields: dict[str, Any]) -> User | None:
    typed = {"username": fields["email"], "password": fields["new_password"]}
    user = authenticate(request, **typed, is_sign_up=True)
    return user if isinstance(user, User) and not has_second_factor(user) else None


class SignIn(views.LoginView):
    """Sign in with e-mail address and password, then return to the previous page."""

    template_name = "players/accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the input that was kept for after signing in."""
        return super().get_context_data(**kwargs, kept=kept_input.read(self.request))

    def get_success_url(self) -> str:
        """Return the previous page, or the page that offers to send the kept input."""
        if self.request.method == "POST" and kept_input.read(self.request) is not None:
            return reverse("send-kept-input")
        return super().get_success_url()

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign in, or ask for the code of the second factor first."""
        user = form.get_user()
        if has_second_factor(user):
            return wait_for_code(self.request, user, self.get_success_url())
        begin(self.request, user)
        return redirect(self.get_success_url())

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show the form again; 429 after too many attempts."""
        response = super().form_invalid(form)
        response.status_code = _status(form)
        return response


@never_cache
@account_needed
@require_safe
def send_kept_input(request: HttpRequest) -> HttpResponse:
    """Offer to send the form that was refused without a session. The input is deleted, so this works once."""
    kept = kept_input.read(request)
    if kept is None:
        return redirect(settings.LOGIN_REDIRECT_URL)
    response = render(request, "players/accounts/send_kept_input.html", {"kept": kept})
    kept_input.forget(response)
    return response


def _status(form: Form) -> int:
    if form.has_error("__all__", "too_many_attempts"):
        return HTTPStatus.TOO_MANY_REQUESTS
    return HTTPStatus.UNPROCESSABLE_ENTITY


class Forgotten(views.PasswordResetView):
    """First step: ask for the e-mail address. The answer is the same whether the account exists or not."""

    template_name = "players/accounts/password_forgotten.html"
    form_class = ForgottenForm  # type: ignore[assignment]  # the view calls is_valid and save only
    success_url = reverse_lazy("password-sent")

    def get_form_kwargs(self) -> dict[str, Any]:
        """Pass the request, since attempts are counted by its IP address."""
        return {**super().get_form_kwargs(), "request": self.request}

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show the form again; 429 after too many attempts."""
        response = super().form_invalid(form)
        response.status_code = _status(form)
        return response


class Sent(views.PasswordResetDoneView):
    """Second step: say that an e-mail was sent."""

    template_name = "players/accounts/password_sent.html"


class Choose(views.PasswordResetConfirmView):
    """Third step: open the link of the e-mail and choose a new password."""

    template_name = "players/accounts/password_choose.html"
    form_class = NewPasswordForm  # type: ignore[assignment]
    success_url = reverse_lazy("password-done")

    def form_valid(self, form: Any) -> HttpResponse:
        """Save the password, unless it is too weak. Guesses from elsewhere do not keep the owner out after that."""
        try:
            response = super().form_valid(form)
        except Refused as refused:
            form.refuse(refused)
            return self.form_invalid(form)
        throttle.SignInAttempt(self.request, form.user.email).owner_is_here()
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show the form again."""
        response = super().form_invalid(form)
        response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
        return response


class Done(views.PasswordResetCompleteView):
    """Fourth step: confirm that the password was changed."""

    template_name = "players/accounts/password_done.html"


sign_in = SignIn.as_view()
sign_out = views.LogoutView.as_view()
password_forgotten = Forgotten.as_view()
password_sent = Sent.as_view()
password_choose = Choose.as_view()
password_done = Done.as_view()
