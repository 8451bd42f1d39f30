"""Nobody wins alone: every way to a result, with an opponent who knows nothing, who says nothing, and who objects.

Bob takes every way there is to win against Carol. A result of a match against somebody who was never told and never
acted is not rated, whatever happens and however long it takes, unless a person ruled.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.live.presence import PagePresence
from engine.actions import Act
from engine.clock import MINUTE, SECOND, ClockSettings
from engine.errors import Refused
from matches.lifecycle import arrivals, finality, links
from matches.lifecycle.finish import ResultInput
from matches.models import LiveMatch, Match, Proposal, Provisional, RatingChange, RatingPool, Result
from matches.play import absences, due
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind
from matches.play.lobby import services as lobby
from matches.play.starting import PlaySettings, commit_chain, start
from matches.ratings import services as ratings
from matches.records.submissions import RecordFile
from matches.reporting import appointments, deadlines, objections, records, reports
from matches.reporting.records import adjudicate_submission
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import join
from tests.matches.records.samples import simulated
from tests.tiers import TEST_SEED, first_in_make_test
from tests.tournaments.support.own_match import draw_pair
from tournaments.entries import check_in
from tournaments.models import CheckIn, Division, Fixture, Tournament
from tournaments.results import overdue
from tournaments.results import services as results
from tournaments.results.services import close_results, confirm_all, provisional_results
from tournaments.state.integrity import differences

pytestmark = pytest.mark.django_db
LENGTH = 3
WAIT = timedelta(minutes=10)
DEADLINE = timedelta(days=7)
CLOCK = ClockSettings(12 * SECOND, 2 * MINUTE)
TURNS_OF_DAYS = ClockSettings(2 * 24 * 60 * MINUTE, 0, correspondence=True)
FINAL, PROVISIONAL, UNCONFIRMED = Result.Finality.FINAL, Result.Finality.PROVISIONAL, Result.Finality.UNCONFIRMED


@dataclass
class World:
    """A match between Bob and Carol, the time, and what they can do."""

    fixture: Fixture
    bob: int
    """Bob's side."""
    users: list[User]
    """By side."""
    alice: Actor
    now: datetime
    log: list[str] = field(default_factory=list)

    @property
    def match(self) -> Match:
        return Match.objects.get(pk=self.fixture.match_id)

    @property
    def carol(self) -> int:
        return 1 - self.bob

    @property
    def result(self) -> Result | None:
        return self.match.results.order_by("-version").first()

    @property
    def is_rated(self) -> bool:
        """Whether the match counts, once its pool has been replayed."""
        for pool in RatingPool.objects.all():
            while ratings.replay_pool(pool_id=pool.pk, now=self.now) is not None:
                pass
        return RatingChange.objects.filter(match=self.match).exists()

    def by(self, side: int) -> Actor:
        return Actor.of(self.users[side])

    def common(self, side: int) -> dict[str, Any]:
        return {"match": self.match, "side": side, "by": self.by(side), "now": self.now}

    def wait(self, time: timedelta) -> None:
        """Let time pass, with every sweep at its end."""
        self.now += time
        self.sweep()

    def sweep(self) -> None:
        """What beat does by itself."""
        for row in self.match.submissions.filter(state="queued"):
            adjudicate_submission(submission_id=row.pk, now=self.now)
        deadlines.settle_waiting_records(now=self.now)
        if LiveMatch.objects.filter(pk=self.match.pk).exists():
            due.settle_due(match_id=self.match.pk, now=self.now)
            lobby.lapse_invitations(now=self.now)
        deadlines.accept_due_reports(now=self.now)
        deadlines.end_due_results(now=self.now)
        deadlines.notify_of_results(now=self.now)
        for fixture in overdue.due_fixtures(self.now):
            overdue.apply_deadline(fixture_id=fixture, now=self.now)

    def report(self, side: int, winner: int) -> None:
        score = (LENGTH, 1) if winner == 0 else (1, LENGTH)
        reports.report_score(report=reports.ScoreReport(winner, score), **self.common(side))

    def send_record(self, side: int) -> None:
        """Send a record in which Bob wins."""
        names = [player.name for player in self.match.players]
        for seed in range(1, 60):
            data = simulated(seed=seed, length=LENGTH, players=(names[0], names[1])).decode()
            if _winner(data) == self.bob:
                break
        file = RecordFile(data.encode(), "upload")
        records.submit_for_match(file=file, **self.common(side))
        self.sweep()

    def agree_on_a_time(self) -> Proposal:
        """Carol proposed a time, and Bob accepted it, before anything that matters here."""
        at = self.now + timedelta(hours=2)
        offer = appointments.propose(offer=appointments.Dates([at]), **self.common(self.carol))
        return appointments.accept(proposal=offer, side=self.bob, time=at, by=self.by(self.bob), now=self.now)

    def open_board(self, clock: ClockSettings, *sides: int) -> None:
        """Open the board; these sides say that they are there."""
        settings = PlaySettings(clock, server_chains=True)
        start(match=self.match, settings=settings, by=self.by(self.bob), now=self.now)
        for side in (0, 1):
            commit_chain(match=self.match, side=side, anchor="", by=self.by(side), now=self.now)
        for side in sides:
            self.do(side, EventKind.HERE)
            if not due.state_of(LiveMatch.objects.get(pk=self.match.pk)).ready[side]:
                self.do(side, EventKind.READY)

    def do(self, side: int, kind: str, **fields: Any) -> None:
        """Act on the board."""
        live = LiveMatch.objects.filter(pk=self.match.pk).first()
        if live is None:
            raise Refused("not_live")
        after = live.last
        request = ActionInput(kind, after, **fields)
        act(match=self.match, side=side, request=request, by=self.by(side), now=self.now)

    def play(self, side: int) -> None:
        """Make a play, after rolling if that is to be done."""
        state = due.state_of(LiveMatch.objects.get(pk=self.match.pk)).match
        if state.turn == side and state.dice is None:
            self.do(side, Act.ROLL)
            state = due.state_of(LiveMatch.objects.get(pk=self.match.pk)).match
        if state.turn == side and state.dice is not None:
            moves = tuple((step.source, step.target) for play in state.legal_plays()[:1] for step in play.steps)
            self.do(side, Act.PLAY, moves=moves)

    def play_alternately(self, turns: int) -> None:
        for _ in range(turns):
            turn = due.state_of(LiveMatch.objects.get(pk=self.match.pk)).match.turn
            assert turn is not None
            self.play(turn)

    def tell(self) -> None:
        """Carol, or whoever else lost, says that they have seen what there is to see."""
        is_own_loss = self.result is not None and self.result.winner == self.carol
        reports.acknowledge(**self.common(self.bob if is_own_loss else self.carol))

    def confirm_what_is_left(self) -> None:
        """Alice, who does not play, confirms what “Needs you” lists."""
        seen = [row.report.public_id for row in self.provisional if row.report is not None]
        confirm_all(tournament=self.tournament, reports=seen, by=self.alice, now=self.now)

    def close(self, by: Actor | None = None) -> None:
        """A director closes the event."""
        by = by or self.alice
        seen = [row.report.public_id for row in provisional_results(self.tournament, by) if row.report is not None]
        close_results(tournament=self.tournament, results=seen, by=by, now=self.now)

    @property
    def provisional(self) -> list[Any]:
        return provisional_results(self.tournament, self.alice)

    @property
    def tournament(self) -> Tournament:
        return self.fixture.stage.division.tournament

    @property
    def outcome(self) -> str:
        """The state of the match in a few words, for the table."""
        result = self.result
        if result is None:
            return f"no result ({self.match.state})"
        rated = "rated" if self.is_rated else "not rated"
        return f"{result.get_kind_display()}: {Result.Finality(result.finality).value}, {rated}"


