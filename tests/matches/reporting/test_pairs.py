"""Bob & Eva against Carol & Dave: either partner acts for the side, and it is known who did."""

import pytest
from django.core.signing import BadSignature
from django.db import transaction
from django.http import Http404
from django.test import Client

from core.messages import sentence
from engine.errors import Refused
from matches.access import MatchSeat, match_for_link, match_for_player
from matches.lifecycle import links
from matches.lifecycle.own_match import OwnMatchRuling, own_match_ruling, side_of
from matches.models import Match, Result
from matches.presentation.visibility import Viewer
from matches.reporting import appointments, objections, reports
from matches.reporting.links import revoke_link
from matches.reporting.my_matches import my_matches
from matches.reporting.notifications import personal_link
from matches.reporting.reports import ScoreReport, accept_unanswered
from players.actors import Actor
from players.models import Club, LogEntry, Membership, Notification, Player, User
from players.notifications.kinds import texts_of
from players.people.pairs import pair_of
from players.people.rows import ids_of
from players.people.services import merge_players
from tests.matches.cast import NOW, Role, join, match_between, minutes, player_of

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
FIRST, SECOND = 0, 1
"""The sides: Bob & Eva, and Carol & Dave."""


@pytest.fixture
def eva(club: Club) -> Player:
    """Eva, whom the club has entered; she has no account."""
    player = Player.objects.create(name="Eva Hall")
    join(club, player)
    return player


@pytest.fixture
def match(bob_player: Player, eva: Player, carol_player: Player, dave: User, club: Club) -> Match:
    with transaction.atomic():
        sides = pair_of(bob_player, eva), pair_of(carol_player, player_of(dave))
    return match_between(*sides, club=club, rated=False)


def by_account(match: Match, user: User) -> MatchSeat:
    return match_for_player(user, match.public_id)


def by_link(match: Match, side: int, *, second: bool = False) -> MatchSeat:
    return match_for_link(links.token_for(match, side, second=second))


def report(seat: MatchSeat, winner: int, score: tuple[int, int], after: int | None = None) -> reports.StoredReport:
    assert seat.side is not None
    return reports.report_score(
        match=seat.match, side=seat.side, report=ScoreReport(winner, score), by=seat.by, now=NOW, after=after
    )


def confirm(seat: MatchSeat) -> None:
    assert seat.side is not None
    reports.confirm(match=seat.match, side=seat.side, by=seat.by, now=minutes(1))


def told(user: User) -> list[str]:
    return [text.sentence for text in texts_of(list(Notification.objects.filter(user=user, kind="for_both")))]


def test_either_partner_has_the_seat_of_the_side_by_account_or_link(
    match: Match, bob: User, eva: Player, dave: User, alice: User
) -> None:
    assert [(seat.side, seat.by.person) for seat in (by_account(match, bob), by_account(match, dave))] == [
        (FIRST, bob.player.pk),
        (SECOND, dave.player.pk),
    ]
    assert [by_link(match, FIRST, second=second).by.person for second in (False, True)] == [bob.player.pk, eva.pk]
    with pytest.raises(Http404):
        by_account(match, alice)
    assert (side_of(match, Actor.of(dave)), side_of(match, Actor.of(alice))) == (SECOND, None)


def test_a_player_alone_has_no_link_of_a_second(bob_player: Player, carol_player: Player, club: Club) -> None:
    alone = match_between(bob_player, carol_player, club=club)
    with pytest.raises(Http404):
        by_link(alone, FIRST, second=True)


def test_the_same_generation_ends_the_links_of_both(match: Match, alice: User) -> None:
    tokens = [links.token_for(match, FIRST, second=second) for second in (False, True)]
    assert len({*tokens}) == 2
    revoke_link(match=match, side=FIRST, generation=0, by=Actor.of(alice))
    match.refresh_from_db()
    for token in tokens:
        with pytest.raises(BadSignature):
            links.side_of(token, match)
    assert [Client().get(f"/m/{token}/").status_code for token in tokens] == [404, 404]
    assert by_link(match, FIRST, second=True).side == FIRST


def test_a_partner_confirms_and_the_log_the_page_and_the_other_know_who_it_was(
    match: Match, carol: User, dave: User
) -> None:
    report(by_link(match, FIRST, second=True), FIRST, (7, 4))
    confirm(by_account(match, dave))
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    person = {row.verb: row.params.get("person") for row in LogEntry.objects.filter(topic=match.topic)}
    assert person["claim_confirmed"] == dave.player.pk
    page = Client().get(f"/matches/{match.public_id}/").content.decode()
    assert "Eva Hall reported 7–4 for Bob &amp; Eva Hall." in page
    assert "Dave confirmed 7–4 for Carol &amp; Dave." in page
    assert (told(carol), told(dave)) == (["Dave confirmed 7–4 for you both."], [])
    result = Result.objects.get(match=match)
    assert (result.finality, result.user) == (Result.Finality.FINAL, dave)


