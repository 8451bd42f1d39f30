"""The pages of entries and of the draw, for directors."""

import re
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from engine.errors import Refused
from formats.settings import PROGRESSIVE, StageSettings
from players.actors import Actor
from players.models import Club, Membership, Player
from players.people.services import merge_players
from tests.event_cast import NOW, publish
from tests.tournaments.support.correcting import GROUPS, Cup, won_by
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tests.tournaments.support.pages import page, text
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.entries.previews import withdrawal_view
from tournaments.events import services as events
from tournaments.models import Division, Draw, Entry, Fixture
from tournaments.state.derivation import states_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def division(make_division: Callable[..., Division]) -> Division:
    return make_division(name="Open")


def url(division: Division, rest: str = "entries/") -> str:
    return f"/events/{division.tournament.club.slug}/{division.tournament.slug}/{division.public_id}/{rest}"


def withdrawal(entry: Entry) -> str:
    event = entry.division.tournament
    return f"/events/{event.club.slug}/{event.slug}/entries/{entry.public_id}/withdraw/"


def desk(division: Division, **query: str) -> str:
    """The URL of the arrivals desk of a division."""
    event = division.tournament
    values = {"division": division.public_id, **query}
    return f"/events/{event.club.slug}/{event.slug}/check-in/?{urlencode(values)}"


def post(client: Client, path: str, data: dict[str, Any]) -> str:
    return text(client.post(path, data, follow=True).content.decode())


def names(division: Division) -> list[str]:
    return list(division.entries.exclude(status="out").order_by("pk").values_list("player__name", flat=True))


def member(club: Club, name: str) -> Player:
    player = Player.objects.create(name=name)
    Membership.objects.create(club=club, player=player)
    return player


def test_players_are_entered_by_name(division: Division, alice_client: Client, club: Club) -> None:
    elif_ = member(club, "Elif Ristic")
    assert "Elif Ristic was entered." in post(alice_client, url(division, "entries/add/"), {"name": "Elif Ristic"})
    assert "Omar New was entered." in post(alice_client, url(division, "entries/add/"), {"name": "Omar New"})
    assert Entry.objects.get(player=elif_)
    assert names(division) == ["Elif Ristic", "Omar New"]


def test_a_member_with_another_spelling_has_to_be_confirmed(
    division: Division, alice_client: Client, club: Club
) -> None:
    nord = member(club, "Nils Nord")
    answer = alice_client.post(url(division, "entries/add/"), {"name": "Nils Nørd"})
    assert answer.status_code == 422
    assert "Did you mean Nils Nord? Choose who “Nils Nørd” is." in text(answer.content.decode())
    assert names(division) == []

    post(alice_client, url(division, "entries/add/"), {"name": "Nils Nørd", "player": "new"})
    post(alice_client, url(division, "entries/add/"), {"name": "Nils Nørd", "player": nord.public_id})

    assert names(division) == ["Nils Nørd", "Nils Nord"]
    strange = alice_client.post(url(division, "entries/add/"), {"name": "Nils Nord", "player": "2222222222"})
    assert strange.status_code == 404
    assert Entry.objects.count() == 2


def test_a_merged_player_is_not_entered_again_under_the_other_name(
    division: Division, alice_client: Client, club: Club, by_alice: Actor
) -> None:
    merged, other = member(club, "Nils Nord"), member(club, "N. Nord")
    post(alice_client, url(division, "entries/add/"), {"name": "N. Nord"})
    merge_players(player=other, into=merged, by=by_alice, now=NOW, club=club)

    for name in ("Nils Nord", "N. Nord"):
        answer = alice_client.post(url(division, "entries/add/"), {"name": name})
        assert "Nils Nord is already entered." in text(answer.content.decode())
    with pytest.raises(Refused, match="already_entered"):
        entries.enter(division=division, players=[merged], by=by_alice, now=NOW)
    assert Entry.objects.count() == 1


