"""The second factor of an account: codes of an authenticator app (TOTP, RFC 6238), and recovery codes.

django-otp checks the codes, tolerates clocks that are half a minute off, and accepts each code once.
"""

import base64
import secrets
from datetime import datetime

from django.db import transaction
from django.utils.crypto import salted_hmac
from django.utils.http import urlencode
from django_otp.plugins.otp_totp.models import TOTPDevice

from core.locks import lock_row
from engine.errors import Refused
from players.access import has_second_factor
from players.accounts.security import tell_owner
from players.actors import Actor, log
from players.models import RecoveryCode, User
from players.people.rows import user_topic

ISSUER = "Barpoint"
RECOVERY_CODES = 10
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
CODE_LENGTH = 12
SALT = "players.accounts.second_factor"


@transaction.atomic
def start(*, user: User) -> TOTPDevice:
    """Return the device that waits for its first code, made if there is none. Refused: `second_factor_on`."""
    lock_row(User, user.pk)
    if has_second_factor(user):
        raise Refused("second_factor_on")
    device, _ = TOTPDevice.objects.get_or_create(user=user, confirmed=False, defaults={"name": ISSUER})
    return device


def waiting_device(user: User) -> TOTPDevice | None:
    return TOTPDevice.objects.filter(user=user, confirmed=False).first()


def key_of(device: TOTPDevice) -> str:
    """Return the key as people type it into an app."""
    return base64.b32encode(device.bin_key).decode()


def setup_url(device: TOTPDevice, account: str) -> str:
    """Return the URL that an authenticator app reads from a QR code."""
    return f"otpauth://totp/{ISSUER}:{account}?" + urlencode({"secret": key_of(device), "issuer": ISSUER})


@transaction.atomic
def turn_on(*, user: User, code: str, by: Actor, now: datetime) -> list[str]:
    """Turn the second factor on with the first code of the device, and return new recovery codes.

    Refused: `second_factor_on`, `wrong_code`.
    """
    device = start(user=user)
    if not device.verify_token(_plain(code)):
        raise Refused("wrong_code")
    device.confirmed = True
    device.save(update_fields=["confirmed"])
    log(by, "second_factor_on", user_topic(user))
    tell_owner(user=user, event="second_factor_on", now=now)
    return _new_codes(user)


@transaction.atomic
def turn_off(*, user: User, password: str, by: Actor, now: datetime) -> None:
    """Turn the second factor off, which needs the password. Refused: `wrong_password`."""
    if not user.check_password(password):
        raise Refused("wrong_password")
    lock_row(User, user.pk)
    was_on = has_second_factor(user)
    TOTPDevice.objects.filter(user=user).delete()
    RecoveryCode.objects.filter(user=user).delete()
    if was_on:
        log(by, "second_factor_off", user_topic(user))
        tell_owner(user=user, event="second_factor_off", now=now)


@transaction.atomic
def renew_recovery_codes(*, user: User, password: str, by: Actor, now: datetime) -> list[str]:
    """Replace the recovery codes, which needs the password. Refused: `wrong_password`."""
    if not user.check_password(password):
        raise Refused("wrong_password")
    lock_row(User, user.pk)
    log(by, "recovery_codes_renewed", user_topic(user))
    tell_owner(user=user, event="codes_renewed", now=now)
    return _new_codes(user)


@transaction.atomic
def check_code(*, user: User, code: str, by: Actor) -> None:
    """Accept a code of the device or a recovery code, each once. Refused: `wrong_code`."""
    lock_row(User, user.pk)
    device = TOTPDevice.objects.filter(user=user, confirmed=True).first()
    typed = _plain(code)
    if device is not None and typed.isdigit() and len(typed) == device.digits and device.verify_token(typed):
        return
    used, _ = RecoveryCode.objects.filter(user=user, code_hash=_hash(user, typed)).delete()
    if not used:
        raise Refused("wrong_code")
    log(by, "recovery_code_used", user_topic(user))


def _plain(code: str) -> str:
    """Return a code without the blanks and dashes that people and apps group it with."""
    return "".join(code.split()).replace("-", "").lower()


def _new_codes(user: User) -> list[str]:
    RecoveryCode.objects.filter(user=user).delete()
    codes = ["".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH)) for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.bulk_create(RecoveryCode(user=user, code_hash=_hash(user, code)) for code in codes)
    return [f"{code[:4]}-{code[4:8]}-{code[8:]}" for code in codes]


def _hash(user: User, code: str) -> str:
    return salted_hmac(SALT, f"{user.pk}:{code}", algorithm="sha256").hexdigest()
