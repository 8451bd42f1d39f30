"""The rows of a live match while it is locked: events appended, the cache kept, the match finished."""

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any, Self

from django.db import transaction

from core.live.site_version import unseen_writes
from core.locks import for_update
from core.queue import hint
from engine.actions import Act, Phase
from engine.cube import Side, face
from engine.errors import Refused
from engine.keys import OFF
from engine.notation import Step, standard_notation
from engine.scoring import WinKind
from matches.analysis.queue import enqueue_match
from matches.lifecycle.begun import derive_begun
from matches.lifecycle.finish import Announced, Basis, ResultInput, append_result
from matches.lifecycle.locks import changed
from matches.lifecycle.spectators import is_delayed
from matches.models import Action, LiveMatch, Match, Result
from matches.play import lag as lags
from matches.play.aborting import abort_if_left
from matches.play.chains import Chains
from matches.play.codec import from_data, to_data
from matches.play.live import EventKind, LiveEvent, LiveState, after_event, from_ms, taken_back
from matches.play.notifications import notify_turn
from matches.play.public_state import streamed_state
from matches.play.transcripts import transcript_of
from matches.records.comparison import fingerprints
from matches.records.repeats import note_plays
from players.actors import SYSTEM, Actor

_CLOCK_ONLY = frozenset(EventKind) - {EventKind.CLAIM_AWAY, EventKind.TAKE_BACK}
"""Kinds that leave position, cube and turn alone: what was decided before them is not stale."""
_SAYS_SO = (Act.PLAY, Act.RESIGN, Act.CONCEDE)
"""By these a side has begun to play, or has given up: what the match then comes to does not surprise it."""
_RULINGS = (Act.SET_SCORE, Act.END_GAME)
"""With these a director may end a match; no director does that in their own."""
_OF_BOARD = ("bot_since", "lapses_at", "lapsed_at")
_RESULT_KINDS = {
    WinKind.CONCESSION: Result.Kind.CONCESSION,
    WinKind.FLAG: Result.Kind.FLAG,
    WinKind.RULING: Result.Kind.RULING,
}
AHEAD = "ahead"
"""In the data of an answer to a double: the player decided it before the double came."""
INVITATION = timedelta(minutes=10)
"""How long an invitation to a board can be taken up …"""
INVITATION_BY_CORRESPONDENCE = timedelta(days=3)
"""… and by correspondence."""
ACT_FOR_BOT, ACT_AT_LEVEL = "matches.act_for_bot", "matches.act_at_level"
"""The tasks that a hint names: for a bot, and for one whose decisions an analysis program makes."""


def lock_with_live(match_id: int) -> Match:
    """Lock a match and its board until the transaction ends.

    Only the row of the match is locked. On PostgreSQL the joined row of the board is the one that this statement saw
    when it began, even if it waited for the lock; whoever then appends to an outdated board is stopped by the
    constraint `action_seq_once`.
    """
    return for_update(Match.objects.select_related("live")).get(pk=match_id)


