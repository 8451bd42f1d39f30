"""What happens to a match that is not played when its round ends."""

import hmac
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from engine.errors import Refused
from matches.models import Match, Result
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind
from matches.play.lobby.services import lapse_invitations
from matches.play.starting import PlaySettings, start
from matches.records.submissions import RecordFile
from matches.reporting.appointments import Dates, note_shown, propose
from matches.reporting.records import adjudicate_submission, submit_for_match
from matches.reporting.reports import ScoreReport, report_score
from players.actors import SYSTEM, Actor
from players.models import Delivery, LogEntry, User
from tests.event_cast import NOON
from tests.matches.records.samples import simulated
from tests.tournaments.support.knockouts import fixtures
from tournaments.models import Division, Fixture
from tournaments.results.overdue import apply_deadline, due_fixtures

pytestmark = pytest.mark.django_db
Drawn = Callable[..., Division]
DEADLINE = NOON + timedelta(days=7)
LATE = DEADLINE + timedelta(seconds=1)


def with_deadline(division: Division) -> Fixture:
    """The first fixture, to be played by the deadline."""
    first = fixtures(division)[0]
    Fixture.objects.filter(pk=first.pk).update(due_at=DEADLINE)
    Match.objects.filter(pk=first.match_id).update(due_at=DEADLINE)
    return fixtures(division)[0]


def applied(fixture: Fixture) -> str | None:
    return apply_deadline(fixture_id=fixture.pk, now=LATE)


def test_nothing_is_due_before_the_instant_and_half_a_second(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4))

    assert due_fixtures(DEADLINE + timedelta(milliseconds=499)) == []
    assert due_fixtures(DEADLINE + timedelta(milliseconds=500)) == [fixture.pk]


def test_by_default_the_director_is_notified_once_and_nothing_is_decided(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4))

    assert applied(fixture) == "director"
    assert applied(fixture) is None
    assert due_fixtures(LATE) == []
    assert not Result.objects.exists()


