"""Signing in with e-mail address and password, on every page and in the API: limited, and logged when it fails."""

from typing import Any

import structlog
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest
from rest_framework.request import Request

from core import throttle
from engine.errors import Refused
from players.accounts import second_factor
from players.actors import Actor
from players.models import NO_ADDRESS, User

BACKEND = "players.accounts.backend.AccountBackend"
"""Its path, as sessions store it."""
logger = structlog.get_logger(__name__)


class AccountBackend(ModelBackend):
    """Django's backend with limits on failed attempts, and a log event for each (docs/deployment.md)."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        *,
        is_sign_up: bool = False,
        **kwargs: Any,
    ) -> User | None:
        """Return the user, or None for a wrong password. Refused: `too_many_attempts`.

        Whoever signs up may have an account with the same password; otherwise that is no failure to sign in.
        """
        if request is None or username is None or password is None:
            return self._checked(request, username, password, **kwargs)
        attempt = throttle.SignInAttempt(request, username)
        client = throttle.client_address(request)
        try:
            attempt.count()
        except Refused:
            logger.warning("sign_in_refused", client=client)
            raise
        user = self._checked(request, username, password, **kwargs)
        if user is None and is_sign_up:
            attempt.was_no_failure()
        elif user is None:
            logger.warning("sign_in_failed", client=client)
        elif user.email_verified_at is None:
            # Anybody can sign up with this address, which must not reset the count of guesses at its owner's password.
            attempt.was_no_failure()
        else:
            attempt.succeeded()
        return user

    def _checked(
        self, request: HttpRequest | None, username: str | None, password: str | None, **kw: Any
    ) -> User | None:
        """Return the user with this address and password, or one who has not confirmed this address yet.

        Unless the address is confirmed, two passwords are hashed whether there are two accounts or not: otherwise
        whoever signs up with an address would learn from signing in whether another account has it.
        """
        user = super().authenticate(request, username=username, password=password, **kw)
        if isinstance(user, User) and user.email_verified_at is not None:
            return user
        unverified = _without_address(username) if username else None
        checked = unverified or User(password=make_password(None))
        is_theirs = password is not None and checked.check_password(password)
        if isinstance(user, User):
            return user
        return unverified if unverified is not None and is_theirs and self.user_can_authenticate(unverified) else None


def check_second_factor(request: HttpRequest | Request, user: User, code: str) -> None:
    """Accept a code of somebody who has given the right password. Refused: `wrong_code`, `too_many_attempts`."""
    try:
        throttle.count_code(request, user.pk)
        second_factor.check_code(user=user, code=code, by=Actor.of(user))
    except Refused as refused:
        event = "sign_in_failed" if refused.code == "wrong_code" else "sign_in_refused"
        logger.warning(event, client=throttle.client_address(request))
        raise
    throttle.code_was_right(request, user.pk)


def _without_address(email: str) -> User | None:
    """Return the last account that was created with this address while another account had it."""
    rows = User.objects.filter(new_email__iexact=email.strip(), email__endswith=NO_ADDRESS)
    return rows.order_by("-pk").first()
