"""Analyses of how well a match was played, and the decisions they consist of (docs/analysis.md)."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Analysis(models.Model):
    """One analysis of a match or of a record by one program; its state is the work queue.

    Totals are never stored: `matches.analysis.arithmetic.summary` computes them from the decisions. A newer analysis of
    the same match or record replaces the older one when it is done, so that both are never mixed.
    """

    class Origin(models.TextChoices):
        COMPUTED = "computed", _("computed here")
        SENDER = "sender", _("part of the record, made by its sender")

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        WORKING = "working", _("being analysed")
        DONE = "done", _("analysed")
        FAILED = "failed", _("given up")

    match = models.ForeignKey(
        "matches.Match",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="analyses",
        help_text=_("The match that was played; empty for a record that was not sent for a match."),
    )
    submission = models.ForeignKey(
        "matches.Submission",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="analyses",
        help_text=_("The record that was analysed; empty for a match played here."),
    )
    club = models.ForeignKey(
        "players.Club",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text=_("The club whose CPU budget it uses."),
    )
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.COMPUTED)
    swapped = models.BooleanField(
        default=False, help_text=_("Whether side 0 of the record, and of the decisions, is side 1 of the match.")
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    state = models.CharField(max_length=7, choices=State, default=State.QUEUED)
    sent_at = models.DateTimeField(default=timezone.now, help_text=_("When a worker was last notified."))
    not_before = models.DateTimeField(
        null=True, blank=True, help_text=_("The end of a pause, after a failure or for the budget of the club.")
    )
    claimed_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=40, blank=True, help_text=_("Code of the reason why it was given up."))
    finished_at = models.DateTimeField(null=True, blank=True)

    # Set once it is done.
    record_sha256 = models.CharField(
        max_length=64, blank=True, help_text=_("SHA-256 of the canonical .mat, with neutral names, that was analysed.")
    )
    backend = models.CharField(max_length=20, blank=True, help_text=_("The program, e.g. gnubg."))
    version = models.CharField(max_length=60, blank=True)
    settings = models.JSONField(default=dict, blank=True, help_text=_("E.g. the depth, as the program names it."))
    cpu_seconds = models.FloatField(default=0, help_text=_("Of all attempts."))

    class Meta:
        ordering = ("-created_at", "-pk")
        verbose_name = _("analysis")
        verbose_name_plural = _("analyses")
        indexes: ClassVar = [
            models.Index(fields=["sent_at"], name="analysis_open", condition=Q(state__in=["queued", "working"])),
            models.Index(fields=["club", "finished_at"], name="analysis_budget"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(match__isnull=False) | Q(submission__isnull=False), name="analysis_of_something"
            ),
            models.UniqueConstraint(
                fields=["submission", "origin"],
                condition=Q(submission__isnull=False, state__in=["queued", "working"]),
                name="analysis_open_once_per_record",
            ),
            models.UniqueConstraint(
                fields=["match", "origin"],
                condition=Q(submission__isnull=True, state__in=["queued", "working"]),
                name="analysis_open_once_per_match",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.backend or self.state} {self.pk}"

    @property
    def is_open(self) -> bool:
        """Whether the work still has to be done."""
        return self.state in (self.State.QUEUED, self.State.WORKING)


class Decision(models.Model):
    """One decision as it was judged; written once with its analysis, never changed.

    Equities are normalised to the cube before the decision. Plays, errors and luck are seen by the side that decides,
    the cube by the side that may double or has doubled.
    """

    class Kind(models.TextChoices):
        PLAY = "play", _("checker play")
        DOUBLE = "double", _("double or not")
        TAKE = "take", _("take or drop")

    class Phase(models.TextChoices):
        """The kind of position, for sums of errors; a cube decision is always `CUBE`."""

        OPENING = "opening", _("opening")
        CONTACT = "contact", _("contact")
        RACE = "race", _("race")
        BEAR_OFF = "bear_off", _("bear-off")
        CUBE = "cube", _("cube")

    analysis = models.ForeignKey(Analysis, on_delete=models.CASCADE, related_name="decisions")
    game = models.PositiveSmallIntegerField(help_text=_("Index of the game in the record, from 1."))
    event = models.PositiveSmallIntegerField(
        help_text=_("Index of the event in its game, from 0; of a double not given, that of the roll after it.")
    )
    side = models.PositiveSmallIntegerField(help_text=_("The side of the record that decides, 0 or 1."))
    kind = models.CharField(max_length=6, choices=Kind)
    phase = models.CharField(max_length=8, choices=Phase)
    xgid = models.CharField(max_length=80, help_text=_("The position to decide on."))
    cube = models.PositiveIntegerField(help_text=_("Before the decision."))
    own_away = models.PositiveSmallIntegerField(help_text=_("Points the side needs; 0 in a money session."))
    opposing_away = models.PositiveSmallIntegerField(help_text=_("Points the other side needs."))
    played = models.CharField(max_length=60, help_text=_("In notation; `double`, `no_double`, `take` or `drop`."))
    best = models.CharField(max_length=60)
    candidates = models.JSONField(
        default=list,
        blank=True,
        help_text=_("Of a play, up to five, best first: play, equity, winning chance and depth."),
    )
    no_double = models.FloatField(null=True, blank=True, help_text=_("Equity if there is no double."))
    double_take = models.FloatField(null=True, blank=True)
    double_pass = models.FloatField(null=True, blank=True)
    error = models.FloatField(help_text=_("Equity lost, at least 0."))
    error_winning = models.FloatField(null=True, blank=True, help_text=_("Chance of winning the match lost (0–1)."))
    winning = models.FloatField(
        null=True, blank=True, help_text=_("Chance (0–1) of the side to win the match, with the best decision.")
    )
    luck = models.FloatField(null=True, blank=True, help_text=_("Of the roll of a play: equity above the average."))
    luck_winning = models.FloatField(null=True, blank=True, help_text=_("The same as chance of winning the match."))
    counted = models.BooleanField(help_text=_("Whether it counts for the performance rating."))

    class Meta:
        ordering = ("analysis_id", "game", "event", "pk")
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["analysis", "game", "event", "kind"], name="decision_once"),
            models.CheckConstraint(condition=Q(error__gte=0), name="decision_error"),
            models.CheckConstraint(condition=Q(side__lte=1), name="decision_side"),
        ]

    def __str__(self) -> str:
        return f"{self.game}/{self.event} {self.kind}"
