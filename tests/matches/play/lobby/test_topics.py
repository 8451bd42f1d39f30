"""The topics of an account and of the lobby: who may watch them, and which changes they announce."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import Http404
from django.test import Client, RequestFactory

from core.live.publishing import CHANNEL, _client, authorise, publish
from engine.actions import Act
from engine.clock import DAY, ClockSettings
from matches.lifecycle.opening import MatchSettings, Opening, open_matches, set_due
from matches.lifecycle.voiding import void_matches
from matches.models import OPEN_FOR, Challenge, Match
from matches.play.lobby import services as lobby
from matches.play.lobby.services import LOBBY_TOPIC, ChallengeInput
from matches.play.starting import PlaySettings, commit_chain, start
from players.actors import SYSTEM, Actor
from players.models import Player, User
from players.people.rows import user_topic
from tests.matches.play.conftest import CLOCK, START, Board
from tests.tokens import key_for

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 60
LAST_TOPIC = "lobby:last"
"""Published last, so that everything before it has arrived."""
CORRESPONDENCE = ClockSettings(2 * DAY, 0, correspondence=True)


def number(topic: str, user: User | None) -> int:
    request = RequestFactory().get("/live/")
    request.user = user or AnonymousUser()
    return authorise(request, topic)


Published = Callable[[], list[str]]


@contextmanager
def listening() -> Iterator[Published]:
    """Yield a function that returns the topics of accounts and of the lobby published since it was called last."""
    with _client().pubsub(ignore_subscribe_messages=True) as pubsub:
        pubsub.psubscribe(f"{CHANNEL}user:*", f"{CHANNEL}lobby:*")
        for _ in range(2):
            pubsub.get_message(timeout=PATIENCE)

        def published() -> list[str]:
            publish(LAST_TOPIC, 0)
            topics = []
            while message := pubsub.get_message(timeout=PATIENCE):
                topic = message["channel"].decode().removeprefix(CHANNEL)
                if topic == LAST_TOPIC:
                    break
                topics.append(topic)
            return sorted(topics)

        yield published


@pytest.fixture
def published(db: None) -> Iterator[Published]:
    with listening() as function:
        yield function


def of(*players: Player) -> list[str]:
    return sorted(f"user:{player.user_id}" for player in players)


def test_only_the_account_itself_may_watch_its_topic(bob: User, carol: User, alice: User) -> None:
    assert number(user_topic(bob), bob) == 0
    for user in (carol, alice, None):
        with pytest.raises(Http404):
            number(user_topic(bob), user)
    with pytest.raises(Http404):
        number("user:x", bob)


def test_a_token_opens_the_topic_of_its_account_alone(bob: User, carol: User) -> None:
    key = key_for(bob)
    request = RequestFactory().get("/live/", headers={"Authorization": f"Token {key}"})
    request.user = AnonymousUser()
    assert authorise(request, user_topic(bob)) == 0
    with pytest.raises(Http404):
        authorise(request, user_topic(carol))


def test_whoever_is_signed_in_may_watch_the_lobby(dave: User) -> None:
    assert number(LOBBY_TOPIC, dave) == 0
    for topic, user in ((LOBBY_TOPIC, None), ("lobby:x", dave)):
        with pytest.raises(Http404):
            number(topic, user)


def test_a_challenge_is_announced_to_both_players_alone(
    player: Player, carol_player: Player, published: Published
) -> None:
    wish = ChallengeInput(3, carol_player)
    first, second = (
        lobby.make_challenge(player=player, wish=wish, by=SYSTEM, now=START + timedelta(seconds=n)) for n in (0, 1)
    )
    assert published() == sorted(2 * of(player, carol_player))
    lobby.decline(challenge=first, player=carol_player, by=SYSTEM, now=START)
    assert published() == of(player, carol_player)
    lobby.withdraw(challenge=second, player=player, by=SYSTEM, now=START)
    assert published() == of(player, carol_player)


def test_an_open_challenge_is_announced_in_the_lobby_until_somebody_accepts_it(
    player: Player, carol_player: Player, published: Published
) -> None:
    row = lobby.make_challenge(player=player, wish=ChallengeInput(3), by=SYSTEM, now=START)
    assert published() == [LOBBY_TOPIC, *of(player)]
    lobby.accept(challenge=row, player=carol_player, by=SYSTEM, now=START)
    assert set(published()) == {LOBBY_TOPIC, *of(player, carol_player)}


def test_expired_challenges_are_announced_once(player: Player, carol_player: Player, published: Published) -> None:
    for wish in (ChallengeInput(3), ChallengeInput(5), ChallengeInput(3, carol_player)):
        lobby.make_challenge(player=player, wish=wish, by=SYSTEM, now=START)
    published()
    assert lobby.expire_challenges(now=START + OPEN_FOR) == 2
    assert published() == [LOBBY_TOPIC, *of(player)]
    assert lobby.expire_challenges(now=START + OPEN_FOR) == 0
    assert published() == []
    assert Challenge.objects.get(state=Challenge.State.OPEN).opponent == carol_player


def test_blocking_changes_the_lobby_of_both(player: Player, carol_player: Player, published: Published) -> None:
    lobby.block(player=player, other=carol_player, by=SYSTEM, now=START)
    assert published() == of(player, carol_player)
    lobby.unblock(player=player, other=carol_player, by=SYSTEM)
    assert published() == of(player, carol_player)


def test_matches_are_announced_to_their_players_by_one_publish_each(
    player: Player, carol_player: Player, dave_player: Player, published: Published
) -> None:
    openings = [Opening((player, carol_player), 3), Opening((player, dave_player), 3)]
    matches = open_matches(openings, settings=MatchSettings(), by=SYSTEM, now=START)
    everybody = of(player, carol_player, dave_player)
    assert published() == everybody
    set_due(matches[0], due_at=START, by=SYSTEM)
    assert published() == of(player, carol_player)
    with transaction.atomic():
        void_matches(dict.fromkeys(Match.objects.all(), False), club=None, by=SYSTEM, now=START)
    assert published() == everybody


def test_a_match_of_a_merged_player_is_announced_to_the_account(
    player: Player, carol_player: Player, published: Published
) -> None:
    other = Player.objects.create(name="Bob B.", merged_into=player)
    open_matches([Opening((other, carol_player), 3)], settings=MatchSettings(), by=SYSTEM, now=START)
    assert published() == of(player, carol_player)


def board_with(clock: ClockSettings, players: tuple[Player, Player], users: list[User]) -> Board:
    match = open_matches([Opening(players, 1)], settings=MatchSettings(), by=SYSTEM, now=START)[0]
    start(match=match, settings=PlaySettings(clock, server_chains=True), by=SYSTEM, now=START)
    for side in (0, 1):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=START)
    return Board(match, users)


def test_by_correspondence_each_turn_is_announced(
    player: Player, carol_player: Player, bob: User, carol: User, published: Published
) -> None:
    board = board_with(CORRESPONDENCE, (player, carol_player), [bob, carol])
    mover = board.open_game()
    published()
    board.do(mover, Act.PLAY, moves=board.any_play())
    assert published() == of(player, carol_player)
    board.do(1 - mover, Act.ROLL)
    assert published() == []


def test_by_a_real_time_clock_only_the_start_and_the_end_are_announced(
    player: Player, carol_player: Player, bob: User, carol: User, published: Published
) -> None:
    board = board_with(CLOCK, (player, carol_player), [bob, carol])
    assert set(published()) == set(of(player, carol_player))
    mover = board.open_game()
    board.do(mover, Act.PLAY, moves=board.any_play())
    assert published() == []
    board.do(1 - mover, Act.CONCEDE)
    assert published() == of(player, carol_player)


@pytest.mark.parametrize(("path", "topics"), [("/my/", [""]), ("/lobby/", [LOBBY_TOPIC, ""])])
def test_the_pages_watch_topics_that_their_reader_may_watch(
    path: str, topics: list[str], bob: User, client: Client
) -> None:
    client.force_login(bob)
    page = client.get(path)
    watched = [pair.partition("=")[0] for pair in page.context["topics"].split()]
    assert watched == [topic or user_topic(bob) for topic in topics]
    assert f'data-topics="{page.context["topics"]}"' in page.content.decode()
    for topic in watched:
        assert number(topic, bob) == 0