@pytest.mark.parametrize("body", [{}, {"scope": ""}, {"scope": "everything"}, {"reason": "ill"}])
def test_a_withdrawal_without_a_scope_is_refused(
    division: Division, alice_client: Client, body: dict[str, str]
) -> None:
    post(alice_client, url(division, "entries/add/"), {"name": "Bob"})
    entry = division.entries.get()
    base = f"/events/{division.tournament.club.slug}/{division.tournament.slug}/entries/{entry.public_id}/"
    post(alice_client, f"{base}withdraw/", body)
    entry.refresh_from_db()
    assert (entry.status, entry.checked_in_at) == (Entry.Status.IN, None)


@pytest.mark.parametrize(
    "body", [{}, {"names": ""}, {"names": "Bob", "choice-7": "new"}, {"names": "Bob", "choice-x": ""}]
)
def test_a_list_with_missing_or_unknown_fields_enters_nobody(
    division: Division, alice_client: Client, body: dict[str, str]
) -> None:
    assert alice_client.post(url(division, "entries/enter/"), body).status_code == 422
    assert names(division) == []


def test_a_repeated_name_is_refused_beside_the_field(division: Division, alice_client: Client) -> None:
    post(alice_client, url(division, "entries/add/"), {"name": "Bob"})
    answer = alice_client.post(url(division, "entries/add/"), {"name": "Bob"})
    assert answer.status_code == 409 or answer.status_code == 422
    assert "Bob is already entered." in text(answer.content.decode())
    assert 'value="Bob"' in answer.content.decode()


def test_a_namesake_is_chosen(division: Division, alice_client: Client, club: Club) -> None:
    first, other = member(club, "Kim Lee"), member(club, "Kim Lee")
    answer = alice_client.post(url(division, "entries/add/"), {"name": "kim lee"}).content.decode()
    assert set(re.findall(r'name="player" value="([2-9a-z]{10})"', answer)) == {first.public_id, other.public_id}
    post(alice_client, url(division, "entries/add/"), {"name": "kim lee", "player": other.public_id})
    assert division.entries.get().player == other


def test_members_are_suggested_while_typing(division: Division, alice_client: Client, club: Club) -> None:
    member(club, "Søren Holm")
    gone = member(club, "Søren Gone")
    gone.memberships.update(left_at=NOW)
    html = page(alice_client, desk(division, q="soren"))
    assert "Søren Holm" in html
    assert "Søren Gone" not in html
    assert "Søren Holm" not in page(alice_client, desk(division))


LIST = "1. Elif Ristic\n2. Kim Lee\n3. Kim Lee\n\n4. New Person\n"


def test_a_pasted_list_is_previewed_before_anybody_is_entered(
    division: Division, alice_client: Client, club: Club
) -> None:
    member(club, "Elif Ristic")
    first, _other = member(club, "Kim Lee"), member(club, "Kim Lee")
    answer = alice_client.post(url(division, "entries/paste/"), {"names": LIST}).content.decode()
    assert "member" in text(answer)
    assert "new" in text(answer)
    assert "Choose a player" in text(answer)
    assert names(division) == []

    hidden = re.search(r'<textarea name="names" hidden>(.*?)</textarea>', answer, re.DOTALL)
    assert hidden
    html = post(
        alice_client, url(division, "entries/enter/"), {"names": hidden[1], "choice-1": first.public_id, "choice-2": ""}
    )

    assert "3 players entered." in html
    assert names(division) == ["Elif Ristic", "Kim Lee", "New Person"]
    again = post(alice_client, url(division, "entries/enter/"), {"names": hidden[1], "choice-1": first.public_id})
    assert "0 players entered." in again


def test_a_csv_file_is_read_the_same_way(division: Division, alice_client: Client) -> None:
    file = SimpleUploadedFile("players.csv", "Name;Club\nElif Ristic;A\n花子;B\n".encode())
    answer = alice_client.post(url(division, "entries/paste/"), {"names": "", "file": file})
    assert "Enter 2 players" in text(answer.content.decode())
    pasted = {"names": "name,rating,club\nElif Ristic,1650,A\n花子,,B\n"}
    answer = alice_client.post(url(division, "entries/paste/"), pasted)
    assert "Enter 2 players" in text(answer.content.decode())
    bad = SimpleUploadedFile("players.xlsx", b"PK\x03\x04\0\0")
    refused = alice_client.post(url(division, "entries/paste/"), {"names": "", "file": bad})
    assert refused.status_code == 422
    assert "This spreadsheet cannot be read." in text(refused.content.decode())
    empty = alice_client.post(url(division, "entries/paste/"), {"names": "  "})
    assert empty.status_code == 422


