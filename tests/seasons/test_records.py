"""Records of a club: who has most titles, the best totals, the longest streak and the highest ratings."""

from datetime import timedelta
from fractions import Fraction
from random import Random

import pytest
from django.test import Client

from matches.models import Match, RatingChange, Result
from matches.presentation.visibility import NOBODY
from matches.ratings import services as ratings
from players.actors import SYSTEM
from players.models import Club, Player
from players.people.erasure import erase_player
from seasons import services
from seasons.records import Record, records_of
from seasons.services import SeriesInput, close_series
from seasons.tables import standing_of
from seasons.titles import award_title, title_lines, titles_of
from tests.event_cast import NOON
from tests.seasons.test_seasons import TODAY, cast, night
from tests.tournaments.support.correcting import KNOCKOUT, LATER, Cup, won_by
from tournaments.models import PastPlacing, PastSeason, Series, Title, Tournament

__all__ = ["cast"]
pytestmark = pytest.mark.django_db
HALL = "/clubs/harbour/hall-of-fame/"


def records(title: str) -> list[Record]:
    club = Club.objects.get(slug="harbour")
    lines = title_lines(None, club, titles_of(Title.objects.filter(club=club, withdrawn_at=None)))  # type: ignore[arg-type]
    return [row for row in records_of(club, NOBODY, lines, staff=False) if row.title.startswith(title)]


def holders(title: str) -> dict[str, str]:
    """Player -> figure."""
    return {holder.player: row.figure for row in records(title) for holder in row.holders}


def closed(name: str, preset: str = "motor_racing", days: int = 3, ago: int = 0) -> Series:
    """A closed season around the day that is so many weeks ago."""
    club, middle = Club.objects.get(slug="harbour"), TODAY - timedelta(weeks=ago)
    when = SeriesInput(name, middle - timedelta(days=days), middle + timedelta(days=days), preset)
    row = services.create_series(club=club, series=when, by=SYSTEM, now=NOON)
    close_series(series=row, after=row.seq, by=SYSTEM, now=NOON)
    return row


def best_of(row: Series) -> tuple[Fraction, set[str]]:
    rows = [line for line in standing_of(row).season.rows if line.rank is not None]
    best = max(line.total for line in rows)
    return best, {line.player for line in rows if line.total == best}


@pytest.mark.slow
def test_the_best_total_is_of_one_plan_never_across_plans(cast: list[Player]) -> None:
    night(cast, "one", seed=1, weeks=20)
    night(cast, "two", seed=2, weeks=10)
    night(cast, "three", seed=3, weeks=9)
    first, other = closed("Spring", ago=20), closed("By another plan", "vienna_cup", ago=10)
    assert best_of(first)[0] != best_of(other)[0]
    rows = records("Best season total")
    assert {row.url_label for row in rows} == {"Spring", "By another plan"}
    more = closed("Summer", days=10, ago=10)
    totals = {row.name: best_of(row) for row in (first, more)}
    best = max(total for total, _players in totals.values())
    expected = {name: players for name, (total, players) in totals.items() if total == best}
    by_name = {row.url_label: {h.player for h in row.holders} for row in records("Best season total")}
    assert by_name.pop("By another plan") == best_of(other)[1]
    assert by_name == expected


def test_a_total_with_imported_evenings_is_marked_as_told(cast: list[Player]) -> None:
    night(cast, "one")
    row = closed("Autumn")
    (record,) = records("Best season total")
    assert not record.as_told
    past = PastSeason.objects.create(club=row.club, name="2019", counts_in=row)
    PastPlacing.objects.create(season=past, player=cast[0], place=1)
    (record,) = records("Best season total")
    assert record.as_told
    assert "as told" in Client().get(HALL).content.decode()


