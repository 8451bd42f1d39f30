"""A provisional result: who knows of it, how it ends, and what Carol, whom it goes against, can do."""

from datetime import timedelta

import pytest
from django.test import Client

from engine.errors import Refused
from matches.lifecycle import finality, links
from matches.lifecycle.finality import FinalityFacts, Why
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.provisional import end_due, provisional_of
from matches.lifecycle.voiding import reinstate_matches, void_matches
from matches.models import Match, Objection, Provisional, Result
from matches.play.chat.services import ChatReader, write
from matches.play.starting import PlaySettings, start
from matches.records.submissions import RecordFile
from matches.reporting import deadlines, objections, reports
from matches.reporting.records import submit_for_match
from players.actors import SYSTEM, Actor
from players.models import Club, Notification, Player, User
from tests.matches.cast import BOB, CAROL, NOW, match_between, minutes
from tests.matches.records.samples import simulated

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
Kind, Source, Finality = Result.Kind, Result.Source, Result.Finality
BOTH = frozenset({BOB, CAROL})


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (FinalityFacts(BOB, Source.CLAIM, Kind.PLAYED, frozenset({CAROL})), None),
        (FinalityFacts(BOB, Source.CLAIM, Kind.PLAYED, BOTH), None),
        (FinalityFacts(BOB, Source.CLAIM, Kind.PLAYED, frozenset({BOB})), Why.REPORT),
        (FinalityFacts(BOB, Source.CLAIM, Kind.PLAYED, frozenset({BOB}), was_silent=True), None),
        (FinalityFacts(BOB, Source.CLAIM, Kind.FORFEIT, frozenset({BOB})), Why.NO_SHOW),
        (FinalityFacts(BOB, Source.RECORD, Kind.PLAYED, frozenset({BOB})), Why.RECORD),
        (FinalityFacts(BOB, Source.LIVE, Kind.FLAG, frozenset({BOB})), Why.UNPLAYED),
        (FinalityFacts(BOB, Source.LIVE, Kind.FLAG, BOTH), None),
        (FinalityFacts(BOB, Source.LIVE, Kind.RULING, is_ruled=True), None),
        (FinalityFacts(BOB, Source.DIRECTOR, Kind.PLAYED, frozenset({BOB})), Why.OWN_MATCH),
        (FinalityFacts(BOB, Source.DIRECTOR, Kind.PLAYED, is_ruled=True), None),
        (FinalityFacts(None, Source.DEADLINE, Kind.DOUBLE_FORFEIT), Why.DEADLINE),
        (FinalityFacts(None, Source.DEADLINE, Kind.DOUBLE_FORFEIT, frozenset({CAROL})), Why.DEADLINE),
        (FinalityFacts(None, Source.DEADLINE, Kind.DOUBLE_FORFEIT, BOTH), None),
        (FinalityFacts(BOB, Source.FORMAT, Kind.WALKOVER), None),
    ],
)
def test_the_law(facts: FinalityFacts, why: Why | None) -> None:
    assert finality.why_provisional(facts) == why


@pytest.fixture
def decided(match: Match) -> Match:
    """A match that Bob won, as a deadline decided."""
    return by_deadline(match)


def by_deadline(match: Match) -> Match:
    outcome = ResultInput(BOB, kind=Kind.FORFEIT)
    append_result(match, outcome, Basis(Source.DEADLINE), by=SYSTEM, now=NOW)
    return Match.objects.get(pk=match.pk)


def row_of(match: Match) -> Provisional:
    return Provisional.objects.select_related("result").get(result__match=match, ended_at=None)


def told(match: Match) -> bool:
    return row_of(match).told_1 is not None


def finality_of(match: Match) -> str:
    return match.results.order_by("-version")[0].finality


def path(match: Match, side: int | None, *rest: str) -> str:
    return "/".join(["/m", links.token_for(match, side), *rest, ""])


def test_only_an_act_tells_a_side(decided: Match, carol: User) -> None:
    client = Client()
    for _ in range(3):
        page = client.get(path(decided, CAROL)).content.decode()
    assert "data-provisional" in page
    client.force_login(carol)
    client.get(f"/matches/{decided.public_id}/")
    client.head(path(decided, CAROL))
    assert not told(decided)
    assert row_of(decided).ends_at is None
    page = client.post(path(decided, CAROL, "seen"), {"after": decided.seq}, follow=True).content.decode()
    assert told(decided)
    assert "unless somebody objects" in page


def test_the_side_that_it_goes_for_cannot_tell_the_other(decided: Match) -> None:
    reports.acknowledge(match=decided, side=BOB, by=Actor.link(BOB), now=minutes(1))
    assert row_of(decided).ends_at is None
    with pytest.raises(Refused, match="match_settled"):
        reports.confirm(match=decided, side=BOB, by=Actor.link(BOB), now=minutes(1))
    deadlines.end_due_results(now=NOW + timedelta(days=1000))
    assert finality_of(decided) == Finality.PROVISIONAL


