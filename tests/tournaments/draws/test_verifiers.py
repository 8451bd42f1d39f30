"""The scripts of verify/ over what the site publishes: right after whatever is done to an event, and not if changed."""

import copy
import hashlib
import io
import json
import runpy
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django import forms
from django.db import transaction
from django.test import Client

from engine.actions import Act
from engine.errors import Refused
from formats.settings import LIVES, SWISS, PairingMode, StageSettings
from matches.access import MatchSeat
from matches.lifecycle.finish import ResultInput
from matches.models import LiveMatch
from matches.play.acting import Acted, ActionInput, act
from matches.play.dice import dice_of
from matches.play.starting import PlaySettings, commit_chain, start
from players.actions import UserAction
from players.actors import Actor
from players.models import Player, User
from players.people.services import merge_players
from tests.matches.play.conftest import Board
from tests.tiers import TEST_SEED
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tests.tournaments.test_random_acts import Machine, acts, label
from tests.tournaments.test_stages_that_follow import WITHOUT_ROUNDS
from tournaments.draws import services as draws
from tournaments.draws.kept_apart import keep_apart, let_meet
from tournaments.draws.rounds import request_round
from tournaments.draws.undo import undo_published_draw
from tournaments.entries.late import undo_late
from tournaments.events.services import cancel_tournament, publish_tournament, update_tournament
from tournaments.floor import evening
from tournaments.floor.calls import call_ready
from tournaments.models import Autopilot, Division, Draw, Entry, Fixture, Slot, Stage
from tournaments.results.corrections import CorrectionInput, apply_correction
from tournaments.results.services import withdraw_from_bracket

pytestmark = pytest.mark.django_db
VERIFY = Path(__file__).resolve().parents[3] / "verify"
DRAW, PAIRINGS, DICE = (runpy.run_path(str(VERIFY / f"verify_{name}.py")) for name in ("draw", "pairings", "dice"))


