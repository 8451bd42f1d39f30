"""The page of the format designer, with its preview for the current entries."""

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from formats.elimination.byes import LowerByes
from formats.forecast.forecasts import FAULT, Remark
from formats.plans import MAX_STAGES
from formats.presets import PRESETS, preset
from formats.settings import DEFAULT_TIEBREAKS, FORMATS, StageSettings
from players.actors import Actor
from players.models import LogEntry, Player, User
from tests.event_cast import NOW, RunningEvent
from tests.pages import html
from tests.tournaments.support.designer import designer_data
from tests.tournaments.support.pages import division_url, text
from tournaments.draws import services as draws
from tournaments.draws.designer.forms import initial_of
from tournaments.draws.designer.page import _remark
from tournaments.draws.lists import DraftStage
from tournaments.entries import services as entries
from tournaments.models import Division, Draw, Stage
from tournaments.state.format_labels import PRESET_NAMES
from tournaments.state.places import entries_in
from tournaments.state.stages import set_stages, stage_settings

pytestmark = pytest.mark.django_db


@pytest.fixture
def tonight(open_division: Division, make_players: Callable[[int], list[Player]], by_alice: Actor) -> Division:
    """A division with thirteen entries."""
    entries.enter(division=open_division, players=make_players(13), by=by_alice, now=NOW)
    open_division.refresh_from_db()
    return open_division


def totals(html: str) -> str:
    match = re.search(r'<p class="muted small totals"[^>]*>(.*?)</p>', html)
    assert match
    return match[1]


def shown(client: Client, division: Division, data: dict[str, Any], status: int = 200) -> str:
    response = client.post(division_url(division) + "format/show/", data)
    assert response.status_code == status
    return html(response)


def test_the_page_previews_the_format_for_the_current_entries(alice_client: Client, tonight: Division) -> None:
    html = alice_client.get(division_url(tonight) + "draw/").content.decode()
    assert totals(html).startswith("13 players · 12 matches · 4 rounds · about ")
    for name in PRESET_NAMES.values():
        assert escape(str(name)) in html
    assert 'value="13"' in html


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_fills_in_all_stages_and_stores_nothing(name: str, alice_client: Client, tonight: Division) -> None:
    players = 12 if name == "league" else 13
    html = shown(alice_client, tonight, designer_data(tonight, preset=name, players=players))
    assert totals(html).startswith(f"{players} players · ")
    assert "impossible" not in html
    assert stage_settings(tonight) == [StageSettings()]


def test_every_preset_has_its_button() -> None:
    assert list(PRESETS) == list(PRESET_NAMES)


def test_a_preset_can_be_saved_as_it_is(alice_client: Client, tonight: Division) -> None:
    for name in PRESETS:
        tonight.refresh_from_db()
        chosen = list(preset(name, 12))
        stages = [
            {key: "" if value is None else value for key, value in initial_of(settings).items()} for settings in chosen
        ]
        response = alice_client.post(division_url(tonight) + "format/", designer_data(tonight, *stages))
        assert response.status_code == 302, name
        assert response.headers["Location"] == division_url(tonight) + "draw/"
        assert stage_settings(tonight) == chosen


@pytest.mark.slow
def test_saving_stores_and_logs_the_tables_of_the_event(alice_client: Client, tonight: Division) -> None:
    alice_client.post(
        division_url(tonight) + "format/", designer_data(tonight, {"format": "swiss", "rounds": 5}, tables=7)
    )
    tonight.tournament.refresh_from_db()
    assert tonight.tournament.tables == 7
    lines = {
        entry.verb: entry.params["changes"] for entry in LogEntry.objects.order_by("pk") if "changes" in entry.params
    }
    assert lines["stages_changed"] == {"format": ["knockout", "swiss rounds=5 edition=2026-03-01"]}
    assert lines["tournament_changed"] == {"tables": [None, 7]}
    assert (
        "changed the format"
        in alice_client.get(division_url(tonight).rsplit("/", 2)[0] + "/console/log/").content.decode()
    )
    assert "Swiss, 5 rounds" in alice_client.get(division_url(tonight) + "draw/").content.decode()


