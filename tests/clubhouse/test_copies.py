"""The same event again in a later week: what is copied, when it takes place, and who copies it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from clubhouse.copies import copy_event, weeks_until_next
from engine.errors import Refused
from formats.settings import PROGRESSIVE, StageSettings
from players.actors import Actor
from players.models import Player
from prizes.prizes import plan_of
from prizes.services import PlanInput, SidePoolInput, create_pool, save_plan
from tests.event_cast import NOON
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.floor.evening import FloorPlan, save_floor
from tournaments.floor.state import FloorSettings
from tournaments.ledger.shares import Pot
from tournaments.models import Division, Tournament
from tournaments.state import stages

pytestmark = pytest.mark.postgresql

COPENHAGEN = ZoneInfo("Europe/Copenhagen")
THURSDAY = datetime(2026, 10, 22, 17, 30, tzinfo=UTC)
"""19:30 in Copenhagen, in the last week of summer time."""
PLAN = PlanInput([Pot("main", (7000, 3000))], registration=300, guaranteed=5000, unit=100, ties_share=True)
POOL = SidePoolInput("Jackpot", 500, (6000, 4000), (("main", 1), ("main", 2)), 10)


@pytest.mark.parametrize(
    ("now", "weeks"),
    [
        (THURSDAY - timedelta(days=30), 1),
        (THURSDAY + timedelta(hours=4), 1),
        # Clocks went back in between: the next 19:30 is a week and an hour later.
        (THURSDAY + timedelta(days=7, minutes=30), 1),
        (THURSDAY + timedelta(days=7, hours=1), 2),
        (THURSDAY + timedelta(days=60), 9),
    ],
)
def test_the_copy_takes_place_on_the_first_such_weekday_to_come(now: datetime, weeks: int) -> None:
    assert weeks_until_next(THURSDAY, COPENHAGEN, now) == weeks


@pytest.fixture
def thursday(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Division:
    """A published event with a floor of two tables, prizes, a side pool and four players."""
    division = make_division(name="Open", match_length=5, fee=1500, capacity=24, closes_at=THURSDAY)
    event = division.tournament
    values = {
        "time_zone": "Europe/Copenhagen", "starts_at": THURSDAY, "ends_at": THURSDAY + timedelta(hours=4), "tables": 2,
        "check_in_opens_at": THURSDAY - timedelta(hours=1), "venue": "Harbour House", "about": "Bring a board.",
        "currency": "DKK", "currency_exponent": 2, "closing_rule": "shorten",
        "silent_desk": "go_on", "language": "en", "second_language": "en",
    }  # fmt: skip
    Tournament.objects.filter(pk=event.pk).update(**values)
    entries.enter(division=division, players=make_players(4), by=by_alice, now=NOON)
    division.refresh_from_db()
    stages.set_stages(division=division, stages=[StageSettings(PROGRESSIVE)], after=division.seq, by=by_alice, now=NOON)
    save_plan(division=division, plan=PLAN, publish=True, by=by_alice, now=NOON)
    create_pool(division=division, pool=POOL, by=by_alice, now=NOON)
    cancelled = make_division(name="Beginners")
    Division.objects.filter(pk=cancelled.pk).update(status=Division.Status.CANCELLED)
    events.publish_tournament(tournament=event, by=by_alice, now=NOON)
    plan = FloorPlan(FloorSettings(rest=9), [(None, "Stage", "stream")])
    save_floor(tournament=event, plan=plan, by=by_alice, now=NOON)
    return Division.objects.select_related("tournament__club").get(pk=division.pk)


@pytest.mark.django_db
def test_everything_but_the_players_is_copied(thursday: Division, by_alice: Actor) -> None:
    copy = copy_event(tournament=thursday.tournament, by=by_alice, now=THURSDAY + timedelta(days=1))

    assert copy.status == Tournament.Status.DRAFT
    assert (copy.name, copy.venue, copy.about, copy.tables, copy.currency, copy.closing_rule, copy.silent_desk) == (
        "Winter Open", "Harbour House", "Bring a board.", 2, "DKK", "shorten", "go_on",
    )  # fmt: skip
    assert (copy.language, copy.second_language) == ("en", "en")
    week_and_hour = timedelta(days=7, hours=1)
    assert copy.starts_at == THURSDAY + week_and_hour, "19:30 in winter time"
    assert copy.ends_at == THURSDAY + timedelta(hours=4) + week_and_hour
    assert copy.check_in_opens_at == THURSDAY - timedelta(hours=1) + week_and_hour
    (division,) = copy.divisions.all()
    assert (division.name, division.match_length, division.fee, division.capacity) == ("Open", 5, 1500, 24)
    assert division.closes_at == THURSDAY + week_and_hour
    assert division.entries.count() == 0
    assert stages.stage_settings(division) == [StageSettings(PROGRESSIVE)]
    plan = plan_of(division)
    assert plan is not None
    assert (plan.shares, plan.registration, plan.guaranteed, plan.unit, plan.ties_share, plan.published) == (
        [["main", [7000, 3000]]], 300, 5000, 100, True, True,
    )  # fmt: skip
    pool = division.side_pools.get()
    assert (pool.name, pool.fee, pool.shares, pool.order, pool.unit) == (
        "Jackpot", 500, [6000, 4000], [["main", 1], ["main", 2]], 10,
    )  # fmt: skip
    tables = list(copy.floor_tables.values_list("label", "category"))
    assert tables == [("1", "normal"), ("2", "normal"), ("Stage", "stream")]
    assert copy.floor.rest_minutes == 9


@pytest.mark.django_db
def test_an_event_without_divisions_is_not_copied(tournament: Tournament, by_alice: Actor) -> None:
    with pytest.raises(Refused) as refused:
        copy_event(tournament=tournament, by=by_alice, now=NOON)
    assert refused.value.code == "no_division"


@pytest.mark.django_db
def test_two_clicks_make_one_copy_whose_date_is_confirmed(thursday: Division, alice_client: Client) -> None:
    event = thursday.tournament
    home = f"/events/{event.club.slug}/{event.slug}/"
    assert "Same again next week" in alice_client.get(home).content.decode()

    pages = {alice_client.post(f"{home}copy/", {"key": "one"}).headers["Location"] for _click in range(2)}

    assert pages == {f"/events/{event.club.slug}/{event.slug}-2/edit/"}
    assert Tournament.objects.count() == 2
    (edit,) = pages
    shown = alice_client.get(edit).content.decode()
    assert "Check the name and the date" in shown
    copied_home = alice_client.get(edit.removesuffix("edit/"))
    assert "Same again next week" not in copied_home.content.decode(), "a draft is edited, not copied"
    assert alice_client.get(f"{edit.removesuffix('edit/')}floor/").status_code == 200
    assert alice_client.get(f"{edit.removesuffix('edit/')}console/").status_code in (200, 302)
