"""Pairs that were made on paper while the site could not be reached, typed afterwards."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from formats.settings import SWISS, StageSettings
from formats.settings import PairingMode as Mode
from players.actors import Actor
from players.models import Player, User
from tests.pages import html
from tests.tournaments.floor.test_batches import SWITCH, Night, lives_of, people, start, verify, waits  # noqa: F401, fixtures
from tournaments.draws.kept_apart import keep_apart
from tournaments.floor.calls import call_ready
from tournaments.floor.lines import enter_lines, preview_line
from tournaments.models import Batch, Entry, Fixture, OpenPairing, Pairing, Tournament
from tournaments.results.quick_entry import LineOutcome
from tournaments.state.integrity import Selection, differences

pytestmark = pytest.mark.django_db
NAMES = (
    "Ann Smith", "Bob Jones", "Cleo Brown", "Dan Ito", "Eve Park", "Finn Wolf", "Gus Lind", "Hana Mori", "Ivo Petrov",
    "Jan van Dam", "Kim de la Cruz", "Leo Marsh", "Ann Stone",
)  # fmt: skip


@pytest.fixture
def night(start: Callable[..., Tournament], people: list[Player], by_alice: Actor) -> Night:  # noqa: F811, fixtures
    """A night after its first five matches, in each of which the first player has won; then the site was gone."""
    for player, name in zip(people, NAMES, strict=True):
        player.name = name
        player.save()
    evening = Night(start(tables=5), by_alice)
    evening.now += timedelta(minutes=20)
    for fixture in evening.open():
        evening.win(fixture, 0)
    evening.now += timedelta(minutes=90)
    return evening


def typed(night: Night, *lines: str) -> list[LineOutcome]:
    return enter_lines(tournament=night.event, text="\n".join(lines), division=None, by=night.by, now=night.now)


def codes(outcomes: list[LineOutcome]) -> list[str]:
    return [row.refused.code if row.refused is not None else str(row.what) for row in outcomes]


def here(night: Night) -> list[Entry]:
    return [row.entry for row in waits(night)]


def slip(number: int, first: Entry, second: Entry) -> str:
    return f"m{number} {first.player.name}, {second.player.name}"


@pytest.mark.slow
def test_pairs_and_results_of_an_evening_on_paper_are_typed_in_any_order(night: Night, client: Client) -> None:
    first, second, third, *_rest = here(night)
    outcomes = typed(night, "m142 5-2", slip(142, first, third), "m141 3-5", slip(141, first, second))
    assert codes(outcomes) == ["booked", "done", "booked", "done"]
    assert outcomes[3].sentence.endswith("paired on paper.")
    rows = Pairing.objects.filter(number__in=(141, 142)).order_by("number")
    assert [(row.is_on_paper, row.batch.number) for row in rows] == [(True, 2), (True, 3)]
    assert list(differences(Selection.of())) == []
    night.now += timedelta(minutes=1)
    night.play()
    assert min(Pairing.objects.filter(batch__number__gt=3).values_list("number", flat=True)) == 143
    assert list(differences(Selection.of())) == []
    assert verify(night, client) == ([], 2)


def test_the_first_of_two_names_may_be_long(night: Night) -> None:
    typed(night, "m141 kim de la cruz jan van dam")
    pairing = Pairing.objects.select_related("first__player", "second__player").get(number=141)
    assert {pairing.first.player.name, pairing.second.player.name} == {"Kim de la Cruz", "Jan van Dam"}


@pytest.mark.slow
def test_what_cannot_be_on_a_slip_is_refused(night: Night) -> None:
    first, second, third, fourth, *_rest = here(night)
    number = Fixture.objects.latest("number").number
    for line, code in (
        (slip(number, first, second), "slip_used"),
        (slip(4100, first, second), "slip_too_far"),
        (slip(0, first, second), "slip_too_far"),
        ("m141 7-3", "slip_no_pair"),
        ("m141 smith nobody", "slip_nobody"),
        ("m141 smith smith", "slip_nobody"),
        ("m141 ann jones", "slip_unclear"),
        ("m141 smith", "line_without_result"),
    ):
        assert codes(typed(night, line)) == [code], line
    assert Batch.objects.count() == 1
    assert codes(typed(night, slip(141, first, second), slip(142, first, third))) == ["done", "slip_playing"]
    assert codes(typed(night, slip(141, first, second))) == ["done"], "the same slip typed again"
    assert codes(typed(night, slip(141, third, fourth))) == ["slip_used"]
    assert Batch.objects.count() == 2


@pytest.mark.slow
def test_somebody_who_is_out_is_refused(night: Night) -> None:
    lives = lives_of(night)
    last, *_rest = (row for row in here(night) if lives[row.pk] == 1)
    first, second, *_more = (row for row in here(night) if lives[row.pk] == 2)
    outcomes = typed(night, slip(141, first, last), "m141 5-1", slip(142, last, second))
    assert codes(outcomes) == ["done", "booked", "slip_out"]
    assert outcomes[2].sentence == f"{last.player.name} is out, or has played all their matches."


@pytest.mark.slow
def test_a_slip_is_undone_after_its_result(night: Night) -> None:
    first, second, *_rest = here(night)
    before = lives_of(night)
    typed(night, slip(141, first, second), "m141 5-1")
    assert codes(typed(night, "undo")) == ["undone"]
    night.event.refresh_from_db()
    assert lives_of(night) == before
    assert codes(typed(night, "undo m141")) == ["undone"]
    assert Pairing.objects.get(number=141).taken_back == Pairing.TakenBack.TYPED
    assert not OpenPairing.objects.exists()
    assert {first.pk, second.pk} <= {row.pk for row in here(night)}
    assert list(differences(Selection.of())) == []
    assert codes(typed(night, slip(141, first, second))) == ["slip_used"]
    assert codes(typed(night, slip(142, first, second))) == ["done"]


@pytest.mark.slow
def test_a_match_on_paper_is_not_called(night: Night) -> None:
    lines = [slip(140 + at, *here(night)[:2]) for at in (1,)]
    typed(night, *lines)
    call_ready(tournament_id=night.event.pk, now=night.now)
    fixture = Fixture.objects.get(number=141)
    assert not fixture.floor_events.filter(kind="called").exists()


def test_the_line_says_who_is_paired_before_enter(night: Night) -> None:
    first, second, *_rest = here(night)

    def preview(line: str) -> str:
        shown = preview_line(tournament=night.event, text=line, by=night.by, now=night.now)
        assert shown is not None
        return shown.text

    assert preview(slip(141, first, second)) == (
        f"After Enter: M141 {first.player.name} – {second.player.name}: paired on paper."
    )
    assert preview("m141 7-3") == "Nobody is paired in M141. Type the pair too: m141 smith jones"
    assert Batch.objects.count() == 1


def test_two_who_are_kept_apart_may_have_met_on_paper(night: Night) -> None:
    first, second, *_rest = here(night)
    keep_apart(first=first, second=second, by=night.by, now=night.now)
    assert codes(typed(night, slip(141, first, second))) == ["done"]


def test_only_directors_type_slips(night: Night, erin: User) -> None:
    first, second, *_rest = here(night)
    by = Actor.of(erin)
    for user_lines in (slip(141, first, second), slip(142, first, second)):
        outcomes = enter_lines(tournament=night.event, text=user_lines, division=None, by=by, now=night.now)
        assert codes(outcomes) == ["directors_only"]
    assert Batch.objects.count() == 1


@pytest.mark.slow
def test_the_snapshot_prints_a_card_for_everybody_who_is_in_and_slips(
    night: Night, alice: User, as_user: Callable[[User], Client]
) -> None:
    page = html(as_user(alice).get(reverse("paper-snapshot", args=[night.event.club.slug, night.event.slug])))
    cards = {
        entry.pk: card
        for card in page.split('class="flow-card"')[1:]
        for entry in here(night)
        if entry.player.name in card.split("</h4>")[0]
    }
    lives = lives_of(night)
    assert len(cards) == len(lives) == 13
    for pk, card in cards.items():
        begun = Pairing.objects.filter(first=pk).count() + Pairing.objects.filter(second=pk).count()
        lost, played = (part.count("is-filled") for part in card.split("flow-boxes")[1:])
        assert (lost, played) == (2 - lives[pk], begun)
        assert ("has-met-nobody" in card) is (begun == 0)
    assert page.split("flow-how")[1].split("</ol>")[0].count("<li>") == 4
    numbers = [int(number) for number in re.findall(r"<span>M(\d+)</span>", page)]
    assert numbers == list(range(101, 100 + sum(lives.values())))
    assert codes(typed(night, slip(numbers[0], *here(night)[:2]))) == ["done"]


@pytest.mark.slow
def test_the_score_of_a_slip_is_in_the_order_of_its_names(night: Night) -> None:
    lives = lives_of(night)
    low, high, *_rest = sorted((row for row in here(night) if lives[row.pk] == 2), key=lambda row: row.pk)
    typed(night, slip(141, high, low), "m141 5-1")
    assert (lives_of(night)[high.pk], lives_of(night)[low.pk]) == (2, 1)
    assert codes(typed(night, slip(141, low, high))) == ["slip_used"], "the score would be the wrong way round"
    assert list(differences(Selection.of())) == []


@pytest.mark.slow
def test_cards_of_a_swiss_show_points_and_the_matches_left(
    start: Callable[..., Tournament],  # noqa: F811, a fixture
    by_alice: Actor,
    alice: User,
    as_user: Callable[[User], Client],
) -> None:
    stages = (StageSettings(SWISS, rounds=3, lengths=(5,), pairing=Mode.CONTINUOUS),)
    night = Night(start(stages=stages, tables=5), by_alice)
    night.now += timedelta(minutes=20)
    night.win(night.open()[0], 0)
    page = html(as_user(alice).get(reverse("paper-snapshot", args=[night.event.club.slug, night.event.slug])))
    cards = page.split('class="flow-card"')[1:]
    assert {card.count("flow-box ") + card.count('flow-box"') for card in cards} == {3}
    assert sorted(re.findall(r"Points</span>\s*(\d)", page)) == ["0"] * 12 + ["1"]
    assert "for each number of points" in page
    first, second, *_rest = here(night)
    assert codes(typed(night, slip(101, first, second), "m101 5-3")) == ["done", "booked"]


def test_the_preview_of_a_correction_speaks_of_no_rounds(
    start: Callable[..., Tournament],  # noqa: F811, a fixture
    by_alice: Actor,
    alice: User,
    as_user: Callable[[User], Client],
) -> None:
    night = Night(start(stages=SWITCH, tables=5), by_alice)
    first = night.open()[0]
    night.win(first, 0)
    url = reverse("fixture-correct", args=[night.event.club.slug, night.event.slug, first.public_id])
    shown = {"kind": "played", "winner": 1, "left": 3, "right": 5, "rated": "1"}
    page = html(as_user(alice).get(url, shown))
    assert "Standings · Stage 1 · Without rounds" in page
    assert "· Rounds" not in page
