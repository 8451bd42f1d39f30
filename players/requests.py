"""What the views of all apps have in common."""

import functools
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.forms import BaseForm, CharField, Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from core.messages import sentence
from engine.errors import Refused
from players.actors import Actor
from players.forms import RefusingForm
from players.models import User

View = Callable[..., HttpResponseBase]


def me(request: HttpRequest) -> User:
    """Return the signed-in user; 403 for anonymous users, unless `account_needed` has sent them to sign in."""
    if isinstance(request.user, AnonymousUser):
        raise PermissionDenied
    return request.user


def by(request: HttpRequest) -> Actor:
    """Return the signed-in user as an actor."""
    return Actor.of(me(request))


def account_needed(view: View) -> View:
    """Let anonymous users sign in first, then return: to the page, or after a form to the page it was on."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if request.method in ("GET", "HEAD"):
            return redirect_to_login(request.get_full_path())
        return redirect_to_login(way_back(request))

    return guarded


def way_back(request: HttpRequest) -> str:
    """Return the path of the page that a request came from; "/" if that is unknown or on another site."""
    referer = request.headers.get("Referer", "")
    return urlsplit(referer).path or "/" if _is_ours(request, referer) else "/"


def sent(request: HttpRequest) -> QueryDict | None:
    """Return the form data of a POST request, even if it is empty; None for other requests."""
    return request.POST if request.method == "POST" else None


def page(request: HttpRequest, name: str, context: dict[str, Any], *forms: BaseForm) -> HttpResponse:
    """Render a page; 422 if one of its forms is invalid."""
    faulty = any(form.is_bound and form.errors for form in forms)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if faulty else HTTPStatus.OK
    return render(request, name, context, status=status)


def refuse(request: HttpRequest, refused: Refused, url: str, form: RefusingForm | None = None) -> HttpResponse:
    """Redirect with the reason for a refusal, shown in `form` as well if one is passed."""
    if form is not None:
        form.refuse(refused)
    messages.error(request, sentence(refused.code, refused.params))
    return redirect(url)


def faulty(request: HttpRequest, form: RefusingForm, url: str) -> HttpResponse:
    """Redirect with the errors of a form as messages."""
    for field, errors in form.errors.items():
        label = form.fields[field].label if field in form.fields else None
        for error in errors:
            messages.error(request, f"{label}: {error}" if label else str(error))
    return redirect(url)


class NextForm(Form):
    """The `next` parameter of links to sign in or up."""

    next = CharField(max_length=2000, required=False)

    @property
    def target(self) -> str:
        """The URL in the parameter, not yet checked; empty if there is none."""
        return str(self.cleaned_data["next"]) if self.is_valid() else ""


def safe_next(request: HttpRequest, otherwise: str) -> str:
    """Return the `next` URL of the request if it is on this site, else `otherwise`."""
    target = NextForm(request.POST).target or NextForm(request.GET).target
    return target if _is_ours(request, target) else otherwise


def _is_ours(request: HttpRequest, target: str) -> bool:
    return url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())


def refused_back(request: HttpRequest, refused: Refused, name: str, *args: str) -> HttpResponse:
    """Redirect back to the page and show why the action was refused."""
    messages.error(request, sentence(refused.code, refused.params))
    return redirect(name, *args)