def _winner(data: str) -> int:
    line = next(line for line in reversed(data.splitlines()) if "Wins" in line)
    return 0 if line.index("Wins") < 20 else 1


# Ways to a result. Carol does nothing that says how the match ended.


def win_reported(world: World) -> None:
    world.report(world.bob, world.bob)


def record_that_waits(world: World) -> None:
    world.send_record(world.bob)


def record_that_stands(world: World) -> None:
    Match.objects.update(records_stand=True)
    world.send_record(world.bob)


def late_report(world: World) -> None:
    seq = world.match.seq
    world.agree_on_a_time()
    score = (LENGTH, 1) if world.bob == 0 else (1, LENGTH)
    report = reports.ScoreReport(world.bob, score)
    with pytest.raises(Refused, match="report_kept"):
        reports.report_late(report=report, after=seq, key="offline", **world.common(world.bob))


def score_sheet(world: World) -> None:
    """Somebody with the sheet says to be Carol."""
    score = (LENGTH, 1) if world.bob == 0 else (1, LENGTH)
    reports.report_from_sheet(
        match=world.match,
        says_side=world.carol,
        report=reports.ScoreReport(world.bob, score),
        by=Actor(kind=Actor.link(0).kind),
        now=world.now,
    )


def table_card(world: World) -> None:
    """The card of a table leads to the page of the match, where nobody is known."""
    link = links.token_for(world.match, None)
    Client().get(reverse("match-link", args=[link]))
    sent = {"score_0": LENGTH, "score_1": 0, "i_am": str(world.carol), "after": world.match.seq}
    Client().post(reverse("link-claim", args=[link]), sent)