class Exports:
    """What the site publishes of the draws of a division, and of the dice of matches that are played here."""

    def __init__(self, division: Division, client: Client) -> None:
        api, club = "/api/v1/", division.tournament.club
        self.commitments = self.results(client, f"{api}clubs/{club.slug}/commitments/")
        self.draws = self.results(client, f"{api}divisions/{division.public_id}/draws/")
        answer = client.get(f"{api}divisions/{division.public_id}/batches/")
        self.batches: dict[str, Any] = answer.json() if answer.status_code == 200 else {}
        self.dice = [dice_of(live) for live in LiveMatch.objects.filter(match__parent_topic=division.topic)]

    @staticmethod
    def results(client: Client, address: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = client.get(address).json()["results"]
        return rows

    def faults(self) -> list[str]:
        """What the scripts find wrong."""
        faults = []
        for draw in self.draws:
            if draw["state"] == Draw.State.PUBLISHED:
                faults += DRAW["verify"](draw) + DRAW["verify_in_list"](draw, self.commitments)
        for dice in self.dice:
            faults += DICE["Verifier"](dice).run()
        if self.batches:
            faults += PAIRINGS["verify"](self.batches)[0] + PAIRINGS["verify_in_list"](self.batches, self.commitments)
        return [*faults, *DRAW["verify_history"](self.commitments, self.commitments)]


def printed(tmp_path: Path, name: str, *data: Any) -> tuple[int, str]:
    """What a script returns and prints for these files."""
    files = []
    for at, body in enumerate(data):
        files.append(str(tmp_path / f"{at}.json"))
        Path(files[-1]).write_text(json.dumps(body))
    script = {"draw": DRAW, "pairings": PAIRINGS}[name]
    with redirect_stdout(io.StringIO()) as output:
        code = script["main"](files)
    return code, output.getvalue()


# Whatever is done to an event


class LinkedBoard(Board):
    """A match whose players have no accounts."""

    def do(self, side: int, kind: str, *, after: int | None = None, **fields: Any) -> Acted:
        request = ActionInput(kind, self.live.last if after is None else after, **fields)
        return act(match=self.match, side=side, request=request, by=Actor.link(side), now=self.now)


class VerifiedEvent(Machine):
    """An event in the middle of its evening, or before its draw, to which one declared act is done."""

    def __init__(self, chance: Random, pair: tuple[str, str], field: int, alice: User, *, is_drawn: bool) -> None:
        super().__init__(chance, pair, field, alice, every_page=False)
        if not is_drawn:
            arguments = {"division": self.division, "reason": "once more", "after": self.seq}
            assert self.asks(undo_published_draw, **arguments) is not None, self.story()
            self.division.refresh_from_db()

    def open_floor(self) -> None:
        super(Machine, self).open_floor()

    def open_pages(self) -> None:
        """Open none: another test does."""

    def play_here(self) -> None:
        """Play the first rolls of a match on the site."""
        match = self.ready()[-1].match
        assert match is not None
        start(match=match, settings=PlaySettings(server_chains=True), by=self.by, now=self.now())
        for side in (0, 1):
            commit_chain(match=match, side=side, anchor="", by=Actor.link(side), now=self.now())
        board = LinkedBoard(match, [])
        board.now = self.now()
        mover = board.open_game()
        board.do(mover, Act.PLAY, moves=board.any_play())
        board.do(1 - mover, Act.ROLL)

    def object_of(self, act: UserAction) -> Any:
        self.about = super().object_of(act)
        return self.about

    def value(self, name: str, field: forms.Field) -> Any:
        """A value for a field; what a match has seen is its own number."""
        if name == "after" and isinstance(self.about, (MatchSeat, Fixture)):
            assert self.about.match is not None
            return self.about.match.seq
        return super().value(name, field)

    def go_on(self, steps: int) -> None:
        """Play some matches and pair again, as often as that."""
        for _step in range(steps):
            self.at += timedelta(minutes=self.chance.choice([0, 0, 6, 25]))
            self.make_drafts()
            self.division.refresh_from_db()
            call_ready(tournament_id=self.division.tournament_id, now=self.now())
            if self.division.status == Division.Status.ENTRIES:
                self.asks(draws.request_draw, division=self.division, reason="drawn again")
            elif ready := self.ready():
                with suppress(Refused):
                    self.finish(self.chance.choice(ready))
            elif not self.publish_or_wait():
                self.asks(request_round, division=self.division, after=self.seq, reason="")
            if Draw.objects.filter(stage__division=self.division, state__in=("requested", "draft")).exists():
                self.make_drafts()
                self.asks(draws.publish_draw, division=self.division, after=self.seq)

    def does_act(self, act: UserAction) -> bool:
        """Try an act with some values of its fields; return whether it was done."""
        for _try in range(TRIES):
            self.any_act([act])
            if self.done[label(act)]:
                return True
        return False

    def is_over(self) -> None:
        """Cancel the event, unless it has ended."""
        self.asks(cancel_tournament, tournament=self.division.tournament)
        assert self.division.stages.exists()
        assert all(stage.lots_seed_is_public for stage in Stage.objects.filter(division=self.division))


TRIES = 12
BEFORE, AFTER = 3, 5
"""Steps before an act, and after it: in each a match is played, or a round paired."""
GOES_ON = 0.3
SITUATIONS = [
    ((LIVES + WITHOUT_ROUNDS, "knockout"), 8, True),
    ((LIVES + WITHOUT_ROUNDS, "knockout"), 8, False),
    ((SWISS + WITHOUT_ROUNDS, "swiss"), 6, True),
    ((SWISS + WITHOUT_ROUNDS, "groups"), 5, False),
    (("swiss", "lives"), 7, True),
    (("swiss", "double"), 6, False),
    (("groups", "progressive"), 8, True),
    (("lives", "places"), 6, True),
]
"""Formats of two stages, the size of the field, and whether it is drawn."""


def faults_in_the_end(event: VerifiedEvent) -> list[str]:
    """What the scripts find wrong if the event goes on for a while and is over then; nothing of that stays."""
    at = event.at
    with transaction.atomic():
        event.go_on(AFTER)
        event.is_over()
        faults = [fault for client in (event.client, Client()) for fault in Exports(event.division, client).faults()]
        transaction.set_rollback(True)
    event.at = at
    event.division.refresh_from_db()
    return faults


def after_each_act(event: VerifiedEvent, known: list[UserAction]) -> tuple[Counter[str], list[tuple[str, str]]]:
    """Return which acts were done, each without the others, and what the scripts find wrong after each."""
    done, faults = Counter[str](), list[tuple[str, str]]()
    for declared_act in known:
        with transaction.atomic():
            at, event.done = event.at, Counter()
            if event.does_act(declared_act):
                done[label(declared_act)] += 1
                faults += [(label(declared_act), fault) for fault in faults_in_the_end(event)]
            transaction.set_rollback(True)
        event.at = at
        event.division.refresh_from_db()
    return done, faults


@pytest.mark.slow
@pytest.mark.landing
@pytest.mark.parametrize("situation", SITUATIONS)
def test_after_each_declared_act_the_scripts_find_nothing_wrong(
    situation: tuple[tuple[str, str], int, bool], alice: User
) -> None:
    pair, field, is_drawn = situation
    event = VerifiedEvent(Random(f"{TEST_SEED}:{pair}"), pair, field, alice, is_drawn=is_drawn)
    if is_drawn:
        event.go_on(BEFORE)
        event.play_here()
        assert len(Exports(event.division, event.client).dice) == 1
    known = acts()
    done, faults = after_each_act(event, known)
    print(f"{len(done)} acts done; never: {sorted({label(row) for row in known} - done.keys())}; {event.refusals}")
    assert faults == [], event.story()
    assert len(done) > (20 if is_drawn else 8), done


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("situation", SITUATIONS[::2])
def test_after_all_acts_together_the_scripts_find_nothing_wrong(
    situation: tuple[tuple[str, str], int, bool], alice: User
) -> None:
    pair, field, is_drawn = situation
    chance, known = Random(f"{TEST_SEED}:{pair}"), acts()
    event = VerifiedEvent(chance, pair, field, alice, is_drawn=is_drawn)
    tried = []
    for declared_act in chance.sample(known, len(known)):
        before = event.done.total()
        event.any_act([declared_act])
        if event.done.total() > before:
            tried.append(event.tried)
            assert faults_in_the_end(event) == [], (tried, event.story())
        event.go_on(1 if chance.random() < GOES_ON else 0)
    assert len(tried) > 5, event.story()


# An ordinary evening


class QuietNight(DivisionDriver):
    """An evening on an open floor whose autopilot calls at three tables."""

    def open(self) -> None:
        event = self.division.tournament
        publish_tournament(tournament=event, by=self.by, now=self.now())
        event.refresh_from_db()
        update_tournament(tournament=event, tables=3, by=self.by, now=self.now())
        evening.open_floor(tournament=event, by=self.by, now=self.now())
        evening.set_autopilot(tournament=event, mode=Autopilot.CALL, by=self.by, now=self.now())

    def play_batches(self, count: int) -> None:
        """Play what there is and pair who is free, as often as that."""
        for _ in range(count):
            if ready := self.ready():
                self.report(ready[0], 0)
            self.at += timedelta(minutes=6)
            call_ready(tournament_id=self.division.tournament_id, now=self.now())

    def end(self) -> None:
        """Cancel the event, unless it has ended."""
        self.division.tournament.refresh_from_db()
        if self.division.tournament.is_open:
            cancel_tournament(tournament=self.division.tournament, by=self.by, now=self.now())


LIVES_NIGHT = StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS)
SWISS_NIGHT = StageSettings(SWISS, rounds=3, pairing=PairingMode.CONTINUOUS)


