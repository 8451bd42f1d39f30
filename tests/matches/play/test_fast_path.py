"""The fast path of an action does exactly what the view does, or leaves it to it."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import structlog
from django.core.cache import cache
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from redis import Redis
from structlog.contextvars import merge_contextvars
from structlog.testing import LogCapture

from core import throttle
from core.live.publishing import CHANNEL
from core.requests import ARRIVED, EPOCH
from engine.actions import Phase
from engine.dice import Chain, ChainTag
from matches.lifecycle.links import token_for
from matches.lifecycle.locks import lock_match
from matches.lifecycle.voiding import void_matches
from matches.models import Action, DiceChain, LiveMatch, Match
from matches.play import fast_path
from matches.play.live import EventKind
from matches.play.starting import PlaySettings, commit_chain, start
from matches.reporting.links import revoke_link
from players.accounts import sessions
from players.actors import SYSTEM, Actor
from players.models import AccountSession, Player, User
from players.people.erasure import erase_player
from tests.matches.play.conftest import BOB, CAROL, CLOCK, START, Board
from tests.tiers import TEST_SEED, TIER, first_in_make_test

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db, pytest.mark.usefixtures("valkey")]
EACH_TIME_NEW = {"now", "ping", "seat"}
NETWORK = "127.0.0.1"


class Pages:
    """The pages of both sides, whose sessions have acted before in this process."""

    def __init__(self, board: Board) -> None:
        self.board, self.keys, self.query = board, 0, ""
        self.path = f"/api/v1/matches/{board.match.public_id}/live/"
        self.clients = [Client(), Client()]
        for client, user in zip(self.clients, board.users, strict=True):
            client.force_login(user)
        self.tickets = [client.get(self.path).json()["seat"] for client in self.clients]
        assert all(self.tickets)

    def key(self) -> str:
        self.keys += 1
        return f"key{self.keys}"

    def short(self, side: int, body: dict[str, Any], key: str = "", **headers: str) -> HttpResponse:
        """Send an action with the ticket of its side."""
        return self.plain(side, {"seat": self.tickets[side]} | body, key, **headers)

    def plain(self, side: int, body: dict[str, Any], key: str = "", **headers: str) -> HttpResponse:
        scope = {ARRIVED: round((self.board.now - EPOCH).total_seconds() * 1_000_000)}
        sent = {"Idempotency-Key": key} if key else {}
        response: HttpResponse = self.clients[side].post(
            f"{self.path}actions/{self.query}",
            body,
            "application/json",
            headers=sent | headers,
            **{"asgi.scope": scope},
        )
        return response


def is_short(response: HttpResponse) -> bool:
    """Whether no session was opened for a request."""
    return not hasattr(response.wsgi_request, "session")  # type: ignore[attr-defined]


def rows(match: Match) -> list[Any]:
    """Everything that an action may change, without the keys of rows."""
    values = ("seq", "kind", "side", "data", "credit", "key", "at", "by", "user")
    return [
        *Match.objects.filter(pk=match.pk).values(),
        *LiveMatch.objects.filter(pk=match.pk).values(),
        *DiceChain.objects.filter(live=match.pk).order_by("pk").values(),
        *Action.objects.filter(live=match.pk).order_by("seq").values(*values),
    ]


def wish(board: Board, chance: Random, device: Chain | None = None) -> tuple[int, dict[str, Any]]:
    """What a side may do now, and its number; `device` is what keeps Carol's dice."""
    side, body = _wish(board, chance)
    if device is not None and side == CAROL and body["kind"] in ("ready", "roll", "play"):
        used = DiceChain.objects.get(live=board.match.pk, owner=str(CAROL)).used
        body |= {"link": device.link(used + 1).hex()} | ({"seen": chance.randrange(3)} if chance.random() < 0.7 else {})
    return side, body