def kiosk(world: World) -> None:
    """Checking in, at the kiosk or elsewhere, says nothing about a match."""
    entry = world.fixture.slots.get(side=world.bob).entry
    assert entry is not None
    check_in.mark(entry=entry, state=CheckIn.State.HERE, by=world.alice, now=world.now)


def board_to_which_one_side_never_comes(world: World) -> None:
    """Bob invites Carol three times, and is there himself."""
    for _ in range(3):
        world.open_board(CLOCK, world.bob)
        world.wait(timedelta(minutes=5))
        assert world.match.state == Match.State.LIVE, "no clock runs for Carol"
        world.wait(timedelta(minutes=6))


def board_to_which_nobody_comes(world: World) -> None:
    world.open_board(CLOCK)
    world.wait(timedelta(minutes=11))


def board_by_correspondence(world: World) -> None:
    world.open_board(TURNS_OF_DAYS, world.bob)
    world.wait(timedelta(days=3, seconds=2))


def flag_in_correspondence(world: World) -> None:
    world.open_board(TURNS_OF_DAYS, world.bob, world.carol)
    if due.state_of(LiveMatch.objects.get(pk=world.match.pk)).match.turn == world.bob:
        world.play(world.bob)
    world.wait(timedelta(days=3))


def flag_before_the_first_play(world: World) -> None:
    world.open_board(CLOCK, world.bob, world.carol)
    state = due.state_of(LiveMatch.objects.get(pk=world.match.pk)).match
    if state.turn == world.bob:
        world.play(world.bob)
    world.wait(timedelta(minutes=5))


def absence(world: World) -> None:
    world.open_board(CLOCK, world.bob, world.carol)
    if due.state_of(LiveMatch.objects.get(pk=world.match.pk)).match.turn == world.bob:
        world.play(world.bob)
    gone = PagePresence(online=False, since=world.now.timestamp(), closed=True)
    world.now += timedelta(seconds=10)
    absences.note_presence(match_id=world.match.pk, side=world.carol, seen=gone, now=world.now)
    world.now += timedelta(seconds=100)
    world.do(world.bob, EventKind.CLAIM_AWAY)


def no_show(world: World) -> None:
    agreed = world.agree_on_a_time()
    assert agreed.agreed_at is not None
    world.now = agreed.agreed_at
    arrivals.arrive(**world.common(world.bob))
    world.now += timedelta(minutes=world.fixture.stage.division.no_show_minutes)
    arrivals.claim_no_show(**world.common(world.bob))


