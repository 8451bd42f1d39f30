"""Two people have a round paired, or act on it, at once: one draft, one round, nobody in it twice."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db.utils import IntegrityError

from formats.settings import NextRound, StageSettings
from players.actors import Actor
from players.models import Club, Player, User
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.event_cast import NOON
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.draws import rounds
from tournaments.draws import services as draws
from tournaments.entries import late
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Draw

pytestmark = POSTGRESQL_ONLY
RACES = 4


@pytest.fixture
def swiss(club: Club, alice: User, make_players: Callable[[int], list[Player]]) -> Callable[[], DivisionDriver]:
    """A Swiss whose first round is complete and whose rounds the director asks for."""
    players, by = make_players(7), Actor.of(alice)

    def make() -> DivisionDriver:
        event = events.create_tournament(club=club, by=by, now=NOON, name="Winter Open", starts_at=NOON)
        driver = DivisionDriver(
            events.create_division(tournament=event, by=by, now=NOON, name="Main", match_length=1), by
        )
        driver.enter(players[:6])
        driver.begin(StageSettings("swiss", rounds=3, next_round=NextRound.ASK))
        driver.play_round()
        return driver

    return make


def ask_twice(driver: DivisionDriver) -> list[Any]:
    after, now = driver.seq, driver.now()
    acts = {"division": driver.division, "by": driver.by, "now": now, "after": after}
    return at_once(lambda: rounds.request_round(**acts), lambda: rounds.request_round(**acts))


def test_two_directors_asking_at_once_make_one_draft(swiss: Callable[[], DivisionDriver]) -> None:
    for _ in range(RACES):
        driver = swiss()
        outcomes = ask_twice(driver)
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["draft_in_work"]
        assert len(driver.draw_of(2)) == 1


def test_control_without_the_lock_both_try_to_make_a_draft(swiss: Callable[[], DivisionDriver]) -> None:
    driver = swiss()
    with without_locks(Division):
        outcomes = ask_twice(driver)
    # The database still admits only one; the other director would have seen an error page.
    assert [type(fault) for fault in faults(outcomes)] == [IntegrityError]


def make_and_publish_twice(driver: DivisionDriver) -> tuple[list[Any], list[Any]]:
    requested = rounds.request_round(division=driver.division, by=driver.by, now=driver.now(), after=driver.seq)
    now = driver.now()
    drafts = at_once(*[lambda: draws.make_draft(draw_id=requested.pk, now=now)] * 2)
    acts = {"division": driver.division, "after": driver.seq, "by": driver.by, "now": driver.now()}
    return drafts, at_once(*[lambda: draws.publish_draw(**acts)] * 2)


def test_two_workers_make_one_draft_and_two_clicks_publish_one_round(swiss: Callable[[], DivisionDriver]) -> None:
    for _ in range(RACES):
        driver = swiss()
        drafts, published = make_and_publish_twice(driver)
        assert faults([*drafts, *published]) == []
        assert sum(isinstance(outcome, Draw) for outcome in drafts) == 1
        assert refusals(published) == ["stale"]
        assert len(driver.rounds()) == 2
        assert is_clean(driver.division)


def publish_while(driver: DivisionDriver, *, comes: bool) -> list[Any]:
    """An entry is added or withdrawn while the draft is published."""
    rounds.request_round(division=driver.division, by=driver.by, now=driver.now(), after=driver.seq)
    driver.work()
    after, acts = driver.seq, {"by": driver.by, "now": driver.now()}
    entry, newcomer = driver.division.entries.first(), Player.objects.create(name="Late Larry")
    withdraw = partial(entries.withdraw, entry=entry, **acts)
    enters = partial(late.enter_late, division=driver.division, players=[newcomer], **acts)
    publish = partial(draws.publish_draw, division=driver.division, after=after, **acts)
    return at_once(enters if comes else withdraw, publish)


def test_an_entry_is_added_or_withdrawn_while_a_round_is_published(swiss: Callable[[], DivisionDriver]) -> None:
    for race in range(RACES):
        driver = swiss()
        outcomes = publish_while(driver, comes=race % 2 == 0)
        assert faults(outcomes) == []
        assert set(refusals(outcomes)) <= {"stale", "draft_outdated"}
        # Published with the entries as they were, or not at all.
        assert (len(driver.rounds()) == 2) == (refusals(outcomes) == [])
        assert is_clean(driver.division)
