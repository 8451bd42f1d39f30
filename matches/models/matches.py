"""One match between two players, and the versions of its result."""

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.name_field import NameField
from core.names import numbered
from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NAME_LENGTH, MAX_NOTE_LENGTH
from players.models import LogEntry, Player

MAX_MATCH = 25
"""Points. The engine reads records of longer matches, but matches of events are no longer (docs/rules.md §2)."""
WAIT_ONLINE = 24 * 60 * 60
"""Default waiting time in seconds: how long after the other side has seen it an unanswered report of the winner stands.
Events at a venue set ten minutes."""


class Match(models.Model):
    """Two players, a length and the state of the match.

    The fields from `seq` on are derived from results and reports; they are stored so that a list needs one query.
    Lock the row before changing a match. Side 0 is shown on the left, side 1 on the right.
    """

    class State(models.TextChoices):
        OPEN = "open", "to be played"
        LIVE = "live", "being played here"
        CLAIMED = "claimed", "reported"
        DISPUTED = "disputed", "disputed"
        SETTLED = "settled", "settled"
        VOID = "void", "void"

    class Visibility(models.TextChoices):
        PUBLIC = "public", "everybody"
        CLUB = "club", "the club"
        PRIVATE = "private", "players and directors"

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    club = models.ForeignKey("players.Club", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    visibility = models.CharField(max_length=7, choices=Visibility, default=Visibility.PUBLIC)
    parent_topic = models.CharField(
        max_length=60, blank=True, help_text="Set by the app that opened the match, which alone can read it."
    )
    player_0 = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    player_1 = models.ForeignKey("players.Player", on_delete=models.PROTECT, related_name="+")
    entry_number_0 = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="Which entry of the player in the event side 0 is; 2 for a re-entry."
    )
    entry_number_1 = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="Which entry of the player in the event side 1 is; 2 for a re-entry."
    )
    length = models.PositiveSmallIntegerField()
    start_0 = models.PositiveSmallIntegerField(default=0)
    start_1 = models.PositiveSmallIntegerField(default=0)
    crawford = models.BooleanField(default=True)
    rated = models.BooleanField(default=True)
    pool = models.ForeignKey("matches.RatingPool", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    moved = models.BooleanField(
        default=True,
        help_text="Whether each side has moved, or there is no record. A match without moves is not rated.",
    )
    claim_wait = models.PositiveIntegerField(
        default=WAIT_ONLINE, help_text="Seconds until a report stands that the other side has seen and not answered."
    )
    records_stand = models.BooleanField(
        default=False, help_text="An accepted record stands at once, whichever player sends it."
    )
    link_generation_0 = models.PositiveSmallIntegerField(
        default=0, help_text="How often the personal link of side 0 was revoked."
    )
    link_generation_1 = models.PositiveSmallIntegerField(
        default=0, help_text="How often the personal link of side 1 was revoked."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    seq = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    begun_at = models.DateTimeField(null=True, blank=True, help_text="Derived from reports and scores.")
    due_at = models.DateTimeField(null=True, blank=True, help_text="When the round ends for this match.")
    finished_at = models.DateTimeField(
        null=True, blank=True, help_text="When the first result was recorded; ratings are computed in this order."
    )
    unsettled = models.BooleanField(
        default=False, help_text="The app that opened the match has not acted on the result yet."
    )
    settle_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When that app acts on the result, which can be undone until then without consequences.",
    )
    provisional = models.BooleanField(
        default=False, db_default=False, help_text="The result that stands is provisional."
    )
    as_told = models.BooleanField(
        default=False, db_default=False, help_text="Imported from a list of earlier years, not played here."
    )
    told_event = NameField(max_length=MAX_NAME_LENGTH, blank=True, default="", db_default="")

    class Meta:
        ordering = ("-created_at", "-pk")
        verbose_name = "match"
        verbose_name_plural = "matches"
        indexes: ClassVar = [
            models.Index(fields=["-created_at", "-id"], name="match_newest"),
            models.Index(fields=["player_0", "-finished_at"], name="match_player_0"),
            models.Index(fields=["player_1", "-finished_at"], name="match_player_1"),
            models.Index(fields=["parent_topic"], name="match_parent"),
            models.Index(fields=["finished_at", "id"], name="match_in_order", condition=Q(finished_at__isnull=False)),
            models.Index(fields=["id"], name="match_unsettled", condition=Q(unsettled=True)),
            models.Index(fields=["id"], name="match_live", condition=Q(state="live")),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(player_0=F("player_1")), name="match_of_two_players"),
            models.CheckConstraint(condition=Q(length__gte=1, length__lte=MAX_MATCH), name="match_length"),
            models.CheckConstraint(
                condition=Q(start_0__lt=F("length"), start_1__lt=F("length")), name="match_start_score"
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def topic(self) -> str:
        """The name of the match in the log and in live updates."""
        return f"match:{self.public_id}"

    @property
    def players(self) -> tuple[Player, Player]:
        return self.player_0, self.player_1

    @property
    def entry_numbers(self) -> tuple[int, int]:
        """Which entry of its player in the event side 0 and side 1 is."""
        return self.entry_number_0, self.entry_number_1

    @property
    def names(self) -> tuple[str, str]:
        """The names of side 0 and side 1 as everybody may see them, a re-entry with its number, as in “Bob (2)”."""
        return (
            numbered(self.player_0.shown_name, self.entry_number_0),
            numbered(self.player_1.shown_name, self.entry_number_1),
        )

    @property
    def link_generations(self) -> tuple[int, int]:
        """How often the personal links of side 0 and side 1 were revoked."""
        return self.link_generation_0, self.link_generation_1

    @property
    def start_score(self) -> tuple[int, int]:
        """The points that side 0 and side 1 start with."""
        return self.start_0, self.start_1

    @property
    def is_over(self) -> bool:
        """Whether the match is settled or void."""
        return self.state in (self.State.SETTLED, self.State.VOID)


class GameFingerprint(models.Model):
    """A game that was played in a match, by which its plays are recognised in other records (`records.repeats`)."""

    fingerprint = models.BigIntegerField(db_index=True)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="+")
    submission = models.ForeignKey("matches.Submission", on_delete=models.CASCADE, null=True, related_name="+")
    """The record that shows the game; None if it was played here."""

    def __str__(self) -> str:
        return f"{self.match_id}: {self.fingerprint:x}"


class Result(models.Model):
    """One version of the result of a match. The highest version stands; what it says is never changed.

    `finality` is derived from who acted (`lifecycle.finality`) and, for a version that began as provisional, from how
    that ended (`Provisional`). A void version has a winner, score and record only if the match was played and stays
    rated.
    """

    class Kind(models.TextChoices):
        """How the match ended. Endings other than play are never stored as games won (docs/rules.md §2)."""

        PLAYED = "played", _("played")
        CONCESSION = "concession", _("conceded")
        FLAG = "flag", _("lost on time")
        WALKOVER = "walkover", _("walkover")
        FORFEIT = "forfeit", _("forfeit")
        DOUBLE_FORFEIT = "double_forfeit", _("both forfeit")
        LEADER = "leader", _("adjourned, leader wins")
        SETTLED = "settled", _("settled")
        RULING = "ruling", _("ruling")
        VOID = "void", _("void")

    class Source(models.TextChoices):
        LIVE = "live", _("played here")
        RECORD = "record", _("match record")
        CLAIM = "claim", _("reported by players")
        DIRECTOR = "director", _("director")
        DEADLINE = "deadline", _("deadline")
        FORMAT = "format", _("format")

    class Finality(models.TextChoices):
        """Whether it may still be objected to, and whether it can be rated."""

        FINAL = "final", _("final")
        PROVISIONAL = "provisional", _("provisional")
        UNCONFIRMED = "unconfirmed", _("nobody but the winner confirmed")

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="results")
    version = models.PositiveSmallIntegerField()
    winner = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Side 0 or 1; empty if nobody won.")
    score_0 = models.PositiveSmallIntegerField(null=True, blank=True)
    score_1 = models.PositiveSmallIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=14, choices=Kind)
    source = models.CharField(max_length=8, choices=Source)
    submission = models.ForeignKey(
        "matches.Submission", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    waived = models.JSONField(default=list, help_text="Findings a director waived, as (code, game, ply).")
    reason = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True)
    own_match = models.BooleanField(
        default=False, help_text="Decided by one of the two players as the only director; the reason is public."
    )
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now, editable=False)
    finality = models.CharField(
        max_length=11,
        choices=Finality,
        default=Finality.FINAL,
        db_default=Finality.FINAL,
        help_text="Only final results are rated.",
    )

    class Meta:
        ordering = ("match_id", "-version")
        verbose_name = "result"
        verbose_name_plural = "results"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "version"], name="result_version_once"),
            models.CheckConstraint(condition=Q(winner__isnull=True) | Q(winner__lte=1), name="result_winner"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} v{self.version}"

    @property
    def score(self) -> tuple[int, int] | None:
        """Points of side 0 and side 1, including the start score and points beyond the length; None without a score."""
        return None if self.score_0 is None or self.score_1 is None else (self.score_0, self.score_1)


