"""A result waits while it can be undone, and undo takes back everything in one order; Alice and Bob direct."""

import random
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from engine.errors import Refused
from matches.lifecycle.begun import has_begun
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from matches.reporting.deadlines import announce_unsettled
from players.actors import Actor
from players.models import LogEntry, User
from tests.tiers import first_in_make_test
from tests.tournaments.floor.test_services import Evening, event
from tournaments.draws.undo import undo_published_draw
from tournaments.entries import arrivals, check_in
from tournaments.entries import services as entries
from tournaments.floor import calls, evening
from tournaments.floor.closing_time import RunningMatch, close_matches
from tournaments.floor.lines import enter_lines
from tournaments.floor.state import FloorMatchState, TableState
from tournaments.floor.undo import UndoableAct, act_named, last_act, undo
from tournaments.ledger.accounts import box_of
from tournaments.ledger.payments import PaymentInput, receive
from tournaments.models import CheckIn, Division, Entry, Fixture, Payment, Tournament
from tournaments.results.corrections import CorrectionInput, apply_correction, preview_correction, undo_correction
from tournaments.results.lines import parse
from tournaments.results.quick_entry import LineOutcome
from tournaments.state.integrity import differences
from tournaments.state.settle import settle_division

__all__ = ["event"]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

SECONDS = 5.0


@pytest.fixture(autouse=True)
def _time_to_undo(settings: Any) -> None:
    settings.RESULT_UNDO_SECONDS = SECONDS


def line(event: Evening, text: str, by: Actor | None = None) -> LineOutcome:
    return lines(event, text, by)[-1]


def lines(event: Evening, text: str, by: Actor | None = None) -> list[LineOutcome]:
    tournament = event.division.tournament
    return enter_lines(tournament=tournament, text=text, division=None, by=by or event.alice, now=event.now)


def refused_code(outcome: LineOutcome) -> str:
    assert outcome.refused is not None
    return outcome.refused.code


def let_pass(event: Evening, seconds: float) -> None:
    """Let some time pass; then the sweep settles what is due."""
    event.now += timedelta(seconds=seconds)
    for match in Match.objects.filter(unsettled=True, settle_at__lte=event.now).order_by("pk"):
        settle_division(division_id=event.division.pk, match_id=match.pk, now=event.now)


def winner_of_m1(event: Evening) -> Entry | None:
    """Who stands in the match after M1."""
    return event.fixture(5).slots.get(side=0).entry


def first_entry(event: Evening, number: int) -> Entry:
    entry = event.fixture(number).slots.get(side=0).entry
    assert entry is not None
    return entry


def test_a_result_is_stored_and_logged_and_moves_nobody_for_five_seconds(event: Evening) -> None:
    event.call(1, 1)
    line(event, "m1 7-4")
    match = event.match(1)
    assert (match.state, match.results.count()) == (Match.State.SETTLED, 1)
    assert LogEntry.objects.filter(verb="result_appended", topic=match.topic).exists()
    on_floor = event.state.matches[event.fixture(1).pk]
    assert on_floor.state == FloorMatchState.REPORTED
    assert on_floor.facts.entered is not None
    assert (on_floor.facts.entered.winner, on_floor.facts.entered.score) == (0, (7, 4))
    assert event.state.tables[event.table(1).pk].state == TableState.TAKEN
    assert winner_of_m1(event) is None
    assert list(differences()) == []
    let_pass(event, 4.9)
    assert winner_of_m1(event) is None
    let_pass(event, 0.1)
    assert winner_of_m1(event) is not None
    assert event.state.tables[event.table(1).pk].state == TableState.FREE
    assert event.match(1).settle_at is None
    assert list(differences()) == []


def test_the_sweep_announces_what_is_due(event: Evening) -> None:
    line(event, "m1 7-4")
    due = event.match(1).settle_at
    assert due is not None
    assert announce_unsettled(now=due - timedelta(milliseconds=1)) == 0
    assert announce_unsettled(now=due) == 1
    assert event.fixture(1).status == Fixture.Status.DECIDED
    assert announce_unsettled(now=due) == 0


