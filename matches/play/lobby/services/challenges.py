"""Challenges for friendly matches: made, accepted, declined, withdrawn, expired; and rematches.

Accepting opens the board at once, so a challenge is accepted by exactly one player: its row is locked and read again.
The match begins when both are at the board. If one of them never comes it is called off, and the challenge offered
again; whoever accepts and leaves too often has to wait before the next open challenge.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction

from core.live.publishing import touch_on_commit
from core.locks import for_update, lock_row
from engine.errors import Refused
from matches.lifecycle.locks import changed, lock_match
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.lifecycle.play_rules import LONGEST_DAYS, PlayRules
from matches.models import (
    LONGEST_FRIENDLY,
    NAMED_FOR,
    OPEN_FOR,
    BotPlayer,
    Challenge,
    ClockPreset,
    LiveMatch,
    Match,
    RatingPool,
)
from matches.play import notifications
from matches.play.instants import to_ms
from matches.play.live import Event, EventKind
from matches.play.lobby.services.blocks import is_blocked
from matches.play.lobby.services.limits import has_confirmed_address, not_rated_between
from matches.play.services import outages
from matches.play.services.aborting import MOST_LEFT, abort_friendly, paused_until
from matches.play.services.journal import Journal
from matches.play.services.starting import PlaySettings, start
from players.actors import SYSTEM, Actor, log
from players.models import Membership, Player
from players.people.rows import canonical, players_among, touch_users_on_commit

MOST_OPEN = 5
"""Open challenges of one player."""
LAPSES_AT_ONCE = 200
GRACE = timedelta(milliseconds=500)
"""A sweep waits so long after an invitation has lapsed: a player may still be on their way."""
LOBBY_TOPIC = "lobby:open"
"""Touched whenever the challenges that are open to everybody change."""
State = Challenge.State


class ChallengeInput(NamedTuple):
    """The friendly match that a player wishes for."""

    length: int
    opponent: Player | None = None
    """None: anybody may accept."""
    clock: str = ClockPreset.TABLE.value
    turn_days: int = 2
    rated: bool = False
    pool: RatingPool | None = None
    """Of a rated match; None: the ratings of the site."""


def make_challenge(*, player: Player, wish: ChallengeInput, by: Actor, now: datetime) -> Challenge:
    """Offer a friendly match to one player or to everybody.

    Refused: `bad_length`, `bad_days`, `challenge_self`, `challenge_of_bot`, `opponent_without_account`,
    `challenge_blocked`, `pool_of_other_club`, `address_unconfirmed`, `too_many_challenges`, `open_challenges_paused`.
    """
    _check_wish(player, wish)
    if wish.opponent is None:
        _check_paused(player, now)
    with transaction.atomic():
        lock_row(Player, player.pk)
        if Challenge.objects.filter(challenger=player, state=State.OPEN, expires_at__gt=now).count() >= MOST_OPEN:
            raise Refused("too_many_challenges", most=MOST_OPEN)
        return _create(player, wish, by, now)


def _create(
    player: Player,
    wish: ChallengeInput,
    by: Actor,
    now: datetime,
    *,
    rematch_of: Match | None = None,
    expires_at: datetime | None = None,
) -> Challenge:
    challenge = Challenge.objects.create(
        challenger=player,
        opponent=wish.opponent,
        is_open=wish.opponent is None,
        length=wish.length,
        clock=wish.clock,
        turn_days=wish.turn_days,
        rated=wish.rated,
        pool=wish.pool,
        rematch_of=rematch_of,
        created_at=now,
        expires_at=expires_at or now + (NAMED_FOR if wish.opponent is not None else OPEN_FOR),
    )
    opponent = wish.opponent.public_id if wish.opponent is not None else None
    log(by, "challenge_made", challenge.topic, length=wish.length, opponent=opponent)
    _publish([challenge])
    return challenge


def accept(*, challenge: Challenge, player: Player, by: Actor, now: datetime, not_rated: str = "") -> Match:
    """Accept a challenge and open its board; accepting it again returns the same match.

    `not_rated` is why the match is not rated, of `Challenge.NotRated`, as the player has read it; empty if it is rated
    where that is wished.

    Refused: `challenge_gone`, `challenge_own`, `challenge_of_others`, `challenge_blocked`, `pool_of_other_club`,
    `open_challenges_paused`, `rating_changed`, and `open_not_rated`, since whoever made an open challenge could not
    read it.
    """
    with transaction.atomic():
        row = _lock(challenge)
        if row.state == State.ACCEPTED and row.match is not None and row.opponent_id == player.pk:
            return row.match
        _check_open(row, now)
        _check_accepts(row, player)
        if row.is_open:
            _check_paused(player, now)
        _decide_rated(row, player, not_rated, now)
        if row.is_open:
            touch_on_commit(LOBBY_TOPIC)
        row.opponent, row.state = player, State.ACCEPTED
        row.match = _start(row, player, by, now)
        row.save(update_fields=["opponent", "state", "match", "not_rated"])
        log(by, "challenge_accepted", row.topic, match=row.match.public_id)
        notifications.notify_accepted_challenge(row.match, now)
    return row.match


def decline(*, challenge: Challenge, player: Player, by: Actor, now: datetime) -> None:
    """Decline a challenge that was made to this player. Refused: `challenge_gone`, `challenge_of_others`."""
    with transaction.atomic():
        row = _lock(challenge)
        if row.opponent_id != player.pk:
            raise Refused("challenge_of_others")
        _close(row, State.DECLINED, "challenge_declined", by, now)


def withdraw(*, challenge: Challenge, player: Player, by: Actor, now: datetime) -> None:
    """Withdraw the player's own challenge; one that was accepted while they wait for whoever did so at the board.

    Refused: `challenge_gone`, also once the match has begun, and `challenge_of_others`.
    """
    with transaction.atomic():
        journal = _invitation_of(challenge)
        row = _lock(challenge)
        if row.challenger_id != player.pk:
            raise Refused("challenge_of_others")
        if row.state == State.ACCEPTED and journal is not None:
            _close_board(journal, now)
            abort_friendly(match=journal.match, left=[], now=now, by=by, is_withdrawn=True)
            log(by, "challenge_withdrawn", row.topic)
            return
        _close(row, State.WITHDRAWN, "challenge_withdrawn", by, now)


def expire_challenges(*, now: datetime) -> int:
    """Close the challenges that nobody accepted in time; return how many."""
    with transaction.atomic():
        rows = list(for_update(Challenge.objects.filter(state=State.OPEN, expires_at__lte=now).order_by("pk")))
        if rows:
            Challenge.objects.filter(pk__in=[row.pk for row in rows]).update(state=State.EXPIRED)
            _publish(rows)
    return len(rows)


def lapse_invitations(*, now: datetime) -> int:
    """Close the boards to which not both players have come in time; return how many.

    While the web server is down nobody can come, and the time is given back afterwards.
    """
    if outages.is_silent(now):
        return 0
    due = LiveMatch.objects.filter(lapses_at__lte=now - GRACE, match__state=Match.State.LIVE).order_by("lapses_at")
    return sum(lapse(match_id=pk, now=now) for pk in due.values_list("pk", flat=True)[:LAPSES_AT_ONCE])


def lapse(*, match_id: int, now: datetime) -> bool:
    """Close a board to which not both players have come in time; return whether that is so.

    A match of an event is open again, to be played in whatever way. A friendly is called off and its challenge offered
    again: as if it were new if the challenger waits for an opponent, else for as long as it would have been open.
    """
    with transaction.atomic():
        try:
            journal = Journal.open(match_id)
        except Refused:
            return False  # Finished or voided since.
        lapses_at, came = journal.live.lapses_at, journal.state.here
        if lapses_at is None or lapses_at > now or not journal.state.is_invitation:
            return False
        _close_board(journal, now)
        row = Challenge.objects.filter(match=match_id).select_related("challenger", "opponent", "pool").first()
        if row is not None:
            abort_friendly(match=journal.match, left=[side for side in (0, 1) if not came[side]], now=now)
            _offer_again(row, now, is_waiting=came[0])
    return True


def _invitation_of(challenge: Challenge) -> Journal | None:
    """The board of an accepted challenge, locked, as long as it waits for a player."""
    match_id = Challenge.objects.filter(pk=challenge.pk).values_list("match", flat=True).first()
    if match_id is None:
        return None
    try:
        journal = Journal.open(match_id)
    except Refused:
        return None
    return journal if journal.state.is_invitation else None


def _close_board(journal: Journal, now: datetime) -> None:
    """Close a board that is an invitation; its match is open again."""
    journal.append(Event(EventKind.LAPSE, to_ms(now)), by=SYSTEM)
    journal.live.lapses_at, journal.live.lapsed_at = None, now
    journal.close(now)
    journal.match.state = Match.State.OPEN
    changed(journal.match, "state")


def _offer_again(row: Challenge, now: datetime, *, is_waiting: bool) -> None:
    """Offer a challenge again whose match was called off."""
    if not is_waiting and row.expires_at <= now:
        return
    wish = ChallengeInput(
        row.length,
        None if row.is_open else row.opponent,
        row.clock,
        row.turn_days,
        rated=row.rated,
        pool=row.pool,
    )
    expires_at = None if is_waiting else row.expires_at
    _create(row.challenger, wish, SYSTEM, now, rematch_of=row.rematch_of, expires_at=expires_at)


def _check_paused(player: Player, now: datetime) -> None:
    """Refuse (`open_challenges_paused`) a player who has accepted and left too many friendlies."""
    if (until := paused_until(player, now)) is not None:
        minutes = -(-(until - now) // timedelta(minutes=1))
        raise Refused("open_challenges_paused", most=MOST_LEFT, minutes=minutes)


def want_rematch(*, match: Match, player: Player, by: Actor, now: datetime, not_rated: str = "") -> Match | None:
    """Ask for another match after a friendly, or accept the opponent's wish; return the new match once both want it.

    Refused: `no_rematch`, `challenge_blocked`, and what `accept` refuses.
    """
    with transaction.atomic():
        locked = lock_match(match.pk)
        before = Challenge.objects.filter(match=locked).select_related("pool").first()
        if before is None or locked.state != Match.State.SETTLED:
            raise Refused("no_rematch")
        wishes = list(locked.rematches.exclude(state__in=[State.DECLINED, State.WITHDRAWN, State.EXPIRED]))
        if accepted := next((wish for wish in wishes if wish.state == State.ACCEPTED), None):
            return accepted.match
        current = [wish for wish in wishes if wish.expires_at > now]
        if any(wish.challenger_id == player.pk for wish in current):
            return None
        if current:
            return accept(challenge=current[0], player=player, by=by, now=now, not_rated=not_rated)
        expire_challenges(now=now)
        first, second = (canonical(seat) for seat in locked.players)
        other = second if first == player else first
        wish = ChallengeInput(
            before.length, other, before.clock, before.turn_days, rated=before.rated, pool=before.pool
        )
        if is_blocked(player, other):
            raise Refused("challenge_blocked")
        _create(player, wish, by, now, rematch_of=locked)
    return None


def _check_wish(player: Player, wish: ChallengeInput) -> None:
    if not 1 <= wish.length <= LONGEST_FRIENDLY:
        raise Refused("bad_length", most=LONGEST_FRIENDLY, length=wish.length)
    if not 1 <= wish.turn_days <= LONGEST_DAYS:
        raise Refused("bad_days", most=LONGEST_DAYS)
    _check_pool(wish.pool, player)
    if wish.rated and not has_confirmed_address(player):
        raise Refused("address_unconfirmed")
    if (opponent := wish.opponent) is None:
        return
    if opponent == player:
        raise Refused("challenge_self")
    if BotPlayer.objects.filter(player=opponent).exists():
        raise Refused("challenge_of_bot")
    if opponent.user_id is None:
        raise Refused("opponent_without_account", name=opponent.shown_name)
    if is_blocked(player, opponent):
        raise Refused("challenge_blocked")


def _check_accepts(row: Challenge, player: Player) -> None:
    if row.challenger_id == player.pk:
        raise Refused("challenge_own")
    if row.opponent_id not in (None, player.pk):
        raise Refused("challenge_of_others")
    if is_blocked(row.challenger, player):
        raise Refused("challenge_blocked")
    _check_pool(row.pool, player)


def _decide_rated(row: Challenge, player: Player, as_read: str, now: datetime) -> None:
    """Decide whether the match of a challenge that is being accepted is rated."""
    if not row.rated:
        return
    # Two matches of the same players that begin at once: the second counts the first.
    list(for_update(Player.objects.filter(pk__in=(row.challenger_id, player.pk)).order_by("pk")))
    row.not_rated = not_rated_between(player, [row.challenger], now).get(row.challenger_id, "")
    if row.not_rated and row.opponent is None:
        raise Refused("open_not_rated")
    if row.not_rated != as_read:
        raise Refused("rating_changed")


def _check_pool(pool: RatingPool | None, player: Player) -> None:
    """Refuse (`pool_of_other_club`) the pool of a club that the player is not a member of."""
    if pool is None or pool.club_id is None:
        return
    if not Membership.objects.filter(player=player, club=pool.club_id, left_at__isnull=True).exists():
        raise Refused("pool_of_other_club")


def _lock(challenge: Challenge) -> Challenge:
    return for_update(Challenge.objects.select_related("challenger__user", "pool", "match")).get(pk=challenge.pk)


def _check_open(row: Challenge, now: datetime) -> None:
    if row.state != State.OPEN or row.expires_at <= now:
        raise Refused("challenge_gone")


def _close(row: Challenge, state: str, verb: str, by: Actor, now: datetime) -> None:
    if row.state == state:
        return
    _check_open(row, now)
    row.state = state
    row.save(update_fields=["state"])
    log(by, verb, row.topic)
    _publish([row])


def _publish(rows: Sequence[Challenge]) -> None:
    """Publish, once the transaction has committed, that the lobbies of those whom these challenges concern change."""
    if any(row.opponent_id is None for row in rows):
        touch_on_commit(LOBBY_TOPIC)
    touch_users_on_commit(players_among(player for row in rows for player in (row.challenger_id, row.opponent_id)))


def _start(row: Challenge, player: Player, by: Actor, now: datetime) -> Match:
    settings = MatchSettings(rated=row.rated and not row.not_rated, pool=row.pool)
    opening = Opening((row.challenger, player), row.length)
    match = open_matches([opening], settings=settings, by=by, now=now)[0]
    rules = PlayRules(clock=row.clock, turn_days=row.turn_days)
    start(match=match, settings=PlaySettings.by_rules(rules, match), by=by, now=now, is_announced=False)
    match.refresh_from_db()
    return match
