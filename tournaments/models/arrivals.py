"""Who is here: check-ins of entries, as facts, and the devices at the door on which players check themselves in."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id


class Kiosk(models.Model):
    """A device at the door of an event. It can check players in and nothing else.

    Of its secret only the hash is stored. It works until it is revoked or the event is over.
    """

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="kiosks")
    secret_hash = models.CharField(max_length=64, blank=True, help_text=_("Empty until a device is paired."))
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    paired_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = _("kiosk")
        verbose_name_plural = _("kiosks")

    def __str__(self) -> str:
        return f"{self.tournament} · {self.public_id}"


class CheckIn(models.Model):
    """A change of an entry's presence; the newest one holds. `Entry.checked_in_at` and `away_until` follow from it."""

    class State(models.TextChoices):
        """Whether the player is here."""

        HERE = "here", _("here")
        AWAY = "away", _("away")
        MISSING = "missing", _("missing")

    class Source(models.TextChoices):
        """How the player was checked in."""

        DIRECTOR = "director", _("by director")
        PLAYER = "player", _("by the player")
        POSTER = "poster", _("by poster QR")
        KIOSK = "kiosk", _("at a kiosk")
        LINK = "link", _("by personal link")

    entry = models.ForeignKey("tournaments.Entry", on_delete=models.PROTECT, related_name="check_ins")
    state = models.CharField(max_length=7, choices=State)
    until = models.DateTimeField(null=True, blank=True, help_text=_("When a player who is away comes back."))
    source = models.CharField(max_length=8, choices=Source, default=Source.DIRECTOR)
    batch = models.CharField(
        max_length=LENGTH, default=new_public_id, db_index=True, help_text=_("Shared by what one tap changed.")
    )
    kiosk = models.ForeignKey(Kiosk, on_delete=models.PROTECT, null=True, blank=True, related_name="check_ins")
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("at", "pk")
        verbose_name = _("check-in")
        verbose_name_plural = _("check-ins")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(state="away", until__isnull=False) | (~Q(state="away") & Q(until=None)),
                name="check_in_away_until",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} · {self.state}"
