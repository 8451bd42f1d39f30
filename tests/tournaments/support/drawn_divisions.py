"""Divisions of any format, drawn and played as far as a test wants."""

from collections.abc import Callable, Sequence
from random import Random

from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOW
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Draw, Fixture, Tournament
from tournaments.results import services as results
from tournaments.state.stages import set_stages

LENGTH = 7
SEED = 1975


class DivisionBuilder:
    """Creates divisions, which Alice directs."""

    def __init__(
        self,
        make_division: Callable[..., Division],
        make_players: Callable[[int], list[Player]],
        by: Actor,
    ) -> None:
        self.make_division, self.make_players, self.by = make_division, make_players, by
        self.rng = Random(SEED)

    def draft(self, count: int, *stages: StageSettings, **settings: object) -> Draw:
        """Enter `count` players and return the draft of the draw."""
        division = self.make_division(**{"match_length": LENGTH, **settings})
        players = self.make_players(count)
        entries.enter(division=division, players=players, by=self.by, now=NOW)
        division.refresh_from_db()
        set_stages(division=division, stages=stages, after=division.seq, by=self.by, now=NOW)
        if division.tournament.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=division.tournament, by=self.by, now=NOW)
        requested = draws.request_draw(division=division, by=self.by, now=NOW)
        draft = draws.make_draft(draw_id=requested.pk, now=NOW)
        assert draft is not None
        assert draft.refusal is None, draft.refusal
        return Draw.objects.select_related("stage__division__tournament__club").get(pk=draft.pk)

    def drawn(self, count: int, *stages: StageSettings, **settings: object) -> Division:
        """Like `draft`, but publish the draw and return the division."""
        division = self.draft(count, *stages, **settings).stage.division
        division.refresh_from_db()
        draws.publish_draw(division=division, after=division.seq, by=self.by, now=NOW)
        division.refresh_from_db()
        return division

    def play(self, division: Division, most: int = 10_000) -> int:
        """Enter up to `most` random results and return how many were entered."""
        done = 0
        while done < most:
            ready = Fixture.objects.filter(stage__division=division, status="ready").select_related("stage")
            if (fixture := ready.order_by("number").first()) is None:
                break
            self.win(fixture, self.rng.randrange(2))
            done += 1
        division.refresh_from_db()
        return done

    def win(self, fixture: Fixture, side: int) -> None:
        """Let that side win, 7–3."""
        score = (LENGTH, 3) if side == 0 else (3, LENGTH)
        results.enter_result(fixture=fixture, result=ResultInput(side, score), by=self.by, now=NOW)


def fixture_of(division: Division, number: int) -> Fixture:
    """Return the fixture with this number, read again."""
    return Fixture.objects.select_related("stage", "match").get(stage__division=division, number=number)


def page_of(division: Division) -> str:
    """Return the URL of the division."""
    return f"/events/{division.tournament.club.slug}/{division.tournament.slug}/{division.public_id}/"


def stage_formats(stages: Sequence[StageSettings]) -> str:
    """Return a name of these stages for test ids."""
    return "-".join(stage.format for stage in stages)
