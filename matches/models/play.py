"""A match played here: its settings, its actions, the chains its dice come from, and outages of the server."""

from collections.abc import Collection
from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from matches.models.matches import Match
from players.models import LogEntry

# A match played here: its settings, its actions, and the chains its dice come from.


MAX_ACTION_KEY_LENGTH = 64
CLAIM_AWAY = "claim_away"
"""The kind of an action by which a player claims because the opponent is away; `matches.play.live` has the others."""
INVITE, PLAY = "invite", "play"
"""The kinds of actions by which the players are invited once more, and by which a roll is played."""
CAME = ("here", "ready")
"""The kinds of actions by which a side says that it is at the board."""
HASH_DIGITS = 64
"""A SHA-256 in hexadecimal."""


class PlayMode(models.TextChoices):
    TABLE = "table", _("Over the board")
    HERE = "here", _("On this site")
    EITHER = "either", _("Wherever the players like")


class ClockPreset(models.TextChoices):
    """The usual clocks of matches played here; `engine.clock.PRESETS` has the fast ones."""

    NONE = "none", _("No clock")
    TABLE = "table", _("12 seconds a turn and 2 minutes a point")
    DOUBLES = "doubles", _("18 seconds a turn and 2½ minutes a point")
    ONLINE = "online", _("8 seconds a turn and 1 minute a point")
    CORRESPONDENCE = "correspondence", _("Days for each turn (correspondence)")


class PracticeLevel(models.TextChoices):
    """How well an analysis program plays in a practice match; see `matches.play.bots`."""

    BEGINNER = "beginner", _("beginner level")
    CASUAL = "casual", _("casual level")
    CLUB = "club", _("club level")
    STRONG = "strong", _("strong level")
    STRONGEST = "strongest", _("strongest level")


