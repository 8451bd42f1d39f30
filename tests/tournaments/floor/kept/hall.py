"""A knockout of four as the reference cases have it: Ann – Bea, Cem – Dan and the final, at three tables."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match, Result
from matches.reporting.reports import ScoreReport, report_score
from players.actors import Actor
from players.kept.acts import SentAct
from players.kept.outboxes import OutboxKey, Sending, receive
from players.models import KeptAct, User
from tests.event_cast import NOON
from tournaments.entries import check_in
from tournaments.floor import calls, evening
from tournaments.floor.kept.arrival import arrival_at
from tournaments.models import CheckIn, Division, Entry, Fixture, FloorEvent, Slot, Table, Tournament
from tournaments.results import services as results
from tournaments.results.quick_entry import forfeit_missing

NAMES = ("ann", "bea", "cem", "dan")
ARRIVAL = 4_200_000
"""When the acts arrive, in ms from the beginning of an evening."""
KEY = "k7m2p9x4qbk7m2p9x4qbk7"


def epoch(at: datetime) -> int:
    return math.ceil((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))


@dataclass
class FinalHall:
    """The evening, as Alice directs it at one desk and Bob at another."""

    division: Division
    alice: User
    bob: User
    began: datetime = NOON

    def __post_init__(self) -> None:
        self.entries = {
            name: self.slot(number, side)
            for name, (number, side) in zip(NAMES, ((1, 0), (1, 1), (2, 0), (2, 1)), strict=True)
        }
        self.facts: list[int] = [self.newest]

    def moment(self, ms: int) -> datetime:
        return self.began + timedelta(milliseconds=ms)

    def slot(self, number: int, side: int) -> Entry:
        entry = (
            Slot.objects.select_related("entry__player")
            .get(fixture__stage__division=self.division, fixture__number=number, side=side)
            .entry
        )
        assert entry is not None
        return entry

    @property
    def event(self) -> Tournament:
        return Tournament.objects.select_related("club").get(pk=self.division.tournament_id)

    @property
    def newest(self) -> int:
        """The number of the newest fact."""
        return max(
            FloorEvent.objects.order_by("-pk").values_list("pk", flat=True).first() or 0,
            CheckIn.objects.order_by("-pk").values_list("pk", flat=True).first() or 0,
        )

    def fixture(self, name: str) -> Fixture:
        rows = Fixture.objects.select_related("stage__division__tournament__club", "match")
        return rows.get(stage__division=self.division, number=int(name[1:]))

    def match(self, name: str) -> Match:
        match = self.fixture(name).match
        assert match is not None
        return match

    def table(self, number: int) -> Table:
        return self.division.tournament.floor_tables.get(label=str(number))

    def other(self, at: int, what: Sequence[Any]) -> None:
        """Do what another desk or a player did at a moment."""
        kind, about, *more = what
        now, by = self.moment(at), Actor.of(self.bob)
        if kind in ("no_show", "check_in"):
            entry = Entry.objects.select_related("division__tournament__club").get(pk=self.entries[about].pk)
            if kind == "check_in":
                if check_in.state_of(entry) == more[0]:
                    # Nothing would be recorded.
                    check_in.mark(entry=entry, state=CheckIn.State.HERE, by=by, now=now - timedelta(seconds=1))
                check_in.mark(entry=entry, state=more[0], by=by, now=now, until=None)
            else:
                slot = Slot.objects.select_related("fixture__stage__division__tournament__club").get(
                    entry=entry, fixture__number__lte=2
                )
                forfeit_missing(fixture=slot.fixture, side=slot.side, by=by, now=now)
        elif kind == "result":
            winner, points = more
            score = (7, points) if winner == 0 else (points, 7)
            results.enter_result(fixture=self.fixture(about), result=ResultInput.played(score), by=by, now=now)
        elif kind == "report":
            winner, points = more
            score = (7, points) if winner == 0 else (points, 7)
            report = ScoreReport(winner, score)
            report_score(match=self.match(about), side=winner, report=report, by=Actor.link(winner), now=now)
        elif kind == "pair":
            self.change_players(about, more[0])
        elif kind == "start":
            calls.start(fixture=self.fixture(about), by=by, now=now)
        elif kind == "score":
            calls.set_running_score(fixture=self.fixture(about), score=tuple(more[0]), by=by, now=now)
        elif kind == "move":
            calls.move(fixture=self.fixture(about), table=self.table(more[0]), by=by, now=now)
        else:
            raise AssertionError(kind)
        self.facts.append(self.newest)

    def change_players(self, name: str, players: Sequence[str]) -> None:
        """Exchange players with the other match, which nobody has begun either, as a corrected draw leaves it."""
        for side, player in enumerate(players):
            here = Slot.objects.get(fixture=self.fixture(name), side=side)
            there = Slot.objects.get(round=here.round_id, entry=self.entries[player])
            if here.pk != there.pk:
                Slot.objects.filter(pk=there.pk).update(entry=None, status=Slot.Status.TO_BE_DECIDED)
                for slot, entry in ((here, there.entry), (there, here.entry)):
                    assert entry is not None
                    Slot.objects.filter(pk=slot.pk).update(entry=entry, source_entry=entry, status=Slot.Status.ENTRY)
                    match = Match.objects.get(pk=Fixture.objects.values_list("match").get(pk=slot.fixture_id)[0])
                    setattr(match, f"player_{slot.side}", entry.player)
                    match.save()

    def sent(self, act: Mapping[str, Any]) -> dict[str, Any]:
        """Return an act of a case as a browser sends it."""
        fields = dict(act["fields"])
        if "players" in fields:
            fields["players"] = [self.entries[name].player.public_id for name in fields["players"]]
        if "table" in fields:
            fields["table"] = self.table(fields["table"]).public_id
        if "score" in fields:
            fields["left"], fields["right"] = fields.pop("score")
        return {
            "n": act["n"], "action": act["action"], "fields": fields,
            "fixture": self.fixture(act["fixture"]).public_id if "fixture" in act else "",
            "pair": [self.entries[name].public_id for name in act.get("pair", ())],
            "seen": self.facts[act["seen"]],
            "seen_at": epoch(self.moment(act["seen_at"])), "at": epoch(self.moment(act["at"])), "label": "M1",
            "reader": str(self.alice.pk), "by": "Alice", **({"saw": act["saw"]} if "saw" in act else {}),
        }  # fmt: skip

    def arrive(self, *acts: Mapping[str, Any], key: str = KEY, by: User | None = None, at: int = ARRIVAL) -> list[str]:
        """Let acts arrive through the services; return their outcomes, with their codes."""
        box = OutboxKey(self.event.topic, key, self.event.club, "Firefox, Android")
        sent = [
            SentAct(
                number=act["n"], action=act["action"], fields=act["fields"], at=act["at"], seen=act["seen"],
                seen_at=datetime.fromtimestamp(act["seen_at"] / 1000, UTC), fixture=act["fixture"],
                pair=tuple(act["pair"]), label=act["label"], content=act, saw=act.get("saw"),
            )
            for act in acts
        ]  # fmt: skip
        sending = Sending(Actor.of(by or self.alice), epoch(self.moment(at)))
        receive(box, sent, sending, arrival_at(self.event), self.moment(at))
        return self.outcomes(key)

    def post(self, *acts: Mapping[str, Any], by: User | None = None, **more: Any) -> Any:
        """Send acts to the endpoint, with a clock of the device that is right; return its answer."""
        client = Client()
        client.force_login(by or self.alice)
        url = reverse("api-tournament-kept", args=[self.event.public_id])
        data = {"outbox": KEY, "now": epoch(timezone.now()), "left": 0, "carried": False, "acts": acts, **more}
        return client.post(url, data, content_type="application/json")

    def outcomes(self, key: str = KEY) -> list[str]:
        rows = KeptAct.objects.filter(outbox__key=key).order_by("number")
        return [f"{outcome} {code}".strip() for outcome, code in rows.values_list("outcome", "code")]

    def stands(self, name: str, expected: str | Sequence[str | None] | None) -> str | list[str | None] | None:
        """Return the result of a match as cases write it, or its players if those are expected."""
        if isinstance(expected, list):
            known = {entry.pk: name for name, entry in self.entries.items()}
            return [
                known.get(pk or 0) for pk in self.fixture(name).slots.order_by("side").values_list("entry", flat=True)
            ]
        match = self.fixture(name).match
        result = standing_result(match) if match is not None else None
        if match is None or result is None or result.kind == Result.Kind.VOID or result.winner is None:
            return None
        winner = {entry.player_id: name for name, entry in self.entries.items()}[match.players[result.winner].pk]
        assert result.score is not None
        return f"{winner} {result.score[result.winner]}-{result.score[1 - result.winner]}"


@pytest.fixture
def hall(drawn: Callable[..., Division], by_alice: Actor, bob: User) -> FinalHall:
    division = drawn(4, match_length=7)
    division.tournament.tables = 3
    division.tournament.save()
    evening.open_floor(tournament=division.tournament, by=by_alice, now=NOON)
    assert by_alice.user is not None
    return FinalHall(division, by_alice.user, bob)