def test_every_setting_is_read_from_the_form(alice_client: Client, tonight: Division) -> None:
    swiss = {
        "format": "swiss", "shown": "swiss", "rounds": "", "lengths": "5 7", "order": "fold",
        "next_round": "ask", "countdown": "60",
        "missed_points": "0.5", "allow_rematches": "yes", "qualifiers": 8,
        "tiebreak1": "buchholz", "tiebreak2": "wins", "tiebreak3": "", "tiebreak4": "buchholz", "tiebreak5": "",
            "edition": "2023-09-01",
    }  # fmt: skip
    final = {
        "format": "progressive", "shown": "progressive", "pattern": "own", "own_pattern": "A.B.|.",
        "last_chance": "A.", "lengths": "9", "lower_lengths": "7 9", "last_lengths": "3",
    }  # fmt: skip
    assert alice_client.post(division_url(tonight) + "format/", designer_data(tonight, swiss, final)).status_code == 302
    first, second = stage_settings(tonight)
    assert first.as_data() == {
        "lengths": [5, 7], "order": "fold",
        "next_round": "ask", "countdown": 60, "missed_points": 0.5, "allow_rematches": True,
        "qualifiers": 8, "tiebreaks": ["buchholz", "wins"], "edition": "2023-09-01",
    }  # fmt: skip
    assert second.as_data() == {
        "lengths": [9], "lower_lengths": [7, 9], "last_lengths": [3], "pattern": "A.B.|.", "last_chance": "A.",
    }  # fmt: skip
    assert stage_settings(tonight) == [first, second]


def test_default_tie_breaks_are_stored_as_defaults(alice_client: Client, tonight: Division) -> None:
    for name in DEFAULT_TIEBREAKS:
        tonight.refresh_from_db()
        stage = {
            "format": name,
            "shown": name,
            **{k: v for k, v in initial_of(StageSettings(name)).items() if v is not None},
        }
        alice_client.post(division_url(tonight) + "format/", designer_data(tonight, stage))
        assert stage_settings(tonight) == [StageSettings(name)]


def test_htmx_gets_a_fragment_and_other_clients_the_whole_page(alice_client: Client, tonight: Division) -> None:
    data = designer_data(tonight, {"format": "double", "second_final": "yes"})
    part = alice_client.post(
        division_url(tonight) + "format/show/", data, headers={"HX-Request": "true"}
    ).content.decode()
    whole = shown(alice_client, tonight, data)
    assert "<html" not in part
    assert "<html" in whole
    assert totals(part) == totals(whole)
    assert "24–25 matches" in totals(part)


def test_an_error_is_shown_beside_its_field_until_it_is_fixed(alice_client: Client, tonight: Division) -> None:
    def preview_with(lengths: str, **more: Any) -> Any:
        data = designer_data(tonight, {"format": "knockout", "lengths": lengths}) | more
        return alice_client.post(division_url(tonight) + "format/show/", data, headers={"HX-Request": "true"})

    assert "HX-Retarget" not in preview_with("5").headers
    wrong = preview_with("five")
    assert (wrong.headers["HX-Retarget"], wrong.headers["HX-Reselect"]) == ("#design", "#design")
    assert 'name="faulty"' in wrong.content.decode()
    assert preview_with("5", faulty="1").headers["HX-Retarget"] == "#design"


def test_a_custom_pattern_starts_with_the_proposed_one(alice_client: Client, tonight: Division) -> None:
    chosen = {"format": "progressive", "shown": "progressive", "pattern": "own", "last_chance": "own"}
    html = shown(alice_client, tonight, designer_data(tonight, chosen))
    assert 'name="s1-own_pattern" value="A.B.|.C.|."' in html
    assert 'name="s1-own_last_chance" value="A."' in html
    assert totals(html).startswith("13 players · ")


def test_another_format_shows_its_own_settings(alice_client: Client, tonight: Division) -> None:
    # The page still held the fields of the knockout when the format was changed.
    html = shown(
        alice_client, tonight, designer_data(tonight, {"shown": "knockout", "format": "lives", "lengths": "5"})
    )
    assert 'name="s1-lives"' in html
    assert 'name="s1-pattern"' not in html
    assert 'value="5"' in html


def test_a_stage_is_added_and_removed(alice_client: Client, tonight: Division) -> None:
    groups = {"format": "groups", "shown": "groups", "groups": 4}
    html = shown(alice_client, tonight, designer_data(tonight, groups, new_count=2))
    assert 'name="s2-format"' in html
    assert re.search(r'name="s1-qualifiers" value="2"', html)
    assert totals(html).startswith("13 players · 22 matches · 3 rounds, then 3 rounds")
    html = shown(
        alice_client, tonight, designer_data(tonight, groups | {"qualifiers": 2}, {"format": "knockout"}, new_count=1)
    )
    assert 'name="s2-format"' not in html
    assert totals(html).startswith("13 players · 15 matches · 3 rounds ·")
    full = [{"format": "swiss", "qualifiers": 4}] * MAX_STAGES
    assert "Add a stage" not in shown(alice_client, tonight, designer_data(tonight, *full))


