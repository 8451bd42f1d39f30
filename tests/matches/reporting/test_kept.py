"""What Bob and Carol did without a connection arrives later, and counts from its arrival."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.test import Client

from matches.access import MatchSeat
from matches.lifecycle import links
from matches.lifecycle.finish import Basis, ResultInput, append_result, standing_result
from matches.lifecycle.opening import set_lengths
from matches.lifecycle.provisional import provisional_of
from matches.models import Claim, Match, Result
from matches.reporting import objections, reports
from matches.reporting.outboxes import arrive
from players.actors import SYSTEM, Actor
from players.kept import outboxes
from players.kept.acts import SentAct
from players.kept.outboxes import OutboxKey, Sending, receive
from players.models import KeptAct, Outbox, User
from players.models.people import MAX_PAIR_NAME_LENGTH
from players.people.services import merge_players
from tests.matches.cast import BOB, CAROL, minutes, player_of
from tests.pages import html

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
KEY = "k7m2p9x4qbk7m2p9x4qbk7"
BOB_WON = {"winner": 0, "points": 4}
SEEN_AT = 5
"""Minutes after which the page was made on which something was done without a connection."""


def send(
    match: Match, side: int | None, *acts: tuple[str, dict[str, Any]], seen: int, at: float = 30, pair: Any = None
) -> list[str]:
    """Acts of one outbox arrive; return the outcome of each with its code."""
    seat = MatchSeat(Match.objects.get(pk=match.pk), side, Actor(Actor.link(0).kind, side=side))
    box = OutboxKey(match.topic, KEY, match.club)
    number = Outbox.objects.filter(key=KEY).values_list("have", flat=True).first() or 0
    sent = [
        SentAct(
            number=number + offset,
            action=action,
            fields=fields,
            at=ms(minutes(14)),
            seen=seen,
            seen_at=minutes(SEEN_AT),
            pair=pair or tuple(player.public_id for player in match.players),
            content={"n": number + offset, "action": action},
        )
        for offset, (action, fields) in enumerate(acts, start=1)
    ]
    receive(box, sent, Sending(seat.by, ms(minutes(at))), partial(arrive, seat), minutes(at))
    rows = KeptAct.objects.filter(outbox__key=KEY, number__gt=number).order_by("number")
    return [" ".join(filter(None, (row.outcome, row.code))) for row in rows]


def ms(time: datetime) -> int:
    return int(time.timestamp() * 1000)


def report(match: Match, side: int, score: tuple[int, int], at: float) -> Claim:
    stated = reports.ScoreReport(0 if score[0] > score[1] else 1, score)
    return reports.report_score(match=match, side=side, report=stated, by=Actor.link(side), now=minutes(at)).report


def rule(match: Match, winner: int, at: float) -> None:
    outcome = ResultInput(winner, (7, 4) if winner == BOB else (4, 7))
    append_result(match, outcome, Basis(Result.Source.DIRECTOR), by=SYSTEM, now=minutes(at))


def settled_unanswered(match: Match) -> int:
    """Bob's report stands at 31 although Carol has said nothing; return the version that she saw between."""
    report(match, BOB, (7, 4), 1)
    match.refresh_from_db()
    seen = match.seq
    reports.accept_report(match, Claim.objects.get(), by=SYSTEM, now=minutes(31), unanswered=True)
    return seen


# The cases, by their names in the reference data.


def nothing_has_changed(match: Match) -> None:
    assert send(match, BOB, ("claim", BOB_WON), seen=match.seq) == ["done"]
    claim = Claim.objects.get()
    assert (claim.created_at, claim.state, claim.seen_at, claim.stands_at) == (minutes(30), "open", None, None)


def the_other_reported_meanwhile(match: Match) -> None:
    seen = match.seq
    report(match, CAROL, (4, 7), 6)
    assert send(match, BOB, ("claim", BOB_WON), seen=seen) == ["differs report_kept"]
    late = Claim.objects.get(state=Claim.State.LATE)
    assert (late.side, late.score, late.created_at) == (BOB, (7, 4), minutes(30))
    match.refresh_from_db()
    assert match.state == Match.State.CLAIMED, "no dispute"


