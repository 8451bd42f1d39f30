"""Creating accounts and changing them."""

import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext

from core import times
from core.codes import check_country
from core.locks import for_update, lock_row
from core.names import clean_name
from engine.errors import Refused
from players.accounts import sessions
from players.accounts.security import tell_owner
from players.actors import Actor, apply, log
from players.mail import request_verification
from players.models import NO_ADDRESS, Player, User
from players.notifications import push
from players.people.pairs import rename_pairs
from players.people.rows import player_topic, user_topic
from players.people.services import accept_invitation


def register_user(
    *,
    email: str,
    password: str,
    display_name: str,
    now: datetime,
    language: str = "",
    time_zone: str = "",
    invitation: str = "",
    by: Actor | None = None,
) -> User:
    """Create an account with a player: a new one, or the player of the invitation with this secret.

    The address is to be verified. If it belongs to another account, the new one has no address until then: the answer
    must not say whose addresses are known.

    `by` is the new user unless somebody else is given.
    Refused: `weak_password`, `name_missing`, `name_too_long`, `bad_time_zone`, `bad_language`, and
    whatever accept_invitation refuses.
    """
    typed = User.objects.normalize_email(email.strip())
    user = User(
        email=typed,
        new_email=typed,
        display_name=clean_name(display_name),
        language=check_language(language),
        time_zone=check_time_zone(time_zone),
    )
    check_password_strength(password, user)
    user.set_password(password)
    try:
        _save_new(user, by, invitation, now)
    except IntegrityError:
        if not User.objects.filter(email__iexact=typed).exists():
            raise
        user.pk, user.email = None, without_address()
        _save_new(user, by, invitation, now)
    return user


@transaction.atomic
def _save_new(user: User, by: Actor | None, invitation: str, now: datetime) -> None:
    user.save(force_insert=True)
    by = by or Actor.of(user)
    log(by, "registered", user_topic(user))
    if invitation:
        accept_invitation(secret=invitation, user=user, by=by, now=now)
    else:
        ensure_player(user=user, by=by)
    # Otherwise the account is new all the same; its owner may ask for the link later.
    with suppress(Refused):
        request_verification(user=user, now=now)


def without_address() -> str:
    """Return the placeholder of an account that has no e-mail address."""
    return f"{uuid.uuid4().hex}{NO_ADDRESS}"


@transaction.atomic
def verify_email(*, user: User, email: str, by: Actor, now: datetime) -> User:
    """Make a confirmed address the account's own, and tell the old one; harmless when repeated.

    Another account with this address loses it unless it has confirmed it.
    Refused: `email_taken`, `email_changed_since`.
    """
    # In one order, and with all who may confirm the address: two may do so at the same moment.
    concerned = Q(email__iexact=email) | Q(new_email__iexact=email) | Q(pk=user.pk)
    rows = list(for_update(User.objects.filter(concerned).order_by("pk")))
    locked = next(row for row in rows if row.pk == user.pk)
    if locked.email == email and locked.email_verified_at is not None:
        return locked
    if locked.new_email != email:
        raise Refused("email_changed_since")
    for other in rows:
        if other.pk == locked.pk or other.email.casefold() != email.casefold():
            continue
        if other.email_verified_at is not None:
            raise Refused("email_taken")
        other.email = without_address()
        other.save(update_fields=["email"])
    old = locked.email if locked.email_verified_at is not None else ""
    locked.email, locked.new_email, locked.email_verified_at = email, "", now
    locked.email_bounced_at = locked.email_stopped_at = None
    locked.save(update_fields=["email", "new_email", "email_verified_at", "email_bounced_at", "email_stopped_at"])
    log(by, "email_verified", user_topic(locked))
    if old:
        tell_owner(user=locked, event="address_changed", now=now, email=old)
    return locked


def ensure_player(*, user: User, by: Actor) -> Player:
    """Return the player of an account, creating it if there is none. Without that it writes and locks nothing."""
    return Player.objects.filter(user=user).first() or _make_player(user, by)


@transaction.atomic
def _make_player(user: User, by: Actor) -> Player:
    lock_row(User, user.pk)
    player, created = Player.objects.get_or_create(user=user, defaults={"name": user.display_name})
    if created:
        log(by, "player_added", player_topic(player), own_account=True)
    return player


PREFERENCES = ("display_name", "language", "time_zone", "theme")


@transaction.atomic
def update_preferences(
    *,
    user: User,
    by: Actor,
    initials_only: bool | None = None,
    analysis_visibility: Player.AnalysisVisibility | None = None,
    in_event_lines: bool | None = None,
    puzzle_choice: str | None = None,
    country: str | None = None,
    **changes: str,
) -> User:
    """Change any of PREFERENCES, and of the settings of the player that are named; those that are None stay.

    The player takes the name of the account.
    Refused: `name_missing`, `name_too_long`, `bad_time_zone`, `bad_language`, `bad_theme`, `bad_country`.
    """
    if unknown := set(changes) - set(PREFERENCES):
        raise TypeError(f"no such preference: {', '.join(sorted(unknown))}")
    checked = {name: _CHECKS[name](value) for name, value in changes.items()}
    locked = lock_row(User, user.pk)
    changed = apply(locked, checked)
    if changed:
        log(by, "preferences_changed", user_topic(locked), changed=changed)
    own_fields: dict[str, Any] = {
        "initials_only": initials_only,
        "analysis_visibility": analysis_visibility,
        "in_event_lines": in_event_lines,
        "puzzle_choice": puzzle_choice,
        "country": None if country is None else check_country(country),
    }
    _update_own_player(locked, by, {name: value for name, value in own_fields.items() if value is not None})
    for name in PREFERENCES:
        setattr(user, name, getattr(locked, name))
    return locked


