"""The next season of a league: promotion, relegation, and the draft event."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from clubhouse import copies as seasons
from engine.errors import Refused
from formats.settings import LEAGUE, StageSettings
from players.actors import Actor
from players.models import Player
from players.people.erasure import erase_player
from tests.clubhouse.conftest import play_league
from tests.event_cast import NOON
from tournaments.entries import services as entries
from tournaments.models import Division, Stage, Tournament
from tournaments.state import stages

pytestmark = pytest.mark.django_db
SPRING = NOON + timedelta(days=60)
SETTINGS = {
    "is_side": True, "self_registration": True, "capacity": 9, "fee": 7, "match_length": 5, "round_lengths": [5, 7],
    "crawford": False, "rated": False, "draw_method": "rating", "apart": True, "deadline_rule": "lots",
    "start_rule": "table", "start_cap": 2, "start_table": [[100, 1]], "extension_hours": 5,
    "claim_wait": 61, "no_show_loses": True, "play_mode": "here", "clock": "correspondence", "overtime_minutes": 1,
    "turn_days": 4, "bank_days": 6, "flag_rule": "claim", "spectators_delay": None,
}  # fmt: skip


def names(tournament: Tournament) -> list[list[str]]:
    return [
        [entry.player.name for entry in division.entries.select_related("player").order_by("pk")]
        for division in tournament.divisions.order_by("order")
    ]


def test_the_last_is_relegated_and_the_first_promoted(league: list[Division], by_alice: Actor) -> None:
    for division in league:
        play_league(division, by_alice)

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


def test_the_higher_division_sets_how_many_move(leagues: Callable[..., list[Division]], by_alice: Actor) -> None:
    divisions = leagues(1, 2, 0)
    for division in divisions:
        play_league(division, by_alice)

    season = seasons.draft_next_season(
        tournament=divisions[0].tournament, name="Spring", starts_at=SPRING, by=by_alice, now=NOON
    )

    assert names(season) == [
        ["Player 1", "Player 2", "Player 3", "Player 5"],
        ["Player 4", "Player 6", "Player 9", "Player 10"],
        ["Player 7", "Player 8", "Player 11", "Player 12"],
    ]


def test_the_settings_and_venue_are_copied(league: list[Division], by_alice: Actor) -> None:
    for division in league:
        play_league(division, by_alice)
    event = league[0].tournament
    settings = {
        "venue": "Harbour House",
        "tables": 6,
        "closing_rule": "director",
        "currency": "EUR",
        "currency_exponent": 2,
        "time_zone": "Asia/Tokyo",
    }
    Tournament.objects.filter(pk=event.pk).update(**settings)
    Division.objects.filter(tournament=event).update(**SETTINGS)
    dated = StageSettings(LEAGUE, until="2026-12-31", join_until="2026-12-01", twice=True)
    Stage.objects.filter(division__in=league).update(settings=dated.as_data())
    event.refresh_from_db()

    season = seasons.draft_next_season(tournament=event, name="Spring", starts_at=SPRING, by=by_alice, now=NOON)

    assert {name: getattr(season, name) for name in settings} == settings
    for division in season.divisions.all():
        assert {name: getattr(division, name) for name in SETTINGS} == SETTINGS
        assert stages.stage_settings(division) == [StageSettings(LEAGUE, twice=True)]
    assert season.divisions.count() == 2


def test_a_division_that_was_called_off_has_no_next_season(league: list[Division], by_alice: Actor) -> None:
    play_league(league[0], by_alice)
    Division.objects.filter(pk=league[1].pk).update(status=Division.Status.CANCELLED)

    ((before, players),) = seasons.preview_season(league[0].tournament)

    assert (before, len(players)) == (league[0], 4)


def test_a_withdrawn_player_makes_room(league: list[Division], by_alice: Actor) -> None:
    for division in league:
        play_league(division, by_alice)
    gone = league[0].entries.get(player__name="Player 2")
    entries.withdraw(entry=gone, by=by_alice, now=NOON)

    drafted = seasons.preview_season(league[0].tournament)

    assert [[player.name for player, _ in players] for _before, players in drafted] == [
        ["Player 1", "Player 3", "Player 5", "Player 4"],
        ["Player 6", "Player 7", "Player 8"],
    ]


def test_a_player_who_has_left_the_site_makes_room(league: list[Division], by_alice: Actor) -> None:
    for division in league:
        play_league(division, by_alice)
    erase_player(player=Player.objects.get(name="Player 1"), by=by_alice, now=NOON)
    season = seasons.draft_next_season(
        tournament=league[0].tournament, name="Spring", starts_at=SPRING, by=by_alice, now=NOON
    )
    assert "" not in [name for division in names(season) for name in division]
    assert sum(map(len, names(season))) == 7


def test_the_same_key_drafts_it_once(league: list[Division], by_alice: Actor) -> None:
    for division in league:
        play_league(division, by_alice)
    arguments = {"tournament": league[0].tournament, "name": "Spring", "starts_at": SPRING, "key": "k1"}

    first = seasons.draft_next_season(**arguments, by=by_alice, now=NOON)
    again = seasons.draft_next_season(**arguments, by=by_alice, now=NOON)

    assert first == again
    assert names(again)[0] == ["Player 1", "Player 2", "Player 3", "Player 5"]


def test_a_season_follows_from_final_tables_only(league: list[Division], by_alice: Actor) -> None:
    play_league(league[0], by_alice)
    play_league(league[1], by_alice, unplayed=1)

    with pytest.raises(Refused) as refused:
        seasons.preview_season(league[0].tournament)

    assert (refused.value.code, refused.value.params) == ("season_not_over", {"division": "Second"})


def test_no_season_follows_a_knockout(drawn: Callable[..., Division]) -> None:
    with pytest.raises(Refused) as refused:
        seasons.preview_season(drawn(4).tournament)
    assert refused.value.code == "no_league"
