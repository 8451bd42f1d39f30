"""One tap confirms every unopposed report, and leaves out what is not for this director or not unopposed."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from matches.lifecycle.finish import ResultInput
from matches.models import Claim, Match, Result, Submission
from matches.reporting import reports
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.event_cast import NOON
from tests.tournaments.support.swiss_rounds import is_clean
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Fixture
from tournaments.results import services as results
from tournaments.results.services import Confirmation, confirm_all, open_reports

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def division(make_division: Callable[..., Division], club: Club, by_alice: Actor) -> Division:
    """Eight who are drawn, Alice, the director, among them; in every match side 0 says that it has won 7–3."""
    created = make_division()
    players = [Player.objects.get(name="Alice"), *(Player.objects.create(name=f"Player {n}") for n in range(7))]
    entries.enter(division=created, players=players, by=by_alice, now=NOON)
    events.publish_tournament(tournament=created.tournament, by=by_alice, now=NOON)
    draw = draws.request_draw(division=created, by=by_alice, now=NOON)
    draws.make_draft(draw_id=draw.pk, now=NOON)
    created.refresh_from_db()
    draws.publish_draw(division=created, after=created.seq, by=by_alice, now=NOON)
    for match in Match.objects.filter(parent_topic=created.topic):
        reports.report_score(
            match=match, side=0, report=reports.ScoreReport(0, (7, 3)), by=Actor.link(0), now=timezone.now()
        )
    return created


def confirm(division: Division, by: Actor, reports: set[str] | None = None) -> dict[int, Confirmation]:
    seen = set(Claim.objects.values_list("public_id", flat=True)) if reports is None else reports
    done = confirm_all(tournament=division.tournament, reports=seen, by=by, now=timezone.now())
    return {row.open_report.fixture.number: row for row in done}


def own_match(division: Division) -> int:
    """The number of Alice's match."""
    rows = Fixture.objects.filter(stage__division=division, match__isnull=False).select_related("match__player_0")
    return next(row.number for row in rows if row.match and "Alice" in [player.name for player in row.match.players])


def test_every_report_is_confirmed_except_in_the_directors_own_match(division: Division, by_alice: Actor) -> None:
    mine = own_match(division)
    done = confirm(division, by_alice)
    assert sorted(done) == [1, 2, 3, 4]
    assert {number: outcome.code for number, outcome in done.items() if outcome.code} == {mine: "own_match_reason"}
    assert Result.objects.count() == 3
    assert {result.score for result in Result.objects.all()} == {(7, 3)}
    assert Fixture.objects.filter(number__gt=4, match__isnull=False).exists(), "the bracket has moved on"
    assert is_clean(division)


def test_another_director_confirms_the_directors_own_match(
    division: Division, club: Club, by_alice: Actor, carol: User
) -> None:
    confirm(division, by_alice)
    helper = Player.objects.create(name="Carol", user=carol)
    Membership.objects.create(club=club, player=helper, role=Membership.Role.ASSISTANT)
    assert [outcome.code for outcome in confirm(division, by_alice).values()] == ["own_match"]
    assert [outcome.code for outcome in confirm(division, Actor.of(carol)).values()] == [""]
    assert Result.objects.count() == 4


def test_a_dispute_is_left_out_with_its_reason(division: Division, by_alice: Actor) -> None:
    number = next(number for number in (1, 2, 3, 4) if number != own_match(division))
    match = Fixture.objects.get(stage__division=division, number=number).match
    assert match is not None
    reports.contest(match=match, side=1, by=Actor.link(1), now=timezone.now())
    assert confirm(division, by_alice)[number].code == "confirm_disputed"
    assert not Result.objects.filter(match=match).exists()


def test_a_report_of_the_score_sheet_and_one_with_an_unchecked_record_wait(division: Division, by_alice: Actor) -> None:
    rows = [row for row in open_reports(division.tournament, by_alice) if row.report is not None]
    sheet, record = rows[0], rows[1]
    Claim.objects.filter(match=sheet.match).update(side=None)
    Submission.objects.create(match=record.match, data=b"x", size=1, standing=Submission.Standing.WAITING)
    done = confirm(division, by_alice)
    assert done[sheet.fixture.number].code == "confirm_unsigned"
    assert done[record.fixture.number].code == "confirm_record_waits"
    assert Result.objects.count() == 1


def test_a_report_that_came_in_since_is_not_confirmed(division: Division, by_alice: Actor) -> None:
    ready = [row for row in open_reports(division.tournament, by_alice) if row.report is not None]
    assert len(ready) == 3
    seen = {waiting.report.public_id for waiting in ready[:2] if waiting.report is not None}
    done = confirm(division, by_alice, seen)
    assert sum(not waiting.code for waiting in done.values()) == 2
    assert Result.objects.count() == 2


def test_a_second_tap_confirms_nothing_twice(division: Division, by_alice: Actor) -> None:
    confirm(division, by_alice)
    confirm(division, by_alice)
    assert Result.objects.count() == 3


def test_what_was_settled_meanwhile_stays_as_it_is(division: Division, by_alice: Actor) -> None:
    number = next(number for number in (1, 2, 3, 4) if number != own_match(division))
    fixture = Fixture.objects.select_related("stage").get(stage__division=division, number=number)
    results.enter_result(fixture=fixture, result=ResultInput(1, (2, 7)), by=by_alice, now=timezone.now())
    assert number not in confirm(division, by_alice)
    assert Result.objects.get(match=fixture.match).score == (2, 7)


def test_a_report_that_was_replaced_before_it_was_locked_waits_for_the_next_tap(
    division: Division, by_alice: Actor
) -> None:
    seen = next(row for row in open_reports(division.tournament, by_alice) if row.report is not None)
    assert seen.report is not None
    reports.withdraw_report(match=seen.match, side=0, by=Actor.link(0), now=timezone.now())
    reports.report_score(
        match=seen.match, side=0, report=reports.ScoreReport(0, (7, 5)), by=Actor.link(0), now=timezone.now()
    )

    assert results._confirm(seen, by_alice, timezone.now()).code == "confirm_changed"
    assert not Result.objects.filter(match=seen.match).exists()
