"""What the pages of this room have in common."""

import functools
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.forms import CharField, Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from core.messages import sentence
from engine.errors import Refused
from players.actors import Actor
from players.models import User

LONGEST_URL = 2000
View = Callable[..., HttpResponse]


def me(request: HttpRequest) -> User:
    """Who is signed in; 403 for nobody (a page that needs an account asks for it before)."""
    if isinstance(request.user, AnonymousUser):
        raise PermissionDenied
    return request.user


def by(request: HttpRequest) -> Actor:
    """Who is signed in, as the one who does something."""
    return Actor.of(me(request))


def account_needed(view: View) -> View:
    """Whoever is not signed in does that first and comes back; after a form, to the page the form was on."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if request.method in ("GET", "HEAD"):
            return redirect_to_login(request.get_full_path())
        return redirect_to_login(way_back(request))

    return guarded


def way_back(request: HttpRequest) -> str:
    """The path of the page that a request came from; the home page where that is unknown or on another site."""
    referer = request.headers.get("Referer", "")
    return urlsplit(referer).path or "/" if _is_ours(request, referer) else "/"


def sent(request: HttpRequest) -> QueryDict | None:
    """What a form was sent with, be it nothing at all; None where the page is only looked at."""
    return request.POST if request.method == "POST" else None


def page(request: HttpRequest, name: str, context: dict[str, Any], *forms: Form) -> HttpResponse:
    """A page; 422 where one of its forms has faults."""
    faulty = any(form.is_bound and form.errors for form in forms)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if faulty else HTTPStatus.OK
    return render(request, name, context, status=status)


class NextForm(Form):
    """Where to go on to, as a link to sign in or up carries it."""

    next = CharField(max_length=LONGEST_URL, required=False)

    @property
    def target(self) -> str:
        """The URL that was named, wherever it leads; empty where none was."""
        return str(self.cleaned_data["next"]) if self.is_valid() else ""


def safe_next(request: HttpRequest, otherwise: str) -> str:
    """Where to go on to: the `next` that came with the request if it is on this site."""
    target = NextForm(request.POST).target or NextForm(request.GET).target
    return target if _is_ours(request, target) else otherwise


def _is_ours(request: HttpRequest, target: str) -> bool:
    return url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())


def refused_back(request: HttpRequest, refused: Refused, name: str, *args: str) -> HttpResponse:
    """Back to the page whose button was pressed, with the reason why nothing was done."""
    messages.error(request, sentence(refused.code, refused.params))
    return redirect(name, *args)
