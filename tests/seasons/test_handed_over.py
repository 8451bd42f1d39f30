"""What an event hands over to its seasons (`docs/series.md`): places, byes, walkovers, leavers, re-entries, classes."""

from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from django.test import Client

from formats.series.facts import DecidedBy, SeriesBracket, events_from
from formats.series.facts import SeriesDivision as DivisionFacts
from formats.series.plan import plan_from
from formats.series.points import event_points
from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from players.actors import SYSTEM, Actor
from players.models import Club, Player
from seasons import services
from seasons.facts import facts_of
from seasons.plan_form import PlanLinesForm
from seasons.services import CountsAs
from seasons.tables import newest_plan, nights_of, season_table
from tests.event_cast import NOON
from tests.seasons.test_seasons import cast, night, season
from tests.tournaments.support.correcting import DOUBLE, KNOCKOUT, PROGRESSIVE, SWISS, Cup, won_by
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.entries import services as entries
from tournaments.entries.reentries import reenter
from tournaments.events.services import cancel_tournament, create_division, update_division
from tournaments.models import Division, Entry, Fixture, Series, SeriesEvent
from tournaments.results import services as results
from tournaments.results.corrections import preview_correction, preview_undo
from tournaments.state.preview import Choice

__all__ = ["cast"]
pytestmark = pytest.mark.django_db
LIVES = [StageSettings("lives", lives=2)]
PLACES = {"kind": "list", "points": [100, 60, 40, 30, 20, 10]}


def facts(cup: Cup) -> DivisionFacts:
    cup.division.refresh_from_db()
    return facts_of([cup.division])[cup.division.pk]


def main_of(row: DivisionFacts) -> SeriesBracket:
    return next(bracket for bracket in row.brackets if bracket.name == "main")


def earned(row: DivisionFacts, points: Any, **settings: Any) -> dict[str, Fraction]:
    """What each player of a division earns by these points."""
    (event,) = events_from([{"id": "e", "date": "2026-11-20", "divisions": []}])
    event = type(event)(event.id, event.date, (row,))
    plan = plan_from({"points": points, **settings})
    return {player: own.points for player, own in event_points(plan, event).items()}


def losses(cup: Cup) -> dict[str, list[tuple[int, int]]]:
    """Player -> (order of the bracket, round) of each match lost, from the rows of the database."""
    order = {"upper": 0, "main": 0, "lower": 1, "final": 2}
    lost: dict[str, list[tuple[int, int]]] = {player.public_id: [] for player in cup.cast}
    rows = Fixture.objects.filter(stage__division=cup.division, match__isnull=False)
    for row in rows.select_related("match__player_0", "match__player_1", "round__bracket"):
        winner = Result.objects.filter(match=row.match).latest("version").winner
        assert row.match is not None
        if winner is not None:
            loser = row.match.players[1 - winner].public_id
            lost[loser].append((order.get(row.round.bracket.key, 0), row.round.number))
    return lost


# Places


@pytest.mark.parametrize(("count", "seed"), [(8, 1), (6, 2), (11, 3)])
def test_who_lost_in_the_same_round_of_a_knockout_shares_the_next_places(count: int, seed: int) -> None:
    cup = Cup.create(count, KNOCKOUT).play(Random(seed), wild=False)
    lost = losses(cup)
    by_round: dict[int, set[str]] = {}
    for player, rounds in lost.items():
        by_round.setdefault(rounds[0][1] if rounds else 99, set()).add(player)
    expected = [by_round[number] for number in sorted(by_round, reverse=True)]
    assert [set(placing) for placing in main_of(facts(cup)).placings] == expected
    assert len(expected[0]) == len(expected[1]) == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_places_of_a_double_elimination_go_by_the_round_of_the_last_loss(seed: int) -> None:
    cup = Cup.create(8, DOUBLE).play(Random(seed), wild=False)
    lost = losses(cup)
    champion = next(player for player, rounds in lost.items() if len(rounds) < 2)
    rest = {player: max(rounds) for player, rounds in lost.items() if player != champion}
    last = {player: ((2, 0) if at[0] == 2 else at) for player, at in rest.items()}
    expected = [{champion}] + [{p for p, at in last.items() if at == when} for when in sorted(set(last.values()))[::-1]]
    row = facts(cup)
    assert [bracket.name for bracket in row.brackets] == ["main"]
    assert [set(placing) for placing in main_of(row).placings] == expected


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_places_with_lives_go_by_the_round_of_elimination(seed: int) -> None:
    cup = Cup.create(7, LIVES).play(Random(seed), wild=False)
    lost = losses(cup)
    out = {player: sorted(rounds)[1][1] if len(rounds) > 1 else 99 for player, rounds in lost.items()}
    expected = [{p for p, number in out.items() if number == when} for when in sorted(set(out.values()), reverse=True)]
    assert [set(placing) for placing in main_of(facts(cup)).placings] == expected


