"""Events, their divisions and their helpers."""

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NAME_LENGTH
from matches.models import ClockPreset, LiveMatch, PlayMode
from matches.models.reports import NO_SHOW_MINUTES

# Tournaments (events) and their divisions.


MAX_MINOR_UNITS = 100_000_000
MAX_ROUNDS = 12
MAX_ENTRIES = 4096


class Tournament(models.Model):
    """An event of a club: a night, a weekend or a league season. Published events are cancelled, never deleted."""

    class Status(models.TextChoices):
        """From draft to finished or cancelled."""

        DRAFT = "draft", _("draft")
        PUBLISHED = "published", _("published")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        CANCELLED = "cancelled", _("cancelled")

    class ClosingRule(models.TextChoices):
        """What becomes of matches that still run at closing time, once a director confirms it."""

        ADJOURN = "adjourn", _("adjourned and played out later")
        LEADER = "leader", _("won by the leader")
        SHORTEN = "shorten", _("shortened if both players agree")
        DIRECTOR = "director", _("decided one by one by a director")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    club = models.ForeignKey("players.Club", on_delete=models.PROTECT, related_name="+")
    name = models.CharField(_("name"), max_length=MAX_NAME_LENGTH)
    slug = models.SlugField(_("URL name"), max_length=60)
    status = models.CharField(max_length=9, choices=Status, default=Status.DRAFT)
    starts_at = models.DateTimeField(_("starts"))
    ends_at = models.DateTimeField(_("ends"), null=True, blank=True)
    closing_rule = models.CharField(
        _("matches still running at the end"),
        max_length=8,
        choices=ClosingRule,
        default=ClosingRule.ADJOURN,
        db_default=ClosingRule.ADJOURN,
    )
    check_in_opens_at = models.DateTimeField(_("check-in opens"), null=True, blank=True)
    check_in_closes_at = models.DateTimeField(_("check-in closes"), null=True, blank=True)
    time_zone = models.CharField(_("time zone"), max_length=64)
    venue = models.CharField(_("venue"), max_length=200, blank=True)
    tables = models.PositiveSmallIntegerField(pgettext_lazy("furniture", "tables"), null=True, blank=True)
    about = models.TextField(_("about"), max_length=4000, blank=True)
    currency = models.CharField(
        _("currency"), max_length=12, default="ticket", help_text=_("A currency code, or “ticket”.")
    )
    currency_exponent = models.PositiveSmallIntegerField(default=0, help_text=_("Decimal places of the currency."))
    rated = models.BooleanField(
        _("rated"), default=True, db_default=True, help_text=_("Whether its new divisions are, unless they differ.")
    )
    season = models.BooleanField(
        _("counts in seasons"),
        default=True,
        db_default=True,
        help_text=_("Whether it counts, once published, in the seasons of its club whose days it falls on."),
    )
    undo_until = models.DateTimeField(
        null=True,
        blank=True,
        help_text=_("Until when the start of the evening can be undone. Emails and pushes wait until then."),
    )
    last_number = models.PositiveIntegerField(default=0, help_text=_("Highest match number so far."))
    calendar_sequence = models.PositiveIntegerField(
        default=0, db_default=0, help_text=_("Grows with every change that its calendar shows.")
    )
    calendar_changed_at = models.DateTimeField(
        null=True, blank=True, help_text=_("When its calendar changed last; empty if it never did.")
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("-starts_at", "name")
        verbose_name = _("tournament")
        verbose_name_plural = _("tournaments")
        indexes: ClassVar = [models.Index(fields=["-starts_at", "-id"], name="tournament_newest")]
        constraints: ClassVar = [models.UniqueConstraint(fields=["club", "slug"], name="tournament_slug_of_club")]

    def __str__(self) -> str:
        return self.name

    @property
    def topic(self) -> str:
        """The topic of the event in the log and in live updates."""
        return f"tournament:{self.public_id}"

    @property
    def is_open(self) -> bool:
        """Whether the event is published and not over."""
        return self.status in (self.Status.PUBLISHED, self.Status.RUNNING)

    def can_undo_start(self, now: datetime) -> bool:
        """Whether the start of the evening can still be undone, as far as the time is concerned."""
        return self.undo_until is not None and now < self.undo_until

    @cached_property
    def has_floor(self) -> bool:
        """Whether its floor was opened, so that the floor's page takes the place of the console."""
        return Tournament.objects.filter(pk=self.pk, floor__isnull=False).exists()

    def tables_for(self, players: int) -> int:
        """Return the number of tables, or as many as `players` players need if it was not set."""
        return self.tables or max(1, players // 2)


class Division(models.Model):
    """A competition of an event, with its entries, settings and stages. Its row is the lock for all of them."""

    class Status(models.TextChoices):
        """From taking entries to finished or cancelled."""

        ENTRIES = "entries", _("taking entries")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        CANCELLED = "cancelled", _("cancelled")

    class DrawMethod(models.TextChoices):
        """How the places of the draw are filled."""

        RANDOM = "random", _("by lot")
        RATING = "rating", _("seeded by rating")
        ENTRY = "entry", _("seeded in the order of the entries")

    class DeadlineRule(models.TextChoices):
        """What happens to a match that has not been played when its round ends."""

        DIRECTOR = "director", _("a director decides")
        EXTEND = "extend", _("the player who proposed times wins; otherwise extended once, then both lose")
        BOTH_LOSE = "both_lose", _("the player who proposed times wins; otherwise both lose")
        LOTS = "lots", _("the player who proposed times wins; otherwise by lot")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="divisions")
    name = models.CharField(_("name"), max_length=MAX_NAME_LENGTH)
    order = models.PositiveSmallIntegerField(default=0)
    status = models.CharField(max_length=9, choices=Status, default=Status.ENTRIES)
    seq = models.PositiveIntegerField(default=0, help_text=_("Grows by one with every visible change."))

    self_registration = models.BooleanField(_("players can register themselves"), default=False)
    closes_at = models.DateTimeField(_("registration closes"), null=True, blank=True)
    capacity = models.PositiveIntegerField(_("places"), null=True, blank=True)
    fee = models.PositiveIntegerField(_("entry fee"), default=0, help_text=_("In whole minor units of the currency."))

    reentry_until = models.DateTimeField(
        _("re-entry until"), null=True, blank=True, help_text=_("Empty: nobody can enter again.")
    )
    reentry_keeps = models.BooleanField(
        _("after a re-entry the previous entry plays on in the consolation"), default=True, db_default=True
    )

    match_length = models.PositiveSmallIntegerField(_("match length"), default=7)
    round_lengths = models.JSONField(_("match length by round"), default=list, blank=True)
    crawford = models.BooleanField(_("Crawford rule"), default=True)
    rated = models.BooleanField(_("rated"), default=True)
    pool = models.ForeignKey("matches.RatingPool", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    draw_method = models.CharField(
        pgettext_lazy("of a tournament", "draw"), max_length=6, choices=DrawMethod, default=DrawMethod.RANDOM
    )
    apart = models.BooleanField(_("keep club-mates apart"), default=False)
    deadline_rule = models.CharField(
        _("deadline rule"), max_length=9, choices=DeadlineRule, default=DeadlineRule.DIRECTOR
    )
    no_show_loses = models.BooleanField(
        _("a player who is late for an appointment loses the match if the opponent claims it"),
        default=False,
    )
    no_show_minutes = models.PositiveSmallIntegerField(
        _("minutes after which a player counts as late"), default=NO_SHOW_MINUTES, db_default=NO_SHOW_MINUTES
    )
    extension_hours = models.PositiveSmallIntegerField(_("extension in hours"), default=72)
    claim_wait = models.PositiveIntegerField(
        _("seconds until an unanswered report stands"),
        default=600,
        help_text=_("Usual values: 10 minutes at a venue, 24 hours online."),
    )
    records_stand = models.BooleanField(_("accepted records become results at once"), default=False)

    play_mode = models.CharField(_("where matches are played"), max_length=6, choices=PlayMode, default=PlayMode.TABLE)
    clock = models.CharField(_("clock"), max_length=14, choices=ClockPreset, default=ClockPreset.TABLE)
    overtime_minutes = models.PositiveSmallIntegerField(_("overtime in minutes"), default=0)
    turn_days = models.PositiveSmallIntegerField(_("days for each turn"), default=2)
    bank_days = models.PositiveSmallIntegerField(_("extra days for the match"), default=0)
    flag_rule = models.CharField(
        _("running out of time loses"),
        max_length=10,
        choices=LiveMatch.FlagRule,
        default=LiveMatch.FlagRule.MATCH_LOST,
    )
    spectators_delay = models.PositiveSmallIntegerField(
        _("spectators"),
        null=True,
        blank=True,
        default=0,
        help_text=_("Minutes by which spectators are behind; empty: they see a match once it is over."),
    )

    class Meta:
        ordering = ("order", "pk")
        verbose_name = _("division")
        verbose_name_plural = _("divisions")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tournament", "name"], name="division_name_of_tournament"),
            models.CheckConstraint(condition=Q(match_length__gte=1, match_length__lte=25), name="division_length"),
            models.CheckConstraint(
                condition=Q(capacity__isnull=True) | Q(capacity__gte=2, capacity__lte=MAX_ENTRIES),
                name="division_capacity",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tournament} · {self.name}"

    @property
    def topic(self) -> str:
        """The topic of the division in the log, in live updates, and in the `parent_topic` of its matches."""
        return f"division:{self.public_id}"

    @property
    def lengths(self) -> list[int]:
        """Match lengths in points by round; the last one applies to all later rounds."""
        return self.round_lengths or [self.match_length]

    @cached_property
    def keeps_apart(self) -> bool:
        """Whether its draw keeps anybody apart: club-mates, or pairs named by a director."""
        return self.apart or self.kept_apart.filter(taken_back_at=None).exists()


# Helpers: people who may help at one event without a role in its club.


class Helper(models.Model):
    """An invitation to help at an event and, once an account has accepted it, a helper until they are removed.

    Of the secret of the link only the hash is stored; the e-mail address is kept only until the link is accepted.
    """

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="helpers")
    email = models.EmailField(blank=True)
    secret_hash = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    added_at = models.DateTimeField(default=timezone.now, editable=False)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    expires_at = models.DateTimeField(help_text=_("Until when the invitation can be accepted."))
    accepted_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("added_at", "pk")
        verbose_name = _("helper")
        verbose_name_plural = _("helpers")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tournament", "user"], condition=Q(removed_at=None), name="helper_once_per_event"
            ),
            models.UniqueConstraint(
                fields=["tournament", "email"], condition=Q(removed_at=None) & ~Q(email=""), name="helper_invited_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tournament} · {self.public_id}"
