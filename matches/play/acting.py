"""What the players of a live match do: get ready, roll, play, double, answer, resign, pause."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Q

from engine.actions import Act, Phase
from engine.cube import Side
from engine.errors import Refused
from engine.match import MatchState
from engine.plays import Play, legal_plays
from engine.position import Position
from matches.lifecycle.arrivals import arrive_at_board
from matches.models import Action, DiceChain, LiveMatch, Match
from matches.play import due
from matches.play.absences import claim_absence
from matches.play.chains import LINK_FIELDS, Chains
from matches.play.deciding_ahead import answer_as_decided
from matches.play.journal import Journal, lock_with_live
from matches.play.live import EventKind, LiveEvent, LiveState, after_event, to_ms
from matches.play.transcripts import event_of, standing, state_after, state_at_start
from players.actors import SYSTEM, Actor

# Bearing off without contact, where hardly any decision is left to make.


HOME = 6
"""The farthest point of the home board."""


def is_plain_bear_off(position: Position) -> bool:
    """Whether all checkers of the side on roll are home, and none of the opponent's can meet them any more."""
    counts = position.counts
    return max(counts[HOME + 1 :]) <= 0 and min(counts[: HOME + 1]) >= 0


def best_bear_off(plays: Iterable[Play]) -> Play:
    """Return the play that bears off most checkers; among these, one that leaves the most points filled.

    With equal counts, the one that leaves the fewest pips. A rule of thumb that rarely costs anything.
    """
    return max(plays, key=_worth)


def _worth(play: Play) -> tuple[int, int, int]:
    after = play.result
    filled = sum(count > 0 for count in after.counts[1 : HOME + 1])
    return after.borne_off[0], filled, -after.pips[0]


OF_PLAYERS = frozenset(
    {
        Act.ROLL,
        Act.PLAY,
        Act.DOUBLE,
        Act.TAKE,
        Act.DROP,
        Act.RESIGN,
        Act.ACCEPT,
        Act.REFUSE,
        Act.CONCEDE,
        Act.CLAIM_FLAG,
        EventKind.HERE,
        EventKind.READY,
        EventKind.PAUSE,
        EventKind.CONTINUE,
        EventKind.CLAIM_AWAY,
        EventKind.VACATION,
        EventKind.TAKE_BACK,
    }
)
DECISIONS = frozenset({Act.PLAY, Act.DOUBLE, Act.TAKE, Act.DROP, Act.RESIGN, Act.ACCEPT, Act.REFUSE, Act.CONCEDE})
"""What can be taken back in practice."""


class ActionInput(NamedTuple):
    kind: str
    """The value of an `Act` or a `Kind`; those of directors are refused."""
    after: int
    """The number of the last action the player has seen."""
    key: str = ""
    """Repeating an action with its key is harmless: the first answer is given again."""
    moves: tuple[tuple[int, ...], ...] = ()
    value: int | None = None
    link: str = ""
    """READY, ROLL and PLAY: the next link of the player's dice chain; empty where the server keeps it. A play may do
    without, but then the opponent's next roll is fixed before it.
    """
    seen: int | None = None
    """How many armings of the opponent's dice chains the device knows that reveals the link; None: all."""
    play_forced: bool = False
    """ROLL: play at once what cannot be played in another way, a dance included."""
    bear_off: bool = False
    """ROLL: play at once where all checkers of the side are home and contact is over."""
    stood_in: bool = False
    """The Club Bot decided in place of the program that plays at the level of a practice match."""


class Acted(NamedTuple):
    state: LiveState
    live: LiveMatch
    actions: list[Action]
    """The rows it added: with a roll, perhaps the forced play."""
    credits: tuple[int, int] | None = None
    """What would be given back to each side for lag now; None where the action is repeated: its key was known, and
    these are the rows of the first time.
    """


def act(*, match: Match, side: Side, request: ActionInput, by: Actor, now: datetime, network: str = "") -> Acted:
    """Let a side act in a match played here; `now` is when the request arrived.

    Of the lag measured on the player's `network` as much is given back as the allowance permits.

    Refused: `not_live`, `stale`, `not_allowed_here`, `key_reused`, and what `matches.play.live.after_event` and
    `Chains.reveal` refuse; also `dead_cube`. A flag that has fallen, or a pause that has ended, counts first.
    """
    if request.kind not in OF_PLAYERS:
        raise Refused("not_allowed_here")
    # Two players may happen to send the same key.
    request = request._replace(key=f"{side}:{request.key}" if request.key else "")
    try:
        return _act(match, side, request, by, now, network)
    except IntegrityError:
        if request.key and Action.objects.filter(live_id=match.pk, key=request.key).exists():
            raise Refused("key_reused") from None
        raise