def test_partners_who_differ_are_refused_until_the_first_report_is_withdrawn(
    match: Match, bob: User, carol: User, dave: User
) -> None:
    own, partner = by_account(match, carol), by_account(match, dave)
    report(own, SECOND, (4, 7))
    with pytest.raises(Refused) as refused:
        report(partner, FIRST, (7, 4), after=0)
    assert refused.value.code == "partner_reported"
    text = sentence(refused.value.code, refused.value.params)
    assert text == "Carol has reported 7–4 for you both. Withdraw that first."
    assert not report(partner, SECOND, (4, 7)).created
    with pytest.raises(Refused) as again:
        report(own, FIRST, (7, 4))
    assert again.value.code == "claim_open"
    reports.withdraw_report(match=match, side=SECOND, by=partner.by, now=minutes(1))
    assert report(partner, FIRST, (7, 4)).created
    assert sorted(told(carol)) == ["Dave reported 7–4 for you both.", "Dave withdrew the report of 7–4 for you both."]
    assert Notification.objects.filter(user=bob, kind="reported").exists()


def test_a_side_reports_its_own_loss_and_the_partner_can_withdraw_it(match: Match, carol: User, dave: User) -> None:
    stored = report(by_account(match, carol), FIRST, (7, 4)).report
    reports.withdraw_report(match=match, side=SECOND, by=by_account(match, dave).by, now=minutes(1))
    assert accept_unanswered(claim_id=stored.pk, now=minutes(60)) is None


def test_both_partners_are_asked_each_by_their_own_link(match: Match, bob: User, carol: User, dave: User) -> None:
    report(by_account(match, bob), FIRST, (7, 4))
    asked = Notification.objects.filter(kind="reported")
    assert {row.user for row in asked} == {carol, dave}
    email_link = {row.user: personal_link(row) for row in asked}
    assert email_link[carol] == f"/m/{links.token_for(match, SECOND)}/"
    contexts = {text.notification.user: text.context.split(" · ")[-1] for text in texts_of(list(asked))}
    assert contexts == {carol: "with Dave", dave: "with Carol"}
    assert email_link[dave] == f"/m/{links.token_for(match, SECOND, second=True)}/"


def test_a_partner_objects_and_proposes_times_for_both(match: Match, bob: User, carol: User, dave: User) -> None:
    seat = by_account(match, dave)
    offer = appointments.Dates([minutes(600)])
    proposal = appointments.propose(match=match, side=SECOND, offer=offer, by=seat.by, now=NOW)
    accepted = appointments.accept(
        proposal=proposal, side=FIRST, time=minutes(600), by=by_link(match, FIRST, second=True).by, now=minutes(1)
    )
    assert accepted.agreed_at == minutes(600)
    assert {row.user for row in Notification.objects.filter(kind="times_accepted")} == {carol, dave}
    stored = report(by_account(match, bob), FIRST, (7, 4)).report
    reports.acknowledge(match=match, side=SECOND, by=seat.by, now=minutes(2))
    accept_unanswered(claim_id=stored.pk, now=minutes(60))
    objections.object_to_result(match=match, side=SECOND, reason="7–5", by=seat.by, now=minutes(61))
    assert told(carol) == ["Dave objected to the result for you both."]


def test_a_partner_who_directs_is_a_player(match: Match, club: Club, dave: User, alice: User) -> None:
    Membership.objects.create(club=club, player=dave.player, role=Role.DIRECTOR)
    assert own_match_ruling(match, Actor.of(dave)) == OwnMatchRuling.NEEDS_OTHER
    assert own_match_ruling(match, Actor.of(alice)) == OwnMatchRuling.IMPARTIAL
    Membership.objects.filter(player=alice.player).delete()
    assert own_match_ruling(match, Actor.of(dave)) == OwnMatchRuling.NEEDS_REASON


def test_the_pairs_of_a_player_are_theirs(match: Match, bob: User, eva: Player, alice: User) -> None:
    Match.objects.update(visibility=Match.Visibility.PRIVATE)
    assert match.player_0_id in Viewer.of(bob).players
    assert Viewer.of(bob).plays_or_runs(match)
    assert not Viewer.of(alice).players & {match.player_0_id, match.player_1_id}
    shown = my_matches(bob, NOW)["next"]
    assert (shown.match, shown.side, shown.opponent) == (match, FIRST, "Carol & Dave")
    other = Player.objects.create(name="Eve Hall")
    merge_players(player=eva, into=other, by=Actor.of(alice), now=NOW)
    assert match.player_0_id in ids_of(other.pk)
    assert by_link(match, FIRST, second=True).by.person == other.pk
