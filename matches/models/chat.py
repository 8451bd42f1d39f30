"""What is said during a match that is played here."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NOTE_LENGTH

MAX_MESSAGE_LENGTH = 200


class ChatMessage(models.Model):
    """A phrase or a text, in the chat of the two players or among the comments of the spectators."""

    class Room(models.TextChoices):
        """Who talks there. Players do not see the comments of spectators while they play."""

        PLAYERS = "players", "players"
        SPECTATORS = "spectators", "spectators"

    class Phrase(models.TextChoices):
        """What players who do not know each other may say."""

        HELLO = "hello", _("Hello!")
        GOOD_LUCK = "good_luck", _("Good luck!")
        NICE_ROLL = "nice_roll", _("Nice roll!")
        WELL_PLAYED = "well_played", _("Well played!")
        THANKS = "thanks", _("Thank you!")
        SORRY = "sorry", _("Sorry!")
        BACK_SOON = "back_soon", _("I’ll be right back.")
        GOOD_GAME = "good_game", _("Good game!")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.PROTECT, related_name="chat")
    room = models.CharField(max_length=10, choices=Room)
    side = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Of a player; empty for spectators.")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    phrase = models.CharField(max_length=11, choices=Phrase, blank=True)
    text = models.CharField(max_length=MAX_MESSAGE_LENGTH, blank=True)
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("pk",)
        verbose_name = "chat message"
        verbose_name_plural = "chat messages"
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(phrase="") ^ ~Q(text=""), name="chat_phrase_or_text"),
            models.CheckConstraint(
                condition=Q(room="players", side__lte=1) | Q(room="spectators", side=None), name="chat_side"
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def is_removed(self) -> bool:
        """Whether the latest decision on it removes it. Prefetch `decisions` for a list of messages."""
        latest = max(self.decisions.all(), key=lambda decision: decision.pk, default=None)
        return latest is not None and latest.removes


class ChatMute(models.Model):
    """`side` does not want to read what the opponent writes in this match."""

    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="+")
    side = models.PositiveSmallIntegerField()

    class Meta:
        verbose_name = "muted chat"
        verbose_name_plural = "muted chats"
        constraints: ClassVar = [models.UniqueConstraint(fields=["match", "side"], name="chat_mute_once")]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.side}"


class ChatReport(models.Model):
    message = models.ForeignKey(ChatMessage, on_delete=models.CASCADE, related_name="reports")
    side = models.PositiveSmallIntegerField(null=True, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = "reported chat message"
        verbose_name_plural = "reported chat messages"

    def __str__(self) -> str:
        return f"{self.message_id}"


class ChatDecision(models.Model):
    """Whoever runs the match removes a message, keeps a reported one, or puts one back; the latest decision stands.

    The text of a removed message is kept for its author's export until chats are deleted, and shown to nobody.
    """

    message = models.ForeignKey(ChatMessage, on_delete=models.CASCADE, related_name="decisions")
    removes = models.BooleanField(help_text="Whether the message is hidden from everybody.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = "decision on a chat message"
        verbose_name_plural = "decisions on chat messages"

    def __str__(self) -> str:
        return f"{self.message_id}"
