"""Honours of a month and of a season: the rules, who sees them, and what corrections and imports do to them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from random import Random

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formats.ratings import win_probability
from matches.models import Analysis, Decision, Match, RatingChange, RatingImport, RatingPool, Result
from matches.presentation.visibility import NOBODY, Viewer
from matches.ratings import services as ratings
from players.actors import SYSTEM
from players.models import Club, Membership, Player, User
from players.people.erasure import erase_player
from seasons.honours import (
    Analysed,
    AnalysedSide,
    Honour,
    Honours,
    Kind,
    Played,
    RatedSide,
    honours_in,
    honours_of,
    honours_of_player,
    latest_month,
    month_of,
    season_period,
)
from tests.event_cast import NOON
from tests.seasons.test_seasons import cast, night, season
from tests.tournaments.support.correcting import LATER, won_by
from tournaments.models import Fixture

__all__ = ["cast"]
Audience = Player.AnalysisVisibility
HALL = "/clubs/harbour/hall-of-fame/"
API = "/api/v1/clubs/harbour/honours/"


# The rules, over matches that need no database.


def played(winner: int, loser: int, number: int = 0, **more: object) -> Played:
    """A match that side 0 won."""
    at = datetime(2026, 11, 3, tzinfo=UTC) + timedelta(minutes=number)
    return replace(Played(f"m{number}", at, (winner, loser), 0), **more)  # type: ignore[arg-type]


def analysed(*sides: tuple[int, float] | None, program: str = "gnubg 2-ply", whole: bool = True) -> Analysed:
    """An analysis with counted decisions and errors of both sides."""
    figures = [None if side is None else AnalysedSide(side[0], side[1], None, None) for side in sides]
    return Analysed(1, program, whole, False, "/r/", (figures[0], figures[1]))


def of(kind: Kind, rows: list[Honour]) -> list[tuple[int, float]]:
    return [(row.player, row.figure) for row in rows if row.kind is kind]


@pytest.mark.parametrize("seed", range(40))
def test_the_longest_streak_is_the_longest_run_of_wins(seed: int) -> None:
    chance = Random(seed)
    pairs = [chance.sample(range(1, 7), 2) for _ in range(chance.randrange(1, 60))]
    rows = [played(winner, loser, number) for number, (winner, loser) in enumerate(pairs)]
    longest = {}
    for player in {player for pair in pairs for player in pair}:
        own = [pair[0] == player for pair in pairs if player in pair]
        longest[player] = max((len(list(run)) for won, run in groupby(own) if won), default=0)
    best = max(longest.values())
    expected = {player for player, count in longest.items() if count == best}
    streaks = of(Kind.STREAK, honours_of(rows, {}, ()))
    if best < 3 or 2 * len(expected) > len(longest):
        assert streaks == []
    else:
        assert {player for player, _figure in streaks} == expected
        assert {figure for _player, figure in streaks} == {best}


def test_a_performance_rating_needs_three_matches_and_a_hundred_decisions() -> None:
    rows = [played(1, 2, number, analysis=analysed((34, 0.17), (34, 0.34))) for number in range(3)]
    assert of(Kind.PR, honours_of(rows, {}, {1, 2})) == [(1, 2.5)]
    assert of(Kind.PR, honours_of(rows, {}, {2})) == [(2, 5.0)]
    assert of(Kind.PR, honours_of(rows, {}, ())) == []
    assert of(Kind.PR, honours_of(rows[:2], {}, {1, 2})) == []
    few = [replace(row, analysis=analysed((33, 0.17), (34, 0.34))) for row in rows]
    assert of(Kind.PR, honours_of(few, {}, {1, 2})) == [(2, 5.0)]


def test_a_performance_rating_is_over_all_decisions_of_one_program() -> None:
    rows = [
        played(1, 2, 0, analysis=analysed((10, 0.5), (90, 0.09))),
        played(1, 2, 1, analysis=analysed((100, 0.1), (40, 0.4))),
        played(1, 2, 2, analysis=analysed((100, 0.1), (40, 0.4))),
        played(1, 2, 3, analysis=analysed((100, 0.0), (40, 0.0), program="bgsage")),
        played(1, 2, 4, analysis=analysed((100, 0.0), (40, 0.0), whole=False)),
    ]
    (best,) = [row for row in honours_of(rows, {}, {1, 2}) if row.kind is Kind.PR]
    assert (best.player, best.figure, best.decisions, best.matches) == (1, round(500 * 0.7 / 210, 2), 210, 3)
    assert best.program == "gnubg 2-ply"


def test_what_is_shown_as_equal_is_shared_and_merged_players_are_one() -> None:
    rows = [played(1, 2, number, analysis=analysed((40, 0.2000), (40, 0.20001))) for number in range(3)]
    assert of(Kind.PR, honours_of(rows, {}, {1, 2})) == [(1, 2.5), (2, 2.5)]
    rated = [
        played(1, 3, 0, rated=(RatedSide(1, 4.04, 0.4), RatedSide(1, -4.04, 0.6))),
        played(2, 3, 1, rated=(RatedSide(1, 4.0, 0.4), RatedSide(1, -4.0, 0.6))),
    ]
    assert of(Kind.GAIN, honours_of(rated, {}, ())) == [(1, 4.0), (2, 4.0)]
    assert of(Kind.UPSET, honours_of(rated, {}, ())) == [(1, 0.4), (2, 0.4)]
    assert of(Kind.GAIN, honours_of(rated, {2: 1}, ())) == [(1, 8.0)]


def test_a_rating_gain_is_of_one_pool_and_above_zero() -> None:
    rows = [
        played(1, 2, 0, rated=(RatedSide(1, 3.0, 0.5), RatedSide(1, -3.0, 0.5))),
        played(1, 2, 1, rated=(RatedSide(2, 4.0, 0.5), RatedSide(2, -4.0, 0.5))),
    ]
    assert of(Kind.GAIN, honours_of(rows, {}, ())) == [(1, 4.0)]
    lost = [played(2, 1, 2, rated=(RatedSide(1, 0.0, 0.9), RatedSide(1, 0.0, 0.1)))]
    assert of(Kind.GAIN, honours_of(lost, {}, ())) == []
    # Whoever was expected to win has upset nobody.
    assert of(Kind.UPSET, honours_of(lost, {}, ())) == []


def test_swing_and_comeback_are_of_winners_who_show_how_they_play() -> None:
    def match(winner: int, number: int, luckiest: float, lowest: float) -> Played:
        own, other = AnalysedSide(50, 1.0, luckiest, lowest), AnalysedSide(50, 1.0, 0.9, 0.01)
        return played(winner, 9, number, analysis=Analysed(number, "gnubg", True, False, "/r/", (own, other)))

    rows = [match(1, 0, 0.41, 0.2), match(2, 1, 0.52, 0.1), match(3, 2, 0.3, 0.03)]
    assert of(Kind.SWING, honours_of(rows, {}, {1, 2, 3, 9})) == [(2, 0.52)]
    assert of(Kind.COMEBACK, honours_of(rows, {}, {1, 2, 3, 9})) == [(3, 0.03)]
    assert of(Kind.SWING, honours_of(rows, {}, {1, 3})) == [(1, 0.41)]
    assert of(Kind.COMEBACK, honours_of(rows, {}, {1})) == [(1, 0.2)]
    assert {row.kind for row in honours_of(rows, {}, {9})} == {Kind.PR}
    leading = [match(1, 0, 0.0, 0.5)]
    assert honours_of(leading, {}, {1}) == []


# With a club.


@pytest.fixture
def evening(cast: list[Player], db: None) -> list[Match]:
    """A knockout of eight, rated."""
    cup = night(cast, "one")
    ratings.replay_pool(pool_id=cup.pool.pk, now=LATER)
    return list(Match.objects.order_by("finished_at", "pk"))


def month(viewer: Viewer = NOBODY) -> Honours:
    club = Club.objects.get(slug="harbour")
    return honours_in(club, viewer, latest_month(club) or month_of(NOON.date()), staff=False)


def figures(row: Honours, kind: Kind) -> dict[str, float]:
    return {line.player: line.figure for line in row.lines if line.kind is kind}


def analyse(match: Match, side: int, *, count: int = 0, error: float = 0.0, rolls: dict[float, float]) -> Analysis:
    """Analyse a match played here: decisions of one side, and rolls with luck -> chance after them."""
    analysis, _ = Analysis.objects.get_or_create(
        match=match, state=Analysis.State.DONE, backend="gnubg", settings={"plays": "2-ply"}, finished_at=NOON
    )
    start = analysis.decisions.count()

    def decision(event: int, **more: object) -> Decision:
        return Decision(
            analysis=analysis, game=1, event=event, side=side, kind="play", phase="contact", cube=1, own_away=3,
            opposing_away=3, played="8/5 6/5", best="8/5 6/5", counted=True, **more,
        )  # fmt: skip

    rows = [decision(start + number, error=error) for number in range(count)]
    rows += [
        decision(start + count + number, error=0.0, luck_winning=luck, winning=winning)
        for number, (luck, winning) in enumerate(rolls.items())
    ]
    Decision.objects.bulk_create(rows)
    return analysis


def winner_side(match: Match) -> int:
    side = Result.objects.filter(match=match).latest("version").winner
    assert side is not None
    return side


@pytest.mark.django_db
def test_ratings_give_the_gain_and_the_upset(evening: list[Match]) -> None:
    changes = list(RatingChange.objects.filter(match__in=evening))
    assert changes
    gains: dict[str, float] = {}
    chances: dict[str, float] = {}
    for row in changes:
        player = row.player.public_id
        gains[player] = gains.get(player, 0.0) + row.rating_after - row.rating_before
        if row.won:
            chance = win_probability(row.rating_before, row.opponent_before, row.length)
            chances[player] = min(chances.get(player, 1.0), chance)
    best, lowest = round(max(gains.values()), 1), round(min(chances.values()), 3)
    seen = month()
    assert figures(seen, Kind.GAIN) == {p: best for p, gain in gains.items() if round(gain, 1) == best}
    upsets = {p: lowest for p, chance in chances.items() if round(chance, 3) == lowest and lowest < 0.5}
    assert figures(seen, Kind.UPSET) == upsets
    assert seen.matches == len(evening)


@pytest.mark.django_db
def test_an_analysed_match_gives_swing_and_comeback_with_the_position(evening: list[Match]) -> None:
    match = evening[-1]
    side = winner_side(match)
    winner, loser = match.players[side], match.players[1 - side]
    User.objects.create_user(email="w@example.org", password="x")
    for player, name in ((winner, "w2@example.org"), (loser, "l@example.org")):
        player.user = User.objects.create_user(email=name, password="x")
        player.analysis_visibility = Audience.PUBLIC
        player.save()
    analyse(match, side, rolls={0.31: 0.44, -0.2: 0.05})
    analyse(match, 1 - side, rolls={0.6: 0.9})
    seen = month()
    (swing,) = [line for line in seen.lines if line.kind is Kind.SWING]
    assert (swing.player, swing.figure, swing.match) == (winner.public_id, 0.31, match.public_id)
    assert swing.reason == "one roll raised the chance to win the match from 13.0 % to 44.0 %"
    assert swing.position == f"/matches/{match.public_id}/replay/?g=1&e=0"
    (comeback,) = [line for line in seen.lines if line.kind is Kind.COMEBACK]
    assert (comeback.player, comeback.figure) == (winner.public_id, 0.05)
    assert comeback.position.endswith("g=1&e=1")
    # What its player keeps private counts for nobody else, and shows as soon as they say so.
    Player.objects.filter(pk=winner.pk).update(analysis_visibility=Audience.PRIVATE)
    assert not {Kind.SWING, Kind.COMEBACK} & {line.kind for line in month().lines}
    own = month(Viewer.of(winner.user))
    assert figures(own, Kind.SWING) == {winner.public_id: 0.31}


@pytest.mark.django_db
def test_the_best_performance_rating_is_nobodys_who_keeps_it_private(evening: list[Match]) -> None:
    club = Club.objects.get(slug="harbour")
    player = evening[-1].players[winner_side(evening[-1])]
    own = [match for match in evening if player in match.players]
    assert len(own) == 3
    player.user = User.objects.create_user(email="w@example.org", password="x")
    player.save()
    for match in own:
        analyse(match, match.players.index(player), count=40, error=0.01, rolls={})
    reader = User.objects.create_user(email="r@example.org", password="x")
    friend = Player.objects.create(name="Friend", user=reader)
    for member in (player, friend):
        Membership.objects.create(club=club, player=member)
    for audience, by_member, by_nobody in (
        (Audience.PUBLIC, True, True), (Audience.CLUB, True, False), (Audience.PRIVATE, False, False),
    ):  # fmt: skip
        Player.objects.filter(pk=player.pk).update(analysis_visibility=audience)
        expected = {player.public_id: 5.0}
        assert figures(month(Viewer.of(reader)), Kind.PR) == (expected if by_member else {}), audience
        assert figures(month(), Kind.PR) == (expected if by_nobody else {}), audience
        text = Client().get(HALL).content.decode() + Client().get("/clubs/harbour/").content.decode()
        text += Client().get(f"/players/{player.public_id}/").content.decode()
        assert ("performance rating</" in text or "120 decisions" in text) == by_nobody, audience


@pytest.mark.django_db
def test_imported_and_void_matches_friendlies_and_walkovers_never_count(cast: list[Player]) -> None:
    cup = night(cast, "one")
    assert month().matches == 7
    match = cup.settled()[0].match
    assert match is not None
    pool = RatingPool.objects.get(name="one")
    RatingImport.objects.create(pool=pool, kind="matches").matches.add(match)
    assert month().matches == 6
    RatingImport.objects.all().delete()
    assert month().matches == 7
    for change in ({"state": "void"}, {"provisional": True}, {"parent_topic": ""}):
        before = {name: getattr(match, name) for name in change}
        Match.objects.filter(pk=match.pk).update(**change, seq=match.seq + 1)
        assert month().matches == 6, change
        Match.objects.filter(pk=match.pk).update(**before, seq=match.seq)
    Result.objects.filter(match=match).update(kind="walkover")
    Match.objects.filter(pk=match.pk).update(seq=match.seq + 2)
    assert month().matches == 6


@pytest.mark.django_db
def test_a_correction_moves_an_honour_and_its_undoing_brings_it_back(cast: list[Player]) -> None:
    cup = night(cast, "one")
    before = month()
    assert figures(before, Kind.STREAK)
    (champion,) = figures(before, Kind.STREAK)
    final: Fixture = cup.settled()[-1]
    side = Result.objects.filter(match=final.match).latest("version").winner
    assert side is not None
    correction = cup.correct(final, won_by(1 - side))
    assert figures(month(), Kind.STREAK) != figures(before, Kind.STREAK)
    assert champion not in figures(month(), Kind.STREAK)
    cup.undo(correction)
    assert figures(month(), Kind.STREAK) == figures(before, Kind.STREAK)


@pytest.mark.django_db
def test_private_matches_count_for_those_who_may_see_them(cast: list[Player], club: Club, alice: User) -> None:
    night(cast, "one")
    assert month().matches == 7
    Match.objects.update(visibility=Match.Visibility.PRIVATE)
    assert month().matches == 0
    assert month().quiet == "A quiet time: no match of an event was played."
    assert month(Viewer.of(alice)).matches == 7


@pytest.mark.django_db
def test_a_month_is_chosen_and_a_quiet_one_says_so(cast: list[Player], club: Club) -> None:
    night(cast, "long ago", weeks=10)
    row = season()
    (name,) = {line.name for line in month().lines if line.kind is Kind.STREAK}
    assert name in Client().get("/clubs/harbour/").content.decode()
    page = Client().get(HALL).content.decode()
    assert f"Honours: {month_of(NOON.date()).name}" in page.replace("<bdi>", "").replace("</bdi>", "")
    assert "wins in a row" in page
    quiet = month_of((timezone.now() - timedelta(weeks=5)).date())
    if quiet.key not in (month_of(NOON.date()).key, month_of(timezone.now().date()).key):
        assert "A quiet time" in Client().get(HALL, {"period": quiet.key}).content.decode()
        assert Client().get(API, {"period": quiet.key}).json()["honours"] == []
    of_season = Client().get(API, {"period": row.public_id}).json()
    assert {line["kind"] for line in of_season["honours"]} >= {"streak"}
    assert of_season["first_day"] == str(season_period(row).first)
    assert Client().get(API).json()["period"] == month_of(NOON.date()).key
    for wrong in ("2026-13", "x", "2999-01", "1066-10", "k7m2x9q4ab"):
        assert Client().get(HALL, {"period": wrong}).status_code == 404, wrong
        assert Client().get(API, {"period": wrong}).status_code == 404, wrong
    assert Client().get(API, {"period": "x" * 40}).status_code == 422


@pytest.mark.django_db
def test_the_page_of_a_player_shows_initials_and_former_members(cast: list[Player], club: Club) -> None:
    night(cast, "one")
    (line,) = [line for line in month().lines if line.kind is Kind.STREAK]
    player = Player.objects.get(public_id=line.player)
    (own, *_more) = [row for row in honours_of_player(player, NOBODY, NOON) if row.line.kind is Kind.STREAK]
    assert own.line.figure == line.figure
    Player.objects.filter(pk=player.pk).update(name="Robert Hidden", initials_only=True)
    for path in (HALL, "/clubs/harbour/", API):
        text = Client().get(path).content.decode()
        assert "R. H." in text.replace("\\u00a0", " ").replace("\xa0", " ") or "RH" in text or "R.H." in text, path
        assert "Robert Hidden" not in text, path
    erase_player(player=Player.objects.get(pk=player.pk), by=SYSTEM, now=NOON)
    assert "Former member" in Client().get(HALL).content.decode()


@pytest.mark.django_db
def test_a_month_is_read_once_until_something_in_it_changes(evening: list[Match]) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            month()
        return len(seen)

    first, again = queries(), queries()
    assert again < first
    analyse(evening[0], 0, rolls={0.1: 0.5})
    assert queries() > again
    assert queries() < first + 3
