"""Start scores: by ratings, by a table or by hand; kept once a match is opened, and shown wherever its length is."""

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from display.wall import calls_of
from engine.cube import is_crawford_game
from engine.errors import Refused
from formats.settings import KNOCKOUT, SWISS, StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Match
from matches.presentation.labels import from_start
from matches.ratings.services import default_pool
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOON
from tests.tournaments.support.played_stages import drawn_as
from tournaments.entries.substitutions import SubstituteInput, substitute
from tournaments.events import services as events
from tournaments.floor import calls, evening, selectors
from tournaments.floor.page.cards import Cards
from tournaments.floor.undo import last_act, undo
from tournaments.models import Division, Entry, Fixture, Tournament
from tournaments.results.services import enter_result, undo_result
from tournaments.standings.brackets import rounds_of
from tournaments.standings.exports import pairings_body, pairings_rows
from tournaments.standings.pairings import pairings_of
from tournaments.state.names import names_of
from tournaments.state.start_scores import chance_with_start, points_by_rating, points_by_table

CASES = Path(__file__).resolve().parents[4] / "shared" / "data" / "weekend" / "start.json"


def cases(kind: str) -> list[dict[str, Any]]:
    rows = json.loads(CASES.read_text())["cases"] if CASES.exists() else []
    return [row for row in rows if row["kind"] == kind]


def test_the_reference_cases_are_there() -> None:
    if not CASES.exists():
        pytest.skip("../shared/data is not there")
    assert cases("head_start")
    assert cases("crawford")


@pytest.mark.parametrize("case", cases("head_start"), ids=lambda case: case["name"])
def test_the_reference_cases_of_points(case: dict[str, Any]) -> None:
    difference, length = case["difference"], case["length"]
    points = points_by_rating(difference, length, case.get("cap"))
    chance = chance_with_start(difference, length, points)
    assert [points, round(chance, 4)] == [case["expect"][0], pytest.approx(case["expect"][1], abs=1.01e-4)]


@pytest.mark.parametrize(
    ("difference", "length", "cap", "points"),
    [(0, 7, None, 0), (300, 7, None, 3), (600, 7, None, 3), (600, 7, 99, 5), (600, 7, 0, 0), (300, 3, None, 1),
     (2000, 25, None, 12), (2000, 2, None, 0), (2000, 1, None, 0)],
)  # fmt: skip
def test_points_bring_the_chances_near_to_one_half(
    difference: float, length: int, cap: int | None, points: int
) -> None:
    assert points_by_rating(difference, length, cap) == points


def test_a_start_by_ratings_or_by_a_table_is_never_in_the_crawford_game() -> None:
    for length in range(1, 26):
        for difference in range(0, 2001, 250):
            assert points_by_rating(difference, length, 99) <= max(0, length - 2)
            assert points_by_table(difference, length, [[100, 24]], None) <= max(0, length - 2)
    table = [[100, 1], [300, 2], [500, 4]]
    assert [points_by_table(each, 7, table) for each in (0, 99, 100, 499, 500, 900)] == [0, 0, 1, 2, 4, 4]
    assert points_by_table(900, 7, table, 3) == 3


# In events


RATINGS = (1900, 1500, 1600, 1500)


@pytest.fixture
def make(make_division: Callable[..., Division], by_alice: Actor) -> Callable[..., Division]:
    """Draw four players, of whom each has a rating, in a division to 7 with a start rule."""

    def draw(rule: str, settings: StageSettings | None = None, **values: Any) -> Division:
        division = make_division(name="Main", match_length=7, start_rule=rule, **values)
        drawn_as(division, [settings or StageSettings(KNOCKOUT, lengths=(7,))], players(4), by_alice)
        division.refresh_from_db()
        return division

    return draw


def players(count: int) -> list[Player]:
    return [Player.objects.create(name=f"Player {number}") for number in range(1, count + 1)]


