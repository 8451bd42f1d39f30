"""Pairs in events: merged with their people, ended when one leaves, named as each wishes, and exported to both."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Q
from django.test import Client

from engine.errors import Refused
from matches.models import Match, Result, Submission
from matches.records.names import known_names, mask_for, names_of
from players.actors import SYSTEM, Actor
from players.models import Membership, Merge, Player, User
from players.people.club_people import people_among
from players.people.erasure import erase_player
from players.people.leaving import lift_suspension, suspend
from players.people.pairs import pair_of
from players.people.rows import canonical
from players.people.services import merge_players, undo_merge
from players.privacy.sections import Person, sections
from tests.event_cast import NOW, publish
from tests.pages import html
from tournaments.entries.services import enter
from tournaments.events import services as events
from tournaments.events.home import find_player
from tournaments.models import CheckIn, Division, Entry, Fixture, JoinedEntry
from tournaments.state.integrity import differences

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
LATER = NOW + timedelta(hours=1)
HIDDEN = "Beatrix Kralowetz"


@pytest.fixture
def doubles(make_division: Callable[..., Division], by_alice: Actor) -> Division:
    division = make_division(name="Doubles", match_length=5)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    Division.objects.filter(pk=division.pk).update(sides=Division.Sides.TWO)
    division.refresh_from_db()
    return division


@pytest.fixture
def people(make_players: Callable[[int], list[Player]]) -> list[Player]:
    """Ann, Bea, Cem and Dan."""
    players = make_players(4)
    for player, name in zip(players, ("Ann Berg", HIDDEN, "Cem Öz", "Dan Li"), strict=True):
        player.name = name
        player.save()
    return players


def make_pair(first: Player, second: Player) -> Player:
    with transaction.atomic():
        return pair_of(Player.objects.get(pk=first.pk), Player.objects.get(pk=second.pk))


def merge(player: Player, into: Player) -> Merge:
    row = Player.objects.get(pk=player.pk)
    return merge_players(player=row, into=Player.objects.get(pk=into.pk), by=SYSTEM, now=LATER)


def refused(player: Player, into: Player) -> str:
    with pytest.raises(Refused) as refusal, transaction.atomic():
        merge(player, into)
    return refusal.value.code


def no_differences() -> None:
    assert [str(row) for row in differences()] == []


# Merging.


def test_partners_are_not_merged_and_nobody_is_on_two_sides(
    doubles: Division, people: list[Player], by_alice: Actor
) -> None:
    ann, bea, cem, dan = people
    entered = enter(division=doubles, players=[make_pair(ann, bea), make_pair(cem, dan)], by=by_alice, now=NOW)
    assert refused(bea, ann) == "merge_partners"
    assert refused(bea, cem) == "both_entered"
    assert not Merge.objects.exists()
    Entry.objects.filter(pk=entered[0].pk).update(status=Entry.Status.OUT)
    merge(bea, ann)
    no_differences()


def test_a_person_alone_and_in_a_pair_are_two_sides(doubles: Division, people: list[Player], by_alice: Actor) -> None:
    ann, bea, cem, _dan = people
    Division.objects.update(sides=Division.Sides.ANY)
    enter(division=Division.objects.get(), players=[make_pair(ann, bea), cem], by=by_alice, now=NOW)
    assert refused(cem, bea) == "both_entered"
    Division.objects.update(status=Division.Status.FINISHED)
    merge(cem, bea)


def test_entries_of_pairs_that_become_one_couple_are_joined_and_separated(
    doubles: Division, people: list[Player], by_alice: Actor
) -> None:
    ann, bea, cem, _dan = people
    first, second = make_pair(ann, bea), make_pair(ann, cem)
    # Nobody can enter like this; two pairs of Ann stand only once the partners are found to be one person.
    enter(division=doubles, players=[first], by=by_alice, now=NOW)
    Entry.objects.create(division=doubles, player=second, entered_at=LATER)
    done = merge(cem, bea)
    assert JoinedEntry.objects.filter(undone_at=None).count() == 1
    assert doubles.entries.filter(status=Entry.Status.IN).count() == 1
    assert canonical(Player.objects.get(pk=second.pk)) == first
    no_differences()
    undo_merge(merge=done, by=SYSTEM, now=LATER + timedelta(hours=1))
    assert not JoinedEntry.objects.filter(undone_at=None).exists()
    assert canonical(Player.objects.get(pk=second.pk)) == second


def test_pairs_of_last_year_and_now_are_one_in_what_was_played(
    doubles: Division,
    people: list[Player],
    by_alice: Actor,
    client: Client,
    make_players: Callable[[int], list[Player]],
) -> None:
    ann, bea, cem, dan = people
    former, now = make_pair(ann, cem), make_pair(ann, bea)
    Division.objects.filter(pk=doubles.pk).update(sides=Division.Sides.ANY)
    enter(division=doubles, players=[former, dan], by=by_alice, now=NOW)
    publish(doubles, by_alice)
    Division.objects.update(status=Division.Status.FINISHED)
    done = merge(cem, bea)
    answer = client.get(f"/players/{former.public_id}/")
    assert answer.url == f"/players/{now.public_id}/"  # type: ignore[attr-defined]
    undo_merge(merge=done, by=SYSTEM, now=LATER)
    assert client.get(f"/players/{former.public_id}/").status_code == 200


# Leaving, and coming back.


def test_when_one_leaves_the_pair_is_withdrawn_and_returns_with_them(
    doubles: Division, people: list[Player], by_alice: Actor, bob: User, bob_player: Player
) -> None:
    ann, _bea, cem, dan = people
    enter(division=doubles, players=[make_pair(ann, bob_player), make_pair(cem, dan)], by=by_alice, now=NOW)
    suspend(user=bob, by=SYSTEM, now=LATER)
    assert doubles.entries.filter(status=Entry.Status.OUT).count() == 1
    assert lift_suspension(user=bob, by=SYSTEM, now=LATER) == []
    assert doubles.entries.filter(status=Entry.Status.IN).count() == 2
    erase_player(player=bob_player, by=SYSTEM, now=LATER)
    assert doubles.entries.filter(status=Entry.Status.OUT).count() == 1
    no_differences()


# Privacy.


@pytest.fixture
def played(doubles: Division, people: list[Player], by_alice: Actor, alice: User) -> Match:
    """Ann & B. K., who shows only initials, play Cem & Dan."""
    ann, bea, cem, dan = people
    Player.objects.filter(pk=bea.pk).update(initials_only=True)
    pairs = [make_pair(ann, bea), make_pair(cem, dan)]
    enter(division=doubles, players=pairs, by=by_alice, now=NOW)
    publish(doubles, by_alice)
    match = Fixture.objects.get(stage__division=doubles).match
    assert match is not None
    return match


def test_staff_alone_read_the_name_of_a_partner_who_shows_initials(
    played: Match,
    doubles: Division,
    people: list[Player],
    client: Client,
    as_user: Callable[[User], Client],
    alice: User,
) -> None:
    event = doubles.tournament
    pages = [
        f"/events/{event.club.slug}/{event.slug}/",
        f"/events/{event.club.slug}/{event.slug}/{doubles.public_id}/",
        f"/events/{event.club.slug}/{event.slug}/?q=kralowetz",
        f"/matches/{played.public_id}/",
        f"/api/v1/matches/{played.public_id}/",
        f"/api/v1/divisions/{doubles.public_id}/entries/",
        f"/api/v1/divisions/{doubles.public_id}/fixtures/",
        *(f"/players/{player.public_id}/" for player in played.players),
    ]
    shown = 0
    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200, page
        text = json.dumps(answer.json(), ensure_ascii=False) if page.startswith("/api") else html(answer)
        assert "Kralowetz" not in text.replace("q=kralowetz", ""), page
        shown += "B. K." in text
    assert shown >= 6
    assert "B. K." not in html(client.get("/players/?q=kralowetz"))
    division = pages[1]
    assert HIDDEN in html(as_user(alice).get(division))
    assert find_player(event, "kralowetz", staff=False) == []
    assert len(find_player(event, "kralowetz", staff=True)) == len(find_player(event, "Berg", staff=False)) == 1


def test_both_of_a_pair_are_people_of_the_club_whose_event_they_play(played: Match, people: list[Player]) -> None:
    club, everybody = played.club, [*people, *played.players]
    assert club is not None
    assert not Membership.objects.filter(player__in=everybody).exists()
    assert people_among(club, everybody) == {player.pk for player in everybody}


def test_the_api_says_who_plays(played: Match, doubles: Division, client: Client) -> None:
    entries = client.get(f"/api/v1/divisions/{doubles.public_id}/entries/").json()["results"]
    names = [[person["name"] for person in entry["people"]] for entry in entries]
    assert sorted(names) == [["Ann Berg", "B. K."], ["Cem Öz", "Dan Li"]]
    match = client.get(f"/api/v1/matches/{played.public_id}/").json()
    assert sorted([person["name"] for person in side["people"]] for side in match["players"]) == sorted(names)
    listed = client.get("/api/v1/matches/").json()["results"][0]
    assert [len(side["people"]) for side in listed["players"]] == [2, 2]


def test_both_get_a_copy_of_what_the_pair_did_and_neither_the_hidden_name(
    played: Match, doubles: Division, people: list[Player]
) -> None:
    ann, bea, *_others = people
    entry = Entry.objects.get(player__pair__first=ann)
    for person in (ann, bea):
        CheckIn.objects.create(entry=entry, person=person, state=CheckIn.State.HERE, source="director", at=NOW)
    Result.objects.create(
        match=played, version=1, winner=0, score_0=5, score_1=2, kind="normal", source="director", at=NOW, by="user"
    )
    for person, partner in ((ann, "B. K."), (bea, "Ann Berg")):
        copy = {section.name: list(section.rows(Person.of(Player.objects.get(pk=person.pk)))) for section in sections()}
        assert [row["partner"] for row in copy["pairs"]] == [partner]
        assert [len(copy[name]) for name in ("entries", "check-ins", "matches", "results")] == [1, 1, 1, 1]
        assert (HIDDEN in str(copy)) == (person == bea)
    assert [list(section.rows(Person.of(people[2]))) for section in sections() if section.name == "check-ins"] == [[]]


def test_erasing_one_leaves_no_text_with_the_name_and_the_results_stay(
    played: Match, doubles: Division, people: list[Player], client: Client
) -> None:
    ann, bea, *_others = people
    entry = Entry.objects.get(player__pair__first=ann)
    event = doubles.tournament
    event.about = f"Ask {HIDDEN} or Ann Berg & {HIDDEN}."
    event.save()
    Result.objects.create(
        match=played, version=1, winner=0, score_0=5, score_1=2, kind="normal", source="director", at=NOW, by="user",
        reason=f"{HIDDEN} said so",
    )  # fmt: skip
    Division.objects.update(status=Division.Status.FINISHED)
    erase_player(player=bea, by=SYSTEM, now=LATER)
    event.refresh_from_db()
    assert event.about == "Ask […] or Ann Berg & […]."
    assert Result.objects.get().reason == ""
    assert entry.player != ann
    assert str(Player.objects.get(pk=entry.player_id)) == "Ann Berg & Former member"
    assert not Player.objects.filter(Q(name__contains="Kral") | Q(name_key__contains="kral")).exists()
    assert "Ann Berg &amp; Former member" in client.get(f"/matches/{played.public_id}/").content.decode()


def test_a_name_in_a_record_is_that_of_the_side_if_a_partner_has_it(played: Match, people: list[Player]) -> None:
    side = next(side for side in (0, 1) if "Ann" in played.players[side].name)
    assert {"ann berg", "beatrix kralowetz"} < known_names(played)[side]
    assert names_of(people[0]) == {"Ann Berg"}
    record = Submission.objects.create(
        match=played, source="upload", data=b"", size=0, transcript={"players": [HIDDEN, "Cem Öz"], "games": []}
    )
    mask = mask_for(AnonymousUser(), record)
    assert mask.inside(f"{HIDDEN} beat Cem Öz") == "B. K. beat Cem Öz"
