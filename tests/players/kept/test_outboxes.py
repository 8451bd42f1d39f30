"""Acts arrive once and in order, whatever becomes of the requests and answers between."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Refused
from players.actors import Actor
from players.kept import outboxes
from players.kept.acts import Arrived, Outcome, Seen, SentAct
from players.kept.api import KeptActSerializer, sent_act
from players.kept.outboxes import NEW_OUTBOXES, OutboxKey, Sending, digest_of, receive, typed_time
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
    carries = carry_anybody if carried else None
    return receive(BOX, numbers, Sending(Actor.of(by), int(NOON.timestamp()) * MS, 0, carries), done, now)


def carry_anybody(whose: User, acts: Sequence[SentAct], since: datetime) -> bool:
    return True


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
    for number in (act(2), act(2, reader=str(alice.pk)), act(2, reader="987654321")):
        with pytest.raises(Refused, match="kept_of_another"):
            send(bob, number)
    with pytest.raises(Refused, match="kept_of_another"):
        send(bob, act(2, reader="987654321"), carried=True)
    assert send(bob, act(2, reader=str(alice.pk)), carried=True).user == alice
    assert list(KeptAct.objects.order_by("number").values_list("carried_by", flat=True)) == [None, bob.pk]


def test_a_refused_request_leaves_no_outbox(alice: User, bob: User) -> None:
    with pytest.raises(Refused, match="kept_gap"):
        send(alice, act(2))
    with pytest.raises(Refused, match="kept_of_another"):
        send(bob, act(1, reader=str(alice.pk)))
    assert not Outbox.objects.exists()


def test_what_is_older_than_two_days_is_stored_and_not_done(alice: User) -> None:
    old = NOON + timedelta(hours=48, minutes=59)
    send(alice, SentAct(1, "note", {}, 0, 0, NOON, content={}), now=old)
    assert outcomes() == [(1, "refused", "kept_too_old")]


def test_a_sender_begins_ten_outboxes_about_a_topic_a_day(alice: User, bob: User) -> None:
    """Those that somebody else carries count for the carrier."""
    boxes = [OutboxKey(BOX.topic, f"{number:a>22}", None) for number in range(NEW_OUTBOXES + 1)]
    for number, box in enumerate(boxes[:-1]):
        sending = Sending(Actor.of(bob), int(NOON.timestamp()) * MS, 0, carry_anybody)
        receive(box, [act(1, reader=str(alice.pk))], sending, done, NOON + timedelta(minutes=number))
    later = NOON + timedelta(hours=1)
    with pytest.raises(Refused, match="too_many_outboxes") as refused:
        send_to(boxes[-1], bob, act(1), now=later)
    assert refused.value.params == {"most": NEW_OUTBOXES, "minutes": 23 * 60, "have": 0}
    assert send_to(boxes[0], alice, act(2), now=later).have == 2, "those that are there go on"
    assert send_to(boxes[-1], alice, act(1), now=later).have == 1, "whose acts they are has begun none"
    assert send_to(OutboxKey("match:m4m4m4m4m4", "y" * 22, None), bob, act(1), now=later).have == 1, "another match"
    next_day = NOON + timedelta(hours=24, minutes=1)
    assert send_to(OutboxKey(BOX.topic, "z" * 22, None), bob, act(1), now=next_day).have == 1


def test_an_outbox_holds_500_acts_beside_those_that_were_taken_back(alice: User, monkeypatch: Any) -> None:
    monkeypatch.setattr(outboxes, "MAX_IN_OUTBOX", 3)
    send(alice, act(1), act(2, "struck"), act(3), act(4))
    with pytest.raises(Refused, match="outbox_full") as refused:
        send(alice, act(5, "undo"), act(6))
    assert refused.value.params == {"most": 3, "have": 5}
    assert send(alice, act(6, "struck"), act(7, "undo")).have == 7


def test_as_many_acts_arrive_in_a_day_as_a_sender_may_send(alice: User, bob: User) -> None:
    first, second = (OutboxKey(f"match:{letter * 10}", letter * 22, None, most=3) for letter in "ab")
    send_to(first, alice, act(1), act(2, "struck"), act(3))
    send_to(second, alice, act(1))
    scores = [act(number, "running-score") for number in range(2, 40)]
    assert send_to(second, alice, *scores).have == 39, "running scores keep no report back"
    with pytest.raises(Refused, match="too_many_kept") as refused:
        send_to(second, alice, act(40))
    assert refused.value.params == {"most": 3, "minutes": 24 * 60, "have": 39}
    assert send_to(second, alice, act(40, "struck")).have == 40, "what was taken back does not count"
    assert send_to(OutboxKey(first.topic, "c" * 22, None, most=3), bob, act(1)).have == 1
    assert send_to(second, alice, act(41), now=NOON + timedelta(days=1)).have == 41


def test_what_is_stored_of_an_act_names_nobody_and_is_read_again(alice: User) -> None:
    whole = {"fields": {"points": 4}, "fixture": "x", "pair": ["a", "b"], "seen": 3, "seen_at": 5, "by": "Alice"}
    sent = act(1, "result", label="Ann 7–4 Bea", **whole)
    send(alice, sent)
    stored = KeptAct.objects.get()
    assert (stored.label, stored.digest) == (sent.label, digest_of(sent))
    assert not {"Alice", "Ann 7–4 Bea"} & set(map(str, stored.content.values()))
    again = sent_act(stored.content)
    assert (again.number, again.action, again.fields, again.pair) == (1, "result", {"points": 4}, ("a", "b"))


def test_an_act_of_an_earlier_page_has_the_content_that_it_always_had() -> None:
    """It may have been stored by the version before, and come again."""
    sent = {"n": 1, "action": "start", "at": 5}
    first = KeptActSerializer(data=sent)
    assert first.is_valid()
    assert "saw" not in first.validated_data
    assert sent_act(first.validated_data).saw is None
    for saw in ({"length": 7, "start": [0, 0]}, {}):
        second = KeptActSerializer(data={**sent, "saw": saw})
        assert second.is_valid()
        assert sent_act(second.validated_data).saw == saw
    for wrong in ([7], "7", {"length": {"was": 7}}):
        assert not KeptActSerializer(data={**sent, "saw": wrong}).is_valid()


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
