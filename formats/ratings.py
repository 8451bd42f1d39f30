"""Rating formulas, of which FIBS is the usual one, and computing ratings from a history of matches.

Source: FIBS help, "formula" (the man page of the First Internet Backgammon Server), in print at
https://www.bkgm.com/rgb/rgb.cgi?view+1093. With D the difference of the ratings and n the length of the match, the
chance of an upset is Pu = 1 / (10^(D·√n/2000) + 1). The winner's P is Pu if the favourite won, else 1 − Pu. Each side
wins or loses 4·K·√n·P, with its own K = max(1, 5 − experience/100); experience is the sum of the lengths of the
matches rated before. Later clients (MacFIBS) include the match itself in the experience.

Other formulas of the same form differ in the exponents of n in the stake and in the chance, in the scale of ratings, in
the stake and in the ramp of K (`FAMILIES`; docs/ratings.md).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from itertools import groupby
from math import sqrt
from typing import NamedTuple
from zoneinfo import ZoneInfo

from formats.glicko2 import LOST, MAX_DEVIATION, TAU, WON, Rated, after_idle, after_period, expected_score, shares

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
VOLATILITY_DIGITS = 9


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
WEEK = 7
"""Days of a Glicko-2 period, and the length of a match of weight 1, if matches have weights."""


@dataclass(frozen=True, slots=True)
class Glicko:
    """Settings of Glicko-2. A period is a week from Monday in the time zone `zone`."""

    deviation: float = MAX_DEVIATION
    """Of a new player, in rating points; that of nobody grows beyond it."""
    volatility: float = 0.06
    tau: float = TAU
    by_length: bool = False
    """Whether a match of n points has the weight √(n/7)."""
    zone: str = "UTC"
    by_event: bool = False
    """Whether the matches of an event are a period, whenever they are played; other matches are by weeks."""

    def week_of(self, moment: datetime) -> date:
        """The Monday of the week in which a match ended."""
        day = moment.astimezone(ZoneInfo(self.zone)).date()
        return day - timedelta(days=day.weekday())

    def deviation_at(self, standing: "Standing", moment: datetime) -> float | None:
        """The deviation of a standing at a later moment, grown by the whole weeks without a match since the last."""
        if standing.deviation is None or standing.volatility is None:
            return None
        weeks = (self.week_of(moment) - self.week_of(standing.last_played_at)).days // WEEK - 1
        player = Rated(standing.rating, standing.deviation, standing.volatility)
        return round(after_idle(player, weeks, self.deviation).deviation, DIGITS)


@dataclass(frozen=True, slots=True)
class Settings:
    start_rating: float = 1500.0
    start_experience: int = 0
    ramp: Ramp = Ramp.BEFORE
    k_scale: float = 1.0
    """Factor for every K: below 1 ratings move less, above 1 more."""
    formula: Formula = FIBS
    glicko: Glicko | None = None
    """Glicko-2 in place of the formula; K and experience have no effect then."""


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
    "glicko2": Settings(ramp=Ramp.NONE, glicko=Glicko()),
}
"""Formulas in use, by code: FIBS; √n with a slow ramp (Brass City); without a ramp (Belgium, blunderDB); Denmark, where
both changes of a match add up to n; nardgammon (its ramp is not known, so none); Elo with a stake for each length;
Glicko-2 by weeks."""

Start = tuple[float, int]
"""The rating and experience a player begins with."""


class RatedMatch(NamedTuple):
    """A rated match. `match`, `winner` and `loser` are ids."""

    finished_at: datetime
    match: int
    winner: int
    loser: int
    length: int
    event: str = ""
    """Something that all matches of an event have in common; empty outside events."""
    in_event: bool = False
    """Whether it was played in an event that a club held here; not for imported matches."""
    is_friendly: bool = False
    """Whether it was played here outside events."""


class Standing(NamedTuple):
    """A player's rating after some matches; `experience` in points, `last_change` in rating points."""

    rating: float
    experience: int
    matches: int
    wins: int
    last_played_at: datetime
    last_change: float
    deviation: float | None = None
    volatility: float | None = None
    """Of Glicko-2, at the end of the week of the last match."""
    event_matches: int = 0
    """Those of `matches` that were played in events."""
    event_opponents: int = 0
    """Different opponents in `matches` who have enough `event_matches` themselves; set by who knows all standings."""


class RatingEffect(NamedTuple):
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
    in_event: bool
    deviation: float | None = None
    volatility: float | None = None
    """Of Glicko-2, at the end of the week of the match."""
    expected: float | None = None
    """The score (0–1) that Glicko-2 expected of the player."""


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
    stake: float
    """Rating points at stake before K: of FIBS 4·√n."""
    change: float
    """In rating points, negative for the loser."""


