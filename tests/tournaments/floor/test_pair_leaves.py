"""A pair of which one does not come or leaves: who is missing, and playing without them, on the floor's pages."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from formats.settings import KNOCKOUT, StageSettings
from matches.models import Result
from players.actors import Actor
from players.models import Player
from players.people.pairs import pair_of
from tests.event_cast import NOON
from tests.tournaments.support.pages import text
from tests.tournaments.support.played_stages import drawn_as
from tournaments.entries.check_in import attendees
from tournaments.floor import calls, evening, selectors
from tournaments.floor.undo import last_act, undo
from tournaments.models import CheckIn, Division, Entry, Fixture, Tournament
from tournaments.results.quick_entry import forfeit_missing

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

KNOCKOUT_TO_5 = [StageSettings(KNOCKOUT, lengths=(5,))]


@dataclass
class Doubles:
    """Ann & Bea against Cem & Dan in the doubles, and each of the four in the main, at four tables."""

    event: Tournament
    people: list[Player]
    pair: Player
    by: Actor

    @property
    def entry(self) -> Entry:
        return Entry.objects.select_related("player", "division__tournament__club").get(player=self.pair)

    @property
    def fixture(self) -> Fixture:
        rows = Fixture.objects.select_related("stage__division__tournament__club", "match")
        return rows.get(slots__entry=self.entry, round__number=1)

    @property
    def side(self) -> int:
        return self.fixture.slots.get(entry=self.entry).side

    @property
    def url(self) -> str:
        return f"/events/{self.event.club.slug}/{self.event.slug}/floor/"

    def main_of(self, player: Player) -> Fixture:
        """The first match of one of them in the main."""
        rows = Fixture.objects.select_related("stage__division__tournament", "match")
        return rows.get(slots__entry__player=player, round__number=1)

    def reasons(self, fixture: Fixture) -> list[tuple[str, str]]:
        view = selectors.floor(self.event, timezone.now())
        rows = view.matches[fixture.pk].reasons
        return [(row.code, view.names[row.params["player"]]) for row in rows if "player" in row.params]

    def states(self) -> list[str]:
        return [who.state for who in attendees(self.event, [self.entry], timezone.now())]


@pytest.fixture
def doubles(make_division: Callable[..., Division], by_alice: Actor) -> Doubles:
    names = ("Ann", "Bea", "Cem", "Dan")
    people = [Player.objects.create(name=name) for name in names]
    main, both = make_division(name="Main"), make_division(name="Doubles")
    main.tournament.tables = 4
    main.tournament.save()
    both.tournament = main.tournament
    both.sides = Division.Sides.TWO
    both.save()
    pair, other = pair_of(*people[:2]), pair_of(*people[2:])
    for division, players in ((main, people), (both, [pair, other])):
        drawn_as(division, KNOCKOUT_TO_5, players, by_alice)
    evening.open_floor(tournament=Tournament.objects.get(pk=main.tournament_id), by=by_alice, now=NOON)
    return Doubles(Tournament.objects.get(pk=main.tournament_id), people, pair, by_alice)


def test_the_forfeit_of_a_pair_marks_only_who_is_missing(doubles: Doubles) -> None:
    ann, bea, *_others = doubles.people
    now = timezone.now()
    forfeit_missing(fixture=doubles.fixture, side=doubles.side, missing=[bea], by=doubles.by, now=now)
    assert doubles.states() == [CheckIn.State.MISSING, CheckIn.State.MISSING]
    assert Result.objects.get().winner == 1 - doubles.side
    view = selectors.floor(doubles.event, timezone.now())
    assert view.state.presence.no_shows == {bea.pk}
    assert ("not_here", "Bea") in doubles.reasons(doubles.main_of(bea))
    assert ("not_here", "Ann") not in doubles.reasons(doubles.main_of(ann))


def test_the_forfeit_alone_marks_nobody(doubles: Doubles) -> None:
    forfeit_missing(fixture=doubles.fixture, side=doubles.side, by=doubles.by, now=timezone.now())
    assert selectors.floor(doubles.event, timezone.now()).state.presence.no_shows == frozenset()


def test_the_page_asks_who_of_a_pair_is_missing(doubles: Doubles, alice_client: Client) -> None:
    calls.call(fixture=doubles.fixture, by=doubles.by, now=timezone.now() - timedelta(minutes=20))
    page = alice_client.get(doubles.url).content.decode()
    assert "Who is missing?" in text(page)
    for name, player in (("Ann", doubles.people[0]), ("Bea", doubles.people[1])):
        assert f'name="missing" value="{player.public_id}"' in page
        assert f">{name}</button>" in page
    data = {"fixture": doubles.fixture.public_id, "side": doubles.side, "missing": doubles.people[1].public_id}
    alice_client.post(f"{doubles.url}do/no-show/", data)
    view = selectors.floor(doubles.event, timezone.now())
    assert view.state.presence.no_shows == {doubles.people[1].pk}


def test_three_taps_let_a_pair_play_without_one_and_a_fourth_undoes_it(doubles: Doubles, alice_client: Client) -> None:
    bea = doubles.people[1]
    calls.call(fixture=doubles.main_of(bea), by=doubles.by, now=timezone.now())
    assert ("busy", "Bea") in doubles.reasons(doubles.fixture)
    sheet = alice_client.get(f"{doubles.url}matches/{doubles.fixture.public_id}/").content.decode()
    assert "Plays without Bea" in text(sheet)
    assert f"{doubles.entry.public_id}/withdraw/" in sheet
    assert f"{doubles.entry.public_id}/substitute/" in sheet
    data = {"entry": doubles.entry.public_id, "person": bea.public_id, "excused": "1"}
    answer = alice_client.post(f"{doubles.url}do/excuse/", data, follow=True).content.decode()
    assert "Ann plays without Bea." in text(answer)
    assert doubles.states()[1] == CheckIn.State.EXCUSED
    assert ("busy", "Bea") not in doubles.reasons(doubles.fixture)
    public = Client().get(f"{doubles.url.removesuffix('floor/')}{doubles.entry.division.public_id}/").content.decode()
    assert "Ann plays without Bea." in text(public), "everybody can read it"
    sheet = alice_client.get(f"{doubles.url}matches/{doubles.fixture.public_id}/").content.decode()
    assert "Bea plays again" in text(sheet)
    assert "Plays without Ann" not in text(sheet), "somebody has to play"
    act = last_act(doubles.event, doubles.by)
    assert act is not None
    assert "Bea" in act.text
    undo(tournament=doubles.event, act=act, by=doubles.by, now=timezone.now())
    assert doubles.states() == [CheckIn.State.MISSING, CheckIn.State.MISSING]
    assert ("busy", "Bea") in doubles.reasons(doubles.fixture)


def test_only_one_of_the_pair_can_be_named(doubles: Doubles, alice_client: Client) -> None:
    cem = doubles.people[2]
    data = {"entry": doubles.entry.public_id, "person": cem.public_id, "excused": "1"}
    answer = alice_client.post(f"{doubles.url}do/excuse/", data, follow=True).content.decode()
    assert "Cem is not one of this pair." in text(answer)
    stranger = Player.objects.create(name="Zed")
    alice_client.post(f"{doubles.url}do/excuse/", data | {"person": stranger.public_id})
    assert not CheckIn.objects.exists()
