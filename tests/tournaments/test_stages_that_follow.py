"""Every pair of formats, with and without rounds, is played to its end, and after each step every page opens.

What a preview says is compared with what happens: before each withdrawal, return and correction.
"""

import runpy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from engine.errors import Refused
from formats.graph import MAIN
from formats.plans import ROUNDS, TABLE
from formats.settings import BY_ROUND, FORMATS, LIVES, SWISS, TABLES, NextRound, PairingMode, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import Membership, Player, User
from prizes.prizes import prizes_of, standings_of
from prizes.services import PlanInput, save_plan
from seasons.services import SeriesInput, create_series
from seasons.tables import nights_of, season_table
from seasons.titles import winners_of
from tests.event_cast import NOON
from tests.tiers import TEST_SEED, TIER
from tests.tournaments.support.swiss_rounds import is_clean
from tests.tournaments.test_every_event_ends import MAX_STEPS, Evening
from tournaments.draws import services as draws
from tournaments.draws.verifiable import pairings_data
from tournaments.entries import late, returns
from tournaments.entries import services as entries
from tournaments.floor import evening
from tournaments.floor.calls import call_ready
from tournaments.ledger.shares import Pot
from tournaments.models import (
    Autopilot,
    Correction,
    Division,
    Draw,
    Entry,
    Fixture,
    Pairing,
    Series,
    Slot,
    Stage,
    Tournament,
)
from tournaments.results import corrections
from tournaments.results import services as results
from tournaments.results.corrections import CorrectionInput
from tournaments.state.derivation import StageState
from tournaments.state.plans import is_continuous
from tournaments.state.preview import Consequences, CorrectionPreview, DivisionFacts, changes_between
from tournaments.state.stages import set_stages

