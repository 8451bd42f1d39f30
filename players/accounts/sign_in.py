"""Pages of signing up and in: with a code, by an invitation, with a password that was forgotten; and out."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, views
from django.contrib.auth.forms import AuthenticationForm
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from core import throttle
from core.access import Who, open_to
from core.languages import choice_of, offers_choice
from core.messages import sentence
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from players import access
from players.access import has_second_factor
from players.accounts import kept_input
from players.accounts import services as account_services
from players.accounts.backend import check_second_factor
from players.accounts.services import reset_password
from players.accounts.sessions import begin
from players.actors import Actor
from players.forms import RefusingForm, error_of
from players.mail import read_verification, request_reset
from players.models import Invitation, User
from players.people import services as people_services
from players.people.services import accept_invitation, must_be_open
from players.requests import by, me, page, refused_back, safe_next, sent


def email_field(label: Any, **attrs: str) -> forms.EmailField:
    return forms.EmailField(label=label, max_length=254, widget=forms.EmailInput(attrs=attrs))


def password_field(label: Any, autocomplete: str, **options: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=128, widget=widget, **options)


class SignInForm(AuthenticationForm):
    """E-mail address and password; AccountBackend limits the attempts."""

    username = email_field(gettext_lazy("Email address"), autocomplete="username", autofocus="")
    error_messages = {
        "invalid_login": gettext_lazy("Wrong email or password."),
        "inactive": gettext_lazy("This account is deactivated."),
    }

    def clean(self) -> dict[str, Any]:
        """Add the error `too_many_attempts` after too many attempts."""
        try:
            return super().clean()
        except Refused as refused:
            raise error_of(refused) from None


def _counted(count: Any, *args: Any) -> None:
    try:
        count(*args)
    except Refused as refused:
        raise error_of(refused) from None


class ForgottenForm(forms.Form):
    """The e-mail address to send a password link to. It reveals nothing about whether the account exists."""

    email = email_field(gettext_lazy("Email address"), autocomplete="email", autofocus="")

    def __init__(self, *args: Any, request: Any = None, **kwargs: Any) -> None:
        self.request = request
        super().__init__(*args, **kwargs)

    def clean(self) -> dict[str, Any]:
        """Add the error `too_many_attempts` after too many attempts."""
        cleaned = super().clean() or {}
        if email := cleaned.get("email"):
            _counted(throttle.count_password_reset, self.request, email)
        return cleaned

    def save(self, **_options: Any) -> None:
        """Store the e-mail for a worker, whether there is an account or not; Django's view calls this."""
        request_reset(email=self.cleaned_data["email"], now=timezone.now())


class NewPasswordForm(RefusingForm):
    new_password = password_field(
        gettext_lazy("New password"), "new-password", help_text=gettext_lazy("At least 8 characters.")
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)

    def save(self) -> User:
        """Set the password; Django's view calls this. Refused: `weak_password`."""
        new = self.cleaned_data["new_password"]
        return reset_password(user=self.user, new_password=new, by=Actor.of(self.user), now=timezone.now())


class SignUpForm(RefusingForm):
    display_name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=MAX_NAME_LENGTH,
        help_text=gettext_lazy("Shown in draws and standings."),
        widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": ""}),
    )
    email = email_field(gettext_lazy("Email address"), autocomplete="email")
    new_password = password_field(
        gettext_lazy("Password"), "new-password", help_text=gettext_lazy("At least 8 characters.")
    )

    FIELD_OF = {**RefusingForm.FIELD_OF, "name_missing": "display_name", "name_too_long": "display_name"}


class CodeForm(RefusingForm):
    """A code of an authenticator app, or a recovery code."""

    one_time_code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": "", "spellcheck": "false"}),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {"wrong_code": "one_time_code"}


@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.STATE)
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
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.HARMLESS)
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


