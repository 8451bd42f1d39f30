"""Offers to own a club, and requests for an owner where nobody runs it."""

from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH, new_public_id
from players.models.people import MAX_REASON_LENGTH, Club, Membership, Player

OFFER_LASTS = timedelta(days=14)
"""How long the one asked may accept, and how long owners may answer before the site's staff do."""
UNDO_LASTS = timedelta(hours=72)


class OwnerOffer(models.Model):
    """An owner who asks a member to be owner, or members who ask the site's staff for one."""

    class Kind(models.TextChoices):
        OFFER = "offer", "offer"
        REQUEST = "request", "request"

    class State(models.TextChoices):
        """An offer that nobody answers stays open; `standing` (players/clubs/owners.py) says whether it counts."""

        OPEN = "open", "open"
        ACCEPTED = "accepted", "accepted"
        DECLINED = "declined", "declined"
        WITHDRAWN = "withdrawn", "withdrawn"
        UNDONE = "undone", "undone"
        DISMISSED = "dismissed", "dismissed"

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="owner_offers")
    kind = models.CharField(max_length=7, choices=Kind)
    player = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    """The member who is asked; of a request, the one whom the staff made owner."""
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    """Who offers or asks; empty if the club lost its last owner."""
    then = models.CharField("role of the giver afterwards", max_length=9, choices=Membership.Role, blank=True)
    before = models.CharField("role of the member before", max_length=9, choices=Membership.Role, blank=True)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True, help_text="Why an owner is needed.")
    answer = models.CharField(max_length=MAX_REASON_LENGTH, blank=True, help_text="What the site's staff say to it.")
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = "offer to own a club"
        verbose_name_plural = "offers to own a club"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["club"], condition=Q(kind="request", state="open"), name="one_open_owner_request"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.club}"

    @property
    def giver(self) -> str:
        """The shown name of who offers or asks; "Former member" if they have left."""
        return self.by.player.shown_name if self.by is not None else str(_("Former member"))

    @property
    def undo_until(self) -> datetime | None:
        """Until when the giver can take it back; None unless it is an offer that was accepted."""
        is_accepted = self.kind == self.Kind.OFFER and self.state == self.State.ACCEPTED
        return self.decided_at + UNDO_LASTS if is_accepted and self.decided_at is not None else None

    def can_be_undone(self, now: datetime) -> bool:
        return self.undo_until is not None and self.undo_until > now
