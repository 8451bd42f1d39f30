"""Claims: the loser's stands, the winner's waits, two different ones are a dispute."""

from typing import Any

import pytest

from engine.errors import Refused
from matches.models import Claim, Match, Result
from matches.services import claims
from matches.services.finish import append_result, standing_result
from players.actors import SYSTEM, Actor
from players.models import LogEntry, User
from tests.matches.reporting.cast import BOB, CAROL, NOW, minutes

pytestmark = pytest.mark.django_db
State = Claim.State


@pytest.fixture
def bob_claims(match: Match, bob: User) -> Claim:
    """Bob says that he won 7–5."""
    return claims.claim(match=match, side=BOB, winner=BOB, score=(7, 5), by=Actor.of(bob), now=NOW).claim


def say(match: Match, side: int | None, winner: int, score: tuple[int, int], **more: Any) -> Claim:
    by = Actor.link(side) if side is not None else Actor(LogEntry.By.LINK)
    return claims.claim(match=match, side=side, winner=winner, score=score, by=by, now=NOW, **more).claim


def test_the_losers_own_claim_stands_at_once(match: Match, carol: User, heard: list[int]) -> None:
    claim = claims.claim(match=match, side=CAROL, winner=BOB, score=(7, 5), by=Actor.of(carol), now=minutes(5)).claim
    match.refresh_from_db()
    result = standing_result(match)
    assert result is not None
    assert (result.winner, result.score, result.kind, result.source) == (BOB, (7, 5), "played", "claim")
    assert (match.state, match.finished_at, match.unsettled, match.begun_at) == (
        Match.State.SETTLED,
        minutes(5),
        True,
        minutes(5),
    )
    assert claim.state == State.STANDS
    assert result.user == carol


def test_the_winners_claim_waits_for_the_loser(match: Match, bob_claims: Claim) -> None:
    match.refresh_from_db()
    assert (match.state, standing_result(match)) == (Match.State.CLAIMED, None)
    assert (bob_claims.state, bob_claims.stands_at) == (State.OPEN, None)


def test_a_confirmed_claim_stands(match: Match, bob_claims: Claim, carol: User) -> None:
    confirmed = claims.confirm(match=match, side=CAROL, by=Actor.of(carol), now=minutes(1))
    match.refresh_from_db()
    assert (confirmed.state, match.state) == (State.STANDS, Match.State.SETTLED)
    assert match.results.get().user == carol


def test_nobody_confirms_his_own_claim(match: Match, bob_claims: Claim, bob: User) -> None:
    with pytest.raises(Refused, match="nothing_claimed"):
        claims.confirm(match=match, side=BOB, by=Actor.of(bob), now=minutes(1))


def test_two_equal_claims_stand(match: Match, bob_claims: Claim) -> None:
    say(match, CAROL, BOB, (7, 5))
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    assert [claim.state for claim in match.claims.all()] == [State.STANDS, State.STANDS]
    assert match.results.count() == 1


@pytest.mark.parametrize(("winner", "score"), [(CAROL, (5, 7)), (BOB, (7, 3))])
def test_two_different_claims_are_a_dispute(
    match: Match, bob_claims: Claim, winner: int, score: tuple[int, int]
) -> None:
    say(match, CAROL, winner, score)
    match.refresh_from_db()
    assert match.state == Match.State.DISPUTED
    assert [claim.state for claim in match.claims.all()] == [State.CONTESTED, State.CONTESTED]
    assert not match.results.exists()