def staff_entered_the_same(match: Match) -> None:
    seen = match.seq
    rule(match, BOB, 6)
    assert send(match, BOB, ("claim", BOB_WON), seen=seen) == ["differs report_kept"]
    assert Claim.objects.get().state == Claim.State.LATE
    assert match.results.count() == 1


def confirmed_too_late(match: Match) -> None:
    seen = settled_unanswered(match)
    assert send(match, CAROL, ("confirm", {}), seen=seen, at=40) == ["already"]
    match.refresh_from_db()
    row = provisional_of(match)
    assert row is not None
    assert row.told == (None, minutes(40))


def contested_too_late(match: Match) -> None:
    seen = settled_unanswered(match)
    assert send(match, CAROL, ("contest", {"note": "No."}), seen=seen, at=40) == ["differs answered_late"]
    act, result = KeptAct.objects.get(), standing_result(match)
    assert result is not None
    assert (act.is_open, act.typed_at, act.params["stood_at"]) == (True, minutes(14), result.at.isoformat())
    match.refresh_from_db()
    assert (match.state, match.results.count()) == (Match.State.SETTLED, 1)
    objections.object_to_result(match=match, side=CAROL, reason="No.", by=Actor.link(CAROL), now=minutes(41))


def seen_late(match: Match) -> None:
    report(match, BOB, (7, 4), 1)
    match.refresh_from_db()
    assert send(match, CAROL, ("seen", {}), seen=match.seq, at=40) == ["done"]
    claim = Claim.objects.get()
    assert (claim.seen_at, claim.stands_at) == (minutes(40), minutes(50))


def the_link_was_revoked(match: Match) -> None:
    token = links.token_for(match, BOB)
    Match.objects.update(link_generation_0=1)
    assert post(match, token, act(1, match)).status_code == 404
    assert not Outbox.objects.exists()


CASES: dict[str, tuple[str, Callable[[Match], None]]] = {
    "report of the winner, nothing has changed": ("done", nothing_has_changed),
    "the other player reported meanwhile": ("differs report_kept", the_other_reported_meanwhile),
    "staff entered the same result meanwhile": ("differs report_kept", staff_entered_the_same),
    "confirmation that nobody needs any more": ("already", confirmed_too_late),
    "objection in time by the device, late by arrival": ("differs answered_late", contested_too_late),
    "I have seen it": ("done", seen_late),
    "the link was revoked": ("not stored", the_link_was_revoked),
}
ELSEWHERE = {"own running score, then own report": "done, done"}
"""In `tests/tournaments/floor/test_kept_scores.py`, since it needs a table."""


@pytest.mark.parametrize("name", CASES)
def test_each_case(match: Match, name: str) -> None:
    CASES[name][1](match)


def test_the_cases_are_those_of_the_reference_data(shared_data: Path) -> None:
    file = shared_data / "offline" / "players.json"
    if not file.exists():
        pytest.skip("the cases are not here")
    expected = {case["name"]: case["expect"] for case in json.loads(file.read_text())["cases"]}
    assert expected == {name: expect for name, (expect, _case) in CASES.items()} | ELSEWHERE


# Who it is about, and what the answers are about.


@pytest.mark.parametrize("pair", [("4444444444", "5555555555"), (), ("4444444444",)])
def test_an_act_about_other_players_changes_nothing(match: Match, pair: tuple[str, ...]) -> None:
    acts: list[tuple[str, dict[str, Any]]] = [(action, {}) for action in ("confirm", "contest", "seen")]
    outcomes = send(match, BOB, ("claim", BOB_WON), *acts, seen=match.seq, pair=pair or ("",))
    assert outcomes == ["differs other_players"] * 4
    swapped = tuple(player.public_id for player in reversed(match.players))
    assert send(match, BOB, ("claim", BOB_WON), seen=match.seq, pair=swapped) == ["differs other_players"]
    assert not Claim.objects.exists()


