"""What the players of a match say to each other, and what its spectators say while they play."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone

from core import throttle
from core.live.publishing import authorise
from matches.lifecycle import links
from matches.models import ChatMessage
from players.actors import Actor
from players.models import Club, LogEntry, Membership, Player, User
from players.people.erasure import erase_player
from tests.matches.play.conftest import BOB, CAROL, Board

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def chat(board: Board, user: User | None, path: str = "", link: str = "", **body: Any) -> tuple[int, Any]:
    """Read the chat, or send something there."""
    client = Client()
    if user is not None:
        client.force_login(user)
    url = f"/api/v1/matches/{board.match.public_id}/live/chat/{path}"
    headers = {"Match-Link": link} if link else {}
    response = (
        client.post(url, body, content_type="application/json", headers=headers)
        if body
        else client.get(url, headers=headers)
    )
    return response.status_code, response.json() if response.content else None


def texts(board: Board, user: User | None, room: str, link: str = "") -> list[str] | None:
    """What a reader sees of a room; None if they do not see the room."""
    status, data = chat(board, user, link=link)
    assert status == 200
    rooms = {row["room"]: [message["text"] for message in row["messages"]] for row in data["rooms"]}
    return rooms.get(room)


@pytest.fixture
def one_club(board: Board, alice: User) -> Club:
    """Bob and Carol are members of Alice's club, whose match it is."""
    club = Club.objects.create(name="Harbour Backgammon", slug="harbour")
    director = Player.objects.create(name="Alice", user=alice)
    Membership.objects.create(club=club, player=director, role=Membership.Role.DIRECTOR)
    for player in board.match.players:
        Membership.objects.create(club=club, player=player)
    board.match.club = club
    board.match.save(update_fields=["club"])
    return club


def test_strangers_talk_in_phrases(board: Board, bob: User, carol: User) -> None:
    status, refusal = chat(board, bob, room="players", text="You are lucky")
    assert (status, refusal["code"]) == (422, "chat_phrases_only")
    for neither_or_both in ({}, {"text": "You are lucky", "phrase": "good_luck"}):
        assert chat(board, bob, room="players", **neither_or_both)[1]["code"] == "chat_phrase_or_text"
    assert chat(board, bob, room="players", phrase="good_luck")[0] == 201
    assert texts(board, carol, "players") == ["Good luck!"]
    assert texts(board, None, "players", link=links.token_for(board.match, CAROL)) == ["Good luck!"]


def test_members_of_one_club_write_freely(board: Board, one_club: Club, bob: User, carol: User) -> None:
    assert chat(board, bob, room="players", text="Coffee after this?")[0] == 201
    link = links.token_for(board.match, CAROL)
    assert chat(board, None, link=link, room="players", text="Gladly")[0] == 201
    assert texts(board, bob, "players") == ["Coffee after this?", "Gladly"]


def test_nobody_else_reads_the_chat_of_the_players_but_directors(
    board: Board, one_club: Club, alice: User, bob: User, dave: User
) -> None:
    chat(board, bob, room="players", phrase="hello")
    assert texts(board, alice, "players") == ["Hello!"]
    assert [texts(board, user, "players") for user in (dave, None)] == [None, None]
    for user, room, code in ((dave, "players", "chat_not_yours"), (bob, "spectators", "chat_not_yours")):
        assert chat(board, user, room=room, phrase="hello")[1]["code"] == code
    assert chat(board, None, room="spectators", phrase="hello")[0] == 401


def test_players_do_not_see_the_comments_of_spectators_until_the_match_is_over(
    board: Board, bob: User, carol: User, dave: User
) -> None:
    assert chat(board, dave, room="spectators", text="Bob should double")[0] == 201
    assert texts(board, None, "spectators") == ["Bob should double"]
    assert [texts(board, user, "spectators") for user in (bob, carol)] == [None, None]
    assert texts(board, None, "spectators", link=links.token_for(board.match, BOB)) is None
    board.do(BOB, "concede")
    assert texts(board, bob, "spectators") == ["Bob should double"]


