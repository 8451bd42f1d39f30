"""Events, their divisions and their helpers."""

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Exists, Q
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.languages import first_offered
from core.left_out import left_out
from core.name_field import NameField
from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NAME_LENGTH
from matches.models import ClockPreset, LiveMatch, PlayMode
from matches.models.reports import NO_SHOW_MINUTES

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

    class SilentDesk(models.TextChoices):
        """What the autopilot does while no page of the staff has a connection."""

        WAIT = "wait", _("calls wait until it is back")
        GO_ON = "go_on", _("the autopilot goes on calling")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    club = models.ForeignKey("players.Club", on_delete=models.PROTECT, related_name="+")
    name = NameField("name", max_length=MAX_NAME_LENGTH)
    slug = models.SlugField("URL name", max_length=60)
    status = models.CharField(max_length=9, choices=Status, default=Status.DRAFT)
    starts_at = models.DateTimeField("starts")
    ends_at = models.DateTimeField("ends", null=True, blank=True)
    closing_rule = models.CharField(
        "matches still running at the end",
        max_length=8,
        choices=ClosingRule,
        default=ClosingRule.ADJOURN,
        db_default=ClosingRule.ADJOURN,
    )
    silent_desk = models.CharField(
        "if the desk loses its connection",
        max_length=5,
        choices=SilentDesk,
        default=SilentDesk.WAIT,
        db_default=SilentDesk.WAIT,
    )
    check_in_opens_at = models.DateTimeField("check-in opens", null=True, blank=True)
    check_in_closes_at = models.DateTimeField("check-in closes", null=True, blank=True)
    time_zone = models.CharField("time zone", max_length=64)
    language = models.CharField(
        "language of wall and paper",
        max_length=10,
        blank=True,
        default="",
        db_default="",
        help_text="Empty for the club's language.",
    )
    second_language = models.CharField(
        "second language on paper",
        max_length=10,
        blank=True,
        default="",
        db_default="",
        help_text="In which the headings of printed sheets stand as well; empty for none.",
    )
    venue = NameField("venue", max_length=200, blank=True)
    tables = models.PositiveSmallIntegerField("tables", null=True, blank=True)
    about = models.TextField("about", max_length=4000, blank=True)
    currency = models.CharField("currency", max_length=12, default="ticket", help_text="A currency code, or “ticket”.")
    currency_exponent = models.PositiveSmallIntegerField(default=0, help_text="Decimal places of the currency.")
    rated = models.BooleanField(
        "rated", default=True, db_default=True, help_text="Whether its new divisions are, unless they differ."
    )
    season = models.BooleanField(
        "counts in seasons",
        default=True,
        db_default=True,
        help_text="Whether it counts, once published, in the seasons of its club whose days it falls on.",
    )
    undo_until = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Until when the start of the evening can be undone. Emails and pushes wait until then.",
    )
    last_number = models.PositiveIntegerField(default=0, help_text="Highest match number so far.")
    calendar_sequence = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Grows with every change that its calendar shows."
    )
    calendar_changed_at = models.DateTimeField(
        null=True, blank=True, help_text="When its calendar changed last; empty if it never did."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("-starts_at", "name")
        verbose_name = "tournament"
        verbose_name_plural = "tournaments"
        indexes: ClassVar = [models.Index(fields=["-starts_at", "-id"], name="tournament_newest")]
        constraints: ClassVar = [models.UniqueConstraint(fields=["club", "slug"], name="tournament_slug_of_club")]

    def __str__(self) -> str:
        return self.name

    @property
    def topic(self) -> str:
        """The topic of the event in the log and in live updates."""
        return f"tournament:{self.public_id}"

    @property
    def effective_language(self) -> str:
        """The language of its wall and paper: its own, the club's or the site's."""
        return first_offered(self.language, self.club.language)

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


class ShownDivisions(models.Manager["Division"]):
    """All divisions but those that are left out of a page, because they cannot be shown."""

    def get_queryset(self) -> models.QuerySet["Division"]:
        broken = [row.pk for row in left_out()]
        return super().get_queryset().exclude(pk__in=broken) if broken else super().get_queryset()


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

    class Sides(models.TextChoices):
        """Who plays as one side; fixed once somebody is entered."""

        ONE = "one", pgettext_lazy("sides", "single players")
        TWO = "two", pgettext_lazy("sides", "pairs")
        ANY = "any", pgettext_lazy("sides", "players and pairs")

    class StartRule(models.TextChoices):
        """Whether matches begin at 0–0, or the weaker side is given points."""

        NONE = "none", _("every match begins at 0–0")
        RATING = "rating", _("by the chances that ratings give")
        TABLE = "table", _("by a table of rating differences")
        HAND = "hand", _("set for each match by hand")

    class DeadlineRule(models.TextChoices):
        """What happens to a match that has not been played when its round ends."""

        DIRECTOR = "director", _("a director decides")
        EXTEND = "extend", _("the player who proposed times wins; otherwise extended once, then both lose")
        BOTH_LOSE = "both_lose", _("the player who proposed times wins; otherwise both lose")
        LOTS = "lots", _("the player who proposed times wins; otherwise by lot")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="divisions")
    name = NameField("name", max_length=MAX_NAME_LENGTH)
    order = models.PositiveSmallIntegerField(default=0)
    status = models.CharField(max_length=9, choices=Status, default=Status.ENTRIES)
    seq = models.PositiveIntegerField(default=0, help_text="Grows by one with every visible change.")
    # `seq` after the last change of settings, format or draw, of entries, and of the pairing without rounds.
    plan_seq = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    entries_seq = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    pairing_seq = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    self_registration = models.BooleanField("players can register themselves", default=False)
    closes_at = models.DateTimeField("registration closes", null=True, blank=True)
    capacity = models.PositiveIntegerField("places", null=True, blank=True)
    sides = models.CharField("who enters", max_length=3, choices=Sides, default=Sides.ONE, db_default=Sides.ONE)
    is_side = models.BooleanField("side event", default=False, db_default=False)
    offer = models.ForeignKey(
        "tournaments.Offer", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="runs"
    )
    run = models.PositiveSmallIntegerField(
        null=True, blank=True, editable=False, help_text="Counts the lists of its offer."
    )
    starts_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When a list that is full draws by itself."
    )
    fee = models.PositiveIntegerField("entry fee", default=0, help_text="In whole minor units of the currency.")

    reentry_until = models.DateTimeField(
        "re-entry until", null=True, blank=True, help_text="Empty: nobody can enter again."
    )
    reentry_keeps = models.BooleanField(
        "after a re-entry the previous entry plays on in the consolation", default=True, db_default=True
    )

    match_length = models.PositiveSmallIntegerField("match length", default=7)
    round_lengths = models.JSONField("match length by round", default=list, blank=True)
    crawford = models.BooleanField("Crawford rule", default=True)
    rated = models.BooleanField("rated", default=True)
    pool = models.ForeignKey("matches.RatingPool", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    draw_method = models.CharField("draw", max_length=6, choices=DrawMethod, default=DrawMethod.RANDOM)
    apart = models.BooleanField("keep club-mates apart", default=False)
    deadline_rule = models.CharField("deadline rule", max_length=9, choices=DeadlineRule, default=DeadlineRule.DIRECTOR)
    no_show_loses = models.BooleanField(
        "a player who is late for an appointment loses the match if the opponent claims it",
        default=False,
    )
    no_show_minutes = models.PositiveSmallIntegerField(
        "minutes after which a player counts as late", default=NO_SHOW_MINUTES, db_default=NO_SHOW_MINUTES
    )
    extension_hours = models.PositiveSmallIntegerField("extension in hours", default=72)
    claim_wait = models.PositiveIntegerField(
        "seconds until an unanswered report stands",
        default=600,
        help_text="Usual values: 10 minutes at a venue, 24 hours online.",
    )
    records_stand = models.BooleanField("accepted records become results at once", default=False)
    start_rule = models.CharField(
        "start score", max_length=6, choices=StartRule, default=StartRule.NONE, db_default=StartRule.NONE
    )
    start_cap = models.PositiveSmallIntegerField(
        "most points at the start", null=True, blank=True, help_text="Empty: half the length, rounded down."
    )
    start_table = models.JSONField(default=list, blank=True, help_text="[rating difference from, points]")

    play_mode = models.CharField("where matches are played", max_length=6, choices=PlayMode, default=PlayMode.TABLE)
    clock = models.CharField("clock", max_length=14, choices=ClockPreset, default=ClockPreset.TABLE)
    overtime_minutes = models.PositiveSmallIntegerField("overtime in minutes", default=0)
    turn_days = models.PositiveSmallIntegerField("days for each turn", default=2)
    bank_days = models.PositiveSmallIntegerField("extra days for the match", default=0)
    flag_rule = models.CharField(
        "running out of time loses",
        max_length=10,
        choices=LiveMatch.FlagRule,
        default=LiveMatch.FlagRule.MATCH_LOST,
    )
    spectators_delay = models.PositiveSmallIntegerField(
        "spectators",
        null=True,
        blank=True,
        default=0,
        help_text="Minutes by which spectators are behind; empty: they see a match once it is over.",
    )

    objects: ClassVar[ShownDivisions] = ShownDivisions()
    every: ClassVar[models.Manager["Division"]] = models.Manager()

    class Meta:
        ordering = ("order", "pk")
        verbose_name = "division"
        verbose_name_plural = "divisions"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tournament", "name"], name="division_name_of_tournament"),
            models.UniqueConstraint(fields=["offer", "run"], name="division_run_of_offer"),
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
    def is_over(self) -> bool:
        """Whether nothing more is drawn in it: it is cancelled, or its event is finished or cancelled."""
        ended = (Tournament.Status.FINISHED, Tournament.Status.CANCELLED)
        return self.status == self.Status.CANCELLED or self.tournament.status in ended

    @property
    def lengths(self) -> list[int]:
        """Match lengths in points by round; the last one applies to all later rounds."""
        return self.round_lengths or [self.match_length]

    @cached_property
    def keeps_apart(self) -> bool:
        """Whether its draw keeps anybody apart: club-mates, pairs named by a director, or members of one team."""
        named, in_teams = self.kept_apart.filter(taken_back_at=None), self.entries.exclude(team="")
        is_apart = Q(Exists(named)) | Q(Exists(in_teams))
        return self.apart or type(self).objects.filter(is_apart, pk=self.pk).exists()


class Offer(models.Model):
    """Lists for side events at the desk (“Jackpot 100”): each is a division, which starts by itself once it is full.

    While it is open, one list takes entries: the next begins when a list is full. Its row is locked before them.
    """

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="offers")
    name = NameField("name", max_length=MAX_NAME_LENGTH)
    size = models.PositiveSmallIntegerField("players")
    fee = models.PositiveIntegerField("entry fee", default=0, help_text="In whole minor units of the currency.")
    lengths = models.JSONField("match length by round", default=list)
    kept = models.PositiveSmallIntegerField(
        "kept by the club", default=0, help_text="Part of the fees, in hundredths of a percent."
    )
    shares = models.JSONField(default=list, help_text="Shares of the places, in hundredths of a percent.")
    unit = models.PositiveIntegerField("rounded down to", default=1)
    rated = models.BooleanField("rated", default=True)
    again = models.BooleanField("players of a list that is not over can join the next", default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = "offer"
        verbose_name_plural = "offers"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tournament", "name"], name="offer_name_of_tournament"),
            models.CheckConstraint(condition=Q(size__in=[4, 8, 16]), name="offer_size"),
            models.CheckConstraint(condition=Q(kept__lte=10_000), name="offer_kept"),
            models.CheckConstraint(condition=Q(unit__gte=1), name="offer_unit"),
        ]

    def __str__(self) -> str:
        return f"{self.tournament} · {self.name}"


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
    expires_at = models.DateTimeField(help_text="Until when the invitation can be accepted.")
    accepted_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("added_at", "pk")
        verbose_name = "helper"
        verbose_name_plural = "helpers"
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
