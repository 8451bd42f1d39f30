"""The API of matches played here: Bob with his account, Carol with her personal link, Alice directs."""

import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient
from rest_framework.throttling import SimpleRateThrottle

from core import throttle
from engine.actions import Phase
from engine.clock import DAY
from engine.dice import Chain, ChainTag
from matches.models import Action, Match, Result
from matches.play import due
from matches.play.absences import side_presences
from matches.play.page import LASTS, Page, page_ticket
from players.models import User
from tests.api.test_matches import as_, ask, at, by_link
from tests.matches.cast import BOB, CAROL
from tests.matches.conftest import bob_player, carol_player, club, match, pool

__all__ = ["bob_player", "carol_player", "club", "match", "pool"]

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def clients(match: Match, alice: User, bob: User) -> list[APIClient]:
    """The match is open, the server keeps both chains."""
    ask(as_(alice), at(match, "live"), 201, {"clock": "table", "server_chains": True})
    clients = [as_(bob), by_link(match, CAROL)]
    for client in clients:
        ask(client, at(match, "live", "chains"), 200, {})
    return clients


def act(client: APIClient, match: Match, status: int, kind: str, after: int, key: str = "", **more: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return ask(client, at(match, "live", "actions"), status, {"kind": kind, "after": after, **more}, **headers)


def first_play(graph: list[dict[str, Any]]) -> str:
    """The notation of the first walk through a step graph."""
    node, steps = graph[0], []
    while node["edges"]:
        edge = node["edges"][0]
        steps.append(f"{'bar' if edge['from'] == 25 else edge['from']}/{edge['to'] or 'off'}")
        node = graph[edge["node"]]
    assert node["complete"]
    return " ".join(steps)


def test_two_players_play_until_one_concedes(match: Match, clients: list[APIClient]) -> None:
    board = act(clients[BOB], match, 200, "ready", 0)
    assert (board["ready"], board["phase"]) == ([True, False], "opening")
    board = act(clients[CAROL], match, 200, "ready", board["last"])
    for _ in range(6):
        side = board["to_act"]
        if board["phase"] == "to_roll":
            board = act(clients[side], match, 200, "roll", board["last"])
        else:
            board = ask(clients[side], at(match, "live"), 200)
            board = act(clients[side], match, 200, "play", board["last"], play=first_play(board["graph"]))
    board = act(clients[BOB], match, 200, "concede", board["last"])
    assert (board["phase"], board["winner"], board["may"]) == ("over", CAROL, [])
    assert (board["checkers"], board["xgid"]) == (None, None)
    result = Result.objects.get(match=match)
    assert (result.winner, result.kind, result.source) == (CAROL, "concession", "live")


def test_only_the_mover_sees_the_steps_and_everybody_the_position(match: Match, clients: list[APIClient]) -> None:
    act(clients[BOB], match, 200, "ready", 0)
    act(clients[CAROL], match, 200, "ready", 1)
    boards = [ask(client, at(match, "live"), 200) for client in (*clients, APIClient())]
    mover = boards[0]["turn"]
    assert boards[mover]["graph"][0]["edges"]
    assert "play" in boards[mover]["may"]
    assert [board["graph"] for board in (boards[1 - mover], boards[2])] == [None, None]
    assert boards[1 - mover]["may"] == ["concede"]
    assert boards[2]["may"] == []
    assert len({board["xgid"] for board in boards}) == 1


def test_a_repeated_request_is_harmless_and_a_stale_one_refused(match: Match, clients: list[APIClient]) -> None:
    act(clients[BOB], match, 200, "ready", 0, key="first")
    act(clients[BOB], match, 200, "ready", 0, key="first")
    assert Action.objects.count() == 1
    assert act(clients[CAROL], match, 422, "ready", 1, key="x" * 63)["code"] == "key_too_long"
    board = act(clients[CAROL], match, 200, "ready", 0)
    stale = act(clients[board["turn"]], match, 409, "play", 1, play="")
    assert (stale["code"], stale["params"]["seq"]) == ("stale", board["last"])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "ready"},
        {"kind": "flag", "after": 0},
        {"kind": "set_score", "after": 0},
        {"kind": "play", "after": 0},
        {"kind": "play", "after": 0, "play": "8/5 6/"},
        {"kind": "resign", "after": 0},
        {"kind": "resign", "after": 0, "value": 4},
        {"kind": "ready", "after": 0, "link": "zz"},
        {"kind": "ready", "after": -1},
    ],
)
def test_bad_input_is_refused(body: dict[str, Any], match: Match, clients: list[APIClient]) -> None:
    ask(clients[BOB], at(match, "live", "actions"), 422, body)
    assert Action.objects.count() == 0


