"""Sessions that know whose they are."""

from importlib import import_module
from typing import ClassVar

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession, BaseSessionManager
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class SessionManager(BaseSessionManager["AccountSession"]):
    """Reads the account with each session."""

    def get_queryset(self) -> models.QuerySet["AccountSession"]:
        """All sessions."""
        return super().get_queryset().select_related("user")


class AccountSession(AbstractBaseSession):
    """A session with the account that is signed in, so that the account's owner can list and end it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="sessions")
    started_at = models.DateTimeField(default=timezone.now, editable=False)
    browser = models.CharField(max_length=60, blank=True, help_text=_("Such as “Firefox on Android”."))

    objects: ClassVar[SessionManager] = SessionManager()

    class Meta(AbstractBaseSession.Meta):
        # The stubs of the base class know plain text only.
        verbose_name = _("session")  # type: ignore[assignment]
        verbose_name_plural = _("sessions")  # type: ignore[assignment]
        ordering: ClassVar = ["-started_at"]

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        """Return the store that reads and writes this table."""
        store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
        return store
