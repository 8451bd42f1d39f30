"""The script that checks a published draw, run on the data that the site publishes."""

import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from players.actors import Actor
from tests.tournaments.support.played_stages import drawn_as
from tournaments.formats.settings import StageSettings
from tournaments.models import Division

pytestmark = pytest.mark.django_db
API = "/api/v1/"
VERIFY = Path(__file__).resolve().parents[2] / "tools/verify_draw.py"


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


def test_the_site_serves_the_script_it_links_to(drawn: Callable[..., Division], client: Client) -> None:
    division = drawn(4)
    page = client.get(f"/clubs/{division.tournament.club.slug}/commitments/").content.decode()
    assert "tools/verify_draw" in page
    assert finders.find("tools/verify_draw.py") == str(VERIFY)
