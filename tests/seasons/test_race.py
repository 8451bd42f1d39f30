"""What it would take, on the pages of a season: before, during and after its last night."""

from datetime import timedelta
from fractions import Fraction
from random import Random

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from players.actors import SYSTEM
from players.models import Club, Player, User
from seasons.chances import Race, answer_of, own_sentences, race_of, race_view, sentences_of
from seasons.services import close_series, count_events, missing_events
from seasons.tables import newest_plan, season_table
from tests.event_cast import NOON
from tests.seasons.test_seasons import TODAY, cast, night, season
from tests.tiers import first_in_make_test
from tests.tournaments.support.correcting import KNOCKOUT, PROGRESSIVE, Cup, won_by
from tournaments.entries import services as entries
from tournaments.models import Series, SeriesPlan, SeriesPoints, Tournament

__all__ = ["cast"]
pytestmark = pytest.mark.django_db
RANKS = (2, 3, 4, 5)


def race(row: Series) -> Race:
    race = race_of(season_table(row), TODAY)
    assert race is not None
    return race


def coming(players: list[Player], name: str, stages: list = KNOCKOUT, days: int = 3) -> Cup:
    """A night that is announced and not drawn."""
    cup = Cup.of(players, stages, name)
    Tournament.objects.filter(pk=cup.division.tournament_id).update(starts_at=NOON + timedelta(days=days))
    return cup


def final_ranks(row: Series) -> dict[str, int | None]:
    return {line.player: line.rank for line in season_table(row).season.rows}


def test_before_the_last_night_it_earns_what_the_largest_one_has(cast: list[Player]) -> None:
    night(cast, "one", weeks=1)
    coming(cast, "two")
    before = race(season())
    assert before.endings == ()
    assert before.contest.upcoming[0].open
    assert before.contest.upcoming[0].entrants == {player.public_id for player in cast}
    assert before.contest.upcoming[0].places == (27, 20, Fraction(31, 2), Fraction(31, 2), 9, 9, 9, 9)
    leader, second = (row.player for row in before.standing.season.rows[:2])
    assert (answer_of(before, leader, 1).secured, answer_of(before, second, 1).can_still) == (False, True)
    assert before.can_reach(leader) == 54


def test_somebody_who_only_entered_can_come_and_a_merged_one_is_counted_once(cast: list[Player]) -> None:
    night(cast, "one", weeks=1)
    new = Player.objects.create(name="New")
    cup = coming([*cast[:3], new], "two")
    row = season()
    assert new.public_id in race(row).contest.upcoming[0].entrants
    entries.withdraw(entry=cup.division.entries.get(player=new), by=SYSTEM, now=NOON)
    assert new.public_id not in race(row).contest.upcoming[0].entrants


@pytest.mark.slow
@pytest.mark.parametrize("stages", [KNOCKOUT, PROGRESSIVE])
@pytest.mark.parametrize("seed", first_in_make_test(1, 2))
def test_what_is_certain_while_it_is_played_stays_and_comes_true(stages: list, seed: int, cast: list[Player]) -> None:
    night(cast, "one", seed=seed, weeks=2)
    night(cast, "two", seed=seed + 7, weeks=1)
    cup = Cup.of(cast, stages, "three")
    row, chance = season(), Random(seed)
    certain: dict[str, bool] = {}
    exact = 0
    while True:
        cup.play(chance, most=1, wild=False)
        standing = season_table(row)
        now = race_of(standing, TODAY)
        if now is None:
            break
        exact += bool(now.endings)
        for player in now.contest.results:
            answer = answer_of(now, player, 2)
            if certain.get(player) is not None:
                assert answer.level_secured == certain[player]
            if answer.level_secured:
                certain[player] = True
            elif answer.can_still is False:
                certain[player] = False
    assert certain
    assert exact
    totals = {line.player: line.total for line in standing.season.rows}
    for player, is_in in certain.items():
        assert (sum(total > totals[player] for total in totals.values()) < 2) == is_in, player