def test_a_dispute_is_frozen_until_a_director_rules(match: Match, bob_claims: Claim, alice: User) -> None:
    say(match, CAROL, CAROL, (5, 7))
    for act in (claims.confirm, claims.contest, claims.withdraw_claim):
        with pytest.raises(Refused) as refused:
            act(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
        assert refused.value.code == "match_disputed"
    match.refresh_from_db()
    ruling = {"winner": CAROL, "score": (5, 7), "kind": Result.Kind.RULING, "source": Result.Source.DIRECTOR}
    append_result(match, **ruling, by=Actor.of(alice), now=minutes(9))
    assert [claim.state for claim in match.claims.all()] == [State.OVERRULED, State.STANDS]


def test_a_contested_claim_is_a_dispute_and_keeps_what_was_said(match: Match, bob_claims: Claim, carol: User) -> None:
    claims.contest(match=match, side=CAROL, by=Actor.of(carol), now=minutes(1), note="We stopped at 6–5.")
    match.refresh_from_db()
    bob_claims.refresh_from_db()
    assert match.state == Match.State.DISPUTED
    assert (bob_claims.state, bob_claims.answer_note) == (State.CONTESTED, "We stopped at 6–5.")


def test_a_claim_can_be_taken_back_and_made_anew(match: Match, bob_claims: Claim, bob: User) -> None:
    with pytest.raises(Refused) as refused:
        say(match, BOB, BOB, (7, 3))
    assert refused.value.code == "claim_open"
    claims.withdraw_claim(match=match, side=BOB, by=Actor.of(bob), now=minutes(1))
    match.refresh_from_db()
    assert match.state == Match.State.OPEN
    say(match, BOB, BOB, (7, 3))
    match.refresh_from_db()
    assert match.state == Match.State.CLAIMED


def test_whoever_has_not_seen_the_latest_is_told_so(match: Match, bob_claims: Claim) -> None:
    for act in (claims.confirm, claims.contest):
        with pytest.raises(Refused) as refused:
            act(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW, after=0)
        assert (refused.value.code, refused.value.params["seq"]) == ("stale", 1)
    with pytest.raises(Refused, match="stale"):
        say(match, CAROL, BOB, (7, 3), after=0)


def test_a_repeated_key_gives_the_first_answer_again(match: Match) -> None:
    first = say(match, BOB, BOB, (7, 5), after=0, key="k1")
    again = say(match, BOB, BOB, (7, 5), after=0, key="k1")
    assert again == first
    with pytest.raises(Refused) as refused:
        say(match, BOB, BOB, (7, 3), after=0, key="k1")
    assert refused.value.code == "key_reused"
    for _ in range(2):
        confirmed = claims.confirm(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW, after=1, key="k2")
        assert confirmed == first
    assert match.results.count() == 1


def test_nothing_is_claimed_once_a_result_stands(match: Match, bob_claims: Claim) -> None:
    claims.confirm(match=match, side=CAROL, by=Actor.link(CAROL), now=NOW)
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
def test_a_score_that_cannot_be_is_refused(match: Match, winner: int, score: tuple[int, int], code: str) -> None:
    with pytest.raises(Refused) as refused:
        say(match, BOB, winner, score)
    assert refused.value.code == code
    assert not match.claims.exists()


# The sheet: it names the match, not who holds it


def test_a_claim_from_the_sheet_never_stands_at_once(match: Match) -> None:
    claim = say(match, None, BOB, (7, 5))
    match.refresh_from_db()
    assert (claim.side, match.state) == (BOB, Match.State.CLAIMED)


def test_a_sheet_cannot_confirm_what_it_claimed(match: Match) -> None:
    first = say(match, None, BOB, (7, 5))
    assert say(match, None, BOB, (7, 5)) == first
    match.refresh_from_db()
    assert match.state == Match.State.CLAIMED
    say(match, CAROL, BOB, (7, 5))
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED


# Time


def test_an_unanswered_claim_stands_when_its_time_has_run_out(match: Match, bob_claims: Claim) -> None:
    claims.told(claim_id=bob_claims.pk, now=minutes(1))
    bob_claims.refresh_from_db()
    assert bob_claims.stands_at == minutes(11)
    assert claims.stand_unanswered(claim_id=bob_claims.pk, now=minutes(10.9)) is None
    result = claims.stand_unanswered(claim_id=bob_claims.pk, now=minutes(11))
    assert result is not None
    assert (result.winner, result.score, result.by) == (BOB, (7, 5), "system")
    assert claims.stand_unanswered(claim_id=bob_claims.pk, now=minutes(12)) is None
    assert match.results.count() == 1


def test_a_claim_of_which_nobody_was_told_never_stands_by_itself(match: Match, bob_claims: Claim) -> None:
    assert claims.stand_unanswered(claim_id=bob_claims.pk, now=minutes(100_000)) is None
    assert not match.results.exists()


def test_a_contested_claim_does_not_stand_by_itself(match: Match, bob_claims: Claim) -> None:
    claims.told(claim_id=bob_claims.pk, now=NOW)
    claims.contest(match=match, side=CAROL, by=Actor.link(CAROL), now=minutes(1))
    assert claims.stand_unanswered(claim_id=bob_claims.pk, now=minutes(60)) is None


def test_opening_the_personal_link_counts_as_being_told(match: Match, bob_claims: Claim) -> None:
    claims.reach(match=match, side=CAROL, now=minutes(3))
    bob_claims.refresh_from_db()
    match.refresh_from_db()
    assert (bob_claims.notified_at, bob_claims.stands_at, match.reached_1) == (minutes(3), minutes(13), minutes(3))
    claims.reach(match=match, side=CAROL, now=minutes(8))
    bob_claims.refresh_from_db()
    assert bob_claims.stands_at == minutes(13)


def test_whoever_opened_his_link_before_is_told_at_once(match: Match) -> None:
    claims.reach(match=match, side=CAROL, now=NOW)
    match.refresh_from_db()
    claim = say(match, BOB, BOB, (7, 5))
    assert claim.stands_at == minutes(10)


def test_every_step_is_in_the_log(match: Match, bob_claims: Claim, bob: User) -> None:
    claims.withdraw_claim(match=match, side=BOB, by=Actor.of(bob), now=NOW)
    say(match, CAROL, BOB, (7, 5))
    verbs = list(LogEntry.objects.filter(topic=match.topic).order_by("pk").values_list("verb", flat=True))
    assert verbs == ["match_opened", "claimed", "claim_withdrawn", "claimed", "result_appended"]
    assert LogEntry.objects.get(verb="match_opened").by == SYSTEM.kind