def deadline(rule: str) -> Callable[[World], None]:
    def way(world: World) -> None:
        Division.objects.update(deadline_rule=rule)
        if rule != Division.DeadlineRule.LOTS:
            agreed = world.agree_on_a_time()
            assert agreed.agreed_at is not None
            world.now = agreed.agreed_at
            arrivals.arrive(**world.common(world.bob))
        world.now = max(world.now, world.fixture.due_at or world.now)
        world.wait(timedelta(seconds=1))

    return way


def deadline_both_lose(world: World) -> None:
    Division.objects.update(deadline_rule=Division.DeadlineRule.BOTH_LOSE)
    world.now = world.fixture.due_at or world.now
    world.wait(timedelta(seconds=1))


def last_second_proposal(world: World) -> None:
    Division.objects.update(deadline_rule=Division.DeadlineRule.BOTH_LOSE)
    assert world.fixture.due_at is not None
    world.now = world.fixture.due_at - timedelta(seconds=3)
    at = world.now + timedelta(seconds=2)
    appointments.propose(offer=appointments.Dates([at]), **world.common(world.bob))
    world.wait(timedelta(seconds=4))


def deadline_after_waiting_at_the_board(world: World) -> None:
    """Bob waits at the board in a round of a few hours."""
    Division.objects.update(deadline_rule=Division.DeadlineRule.BOTH_LOSE)
    assert world.fixture.due_at is not None
    Match.objects.update(created_at=world.fixture.due_at - timedelta(hours=3))
    world.now = world.fixture.due_at - timedelta(minutes=30)
    world.open_board(CLOCK, world.bob)
    world.wait(timedelta(minutes=11))
    world.wait(timedelta(minutes=20))


ALONE: dict[str, Callable[[World], None]] = {
    "report of the winner": win_reported,
    "record of the winner": record_that_waits,
    "record, where records stand at once": record_that_stands,
    "report typed without a connection": late_report,
    "score sheet": score_sheet,
    "table card": table_card,
    "kiosk": kiosk,
    "board: one side never comes": board_to_which_one_side_never_comes,
    "board: nobody comes": board_to_which_nobody_comes,
    "board: one side never comes, by correspondence": board_by_correspondence,
    "board: flag, by correspondence": flag_in_correspondence,
    "board: flag before a first play": flag_before_the_first_play,
    "board: absence": absence,
    "appointment: no-show": no_show,
    "deadline: one side came": deadline(Division.DeadlineRule.BOTH_LOSE),
    "deadline: lots": deadline(Division.DeadlineRule.LOTS),
    "deadline: both lose": deadline_both_lose,
    "deadline: one side waited at the board": deadline_after_waiting_at_the_board,
    "deadline: proposal at the last second": last_second_proposal,
}
NEVER_CAME = ("board: one side never comes", "board: nobody comes", "board: one side never comes, by correspondence")
NO_RESULT = ("report typed without a connection", "score sheet", "table card", "kiosk", *NEVER_CAME)
"""Ways that lead nowhere by themselves."""
REPORTS = ("report of the winner", "record of the winner")
"""Ways that lead to a report, which waits for an answer."""
TO_A_RESULT = [way for way in ALONE if way not in (*NO_RESULT, *REPORTS)]
AGAINST_CAROL = [way for way in TO_A_RESULT if way not in ("deadline: lots", "deadline: both lose")]


# Ways in which Carol, who loses, said so, began to play, or a person ruled.


def loss_reported(world: World) -> None:
    world.report(world.carol, world.bob)
    world.wait(timedelta(minutes=3))


def report_confirmed(world: World) -> None:
    world.report(world.bob, world.bob)
    reports.confirm(**world.common(world.carol))


def dispute_conceded(world: World) -> None:
    world.report(world.bob, world.bob)
    reports.contest(**world.common(world.carol))
    reports.concede(**world.common(world.carol))


def record_of_the_loser(world: World) -> None:
    world.send_record(world.carol)


def conceded_on_the_board(world: World) -> None:
    world.open_board(CLOCK, world.bob, world.carol)
    world.play_alternately(4)
    world.do(world.carol, Act.CONCEDE)


