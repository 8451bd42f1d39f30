"""What was kept and differs waits under "Needs you" until a person decides it, once; Alice directs, Erin assists."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from engine.errors import Refused
from matches.models import Match
from players.actors import Actor
from players.kept.outboxes import notices
from players.models import KeptAct, LogEntry, Outbox, Player, User
from tests.event_cast import NOON
from tests.tournaments.floor.test_services import Evening, event
from tournaments.events.helpers import add_helper
from tournaments.floor import undo
from tournaments.floor.kept import decisions
from tournaments.floor.kept.entering import enter
from tournaments.floor.kept.needs import kept_needs
from tournaments.floor.lines import preview_line
from tournaments.models import Slot
from tournaments.state.integrity import differences
from tournaments.state.log import log_lines

__all__ = ["event"]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
KEY = "k7m2p9x4qbk7m2p9x4qbk7"


class Kept:
    """The outbox of a phone whose acts have arrived; they differ, or are notes."""

    def __init__(self, event: Evening, user: User, key: str = KEY, topic: str = "") -> None:
        self.event = event
        tournament = event.division.tournament
        self.box = Outbox.objects.create(
            topic=topic or tournament.topic, key=key, club=tournament.club, by="user", user=user,
            device="Firefox, Android", heard_at=NOON,
        )  # fmt: skip

    def act(self, action: str, fixture: int | None = None, code: str = "", **fields: Any) -> KeptAct:
        content: dict[str, Any] = {
            "n": self.box.have + 1, "action": action, "fields": fields, "fixture": "", "pair": [], "seen": 0,
            "seen_at": int(NOON.timestamp()) * 1000, "at": 0, "label": "a label", "reader": "", "by": "Alice",
        }  # fmt: skip
        if fixture is not None:
            slots = Slot.objects.filter(fixture=self.event.fixture(fixture)).order_by("side")
            content["pair"] = list(slots.values_list("entry__public_id", flat=True))
            content["fixture"] = self.event.fixture(fixture).public_id
        if self.box.topic.startswith("match:"):
            match = Match.objects.get(public_id=self.box.topic.removeprefix("match:"))
            content["pair"] = [player.public_id for player in match.players]
        self.box.have += 1
        self.box.save()
        outcome = KeptAct.Outcome.DIFFERS if code else KeptAct.Outcome.DONE
        return KeptAct.objects.create(
            outbox=self.box, number=self.box.have, digest="", action=action, content=content, outcome=outcome,
            label="a label", code=code, params={"fixture": fixture}, typed_at=NOON + timedelta(minutes=14),
            arrived_at=NOON + timedelta(minutes=31), is_open=True,
        )  # fmt: skip

    def result(self, fixture: int, winner: int = 0, points: int = 4) -> KeptAct:
        return self.act("result", fixture, "other_result", winner=winner, points=points)


@pytest.fixture
def kept(event: Evening, alice: User) -> Kept:
    return Kept(event, alice)


def url(act: KeptAct, event: Evening, name: str = "kept") -> str:
    tournament = event.division.tournament
    return reverse(name, args=(tournament.club.slug, tournament.slug, act.pk))


def floor(event: Evening) -> str:
    tournament = event.division.tournament
    return reverse("floor", args=(tournament.club.slug, tournament.slug))


def api(act: KeptAct, event: Evening) -> str:
    return f"/api/v1/tournaments/{event.division.tournament.public_id}/kept/{act.pk}/leave/"


def still_open() -> list[int]:
    return list(notices(Outbox.objects.get().topic, KEY, NOON).values_list("number", flat=True))


def test_two_desks_contradict_and_a_director_decides_once(
    event: Evening, kept: Kept, alice: User, alice_client: Client
) -> None:
    event.win(1, (3, 7))
    act = kept.result(1)
    names = event.match(1).names
    page = alice_client.get(floor(event)).content.decode()
    assert f"Kept: M1 {names[0]} 7–4" in page
    assert "Alice, Firefox, Android, " in page
    sheet = alice_client.get(url(act, event)).content.decode()
    assert f"{names[1]} 7–3" in sheet
    assert "Here now · " in sheet
    assert "· Alice" in sheet
    correct = reverse("fixture-correct", args=(*url(act, event).split("/")[2:4], event.fixture(1).public_id))
    assert f'{correct}?kind=played&amp;left=7&amp;right=4&amp;rated=on"' in sheet
    filled = alice_client.get(correct, {"kind": "played", "left": "7", "right": "4", "rated": "on"})
    assert filled.status_code == 200
    assert 'name="left" value="7"' in " ".join(filled.content.decode().split())
    for _twice in range(2):
        assert alice_client.post(url(act, event, "kept-leave")).status_code == 302
    assert still_open() == []
    assert "Kept: " not in alice_client.get(floor(event)).content.decode()
    act.refresh_from_db()
    assert (act.decision, act.decided_by, act.outcome) == ("left", alice, "differs")
    assert LogEntry.objects.filter(verb="kept_left").count() == 1
    assert event.match(1).results.count() == 1
    assert "left as it is" in alice_client.get(url(act, event)).content.decode()


def test_what_was_decided_otherwise_is_refused(event: Evening, kept: Kept, by_alice: Actor) -> None:
    act = kept.result(1)
    KeptAct.objects.update(is_open=False, decision="entered")
    with pytest.raises(Refused, match="kept_decided"):
        decisions.leave(tournament=event.division.tournament, act=act, by=by_alice, now=NOON)


def test_helpers_decide_notes_only_and_a_stranger_nothing(
    event: Evening, kept: Kept, erin: User, dave: User, frank: User, as_user: Callable[[User | None], Client]
) -> None:
    note, act = kept.act("note", text="Pizza for 12"), kept.result(1)
    other = User.objects.create_user("helga@example.org", "crawford-1969", display_name="Helga")
    invited: dict[str, Any] = {"tournament": event.division.tournament, "email": other.email, "by": Actor.of(erin)}
    helper = add_helper(**invited, now=NOON, link=str).helper
    helper.user = other
    helper.save()
    for user in (dave, frank):
        assert as_user(user).get(url(note, event)).status_code in (403, 404)
        for row in (note, act):
            assert as_user(user).post(url(row, event, "kept-leave")).status_code in (403, 404)
            assert as_user(user).post(api(row, event)).status_code in (403, 404)
    assert as_user(None).post(api(note, event)).status_code == 401
    for user in (erin, other):
        KeptAct.objects.update(is_open=True, decision="")
        client = as_user(user)
        assert "A director decides this." in client.get(url(act, event)).content.decode()
        assert client.post(url(act, event, "kept-leave")).status_code == 403
        assert client.post(api(act, event)).status_code == 403
        assert "line=Pizza+for+12" in client.get(url(note, event)).content.decode()
        assert client.post(api(note, event)).json()["decision"] == "left"
        assert still_open() == [act.number]


def test_an_act_of_another_event_is_not_there(event: Evening, kept: Kept, alice_client: Client) -> None:
    kept.box.topic = "tournament:t4t4t4t4t4"
    act = kept.act("note", text="Elsewhere")
    assert alice_client.get(url(act, event)).status_code == 404
    assert alice_client.post(api(act, event)).status_code == 404


def test_the_semifinal_comes_before_the_final_and_a_players_act_is_among_them(
    event: Evening, kept: Kept, bob: User, alice_client: Client
) -> None:
    final, semifinal = kept.result(2), kept.result(1)
    contest = Kept(event, bob, "m" * 22, event.match(3).topic).act("contest", code="answered_late", note="I won")
    note = kept.act("note", text="Pizza")
    tournament = event.division.tournament
    listed = alice_client.get(f"/api/v1/tournaments/{tournament.public_id}/kept/undecided/").json()
    assert [row["act"] for row in listed] == [semifinal.pk, final.pk, contest.pk, note.pk]
    assert listed[2]["text"] == "The report was contested · “I won”"
    needs, _not_back = kept_needs(tournament, NOON)
    assert [need.act for need in needs] == [semifinal, final, contest, note]
    assert [need.fixture and need.fixture.number for need in needs] == [1, 2, 3, None]


def test_the_line_of_a_note_is_filled_in(event: Evening, kept: Kept, alice_client: Client) -> None:
    page = alice_client.get(floor(event), {"line": "m1 7-4"}).content.decode()
    assert ">m1 7-4</textarea>" in page


def test_names_are_those_of_now_and_an_erased_person_is_not_named(event: Evening, kept: Kept) -> None:
    kept.result(1)
    entry = Slot.objects.select_related("entry__player").get(fixture=event.fixture(1), side=0).entry
    assert entry is not None
    kept.act("here", code="no_show_since", players=[entry.player.public_id])
    tournament = event.division.tournament
    other = Player.objects.create(name="Robert")
    Player.objects.filter(pk=entry.player.pk).update(merged_into=other)
    assert [need.text for need in kept_needs(tournament, NOON)[0]] == ["Robert 7–4", "Robert is here."]

    Player.objects.filter(pk=entry.player.pk).update(merged_into=None, erased_at=NOON)
    texts = [need.text for need in kept_needs(tournament, NOON)[0]]
    assert texts == ["Former member 7–4", "Former member is here."]


def test_what_was_erased_from_an_act_is_left_open(event: Evening, kept: Kept, alice_client: Client) -> None:
    act = kept.result(1)
    KeptAct.objects.update(content={}, params={}, label="")
    (need,) = kept_needs(event.division.tournament, NOON)[0]
    assert (need.text, need.why) == ("Something that cannot be read", "M[…] has another result.")
    assert "Enter it now" not in alice_client.get(url(act, event)).content.decode()
    assert alice_client.post(api(act, event).replace("leave", "enter")).status_code == 422
    assert alice_client.get(floor(event)).status_code == 200


def test_an_act_that_names_a_stranger_does_not_show_them(event: Evening, kept: Kept, alice_client: Client) -> None:
    stranger = Player.objects.create(name="Zoltan Ristic")
    kept.act("here", code="kept_unclear", players=[stranger.public_id])
    act = kept.result(1)
    act.content["pair"] = [stranger.public_id] * 2
    act.save()
    for page in (floor(event), url(act, event)):
        assert "Zoltan" not in alice_client.get(page).content.decode()


def test_fields_that_make_no_sense_are_shown_by_their_label(event: Evening, kept: Kept) -> None:
    kept.act("result", 1, "bad_score", winner="first", points=None)
    kept.act("here", code="one_player", players=["nobody"])
    assert [need.text for need in kept_needs(event.division.tournament, NOON)[0]] == ["a label", "a label"]


def test_a_decision_is_undone_by_who_made_it(event: Evening, kept: Kept, by_alice: Actor) -> None:
    act, tournament = kept.result(1), event.division.tournament
    decisions.leave(tournament=tournament, act=act, by=by_alice, now=NOON)
    last = undo.last_act(tournament, by_alice)
    assert last is not None
    assert last.label.startswith("Undo: Left as it is. ")
    for _twice in range(2):
        undo.undo(tournament=tournament, act=last, **event.acts)
    assert still_open() == [act.number]
    assert list(differences()) == []


def test_a_browser_that_still_had_acts_and_has_not_been_back(event: Evening, kept: Kept) -> None:
    tournament = event.division.tournament
    Outbox.objects.update(left=3)
    texts = [kept_needs(tournament, NOON + timedelta(seconds=after))[1] for after in (100, 200, 49 * 3600)]
    assert texts == [[], ["Alice, Firefox, Android: had 3 acts at 13:00 and has not been back."], []]


def test_closing_an_event_lists_what_is_open(event: Evening, kept: Kept, alice_client: Client) -> None:
    act = kept.result(1)
    tournament = event.division.tournament
    page = alice_client.get(reverse("console-close", args=(tournament.club.slug, tournament.slug))).content.decode()
    assert "Kept without a connection, and not decided" in page
    assert url(act, event) in page


def test_the_log_says_what_was_kept_and_what_became_of_it(event: Evening, kept: Kept, bob: User) -> None:
    act, tournament = kept.result(1), event.division.tournament
    typed = (NOON + timedelta(minutes=14)).isoformat()

    def details(of: KeptAct | None, **more: Any) -> list[str]:
        params = {"action": "result", "number": 3, "outcome": "done", "device": "Firefox, Android", "typed_at": typed}
        at, number = NOON + timedelta(minutes=31), of.pk if of is not None else 0
        row = LogEntry(by="user", user=bob, at=at, topic=tournament.topic, verb="kept_act",
                       params={**params, "kept": number, "carried": False, **more})  # fmt: skip
        (line,) = log_lines([row], tournament)
        assert line.what == "sent what was kept without a connection"
        return line.details

    assert details(act) == ["a label", "kept on Firefox, Android at 13:14, arrived 13:31", "done"]
    assert details(None, typed_at=None) == ["result", "kept on Firefox, Android, arrived 13:31", "done"]
    assert details(act, carried=True)[2:] == ["sent for Alice", "done"]


def test_a_semifinal_that_came_before_its_quarterfinal_is_entered_once_its_players_are_known(
    event: Evening, kept: Kept, alice: User, alice_client: Client, by_alice: Actor
) -> None:
    slots = Slot.objects.filter(fixture=event.fixture(5)).order_by("side")
    before = [number for number in slots.values_list("source_fixture", flat=True) if number is not None]
    winners = Slot.objects.filter(fixture__number__in=before, side=0).order_by("fixture__number")
    act = kept.result(5, winner=1)
    act.content["pair"] = list(winners.values_list("entry__public_id", flat=True))
    act.save()
    event.win(before[0])
    assert "Enter it now" not in alice_client.get(url(act, event)).content.decode()
    with pytest.raises(Refused, match="kept_still_differs"):
        enter(tournament=event.division.tournament, act=act, by=by_alice, now=event.now)
    assert still_open() == [1]
    event.win(before[1])
    assert "Enter it now" in alice_client.get(url(act, event)).content.decode()
    for _twice in range(2):
        assert alice_client.post(api(act, event).replace("leave", "enter")).json()["decision"] == "entered"
    result = event.match(5).results.get()
    assert (result.winner, result.score, result.user) == (1, (4, 7), alice)
    assert still_open() == []
    assert LogEntry.objects.filter(verb="kept_entered").count() == 1
    assert list(differences()) == []


def test_what_was_kept_of_an_open_match_is_filled_into_the_line(
    event: Evening, kept: Kept, alice_client: Client
) -> None:
    acts = {
        "m1 7-4": kept.act("result", 1, "score_since", winner="0", points="4"),
        "m1 run 2-1": kept.act("score", 1, "kept_unreadable", left=2, right=1),
        "m1 start": kept.act("start", 1, "may_not"),
        "m1 t2": kept.act("move", 1, "moved_since", table=event.table(2).public_id),
    }
    for line, act in acts.items():
        sheet = alice_client.get(url(act, event)).content.decode()
        assert f'?{urlencode({"line": line})}"' in sheet
        assert preview_line(tournament=event.division.tournament, text=line, **event.acts) is not None


def test_what_is_there_by_now_is_said(event: Evening, kept: Kept, alice_client: Client) -> None:
    event.win(1, (7, 4))
    assert "This is what is there now." in alice_client.get(url(kept.result(1), event)).content.decode()
