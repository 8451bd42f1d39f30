"""What erasure removes from what others have written, and what it leaves alone."""

import pytest

from core.names import NameMask
from engine.records import write
from engine.simulation import play_out
from matches.models import Action, LiveMatch, Submission
from matches.records import submissions
from matches.records.submissions import RecordFile
from players.actors import SYSTEM, log
from players.models import Club, Invitation, LogEntry, Membership, Player, User
from players.people.erasure import erase_player
from tests.event_cast import NOW, RunningEvent
from tournaments.models import FloorEvent, Tournament


@pytest.mark.parametrize(
    ("name", "text", "masked"),
    [
        ("Anna-Lena Berg", "With anna-lena BERG and Berg", "With […] and Berg"),
        ("Jürgen Weiß", "To jürgen  weiß, JÜRGEN WEISS, too", "To […], […], too"),
        ("Bob_99", "bob_99", "[…]"),
        ("--", "--", "[…]"),
        ("Bo Lund", "Bobo Lundgren", "Bobo Lundgren"),
    ],
)
def test_a_mask_finds_a_name_whatever_its_case_and_spacing(name: str, text: str, masked: str) -> None:
    assert NameMask({name: "[…]"}).text(text) == masked


@pytest.fixture
def member(club: Club) -> Player:
    """A player without an account whose name is not only ASCII, and is a code as well."""
    player = Player.objects.create(name='Søren "Suggest" Æbelø')
    player.aliases.create(name="suggest")
    Membership.objects.create(club=club, player=player)
    return player


@pytest.mark.django_db
def test_names_are_removed_from_texts_but_not_from_codes_or_other_clubs(
    running: RunningEvent, member: Player, club: Club
) -> None:
    written = 'Ask SØREN  "suggest" ÆBELØ or Suggest.'
    elsewhere = Club.objects.create(name="Elsewhere", slug="elsewhere", about=written)
    Tournament.objects.update(about=written)
    for at in (club, elsewhere):
        log(SYSTEM, "tournament_changed", "tournament:x", club=at, changes={"about": ["", written]}, kind="suggest")
    params = {"mode": "suggest", "reason": written}
    floor_event = FloorEvent.objects.create(
        tournament=running.tournament, kind="autopilot", params=params, by="system", at=NOW
    )

    erase_player(player=member, by=SYSTEM, now=NOW)

    erased = "Ask […] or […]."
    running.tournament.refresh_from_db()
    floor_event.refresh_from_db()
    elsewhere.refresh_from_db()
    here, there = (LogEntry.objects.get(topic="tournament:x", club=at).params for at in (club, elsewhere))
    assert running.tournament.about == erased
    assert floor_event.params == {"mode": "suggest", "reason": erased}
    assert here == {"changes": {"about": ["", erased]}, "kind": "suggest"}
    assert elsewhere.about == there["changes"]["about"][1] == written


@pytest.mark.django_db
def test_reasons_of_rulings_corrections_and_answers_are_removed_with_a_player(
    running: RunningEvent, bob_player: Player, bob: User, carol: User, club: Club
) -> None:
    match = running.fixture.match
    assert match is not None
    live = LiveMatch.objects.create(match=match, state={}, started_at=NOW)
    ruling = Action.objects.create(live=live, seq=1, kind="adjourn", data={"reason": "late"}, at=NOW, by="user")
    log(SYSTEM, "objection_upheld", match.topic, answer="he was late")
    number, topic = running.fixture.number, running.division.topic
    log(SYSTEM, "result_corrected", topic, fixture=number, reason="late")
    log(SYSTEM, "result_corrected", topic, fixture=number + 900, reason="others")
    other = Player.objects.create(name="B. Bergmann")
    for email in (bob.email, carol.email):
        Invitation.objects.create(club=club, player=other, email=email, secret_hash=email, expires_at=NOW)
    User.objects.filter(pk=bob.pk).update(new_email=carol.email)

    erase_player(player=bob_player, by=SYSTEM, now=NOW)

    ruling.refresh_from_db()
    assert ruling.data == {}
    assert LogEntry.objects.get(topic=match.topic, verb="objection_upheld").params == {}
    reasons = [row.params.get("reason") for row in LogEntry.objects.filter(verb="result_corrected").order_by("pk")]
    assert reasons == [None, "others"]
    assert [row.email for row in Invitation.objects.all()] == [carol.email], "that address was never verified"


@pytest.mark.django_db
def test_a_record_that_is_being_checked_while_its_sender_is_erased_stays_empty(bob_player: Player, bob: User) -> None:
    text = write(play_out(1, 3, players=("Bobby Tables", "Carol C")), "mat")
    sent = submissions.submit(file=RecordFile(text, "upload", "bobby.mat"), now=NOW, submitter=bob).submission
    Submission.objects.update(state=Submission.State.WORKING, attempts=1)

    erase_player(player=bob_player, by=SYSTEM, now=NOW)

    assert submissions.write_verdict(submission_id=sent.pk, now=NOW) is None
    row = Submission.objects.get()
    assert (bytes(row.data), row.transcript, row.file_name, row.is_open) == (b"", None, "", False)
    assert not row.verdicts.exists()
