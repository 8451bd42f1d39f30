"""Accounts, their sessions, API tokens and recovery codes."""

from importlib import import_module
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession, BaseSessionManager
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.name_field import NameField
from core.public_ids import new_form_key
from core.text_lengths import MAX_NAME_LENGTH


class UserManager(BaseUserManager["User"]):
    """Creates users, and finds them by e-mail address in any case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a user for the operator, who vouches for the e-mail address; without a password nobody can sign in.

        Raises ValueError without an e-mail address.
        """
        if not email:
            raise ValueError("A user needs an e-mail address.")
        fields.setdefault("email_verified_at", timezone.now())
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        """Return the user with an e-mail address in any case."""
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """An account. Users sign in by e-mail address; others see the display name."""

    class Theme(models.TextChoices):
        AUTO = "auto", _("System")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    email = models.EmailField("e-mail address", unique=True)
    email_verified_at = models.DateTimeField(
        "e-mail address verified",
        null=True,
        blank=True,
        help_text="Until then nothing but the verification is sent there.",
    )
    email_bounced_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When a mail server first said that it has no mailbox."
    )
    email_stopped_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When it said so on another day; nothing is sent there since."
    )
    new_email = models.EmailField("e-mail address to be verified", blank=True)
    display_name = NameField("display name", max_length=MAX_NAME_LENGTH)
    language = models.CharField("language", max_length=10, blank=True, help_text="Empty for the browser's language.")
    time_zone = models.CharField("time zone", max_length=64, blank=True, help_text="Empty for the event's time zone.")
    theme = models.CharField("theme", max_length=5, choices=Theme.choices, default=Theme.AUTO)
    is_active = models.BooleanField("active", default=True)
    suspended_at = models.DateTimeField(null=True, blank=True, editable=False)
    """When the account was suspended; what that withdrew has the same time."""
    is_staff = models.BooleanField("may use the admin pages", default=False)
    owns_site = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Used the link of the installation’s owner; clubs they create are accepted at once.",
    )
    date_joined = models.DateTimeField("joined", default=timezone.now, editable=False)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["display_name"]

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        verbose_name = "user"
        verbose_name_plural = "users"
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_once_in_any_case")]

    def __str__(self) -> str:
        return self.display_name or self.email

    def get_full_name(self) -> str:
        return str(self)

    get_short_name = get_full_name

    @property
    def shown_email(self) -> str:
        """The address of the account; the one to be verified while it has no other."""
        return self.new_email if self.email.endswith(NO_ADDRESS) else self.email

    @property
    def masked_email(self) -> str:
        """The address for its owner on pages that somebody else may see over their shoulder."""
        return f"{self.email[0]}…@{self.email.rpartition('@')[2]}"


NO_ADDRESS = "@unverified.invalid"
"""Ends the e-mail address of an account whose typed address may belong to another account."""


class AccountEmail(models.Model):
    """An e-mail about an account, or an invitation, that a worker is to send; deleted once it was sent.

    A request stores it for every typed address, so that neither its answer nor its duration says whether there is an
    account with that address.
    """

    class Kind(models.TextChoices):
        VERIFY = "verify", "verify the address"
        RESET = "reset", "choose a new password"
        INVITE = "invite", "accept an invitation"
        ALERT = "alert", "the account’s security"

    MAX_SUBJECT_LENGTH = 200

    kind = models.CharField(max_length=6, choices=Kind)
    email = models.EmailField()
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    subject = models.CharField(max_length=MAX_SUBJECT_LENGTH, blank=True)
    text = models.TextField(
        blank=True, help_text="The whole text of an invitation or alert; the others are written when sent."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    claimed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "account e-mail"
        verbose_name_plural = "account e-mails"

    def __str__(self) -> str:
        return self.kind


# Codes for signing in without the device of the second factor.


class RecoveryCode(models.Model):
    """A recovery code. Only its keyed hash is stored; it is deleted once used."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="recovery_codes")
    code_hash = models.CharField(max_length=64)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "code_hash"], name="recovery_code_once")]

    def __str__(self) -> str:
        return f"{self.user_id}"


# Sessions that know whose they are.


class SessionManager(BaseSessionManager["AccountSession"]):
    def get_queryset(self) -> models.QuerySet["AccountSession"]:
        return super().get_queryset().select_related("user")


class AccountSession(AbstractBaseSession):
    """A session with the account that is signed in, so that the account's owner can list and end it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="sessions")
    started_at = models.DateTimeField(default=timezone.now, editable=False)
    browser = models.CharField(max_length=60, blank=True, help_text="Such as “Firefox on Android”.")

    objects: ClassVar[SessionManager] = SessionManager()

    class Meta(AbstractBaseSession.Meta):
        verbose_name = "session"
        verbose_name_plural = "sessions"
        ordering: ClassVar = ["-started_at"]

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        """Return the store that reads and writes this table."""
        store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
        return store


# Tokens by which API clients act for an account.


class ApiToken(models.Model):
    """A token of an account. Only the hash of its random key is stored, so it is shown once and never again."""

    class Scope(models.TextChoices):
        """What a token may do, within what its user may do. Every token may read."""

        READ = "read", _("read")
        PLAY = "play", _("play: report and play matches, register for events")
        DIRECT = "direct", _("direct: run events")
        CLUB = "club", _("club: change clubs and their members")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = NameField("name", max_length=60)
    key_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the key, as hexadecimal digits.")
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_on = models.DateField(null=True, blank=True, help_text="A day is enough, and costs one write a day.")

    class Meta:
        ordering: ClassVar = ["-created_at", "-pk"]
        verbose_name = "API token"
        verbose_name_plural = "API tokens"

    def __str__(self) -> str:
        return self.name

    @property
    def scope_labels(self) -> list[str]:
        return [str(self.Scope(scope).label) for scope in self.scopes]


class IdempotencyKey(models.Model):
    """A key that an account has sent for an action, and the answer: only whoever has the key can find or read it."""

    digest = models.CharField(max_length=64, unique=True, help_text="Of the account, the action and the key.")
    fingerprint = models.CharField(max_length=64, help_text="Of what the first request with the key asked for.")
    key = models.CharField(
        max_length=16,
        unique=True,
        default=new_form_key,
        editable=False,
        help_text="Of the request that has stored the key.",
    )
    is_done = models.BooleanField(default=False, help_text="Whether the request with the key was answered.")
    answer = models.BinaryField(null=True, editable=False, help_text="Encrypted with the key.")
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = "idempotency key"
        verbose_name_plural = "idempotency keys"

    def __str__(self) -> str:
        return self.key
