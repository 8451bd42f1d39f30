"""People who sign in."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    """Makes users, and finds them by e-mail however it is capitalised."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A new user; without a password nobody can sign in as them. Raises ValueError without an e-mail address."""
        if not email:
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A user who may do everything, the admin pages included."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        """The user of an e-mail address, in any capitals."""
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """An account: signs in by e-mail; what others see is the display name."""

    class Theme(models.TextChoices):
        """Which colours the pages have."""

        AUTO = "auto", _("As the device")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    email = models.EmailField(_("e-mail address"), unique=True)
    display_name = models.CharField(_("display name"), max_length=80)
    language = models.CharField(_("language"), max_length=10, blank=True, help_text=_("Empty: as the browser asks."))
    time_zone = models.CharField(_("time zone"), max_length=64, blank=True, help_text=_("Empty: as the event."))
    theme = models.CharField(_("theme"), max_length=5, choices=Theme.choices, default=Theme.AUTO)
    is_active = models.BooleanField(_("active"), default=True)
    is_staff = models.BooleanField(_("may use the admin pages"), default=False)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now, editable=False)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["display_name"]

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_once_in_any_case")]

    def __str__(self) -> str:
        return self.display_name or self.email

    def get_full_name(self) -> str:
        """The display name; there is no other."""
        return str(self)

    get_short_name = get_full_name
