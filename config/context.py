"""Template context of every page."""

from typing import Any

from django.http import HttpRequest

from players.models import User


def page(request: HttpRequest) -> dict[str, Any]:
    """Return `theme`, the user's choice; the browsers of other visitors choose by `config/theme.js`."""
    # Error pages may be rendered before the user is known.
    user = getattr(request, "user", None)
    theme = user.theme if user is not None and user.is_authenticated else None
    return {"theme": theme if theme in User.Theme.values else User.Theme.AUTO.value}
