"""Opening a board, which invites both players to it, and committing to its dice chains."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction

from core.live.publishing import authorise_again_on_commit
from core.live.site_version import unseen_writes
from core.locks import for_update
from engine.clock import Clock, ClockSettings
from engine.errors import Refused
from matches.lifecycle.begun import is_untouched
from matches.lifecycle.events import events
from matches.lifecycle.locks import changed
from matches.lifecycle.own_match import side_of
from matches.lifecycle.play_rules import PlayRules
from matches.models import DiceChain, LiveMatch, Match
from matches.models.reports import NO_SHOW_MINUTES
from matches.play.chains import Chains
from matches.play.codec import to_data
from matches.play.journal import Journal, lapses_at
from matches.play.live import EventKind, LiveEvent, LiveState, from_ms, to_ms
from matches.play.notifications import notify_opened
from matches.play.transcripts import first_state
from players.actors import Actor, log
from players.people.rows import lock_present


class PlaySettings(NamedTuple):
    clock: ClockSettings | None = None
    """None: without a clock."""
    flag_rule: str = LiveMatch.FlagRule.MATCH_LOST
    server_chains: bool = False
    """Players may let the server keep their dice chains."""
    spectators_delay: int | None = 0
    """Minutes by which spectators are behind; None: they see the match once it is over."""
    no_show_minutes: int = NO_SHOW_MINUTES
    """After how many minutes a player has not come whom a director calls to the board."""
    bot_side: int | None = None
    """The side that a bot plays; the server keeps its dice chain."""
    bot_level: str = ""
    """A `PracticeLevel` if an analysis program decides for the bot."""
    bot_program: str = ""
    chain_secret_of: Callable[[str], bytes] | None = None
    """Gives the secrets of the server's dice chains; None: random ones."""

    @classmethod
    def by_rules(cls, rules: PlayRules, match: Match) -> "PlaySettings":
        return cls(
            clock=rules.clock_settings(length=match.length, score=match.start_score),
            flag_rule=rules.flag_rule,
            spectators_delay=rules.spectators_delay,
            no_show_minutes=rules.no_show_minutes,
        )


def start(*, match: Match, settings: PlaySettings, by: Actor, now: datetime, is_announced: bool = True) -> LiveMatch:
    """Open the board of a match that has not begun; the server commits to its dice chain.

    That invites both players: until each has said that they are here no clock runs, and nobody can win. A bot is there
    from the start. A board whose invitation lapsed keeps the settings that it was opened with. Who is
    invited is told, unless the caller does that (`is_announced`).
    Refused: `match_begun` where it is reported, decided or being played already, `bad_clock`, and `pairs_at_tables`:
    a board belongs to one device for each side.
    """
    if any(player.parts is not None for player in match.players):
        raise Refused("pairs_at_tables")
    clock = Clock.of(settings.clock) if settings.clock else None
    with transaction.atomic():
        row = for_update(Match.objects.all()).get(pk=match.pk)
        before = LiveMatch.objects.filter(pk=row.pk).first()
        if row.state != Match.State.OPEN or not is_untouched(row) or (before and before.lapsed_at is None):
            raise Refused("match_begun")
        if before is not None:
            return _invite_again(row, before, settings, by, now)
        is_bot = settings.bot_side is not None
        state = LiveState.start(first_state(row, settings.flag_rule), clock, to_ms(now), here=(is_bot, is_bot))
        due = state.due_at()
        by_correspondence = bool(settings.clock and settings.clock.correspondence)
        live = LiveMatch.objects.create(
            match=row,
            delay=settings.clock.delay if settings.clock else None,
            bank=settings.clock.bank if settings.clock else 0,
            overtime=settings.clock.overtime if settings.clock else 0,
            correspondence=by_correspondence,
            flag_rule=settings.flag_rule,
            server_chains=settings.server_chains,
            spectators_delay=settings.spectators_delay,
            started_at=now,
            state=to_data(state),
            due_at=from_ms(due) if due is not None else None,
            **({} if is_bot else _invitation(row, settings, by, now, by_correspondence=by_correspondence)),
            bot_side=settings.bot_side,
            bot_level=settings.bot_level,
            bot_program=settings.bot_program,
        )
        chains = Chains(live, row.public_id, settings.chain_secret_of)
        chains.commit(DiceChain.Owner.SERVER, now)
        if settings.bot_side is not None:
            chains.arm(str(settings.bot_side), now)
        row.state = Match.State.LIVE
        changed(row, "state")
        if settings.spectators_delay != 0:
            authorise_again_on_commit(row.topic)
        log(by, "live_started", row.topic, club=row.club, clock=list(settings.clock) if settings.clock else None)
        if is_announced and not is_bot:
            notify_opened(row, _invited(row, by), now)
    return live


def _invitation(
    match: Match, settings: PlaySettings, by: Actor, now: datetime, *, by_correspondence: bool
) -> dict[str, datetime | None]:
    """What is stored of an invitation: a director who opens a board of their event calls the players to it.

    It lasts longer then, so that whoever comes can wait until the other one has not come.
    """
    is_call = bool(match.parent_topic) and by.user is not None and side_of(match, by) is None and not by_correspondence
    wait = timedelta(minutes=settings.no_show_minutes) if is_call else timedelta(0)
    return {
        "invited_at": now,
        "called_at": now if is_call else None,
        "lapses_at": lapses_at(match, by_correspondence=by_correspondence, now=now, wait=wait),
    }


def _invite_again(match: Match, live: LiveMatch, settings: PlaySettings, by: Actor, now: datetime) -> LiveMatch:
    """Invite the players of a locked match once more to its board."""
    match.state = Match.State.LIVE
    match.live = live
    invitation = _invitation(match, settings, by, now, by_correspondence=live.correspondence)
    for name, value in invitation.items():
        setattr(live, name, value)
    live.lapsed_at = None
    live.save(update_fields=["lapsed_at", *invitation])
    journal = Journal.of(match)
    side = by.side if by.user is None else side_of(match, by)
    journal.append(LiveEvent(EventKind.INVITE, to_ms(now), side), by=by)
    journal.close(now)
    changed(match, "state")
    log(by, "live_invited_again", match.topic, club=match.club)
    notify_opened(match, _invited(match, by), now)
    return live


def _invited(match: Match, by: Actor) -> list[int]:
    """The sides that somebody invites by opening a board: both, or their opponent."""
    opener = by.side if by.user is None else side_of(match, by)
    return [side for side in (0, 1) if side != opener]


def open_by_player(*, match: Match, by: Actor, now: datetime) -> LiveMatch:
    """Open a match for one of its players, by the rules of its event; return it as it is if the other player just did.

    Refused: `not_played_here` where the event has its matches played over the board, `match_begun`, and as
    `lock_present`.
    """
    rules = events().play_rules(match.parent_topic)
    if not rules.players_may_open:
        raise Refused("not_played_here")
    with transaction.atomic():
        row = for_update(Match.objects.all()).get(pk=match.pk)
        if row.state == Match.State.LIVE:
            return row.live
        lock_present(*row.players)
        return start(match=row, settings=PlaySettings.by_rules(rules, row), by=by, now=now)


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
