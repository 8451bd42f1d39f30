"""Entries of players in divisions, and who is here."""

from datetime import datetime
from math import inf
from typing import Any, ClassVar, NamedTuple

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from core.name_field import NameField
from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NOTE_LENGTH
from tournaments.models.recorded import Recorded

MAX_TEAM_LENGTH = 40


class EntryField(NamedTuple):
    """What a director writes about an entry, in the field of the model with the same name.

    It is on the desk, in the API, where everybody may read it, and in a person's copy of their data; the column of a
    list fills it if it is in `people_lists.COLUMNS`. `description` and `example` are for API clients.
    """

    label: Any
    verb: str
    """What the log says of who writes it."""
    description: str
    example: str
    of_person: bool = True
    """Whether it is emptied for a substitute, and when the person is erased."""


class Entry(models.Model):
    """A player in a division. A withdrawn entry is kept; entering again makes a new one, and so does a re-entry."""

    class Status(models.TextChoices):
        """Entered, on the waiting list, or withdrawn."""

        IN = "in", _("entered")
        WAITING = "waiting", _("waiting list")
        OUT = "out", _("withdrawn")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    division = models.ForeignKey("tournaments.Division", on_delete=models.PROTECT, related_name="entries")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="1, or 2 for the first re-entry of the player, and so on."
    )
    status = models.CharField(max_length=7, choices=Status, default=Status.IN)
    rating = models.FloatField(null=True, blank=True, help_text="Rating when the draw was made.")
    team = NameField("team", max_length=MAX_TEAM_LENGTH, blank=True, default="", db_default="")
    FIELDS: ClassVar = {
        "team": EntryField(
            _("Team"),
            gettext_noop("named a team"),
            "Members of a team never meet. Rounds that are paired stay as they are.",
            "CBC",
            of_person=False,
        ),
    }
    checked_in_at = models.DateTimeField(null=True, blank=True)
    away_until = models.DateTimeField(null=True, blank=True)
    entered_at = models.DateTimeField(default=timezone.now, editable=False)
    entered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    joined_to = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The entry of the same person that stands for this one, after a merge; see JoinedEntry.",
    )

    class Meta:
        ordering = ("entered_at", "pk")
        verbose_name = "entry"
        verbose_name_plural = "entries"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["division", "player", "number"], condition=~Q(status="out"), name="entry_once_per_number"
            ),
        ]

    def __str__(self) -> str:
        return str(self.player)

    @classmethod
    def emptied(cls) -> dict[str, Any]:
        """Return the fields about a person as they are without one."""
        return {name: getattr(cls, name).field.get_default() for name in cls.FIELDS if cls.FIELDS[name].of_person}

    @property
    def turn(self) -> tuple[bool, datetime, float]:
        """Sorts a waiting list: who is here comes first, then the order of entry; an entry not saved yet is last."""
        return self.checked_in_at is None, self.entered_at, self.pk or inf


class Withdrawal(Recorded):
    """The withdrawal of an entry from one bracket, or from the whole division if `bracket` is empty."""

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="withdrawals")
    bracket = models.ForeignKey(
        "tournaments.Bracket", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta(Recorded.Meta):
        verbose_name = "withdrawal"
        verbose_name_plural = "withdrawals"

    def __str__(self) -> str:
        return f"{self.entry} · {self.at:%Y-%m-%d}"


class Return(Recorded):
    """A withdrawal that was taken back, with the walkovers that were reopened."""

    withdrawal = models.OneToOneField(Withdrawal, on_delete=models.PROTECT, related_name="returned")
    reopened = models.ManyToManyField(
        "matches.Match", related_name="+", blank=True, help_text="Voided walkovers, whose fixtures have new matches."
    )
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)

    class Meta(Recorded.Meta):
        verbose_name = "return"
        verbose_name_plural = "returns"

    def __str__(self) -> str:
        return f"{self.withdrawal.entry} · {self.at:%Y-%m-%d}"


class LateEntry(Recorded):
    """An entry after the draw, with the byes it filled; a re-entry if the entry has a number above 1.

    `undoes` is the late entry that this one undid, so that its byes are byes again.
    """

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="late")
    stage = models.ForeignKey("tournaments.Stage", on_delete=models.PROTECT, related_name="+")
    slots = models.JSONField(default=list, help_text="Byes that were filled, as [match number, side].")
    entrants = models.JSONField(
        default=list, help_text="Rounds still to be drawn, as [key of the round, its previous entrants]."
    )
    before = models.CharField(max_length=7, blank=True, help_text="Previous status of the entry; empty if it is new.")
    withdrawal = models.OneToOneField(
        Withdrawal,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The withdrawal of the previous entry that came with this re-entry.",
    )
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)

    class Meta(Recorded.Meta):
        verbose_name = "late entry"
        verbose_name_plural = "late entries"

    def __str__(self) -> str:
        return f"{self.entry} · {self.at:%Y-%m-%d}"


class Substitution(Recorded):
    """Another player in the place of an entry, before its first match.

    `undoes` is the substitution that this one undid, so that the first player is back.
    """

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="substitutions")
    before = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    after = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")

    class Meta(Recorded.Meta):
        verbose_name = "substitution"
        verbose_name_plural = "substitutions"

    def __str__(self) -> str:
        return f"{self.after} · {self.before}"