def test_a_player_who_was_merged_since_is_the_same(match: Match, dave: User, alice: User) -> None:
    pair = tuple(player.public_id for player in match.players)
    match.player_0.user = None
    match.player_0.save()
    merge_players(player=match.player_0, into=player_of(dave), by=Actor.of(alice), now=minutes(6))
    match.refresh_from_db()
    assert send(match, BOB, ("claim", BOB_WON), seen=match.seq, pair=pair) == ["done"]


def test_an_answer_is_about_the_report_that_was_seen_and_no_other(match: Match) -> None:
    first = report(match, BOB, (7, 4), 1)
    match.refresh_from_db()
    seen = match.seq
    reports.withdraw_report(match=match, side=BOB, by=Actor.link(BOB), now=minutes(6))
    report(match, BOB, (7, 0), 7)
    acts: list[tuple[str, dict[str, Any]]] = [(action, {}) for action in ("seen", "confirm", "contest")]
    assert send(match, CAROL, *acts, seen=seen) == ["differs answered_late"] * 3
    first.refresh_from_db()
    match.refresh_from_db()
    assert (first.state, match.state) == (Claim.State.WITHDRAWN, Match.State.CLAIMED)


def test_two_answers_from_one_page_both_count(match: Match) -> None:
    report(match, BOB, (7, 4), 1)
    match.refresh_from_db()
    assert send(match, CAROL, ("seen", {}), ("seen", {}), ("confirm", {}), seen=match.seq) == [
        "done",
        "already",
        "done",
    ]
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    assert send(match, CAROL, ("confirm", {}), seen=2) == ["already"]


@pytest.mark.parametrize("saw", [{"saw": {"length": 7, "start": [0, 0]}}, {}], ids=["saw", "an earlier page"])
def test_a_report_of_a_match_to_seven_is_none_of_the_same_match_to_five(match: Match, saw: dict[str, Any]) -> None:
    sent = act(1, match, reader="link-0", seen_at=ms(minutes(5)), **saw)
    with time_machine.travel(minutes(6)):
        set_lengths([match], length=5, by=SYSTEM)
    answer = post(match, links.token_for(match, BOB), sent, act(2, match, reader="link-0", saw={"length": 5})).json()
    text = "The match was to 7 points when this was typed; now it is to 5."
    assert answer["outcomes"][0] == {"n": 1, "outcome": "differs", "code": "length_since", "text": text}
    assert (answer["outcomes"][1]["outcome"], Claim.objects.get().score) == ("done", (5, 4))


def test_a_page_says_what_its_acts_are_based_on(match: Match) -> None:
    Match.objects.update(start_0=2)
    page = html(Client().get(f"/m/{links.token_for(match, BOB)}/"))
    assert 'data-saw="{&quot;length&quot;: 7, &quot;start&quot;: [2, 0]}"' in page


def test_a_provisional_result_that_was_seen_is_confirmed(match: Match) -> None:
    append_result(
        match, ResultInput(BOB, kind=Result.Kind.FORFEIT), Basis(Result.Source.DEADLINE), by=SYSTEM, now=minutes(1)
    )
    match.refresh_from_db()
    assert send(match, CAROL, ("seen", {}), ("confirm", {}), seen=match.seq, at=40) == ["done", "done"]
    match.refresh_from_db()
    assert not match.provisional


def test_a_contest_in_time_makes_a_dispute_once(match: Match) -> None:
    report(match, BOB, (7, 4), 1)
    match.refresh_from_db()
    note = {"note": "We are still playing."}
    assert send(match, CAROL, ("contest", note), ("contest", note), seen=match.seq) == ["done", "already"]
    match.refresh_from_db()
    assert match.state == Match.State.DISPUTED


def test_a_report_with_the_key_of_its_page_is_the_one_that_arrived(match: Match) -> None:
    stated = reports.ScoreReport(BOB, (7, 4))
    seen = match.seq
    reports.report_score(match=match, side=BOB, report=stated, by=Actor.link(BOB), now=minutes(6), key="page")
    assert send(match, BOB, ("claim", {**BOB_WON, "key": "page"}), seen=seen) == ["already"]
    assert Claim.objects.count() == 1


