"""The pages of rating pools: a director previews and applies settings, everybody reads the list."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from formats.ratings import FAMILIES as FORMULAS
from matches.models import PlayerRating, PoolSettings, RatingChange, RatingPool
from matches.rankings.imports import apply_import
from matches.rankings.sentences import FAMILIES, sentences_of
from matches.ratings import services as ratings
from matches.ratings.pools import create_pool, update_pool
from players.actors import SYSTEM
from players.models import Club, Player, User
from tests.clock import NOON as NOW

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
MATCHES = "date,winner,loser,length\n2026-11-02,Ann,Ben,7\n2026-11-03,Ann,Cleo,9\n2026-11-10,Ben,Cleo,5\n"


@pytest.fixture
def ladder(club: Club) -> RatingPool:
    pool = create_pool(club=club, settings=PoolSettings("Club ladder"), by=SYSTEM)
    apply_import(pool=pool, kind="matches", text=MATCHES, by=SYSTEM, now=NOW)
    ratings.replay_pool(pool_id=pool.pk, now=NOW)
    return pool


def change(pool: RatingPool, **settings: Any) -> RatingPool:
    pool.refresh_from_db()
    chosen = PoolSettings("Club ladder", **settings)
    pool = update_pool(pool=pool, settings=chosen, after=pool.seq, by=SYSTEM, now=NOW)
    ratings.replay_pool(pool_id=pool.pk, now=NOW)
    return pool


def hidden(page: str, action: str) -> dict[str, str]:
    """The hidden fields of the form that is sent to an address."""
    form = next(form for form in re.findall(r"<form.*?</form>", page, re.DOTALL)[::1] if f'action="{action}"' in form)
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    return {name: value for name, value in fields if name != "csrfmiddlewaretoken"}


def test_a_director_previews_every_rating_and_applies_the_settings(
    client: Client, alice: User, club: Club, ladder: RatingPool
) -> None:
    client.force_login(alice)
    url = reverse("club-pool", args=[club.slug, ladder.pk])
    form = client.get(url).context["form"]
    fields = {name: form[name].value() for name in form.fields if name != "step"}
    fields = {name: value for name, value in fields.items() if value is not False}
    before = list(PlayerRating.objects.values_list("rating", flat=True))
    page = client.post(url, fields | {"family": "danish", "start_rating": "1000", "step": "preview"}).content.decode()
    assert list(PlayerRating.objects.values_list("rating", flat=True)) == before
    assert "3 ratings change." in page
    assert "1008.0" in page  # Ann: 3.5 + 4.5, a little less for the favourite
    assert {"Ann", "Ben", "Cleo"} <= {row.player.name for row in client.get(url).context["ratings"]}
    sent = hidden(page[page.index('id="changes"') :], url)
    assert sent["family"] == "danish"
    assert client.post(url, sent).status_code == 302
    ladder.refresh_from_db()
    assert (ladder.chosen, ladder.seq) == (PoolSettings("Club ladder", family="danish", start_rating=1000), 1)
    # The same form once more, from another tab.
    page = client.post(url, sent).content.decode()
    assert "changed" in page
    ladder.refresh_from_db()
    assert ladder.seq == 1


def test_a_director_goes_back_to_earlier_settings_and_forth(
    client: Client, alice: User, club: Club, ladder: RatingPool
) -> None:
    change(ladder, family="belgian", least_length=7)
    client.force_login(alice)
    url, restore = (reverse(name, args=[club.slug, ladder.pk]) for name in ("club-pool", "club-pool-restore"))
    page = client.post(restore, {"number": 1, "after": 1, "step": "preview"}).content.decode()
    assert "What these settings would change" in page
    assert "Matches that count: 2 today, 3 then." in page
    sent = hidden(page[page.index('id="changes"') :], restore)
    assert client.post(restore, sent).url == url
    ladder.refresh_from_db()
    assert ladder.chosen == PoolSettings("Club ladder")
    assert "as version 1" in client.get(url).content.decode()
    client.post(restore, {"number": 2, "after": 2, "step": "apply"})
    ladder.refresh_from_db()
    assert ladder.chosen == PoolSettings("Club ladder", family="belgian", least_length=7)
    page = client.post(restore, {"number": 1, "after": 1, "step": "apply"}, follow=True).content.decode()
    assert "message-error" in page
    ladder.refresh_from_db()
    assert ladder.seq == 3


def test_settings_that_are_wrong_are_refused_beside_their_field(
    client: Client, alice: User, club: Club, ladder: RatingPool
) -> None:
    client.force_login(alice)
    url = reverse("club-pool", args=[club.slug, ladder.pk])
    form = client.get(url).context["form"]
    fields = {name: form[name].value() for name in form.fields if name != "step"}
    fields = {name: value for name, value in fields.items() if value is not False} | {"step": "preview"}
    wrong = {
        "family": "astrology", "stake_exponent": "1.5", "least_length": "26", "active_days": "-1", "where": "moon",
        "tau": "nan", "scale": "0",
    }  # fmt: skip
    for name, value in wrong.items():
        answer = client.post(url, fields | {name: value})
        assert (answer.status_code, list(answer.context["form"].errors)) == (422, [name])
    answer = client.post(url, fields | {"family": "elo_by_length", "stakes": "much"})
    assert (answer.status_code, list(answer.context["form"].errors)) == (422, ["stakes"])


def test_everybody_reads_the_list_with_its_formula_and_rules(client: Client, club: Club, ladder: RatingPool) -> None:
    change(ladder, family="glicko2", least_length=5, provisional_below=13, least_matches=2)
    url = reverse("pool-ranking", args=[club.slug, ladder.pk])
    # From the club's page, by its only list at once.
    page = client.get(reverse("club", args=[club.slug])).content.decode()
    assert reverse("club-ratings", args=[club.slug]) in page
    assert client.get(reverse("club-ratings", args=[club.slug])).url == url
    page = client.get(url).content.decode()
    for sentence in sentences_of(RatingPool.objects.get(pk=ladder.pk).chosen):
        assert sentence in page
    assert " ± " in page
    rows = client.get(url).context["rows"]
    assert [(row.player.name, row.listed.rank) for row in rows] == [("Ann", 1), ("Cleo", 2), ("Ben", None)]
    assert [row.listed.is_provisional for row in rows] == [False, False, True]
    assert "Change formula and rules" not in page


def test_a_club_with_two_pools_lists_both(client: Client, club: Club, ladder: RatingPool) -> None:
    create_pool(club=club, settings=PoolSettings("Blitz", family="belgian"), by=SYSTEM)
    page = client.get(reverse("club-ratings", args=[club.slug])).content.decode()
    assert page.index("Blitz") < page.index("Club ladder")


def test_a_club_without_pools_says_so(client: Client, club: Club) -> None:
    assert "no ratings of its own" in client.get(reverse("club-ratings", args=[club.slug])).content.decode()
    assert "club-ratings" not in client.get(reverse("club", args=[club.slug])).content.decode()


def test_initials_and_erased_players_in_the_list(client: Client, club: Club, ladder: RatingPool) -> None:
    Player.objects.filter(name="Ann").update(initials_only=True, name="Ann Archer")
    Player.objects.filter(name="Ben").update(erased_at=NOW, name="")
    for name in ("pool-ranking", "pool-ranking-csv"):
        answer = client.get(reverse(name, args=[club.slug, ladder.pk]))
        text = b"".join(answer).decode() if answer.streaming else answer.content.decode()  # type: ignore[attr-defined]
        assert "Archer" not in text
        assert "Cleo" in text
    rows = client.get(reverse("pool-ranking", args=[club.slug, ladder.pk])).context["rows"]
    assert [row.listed.rank for row in rows] == [1, 2]


def test_the_list_as_a_file(client: Client, club: Club, ladder: RatingPool) -> None:
    change(ladder, family="glicko2")
    answer: Any = client.get(reverse("pool-ranking-csv", args=[club.slug, ladder.pk]))
    lines = b"".join(answer).decode().split()
    assert lines[0].lstrip("\ufeff").startswith("rank,player,name,rating,spread")
    assert [line.split(",")[2] for line in lines[1:]] == ["Ann", "Ben", "Cleo"]


def test_a_player_reads_which_formula_and_rules_counted(client: Client, club: Club, ladder: RatingPool) -> None:
    change(ladder, family="glicko2", least_length=5)
    ann = Player.objects.get(name="Ann")
    page = client.get(reverse("player", args=[ann.public_id])).content.decode()
    assert reverse("pool-ranking", args=[club.slug, ladder.pk]) in page
    assert "Rated by Glicko-2" in page
    assert "matches to at least 5 points" in page
    assert "by the ratings at the beginning of the week" in page


@pytest.mark.parametrize("family", [*FAMILIES])
def test_each_change_is_calculated_as_it_was_computed(
    family: str, client: Client, club: Club, ladder: RatingPool
) -> None:
    settings: dict[str, Any] = {"family": family, "start_rating": 1100, "stake": 3.5, "chance_exponent": 0.2}
    change(ladder, **settings)
    ben = Player.objects.get(name="Ben")
    answer: Any = client.get(reverse("api-player-matches", args=[ben.public_id])).json()
    changes = {row.length: row for row in RatingChange.objects.filter(player=ben)}
    assert len(changes) == 2
    for row in answer["results"]:
        stored, shown = changes[row["length"]], row["rating"]
        assert (shown["pool"], shown["family"]) == ("Club ladder", family)
        if working := shown["working"]:
            points = working["stake"] * working["k"] * working["winner_p"]
            assert stored.change == pytest.approx(points if row["won"] else -points, abs=2e-6)
        else:
            assert family == "glicko2"
            assert 0 < shown["expected"] < 1
    page = client.get(reverse("player-matches", args=[ben.public_id])).content.decode()
    assert "working" in page


def test_every_formula_has_a_label() -> None:
    assert {*FORMULAS, "free"} == set(FAMILIES)
