"""The fast path of an ordinary action: the same rules and the same rows by fewer queries, before Django's sessions.

It takes rolls, plays, doubles and takes of signed-in players at a fast clock, or without a clock, and answers nothing
but successes. Whatever is out of the ordinary (a refusal, a repeated key, a fallen flag, a bot, the end of a game, a
personal link) writes nothing and goes on to `matches.play.api.LiveActions`, as if this module did not exist: that view
says what is right, and a test compares both.
"""

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from io import BytesIO
from typing import Any, NamedTuple, TypeVar, cast

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import ResolverMatch
from django.utils import timezone
from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.settings import api_settings

from core import throttle
from core.live import audience
from core.live.publishing import publish_command
from core.live.site_version import unseen_writes
from core.requests import arrived_at
from engine.actions import Act, Phase
from engine.cube import Side
from engine.errors import Refused
from engine.notation import parse_play
from matches.models import DiceChain, Match
from matches.play import absences, lag
from matches.play.acting import ActionInput, append_action
from matches.play.api import HASH, MAX_KEY_LENGTH, TAB, as_json
from matches.play.chains import Chains, chains_with_secrets
from matches.play.codec import from_data, to_data
from matches.play.journal import Journal
from matches.play.live import LiveState, from_ms
from matches.play.page import Seat, password_mark, seat_of_ticket
from matches.play.public_state import public_json, streamed_state
from matches.play.watching import Watched
from players.actors import Actor
from players.models import LogEntry

Key = TypeVar("Key")
Value = TypeVar("Value")


class NotFast(Exception):
    """The view has to answer this request."""


# What the fast path reads of a request: what the serializer of the view would read in the same way.


PATH = re.compile(r"/api/v1/matches/([2-9a-z]{10})/live/actions/")
KINDS = frozenset({Act.ROLL, Act.PLAY, Act.DOUBLE, Act.TAKE})
REQUIRED = {"kind", "after"}
DEFAULTS: dict[str, Any] = {
    "play": "",
    "link": "",
    "seen": None,
    "play_forced": False,
    "bear_off": False,
    "tab": "",
    "every": 15,
    "seat": "",
}
SEAT = re.compile(r"[\w.:-]{0,300}", re.ASCII)
MOST = 2**31
_parser = cast(Sequence[type[BaseParser]], api_settings.DEFAULT_PARSER_CLASSES)[0]()


class ActionRequest(NamedTuple):
    action: ActionInput
    tab: str
    every: int
    ticket: str


def action_request(body: bytes, key: str) -> ActionRequest:
    """Raise NotFast for whatever the serializer might refuse, or read differently."""
    try:
        sent = _parser.parse(BytesIO(body))
    except APIException:
        raise NotFast from None
    if not isinstance(sent, dict) or not REQUIRED <= sent.keys() <= REQUIRED | DEFAULTS.keys():
        raise NotFast
    form = DEFAULTS | sent
    numbers = [form["after"], form["every"], 0 if form["seen"] is None else form["seen"]]
    texts = [form[name] for name in ("kind", "play", "link", "tab", "seat")]
    if (
        not all(type(number) is int and 0 <= number < MOST for number in numbers)
        or not all(type(text) is str for text in texts)
        or not all(type(form[name]) is bool for name in ("play_forced", "bear_off"))
        or form["kind"] not in KINDS
        or not 5 <= form["every"] <= 60
        or not re.fullmatch(f"({HASH[1:-1]})?", form["link"])
        or not re.fullmatch(f"({TAB[1:-1]})?", form["tab"], re.ASCII)
        or not SEAT.fullmatch(form["seat"])
        or (sent["kind"] == Act.PLAY) != ("play" in sent)
        or len(form["play"]) > 60
        or ("seen" in sent and form["seen"] is None)
        or len(key) > MAX_KEY_LENGTH
    ):
        raise NotFast
    moves = tuple(parse_play(form["play"])) if form["play"] else ()
    fields = {name: form[name] for name in ("after", "link", "seen", "play_forced", "bear_off")}
    return ActionRequest(
        ActionInput(sent["kind"], key=key, moves=moves, **fields), form["tab"], form["every"], form["seat"]
    )


# Read: the row is there only if everything is as usual. The view finds out what is not.


_READ = """
SELECT m.seq, u.password
FROM matches_match m
JOIN matches_livematch l ON l.match_id = m.id
JOIN players_accountsession s ON s.session_key = %s AND s.user_id = %s AND s.expire_date > %s
JOIN players_user u ON u.id = s.user_id AND u.is_active
JOIN players_player p ON p.id = m.player_{side}_id AND p.user_id = u.id AND p.merged_into_id IS NULL
WHERE m.id = %s AND m.state = 'live' AND l.begun_at IS NOT NULL AND l.lapses_at IS NULL AND l.bot_side IS NULL
  AND NOT l.correspondence AND l.last = %s AND (l.due_at IS NULL OR l.due_at > %s)
"""
READ = {side: _READ.format(side=side) for side in (0, 1)}
MAX_KNOWN = 2_000
"""Matches, and sessions, that a process remembers."""


