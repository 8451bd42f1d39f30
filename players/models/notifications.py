"""Notifications, how they are delivered, and what each user has chosen."""

from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from core.public_ids import LENGTH


class NotificationChoice(models.Model):
    """How a user wants to get one kind of notification; without a row the defaults of the kind apply."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=40)
    site = models.BooleanField()
    email = models.BooleanField()
    push = models.BooleanField()

    class Meta:
        verbose_name = "notification choice"
        verbose_name_plural = "notification choices"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "kind"], name="notification_choice_once_per_kind")
        ]

    def __str__(self) -> str:
        return f"{self.kind} · {self.user_id}"


class Notification(models.Model):
    """Something that happened, for one user. `key` names the occasion, so that nobody is notified of it twice."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=40)
    params = models.JSONField(default=dict, help_text="The parameters of the sentence; players by id.")
    url = models.CharField(max_length=300, help_text="The path of the page it leads to.")
    key = models.CharField(max_length=100)
    on_site = models.BooleanField(help_text="Whether it is in the user's list on the site.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        verbose_name = "notification"
        verbose_name_plural = "notifications"
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at"], name="notification_list", condition=Q(on_site=True)),
            models.Index(fields=["user"], name="notification_unread", condition=Q(on_site=True, read_at__isnull=True)),
        ]
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key"], name="notification_once_per_user")]

    def __str__(self) -> str:
        return f"{self.kind} · {self.user_id}"


class PushSubscription(models.Model):
    """A browser that shows notifications, as its push service knows it, until the session in it ends."""

    UNBOUND_FOR = timedelta(days=60)
    """So long a browser is sent to whose session is unknown, since it subscribed before sessions were noted."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    endpoint = models.CharField(max_length=1000, unique=True)
    p256dh = models.CharField(max_length=100, help_text="The browser's public key, as base64url.")
    auth = models.CharField(max_length=40, help_text="The browser's secret, as base64url.")
    device = models.CharField(max_length=80, blank=True, help_text="The browser, for the user to recognise.")
    session = models.CharField(
        max_length=LENGTH, blank=True, db_default="", help_text="The id of the session with which it ends."
    )
    unbound_since = models.DateTimeField(
        null=True, blank=True, db_default=Now(), help_text="Since when its session is unknown; empty if it is known."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = "push subscription"
        verbose_name_plural = "push subscriptions"

    def __str__(self) -> str:
        return f"{self.device} · {self.user_id}"

    def has_lapsed(self, now: datetime) -> bool:
        """Return whether its session was unknown for too long."""
        return self.unbound_since is not None and self.unbound_since + self.UNBOUND_FOR <= now


class Delivery(models.Model):
    """A notification to be sent by e-mail, or to one browser. Retried with growing waits until it is given up."""

    class Channel(models.TextChoices):
        EMAIL = "email", "email"
        PUSH = "push", "push"

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        SENT = "sent", "sent"
        DROPPED = "dropped", "no longer needed"
        GIVEN_UP = "given_up", "given up"

    class Handover(models.TextChoices):
        """What is known of whether something that is not marked as sent was received."""

        NONE = "none", "not handed over"
        BEGUN = "begun", "handed over with an unknown end"
        REFUSED = "refused", "refused for certain"

    MAX_REASON_LENGTH = 200

    notification = models.ForeignKey(Notification, on_delete=models.CASCADE, related_name="deliveries")
    channel = models.CharField(max_length=5, choices=Channel)
    subscription = models.ForeignKey(
        PushSubscription, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    next_at = models.DateTimeField(help_text="When it is to be sent, or tried again.")
    claimed_at = models.DateTimeField(null=True, blank=True, help_text="When a worker began to send it.")
    batch = models.CharField(
        max_length=LENGTH, blank=True, help_text="What is sent together; the same in every attempt."
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    handover = models.CharField(max_length=7, choices=Handover, default=Handover.NONE, db_default=Handover.NONE)
    sent_at = models.DateTimeField(null=True, blank=True)
    given_up_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True, help_text="Why the last attempt failed.")

    class Meta:
        ordering = ("pk",)
        verbose_name = "delivery"
        verbose_name_plural = "deliveries"
        indexes: ClassVar = [models.Index(fields=["next_at"], name="delivery_due", condition=Q(state="waiting"))]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["notification"], condition=Q(channel="email"), name="delivery_one_email_per_notification"
            ),
            models.UniqueConstraint(fields=["notification", "subscription"], name="delivery_once_per_subscription"),
        ]

    def __str__(self) -> str:
        return f"{self.channel} · {self.notification_id}"
