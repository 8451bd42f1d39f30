"""Players, clubs and memberships."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Greatest, Least, Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.languages import first_offered
from core.name_field import NameField
from core.names import MAX_NAME_KEY_LENGTH, fold, initials_of
from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NAME_LENGTH

MAX_PAIR_NAME_LENGTH = 2 * MAX_NAME_LENGTH + len(" & ")
MAX_ALIAS_LENGTH = 200
"""Nicknames in match records can be as long as programs allow."""
MAX_SLUG_LENGTH = 60
MAX_TAGLINE_LENGTH = 120
MAX_YEAR_FEE = 60
MAX_CLUB_TEXT_LENGTH = 400
MAX_IMPRINT_LENGTH = 2000
MAX_REASON_LENGTH = 300
MAX_CLASS_POINTS = 10_000
CLAIM_LASTS = timedelta(days=30)
"""How long an accepted claim can be undone."""

# A field derived from other fields.


class FoldedField(models.CharField):
    """Other fields folded for comparison; stored, so that a search can use an index."""

    def __init__(self, *sources: str, **options: Any) -> None:
        self.sources = sources
        options |= {"max_length": MAX_NAME_KEY_LENGTH, "editable": False, "blank": True, "default": ""}
        options.setdefault("db_index", True)
        super().__init__(**options)

    def deconstruct(self) -> Any:
        """Return the sources as positional arguments and leave out the fixed options."""
        name, path, _, options = super().deconstruct()
        for fixed in ("max_length", "editable", "blank", "default"):
            options.pop(fixed, None)
        return name, path, list(self.sources), options

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        """Compute the value; Django calls this for each row, in bulk too."""
        value = fold(" ".join(getattr(model_instance, source) for source in self.sources))
        setattr(model_instance, self.attname, value)
        return value


class Player(models.Model):
    """A player, with an account or without (entered by a director, to be claimed later)."""

    class AnalysisVisibility(models.TextChoices):
        """Who else may see how well the player played; nobody for a player without an account."""

        PUBLIC = "public", _("everybody")
        CLUB = "club", _("members of my clubs")
        PRIVATE = "private", _("only me")

    class PuzzleChoice(models.TextChoices):
        """Whether positions of the player's matches may become puzzles of the club, without names."""

        UNDECIDED = "", _("Only where my opponent was to play and allows it")
        ALLOWS = "yes", _("My positions may be puzzles")
        OBJECTS = "no", _("No position of my matches may be a puzzle")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    name = NameField("name", max_length=MAX_PAIR_NAME_LENGTH)
    name_key = FoldedField("name")
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="player"
    )
    initials_only = models.BooleanField("show initials only", default=False)
    analysis_visibility = models.CharField(
        "play quality shown to", max_length=7, choices=AnalysisVisibility, default=AnalysisVisibility.CLUB
    )
    in_event_lines = models.BooleanField(
        "named in the lines of an evening",
        default=True,
        db_default=True,
        help_text="Otherwise no line of a morning letter is about a match of this player.",
    )
    puzzle_choice = models.CharField(
        "positions as puzzles",
        max_length=3,
        choices=PuzzleChoice,
        blank=True,
        default=PuzzleChoice.UNDECIDED,
        db_default="",
    )
    collects_decisions = models.BooleanField(
        "own decisions to repeat",
        null=True,
        blank=True,
        help_text="Whether the costliest decisions of each evening become cards; empty until it was asked.",
    )
    country = models.CharField("country", max_length=2, blank=True, help_text="ISO 3166 code, such as DK.")
    federation_number = models.CharField("federation number", max_length=40, blank=True)
    time_zone = models.CharField("time zone", max_length=64, blank=True)
    merged_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="merged", editable=False
    )
    parts = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="Of a pair: both names as [full, shown], with null for shown after erasure; empty for a person.",
    )
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("name", "pk")
        verbose_name = "player"
        verbose_name_plural = "players"
        indexes: ClassVar = [
            models.Index(Lower("name"), name="player_name"),
            models.Index(fields=["merged_into", "name_key", "id"], name="player_by_name"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | ~Q(merged_into=F("id")), name="player_not_merged_into_itself"
            ),
        ]

    def __str__(self) -> str:
        return self.shown_name

    @property
    def full_name(self) -> str:
        """The name of the person (the player merged into), or both names of a pair; "Former member" after erasure."""
        person = self.merged_into or self
        if person.parts is not None:
            return pair_name([full if shown is not None else "" for full, shown in person.parts])
        return person.name if person.erased_at is None else str(_("Former member"))

    @property
    def shown_name(self) -> str:
        """The name others see: in full, as initials, or "Former member" after erasure; of a pair, of each of them."""
        person = self.merged_into or self
        if person.parts is not None:
            return pair_name([shown or "" for _full, shown in person.parts])
        if person.initials_only and person.erased_at is None:
            return as_initials(person.name)
        return person.full_name

    @property
    def is_hidden(self) -> bool:
        """Whether others see less than the name, or for a pair, than both names."""
        if self.parts is not None:
            return any(full != shown for full, shown in self.parts)
        return self.initials_only or self.erased_at is not None

    @property
    def has_left(self) -> bool:
        """Whether nothing can be asked of the player any more: their account was deleted, or is suspended.

        A pair has left once one of them has deleted theirs.
        """
        if self.parts is not None:
            return any(shown is None for _full, shown in self.parts)
        return self.erased_at is not None or (self.user is not None and not self.user.is_active)


