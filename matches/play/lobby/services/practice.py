"""Practice matches against a bot: private, unrated, without a clock."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from core.locks import lock_row
from engine.cube import Side
from engine.errors import Refused
from matches.analysis.backends.chosen import installed_backend_name
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import LONGEST_FRIENDLY, BotPlayer, Match
from matches.play.services.starting import PlaySettings, start
from players.actors import Actor
from players.models import Player

BOT_SIDE: Side = 1
MOST_AT_ONCE = 5
"""Unfinished practice matches of a player."""


def start_practice(
    *, player: Player, style: str, length: int, by: Actor, now: datetime, level: str | None = None
) -> Match:
    """Start a match of `player` against the bot of this style, and return it.

    With a `level`, whatever the style, the analysis program that is installed here plays at it.
    Refused: `bad_length`, `too_many_practice_matches`, `no_practice_program`.
    """
    program = installed_backend_name() if level else ""
    if level and not program:
        raise Refused("no_practice_program")
    if not 1 <= length <= LONGEST_FRIENDLY:
        raise Refused("bad_length", most=LONGEST_FRIENDLY, length=length)
    with transaction.atomic():
        lock_row(Player, player.pk)
        if unfinished_practice(player).count() >= MOST_AT_ONCE:
            raise Refused("too_many_practice_matches", most=MOST_AT_ONCE)
        settings = MatchSettings(visibility=Match.Visibility.PRIVATE, rated=False)
        opening = Opening((player, bot_player(BotPlayer.Style.LEVEL if level else style)), length)
        match = open_matches([opening], settings=settings, by=by, now=now)[0]
        board = PlaySettings(server_chains=True, bot_side=BOT_SIDE, bot_level=level or "", bot_program=program)
        start(match=match, settings=board, by=by, now=now)
    match.refresh_from_db()
    return match


def unfinished_practice(player: Player) -> QuerySet[Match]:
    """The practice matches that a player has begun and not finished, the newest first."""
    return Match.objects.filter(state=Match.State.LIVE, live__bot_side=BOT_SIDE, player_0=player)


def bot_player(style: str) -> Player:
    """The player that stands for the bot of this style, created at its first match."""
    bot = BotPlayer.objects.select_related("player").filter(style=style).first()
    if bot is None:
        with transaction.atomic():
            player = Player.objects.create(name=str(BotPlayer.Style(style).label))
            bot, created = BotPlayer.objects.get_or_create(style=style, defaults={"player": player})
            if not created:
                player.delete()
    return bot.player
