"""The event's rule for matches that still run when it ends; Alice directs eight players to seven points."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from matches.lifecycle.finish import standing_result
from matches.models import Result
from players.actors import Actor
from players.joining.services import directors_of
from players.models import Notification
from players.notifications.kinds import texts_of
from tests.pages import html
from tests.tournaments.floor.test_services import Evening
from tournaments.floor import calls
from tournaments.floor import evening as opening
from tournaments.floor.closing_time import ClosedMatch, RunningMatch, close_matches, closing_time
from tournaments.floor.selectors import floor
from tournaments.floor.undo import last_act, undo
from tournaments.models import Autopilot, Division, FloorEvent, Tournament
from tournaments.state.integrity import differences

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


def told(closing: Evening) -> list[tuple[str, int]]:
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
    assert told(closing) == [("" if is_over else "adjourned", 1)], "one push, however often a worker looks"
    assert len(told(closing)) == len(directors_of(closing.division.tournament.club))
    [told_alice] = texts_of(list(Notification.objects.filter(kind="closing_time")))
    assert "Matches that wait: 1. Go on or adjourn?" in told_alice.sentence
    shown = html(alice_client.get(page(closing)))
    assert ("is over, 1 match waits" if is_over else "Matches were adjourned, 1 match waits") in shown
    assert ('id="post-closing-go-on"' in shown, ">Adjourn all 2<" in shown) == (True, is_over)
    alice_client.post(page(closing, "floor-action", "autopilot"), {"mode": "call"})
    assert called(closing) == [4]
    assert 'id="post-closing-go-on"' not in html(alice_client.get(page(closing)))
    assert len(told(closing)) == 1
    closing.undo_last()
    assert 'id="post-closing-go-on"' in html(alice_client.get(page(closing))), "going on was undone"


@pytest.mark.usefixtures("valkey")
def test_one_match_that_is_put_aside_before_the_end_stops_nothing(closing: Evening, alice_client: Client) -> None:
    Tournament.objects.update(ends_at=closing.now + timedelta(hours=1))
    calls_itself(closing)
    alice_client.get(page(closing))
    opening.adjourn(fixture=closing.fixture(2), **closing.acts)
    assert called(closing) == [4]
    assert told(closing) == []


@pytest.mark.usefixtures("valkey")
def test_an_event_that_nobody_watches_goes_on_by_itself(closing: Evening) -> None:
    calls_itself(closing)
    assert called(closing) == [4]
    assert told(closing) == []


def test_the_forecast_says_how_far_beyond_closing_time_the_evening_goes(closing: Evening, alice_client: Client) -> None:
    shown = html(alice_client.get(page(closing)))
    assert re.search(r"\d+ minutes beyond \d\d:\d\d", shown)
    assert 'class="closing"' in shown
