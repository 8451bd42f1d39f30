"""The script that checks a published draw, run on the data that the site publishes."""

import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from formats.settings import StageSettings
from formats.swiss.event import Order
from players.actors import Actor
from players.models import Player
from tests.tournaments.support.played_stages import drawn_as
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.draws.kept_apart import keep_apart
from tournaments.models import Division

pytestmark = pytest.mark.django_db
API = "/api/v1/"
VERIFY = Path(__file__).resolve().parents[2] / "verify/verify_draw.py"


def script(name: str, *arguments: Any) -> list[str]:
    result: list[str] = runpy.run_path(str(VERIFY))[name](*arguments)
    return result


def verify(draw: dict[str, Any]) -> list[str]:
    return script("verify", draw)


@pytest.mark.parametrize("method", ["random", "rating"])
def test_everybody_can_repeat_a_published_draw_with_the_script(
    drawn: Callable[..., Division], client: Client, method: str
) -> None:
    division = drawn(13, draw_method=method)
    draw = client.get(f"{API}divisions/{division.public_id}/draws/1/").json()
    assert len(draw["places"]) == 16
    assert verify(draw) == []
    swapped = {**draw, "places": [draw["places"][1], draw["places"][0], *draw["places"][2:]]}
    assert verify(swapped) == ["This seed leads to a different draw."]
    assert "hash" in verify({**draw, "seed": "00" * 32})[0]


def test_everybody_can_check_a_draw_against_the_list_of_the_club_and_an_older_copy(
    drawn: Callable[..., Division], client: Client
) -> None:
    division = drawn(13)
    draw = client.get(f"{API}divisions/{division.public_id}/draws/1/").json()
    rows = client.get(f"{API}clubs/{division.tournament.club.slug}/commitments/").json()["results"]
    assert script("verify_in_list", draw, rows) == []
    assert script("verify_history", rows, rows) == []

    (line,) = rows
    later = {**line, "at": "2099-01-01T00:00:00Z"}
    assert "after the draft" in script("verify_in_list", draw, [later])[0]
    other = {**line, "seed_hash": "0" * 64}
    assert script("verify_in_list", draw, [other]) == ["Line 1 has a different seed_hash."]
    assert script("verify_in_list", draw, [{**line, "number": 7}]) == ["The list has no line 1."]
    assert script("verify_history", [other], rows) == ["Line 1: seed_hash was changed."]
    assert script("verify_history", [], rows) == ["Line 1 was removed."]
    assert "draft 1 was changed" in script("verify_history", [{**line, "drafts": []}], rows)[0]


def test_the_script_runs_on_its_own_and_repeats_a_round_robin(
    make_division: Callable[..., Division], make_players: Any, by_alice: Actor, client: Client, tmp_path: Path
) -> None:
    division = drawn_as(make_division(), [StageSettings("roundrobin")], make_players(7), by_alice)
    draw = tmp_path / "draw.json"
    rows = tmp_path / "list.json"
    draw.write_bytes(client.get(f"{API}divisions/{division.public_id}/draws/1/").content)
    rows.write_bytes(client.get(f"{API}clubs/{division.tournament.club.slug}/commitments/").content)

    done = subprocess.run([sys.executable, "-I", VERIFY, draw, rows, rows], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "The draw follows from its seed.\n")
    draw_data = json.loads(draw.read_text())
    draw_data["places"] = draw_data["places"][::-1]
    draw.write_text(json.dumps(draw_data))
    done = subprocess.run([sys.executable, "-I", VERIFY, draw, rows], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "This seed leads to a different draw.\n")


