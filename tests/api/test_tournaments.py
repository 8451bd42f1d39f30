"""The API of events, entries, draws and results."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from core.pagination import PAGE_SIZE
from matches.models import Match, Result
from matches.reporting import reports
from players.actors import Actor
from players.models import Club, Membership, Player, User
from seasons.services import SeriesInput, create_series
from tests.api.requests import problem_code, send
from tests.event_cast import NOW, RunningEvent
from tests.tournaments.support.played_stages import STAGES, drawn_as
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Draw, Entry, Fixture, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
API = "/api/v1/"


EVENT = {"club": "harbour", "name": "Club Open", "starts_at": "2026-12-05T18:30:00+01:00"}


def test_an_event_from_its_creation_to_its_winner(alice_client: Client, client: Client) -> None:
    event = send(alice_client, "post", "tournaments/", EVENT)
    assert event.status_code == 201
    here = event["Location"].removeprefix("http://testserver/api/v1/")
    division_response = send(alice_client, "post", f"{here}divisions/", {"name": "Open", "round_lengths": [3, 5]})
    division = f"divisions/{division_response.json()['public_id']}/"
    send(alice_client, "post", f"{division}entries/", {"name": "Elif"})
    pasted = send(alice_client, "post", f"{division}entries/paste/", {"names": ["Omar", "Uma", "elif"]})
    assert [line["what"] for line in pasted.json()["lines"]] == ["new", "new", "entered"]
    assert send(alice_client, "post", f"{here}publish/").json()["status"] == "published"
    draft_response = send(alice_client, "post", f"{division}draws/")
    assert draft_response.status_code == 202
    draws.make_draft(draw_id=Draw.objects.get().pk, now=NOW)
    draft = alice_client.get(draft_response["Location"])
    assert draft.json()["state"] == "draft"
    assert draft.json()["seed"] is None
    assert len(draft.json()["places"]) == 4
    published = send(alice_client, "post", f"{division}draws/publish/", **{"If-Match": draft["ETag"]})
    assert published.json()["state"] == "published"
    assert published.json()["seed"]

    while ready := client.get(f"{API}{division}fixtures/?status=ready").json()["results"]:
        for fixture in ready:
            length = 3 if fixture["number"] < 3 else 5
            body = {"score": [length, 1], "after": fixture["seq"]}
            done = send(alice_client, "post", f"fixtures/{fixture['public_id']}/result/", body)
            assert done.json()["result"] == {"winner": 0, "score": [length, 1], "kind": "played", "provisional": False}

    bracket = client.get(f"{API}{division}bracket/").json()
    assert bracket["status"] == "finished"
    final = bracket["brackets"][0]["rounds"][-1]
    assert (final["name"], final["length"], final["fixtures"][0]["status"]) == ("Final", 5, "decided")
    assert [slot["source"] for slot in final["fixtures"][0]["slots"]] == ["winner", "winner"]


@pytest.mark.parametrize("counts", [True, False])
def test_an_event_says_whether_it_is_rated_and_counts_in_the_season(
    counts: bool, alice_client: Client, club: Club, by_alice: Actor
) -> None:
    year = SeriesInput("2026", date(2026, 1, 1), date(2026, 12, 31))
    create_series(club=club, series=year, by=by_alice, now=NOW)
    fields = {} if counts else {"rated": False, "season": False}
    event = send(alice_client, "post", "tournaments/", EVENT | fields)
    assert (event.json()["rated"], event.json()["season"]) == (counts, counts)
    here = event["Location"].removeprefix("http://testserver/api/v1/")
    division = send(alice_client, "post", f"{here}divisions/", {"name": "Open"}).json()
    other = send(alice_client, "post", f"{here}divisions/", {"name": "Side", "rated": not counts}).json()
    assert (division["rated"], other["rated"]) == (counts, not counts)
    send(alice_client, "post", f"{here}publish/")
    row = Tournament.objects.get()
    assert row.counts_in.exists() == counts
    changed = send(alice_client, "patch", here, {"rated": not counts})
    assert changed.json()["rated"] is not counts
    assert Division.objects.get(name="Open").rated == counts, "only divisions added from then on"


def test_only_directors_of_the_club_create_events(
    dave: User, erin: User, alice_client: Client, as_user: Callable[[User], Client], client: Client
) -> None:
    assert problem_code(send(client, "post", "tournaments/", EVENT))[0] == 401
    assert problem_code(send(as_user(dave), "post", "tournaments/", EVENT)) == (403, "permission_denied")
    assert problem_code(send(as_user(erin), "post", "tournaments/", EVENT)) == (403, "permission_denied")
    assert problem_code(send(alice_client, "post", "tournaments/", {**EVENT, "club": "nowhere"})) == (404, "not_found")
    assert problem_code(send(alice_client, "post", "tournaments/", {**EVENT, "name": ""})) == (422, "invalid")


def test_the_same_idempotency_key_gives_the_same_event(alice_client: Client) -> None:
    first, second = (
        send(alice_client, "post", "tournaments/", EVENT, **{"Idempotency-Key": "k1"}) for _twice in range(2)
    )
    assert first.json()["public_id"] == second.json()["public_id"]
    other = send(alice_client, "post", "tournaments/", EVENT, **{"Idempotency-Key": "k2"})
    assert other.json()["public_id"] != first.json()["public_id"]
    assert Tournament.objects.count() == 2


def test_events_are_filtered_and_paginated(running: RunningEvent, client: Client, alice_client: Client) -> None:
    send(alice_client, "post", "tournaments/", EVENT)
    everybody = client.get(f"{API}tournaments/").json()
    assert [row["name"] for row in everybody["results"]] == ["Winter Open"], "a draft is not everybody's"
    assert len(alice_client.get(f"{API}tournaments/?status=draft").json()["results"]) == 1
    assert client.get(f"{API}tournaments/?club=elsewhere").json()["results"] == []
    assert alice_client.get(f"{API}tournaments/?page_size=1").json()["next"]


def test_an_event_is_changed_and_cancelled(running: RunningEvent, alice_client: Client) -> None:
    path = f"tournaments/{running.tournament.public_id}/"
    assert send(alice_client, "patch", path, {"venue": "Café"}).json()["venue"] == "Café"
    assert [send(alice_client, "patch", path, {"tables": tables}).json()["tables"] for tables in (8, None)] == [8, None]
    assert send(alice_client, "patch", path, {"tables": 0}).status_code == 422
    assert problem_code(send(alice_client, "patch", path, {"time_zone": "Atlantis"})) == (422, "invalid")
    assert send(alice_client, "post", f"{path}cancel/", {"reason": "snow"}).json()["status"] == "cancelled"
    assert problem_code(send(alice_client, "post", f"{path}cancel/")) == (409, "tournament_not_open")


def test_settings_need_the_current_seq(make_division: Callable[..., Division], alice_client: Client) -> None:
    division = make_division(name="Open")
    path = f"divisions/{division.public_id}/"
    seen = alice_client.get(API + path)
    assert seen["ETag"] == f'"{seen.json()["seq"]}"'
    assert problem_code(send(alice_client, "patch", path, {"rated": False})) == (422, "after_missing")
    changed = send(alice_client, "patch", path, {"rated": False}, **{"If-Match": seen["ETag"]})
    assert changed.json()["rated"] is False
    stale = send(alice_client, "patch", path, {"rated": True, "after": seen.json()["seq"]})
    assert problem_code(stale) == (409, "stale")


def test_deadlines_are_set_for_all_rounds(running: RunningEvent, alice_client: Client) -> None:
    path = f"divisions/{running.division.public_id}/"
    later = (timezone.now() + timedelta(days=3)).isoformat()
    body = {"deadlines": [later, None], "after": running.division.seq}
    assert send(alice_client, "put", f"{path}deadlines/", body).status_code == 200
    fixture = send(alice_client, "get", f"fixtures/{running.fixture.public_id}/").json()
    assert fixture["due_at"] is not None
    assert alice_client.get(f"{API}{path}").json()["deadlines"][0] == fixture["due_at"]


def test_a_namesake_is_chosen(make_division: Callable[..., Division], alice_client: Client, club: Club) -> None:
    players = [Player.objects.create(name="Kim Lee") for _twice in range(2)]
    for player in players:
        Membership.objects.create(club=club, player=player)
    path = f"divisions/{make_division().public_id}/entries/"
    refused = send(alice_client, "post", path, {"name": "kim lee"})
    assert problem_code(refused) == (422, "name_ambiguous")
    assert {pair[0] for pair in refused.json()["params"]["candidates"]} == {player_.public_id for player_ in players}
    chosen = send(alice_client, "post", path, {"name": "kim lee", "player": players[1].public_id})
    assert chosen.json()["player"]["public_id"] == players[1].public_id
    assert problem_code(send(alice_client, "post", path, {"name": "kim lee", "player": players[1].public_id})) == (
        409,
        "already_entered",
    )


def test_a_player_registers_is_listed_and_withdraws(
    open_division: Division, dave: User, as_user: Callable[[User], Client]
) -> None:
    daves = as_user(dave)
    path = f"divisions/{open_division.public_id}/"
    entry = send(daves, "post", f"{path}register/").json()
    assert entry["status"] == "in"
    assert problem_code(send(daves, "post", f"{path}register/")) == (409, "already_entered")
    assert send(daves, "get", f"{path}entries/").json()["results"][0]["player"]["name"] == "Dave"
    withdraw = f"entries/{entry['public_id']}/withdraw/"
    assert problem_code(send(daves, "post", withdraw)) == (422, "invalid")
    assert send(daves, "post", withdraw, {"scope": "division"}).json()["status"] == "out"
    assert problem_code(send(daves, "post", withdraw, {"scope": "division"})) == (409, "not_entered")
    assert len(send(daves, "get", f"{path}entries/?status=out").json()["results"]) == 1
    assert problem_code(send(daves, "post", f"entries/{entry['public_id']}/check-in/"))[0] == 403


def test_an_assistant_checks_a_player_in(running: RunningEvent, erin: User, as_user: Callable[[User], Client]) -> None:
    path = f"entries/{running.entry.public_id}/check-in/"
    assert problem_code(send(as_user(erin), "post", path)) == (422, "invalid")
    assert send(as_user(erin), "post", path, {"present": True}).json()["checked_in_at"]
    away = {"state": "away", "until": "2026-11-20T21:10:00Z"}
    entry = send(as_user(erin), "post", path, away).json()
    assert (entry["checked_in_at"], entry["away_until"]) == (None, "2026-11-20T21:10:00Z")
    for faulty in ({"state": "away"}, {**away, "state": "here"}, {**away, "present": True}):
        assert problem_code(send(as_user(erin), "post", path, faulty)) == (422, "invalid")
    entry = send(as_user(erin), "post", path, {"present": False}).json()
    assert (entry["checked_in_at"], entry["away_until"]) == (None, None)


def test_a_draw_with_those_here_names_who_was_left_out(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    alice_client: Client,
    alice: User,
) -> None:
    division, by = make_division(), Actor.of(alice)
    first, second, absent = entries.enter(division=division, players=make_players(3), by=by, now=NOW)
    events.publish_tournament(tournament=division.tournament, by=by, now=NOW)
    path = f"divisions/{division.public_id}/draws/"
    assert problem_code(send(alice_client, "post", path, {"here_only": True})) == (422, "too_few_entries")
    for entry in (first, second):
        send(alice_client, "post", f"entries/{entry.public_id}/check-in/", {"present": True})
    assert send(alice_client, "post", path, {"here_only": True}).json()["left_out"] == [absent.public_id]
    draws.make_draft(draw_id=Draw.objects.get().pk, now=NOW)
    (draft,) = send(alice_client, "get", path).json()["results"]
    assert sorted(place["entry"] for place in draft["places"]) == sorted([first.public_id, second.public_id])


def test_a_result_needs_the_current_seq_and_is_recorded_once(running: RunningEvent, alice_client: Client) -> None:
    path = f"fixtures/{running.fixture.public_id}/"
    assert problem_code(send(alice_client, "post", f"{path}result/", {"score": [7, 3]})) == (422, "after_missing")
    tag = alice_client.get(API + path)["ETag"]
    for _twice in range(2):
        assert send(alice_client, "post", f"{path}result/", {"score": [7, 3]}, **{"If-Match": tag}).status_code == 200
    assert Result.objects.count() == 1
    assert problem_code(send(alice_client, "post", f"{path}result/", {"score": [7, 4]}, **{"If-Match": tag})) == (
        409,
        "stale",
    )
    assert problem_code(send(alice_client, "post", f"{path}result/", {"score": [7, 7], "after": 1})) == (422, "invalid")
    assert problem_code(send(alice_client, "post", f"{path}result/", {"score": [6, 3], "after": 1})) == (
        422,
        "result_not_reached",
    )


def test_a_dispute_is_ruled_and_a_match_forfeited(running: RunningEvent, alice_client: Client) -> None:
    assert running.fixture.match is not None
    reports.report_score(
        match=running.fixture.match, side=0, report=reports.ScoreReport(0, (7, 3)), by=Actor.link(0), now=NOW
    )
    reports.contest(match=running.fixture.match, side=1, by=Actor.link(1), now=NOW)
    path = f"fixtures/{running.fixture.public_id}/"
    seen = alice_client.get(API + path).json()
    assert seen["match_state"] == "disputed"
    ruling = {"winner": 1, "reason": "sheet signed", "after": seen["seq"]}
    ruled = send(alice_client, "post", f"{path}rule/", ruling).json()
    assert ruled["result"] == {"winner": 1, "score": None, "kind": "ruling", "provisional": False}
    other = Fixture.objects.get(stage__division=running.division, number=2)
    forfeited = send(alice_client, "post", f"fixtures/{other.public_id}/forfeit/", {"side": "both", "after": 0}).json()
    assert forfeited["result"]["kind"] == "double_forfeit"
    final = alice_client.get(f"{API}divisions/{running.division.public_id}/fixtures/").json()["results"][2]
    assert (final["status"], final["slots"][1]["status"]) == ("walkover", "walkover")


def test_a_ruling_says_how_the_match_ended(running: RunningEvent, alice_client: Client) -> None:
    path = f"fixtures/{running.fixture.public_id}/rule/"
    unknown = send(alice_client, "post", path, {"winner": 1, "kind": "played", "reason": "time", "after": 0})
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (422, "kind")
    settled = {"winner": None, "kind": "settled", "reason": "The players settled it.", "after": 0}
    result = send(alice_client, "post", path, settled).json()["result"]
    assert result == {"winner": None, "score": None, "kind": "settled", "provisional": False}


def test_a_player_is_withdrawn_from_a_bracket(running: RunningEvent, alice_client: Client) -> None:
    path = f"fixtures/{running.fixture.public_id}/withdraw/"
    done = send(alice_client, "post", path, {"side": 0, "scope": "bracket", "reason": "ill"}).json()
    assert done["result"] == {"winner": 1, "score": None, "kind": "walkover", "provisional": False}
    assert Entry.objects.get(pk=running.entry.pk).status == Entry.Status.IN


def test_a_deadline_is_extended(running: RunningEvent, alice_client: Client) -> None:
    path = f"fixtures/{running.fixture.public_id}/deadline/"
    later = (timezone.now() + timedelta(days=3)).isoformat()
    assert send(alice_client, "put", path, {"due_at": later, "after": 0}).json()["due_at"]
    assert problem_code(send(alice_client, "put", path, {"due_at": "2020-01-01T00:00:00Z", "after": 1})) == (
        422,
        "deadline_not_ahead",
    )


def test_a_result_line_is_entered_by_api(running: RunningEvent, alice_client: Client) -> None:
    path = f"tournaments/{running.tournament.public_id}/line/"
    assert send(alice_client, "post", path, {"line": "m1 7-3"}).json()["result"]["score"] == [7, 3]
    assert problem_code(send(alice_client, "post", path, {"line": "m1 7-4"})) == (409, "line_settled")
    assert problem_code(send(alice_client, "post", path, {"line": "m1"})) == (422, "line_without_result")


def test_the_log_is_for_the_staff_of_the_event(running: RunningEvent, alice_client: Client, client: Client) -> None:
    path = f"tournaments/{running.tournament.public_id}/log/"
    page = alice_client.get(f"{API}{path}?kind=draw&page_size=2").json()
    assert [line["verb"] for line in page["results"]] == ["draw_published", "drawn"]
    assert "Alice published the draw" in page["results"][0]["sentence"]
    assert client.get(API + path).status_code == 403


def test_names_are_shortened_for_the_public_and_complete_for_the_staff(
    running: RunningEvent, alice_client: Client, client: Client
) -> None:
    Player.objects.filter(name="Bob").update(name="Bob Sled", initials_only=True)
    path = f"{API}divisions/{running.division.public_id}/bracket/"
    assert "Bob Sled" in alice_client.get(path).content.decode()
    assert "Bob Sled" not in client.get(path).content.decode()
    assert "B. S." in client.get(path).content.decode()


def test_fixtures_are_filtered_by_player(running: RunningEvent, client: Client) -> None:
    path = f"{API}divisions/{running.division.public_id}/fixtures/"
    player = Player.objects.get(name="Bob").public_id
    assert [row["number"] for row in client.get(f"{path}?player={player}").json()["results"]] == [1]


def test_the_pages_of_the_lists_of_a_division_are_together_the_list(running: RunningEvent, client: Client) -> None:
    for name, length in (("fixtures", 3), ("draws", 1)):
        path = f"{API}divisions/{running.division.public_id}/{name}/"
        whole = client.get(path).json()
        pages, url = [], f"{path}?page_size=1"
        while url:
            pages.append(client.get(url).json())
            url = pages[-1]["next"]
        assert [row for page in pages for row in page["results"]] == whole["results"]
        assert [len(page["results"]) for page in pages] == [1] * length
        assert whole["next"] is None
        for wrong in ("page_size=0", "page_size=201", "cursor=x", "cursor="):
            assert client.get(f"{path}?{wrong}").status_code == 422


def test_a_long_list_of_fixtures_ends_after_fifty(make_division: Any, make_players: Any, by_alice: Actor) -> None:
    division = drawn_as(make_division(), STAGES["knockout"], make_players(60), by_alice)
    path = f"{API}divisions/{division.public_id}/fixtures/"
    first = Client().get(path).json()
    rest = Client().get(first["next"]).json()
    assert [row["number"] for row in first["results"] + rest["results"]] == list(range(1, 64))
    assert (len(first["results"]), rest["next"]) == (PAGE_SIZE, None)


def test_the_seed_of_a_draft_is_secret(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    alice_client: Client,
    client: Client,
) -> None:
    division = make_division()
    path = f"divisions/{division.public_id}/"
    send(alice_client, "post", f"{path}entries/paste/", {"names": ["Omar", "Uma", "Elif"]})
    send(alice_client, "post", f"tournaments/{division.tournament.public_id}/publish/")
    send(alice_client, "post", f"{path}draws/")
    draws.make_draft(draw_id=Draw.objects.get().pk, now=NOW)
    seed = division.stages.get().seed
    for visitor, seen in ((alice_client, 1), (client, 0)):
        answer = visitor.get(f"{API}{path}draws/")
        assert len(answer.json()["results"]) == seen
        assert seed not in answer.content.decode()
    assert client.get(f"{API}{path}draws/1/").status_code == 404
    assert alice_client.get(f"{API}{path}").json()["seed_hash"] == division.stages.get().seed_hash


def test_a_result_cannot_be_replaced_after_the_next_match_has_begun(
    running: RunningEvent, alice_client: Client
) -> None:
    path = f"tournaments/{running.tournament.public_id}/line/"
    for line in ("m1 7-3", "m2 7-3", "m3 7-3"):
        send(alice_client, "post", path, {"line": line})
    match = Match.objects.get(pk=running.fixture.match_id)
    body = {"score": [3, 7], "after": match.seq}
    refused = send(alice_client, "post", f"fixtures/{running.fixture.public_id}/result/", body)
    assert problem_code(refused) == (409, "successor_begun")
    assert refused.json()["params"] == {"fixture": 1, "successor": 3}


def test_the_nearest_field_is_named(running: RunningEvent, alice_client: Client) -> None:
    path = f"fixtures/{running.fixture.public_id}/rule/"
    ruling = {"winner": 0, "score": [11, 9], "reason": "sheet signed", "after": 0}
    for wrong in ({"kind": "settled", "nonsense": 1}, {"reasn": "?"}):
        answer = send(alice_client, "post", path, ruling | wrong)
        assert problem_code(answer) == (422, "unknown_field")
    assert answer.json()["detail"] == "There is no field reasn; did you mean reason?"
    page = alice_client.get("/api/v1/tournaments/?pagesize=2")
    assert problem_code(page) == (422, "unknown_field")
    assert page.json()["detail"] == "There is no field pagesize; did you mean page_size?"


TABLE = "name,rating,club\nElif Ristic,1650,Harbour\nOmar Kageyama,,\n"


def pasted_as(kind: str, client: Client, path: str, preview: bool) -> Any:
    """Paste the table as the whole body, as a file in a form, or as lines."""
    flag = {"preview": "true"} if preview else {}
    if kind == "body":
        return client.post(f"{path}{'?preview=true' if preview else ''}", TABLE, content_type="text/csv")
    if kind == "file":
        return client.post(path, {"file": SimpleUploadedFile("list.csv", TABLE.encode()), **flag})
    return client.post(path, {"names": TABLE.splitlines(), **flag}, content_type="application/json")


@pytest.mark.parametrize("kind", ["body", "file", "lines"])
def test_a_table_of_players_is_entered(kind: str, make_division: Callable[..., Division], alice_client: Client) -> None:
    division = make_division(name="Open")
    path = f"{API}divisions/{division.public_id}/entries/paste/"
    preview = pasted_as(kind, alice_client, path, preview=True).json()
    assert [(line["name"], line["what"]) for line in preview["lines"]] == [
        ("Elif Ristic", "new"),
        ("Omar Kageyama", "new"),
    ]
    assert not division.entries.exists()
    answer = pasted_as(kind, alice_client, path, preview=False)
    assert (answer.status_code, len(answer.json()["entries"])) == (200, 2)
    assert [entry.player.name for entry in division.entries.order_by("pk")] == ["Elif Ristic", "Omar Kageyama"]


def test_a_list_without_names_is_refused(make_division: Callable[..., Division], alice_client: Client) -> None:
    path = f"{API}divisions/{make_division(name='Open').public_id}/entries/paste/"
    for body, code in (("name,rating\n", "list_empty"), ("a\n" * 2**22, "spreadsheet_too_large"), ("", "invalid")):
        assert problem_code(alice_client.post(path, body, content_type="text/csv")) == (422, code)
    both = {"names": ["Elif"], "file": SimpleUploadedFile("list.csv", b"Omar")}
    assert problem_code(alice_client.post(path, both)) == (422, "invalid")
