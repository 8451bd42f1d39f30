"""Reported messages: who decides on them, and what is left of one that was removed."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from core.live.publishing import last_touch
from matches.models import ChatDecision, ChatMessage
from matches.play.chat.services import topic_of
from players.models import Club, LogEntry, Membership, Player, User
from tests.matches.play.chat.test_chat import chat, one_club, texts
from tests.matches.play.conftest import Board

__all__ = ["one_club"]

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def insult(board: Board, one_club: Club, bob: User, carol: User) -> ChatMessage:
    """Bob's, which Carol has reported."""
    chat(board, bob, room="players", text="You cheat")
    message = ChatMessage.objects.get()
    assert chat(board, carol, f"{message.public_id}/report/", reason="Rude.")[0] == 204
    return message


def decide(board: Board, user: User, message: ChatMessage, *, removed: bool = True) -> Any:
    """Decide by API: the status, and the code of a refusal."""
    status, data = chat(board, user, f"{message.public_id}/decision/", removed=removed)
    return status if data is None else (status, data["code"])


def page_of(user: User, club: Club) -> str:
    client = Client()
    client.force_login(user)
    return client.get(reverse("reported-messages", args=[club.slug])).content.decode()


def test_nobody_reads_a_removed_message_any_more(
    board: Board, one_club: Club, insult: ChatMessage, alice: User, bob: User, carol: User
) -> None:
    chat(board, carol, room="players", text="I do not")
    assert decide(board, alice, insult) == 204
    for user in (alice, bob, carol):
        status, data = chat(board, user)
        assert (status, "You cheat" in str(data)) == (200, False)
        assert texts(board, user, "players") == ["", "I do not"]
    assert [row["removed"] for row in data["rooms"][0]["messages"]] == [True, False]
    assert "You cheat" not in page_of(alice, one_club)
    entry = LogEntry.objects.get(verb="chat_removed")
    assert (entry.user, entry.club, entry.params) == (alice, one_club, {"message": insult.public_id})


def test_open_pages_hear_of_a_removal(
    board: Board, insult: ChatMessage, alice: User, django_capture_on_commit_callbacks: Any
) -> None:
    topic = topic_of(board.match, "players")
    before = last_touch(topic)
    with django_capture_on_commit_callbacks(execute=True):
        decide(board, alice, insult)
    assert last_touch(topic) > before


def test_a_decision_can_be_changed_and_repeated(board: Board, insult: ChatMessage, alice: User, carol: User) -> None:
    for removed in (True, True, False, False):
        assert decide(board, alice, insult, removed=removed) == 204
    assert texts(board, carol, "players") == ["You cheat"]
    assert list(ChatDecision.objects.order_by("pk").values_list("removes", flat=True)) == [True, False]
    verbs = ["chat_reported", "chat_removed", "chat_restored"]
    assert list(LogEntry.objects.filter(verb__startswith="chat").values_list("verb", flat=True).order_by("pk")) == verbs


def test_players_and_spectators_cannot_remove_messages(
    board: Board, insult: ChatMessage, bob: User, carol: User, dave: User
) -> None:
    for user in (bob, carol, dave):
        assert decide(board, user, insult)[0] == 403
        assert not any(room["may_remove"] for room in chat(board, user)[1]["rooms"])
    assert not ChatDecision.objects.exists()


def test_a_director_who_plays_the_match_neither_removes_nor_sees_what_was_reported(
    board: Board, one_club: Club, insult: ChatMessage, alice: User, carol: User, dave: User
) -> None:
    Membership.objects.filter(player__user=carol).update(role=Membership.Role.DIRECTOR)
    chat(board, dave, room="spectators", text="Carol should take")
    comment = ChatMessage.objects.get(room="spectators")
    assert chat(board, alice, f"{comment.public_id}/report/", reason="Advice.")[0] == 204
    assert decide(board, carol, comment) == (403, "own_match")
    assert "Carol should take" not in page_of(carol, one_club)
    assert "Carol should take" in page_of(alice, one_club)


def test_a_report_waits_in_the_club_until_it_is_decided(
    board: Board, one_club: Club, insult: ChatMessage, alice: User, bob: User
) -> None:
    page = page_of(alice, one_club)
    assert "You cheat" in page
    assert "Rude." in page
    client = Client()
    client.force_login(alice)
    url = reverse("chat-decision", args=[board.match.public_id, insult.public_id])
    back = reverse("reported-messages", args=[one_club.slug])
    assert client.post(url, {"decision": "keep", "next": back}).headers["Location"] == back
    assert "You cheat" not in page_of(alice, one_club)
    assert texts(board, bob, "players") == ["You cheat"]
    assert client.post(url, {"decision": "burn"}).status_code == 400
    assert client.post(url, {"decision": "remove", "next": "https://example.org/"}).headers["Location"].startswith("/")


def test_the_directors_of_a_club_of_both_players_decide_in_friendly_matches(
    board: Board, one_club: Club, alice: User, bob: User, carol: User, dave: User
) -> None:
    board.match.club = None
    board.match.save()
    other = Club.objects.create(name="Riverside", slug="riverside")
    for user, name in ((dave, "Dave"), (bob, "")):
        player = Player.objects.get(user=user) if not name else Player.objects.create(name=name, user=user)
        role = Membership.Role.OWNER if name else Membership.Role.MEMBER
        Membership.objects.create(club=other, player=player, role=role)
    chat(board, bob, room="players", text="You cheat")
    message = ChatMessage.objects.get()
    chat(board, carol, f"{message.public_id}/report/", reason="Rude.")
    # Carol is no member of Dave's club.
    assert decide(board, dave, message)[0] == 404
    assert "You cheat" not in page_of(dave, other)
    assert "You cheat" in page_of(alice, one_club)
    assert decide(board, alice, message) == 204
    assert texts(board, bob, "players") == [""]