@pytest.mark.slow
def test_consolation_and_last_chance_have_places_of_their_own() -> None:
    cup = Cup.create(12, PROGRESSIVE).play(Random(4), wild=False)
    row = facts(cup)
    assert {bracket.name for bracket in row.brackets} >= {"main", "consolation"}
    for bracket in row.brackets:
        placed = [player for placing in bracket.placings for player in placing]
        assert len(placed) == len(set(placed))
        assert set(placed) <= bracket.players <= row.players
        assert len(bracket.placings[0]) == 1
        final = [match for match in row.matches if match.bracket == bracket.name and match.to_final == 0]
        assert [(match.winner,) for match in final if match.how is not DecidedBy.BYE] == [bracket.placings[0]]
    one_order = earned(row, {"place": {"bracket": "all", "values": PLACES}})
    assert set(one_order) == row.players
    assert one_order[main_of(row).placings[0][0]] == 100


def test_equal_points_of_a_swiss_share_their_places_if_the_plan_says_so() -> None:
    cup = Cup.create(8, SWISS).play(Random(1), wild=False)
    row, points = facts(cup), {"place": {"values": PLACES}}
    wins = dict.fromkeys(row.players, 0)
    for match in row.matches:
        wins[match.winner] += 1
    by_tiebreaks, shared = earned(row, points), earned(row, points, tied_wins_share=True)
    assert sum(by_tiebreaks.values()) == sum(shared.values()) == 260
    for player in row.players:
        for rival in row.players:
            assert (shared[player] == shared[rival]) == (wins[player] == wins[rival])
    assert by_tiebreaks != shared


def test_the_finalists_share_the_first_places_of_a_final_that_was_not_played(cast: list[Player]) -> None:
    cup = Cup.of(cast, KNOCKOUT, "split").play(Random(1), most=6, wild=False)
    (final,) = cup.ready()
    assert final.match is not None
    results.enter_result(
        fixture=final, result=ResultInput(None, kind=Result.Kind.SETTLED), by=SYSTEM, now=cup.now()
    )  # fmt: skip
    row = facts(cup)
    assert cup.division.status == Division.Status.FINISHED
    finalists = {player.public_id for player in final.match.players}
    sizes = [len(placing) for placing in main_of(row).placings]
    assert (set(main_of(row).placings[0]), sizes) == (finalists, [2, 2, 4])
    points = earned(row, {"place": {"values": PLACES}})
    assert {points[player] for player in finalists} == {80}
    assert sorted(points.values()) == [7.5] * 4 + [35] * 2 + [80] * 2
    wins = earned(row, {"win": 1})
    assert {wins[player] for player in finalists} == {2}


@pytest.mark.parametrize("seed", [2, 5])
def test_the_finalists_of_a_double_elimination_may_split_as_well(seed: int) -> None:
    cup = Cup.create(4, DOUBLE)
    cup.play(Random(seed), most=5, wild=False)
    final = cup.ready()[-1]
    results.enter_result(
        fixture=final, result=ResultInput(None, kind=Result.Kind.SETTLED), by=SYSTEM, now=cup.now()
    )  # fmt: skip
    cup.work()
    assert final.match is not None
    placings = main_of(facts(cup)).placings
    assert set(placings[0]) == {player.public_id for player in final.match.players}
    assert [len(placing) for placing in placings] == [2, 1, 1]


