"""Template context of every page."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from core.left_out import left_out
from players.models import User
from players.notifications import push


def page(request: HttpRequest) -> dict[str, Any]:
    """Return `theme`, the user's choice; the browsers of other visitors choose by `config/theme.js`.

    `left_out` are the divisions that cannot be shown.
    `push_session` is the id of the session of somebody signed in, for `players/notifications/bind.js`.
    """
    # Error pages may be rendered before the user is known.
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"theme": User.Theme.AUTO.value, "left_out": left_out()}
    session = getattr(request, "session", {}).get(push.SESSION, "")
    return {
        "theme": user.theme if user.theme in User.Theme.values else User.Theme.AUTO.value,
        "left_out": left_out(),
        "push_session": session if settings.VAPID_PRIVATE_KEY else None,
    }
