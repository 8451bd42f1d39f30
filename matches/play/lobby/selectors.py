"""What the lobby shows, and the challenges and players a user may act on."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import Http404
from django.utils.translation import gettext, ngettext

from core.live.publishing import now_shown
from core.names import fold
from matches.models import Challenge, ClockPreset, FriendlyBlock, Match, RatingPool
from matches.play.lobby.services import LOBBY_TOPIC, foresee, not_rated_between
from matches.ratings.services import default_pool
from players.models import Membership, Player, User
from players.people.rows import canonical, is_person, player_of, user_topic

LATEST = 5
CHALLENGES_SHOWN = 50


def lobby_page(user: User, now: datetime) -> dict[str, Any]:
    """Everything on the lobby page but its forms. A user without a player sees what is open to everybody."""
    player = player_of(user)
    challenges = foresee(open_challenges(player, now)[:CHALLENGES_SHOWN], player, now)
    player_id = player.pk if player is not None else None
    return {
        "player": player,
        "topics": f"{LOBBY_TOPIC}={now_shown()} {user_topic(user)}={now_shown()}",
        "mine": [_shown(row, player) for row in challenges if row.challenger_id == player_id],
        "for_me": [
            _shown(row, player) for row in challenges if row.opponent_id is not None and row.opponent_id == player_id
        ],
        "open": [
            _shown(row, player) for row in challenges if row.opponent_id is None and row.challenger_id != player_id
        ],
        "running": running_friendlies(player),
        "finished": finished_friendlies(player, now),
        "blocks": blocks_of(player),
    }


def open_challenges(player: Player | None, now: datetime) -> QuerySet[Challenge]:
    """The challenges that are open and concern this player: their own, those made to them, and those open to everybody.

    Challenges are left out if either player has blocked the other.
    """
    rows = Challenge.objects.filter(state=Challenge.State.OPEN, expires_at__gt=now)
    rows = rows.select_related("challenger__user", "opponent__user", "pool__club")
    if player is None:
        return rows.filter(opponent__isnull=True)
    blocked = FriendlyBlock.objects.filter(player=player).values("blocked")
    blocked_by = FriendlyBlock.objects.filter(blocked=player).values("player")
    concerns = Q(challenger=player) | Q(opponent=player) | Q(opponent__isnull=True)
    return rows.filter(concerns).exclude(challenger__in=blocked).exclude(challenger__in=blocked_by)


def _shown(row: Challenge, reader: Player | None) -> dict[str, Any]:
    opponent = row.opponent if row.challenger == reader else row.challenger
    return {
        "challenge": row,
        # The opponent's name as seen by the reader; empty for an open challenge of their own.
        "name": opponent.shown_name if opponent is not None else "",
        "clock": _clock(row),
        # The pool it is rated in; empty for an unrated match.
        "ratings": (row.pool or default_pool()).name if row.rated else "",
    }


def _clock(row: Challenge) -> str:
    if row.clock != ClockPreset.CORRESPONDENCE:
        return str(ClockPreset(row.clock).label)
    return ngettext(
        "{count} day for each turn (correspondence)", "{count} days for each turn (correspondence)", row.turn_days
    ).format(count=row.turn_days)


def _friendlies(player: Player) -> QuerySet[Match]:
    is_own = Q(player_0=player) | Q(player_1=player)
    friendly = Q(challenge__isnull=False) | Q(live__bot_side__isnull=False)
    return Match.objects.filter(is_own, friendly).select_related("player_0", "player_1", "live")


def running_friendlies(player: Player | None) -> list[dict[str, Any]]:
    """The friendly and practice matches that a player has to finish, the newest first."""
    if player is None:
        return []
    rows = _friendlies(player).filter(state=Match.State.LIVE).order_by("-created_at", "-pk")
    return [_friendly(match, player) for match in rows]


def finished_friendlies(player: Player | None, now: datetime) -> list[dict[str, Any]]:
    """The latest friendly matches with people, and who wants a rematch."""
    if player is None:
        return []
    rows = _friendlies(player).filter(state=Match.State.SETTLED, challenge__isnull=False)
    rows = rows.select_related("player_0__user", "player_1__user", "challenge")
    rows = rows.order_by("-finished_at", "-pk").prefetch_related("rematches")[:LATEST]
    accepted = Challenge.State.ACCEPTED
    matches = [match for match in rows if all(wish.state != accepted for wish in match.rematches.all())]
    others = [_opponent(match, player) for match in matches if match.challenge.rated]
    reasons = not_rated_between(player, others, now) if others else {}
    return [_friendly(match, player, now, reasons) for match in matches]


def _opponent(match: Match, player: Player) -> Player:
    return match.player_1 if match.player_0 == player else match.player_0


def _friendly(
    match: Match, player: Player, now: datetime | None = None, not_rated: Mapping[int, str] = MappingProxyType({})
) -> dict[str, Any]:
    opponent = _opponent(match, player)
    wishes = list(_open(match.rematches.all(), now)) if now is not None else []
    is_practice = match.live.bot_side is not None
    reason = not_rated.get(opponent.pk, "") if now is not None and match.challenge.rated else ""
    return {
        "match": match,
        "opponent": opponent,
        "may_rematch": now is not None and not canonical(opponent).has_left,
        # The level of a practice match, or that it is one; empty for other matches.
        "practice": (match.live.get_bot_level_display() or gettext("Practice")) if is_practice else "",
        # Whether the reader and the opponent have asked for a rematch.
        "wants_rematch": any(wish.challenger == player for wish in wishes),
        "asked_for_rematch": any(wish.challenger != player for wish in wishes),
        # Why a rated rematch would not be rated, of `Challenge.NotRated`.
        "not_rated": reason,
        "not_rated_label": Challenge.NotRated(reason).label if reason else "",
    }


def _open(wishes: Iterable[Challenge], now: datetime) -> Iterable[Challenge]:
    return (wish for wish in wishes if wish.state == Challenge.State.OPEN and wish.expires_at > now)


def blocks_of(player: Player | None) -> list[Player]:
    """The players that a player has blocked, the latest first."""
    if player is None:
        return []
    return [row.blocked for row in FriendlyBlock.objects.filter(player=player).select_related("blocked")]


def challenge_for(user: User, public_id: str) -> tuple[Challenge, Player | None]:
    """Return a challenge that a user may see, and the user's player. Raise Http404 for a challenge between others."""
    rows = Challenge.objects.select_related("challenger", "opponent", "pool", "match")
    row, player = rows.filter(public_id=public_id).first(), player_of(user)
    if row is None or (row.opponent is not None and player not in (row.challenger, row.opponent)):
        raise Http404
    return row, player


