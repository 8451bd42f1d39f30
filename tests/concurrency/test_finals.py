"""Places of a final and money of a pool, about which several people act at once: nothing is given twice."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

import pytest

from players.actors import SYSTEM
from players.models import Club, Player
from seasons.finals import answer, offer, withdraw_places_of
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once, faults
from tests.event_cast import NOON
from tests.seasons.test_places import season
from tests.seasons.test_pool import accounts, closed, pay, paying, share
from tests.seasons.test_seasons import season as series_of_nights
from tournaments.models import FinalPlace, Series

pytestmark = POSTGRESQL_ONLY
DAY = NOON.date() + timedelta(days=7)
DECLINED = FinalPlace.Answer.DECLINED


@pytest.fixture
def cast(club: Club) -> list[Player]:
    return [Player.objects.create(name=f"Player {number}") for number in range(1, 9)]


def held(row: Series) -> Sequence[str]:
    return [place.player.name for place in row.final_places.select_related("player") if place.is_held(NOON)]


def test_two_who_decline_at_once_make_room_for_the_next_two(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 3)
    offer(series=row, answer_by=DAY, player=None, by=SYSTEM, now=NOON)
    declines = [
        partial(answer, series=row, player=player, answer=DECLINED, by=SYSTEM, now=NOON, directs=False)
        for player in cast[:2]
    ]
    assert faults(at_once(*declines)) == []
    assert held(row) == ["Player 3", "Player 4", "Player 5"]


def test_all_open_offers_are_taken_back_while_somebody_declines(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 3)
    offer(series=row, answer_by=DAY, player=None, by=SYSTEM, now=NOON)
    decline = partial(answer, series=row, player=cast[0], answer=DECLINED, by=SYSTEM, now=NOON, directs=False)
    back = partial(withdraw_places_of, series=row, player=None, by=SYSTEM, now=NOON)
    outcomes = at_once(decline, back, back)
    # Whoever comes second is told so; whoever moved up before it was stopped is among those taken back.
    assert faults(outcomes) == []
    assert held(row) == []


def test_two_directors_offer_at_once_and_everybody_is_asked_once(cast: list[Player]) -> None:
    row = season(cast, range(80, 0, -10), 3)
    offers = [partial(offer, series=row, answer_by=DAY, player=None, by=SYSTEM, now=NOON)] * 2
    outcomes = at_once(*offers)
    assert faults(outcomes) == []
    assert sorted(len(outcome) for outcome in outcomes) == [0, 3]
    assert held(row) == ["Player 1", "Player 2", "Player 3"]


def test_two_directors_pay_the_same_amount_out_of_a_pool_from_two_desks(cast: list[Player]) -> None:
    nights, row = [paying(cast, "One"), paying(cast, "Two", seed=2)], series_of_nights()
    share(row)
    closed(row)
    (name, (due, _paid)), *_others = accounts(row).items()
    events = [cup.division.tournament for cup in nights]
    outcomes = at_once(*(partial(pay, row, event, name, due) for event in events))
    assert faults(outcomes) == []
    assert accounts(row)[name] == (due, due)
