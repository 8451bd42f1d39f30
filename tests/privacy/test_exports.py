"""A person gets a copy of everything about them; a club does so, and erases, for players without an account."""

import io
import json
import random
import tracemalloc
import zipfile
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from core.locks import lock_row
from engine.errors import Refused
from engine.records import write
from engine.simulation import play_out
from matches.models import Card, ChatMessage, Claim, Puzzle, PuzzleAnswer, Submission
from matches.records.submissions import RecordFile
from matches.reporting.records import submit_for_match
from players.actors import SYSTEM, Actor
from players.models import Club, DataExport, LogEntry, Membership, Player, User
from players.people.rows import player_topic
from players.people.services import remember_alias
from players.privacy import services
from players.privacy.sections import sections
from players.privacy.services import PART_SIZE
from tests.event_cast import NOW, RunningEvent
from tournaments.models import Entry, Letter, Payment, Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
AsUser = Callable[[User | None], Client]


def contents(export: DataExport) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(b"".join(export.chunks()))) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def export_of(player: Player, user: User) -> DataExport:
    export = services.request_export(player=player, user=user, by=Actor.of(user), now=NOW)
    done = services.make_export(export_id=export.pk, now=NOW)
    assert done is not None
    return done


def test_a_copy_has_everything_about_the_person_and_no_secret(
    running: RunningEvent, bob: User, carol: User, bob_player: Player
) -> None:
    match, entry = running.fixture.match, Entry.objects.get(player=bob_player)
    assert match is not None
    side = match.players.index(bob_player)
    remember_alias(player=bob_player, name="bobby_b", by=SYSTEM)
    text = write(play_out(1, match.length), "mat")
    by = Actor.of(bob)
    lock_row(type(match), match.pk)
    submit_for_match(match=match, side=side, file=RecordFile(text, "upload", "mine.mat"), by=by, now=NOW)
    claim = {"match": match, "winner": side, "score_0": 1, "score_1": 0, "by": "user"}
    claim |= {"score_0": 7 * (side == 0), "score_1": 7 * (side == 1)}
    Claim.objects.create(**claim, side=side, note="I was lucky", state=Claim.State.WITHDRAWN)
    Claim.objects.create(**claim, side=1 - side, note="he cheats", answer_note="I do not", state="contested",
                         answered_at=NOW)  # fmt: skip
    ChatMessage.objects.create(match=match, room="players", side=side, user=bob, text="Hello Carol")
    ChatMessage.objects.create(match=match, room="players", side=1 - side, user=carol, text="Hello Bob")
    Withdrawal.objects.create(entry=entry, reason="ill")
    Payment.objects.create(
        tournament=running.tournament, entry=entry, kind="entry", method="cash", amount=7, note="in coins", key="1"
    )
    puzzle = Puzzle.objects.create(club=running.tournament.club, date=NOW, key="x", question={}, difficulty="easy")
    for user, mark in ((bob, "own-mark"), (carol, "mark-of-another")):
        Letter.objects.create(user=user, event=running.tournament, facts={"codes": [f"{mark}-letter"]})
        Card.objects.create(user=user, match=match, due=NOW, state={"x": f"{mark}-card"})
        PuzzleAnswer.objects.create(user=user, puzzle=puzzle, play=f"{mark}-answer")
    files = contents(export_of(bob_player, bob))
    assert set(files) >= {"README.txt"} | {f"{section.name}.json" for section in sections()}
    assert all(isinstance(json.loads(data), list) for name, data in files.items() if name.endswith(".json"))
    rows = {name: json.loads(data) for name, data in files.items() if name.endswith(".json")}
    assert rows["account.json"][0]["email"] == "bob@example.org"
    assert rows["matches.json"][0]["opponent"] == "Carol"
    everything = "\n".join(files.values())
    for own in (
        "own-mark-letter",
        "own-mark-card",
        "own-mark-answer",
        "bobby_b",
        "I was lucky",
        "I do not",
        "Hello Carol",
        "ill",
        "in coins",
        text.decode().splitlines()[0],
    ):
        assert own in everything, own
    for of_others in ("mark-of-another", "he cheats", "Hello Bob", "carol@example.org", bob.password):
        assert of_others not in everything, of_others
    assert "matches.json (1)" in files["README.txt"]


def test_a_person_downloads_their_copy_until_it_expires(
    bob: User, bob_player: Player, carol: User, as_user: AsUser
) -> None:
    browser = as_user(bob)
    for _ in range(2):
        assert browser.post("/preferences/data/export/").status_code == 302
    export = DataExport.objects.get()
    services.make_export(export_id=export.pk, now=timezone.now())
    url = f"/data-exports/{export.public_id}.zip"
    assert url in browser.get("/preferences/data/").content.decode()
    assert browser.get(url).getvalue() == b"".join(export.chunks())
    assert as_user(carol).get(url).status_code == 404
    listed = browser.get("/api/v1/me/exports/").json()
    answer = browser.get(listed[0]["archive"])
    assert answer.getvalue()[:2] == b"PK"
    assert answer["Content-Length"] == str(listed[0]["size"])
    DataExport.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    assert browser.get(url).status_code == browser.get(listed[0]["archive"]).status_code == 404


