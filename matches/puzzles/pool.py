"""The puzzle of a club on a day: which decisions may be it, which one is, and how hard it is (docs/morning.md).

Few decisions are read for a day: a sample of those that may be asked, in an order that only this site can know.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from math import exp
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Q
from django.utils.crypto import salted_hmac

from engine.bots import ranked_plays
from engine.ids import parse_xgid, position_xgid
from engine.match import MatchState
from engine.notation import parse_play
from engine.resolution import resolve
from matches.analysis.access import analyses_of_results
from matches.analysis.situations import situation_of
from matches.deck.choices import question_of
from matches.models import Analysis, Decision, Puzzle
from matches.play.hints import is_in_play
from players.models import Club, Player
from players.people.rows import PersonId, people_of

MIN_GAP = 0.04
"""Equity between the best play and the next."""
MIN_CHOICES = 3
MIN_WINNING, MAX_WINNING = 0.05, 0.95
MIN_AGE = timedelta(days=30)
"""Since the end of the match, so that fewer remember it."""
MIN_MOVERS = 5
"""Players who consented and whose decisions may be asked: among fewer one would know who played it."""
MIN_PLIES: Mapping[str, int] = {"gnubg": 2, "bgsage": 3}
"""As each program counts; other programs' analyses are never asked."""
MAX_MATCHES = 300
"""The latest ones that count."""
MAX_READ, SAMPLE = 300, 60
"""Decisions that are read for a day, and those that are compared."""
NOT_AGAIN = timedelta(days=365)
BOT_ERROR = 0.02
"""A decision that the Club Bot gets wrong by so much is hard enough; else it has to be among the less clear half."""
SPREAD = 0.07
"""Differences in equity that a player hardly sees, for `Traits.doubt`."""
MAX_EASY, MAX_MEDIUM = 0.4, 0.7
POSITIONS = Path(__file__).with_name("positions.json")
"""Made by `python -m tools.puzzle_positions`."""

Candidates = Sequence[Mapping[str, Any]]
"""As in `Decision.candidates`."""


class Traits(NamedTuple):
    """How hard a play is to find, by two measures in equity."""

    bot_error: float
    """What the Club Bot's play loses; as much as the last candidate where it is not among them."""
    doubt: float
    """What a player loses on average who takes each play with a chance by its equity (softmax)."""


class PuzzleCandidate(NamedTuple):
    """A decision that may be asked, with its key."""

    decision: Decision
    key: str
    traits: Traits


def puzzle_of(club: Club, *, now: datetime) -> Puzzle | None:
    """The puzzle of a club today, chosen and stored if nobody has looked at it yet; None if there is none to ask.

    A GET stores it: whoever is second finds what the first has stored.
    """
    today = now.astimezone(ZoneInfo(club.time_zone)).date()
    stored = Puzzle.objects.filter(club=club, date=today).first()
    return stored or _chosen(club, today, now)


def _chosen(club: Club, today: date, now: datetime) -> Puzzle | None:
    order = Random(salted_hmac("matches.puzzles", f"{club.pk}:{today}", algorithm="sha256").digest())  # noqa: S311
    before = Puzzle.objects.filter(club=club, date__gt=today - NOT_AGAIN).order_by("date")
    dates = dict(before.values_list("key", "date"))
    for pool in (_own_pool(club, order, now), _shipped_pool(order)):
        # One that has been asked comes again only where every position that ships has been.
        fresh = [each for each in pool if each.key not in dates]
        again = sorted(pool, key=lambda each: dates.get(each.key, today)) if pool and not pool[0].decision.pk else []
        for each in fresh or again:
            if is_in_play(parse_xgid(each.key)) or (question := question_of(each.decision)) is None:
                continue
            return Puzzle.objects.get_or_create(
                club=club,
                date=today,
                defaults={
                    "key": each.key,
                    "question": question.as_json,
                    "difficulty": _difficulty(each, pool),
                    "decision": each.decision if each.decision.pk else None,
                },
            )[0]
    return None


