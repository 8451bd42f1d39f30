"""Whatever others do meanwhile, a kept act ends as if nobody had been offline, or changes nothing and says so.

All kept acts, each with whatever anybody can do between its being typed and its arrival. What others do comes from the
declared acts of the site, so that one that is added is tried without a word here, and from `OTHERS`. If the act is
`done`, the event looks as if it had been done before, and that of the others after it; where that would have been
refused then, as if it had not been tried. Otherwise the event looks as the others have left it.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import pytest
from django import forms
from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.http import Http404

from engine.errors import Refused
from matches.access import MatchSeat
from matches.lifecycle.finish import standing_result
from matches.models import Claim, Match
from matches.play import starting
from matches.reporting import outboxes
from matches.reporting.actions import MatchAction
from matches.reporting.kept import shown
from matches.reporting.reports import ScoreReport, contest, report_score
from players.actions import UserAction
from players.actors import Actor
from players.kept.acts import UNDO
from players.kept.api import KeptActSerializer, sent_act
from players.kept.outboxes import Arrive, OutboxKey, Sending, receive
from players.models import KeptAct, Player, User
from players.people.services import merge_players
from tests.tournaments.floor.kept.hall import KEY, epoch
from tests.tournaments.floor.test_every_act import Hall, hall
from tests.tournaments.test_random_acts import acts, label
from tournaments.entries import check_in
from tournaments.entries.services import withdraw_from_event
from tournaments.entries.substitutions import SubstituteInput, substitute
from tournaments.events.actions import DivisionAction, EntryAction
from tournaments.events.services import update_division, update_tournament
from tournaments.floor import calls, evening, length_offers, selectors
from tournaments.floor.kept.arrival import arrival_at
from tournaments.floor.kept.going_on import GoingOn, newest_fact
from tournaments.floor.page.actions import ACTIONS
from tournaments.floor.state import FloorMatchState
from tournaments.floor.to_come import NOT_CALLED
from tournaments.floor.undo import last_act
from tournaments.models import Entry, Fixture, FloorEvent, FloorKind, Round, Slot
from tournaments.results.actions import FixtureAction
from tournaments.state.settle import settle_division

__all__ = ["hall"]
pytestmark = pytest.mark.django_db

Do = Callable[[Hall], object]


# What a person saw, and did.


@dataclass(frozen=True)
class Typed:
    """A kept act about a match, by side if it is one of its players'."""

    action: str
    fields: Mapping[str, Any]
    side: int | None = None
    before: tuple[str, Mapping[str, Any]] | None = None
    """What the same outbox has sent before, for an `undo`."""

    def __str__(self) -> str:
        of = f" of {self.before[0]}" if self.before else ""
        return f"{self.action}{of} {dict(self.fields)}" + ("" if self.side is None else f" by side {self.side}")


RESULT = {"winner": 0, "points": 4}
FLOOR: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("start", {}), ("move", {"table": 3}), ("score", {"left": 4, "right": 3}), ("result", RESULT),
    ("here", {"players": 0}), ("away", {"players": 0, "minutes": 20}), ("note", {"text": "Ann paid 20"}),
)  # fmt: skip
TYPED = (
    *(Typed(action, fields) for action, fields in FLOOR),
    *(Typed("undo", {"of": 1}, before=before) for before in FLOOR),
    Typed("claim", RESULT, 0), Typed("claim", RESULT, 1), Typed("running-score", {"score_0": 4, "score_1": 3}, 0),
    Typed("confirm", {}, 1), Typed("contest", {"note": "No."}, 1), Typed("seen", {}, 1),
)  # fmt: skip


