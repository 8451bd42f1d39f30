"""Who is in the table of a season: everybody, members of the club, or those who have entered."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse

from clubhouse.privacy import SECTIONS
from formats.series import table
from formats.series.facts import events_from, without
from formats.series.plan import plan_from
from players.actors import SYSTEM
from players.models import Club, LogEntry, Membership, Player, User
from players.people.erasure import erase_player
from players.people.services import merge_players
from players.privacy.sections import Person
from seasons import services
from seasons.actions import season_data
from seasons.page.season import evening_table, season_view
from seasons.plan_form import PlanLinesForm
from seasons.tables import newest_plan, season_table
from seasons.titles import titles_of_series
from tests.event_cast import NOON
from tests.formats.series.random_seasons import random_season
from tests.seasons.test_seasons import night, refused, season
from tests.tournaments.support.correcting import KNOCKOUT, Cup
from tournaments.models import Series, SeriesEntry

pytestmark = pytest.mark.django_db
NOBODY = AnonymousUser()


@pytest.fixture
def cast() -> list[Player]:
    return [Player.objects.create(name=f"Player {number}") for number in range(1, 9)]


def change(series: Series, **rules: object) -> Series:
    series.refresh_from_db()
    plan = {**newest_plan(series).plan, **rules}
    services.change_plan(series=series, plan=plan, after=series.seq, by=SYSTEM, now=NOON)
    series.refresh_from_db()
    return series


def rows(series: Series) -> list[tuple[int | None, str, str]]:
    return [(row["rank"], row["name"], row["total"]) for row in season_data(NOBODY, series)["rows"]]


def by_hand(everybody: list[tuple[int | None, str, str]], names: set[str]) -> list[tuple[int, str]]:
    """The totals of some players, ranked again by counting who has more."""
    totals = [(number_of(total), name) for _rank, name, total in everybody if name in names]
    return sorted((1 + sum(other > total for other, _ in totals), name) for total, name in totals)


def number_of(text: str) -> float:
    above, _slash, below = text.partition("/")
    return float(above) / float(below or 1)


def join(club: Club, *players: Player, **when: object) -> None:
    Membership.objects.bulk_create(Membership(club=club, player=player, **when) for player in players)


def test_only_members_are_ranked_with_unchanged_points(club: Club, cast: list[Player]) -> None:
    join(club, *cast[:3])
    join(club, cast[3], left_at=NOON)
    night(cast, "one", seed=1, weeks=2)
    night(cast, "two", seed=2, weeks=1)
    row = season()
    everybody = rows(row)
    members = rows(change(row, belongs="members"))
    assert {name for _rank, name, _total in members} == {player.name for player in cast[:3]}
    assert set(members) < {(rank, name, total) for rank, _n, _t in members for _r, name, total in everybody}
    assert sorted((rank, name) for rank, name, _total in members) == by_hand(everybody, {p.name for p in cast[:3]})


@pytest.mark.parametrize("seed", range(60))
def test_closing_up_is_the_season_without_the_guests(seed: int) -> None:
    data = random_season(f"guests {seed}")
    data["plan"].pop("players", None)
    plan, events = plan_from(data["plan"]), events_from(data["events"])
    players = sorted(frozenset().union(*(event.players for event in events)))
    some = frozenset(player for player in players if Random(f"{seed} {player}").random() < 0.6)
    closed_up = plan_from({**data["plan"], "players": sorted(some), "guests": "close_up"})
    alone = table.season(plan, [without(event, event.players - some) for event in events])
    evaluated = table.season(closed_up, events)
    assert [(row.rank, row.player, row.total) for row in evaluated.rows] == [
        (row.rank, row.player, row.total) for row in alone.rows
    ]


def test_who_enters_late_is_in_the_table_with_all_evenings(club: Club, cast: list[Player]) -> None:
    night(cast, "one", weeks=2)
    row = season()
    everybody = rows(row)
    change(row, belongs="entered")
    assert rows(row) == []
    for player in (cast[0], cast[1], cast[0]):
        services.enter_season(series=row, player=player, by=SYSTEM, now=NOON)
    assert SeriesEntry.objects.count() == 2, "entering twice changes nothing"
    assert {name: total for _rank, name, total in rows(row)} == {
        name: total for _rank, name, total in everybody if name in (cast[0].name, cast[1].name)
    }
    services.leave_season(series=row, player=cast[0], by=SYSTEM)
    services.leave_season(series=row, player=cast[0], by=SYSTEM)
    assert [name for _rank, name, _total in rows(row)] == [cast[1].name]
    verbs = LogEntry.objects.filter(topic=row.topic, verb__in=("series_entered", "series_entry_removed"))
    assert list(verbs.order_by("pk").values_list("verb", flat=True)) == [
        "series_entered", "series_entered", "series_entry_removed"
    ]  # fmt: skip


def test_an_entry_follows_a_merge_and_an_erased_player_keeps_the_place(club: Club, cast: list[Player]) -> None:
    night(cast, "one", weeks=2)
    row = change(season(), belongs="entered")
    other = Player.objects.create(name="Robert")
    for player in cast[:2]:
        services.enter_season(series=row, player=player, by=SYSTEM, now=NOON)
    merge_players(player=cast[0], into=other, by=SYSTEM, now=NOON)
    assert {name for _rank, name, _total in rows(row)} == {"Robert", cast[1].name}
    services.enter_season(series=row, player=other, by=SYSTEM, now=NOON)
    assert SeriesEntry.objects.count() == 2
    erase_player(player=cast[1], by=SYSTEM, now=NOON)
    assert len(rows(row)) == 2
    services.leave_season(series=row, player=other, by=SYSTEM)
    assert len(rows(row)) == 1


def test_a_closed_season_stays_when_somebody_joins_the_club(club: Club, cast: list[Player]) -> None:
    join(club, *cast[:2], joined_at=NOON - timedelta(days=400))
    night(cast, "one", weeks=2)
    row = change(season(), belongs="members")
    services.close_series(series=row, after=row.seq, by=SYSTEM, now=NOON)
    before = rows(row)
    join(club, cast[2], joined_at=NOON + timedelta(days=1))
    assert len(before) == 2
    assert rows(row) == before
    assert not season_view(NOBODY, row).changed_since
    with refused("series_closed"):
        services.enter_season(series=row, player=cast[3], by=SYSTEM, now=NOON)


def test_guests_are_not_on_the_screens_of_an_evening_and_win_no_title(club: Club, cast: list[Player]) -> None:
    night(cast, "one", weeks=1)
    row = season()
    first = next(name for rank, name, _total in rows(row) if rank == 1)
    cup = Cup.of(cast, KNOCKOUT, "two").play(Random(3), most=2, wild=False)
    services.count_events(series=row, events=[cup.division.tournament], by=SYSTEM)
    titles = titles_of_series(row)
    assert titles
    members = [player for player in cast if player.name != first]
    join(club, *members)
    change(row, belongs="members")
    screen = evening_table(row, cup.division.tournament)
    assert {line.name for line in screen.lines} == {player.name for player in members}
    assert titles_of_series(row) != titles
    assert season_table(row).so_far[cup.division.tournament.public_id].keys() <= {p.public_id for p in members}
    Membership.objects.filter(player=members[0]).delete()
    assert members[0].name not in {line.name for line in evening_table(row, cup.division.tournament).lines}


# The form, its preview, and the pages


def test_the_form_says_who_is_in_the_table_and_changes_only_that(club: Club, cast: list[Player]) -> None:
    row = season()
    plan = newest_plan(row).plan
    form = PlanLinesForm({"show_digits": "2", "belongs": "members", "guests": "close_up"}, plan)
    assert form.is_valid(), form.errors
    changed = change(row, **{key: form.proposed.get(key) for key in ("belongs", "guests")})
    assert newest_plan(changed).plan == {**plan, "belongs": "members", "guests": "close_up"}
    again = PlanLinesForm({"show_digits": "2"}, newest_plan(changed).plan)
    assert again.is_valid()
    assert plan_from(again.proposed) == plan_from(newest_plan(changed).plan)
    back = PlanLinesForm({"show_digits": "2", "belongs": "everybody", "guests": "keep_places"}, again.plan)
    assert back.is_valid()
    assert plan_from(back.proposed) == plan_from(plan)
    assert not PlanLinesForm({"show_digits": "2", "belongs": "friends"}, plan).is_valid()


def test_a_list_of_players_in_the_plan_stays_until_another_rule_is_chosen() -> None:
    plan = {"points": {"add": [{"attend": "1"}]}, "players": ["a", "b"]}
    form = PlanLinesForm({"show_digits": "2", "belongs": "named", "guests": "keep_places"}, plan)
    assert form.is_valid()
    assert plan_from(form.proposed).players == {"a", "b"}
    other = PlanLinesForm({"show_digits": "2", "belongs": "everybody"}, plan)
    assert other.is_valid()
    assert plan_from(other.proposed).players is None


def test_the_preview_names_who_leaves_the_table(alice_client: Client, club: Club, cast: list[Player]) -> None:
    join(club, *cast[:3])
    night(cast, "one", weeks=2)
    row = season()
    url = reverse("series-edit", args=[club.slug, row.slug])
    page = alice_client.get(url, {"show_digits": "2", "belongs": "members"}, headers={"HX-Request": "true"})
    text = page.content.decode()
    assert "Only members of the club are in the table. Guests take places but are not in it." in text
    changes = text.partition("What changes in the table")[2]
    assert cast[5].name in changes
    assert "Save these points" in changes
    closing_up = alice_client.get(
        url, {"show_digits": "2", "belongs": "members", "guests": "close_up"}, headers={"HX-Request": "true"}
    ).content.decode()
    assert "Guests are left out, and places close up." in closing_up


def test_a_player_enters_on_the_page_and_takes_it_back(
    club: Club, bob: User, as_user: Callable[[User | None], Client], cast: list[Player]
) -> None:
    own, bob_client = Player.objects.create(name="Bob", user=bob), as_user(bob)
    night([own, *cast[:7]], "one", weeks=2)
    row = season()
    page, url = reverse("series", args=[club.slug, row.slug]), reverse("series-entry", args=[club.slug, row.slug])
    assert "Enter the season" not in bob_client.get(page).content.decode()
    assert "Nobody needs to enter" in bob_client.post(url, {"enters": "yes"}, follow=True).content.decode()
    change(row, belongs="entered")
    text = bob_client.get(page).content.decode()
    assert "Only players who have entered the season are in the table." in text
    assert "Enter the season" in text
    text = bob_client.post(url, {"enters": "yes"}, follow=True).content.decode()
    assert "You have entered this season." in text
    assert "1st of 1" in text
    assert bob_client.post(url, {"enters": "yes", "player": cast[0].public_id}).status_code == 403
    assert SeriesEntry.objects.count() == 1
    file = Client().get(reverse("series-file", args=[club.slug, row.slug, "csv"]))
    lines = (
        b"".join(file.streaming_content).decode().splitlines() if file.streaming else file.content.decode().splitlines()
    )
    assert len(lines) == 2
    assert lines[1].startswith("1,Bob")
    bob_client.post(url, {"enters": "no"})
    assert not SeriesEntry.objects.exists()


def test_a_director_enters_players_and_removes_them(alice_client: Client, club: Club, cast: list[Player]) -> None:
    night(cast, "one", weeks=2)
    row = change(season(), belongs="entered")
    edit, url = (reverse(name, args=[club.slug, row.slug]) for name in ("series-edit", "series-entry"))
    assert "Nobody is entered yet." in alice_client.get(edit).content.decode()
    answer = alice_client.post(url, {"enters": "yes", "player": cast[0].public_id}, follow=True)
    assert answer.redirect_chain[-1][0] == edit
    assert f"{cast[0].name} has entered" in answer.content.decode()
    assert alice_client.post(url, {"enters": "yes", "player": "2222222222"}).status_code == 404
    assert alice_client.post(url, {"enters": "perhaps", "player": cast[1].public_id}).status_code != 500
    assert [entry.player for entry in row.entries.all()] == [cast[0]]
    alice_client.post(url, {"enters": "no", "player": cast[0].public_id})
    assert not row.entries.exists()


def test_an_export_lists_the_seasons_that_a_person_entered(club: Club, cast: list[Player]) -> None:
    row = season()
    services.enter_season(series=row, player=cast[0], by=SYSTEM, now=NOON)
    section = next(section for section in SECTIONS if section.name == "season-entries")
    assert [line["season_name"] for line in section.rows(Person.of(cast[0]))] == ["Autumn"]