def _act(match: Match, side: Side, request: ActionInput, by: Actor, now: datetime, network: str) -> Acted:
    """Let a side act, once what is due has happened."""
    with transaction.atomic():
        locked = lock_with_live(match.pk)
        if not due.is_due(locked, now):
            return _act_in(locked, side, request, by, now, network)
    # In a transaction of its own, since it stands even if the action is refused.
    due.settle_first(match_id=match.pk, now=now)
    with transaction.atomic():
        return _act_in(lock_with_live(match.pk), side, request, by, now, network)


def _act_in(match: Match, side: Side, request: ActionInput, by: Actor, now: datetime, network: str) -> Acted:
    if first := _first_answer(match, request):
        return first
    journal = Journal.of(match)
    if not journal.live.changed_by <= request.after <= journal.live.last:
        raise Refused("stale", seq=journal.live.last)
    append_action(journal, side, request, by, now, journal.give_back(side, network))
    if request.stood_in:
        journal.appended[0].data["stood_in"] = True
    journal.close(now)
    return Acted(journal.state, journal.live, journal.appended, journal.credits)


def _first_answer(match: Match, request: ActionInput) -> Acted | None:
    """What an action with this key led to the first time; None if there was none.

    Refused: `key_reused` where that was another action.
    """
    # Whoever repeats an action has not seen what it led to: most actions need no query for this.
    is_new = match.state == Match.State.LIVE and request.after >= match.live.last
    if not request.key or is_new:
        return None
    try:
        first = Action.objects.get(live_id=match.pk, key=request.key)
    except Action.DoesNotExist:
        return None
    if not _is_same(first, request):
        raise Refused("key_reused")
    return Acted(due.state_of(first.live), first.live, [first])


def _is_same(first: Action, request: ActionInput) -> bool:
    """Whether a row stores what a request wants to do."""
    links = first.data.get("links", [first.data["link"]] if "link" in first.data else [])
    stored = event_of(first)
    return (stored.kind, stored.moves, stored.value) == (request.kind, request.moves, request.value) and (
        not request.link or request.link in [link["link"] for link in links]
    )


def append_action(journal: Journal, side: Side, request: ActionInput, by: Actor, now: datetime, credit: int) -> None:
    """Add the rows of one request to a locked match."""
    at = to_ms(now)
    event = LiveEvent(request.kind, at, side, moves=request.moves, value=request.value, credit=credit)
    if request.kind == EventKind.HERE:
        journal.append(event, by=by, key=request.key)
        arrive_at_board(match=journal.match, side=side, by=by, now=now)
        _roll_if_both_are_ready(journal, at)
    elif request.kind == EventKind.READY:
        _mark_ready(journal, event, side, request, by)
    elif request.kind == Act.ROLL:
        _roll(journal, event, side, request, by)
    elif request.kind == EventKind.CLAIM_AWAY:
        claim_absence(journal, event, side, by=by, key=request.key)
    elif request.kind == EventKind.TAKE_BACK:
        _take_back(journal, event, side, by, request.key)
    else:
        is_dead_cube = request.kind == Act.DOUBLE and not journal.state.match.may_double
        seen = journal.live.changed_by
        action = journal.append(event, by=by, key=request.key)
        if request.kind == Act.PLAY and not _is_played_again(journal):
            chains = journal.chains()
            link = chains.reveal_with_play(side, request.link, request.seen)
            if link is not None:
                action.data["link"] = link.data
        if is_dead_cube:
            # Legal, but without a limit the score would be, too.
            raise Refused("dead_cube")
        if request.kind == Act.DOUBLE:
            answer_as_decided(journal, seen=seen, at=at)


def _take_back(journal: Journal, event: LiveEvent, side: Side, by: Actor, key: str) -> None:
    """Take back the last decision of a side in practice, and what its opponent has done since."""
    live, state = journal.live, journal.state
    if live.bot_side is None:
        raise Refused("no_take_back")
    if state.is_paused:
        raise Refused("match_paused")
    decision = None if any(state.ready) else _last_decision(live, side)
    if decision is None:
        raise Refused("nothing_to_take_back")
    before = live.actions.filter(seq__lt=decision.seq).order_by("seq")
    journal.take_back(event, to=decision.seq - 1, state=state_after(state_at_start(live), before), by=by, key=key)


