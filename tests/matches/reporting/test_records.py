"""Records of a match: an accepted record is its sender's report; a refused one has a reason."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from engine.errors import Refused
from engine.records import write
from engine.simulation import play_out
from engine.transcript import Transcript
from matches.lifecycle.finish import Basis, ResultInput, append_result, standing_result
from matches.lifecycle.opening import rebuild_beginnings
from matches.models import Match, Result, Submission
from matches.records.submissions import RecordFile
from matches.reporting import records, reports
from matches.reporting.records import adjudicate_submission, apply_verdict
from players.actors import Actor
from players.models import Alias, Player, User
from tests.matches.cast import BOB, CAROL, NOW, match_between, minutes
from tests.matches.ratings.history import void

pytestmark = pytest.mark.django_db
Standing = Submission.Standing


@pytest.fixture
def match(bob_player: Player, carol_player: Player) -> Match:
    """Bob against Carol, to 3."""
    return match_between(bob_player, carol_player, length=3)


def played(seed: int = 1, length: int = 3, players: tuple[str, str] = ("Bob", "Carol"), **more: Any) -> Transcript:
    return play_out(seed, length, players=players, **more)


def send(match: Match, transcript: Transcript | bytes, user: User, side: int = BOB, at: Any = NOW) -> Submission:
    """Send a record and have it checked."""
    data = transcript if isinstance(transcript, bytes) else write(transcript, "mat")
    row = records.submit_for_match(
        match=match, side=side, file=RecordFile(data, "upload"), by=Actor.of(user), now=at
    ).submission
    adjudicate_submission(submission_id=row.pk, now=at)
    row.refresh_from_db()
    match.refresh_from_db()
    return row


def why(row: Submission) -> str | None:
    return row.refusal["code"] if row.refusal else None


def outcome(match: Match) -> tuple[int | None, tuple[int, int] | None, str, str]:
    result = standing_result(match)
    assert result is not None
    return result.winner, result.score, result.kind, result.source


WINNER, SCORE = BOB, (4, 0)
"""Score of the simulated match with seed 1: Bob (the left player) wins 4–0."""
CAROL_WINS = 6
"""Seed of a simulated match that Carol wins 3–0."""


def lost(match: Match, transcript: Transcript | bytes, user: User, at: Any = NOW) -> Submission:
    """The player who lost by the record sends it."""
    return send(match, transcript, user, CAROL, at)


def test_the_winners_record_waits_for_the_other_player(match: Match, bob: User, carol: User) -> None:
    row = send(match, played(), bob)
    report = match.claims.get()
    assert (row.standing, match.state, match.results.count()) == (Standing.REPORT, Match.State.CLAIMED, 0)
    assert (report.side, report.score, report.submission, report.stands_at) == (BOB, SCORE, row, None)
    reports.confirm(match=match, side=CAROL, by=Actor.of(carol), now=minutes(1))
    row.refresh_from_db()
    assert (row.standing, outcome(match)) == (Standing.STANDS, (WINNER, SCORE, "played", "record"))
    assert (match.results.get().submission, match.results.get().user) == (row, carol)


def test_the_losers_record_stands_at_once(match: Match, carol: User) -> None:
    row = lost(match, played(), carol)
    assert (row.standing, row.swapped, why(row)) == (Standing.STANDS, False, None)
    assert outcome(match) == (WINNER, SCORE, "played", "record")
    result = match.results.get()
    assert (result.submission, result.user, match.state) == (row, carol, Match.State.SETTLED)


def test_two_records_that_agree_stand(match: Match, bob: User, carol: User) -> None:
    first = send(match, played(), bob)
    second = lost(match, write(played(), "sgf"), carol)
    first.refresh_from_db()
    assert (first.standing, why(second)) == (Standing.STANDS, "already_uploaded")
    assert match.results.get().submission == first


def test_two_records_that_differ_are_a_dispute(match: Match, bob: User, carol: User) -> None:
    send(match, played(), bob)
    send(match, played(CAROL_WINS), carol, CAROL)
    assert (match.state, match.results.count()) == (Match.State.DISPUTED, 0)


def test_a_result_entered_by_a_director_is_linked_to_an_agreeing_record(match: Match, bob: User, alice: User) -> None:
    row = send(match, played(), bob)
    entered, basis = ResultInput(BOB, (3, 0)), Basis(Result.Source.DIRECTOR)
    result = append_result(match, entered, basis, by=Actor.of(alice), now=minutes(5))
    row.refresh_from_db()
    assert (result.submission, row.standing) == (row, Standing.STANDS)


def test_a_withdrawn_record_counts_for_nothing(match: Match, bob: User) -> None:
    row = send(match, played(), bob)
    reports.withdraw_report(match=match, side=BOB, by=Actor.of(bob), now=minutes(1))
    row.refresh_from_db()
    match.refresh_from_db()
    assert (why(row), match.state, match.begun_at) == ("record_withdrawn", Match.State.OPEN, None)


@pytest.mark.parametrize("points", [3, 2], ids=["same score", "other score"])
def test_a_report_replaced_by_a_record_no_longer_begins_the_match(match: Match, bob: User, points: int) -> None:
    typed = reports.ScoreReport(BOB, (3, 0) if points == 3 else (3, 1))
    reports.report_score(match=match, side=BOB, report=typed, by=Actor.of(bob), now=minutes(1))
    send(match, played(), bob, at=minutes(5))
    assert match.claims.count() == 2
    assert match.begun_at == minutes(5)
    assert rebuild_beginnings() == 0


@pytest.fixture
def at_once(bob_player: Player, carol_player: Player) -> Match:
    """A match to 3 points in which records stand at once."""
    return match_between(bob_player, carol_player, length=3, records_stand=True)


def test_a_winners_record_that_stands_at_once_can_be_objected_to(at_once: Match, bob: User) -> None:
    row = send(at_once, played(), bob)
    assert (row.standing, at_once.state) == (Standing.STANDS, Match.State.SETTLED)
    assert at_once.claims.get().stood_unanswered


CONCEDED = (
    b" 3 point match\n\n Game 1\n Bob : 0    Carol : 0\n  1) 31: 8/5 6/5      64: 24/14\n Wins 7 points and the match\n"
)
"""A record by Bob in which Carol concedes the match after one roll each."""


def test_a_record_that_only_states_its_ending_waits_even_there(at_once: Match, bob: User) -> None:
    row = send(at_once, CONCEDED, bob)
    assert row.verdicts.get().content["rests_on_words"]
    assert (row.standing, at_once.state, at_once.results.count()) == (Standing.REPORT, Match.State.CLAIMED, 0)


def test_the_losers_record_of_a_concession_is_pending_like_a_report(match: Match, carol: User) -> None:
    lost(match, CONCEDED, carol)
    report = match.claims.get()
    assert (match.state, report.stands_at) == (Match.State.CLAIMED, minutes(2))
    reports.accept_unanswered(claim_id=report.pk, now=minutes(2))
    assert outcome(match)[2:] == ("concession", "record")


def test_sides_may_be_swapped(match: Match, bob: User) -> None:
    row = send(match, played(players=("CAROL", "bob")), bob)
    assert row.swapped is True
    assert outcome(match) == (1 - WINNER, SCORE[::-1], "played", "record")


def test_one_known_name_is_enough_to_match_both_players(match: Match, bob: User) -> None:
    row = send(match, played(players=("prime_time", "Bob")), bob)
    assert (row.standing, row.swapped) == (Standing.STANDS, True)
    assert not Alias.objects.exists()


def test_accents_capitals_and_blanks_do_not_matter(carol_player: Player, bob: User, bob_player: Player) -> None:
    zoe = Player.objects.create(name="Zoë Ångström")
    match = match_between(bob_player, zoe, length=3)
    row = send(match, played(players=("ZOE  angstrom", "someone")), bob)
    assert row.swapped is True


def test_unknown_names_are_assigned_once_and_remembered(match: Match, bob: User) -> None:
    row = send(match, played(players=("prime_time", "blitz99")), bob)
    assert (row.standing, match.results.count()) == (Standing.NAMES, 0)
    with pytest.raises(Refused) as refused:
        records.identify_players(submission=row, swapped=True, side=CAROL, by=Actor.link(CAROL), now=NOW)
    assert refused.value.code == "names_ask_other"
    assigned = records.identify_players(submission=row, swapped=True, side=BOB, by=Actor.of(bob), now=NOW)
    assert assigned.standing == Standing.STANDS
    match.refresh_from_db()
    assert outcome(match) == (1 - WINNER, SCORE[::-1], "played", "record")
    assert {alias.name: alias.player.name for alias in Alias.objects.all()} == {"prime_time": "Carol", "blitz99": "Bob"}
    with pytest.raises(Refused) as refused:
        records.identify_players(submission=row, swapped=False, side=BOB, by=Actor.of(bob), now=NOW)
    assert refused.value.code == "names_not_asked"
    second = match_between(*match.players, length=3)
    assert send(second, played(2, players=("prime_time", "blitz99")), bob).standing == Standing.STANDS


@pytest.mark.parametrize(
    ("transcript", "code"),
    [
        (played(length=5), "record_length"),
        (played(start=(1, 0)), "record_start"),
        (b" 0 point match\n\n Game 1\n Bob : 0    Carol : 0\n  1) 31: 8/5 6/5      64: 24/14\n", "record_money"),
        (b" 3 point match\n\n Game 1\n Bob : 0    Carol : 0\n  1) 31: 8/5 6/5      64: 24/14\n", "record_incomplete"),
        (b" 3 point match\n\n Game 1\n Bob : 0    Carol : 0\n  1) 31: 8/5 8/5      64: 24/14\n", "record_rejected"),
        (
            b" 3 point match\n\n Game 1\n Bob : 0    Carol : 0\n Wins 3 points and the match\n",
            "record_unmoved",
        ),
        (b"nothing of the kind", "record_unreadable"),
    ],
)
def test_a_refused_record_has_a_reason(match: Match, bob: User, transcript: Transcript | bytes, code: str) -> None:
    row = send(match, transcript, bob)
    assert (row.standing, why(row)) == (Standing.REFUSED, code)
    assert (match.state, match.results.count()) == (Match.State.OPEN, 0)


def test_a_start_score_must_be_the_same_and_on_the_right_side(
    bob_player: Player, carol_player: Player, bob: User
) -> None:
    late = match_between(bob_player, carol_player, length=3, start_score=(1, 0))
    assert why(send(late, played(), bob)) == "record_start"
    assert why(send(late, played(start=(0, 1)), bob)) == "record_start"
    assert send(late, played(start=(0, 1), players=("Carol", "Bob")), bob).standing == Standing.STANDS


def test_a_record_without_the_crawford_rule_does_not_fit(bob_player: Player, carol_player: Player, bob: User) -> None:
    match = match_between(bob_player, carol_player, length=3, crawford=False)
    with_a_crawford_game = next(
        record for record in map(played, range(1, 50)) if any(2 in (game.start or (0, 0)) for game in record.games)
    )
    assert why(send(match, with_a_crawford_game, bob)) == "record_crawford"


def test_a_record_against_the_other_sides_report_is_a_dispute(match: Match, bob: User, carol: User) -> None:
    reports.report_score(
        match=match, side=CAROL, report=reports.ScoreReport(CAROL, (1, 3)), by=Actor.of(carol), now=NOW
    )
    row = send(match, played(), bob)
    assert (row.standing, match.state, match.results.count()) == (Standing.REPORT, Match.State.DISPUTED, 0)


def test_a_record_that_corrects_its_senders_report_replaces_it(match: Match, bob: User) -> None:
    reports.report_score(match=match, side=BOB, report=reports.ScoreReport(BOB, (3, 1)), by=Actor.of(bob), now=NOW)
    reports.acknowledge(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
    send(match, played(), bob)
    first, second = match.claims.all()
    assert (first.state, second.state, second.score, second.seen_at) == ("withdrawn", "open", SCORE, None)


def test_a_record_that_agrees_with_its_senders_report_keeps_the_waiting_time(match: Match, bob: User) -> None:
    reports.report_score(match=match, side=BOB, report=reports.ScoreReport(BOB, (3, 0)), by=Actor.of(bob), now=NOW)
    reports.acknowledge(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
    send(match, played(), bob, at=minutes(5))
    report = match.claims.get(state="open")
    assert (report.submission is not None, report.stands_at) == (True, minutes(10))


def test_a_record_that_agrees_with_the_other_report_stands(match: Match, bob: User, carol: User) -> None:
    # Points beyond the length are often left out when people tell a score.
    reports.report_score(match=match, side=BOB, report=reports.ScoreReport(BOB, (3, 0)), by=Actor.of(bob), now=NOW)
    row = lost(match, played(), carol)
    assert (row.standing, match.claims.first().state) == (Standing.STANDS, "stands")


def test_a_dispute_stays_frozen_and_the_record_is_kept_for_the_director(match: Match, bob: User, alice: User) -> None:
    reports.report_score(match=match, side=BOB, report=reports.ScoreReport(BOB, (3, 1)), by=Actor.of(bob), now=NOW)
    reports.contest(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
    row = send(match, played(), bob)
    assert (why(row), match.state, match.results.count()) == ("record_disputed", Match.State.DISPUTED, 0)
    result = records.accept_by_ruling(
        submission=row, ruling=records.RecordRuling([]), by=Actor.of(alice), now=minutes(9)
    )
    row.refresh_from_db()
    assert (row.standing, result.winner, result.kind, result.user) == (Standing.STANDS, WINNER, "played", alice)


def test_a_record_that_agrees_is_added_to_a_settled_result(match: Match, bob: User, carol: User) -> None:
    reports.report_score(match=match, side=CAROL, report=reports.ScoreReport(BOB, (3, 0)), by=Actor.of(carol), now=NOW)
    reports.confirm(match=match, side=BOB, by=Actor.of(bob), now=NOW)
    send(match, played(), bob, at=minutes(5))
    assert list(match.results.order_by("version").values_list("version", "source", "score_0")) == [
        (1, "claim", 3),
        (2, "record", 4),
    ]
    assert match.finished_at == NOW


def test_a_record_does_not_overturn_a_settled_result(match: Match, bob: User) -> None:
    reports.report_score(
        match=match, side=CAROL, report=reports.ScoreReport(BOB, (3, 1)), by=Actor.link(CAROL), now=NOW
    )
    reports.confirm(match=match, side=BOB, by=Actor.link(BOB), now=NOW)
    row = send(match, played(), bob)
    assert (why(row), outcome(match)) == ("record_contradicts", (BOB, (3, 1), "played", "claim"))


def test_of_two_records_one_stands_and_the_other_is_refused(match: Match, bob: User, carol: User) -> None:
    lost(match, played(), carol)
    again = send(match, write(played(), "sgf"), bob)
    other = send(match, played(CAROL_WINS), carol, CAROL)
    assert (why(again), why(other)) == ("already_uploaded", "record_contradicts")
    assert match.results.count() == 1


def test_the_same_file_from_both_players_is_one_submission(match: Match, bob: User, carol: User) -> None:
    assert send(match, played(), bob) == send(match, played(), carol, CAROL)
    assert Submission.objects.count() == 1


def test_a_refused_record_is_judged_again_when_it_is_sent_again(match: Match, bob: User, alice: User) -> None:
    reports.report_score(match=match, side=BOB, report=reports.ScoreReport(BOB, (3, 1)), by=Actor.of(bob), now=NOW)
    reports.contest(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
    assert why(send(match, played(), bob)) == "record_disputed"
    entered, basis = ResultInput(BOB, (3, 0)), Basis(Result.Source.DIRECTOR)
    append_result(match, entered, basis, by=Actor.of(alice), now=minutes(5))
    row = send(match, played(), bob, at=minutes(6))
    assert row.standing == Standing.WAITING
    apply_verdict(submission_id=row.pk, now=minutes(6))
    row.refresh_from_db()
    assert row.standing == Standing.STANDS


def test_a_verdict_takes_effect_once_however_often_it_is_applied(match: Match, bob: User) -> None:
    row = send(match, played(), bob)
    reports.confirm(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
    assert apply_verdict(submission_id=row.pk, now=NOW) is None
    assert match.results.count() == 1


def test_no_record_can_be_sent_for_a_void_match(match: Match, bob: User) -> None:
    void(match)
    with pytest.raises(Refused) as refused:
        send(match, played(), bob)
    assert refused.value.code == "match_void"


def test_a_result_of_the_director_replaces_that_of_a_record(match: Match, bob: User, alice: User) -> None:
    row = send(match, played(), bob)
    ruling, basis = ResultInput(BOB, (3, 1), Result.Kind.RULING), Basis(Result.Source.DIRECTOR)
    append_result(match, ruling, basis, by=Actor.of(alice), now=minutes(5))
    row.refresh_from_db()
    assert why(row) == "record_replaced"


# Ruling


def with_impossible_dice() -> bytes:
    """The same match with an impossible first roll."""
    first, roll, rest = write(played(), "mat").decode().partition(" 1) ")
    return (first + roll + "77" + rest[2:]).encode()


def test_a_rejected_record_is_accepted_only_if_every_fault_is_waived(match: Match, bob: User, alice: User) -> None:
    row = send(match, with_impossible_dice(), bob)
    assert why(row) == "record_rejected"
    faults = records.faults_of(row)
    assert faults
    named = [fault.name for fault in faults]
    with pytest.raises(Refused) as refused:
        records.accept_by_ruling(submission=row, ruling=records.RecordRuling(named[1:]), by=Actor.of(alice), now=NOW)
    assert (refused.value.code, refused.value.params["missing"]) == ("findings_not_waived", [list(named[0])])
    result = records.accept_by_ruling(
        submission=row,
        ruling=records.RecordRuling(named, winner=BOB, score=(4, 0), reason="misread dice"),
        by=Actor.of(alice),
        now=NOW,
    )
    assert (result.kind, result.source, result.submission, result.reason) == ("ruling", "record", row, "misread dice")
    assert result.waived == [list(name) for name in named]


def test_a_record_of_another_length_is_accepted_by_ruling(match: Match, bob: User, alice: User) -> None:
    row = send(match, played(length=5), bob)
    assert [fault.code for fault in records.faults_of(row)] == ["record_length"]
    result = records.accept_by_ruling(
        submission=row, ruling=records.RecordRuling([("record_length", None, None)]), by=Actor.of(alice), now=NOW
    )
    assert result.submission == row
    assert result.waived == [["record_length", None, None]]


def test_a_record_of_unknown_names_and_one_of_no_match_are_not_accepted(match: Match, bob: User, alice: User) -> None:
    row = send(match, played(players=("left", "right")), bob)
    acts = {"ruling": records.RecordRuling([]), "by": Actor.of(alice), "now": NOW}
    with pytest.raises(Refused, match="record_names"):
        records.accept_by_ruling(submission=row, **acts)
    row.match = None
    with pytest.raises(Refused, match="record_of_no_match"):
        records.accept_by_ruling(submission=row, **acts)


def test_a_record_that_is_still_being_checked_is_not_accepted(match: Match, bob: User, alice: User) -> None:
    row = records.submit_for_match(
        match=match, side=BOB, file=RecordFile(b"anything", "paste"), by=Actor.of(bob), now=NOW
    ).submission
    with pytest.raises(Refused) as refused:
        records.accept_by_ruling(submission=row, ruling=records.RecordRuling([]), by=Actor.of(alice), now=NOW)
    assert refused.value.code == "record_unchecked"


def test_settling_takes_few_queries(
    match: Match, bob: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    data = write(played(), "mat")
    row = records.submit_for_match(
        match=match, side=BOB, file=RecordFile(data, "upload"), by=Actor.of(bob), now=NOW
    ).submission
    with django_assert_max_num_queries(52):
        adjudicate_submission(submission_id=row.pk, now=NOW)
