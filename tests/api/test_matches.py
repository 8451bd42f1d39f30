"""The API of matches: reports, answers, records and proposed times; by account, token and link."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from engine.records import write
from engine.simulation import play_out
from matches.lifecycle import links
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.models import Match, Result
from matches.reporting.records import adjudicate_submission
from matches.reporting.reports import accept_unanswered
from players.actors import SYSTEM
from players.models import Player, User
from tests.matches.cast import BOB, CAROL, match_between
from tests.matches.conftest import bob_player, carol_player, club, match, pool
from tests.tokens import key_for

__all__ = ["bob_player", "carol_player", "club", "match", "pool"]

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def as_(user: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {key_for(user)}")
    return client


def by_link(match: Match, side: int | None) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_MATCH_LINK=links.token_for(match, side))
    return client


def at(match: Match, *rest: str) -> str:
    return "/".join(["/api/v1/matches", match.public_id, *rest, ""])


def ask(client: APIClient, path: str, status: int, body: Any = None, **headers: str) -> Any:
    answer = client.get(path) if body is None else client.post(path, body, format="json", headers=headers)
    assert answer.status_code == status, answer.content
    return answer.json()


SEVEN_FIVE = {"score": [7, 5], "after": 0}


def test_a_provisional_result_is_seen_and_accepted_by_link(match: Match) -> None:
    outcome = ResultInput(BOB, kind=Result.Kind.FORFEIT)
    append_result(match, outcome, Basis(Result.Source.DEADLINE), by=SYSTEM, now=timezone.now())
    carol = by_link(match, CAROL)
    shown = ask(carol, at(match), 200)
    assert shown["provisional"] == {"why": "deadline", "against": CAROL, "told": [None, None], "ends_at": None}
    assert (shown["where"]["state"], shown["result"]["finality"]) == ("provisional", "provisional")
    assert shown["awaited"][0]["code"] == "result"
    seen = ask(carol, at(match, "seen"), 200, {"after": shown["seq"]})
    assert seen["provisional"]["ends_at"] is not None
    accepted = ask(carol, at(match, "confirm"), 200, {"after": seen["seq"]})
    assert (accepted["provisional"], accepted["result"]["finality"]) == (None, "final")


def test_one_player_reports_and_the_other_confirms(match: Match, bob: User, carol: User) -> None:
    claimed = ask(as_(bob), at(match, "claims"), 201, SEVEN_FIVE)
    assert (claimed["state"], claimed["my_side"], claimed["awaited"][0]["code"]) == ("claimed", BOB, "answer")
    assert claimed["awaited"][0]["side"] == CAROL
    confirmed = ask(as_(carol), at(match, "confirm"), 200, {"after": claimed["seq"]})
    assert (confirmed["state"], confirmed["result"]["winner"], confirmed["result"]["score"]) == ("settled", BOB, [7, 5])
    assert confirmed["result"]["source"] == "claim"


def test_a_write_must_send_the_version_it_is_based_on(match: Match, bob: User, carol: User) -> None:
    assert ask(as_(bob), at(match, "claims"), 422, {"score": [7, 5]})["code"] == "after_missing"
    etag = as_(carol).get(at(match)).headers["ETag"]
    assert etag == '"0"'
    ask(as_(bob), at(match, "claims"), 201, {"score": [7, 5]}, **{"If-Match": etag})
    stale = ask(as_(carol), at(match, "confirm"), 409, {"after": 0})
    assert (stale["code"], stale["params"]["seq"]) == ("stale", 1)


def test_a_repeated_key_returns_the_first_response_and_refuses_another_body(match: Match, bob: User) -> None:
    first = ask(as_(bob), at(match, "claims"), 201, SEVEN_FIVE, **{"Idempotency-Key": "k1"})
    again = ask(as_(bob), at(match, "claims"), 201, SEVEN_FIVE, **{"Idempotency-Key": "k1"})
    assert again["claims"] == first["claims"]
    other = ask(as_(bob), at(match, "claims"), 422, {"score": [7, 3], "after": 0}, **{"Idempotency-Key": "k1"})
    assert other["code"] == "key_reused"


def test_a_dispute_and_a_withdrawal(match: Match, bob: User, carol: User) -> None:
    ask(as_(bob), at(match, "claims"), 201, SEVEN_FIVE)
    taken_back = ask(as_(bob), at(match, "withdraw"), 200, {"after": 1})
    assert taken_back["state"] == "open"
    ask(as_(bob), at(match, "claims"), 201, {"score": [7, 5], "after": 2})
    disputed = ask(as_(carol), at(match, "contest"), 200, {"after": 3, "note": "not over"})
    assert (disputed["state"], disputed["awaited"][0]["code"]) == ("disputed", "ruling")
    assert disputed["claims"][-1]["answer_note"] == "not over"
    frozen = ask(as_(bob), at(match, "withdraw"), 409, {"after": 4})
    assert frozen["code"] == "match_disputed"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"score": [7], "after": 0}, "invalid"),
        ({"score": [7, -1], "after": 0}, "invalid"),
        ({"score": "7-5", "after": 0}, "invalid"),
        ({"after": 0}, "invalid"),
        ({"score": [7, 5], "after": "x"}, "invalid"),
        ({"score": [6, 5], "after": 0}, "result_not_reached"),
        ({"score": [7, 5], "winner": 1, "after": 0}, "result_loser_leads"),
        ([], "invalid"),
    ],
)
def test_invalid_reports_are_refused_with_their_reason(match: Match, bob: User, body: Any, code: str) -> None:
    assert ask(as_(bob), at(match, "claims"), 422, body)["code"] == code


def test_a_link_acts_without_an_account(match: Match) -> None:
    ask(by_link(match, BOB), at(match, "claims"), 201, SEVEN_FIVE)
    assert ask(by_link(match, CAROL), at(match, "confirm"), 200, {"after": 1})["state"] == "settled"


def test_the_sheet_link_can_only_report(match: Match) -> None:
    sheet = by_link(match, None)
    assert ask(sheet, at(match, "claims"), 422, SEVEN_FIVE)["code"] == "sheet_sender_missing"
    reported = ask(sheet, at(match, "claims"), 201, {**SEVEN_FIVE, "i_am": BOB})
    assert [(claim["side"], claim["says_side"]) for claim in reported["claims"]] == [(None, BOB)]
    assert (reported["state"], reported["awaited"][0]["code"]) == ("open", "sheet")
    for action in ("confirm", "contest", "concede", "seen", "objections", "withdraw", "records", "proposals"):
        ask(sheet, at(match, action), 404, {"after": 1})


def test_a_report_is_previewed_and_nothing_is_written(match: Match, carol: User) -> None:
    seen = ask(as_(carol), at(match, "claims", "preview"), 200, {"score": [7, 5]})
    assert seen["message"] == "Bob won 7–5."
    assert not match.claims.exists()
    refused = ask(as_(carol), at(match, "claims", "preview"), 422, {"score": [9, 5]})
    assert (refused["code"], refused["detail"].endswith("Did you mean 7–5?")) == ("score_above_length", True)


def test_a_report_is_seen_disputed_and_conceded(match: Match, bob: User, carol: User) -> None:
    ask(as_(bob), at(match, "claims"), 201, SEVEN_FIVE)
    key = {"Idempotency-Key": "k1"}
    seen = ask(as_(carol), at(match, "seen"), 200, {"after": 1}, **key)
    assert seen["claims"][0]["stands_at"] is not None
    contested = ask(as_(carol), at(match, "contest"), 200, {"after": 2}, **key)
    conceded = ask(as_(carol), at(match, "concede"), 200, {"after": 3}, **key)
    assert conceded["state"] == "settled"
    for action, first in (("seen", seen), ("contest", contested), ("concede", conceded)):
        assert ask(as_(carol), at(match, action), 200, {"after": 1}, **key) == first


def test_a_player_can_object_to_an_unanswered_result(match: Match, bob: User, carol: User) -> None:
    ask(as_(bob), at(match, "claims"), 201, SEVEN_FIVE)
    ask(as_(carol), at(match, "seen"), 200, {"after": 1})
    accept_unanswered(claim_id=match.claims.get().pk, now=timezone.now() + timedelta(minutes=11))
    body = {"reason": "We did not play.", "after": ask(as_(carol), at(match), 200)["seq"]}
    objected = ask(as_(carol), at(match, "objections"), 201, body)
    assert [(objection["side"], objection["state"]) for objection in objected["objections"]] == [(CAROL, "open")]
    assert objected["state"] == "settled"
    again = ask(as_(carol), at(match, "objections"), 409, {**body, "after": objected["seq"]})
    assert again["code"] == "objection_made"


def test_a_link_of_another_match_gives_no_access(match: Match, bob_player: Player, carol_player: Player) -> None:
    other = match_between(bob_player, carol_player)
    ask(by_link(other, BOB), at(match, "claims"), 404, SEVEN_FIVE)
    ask(by_link(other, BOB), at(match), 404)


ACTIONS = ("claims", "claims/preview", "confirm", "contest", "concede", "seen", "objections", "withdraw", "records")


def test_who_may_act(match: Match, alice: User, dave: User) -> None:
    for action in ACTIONS:
        assert ask(APIClient(), at(match, action), 401, SEVEN_FIVE)["code"] == "not_authenticated"
        for user in (alice, dave):
            ask(as_(user), at(match, action), 404, SEVEN_FIVE)
    ask(as_(alice), at(match, "links"), 200)
    ask(as_(dave), at(match, "links"), 403)
    ask(APIClient(), at(match, "links"), 401)


def test_who_may_look(match: Match, alice: User, bob: User, dave: User) -> None:
    Match.objects.update(visibility="private")
    ask(APIClient(), at(match), 404)
    ask(as_(dave), at(match), 404)
    ask(as_(alice), at(match), 200)
    assert ask(as_(bob), at(match), 200)["my_side"] == BOB
    assert ask(as_(dave), "/api/v1/matches/", 200)["results"] == []
    assert len(ask(as_(bob), "/api/v1/matches/", 200)["results"]) == 1


def test_a_record_settles_the_match_and_shows_its_outcome(
    bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    match = match_between(bob_player, carol_player, length=3)
    text = write(play_out(1, 3, players=("Bob", "Carol")), "mat").decode()
    sent = ask(as_(bob), at(match, "records"), 201, {"text": text, "file_name": "final.mat"})
    assert (sent["records"][0]["standing"], sent["awaited"][0]["code"]) == ("waiting", "verdict")
    adjudicate_submission(submission_id=match.submissions.get().pk, now=timezone.now())
    reported = ask(as_(bob), at(match), 200)
    assert (reported["state"], reported["claims"][0]["record"]) == ("claimed", sent["records"][0]["public_id"])
    settled = ask(as_(carol), at(match, "confirm"), 200, {"after": reported["seq"]})
    assert (settled["state"], settled["result"]["record"]) == ("settled", sent["records"][0]["public_id"])
    wrong = write(play_out(2, 5, players=("Bob", "Carol")), "mat").decode()
    ask(as_(bob), at(match, "records"), 201, {"text": wrong})
    adjudicate_submission(submission_id=match.submissions.get(file_name="").pk, now=timezone.now())
    refused = ask(as_(bob), at(match), 200)["records"][1]
    assert (refused["standing"], refused["code"]) == ("refused", "record_length")
    assert refused["message"] == "The match is to 3 points, the record to 5."


def test_the_sender_says_which_player_is_which(
    bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    match = match_between(bob_player, carol_player, length=3)
    text = write(play_out(1, 3, players=("ace", "king")), "mat").decode()
    ask(as_(bob), at(match, "records"), 201, {"text": text})
    row = match.submissions.get()
    adjudicate_submission(submission_id=row.pk, now=timezone.now())
    waiting = ask(as_(bob), at(match), 200)
    assert (waiting["awaited"][0]["code"], waiting["awaited"][0]["side"]) == ("names", BOB)
    body = {"left": 1, "after": waiting["seq"]}
    assert ask(as_(carol), at(match, "records", row.public_id, "names"), 403, body)["code"] == "names_ask_other"
    names, key = at(match, "records", row.public_id, "names"), {"Idempotency-Key": "k1"}
    settled = ask(as_(bob), names, 200, body, **key)
    assert (settled["state"], settled["result"]["winner"]) == ("settled", CAROL)
    assert ask(as_(bob), names, 200, body, **key)["seq"] == settled["seq"]
    assert ask(as_(bob), names, 422, {**body, "left": 0}, **key)["code"] == "key_reused"


def test_times_are_proposed_and_accepted(match: Match, bob: User, carol: User, dave: User) -> None:
    time = (datetime.now(UTC) + timedelta(days=3)).replace(microsecond=0).isoformat()
    proposed = ask(as_(bob), at(match, "proposals"), 201, {"times": [time], "after": 0})
    public_id = proposed["proposals"][0]["public_id"]
    accepted = ask(as_(carol), at(match, "proposals", public_id, "accept"), 200, {"time": time, "after": 1})
    assert accepted["proposals"][0]["state"] == "accepted"
    assert accepted["awaited"][0]["code"] == "appointment"
    assert ask(as_(dave), at(match), 200)["proposals"] == []
    assert ask(as_(carol), at(match, "proposals"), 422, {"times": [], "after": 2})["code"] == "invalid"
    assert (
        ask(as_(bob), at(match, "proposals", public_id, "withdraw"), 409, {"after": 2})["code"] == "proposal_answered"
    )


def test_the_list_is_filtered(match: Match, bob_player: Player, carol_player: Player, bob: User, carol: User) -> None:
    dinah = Player.objects.create(name="Dinah")
    other = match_between(carol_player, dinah, parent_topic="division:xyz")
    ask(as_(bob), at(match, "claims"), 201, SEVEN_FIVE)

    def listed(query: str) -> set[str]:
        return {row["public_id"] for row in ask(as_(bob), f"/api/v1/matches/?{query}", 200)["results"]}

    assert listed("") == {match.public_id, other.public_id}
    assert listed("state=claimed") == listed("mine=true") == listed("club=ace-point") == {match.public_id}
    assert listed(f"player={dinah.public_id}") == listed("topic=division:xyz") == {other.public_id}


def test_a_list_takes_the_same_queries_for_many(
    bob_player: Player, carol_player: Player, bob: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = as_(bob)
    for _ in range(40):
        match_between(bob_player, carol_player)
    with django_assert_max_num_queries(12):
        assert len(ask(client, "/api/v1/matches/", 200)["results"]) == 40


def test_the_schema_shows_every_write_with_an_example() -> None:
    from drf_spectacular.generators import SchemaGenerator

    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    writes = {
        path: entry["post"]
        for path, entry in paths.items()
        if "/matches/{public_id}/" in path and "post" in entry and "/live/" not in path
    }
    # Taps without a body, running scores, of which the last stands, offers, which an answer names, and kept acts, which
    # are numbered: they are harmless to repeat.
    lengths = ("length-offers", "length-offers/accept", "length-offers/decline")
    for tap in ("rematch", "here", "no-show", "running-score", "kept", *lengths):
        del writes[f"/api/v1/matches/{{public_id}}/{tap}/"]
    assert len(writes) == 13
    previews = [path for path in writes if path.endswith("/preview/")]
    assert previews, "it writes nothing, so it takes no key and no state"
    for path, write_ in writes.items():
        if path in previews:
            continue
        assert (
            any(content.get("examples") for content in write_["requestBody"]["content"].values()) or "records" in path
        )
        assert {"Match-Link", "Idempotency-Key", "If-Match"} <= {
            parameter["name"] for parameter in write_["parameters"]
        }
