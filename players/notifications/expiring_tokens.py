"""Tell the owners of API tokens two weeks before one expires, so that no scoreboard falls silent unannounced."""

from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.translation import gettext_noop

from players.models import ApiToken
from players.notifications.kinds import NotificationGroup, NotificationKind
from players.notifications.services import Notice, notify_each

AHEAD = timedelta(days=14)
TOKEN_EXPIRES = NotificationKind(
    code="token_expires",
    label=gettext_noop("An API token of yours expires in two weeks"),
    group=NotificationGroup.SECURITY,
    sentences={"": gettext_noop("Your token “{name}” expires on {at}.")},
    details={"": gettext_noop("Create another before that day, and put it into your app.")},
    times=("at",),
    lapses_after=AHEAD,
)


def tell_owners(*, now: datetime) -> None:
    """Notify the owners of tokens that expire within two weeks; called daily, it tells of each token once."""
    rows = ApiToken.objects.filter(expires_at__gt=now, expires_at__lte=now + AHEAD, user__is_active=True)
    notices = [
        Notice(
            user=token.user_id,
            params={"name": token.name, "at": token.expires_at.isoformat()},
            url=reverse("make-token"),
            key=f"token-expires:{token.pk}",
        )
        for token in rows
        # One that was made for less time was meant to end soon.
        if token.expires_at is not None and token.expires_at - token.created_at > AHEAD
    ]
    notify_each(kind=TOKEN_EXPIRES.code, notices=notices, now=now)
