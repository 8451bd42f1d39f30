"""Players, clubs and memberships."""

from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.names import MAX_NAME_KEY_LENGTH, fold, initials_of
from core.public_ids import LENGTH, new_public_id
from core.text_lengths import MAX_NAME_LENGTH

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

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    name = models.CharField(_("name"), max_length=MAX_NAME_LENGTH)
    name_key = FoldedField("name")
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="player"
    )
    initials_only = models.BooleanField(_("show initials only"), default=False)
    analysis_visibility = models.CharField(
        _("play quality shown to"), max_length=7, choices=AnalysisVisibility, default=AnalysisVisibility.CLUB
    )
    country = models.CharField(_("country"), max_length=2, blank=True, help_text=_("ISO 3166 code, such as DK."))
    federation_number = models.CharField(_("federation number"), max_length=40, blank=True)
    time_zone = models.CharField(_("time zone"), max_length=64, blank=True)
    merged_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="merged", editable=False
    )
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("name", "pk")
        verbose_name = pgettext_lazy("model", "player")
        verbose_name_plural = _("players")
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
        """The name of the person, who is the player merged into; "Former member" after erasure."""
        person = self.merged_into or self
        return person.name if person.erased_at is None else str(_("Former member"))

    @property
    def shown_name(self) -> str:
        """The name others see: in full, as initials, or "Former member" after erasure."""
        person = self.merged_into or self
        if person.initials_only and person.erased_at is None:
            return " ".join(f"{part[0]}." for part in person.name.split())
        return person.full_name

    @property
    def has_left(self) -> bool:
        """Whether nothing can be asked of the player any more: their account was deleted, or is suspended."""
        return self.erased_at is not None or (self.user is not None and not self.user.is_active)


class Alias(models.Model):
    """Another name under which a player appears in match records."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="aliases")
    name = models.CharField(max_length=MAX_ALIAS_LENGTH)
    name_key = FoldedField("name")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("alias")
        verbose_name_plural = _("aliases")
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

    name = models.CharField(_("name"), max_length=MAX_NAME_LENGTH)
    slug = models.SlugField(_("address"), max_length=MAX_SLUG_LENGTH, unique=True)
    city = models.CharField(_("city"), max_length=80, blank=True)
    country = models.CharField(
        _("country"), max_length=2, blank=True, default="", db_default="", help_text=_("ISO 3166 code, such as DK.")
    )
    search_key = FoldedField("name", "city")
    tagline = models.CharField(_("one sentence"), max_length=MAX_TAGLINE_LENGTH, blank=True, default="", db_default="")
    about = models.TextField(_("about"), max_length=2000, blank=True)
    meets = models.TextField(
        _("where and when"), max_length=MAX_CLUB_TEXT_LENGTH, blank=True, default="", db_default=""
    )
    contact = models.TextField(_("contact"), max_length=MAX_CLUB_TEXT_LENGTH, blank=True, default="", db_default="")
    imprint = models.TextField(_("imprint"), max_length=MAX_IMPRINT_LENGTH, blank=True, default="", db_default="")
    year_fee = models.CharField(_("membership fee"), max_length=MAX_YEAR_FEE, blank=True, default="", db_default="")
    colour = models.CharField(_("colour"), max_length=6, choices=Colour, default=Colour.GREEN, db_default=Colour.GREEN)
    board = models.CharField(_("board"), max_length=5, choices=Board, default=Board.FELT, db_default=Board.FELT)
    emblem_version = models.CharField(
        max_length=16,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text=_("Of the image in ClubEmblem; empty: the club has none."),
    )
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    currency = models.CharField(
        _("currency"),
        max_length=6,
        blank=True,
        default="",
        db_default="",
        help_text=_("Of new events: an ISO 4217 code or ticket."),
    )
    class_points = models.PositiveSmallIntegerField(
        default=200, db_default=200, help_text=_("Points that a member must have played for a club class.")
    )
    embed_hosts = models.CharField(
        max_length=500, blank=True, help_text=_("Origins of pages that may embed the club's events, with spaces.")
    )
    second_factor = models.BooleanField(
        default=False, help_text=_("Owners can act for the club only with a second factor.")
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    accepted_at = models.DateTimeField(
        default=timezone.now,
        null=True,
        editable=False,
        help_text=_("Since when the club’s events count for the site’s ratings; empty while the club waits."),
    )
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    accepted_from = models.DateTimeField(
        null=True,
        editable=False,
        help_text=_("Only matches that ended from then on count for the site’s ratings; empty: all of them."),
    )

    class Meta:
        ordering = ("name",)
        verbose_name = pgettext_lazy("model", "club")
        verbose_name_plural = _("clubs")

    def __str__(self) -> str:
        return self.name

    @property
    def place(self) -> str:
        """City and country, as far as they are known."""
        return ", ".join(filter(None, (self.city, self.country)))

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
        verbose_name = _("emblem")
        verbose_name_plural = _("emblems")

    def __str__(self) -> str:
        return str(self.club)


class Membership(models.Model):
    """A player in a club, with a role."""

    class Role(models.TextChoices):
        """The roles, highest first."""

        OWNER = "owner", _("owner")
        DIRECTOR = "director", _("director")
        ASSISTANT = "assistant", _("assistant")
        MEMBER = "member", _("member")

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="memberships")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(_("role"), max_length=9, choices=Role, default=Role.MEMBER)
    joined_at = models.DateTimeField(default=timezone.now, editable=False)
    left_at = models.DateTimeField(null=True, blank=True)
    by_merge = models.ForeignKey(
        "Merge", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="memberships"
    )
    """The merge that made the player a member; undoing it ends the membership."""

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
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
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")

    def __str__(self) -> str:
        return f"{self.player} · {self.club}"


class JoinRequest(models.Model):
    """An account that asks to join a club, perhaps as one of the club's players without an account."""

    class State(models.TextChoices):
        """From open to an answer."""

        OPEN = "open", _("open")
        ACCEPTED = "accepted", _("accepted")
        REFUSED = "refused", _("refused")
        WITHDRAWN = "withdrawn", _("withdrawn")

    public_id = models.CharField(max_length=LENGTH, unique=True, default=new_public_id, editable=False)
    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="join_requests")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="join_requests")
    claimed = models.ForeignKey(Player, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    """The player whom the account says it is; empty for somebody new to the club."""
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True, help_text=_("Why it was refused."))
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("created_at", "pk")
        verbose_name = _("request to join")
        verbose_name_plural = _("requests to join")
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
        default=False, db_default=False, help_text=_("Whether an account said that it is this player.")
    )
    kept = models.JSONField(null=True, blank=True, editable=False)
    """The names of claimed players, by id, for whom the account was deleted while the claim could be undone."""

    class Meta:
        verbose_name = _("merge")
        verbose_name_plural = _("merges")

    def __str__(self) -> str:
        return f"{self.player.public_id} → {self.into.public_id}"
