"""Events, entries, draws and results by API."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from matches.models import Match, Result
from matches.reporting.services import reports
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.tournaments.conftest import (
    NOW,
    RunningEvent,
    alice_client,
    as_user,
    bob_player,
    by_alice,
    carol_player,
    club,
    drawn,
    erin,
    make_division,
    make_players,
    open_division,
    running,
    tournament,
)
from tournaments.draws.services import draws
from tournaments.models import Division, Draw, Entry, Fixture, Tournament

__all__ = [
    "alice_client",
    "as_user",
    "bob_player",
    "by_alice",
    "carol_player",
    "club",
    "drawn",
    "erin",
    "make_division",
    "make_players",
    "open_division",
    "running",
    "tournament",
]  # fmt: skip

pytestmark = pytest.mark.django_db
API = "/api/v1/"


def send(client: Client, method: str, path: str, body: Any = None, **headers: str) -> Any:
    return getattr(client, method)(API + path, body or {}, content_type="application/json", headers=headers)


def code(answer: Any) -> tuple[int, str]:
    assert answer["Content-Type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


EVENT = {"club": "harbour", "name": "Club Open", "starts_at": "2026-12-05T18:30:00+01:00"}


def test_an_event_from_nothing_to_its_winner(alice_client: Client, client: Client) -> None:
    event = send(alice_client, "post", "tournaments/", EVENT)
    assert event.status_code == 201
    here = event["Location"].removeprefix("http://testserver/api/v1/")
    made = send(alice_client, "post", f"{here}divisions/", {"name": "Open", "round_lengths": [3, 5]})
    division = f"divisions/{made.json()['public_id']}/"
    send(alice_client, "post", f"{division}entries/", {"name": "Elif"})
    pasted = send(alice_client, "post", f"{division}entries/paste/", {"names": ["Omar", "Uma", "elif"]})
    assert [line["what"] for line in pasted.json()["lines"]] == ["new", "new", "entered"]
    assert send(alice_client, "post", f"{here}publish/").json()["status"] == "published"
    asked = send(alice_client, "post", f"{division}draws/")
    assert asked.status_code == 202
    draws.make_draft(draw_id=Draw.objects.get().pk, now=NOW)
    draft = alice_client.get(asked["Location"])
    assert draft.json()["state"] == "draft"
    assert draft.json()["seed"] is None
    assert len(draft.json()["places"]) == 4
    published = send(alice_client, "post", f"{division}draws/publish/", **{"If-Match": draft["ETag"]})
    assert published.json()["state"] == "published"
    assert published.json()["seed"]

    while ready := client.get(f"{API}{division}fixtures/?status=ready").json():
        for fixture in ready:
            length = 3 if fixture["number"] < 3 else 5
            body = {"score": [length, 1], "after": fixture["seq"]}
            done = send(alice_client, "post", f"fixtures/{fixture['public_id']}/result/", body)
            assert done.json()["result"] == {"winner": 0, "score": [length, 1], "kind": "played"}

    bracket = client.get(f"{API}{division}bracket/").json()
    assert bracket["status"] == "finished"
    final = bracket["brackets"][0]["rounds"][-1]
    assert (final["name"], final["length"], final["fixtures"][0]["status"]) == ("Final", 5, "decided")
    assert [slot["source"] for slot in final["fixtures"][0]["slots"]] == ["winner", "winner"]


def test_whoever_does_not_direct_the_club_makes_no_event(
    dave: User, erin: User, alice_client: Client, as_user: Callable[[User], Client], client: Client
) -> None:
    assert code(send(client, "post", "tournaments/", EVENT))[0] == 401
    assert code(send(as_user(dave), "post", "tournaments/", EVENT)) == (403, "permission_denied")
    assert code(send(as_user(erin), "post", "tournaments/", EVENT)) == (403, "permission_denied")
    assert code(send(alice_client, "post", "tournaments/", {**EVENT, "club": "nowhere"})) == (404, "not_found")
    assert code(send(alice_client, "post", "tournaments/", {**EVENT, "name": ""})) == (422, "invalid")


def test_the_same_idempotency_key_gives_the_same_event(alice_client: Client) -> None:
    first, second = (
        send(alice_client, "post", "tournaments/", EVENT, **{"Idempotency-Key": "k1"}) for _twice in range(2)
    )
    assert first.json()["public_id"] == second.json()["public_id"]
    other = send(alice_client, "post", "tournaments/", EVENT, **{"Idempotency-Key": "k2"})
    assert other.json()["public_id"] != first.json()["public_id"]
    assert Tournament.objects.count() == 2


def test_events_are_filtered_and_cut_into_pages(running: RunningEvent, client: Client, alice_client: Client) -> None:
    send(alice_client, "post", "tournaments/", EVENT)
    everybody = client.get(f"{API}tournaments/").json()
    assert [row["name"] for row in everybody["results"]] == ["Winter Open"], "a draft is not everybody's"
    assert alice_client.get(f"{API}tournaments/?status=draft").json()["count"] == 1
    assert client.get(f"{API}tournaments/?club=elsewhere").json()["count"] == 0
    assert alice_client.get(f"{API}tournaments/?page_size=1").json()["next"]


def test_an_event_is_changed_and_cancelled(running: RunningEvent, alice_client: Client) -> None:
    path = f"tournaments/{running.tournament.public_id}/"
    assert send(alice_client, "patch", path, {"venue": "Café"}).json()["venue"] == "Café"
    assert code(send(alice_client, "patch", path, {"time_zone": "Atlantis"})) == (422, "invalid")
    assert send(alice_client, "post", f"{path}cancel/", {"reason": "snow"}).json()["status"] == "cancelled"
    assert code(send(alice_client, "post", f"{path}cancel/")) == (409, "tournament_not_open")


def test_settings_are_changed_by_whoever_saw_the_last_ones(
    make_division: Callable[..., Division], alice_client: Client
) -> None:
    division = make_division(name="Open")
    path = f"divisions/{division.public_id}/"
    seen = alice_client.get(API + path)
    assert seen["ETag"] == f'"{seen.json()["seq"]}"'
    assert code(send(alice_client, "patch", path, {"rated": False})) == (422, "invalid"), "after is missing"
    changed = send(alice_client, "patch", path, {"rated": False}, **{"If-Match": seen["ETag"]})
    assert changed.json()["rated"] is False
    stale = send(alice_client, "patch", path, {"rated": True, "after": seen.json()["seq"]})
    assert code(stale) == (409, "stale")


def test_deadlines_are_set_for_all_rounds(running: RunningEvent, alice_client: Client) -> None:
    path = f"divisions/{running.division.public_id}/"
    later = (timezone.now() + timedelta(days=3)).isoformat()
    body = {"deadlines": [later, None], "after": running.division.seq}
    assert send(alice_client, "put", f"{path}deadlines/", body).status_code == 200
    fixture = send(alice_client, "get", f"fixtures/{running.fixture.public_id}/").json()
    assert fixture["due_at"] is not None
    assert alice_client.get(f"{API}{path}").json()["deadlines"][0] == fixture["due_at"]


def test_one_of_two_namesakes_is_chosen(
    make_division: Callable[..., Division], alice_client: Client, club: Club
) -> None:
    players = [Player.objects.create(name="Kim Lee") for _twice in range(2)]
    for player in players:
        Membership.objects.create(club=club, player=player)
    path = f"divisions/{make_division().public_id}/entries/"
    refused = send(alice_client, "post", path, {"name": "kim lee"})
    assert code(refused) == (422, "name_ambiguous")
    assert {pair[0] for pair in refused.json()["params"]["candidates"]} == {one.public_id for one in players}
    chosen = send(alice_client, "post", path, {"name": "kim lee", "player": players[1].public_id})
    assert chosen.json()["player"]["public_id"] == players[1].public_id
    assert code(send(alice_client, "post", path, {"name": "kim lee", "player": players[1].public_id})) == (
        409,
        "already_entered",
    )


def test_a_player_registers_sees_himself_and_withdraws(
    open_division: Division, dave: User, as_user: Callable[[User], Client]
) -> None:
    daves = as_user(dave)
    path = f"divisions/{open_division.public_id}/"
    entry = send(daves, "post", f"{path}register/").json()
    assert entry["status"] == "in"
    assert code(send(daves, "post", f"{path}register/")) == (409, "already_entered")
    assert send(daves, "get", f"{path}entries/").json()["results"][0]["player"]["name"] == "Dave"
    withdraw = f"entries/{entry['public_id']}/withdraw/"
    assert code(send(daves, "post", withdraw)) == (422, "invalid")
    assert send(daves, "post", withdraw, {"scope": "division"}).json()["status"] == "out"
    assert code(send(daves, "post", withdraw, {"scope": "division"})) == (409, "not_entered")
    assert send(daves, "get", f"{path}entries/?status=out").json()["count"] == 1
    assert code(send(daves, "post", f"entries/{entry['public_id']}/check-in/"))[0] == 403


def test_check_in_by_an_assistant(running: RunningEvent, erin: User, as_user: Callable[[User], Client]) -> None:
    path = f"entries/{running.entry.public_id}/check-in/"
    assert code(send(as_user(erin), "post", path)) == (422, "invalid")
    assert send(as_user(erin), "post", path, {"present": True}).json()["checked_in_at"]
    assert send(as_user(erin), "post", path, {"present": False}).json()["checked_in_at"] is None


def test_a_result_needs_the_seq_that_was_seen_and_is_booked_once(running: RunningEvent, alice_client: Client) -> None:
    path = f"fixtures/{running.fixture.public_id}/"
    assert code(send(alice_client, "post", f"{path}result/", {"score": [7, 3]})) == (422, "invalid")
    tag = alice_client.get(API + path)["ETag"]
    for _twice in range(2):
        assert send(alice_client, "post", f"{path}result/", {"score": [7, 3]}, **{"If-Match": tag}).status_code == 200
    assert Result.objects.count() == 1
    assert code(send(alice_client, "post", f"{path}result/", {"score": [7, 4]}, **{"If-Match": tag})) == (409, "stale")
    assert code(send(alice_client, "post", f"{path}result/", {"score": [7, 7], "after": 1})) == (422, "invalid")
    assert code(send(alice_client, "post", f"{path}result/", {"score": [6, 3], "after": 1})) == (
        422,
        "result_not_reached",
    )


def test_a_dispute_is_ruled_and_a_match_forfeited(running: RunningEvent, alice_client: Client) -> None:
    assert running.fixture.match is not None
    reports.report_score(match=running.fixture.match, side=0, winner=0, score=(7, 3), by=Actor.link(0), now=NOW)
    reports.contest(match=running.fixture.match, side=1, by=Actor.link(1), now=NOW)
    path = f"fixtures/{running.fixture.public_id}/"
    seen = alice_client.get(API + path).json()
    assert seen["match_state"] == "disputed"
    ruling = {"winner": 1, "reason": "sheet signed", "after": seen["seq"]}
    ruled = send(alice_client, "post", f"{path}rule/", ruling).json()
    assert ruled["result"] == {"winner": 1, "score": None, "kind": "ruling"}
    other = Fixture.objects.get(stage__division=running.division, number=2)
    given_up = send(alice_client, "post", f"fixtures/{other.public_id}/forfeit/", {"side": "both", "after": 0}).json()
    assert given_up["result"]["kind"] == "double_forfeit"
    final = alice_client.get(f"{API}divisions/{running.division.public_id}/fixtures/").json()[2]
    assert (final["status"], final["slots"][1]["status"]) == ("walkover", "walkover")


def test_one_side_is_withdrawn_from_the_bracket(running: RunningEvent, alice_client: Client) -> None:
    path = f"fixtures/{running.fixture.public_id}/withdraw/"
    done = send(alice_client, "post", path, {"side": 0, "scope": "bracket", "reason": "ill"}).json()
    assert done["result"] == {"winner": 1, "score": None, "kind": "walkover"}
    assert Entry.objects.get(pk=running.entry.pk).status == Entry.Status.IN


def test_a_match_gets_more_time(running: RunningEvent, alice_client: Client) -> None:
    path = f"fixtures/{running.fixture.public_id}/deadline/"
    later = (timezone.now() + timedelta(days=3)).isoformat()
    assert send(alice_client, "put", path, {"due_at": later, "after": 0}).json()["due_at"]
    assert code(send(alice_client, "put", path, {"due_at": "2020-01-01T00:00:00Z", "after": 1})) == (
        422,
        "deadline_not_ahead",
    )


def test_a_line_by_api(running: RunningEvent, alice_client: Client) -> None:
    path = f"tournaments/{running.tournament.public_id}/line/"
    assert send(alice_client, "post", path, {"line": "m1 7-3"}).json()["result"]["score"] == [7, 3]
    assert code(send(alice_client, "post", path, {"line": "m1 7-4"})) == (409, "line_settled")
    assert code(send(alice_client, "post", path, {"line": "m1"})) == (422, "line_without_result")


def test_the_log_for_those_who_run_the_event(running: RunningEvent, alice_client: Client, client: Client) -> None:
    path = f"tournaments/{running.tournament.public_id}/log/"
    page = alice_client.get(f"{API}{path}?kind=draw&page_size=2").json()
    assert [line["verb"] for line in page["results"]] == ["draw_published", "drawn"]
    assert "Alice published the draw" in page["results"][0]["sentence"]
    assert client.get(API + path).status_code == 403


def test_names_are_shown_as_each_reader_may_see_them(
    running: RunningEvent, alice_client: Client, client: Client
) -> None:
    Player.objects.filter(name="Bob").update(name="Bob Sled", initials_only=True)
    path = f"{API}divisions/{running.division.public_id}/bracket/"
    assert "Bob Sled" in alice_client.get(path).content.decode()
    assert "Bob Sled" not in client.get(path).content.decode()
    assert "B. S." in client.get(path).content.decode()


def test_the_fixtures_of_one_player(running: RunningEvent, client: Client) -> None:
    path = f"{API}divisions/{running.division.public_id}/fixtures/"
    player = Player.objects.get(name="Bob").public_id
    assert [row["number"] for row in client.get(f"{path}?player={player}").json()] == [1]


def test_the_number_of_a_draft_is_nobodys_to_see(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    alice_client: Client,
    client: Client,
) -> None:
    division = make_division()
    path = f"divisions/{division.public_id}/"
    send(alice_client, "post", f"{path}entries/paste/", {"names": ["A", "B", "C"]})
    send(alice_client, "post", f"tournaments/{division.tournament.public_id}/publish/")
    send(alice_client, "post", f"{path}draws/")
    draws.make_draft(draw_id=Draw.objects.get().pk, now=NOW)
    seed = division.stages.get().seed
    for visitor, seen in ((alice_client, 1), (client, 0)):
        answer = visitor.get(f"{API}{path}draws/")
        assert len(answer.json()) == seen
        assert seed not in answer.content.decode()
    assert client.get(f"{API}{path}draws/1/").status_code == 404
    assert alice_client.get(f"{API}{path}").json()["seed_hash"] == division.stages.get().seed_hash


def test_a_successor_that_has_begun_is_a_conflict(running: RunningEvent, alice_client: Client) -> None:
    path = f"tournaments/{running.tournament.public_id}/line/"
    for line in ("m1 7-3", "m2 7-3", "m3 7-3"):
        send(alice_client, "post", path, {"line": line})
    match = Match.objects.get(pk=running.fixture.match_id)
    body = {"score": [3, 7], "after": match.seq}
    refused = send(alice_client, "post", f"fixtures/{running.fixture.public_id}/result/", body)
    assert code(refused) == (409, "successor_begun")
    assert refused.json()["params"] == {"fixture": 1, "successor": 3}
