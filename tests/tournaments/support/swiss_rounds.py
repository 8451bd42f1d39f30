"""A Swiss or lives that is played round after round by the services alone, with a clock that goes on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM, Actor
from players.models import Player
from tests.tournaments.conftest import NOON, Clocked
from tournaments.draws.services import draws
from tournaments.entries.services import entries, late
from tournaments.events.services import events
from tournaments.formats.settings import StageSettings
from tournaments.models import Division, Draw, Entry, Fixture, Tournament
from tournaments.results.services import results
from tournaments.state import stages
from tournaments.state.integrity import differences


@dataclass
class DivisionDriver(Clocked):
    """One division and whoever runs it; every act takes a minute."""

    division: Division
    by: Actor
    at: datetime = NOON
    made: list[int] = field(default_factory=list)
    """Drafts made by the worker, by primary key."""

    def enter(self, players: Sequence[Player]) -> list[Entry]:
        """Before the draw."""
        return entries.enter(division=self.division, players=players, by=self.by, now=self.now())

    def begin(self, *settings: StageSettings) -> "DivisionDriver":
        """Sets the formats, opens the event, draws and publishes."""
        stages.set_stages(division=self.division, stages=settings, after=self.seq, by=self.by, now=self.now())
        if self.division.tournament.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=self.division.tournament, by=self.by, now=self.now())
        draw = draws.request_draw(division=self.division, by=self.by, now=self.now())
        draws.make_draft(draw_id=draw.pk, now=self.now())
        self.publish()
        return self

    def publish(self) -> Draw:
        """Makes the draft a fact."""
        return draws.publish_draw(division=self.division, after=self.seq, by=self.by, now=self.now())

    def work(self) -> list[Draw]:
        """The worker makes whatever is asked for; the director publishes drafts that nobody had to ask for."""
        done = []
        while asked := Draw.objects.filter(stage__division=self.division, state=Draw.State.REQUESTED).first():
            draws.make_draft(draw_id=asked.pk, now=self.now())
            asked.refresh_from_db()
            if asked.state == Draw.State.DRAFT and asked.made_by is None:
                self.publish()
                asked.refresh_from_db()
            assert asked.state != Draw.State.REQUESTED, "it was made"
            self.made.append(asked.pk)
            done.append(asked)
        return done

    def ready(self) -> list[Fixture]:
        """What can be played."""
        rows = Fixture.objects.filter(stage__division=self.division, status=Fixture.Status.READY)
        return list(rows.select_related("stage", "match").order_by("number"))

    def report(self, fixture: Fixture, winner: int, loser_points: int = 3) -> None:
        """A played match."""
        length = fixture.round.length
        score = (length, loser_points % length) if winner == 0 else (loser_points % length, length)
        results.enter_result(fixture=fixture, result=ResultInput(winner, score), by=self.by, now=self.now())

    def play_round(self, chance: Random | None = None) -> int:
        """Everything that is ready is played; how many matches that were."""
        todo = self.ready()
        for fixture in todo:
            self.report(fixture, chance.randrange(2) if chance else 0)
        return len(todo)

    def play_out(self, chance: Random | None = None, most: int = 60) -> None:
        """Rounds are played and paired until nothing is left to do."""
        for _ in range(most):
            if not self.play_round(chance) and not self.work():
                return
            self.work()
        raise AssertionError("it does not end")

    def late(self, *players: Player) -> list[Entry]:
        """Somebody comes when it is being played."""
        return late.enter_late(division=self.division, players=players, by=self.by, now=self.now())

    def withdraw(self, entry: Entry) -> None:
        """Somebody goes."""
        entries.withdraw(entry=entry, by=self.by, now=self.now())

    def rounds(self, stage: int = 1) -> list[Draw]:
        """The paired rounds of a stage."""
        rows = Draw.objects.filter(stage__division=self.division, stage__number=stage, state=Draw.State.PUBLISHED)
        return list(rows.filter(round__gt=0).order_by("round"))

    def draw_of(self, number: int, stage: int = 1) -> list[Draw]:
        """Everything that was asked for a round."""
        rows = Draw.objects.filter(stage__division=self.division, stage__number=stage, round=number)
        return list(rows.order_by("number"))


def pairs_of(draw: Draw) -> list[tuple[int, int | None]]:
    """Table after table; None is a bye."""
    return list(zip(draw.places[::2], draw.places[1::2], strict=True))


def is_clean(division: Division | None = None) -> bool:
    """Whether everything stored follows from the facts (ratings are replayed elsewhere), in its club if named."""
    club = division.tournament.club if division is not None else None
    return [str(one) for one in differences(club=club) if not one.topic.startswith("pool:")] == []


MakeDivision = Callable[..., Division]
__all__ = ["SYSTEM", "DivisionDriver", "MakeDivision", "is_clean", "pairs_of"]
