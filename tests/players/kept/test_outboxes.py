"""Acts arrive once and in order, whatever becomes of the requests and answers between."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Refused
from players.actors import Actor
from players.kept.acts import Arrived, Outcome, Seen, SentAct
from players.kept.api import sent_act
from players.kept.outboxes import MAX_IN_OUTBOX, NEW_OUTBOXES, OutboxKey, Sending, digest_of, receive, typed_time
from players.models import KeptAct, Outbox, User

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)
BOX = OutboxKey("tournament:t4t4t4t4t4", "k7m2p9x4qbk7m2p9x4qbk7", None, "Firefox, Android")
MS = 1000


def act(number: int, action: str = "note", **content: Any) -> SentAct:
    at = int(NOON.timestamp()) * MS
    whole = {"n": number, "action": action, "at": at, **content}
    reader = content.get("reader", "")
    return SentAct(number, action, {}, at, 0, NOON - timedelta(hours=1), reader=reader, content=whole)


def send(by: User, *numbers: SentAct, carried: bool = False, now: datetime = NOON) -> Outbox:
    return receive(BOX, numbers, Sending(Actor.of(by), int(NOON.timestamp()) * MS, 0, carried), done, now)


def send_to(box: OutboxKey, by: User, *numbers: SentAct, now: datetime = NOON) -> Outbox:
    return receive(box, numbers, Sending(Actor.of(by), int(now.timestamp()) * MS), done, now)


def done(seen: Seen, by: Actor, now: datetime) -> Arrived:
    if seen.act.action == "broken":
        raise ValueError
    if seen.act.action == "refused":
        raise Refused("stale")
    return Arrived(Outcome.DONE, made=(f"floor-{seen.act.number}",))


def outcomes() -> list[tuple[int, str, str]]:
    return list(KeptAct.objects.order_by("number").values_list("number", "outcome", "code"))


def test_a_repeated_act_is_not_done_again_and_a_gap_is_refused(alice: User) -> None:
    assert send(alice, act(1), act(2)).have == 2
    assert send(alice, act(2), act(3)).have == 3
    with pytest.raises(Refused, match="kept_gap") as refused:
        send(alice, act(5))
    assert refused.value.params == {"have": 3}
    with pytest.raises(Refused, match="key_reused"):
        send(alice, act(3, "struck"))
    assert outcomes() == [(1, "done", ""), (2, "done", ""), (3, "done", "")]


def test_an_act_that_fails_or_is_refused_does_not_stop_those_after_it(
    alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    send(alice, act(1, "broken"), act(2, "refused"), act(3, "struck"), act(4))
    assert outcomes() == [
        (1, "refused", "server_error"),
        (2, "refused", "stale"),
        (3, "cancelled", ""),
        (4, "done", ""),
    ]
    assert list(KeptAct.objects.filter(is_open=True).values_list("number", flat=True)) == [1, 2, 4]
    assert "A kept act failed: broken" in caplog.text


def test_only_who_did_it_sends_it_unless_it_is_carried(alice: User, bob: User) -> None:
    send(alice, act(1))
    with pytest.raises(Refused, match="kept_of_another"):
        send(bob, act(2))
    assert send(bob, act(2), carried=True).user == alice
    assert list(KeptAct.objects.order_by("number").values_list("carried_by", flat=True)) == [None, bob.pk]


def test_acts_that_are_carried_first_are_those_of_the_account_they_name(alice: User, bob: User) -> None:
    handed_over = act(1, reader=str(alice.pk))
    with pytest.raises(Refused, match="kept_of_another"):
        send(bob, handed_over)
    assert send(bob, handed_over, carried=True).user == alice


def test_what_is_older_than_two_days_is_stored_and_not_done(alice: User) -> None:
    old = NOON + timedelta(hours=48, minutes=59)
    send(alice, SentAct(1, "note", {}, 0, 0, NOON, content={}), now=old)
    assert outcomes() == [(1, "refused", "kept_too_old")]


def test_a_reader_begins_ten_outboxes_a_day(alice: User, bob: User) -> None:
    boxes = [OutboxKey(BOX.topic, f"{number:a>22}", None) for number in range(NEW_OUTBOXES + 1)]
    for number, box in enumerate(boxes[:-1]):
        send_to(box, alice, act(1), now=NOON + timedelta(minutes=number))
    later = NOON + timedelta(hours=1)
    with pytest.raises(Refused, match="too_many_outboxes") as refused:
        send_to(boxes[-1], alice, act(1), now=later)
    assert refused.value.params["minutes"] == 23 * 60
    assert send_to(boxes[0], alice, act(2), now=later).have == 2, "those that are there go on"
    assert send_to(boxes[-1], bob, act(1), now=later).have == 1
    next_day = NOON + timedelta(hours=24, minutes=1)
    assert send_to(OutboxKey(BOX.topic, "z" * 22, None), alice, act(1), now=next_day).have == 1


def test_an_outbox_holds_500_acts(alice: User) -> None:
    send(alice, act(1))
    Outbox.objects.update(have=MAX_IN_OUTBOX)
    with pytest.raises(Refused, match="outbox_full"):
        send(alice, act(MAX_IN_OUTBOX + 1))


def test_as_many_acts_of_a_reader_arrive_in_a_day_as_the_topic_takes(alice: User, bob: User) -> None:
    first, second = (OutboxKey("match:m4m4m4m4m4", letter * 22, None, most=3) for letter in "ab")
    send_to(first, alice, act(1), act(2, "struck"), act(3))
    send_to(second, alice, act(1))
    with pytest.raises(Refused, match="too_many_kept"):
        send_to(second, alice, act(2))
    assert send_to(second, alice, act(2, "struck")).have == 2, "what was taken back does not count"
    assert send_to(OutboxKey(first.topic, "c" * 22, None, most=3), bob, act(1)).have == 1
    assert send_to(second, alice, act(3), now=NOON + timedelta(days=1)).have == 3


def test_what_is_stored_of_an_act_names_nobody_and_is_read_again(alice: User) -> None:
    whole = {"fields": {"points": 4}, "fixture": "x", "pair": ["a", "b"], "seen": 3, "seen_at": 5, "by": "Alice"}
    sent = act(1, "result", label="Ann 7–4 Bea", **whole)
    send(alice, sent)
    stored = KeptAct.objects.get()
    assert (stored.label, stored.digest) == (sent.label, digest_of(sent))
    assert not {"Alice", "Ann 7–4 Bea"} & set(map(str, stored.content.values()))
    again = sent_act(stored.content)
    assert (again.number, again.action, again.fields, again.pair) == (1, "result", {"points": 4}, ("a", "b"))


def test_nothing_was_typed_later_than_it_arrived() -> None:
    ahead = SentAct(1, "note", {}, 0, 0, NOON + timedelta(hours=1))
    assert typed_time(ahead, 0, NOON) == NOON


def test_the_time_of_each_case(shared_data: Path) -> None:
    file = shared_data / "offline" / "time.json"
    if not file.exists():
        pytest.skip("the cases are not here")
    cases = json.loads(file.read_text())["cases"]
    assert cases
    for case in cases:
        sent = SentAct(1, "note", {}, case["device_at_ms"], 0, _time(case["seen_at_ms"]))
        typed = typed_time(sent, case["device_now_ms"], _time(case["received_ms"]))
        expected = case["typed_at_ms"]
        assert typed == (None if expected is None else _time(expected)), case["name"]


def _time(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / MS, UTC)