@pytest.mark.parametrize("seed", range(3))
def test_winning_as_many_matches_as_said_is_enough(seed: int, cast: list[Player]) -> None:
    night(cast, "one", seed=seed, weeks=1)
    cup = Cup.of(cast, KNOCKOUT, "two")
    row, chance = season(), Random(seed)
    cup.play(chance, most=1, wild=False)
    now = race(row)
    assert len(now.endings) == 2**6
    assert {len(ending.wins) for ending in now.endings} == {6}
    answers = {player: answer_of(now, player, 1) for player in now.contest.results}
    player, needed = next((p, a.enough_wins) for p, a in answers.items() if a.enough_wins)
    assert any("whatever the others do" in text for text in own_sentences(now, player, 0))
    assert needed is not None
    won = 0
    while ready := cup.ready():
        fixture = chance.choice(ready)
        assert fixture.match is not None
        sides = [side.public_id for side in fixture.match.players]
        winner = chance.randrange(2)
        if player in sides and won < needed:
            winner, won = sides.index(player), won + 1
        cup.report(fixture, won_by(winner))
        cup.work()
    assert final_ranks(row)[player] == 1
    assert race_of(season_table(row), TODAY) is None


def test_after_the_last_night_the_winner_is_named(cast: list[Player]) -> None:
    night(cast, "one")
    row = season()
    standing = season_table(row)
    names = {player.public_id: player.name for player in cast}
    own = standing.season.rows[0].player
    planned = race_view(standing, names, own, TODAY, 0)
    assert planned is not None
    assert [str(text) for text in planned.for_all] == ["The next evening of this season is not planned yet."]
    after = race_view(standing, names, own, row.last_day + timedelta(days=1), 0)
    assert after is not None
    assert after.sentences == ["You have won the season."]
    assert after.for_all == [f"{names[own]} has won the season."]


def test_an_answer_is_computed_once_for_the_same_facts(cast: list[Player], monkeypatch: pytest.MonkeyPatch) -> None:
    night(cast, "one", weeks=1)
    coming(cast, "two")
    row = season()
    player = cast[0].public_id
    first = answer_of(race(row), player, 1)
    monkeypatch.setattr("seasons.chances.outlook", None)
    assert answer_of(race(row), player, 1) == first
    night(cast, "three", seed=5, weeks=2)
    count_events(series=row, events=missing_events(row), by=SYSTEM)
    with pytest.raises(TypeError):
        answer_of(race(row), player, 1)


def test_points_by_hand_count_in_every_ending(cast: list[Player]) -> None:
    night(cast, "one", weeks=1)
    cup = Cup.of(cast, KNOCKOUT, "two").play(Random(1), most=5, wild=False)
    row = season()
    before = race(row)
    player, event = cast[0], cup.division.tournament
    SeriesPoints.objects.create(series=row, tournament=event, player=player, points="3", reason="Brought the boards")
    after = race(row)
    gained = {own: after.can_reach(own) - before.can_reach(own) for own in before.contest.results}
    assert gained == {own: 3 if own == player.public_id else 0 for own in gained}


# On pages


def two_nights(players: list[Player]) -> Series:
    """A season with a night that is over and one that is still to come whenever the test runs."""
    night(players, "one", weeks=1)
    cup = Cup.of(players, KNOCKOUT, "two")
    row = season()
    tomorrow = timezone.now() + timedelta(days=1)
    Tournament.objects.filter(pk=cup.division.tournament_id).update(starts_at=tomorrow)
    Series.objects.filter(pk=row.pk).update(last_day=max(row.last_day, tomorrow.date()))
    return row


def test_a_season_whose_rules_have_no_answer_says_so(cast: list[Player]) -> None:
    row = two_nights(cast)
    plan = newest_plan(row).plan
    SeriesPlan.objects.filter(series=row).update(plan={**plan, "count": {"per_month": 1}})
    assert b"is not computed" in Client().get(f"/clubs/harbour/seasons/{row.slug}/").content


def test_players_read_about_themselves_and_hidden_names_stay_hidden(
    club: Club, alice_client: Client, alice: User, cast: list[Player]
) -> None:
    row = two_nights([Player.objects.get(user=alice), *cast[:7]])
    Player.objects.filter(pk__in=[player.pk for player in cast]).update(name="Robert Hidden", initials_only=True)
    url = f"/clubs/harbour/seasons/{row.slug}/"
    nobody = Client().get(url).content.decode()
    assert "Title race" in nobody
    assert "Robert Hidden" not in nobody
    assert "whatever the others do" not in nobody
    own = "It takes at least one of the"
    assert own in alice_client.get(url).content.decode()
    assert own in alice_client.get("/").content.decode()


