"""Analyses of how well a match was played, and the decisions they consist of (docs/analysis.md)."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from matches.models.matches import Match


class Analysis(models.Model):
    """One analysis of a match or of a record by one program; its state is the work queue.

    Totals are never stored: `matches.analysis.arithmetic.summary` computes them from the decisions. A newer analysis of
    the same match or record replaces the older one when it is done, so that both are never mixed.
    """

    class Origin(models.TextChoices):
        COMPUTED = "computed", "computed here"
        SENDER = "sender", "part of the record, made by its sender"

    class State(models.TextChoices):
        QUEUED = "queued", "waiting"
        WORKING = "working", "being analysed"
        DONE = "done", "analysed"
        FAILED = "failed", "given up"

    match = models.ForeignKey(
        "matches.Match",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="analyses",
        help_text="The match that was played; empty for a record that was not sent for a match.",
    )
    submission = models.ForeignKey(
        "matches.Submission",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="analyses",
        help_text="The record that was analysed; empty for a match played here.",
    )
    club = models.ForeignKey(
        "players.Club",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The club whose CPU budget it uses.",
    )
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.COMPUTED)
    swapped = models.BooleanField(
        default=False, help_text="Whether side 0 of the record, and of the decisions, is side 1 of the match."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    state = models.CharField(max_length=7, choices=State, default=State.QUEUED)
    sent_at = models.DateTimeField(default=timezone.now, help_text="When a worker was last notified.")
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="The end of a pause, after a failure or for the budget of the club."
    )
    claimed_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=40, blank=True, help_text="Code of the reason why it was given up.")
    finished_at = models.DateTimeField(null=True, blank=True)

    # Set once it is done.
    record_sha256 = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the canonical .mat, with neutral names, that was analysed."
    )
    backend = models.CharField(max_length=20, blank=True, help_text="The program, e.g. gnubg.")
    version = models.CharField(max_length=60, blank=True)
    settings = models.JSONField(default=dict, blank=True, help_text="E.g. the depth, as the program names it.")
    cpu_seconds = models.FloatField(default=0, help_text="Of all attempts.")

    class Meta:
        ordering = ("-created_at", "-pk")
        verbose_name = "analysis"
        verbose_name_plural = "analyses"
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

    @property
    def analysed_match(self) -> Match:
        """The match; raises ValueError for a record that was analysed without one."""
        if self.match is None:
            raise ValueError("an analysis without a match")
        return self.match


class Decision(models.Model):
    """One decision as it was judged; written once with its analysis, never changed.

    Equities are normalised to the cube before the decision. Plays, errors and luck are seen by the side that decides,
    the cube by the side that may double or has doubled.
    """

    class Kind(models.TextChoices):
        PLAY = "play", "checker play"
        DOUBLE = "double", "double or not"
        TAKE = "take", "take or drop"

    class Phase(models.TextChoices):
        """The kind of position, for sums of errors; a cube decision is always `CUBE`."""

        OPENING = "opening", "opening"
        CONTACT = "contact", "contact"
        RACE = "race", "race"
        BEAR_OFF = "bear_off", "bear-off"
        CUBE = "cube", "cube"

    analysis = models.ForeignKey(Analysis, on_delete=models.CASCADE, related_name="decisions")
    game = models.PositiveSmallIntegerField(help_text="Index of the game in the record, from 1.")
    event = models.PositiveSmallIntegerField(
        help_text="Index of the event in its game, from 0; of a double not given, that of the roll after it."
    )
    side = models.PositiveSmallIntegerField(help_text="The side of the record that decides, 0 or 1.")
    kind = models.CharField(max_length=6, choices=Kind)
    phase = models.CharField(max_length=8, choices=Phase)
    xgid = models.CharField(max_length=80, help_text="The position to decide on.")
    cube = models.PositiveIntegerField(help_text="Before the decision.")
    own_away = models.PositiveSmallIntegerField(help_text="Points the side needs; 0 in a money session.")
    opposing_away = models.PositiveSmallIntegerField(help_text="Points the other side needs.")
    played = models.CharField(max_length=60, help_text="In notation; `double`, `no_double`, `take` or `drop`.")
    best = models.CharField(max_length=60)
    candidates = models.JSONField(
        default=list,
        blank=True,
        help_text=(
            "Of a play, up to five, best first: play, equity, winning chance and depth; "
            "of the best and the played one also `chances`, as those of the cube, by the side that decides."
        ),
    )
    chances = models.JSONField(
        null=True,
        blank=True,
        help_text=(
            "Of a cube decision, without the cube and by the side that may double or has doubled: the chances (0–1) to "
            "win, to win a gammon, to win a backgammon, to lose a gammon and to lose a backgammon."
        ),
    )
    no_double = models.FloatField(null=True, blank=True, help_text="Equity if there is no double.")
    double_take = models.FloatField(null=True, blank=True)
    double_pass = models.FloatField(null=True, blank=True)
    error = models.FloatField(help_text="Equity lost, at least 0.")
    error_winning = models.FloatField(null=True, blank=True, help_text="Chance of winning the match lost (0–1).")
    winning = models.FloatField(
        null=True, blank=True, help_text="Chance (0–1) of the side to win the match, with the best decision."
    )
    luck = models.FloatField(null=True, blank=True, help_text="Of the roll of a play: equity above the average.")
    luck_winning = models.FloatField(null=True, blank=True, help_text="The same as chance of winning the match.")
    counted = models.BooleanField(help_text="Whether it counts for the performance rating.")

    class Meta:
        ordering = ("analysis_id", "game", "event", "pk")
        verbose_name = "decision"
        verbose_name_plural = "decisions"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["analysis", "game", "event", "kind"], name="decision_once"),
            models.CheckConstraint(condition=Q(error__gte=0), name="decision_error"),
            models.CheckConstraint(condition=Q(side__lte=1), name="decision_side"),
        ]

    def __str__(self) -> str:
        return f"{self.game}/{self.event} {self.kind}"
