"""Pages that belong to no app."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle

from config.page_cache import is_in_languages
from core import languages
from core.access import Who, open_to
from core.repeats import Repeat, repeated
from core.requests import is_ours
from players.accounts.services import update_preferences
from players.actors import Actor
from players.models import ApiToken, User


class ThemeForm(forms.Form):
    """The theme, and the page it was chosen on."""

    theme = forms.ChoiceField(choices=User.Theme.choices)
    next = forms.CharField(required=False, max_length=2000, empty_value="/")


class LanguageForm(forms.Form):
    """A language of the site, and the page it was chosen on."""

    language = forms.ChoiceField(choices=lambda: settings.LANGUAGES)
    next = forms.CharField(required=False, max_length=2000, empty_value="/")


SECURITY_TXT_LASTS = timedelta(days=180)
STATUSES = (
    (400, "The request is malformed."),
    (401, "There is no token, or it is unknown or has expired."),
    (403, "The account or the scopes of the token do not allow this."),
    (404, "It does not exist, or you may not see it."),
    (409, "The state does not allow it, or has changed since you looked (stale)."),
    (422, "A field is missing, wrong or not allowed."),
    (429, "Too many requests: wait."),
    (503, "The site is busy: try again after some seconds."),
)
"""What the statuses of the API's errors mean."""


@open_to(get=Who.EVERYBODY)
def help_players(request: HttpRequest) -> HttpResponse:
    """Explain how players do what they come for."""
    return render(request, "config/help_players.html")


@open_to(get=Who.EVERYBODY)
def help_directors(request: HttpRequest) -> HttpResponse:
    """Explain how directors run an evening."""
    return render(request, "config/help_directors.html")


NOT_CRAWLED = (
    "/account/", "/admin/", "/api/", "/language/", "/live/", "/my/", "/notifications/", "/password/", "/preferences/",
    "/sign-in/", "/sign-up/",
)  # fmt: skip
"""Paths that robots need not read. Links that work like a key are not listed: their answers say `noindex`."""


@open_to(get=Who.EVERYBODY)
def robots(request: HttpRequest) -> HttpResponse:
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in NOT_CRAWLED), ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@open_to(post=Who.EVERYBODY)
@repeated(Repeat.HARMLESS)
def set_theme(request: HttpRequest) -> HttpResponse:
    """Save the theme in the account; the browsers of other visitors keep theirs."""
    form = ThemeForm(request.POST)
    is_valid = form.is_valid()
    if is_valid and request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(theme=form.cleaned_data["theme"])
    return HttpResponseRedirect(_page_here(request, form.cleaned_data.get("next", "/")))


def _page_here(request: HttpRequest, address: str) -> str:
    """Return the address of a page of this site, or else that of its home page."""
    return address if address.startswith("/") and is_ours(request, address) else "/"


@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@never_cache
@repeated(Repeat.HARMLESS)
def set_language(request: HttpRequest) -> HttpResponse:
    """Keep the language that a reader has chosen, and return to their page in it.

    Who is signed in sends a form, which changes their account, so that e-mails follow. Anybody else comes by a link,
    since public pages set no cookie and thus can have no form: a link changes no account, only what this browser keeps,
    and not even that if it is on another site.
    """
    form = LanguageForm(request.POST if request.method == "POST" else request.GET)
    is_valid = form.is_valid()
    asked_on = _page_here(request, form.cleaned_data.get("next", "/"))
    # Judged once more, as taking it apart may have changed it.
    back = _page_here(request, languages.address_in(asked_on, ""))
    if not is_valid:
        return HttpResponseRedirect(back)
    language = form.cleaned_data["language"]
    if isinstance(request.user, User) and request.method == "POST":
        update_preferences(user=request.user, by=Actor.of(request.user), language=language)
        return HttpResponseRedirect(back)
    has_languages = is_in_languages(urlsplit(back).path)
    response = HttpResponseRedirect(languages.address_in(back, language) if has_languages else back)
    if not request.user.is_authenticated and request.headers.get("Sec-Fetch-Site") != "cross-site":
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite=settings.LANGUAGE_COOKIE_SAMESITE,  # type: ignore[arg-type]
        )
    return response


@open_to(get=Who.EVERYBODY)
def security_txt(request: HttpRequest) -> HttpResponse:
    """Name the contact for reports of weaknesses (RFC 9116); the file expires half a year from now."""
    expires = timezone.now().replace(microsecond=0) + SECURITY_TXT_LASTS
    lines = (
        f"Contact: {settings.SECURITY_CONTACT}",
        f"Expires: {expires.isoformat()}",
        f"Canonical: {settings.SITE_URL}{request.path}",
        "Preferred-Languages: en",
    )
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@never_cache
@open_to(get=Who.EVERYBODY)
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Send whoever opens the admin to the site's own sign-in; 403 for signed-in users who may not use it."""
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next", "") or reverse("admin:index"))


@open_to(get=Who.EVERYBODY)
def api_docs(request: HttpRequest) -> HttpResponse:
    """Explain how to begin with the API, by examples that `tests/api/test_quick_start.py` runs."""
    with override("en"):
        scopes = [str(label) for label in ApiToken.Scope.labels]
    shown = {
        "site": request.build_absolute_uri("/").rstrip("/"),
        "starts_at": (timezone.now() + timedelta(days=7)).isoformat(timespec="minutes"),
        "scopes": scopes,
        "rates": SimpleRateThrottle.THROTTLE_RATES,
        "uploads": settings.UPLOAD_RATES,
        "statuses": STATUSES,
    }
    return render(request, "config/api_docs.html", shown)


@open_to(get=Who.EVERYBODY)
class ApiReference(SpectacularSwaggerSplitView):
    """All operations of the API, to read and try, without third-party files."""

    template_name = "config/api_reference.html"

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Render Swagger UI, whose icons are data: URLs and whose styles are inline."""
        response: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        response["Content-Security-Policy"] = (
            "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; "
            "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        )
        return response
