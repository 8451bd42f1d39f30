"""How friendly matches come about, and how an account wants to play here."""

from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.public_ids import LENGTH, new_public_id
from matches.models.play import ClockPreset

# How friendly matches come about: challenges, blocked players, and the bots one can practise against.


MAX_FRIENDLY = 15
"""Points."""
OPEN_FOR = timedelta(hours=2)
"""How long an open challenge can be accepted."""
NAMED_FOR = timedelta(days=2)
"""How long a challenge of one player, or the wish for a rematch, can be accepted."""


class Challenge(models.Model):
    """A player's wish for a friendly match: with anybody, with one player, or once more after a friendly."""

    class State(models.TextChoices):
        """From open to accepted, or over without a match."""

        OPEN = "open", "open"
        ACCEPTED = "accepted", "accepted"
        DECLINED = "declined", "declined"
        WITHDRAWN = "withdrawn", "withdrawn"
        EXPIRED = "expired", "expired"

    class NotRated(models.TextChoices):
        """Why a match is unrated although its challenge asked for a rated one."""

        ADDRESS = "address", _("not rated: an email address is not confirmed")
        DAY = "day", _("not rated: the 4th today")
        WEEK = "week", _("not rated: the 11th this week")
        MANY = "many", _("not rated: one of you has played 6 rated ones today")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    challenger = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    opponent = models.ForeignKey("players.Player", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    """Empty: anybody may accept."""
    length = models.PositiveSmallIntegerField()
    clock = models.CharField(max_length=14, choices=ClockPreset, default=ClockPreset.TABLE)
    turn_days = models.PositiveSmallIntegerField(default=2, help_text="Correspondence: days for each turn.")
    is_open = models.BooleanField(
        default=False, db_default=False, help_text="It was offered to everybody, whoever has accepted it since."
    )
    rated = models.BooleanField(default=False)
    not_rated = models.CharField(
        max_length=7,
        choices=NotRated,
        blank=True,
        default="",
        db_default="",
        help_text="Why its match is not rated although that was wished; decided when the match was made.",
    )
    pool = models.ForeignKey("matches.RatingPool", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    rematch_of = models.ForeignKey(
        "matches.Match", on_delete=models.PROTECT, null=True, blank=True, related_name="rematches"
    )
    match = models.OneToOneField(
        "matches.Match", on_delete=models.PROTECT, null=True, blank=True, related_name="challenge"
    )
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    left_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When whoever had accepted it left its match before a play.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ("-created_at", "-pk")
        verbose_name = "challenge"
        verbose_name_plural = "challenges"
        indexes: ClassVar = [
            models.Index(fields=["expires_at"], name="challenge_open", condition=Q(state="open")),
            models.Index(fields=["opponent", "left_at"], name="challenge_left", condition=Q(left_at__isnull=False)),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(length__gte=1, length__lte=MAX_FRIENDLY), name="challenge_length"),
            models.CheckConstraint(
                condition=Q(opponent__isnull=True) | ~Q(opponent=F("challenger")), name="challenge_of_another"
            ),
            models.UniqueConstraint(
                fields=["rematch_of", "challenger"], condition=Q(state="open"), name="challenge_rematch_once"
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def topic(self) -> str:
        """The name of the challenge in the log."""
        return f"challenge:{self.public_id}"


class FriendlyBlock(models.Model):
    """`player` does not want friendly matches with `blocked`."""

    player = models.ForeignKey("players.Player", on_delete=models.CASCADE, related_name="+")
    blocked = models.ForeignKey("players.Player", on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("player", "-created_at")
        verbose_name = "block for friendly matches"
        verbose_name_plural = "blocks for friendly matches"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["player", "blocked"], name="friendly_block_once"),
            models.CheckConstraint(condition=~Q(player=F("blocked")), name="friendly_block_of_another"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} – {self.blocked_id}"


class BotPlayer(models.Model):
    """A player that is a bot: it has no account, and its matches are never rated."""

    class Style(models.TextChoices):
        """How it plays: a value of `engine.bots.Bot`, or as the level of the match says."""

        RANDOM = "random", _("Random Bot")
        PIP = "pip", _("Pip Bot")
        CLUB = "club", _("Club Bot")
        LEVEL = "level", _("Sparring Bot")

    player = models.OneToOneField("players.Player", on_delete=models.PROTECT, primary_key=True, related_name="+")
    style = models.CharField(max_length=6, choices=Style, unique=True)

    class Meta:
        verbose_name = "bot"
        verbose_name_plural = "bots"

    def __str__(self) -> str:
        return self.style


# How an account wants to play here.


class PlayPreferences(models.Model):
    """What happens by itself when an account plays here, what is confirmed, and how its board looks."""

    class Autoroll(models.TextChoices):
        """When the page rolls without being asked."""

        NEVER = "never", _("Never")
        NO_DOUBLE = "no_double", _("When I cannot double")

    class Checkers(models.TextChoices):
        """The colour of the account's own checkers."""

        LIGHT = "light", pgettext_lazy("checkers", "Light")
        DARK = "dark", pgettext_lazy("checkers", "Dark")

    class Theme(models.TextChoices):
        """The look of the board, whatever the theme of the site."""

        WOOD = "wood", _("Wood")
        SLATE = "slate", _("Slate")
        FELT = "felt", _("Felt")

    class Speed(models.IntegerChoices):
        """Milliseconds that a checker takes to move."""

        NONE = 0, _("No animation")
        FAST = 100, _("Fast")
        NORMAL = 200, _("Normal")
        SLOW = 400, _("Slow")

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    # The page of preferences shows these labels.
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
        verbose_name = "play preferences"
        verbose_name_plural = "play preferences"

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
