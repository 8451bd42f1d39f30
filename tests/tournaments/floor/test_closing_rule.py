"""The event's rule for matches that still run when it ends; Alice directs eight players to seven points."""

import re
from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from formats.settings import StageSettings
from matches.lifecycle.finish import standing_result
from matches.models import Result
from players.actors import Actor
from players.joining.services import directors_of
from players.models import Notification, Player
from players.notifications.kinds import texts_of
from tests.pages import html
from tests.tournaments.floor.test_services import Evening
from tests.tournaments.support.played_stages import drawn_as
from tournaments.floor import calls
from tournaments.floor import evening as opening
from tournaments.floor.closing_time import ClosedMatch, RunningMatch, close_matches, closing_time, matches_left
from tournaments.floor.selectors import floor
from tournaments.floor.sentences import MatchesLeft
from tournaments.floor.undo import last_act, undo
from tournaments.models import Autopilot, Division, FloorEvent, Tournament
from tournaments.state.integrity import differences
from tournaments.tasks import sweep_floors

pytestmark = pytest.mark.django_db
SCORES = {1: (5, 3), 2: (4, 4), 3: (1, 6)}
"""The running scores of the matches that run at closing time; M4 was never called."""


@pytest.fixture
def closing(drawn: Callable[..., Division], by_alice: Actor) -> Evening:
    """An evening that ended five minutes ago, with three matches at the tables."""
    division = drawn(8, match_length=7)
    event = division.tournament
    evening = Evening(division, by_alice, timezone.now() - timedelta(minutes=60))
    event.tables, event.ends_at = 3, evening.now + timedelta(minutes=55)
    event.save()
    opening.open_floor(tournament=event, **evening.acts)
    for number, score in SCORES.items():
        calls.call(fixture=evening.fixture(number), table=evening.table(number), **evening.acts)
        calls.set_running_score(fixture=evening.fixture(number), score=score, **evening.acts)
    evening.later(60)
    return evening


def running(event: Evening) -> list[RunningMatch]:
    return [RunningMatch(event.fixture(number), score) for number, score in SCORES.items()]


def codes(closed: list[ClosedMatch]) -> list[str | None]:
    return [row.refused.code if row.refused is not None else None for row in closed]


def choose(event: Evening, rule: str) -> None:
    Tournament.objects.filter(pk=event.division.tournament_id).update(closing_rule=rule)


def test_all_running_matches_are_adjourned_by_one_tap_and_undone_one_by_one(closing: Evening) -> None:
    for _ in range(2):
        assert codes(close_matches(rule="adjourn", running=running(closing), **closing.acts)) == [None] * 3
    adjourned = FloorEvent.objects.filter(kind="adjourned").order_by("pk")
    assert [tuple(fact.params["score"]) for fact in adjourned] == list(SCORES.values())
    assert closing.states() == "aaarwww", "the tap was repeated"
    closing.undo_last()
    assert closing.states() == "aaprwww"
    assert list(differences()) == []


def test_the_leaders_win_a_level_match_is_named_and_each_result_is_undone_by_itself(closing: Evening) -> None:
    for _ in range(2):
        closed = close_matches(rule="leader", running=running(closing), **closing.acts)
        assert codes(closed) == [None, "match_level", None]
    results = {number: standing_result(closing.match(number)) for number in SCORES}
    assert results[2] is None
    for number, winner in ((1, 0), (3, 1)):
        result = results[number]
        assert result is not None
        assert (result.winner, result.score, result.kind) == (winner, SCORES[number], Result.Kind.LEADER)
        assert result.version == 1, "the tap was repeated"
    last = last_act(closing.division.tournament, closing.alice)
    assert last is not None
    assert last.fixture == closing.fixture(3)
    undo(tournament=closing.division.tournament, act=last, **closing.acts)
    assert standing_result(closing.match(1)) is not None
    assert list(differences()) == []


