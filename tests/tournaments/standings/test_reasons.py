"""Explanations on pages: why a place, with the names behind every figure, and why a pairing or a bye."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from formats.elimination.byes import LowerByes
from formats.settings import StageSettings
from formats.tables.tiebreaks import plain
from players.actors import Actor
from players.models import Player
from tests.pages import html
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tests.tournaments.support.played_stages import STAGES, play, ready
from tournaments.models import Division, Fixture, Slot
from tournaments.standings.pairing_reasons import reasons_of
from tournaments.standings.standings import standings_of
from tournaments.state.derivation import states_of
from tournaments.state.names import names_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def builder(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> DivisionBuilder:
    return DivisionBuilder(make_division, make_players, by_alice)


def page(division: Division, name: str, *args: object) -> str:
    event = division.tournament
    url = reverse(name, args=[event.club.slug, event.slug, division.public_id, *args])
    response = Client().get(url)
    assert response.status_code == 200
    return html(response)


def played(builder: DivisionBuilder, by: Actor, players: int, name: str, rounds: int) -> Division:
    """A division of which so many rounds are played and the next one is paired."""
    division = builder.drawn(players, *STAGES[name])
    for _ in range(rounds):
        builder.play(division, most=len(ready(division)))
        play(division, by, builder.rng, most=0)
    return division


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "½"), (2.5, "2½"), (1 / 3 + 2, "2⅓"), (2 / 3, "⅔"), (3.0, "3"), (-1.75, "-1¾"), (0.1, "0.1")],
)
def test_fractions_are_written_as_players_write_them(value: float, text: str) -> None:
    assert plain(value) == text


def test_every_part_of_a_tie_break_has_its_name(builder: DivisionBuilder, by_alice: Actor) -> None:
    """Of five, one has the bye, which counts as well."""
    division = played(builder, by_alice, 5, "swiss", 2)
    names = names_for(None, division)
    (view,) = standings_of(division, names)
    for line in view.tables[0].lines:
        buchholz = next(figure for figure in line.figures if figure.code == "buchholz")
        content = page(division, "standing", line.person.public_id)
        figures = content.split('id="why-here"')[1].split('id="rounds"')[0]
        opponents = [names.of(cell.opponent) for cell in line.cells if cell.opponent is not None]
        for name in opponents:
            assert re.search(rf"{name} [\d½]+", figures)
        assert ("bye " in figures) is (len(opponents) < len(line.cells))
        assert f": {buchholz.text}." in figures


def test_every_swiss_pairing_and_bye_is_explained(builder: DivisionBuilder, by_alice: Actor) -> None:
    division = played(builder, by_alice, 7, "swiss", 2)
    overview = page(division, "pairings")
    fixtures = list(Fixture.objects.filter(stage__division=division, round__number=3))
    assert len(fixtures) == 4
    for fixture in fixtures:
        content = page(division, "pairing", fixture.number)
        assert f"pairings/{fixture.number}/" in overview
        if Slot.objects.filter(fixture=fixture, status=Slot.Status.BYE).exists():
            assert "Why this bye?" in content
            assert "had not had a bye" in content
        else:
            assert "They had not met before." in content
            assert "Before round 3" in content
    assert not re.search(r"\b1 points", overview)


@pytest.mark.parametrize(
    ("name", "words"), [("lives", "Lives left: "), ("double", " lost M"), ("progressive", " lost M")]
)
def test_lives_and_consolation_pairings_are_explained(
    name: str, words: str, builder: DivisionBuilder, by_alice: Actor
) -> None:
    division = played(builder, by_alice, 8, name, 2)
    names, states = names_for(None, division), states_of(division)
    found = [reasons_of(states, row.number, names) for row in Fixture.objects.filter(stage__division=division)]
    explained = [reasons for reasons in found if reasons is not None]
    assert all(reasons.sentences for reasons in explained)
    assert any(words in sentence for reasons in explained for sentence in reasons.sentences)


@pytest.mark.parametrize(
    ("byes", "words"),
    [
        (LowerByes.LOTS, "Of this round, 7 lines were drawn by lot"),
        (LowerByes.LINES, "By the plan, the bye is on this"),
    ],
)
def test_a_bye_of_a_consolation_says_how_it_was_decided(
    builder: DivisionBuilder, by_alice: Actor, byes: LowerByes, words: str
) -> None:
    division = builder.drawn(13, StageSettings("progressive", lower_byes=byes))
    for _ in range(3):
        builder.play(division, most=len(ready(division)))
        play(division, by_alice, builder.rng, most=0)
    names, states = names_for(None, division), states_of(division)
    found = [reasons_of(states, row.number, names) for row in Fixture.objects.filter(stage__division=division)]
    sentences = [sentence for reasons in found if reasons is not None for sentence in reasons.sentences]
    assert any(sentence.startswith(words) for sentence in sentences)


def test_players_who_met_before_are_told_so_where_rematches_are_allowed(
    builder: DivisionBuilder, by_alice: Actor
) -> None:
    division = builder.drawn(4, StageSettings("swiss", rounds=5, allow_rematches=True))
    for _ in range(4):
        builder.play(division, most=2)
        play(division, by_alice, builder.rng, most=0)
    fixture = ready(division)[0]
    assert re.search(r"They had met in rounds? [\d, ]+\.", page(division, "pairing", fixture.number))


def test_a_fixture_without_players_has_no_reasons(builder: DivisionBuilder) -> None:
    division = builder.drawn(8, *STAGES["knockout"])
    names, states = names_for(None, division), states_of(division)
    assert reasons_of(states, 99_999, names) is None
    final = Fixture.objects.filter(stage__division=division).order_by("-number")[0]
    assert reasons_of(states, final.number, names) is None


def test_a_long_table_leads_to_the_details_of_each_line(builder: DivisionBuilder, by_alice: Actor) -> None:
    division = builder.drawn(66, *STAGES["swiss"])
    content = page(division, "standings")
    assert "Page 1 of 2" in content
    assert content.count('class="why"') == 64
    assert "<details id=" not in content
    details = re.search(r'href="([^"]*/standings/[2-9a-z]{10}/\?stage=1&amp;round=0)"', content)
    assert details is not None
    assert Client().get(details[1].replace("&amp;", "&")).status_code == 200