@dataclass
class Device:
    """A browser of Erin or of a player that shows the floor, or a match, as it was at a moment."""

    hall: Hall
    erin: Actor
    number: int
    typed: Typed
    n: int = 1

    def __post_init__(self) -> None:
        self.match = self.hall.match(self.number).pk
        if self.typed.before is not None:
            before = Typed(*self.typed.before)
            assert Device(self.hall, self.erin, self.number, before).arrive().startswith("done")
            a_minute_passes(self.hall)
            self.n = 2
        self.sent = self._sent()

    def _sent(self) -> dict[str, Any]:
        hall, now = self.hall, epoch(self.hall.now)
        fixture, fields = hall.fixture(self.number), dict(self.typed.fields)
        match = hall.match(self.number)
        sent = {"n": self.n, "action": self.typed.action, "seen_at": now, "at": now + 1000, "fixture": ""}
        if self.typed.side is not None:
            pair, seen = [player.public_id for player in match.players], match.seq
            saw = shown(match.length, match.start_score)
            return {**sent, "pair": pair, "fields": fields, "seen": seen, "saw": saw}
        view = selectors.floor(hall.event, hall.now)
        floor = GoingOn(view, self.erin).body(view.matches[fixture.pk])
        if "table" in fields:
            fields["table"] = hall.table(3).public_id
        if "players" in fields:
            fields["players"] = [hall.entry(self.number).player.public_id]
        sent |= {"fields": fields, "seen": newest_fact(hall.event), "pair": []}
        if self.typed.action in ("here", "away", "note", "undo"):
            return sent
        pair = [side["entry"] for side in floor["sides"]]
        return {**sent, "fixture": fixture.public_id, "pair": pair, "saw": floor["saw"]}

    def arrive(self) -> str:
        """Return the outcome of the act, with its code."""
        hall, by, topic = self.hall, self.erin, self.hall.event.topic
        arrives: Arrive = arrival_at(hall.event)
        if self.typed.side is not None:
            match = Match.objects.select_related("player_0", "player_1", "club").get(pk=self.match)
            by, topic = Actor.link(self.typed.side), match.topic
            arrives = partial(outboxes.arrive, MatchSeat(match, self.typed.side, by))
        serializer = KeptActSerializer(data=self.sent)
        serializer.is_valid(raise_exception=True)
        sending = Sending(by, epoch(hall.now))
        receive(
            OutboxKey(topic, KEY, hall.event.club), [sent_act(serializer.validated_data)], sending, arrives, hall.now
        )
        row = KeptAct.objects.get(outbox__key=KEY, outbox__topic=topic, number=self.n)
        return f"{row.outcome} {row.code}".strip()


# What people see.


def a_minute_passes(hall: Hall) -> None:
    """Let what follows from a result follow."""
    hall.later(1)
    if Match.objects.filter(unsettled=True).exists():
        settle_division(division_id=hall.division.pk, now=hall.now)


NOT_SAID = {
    ("claim", ""): "at which table it was played: a match without one is reported as well",
    ("start", "FloorAction call"): "where it is: the table that it was given since is the last word on that",
    ("score", "FloorAction call"): "as above",
    ("move", "UndoAction undo"): "how long the match is: that an undo is refused after it is only because it is newer",
    ("move", "FloorAction start-called"): "that it has begun: those start that their director saw as called",
    (
        "here",
        "FloorAction call",
    ): "whether others can be called: that they have to be here begins with the first who is",
}
"""What a kept act says nothing of, after this of others, or of the tables after anything, and why that may differ."""
OVER = (FloorMatchState.REPORTED, FloorMatchState.SETTLED)


