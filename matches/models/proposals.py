"""Times that a player proposes for a match."""

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id
from core.text_lengths import LONGEST_KEY, LONGEST_NOTE
from players.models import LogEntry

MOST_TIMES = 5

NO_SHOW_MINUTES = 15
"""After so many minutes a player has not come to an appointment, where the event says nothing else."""


class Proposal(models.Model):
    """Up to five times that one side proposes; if the other side accepts one, it is binding for both."""

    class State(models.TextChoices):
        OPEN = "open", _("waiting for an answer")
        ACCEPTED = "accepted", _("accepted")
        COUNTERED = "countered", _("answered with other times")
        WITHDRAWN = "withdrawn", _("withdrawn")
        REPLACED = "replaced", _("replaced by a later appointment")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.PROTECT, related_name="proposals")
    side = models.PositiveSmallIntegerField(help_text=_("The side that proposes."))
    times = models.JSONField(help_text=_("The proposed times in UTC (ISO 8601), earliest first."))
    note = models.CharField(max_length=LONGEST_NOTE, blank=True)
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    key = models.CharField(max_length=LONGEST_KEY, blank=True, help_text=_("The Idempotency-Key of the request."))
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    shown_at = models.DateTimeField(
        null=True, blank=True, help_text=_("When the other side, signed in, first saw it on a page.")
    )

    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    agreed_at = models.DateTimeField(null=True, blank=True, help_text=_("The time that was accepted."))
    answered_at = models.DateTimeField(null=True, blank=True)
    answer_key = models.CharField(max_length=LONGEST_KEY, blank=True, help_text=_("The Idempotency-Key of the answer."))
    here_0 = models.DateTimeField(null=True, blank=True, help_text=_("When side 0 came to the appointment."))
    here_1 = models.DateTimeField(null=True, blank=True, help_text=_("When side 1 came to the appointment."))
    reminded_at = models.DateTimeField(null=True, blank=True, help_text=_("When the players were reminded last."))

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = _("proposed times")
        verbose_name_plural = _("proposed times")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(side__lte=1), name="proposal_side"),
            models.UniqueConstraint(fields=["match"], condition=Q(state="open"), name="proposal_open_once"),
            models.UniqueConstraint(fields=["match"], condition=Q(state="accepted"), name="proposal_accepted_once"),
            models.UniqueConstraint(fields=["match", "key"], condition=~Q(key=""), name="proposal_key_of_match"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {len(self.times)}"

    @property
    def here(self) -> tuple[datetime | None, datetime | None]:
        """When each side came to the appointment; None for a side that has not."""
        return self.here_0, self.here_1

    @property
    def instants(self) -> list[datetime]:
        """The proposed times, earliest first."""
        return [datetime.fromisoformat(time) for time in self.times]


class CalendarFeed(models.Model):
    """The secret URL under which an account's calendar shows its appointments. Another key revokes the URL."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    key = models.CharField(max_length=LENGTH, unique=True, default=new_public_id)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("calendar feed")
        verbose_name_plural = _("calendar feeds")

    def __str__(self) -> str:
        return str(self.user)
