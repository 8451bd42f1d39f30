"""Challenges for friendly matches, rematches, their limits and reviews, practice, and blocked players."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils import timezone

from core import times
from core.faults import each
from core.live.publishing import touch_on_commit
from core.locks import for_update
from engine.actions import Act
from engine.cube import Side
from engine.errors import Refused
from matches.analysis.backends.chosen import installed_backend_name
from matches.lifecycle.locks import changed, lock_match
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.lifecycle.play_rules import MAX_SPAN_DAYS, PlayRules
from matches.lifecycle.provisional import note_told
from matches.models import (
    MAX_FRIENDLY,
    NAMED_FOR,
    OPEN_FOR,
    Action,
    BotPlayer,
    Challenge,
    ClockPreset,
    FriendlyBlock,
    LiveMatch,
    Match,
    RatingPool,
    Result,
    Unrating,
)
from matches.play import absences, notifications
from matches.play.aborting import MAX_LEFT, abort_friendly, paused_until
from matches.play.journal import Journal
from matches.play.live import EventKind, LiveEvent, to_ms
from matches.play.starting import PlaySettings, start
from matches.ratings import services as ratings
from players.actors import SYSTEM, Actor, log
from players.models import Club, Membership, Player
from players.people.rows import canonical, lock_present, player_topic, players_among, touch_users_on_commit

# Players that a player does not want friendly matches with.


def block(*, player: Player, other: Player, by: Actor, now: datetime) -> None:
    """Keep `other` from friendly matches with `player`, and end the open challenges between them.

    Blocking twice does no harm. Refused: `block_self`.
    """
    if player.pk == other.pk:
        raise Refused("block_self")
    with transaction.atomic():
        _, created = FriendlyBlock.objects.get_or_create(player=player, blocked=other, defaults={"created_at": now})
        between = Q(challenger=player, opponent=other) | Q(challenger=other, opponent=player)
        Challenge.objects.filter(between, state=Challenge.State.OPEN).update(state=Challenge.State.DECLINED)
        touch_users_on_commit([player, other])
        if created:
            log(by, "player_blocked", player_topic(player), blocked=other.public_id)


def unblock(*, player: Player, other: Player, by: Actor) -> None:
    """Allow friendly matches with `other` again; nothing happens if they were not blocked."""
    with transaction.atomic():
        removed, _ = FriendlyBlock.objects.filter(player=player, blocked=other).delete()
        if removed:
            touch_users_on_commit([player, other])
            log(by, "player_unblocked", player_topic(player), blocked=other.public_id)


def is_blocked(first: Player, second: Player) -> bool:
    """Whether one of two players has blocked the other."""
    either = Q(player=first, blocked=second) | Q(player=second, blocked=first)
    return FriendlyBlock.objects.filter(either).exists()


# Which friendly matches are not rated although both players wish it: accounts cost nothing, and neither do wins.
#
# Both need a confirmed address, and only the first matches of a day and of a week count between the same two, and of a
# day for each player, whoever the opponents are. It is decided when the match is made; both players read it before.


A_DAY, A_WEEK = 3, 10
"""Rated friendlies of the same two players, in a day and in a week from Monday, by the site's time."""
OF_ONE_A_DAY = 6
"""Rated friendlies of a player in a day, whoever the opponents are."""
NotRated = Challenge.NotRated