# An evening that was abandoned


def test_of_an_abandoned_evening_only_what_is_certain_counts(cast: list[Player]) -> None:
    night(cast, "one", weeks=1)
    cup = Cup.of(cast, KNOCKOUT, "two").play(Random(3), most=5, wild=False)
    row = season()
    cancel_tournament(tournament=cup.division.tournament, by=SYSTEM, now=NOON)
    own = facts(cup)
    lost = losses(cup)
    first_round = {player for player, rounds in lost.items() if rounds and rounds[0][1] == 1}
    semi = {player for player, rounds in lost.items() if rounds and rounds[0][1] == 2}
    assert (len(first_round), len(semi)) == (4, 1)
    bracket = main_of(own)
    assert dict(zip(map(frozenset, bracket.placings), bracket.places, strict=True)) == {
        frozenset(semi): (3, 4),
        frozenset(first_round): (5, 6, 7, 8),
    }
    points = earned(own, {"place": {"values": PLACES}})
    assert {points[player] for player in first_round} == {Fraction(30, 4)}
    assert {points[player] for player in semi} == {35}
    assert {points[player] for player in own.players - first_round - semi} == {0}
    assert sum(earned(own, {"win": 1}).values()) == 5
    standing = season_table(row)
    assert [night.is_abandoned for night in standing.nights] == [False, True]
    assert all(len(line.results) == 2 for line in standing.season.rows)


def test_pages_and_the_closing_know_an_abandoned_evening(cast: list[Player], club: Club, alice_client: Client) -> None:
    night(cast, "one", weeks=1)
    cup = Cup.of(cast, KNOCKOUT, "two").play(Random(3), most=5, wild=False)
    row = season()
    cancel_tournament(tournament=cup.division.tournament, by=SYSTEM, now=NOON)
    url = f"/clubs/{club.slug}/seasons/{row.slug}/"
    page = Client().get(url)
    assert page.status_code == 200
    assert "Cup two" in page.content.decode()
    assert "abandoned" in alice_client.get(f"{url}edit/").content.decode()
    services.leave_out(series=row, event=cup.division.tournament, by=SYSTEM)
    assert len(nights_of(row)) == 1
    assert services.missing_events(row) == [cup.division.tournament]
    services.count_events(series=row, events=[cup.division.tournament], by=SYSTEM)
    row.refresh_from_db()
    closing = services.close_series(series=row, after=row.seq, by=SYSTEM, now=NOON)
    assert [event["name"] for event in closing.table["events"]] == ["Cup one", "Cup two"]


def test_an_evening_cancelled_before_anybody_played_does_not_count(cast: list[Player]) -> None:
    night(cast, "one", weeks=1)
    cup = Cup.of(cast, KNOCKOUT, "two").play(Random(3), most=0, wild=False)
    row = season()
    assert len(nights_of(row)) == 2
    cancel_tournament(tournament=cup.division.tournament, by=SYSTEM, now=NOON)
    assert len(nights_of(row)) == 1
    services.leave_out(series=row, event=cup.division.tournament, by=SYSTEM)
    assert services.missing_events(row) == []


# Who is a player, byes and walkovers


def test_who_withdraws_before_the_draw_is_no_player_and_later_leavers_keep_their_place(cast: list[Player]) -> None:
    cup = Cup.of(cast, KNOCKOUT, "leavers")
    early = cup.division.entries.get(player=cast[0])
    entries.withdraw(entry=early, by=SYSTEM, now=cup.now())
    cup.play(Random(2), most=4, wild=False)
    left = next(
        entry for entry in cup.division.entries.filter(status=Entry.Status.IN)
        if any(match.winner == entry.player.public_id and match.how is DecidedBy.PLAYED for match in facts(cup).matches)
    )  # fmt: skip
    entries.withdraw(entry=left, by=SYSTEM, now=cup.now())
    cup.play(Random(2), wild=False)
    row = facts(cup)
    assert cast[0].public_id not in row.players
    assert len(row.players) == 7
    lost = [match for match in row.matches if match.loser == left.player.public_id]
    assert [match.how for match in lost] == [DecidedBy.WALKOVER]
    attended = earned(row, {"attend": 2})
    assert attended[left.player.public_id] == 2
    sharing = next(placing for placing in main_of(row).placings if left.player.public_id in placing)
    rounds = {match.round for match in row.matches if match.loser in sharing}
    assert rounds == {lost[0].round}


