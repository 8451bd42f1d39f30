"""Points and tables: properties that hold in every season, and rules that a club reads in the plan."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from formats.series.facts import DecidedBy, SeasonEvent, SeriesBracket, SeriesDivision, SeriesMatch, events_from
from formats.series.plan import CountRule, ListOfPoints, Places, TieRule, plan_from
from formats.series.points import event_points
from formats.series.sentences import explain, explain_rank, explain_result
from formats.series.table import Decided, View, season
from formats.series.warnings import warnings_of
from tests.formats.series.random_seasons import NAMES, random_season

MANY = 120
NOTHING = ("bye", "bye_without_round", "walkover", "walkover_without_round", "instead_of")
"""Phrases that earn nothing."""


def seasons():
    for seed in range(MANY):
        data = random_season(seed)
        yield plan_from(data["plan"]), events_from(data["events"])


def evening(name, *placings, day=1, kind="normal", matches=()):
    players = frozenset(player for placing in placings for player in placing)
    bracket = SeriesBracket("main", players, placings)
    division = SeriesDivision("Open", players, (bracket,), tuple(matches))
    return SeasonEvent(name, date(2026, 3, day), (division,), kind)


def places(*points, **settings):
    return {"points": {"place": {"values": {"kind": "list", "points": [str(point) for point in points]}}}, **settings}


def ranks(evaluated):
    return [(row.rank, row.player) for row in evaluated.rows]


def test_shared_places_give_out_what_the_places_are_worth():
    points = ListOfPoints(tuple(Fraction(value) for value in (10, 6, 3, 1)))
    plan = replace(plan_from(places(1)), points=Places(points))
    for placings in ((("a", "b"), ("c", "d", "e")), (("a",), ("b", "c", "d", "e")), (("a", "b", "c", "d", "e"),)):
        earned = event_points(plan, evening("e1", *placings))
        assert sum(own.points for own in earned.values()) == 20


def test_as_many_results_as_evenings_are_a_plain_sum():
    for plan, events in seasons():
        plain = replace(plan, count=CountRule(), round_total=None, decay=None)
        best = replace(plain, count=CountRule(best=len(events)))
        sums = {
            row.player: sum(e[row.player].points for e in season(plain, events).points.values() if row.player in e)
            for row in season(plain, events).rows
        }
        assert {row.player: row.total for row in season(best, events).rows} == sums


def test_an_evening_that_a_player_missed_never_changes_their_total():
    changed = 0
    for plan, events in seasons():
        plan = replace(plan, decay=None, count=replace(plan.count, drop_worst=0))
        before = {row.player: row.total for row in season(plan, events[:-1]).rows}
        for row in season(plan, events).rows:
            if row.player in before and row.player not in events[-1].players:
                assert row.total == before[row.player]
                changed += 1
    assert changed > MANY / 4


def test_whoever_came_has_something_counted_after_every_evening():
    for plan, events in seasons():
        for worst in (1, 2):
            plan = replace(plan, count=replace(plan.count, best=None, drop_worst=worst))
            for over in range(1, len(events) + 1):
                assert all(row.counted for row in season(plan, events[:over]).rows)


def test_other_names_give_the_same_table_with_these_names():
    other = dict(zip(NAMES, ("Kim", "Lea", "Max", "Nia", "Olaf", "Pia"), strict=True))

    def renamed(value):
        if isinstance(value, dict):
            return {other.get(key, key): renamed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [renamed(item) for item in value]
        return other.get(value, value) if isinstance(value, str) else value

    for seed in range(MANY):
        data = random_season(seed)
        before = season(plan_from(data["plan"]), events_from(data["events"]))
        data = renamed(data)
        after = season(plan_from(data["plan"]), events_from(data["events"]))
        assert [(rank, other[player]) for rank, player in ranks(before)] == ranks(after)
        assert [row.total for row in before.rows] == [row.total for row in after.rows]


def test_a_better_place_never_lowers_a_total():
    for plan, events in seasons():
        plan = replace(plan, points=Places(ListOfPoints((Fraction(9), Fraction(5), Fraction(2)))), round_event=None)
        last = events[-1]
        if not last.divisions:
            continue
        division = last.divisions[0]
        main = division.brackets[0]
        if len(main.placings) < 2 or len(main.placings[0]) > 1 or len(main.placings[1]) > 1:
            continue
        swapped = replace(main, placings=(main.placings[1], main.placings[0], *main.placings[2:]))
        better = replace(
            last, divisions=(replace(division, brackets=(swapped, *division.brackets[1:])), *last.divisions[1:])
        )
        (climber,) = main.placings[1]
        before, after = season(plan, events).row(climber), season(plan, (*events[:-1], better)).row(climber)
        if before is not None and after is not None:
            assert after.total >= before.total


def test_a_correction_and_back_gives_the_same_season():
    for plan, events in seasons():
        corrected = (replace(events[0], kind="double", weight=Fraction(7)), *events[1:])
        before = season(plan, events)
        season(plan, corrected)
        assert season(plan, events) == before


def test_the_phrases_of_every_result_add_up_to_the_digits_shown():
    for plan, events in seasons():
        for digits in (0, 2):
            for earned in season(plan, events).points.values():
                for own in earned.values():
                    phrases = explain(own.parts, digits)
                    shown = [Fraction(phrase.params["points"]) for phrase in phrases if phrase.code not in NOTHING]
                    exact = own.points.limit_denominator(10**12)
                    assert abs(sum(shown) - exact) <= Fraction(1, 2 * 10**digits)
                    assert all(phrase.text for phrase in phrases)


def test_a_result_is_explained_in_words():
    plan = plan_from(
        {
            "points": {
                "add": [
                    {"attend": 2},
                    {"win": 1, "by": "root_length"},
                    {"place": {"values": {"kind": "list", "points": [120, 100, 80]}}},
                ]
            },
            "count": {"best": 1},
        }
    )
    matches = (
        SeriesMatch("main", "Ada", None, 7, DecidedBy.BYE, 1, 2),
        SeriesMatch("main", "Ada", "Ben", 7, DecidedBy.PLAYED, 2, 1),
        SeriesMatch("main", "Ada", "Cleo", 7, DecidedBy.PLAYED, 3, 0),
    )
    first = evening("e1", ("Ada", "Ben", "Cleo"), matches=matches)
    evaluated = season(plan, (first, evening("e2", ("Ben",), ("Ada",), day=8)))
    row = evaluated.row("Ada")
    assert [phrase.text for phrase in explain_result(row, row.results[0], 2)] == [
        "2.00 for coming",
        "2 wins to 7 points (main), √7 = 2.65 each: 5.29",
        "bye in round 1: no points",
        "places 1 to 3 of 3 (main) shared: (120 + 100 + 80) ÷ 3 = 100.00",
        "counts as the best evening",
    ]
    assert [phrase.text for phrase in explain_result(row, row.results[1], 2)][-1] == (
        "does not count: only the best evening does"
    )


def test_equal_totals_are_ordered_by_each_rule_in_turn_and_say_so():
    events = (
        evening("e1", ("Ada",), ("Ben",), ("Cleo",)),
        evening("e2", ("Dov",), ("Cleo",), ("Ben",), day=8, matches=(SeriesMatch("main", "Cleo", "Ben", 5),)),
    )
    plan = plan_from(places(10, 6, 4, ties=["best_single", "head_to_head"]))
    evaluated = season(plan, events)
    assert ranks(evaluated) == [(1, "Ada"), (1, "Dov"), (3, "Cleo"), (4, "Ben")]
    reason = evaluated.row("Cleo").reason
    assert explain_rank(reason, 2).text == "ahead of Ben by the matches between them, wins less losses (1 to -1)"
    lots = season(
        plan_from(places(10, 6, 4, ties=["best_single", "lot"])), events, decided=Decided(lots={"Dov": 1, "Ada": 2})
    )
    assert ranks(lots)[:2] == [(1, "Dov"), (2, "Ada")]


def test_a_view_ranks_some_players_with_unchanged_points():
    plan = plan_from(places(10, 6, 4))
    events = (evening("e1", ("Ada",), ("Ben",), ("Cleo",)),)
    ladies = season(plan, events, view=View("ladies", frozenset({"Ada", "Cleo"})))
    assert [(row.rank, row.player, row.total) for row in ladies.rows] == [(1, "Ada", 10), (2, "Cleo", 4)]


def test_who_fills_in_is_no_player_but_is_beaten_like_one():
    matches = (SeriesMatch("main", "Director", "Ben", 5), SeriesMatch("main", "Ada", "Director", 5))
    lines = [{"win": 1}, {"match": 1}, {"attend": 1}]
    plan = plan_from({"points": {"times": [{"place_factor": {"factors": {"1": 2}}}, {"add": lines}]}})
    earned = event_points(plan, evening("e1", ("Ada",), ("Ben",), matches=matches))
    assert {player: own.points for player, own in earned.items()} == {"Ada": 6, "Ben": 2}


@pytest.mark.parametrize(("guests", "points"), [("keep_places", 4), ("close_up", 6)])
def test_guests_keep_their_places_or_close_up(guests, points):
    plan = plan_from(places(10, 6, 4, players=["Ada", "Cleo"], guests=guests))
    evaluated = season(plan, (evening("e1", ("Ada",), ("Ben",), ("Cleo",)),))
    assert [(row.player, row.total) for row in evaluated.rows] == [("Ada", 10), ("Cleo", points)]


def test_at_most_so_many_results_of_a_month_or_class_can_count():
    days = (
        evening("e1", ("Ada",), day=1),
        evening("e2", ("Ada",), day=8, kind="double"),
        evening("e3", ("Ada",), day=15),
    )
    plan = plan_from({"points": {"attend": 2}, "count": {"per_month": 2}})
    assert season(plan, days).row("Ada").counted == ("e1", "e2")
    plan = plan_from({"points": {"attend": 2}, "count": {"per_class": {"double": 0}}})
    row = season(plan, days).row("Ada")
    assert (row.counted, row.total, row.results[1].limited) == (("e1", "e3"), 4, True)


def test_who_has_too_few_evenings_stands_below_the_table_without_a_rank():
    plan = plan_from(places(10, 6, 4, count={"min_events": 2}))
    evaluated = season(plan, (evening("e1", ("Ada",), ("Ben",)), evening("e2", ("Ben",), day=8)))
    assert [(row.rank, row.player, row.more_events) for row in evaluated.rows] == [(1, "Ben", 0), (None, "Ada", 1)]


def test_warnings_name_what_a_director_may_not_have_meant():
    plan = plan_from(places(10, 3, 4, count={"min_events": 7, "best": 6}))
    assert {warning.code for warning in warnings_of(plan, evenings=6)} == {
        "place_below_next",
        "too_few_evenings",
        "late_members",
    }
    months = plan_from(
        {"points": {"attend": 1, "class": {"double": 2}}, "class_by_month": {"5": "dubble", "11": "double"}}
    )
    assert [warning.message for warning in warnings_of(months)] == [
        "The plan has no line for evenings of the class “dubble”."
    ]
    wins = plan_from({"points": {"add": [{"attend": 1}, {"win": 9, "bracket": "consolation"}]}})
    main = SeriesBracket("main", frozenset({"Ada", "Ben"}), (("Ada",), ("Ben",)))
    consolation = SeriesBracket("consolation", frozenset({"Ben"}), (("Ben",),))
    matches = (SeriesMatch("consolation", "Ben", "Ada", 5),)
    event = SeasonEvent("e1", date(2026, 3, 1), (SeriesDivision("Open", main.players, (main, consolation), matches),))
    assert [warning.message for warning in warnings_of(wins, [event], {"e1": event_points(wins, event)})] == [
        "Ben wins the consolation with 10.00, Ada the main bracket with 1.00."
    ]


def test_the_order_by_head_to_head_is_found_again_in_every_smaller_group():
    names = ("Ada", "Ben", "Cleo", "Dov")
    won = [("Ada", "Ben"), ("Cleo", "Dov"), ("Ada", "Dov"), ("Ben", "Cleo"), ("Ben", "Dov"), ("Cleo", "Ada")]
    matches = [SeriesMatch("group1", winner, loser, 5) for winner, loser in won]
    event = evening("e1", names, matches=matches)
    plan = replace(plan_from(places(4)), ties=(TieRule.HEAD_TO_HEAD,))
    assert ranks(season(plan, (event,)))[-1] == (4, "Dov")


def table_of(name, wins, *placings, to_final=None):
    """An event with one bracket of that name in which so many matches were won by each, and a bye by Dov."""
    players = [player for placing in placings for player in placing]
    matches = [
        {"bracket": name, "winner": player, "loser": "a guest", "to_final": to_final}
        for player, count in wins.items()
        for _ in range(count)
    ]
    bye = {"bracket": name, "winner": "Dov", "loser": None, "to_final": to_final}
    bracket = {"name": name, "placings": placings}
    return events_from([{"id": "e1", "divisions": [{"players": players, "brackets": [bracket],
                                                    "matches": [*matches, bye]}]}])  # fmt: skip


def test_equal_wins_in_a_table_share_their_places_if_the_plan_says_so():
    wins = {"Ada": 3, "Ben": 3, "Cleo": 2, "Dov": 1, "Eva": 1}
    order = [["Ben"], ["Ada"], ["Cleo"], ["Dov", "Eva"]]
    points = {False: [10, 8, 6, 3, 3], True: [9, 9, 6, 3, 3]}
    for share, expected in points.items():
        plan = plan_from(places(10, 8, 6, 4, 2, tied_wins_share=share))
        earned = event_points(plan, table_of("main", wins, *order)[0])
        assert [earned[player].points for player in ("Ben", "Ada", "Cleo", "Dov", "Eva")] == expected
    # A knockout has no table.
    plan = plan_from(places(10, 8, 6, 4, 2, tied_wins_share=True))
    earned = event_points(plan, table_of("main", wins, *order, to_final=0)[0])
    assert earned["Ben"].points == 10


def test_the_best_place_is_that_of_the_first_bracket_where_none_is_called_main():
    plan = plan_from({"points": {"attend": 1}, "ties": ["best_place"]})
    assert ranks(season(plan, table_of("swiss", {}, ["Ben"], ["Ada"]))) == [(1, "Ben"), (2, "Ada")]


def test_who_has_no_place_or_nothing_dropped_is_compared_without_a_number_that_means_it():
    event = evening("e1", ("Ada",), ("Ben",))
    event = replace(event, divisions=(replace(event.divisions[0], players=frozenset({"Ada", "Ben", "Cleo"})),))
    evaluated = season(plan_from({"points": {"attend": 1}, "ties": ["best_place"]}), (event,))
    assert explain_rank(evaluated.row("Ben").reason, 2).text == "ahead of Cleo by a better best place (2 to –)"
    nothing = evening("e2", ("Cleo",), ("Ben",), day=8)
    plan = plan_from(places(10, 0, count={"best": 1}, ties=["best_dropped"]))
    evenings = (evening("e1", ("Ada",)), evening("e2", ("Ben",), ("Cleo",)), replace(nothing, id="e3"))
    assert ranks(season(plan, evenings)) == [(1, "Ada"), (1, "Ben"), (1, "Cleo")]


def test_beyond_the_factors_of_a_rank_a_place_has_one_over_the_place_less_one():
    values = {"kind": "log2_rank", "scale": 12, "factors": [1, "0.7"]}
    plan = plan_from({"points": {"place": {"values": values}}})
    earned = event_points(plan, evening("e1", ("Ada",), ("Ben",), ("Cleo",), ("Dov",)))
    assert [earned[player].points for player in ("Ada", "Cleo", "Dov")] == [24, 12, 8]