def test_an_impossible_format_shows_its_reason(alice_client: Client, tonight: Division) -> None:
    html = shown(alice_client, tonight, designer_data(tonight, {"format": "swiss", "rounds": 14}))
    assert "With 13 players, 14 rounds need rematches. Most rounds without: 13." in text(html)
    html = shown(alice_client, tonight, designer_data(tonight, {"format": "knockout"}, closes="20:30"))
    assert "min after closing time" in text(html)


@pytest.mark.parametrize(
    ("stage", "evening", "sentence"),
    [
        ({"format": "swiss", "lengths": "5 99"}, {}, "not 99"),
        ({"format": "swiss", "rounds": "many"}, {}, "Enter a whole number"),
        ({"format": "progressive", "pattern": "own", "own_pattern": "A.B?"}, {}, "is not allowed in a pattern"),
        ({"format": "progressive", "pattern": "own", "own_pattern": ""}, {}, "The pattern is empty"),
        ({"format": "progressive", "last_chance": "B.A."}, {}, "must be in alphabetical order"),
        ({"format": "ladder"}, {}, "Select a valid choice"),
        ({"format": "roundrobin", "win": 1, "loss": 1}, {}, "is not a valid value"),
        ({"format": "swiss"}, {"tables": 0}, "greater than or equal to 1"),
        ({"format": "swiss"}, {"players": "x"}, "Enter a whole number"),
    ],
)
def test_submitted_values_are_kept_after_a_refusal(
    stage: dict[str, Any], evening: dict[str, Any], sentence: str, alice_client: Client, tonight: Division
) -> None:
    data = designer_data(tonight, stage | {"lengths": stage.get("lengths", "3 5")}, **evening)
    response = alice_client.post(division_url(tonight) + "format/", data)
    html = response.content.decode()
    assert response.status_code == 422
    assert sentence in text(html)
    assert f'value="{data["s1-lengths"]}"' in html
    assert stage_settings(tonight) == [StageSettings()]


def test_a_missing_number_of_qualifiers_is_shown_beside_its_stage(alice_client: Client, tonight: Division) -> None:
    data = designer_data(tonight, {"format": "swiss", "lengths": "3 5"}, {"format": "knockout"})
    response = alice_client.post(division_url(tonight) + "format/", data)
    assert response.status_code == 422
    assert "Choose how many players qualify from stage 1" in text(response.content.decode())
    assert 'value="3 5"' in response.content.decode()


def test_a_stale_form_shows_the_changes_and_keeps_its_values(
    alice_client: Client, tonight: Division, by_alice: Actor
) -> None:
    data = designer_data(tonight, {"format": "lives", "lives": 5, "lengths": "3 5"})
    set_stages(division=tonight, stages=[StageSettings("double")], after=tonight.seq, by=by_alice, now=timezone.now())
    response = alice_client.post(division_url(tonight) + "format/", data)
    html = response.content.decode()
    assert response.status_code == 409
    assert "changed the format" in text(html)
    assert 'value="3 5"' in html
    assert 'value="5"' in html
    assert stage_settings(tonight) == [StageSettings("double")]
    tonight.refresh_from_db()
    assert alice_client.post(division_url(tonight) + "format/", data | {"after": tonight.seq}).status_code == 302


def test_the_format_cannot_be_changed_after_the_draw(alice_client: Client, running: RunningEvent) -> None:
    html = alice_client.get(running.division_url + "draw/").content.decode()
    assert "The draw is published." in html
    assert "Save format" not in html
    response = alice_client.post(running.division_url + "format/", designer_data(running.division, {"format": "swiss"}))
    assert response.status_code == 409
    assert "the draw is published" in response.content.decode()
    assert stage_settings(running.division) == [StageSettings()]


