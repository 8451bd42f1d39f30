"""Which matches somebody is wanted in soon, so that one of lower rank is held back for them; without the database.

A match is to come for those of its players who are decided. It holds others back while everybody else whom it needs is
free, or at a match that is expected to end within `FloorSettings.hold` minutes, or comes from one that is. A match that
is overdue by more than that, and somebody who is absent, hold back nobody.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from formats.forecast.finish_times import remaining_share
from players.people.rows import PersonId
from tournaments.floor.state import (
    FloorFacts,
    FloorMatchState,
    FloorState,
    MatchFacts,
    MatchOnFloor,
    MatchProgress,
    SeatElsewhere,
    ToCome,
    WaitReason,
)
from tournaments.floor.times import expected_minutes, reached_at
from tournaments.state.presence import Presence

AT_A_MATCH = (FloorMatchState.CALLED, FloorMatchState.PLAYING, FloorMatchState.REPORTED)
BRINGS_THE_OTHER = (FloorMatchState.PLAYING, FloorMatchState.REPORTED)
NOT_CALLED = (FloorMatchState.WAITING, FloorMatchState.READY)


def matches_to_come(
    facts: FloorFacts,
    rows: Mapping[int, MatchOnFloor],
    presence: Presence,
    elsewhere: Mapping[PersonId, SeatElsewhere],
    now: datetime,
) -> dict[PersonId, list[ToCome]]:
    """Return person -> the matches that wait for them, in the order of the matches."""
    return _ToCome(facts, rows, presence, elsewhere, now).of_persons()


def also_wanted(state: FloorState, match: MatchOnFloor, now: datetime) -> Iterable[WaitReason]:
    """Yield who of a match is wanted in another division: the match that comes first by rank, and about when."""
    for person in state.facts.people_at(match.facts):
        others = [
            row for row in state.to_come.get(person, ()) if row.match.facts.division_id != match.facts.division_id
        ]
        if others:
            first = min(
                others, key=lambda row: (row.match.facts.rank, row.at is None, row.minutes(now), row.match.number)
            )
            params = {"player": person, "division": first.match.facts.division, "fixture": first.match.number}
            if first.minutes(now) and first.at is not None:
                params["until"] = first.at.isoformat()
            yield WaitReason("also_wanted", params)


class _ToCome:
    def __init__(
        self,
        facts: FloorFacts,
        rows: Mapping[int, MatchOnFloor],
        presence: Presence,
        elsewhere: Mapping[PersonId, SeatElsewhere],
        now: datetime,
    ) -> None:
        self.facts, self.rows, self.presence, self.elsewhere, self.now = facts, rows, presence, elsewhere, now
        self.hold = timedelta(minutes=facts.settings.hold)
        self.by_number = {(row.facts.stage, row.number): row for row in rows.values()}
        self.at_match = {
            person: row
            for row in rows.values()
            if row.state in AT_A_MATCH and (row.state != FloorMatchState.REPORTED or row.table is not None)
            for person in facts.people_at(row.facts)
        }

    def of_persons(self) -> dict[PersonId, list[ToCome]]:
        to_come: dict[PersonId, list[ToCome]] = defaultdict(list)
        for row in self.rows.values():
            if row.state not in NOT_CALLED or row.facts.held or not _is_needed(row.facts):
                continue
            for side, player in enumerate(row.facts.players):
                own = self._people(row, player)
                for person in own:
                    partners = [other for other in own if other != person]
                    to_come[person].append(self._of(row, side, partners))
        return dict(to_come)

    def _people(self, row: MatchOnFloor, player: int | None) -> list[PersonId]:
        """Return who has to be there for a side of a match."""
        return [person for person in self.facts.persons([player]) if person not in row.facts.excused]

    def _of(self, row: MatchOnFloor, side: int, partners: Sequence[PersonId]) -> ToCome:
        others = [*partners, *self._people(row, row.facts.players[1 - side])]
        if any(self._is_gone(person) for person in others):
            return ToCome(row, None)
        waits_for = [self.at_match[person] for person in others if person in self.at_match]
        if row.facts.players[1 - side] is None:
            source = row.facts.source(1 - side)
            before = self.by_number.get((row.facts.stage, source.number or 0)) if source is not None else None
            if before is None or before.state not in BRINGS_THE_OTHER:
                return ToCome(row, None)
            waits_for.append(before)
        ends = [self._ends_at(match) for match in waits_for]
        known = [end for end in ends if end is not None]
        if len(known) < len(ends):
            return ToCome(row, None)
        holds = bool(self.hold) and all(abs(end - self.now) <= self.hold for end in known)
        until = min(known) + self.hold if holds and known else None
        return ToCome(row, max(known, default=self.now), holds, until)

    def _is_gone(self, person: PersonId) -> bool:
        """Whether nobody can tell when a person can play, or not soon: absent, away, or at another event."""
        if self.presence.is_absent(person) or person in self.elsewhere:
            return True
        back = self.facts.away.get(person, self.now)
        return back is None or back > self.now + self.hold

    def _ends_at(self, row: MatchOnFloor) -> datetime | None:
        """Return when a match is expected to be over; None if nobody knows, as in a dispute or a pause without end."""
        match = row.facts
        pauses = [*self.facts.pauses, *match.interruptions]
        if row.state == FloorMatchState.CALLED:
            return reached_at(self.now, expected_minutes(match.length), pauses)
        if match.entered is not None:
            return self.now
        if row.started_at is None or match.progress == MatchProgress.DISPUTED:
            return None
        since, minutes = row.started_at, expected_minutes(match.length)
        if match.scored is not None and match.score is not None:
            away, opponent_away = (max(match.length - points, 0) for points in match.score)
            since, minutes = match.scored.at, minutes * remaining_share(away, opponent_away, match.length)
        end = reached_at(since, minutes, pauses)
        if end is not None and row.state == FloorMatchState.REPORTED:
            # Only the answer to its report is awaited.
            return min(end, self.now)
        return end


def _is_needed(match: MatchFacts) -> bool:
    """Whether a match will be played by all that is known; one that was voided has players, but no pair."""
    return match.is_counted and (match.pair is not None or None in match.players)