def as_initials(name: str) -> str:
    """Return what others see of a name whose owner shows only initials, as in “A. B.”."""
    return " ".join(f"{part[0]}." for part in name.split())


def name_in_pair(part: Sequence[str | None], *, staff: bool) -> str:
    """Return the name of one of a pair from their part of it; "Former member" after erasure."""
    full, shown = part
    return (full if staff and shown is not None else shown) or str(_("Former member"))


def pair_name(names: Sequence[str]) -> str:
    """Return the name of a pair from those of both, which are empty after erasure."""
    first, second = (name or str(_("Former member")) for name in names)
    return _("%(first)s & %(second)s") % {"first": first, "second": second}


class Pair(models.Model):
    """Two people who play as one side. The player of the pair is a side like any other, and nobody by itself.

    The names in it follow from those of the two (`players/people/pairs.py`).
    """

    player = models.OneToOneField(Player, on_delete=models.PROTECT, primary_key=True, related_name="pair")
    first = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+", help_text="Named first.")
    second = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = "pair"
        verbose_name_plural = "pairs"
        constraints: ClassVar = [
            models.UniqueConstraint(Least("first", "second"), Greatest("first", "second"), name="pair_once"),
            models.CheckConstraint(condition=~Q(first=F("second")), name="pair_of_two"),
        ]

    def __str__(self) -> str:
        return str(self.player)


class Alias(models.Model):
    """Another name under which a player appears in match records."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="aliases")
    name = NameField(max_length=MAX_ALIAS_LENGTH)
    name_key = FoldedField("name")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = "alias"
        verbose_name_plural = "aliases"
        constraints: ClassVar = [models.UniqueConstraint("player", Lower("name"), name="alias_once_per_player")]

    def __str__(self) -> str:
        return self.name


class Club(models.Model):
    """A club: its members, its settings, and how its page looks."""

    class Colour(models.TextChoices):
        """The colour of the club, on which white text is readable in light and dark; club.css has the values."""

        BLUE = "blue", _("Blue")
        GREEN = "green", _("Green")
        RED = "red", _("Red")
        BROWN = "brown", _("Brown")
        PURPLE = "purple", _("Purple")
        ROSE = "rose", _("Rose")
        GREY = "grey", _("Grey")

    class Board(models.TextChoices):
        """The board behind the name of the club."""

        FELT = "felt", _("Felt")
        WOOD = "wood", _("Wood")
        SLATE = "slate", _("Slate")

    name = NameField("name", max_length=MAX_NAME_LENGTH)
    slug = models.SlugField("address", max_length=MAX_SLUG_LENGTH, unique=True)
    city = models.CharField("city", max_length=80, blank=True)
    country = models.CharField(
        "country", max_length=2, blank=True, default="", db_default="", help_text="ISO 3166 code, such as DK."
    )
    search_key = FoldedField("name", "city")
    tagline = models.CharField("one sentence", max_length=MAX_TAGLINE_LENGTH, blank=True, default="", db_default="")
    about = models.TextField("about", max_length=2000, blank=True)
    meets = models.TextField("where and when", max_length=MAX_CLUB_TEXT_LENGTH, blank=True, default="", db_default="")
    contact = models.TextField("contact", max_length=MAX_CLUB_TEXT_LENGTH, blank=True, default="", db_default="")
    imprint = models.TextField("imprint", max_length=MAX_IMPRINT_LENGTH, blank=True, default="", db_default="")
    year_fee = models.CharField("membership fee", max_length=MAX_YEAR_FEE, blank=True, default="", db_default="")
    colour = models.CharField("colour", max_length=6, choices=Colour, default=Colour.GREEN, db_default=Colour.GREEN)
    board = models.CharField("board", max_length=5, choices=Board, default=Board.FELT, db_default=Board.FELT)
    emblem_version = models.CharField(
        max_length=16,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="Of the image in ClubEmblem; empty: the club has none.",
    )
    time_zone = models.CharField("time zone", max_length=64, default="UTC")
    language = models.CharField(
        "language", max_length=10, blank=True, default="", db_default="", help_text="Empty for the site's language."
    )
    currency = models.CharField(
        "currency",
        max_length=6,
        blank=True,
        default="",
        db_default="",
        help_text="Of new events: an ISO 4217 code or ticket.",
    )
    class_points = models.PositiveSmallIntegerField(
        default=200, db_default=200, help_text="Points that a member must have played for a club class."
    )
    embed_hosts = models.CharField(
        max_length=500, blank=True, help_text="Origins of pages that may embed the club's events, with spaces."
    )
    letter_on_close = models.BooleanField(
        "morning letter after closing",
        default=False,
        db_default=False,
        help_text="Sent an hour after an event is finished instead of the next morning.",
    )
    second_factor = models.BooleanField(
        default=False, help_text="Owners can act for the club only with a second factor."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    accepted_at = models.DateTimeField(
        default=timezone.now,
        null=True,
        editable=False,
        help_text="Since when the club’s events count for the site’s ratings; empty while the club waits.",
    )
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    accepted_from = models.DateTimeField(
        null=True,
        editable=False,
        help_text="Only matches that ended from then on count for the site’s ratings; empty: all of them.",
    )

    class Meta:
        ordering = ("name",)
        verbose_name = "club"
        verbose_name_plural = "clubs"

    def __str__(self) -> str:
        return self.name

    @property
    def place(self) -> str:
        """City and country, as far as they are known."""
        return ", ".join(filter(None, (self.city, self.country)))

    @property
    def effective_language(self) -> str:
        """The language of what is sent and shown for it: its own, or the site's."""
        return first_offered(self.language)

    @property
    def initials(self) -> str:
        """Up to two letters that stand in for the emblem."""
        return initials_of(self.name)

    @property
    def emblem_url(self) -> str:
        """The path of the emblem, which changes with the picture; empty if the club has none."""
        return reverse("club-emblem", args=[self.slug, self.emblem_version]) if self.emblem_version else ""


