"""Folding the facts of the floor, oldest first, into what still holds; without the database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from matches.lifecycle.at_tables import Seating
from tournaments.floor.facts import Fact, LengthOffer, Pair
from tournaments.floor.times import Pause
from tournaments.models import Autopilot, FloorKind

ABOUT_THE_FIXTURE = (FloorKind.PINNED, FloorKind.HELD, FloorKind.RELEASED)
"""Facts that hold whoever meets in the fixture."""


@dataclass
class Seat:
    """What the facts say about one match."""

    table: int | None = None
    call_times: list[datetime] = field(default_factory=list)
    started_at: datetime | None = None
    score: tuple[int, int] | None = None
    scored: Fact | None = None
    """The fact that gave it its running score."""
    late: dict[int, int] = field(default_factory=dict)
    rest_waived: bool = False
    pinned: bool = False
    held: bool = False
    clocks: int | None = None
    """The minutes on each clock that was put on the match."""
    adjourned: Fact | None = None
    """Why it is not being played, if it is adjourned."""
    interruptions: list[Pause] = field(default_factory=list)
    """The times for which it was adjourned."""
    offer: LengthOffer | None = None
    """The last offer of a shorter length, unless both have agreed to it or it was declined or withdrawn."""
    shortened: Fact | None = None
    """The last fact that made it shorter."""

    def seating(self, labels: Mapping[int, str], waits_for: tuple[str, ...] = ()) -> Seating:
        """Return where the match is, with the label of its table from `labels` and what it waits for."""
        return Seating(
            table=labels.get(self.table, "") if self.table is not None else "",
            called_at=next(iter(self.call_times), None),
            started_at=self.started_at,
            adjourned_at=self.adjourned.at if self.adjourned is not None else None,
            score=self.score,
            waits_for=waits_for,
        )


@dataclass
class Folded:
    """What holds after all facts."""

    seats: dict[int, Seat] = field(default_factory=dict)
    occupants: dict[int, int] = field(default_factory=dict)
    """Table -> the fixture that was last sent to it and has not left."""
    out: dict[int, str] = field(default_factory=dict)
    """Table out of use -> why."""
    pauses: list[Pause] = field(default_factory=list)
    autopilot: Autopilot = Autopilot.SUGGEST
    accessible: set[int] = field(default_factory=set)

    def seat(self, fixture: int) -> Seat:
        """Return what holds for a fixture, new if nothing does yet."""
        return self.seats.setdefault(fixture, Seat())


def fold(facts: Iterable[Fact], pairs: Mapping[int, Pair | None]) -> Folded:
    """Fold the facts that were not undone and are about the players who meet now; `pairs` has these by fixture."""
    folded = Folded()
    for fact in standing(facts):
        if applies(fact, pairs):
            _STEPS[_group(fact.kind)](folded, fact)
    return folded


def standing(facts: Iterable[Fact]) -> list[Fact]:
    """Return the facts that were not undone, in order."""
    rows = sorted(facts, key=lambda fact: fact.id)
    undone = {fact.undoes for fact in rows if fact.kind == FloorKind.UNDONE}
    return [fact for fact in rows if fact.id not in undone and fact.kind != FloorKind.UNDONE]


def applies(fact: Fact, pairs: Mapping[int, Pair | None]) -> bool:
    """Whether a fact is about nobody's match, or about two players who still meet in that fixture."""
    if fact.fixture is None:
        return True
    if fact.fixture not in pairs:
        return False
    return fact.kind in ABOUT_THE_FIXTURE or fact.pair == pairs[fact.fixture]


def _group(kind: FloorKind) -> str:
    if kind in (FloorKind.PAUSED, FloorKind.RESUMED):
        return "pause"
    if kind in (FloorKind.CALLED, FloorKind.CALLED_AGAIN, FloorKind.MOVED, FloorKind.FREED):
        return "place"
    if kind in (FloorKind.CLOCKS, FloorKind.ADJOURNED, FloorKind.CONTINUED, FloorKind.SHORTENED):
        return "closing"
    if kind in (FloorKind.TABLE_OUT, FloorKind.TABLE_BACK, FloorKind.AUTOPILOT, FloorKind.NEEDS_ACCESSIBLE):
        return "floor"
    if kind in (
        FloorKind.LENGTH_OFFERED,
        FloorKind.LENGTH_ACCEPTED,
        FloorKind.LENGTH_DECLINED,
        FloorKind.LENGTH_WITHDRAWN,
    ):
        return "offer"
    return "match"


def _fold_pause(folded: Folded, fact: Fact) -> None:
    """Begin a pause, or end the one that is on; a new pause replaces the end of the last one."""
    last = folded.pauses[-1] if folded.pauses else None
    if last is not None and (last.until is None or last.until > fact.at):
        folded.pauses[-1] = Pause(last.since, fact.at)
    if fact.kind == FloorKind.PAUSED:
        until = fact.params.get("until")
        folded.pauses.append(Pause(fact.at, datetime.fromisoformat(until) if until else None))