VERIFY = runpy.run_path(str(Path(__file__).resolve().parents[2] / "verify/verify_pairings.py"))
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
        self.pair, self.alice, self.every_page, self.opened, self.compared = pair, alice, every_page, 0, 0
        self.client, self.stages_seen = Client(), list[str]()
        self.client.force_login(alice)
        self.joint_after, self.at_joint, self.joints = chance.randint(0, 2), 1, Counter[str]()
        super().__init__(chance, field)

    def draw(self) -> None:
        """Set formats of the pair until a plan is taken and its draft can be published, or none can."""
        event = self.division.tournament
        player = Player.objects.create(name="Alice", user=self.alice)
        Membership.objects.create(club=event.club, player=player, role=Membership.Role.OWNER)
        self.open_floor()
        last = self.pair[1].removesuffix(WITHOUT_ROUNDS)
        key = ROUNDS if last in BY_ROUND else TABLE if last in TABLES else MAIN
        plan = PlanInput([Pot(key, (5000, 3000, 2000))], guaranteed=10_000)
        save_plan(division=self.division, plan=plan, publish=True, by=SYSTEM, now=self.now())
        day = NOON.date()
        season = SeriesInput("Autumn", day - timedelta(days=30), day + timedelta(days=30), "motor_racing")
        create_series(club=event.club, series=season, by=SYSTEM, now=self.now())
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

    def open_floor(self) -> None:
        event = self.division.tournament
        evening.open_floor(tournament=event, by=SYSTEM, now=self.now())
        evening.set_autopilot(tournament=event, mode=Autopilot.CALL, by=SYSTEM, now=self.now())

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

    def everything(self, states: Sequence[StageState] | None = None, but: Fixture | None = None) -> dict[str, Any]:
        """All that a preview compares, as it is, or as it would be in these states; without one match."""
        division = Division.objects.select_related("tournament__club").get(pk=self.division.pk)
        overrides = None if states is None else {division.pk: states}
        derived, season = list(states or self.states()), Series.objects.get()
        return {
            "matches": {
                number: (fixture.slots, fixture.result)
                for state in derived
                for number, fixture in state.progress.fixtures.items()
                if but is None or number != but.number
            },
            "places": [
                [(table.key, row.entry, row.place, row.points) for row in table.rows]
                for state in derived
                for table in state.tables
            ],
            "placings": {
                key: [(placing.first, placing.last, placing.entries) for placing in table.placings]
                for key, table in standings_of(division, states=derived).items()
            },
            "prizes": sorted(
                (row.pot, row.entry, row.due)
                for row in prizes_of(division, states=derived).every_row
                if row.entry is not None and row.due
            ),
            "winners": winners_of(division, overrides),
            "season": [
                (row.player, row.rank, row.total)
                for row in season_table(season, nights=nights_of(season, overrides)).season.rows
            ],
            "decided": self.is_decided(derived),
        }

    def is_decided(self, states: Sequence[StageState]) -> bool:
        return len(states) == self.division.stages.count() and all(state.over for state in states)

    def does(
        self,
        preview: Callable[[], Any],
        apply: Callable[[Any], Any],
        of: Callable[[Any], Consequences],
        but: Any = None,
    ) -> Any:
        """Preview an act and do it, and compare what was said with what happened; None if it is refused."""
        before = self.states()
        try:
            said = preview()
        except Refused as refused:
            self.refusals[refused.code] += 1
            return None
        following = of(said)
        expected = self.everything(following.states or before, but)
        # What lots take of somebody who is let back in is not shown before.
        is_by_lot = isinstance(said, returns.ReturnPreview) and any(row.by_lot for row in said.parts[0].missed)
        if (done := apply(said)) is None:
            return None
        self.division.refresh_from_db()
        # Another stage may have begun with it, which is not foreseen.
        now = self.states()
        after = now[: len(before)]
        happened_so = self.everything(after, but)
        compared = ["matches"] if is_by_lot else list(expected)
        assert {name: happened_so[name] for name in compared} == {name: expected[name] for name in compared}, (
            self.story()
        )
        listed = {change.row.number: (change.after.slots, change.after.result) for change in following.changes}
        changed = changes_between(before[: len(after)], after, but=but)
        happened = {change.row.number: (change.after.slots, change.after.result) for change in changed}
        assert happened == listed, self.story()
        was_over, is_over = self.is_decided(before), self.is_decided(after)
        if is_by_lot:
            return done
        assert following.ends == (is_over if is_over != was_over else None), self.story()
        if len(now) == len(before):
            assert (self.division.status == Division.Status.FINISHED) == is_over, self.story()
        self.compared += 1
        return done

    def withdraw_one(self) -> None:
        if (entry := self.entry()) is not None:
            self.does(
                lambda: entries.preview_withdrawal(entry=entry),
                lambda _said: self.asks(entries.withdraw, entry=entry),
                lambda said: said[0].following,
            )

    def leave_bracket(self) -> None:
        slots = Slot.objects.filter(fixture__stage__division=self.division).exclude(entry=None)
        if (slot := self.pick(slots.select_related("fixture__stage__division", "fixture__round__bracket"))) is None:
            return
        which = {"fixture": slot.fixture, "side": slot.side, "scope": "bracket"}
        self.does(
            lambda: results.preview_withdrawal_of_side(**which)[1],
            lambda _said: self.asks(results.withdraw_from_bracket, slot=slot),
            lambda said: said[0].following,
        )

    def let_in(self) -> None:
        """Let somebody in, and perhaps undo that."""
        super().let_in()
        entry = self.pick(Entry.objects.filter(division=self.division, player__name="Late").select_related("division"))
        if entry is not None and self.chance.random() < 0.5:
            self.does(
                lambda: late.preview_undo(entry=entry),
                lambda _said: self.asks(late.undo_late, entry=entry, after=self.seq),
                lambda said: said.following,
            )

    def let_back(self) -> None:
        if (entry := self.entry(Entry.Status.OUT)) is not None:
            self.does(
                lambda: returns.preview_return(entry=entry),
                lambda said: self.asks(returns.bring_back, entry=entry, seen=said.mark),
                lambda said: said.parts[0].following,
            )

    def correct(self) -> None:
        if (fixture := self.decided()) is not None:
            winner = self.chance.randrange(2)
            played = self.won_by(fixture, winner)
            self.correct_to(fixture, self.chance.choice([played, played, ResultInput(None, None, "double_forfeit")]))

    def won_by(self, fixture: Fixture, winner: int) -> ResultInput:
        assert fixture.match is not None
        length = fixture.match.length
        return ResultInput(winner, (length, 0) if winner == 0 else (0, length))

    def correct_to(self, fixture: Fixture, result: ResultInput, choice: str = "") -> Correction | None:
        """Correct a result, by any of the choices that stand unless one is given."""

        def apply(_said: object) -> Correction | None:
            correction = CorrectionInput(result, chosen[0])
            given = {"fixture": fixture, "correction": correction, "after": self.seq}
            done: Correction | None = self.asks(corrections.apply_correction, **given)
            return done

        def of(said: CorrectionPreview) -> Consequences:
            offered = [option for option in said.consequences if option != Correction.Choice.LET_STAND]
            chosen.append(Correction.Choice(choice) if choice else self.chance.choice(offered))
            return said.consequences[chosen[0]]

        chosen: list[Correction.Choice] = []
        done = self.does(lambda: corrections.preview_correction(fixture=fixture, new=result), apply, of, but=fixture)
        assert done is None or isinstance(done, Correction)
        return done

    def undo_correction(self) -> None:
        rows = Correction.objects.filter(fixture__stage__division=self.division)
        if (row := self.pick(rows.select_related("fixture__stage__division", "before", "after"))) is not None:
            self.take_back(row)

    def take_back(self, row: Correction) -> Any:
        return self.does(
            lambda: corrections.preview_undo(correction=row),
            lambda _said: self.asks(corrections.undo_correction, correction=row, after=self.seq),
            lambda said: said.all,
            but=row.fixture,
        )

    # While the second stage is played, the first is corrected

    def is_joint(self) -> bool:
        """Whether as much of the second stage is played as there should be before the first one is corrected."""
        second = Fixture.objects.filter(stage__division=self.division, stage__number=2)
        return second.exists() and second.filter(status=Fixture.Status.DECIDED).count() >= self.joint_after

    def try_joint(self) -> None:
        """Correct a result of the first stage and undo that, withdraw somebody and let them back; correct it again."""
        first = Fixture.objects.filter(stage__division=self.division, stage__number=1, match__isnull=False)
        played = list(first.filter(status=Fixture.Status.DECIDED).select_related("stage__division", "match"))
        for fixture in self.chance.sample(played, min(self.at_joint, len(played))):
            standing = fixture.match.results.latest("version")
            other = self.won_by(fixture, 1 - (standing.winner or 0))
            before, facts = self.everything(), self.facts()
            correction = self.correct_to(fixture, other, Correction.Choice.CORRECT_ALL)
            self.goes_on_from(fixture)
            if correction is not None and self.take_back(correction) is not None:
                assert (self.everything(), self.facts()) == (before, facts), self.story()
                self.joints["corrected and undone"] += 1
            self.goes_on_from(fixture)
            with transaction.atomic():
                self.withdraw_one()
                self.goes_on_from(fixture)
                self.let_back()
                self.goes_on_from(fixture)
                self.joints["left and let back"] += self.done["bring_back"]
                transaction.set_rollback(True)
        if played:
            fixture = self.chance.choice(played)
            self.correct_to(fixture, self.won_by(fixture, 1 - (fixture.match.results.latest("version").winner or 0)))

    def facts(self) -> list[Any]:
        """What stands of matches and pairings."""
        rows = Fixture.objects.filter(stage__division=self.division).order_by("number")
        matches = rows.values_list("number", "status", "match__state", "match__player_0", "match__player_1")
        pairings = Pairing.objects.filter(batch__stage__division=self.division).order_by("number")
        return [*matches, *pairings.values_list("number", "taken_back")]

    def goes_on_from(self, fixture: Fixture) -> None:
        """The autopilot calls, all pages open, and all that is stored follows from the facts."""
        with transaction.atomic():
            for _ in range(2):
                self.make_drafts()
                call_ready(tournament_id=self.division.tournament_id, now=self.now())
            self.open_pages()
            assert is_clean(self.division), (fixture.number, self.story())
            transaction.set_rollback(True)

    def faulty_batches(self) -> list[str]:
        """Return what anybody who checks the pairings finds wrong where others may have played meanwhile."""
        stages = self.division.stages.filter(format__in=BY_ROUND, draws__state=Draw.State.PUBLISHED).distinct()
        files = (pairings_data(stage, directs=True) for stage in stages if is_continuous(stage))
        return [fault for data in files if data["field_corrected"] for fault in VERIFY["verify"](data)[0]]

    # How it goes on

    def play(self) -> None:
        """Play to the end, and go on changing things after it; fails if a director would not know how to go on."""
        is_joined = False
        for _step in range(MAX_STEPS):
            call_ready(tournament_id=self.division.tournament_id, now=self.now())
            self.make_drafts()
            self.division.refresh_from_db()
            self.open_pages()
            is_over = self.division.status == Division.Status.FINISHED
            if not is_joined and self.is_joint():
                is_joined = True
                self.try_joint()
            elif self.deeds and (is_over or self.chance.random() < 0.35):
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
    ended, opened, refusals, done, joints = 0, 0, Counter[str](), Counter[str](), Counter[str]()
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
                    assert event.faulty_batches() == [], event.story()
                except BaseException:
                    print(f"{pair}, {field} players, TEST_SEED={TEST_SEED}")
                    raise
                ended += 1
            opened += event.opened
            joints += event.joints + Counter(compared=event.compared)
            done += event.done
            refusals += event.refusals
            transaction.set_rollback(True)
    counts = f"{ended} histories ended, {opened} pages opened; at the joints: {dict(joints)}"
    return f"{counts}; done: {dict(done)}; refused: {dict(refusals)}"


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
@pytest.mark.parametrize("case", MORE, ids=lambda case: ", then ".join(case[0]))
def test_each_format_is_played_first_and_second(case: Case, alice: User) -> None:
    print(walk((case,), alice, every_page=False))


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.django_db
def test_every_pair_of_formats_is_played_to_its_end(alice: User) -> None:
    """Of every size, as far as there is time; all pages are opened as stages begin and end."""
    cases = Random(TEST_SEED).sample([*product(PAIRS, SIZES)], TIER.pairs)
    print(walk(cases, alice, every_page=True))