def not_rated_between(player: Player, others: Collection[Player], now: datetime) -> dict[int, str]:
    """Why a friendly of this player with each of the others would not be rated now, by id; those left out would be."""
    since_day = timezone.localtime(now, timezone.get_default_timezone()).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    since_week = since_day - timedelta(days=since_day.weekday())
    ids = [player.pk, *(other.pk for other in others)]
    today, this_week = Q(match__created_at__gte=since_day), Q(match__created_at__gte=since_week)
    own, of_others = Q(challenger=player) | Q(opponent=player), Q(challenger__in=ids) | Q(opponent__in=ids)
    rows = Challenge.objects.filter(own & this_week | of_others & today, rated=True, not_rated="")
    rows = rows.exclude(match__state=Match.State.VOID)
    week, day, of_one = Counter[int](), Counter[int](), Counter[int]()
    for *players, at in rows.values_list("challenger", "opponent", "match__created_at"):
        opponents = [other for other in players if other != player.pk] if player.pk in players else []
        week.update(opponents)
        if at >= since_day:
            day.update(opponents)
            of_one.update(players)
    reasons: dict[int, str] = {}
    for other in others:
        if not (has_confirmed_address(player) and has_confirmed_address(other)):
            reasons[other.pk] = NotRated.ADDRESS
        elif day[other.pk] >= A_DAY:
            reasons[other.pk] = NotRated.DAY
        elif week[other.pk] >= A_WEEK:
            reasons[other.pk] = NotRated.WEEK
        elif max(of_one[player.pk], of_one[other.pk]) >= OF_ONE_A_DAY:
            reasons[other.pk] = NotRated.MANY
    return reasons


def foresee(rows: Iterable[Challenge], reader: Player | None, now: datetime) -> list[Challenge]:
    """Set on each open challenge (unsaved) why its match would not be rated if this reader played it now."""
    challenges = list(rows)
    others = {row.pk: _other(row, reader) for row in challenges if row.rated}
    opponents = [other for other in others.values() if other is not None]
    reasons = not_rated_between(reader, opponents, now) if reader is not None and opponents else {}
    for row in challenges:
        other = others.get(row.pk)
        row.not_rated = reasons.get(other.pk, "") if other is not None else ""
    return challenges


def _other(row: Challenge, reader: Player | None) -> Player | None:
    return row.opponent if reader is not None and row.challenger_id == reader.pk else row.challenger


def has_confirmed_address(player: Player) -> bool:
    """Whether the player has an account whose e-mail address is confirmed."""
    return player.user is not None and player.user.email_verified_at is not None


# Practice matches against a bot: private, unrated, without a clock.


BOT_SIDE: Side = 1
MAX_AT_ONCE = 5
"""Unfinished practice matches of a player."""


class GuestOrigin(NamedTuple):
    """What a practice match that was begun without an account already has."""

    public_id: str
    chain_secret_of: Callable[[str], bytes]


def start_practice(
    *,
    player: Player,
    style: str,
    length: int,
    by: Actor,
    now: datetime,
    level: str | None = None,
    origin: GuestOrigin | None = None,
) -> Match:
    """Start a match of `player` against the bot of this style, and return it.

    With a `level`, whatever the style, the analysis program that is installed here plays at it.
    Refused: `bad_length`, `too_many_practice_matches`, `no_practice_program`, and as `lock_present`.
    """
    program = installed_backend_name() if level else ""
    if level and not program:
        raise Refused("no_practice_program")
    if not 1 <= length <= MAX_FRIENDLY:
        raise Refused("bad_length", most=MAX_FRIENDLY, length=length)
    with transaction.atomic():
        lock_present(player)
        unfinished = Match.objects.filter(state=Match.State.LIVE, live__bot_side=BOT_SIDE, player_0=player)
        if unfinished.count() >= MAX_AT_ONCE:
            raise Refused("too_many_practice_matches", most=MAX_AT_ONCE)
        settings = MatchSettings(visibility=Match.Visibility.PRIVATE, rated=False)
        players = (player, bot_player(BotPlayer.Style.LEVEL if level else style))
        opening = Opening(players, length, public_id=origin.public_id if origin else "")
        match = open_matches([opening], settings=settings, by=by, now=now)[0]
        board = PlaySettings(
            server_chains=True,
            bot_side=BOT_SIDE,
            bot_level=level or "",
            bot_program=program,
            chain_secret_of=origin.chain_secret_of if origin else None,
        )
        start(match=match, settings=board, by=by, now=now)
    match.refresh_from_db()
    return match


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


# Challenges for friendly matches: made, accepted, declined, withdrawn, expired; and rematches.
#
# Accepting opens the board at once, so a challenge is accepted by exactly one player: its row is locked and read
# again. The match begins when both are at the board. If one of them never comes it is called off, and the challenge
# offered again; whoever accepts and leaves too often has to wait before the next open challenge.


