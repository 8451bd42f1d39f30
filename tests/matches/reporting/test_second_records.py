"""A record of a match that has one already: the same again, or another, from either player."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from core.messages import sentence
from engine.records import read, write
from engine.simulation import play_out
from matches.models import Analysis, Match, Result, Submission
from matches.records.comparison import Ply, first_difference
from matches.records.foreign_formats import read_foreign
from matches.reporting import reports
from players.actors import Actor
from players.models import Player, User
from tests.matches.cast import BOB, CAROL, NOW, match_between
from tests.matches.records.foreign_files import bgf, ogxm
from tests.matches.reporting.test_records import send, why

pytestmark = pytest.mark.django_db
Standing = Submission.Standing
RECORD = """\
 1 point match

 Game 1
 Bob : 0                         Carol : 0
  1) 31: 8/5 6/5                  64: 24/14
  2) 52: ????
                                   Wins 1 point and the match
"""
OTHER_PLAY = RECORD.replace("64: 24/14", "64: 24/18 13/9")


@pytest.fixture
def match(bob_player: Player, carol_player: Player) -> Match:
    """Bob against Carol, to 1; both have said that Carol won."""
    match = match_between(bob_player, carol_player, length=1)
    report = reports.ScoreReport(CAROL, (0, 1))
    reports.report_score(match=match, side=CAROL, report=report, by=Actor.link(CAROL), now=NOW)
    reports.confirm(match=match, side=BOB, by=Actor.link(BOB), now=NOW)
    return match


def shown(client: Client, user: User, match: Match) -> str:
    client.force_login(user)
    return client.get(f"/matches/{match.public_id}/").content.decode()


def add(client: Client, user: User, match: Match, data: bytes) -> str:
    client.force_login(user)
    url = f"/matches/{match.public_id}/records/"
    return client.post(url, {"file": SimpleUploadedFile("final.mat", data)}, follow=True).content.decode()


SPELT_OTHERWISE = [
    pytest.param(write(read(RECORD), "sgf"), id="SGF"),
    pytest.param(ogxm(read(RECORD)), id="OGXM"),
    pytest.param(
        RECORD.replace("31: 8/5 6/5", "13: 6/5 8/5").replace("24/14", "24/20 20/14").encode(), id="other order"
    ),
    pytest.param(RECORD.replace("Bob", "bb").encode(), id="other name"),
    pytest.param(ogxm(read(RECORD.replace("Bob", "Zob"))), id="other sides"),
]


@pytest.mark.parametrize("data", SPELT_OTHERWISE)
def test_the_same_match_from_the_opponent_is_not_analysed_again(
    match: Match, bob: User, carol: User, client: Client, data: bytes
) -> None:
    first = send(match, RECORD.encode(), carol, CAROL)
    analyses = Analysis.objects.count()
    second = send(match, data, bob, BOB)
    first.refresh_from_db()
    assert (first.standing, why(second), analyses) == (Standing.STANDS, "already_uploaded", 1)
    assert (Analysis.objects.count(), match.results.count()) == (1, 2)
    text = sentence("already_uploaded", {})
    assert text == "Your opponent uploaded it already."
    assert text in shown(client, bob, match)
    page = shown(client, carol, match)
    assert text not in page
    assert sentence("record_proven", {}) in page
    assert "not accepted as the result" not in page


def test_the_same_file_from_the_opponent_is_answered_at_once(
    match: Match, bob: User, carol: User, client: Client
) -> None:
    send(match, RECORD.encode(), carol, CAROL)
    assert "Have the record? Add it" in shown(client, bob, match)
    assert "Your opponent uploaded it already." in add(client, bob, match, RECORD.encode())
    assert Submission.objects.count() == 1


def test_of_two_records_that_differ_both_are_kept_with_the_first_ply_that_does(
    match: Match, bob: User, carol: User, client: Client
) -> None:
    send(match, RECORD.encode(), carol, CAROL)
    second = send(match, OTHER_PLAY.encode(), bob, BOB)
    assert second.refusal == {"code": "record_differs", "params": {"game": 1, "ply": 2}}
    assert Analysis.objects.count() == 2
    for reader in (bob, carol):
        assert "first in game 1 at roll 2" in shown(client, reader, match)


def test_a_record_that_confirms_the_opponents_says_so(
    bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    match = match_between(bob_player, carol_player, length=1)
    first = send(match, RECORD.encode(), carol, CAROL)
    second = send(match, write(read(RECORD), "sgf"), bob, BOB)
    first.refresh_from_db()
    assert (first.standing, why(second)) == (Standing.STANDS, "already_uploaded")
    assert Analysis.objects.count() == 1


def test_a_record_of_ones_own_again_is_not_the_opponents(match: Match, bob: User) -> None:
    send(match, RECORD.encode(), bob, BOB)
    assert why(send(match, write(read(RECORD), "sgf"), bob, BOB)) == "record_proven"
    assert Analysis.objects.count() == 1


def test_another_match_of_the_same_two_gets_the_usual_verdict(match: Match, bob: User, carol: User) -> None:
    send(match, RECORD.encode(), carol, CAROL)
    won_by_bob = play_out(1, 1, players=("Bob", "Carol"))
    assert why(send(match, won_by_bob, bob, BOB)) == "record_contradicts"


def test_the_form_is_shown_until_the_reader_has_added_a_record(
    match: Match, bob: User, carol: User, client: Client
) -> None:
    form = "Have the record? Add it"
    assert form in shown(client, bob, match)
    send(match, RECORD.encode(), carol, CAROL)
    assert form in shown(client, bob, match)
    assert form not in shown(client, carol, match)
    send(match, OTHER_PLAY.encode(), bob, BOB)
    assert form not in shown(client, bob, match)


def test_a_match_that_was_played_here_needs_no_record(match: Match, bob: User, client: Client) -> None:
    match.results.update(source=Result.Source.LIVE)
    assert "Have the record? Add it" not in shown(client, bob, match)


def test_what_names_sides_and_programs_change_is_no_difference() -> None:
    match = play_out(1, 3, players=("Bob", "Carol"))
    for data in (ogxm(match), bgf(match)):
        assert first_difference(match, read_foreign(data), turned=False) is None
    turned = play_out(1, 3, players=("Bob", "Carol"))
    assert first_difference(match, turned, turned=True) == Ply(1, 1)