def give_ratings(division: Division, ratings: Sequence[float]) -> None:
    entries = division.entries.order_by("pk")
    for entry, rating in zip(entries, ratings, strict=True):
        Entry.objects.filter(pk=entry.pk).update(rating=rating)


def fixtures(division: Division) -> list[Fixture]:
    rows = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)
    return list(rows.select_related("match", "stage__division__tournament__club").order_by("number"))


def match_of(fixture: Fixture) -> Match:
    match = Fixture.objects.select_related("match__player_0", "match__player_1").get(pk=fixture.pk).match
    assert match is not None
    return match


def play(division: Division, by: Actor, now: Any) -> None:
    """Let the first side of each open match win."""
    for fixture in fixtures(division):
        enter_result(fixture=fixture, result=ResultInput(0, (7, 6)), by=by, now=now)


@pytest.mark.django_db
@pytest.mark.parametrize(("rule", "points"), [("rating", 3), ("table", 2), ("hand", 0), ("none", 0)])
def test_the_weaker_side_begins_with_points_and_later_ratings_do_not_move_them(
    make: Callable[..., Division], by_alice: Actor, rule: str, points: int
) -> None:
    division = make(rule, start_table=[[100, 1], [300, 2]])
    assert all(match_of(row).start_score == (0, 0) for row in fixtures(division)), "all have the first rating"
    give_ratings(division, RATINGS)
    play(division, by_alice, NOON)
    (final,) = fixtures(division)
    match = match_of(final)
    rated = [Entry.objects.get(division=division, player=player).rating for player in match.players]
    weaker = None if rated[0] == rated[1] else int(rated[1] < rated[0])
    difference = abs(rated[0] - rated[1])
    expected = {
        "rating": points_by_rating(difference, 7),
        "table": points_by_table(difference, 7, [[100, 1], [300, 2]]),
    }
    start = [0, 0]
    if weaker is not None:
        start[weaker] = expected.get(rule, 0)
    assert list(match.start_score) == start
    assert rule not in expected or difference != 400 or start[weaker or 0] == points
    give_ratings(division, (1500, 1500, 2100, 1500))
    assert match_of(final).start_score == match.start_score, "the start of a match stays as it was opened"


@pytest.mark.django_db
def test_without_a_rating_the_first_rating_of_the_pool_counts(make: Callable[..., Division], by_alice: Actor) -> None:
    division = make("rating")
    start = default_pool().start_rating
    for entry in division.entries.all():
        Entry.objects.filter(pk=entry.pk).update(rating=start + 400 if entry.player.name == "Player 1" else None)
    play(division, by_alice, NOON)
    match = match_of(fixtures(division)[0])
    strong = [player.name == "Player 1" for player in match.players]
    expected = tuple(0 if is_strong or True not in strong else 3 for is_strong in strong)
    assert match.start_score == expected


@pytest.mark.django_db
def test_a_substitute_opens_the_match_anew_with_their_rating(make: Callable[..., Division], by_alice: Actor) -> None:
    division = make("rating")
    give_ratings(division, (2000, 2000, 2000, 2000))
    fixture = fixtures(division)[0]
    entry = Entry.objects.get(division=division, player=match_of(fixture).player_0)
    division.refresh_from_db()
    substitute(entry=entry, substitute=SubstituteInput("Newcomer"), after=division.seq, by=by_alice, now=NOON)
    entry.refresh_from_db()
    assert entry.rating == default_pool().start_rating
    match = match_of(fixture)
    assert match.player_0.name == "Newcomer"
    assert match.start_score == (points_by_rating(2000 - default_pool().start_rating, 7), 0)


@pytest.mark.django_db
def test_a_start_score_is_never_rated(make_division: Callable[..., Division], by_alice: Actor) -> None:
    division = make_division(name="Handicap", start_rule="rating")
    assert not division.rated, "not asked for"
    for values in ({"rated": True}, {"start_rule": "hand", "rated": True}):
        with pytest.raises(Refused, match="start_unrated"):
            events.update_division(division=division, after=division.seq, by=by_alice, now=NOON, **values)
    with pytest.raises(Refused, match="start_unrated"):
        make_division(name="Rated", start_rule="rating", rated=True)
    for table in ([[0, 1]], [[100, 25]], [[100, 1]] * 21):
        with pytest.raises(Refused, match="bad_start_table"):
            make_division(name="Table", start_rule="table", start_table=table)


