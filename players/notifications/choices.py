"""What each user has chosen: by kind, on the site, by e-mail, by push, or not at all."""

from collections.abc import Collection, Mapping

from django.db import transaction

from core.locks import lock_row
from players.models import NotificationChoice, User
from players.notifications.kinds import NotificationKind, registered

SITE, EMAIL, PUSH = CHANNELS = ("site", "email", "push")
"""The ways in which a notification reaches its reader."""


def chosen(kind: NotificationKind, users: Collection[int]) -> dict[int, frozenset[str]]:
    """Return the channels that each of these users wants for a kind."""
    rows = NotificationChoice.objects.filter(kind=kind.code, user__in=users)
    own = {row.user_id: _channels(row) for row in rows}
    return {user: own.get(user, kind.default) for user in users}


def choices_of(user: User) -> dict[str, frozenset[str]]:
    """Return the channels that a user wants for every kind."""
    own = {row.kind: _channels(row) for row in NotificationChoice.objects.filter(user=user)}
    return {kind.code: own.get(kind.code, kind.default) for kind in registered()}


def _channels(choice: NotificationChoice) -> frozenset[str]:
    return frozenset(channel for channel in CHANNELS if getattr(choice, channel))


@transaction.atomic
def save_choices(*, user: User, wanted: Mapping[str, Collection[str]]) -> None:
    """Save the channels that a user wants, by kind; kinds left out stay as they are."""
    lock_row(User, user.pk)
    for code, channels in wanted.items():
        values = {channel: channel in channels for channel in CHANNELS}
        NotificationChoice.objects.update_or_create(user=user, kind=code, defaults=values)


def stop_emails(*, user: User, kinds: Collection[str]) -> None:
    """Send a user no more e-mails of these kinds; the other channels stay as they are."""
    _change_emails(user, kinds, wanted=False)


def resume_emails(*, user: User, kinds: Collection[str]) -> None:
    """Send a user e-mails of these kinds again."""
    _change_emails(user, kinds, wanted=True)


@transaction.atomic
def _change_emails(user: User, kinds: Collection[str], *, wanted: bool) -> None:
    lock_row(User, user.pk)
    current = choices_of(user)
    changed = {
        code: current[code] | {EMAIL} if wanted else current[code] - {EMAIL} for code in kinds if code in current
    }
    save_choices(user=user, wanted=changed)
