"""Pairs are entered by both names, play as one side, and each of the two plays on one side of a division."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from core.people_lists import read_people, split_names
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import PlayerRating, PoolSettings, RatingPool
from matches.models.ratings import RatingImport
from matches.rankings.imports import Kind, apply_import
from matches.ratings.pools import create_pool
from matches.ratings.rated import BEGINNING, rated_matches
from matches.ratings.services import default_pool, ratings_of
from players.actors import Actor
from players.clubs.lists import NEW_PLAYER
from players.models import Club, Membership, Pair, Player
from players.people.rows import people_of
from players.people.services import merge_players
from tests.event_cast import NOON, publish
from tests.pages import html
from tests.tournaments.entries.listed import rows_named
from tournaments.entries import check_in, lists
from tournaments.entries.late import enter_late
from tournaments.entries.reentries import reenter
from tournaments.entries.returns import preview_return
from tournaments.entries.services import enter, register, withdraw, withdraw_from_event
from tournaments.entries.substitutions import SubstituteInput, substitute, undo_substitution
from tournaments.events import services as events
from tournaments.models import Division, Entry, Fixture
from tournaments.results import services as results
from tournaments.state.integrity import differences

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

CASES = Path(__file__).parents[4] / "shared" / "data" / "weekend" / "names.json"


@pytest.fixture
def doubles(make_division: Callable[..., Division]) -> Division:
    return make_division(name="Doubles", sides="two")


@pytest.fixture
def mixed(make_division: Callable[..., Division]) -> Division:
    return make_division(name="Open doubles", sides="any")


@pytest.fixture
def enters(by_alice: Actor) -> Callable[..., Entry]:
    """Enter a line."""

    def enter_line(division: Division, name: str, **fields: Any) -> Entry:
        fields = {"player": "", "by": by_alice, "now": NOON, **fields}
        return lists.enter_name(division=again(division), name=name, **fields)

    return enter_line


def again(division: Division) -> Division:
    return Division.objects.get(pk=division.pk)


def member(club: Club, name: str) -> Player:
    player = Player.objects.create(name=name)
    Membership.objects.create(club=club, player=player)
    return player


def refusal(act: Callable[[], object]) -> Refused:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value


def names(division: Division) -> list[str]:
    standing = division.entries.exclude(status=Entry.Status.OUT)
    return list(standing.order_by("pk").values_list("player__name", flat=True))


def url(division: Division, rest: str) -> str:
    event = division.tournament
    return f"/events/{event.club.slug}/{event.slug}/{rest}"


def desk(division: Division, text: str) -> str:
    return url(division, f"check-in/?{urlencode({'division': division.public_id, 'q': text})}")


# Names in a line.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Berg & Bea Kral", ["Ann Berg", "Bea Kral"]),
        (" Ann/Bea ", ["Ann", "Bea"]),
        ("Ann + Bea", ["Ann", "Bea"]),
        ("Ann und Bea", ["Ann", "Bea"]),
        ("Ann et Bea", ["Ann", "Bea"]),
        ("Ann-Bea Holm", ["Ann-Bea Holm"]),
        ("Sandra Anders", ["Sandra Anders"]),
        ("Ann & Bea & Cem", None),
        ("& Bea", None),
    ],
)
def test_a_line_has_one_or_two_names(text: str, expected: list[str] | None) -> None:
    assert split_names(text) == expected


@pytest.mark.skipif(not CASES.exists(), reason="../shared/data is not there")
def test_the_lines_of_the_reference() -> None:
    cases = [case for case in json.loads(CASES.read_text())["cases"] if case["kind"] == "split"]
    assert len(cases) > 7
    assert [case["name"] for case in cases if split_names(case["text"]) != case["expect"]] == []


def test_a_list_has_pairs_only_where_pairs_enter() -> None:
    text = "Ann Berg & Bea Kral\n2. Cem Öz/Dan Li (1500)\nEva & Fay & Gus\nHal"
    read = read_people(text, pairs=True)
    assert [person.name for person in read] == ["Ann Berg & Bea Kral", "Cem Öz & Dan Li", "", "Hal"]
    assert [person.name for person in read_people("Name;Partner\nBerg, Ann;Bea", pairs=True)] == ["Ann Berg & Bea"]
    assert [person.name for person in read_people("Name;Partner\nBerg, Ann;Bea")] == [""]
    long = " & ".join(["A" * 70, "B" * 70])
    assert [bool(read_people(long, pairs=pairs)[0].name) for pairs in (True, False)] == [True, False]


# Entering.


def test_a_line_enters_two_people_as_one_side(doubles: Division, club: Club, enters: Callable[..., Entry]) -> None:
    ann = member(club, "Ann Berg")
    entry = enters(doubles, "ann berg & Bea Kral", player=ann.public_id)
    assert entry.player.shown_name == "Ann Berg & Bea Kral"
    bea = Player.objects.get(name="Bea Kral")
    assert people_of([entry.player_id]) == {entry.player_id: (ann.pk, bea.pk)}
    assert Membership.objects.filter(club=club, player__in=[ann, bea]).count() == 2
    assert not Membership.objects.filter(player=entry.player).exists(), "a pair is no member"
    assert enters(doubles, "Cem", partner="Dan & Co").player.name == "Cem & Dan & Co", "as they were given"


def test_there_is_one_row_for_a_couple(
    doubles: Division, mixed: Division, enters: Callable[..., Entry], by_alice: Actor
) -> None:
    first = enters(doubles, "Ann & Bea")
    assert enters(mixed, "Bea/Ann").player == first.player
    withdraw(entry=first, by=by_alice, now=NOON)
    assert enters(doubles, "Bea + Ann").player == first.player
    assert Pair.objects.count() == 1
    assert list(differences()) == []


def test_whoever_is_in_is_refused_by_name(
    doubles: Division, mixed: Division, club: Club, enters: Callable[..., Entry], by_alice: Actor
) -> None:
    enters(doubles, "Ann & Bea")
    for line in ("Ann & Cem", "Dan & Ann", "Ann & Bea"):
        refused = refusal(partial(enters, doubles, line))
        assert (refused.code, refused.params) == ("already_in_pair", {"name": "Ann", "partner": "Bea"})
    assert not Player.objects.filter(name__in=["Cem", "Dan"]).exists(), "what was refused adds nobody"
    assert refusal(lambda: enters(doubles, "Eva & eva")).code == "partner_same"
    merged = member(club, "Anna Berg")
    merge_players(player=merged, into=Player.objects.get(name="Ann"), by=by_alice, now=NOON)
    assert refusal(lambda: enters(mixed, "Ann & Anna Berg")).code == "partner_same"

    enters(mixed, "Ann")
    assert refusal(lambda: enters(mixed, "Bea & Ann")).code == "already_entered"
    enters(mixed, "Bea & Cem")
    assert refusal(lambda: enters(mixed, "Cem")).params == {"name": "Cem", "partner": "Bea"}
    ann, cem = Player.objects.get(name="Ann"), Player.objects.get(name="Cem")
    assert refusal(lambda: enter(division=mixed, players=[cem], by=by_alice, now=NOON)).code == "already_in_pair"
    twice = [(member(club, "Fay"), ann)]
    assert refusal(lambda: enter(division=mixed, players=twice, by=by_alice, now=NOON)).code == "already_entered"
    assert list(differences()) == []


def test_a_division_takes_whom_it_is_for(
    doubles: Division, make_division: Callable[..., Division], enters: Callable[..., Entry], by_alice: Actor
) -> None:
    refused = refusal(lambda: enters(doubles, "Ann"))
    assert (refused.code, refused.params) == ("partner_missing", {"division": "Doubles", "name": "Ann"})
    for line in ("Ann &", "Ann & Bea & Cem"):
        assert refusal(partial(enters, doubles, line)).code == "pair_unclear"
    main = make_division(name="Main")
    assert enters(main, "Ann & Bea").player.parts is None, "as before: a name"
    assert refusal(lambda: enters(main, "Ann", partner="Bea")).code == "pairs_not_taken"
    people = (Player.objects.create(name="Cem"), Player.objects.create(name="Dan"))
    assert refusal(lambda: enter(division=main, players=[people], by=by_alice, now=NOON)).code == "pairs_not_taken"
    assert refusal(lambda: enter(division=doubles, players=people, by=by_alice, now=NOON)).code == "partner_missing"
    assert refusal(lambda: register(division=doubles, player=people[0], by=by_alice, now=NOON)).code == (
        "registration_closed"
    )
    assert not Pair.objects.exists()


def test_each_name_is_asked_about_by_itself(doubles: Division, club: Club, enters: Callable[..., Entry]) -> None:
    ann, bea = member(club, "Ann Berg"), member(club, "Bea Kral")
    refused = refusal(lambda: enters(doubles, "Ann & Bea"))
    assert (refused.code, refused.params["asks"]) == ("name_partial", "player")
    assert refused.params["candidates"] == [[ann.public_id, "Ann Berg"]]
    refused = refusal(lambda: enters(doubles, "Ann & Bea", player=ann.public_id))
    assert (refused.code, refused.params["asks"], refused.params["name"]) == ("name_partial", "partner_player", "Bea")
    both = {"player": ann.public_id, "partner_player": bea.public_id}
    assert enters(doubles, "Ann & Bea", **both).player.name == "Ann Berg & Bea Kral"
    new = {"player": NEW_PLAYER, "partner_player": NEW_PLAYER}
    assert enters(doubles, "Ann & Bea", **new).player.name == "Ann & Bea"
    assert refusal(lambda: enters(doubles, "Jon Hall & John Hall")).params["asks"] == "partner_player", "alike"


def test_a_list_of_pairs_is_sent_twice_and_enters_nobody_twice(
    doubles: Division, club: Club, by_alice: Actor, enters: Callable[..., Entry]
) -> None:
    hal = member(club, "Hal Holm")
    rows = ["Ann & Bea", "Cem & Dan", "Eva & Ann", "Fay & Gus", "Hal & Ida"]
    listed = lists.preview(division=doubles, people=rows_named(rows))
    assert [(line.match.name, line.partner) for line in listed][:3] == [("Ann", "Bea"), ("Bea", "Ann"), ("Cem", "Dan")]
    assert [line.place for line in listed if line.status == "repeated"] == [5]
    assert [line.place for line in listed if line.needs_choice] == [8]
    values: dict[str, Any] = {"people": rows_named(rows), "choices": {7: ""}, "by": by_alice, "now": NOON}
    done = lists.enter_list(division=doubles, **values)
    assert names(doubles) == ["Ann & Bea", "Cem & Dan"]
    left_out = [(each.name, each.why, each.place) for each in done.left_out]
    assert left_out == [("Eva & Ann", "repeated", 5), ("Hal & Ida", "partial", 8)]
    values["choices"] = {7: "", 8: hal.public_id}
    assert [entry.player.name for entry in lists.enter_list(division=doubles, **values).entries] == ["Hal Holm & Ida"]
    assert names(doubles) == ["Ann & Bea", "Cem & Dan", "Hal Holm & Ida"]
    repeated = lists.enter_list(division=doubles, **values)
    assert (repeated.entries, {each.why for each in repeated.left_out}) == ([], {"entered", "repeated"})
    values |= {"people": rows_named(["Hal Holm & Ann"]), "choices": {}, "partial": False}
    with pytest.raises(Refused) as refused:
        lists.enter_list(division=doubles, **values)
    [row] = refused.value.params["rows"]
    assert (refused.value.code, row["name"], row["why"]) == ("list_left_out", "Hal Holm & Ann", "in_pair")
    assert [line.entered for line in lists.preview(division=doubles, people=rows_named(["Ann & Zoe"]))] == [True, False]


# Settings of a division.


def test_pairs_are_fixed_at_tables_at_the_desk_and_unrated(
    make_division: Callable[..., Division], club: Club, by_alice: Actor, enters: Callable[..., Entry]
) -> None:
    doubles = make_division(name="Doubles", sides="two")
    assert (doubles.rated, make_division(name="Main").rated) == (False, True)
    people, pairs = (
        create_pool(club=club, settings=PoolSettings(name, of_pairs=name == "Pairs"), by=by_alice)
        for name in ("People", "Pairs")
    )

    def change(**values: Any) -> str:
        row = again(doubles)
        try:
            events.update_division(division=row, after=row.seq, by=by_alice, now=NOON, **values)
        except Refused as refused:
            return refused.code
        return ""

    assert change(rated=True) == "pairs_unrated"
    assert change(rated=True, pool_id=people.pk) == "pairs_unrated"
    assert change(play_mode="either") == "pairs_at_tables"
    assert change(self_registration=True) == "pairs_registered"
    assert change(rated=True, pool_id=pairs.pk) == ""
    assert change(sides="one") == "pairs_unrated", "people are not rated among pairs"
    assert change(sides="any") == "pairs_unrated"
    assert change(sides="any", rated=False, self_registration=True) == ""
    assert change(sides="two", self_registration=False) == ""
    for fields in ({"rated": True}, {"play_mode": "here"}, {"self_registration": True}):
        assert refusal(partial(make_division, name="X", sides="two", **fields)).code.startswith("pairs_")
    withdraw(entry=enters(doubles, "Ann & Bea"), by=by_alice, now=NOON)
    assert change(sides="any") == "sides_fixed"
    assert change(capacity=8) == ""


# Ratings.


def test_ratings_of_people_and_of_pairs_are_apart(
    doubles: Division, club: Club, by_alice: Actor, enters: Callable[..., Entry]
) -> None:
    pairs = create_pool(club=club, settings=PoolSettings("Pairs", of_pairs=True), by=by_alice)
    for line in ("Ann & Bea", "Cem & Dan"):
        enters(doubles, line)
    events.update_division(
        division=doubles, after=again(doubles).seq, by=by_alice, now=NOON, rated=True, pool_id=pairs.pk
    )
    events.publish_tournament(tournament=doubles.tournament, by=by_alice, now=NOON)
    publish(again(doubles), by_alice)
    fixture = Fixture.objects.select_related("match").get(stage__division=doubles)
    results.enter_result(fixture=fixture, result=ResultInput.played((7, 0)), by=by_alice, now=NOON)
    assert len(rated_matches(pairs, BEGINNING, {})) == 1
    RatingPool.objects.filter(pk=pairs.pk).update(options={})
    changed = RatingPool.objects.get(pk=pairs.pk)
    assert rated_matches(changed, BEGINNING, {}) == [], "whatever was set, no pair is rated among people"
    refused = refusal(
        lambda: apply_import(pool=pairs, kind=Kind.STARTS, text="name,rating\nAnn,1600", by=by_alice, now=NOON)
    )
    assert refused.code == "pairs_unrated"
    assert not RatingImport.objects.exists()


def test_a_pair_is_seeded_by_the_mean_of_both(doubles: Division, enters: Callable[..., Entry], by_alice: Actor) -> None:
    entries = [enters(doubles, line) for line in ("Ann & Bea", "Cem & Dan")]
    ann, pool = Player.objects.get(name="Ann"), default_pool()
    PlayerRating.objects.create(
        pool=pool, player=ann, rating=1700, experience=400, matches=9, wins=8, last_played_at=NOON, last_change=1
    )
    ids = [entry.player_id for entry in entries]
    assert ratings_of(players=[*ids, ann.pk]) == {ids[0]: 1600, ids[1]: 1500, ann.pk: 1700}
    events.publish_tournament(tournament=doubles.tournament, by=by_alice, now=NOON)
    publish(again(doubles), by_alice)
    assert list(doubles.entries.order_by("pk").values_list("rating", flat=True)) == [1600, 1500]


# While the division is being played.


@pytest.fixture
def played(make_division: Callable[..., Division], enters: Callable[..., Entry], by_alice: Actor) -> Division:
    """Three pairs in a knockout with a bye, in which a pair may enter again."""
    division = make_division(name="Doubles", sides="two", reentry_until=NOON.replace(hour=20))
    for line in ("Ann & Bea", "Cem & Dan", "Eva & Fay"):
        enters(division, line)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOON)
    return publish(again(division), by_alice)


def first_match(division: Division) -> Fixture:
    return Fixture.objects.select_related("match").get(stage__division=division, status=Fixture.Status.READY)


def test_a_pair_comes_late_and_enters_again(
    played: Division, club: Club, enters: Callable[..., Entry], by_alice: Actor
) -> None:
    assert refusal(lambda: enters(played, "Ann & Zoe")).code == "already_in_pair"
    zoe, ann = member(club, "Zoe"), Player.objects.get(name="Ann")
    late: dict[str, Any] = {"division": played, "by": by_alice, "now": NOON}
    assert refusal(lambda: enter_late(players=[(zoe, ann)], **late)).code == "already_in_pair"
    fixture = first_match(played)
    results.enter_result(fixture=fixture, result=ResultInput.played((7, 0)), by=by_alice, now=NOON)
    out = fixture.slots.get(side=1).entry
    assert out is not None
    again_in = reenter(entry=out, after=again(played).seq, by=by_alice, now=NOON)
    assert (again_in.player, again_in.number) == (out.player, 2)
    assert again_in.rating == 1500
    seen = lists.preview_late_name(division=again(played), name="Gus & Hal", player="", now=NOON)
    assert [(row.name, row.waits) for row in seen.newcomers] == [("Gus & Hal", True)]
    assert not Player.objects.filter(name="Gus").exists()
    assert enters(played, "Gus & Hal").status == Entry.Status.WAITING
    assert refusal(lambda: enters(played, "Gus & Ida")).code == "already_in_pair"
    seen = lists.preview_late_name(division=again(played), name="Hal & Gus", player="", now=NOON)
    assert [row.player for row in seen.newcomers] == [Player.objects.get(name="Gus & Hal")]
    assert list(differences()) == []


def test_a_pair_does_not_return_while_one_of_them_plays_with_somebody_else(
    doubles: Division, enters: Callable[..., Entry], by_alice: Actor
) -> None:
    first = enters(doubles, "Ann & Bea")
    withdraw(entry=first, by=by_alice, now=NOON)
    second = enters(doubles, "Cem & Ann")
    assert refusal(lambda: preview_return(entry=first)).params == {"name": "Ann", "partner": "Cem"}
    withdraw(entry=second, by=by_alice, now=NOON)
    assert preview_return(entry=first).parts


def test_whoever_goes_home_takes_their_pairs_along(
    doubles: Division, make_division: Callable[..., Division], enters: Callable[..., Entry], by_alice: Actor
) -> None:
    main = make_division(name="Main")
    enters(doubles, "Ann & Bea")
    enters(doubles, "Cem & Dan")
    for name in ("Ann", "Bea"):
        enters(main, name)
    bea = Player.objects.get(name="Bea")
    assert withdraw_from_event(tournament=main.tournament, player=bea, by=by_alice, now=NOON) == 2
    assert (names(main), names(doubles)) == (["Ann"], ["Cem & Dan"])


def test_another_pair_takes_the_place_until_the_first_match(played: Division, by_alice: Actor) -> None:
    fixture = first_match(played)
    entry = fixture.slots.get(side=0).entry
    assert entry is not None
    first, second = people_of([entry.player_id])[entry.player_id]
    stays = Player.objects.get(pk=first)

    def change(name: str, **fields: Any) -> str:
        wanted = SubstituteInput(name, **fields)
        try:
            substitute(entry=entry, substitute=wanted, after=again(played).seq, by=by_alice, now=NOON)
        except Refused as refused:
            return refused.code
        return ""

    other = fixture.slots.get(side=1).entry
    assert other is not None
    opponent = Player.objects.get(pk=people_of([other.player_id])[other.player_id][0])
    assert change(f"{stays.name} & {opponent.name}") == "already_in_pair"
    assert change(entry.player.name) == "already_entered"
    assert change("Zoe") == "partner_missing"
    check_in.mark(entry=entry, state="here", by=by_alice, now=NOON)
    assert change(stays.name, partner="Zoe") == ""
    assert Entry.objects.get(pk=entry.pk).checked_in_at is None, "Zoe has to be checked in"
    zoe = Player.objects.get(name="Zoe")
    check_in.mark(entry=entry, state="here", by=by_alice, now=NOON, person=zoe)
    assert Entry.objects.get(pk=entry.pk).checked_in_at is not None, "the other was here all the time"
    match = Fixture.objects.get(pk=fixture.pk).match
    assert match is not None
    assert f"{stays.name} & Zoe" in {player.name for player in match.players}
    assert Pair.objects.filter(first=stays).count() == 2
    undo_substitution(entry=entry, after=again(played).seq, by=by_alice, now=NOON)
    assert list(people_of([Entry.objects.get(pk=entry.pk).player_id]).values()) == [(first, second)]
    fixture = Fixture.objects.select_related("match").get(pk=fixture.pk)
    results.enter_result(fixture=fixture, result=ResultInput.played((7, 0)), by=by_alice, now=NOON)
    assert change(f"{stays.name} & Zoe") == "substitution_too_late"
    assert list(differences()) == []


# Pages and API.


def test_a_pair_is_entered_in_one_line_at_the_desk(doubles: Division, club: Club, alice_client: Client) -> None:
    ann = member(club, "Ann Berg")
    assert "Name, or Ann &amp; Bea" in html(alice_client.get(desk(doubles, "")))
    hint = html(alice_client.get(desk(doubles, "Ann")))
    assert "Doubles is for pairs: who plays with Ann?" in hint
    assert "New player" not in hint
    line = "Ann & " + "B" * 80
    assert f"Enter <bdi>Ann &amp; {'B' * 80}</bdi>" in html(alice_client.get(desk(doubles, line)))
    add = url(doubles, f"{doubles.public_id}/entries/add/")
    asked = alice_client.post(add, {"name": "Ann & Bea"})
    assert asked.status_code == 422
    page = html(asked)
    assert f'name="player" value="{ann.public_id}"' in page
    assert "New player <bdi>Ann</bdi>" in page
    done = alice_client.post(add, {"name": "Ann & Bea", "player": ann.public_id}, follow=True)
    assert "Ann Berg &amp; Bea was entered." in html(done)
    assert names(doubles) == ["Ann Berg & Bea"]
    refused = html(alice_client.post(add, {"name": "Cem & Ann Berg"}))
    assert "Ann Berg already plays with Bea." in refused


def test_a_list_with_partners_is_checked_and_entered(doubles: Division, club: Club, alice_client: Client) -> None:
    hal = member(club, "Hal Holm")
    base = url(doubles, f"{doubles.public_id}/entries/")
    file = SimpleUploadedFile("pairs.csv", b"Name;Partner\nAnn Berg;Bea\nHal;Ida\n")
    page = html(alice_client.post(f"{base}paste/", {"names": "", "file": file}))
    assert '<textarea name="names" hidden>Ann Berg &amp; Bea Hal &amp; Ida</textarea>' in page
    assert 'name="choice-2"' in page
    assert "&amp; <bdi>Ida</bdi>" in page
    body = {"names": "Ann Berg & Bea\nHal & Ida", "choice-2": hal.public_id}
    assert "2 pairs entered." in html(alice_client.post(f"{base}enter/", body, follow=True))
    assert names(doubles) == ["Ann Berg & Bea", "Hal Holm & Ida"]
    single = alice_client.post(f"{base}paste/", {"names": "Cem & Dan\nEva"})
    assert "Doubles is for pairs: who plays with Eva?" in html(single)


def test_a_program_enters_pairs_and_substitutes_them(doubles: Division, club: Club, alice_client: Client) -> None:
    ann, bea = member(club, "Ann Berg"), member(club, "Bea Kral")

    def send(path: str, **body: Any) -> Any:
        return alice_client.post(f"/api/v1/{path}", body, content_type="application/json")

    path = f"divisions/{doubles.public_id}/entries/"
    asked = send(path, name="Ann Berg", partner="Bea").json()
    assert (asked["code"], asked["params"]["asks"]) == ("name_partial", "partner_player")
    stranger = Player.objects.create(name="Bea of Lund")
    assert send(path, name="Ann Berg", partner="Bea", partner_player=stranger.public_id).status_code == 404
    answer = send(path, name="Ann Berg", partner="Bea", partner_player=bea.public_id)
    assert answer.status_code == 201
    entry = answer.json()
    assert [row["public_id"] for row in entry["people"]] == [ann.public_id, bea.public_id]
    refused = send(path, name="Ann Berg & Cem")
    assert (refused.status_code, refused.json()["code"]) == (409, "already_in_pair")
    listed = send(f"{path}paste/", names=["Ann Berg/Bea Kral", "Cem+Dan"]).json()
    assert [line["what"] for line in listed["lines"]] == ["entered", "entered", "new", "new"]
    assert [(row["name"], row["why"]) for row in listed["left_out"]] == [("Ann Berg & Bea Kral", "entered")]
    assert send(path, name="Eva").json()["code"] == "partner_missing"

    at = f"entries/{entry['public_id']}/substitute/"
    assert send(at, name="Ann Berg", partner="Zoe", after=0).json()["code"] == "stale"
    done = send(at, name="Ann Berg", partner="Zoe", after=again(doubles).seq, reason="Bea is ill.").json()
    assert [row["name"] for row in done["people"]] == ["Ann Berg", "Zoe"]
    undone = send(f"{at}undo/", after=again(doubles).seq).json()
    assert [row["name"] for row in undone["people"]] == ["Ann Berg", "Bea Kral"]
    assert send(f"{at}undo/", after=again(doubles).seq).json()["code"] == "not_substituted"


def test_the_page_of_a_substitute_begins_with_both_names(
    doubles: Division, club: Club, enters: Callable[..., Entry], alice_client: Client
) -> None:
    entry = enters(doubles, "Ann & Bea")
    zoe = member(club, "Zoe Zhu")
    address = url(doubles, f"entries/{entry.public_id}/substitute/")
    assert 'value="Ann &amp; Bea"' in html(alice_client.get(address))
    body: dict[str, Any] = {"name": "Ann & Zoe", "after": again(doubles).seq}
    asked = html(alice_client.post(address, body))
    assert f'name="partner_player" value="{zoe.public_id}"' in asked
    done = alice_client.post(address, body | {"partner_player": zoe.public_id}, follow=True)
    assert "Ann &amp; Zoe Zhu plays instead of Ann &amp; Bea." in html(done)
    assert names(doubles) == ["Ann & Zoe Zhu"]


def test_the_settings_page_says_what_pairs_cannot_do(
    doubles: Division, alice_client: Client, enters: Callable[..., Entry]
) -> None:
    page = html(alice_client.get(url(doubles, f"{doubles.public_id}/settings/")))
    assert "Who enters" in page
    row = again(doubles)
    body = {
        "name": "Doubles", "lengths": "7", "draw_method": "random", "sides": "two", "rated": "on",
        "deadline_rule": "director", "extension_hours": 72, "claim_wait": 600, "play_mode": "table",
        "clock": "table", "overtime_minutes": 0, "turn_days": 2, "bank_days": 0, "flag_rule": "match_lost",
        "spectators_delay": "0", "no_show_minutes": 15, "start_rule": "none", "after": row.seq,
    }  # fmt: skip
    answer = alice_client.post(url(doubles, f"{doubles.public_id}/settings/"), body)
    assert answer.status_code == 422
    assert "Pairs and single players are rated apart. Choose other ratings, or none." in html(answer)
