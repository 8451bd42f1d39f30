"""The end of a match on its board."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from engine import adjudicate, replay
from engine.records import from_data, to_data
from engine.simulation import play_out
from matches.lifecycle import links
from matches.models import Analysis, Challenge, Match, PlayerRating, RatingChange
from matches.play.ending import sparkline
from matches.ratings.services import default_pool, replay_pool
from matches.records.verdicts import as_json
from players.models import Player, User
from tests.matches.analysis.rows import store_game
from tests.matches.cast import match_between
from tests.matches.play.conftest import BOB, CAROL, Board
from tests.pages import html

pytestmark = pytest.mark.django_db


def analysed(match: Match, state: str = Analysis.State.DONE) -> Analysis:
    """An analysis of a match played here; the decisions of a finished one are those of a simulated match."""
    Analysis.objects.filter(match=match).delete()
    analysis = Analysis.objects.create(
        match=match, state=state, backend="gnubg", version="1.08", settings={"plays": "2-ply"}, cpu_seconds=20
    )
    if state == Analysis.State.DONE:
        transcript = play_out(2, 3, players=("Bob", "Carol"))
        data, verdict = to_data(transcript), as_json(adjudicate(transcript))
        for index, facts in enumerate(verdict["games"], start=1):
            game = from_data({**data, "games": [data["games"][index - 1]]})
            store_game(analysis, index, replay(game), verdict["length"], facts)
    return analysis


@pytest.fixture
def url(match: Match) -> str:
    return reverse("match-end", args=[match.public_id])


@pytest.fixture
def over(board: Board) -> Board:
    """Carol has conceded to Bob."""
    board.open_game()
    board.do(CAROL, "concede")
    return board


def test_there_is_no_end_while_the_match_goes_on_nor_for_viewers(
    client: Client, bob: User, dave: User, board: Board, url: str
) -> None:
    board.open_game()
    client.force_login(bob)
    assert client.get(url).status_code == 404
    board.do(CAROL, "concede")
    assert client.get(url).status_code == 200
    client.force_login(dave)
    assert client.get(url).status_code == 404
    client.logout()
    assert client.get(url).status_code == 404


def test_both_read_the_same_result_in_their_own_words(
    client: Client, bob: User, over: Board, match: Match, url: str
) -> None:
    client.force_login(bob)
    assert "<h2>You win</h2>" in html(client.get(url))
    client.logout()
    content = html(client.get(reverse("link-end", args=[links.token_for(match, CAROL)])))
    assert f"<h2>{match.names[BOB]} wins.</h2>" in content


def test_the_performance_of_both_appears_once_the_analysis_is_there(
    client: Client, bob: User, over: Board, match: Match, url: str
) -> None:
    Player.objects.update(analysis_visibility=Player.AnalysisVisibility.PUBLIC)
    client.force_login(bob)
    analysed(match, Analysis.State.WORKING)
    content = html(client.get(url))
    assert f'data-topic="analysis:{match.public_id}"' in content
    assert "Analysing, about" in content
    assert "lower is better" not in content
    analysis = analysed(match)
    content = html(client.get(url))
    assert "data-topic" not in content
    own = analysis.decisions.filter(side=BOB)
    rating = 500 * sum(decision.error for decision in own) / len(own)
    assert f"<strong>{rating:.1f}</strong>" in content
    assert len(re.findall(r"± \d+\.\d", content)) == 2
    worst = max(decision.error for decision in own)
    assert f"−{worst:.3f}" in content
    # The board of the biggest error shows neither what was played nor what was best.
    assert '<svg class="board"' in content
    assert "<polyline" not in content
    assert 'href="#mark-' not in content


def test_who_keeps_their_play_to_themselves_is_not_shown_to_the_opponent(
    client: Client, bob: User, over: Board, match: Match, url: str
) -> None:
    Player.objects.update(analysis_visibility=Player.AnalysisVisibility.PRIVATE)
    analysed(match)
    client.force_login(bob)
    content = html(client.get(url))
    assert len(re.findall(r"± \d+\.\d", content)) == 1
    assert "not shown" in content


def test_the_rating_is_that_of_the_reader(client: Client, bob: User, over: Board, match: Match, url: str) -> None:
    change = RatingChange.objects.filter(match=match, player=match.player_0).first()
    client.force_login(bob)
    assert ("Your rating" in html(client.get(url))) == (change is not None)


def test_a_provisional_rating_has_a_question_mark(
    client: Client, bob: User, over: Board, match: Match, url: str
) -> None:
    Match.objects.filter(pk=match.pk).update(moved=True)
    replay_pool(pool_id=default_pool().pk, now=timezone.now())
    change = RatingChange.objects.get(match=match, player=match.player_0)
    client.force_login(bob)
    shown = rf"<strong>{change.rating_after:.1f}\s*(<span[^>]*>\?</span>)?"
    for event_matches, mark in ((4, True), (5, False)):
        PlayerRating.objects.filter(player=match.player_0).update(event_matches=event_matches)
        found = re.search(shown, html(client.get(url)))
        assert found is not None
        assert bool(found[1]) == mark


def test_the_page_asks_again_for_a_rating_that_a_worker_may_still_write(
    client: Client, bob: User, over: Board, match: Match, url: str
) -> None:
    client.force_login(bob)
    RatingChange.objects.filter(match=match).delete()
    assert Match.objects.get(pk=match.pk).rated
    for ended, asks in ((0, True), (5, False)):
        Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() - timedelta(minutes=ended))
        assert ("data-asks" in html(client.get(url))) is asks
    Match.objects.filter(pk=match.pk).update(finished_at=timezone.now(), rated=False)
    assert "data-asks" not in html(client.get(url))


def test_the_line_beside_the_rating_ends_with_the_new_one(over: Board, match: Match) -> None:
    """Three matches, of which the last one is this: from 1500 over 1510 and 1490 to 1500."""
    RatingChange.objects.all().delete()
    ratings = [(1500, 1510), (1510, 1490), (1490, 1500), (1500, 1600)]
    changes = [
        RatingChange.objects.create(
            pool=default_pool(),
            match=match_between(match.player_0, match.player_1),
            player=match.player_0,
            opponent=match.player_1,
            finished_at=timezone.now(),
            won=True,
            length=3,
            rating_before=before,
            rating_after=after,
            opponent_before=1500,
            experience_before=0,
        )
        for before, after in ratings
    ]
    assert sparkline(changes[2]) == "M0 10L33.3 0L66.7 20L100 10", "the match after it does not count"


def test_a_rematch_is_asked_for_and_answered_at_the_end(
    client: Client, bob: User, carol: User, over: Board, match: Match, url: str
) -> None:
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    Challenge.objects.create(
        challenger=match.player_0,
        opponent=match.player_1,
        length=match.length,
        match=match,
        state=Challenge.State.ACCEPTED,
        created_at=timezone.now(),
        expires_at=timezone.now(),
    )
    client.force_login(bob)
    assert "Rematch" in html(client.get(url))
    client.post(reverse("match-rematch", args=[match.public_id]))
    assert "The rematch begins when" in html(client.get(url))
    client.force_login(carol)
    assert "wants a rematch" in html(client.get(url))
    client.post(reverse("match-rematch", args=[match.public_id]))
    client.force_login(bob)
    again = Challenge.objects.get(rematch_of=match).match
    assert again is not None
    assert reverse("match-play", args=[again.public_id]) in html(client.get(url))


def test_players_see_the_replay_from_their_own_side(client: Client, bob: User, carol: User, over: Board) -> None:
    url = reverse("match-replay", args=[over.match.public_id])
    for user, flip in ((bob, False), (carol, True)):
        client.force_login(user)
        response = client.get(url)
        assert response.context["flip"] is flip
        assert client.get(url, {"g": 1, "p": 1}).context["flip"] is False
