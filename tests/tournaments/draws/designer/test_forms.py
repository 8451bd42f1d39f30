"""The forms of the format designer: initial values, parsing, and where refusals are shown."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from engine.errors import Refused
from formats.presets import preset
from formats.settings import StageSettings
from players.actors import Actor
from tests.event_cast import NOW
from tests.tournaments.support.designer import designer_data
from tests.tournaments.support.pages import division_url
from tournaments.draws.designer.forms import DesignerForm
from tournaments.draws.designer.page import DesignerPage
from tournaments.models import Division
from tournaments.state.stages import set_stages, stage_settings

pytestmark = pytest.mark.django_db
ZONE = ZoneInfo("Europe/Copenhagen")
MakeDivision = Callable[..., Division]


def submitted_page(division: Division, *stages: dict[str, Any], **evening: Any) -> DesignerPage:
    """Return the state of the page after submitting these stages."""
    data = {name: str(value) for name, value in designer_data(division, *stages, **evening).items()}
    return DesignerPage.of_form(division, ZONE, DesignerForm(data))


def names(fields: list[Any]) -> set[str]:
    return {field.name for field in fields}


# The evening


def test_before_any_entry_the_preview_is_for_the_capacity(make_division: MakeDivision) -> None:
    evening = DesignerPage.of_division(make_division(capacity=24), ZONE).evening

    assert (evening["players"].value(), evening["tables"].value()) == ("24", "12")


@pytest.mark.parametrize(("hours", "closes"), [(6, "19:00"), (72, ""), (None, "17:00")])
def test_the_closing_time_is_the_end_of_an_evening_but_not_of_a_season_or_else_four_hours_later(
    hours: int | None, closes: str, make_division: MakeDivision
) -> None:
    division = make_division()
    event = division.tournament
    event.ends_at = None if hours is None else event.starts_at + timedelta(hours=hours)

    assert DesignerPage.of_division(division, ZONE).evening["closes"].value() == closes


def test_a_preset_suits_the_submitted_number_of_players(make_division: MakeDivision) -> None:
    assert preset("groups", 40) != preset("groups", 16)

    assert submitted_page(make_division(), preset="groups", players=40).settings == list(preset("groups", 40))


# Stages


def test_the_only_stage_cannot_be_removed(make_division: MakeDivision) -> None:
    knockout, swiss = {"format": "knockout"}, {"format": "swiss", "qualifiers": 4}

    assert submitted_page(make_division(), knockout).fewer_stages is None
    assert submitted_page(make_division(name="Other"), swiss, knockout).fewer_stages == 1


@pytest.mark.parametrize(("stage", "going_on"), [({"format": "groups", "groups": 4}, 2), ({"format": "swiss"}, 8)])
def test_adding_a_stage_presets_two_qualifiers_per_group_or_eight(
    stage: dict[str, Any], going_on: int, make_division: MakeDivision
) -> None:
    design = submitted_page(make_division(), stage, new_count=2)

    assert design.settings is not None
    assert design.settings[0].qualifiers == going_on


def test_qualifiers_survive_a_change_of_format_and_the_last_stage_has_none(make_division: MakeDivision) -> None:
    first = {"shown": "knockout", "format": "swiss", "qualifiers": 6}

    design = submitted_page(make_division(), first, {"format": "knockout", "qualifiers": 3})

    assert design.settings is not None
    assert [stage.qualifiers for stage in design.settings] == [6, None]


@pytest.mark.parametrize(
    ("code", "field"),
    [
        ("stage_qualifiers", "qualifiers"),
        ("group_count", "groups"),
        ("pattern_empty", "pattern"),
        ("rounds_with_rematches", "rounds"),
    ],
)
def test_a_refusal_is_shown_beside_the_field_of_its_stage(code: str, field: str, make_division: MakeDivision) -> None:
    groups = {"format": "groups", "groups": 2, "qualifiers": 2}
    design = submitted_page(make_division(), groups, {"format": "knockout"})

    design.refuse(Refused(code, stage=1, groups=9, least=2, entries=4, rounds=4, most=3))

    assert list(design.stages[0].errors) == [field]
    assert not design.stages[1].errors
    assert design.faults == []


def test_a_refusal_without_a_stage_is_shown_above_all_stages(make_division: MakeDivision) -> None:
    design = submitted_page(make_division(), {"format": "knockout"})

    design.refuse(Refused("stale"))

    assert len(design.faults) == 1
    assert not design.stages[0].errors


# The fields of a stage


def test_lengths_of_the_last_chance_are_shown_only_if_there_is_one(make_division: MakeDivision) -> None:
    (without_last_chance,) = submitted_page(make_division(), {"format": "progressive", "last_chance": "none"}).stages
    (with_last_chance,) = submitted_page(
        make_division(name="Other"), {"format": "progressive", "last_chance": "auto"}
    ).stages

    assert "last_lengths" not in names(without_last_chance.basic)
    assert "last_lengths" in names(with_last_chance.basic)


@pytest.mark.parametrize(("order", "open_"), [("", False), ("fold", True)])
def test_more_settings_are_open_if_one_differs_from_its_default(
    order: str, open_: bool, make_division: MakeDivision
) -> None:
    chosen = {"order": order} if order else {}

    (stage,) = submitted_page(make_division(), {"format": "swiss", "shown": "swiss", **chosen}).stages

    assert stage.more_open is open_


def test_a_chosen_pattern_that_does_not_suit_the_field_stays_in_the_list(make_division: MakeDivision) -> None:
    (stage,) = submitted_page(make_division(), {"format": "progressive", "pattern": "A.|.|.B."}, players=32).stages

    assert "A.|.|.B." in dict(stage.fields["pattern"].choices)


def test_a_stage_without_lengths_is_checked_with_those_of_the_division(make_division: MakeDivision) -> None:
    table = {"format": "roundrobin", "shown": "roundrobin", "tiebreak1": "point_difference"}

    (stage,) = submitted_page(make_division(round_lengths=[5, 7]), table).stages

    assert list(stage.errors) == ["tiebreak1"]
    assert submitted_page(make_division(name="Other", round_lengths=[5]), table).settings is not None


# The page


def test_saving_leads_back_to_the_page_of_the_division(alice_client: Client, open_division: Division) -> None:
    response = alice_client.post(
        division_url(open_division) + "format/", designer_data(open_division, {"format": "swiss"})
    )

    assert response.headers["Location"] == division_url(open_division) + "draw/"


def test_a_refusal_renders_the_whole_page(alice_client: Client, open_division: Division) -> None:
    data = designer_data(open_division, {"format": "ladder"})

    response = alice_client.post(division_url(open_division) + "format/", data, headers={"HX-Request": "true"})

    assert response.status_code == 422
    assert "<html" in response.content.decode()


def test_a_stale_form_can_be_submitted_again(alice_client: Client, open_division: Division, by_alice: Actor) -> None:
    data = designer_data(open_division, {"format": "lives"})
    set_stages(division=open_division, stages=[StageSettings("double")], after=open_division.seq, by=by_alice, now=NOW)

    html = alice_client.post(division_url(open_division) + "format/", data).content.decode()

    open_division.refresh_from_db()
    assert f'name="after" value="{open_division.seq}"' in html


def test_a_division_is_only_found_under_the_url_of_its_event(alice_client: Client, open_division: Division) -> None:
    elsewhere = division_url(open_division).replace(open_division.tournament.slug, "another")

    assert alice_client.get(elsewhere + "draw/").status_code == 404
    assert (
        alice_client.post(elsewhere + "format/show/", designer_data(open_division, {"format": "swiss"})).status_code
        == 404
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "value"), [("stages", ""), ("stages", "0"), ("stages", "99"), ("new_count", "x"), ("preset", "whatever")]
)
def test_missing_or_unknown_designer_fields_are_refused(
    make_division: MakeDivision, alice_client: Client, field: str, value: str
) -> None:
    division = make_division()
    data = designer_data(division, {"format": "swiss", "rounds": 5}) | {field: value}
    response = alice_client.post(division_url(division) + "format/", data)
    assert response.status_code == 422
    assert ("Preset:" if field == "preset" else "Stages:") in response.content.decode()
    division.refresh_from_db()
    assert [stage.format for stage in stage_settings(division)] == ["knockout"]