@pytest.mark.parametrize(("seconds", "is_settled"), [(4.9, False), (5.0, True)])
def test_a_result_is_undone_before_and_after_the_sweep(event: Evening, seconds: float, is_settled: bool) -> None:
    line(event, "m1 7-4")
    result = Result.objects.get()
    let_pass(event, seconds)
    assert (winner_of_m1(event) is not None) == is_settled
    assert line(event, "undo").text == "The result of M1 was taken back."
    settle_division(division_id=event.division.pk, match_id=result.match_id, now=event.now + timedelta(seconds=9))
    assert winner_of_m1(event) is None
    assert event.match(1).state == Match.State.OPEN
    kinds = Result.objects.order_by("version").values_list("kind", flat=True)
    assert list(kinds) == [Result.Kind.PLAYED, Result.Kind.VOID], "both facts stay"
    assert list(differences()) == []


def test_other_results_leave_it_waiting_and_other_changes_do_not(event: Evening) -> None:
    line(event, "m1 7-4")
    event.win(2)
    assert winner_of_m1(event) is None
    assert list(differences()) == []
    entries.withdraw(entry=first_entry(event, 4), **event.acts)
    assert winner_of_m1(event) is not None
    assert event.match(1).settle_at is None
    assert list(differences()) == []


def test_the_same_result_again_changes_nothing_and_another_one_replaces_it_at_once(event: Evening) -> None:
    line(event, "m1 7-4")
    before = event.match(1).settle_at
    event.now += timedelta(seconds=3)
    line(event, "m1 7-4")
    event.win(1, (7, 4))
    assert (event.match(1).settle_at, event.match(1).results.count()) == (before, 1)
    assert refused_code(line(event, "m1 4-7")) == "line_settled"
    event.win(1, (4, 7))
    assert event.match(1).settle_at is None
    assert winner_of_m1(event) == event.fixture(1).slots.get(side=1).entry
    assert list(differences()) == []


def test_a_draw_is_not_taken_back_under_a_waiting_result_but_after_its_undo(event: Evening) -> None:
    line(event, "m1 7-4")
    with pytest.raises(Refused, match="draw_begun"):
        take_back(event)
    assert line(event, "undo").refused is None
    take_back(event)
    let_pass(event, 9)
    assert announce_unsettled(now=event.now) == 0
    assert Division.objects.get().status == Division.Status.ENTRIES
    assert list(differences()) == []


def take_back(event: Evening) -> None:
    after = Division.objects.get().seq
    undo_published_draw(division=event.division, reason="Somebody came late.", after=after, **event.acts)


@pytest.mark.parametrize("rule", [*Tournament.ClosingRule])
def test_closing_time_leaves_a_waiting_result_as_it_is(event: Evening, rule: str) -> None:
    event.call(1, 1)
    event.start(1)
    line(event, "m1 4-7")
    before = event.match(1).settle_at
    (closed,) = close_matches(rule=rule, running=[RunningMatch(event.fixture(1), (5, 3))], **event.acts)
    assert closed.refused is not None
    assert (event.match(1).settle_at, event.match(1).length) == (before, 7)
    let_pass(event, 5)
    assert winner_of_m1(event) == event.fixture(1).slots.get(side=1).entry
    assert list(differences()) == []


def test_it_is_corrected_only_once_something_follows_from_it(event: Evening) -> None:
    line(event, "m1 7-4")
    new = ResultInput.played((4, 7))
    with pytest.raises(Refused, match="result_just_entered"):
        preview_correction(fixture=event.fixture(1), new=new)
    let_pass(event, SECONDS)
    assert preview_correction(fixture=event.fixture(1), new=new).standing == Result.objects.get()


def test_a_result_implies_the_start(event: Evening) -> None:
    line(event, "m1 7-4")
    assert has_begun(event.match(1))
    let_pass(event, SECONDS)
    assert event.states()[0] == "s"
    assert event.state.attention == ()


def test_the_result_of_a_table_is_typed_by_its_label(event: Evening) -> None:
    event.call(2, 1)
    event.call(1, 2)
    assert line(event, "t2 7-4").fixture == event.fixture(1)
    assert event.match(1).results.get().score == (7, 4)
    let_pass(event, SECONDS)
    assert refused_code(line(event, "t2 7-4")) == "table_free"
    assert refused_code(line(event, "t9 7-4")) == "no_such_table"
    event.call(3, 2)
    assert refused_code(line(event, "t2 7-4")) == "line_again", "the same line must not decide the next match"
    event.later(20)
    assert line(event, "t2 7-4").fixture == event.fixture(3)
    assert parse("tom 7-4").names == ("tom",)