def _wish(board: Board, chance: Random) -> tuple[int, dict[str, Any]]:
    game = board.game
    body: dict[str, Any] = {"after": board.live.last, "tab": "t", "every": 15}
    if game.phase is Phase.OPENING:
        return (BOB if not board.state.ready[BOB] else CAROL), body | {"kind": "ready"}
    side = game.to_act
    assert side is not None
    if game.phase is Phase.TO_PLAY:
        steps = [f"{'bar' if source == 25 else source}/{target or 'off'}" for source, target in board.any_play()]
        return side, body | {"kind": "play", "play": " ".join(steps)}
    if game.phase is Phase.DOUBLED:
        return side, body | {"kind": "take"}
    if game.may_double and chance.random() < 0.2:
        return side, body | {"kind": "double"}
    return side, body | {"kind": "roll", "play_forced": chance.random() < 0.7, "bear_off": chance.random() < 0.5}


def without(data: dict[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in names}


def counted(board: Board) -> list[int]:
    """How many actions of each side count against its limit."""
    counters = [throttle.counter(throttle.LIVE_ACTIONS_OF, f"{board.match.public_id}:{side}") for side in (BOB, CAROL)]
    return [cache.get(counter) or 0 for counter in counters]


def content(published: bytes) -> Any:
    seq, _, text = published.partition(b" ")
    return seq, without(json.loads(text), {"now"}) if text else None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(TIER.fast_path_matches))