def shown_to_people(hall: Hall) -> dict[str, Any]:
    """Results, scores, tables, who is here, who plays whom: by the matches and tables of the event."""
    a_minute_passes(hall)
    view = selectors.floor(hall.event, hall.now)
    names = dict(Player.objects.values_list("pk", "name"))
    fixtures = Fixture.objects.filter(stage__division=hall.division).select_related("match").order_by("number")
    entries = Entry.objects.filter(division=hall.division).select_related("player", "division__tournament")
    seats = defaultdict(list)
    for number, player in Slot.objects.order_by("side").values_list("fixture__number", "entry__player"):
        seats[number].append(names.get(player))
    rows: dict[str, Any] = {}
    states: dict[str, Any] = {}
    for fixture in fixtures:
        match, row = fixture.match, view.matches.get(fixture.pk)
        # A rest ends by itself, and a score so far says nothing beside a result.
        state = row and ("not called" if row.state in NOT_CALLED else row.state.value)
        score = row and row.state not in OVER and row.score
        rows[f"M{fixture.number}"] = fixture.status, seats[fixture.number], match and _match(match), score
        states[f"M{fixture.number}"] = state, row and row.where.table
    return {
        **rows,
        "states": states,
        "tables": [
            (table.facts.label, table.state, table.match and table.match.number) for table in view.tables.values()
        ],
        "rounds": list(Round.objects.order_by("pk").values_list("length", flat=True)),
        "entries": sorted((entry.player.name, entry.status) for entry in entries),
        "here": sorted(
            (names[who.person], who.entry.pk, who.state) for who in check_in.attendees(hall.event, entries, hall.now)
        ),
        "calls": (view.state.pause is None, view.state.facts.autopilot),
    }


def _match(match: Match) -> tuple[Any, ...]:
    result = standing_result(match)
    claims = match.claims.filter(state__in=(Claim.State.OPEN, Claim.State.CONTESTED)).order_by("side")
    return (
        match.state, match.length, match.start_score, result and (result.kind, result.winner, result.score),
        [(claim.side, claim.winner, claim.score, claim.state) for claim in claims],
    )  # fmt: skip


# What others do.


@dataclass(frozen=True)
class Other:
    """What somebody else does, who is at the server."""

    name: str
    do: Do


def _object(act: UserAction, hall: Hall, number: int, chance: Random) -> Any:
    """What the act is about: if it can be, the match of this number, or who plays in it."""
    if isinstance(act, EntryAction):
        return hall.entry(number, chance.randrange(2))
    if isinstance(act, FixtureAction):
        rows = Fixture.objects.select_related("stage__division__tournament__club", "match__player_0", "match__player_1")
        return rows.get(stage__division=hall.division, number=number)
    if isinstance(act, MatchAction):
        side = chance.randrange(2)
        return MatchSeat(hall.match(number), side, Actor.link(side))
    hall.division.refresh_from_db()
    return hall.division if isinstance(act, DivisionAction) else hall.event


def _newest(number: int, *kinds: FloorKind) -> int | None:
    return FloorEvent.objects.filter(fixture__number=number, kind__in=kinds).values_list("pk", flat=True).last()


HINTS: Mapping[str, Callable[[Hall, int], Any]] = {
    "fixture": lambda hall, number: hall.fixture(number).public_id,
    "entry": lambda hall, number: hall.entry(number).public_id,
    "players": lambda hall, number: hall.entry(number).player.public_id,
    "act": lambda hall, number: getattr(last_act(hall.event, hall.alice), "name", None),
    "offer": lambda hall, number: _newest(number, FloorKind.LENGTH_OFFERED),
    "fact": lambda hall, number: _newest(
        number, FloorKind.SHORTENED, FloorKind.LENGTH_OFFERED, FloorKind.RUNNING_SCORE
    ),
    "changes": lambda hall, number: f"{hall.fixture(7).round_id}:7:5",
    "position": lambda hall, number: "",
}
"""Values of fields that chance would not find."""


def _value(name: str, field: forms.Field, hall: Hall, number: int, chance: Random) -> Any:
    """A value for a field by its kind; a field that need not be filled is left out at times."""
    if not field.required and chance.random() < 0.3:
        return None
    if name in HINTS and chance.random() < 0.8:
        return HINTS[name](hall, number)
    match field:
        case forms.ModelChoiceField():
            rows = list(field.queryset.order_by("-pk")[:8])
            return getattr(chance.choice(rows), field.to_field_name or "pk") if rows else None
        case forms.ChoiceField():
            values = [value for value, _label in field.choices if value != ""]
            return chance.choice(values) if values else None
        case forms.BooleanField():
            return "on" if chance.random() < 0.7 else None
        case forms.IntegerField():
            least = field.min_value or 0
            return chance.randint(least, min(field.max_value or 6, least + 6))
        case forms.TimeField():
            return f"{chance.randint(13, 23)}:30"
    return "as agreed"