def test_undo_does_not_pass_over_a_correction(event: Evening, alice: User, client: Client) -> None:
    lines(event, "m1 7-4; m2 7-4")
    let_pass(event, SECONDS + 1)
    fixture = event.fixture(1)
    new = CorrectionInput(ResultInput(1, (4, 7)), "correct_all", "Misheard")
    division = event.division
    division.refresh_from_db()
    before = last_act(division.tournament, event.alice)
    correction = apply_correction(fixture=fixture, correction=new, after=division.seq, **event.acts)
    assert correction is not None
    event.later(1)
    assert refused_code(line(event, "undo")) == "undo_is_correction"
    assert before is not None
    with pytest.raises(Refused, match="not_last_on_floor"):
        undo(tournament=division.tournament, act=before, **event.acts)
    client.force_login(alice)
    page = client.get(f"/events/harbour/{division.tournament.slug}/floor/").content.decode()
    assert f"/correct/undo/{correction.public_id}/" in page
    assert "Undo the correction of M1" in page
    # Once it is undone, or somebody has done something else, everything is as before.
    division.refresh_from_db()
    undo_correction(correction=correction, after=division.seq, **event.acts)
    assert line(event, "undo").text == "The result of M2 was taken back."


def test_undo_goes_back_through_everything_in_one_order(event: Evening) -> None:
    entry = first_entry(event, 3)
    event.call(1, 1)
    event.later(1)
    check_in.mark(entry=entry, state=CheckIn.State.HERE, **event.acts)
    event.later(1)
    lines(event, "m2 7-4; m1 start")
    names = " – ".join(event.match(1).names)
    assert [line(event, "undo").text for _ in range(4)] == [
        f"Undone: M1 {names} has started.",
        "The result of M2 was taken back.",
        f"Undone: {entry.player.name} · here",
        f"Undone: M1 {names} is called to table 1.",
    ]
    assert refused_code(line(event, "undo")) == "nothing_to_undo"
    entry.refresh_from_db()
    assert entry.checked_in_at is None
    assert sorted(event.states()) == sorted("rrrwwww")
    assert list(differences()) == []


def test_a_tap_at_the_desk_is_undone_on_the_floor_with_what_was_paid_by_it(event: Evening) -> None:
    Division.objects.update(fee=1000)
    Tournament.objects.update(currency="EUR", currency_exponent=2)
    tournament = Tournament.objects.get()
    entry = first_entry(event, 1)
    tap: dict[str, Any] = {
        "tournament": tournament,
        "entries": [entry],
        "here": True,
        "amount": 1000,
        "key": "2222222222",
    }
    arrivals.arrive(**tap, **event.acts)
    event.later(1)
    line(event, "m2 7-4")
    assert line(event, "undo").text == "The result of M2 was taken back."
    assert line(event, "undo").text == f"Undone: {entry.player.name} · here · 10.00 EUR paid"
    entry.refresh_from_db()
    assert entry.checked_in_at is None
    assert box_of(tournament).expected == 0
    assert refused_code(line(event, "undo")) == "nothing_to_undo"


def test_a_check_in_that_somebody_else_changed_does_not_end_the_undo(event: Evening, bob: User) -> None:
    event.call(1, 1)
    event.later(1)
    entry = first_entry(event, 3)
    check_in.mark(entry=entry, state=CheckIn.State.HERE, **event.acts)
    event.later(1)
    check_in.mark(entry=entry, state=CheckIn.State.MISSING, by=Actor.of(bob), now=event.now)
    assert "is called to table 1" in (line(event, "undo").text or "")


def test_checking_in_and_out_again_is_undone_step_by_step(event: Evening) -> None:
    entry = first_entry(event, 1)
    for state in (CheckIn.State.HERE, CheckIn.State.MISSING):
        check_in.mark(entry=entry, state=state, **event.acts)
        event.later(1)
    for is_here in (True, False):
        line(event, "undo")
        entry.refresh_from_db()
        assert (entry.checked_in_at is not None) == is_here
    assert refused_code(line(event, "undo")) == "nothing_to_undo"


