"""Pages of one's own account: preferences, password, second factor, sessions, tokens, and its deletion."""

from typing import Any

import segno
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from core import throttle, times
from core.access import Who, open_to
from core.languages import offers_choice
from core.messages import sentence
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from players import selectors
from players.access import has_second_factor
from players.accounts import second_factor as second_factor_services
from players.accounts import services as account_services
from players.accounts import sessions as session_services
from players.accounts import tokens as api_tokens
from players.accounts.sign_in import CodeForm, email_field, password_field
from players.accounts.tokens import DEFAULT_DAYS
from players.forms import CountryField, RefusingForm, ZoneChoiceField, ZonedForm
from players.mail import request_verification
from players.models import ApiToken, Player, User
from players.people.erasure import erase_player
from players.people.leaving import parts_of
from players.people.rows import player_of
from players.requests import by, me, page, refused_back, sent

NEVER = 0
LIFETIMES = (30, 90, DEFAULT_DAYS)


class PreferencesForm(ZonedForm):
    display_name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    initials_only = forms.BooleanField(
        label=gettext_lazy("Show only my initials"),
        required=False,
        help_text=gettext_lazy(
            "Others see your initials in draws, standings and rankings. Directors of your clubs still see your name."
        ),
    )
    analysis_visibility = forms.TypedChoiceField(
        label=gettext_lazy("Who may see how well you played"),
        choices=Player.AnalysisVisibility.choices,
        coerce=Player.AnalysisVisibility,
        help_text=gettext_lazy(
            "Your error rate, luck and mistakes in analysed matches, on pages, in reports and in downloads."
        ),
    )
    leave_out_of_lines = forms.BooleanField(
        label=gettext_lazy("Leave me out of the lines"),
        required=False,
        help_text=gettext_lazy("No line about an evening is then about a match of yours."),
    )
    puzzle_choice = forms.ChoiceField(
        label=gettext_lazy("Puzzles from your matches"),
        choices=Player.PuzzleChoice.choices,
        required=False,
        help_text=gettext_lazy(
            "A club asks one position a day, without names or a date, 30 days after its match or later. Yours is among "
            "them only if at least five players allow it."
        ),
    )
    country = CountryField()
    language = forms.ChoiceField(label=gettext_lazy("Language"), required=False)
    time_zone = ZoneChoiceField(
        required=False, help_text=gettext_lazy("Type a city. Leave empty to use each event's time zone.")
    )
    theme = forms.ChoiceField(label=gettext_lazy("Theme"), choices=User.Theme.choices)

    FIELD_OF = {**RefusingForm.FIELD_OF, "name_missing": "display_name", "name_too_long": "display_name"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choose_among("language", [("", gettext_lazy("Browser default")), *settings.LANGUAGES])
        if not offers_choice():
            del self.fields["language"]


class EmailForm(RefusingForm):
    email = email_field(gettext_lazy("New email address"), autocomplete="email")
    password = password_field(gettext_lazy("Current password"), "current-password")


class PasswordForm(RefusingForm):
    password = password_field(gettext_lazy("Current password"), "current-password")
    new_password = password_field(
        gettext_lazy("New password"), "new-password", help_text=gettext_lazy("At least 8 characters.")
    )


class DeleteForm(RefusingForm):
    """The deletion of an account, which cannot be undone and needs the password and a tick."""

    password = password_field(gettext_lazy("Current password"), "current-password")
    sure = forms.BooleanField(
        label=gettext_lazy("Delete my account and my name"),
        error_messages={"required": gettext_lazy("Tick the box to confirm.")},
    )


def _lifetimes() -> list[tuple[int, str]]:
    """Return for how many days a token may last; asked for each form, since a text with a number is not lazy."""
    texts = [(days, ngettext("%(choice)s day", "%(choice)s days", days) % {"choice": days}) for days in LIFETIMES]
    return [*texts, (NEVER, _("never (only for reading)"))]


class TokenForm(RefusingForm):
    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=60, help_text=gettext_lazy("The app or device that uses it.")
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("It may read, and also"),
        choices=[choice for choice in ApiToken.Scope.choices if choice[0] != ApiToken.Scope.READ],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("It expires after"), choices=_lifetimes, coerce=int, initial=DEFAULT_DAYS
    )
    password = password_field(gettext_lazy("Current password"), "current-password")

    FIELD_OF = {**RefusingForm.FIELD_OF, "token_needs_end": "days"}

    def clean_days(self) -> int | None:
        """Return the days until the token expires; None for never."""
        return self.cleaned_data["days"] or None


class RevokeTokenForm(forms.Form):
    token = forms.IntegerField(min_value=1, max_value=10**18)


class TurnOnForm(CodeForm):
    """The first code of an authenticator app, and the password."""

    password = password_field(gettext_lazy("Current password"), "current-password")


class ConfirmPasswordForm(RefusingForm):
    password = password_field(gettext_lazy("Current password"), "current-password")