def flag_of_a_side_that_played(world: World) -> None:
    world.open_board(CLOCK, world.bob, world.carol)
    world.play_alternately(4)
    turn = due.state_of(LiveMatch.objects.get(pk=world.match.pk)).match.turn
    if turn == world.bob:
        world.play(world.bob)
    world.wait(timedelta(minutes=9))


def director_enters(world: World) -> None:
    score = (LENGTH, 0) if world.bob == 0 else (0, LENGTH)
    results.enter_result(fixture=world.fixture, result=ResultInput.played(score), by=world.alice, now=world.now)


def director_calls_a_no_show(world: World) -> None:
    results.forfeit(fixture=world.fixture, side=world.carol, by=world.alice, now=world.now)


def report_confirmed_by_a_director(world: World) -> None:
    world.report(world.bob, world.bob)
    claim = world.match.claims.get()
    confirm_all(tournament=world.tournament, reports=[claim.public_id], by=world.alice, now=world.now)


def withdrawal(world: World) -> None:
    results.withdraw_side(fixture=world.fixture, side=world.carol, scope="division", by=world.alice, now=world.now)


SAID_OR_RULED: dict[str, tuple[Callable[[World], None], bool]] = {
    "report of the loser": (loss_reported, True),
    "report, confirmed by the loser": (report_confirmed, True),
    "dispute, conceded": (dispute_conceded, True),
    "record of the loser": (record_of_the_loser, True),
    "board: conceded": (conceded_on_the_board, True),
    "board: flag of a side that played": (flag_of_a_side_that_played, True),
    "a director enters the score": (director_enters, True),
    "a director confirms the report": (report_confirmed_by_a_director, True),
    "a director calls a no-show": (director_calls_a_no_show, False),
    "withdrawal": (withdrawal, False),
}


@pytest.fixture
def world(
    make_division: Callable[..., Division],
    bob_player: Player,
    carol_player: Player,
    bob: User,
    carol: User,
    by_alice: Actor,
) -> World:
    """The final of a division of two, to be played within a week."""
    division = make_division(match_length=LENGTH, claim_wait=int(WAIT.total_seconds()), no_show_loses=True)
    fixture = draw_pair(division, [bob_player, carol_player], by_alice)
    now = timezone.now().replace(microsecond=0)
    Fixture.objects.filter(pk=fixture.pk).update(due_at=now + DEADLINE)
    Match.objects.update(due_at=now + DEADLINE, created_at=now)
    fixture = Fixture.objects.select_related("stage__division__tournament").get(pk=fixture.pk)
    match = Match.objects.get(pk=fixture.match_id)
    side = 0 if match.player_0_id == bob_player.pk else 1
    return World(fixture, side, [bob, carol] if side == 0 else [carol, bob], by_alice, now)


@pytest.fixture(scope="module")
def table() -> Iterator[list[tuple[str, str, str]]]:
    """What each way leads to; printed at the end (`pytest -s`)."""
    rows: list[tuple[str, str, str]] = []
    yield rows
    for name, case, outcome in sorted(rows):
        print(f"{name:38} {case:22} {outcome}")


Table = list[tuple[str, str, str]]


@pytest.mark.parametrize("way", ALONE)
def test_against_somebody_who_was_never_told_nobody_wins_alone(world: World, table: Table, way: str) -> None:
    ALONE[way](world)
    for _ in range(4):
        world.wait(timedelta(days=300))
    table.append((way, "never told", world.outcome))
    assert not is_won_alone(world)
    world.confirm_what_is_left()
    assert world.provisional == []
    table.append((way, "then confirmed", world.outcome))


@pytest.mark.parametrize("way", NEVER_CAME)
def test_a_board_to_which_not_both_come_is_won_by_nobody(world: World, way: str) -> None:
    ALONE[way](world)
    assert world.result is None
    assert (world.match.state, world.match.begun_at) == (Match.State.OPEN, None)
    assert list(differences()) == []