def test_a_player_who_is_not_away_after_all_has_been_here_since_before(event: Evening) -> None:
    entry, since = first_entry(event, 1), event.now
    check_in.mark(entry=entry, state=CheckIn.State.HERE, **event.acts)
    for _twice in range(2):
        event.later(5)
        check_in.mark(entry=entry, state=CheckIn.State.AWAY, until=event.now + timedelta(minutes=15), **event.acts)
        event.later(1)
        assert line(event, "undo").refused is None
        entry.refresh_from_db()
        assert (entry.checked_in_at, entry.away_until) == (since, None)


def test_each_director_undoes_their_own_and_at_a_named_match_anybodys(event: Evening, bob: User) -> None:
    line(event, "m1 7-4")
    event.later(1)
    line(event, "m2 7-4", Actor.of(bob))
    line(event, "undo")
    assert [event.match(number).state for number in (1, 2)] == [Match.State.OPEN, Match.State.SETTLED]
    assert line(event, "undo m2").fixture == event.fixture(2)
    assert event.match(2).state == Match.State.OPEN
    assert refused_code(line(event, "undo m2")) == "nothing_to_undo"


def test_an_assistant_undoes_only_their_own_at_a_named_match(event: Evening, erin: User) -> None:
    line(event, "m1 7-4")
    assert refused_code(line(event, "undo m1", Actor.of(erin))) == "nothing_to_undo"
    line(event, "m2 7-4", Actor.of(erin))
    assert line(event, "undo m2", Actor.of(erin)).refused is None


def test_a_repeated_request_undoes_nothing_more(event: Evening) -> None:
    tournament = event.division.tournament
    event.call(2, 1)
    event.later(1)
    line(event, "m1 7-4")
    act = last_act(tournament, event.alice)
    assert act is not None
    for _ in range(2):
        named = act_named(tournament, act.name)
        assert named is not None
        undo(tournament=tournament, act=named, **event.acts)
    assert event.states()[1] == "c"
    assert Result.objects.count() == 2


def test_all_at_the_table_starts_every_called_match_and_one_undo_takes_it_back(event: Evening) -> None:
    tournament = event.division.tournament
    event.call(1, 1)
    event.call(2, 2)
    event.later(1)
    assert len(calls.start_called(tournament=tournament, **event.acts)) == 2
    assert event.states()[:3] == "ppr"
    assert calls.start_called(tournament=tournament, **event.acts) == []
    assert line(event, "undo").text == "Undone: 2 matches have started."
    assert event.states()[:3] == "ccr"
    assert not has_begun(event.match(1))


@pytest.mark.parametrize("move_to", [2, None])
@pytest.mark.parametrize("text", ["undo", "undo m1"])
def test_one_undo_takes_back_a_broken_table_and_where_its_match_went(
    event: Evening, move_to: int | None, text: str
) -> None:
    event.call(1, 1)
    event.later(1)
    table = event.table(move_to) if move_to is not None else None
    calls.take_out_of_use(table=event.table(1), reason="lamp", move_to=table, **event.acts)
    event.later(1)
    assert line(event, text).refused is None
    row = event.state.matches[event.fixture(1).pk]
    assert (row.state, row.table) == (FloorMatchState.CALLED, event.table(1).pk)
    assert event.state.tables[event.table(1).pk].state == TableState.TAKEN
    assert "is called to table 1" in (line(event, "undo").text or "")


def test_alice_enters_a_result_on_the_floor_and_undoes_it(event: Evening, alice_client: Client) -> None:
    event.call(1, 3)
    tournament = event.division.tournament
    url = f"/events/{tournament.club.slug}/{tournament.slug}/floor/"
    sheet = alice_client.get(f"{url}matches/{event.fixture(1).public_id}/").content.decode()
    assert sheet.count('name="points"') == 7
    fields = {"fixture": event.fixture(1).public_id, "after": event.match(1).seq, "winner": "1", "points": "4"}
    for _ in range(2):
        page = alice_client.post(f"{url}do/result/", fields, follow=True).content.decode()
        assert f"Undo: {event.match(1).player_1.name} wins 7–4 · Table 3" in page
        assert "floor-undo-time" in page
    result = Result.objects.get()
    assert (result.winner, result.score) == (1, (4, 7))
    alice_client.post(f"{url}do/undo/", {"act": f"result-{result.pk}"})
    assert event.match(1).state == Match.State.OPEN
    assert alice_client.post(f"{url}do/undo/", {"act": "result-999999"}, follow=True).status_code == 200


