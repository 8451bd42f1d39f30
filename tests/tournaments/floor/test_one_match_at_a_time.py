"""Nobody is at two matches: by no fact that begins one, at no desk, from no kept act, for a pair as for one person."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from engine.errors import Refused
from formats.settings import KNOCKOUT, StageSettings
from players.actors import Actor
from players.kept.acts import SentAct
from players.kept.outboxes import OutboxKey, Sending, receive
from players.models import KeptAct, Player
from players.people.pairs import pair_of
from players.people.services import merge_players
from tests.event_cast import NOON
from tests.tournaments.floor.kept.hall import KEY, epoch
from tests.tournaments.support.pages import text
from tests.tournaments.support.played_stages import drawn_as
from tournaments.floor import calls, evening, selectors
from tournaments.floor.evening import UNDER_WAY
from tournaments.floor.kept.arrival import arrival_at
from tournaments.floor.lines import enter_lines
from tournaments.floor.undo import UndoableAct, undo
from tournaments.models import Division, Fixture, FloorEvent, FloorKind, Tournament
from tournaments.state.floor import BEGINNINGS

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def newest_fact() -> int:
    return FloorEvent.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


@dataclass
class Evening:
    """Ann, Bea, Cem and Dan in the main, whose matches are to 5, and as two pairs in the doubles, at four tables."""

    event: Tournament
    first: Fixture
    """The match of Ann that is played."""
    second: Fixture
    """Another match of hers."""
    by: Actor
    alice: Client
    now: datetime = NOON

    @property
    def acts(self) -> dict[str, Any]:
        self.now += timedelta(minutes=1)
        return {"by": self.by, "now": self.now}

    def line(self, line: str) -> None:
        (outcome,) = enter_lines(tournament=self.event, text=line, division=self.second.stage.division, **self.acts)
        if outcome.refused is not None:
            raise outcome.refused

    def post(self, action: str, **fields: Any) -> None:
        """Do what the page of the floor offers, at the time of the tests."""
        url = f"/events/{self.event.club.slug}/{self.event.slug}/floor/do/{action}/"
        answer = self.alice.post(url, {"fixture": self.second.public_id, **fields}, follow=True)
        if f"A player of M{self.second.number} is still at M{self.first.number}." in text(answer.content.decode()):
            raise Refused("player_busy")
        assert FloorEvent.objects.filter(fixture=self.second, kind__in=BEGINNINGS).exists()

    def arrive(self, action: str, **fields: Any) -> None:
        """Let a kept act arrive. What differs waits for a person."""
        now, pair = self.acts["now"], [slot.entry.public_id for slot in self.second.slots.order_by("side")]
        sent = SentAct(
            number=1, action=action, fields=fields, at=epoch(now), seen=newest_fact(),
            seen_at=now, fixture=self.second.public_id, pair=tuple(pair), label="M", content={"n": 1},
        )  # fmt: skip
        box = OutboxKey(self.event.topic, KEY, self.event.club, "Firefox")
        receive(box, [sent], Sending(self.by, epoch(now)), arrival_at(self.event), now)
        kept = KeptAct.objects.get()
        if kept.outcome != KeptAct.Outcome.DONE:
            assert kept.outcome == KeptAct.Outcome.DIFFERS
            raise Refused(kept.code)

    def at_two_matches(self) -> list[int]:
        """Who is at more than one match that is called or played."""
        state = selectors.floor(self.event, self.now).state
        under_way = [row for row in state.matches.values() if row.state in UNDER_WAY]
        people = Counter(person for row in under_way for person in set(state.facts.people_at(row.facts)))
        return [person for person, count in people.items() if count > 1]


@pytest.fixture(params=["pair first", "pair second", "merged"])
def hall(
    request: pytest.FixtureRequest, make_division: Callable[..., Division], by_alice: Actor, alice_client: Client
) -> Evening:
    """The first match of Ann is one of a pair, or her second one, or she has played under another name."""
    people = [Player.objects.create(name=name) for name in ("Ann", "Bea", "Cem", "Dan")]
    main, doubles = make_division(name="Main", match_length=5), make_division(name="Doubles", match_length=5)
    Tournament.objects.filter(pk=main.tournament_id).update(tables=4)
    if request.param == "merged":
        other = Player.objects.create(name="Anna")
        sides = [other, *people[1:]]
    else:
        Division.objects.filter(pk=doubles.pk).update(sides=Division.Sides.TWO)
        doubles.refresh_from_db()
        sides = [pair_of(*people[:2]), pair_of(*people[2:])]
    for division, players in ((main, people), (doubles, sides)):
        drawn_as(division, [StageSettings(KNOCKOUT, lengths=(5,))], players, by_alice)
    event = Tournament.objects.select_related("club").get(pk=main.tournament_id)
    evening.open_floor(tournament=event, by=by_alice, now=NOON)
    rows = Fixture.objects.select_related("stage__division__tournament__club", "match")
    own, of_sides = (
        rows.get(slots__entry__player=player, round__number=1, stage__division=division)
        for player, division in ((people[0], main), (sides[0], doubles))
    )
    if request.param == "merged":
        merge_players(player=other, into=people[0], by=by_alice, now=NOON)
    first, second = (own, of_sides) if request.param == "pair second" else (of_sides, own)
    return Evening(event, first, second, by_alice, alice_client)


Act = Callable[[Evening], object]
ACTS: dict[str, Act] = {
    "call": lambda hall: calls.call(fixture=hall.second, **hall.acts),
    "move": lambda hall: calls.move(fixture=hall.second, table=table(hall, 4), **hall.acts),
    "start": lambda hall: calls.start(fixture=hall.second, **hall.acts),
    "score": lambda hall: calls.set_running_score(fixture=hall.second, score=(3, 2), **hall.acts),
    "a line": lambda hall: hall.line(f"m{hall.second.number} run 3-2"),
    "a line that starts": lambda hall: hall.line(f"m{hall.second.number} start"),
    "the page": lambda hall: hall.post("score", left=3, right=2),
    "the page, start": lambda hall: hall.post("start"),
    "kept start": lambda hall: hall.arrive("start"),
    "kept score": lambda hall: hall.arrive("score", left=3, right=2),
    "kept move": lambda hall: hall.arrive("move", table=table(hall, 4).public_id),
}
"""How a match begins that was not called, or is sent to a table."""


def table(hall: Evening, number: int) -> Any:
    return hall.event.floor_tables.get(label=str(number))


def adjourned(hall: Evening) -> FloorEvent:
    calls.start(fixture=hall.second, **hall.acts)
    return evening.adjourn(fixture=hall.second, **hall.acts)


AFTERWARDS: dict[str, tuple[Act, Callable[[Evening, Any], object]]] = {
    "let go on": (adjourned, lambda hall, _fact: evening.let_go_on(fixture=hall.second, **hall.acts)),
    "undo of the adjournment": (
        adjourned,
        lambda hall, fact: undo(tournament=hall.event, act=UndoableAct(fact), in_order=False, **hall.acts),
    ),
}
"""How a match goes on that had begun: what is done before the other one begins, and then."""
FIRST: dict[str, Act] = {
    "called": lambda hall: calls.call(fixture=hall.first, **hall.acts),
    "started": lambda hall: calls.start(fixture=hall.first, **hall.acts),
    "with a score": lambda hall: calls.set_running_score(fixture=hall.first, score=(1, 0), **hall.acts),
}


def refusals(hall: Evening, acts: dict[str, Callable[[], object]]) -> dict[str, str]:
    """Act -> how it was refused, each tried by itself; nobody is at two matches afterwards."""
    codes = {}
    for name, act in acts.items():
        point = transaction.savepoint()
        try:
            with transaction.atomic():
                act()
        except Refused as refused:
            codes[name] = refused.code
        else:
            codes[name] = ""
            assert hall.at_two_matches() == []
        transaction.savepoint_rollback(point)
    return codes


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
def test_whoever_is_at_a_match_begins_no_other(hall: Evening, first: Act) -> None:
    free = refusals(hall, {name: lambda act=act: act(hall) for name, act in ACTS.items()})
    assert set(free.values()) == {""}, "everybody is free"
    first(hall)
    assert refusals(hall, {name: lambda act=act: act(hall) for name, act in ACTS.items()}) == dict.fromkeys(
        ACTS, "player_busy"
    )
    assert hall.at_two_matches() == []


@pytest.mark.parametrize("act", AFTERWARDS.values(), ids=AFTERWARDS)
def test_whoever_is_at_a_match_goes_on_with_no_other(hall: Evening, act: tuple[Act, Any]) -> None:
    before, afterwards = act
    fact = before(hall)
    free = refusals(hall, {"": lambda: afterwards(hall, fact)})
    assert free == {"": ""}
    calls.start(fixture=hall.first, **hall.acts)
    assert refusals(hall, {"": lambda: afterwards(hall, fact)}) == {"": "player_busy"}
    assert hall.at_two_matches() == []


def test_every_fact_that_begins_a_match_is_tried(hall: Evening) -> None:
    kinds: set[str] = set()
    for act in (*ACTS.values(), adjourned):
        point = transaction.savepoint()
        known = newest_fact()
        act(hall)
        kinds |= set(FloorEvent.objects.filter(pk__gt=known).values_list("kind", flat=True))
        transaction.savepoint_rollback(point)
    assert kinds >= {*BEGINNINGS, FloorKind.CALLED, FloorKind.MOVED}


def test_a_score_of_a_match_that_was_called_is_entered_while_a_player_is_at_another(hall: Evening) -> None:
    calls.call(fixture=hall.second, **hall.acts)
    assert refusals(hall, {"": lambda: hall.arrive("score", left=1, right=0)}) == {"": ""}
    assert refusals(hall, {"": lambda: calls.start(fixture=hall.first, **hall.acts)}) == {"": "player_busy"}