def _update_own_player(user: User, by: Actor, fields: Mapping[str, Any]) -> None:
    player = ensure_player(user=user, by=by)
    values = {"name": user.display_name, **fields}
    if changed := apply(player, values):
        rename_pairs([player])
        log(by, "player_changed", player_topic(player), changed=changed)


@transaction.atomic
def change_email(*, user: User, email: str, password: str, by: Actor, now: datetime) -> User:
    """Ask the owner of a new e-mail address to confirm it, which needs the password. The log contains no addresses.

    The answer does not say whether another account has this address.
    Refused: `wrong_password`, `too_many_emails`.
    """
    if not user.check_password(password):
        raise Refused("wrong_password")
    email = User.objects.normalize_email(email.strip())
    locked = lock_row(User, user.pk)
    if locked.email == email and locked.email_verified_at is not None:
        return locked
    if locked.new_email != email:
        tell_owner(user=locked, event="address_asked", now=now)
    locked.new_email = user.new_email = email
    locked.save(update_fields=["new_email"])
    log(by, "email_changed", user_topic(locked))
    request_verification(user=locked, now=now)
    return locked


@transaction.atomic
def try_email_again(*, user: User, by: Actor) -> None:
    """Send e-mails to the address of an account again."""
    locked = lock_row(User, user.pk)
    locked.email_bounced_at = locked.email_stopped_at = None
    locked.save(update_fields=["email_bounced_at", "email_stopped_at"])
    log(by, "email_tried_again", user_topic(locked))


@transaction.atomic
def change_password(
    *, user: User, password: str, new_password: str, by: Actor, now: datetime, current: SessionBase | None = None
) -> User:
    """Change the password, which needs the current one; push goes on in the browser of the current session.

    Refused: `wrong_password`, `weak_password`.
    """
    if not user.check_password(password):
        raise Refused("wrong_password")
    return _set_password(user, new_password, by, "password_changed", now, current)


@transaction.atomic
def reset_password(*, user: User, new_password: str, by: Actor, now: datetime) -> User:
    """Set a new password for somebody who followed an e-mailed link, which also verifies the address.

    A new address that was entered is forgotten: somebody else may have done so. Refused: `weak_password`.
    """
    user.email_verified_at, user.new_email = user.email_verified_at or now, ""
    user.email_bounced_at = user.email_stopped_at = None
    user.save(update_fields=["email_verified_at", "new_email", "email_bounced_at", "email_stopped_at"])
    return _set_password(user, new_password, by, "password_reset", now)


def _set_password(
    user: User, password: str, by: Actor, verb: str, now: datetime, current: SessionBase | None = None
) -> User:
    check_password_strength(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    password_replaced(user=user, by=by, verb=verb, now=now, current=current)
    return user


@transaction.atomic
def password_replaced(*, user: User, by: Actor, verb: str, now: datetime, current: SessionBase | None = None) -> None:
    """End all sessions and API tokens of an account whose password was replaced, and tell its owner."""
    user.api_tokens.all().delete()
    push.end_other_sessions(user=user, current=current)
    user.sessions.all().delete()
    log(by, verb, user_topic(user))
    tell_owner(user=user, event="password_changed", now=now)


@transaction.atomic
def sign_out_elsewhere(*, user: User, current: SessionBase, now: datetime) -> int:
    """End all sessions of an account but the current one, and tell its owner; return how many."""
    count = sessions.end_others(user=user, current=current)
    if count:
        tell_owner(user=user, event="signed_out", now=now)
    return count


def check_password_strength(password: str, user: User) -> None:
    """Refused (`weak_password`, with the reasons) if the password validators reject it."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        reasons = " ".join(_reason(part) for part in error.error_list)
        raise Refused("weak_password", reasons=reasons) from None


def _reason(error: ValidationError) -> str:
    """Say what is wrong with a password; Django would name our field as it is called in the code, in English."""
    if error.code == "password_too_similar":
        return gettext("It is too similar to your email address.")
    return " ".join(error.messages)


def check_time_zone(name: str) -> str:
    """Return the name if it is a time zone or empty. Refused: `bad_time_zone`."""
    if name and name not in times.known():
        raise Refused("bad_time_zone", zone=name)
    return name


def check_language(code: str) -> str:
    """Return the code if the site is available in that language, or if it is empty. Refused: `bad_language`."""
    if code and code not in dict(settings.LANGUAGES):
        raise Refused("bad_language", language=code)
    return code


def check_theme(name: str) -> str:
    """Return the name if it is a theme. Refused: `bad_theme`."""
    if name not in User.Theme.values:
        raise Refused("bad_theme", theme=name)
    return name


_CHECKS: dict[str, Callable[[str], str]] = {
    "display_name": clean_name,
    "language": check_language,
    "time_zone": check_time_zone,
    "theme": check_theme,
}
