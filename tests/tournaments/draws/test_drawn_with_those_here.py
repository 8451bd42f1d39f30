"""A draw that leaves out whoever is not checked in; they go on the waiting list and can be let in late."""

from collections.abc import Callable

import pytest
from django.test import Client

from engine.errors import Refused
from formats.plans import draw_places
from formats.settings import StageSettings
from players.actors import Actor
from players.models import Notification, Player, User
from players.notifications.kinds import texts_of
from tests.tournaments.support.pages import text
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.draws import services as draws
from tournaments.draws import undo
from tournaments.entries import check_in
from tournaments.events import services as events
from tournaments.models import Division, Draw, Entry
from tournaments.state import stages
from tournaments.state.plans import settings_of

pytestmark = pytest.mark.django_db


class Evening(DivisionDriver):
    """Eight players entered; the first five are here."""

    def open(self, format_: str) -> "Evening":
        """Set the format, publish the event and check the first five players in."""
        settings = [StageSettings(format_)]
        stages.set_stages(division=self.division, stages=settings, after=self.seq, by=self.by, now=self.now())
        events.publish_tournament(tournament=self.division.tournament, by=self.by, now=self.now())
        for entry in self.division.entries.order_by("pk")[:5]:
            self.arrive(entry)
        return self

    def arrive(self, entry: Entry) -> None:
        """Check a player in."""
        check_in.mark(entry=entry, state="here", by=self.by, now=self.now())

    def draft(self, reason: str = "") -> Draw:
        """Make a draft with those here."""
        now = self.now()
        draw = draws.request_draw(division=self.division, by=self.by, now=now, reason=reason, here_only=True)
        draws.make_draft(draw_id=draw.pk, now=self.now())
        draw.refresh_from_db()
        return draw

    def names(self, status: str) -> list[str]:
        """The names of those with this status."""
        return list(self.division.entries.filter(status=status).order_by("pk").values_list("player__name", flat=True))


