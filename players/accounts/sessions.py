"""The session engine: Django's, in a table that says whose a session is. Named by settings.SESSION_ENGINE.

A session is read together with its account, so that a request by somebody who is signed in takes one query for both.
"""

import hashlib
import secrets
from datetime import datetime
from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user, login
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from players.accounts.backend import BACKEND
from players.accounts.kept_input import csrf_secret_for
from players.models import AccountSession, User
from players.notifications import push

BROWSER, STARTED = "browser", "started"
"""Session keys of what the list of sessions shows."""


class SessionStore(DatabaseSessionStore):
    """Stores the account beside the data."""

    user: User | None = None
    """The account of the session that was read, whether or not the session still signs it in."""

    @classmethod
    def get_model_class(cls) -> type[AccountSession]:
        return AccountSession

    def create_model_instance(self, data: dict[str, Any]) -> AccountSession:
        row: AccountSession = super().create_model_instance(data)  # type: ignore[assignment]
        # A column, so that all sessions of an account can be listed and ended without reading what is in each.
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        row.browser = data.get(BROWSER, "")
        if STARTED in data:
            row.started_at = datetime.fromisoformat(data[STARTED])
        return row

    def flush(self) -> None:
        """End the session, and with it the notifications in its browser: by signing out, or in as somebody else."""
        # Before the session is gone, since the name of its browser is in it.
        push.end_session(self.get(push.SESSION))
        super().flush()

    def _get_session_from_db(self) -> AccountSession | None:
        row: AccountSession | None = super()._get_session_from_db()  # type: ignore[misc]
        self.user = row.user if row is not None else None
        return row


class AccountMiddleware(AuthenticationMiddleware):
    """Django's middleware, with the account that was read together with the session."""

    def process_request(self, request: HttpRequest) -> None:
        """Set `request.user`, read when it is first used."""
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _signed_in(request))  # type: ignore[assignment]
        # If this browser has none yet: Django takes it from there once a page has a form.
        request.META.setdefault("CSRF_COOKIE", SimpleLazyObject(lambda: csrf_secret_for(request.user)))


def _signed_in(request: HttpRequest) -> User | AnonymousUser:
    """Return the account that the session signs in; whatever is unusual is left to Django."""
    session = request.session
    user_id, backend = session.get(SESSION_KEY), session.get(BACKEND_SESSION_KEY)
    user: User | None = session.user  # type: ignore[attr-defined]
    if user is None or (user_id, backend) != (str(user.pk), BACKEND) or not user.is_active:
        return get_user(request)
    if not constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash()):
        return get_user(request)
    return user


def begin(request: HttpRequest, user: User) -> None:
    """Sign a user in, and note what their list of sessions shows."""
    login(request, user, backend=BACKEND)
    request.META["CSRF_COOKIE"] = csrf_secret_for(user)
    request.session[BROWSER] = push.device_of(request.headers.get("User-Agent", ""))
    request.session[STARTED] = timezone.now().isoformat()
    push.session_id(request.session)


def sessions_of(user: User) -> QuerySet[AccountSession]:
    """The sessions of an account that have not expired, the newest first."""
    return user.sessions.filter(expire_date__gt=timezone.now())


def name_of(session_key: str) -> str:
    """Return the name of a session in forms; its key would sign in whoever sees it."""
    return hashlib.sha256(session_key.encode()).hexdigest()[:32]


@transaction.atomic
def end(*, user: User, name: str) -> bool:
    """End one session of the user, and push in its browser; return whether there was one."""
    for session in sessions_of(user):
        if secrets.compare_digest(name_of(session.session_key), name):
            push.end_session(session.get_decoded().get(push.SESSION))
            session.delete()
            return True
    return False


@transaction.atomic
def end_others(*, user: User, current: SessionBase | None) -> int:
    """End all sessions of the user but the current one, and push in their browsers; return how many sessions."""
    push.end_other_sessions(user=user, current=current)
    key = current.session_key if current is not None else None
    return user.sessions.exclude(session_key=key or "").delete()[0]
