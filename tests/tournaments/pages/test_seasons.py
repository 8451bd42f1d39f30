"""A league of two divisions is over: who goes up, who goes down, and the season that follows."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player
from tests.tournaments.conftest import NOON
from tournaments.draws.services import draws
from tournaments.entries.services import entries
from tournaments.events.services import events
from tournaments.formats.settings import LEAGUE, StageSettings
from tournaments.models import Division, Fixture, Stage, Tournament
from tournaments.pages import services as seasons
from tournaments.results.services import results
from tournaments.state import stages

pytestmark = pytest.mark.django_db
SPRING = NOON + timedelta(days=60)
PLAYED_BY = {
    "self_registration": True, "capacity": 9, "fee": 7, "match_length": 5, "round_lengths": [5, 7], "crawford": False,
    "rated": False, "draw_method": "rating", "apart": True, "deadline_rule": "lots", "extension_hours": 5,
    "claim_wait": 61,
}  # fmt: skip


@pytest.fixture
def leagues(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Callable[..., list[Division]]:
    """Divisions of four, drawn, of which so many go up and down; `Player 1` to `Player 4` are in the first."""

    def make(*moving: int) -> list[Division]:
        everybody = make_players(4 * len(moving))
        made = []
        for at, (name, moves) in enumerate(zip(("First", "Second", "Third"), moving, strict=False)):
            division = make_division(name=name, match_length=3, fee=4)
            entries.enter(division=division, players=everybody[4 * at : 4 * at + 4], by=by_alice, now=NOON)
            division.refresh_from_db()
            league = StageSettings(LEAGUE, until="2026-12-31", moving=moves)
            stages.set_stages(division=division, stages=[league], after=division.seq, by=by_alice, now=NOON)
            made.append(division)
        events.publish_tournament(tournament=made[0].tournament, by=by_alice, now=NOON)
        for division in made:
            draw = draws.request_draw(division=division, by=by_alice, now=NOON)
            draws.make_draft(draw_id=draw.pk, now=NOON)
            division.refresh_from_db()
            draws.publish_draw(division=division, after=division.seq, by=by_alice, now=NOON)
        return made

    return make


@pytest.fixture
def league(leagues: Callable[..., list[Division]]) -> list[Division]:
    """Two divisions, between which one moves."""
    return leagues(1, 1)


def play(division: Division, by: Actor, but: int = 0) -> None:
    """Everybody loses to whoever was entered before him; the last `but` matches are left open."""
    fixtures = Fixture.objects.filter(stage__division=division).select_related("match", "stage").order_by("number")
    assert len(fixtures) == 6
    for fixture in fixtures[: 6 - but]:
        assert fixture.match is not None
        winner = 0 if fixture.match.player_0_id < fixture.match.player_1_id else 1
        results.enter_result(
            fixture=fixture, result=ResultInput(winner, (3, 0) if winner == 0 else (0, 3)), by=by, now=NOON
        )


def names(tournament: Tournament) -> list[list[str]]:
    return [
        [entry.player.name for entry in division.entries.select_related("player").order_by("pk")]
        for division in tournament.divisions.order_by("order")
    ]


def test_the_last_goes_down_and_the_first_goes_up(league: list[Division], by_alice: Actor) -> None:
    for division in league:
        play(division, by_alice)

    season = seasons.draft_next_season(
        tournament=league[0].tournament, name="Spring", starts_at=SPRING, by=by_alice, now=NOON
    )

    assert names(season) == [
        ["Player 1", "Player 2", "Player 3", "Player 5"],
        ["Player 4", "Player 6", "Player 7", "Player 8"],
    ]
    assert season.status == Tournament.Status.DRAFT
    first = season.divisions.order_by("order")[0]
    assert (first.name, first.match_length, first.fee) == ("First", 3, 4)
    assert stages.stage_settings(first) == [StageSettings(LEAGUE)], "the days of the old season are left out"


def test_between_two_divisions_as_many_move_as_the_higher_one_says(
    leagues: Callable[..., list[Division]], by_alice: Actor
) -> None:
    made = leagues(1, 2, 0)
    for division in made:
        play(division, by_alice)

    season = seasons.draft_next_season(
        tournament=made[0].tournament, name="Spring", starts_at=SPRING, by=by_alice, now=NOON
    )

    assert names(season) == [
        ["Player 1", "Player 2", "Player 3", "Player 5"],
        ["Player 4", "Player 6", "Player 9", "Player 10"],
        ["Player 7", "Player 8", "Player 11", "Player 12"],
    ]


def test_it_is_played_as_the_last_one_was_and_where(league: list[Division], by_alice: Actor) -> None:
    for division in league:
        play(division, by_alice)
    event = league[0].tournament
    told = {"venue": "Harbour House", "tables": 6, "currency": "EUR", "currency_exponent": 2, "time_zone": "Asia/Tokyo"}
    Tournament.objects.filter(pk=event.pk).update(**told)
    Division.objects.filter(tournament=event).update(**PLAYED_BY)
    dated = StageSettings(LEAGUE, until="2026-12-31", join_until="2026-12-01", twice=True)
    Stage.objects.filter(division__in=league).update(settings=dated.as_data())
    event.refresh_from_db()

    season = seasons.draft_next_season(tournament=event, name="Spring", starts_at=SPRING, by=by_alice, now=NOON)

    assert {name: getattr(season, name) for name in told} == told
    for division in season.divisions.all():
        assert {name: getattr(division, name) for name in PLAYED_BY} == PLAYED_BY
        assert stages.stage_settings(division) == [StageSettings(LEAGUE, twice=True)]
    assert season.divisions.count() == 2


def test_a_division_that_was_called_off_has_no_next_season(league: list[Division], by_alice: Actor) -> None:
    play(league[0], by_alice)
    Division.objects.filter(pk=league[1].pk).update(status=Division.Status.CANCELLED)

    (only,) = seasons.preview_season(league[0].tournament)

    assert (only.before, len(only.players)) == (league[0], 4)


def test_whoever_has_withdrawn_makes_room(league: list[Division], by_alice: Actor) -> None:
    for division in league:
        play(division, by_alice)
    gone = league[0].entries.get(player__name="Player 2")
    entries.withdraw(entry=gone, by=by_alice, now=NOON)

    drafted = seasons.preview_season(league[0].tournament)

    assert [[player.name for player, _ in one.players] for one in drafted] == [
        ["Player 1", "Player 3", "Player 5", "Player 4"],
        ["Player 6", "Player 7", "Player 8"],
    ]


def test_the_same_key_drafts_it_once(league: list[Division], by_alice: Actor) -> None:
    for division in league:
        play(division, by_alice)
    told = {"tournament": league[0].tournament, "name": "Spring", "starts_at": SPRING, "key": "k1"}

    first = seasons.draft_next_season(**told, by=by_alice, now=NOON)
    again = seasons.draft_next_season(**told, by=by_alice, now=NOON)

    assert first == again
    assert names(again)[0] == ["Player 1", "Player 2", "Player 3", "Player 5"]


def test_a_season_follows_from_final_tables_only(league: list[Division], by_alice: Actor) -> None:
    play(league[0], by_alice)
    play(league[1], by_alice, but=1)

    with pytest.raises(Refused) as refused:
        seasons.preview_season(league[0].tournament)

    assert (refused.value.code, refused.value.params) == ("season_not_over", {"division": "Second"})


def test_no_season_follows_a_knockout(drawn: Callable[..., Division]) -> None:
    with pytest.raises(Refused) as refused:
        seasons.preview_season(drawn(4).tournament)
    assert refused.value.code == "no_league"
