"""Rating formulas, of which FIBS is the usual one, and computing ratings from a history of matches.

Source: FIBS help, "formula" (the man page of the First Internet Backgammon Server), in print at
https://www.bkgm.com/rgb/rgb.cgi?view+1093. With D the difference of the ratings and n the length of the match, the
chance of an upset is Pu = 1 / (10^(D·√n/2000) + 1). The winner's P is Pu if the favourite won, else 1 − Pu. Each side
wins or loses 4·K·√n·P, with its own K = max(1, 5 − experience/100); experience is the sum of the lengths of the
matches rated before. Later clients (MacFIBS) include the match itself in the experience.

Other formulas of the same form differ in the exponents of n in the stake and in the chance, in the scale of ratings, in
the stake and in the ramp of K (`FAMILIES`; docs/ratings.md).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import sqrt
from typing import NamedTuple

SCALE = 2000
"""In a 1-point match, a rating difference of this many points means odds of 10 to 1."""
STAKE = 4
"""Rating points per √n at stake between two equal players of full experience."""
FIRST_K = 5
EXPERIENCE_PER_K = 100
LAST_K = 1
FIRST_SLOW_K = 2
EXPERIENCE_PER_SLOW_K = 400
DIGITS = 6
"""Ratings are rounded to a millionth of a point, so that they are equal on every machine."""


class Ramp(StrEnum):
    """How the K of a new player falls to 1."""

    BEFORE = "before"
    """By the experience before the match (FIBS man page)."""
    INCLUDING = "including"
    """By the experience including the match (MacFIBS and others)."""
    NONE = "none"
    """K is always 1."""
    SLOW = "slow"
    """From 2, falling by 1 with every 400 points before the match."""


@dataclass(frozen=True, slots=True)
class Formula:
    """What a match of n points is worth: the stake is `stake` · n^`stake_exponent`, the chance of the better-rated side
    1 / (1 + 10^(−D · n^`chance_exponent` / `scale`)).

    `stakes` are stakes by length instead: (length, points), ascending; a length between two has the stake of the lower.
    """

    stake: float = STAKE
    stake_exponent: float = 0.5
    chance_exponent: float = 0.5
    scale: float = SCALE
    stakes: tuple[tuple[int, float], ...] = ()

    def stake_of(self, length: int, k_scale: float = 1.0) -> float:
        """Rating points at stake, of which the winner gets the share that was their chance to lose."""
        if self.stakes:
            return k_scale * max((at, points) for at, points in self.stakes if at <= max(length, self.stakes[0][0]))[1]
        return k_scale * self.stake * _power(length, self.stake_exponent)


def _power(length: int, exponent: float) -> float:
    # √n as it always was, to the last bit.
    return sqrt(length) if exponent == 0.5 else float(length**exponent)


FIBS = Formula()


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a rating pool."""

    start_rating: float = 1500.0
    start_experience: int = 0
    ramp: Ramp = Ramp.BEFORE
    k_scale: float = 1.0
    """Factor for every K: below 1 ratings move less, above 1 more."""
    formula: Formula = FIBS


FAMILIES: Mapping[str, Settings] = {
    "fibs": Settings(),
    "slow_ramp": Settings(ramp=Ramp.SLOW),
    "belgian": Settings(ramp=Ramp.NONE),
    "danish": Settings(start_rating=1000.0, ramp=Ramp.NONE, formula=Formula(stake=1, stake_exponent=1)),
    "nardgammon": Settings(ramp=Ramp.NONE, formula=Formula(stake=10, scale=400)),
    "elo_by_length": Settings(
        ramp=Ramp.NONE,
        formula=Formula(chance_exponent=0, scale=400, stakes=((1, 6), (3, 10), (5, 14), (7, 16), (9, 18), (11, 20))),
    ),
}
"""Formulas in use, by code: FIBS; √n with a slow ramp (Brass City); without a ramp (Belgium, blunderDB); Denmark, where
both changes of a match add up to n; nardgammon (its ramp is not known, so none); Elo with a stake for each length."""

Start = tuple[float, int]
"""The rating and experience a player begins with."""


class RatedMatch(NamedTuple):
    """A rated match. `match`, `winner` and `loser` are ids."""

    finished_at: datetime
    match: int
    winner: int
    loser: int
    length: int


class Standing(NamedTuple):
    """A player's rating after some matches; `experience` in points, `last_change` in rating points."""

    rating: float
    experience: int
    matches: int
    wins: int
    last_played_at: datetime
    last_change: float