def _last_decision(live: LiveMatch, side: Side) -> Action | None:
    """The last action of a side that was its choice and has not been taken back."""
    rows = live.actions.filter(Q(kind__in=DECISIONS, side=side) | Q(kind=EventKind.TAKE_BACK)).order_by("seq")
    return next((action for action in reversed(standing(rows)) if not action.data.get("forced")), None)


def _is_played_again(journal: Journal) -> bool:
    """Whether the dice on the board were played before and that was taken back: their play has given its link."""
    live = journal.live
    if live.bot_side is None or live.last == len(journal.appended):
        return False
    last = live.actions.filter(kind__in=(Act.ROLL, EventKind.TAKE_BACK)).order_by("-seq").first()
    return last is not None and last.kind == EventKind.TAKE_BACK


def _mark_ready(journal: Journal, event: LiveEvent, side: Side, request: ActionInput, by: Actor) -> None:
    """A side is ready for the opening roll, which the server makes once both are."""
    chains = journal.chains()
    link = chains.reveal_for_opening(side, request.link, request.seen).data
    journal.append(event, by=by, key=request.key, data={"link": link})
    _roll_if_both_are_ready(journal, event.at)


def _roll_if_both_are_ready(journal: Journal, at: int) -> None:
    """Make the opening roll from the links of both sides, once both are ready and here."""
    if journal.state.awaits_opening_roll:
        links = (_link_of(journal, 0), _link_of(journal, 1))
        dice, proof = journal.chains().opening_roll(links)
        journal.append(LiveEvent(Act.ROLL, at, dice=dice), by=SYSTEM, data=proof)


def _link_of(journal: Journal, side: Side) -> dict[str, object]:
    """The link that a side revealed by being ready for this game."""
    appended = [
        action for action in reversed(journal.appended) if action.kind == EventKind.READY and action.side == side
    ]
    ready = appended or journal.live.actions.filter(kind=EventKind.READY, side=side).order_by("-seq")
    link: dict[str, object] = ready[0].data["link"]
    return link


def _roll(journal: Journal, event: LiveEvent, side: Side, request: ActionInput, by: Actor) -> None:
    """Roll for the side on turn, and play a forced play if asked to."""
    if journal.state.match.phase is Phase.OPENING:
        raise Refused("not_now", act=Act.ROLL.value, phase=Phase.OPENING.value)
    # Any dice tell whether this side may roll now: a link must not be revealed for nothing.
    after_event(journal.state, event._replace(dice=(1, 2)))
    chains = journal.chains()
    dice, proof = chains.roll(side, chains.reveal(side, request.link, request.seen))
    journal.append(event._replace(dice=dice), by=by, key=request.key, data=proof)
    _auto_play(journal, request, event.at, by)


def _auto_play(journal: Journal, request: ActionInput, at: int, by: Actor) -> None:
    """Play the dice if they leave no choice, or in a bear-off without contact, where the player wishes it."""
    event = play_by_itself(journal.state.match, at, play_forced=request.play_forced, bear_off=request.bear_off)
    if event is not None:
        journal.append(event, by=by, data={"forced": True})


def play_by_itself(state: MatchState, at: int, *, play_forced: bool, bear_off: bool) -> LiveEvent | None:
    """The play of dice that leave no choice, or of a bear-off without contact, where the player wishes it."""
    if state.phase is not Phase.TO_PLAY or state.dice is None:
        return None
    plays: Sequence[Play] = legal_plays(state.position, state.dice)
    if bear_off and is_plain_bear_off(state.position):
        plays = [best_bear_off(plays)]
    elif len(plays) > 1 or not play_forced:
        return None
    moves = tuple((step.source, step.target) for play in plays for step in play.steps)
    return LiveEvent(Act.PLAY, at, state.turn, moves=moves)


def act_again(*, match: Match, history: Iterable[tuple[Side, ActionInput, Actor, datetime]], now: datetime) -> None:
    """Add what was done elsewhere, with its times, to a locked match that has not begun; in a transaction."""
    journal = _JournalAtOnce.of(match)
    for side, request, by, at in history:
        append_action(journal, side, request, by, at, 0)
    journal.known_chains.save()
    journal.close(now)


class _ChainsAtOnce(Chains):
    """Chains that are saved once all links that were revealed are used."""

    def _save(self, chain: DiceChain) -> None:
        pass

    def save(self) -> None:
        DiceChain.objects.bulk_update(self._chains, LINK_FIELDS)


class _JournalAtOnce(Journal):
    def __post_init__(self) -> None:
        super().__post_init__()
        self.known_chains = _ChainsAtOnce(self.live, self.match.public_id)

    def chains(self) -> Chains:
        return self.known_chains
