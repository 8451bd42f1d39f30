"""Seasons of a club: what its events hand over, the table, its plan, and its end."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import override

from core.spreadsheets import read_spreadsheet
from display.sharing.cards import card_of
from display.sharing.drawing import draw_card
from display.sharing.page.picture import share_url
from engine.errors import Refused
from formats.series.facts import DecidedBy
from formats.series.plan import plan_from, plan_json
from formats.series.presets import PRESETS
from matches.models import Result
from players.actors import SYSTEM
from players.models import Club, Membership, Player, User
from players.people.services import merge_players
from seasons import services
from seasons.changes import changes_of, season_changes
from seasons.facts import facts_of
from seasons.finals import prepare_final
from seasons.imports.rows import Reading, read_past
from seasons.page.season import SeasonView, season_view
from seasons.plan_form import PlanLinesForm, lines_of
from seasons.sample_evening import Invented, invented_evening
from seasons.services import SeriesInput
from seasons.tables import closing_of, display, newest_plan, plain, season_table, table_of
from seasons.titles import title_reason
from tests.event_cast import NOON, join
from tests.tournaments.support.correcting import FORMATS, KNOCKOUT, Cup, won_by
from tournaments.draws import services as draws
from tournaments.events import services as events
from tournaments.models import Division, Draw, PastPlacing, PastSeason, Series, SeriesPlan, Title, Tournament
from tournaments.results.corrections import preview_correction
from tournaments.standings.brackets import seeds_of
from tournaments.standings.placings import champion_of
from tournaments.state.preview import Choice

pytestmark = pytest.mark.django_db
TODAY = NOON.date()
CHOICES = (Choice.LET_STAND, Choice.CORRECT_ALL)
NOBODY = AnonymousUser()


@pytest.fixture
def cast() -> list[Player]:
    return [Player.objects.create(name=f"Player {number}") for number in range(1, 9)]


@contextmanager
def refused(code: str) -> Iterator[None]:
    """Expect a refusal whose code begins so."""
    with pytest.raises(Refused) as info:
        yield
    assert info.value.code.startswith(code)


def night(cast: list[Player], name: str, seed: int = 1, weeks: int = 0) -> Cup:
    """A knockout that is over, so many weeks ago."""
    cup = Cup.of(cast, KNOCKOUT, name).play(Random(seed), wild=False)
    starts = NOON - timedelta(weeks=weeks)
    Tournament.objects.filter(pk=cup.division.tournament_id).update(starts_at=starts)
    cup.division.refresh_from_db()
    assert cup.division.status == Division.Status.FINISHED
    return cup


def season(preset: str = "motor_racing", name: str = "Autumn") -> Series:
    club = Club.objects.get(slug="harbour")
    days = SeriesInput(name, TODAY - timedelta(days=100), TODAY + timedelta(days=30), preset)
    return services.create_series(club=club, series=days, by=SYSTEM, now=NOON)


def publish_draw(division: Division) -> Draw:
    """Publish the event and the draw of a division."""
    events.publish_tournament(tournament=division.tournament, by=SYSTEM, now=NOON)
    draw = draws.request_draw(division=division, by=SYSTEM, now=NOON)
    draws.make_draft(draw_id=draw.pk, now=NOON)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=NOON)
    draw.refresh_from_db()
    return draw


# The page


def test_the_best_stand_first_before_anybody_has_a_rank(cast: list[Player]) -> None:
    night(cast, "First")
    rows = season_view(AnonymousUser(), season("usual")).rows
    assert [row.rank for row in rows] == [None] * 8
    totals = [float(row.total) for row in rows]
    assert totals == sorted(totals, reverse=True)
    assert len(set(totals)) > 2


# What an event hands over


@pytest.mark.parametrize("number", range(len(FORMATS)))
@pytest.mark.parametrize("seed", [1, 2])
def test_wins_and_the_winner_are_those_of_the_results(number: int, seed: int) -> None:
    stages, least, _most = FORMATS[number]
    cup = Cup.create(max(least, 6), stages).play(Random(seed), wild=False)
    facts = facts_of([cup.division])[cup.division.pk]
    versions = {row.match_id: row for row in Result.objects.order_by("version")}
    wins: Counter[str] = Counter()
    for row in cup.fixtures():
        result = versions.get(row.match_id or 0)
        if result is not None and result.winner is not None and row.match is not None:
            wins[row.match.players[result.winner].public_id] += 1
    assert wins
    assert Counter(match.winner for match in facts.matches if match.how is not DecidedBy.BYE) == wins
    assert facts.players == {player.public_id for player in cup.cast}
    champion = champion_of(NOBODY, cup.division)
    main = next((bracket for bracket in facts.brackets if bracket.name == "main"), None)
    if main is not None and champion:
        assert [Player.objects.get(public_id=player).name for player in main.placings[0]] == [champion]


def test_the_facts_of_a_merged_player_are_those_of_the_other(cast: list[Player]) -> None:
    cup = night(cast, "one")
    before = facts_of([cup.division])[cup.division.pk]
    other = Player.objects.create(name="Robert")
    Player.objects.filter(pk=cast[0].pk).update(merged_into=other)
    after = facts_of([cup.division])[cup.division.pk]
    assert before.players - after.players == {cast[0].public_id}
    assert after.players - before.players == {other.public_id}


def test_a_guest_whose_player_was_merged_can_have_points(
    cast: list[Player], alice: User, as_user: Callable[[User | None], Client]
) -> None:
    night(cast, "one")
    series, other = season(), Player.objects.create(name="Robert")
    merge_players(player=cast[0], into=other, by=SYSTEM, now=NOON)
    join(series.club, alice, Membership.Role.DIRECTOR)
    response = as_user(alice).get(reverse("series-edit", args=[series.club.slug, series.slug]))
    offered = {player.name for player in response.context["players"]}
    assert {"Robert", cast[1].name} <= offered
    assert cast[0].name not in offered


# The table


def test_every_figure_of_a_night_follows_from_its_wins_and_places(cast: list[Player]) -> None:
    """2 for coming and 25 18 15 12 10 8 6 4; of eight players two share 3 and 4, and four the places 5 to 8."""
    night(cast, "one")
    standing = season_table(season())
    totals = sorted((row.total for row in standing.season.rows), reverse=True)
    assert totals == [27, 20, 15.5, 15.5, 9, 9, 9, 9]


def test_a_night_that_is_being_played_counts_only_so_far(cast: list[Player]) -> None:
    night(cast, "one", weeks=1)
    Cup.of(cast, KNOCKOUT, "two").play(Random(3), most=2, wild=False)
    standing = season_table(season())
    assert (len(standing.over), len(standing.nights)) == (1, 2)
    (so_far,) = standing.so_far.values()
    assert {earned.points for earned in so_far.values()} == {2}, "for coming; no place is certain yet"
    view = season_view(NOBODY, standing.series)
    assert {cell.mark for row in view.rows for cell in row.cells[-1:]} == {"so-far"}


def test_a_corrected_night_corrects_the_season_and_back_gives_the_same(cast: list[Player]) -> None:
    cup = night(cast, "one")
    row = season()
    before = table_of(season_table(row))
    final = cup.settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    correction = cup.correct(final, won_by(1 - winner))
    assert table_of(season_table(row)) != before
    cup.undo(correction)
    assert table_of(season_table(row)) == before


def test_the_preview_of_a_correction_is_what_it_does_to_the_season(cast: list[Player]) -> None:
    cup = night(cast, "one")
    row = season()
    before = season_table(row)
    final = cup.settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    preview = preview_correction(fixture=final, new=won_by(1 - winner), voided_rated=True)
    let_stand, correct_all = (season_changes(cup.division, preview.consequences[choice].states) for choice in CHOICES)
    assert let_stand == []
    assert table_of(season_table(row)) == table_of(before)
    cup.correct(final, won_by(1 - winner))
    after = season_table(row)
    names = {player.public_id: player.name for player in cast}
    expected = changes_of(before, after, names)
    (change,) = correct_all
    assert [replace(row, points=None) for row in change.rows] == expected
    assert len(expected) == 2
    assert sorted(row.points for row in change.rows if row.points is not None) == [("20", "27"), ("27", "20")]


@pytest.mark.parametrize("round_", [1, 2])
@pytest.mark.parametrize("choice", ["keep_bracket", "correct_all"])
def test_the_preview_of_an_early_result_is_what_it_does_to_the_season(
    cast: list[Player], round_: int, choice: str
) -> None:
    night(cast, "zero", seed=4, weeks=1)
    cup = night(cast, "one")
    row = season("vienna_cup")
    before = season_table(row)
    fixture = next(fixture for fixture in cup.settled() if fixture.round.number == round_)
    winner = Result.objects.filter(match=fixture.match).latest("version").winner
    assert winner is not None
    preview = preview_correction(fixture=fixture, new=won_by(1 - winner), voided_rated=True)
    states = preview.consequences[Choice(choice)].states
    previewed = {each.series: each for each in season_changes(cup.division, states)}
    cup.correct(fixture, won_by(1 - winner), choice)
    after = season_table(row)
    names = {player.public_id: player.name for player in cast}
    expected = changes_of(before, after, names)
    rows = previewed[row].rows if row in previewed else []
    assert [replace(line, points=None) for line in rows if line.before != line.after or line.nights] == expected


def test_a_night_that_counts_no_longer_after_a_correction_is_named(cast: list[Player]) -> None:
    cups = [night(cast, name, weeks=weeks) for weeks, name in ((2, "one"), (1, "two"))]
    row = season()
    plan = {**newest_plan(row).plan, "count": {"best": 1}}
    services.change_plan(series=row, plan=plan, after=row.seq, by=SYSTEM, now=NOON)
    final = cups[1].settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    assert final.match is not None
    loser = final.match.players[1 - winner].name
    preview = preview_correction(fixture=final, new=won_by(1 - winner), voided_rated=True)
    (change,) = season_changes(cups[1].division, preview.consequences[Choice.CORRECT_ALL].states)
    by_name = {line.name: line for line in change.rows}
    days = [date_format(TODAY - timedelta(weeks=weeks)) for weeks in (1, 2)]
    expected = [f"Cup two, {days[0]} counts.", f"Cup one, {days[1]} no longer counts."]
    assert list(by_name[loser].nights) == expected, "evenings often share a name"


@pytest.mark.slow
def test_rows_show_what_they_can_reach_and_their_places_so_far(cast: list[Player]) -> None:
    for week in (3, 2, 1):
        night(cast, f"week {week}", seed=week, weeks=week)
    event = Cup.of(cast[:4], KNOCKOUT, "to come").division.tournament
    Tournament.objects.filter(pk=event.pk).update(starts_at=timezone.now() + timedelta(days=1))
    today = timezone.localdate()
    row = season()
    Series.objects.filter(pk=row.pk).update(last_day=today + timedelta(days=9))
    services.count_events(series=row, events=[Tournament.objects.get(pk=event.pk)], by=SYSTEM)
    row.refresh_from_db()
    view = season_view(NOBODY, row)
    totals = {line.player: line.total for line in season_table(row).season.rows}
    # Another evening with as many players gives its winner 25 points and 2 for coming.
    assert {line.player: line.can_reach for line in view.rows} == {
        player: display(total + 27, 2) for player, total in totals.items()
    }
    for line in view.rows:
        ranks = []
        for weeks in (3, 2, 1):
            earlier = [each for each in view.standing.over if each.day <= TODAY - timedelta(weeks=weeks)]
            after = season_table(row, nights=earlier).season.rows
            ranks.append(next(str(each.rank) for each in after if each.player == line.player))
        assert line.places is not None
        assert line.places.ranks == ", ".join(ranks)
    heights = {line.places.end[1] for line in view.rows if line.places and line.rank == 1}
    assert heights == {0}, "the first place is at the top"
    page = Client().get(f"/clubs/harbour/seasons/{row.slug}/").content.decode()
    assert page.count('class="reach"') == 9
    services.close_series(series=row, after=row.seq, by=SYSTEM, now=NOON)
    assert {line.can_reach for line in season_view(NOBODY, row).rows} == {""}, "nothing is open any more"


@pytest.mark.slow
def test_the_home_page_says_how_a_place_has_changed_and_what_tonight_gives(cast: list[Player], bob: User) -> None:
    night(cast, "one", seed=1, weeks=2)
    night(cast, "two", seed=3, weeks=1)
    row = season()
    Series.objects.filter(pk=row.pk).update(
        first_day=TODAY - timedelta(days=100), last_day=timezone.localdate() + timedelta(days=9)
    )
    moved = next(line for line in season_view(NOBODY, row).rows if line.moved)
    Player.objects.filter(user=bob).update(user=None)
    Player.objects.filter(public_id=moved.player).update(user=bob)
    Membership.objects.create(club=row.club, player=Player.objects.get(user=bob))
    reader = Client()
    reader.force_login(bob)
    word = "up" if moved.moved > 0 else "down"
    pattern = rf"</span>{moved.moved_by}\s*<span class=\"visually-hidden\">{word}</span>"
    before = reader.get("/").content.decode()
    assert re.search(pattern, before)
    assert "This evening so far" not in before
    Cup.of(cast, KNOCKOUT, "three").play(Random(3), most=2, wild=False)
    assert "This evening so far: 2" in reader.get("/").content.decode()


def test_dropped_nights_are_marked_and_the_sentences_say_why(cast: list[Player]) -> None:
    for number in range(3):
        night(cast, f"night {number}", seed=number, weeks=3 - number)
    vienna = season("vienna_cup")
    view = season_view(NOBODY, vienna)
    assert len(view.rows) == 8
    for row in view.rows:
        marks = Counter(cell.mark for cell in row.cells)
        assert marks["dropped"] + marks["won"] >= 1
        assert len(row.sentences) == 3
        assert all("coming" in sentence for _day, _event, sentence in row.sentences)
        assert row.dropped
        assert " + " in row.sum
    assert dropped_labels(view) == {"would be dropped"}
    services.close_series(series=vienna, after=vienna.seq, by=SYSTEM, now=NOON)
    assert dropped_labels(season_view(NOBODY, vienna)) == {"not counted"}


def dropped_labels(view: SeasonView) -> set[str]:
    cells = [cell for row in view.rows for cell in row.cells if cell.mark == "dropped"]
    return {cell.label for cell in cells} | {view.dropped_label}


# Points by hand, shares of the places


def test_points_by_hand_are_added_with_their_reason_until_they_are_taken_back(cast: list[Player]) -> None:
    event = night(cast, "one").division.tournament
    row = season()
    player = season_table(row).season.rows[0].player
    before = table_of(season_table(row))
    given = services.PointsInput(event, Player.objects.get(public_id=player), "-1/2", "came late")
    other = Cup.of(cast, KNOCKOUT, "other").division.tournament
    services.leave_out(series=row, event=other, by=SYSTEM)
    with refused("series_event_left_out"):
        services.give_points(series=row, given=replace(given, event=other), by=SYSTEM, now=NOON)
    with refused("series_number"):
        services.give_points(series=row, given=replace(given, points="much"), by=SYSTEM, now=NOON)
    points = services.give_points(series=row, given=given, by=SYSTEM, now=NOON)
    totals = {each.player: each.total for each in season_table(row).season.rows}
    assert totals[player] == Fraction(before["rows"][0]["total"]) - Fraction(1, 2)
    view = season_view(NOBODY, row)
    sentence = next(each.sentences[0][2] for each in view.rows if each.player == player)
    assert sentence.endswith("-0.50 entered by hand (came late)")
    for _time in range(2):
        services.undo_points(series=row, given=points.pk, by=SYSTEM)
    assert table_of(season_table(row)) == before


def test_a_plan_of_points_typed_in_counts_nothing_else(cast: list[Player]) -> None:
    event = night(cast, "one").division.tournament
    row = season("given")
    assert not any(each.total for each in season_table(row).season.rows)
    given = services.PointsInput(event, cast[3], "7", "as announced")
    services.give_points(series=row, given=given, by=SYSTEM, now=NOON)
    assert {each.player: each.total for each in season_table(row).season.rows if each.total} == {cast[3].public_id: 7}


def test_points_by_hand_leave_other_evenings_as_they_are(cast: list[Player]) -> None:
    """An imported evening has places and typed points, of which this plan counts the places."""
    event = night(cast, "one").division.tournament
    row = season()
    past = PastSeason.objects.create(club=row.club, name="2019", counts_in=row)
    for place, player in enumerate(cast, start=1):
        PastPlacing.objects.create(season=past, player=player, event="Old", place=place, points="100")
    before = {each.player: each.total for each in season_table(row).season.rows}
    assert max(before.values()) < 100
    given = services.PointsInput(event, cast[0], "3", "ran the evening")
    services.give_points(series=row, given=given, by=SYSTEM, now=NOON)
    after = {each.player: each.total for each in season_table(row).season.rows}
    assert after == before | {cast[0].public_id: before[cast[0].public_id] + 3}


def test_a_guest_who_has_played_may_have_points(cast: list[Player], client: Client, alice: User) -> None:
    night(cast, "one")
    row = season()
    Membership.objects.get_or_create(
        club=row.club, player=Player.objects.create(name="Alice", user=alice), role=Membership.Role.DIRECTOR
    )
    client.force_login(alice)
    page = client.get(f"/clubs/harbour/seasons/{row.slug}/edit/").content.decode()
    assert all(f'value="{player.public_id}"' in page for player in cast)


def test_shares_of_the_places_divide_as_many_points_as_players(cast: list[Player]) -> None:
    event = night(cast, "one").division.tournament
    row = season("american_tour")
    services.count_events(series=row, events=[event], by=SYSTEM, counts_as=services.CountsAs(shares="5, 3"))
    assert [each.total for each in season_table(row).season.rows if each.total] == [5, 3]
    with refused("series_number"):
        services.count_events(series=row, events=[event], by=SYSTEM, counts_as=services.CountsAs(shares="5, x"))


# The final


def test_the_final_has_those_who_qualify_seeded_by_rank(cast: list[Player]) -> None:
    for number in (1, 2, 3):
        night(cast, f"night {number}", seed=number, weeks=3 - number)
    row = season()
    with refused("series_no_final"):
        prepare_final(series=row, by=SYSTEM, now=NOON)
    plan = newest_plan(row).plan | {"qualify": {"places": 3}}
    services.change_plan(series=row, plan=plan, after=row.seq, by=SYSTEM, now=NOON)
    table = table_of(season_table(row))
    event = prepare_final(series=row, by=SYSTEM, now=NOON)
    assert prepare_final(series=row, by=SYSTEM, now=NOON) == event
    division = event.divisions.get()
    entered = [entry.player.public_id for entry in division.entries.order_by("pk")]
    assert entered == [each["player"] for each in table["rows"] if each["rank"] <= 3]
    draw = publish_draw(division)
    assert seeds_of(draw, division) == {
        entry.pk: seed for seed, entry in enumerate(division.entries.order_by("pk"), start=1)
    }
    assert Series.objects.get().final == event
    # It does not count itself, though it is published on a day of the season.
    assert not row.counted.filter(tournament=event).exists()
    assert event not in services.missing_events(row)


# Making and changing it


def test_the_events_of_its_days_count_also_those_published_later(cast: list[Player]) -> None:
    night(cast, "one")
    row, closed = season(), season(name="Closed")
    services.close_series(series=closed, after=0, by=SYSTEM, now=NOON)
    night(cast, "outside", seed=3, weeks=20)
    later = night(cast, "two", seed=2, weeks=1)
    # Cups are published today, whenever they are said to have been.
    services.leave_out(series=row, event=Tournament.objects.get(name="Cup outside"), by=SYSTEM)
    assert row.counted.count() == 2
    assert closed.counted.count() == 1
    assert not services.missing_events(row)
    services.leave_out(series=row, event=later.division.tournament, by=SYSTEM)
    assert services.missing_events(row) == [later.division.tournament]
    services.count_events(series=row, events=services.missing_events(row), by=SYSTEM)
    assert not services.missing_events(row)
    services.leave_out(series=row, event=later.division.tournament, by=SYSTEM)
    services.leave_out(series=row, event=later.division.tournament, by=SYSTEM)
    assert row.counted.count() == 1


def test_a_changed_plan_is_a_new_version_and_an_equal_one_is_none(cast: list[Player]) -> None:
    night(cast, "one")
    row = season()
    plan = newest_plan(row).plan
    services.change_plan(series=row, plan=plan, after=0, by=SYSTEM, now=NOON)
    assert row.plans.count() == 1
    row.refresh_from_db()
    form = PlanLinesForm({"show_digits": "1", "points-add-0-attend": "7"}, plan)
    assert form.is_valid()
    changed = form.proposed
    version = services.change_plan(series=row, plan=changed, after=row.seq, by=SYSTEM, now=NOON)
    assert (version.number, version.plan["points"]["add"][0]["attend"]) == (2, "7")
    with refused("stale"):
        services.change_plan(series=row, plan=plan, after=0, by=SYSTEM, now=NOON)
    assert SeriesPlan.objects.filter(series=row).count() == 2


@pytest.mark.parametrize("text", ["", "many", "1/0", "9" * 40])
def test_a_plan_that_cannot_be_read_is_refused(text: str, cast: list[Player]) -> None:
    night(cast, "one")
    with refused("series_"):
        services.change_plan(series=season(), plan={"points": {"attend": text}}, after=0, by=SYSTEM, now=NOON)


def test_the_lines_of_every_preset_come_back_as_they_were() -> None:
    assert len(PRESETS) > 15
    for preset in PRESETS.values():
        plan = plan_json(preset.plan)
        count = plan.get("count", {})
        data = {line.name: line.text for line in lines_of(plan)} | {"show_digits": str(plan.get("show_digits", 2))}
        if places := plan.get("qualify", {}).get("places"):
            data["qualify"] = str(places)
        form = PlanLinesForm(
            data | {key: count[key] for key in ("best", "drop_worst", "min_events") if key in count}, plan
        )
        assert form.is_valid(), form.errors
        assert plan_from(form.proposed) == plan_from(plan)


# Its end


def test_a_closed_season_keeps_its_table_and_can_be_reopened(cast: list[Player]) -> None:
    cup = night(cast, "one")
    row = season()
    closing = services.close_series(series=row, after=0, by=SYSTEM, now=NOON)
    final = cup.settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    cup.correct(final, won_by(1 - winner))
    view = season_view(NOBODY, row)
    assert view.changed_since
    assert [shown.player for shown in view.rows] == [data["player"] for data in closing.table["rows"]]
    with refused("series_closed"):
        services.leave_out(series=row, event=cup.division.tournament, by=SYSTEM)
    services.reopen_series(series=row, reason="A result was wrong", after=1, by=SYSTEM, now=NOON)
    assert closing_of(row) is None
    assert not season_view(NOBODY, row).changed_since
    services.close_series(series=row, after=2, by=SYSTEM, now=NOON)


def test_a_season_is_not_closed_while_a_night_is_played(cast: list[Player]) -> None:
    Cup.of(cast, KNOCKOUT, "two").play(Random(3), most=2, wild=False)
    with refused("series_night_open"):
        services.close_series(series=season(), after=0, by=SYSTEM, now=NOON)


# Pages and files


@pytest.fixture
def alices(club: Club, alice_client: Client) -> Client:
    """Alice, who directs the club that all cups are of."""
    return alice_client


def test_a_season_from_a_preset_and_a_line_changed(alices: Client, cast: list[Player]) -> None:
    night(cast, "one")
    assert 'href="/clubs/harbour/seasons/"' in alices.get("/clubs/harbour/").content.decode()
    days = {
        "first_day": str(TODAY - timedelta(days=9)),
        "last_day": str(TODAY),
        "name": "Winter",
        "preset": "motor_racing",
    }
    answer = alices.post("/clubs/harbour/seasons/create/", {**days, "key": "a-key"})
    again = alices.post("/clubs/harbour/seasons/create/", {**days, "key": "a-key"})
    assert answer.url == again.url == "/clubs/harbour/seasons/winter/"
    assert Series.objects.count() == 1
    assert "Player 1" in alices.get(answer.url).content.decode()
    typed = {"show_digits": "1", "points-add-0-attend": "5"}
    page = alices.get(f"{answer.url}edit/", typed)
    preview = page.context["preview"]
    assert (preview.differs, len(preview.changes), len(preview.example)) == (True, 8, 8)
    alices.post(f"{answer.url}plan/", {"plan": preview.plan, "after": "0"})
    assert season_table(Series.objects.get()).season.rows[0].total == 30


def test_a_season_keeps_the_points_of_a_preset_that_is_gone(alices: Client, cast: list[Player], club: Club) -> None:
    night(cast, "one")
    row = season()
    places = {
        "bracket": "main",
        "values": {"kind": "list", "points": ["200", "140", "90"]},
        "ties": "mean_from",
        "from": 5,
    }
    form = {"name": row.name, "points": {"place": places}, "count": {"best": 4}, "show_digits": 2}
    SeriesPlan.objects.filter(series=row).update(plan=form)
    base = "/clubs/harbour/seasons/"
    assert "200" in alices.get(f"{base}{row.slug}/").content.decode()
    assert alices.get(f"{base}{row.slug}/edit/").context["preview"].differs is False
    body = alices.get(f"/api/v1/seasons/{row.public_id}/").json()
    assert plan_from(body["plan"]) == plan_from(form)
    days = {"first_day": str(TODAY), "last_day": str(TODAY), "name": "Winter"}
    alices.post(f"{base}create/", {**days, "like": row.public_id, "key": "a-key"})
    assert plan_from(newest_plan(Series.objects.get(name="Winter")).plan).points == plan_from(form).points
    alices.post(f"{base}create/", {**days, "name": "Spring", "preset": "european_grand_prix", "key": "another"})
    assert not Series.objects.filter(name="Spring").exists()


def test_points_by_hand_are_offered_once_an_evening_counts(alices: Client, cast: list[Player]) -> None:
    row = season()
    url = f"/clubs/harbour/seasons/{row.slug}/edit/"
    assert 'id="hand-points"' not in alices.get(url).content.decode()
    cup = night(cast, "one")
    services.count_events(series=row, events=[cup.division.tournament], by=SYSTEM)
    assert 'id="hand-points"' in alices.get(url).content.decode()


def test_wrong_lines_are_refused_beside_the_form(alices: Client, cast: list[Player]) -> None:
    night(cast, "one")
    row = season()
    page = alices.get(f"/clubs/harbour/seasons/{row.slug}/edit/", {"show_digits": "1", "points-add-0-attend": "lots"})
    assert "“lots” at Points for coming is not a number" in page.content.decode()
    assert page.context["preview"] is None
    months = {"show_digits": "1", "class_by_month": "Christmas: double"}
    page = alices.get(f"/clubs/harbour/seasons/{row.slug}/edit/", months)
    assert "“Christmas” at Kind of evening by month is not a number" in page.content.decode()


def test_before_the_first_evening_points_are_tried_on_the_last_of_the_club(alices: Client, cast: list[Player]) -> None:
    row = season()
    assert season_view(NOBODY, row).played == "no evening yet"
    url = f"/clubs/harbour/seasons/{row.slug}/edit/"
    preview = alices.get(url).context["preview"]
    assert preview.heading == "An invented evening with these points"
    assert [points for _name, points, _text in preview.example] == ["27", "20", "15.50", "15.50", "9", "9", "9", "9"]
    assert preview.example[0][0] == "Player 1"
    cup = night(cast, "elsewhere", weeks=30)
    services.leave_out(series=row, event=cup.division.tournament, by=SYSTEM)
    preview = alices.get(url).context["preview"]
    assert preview.heading == "The last evening with these points: Cup elsewhere"
    assert {name for name, _points, _text in preview.example} == {player.name for player in cast}


@pytest.mark.parametrize("code", PRESETS)
def test_every_preset_can_be_tried_on_an_evening_of_any_size(code: str, club: Club, alices: Client) -> None:
    row = season(code)
    url = f"/clubs/harbour/seasons/{row.slug}/edit/"
    filled_in = {
        name: value for name, value in PlanLinesForm(None, newest_plan(row).plan).initial.items() if value is not None
    }
    for players in (2, 3, 8, 40):
        typed = {**filled_in, "example_players": str(players), "example_length": "5"}
        preview = alices.get(url, typed, headers={"HX-Request": "true"}).context["preview"]
        points = [float(points) for _name, points, _text in preview.example]
        assert len(points) == players
        assert points == sorted(points, reverse=True)
        gives_none = code in ("given", "american_tour") or (code == "bristol_groups" and players > 8)
        assert gives_none or points[0] > points[-1]
        assert not preview.differs, "what is tried is no part of the plan"
    assert alices.get(url, {"show_digits": "2", "example_players": "1"}).context["form"].errors


def test_a_figure_says_that_its_factor_is_in_it(club: Club, alices: Client) -> None:
    typed = {"show_digits": "2", "example_players": "8", "example_length": "4"}
    preview = alices.get(f"/clubs/harbour/seasons/{season('usual').slug}/edit/", typed).context["preview"]
    expected = "1 for coming; 2 wins to 4 points (Consolation), √4 = 2 each: 2 (including × 0.5)"
    assert expected in [text for _name, _points, text in preview.example]


def test_figures_have_the_decimal_separator_of_the_language(club: Club, alices: Client) -> None:
    typed = {"show_digits": "2", "example_players": "9", "example_length": "5"}
    path = f"/clubs/harbour/seasons/{season('usual').slug}/edit/"
    with override("en"):
        # A request leaves its language behind.
        shown = [alices.get(path, typed, headers={"Accept-Language": code}).context["preview"] for code in ("en", "de")]
    english, german = (
        [text for _name, points, sentence in preview.example for text in (points, sentence)] for preview in shown
    )
    assert any("√5 = 2.24" in text for text in english)
    assert any("√5 = 2,24" in text for text in german)
    assert not any(re.search(r"\d\.\d", text) for text in german)
    title = Title(kind=Title.Kind.SEASON, figure="12.5")
    with override("de"):
        assert title_reason(title).count("12,5") == 1
        assert plain(Fraction(25, 2), 2) == "12.50", "what is stored has no language"


@pytest.mark.parametrize("players", range(2, 65))
def test_an_invented_evening_is_a_knockout(players: int) -> None:
    event = invented_evening(Invented(players, 7), TODAY)
    (division,) = event.divisions
    for bracket in division.brackets:
        own = [match for match in division.matches if match.bracket == bracket.name]
        losses = Counter(match.loser for match in own if match.loser is not None)
        first, *others = [player for group in bracket.placings for player in group]
        assert {first, *others} == bracket.players
        assert losses == Counter(others), "everybody but the winner has lost once"
        assert [match.to_final for match in own if match.loser == bracket.placings[1][0]] == [0]
    assert [int(player) for group in division.brackets[0].placings for player in sorted(group, key=int)] == list(
        range(1, players + 1)
    )


def test_no_two_lines_of_a_preset_are_called_the_same() -> None:
    for code, each in PRESETS.items():
        labels = Counter(line.label for line in lines_of(plan_json(each.plan)))
        labels.pop("The next line counts times", None)
        assert set(labels.values()) <= {1}, (code, labels)


def test_a_new_evening_counts_if_it_is_better_than_the_worst_that_counts(cast: list[Player]) -> None:
    for week in (3, 2, 1):
        night(cast, f"week {week}", seed=week, weeks=week)
    row = season()
    best = {"best": 3}
    services.change_plan(series=row, plan={**newest_plan(row).plan, "count": best}, after=0, by=SYSTEM, now=NOON)
    rows = season_view(NOBODY, row).rows
    points = [[each.points for each in line.cells if each.points is not None] for line in rows]
    assert [line.threshold for line in rows] == [display(min(own), 2) for own in points]
    assert any(own[-1] != min(own) for own in points), "the last is not always the worst"
    by_month: dict[str, Any] = {"decay": {"every": "month", "factor": "0.5"}}
    for limit in ({"count": {"best": 3, "per_month": 1}}, {"count": best, **by_month}):
        row.refresh_from_db()
        services.change_plan(series=row, plan={**newest_plan(row).plan, **limit}, after=row.seq, by=SYSTEM, now=NOON)
        assert {line.threshold for line in season_view(NOBODY, row).rows} == {""}, "it depends on the day"


def test_the_place_of_a_result_among_those_that_count_is_an_ordinal(cast: list[Player]) -> None:
    for number in range(3):
        night(cast, f"night {number}", seed=number, weeks=3 - number)
    rows = season_view(NOBODY, season("vienna_cup")).rows
    texts = " ".join(text for row in rows for _day, _event, text in row.sentences)
    assert "counts as 1st of the best 2" in texts
    assert "counts as 2nd of the best 2" in texts


def test_names_are_those_a_reader_may_see(cast: list[Player], alices: Client) -> None:
    night(cast, "one")
    row = season()
    Player.objects.filter(pk=cast[0].pk).update(name="Robert Hidden", initials_only=True)
    url = f"/clubs/harbour/seasons/{row.slug}/"
    for client, sees in ((Client(), False), (alices, True)):
        for path in (url, f"{url}table.csv", f"{url}table.json", f"/api/v1/seasons/{row.public_id}/"):
            assert ("Robert Hidden" in client.get(path).content.decode()) == sees, path
    assert "Robert Hidden" not in Client().get("/clubs/harbour/").content.decode()


def wall_of_season(cup: Cup) -> list[tuple[str, str, str, str]]:
    """The rows of the season's table on the wall of an evening: rank, name, points of the evening, total."""
    event = cup.division.tournament
    page = Client().get(f"/events/{event.club.slug}/{event.slug}/wall/").content.decode()
    sections = re.findall(r'<section class="wall-screen is-season.*?</section>', page, re.DOTALL)
    cells = r'<td class="num">(.*?)</td>'
    return [
        row
        for section in sections
        for row in re.findall(rf"<tr>\s*{cells}\s*<th[^>]*><bdi>(.*?)</bdi></th>\s*{cells}\s*{cells}", section)
    ]


