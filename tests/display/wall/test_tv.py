"""Matches of an event that are played here: their scores in bracket and lists, and the big screen that follows one."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from display.wall import tv
from engine.actions import Act
from matches.models import LiveMatch, Match
from matches.play.acting import ActionInput, act
from matches.play.directing import Ruling, rule
from matches.play.live import EventKind
from matches.play.starting import PlaySettings, commit_chain, start
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import STAGES, drawn_as
from tournaments.models import Division, Fixture

__all__ = ["bob_player", "by_alice", "club", "make_division", "make_players", "tournament"]

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def division(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Division:
    """Four players, two semi-finals."""
    return drawn_as(make_division(name="Open", match_length=7), STAGES["knockout"], make_players(4), by_alice)


@pytest.fixture
def play_here(division: Division, by_alice: Actor) -> Callable[..., Match]:
    """Play a semi-final here: opened half an hour ago, a score set by the director a minute ago, and begun."""

    def play(number: int, score: tuple[int, int], delay: int | None = 0) -> Match:
        row = Fixture.objects.select_related("match").get(stage__division=division, number=number)
        match = row.match
        assert match is not None
        began = timezone.now() - timedelta(minutes=30)
        start(match=match, settings=PlaySettings(server_chains=True, spectators_delay=delay), by=by_alice, now=began)
        for side in (0, 1):
            commit_chain(match=match, side=side, anchor="", by=by_alice, now=began)
        lately = timezone.now() - timedelta(minutes=1)
        ruling = Ruling(Act.SET_SCORE, 0, score=score, reason="Played before.")
        rule(match=match, ruling=ruling, by=by_alice, now=lately)
        for side in (0, 1):
            ready = ActionInput(EventKind.READY, LiveMatch.objects.get(pk=match.pk).last)
            act(match=match, side=side, request=ready, by=by_alice, now=lately)
        return match

    return play


def page(division: Division, path: str = "", user: User | None = None) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    event = division.tournament
    response = client.get(f"/events/{event.club.slug}/{event.slug}/{path}")
    assert response.status_code == 200
    return response.content.decode()


def shown_scores(division: Division, user: User | None = None) -> list[int | None]:
    """The points in the boxes of the bracket strip."""
    context = tv(division.tournament, timezone.now())
    return [line.score for _, boxes in context["strip"] for box in boxes for line in box.lines]


def test_the_bracket_shows_the_score_of_a_match_that_is_being_played(
    division: Division, play_here: Callable[..., Match]
) -> None:
    play_here(1, (4, 3))
    assert shown_scores(division) == [4, 3, None, None, None, None]
    assert re.findall("<strong>([0-9]+)</strong>", page(division)) == ["4", "3"]


@pytest.mark.parametrize(
    ("delay", "score", "words"), [(10, "0–0", "10 min behind"), (None, "–", "shown after the match")]
)
def test_nobody_learns_the_score_ahead_of_the_delay(
    delay: int | None, score: str, words: str, division: Division, play_here: Callable[..., Match], alice: User
) -> None:
    play_here(1, (4, 3), delay)
    expected = [0, 0] if delay else [None, None]
    assert shown_scores(division)[:2] == expected
    for path in ("", "tv/", f"{division.public_id}/"):
        for user in (None, alice):
            shown = page(division, path, user)
            assert "4–3" not in shown
            assert ">4<" not in shown
    context = tv(division.tournament, timezone.now())
    assert context["followed"].line.delay == delay
    assert (context["followed"].line.score_text or "–") == score
    assert words in page(division, "tv/")


def test_the_screen_follows_the_match_that_decides_most(division: Division, play_here: Callable[..., Match]) -> None:
    assert "No match is being played" in page(division, "tv/")
    first, second = play_here(1, (4, 3)), play_here(2, (1, 0))
    context = tv(division.tournament, timezone.now())
    assert context["followed"].line.public_id == first.public_id
    assert [match.line.public_id for match in context["also"]] == [second.public_id]
    shown = page(division, "tv/")
    assert f'data-match="{first.public_id}"' in shown
    assert "Also live" in shown
    act(
        match=first,
        side=0,
        request=ActionInput("concede", LiveMatch.objects.get(pk=first.pk).last),
        by=Actor.of(User.objects.get(email="alice@example.org")),
        now=timezone.now(),
    )
    assert tv(division.tournament, timezone.now())["followed"].line.public_id == second.public_id


def test_a_private_match_is_in_no_list(division: Division, play_here: Callable[..., Match]) -> None:
    match = play_here(1, (4, 3))
    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.PRIVATE)
    assert tv(division.tournament, timezone.now())["followed"] is None
    assert shown_scores(division)[:2] == [None, None]
    assert "4–3" not in page(division)
    assert "Live now" not in Client().get("/").content.decode()