KINDS: dict[str, tuple[StageSettings, int, dict[str, Any]]] = {
    "knockout": (StageSettings("knockout"), 11, {}),
    "seeded": (StageSettings("knockout"), 11, {"draw_method": "rating"}),
    "consolation": (StageSettings("progressive"), 13, {}),
    "round robin": (StageSettings("roundrobin"), 6, {}),
    "groups": (StageSettings("groups", groups=3), 10, {}),
    "seeded groups": (StageSettings("groups", groups=3), 10, {"draw_method": "rating"}),
    "snake": (StageSettings("groups", groups=3, group_draw="snake"), 10, {"draw_method": "rating"}),
    "swiss": (StageSettings("swiss", rounds=4), 12, {}),
    "odd swiss": (StageSettings("swiss", rounds=3), 9, {}),
    "swiss with rematches": (StageSettings("swiss", rounds=5, allow_rematches=True), 4, {}),
    "folded swiss": (StageSettings("swiss", rounds=3, order=Order.FOLD), 8, {}),
    "large swiss": (StageSettings("swiss", rounds=3), 24, {}),
    "lives": (StageSettings("lives", lives=2), 9, {}),
}
APART = ("knockout", "groups", "swiss", "lives")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "apart"), [*((kind, False) for kind in KINDS), *((kind, True) for kind in APART)])
def test_the_script_repeats_draws_of_every_kind(
    kind: str,
    apart: bool,
    make_division: Callable[..., Division],
    make_players: Any,
    by_alice: Actor,
    alice_client: Client,
    client: Client,
) -> None:
    stage, count, chosen = KINDS[kind]
    driver = DivisionDriver(make_division(**chosen), by_alice)
    entries = driver.enter(make_players(count))
    if apart:
        for first, second in ((0, 1), (2, 3), (1, 4)):
            keep_apart(first=entries[first], second=entries[second], by=by_alice, now=driver.now())
    driver.begin(stage)
    if kind in ("knockout", "consolation") and not apart:
        driver.late(Player.objects.create(name="Louise"), Player.objects.create(name="Gram"))
    driver.play_out(Random(kind))

    path = f"{API}divisions/{driver.division.public_id}/draws/"
    draws = alice_client.get(path).json()["results"]
    assert draws
    for draw in draws:
        assert verify(draw) == []
        assert script("limits", draw) == script("later_limits", draw) == []
        assert draw["later_lots"] or stage.format == "knockout"
        assert any(map(verify, spoiled(draw))) or len(draw["places"]) == 2
    for draw in client.get(path).json()["results"]:
        assert verify(draw) == []
        assert bool(script("limits", draw)) == apart


def spoiled(draw: dict[str, Any]) -> list[dict[str, Any]]:
    """The draw with two places exchanged, in every way that makes other pairs or groups of it."""
    places = draw["places"]
    exchanged = []
    for at in range(2, len(places)):
        other = list(places)
        other[0], other[at] = other[at], other[0]
        exchanged.append({**draw, "places": other})
    return exchanged


def test_the_script_checks_all_rounds_of_a_division_at_once(
    make_division: Callable[..., Division], make_players: Any, by_alice: Actor, client: Client, tmp_path: Path
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(6))
    driver.begin(StageSettings("swiss", rounds=2)).play_out(Random(1))
    rounds, rows = tmp_path / "draws.json", tmp_path / "list.json"
    rounds.write_bytes(client.get(f"{API}divisions/{driver.division.public_id}/draws/").content)
    rows.write_bytes(client.get(f"{API}clubs/{driver.division.tournament.club.slug}/commitments/").content)

    done = subprocess.run([sys.executable, "-I", VERIFY, rounds, rows], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "2 draws follow from their seeds.\n")


def test_a_lot_drawn_later_is_checked(
    make_division: Callable[..., Division], make_players: Any, by_alice: Actor, client: Client
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(11))
    driver.begin(StageSettings("knockout"))
    late = driver.late(Player.objects.create(name="Louise"), Player.objects.create(name="Gram"))
    driver.play_out(Random(1))
    (draw,) = client.get(f"{API}divisions/{driver.division.public_id}/draws/").json()["results"]

    (lot,) = draw["later_lots"]
    assert (lot["key"], len(lot["drawn"]), len(late)) == ("lot:late", 2, 2)
    order = subprocess.run(
        [sys.executable, "-I", VERIFY, "--lot", draw["lots_seed"], "lot:late", str(len(lot["among"]))],
        capture_output=True,
        text=True,
    ).stdout.split()
    numbers = [place["number"] for place in draw["places"]]
    byes = [int(at) for at in order if None in numbers[2 * int(at) - 2 : 2 * int(at)]]
    assert [lot["among"].index(fixture) + 1 for fixture in lot["drawn"]] == byes[:2]
    assert script("later_limits", draw) == []
    last = {**lot, "drawn": [lot["among"][byes[-1] - 1]]}
    assert "have to have been out of reach" in script("later_limits", {**draw, "later_lots": [last]})[0]
    assert verify({**draw, "lots_seed": "00" * 32}) == ["The seed of the later lots does not match its hash."]


def test_the_site_serves_the_script_it_links_to(drawn: Callable[..., Division], client: Client) -> None:
    division = drawn(4)
    page = client.get(f"/clubs/{division.tournament.club.slug}/commitments/").content.decode()
    assert "tools/verify_draw" in page
    assert finders.find("tools/verify_draw.py") == str(VERIFY)
