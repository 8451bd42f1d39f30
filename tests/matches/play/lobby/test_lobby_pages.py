"""The lobby as Bob, Carol and Dave see it, and its API."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from rest_framework.test import APIClient

from matches.models import Challenge, FriendlyBlock, LiveMatch, Match
from players.models import Player, User
from tests.matches.analysis.programs import fake_gnubg
from tests.pages import html

pytestmark = pytest.mark.django_db
CHALLENGE = {"opponent": "", "length": "5", "clock": "table", "turn_days": "2", "ratings": ""}


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def api(user: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(user)
    return client


def lobby(user: User, **query: str) -> str:
    return html(as_(user).get("/lobby/", query))


def send(user: User, path: str, **fields: str) -> Any:
    return as_(user).post(path, fields, follow=True)


def test_an_open_challenge_is_accepted_in_one_tap(player: Player, carol_player: Player) -> None:
    bob, carol = player.user, carol_player.user
    assert bob is not None
    assert carol is not None
    assert "No open challenges right now" in lobby(carol)
    sent = html(send(bob, "/lobby/challenges/", **CHALLENGE))
    assert "The match begins when somebody accepts it." in sent
    assert "Your challenges" in sent
    row = Challenge.objects.get()
    accept = f"/lobby/challenges/{row.public_id}/accept/"
    assert accept not in lobby(bob)
    assert accept in lobby(carol)

    response = as_(carol).post(accept)

    match = Match.objects.get()
    assert response.headers["Location"] == f"/matches/{match.public_id}/play/"
    for user in (bob, carol):
        assert "Your matches" in lobby(user)
        assert f'href="/matches/{match.public_id}/play/"' in lobby(user)
    assert accept not in lobby(carol)


@pytest.mark.parametrize(("days", "text"), [("1", "1 day for each turn"), ("3", "3 days for each turn")])
def test_a_challenge_says_how_many_days_a_turn_takes(
    player: Player, bob: User, carol: User, days: str, text: str
) -> None:
    send(bob, "/lobby/challenges/", **{**CHALLENGE, "clock": "correspondence", "turn_days": days})
    for user in (bob, carol):
        assert text in lobby(user)


def test_only_the_lists_are_fetched_again(player: Player, bob: User) -> None:
    client = as_(bob)
    fragment = html(client.get("/lobby/", headers={"HX-Request": "true"}))
    assert "Open challenges" in fragment
    assert "<html" not in fragment
    assert "New challenge" not in fragment


def test_a_challenge_by_name_is_seen_by_that_player_only(
    player: Player, carol_player: Player, bob: User, carol: User, dave: User
) -> None:
    assert "Carol can now accept your challenge." in html(
        send(bob, "/lobby/challenges/", **{**CHALLENGE, "opponent": " carol "})
    )
    row = Challenge.objects.get()
    assert "Challenges for you" in lobby(carol)
    assert row.public_id not in lobby(dave)
    for action in ("accept", "decline", "withdraw"):
        assert as_(dave).post(f"/lobby/challenges/{row.public_id}/{action}/").status_code == 404
    assert html(send(carol, f"/lobby/challenges/{row.public_id}/withdraw/")).count("message-error") == 1
    send(carol, f"/lobby/challenges/{row.public_id}/decline/")
    row.refresh_from_db()
    assert row.state == "declined"
    send(bob, "/lobby/challenges/", **CHALLENGE)
    own = Challenge.objects.get(state="open")
    send(bob, f"/lobby/challenges/{own.public_id}/withdraw/")
    own.refresh_from_db()
    assert own.state == "withdrawn"


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("opponent", "Nobody Known", "No player with an account has exactly this name."),
        ("opponent", "Bob", "A match needs two different players."),
        ("length", "16", "less than or equal to 15"),
        ("length", "", "required"),
        ("clock", "sundial", "Select a valid choice"),
        ("turn_days", "0", "greater than or equal to 1"),
        ("ratings", "99", "Select a valid choice"),
    ],
)
def test_a_bad_challenge_is_shown_again(player: Player, bob: User, field: str, value: str, text: str) -> None:
    response = send(bob, "/lobby/challenges/", **{**CHALLENGE, field: value})
    assert response.status_code == 422
    assert text in html(response)
    assert not Challenge.objects.exists()


def test_two_players_with_one_name_are_told_apart_by_their_pages(
    player: Player, carol_player: Player, bob: User
) -> None:
    double = User.objects.create_user("c2@example.org", "x", display_name="Carol")
    Player.objects.create(name="Carol", user=double)
    assert "Several players have this name" in html(
        send(bob, "/lobby/challenges/", **{**CHALLENGE, "opponent": "Carol"})
    )
    to = carol_player.public_id
    assert f'value="{to}"' in lobby(bob, to=to)
    send(bob, "/lobby/challenges/", **{**CHALLENGE, "opponent": "Carol", "to": to})
    assert Challenge.objects.get().opponent == carol_player


def test_a_player_who_shows_initials_keeps_them_and_can_be_challenged(
    player: Player, carol_player: Player, bob: User
) -> None:
    Player.objects.filter(pk=carol_player.pk).update(name="Carol Hidden", initials_only=True)
    to = carol_player.public_id
    assert "Hidden" not in lobby(bob, to=to)
    assert "No player with an account has exactly this name." in html(
        send(bob, "/lobby/challenges/", **{**CHALLENGE, "opponent": "Carol Hidden"})
    )
    page = html(send(bob, "/lobby/challenges/", **{**CHALLENGE, "opponent": "C. H.", "to": to}))
    assert "C. H. can now accept your challenge." in page
    assert "Hidden" not in page
    assert Challenge.objects.get().opponent == carol_player
    other = {**CHALLENGE, "opponent": "Somebody Else", "to": to}
    assert "No player with an account has exactly this name." in html(send(bob, "/lobby/challenges/", **other))


def test_a_profile_leads_to_a_challenge_and_to_a_block(
    player: Player, carol_player: Player, bob: User, client: Client
) -> None:
    path = f"/players/{carol_player.public_id}/"
    assert f"/lobby/?to={carol_player.public_id}" in html(as_(bob).get(path))
    assert "/lobby/?to=" not in html(client.get(path))
    assert f"/lobby/?to={player.public_id}" not in html(as_(bob).get(f"/players/{player.public_id}/"))
    assert 'value="Carol"' in lobby(bob, to=carol_player.public_id)
    assert as_(bob).get("/lobby/", {"to": "2222222222"}).status_code == 404

    page = html(send(bob, "/lobby/blocks/", player=carol_player.public_id))

    assert "Carol can no longer play friendly matches with you." in page
    assert "Blocked players" in page
    assert FriendlyBlock.objects.get().blocked == carol_player
    send(bob, "/lobby/challenges/", **CHALLENGE)
    assert carol_player.user is not None
    assert "No open challenges right now" in lobby(carol_player.user), "Bob has blocked Carol"
    page = html(send(bob, f"/lobby/blocks/{carol_player.public_id}/remove/"))
    assert "Blocked players" not in page
    assert send(bob, "/lobby/blocks/", player="x").status_code == 404
    assert "You cannot block yourself." in html(send(bob, "/lobby/blocks/", player=player.public_id))


def test_practice_starts_with_one_form(bob: User) -> None:
    page = lobby(bob)
    assert page.count('action="/lobby/practice/"') == 1
    response = as_(bob).post("/lobby/practice/", {"style": "club", "length": "3"})
    match = Match.objects.get()
    assert response.headers["Location"] == f"/matches/{match.public_id}/play/"
    assert (match.player_0.user, match.length, match.live.bot_side) == (bob, 3, 1)
    for bad in ({"style": "club", "length": "0"}, {"style": "gnu", "length": "3"}, {}):
        assert send(bob, "/lobby/practice/", **bad).status_code == 422
    assert Match.objects.count() == 1


def test_levels_can_be_chosen_where_a_program_is_installed(bob: User, tmp_path: Path, settings: LazySettings) -> None:
    settings.ANALYSIS_BACKEND = "off"
    page = lobby(bob)
    assert "Club level" not in page
    assert "apt-get install gnubg" in page
    form = {"style": "level-casual", "length": "3"}
    assert send(bob, "/lobby/practice/", **form).status_code == 422
    ask(bob, "post", "practice/", 409, {"length": 3, "level": "casual"})
    assert not Match.objects.exists()

    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", fake_gnubg(tmp_path).path
    page = lobby(bob)
    for path in ("/lobby/practice/", "/lobby/"):
        assert '<option value="level-club" selected>Club level (PR 7)</option>' in html(as_(bob).get(path))
    assert "apt-get" not in page
    assert send(bob, "/lobby/practice/", **{**form, "style": "level-grandmaster"}).status_code == 422
    board = html(send(bob, "/lobby/practice/", **form))
    assert "Practice: casual level, GNU Backgammon" in board
    assert board.count("casual level") == 3, "also beside its name, since a phone hides the title, and before the start"
    assert "casual level" in lobby(bob)
    ask(bob, "post", "practice/", 422, {"length": 3, "level": "grandmaster"})
    ask(bob, "post", "practice/", 422, {"length": 3, "level": "club", "opponent": "pip"})
    ask(bob, "post", "practice/", 422, {"length": 3, "opponent": "level"})
    started = ask(bob, "post", "practice/", 201, {"length": 3, "level": "strongest"})["match"]
    assert LiveMatch.objects.get(match__public_id=started).bot_level == "strongest"


def test_a_rematch_needs_a_tap_of_each(player: Player, carol_player: Player, bob: User, carol: User) -> None:
    send(bob, "/lobby/challenges/", **CHALLENGE)
    send(carol, f"/lobby/challenges/{Challenge.objects.get().public_id}/accept/")
    match = Match.objects.get()
    Match.objects.update(state=Match.State.SETTLED)
    rematch = f"/matches/{match.public_id}/rematch/"
    assert rematch in lobby(bob)
    page = html(send(bob, rematch))
    assert "The rematch begins when your opponent accepts it." in page
    assert rematch not in page
    assert "Accept the rematch" in lobby(carol)
    response = as_(carol).post(rematch)
    again = Match.objects.exclude(pk=match.pk).get()
    assert response.headers["Location"] == f"/matches/{again.public_id}/play/"
    assert rematch not in lobby(carol)


def test_visitors_play_at_once_and_come_to_the_lobby_through_signing_up(client: Client) -> None:
    page = html(client.get("/lobby/"))
    assert "/play/guest/" in page
    assert '/sign-up/?next=/lobby/"' in page
    assert 'href="/check/"' in page
    # The lists of a member who was signed out meanwhile stay as they are.
    assert client.get("/lobby/", headers={"HX-Request": "true"}).status_code == 204


def test_practice_lists_what_is_not_finished(bob: User) -> None:
    assert 'id="running-title"' not in html(as_(bob).get("/lobby/practice/"))
    send(bob, "/lobby/practice/", style="club", length="1")
    assert 'id="running-title"' in html(as_(bob).get("/lobby/practice/"))


def test_my_matches_lists_friendlies_challenges_and_practice_last(
    player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    send(bob, "/lobby/practice/", style="club", length="1")
    send(carol, "/lobby/challenges/", **{**CHALLENGE, "opponent": "Bob"})
    page = html(as_(bob).get("/my/"))
    assert "Challenges for you" in page
    assert "· Practice" in page
    assert "Challenges for you" not in html(as_(carol).get("/my/"))
    send(bob, f"/lobby/challenges/{Challenge.objects.get().public_id}/accept/")
    page = html(as_(bob).get("/my/"))
    assert "Challenges for you" not in page
    assert page.index("Friendly match") < page.index("Also open") < page.index("Practice")


# The API


def ask(user: User, method: str, path: str, status: int, body: Any = None) -> Any:
    response = getattr(api(user), method)(f"/api/v1/{path}", body, format="json")
    assert response.status_code == status, response.content
    return response.json() if response.content else None


def test_a_friendly_by_api(player: Player, carol_player: Player, bob: User, carol: User, dave: User) -> None:
    challenge = ask(bob, "post", "challenges/", 201, {"length": 3, "opponent": carol_player.public_id, "clock": "none"})
    assert (challenge["state"], challenge["opponent"]["name"]) == ("open", "Carol")
    assert [row["public_id"] for row in ask(carol, "get", "challenges/", 200)] == [challenge["public_id"]]
    assert ask(dave, "get", "challenges/", 200) == []
    for action in ("accept", "decline", "withdraw"):
        ask(dave, "post", f"challenges/{challenge['public_id']}/{action}/", 404)
    assert ask(bob, "post", f"challenges/{challenge['public_id']}/accept/", 403)["code"] == "challenge_own"
    started = ask(carol, "post", f"challenges/{challenge['public_id']}/accept/", 200)
    match = Match.objects.get()
    assert started == {"match": match.public_id, "page": f"http://testserver/matches/{match.public_id}/play/"}
    assert ask(bob, "post", f"matches/{match.public_id}/rematch/", 409)["code"] == "no_rematch"
    ask(dave, "post", f"matches/{match.public_id}/rematch/", 404)
    Match.objects.update(state=Match.State.SETTLED)
    assert ask(bob, "post", f"matches/{match.public_id}/rematch/", 200) == {"match": None, "page": None}
    assert ask(carol, "post", f"matches/{match.public_id}/rematch/", 200)["match"] != match.public_id


def test_challenges_end_by_api(player: Player, carol_player: Player, bob: User, carol: User) -> None:
    first = ask(bob, "post", "challenges/", 201, {"length": 3})["public_id"]
    ask(bob, "post", f"challenges/{first}/withdraw/", 204)
    assert ask(carol, "post", f"challenges/{first}/accept/", 409)["code"] == "challenge_gone"
    second = ask(bob, "post", "challenges/", 201, {"length": 3, "opponent": carol_player.public_id})["public_id"]
    ask(carol, "post", f"challenges/{second}/decline/", 204)
    ask(bob, "post", "challenges/", 422, {"length": 16})
    assert ask(bob, "post", "challenges/", 422, {"length": 3, "pool_id": 77})["code"] == "pool_of_other_club"
    ask(bob, "post", "challenges/", 404, {"length": 3, "opponent": "2222222222"})


def test_blocks_and_practice_by_api(player: Player, carol_player: Player, bob: User) -> None:
    ask(bob, "post", "me/blocks/", 204, {"player": carol_player.public_id})
    assert [row["name"] for row in ask(bob, "get", "me/blocks/", 200)] == ["Carol"]
    ask(bob, "delete", f"me/blocks/{carol_player.public_id}/", 204)
    assert ask(bob, "get", "me/blocks/", 200) == []
    ask(bob, "delete", "me/blocks/2222222222/", 404)
    assert ask(bob, "post", "me/blocks/", 422, {"player": player.public_id})["code"] == "block_self"
    ask(bob, "post", "practice/", 422, {"length": 3, "opponent": "gnu"})
    started = ask(bob, "post", "practice/", 201, {"length": 3})
    assert LiveMatch.objects.get(match__public_id=started["match"]).bot_side == 1


def test_a_practice_match_is_nobody_elses(player: Player, bob: User, dave: User) -> None:
    started = ask(bob, "post", "practice/", 201, {"length": 1})["match"]
    assert as_(dave).get(f"/matches/{started}/").status_code == 404
    ask(dave, "get", f"matches/{started}/live/", 404)
    assert ask(bob, "get", f"matches/{started}/live/", 200)["my_side"] == 0