def test_the_wall_shows_the_season_with_the_points_so_far(cast: list[Player]) -> None:
    earlier = night(cast[:6], "one", weeks=1)
    row = season()
    cup = Cup.of(cast, KNOCKOUT, "two").play(Random(3), most=2, wild=False)
    ranked = season_table(row).season.rows
    lines = wall_of_season(cup)
    assert [line[1] for line in lines[:6]] == [Player.objects.get(public_id=row.player).name for row in ranked]
    assert [line[0] for line in lines] == [str(row.rank) for row in ranked] + ["–", "–"], "newcomers come last"
    assert {line[2] for line in lines} == {"2"}, "for coming; no place is certain yet"
    assert [line[3] for line in lines[6:]] == ["–", "–"]
    cup.play(Random(3), wild=False)
    assert sorted(line[2] for line in wall_of_season(cup)) == sorted(["27", "20", *["15.50"] * 2, *["9"] * 4])
    assert "15.50" in {line[2] for line in wall_of_season(earlier)}, "an earlier evening shows its own points"


def test_the_wall_pages_a_long_table_and_hides_names(cast: list[Player], alices: Client) -> None:
    field = [*cast, *(Player.objects.create(name=f"Guest {number}") for number in range(4))]
    cup = night(field, "one")
    Player.objects.filter(pk=cast[0].pk).update(name="Robert Hidden", initials_only=True)
    Player.objects.filter(pk=cast[1].pk).update(name="", erased_at=NOON)
    season()
    event = cup.division.tournament
    url = f"/events/{event.club.slug}/{event.slug}/wall/"
    for client in (Client(), alices):
        page = client.get(url).content.decode()
        assert page.count("is-season") == 2
        assert "Robert" not in page
    names = [line[1] for line in wall_of_season(cup)]
    assert len(names) == 12
    assert {"R. H.", "Former member"} < set(names)