class LiveMatch(models.Model):
    """How a match is played here, and where it stands.

    `state`, `last`, `changed_by`, `begun_at` and `due_at` are a cache of the fold over its actions. Whoever writes
    them has locked the match's row. Until both players have come to the board it is an invitation, which lapses: the
    match is then open again, to be played in whatever way, and the board waits for another invitation.
    """

    class FlagRule(models.TextChoices):
        """What a player loses when their time runs out."""

        MATCH_LOST = "match_lost", _("the match")
        GAME_LOST = "game_lost", _("the game, at the value of the cube")
        CLAIM = "claim", _("the match, if the opponent claims it")

    class AnswerAhead(models.TextChoices):
        """How a double is answered that has not come yet."""

        TAKE = "take", _("take")
        DROP = "drop", _("pass")

    match = models.OneToOneField(Match, on_delete=models.PROTECT, primary_key=True, related_name="live")
    delay = models.PositiveBigIntegerField(null=True, blank=True, help_text="Milliseconds a turn; empty: no clock.")
    bank = models.PositiveBigIntegerField(default=0, help_text="Milliseconds of each side for the match.")
    overtime = models.PositiveIntegerField(default=0, help_text="Milliseconds, once the bank is empty.")
    correspondence = models.BooleanField(default=False)
    flag_rule = models.CharField(max_length=10, choices=FlagRule, default=FlagRule.MATCH_LOST)
    server_chains = models.BooleanField(default=False, help_text="Players may let the server keep their dice chains.")
    spectators_delay = models.PositiveIntegerField(
        null=True,
        blank=True,
        default=0,
        help_text="Minutes by which spectators are behind; 0: none. Empty: they see the match once it is over.",
    )
    started_at = models.DateTimeField(default=timezone.now, editable=False)

    state = models.JSONField(encoder=DjangoJSONEncoder, help_text="As matches.play.codec writes it.")
    last = models.PositiveIntegerField(default=0, help_text="The number of the last action.")
    changed_by = models.PositiveIntegerField(
        default=0, help_text="The number of the last action that changed the position, the cube or the turn."
    )
    begun_at = models.DateTimeField(null=True, blank=True, help_text="Of the first opening roll.")
    due_at = models.DateTimeField(null=True, blank=True, help_text="When a flag falls or a pause ends.")
    invited_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the players were last invited to the board; empty where its clock did not wait for them.",
    )
    called_at = models.DateTimeField(
        null=True, blank=True, help_text="When a director called the players to the board; empty if nobody did."
    )
    lapses_at = models.DateTimeField(
        null=True, blank=True, help_text="When the invitation lapses; empty once both players have come."
    )
    lapsed_at = models.DateTimeField(
        null=True, blank=True, help_text="When the invitation lapsed; empty unless the board is closed since then."
    )
    bot_side = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The side that a bot plays; empty: neither."
    )
    bot_since = models.DateTimeField(
        null=True, blank=True, help_text="Since when a bot has had to act; a worker was hinted at it then."
    )
    bot_claimed_at = models.DateTimeField(
        null=True, blank=True, help_text="When a worker last began to have the program of a bot's level decide."
    )
    bot_level = models.CharField(
        max_length=9,
        choices=PracticeLevel,
        blank=True,
        default="",
        db_default="",
        help_text="The level of a bot that an analysis program decides for; empty for other bots.",
    )
    bot_program = models.CharField(
        max_length=20, blank=True, default="", db_default="", help_text="That program, e.g. gnubg."
    )
    answer_ahead = models.CharField(
        max_length=4,
        choices=AnswerAhead,
        blank=True,
        default="",
        db_default="",
        help_text="How a player has decided ahead to answer a double; empty: not at all.",
    )
    answer_ahead_after = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="The value of `changed_by` when that was decided; it holds until the next action that changes it.",
    )
    armings = models.JSONField(
        default=list,
        null=True,
        blank=True,
        editable=False,
        help_text="Each time a side's device has armed its dice chain: side, chain, links the side had revealed.",
    )

    class Meta:
        verbose_name = "match played here"
        verbose_name_plural = "matches played here"
        indexes: ClassVar = [
            models.Index(fields=["due_at"], name="live_due", condition=Q(due_at__isnull=False)),
            models.Index(fields=["lapses_at"], name="live_lapses", condition=Q(lapses_at__isnull=False)),
            models.Index(fields=["bot_since"], name="live_bot", condition=Q(bot_since__isnull=False)),
        ]

    def __str__(self) -> str:
        return str(self.match)

    @property
    def is_invitation(self) -> bool:
        """Whether the board is open and waits for a player to come."""
        return self.lapses_at is not None

    @property
    def invitations(self) -> int:
        """How often the players were invited to the board."""
        return 1 + self.actions.filter(kind=INVITE).count()

    @property
    def came_at(self) -> tuple[datetime | None, datetime | None]:
        """When each side came to the board since the players were last invited; None where it has not."""
        since = self.actions.filter(kind__in=CAME, at__gte=self.invited_at or self.started_at).order_by("-seq")
        times = dict(since.values_list("side", "at"))
        return times.get(0), times.get(1)

    def invited(self) -> list[tuple[datetime, frozenset[int]]]:
        """When the players were invited to the board, and which sides came each time."""
        times: list[tuple[datetime, set[int]]] = [(self.started_at, set())]
        rows = self.actions.filter(kind__in=(INVITE, *CAME)).order_by("seq")
        for kind, side, at in rows.values_list("kind", "side", "at"):
            if kind == INVITE:
                times.append((at, set()))
            elif side is not None:
                times[-1][1].add(side)
        return [(at, frozenset(sides)) for at, sides in times]

    def sides_that_came(self) -> frozenset[int]:
        """The sides that have said at least once that they are here."""
        return self._sides_of(CAME)

    def sides_that_played(self) -> frozenset[int]:
        """The sides that have made at least one play here."""
        return self._sides_of((PLAY,))

    def _sides_of(self, kinds: Collection[str]) -> frozenset[int]:
        """The sides that have done something of these kinds."""
        sides = self.actions.filter(kind__in=kinds).order_by().values_list("side", flat=True).distinct()
        return frozenset(side for side in sides if side is not None)


