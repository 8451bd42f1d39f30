"""The levels of practice: what noise costs, and a bot that plays on when its program does not."""

from datetime import timedelta
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from django.conf import LazySettings

from config.celery import app
from core.queue import BACKGROUND
from engine.actions import Act, Phase
from engine.adjudication import adjudicate
from engine.errors import Refused
from engine.ids import parse_xgid
from engine.match import MatchState
from matches.analysis.backends import processes
from matches.analysis.backends.base import Backend, Depth
from matches.analysis.backends.gnubg import Gnubg
from matches.analysis.values import Candidate, CubeEquities, Judgement
from matches.models import Action, BotPlayer, LiveMatch, Match, PracticeLevel
from matches.play import bots, clock_worker, due, journal
from matches.play.live import EventKind
from matches.play.lobby.services import BOT_SIDE, start_practice
from matches.play.starting import commit_chain
from matches.play.transcripts import transcript_of
from players.actors import Actor
from players.models import Player
from tests.matches.analysis.programs import Indifferent, fake_gnubg, needs_gnubg
from tests.matches.play.conftest import START, refused
from tests.matches.play.lobby.test_practice import BOB, bob_acts, live_of, play_on

TO_PLAY = parse_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10")
"""3-1 from the start."""
QUICK_AND_DEEP = PracticeLevel.STRONG, PracticeLevel.STRONGEST
TO_ROLL = TO_PLAY._replace(phase=Phase.TO_ROLL, dice=None)
DOUBLED = TO_PLAY._replace(phase=Phase.DOUBLED, dice=None)
NOISES = (0.0, 0.05, 0.1, 0.2)


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give programs more time than a player would, since a busy machine leaves them little."""
    monkeypatch.setattr(processes, "ADVICE_SECONDS", 60)


class Pips(Indifferent):
    """Rates a play by its place among the legal ones, the deeper the other way round; the cube always the same."""

    def __init__(self, equities: CubeEquities | None = None) -> None:
        super().__init__()
        self.equities = equities or CubeEquities(0.5, 0.3, 1.0)

    def advise(self, state: MatchState, depth: Depth) -> Judgement:
        if state.phase is not Phase.TO_PLAY:
            return Judgement(equities=self.equities)
        plays = sorted(map(str, state.legal_plays()), reverse=depth is Depth.DEEP)
        return Judgement(tuple(Candidate(play, -n / 20, None, depth) for n, play in enumerate(plays)))


class Broken(Indifferent):
    """Fails at every decision."""

    def advise(self, state: MatchState, depth: Depth) -> Judgement:
        raise Refused("analysis_timed_out")


# What a level decides


def test_without_noise_the_best_is_played_and_only_the_strongest_looks_deeper() -> None:
    plays = sorted(map(str, TO_PLAY.legal_plays()))
    by_moves = {tuple((s.source, s.target) for s in play.steps): str(play) for play in TO_PLAY.legal_plays()}
    quick, deep = (bots.decide_at_level(TO_PLAY, level, Pips(), Random(1)).moves for level in QUICK_AND_DEEP)
    assert (by_moves[quick], by_moves[deep]) == (plays[0], plays[-1])
    candidates = [Candidate("8/5 6/5", 0.1, None, "2-ply"), Candidate("24/20", 0.2, None, "0-ply")]
    assert bots.chosen_play(candidates, 0, Random(1)) == candidates[0], "looked at more deeply"


def test_more_noise_loses_more() -> None:
    candidates = Pips().advise(TO_PLAY, Depth.QUICK).candidates
    chance = Random(5)
    lost = [fmean(-bots.chosen_play(candidates, noise, chance).equity for _ in range(500)) for noise in NOISES]
    assert lost[0] == 0
    assert lost == sorted(set(lost))
    noises = [noise for _, noise in (bots.STRENGTHS[level] for level in PracticeLevel)]
    assert noises == sorted(noises, reverse=True)


@pytest.mark.parametrize(
    ("equities", "doubles", "takes"),
    [
        (CubeEquities(0.5, 0.3, 1.0), False, True),
        (CubeEquities(0.6, 0.7, 1.0), True, True),
        (CubeEquities(0.8, 1.1, 1.0), True, False),
        (CubeEquities(1.2, 1.4, 1.0), False, False),
    ],
    ids=["too early", "double and take", "double and pass", "too good"],
)
def test_the_cube_without_noise_and_with_it(equities: CubeEquities, *, doubles: bool, takes: bool) -> None:
    program = Pips(equities)
    double = bots.decide_at_level(TO_ROLL, PracticeLevel.STRONGEST, program, Random(1))
    answer = bots.decide_at_level(DOUBLED, PracticeLevel.STRONGEST, program, Random(1))
    assert (double.act, double.side) == (Act.DOUBLE if doubles else Act.ROLL, TO_ROLL.turn)
    assert (answer.act, answer.side) == (Act.TAKE if takes else Act.DROP, DOUBLED.to_act)
    chance = Random(5)
    wrong = [sum(bots.doubles(equities, noise, chance) is not doubles for _ in range(500)) for noise in NOISES]
    assert wrong[0] == 0 < wrong[-1]
    assert wrong == sorted(wrong)


def test_a_program_is_asked_only_where_there_is_a_choice() -> None:
    assert bots.has_choice(TO_PLAY)
    assert bots.has_choice(TO_ROLL)
    assert bots.has_choice(DOUBLED)
    assert not bots.has_choice(TO_ROLL._replace(crawford=True))
    assert not bots.has_choice(parse_xgid("XGID=-B----------------------a-:0:0:1:11:0:0:0:5:10"))


# What gnubg answers


@pytest.mark.parametrize("state", [TO_PLAY, TO_ROLL, DOUBLED], ids=["play", "double", "take"])
def test_a_proper_hint(tmp_path: Path, state: MatchState) -> None:
    judgement = fake_gnubg(tmp_path).advise(state, Depth.DEEP)
    if state is TO_PLAY:
        assert [each.play for each in judgement.candidates] == [str(play) for play in state.legal_plays()]
        assert judgement.candidates[0] == Candidate(str(state.legal_plays()[0]), 0.49, None, "2-ply")
    else:
        assert judgement.equities == CubeEquities(0.4, 0.7, 1.0)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("kill", "analysis_unreadable"),
        ("nonsense", "analysis_unreadable"),
        ("drop", "analysis_differs"),
        ("play", "analysis_differs"),
        ("hang", "analysis_timed_out"),
    ],
)
def test_a_wrong_hint_is_refused(tmp_path: Path, fault: str, code: str) -> None:
    with refused(code):
        fake_gnubg(tmp_path, fault, idle_seconds=0.5 if fault == "hang" else 60).advise(TO_PLAY, Depth.QUICK)


@needs_gnubg
def test_the_real_program_makes_its_point() -> None:
    action = bots.decide_at_level(TO_PLAY, PracticeLevel.STRONG, Gnubg(), Random(1))
    assert sorted(action.moves) == [(6, 5), (8, 5)]
    assert bots.decide_at_level(TO_ROLL, PracticeLevel.STRONG, Gnubg(), Random(1)).act == Act.ROLL
    assert bots.decide_at_level(DOUBLED, PracticeLevel.STRONG, Gnubg(), Random(1)).act == Act.TAKE


# The match


@pytest.fixture
def installed(tmp_path: Path, settings: LazySettings) -> None:
    """Something that looks like GNU Backgammon."""
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", fake_gnubg(tmp_path).path


def practise(player: Player, length: int = 1) -> Match:
    assert player.user is not None
    by = Actor.of(player.user)
    match = start_practice(player=player, style="club", length=length, by=by, now=START, level=PracticeLevel.CASUAL)
    commit_chain(match=match, side=BOB, anchor="", by=by, now=START)
    return match


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("program", [Indifferent(), Broken(), None], ids=["works", "fails", "absent"])
def test_a_match_at_a_level_never_stands_still(player: Player, program: Backend | None) -> None:
    match = practise(player, length=3)
    chance = Random(1)
    for _ in range(2000):
        bots.act_for_bot(match_id=match.pk, now=START, advisor=program)
        if not Match.objects.filter(pk=match.pk, state=Match.State.LIVE).exists():
            break
        play_on(match, chance)
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    live = live_of(match)
    assert [finding for finding in adjudicate(transcript_of(live)).findings if finding.severity == "error"] == []
    assert (live.bot_level, live.bot_program) == ("casual", program.name if program else "gnubg")
    marked = Action.objects.filter(live=live, data__stood_in=True)
    does_program_play = type(program) is Indifferent
    assert {action.side for action in marked} == (set() if does_program_play else {BOT_SIDE})
    assert {Act.ROLL, Act.PLAY} <= {action.kind for action in marked} or does_program_play
    assert BotPlayer.objects.get(player=match.player_1).style == BotPlayer.Style.LEVEL


@pytest.mark.django_db
@pytest.mark.usefixtures("installed")
def test_the_program_decides_in_the_match(player: Player) -> None:
    """Its cube is offered on the first turn, which no bot of the site would do."""
    match = practise(player, length=3)
    bob_acts(match, EventKind.READY)
    eager = Pips(CubeEquities(-0.9, 0.9, 1.0))
    for _ in range(10):
        bots.act_for_bot(match_id=match.pk, now=START, advisor=eager)
        if Action.objects.filter(live=match.pk, kind=Act.DOUBLE, side=BOT_SIDE).exists():
            break
        play_on(match, Random(1))
    assert due.state_of(live_of(match)).match.phase is Phase.DOUBLED
    assert not Action.objects.filter(live=match.pk, kind=Act.ROLL, side=BOT_SIDE).exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("installed")
def test_what_no_worker_decides_is_decided_by_the_clock_worker(player: Player) -> None:
    match = practise(player)
    bob_acts(match, EventKind.READY)
    clock_worker.work(now=START + timedelta(seconds=29))
    assert live_of(match).bot_since is not None, "a worker may still take it"
    clock_worker.work(now=START + timedelta(seconds=31))
    assert live_of(match).bot_since is None


class Overloaded(Indifferent):
    """Decides only after the clock worker has looked around for the time that a worker may need."""

    def advise(self, state: MatchState, depth: Depth) -> Judgement:
        for seconds in range(10, 70, 10):
            clock_worker.work(now=START + timedelta(seconds=seconds))
        return super().advise(state, depth)


class Killed(Indifferent):
    """Takes its worker down with it."""

    def advise(self, state: MatchState, depth: Depth) -> Judgement:
        raise KeyboardInterrupt


@pytest.mark.django_db
@pytest.mark.usefixtures("installed")
def test_nobody_moves_in_place_of_a_program_that_a_busy_machine_makes_slow(player: Player) -> None:
    match = practise(player)
    chance = Random(1)
    bob_acts(match, EventKind.READY)
    by_bot = Action.objects.filter(live=match.pk, side=BOT_SIDE, kind=Act.PLAY)
    while by_bot.count() < 3:
        bots.act_for_bot(match_id=match.pk, now=START, advisor=Overloaded())
        play_on(match, chance)
    assert not by_bot.filter(data__stood_in=True).exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("installed")
def test_the_clock_worker_moves_where_the_worker_of_the_program_died(player: Player) -> None:
    match = practise(player)
    chance = Random(1)
    bob_acts(match, EventKind.READY)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012, on whichever turn it has a choice first
        for _ in range(10):
            bots.act_for_bot(match_id=match.pk, now=START, advisor=Killed())
            play_on(match, chance)
    clock_worker.work(now=START + timedelta(seconds=69))
    assert live_of(match).bot_since is not None, "its worker may be alive"
    clock_worker.work(now=START + timedelta(seconds=75))
    assert live_of(match).bot_since is None
    assert Action.objects.filter(live=match.pk, side=BOT_SIDE, data__stood_in=True).exists()


def test_a_program_never_delays_live_play_and_records() -> None:
    assert app.amqp.router.route({}, journal.ACT_AT_LEVEL)["queue"].name == BACKGROUND


@pytest.mark.django_db
def test_a_level_needs_a_program(player: Player, settings: LazySettings) -> None:
    settings.ANALYSIS_BACKEND = "off"
    with refused("no_practice_program"):
        practise(player)
    assert not LiveMatch.objects.exists()
