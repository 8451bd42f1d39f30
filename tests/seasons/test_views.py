"""Views of a season: a part of its players who have a table of their own, with the same points."""

import json
import re
from random import Random

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from clubhouse.privacy import SECTIONS
from formats.series import table
from formats.series.facts import events_from
from formats.series.plan import plan_from
from formats.series.table import View
from matches.models import Result
from players.actors import SYSTEM
from players.models import Club, LogEntry, Membership, Player
from players.people.erasure import erase_player
from players.people.services import merge_players
from players.privacy.sections import Person
from seasons import services
from seasons.actions import season_data
from seasons.page.season import season_view
from seasons.season_views import MEMBERS, PLAYERS, ViewInput, remove_view, save_view, view_of
from seasons.tables import season_table, table_of, table_of_view
from tests.event_cast import NOON
from tests.formats.series import naive
from tests.formats.series.random_seasons import random_season
from tests.seasons.test_seasons import night, refused, season, wall_of_season
from tests.tournaments.support.correcting import KNOCKOUT, Cup, won_by
from tournaments.models import Series, SeriesView

NOBODY = AnonymousUser()


@pytest.fixture
def cast() -> list[Player]:
    return [Player.objects.create(name=f"Player {number}") for number in range(1, 9)]


@pytest.fixture
def alices(club: Club, alice_client: Client) -> Client:
    return alice_client


def ladies(series: Series, players: list[Player], name: str = "Ladies") -> SeriesView:
    return save_view(series=series, view=ViewInput(name, PLAYERS, players), by=SYSTEM)


def rows(series: Series, view: SeriesView | None = None) -> list[tuple[int | None, str, str]]:
    return [(row["rank"], row["name"], row["total"]) for row in season_data(NOBODY, series, view)["rows"]]


# The ranks


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_a_view_of_a_random_season_is_the_table_of_these_players_alone(first: int) -> None:
    ranked = 0
    for seed in range(first, first + 50):
        data, rng = random_season(f"view {seed}"), Random(seed)
        points, everybody = naive.evaluate(data)
        players = frozenset(row[1] for row in everybody if rng.random() < 0.6)
        some = {event: {p: own for p, own in earned.items() if p in players} for event, earned in points.items()}
        expected = [(rank, player, total) for rank, player, total, _ in naive.table(data["plan"], data["events"], some)]
        plan = plan_from(data["plan"])
        evaluated = table.season(plan, events_from(data["events"]), view=View("some", players))
        assert [(row.rank, row.player, row.total) for row in evaluated.rows] == expected, seed
        ranked += len(expected)
    assert ranked > 50


@pytest.mark.parametrize("seed", range(100))
def test_an_announced_table_ranks_a_view_in_its_order(seed: int) -> None:
    rng = Random(seed)
    totals = sorted((rng.randrange(6) for _ in range(9)), reverse=True)
    announced = [
        {"player": str(number), "total": total, "rank": totals.index(total) + 1} for number, total in enumerate(totals)
    ]
    announced.append({"player": "new", "total": 9, "rank": None})
    players = {row["player"] for row in announced if rng.random() < 0.5}
    seen = table_of_view({"events": [], "rows": announced}, View("", frozenset(players)))["rows"]
    assert {row["player"] for row in seen} == players
    for row in seen:
        better = sum(other["rank"] is not None and other["total"] > row["total"] for other in seen)
        assert row["rank"] == (None if row["player"] == "new" else better + 1)
        assert row["total"] == next(other["total"] for other in announced if other["player"] == row["player"])


@pytest.mark.django_db
def test_players_are_chosen_and_share_ranks_among_themselves(cast: list[Player]) -> None:
    night(cast, "one")
    series = season()
    names = [name for _rank, name, _total in rows(series)]
    chosen = [player for player in cast if player.name in (names[0], names[2], names[3], names[5])]
    view = ladies(series, chosen)
    whole = {name: total for _rank, name, total in rows(series)}
    assert [rank for rank, _name, _total in rows(series, view)] == [1, 2, 2, 4]
    assert {name: total for _rank, name, total in rows(series, view)} == {row.name: whole[row.name] for row in chosen}
    assert [rank for rank, _name, _total in rows(series)] == [1, 2, 3, 3, 5, 5, 5, 5]


