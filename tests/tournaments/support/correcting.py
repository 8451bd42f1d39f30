"""Divisions of every format with a random history, to be corrected: forfeits, double forfeits and withdrawals included.

`Cup.like` plays the same history again in a division of its own, with another result in one place.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.db import transaction
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings

from formats.lots import commitment
from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Match, PlayerRating, RatingChange, RatingPool, Result
from matches.ratings import services as ratings
from players.actors import SYSTEM
from players.models import Club, Player
from tests.event_cast import NOON, Clocked
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Correction, Division, Draw, Entry, Fixture, Round, Slot, Stage
from tournaments.results import corrections
from tournaments.results import services as results
from tournaments.state.derivation import states_of
from tournaments.state.integrity import differences
from tournaments.state.locks import lock_division, lock_event
from tournaments.state.settle import settle_division
from tournaments.state.stage_rows import DivisionRows
from tournaments.state.stages import set_stages

LATER = NOON + timedelta(days=1)
LENGTH = 3
ACTS: dict[str, Any] = {"by": SYSTEM}

KNOCKOUT = [StageSettings("knockout")]
PROGRESSIVE = [StageSettings("progressive", last_chance="")]
DOUBLE = [StageSettings("double", second_final=True)]
GROUPS = [StageSettings("groups", groups=2, qualifiers=2), StageSettings("knockout")]
SWISS = [StageSettings("swiss", rounds=3)]
ROUND_ROBIN = [StageSettings("roundrobin")]
SWISS_FIRST = [StageSettings("swiss", rounds=2, qualifiers=4), StageSettings("double")]
FORMATS: list[tuple[list[StageSettings], int, int]] = [
    (KNOCKOUT, 3, 16),
    (PROGRESSIVE, 8, 14),
    (DOUBLE, 3, 10),
    (GROUPS, 5, 8),
    (SWISS, 4, 9),
    (ROUND_ROBIN, 3, 6),
    (SWISS_FIRST, 5, 8),
]
"""Stages, and the least and most entries of a test."""


def quickly(examples: int) -> hypothesis_settings:
    """So many examples, each of which takes a second or two."""
    return hypothesis_settings(
        max_examples=examples,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@dataclass(frozen=True)
class Played:
    """A result as it was entered; `pair` are the players of the two sides."""

    number: int
    pair: tuple[int, int]
    result: ResultInput
    at: datetime


@dataclass(frozen=True)
class Left:
    """A player withdrew from the division."""

    player: int
    at: datetime


@dataclass(frozen=True)
class Paired:
    """A draw or a round was published; places are players, or None."""

    stage: int
    round: int
    number: int
    places: tuple[int | None, ...]
    byes: dict[int, str]
    algorithm: str
    at: datetime


History = list[Played | Left | Paired]


@dataclass
class Cup(Clocked):
    """A division in an event and a rating pool of its own."""

    division: Division
    pool: RatingPool
    stages: list[StageSettings]
    cast: list[Player]
    at: datetime = NOON
    history: History = field(default_factory=list)

    # Making one

    @classmethod
    def create(cls, count: int, stages: list[StageSettings]) -> "Cup":
        """So many players, entered and not drawn."""
        cast = [Player.objects.create(name=f"Player {number}") for number in range(1, count + 1)]
        return cls.of(cast, stages, "first")

    @classmethod
    def of(cls, cast: list[Player], stages: list[StageSettings], name: str) -> "Cup":
        """A division of these players or pairs; its seeds are known."""
        club, _ = Club.objects.get_or_create(slug="harbour", defaults={"name": "Harbour", "time_zone": "UTC"})
        pool = RatingPool.objects.create(name=name)
        event = events.create_tournament(club=club, by=SYSTEM, now=NOON, name=f"Cup {name}", starts_at=NOON)
        division = events.create_division(tournament=event, by=SYSTEM, now=NOON, name="Main", match_length=LENGTH)
        sides = Division.Sides.ONE if cast[0].parts is None else Division.Sides.TWO
        Division.objects.filter(pk=division.pk).update(pool=pool, sides=sides)
        entries.enter(division=division, players=cast, by=SYSTEM, now=NOON)
        events.publish_tournament(tournament=event, by=SYSTEM, now=NOON)
        division.refresh_from_db()
        for row in set_stages(division=division, stages=stages, after=division.seq, by=SYSTEM, now=NOON):
            seed = bytes([row.number]) * 32
            Stage.objects.filter(pk=row.pk).update(
                seed=seed.hex(), seed_hash=commitment(seed), lots_seed=seed.hex(), lots_hash=commitment(seed)
            )
        return cls(division, pool, stages, cast)

    # Playing

    def play(self, chance: Random, *, most: int = 10**6, wild: bool = True) -> "Cup":
        """Draws, then plays in any order, to the end or so many matches; wild: with forfeits and withdrawals."""
        if not Draw.objects.filter(stage__division=self.division).exists():
            draws.request_draw(division=self.division, by=SYSTEM, now=self.now())
        for _ in range(most):
            self.work()
            ready = self.ready()
            if not ready:
                break
            if wild and chance.randrange(20) == 0:
                self.somebody_leaves(chance)
            else:
                self.report(chance.choice(ready), _any_result(chance, wild=wild))
        self.work()
        return self

    def work(self) -> None:
        """Workers make what was asked for, and it is published."""
        while True:
            draw = Draw.objects.filter(stage__division=self.division, state=Draw.State.REQUESTED).first()
            if draw is None:
                return
            draws.make_draft(draw_id=draw.pk, now=self.now())
            draw.refresh_from_db()
            if draw.state == Draw.State.DRAFT:
                draws.publish_draw(division=self.division, after=self.seq, by=SYSTEM, now=self.now())
                draw.refresh_from_db()
            if draw.state == Draw.State.PUBLISHED:
                self.note(draw)

    def note(self, draw: Draw) -> None:
        """A published draw becomes history."""
        players = dict(self.division.entries.values_list("pk", "player"))
        places = tuple(players.get(place or 0) for place in draw.places)
        byes = {players[int(entry)]: kind for entry, kind in draw.byes.items()}
        self.history.append(Paired(draw.stage.number, draw.round, draw.number, places, byes, draw.algorithm, self.at))

    def ready(self) -> list[Fixture]:
        """What can be played."""
        return [row for row in self.fixtures() if row.status == Fixture.Status.READY]

    def fixtures(self) -> list[Fixture]:
        """All of them, by number."""
        rows = Fixture.objects.filter(stage__division=self.division).select_related("match", "stage__division")
        return list(rows.order_by("number"))

    def fixture(self, number: int) -> Fixture:
        """M1, M2 …"""
        return next(row for row in self.fixtures() if row.number == number)

    def entry_of(self, number: int, side: int) -> Entry:
        """The entry that stands in a slot."""
        entry = self.fixture(number).slots.get(side=side).entry
        assert entry is not None
        return entry

    def settled(self) -> list[Fixture]:
        """Those with a result that could be corrected."""
        return [row for row in self.fixtures() if row.match is not None and row.match.state == Match.State.SETTLED]

    def report(self, fixture: Fixture, new: ResultInput, at: datetime | None = None) -> None:
        """The director enters a result."""
        assert fixture.match is not None
        at = at or self.now()
        results.enter_result(fixture=fixture, result=new, by=SYSTEM, now=at)
        pair = (fixture.match.player_0_id, fixture.match.player_1_id)
        self.history.append(Played(fixture.number, pair, new, at))

    def somebody_leaves(self, chance: Random) -> None:
        """A player withdraws from the division, while there are enough others."""
        there = list(self.division.entries.filter(status=Entry.Status.IN).order_by("pk"))
        if len(there) > len(self.cast) - 2:
            self.leave(chance.choice(there))

    def leave(self, entry: Entry) -> None:
        """Withdraw an entry."""
        entries.withdraw(entry=entry, by=SYSTEM, now=self.now())
        self.history.append(Left(entry.player_id, self.at))

    # Correcting

    def correct(self, fixture: Fixture, new: ResultInput, choice: str = "correct_all", **more: Any) -> Correction:
        """Applied at once."""
        options = {name: more.pop(name) for name in ("reason", "voided_rated", "mark") if name in more}
        arguments = {"after": self.seq, "by": SYSTEM, "now": LATER, **more}
        correction = corrections.CorrectionInput(new, choice, **options)
        applied = corrections.apply_correction(fixture=fixture, correction=correction, **arguments)
        assert applied is not None
        return applied

    def undo(self, correction: Correction, now: datetime = LATER) -> Correction:
        """Taken back at once."""
        return corrections.undo_correction(correction=correction, after=self.seq, by=SYSTEM, now=now)

    def like(self, number: int, new: ResultInput) -> "Cup":
        """The same history in a division of its own, where M`number` ended so from the start.

        Draws are published as they were, those of rounds of a bracket too where somebody has played since; a result
        is entered where the same two stand in the same fixture.
        """
        twin = Cup.of(self.cast, self.stages, "second")
        waiting: list[Played] = []
        for event in self.history:
            if isinstance(event, Paired):
                twin.publish_as(event)
                twin.draw_rounds_as(self)
            elif isinstance(event, Left):
                leaver = twin.division.entries.get(player=event.player)
                entries.withdraw(entry=leaver, by=SYSTEM, now=event.at)
            else:
                right = new if event.number == number else event.result
                waiting.append(Played(event.number, event.pair, right, event.at))
            waiting = twin.enter_what_fits(waiting)
        return twin

    def enter_what_fits(self, waiting: Sequence[Played]) -> list[Played]:
        """Enters results where the two who played them stand; the rest waits."""
        left = list(waiting)
        entered = True
        while entered:
            entered = False
            for played in list(left):
                row = Fixture.objects.filter(stage__division=self.division, number=played.number)
                fixture = row.select_related("match", "stage__division").first()
                match = fixture.match if fixture is not None else None
                if fixture is None or match is None or match.is_over:
                    continue
                if (match.player_0_id, match.player_1_id) == played.pair:
                    self.report(fixture, played.result, played.at)
                    left.remove(played)
                    entered = True
        return left

    def publish_as(self, event: Paired) -> None:
        """A draw with the places it had elsewhere."""
        ids = dict(self.division.entries.values_list("player", "pk"))
        stage = self.division.stages.get(number=event.stage)
        Draw.objects.filter(stage=stage, state=Draw.State.REQUESTED).delete()
        with transaction.atomic():
            numbering = lock_event(self.division.tournament_id)
            division = lock_division(self.division.pk)
            draw = Draw.objects.create(
                stage=stage,
                number=event.number,
                round=event.round,
                state=Draw.State.DRAFT,
                places=[None if player is None else ids[player] for player in event.places],
                byes={str(ids[player]): kind for player, kind in event.byes.items()},
                algorithm=event.algorithm,
                made_at=event.at,
            )
            draws._publish(division, draw, event=numbering, by=SYSTEM, now=event.at)

    def draw_rounds_as(self, other: "Cup") -> None:
        """Gives rounds that are drawn once their players are known the draw that has come to stand elsewhere."""
        open_ = {pk for rows in DivisionRows(other.division).drawn for pk in rows.open_draws}
        rows = Slot.objects.filter(fixture__stage__division=other.division).exclude(round__entrants=[])
        for slot in rows.exclude(round__in=open_).select_related("fixture"):
            same = Slot.objects.filter(
                fixture__stage__division=self.division, fixture__number=slot.fixture.number, side=slot.side
            )
            same.update(source=slot.source, source_fixture=slot.source_fixture)
            Round.objects.filter(fixtures__slots__in=same).update(entrants=[])
        settle_division(division_id=self.division.pk, now=NOON)

    # Looking

    def replay(self) -> None:
        """The ratings are brought up to the results."""
        ratings.replay_pool(pool_id=self.pool.pk, now=LATER)

    def standing(self) -> dict[str, Any]:
        """All that is derived, said of players instead of rows; matches by what stands of them."""
        players = dict(self.division.entries.values_list("pk", "player"))
        rows = Slot.objects.filter(fixture__stage__division=self.division).order_by("fixture__number", "side")
        slots = [
            (slot.fixture.number, slot.side, slot.status, players.get(slot.entry_id), players.get(slot.absent_id))
            for slot in rows.select_related("fixture")
        ]
        tables = [
            [
                # How a figure comes about names entries, which are others in a twin.
                (
                    table.key,
                    players[row.entry],
                    row.place,
                    row.points,
                    [figure and figure.value for figure in row.figures],
                )
                for row in table.rows
            ]
            for state in states_of(self.division)
            for table in state.tables
        ]
        return {
            "slots": slots,
            "fixtures": [(row.number, row.status) for row in self.fixtures()],
            "results": {number: ResultInput.of(result) for number, result in self.results().items()},
            "stages": list(self.division.stages.order_by("number").values_list("status", flat=True)),
            "division": Division.objects.values_list("status", flat=True).get(pk=self.division.pk),
            "tables": tables,
        }

    def results(self) -> dict[int, Result]:
        """The standing result of each fixture."""
        numbers = {row.match_id: row.number for row in self.settled()}
        rows = Result.objects.filter(match__in=numbers).order_by("version")
        by_number = {numbers[row.match_id]: row for row in rows}
        return {number: by_number[number] for number in sorted(by_number)}

    def is_decided_by_two_withdrawals(self) -> bool:
        """Whether neither player advanced from some match, because both had withdrawn."""
        by_format = Result.objects.filter(kind=Result.Kind.DOUBLE_FORFEIT, source=Result.Source.FORMAT)
        return by_format.filter(match__parent_topic=self.division.topic).exists()

    def rated(self) -> tuple[list[Any], list[Any]]:
        """Every change of a rating and where everybody stands, matches by their instant."""
        changes = RatingChange.objects.filter(pool=self.pool).order_by("finished_at", "player")
        columns = ("finished_at", "player", "opponent", "won", "length", "rating_before", "rating_after")
        standings = PlayerRating.objects.filter(pool=self.pool).order_by("player")
        return list(changes.values_list(*columns)), list(standings.values_list("player", "rating", "matches", "wins"))


def _any_result(chance: Random, *, wild: bool) -> ResultInput:
    winner, lot = chance.randrange(2), chance.randrange(12)
    if wild and lot == 0:
        return ResultInput(None, None, Result.Kind.DOUBLE_FORFEIT)
    if wild and lot == 1:
        return ResultInput(winner, None, Result.Kind.FORFEIT)
    return won_by(winner, chance.randrange(LENGTH))


def won_by(winner: int, lost: int = 0) -> ResultInput:
    """A match that was played."""
    return ResultInput(winner, (LENGTH, lost) if winner == 0 else (lost, LENGTH))


def another(chance: Random, standing: Result) -> ResultInput:
    """Something else than what stands: mostly the other winner."""
    lot = chance.randrange(8)
    if lot == 0 and standing.kind != Result.Kind.DOUBLE_FORFEIT:
        return ResultInput(None, None, Result.Kind.DOUBLE_FORFEIT)
    winner = chance.randrange(2) if standing.winner is None else 1 - standing.winner
    return ResultInput(winner, None, Result.Kind.FORFEIT) if lot == 1 else won_by(winner, chance.randrange(LENGTH))


def integrity_differences() -> list[str]:
    """Return what an integrity check finds; must be empty."""
    return [str(difference) for difference in differences()]
