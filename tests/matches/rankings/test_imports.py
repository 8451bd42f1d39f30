"""Rating pools of a club: settings, and imports of starting ratings and past matches with their undo."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

from engine.errors import Refused
from formats.ratings import change
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.models import Match, PlayerRating, PoolSettings, RatingChange, RatingImport, RatingPool
from matches.rankings.imports import MAX_ROWS, apply_import, preview_import, undo_import
from matches.ratings import rated
from matches.ratings import services as ratings
from matches.ratings.pools import create_pool, update_pool
from players.actors import SYSTEM
from players.models import Club, Membership, Player
from tests.clock import NOON as NOW
from tests.matches.cast import open_match

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
NAMES = ("Ann", "Ben", "Cleo", "Dora")
STARTS = "name;rating;experience\nAnn;1650;900\nben;1500,5;40\nEmil;1420;\n"
MATCHES = "date,winner,loser,length\n2025-03-01,Ann,Ben,7\n2025-03-01,Cleo,Emil,5\n2027-01-01,Ben,Ann,5\n"


@pytest.fixture
def club(db: None) -> Club:
    club = Club.objects.create(name="Harbour", slug="harbour")
    for name in NAMES:
        Membership.objects.create(club=club, player=Player.objects.create(name=name))
    return club


@pytest.fixture
def pool(club: Club) -> RatingPool:
    return create_pool(club=club, settings=PoolSettings("Club ladder", k_scale=0.5), by=SYSTEM)


def play(pool: RatingPool | None, count: int, seed: int) -> None:
    """Play matches between the members, one a day."""
    chance, people = Random(seed), list(Player.objects.order_by("pk")[:4])
    for day in range(count):
        pair = chance.sample(people, 2)
        match = open_match(players=(pair[0], pair[1]), length=5, pool=pool, by=SYSTEM, now=NOW)
        at = NOW + timedelta(days=day)
        append_result(match, ResultInput(0, (5, 2)), Basis("director"), by=SYSTEM, now=at)


def replay(pool: RatingPool) -> None:
    while ratings.replay_pool(pool_id=pool.pk, now=NOW) is not None:
        pass


def standings(pool: RatingPool) -> dict[str, tuple[float, int, int]]:
    rows = PlayerRating.objects.filter(pool=pool)
    return {row.player.name: (row.rating, row.experience, row.matches) for row in rows.select_related("player")}


def code(act: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code


@pytest.mark.parametrize(("kind", "text"), [("starts", STARTS), ("matches", MATCHES)])
@pytest.mark.parametrize("seed", range(3))
def test_an_import_does_what_its_preview_says_and_undoing_it_gives_identical_ratings(
    pool: RatingPool, kind: str, text: str, seed: int
) -> None:
    site = ratings.default_pool()
    play(pool, 8, seed)
    play(None, 5, seed)
    replay(pool), replay(site)
    before, elsewhere = standings(pool), standings(site)
    changes = list(RatingChange.objects.filter(pool=pool).order_by("pk").values_list("match", "player", "rating_after"))

    preview = preview_import(pool=pool, kind=kind, text=text)
    assert standings(pool) == before
    applied = apply_import(pool=pool, kind=kind, text=text, by=SYSTEM, now=NOW)
    replay(pool), replay(site)

    after = standings(pool)
    assert after != before
    seen = {effect.name: effect.after for effect in preview.effects if effect.name in after}
    assert seen == {name: row[0] for name, row in after.items() if row != before.get(name) and name in seen}
    assert {name for name, row in after.items() if row[0] != before.get(name, (None,))[0]} <= set(seen)
    assert not ratings.check_ratings(pool)

    undo_import(source=applied, by=SYSTEM, now=NOW)
    replay(pool), replay(site)
    assert standings(pool) == before
    again = RatingChange.objects.filter(pool=pool).order_by("pk").values_list("match", "player", "rating_after")
    assert sorted(again) == sorted(changes)
    assert standings(site) == elsewhere
    assert not ratings.check_ratings(pool)
    assert code(lambda: undo_import(source=applied, by=SYSTEM, now=NOW)) == "import_undone"


def test_players_start_with_imported_ratings_and_k_is_scaled(pool: RatingPool, club: Club) -> None:
    apply_import(pool=pool, kind="starts", text=STARTS, by=SYSTEM, now=NOW)
    apply_import(
        pool=pool, kind="matches", text="date,winner,loser,length\n2025-03-01,Ann,Cleo,7\n", by=SYSTEM, now=NOW
    )
    replay(pool)
    expected = change(1650, 1500, 7, experience=900, won=True, k_scale=0.5)
    assert expected == pytest.approx(change(1650, 1500, 7, experience=900, won=True) / 2)
    assert standings(pool)["Ann"] == (pytest.approx(1650 + expected), 907, 1)
    emil = Player.objects.get(name="Emil")
    assert emil.memberships.get().club == club
    assert ratings.ratings_of(players=[emil.pk], pool=pool) == {emil.pk: 1420}
    assert rated.starts_of(ratings.default_pool(), {}) == {}


def test_changed_settings_replay_the_whole_history(pool: RatingPool) -> None:
    play(pool, 6, 1)
    replay(pool)
    before = standings(pool)
    update_pool(
        pool=pool, settings=PoolSettings("Club ladder", start_rating=1600, k_scale=2), after=0, by=SYSTEM, now=NOW
    )
    assert ratings.send_again(now=NOW) >= 1
    replay(pool)
    assert standings(pool) != before
    update_pool(pool=pool, settings=PoolSettings("Club ladder", k_scale=0.5), after=1, by=SYSTEM, now=NOW)
    replay(pool)
    assert standings(pool) == before


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("starts", "", "import_empty"),
        ("starts", "name\nAnn\n", "import_empty"),
        ("starts", "name,rating\nAnn,high\n", "import_bad_row"),
        ("starts", 'name,rating\nAnn,1500\n"' + "x" * 140_000, "import_unreadable_row"),
        ("starts", "name,rating," + "x" * 140_000 + "\nAnn,1500\n", "import_unreadable_row"),
        ("starts", "name,rating\n,1500\n", "import_bad_row"),
        ("starts", "name,rating\nAnn,99999\n", "import_bad_row"),
        ("matches", "date,winner,loser,length\n1 March,Ann,Ben,7\n", "import_bad_row"),
        ("matches", "date,winner,loser,length\n2025-03-01,Ann,Ben,70\n", "import_bad_row"),
        ("matches", "date,winner,loser,length\n2025-03-01,Ann,ANN,7\n", "import_same_player"),
        ("starts", "name,rating\n" + "Ann,1500\n" * (MAX_ROWS + 1), "import_too_long"),
    ],
)
def test_an_invalid_row_is_refused_and_nothing_is_written(
    pool: RatingPool, kind: str, text: str, expected: str
) -> None:
    assert code(lambda: preview_import(pool=pool, kind=kind, text=text)) == expected
    assert code(lambda: apply_import(pool=pool, kind=kind, text=text, by=SYSTEM, now=NOW)) == expected
    assert not RatingImport.objects.exists()
    assert not Match.objects.exists()


def test_a_name_that_two_members_have_is_not_guessed(pool: RatingPool, club: Club) -> None:
    Membership.objects.create(club=club, player=Player.objects.create(name="Ann"))
    text = "name,rating\nBen,1500\nAnn,1600\n"
    assert code(lambda: apply_import(pool=pool, kind="starts", text=text, by=SYSTEM, now=NOW)) == "import_ambiguous"
    assert not RatingImport.objects.exists()


def test_two_pools_of_a_club_cannot_share_a_name(pool: RatingPool, club: Club) -> None:
    assert code(lambda: create_pool(club=club, settings=PoolSettings("Club ladder"), by=SYSTEM)) == "pool_name_taken"
    other = Club.objects.create(name="Elsewhere", slug="elsewhere")
    create_pool(club=other, settings=PoolSettings("Club ladder"), by=SYSTEM)