def test_shortened_matches_end_once_the_leader_has_the_points_chosen(closing: Evening) -> None:
    for _ in range(2):
        closed = close_matches(rule="shorten", points=1, running=running(closing), **closing.acts)
        assert codes(closed) == [None, None, "cannot_shorten"]
    assert [closing.match(number).length for number in SCORES] == [6, 5, 7]
    assert FloorEvent.objects.filter(kind="shortened").count() == 2
    closing.undo_last()
    assert [closing.match(number).length for number in SCORES] == [6, 7, 7]


@pytest.mark.parametrize("rule", ["leader", "shorten"])
def test_a_match_is_left_alone_if_its_score_has_changed_or_it_was_reported(closing: Evening, rule: str) -> None:
    seen = running(closing)
    calls.set_running_score(fixture=closing.fixture(1), score=(5, 6), **closing.acts)
    closing.win(3, (1, 7))
    refused = codes(close_matches(rule=rule, points=1, running=[seen[0], seen[2]], **closing.acts))
    assert refused == ["running_score_changed", "match_finished"]
    assert closing.match(1).length == 7
    assert standing_result(closing.match(1)) is None


def test_only_matches_that_are_being_played_run_and_only_after_the_end(closing: Evening) -> None:
    event = closing.division.tournament

    def at(minutes: int) -> tuple[bool, list[int]]:
        view = closing_time(floor(event, closing.now + timedelta(minutes=minutes)))
        return view.is_over, [row.match.number for row in view.running]

    assert at(0) == (True, [1, 2, 3])
    assert at(-6) == (False, [1, 2, 3])
    event.ends_at = None
    assert at(0) == (False, [1, 2, 3])


@pytest.mark.slow
def test_the_floor_proposes_the_rule_of_the_event_which_its_page_says(
    closing: Evening, alice_client: Client, as_user: Callable[..., Client], erin: Any
) -> None:
    event = closing.division.tournament
    home = f"/events/{event.club.slug}/{event.slug}/"
    offered = {
        "adjourn": ["Adjourn all 3"],
        "leader": ["The leaders win 2 matches"],
        "shorten": ["Leader needs 1 more point", "Leader needs 2 more points"],
        "director": [],
    }
    for rule, labels in offered.items():
        choose(closing, rule)
        assert str(Tournament.ClosingRule(rule).label) in html(Client().get(home))
        page = html(alice_client.get(f"{home}floor/"))
        assert "3 matches still run" in page
        assert [label for row in offered.values() for label in row if label in page] == labels
        assistants = html(as_user(erin).get(f"{home}floor/"))
        assert "3 matches still run" in assistants
        assert "floor/close/" not in assistants
    Tournament.objects.filter(pk=event.pk).update(ends_at=timezone.now() + timedelta(minutes=5))
    assert "still run" not in html(alice_client.get(f"{home}floor/"))


@pytest.mark.slow
def test_alice_confirms_the_rule_and_reads_what_was_refused(closing: Evening, alice_client: Client) -> None:
    event = closing.division.tournament
    url = f"/events/{event.club.slug}/{event.slug}/floor/close/"
    items = " ".join(f"{row.fixture.public_id}:{row.score[0]}:{row.score[1]}" for row in running(closing))

    def send(**data: str) -> str:
        return html(alice_client.post(url, data, follow=True))

    for fault in ({"running": "1:2"}, {"running": "k7m2p9x4qa:1:2"}, {"running": ""}, {"rule": "settle"}):
        send(**{"rule": "adjourn", "running": items} | fault)
    send(rule="shorten", running=items)
    assert not FloorEvent.objects.filter(kind__in=("adjourned", "shortened")).exists()
    page = send(rule="leader", running=items)
    assert "Undo takes them back one by one" in page
    assert "M2 stands 4–4, so nobody leads." in page


