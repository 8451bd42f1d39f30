"""Signing up, in and out, and a forgotten password."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate, login, views
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from core import throttle
from engine.errors import Refused
from players.accounts import kept_input
from players.accounts import services as account_services
from players.accounts.views.pages import account_needed, page, safe_next, sent
from players.forms import ForgottenForm, NewPasswordForm, SignInForm, SignUpForm
from players.models import User

BACKEND = "django.contrib.auth.backends.ModelBackend"


@sensitive_post_parameters("new_password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Open an account and be signed in."""
    if request.user.is_authenticated:
        return redirect(safe_next(request, "home"))
    form = SignUpForm(sent(request))
    if form.is_valid():
        user = open_account(request, form)
        if user is not None:
            return redirect(safe_next(request, "club-list"))
    return page(request, "players/accounts/sign_up.html", {"form": form, "next": safe_next(request, "")}, form)


def open_account(request: HttpRequest, form: SignUpForm, invitation: str = "") -> User | None:
    """Sign somebody up and in; None, and the reason in the form, where that was refused.

    Whoever pressed the button twice has an account by now, and is let in with the password he has just chosen.
    """
    fields = form.cleaned_data
    try:
        throttle.count(throttle.SIGN_UP_FROM, throttle.client_network(request))
        user = account_services.register_user(
            email=fields["email"],
            password=fields["new_password"],
            display_name=fields["display_name"],
            now=timezone.now(),
            invitation=invitation,
        )
    except Refused as refused:
        known = _known(request, fields) if refused.code == "email_taken" and not invitation else None
        if known is None:
            form.refuse(refused)
            return None
        user = known
    login(request, user, backend=BACKEND)
    return user


def _known(request: HttpRequest, fields: dict[str, Any]) -> User | None:
    throttle.count_sign_in(request, fields["email"])
    found = authenticate(request, username=fields["email"], password=fields["new_password"])
    if not isinstance(found, User):
        return None
    throttle.reset_sign_in(fields["email"])
    return found


class SignIn(views.LoginView):
    """E-mail and password; then back to where one came from."""

    template_name = "players/accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Says whether something that was typed waits for this sign-in."""
        return super().get_context_data(**kwargs, kept=kept_input.read(self.request))

    def get_success_url(self) -> str:
        """Where the visitor came from, or the form that they could not send before."""
        if self.request.method == "POST" and kept_input.read(self.request) is not None:
            return reverse("send-kept-input")
        return super().get_success_url()

    def form_invalid(self, form: Any) -> HttpResponse:
        """The page again; 429 for whoever tries too often."""
        response = super().form_invalid(form)
        response.status_code = _status(form)
        return response


@never_cache
@account_needed
@require_safe
def send_kept_input(request: HttpRequest) -> HttpResponse:
    """Offers to send the form that was refused for lack of a session; once, so that going back finds nothing old."""
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
    """First step: an address. The answer is the same whether there is such an account or not."""

    template_name = "players/accounts/password_forgotten.html"
    form_class = ForgottenForm
    success_url = reverse_lazy("password-sent")
    email_template_name = "players/accounts/mail/password.txt"
    subject_template_name = "players/accounts/mail/password_subject.txt"

    def get_form_kwargs(self) -> dict[str, Any]:
        """The form counts by where the request comes from."""
        return {**super().get_form_kwargs(), "request": self.request}

    def form_invalid(self, form: Any) -> HttpResponse:
        """The page again; 429 for whoever asks too often."""
        response = super().form_invalid(form)
        response.status_code = _status(form)
        return response


class Sent(views.PasswordResetDoneView):
    """Second step: look into your mail."""

    template_name = "players/accounts/password_sent.html"


class Choose(views.PasswordResetConfirmView):
    """Third step: the link of the letter, and a new password."""

    template_name = "players/accounts/password_choose.html"
    form_class = NewPasswordForm  # type: ignore[assignment]
    success_url = reverse_lazy("password-done")

    def form_valid(self, form: Any) -> HttpResponse:
        """Set it, unless it is too weak."""
        try:
            return super().form_valid(form)
        except Refused as refused:
            form.refuse(refused)
            return self.form_invalid(form)

    def form_invalid(self, form: Any) -> HttpResponse:
        """The page again."""
        response = super().form_invalid(form)
        response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
        return response


class Done(views.PasswordResetCompleteView):
    """Fourth step: sign in with it."""

    template_name = "players/accounts/password_done.html"


sign_in = SignIn.as_view()
sign_out = views.LogoutView.as_view()
password_forgotten = Forgotten.as_view()
password_sent = Sent.as_view()
password_choose = Choose.as_view()
password_done = Done.as_view()
