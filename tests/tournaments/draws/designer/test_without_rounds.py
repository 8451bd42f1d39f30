"""The format page offers lives and Swiss without rounds beside rounds."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from formats.presets import preset
from formats.settings import PairingMode
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import NOON
from tests.pages import html
from tests.tournaments.support.designer import designer_data
from tests.tournaments.support.pages import text
from tournaments.draws.evenings import Evening, proposed_stages
from tournaments.entries import services as entries
from tournaments.models import Division, Tournament
from tournaments.state.stages import stage_settings

pytestmark = pytest.mark.django_db


@pytest.fixture
def division(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Division:
    division = make_division(name="Open", match_length=5)
    entries.enter(division=division, players=make_players(16), by=by_alice, now=NOON)
    ends = division.tournament.starts_at + timedelta(hours=8)
    Tournament.objects.filter(pk=division.tournament_id).update(tables=8, ends_at=ends)
    return Division.objects.select_related("tournament__club").get(pk=division.pk)


def address(division: Division, name: str) -> str:
    event = division.tournament
    return reverse(name, args=[event.club.slug, event.slug, division.public_id])


@pytest.mark.slow
def test_lives_without_rounds_and_their_bracket_are_stored(division: Division, client: Client, alice: User) -> None:
    client.force_login(alice)
    lives = {"format": "lives", "pairing": "continuous", "lives": "2", "lead": "1", "window": "2", "qualifiers": "8"}
    data = designer_data(division, lives, {"format": "knockout"})
    response = client.post(address(division, "design"), data, follow=True)
    assert "Lives without rounds, 2 lives, then Knockout" in text(html(response))
    first, second = stage_settings(division)
    assert (first.pairing, first.lead, first.window, first.qualifiers) == (PairingMode.CONTINUOUS, 1, 2, 8)
    assert second.format == "knockout"


def test_a_clock_alone_may_draw_the_bracket(division: Division, client: Client, alice: User) -> None:
    client.force_login(alice)
    lives = {"format": "lives", "pairing": "continuous", "lives": "2", "qualifiers": "", "switch_time": "22:30"}
    data = designer_data(division, lives, {"format": "knockout"})
    page = html(client.post(address(division, "design-show"), data))
    assert "field-error" not in page
    assert 'name="s1-qualifiers" value' not in page, "it stays empty while it is edited"
    client.post(address(division, "design"), data)
    assert (stage_settings(division)[0].switch_time, stage_settings(division)[0].qualifiers) == ("22:30", 2)


def test_the_preview_compares_rounds_and_no_rounds(division: Division, client: Client, alice: User) -> None:
    client.force_login(alice)
    lives = {"format": "lives", "pairing": "continuous", "lives": "2", "lengths": "5"}
    page = text(html(client.post(address(division, "design-show"), designer_data(division, lives, closes="23:30"))))
    assert "A player waits" in page
    assert "In rounds Nobody gains anything by being slow." in page
    assert "Without rounds ✓ For club nights: who sits out skips at most 2 matches." in page
    assert "Minutes between the first possible pair and its pairing" in page
    assert "When a round is complete, the next one" not in page


@pytest.mark.slow
def test_where_there_is_a_fee_strict_is_proposed(division: Division, client: Client, alice: User) -> None:
    client.force_login(alice)
    in_rounds = {"format": "lives", "lives": "2", "lengths": "5"}
    standard = in_rounds | {"pairing": "continuous"}

    def shown(stage: dict[str, str], **more: str) -> str:
        data = designer_data(division, stage, closes="23:30", **more)
        return text(html(client.post(address(division, "design-show"), data)))

    assert "Without rounds For club nights" in shown(in_rounds)
    free = "The first match missed is free. Coming or reporting late can double the chance to win."
    assert free in shown(standard)
    Division.objects.filter(pk=division.pk).update(fee=2000)
    assert "Without rounds Strict, for fees and prizes" in shown(in_rounds)
    assert f"{free} Choose a lead of 1 (strict): there is a fee or a prize." in shown(standard)
    evening = Evening(16, 8, division.tournament.starts_at, division.tournament.starts_at + timedelta(hours=8))
    for at_stake, settings in ((False, (2, 0)), (True, (1, 2))):
        (proposed,) = proposed_stages("flow", replace(evening, at_stake=at_stake)) or ()
        assert (proposed.lead, proposed.window) == settings


@pytest.mark.parametrize(("entries", "places"), [(13, 8), (24, 16)])
def test_the_strict_preset_ends_in_a_bracket(entries: int, places: int) -> None:
    first, second = preset("flow_strict", entries)
    assert (first.lead, first.window, first.qualifiers, second.format) == (1, 2, places, "knockout")
