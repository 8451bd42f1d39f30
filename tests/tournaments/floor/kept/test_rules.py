"""What the reference cases of kept acts do not say: undo, roles, who carries, what players hear of, and the data."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Match
from players.actors import Actor
from players.clubs.services import remove_member, set_role
from players.kept.outboxes import text_of
from players.models import KeptAct, LogEntry, Membership, Notification, Player, User
from tests.event_cast import NOON, join
from tests.tournaments.floor.kept.hall import ARRIVAL, KEY, FinalHall, epoch, hall
from tests.tournaments.support.played_stages import drawn_as, ready
from tournaments.entries import check_in
from tournaments.entries.check_in import attendees
from tournaments.entries.services import enter
from tournaments.entries.substitutions import SubstituteInput, substitute
from tournaments.events.services import create_division, create_tournament
from tournaments.floor import calls, evening, selectors
from tournaments.floor.kept.needs import kept_needs
from tournaments.floor.kept.times import untimed_matches
from tournaments.floor.page.forecast import evening_forecast
from tournaments.floor.undo import last_act, undo
from tournaments.models import TYPED_AT, Division, Entry, FloorEvent, Helper
from tournaments.results.services import enter_result
from tournaments.state.integrity import differences

__all__ = ["hall"]
MakePlayers = Callable[[int], list[Player]]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

SEEN = 500_000
MAX_QUERIES = 28


def act(number: int, action: str, name: str = "m1", pair: str = "ann bea", **fields: Any) -> dict[str, Any]:
    about = {"fixture": name, "pair": pair.split()} if action in ("start", "move", "score", "result") else {}
    return {"n": number, "action": action, "fields": fields, "at": 600_000, "seen": 0, "seen_at": SEEN, **about}


def arrived(hall: FinalHall, *acts: dict[str, Any], **more: Any) -> list[str]:
    return hall.arrive(*map(hall.sent, acts), **more)


@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize("pair", ["ann bea", "bea ann", "ann dan"])
def test_a_result_is_done_only_if_nothing_says_otherwise(hall: FinalHall, winner: int, pair: str) -> None:
    """Typed is that this side has won 7–4; what others have done meanwhile, and what becomes of it."""
    other = 1 - winner
    low, high = [0, 0], [0, 0]
    low[other], high[other] = 4, 5
    meanwhile: list[tuple[list[Any], str]] = [
        (["start", "m1"], "done"),
        (["result", "m1", winner, 4], "already"),
        (["result", "m1", winner, 5], "differs other_result"),
        (["result", "m1", other, 4], "differs other_result"),
        (["report", "m1", winner, 4], "done"),
        (["report", "m1", winner, 5], "differs other_report"),
        (["report", "m1", other, 4], "differs other_report"),
        (["score", "m1", low], "done"),
        (["score", "m1", high], "differs score_since"),
    ]
    for what, expected in meanwhile:
        point = transaction.savepoint()
        hall.other(550_000, what)
        before = hall.stands("m1", None)
        outcomes = arrived(hall, act(1, "result", pair=pair, winner=winner, points=4))
        assert outcomes == [expected if pair == "ann bea" else "differs other_players"], what
        changed = hall.stands("m1", None) != before
        assert changed == (outcomes == ["done"]), what
        transaction.savepoint_rollback(point)


TO_SEVEN = {"length": 7, "start": [0, 0]}
SINCE_SHORTER = "differs length_since"


@pytest.mark.parametrize("saw", [{"saw": TO_SEVEN}, {}], ids=["saw", "an earlier page"])
def test_a_match_to_fewer_points_than_it_was_is_asked_about(hall: FinalHall, saw: dict[str, Any]) -> None:
    acts = [
        act(1, "start") | saw, act(2, "score", score=[4, 3]) | saw, act(3, "result", winner=0, points=4) | saw,
        act(4, "result", winner=0, points=6) | saw,
    ]  # fmt: skip
    by, now = Actor.of(hall.bob), hall.moment(550_000)
    with time_machine.travel(now):
        shortened = evening.shorten(fixture=hall.fixture("m1"), length=5, by=by, now=now)
    assert arrived(hall, *acts) == [SINCE_SHORTER] * 4
    assert (hall.stands("m1", None), hall.match("m1").begun_at) == (None, None)
    assert text_of(KeptAct.objects.get(number=3)) == ("The match was to 7 points when this was typed; now it is to 5.")
    needs, _boxes = kept_needs(hall.event, hall.moment(ARRIVAL))
    assert [need.text for need in needs][2:] == ["Player 1 7–4", "Player 1 7–6"] or not saw
    with time_machine.travel(now):
        evening.undo_length(fixture=hall.fixture("m1"), event=shortened, by=by, now=now)
    more = [act(5, "start") | saw, act(6, "score", score=[4, 3]) | saw, act(7, "result", winner=0, points=4) | saw]
    assert arrived(hall, *more)[4:] == ["done"] * 3
    assert hall.stands("m1", None) == "ann 7-4"


def test_a_result_to_seven_is_not_the_one_to_five_that_another_desk_has_entered(hall: FinalHall) -> None:
    by, now = Actor.of(hall.bob), hall.moment(550_000)
    evening.shorten(fixture=hall.fixture("m1"), length=5, by=by, now=now)
    enter_result(fixture=hall.fixture("m1"), result=ResultInput.played((5, 4)), by=by, now=now)
    assert arrived(
        hall, act(1, "result", winner=0, points=4) | {"saw": TO_SEVEN},
        act(2, "result", winner=0, points=4) | {"saw": {"length": 5}},
        act(3, "start") | {"saw": TO_SEVEN},
    ) == ["differs other_result", "already", "overtaken match_finished"]  # fmt: skip


@pytest.mark.parametrize("saw", [{"saw": TO_SEVEN}, {}], ids=["saw", "an earlier page"])
def test_a_match_that_begins_at_another_score_is_asked_about(hall: FinalHall, saw: dict[str, Any]) -> None:
    Match.objects.update(rated=False)
    by, now = Actor.of(hall.bob), hall.moment(550_000)
    evening.set_start_score(fixture=hall.fixture("m1"), score=(2, 0), reason="Agreed", by=by, now=now)
    assert (
        arrived(hall, act(1, "start") | saw, act(2, "result", winner=1, points=4) | saw) == ["differs start_since"] * 2
    )
    assert text_of(KeptAct.objects.get(number=2)) == "The match began at 0–0 when this was typed; now it begins at 2–0."


def test_a_match_whose_table_was_taken_back_has_none_to_start_at(hall: FinalHall) -> None:
    by, now = Actor.of(hall.bob), hall.moment(400_000)
    calls.call(fixture=hall.fixture("m1"), table=hall.table(1), by=by, now=now)
    calls.call(fixture=hall.fixture("m2"), table=hall.table(2), by=by, now=now)
    hall.facts.append(hall.newest)
    undone = last_act(hall.event, by)
    assert undone is not None
    undo(tournament=hall.event, act=undone, by=by, now=hall.moment(550_000))
    calls.undo_call(fixture=hall.fixture("m1"), by=by, now=hall.moment(550_000))
    acts = [act(1, "start"), act(2, "score", score=[1, 0]), act(3, "start", "m2", "cem dan")]
    assert arrived(hall, *(each | {"seen": 1} for each in acts)) == ["differs freed_since"] * 3
    assert arrived(hall, act(4, "move", table=3) | {"seen": 1})[3:] == ["differs moved_since"]


def test_a_table_that_was_taken_out_of_use_is_asked_about(hall: FinalHall) -> None:
    by, now = Actor.of(hall.bob), hall.moment(550_000)
    calls.take_out_of_use(table=hall.table(3), reason="lamp", by=by, now=now)
    assert arrived(hall, act(1, "move", table=3)) == ["differs table_out_of_use"]
    hall.facts.append(hall.newest)
    assert arrived(hall, act(2, "move", table=3) | {"seen": 1, "seen_at": 560_000})[1:] == ["done"], "as it was seen"


def test_a_table_that_another_event_has_is_asked_about(hall: FinalHall, make_players: MakePlayers) -> None:
    acts: dict[str, Any] = {"by": Actor.of(hall.bob), "now": hall.moment(550_000)}
    event = create_tournament(club=hall.event.club, name="Doubles", starts_at=acts["now"], tables=3, **acts)
    division = create_division(tournament=event, name="Open", match_length=3, **acts)
    drawn_as(division, [StageSettings("knockout")], make_players(2), acts["by"])
    evening.open_floor(tournament=event, **acts)
    calls.call(fixture=ready(division)[0], table=event.floor_tables.get(label="3"), **acts)
    assert arrived(hall, act(1, "move", table=3)) == ["differs table_elsewhere"]
    need = text_of(KeptAct.objects.get(number=1))
    assert need.startswith("Table 3 is taken by Doubles: M1.")


def test_an_undo_that_leads_back_to_a_table_out_of_use_changes_nothing(hall: FinalHall) -> None:
    by = Actor.of(hall.bob)
    calls.call(fixture=hall.fixture("m1"), table=hall.table(1), by=by, now=hall.moment(400_000))
    hall.facts.append(hall.newest)
    assert arrived(hall, act(1, "move", table=3) | {"seen": 1}) == ["done"]
    hall.facts.append(hall.newest)
    calls.take_out_of_use(table=hall.table(1), reason="lamp", by=by, now=hall.moment(ARRIVAL + 1000))
    hall.facts.append(hall.newest)
    sent = {"seen": 2, "seen_at": ARRIVAL}
    assert arrived(hall, act(2, "undo", of=1) | sent, at=ARRIVAL + 2000)[1:] == ["differs table_out_of_use"]
    row = selectors.floor(hall.event, hall.moment(ARRIVAL + 3000)).matches[hall.fixture("m1").pk]
    assert row.where.table == "3"
    sent = {"seen": 3, "seen_at": ARRIVAL + 1500}
    assert arrived(hall, act(3, "undo", of=1) | sent, at=ARRIVAL + 4000)[2:] == ["done"], (
        "who takes it back has seen it"
    )


def test_a_move_tells_nobody_and_facts_say_when_they_were_typed(hall: FinalHall) -> None:
    hall.event.refresh_from_db()
    player = join(hall.event.club, hall.bob)
    match = hall.match("m1")
    match.player_0 = player
    match.save()
    assert arrived(hall, act(1, "move", table=3), act(2, "start"), act(3, "score", score=[1, 2])) == ["done"] * 3
    assert not Notification.objects.exists()
    typed = FloorEvent.objects.filter(params__has_key=TYPED_AT).values_list("kind", f"params__{TYPED_AT}")
    assert dict(typed) == dict.fromkeys(("moved", "started", "running_score"), hall.moment(600_000).isoformat())
    calls.move(fixture=hall.fixture("m1"), table=hall.table(2), by=Actor.of(hall.alice), now=hall.moment(ARRIVAL))
    assert Notification.objects.filter(user=hall.bob).exists(), "online, the player is told"


def test_a_result_settles_at_once_and_what_is_undone_is_as_if_it_had_not_been(hall: FinalHall) -> None:
    acts = [act(1, "result", winner=0, points=4), act(2, "result", "m2", "cem dan", winner=1, points=6)]
    final = act(3, "result", "m3", "ann dan", winner=1, points=2)
    assert arrived(hall, *acts, final, act(4, "undo", of=3), act(5, "undo", of=1)) == ["done"] * 5
    assert hall.stands("m3", [None, "dan"]) == [None, "dan"]
    assert arrived(hall, act(6, "undo", of=1), act(7, "undo", of=9), act(8, "undo", of=8))[5:] == [
        "done", "refused no_such_act", "refused no_such_act",
    ]  # fmt: skip
    assert list(differences()) == []


def test_an_undo_on_which_others_have_built_differs(hall: FinalHall) -> None:
    arrived(
        hall, act(1, "start"), act(2, "result", "m2", "cem dan", winner=0, points=1), act(3, "here", players=["ann"])
    )
    hall.other(ARRIVAL + 1000, ["score", "m1", [1, 0]])
    hall.other(ARRIVAL + 1000, ["check_in", "ann", "missing"])
    hall.other(ARRIVAL + 1000, ["result", "m1", 0, 3])
    hall.other(ARRIVAL + 1000, ["start", "m3"])
    later = [act(4, "undo", of=1), act(5, "undo", of=2), act(6, "undo", of=3)]
    assert arrived(hall, *later, at=ARRIVAL + 2000)[3:] == [
        "differs floor_built_on", "differs undo_built_on", "differs check_in_changed",
    ]  # fmt: skip
    assert KeptAct.objects.filter(is_open=True).count() == 3


def test_an_undo_is_for_acts_of_the_same_outbox_and_closes_what_waits(hall: FinalHall) -> None:
    arrived(hall, act(1, "note", text="Ann paid 20"), act(2, "result", pair="bea ann", winner=0, points=4))
    assert KeptAct.objects.filter(is_open=True).count() == 2
    assert arrived(hall, act(1, "undo", of=1), key=KEY[::-1]) == ["refused no_such_act"]
    assert arrived(hall, act(3, "undo", of=1), act(4, "undo", of=2))[2:] == ["done", "cancelled"]
    closed = KeptAct.objects.filter(outbox__key=KEY, number__lte=2).values_list("is_open", "decision", "decided_by")
    assert set(closed) == {(False, "undone", hall.alice.pk)}


def test_a_substitute_who_was_not_seen_is_another_player(hall: FinalHall) -> None:
    entry = hall.slot(1, 0)
    after = Division.objects.get(pk=hall.division.pk).seq
    substitute(
        entry=entry, substitute=SubstituteInput("Zoe"), after=after, by=Actor.of(hall.alice), now=hall.moment(SEEN + 1)
    )
    assert arrived(hall, act(1, "result", winner=0, points=4)) == ["differs other_players"]
    seen = {**act(2, "result", winner=0, points=4), "seen_at": SEEN + 2}
    assert arrived(hall, seen) == ["differs other_players", "done"]


def test_what_was_kept_about_one_of_a_pair_says_nothing_of_the_other(hall: FinalHall, by_alice: Actor) -> None:
    ann, (eva, fay) = hall.entries["ann"].player, (Player.objects.create(name=name) for name in ("Eva", "Fay"))
    doubles = create_division(tournament=hall.event, by=by_alice, now=NOON, name="Doubles")
    Division.objects.filter(pk=doubles.pk).update(sides=Division.Sides.TWO)
    doubles.refresh_from_db()
    enter(division=doubles, players=[(ann, eva)], by=by_alice, now=NOON)
    pair = doubles.entries.select_related("player").get()
    # The hall names players by their entries.
    hall.entries |= {"eva": Entry(player=eva), "fay": Entry(player=fay)}

    def states() -> list[str]:
        return [str(who.state) for who in attendees(hall.event, [pair], hall.moment(ARRIVAL))]

    assert arrived(hall, act(1, "here", players=["eva"])) == ["done"]
    assert states() == ["missing", "here"]
    away = {**act(2, "away", players=["ann"], minutes=90), "at": ARRIVAL - 60_000}
    assert arrived(hall, away)[1:] == ["done"]
    assert states() == ["away", "here"]
    assert Entry.objects.get(pk=hall.entries["ann"].pk).away_until is not None, "of the person, in the main as well"
    again = {**act(3, "here", players=["eva"]), "seen": 0}
    assert arrived(hall, again)[2:] == ["already"]
    check_in.mark(entry=pair, person=eva, state="missing", by=by_alice, now=hall.moment(SEEN + 1))
    hall.facts.append(hall.newest)
    assert arrived(hall, act(4, "here", players=["eva"]))[3:] == ["overtaken presence_since"]
    assert arrived(hall, act(5, "here", players=["fay"]))[4:] == ["refused one_player"]


def test_a_fact_is_unseen_by_its_number_even_at_the_instant_of_the_page(hall: FinalHall) -> None:
    hall.other(SEEN, ["score", "m1", [4, 2]])
    assert arrived(hall, act(1, "score", score=[3, 2])) == ["overtaken score_since"]


def test_wrong_fields_are_refused_with_a_reason(hall: FinalHall) -> None:
    wrong = [
        act(1, "result", winner=0, points=26), act(2, "result", winner=2, points=3), act(3, "score", score=[30, 0]),
        act(4, "move", table=1), act(5, "note", text="x" * 201), act(6, "away", players=["ann"], minutes=0),
        act(7, "start"),
    ]  # fmt: skip
    sent = [*map(hall.sent, wrong)]
    sent[3]["fields"]["table"] = "nowhere"
    sent[6]["fixture"] = "k7m2p9x4qa"
    assert hall.arrive(*sent) == [
        "refused bad_score", "refused bad_score", "refused running_score_over", "refused kept_unclear",
        "refused kept_unclear", "refused kept_unclear", "refused not_on_floor",
    ]  # fmt: skip


def test_the_role_counts_that_the_sender_has_by_now(hall: FinalHall) -> None:
    note = hall.sent(act(1, "note", text="x"))
    assert hall.post(note, by=hall.bob).status_code == 403
    join(hall.event.club, hall.bob, "assistant")
    assert hall.post({**note, "reader": ""}, by=hall.bob).status_code == 200
    Membership.objects.filter(player__user=hall.bob).update(role="member")
    assert hall.post({**note, "n": 2, "reader": ""}, by=hall.bob).status_code == 403


def test_staff_send_what_somebody_else_kept_and_the_log_names_both(hall: FinalHall) -> None:
    join(hall.event.club, hall.bob, "assistant")
    hall.began = timezone.now() - timedelta(milliseconds=ARRIVAL)
    kept = hall.sent(act(1, "start"))
    assert hall.post(kept, by=hall.bob).json()["code"] == "kept_of_another"
    answer = hall.post(kept, by=hall.bob, carried=True).json()
    assert [row["outcome"] for row in answer["outcomes"]] == ["done"]
    row = KeptAct.objects.get()
    assert (row.outbox.user, row.carried_by) == (hall.alice, hall.bob)
    line = LogEntry.objects.get(verb="kept_act")
    assert (line.user, line.params["carried"], line.params["kept"], line.params["outcome"]) == (
        hall.bob, True, row.pk, "done",
    )  # fmt: skip


def test_staff_send_nothing_of_who_was_never_on_the_staff(hall: FinalHall, carol: User) -> None:
    """No account of the site shows its name by it, and none is told apart from one that is not there."""
    hall.began = timezone.now() - timedelta(milliseconds=ARRIVAL)
    note = hall.sent(act(1, "note", text="x"))
    answers = [hall.post(note | {"reader": reader}, carried=True) for reader in (str(carol.pk), "987654321")]
    assert [(each.status_code, each.json()["code"]) for each in answers] == [(403, "kept_of_another")] * 2
    hall.entries["ann"].player.user = carol
    hall.entries["ann"].player.save()
    own = hall.sent(act(1, "start")) | {"reader": str(carol.pk)}
    assert hall.post(own, carried=True).status_code == 200, "she is a side of this match"


@pytest.mark.parametrize("ended", ["helper", "role", "member"])
def test_what_was_typed_before_a_role_ended_is_still_carried(hall: FinalHall, ended: str, by_alice: Actor) -> None:
    now = timezone.now()
    hall.began = now - timedelta(milliseconds=ARRIVAL)
    membership = None if ended == "helper" else join(hall.event.club, hall.bob, "assistant").memberships.get()
    if ended == "helper":
        times = {"expires_at": now, "accepted_at": now - timedelta(hours=1), "removed_at": now}
        Helper.objects.create(tournament=hall.event, user=hall.bob, **times)
    elif ended == "role":
        set_role(membership=membership, role="member", by=by_alice)
    else:
        remove_member(membership=membership, by=by_alice, now=now)
    kept = hall.sent(act(1, "start")) | {"reader": str(hall.bob.pk)}
    later = kept | {"at": epoch(timezone.now()), "seen_at": epoch(timezone.now())}
    answer = hall.post(later, carried=True)
    assert answer.json()["code"] == "kept_of_another"
    assert hall.post(kept, carried=True).json()["outcomes"][0]["outcome"] == "done"


def test_who_may_not_read_an_outbox_any_more_is_told_so(hall: FinalHall) -> None:
    url = reverse("api-tournament-floor", args=[hall.event.public_id])
    client = Client()
    assert client.get(url).status_code == 200
    assert client.get(url, {"outbox": ""}).status_code == 401
    client.force_login(hall.bob)
    assert client.get(url, {"outbox": ""}).status_code == 403


def test_the_pace_leaves_out_matches_with_the_time_of_an_arrival(hall: FinalHall) -> None:
    hall.other(0, ["start", "m2"])
    arrived(hall, act(1, "result", "m2", "cem dan", winner=0, points=6))
    hall.other(ARRIVAL + 1, ["start", "m1"])
    now = hall.moment(ARRIVAL + 20 * 60_000)
    assert untimed_matches(hall.event) == {hall.fixture("m2").pk}
    with_kept = evening_forecast(selectors.floor(hall.event, now)).pace
    KeptAct.objects.update(outcome="already")
    assert evening_forecast(selectors.floor(hall.event, now)).pace != with_kept
    assert untimed_matches(hall.event) == set()


def test_a_note_is_taken_online_as_well(hall: FinalHall) -> None:
    client = Client()
    client.force_login(hall.alice)
    event = hall.event
    client.post(reverse("floor-action", args=[event.club.slug, event.slug, "note"]), {"text": "Ann paid 20"})
    (note,) = KeptAct.objects.filter(is_open=True)
    assert (note.action, note.outcome, note.content["fields"]["text"]) == ("note", "done", "Ann paid 20")


# What a page needs to go on.


def floor_of(hall: FinalHall, user: User | None, key: str = KEY) -> dict[str, Any]:
    client = Client()
    if user is not None:
        client.force_login(user)
    url = reverse("api-tournament-floor", args=[hall.event.public_id])
    body: dict[str, Any] = client.get(url, {"outbox": key} if key else {}).json()
    return body


def test_the_floor_says_who_can_come_and_how_the_outbox_stands(hall: FinalHall) -> None:
    arrived(hall, act(1, "result", winner=0, points=4), act(2, "result", winner=1, points=4))
    body = floor_of(hall, hall.alice)
    (final,) = (row for row in body["matches"] if row["number"] == 3)
    ann, cem, dan = (hall.entries[name] for name in ("ann", "cem", "dan"))
    assert final["sides"] == [{"entry": ann.public_id, "name": ann.player.name}, None]
    assert final["possible"] == [[], [{"entry": row.public_id, "name": row.player.name} for row in (cem, dan)]]
    assert [row["then"] for row in body["matches"]] == ["Then: The winner goes to M3."] * 2 + [""]
    assert [row["saw"] for row in body["matches"]] == [TO_SEVEN] * 3
    kept = body["kept"]
    assert (kept["have"], kept["seen"], kept["me"]["reader"]) == (2, hall.newest, str(hall.alice.pk))
    assert [(row["n"], row["outcome"], row["code"]) for row in kept["open"]] == [(2, "differs", "other_result")]
    assert "kept" not in floor_of(hall, hall.alice, key="")
    assert "possible" not in floor_of(hall, hall.alice, key="")["matches"][0]


def test_a_match_of_the_reader_needs_the_server(hall: FinalHall) -> None:
    player = join(hall.event.club, hall.bob, "director")
    player.merged_into = hall.entries["ann"].player
    hall.entries["ann"].player.user = hall.bob
    player.user = None
    player.save()
    hall.entries["ann"].player.save()
    player.memberships.update(player=hall.entries["ann"].player)
    assert [row["needs_reason"] for row in floor_of(hall, hall.bob)["matches"]] == [True, False, False]


@pytest.mark.parametrize("size", [8, 32])
def test_the_floor_needs_as_many_queries_for_more_players(
    drawn: Callable[..., Division], by_alice: Actor, size: int
) -> None:
    event = drawn(size).tournament
    evening.open_floor(tournament=event, by=by_alice, now=NOON)
    client = Client()
    client.force_login(by_alice.user)  # type: ignore[arg-type]
    with CaptureQueriesContext(connection) as queries:
        body = client.get(reverse("api-tournament-floor", args=[event.public_id]), {"outbox": KEY}).json()
    assert len(queries) <= MAX_QUERIES
    assert [len(side) for side in body["matches"][-1]["possible"]] == [size // 2, size // 2]