def test_a_client_closes_matches_with_what_the_floor_says_runs(closing: Evening, alice_client: Client) -> None:
    url = f"/api/v1/tournaments/{closing.division.tournament.public_id}/floor/"
    seen = alice_client.get(url).json()["closing_time"]
    assert (seen["rule"], seen["is_over"]) == ("adjourn", True)
    assert [row["score"] for row in seen["running"]] == [[5, 3], [4, 4], [1, 6]]

    def send(**body: Any) -> Any:
        return alice_client.post(f"{url}close/", body, content_type="application/json")

    assert send(rule="shorten", matches=seen["running"]).status_code == 422
    assert send(rule="adjourn", matches=[{"fixture": "k7m2p9x4qa", "score": [0, 0]}]).status_code == 422
    closed = send(rule="leader", matches=seen["running"])
    assert [(row["number"], row["code"]) for row in closed.json()] == [(1, None), (2, "match_level"), (3, None)]
    assert "nobody leads" in closed.json()[1]["message"]


def calls_itself(closing: Evening) -> None:
    """The autopilot calls since before the end; a table is free, and M4 waits."""
    opening.set_autopilot(
        tournament=closing.division.tournament, mode=Autopilot.CALL, by=closing.alice,
        now=closing.now - timedelta(minutes=30),
    )  # fmt: skip
    closing.win(1)


def called(closing: Evening) -> list[int]:
    """The numbers of the matches that the autopilot calls now."""
    events = calls.call_ready(tournament_id=closing.division.tournament_id, now=closing.now)
    return [event.fixture.number for event in events if event.fixture is not None]


def page(closing: Evening, route: str = "floor", *more: str) -> str:
    event = closing.division.tournament
    return reverse(route, args=[event.club.slug, event.slug, *more])


def notifications(closing: Evening) -> list[tuple[str, int]]:
    rows = Notification.objects.filter(kind="closing_time").order_by("pk")
    return [(row.params["variant"], row.params["count"]) for row in rows]


@pytest.mark.usefixtures("valkey")
@pytest.mark.parametrize("is_over", [True, False])
def test_from_closing_time_on_nothing_is_called_until_somebody_taps_go_on(
    closing: Evening, alice_client: Client, is_over: bool
) -> None:
    if not is_over:
        Tournament.objects.update(ends_at=closing.now + timedelta(hours=1))
    calls_itself(closing)
    alice_client.get(page(closing))
    if not is_over:
        close_matches(rule="adjourn", running=running(closing), **closing.acts)
    assert [called(closing), called(closing)] == [[], []]
    assert closing.states()[3] == "r", "it is still suggested"
    assert notifications(closing) == [("" if is_over else "adjourned", 1)], "one push, however often a worker looks"
    assert len(notifications(closing)) == len(directors_of(closing.division.tournament.club))
    [text_for_alice] = texts_of(list(Notification.objects.filter(kind="closing_time")))
    left = "2 matches still run, 1 waits" if is_over else "1 match waits"
    assert f"{left}. Go on or adjourn?" in text_for_alice.sentence
    assert text_for_alice.detail == "Until then no match is called."
    shown = html(alice_client.get(page(closing)))
    assert (f"is over: {left}" if is_over else f"Matches were adjourned: {left}") in shown
    assert ('id="post-closing-go-on"' in shown, ">Adjourn all 2<" in shown) == (True, is_over)
    alice_client.post(page(closing, "floor-action", "autopilot"), {"mode": "call"})
    assert called(closing) == [4]
    assert 'id="post-closing-go-on"' not in html(alice_client.get(page(closing)))
    assert len(notifications(closing)) == 1
    closing.undo_last()
    assert 'id="post-closing-go-on"' in html(alice_client.get(page(closing))), "going on was undone"


@pytest.mark.usefixtures("valkey")
def test_the_end_of_an_evening_that_has_stopped_before_is_not_told_again(
    closing: Evening, alice_client: Client
) -> None:
    Tournament.objects.update(ends_at=closing.now + timedelta(hours=1))
    calls_itself(closing)
    alice_client.get(page(closing))
    close_matches(rule="adjourn", running=running(closing), **closing.acts)
    assert called(closing) == []
    sweep(closing, 65)
    assert notifications(closing) == [("adjourned", 1)]