def gained(length: int, before: float, after: float) -> int:
    """Return the experience, in points, that a match gives with ratings before and after: none if it moves nothing."""
    return length if after != before else 0


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
    formula: Formula = FIBS,
) -> Working:
    """Return the numbers behind `change`.

    >>> working(1500, 1650, 7, experience=900, won=True).upset
    True
    """
    upset_chance = win_probability(min(rating, opponent), max(rating, opponent), length, formula)
    upset = rating != opponent and won == (rating < opponent)
    return Working(
        upset_chance=upset_chance,
        upset=upset,
        winner_p=1 - upset_chance if upset else upset_chance,
        k=k_scale * k_factor(experience, length, ramp),
        root=sqrt(length),
        stake=formula.stake_of(length),
        change=change(
            rating, opponent, length, experience=experience, won=won, ramp=ramp, k_scale=k_scale, formula=formula
        ),
    )


def replay(
    settings: Settings,
    standings_before: Mapping[int, Standing],
    matches: Iterable[RatedMatch],
    starts: Mapping[int, Start] | None = None,
    anchored: Collection[int] = (),
) -> list[RatingEffect]:
    """Return the effect of each match on its two players, winner first, ordered by (finished_at, match).

    A friendly match of somebody who is `anchored` with somebody who is not leaves rating and experience of the
    first as they are; not so by Glicko-2.

    `standings_before` contains those who played before the first of `matches`. Everybody else begins with the rating in
    `starts`, or else in `settings`. The order of `matches` does not matter. By Glicko-2, `matches` begin with a period,
    and the effects are in the order in which periods end.
    """
    if settings.glicko is not None:
        weeks = _weeks(settings, settings.glicko, standings_before, matches, starts or {})
        return [effect for _, _, effects in weeks for effect in effects]
    known = {player: (standing.rating, standing.experience) for player, standing in standings_before.items()}
    first = dict(starts or {})
    start = (settings.start_rating, settings.start_experience)
    formula = settings.formula
    changes = []
    for finished_at, match, winner, loser, length, _event, in_event, is_friendly in sorted(matches):
        rating, experience = known.get(winner) or first.get(winner, start)
        other, others_experience = known.get(loser) or first.get(loser, start)
        # P is the same for both sides; only K differs.
        stake = formula.stake_of(length, settings.k_scale) * win_probability(other, rating, length, formula)
        won = round(rating + stake * k_factor(experience, length, settings.ramp), DIGITS)
        lost = round(other - stake * k_factor(others_experience, length, settings.ramp), DIGITS)
        if is_friendly and (winner in anchored) != (loser in anchored):
            won, lost = (rating, lost) if winner in anchored else (won, other)
        known[winner] = (won, experience + gained(length, rating, won))
        known[loser] = (lost, others_experience + gained(length, other, lost))
        of_winner = (True, length, rating, won, other, experience, in_event)
        of_loser = (False, length, other, lost, rating, others_experience, in_event)
        changes.append(RatingEffect(match, winner, loser, finished_at, *of_winner))
        changes.append(RatingEffect(match, loser, winner, finished_at, *of_loser))
    return changes


class _Player(NamedTuple):
    """A player by Glicko-2, their experience, and the week of their last match."""

    rated: Rated
    experience: int
    week: date | None


class _Side(NamedTuple):
    """A match as one of its players sees it."""

    match: RatedMatch
    opponent: int
    score: float


def _weeks(
    settings: Settings,
    glicko: Glicko,
    standings_before: Mapping[int, Standing],
    matches: Iterable[RatedMatch],
    starts: Mapping[int, Start],
) -> Iterator[tuple[list[RatedMatch], dict[int, _Player], list[RatingEffect]]]:
    """Yield the matches of each week in order, the players before it, and the effects, by Glicko-2.

    The matches of a week are simultaneous: each is judged by the ratings before it. A player's matches of a week follow
    one another in `rating_before` and `rating_after`, each with its share of the change of the week.
    """
    players = {
        player: _Player(
            Rated(standing.rating, standing.deviation or glicko.deviation, standing.volatility or glicko.volatility),
            standing.experience,
            glicko.week_of(standing.last_played_at),
        )
        for player, standing in standings_before.items()
    }
    for order in _periods(glicko, matches):
        sides: dict[int, list[_Side]] = {}
        for match in order:
            sides.setdefault(match.winner, []).append(_Side(match, match.loser, WON))
            sides.setdefault(match.loser, []).append(_Side(match, match.winner, LOST))
        before = {
            player: _before_week(player, glicko.week_of(own[0].match.finished_at), players, settings, glicko, starts)
            for player, own in sides.items()
        }
        effects = {}
        for player, own in sides.items():
            players[player], of_player = _week_of(before[player], own, before, glicko)
            effects.update({(effect.match, player): effect for effect in of_player})
        both = ((match.match, player) for match in order for player in (match.winner, match.loser))
        yield order, before, [effects[key] for key in both]