class CachedMatch(NamedTuple):
    """A match that this process remembers with its board and chains, valid while the row has the same `seq`."""

    match: Match
    state: LiveState
    chains: list[DiceChain]


_known: OrderedDict[int, CachedMatch] = OrderedDict()


def remember(values: OrderedDict[Key, Value], key: Key, value: Value) -> None:
    """Store a value, and forget the one that was stored first if there are too many."""
    values[key] = value
    values.move_to_end(key)
    if len(values) > MAX_KNOWN:
        values.popitem(last=False)


def _read(seat: Seat, session_key: str, after: int, now: datetime) -> CachedMatch:
    """The match as it is now. What is remembered is taken out, and put back only once an action is committed."""
    known, adapt = _known.pop(seat.match_id, None), connection.ops.adapt_datetimefield_value
    values: list[Any] = [session_key, seat.user_id, adapt(timezone.now()), seat.match_id, after, adapt(now)]
    with connection.cursor() as cursor:
        cursor.execute(READ[seat.side], values)
        row = cursor.fetchone()
    if row is None or password_mark(row[1]) != seat.password_mark:
        raise NotFast
    if known is not None and known.match.seq == row[0]:
        return known
    match = Match.objects.select_related("live").get(pk=seat.match_id)
    match.live.match = match
    if match.live.last != after:
        raise NotFast
    return CachedMatch(match, from_data(match.live.state), chains_with_secrets(match.live))


# Act by the rules of the view, without writing.


class _Chains(Chains):
    """Chains that are at hand; notes what was used instead of saving it."""

    def __init__(self, journal: "_Journal") -> None:
        self.live, self.match_id = journal.live, journal.match.public_id
        self._chains, self.used = journal.known_chains, journal.used

    def commit(self, *_: Any, **__: Any) -> DiceChain:
        raise NotFast

    def _save(self, chain: DiceChain) -> None:
        self.used.append(chain)