# By hand


@pytest.fixture
def by_hand(make: Callable[..., Division], by_alice: Actor) -> Division:
    division = make("hand")
    Tournament.objects.update(tables=2)
    evening.open_floor(tournament=division.tournament, by=by_alice, now=NOON)
    return division


def set_start(fixture: Fixture, score: tuple[int, int], by: Actor) -> Any:
    return evening.set_start_score(fixture=fixture, score=score, reason="Agreed", by=by, now=NOON)


@pytest.mark.django_db
@pytest.mark.postgresql
def test_a_director_sets_a_start_score_and_undoes_it(by_hand: Division, by_alice: Actor) -> None:
    fixture = fixtures(by_hand)[0]
    event = set_start(fixture, (2, 0), by_alice)
    assert match_of(fixture).start_score == (2, 0)
    assert set_start(fixture, (2, 0), by_alice) == event, "twice changes nothing"
    set_start(fixture, (0, 3), by_alice)
    for before in ((2, 0), (0, 0)):
        act = last_act(by_hand.tournament, by_alice)
        assert act is not None
        undo(tournament=by_hand.tournament, act=act, by=by_alice, now=NOON)
        assert match_of(fixture).start_score == before


@pytest.mark.django_db
def test_the_sheet_of_a_rated_match_says_why_it_has_no_start_score(by_hand: Division, alice_client: Client) -> None:
    event, fixture = by_hand.tournament, fixtures(by_hand)[0]
    sheet = f"/events/{event.club.slug}/{event.slug}/floor/matches/{fixture.public_id}/"
    for is_rated in (False, True):
        Match.objects.filter(pk=fixture.match_id).update(rated=is_rated)
        content = alice_client.get(sheet).content.decode()
        assert ("A rated match begins at 0–0." in content, "/start-score/" in content) == (is_rated, not is_rated)


@pytest.mark.django_db
def test_what_a_start_score_is_refused_for(by_hand: Division, by_alice: Actor) -> None:
    fixture, other = fixtures(by_hand)
    with pytest.raises(Refused, match="start_too_high"):
        set_start(fixture, (7, 0), by_alice)
    Match.objects.filter(pk=other.match_id).update(rated=True)
    with pytest.raises(Refused, match="start_unrated"):
        set_start(other, (1, 0), by_alice)
    set_start(fixture, (2, 0), by_alice)
    with pytest.raises(Refused, match="result_below_start"):
        enter_result(fixture=fixture, result=ResultInput(1, (1, 7)), by=by_alice, now=NOON)
    calls.start(fixture=fixture, by=by_alice, now=NOON)
    with pytest.raises(Refused, match="not_shorter"):
        evening.shorten(fixture=fixture, length=2, by=by_alice, now=NOON)
    with pytest.raises(Refused, match="match_playing"):
        set_start(fixture, (0, 0), by_alice)


@pytest.mark.django_db
def test_a_match_whose_result_is_undone_begins_where_it_did(by_hand: Division, by_alice: Actor) -> None:
    fixture = fixtures(by_hand)[0]
    set_start(fixture, (2, 0), by_alice)
    result = enter_result(fixture=fixture, result=ResultInput(0, (7, 5)), by=by_alice, now=NOON)
    undo_result(fixture=fixture, result=result, by=by_alice, now=NOON + timedelta(minutes=1))
    assert match_of(fixture).start_score == (2, 0)


