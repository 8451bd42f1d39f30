"""Reports: the loser's is pending, the winner's waits, and two that differ make a dispute."""

from typing import Any

import pytest

from core.messages import sentence
from engine.errors import Refused
from matches.lifecycle.finish import Basis, ResultInput, append_result, standing_result
from matches.models import Claim, Match, Result
from matches.reporting import appointments, reports
from matches.reporting.reports import MAX_REPORTS, ScoreReport, accept_unanswered, report_from_sheet
from players.actors import SYSTEM, Actor
from players.models import LogEntry, Player, User
from tests.matches.cast import BOB, CAROL, NOW, match_between, minutes

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
State = Claim.State


@pytest.fixture
def bob_claims(match: Match, bob: User) -> Claim:
    """Bob reports that he won 7–5."""
    return reports.report_score(
        match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=NOW
    ).report


def say(match: Match, side: int, winner: int, score: tuple[int, int], **more: Any) -> Claim:
    return reports.report_score(
        match=match, side=side, report=reports.ScoreReport(winner, score), by=Actor.link(side), now=NOW, **more
    ).report


@pytest.fixture
def carol_lost(match: Match, carol: User) -> Claim:
    """Carol reports that she lost 5–7."""
    return reports.report_score(
        match=match, side=CAROL, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(carol), now=minutes(5)
    ).report


def test_the_losers_own_report_is_pending_for_two_minutes_and_then_stands(
    match: Match, carol_lost: Claim, carol: User, heard: list[int]
) -> None:
    match.refresh_from_db()
    assert (match.state, match.begun_at, carol_lost.stands_at) == (Match.State.CLAIMED, minutes(5), minutes(7))
    assert accept_unanswered(claim_id=carol_lost.pk, now=minutes(6.9)) is None
    result = accept_unanswered(claim_id=carol_lost.pk, now=minutes(7))
    assert result is not None
    assert (result.winner, result.score, result.kind, result.source) == (BOB, (7, 5), "played", "claim")
    assert result.user == carol
    match.refresh_from_db()
    carol_lost.refresh_from_db()
    assert (match.state, match.finished_at, match.unsettled) == (Match.State.SETTLED, minutes(7), True)
    assert (carol_lost.state, carol_lost.stood_unanswered) == (State.STANDS, False)


def test_the_losers_own_report_can_be_withdrawn_only_while_it_is_pending(
    match: Match, carol_lost: Claim, carol: User
) -> None:
    reports.withdraw_report(match=match, side=CAROL, by=Actor.of(carol), now=minutes(6))
    match.refresh_from_db()
    assert (match.state, match.begun_at) == (Match.State.OPEN, None)
    assert accept_unanswered(claim_id=carol_lost.pk, now=minutes(60)) is None
    again = say(match, CAROL, BOB, (7, 4))
    assert accept_unanswered(claim_id=again.pk, now=minutes(60)) is not None
    with pytest.raises(Refused) as refused:
        reports.withdraw_report(match=match, side=CAROL, by=Actor.of(carol), now=minutes(61))
    assert refused.value.code == "match_settled"


def test_the_winner_or_a_director_can_settle_the_losers_pending_report(
    match: Match, carol_lost: Claim, alice: User
) -> None:
    reports.confirm(match=match, side=BOB, by=Actor.link(BOB), now=minutes(5.5))
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED


def test_without_a_pending_time_the_losers_report_stands_at_once(match: Match, settings: Any) -> None:
    settings.OWN_LOSS_PENDING = 0
    say(match, CAROL, BOB, (7, 5))
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED


@pytest.mark.parametrize("contested", [True, False])
def test_a_dispute_can_be_conceded(match: Match, bob_claims: Claim, carol: User, contested: bool) -> None:
    if contested:
        reports.contest(match=match, side=CAROL, by=Actor.of(carol), now=minutes(1))
    else:
        say(match, CAROL, CAROL, (5, 7))
    reports.concede(match=match, side=CAROL, by=Actor.of(carol), now=minutes(2))
    result = standing_result(match)
    assert result is not None
    assert (result.winner, result.score, result.user) == (BOB, (7, 5), carol)
    bob_claims.refresh_from_db()
    assert bob_claims.state == State.STANDS