# Which decisions may be asked.


def eligible(club: Club, now: datetime) -> dict[int, int]:
    """Return the decisions of a club that may be asked, by what a query can tell; each with the person who made it.

    A player who was merged stands for whom they were merged into. Somebody who has left the site consents to nothing.
    """
    with_choice = Player.objects.filter(~Q(puzzle_choice="") | Q(erased_at__isnull=False), merged_into=None)
    choices = {
        row.pk: "" if row.erased_at else row.puzzle_choice for row in with_choice.only("erased_at", "puzzle_choice")
    }
    willing = {pk for pk, choice in choices.items() if choice == Player.PuzzleChoice.ALLOWS}
    objecting = choices.keys() - willing
    if len(willing) < MIN_MOVERS:
        return {}
    same = Player.objects.filter(Q(pk__in=willing) | Q(merged_into__in=willing)).values("pk")
    analyses = analyses_of_results().filter(
        Q(match__player_0__in=same) | Q(match__player_1__in=same),
        match__club=club,
        match__finished_at__lte=now - MIN_AGE,
        backend__in=MIN_PLIES,
    )
    rows = analyses.select_related("match").order_by("-match__finished_at", "pk")[:MAX_MATCHES]
    matches = [(row, row.match) for row in rows if row.match is not None]
    people = people_of(pk for _row, match in matches for pk in (match.player_0_id, match.player_1_id))
    sides: dict[int, tuple[int, list[tuple[PersonId, ...]]]] = {}
    for row, match in matches:
        both = [people[match.player_0_id], people[match.player_1_id]]
        if objecting.isdisjoint(both[0] + both[1]):
            sides[match.pk] = row.pk, both[::-1] if row.swapped else both
    of_analysis = dict(sides.values())
    decisions = Decision.objects.filter(
        analysis__in=of_analysis,
        kind=Decision.Kind.PLAY,
        phase=Decision.Phase.CONTACT,
        counted=True,
        winning__range=(MIN_WINNING, MAX_WINNING),
    )
    found = decisions.order_by("pk").values_list("pk", "analysis", "side")
    movers = {pk: of_analysis[analysis][side] for pk, analysis, side in found}
    # A play of a pair is for both of them alone.
    return {pk: mover[0] for pk, mover in movers.items() if len(mover) == 1 and mover[0] in willing}


def has_clear_best(candidates: Candidates, winning: float) -> bool:
    """Whether there are plays to choose from, one of them clearly the best, and the match is not decided."""
    return (
        len(candidates) >= MIN_CHOICES
        and round(candidates[0]["equity"] - candidates[1]["equity"], 6) >= MIN_GAP
        and MIN_WINNING <= winning <= MAX_WINNING
    )


def _is_deep(analysis: Analysis, candidates: Candidates) -> bool:
    plies = [each["depth"].partition("-")[0] for each in candidates[:2]]
    return all(each.isdecimal() and int(each) >= MIN_PLIES[analysis.backend] for each in plies)


def _own_pool(club: Club, order: Random, now: datetime) -> list[PuzzleCandidate]:
    """Decisions of the members, in the order of the day; empty with too few of them."""
    of_person = eligible(club, now)
    if len(set(of_person.values())) < MIN_MOVERS:
        return []
    ids = order.sample(list(of_person), min(MAX_READ, len(of_person)))
    rows = Decision.objects.select_related("analysis").in_bulk(ids)
    clear = [
        row
        for row in map(rows.__getitem__, ids)
        if has_clear_best(row.candidates, row.winning or 0) and _is_deep(row.analysis, row.candidates)
    ]
    return _hard_enough([_measured(row) for row in clear[:SAMPLE]])


def _shipped_pool(order: Random) -> list[PuzzleCandidate]:
    """The positions that ship, in the order of the day."""
    pool = list(shipped())
    order.shuffle(pool)
    return pool


