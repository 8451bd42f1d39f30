"""The moves of bots, made by workers, and how well each level plays."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from time import monotonic

import structlog
from django.db.models import F, Q
from django.utils.translation import gettext

from core.faults import each
from engine.actions import Act, Action, Phase
from engine.bots import Bot, decide
from engine.cube import Side
from engine.errors import Refused
from engine.match import MatchState
from matches.analysis.backends.base import Backend, Depth
from matches.analysis.backends.processes import ADVICE_SECONDS
from matches.analysis.values import Candidate, CubeEquities
from matches.models import BotPlayer, LiveMatch, Match, PracticeLevel
from matches.play import due
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind
from players.actors import SYSTEM

# How well a practice opponent plays: an analysis program looks at every choice, and noise makes it err.
#
# Noise is a random number, normally distributed around 0, that is added to the equity of each choice. docs/playing.md
# has what each level loses by it, and how that was measured.


PROGRAM_NAMES = {"gnubg": "GNU Backgammon", "bgsage": "Open Sage"}


STRENGTHS = {
    PracticeLevel.BEGINNER: (Depth.QUICK, 0.16),
    PracticeLevel.CASUAL: (Depth.QUICK, 0.10),
    PracticeLevel.CLUB: (Depth.QUICK, 0.06),
    PracticeLevel.STRONG: (Depth.QUICK, 0.03),
    PracticeLevel.STRONGEST: (Depth.DEEP, 0.0),
}
"""How deeply the program of a level looks, and the standard deviation of the noise."""


RATINGS = {
    PracticeLevel.BEGINNER: 24,
    PracticeLevel.CASUAL: 14,
    PracticeLevel.CLUB: 7,
    PracticeLevel.STRONG: 3,
}
"""The performance ratings of the levels, as measured with gnubg (docs/playing.md); the strongest level plays like the
judge."""
RATING_OF_CLUB_BOT = 6


def has_choice(state: MatchState) -> bool:
    """Whether the side to act has a decision that a program can judge: a play, a double or its answer."""
    if state.phase is Phase.TO_PLAY:
        return len(state.legal_plays()) > 1
    return state.phase is Phase.DOUBLED or state.may_double


def decide_at_level(state: MatchState, level: PracticeLevel, advisor: Backend, chance: Random) -> Action:
    """Return what the side to act does at this level; for a state that has a choice.

    Refused: what `Backend.advise` refuses.
    """
    depth, noise = STRENGTHS[level]
    judgement, side = advisor.advise(state, depth), state.to_act
    if judgement.equities is None:
        best = chosen_play(judgement.candidates, noise, chance)
        play = next(play for play in state.legal_plays() if str(play) == best.play)
        return Action(Act.PLAY, side, moves=tuple((step.source, step.target) for step in play.steps))
    if state.phase is Phase.DOUBLED:
        return Action(Act.TAKE if takes(judgement.equities, noise, chance) else Act.DROP, side)
    return Action(Act.DOUBLE if doubles(judgement.equities, noise, chance) else Act.ROLL, side)


def chosen_play(candidates: Sequence[Candidate], noise: float, chance: Random) -> Candidate:
    """Return the play that seems best; without noise the first, since those looked at more deeply come first."""
    return max(candidates, key=lambda each: each.equity + chance.gauss(0, noise)) if noise else candidates[0]


def doubles(equities: CubeEquities, noise: float, chance: Random) -> bool:
    """Whether a double seems to win equity; what a drop costs is known and gets no noise."""
    no_double, double_take = (each + chance.gauss(0, noise) for each in (equities.no_double, equities.double_take))
    return min(double_take, equities.double_pass) > no_double


def takes(equities: CubeEquities, noise: float, chance: Random) -> bool:
    """Whether a take seems to lose no more than a drop."""
    return equities.double_take + chance.gauss(0, noise) <= equities.double_pass


def description(live: LiveMatch) -> str:
    """The level of a practice match and its program, e.g. “Practice: club level, GNU Backgammon”; empty without one."""
    if not live.bot_level:
        return ""
    level = live.get_bot_level_display()
    return gettext("Practice: {level}, {program}").format(level=level, program=program_name(live))


def program_name(live: LiveMatch) -> str:
    """The name of the program that decides for the bot of a practice match; empty without one."""
    return PROGRAM_NAMES.get(live.bot_program, live.bot_program)


# The moves of bots, made by workers: never in the request of the player they play against.
#
# A match that waits for its bot says since when (`LiveMatch.bot_since`). The request that made it wait hints a worker
# after its commit; what a crash or a lost message leaves is found by the clock worker.
#
# At a level, an analysis program decides. On a busy machine that takes longer: while a worker is at it
# (`LiveMatch.bot_claimed_at`), nobody moves in its place, and the board says what it waits for. Where the program
# fails, or no worker takes the match, `engine.bots` decides, so that a practice match never stands still; the board
# says so.


log = structlog.get_logger(__name__)
LOST_AFTER = timedelta(seconds=3)
"""How long a worker may leave a hint; then the clock worker moves for the bot."""
LOST_AT_LEVEL_AFTER = timedelta(seconds=30)
"""The same where a program decides; the clock worker moves without it."""
CLAIM_LASTS = timedelta(seconds=ADVICE_SECONDS + 10)
"""From when a worker asks the program until it is taken for dead; till then nobody moves in its place."""
MAX_AT_ONCE = 5
MAX_ACTIONS = 20
"""Of a bot before its opponent is to act again; a safety net, since a turn takes two or three."""
_OVERTAKEN = frozenset({"stale", "not_live", "already_ready"})
"""Refusals that mean that the match went on without this worker."""


def act_for_bot(*, match_id: int, now: datetime, advisor: Backend | None = None) -> int:
    """Let the bot of a match act until the match waits for its opponent; return how many actions it took.

    `advisor` is the program that decides where the bot plays at a level.
    Two workers that do it at once do no harm: each action names the last one it has seen.
    """
    began = monotonic()
    for count in range(MAX_ACTIONS):
        waiting = LiveMatch.objects.select_related("match").filter(
            pk=match_id, match__state=Match.State.LIVE, bot_since__isnull=False
        )
        live = waiting.first()
        if live is None or live.bot_side is None:
            return count
        if advisor is not None and live.bot_level:
            waiting.update(bot_claimed_at=now + timedelta(seconds=monotonic() - began))
        try:
            request = _decision(live, live.bot_side, advisor)
            act(match=live.match, side=live.bot_side, request=request, by=SYSTEM, now=now)
        except Refused as refused:
            if refused.code not in _OVERTAKEN:
                raise
            return count
    log.warning("bot_acts_on", match_id=match_id)
    return MAX_ACTIONS


def act_where_lost(*, now: datetime) -> int:
    """Act for the bots that no worker has served for a while; return how many matches there were."""
    lost = Q(bot_since__lte=now - LOST_AFTER, bot_level="") | Q(bot_since__lte=now - LOST_AT_LEVEL_AFTER)
    claimed = Q(bot_claimed_at__gte=F("bot_since"), bot_claimed_at__gt=now - CLAIM_LASTS)
    waiting = LiveMatch.objects.filter(lost, match__state=Match.State.LIVE).exclude(claimed)
    ids = waiting.order_by("bot_since").values_list("pk", flat=True)
    return len(each("bots", ids, lambda pk: act_for_bot(match_id=pk, now=now), at_most=MAX_AT_ONCE))


def _decision(live: LiveMatch, side: Side, advisor: Backend | None) -> ActionInput:
    """What the bot does now. The same state gives the same decision."""
    state = due.state_of(live)
    if state.is_paused:
        return ActionInput(EventKind.CONTINUE, live.last)
    if state.match.phase is Phase.OPENING:
        return ActionInput(EventKind.READY, live.last)
    chance = Random(f"{live.match.public_id}/{live.last}")  # noqa: S311, no secret: the dice come from elsewhere
    is_at_level = bool(live.bot_level) and has_choice(state.match)
    by_program = _at_level(live, state.match, advisor, chance) if is_at_level else None
    stood_in = is_at_level and by_program is None
    decision = by_program or decide(state.match, _style(live.match, side), chance)
    # A bot resigns only for more than it has offered in this turn.
    if decision.act is Act.RESIGN and (decision.value or 0) <= state.offers[side]:
        return ActionInput(Act.ROLL, live.last, stood_in=stood_in)
    value = decision.value if decision.act is Act.RESIGN else None
    return ActionInput(decision.act, live.last, moves=decision.moves, value=value, stood_in=stood_in)


def _at_level(live: LiveMatch, state: MatchState, advisor: Backend | None, chance: Random) -> Action | None:
    """What the program decides at the level of the match; None where it is absent or fails."""
    if advisor is None:
        return None
    if live.bot_program != advisor.name:
        # The program that was installed at the start does not run here, or is gone.
        LiveMatch.objects.filter(pk=live.pk).update(bot_program=advisor.name)
    try:
        return decide_at_level(state, PracticeLevel(live.bot_level), advisor, chance)
    except Refused as refused:
        log.warning("practice_program_failed", match=live.match.public_id, program=advisor.name, code=refused.code)
        return None


def _style(match: Match, side: Side) -> Bot:
    style = BotPlayer.objects.get(player_id=(match.player_0_id, match.player_1_id)[side]).style
    return Bot.CLUB if style == BotPlayer.Style.LEVEL else Bot(style)
