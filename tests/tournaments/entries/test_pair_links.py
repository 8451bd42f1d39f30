"""Bob & Eva against Carol & Dora in the doubles of Alice's event: links, cards and letters are for people."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from clubhouse.letters.contents import letter_of_guest
from display.paper.cards import link_cards
from engine.errors import Refused
from formats.settings import StageSettings
from matches.lifecycle import links
from matches.models import Match
from matches.play.starting import PlaySettings, start
from matches.reporting.my_matches import my_matches
from players.actors import Actor
from players.models import Club, Membership, Player, User
from players.people.pairs import pair_of
from tests.pages import html
from tests.tournaments.entries.test_event_links import match_links
from tests.tournaments.support.played_stages import drawn_as, play
from tournaments.access import is_own_player
from tournaments.entries.event_links import links_to_hand_out, path_for, withheld_from
from tournaments.events.home import event_home
from tournaments.models import Division, Entry, EventLink, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


class Doubles:
    """The division, its pairs and people."""

    def __init__(self, division: Division, people: list[Player]) -> None:
        self.division, self.people = division, people
        event = division.tournament
        self.url = f"/events/{event.club.slug}/{event.slug}/"

    @property
    def match(self) -> Match:
        return Match.objects.get(parent_topic=self.division.topic)

    @property
    def event(self) -> Tournament:
        return Tournament.objects.select_related("club").get(pk=self.division.tournament_id)

    def entry(self, person: Player) -> Entry:
        pair = next(entry for entry in self.division.entries.all() if person in _people(entry.player))
        return Entry.objects.select_related("player", "division__tournament__club").get(pk=pair.pk)

    def path(self, person: Player, generation: int = 0) -> str:
        return path_for(self.event, person, generation)


def _people(pair: Player) -> tuple[Player, Player]:
    return pair.pair.first, pair.pair.second


@pytest.fixture
def doubles(
    make_division: Callable[..., Division], bob_player: Player, carol_player: Player, by_alice: Actor
) -> Doubles:
    people = [bob_player, *(Player.objects.create(name=name) for name in ("Eva", "Dora")), carol_player]
    bob, eva, dora, carol = people
    division = make_division(name="Doubles", match_length=3, rated=False)
    Division.objects.filter(pk=division.pk).update(sides=Division.Sides.TWO)
    with transaction.atomic():
        pairs = [pair_of(bob, eva), pair_of(dora, carol)]
    return Doubles(drawn_as(division, [StageSettings("knockout")], pairs, by_alice), people)


def test_each_has_a_link_of_the_event_that_leads_to_their_own_of_the_match(doubles: Doubles) -> None:
    for person in doubles.people:
        side = doubles.match.players.index(doubles.entry(person).player)
        second = _people(doubles.match.players[side])[1] == person
        assert match_links(doubles.path(person)) == [f"/m/{links.token_for(doubles.match, side, second=second)}/"]
    assert "You play with <bdi>Bob</bdi>." in html(Client().get(doubles.path(doubles.people[1])))
    assert Client().get(doubles.path(doubles.entry(doubles.people[0]).player)).status_code == 404, "a pair has none"


def test_a_division_of_pairs_counts_pairs(doubles: Doubles) -> None:
    for page in (doubles.url, doubles.url.partition("divisions/")[0]):
        assert "2 pairs" in " ".join(html(Client().get(page)).split()), page


def test_revoking_one_link_ends_hers_and_renews_those_of_the_match_for_both(
    doubles: Doubles, alice_client: Client
) -> None:
    bob, eva, dora, _carol = doubles.people
    before = {person: match_links(doubles.path(person))[0] for person in doubles.people}
    page = f"{doubles.url}entries/{doubles.entry(eva).public_id}/link/"
    shown = html(alice_client.get(page))
    assert all(doubles.path(person) in shown for person in (bob, eva))
    stranger = {"generation": "0", "person": dora.public_id}
    assert alice_client.post(f"{page}revoke/", stranger).status_code == 404
    for _twice in range(2):
        assert alice_client.post(f"{page}revoke/", {"generation": "0", "person": eva.public_id}).status_code == 302
    assert list(EventLink.objects.values_list("player", "generation")) == [(eva.pk, 1)]
    assert [Client().get(doubles.path(person)).status_code for person in (bob, eva, dora)] == [200, 404, 200]
    after = {person: match_links(doubles.path(person, int(person == eva)))[0] for person in doubles.people}
    assert {person.name for person in doubles.people if before[person] != after[person]} == {"Bob", "Eva"}


def test_programs_name_whose_link_of_a_pair_they_mean(doubles: Doubles, alice_client: Client) -> None:
    bob, eva, dora, _carol = doubles.people
    path = f"/api/v1/entries/{doubles.entry(eva).public_id}/link/"
    assert alice_client.get(path).json()["url"].endswith(doubles.path(bob)), "the first"
    hers = alice_client.get(f"{path}?person={eva.public_id}").json()
    assert (hers["url"].endswith(doubles.path(eva)), hers["generation"]) == (True, 0)
    others = Player.objects.create(name="Zed"), dora
    for request in (alice_client.get, alice_client.delete):
        assert [request(f"{path}?person={person.public_id}").status_code for person in others] == [404, 404]
    assert not EventLink.objects.exists()
    assert alice_client.delete(f"{path}?person={eva.public_id}").status_code == 204
    assert list(EventLink.objects.values_list("player", flat=True)) == [eva.pk]


def test_cards_are_printed_for_each_person_once(doubles: Doubles, alice: User, alice_client: Client) -> None:
    page = html(alice_client.get(f"{doubles.url}paper/personal-links/"))
    assert page.count("link-card-code") == 4
    printed, left_out = link_cards(doubles.event, [doubles.division], Actor.of(alice), str)
    assert ([link.player.name for link in printed], left_out) == (["Bob", "Carol", "Dora", "Eva"], 0)


def test_a_director_who_plays_gets_neither_link_of_the_other_pair(
    doubles: Doubles, bob: User, club: Club, alice: User
) -> None:
    Membership.objects.update_or_create(club=club, player=doubles.people[0], defaults={"role": "director"})
    own, other = doubles.entry(doubles.people[0]), doubles.entry(doubles.people[2])
    assert withheld_from(doubles.event, Actor.of(bob)) == {doubles.people[2].pk, doubles.people[3].pk}
    with pytest.raises(Refused, match="link_of_opponent"):
        links_to_hand_out(other, Actor.of(bob), str)
    assert len(links_to_hand_out(own, Actor.of(bob), str)) == 2
    assert withheld_from(doubles.event, Actor.of(alice)) == frozenset()


def test_each_of_a_pair_is_handed_their_own_link_of_a_match(doubles: Doubles, alice_client: Client) -> None:
    match = doubles.match
    tokens = [links.token_for(match, side, second=second) for side in (0, 1) for second in (False, True)]
    page = html(alice_client.get(f"/matches/{match.public_id}/links/"))
    assert all(page.count(f"/m/{token}/") == 2 for token in tokens)
    found = alice_client.get(f"/api/v1/matches/{match.public_id}/links/").json()
    assert [
        url.split("/")[-2] for row in zip(found["personal"], found["partners"], strict=True) for url in row
    ] == tokens


def test_the_pages_of_a_partner_have_the_match_of_the_pair(
    doubles: Doubles, bob: User, carol: User, as_user: Callable[[User | None], Client]
) -> None:
    for user, partner, opponents in ((bob, "Eva", "Dora & Carol"), (carol, "Dora", "Bob & Eva")):
        own = my_matches(user, timezone.now())["next"]
        assert (own.partner, own.opponent) == (partner, opponents)
        client = as_user(user)
        for page in ("/", "/my/"):
            assert f"You play with <bdi>{partner}</bdi>." in html(client.get(page))
        [mine] = event_home(user, doubles.event, timezone.now())["mine"]
        assert mine.opponent == opponents
        assert is_own_player(user, doubles.entry(user.player).player)
    assert not is_own_player(bob, doubles.entry(carol.player).player)


def test_no_board_opens_for_a_pair(doubles: Doubles, bob: User, alice: User) -> None:
    for by in (Actor.of(bob), Actor.of(alice)):
        with pytest.raises(Refused, match="pairs_at_tables"):
            start(match=doubles.match, settings=PlaySettings(), by=by, now=timezone.now())


def test_the_letter_of_the_morning_after_is_for_both(doubles: Doubles, by_alice: Actor) -> None:
    play(doubles.division, by_alice, Random(3))
    Division.objects.update(status=Division.Status.FINISHED)
    Tournament.objects.update(status=Tournament.Status.FINISHED)
    later = timezone.now() + timedelta(days=1)
    letters = [letter_of_guest(person, doubles.event, later) for person in doubles.people]
    ranks = [letter and letter.places for letter in letters]
    assert ranks[0] == ranks[1] != ranks[2] == ranks[3]
    assert {"You came 1st in Doubles.", "You came 2nd in Doubles."} == {place for (place,) in filter(None, ranks)}
    assert letters[0] is not None
    assert "Dora & Carol" in letters[0].matches[0].line