def test_the_address_of_the_entries_leads_to_the_desk(division: Division, alice_client: Client) -> None:
    answer = alice_client.get(url(division))
    assert (answer.status_code, answer.headers["Location"]) == (302, desk(division))


def test_a_part_of_a_name_asks_before_it_becomes_a_second_player(
    division: Division, alice_client: Client, club: Club
) -> None:
    anna = member(club, "Anna Kowalski")
    answer = alice_client.post(url(division, "entries/add/"), {"name": "kow ann"})
    assert answer.status_code == 422
    assert "Did you mean Anna Kowalski? Choose who “kow ann” is." in text(answer.content.decode())
    assert "New player kow ann" in text(answer.content.decode())
    assert Player.objects.filter(name="kow ann").count() == 0

    post(alice_client, url(division, "entries/add/"), {"name": "kow ann", "player": anna.public_id})
    post(alice_client, url(division, "entries/add/"), {"name": "ann", "player": "new"})
    assert names(division) == ["Anna Kowalski", "ann"]
    assert Player.objects.filter(name="kow ann").count() == 0, "choosing a member adds nobody"


def test_a_part_of_a_name_in_a_list_is_left_out_until_somebody_is_chosen(
    division: Division, alice_client: Client, club: Club
) -> None:
    anna = member(club, "Anna Kowalski")
    member(club, "Player 10")
    preview = alice_client.post(url(division, "entries/paste/"), {"names": "Ann\nPlayer 1"}).content.decode()
    assert "Choose a player (or leave out)" in text(preview)
    post(alice_client, url(division, "entries/enter/"), {"names": "Ann\nPlayer 1"})
    assert names(division) == ["Player 1"], "a number is not part of another one"
    post(alice_client, url(division, "entries/enter/"), {"names": "Ann\nPlayer 1", "choice-0": anna.public_id})
    assert names(division) == ["Player 1", "Anna Kowalski"]


def test_a_withdrawal_moves_up_the_waiting_list(division: Division, alice_client: Client) -> None:
    Division.objects.filter(pk=division.pk).update(capacity=2)
    for name in ("Bob", "Carol", "Dave"):
        post(alice_client, url(division, "entries/add/"), {"name": name})
    html = page(alice_client, desk(division))
    assert "1. Dave" in text(html)
    entry = Entry.objects.get(player__name="Bob")
    base = f"/events/{division.tournament.club.slug}/{division.tournament.slug}"
    post(alice_client, f"{base}/entries/{entry.public_id}/withdraw/", {"scope": "division", "reason": "ill"})
    assert Entry.objects.get(player__name="Dave").status == Entry.Status.IN
    twice = post(alice_client, f"{base}/entries/{entry.public_id}/withdraw/", {"scope": "division"})
    assert "Bob is not entered." in twice


@pytest.mark.slow
def test_free_places_go_to_those_who_have_waited_longest(division: Division, alice_client: Client) -> None:
    Division.objects.filter(pk=division.pk).update(capacity=2)
    for name in ("Bob", "Carol", "Dave", "Erin", "Frank"):
        post(alice_client, url(division, "entries/add/"), {"name": name})
    assert "1. Dave" in text(page(alice_client, desk(division)))
    base = f"/events/{division.tournament.club.slug}/{division.tournament.slug}"
    for leaves, moves_up, first in (("Bob", "Dave", "Erin"), ("Carol", "Erin", "Frank")):
        entry = Entry.objects.get(player__name=leaves)
        post(alice_client, f"{base}/entries/{entry.public_id}/withdraw/", {"scope": "division", "reason": "ill"})
        assert Entry.objects.get(player__name=moves_up).status == Entry.Status.IN
        assert Entry.objects.get(player__name=first).status == Entry.Status.WAITING
        assert f"1. {first}" in text(page(alice_client, desk(division)))


@pytest.fixture
def entered(division: Division, by_alice: Actor, make_players: Callable[[int], list[Player]]) -> Division:
    """A division of a published event with five entries."""
    entries.enter(division=division, players=make_players(5), by=by_alice, now=NOW)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    division.refresh_from_db()
    return division