def test_a_season_is_shared_with_its_picture_and_in_frames(cast: list[Player], alices: Client) -> None:
    night(cast, "one")
    row = season()
    hidden, erased = cast[:2]
    Player.objects.filter(pk=hidden.pk).update(name="Robert Hidden", initials_only=True)
    Player.objects.filter(pk=erased.pk).update(name="", erased_at=NOON)
    Club.objects.filter(slug="harbour").update(embed_hosts="https://www.harbour.example")
    page = Client().get(f"/clubs/harbour/seasons/{row.slug}/").content.decode()
    assert f'<meta property="og:image" content="http://testserver{share_url("series", "harbour", row.slug)}">' in page
    share = re.search(r'href="([^"]*/share/)"', page)
    assert share is not None
    frame = re.search(r'<iframe class="share-preview" src="([^"]*)"', Client().get(share[1]).content.decode())
    assert frame is not None
    shown = [client.get(frame[1]) for client in (Client(), alices)]
    assert shown[0].content == shown[1].content, "it is the same for everybody"
    policy = shown[0].headers["Content-Security-Policy"]
    assert policy.endswith("frame-ancestors 'self' https://www.harbour.example")
    assert "X-Frame-Options" not in shown[0].headers
    content, texts = shown[0].content.decode(), list(card_of("series", f"harbour/{row.slug}").texts())
    assert content.count('scope="row"') == 8
    for text in (content, "\n".join(texts)):
        assert "Robert" not in text
    assert {"R. H.", "Former member"} <= set(re.findall(r'class="name"[^>]*>([^<]*)<', content))
    ranked = [line.total for line in season_view(NOBODY, row).rows]
    assert [text for text in texts if text in ranked] == ranked[:5]
    assert draw_card(card_of("series", f"harbour/{row.slug}")).startswith(b"\x89PNG")


