"""The FIBS rating formula, and the fold of a history of matches into ratings.

Source: FIBS help, "formula" (the man page of the First Internet Backgammon Server), in print at
https://www.bkgm.com/rgb/rgb.cgi?view+1093. With D the difference of the ratings and n the length of the match, the
chance of an upset is Pu = 1 / (10^(D·√n/2000) + 1). The winner's P is Pu if the favourite won, else 1 − Pu. Each side
wins or loses 4·K·√n·P, with its own K = max(1, 5 − experience/100); experience is the sum of the lengths of the
matches rated before. Later clients (MacFIBS) count the match itself into the experience.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import sqrt
from typing import NamedTuple

SCALE = 2000
"""A difference of this many points over 1 point makes 10 to 1."""
STAKE = 4
"""Points per √n that two equal players of full experience would share out between them."""
FIRST_K = 5
EXPERIENCE_PER_K = 100
LAST_K = 1
DIGITS = 6
"""Ratings are kept to a millionth of a point, so that equal ones are equal on every machine."""


class Ramp(StrEnum):
    """How a newcomer's K shrinks to 1."""

    BEFORE = "before"
    """Experience before the match (FIBS man page)."""
    INCLUDING = "including"
    """Experience with the match itself (MacFIBS and others)."""
    NONE = "none"
    """K is always 1."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a pool of ratings may choose."""

    start_rating: float = 1500.0
    start_experience: int = 0
    ramp: Ramp = Ramp.BEFORE
    k_scale: float = 1.0
    """Every K is multiplied by this: below 1 ratings move less, above 1 more."""


Start = tuple[float, int]
"""The rating and the experience that somebody begins with."""


class RatedMatch(NamedTuple):
    """One match that counts. `match` is its number, `winner` and `loser` the numbers of players."""

    finished_at: datetime
    match: int
    winner: int
    loser: int
    length: int


class Standing(NamedTuple):
    """Where a player stands after some matches; `experience` in points, `last_change` in rating points."""

    rating: float
    experience: int
    matches: int
    wins: int
    last_played_at: datetime
    last_change: float


class Change(NamedTuple):
    """What one match did to one player."""

    match: int
    player: int
    opponent: int
    finished_at: datetime
    won: bool
    length: int
    rating_before: float
    rating_after: float
    opponent_before: float
    experience_before: int


class Working(NamedTuple):
    """The formula with its numbers, for whoever wants to follow it by hand."""

    upset_chance: float
    """Pu: the chance (0–1) that the lower rated side wins; one half between equals."""
    upset: bool
    """Whether the lower rated side did win."""
    winner_p: float
    """P: Pu if the favourite won, else 1 − Pu."""
    k: float
    root: float
    """√n."""
    change: float
    """Rating points, negative for the loser."""


def win_probability(rating: float, opponent: float, length: int) -> float:
    """Chance (0–1) to win a match of `length` points; ratings in FIBS points.

    Raises ValueError if `length` < 1. Source: FIBS help, "formula".
    >>> round(win_probability(1800, 1500, 7), 3)
    0.714
    """
    if length < 1:
        raise ValueError("A match has at least one point.")
    return float(1 / (10 ** ((opponent - rating) * sqrt(length) / SCALE) + 1))


def k_factor(experience: int, length: int, ramp: Ramp = Ramp.BEFORE) -> float:
    """How strongly a match of `length` points counts for somebody with `experience` points before it.

    5 for a newcomer, falling by 1 with every 100 points, never below 1.
    >>> k_factor(0, 7), k_factor(0, 7, Ramp.INCLUDING), k_factor(900, 7), k_factor(0, 7, Ramp.NONE)
    (5.0, 4.93, 1.0, 1.0)
    """
    if ramp is Ramp.NONE:
        return float(LAST_K)
    counted = experience + length if ramp is Ramp.INCLUDING else experience
    return max(float(LAST_K), FIRST_K - counted / EXPERIENCE_PER_K)


def change(
    rating: float,
    opponent: float,
    length: int,
    *,
    experience: int,
    won: bool,
    ramp: Ramp = Ramp.BEFORE,
    k_scale: float = 1.0,
) -> float:
    """Rating points won, or lost (negative), by one side in a match of `length` points.

    The favourite of 1650 beats 1500 over 7 points; then the other way round:
    >>> round(change(1650, 1500, 7, experience=900, won=True), 4)
    4.1032
    >>> round(change(1500, 1650, 7, experience=900, won=True), 4)
    6.4798
    """
    # Whichever side was the favourite, the winner's P is the chance that it would have lost.
    winner_p = win_probability(opponent, rating, length) if won else win_probability(rating, opponent, length)
    points = k_scale * STAKE * k_factor(experience, length, ramp) * sqrt(length) * winner_p
    return points if won else -points


def working(
    rating: float,
    opponent: float,
    length: int,
    *,
    experience: int,
    won: bool,
    ramp: Ramp = Ramp.BEFORE,
    k_scale: float = 1.0,
) -> Working:
    """The numbers behind `change`.

    >>> working(1500, 1650, 7, experience=900, won=True).upset
    True
    """
    upset_chance = win_probability(min(rating, opponent), max(rating, opponent), length)
    upset = rating != opponent and won == (rating < opponent)
    return Working(
        upset_chance=upset_chance,
        upset=upset,
        winner_p=1 - upset_chance if upset else upset_chance,
        k=k_scale * k_factor(experience, length, ramp),
        root=sqrt(length),
        change=change(rating, opponent, length, experience=experience, won=won, ramp=ramp, k_scale=k_scale),
    )


def replay(
    settings: Settings,
    standings_before: Mapping[int, Standing],
    matches: Iterable[RatedMatch],
    starts: Mapping[int, Start] | None = None,
) -> list[Change]:
    """What each match did to its two players, the winner first, in the order (finished_at, match).

    `standings_before` holds those who have played before the first of `matches`. Everybody else begins as `starts` say,
    or else `settings`. The order of `matches` does not matter.
    """
    known = {player: (standing.rating, standing.experience) for player, standing in standings_before.items()}
    first = dict(starts or {})
    start = (settings.start_rating, settings.start_experience)
    changes = []
    for finished_at, match, winner, loser, length in sorted(matches):
        rating, experience = known.get(winner) or first.get(winner, start)
        other, others_experience = known.get(loser) or first.get(loser, start)
        # The winner's P is the same for both; only K is each side's own.
        stake = settings.k_scale * STAKE * sqrt(length) * win_probability(other, rating, length)
        won = round(rating + stake * k_factor(experience, length, settings.ramp), DIGITS)
        lost = round(other - stake * k_factor(others_experience, length, settings.ramp), DIGITS)
        known[winner] = (won, experience + length)
        known[loser] = (lost, others_experience + length)
        changes.append(Change(match, winner, loser, finished_at, True, length, rating, won, other, experience))
        changes.append(Change(match, loser, winner, finished_at, False, length, other, lost, rating, others_experience))
    return changes


def standings_after(standings_before: Mapping[int, Standing], changes: Iterable[Change]) -> dict[int, Standing]:
    """Where everybody stands who stood somewhere before or is in `changes`, which are in order."""
    standings = dict(standings_before)
    for one in changes:
        before = standings.get(one.player)
        standings[one.player] = Standing(
            rating=one.rating_after,
            experience=one.experience_before + one.length,
            matches=(before.matches if before else 0) + 1,
            wins=(before.wins if before else 0) + one.won,
            last_played_at=one.finished_at,
            last_change=round(one.rating_after - one.rating_before, DIGITS),
        )
    return standings