def memory_for(player: Player, user: User, *, scale: int) -> tuple[int, int, int]:
    """Return the size of a copy with so much in it, and the most memory that making and downloading it took."""
    chance = random.Random(scale)
    log = [LogEntry(topic=player_topic(player), verb="x", params={"name": chance.randbytes(1000).hex()})
           for _ in range(500 * scale)]  # fmt: skip
    LogEntry.objects.bulk_create(log)
    for number in range(scale):
        data = chance.randbytes(PART_SIZE)
        key = f"{scale}-{number}"
        Submission.objects.create(submitter=user, source="upload", data=data, size=len(data), key=key)
    tracemalloc.start()
    try:
        export = export_of(player, user)
        peak_of_making = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        for _ in export.chunks():
            pass
        return export.size, peak_of_making, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_the_memory_for_a_copy_does_not_grow_with_it(bob: User, bob_player: Player) -> None:
    small, made_small, sent_small = memory_for(bob_player, bob, scale=1)
    DataExport.objects.all().delete()
    large, made_large, sent_large = memory_for(bob_player, bob, scale=9)
    assert large > 9 * small > 9 * PART_SIZE, "the second copy has the rows of both"
    assert made_large < made_small + PART_SIZE
    assert sent_large < sent_small + PART_SIZE


def test_a_lost_message_is_sent_again_and_a_copy_that_fails_is_given_up(bob: User, bob_player: Player) -> None:
    export = services.request_export(player=bob_player, user=bob, by=Actor.of(bob), now=NOW)
    assert services.send_again(now=NOW) == 0
    assert services.send_again(now=NOW + timedelta(minutes=1)) == 1
    DataExport.objects.update(state="working", claimed_at=NOW, attempts=services.MAX_ATTEMPTS)
    assert services.make_export(export_id=export.pk, now=NOW) is None, "another worker has claimed it"
    services.make_export(export_id=export.pk, now=NOW + timedelta(hours=1))
    assert DataExport.objects.get().state == "failed"


@pytest.fixture
def jens(club: Club) -> Player:
    """A player without an account, whom the club entered."""
    player = Player.objects.create(name="Jens Hansen")
    Membership.objects.create(club=club, player=player)
    return player


@pytest.mark.slow
def test_a_director_copies_and_erases_a_player_without_an_account(
    club: Club, jens: Player, alice: User, erin: User, frank: User, as_user: AsUser
) -> None:
    data, director = f"/clubs/{club.slug}/members/{jens.public_id}/", as_user(alice)
    assert director.post(f"{data}data/export/").status_code == 302
    export = DataExport.objects.get()
    services.make_export(export_id=export.pk, now=timezone.now())
    url = f"/data-exports/{export.public_id}.zip"
    assert director.get(url).status_code == 200
    assert as_user(frank).get(url).status_code == 404
    assert director.post(f"{data}erase/").status_code == 422, "without the tick"
    for outsider in (erin, frank):
        assert as_user(outsider).post(f"{data}erase/", {"sure": "on"}).status_code == 403
    assert director.post(f"{data}erase/", {"sure": "on"}).status_code == 302
    jens.refresh_from_db()
    assert (jens.name, jens.shown_name) == ("", "Former member")
    assert not DataExport.objects.exists()


def test_a_player_with_an_account_or_of_another_club_decides_alone(
    club: Club, jens: Player, bob: User, bob_player: Player, alice: User, frank: User
) -> None:
    elsewhere = Club.objects.get(slug="elsewhere")
    Membership.objects.create(club=elsewhere, player=jens)
    for player, of_club, code in ((bob_player, club, "account_decides"), (jens, elsewhere, "other_club_entered")):
        for service in (services.erase_member, lambda **given: services.request_export(user=alice, **given)):
            with pytest.raises(Refused) as refused:
                service(player=player, club=of_club, by=Actor.of(alice), now=NOW)
            assert refused.value.code == code


def test_directors_lose_a_copy_when_the_player_has_an_account(
    club: Club, jens: Player, alice: User, dave: User, as_user: AsUser
) -> None:
    export = export_of(jens, alice)
    url = f"/data-exports/{export.public_id}.zip"
    DataExport.objects.update(expires_at=None)
    assert as_user(alice).get(url).status_code == 200
    Player.objects.filter(pk=jens.pk).update(user=dave)
    assert as_user(alice).get(url).status_code == 404


@pytest.mark.slow
def test_people_and_members_are_erased_by_api(
    club: Club, jens: Player, bob: User, bob_player: Player, alice: User, password: str, as_user: AsUser
) -> None:
    member, director, browser = f"/api/v1/clubs/{club.slug}/members/{jens.public_id}/", as_user(alice), as_user(bob)
    assert director.post(f"{member}exports/").status_code == 202
    assert director.post(f"{member}erase/", {"name": "Jens"}, "application/json").status_code == 422
    assert director.post(f"{member}erase/", {"name": "jens hansen"}, "application/json").status_code == 204
    wrong = browser.post("/api/v1/me/erase/", {"password": "guessed"}, "application/json")
    assert wrong.json()["code"] == "wrong_password"
    assert browser.post("/api/v1/me/erase/", {"password": password}, "application/json").status_code == 204
    assert not User.objects.filter(pk=bob.pk).exists()
    assert Player.objects.filter(pk__in=[jens.pk, bob_player.pk], name="").count() == 2


def test_an_account_made_by_api_can_be_copied_and_erased_by_it(db: None) -> None:
    client = APIClient()
    fields = {"email": "erin@example.org", "password": "backgammon-1969", "display_name": "Erin Åkesson"}
    weak = client.post("/api/v1/accounts/", {**fields, "password": "short"}, format="json")
    assert (weak.status_code, weak.json()["code"]) == (422, "weak_password")
    created = client.post("/api/v1/accounts/", fields, format="json")
    assert created.status_code == 201
    client.credentials(HTTP_AUTHORIZATION=f"Token {created.json()['token']}")
    assert client.get("/api/v1/me/").json()["player"] == created.json()["player"]
    assert client.post("/api/v1/me/exports/").json()["state"] == "queued"
    erased = client.post("/api/v1/me/erase/", {"password": fields["password"]}, format="json")
    assert erased.status_code == 204
    assert client.get("/api/v1/me/").status_code == 401
