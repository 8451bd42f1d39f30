"""Proposed times: accepted, countered and withdrawn; in both time zones and as a calendar file."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from engine.errors import Refused
from matches.lifecycle import arrivals
from matches.lifecycle.opening import set_due
from matches.lifecycle.where import where_is
from matches.models import Match, Proposal
from matches.reporting import appointments, reports
from matches.reporting.appointments import instant, zone_of
from matches.reporting.calendars import match_events, written
from players.actors import SYSTEM, Actor
from players.models import Notification, Player, User
from tests.matches.cast import BOB, CAROL, NOW, match_between, minutes

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
State = Proposal.State


def propose(match: Match, side: int, *hours: float, **more: object) -> Proposal:
    times = [minutes(60 * hour) for hour in hours]
    return appointments.propose(
        match=match, side=side, offer=appointments.Dates(times), by=Actor.link(side), now=NOW, **more
    )


def accept(match: Match, proposal: Proposal, side: int, hour: float, **more: object) -> Proposal:
    time = minutes(60 * hour)
    return appointments.accept(proposal=proposal, side=side, time=time, by=Actor.link(side), now=NOW, **more)


def code(call: object, *args: object, **more: object) -> str:
    with pytest.raises(Refused) as refused:
        call(*args, **more)
    return refused.value.code


def test_the_other_side_accepts_a_proposed_time(match: Match) -> None:
    offered = propose(match, BOB, 24, 1, 48)
    assert offered.instants == [minutes(60), minutes(60 * 24), minutes(60 * 48)]
    accepted = accept(match, offered, CAROL, 24)
    assert (accepted.state, accepted.agreed_at) == (State.ACCEPTED, minutes(60 * 24))
    assert arrivals.appointment(match) == accepted


def test_players_cannot_accept_their_own_or_unproposed_times(match: Match) -> None:
    offered = propose(match, BOB, 1)
    assert code(accept, match, offered, BOB, 1) == "proposal_own"
    assert code(accept, match, offered, CAROL, 2) == "time_not_proposed"


def test_proposing_other_times_answers_a_proposal(match: Match) -> None:
    first = propose(match, BOB, 1)
    second = propose(match, CAROL, 2)
    first.refresh_from_db()
    assert first.state == State.COUNTERED
    assert code(accept, match, first, CAROL, 1) == "proposal_answered"
    assert accept(match, second, BOB, 2).state == State.ACCEPTED


def test_an_appointment_holds_until_another_is_accepted(match: Match) -> None:
    first = accept(match, propose(match, BOB, 1), CAROL, 1)
    second = propose(match, BOB, 5)
    assert arrivals.appointment(match) == first
    accept(match, second, CAROL, 5)
    first.refresh_from_db()
    assert first.state == State.REPLACED
    assert arrivals.appointment(match) == second


def test_only_the_proposer_can_withdraw_times(match: Match) -> None:
    offered = propose(match, BOB, 1)
    by = Actor.link(CAROL)
    withdraw = appointments.withdraw_proposal
    assert code(withdraw, proposal=offered, side=CAROL, by=by, now=NOW) == "proposal_other"
    assert withdraw(proposal=offered, side=BOB, by=by, now=NOW).state == State.WITHDRAWN
    assert code(accept, match, offered, CAROL, 1) == "proposal_answered"


def test_invalid_times_are_refused(match: Match) -> None:
    assert code(propose, match, BOB) == "times_missing"
    assert code(propose, match, BOB, 1, 2, 3, 4, 5, 6) == "too_many_times"
    assert code(propose, match, BOB, -1, 5) == "time_past"
    assert code(propose, match, BOB, 24 * 400) == "time_far"
    set_due(match, due_at=minutes(120), by=SYSTEM)
    assert code(propose, match, BOB, 1, 3) == "time_after_deadline"
    assert propose(match, BOB, 2).instants == [minutes(120)]


def test_a_time_that_has_passed_cannot_be_accepted(match: Match) -> None:
    offered = propose(match, BOB, 1)
    late = {"proposal": offered, "side": CAROL, "time": minutes(60), "by": Actor.link(CAROL)}
    assert code(appointments.accept, **late, now=minutes(61)) == "time_past"


def test_stale_and_repeated_proposals(match: Match) -> None:
    first = propose(match, BOB, 1, after=0, key="k")
    assert propose(match, BOB, 1, after=0, key="k") == first
    assert code(propose, match, BOB, 2, after=0, key="k") == "key_reused"
    assert code(propose, match, CAROL, 2, after=0) == "stale"
    accepted = accept(match, first, CAROL, 1, after=1, key="a")
    assert accept(match, first, CAROL, 1, after=1, key="a") == accepted


def test_nothing_is_proposed_for_a_match_that_is_over(match: Match) -> None:
    offered = propose(match, BOB, 1)
    reports.report_score(
        match=match, side=CAROL, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.link(CAROL), now=NOW
    )
    reports.confirm(match=match, side=BOB, by=Actor.link(BOB), now=NOW)
    assert code(propose, match, CAROL, 1) == "match_settled"
    assert code(accept, match, offered, CAROL, 1) == "match_settled"


DUE = NOW + timedelta(days=7)
UNKNOWN, DIRECTOR = appointments.Tried(None), appointments.Tried(None, is_open=True)


def tried(match: Match, due_at: datetime = DUE) -> appointments.Tried:
    return appointments.who_tried(match, due_at)


def shown(match: Match, hours: float) -> None:
    """Carol, signed in, opens the page of the match."""
    appointments.note_shown(match=match, side=CAROL, now=NOW + timedelta(hours=hours))


@pytest.fixture
def known(carol: User) -> User:
    """Carol, whose address is confirmed."""
    User.objects.filter(pk=carol.pk).update(email_verified_at=NOW)
    return carol


def test_the_proposer_who_was_never_answered_is_known(match: Match, known: User, bob_player: Player) -> None:
    assert tried(match) == UNKNOWN
    propose(match, BOB, 30, 60)
    assert tried(match) == UNKNOWN, "nothing was delivered"
    shown(match, 1)
    assert tried(match) == appointments.Tried(BOB)
    propose(match, CAROL, 50, 70)
    assert tried(match) == UNKNOWN
    other = match_between(bob_player, Player.objects.get(user=known))
    accept(other, propose(other, BOB, 1), CAROL, 1)
    assert tried(other) == UNKNOWN


def test_an_email_to_a_confirmed_address_and_a_push_deliver_a_proposal(match: Match, known: User) -> None:
    sent = propose(match, BOB, 30, 60)
    note = Notification.objects.get(user=known, key=f"times_proposed:{sent.public_id}")
    note.deliveries.update(sent_at=NOW + timedelta(minutes=1))
    assert tried(match) == appointments.Tried(BOB)
    User.objects.filter(pk=known.pk).update(email_verified_at=None)
    assert tried(match) == DIRECTOR, "nothing can be delivered to Carol"
    note.deliveries.update(channel="push")
    assert tried(match) == appointments.Tried(BOB)


@pytest.mark.parametrize(
    ("hours", "shown_after", "counts"),
    [
        ((30, 60), 1, True),
        ((30,), 1, False),
        ((30, 60), 31, False),
        ((140, 160), 7 * 24 - 24, False),
        ((166, 167), 7 * 24 - 24, True),
        ((166, 167), 7 * 24 - 23.9, False),
    ],
)
def test_a_proposal_counts_with_two_times_ahead_delivered_a_day_before_the_deadline(
    match: Match, known: User, hours: tuple[float, ...], shown_after: float, counts: bool
) -> None:
    propose(match, BOB, *hours)
    shown(match, shown_after)
    assert tried(match) == (appointments.Tried(BOB) if counts else UNKNOWN)


def test_in_a_round_of_hours_a_quarter_of_it_is_enough_and_below_six_hours_no_proposal_decides(
    match: Match, known: User
) -> None:
    propose(match, BOB, 3, 4)
    shown(match, 5.9)
    assert tried(match, NOW + timedelta(hours=8)) == UNKNOWN
    Proposal.objects.update(shown_at=NOW + timedelta(hours=1))
    assert tried(match, NOW + timedelta(hours=8)) == appointments.Tried(BOB)
    assert tried(match, NOW + timedelta(hours=5.9)) == DIRECTOR


def test_each_player_reads_times_in_their_own_zone(match: Match, bob_player: Player) -> None:
    assert bob_player.user is not None
    bob_player.user.time_zone = "America/New_York"
    bob_player.user.save()
    match = Match.objects.get()
    assert zone_of(match, BOB) == ZoneInfo("America/New_York")
    assert zone_of(match, CAROL) == ZoneInfo("Europe/Copenhagen"), "of her club"


def test_a_local_time_skipped_by_the_clock_change_is_refused() -> None:
    copenhagen = ZoneInfo("Europe/Copenhagen")
    assert instant("2026-11-20T21:00", copenhagen) == datetime(2026, 11, 20, 20, 0, tzinfo=UTC)
    assert instant("2026-10-25T02:30", copenhagen) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "the first of two"
    assert code(instant, "2026-03-29T02:30", copenhagen) == "time_skipped"
    assert code(instant, "tomorrow", copenhagen) == "bad_time"
    assert code(instant, "0001-01-01T00:00", ZoneInfo("Asia/Tokyo")) == "bad_time"
    with pytest.raises(Refused) as refused:
        instant("tomorrow" * 10, copenhagen)
    assert refused.value.params == {"text": "tomorrow" * 5}


def test_an_appointment_as_a_calendar_file(carol_player: Player) -> None:
    odd = Player.objects.create(name="O'Brien; Zoë, " + "é" * 60)
    match = match_between(odd, carol_player)
    at = NOW + timedelta(days=1)
    Proposal.objects.create(match=match, side=0, times=[], state=Proposal.State.ACCEPTED, agreed_at=at)
    events = match_events([match], {match.pk: where_is(match)}, "https://example.org{}".format)
    text = written(events).decode()
    lines = text.split("\r\n")
    assert lines[0] == "BEGIN:VCALENDAR"
    assert lines[-2:] == ["END:VCALENDAR", ""]
    assert "DTSTART:20261121T200000Z" in lines
    assert "DTEND:20261121T211700Z" in lines
    assert max(len(line.encode()) for line in lines) <= 75
    unfolded = text.replace("\r\n ", "")
    assert "SUMMARY:Backgammon: O'Brien\\; Zoë\\, " + "é" * 60 + " – Carol\r\n" in unfolded