@pytest.mark.parametrize("delay", first_in_make_test(0, 5, None))
@pytest.mark.soak
def test_both_ways_do_the_same(
    match: Match,
    users: list[User],
    alice: User,
    seed: int,
    delay: int | None,
    valkey: "Redis[bytes]",
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    chance, short_kinds, number = Random(f"{TEST_SEED} {seed} {delay}"), [], 0
    device = Chain.from_secret(ChainTag(match.public_id, "1"), bytes(32)) if chance.random() < 0.5 else None
    clock = CLOCK if chance.random() < 0.7 else None
    settings = PlaySettings(clock, server_chains=True, spectators_delay=delay)
    start(match=match, settings=settings, by=Actor.of(alice), now=START)
    for side, anchor in ((BOB, ""), (CAROL, device.anchor.hex() if device else "")):
        commit_chain(match=match, side=side, anchor=anchor, by=Actor.of(users[side]), now=START)
    board = Board(match, users)
    pages, pk = Pages(board), board.match.pk
    keys = [(side, f"live-lag:{pk}:{side}", f"live-lag-allowance:{pk}:{side}") for side in (BOB, CAROL)]
    with valkey.pubsub() as heard:
        heard.psubscribe(f"{CHANNEL}*{board.match.public_id}")

        def published() -> list[Any]:
            messages = []
            while message := heard.get_message(timeout=0.001):
                messages += [content(message["data"])] if message["type"] == "pmessage" else []
            return messages

        while not board.game.is_over:
            number += 1
            board.wait(chance.uniform(0, 4))
            side, body = wish(board, chance, device)
            for _, measured, _ in keys:
                cache.set(measured, (NETWORK, [chance.randrange(400)]), 600)
            allowances = [cache.get(allowance) for _, _, allowance in keys]
            for each in (BOB, CAROL):
                throttle.reset(throttle.LIVE_ACTIONS_OF, f"{match.public_id}:{each}")
            published()
            key, before = pages.key(), rows(board.match)
            with transaction.atomic(), django_capture_on_commit_callbacks(execute=True):
                short = pages.short(side, body, key)
                after_short, short_published, short_counted = rows(board.match), published(), counted(board)
                allowances_short = [cache.get(allowance) for _, _, allowance in keys]
                transaction.set_rollback(True)
            remembered = fast_path._known.pop(pk, None)
            assert rows(board.match) == before
            assert short_counted == [side == BOB, side == CAROL]
            for (_, _, name), allowance in zip(keys, allowances, strict=True):
                cache.set(name, allowance, 600) if allowance is not None else cache.delete(name)
            with django_capture_on_commit_callbacks(execute=True):
                plain = pages.plain(side, body, key)
            assert not is_short(plain)
            assert counted(board) == [2 * count for count in short_counted]
            assert plain.status_code == 200, plain.content
            if not is_short(short):
                continue
            short_kinds.append(body["kind"])
            # What is remembered is what the view has written, so that the fast path can go on with it.
            if remembered is not None and chance.random() < 0.7:
                fast_path._known[pk] = remembered
            assert after_short == rows(board.match)
            assert allowances_short == [cache.get(allowance) for _, _, allowance in keys]
            short_data, plain_data = json.loads(short.content), json.loads(plain.content)
            assert list(short_data) == list(plain_data)
            assert without(short_data, EACH_TIME_NEW) == without(plain_data, EACH_TIME_NEW)
            assert short_published == published()
            assert short_published
            ignored = {"X-Request-ID", "Content-Length"}
            assert without(dict(short.items()), ignored) == without(dict(plain.items()), ignored)
    print(f"{len(short_kinds)} of {number} actions took the fast path")
    assert {"roll", "play"} <= set(short_kinds)
    assert len(short_kinds) > 0.6 * number


@pytest.fixture
def to_roll(board: Board) -> tuple[Pages, int, dict[str, Any]]:
    """A match in which a side may roll, and both have acted through the view."""
    board.open_game()
    pages = Pages(board)
    while True:
        side, body = wish(board, Random(1))
        if board.live.last > 8 and body["kind"] == "roll":
            return pages, side, body
        assert pages.plain(side, body).status_code == 200


Sent = tuple[int, dict[str, Any], dict[str, str]]
UNUSUAL: dict[str, Callable[[Pages, int, dict[str, Any]], Sent]] = {
    "stale": lambda _, side, body: (side, body | {"after": body["after"] - 1}, {}),
    "ahead": lambda _, side, body: (side, body | {"after": body["after"] + 1}, {}),
    "out of turn": lambda _, side, body: (1 - side, body, {}),
    "a ticket of the other": lambda pages, side, body: (side, body | {"seat": pages.tickets[1 - side]}, {}),
    "no ticket": lambda _, side, body: (side, body | {"seat": ""}, {}),
    "a forged ticket": lambda pages, side, body: (side, body | {"seat": pages.tickets[side][:-1] + "!"}, {}),
    "another side": lambda pages, side, body: (
        1 - side,
        body | {"seat": pages.tickets[1 - side].replace(f".{1 - side}.", f".{side}.", 1)},
        {},
    ),
    "a link": lambda _, side, body: (side, body, {"Match-Link": "x"}),
    "a token": lambda _, side, body: (side, body, {"Authorization": "Token x"}),
    "another format": lambda _, side, body: (side, body, {"Accept": "application/xml"}),
    "an unknown field": lambda _, side, body: (side, body | {"dice": [6, 6]}, {}),
    "a text for a number": lambda _, side, body: (side, body | {"after": str(body["after"])}, {}),
    "a play with a roll": lambda _, side, body: (side, body | {"play": "8/5 6/5"}, {}),
    "a bad link": lambda _, side, body: (side, body | {"link": "ab" * 32}, {}),
    "a link with a new line": lambda _, side, body: (side, body | {"link": "ab" * 32 + "\n"}, {}),
    "a long key": lambda _, side, body: (side, body, {"Idempotency-Key": "k" * 100}),
    "a resignation": lambda _, side, body: (side, body | {"kind": "resign", "value": 1}, {}),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_unusual_is_left_to_the_view(to_roll: tuple[Pages, int, dict[str, Any]], name: str) -> None:
    pages, side, body = to_roll
    counted_before = sum(counted(pages.board))
    sent_side, sent, headers = UNUSUAL[name](pages, side, body)
    before, response = rows(pages.board.match), pages.short(sent_side, sent, **headers)
    assert not is_short(response)
    assert sum(counted(pages.board)) - counted_before <= 1
    if response.status_code >= 400:
        assert rows(pages.board.match) == before
        assert is_short(pages.short(side, body))


def test_an_unknown_parameter_is_refused_as_usual(to_roll: tuple[Pages, int, dict[str, Any]]) -> None:
    pages, side, body = to_roll
    pages.query = "?dice=66"
    assert pages.short(side, body).status_code == 422
    pages.query = ""
    assert is_short(pages.short(side, body))


def signed_out(pages: Pages, side: int) -> None:
    cookie = pages.clients[side].cookies["sessionid"].value
    pages.clients[side].post("/sign-out/")
    # Somebody has kept it.
    pages.clients[side].cookies["sessionid"] = cookie


def signed_out_elsewhere(pages: Pages, side: int) -> None:
    sessions.end_others(user=pages.board.users[side], current=None)


def expired(pages: Pages, side: int) -> None:
    AccountSession.objects.filter(user=pages.board.users[side]).update(expire_date=timezone.now())


def suspended(pages: Pages, side: int) -> None:
    User.objects.filter(pk=pages.board.users[side].pk).update(is_active=False)


def new_password(pages: Pages, side: int) -> None:
    pages.board.users[side].set_password("another")
    pages.board.users[side].save()


def account_deleted(pages: Pages, side: int) -> None:
    erase_player(player=Player.objects.get(user=pages.board.users[side]), by=SYSTEM, now=timezone.now())


def merged(pages: Pages, side: int) -> None:
    other = Player.objects.create(name="Other")
    Player.objects.filter(user=pages.board.users[side]).update(merged_into=other, user=None)


def seat_of_another(pages: Pages, side: int) -> None:
    dave = Player.objects.create(name="Dave")
    Match.objects.filter(pk=pages.board.match.pk).update(**{f"player_{side}": dave})


WITHDRAWN = [
    *(signed_out, signed_out_elsewhere, expired, suspended, new_password, account_deleted),
    *(merged, seat_of_another),
]


def flag_fell(pages: Pages, _: int) -> None:
    pages.board.wait(400)


def paused(pages: Pages, side: int) -> None:
    pages.board.do(side, EventKind.PAUSE)


def settled(pages: Pages, _: int) -> None:
    Match.objects.filter(pk=pages.board.match.pk).update(state=Match.State.SETTLED)


def voided(pages: Pages, _: int) -> None:
    with transaction.atomic():
        void_matches({lock_match(pages.board.match.pk): False}, club=None, by=SYSTEM, now=pages.board.now)


@pytest.mark.parametrize("is_remembered", [True, False])
@pytest.mark.parametrize("happens", [*WITHDRAWN, flag_fell, paused, settled, voided])
def test_what_happens_between_ticket_and_action_counts_at_once(
    to_roll: tuple[Pages, int, dict[str, Any]], happens: Callable[[Pages, int], None], is_remembered: bool
) -> None:
    pages, side, body = to_roll
    if is_remembered:
        for _ in range(20):
            assert is_short(pages.short(side, body))
            side, body = wish(pages.board, Random(1))
            if body["kind"] == "roll":
                break
    happens(pages, side)
    before, body = rows(pages.board.match), body | {"after": pages.board.live.last}
    with transaction.atomic():
        plain = pages.plain(side, body)
        transaction.set_rollback(True)
    response = pages.short(side, body)
    assert not is_short(response)
    assert response.status_code in (401, 403, 404, 409)
    assert response.status_code == plain.status_code
    assert without(response.json(), {"request_id"}) == without(plain.json(), {"request_id"})
    if happens is not flag_fell:
        assert rows(pages.board.match) == before


def test_a_link_takes_the_view_until_it_is_revoked(to_roll: tuple[Pages, int, dict[str, Any]]) -> None:
    pages, side, body = to_roll
    link = {"Match-Link": token_for(pages.board.match, side)}
    answer = pages.short(side, body, **link)
    assert (answer.status_code, is_short(answer)) == (200, False)
    side, body = wish(pages.board, Random(1))
    link = {"Match-Link": token_for(pages.board.match, side)}
    revoke_link(match=pages.board.match, side=side, generation=0, by=SYSTEM)
    before = rows(pages.board.match)
    assert pages.short(side, body, **link).status_code == 404
    assert rows(pages.board.match) == before
    # The seat of the account is not that of the link.
    assert is_short(pages.short(side, body))


def test_an_action_is_answered_the_same_when_it_is_repeated(to_roll: tuple[Pages, int, dict[str, Any]]) -> None:
    pages, side, body = to_roll
    assert is_short(pages.short(side, body, "k"))
    before = rows(pages.board.match)
    repeated = pages.short(side, body, "k")
    assert (repeated.status_code, is_short(repeated)) == (200, False)
    assert rows(pages.board.match) == before


def test_a_chain_armed_meanwhile_is_seen(to_roll: tuple[Pages, int, dict[str, Any]]) -> None:
    pages, side, body = to_roll
    assert is_short(pages.short(side, body))
    seq = Match.objects.get(pk=pages.board.match.pk).seq
    armed = pages.clients[side].post(f"{pages.path}chains/", {"anchor": "ab" * 32}, "application/json")
    assert armed.status_code == 200
    assert Match.objects.get(pk=pages.board.match.pk).seq == seq + 1
    answer = pages.short(*wish(pages.board, Random(1)))
    assert is_short(answer)
    assert [chain["owner"] for chain in json.loads(answer.content)["chains"]].count(str(side)) == 2


def test_too_many_actions_are_refused_as_usual(
    to_roll: tuple[Pages, int, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, side, body = to_roll
    monkeypatch.setattr(throttle, "LIVE_ACTIONS_OF", throttle.LIVE_ACTIONS_OF._replace(most=1))
    response = pages.short(side, body)
    assert (response.status_code, json.loads(response.content)["code"]) == (429, "too_many_attempts")


@pytest.mark.slow
def test_request_ids_logs_and_metrics_are_as_usual(
    to_roll: tuple[Pages, int, dict[str, Any]], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    prometheus_client = pytest.importorskip("prometheus_client")
    settings.LOG_CLIENT_ADDRESS = True
    labels = {"method": "POST", "route": "api-live-actions", "status": "200"}

    def measured() -> list[float | None]:
        sample = prometheus_client.REGISTRY.get_sample_value
        queries = sample("barpoint_database_queries_total", {"route": "api-live-actions"})
        return [sample("barpoint_request_seconds_count", labels), queries]

    pages, side, body = to_roll
    lines, logs, queries = [], LogCapture(), []
    monkeypatch.setattr("config.middleware.logger", structlog.wrap_logger(None, [merge_contextvars, logs]))
    for way in (pages.short, pages.plain):
        answered, queries_before = measured()
        with transaction.atomic():
            response = way(side, body, **{"X-Request-ID": "abcdefgh12345678"})
            transaction.set_rollback(True)
        fast_path._known.clear()
        assert is_short(response) is (way == pages.short)
        assert response["X-Request-ID"] == "abcdefgh12345678"
        answered_after, queries_after = measured()
        assert answered_after == (answered or 0) + 1
        queries.append(queries_after - (queries_before or 0))
        lines.append(without(logs.entries[-1], {"ms"}))
    assert lines[0] == lines[1]
    assert lines[0].items() >= {"route": "api-live-actions", "user_id": pages.board.users[side].pk}.items()
    assert 0 < queries[0] < queries[1]


def test_a_short_answer_is_compressed(to_roll: tuple[Pages, int, dict[str, Any]]) -> None:
    pages, side, body = to_roll
    short = pages.short(side, body, **{"Accept-Encoding": "gzip"})
    assert is_short(short)
    assert short["Content-Encoding"] == "gzip"
