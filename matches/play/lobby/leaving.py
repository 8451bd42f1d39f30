"""Whoever leaves the site ends their friendly matches, practice and challenges; from events they are withdrawn."""

from collections.abc import Collection, Iterator

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from engine.actions import Act
from engine.cube import Side
from engine.errors import Refused
from matches.models import Challenge, Match
from matches.play import due
from matches.play.aborting import abort_friendly
from matches.play.journal import Journal
from matches.play.live import LiveEvent, to_ms
from matches.play.lobby import services
from players.actors import SYSTEM
from players.models import Player
from players.people.stored_elsewhere import Leaving, Participation


def parts_of(players: Collection[Player]) -> Iterator[Participation]:
    """Yield the matches played here, and the open challenges."""
    for match in boards_of(players).select_related("player_0", "player_1"):
        opponent = match.names[1 - _side_of(match, players)]
        yield Participation(_("Match against %(name)s") % {"name": opponent}, reverse("match", args=[match.public_id]))
    if challenges_of(players).exists():
        yield Participation(_("Open challenges in the lobby"), reverse("lobby"))


def boards_of(players: Collection[Player]) -> QuerySet[Match]:
    """Return the friendly and practice matches that are being played here, in the order in which they are locked."""
    own = Q(player_0__in=players) | Q(player_1__in=players)
    return Match.objects.filter(own, parent_topic="", state=Match.State.LIVE).order_by("pk")


def challenges_of(players: Collection[Player]) -> QuerySet[Challenge]:
    """Return the open challenges that players made or were made, in the order in which they are locked."""
    own = Q(challenger__in=players) | Q(opponent__in=players)
    return Challenge.objects.filter(own, state=Challenge.State.OPEN).order_by("pk")


def end_all(leaving: Leaving) -> None:
    """Concede what is being played, call off what has not begun, and withdraw or decline open challenges."""
    for match in list(boards_of(leaving.players)):
        _end_board(match, leaving)
    for row in list(challenges_of(leaving.players).select_related("challenger", "opponent")):
        services.close_for(row, leaving.players, by=leaving.by, now=leaving.now)


def _end_board(match: Match, leaving: Leaving) -> None:
    side = _side_of(match, leaving.players)
    # A flag that fell before counts first.
    due.settle_first(match_id=match.pk, now=leaving.now)
    try:
        journal = Journal.open(match.pk)
    except Refused:
        return  # Finished or called off since.
    if journal.state.is_invitation:
        services.close_board(journal, leaving.now)
        abort_friendly(match=journal.match, left=[side], now=leaving.now, is_withdrawn=side == 0)
        return
    journal.append(LiveEvent(Act.CONCEDE, to_ms(leaving.now), side), by=SYSTEM)
    journal.close(leaving.now)


def _side_of(match: Match, players: Collection[Player]) -> Side:
    return 0 if match.player_0_id in {player.pk for player in players} else 1
