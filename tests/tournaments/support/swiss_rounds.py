"""Drives a Swiss or lives division round by round, through services alone and with an advancing clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM, Actor
from players.models import Player
from tests.event_cast import NOON, Clocked
from tournaments.draws import services as draws
from tournaments.entries import late
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Draw, Entry, Fixture, Tournament
from tournaments.results import services as results
from tournaments.state import stages
from tournaments.state.integrity import Selection, differences


@dataclass
class DivisionDriver(Clocked):
    """Drives one division; every action takes a minute."""

    division: Division
    by: Actor
    at: datetime = NOON
    worked_drafts: list[int] = field(default_factory=list)
    """Drafts made by the worker, by primary key."""

    def enter(self, players: Sequence[Player]) -> list[Entry]:
        """Enter players before the draw."""
        return entries.enter(division=self.division, players=players, by=self.by, now=self.now())

    def begin(self, *settings: StageSettings) -> "DivisionDriver":
        """Set the formats, publish the event, and publish the draw."""
        stages.set_stages(division=self.division, stages=settings, after=self.seq, by=self.by, now=self.now())
        if self.division.tournament.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=self.division.tournament, by=self.by, now=self.now())
        draw = draws.request_draw(division=self.division, by=self.by, now=self.now())
        draws.make_draft(draw_id=draw.pk, now=self.now())
        self.publish()
        return self

    def publish(self) -> Draw:
        """Publish the draft."""
        return draws.publish_draw(division=self.division, after=self.seq, by=self.by, now=self.now())

    def work(self) -> list[Draw]:
        """Make all requested drafts, as a worker does; publish those that no director requested."""
        done = []
        while draw := Draw.objects.filter(stage__division=self.division, state=Draw.State.REQUESTED).first():
            draws.make_draft(draw_id=draw.pk, now=self.now())
            draw.refresh_from_db()
            if draw.state == Draw.State.DRAFT and draw.made_by is None:
                self.publish()
                draw.refresh_from_db()
            assert draw.state != Draw.State.REQUESTED, "it was made"
            self.worked_drafts.append(draw.pk)
            done.append(draw)
        return done

    def ready(self) -> list[Fixture]:
        """Return the fixtures that can be played."""
        rows = Fixture.objects.filter(stage__division=self.division, status=Fixture.Status.READY)
        return list(rows.select_related("stage", "match").order_by("number"))

    def report(self, fixture: Fixture, winner: int, loser_points: int = 3) -> None:
        """Enter the result of a played match."""
        length = fixture.round.length
        score = (length, loser_points % length) if winner == 0 else (loser_points % length, length)
        results.enter_result(fixture=fixture, result=ResultInput(winner, score), by=self.by, now=self.now())

    def play_round(self, chance: Random | None = None) -> int:
        """Play all ready fixtures and return how many there were."""
        todo = self.ready()
        for fixture in todo:
            self.report(fixture, chance.randrange(2) if chance else 0)
        return len(todo)

    def play_out(self, chance: Random | None = None, most: int = 60) -> None:
        """Play and pair rounds until nothing is left to do."""
        for _ in range(most):
            if not self.play_round(chance) and not self.work():
                return
            self.work()
        raise AssertionError("it does not end")

    def late(self, *players: Player) -> list[Entry]:
        """Enter players late."""
        return late.enter_late(division=self.division, players=players, by=self.by, now=self.now())

    def withdraw(self, entry: Entry) -> None:
        """Withdraw an entry."""
        entries.withdraw(entry=entry, by=self.by, now=self.now())

    def rounds(self, stage: int = 1) -> list[Draw]:
        """Return the paired rounds of a stage."""
        rows = Draw.objects.filter(stage__division=self.division, stage__number=stage, state=Draw.State.PUBLISHED)
        return list(rows.filter(round__gt=0).order_by("round"))

    def draw_of(self, number: int, stage: int = 1) -> list[Draw]:
        """Return all drafts of a round."""
        rows = Draw.objects.filter(stage__division=self.division, stage__number=stage, round=number)
        return list(rows.order_by("number"))


def pairs_of(draw: Draw) -> list[tuple[int, int | None]]:
    """Return the pairs by table; None is a bye."""
    return list(zip(draw.places[::2], draw.places[1::2], strict=True))


def is_clean(division: Division | None = None) -> bool:
    """Whether the stored state follows from the facts, apart from ratings; in the club of `division`, if given."""
    club = division.tournament.club if division is not None else None
    return not [str(row) for row in differences(Selection.of(club=club)) if not row.topic.startswith("pool:")]


MakeDivision = Callable[..., Division]
__all__ = ["SYSTEM", "DivisionDriver", "MakeDivision", "is_clean", "pairs_of"]
