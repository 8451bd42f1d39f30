"""The steps of an event above its directors' pages, from the arrivals to the summary."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from clubhouse import steps
from clubhouse.steps import DONE, TO_DO, Reader
from clubhouse.steps import NOW as PRESENT
from formats.settings import StageSettings
from players.actors import SYSTEM, Actor
from players.models import Player, User
from tests.event_cast import NOW, RunningEvent, publish
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tests.tournaments.support.pages import text
from tournaments.entries import check_in
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.events.actions import division_url_args
from tournaments.floor import evening
from tournaments.ledger.payments import close_desk
from tournaments.models import CheckIn, Division, PrizePlan, Tournament

pytestmark = pytest.mark.django_db

DIRECTOR, ASSISTANT, HELPER = Reader(True, False), Reader(False, False), Reader(False, True)


def states(event: Tournament, reader: Reader = DIRECTOR) -> list[tuple[str, str, str]]:
    """Return key, state and fact of each step."""
    event = Tournament.objects.select_related("club").get(pk=event.pk)
    shown = steps.head(event, None, page="console", reader=reader, has_floor=event.has_floor)
    return [(step.key, step.state, step.fact) for step in shown.steps]


def test_the_steps_say_how_far_an_evening_is(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    division = make_division(fee=2)
    entered = entries.enter(division=division, players=make_players(4), by=by_alice, now=NOW)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    assert states(division.tournament) == [
        ("arrivals", PRESENT, "4 entered"),
        ("draw", TO_DO, "not drawn"),
        ("floor", TO_DO, "not open"),
        ("prizes", TO_DO, "not set"),
        ("close", TO_DO, "open"),
        ("summary", TO_DO, "so far"),
    ]
    check_in.mark(entry=entered[0], state=CheckIn.State.HERE, by=by_alice, now=NOW)
    assert states(division.tournament)[0] == ("arrivals", PRESENT, "1 of 4 here")
    publish(division, by_alice)
    assert states(division.tournament)[:3] == [
        ("arrivals", DONE, "1 of 4 here"),
        ("draw", DONE, "done"),
        ("floor", PRESENT, "3 to play"),
    ]


def test_after_the_last_match_come_prizes_closing_and_the_summary(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
    alice_client: Client,
) -> None:
    builder = DivisionBuilder(make_division, make_players, by_alice)
    division = builder.drawn(4, StageSettings("knockout"), fee=2)
    event = division.tournament
    assert steps.after_play(event, may_direct=True) is None
    builder.play(division)
    event = Tournament.objects.select_related("club").get(pk=event.pk)
    base = f"/events/{event.club.slug}/{event.slug}/"

    def next_step() -> tuple[str, str]:
        step = steps.after_play(event, may_direct=True)
        assert step is not None
        return step.key, step.fact

    assert next_step() == ("prizes", "not set")
    console = alice_client.get(f"{base}console/").content.decode()
    assert re.search(r'<a class="button button-primary" href="[^"]+/prizes/">Prizes</a>', console)
    assert console.count("button-primary") == 1
    PrizePlan.objects.create(division=division, version=1, published=True, shares=[["main", [10000]]], unit=1)
    assert next_step() == ("prizes", "8 due")
    cash = alice_client.get(f"{base}cash/?tab=prizes").content.decode()
    winner = re.search(r'name="entry" value="([2-9a-z]{10})"', cash)
    assert winner
    form = {"entry": winner[1], "pot": "main", "amount": "8", "method": "cash", "key": "prize"}
    alice_client.post(f"{base}cash/payout/", form)
    assert next_step() == ("close", "open")
    close_desk(tournament=event, counted=-8, expected=-8, by=by_alice, now=NOW)
    assert next_step() == ("summary", "done")
    assert 'aria-current="step"' in alice_client.get(f"{base}report/").content.decode()
    last = steps.after_play(event, may_direct=False)
    assert last is not None
    assert last.key == "summary", "others handle no money"


def test_an_event_without_fees_goes_on_to_its_summary(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    builder = DivisionBuilder(make_division, make_players, by_alice)
    division = builder.drawn(4, StageSettings("knockout"))
    builder.play(division)
    step = steps.after_play(Tournament.objects.get(pk=division.tournament_id), may_direct=True)
    assert step is not None
    assert step.key == "summary"


def test_helpers_and_assistants_see_only_the_steps_they_may_take(running: RunningEvent) -> None:
    expected = ["arrivals", "draw", "console", "summary"]
    for reader in (ASSISTANT, HELPER):
        assert [key for key, *_rest in states(running.tournament, reader)] == expected


def test_the_step_of_the_draw_stays_in_the_console_once_it_is_drawn(
    running: RunningEvent, alice_client: Client
) -> None:
    event, args = running.tournament, division_url_args(running.division)
    public = reverse("division", args=args)
    for reader, url in ((DIRECTOR, reverse("draw", args=args)), (ASSISTANT, public), (HELPER, public)):
        shown = steps.head(event, None, page="floor", reader=reader, has_floor=False)
        assert next(step.url for step in shown.steps if step.key == "draw") == url
    assert f'href="{public}"' in alice_client.get(reverse("draw", args=args)).content.decode()


def test_several_divisions_are_offered_where_one_is_needed(
    make_division: Callable[..., Division], alice_client: Client
) -> None:
    first, second = make_division(name="Open"), make_division(name="Masters")
    event = first.tournament
    shown = steps.head(event, None, page="arrivals", reader=DIRECTOR, has_floor=False)
    draw = next(step for step in shown.steps if step.key == "draw")
    assert [choice.label for choice in draw.choices] == ["Open", "Masters"]
    assert [link.label for link in shown.divisions] == ["All", "Open", "Masters"]
    page = alice_client.get(f"/events/{event.club.slug}/{event.slug}/check-in/?division={second.public_id}")
    assert "Masters" in text(page.content.decode())


def test_all_settings_are_reached_from_one_link_and_from_each_other(
    running: RunningEvent, make_division: Callable[..., Division], alice_client: Client
) -> None:
    event = running.tournament
    make_division(name="Masters")
    evening.open_floor(tournament=event, by=SYSTEM, now=NOW)
    args = [event.club.slug, event.slug]
    pages = [reverse("event-edit", args=args), reverse("floor-settings", args=args)]
    pages += [reverse("division-settings", args=division_url_args(row)) for row in event.divisions.order_by("order")]
    for page in (
        reverse("draw", args=division_url_args(running.division)),
        reverse("floor", args=args),
        f"{running.url}",
    ):
        shown = alice_client.get(page).content.decode()
        assert [shown.count(f'href="{url}"') for url in pages] == [1, 0, 0, 0], page
    for page in pages:
        shown = alice_client.get(page).content.decode()
        assert all(f'href="{url}"' in shown for url in [*pages, reverse("division-create", args=args)]), page
        assert shown.count('aria-current="page"') == 2, "the link of all settings and this page's own"


@pytest.mark.slow
def test_everything_of_the_head_can_be_opened_by_who_sees_it(
    running: RunningEvent,
    alice_client: Client,
    erin: User,
    as_user: Callable[[User], Client],
) -> None:
    for client, reader in ((alice_client, DIRECTOR), (as_user(erin), ASSISTANT)):
        shown = steps.head(running.tournament, None, page="console", reader=reader, has_floor=False)
        urls = [step.url for step in shown.steps] + [link.url for group in shown.more for link in group.links]
        assert len(urls) > 6
        for url in urls:
            assert client.get(url, follow=True).status_code == 200, url
