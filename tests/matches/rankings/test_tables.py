"""The ranking, histories and head-to-head comparisons: contents, order and visibility."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from matches.models import Match, PlayerRating
from matches.presentation.visibility import NOBODY, Viewer
from matches.rankings import histories, profiles, tables
from matches.rankings.profiles import Point
from matches.rankings.tables import RankingFilters
from matches.ratings.services import default_pool
from players.access import Role
from players.models import Club, Membership, Player, User
from tests.matches.ratings.history import LATER, NOON, Kind, played, player, replay

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def rate(name: str, rating: float, *, matches: int = 10, days_ago: int = 1, **fields: Any) -> Player:
    """Create a player with a rating but without matches."""
    new = player(name, **fields)
    PlayerRating.objects.create(
        pool=default_pool(),
        player=new,
        rating=rating,
        experience=7 * matches,
        matches=matches,
        wins=matches // 2,
        last_played_at=LATER - timedelta(days=days_ago),
        last_change=1.5,
        event_matches=5,
    )
    return new


def table(page: int = 1, **filters: Any) -> list[tuple[int, str]]:
    rows = tables.ranking(RankingFilters(**filters), page, LATER).rows
    return [(row.rank, row.player.shown_name) for row in rows]


# The ranking


def test_an_empty_ranking_has_no_rows() -> None:
    assert table() == []


def test_the_best_rating_is_first_and_equal_ratings_share_a_rank() -> None:
    for name, rating in [("Bob", 1500.0), ("Carol", 1600.0), ("Erik", 1600.0), ("Frida", 1400.0)]:
        rate(name, rating)
    assert table() == [(1, "Carol"), (1, "Erik"), (3, "Bob"), (4, "Frida")]


def test_ranks_continue_over_pages_even_if_equal_ratings_are_split() -> None:
    for number in range(tables.ROWS - 1):
        rate(f"Better {number:02}", 1700 - number)
    for name in ("Bob", "Carol", "Erik"):
        rate(name, 1500)
    assert table(1)[-1] == (50, "Bob")
    assert table(2) == [(50, "Carol"), (50, "Erik")]
    assert table(99) == table(2), "the nearest page"


def test_players_inactive_for_a_year_are_shown_only_on_request() -> None:
    rate("Bob", 1500, days_ago=300)
    rate("Carol", 1600, days_ago=400)
    assert table() == [(1, "Bob")]
    assert table(days=0) == [(1, "Carol"), (2, "Bob")]
    assert table(days=30) == []


def test_the_ranking_can_require_a_number_of_matches() -> None:
    rate("Bob", 1500, matches=4)
    rate("Carol", 1400, matches=5)
    assert table(least=5) == [(1, "Carol")]


def test_the_ranking_can_be_limited_to_a_club() -> None:
    bob, carol = rate("Bob", 1500), rate("Carol", 1600)
    club = Club.objects.create(name="Copenhagen Backgammon", slug="copenhagen")
    Membership.objects.create(club=club, player=bob)
    Membership.objects.create(club=club, player=carol, left_at=LATER)
    assert table(club="copenhagen") == [(1, "Bob")]
    assert table(club="nowhere") == []


def test_a_search_does_not_change_ranks() -> None:
    for name, rating in [("Bob Møller", 1500.0), ("Carol", 1600.0), ("Erik Moller", 1600.0)]:
        rate(name, rating)
    assert table(q="moller") == [(1, "Erik Moller"), (3, "Bob Møller")]
    assert table(q="møl bob") == [(3, "Bob Møller")]


def test_players_with_initials_are_ranked_but_not_found_and_erased_players_are_not_ranked() -> None:
    rate("Bob Olsen", 1500, initials_only=True)
    rate("", 1600, erased_at=LATER)
    assert table() == [(1, "B. O.")]
    assert table(q="olsen") == []
    assert tables.players("", 1)[1] == []


def test_the_ranking_shows_the_readers_own_rank(bob: User) -> None:
    for number in range(tables.ROWS):
        rate(f"Better {number:02}", 1700)
    me = rate("Bob", 1700, user=bob)
    viewer = Viewer.of(bob)
    ranking = tables.ranking(RankingFilters(), 2, LATER, viewer.player)
    assert ranking.me == tables.RankedPlace(rank=1, page=2)
    assert [row.me for row in ranking.rows] == [True]
    assert tables.place(RankingFilters(least=11), LATER, me.pk) is None
    assert tables.place(RankingFilters(), LATER, None) is None


def test_invalid_query_parameters_are_ignored() -> None:
    assert RankingFilters.read({"days": "-3", "least": "many", "page": "x"}) == RankingFilters()
    assert RankingFilters.read({"days": "9" * 7}).days == 9999999
    assert table(days=9999999) == []
    assert (
        histories.HistoryFilters.read({"result": "maybe", "year": "99999", "length": "²"}) == histories.HistoryFilters()
    )


# Histories


@pytest.fixture
def cast(db: None) -> tuple[Player, Player, Player]:
    return player("Bob Ross"), player("Carol"), player("Erik")


def lines(of: Player, viewer: Viewer = NOBODY, **filters: Any) -> list[histories.HistoryLine]:
    return histories.history(of, histories.HistoryFilters(**filters), 1, viewer).lines


def test_a_history_shows_each_match_from_the_players_side(cast: tuple[Player, Player, Player]) -> None:
    bob, carol, erik = cast
    played(bob, carol, hours=1, length=7)
    played(erik, bob, hours=2, length=5)
    played(carol, bob, hours=3, kind=Kind.WALKOVER)
    replay()
    walkover, lost, won = lines(bob)
    assert (won.opponent, won.won, won.score) == (carol, True, (7, 3))
    assert (lost.opponent, lost.won, lost.score) == (erik, False, (3, 5))
    assert won.explained is not None
    assert won.explained.working.k == 5
    assert lost.explained is not None
    assert (lost.explained.counted, lost.explained.ramps) == (7, True)
    assert walkover.explained is None
    assert (won.ending, walkover.ending) == ("", "walkover")


def test_a_score_is_shown_up_to_the_length(cast: tuple[Player, Player, Player]) -> None:
    bob, carol, _ = cast
    match = played(bob, carol, length=7)
    match.results.update(score_0=9, score_1=4)
    assert lines(bob)[0].score == (7, 4)
    assert lines(carol)[0].score == (4, 7)


def test_a_history_can_be_filtered(cast: tuple[Player, Player, Player]) -> None:
    bob, carol, erik = cast
    first = played(bob, carol, hours=1, length=7)
    second = played(erik, bob, hours=2, length=5)
    third = played(carol, bob, hours=24 * 365, length=5, kind=Kind.WALKOVER)
    replay()

    def filtered(**filters: Any) -> list[Match]:
        return [line.match for line in lines(bob, **filters)]

    assert filtered() == [third, second, first]
    assert filtered(result="won") == [first]
    assert filtered(result="lost") == [third, second]
    assert filtered(rated="yes") == [second, first]
    assert filtered(rated="no") == [third]
    assert filtered(length=5) == [third, second]
    assert filtered(year=2026) == [second, first]
    assert filtered(opponent="car") == [third, first]
    assert filtered(opponent="bob") == []


@pytest.mark.parametrize("reader", ["UTC", "Pacific/Auckland", "America/New_York"])
def test_a_match_belongs_to_the_year_of_its_club(cast: tuple[Player, Player, Player], reader: str) -> None:
    bob, carol, _ = cast
    abroad = Club.objects.create(name="Auckland", slug="auckland", time_zone="Pacific/Auckland")
    match, at_home = played(bob, carol, length=7), played(bob, carol, length=7)
    Match.objects.update(finished_at=datetime(2026, 12, 31, 12, tzinfo=UTC))
    Match.objects.filter(pk=match.pk).update(club=abroad)
    with timezone.override(ZoneInfo(reader)):
        assert [[line.match for line in lines(bob, year=year)] for year in (2026, 2027)] == [[at_home], [match]]
        assert histories.history(bob, histories.HistoryFilters(), 1, NOBODY).years == range(2027, 2025, -1)


def test_open_and_void_matches_are_not_in_a_history(cast: tuple[Player, Player, Player]) -> None:
    bob, carol, _ = cast
    Match.objects.create(player_0=bob, player_1=carol, length=7)
    Match.objects.create(player_0=bob, player_1=carol, length=7, finished_at=NOON, state=Match.State.VOID)
    assert lines(bob) == []


def test_merged_players_have_one_history(cast: tuple[Player, Player, Player]) -> None:
    bob, carol, erik = cast
    played(bob, carol, hours=1)
    played(carol, erik, hours=2)
    played(erik, bob, hours=3)
    Player.objects.filter(pk=erik.pk).update(merged_into=bob)
    replay()
    assert [(line.opponent, line.won) for line in lines(bob)] == [(carol, False), (carol, True)]
    assert [line.opponent for line in lines(carol)] == [bob, bob]
    assert len(lines(carol, opponent="ross")) == 2
    assert [line.match for line in lines(carol, opponent="erik")] == []
    met = histories.versus(bob, carol, (1500, 1500), 1, NOBODY)
    assert (met.wins, met.page.paginator.count) == ((1, 1), 2)


def test_a_private_match_shows_only_its_rating_change(
    cast: tuple[Player, Player, Player], bob: User, dave: User, alice: User
) -> None:
    ross, carol, erik = cast
    Player.objects.filter(pk=carol.pk).update(user=bob)
    club = Club.objects.create(name="Club", slug="club")
    Membership.objects.create(club=club, player=player("Alice", user=alice), role=Role.DIRECTOR)
    Membership.objects.create(club=club, player=player("Dave", user=dave))
    played(ross, carol, hours=1, club=club, visibility=Match.Visibility.PRIVATE)
    played(ross, erik, hours=2, club=club, visibility=Match.Visibility.CLUB)
    replay()

    def seen(viewer: Viewer) -> list[bool]:
        shown = lines(ross, viewer)
        assert all(line.explained is not None for line in shown)
        assert all(line.score is None for line in shown if line.hidden)
        met = [
            histories.versus(ross, other, (1500, 1500), 1, viewer).page.paginator.count == 1 for other in (erik, carol)
        ]
        assert met == [not line.hidden for line in shown]
        counts = [len(lines(ross, viewer, opponent=name)) == 1 for name in ("erik", "carol")]
        assert counts == met
        return met

    assert seen(NOBODY) == [False, False]
    assert seen(Viewer.of(dave)) == [True, False], "of the club"
    assert seen(Viewer.of(alice)) == [True, True], "directs it"
    assert seen(Viewer.of(bob)) == [False, True], "Carol herself"
    assert histories.rivals(ross, 5) == []


def test_two_players_head_to_head(cast: tuple[Player, Player, Player]) -> None:
    bob, carol, erik = cast
    for hours in range(3):
        played(bob, carol, hours=hours)
    played(carol, bob, hours=4)
    played(carol, erik, hours=5)
    replay()
    met = histories.versus(carol, bob, (1500, 1650), 1, NOBODY)
    assert met.wins == (1, 3)
    assert [line.won for line in met.lines] == [True, False, False, False]
    seven = next(chance for chance in met.chances if chance.length == 7)
    assert seven.percents == (39, 61)
    assert [(rival["player"], rival["matches"], rival["wins"]) for rival in histories.rivals(carol, 5)] == [
        (bob, 4, 1),
        (erik, 1, 1),
    ]


# Charts


def points(*ratings: float) -> list[Point]:
    return [Point(NOON + timedelta(days=index), rating) for index, rating in enumerate(ratings)]


def test_a_chart_needs_two_points() -> None:
    assert profiles.chart([]) is None
    assert profiles.chart(points(1500)) is None


def test_a_chart_of_one_match_spans_the_full_width() -> None:
    drawn = profiles.chart(points(1500, 1526.5), [profiles.DESK])
    assert drawn is not None
    assert (drawn.matches, drawn.lowest, drawn.highest) == (1, 1500, 1526.5)
    (desk,) = drawn.drawings
    assert desk.line.startswith("M56 ")
    assert desk.end is not None
    assert desk.end[0] == profiles.DESK.right_end
    assert [line.label for line in desk.levels] == ["1500", "1505", "1510", "1515", "1520", "1525", "1530"]


def test_a_flat_chart_has_room_above_the_line() -> None:
    drawn = profiles.chart(points(1500, 1500))
    assert drawn is not None
    assert [line.label for line in drawn.drawings[0].levels] == ["1500", "1501"]


def test_a_long_chart_keeps_its_peaks() -> None:
    ratings = [1500.0 + index % 7 for index in range(3000)]
    ratings[1234], ratings[2345] = 1900, 1100
    drawn = profiles.chart(points(*ratings))
    assert drawn is not None
    assert len(drawn.points) <= profiles.MAX_POINTS + 2
    assert (drawn.points[0].rating, drawn.points[-1].rating) == (ratings[0], ratings[-1])
    assert {1900, 1100} <= {point.rating for point in drawn.points}
    for size, drawing in zip((profiles.DESK, profiles.PHONE), drawn.drawings, strict=True):
        assert 1 < len(drawing.levels) <= size.lines
        assert 0 < len(drawing.labels) <= size.dates


@pytest.mark.parametrize("days", [1, 30, 400])
def test_dates_below_a_chart_do_not_run_into_each_other(days: int) -> None:
    history = [Point(NOON + timedelta(days=days * index), 1500.0 + index) for index in range(40)]
    drawn = profiles.chart(history, [replace(profiles.DESK, dates=40), replace(profiles.PHONE, dates=40)])
    assert drawn is not None
    for drawing in drawn.drawings:
        assert len(drawing.labels) > 2
        for left, right in pairwise(drawing.labels):
            # A character is at least 7 units wide.
            assert right.place - left.place > 7 * (len(left.label) + len(right.label)) / 2


@pytest.mark.parametrize(("matches", "more"), [(profiles.CHARTED, False), (profiles.CHARTED + 1, True)])
def test_the_whole_history_is_offered_only_if_the_chart_leaves_some_out(
    matches: int, more: bool, cast: tuple[Player, Player, Player]
) -> None:
    shown = profiles.profile(cast[0], LATER, Viewer(None))
    assert not shown.more_in_chart
    assert replace(shown, standing=PlayerRating(matches=matches)).more_in_chart == more


def test_the_ranking_can_be_limited_to_every_club(db: None) -> None:
    for name in ("Odense", "Harbour"):
        Club.objects.create(name=name, slug=name.lower())
    assert tables.club_choices() == [("harbour", "Harbour"), ("odense", "Odense")]


# Queries


def season(count: int, cast: tuple[Player, Player, Player]) -> None:
    hours = Match.objects.count()
    for number in range(count):
        other = player(f"Rival {hours + number}") if number % 3 == 0 else cast[number % 3]
        played(cast[0], other, hours=hours + number)
    replay()


def queries(work: Any) -> int:
    with CaptureQueriesContext(connection) as captured:
        work()
    return len(captured)


def test_the_number_of_queries_does_not_depend_on_the_number_of_matches(
    cast: tuple[Player, Player, Player], bob: User
) -> None:
    me = cast[0]
    Player.objects.filter(pk=me.pk).update(user=bob)
    viewer = Viewer.of(bob)
    pages = {
        "ranking": lambda: tables.ranking(RankingFilters(days=0), 1, LATER, viewer.player),
        "search": lambda: tables.ranking(RankingFilters(days=0, q="a"), 1, LATER, viewer.player),
        "players": lambda: tables.players("", 1),
        "profile": lambda: profiles.profile(me, LATER, viewer, whole=True),
        "history": lambda: histories.history(me, histories.HistoryFilters(), 1, viewer),
        "versus": lambda: histories.versus(me, cast[2], (1500, 1500), 1, viewer),
        "rivals": lambda: histories.rivals(me, 12),
    }
    season(4, cast)
    rate("Frida", 1500)
    few = {name: queries(work) for name, work in pages.items()}
    season(60, cast)
    for number in range(60):
        rate(f"Anna {number}", 1400 + number % 9)
    many = {name: queries(work) for name, work in pages.items()}
    assert many == few
    assert max(few.values()) <= 20, few