def request_of(user: User | None) -> HttpRequest:
    request = RequestFactory().get("/live/")
    request.user = user or AnonymousUser()
    return request


def test_the_stream_does_not_tell_players_that_spectators_talk(board: Board, bob: User, dave: User) -> None:
    comments, talk = (f"chat:{board.match.public_id}/{room}" for room in ("spectators", "players"))
    assert authorise(request_of(dave), comments) >= 0
    assert authorise(request_of(bob), talk) >= 0
    for user, topic in ((bob, comments), (dave, talk), (None, talk), (dave, f"{talk}x")):
        with pytest.raises(Http404):
            authorise(request_of(user), topic)


def test_a_player_mutes_the_opponent(board: Board, bob: User, carol: User, dave: User) -> None:
    chat(board, bob, room="players", phrase="hello")
    chat(board, carol, room="players", phrase="thanks")
    assert chat(board, carol, "mute/", muted=True)[0] == 200
    assert texts(board, carol, "players") == ["Thank you!"]
    assert texts(board, bob, "players") == ["Hello!", "Thank you!"]
    chat(board, carol, "mute/", muted=False)
    assert texts(board, carol, "players") == ["Hello!", "Thank you!"]
    assert chat(board, dave, "mute/", muted=True)[1]["code"] == "chat_not_yours"


def test_a_message_is_reported_to_the_directors_once(board: Board, one_club: Club, bob: User, carol: User) -> None:
    chat(board, bob, room="players", text="You cheat")
    message = ChatMessage.objects.get()
    for _ in range(2):
        assert chat(board, carol, f"{message.public_id}/report/", reason="An insult.")[0] == 204
    entry = LogEntry.objects.get(verb="chat_reported")
    assert (entry.club, entry.user, entry.params["reason"]) == (one_club, carol, "An insult.")
    assert "You cheat" not in str(entry.params)


def test_only_what_one_may_read_can_be_reported(board: Board, bob: User, dave: User) -> None:
    chat(board, bob, room="players", phrase="hello")
    message = ChatMessage.objects.get()
    assert chat(board, dave, f"{message.public_id}/report/", reason="?")[0] == 404


@pytest.mark.parametrize(
    "body",
    [
        {"room": "players"},
        {"room": "players", "phrase": "hello", "text": "Hello"},
        {"room": "players", "phrase": "insult"},
        {"room": "directors", "phrase": "hello"},
        {"room": "players", "text": "x" * 201},
    ],
)
def test_bad_input_is_refused(body: dict[str, Any], board: Board, one_club: Club, bob: User) -> None:
    assert chat(board, bob, **body)[0] == 422
    assert not ChatMessage.objects.exists()


def test_who_writes_without_end_is_stopped(board: Board, bob: User) -> None:
    for _ in range(throttle.LIVE_CHAT_OF.most):
        assert chat(board, bob, room="players", phrase="hello")[0] == 201
    assert chat(board, bob, room="players", phrase="hello")[1]["code"] == "too_many_attempts"


def test_a_private_match_has_no_chat_for_others(board: Board, dave: User) -> None:
    board.match.visibility = board.match.Visibility.PRIVATE
    board.match.save()
    assert chat(board, dave)[0] == 404
    assert chat(board, dave, room="spectators", text="Hello")[0] == 404


def test_erasing_a_player_deletes_what_they_wrote(board: Board, bob: User, carol: User) -> None:
    chat(board, bob, room="players", phrase="hello")
    chat(board, None, link=links.token_for(board.match, BOB), room="players", phrase="thanks")
    chat(board, carol, room="players", phrase="sorry")
    board.do(BOB, "concede")
    erase_player(player=board.match.players[BOB], by=Actor.of(bob), now=timezone.now())
    assert texts(board, carol, "players") == ["Sorry!"]