class _Journal(Journal):
    """A match that is not locked: `_write` writes only if nobody else has changed it since it was read."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.lag_before = self.lag
        self.used: list[DiceChain] = []
        self.known_chains: list[DiceChain] = []

    def chains(self) -> Chains:
        return _Chains(self)

    def give_back(self, side: Side, network: str) -> int:
        credit, self.lag = lag.taken(side, network, self.lag)
        return credit


def _lag_of(seat: Seat, ident: str) -> lag.MatchLag:
    """The lag of both sides. Raise NotFast if the side has acted too often."""
    counter = throttle.counter(throttle.LIVE_ACTIONS_OF, ident)
    stored = cache.get_many([counter, *lag.keys_of(seat.match_id)])
    if stored.get(counter, 0) >= throttle.LIVE_ACTIONS_OF.most:
        raise NotFast
    return lag.lag_in(stored, seat.match_id)


def _appended(
    known: CachedMatch, known_lag: lag.MatchLag, seat: Seat, wish: ActionRequest, network: str, now: datetime
) -> _Journal:
    """The match after an action, which is not written. Raise NotFast where a game ends."""
    journal = _Journal(known.match, known.match.live, known.state, known_lag=known_lag)
    journal.known_chains = known.chains
    score = journal.state.match.score
    key = f"{seat.side}:{wish.action.key}" if wish.action.key else ""
    action, by = wish.action._replace(key=key), Actor(LogEntry.By.USER)
    append_action(journal, seat.side, action, by, now, journal.give_back(seat.side, network))
    match = journal.state.match
    if match.is_over or match.score != score or match.phase is Phase.OPENING:
        raise NotFast
    due = journal.state.due_at(journal.credits)
    journal.live.state = to_data(journal.state)
    journal.live.due_at = from_ms(due) if due is not None else None
    return journal


# Write, if nobody has changed the match since it was read: each change raises its `seq`.


MATCH = "UPDATE matches_match SET seq = seq + 1 WHERE id = %s AND seq = %s AND state = 'live'"
CHAIN = "UPDATE matches_dicechain SET used = %s, latest = %s, seen = %s, last_reveal = %s WHERE id = %s"
LIVE = "UPDATE matches_livematch SET state = %s, last = %s, changed_by = %s, due_at = %s WHERE match_id = %s"
ACTION = """INSERT INTO matches_action (live_id, seq, kind, side, data, credit, "key", "at", "by", user_id) VALUES """


def _write(journal: _Journal, seat: Seat) -> None:
    """Raise NotFast if somebody else was faster."""
    match, live, adapt = journal.match, journal.live, connection.ops.adapt_datetimefield_value
    rows: list[Any] = []
    for action in journal.appended:
        rows += [match.pk, action.seq, action.kind, action.side, json.dumps(action.data), action.credit, action.key]
        rows += [adapt(action.at), action.by, seat.user_id]
    due_at = adapt(live.due_at) if live.due_at is not None else None
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(MATCH, [match.pk, match.seq])
        if cursor.rowcount != 1:
            raise NotFast
        for chain in journal.used:
            cursor.execute(CHAIN, [chain.used, chain.latest, chain.seen, chain.last_reveal, chain.pk])
        cursor.execute(LIVE, [json.dumps(live.state), live.last, live.changed_by, due_at, match.pk])
        cursor.execute(ACTION + ", ".join([f"({', '.join(['%s'] * 10)})"] * len(journal.appended)), rows)
    match.seq += 1


def act(request: HttpRequest, public_id: str) -> bytes | None:
    """Let a player act, and return the board after it as JSON; None where the view has to answer."""
    headers, session_key = request.headers, request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    if "Match-Link" in headers or "Authorization" in headers or request.META.get("QUERY_STRING"):
        return None
    if request.content_type != "application/json" or headers.get("Accept", "*/*") not in ("*/*", "application/json"):
        return None
    try:
        wish = action_request(request.body, headers.get("Idempotency-Key", ""))
        seat = seat_of_ticket(wish.ticket, public_id, session_key) if wish.ticket and session_key else None
    except (NotFast, Refused):
        return None
    if seat is None:
        return None
    ident, network, now = f"{public_id}:{seat.side}", throttle.client_network(request), arrived_at(request)
    try:
        known_lag = _lag_of(seat, ident)
        with unseen_writes():
            known = _read(seat, session_key, wish.action.after, now)
            journal = _appended(known, known_lag, seat, wish, network, now)
            _write(journal, seat)
    except (NotFast, Refused, DatabaseError):
        return None
    structlog.contextvars.bind_contextvars(user_id=seat.user_id)
    return _answer(journal, seat, wish, now)


def _answer(journal: _Journal, seat: Seat, wish: ActionRequest, now: datetime) -> bytes:
    """Publish what was committed, and return what the view answers."""
    match, live = journal.match, journal.live
    public = public_json(live, journal.state)
    # Counted here, so that what is left to the view is counted once.
    commands = [
        publish_command(match.topic, match.seq, streamed_state(live, journal.state, journal.appended, public)),
        *throttle.count_commands(throttle.LIVE_ACTIONS_OF, f"{match.public_id}:{seat.side}"),
        *([lag.take_command(match.pk, seat.side, journal.lag)] if journal.lag is not journal.lag_before else []),
        audience.size_command(match.public_id),
    ]
    sign = absences.sign_of(match.public_id, seat.side, wish.tab, wish.every) if wish.tab else None
    answers, seen = absences.side_presences_after(commands, match.public_id, now, sign)
    board = as_json(
        Watched(live, seat.side, True, journal.state, live.last, timezone.now(), is_behind=False),
        since=wish.action.after,
        latest=journal.appended,
        lag_credits=journal.credits,
        presences=seen,
        public=public,
        spectators=answers[-1] if answers else None,
    )
    content: bytes = JSONRenderer().render(board | {"ticket": None, "boards_waiting": None, "seat": wish.ticket})
    remember(_known, match.pk, CachedMatch(match, journal.state, journal.known_chains))
    return content


# The entrance: inside of what logs, measures and secures every answer, outside of sessions, languages and permissions.


class Fallback(NamedTuple):
    """What the view has last added to an answer for a session."""

    headers: dict[str, str]
    resolver_match: ResolverMatch | None


class FastPath:
    """Answer ordinary actions; a session's first action in this process shows which headers belong to its answers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.plain: OrderedDict[str, Fallback] = OrderedDict()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = PATH.fullmatch(request.path_info) if request.method == "POST" else None
        if path is None:
            return self.get_response(request)
        session_key = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
        plain = self.plain.get(session_key)
        if plain is not None and (content := act(request, path[1])) is not None:
            request.resolver_match = plain.resolver_match
            return HttpResponse(content, headers=plain.headers | {"Content-Length": str(len(content))})
        response = self.get_response(request)
        if response.status_code == 200 and session_key and request.user.is_authenticated:
            headers = {name: value for name, value in response.headers.items() if name != "Content-Length"}
            remember(self.plain, session_key, Fallback(headers, request.resolver_match))
        return response