def test_a_season_without_an_evening_is_shared_all_the_same(cast: list[Player], alices: Client) -> None:
    night(cast[:1] + cast[1:2], "other")
    Tournament.objects.update(starts_at=NOON - timedelta(days=300))
    row = season()
    assert "The table begins" in Client().get(f"/clubs/harbour/seasons/{row.slug}/embed/").content.decode()
    assert "Autumn" in set(card_of("series", f"harbour/{row.slug}").texts())


def test_a_closed_season_hides_who_hides_later(cast: list[Player], alices: Client) -> None:
    cup = night(cast, "one")
    row = season()
    services.close_series(series=row, after=0, by=SYSTEM, now=NOON)
    final = cup.settled()[-1]
    cup.correct(final, won_by(1 - Result.objects.filter(match=final.match).latest("version").winner))
    Player.objects.filter(pk__in=[player.pk for player in cast]).update(name="Robert Hidden", initials_only=True)
    url = f"/clubs/harbour/seasons/{row.slug}/"
    for path in (url, f"{url}table.csv", f"{url}table.json", f"/api/v1/seasons/{row.public_id}/"):
        assert "Robert Hidden" in alices.get(path).content.decode(), path
        body = Client().get(path).content.decode()
        assert "R. H." in body, path
        assert "Robert" not in body, path
        assert "Hidden" not in body, path


