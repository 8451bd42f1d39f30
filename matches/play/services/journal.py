"""The rows of a live match while it is locked: events appended, the cache kept, the match finished."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.locks import for_update
from engine.actions import Act
from engine.errors import Refused
from engine.scoring import WinKind
from matches.lifecycle.begun import derive_begun
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.locks import changed
from matches.models import Action, LiveMatch, Match, Result
from matches.play.codec import from_data, to_data
from matches.play.instants import from_ms, to_ms
from matches.play.live import Event, Kind, LiveState, after_event
from matches.play.services import lag
from players.actors import SYSTEM, Actor

_CLOCK_ONLY = frozenset(Kind) - {Kind.READY, Kind.CLAIM_AWAY}
"""Kinds that leave position, cube and turn alone: what was decided before them is not stale."""
_RESULT_KINDS = {
    WinKind.CONCESSION: Result.Kind.CONCESSION,
    WinKind.FLAG: Result.Kind.FLAG,
    WinKind.RULING: Result.Kind.RULING,
}


@dataclass
class Journal:
    """A live match that is locked until the transaction ends."""

    match: Match
    live: LiveMatch
    state: LiveState
    appended: list[Action] = field(default_factory=list)

    @classmethod
    def open(cls, match_id: int) -> "Journal":
        """Lock a match that is played here. Refused: `not_live` where it is not, or no longer."""
        match = for_update(Match.objects.select_related("live")).get(pk=match_id)
        if match.state != Match.State.LIVE:
            raise Refused("not_live")
        return cls(match, match.live, from_data(match.live.state))

    @property
    def has_fast_clock(self) -> bool:
        """Whether lag counts: there is a clock, and not one of days."""
        return self.state.clock is not None and not self.state.clock.settings.correspondence

    def credits(self) -> tuple[int, int]:
        """What would be given back to each side for lag."""
        return lag.possible_credits(self.match.pk) if self.has_fast_clock else (0, 0)

    def append(
        self,
        event: Event,
        *,
        by: Actor,
        key: str = "",
        data: Mapping[str, Any] | None = None,
    ) -> Action:
        """Apply an event to the state and add its row; `data` is kept beside what the event itself says."""
        self.state = after_event(self.state, event)
        self.live.last += 1
        if event.kind not in _CLOCK_ONLY:
            self.live.changed_by = self.live.last
        action = Action(
            live=self.live,
            seq=self.live.last,
            kind=event.kind,
            side=event.side,
            data=_event_data(event) | dict(data or {}),
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
        Action.objects.bulk_create(self.appended)
        due = self.state.due_at(self.credits())
        self.live.state = to_data(self.state)
        self.live.due_at = from_ms(due) if due is not None else None
        begins = self.live.begun_at is None and any(action.kind == Act.ROLL for action in self.appended)
        if begins:
            self.live.begun_at = now
        self.live.save(update_fields=["state", "last", "changed_by", "begun_at", "due_at"])
        if self.state.match.is_over:
            self._finish(now)
            return
        if begins:
            derive_begun(self.match)
        changed(self.match, "begun_at")

    def _finish(self, now: datetime) -> None:
        """Append the result; whatever stands above the match learns of it from a worker."""
        over = self.state.match
        kind = _RESULT_KINDS.get(over.ending, Result.Kind.PLAYED) if over.ending else Result.Kind.PLAYED
        outcome = ResultInput(over.winner, over.score, kind)
        basis = Basis(Result.Source.LIVE)
        append_result(self.match, outcome, basis, by=SYSTEM, now=now, announce_in_worker=True)


def event_of(action: Action) -> Event:
    """The event that a row stores."""
    data = action.data
    return Event(
        kind=action.kind,
        at=to_ms(action.at),
        side=action.side,
        dice=tuple(data["dice"]) if "dice" in data else None,
        moves=tuple(tuple(way) for way in data.get("moves", ())),
        value=data.get("value"),
        score=tuple(data["score"]) if "score" in data else None,
        credit=action.credit,
    )


def _event_data(event: Event) -> dict[str, Any]:
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
