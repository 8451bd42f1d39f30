"""How an account wants to play here."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class PlayPreferences(models.Model):
    """What happens by itself when an account plays here, what is confirmed, and how its board looks."""

    class Autoroll(models.TextChoices):
        """When the page rolls without being asked."""

        NEVER = "never", _("Never")
        NO_DOUBLE = "no_double", _("When I cannot double")

    class Checkers(models.TextChoices):
        """The colour of the account's own checkers."""

        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    class Theme(models.TextChoices):
        """The look of the board, whatever the theme of the site."""

        WOOD = "wood", _("Wood")
        SLATE = "slate", _("Slate")
        FELT = "felt", _("Felt")

    class Speed(models.IntegerChoices):
        """Milliseconds in which a checker moves."""

        NONE = 0, _("No animation")
        FAST = 100, _("Fast")
        NORMAL = 200, _("Normal")
        SLOW = 400, _("Slow")

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    autoroll = models.CharField(_("Roll for me"), max_length=10, choices=Autoroll, default=Autoroll.NEVER)
    play_forced = models.BooleanField(_("Play forced moves for me"), default=False)
    bear_off = models.BooleanField(_("Bear off for me once there is no more contact"), default=False)
    confirm_plays = models.BooleanField(_("Ask before a play is sent"), default=False)
    confirm_cube = models.BooleanField(_("Ask before a double, take or pass is sent"), default=True)
    mirrored = models.BooleanField(_("Home board on the left"), default=False)
    checkers = models.CharField(_("My checkers"), max_length=5, choices=Checkers, default=Checkers.LIGHT)
    theme = models.CharField(_("Board"), max_length=10, choices=Theme, default=Theme.WOOD)
    pip_counts = models.BooleanField(_("Show pip counts"), default=True)
    speed = models.PositiveSmallIntegerField(_("Animation"), choices=Speed, default=Speed.NORMAL)
    sound = models.BooleanField(_("Sounds"), default=False)
    zen = models.BooleanField(_("Board and clocks only"), default=False)

    class Meta:
        verbose_name = _("play preferences")
        verbose_name_plural = _("play preferences")

    FIELDS: ClassVar = (
        "autoroll",
        "play_forced",
        "bear_off",
        "confirm_plays",
        "confirm_cube",
        "mirrored",
        "checkers",
        "theme",
        "pip_counts",
        "speed",
        "sound",
        "zen",
    )
    """What can be chosen."""

    def __str__(self) -> str:
        return str(self.user)
