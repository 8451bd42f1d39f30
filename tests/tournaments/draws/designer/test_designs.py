"""What the forms of the draw designer begin with, what they take, and where a refusal is said."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from engine.errors import Refused
from players.actors import Actor
from tests.tournaments.conftest import NOW
from tests.tournaments.draws.designer.test_designer import typed
from tests.tournaments.support.pages import division_url
from tournaments.draws.designer.forms.designer import DesignerForm
from tournaments.draws.designer.page import DesignerPage
from tournaments.formats.presets import preset
from tournaments.formats.settings import StageSettings
from tournaments.models import Division
from tournaments.state.stages import set_stages, stage_settings

pytestmark = pytest.mark.django_db
ZONE = ZoneInfo("Europe/Copenhagen")
MakeDivision = Callable[..., Division]


def sent(division: Division, *stages: dict[str, Any], **evening: Any) -> DesignerPage:
    """The page as it was sent."""
    data = {name: str(value) for name, value in typed(division, *stages, **evening).items()}
    return DesignerPage.of_form(division, ZONE, DesignerForm(data))


def names(fields: list[Any]) -> set[str]:
    return {field.name for field in fields}


# The evening


def test_before_anybody_is_entered_it_is_for_as_many_as_there_are_places(make_division: MakeDivision) -> None:
    evening = DesignerPage.of_division(make_division(capacity=24), ZONE).evening

    assert (evening["players"].value(), evening["tables"].value()) == ("24", "12")


@pytest.mark.parametrize(("hours", "closes"), [(6, "19:00"), (72, ""), (None, "")])
def test_the_room_closes_when_an_evening_ends_and_not_when_a_season_does(
    hours: int | None, closes: str, make_division: MakeDivision
) -> None:
    division = make_division()
    event = division.tournament
    event.ends_at = None if hours is None else event.starts_at + timedelta(hours=hours)

    assert DesignerPage.of_division(division, ZONE).evening["closes"].value() == closes


def test_what_is_filled_in_fits_the_number_that_was_typed(make_division: MakeDivision) -> None:
    assert preset("groups", 40) != preset("groups", 16)

    assert sent(make_division(), preset="groups", players=40).settings == list(preset("groups", 40))


# Stages


def test_there_is_always_a_stage(make_division: MakeDivision) -> None:
    one, two = {"format": "knockout"}, {"format": "swiss", "qualifiers": 4}

    assert sent(make_division(), one).fewer_stages is None
    assert sent(make_division(name="Other"), two, one).fewer_stages == 1


@pytest.mark.parametrize(("stage", "going_on"), [({"format": "groups", "groups": 4}, 2), ({"format": "swiss"}, 8)])
def test_a_stage_that_is_added_takes_two_of_each_group_or_eight(
    stage: dict[str, Any], going_on: int, make_division: MakeDivision
) -> None:
    design = sent(make_division(), stage, wanted=2)

    assert design.settings is not None
    assert design.settings[0].qualifiers == going_on


def test_how_many_go_on_outlasts_another_format_and_nobody_goes_on_from_the_last(make_division: MakeDivision) -> None:
    first = {"shown": "knockout", "format": "swiss", "qualifiers": 6}

    design = sent(make_division(), first, {"format": "knockout", "qualifiers": 3})

    assert design.settings is not None
    assert [stage.qualifiers for stage in design.settings] == [6, None]


@pytest.mark.parametrize(
    ("code", "field"), [("stage_qualifiers", "qualifiers"), ("group_count", "groups"), ("pattern_empty", "pattern")]
)
def test_a_refusal_is_said_beside_the_field_of_the_stage_it_is_about(
    code: str, field: str, make_division: MakeDivision
) -> None:
    groups = {"format": "groups", "groups": 2, "qualifiers": 2}
    design = sent(make_division(), groups, {"format": "knockout"})

    design.refuse(Refused(code, stage=1, groups=9, least=2, entries=4))

    assert list(design.stages[0].errors) == [field]
    assert not design.stages[1].errors
    assert design.faults == []


def test_a_refusal_of_no_stage_is_said_above_all(make_division: MakeDivision) -> None:
    design = sent(make_division(), {"format": "knockout"})

    design.refuse(Refused("stale"))

    assert len(design.faults) == 1
    assert not design.stages[0].errors


# The fields of a stage


def test_the_length_of_the_last_chance_is_asked_where_there_is_one(make_division: MakeDivision) -> None:
    (without,) = sent(make_division(), {"format": "progressive", "last_chance": "none"}).stages
    (with_one,) = sent(make_division(name="Other"), {"format": "progressive", "last_chance": "auto"}).stages

    assert "last_lengths" not in names(without.basic)
    assert "last_lengths" in names(with_one.basic)


@pytest.mark.parametrize(("order", "open_"), [("", False), ("fold", True)])
def test_what_stands_behind_more_is_open_where_it_is_not_as_usual(
    order: str, open_: bool, make_division: MakeDivision
) -> None:
    chosen = {"order": order} if order else {}

    (stage,) = sent(make_division(), {"format": "swiss", "shown": "swiss", **chosen}).stages

    assert stage.more_open is open_


def test_a_pattern_that_does_not_fit_the_field_stays_on_the_list(make_division: MakeDivision) -> None:
    (stage,) = sent(make_division(), {"format": "progressive", "pattern": "A.|.|.B."}, players=32).stages

    assert "A.|.|.B." in dict(stage.fields["pattern"].choices)


def test_where_a_stage_has_no_lengths_those_of_the_division_are_checked(make_division: MakeDivision) -> None:
    table = {"format": "roundrobin", "shown": "roundrobin", "tiebreak1": "point_difference"}

    (stage,) = sent(make_division(round_lengths=[5, 7]), table).stages

    assert list(stage.errors) == ["tiebreak1"]
    assert sent(make_division(name="Other", round_lengths=[5]), table).settings is not None


# The page


def test_whoever_enters_nobody_yet_goes_on_to_the_entries(alice_client: Client, open_division: Division) -> None:
    response = alice_client.post(division_url(open_division) + "format/", typed(open_division, {"format": "swiss"}))

    assert response.headers["Location"] == division_url(open_division) + "entries/"


def test_a_refused_page_is_a_whole_one(alice_client: Client, open_division: Division) -> None:
    data = typed(open_division, {"format": "ladder"})

    response = alice_client.post(division_url(open_division) + "format/", data, headers={"HX-Request": "true"})

    assert response.status_code == 422
    assert "<html" in response.content.decode()


def test_whoever_was_too_late_can_send_it_again(alice_client: Client, open_division: Division, by_alice: Actor) -> None:
    data = typed(open_division, {"format": "lives"})
    set_stages(division=open_division, stages=[StageSettings("double")], after=open_division.seq, by=by_alice, now=NOW)

    html = alice_client.post(division_url(open_division) + "format/", data).content.decode()

    open_division.refresh_from_db()
    assert f'name="after" value="{open_division.seq}"' in html


def test_a_division_is_found_under_its_own_event_alone(alice_client: Client, open_division: Division) -> None:
    elsewhere = division_url(open_division).replace(open_division.tournament.slug, "another")

    assert alice_client.get(elsewhere + "format/").status_code == 404
    assert alice_client.post(elsewhere + "format/show/", typed(open_division, {"format": "swiss"})).status_code == 404


@pytest.mark.parametrize(
    ("field", "value"), [("stages", ""), ("stages", "0"), ("stages", "99"), ("wanted", "x"), ("preset", "whatever")]
)
def test_a_missing_or_unknown_frame_is_refused_and_nothing_is_stored(
    make_division: MakeDivision, alice_client: Client, field: str, value: str
) -> None:
    division = make_division()
    data = typed(division, {"format": "swiss", "rounds": 5}) | {field: value}
    response = alice_client.post(division_url(division) + "format/", data)
    assert response.status_code == 422
    assert ("Preset:" if field == "preset" else "Stages:") in response.content.decode()
    division.refresh_from_db()
    assert [stage.format for stage in stage_settings(division)] == ["knockout"]
