"""What the views of all apps have in common."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.forms import BaseForm, CharField, Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from core.messages import sentence
from core.requests import is_ours
from engine.errors import Refused
from players.actors import Actor
from players.forms import RefusingForm
from players.models import User


def me(request: HttpRequest) -> User:
    """Return the signed-in user; 403 for anonymous users, whom `open_to` has sent to sign in before."""
    if isinstance(request.user, AnonymousUser):
        raise PermissionDenied
    return request.user


def by(request: HttpRequest) -> Actor:
    return Actor.of(me(request))


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
    return target if is_ours(request, target) else otherwise


def refused_back(request: HttpRequest, refused: Refused, name: str, *args: str) -> HttpResponse:
    """Redirect back to the page and show why the action was refused."""
    messages.error(request, sentence(refused.code, refused.params))
    return redirect(name, *args)