@pytest.mark.usefixtures("valkey")
def test_one_match_that_is_put_aside_before_the_end_stops_nothing(closing: Evening, alice_client: Client) -> None:
    Tournament.objects.update(ends_at=closing.now + timedelta(hours=1))
    calls_itself(closing)
    alice_client.get(page(closing))
    opening.adjourn(fixture=closing.fixture(2), **closing.acts)
    assert called(closing) == [4]
    assert notifications(closing) == []


@pytest.mark.usefixtures("valkey")
def test_an_event_that_nobody_watches_goes_on_by_itself(closing: Evening) -> None:
    calls_itself(closing)
    assert called(closing) == [4]
    assert notifications(closing) == []


@pytest.fixture
def nothing_started(drawn: Callable[..., Division], by_alice: Actor) -> Evening:
    """An evening whose matches are called by hand, a minute before its end: M1 is called, M2 over, two wait."""
    division = drawn(8, match_length=7)
    evening = Evening(division, by_alice, timezone.now())
    Tournament.objects.update(tables=3, ends_at=evening.now + timedelta(minutes=1))
    division.tournament.refresh_from_db()
    opening.open_floor(tournament=division.tournament, **evening.acts)
    calls.call(fixture=evening.fixture(1), table=evening.table(1), **evening.acts)
    evening.win(2)
    return evening


def sweep(closing: Evening, minutes: float = 0) -> None:
    """Let two workers sweep the floors after so many minutes."""
    closing.later(minutes)
    with time_machine.travel(closing.now.timestamp(), tick=False):
        sweep_floors()
        sweep_floors()


def shown(closing: Evening, client: Client) -> str:
    with time_machine.travel(closing.now.timestamp(), tick=False):
        return html(client.get(page(closing)))


@pytest.mark.usefixtures("valkey")
@pytest.mark.parametrize("mode", [None, Autopilot.SUGGEST])
def test_closing_time_is_kept_where_matches_are_called_by_hand_and_none_has_started(
    nothing_started: Evening, alice_client: Client, mode: Autopilot | None
) -> None:
    event = nothing_started
    left = "1 match called, 2 wait"
    if mode is not None:
        opening.set_autopilot(tournament=event.division.tournament, mode=mode, **event.acts)
    sweep(event)
    assert (notifications(event), "Closing time" in shown(event, alice_client)) == ([], False), "not before the end"
    event.later(2)
    assert f"is over: {left}" in shown(event, alice_client), "also before a worker has looked"
    sweep(event)
    assert notifications(event) == [("by_hand", 2)], "one push, whether or not the floor is open"
    [push] = texts_of(list(Notification.objects.filter(kind="closing_time")))
    assert (f"is over: {left}. Go on or adjourn?" in push.sentence, push.detail) == (True, "")
    asked = shown(event, alice_client)
    assert f"is over: {left}" in asked
    assert ("Go on” " in asked, 'id="post-closing-go-on"' in asked, ">Adjourn it<" in asked) == (False, True, True)
    opening.set_autopilot(tournament=event.division.tournament, mode=Autopilot.SUGGEST, **event.acts)
    assert "Closing time" not in shown(event, alice_client)
    sweep(event, 10)
    assert len(notifications(event)) == 1, "nobody is told again once the evening goes on"
    Tournament.objects.update(ends_at=event.now + timedelta(minutes=20))
    sweep(event, 25)
    assert len(notifications(event)) == 2, "until the next closing time"
    assert f"is over: {left}" in shown(event, alice_client)


@pytest.mark.usefixtures("valkey")
def test_going_on_leaves_the_autopilot_as_it_was(nothing_started: Evening, alice_client: Client) -> None:
    sweep(nothing_started, 2)
    mode = r'name="mode" value="(\w+)">\s*<button id="post-closing-go-on"'
    assert re.findall(mode, shown(nothing_started, alice_client)) == ["suggest"]