@cache
def shipped() -> tuple[PuzzleCandidate, ...]:
    """The positions that ship: of matches that gnubg has played against itself, as decisions that are not stored."""
    decisions = []
    for row in json.loads(POSITIONS.read_text()):
        situation = situation_of(parse_xgid(row["xgid"]))
        decisions.append(
            Decision(
                kind=Decision.Kind.PLAY,
                phase=Decision.Phase.CONTACT,
                xgid=row["xgid"],
                own_away=situation.own_away,
                opposing_away=situation.opposing_away,
                cube=situation.cube,
                candidates=row["candidates"],
                best=row["candidates"][0]["play"],
                played=row["candidates"][0]["play"],
            )
        )
    return tuple(map(_measured, decisions))


def _measured(decision: Decision) -> PuzzleCandidate:
    """Turn a decision so that the side that decides is at the bottom of the board, and measure it; nothing is saved."""
    decision.xgid = neutral_xgid(parse_xgid(decision.xgid))
    return PuzzleCandidate(decision, decision.xgid, traits(decision.xgid, decision.candidates))


def _hard_enough(pool: Sequence[PuzzleCandidate]) -> list[PuzzleCandidate]:
    """Those that are not clear to everybody."""
    doubts = sorted(each.traits.doubt for each in pool)
    return [
        each
        for each in pool
        if each.traits.bot_error >= BOT_ERROR or 2 * bisect_left(doubts, each.traits.doubt) >= len(doubts)
    ]


def neutral_xgid(state: MatchState) -> str:
    """The XGID of a play to make, the same for either side of a match and either order of the dice."""
    assert state.turn is not None  # noqa: S101, somebody is to play
    assert state.dice is not None  # noqa: S101, a play has a roll
    high, low = sorted(state.dice, reverse=True)
    owner = None if state.cube_owner is None else 1 if state.cube_owner == state.turn else 0
    return position_xgid(
        state.position,
        turn=1,
        dice=(high, low),
        cube=state.cube,
        owner=owner,
        doubled=False,
        score=(state.score[1 - state.turn], state.score[state.turn]),
        crawford=state.crawford,
        jacoby=state.jacoby,
        length=state.length,
    )


# How hard they are.


def traits(xgid: str, candidates: Candidates) -> Traits:
    """How hard a play is to find."""
    state = parse_xgid(xgid)
    assert state.dice is not None  # noqa: S101, a play has a roll
    dice, position = state.dice, state.position
    losses = [max(0.0, candidates[0]["equity"] - each["equity"]) for each in candidates]
    results = [resolve(position.key, dice, parse_play(each["play"])).key for each in candidates]
    bot = ranked_plays(state)[0].result.key
    bot_error = losses[results.index(bot)] if bot in results else losses[-1]
    weights = [exp(-loss / SPREAD) for loss in losses]
    doubt = sum(loss * weight for loss, weight in zip(losses, weights, strict=True)) / sum(weights)
    return Traits(bot_error, doubt)


def _difficulty(candidate: PuzzleCandidate, pool: Sequence[PuzzleCandidate]) -> Puzzle.Difficulty:
    return difficulty(*(_rank(value, each) for value, each in zip(candidate.traits, _columns(pool), strict=True)))


def _columns(pool: Sequence[PuzzleCandidate]) -> tuple[list[float], list[float]]:
    return sorted(each.traits.bot_error for each in pool), sorted(each.traits.doubt for each in pool)


def _rank(value: float, values: Sequence[float]) -> float:
    """The share (0–1) of sorted values that are lower; of equal ones half."""
    return (bisect_left(values, value) + bisect_right(values, value)) / (2 * len(values))


def difficulty(bot_rank: float, doubt_rank: float) -> Puzzle.Difficulty:
    """The class of a puzzle by its ranks (0–1) in the pool."""
    mean = (bot_rank + doubt_rank) / 2
    if mean <= MAX_EASY:
        return Puzzle.Difficulty.EASY
    return Puzzle.Difficulty.MEDIUM if mean <= MAX_MEDIUM else Puzzle.Difficulty.HARD