@pytest.mark.parametrize(
    ("action", "fields", "code"),
    [
        ("concede", {}, "not_kept"),
        ("withdraw", {}, "not_kept"),
        ("undo", {"of": 1}, "not_kept"),
        ("claim", {"winner": 2, "points": 4}, "kept_unclear"),
        ("claim", {"winner": 0, "points": [4]}, "kept_unclear"),
        ("claim", {**BOB_WON, "bonus": 1}, "kept_unclear"),
        ("claim", {"winner": 0, "points": 7}, "result_not_reached"),
        ("running-score", {"score_0": 1, "score_1": 0}, "no_running_scores"),
    ],
)
def test_what_cannot_be_done_is_refused_and_stays_open(
    match: Match, action: str, fields: dict[str, Any], code: str
) -> None:
    [outcome] = send(match, BOB, (action, fields), seen=match.seq)
    assert outcome.startswith("refused")
    assert outcome == f"refused {code}" or code == "result_not_reached"
    assert KeptAct.objects.get().is_open
    assert not Claim.objects.exists()


def test_the_sheet_reports_with_who_it_is_and_nothing_else(match: Match) -> None:
    acts: list[tuple[str, dict[str, Any]]] = [("claim", {**BOB_WON, "i_am": "1"}), ("confirm", {}), ("claim", BOB_WON)]
    assert send(match, None, *acts, seen=match.seq) == ["done", "refused not_kept", "refused kept_unclear"]
    assert Claim.objects.get().says_side == CAROL


# The endpoint.


def act(number: int, match: Match, **more: Any) -> dict[str, Any]:
    pair = [player.public_id for player in match.players]
    sent = {"n": number, "action": "claim", "pair": pair, "fields": BOB_WON, "seen": match.seq, "at": 1795559400000}
    return {**sent, "seen_at": 1795559340000, "label": "Bob 7–4 Carol", **more}


def post(match: Match, who: str | User, *acts: dict[str, Any], **more: Any) -> Any:
    client, headers = Client(), {"User-Agent": "Mozilla/5.0 (Android 14; Mobile; rv:128.0) Firefox/128.0"}
    if isinstance(who, User):
        client.force_login(who)
    elif who:
        headers["Match-Link"] = who
    sent = {"outbox": KEY, "now": 1795560000000, "acts": acts, **more}
    url = f"/api/v1/matches/{match.public_id}/kept/"
    return client.post(url, sent, content_type="application/json", headers=headers)


def test_a_repeated_act_has_its_first_outcome(match: Match) -> None:
    token = links.token_for(match, BOB)
    reader = {"reader": "link-0"}
    acts = [act(1, match, **reader), act(2, match, action="struck"), act(3, match, action="concede")]
    outcomes = [
        {"n": 1, "outcome": "done", "code": "", "text": ""},
        {"n": 2, "outcome": "cancelled", "code": "", "text": ""},
        {
            "n": 3,
            "outcome": "refused",
            "code": "not_kept",
            "text": "This cannot be done without a connection. Enter it by hand.",
        },
    ]
    for _ in range(2):
        answer = post(match, token, *acts, left=2)
        assert (answer.status_code, answer.json()) == (200, {"have": 3, "outcomes": outcomes})
    assert post(match, token, acts[0]).json() == {"have": 3, "outcomes": outcomes[:1]}
    box = Outbox.objects.get()
    assert (box.device, box.by, box.side, box.left, box.club) == ("Firefox · Android", "link", 0, 0, match.club)
    headers = {"Match-Link": token}
    shown = Client().get(f"/api/v1/matches/{match.public_id}/kept/?outbox={KEY}", headers=headers).json()
    assert (shown["have"], shown["open"], shown["me"]) == (3, outcomes[2:], {"reader": "link-0", "name": "Bob"})
    assert shown["seen"] == Match.objects.get().seq
    assert Claim.objects.count() == 1