def test_the_files_hold_the_table(cast: list[Player], alices: Client) -> None:
    night(cast, "one")
    row = season()
    body = json.loads(Client().get(f"/clubs/harbour/seasons/{row.slug}/table.json").content)
    assert [line["rank"] for line in body["rows"]] == [1, 2, 3, 3, 5, 5, 5, 5]
    lines = Client().get(f"/clubs/harbour/seasons/{row.slug}/table.csv").content.decode().splitlines()
    assert len(lines) == 9


def test_the_file_holds_texts_and_numbers_and_our_import_reads_it(cast: list[Player]) -> None:
    results = {"=HYPERLINK(1)": "13.5", "+49 30 1": "3.375", "-Dan": "-1.5", "@Ida": "12"}
    night(cast, "one")
    row = season()
    past = PastSeason.objects.create(club=row.club, name="As told", counts_in=row)
    for player, (name, points) in zip(cast, results.items(), strict=False):
        Player.objects.filter(pk=player.pk).update(name=name)
        PastPlacing.objects.create(season=past, player=player, event="+1", points=points)
    plan = {**newest_plan(row).plan, "points": {"given": True}}
    services.change_plan(series=row, plan=plan, after=row.seq, by=SYSTEM, now=NOON)
    address = f"/clubs/harbour/seasons/{row.slug}/table.csv"
    file = Client().get(address, headers={"Accept-Language": "de"}).content
    lines = file.decode().splitlines()
    assert "'+1" in lines[0].split(",")
    assert [line.split(",")[1:3] for line in lines if line.split(",")[1].startswith("'")] == [
        ["'=HYPERLINK(1)", "13.5000"],
        ["'@Ida", "12"],
        ["'+49 30 1", "3.3750"],
        ["'-Dan", "-1.5000"],
    ]
    read = read_past(read_spreadsheet(file), Reading(nights=[3], cells="points")).good
    points = {each.name: each.points for each in read if each.event == "+1"}
    assert points == {"=HYPERLINK(1)": Decimal("13.5"), "-Dan": Decimal("-1.5")}, "the others are no names to it"


