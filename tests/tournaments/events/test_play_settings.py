"""Where the matches of a division are played: as its director sets it, and as its players then open them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from engine.clock import DAY, MINUTE, SECOND
from matches.lifecycle import arrivals, links
from matches.lifecycle.events import events as known_events
from matches.models import LiveMatch, Match, Result
from matches.play import clock_worker
from matches.play.starting import PlaySettings, open_by_player, start
from matches.reporting import appointments, reports
from players.actors import SYSTEM, Actor
from players.models import User
from tests.event_cast import NOW, RunningEvent
from tests.matches.play.conftest import Board, refused
from tests.pages import html
from tests.tournaments.events.test_event_pages import DIVISION
from tournaments.events import services as events
from tournaments.models import Division, Fixture
from tournaments.results import overdue
from tournaments.state.integrity import differences

pytestmark = pytest.mark.django_db


def match_of(running: RunningEvent) -> Match:
    assert running.fixture.match is not None
    return running.fixture.match


def side_of(match: Match, name: str) -> int:
    return [player.name for player in match.players].index(name)


@pytest.fixture
def settle_for(running: RunningEvent, by_alice: Actor) -> Callable[..., None]:
    """Change the settings of the running division."""

    def change(**settings: Any) -> None:
        division = Division.objects.get(pk=running.division.pk)
        events.update_division(division=division, after=division.seq, by=by_alice, now=NOW, **settings)

    return change


def play_here(client: Client, match: Match) -> Any:
    return client.post(f"/matches/{match.public_id}/play-here/")


def test_matches_are_played_over_the_board_unless_the_division_says_otherwise(
    running: RunningEvent, bob: User, as_user: Callable[..., Client]
) -> None:
    match = match_of(running)
    for page in (f"/matches/{match.public_id}/", "/my/"):
        assert "Play here" not in html(as_user(bob).get(page))
    response = play_here(as_user(bob), match)
    assert response.status_code == 409
    assert 'data-code="not_played_here"' in html(response)
    assert not LiveMatch.objects.exists()


@pytest.mark.parametrize("mode", ["here", "either"])
def test_either_player_opens_the_match_by_the_rules_of_the_division(
    running: RunningEvent,
    settle_for: Callable[..., None],
    bob: User,
    carol: User,
    as_user: Callable[..., Client],
    mode: str,
) -> None:
    settle_for(
        play_mode=mode, clock="doubles", overtime_minutes=1, flag_rule=LiveMatch.FlagRule.CLAIM, spectators_delay=10
    )
    match = match_of(running)
    assert "Clock: 18 seconds a turn and 2½ minutes a point." in html(as_user(bob).get(f"/matches/{match.public_id}/"))
    assert "Play here" in html(as_user(bob).get("/my/"))

    assert play_here(as_user(carol), match).status_code == 302

    live = LiveMatch.objects.get(match=match)
    assert (live.delay, live.bank, live.overtime) == (18 * SECOND, 7 * 150 * SECOND, MINUTE)
    assert (live.flag_rule, live.spectators_delay, live.server_chains) == ("claim", 10, False)
    match.refresh_from_db()
    seq = match.seq
    assert play_here(as_user(bob), match).status_code == 302, "it is open already, which is what Bob wants"
    match.refresh_from_db()
    assert (match.state, match.seq) == (Match.State.LIVE, seq)


def test_a_player_without_an_account_opens_the_match_by_their_link(
    running: RunningEvent, settle_for: Callable[..., None], client: Client
) -> None:
    settle_for(play_mode="here", clock="correspondence", turn_days=3, bank_days=5, spectators_delay=None)
    match = match_of(running)
    link = f"/m/{links.token_for(match, side_of(match, 'Carol'))}/"
    assert "Play here" in html(client.get(link))
    assert client.post(f"{link}play-here/").headers["Location"] == f"{link}play/"
    live = LiveMatch.objects.get(match=match)
    assert (live.correspondence, live.delay, live.bank) == (True, 3 * DAY, 5 * DAY)
    assert live.spectators_delay is None


def test_nobody_else_opens_the_match(
    running: RunningEvent,
    settle_for: Callable[..., None],
    alice: User,
    dave: User,
    as_user: Callable[..., Client],
    client: Client,
) -> None:
    settle_for(play_mode="here")
    match = match_of(running)
    for user in (alice, dave):
        assert "Play here" not in html(as_user(user).get(f"/matches/{match.public_id}/"))
        assert play_here(as_user(user), match).status_code == 404
    assert "/sign-in/" in play_here(client, match).headers["Location"]
    assert client.post(f"/m/{links.token_for(match, None)}/play-here/").status_code == 404, "the sheet plays for nobody"
    assert as_user(alice).get(f"/matches/{match.public_id}/play-here/").status_code == 405
    assert not LiveMatch.objects.exists()


def test_a_match_that_was_reported_is_not_opened(
    running: RunningEvent, settle_for: Callable[..., None], bob: User, as_user: Callable[..., Client]
) -> None:
    settle_for(play_mode="either")
    match = match_of(running)
    Match.objects.filter(pk=match.pk).update(state=Match.State.SETTLED)
    assert 'data-code="match_begun"' in html(play_here(as_user(bob), match))


def test_players_open_a_match_by_api_and_directors_may_depart_from_the_rules(
    running: RunningEvent, settle_for: Callable[..., None], alice: User, bob: User, dave: User
) -> None:
    match = match_of(running)
    clients = {user: APIClient() for user in (alice, bob, dave)}
    for user, client in clients.items():
        client.force_authenticate(user)
    path = f"/api/v1/matches/{match.public_id}/live/"
    assert clients[bob].post(f"{path}open/").json()["code"] == "not_played_here"
    settle_for(play_mode="here", clock="online", spectators_delay=15)
    assert [clients[user].post(f"{path}open/").status_code for user in (alice, dave)] == [404, 404]
    assert APIClient().post(f"{path}open/").status_code == 401
    assert clients[alice].post(path, {"clock": "none"}, format="json").status_code == 201
    live = LiveMatch.objects.get(match=match)
    assert (live.delay, live.spectators_delay) == (None, 15), "what a director leaves out is as in the division"
    assert clients[bob].post(f"{path}open/").json()["phase"] == "opening"


def test_a_director_sets_where_matches_are_played(alice_client: Client, running: RunningEvent, client: Client) -> None:
    settings = {"play_mode": "either", "clock": "correspondence", "turn_days": "1", "bank_days": "3",
                "flag_rule": "claim", "spectators_delay": "after"}  # fmt: skip
    fixed = {"name": "Open", "after": str(running.division.seq), "deadlines": ""}
    assert "Over the board" in html(client.get(running.division_url))
    assert "Spectators" not in html(client.get(running.division_url))
    response = alice_client.post(f"{running.division_url}settings/", {**DIVISION, **settings, **fixed})
    assert response.status_code == 302, html(response)
    division = Division.objects.get(pk=running.division.pk)
    assert (division.play_mode, division.clock, division.turn_days, division.bank_days) == (
        ("either", "correspondence", 1, 3)
    )
    assert division.spectators_delay is None
    public = html(client.get(running.division_url))
    for words in ("Wherever the players like", "1 day for each turn, 3 extra days", "After the match"):
        assert words in public


def test_a_delay_that_only_the_api_offers_stays_when_the_form_is_saved(
    alice_client: Client, running: RunningEvent, settle_for: Callable[..., None]
) -> None:
    settle_for(spectators_delay=7)
    page = html(alice_client.get(f"{running.division_url}settings/"))
    assert '<option value="7" selected>7 minutes behind</option>' in page


@pytest.mark.parametrize(
    ("field", "value"),
    [("play_mode", "moon"), ("clock", ""), ("turn_days", "0"), ("bank_days", "31"), ("spectators_delay", "")],
)
def test_bad_settings_are_refused(alice_client: Client, running: RunningEvent, field: str, value: str) -> None:
    fields = {**DIVISION, "name": "Open", "after": str(running.division.seq), "deadlines": "", field: value}
    assert alice_client.post(f"{running.division_url}settings/", fields).status_code == 422
    assert Division.objects.get(pk=running.division.pk).seq == running.division.seq


# Appointments


def agree_and_come(match: Match, side: int, at: datetime) -> None:
    """Both have agreed on a time, to which only this side comes."""
    offer = appointments.Dates([at])
    offered = appointments.propose(match=match, side=0, offer=offer, by=SYSTEM, now=at - timedelta(hours=2))
    appointments.accept(proposal=offered, side=1, time=at, by=SYSTEM, now=at - timedelta(hours=1))
    arrivals.arrive(match=match, side=side, by=SYSTEM, now=at)


def test_the_division_says_whether_a_no_show_loses_and_the_bracket_moves(
    running: RunningEvent, settle_for: Callable[..., None], django_capture_on_commit_callbacks: Any
) -> None:
    match, at = match_of(running), NOW + timedelta(days=1)
    bob = side_of(match, "Bob")
    agree_and_come(match, bob, at)
    late: dict[str, Any] = {"match": match, "side": bob, "by": SYSTEM, "now": at + timedelta(minutes=15)}
    with refused("no_show_by_director"):
        arrivals.claim_no_show(**late)
    settle_for(no_show_loses=True)
    with django_capture_on_commit_callbacks(execute=True):
        arrivals.claim_no_show(**late)
    running.fixture.refresh_from_db()
    assert running.fixture.status == Fixture.Status.DECIDED
    final = Fixture.objects.get(stage__division=running.division, number=3)
    assert final.slots.filter(entry=running.entry).exists()


def test_the_division_says_after_how_many_minutes_a_player_has_not_come(
    running: RunningEvent, settle_for: Callable[..., None]
) -> None:
    settle_for(no_show_loses=True, no_show_minutes=40)
    match, at = match_of(running), NOW + timedelta(days=1)
    bob = side_of(match, "Bob")
    agree_and_come(match, bob, at)
    with refused("no_show_wait"):
        arrivals.claim_no_show(match=match, side=bob, by=SYSTEM, now=at + timedelta(minutes=39))
    arrivals.claim_no_show(match=match, side=bob, by=SYSTEM, now=at + timedelta(minutes=40))


# Invitations


@pytest.fixture
def invited(running: RunningEvent, settle_for: Callable[..., None], alice: User, bob: User, carol: User) -> Board:
    """Bob opens the board of his match by himself, and says that he is here."""
    settle_for(play_mode="either", clock="online", no_show_loses=True)
    match = match_of(running)
    users = [bob, carol] if side_of(match, "Bob") == 0 else [carol, bob]
    board = Board(match, users)
    board.now = NOW
    open_by_player(match=match, by=Actor.of(bob), now=NOW)
    board.do(side_of(match, "Bob"), "here")
    return board


def test_an_invitation_that_is_not_taken_up_starts_no_no_show(
    invited: Board, alice: User, as_user: Callable[..., Client]
) -> None:
    match, bob = invited.match, side_of(invited.match, "Bob")
    for _ in range(3):
        with refused("no_appointment"):
            arrivals.claim_no_show(match=match, side=bob, by=SYSTEM, now=invited.now + timedelta(minutes=9))
        invited.now += timedelta(minutes=11)
        clock_worker.work(now=invited.now)
        assert not Result.objects.filter(match=match).exists()
        open_by_player(match=match, by=Actor.of(invited.users[bob]), now=invited.now)
    clock_worker.work(now=invited.now + timedelta(minutes=11))
    page = html(as_user(alice).get(f"/matches/{match.public_id}/"))
    assert "Carol was invited 4 times and never came." in page
    assert "Bob was invited" not in page
    assert list(differences()) == []


def test_a_match_that_was_played_at_a_table_is_reported_while_its_board_waits(
    invited: Board, carol: User, as_user: Callable[..., Client]
) -> None:
    match, side = invited.match, side_of(invited.match, "Carol")
    page = f"/matches/{match.public_id}/"
    assert 'name="winner"' in html(as_user(carol).get(page))
    score = (7, 5) if side == 0 else (5, 7)
    reports.report_score(
        match=match, side=side, report=reports.ScoreReport(side, score), by=Actor.of(carol), now=invited.now
    )
    match.refresh_from_db()
    assert match.state == Match.State.CLAIMED
    live = LiveMatch.objects.get(match=match)
    assert (live.lapses_at, live.lapsed_at) == (None, invited.now)
    with refused("not_live"):
        invited.do(side, "here")
    clock_worker.work(now=invited.now + timedelta(minutes=11))
    assert Match.objects.get(pk=match.pk).state == Match.State.CLAIMED
    assert list(differences()) == []


def test_times_are_proposed_while_the_board_waits(invited: Board) -> None:
    match, carol = invited.match, side_of(invited.match, "Carol")
    offer = appointments.Dates([invited.now + timedelta(hours=3)])
    appointments.propose(match=match, side=carol, offer=offer, by=SYSTEM, now=invited.now)
    invited.do(carol, "here")
    with refused("match_live"):
        appointments.propose(match=match, side=carol, offer=offer, by=SYSTEM, now=invited.now)


def test_a_deadline_is_extended_while_the_board_waits(
    invited: Board, running: RunningEvent, settle_for: Callable[..., None], carol: User
) -> None:
    settle_for(deadline_rule="extend")
    User.objects.filter(pk=carol.pk).update(email_verified_at=NOW)
    due_at = NOW + timedelta(days=2)
    Fixture.objects.filter(pk=running.fixture.pk).update(due_at=due_at)
    Match.objects.filter(pk=invited.match.pk).update(created_at=due_at - timedelta(days=7))
    done = overdue.apply_deadline(fixture_id=running.fixture.pk, now=due_at + timedelta(seconds=1))
    assert done == "extended"


def test_a_deadline_treats_an_invitation_as_a_match_that_is_not_played(
    invited: Board, running: RunningEvent, settle_for: Callable[..., None]
) -> None:
    settle_for(deadline_rule="both_lose")
    due_at = NOW + timedelta(minutes=5)
    Fixture.objects.filter(pk=running.fixture.pk).update(due_at=due_at)
    done = overdue.apply_deadline(fixture_id=running.fixture.pk, now=due_at + timedelta(minutes=1))
    assert done == "director", "Bob has not waited for ten minutes"


def test_a_match_being_played_is_left_alone_by_the_deadline(
    invited: Board, running: RunningEvent, settle_for: Callable[..., None]
) -> None:
    settle_for(deadline_rule="both_lose")
    invited.do(side_of(invited.match, "Carol"), "here")
    due_at = NOW + timedelta(minutes=5)
    Fixture.objects.filter(pk=running.fixture.pk).update(due_at=due_at)
    assert overdue.apply_deadline(fixture_id=running.fixture.pk, now=due_at + timedelta(minutes=1)) is None


def test_who_comes_to_the_board_at_the_time_that_was_agreed_has_come_to_the_appointment(
    running: RunningEvent, settle_for: Callable[..., None], bob: User, carol: User
) -> None:
    settle_for(play_mode="here", clock="online", no_show_loses=True)
    match, at = match_of(running), NOW + timedelta(days=1)
    side = side_of(match, "Bob")
    offered = appointments.propose(match=match, side=0, offer=appointments.Dates([at]), by=SYSTEM, now=NOW)
    appointments.accept(proposal=offered, side=1, time=at, by=SYSTEM, now=NOW)
    board = Board(match, [bob, carol] if side == 0 else [carol, bob])
    board.now = at
    open_by_player(match=match, by=Actor.of(bob), now=at)
    board.do(side, "here")
    with refused("no_show_wait"):
        arrivals.claim_no_show(match=match, side=side, by=SYSTEM, now=at + timedelta(minutes=14))
    clock_worker.work(now=at + timedelta(minutes=14))
    assert arrivals.claim_no_show(match=match, side=side, by=SYSTEM, now=at + timedelta(minutes=15)).winner == side


def test_a_director_who_opens_the_board_calls_both_players_to_it(
    running: RunningEvent, settle_for: Callable[..., None], alice: User, bob: User, carol: User
) -> None:
    settle_for(play_mode="here", clock="online", no_show_loses=True, no_show_minutes=20)
    match = match_of(running)
    settings = PlaySettings.by_rules(known_events().play_rules(match.parent_topic), match)
    start(match=match, settings=settings, by=Actor.of(alice), now=NOW)
    side = side_of(match, "Bob")
    board = Board(match, [bob, carol] if side == 0 else [carol, bob])
    board.now = NOW + timedelta(minutes=2)
    with refused("not_here"):
        arrivals.claim_no_show(match=match, side=side, by=SYSTEM, now=NOW + timedelta(minutes=21))
    board.do(side, "here")
    with refused("no_show_wait"):
        arrivals.claim_no_show(match=match, side=side, by=SYSTEM, now=NOW + timedelta(minutes=21))
    clock_worker.work(now=NOW + timedelta(minutes=22))
    result = arrivals.claim_no_show(match=match, side=side, by=SYSTEM, now=NOW + timedelta(minutes=22))
    assert (result.winner, result.kind) == (side, Result.Kind.FORFEIT)


def test_at_the_deadline_whoever_came_to_the_appointment_wins(
    running: RunningEvent, settle_for: Callable[..., None]
) -> None:
    settle_for(deadline_rule="both_lose")
    match, at = match_of(running), NOW + timedelta(days=1)
    carol = side_of(match, "Carol")
    agree_and_come(match, carol, at)
    Fixture.objects.filter(pk=running.fixture.pk).update(due_at=at + timedelta(days=1))
    done = overdue.apply_deadline(fixture_id=running.fixture.pk, now=at + timedelta(days=2))
    assert done == "proposer_wins"
    assert Result.objects.get(match=match).winner == carol