class SessionForm(RefusingForm):
    """The session to end, by its name."""

    session = forms.CharField(max_length=64)


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.KEY)
def resend_confirmation(request: HttpRequest) -> HttpResponse:
    user = me(request)
    if user.new_email:
        try:
            request_verification(user=user, now=timezone.now())
        except Refused as refused:
            return refused_back(request, refused, "preferences")
        text = _("We sent a link to {email}. Open it to confirm that this address is yours.")
        messages.success(request, text.format(email=user.new_email))
    return redirect("preferences")


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.HARMLESS)
def try_email_again(request: HttpRequest) -> HttpResponse:
    """Send e-mails to the own address again, though mail servers said that it has no mailbox."""
    account_services.try_email_again(user=me(request), by=by(request))
    messages.success(request, _("The next email will go there again."))
    return redirect("preferences")


# The preferences page; each of its forms has its own URL.


# The forms share a page, so their field ids need different prefixes.
IDS = {"form": "id_%s", "email_form": "email_%s", "password_form": "password_%s"}


def _next_link_in(email: str) -> str:
    """Say when the next link may be sent to an address; empty if it may be now."""
    minutes = throttle.wait(throttle.LINKS_TO, email) if email else 0
    return sentence("too_many_emails", {"minutes": minutes}) if minutes else ""


def _page(request: HttpRequest, **bound: Any) -> HttpResponse:
    user = me(request)
    player = account_services.ensure_player(user=user, by=by(request))
    fields = ("display_name", "language", "time_zone", "theme")
    initial = {name: getattr(user, name) for name in fields} | {
        "initials_only": player.initials_only,
        "analysis_visibility": player.analysis_visibility,
        "leave_out_of_lines": not player.in_event_lines,
        "puzzle_choice": player.puzzle_choice,
        "country": player.country,
    }
    context: dict[str, Any] = {
        "form": PreferencesForm(initial=initial, auto_id=IDS["form"]),
        "email_form": EmailForm(auto_id=IDS["email_form"]),
        "password_form": PasswordForm(auto_id=IDS["password_form"]),
        "tokens": api_tokens.live_tokens(user, timezone.now()).count(),
        "claims": selectors.claims_of(user, timezone.now()),
        "zones": times.offered(),
        "link_in": _next_link_in(user.new_email),
        **bound,
    }
    return page(request, "players/accounts/preferences.html", context, *bound.values())


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.HARMLESS)
def preferences(request: HttpRequest) -> HttpResponse:
    """Show the page and save name, country, language, time zone and theme."""
    if request.method != "POST":
        return _page(request)
    user = me(request)
    player = account_services.ensure_player(user=user, by=by(request))
    before = {"country": player.country, "time_zone": user.time_zone}
    form = PreferencesForm(request.POST, initial=before, auto_id=IDS["form"])
    if form.is_valid():
        changes = dict(form.cleaned_data)
        changes["in_event_lines"] = not changes.pop("leave_out_of_lines")
        try:
            account_services.update_preferences(user=user, by=by(request), **changes)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved."))
            return redirect("preferences")
    return _page(request, form=form)


@sensitive_post_parameters("password")
@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.KEY)
def change_email(request: HttpRequest) -> HttpResponse:
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
@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.HARMLESS)
def change_password(request: HttpRequest) -> HttpResponse:
    """Change the password and sign out all other devices."""
    form = PasswordForm(request.POST, auto_id=IDS["password_form"])
    if form.is_valid():
        user = me(request)
        try:
            _count_password(user)
            account_services.change_password(
                user=user, by=by(request), now=timezone.now(), current=request.session, **form.cleaned_data
            )
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


def _check_password(user: User, password: str) -> None:
    """Refused: `wrong_password`, `too_many_attempts`."""
    _count_password(user)
    if not user.check_password(password):
        raise Refused("wrong_password")


@sensitive_post_parameters("password")
@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.STATE)
def delete_account(request: HttpRequest) -> HttpResponse:
    form = DeleteForm(sent(request))
    if form.is_valid():
        user = me(request)
        try:
            _check_password(user, form.cleaned_data["password"])
            player = account_services.ensure_player(user=user, by=by(request))
            erase_player(player=player, by=by(request), now=timezone.now())
        except Refused as refused:
            form.refuse(refused)
        else:
            logout(request)
            messages.success(request, _("Your account was deleted."))
            return redirect("home")
    own = player_of(me(request))
    parts = parts_of(own, timezone.now()) if own is not None else []
    claims = selectors.claims_of(me(request), timezone.now()).exists()
    context = {"form": form, "parts": parts, "claims": claims}
    return page(request, "players/accounts/delete_account.html", context, form)


# The page on which an account turns its second factor on and off.


@open_to(get=Who.SIGNED_IN)
@never_cache
def second_factor(request: HttpRequest) -> HttpResponse:
    """Show whether the second factor is on, and how to turn it on."""
    return _second_factor_page(request)


