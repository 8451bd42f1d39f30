"""Undo over all acts of the floor: each is named and undone as if it had not been, or says that it has no undo."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from core.packages import PACKAGES
from engine.errors import Refused
from formats.settings import Leader
from matches.lifecycle.finish import ResultInput
from matches.models import Match
from players.actors import Actor
from players.models import LogEntry, Player
from prizes.services import SidePoolInput, create_pool, join_pool
from tests.tournaments.floor.test_batches import Night, derived, people, start
from tests.tournaments.floor.test_services import Evening
from tournaments.draws.round_lengths import RoundLength, change_round_lengths
from tournaments.entries import arrivals, check_in, late, returns
from tournaments.entries.services import withdraw, withdraw_from_event
from tournaments.entries.substitutions import SubstituteInput, substitute
from tournaments.events.services import update_division, update_tournament
from tournaments.floor import acts, by_hand, calls, evening, hold_ups, length_offers
from tournaments.floor.endings import end_stage
from tournaments.floor.page.actions import ACTIONS
from tournaments.floor.state import FloorSettings
from tournaments.floor.undo import act_named, last_act, preview_undo, undo
from tournaments.ledger import payments
from tournaments.ledger.accounts import box_of, owed_by_entry
from tournaments.ledger.payments import PaymentInput
from tournaments.models import (
    Autopilot,
    CheckIn,
    Division,
    Entry,
    Fixture,
    FloorKind,
    OpenPairing,
    Pairing,
    Round,
    Slot,
    Stage,
    Table,
    Tournament,
)
from tournaments.results.corrections import CorrectionInput, apply_correction
from tournaments.results.quick_entry import forfeit_missing
from tournaments.results.services import enter_result, withdraw_side
from tournaments.state.integrity import differences
from tournaments.state.log import KINDS, UNDONE, VERBS, entries_of, line_text, log_lines

__all__ = ["people", "start"]
pytestmark = pytest.mark.django_db

RAW = re.compile(r"\d{4}-\d\d-\d\d|\b(?:True|False|None)\b|[\[\]{}]|[a-z]_[a-z]|\w=\w")
"""What a program writes for dates, choices and lists, and no sentence does."""
ROOT = Path(__file__).resolve().parents[3]
LOGGED_VERB = re.compile(r"\blog(?:_all)?\(\s*[\w.]+(?:\([^()]*\))?,\s*\"(\w+)\"")

FOLLOWS = {
    "moved_up", "drawn", "draw_requested", "match_opened", "match_voided", "match_reinstated", "match_due_moved",
    "match_length_changed", "result_final", "switched_by_clock", "deadline_director", "deadline_extended",
    "deadline_both_lose", "deadline_proposer_wins", "deadline_season_over", "deadline_lots", "claim_unanswered",
    "kiosk_paired", "line_entered", "dice_chain_committed", "kept_act", "kept_entered",
}  # fmt: skip
"""What follows from other acts."""
UNDOES = {
    "result_undone", "line_undone", "late_entry_undone", "payment_taken_back", "correction_undone", acts.UNDONE,
}  # fmt: skip
OF_PLAYERS = {
    "claimed", "claim_confirmed", "claim_contested", "late_report_kept", "claim_withdrawn", "claim_seen", "result_seen",
    "dispute_conceded", "sheet_reported", "objected", "record_sent", "record_reported", "record_refused",
    "record_names_told", "times_proposed", "time_accepted", "times_withdrawn", "live_started", "live_invited_again",
    "friendly_unrated", "friendly_rated_again", "friendly_aborted", "challenge_made", "challenge_accepted",
    "challenge_withdrawn", "player_blocked", "player_unblocked", "player_arrived", "no_show_claimed",
}  # fmt: skip
"""What somebody does as a player."""
OFF_THE_FLOOR = {
    "helper_accepted", "opponent_link_shown", "division_links_shown", "chat_reported", "chat_removed", "chat_kept",
    "chat_restored", "season_drafted", "event_copied", "venue_changed", "club_accepted", "formulas_compared",
    "ratings_imported", "rating_import_undone", "past_matches_imported",
    "past_matches_undone", "past_season_imported", "past_season_undone",
    "restore_drill",
}  # fmt: skip
"""Acts at the club, the season and the chat, and looking at links."""


def test_every_verb_of_the_log_is_decided() -> None:
    """Whether it is undone on the floor, named as something without an undo here, or no act of the floor."""
    written = {
        verb
        for package in PACKAGES[PACKAGES.index("matches") :]
        for path in (ROOT / package).rglob("*.py")
        for verb in LOGGED_VERB.findall(path.read_text())
    }
    assert len(written) > 80
    decided = {
        *acts.UNDO, *acts.NOT_UNDONE_HERE, *acts.BEFORE_THE_FLOOR, *acts.TAKEN_BACK_BY, *check_in.VERBS.values(),
        *(f"floor_{kind}" for kind in FloorKind), "result_appended", "result_corrected",
        *FOLLOWS, *UNDOES, *OF_PLAYERS, *OFF_THE_FLOOR,
        *(verb for verb in written if verb.startswith(("series_", "title_", "final_"))),
    }  # fmt: skip
    assert (written | VERBS.keys() | UNDONE.keys()) - decided == set()
    of_floors = {f"floor_{kind}" for kind in FloorKind}
    assert of_floors - VERBS.keys() == set(), "each is written in words"
    assert of_floors - set(KINDS["floor"]) == set()


class Hall(Evening):
    """A knockout of seven at three tables with a fee, in mid-evening."""

    PLAYING, CALLED, READY = 1, 2, 3

    def entry(self, number: int, side: int = 0) -> Entry:
        slot = Slot.objects.select_related("entry__player", "entry__division__tournament__club").get(
            fixture=self.fixture(number), side=side
        )
        assert slot.entry is not None
        return slot.entry

    @property
    def event(self) -> Tournament:
        return Tournament.objects.select_related("club").get(pk=self.division.tournament_id)

    @property
    def seq(self) -> int:
        return Division.objects.values_list("seq", flat=True).get(pk=self.division.pk)

    def withdraw(self, number: int) -> Entry:
        return withdraw(entry=self.entry(number), **self.acts, reason="ill")

    def bring_back(self) -> None:
        entry = Entry.objects.select_related("player", "division__tournament__club").get(status=Entry.Status.OUT)
        returns.bring_back(entry=entry, seen=returns.preview_return(entry=entry).mark, **self.acts)

    def enter_late(self) -> None:
        late.enter_late(division=self.division, players=[Player.objects.create(name="Late")], **self.acts)

    def shorten_final(self) -> None:
        final = Round.objects.get(fixtures__number=7)
        change_round_lengths(tournament=self.event, changes=[RoundLength(final.pk, 7, 5)], **self.acts)

    def pay(self, number: int, amount: int = 1000, key: str = "k") -> None:
        player = self.entry(number).player
        payments.receive(tournament=self.event, player=player, payment=PaymentInput(amount, key), **self.acts)

    def arrive(self, number: int, *, here: bool) -> None:
        entries = [self.entry(number)]
        arrivals.arrive(tournament=self.event, entries=entries, here=here, amount=1000, key="arrival", **self.acts)

    def refund(self) -> None:
        player = self.entry(self.READY).player
        payments.refund(tournament=self.event, player=player, payment=PaymentInput(500, "back"), **self.acts)

    def result(self, number: int, **more: Any) -> None:
        enter_result(fixture=self.fixture(number), result=ResultInput.played((7, 3)), **self.acts, **more)

    def correct(self) -> None:
        new = CorrectionInput(ResultInput.played((7, 4)), "correct_all", "Misheard")
        apply_correction(fixture=self.fixture(self.READY), correction=new, after=self.seq, **self.acts)

    def mark(self, number: int, state: str, until: datetime | None = None) -> None:
        check_in.mark(entry=self.entry(number), state=state, until=until, **self.acts)

    def create_pool(self) -> Any:
        return create_pool(
            division=self.division, pool=SidePoolInput("Jackpot", 500, [10000], [("main", 1)]), **self.acts
        )

    def facts(self) -> dict[str, Any]:
        """What can be seen of the event: matches, tables, places, lengths, who is here, money. No ids of matches."""
        rows = Fixture.objects.filter(stage__division=self.division).order_by("number")
        columns = ("number", "status", "match__player_0", "match__player_1", "match__state", "match__begun_at",
                   "match__finished_at", "match__length", "match__created_at", "match__settle_at")  # fmt: skip
        state = self.state
        entries = Entry.objects.exclude(status=Entry.Status.OUT).order_by("pk")
        on_floor = [*state.matches.values(), *state.tables.values(), state.queue, state.suggestions, state.attention,
                    state.pause, state.presence, state.facts.away, state.facts.autopilot,
                    state.facts.own_hall, state.facts.needs_accessible]  # fmt: skip
        return {
            "matches": list(rows.values_list(*columns)),
            "slots": list(Slot.objects.order_by("fixture__number", "side").values_list("fixture__number", "entry")),
            "rounds": list(Round.objects.order_by("pk").values_list("number", "length")),
            "floor": re.sub(r"match_id=\d+", "", repr(on_floor)),
            "entries": list(entries.values_list("pk", "status", "checked_in_at", "away_until")),
            "box": box_of(self.event).expected,
            "owed": owed_by_entry(self.division),
        }


@pytest.fixture
def hall(drawn: Callable[..., Division], by_alice: Actor) -> Hall:
    division = drawn(7, match_length=7, fee=1000, capacity=8)
    update_tournament(tournament=division.tournament, by=by_alice, now=division.tournament.starts_at, tables=3)
    division.refresh_from_db()
    hall = Hall(division, by_alice)
    evening.open_floor(tournament=hall.event, **hall.acts)
    ready = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY).order_by("number")
    Hall.PLAYING, Hall.CALLED, Hall.READY = ready.values_list("number", flat=True)
    hall.call(Hall.PLAYING, 1)
    hall.start(Hall.PLAYING)
    calls.set_running_score(fixture=hall.fixture(Hall.PLAYING), score=(3, 2), **hall.acts)
    hall.call(Hall.CALLED, 2)
    return hall


Act = Callable[[Hall], object]
PREPARED: dict[str, Act] = {
    "release": lambda hall: calls.hold(fixture=hall.fixture(hall.READY), **hall.acts),
    "back": lambda hall: calls.take_out_of_use(table=hall.table(3), reason="lamp", **hall.acts),
    "let-go-on": lambda hall: evening.adjourn(fixture=hall.fixture(hall.PLAYING), **hall.acts),
    "resume": lambda hall: evening.pause(tournament=hall.event, until=None, **hall.acts),
    "return": lambda hall: hall.withdraw(hall.READY),
    "return of a player in a match": lambda hall: hall.withdraw(hall.PLAYING),
    "refund": lambda hall: hall.pay(hall.READY),
    "correct": lambda hall: hall.result(hall.READY),
    "pool": lambda hall: hall.create_pool(),
    "away": lambda hall: hall.mark(hall.READY, CheckIn.State.HERE),
    "start-score": lambda hall: Match.objects.update(rated=False),
    "withdraw-length": lambda hall: length_offers.propose_length(
        fixture=hall.fixture(hall.PLAYING), length=5, **hall.acts
    ),
}
"""What is done before, so that the act is possible."""
UNDONE_HERE: dict[str, Act] = {
    "call": lambda hall: hall.call(hall.READY, 3),
    "call-again": lambda hall: calls.call_again(fixture=hall.fixture(hall.CALLED), **hall.acts),
    "start": lambda hall: hall.start(hall.CALLED),
    "start-called": lambda hall: calls.start_called(tournament=hall.event, **hall.acts),
    "move": lambda hall: calls.move(fixture=hall.fixture(hall.PLAYING), table=hall.table(3), **hall.acts),
    "score": lambda hall: calls.set_running_score(fixture=hall.fixture(hall.PLAYING), score=(4, 2), **hall.acts),
    "late": lambda hall: calls.mark_late(
        fixture=hall.fixture(hall.CALLED), player=hall.match(hall.CALLED).player_0, minutes=7, **hall.acts
    ),
    "no-show": lambda hall: forfeit_missing(fixture=hall.fixture(hall.CALLED), side=0, **hall.acts),
    "clocks": lambda hall: evening.put_clocks_on(fixture=hall.fixture(hall.PLAYING), **hall.acts),
    "result": lambda hall: hall.result(hall.PLAYING, settle_after=timedelta(seconds=5)),
    "result that is settled": lambda hall: hall.result(hall.PLAYING),
    "leader-wins": lambda hall: hall.result(hall.PLAYING),
    "settle": lambda hall: hall.result(hall.PLAYING),
    "adjourn": lambda hall: evening.adjourn(fixture=hall.fixture(hall.PLAYING), **hall.acts),
    "let-go-on": lambda hall: evening.let_go_on(fixture=hall.fixture(hall.PLAYING), **hall.acts),
    "shorten-match": lambda hall: evening.shorten(fixture=hall.fixture(hall.PLAYING), length=5, **hall.acts),
    "propose-length": lambda hall: length_offers.propose_length(
        fixture=hall.fixture(hall.PLAYING), length=5, **hall.acts
    ),
    "start-score": lambda hall: evening.set_start_score(
        fixture=hall.fixture(hall.CALLED), score=(2, 0), reason="Agreed", **hall.acts
    ),
    "waive-rest": lambda hall: calls.waive_rest(fixture=hall.fixture(hall.READY), **hall.acts),
    "pin": lambda hall: calls.pin(fixture=hall.fixture(hall.READY), **hall.acts),
    "hold": lambda hall: calls.hold(fixture=hall.fixture(hall.READY), **hall.acts),
    "release": lambda hall: calls.release(fixture=hall.fixture(hall.READY), **hall.acts),
    "free": lambda hall: calls.free_table(table=hall.table(1), **hall.acts),
    "out": lambda hall: calls.take_out_of_use(table=hall.table(3), reason="lamp", **hall.acts),
    "back": lambda hall: calls.back_in_use(table=hall.table(3), **hall.acts),
    "here": lambda hall: check_in.mark_players_here(
        tournament=hall.event, players=[hall.entry(hall.READY).player], **hall.acts
    ),
    "away": lambda hall: hall.mark(hall.READY, CheckIn.State.AWAY, hall.now + timedelta(minutes=20)),
    "pause": lambda hall: evening.pause(tournament=hall.event, until=None, **hall.acts),
    "resume": lambda hall: evening.resume(tournament=hall.event, **hall.acts),
    "autopilot": lambda hall: evening.set_autopilot(tournament=hall.event, mode=Autopilot.CALL, **hall.acts),
    "own-hall": lambda hall: evening.give_own_hall(tournament=hall.event, **hall.acts),
    "accessible": lambda hall: evening.set_needs_accessible(
        tournament=hall.event, player=hall.entry(hall.READY).player, needed=True, **hall.acts
    ),
    "shorten": lambda hall: hall.shorten_final(),
    "withdraw": lambda hall: hall.withdraw(hall.READY),
    "withdraw a player in a match": lambda hall: hall.withdraw(hall.PLAYING),
    "withdraw from the event": lambda hall: withdraw_from_event(
        tournament=hall.event, player=hall.entry(hall.CALLED).player, **hall.acts
    ),
    "return": lambda hall: hall.bring_back(),
    "return of a player in a match": lambda hall: hall.bring_back(),
    "enter late": lambda hall: hall.enter_late(),
    "pay": lambda hall: hall.pay(hall.READY),
    "paid on arrival": lambda hall: hall.arrive(hall.READY, here=False),
    "here and paid": lambda hall: hall.arrive(hall.READY, here=True),
    "refund": lambda hall: hall.refund(),
    "spend": lambda hall: payments.spend(
        tournament=hall.event, payment=PaymentInput(300, "spent", note="Cake"), **hall.acts
    ),
    "all here": lambda hall: check_in.mark_all_here(tournament=hall.event, division=None, **hall.acts),
}
NOT_UNDONE_HERE: dict[str, Act] = {
    "settings of the floor": lambda hall: evening.change_settings(
        tournament=hall.event, settings=FloorSettings(rest=9), **hall.acts
    ),
    "add a table": lambda hall: evening.add_table(tournament=hall.event, label="9", **hall.acts),
    "change a table": lambda hall: evening.change_table(
        table=hall.table(3), label="by the door", category=Table.Category.ACCESSIBLE, **hall.acts
    ),
    "settings": lambda hall: update_division(division=hall.division, after=hall.seq, name="Open", **hall.acts),
    "event": lambda hall: update_tournament(
        tournament=hall.event, tables=5, ends_at=hall.now + timedelta(hours=5), season=False, **hall.acts
    ),
    "withdraw from a bracket": lambda hall: withdraw_side(
        fixture=hall.fixture(hall.READY), side=0, scope="bracket", **hall.acts
    ),
    "substitute": lambda hall: substitute(
        entry=hall.entry(hall.READY), substitute=SubstituteInput("Sub"), after=hall.seq, **hall.acts
    ),
    "correct": lambda hall: hall.correct(),
    "pool": lambda hall: join_pool(pool=hall.division.side_pools.get(), entry=hall.entry(hall.READY), **hall.acts),
    "close the cash desk": lambda hall: payments.close_desk(tournament=hall.event, counted=0, expected=0, **hall.acts),
    "require payment": lambda hall: payments.require_payment(tournament=hall.event, needed=True, **hall.acts),
}
TAKE_BACK = {"take-back", "take-back-score", "withdraw-length", "take-back-length", "undo-re-entry", "undo", "open"}
"""Actions of the floor that themselves take something back, or come before everything."""
BY_THEIR_VERBS = {"excuse", "re-enter", "stop-match", "pair-now", "pair-by-hand", "take-back-missed"}
"""Actions with tests of their own, or whose calls are undone one by one before they say that they have no undo."""


ANEW = {"return", "return of a player in a match"}
"""Acts whose undo records a walkover once more, at a later time."""


def without_times(facts: dict[str, Any]) -> dict[str, Any]:
    return {key: re.sub(r"datetime\.datetime\([^()]*(\([^()]*\))?\)|'until': '[^']*'", "", repr(value))
            for key, value in facts.items()}  # fmt: skip


def line_texts(event: Tournament) -> str:
    """What the log says of an event, with what it does not say of the floor."""
    rows = entries_of(event, directs=True).exclude(by=LogEntry.By.SYSTEM)
    return " ".join([*map(line_text, rows), *(" ".join(line.details) for line in log_lines(rows, event))])


@contextmanager
def thrown_away() -> Iterator[None]:
    """Roll back whatever is done in it."""
    point = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(point)


def in_the_hall(hall: Hall, act: str) -> Iterator[None]:
    """Before an act, as often as one wants."""
    with thrown_away():
        hall.later(1)
        if act in PREPARED:
            PREPARED[act](hall)
        hall.later(1)
        yield


@pytest.mark.slow
def test_every_act_is_undone_as_if_it_had_not_been(hall: Hall) -> None:
    failed: list[tuple[object, ...]] = []
    began = hall.now
    for name, act in UNDONE_HERE.items():
        hall.now = began
        for _before in in_the_hall(hall, name):
            guard, before = last_act(hall.event, hall.alice), hall.facts()
            act(hall)
            last = last_act(hall.event, hall.alice)
            assert last is not None, name
            assert last != guard, name
            assert hall.facts() != before, name
            label = last.label
            assert not RAW.search(f"{label} {last.undone_text} {line_texts(hall.event)}"), name
            names = {*Player.objects.values_list("name", flat=True)}
            assert not re.match(rf"Undo: (?:M\d|{'|'.join(map(re.escape, names))})", last.short_label), name
            preview = preview_undo(last)
            assert preview is None or not preview.is_refused, (name, preview)
            for _twice in range(2):
                named = act_named(hall.event, last.name)
                assert named is not None, name
                undo(tournament=hall.event, act=named, **hall.acts)
            after = hall.facts()
            if name in ANEW:
                before, after = without_times(before), without_times(after)
            failed += [(name, label, key, before[key], after[key]) for key in before if before[key] != after[key]]
            if last_act(hall.event, hall.alice) != guard:
                failed.append((name, label, "next", guard))
            failed += [(name, "integrity", row) for row in differences()]
    assert not failed


def test_what_has_no_undo_here_says_so_and_nothing_older_is_undone(hall: Hall) -> None:
    began = hall.now
    for name, act in NOT_UNDONE_HERE.items():
        hall.now = began
        for _before in in_the_hall(hall, name):
            guard = last_act(hall.event, hall.alice)
            act(hall)
            last = last_act(hall.event, hall.alice)
            assert last is not None, name
            assert last != guard, name
            done = hall.facts()
            assert last.label.startswith(("No undo here: ", "Undo the correction of M")), name
            assert not RAW.search(f"{last.label} {last.undone_text} {line_texts(hall.event)}"), name
            assert guard is not None, name
            for older in (last, guard):
                with pytest.raises(Refused) as refused:
                    undo(tournament=hall.event, act=older, **hall.acts)
                codes = {"not_undone_here", "undo_is_correction"} if older == last else {"not_last_on_floor"}
                assert refused.value.code in codes, name
            assert hall.facts() == done, name
            assert list(differences()) == [], name


class Flow(Night):
    """A night with lives and without rounds, some of whose matches are being played."""

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": self.by, "now": self.now}

    @property
    def stage(self) -> Stage:
        return Stage.objects.select_related("division__tournament__club").get(division=self.division)

    def match(self, *, begun: bool) -> Fixture:
        return next(row for row in self.open() if row.match is not None and (row.match.begun_at is not None) == begun)

    def player_of(self, *, begun: bool) -> Entry:
        slots = Slot.objects.filter(fixture=self.match(begun=begun), side=0).select_related("entry__player")
        entry = slots.get().entry
        assert entry is not None
        return entry

    def free(self) -> list[Entry]:
        busy = OpenPairing.objects.values("entry")
        rows = self.division.entries.filter(status=Entry.Status.IN).exclude(pk__in=busy)
        return list(rows.select_related("player", "division").order_by("pk"))


def without_left(night: Flow) -> list[str]:
    """What can be seen, apart from entries that are out: a late entry that was undone stays as one."""
    return [line for line in derived(night) if not line.endswith("'out')")]


FLOW_PREPARED: dict[str, Callable[[Flow], object]] = {
    "pairing-goes-on": lambda night: by_hand.hold_pairing(stage=night.stage, held=True, **night.acts),
}
FLOW_UNDONE_HERE: dict[str, Callable[[Flow], object]] = {
    "ask-over": lambda night: hold_ups.ask_whether_over(fixture=night.match(begun=True), **night.acts),
    "waive-lead": lambda night: hold_ups.waive_lead(fixture=night.match(begun=True), **night.acts),
    "hold-pairing": lambda night: by_hand.hold_pairing(stage=night.stage, held=True, **night.acts),
    "pairing-goes-on": lambda night: by_hand.hold_pairing(stage=night.stage, held=False, **night.acts),
    "no-show": lambda night: forfeit_missing(fixture=night.match(begun=False), side=0, **night.acts),
    "end-stage": lambda night: end_stage(
        stage=night.stage, places=4, stop=False, after=night.division.seq, **night.acts
    ),
    "end-stage, nothing follows": lambda night: end_stage(
        stage=night.stage, places=None, stop=True, after=night.division.seq, **night.acts
    ),
    "withdraw who is free": lambda night: withdraw(entry=night.free()[0], **night.acts),
    "withdraw who is called": lambda night: withdraw(entry=night.player_of(begun=False), **night.acts),
    "withdraw who plays": lambda night: withdraw(entry=night.player_of(begun=True), **night.acts),
    "enter late": lambda night: late.enter_late(
        division=night.division, players=[Player.objects.create(name="Late")], **night.acts
    ),
}
FLOW_NOT_UNDONE_HERE: dict[str, Callable[[Flow], object]] = {
    "flow": lambda night: by_hand.change_flow(
        stage=night.stage,
        window=7,
        lead=1,
        leader=Leader.PLAYS,
        switch_time=None,
        after=night.division.seq,
        **night.acts,
    ),
    "take-back-pairing": lambda night: by_hand.undo_pairing(
        fixture=night.match(begun=False), code=Pairing.TakenBack.WRONG_CALL, **night.acts
    ),
}


@pytest.mark.slow
def test_every_act_without_rounds(start: Callable[..., Tournament], by_alice: Actor) -> None:
    night = Flow(start(), by_alice, seed=2)
    for fixture in night.open()[:3]:
        calls.start(fixture=fixture, **night.acts)
    began, failed, undone = night.now + timedelta(minutes=3), list[object](), set[str]()
    for name, act in {**FLOW_UNDONE_HERE, **FLOW_NOT_UNDONE_HERE}.items():
        night.now = began
        with thrown_away():
            if name in FLOW_PREPARED:
                FLOW_PREPARED[name](night)
            guard, before = last_act(night.event, night.by), without_left(night)
            act(night)
            last = last_act(night.event, night.by)
            assert last is not None, name
            assert last != guard, name
            assert not RAW.search(f"{last.label} {last.undone_text} {line_texts(night.event)}"), name
            done, preview = derived(night), preview_undo(last)
            if preview is None or not preview.is_refused:
                undo(tournament=night.event, act=last, **night.acts)
                assert last_act(night.event, night.by) == guard, name
                failed += [(name, pair) for pair in zip_longest(before, without_left(night)) if pair[0] != pair[1]]
                undone.add(name)
            else:
                with pytest.raises(Refused):
                    undo(tournament=night.event, act=last, **night.acts)
                assert derived(night) == done, name
            assert list(differences()) == [], name
    assert not failed
    assert undone == FLOW_UNDONE_HERE.keys()


def test_every_action_of_the_floor_is_walked() -> None:
    walked = {*UNDONE_HERE, *NOT_UNDONE_HERE, *TAKE_BACK, *FLOW_UNDONE_HERE, *FLOW_NOT_UNDONE_HERE, *BY_THEIR_VERBS}
    assert ACTIONS.keys() - walked == {"note"}, "only a note is no act to undo: it changes nothing"