def test_who_may_send_and_read(match: Match, bob: User, carol: User, dave: User, alice: User) -> None:
    url = f"/api/v1/matches/{match.public_id}/kept/"
    stranger = links.token_for(match, BOB)[:-1] + "~"
    for who, status in (("", 401), (stranger, 404), (dave, 404), (alice, 404)):
        assert post(match, who, act(1, match)).status_code == status, who
    assert Client().get(url).status_code == 401
    assert post(match, bob, act(1, match, reader=str(bob.pk))).status_code == 200
    for carried in (False, True):
        answer = post(match, carol, act(2, match), carried=carried)
        assert (answer.status_code, answer.json()["code"]) == (403, "kept_of_another")
    hers = Client()
    hers.force_login(carol)
    assert hers.get(f"{url}?outbox={KEY}").status_code == 403
    assert hers.get(url).json()["have"] == 0


def test_a_session_needs_its_token_which_the_answer_has(match: Match, bob: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(bob)
    url = f"/api/v1/matches/{match.public_id}/kept/"
    sent = json.dumps({"outbox": KEY, "now": 1795560000000, "acts": [act(1, match)]})
    assert browser.post(url, sent, content_type="application/json").status_code == 403
    token = browser.get(url).json()["csrf"]
    headers = {"X-CSRFToken": token}
    assert browser.post(url, sent, content_type="application/json", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("acts", "more", "status", "code"),
    [
        ([{"n": 2}], {}, 409, "kept_gap"),
        ([{"n": 1, "bonus": 1}], {}, 422, "unknown_field"),
        ([{"n": 1}], {"bonus": 1}, 422, "unknown_field"),
        ([{"n": 1}], {"outbox": "short"}, 422, "invalid"),
        ([{"n": number} for number in range(1, 22)], {}, 422, "invalid"),
        ([{"n": 1, "fields": [1]}], {}, 422, "invalid"),
        ([{"n": 1, "fields": {"note": {"deep": 1}}}], {}, 422, "invalid"),
        ([{"n": 1, "fields": {"note": "\0"}}], {}, 422, "invalid"),
        ([{"n": 1, "fields": {"note": "x" * 301}}], {}, 422, "invalid"),
        ([{"n": 1, "fields": {"points": 2**53}}], {}, 422, "invalid"),
        ([{"n": 1, "fields": {str(number): 1 for number in range(11)}}], {}, 422, "invalid"),
        ([{"n": 1, "seen_at": 2**53}], {}, 422, "invalid"),
        ([{"n": 1, "label": "x" * 121}], {}, 422, "invalid"),
        ([{"n": 1, "label": " " * 33000}], {}, 413, "kept_too_large"),
    ],
)
def test_what_is_no_request_is_refused_whole(
    match: Match, acts: list[dict[str, Any]], more: dict[str, Any], status: int, code: str
) -> None:
    answer = post(match, links.token_for(match, BOB), *(act(each["n"], match) | each for each in acts), **more)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not KeptAct.objects.exists()


def test_a_report_arrives_behind_any_number_of_running_scores(match: Match) -> None:
    token = links.token_for(match, BOB)
    for first in range(1, 61, 20):
        scores = [
            act(n, match, action="running-score", fields={"score_0": 1, "score_1": 2}) for n in range(first, first + 20)
        ]
        assert post(match, token, *scores).json()["have"] == first + 19
    assert post(match, token, act(61, match)).json()["outcomes"][0]["outcome"] == "done"


def test_a_pair_with_the_longest_name_keeps_as_well(match: Match) -> None:
    answer = post(match, links.token_for(match, BOB), act(1, match) | {"by": "x" * MAX_PAIR_NAME_LENGTH})
    assert answer.status_code == 200


def test_the_minutes_until_more_is_taken_are_said(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outboxes, "NEW_OUTBOXES", 1)
    token = links.token_for(match, BOB)
    assert post(match, token, act(1, match)).status_code == 200
    answer = post(match, token, act(1, match), outbox="b" * 22)
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_outboxes")
    assert timedelta(hours=23).total_seconds() < int(answer.headers["Retry-After"]) <= 86400
    hers = links.token_for(match, CAROL)
    assert post(match, hers, act(1, match), outbox="c" * 22).status_code == 200