@dataclass
class Journal:
    """A live match that is locked until the transaction ends."""

    match: Match
    live: LiveMatch
    state: LiveState
    appended: list[Action] = field(default_factory=list)
    known_lag: lags.MatchLag | None = None
    """The lag of both sides, if it was read before."""
    _waits_for_before: tuple[Any, ...] = field(init=False)
    lag: lags.MatchLag = field(init=False)

    def __post_init__(self) -> None:
        self._waits_for_before = self._waits_for
        self.lag = (self.known_lag or lags.lag_of(self.match.pk)) if self._has_fast_clock else lags.NO_LAG

    @classmethod
    def open(cls, match_id: int) -> "Journal":
        """Lock a match that is played here. Refused: `not_live` where it is not, or no longer."""
        return cls.of(lock_with_live(match_id))

    @classmethod
    def of(cls, match: Match) -> Self:
        """The journal of a locked match. Refused: `not_live`."""
        if match.state != Match.State.LIVE:
            raise Refused("not_live")
        return cls(match, match.live, from_data(match.live.state))

    @property
    def _has_fast_clock(self) -> bool:
        """Whether lag counts: there is a clock, and not one of days."""
        return self.state.clock is not None and not self.state.clock.settings.correspondence

    @property
    def credits(self) -> tuple[int, int]:
        """What would be given back to each side for lag."""
        return self.lag.possible_credits

    def give_back(self, side: Side, network: str) -> int:
        """Take what a side is given back for the lag of its network from its allowance, and return it."""
        credit, self.lag = lags.take(self.match.pk, side, network, self.lag)
        return credit

    def chains(self) -> Chains:
        return Chains(self.live, self.match.public_id)

    def append(
        self,
        event: LiveEvent,
        *,
        by: Actor,
        key: str = "",
        data: Mapping[str, Any] | None = None,
    ) -> Action:
        """Apply an event to the state and add its row; `data` is kept beside what the event itself says."""
        before, self.state = self.state, after_event(self.state, event)
        stored = event_data(event) | outcome_data(before, self.state, event) | dict(data or {})
        return self._add(event, stored, by, key)

    def take_back(self, event: LiveEvent, *, to: int, state: LiveState, by: Actor, key: str = "") -> Action:
        """Return to `state`, that after action `to`; the actions since then stay in the log, and count no more."""
        self.state = taken_back(state, self.state)
        return self._add(event, {"to": to}, by, key)

    def _add(self, event: LiveEvent, data: dict[str, Any], by: Actor, key: str) -> Action:
        """Add the row of an event that the state already has."""
        self.live.last += 1
        if event.kind not in _CLOCK_ONLY:
            self.live.changed_by = self.live.last
        action = Action(
            live=self.live,
            seq=self.live.last,
            kind=event.kind,
            side=event.side,
            data=data,
            credit=event.credit,
            key=key,
            at=from_ms(event.at),
            by=by.kind,
            user=by.user,
        )
        self.appended.append(action)
        return action

    def close(self, now: datetime) -> None:
        """Write what was appended, the cache and, once the match is over, its result."""
        due = self.state.due_at(self.credits)
        score_before = tuple(self.live.state["match"]["score"])
        self.live.state = to_data(self.state)
        self.live.due_at = from_ms(due) if due is not None else None
        begins = self.live.begun_at is None and any(action.kind == Act.ROLL for action in self.appended)
        if begins:
            self.live.begun_at = now
        self.live.lapses_at = self._lapses_at(now)
        self._call_bot(now)
        if self.state.match.is_over:
            self._save()
            self._finish(now)
            return
        is_new_score = self.state.match.score != score_before
        in_lists = begins or (is_new_score and not is_delayed(self.live, self.match))
        # Public pages show the score of a live match, and nothing else of it.
        with nullcontext() if in_lists else unseen_writes():
            self._save()
            if begins:
                derive_begun(self.match)
            content = partial(streamed_state, self.live, self.state, self.appended)
            changed(self.match, "begun_at", in_lists=in_lists, for_players=self._is_next_turn, content=content)
            if self._is_next_turn:
                self._notify_next(now)

    def _notify_next(self, now: datetime) -> None:
        """Tell the players that a match by correspondence waits for, except the one who has just acted."""
        acted = {action.side for action in self.appended if AHEAD not in action.data}
        for side in (0, 1):
            if self.state.has_to_act(side) and side not in acted:
                notify_turn(self.match, side, now)

    def _save(self) -> None:
        Action.objects.bulk_create(self.appended)
        self.live.save(update_fields=["state", "last", "changed_by", "begun_at", "due_at", *_OF_BOARD])

    def _lapses_at(self, now: datetime) -> datetime | None:
        """When the invitation lapses; a director who adjourns a board stops that, too."""
        waits = self.state.is_invitation and self.live.lapsed_at is None and not self.state.match.is_over
        if not waits or self.state.match.phase is Phase.ADJOURNED:
            return None
        return self.live.lapses_at or lapses_at(self.match, by_correspondence=self.live.correspondence, now=now)

    @property
    def _waits_for(self) -> tuple[Any, ...]:
        return self.state.match.to_act, self.state.ready

    @property
    def _is_next_turn(self) -> bool:
        """Whether a match by correspondence now waits for somebody else. By other clocks both are at the board."""
        return self.live.correspondence and self._waits_for != self._waits_for_before

    def _call_bot(self, now: datetime) -> None:
        """Note whether the match waits for its bot, and hint a worker at it if it did not before."""
        side = self.live.bot_side
        if side is None or not self.state.waits_for_bot(side):
            self.live.bot_since = None
        elif self.live.bot_since is None:
            self.live.bot_since = now
            act = ACT_AT_LEVEL if self.live.bot_level else ACT_FOR_BOT
            transaction.on_commit(partial(hint, act, self.live.pk), robust=True)

    def _finish(self, now: datetime) -> None:
        """Append the result; whatever stands above the match learns of it from a worker."""
        over = self.state.match
        if over.winner is not None and abort_if_left(self.match, loser=1 - over.winner, ending=over.ending, now=now):
            return
        kind = _RESULT_KINDS.get(over.ending, Result.Kind.PLAYED) if over.ending else Result.Kind.PLAYED
        outcome = ResultInput(over.winner, over.score, kind)
        is_ruled = any(action.kind in _RULINGS for action in self.appended)
        basis = Basis(Result.Source.LIVE, acted=self._sides_that_played, is_ruled=is_ruled)
        append_result(self.match, outcome, basis, by=SYSTEM, now=now, announced_by=Announced.WORKER)
        enqueue_match(match=self.match, now=now)
        # Actions that do not lead to this end are for `check_integrity`; the match is over all the same.
        with suppress(Refused):
            note_plays(self.match.pk, fingerprints(transcript_of(self.live)))

    @property
    def _sides_that_played(self) -> frozenset[int]:
        """The sides that have begun to play, or gave up; both in practice, where nobody else could have played."""
        if self.live.bot_side is not None:
            return frozenset((0, 1))
        sides = self.live.actions.filter(kind__in=_SAYS_SO).order_by().values_list("side", flat=True).distinct()
        return frozenset(side for side in sides if side is not None)


