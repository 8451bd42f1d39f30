"""Nobody who has lost begins anew: by no door, in no format, neither alone nor with another partner."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from engine.errors import Refused
from formats.settings import BY_ROUND, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Membership, Player
from players.people.pairs import pair_of
from players.people.rows import people_of
from players.people.services import merge_players
from tests.tournaments.entries.listed import rows_named
from tests.tournaments.support.entries import refusal_code
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.entries import lists
from tournaments.entries.late import JOINED_LATE, enter_late, preview_late
from tournaments.entries.reentries import preview_reentry, reenter
from tournaments.entries.returns import bring_back, preview_return
from tournaments.entries.services import Side
from tournaments.entries.substitutions import SubstituteInput, substitute, undo_substitution
from tournaments.events.services import update_division
from tournaments.floor import calls
from tournaments.models import Division, Entry, Fixture, Slot
from tournaments.results import corrections, services

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

FORMATS: dict[str, dict[str, Any]] = {
    "knockout": {},
    "progressive": {},
    "places": {},
    "league": {},
    "double": {},
    "groups": {"groups": 2},
    "swiss": {"rounds": 4},
    "lives": {"lives": 2},
}
REFUSED = "reentry_not_offered"
COMING = {
    "alone": (1, 1, False),
    "as the same pair": (2, 2, False),
    "with another partner": (2, 2, True),
    "one of a pair alone": (2, 1, False),
    "as a pair": (1, 2, True),
}
"""How somebody comes back -> how many were on the side, how many are on it now, whether the partner is new."""


@dataclass
class Hall:
    """A division in which a side of one or two has lost, or left without having played."""

    driver: DivisionDriver
    alice: Client

    @property
    def division(self) -> Division:
        return Division.objects.select_related("tournament__club").get(pk=self.driver.division.pk)

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": self.driver.by, "now": self.driver.now()}

    def member(self, name: str) -> Player:
        player = Player.objects.create(name=name)
        Membership.objects.create(club=self.division.tournament.club, player=player)
        return player

    def side(self, size: int, number: int) -> Player:
        people = [self.member(f"Player {number}{letter}") for letter in "AB"[:size]]
        return people[0] if size == 1 else pair_of(*people)

    def fixture_of(self, entry: Entry) -> Fixture:
        return next(row for row in self.driver.ready() if row.slots.filter(entry=entry).exists())

    def lose(self, entry: Entry, *, wins: bool = False) -> Fixture:
        fixture = self.fixture_of(entry)
        side = fixture.slots.get(entry=entry).side
        self.driver.report(fixture, side if wins else 1 - side)
        return fixture

    def bring_back(self, entry: Entry) -> None:
        entry = Entry.objects.select_related("division__tournament__club", "player").get(pk=entry.pk)
        bring_back(entry=entry, seen=preview_return(entry=entry).mark, **self.acts)

    def untouched(self) -> Entry | None:
        """An entry that has a match to play, and no other; in a league everybody won one of who withdrew."""
        ready = Slot.objects.filter(fixture__in=self.driver.ready(), entry__status=Entry.Status.IN)
        others = Slot.objects.filter(fixture__status=Fixture.Status.DECIDED, entry__isnull=False)
        ready = ready.exclude(entry__in=others.values("entry")).select_related("entry__player", "entry__division")
        return next((slot.entry for slot in ready), None)

    def call(self, path: str, data: dict[str, Any], *, api: bool) -> None:
        """Send to a page or the API; refused as a service would be."""
        form: dict[str, Any] = {"content_type": "application/json"} if api else {}
        answer = self.alice.post(path, data, **form)
        if answer.status_code >= 400:
            raise Refused(answer.json()["code"] if api else REFUSED)


@pytest.fixture
def hall(make_division: Callable[..., Division], by_alice: Actor, alice_client: Client) -> Callable[..., Hall]:
    """Return a function that begins a division of six sides of this size."""

    def make(format_: str, size: int, **fields: Any) -> Hall:
        division = make_division(sides="any", **fields)
        hall = Hall(DivisionDriver(division, by_alice), alice_client)
        hall.driver.enter([hall.side(size, number) for number in range(6)])
        hall.driver.begin(StageSettings(format_, **FORMATS[format_]))
        return hall

    return make


def first_entry(hall: Hall) -> Entry:
    """An entry with a match to play."""
    entry = hall.driver.ready()[0].slots.get(side=1).entry
    return Entry.objects.select_related("player").get(pk=entry.pk)


def comes(hall: Hall, entry: Entry, size: int, *, is_new: bool) -> list[Player]:
    """Who comes back: people of the side of an entry, or one of them with somebody new."""
    people = [Player.objects.get(pk=pk) for pk in people_of([entry.player_id])[entry.player_id]]
    return [people[0], hall.member("Zoe")] if is_new else people[:size]


# The doors by which somebody enters a division that is played.


def _side(people: Sequence[Player]) -> Side:
    return people[0] if len(people) == 1 else (people[0], people[1])


def _named(people: Sequence[Player]) -> dict[str, str]:
    first, *others = people
    partner = {"partner": others[0].name, "partner_player": others[0].public_id} if others else {}
    return {"name": first.name, "player": first.public_id, **partner}


def _listed(people: Sequence[Player]) -> dict[str, Any]:
    lines = rows_named([" & ".join(player.name for player in people)])
    return {"people": lines, "choices": {at: player.public_id for at, player in enumerate(people)}}


def _under_another_name(hall: Hall, people: Sequence[Player]) -> None:
    other = hall.member("Another name")
    merge_players(player=other, into=people[0], **hall.acts)
    others = [Player.objects.get(pk=other.pk), *people[1:]]
    enter_late(division=hall.division, players=[_side(others)], **hall.acts)


def _substitute(hall: Hall, people: Sequence[Player]) -> None:
    who = SubstituteInput(**_named(people))
    entry = hall.untouched()
    assert entry is not None
    substitute(entry=entry, substitute=who, after=hall.driver.seq, **hall.acts)


def _page(hall: Hall, people: Sequence[Player], **more: Any) -> None:
    division = hall.division
    event = division.tournament
    path = f"/events/{event.club.slug}/{event.slug}/{division.public_id}/entries/add/"
    hall.call(path, {**_named(people), "past_waiting": "on", **more}, api=False)


def _api(hall: Hall, people: Sequence[Player], **more: Any) -> None:
    path = f"/api/v1/divisions/{hall.division.public_id}/entries/"
    hall.call(path, {**_named(people), "past_waiting": True, **more}, api=True)


LATE_DOORS: dict[str, Callable[[Hall, Sequence[Player]], object]] = {
    "late": lambda hall, people: enter_late(division=hall.division, players=[_side(people)], **hall.acts),
    "late, preview": lambda hall, people: preview_late(
        division=hall.division, players=[tuple(people)], now=hall.driver.now()
    ),
    "name": lambda hall, people: lists.enter_name(division=hall.division, **_named(people), **hall.acts),
    "name, preview": lambda hall, people: lists.preview_late_name(
        division=hall.division, now=hall.driver.now(), **_named(people)
    ),
    "list": lambda hall, people: lists.enter_list(division=hall.division, **_listed(people), **hall.acts),
    "list, preview": lambda hall, people: lists.preview_late_list(
        division=hall.division, now=hall.driver.now(), **_listed(people)
    ),
    "desk": lambda hall, people: _page(hall, people, after=hall.driver.seq),
    "desk, preview": _page,
    "API": _api,
    "API, preview": lambda hall, people: _api(hall, people, preview=True),
    "under another name": _under_another_name,
}


def outcomes(hall: Hall, people: Sequence[Player]) -> dict[str, str]:
    """Door -> the code with which it is refused, empty if it is open; each is tried by itself."""
    codes = {}
    doors = LATE_DOORS if hall.division.stages.get().format in JOINED_LATE else {}
    if hall.untouched() is not None:
        doors = {**doors, "substitute": _substitute}
    assert doors
    for name, door in doors.items():
        codes[name] = ""
        with suppress(InterruptedError), transaction.atomic():
            try:
                with transaction.atomic():
                    door(hall, people)
            except Refused as refused:
                codes[name] = refused.code
            raise InterruptedError
    return codes


@pytest.mark.parametrize("coming", COMING.values(), ids=COMING)
@pytest.mark.parametrize("format_", FORMATS)
def test_who_has_lost_and_left_enters_by_no_door(
    hall: Callable[..., Hall], format_: str, coming: tuple[int, int, bool]
) -> None:
    before, size, is_new = coming
    there = hall(format_, before)
    entry = first_entry(there)
    there.lose(entry)
    there.driver.withdraw(entry)

    codes = outcomes(there, comes(there, entry, size, is_new=is_new))

    goes_on = format_ in BY_ROUND and size == before and not is_new
    assert codes == {name: "" if goes_on and name != "substitute" else REFUSED for name in codes}


@pytest.mark.slow
@pytest.mark.parametrize("coming", COMING.values(), ids=COMING)
@pytest.mark.parametrize("format_", FORMATS)
def test_who_left_without_having_played_enters_by_every_door(
    hall: Callable[..., Hall], format_: str, coming: tuple[int, int, bool]
) -> None:
    before, size, is_new = coming
    there = hall(format_, before)
    entry = first_entry(there)
    there.driver.withdraw(entry)

    codes = outcomes(there, comes(there, entry, size, is_new=is_new))

    # All places are played out, and theirs is one of them.
    is_placed = format_ == "places" and size == before and not is_new
    assert codes == {name: REFUSED if is_placed and name != "substitute" else "" for name in codes}


@pytest.mark.parametrize("format_", ["knockout", "league"])
@pytest.mark.parametrize("way", ["forfeit", "double_forfeit", "undone", "corrected"])
def test_a_forfeit_counts_and_what_does_not_stand_does_not(hall: Callable[..., Hall], format_: str, way: str) -> None:
    there = hall(format_, 1)
    entry = first_entry(there)
    fixture = there.fixture_of(entry)
    side = fixture.slots.get(entry=entry).side
    loses = ResultInput(1 - side, (7, 2) if side else (2, 7))
    if way == "forfeit":
        loses = ResultInput(1 - side, None, kind="forfeit")
    elif way == "double_forfeit":
        loses = ResultInput(None, None, kind="double_forfeit")
    services.enter_result(fixture=fixture, result=loses, **there.acts)
    if way == "undone":
        services.undo_result(fixture=fixture, result=fixture.match.results.get(), **there.acts)
    elif way == "corrected":
        new = ResultInput(side, loses.score[::-1])
        correction = corrections.CorrectionInput(new, "correct_all", reason="Wrong sheet")
        corrections.apply_correction(fixture=fixture, correction=correction, after=there.driver.seq, **there.acts)
    there.driver.withdraw(entry)
    counts = way in ("forfeit", "double_forfeit")
    assert set(outcomes(there, [entry.player]).values()) == {REFUSED if counts else ""}


def test_a_match_left_in_the_middle_is_lost(hall: Callable[..., Hall]) -> None:
    there = hall("knockout", 1)
    entry = first_entry(there)
    calls.start(fixture=there.fixture_of(entry), **there.acts)
    there.driver.withdraw(entry)
    assert set(outcomes(there, [entry.player]).values()) == {REFUSED}


@pytest.mark.parametrize("format_", ["knockout", "league", "swiss"])
def test_nobody_returns_to_a_side_after_having_played_on_another(hall: Callable[..., Hall], format_: str) -> None:
    there = hall(format_, 2)
    first = first_entry(there)
    there.driver.withdraw(first)
    people = comes(there, first, 2, is_new=True)
    (other,) = enter_late(division=there.division, players=[_side(people)], **there.acts)
    if format_ in BY_ROUND:
        there.driver.play_round()
        there.driver.work()
    there.lose(other)
    there.driver.withdraw(other)
    assert refusal_code(lambda: there.bring_back(first)) == REFUSED
    assert is_clean()


def test_undoing_a_substitution_gives_no_second_chance(hall: Callable[..., Hall]) -> None:
    there = hall("knockout", 1)
    place = there.untouched()
    assert place is not None
    bob, zoe = place.player, there.member("Zoe")
    who = SubstituteInput(zoe.name, zoe.public_id)
    substitute(entry=place, substitute=who, after=there.driver.seq, **there.acts)
    (entry,) = there.driver.late(bob)
    there.lose(entry)
    there.driver.withdraw(entry)
    acts = {"entry": place, "after": there.driver.seq, **there.acts}
    assert refusal_code(lambda: undo_substitution(**acts)) == REFUSED
    assert is_clean()


@pytest.mark.parametrize("format_", JOINED_LATE)
def test_who_waits_under_another_name_is_not_let_in_after_a_loss(hall: Callable[..., Hall], format_: str) -> None:
    there = hall(format_, 1, capacity=6)
    entry, other = first_entry(there), there.member("Another name")
    (waiting,) = there.driver.late(other)
    assert waiting.status == Entry.Status.WAITING
    there.lose(entry)
    there.driver.withdraw(entry)
    merge_players(player=other, into=entry.player, **there.acts)
    codes = outcomes(there, [entry.player])
    assert {codes[name] for name in LATE_DOORS if "another" not in name} == {REFUSED}


@pytest.mark.parametrize("format_", ["knockout", "progressive"])
def test_re_entry_goes_its_own_way_while_it_is_open(hall: Callable[..., Hall], format_: str) -> None:
    there = hall(format_, 2)
    entry = first_entry(there)

    def reentry_until(moment: datetime) -> None:
        update_division(division=there.division, after=there.driver.seq, reentry_until=moment, **there.acts)

    reentry_until(timezone.now() + timedelta(hours=2))
    there.lose(entry)
    entry = Entry.objects.select_related("player", "division__tournament__club").get(pk=entry.pk)
    again = reenter(entry=entry, after=preview_reentry(entry=entry, now=there.driver.at).seq, **there.acts)
    if Entry.objects.get(pk=entry.pk).status == Entry.Status.IN:
        there.driver.withdraw(entry)
    there.driver.withdraw(again)
    there.bring_back(again)
    there.driver.withdraw(again)
    same, new = comes(there, entry, 2, is_new=False), comes(there, entry, 2, is_new=True)
    assert {code for name, code in outcomes(there, same).items() if name in LATE_DOORS} == {""}
    assert set(outcomes(there, new).values()) == {REFUSED}
    reentry_until(there.driver.at)
    assert set(outcomes(there, same).values()) == {REFUSED}
