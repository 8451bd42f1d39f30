"""The settings of a club's rating pool: formulas, which matches count, the list, versions and previews."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.errors import Refused
from formats.ratings import FAMILIES
from matches.models import (
    LiveMatch,
    Match,
    PlayerRating,
    PoolSettings,
    RatingChange,
    RatingImport,
    RatingPool,
    RatingPoolVersion,
    RatingStart,
)
from matches.rankings.imports import apply_import, preview_import
from matches.ratings import services as ratings
from matches.ratings.lists import ListPlace, publication
from matches.ratings.pools import (
    create_pool,
    list_of,
    preview_settings,
    publication_of,
    restore_version,
    update_pool,
    waiting_matches,
)
from players.actors import SYSTEM
from players.models import Club, LogEntry, Membership, Player
from tests.clock import NOON as NOW
from tests.matches.ratings.history import correct, played, player

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
DATA = Path(__file__).resolve().parents[4] / "shared/data/seasons/ratings.json"
CLOSE = 2e-6
"""Ratings are rounded to six digits, and so are the references."""
GLICKO2 = PoolSettings("Ladder", family="glicko2")


@pytest.fixture
def club(db: None) -> Club:
    return Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")


@pytest.fixture
def people(club: Club) -> list[Player]:
    players = [player(name) for name in ("Ann", "Ben", "Cleo", "Dora", "Emil")]
    for row in players:
        Membership.objects.create(club=club, player=row)
    return players


@pytest.fixture
def pool(club: Club) -> RatingPool:
    return create_pool(club=club, settings=PoolSettings("Ladder"), by=SYSTEM)


def choose(pool: RatingPool, settings: PoolSettings) -> RatingPool:
    pool.refresh_from_db()
    return update_pool(pool=pool, settings=settings, after=pool.seq, by=SYSTEM, now=NOW)


def replay(pool: RatingPool) -> dict[int, float]:
    ratings.replay_pool(pool_id=pool.pk, now=NOW)
    assert not ratings.check_ratings(pool)
    return stored(pool)


def stored(pool: RatingPool) -> dict[int, float]:
    return dict(PlayerRating.objects.filter(pool=pool).values_list("player", "rating"))


def play_some(pool: RatingPool, people: list[Player], count: int, seed: str = "matches") -> None:
    rng = Random(seed)
    for number in range(count):
        winner, loser = rng.sample(people, 2)
        played(winner, loser, hours=11 * number, length=rng.choice([1, 5, 7, 11]), pool=pool)


def starting(pool: RatingPool, ratings_by_player: dict[Player, tuple[float, int]]) -> None:
    source = RatingImport.objects.create(pool=pool, kind=RatingImport.Kind.STARTS)
    for row, (rating, experience) in ratings_by_player.items():
        RatingStart.objects.create(source=source, player=row, rating=rating, experience=experience)


# The worked examples, through the service.


def references() -> list[Any]:
    """Return settings, inputs and changes of each example of a formula, with an id."""
    if not DATA.exists():
        return []
    families = json.loads(DATA.read_text())["families"]
    codes = {
        "fibs": "fibs", "sqrt_slow_ramp": "slow_ramp", "belgian": "belgian", "danish": "danish",
        "nardgammon_r1": "nardgammon", "flat_exponent_0": "free", "elo_by_length": "elo_by_length",
    }  # fmt: skip
    rows = []
    for name, code in codes.items():
        for number, example in enumerate(families[name], start=1):
            given = example["inputs"]
            settings = PoolSettings("Ladder", family=code)
            if code == "fibs" and given.get("kind") == "including":
                settings = replace(settings, ramp="including")
            if code == "free":
                numbers = {"stake": given["K"], "stake_exponent": given.get("a", 0.5)}
                numbers |= {"chance_exponent": given.get("b", 0.5), "scale": given.get("S", 2000)}
                settings = replace(settings, ramp="none", **numbers)
            rows.append(pytest.param(settings, example, id=f"{code}-{number}"))
    return rows


@pytest.mark.parametrize(("settings", "example"), references())
def test_the_worked_examples_of_each_formula(
    settings: PoolSettings, example: dict[str, Any], club: Club, people: list[Player]
) -> None:
    pool = create_pool(club=club, settings=settings, by=SYSTEM)
    ann, ben, *_ = people
    given = example["inputs"]
    starting(pool, {ann: (given["rw"], given.get("ew", 900)), ben: (given["rl"], given.get("el", 900))})
    played(ann, ben, length=given["n"], pool=pool)
    after = replay(pool)
    changes = after[ann.pk] - given["rw"], after[ben.pk] - given["rl"]
    assert changes == pytest.approx((example["winner_change"], example["loser_change"]), abs=CLOSE)


@pytest.mark.parametrize(
    ("settings", "ratings_before", "length", "changes"),
    [
        # seasons.md §13: the published Danish example, Brass City, Belgium and Elo by length.
        (PoolSettings("L", family="danish", start_rating=1000), (1100, 1000, 900, 900), 9, (3.730512, -3.730512)),
        (PoolSettings("L", family="slow_ramp"), (1533.47, 1696.09, 200, 933), 5, (8.092223, -5.394815)),
        (PoolSettings("L", family="belgian"), (1500, 1725, 0, 0), 11, (9.319466, -9.319466)),
        (PoolSettings("L", family="elo_by_length"), (1500, 1600, 0, 0), 7, (10.24104, -10.24104)),
        (PoolSettings("L", family="nardgammon"), (1500, 1600, 0, 0), 7, (21.72115, -21.72115)),
    ],
)
def test_published_examples(
    settings: PoolSettings,
    ratings_before: tuple[float, float, int, int],
    length: int,
    changes: tuple[float, float],
    club: Club,
    people: list[Player],
) -> None:
    pool = create_pool(club=club, settings=settings, by=SYSTEM)
    ann, ben, *_ = people
    winner, loser, *experience = ratings_before
    starting(pool, {ann: (winner, experience[0]), ben: (loser, experience[1])})
    played(ann, ben, length=length, pool=pool)
    after = replay(pool)
    assert (after[ann.pk] - winner, after[ben.pk] - loser) == pytest.approx(changes, abs=CLOSE)


# Glicko-2.


def test_a_first_week_of_glicko_2(club: Club, people: list[Player]) -> None:
    """Two new players: the second example of seasons.md §13."""
    pool = create_pool(club=club, settings=GLICKO2, by=SYSTEM)
    ann, ben, *_ = people
    played(ann, ben, pool=pool)
    replay(pool)
    winner = PlayerRating.objects.get(pool=pool, player=ann)
    assert (winner.rating, winner.deviation) == pytest.approx((1662.3109, 290.3190), abs=1e-4)
    assert winner.volatility == pytest.approx(0.0599997, abs=1e-6)


def test_the_matches_of_a_week_count_together_whatever_their_order(club: Club, people: list[Player]) -> None:
    ann, *others = people
    results = []
    for number, order in enumerate(((0, 1, 2), (2, 0, 1))):
        pool = create_pool(club=club, settings=replace(GLICKO2, name=f"Ladder {number}"), by=SYSTEM)
        # Monday to Sunday; the last two end in the week by the club's clock, though on a Monday by UTC or not yet.
        monday = timedelta(days=1)
        for place, opponent in enumerate(order):
            hours = (monday + timedelta(days=place)).total_seconds() / 3600
            sides = (ann, others[opponent]) if opponent else (others[opponent], ann)
            played(*sides, hours=hours, pool=pool)
        results.append({key: round(value, 6) for key, value in replay(pool).items()})
        changes = list(RatingChange.objects.filter(pool=pool, player=ann))
        assert changes[0].rating_before == 1500
        assert [row.rating_before for row in changes[1:]] == [row.rating_after for row in changes[:-1]]
        assert {row.opponent_before for row in changes} == {1500}
        assert changes[-1].rating_after == results[-1][ann.pk]
    assert results[0] == results[1]


def test_the_matches_of_an_event_count_together_and_a_correction_replays_it(club: Club, people: list[Player]) -> None:
    ann, ben, cleo, *_ = people
    pool = create_pool(club=club, settings=replace(GLICKO2, by_event=True), by=SYSTEM)
    weekly = create_pool(club=club, settings=replace(GLICKO2, name="Weeks"), by=SYSTEM)
    for rating_pool in (pool, weekly):
        played(ann, ben, pool=rating_pool, parent_topic="division:2345678923")
        last = played(ben, cleo, hours=24 * 9, pool=rating_pool, parent_topic="division:2345678923")
        replay(rating_pool)
    of_event = RatingChange.objects.get(pool=pool, player=cleo)
    assert of_event.opponent_before == 1500, "as at the beginning of the event"
    assert RatingChange.objects.get(pool=weekly, player=cleo).opponent_before < 1500
    last = Match.objects.get(pool=pool, player_1=cleo)
    before = stored(pool)
    correct(last, winner=1, score=(3, 7))
    assert replay(pool)[cleo.pk] > 1500 > before[cleo.pk]
    preview = preview_settings(pool=pool, settings=replace(GLICKO2, by_event=False), now=NOW)
    chosen = choose(pool, replace(GLICKO2, by_event=False))
    after = replay(chosen)
    assert {effect.player.pk: effect.after.standing.rating for effect in preview.effects if effect.after} == after


def test_a_week_begins_on_monday_by_the_clocks_of_the_club(club: Club, people: list[Player]) -> None:
    ann, ben, cleo, *_ = people
    # Sunday 1 March 2026, 22:30 and 23:30 UTC: in Copenhagen the second is on Monday.
    opponents = {}
    for zone in ("Europe/Copenhagen", "UTC"):
        Club.objects.filter(pk=club.pk).update(time_zone=zone)
        club.refresh_from_db()
        pool = create_pool(club=club, settings=replace(GLICKO2, name=zone), by=SYSTEM)
        played(ann, ben, hours=10.5, pool=pool)
        played(ann, cleo, hours=11.5, pool=pool)
        replay(pool)
        opponents[zone] = RatingChange.objects.get(pool=pool, player=cleo).opponent_before
    assert opponents["UTC"] == 1500
    assert opponents["Europe/Copenhagen"] == pytest.approx(1662.3109, abs=1e-4)


def test_the_deviation_grows_in_weeks_without_a_match(club: Club, people: list[Player]) -> None:
    pool = create_pool(club=club, settings=GLICKO2, by=SYSTEM)
    ann, ben, *_ = people
    match = played(ann, ben, pool=pool)
    replay(pool)
    assert match.finished_at is not None
    deviations = [
        next(row.deviation for row in list_of(pool, match.finished_at + timedelta(weeks=weeks))[0])
        for weeks in (0, 1, 2, 60, 6000)
    ]
    assert deviations[0] == deviations[1] < deviations[2] < deviations[3] < deviations[4] == 350


def test_a_late_result_of_an_old_week_is_as_if_it_had_been_there(club: Club, people: list[Player]) -> None:
    pool = create_pool(club=club, settings=GLICKO2, by=SYSTEM)
    play_some(pool, people, 40)
    replay(pool)
    ann, ben, *_ = people
    match = played(ann, ben, hours=100, pool=pool)
    ratings.mark_dirty(match=match)
    late = replay(pool)
    PlayerRating.objects.filter(pool=pool).delete()
    RatingChange.objects.filter(pool=pool).delete()
    ratings.rebuild_pool(pool=pool, now=NOW)
    assert stored(pool) == late


def test_a_longer_match_can_weigh_more(club: Club, people: list[Player]) -> None:
    ann, ben, *_ = people
    after = {}
    for length, by_length in ((7, False), (7, True), (1, True), (25, True), (25, False)):
        name = f"{length} {by_length}"
        pool = create_pool(club=club, settings=replace(GLICKO2, name=name, by_length=by_length), by=SYSTEM)
        played(ann, ben, length=length, pool=pool)
        after[length, by_length] = replay(pool)[ann.pk]
    assert after[7, True] == after[7, False] == after[25, False]
    assert after[1, True] < after[7, True] < after[25, True]


# Which matches count.


def board_of(match: Match, **fields: Any) -> None:
    LiveMatch.objects.create(match=match, state={}, **fields)


@pytest.mark.parametrize(
    ("rules", "counted"),
    [
        ({}, {"short", "here", "event", "invited", "lapsed", "imported"}),
        ({"least_length": 5}, {"here", "event", "invited", "lapsed", "imported"}),
        ({"where": "here"}, {"here"}),
        ({"where": "tables"}, {"short", "event", "invited", "lapsed", "imported"}),
        ({"events_only": True}, {"event"}),
        ({"imported": False}, {"short", "here", "event", "invited", "lapsed"}),
        ({"imported": False, "least_length": 5, "where": "tables"}, {"event", "invited", "lapsed"}),
    ],
)
def test_the_settings_say_which_matches_count(
    rules: dict[str, Any], counted: set[str], pool: RatingPool, people: list[Player]
) -> None:
    ann, ben, *_ = people
    matches = {
        "short": played(ann, ben, length=3, pool=pool),
        "here": played(ann, ben, hours=1, pool=pool),
        "event": played(ann, ben, hours=2, pool=pool, parent_topic="division:abc"),
        "invited": played(ann, ben, hours=3, pool=pool),
        "lapsed": played(ann, ben, hours=4, pool=pool),
    }
    board_of(matches["here"])
    board_of(matches["invited"], lapses_at=NOW)
    board_of(matches["lapsed"], lapsed_at=NOW)
    apply_import(pool=pool, kind="matches", text="date,winner,loser,length\n2025-03-01,Ann,Ben,7\n", by=SYSTEM, now=NOW)
    matches["imported"] = Match.objects.get(finished_at__year=2025)
    choose(pool, PoolSettings("Ladder", **rules))
    replay(pool)
    names = {match.pk: name for name, match in matches.items()}
    changes = RatingChange.objects.filter(pool=pool).values_list("match", flat=True)
    assert {names[pk] for pk in changes} == counted


def test_an_import_that_would_not_count_changes_no_rating(pool: RatingPool, people: list[Player]) -> None:
    text = "date,winner,loser,length\n2025-03-01,Ann,Ben,7\n"
    assert preview_import(pool=pool, kind="matches", text=text).effects
    for rules in ({"imported": False}, {"events_only": True}, {"least_length": 9}, {"where": "here"}):
        pool = choose(pool, PoolSettings("Ladder", **rules))
        assert not preview_import(pool=pool, kind="matches", text=text).effects, rules


# Who is in the list.


def places(pool: RatingPool) -> dict[str, ListPlace]:
    rows, people = list_of(pool, NOW)
    return {people[row.player].name: row.place for row in rows}


def test_the_german_and_the_belgian_list(club: Club, people: list[Player]) -> None:
    """The rules of seasons.md §13: 200 points, a match in 365 days and membership; below 100 points by name."""
    german = PoolSettings("G", provisional_below=200, lists_provisional=False, active_days=365, members_only=True)
    belgian = PoolSettings("B", family="belgian", provisional_below=100)
    ann, ben, cleo, dora, emil = people
    experience = {ann: 199 - 7, ben: 200 - 7, cleo: 350, dora: 350, emil: 900}
    days = {ann: 10, ben: 10, cleo: 365, dora: 366, emil: 30}
    Membership.objects.filter(player=emil).update(left_at=NOW)
    for settings in (german, belgian):
        pool = create_pool(club=club, settings=settings, by=SYSTEM)
        others = {row: player(f"Against {row.name}") for row in people}
        starting(pool, {row: (1500, points) for row, points in experience.items()})
        for row, other in others.items():
            at = NOW - timedelta(days=days[row])
            match = played(row, other, pool=pool)
            Match.objects.filter(pk=match.pk).update(finished_at=at)
        replay(pool)
    listed = places(RatingPool.objects.get(name="G"))
    assert [listed[row.name] for row in people] == [
        ListPlace.UNLISTED, ListPlace.RANKED, ListPlace.RANKED, ListPlace.UNLISTED, ListPlace.UNLISTED,
    ]  # fmt: skip
    listed = places(RatingPool.objects.get(name="B"))
    assert {listed[row.name] for row in people} == {ListPlace.RANKED}
    assert {place for name, place in listed.items() if name.startswith("Against")} == {ListPlace.PROVISIONAL}


def test_ranks_count_the_ranked_alone_and_equal_ratings_share_one(pool: RatingPool, people: list[Player]) -> None:
    ann, ben, cleo, dora, emil = people
    starting(pool, {ann: (1900, 0), ben: (1600, 500), cleo: (1600, 500), dora: (1700, 500), emil: (1700, 500)})
    for winner, loser in ((ben, dora), (cleo, emil)):
        played(winner, loser, pool=pool)
    played(player("Finn"), ann, hours=1, pool=pool)
    pool = choose(pool, PoolSettings("Ladder", provisional_below=100))
    replay(pool)
    rows, names = list_of(pool, NOW)
    assert [(names[row.player].name, row.rank) for row in rows] == [
        ("Dora", 1), ("Emil", 1), ("Ben", 3), ("Cleo", 3), ("Ann", None), ("Finn", None),
    ]  # fmt: skip


# Changing settings: previewed, in versions, by two directors at once.


OTHERS: list[Callable[[], PoolSettings]] = [
    *(lambda code=code: PoolSettings("Ladder", family=code) for code in FAMILIES),  # type: ignore[misc]
    lambda: PoolSettings("Ladder", family="free", chance_exponent=0.35, ramp="slow"),
    lambda: PoolSettings("Ladder", least_length=5, provisional_below=40, active_days=5),
    lambda: PoolSettings("Ladder", family="glicko2", by_length=True, members_only=True, least_matches=15),
]


@pytest.mark.parametrize("other", OTHERS)
def test_a_preview_shows_every_rating_as_it_becomes(
    other: Callable[[], PoolSettings], pool: RatingPool, people: list[Player]
) -> None:
    play_some(pool, people, 40)
    before = replay(pool)
    places_before = {row.player: (row.place, row.rank) for row in list_of(pool, NOW)[0]}
    preview = preview_settings(pool=pool, settings=other(), now=NOW)
    assert stored(pool) == before
    assert {row.player.pk: row.before.standing.rating for row in preview.effects if row.before} == before
    assert {row.player.pk: (row.before.place, row.before.rank) for row in preview.effects if row.before} == (
        places_before
    )
    pool = choose(pool, other())
    after = replay(pool) if preview.chosen.counted or preview.changed else stored(pool)
    assert {row.player.pk: row.after.standing.rating for row in preview.effects if row.after} == after
    rows = list_of(pool, NOW)[0]
    assert [row.after for row in preview.effects] == rows
    assert preview.matches[1] == RatingChange.objects.filter(pool=pool, won=True).count()


def test_settings_are_undone_and_done_again(pool: RatingPool, people: list[Player]) -> None:
    play_some(pool, people, 20)
    as_fibs = replay(pool)
    pool = choose(pool, GLICKO2)
    as_glicko2 = replay(pool)
    assert as_fibs != as_glicko2
    for number, expected in ((1, as_fibs), (2, as_glicko2), (1, as_fibs)):
        pool = restore_version(pool=pool, number=number, after=pool.seq, by=SYSTEM, now=NOW)
        assert replay(pool) == expected
    assert list(pool.versions.values_list("number", "restores")) == [
        (5, 1), (4, 2), (3, 1), (2, None), (1, None),
    ]  # fmt: skip
    assert pool.chosen == PoolSettings("Ladder")
    assert list(LogEntry.objects.order_by("pk").values_list("verb", flat=True)) == [
        "pool_created", "pool_changed", "pool_restored", "pool_restored", "pool_restored",
    ]  # fmt: skip


def test_two_directors_cannot_overwrite_each_other(pool: RatingPool) -> None:
    first = RatingPool.objects.get(pk=pool.pk)
    update_pool(pool=first, settings=GLICKO2, after=0, by=SYSTEM, now=NOW)
    with pytest.raises(Refused) as refused:
        update_pool(pool=pool, settings=PoolSettings("Ladder", family="danish"), after=0, by=SYSTEM, now=NOW)
    assert refused.value.code == "stale"
    with pytest.raises(Refused) as refused:
        restore_version(pool=pool, number=1, after=0, by=SYSTEM, now=NOW)
    assert refused.value.code == "stale"
    pool.refresh_from_db()
    assert pool.chosen == GLICKO2


def test_equal_settings_make_no_version(pool: RatingPool) -> None:
    # What the formula has no use for is no difference.
    changed = choose(pool, PoolSettings("Ladder", tau=1.2, stake=16, scale=400))
    assert (changed.seq, RatingPoolVersion.objects.count()) == (0, 0)


def test_a_version_that_does_not_exist_is_refused(pool: RatingPool) -> None:
    with pytest.raises(Refused) as refused:
        restore_version(pool=pool, number=7, after=0, by=SYSTEM, now=NOW)
    assert refused.value.code == "no_pool_version"


@pytest.mark.parametrize("text", ["", "1", "1:x", "1:6 1:7", "0:6", "1:0", "1:6:7", "1:nan", "1:inf"])
def test_unreadable_stakes_are_refused(text: str, pool: RatingPool) -> None:
    with pytest.raises(Refused) as refused:
        choose(pool, PoolSettings("Ladder", family="elo_by_length", stakes=text))
    assert refused.value.code == "pool_bad_stakes"


def test_a_list_rule_alone_replays_nothing(pool: RatingPool, people: list[Player]) -> None:
    play_some(pool, people, 5)
    replay(pool)
    pool = choose(pool, PoolSettings("Ladder", least_matches=3, active_days=30))
    assert ratings.replay_pool(pool_id=pool.pk, now=NOW) is None


def test_a_match_that_becomes_unrated_leaves_a_pool_of_glicko_2(club: Club, people: list[Player]) -> None:
    pool = create_pool(club=club, settings=GLICKO2, by=SYSTEM)
    ann, ben, cleo, *_ = people
    played(ann, cleo, pool=pool)
    alone = replay(pool)
    match = played(ann, ben, hours=1, pool=pool)
    ratings.mark_dirty(match=match)
    assert replay(pool) != alone
    match.rated = False
    match.save()
    ratings.mark_dirty(match=match)
    assert replay(pool) == alone


# Publication.


@pytest.mark.parametrize(
    ("day", "now", "at", "until"),
    [
        # 20 November 2026 is a Friday; midnight in Copenhagen is 23:00 UTC.
        ("monday", "2026-11-20T12:00", "2026-11-15T23:00", "2026-11-15T23:00"),
        ("friday", "2026-11-20T12:00", "2026-11-19T23:00", "2026-11-15T23:00"),
        ("saturday", "2026-11-20T12:00", "2026-11-13T23:00", "2026-11-08T23:00"),
        ("monday", "2026-11-15T22:59", "2026-11-08T23:00", "2026-11-08T23:00"),
        ("monday", "2026-11-15T23:00", "2026-11-15T23:00", "2026-11-15T23:00"),
        # Summer time ended on Sunday 25 October at 01:00 UTC.
        ("sunday", "2026-10-25T12:00", "2026-10-24T22:00", "2026-10-18T22:00"),
    ],
)
def test_a_list_has_the_matches_up_to_the_sunday_of_the_week_before(day: str, now: str, at: str, until: str) -> None:
    moments = [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (now, at, until)]
    last = publication(PoolSettings("L", published_on=day), "Europe/Copenhagen", moments[0])
    assert last is not None
    assert [last.at.astimezone(UTC), last.until.astimezone(UTC)] == moments[1:]
    assert last.at <= moments[0] < last.next_at
    assert (last.next_at.date() - last.at.date()).days == 7


@pytest.mark.parametrize(
    "settings", [PoolSettings("L"), GLICKO2, replace(GLICKO2, by_event=True)], ids=["fibs", "weeks", "events"]
)
def test_the_list_is_that_of_the_last_publication(club: Club, people: list[Player], settings: PoolSettings) -> None:
    ann, ben, cleo, *_ = people
    pool = create_pool(club=club, settings=replace(settings, published_on="wednesday"), by=SYSTEM)
    # NOON is on a Sunday, 1 March 2026; the list of Wednesday 4 March has its matches.
    played(ann, ben, pool=pool, parent_topic="division:2345678923")
    replay(pool)
    sunday = stored(pool)
    played(ann, cleo, hours=24, pool=pool, parent_topic="division:2345678923")
    played(ben, ann, hours=24 * 6, pool=pool, parent_topic="division:2345678924")
    played(ben, ann, hours=24 * 9, pool=pool)
    live = replay(pool)
    wednesday = datetime(2026, 3, 4, 12, tzinfo=UTC)
    rows, _people = list_of(pool, wednesday + timedelta(days=6))
    assert {row.player: row.standing.rating for row in rows} == sunday
    last = publication_of(pool, wednesday + timedelta(days=6))
    assert last is not None
    assert [waiting_matches(pool, last, player.pk) for player in (ann, ben, cleo)] == [2, 1, 1]
    assert list_of(pool, wednesday - timedelta(days=1))[0] == [], "not published yet"
    rows, _people = list_of(pool, wednesday + timedelta(weeks=3))
    assert {row.player: row.standing.rating for row in rows} == live
    # A correction of an old match corrects what was published.
    correct(Match.objects.filter(pool=pool).earliest("finished_at"), winner=1, score=(3, 7))
    replay(pool)
    rows, _people = list_of(pool, wednesday)
    assert [row.player for row in rows] == [ben.pk, ann.pk]