def test_who_proposed_times_and_never_had_an_answer_wins(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    assert fixture.match is not None
    times = Dates([NOON + timedelta(days=2), NOON + timedelta(days=3)])
    propose(match=fixture.match, side=1, offer=times, by=Actor.link(1), now=NOON)
    note_shown(match=fixture.match, side=0, now=NOON + timedelta(days=1))

    assert applied(fixture) == "proposer_wins"
    result = fixture.match.results.get()
    assert (result.winner, result.kind, result.source) == (1, Result.Kind.FORFEIT, Result.Source.DEADLINE)


def test_a_proposal_to_somebody_whom_nothing_reaches_is_left_to_the_director(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    assert fixture.match is not None
    times = Dates([NOON + timedelta(days=2), NOON + timedelta(days=3)])
    propose(match=fixture.match, side=1, offer=times, by=Actor.link(1), now=NOON)

    assert applied(fixture) == "director"
    assert not Result.objects.exists()


def test_a_proposal_seconds_before_the_deadline_wins_nothing(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    assert fixture.match is not None
    at = DEADLINE - timedelta(seconds=1)
    propose(match=fixture.match, side=1, offer=Dates([at]), by=Actor.link(1), now=DEADLINE - timedelta(seconds=3))
    note_shown(match=fixture.match, side=0, now=DEADLINE - timedelta(seconds=2))

    assert applied(fixture) == "both_lose"


def invite(fixture: Fixture, *times: datetime) -> None:
    """Side 1 opens the board at these times and comes, alone; the clock worker closes it."""
    match = Match.objects.get(pk=fixture.match_id)
    for at in times:
        live = start(match=match, settings=PlaySettings(), by=Actor.link(1), now=at)
        act(match=match, side=1, request=ActionInput(EventKind.HERE, live.last), by=Actor.link(1), now=at)
        lapse_invitations(now=at + timedelta(minutes=11))


def reached(fixture: Fixture, user: User) -> None:
    """Side 0 is this user, whom every message reaches a minute after it was sent."""
    match = Match.objects.get(pk=fixture.match_id)
    match.player_0.user = user
    match.player_0.save()
    User.objects.filter(pk=user.pk).update(email_verified_at=NOON)


def delivered(fixture: Fixture) -> None:
    for sent in Delivery.objects.filter(notification__kind="board_opened"):
        Delivery.objects.filter(pk=sent.pk).update(sent_at=sent.notification.created_at + timedelta(minutes=1))


def test_who_invites_twice_to_the_board_and_never_has_an_answer_wins(drawn: Drawn, dave: User) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    reached(fixture, dave)
    invite(fixture, NOON + timedelta(days=1), NOON + timedelta(days=2))
    delivered(fixture)

    assert applied(fixture) == "proposer_wins"
    assert fixture.match is not None
    result = fixture.match.results.get()
    assert (result.winner, result.finality) == (1, Result.Finality.PROVISIONAL)


@pytest.mark.parametrize(
    "times",
    [
        [NOON + timedelta(days=1)],
        [NOON + timedelta(days=1), DEADLINE - timedelta(hours=23)],
        [DEADLINE - timedelta(minutes=25), DEADLINE - timedelta(minutes=12)],
    ],
    ids=["one", "one too late", "both too late"],
)
def test_few_or_late_invitations_win_nothing(drawn: Drawn, dave: User, times: list[datetime]) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    reached(fixture, dave)
    invite(fixture, *times)
    delivered(fixture)

    assert applied(fixture) == "both_lose"


def test_invitations_to_somebody_whom_nothing_reaches_are_left_to_the_director(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    invite(fixture, NOON + timedelta(days=1), NOON + timedelta(days=2))

    assert applied(fixture) == "director"
    assert not Result.objects.exists()


def test_an_invitation_and_a_time_that_was_proposed_are_two_offers(drawn: Drawn, dave: User) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    reached(fixture, dave)
    invite(fixture, NOON + timedelta(days=1))
    delivered(fixture)
    assert fixture.match is not None
    times = Dates([NOON + timedelta(days=3)])
    propose(match=fixture.match, side=1, offer=times, by=Actor.link(1), now=NOON + timedelta(days=2))
    note_shown(match=fixture.match, side=0, now=NOON + timedelta(days=2))

    assert applied(fixture) == "proposer_wins"


def test_if_both_have_come_to_a_board_neither_has_dodged(drawn: Drawn, dave: User) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    reached(fixture, dave)
    invite(fixture, NOON + timedelta(days=1), NOON + timedelta(days=2))
    match = Match.objects.get(pk=fixture.match_id)
    at = NOON + timedelta(days=3)
    live = start(match=match, settings=PlaySettings(), by=Actor.link(0), now=at)
    act(match=match, side=0, request=ActionInput(EventKind.HERE, live.last), by=Actor.link(0), now=at)
    lapse_invitations(now=at + timedelta(minutes=11))
    delivered(fixture)

    assert applied(fixture) == "both_lose"


@pytest.mark.parametrize(("minutes", "done"), [(40, "proposer_wins"), (9, "director")])
def test_in_a_short_round_waiting_at_the_board_decides(drawn: Drawn, minutes: int, done: str) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    Match.objects.filter(pk=fixture.match_id).update(created_at=DEADLINE - timedelta(hours=3))
    invite(fixture, DEADLINE - timedelta(minutes=minutes))

    assert applied(fixture) == done


def test_it_is_extended_once_and_then_both_lose(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="extend", extension_hours=24))

    assert applied(fixture) == "extended"
    assert applied(fixture) is None, "the new deadline is a day away"
    later = LATE + timedelta(hours=25)
    assert apply_deadline(fixture_id=fixture.pk, now=later) == "both_lose"
    assert fixture.match is not None
    assert fixture.match.results.get().winner is None


def test_lots_can_be_drawn_again_from_the_log(drawn: Drawn) -> None:
    division = drawn(16, deadline_rule="lots")
    first_round = fixtures(division)[:8]
    Fixture.objects.filter(pk__in=[fixture.pk for fixture in first_round]).update(due_at=DEADLINE)
    Match.objects.update(due_at=DEADLINE)
    assert [applied(fixture) for fixture in first_round] == ["lots"] * 8

    entries = LogEntry.objects.filter(verb="deadline_lots", topic=division.topic)
    assert sorted(entry.params["fixture"] for entry in entries) == [fixture.number for fixture in first_round]
    for number in (entry.params["fixture"] for entry in entries):
        fixture = Fixture.objects.get(stage__division=division, number=number)
        assert fixture.match is not None
        winner = fixture.match.results.get().winner
        assert winner is not None
        assert fixture.slots.get(side=winner).entry_id == entry_drawn(fixture)


def entry_drawn(fixture: Fixture) -> int:
    """The entry that the lot of a deadline names, computed from the published description of the algorithm alone."""
    first, second = sorted(fixture.slots.values_list("entry", flat=True))
    message = f"lot:deadline:{fixture.number}:{first}:{second}:1:0".encode("ascii")
    block = hmac.digest(bytes.fromhex(fixture.stage.lots_seed), message, "sha256")
    return (first, second)[int.from_bytes(block[:8], "big") % 2]


def test_the_winner_of_a_lot_moves_on_in_the_bracket(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="lots"))

    assert applied(fixture) == "lots"
    assert fixture.match is not None
    winner = fixture.match.results.get().winner
    assert winner is not None
    final = fixtures(fixture.stage.division)[2]
    assert final.slots.get(side=0).entry_id == fixture.slots.get(side=winner).entry_id


def test_a_match_that_is_played_here_is_left_to_its_clock(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    assert fixture.match is not None
    start(match=fixture.match, settings=PlaySettings(), by=SYSTEM, now=NOON)
    for side in (0, 1):
        request = ActionInput(EventKind.HERE, side)
        act(match=fixture.match, side=side, request=request, by=Actor.link(side), now=NOON)

    assert applied(fixture) is None
    assert not Result.objects.exists()
    with pytest.raises(Refused, check=lambda error: error.code == "match_live"):
        submit_for_match(match=fixture.match, side=0, file=RecordFile(b"a record", "api"), by=Actor.link(0), now=NOON)


def test_a_deadline_never_overrides_a_players_report(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    assert fixture.match is not None
    report_score(match=fixture.match, side=0, report=ScoreReport(0, (7, 2)), by=Actor.link(0), now=NOON)

    assert applied(fixture) == "director"
    assert not Result.objects.exists()


def test_a_record_that_came_in_time_is_heard_however_long_its_check_takes(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    assert fixture.match is not None
    names = (fixture.match.player_0.name, fixture.match.player_1.name)
    record = simulated(seed=1, length=7, players=names)
    just = DEADLINE - timedelta(seconds=1)
    sent = submit_for_match(match=fixture.match, side=0, file=RecordFile(record, "upload"), by=Actor.link(0), now=just)

    assert applied(fixture) is None
    adjudicate_submission(submission_id=sent.submission.pk, now=LATE)

    result = fixture.match.results.get()
    assert (result.kind, result.source) == (Result.Kind.PLAYED, Result.Source.RECORD)
    assert applied(fixture) is None


def test_a_record_that_came_too_late_is_not_waited_for(drawn: Drawn) -> None:
    fixture = with_deadline(drawn(4, deadline_rule="both_lose"))
    assert fixture.match is not None
    names = (fixture.match.player_0.name, fixture.match.player_1.name)
    record = simulated(seed=1, length=7, players=names)
    after = DEADLINE + timedelta(milliseconds=1)
    submit_for_match(match=fixture.match, side=0, file=RecordFile(record, "upload"), by=Actor.link(0), now=after)

    assert applied(fixture) == "both_lose"
