"""What members practise with: the puzzle of the day of a club, and the cards of a deck (docs/morning.md)."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from matches.models.analyses import Decision


class Puzzle(models.Model):
    """The puzzle of a club on one day, chosen when somebody looks at it first, and kept as it was asked.

    It names nobody, and no match or event. `decision` only says where it is from, for as long as that exists.
    """

    class Difficulty(models.TextChoices):
        EASY = "easy", "easy"
        MEDIUM = "medium", "medium"
        HARD = "hard", "hard"

    club = models.ForeignKey("players.Club", on_delete=models.CASCADE, related_name="+")
    date = models.DateField(help_text="In the time zone of the club.")
    key = models.CharField(max_length=100, help_text="The XGID with its roll: the same position is not asked again.")
    question = models.JSONField(help_text="The position, the choices and what each costs; see `matches.puzzles`.")
    difficulty = models.CharField(max_length=6, choices=Difficulty)
    decision = models.ForeignKey(Decision, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("-date", "pk")
        verbose_name = "puzzle"
        verbose_name_plural = "puzzles"
        constraints: ClassVar = [models.UniqueConstraint(fields=["club", "date"], name="puzzle_once_a_day")]

    def __str__(self) -> str:
        return f"{self.club} · {self.date}"


class PuzzleAnswer(models.Model):
    """The first answer of a user to a puzzle; seen by nobody else."""

    puzzle = models.ForeignKey(Puzzle, on_delete=models.CASCADE, related_name="answers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    play = models.CharField(max_length=60, help_text="In notation.")
    is_right = models.BooleanField(null=True, help_text="Empty if nothing could judge the play: no answer.")
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = "answer to a puzzle"
        verbose_name_plural = "answers to puzzles"
        constraints: ClassVar = [models.UniqueConstraint(fields=["puzzle", "user"], name="puzzle_answered_once")]

    def __str__(self) -> str:
        return f"{self.puzzle_id} {self.play}"


class Card(models.Model):
    """A decision or a puzzle that a user repeats until it is known; seen by nobody else.

    A decision is named by its place in its match as well, so that the card follows it to a newer analysis.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    game = models.PositiveSmallIntegerField(default=0, help_text="As of the decision; 0 for a puzzle.")
    event = models.PositiveSmallIntegerField(default=0)
    kind = models.CharField(max_length=6, choices=Decision.Kind, default=Decision.Kind.PLAY)
    decision = models.ForeignKey(Decision, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    puzzle = models.ForeignKey(Puzzle, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    state = models.JSONField(default=dict, help_text="Of the schedule (FSRS), with the time of the last answer.")
    due = models.DateField(help_text="The day on which it is shown again, in the time zone of the user.")
    suspended = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("due", "pk")
        verbose_name = "card"
        verbose_name_plural = "cards"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(match__isnull=False, puzzle=None) | Q(match=None, puzzle__isnull=False),
                name="card_of_decision_or_puzzle",
            ),
            models.UniqueConstraint(
                fields=["user", "match", "game", "event", "kind"],
                condition=Q(puzzle=None),
                name="card_once_per_decision",
            ),
            models.UniqueConstraint(
                fields=["user", "puzzle"], condition=Q(puzzle__isnull=False), name="card_once_per_puzzle"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} · {self.due}"