def _second_factor_page(request: HttpRequest, **bound: Any) -> HttpResponse:
    user = me(request)
    device = second_factor_services.waiting_device(user)
    context: dict[str, Any] = {
        "is_on": has_second_factor(user),
        "codes_left": user.recovery_codes.count(),
        "code_form": TurnOnForm(),
        "confirm_form": ConfirmPasswordForm(),
    }
    if device is not None:
        code = segno.make(second_factor_services.setup_url(device, user.shown_email), error="m")
        context["key"] = second_factor_services.key_of(device)
        context["svg"] = code.svg_inline(scale=4, border=2, omitsize=True, svgclass="qr", lineclass=None)
    return page(request, "players/accounts/second_factor.html", context | bound, *bound.values())


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.HARMLESS)
def start_second_factor(request: HttpRequest) -> HttpResponse:
    """Make the key that the app is to scan."""
    try:
        second_factor_services.start(user=me(request))
    except Refused as refused:
        return refused_back(request, refused, "second-factor")
    return redirect("second-factor")


@sensitive_post_parameters("one_time_code", "password")
@open_to(post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.STATE)
def turn_on(request: HttpRequest) -> HttpResponse:
    """Turn the second factor on, end all other sessions, and show the recovery codes once."""
    form = TurnOnForm(request.POST)
    if form.is_valid():
        try:
            _check_password(me(request), form.cleaned_data["password"])
            throttle.count_code(request, me(request).pk)
            codes = second_factor_services.turn_on(
                user=me(request), code=form.cleaned_data["one_time_code"], by=by(request), now=timezone.now()
            )
        except Refused as refused:
            form.refuse(refused)
        else:
            session_services.end_others(user=me(request), current=request.session)
            return page(request, "players/accounts/recovery_codes.html", {"codes": codes})
    return _second_factor_page(request, code_form=form)


@sensitive_post_parameters("password")
@open_to(post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.KEY)
def renew_codes(request: HttpRequest) -> HttpResponse:
    """Replace the recovery codes, and show them once."""
    return _confirmed(request, turn_off=False)


@sensitive_post_parameters("password")
@open_to(post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.STATE)
def turn_off(request: HttpRequest) -> HttpResponse:
    return _confirmed(request, turn_off=True)


def _confirmed(request: HttpRequest, *, turn_off: bool) -> HttpResponse:
    form = ConfirmPasswordForm(request.POST)
    user = me(request)
    if not form.is_valid():
        return _second_factor_page(request, confirm_form=form)
    try:
        _count_password(user)
        if turn_off:
            second_factor_services.turn_off(user=user, by=by(request), now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("The second factor is off."))
            return redirect("second-factor")
        codes = second_factor_services.renew_recovery_codes(
            user=user, by=by(request), now=timezone.now(), **form.cleaned_data
        )
    except Refused as refused:
        form.refuse(refused)
        return _second_factor_page(request, confirm_form=form)
    return page(request, "players/accounts/recovery_codes.html", {"codes": codes})


@open_to(get=Who.SIGNED_IN)
@never_cache
def sessions(request: HttpRequest) -> HttpResponse:
    rows = [
        {
            "name": session_services.name_of(row.session_key),
            "browser": row.browser,
            "started_at": row.started_at,
            "is_current": row.session_key == request.session.session_key,
        }
        for row in session_services.sessions_of(me(request))
    ]
    return render(request, "players/accounts/sessions.html", {"sessions": rows})


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def end_session(request: HttpRequest) -> HttpResponse:
    """End one session; harmless if there is none."""
    form = SessionForm(request.POST)
    if form.is_valid() and session_services.end(user=me(request), name=form.cleaned_data["session"]):
        messages.success(request, _signed_out(1))
    return redirect("sessions")


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    count = account_services.sign_out_elsewhere(user=me(request), current=request.session, now=timezone.now())
    messages.success(request, _signed_out(count))
    return redirect("sessions")


def _signed_out(count: int) -> str:
    text = ngettext("{count} other device is signed out.", "{count} other devices are signed out.", count)
    return text.format(count=count)


@sensitive_post_parameters("password")
@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.KEY)
def make_token(request: HttpRequest) -> HttpResponse:
    """List the tokens, and create one and show it once."""
    form = TokenForm(sent(request))
    new = None
    if form.is_valid():
        user, fields = me(request), dict(form.cleaned_data)
        try:
            _check_password(user, fields.pop("password"))
            new = api_tokens.create_token(user=user, by=by(request), now=timezone.now(), **fields)
        except Refused as refused:
            form.refuse(refused)
    if new is not None:
        return page(request, "players/accounts/token.html", {"token": new.key, "name": new.token.name})
    tokens = api_tokens.live_tokens(me(request), timezone.now())
    return page(request, "players/accounts/tokens.html", {"form": form, "tokens": tokens}, form)


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def revoke_token(request: HttpRequest) -> HttpResponse:
    """Delete a token; harmless if there is none."""
    form = RevokeTokenForm(request.POST)
    if form.is_valid():
        api_tokens.revoke_token(user=me(request), token_id=form.cleaned_data["token"], by=by(request))
        messages.success(request, _("Token revoked."))
    return redirect("make-token")