def lapses_at(match: Match, *, by_correspondence: bool, now: datetime, wait: timedelta = timedelta(0)) -> datetime:
    """When an invitation sent now lapses: never after the deadline of its round.

    `wait` is added to the usual time.
    """
    lapses = now + wait + (INVITATION_BY_CORRESPONDENCE if by_correspondence else INVITATION)
    return min(lapses, match.due_at) if match.due_at is not None and match.due_at > now else lapses


def outcome_data(before: LiveState, after: LiveState, event: LiveEvent) -> dict[str, Any]:
    """What lists of plays show beside the event itself: a play in notation, the offered cube, who begins a game."""
    if event.kind == Act.PLAY:
        return {"notation": _notation(before, event)}
    if event.kind == Act.DOUBLE:
        return {"cube": face(after.match.cube, offered=True)}
    if event.kind == Act.ROLL and event.side is None:
        return {"begins": after.match.turn}
    return {}


def _notation(before: LiveState, event: LiveEvent) -> str:
    """A play as players write it."""
    counts = list(before.match.position.counts)
    steps = []
    for way in event.moves:
        for source, target in pairwise(way):
            hit = target != OFF and counts[target] == -1
            counts[target] = 0 if hit else counts[target]
            steps.append(Step(source, target, source - target, hit))
    return standard_notation(steps)


def event_data(event: LiveEvent) -> dict[str, Any]:
    """What an event's kind needs, as JSON."""
    data: dict[str, Any] = {}
    if event.dice is not None:
        data["dice"] = list(event.dice)
    if event.kind == Act.PLAY:
        data["moves"] = [list(way) for way in event.moves]
    if event.value is not None:
        data["value"] = event.value
    if event.score is not None:
        data["score"] = list(event.score)
    return data
