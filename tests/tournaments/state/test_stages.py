"""The formats of a division, set by its director before the draw."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from engine.errors import Refused
from formats.graph import BYE, DrawnSeat, EntrySource, LoserOf, PlaceOf, Source, WinnerOf
from formats.settings import StageSettings
from players.actors import Actor
from players.models import LogEntry, Player
from tests.event_cast import NOON
from tournaments.draws.services import make_draft, publish_draw, request_draw
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.events.deadlines import set_deadlines
from tournaments.models import Division, Draw, Entry, Stage
from tournaments.state.plans import source_fields, source_of
from tournaments.state.stages import round_deadlines, set_stages, stage_settings

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

GROUPS = StageSettings("groups", groups=4, qualifiers=2)
KNOCKOUT = StageSettings("knockout")


@pytest.fixture
def choose(make_division: Callable[..., Division], by_alice: Actor) -> Callable[..., list[Stage]]:
    """Sets the stages of a division, having seen its latest state unless told otherwise."""

    def set_them(division: Division, *stages: StageSettings, **options: Any) -> list[Stage]:
        division.refresh_from_db()
        options.setdefault("after", division.seq)
        return set_stages(division=division, stages=stages, by=by_alice, now=NOON, **options)

    return set_them


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.code


def test_a_division_is_a_knockout_until_something_else_is_set(
    make_division: Callable[..., Division], choose: Callable[..., list[Stage]]
) -> None:
    division = make_division()
    assert stage_settings(division) == [KNOCKOUT]
    stages = choose(division, GROUPS, KNOCKOUT)
    assert [(stage.number, stage.format) for stage in stages] == [(1, "groups"), (2, "knockout")]
    assert stage_settings(division) == [GROUPS, KNOCKOUT]


def test_the_first_stage_keeps_its_seed_whose_hash_was_seen(
    make_division: Callable[..., Division], choose: Callable[..., list[Stage]]
) -> None:
    division = make_division()
    seen = division.stages.get().seed_hash
    first, second = choose(division, GROUPS, KNOCKOUT)
    assert first.seed_hash == seen
    assert second.seed_hash != seen
    assert choose(division, StageSettings("swiss"))[0].seed_hash == seen
    assert division.stages.count() == 1


def test_deadlines_outlive_a_change_of_format(
    make_division: Callable[..., Division], choose: Callable[..., list[Stage]], by_alice: Actor
) -> None:
    division = make_division()
    deadlines = [NOON + timedelta(days=7)]
    set_deadlines(division=division, deadlines=deadlines, after=division.seq, by=by_alice, now=NOON)
    choose(division, StageSettings("swiss", rounds=4))
    assert round_deadlines(division.stages.get()) == deadlines


def test_what_is_set_twice_changes_nothing(
    make_division: Callable[..., Division], choose: Callable[..., list[Stage]]
) -> None:
    division = make_division()
    choose(division, GROUPS, KNOCKOUT)
    division.refresh_from_db()
    before = division.seq
    logged = LogEntry.objects.count()
    choose(division, GROUPS, KNOCKOUT)
    division.refresh_from_db()
    assert (division.seq, LogEntry.objects.count()) == (before, logged)


def test_the_tables_are_those_of_the_event(
    make_division: Callable[..., Division], choose: Callable[..., list[Stage]]
) -> None:
    division = make_division()
    choose(division, KNOCKOUT, tables=7)
    division.tournament.refresh_from_db()
    assert division.tournament.tables == 7
    choose(division, StageSettings("swiss"))
    division.tournament.refresh_from_db()
    assert division.tournament.tables == 7


@pytest.mark.parametrize(
    ("stages", "code"),
    [
        ([], "stage_count"),
        ([StageSettings("swiss", qualifiers=4)] * 6, "stage_count"),
        ([StageSettings("ladder")], "no_such_format"),
        ([StageSettings("swiss"), KNOCKOUT], "stage_qualifiers"),
        ([StageSettings("swiss", qualifiers=1), KNOCKOUT], "stage_qualifiers"),
        ([StageSettings("swiss", qualifiers=5), StageSettings("groups", groups=3)], "group_count"),
        ([StageSettings("swiss", rounds=0)], "bad_setting"),
        ([StageSettings("lives", lives=1)], "bad_setting"),
        ([StageSettings("swiss", lengths=(0,))], "bad_length"),
        ([StageSettings("swiss", tiebreaks=("beauty",))], "unknown_tiebreak"),
        ([StageSettings("progressive", last_chance="B.A.")], "pattern_letter_order"),
    ],
)
def test_what_cannot_be_played_is_refused_and_changes_nothing(
    stages: list[StageSettings],
    code: str,
    make_division: Callable[..., Division],
    choose: Callable[..., list[Stage]],
) -> None:
    division = make_division()
    assert refusal(lambda: choose(division, *stages, tables=5)) == code
    assert stage_settings(division) == [KNOCKOUT]
    division.tournament.refresh_from_db()
    assert division.tournament.tables is None


def test_points_won_minus_lost_need_one_length_of_the_stage_or_the_division(
    make_division: Callable[..., Division], choose: Callable[..., list[Stage]]
) -> None:
    division = make_division(round_lengths=[5, 7])
    points = StageSettings("swiss", tiebreaks=("point_difference",))
    assert refusal(lambda: choose(division, points)) == "tiebreak_needs_one_length"
    choose(division, StageSettings("swiss", tiebreaks=("point_difference",), lengths=(7,)))


def test_whoever_has_not_seen_the_latest_is_refused(
    make_division: Callable[..., Division], choose: Callable[..., list[Stage]]
) -> None:
    division = make_division()
    choose(division, StageSettings("swiss"))
    assert refusal(lambda: choose(division, KNOCKOUT, after=0)) == "stale"
    assert stage_settings(division) == [StageSettings("swiss")]


def test_after_the_draw_nothing_is_set(drawn: Callable[..., Division], choose: Callable[..., list[Stage]]) -> None:
    division = drawn(4)
    assert refusal(lambda: choose(division, StageSettings("swiss"))) == "division_drawn"


@pytest.mark.parametrize("state", [Draw.State.REQUESTED, Draw.State.DRAFT])
def test_a_draft_of_the_format_before_is_discarded(
    state: str,
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    choose: Callable[..., list[Stage]],
    by_alice: Actor,
) -> None:
    division = make_division()
    entries.enter(division=division, players=make_players(6), by=by_alice, now=NOON)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOON)
    draw = request_draw(division=division, by=by_alice, now=NOON)
    if state == Draw.State.DRAFT:
        make_draft(draw_id=draw.pk, now=NOON)
    choose(division, StageSettings("double"))
    draw.refresh_from_db()
    assert draw.state == Draw.State.DISCARDED
    make_draft(draw_id=draw.pk, now=NOON)
    draw.refresh_from_db()
    assert draw.state == Draw.State.DISCARDED


@pytest.mark.parametrize(
    "stages",
    [
        [StageSettings("progressive", last_chance="", pattern="A.B.|.C.|.")],
        [StageSettings("double", second_final=True, pattern="A.B.C.D.|.")],
        [StageSettings("swiss", rounds=3)],
        [StageSettings("lives", lives=2)],
        [StageSettings("roundrobin", twice=True)],
        [GROUPS, StageSettings("progressive")],
        [StageSettings("swiss", rounds=2, qualifiers=4), StageSettings("roundrobin")],
    ],
)
def test_what_is_set_is_what_is_drawn(
    stages: list[StageSettings],
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    choose: Callable[..., list[Stage]],
    by_alice: Actor,
) -> None:
    division = make_division()
    entries.enter(division=division, players=make_players(13), by=by_alice, now=NOON)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOON)
    choose(division, *stages)
    draw = request_draw(division=division, by=by_alice, now=NOON)
    make_draft(draw_id=draw.pk, now=NOON)
    division.refresh_from_db()
    publish_draw(division=division, after=division.seq, by=by_alice, now=NOON)
    brackets = {bracket.key for bracket in division.stages.get(number=1).brackets.all()}
    expected = {
        "progressive": {"main", "consolation", "last_chance"},
        "double": {"main", "lower", "final"},
        "swiss": {"rounds"},
        "lives": {"rounds"},
        "roundrobin": {"table"},
        "groups": {"A", "B", "C", "D"},
    }
    assert brackets == expected[stages[0].format]
    assert Entry.objects.filter(division=division).count() == 13


@pytest.mark.parametrize(
    "source",
    [EntrySource(4), WinnerOf(3), LoserOf(3), PlaceOf("1:A", 2), DrawnSeat("consolation", 3, 2), BYE],
    ids=lambda source: type(source).__name__,
)
def test_the_source_of_a_slot_is_read_as_it_was_stored(source: Source) -> None:
    fields = source_fields(source)
    assert source == source_of(
        fields["source"],
        fields.get("source_entry_id"),
        fields.get("source_fixture"),
        fields.get("source_stage", ""),
        fields.get("source_place"),
    )