def test_whoever_never_came_gets_nothing_for_coming_unless_the_plan_says_so(cast: list[Player]) -> None:
    cup = Cup.of(cast, KNOCKOUT, "no-show").play(Random(2), most=0, wild=False)
    first, second = cup.ready()[:2]
    results.forfeit(fixture=first, side=0, by=SYSTEM, now=cup.now())
    cup.report(second, won_by(0))
    cup.play(Random(2), wild=False)
    row = facts(cup)
    assert first.match is not None
    absent = first.match.players[0].public_id
    assert earned(row, {"attend": 2})[absent] == 0
    assert earned(row, {"attend": 2}, no_shows_attend=True)[absent] == 2
    winner = first.match.players[1].public_id
    by_default = sum(match.how is DecidedBy.WALKOVER and match.winner == winner for match in row.matches)
    assert by_default == 1
    with_it, without = earned(row, {"win": 1})[winner], earned(row, {"win": 1, "walkovers": False})[winner]
    assert with_it - without == 1


def test_of_two_of_whom_neither_came_nobody_gets_points_for_coming() -> None:
    cup = Cup.create(8, KNOCKOUT).play(Random(1), most=0)
    first, second, *_ = cup.ready()
    cup.report(first, ResultInput(None, None, Result.Kind.DOUBLE_FORFEIT))
    cup.report(second, won_by(0))
    winner = cup.entry_of(second.number, 0).player.public_id
    pair = {cup.entry_of(first.number, side).player.public_id for side in (0, 1)}
    assert facts(cup).missed == pair
    got = earned(facts(cup), {"attend": "1"})
    assert {player for player, points in got.items() if not points} == pair
    assert got[winner] == 1
    assert all(earned(facts(cup), {"attend": "1"}, no_shows_attend=True).values())
    cup.correct(first, won_by(0))
    assert all(earned(facts(cup), {"attend": "1"}).values()), "corrected: they have played"


def test_a_bye_is_no_win_and_gives_no_points_unless_the_plan_says_so() -> None:
    cup = Cup.create(5, KNOCKOUT).play(Random(1), wild=False)
    row = facts(cup)
    byes = {match.winner for match in row.matches if match.how is DecidedBy.BYE}
    assert len(byes) == 3
    without, with_byes = earned(row, {"win": 1}), earned(row, {"win": 1, "byes": True})
    assert {player for player in row.players if with_byes[player] != without[player]} == byes
    assert sum(without.values()) == 4
    assert sum(earned(row, {"match": 1}).values()) == 8


def test_unrated_matches_count(cast: list[Player]) -> None:
    cup = night(cast, "one")
    before = facts(cup)
    Match.objects.update(rated=False)
    Division.objects.filter(pk=cup.division.pk).update(seq=900)
    assert facts(cup) == before


def test_the_better_entry_counts_for_places_and_all_wins_count(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(7))
    driver.begin(StageSettings("knockout"))
    update_division(
        division=driver.division, after=driver.seq, by=driver.by, now=driver.now(),
        reentry_until=driver.at + timedelta(hours=24), reentry_keeps=True,
    )  # fmt: skip
    driver.division.refresh_from_db()
    fixture = driver.ready()[0]
    driver.report(fixture, 0)
    assert fixture.match is not None
    loser = fixture.match.players[1]
    entry = driver.division.entries.get(player=loser)
    reenter(entry=entry, after=driver.seq, by=driver.by, now=driver.now())
    while todo := driver.ready():
        for row in todo:
            row.refresh_from_db()
            assert row.match is not None
            side = next((s for s in (0, 1) if row.match.players[s] == loser), 0)
            driver.report(row, side)
    driver.division.refresh_from_db()
    row_of = facts_of([driver.division])[driver.division.pk]
    assert len(row_of.players) == 7
    assert driver.division.entries.count() == 8
    bracket = main_of(row_of)
    assert bracket.players == row_of.players
    assert bracket.placings[0] == (loser.public_id,)
    placed = [player for placing in bracket.placings for player in placing]
    assert len(placed) == len(set(placed)) == 7
    wins = wins_of_all_entries(driver.division, loser)
    assert earned(row_of, {"win": 1})[loser.public_id] == wins >= 2