def _periods(glicko: Glicko, matches: Iterable[RatedMatch]) -> Iterator[list[RatedMatch]]:
    """Yield the matches of each period in order of time; periods are in the order in which they end."""
    ordered = sorted(matches)
    if not glicko.by_event:
        for _week, of_week in groupby(ordered, key=lambda match: glicko.week_of(match.finished_at)):
            yield list(of_week)
        return
    periods: dict[str | date, list[RatedMatch]] = {}
    for match in ordered:
        periods.setdefault(match.event or glicko.week_of(match.finished_at), []).append(match)
    yield from sorted(periods.values(), key=lambda period: period[-1])


def _before_week(
    player: int,
    week: date,
    players: Mapping[int, _Player],
    settings: Settings,
    glicko: Glicko,
    starts: Mapping[int, Start],
) -> _Player:
    """A player at the beginning of a week: a new one, or one whose deviation grew in the weeks without a match."""
    known = players.get(player)
    if known is None:
        rating, experience = starts.get(player, (settings.start_rating, settings.start_experience))
        return _Player(Rated(rating, glicko.deviation, glicko.volatility), experience, None)
    # Events may overlap: one that ends later may have begun before.
    idle = max(0, (week - known.week).days // WEEK - 1) if known.week is not None else 0
    grown = after_idle(known.rated, idle, glicko.deviation)
    return known._replace(rated=grown._replace(deviation=round(grown.deviation, DIGITS)))


def _week_of(
    player: _Player, sides: Sequence[_Side], before: Mapping[int, _Player], glicko: Glicko
) -> tuple[_Player, list[RatingEffect]]:
    """The player after their matches of a week, and the effect of each."""
    results = [(before[side.opponent].rated, side.score) for side in sides]
    weights = [sqrt(side.match.length / WEEK) for side in sides] if glicko.by_length else None
    exact = after_period(player.rated, results, glicko.tau, weights)
    after = Rated(
        round(exact.rating, DIGITS), round(exact.deviation, DIGITS), round(exact.volatility, VOLATILITY_DIGITS)
    )
    effects = []
    rating, experience = player.rated.rating, player.experience
    parts = shares(player.rated, exact, results, weights)
    for number, (side, share) in enumerate(zip(sides, parts, strict=True), start=1):
        rating_after = after.rating if number == len(sides) else round(rating + share.change, DIGITS)
        effects.append(
            RatingEffect(
                match=side.match.match,
                player=side.match.winner if side.score == WON else side.match.loser,
                opponent=side.opponent,
                finished_at=side.match.finished_at,
                won=side.score == WON,
                length=side.match.length,
                rating_before=rating,
                rating_after=rating_after,
                opponent_before=before[side.opponent].rated.rating,
                experience_before=experience,
                deviation=after.deviation,
                volatility=after.volatility,
                in_event=side.match.in_event,
                expected=round(share.expected, DIGITS),
            )
        )
        rating, experience = rating_after, experience + side.match.length
    week = glicko.week_of(sides[-1].match.finished_at)
    return _Player(after, experience, max(week, player.week or week)), effects


def winner_chances(settings: Settings, matches: Iterable[RatedMatch]) -> Iterator[float]:
    """Yield the chance (0–1) that each winner had by the ratings from the matches before, in order.

    By Glicko-2, from the weeks before, with the deviations of both sides.
    """
    if settings.glicko is None:
        for effect in replay(settings, {}, matches):
            if effect.won:
                yield win_probability(effect.rating_before, effect.opponent_before, effect.length, settings.formula)
        return
    for order, before, _ in _weeks(settings, settings.glicko, {}, matches, {}):
        for match in order:
            yield expected_score(before[match.winner].rated, before[match.loser].rated)


def standings_after(standings_before: Mapping[int, Standing], changes: Iterable[RatingEffect]) -> dict[int, Standing]:
    """Return the standings of all players in `standings_before` or in `changes`, which are in order."""
    standings = dict(standings_before)
    for change in changes:
        before = standings.get(change.player)
        standings[change.player] = Standing(
            rating=change.rating_after,
            experience=change.experience_before + gained(change.length, change.rating_before, change.rating_after),
            matches=(before.matches if before else 0) + 1,
            wins=(before.wins if before else 0) + change.won,
            last_played_at=max(change.finished_at, before.last_played_at) if before else change.finished_at,
            last_change=round(change.rating_after - change.rating_before, DIGITS),
            deviation=change.deviation,
            volatility=change.volatility,
            event_matches=(before.event_matches if before else 0) + change.in_event,
        )
    return standings