def make(division: Division) -> None:
    """Make the requested draft."""
    draws.make_draft(draw_id=Draw.objects.get(state="requested", stage__division=division).pk, now=NOW)


@pytest.mark.slow
def test_a_director_requests_repeats_and_publishes_a_draft(
    entered: Division, alice_client: Client, client: Client
) -> None:
    post(alice_client, url(entered, "draw/request/"), {})
    waiting = page(alice_client, url(entered, "draw/"))
    assert "is being made. This page updates by itself." in waiting
    assert '<noscript><meta http-equiv="refresh"' in waiting
    # A double click requests one draft.
    post(alice_client, url(entered, "draw/request/"), {})
    assert Draw.objects.count() == 1
    make(entered)
    draft = page(alice_client, url(entered, "draw/"))
    assert "5 players in 8 places · 3 byes" in text(draft)
    assert draft.count('<p class="bye">') == 3
    assert "Winner of M1" not in page(client, url(entered, ""))

    assert "Give a reason for the new draw." in post(alice_client, url(entered, "draw/request/"), {})
    post(alice_client, url(entered, "draw/request/"), {"reason": "Two came late"})
    make(entered)
    entered.refresh_from_db()
    post(alice_client, url(entered, "draw/publish/"), {"after": entered.seq})

    html = page(client, url(entered, ""))
    assert "Drawn 2 times" in text(html)
    assert "Two came late" in text(html)
    entered.refresh_from_db()
    assert entered.status == Division.Status.RUNNING
    again = alice_client.post(url(entered, "draw/publish/"), {"after": entered.seq - 1})
    assert again.status_code == 302, "a double click is harmless"


def test_an_outdated_draft_cannot_be_published(entered: Division, alice_client: Client) -> None:
    post(alice_client, url(entered, "draw/request/"), {})
    make(entered)
    post(alice_client, url(entered, "entries/add/"), {"name": "Late"})
    assert "The entries have changed since" in text(page(alice_client, url(entered, "draw/")))
    entered.refresh_from_db()
    stale = alice_client.post(url(entered, "draw/publish/"), {"after": entered.seq - 1, "seen": "1"})
    assert stale.status_code == 409
    assert "Alice: entered" in text(stale.content.decode())
    assert "Draw again" in post(alice_client, url(entered, "draw/publish/"), {"after": entered.seq})


def test_a_single_entry_cannot_be_drawn(division: Division, alice_client: Client, by_alice: Actor) -> None:
    post(alice_client, url(division, "entries/add/"), {"name": "Bob"})
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    assert "A draw needs at least two players." in text(page(alice_client, url(division, "draw/")))
    assert "A draw needs at least two entries" in post(alice_client, url(division, "draw/request/"), {})


def test_club_mates_who_could_not_be_kept_apart_are_named(entered: Division, alice_client: Client) -> None:
    other = Club.objects.create(name="Elsewhere", slug="elsewhere")
    for entry in entered.entries.select_related("player"):
        Membership.objects.create(club=other, player=entry.player)
    Division.objects.filter(pk=entered.pk).update(apart=True)
    post(alice_client, url(entered, "draw/request/"), {})
    make(entered)
    assert "could not be placed in opposite halves" in text(page(alice_client, url(entered, "draw/")))


def test_a_withdrawn_player_returns_after_a_preview(entered: Division, alice_client: Client, by_alice: Actor) -> None:
    post(alice_client, url(entered, "draw/request/"), {})
    make(entered)
    entered.refresh_from_db()
    post(alice_client, url(entered, "draw/publish/"), {"after": entered.seq})
    playing = Fixture.objects.filter(stage__division=entered, status="ready").order_by("number")[0]
    leaver = playing.slots.get(side=0).entry
    base = f"/events/{entered.tournament.club.slug}/{entered.tournament.slug}/entries/{leaver.public_id}/"
    post(alice_client, f"{base}withdraw/", {"scope": "division"})
    assert "Let back in…" in text(page(alice_client, desk(entered, show="withdrawn")))

    look = alice_client.get(f"{base}back-in/").content.decode()
    assert "walkover undone; to be played" in text(look)
    seen = re.search(r'name="seen" value="([0-9a-f]+)"', look)
    assert seen
    assert "Player" in post(alice_client, f"{base}back-in/", {})
    leaver.refresh_from_db()
    assert leaver.status == Entry.Status.OUT, "an empty form changes nothing"

    html = post(alice_client, f"{base}back-in/", {"scope": "division", "seen": seen[1], "reason": "was here"})
    assert f"{leaver.player.name} is back." in html
    leaver.refresh_from_db()
    assert leaver.status == Entry.Status.IN
    playing.refresh_from_db()
    assert playing.status == "ready"
    assert "has not withdrawn" in post(alice_client, f"{base}back-in/", {"scope": "division", "seen": seen[1]})