@sensitive_post_parameters("new_password")
@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.KEY)
def sign_up(request: HttpRequest) -> HttpResponse:
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
    link_in = throttle.wait(throttle.LINKS_TO, fields["email"])
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
                # So that e-mails are in it too.
                language=choice_of(request).wish if offers_choice() else "",
            )
        elif invitation:
            accept_invitation(secret=invitation, user=user, by=Actor.of(user), now=timezone.now())
    except Refused as refused:
        form.refuse(refused)
        return None
    begin(request, user)
    if user.new_email and link_in:
        text = gettext(
            "{email} was sent several links within the last hour. You can have the next sent in {minutes} min, in your "
            "preferences."
        )
        messages.warning(request, text.format(email=user.new_email, minutes=link_in))
    elif user.new_email:
        text = gettext("We sent a link to {email}. Open it to confirm that this address is yours.")
        messages.info(request, text.format(email=user.new_email))
    return user


def _known(request: HttpRequest, fields: dict[str, Any]) -> User | None:
    typed = {"username": fields["email"], "password": fields["new_password"]}
    user = authenticate(request, **typed, is_sign_up=True)
    return user if isinstance(user, User) and not has_second_factor(user) else None


@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
class SignIn(views.LoginView):
    """Sign in with e-mail address and password, then return to the previous page."""

    repeat = Repeat.HARMLESS
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
@open_to(get=Who.SIGNED_IN)
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


@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
class Forgotten(views.PasswordResetView):
    """First step: ask for the e-mail address. The answer is the same whether the account exists or not."""

    repeat = Repeat.HARMLESS
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


@open_to(get=Who.EVERYBODY)
class Sent(views.PasswordResetDoneView):
    """Second step: say that an e-mail was sent."""

    template_name = "players/accounts/password_sent.html"


@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
class Choose(views.PasswordResetConfirmView):
    """Third step: open the link of the e-mail and choose a new password."""

    repeat = Repeat.HARMLESS
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
        response = super().form_invalid(form)
        response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
        return response


@open_to(get=Who.EVERYBODY)
class Done(views.PasswordResetCompleteView):
    """Fourth step: confirm that the password was changed."""

    template_name = "players/accounts/password_done.html"


sign_in = SignIn.as_view()


sign_out = repeated(Repeat.HARMLESS)(views.LogoutView.as_view())


password_forgotten = Forgotten.as_view()


password_sent = Sent.as_view()


password_choose = Choose.as_view()


password_done = Done.as_view()


@never_cache
@open_to(get=Who.EVERYBODY)
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Show an invitation and the ways to accept it, or why it is no longer valid."""
    row = access.invitation(secret)
    initial = {"display_name": row.player.name, "email": row.email}
    return _invitation_page(request, row, secret, SignUpForm(initial=initial))


def _invitation_page(request: HttpRequest, row: Invitation, secret: str, form: SignUpForm) -> HttpResponse:
    context = {"invitation": row, "club": row.club, "player": row.player, "secret": secret, "form": form}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound and form.errors else HTTPStatus.OK
    try:
        must_be_open(row, timezone.now())
    except Refused as refused:
        context["reason"] = sentence(refused.code, refused.params)
        context["is_mine"] = isinstance(request.user, User) and row.player.user_id == request.user.pk
        status = HTTPStatus.GONE
    return render(request, "players/people/invitation.html", context, status=status)


@open_to(post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.STATE)
def accept(request: HttpRequest, secret: str) -> HttpResponse:
    row = access.invitation(secret)
    try:
        people_services.accept_invitation(secret=secret, user=me(request), by=by(request), now=timezone.now())
    except Refused as refused:
        messages.error(request, sentence(refused.code, refused.params))
        return redirect("invitation", secret)
    return _welcome(request, row)


@sensitive_post_parameters("new_password")
@never_cache
@open_to(post=Who.EVERYBODY)
@repeated(Repeat.KEY)
def sign_up_by_invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Create an account and accept the invitation."""
    row = access.invitation(secret)
    if request.user.is_authenticated:
        return redirect("invitation", secret)
    form = SignUpForm(request.POST)
    if form.is_valid() and open_account(request, form, invitation=secret):
        return _welcome(request, row)
    return _invitation_page(request, row, secret, form)


def _welcome(request: HttpRequest, row: Invitation) -> HttpResponse:
    messages.success(request, _("You are now a member of {club}.").format(club=row.club.name))
    return redirect("club", row.club.slug)