@pytest.mark.django_db
def test_it_is_shown_wherever_the_length_is(by_hand: Division, by_alice: Actor, alice_client: Client) -> None:
    fixture = fixtures(by_hand)[0]
    set_start(fixture, (2, 0), by_alice)
    calls.call(fixture=fixture, by=by_alice, now=NOON)
    event = by_hand.tournament
    view = selectors.floor(event, NOON)
    assert any(call.length == "7 pt, from 2–0" for call in calls_of(view))
    calls.start(fixture=fixture, by=by_alice, now=NOON)
    feet = [card.foot for card in Cards(selectors.floor(event, NOON), []).all()]
    assert any("7 pt, from 2–0" in foot for foot in feet), feet
    assert rounds_of(by_hand)[0].fixtures[0].played.start_0 == 2
    args = ["harbour", event.slug]
    pages = [
        reverse("floor-match", args=[*args, fixture.public_id]),
        reverse("fixture", args=[*args, fixture.public_id]),
        reverse("division", args=[*args, by_hand.public_id]),
        reverse("match", args=[match_of(fixture).public_id]),
    ]
    for page in pages:
        response = alice_client.get(page, follow=True)
        assert response.status_code == 200, page
        text = response.content.decode()
        assert "from 2–0" in text or "started at 2–0" in " ".join(text.split()), page
    body = alice_client.get(f"/api/v1/matches/{match_of(fixture).public_id}/").json()
    assert body["start"] == [2, 0]


@pytest.mark.django_db
def test_pairings_say_it_in_files(make: Callable[..., Division], by_alice: Actor) -> None:
    division = make("hand", StageSettings(SWISS, rounds=2, lengths=(7,)))
    fixture = fixtures(division)[0]
    set_start(fixture, (0, 1), by_alice)
    body = pairings_body(division, pairings_of(division, names_of(division, staff=False)))
    assert body["pairings"][0]["start"] == [0, 1]
    header, first, *_ = pairings_rows(body)
    assert [first[header.index(name)] for name in ("start_1", "start_2")] == [0, 1]


def test_a_start_is_said_after_the_length() -> None:
    assert from_start("7 pt", (2, 0)) == "7 pt, from 2–0"
    assert from_start("7 pt", (0, 0)) == "7 pt"


# Crawford, by the engine


def crawford_games(length: int, start: list[int], games: list[list[int]], *, rule: bool) -> list[int]:
    """The numbers of the games that are Crawford games; `games` has the winner and the points of each."""
    score, played, found = list(start), False, []
    for number, (side, points) in enumerate(games, start=1):
        if is_crawford_game(length=length, score=(score[0], score[1]), played=played, rule=rule):
            played = True
            found.append(number)
        score[side] += points
    return found


def test_a_match_that_begins_one_short_begins_in_the_crawford_game() -> None:
    assert crawford_games(7, [6, 0], [[1, 2], [1, 4], [0, 1]], rule=True) == [1]
    assert crawford_games(7, [6, 6], [[0, 1]], rule=True) == []


@pytest.mark.parametrize("case", cases("crawford"), ids=lambda case: case["name"])
def test_the_crawford_game_is_the_engines(case: dict[str, Any]) -> None:
    assert crawford_games(case["length"], case["start"], case["games"], rule=case.get("rule", True)) == case["expect"]


@pytest.mark.django_db
def test_a_director_sets_it_on_the_floor_and_by_the_api(by_hand: Division, alice_client: Client) -> None:
    fixture = fixtures(by_hand)[0]
    page = reverse("floor-action", args=["harbour", by_hand.tournament.slug, "start-score"])
    data = {"fixture": fixture.public_id, "left": 6, "right": 0, "reason": "Agreed"}
    answer = alice_client.post(page, data, follow=True).content.decode()
    assert "begins at 6–0. The first game is the Crawford game." in answer
    url = f"/api/v1/fixtures/{fixture.public_id}/start-score/"
    body = {"left": 0, "right": 2, "reason": "Agreed"}
    assert alice_client.post(url, body, content_type="application/json").status_code == 200
    assert match_of(fixture).start_score == (0, 2)
    refused = alice_client.post(url, {**body, "left": 7}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (422, "start_too_high")
