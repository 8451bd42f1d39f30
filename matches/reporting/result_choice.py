"""How a result is chosen on a screen, by players and directors alike: who won, then the points of the other player."""

from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.translation import gettext

from matches.models import Match

Chosen = tuple[int | None, int | None]
"""The winner and the points of the other player, as far as they are chosen."""


@dataclass(frozen=True, slots=True)
class WinnerChip:
    """A player who may have won."""

    side: int
    name: str
    label: str
    """HTML, in which a name keeps its own direction."""
    outcome: str
    """What the button says, with `{score}` and `{name}`, which scripts fill in."""
    then: str
    """What follows if they have; empty if nothing is to be said."""
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class PointsChip:
    points: int
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ResultChoice:
    """The chips of a result; the button sends it, and names it once a winner and points are chosen."""

    winners: tuple[WinnerChip, ...]
    points: tuple[PointsChip, ...]
    length: int
    running: tuple[int, int]
    """The running score, which chooses the points of whoever is behind until they are tapped."""
    of_pairs: bool


def result_choice(
    match: Match,
    names: tuple[str, str],
    running: tuple[int, int],
    *,
    reader: int | None = None,
    chosen: Chosen | None = None,
    then: tuple[str, str] = ("", ""),
) -> ResultChoice:
    """Return the chips for a match; `reader` is the side of a reader with a screen of their own.

    `chosen` are the winner and the points that it opens at; without them it opens at the running score.
    """
    winner, points = chosen if chosen is not None else ahead(running)
    possible = range(min(match.start_score), match.length)
    pairs = [player.parts is not None for player in match.players]
    return ResultChoice(
        winners=tuple(
            WinnerChip(side, name, *_labels(name, side, reader, is_pair), then[side], side == winner)
            for side, (name, is_pair) in enumerate(zip(names, pairs, strict=True))
        ),
        points=tuple(PointsChip(each, each == points or len(possible) == 1) for each in possible),
        length=match.length,
        running=running,
        of_pairs=all(pairs),
    )


def ahead(score: tuple[int, int]) -> Chosen:
    """Return the side that is ahead and the points of the other one; twice None if they are level."""
    left, right = score
    if left == right:
        return None, None
    return (0, right) if left > right else (1, left)


def _labels(name: str, side: int, reader: int | None, is_pair: bool) -> tuple[str, str]:
    """Return the label of the side that may have won, and what the button then says."""
    if side == reader and is_pair:
        return gettext("We won"), gettext("We won {score}")
    if side == reader:
        return gettext("I won"), gettext("I won {score}")
    bdi = format_html("<bdi>{}</bdi>", name)
    if reader is None:
        return bdi, gettext("{name} wins {score}")
    return format_html(gettext("{name} won"), name=bdi), gettext("{name} wins {score}")