MAX_OPEN = 5
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
    `challenge_blocked`, `pool_of_other_club`, `address_unconfirmed`, `too_many_challenges`, `open_challenges_paused`,
    `suspended`, `former_member`.
    """
    _check_wish(player, wish)
    if wish.opponent is None:
        _check_paused(player, now)
    with transaction.atomic():
        lock_present(*filter(None, (player, wish.opponent)))
        if Challenge.objects.filter(challenger=player, state=State.OPEN, expires_at__gt=now).count() >= MAX_OPEN:
            raise Refused("too_many_challenges", most=MAX_OPEN)
        challenge = _create(player, wish, by, now)
        notifications.notify_challenged(challenge, now)
        return challenge


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
        if challenge.rematch_of_id is not None:
            _note_told(lock_match(challenge.rematch_of_id), player, now)
        row = _lock(challenge)
        if row.state == State.ACCEPTED and row.match is not None and row.opponent_id == player.pk:
            return row.match
        _check_open(row, now)
        _check_accepts(row, player)
        lock_present(row.challenger, player)
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
            close_board(journal, now)
            abort_friendly(match=journal.match, left=[], now=now, by=by, is_withdrawn=True)
            log(by, "challenge_withdrawn", row.topic)
            return
        _close(row, State.WITHDRAWN, "challenge_withdrawn", by, now)


def close_for(row: Challenge, players: Collection[Player], *, by: Actor, now: datetime) -> None:
    """Withdraw or decline an open challenge for whoever of its players has left; harmless if it is closed."""
    with transaction.atomic():
        locked = _lock(row)
        if locked.state == State.OPEN:
            own = locked.challenger_id in {player.pk for player in players}
            state, verb = (State.WITHDRAWN, "challenge_withdrawn") if own else (State.DECLINED, "challenge_declined")
            _set_state(locked, state, verb, by)


def expire_challenges(*, now: datetime) -> int:
    """Close the challenges that nobody accepted in time; return how many."""
    with transaction.atomic():
        rows = list(for_update(Challenge.objects.filter(state=State.OPEN, expires_at__lte=now).order_by("pk")))
        if rows:
            Challenge.objects.filter(pk__in=[row.pk for row in rows]).update(state=State.EXPIRED)
            _publish(rows)
    return len(rows)


def lapse_invitations(*, now: datetime) -> int:
    """Close the boards that only one player or nobody came to in time; return how many.

    While the web server is down nobody can come, and the time is given back afterwards.
    """
    if absences.is_silent(now):
        return 0
    due = LiveMatch.objects.filter(lapses_at__lte=now - GRACE, match__state=Match.State.LIVE).order_by("lapses_at")
    ids = due.values_list("pk", flat=True)
    return sum(each("invitations", ids, lambda pk: lapse(match_id=pk, now=now), at_most=LAPSES_AT_ONCE))


def lapse(*, match_id: int, now: datetime) -> bool:
    """Close a board that only one player or nobody came to in time; return whether that is so.

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
        close_board(journal, now)
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


def close_board(journal: Journal, now: datetime) -> None:
    """Close a board that is an invitation; its locked match is open again."""
    journal.append(LiveEvent(EventKind.LAPSE, to_ms(now)), by=SYSTEM)
    journal.live.lapses_at, journal.live.lapsed_at = None, now
    journal.close(now)
    journal.match.state = Match.State.OPEN
    changed(journal.match, "state")


def _offer_again(row: Challenge, now: datetime, *, is_waiting: bool) -> None:
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
        raise Refused("open_challenges_paused", most=MAX_LEFT, minutes=minutes)


def want_rematch(*, match: Match, player: Player, by: Actor, now: datetime, not_rated: str = "") -> Match | None:
    """Ask for another match after a friendly, or accept the opponent's wish; return the new match once both want it.

    Refused: `no_rematch`, `challenge_blocked`, `former_member`, `suspended`, and what `accept` refuses.
    """
    with transaction.atomic():
        locked = lock_match(match.pk)
        before = Challenge.objects.filter(match=locked).select_related("pool").first()
        if before is None or locked.state != Match.State.SETTLED:
            raise Refused("no_rematch")
        _note_told(locked, player, now)
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
        lock_present(player, other)
        _create(player, wish, by, now, rematch_of=locked)
    return None


