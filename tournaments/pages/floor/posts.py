"""Buttons of the floor that do something at once."""

from dataclasses import dataclass

from django.urls import reverse

from tournaments.events.views.pages import event_url_args
from tournaments.models import Tournament


@dataclass(frozen=True, slots=True)
class Post:
    """A button that does something: where it posts, its label and its hidden fields."""

    url: str
    label: str
    fields: tuple[tuple[str, str], ...]
    key: str
    """Unique on the page, so that the button keeps the focus."""


def action_url(tournament: Tournament, action: str) -> str:
    """Return the URL of an action on the floor of an event."""
    return reverse("floor-action", args=[*event_url_args(tournament), action])
