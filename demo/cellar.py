"""Evenings in a cellar, played through the services: lines are cut, answers get lost, and the server dies.

Two directors sit at a desk each. Matches go on whether or not a desk has a line; what happens then is kept in the
desk's outbox and arrives later. The seed decides all: chance is a hash of it, and the time is the number of a step.
"""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from django.db import connection, transaction

from demo.evenings import STARTS, drawn_division
from engine.errors import Refused
from formats.settings import KNOCKOUT, LIVES, PROGRESSIVE, ROUND_ROBIN, SWISS, NextRound, PairingMode, StageSettings
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match, Result
from matches.reporting.reports import ScoreReport, report_score
from players.actors import SYSTEM, Actor
from players.kept import outboxes
from players.kept.acts import SentAct
from players.kept.outboxes import NOT_STORED, OPEN, OutboxKey, Sending
from players.models import KeptAct, Membership, Player, User
from tournaments.draws import services as draws
from tournaments.entries import check_in
from tournaments.floor import calls, evening
from tournaments.floor.kept.arrival import arrival_at
from tournaments.floor.kept.going_on import about_event
from tournaments.models import Autopilot, CheckIn, Draw, Fixture, FloorEvent, FloorKind, Pairing, Slot, Tournament
from tournaments.results.services import enter_result
from tournaments.state.integrity import Selection, differences

LENGTH = 5
"""Of every match."""
STEP = timedelta(minutes=3)
CUT_FOR = 40
"""Steps in which lines are cut; then everybody is connected."""
MOST_STEPS = 400
AT_ONCE = 6
"""Acts in a request: fewer than browsers send, so that more happens between two requests."""
FORMATS: tuple[tuple[StageSettings, tuple[int, ...]], ...] = (
    (StageSettings(KNOCKOUT), (8, 16, 32)),
    (StageSettings(PROGRESSIVE), (8, 12, 16)),
    (StageSettings(SWISS, rounds=3, next_round=NextRound.PUBLISH, countdown=0), (8, 10, 16)),
    (StageSettings(ROUND_ROBIN), (8,)),
    (StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS), (8, 12)),
)
"""The formats, each with numbers of players."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
T = TypeVar("T")


@dataclass
class CellarReport:
    seed: int
    format: str = ""
    players: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    """Acts by outcome, and how often things went wrong."""
    findings: list[str] = field(default_factory=list)
    results: dict[int, tuple[str, str, int]] = field(default_factory=dict)
    """By match number: the winner, the loser and the loser's points."""


class _RolledBack(Exception):
    """Ends the transaction of an evening without keeping it."""


class Killed(BaseException):
    """The server is killed: nothing catches it."""


def simulate_cellar(seed: int) -> CellarReport:
    """Play the evening of a seed, and again without cuts if nothing was wrong or differed; nothing of it stays."""
    report = _played(seed, is_cut=True)
    is_comparable = report.format != LIVES and not report.counts["open results"] and not report.counts["mistakes"]
    if is_comparable and report.results != _played(seed, is_cut=False).results:
        report.findings.append("the results are not those of the evening without cuts")
    report.counts["compared"] += is_comparable
    return report


def _played(seed: int, *, is_cut: bool) -> CellarReport:
    report = CellarReport(seed)
    try:
        with transaction.atomic():
            _Cellar(report, is_cut=is_cut).play()
            raise _RolledBack
    except _RolledBack:
        return report