def declared_other(act: UserAction, number: int, attempt: int, hall: Hall) -> Other:
    """What a declared act does to a match or who plays in it, with fields that chance chooses now."""
    chance = Random(f"{label(act)} {number} {attempt}")
    fields = act.bind(_object(act, hall, number, chance), {}, hall.now).fields
    data = {name: _value(name, field, hall, number, chance) for name, field in fields.items()}
    data = {name: value for name, value in data.items() if value is not None}
    of_match, seed = chance.random() < 0.5, chance.random()

    def do(hall: Hall) -> None:
        obj = _object(act, hall, number, Random(seed))
        # What somebody at the server does is based on what is there as they do it.
        version = hall.match(number).seq if of_match or isinstance(obj, MatchSeat) else hall.seq
        form = act.bind(obj, {**data, "after": version}, hall.now)
        if not form.is_valid():
            raise Refused("stale")
        act.run(form, by=obj.by if isinstance(obj, MatchSeat) else hall.alice, now=hall.now)

    return Other(f"{label(act)} at M{number} ({attempt})", do)


def _merge(hall: Hall, number: int) -> None:
    into = Player.objects.create(name="The Same")
    merge_players(player=hall.entry(number).player, into=into, **hall.acts)


OTHERS: Mapping[str, Callable[[Hall, int], object]] = {
    "substitute": lambda hall, number: substitute(
        entry=hall.entry(number), substitute=SubstituteInput("Sub"), after=hall.seq, **hall.acts
    ),
    "merge": _merge,
    "withdraw from the event": lambda hall, number: withdraw_from_event(
        tournament=hall.event, player=hall.entry(number).player, **hall.acts
    ),
    "enter late": lambda hall, number: hall.enter_late(),
    "settings": lambda hall, number: update_division(
        division=hall.division, after=hall.seq, match_length=5, **hall.acts
    ),
    "fewer tables": lambda hall, number: update_tournament(tournament=hall.event, tables=2, **hall.acts),
    "played here": lambda hall, number: starting.open_by_player(
        match=hall.match(number), by=Actor.link(0), now=hall.now
    ),
    "shorten": lambda hall, number: evening.shorten(fixture=hall.fixture(number), length=5, **hall.acts),
    "take back the call": lambda hall, number: calls.undo_call(fixture=hall.fixture(number), **hall.acts),
    "out of use": lambda hall, number: calls.take_out_of_use(table=hall.table(3), reason="lamp", **hall.acts),
    "out of use below it": lambda hall, number: calls.take_out_of_use(
        table=hall.table(number_of_table(hall, number)), reason="lamp", **hall.acts
    ),
    "start score": lambda hall, number: _start_at(hall, number),
}
"""What no declared act does, or chance might miss."""


def number_of_table(hall: Hall, number: int) -> int:
    return 2 if number == Hall.CALLED else 1


def _start_at(hall: Hall, number: int) -> None:
    Match.objects.update(rated=False)
    evening.set_start_score(fixture=hall.fixture(number), score=(2, 0), reason="Agreed", **hall.acts)


def named_others(number: int) -> Iterator[Other]:
    for name, do in OTHERS.items():
        yield Other(f"{name} at M{number}", partial(_do, do, number))


def _do(do: Callable[[Hall, int], object], number: int, hall: Hall) -> None:
    do(hall, number)


def others(hall: Hall, number: int) -> Iterator[Other]:
    """What others might try to do to a match, as it is now, or to who plays in it."""
    yield from named_others(number)
    for act in acts():
        for attempt in range(ATTEMPTS):
            with suppress(ObjectDoesNotExist, AssertionError):
                yield declared_other(act, number, attempt, hall)


ATTEMPTS = 8
TRIED = 1
"""Of the ways to do a declared act to a match, how many that are possible are tried."""


# What stands when it is typed.


