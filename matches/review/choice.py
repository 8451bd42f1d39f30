"""Which decisions of a match or of a night a player is shown afterwards: those that cost most, three at most."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext

from engine import parse_xgid
from matches.analysis.access import SeenAnalysis, analyses_of_results, decisions_of, seen_of_matches, side_in_match
from matches.analysis.labels import program
from matches.models import Analysis, Decision, Match
from matches.presentation.visibility import Viewer
from matches.review.cube_sentences import cube_sentence
from matches.review.sentences import play_sentence

MOST = 3
LEAST_ERROR, MOST_ERROR = 0.05, 1.0
"""Equity: a loss below may be the program's, one above is rather a mistake of the record."""
LEAST_COST = 0.005
"""Chance of the match."""
OPEN = (0.03, 0.97)
"""The chances to win the match between which something is left to decide."""
PLIES = {"gnubg": 2, "bgsage": 3, "xg": 3}
"""The least depth, as each program counts it: 2-ply of gnubg is 3-ply of the others. Other programs are not used."""


@dataclass(frozen=True, slots=True)
class ReviewedDecision:
    """A decision of the reader that cost much."""

    decision: Decision
    match: Match
    cost: float
    """Chance of the match that was lost (0–1); equity in a money session, where `decision.error_winning` is None."""
    sentence: str
    """What the best decision gains; empty if nothing can be said that is surely true."""
    source: str
    """The program and its depth, or that it is the reader's own file."""


class Choosable(NamedTuple):
    """What the choice depends on; the fields are those of `Decision`."""

    match: int
    """Index of the match in the night."""
    game: int
    event: int
    kind: str
    played: str
    position: object
    """The position and the roll, seen by the side on roll."""
    error: float
    error_winning: float | None
    winning: float | None
    counted: bool

    @property
    def cost(self) -> float:
        return self.error if self.error_winning is None else self.error_winning


def chosen(rows: Iterable[Choosable], most: int = MOST) -> list[Choosable]:
    """Return the rows that cost most, without those that ask the same again."""
    kept: list[Choosable] = []
    known: set[object] = set()
    for row in sorted(filter(_is_worth_it, rows), key=_order):
        keys: set[object] = {(row.kind, row.position)}
        if row.kind != Decision.Kind.PLAY:
            keys.add((row.match, row.game, row.kind, row.played))
        if not keys & known:
            known |= keys
            kept.append(row)
    return kept[:most]


def is_to_check(row: Choosable) -> bool:
    """Whether so much was lost that the record is probably wrong there."""
    return row.counted and row.error > MOST_ERROR


def _is_worth_it(row: Choosable) -> bool:
    return (
        row.counted
        and LEAST_ERROR <= row.error <= MOST_ERROR
        and (row.error_winning is None or row.error_winning >= LEAST_COST)
        and (row.winning is None or OPEN[0] <= row.winning <= OPEN[1])
    )


def _order(row: Choosable) -> tuple[bool, float, int, int, int]:
    """The costliest first; of equal ones the earlier. Money sessions, which have no chances, come last."""
    return row.error_winning is None, -row.cost, row.match, row.game, row.event


def decisions_of_match(match: Match, viewer: Viewer) -> list[ReviewedDecision]:
    """Return the viewer's own costliest decisions of an authorised match, at most three; empty if none can be shown."""
    return decisions_of_night([match], viewer)


def decisions_of_night(matches: Sequence[Match], viewer: Viewer) -> list[ReviewedDecision]:
    """Return the viewer's own costliest decisions of these authorised matches together, at most three.

    It takes about five queries, however many matches there are. Of a match that was not analysed, there are none.
    """
    rows = dict(_own_decisions(matches, viewer))
    return [_reviewed(*rows[row], matches[row.match]) for row in chosen(rows)]


def decisions_to_check(match: Match, viewer: Viewer) -> list[ReviewedDecision]:
    """Return the viewer's own decisions at which the record of an authorised match is probably wrong."""
    return [_reviewed(*found, match) for row, found in _own_decisions([match], viewer) if is_to_check(row)]


