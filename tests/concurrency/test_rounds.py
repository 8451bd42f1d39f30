"""Two who have a round paired, or act on it, at once: one draft, one round, nobody in it twice."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.db.utils import IntegrityError

from players.actors import Actor
from players.models import Club, Player, User
from tests.concurrency.event import POSTGRESQL_ONLY, club, make_players
from tests.concurrency.racing import at_once, faults, refusals
from tests.tournaments.conftest import NOON
from tests.tournaments.support.swiss_rounds import Hall, is_clean
from tournaments.draws.services import draws
from tournaments.draws.services import rounds as rounds_asked
from tournaments.entries.services import entries, late
from tournaments.events.services import events
from tournaments.formats.settings import NextRound, StageSettings
from tournaments.models import Division, Draw

__all__ = ["club", "make_players"]

pytestmark = POSTGRESQL_ONLY
RACES = 4


@pytest.fixture
def swiss(club: Club, alice: User, make_players: Callable[[int], list[Player]]) -> Callable[[], Hall]:
    """A Swiss whose first round is complete and whose rounds the director has paired."""
    players, by = make_players(7), Actor.of(alice)

    def make() -> Hall:
        event = events.create_tournament(club=club, by=by, now=NOON, name="Winter Open", starts_at=NOON)
        hall = Hall(events.create_division(tournament=event, by=by, now=NOON, name="Main", match_length=1), by)
        hall.enter(players[:6])
        hall.begin(StageSettings("swiss", rounds=3, next_round=NextRound.ASK))
        hall.play_round()
        return hall

    return make


def ask_twice(hall: Hall) -> list[Any]:
    after, now = hall.seq, hall.now()
    acts = {"division": hall.division, "by": hall.by, "now": now, "after": after}
    return at_once(lambda: rounds_asked.request_round(**acts), lambda: rounds_asked.request_round(**acts))


def test_two_directors_asking_at_once_make_one_draft(swiss: Callable[[], Hall]) -> None:
    for _ in range(RACES):
        hall = swiss()
        outcomes = ask_twice(hall)
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["draft_in_work"]
        assert len(hall.draw_of(2)) == 1


def test_control_without_the_lock_both_go_on_to_make_one(
    swiss: Callable[[], Hall], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unguarded(division_id: int) -> Division:
        return Division.objects.select_related("tournament__club").get(pk=division_id)

    halls = [swiss() for _ in range(RACES)]
    monkeypatch.setattr(rounds_asked, "lock", unguarded)
    outcomes = [one for hall in halls for one in ask_twice(hall)]
    # The database still lets only one in; the other director would have seen an error page.
    assert any(isinstance(one, IntegrityError) for one in faults(outcomes))
    assert connection.vendor == "postgresql"


def make_and_publish_twice(hall: Hall) -> tuple[list[Any], list[Any]]:
    asked = rounds_asked.request_round(division=hall.division, by=hall.by, now=hall.now(), after=hall.seq)
    now = hall.now()
    made = at_once(*[lambda: draws.make_draft(draw_id=asked.pk, now=now)] * 2)
    acts = {"division": hall.division, "after": hall.seq, "by": hall.by, "now": hall.now()}
    return made, at_once(*[lambda: draws.publish_draw(**acts)] * 2)


def test_two_workers_make_one_draft_and_two_clicks_publish_one_round(swiss: Callable[[], Hall]) -> None:
    for _ in range(RACES):
        hall = swiss()
        made, published = make_and_publish_twice(hall)
        assert faults([*made, *published]) == []
        assert sum(isinstance(one, Draw) for one in made) == 1
        assert refusals(published) == ["stale"]
        assert len(hall.rounds()) == 2
        assert is_clean(hall.division)


def publish_while(hall: Hall, *, comes: bool) -> list[Any]:
    """Somebody comes, or goes, while the draft is published."""
    rounds_asked.request_round(division=hall.division, by=hall.by, now=hall.now(), after=hall.seq)
    hall.work()
    after, acts = hall.seq, {"by": hall.by, "now": hall.now()}
    one, newcomer = hall.division.entries.first(), Player.objects.create(name="Late Larry")
    goes = partial(entries.withdraw, entry=one, **acts)
    enters = partial(late.enter_late, division=hall.division, players=[newcomer], **acts)
    publish = partial(draws.publish_draw, division=hall.division, after=after, **acts)
    return at_once(enters if comes else goes, publish)


def test_somebody_comes_or_goes_while_a_round_is_published(swiss: Callable[[], Hall]) -> None:
    for race in range(RACES):
        hall = swiss()
        outcomes = publish_while(hall, comes=race % 2 == 0)
        assert faults(outcomes) == []
        assert set(refusals(outcomes)) <= {"stale", "draft_outdated"}
        # Published with him as he was, or not at all.
        assert (len(hall.rounds()) == 2) == (refusals(outcomes) == [])
        assert is_clean(hall.division)