def _reported(hall: Hall) -> None:
    report_score(match=hall.match(Hall.PLAYING), side=0, report=ScoreReport(0, (7, 4)), by=Actor.link(0), now=hall.now)


def _disputed(hall: Hall) -> None:
    _reported(hall)
    contest(match=hall.match(Hall.PLAYING), side=1, by=Actor.link(1), now=hall.now)


def _shortened(hall: Hall) -> None:
    evening.shorten(fixture=hall.fixture(Hall.PLAYING), length=5, **hall.acts)


STATES: Mapping[str, Do] = {
    "nothing has happened": lambda hall: None,
    "reported": _reported,
    "disputed": _disputed,
    "shortened": _shortened,
    "a shorter length is on offer": lambda hall: length_offers.propose_length(
        fixture=hall.fixture(Hall.PLAYING), length=5, **hall.acts
    ),
    "settled": lambda hall: hall.result(Hall.PLAYING),
    "adjourned": lambda hall: evening.adjourn(fixture=hall.fixture(Hall.PLAYING), **hall.acts),
}


@contextmanager
def thrown_away(hall: Hall) -> Iterator[None]:
    """Roll back whatever is done in it."""
    point, now = transaction.savepoint(), hall.now
    try:
        yield
    finally:
        transaction.savepoint_rollback(point)
        hall.now = now


def happens(hall: Hall, other: Other) -> bool:
    """Let somebody else do something in the next minute; return whether it was possible."""
    a_minute_passes(hall)
    try:
        with transaction.atomic():
            other.do(hall)
    except (Refused, Http404, ObjectDoesNotExist, AssertionError):
        return False
    return True


def possible(hall: Hall, number: int) -> list[Other]:
    """What others can do now to a match, or to who plays in it."""
    by_kind: dict[str, list[Other]] = defaultdict(list)
    for other in others(hall, number):
        same = by_kind[other.name.partition(" at M")[0]]
        if len(same) < TRIED:
            with thrown_away(hall):
                if happens(hall, other):
                    same.append(other)
    return [other for same in by_kind.values() for other in same]


def says_nothing(typed: Typed, other: Other, key: str) -> bool:
    return any(
        typed.action == action and other.name.startswith(name) and (name or key in ("tables", "states"))
        for action, name in NOT_SAID
    )


def afterwards(hall: Hall, device: Device, other: Other | None) -> dict[str, Any]:
    """What people see if an act is done at once, and then what somebody else does, as far as that is possible then."""
    with thrown_away(hall):
        a_minute_passes(hall)
        device.arrive()
        if other is not None:
            happens(hall, other)
        return shown_to_people(hall)


def faults(hall: Hall, devices: Sequence[Device], other: Other) -> Iterator[str]:
    """What is wrong if each of these acts arrives after what somebody else has done meanwhile."""
    outcomes, late = [], []
    with thrown_away(hall):
        before = shown_to_people(hall)
    with thrown_away(hall):
        if not happens(hall, other):
            return
        without = shown_to_people(hall)
        for device in devices:
            with thrown_away(hall):
                a_minute_passes(hall)
                outcomes.append(device.arrive())
                late.append(shown_to_people(hall))
    for device, outcome, actual in zip(devices, outcomes, late, strict=True):
        expected = afterwards(hall, device, other) if outcome == "done" else without
        if expected != actual and outcome == "done" and without == before:
            # What has changed nothing that people see is nothing that an act has to come before.
            expected = afterwards(hall, device, None)
        yield from (
            f"{device.typed} | {other.name} | {outcome} | {key}: {actual[key]}, and not {expected[key]}"
            for key in actual
            if actual[key] != expected[key] and not says_nothing(device.typed, other, key)
        )