def wins_of_all_entries(division: Division, player: Player) -> int:
    """Counted from the rows, over all entries of a player."""
    newest = {row.match_id: row for row in Result.objects.select_related("match").order_by("version")}
    return sum(
        row.winner is not None and row.match.players[row.winner] == player and row.match.parent_topic == division.topic
        for row in newest.values()
    )


@pytest.mark.parametrize(("several", "total"), [("sum", 3), ("best", 2)])
def test_a_person_in_several_divisions_gets_the_sum_or_the_best(several: str, total: int, cast: list[Player]) -> None:
    cup = Cup.of(cast, KNOCKOUT, "one")
    other = create_division(tournament=cup.division.tournament, by=SYSTEM, now=NOON, name="Side", match_length=3)
    cup.play(Random(1), wild=False)
    row = season()
    plan = {"points": {"times": [{"division": {"1": 1, "else": 2}}, {"attend": 1}]}, "several_divisions": several}
    services.change_plan(series=row, plan=plan, after=row.seq, by=SYSTEM, now=NOON)
    entries.enter(division=other, players=cast[:4], by=SYSTEM, now=NOON)
    Division.objects.filter(pk=other.pk).update(pool=cup.pool)
    second = Cup(other, cup.pool, KNOCKOUT, cast[:4])
    other.refresh_from_db()
    second.play(Random(1), wild=False)
    totals = {line.player: line.total for line in season_table(row).season.rows}
    assert {totals[player.public_id] for player in cast[:4]} == {total}
    assert {totals[player.public_id] for player in cast[4:]} == {1}


# Voided by a correction


def test_matches_that_a_correction_voids_count_as_wins_only_if_the_plan_says_so(cast: list[Player]) -> None:
    cup = night(cast, "one")
    before = earned(facts(cup), {"win": 1})
    first = next(fixture for fixture in cup.settled() if fixture.round.number == 1)
    assert first.match is not None
    side = Result.objects.filter(match=first.match).latest("version").winner
    assert side is not None
    correction = cup.correct(first, won_by(1 - side), voided_rated=True)
    row = facts(cup)
    voided = [match for match in row.matches if match.how is DecidedBy.VOID]
    assert voided
    won_void = {player: sum(match.winner == player for match in voided) for player in row.players}
    plain, counting = earned(row, {"win": 1}), earned(row, {"win": 1}, voided_wins=True)
    assert {player: counting[player] - plain[player] for player in row.players} == won_void
    assert plain == {player: sum(m.winner == player and m.how is not DecidedBy.VOID for m in row.matches)
                     for player in row.players}  # fmt: skip
    cup.undo(correction)
    assert earned(facts(cup), {"win": 1}, voided_wins=True) == before


@pytest.mark.parametrize("round_", [1, 2])
def test_the_preview_of_a_correction_knows_which_matches_it_voids(cast: list[Player], round_: int) -> None:
    cup = night(cast, "one")
    row = next(fixture for fixture in cup.settled() if fixture.round.number == round_)
    side = Result.objects.filter(match=row.match).latest("version").winner
    assert side is not None
    preview = preview_correction(fixture=row, new=won_by(1 - side), voided_rated=True)
    states = {cup.division.pk: preview.consequences[Choice.CORRECT_ALL].states}
    previewed = facts_of([cup.division], states)[cup.division.pk]
    correction = cup.correct(row, won_by(1 - side), voided_rated=True)
    after = facts(cup)
    assert sorted(map(repr, previewed.matches)) == sorted(map(repr, after.matches))
    assert [match.how for match in after.matches].count(DecidedBy.VOID) >= 1
    back = facts_of([cup.division], {cup.division.pk: preview_undo(correction=correction).all.states})
    cup.undo(correction)
    assert sorted(map(repr, back[cup.division.pk].matches)) == sorted(map(repr, facts(cup).matches))