def _fold_place(folded: Folded, fact: Fact) -> None:
    """Send a match to a table, or take it away from there."""
    if fact.fixture is None:
        return
    seat = folded.seat(fact.fixture)
    if fact.kind == FloorKind.FREED:
        _leave(folded, fact.fixture)
        if seat.started_at is None:
            seat.call_times.clear()
        return
    if fact.kind != FloorKind.MOVED or not seat.call_times:
        seat.call_times.append(fact.at)
    if fact.table is not None:
        _leave(folded, fact.fixture)
        before = folded.occupants.get(fact.table)
        if before is not None:
            folded.seat(before).table = None
        folded.occupants[fact.table] = fact.fixture
        seat.table = fact.table


def _leave(folded: Folded, fixture: int) -> None:
    seat = folded.seat(fixture)
    if seat.table is not None and folded.occupants.get(seat.table) == fixture:
        del folded.occupants[seat.table]
    seat.table = None


def _fold_floor(folded: Folded, fact: Fact) -> None:
    """Take a table out of use or back, switch the autopilot, or note what a player needs."""
    if fact.kind == FloorKind.TABLE_OUT and fact.table is not None:
        folded.out[fact.table] = str(fact.params.get("reason", ""))
    elif fact.kind == FloorKind.TABLE_BACK and fact.table is not None:
        folded.out.pop(fact.table, None)
    elif fact.kind == FloorKind.AUTOPILOT:
        folded.autopilot = Autopilot(fact.params["mode"])
    elif fact.kind == FloorKind.NEEDS_ACCESSIBLE and fact.player is not None:
        (folded.accessible.add if fact.params["needed"] else folded.accessible.discard)(fact.player)


def _fold_match(folded: Folded, fact: Fact) -> None:
    """Note what is known of one match."""
    if fact.fixture is None:
        return
    seat = folded.seat(fact.fixture)
    match fact.kind:
        case FloorKind.STARTED:
            seat.started_at = seat.started_at or fact.at
        case FloorKind.RUNNING_SCORE:
            seat.started_at = seat.started_at or fact.at
            left, right = fact.params["score"]
            seat.score, seat.scored = (left, right), fact
        case FloorKind.LATE if fact.player is not None:
            seat.late[fact.player] = int(fact.params["minutes"])
        case FloorKind.REST_WAIVED:
            seat.rest_waived = True
        case FloorKind.PINNED:
            seat.pinned, seat.held = True, False
        case FloorKind.HELD:
            seat.pinned, seat.held = False, True
        case FloorKind.RELEASED:
            seat.pinned, seat.held = False, False


def _fold_closing(folded: Folded, fact: Fact) -> None:
    """Note that a match got clocks, was adjourned, goes on or is shorter. Its length is that of the match itself."""
    if fact.fixture is None:
        return
    seat = folded.seat(fact.fixture)
    if fact.kind == FloorKind.CLOCKS:
        seat.clocks = int(fact.params["minutes"])
    elif fact.kind == FloorKind.ADJOURNED:
        left, right = fact.params["score"]
        seat.adjourned, seat.score, seat.scored = fact, (left, right), fact
        _leave(folded, fact.fixture)
    elif fact.kind == FloorKind.CONTINUED and seat.adjourned is not None:
        seat.interruptions.append(Pause(seat.adjourned.at, fact.at))
        seat.adjourned = None
    elif fact.kind == FloorKind.SHORTENED:
        seat.shortened = fact


def _fold_offer(folded: Folded, fact: Fact) -> None:
    """Note an offer of a shorter length, who agrees to it, and its end."""
    if fact.fixture is None:
        return
    seat = folded.seat(fact.fixture)
    side = fact.params.get("side")
    if fact.kind == FloorKind.LENGTH_OFFERED:
        score = fact.params["score"]
        seat.offer = LengthOffer(
            fact.id,
            side,
            fact.params["length"],
            fact.params["was"],
            None if score is None else (score[0], score[1]),
            frozenset() if side is None else frozenset({side}),
        )
    elif seat.offer is not None and seat.offer.fact == fact.params["offer"]:
        agreed = seat.offer.agreed | {fact.params["side"]}
        has_ended = fact.kind != FloorKind.LENGTH_ACCEPTED or agreed == {0, 1}
        seat.offer = None if has_ended else replace(seat.offer, agreed=agreed)


_STEPS = {
    "pause": _fold_pause,
    "place": _fold_place,
    "floor": _fold_floor,
    "match": _fold_match,
    "closing": _fold_closing,
    "offer": _fold_offer,
}
