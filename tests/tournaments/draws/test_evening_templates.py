"""A division whose format follows from the players, the tables and the closing time, and is kept with the club."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from formats.settings import StageSettings
from players.actors import Actor
from players.models import Club
from tests.event_cast import NOW
from tests.pages import html
from tests.tournaments.events.test_event_pages import DIVISION
from tournaments.draws.evenings import Evening, EveningFormat, create_division_for
from tournaments.models import Division, EveningTemplate, Tournament
from tournaments.state.stages import set_stages, stage_settings

local = datetime.fromisoformat
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
PLAIN = DIVISION | {"deadlines": "", "lengths": "7"}


@pytest.fixture
def evening(tournament: Tournament) -> Tournament:
    """An event from 19:00 to 23:00 in Copenhagen with eight tables."""
    tournament.starts_at = datetime(2026, 11, 20, 18, tzinfo=UTC)
    tournament.ends_at = datetime(2026, 11, 20, 22, tzinfo=UTC)
    tournament.tables = 8
    tournament.save()
    return tournament


def test_the_format_is_proposed_explained_overridden_and_kept(
    alice_client: Client, club: Club, evening: Tournament
) -> None:
    new = f"/events/{club.slug}/{evening.slug}/new-division/"
    page = html(alice_client.get(new))
    assert re.search(r'name="done_by" value="23:00"', page), "the end of the event"
    assert 'name="template"' not in page
    assert alice_client.post(new, PLAIN | {"expected": "16", "done_by": ""}).status_code == 422

    page = html(alice_client.post(new, PLAIN | {"expected": "16", "done_by": "00:00"}, follow=True))
    assert "For 16 players, 8 tables and an end at 00:00: Knockout with consolation" in page
    assert re.search(r"Likely to be over at 23:\d\d; 9 of 10 evenings are over by 23:\d\d", page)
    division = Division.objects.get()
    assert (stage_settings(division)[0].format, division.lengths) == ("progressive", [5])

    design = f"/events/{club.slug}/{evening.slug}/{division.public_id}/format/"
    own = {
        "after": division.seq, "stages": "1", "s1-format": "swiss", "s1-shown": "swiss", "s1-rounds": "4",
        "s1-order": "random", "s1-next_round": "draft", "s1-countdown": "180", "s1-missed_points": "0.0",
        "s1-edition": "2026-03-01", "players": "16", "tables": "8", "starts": "2026-11-20T19:00", "closes": "00:00",
        "minutes": "11",
    }  # fmt: skip
    response = alice_client.post(design, own)
    assert response.status_code == 302
    assert EveningTemplate.objects.get().stages[0]["format"] == "swiss", "what the director chose instead"

    page = html(alice_client.get(new))
    assert "16 players, 8 tables, done by 00:00: Swiss, 4 rounds, to 5 points" in page
    again = PLAIN | {"name": "Second", "expected": "16", "done_by": "00:00"}
    page = html(alice_client.post(new, again, follow=True))
    assert "As last time with 16 players, 8 tables and an end at 00:00: Swiss, 4 rounds" in page
    chosen = PLAIN | {"name": "Third", "template": str(EveningTemplate.objects.get().pk), "done_by": "00:00"}
    alice_client.post(new, chosen)
    third = Division.objects.get(name="Third")
    assert (stage_settings(third)[0].format, third.lengths) == ("swiss", [5])


def test_sending_the_form_twice_leaves_the_format_that_was_changed_meanwhile(
    evening: Tournament, by_alice: Actor
) -> None:
    swiss = (StageSettings("swiss", rounds=3),)
    plan = Evening(16, 8, local("2026-11-20T19:00"), local("2026-11-20T23:00"))
    format_ = EveningFormat(plan, (StageSettings("knockout"),), (5,), None, kept=False)
    arguments: dict[str, Any] = {
        "tournament": evening,
        "settings": {"name": "Open"},
        "format_": format_,
        "by": by_alice,
        "now": NOW,
    }
    division = create_division_for(**arguments, key="once")
    set_stages(division=division, stages=swiss, after=division.seq, by=by_alice, now=NOW)
    again = create_division_for(**arguments, key="once")
    assert again == division
    assert stage_settings(again)[0].format == "swiss"