def test_only_another_report_in_dispute_can_be_conceded(match: Match, bob_claims: Claim, carol: User) -> None:
    with pytest.raises(Refused) as refused:
        reports.concede(match=match, side=CAROL, by=Actor.of(carol), now=minutes(1))
    assert refused.value.code == "nothing_to_concede"
    reports.contest(match=match, side=CAROL, by=Actor.of(carol), now=minutes(1))
    with pytest.raises(Refused) as refused:
        reports.concede(match=match, side=BOB, by=Actor.link(BOB), now=minutes(2))
    assert refused.value.code == "nothing_to_concede"


def test_players_cannot_report_points_beyond_the_length(bob_player: Player, carol_player: Player) -> None:
    match = match_between(bob_player, carol_player, length=5)
    with pytest.raises(Refused) as refused:
        say(match, BOB, BOB, (8, 3))
    assert (refused.value.code, refused.value.params) == ("score_above_length", {"length": 5, "left": 5, "right": 3})
    assert sentence(refused.value.code, refused.value.params).endswith("Did you mean 5–3?")


def test_the_winners_report_waits_for_the_loser(match: Match, bob_claims: Claim) -> None:
    match.refresh_from_db()
    assert (match.state, standing_result(match)) == (Match.State.CLAIMED, None)
    assert (bob_claims.state, bob_claims.stands_at) == (State.OPEN, None)


def test_a_confirmed_report_stands(match: Match, bob_claims: Claim, carol: User) -> None:
    confirmed = reports.confirm(match=match, side=CAROL, by=Actor.of(carol), now=minutes(1))
    match.refresh_from_db()
    assert (confirmed.state, match.state) == (State.STANDS, Match.State.SETTLED)
    assert match.results.get().user == carol


def test_players_cannot_confirm_their_own_report(match: Match, bob_claims: Claim, bob: User) -> None:
    with pytest.raises(Refused, match="nothing_claimed"):
        reports.confirm(match=match, side=BOB, by=Actor.of(bob), now=minutes(1))


def test_two_equal_reports_stand(match: Match, bob_claims: Claim) -> None:
    say(match, CAROL, BOB, (7, 5))
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    assert [claim.state for claim in match.claims.all()] == [State.STANDS, State.STANDS]
    assert match.results.count() == 1


@pytest.mark.parametrize(("winner", "score"), [(CAROL, (5, 7)), (BOB, (7, 3))])
def test_two_different_reports_make_a_dispute(
    match: Match, bob_claims: Claim, winner: int, score: tuple[int, int]
) -> None:
    say(match, CAROL, winner, score)
    match.refresh_from_db()
    assert match.state == Match.State.DISPUTED
    assert [claim.state for claim in match.claims.all()] == [State.CONTESTED, State.CONTESTED]
    assert not match.results.exists()


