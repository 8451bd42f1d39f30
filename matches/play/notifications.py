"""The notifications about boards: one was opened, a challenge was accepted or called off, a turn waits.

Each function is called in the transaction that makes the change.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import partial

from django.urls import reverse
from django.utils.translation import gettext_noop

from matches.lifecycle import links
from matches.lifecycle.notices import context_of, side_notices
from matches.models import Challenge, LiveMatch, Match
from matches.play.codec import from_data
from matches.play.live import LiveState
from players.models import Notification
from players.notifications.kinds import NotificationGroup, NotificationKind, Params
from players.notifications.services import notify, notify_each
from players.people.rows import accounts_of

BOARD_OPENED, CHALLENGE_ACCEPTED, CHALLENGE_CALLED_OFF = "board_opened", "challenge_accepted", "challenge_called_off"
YOUR_TURN, CHALLENGED, CHALLENGE_TAKEN = "your_turn", "challenged", "challenge_taken"


def _is_waited_for(params: Params) -> bool:
    """Whether the board still waits for this side to say that it is here."""
    state = _state(params)
    return state is not None and not state.here[params["side"]]


def _is_to_act(params: Params) -> bool:
    """Whether a match by correspondence still waits for this side."""
    state = _state(params)
    return state is not None and state.has_to_act(params["side"])


def _state(params: Params) -> LiveState | None:
    """The state of the board of a notification; None where it is not, or no longer, played on."""
    live = LiveMatch.objects.filter(match__public_id=params["match"], match__state=Match.State.LIVE).first()
    return from_data(live.state) if live is not None else None


def _board_by_link(notification: Notification) -> str:
    """The path of the board for the recipient, which works without signing in; empty if they do not play."""
    match = Match.objects.get(public_id=notification.params["match"])
    side = notification.params["side"]
    if match.players[side].user_id != notification.user_id:
        return ""
    return reverse("link-play", args=[links.token_for(match, side)])


def _is_open(params: Params) -> bool:
    return Challenge.objects.filter(public_id=params["challenge"], state=Challenge.State.OPEN).exists()


_board_kind = partial(
    NotificationKind,
    group=NotificationGroup.GAMES,
    details={"": gettext_noop("The match begins when both of you are here. Until then no clock runs.")},
    players=("opponent",),
    is_call=True,
    lapses_after=timedelta(minutes=10),
    is_current=_is_waited_for,
    email_url=_board_by_link,
)
KINDS = (
    NotificationKind(
        code=CHALLENGED,
        label=gettext_noop("Somebody challenges you to a friendly match"),
        group=NotificationGroup.GAMES,
        sentences={"": gettext_noop("{opponent} challenges you to a friendly match.")},
        players=("opponent",),
        default=frozenset({"site", "push"}),
        is_current=_is_open,
    ),
    _board_kind(
        code=BOARD_OPENED,
        label=gettext_noop("The board of your match is open"),
        sentences={"": gettext_noop("The board of your match against {opponent} is open.")},
        is_urgent=True,
    ),
    _board_kind(
        code=CHALLENGE_ACCEPTED,
        label=gettext_noop("Somebody accepts your challenge"),
        sentences={"": gettext_noop("{opponent} accepts your challenge: the board is open.")},
        is_urgent=True,
    ),
    _board_kind(
        # Whoever accepts is at the board at once, but perhaps with another device, or goes on to another page.
        code=CHALLENGE_TAKEN,
        label=gettext_noop("You accepted a challenge and are not at the board yet"),
        sentences={"": gettext_noop("The board of your match against {opponent} is open.")},
        default=frozenset({"site", "push"}),
    ),
    NotificationKind(
        code=CHALLENGE_CALLED_OFF,
        label=gettext_noop("A friendly match is called off"),
        group=NotificationGroup.GAMES,
        sentences={
            "": gettext_noop("Your friendly match is called off: {opponent} was not there. Nothing is rated."),
            "own": gettext_noop("Your friendly match against {opponent} is called off: you were not there."),
            "withdrawn": gettext_noop("{opponent} has withdrawn the challenge that you accepted."),
            "paused": gettext_noop(
                "You accepted three friendly matches and left before playing. You can accept open challenges from {at}."
            ),
        },
        players=("opponent",),
        times=("at",),
        default=frozenset({"site"}),
    ),
    NotificationKind(
        code=YOUR_TURN,
        label=gettext_noop("It is your turn in a match by correspondence"),
        group=NotificationGroup.GAMES,
        sentences={"": gettext_noop("It is your turn against {opponent}.")},
        players=("opponent",),
        is_current=_is_to_act,
        email_url=_board_by_link,
    ),
)


def notify_opened(match: Match, invited: Collection[int], now: datetime) -> None:
    _notify(match, invited, BOARD_OPENED, {}, now)


def notify_challenged(challenge: Challenge, now: datetime) -> None:
    """Tell a player that they are challenged by name; once a day for the same two, however often it is withdrawn."""
    opponent = challenge.opponent
    if opponent is None or opponent.user_id is None:
        return
    notify(
        users=[opponent.user_id],
        kind=CHALLENGED,
        params={"opponent": challenge.challenger_id, "challenge": challenge.public_id},
        url=reverse("lobby"),
        key=f"{CHALLENGED}:{challenge.challenger_id}:{opponent.pk}:{now:%Y%m%d}",
        now=now,
    )


def notify_accepted_challenge(match: Match, now: datetime) -> None:
    """Call both players to the board of a challenge that was accepted, wherever they are."""
    _notify(match, [0], CHALLENGE_ACCEPTED, {}, now)
    _notify(match, [1], CHALLENGE_TAKEN, {}, now)


def notify_called_off(match: Match, left: Collection[int], now: datetime) -> None:
    """Tell both players that their friendly was called off: `left` why, or the opponent if the challenger withdrew."""
    if not left:
        _notify(match, [1], CHALLENGE_CALLED_OFF, {"variant": "withdrawn"}, now)
        return
    for side in (0, 1):
        _notify(match, [side], CHALLENGE_CALLED_OFF, {"variant": "own" if side in left else ""}, now)


def notify_paused(match: Match, side: int, until: datetime, now: datetime) -> None:
    """Tell a player who has accepted and left too many friendlies until when they have to wait."""
    _notify(match, [side], CHALLENGE_CALLED_OFF, {"variant": "paused", "at": until.isoformat()}, now)


def notify_turn(match: Match, side: int, now: datetime) -> None:
    """Tell a player that a match by correspondence waits for them."""
    _notify(match, [side], YOUR_TURN, {}, now)


def opened_key(match: Match, at: datetime) -> str:
    """Return the key of the notification that invited to a board at this time."""
    return _key(match, BOARD_OPENED, "", at)


def _key(match: Match, kind: str, variant: str, at: datetime) -> str:
    return f"{kind}:{match.public_id}:{variant}:{at:%Y%m%d%H%M%S}"


def _notify(match: Match, sides: Collection[int], kind: str, params: dict[str, str], now: datetime) -> None:
    accounts = accounts_of(match.players[side] for side in sides)
    if not accounts:
        return
    key = _key(match, kind, params.get("variant", ""), now)
    notices = side_notices(match, sides, context_of(match) | params, key, accounts)
    page = reverse("match-play", args=[match.public_id])
    notify_each(kind=kind, notices=[notice._replace(url=page) for notice in notices], now=now)