REFUSALS = {"floor_built_on", "undo_built_on", "match_finished"}


def _refused(event: Evening, act: UndoableAct, by: Actor) -> bool:
    """Undo an act, or find that something was built on it."""
    try:
        undo(tournament=event.division.tournament, act=act, by=by, now=event.now)
    except Refused as refused:
        if refused.code not in REFUSALS:
            raise
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_in_make_test(*range(3)))
def test_any_evening_is_undone_in_the_order_of_each_director(event: Evening, bob: User, seed: int) -> None:
    """A stack of acts for each director is the model; what is refused stays on it."""
    chance, tournament = random.Random(seed), event.division.tournament
    stacks: dict[Actor, list[str]] = {event.alice: [], Actor.of(bob): []}
    undone = 0
    for _ in range(60):
        by = chance.choice(list(stacks))
        let_pass(event, chance.choice([0.5, 1, 6]))
        number = chance.randrange(1, 8)
        if chance.random() < 0.4:
            act = last_act(tournament, by)
            assert (act.name if act is not None else None) == next(reversed(stacks[by]), None)
            if act is not None and not _refused(event, act, by):
                stacks[by].pop()
                undone += 1
            continue
        text = chance.choice(
            [f"m{number} 7-{number % 7}", f"m{number} call t{chance.randrange(1, 4)}", f"m{number} start"]
        )
        before = last_act(tournament, by)
        outcome = line(event, text, by)
        after = last_act(tournament, by)
        if outcome.refused is None and after is not None and after != before:
            stacks[by].append(after.name)
        assert list(differences()) == []
    assert undone


def test_undo_takes_back_what_was_done_to_entries_and_in_the_cash_desk(event: Evening, alice_client: Client) -> None:
    """One after the other, each named before; a payment stays as a row and is booked back."""
    tournament = event.division.tournament
    Division.objects.update(fee=1000)
    url = f"/events/{tournament.club.slug}/{tournament.slug}/floor/"
    event.call(1, 1)
    called = last_act(tournament, event.alice)
    entry = first_entry(event, 2)
    paid = PaymentInput(1000, "k")
    receive(tournament=tournament, player=entry.player, payment=paid, **event.acts)
    entries.withdraw(entry=entry, **event.acts)
    assert event.fixture(2).status == Fixture.Status.DECIDED
    page = alice_client.get(url).content.decode()
    assert f"Undo: {entry.player.name} has withdrawn." in page
    assert "To be played after all: M2." in page
    answer = alice_client.get(f"/api/v1/tournaments/{tournament.public_id}/floor/").json()["undoable"]
    assert (answer["text"], answer["follows"]) == (
        f"{entry.player.name} has withdrawn.",
        "To be played after all: M2.",
    )
    assert line(event, "undo").text == f"Undone: {entry.player.name} has withdrawn."
    assert event.fixture(2).status == Fixture.Status.READY
    alice_client.post(f"{url}do/undo/", {"act": answer["act"]})  # again: nothing more
    act = last_act(tournament, event.alice)
    assert act is not None
    assert act.label == f"Undo: {entry.player.name} paid 1,000 tickets."
    alice_client.post(f"{url}do/undo/", {"act": act.name})
    assert [row.amount for row in Payment.objects.order_by("pk")] == [1000, -1000]
    assert last_act(tournament, event.alice) == called
    assert list(differences()) == []


def test_what_has_no_undo_says_so_and_what_is_older_stays(event: Evening, alice_client: Client) -> None:
    tournament = event.division.tournament
    event.call(1, 1)
    evening.add_table(tournament=tournament, label="9", **event.acts)
    assert refused_code(line(event, "undo")) == "not_undone_here"
    assert event.states()[0] == "c"
    page = alice_client.get(f"/events/{tournament.club.slug}/{tournament.slug}/floor/").content.decode()
    assert "No undo here: added a table · Table 9" in page
    assert "nothing older is undone in its place" in page
