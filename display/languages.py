"""The language of what an event or a club shows and prints, and the second one of its headings."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse
from django.utils.translation import override

from core.languages import first_offered, offers_choice
from players.models import Club
from tournaments.models import Tournament

View = Callable[..., HttpResponse]
Made = TypeVar("Made")


def in_its_language(view: View) -> View:
    """Render the page of an event or a club in its language, whoever opens it."""

    @wraps(view)
    def rendered(request: HttpRequest, **names: str) -> HttpResponse:
        if not offers_choice():
            return view(request, **names)
        language = _language_of(**names)
        with override(language):
            response = view(request, **names)
        response.headers["Content-Language"] = language
        return response

    return rendered


def _language_of(*, slug: str, club: str = "", **_others: Any) -> str:
    """Return the language of an event of a club, or of the club with this slug, or else the site's."""
    shown: Club | Tournament | None
    if club:
        shown = Tournament.objects.select_related("club").filter(club__slug=club, slug=slug).first()
    else:
        shown = Club.objects.filter(slug=slug).first()
    return shown.effective_language if shown is not None else first_offered()


def second_language(event: Tournament) -> str:
    """Return the language in which the headings of its sheets stand as well; empty if there is none."""
    second = event.second_language
    return second if second and second == first_offered(second) != event.effective_language else ""


def in_both(make: Callable[[], Made], second: str) -> tuple[Made, Made]:
    """Return what is made in the active language and in the second one, the same if there is none."""
    first = make()
    if not second:
        return first, first
    with override(second):
        return first, make()


def slashed(first: str, second: str) -> str:
    """Return a heading in two languages."""
    return first if first == second else f"{first} / {second}"
