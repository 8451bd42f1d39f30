"""A division of which something cannot be derived: every page and operation of its event, its club and its seasons.

What others show stays as it was, and what decides or sums up over the whole event refuses.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.utils import timezone
from prometheus_client import REGISTRY
from redis import Redis

from clubhouse.letters.night import night_of
from config.limits import LEFT_OUT
from config.middleware import incomplete
from config.page_cache import Buffer
from core.downloads import short_file
from core.faults import ItemsFailed, failing
from core.left_out import DivisionBroken, complete, show_the_rest
from engine.errors import Refused
from formats.settings import LIVES, PairingMode, StageSettings
from players.actors import SYSTEM, Actor
from players.models import Player
from seasons.services import count_events
from seasons.tables import season_table
from seasons.titles import winners_of
from tests.access.roles import ROUTES, TABLE
from tests.access.world import CLUB_ROUTES, EVENT_ROUTES, World, corrected, season_of
from tests.event_cast import NOW, RunningEvent
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.draws.verifiable import pairings_data
from tournaments.events import services as events
from tournaments.floor import evening
from tournaments.floor.calls import call, call_ready
from tournaments.floor.page import forecast
from tournaments.floor.page.forecast import evening_forecast
from tournaments.floor.selectors import floor
from tournaments.models import Autopilot, Batch, Division, Entry, Fixture, Slot, Stage, Table
from tournaments.results.services import close_results
from tournaments.state import derivation
from tournaments.state.derivation import states_of
from tournaments.tasks import sweep_floors

pytestmark = pytest.mark.django_db

FLOW = StageSettings(LIVES, lives=2, lengths=(7,), pairing=PairingMode.CONTINUOUS)
SOUND_NAMES = re.compile(r"\b(Bob|Carol|Player \d)\b")
"""The entries of the division that is not broken."""
FAULTS = (AttributeError, KeyError, TypeError, ValueError)


@pytest.fixture
def second(running: RunningEvent, by_alice: Actor) -> RunningEvent:
    """A second division of the event, of lives without rounds, with batches; the event counts in a season."""
    event = running.tournament
    count_events(series=season_of(running), events=[event], by=by_alice)
    evening.open_floor(tournament=event, by=by_alice, now=NOW)
    evening.set_autopilot(tournament=event, mode=Autopilot.CALL, by=by_alice, now=NOW)
    division = events.create_division(tournament=event, by=by_alice, now=NOW, name="Second")
    driver = DivisionDriver(division, by_alice)
    driver.enter([Player.objects.create(name=f"Quimby {number}") for number in range(1, 5)])
    driver.begin(FLOW)
    driver.play_round()
    call_ready(tournament_id=event.pk, now=timezone.now())
    driver.division.refresh_from_db()
    open_ = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY).order_by("number")
    fixture = open_.select_related("match", "stage")[0]
    result = RunningEvent(event, driver.division, fixture, Entry.objects.filter(division=division).order_by("pk")[0])
    corrected(result)
    return result


# The ways in which a division breaks, and what then raises.


@dataclass
class Way:
    """What breaks a division, and what cannot be derived of it then."""

    break_it: Callable[[Division, pytest.MonkeyPatch], object]
    derive: Callable[[Division], object] = states_of


def _stage(division: Division) -> Stage:
    return division.stages.get()


def _words(division: Division, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {**_stage(division).settings, "lives": "two", "lengths": ["five"]}
    Stage.objects.filter(division=division).update(settings=settings)


def _format(division: Division, monkeypatch: pytest.MonkeyPatch) -> None:
    Stage.objects.filter(division=division).update(format="chess")


def _rule(division: Division, monkeypatch: pytest.MonkeyPatch) -> None:
    Batch.objects.filter(stage__division=division).update(rule=["words"])
    # Nothing of it is public before its stage is over.
    Stage.objects.filter(division=division).update(status=Stage.Status.FINISHED)


def _places(division: Division, monkeypatch: pytest.MonkeyPatch) -> None:
    slots = Slot.objects.filter(fixture__stage__division=division)
    slots.update(source=Slot.Source.WINNER, source_entry=None, source_fixture=999)


def _derivation(division: Division, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = derivation.event_of

    def faulty(rows: Any, *rest: Any) -> Any:
        if rows.stage.division_id == division.pk:
            raise KeyError(division.pk)
        return sound(rows, *rest)

    monkeypatch.setattr(derivation, "event_of", faulty)


def _forecast(division: Division, monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(pool: Any, *rest: Any, **more: Any) -> Any:
        raise KeyError(division.pk)

    # Of the two divisions only the broken one has no rounds.
    monkeypatch.setattr(forecast, "rest_of_night", faulty)


WAYS = {
    "settings": Way(_words),
    "format": Way(_format),
    "rule": Way(_rule, lambda division: pairings_data(_stage(division), directs=True)),
    "places": Way(_places),
    "derivation": Way(_derivation),
    "forecast": Way(_forecast, lambda division: evening_forecast(floor(division.tournament, timezone.now()))),
}


@contextmanager
def broken(way: str, division: Division) -> Iterator[None]:
    """Break a division in one way, and mend it at the end."""
    with pytest.MonkeyPatch.context() as monkeypatch, transaction.atomic():
        WAYS[way].break_it(division, monkeypatch)
        # What seasons keep of a division would be right for as long as nothing is entered.
        cache.clear()
        yield
        transaction.set_rollback(True)


# The walk.


class Walk:
    """What Alice, who owns the club, gets from every route about an event, a season or a club."""

    def __init__(self, client: Client, world: World, running: RunningEvent) -> None:
        self.answers: dict[str, Any] = {}
        """By method and route."""
        own = World(running, world.places, world.bodies)
        for name in ROUTES:
            if name not in EVENT_ROUTES and name not in CLUB_ROUTES:
                continue
            # Where nothing can be corrected, there is no correction to look at.
            with suppress(DivisionBroken), transaction.atomic():
                url = own.address(name)
                for method in TABLE[name]:
                    self.answers[f"{method} {name}"] = _answer(client, method, url, world.bodies.get(name, {}))
                transaction.set_rollback(True)


def _answer(client: Client, method: str, url: str, body: dict[str, Any]) -> Any:
    """Return the answer to a request, which is rolled back."""
    sent = {"data": body} if method == "post" and "/api/" not in url else {}
    if method != "get" and not sent:
        sent = {"data": body, "content_type": "application/json"}
    kept = client.cookies.copy()
    with transaction.atomic():
        answer = getattr(client, method)(url, secure=True, **sent)
        transaction.set_rollback(True)
    client.cookies = kept
    assert answer.status_code < 500, f"{method} {url}"
    return answer


def text_of(answer: Any) -> str:
    return b"".join(answer).decode(errors="replace")


def about_others(body: str) -> Counter[str]:
    """Return what an answer says of the entries of the sound division, whatever the time and the order of its parts."""
    parts = (re.sub(r"\d+", "#", part).strip() for part in re.split(r"[<>\n{}]", body))
    return Counter(part for part in parts if SOUND_NAMES.search(re.sub("#", "1", part)))


def empties(answer: Any) -> set[str]:
    """Return what a page says where there is nothing, and its numbers of people."""
    body = text_of(answer)
    nothing = re.findall(r'class="empty[^>]*>(.*?)</(?:div|p)>', body, re.DOTALL)
    return {*nothing, *re.findall(r"(\b0 (?:players|entered|are coming)\b)", body)}


def is_refused(answer: Any) -> bool:
    """Whether an answer says only that the division cannot be shown."""
    code = answer.json()["code"] if answer.headers.get("Content-Type") == "application/problem+json" else ""
    return answer.status_code == 422 and (code == BROKEN or f'data-code="{BROKEN}"' in text_of(answer))


# What sums up or decides over more than a division.

BROKEN = "division_broken"
OF_EVENT = {
    *("get prizes", "get api-prizes", "get event-report", "get api-report", "get cash", "get api-cash"),
    *("get cash-file", "get paper-cash", "post api-tournament-cancel", "post console-close"),
}
OF_SEASON = {
    *("get series", "get series-edit", "get series-file", "get series-card", "get embed-series", "get api-series"),
    *("get api-series-race", "get api-series-race-player", "post api-series-final"),
}
OF_SETTINGS = {"post design"}
"""Whose tables for the evening depend on the formats of all divisions."""
REFUSED = {
    "settings": OF_EVENT | OF_SEASON | OF_SETTINGS,
    "format": OF_EVENT | OF_SEASON | OF_SETTINGS,
    "rule": set(),
    "places": OF_EVENT | OF_SEASON,
    "derivation": OF_EVENT | OF_SEASON,
    "forecast": set(),
}
"""Way -> the requests about the other division, the event or its season that are refused."""


def test_what_is_left_is_shown_and_what_sums_up_refuses(
    running: RunningEvent, second: RunningEvent, alice_client: Client, settings: Any
) -> None:
    settings.RAISE_FAULTS = False
    api = f"/api/v1/tournaments/{running.tournament.public_id}/"
    with broken("settings", second.division):
        for path in ("", "floor/", "wall/", "paper/snapshot/"):
            answer = alice_client.get(f"{running.url}{path}")
            assert answer.status_code == 200, path
            assert_says_so(answer, second.division)
            assert "Bob" in text_of(answer), path
        assert alice_client.get(f"{running.division_url}").status_code == 200
        assert is_refused(alice_client.get(f"{second.division_url}standings.csv"))
        assert alice_client.get(f"{api}floor/").json()["faulty"] == [second.division.public_id]
        assert is_refused(alice_client.get(second.division_url))
        assert is_refused(alice_client.get(f"{running.url}prizes/"))
        assert is_refused(alice_client.get(f"{api}cash/"))
        with pytest.raises(Refused, match=BROKEN):
            close_results(tournament=running.tournament, results=[], by=SYSTEM, now=timezone.now())
        outline = alice_client.get(f"/api/v1/divisions/{running.division.public_id}/outline/")
        assert [row["id"] for row in outline.json()["broken_divisions"]] == [second.division.public_id]


@pytest.mark.parametrize("way", ["settings", "format", "places", "derivation"])
def test_its_matches_keep_their_tables_and_the_calls_go_on(
    way: str, running: RunningEvent, second: RunningEvent, by_alice: Actor, settings: Any, valkey: Redis
) -> None:
    settings.RAISE_FAULTS = False
    event, now = running.tournament, timezone.now()
    tables = [Table.objects.create(tournament=event, label=label, order=at) for at, label in enumerate("12")]
    call(
        fixture=Fixture.objects.filter(stage__division=second.division, status="ready")[0],
        table=tables[0],
        by=by_alice,
        now=now,
    )
    batches = Batch.objects.count()
    with broken(way, second.division):
        with pytest.raises(ItemsFailed) if way != "format" else nullcontext():
            # What has no format it knows is not paired without rounds, so that nothing of it is derived.
            sweep_floors()
        assert [(row.kind, row.id) for row in failing()] == ([("floors", str(event.pk))] if way != "format" else [])
        state = floor(event, now).state
        at_table = {key: row.match.facts.division if row.match else "" for key, row in state.tables.items()}
        assert at_table == {tables[0].pk: "Second", tables[1].pk: "Open"}
        assert Batch.objects.count() == batches
    sweep_floors()
    assert failing() == []


def test_letters_titles_and_seasons_refuse(running: RunningEvent, second: RunningEvent, settings: Any) -> None:
    settings.RAISE_FAULTS = False
    event, now = running.tournament, timezone.now()
    sums: dict[str, Callable[[], object]] = {
        "letter": lambda: night_of(event, now),
        "season": lambda: season_table(season_of(running)),
        "title": lambda: winners_of(second.division),
    }
    for way in ("settings", "places", "derivation"):
        with broken(way, second.division):
            for sum_up in sums.values():
                with pytest.raises(Refused, match=BROKEN) as refused:
                    sum_up()
                assert refused.value.params["division"] == "Second"


def test_each_is_logged_and_counted(
    running: RunningEvent,
    second: RunningEvent,
    alice_client: Client,
    settings: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.RAISE_FAULTS = False
    counted = partial(REGISTRY.get_sample_value, "barpoint_broken_divisions_total", {"route": "event"})
    before = counted() or 0.0
    with broken("settings", second.division):
        answer = alice_client.get(running.url)
    assert counted() == before + 1
    logged = [row.msg for row in caplog.records if row.name == "core.left_out" and isinstance(row.msg, dict)]
    assert {row["reference"] for row in logged} == {answer.headers["X-Request-ID"]}
    assert {row["division"] for row in logged} == {second.division.public_id}


def test_a_test_sees_the_error_itself(running: RunningEvent, second: RunningEvent, alice_client: Client) -> None:
    with broken("settings", second.division), pytest.raises(TypeError):
        alice_client.get(running.url)


def test_an_answer_without_a_division_is_rendered_for_each_reader() -> None:
    answer = Buffer(200, [(b"Content-Type", b"text/html")])
    assert not answer.is_personal
    answer.headers.append((LEFT_OUT.encode(), b"37sw9bz2ed"))
    assert answer.is_personal


def test_a_table_without_a_division_ends_with_a_line_that_says_so() -> None:
    broken = DivisionBroken(Division(name="Second"), "ee628badf8")
    with complete():
        answer = show_the_rest(broken, lambda: short_file([["Bob", 3]], "places.csv"))
        incomplete(answer)
    *_, last = answer.content.decode().splitlines()
    assert last.startswith("division_broken,")
    assert "Second" in last


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_what_is_broken_stays_in_its_division(
    way: str, world: World, running: RunningEvent, second: RunningEvent, alice_client: Client, settings: Any
) -> None:
    with time_machine.travel(timezone.now(), tick=False):
        sound = Walk(alice_client, world, running).answers
        assert len(sound) > 300
        with broken(way, second.division):
            with pytest.raises(FAULTS), transaction.atomic():
                WAYS[way].derive(second.division)
            settings.RAISE_FAULTS = False
            of_other = Walk(alice_client, world, running).answers
            of_itself = Walk(alice_client, world, second).answers
    assert {key for key, answer in of_other.items() if is_refused(answer)} == REFUSED[way]
    for key in of_other.keys() - REFUSED[way]:
        assert of_other[key].status_code == sound[key].status_code, key
        if key.startswith("get "):
            missing = about_others(text_of(sound[key])) - about_others(text_of(of_other[key]))
            assert not missing or key in PARTS_ABOUT_SEASONS, key
            assert not about_others(text_of(of_other[key])) - about_others(text_of(sound[key])), key
    without = [answer for answer in (*of_other.values(), *of_itself.values()) if LEFT_OUT in answer.headers]
    assert without
    for answer in without:
        assert_says_so(answer, second.division)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["settings", "places"])
def test_a_page_without_any_division_does_not_say_that_there_is_none(
    way: str, world: World, running: RunningEvent, second: RunningEvent, alice_client: Client, settings: Any
) -> None:
    with time_machine.travel(timezone.now(), tick=False):
        sound = Walk(alice_client, world, running).answers
        settings.RAISE_FAULTS = False
        with broken(way, running.division), broken(way, second.division):
            answers = Walk(alice_client, world, running).answers
    assert sum(LEFT_OUT in answer.headers for answer in answers.values()) > 20
    new_texts = {key: empties(answers[key]) - empties(sound[key]) for key in answers if key.startswith("get ")}
    assert {key: texts for key, texts in new_texts.items() if texts} == {}


PARTS_ABOUT_SEASONS = {"get event-wall"}
"""Pages with a part that sums up a season, which is left out."""


def assert_says_so(answer: Any, division: Division) -> None:
    """Fail unless an answer without a division names it, and stays out of every cache."""
    assert answer.headers[LEFT_OUT] == division.public_id
    assert "no-store" in answer.headers["Cache-Control"]
    assert "ETag" not in answer.headers
    body, kind = text_of(answer), answer.headers.get("Content-Type", "")
    if "json" in kind or "csv" in kind or "<html" in body:
        assert "Second: This division cannot be shown" in body
        assert answer.headers["X-Request-ID"] in body
