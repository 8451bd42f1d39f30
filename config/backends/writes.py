"""Notice what a connection writes, and replace the version of the site around the commit (`core.live.site_version`)."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.live.site_version import commit_in_progress, is_unseen

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

    class Wrapper(BaseDatabaseWrapper):
        """Django's class with the methods that its stubs leave out."""

        def _start_transaction_under_autocommit(self) -> None: ...
        def _commit(self) -> None: ...
        def _rollback(self) -> None: ...
        def _close(self) -> None: ...

else:
    Wrapper = object

Execute = Callable[[str, Any, bool, dict[str, Any]], Any]

NOT_PUBLIC = frozenset(
    {
        "django_admin_log",
        "django_session",
        "matches_calendarfeed",
        "matches_card",
        "matches_chatdecision",
        "matches_chatmessage",
        "matches_chatmute",
        "matches_chatreport",
        "matches_dicechain",
        "matches_dicesecret",
        "matches_friendlyblock",
        "matches_playpreferences",
        "matches_pulse",
        "matches_puzzleanswer",
        "otp_totp_totpdevice",
        "players_accountemail",
        "players_accountsession",
        "players_apitoken",
        "players_dataexport",
        "players_dataexportpart",
        "players_delivery",
        "players_notification",
        "players_notificationchoice",
        "players_pushsubscription",
        "players_recoverycode",
        "tournaments_letter",
    }
)
"""Tables that no public page reads; some are written every few seconds."""

_READS = re.compile(
    r"[\s(]*(?:SELECT|BEGIN|SAVEPOINT|RELEASE|ROLLBACK|PRAGMA|SET|SHOW|EXPLAIN|LOCK|DECLARE|FETCH)\b", re.IGNORECASE
)
_TARGET = re.compile(r'\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+"?(\w+)"?', re.IGNORECASE)


def is_read(sql: str) -> bool:
    """Return whether a statement is known to write nothing."""
    return _READS.match(sql) is not None


def is_public_write(sql: str) -> bool:
    """Return whether a statement may change what public pages show; true for what is neither known nor a query."""
    if is_read(sql):
        return False
    target = _TARGET.match(sql)
    return target is None or target[1].lower() not in NOT_PUBLIC


class AnnouncedWrites(Wrapper):
    """A database connection that announces its commits, if they contain a public write."""

    unknown_after: tuple[type[Exception], ...] = ()
    """The errors after which it is unknown whether a commit happened."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_written = False
        self.execute_wrappers.append(self._note)

    def on_commit(self, func: Callable[[], object], robust: bool = False) -> None:
        """Call a function after the commit. Django names one that fails by `__qualname__`, which a `partial` lacks."""
        super().on_commit(func if hasattr(func, "__qualname__") else lambda: func(), robust)

    def _note(self, execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if is_unseen() or not is_public_write(sql):
            return execute(sql, params, many, context)
        if self.in_atomic_block or not self.autocommit:
            self._has_written = True
            return execute(sql, params, many, context)
        with commit_in_progress(self.unknown_after):
            return execute(sql, params, many, context)

    def _commit(self) -> None:
        if self._has_written:
            with commit_in_progress(self.unknown_after):
                super()._commit()
            self._has_written = False
        else:
            super()._commit()

    def _rollback(self) -> None:
        self._has_written = False
        super()._rollback()

    def _close(self) -> None:
        self._has_written = False
        super()._close()