def is_won_alone(world: World) -> bool:
    """Whether the result is final, or rated, though neither Carol nor a person who does not play has said anything."""
    result = world.result
    return result is not None and (result.finality == FINAL or world.is_rated)


@pytest.mark.parametrize("way", first_in_make_test(*REPORTS, *TO_A_RESULT))
def test_who_was_told_and_says_nothing_has_answered(world: World, table: Table, way: str) -> None:
    ALONE[way](world)
    if way in TO_A_RESULT and world.result is None:
        table.append((way, "told and silent", f"never arises ({world.match.state})"))
        return
    world.tell()
    world.wait(WAIT - timedelta(seconds=1))
    assert not is_won_alone(world), "the time to answer is not over"
    world.wait(timedelta(seconds=2))
    table.append((way, "told and silent", world.outcome))
    result = world.result
    assert result is not None
    if result.winner is None:
        assert result.finality == PROVISIONAL, "Bob, whom it goes against, too, was not told"
        reports.acknowledge(**world.common(world.bob))
        world.wait(WAIT + timedelta(seconds=1))
    assert world.result is not None
    assert world.result.finality == FINAL
    assert world.is_rated or result.kind != Result.Kind.PLAYED


@pytest.mark.parametrize("way", first_in_make_test(*AGAINST_CAROL))
def test_an_objection_stops_the_clock_until_a_director_answers(world: World, table: Table, way: str) -> None:
    ALONE[way](world)
    if world.result is None:
        table.append((way, "objection dismissed", f"never arises ({world.match.state})"))
        return
    objection = objections.object_to_result(reason="I was never asked.", **world.common(world.carol))
    world.wait(timedelta(days=300))
    assert not is_won_alone(world)
    objections.answer_objection(objection=objection, upheld=False, answer="She was.", by=world.alice, now=world.now)
    table.append((way, "objection dismissed", world.outcome))
    assert world.result is not None
    assert world.result.finality == FINAL
    assert world.provisional == []


@pytest.mark.parametrize("way", SAID_OR_RULED)
def test_what_the_loser_said_or_a_person_ruled_is_final_at_once(world: World, table: Table, way: str) -> None:
    take, is_rated = SAID_OR_RULED[way]
    take(world)
    table.append((way, "at once", world.outcome))
    result = world.result
    assert result is not None
    assert (result.winner, result.finality) == (world.bob, FINAL)
    assert world.is_rated == is_rated


