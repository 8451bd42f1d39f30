"""First answers to puzzles: what a member's own were, and how many others found it. Nobody sees who answered what."""

from datetime import date, timedelta

from django.db.models import Count, Q
from django.http import Http404
from django.utils.translation import gettext

from matches.models import Puzzle, PuzzleAnswer
from players.models import Club, User

DAYS = 7
MIN_ANSWERS = 10
"""From so many answers on they say how hard a puzzle is."""


def answer_of(puzzle: Puzzle, user: User | None) -> PuzzleAnswer | None:
    return PuzzleAnswer.objects.filter(puzzle=puzzle, user=user).first() if user is not None else None


def record_answer(*, puzzle: Puzzle, user: User, play: str, is_right: bool) -> PuzzleAnswer:
    """Store the answer of a user, unless they have answered before: return the first one."""
    answer = {"play": play, "is_right": is_right}
    return PuzzleAnswer.objects.get_or_create(puzzle=puzzle, user=user, defaults=answer)[0]


def wrongly_answered(user: User, club: Club, pk: str) -> Puzzle:
    """Return a puzzle of a club that a user answered wrong; Http404 for any other."""
    answer = PuzzleAnswer.objects.filter(user=user, puzzle__pk=pk, puzzle__club=club, is_right=False)
    first = answer.select_related("puzzle").first()
    if first is None:
        raise Http404
    return first.puzzle


def difficulty_of(puzzle: Puzzle) -> str:
    """How hard a puzzle is, in words: its class, or how many solved it once enough have tried."""
    counted = puzzle.answers.filter(is_right__isnull=False)
    answers = counted.aggregate(of=Count("pk"), right=Count("pk", filter=Q(is_right=True)))
    if answers["of"] >= MIN_ANSWERS:
        return gettext("solved by {right} of {of}").format(**answers)
    words = {
        Puzzle.Difficulty.EASY: gettext("easy"),
        Puzzle.Difficulty.MEDIUM: gettext("medium"),
        Puzzle.Difficulty.HARD: gettext("hard"),
    }
    return words[Puzzle.Difficulty(puzzle.difficulty)]


def week_of(user: User, club: Club, today: date) -> list[bool]:
    """Whether a user answered the puzzle of a club on each of the last seven days, today last."""
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    rows = PuzzleAnswer.objects.filter(user=user, puzzle__club=club, puzzle__date__in=days)
    answered = set(rows.values_list("puzzle__date", flat=True))
    return [day in answered for day in days]