@pytest.mark.usefixtures("valkey")
def test_directors_hear_of_an_end_once_something_is_left(nothing_started: Evening) -> None:
    event = nothing_started
    for number in (1, 3, 4):
        event.win(number)
    for number in (5, 6):
        event.start(number)
        opening.adjourn(fixture=event.fixture(number), **event.acts)
    sweep(event, 2)
    assert notifications(event) == []
    opening.let_go_on(fixture=event.fixture(5), **event.acts)
    sweep(event, 10)
    assert [row.params["playing"] for row in Notification.objects.filter(kind="closing_time")] == [1]


@pytest.mark.usefixtures("valkey")
def test_nobody_hears_of_the_end_of_an_event_that_was_left_open_the_day_before(nothing_started: Evening) -> None:
    sweep(nothing_started, 13 * 60)
    assert notifications(nothing_started) == []


def test_to_adjourn_what_is_called_takes_its_call_back(nothing_started: Evening, alice_client: Client) -> None:
    event = nothing_started
    calls.call(fixture=event.fixture(3), table=event.table(2), **event.acts)
    calls.set_running_score(fixture=event.fixture(3), score=(2, 1), **event.acts)
    event.later(2)
    view = closing_time(floor(event.division.tournament, event.now))
    matches = [RunningMatch(event.fixture(row.match.number), row.score) for row in (*view.running, *view.called)]
    assert [row.fixture.number for row in matches] == [3, 1]
    for _ in range(2):
        assert codes(close_matches(rule="adjourn", running=matches, **event.acts)) == [None, None]
    assert FloorEvent.objects.filter(kind="freed").count() == 1, "the tap was repeated"
    assert event.states() == "rsarwww"
    event.undo_last()
    assert event.states() == "csarwww"
    assert list(differences()) == []


def test_a_client_adjourns_what_is_called(nothing_started: Evening, alice_client: Client) -> None:
    url = f"/api/v1/tournaments/{nothing_started.division.tournament.public_id}/floor/"
    seen = alice_client.get(url).json()["closing_time"]
    assert (seen["running"], seen["waiting"]) == ([], 2)
    assert seen["called"] == [{"fixture": nothing_started.fixture(1).public_id, "score": [0, 0]}]
    body = {"rule": "adjourn", "matches": seen["called"]}
    closed = alice_client.post(f"{url}close/", body, content_type="application/json")
    assert [(row["number"], row["code"]) for row in closed.json()] == [(1, None)]
    assert nothing_started.states()[0] == "r"


@pytest.mark.parametrize("counts", list(product(range(3), repeat=3)))
def test_what_is_left_is_named_without_what_is_not(counts: tuple[int, int, int]) -> None:
    text = MatchesLeft(*counts).text
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    assert numbers == ([count for count in counts if count] or [0])
    assert text.count("match") == 1
    assert ("waits" in text) == (counts[2] == 1)
    assert text[1:8] == (" match " if numbers[0] == 1 else " matches"[:7])


def test_of_the_matches_that_wait_only_the_next_one_of_each_player_counts(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    division = drawn_as(make_division(match_length=7), [StageSettings("roundrobin")], make_players(6), by_alice)
    Tournament.objects.update(tables=3)
    event = Evening(division, by_alice, timezone.now())
    opening.open_floor(tournament=division.tournament, **event.acts)
    assert len(event.state.matches) == 15
    assert matches_left(event.state) == (0, 0, 3)
    event.call(1, 1)
    assert matches_left(event.state) == (0, 1, 2)
    event.start(1)
    assert matches_left(event.state) == (1, 0, 2)


def test_the_forecast_says_how_far_beyond_closing_time_the_evening_goes(closing: Evening, alice_client: Client) -> None:
    shown = html(alice_client.get(page(closing)))
    assert re.search(r"\d+ minutes beyond \d\d:\d\d", shown)
    assert 'class="closing"' in shown
