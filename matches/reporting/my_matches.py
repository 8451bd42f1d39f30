"""“My matches”: what a player has to do next."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Prefetch, Q, QuerySet

from matches.models import Claim, Match, Proposal, Result, Submission
from matches.presentation import labels
from matches.presentation.context import MatchContext, entries_of, match_contexts, places_of
from matches.presentation.visibility import Viewer
from matches.reporting.next_steps import NextStep, Pending, describe, next_steps
from players.models import Player, User
from players.people.canonical import canonical

NEVER = float("inf")
OPEN_AT_ONCE = 100
LATEST = 10
OVER = (Match.State.SETTLED, Match.State.VOID)


@dataclass(frozen=True, slots=True)
class MyMatch:
    """A match in a player's list."""

    match: Match
    side: int
    opponent: str
    context: MatchContext | None
    step: NextStep | None
    next_step: str
    asks_me: bool
    result: Result | None
    place: str = ""
    """Table, round and match number, if known."""

    @property
    def urgency(self) -> tuple[int, float]:
        """Sort key: steps for this player, then appointments, then matches to play by deadline, then the rest."""
        code = self.step.code if self.step is not None else ""
        until = self.step.until if self.step is not None else None
        rank = 0 if self.asks_me else {"appointment": 1, "play": 2, "times": 2}.get(code, 3)
        return rank, until.timestamp() if until is not None else NEVER

    @property
    def won(self) -> bool:
        """Whether the player won."""
        return self.result is not None and self.result.winner == self.side

    @property
    def score(self) -> str:
        """The score with the player's points first; empty without a score."""
        score = self.result.score if self.result is not None else None
        if score is None:
            return ""
        return labels.score_of(self.match, self.side, score)


def my_matches(user: User, now: datetime) -> dict[str, Any]:
    """The matches a user still has to play or answer, the most urgent first, and their latest results.

    The number of queries does not depend on the number of matches.
    """
    viewer = Viewer.of(user)
    mine = Match.objects.filter(Q(player_0__in=viewer.players) | Q(player_1__in=viewer.players))
    still_open = _with_rows(mine.exclude(state__in=OVER).order_by(F("due_at").asc(nulls_last=True), "pk"))
    over = _with_rows(mine.filter(state=Match.State.SETTLED).order_by("-finished_at", "-pk"))
    matches, latest = list(still_open[:OPEN_AT_ONCE]), list(over[:LATEST])
    contexts = match_contexts({match.parent_topic for match in [*matches, *latest]})
    places = places_of([match.pk for match in matches])
    rows = [_mine(match, viewer, contexts, now, places.get(match.pk, "")) for match in matches]
    rows.sort(key=lambda row: row.urgency)
    return {
        "player": viewer.player,
        "entries": entries_of(viewer.players),
        "next": rows[0] if rows else None,
        "others": rows[1:],
        "latest": [_mine(match, viewer, contexts, now) for match in latest],
    }


def _with_rows(matches: QuerySet[Match]) -> QuerySet[Match]:
    unanswered = [Claim.State.OPEN, Claim.State.CONTESTED]
    waiting = [Submission.Standing.WAITING, Submission.Standing.NAMES]
    times = [Proposal.State.OPEN, Proposal.State.ACCEPTED]
    return matches.select_related("player_0", "player_1", "club").prefetch_related(
        Prefetch("claims", Claim.objects.filter(state__in=unanswered)),
        Prefetch("submissions", Submission.objects.filter(standing__in=waiting).defer("data", "transcript")),
        Prefetch("proposals", Proposal.objects.filter(state__in=times)),
        Prefetch("results", Result.objects.order_by("match", "-version")),
    )


def next_match(player: Player, but: Match) -> Match | None:
    """The player's open match with the next deadline, other than `but`."""
    person = canonical(player)
    same = Player.objects.filter(Q(pk=person.pk) | Q(merged_into=person))
    still_to_play = [Match.State.OPEN, Match.State.LIVE]
    mine = Match.objects.filter(Q(player_0__in=same) | Q(player_1__in=same), state__in=still_to_play)
    rows = mine.exclude(pk=but.pk).select_related("player_0", "player_1")
    return rows.order_by(F("due_at").asc(nulls_last=True), "pk").first()


def what_next(player: Player, but: Match) -> MyMatch | None:
    """The player's next match, for the page of a match that needs nothing more from them."""
    match = next_match(player, but)
    if match is None:
        return None
    side = 0 if canonical(match.player_0) == canonical(player) else 1
    return MyMatch(
        match=match,
        side=side,
        opponent=match.players[1 - side].shown_name,
        context=match_contexts([match.parent_topic]).get(match.parent_topic),
        step=None,
        next_step="",
        asks_me=False,
        result=None,
        place=places_of([match.pk]).get(match.pk, ""),
    )


def _mine(match: Match, viewer: Viewer, contexts: dict[str, MatchContext], now: datetime, place: str = "") -> MyMatch:
    side = 0 if match.player_0_id in viewer.players else 1
    pending = Pending.of(match.claims.all(), match.submissions.all(), match.proposals.all())
    first = next(iter(next_steps(match, pending, now)), None)
    return MyMatch(
        match=match,
        side=side,
        opponent=match.players[1 - side].shown_name,
        context=contexts.get(match.parent_topic),
        step=first,
        next_step=describe(first, match, pending, side) if first is not None else "",
        asks_me=first is not None and first.side == side,
        result=next(iter(match.results.all()), None),
        place=place,
    )