def test_sending_a_record_and_writing_in_the_chat_are_acts(
    match: Match, bob_player: Player, carol_player: Player
) -> None:
    first = by_deadline(match)
    file = RecordFile(simulated(), "upload")
    submit_for_match(match=first, side=CAROL, file=file, by=Actor.link(CAROL), now=minutes(1))
    assert told(first)
    second = match_between(bob_player, carol_player, club=match.club)
    start(match=second, settings=PlaySettings(), by=SYSTEM, now=NOW)
    second.refresh_from_db()
    append_result(second, ResultInput(BOB, (0, 0), Kind.FLAG), Basis(Source.LIVE), by=SYSTEM, now=NOW)
    reader = ChatReader(second, CAROL, None, is_insider=True)
    write(reader=reader, room="players", phrase="thanks", text="", now=minutes(1))
    assert told(second)


def test_its_time_runs_from_when_the_side_was_told(decided: Match) -> None:
    reports.acknowledge(match=decided, side=CAROL, by=Actor.link(CAROL), now=minutes(90))
    assert row_of(decided).ends_at == minutes(100)
    reports.acknowledge(match=decided, side=CAROL, by=Actor.link(CAROL), now=minutes(95))
    assert row_of(decided).ends_at == minutes(100), "told once"
    assert deadlines.end_due_results(now=minutes(100)) == 0
    assert deadlines.end_due_results(now=minutes(101)) == 1
    ended = Provisional.objects.get()
    assert (ended.end, finality_of(decided)) == (Provisional.End.SILENCE, Finality.FINAL)
    with pytest.raises(Refused, match="nothing_to_object_to"):
        objections.object_to_result(match=decided, side=CAROL, reason="No.", by=Actor.link(CAROL), now=minutes(102))


def test_the_other_side_can_say_that_it_is_right(decided: Match) -> None:
    page = Client().post(path(decided, CAROL, "confirm"), {"after": decided.seq}, follow=True).content.decode()
    assert "data-provisional" not in page
    assert Provisional.objects.get().end == Provisional.End.ACCEPTED
    assert finality_of(decided) == Finality.FINAL


def test_it_can_be_objected_to_once_and_a_director_ends_it(decided: Match, alice: User) -> None:
    def object_() -> Objection:
        return objections.object_to_result(
            match=decided, side=CAROL, reason="We agreed on Sunday.", by=Actor.link(CAROL), now=minutes(1)
        )

    objection = object_()
    assert (objection.result, objection.claim) == (row_of(decided).result, None)
    with pytest.raises(Refused, match="objection_made"):
        object_()
    late = NOW + timedelta(days=100)
    deadlines.end_due_results(now=late)
    assert not end_due(provisional_id=row_of(decided).pk, now=late), "nor if it came while the sweep was running"
    assert finality_of(decided) == Finality.PROVISIONAL, "an objection stops the clock"
    objections.answer_objection(objection=objection, upheld=False, answer="No.", by=Actor.of(alice), now=minutes(2))
    assert Provisional.objects.get().end == Provisional.End.RULING


def test_a_correction_replaces_it_and_upholds_the_objection(decided: Match, alice: User) -> None:
    objection = objections.object_to_result(
        match=decided, side=CAROL, reason="We played.", by=Actor.link(CAROL), now=minutes(1)
    )
    basis = Basis(Source.DIRECTOR, reason="They played.")
    append_result(decided, ResultInput(CAROL, (3, 7)), basis, by=Actor.of(alice), now=minutes(2))
    objection.refresh_from_db()
    assert objection.state == Objection.State.UPHELD
    assert Provisional.objects.get().end == Provisional.End.REPLACED
    assert provisional_of(Match.objects.get(pk=decided.pk)) is None


def test_a_void_match_keeps_its_provisional_result_for_later(decided: Match, club: Club) -> None:
    void_matches({decided: True}, club=club, by=SYSTEM, now=minutes(1))
    assert not Match.objects.get(pk=decided.pk).provisional
    assert deadlines.end_due_results(now=NOW + timedelta(days=9)) == 0
    reinstate_matches([Match.objects.get(pk=decided.pk)], club=club, by=SYSTEM, now=minutes(2))
    again = Match.objects.get(pk=decided.pk)
    assert (again.provisional, finality_of(again)) == (True, Finality.PROVISIONAL)
    assert row_of(again).result.version == 3


def test_who_lost_is_sent_a_message_once(decided: Match, carol: User) -> None:
    assert [deadlines.notify_of_results(now=minutes(1)) for _ in range(2)] == [1, 0]
    note = Notification.objects.get(kind="provisional")
    assert note.user == carol


def test_in_a_match_of_no_club_it_ends_by_itself_and_unrated_unless_the_other_side_was_told(
    bob_player: Player, carol_player: Player
) -> None:
    for side, end in ((None, Provisional.End.NOBODY), (CAROL, Provisional.End.SILENCE)):
        friendly = by_deadline(match_between(bob_player, carol_player, club=None, parent_topic=""))
        if side is not None:
            reports.acknowledge(match=friendly, side=side, by=Actor.link(side), now=minutes(1))
        deadlines.end_due_results(now=minutes(12))
        assert Provisional.objects.get(result__match=friendly).end == end