class Provisional(models.Model):
    """A result that stands although not both sides acted and nobody else ruled (docs/reporting.md).

    It ends by an act of the side it goes against, once that side was told and its time to answer is over, by a person
    who does not play the match, or by another version.
    """

    class Why(models.TextChoices):
        """What the result is based on, beside the word of at most one side."""

        RECORD = "record", _("a match record that only one side sent")
        NO_SHOW = "no_show", _("a player who did not come")
        DEADLINE = "deadline", _("a deadline")
        UNPLAYED = "unplayed", _("a match here in which one side had not played")
        OWN_MATCH = "own_match", _("a decision by a director who plays the match")
        REPORT = "report", _("a report that only one side made")

    class End(models.TextChoices):
        ACCEPTED = "accepted", "accepted by the other side"
        SILENCE = "silence", "not objected to in time"
        RULING = "ruling", "confirmed by a person who does not play the match"
        NOBODY = "nobody", "nobody but the winner confirmed"
        REPLACED = "replaced", "replaced by another version"

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    result = models.OneToOneField(Result, on_delete=models.PROTECT, related_name="provisional")
    why = models.CharField(max_length=9, choices=Why)
    against = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The side that lost; empty if nobody won, which goes against both."
    )
    told_0 = models.DateTimeField(null=True, blank=True, help_text="When side 0 first acted on having seen it.")
    told_1 = models.DateTimeField(null=True, blank=True, help_text="When side 1 first acted on having seen it.")
    ends_at = models.DateTimeField(
        null=True, blank=True, help_text="When it becomes final by itself; empty until all it goes against know it."
    )
    notified_at = models.DateTimeField(null=True, blank=True, help_text="When a message to these sides was stored.")
    ended_at = models.DateTimeField(null=True, blank=True)
    end = models.CharField(max_length=8, choices=End, blank=True)
    by = models.CharField(max_length=6, choices=LogEntry.By, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("result_id",)
        verbose_name = "provisional result"
        verbose_name_plural = "provisional results"
        indexes: ClassVar = [
            models.Index(fields=["ends_at"], name="provisional_due", condition=Q(ended_at__isnull=True)),
            models.Index(
                fields=["id"],
                name="provisional_unsent",
                condition=Q(ended_at__isnull=True, notified_at__isnull=True),
            ),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(against__isnull=True) | Q(against__lte=1), name="provisional_against"),
        ]

    def __str__(self) -> str:
        return f"{self.result_id}: {self.why}"

    @property
    def told(self) -> tuple[datetime | None, datetime | None]:
        """When side 0 and side 1 first acted on having seen it."""
        return self.told_0, self.told_1

    @property
    def sides(self) -> tuple[int, ...]:
        return (0, 1) if self.against is None else (self.against,)

    @property
    def is_open(self) -> bool:
        return self.ended_at is None


class MatchImport(models.Model):
    """Matches of earlier years that a club brought along; undoing it removes those that nobody has used since."""

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    club = models.ForeignKey("players.Club", on_delete=models.PROTECT, related_name="+")
    name = NameField("name", max_length=MAX_NAME_LENGTH)
    pool = models.ForeignKey(
        "matches.RatingPool",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The rating pool of the club in which the matches count; empty: they are not rated.",
    )
    matches = models.ManyToManyField(
        Match, related_name="+", help_text="Imported matches; after an undo, those that stayed."
    )
    added = models.ManyToManyField(
        "players.Player", related_name="+", help_text="New members of the import; after an undo, those who stayed."
    )
    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name = "import of matches"
        verbose_name_plural = "imports of matches"

    def __str__(self) -> str:
        return self.name