def test_nobody_else_acts(match: Match, clients: list[APIClient], alice: User, dave: User) -> None:
    body = {"kind": "ready", "after": 0}
    ask(APIClient(), at(match, "live", "actions"), 401, body)
    ask(as_(dave), at(match, "live", "actions"), 404, body)
    ask(as_(alice), at(match, "live", "actions"), 404, body)
    ask(by_link(match, None), at(match, "live", "actions"), 404, body)
    ask(clients[BOB], at(match, "live", "rulings"), 403, {"kind": "adjourn", "after": 0})
    ask(as_(dave), at(match, "live"), 403, {})
    assert Action.objects.count() == 0


def test_a_private_match_has_no_board_for_others(match: Match, clients: list[APIClient], dave: User) -> None:
    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.PRIVATE)
    for client in (APIClient(), as_(dave)):
        assert client.get(at(match, "live")).status_code == 404
        assert client.get(at(match, "live", "dice")).status_code == 404
    ask(clients[BOB], at(match, "live"), 200)


def test_a_director_adjourns_and_resumes(match: Match, clients: list[APIClient], alice: User) -> None:
    act(clients[BOB], match, 200, "ready", 0)
    board = act(clients[CAROL], match, 200, "ready", 1)
    dice = board["dice"]
    board = ask(as_(alice), at(match, "live", "rulings"), 200, {"kind": "adjourn", "after": board["last"]})
    assert (board["phase"], board["due_at"]) == ("adjourned", None)
    act(clients[0], match, 422, "roll", board["last"])
    board = ask(as_(alice), at(match, "live", "rulings"), 200, {"kind": "resume", "after": board["last"]})
    assert (board["phase"], board["dice"]) == ("to_play", dice)


def test_a_repeated_ruling_with_its_key_is_made_once(match: Match, clients: list[APIClient], alice: User) -> None:
    rulings, key = at(match, "live", "rulings"), {"Idempotency-Key": "k1"}
    ruling = {"kind": "adjust_clock", "side": BOB, "value": 300_000}
    before = ask(clients[BOB], at(match, "live"), 200)
    first = ask(as_(alice), rulings, 200, {**ruling, "after": before["last"]}, **key)
    again = ask(as_(alice), rulings, 200, {**ruling, "after": first["last"]}, **key)
    assert again["last"] == first["last"] == before["last"] + 1
    other = ask(as_(alice), rulings, 422, {**ruling, "value": 60_000, "after": first["last"]}, **key)
    assert other["code"] == "key_reused"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("claims", {"score": [7, 5]}),
        ("claims", {"score": [5, 7]}),
        ("concede", {}),
        ("proposals", {"times": ["2030-01-01T20:00:00Z"]}),
        ("records", {"text": "; a record"}),
    ],
)
def test_reports_are_refused_while_the_match_is_played_here(
    match: Match, clients: list[APIClient], path: str, body: dict[str, Any]
) -> None:
    for side in (BOB, CAROL):
        act(clients[side], match, 200, "here", side)
    seq = Match.objects.get(pk=match.pk).seq
    refused = ask(clients[BOB], at(match, path), 409, body | {"after": seq})
    assert refused["code"] == "match_live"
    sheet = {"score": [7, 5], "i_am": None, "after": seq}
    refused = ask(by_link(match, None), at(match, "claims"), 409, sheet)
    assert refused["code"] == "match_live"


def test_a_match_that_is_not_played_here_has_no_board(match: Match, bob: User) -> None:
    ask(as_(bob), at(match, "live"), 404)
    ask(as_(bob), at(match, "live", "dice"), 404)
    assert ask(as_(bob), at(match, "live", "actions"), 409, {"kind": "ready", "after": 0})["code"] == "not_live"


def test_a_device_keeps_its_own_chain(match: Match, alice: User, bob: User, carol: User) -> None:
    ask(as_(alice), at(match, "live"), 201, {"clock": "none"})
    assert ask(as_(bob), at(match, "live", "chains"), 422, {})["code"] == "server_chains_off"
    chains = [Chain.from_secret(ChainTag(match.public_id, str(side)), bytes([side]) * 32) for side in (BOB, CAROL)]
    clients = [as_(bob), as_(carol)]
    for client, chain in zip(clients, chains, strict=True):
        ask(client, at(match, "live", "chains"), 200, {"anchor": chain.anchor.hex()})
    assert act(clients[BOB], match, 422, "ready", 0, link=chains[CAROL].link(1).hex())["code"] == "bad_link"
    for side, client in enumerate(clients):
        act(client, match, 200, "ready", side, link=chains[side].link(1).hex())
    assert due.state_of(match.live).match.phase is Phase.TO_PLAY
    rolls = ask(APIClient(), at(match, "live", "dice"), 200)["rolls"]
    assert [link["link"] for link in rolls[0]["links"]] == [chain.link(1).hex() for chain in chains]