@pytest.fixture
def evening(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Evening:
    driver = Evening(make_division(), by_alice)
    driver.enter(make_players(8))
    return driver


MISSING = ["Player 6", "Player 7", "Player 8"]


def test_those_who_were_left_out_are_told_so(evening: Evening, bob: User, dave: User) -> None:
    evening.open("knockout")
    Player.objects.filter(name="Player 1").update(user=bob)
    Player.objects.filter(name="Player 8").update(user=dave)
    evening.draft()
    assert not Notification.objects.exists()
    evening.publish()
    rows = Notification.objects.filter(kind="draw_published").order_by("user__display_name")
    assert [text.sentence for text in texts_of(list(rows))] == [
        "The draw is out.", "You are not in the draw, because you were not checked in.",
    ]  # fmt: skip


def test_the_missing_wait_and_enter_late_into_a_bye(evening: Evening) -> None:
    draw = evening.open("knockout").draft()
    present = list(evening.division.entries.filter(checked_in_at__isnull=False).values_list("pk", flat=True))
    assert sorted(place for place in draw.places if place is not None) == sorted(present)
    assert len(evening.names("in")) == 8, "a draft changes nobody"

    evening.publish()
    assert evening.names("waiting") == MISSING
    drawn = dict(evening.division.entries.filter(status="in").values_list("pk", "rating"))
    seed = bytes.fromhex(draw.stage.seed)
    again = draw_places(settings_of(draw.stage), drawn, seed=seed, draft=draw.number)
    assert list(again.places) == draw.places, "everybody can repeat the draw from those who are in it"

    (late,) = evening.late(evening.division.entries.get(player__name="Player 7").player)
    assert late.status == Entry.Status.IN
    assert evening.names("waiting") == ["Player 6", "Player 8"]
    evening.play_out()
    assert is_clean()


def test_in_a_swiss_the_missing_join_in_the_next_round(evening: Evening) -> None:
    draw = evening.open("swiss").draft()
    evening.publish()
    late = evening.division.entries.get(player__name="Player 6")
    assert late.pk not in draw.places
    evening.late(late.player)
    evening.play_round()
    evening.work()
    second = evening.rounds()[1]
    assert late.pk in second.places
    assert len([place for place in second.places if place is not None]) == 6
    assert is_clean()


@pytest.mark.parametrize("format_", ["knockout", "swiss"])
def test_only_a_change_among_those_drawn_makes_the_draft_outdated(evening: Evening, format_: str) -> None:
    evening.open(format_).draft()
    sixth = evening.division.entries.get(player__name="Player 6")
    evening.arrive(sixth)
    evening.withdraw(evening.division.entries.get(player__name="Player 8"))
    evening.enter([Player.objects.create(name="Dave")])
    with pytest.raises(Refused, match="draft_outdated"):
        evening.publish()
    evening.withdraw(evening.division.entries.get(player__name="Dave"))
    evening.publish()
    assert evening.names("waiting") == ["Player 6", "Player 7"]


def test_taking_the_draw_back_gives_the_last_places_to_those_entered_first(evening: Evening) -> None:
    evening.open("knockout").draft()
    evening.publish()
    Division.objects.filter(pk=evening.division.pk).update(capacity=7)
    undo.undo_published_draw(
        division=evening.division, reason="wrong format", after=evening.seq, by=evening.by, now=evening.now()
    )
    assert evening.names("waiting") == ["Player 8"]
    assert evening.names("in")[-2:] == ["Player 6", "Player 7"]


def test_taking_the_draw_back_enters_them_again(evening: Evening) -> None:
    evening.open("knockout").draft()
    evening.publish()
    undo.undo_published_draw(
        division=evening.division, reason="They are coming", after=evening.seq, by=evening.by, now=evening.now()
    )
    assert len(evening.names("in")) == 8
    assert evening.names("waiting") == []


def test_nobody_here_is_too_few(evening: Evening) -> None:
    evening.open("knockout")
    for entry in evening.division.entries.all():
        check_in.mark(entry=entry, state="missing", by=evening.by, now=evening.now())
    with pytest.raises(Refused, match="too_few_entries"):
        evening.draft()


def test_the_page_offers_it_once_somebody_is_here_and_names_the_missing(evening: Evening, alice_client: Client) -> None:
    event = evening.division.tournament
    url = f"/events/{event.club.slug}/{event.slug}/{evening.division.public_id}/draw/"
    assert "here_only" not in alice_client.get(url).content.decode()
    evening.open("knockout")
    page = text(alice_client.get(url).content.decode())
    assert "Draw with the 5 here" in page
    assert "Not checked in: Player 6, Player 7, Player 8 ." in page

    alice_client.post(f"{url}request/", {"here_only": "on"})
    draws.make_draft(draw_id=Draw.objects.get().pk, now=evening.now())
    page = text(alice_client.get(url).content.decode())
    assert "Left out because not checked in: Player 6, Player 7, Player 8 ." in page
    assert "Let them in late from there while a bye is free." in page
    evening.arrive(evening.division.entries.get(player__name="Player 6"))
    page = text(alice_client.get(url).content.decode())
    assert "Checked in since this draft: Player 6 . Draw again to include them." in page
    assert "Draw with the 6 here" in page

    alice_client.post(f"{url}request/", {"reason": "Player 6 came"})
    draws.make_draft(draw_id=Draw.objects.get(state="requested").pk, now=evening.now())
    page = text(alice_client.get(url).content.decode())
    assert "In this draft but not checked in: Player" in page
    assert "Left out" not in page


def test_an_event_is_published_once_and_a_draw_only_from_its_draft(evening: Evening) -> None:
    evening.open("knockout")
    with pytest.raises(Refused, match="tournament_not_draft"):
        events.publish_tournament(tournament=evening.division.tournament, by=evening.by, now=evening.now())
    with pytest.raises(Refused, match="no_draft"):
        evening.publish()