@pytest.fixture
def night(make_division: Callable[..., Division], by_alice: Actor) -> QuietNight:
    return QuietNight(make_division(), by_alice)


def changed_before_the_draw(night: QuietNight, entries: list[Entry], cast: list[Player]) -> None:
    night.withdraw(entries[0])
    merge_players(player=cast[1], into=cast[2], by=night.by, now=night.now())


def changed_after_the_draw(night: QuietNight) -> None:
    (late,) = night.late(Player.objects.create(name="Louise"))
    night.play_batches(2)
    if not Slot.objects.filter(entry=late).exists():
        undo_late(entry=late, after=night.seq, by=night.by, now=night.now())
    rows = Slot.objects.filter(fixture=night.ready()[0]).select_related("fixture__stage", "fixture__round__bracket")
    withdraw_from_bracket(slot=rows.select_related("entry__division")[0], by=night.by, now=night.now())


@pytest.mark.parametrize("stage", [LIVES_NIGHT, SWISS_NIGHT], ids=["lives", "swiss"])
def test_an_honest_night_with_ordinary_changes_has_no_faults(
    night: QuietNight, make_players: Any, client: Client, stage: StageSettings
) -> None:
    cast = make_players(9)
    entries = night.enter(cast)
    changed_before_the_draw(night, entries, cast)
    night.open()
    night.begin(stage)
    changed_after_the_draw(night)
    night.play_batches(8)
    night.end()
    exports = Exports(night.division, client)
    assert exports.faults() == []
    assert sum(event["kind"] == "batch" for event in exports.batches["events"]) > 3
    assert len(exports.batches["entries"]) in (7, 8)


ROUNDS = [
    (StageSettings("knockout"), 11),
    (StageSettings("groups", groups=3), 10),
    (StageSettings("roundrobin"), 6),
    (StageSettings("swiss", rounds=3), 9),
    (StageSettings("lives", lives=2), 9),
]