# Who belongs


@pytest.mark.django_db
def test_members_are_those_of_the_club_until_they_leave(club: Club, cast: list[Player]) -> None:
    night(cast, "one")
    series = season()
    view = save_view(series=series, view=ViewInput("Members", MEMBERS), by=SYSTEM)
    assert rows(series, view) == []
    members = [Membership.objects.create(club=club, player=player) for player in cast[:3]]
    assert {name for _rank, name, _total in rows(series, view)} == {player.name for player in cast[:3]}
    Membership.objects.filter(pk=members[0].pk).update(left_at=NOON)
    assert {name for _rank, name, _total in rows(series, view)} == {player.name for player in cast[1:3]}
    Series.objects.update(last_day=NOON.date().replace(day=1))
    assert cast[0].public_id in view_of(SeriesView.objects.get()).players, "who left later was a member then"


@pytest.mark.django_db
@pytest.mark.parametrize("is_closed", [False, True])
def test_a_chosen_player_stays_chosen_when_merged(cast: list[Player], is_closed: bool) -> None:
    night(cast, "one")
    series = season()
    view = ladies(series, cast[:2])
    if is_closed:
        services.close_series(series=series, after=1, by=SYSTEM, now=NOON)
    other = Player.objects.create(name="Ada")
    before = rows(series, view)
    merge_players(player=cast[0], into=other, by=SYSTEM, now=NOON)
    after = [(rank, name.replace("Ada", cast[0].name), total) for rank, name, total in rows(series, view)]
    assert after == before
    assert "Ada" in {name for _rank, name, _total in rows(series, view)}


@pytest.mark.django_db
def test_erasing_a_chosen_player_forgets_the_choice(cast: list[Player]) -> None:
    night(cast, "one")
    series = season()
    view = ladies(series, cast[:2])
    export = next(section for section in SECTIONS if section.name == "season-views")
    assert list(export.rows(Person.of(cast[0]))) == [{"view_name": "Ladies", "season_name": "Autumn"}]
    erase_player(player=cast[0], by=SYSTEM, now=NOON)
    assert list(view.players.all()) == [cast[1]]
    assert [name for _rank, name, _total in rows(series, view)] == [cast[1].name]
    assert "Former member" in {name for _rank, name, _total in rows(series)}


# Setting and removing


@pytest.mark.django_db
def test_a_view_is_changed_and_removed_even_twice(cast: list[Player]) -> None:
    night(cast, "one")
    series = season()
    view = ladies(series, cast[:2])
    with refused("series_view_taken"):
        ladies(series, cast[:1], "ladies")
    with refused("series_view_empty"):
        ladies(series, [], "Juniors")
    changed = ViewInput("Ladies", PLAYERS, cast[4:7])
    assert save_view(series=series, view=changed, by=SYSTEM, changed=view.public_id) == view
    assert {name for _rank, name, _total in rows(series, view)} == {player.name for player in cast[4:7]}
    for _ in range(2):
        remove_view(series=series, view=view.public_id, by=SYSTEM)
    assert not SeriesView.objects.exists()
    verbs = list(LogEntry.objects.filter(topic=series.topic).order_by("pk").values_list("verb", flat=True))
    assert verbs[-3:] == ["series_view_saved", "series_view_saved", "series_view_removed"]


@pytest.mark.django_db
def test_a_closed_season_ranks_the_announced_table_and_keeps_its_views(cast: list[Player]) -> None:
    cup = night(cast, "one")
    series = season()
    view = ladies(series, cast)
    announced = rows(series)
    services.close_series(series=series, after=1, by=SYSTEM, now=NOON)
    final = cup.settled()[-1]
    cup.correct(final, won_by(1 - Result.objects.filter(match=final.match).latest("version").winner))
    assert table_of(season_table(series))["rows"] != series.closings.get().table["rows"]
    assert rows(series, view) == announced
    assert [(row.rank, row.name) for row in season_view(NOBODY, series, part=view).rows] == [
        (rank, name) for rank, name, _total in announced
    ]
    with refused("series_closed"):
        ladies(series, cast[:1], "Juniors")
    with refused("series_closed"):
        remove_view(series=series, view=view.public_id, by=SYSTEM)


# Pages, files and the API