class JoinedEntry(models.Model):
    """An entry that became one with another of the same person when their players were merged, until that is undone."""

    merge = models.ForeignKey("players.Merge", on_delete=models.PROTECT, related_name="+")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="joined")
    into = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    before = models.CharField(max_length=7, help_text="Previous status of the entry.")
    at = models.DateTimeField(default=timezone.now, editable=False)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("at", "pk")
        verbose_name = "joined entry"
        verbose_name_plural = "joined entries"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["entry"], condition=Q(undone_at=None), name="entry_joined_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} → {self.into}"

    @classmethod
    def standing(cls, division: models.Model) -> dict[int, int]:
        """Return entry id -> the entry that stands for it, for the joined entries of a division."""
        rows = cls.objects.filter(entry__division=division, undone_at=None).values_list("entry", "into")
        into = dict(rows)
        for entry in into:
            while (further := into.get(into[entry])) is not None:
                into[entry] = further
        return into


class EventLink(models.Model):
    """The generation that signs a player's personal link for an event; 0 for a player without a row."""

    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="event_links")
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    generation = models.PositiveSmallIntegerField(default=0, help_text="How often the link was revoked.")

    class Meta:
        ordering = ("tournament", "player")
        verbose_name = "personal link of an event"
        verbose_name_plural = "personal links of events"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tournament", "player"], name="event_link_once_per_player"),
        ]

    def __str__(self) -> str:
        return f"{self.tournament} · {self.player}"


class ByeRequest(Recorded):
    """A bye that an entry requested for a round of a Swiss, for half a point or none."""

    class Kind(models.TextChoices):
        """Kinds of `formats.swiss.event.ByeKind` that can be requested."""

        HALF = "half", _("half-point bye")
        REQUESTED = "requested", _("bye without points")

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="bye_requests")
    stage = models.ForeignKey("tournaments.Stage", on_delete=models.PROTECT, related_name="bye_requests")
    round = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=9, choices=Kind, default=Kind.HALF)
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("stage", "round", "pk")
        verbose_name = "requested bye"
        verbose_name_plural = "requested byes"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["entry", "stage", "round"], condition=Q(taken_back_at=None), name="bye_requested_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} · {self.round}"


class KeptApart(Recorded):
    """Two entries that are kept apart: never paired in a round, and as far apart as possible in brackets and groups.

    `first` is the older entry. Only staff of the event can see these pairs.
    """

    division = models.ForeignKey("tournaments.Division", on_delete=models.PROTECT, related_name="kept_apart")
    first = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta(Recorded.Meta):
        verbose_name = "pair kept apart"
        verbose_name_plural = "pairs kept apart"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["first", "second"], condition=Q(taken_back_at=None), name="kept_apart_once"
            ),
            models.CheckConstraint(condition=Q(first__lt=models.F("second")), name="kept_apart_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.first} · {self.second}"


# Who is here: check-ins of entries, as facts, and the devices at the door on which players check themselves in.


class Kiosk(models.Model):
    """A device at the door of an event. It can check players in and nothing else.

    Of its secret only the hash is stored. It works until it is revoked or the event is over.
    """

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    tournament = models.ForeignKey("tournaments.Tournament", on_delete=models.PROTECT, related_name="kiosks")
    secret_hash = models.CharField(max_length=64, blank=True, help_text="Empty until a device is paired.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    paired_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = "kiosk"
        verbose_name_plural = "kiosks"

    def __str__(self) -> str:
        return f"{self.tournament} · {self.public_id}"


class CheckIn(Recorded):
    """A change of an entry's presence; the newest one holds. `Entry.checked_in_at` and `away_until` follow from it."""

    class State(models.TextChoices):
        """Whether the player is here. The entry of a pair plays without whoever of the two is excused."""

        HERE = "here", _("here")
        AWAY = "away", _("away")
        MISSING = "missing", _("missing")
        EXCUSED = "excused", _("excused")

    class Source(models.TextChoices):
        """How the player was checked in."""

        DIRECTOR = "director", _("by director")
        PLAYER = "player", _("by the player")
        POSTER = "poster", _("by poster QR")
        KIOSK = "kiosk", _("at a kiosk")
        LINK = "link", _("by personal link")

    entry = models.ForeignKey("tournaments.Entry", on_delete=models.PROTECT, related_name="check_ins")
    person = models.ForeignKey(
        "players.Player",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Which of the two of a pair; empty if the entry is of one person.",
    )
    state = models.CharField(max_length=7, choices=State)
    until = models.DateTimeField(null=True, blank=True, help_text="When a player who is away comes back.")
    source = models.CharField(max_length=8, choices=Source, default=Source.DIRECTOR)
    batch = models.CharField(
        max_length=LENGTH, default=new_public_id, db_index=True, help_text="Shared by what one tap changed."
    )
    kiosk = models.ForeignKey(Kiosk, on_delete=models.PROTECT, null=True, blank=True, related_name="check_ins")
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")

    class Meta(Recorded.Meta):
        verbose_name = "check-in"
        verbose_name_plural = "check-ins"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(state="away", until__isnull=False) | (~Q(state="away") & Q(until=None)),
                name="check_in_away_until",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} · {self.state}"