def _own_decisions(
    matches: Sequence[Match], viewer: Viewer
) -> Iterator[tuple[Choosable, tuple[Decision, SeenAnalysis]]]:
    """Yield the viewer's decisions that lost enough, of the analysis that is used of each match."""
    numbers = {match.pk: number for number, match in enumerate(matches)}
    used = {seen.analysis.pk: seen for seen in _analyses(matches, viewer)}
    rows = decisions_of(used.values()).defer(None).filter(counted=True, error__gte=LEAST_ERROR)
    for decision in rows.order_by("analysis_id", "game", "event", "pk"):
        seen = used[decision.analysis_id]
        match = matches[numbers[seen.analysis.match_id or 0]]
        owner = match.player_1_id if side_in_match(seen.analysis, decision.side) else match.player_0_id
        if owner in viewer.players and _is_deep(decision, seen.analysis):
            yield _choosable(decision, numbers[match.pk]), (decision, seen)


def _analyses(matches: Sequence[Match], viewer: Viewer) -> list[SeenAnalysis]:
    """Return the analysis that is used of each match: ours if it is deep, else the one in the record."""
    by_match: dict[int | None, Analysis] = {}
    for origin in (Analysis.Origin.SENDER, Analysis.Origin.COMPUTED):
        rows = analyses_of_results(origin).filter(match__in=matches).select_related("match__live", "submission")
        by_match |= {row.match_id: row for row in rows.order_by("created_at", "pk") if _looks_deep(row)}
    return seen_of_matches(by_match.values(), viewer)


def _looks_deep(analysis: Analysis) -> bool:
    """Whether it may have decisions that are deep enough; `_is_deep` says which."""
    least = PLIES.get(analysis.backend)
    plies = _plies(str(analysis.settings.get("plays", "")))
    return least is not None and (analysis.origin == Analysis.Origin.SENDER or max(plies, default=0) >= least)


def _is_deep(decision: Decision, analysis: Analysis) -> bool:
    """Whether both sides of the comparison were looked at deeply enough; of a sender's, with their chances."""
    least, is_senders = PLIES[analysis.backend], analysis.origin == Analysis.Origin.SENDER
    if decision.kind != Decision.Kind.PLAY:
        plies = _plies(str(analysis.settings.get("cube", "")))
        return bool(decision.chances) if is_senders else min(plies, default=0) >= least
    compared = compared_plays(decision)
    return len(compared) == 2 and all(
        min(_plies(play["depth"]), default=least) >= least and (play.get("chances") or not is_senders)
        for play in compared
    )


def compared_plays(decision: Decision) -> list[dict[str, Any]]:
    """Return the stored candidates of the best play and of the one that was made."""
    return [*decision.candidates[:1], *(each for each in decision.candidates[1:] if each["played"])]


def _plies(text: str) -> list[int]:
    """Return the numbers of plies in a depth: `1- to 4-ply` has two, a rollout none."""
    return [int(number) for number in re.findall(r"(?<!\d)\d+(?=-)", text)]


def _choosable(decision: Decision, number: int) -> Choosable:
    state = parse_xgid(decision.xgid)
    return Choosable(
        match=number,
        game=decision.game,
        event=decision.event,
        kind=decision.kind,
        played=decision.played,
        position=(state.position, state.dice),
        error=decision.error,
        error_winning=decision.error_winning,
        winning=decision.winning,
        counted=decision.counted,
    )


def _reviewed(decision: Decision, seen: SeenAnalysis, match: Match) -> ReviewedDecision:
    cost = decision.error if decision.error_winning is None else decision.error_winning
    return ReviewedDecision(decision, match, cost, sentence_of(decision), _source(decision, seen.analysis))


def sentence_of(decision: Decision) -> str:
    """Return what the best decision gains; empty where nothing is certain, as without the chances."""
    if decision.kind != Decision.Kind.PLAY:
        return cube_sentence(decision)
    compared = compared_plays(decision)
    if len(compared) < 2 or not all(each.get("chances") for each in compared):
        return ""
    best, played = compared
    return play_sentence(
        decision.xgid,
        (best["play"], played["play"]),
        (best["chances"], played["chances"]),
        shots_cost=played.get("shots_cost"),
    )


def _source(decision: Decision, analysis: Analysis) -> str:
    if analysis.origin == Analysis.Origin.COMPUTED:
        return program(analysis)
    record = analysis.submission
    is_own = record is not None and record.side == side_in_match(analysis, decision.side)
    return gettext("XG, from your file") if is_own else gettext("XG, from your opponent’s file")