def test_a_return_by_api_is_previewed_and_applied(entered: Division, alice_client: Client, by_alice: Actor) -> None:
    leaver = entered.entries.all()[0]
    entries.withdraw(entry=leaver, by=by_alice, now=NOW)
    path = f"/api/v1/entries/{leaver.public_id}/return/"
    preview = alice_client.get(path).json()
    assert [part["changes"] for part in preview["divisions"]] == [[]]
    assert alice_client.post(path, {}, content_type="application/json").status_code == 422
    body = {"scope": "division", "seen": "0000000000000000"}
    assert alice_client.post(path, body, content_type="application/json").json()["code"] == "stale"
    done = alice_client.post(path, {**body, "seen": preview["seen"]}, content_type="application/json")
    assert done.json()["status"] == "in"


def test_a_late_entry_is_previewed_entered_and_undone(entered: Division, alice_client: Client, by_alice: Actor) -> None:
    publish(entered, by_alice)
    post_url = url(entered, "entries/add/")
    look = alice_client.post(post_url, {"name": "Louise"}).content.decode()
    assert "Louise takes the only free bye, which is that of Player" in text(look) or "byes, drawn by lot" in text(look)
    assert not entered.entries.filter(player__name="Louise").exists()
    after = re.search(r'name="after" value="(\d+)"', look)
    assert after

    # Something is changed in another tab meanwhile: it is shown again as it is now, and one tap enters her.
    entered.refresh_from_db()
    events.update_division(division=entered, after=entered.seq, fee=500, by=by_alice, now=NOW)
    again = alice_client.post(post_url, {"name": "Louise", "after": after[1]}).content.decode()
    assert "You changed this in another tab: changed the settings" in text(again)
    after = re.search(r'name="after" value="(\d+)"', again)
    assert after
    assert int(after[1]) == Division.objects.get(pk=entered.pk).seq
    done = post(alice_client, post_url, {"name": "Louise", "after": after[1]})
    taken = re.search(r"Louise was entered late\. Louise takes the bye of (Player \d) in M(\d+)\.", text(done))
    assert taken
    entry = entered.entries.get(player__name="Louise")
    fixture = Fixture.objects.get(stage__division=entered, slots__entry=entry)
    assert fixture.number == int(taken[2])
    assert taken[1] in {player.name for player in fixture.match.players}

    base = f"/events/{entered.tournament.club.slug}/{entered.tournament.slug}/entries/{entry.public_id}/"
    assert "Undo the late entry…" in text(page(alice_client, desk(entered, more=entry.public_id)))
    look = alice_client.get(f"{base}undo-late/").content.decode()
    after = re.search(r'name="after" value="(\d+)"', look)
    assert after
    post(alice_client, f"{base}undo-late/", {})
    entry.refresh_from_db()
    assert entry.status == Entry.Status.IN
    assert "Late entry of Louise undone." in post(alice_client, f"{base}undo-late/", {"after": after[1]})
    entry.refresh_from_db()
    assert entry.status == Entry.Status.OUT


