"""Where somebody who has a match before him sends his forms: to the player's addresses, or to those of his link."""

from django.urls import reverse

from matches.access import Seat


def home(seat: Seat) -> str:
    """The page of the match."""
    return reverse("match-link", args=[seat.token]) if seat.token else reverse("match", args=[seat.match.public_id])


def address(seat: Seat, name: str, *more: str) -> str:
    """The address of one action, as `urls_matches` names it without `match-` or `link-`."""
    if seat.token:
        return reverse(f"link-{name}", args=[seat.token, *more])
    return reverse(f"match-{name}", args=[seat.match.public_id, *more])
