"""Two desks fill and start lists at once: each place is given once, each fee is taken once, each list starts once."""

from functools import partial
from typing import Any

import pytest

from players.actors import Actor
from players.models import Club, Player, User
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.event_cast import NOON
from tournaments.events import services as events
from tournaments.models import Draw, Entry, Offer, Payment
from tournaments.offers import services as offers
from tournaments.state import integrity

pytestmark = POSTGRESQL_ONLY
RACES = 3
FEE = 100


@pytest.fixture
def by(alice: User) -> Actor:
    return Actor.of(alice)


def three_of_four(club: Club, by: Actor, number: int) -> Offer:
    """A jackpot of four with three names."""
    tournament = events.create_tournament(club=club, by=by, now=NOON, name=f"Open {number}", starts_at=NOON)
    jackpot = offers.OfferInput("Jackpot", 4, [5], fee=FEE)
    offer = offers.create_offer(tournament=tournament, offer=jackpot, by=by, now=NOON)
    events.publish_tournament(tournament=tournament, by=by, now=NOON)
    offer = Offer.objects.select_related("tournament__club").get(pk=offer.pk)
    for at in range(3):
        join(offer, f"P{at}", by)
    return offer


def join(offer: Offer, name: str, by: Actor) -> Entry:
    player = Player.objects.create(name=name)
    offer = Offer.objects.select_related("tournament__club").get(pk=offer.pk)
    return offers.join(offer=offer, player=player, amount=FEE, key=name, by=by, now=NOON)


def on_lists(offer: Offer) -> list[int]:
    """How many names each list has."""
    runs = offer.runs.order_by("run")
    return [run.entries.filter(status=Entry.Status.IN).count() for run in runs]


def two_desks(offer: Offer, by: Actor) -> list[Any]:
    return at_once(partial(join, offer, "Ann", by), partial(join, offer, "Bea", by))


def test_two_desks_enter_the_last_name(club: Club, by: Actor) -> None:
    for number in range(RACES):
        offer = three_of_four(club, by, number)
        assert faults(two_desks(offer, by)) == []
        assert on_lists(offer) == [4, 1]
        assert Payment.objects.filter(tournament=offer.tournament).count() == 5
    assert list(integrity.differences()) == []


def test_control_without_the_locks_a_list_has_more_names_than_places(club: Club, by: Actor) -> None:
    offer = three_of_four(club, by, 1)
    with without_locks(before=Entry):
        outcomes = two_desks(offer, by)
    assert faults(outcomes) or on_lists(offer)[0] > 4


def test_a_list_starts_once_however_many_sweeps_run(club: Club, by: Actor) -> None:
    for number in range(RACES):
        offer = three_of_four(club, by, number)
        join(offer, "Ann", by)
        run, later = offer.runs.get(run=1), NOON + offers.COUNTDOWN
        outcomes = at_once(*[partial(offers.start_due, division_id=run.pk, now=later)] * 2)
        assert not faults(outcomes)
        assert not refusals(outcomes)
        assert Draw.objects.filter(stage__division=run).count() == 1
        run.refresh_from_db()
        assert run.status == "running"
    assert list(integrity.differences()) == []


def test_who_leaves_as_the_list_starts_is_off_it_or_in_the_draw(club: Club, by: Actor) -> None:
    for number in range(RACES):
        offer = three_of_four(club, by, number)
        entry = join(offer, "Ann", by)
        run, later = offer.runs.get(run=1), NOON + offers.COUNTDOWN
        outcomes = at_once(
            partial(offers.leave, offer=offer, entry=entry, by=by, now=later),
            partial(offers.start_due, division_id=run.pk, now=later),
        )
        assert faults(outcomes) == []
        run.refresh_from_db()
        has_left = refusals(outcomes) == []
        assert (run.status, on_lists(offer)[0]) == (("entries", 3) if has_left else ("running", 4))