class Action(models.Model):
    """One thing that changed a match played here; written once, never changed."""

    live = models.ForeignKey(LiveMatch, on_delete=models.PROTECT, related_name="actions")
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, help_text="An act of the engine or a kind of matches.play.live.")
    side = models.PositiveSmallIntegerField(null=True, blank=True)
    data = models.JSONField(default=dict, help_text="What the kind needs: dice, moves, value, score, links.")
    credit = models.PositiveSmallIntegerField(default=0, help_text="Milliseconds given back for lag.")
    key = models.CharField(max_length=MAX_ACTION_KEY_LENGTH, blank=True, help_text="The client's idempotency key.")
    at = models.DateTimeField(help_text="When it arrived.")
    by = models.CharField(max_length=6, choices=LogEntry.By)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("live", "seq")
        verbose_name = "action"
        verbose_name_plural = "actions"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["live", "seq"], name="action_seq_once"),
            models.UniqueConstraint(fields=["live", "key"], condition=~Q(key=""), name="action_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.live_id}/{self.seq} {self.kind}"


class DiceChain(models.Model):
    """A hash chain that a side or the server committed to (docs/dice.md)."""

    class Owner(models.TextChoices):
        LEFT = "0", "side 0"
        RIGHT = "1", "side 1"
        SERVER = "server", "server"

    live = models.ForeignKey(LiveMatch, on_delete=models.PROTECT, related_name="chains")
    owner = models.CharField(max_length=6, choices=Owner)
    number = models.PositiveSmallIntegerField()
    anchor = models.CharField(max_length=HASH_DIGITS)
    used = models.PositiveSmallIntegerField(default=0, help_text="How many links are revealed.")
    latest = models.CharField(max_length=HASH_DIGITS, help_text="The link revealed last, or the anchor.")
    opponent_reveals = models.PositiveIntegerField(
        default=0, help_text="How many rolls the opponent had revealed a link for when this was committed."
    )
    last_reveal = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Which link of its owner, over all chains, was the latest of this one."
    )
    seen = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="How many armings of the opponent were known with that link.",
    )
    kept_by_server = models.BooleanField(default=False)
    committed_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("live", "owner", "number")
        verbose_name = "dice chain"
        verbose_name_plural = "dice chains"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["live", "owner", "number"], name="dice_chain_once"),
        ]

    def __str__(self) -> str:
        return f"{self.live_id}/{self.owner}/{self.number}"


class DiceSecret(models.Model):
    """The links of a chain that the server keeps. Never shown: not in the admin, in answers, exports or logs."""

    chain = models.OneToOneField(DiceChain, on_delete=models.PROTECT, primary_key=True, related_name="secret")
    checkpoints = models.BinaryField()

    class Meta:
        verbose_name = "dice secret"
        verbose_name_plural = "dice secrets"

    def __str__(self) -> str:
        return f"secret of chain {self.chain_id}"


# When the web server was alive, and when it was not.


class Pulse(models.Model):
    """The last sign of life of any web process; one row."""

    ONLY = 1

    beat_at = models.DateTimeField()

    class Meta:
        verbose_name = "pulse of the web server"
        verbose_name_plural = "pulses of the web server"

    def __str__(self) -> str:
        return str(self.beat_at)


class Outage(models.Model):
    """A period without any web process; players lose no time by it."""

    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    credited_at = models.DateTimeField(
        null=True, blank=True, help_text="When the clocks of all matches had been put back."
    )

    class Meta:
        verbose_name = "outage"
        verbose_name_plural = "outages"

    def __str__(self) -> str:
        return f"{self.started_at} – {self.ended_at}"