def test_without_the_law_the_loss_is_found(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: with every result final, most of these ways win alone."""
    monkeypatch.setattr(finality, "why_provisional", lambda facts: None)
    record_that_stands(world)
    assert is_won_alone(world)
    assert world.is_rated


# Random walks


def bobs_moves(world: World, chance: Random) -> list[tuple[str, Callable[[], object]]]:
    """What Bob, time and the sweeps can do, whether or not it is possible now."""
    bob = world.common(world.bob)
    score = (LENGTH, 1) if world.bob == 0 else (1, LENGTH)
    win = reports.ScoreReport(world.bob, score)
    at = world.now + timedelta(hours=chance.choice([1, 30, 100]))
    times = appointments.Dates([at, at + timedelta(minutes=90)])
    return [
        ("report", lambda: world.report(world.bob, world.bob)),
        ("withdraw", lambda: reports.withdraw_report(**bob)),
        ("confirm", lambda: reports.confirm(**bob)),
        ("seen", lambda: reports.acknowledge(**bob)),
        ("contest", lambda: reports.contest(**bob)),
        ("concede", lambda: reports.concede(**bob)),
        ("object", lambda: objections.object_to_result(reason="No.", **bob)),
        ("record", lambda: world.send_record(world.bob)),
        ("late", lambda: reports.report_late(report=win, after=0, key=f"{chance.random()}", **bob)),
        ("sheet", lambda: score_sheet(world)),
        ("propose", lambda: appointments.propose(offer=times, **bob)),
        ("arrive", lambda: arrivals.arrive(**bob)),
        ("no-show", lambda: arrivals.claim_no_show(**bob)),
        ("board", lambda: world.open_board(chance.choice([CLOCK, TURNS_OF_DAYS]), world.bob)),
        ("here", lambda: world.do(world.bob, EventKind.HERE)),
        ("ready", lambda: world.do(world.bob, EventKind.READY)),
        ("away", lambda: world.do(world.bob, EventKind.CLAIM_AWAY)),
        ("claim flag", lambda: world.do(world.bob, Act.CLAIM_FLAG)),
        ("a minute", lambda: world.wait(timedelta(minutes=1))),
        ("an hour", lambda: world.wait(timedelta(hours=1))),
        ("a week", lambda: world.wait(timedelta(days=7))),
    ]


@pytest.mark.parametrize("seed", first_in_make_test(*range(12)))
def test_no_walk_of_one_player_wins_alone(world: World, seed: int) -> None:
    chance = Random(f"{TEST_SEED} {seed}")
    Division.objects.update(deadline_rule=chance.choice(Division.DeadlineRule.values))
    Match.objects.update(records_stand=chance.choice([True, False]))
    if chance.random() < 0.5:
        world.agree_on_a_time()
    for _ in range(25):
        name, move = chance.choice(bobs_moves(world, chance))
        try:
            move()
        except Refused as refused:
            name = f"{name}: {refused.code}"
        world.log.append(name)
        result = world.result
        is_own_loss = result is not None and result.winner == world.carol
        assert is_own_loss or not is_won_alone(world), world.log
    world.wait(timedelta(days=800))
    is_own_loss = world.result is not None and world.result.winner == world.carol
    assert is_own_loss or not is_won_alone(world), world.log
    for objection in world.match.objections.filter(state="open"):
        objections.answer_objection(objection=objection, upheld=False, answer="No.", by=world.alice, now=world.now)
    world.close()
    assert world.provisional == [], "every provisional result ends"
    assert not Provisional.objects.filter(ended_at=None).exists()


# Who can end it


@pytest.mark.parametrize("has_assistant", [False, True])
def test_a_director_who_plays_confirms_nothing_that_they_won(
    make_division: Callable[..., Division], alice: User, bob: User, bob_player: Player, by_alice: Actor,
    has_assistant: bool, carol: User,
) -> None:  # fmt: skip
    fixture = draw_pair(make_division(), [Player.objects.get(name="Alice"), bob_player], by_alice)
    match = Match.objects.get(pk=fixture.match_id)
    side = [player.name for player in match.players].index("Alice")
    now = timezone.now()
    score = (7, 0) if side == 0 else (0, 7)
    results.enter_result(
        fixture=fixture, result=ResultInput.played(score), by=by_alice, now=now, reason="Nobody else is here."
    )
    if has_assistant:
        join(fixture.stage.division.tournament.club, carol, "assistant")
    world = World(fixture, side, [alice, bob] if side == 0 else [bob, alice], by_alice, now)
    assert world.result is not None
    assert (world.result.finality, world.result.own_match) == (PROVISIONAL, True)
    world.confirm_what_is_left()
    assert world.result.finality == PROVISIONAL
    world.close()
    if has_assistant:
        assert [row.code for row in world.provisional] == ["own_match"], "left to Carol"
        world.close(Actor.of(carol))
        assert (world.result.finality, world.is_rated) == (FINAL, True)
    else:
        assert (world.result.finality, world.is_rated) == (UNCONFIRMED, False)
    assert not Provisional.objects.filter(ended_at=None).exists()


def test_a_record_that_a_director_has_confirmed_cannot_be_objected_to(world: World) -> None:
    record_that_stands(world)
    world.confirm_what_is_left()
    with pytest.raises(Refused, match="nothing_to_object_to"):
        objections.object_to_result(reason="No.", **world.common(world.carol))


def test_what_ended_leaves_nothing_to_repair(world: World) -> None:
    record_that_stands(world)
    world.confirm_what_is_left()
    assert world.is_rated
    assert list(differences()) == []
    Match.objects.update(provisional=True)
    assert [difference.what for difference in differences()] == ["provisional"]