class _Chance(NamedTuple):
    """The random course of an evening: a number between 0 and 1 for each thing that happens."""

    seed: int

    def of(self, what: str, *number: int) -> float:
        digest = hashlib.sha256(f"{self.seed} {what} {number}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / 2**48

    def pick(self, rows: Sequence[T], what: str, *number: int) -> T:
        return rows[int(self.of(what, *number) * len(rows))]


@contextmanager
def killed_at(query: int) -> Iterator[None]:
    """Kill the server at this query; 0 does not."""
    left = query

    def count(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise Killed
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        yield


class _Known(NamedTuple):
    """A match as a desk has seen it: public ids of entries by side, empty if open, and where they come from."""

    fixture: str
    is_over: bool
    pair: tuple[str, ...]
    sources: tuple[tuple[str, int], ...]


@dataclass
class _Desk:
    """The page of a director, and its outbox."""

    number: int
    user: User
    key: str
    clock: timedelta
    """By how much the clock of the device is wrong."""
    is_up: bool = True
    is_dead: bool = False
    acts: list[dict[str, Any]] = field(default_factory=list)
    seen: int = 0
    seen_at: datetime = STARTS
    known: dict[int, _Known] = field(default_factory=dict)
    won: dict[int, int] = field(default_factory=dict)
    """The winners' sides of the results that were typed here."""

    def pair_of(self, number: int) -> tuple[str, ...]:
        """Return who plays in a match as far as this desk knows; empty for who does not follow from its results."""
        row = self.known[number]
        return tuple(entry or self._from(*source) for entry, source in zip(row.pair, row.sources, strict=True))

    def _from(self, source: str, number: int) -> str:
        if number not in self.won or number not in self.known or source not in (Slot.Source.WINNER, Slot.Source.LOSER):
            return ""
        pair, won = self.pair_of(number), self.won[number]
        return pair[won if source == Slot.Source.WINNER else 1 - won]


class _Sitting(NamedTuple):
    """A match that is played in the room."""

    pair: tuple[str, ...]
    until: int
    """The step at which it ends."""


class _Cellar:
    def __init__(self, report: CellarReport, *, is_cut: bool) -> None:
        self.report, self.chance, self.is_cut = report, _Chance(report.seed), is_cut
        self.step = 0
        stage, sizes = FORMATS[report.seed % len(FORMATS)]
        report.format, report.players = stage.format, self.chance.pick(sizes, "players")
        self.tables = max(3, report.players // 3)
        self.division = drawn_division(report.players, self.tables, report.seed, stage, match_length=LENGTH)
        self.topic = self.event.topic
        self.desks = [self._desk(number, name) for number, name in enumerate(("Alice", "Bob"))]
        self.is_up = True
        self.is_careful = self.chance.of("careful") < 0.6
        self.dies_at = int(10 + 40 * self.chance.of("dies")) if self.chance.of("laptop") < 0.3 else 0
        """The step at which the second desk dies."""
        self.is_carried = self.chance.of("carried") < 0.5
        """Whether the first desk has got its acts before."""
        self.playing: dict[int, _Sitting] = {}
        self.done: dict[int, tuple[tuple[str, ...], int, int]] = {}
        """The matches that were played in the room: who, the winner's side and the loser's points."""
        self.backup = ""

    def _desk(self, number: int, name: str) -> _Desk:
        user = User.objects.create_user(f"{name.lower()}@example.org", display_name=name)
        member = Player.objects.create(name=name, user=user)
        Membership.objects.create(club=self.event.club, player=member, role=Membership.Role.DIRECTOR)
        clock = timedelta(hours=self.chance.pick((0, 0, -2, 24), "clock", number))
        return _Desk(number, user, name.lower() * 4 + "k" * (22 - 4 * len(name)), clock)

    @property
    def event(self) -> Tournament:
        return Tournament.objects.select_related("club").get(pk=self.division.tournament_id)

    @property
    def now(self) -> datetime:
        return STARTS + self.step * STEP

    def _ms(self, desk: _Desk) -> int:
        return math.ceil((self.now + desk.clock - EPOCH) / timedelta(milliseconds=1))

    def _is_calm(self) -> bool:
        return not self.is_cut or self.step > CUT_FOR

    def play(self) -> None:
        """Play until all matches are over and everything has arrived, then look for what is wrong."""
        evening.set_autopilot(tournament=self.event, mode=Autopilot.CALL, by=SYSTEM, now=self.now)
        here = [entry.player for entry in self.division.entries.select_related("player")]
        check_in.mark_players_here(tournament=self.event, players=here, by=SYSTEM, now=self.now)
        while self.step < MOST_STEPS and not self._is_over():
            self.step += 1
            self._fail()
            if self.is_up:
                self._work()
            for desk in self.desks:
                self._send(desk)
                self._look(desk)
            self._sit_down()
            self._score()
            self._finish()
            if self._is_calm():
                self._type_what_is_missing()
        self._conclude()

    def _is_over(self) -> bool:
        if self.playing or not self._is_calm():
            return False
        boxes = [desk for desk in self.desks if not self._is_lost(desk)]
        waits = any(len(desk.acts) > outboxes.have(self.topic, desk.key) for desk in boxes)
        return not waits and not self._open().exists() and not self._drafts().exists() and not self._has_more()

    def _has_more(self) -> bool:
        """Whether whoever is free in an evening without rounds is still to be paired."""
        if self.report.format != LIVES:
            return False
        lost = Counter(loser for _winner, loser, _points in self._results().values())
        return sum(lost[name] < 2 for name in self.division.entries.values_list("player__name", flat=True)) > 1

    def _open(self) -> Any:
        states = (Match.State.OPEN, Match.State.CLAIMED, Match.State.DISPUTED)
        rows = Fixture.objects.filter(stage__division=self.division, match__state__in=states)
        return rows.select_related("match", "stage__division__tournament__club").order_by("number")

    def _drafts(self) -> Any:
        return Draw.objects.filter(stage__division=self.division, state__in=(Draw.State.REQUESTED, Draw.State.DRAFT))

    # What fails.

    def _fail(self) -> None:
        """Cut lines and mend them, back the server up or restore it."""
        if self._is_calm():
            self.is_up = True
            for desk in self.desks:
                desk.is_up = True
            self._die()
            return
        self.is_up = self.chance.of("server", self.step // 4) > 0.2
        for desk in self.desks:
            desk.is_up = self.chance.of("line", desk.number, self.step // 5) > 0.5
        if self.step >= self.dies_at:
            self._die()
        if self.step == 4 + int(20 * self.chance.of("backup")) and self.chance.of("backs up") < 0.3:
            self.backup = transaction.savepoint()
        elif self.backup and self.chance.of("restore", self.step) < 0.1:
            transaction.savepoint_rollback(self.backup)
            self.backup = ""
            self.report.counts["restored"] += 1

    def _die(self) -> None:
        if self.dies_at and self.is_cut and not self.desks[1].is_dead:
            self.desks[1].is_dead = True
            self.report.counts["dead laptops"] += 1

    def _is_lost(self, desk: _Desk) -> bool:
        return desk.is_dead and not self.is_carried

    def _has_line(self, desk: _Desk) -> bool:
        return self.is_up and desk.is_up and not desk.is_dead

    def _work(self) -> None:
        """Let the workers of the server draw the rounds and call."""
        for draw in draws.open_requests(self.now):
            draws.make_draft(draw_id=draw, now=self.now)
        for draw in draws.due_drafts(self.now):
            draws.publish_due_draft(draw_id=draw, now=self.now)
        calls.call_ready(tournament_id=self.event.pk, now=self.now)

    # What a desk sends and reads.

    def _send(self, desk: _Desk) -> None:
        """Send what a desk has kept, or what was taken over from it."""
        sender = self.desks[0] if desk.is_dead and self.is_carried else desk
        for attempt in range(8):
            waiting = desk.acts[outboxes.have(self.topic, desk.key) :]
            acts, left = waiting[:AT_ONCE], len(waiting[AT_ONCE:])
            if not acts or not self._has_line(sender):
                return
            number = (desk.number, self.step, attempt)
            dies = not self._is_calm() and self.chance.of("killed", *number) < 0.3
            before = self._decisions()
            try:
                with killed_at(1 + int(60 * self.chance.of("query", *number)) if dies else 0):
                    self._post(desk, sender, acts, left)
                    if self.chance.of("answer lost", *number) < 0.25:
                        facts = self._facts()
                        self._post(desk, sender, acts, left)  # As another tab does that has not heard of it.
                        if self._facts() != facts:
                            self.report.findings.append("a repeated act was done again")
            except Killed:
                self.report.counts["killed"] += 1
            if self._decisions() != before:
                self.report.findings.append("a kept act has called, paired or drawn")
            if left and calls.call_ready(tournament_id=self.event.pk, now=self.now):
                self.report.findings.append("the autopilot has called while acts were arriving")

    def _post(self, desk: _Desk, sender: _Desk, acts: Sequence[dict[str, Any]], left: int) -> None:
        sent = [
            SentAct(
                number=act["n"], action=act["action"], fields=act["fields"], at=act["at"], seen=act["seen"],
                seen_at=EPOCH + timedelta(milliseconds=act["seen_at"]), fixture=act["fixture"], pair=tuple(act["pair"]),
                reader=act["reader"], content=act,
            )
            for act in acts
        ]  # fmt: skip
        box = OutboxKey(self.topic, desk.key, self.event.club, "Firefox, Android")
        carries = about_event(self.event, Actor.of(sender.user)).carries if sender is not desk else None
        sending = Sending(Actor.of(sender.user), self._ms(desk), left, carries)
        outboxes.receive(box, sent, sending, arrival_at(self.event), self.now)

    def _decisions(self) -> tuple[int, ...]:
        made = FloorEvent.objects.filter(kind__in=(FloorKind.CALLED, FloorKind.CALLED_AGAIN))
        return made.count(), Pairing.objects.count(), Draw.objects.exclude(state=Draw.State.REQUESTED).count()

    def _facts(self) -> list[Any]:
        """Return how much has been recorded, and what became of each act."""
        outcomes = KeptAct.objects.order_by("pk").values_list("pk", "outcome")
        return [FloorEvent.objects.count(), CheckIn.objects.count(), Result.objects.count(), *outcomes]

    def _look(self, desk: _Desk) -> None:
        """Let a desk see what the server has."""
        if not self._has_line(desk):
            return
        newest = (
            rows.objects.order_by("pk").values_list("pk", flat=True).last() or 0 for rows in (FloorEvent, CheckIn)
        )
        desk.seen, desk.seen_at = max(newest), self.now
        slots = Slot.objects.filter(fixture__stage__division=self.division).order_by("fixture__number", "side")
        match = ("fixture__number", "fixture__public_id", "fixture__match__state")
        sides = defaultdict(list)
        for number, *row in slots.values_list(*match, "entry__public_id", "source", "source_fixture"):
            sides[number].append(row)
        desk.known = {
            number: _Known(
                rows[0][0],
                rows[0][1] not in (None, Match.State.OPEN),
                tuple(row[2] or "" for row in rows),
                tuple((row[3], row[4] or 0) for row in rows),
            )
            for number, rows in sides.items()
        }
        desk.won = {number: won for number, won in desk.won.items() if number in desk.known}

    # What happens in the room.

    def _sit_down(self) -> None:
        """Begin the matches that were called, and those that a desk without a line sends to a table."""
        if self.is_up:
            called = FloorEvent.objects.filter(kind=FloorKind.CALLED, fixture__in=self._open(), undone_by=None)
            for number in sorted(set(called.values_list("fixture__number", flat=True))):
                desk = self.chance.pick([desk for desk in self.desks if not desk.is_dead], "calls", number)
                if number in desk.known:
                    self._begin(number, desk.known[number].pair, desk)
        for desk in self.desks:
            if desk.is_dead or self._has_line(desk):
                continue
            for number, row in desk.known.items():
                if not row.is_over and len(self.playing) < self.tables:
                    self._begin(number, desk.pair_of(number), desk)

    def _begin(self, number: int, pair: tuple[str, ...], desk: _Desk) -> None:
        busy = {entry for sitting in self.playing.values() for entry in sitting.pair}
        if number in self.playing or number in self.done or "" in pair or busy & set(pair):
            return
        self.playing[number] = _Sitting(pair, self.step + 2 + int(6 * self.chance.of("minutes", number)))
        if self.chance.of("starts", number) < 0.6:
            self._type(desk, "start", number, pair, {})
        if self.chance.of("moves", number) < 0.2:
            tables = self.event.floor_tables.order_by("pk").values_list("public_id", flat=True)
            self._type(desk, "move", number, pair, {"table": self.chance.pick(list(tables), "table", number)})

    def _truth(self, number: int) -> tuple[int, int]:
        return int(2 * self.chance.of("winner", number)), int(LENGTH * self.chance.of("points", number))

    def _score(self) -> None:
        """Let desks note running scores and who is here."""
        for number, sitting in self.playing.items():
            if self.chance.of("scores", number, self.step) > 0.15:
                continue
            winner, points = self._truth(number)
            share = self.chance.of("share", number, self.step)
            score = [int(share * points), int(share * LENGTH)][:: 1 if winner else -1]
            desk = self.chance.pick(self.desks, "scores at", number, self.step)
            self._type(desk, "score", number, sitting.pair, {"left": score[0], "right": score[1]})
            if self.chance.of("here", number, self.step) < 0.3:
                entry = self.division.entries.select_related("player").get(public_id=sitting.pair[0])
                self._type(desk, "here", 0, (), {"players": [entry.player.public_id]})
                self._type(desk, "note", 0, (), {"text": f"M{number} goes on"})

    def _finish(self) -> None:
        """End the matches whose time is over; one desk or both type the result, and may take it back."""
        for number, sitting in list(self.playing.items()):
            if sitting.until > self.step:
                continue
            del self.playing[number]
            winner, points = self._truth(number)
            self.done[number] = (sitting.pair, winner, points)
            if self.is_up and self.chance.of("reports", number) < 0.15:
                self._report(number, winner, points)
            first = self.chance.pick(self.desks, "types", number)
            both = self.chance.of("both type", number) < 0.2
            for desk in self.desks if both else [first]:
                if not self.is_careful and self.chance.of("mistake", number, desk.number) < 0.15:
                    self.report.counts["mistakes"] += 1
                    winner = 1 - winner
                self._type(desk, "result", number, sitting.pair, {"winner": winner, "points": points})
                if not self.is_careful and self.chance.of("undo", number) < 0.1:
                    self._undo(desk)

    def _report(self, number: int, winner: int, points: int) -> None:
        """Let the winner report the result from a phone."""
        fixture = self._open().filter(number=number).first()
        if fixture is not None:
            report, by = ScoreReport(winner, _score_of(winner, points)), Actor.link(winner)
            with suppress(Refused):
                report_score(match=fixture.match, side=winner, report=report, by=by, now=self.now)

    def _type(self, desk: _Desk, action: str, number: int, pair: tuple[str, ...], fields: dict[str, Any]) -> None:
        """Do something at a desk, or at the other if it is dead; without a line it is kept."""
        desk = self.desks[0] if desk.is_dead else desk
        if number and number not in desk.known:
            return
        if action == "result":
            desk.won[number] = fields["winner"]
        if not self._has_line(desk):
            self._keep(desk, action, desk.known[number].fixture if number else "", pair, fields)
        elif number:
            with suppress(Refused):
                self._do(desk, action, number, fields)

    def _keep(self, desk: _Desk, action: str, fixture: str, pair: Sequence[str], fields: dict[str, Any]) -> None:
        seen_at = math.ceil((desk.seen_at - EPOCH) / timedelta(milliseconds=1))
        act = {"n": len(desk.acts) + 1, "action": action, "fixture": fixture, "pair": list(pair), "fields": fields}
        seen = {"seen": desk.seen, "seen_at": seen_at, "at": self._ms(desk), "reader": str(desk.user.pk)}
        desk.acts.append({**act, **seen})

    def _undo(self, desk: _Desk) -> None:
        """Take back the last act: it may have been sent, so that another act does so."""
        if desk.acts and not self._has_line(desk) and not desk.is_dead:
            self._keep(desk, "undo", "", (), {"of": len(desk.acts)})

    def _do(self, desk: _Desk, action: str, number: int, fields: dict[str, Any]) -> None:
        fixture, by = self._open().filter(number=number).first(), Actor.of(desk.user)
        if fixture is None:
            return  # It is over.
        if action == "result":
            result = ResultInput.played(_score_of(fields["winner"], fields["points"]))
            enter_result(fixture=fixture, result=result, by=by, now=self.now)
        elif action == "start":
            calls.start(fixture=fixture, by=by, now=self.now)
        elif action == "score":
            calls.set_running_score(fixture=fixture, score=(fields["left"], fields["right"]), by=by, now=self.now)
        elif action == "move":
            table = self.event.floor_tables.get(public_id=fields["table"])
            calls.move(fixture=fixture, table=table, by=by, now=self.now)

    def _type_what_is_missing(self) -> None:
        """Let a director type the results that are still missing, from the score sheets."""
        for fixture in self._open():
            pair = tuple(fixture.slots.order_by("side").values_list("entry__public_id", flat=True))
            played = self.done.get(fixture.number)
            if played is None or fixture.number in self.playing:
                continue
            if played[0] != pair:
                del self.done[fixture.number]  # Others play by now.
                continue
            result = ResultInput.played(_score_of(*played[1:]))
            enter_result(fixture=fixture, result=result, by=Actor.of(self.desks[0].user), now=self.now)

    # What must be in the end.

    def _conclude(self) -> None:
        report, acts = self.report, KeptAct.objects.filter(outbox__topic=self.topic)
        report.counts.update(acts.values_list("outcome", flat=True))
        report.counts["acts"] += sum(len(desk.acts) for desk in self.desks)
        report.counts["open results"] += acts.filter(action="result", outcome__in=OPEN).count()
        report.counts["server errors"] += acts.filter(code="server_error").count()
        report.results = self._results()
        found = report.findings
        if self.step == MOST_STEPS:
            found.append("the evening does not end")
        for act in acts.filter(code="server_error"):
            found.append(f"an act failed: {act.content}")
        for desk in self.desks:
            found += self._wrong_at(desk, [*acts.filter(outbox__key=desk.key).order_by("number")])
        found += [str(difference) for difference in differences(Selection.of(club=self.event.club))]
        made = [name for row in acts.values_list("made", flat=True) for name in row]
        if len(made) != len(set(made)):
            found.append("two acts have the same effect")
        found += self._wrong_results({name for name in made if name.startswith("result-")})

    def _wrong_at(self, desk: _Desk, stored: Sequence[KeptAct]) -> list[str]:
        found = []
        kept = [{name: part for name, part in act.items() if name not in NOT_STORED} for act in desk.acts]
        if [act.content for act in stored] != kept[: len(stored)]:
            found.append("other acts are stored than were kept")
        if len(stored) < len(desk.acts):
            self.report.counts["acts lost with a laptop"] += len(desk.acts) - len(stored)
            if not self._is_lost(desk):
                found.append("kept acts are lost")
        if [act.pk for act in stored] != sorted(act.pk for act in stored):
            found.append("acts arrived out of order")
        undone = {act.content["fields"]["of"] for act in stored if act.action == "undo"}
        decidable = [act for act in stored if act.action != "note" and act.number not in undone]
        if any(act.is_open != (act.outcome in OPEN) for act in decidable):
            found.append("what differs is not listed")
        if any(
            act.typed_at and act.typed_at < EPOCH + timedelta(milliseconds=act.content["seen_at"]) for act in stored
        ):
            found.append("typed before it was seen")
        return found

    def _wrong_results(self, kept: set[str]) -> Iterator[str]:
        """Look for kept results that replaced another."""
        for row in Result.objects.filter(pk__in=[name.removeprefix("result-") for name in kept]).select_related(
            "match"
        ):
            before = row.match.results.filter(version__lt=row.version).order_by("-version").first()
            if before is not None and before.kind != Result.Kind.VOID:
                yield f"a kept act replaced a result of {row.match}"

    def _results(self) -> dict[int, tuple[str, str, int]]:
        rows = {}
        settled = Fixture.objects.filter(stage__division=self.division, match__state=Match.State.SETTLED)
        for fixture in settled.select_related("match"):
            match = fixture.match
            result = standing_result(match) if match is not None else None
            if match is not None and result is not None and result.winner is not None and result.score is not None:
                winner, loser = match.players[result.winner], match.players[1 - result.winner]
                rows[fixture.number] = (winner.name, loser.name, result.score[1 - result.winner])
        return rows


def _score_of(winner: int, points: int) -> tuple[int, int]:
    return (LENGTH, points) if winner == 0 else (points, LENGTH)