def planted_in_draw(draw: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A draw with one thing changed in it."""
    places, seed = draw["places"], bytes.fromhex(draw["seed"])[::-1]
    yield "swapped", {**draw, "places": [places[2], places[1], places[0], *places[3:]]}
    paired = [at for at, place in enumerate(places) if place["number"] is not None]
    nobody = {**places[0], "number": None}
    if draw["round"]:
        yield "dropped", {**draw, "places": places[2:]}
    else:
        yield "dropped", {**draw, "places": [nobody if at == paired[0] else place for at, place in enumerate(places)]}
    byes = [at for at, place in enumerate(places) if place["number"] is None]
    if byes:
        other = next(at for at in paired if at // 2 != byes[0] // 2 and places[at ^ 1]["number"] is not None)
        moved = list(places)
        alone = byes[0] if not draw["round"] else byes[0] ^ 1
        moved[alone], moved[other] = moved[other], moved[alone]
        yield "bye moved", {**draw, "places": moved}
    yield "seed", {**draw, "seed": seed.hex()}
    yield "seed and hash", {**draw, "seed": seed.hex(), "seed_hash": hashlib.sha256(seed).hexdigest()}
    yield "no seed", {**draw, "seed": None}


@pytest.mark.parametrize(("stage", "count"), ROUNDS, ids=[stage.format for stage, _count in ROUNDS])
def test_what_is_changed_in_a_draw_is_noticed(
    stage: StageSettings, count: int, night: QuietNight, make_players: Any, alice_client: Client
) -> None:
    night.enter(make_players(count))
    night.begin(stage).play_out(Random(3))
    night.division.refresh_from_db()
    exports = Exports(night.division, alice_client)
    assert exports.draws
    assert exports.faults() == []
    kinds, missed = set(), []
    for draw in exports.draws:
        for kind, changed in planted_in_draw(draw) if len(draw["places"]) > 2 else ():
            kinds.add(kind)
            if not DRAW["verify"](changed) + DRAW["verify_in_list"](changed, exports.commitments):
                missed.append((draw["round"], kind))
    assert missed == []
    assert len(kinds) == (5 if stage.format == "roundrobin" else 6)


Batches = list[dict[str, Any]]
Body = dict[str, Any]


def swap(batches: Batches, _body: Body) -> None:
    first, second = batches[0]["pairs"][:2]
    first["entries"][1], second["entries"][1] = second["entries"][1], first["entries"][1]


def drop_from_pool(batches: Batches, _body: Body) -> None:
    paired = {entry for pair in batches[0]["pairs"] for entry in pair["entries"]}
    batches[0]["pool"] = [row for row in batches[0]["pool"] if row[0] in paired]


def drop_entry(_batches: Batches, body: Body) -> None:
    del body["entries"][0]


def drop_batch(batches: Batches, body: Body) -> None:
    body["events"].remove(batches[1])


def change_seed(_batches: Batches, body: Body) -> None:
    body["seed"] = bytes.fromhex(body["seed"])[::-1].hex()


def change_seed_and_hash(batches: Batches, body: Body) -> None:
    change_seed(batches, body)
    body["seed_hash"] = hashlib.sha256(bytes.fromhex(body["seed"])).hexdigest()


def hide_seed(_batches: Batches, body: Body) -> None:
    body["seed"] = None


def move_bye(batches: Batches, body: Body) -> None:
    with_bye = next(batch for batch in batches if batch["byes"])
    with_bye["byes"] = [next(row["number"] for row in body["entries"] if row["number"] not in with_bye["byes"])]


PLANTED = (swap, drop_from_pool, drop_entry, drop_batch, change_seed, change_seed_and_hash, hide_seed, move_bye)


@pytest.mark.parametrize("stage", [LIVES_NIGHT, SWISS_NIGHT], ids=["lives", "swiss"])
def test_what_is_changed_in_a_night_is_noticed(
    night: QuietNight, make_players: Any, client: Client, stage: StageSettings
) -> None:
    night.enter(make_players(7))
    night.open()
    night.begin(stage)
    night.play_batches(24)
    night.end()
    exports = Exports(night.division, client)
    assert exports.faults() == []
    assert stage.format == LIVES or any(event.get("byes") for event in exports.batches["events"])
    for change in PLANTED if stage.format == SWISS else PLANTED[:-1]:
        body = copy.deepcopy(exports.batches)
        change([event for event in body["events"] if event["kind"] == "batch"], body)
        assert PAIRINGS["verify"](body)[0] + PAIRINGS["verify_in_list"](body, exports.commitments), change.__name__


# What is not public yet, and what was changed since


def test_what_is_not_public_yet_is_no_fault(
    night: QuietNight, make_players: Any, client: Client, tmp_path: Path
) -> None:
    night.enter(make_players(6))
    night.begin(StageSettings("swiss", rounds=2))
    exports = Exports(night.division, client)
    assert [(draw["pairing_state"], draw["pairing"]) for draw in exports.draws] == [("secret", None)]
    code, output = printed(tmp_path, "draw", exports.draws, exports.commitments)
    assert (code, output) == (
        0,
        "Draft 1: not checkable yet; its seed is published when the stage or the event is over.\n",
    )
    night.play_out(Random(1))
    exports = Exports(night.division, client)
    assert {draw["pairing_state"] for draw in exports.draws} == {"public"}
    assert printed(tmp_path, "draw", exports.draws, exports.commitments) == (0, "2 draws follow from their seeds.\n")


def test_a_round_says_that_what_it_was_paired_from_was_changed(
    night: QuietNight, make_players: Any, client: Client, tmp_path: Path
) -> None:
    night.enter(make_players(6))
    night.begin(StageSettings("swiss", rounds=2)).play_out(Random(1))
    first = (
        Fixture.objects.filter(stage__division=night.division).select_related("stage__division").order_by("number")[0]
    )
    assert first.match is not None
    winner = first.match.results.latest("version").winner
    other = ResultInput(1, (3, first.match.length)) if winner == 0 else ResultInput(0, (first.match.length, 3))
    correction = CorrectionInput(other, "keep_bracket")
    apply_correction(fixture=first, correction=correction, after=night.seq, by=night.by, now=night.now())
    exports = Exports(night.division, client)
    assert [draw["pairing_state"] for draw in exports.draws] == ["public", "changed"]
    code, output = printed(tmp_path, "draw", exports.draws, exports.commitments)
    assert (code, output.count("\n")) == (0, 1)
    assert "Round 2: what it was paired from was changed since" in output


def test_who_withdrew_after_a_round_is_in_what_later_rounds_were_paired_from(
    night: QuietNight, make_players: Any, client: Client
) -> None:
    entries = night.enter(make_players(7))
    night.begin(StageSettings("swiss", rounds=3))
    night.play_round(Random(1))
    night.withdraw(entries[0])
    night.work()
    keep_apart(first=entries[1], second=entries[2], by=night.by, now=night.now())
    night.play_out(Random(2))
    exports = Exports(night.division, client)
    assert [draw["pairing_state"] for draw in exports.draws] == ["public"] * 3
    assert exports.faults() == []


@pytest.mark.parametrize(
    "stage", [StageSettings("knockout", qualifiers=4), StageSettings("groups", groups=2, qualifiers=2)]
)
def test_who_is_kept_apart_after_the_draw_changes_nothing_in_it(
    night: QuietNight, make_players: Any, alice_client: Client, client: Client, stage: StageSettings
) -> None:
    entries = night.enter(make_players(8))
    keep_apart(first=entries[0], second=entries[1], by=night.by, now=night.now())
    night.begin(stage, StageSettings("swiss"))
    for first, second in ((2, 3), (3, 4), (2, 4)):
        keep_apart(first=entries[first], second=entries[second], by=night.by, now=night.now())
    let_meet(first=entries[0], second=entries[1], by=night.by, now=night.now())
    for reader in (alice_client, client):
        exports = Exports(night.division, reader)
        assert exports.faults() == []
        assert bool(DRAW["limits"](exports.draws[0])) == (reader is client)


@pytest.mark.parametrize("stage", [SWISS_NIGHT, StageSettings("swiss"), StageSettings("knockout")])
def test_an_event_that_is_over_has_no_secrets(
    night: QuietNight, make_players: Any, client: Client, stage: StageSettings, tmp_path: Path
) -> None:
    night.enter(make_players(6))
    night.begin(stage)
    (line,) = Exports(night.division, client).commitments
    assert line["lots_seed"] is None
    night.end()
    exports = Exports(night.division, client)
    (line,), (draw,) = exports.commitments, exports.draws
    assert None not in (line["seed"], line["lots_seed"], draw["seed"], draw["lots_seed"])
    assert exports.faults() == []
    if exports.batches:
        assert printed(tmp_path, "pairings", exports.batches, exports.commitments) == (
            0,
            "1 batches were of least cost by the lots of the seed.\n",
        )


def test_pairings_without_rounds_are_not_checkable_before_the_stage_is_over(
    night: QuietNight, make_players: Any, client: Client, tmp_path: Path
) -> None:
    night.enter(make_players(6))
    night.begin(LIVES_NIGHT)
    exports = Exports(night.division, client)
    assert printed(tmp_path, "pairings", exports.batches, exports.commitments) == (
        0,
        "Not checkable yet: the seed is published when the stage or the event is over.\n",
    )