def walked(
    hall: Hall, erin: Actor, number: int, ways: Sequence[Other], all_typed: Sequence[Typed] = TYPED
) -> tuple[list[str], int]:
    """Return what is wrong at a match, and how many pairs of acts were tried."""
    differences, tried = [], 0
    for before in (None, *FLOOR):
        with thrown_away(hall):
            devices = []
            for typed in all_typed:
                with suppress(AssertionError):
                    if typed.before == before:
                        devices.append(Device(hall, erin, number, typed))
            devices = [device for device in devices if is_done(hall, device)]
            for other in ways if devices else ():
                tried += len(devices)
                differences += faults(hall, devices, other)
    return differences, tried


def is_done(hall: Hall, device: Device) -> bool:
    with thrown_away(hall):
        a_minute_passes(hall)
        return device.arrive() == "done"


BEFORE_IT_BEGINS = ("take back the call", "start score", "out of use")
BASE, AT_WHICH = "nothing has happened", ("PLAYING", "CALLED", "READY")
WALKS = [*((BASE, which) for which in AT_WHICH), *((state, "PLAYING") for state in STATES if state != BASE)]


@pytest.mark.parametrize(("which", "least"), [("PLAYING", 80), ("CALLED", 20)])
def test_what_is_known_to_matter(hall: Hall, erin: User, which: str, least: int) -> None:
    """What was once a silent change, and what is close to it."""
    number = getattr(Hall, which)
    ways = [other for other in named_others(number) if which == "PLAYING" or other.name.startswith(BEFORE_IT_BEGINS)]
    differences, tried = walked(hall, Actor.of(erin), number, ways, [typed for typed in TYPED if typed.before is None])
    assert not differences, "\n".join(differences)
    assert tried >= least


@pytest.mark.slow
@pytest.mark.parametrize(("state", "which"), WALKS)
def test_whatever_others_do(hall: Hall, erin: User, state: str, which: str) -> None:
    STATES[state](hall)
    a_minute_passes(hall)
    number = getattr(Hall, which)
    ways = possible(hall, number)
    differences, _tried = walked(hall, Actor.of(erin), number, ways)
    assert not differences, "\n".join(differences)


def test_every_kept_act_is_walked() -> None:
    kept = {name for name, action in ACTIONS.items() if action.kept is not None} | outboxes.KEPT.keys()
    assert {typed.action for typed in TYPED} == kept | {UNDO}


NEVER: Mapping[str, Collection[str]] = {
    "it needs a stage without rounds, or one that is paired round by round": {
        *(f"EventFloorAction {name}" for name in ("end-stage", "flow", "pair-by-hand", "pair-now", "stop-match")),
        *(f"EventFloorAction {name}" for name in ("take-back-missed", "take-back-pairing")),
        *(f"RoundsAction {name}" for name in ("bye", "change", "pair", "publish", "take-back")), "StopAction stop",
    },
    "it comes before the draw, or takes back all of it": {
        "DrawAction request", "DrawAction take-back", "KeepApartAction keep-apart", "PublishAction publish",
    },
    "it needs a pair, a re-entry, a late entry or a pause": {
        "EntryAction undo", "FloorAction excuse", "FloorAction re-enter", "FloorAction resume",
        "FloorAction undo-re-entry",
    },
    "it is about a deadline, a record, or a match that is played elsewhere": {
        "ArrivalAction here", "ArrivalAction no-show", "FixtureAction accept", "FixtureAction extend",
    },
    "it needs a report or a result that has stood unanswered": {
        "AnswerObjectionAction objection", "ObjectionAction object",
    },
    "it needs the consent of a setting; its director's like is tried": {"LengthAction offer-length"},
    "it is among `OTHERS`, as rated matches have none": {"FloorAction start-score"},
}  # fmt: skip
"""Why a declared act is never possible in these halls -> such acts."""


@pytest.mark.slow
def test_every_declared_act_is_tried(hall: Hall) -> None:
    tried = set()
    for state in STATES.values():
        with thrown_away(hall):
            state(hall)
            a_minute_passes(hall)
            for number in (Hall.PLAYING, Hall.CALLED):
                tried |= {other.name.partition(" at M")[0] for other in possible(hall, number)}
    assert {label(act) for act in acts()} - tried == {act for some in NEVER.values() for act in some}