def test_late_entries_of_a_list_and_by_api_are_previewed(
    entered: Division, alice_client: Client, by_alice: Actor
) -> None:
    publish(entered, by_alice)
    look = alice_client.post(url(entered, "entries/enter/"), {"names": "Louise\nGram"}).content.decode()
    assert len(re.findall(r"byes, drawn by lot", text(look))) == 2
    old = {"names": "Louise\nGram", "after": entered.seq - 1}
    again = alice_client.post(url(entered, "entries/enter/"), old).content.decode()
    assert "Look again before you decide." in text(again)
    assert len(re.findall(r"byes, drawn by lot", text(again))) == 2, "the list is shown again, not lost"
    assert not entered.entries.filter(player__name="Louise").exists()

    path = f"/api/v1/divisions/{entered.public_id}/entries/"
    seen = alice_client.post(path, {"name": "Louise", "preview": True}, content_type="application/json").json()
    assert "byes, drawn by lot when you let them in" in seen["divisions"][0]["notes"][0]
    body = {"name": "Louise", "after": seen["after"] - 1}
    assert alice_client.post(path, body, content_type="application/json").json()["code"] == "stale"
    created = alice_client.post(path, {"name": "Louise", "after": seen["after"]}, content_type="application/json")
    assert created.status_code == 201
    undo = f"/api/v1/entries/{created.json()['public_id']}/undo-late/"
    after = alice_client.get(undo).json()["after"]
    assert alice_client.post(undo, {"after": after}, content_type="application/json").json()["status"] == "out"


def test_the_preview_says_who_goes_on_instead_of_a_player_who_withdraws(alice_client: Client, club: Club) -> None:
    """Until the knockout begins, for the first two of each group."""
    cup = Cup.create(8, GROUPS).play(Random(3), most=12, wild=False)

    def shown(entry: int) -> str:
        row = cup.division.entries.get(pk=entry)
        return text(alice_client.get(withdrawal(row)).content.decode())

    tables = states_of(cup.division)[0].tables
    for table in tables:
        third = cup.division.entries.get(pk=table.rows[2].entry)
        for row in table.rows[:2]:
            assert f"{third.player.name} goes on to the next stage instead." in shown(row.entry)
        assert "goes on to the next stage instead" not in shown(third.pk)
    cup.report(cup.ready()[0], won_by(0))
    assert "goes on to the next stage instead" not in shown(tables[0].rows[0].entry)


def test_a_withdrawal_shows_first_what_follows(entered: Division, alice_client: Client, by_alice: Actor) -> None:
    first = entered.entries.select_related("player").earliest("pk")
    before = text(alice_client.get(withdrawal(first)).content.decode())
    assert f"{first.player.name} is no longer entered." in before
    publish(entered, by_alice)
    fixture = Fixture.objects.filter(status="ready").select_related("match").earliest("number")
    assert fixture.match is not None
    leaver = entered.entries.select_related("player").get(player=fixture.match.player_0)
    other, path = fixture.match.player_1.name, withdrawal(leaver)
    forfeits = f"M{fixture.number}: {leaver.player.name} forfeits, and {other} goes through."
    assert forfeits in text(alice_client.get(path).content.decode())
    api = f"/api/v1/entries/{leaver.public_id}/withdraw/"
    assert forfeits in alice_client.get(api).json()[0]["notes"]
    by_match = f"/events/harbour/{entered.tournament.slug}/fixtures/{fixture.public_id}/withdraw/"
    for scope in ("bracket", "division", "event"):
        asked = text(alice_client.post(by_match, {"side": 0, "scope": scope}).content.decode())
        assert forfeits in asked
    leaver.refresh_from_db()
    assert leaver.status == Entry.Status.IN, "nothing has happened yet"
    assert "has withdrawn" in post(alice_client, path, {"scope": "division"})
    fixture.refresh_from_db()
    assert fixture.status == Fixture.Status.DECIDED


@pytest.mark.parametrize("played", range(4))
def test_whoever_goes_home_reads_all_matches_that_are_not_played(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor, played: int
) -> None:
    """Also that of a bracket below, in which the opponent may wait already."""
    builder = DivisionBuilder(make_division, make_players, by_alice)
    division = builder.drawn(8, StageSettings(PROGRESSIVE))
    builder.play(division, most=played)
    for fixture in Fixture.objects.filter(stage__division=division, status="ready", round__bracket__key="main"):
        for slot in fixture.slots.all():
            assert slot.entry is not None
            (part,) = withdrawal_view(entries.preview_withdrawal(entry=slot.entry))
            notes = " ".join(part.notes)
            assert "no longer plays in: Main draw, Progressive consolation." in notes
            assert len(re.findall(r"M\d+: .+? goes through", notes)) == 2
            assert not [line for line in part.changes if slot.entry.player.name in line.after]