def test_a_draft_of_another_format_is_discarded_and_drawn_again(
    alice_client: Client, tonight: Division, by_alice: Actor
) -> None:
    draw = draws.request_draw(division=tonight, by=by_alice, now=NOW)
    draws.make_draft(draw_id=draw.pk, now=NOW)
    tonight.refresh_from_db()
    alice_client.post(division_url(tonight) + "format/", designer_data(tonight, {"format": "groups", "groups": 3}))
    draw.refresh_from_db()
    assert draw.state == Draw.State.DISCARDED
    html = alice_client.get(division_url(tonight) + "draw/").content.decode()
    reason = re.search(r'name="reason"[^>]*value="([^"]+)"', html)
    assert reason
    alice_client.post(division_url(tonight) + "draw/request/", {"reason": reason[1]})
    again = Draw.objects.get(stage__division=tonight, number=2)
    draws.make_draft(draw_id=again.pk, now=NOW)
    again.refresh_from_db()
    assert (again.state, len(again.places)) == (Draw.State.DRAFT, 15)


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_has_its_page(name: str, alice_client: Client, tonight: Division) -> None:
    html = shown(alice_client, tonight, designer_data(tonight, {"format": name, "shown": name}, players=12))
    assert totals(html).startswith("12 players · ")
    assert f'name="s1-shown" value="{name}"' in html


def test_each_way_to_decide_byes_has_its_minutes_beside_it_and_the_choice_is_stored(
    alice_client: Client, tonight: Division
) -> None:
    chosen = {"format": "progressive", "shown": "progressive", "lower_byes": "lots"}
    page = shown(alice_client, tonight, designer_data(tonight, chosen, players=13))
    lines, lots = re.findall(r"first losers wait (\d+) min on average, up to (\d+) min", page)
    assert [int(minutes) for minutes in lines] < [int(minutes) for minutes in lots]
    assert re.search(r"Expected rematches: \d\.\d on fixed lines, \d\.\d by lot\.", page)
    alice_client.post(division_url(tonight) + "format/", designer_data(tonight, chosen, players=13))
    assert stage_settings(tonight)[0].lower_byes is LowerByes.LOTS


def test_an_event_without_entries_has_a_preview(alice_client: Client, open_division: Division) -> None:
    assert totals(alice_client.get(division_url(open_division) + "draw/").content.decode()).startswith(
        "16 players · 15 matches"
    )


def test_only_directors_may_use_the_designer(
    tonight: Division, erin: User, frank: User, dave: User, as_user: Callable[[User | None], Client]
) -> None:
    data = designer_data(tonight, {"format": "swiss"})
    for user in (erin, frank, dave):
        client = as_user(user)
        assert client.get(division_url(tonight) + "draw/").status_code == 403
        assert client.post(division_url(tonight) + "format/", data).status_code == 403
        assert client.post(division_url(tonight) + "format/show/", data).status_code == 403
    assert stage_settings(tonight) == [StageSettings()]


def test_queries_do_not_grow_with_the_number_of_entries(
    alice_client: Client, tonight: Division, make_players: Callable[[int], list[Player]], by_alice: Actor,
    django_assert_max_num_queries: Any,
) -> None:  # fmt: skip
    def update() -> None:
        alice_client.post(
            division_url(tonight) + "format/show/",
            designer_data(tonight, preset="groups"),
            headers={"HX-Request": "true", "Accept-Language": "en"},
        )

    # Five of them for how many people are told.
    with django_assert_max_num_queries(19):
        update()
    entries.enter(division=tonight, players=make_players(60), by=by_alice, now=NOW)
    with django_assert_max_num_queries(19):
        update()
    assert entries_in(tonight) == 73


@pytest.mark.parametrize(
    ("several", "stage", "params", "begins"),
    [
        (True, 2, {"going_on": 8, "entrants": 5}, "Stage 2: 8 players are to qualify"),
        (False, 1, {"going_on": 8, "entrants": 5}, "8 players are to qualify"),
        (True, None, {"going_on": 8, "entrants": 5}, "8 players are to qualify"),
    ],
)
def test_a_remark_names_its_stage_where_there_are_several(
    several: bool, stage: int | None, params: dict[str, int], begins: str
) -> None:
    assert _remark(Remark(FAULT, "qualifiers_too_many", params, stage), several).startswith(begins)


def test_a_draft_says_so_if_any_line_is_drawn_later() -> None:
    def stage(*by_lot: str) -> DraftStage:
        columns = [SimpleNamespace(by_lot=text) for text in by_lot]
        tree: Any = SimpleNamespace(sections=[SimpleNamespace(columns=columns)])
        return DraftStage(Stage(), trees=[tree])

    assert stage("", "some lines by lot", "").drawn_later
    assert not stage("", "").drawn_later