class RatingEffect(NamedTuple):
    """The effect of one match on one player."""

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
    """The numbers in the formula, to follow it by hand."""

    upset_chance: float
    """Pu: the chance (0–1) that the lower-rated side wins; one half between equals."""
    upset: bool
    """Whether the lower-rated side won."""
    winner_p: float
    """P: Pu if the favourite won, else 1 − Pu."""
    k: float
    root: float
    """√n."""
    change: float
    """In rating points, negative for the loser."""


def win_probability(rating: float, opponent: float, length: int, formula: Formula = FIBS) -> float:
    """Return the chance (0–1) to win a match of `length` points; ratings in points of the formula.

    Raises ValueError if `length` < 1. Source: FIBS help, "formula".
    >>> round(win_probability(1800, 1500, 7), 3)
    0.714
    """
    if length < 1:
        raise ValueError("A match has at least one point.")
    return float(1 / (10 ** ((opponent - rating) * _power(length, formula.chance_exponent) / formula.scale) + 1))


def k_factor(experience: int, length: int, ramp: Ramp = Ramp.BEFORE) -> float:
    """Return K for a match of `length` points and a player with `experience` points before it.

    5 for a new player, falling by 1 with every 100 points, never below 1.
    >>> k_factor(0, 7), k_factor(0, 7, Ramp.INCLUDING), k_factor(900, 7), k_factor(0, 7, Ramp.NONE)
    (5.0, 4.93, 1.0, 1.0)
    """
    if ramp is Ramp.NONE:
        return float(LAST_K)
    if ramp is Ramp.SLOW:
        return max(float(LAST_K), FIRST_SLOW_K - experience / EXPERIENCE_PER_SLOW_K)
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
    formula: Formula = FIBS,
) -> float:
    """Return the rating points that one side wins, or loses (negative), in a match of `length` points.

    A favourite with 1650 beats an opponent with 1500 over 7 points, and the reverse:
    >>> round(change(1650, 1500, 7, experience=900, won=True), 4)
    4.1032
    >>> round(change(1500, 1650, 7, experience=900, won=True), 4)
    6.4798
    """
    # The winner's P is the winner's chance to lose, whichever side is the favourite.
    sides = (opponent, rating) if won else (rating, opponent)
    winner_p = win_probability(*sides, length, formula)
    points = formula.stake_of(length, k_scale) * k_factor(experience, length, ramp) * winner_p
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
    """Return the numbers behind `change`.

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
) -> list[RatingEffect]:
    """Return the effect of each match on its two players, winner first, ordered by (finished_at, match).

    `standings_before` contains those who played before the first of `matches`. Everybody else begins with the rating in
    `starts`, or else in `settings`. The order of `matches` does not matter.
    """
    known = {player: (standing.rating, standing.experience) for player, standing in standings_before.items()}
    first = dict(starts or {})
    start = (settings.start_rating, settings.start_experience)
    formula = settings.formula
    changes = []
    for finished_at, match, winner, loser, length in sorted(matches):
        rating, experience = known.get(winner) or first.get(winner, start)
        other, others_experience = known.get(loser) or first.get(loser, start)
        # P is the same for both sides; only K differs.
        stake = formula.stake_of(length, settings.k_scale) * win_probability(other, rating, length, formula)
        won = round(rating + stake * k_factor(experience, length, settings.ramp), DIGITS)
        lost = round(other - stake * k_factor(others_experience, length, settings.ramp), DIGITS)
        known[winner] = (won, experience + length)
        known[loser] = (lost, others_experience + length)
        changes.append(RatingEffect(match, winner, loser, finished_at, True, length, rating, won, other, experience))
        changes.append(
            RatingEffect(match, loser, winner, finished_at, False, length, other, lost, rating, others_experience)
        )
    return changes


def standings_after(standings_before: Mapping[int, Standing], changes: Iterable[RatingEffect]) -> dict[int, Standing]:
    """Return the standings of all players in `standings_before` or in `changes`, which are in order."""
    standings = dict(standings_before)
    for change in changes:
        before = standings.get(change.player)
        standings[change.player] = Standing(
            rating=change.rating_after,
            experience=change.experience_before + change.length,
            matches=(before.matches if before else 0) + 1,
            wins=(before.wins if before else 0) + change.won,
            last_played_at=change.finished_at,
            last_change=round(change.rating_after - change.rating_before, DIGITS),
        )
    return standings