# The class of an evening


def kinds(row: Series) -> list[str]:
    standing = season_table(row)
    return [standing.plan.class_of(each.facts) for each in standing.nights]


def test_the_class_of_an_evening_follows_from_its_month_unless_a_director_sets_it(cast: list[Player]) -> None:
    cups = [night(cast, "one", seed=1, weeks=8), night(cast, "two", seed=2)]
    months = [NOON - timedelta(weeks=8), NOON]
    assert months[0].month != months[1].month
    row = season()
    assert kinds(row) == ["normal", "normal"]
    points = {"times": [{"class": {"double": 2, "else": 1}}, {"attend": 1}]}
    plan = {"points": points, "class_by_month": {str(NOON.month): "double"}}
    services.change_plan(series=row, plan=plan, after=row.seq, by=SYSTEM, now=NOON)
    assert kinds(row) == ["normal", "double"]
    assert {line.total for line in season_table(row).season.rows} == {3}

    def count(cup: Cup, kind: str) -> None:
        services.count_events(series=row, events=[cup.division.tournament], by=SYSTEM, counts_as=CountsAs(kind=kind))

    count(cups[1], "normal")
    count(cups[0], "double")
    assert kinds(row) == ["double", "normal"]
    count(cups[1], services.BY_MONTH)
    count(cups[0], services.BY_MONTH)
    assert kinds(row) == ["normal", "double"]
    assert set(SeriesEvent.objects.values_list("kind", flat=True)) == {""}


def test_a_director_types_kinds_by_month_and_special_rules(
    cast: list[Player], club: Club, alice_client: Client
) -> None:
    night(cast, "one")
    row = season("usual")
    url = f"/clubs/{club.slug}/seasons/{row.slug}/edit/"
    page = alice_client.get(url).content.decode()
    assert "Kind of evening by month" in page
    form = PlanLinesForm(None, newest_plan(row).plan)
    sent = {line.name: line.text for line in form.lines}
    sent |= {"show_digits": "2", "best": "6", "min_events": "4", "class_by_month": f"{NOON.month}: double"}
    sent |= {"voided_wins": "yes", "tied_wins_share": "yes", "no_shows_attend": "no", "several_divisions": "best"}
    typed = PlanLinesForm(sent, newest_plan(row).plan)
    assert typed.is_valid()
    plan = plan_from(typed.proposed)
    assert (plan.class_by_month, plan.voided_wins, plan.tied_wins_share) == ({NOON.month: "double"}, True, True)
    assert (plan.no_shows_attend, plan.best_division) == (False, True)
    preview = alice_client.get(url, sent, headers={"HX-Request": "true"}).content.decode()
    assert "What changes in the table" in preview
    services.change_plan(series=row, plan=typed.proposed, after=row.seq, by=SYSTEM, now=NOON)
    page = alice_client.get(url).content.decode()
    assert "as the month says" in page
    event = row.counted.get().tournament.public_id
    alice_client.post(f"/clubs/{club.slug}/seasons/{row.slug}/count/", {"event": event, "kind": "normal"})
    assert kinds(row) == ["normal"]
    alice_client.post(f"/clubs/{club.slug}/seasons/{row.slug}/count/", {"event": event, "kind": "by_month"})
    assert kinds(row) == ["double"]
    wrong = alice_client.get(url, {**sent, "class_by_month": "13: double"}, headers={"HX-Request": "true"})
    assert "out of range" in wrong.content.decode()
    again = PlanLinesForm(None, newest_plan(row).plan)
    assert again["class_by_month"].value() == f"{NOON.month}: double"


def test_a_plan_that_tells_no_kinds_apart_has_no_kinds_by_month(cast: list[Player], club: Club) -> None:
    row = season("motor_racing")
    form = PlanLinesForm(None, newest_plan(row).plan)
    assert "class_by_month" not in {field.name for field in form.rule_fields}
    untouched = PlanLinesForm({"show_digits": "1"}, {**newest_plan(row).plan, "voided_wins": True})
    assert untouched.is_valid()
    assert plan_from(untouched.proposed).voided_wins