def test_days_that_make_no_season_are_refused(cast: list[Player]) -> None:
    night(cast, "one")
    club = Club.objects.get(slug="harbour")
    for first, last in ((date(2026, 2, 1), date(2026, 1, 1)), (date(2026, 1, 1), date(2028, 1, 1))):
        with refused("series_days"):
            services.create_series(club=club, series=SeriesInput("X", first, last), by=SYSTEM, now=NOON)


# Its name and days, and a season made by mistake


@pytest.mark.slow
def test_the_name_and_days_are_corrected_and_events_of_new_days_count(cast: list[Player], alices: Client) -> None:
    cups = [night(cast, name, weeks=weeks) for weeks, name in ((30, "old"), (2, "left out"), (1, "kept"))]
    row = season()
    services.leave_out(series=row, event=cups[1].division.tournament, by=SYSTEM)
    row.refresh_from_db()
    url = f"/clubs/harbour/seasons/{row.slug}/"
    page = alices.get(f"{url}edit/").content.decode()
    assert f'value="{row.last_day.isoformat()}"' in page
    days = {"first_day": str(TODAY - timedelta(weeks=40)), "last_day": str(TODAY - timedelta(days=10))}
    typed = {"name": "Year", **days, "after": str(row.seq)}
    assert alices.post(f"{url}details/", typed).url == f"{url}edit/"
    counted = set(row.counted.values_list("tournament__name", flat=True))
    assert counted == {"Cup old", "Cup kept"}, "what was left out stays out, and what counts still does"
    assert '<h1 class="name">Year</h1>' in alices.get(url).content.decode()
    alices.post(f"{url}details/", {**typed, "name": "Late"})
    row.refresh_from_db()
    assert row.name == "Year", "another director has changed it in the meantime"
    other = season(name="Other")
    for name, last_day, code in (
        ("year", TODAY, "series_name_taken"),
        ("New", TODAY + timedelta(days=401), "series_days"),
    ):
        with refused(code):
            services.change_details(series=other, name=name, days=(TODAY, last_day), after=other.seq, by=SYSTEM)
    services.close_series(series=other, after=other.seq, by=SYSTEM, now=NOON)
    with refused("series_closed"):
        services.change_details(series=other, name="New", days=(TODAY, TODAY), after=1, by=SYSTEM)


