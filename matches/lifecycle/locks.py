"""Locking a match, checking that it may be changed, and saving it."""

from core.live.publishing import Content, publish_on_commit, touch_on_commit
from core.locks import for_update
from engine.errors import Refused
from matches.lifecycle.spectators import OVER, watch_topic
from matches.models import Match
from players.people.rows import touch_users_on_commit


def lock_match(match_id: int) -> Match:
    """Lock the match until the transaction ends and return it as it is now, with its players.

    Lock the division of a match first if it is needed, then matches by ascending id (docs/locking.md).
    """
    rows = Match.objects.select_related("player_0__user", "player_1__user", "club")
    return for_update(rows).get(pk=match_id)


def lock_match_if_free(match_id: int) -> Match | None:
    """Lock a match for a sweep; return None if it is locked elsewhere, and leave it to the next sweep."""
    return for_update(Match.objects.filter(pk=match_id), skip_locked=True).first()


def refuse_stale(match: Match, after: int | None) -> None:
    """Refuse (`stale`) if the match has changed since `after`; None skips the check."""
    if after is not None and after != match.seq:
        raise Refused("stale", seq=match.seq)


def refuse_over(match: Match) -> None:
    """Refuse a match that is over, or played here; an open board that waits for a player is only an invitation.

    Refused: `match_settled`, `match_void`, `match_live`.
    """
    if match.state == Match.State.SETTLED:
        raise Refused("match_settled")
    if match.state == Match.State.VOID:
        raise Refused("match_void")
    if match.state == Match.State.LIVE and not match.live.is_invitation:
        raise Refused("match_live")


def matches_topic(parent_topic: str) -> str:
    """The topic of all matches with this parent: touched whenever what a list of them shows may have changed."""
    return f"matches:{parent_topic}"


def changed(
    match: Match, *fields: str, in_lists: bool = True, for_players: bool = True, content: Content | None = None
) -> None:
    """Save a locked match after a visible change, which increments `seq`.

    `in_lists` and `for_players` say whether the lists of its event and of its players show the change. `content` is
    published to whoever follows the match without a delay.
    """
    match.seq += 1
    match.save(update_fields=["seq", *fields])
    publish_on_commit(match.topic, match.seq, content)
    if match.state == Match.State.SETTLED:
        publish_on_commit(watch_topic(match.public_id), OVER + match.seq)
    if in_lists and match.parent_topic:
        touch_on_commit(matches_topic(match.parent_topic))
    if for_players:
        touch_users_on_commit(match.players)
