"""Acts that a browser kept while there was no connection, and what became of them once they had arrived."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from core.name_field import NameField
from players.models.log import LogEntry
from players.models.people import Club

MAX_LABEL = 120
OUTBOX_LENGTH = 22


class Outbox(models.Model):
    """The acts of one reader about one event or match in one browser, which numbers them 1, 2, 3 …"""

    key = models.CharField(max_length=OUTBOX_LENGTH, help_text="Chosen at random by the browser.")
    topic = models.CharField(max_length=60, help_text="What the acts are about: an event or a match.")
    club = models.ForeignKey(Club, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    side = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The side of the match that its personal link acts for."
    )
    have = models.PositiveIntegerField(default=0, help_text="The number of the last act that has arrived.")
    left = models.PositiveIntegerField(default=0, help_text="How many acts the browser still had.")
    device = models.CharField(max_length=60, blank=True, help_text="The browser and its system.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    heard_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = "outbox"
        verbose_name_plural = "outboxes"
        constraints: ClassVar = [models.UniqueConstraint(fields=["topic", "key"], name="outbox_once")]

    def __str__(self) -> str:
        return f"{self.topic} · {self.device}"


class KeptAct(models.Model):
    """An act that was done without a connection: what the reader saw and did, and its outcome, which never changes."""

    class Outcome(models.TextChoices):
        """What became of an act when it arrived; only `done` has changed anything."""

        DONE = "done", "done"
        ALREADY = "already", "recorded already"
        OVERTAKEN = "overtaken", "no longer needed"
        CANCELLED = "cancelled", "taken back"
        DIFFERS = "differs", "differs"
        REFUSED = "refused", "refused"

    class Decision(models.TextChoices):
        """What a person decided about an act that changed nothing, or about a note."""

        LEFT = "left", pgettext_lazy("kept act", "left as it is")
        ENTERED = "entered", pgettext_lazy("kept act", "entered")
        UNDONE = "undone", pgettext_lazy("kept act", "taken back by its sender")

    outbox = models.ForeignKey(Outbox, on_delete=models.CASCADE, related_name="acts")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="Of the act as it was sent.")
    action = models.CharField(max_length=20)
    content = models.JSONField(default=dict, help_text="The act as it was sent.")
    label = NameField(max_length=MAX_LABEL, blank=True, help_text="What the browser called it.")
    typed_at = models.DateTimeField(null=True, blank=True, help_text="Empty if it is not known.")
    arrived_at = models.DateTimeField(default=timezone.now, db_index=True)
    outcome = models.CharField(max_length=9, choices=Outcome)
    code = models.CharField(max_length=40, blank=True)
    params = models.JSONField(default=dict, help_text="Of the sentence that explains the outcome.")
    made = models.JSONField(default=list, help_text="The acts that it made, by the names they are undone by.")
    carried_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    is_open = models.BooleanField(default=False, help_text="Whether a person has to decide it.")
    decision = models.CharField(max_length=8, choices=Decision, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        verbose_name = "kept act"
        verbose_name_plural = "kept acts"
        constraints: ClassVar = [models.UniqueConstraint(fields=["outbox", "number"], name="kept_act_once")]

    def __str__(self) -> str:
        return f"{self.number} {self.action}: {self.outcome}"