def _note_told(match: Match, player: Player, now: datetime) -> None:
    """Note that a player of a locked match knows of its provisional result: whoever wants a rematch has seen it."""
    for side, seat in enumerate(match.players):
        if canonical(seat) == player and note_told(match, side, now):
            changed(match)


def _check_wish(player: Player, wish: ChallengeInput) -> None:
    if not 1 <= wish.length <= MAX_FRIENDLY:
        raise Refused("bad_length", most=MAX_FRIENDLY, length=wish.length)
    if not 1 <= wish.turn_days <= MAX_SPAN_DAYS:
        raise Refused("bad_days", most=MAX_SPAN_DAYS)
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
    # Both are locked: of two matches of the same players that begin at once, the second counts the first.
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
    _set_state(row, state, verb, by)


def _set_state(row: Challenge, state: str, verb: str, by: Actor) -> None:
    row.state = state
    row.save(update_fields=["state"])
    log(by, verb, row.topic)
    _publish([row])


def _publish(rows: Sequence[Challenge]) -> None:
    """After commit, tell the lobbies of the players concerned."""
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


# Rated friendlies of a club's members that its officers look at, of others that administrators of the site look at, and
# their decision that a match does not count. How a match ended never decides that by itself.


WITHIN = timedelta(days=30)
USUAL = 6
"""So many rated friendlies of the same two players in that time are nothing to look at."""
EARLY = 10
"""A match that was conceded or lost on time before its 10th play ended early."""
MAX_CIRCLE = 20
"""So many players who played only one another may be the accounts of one person: as many as the limits feed in days."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A friendly match of two players who are listed."""

    match: Match
    winner: Player | None
    ended_early: bool
    is_rated: bool

    @property
    def finished(self) -> str:
        """When it ended, for the page."""
        return times.written(self.match.finished_at, times.SHORT) if self.match.finished_at is not None else ""


@dataclass(frozen=True, slots=True)
class ReviewedGroup:
    """Friendly matches to look at: of two players, of three or more who played only one another, or won by one player
    against several who gave up early.
    """

    players: tuple[Player, ...]
    matches: list[Reviewed]
    """The newest first."""

    @property
    def only_winner(self) -> Player | None:
        """Who won all of them; None if both have won."""
        winners = {row.winner for row in self.matches}
        return next(iter(winners)) if len(winners) == 1 else None

    @property
    def ended_early(self) -> int:
        """How many were conceded or lost on time before the 10th play."""
        return sum(row.ended_early for row in self.matches)

    @property
    def is_listed(self) -> bool:
        is_circle = len(self.players) > 2
        stands_out = is_circle or self.only_winner is not None or 2 * self.ended_early >= len(self.matches)
        return len(self.matches) > USUAL and stands_out


def friendlies_to_review(club: Club | None, now: datetime) -> list[ReviewedGroup]:
    """The friendlies of the last 30 days of a club's current members that should be looked at.

    Without a club, those of players who belong to no accepted one; of them also circles, however their matches ended.
    Matches that are listed are left out of what their winner or a pair of them played.
    """
    rows = _friendlies_of(club).filter(match__finished_at__gt=now - WITHIN, match__state=Match.State.SETTLED)
    rows = rows.select_related("match__player_0", "match__player_1").order_by("-match__finished_at", "-match_id")
    by_pair: defaultdict[frozenset[int], list[Reviewed]] = defaultdict(list)
    for reviewed in _reviewed([row.match for row in rows if row.match is not None]):
        by_pair[frozenset((reviewed.match.player_0_id, reviewed.match.player_1_id))].append(reviewed)
    pairs = [ReviewedGroup(matches[0].match.players, matches) for matches in by_pair.values()]
    circles = [circle for circle in _circles(pairs) if circle.is_listed] if club is None else []
    in_circles = {player for circle in circles for player in circle.players}
    pairs = [pair for pair in pairs if in_circles.isdisjoint(pair.players)]
    by_winner: defaultdict[Player, list[Reviewed]] = defaultdict(list)
    for pair in pairs:
        for reviewed in pair.matches:
            if reviewed.winner is not None and reviewed.ended_early and not pair.is_listed:
                by_winner[reviewed.winner].append(reviewed)
    winners = [ReviewedGroup((winner,), matches) for winner, matches in by_winner.items()]
    listed = [*circles, *(group for group in pairs + winners if group.is_listed)]
    return sorted(listed, key=lambda group: -len(group.matches))


