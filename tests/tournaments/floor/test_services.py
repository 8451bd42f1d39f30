"""Calling, starting, moving and freeing at the tables of an event; Alice directs."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from engine.errors import Refused
from formats.settings import StageSettings
from matches.lifecycle import links
from matches.lifecycle.at_tables import EnteredScore, Offered
from matches.lifecycle.begun import has_begun
from matches.lifecycle.events import events
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import NOON
from tests.tournaments.support.played_stages import drawn_as
from tournaments.entries import check_in
from tournaments.floor import calls, evening, selectors, undo
from tournaments.floor.lines import enter_lines, preview_line
from tournaments.floor.sentences import sentence_of_fact
from tournaments.floor.state import FloorMatchState, FloorState, TableState
from tournaments.models import Autopilot, Division, Fixture, FloorEvent, Table
from tournaments.results import quick_entry
from tournaments.results import services as results
from tournaments.state import floor
from tournaments.state.integrity import differences
from tournaments.state.preview import Choice, preview_result

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@dataclass
class Evening:
    """A knockout of eight at three tables, as Alice directs it."""

    division: Division
    alice: Actor
    now: datetime = NOON

    def later(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": self.alice, "now": self.now}

    def fixture(self, number: int) -> Fixture:
        rows = Fixture.objects.select_related("stage__division", "match")
        return rows.get(stage__division=self.division, number=number)

    def table(self, label: int) -> Table:
        return self.division.tournament.floor_tables.get(label=str(label))

    def match(self, number: int) -> Match:
        match = self.fixture(number).match
        assert match is not None
        return match

    @property
    def state(self) -> FloorState:
        return selectors.floor(self.division.tournament, self.now).state

    def states(self) -> str:
        """The first letters of the states of all matches, in the order of their numbers."""
        return "".join(row.state[0] for row in self.state.matches.values())

    def call(self, number: int, table: int) -> FloorEvent:
        return calls.call(fixture=self.fixture(number), table=self.table(table), **self.acts)

    def start(self, number: int) -> FloorEvent:
        return calls.start(fixture=self.fixture(number), **self.acts)

    def undo_last(self) -> FloorEvent:
        last = undo.last_act(self.division.tournament, self.alice)
        assert last is not None
        fact = undo.undo(tournament=self.division.tournament, act=last, **self.acts).fact
        assert isinstance(fact, FloorEvent)
        return fact

    def win(self, number: int, score: tuple[int, int] = (7, 3)) -> None:
        results.enter_result(fixture=self.fixture(number), result=ResultInput.played(score), **self.acts)


@pytest.fixture
def event(drawn: Callable[..., Division], by_alice: Actor) -> Evening:
    division = drawn(8, match_length=7)
    division.tournament.tables = 3
    division.tournament.save()
    evening.open_floor(tournament=division.tournament, by=by_alice, now=NOON)
    return Evening(division, by_alice)


def test_a_match_goes_from_waiting_to_settled(event: Evening) -> None:
    assert event.states() == "rrrwwww"
    event.call(1, 1)
    assert event.states() == "crrwwww"
    event.start(1)
    assert event.states() == "prrwwww"
    assert has_begun(event.match(1))
    event.win(1)
    assert event.states() == "srrrwww"
    assert [table.state for table in event.state.tables.values()] == [TableState.FREE] * 3
    assert list(differences()) == []


def refusal(action: Callable[..., object], **arguments: Any) -> str:
    with pytest.raises(Refused) as caught:
        action(**arguments)
    return caught.value.code


def test_two_matches_get_no_table_together_and_a_player_is_not_called_twice(event: Evening) -> None:
    first = event.call(1, 1)
    assert event.call(1, 1).pk == first.pk
    assert refusal(event.call, number=1, table=2) == "match_called"
    assert refusal(event.call, number=2, table=1) == "table_taken"
    calls.take_out_of_use(table=event.table(2), reason="lamp broken", **event.acts)
    assert refusal(event.call, number=2, table=2) == "table_out_of_use"
    assert refusal(event.call, number=5, table=3) == "fixture_not_ready"
    calls.hold(fixture=event.fixture(3), **event.acts)
    assert refusal(event.call, number=3, table=3) == "match_held"
    event.win(4)
    assert refusal(event.call, number=4, table=3) == "match_finished"
    assert FloorEvent.objects.filter(kind="called").count() == 1


def test_a_match_is_put_first_held_and_released_and_its_players_need_not_rest(event: Evening) -> None:
    calls.pin(fixture=event.fixture(3), **event.acts)
    assert event.state.suggestions[0].fixture == event.fixture(3).pk
    calls.hold(fixture=event.fixture(3), **event.acts)
    assert refusal(event.call, number=3, table=3) == "match_held"
    calls.release(fixture=event.fixture(3), **event.acts)
    assert event.state.suggestions[0].fixture == event.fixture(1).pk
    waived = calls.waive_rest(fixture=event.fixture(3), **event.acts)
    assert calls.waive_rest(fixture=event.fixture(3), **event.acts) == waived
    event.call(3, 3)
    assert event.states() == "rrcwwww"


def test_they_sat_at_another_table(event: Evening) -> None:
    event.call(1, 1)
    event.call(2, 2)
    calls.move(fixture=event.fixture(1), table=event.table(3), **event.acts)
    state = event.state
    assert [table.state for table in state.tables.values()] == [TableState.FREE, TableState.TAKEN, TableState.TAKEN]
    assert refusal(calls.move, fixture=event.fixture(1), table=event.table(2), **event.acts) == "table_taken"
    event.start(1)
    calls.free_table(table=event.table(3), **event.acts)
    assert event.states()[0] == "p"
    assert refusal(calls.free_table, table=event.table(3), **event.acts) == "table_free"


def test_a_running_score_begins_a_match_and_is_no_result(event: Evening) -> None:
    event.call(1, 1)
    calls.set_running_score(fixture=event.fixture(1), score=(5, 3), **event.acts)
    calls.set_running_score(fixture=event.fixture(1), score=(5, 3), **event.acts)
    assert FloorEvent.objects.filter(kind="running_score").count() == 1
    match = event.match(1)
    assert (match.state, has_begun(match), match.results.count()) == (Match.State.OPEN, True, 0)
    assert event.state.matches[event.fixture(1).pk].score == (5, 3)
    set_score = calls.set_running_score
    assert refusal(set_score, fixture=event.fixture(1), score=(7, 3), **event.acts) == "running_score_over"
    event.undo_last()
    assert not has_begun(event.match(1))
    assert list(differences()) == []


def test_undo_takes_back_the_last_change_of_ones_own_unless_more_happened_there(event: Evening, bob: User) -> None:
    tournament = event.division.tournament
    called = event.call(1, 1)
    started = calls.start(fixture=event.fixture(1), by=Actor.of(bob), now=event.now)
    assert refusal(event.undo_last) == "floor_built_on"
    act = undo.UndoableAct(started, started.fixture)
    assert refusal(undo.undo, tournament=tournament, act=act, **event.acts) == "nothing_to_undo_on_floor"
    undo.undo(tournament=tournament, act=act, by=Actor.of(bob), now=event.now)
    assert event.states()[0] == "c"
    assert event.undo_last().pk == called.pk
    assert event.states()[0] == "r"
    assert undo.last_act(tournament, event.alice) is None


def test_undo_sent_twice_undoes_only_the_fact_it_names(event: Evening) -> None:
    tournament = event.division.tournament
    first, second = (undo.UndoableAct(fact, fact.fixture) for fact in (event.call(1, 1), event.call(2, 2)))
    assert refusal(undo.undo, tournament=tournament, act=first, **event.acts) == "not_last_on_floor"
    for _ in range(2):
        assert undo.undo(tournament=tournament, act=second, **event.acts) == second
        assert event.states()[:2] == "cr"
    assert FloorEvent.objects.filter(kind="undone").count() == 1
    assert event.undo_last() == first.fact


def test_the_result_of_a_called_match_frees_its_table_and_taking_it_back_does_not_move_anybody(event: Evening) -> None:
    event.call(1, 1)
    quick_entry.enter_line(tournament=event.division.tournament, text="m1 7-3", division=None, **event.acts)
    event.call(2, 1)
    enter_lines(tournament=event.division.tournament, text="undo m1", division=None, **event.acts)
    state = event.state
    assert state.tables[event.table(1).pk].match == state.matches[event.fixture(2).pk]
    assert state.matches[event.fixture(1).pk].table is None


def test_the_autopilot_calls_each_match_once_and_makes_second_calls(event: Evening) -> None:
    tournament = event.division.tournament
    assert calls.call_ready(tournament_id=tournament.pk, now=event.now) == []
    evening.set_autopilot(tournament=tournament, mode=Autopilot.CALL, **event.acts)
    assert list(floor.self_calling().values_list("tournament", flat=True)) == [tournament.pk]
    assert len(calls.call_ready(tournament_id=tournament.pk, now=event.now)) == 3
    assert calls.call_ready(tournament_id=tournament.pk, now=event.now) == []
    event.start(1)
    event.later(6)
    again = calls.call_ready(tournament_id=tournament.pk, now=event.now)
    assert [(row.kind, row.fixture.number) for row in again if row.fixture] == [
        ("called_again", 2),
        ("called_again", 3),
    ]
    evening.pause(tournament=tournament, until=event.now + timedelta(minutes=30), **event.acts)
    event.win(1)
    assert calls.call_ready(tournament_id=tournament.pk, now=event.now) == []
    event.later(31)
    assert [row.fixture.number for row in calls.call_ready(tournament_id=tournament.pk, now=event.now)
            if row.fixture] == [4]  # fmt: skip


def test_a_correction_lists_a_match_that_was_started_at_a_table(event: Evening) -> None:
    event.win(1)
    event.win(2)
    event.later(10)
    event.call(5, 1)
    event.start(5)
    fixture = event.fixture(1)
    reverse = ResultInput.played((3, 7))
    assert refusal(results.enter_result, fixture=fixture, result=reverse, **event.acts) == "successor_begun"
    standing = standing_result(event.match(1))
    assert standing is not None
    preview = preview_result(fixture, standing, reverse, with_ratings=False).consequences[Choice.CORRECT_ALL]
    assert [change.row.number for change in preview.stopped] == [5]


def test_the_view_of_the_floor_needs_a_fixed_number_of_queries(
    event: Evening, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    event.call(1, 1)
    calls.mark_late(fixture=event.fixture(1), player=event.match(1).player_0, minutes=10, **event.acts)
    with django_assert_max_num_queries(14):
        view = selectors.floor(event.division.tournament, event.now)
        shown = [(row.number, row.state, row.where.table, row.facts.round_name) for row in view.matches.values()]
        assert shown[0] == (1, FloorMatchState.CALLED, "1", "Quarter-finals")
        assert [
            (view.matches[row.fixture].number, view.tables[row.table].facts.label) for row in view.state.suggestions
        ] == [(2, "2"), (3, "3")]
        assert view.reasons(view.waiting[0]) == ("Waits for the winner of M1.", "Waits for the winner of M2.")
        assert [row.number for row in view.queue] == [2, 3, 4]
        assert view.reasons(view.queue[-1]) == ("No table is free.",)
    of_event = [event.match(number).pk for number in (1, 2)]
    for inside, most in (({}, 4), (dict.fromkeys(of_event, True), 18)):
        with django_assert_max_num_queries(most):
            at = events().at_tables(of_event, inside, event.now)
        assert [row.seat.table for row in at.values()] == ["1", ""]


def test_only_staff_can_tell_that_a_player_needs_an_accessible_table(
    event: Evening, as_user: Callable[..., Any]
) -> None:
    Table.objects.filter(label="3").update(category=Table.Category.ACCESSIBLE)
    player = event.match(1).player_0
    evening.set_needs_accessible(tournament=event.division.tournament, player=player, needed=True, **event.acts)
    event.call(2, 3)
    tournament, pk = event.division.tournament, event.fixture(1).pk
    for staff, reason in ((True, "No accessible table is free."), (False, "No table is free.")):
        view = selectors.floor(tournament, event.now, staff=staff)
        assert view.reasons(view.matches[pk]) == (reason,)
    calls.take_out_of_use(table=event.table(2), reason="wet", **event.acts)
    body = as_user(None).get(f"/api/v1/tournaments/{tournament.public_id}/floor/").json()
    assert [(table["label"], table["state"], table["reason"]) for table in body["tables"]] == [
        ("1", "free", ""),
        ("2", "out", "wet"),
        ("3", "taken", ""),
    ]
    first = body["matches"][0]
    assert (first["number"], first["state"], first["reasons"]) == (1, "ready", []), "it is not for everybody"
    assert "accessible" not in str(body["matches"])
    match = event.match(1)
    url, link = f"/api/v1/matches/{match.public_id}/", links.token_for(match, 1)
    assert as_user(None).get(url).json()["where"]["waits_for"] == []
    own = as_user(None).get(url, headers={"Match-Link": link}).json()["where"]
    assert (own["state"], own["waits_for"]) == ("waiting", ["No table is free."]), "the opponent need not know why"


def test_a_player_who_is_away_is_not_suggested_before_they_come_back(event: Evening) -> None:
    entry = event.division.entries.get(player=event.match(1).player_0)
    check_in.mark(entry=entry, state="away", until=NOON + timedelta(minutes=20), **event.acts)
    assert event.states() == "wrrrwww"
    reason = event.state.matches[event.fixture(1).pk].reasons[0]
    assert (reason.code, reason.params["player"]) == ("away", entry.player_id)
    event.later(20)
    assert event.states() == "rrrwwww", "back at the time given"
    event.later(-20)
    check_in.mark(entry=entry, state="here", **event.acts)
    assert event.states() == "rrrwwww", "checked in earlier"


# Refusals


def test_nothing_is_called_twice_or_during_a_pause(event: Evening) -> None:
    tournament = event.division.tournament
    event.call(1, 1)
    event.start(1)
    assert refusal(event.call, number=1, table=2) == "match_playing"
    assert refusal(evening.pause, tournament=tournament, until=event.now, **event.acts) == "pause_not_ahead"
    evening.pause(tournament=tournament, until=None, **event.acts)
    assert refusal(event.call, number=2, table=2) == "event_paused"
    evening.resume(tournament=tournament, **event.acts)
    assert refusal(evening.resume, tournament=tournament, **event.acts) == "event_not_paused"
    assert event.call(2, 2).table == event.table(2)


def test_the_fourth_match_waits_for_a_free_table(event: Evening) -> None:
    for number in (1, 2, 3):
        event.call(number, number)
    assert refusal(calls.call, fixture=event.fixture(4), **event.acts) == "no_table_free"


@pytest.mark.parametrize("act", [calls.call_again, calls.undo_call])
def test_a_match_that_was_not_called_has_no_call_to_change(event: Evening, act: Callable[..., object]) -> None:
    assert refusal(act, fixture=event.fixture(1), **event.acts) == "not_called"
    event.call(1, 1)
    act(fixture=event.fixture(1), **event.acts)


def test_a_player_in_two_divisions_sits_at_one_table(event: Evening, make_division: Callable[..., Division]) -> None:
    event.call(1, 1)
    event.start(1)
    event.division.tournament.refresh_from_db()
    side_event = make_division(name="Side")
    drawn_as(side_event, [StageSettings()], event.match(1).players, event.alice)
    fixture = Fixture.objects.select_related("stage__division").get(stage__division=side_event)
    for act in (calls.call, calls.start):
        assert refusal(act, fixture=fixture, **event.acts) == "player_busy"


def test_a_match_that_is_played_online_gets_no_table(event: Evening) -> None:
    Division.objects.update(play_mode="here")
    assert refusal(event.call, number=1, table=1) == "not_on_floor"
    assert refusal(event.start, number=1) == "not_on_floor"


def test_only_a_player_of_the_match_can_be_late_for_it(event: Evening) -> None:
    late = {"minutes": 10, **event.acts}
    assert refusal(calls.mark_late, fixture=event.fixture(1), player=event.match(2).player_0, **late) == "not_in_match"
    calls.mark_late(fixture=event.fixture(1), player=event.match(1).player_0, **late)


@pytest.mark.slow
def test_players_enter_scores_once_they_are_called_and_not_endlessly(event: Evening) -> None:
    enter = {"side": 0, "by": Actor.link(0), "now": event.now}
    assert refusal(calls.set_players_score, fixture=event.fixture(1), score=(1, 0), **enter) == "not_called"
    event.call(1, 1)
    for number in range(calls.MAX_PLAYERS_SCORES):
        calls.set_players_score(fixture=event.fixture(1), score=(number % 2, 0), **enter)
    assert refusal(calls.set_players_score, fixture=event.fixture(1), score=(5, 0), **enter) == "too_many_scores"
    calls.set_running_score(fixture=event.fixture(1), score=(5, 0), **event.acts)


def test_only_the_score_and_the_length_that_stand_are_taken_back(event: Evening) -> None:
    first, _second = (
        calls.set_running_score(fixture=event.fixture(1), score=(points, 0), **event.acts) for points in (1, 2)
    )
    taken_back = {"fixture": event.fixture(1), "event": first, **event.acts}
    assert refusal(calls.undo_score, **taken_back) == "running_score_replaced"
    shortened, _again = (evening.shorten(fixture=event.fixture(1), length=points, **event.acts) for points in (6, 5))
    assert refusal(evening.undo_length, **taken_back | {"event": shortened}) == "length_changed_since"
    assert event.match(1).length == 5


def test_two_tables_have_no_label_in_common_and_a_room_has_an_end(event: Evening) -> None:
    tournament = event.division.tournament
    assert refusal(evening.add_table, tournament=tournament, label="1", **event.acts) == "table_label_taken"
    renamed = {"table": event.table(2), "label": "1", "category": "normal"}
    assert refusal(evening.change_table, **renamed, **event.acts) == "table_label_taken"
    labels = (f"T{number}" for number in range(evening.MAX_TABLES - 3))
    Table.objects.bulk_create(Table(tournament=tournament, label=label) for label in labels)
    assert refusal(evening.add_table, tournament=tournament, label="A", **event.acts) == "too_many_tables"


def test_without_an_open_floor_players_enter_no_score_and_offer_no_length(drawn: Callable[..., Division]) -> None:
    match = Match.objects.filter(parent_topic=drawn(2).topic).get()
    acts = {"by": Actor.link(0), "now": NOON}
    assert refusal(events().record_score, entered=EnteredScore(match, 0, (1, 0)), **acts) == "no_running_scores"
    offered = Offered(match, 0, 5, (0, 0))
    assert refusal(events().record_length, move=offered, **acts) == "no_length_offers"


def test_a_call_holds_when_the_same_two_meet_again(event: Evening) -> None:
    event.win(1)
    event.win(2)
    called = event.call(5, 1)
    before = event.match(5)
    standing = standing_result(event.match(1))
    assert standing is not None
    results.undo_result(fixture=event.fixture(1), result=standing, **event.acts)
    event.win(1)
    assert event.match(5) != before, "a match of its own"
    assert event.state.matches[event.fixture(5).pk].state == FloorMatchState.CALLED
    assert event.call(5, 1) == called


# Check-in and broken tables


def test_only_who_is_here_is_called_once_a_director_has_checked_somebody_in(event: Evening) -> None:
    tournament = event.division.tournament
    first, second = event.match(1).players
    entry = event.division.entries.select_related("division__tournament").get(player=first)
    check_in.mark(entry=entry, state="here", **event.acts)
    assert event.states() == "wwwwwww"
    assert len(event.state.not_here) == 7
    assert refusal(event.call, number=1, table=1) == "player_not_here"
    shown = preview_line(tournament=tournament, text="m1 call", **event.acts)
    assert shown is not None
    assert (shown.is_refused, second.name in shown.text) == (True, True), "the line warns before Enter"
    check_in.mark_players_here(tournament=tournament, players=[second], **event.acts)
    assert event.states() == "rwwwwww"
    event.later(1)
    event.start(2)
    assert len(event.state.not_here) == 4, "whoever takes a seat is here"
    calls.move(fixture=event.fixture(3), table=event.table(3), **event.acts)
    assert len(event.state.not_here) == 2
    event.now += timedelta(days=1)
    check_in.end_days(now=event.now)
    entry.refresh_from_db()
    assert entry.checked_in_at is None, "check-in ends with the day"
    assert len(event.state.not_here) == 4, "and is followed on the next one"


def test_an_undone_check_in_is_not_followed(event: Evening) -> None:
    entry = event.division.entries.select_related("division__tournament").get(player=event.match(1).player_0)
    check_in.mark(entry=entry, state="here", **event.acts)
    batch = entry.check_ins.get().batch
    event.later(1)
    check_in.undo(tournament=event.division.tournament, batch=batch, **event.acts)
    assert event.states() == "rrrwwww"


def test_a_no_show_is_not_called_in_the_consolation_until_they_are_here(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    division = drawn_as(make_division(match_length=7), [StageSettings("progressive")], make_players(8), by_alice)
    division.tournament.tables = 3
    division.tournament.save()
    event = Evening(division, by_alice)
    evening.open_floor(tournament=division.tournament, by=by_alice, now=NOON)
    event.call(1, 1)
    event.later(15)
    no_show = event.match(1).player_1
    result = quick_entry.forfeit_missing(fixture=event.fixture(1), side=1, **event.acts)
    event.later(1)
    for number in (2, 3, 4):
        event.win(number)
    own = [row for row in event.state.matches.values() if no_show.pk in row.facts.players and row.number != 1]
    assert len(own) == 1
    assert ("not_here", no_show.pk) in [(reason.code, reason.params["player"]) for reason in own[0].reasons]
    assert event.state.not_here == (no_show.pk,)
    event.later(1)
    check_in.mark_players_here(tournament=division.tournament, players=[no_show], **event.acts)
    event.later(10)
    assert event.state.not_here == ()
    assert event.state.matches[own[0].fixture].state == FloorMatchState.READY
    assert result.kind == "forfeit"


def test_a_match_leaves_a_table_that_breaks_in_the_same_step(event: Evening) -> None:
    event.call(1, 1)
    out = calls.take_out_of_use(table=event.table(1), reason="lamp", move_to=event.table(2), **event.acts)
    assert sentence_of_fact(out) == "Table 1 is out of use; M1 goes to table 2."
    row = event.state.matches[event.fixture(1).pk]
    assert (row.state, row.table) == (FloorMatchState.CALLED, event.table(2).pk)
    out = calls.take_out_of_use(table=event.table(2), reason="leg", **event.acts)
    assert sentence_of_fact(out) == "Table 2 is out of use; M1 is in the queue again."
    assert event.states()[0] == "r", "nothing stays called at a broken table"
    event.call(1, 3)
    event.start(1)
    out = calls.take_out_of_use(table=event.table(3), reason="", **event.acts)
    assert sentence_of_fact(out) == "Table 3 is out of use; M1 is played without a table."
    assert event.states()[0] == "p"
    calls.back_in_use(table=event.table(1), **event.acts)
    event.call(2, 1)
    code = refusal(calls.take_out_of_use, table=event.table(1), reason="", move_to=event.table(3), **event.acts)
    assert code == "table_out_of_use"
    assert event.state.tables[event.table(1).pk].state == TableState.TAKEN, "nothing was changed"


def test_the_state_says_when_it_changes_next(event: Evening) -> None:
    assert event.state.changes_at == NOON + timedelta(hours=16), "the day ends at five in Copenhagen"
    event.call(1, 1)
    assert event.state.changes_at == NOON + timedelta(minutes=5), "the second call"
    event.later(5)
    assert event.state.changes_at == NOON + timedelta(minutes=15), "the no-show time"
    event.start(1)
    assert event.state.changes_at == event.now + timedelta(minutes=77), "when it is slow"
