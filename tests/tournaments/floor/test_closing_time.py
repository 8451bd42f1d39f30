"""Clocks, adjournments, shorter matches and results at closing time; Alice directs eight players to seven points."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from matches.lifecycle.begun import has_begun
from matches.lifecycle.finish import standing_result
from matches.models import Match, Result
from matches.ratings.rated import measures_play
from players.actors import Actor
from players.models import User
from tests.pages import html
from tests.tournaments.floor.test_services import Evening, event, refusal
from tests.tournaments.support.pages import text
from tournaments.floor import calls, lines
from tournaments.floor import evening as closing
from tournaments.floor.lines import enter_lines
from tournaments.floor.page.forecast import evening_forecast
from tournaments.floor.selectors import floor
from tournaments.floor.state import AttentionKind, FloorMatchState
from tournaments.floor.times import clock_bank
from tournaments.floor.undo import UndoableAct, undo
from tournaments.models import Division, FloorEvent, Table
from tournaments.results import quick_entry
from tournaments.results.lines import TypedLine, Verb, parse
from tournaments.results.quick_entry import OutcomeKind
from tournaments.state.integrity import differences

__all__ = ["event"]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def score(event: Evening, left: int, right: int) -> None:
    calls.set_running_score(fixture=event.fixture(1), score=(left, right), **event.acts)


def begin(event: Evening, left: int = 5, right: int = 3) -> None:
    event.call(1, 1)
    score(event, left, right)


def line(event: Evening, text: str, by: Actor | None = None) -> OutcomeKind:
    (outcome,) = enter_lines(
        tournament=event.division.tournament, text=text, division=None, by=by or event.alice, now=event.now
    )
    assert outcome is not None
    return outcome.what


def state(event: Evening) -> FloorMatchState:
    return event.state.matches[event.fixture(1).pk].state


def test_clocks_get_two_minutes_a_point_less_one_for_each_point_scored_and_end_the_warning(event: Evening) -> None:
    assert refusal(closing.put_clocks_on, fixture=event.fixture(1), **event.acts) == "not_playing"
    begin(event, 5, 3)
    event.later(78)
    assert [row.kind for row in event.state.attention] == [AttentionKind.SLOW]
    assert line(event, "m1 clocks") == OutcomeKind.DONE
    score(event, 6, 3)
    closing.put_clocks_on(fixture=event.fixture(1), **event.acts)
    [fact] = FloorEvent.objects.filter(kind="clocks")
    assert fact.params == {"minutes": 2 * 7 - 5 - 3, "score": [5, 3]}, "the bank is set once"
    assert clock_bank(7, (5, 3)) == 6
    assert event.state.attention == ()
    event.undo_last()
    event.undo_last()
    assert [row.kind for row in event.state.attention] == [AttentionKind.SLOW]


def test_an_adjourned_match_frees_its_table_keeps_its_score_and_goes_on_later(event: Evening) -> None:
    assert refusal(closing.adjourn, fixture=event.fixture(1), **event.acts) == "not_playing"
    begin(event)
    event.later(30)
    for typed in ("see the photo", "-b----E-C---eE---c-e----", "-b----E-C---eE---c-e----B-:0:0:1:31:9:0:0:7:10"):
        assert refusal(closing.adjourn, fixture=event.fixture(1), position=typed, **event.acts) == "position_unreadable"
    position = "4HPwATDgc/ABMA"
    for _ in range(2):
        closing.adjourn(fixture=event.fixture(1), on_roll=1, position=position, **event.acts)
    assert FloorEvent.objects.filter(kind="adjourned").count() == 1
    view = floor(event.division.tournament, event.now)
    [row] = view.adjourned
    assert view.reasons(row) == (f"Adjourned at 5–3; {row.facts.names[1]} is on roll.",)
    assert (row.table, row.score) == (None, (5, 3))
    for service in (calls.start, calls.call, calls.hold, closing.put_clocks_on):
        assert refusal(service, fixture=event.fixture(1), **event.acts) == "match_adjourned"
    assert refusal(score, event=event, left=6, right=3) == "match_adjourned"
    assert has_begun(event.match(1))
    event.later(24 * 60)
    assert line(event, "m1 resume") == OutcomeKind.DONE
    assert state(event) == FloorMatchState.PLAYING
    event.later(10)
    assert event.state.matches[event.fixture(1).pk].minutes == 40, "the day in between does not count"
    assert refusal(closing.let_go_on, fixture=event.fixture(2), **event.acts) == "not_adjourned"
    event.undo_last()
    assert state(event) == FloorMatchState.ADJOURNED
    assert list(differences()) == []


def test_an_adjourned_match_can_be_decided_and_an_adjournment_be_undone(event: Evening) -> None:
    event.start(1)
    closing.adjourn(fixture=event.fixture(1), **event.acts)
    event.undo_last()
    assert state(event) == FloorMatchState.PLAYING
    closing.adjourn(fixture=event.fixture(1), **event.acts)
    event.win(1)
    assert state(event) == FloorMatchState.SETTLED


def test_the_hours_of_an_adjournment_are_no_playing_time_for_the_forecast(event: Evening) -> None:
    def minutes_per_point() -> float:
        return evening_forecast(floor(event.division.tournament, event.now)).pace.minutes_per_point

    before = minutes_per_point()
    event.start(1)
    event.later(30)
    closing.adjourn(fixture=event.fixture(1), **event.acts)
    event.later(24 * 60)
    closing.let_go_on(fixture=event.fixture(1), **event.acts)
    event.win(1)
    assert minutes_per_point() == before


def test_a_match_that_both_agree_to_shorten_can_still_be_won(event: Evening) -> None:
    begin(event, 3, 1)
    shorten = closing.shorten
    for length in (3, 7, 9):
        assert refusal(shorten, fixture=event.fixture(1), length=length, **event.acts) == "not_shorter"
    for _ in range(2):
        shorten(fixture=event.fixture(1), length=5, **event.acts)
    assert FloorEvent.objects.filter(kind="shortened").count() == 1
    assert event.match(1).length == 5
    assert event.match(2).length == 7
    event.undo_last()
    assert event.match(1).length == 7
    score(event, 6, 1)
    assert refusal(shorten, fixture=event.fixture(1), length=6, **event.acts) == "cannot_shorten"
    event.undo_last()
    shorten(fixture=event.fixture(1), length=4, **event.acts)
    event.win(1, (4, 1))
    shortened = FloorEvent.objects.get(kind="shortened", undone_by=None)
    by_name = {"act": UndoableAct(shortened, shortened.fixture), "in_order": False, **event.acts}
    assert refusal(undo, tournament=event.division.tournament, **by_name) == "match_finished"
    assert list(differences()) == []


def test_the_leader_wins_at_the_running_score_unrated_and_undo_takes_it_back(event: Evening) -> None:
    tournament = event.division.tournament
    assert parse("m1 leader 5-3") == TypedLine(Verb.LEADER, 1, score=(5, 3))
    begin(event, 3, 3)

    def enter(text: str) -> list[quick_entry.LineOutcome]:
        return lines.enter_lines(tournament=tournament, text=text, division=None, **event.acts)

    [level] = enter("m1 leader")
    assert level.refused is not None
    assert level.refused.code == "line_draw"
    score(event, 3, 4)
    [entered] = enter("m1 leader")
    assert entered.result is not None
    assert (entered.result.winner, entered.result.score) == (1, (3, 4))
    assert (entered.result.kind, measures_play(entered.result)) == (Result.Kind.LEADER, False)
    assert state(event) == FloorMatchState.SETTLED
    enter_lines(tournament=tournament, text="undo m1", division=None, by=event.alice, now=event.now)
    assert event.match(1).state == Match.State.OPEN
    assert list(differences()) == []


@pytest.mark.slow
def test_alice_closes_matches_from_their_sheet_and_an_assistant_does_not(
    event: Evening, alice_client: Client, erin: User, as_user: Callable[[User], Client]
) -> None:
    begin(event)
    url = f"/events/{event.division.tournament.club.slug}/{event.division.tournament.slug}/floor/"
    fixture = {"fixture": event.fixture(1).public_id}
    sheet = html(alice_client.get(f"{url}matches/{fixture['fixture']}/"))
    leader = event.match(1).player_0.name
    assert f"{leader} leads and wins at 5–3. Not rated." in text(sheet)
    assert f"{leader} goes to M5." in text(sheet)
    assert "At closing time" not in html(as_user(erin).get(f"{url}matches/{fixture['fixture']}/"))

    def do(action: str, client: Client = alice_client, **data: object) -> str:
        return html(client.post(f"{url}do/{action}/", {**fixture, **data}, follow=True))

    for action in ("leader-wins", "settle", "adjourn", "let-go-on", "shorten-match"):
        assert as_user(erin).post(f"{url}do/{action}/", fixture).status_code == 403
    assert line(event, "m1 adjourn", Actor.of(erin)) == OutcomeKind.REFUSED
    do("shorten-match", length=6)
    assert event.match(1).length == 7, "nobody said that both agree"
    assert "is played to 6 points instead of 7." in do("shorten-match", length=6, agreed="1")
    assert "“on my phone” is neither a position ID nor an XGID." in text(do("adjourn", position="on my phone"))
    assert "is adjourned at 5–3." in do("adjourn", on_roll="0", position="Position ID: 4HPwATDgc/ABMA")
    assert "4HPwATDgc/ABMA" in html(alice_client.get(f"{url}matches/{fixture['fixture']}/"))
    assert "Adjourned at 5–3" in html(alice_client.get(url))
    after = event.match(1).seq
    assert f"Undo: {event.match(1).player_1.name} wins · " in do("settle", winner="1", after=after)
    result = standing_result(event.match(1))
    assert result is not None
    assert (result.kind, result.winner, result.score) == (Result.Kind.SETTLED, 1, None)
    assert not measures_play(result)


def test_a_slow_match_gets_its_clocks_by_one_tap_which_its_players_see(
    drawn: Callable[..., Division], by_alice: Actor, alice_client: Client
) -> None:
    evening = Evening(drawn(4, match_length=7), by_alice, timezone.now() - timedelta(minutes=90))
    Table.objects.create(tournament=evening.division.tournament, label="1")
    begin(evening, 2, 1)
    tournament = evening.division.tournament
    url = f"/events/{tournament.club.slug}/{tournament.slug}/floor/"
    fixture = evening.fixture(1).public_id
    page = html(alice_client.get(url))
    assert "Clocks: 11 minutes each" in page
    assert f'id="post-clocks-{fixture}"' in page
    done = html(alice_client.post(f"{url}do/clocks/", {"fixture": fixture}, follow=True))
    assert "is played with clocks: 11 minutes each." in done
    assert "Clocks: 11 minutes each" in done
    assert "With clocks" not in done
    assert "You play with clocks: 11 minutes each." in html(Client().get(f"/matches/{evening.match(1).public_id}/"))