def test_a_dispute_is_frozen_until_a_director_rules(match: Match, bob_claims: Claim, alice: User) -> None:
    say(match, CAROL, CAROL, (5, 7))
    for act in (reports.confirm, reports.contest, reports.withdraw_report):
        with pytest.raises(Refused) as refused:
            act(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
        assert refused.value.code == "match_disputed"
    match.refresh_from_db()
    ruling, basis = ResultInput(CAROL, (5, 7), Result.Kind.RULING), Basis(Result.Source.DIRECTOR)
    append_result(match, ruling, basis, by=Actor.of(alice), now=minutes(9))
    assert [claim.state for claim in match.claims.all()] == [State.OVERRULED, State.STANDS]


def test_a_contested_report_makes_a_dispute_and_keeps_the_note(match: Match, bob_claims: Claim, carol: User) -> None:
    reports.contest(match=match, side=CAROL, by=Actor.of(carol), now=minutes(1), note="We stopped at 6–5.")
    match.refresh_from_db()
    bob_claims.refresh_from_db()
    assert match.state == Match.State.DISPUTED
    assert (bob_claims.state, bob_claims.answer_note) == (State.CONTESTED, "We stopped at 6–5.")


def test_a_report_can_be_withdrawn_and_sent_again(match: Match, bob_claims: Claim, bob: User) -> None:
    with pytest.raises(Refused) as refused:
        say(match, BOB, BOB, (7, 3))
    assert refused.value.code == "claim_open"
    reports.withdraw_report(match=match, side=BOB, by=Actor.of(bob), now=minutes(1))
    match.refresh_from_db()
    assert match.state == Match.State.OPEN
    say(match, BOB, BOB, (7, 3))
    match.refresh_from_db()
    assert match.state == Match.State.CLAIMED


def test_a_stale_write_is_refused(match: Match, bob_claims: Claim) -> None:
    for act in (reports.confirm, reports.contest):
        with pytest.raises(Refused) as refused:
            act(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW, after=0)
        assert (refused.value.code, refused.value.params["seq"]) == ("stale", 1)
    with pytest.raises(Refused, match="stale"):
        say(match, CAROL, BOB, (7, 3), after=0)


def test_a_repeated_key_returns_the_first_report(match: Match) -> None:
    first = say(match, BOB, BOB, (7, 5), after=0, key="k1")
    again = say(match, BOB, BOB, (7, 5), after=0, key="k1")
    assert again == first
    with pytest.raises(Refused) as refused:
        say(match, BOB, BOB, (7, 3), after=0, key="k1")
    assert refused.value.code == "key_reused"
    for _ in range(2):
        confirmed = reports.confirm(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW, after=1, key="k2")
        assert confirmed == first
    assert match.results.count() == 1


def test_nothing_can_be_reported_once_a_result_stands(match: Match, bob_claims: Claim) -> None:
    reports.confirm(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
    with pytest.raises(Refused) as refused:
        say(match, CAROL, CAROL, (5, 7))
    assert refused.value.code == "match_settled"


@pytest.mark.parametrize(
    ("winner", "score", "code"),
    [
        (BOB, (6, 5), "result_not_reached"),
        (BOB, (7, 7), "result_both_reached"),
        (BOB, (5, 7), "result_loser_leads"),
        (2, (7, 5), "result_winner_missing"),
        (BOB, (99999, 5), "result_too_high"),
    ],
)
def test_an_impossible_score_is_refused(match: Match, winner: int, score: tuple[int, int], code: str) -> None:
    with pytest.raises(Refused) as refused:
        say(match, BOB, winner, score)
    assert refused.value.code == code
    assert not match.claims.exists()


# The sheet: it names the match, not who holds it


def from_sheet(match: Match, winner: int, score: tuple[int, int], says_side: int | None = BOB) -> Claim:
    by = Actor(LogEntry.By.LINK)
    return report_from_sheet(match=match, says_side=says_side, report=ScoreReport(winner, score), by=by, now=NOW).report


def test_a_report_from_the_sheet_belongs_to_no_side_and_never_stands(match: Match) -> None:
    report = from_sheet(match, BOB, (7, 5))
    match.refresh_from_db()
    assert (report.side, report.says_side, match.state, match.begun_at) == (None, BOB, Match.State.OPEN, None)
    assert accept_unanswered(claim_id=report.pk, now=minutes(100_000)) is None
    assert from_sheet(match, BOB, (7, 5)) == report
    assert not match.results.exists()


def test_reports_from_the_sheet_never_make_a_dispute(match: Match) -> None:
    first = from_sheet(match, BOB, (7, 5))
    from_sheet(match, CAROL, (5, 7), says_side=CAROL)
    match.refresh_from_db()
    first.refresh_from_db()
    assert (match.state, first.state) == (Match.State.OPEN, State.OVERRULED)


def test_a_report_from_the_sheet_is_overruled_by_a_signed_one(match: Match) -> None:
    unsigned = from_sheet(match, BOB, (7, 5))
    signed = say(match, CAROL, CAROL, (5, 7))
    unsigned.refresh_from_db()
    match.refresh_from_db()
    assert (unsigned.state, signed.state, match.state) == (State.OVERRULED, State.OPEN, Match.State.CLAIMED)
    with pytest.raises(Refused) as refused:
        from_sheet(match, BOB, (7, 5))
    assert refused.value.code == "signed_report_first"


def test_a_director_confirms_a_report_from_the_sheet(match: Match, alice: User) -> None:
    unsigned = from_sheet(match, BOB, (7, 5))
    match.refresh_from_db()
    entered, basis = ResultInput(BOB, (7, 5)), Basis(Result.Source.DIRECTOR)
    append_result(match, entered, basis, by=Actor.of(alice), now=minutes(9))
    unsigned.refresh_from_db()
    assert unsigned.state == State.STANDS


def test_the_number_of_reports_from_the_sheet_is_limited(match: Match) -> None:
    for points in range(MAX_REPORTS):
        from_sheet(match, points % 2, (7, points % 7) if points % 2 == 0 else (points % 7, 7))
    with pytest.raises(Refused) as refused:
        from_sheet(match, BOB, (7, 0), says_side=None)
    assert refused.value.code == "too_many_sheet_reports"


# Time


def see(match: Match, at: float) -> None:
    """Carol acknowledges Bob's report."""
    reports.acknowledge(match=match, side=CAROL, by=Actor.link(CAROL), now=minutes(at))


def test_an_unanswered_report_stands_after_its_waiting_time(match: Match, bob_claims: Claim) -> None:
    see(match, 1)
    see(match, 8)
    bob_claims.refresh_from_db()
    assert (bob_claims.seen_at, bob_claims.stands_at) == (minutes(1), minutes(11))
    assert accept_unanswered(claim_id=bob_claims.pk, now=minutes(10.9)) is None
    result = accept_unanswered(claim_id=bob_claims.pk, now=minutes(11))
    assert result is not None
    assert (result.winner, result.score, result.by) == (BOB, (7, 5), "system")
    assert accept_unanswered(claim_id=bob_claims.pk, now=minutes(12)) is None
    assert match.results.count() == 1
    bob_claims.refresh_from_db()
    assert bob_claims.stood_unanswered


def test_a_report_that_nobody_has_seen_never_stands_by_itself(match: Match, bob_claims: Claim) -> None:
    assert accept_unanswered(claim_id=bob_claims.pk, now=minutes(100_000)) is None
    assert not match.results.exists()


def test_a_contested_report_does_not_stand_by_itself(match: Match, bob_claims: Claim) -> None:
    see(match, 0)
    reports.contest(match=match, side=CAROL, by=Actor.link(CAROL), now=minutes(1))
    assert accept_unanswered(claim_id=bob_claims.pk, now=minutes(60)) is None


def test_any_action_of_a_side_counts_as_having_seen_the_report(match: Match, bob_claims: Claim) -> None:
    later = [minutes(10_000)]
    appointments.propose(match=match, side=BOB, offer=appointments.Dates(later), by=Actor.link(BOB), now=minutes(2))
    bob_claims.refresh_from_db()
    assert bob_claims.seen_at is None
    appointments.propose(match=match, side=CAROL, offer=appointments.Dates(later), by=Actor.link(CAROL), now=minutes(3))
    bob_claims.refresh_from_db()
    assert bob_claims.seen_at == minutes(3)


def test_every_step_is_logged(match: Match, bob_claims: Claim, bob: User) -> None:
    reports.withdraw_report(match=match, side=BOB, by=Actor.of(bob), now=NOW)
    say(match, CAROL, BOB, (7, 5))
    verbs = list(LogEntry.objects.filter(topic=match.topic).order_by("pk").values_list("verb", flat=True))
    assert verbs == ["match_opened", "claimed", "claim_withdrawn", "claimed"]
    assert LogEntry.objects.get(verb="match_opened").by == SYSTEM.kind