def test_a_drawn_bracket_is_worth_what_it_gives_at_its_end(cast: list[Player]) -> None:
    """Sixteen players, though the largest evening so far had eight: too many open matches to try every ending."""
    night(cast, "one", weeks=1)
    more = [Player.objects.create(name=f"Guest {number}") for number in range(8)]
    cup = Cup.of([*cast, *more], KNOCKOUT, "two").play(Random(2), most=2, wild=False)
    now = race(season())
    assert now.endings == ()
    assert not now.contest.upcoming[0].open
    assert now.contest.upcoming[0].places == (27, 20, *[Fraction(31, 2)] * 2, *[9] * 4, *[Fraction(19, 8)] * 8)
    assert {answer_of(now, player.public_id, 1).can_still for player in cast} <= {None, False}
    cup.play(Random(4), most=7, wild=False)
    assert len(race(season(name="Again")).endings) == 2**6


@pytest.mark.slow
def test_with_many_nights_left_what_is_said_is_proven_or_called_undecided(
    cast: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is told more by few states than by many: an answer is the same, or undecided."""
    for number in range(3):
        night(cast, f"night {number}", seed=number, weeks=3 - number)
    for number in range(2):
        coming(cast, f"later {number}", days=number + 1)
    patient, hurried = race(season("vienna_cup")), race(season("vienna_cup", name="Again"))
    answers = {(player, rank): answer_of(patient, player, rank) for player in patient.contest.results for rank in RANKS}
    cache.clear()
    monkeypatch.setattr("seasons.chances.MAX_STATES", 2)
    undecided = 0
    for (player, rank), known in answers.items():
        answer = answer_of(hurried, player, rank)
        for quick, slow in ((answer.secured, known.secured), (answer.can_still, known.can_still)):
            assert quick in (slow, None)
            undecided += quick is None
        assert (answer.ranks.best or 0) <= (known.ranks.best or 0)
        sentences = sentences_of(answer, hurried)
        assert sentences
        if answer.can_still is None:
            assert any("not decided yet" in text for text in sentences)
    assert undecided


def test_a_player_hears_about_missing_nights_before_any_place(cast: list[Player]) -> None:
    night(cast, "one", seed=1, weeks=2)
    night(cast[:4], "two", seed=2, weeks=1)
    coming(cast, "three")
    row = season()
    plan = newest_plan(row).plan
    SeriesPlan.objects.filter(series=row).update(plan={**plan, "count": {"min_events": 3}})
    (only,) = sentences_of(answer_of(race(row), cast[-1].public_id, 1), race(row))
    assert only == "You would need 2 more evenings for a rank, more than are left."
    SeriesPlan.objects.filter(series=row).update(plan={**plan, "count": {"min_events": 2}})
    first, *others = sentences_of(answer_of(race(row), cast[-1].public_id, 5), race(row))
    assert first == "1 more evening for a rank"
    assert others


def test_the_api_answers_for_everybody_and_for_one(club: Club, alice_client: Client, cast: list[Player]) -> None:
    row = two_nights(cast)
    Player.objects.filter(pk=cast[0].pk).update(name="Robert Hidden", initials_only=True)
    url = f"/api/v1/seasons/{row.public_id}/race/"
    for client, sees in ((Client(), False), (alice_client, True)):
        assert ("Robert Hidden" in client.get(url).content.decode()) == sees
    body = Client().get(url).json()
    assert (len(body["players"]), len(body["evenings"]), body["all_endings_tried"]) == (8, 1, False)
    first = body["players"][0]
    assert (first["total"], first["can_reach"], first["ranks"]["best"]) == ("27", "54", 1)
    (answer,) = Client().get(f"{url}{first['player']}/").json()
    assert (answer["rank"], answer["secured"], answer["can_still"]) == (1, False, True)
    assert answer["enough"]["place"] <= answer["possible"]["place"]
    assert Client().get(f"{url}2222222222/").status_code == 404
    SeriesPlan.objects.filter(series=row).update(plan={**newest_plan(row).plan, "count": {"per_month": 1}})
    refusal = Client().get(url)
    assert (refusal.status_code, refusal.json()["code"]) == (422, "series_outlook_limits")
    close_series(series=row, after=0, by=SYSTEM, now=NOON)
    assert Client().get(url).json()["players"] == []
