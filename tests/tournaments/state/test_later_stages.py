"""Stages that follow: their pages are there before their first pairs, and what is over stays as it was."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from engine.errors import Refused
from formats.plans import checked_stages
from formats.settings import DOUBLE, GROUPS, KNOCKOUT, LIVES, ROUND_ROBIN, SWISS, NextRound, PairingMode, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player, User
from prizes.prizes import standings_of
from seasons.facts import facts_of_states
from tests.event_cast import NOON
from tests.pages import html
from tests.tournaments.support.pages import text
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.draws import kept_apart, rounds, services
from tournaments.entries import returns
from tournaments.entries.services import preview_withdrawal, withdraw
from tournaments.events.services import publish_tournament
from tournaments.floor import evening
from tournaments.floor.calls import call_ready
from tournaments.models import Autopilot, Division, Draw, Entry, Slot, Stage, Tournament
from tournaments.results.corrections import CorrectionInput, apply_correction
from tournaments.results.needs import round_need
from tournaments.results.services import withdraw_from_bracket
from tournaments.state.derivation import states_of

pytestmark = pytest.mark.django_db
FLOW = StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS)
FLOWING_SWISS = StageSettings(SWISS, rounds=1, pairing=PairingMode.CONTINUOUS)


class Hall(DivisionDriver):
    """A division with an open floor, whose autopilot calls."""

    def play(self, most: int = 300) -> None:
        """Play until nothing is left to do but what a director has to publish."""
        chance, idle = Random(1), 0
        for _step in range(most):
            call_ready(tournament_id=self.division.tournament_id, now=self.now())
            for draw in Draw.objects.filter(stage__division=self.division, state=Draw.State.REQUESTED):
                services.make_draft(draw_id=draw.pk, now=self.now())
            if ready := self.ready():
                self.report(ready[0], chance.randrange(2))
                idle = 0
            elif idle == 2:
                return
            else:  # Somebody may rest.
                self.at += timedelta(minutes=30)
                idle += 1

    def places(self) -> list[tuple[int, tuple[int, ...]]]:
        """The places of the last stage, for which prizes are given."""
        return [
            (row.first, tuple(row.entries)) for table in standings_of(self.division).values() for row in table.placings
        ]


@pytest.fixture
def hall(
    tournament: Tournament,
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
) -> Callable[..., Hall]:
    """Begin a division of so many players with these stages."""

    def begin(count: int, *stages: StageSettings) -> Hall:
        driver = Hall(make_division(match_length=5), by_alice)
        driver.enter(make_players(count))
        publish_tournament(tournament=tournament, by=by_alice, now=NOON)
        driver.division.tournament.refresh_from_db()
        evening.open_floor(tournament=tournament, by=by_alice, now=NOON)
        evening.set_autopilot(tournament=tournament, mode=Autopilot.CALL, by=by_alice, now=NOON)
        driver.begin(*stages)
        return driver

    return begin


def answers(client: Client, division: Division) -> dict[str, int]:
    """The status of each page that is open in the hall."""
    event = division.tournament
    own = [event.club.slug, event.slug]
    addresses = {name: reverse(name, args=own) for name in ("event", "floor", "event-wall", "paper-draws")}
    addresses |= {name: reverse(name, args=[*own, division.public_id]) for name in ("division", "standings")}
    addresses |= {name: reverse(name, args=[division.public_id]) for name in ("api-standings", "api-bracket")}
    addresses["api-floor"] = reverse("api-tournament-floor", args=[event.public_id])
    return {name: client.get(address).status_code for name, address in addresses.items()}


@pytest.fixture
def as_alice(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


@pytest.mark.slow
@pytest.mark.parametrize("later", [FLOWING_SWISS, FLOW, StageSettings(SWISS, rounds=1)])
def test_pages_open_while_the_first_pairs_of_a_later_stage_are_not_published(
    later: StageSettings, hall: Callable[..., Hall], as_alice: Client
) -> None:
    night = hall(4, StageSettings(KNOCKOUT, qualifiers=3), later)
    night.play()
    assert night.division.stages.get(number=2).draws.get().state == Draw.State.DRAFT
    assert set(answers(as_alice, night.division).values()) == {200}
    need = round_need(night.division)
    assert need is not None
    assert need.kind == "draft"


@pytest.mark.slow
def test_every_page_shows_the_bye_of_a_swiss_without_rounds(hall: Callable[..., Hall], as_alice: Client) -> None:
    night = hall(3, FLOWING_SWISS)
    night.play()
    night.division.refresh_from_db()
    assert night.division.status == Division.Status.FINISHED
    assert set(answers(as_alice, night.division).values()) == {200}


@pytest.mark.slow
def test_a_double_elimination_of_two(hall: Callable[..., Hall], as_alice: Client) -> None:
    night = hall(2, StageSettings(DOUBLE))
    assert set(answers(as_alice, night.division).values()) == {200}
    night.play()
    assert set(answers(as_alice, night.division).values()) == {200}
    assert [first for first, _entries in night.places()] == [1, 2]


@pytest.mark.parametrize(("players", "code"), [(4, "no_places_after_lives"), (9, "places_after_lives")])
def test_the_draft_says_which_bracket_suits_those_who_came(
    players: int, code: str, hall: Callable[..., Hall], as_alice: Client
) -> None:
    with pytest.raises(Refused):
        hall(
            players,
            StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS, qualifiers=16),
            StageSettings(KNOCKOUT),
        )
    (draw,) = Draw.objects.all()
    assert draw.refusal["code"] == code
    assert not Stage.objects.exclude(status=Stage.Status.PLANNED).exists()
    division = draw.stage.division
    page = as_alice.get(
        reverse("draw", args=[division.tournament.club.slug, division.tournament.slug, division.public_id])
    )
    sentence = "Choose 8." if code == "places_after_lives" else "Play to the last match."
    assert f"16 places after lives are too many for {players} players. {sentence}" in text(html(page))


def test_a_bracket_at_a_time_needs_a_knockout() -> None:
    by_the_clock = StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS, switch_time="22:00")
    assert len(checked_stages([by_the_clock, StageSettings(KNOCKOUT)])) == 2
    with pytest.raises(Refused, match="Stage 2 has to be a knockout"):
        checked_stages([by_the_clock, StageSettings(ROUND_ROBIN)])


@pytest.mark.slow
@pytest.mark.parametrize("later", [StageSettings(GROUPS, groups=2), StageSettings(DOUBLE)])
def test_whoever_has_lives_left_plays_in_the_next_stage(later: StageSettings, hall: Callable[..., Hall]) -> None:
    night = hall(8, StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS, qualifiers=8), later)
    night.play()
    night.division.refresh_from_db()
    assert night.division.status == Division.Status.FINISHED
    first, second = states_of(night.division)
    still_in = {row.entry for row in first.tables[0].rows if row.points > 0}
    slots = [slot for fixture in second.progress.fixtures.values() for slot in fixture.slots]
    assert {slot.entrant for slot in slots} - {None} == still_in
    assert is_clean(night.division)


@pytest.mark.slow
def test_who_comes_back_changes_nothing_in_a_bracket_that_has_begun(hall: Callable[..., Hall]) -> None:
    """A Swiss without rounds, in which they would have matches left."""
    swiss = StageSettings(SWISS, rounds=3, pairing=PairingMode.CONTINUOUS, qualifiers=4)
    night = hall(6, swiss, StageSettings(KNOCKOUT))
    gone = night.division.entries.order_by("pk")[0]
    night.withdraw(gone)
    while not (final := night.division.stages.get(number=2)).is_drawn:
        night.play(most=1)
    night.play(most=1)
    entrants = list(Slot.objects.filter(fixture__stage=final).order_by("pk").values_list("entry", flat=True))
    preview = returns.preview_return(entry=Entry.objects.get(pk=gone.pk))
    assert not preview.parts[0].following.changes
    returns.bring_back(entry=Entry.objects.get(pk=gone.pk), seen=preview.mark, by=night.by, now=night.now())
    slots = Slot.objects.filter(fixture__stage=final).order_by("pk")
    assert list(slots.values_list("entry", flat=True)) == entrants
    assert is_clean(night.division)
    night.play()
    places = night.places()
    night.withdraw(Entry.objects.get(pk=gone.pk))
    with pytest.raises(Refused, match="return_decided"):
        returns.preview_return(entry=Entry.objects.get(pk=gone.pk))
    assert night.places() == places


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        FLOW,
        StageSettings(LIVES, lives=2, next_round=NextRound.PUBLISH, countdown=0),
        StageSettings(ROUND_ROBIN, leaver_rule="delete"),
    ],
)
def test_the_winner_who_goes_home_has_won(settings: StageSettings, hall: Callable[..., Hall]) -> None:
    night = hall(4, settings)
    night.play_out(Random(2)) if not settings.is_continuous else night.play()
    night.division.refresh_from_db()
    assert night.division.status == Division.Status.FINISHED
    places = night.places()
    winner = Entry.objects.get(pk=places[0][1][0])
    (said,) = preview_withdrawal(entry=winner)
    assert not said.following.changes
    withdraw(entry=winner, by=night.by, now=night.now())
    assert night.places() == places
    assert is_clean(night.division)


@pytest.mark.slow
def test_the_winner_who_leaves_the_bracket_after_its_end_has_won(hall: Callable[..., Hall]) -> None:
    night = hall(4, FLOW)
    night.play()
    places = night.places()
    slot = Slot.objects.filter(entry=places[0][1][0]).select_related(
        "entry", "fixture__stage", "fixture__round__bracket"
    )
    withdraw_from_bracket(slot=slot[0], by=night.by, now=night.now())
    assert night.places() == places


def test_who_withdraws_before_the_end_has_not_won(hall: Callable[..., Hall]) -> None:
    night = hall(3, FLOW)
    while len(night.division.entries.filter(status=Entry.Status.IN)) > 1:
        night.withdraw(night.division.entries.filter(status=Entry.Status.IN).order_by("pk")[0])
    last = night.division.entries.get(status=Entry.Status.IN)
    assert night.places()[0] == (1, (last.pk,))
    withdraw(entry=last, by=night.by, now=night.now())
    assert night.places()[0] == (1, (last.pk,))


def test_the_floor_says_that_the_last_two_may_not_meet(hall: Callable[..., Hall], as_alice: Client) -> None:
    night = hall(2, FLOW)
    first, second = night.division.entries.order_by("pk")
    (match,) = night.ready()
    kept_apart.keep_apart(first=first, second=second, by=night.by, now=night.now())
    night.report(match, 0)
    call_ready(tournament_id=night.division.tournament_id, now=night.now())
    event = night.division.tournament
    address = reverse("floor", args=[event.club.slug, event.slug])
    page = text(html(as_alice.get(address)))
    assert "Nothing needs your attention" not in page
    assert "Whoever is left is kept apart. Let two of them meet, or withdraw one." in page
    kept_apart.let_meet(first=first, second=second, by=night.by, now=night.now())
    night.play()
    night.division.refresh_from_db()
    assert night.division.status == Division.Status.FINISHED


def test_a_refusal_goes_once_a_correction_has_changed_what_it_follows_from(
    hall: Callable[..., Hall], as_alice: Client
) -> None:
    """Bob and Carol, of whom each has a life left, are kept apart; then Carol lost none."""
    night = hall(4, StageSettings(SWISS, rounds=3, next_round=NextRound.ASK))
    first = night.ready()
    for match in first:
        night.report(match, 0)
    entries = list(night.division.entries.order_by("pk"))
    for other in entries[1:]:
        kept_apart.keep_apart(first=entries[0], second=other, by=night.by, now=night.now())
    address = reverse(
        "rounds", args=[night.division.tournament.club.slug, night.division.tournament.slug, night.division.public_id]
    )
    draw = rounds.request_round(division=night.division, by=night.by, now=night.now(), after=night.seq)
    services.make_draft(draw_id=draw.pk, now=night.now())
    refused = text(html(as_alice.get(address)))
    assert "Round 2 could not be paired" in refused
    correction = CorrectionInput(ResultInput(1, (0, 5)), "correct_all")
    apply_correction(fixture=first[0], correction=correction, after=night.seq, by=night.by, now=night.now())
    page = text(html(as_alice.get(address)))
    assert "could not be paired" not in page
    assert "Pair again" in page
    need = round_need(night.division)
    assert need is not None
    assert need.kind == "complete"


def test_an_event_in_one_group_names_its_winner(hall: Callable[..., Hall]) -> None:
    night = hall(4, StageSettings(GROUPS, groups=1, qualifiers=1))
    night.play()
    facts = facts_of_states(night.division, states_of(night.division))
    assert [bracket.name for bracket in facts.brackets] == ["main"]
