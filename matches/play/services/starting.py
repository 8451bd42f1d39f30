"""A match begins to be played here."""

from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from core.live.publishing import authorise_again_on_commit
from core.live.site_version import unseen_writes
from core.locks import for_update
from engine.actions import FlagRule
from engine.clock import Clock, ClockSettings
from engine.errors import Refused
from engine.match import MatchState
from matches.lifecycle.begun import is_untouched
from matches.lifecycle.locks import changed
from matches.lifecycle.play_rules import PlayRules, play_rules_of
from matches.models import DiceChain, LiveMatch, Match
from matches.play.codec import to_data
from matches.play.instants import from_ms, to_ms
from matches.play.live import LiveState
from matches.play.services.chains import Chains
from players.actors import Actor, log


class PlaySettings(NamedTuple):
    """How a match is played here."""

    clock: ClockSettings | None = None
    """None: without a clock."""
    flag_rule: str = LiveMatch.FlagRule.MATCH_LOST
    server_chains: bool = False
    """Players may let the server keep their dice chains."""
    spectators_delay: int | None = 0
    """Minutes by which spectators are behind; None: they see the match once it is over."""
    bot_side: int | None = None
    """The side that a bot plays; the server keeps its dice chain."""
    bot_level: str = ""
    """A `PracticeLevel` if an analysis program decides for the bot."""
    bot_program: str = ""

    @classmethod
    def by_rules(cls, rules: PlayRules, match: Match) -> "PlaySettings":
        """The settings of a match that is played by the rules of its event."""
        return cls(
            clock=rules.clock_settings(length=match.length, score=match.start_score),
            flag_rule=rules.flag_rule,
            spectators_delay=rules.spectators_delay,
        )


def start(*, match: Match, settings: PlaySettings, by: Actor, now: datetime) -> LiveMatch:
    """Open the board of a match that has not begun; the server commits to its dice chain.

    Refused: `match_begun` where it is reported, decided or being played already, and `bad_clock`.
    """
    clock = Clock.of(settings.clock) if settings.clock else None
    with transaction.atomic():
        row = for_update(Match.objects.all()).get(pk=match.pk)
        opened_before = LiveMatch.objects.filter(pk=row.pk).exists()
        if row.state != Match.State.OPEN or opened_before or not is_untouched(row):
            raise Refused("match_begun")
        state = LiveState.start(first_state(row, settings.flag_rule), clock, to_ms(now))
        due = state.due_at()
        live = LiveMatch.objects.create(
            match=row,
            delay=settings.clock.delay if settings.clock else None,
            bank=settings.clock.bank if settings.clock else 0,
            overtime=settings.clock.overtime if settings.clock else 0,
            correspondence=bool(settings.clock and settings.clock.correspondence),
            flag_rule=settings.flag_rule,
            server_chains=settings.server_chains,
            spectators_delay=settings.spectators_delay,
            started_at=now,
            state=to_data(state),
            due_at=from_ms(due) if due is not None else None,
            bot_side=settings.bot_side,
            bot_level=settings.bot_level,
            bot_program=settings.bot_program,
        )
        chains = Chains(live, row.public_id)
        chains.commit(DiceChain.Owner.SERVER, now)
        if settings.bot_side is not None:
            chains.arm(str(settings.bot_side), now)
        row.state = Match.State.LIVE
        changed(row, "state")
        if settings.spectators_delay != 0:
            authorise_again_on_commit(row.topic)
        log(by, "live_started", row.topic, club=row.club, clock=list(settings.clock) if settings.clock else None)
    return live


def open_by_player(*, match: Match, by: Actor, now: datetime) -> LiveMatch:
    """Open a match for one of its players, by the rules of its event; return it as it is if the other player just did.

    Refused: `not_played_here` where the event has its matches played over the board, and `match_begun`.
    """
    rules = play_rules_of(match)
    if not rules.players_may_open:
        raise Refused("not_played_here")
    with transaction.atomic():
        row = for_update(Match.objects.all()).get(pk=match.pk)
        if row.state == Match.State.LIVE:
            return row.live
        return start(match=row, settings=PlaySettings.by_rules(rules, row), by=by, now=now)


def first_state(match: Match, flag_rule: str) -> MatchState:
    """The engine's state of a match before its first roll."""
    return MatchState.start(
        match.length, match.start_score, crawford_rule=match.crawford, flag_rule=FlagRule(flag_rule)
    )


def commit_chain(
    *, match: Match, side: int, anchor: str, by: Actor, now: datetime, number: int | None = None
) -> DiceChain:
    """Arm a device's dice chain, named by its anchor, and commit the side to it if it is new.

    An empty anchor stands for the chain that the server keeps. The opponent's page learns of it at once.

    Refused: `not_live`, `server_chains_off`, and what `Chains.arm` refuses.
    """
    with transaction.atomic():
        row = for_update(Match.objects.all()).get(pk=match.pk)
        live = LiveMatch.objects.filter(pk=row.pk).first()
        if live is None or row.state != Match.State.LIVE:
            raise Refused("not_live")
        if not anchor and not live.server_chains:
            raise Refused("server_chains_off")
        armings, chains = len(live.armings or []), live.chains.count()
        chain = Chains(live, row.public_id).arm(str(side), now, anchor=anchor or None, number=number)
        if len(live.armings or []) > armings:
            with unseen_writes():
                changed(row, in_lists=False, for_players=False)
        if live.chains.count() > chains:
            log(by, "dice_chain_committed", row.topic, club=row.club, side=side, chain=chain.number)
    return chain
