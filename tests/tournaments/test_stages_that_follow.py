"""Every pair of formats, with and without rounds, is played to its end, and after each step every page opens.

What a preview says is compared with what happens: before each withdrawal, return and correction.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import product
from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from engine.errors import Refused
from formats.settings import BY_ROUND, FORMATS, LIVES, SWISS, NextRound, PairingMode, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import Membership, Player, User
from prizes.prizes import standings_of
from tests.tiers import TEST_SEED, TIER
from tests.tournaments.support.swiss_rounds import is_clean
from tests.tournaments.test_every_event_ends import MAX_STEPS, Evening
from tournaments.draws import services as draws
from tournaments.entries import late, returns
from tournaments.entries import services as entries
from tournaments.floor import evening
from tournaments.floor.calls import call_ready
from tournaments.models import Autopilot, Correction, Division, Draw, Entry, Slot, Stage, Tournament
from tournaments.results import corrections
from tournaments.results import services as results
from tournaments.results.corrections import CorrectionInput
from tournaments.state.derivation import StageState
from tournaments.state.preview import DivisionFacts, FixtureChange, changes_between
from tournaments.state.stages import set_stages

WITHOUT_ROUNDS = " without rounds"
KINDS = (*FORMATS, SWISS + WITHOUT_ROUNDS, LIVES + WITHOUT_ROUNDS)
PAIRS = tuple(product(KINDS, KINDS))
SIZES = range(2, 18)
AT_A_STEP = 1
"""Pages that are opened after a step where there is little time: the next ones of `ALWAYS`, all as a stage begins."""
TRIES = 8
"""Random settings that are tried for a pair of formats and a field."""
MAX_WAIT = timedelta(minutes=30)
ALWAYS = (
    "floor", "event", "event-wall", "division", "standings", "paper-draws", "rounds", "api-division", "api-standings",
    "api-tournament-floor",
)  # fmt: skip
"""What is opened after every step; all the other pages at the beginning and the end of each stage."""
FINE = (200, 302, 400, 403, 404, 405, 409)
"""What a page answers that opens, that is not there in this format, or that is only posted to."""


def pages_of(division: Division) -> dict[str, str]:
    """Every address of an event and of its division, in the API too: name -> address."""
    event = division.tournament
    base = {"club": event.club.slug, "slug": event.slug}
    places = [base, {**base, "division": division.public_id}, {"tournament": event.public_id}]
    places.append({"division": division.public_id})
    extensions = {"extension": "csv"}

    def found(resolver: URLResolver) -> Iterator[tuple[str, str]]:
        for entry in resolver.url_patterns:
            if isinstance(entry, URLResolver):
                yield from found(entry)
            elif isinstance(entry, URLPattern) and entry.name:
                wanted = set(getattr(entry.pattern, "regex").groupindex)  # noqa: B009
                for values in places:
                    if wanted == set(values) or wanted == {*values, "extension"}:
                        given = {**values, **(extensions if "extension" in wanted else {})}
                        yield entry.name, reverse(entry.name, kwargs=given)

    return dict(found(get_resolver()))


class TwoStages(Evening):
    """An event of two stages, whose pages a director and the wall have open while random things happen."""

    def __init__(self, chance: Random, pair: tuple[str, str], field: int, alice: User, *, every_page: bool) -> None:
        self.pair, self.alice, self.every_page, self.opened = pair, alice, every_page, 0
        self.client, self.stages_seen = Client(), list[str]()
        self.client.force_login(alice)
        super().__init__(chance, field)

    def draw(self) -> None:
        """Set formats of the pair until a plan is taken and its draft can be published, or none can."""
        event = self.division.tournament
        player = Player.objects.create(name="Alice", user=self.alice)
        Membership.objects.create(club=event.club, player=player, role=Membership.Role.OWNER)
        evening.open_floor(tournament=event, by=SYSTEM, now=self.now())
        evening.set_autopilot(tournament=event, mode=Autopilot.CALL, by=SYSTEM, now=self.now())
        self.pages = pages_of(self.division)
        for _try in range(TRIES):
            if self.asks(set_stages, division=self.division, stages=self.stages(), after=self.seq) is None:
                continue
            self.asks(draws.request_draw, division=self.division, reason="another format")
            self.make_drafts()
            self.open_pages()
            self.asks(draws.publish_draw, division=self.division, after=self.seq)
            if self.is_drawn():
                return

    def stages(self) -> list[StageSettings]:
        return [self.of_kind(kind) for kind in self.pair]

    def of_kind(self, kind: str) -> StageSettings:
        """Random settings of a format; without rounds the bracket of lives has 8 places, or what a clock needs."""
        format_, chance = kind.removesuffix(WITHOUT_ROUNDS), self.chance
        chosen: dict[str, Any] = {"qualifiers": chance.randint(1 if format_ == "groups" else 2, 6)}
        if format_ == "groups":
            chosen["groups"] = chance.choice([1, 2, 2, 3])
        if format_ in BY_ROUND:
            chosen["next_round"] = NextRound.DRAFT
        if format_ == SWISS:
            chosen["rounds"] = chance.choice([1, 2, 3])
        if format_ == LIVES:
            chosen["lives"] = 2
        if kind.endswith(WITHOUT_ROUNDS):
            chosen["pairing"] = PairingMode.CONTINUOUS
            if format_ == LIVES:
                chosen["qualifiers"] = 8
                if chance.random() < 0.3:
                    chosen |= {"qualifiers": None, "switch_time": f"{chance.randint(12, 14)}:30"}
        return StageSettings(format_, **chosen)

    # Pages

    def open_pages(self) -> None:
        """Open what is open in the hall; everything, when a stage has begun or ended."""
        seen = list(self.division.stages.order_by("number").values_list("status", flat=True))
        is_change, self.stages_seen = seen != self.stages_seen, seen
        if self.every_page:
            names = list(self.pages) if is_change else list(ALWAYS)
        else:
            at = self.opened % len(ALWAYS)
            names = list(ALWAYS) if is_change else [*ALWAYS, *ALWAYS][at : at + AT_A_STEP]
        for name in names:
            answer = self.client.get(self.pages[name])
            assert answer.status_code in FINE, (name, answer.status_code, answer.content[:300], self.story())
            assert name not in ALWAYS or answer.status_code in (200, 302, 404), (name, answer.status_code, self.story())
            self.opened += 1

    # What a preview says, and what happens

    def states(self) -> list[StageState]:
        return DivisionFacts(Division.objects.select_related("tournament__club").get(pk=self.division.pk)).states()

    def placings(self) -> list[tuple[int, tuple[int, ...]]]:
        """The places that prizes, titles and seasons count from, of an event that is over."""
        return [
            (placing.first, tuple(placing.entries))
            for table in standings_of(self.division).values()
            for placing in table.placings
        ]

    def compare(self, before: Sequence[StageState], said: Sequence[FixtureChange], placings: object) -> None:
        """Compare what a preview said with what has happened."""
        after = self.states()[: len(before)]
        happened = {
            change.row.number: (change.after.slots, change.after.result)
            for change in changes_between(self.division, before[: len(after)], after)
        }
        expected = {change.row.number: (change.after.slots, change.after.result) for change in said}
        assert happened == expected, self.story()
        if not said and placings is not None:
            assert self.placings() == placings, f"no match changes, but places do: {self.story()}"

    def before(self) -> tuple[list[StageState], object]:
        self.division.refresh_from_db()
        is_over = self.division.status == Division.Status.FINISHED
        return self.states(), self.placings() if is_over else None

    def withdraw_one(self) -> None:
        if (entry := self.entry()) is not None:
            before, placings = self.before()
            (said,) = entries.preview_withdrawal(entry=entry)
            if self.asks(entries.withdraw, entry=entry) is not None:
                self.compare(before, said.changes, placings)

    def leave_bracket(self) -> None:
        slots = Slot.objects.filter(fixture__stage__division=self.division).exclude(entry=None)
        if (slot := self.pick(slots.select_related("fixture__stage__division", "fixture__round__bracket"))) is None:
            return
        before, placings = self.before()
        try:
            _entry, (said,) = results.preview_withdrawal_of_side(fixture=slot.fixture, side=slot.side, scope="bracket")
        except Refused as refused:
            self.refusals[refused.code] += 1
            return
        if self.asks(results.withdraw_from_bracket, slot=slot) is not None:
            self.compare(before, said.changes, placings)

    def let_in(self) -> None:
        """Let somebody in, and perhaps undo that."""
        super().let_in()
        entry = self.pick(Entry.objects.filter(division=self.division, player__name="Late").select_related("division"))
        if entry is None or self.chance.random() < 0.5:
            return
        before, placings = self.before()
        try:
            said = late.preview_undo(entry=entry)
        except Refused as refused:
            self.refusals[refused.code] += 1
            return
        if self.asks(late.undo_late, entry=entry, after=self.seq) is not None:
            self.compare(before, said.changes, placings)

    def let_back(self) -> None:
        if (entry := self.entry(Entry.Status.OUT)) is None:
            return
        before, placings = self.before()
        try:
            said = returns.preview_return(entry=entry)
        except Refused as refused:
            self.refusals[refused.code] += 1
            return
        if self.asks(returns.bring_back, entry=entry, seen=said.mark) is not None:
            self.compare(before, said.parts[0].changes, placings)

    def correct(self) -> None:
        if (fixture := self.decided()) is None:
            return
        length, winner = fixture.match.length, self.chance.randrange(2)
        played = ResultInput(winner, (length, 0) if winner == 0 else (0, length))
        result = self.chance.choice([played, played, ResultInput(None, None, "double_forfeit")])
        before, _placings = self.before()
        try:
            said = corrections.preview_correction(fixture=fixture, new=result)
        except Refused as refused:
            self.refusals[refused.code] += 1
            return
        choice = self.chance.choice([choice for choice in said.consequences if choice != Correction.Choice.LET_STAND])
        correction = CorrectionInput(result, choice)
        if self.asks(corrections.apply_correction, fixture=fixture, correction=correction, after=self.seq) is not None:
            self.compare_but(before, said.consequences[choice].changes, fixture)

    def undo_correction(self) -> None:
        rows = Correction.objects.filter(fixture__stage__division=self.division)
        if (row := self.pick(rows.select_related("fixture__stage__division", "before", "after"))) is None:
            return
        before, _placings = self.before()
        try:
            said = corrections.preview_undo(correction=row)
        except Refused as refused:
            self.refusals[refused.code] += 1
            return
        if self.asks(corrections.undo_correction, correction=row, after=self.seq) is not None:
            self.compare_but(before, said.all.changes, row.fixture)

    def compare_but(self, before: Sequence[StageState], said: Sequence[FixtureChange], fixture: Any) -> None:
        """Compare what a preview said of all fixtures but the corrected one."""
        after = self.states()[: len(before)]
        happened = {
            change.row.number: (change.after.slots, change.after.result)
            for change in changes_between(self.division, before[: len(after)], after, but=fixture)
        }
        assert happened == {change.row.number: (change.after.slots, change.after.result) for change in said}, (
            self.story()
        )

    # How it goes on

    def play(self) -> None:
        """Play to the end, and go on changing things after it; fails if a director would not know how to go on."""
        for _step in range(MAX_STEPS):
            self.make_drafts()
            call_ready(tournament_id=self.division.tournament_id, now=self.now())
            self.division.refresh_from_db()
            self.open_pages()
            is_over = self.division.status == Division.Status.FINISHED
            if self.deeds and (is_over or self.chance.random() < 0.35):
                self.deeds -= 1
                self.deed()
            elif ready := self.ready():
                self.finish(self.chance.choice(ready))
            elif is_over:
                return
            elif not self.publish_or_wait():
                self.next_round()
        raise AssertionError(f"it does not end: {self.story()}")

    def publish_or_wait(self) -> bool:
        """Publish the first pairs of a stage without rounds, or wait until somebody is free; whether there was one."""
        stages = self.division.stages.filter(status=Stage.Status.RUNNING, format__in=BY_ROUND)
        current = [
            stage for stage in stages.order_by("number") if stage.settings.get("pairing") == PairingMode.CONTINUOUS
        ]
        if not current:
            return False
        if Draw.objects.filter(stage=current[0], state=Draw.State.PUBLISHED).exists():
            self.at += MAX_WAIT
        elif self.asks(draws.publish_draw, division=self.division, after=self.seq) is None:
            self.asks(draws.request_draw, division=self.division, reason="paired again")
        return True


Case = tuple[tuple[str, str], int]
"""A pair of formats, and the size of a field."""


def walk(cases: Iterable[Case], alice: User, *, every_page: bool) -> str:
    """Play an event of each of these cases, directed by Alice; return what was done."""
    ended, opened, refusals, done = 0, 0, Counter[str](), Counter[str]()
    for pair, field in cases:
        with transaction.atomic():
            event = TwoStages(Random(f"{TEST_SEED}:{pair}:{field}"), pair, field, alice, every_page=every_page)
            if event.is_drawn():
                try:
                    event.play()
                    event.division.refresh_from_db()
                    status = Tournament.objects.get(pk=event.division.tournament_id).status
                    assert status == Tournament.Status.FINISHED, event.story()
                    assert is_clean(event.division), event.story()
                except BaseException:
                    print(f"{pair}, {field} players, TEST_SEED={TEST_SEED}")
                    raise
                ended += 1
            opened += event.opened
            done += event.done
            refusals += event.refusals
            transaction.set_rollback(True)
    return f"{ended} histories ended, {opened} pages opened; done: {dict(done)}; refused: {dict(refusals)}"


FEW: tuple[Case, ...] = ((("knockout", "swiss without rounds"), 3), (("lives without rounds", "knockout"), 8))
MORE: tuple[Case, ...] = tuple(
    ((first, second), 8 if first == LIVES + WITHOUT_ROUNDS else 5)
    for first, second in zip(KINDS, (*KINDS[3:], *KINDS[:3]), strict=True)
)
"""Each format once as the first and once as the second."""


@pytest.mark.slow
@pytest.mark.django_db
def test_some_pairs_of_formats_are_played_to_their_end(alice: User) -> None:
    print(walk(FEW, alice, every_page=False))


@pytest.mark.slow
@pytest.mark.landing
@pytest.mark.django_db
def test_each_format_is_played_first_and_second(alice: User) -> None:
    print(walk(MORE, alice, every_page=False))


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.django_db
def test_every_pair_of_formats_is_played_to_its_end(alice: User) -> None:
    """Of every size, as far as there is time; all pages are opened as stages begin and end."""
    cases = Random(TEST_SEED).sample([*product(PAIRS, SIZES)], TIER.pairs)
    print(walk(cases, alice, every_page=True))
