"""What the state machine of an event acts on: a club of Alice's, its players, and what must be true of them always."""

import logging
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Sum
from django.test import TestCase
from hypothesis import note

from engine.errors import Refused
from formats.lots import commitment
from matches.models import Claim, Match, Result
from matches.ratings import services as ratings
from players.actors import Actor
from players.models import Club, LogEntry, Membership, Player, User
from tests.clock import NOON
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Advance, Correction, Division, Draw, Entry, Fixture, Slot, Stage, Tournament
from tournaments.state.integrity import differences

NAMES = ("Bob", "Carol", "Erik", "Frida", "Gus", "Hana", "Ines", "Jan")
SEED = bytes(range(32))
Answer = Any


class Errors(logging.Handler):
    """Collects logged errors, because a failure after a commit is visible nowhere else."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(self.format(record))


class World:
    """A club with an event, in a transaction that is rolled back at the end."""

    def __init__(self) -> None:
        self.errors = Errors()
        logging.getLogger().addHandler(self.errors)
        logging.getLogger("django").addHandler(self.errors)
        self.now = NOON
        self.all_of_it = transaction.atomic()
        self.all_of_it.__enter__()
        alice = User.objects.create_user("alice@example.org", "crawford-1969", display_name="Alice")
        self.alice = Actor.of(alice)
        self.club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
        self.cast = [Player.objects.create(name=name) for name in NAMES]
        Membership.objects.bulk_create(Membership(club=self.club, player=player) for player in self.cast)
        self.tournament = events.create_tournament(
            club=self.club, by=self.alice, now=self.now, name="Winter Open", starts_at=self.now
        )
        self.seen: dict[int, tuple[Any, ...]] = {}
        self.refusals: Counter[str] = Counter()
        self.done: Counter[str] = Counter()

    def undo(self) -> None:
        """Roll everything back."""
        logging.getLogger().removeHandler(self.errors)
        logging.getLogger("django").removeHandler(self.errors)
        transaction.set_rollback(True)
        self.all_of_it.__exit__(None, None, None)

    def asks(self, service: Callable[..., Answer], **arguments: Any) -> Answer | None:
        """Call a service and run its on-commit callbacks; check that a refusal changes nothing."""
        before = self.fingerprint()
        try:
            with TestCase.captureOnCommitCallbacks(execute=True):
                answer = service(**arguments)
        except Refused as refused:
            code = refused.code
        else:
            self.done[service.__name__] += 1
            note(f"{self.now:%d %H:%M} {service.__name__} {_formatted(arguments)}")
            return answer
        self.refusals[code] += 1
        note(f"{self.now:%d %H:%M} {service.__name__} {_formatted(arguments)}: refused, {code}")
        assert self.fingerprint() == before, f"{service.__name__} refused ({code}) and changed something"
        return None

    def fingerprint(self) -> tuple[Any, ...]:
        """Return values that grow with any change."""
        return (
            LogEntry.objects.count(),
            Result.objects.count(),
            Entry.objects.count(),
            Match.objects.aggregate(Sum("seq"))["seq__sum"],
            Division.objects.aggregate(Sum("seq"))["seq__sum"],
        )

    def later(self, hours: float) -> None:
        """Advance the clock."""
        self.now += timedelta(hours=hours)

    def new_division(self, name: str, **settings: Any) -> Division | None:
        """A division whose secret seed is known, so that a failing run can be repeated."""
        division = self.asks(
            events.create_division,
            tournament=Tournament.objects.get(pk=self.tournament.pk),
            by=self.alice,
            now=self.now,
            name=name,
            **settings,
        )
        known = {"seed": SEED.hex(), "seed_hash": commitment(SEED)}
        Stage.objects.filter(division=division).update(**known, lots_seed=SEED.hex(), lots_hash=commitment(SEED))
        return division

    def draw(self, division: Division, count: int) -> None:
        """So many enter, and their draw is published."""
        common: dict[str, Any] = {"by": self.alice, "now": self.now}
        self.asks(entries.enter, division=division, players=self.cast[:count], **common)
        self.asks(events.publish_tournament, tournament=self.tournament, **common)
        draw = self.asks(draws.request_draw, division=division, **common)
        if draw is not None:
            self.asks(draws.make_draft, draw_id=draw.pk, now=self.now)
        division.refresh_from_db()
        self.asks(draws.publish_draw, division=division, after=division.seq, **common)

    # What must be true

    def check(self) -> None:
        """Check the invariants that hold after every step."""
        assert self.errors.records == []
        assert [str(difference) for difference in differences()] == []
        results_never_change(self.seen)
        for division in Division.objects.select_related("tournament").prefetch_related("stages"):
            nobody_stands_twice_in_a_round(division)
            two_entrants_have_one_match(division)
            winners_go_where_the_plan_says(division)
            everybody_loses_at_most_once(division)
            an_event_is_over_when_all_is_decided(division)


def _formatted(arguments: dict[str, Any]) -> str:
    shown = {name: value for name, value in arguments.items() if name not in ("by", "now", "seed", "data")}
    return ", ".join(f"{name}={value!r}" for name, value in shown.items())


def results_never_change(seen: dict[int, tuple[Any, ...]]) -> None:
    """Each as it was when it was first seen, none gone, the versions of a match 1, 2, 3 …"""
    rows = {row[0]: row for row in Result.objects.order_by("match", "version").values_list()}
    for pk, before in seen.items():
        assert rows.get(pk) == before
    seen.update(rows)
    versions: dict[int, list[int]] = {}
    for match, version in Result.objects.order_by("match", "version").values_list("match", "version"):
        versions.setdefault(match, []).append(version)
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in versions.values())


def nobody_stands_twice_in_a_round(division: Division) -> None:
    """Neither present nor absent."""
    slots = Slot.objects.filter(fixture__stage__division=division).values_list("round", "entry", "absent")
    standing = [(round_, entry or absent) for round_, entry, absent in slots if entry or absent]
    assert len(standing) == len(set(standing))


def two_entrants_have_one_match(division: Division) -> None:
    """The one of the fixture, between these two; whatever else was opened for the division is void."""
    match_ids = set()
    for fixture in Fixture.objects.filter(stage__division=division).select_related("match").prefetch_related("slots"):
        entrants = [slot.entry_id or slot.absent_id for slot in fixture.slots.order_by("side")]
        assert (fixture.match is not None) == all(entrants), fixture
        if fixture.match is not None:
            match_ids.add(fixture.match.pk)
            players = [Entry.objects.get(pk=pk).player_id for pk in entrants]
            assert players == [fixture.match.player_0_id, fixture.match.player_1_id]
            void = fixture.match.state == Match.State.VOID
            assert void <= (division.status == Division.Status.CANCELLED), fixture
    others = Match.objects.filter(parent_topic=division.topic).exclude(pk__in=match_ids)
    assert not others.exclude(state=Match.State.VOID).exists()
    if not Correction.objects.filter(fixture__stage__division=division).exists():
        assert not others.filter(begun_at__isnull=False).exists(), "what has begun is not taken away from its players"
    reports = Claim.objects.filter(state__in=[Claim.State.OPEN, Claim.State.CONTESTED])
    assert not reports.filter(match__state__in=[Match.State.SETTLED, Match.State.VOID]).exists(), (
        "every claim is answered"
    )


def goes_on(fixture: Fixture) -> int | None:
    """The side that goes on from a decided match: its winner, unless a correction kept the bracket."""
    assert fixture.match is not None
    standing = fixture.match.results.order_by("-version")[0]
    kept = Advance.objects.filter(result=standing).first()
    return standing.winner if kept is None else kept.side


def winners_go_where_the_plan_says(division: Division) -> None:
    """Reckoned from the standing results alone, beside what progress() makes of them."""
    rows = Fixture.objects.filter(stage__division=division).select_related("match").prefetch_related("slots")
    fixtures = {fixture.number: fixture for fixture in rows}
    for fixture in fixtures.values():
        for slot in fixture.slots.all():
            source = fixtures.get(slot.source_fixture or 0)
            if slot.source != Slot.Source.WINNER or source is None or source.status != Fixture.Status.DECIDED:
                continue
            winner = goes_on(source)
            came = slot.entry_id or slot.absent_id
            if winner is None:
                assert (came, slot.status) == (None, Slot.Status.WALKOVER)
            else:
                assert came == source.slots.get(side=winner).entry_id is not None


def everybody_loses_at_most_once(division: Division) -> None:
    """In a knockout; and there are never more decisive matches than entries less one."""
    rows = Fixture.objects.filter(stage__division=division, status=Fixture.Status.DECIDED).select_related("match")
    losses: Counter[int] = Counter()
    for fixture in rows.prefetch_related("slots"):
        winner = goes_on(fixture)
        losses.update(slot.entry_id for slot in fixture.slots.all() if slot.side != winner and slot.entry_id)
    assert set(losses.values()) <= {1}
    drawn = Draw.objects.filter(stage__division=division, state=Draw.State.PUBLISHED).first()
    entered = 0 if drawn is None else sum(place is not None for place in drawn.places)
    assert len(rows) <= max(0, entered - 1)


def an_event_is_over_when_all_is_decided(division: Division) -> None:
    """Fixtures, stage, division and tournament tell the same."""
    if division.status not in (Division.Status.RUNNING, Division.Status.FINISHED):
        return
    fixtures = Fixture.objects.filter(stage__division=division)
    assert fixtures.exists()
    over = not fixtures.filter(status__in=[Fixture.Status.WAITING, Fixture.Status.READY]).exists()
    assert (division.status == Division.Status.FINISHED) == over
    assert {stage.status == Stage.Status.FINISHED for stage in division.stages.all()} == {over}
    others = division.tournament.divisions.exclude(
        status__in=[Division.Status.FINISHED, Division.Status.CANCELLED]
    ).exists()
    assert (division.tournament.status == Tournament.Status.FINISHED) == (not others)


def replay() -> None:
    """What a worker does for the ratings."""
    pool = ratings.default_pool()
    ratings.replay_pool(pool_id=pool.pk, now=NOON)