@pytest.mark.slow
def test_only_an_empty_season_can_be_removed(cast: list[Player], alices: Client) -> None:
    cup = night(cast, "one")
    row = season()
    url = f"/clubs/harbour/seasons/{row.slug}/"
    assert "Remove the season" not in alices.get(f"{url}edit/").content.decode()
    assert "is not empty" in alices.post(f"{url}remove/", follow=True).content.decode()
    services.leave_out(series=row, event=cup.division.tournament, by=SYSTEM)
    services.enter_season(series=row, player=cast[0], by=SYSTEM, now=NOON)
    with refused("series_in_use"):
        services.remove_series(series=row, by=SYSTEM)
    services.leave_season(series=row, player=cast[0], by=SYSTEM)
    assert "Remove the season" in alices.get(f"{url}edit/").content.decode()
    assert "Autumn is removed." in alices.post(f"{url}remove/", follow=True).content.decode()
    assert not Series.objects.exists()
    assert alices.post(f"{url}remove/").status_code == 404
    assert season().slug == row.slug


def test_a_season_that_was_announced_cannot_be_removed() -> None:
    Club.objects.create(name="Harbour", slug="harbour")
    row = season()
    services.close_series(series=row, after=0, by=SYSTEM, now=NOON)
    with refused("series_closed"):
        services.remove_series(series=row, by=SYSTEM)
    services.reopen_series(series=row, reason="Too early", after=1, by=SYSTEM, now=NOON)
    with refused("series_in_use"):
        services.remove_series(series=row, by=SYSTEM)