def test_a_ping_measures_the_way_to_the_page_and_back(match: Match, clients: list[APIClient]) -> None:
    board = ask(clients[CAROL], at(match, "live"), 200)
    answer = ask(clients[CAROL], at(match, "live", "ping"), 200, {"ping": board["ping"]})
    assert 0 <= answer["lag"] < 10_000
    ask(clients[CAROL], at(match, "live", "ping"), 200, {"ping": answer["ping"], "tab": "k3", "every": 60})
    assert ask(clients[BOB], at(match, "live", "ping"), 422, {"ping": board["ping"]})["code"] == "bad_ping"
    assert ask(APIClient(), at(match, "live"), 200)["ping"] is None


@pytest.mark.usefixtures("valkey")
def test_a_ticket_stands_for_the_player_in_pings_for_five_minutes(
    match: Match, clients: list[APIClient], django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, page = at(match, "live", "ping"), APIClient()
    first = ask(clients[CAROL], url, 200, {"tab": "k3"})
    with django_assert_num_queries(0):
        answer = ask(page, url, 200, {"tab": "k3", "ping": first["ping"], "ticket": first["ticket"]})
    assert answer["ticket"] == first["ticket"], "pings do not renew it"
    assert side_presences(match.public_id, timezone.now())[CAROL].online
    bobs = ask(clients[BOB], url, 200, {})["ping"]
    assert ask(page, url, 422, {"ping": bobs, "ticket": first["ticket"]})["code"] == "bad_ping"
    other = page_ticket("k3v9w2xq7m", Page(match.pk, CAROL))
    for ticket in ("", "k3v9", first["ticket"][:-1], other):
        ask(page, url, 401, {"ticket": ticket})
    later = time.time() + LASTS.total_seconds() + 1
    monkeypatch.setattr(time, "time", lambda: later)
    ask(page, url, 401, {"ticket": first["ticket"]})
    renewed = ask(clients[CAROL], url, 200, {"ticket": first["ticket"]})["ticket"]
    ask(page, url, 200, {"ticket": renewed})


def test_an_action_shows_that_its_page_is_open(match: Match, clients: list[APIClient]) -> None:
    act(clients[CAROL], match, 200, "ready", 0)
    board = act(clients[BOB], match, 200, "ready", 1, tab="k3", every=15)
    assert [side["online"] for side in board["presence"]] == [True, None], "Carol's client does not name its page"


def test_a_side_that_acts_without_end_is_slowed_down(match: Match, clients: list[APIClient]) -> None:
    for _ in range(throttle.LIVE_ACTIONS_OF.most):
        throttle.count(throttle.LIVE_ACTIONS_OF, f"{match.public_id}:{BOB}")
    assert act(clients[BOB], match, 429, "ready", 0)["code"] == "too_many_attempts"
    act(clients[CAROL], match, 200, "ready", 0)


def test_guests_at_a_venue_share_a_rate_and_a_personal_link_has_its_own(
    match: Match, clients: list[APIClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    for scope, rate in {"anon": "1/min", "guest": "4/min", "user": "1/min"}.items():
        monkeypatch.setitem(SimpleRateThrottle.THROTTLE_RATES, scope, rate)
    for guest in (APIClient(), APIClient()):
        ask(guest, at(match, "live"), 200)
        ask(guest, at(match, "live", "chat"), 200)
    assert ask(APIClient(), at(match, "live"), 429)["code"] == "throttled"
    for path in ("live", "live/chat", "live/dice", "live"):
        ask(clients[CAROL], at(match, path), 200)
    assert ask(clients[CAROL], at(match, "live"), 429)["code"] == "throttled"
    ask(clients[BOB], at(match, "live"), 200)
    act(clients[CAROL], match, 200, "ready", 0)


def test_a_player_takes_vacation_in_correspondence(match: Match, alice: User, bob: User) -> None:
    days = {"clock": "correspondence", "days": 30, "bank_days": 30}
    ask(as_(alice), at(match, "live"), 201, days | {"server_chains": True})
    before = ask(as_(bob), at(match, "live"), 200)["clock"]["sides"]
    assert (before[BOB]["bank"], before[BOB]["vacation"]) == (30 * DAY, [])
    board = act(as_(bob), match, 200, "vacation", 0, days=10)
    start, end = (datetime.fromisoformat(moment) for moment in board["clock"]["sides"][BOB]["vacation"][0])
    assert end - start == timedelta(days=10)
    assert board["clock"]["sides"][CAROL]["vacation"] == []
    act(as_(bob), match, 200, "vacation", board["last"], days=13)
    assert act(as_(bob), match, 422, "vacation", 0)["code"] == "invalid"


def test_there_is_no_vacation_in_a_match_of_minutes(match: Match, clients: list[APIClient]) -> None:
    assert act(clients[BOB], match, 422, "vacation", 0, days=1)["code"] == "no_clock"