def player_with_id(public_id: str) -> Player | None:
    """Return a player by public id, after merges; None for an unknown or erased one, and for a pair."""
    rows = Player.objects.select_related("merged_into").filter(is_person(), public_id=public_id, erased_at=None)
    player = rows.first()
    return canonical(player) if player is not None else None


def other_player(public_id: str) -> Player:
    """Return a player by public id, after merges. Raise Http404 for an unknown or erased one."""
    player = player_with_id(public_id)
    if player is None:
        raise Http404
    return player


def is_called(player: Player, name: str) -> bool:
    """Whether `name` is how others see a player, or the beginnings of words of a name that they may see."""
    if player.shown_name == name:
        return True
    own = fold(player.name).split()
    return not player.initials_only and all(any(part.startswith(word) for part in own) for word in fold(name).split())


def players_called(name: str) -> list[Player]:
    """The players with an account who have exactly this name, in any case; none of those who show only initials."""
    rows = Player.objects.filter(
        name_key=fold(name), user__is_active=True, merged_into__isnull=True, erased_at__isnull=True, initials_only=False
    )
    return list(rows.order_by("pk")[:2])


MAX_OPPONENTS = 10
MIN_LETTERS = 3
"""Of a name that is looked for."""


class Opponent(NamedTuple):
    player: Player
    club: str
    """One of their clubs, if possible one of the reader's; empty without a club."""
    is_clubmate: bool


def find_opponents(player: Player | None, name: str) -> list[Opponent]:
    """Return up to ten players with an account to challenge, members of the player's clubs first.

    Each word of `name` has to begin a word of theirs, three letters in all. Never found are players who show only
    initials, and players of whom one has blocked the other.
    """
    words = fold(name).split()
    if sum(map(len, words)) < MIN_LETTERS:
        return []
    rows = Player.objects.filter(
        user__is_active=True, merged_into__isnull=True, erased_at__isnull=True, initials_only=False
    )
    for word in words:
        rows = rows.filter(Q(name_key__startswith=word) | Q(name_key__contains=f" {word}"))
    if player is not None:
        rows = rows.exclude(pk=player.pk)
        rows = rows.exclude(pk__in=FriendlyBlock.objects.filter(player=player).values("blocked"))
        rows = rows.exclude(pk__in=FriendlyBlock.objects.filter(blocked=player).values("player"))
    own = Membership.objects.filter(player=player, left_at__isnull=True).values("club")
    clubs = Membership.objects.filter(player=OuterRef("pk"), left_at__isnull=True)
    shared = clubs.filter(club__in=own)
    club_name = Coalesce(
        Subquery(shared.order_by("pk").values("club__name")[:1]),
        Subquery(clubs.order_by("pk").values("club__name")[:1]),
        Value(""),
    )
    matching = rows.annotate(is_clubmate=Exists(shared), club_name=club_name)
    matching = matching.order_by("-is_clubmate", "name_key", "pk")[:MAX_OPPONENTS]
    return [Opponent(row, row.club_name, row.is_clubmate) for row in matching]


def pools_for(player: Player | None) -> list[tuple[str, str]]:
    """The pools that can rate a friendly match of this player, as choices of a form."""
    clubs = Membership.objects.filter(player=player, left_at__isnull=True).values_list("club")
    pools = RatingPool.objects.filter(club__in=clubs).select_related("club").order_by("club__name", "name")
    return [(str(pool.pk), f"{pool.club} · {pool.name}") for pool in pools]
