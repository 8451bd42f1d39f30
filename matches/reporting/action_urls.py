"""URLs of a match and of the actions on it, for a player's account or for the link that was used."""

from django.urls import reverse

from matches.access import Seat


def match_url(seat: Seat) -> str:
    """The page of the match."""
    return reverse("match-link", args=[seat.token]) if seat.token else reverse("match", args=[seat.match.public_id])


def action_url(seat: Seat, name: str, *args: str) -> str:
    """The URL of an action; `name` is the URL name without its prefix `match-` or `link-`."""
    if seat.token:
        return reverse(f"link-{name}", args=[seat.token, *args])
    return reverse(f"match-{name}", args=[seat.match.public_id, *args])
