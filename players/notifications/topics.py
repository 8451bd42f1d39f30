"""The topic of the event stream by which pages follow a user's notifications."""

from django.http import Http404, HttpRequest

from core.live.publishing import last_touch
from players.notifications.services import topic_of


def notifications_number(request: HttpRequest, name: str) -> int:
    """Return when the notifications of an account changed last, for its owner alone; raise Http404 for others."""
    user = request.user
    if not user.is_authenticated or name != str(user.pk):
        raise Http404
    return last_touch(topic_of(user.pk))