@pytest.mark.slow
@pytest.mark.django_db
def test_everybody_finds_a_view_above_the_table(cast: list[Player], alices: Client) -> None:
    night(cast, "one")
    series = season()
    url = f"/clubs/harbour/seasons/{series.slug}/"
    assert "season-views" not in Client().get(url).content.decode()
    chosen = {"name": "Ladies", "rule": PLAYERS, "players": [player.public_id for player in cast[:3]]}
    assert alices.post(f"{url}view/", chosen).status_code == 302
    view = SeriesView.objects.get()
    Player.objects.filter(pk=cast[0].pk).update(name="Robert Hidden", initials_only=True)
    assert f'href="?view={view.public_id}"' in Client().get(url).content.decode()
    query = f"?view={view.public_id}"
    api = f"/api/v1/seasons/{series.public_id}/"
    for path in (url, f"{url}table.csv", f"{url}table.json", api):
        body = Client().get(path + query).content.decode()
        assert {name for name in ("R. H.", cast[1].name, cast[2].name, cast[3].name) if name in body} == {
            "R. H.", cast[1].name, cast[2].name,
        }, path  # fmt: skip
        assert "Robert" not in body, path
        assert "Robert Hidden" in alices.get(path + query).content.decode(), path
        for wrong in ("2222222222", "x"):
            assert Client().get(f"{path}?view={wrong}").status_code == 404, path
    page = Client().get(url + query).content.decode()
    assert f"table.csv{query}" in page
    body = json.loads(Client().get(api + query).content)
    assert (body["view"], [each["name"] for each in body["views"]]) == (view.public_id, ["Ladies"])
    elsewhere = season(name="Spring")
    assert Client().get(f"/clubs/harbour/seasons/{elsewhere.slug}/{query}").status_code == 404
    assert alices.post(f"{url}remove-view/", {"view": view.public_id}).status_code == 302
    assert Client().get(url + query).status_code == 404


@pytest.mark.django_db
def test_a_view_without_players_says_so(cast: list[Player], alices: Client) -> None:
    night(cast, "one")
    series = season()
    view = save_view(series=series, view=ViewInput("Masters", "class-6.5"), by=SYSTEM)
    url = f"/clubs/harbour/seasons/{series.slug}/"
    assert "Nobody is in this list yet" in Client().get(f"{url}?view={view.public_id}").content.decode()
    page = alices.get(f"{url}edit/").content.decode()
    assert "Club class “Master”" in page
    assert page.count('name="players"') == 16


@pytest.mark.slow
@pytest.mark.django_db
def test_more_views_and_players_need_no_more_queries(cast: list[Player], alices: Client) -> None:
    night(cast, "one")
    series = season()
    url = f"/clubs/harbour/seasons/{series.slug}/"

    def queries(path: str) -> int:
        with CaptureQueriesContext(connection) as context:
            assert alices.get(path).status_code == 200
        return len(context)

    view = ladies(series, cast[:1])
    for path in (url, f"{url}edit/", f"{url}?view={view.public_id}", f"{url}table.json?view={view.public_id}"):
        queries(path)
        few = queries(path)
        more = [ladies(series, cast, f"{path} {number}") for number in range(4)]
        save_view(series=series, view=ViewInput("Ladies", PLAYERS, cast), by=SYSTEM, changed=view.public_id)
        assert queries(path) == few, path
        for each in more:
            remove_view(series=series, view=each.public_id, by=SYSTEM)
        save_view(series=series, view=ViewInput("Ladies", PLAYERS, cast[:1]), by=SYSTEM, changed=view.public_id)


@pytest.mark.django_db
def test_unknown_players_and_rules_are_refused(cast: list[Player], alices: Client) -> None:
    night(cast, "one")
    series = season()
    url = f"/clubs/harbour/seasons/{series.slug}/view/"
    unknown = {"name": "Ladies", "rule": PLAYERS, "players": ["2222222222"]}
    assert alices.post(url, unknown).status_code == 404
    assert alices.post(url, {**unknown, "players": [cast[0].public_id], "view": "2222222222"}).status_code == 404
    alices.post(url, {"name": "Ladies", "rule": "class-3"})
    assert not SeriesView.objects.exists()


# On the wall and in frames


