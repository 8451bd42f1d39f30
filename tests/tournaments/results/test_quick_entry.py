"""A typed line becomes a result."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from engine.errors import Refused
from formats.settings import ROUND_ROBIN, StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import NOON
from tests.tournaments.support.played_stages import drawn_as
from tests.tournaments.support.swiss_rounds import is_clean
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.floor.lines import enter_lines
from tournaments.models import Division, Fixture, Slot, Tournament
from tournaments.results import services as results
from tournaments.results.lines import MAX_LINES
from tournaments.results.quick_entry import LineOutcome, enter_line, forfeit_missing

pytestmark = pytest.mark.django_db
Drawn = Callable[..., Division]


def enter(division: Division, text: str, by: Actor, *, on_screen: Division | None = None) -> Result:
    return enter_line(tournament=division.tournament, text=text, division=on_screen, by=by, now=NOON)


def fixture_of(result: Result) -> Fixture:
    """The fixture that was entered."""
    return Fixture.objects.get(match=result.match)


def refusal(division: Division, text: str, by: Actor, *, on_screen: Division | None = None) -> str:
    with pytest.raises(Refused) as refused:
        enter(division, text, by, on_screen=on_screen)
    return refused.value.code


def test_a_score_is_booked_in_the_order_of_the_fixture(drawn: Drawn, by_alice: Actor) -> None:
    done = enter(drawn(4), "m1 3-7", by_alice)
    assert (done.winner, done.score, done.kind) == (1, (3, 7), Result.Kind.PLAYED)


def test_a_forfeit_by_either_player_or_both(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    fixtures = {row.number: row for row in division.stages.get().fixtures.select_related("match__player_1")}
    assert fixtures[1].match is not None
    single = enter(division, f"m1 forfeit {fixtures[1].match.player_1.name}", by_alice)
    both = enter(division, "m2 forfeit both", by_alice)
    assert (single.winner, single.kind) == (0, Result.Kind.FORFEIT)
    assert (both.winner, both.kind) == (None, Result.Kind.DOUBLE_FORFEIT)


def test_a_repeated_line_changes_nothing_and_another_score_is_refused(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    first, second = (enter(division, "m1 7-3", by_alice) for _twice in range(2))
    assert first == second
    assert refusal(division, "m1 7-4", by_alice) == "line_settled"
    assert refusal(division, "m1 forfeit both", by_alice) == "line_settled"
    assert Result.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("m9 7-3", "line_no_fixture"),
        ("m3 7-3", "fixture_not_ready"),
        ("m1 6-3", "result_not_reached"),
        ("m1 forfeit nobody", "line_forfeit_nobody"),
        ("juniors m1 7-3", "line_no_division"),
        ("undo", "line_no_result"),
        ("help", "line_no_result"),
    ],
)
def test_a_line_that_cannot_be_booked_says_why(drawn: Drawn, by_alice: Actor, text: str, code: str) -> None:
    assert refusal(drawn(4), text, by_alice) == code
    assert not Result.objects.exists()


def test_match_numbers_are_unique_in_the_event(drawn: Drawn, tournament: Tournament, by_alice: Actor) -> None:
    first = drawn(2, name="Open", match_length=5)
    tournament.refresh_from_db()
    second = drawn(2, name="Masters", match_length=7)
    assert fixture_of(enter(first, "m1 5-0", by_alice, on_screen=second)).stage.division == first
    assert fixture_of(enter(first, "masters m2 7-0", by_alice, on_screen=first)).stage.division == second


def test_duplicate_numbers_of_older_events_need_the_division(
    drawn: Drawn, tournament: Tournament, by_alice: Actor
) -> None:
    first = drawn(2, name="Open", match_length=5)
    tournament.refresh_from_db()
    second = drawn(2, name="Masters", match_length=7)
    Fixture.objects.filter(stage__division=second).update(number=1)
    assert refusal(first, "m1 5-0", by_alice) == "line_which_division"
    assert fixture_of(enter(first, "m1 5-0", by_alice, on_screen=first)).stage.division == first
    assert fixture_of(enter(first, "masters m1 7-0", by_alice, on_screen=first)).stage.division == second


def test_a_player_with_two_open_matches_is_named_with_the_number(
    make_division: Callable[..., Division], by_alice: Actor
) -> None:
    players = [Player.objects.create(name=name) for name in ("Bob", "Carol", "Dave")]
    division = drawn_as(make_division(match_length=7), [StageSettings(ROUND_ROBIN)], players, by_alice)
    assert refusal(division, "carol 7-3", by_alice) == "line_which_match"


def test_more_than_a_hundred_lines_at_once_are_refused(drawn: Drawn, by_alice: Actor) -> None:
    text = "\n".join(["m1 7-3"] * (MAX_LINES + 1))
    with pytest.raises(Refused, match="too_many_results"):
        enter_lines(tournament=drawn(2).tournament, text=text, division=None, by=by_alice, now=NOON)
    assert not Result.objects.exists()


def test_a_match_with_a_result_is_not_forfeited_by_a_tap(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    enter(division, "m1 7-3", by_alice)
    fixture = Fixture.objects.select_related("stage__division").get(stage__division=division, number=1)
    with pytest.raises(Refused, match="no_show_late"):
        forfeit_missing(fixture=fixture, side=0, by=by_alice, now=NOON)


def test_a_ruling_has_a_reason(drawn: Drawn, by_alice: Actor) -> None:
    fixture = Fixture.objects.select_related("stage__division").get(stage__division=drawn(4), number=1)
    with pytest.raises(Refused, match="ruling_needs_reason"):
        results.rule(fixture=fixture, winner=0, score=None, reason="  ", by=by_alice, now=NOON)
    assert not Result.objects.exists()


# Names


@pytest.fixture
def field(make_division: Callable[..., Division], by_alice: Actor) -> Division:
    """Four who are drawn: Bob, Carol, Ann, Anna."""
    division = make_division()
    players = [Player.objects.create(name=name) for name in ("Bob Bergmann", "Carol Csonka", "Ann", "Anna Berg")]
    entries.enter(division=division, players=players, by=by_alice, now=NOON)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOON)
    draw = draws.request_draw(division=division, by=by_alice, now=NOON)
    draws.make_draft(draw_id=draw.pk, now=NOON)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by_alice, now=NOON)
    return division


def points_of(done: Result, name: str) -> int:
    """What somebody has in a result, by their name."""
    assert done.score is not None
    return done.score[[player.name for player in done.match.players].index(name)]


def other(division: Division, name: str) -> str:
    """Whom somebody meets first."""
    rows = Fixture.objects.filter(stage__division=division, match__isnull=False).select_related("match__player_0")
    pairs = [[player.name for player in row.match.players] for row in rows if row.match is not None]
    pair = next(pair for pair in pairs if name in pair)
    return pair[1 - pair.index(name)]


def test_a_name_means_the_open_match_and_its_points_come_first(field: Division, by_alice: Actor) -> None:
    done = enter(field, "bergmann 4-7", by_alice)
    assert points_of(done, "Bob Bergmann") == 4
    assert points_of(done, other(field, "Bob Bergmann")) == 7


def test_two_names_have_a_score_each(field: Division, by_alice: Actor) -> None:
    rival = other(field, "Carol Csonka")
    done = enter(field, f"csonka 7 {rival.lower()} 2", by_alice)
    assert (points_of(done, "Carol Csonka"), points_of(done, rival)) == (7, 2)


def test_a_full_name_takes_precedence_over_a_part_of_a_name(field: Division, by_alice: Actor) -> None:
    assert points_of(enter(field, "ann 7-1", by_alice), "Ann") == 7


def test_an_ambiguous_name_is_refused_with_the_candidates(field: Division, by_alice: Actor) -> None:
    assert refusal(field, "berg 7-1", by_alice) == "line_name_ambiguous"
    assert refusal(field, "zoe 7-1", by_alice) == "line_nobody"
    assert not Result.objects.exists()


def test_who_forfeits_by_name_loses(field: Division, by_alice: Actor) -> None:
    done = enter(field, "csonka forfeit", by_alice)
    assert done.winner is not None
    assert done.match.players[done.winner].name == other(field, "Carol Csonka")


def test_the_same_line_again_does_not_become_the_result_of_the_next_match(field: Division, by_alice: Actor) -> None:
    rival = other(field, "Bob Bergmann")
    enter(field, "bergmann 7-4", by_alice)
    assert fixture_of(enter(field, "bergmann 7-4", by_alice)).number in (1, 2)
    someone = next(name for name in ("Carol Csonka", "Ann", "Anna Berg") if name != rival)
    enter(field, f"{someone} 7-0", by_alice)
    assert refusal(field, "bergmann 7-4", by_alice) == "line_again"
    assert Result.objects.count() == 2


# Several at once, and undo


def lines(division: Division, text: str, by: Actor) -> list[LineOutcome]:
    return enter_lines(tournament=division.tournament, text=text, division=None, by=by, now=timezone.now())


def test_each_of_several_lines_has_its_outcome(drawn: Drawn, by_alice: Actor) -> None:
    outcomes = lines(drawn(4), "m1 7-3; m9 7-1\nm2 0-7;?", by_alice)
    assert [outcome.what for outcome in outcomes] == ["booked", "refused", "booked", "help"]
    assert outcomes[1].refused is not None
    assert outcomes[1].refused.code == "line_no_fixture"
    assert Result.objects.count() == 2


NAMES = ["Bob Bergmann", "Carol Csonka", "Ann", "Anna Berg", "Dan O’Hara", "Ōta Yui", "Søren Ægir", "Mary-Jane Li"]


@pytest.fixture
def eight(drawn: Drawn) -> Division:
    """A knockout of eight with names as people have them."""
    division = drawn(8)
    for entry, name in zip(division.entries.select_related("player"), NAMES, strict=True):
        entry.player.name = name
        entry.player.save()
    return division


@pytest.mark.parametrize("form", ["{a} – {b} {x}-{y}", "{b} vs {a}: {y}:{x}", "{a}\t{b}\t{x}\t{y}", "{b} {y} {a} {x}"])
def test_a_whole_evening_is_pasted_in_any_order_and_once(
    eight: Division, by_alice: Actor, settings: Any, form: str
) -> None:
    """Of the results of everybody against everybody, those of the matches that a knockout had are taken."""
    settings.RESULT_UNDO_SECONDS = 5.0
    pasted = [
        form.format(a=strong, b=weak, x=7, y=random.Random(strong + weak).randrange(7))
        for place, strong in enumerate(NAMES)
        for weak in NAMES[place + 1 :]
    ]
    random.Random(form).shuffle(pasted)
    outcomes = lines(eight, "\n".join(pasted), by_alice)
    left = [row for row in outcomes if not row.is_done]
    assert len(outcomes) - len(left) == Result.objects.count() == 7
    assert {row.refused.code for row in left if row.refused} == {"line_not_paired"}
    final = Fixture.objects.get(stage__division=eight, number=7)
    assert final.match is not None
    assert NAMES[0] in [player.name for player in final.match.players]

    before = list(Result.objects.order_by("pk").values())
    again = lines(eight, "\n".join(pasted), by_alice)
    assert [row.what for row in again] == [row.what for row in outcomes]
    assert list(Result.objects.order_by("pk").values()) == before


def test_a_list_pasted_again_decides_no_later_match(eight: Division, by_alice: Actor) -> None:
    division = eight
    first = Fixture.objects.select_related("match__player_0").get(stage__division=division, number=1).match
    assert first is not None
    name = first.player_0.name
    pasted = f"{name} 7-1\nm2 7-0\n{name} 7-2\nm3 7-0\nm4 7-0"
    assert all(row.is_done for row in lines(division, pasted, by_alice))
    lines(division, "m6 7-0", by_alice)
    [earlier, _m2, later, _m3, _m4] = lines(division, pasted, by_alice)
    assert earlier.refused is not None
    assert later.refused is not None
    assert (earlier.refused.code, later.refused.code) == ("line_again", "line_again")
    assert Result.objects.count() == 6


def test_a_refusal_knows_the_match_and_what_was_typed_for_it(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    lines(division, "m1 7-3", by_alice)
    (refused,) = lines(division, "m1 7-4", by_alice)
    assert refused.fixture is not None
    assert (refused.fixture.number, refused.new) == (1, ResultInput(0, (7, 4), "played"))


def standing(division: Division) -> list[tuple[Any, ...]]:
    slots = Slot.objects.filter(fixture__stage__division=division).order_by("fixture__number", "side")
    return list(slots.values_list("fixture__number", "fixture__status", "side", "status", "entry"))


def test_undo_takes_back_the_last_line_so_that_it_can_be_entered_again(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    lines(division, "m1 7-3", by_alice)
    before = standing(division)
    lines(division, "m2 7-3", by_alice)
    (undone,) = lines(division, "undo", by_alice)
    assert (undone.what, undone.fixture.number if undone.fixture else 0) == ("undone", 2)
    assert standing(division) == before
    assert is_clean(division)
    assert [outcome.what for outcome in lines(division, "m2 3-7; undo; undo", by_alice)] == [
        "booked",
        "undone",
        "undone",
    ]
    assert [outcome.what for outcome in lines(division, "undo; m1 7-0; m2 7-0", by_alice)] == [
        "refused",
        "booked",
        "booked",
    ]
    assert is_clean(division)


def test_undo_is_of_ones_own_lines_only(drawn: Drawn, by_alice: Actor, carol: User) -> None:
    division = drawn(4)
    lines(division, "m1 7-3", by_alice)
    (outcome,) = lines(division, "undo", Actor.of(carol))
    assert outcome.refused is not None
    assert outcome.refused.code == "nothing_to_undo"


def test_undo_is_refused_once_the_next_match_has_its_score(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    lines(division, "m1 7-3; m2 7-3", by_alice)
    final = Fixture.objects.get(stage__division=division, number=3)
    results.enter_result(fixture=final, result=ResultInput(0, (7, 0)), by=by_alice, now=timezone.now())
    (outcome,) = lines(division, "undo m1", by_alice)
    assert outcome.refused is not None
    assert outcome.refused.code == "undo_built_on"
    assert Match.objects.filter(state="void").count() == 0


def test_undo_is_refused_once_the_result_was_corrected(drawn: Drawn, by_alice: Actor) -> None:
    division = drawn(4)
    lines(division, "m1 7-3", by_alice)
    first = Fixture.objects.get(stage__division=division, number=1)
    results.enter_result(fixture=first, result=ResultInput(0, (7, 0)), by=by_alice, now=timezone.now())
    (outcome,) = lines(division, "undo", by_alice)
    assert outcome.refused is not None
    assert outcome.refused.code == "undo_built_on"
