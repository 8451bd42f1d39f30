"""Links that stop e-mails of some kinds, without signing in."""

from collections.abc import Sequence
from typing import NamedTuple

from django.core.signing import BadSignature, Signer
from django.http import Http404

from players.models import User
from players.notifications.kinds import NotificationKind, registered

TOKEN = r"(?P<unsubscribe_token>\d{1,18}\.[a-z_-]{1,400}\.[\w-]{43})"  # noqa: S105, a pattern for URLs
"""Pattern of the token in a URL: the account, the kinds, and the signature."""
_SIGNER = Signer(salt="players.notifications.unsubscribing", sep=".")


class Unsubscribing(NamedTuple):
    """Whose e-mails a link stops, and of which kinds."""

    user: User
    kinds: list[NotificationKind]


def token_of(user: User, kinds: Sequence[str]) -> str:
    """Return the token of a link that stops e-mails of these kinds. It never expires."""
    return _SIGNER.sign(f"{user.pk}.{'-'.join(kinds)}")


def read_token(token: str) -> Unsubscribing:
    """Return what a link stops. Raises Http404 for a forged one, or if the account is gone."""
    try:
        pk, _, codes = _SIGNER.unsign(token).partition(".")
    except BadSignature:
        raise Http404 from None
    user = User.objects.filter(pk=pk).first()
    if user is None:
        raise Http404
    wanted = codes.split("-")
    return Unsubscribing(user, [kind for kind in registered() if kind.code in wanted])