def wall_titles(cup: Cup) -> list[str]:
    """The titles and notes of the tables of seasons on the wall of an evening."""
    event = cup.division.tournament
    page = Client().get(f"/events/{event.club.slug}/{event.slug}/wall/").content.decode()
    sections = re.findall(r'<section class="wall-screen is-season.*?</section>', page, re.DOTALL)
    return [
        text
        for section in sections
        for text in re.findall(r'<h2 class="name">(.*?)</h2>|<p class="wall-note">', section)
    ]


@pytest.mark.slow
@pytest.mark.django_db
def test_a_wall_shows_the_views_that_are_chosen_and_says_when_one_is_gone(cast: list[Player], alices: Client) -> None:
    night(cast[:6], "one", weeks=1)
    cup = Cup.of(cast, KNOCKOUT, "two").play(Random(3), most=2, wild=False)
    row = season()
    event = cup.division.tournament
    settings = f"/events/{event.club.slug}/{event.slug}/wall/settings/"
    assert "season_tables" not in alices.get(settings).content.decode(), "nothing to choose from"
    view = ladies(row, [cast[0], cast[1], cast[7]])
    assert "Autumn: Ladies" in alices.get(settings).content.decode()
    assert wall_titles(cup) == ["Autumn"], "the whole table, until something is chosen"

    usual = {"message": "", "parts": ["season"], "seconds": "15"}
    both = [row.public_id, f"{row.public_id}:{view.public_id}"]
    assert alices.post(settings, {**usual, "season_tables": both}).status_code == 302
    assert wall_titles(cup) == ["Autumn", "Autumn · Ladies"]
    assert alices.post(settings, {**usual, "season_tables": ["2222222222"]}).status_code == 422
    assert alices.post(settings, {**usual, "season_tables": both[1:]}).status_code == 302
    assert f'value="{both[1]}"' in alices.get(settings).content.decode()
    lines = wall_of_season(cup)
    assert [line[1] for line in lines[2:]] == [cast[7].name], "a newcomer of the view comes last"
    assert {line[1] for line in lines} == {cast[0].name, cast[1].name, cast[7].name}
    assert [line[0] for line in lines] == ["1", "2", "–"] or lines[0][3] == lines[1][3]

    remove_view(series=row, view=view.public_id, by=SYSTEM)
    assert wall_titles(cup) == ["Autumn", ""], "with the note"
    assert len(wall_of_season(cup)) == 8
    assert alices.get(settings).status_code == 200
    event.wall.season_tables = [*both, "3333333333", "x:y"]
    event.wall.save()
    assert wall_titles(cup) == ["Autumn"], "the whole table once; other seasons are passed over"


@pytest.mark.django_db
def test_a_frame_shows_a_view_and_says_when_it_is_gone(cast: list[Player], alices: Client) -> None:
    night(cast, "one")
    row = season()
    url = f"/clubs/harbour/seasons/{row.slug}/"
    view = ladies(row, cast[:3])
    share = re.search(
        r'href="([^"]*/share/[^"#]*)#embed"', Client().get(f"{url}?view={view.public_id}").content.decode()
    )
    assert share is not None
    page = Client().get(share[1]).content.decode()
    frame = re.search(r'<iframe class="share-preview" src="([^"]*)"', page)
    assert frame is not None
    assert f"?view={view.public_id}" in frame[1]
    assert "Share · Ladies · Autumn" in page
    whole = re.search(r'<iframe class="share-preview" src="([^"]*)"', Client().get(f"{url}share/").content.decode())
    assert whole is not None
    assert "?" not in whole[1]
    shown = Client().get(frame[1]).content.decode()
    assert shown.count('scope="row"') == 3
    assert "Ladies" in shown
    assert f'hx-get="{frame[1]}"' in shown
    assert Client().get(whole[1]).content.decode().count('scope="row"') == 8

    remove_view(series=row, view=view.public_id, by=SYSTEM)
    gone = Client().get(frame[1])
    assert gone.status_code == 200
    text = gone.content.decode()
    assert text.count('scope="row"') == 8
    assert "The view that was chosen is gone. These are all players." in text
    for wrong in ("x", "2" * 500, ""):
        assert Client().get(f"{url}embed/?view={wrong}").status_code == 200, wrong
    assert Client().get(share[1]).status_code == 200