class ClubEmblem(models.Model):
    """The emblem of a club as the server has drawn it (WebP), in a table of its own so that lists do not load it."""

    club = models.OneToOneField(Club, on_delete=models.CASCADE, primary_key=True, related_name="+")
    image = models.BinaryField()

    class Meta:
        verbose_name = "emblem"
        verbose_name_plural = "emblems"

    def __str__(self) -> str:
        return str(self.club)


class Membership(models.Model):
    class Role(models.TextChoices):
        """The roles, highest first."""

        OWNER = "owner", _("owner")
        DIRECTOR = "director", _("director")
        ASSISTANT = "assistant", _("assistant")
        MEMBER = "member", _("member")

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="memberships")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField("role", max_length=9, choices=Role, default=Role.MEMBER)
    joined_at = models.DateTimeField(default=timezone.now, editable=False)
    left_at = models.DateTimeField(null=True, blank=True)
    by_merge = models.ForeignKey(
        "Merge", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="memberships"
    )
    """The merge that made the player a member; undoing it ends the membership."""

    class Meta:
        verbose_name = "membership"
        verbose_name_plural = "memberships"
        constraints: ClassVar = [models.UniqueConstraint(fields=["club", "player"], name="member_once_per_club")]

    def __str__(self) -> str:
        return f"{self.player} · {self.club}"


class Invitation(models.Model):
    """A link that lets an account take over a player entered by a director.

    Only the hash of the secret is stored.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="invitations")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(blank=True)
    secret_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "invitation"
        verbose_name_plural = "invitations"

    def __str__(self) -> str:
        return f"{self.player} · {self.club}"


class JoinRequest(models.Model):
    """An account that asks to join a club, perhaps as one of the club's players without an account."""

    class State(models.TextChoices):
        OPEN = "open", "open"
        ACCEPTED = "accepted", "accepted"
        REFUSED = "refused", "refused"
        WITHDRAWN = "withdrawn", "withdrawn"

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="join_requests")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="join_requests")
    claimed = models.ForeignKey(Player, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    """The player whom the account says it is; empty for somebody new to the club."""
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True, help_text="Why it was refused.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = "request to join"
        verbose_name_plural = "requests to join"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["club", "user"], condition=Q(state="open"), name="one_open_join_request"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.club}"


class Merge(models.Model):
    """A record that two players are the same person; `undone_at` separates them again."""

    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="merges")
    into = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    merged_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    merged_at = models.DateTimeField(default=timezone.now, editable=False)
    undone_at = models.DateTimeField(null=True, blank=True)
    claimed = models.BooleanField(
        default=False, db_default=False, help_text="Whether an account said that it is this player."
    )
    kept = models.JSONField(null=True, blank=True, editable=False)
    """The names of claimed players, by id, for whom the account was deleted while the claim could be undone."""

    class Meta:
        verbose_name = "merge"
        verbose_name_plural = "merges"

    def __str__(self) -> str:
        return f"{self.player.public_id} → {self.into.public_id}"