@pytest.mark.parametrize("seed", [1, 2])
def test_the_longest_streak_runs_over_evenings(cast: list[Player], seed: int) -> None:
    night(cast, "one", seed=seed, weeks=2)
    night(cast, "two", seed=seed + 10, weeks=1)
    for number, pk in enumerate(Match.objects.order_by("pk").values_list("pk", flat=True)):
        Match.objects.filter(pk=pk).update(finished_at=NOON + timedelta(minutes=number))
    longest: dict[str, int] = {}
    for player in cast:
        run = 0
        for match in Match.objects.order_by("finished_at"):
            if player in match.players:
                side = Result.objects.filter(match=match).latest("version").winner
                run = run + 1 if side is not None and match.players[side] == player else 0
                longest[player.public_id] = max(longest.get(player.public_id, 0), run)
    best = max(longest.values())
    assert best >= 3
    expected = {player: f"{best} wins in a row" for player, count in longest.items() if count == best}
    assert holders("Longest winning streak") == expected


def test_a_correction_changes_the_longest_streak(cast: list[Player]) -> None:
    cup = night(cast, "one")
    (champion,) = holders("Longest winning streak")
    final = cup.settled()[-1]
    side = Result.objects.filter(match=final.match).latest("version").winner
    assert side is not None
    correction = cup.correct(final, won_by(1 - side))
    assert champion not in holders("Longest winning streak")
    cup.undo(correction)
    assert list(holders("Longest winning streak")) == [champion]


def test_the_highest_rating_needs_four_hundred_points(cast: list[Player], club: Club) -> None:
    cup = Cup.of(cast, KNOCKOUT, "one").play(Random(1), wild=False)
    cup.pool.club = club
    cup.pool.save()
    ratings.replay_pool(pool_id=cup.pool.pk, now=LATER)
    assert RatingChange.objects.exists()
    assert records("Highest rating") == []
    champion = RatingChange.objects.order_by("-rating_after").first()
    assert champion is not None
    rows = RatingChange.objects.filter(player=champion.player_id)
    rows.update(experience_before=400 - champion.length - 1)
    Match.objects.filter(pk=champion.match_id).update(seq=90)
    assert records("Highest rating") == []
    rows.update(experience_before=400 - champion.length)
    Match.objects.filter(pk=champion.match_id).update(seq=91)
    (record,) = records("Highest rating")
    assert [holder.player for holder in record.holders] == [champion.player.public_id]
    assert record.figure == f"{champion.rating_after:,.1f}".replace(",", "")
    assert record.of == "one, after 400 points played"
    assert record.url == f"/matches/{champion.match.public_id}/"


@pytest.mark.slow
def test_most_titles_are_shared_and_one_is_no_record(cast: list[Player], club: Club) -> None:
    cups = [night(cast, name, seed=seed) for seed, name in enumerate(("one", "two", "three", "four"), start=1)]
    for cup in cups:
        Tournament.objects.filter(pk=cup.division.tournament_id).update(starts_at=NOON)
    winners = {}
    for cup in cups:
        final = cup.settled()[-1]
        side = Result.objects.filter(match=final.match).latest("version").winner
        assert final.match is not None
        assert side is not None
        player = final.match.players[side]
        winners[cup.division.pk] = player
        award_title(club=club, kind="event", player=player.public_id, of=cup.division, by=SYSTEM, now=NOON)
    counts = {player.public_id: list(winners.values()).count(player) for player in winners.values()}
    expected = {player: f"{count} titles" for player, count in counts.items() if count > 1}
    assert holders("Most titles") == expected


def test_records_keep_whoever_was_erased_and_hide_names(cast: list[Player]) -> None:
    night(cast, "one")
    row = closed("Autumn")
    (champion,) = best_of(row)[1]
    Player.objects.filter(public_id=champion).update(name="Robert Hidden", initials_only=True)
    paths = (HALL, "/api/v1/clubs/harbour/records/")
    for path in paths:
        assert "Robert Hidden" not in Client().get(path).content.decode(), path
    player = Player.objects.get(public_id=champion)
    player.erased_at = None
    erase_player(player=player, by=SYSTEM, now=LATER)
    for path in paths:
        assert "Former member" in Client().get(path).content.decode(), path


def test_a_club_without_a_past_has_no_records(club: Club) -> None:
    assert Client().get("/api/v1/clubs/harbour/records/").json() == []
    assert "Records" not in Client().get(HALL).content.decode()
