"""What every page knows."""

from typing import Any

from django.http import HttpRequest

from players.models import User

THEME_COOKIE = "theme"


def page(request: HttpRequest) -> dict[str, Any]:
    """`theme`: the reader's choice of colours, from the account, else from a cookie."""
    # An error page may be drawn before anybody was identified.
    user = getattr(request, "user", None)
    theme = user.theme if user is not None and user.is_authenticated else request.COOKIES.get(THEME_COOKIE)
    return {"theme": theme if theme in User.Theme.values else User.Theme.AUTO.value}