def _circles(pairs: Iterable[ReviewedGroup]) -> list[ReviewedGroup]:
    """Return the sets of 3 to `MAX_CIRCLE` players who played one another and nobody else, with all their matches."""
    sets: list[tuple[set[Player], list[Reviewed]]] = []
    for pair in pairs:
        players, matches = set(pair.players), list(pair.matches)
        for joined in [known for known in sets if known[0] & players]:
            players, matches = players | joined[0], matches + joined[1]
            sets.remove(joined)
        sets.append((players, matches))
    return [
        ReviewedGroup(
            tuple(sorted(players, key=lambda player: player.pk)),
            sorted(matches, key=lambda row: (row.match.finished_at, row.match.pk), reverse=True),
        )
        for players, matches in sets
        if 2 < len(players) <= MAX_CIRCLE
    ]


def _friendlies_of(club: Club | None) -> QuerySet[Challenge]:
    """The friendlies of current members that are rated, or were until somebody decided about them.

    Without a club, of members of no accepted one: anybody can have a club that waits, and be its officer.
    """
    members = Membership.objects.filter(left_at__isnull=True, club__accepted_at__isnull=False)
    of_members = Q(challenger__in=members.values("player")) | Q(opponent__in=members.values("player"))
    if club is not None:
        own = Membership.objects.filter(left_at__isnull=True, club=club).values("player")
        of_members = Q(challenger__in=own) | Q(opponent__in=own)
    unrated = Unrating.objects.filter(match=OuterRef("match"), undone_at=None)
    return Challenge.objects.filter(
        of_members if club is not None else ~of_members,
        Q(match__rated=True) | Exists(unrated),
        match__moved=True,
        match__finished_at__isnull=False,
    )


def _reviewed(matches: Iterable[Match]) -> list[Reviewed]:
    ids = [match.pk for match in matches]
    standing = {result.match_id: result for result in Result.objects.filter(match__in=ids).order_by("version")}
    plays = Action.objects.filter(live__in=ids, kind=Act.PLAY).order_by().values("live").annotate(plays=Count("pk"))
    counts = Counter({row["live"]: row["plays"] for row in plays})
    given_up = (Result.Kind.CONCESSION, Result.Kind.FLAG)
    return [
        Reviewed(
            match,
            winner=match.players[winner] if (winner := standing[match.pk].winner) is not None else None,
            ended_early=standing[match.pk].kind in given_up and counts[match.pk] < EARLY,
            is_rated=match.rated,
        )
        for match in matches
    ]


def match_to_review(club: Club | None, public_id: str) -> Match:
    """Return a friendly match of a member that was made rated; without a club, of members of no accepted one.

    Raises Http404 for any other match.
    """
    row = _friendlies_of(club).filter(match__public_id=public_id).select_related("match").first()
    if row is None or row.match is None:
        raise Http404
    return row.match


def decide_rated(*, match: Match, club: Club | None, rated: bool, by: Actor, now: datetime) -> Match:
    """Take a friendly match out of the ratings for a club or the site, or undo that; a repetition changes nothing.

    Refused: `review_own`.
    """
    with transaction.atomic():
        locked = lock_match(match.pk)
        if by.user is not None and any(canonical(player).user_id == by.user.pk for player in locked.players):
            raise Refused("review_own")
        unrating = Unrating.objects.filter(match=locked, undone_at=None).first()
        if rated == (unrating is None):
            return locked
        if unrating is None:
            Unrating.objects.create(match=locked, at=now, by=by.user)
        else:
            unrating.undone_at = now
            unrating.save(update_fields=["undone_at"])
        locked.rated = rated
        changed(locked, "rated")
        log(by, "friendly_rated_again" if rated else "friendly_unrated", locked.topic, club=club)
        ratings.mark_dirty(match=locked)
    return locked
