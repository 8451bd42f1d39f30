"""The files of standings and pairings: the same as the API's answers, and safe in a spreadsheet."""

import csv
import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from formats.tables.tiebreaks import TIEBREAKS
from players.actors import Actor
from players.models import Player
from tests.event_cast import alice_client, as_user, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import STAGES, drawn_as, play
from tournaments.models import Division
from tournaments.standings import exports

__all__ = ["alice_client", "as_user", "by_alice", "club", "make_division", "make_players", "tournament"]

pytestmark = pytest.mark.django_db

Row = dict[str, str]


@pytest.fixture
def staged(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Callable[..., Division]:
    """A division in one of the formats of STAGES, half played."""

    def make(name: str, count: int = 9) -> Division:
        division = drawn_as(make_division(name="Open", match_length=7), STAGES[name], make_players(count), by_alice)
        play(division, by_alice, random.Random(3), most=9)
        return division

    return make


def files(client: Client, division: Division, name: str, query: str = "") -> tuple[list[Row], dict[str, Any]]:
    """The rows of the CSV by their heads, and the JSON."""
    event = division.tournament
    address = f"/events/{event.club.slug}/{event.slug}/{division.public_id}/{name}"
    answer = client.get(f"{address}.csv{query}")
    text = answer.getvalue().decode()
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert not text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text))), json.loads(client.get(f"{address}.json{query}").content)


def plain(value: Any) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("name", STAGES)
def test_standings_read_back_from_csv_are_those_of_the_json(
    name: str, staged: Callable[..., Division], client: Client
) -> None:
    rows, body = files(client, staged(name), "standings")
    expected = []
    for stage in body["stages"]:
        for table in stage["tables"]:
            for line in table["rows"]:
                around = {"stage": stage["number"], "format": stage["format"], "table": table["key"]}
                around |= {"after_round": table["after_round"], "last_place": line["place"]}
                kept = {key: value for key, value in line.items() if key not in ("tiebreaks", "rounds", "why")}
                kept |= around | dict.fromkeys(TIEBREAKS) | line["tiebreaks"]
                kept["rounds"] = " ".join(map(exports.round_text, line["rounds"]))
                kept["why"] = " ".join(reason["sentence"] for reason in line["why"])
                expected.append({key: plain(value) for key, value in kept.items()})
        for bracket in stage["brackets"]:
            for place in bracket["places"]:
                for entry in place["entries"]:
                    around = {"stage": stage["number"], "format": stage["format"], "table": bracket["key"]}
                    around |= {"place": place["first"], "last_place": place["last"], **entry}
                    expected.append(
                        dict.fromkeys(exports.STANDING_COLUMNS, "")
                        | {key: plain(value) for key, value in around.items()}
                    )
    assert expected or name in ("double", "progressive", "knockout")
    assert rows == expected
    assert all(row["name"].startswith("Player ") for row in rows)


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("query", ["", "?stage=1&round=1"])
def test_pairings_read_back_from_csv_are_those_of_the_json(
    name: str, query: str, staged: Callable[..., Division], client: Client
) -> None:
    rows, body = files(client, staged(name), "pairings", query)
    # Nothing is left to play where nine matches were enough.
    assert len(rows) == len(body["pairings"])
    assert rows or (name, query) == ("knockout", "")
    for row, pairing in zip(rows, body["pairings"], strict=True):
        assert row["winner"] == ("" if pairing["winner"] is None else str(pairing["winner"] + 1))
        for number, side in enumerate(pairing["sides"], start=1):
            assert {key: row[f"{key}_{number}"] for key in side} == {key: plain(value) for key, value in side.items()}
        for key in ("bracket", "round", "board", "match_number", "length", "status", "bye_kind", "result_kind"):
            assert row[key] == plain(pairing[key])
        assert (row["bye_kind"] != "") == (row["status"] == "bye")
        assert {row["stands_1"], row["stands_2"]} <= {"entry", "bye", "walkover", "to_be_decided"}


def test_no_name_becomes_a_formula(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
    alice_client: Client,
) -> None:
    names = ["=HYPERLINK(1)", "+1", "-2+3", "@SUM(A1)", "\tTab"]
    players = make_players(5)
    for player, name in zip(players, names, strict=True):
        Player.objects.filter(pk=player.pk).update(name=name)
    division = drawn_as(make_division(name="Open"), STAGES["round robin"], players, by_alice)
    rows, body = files(alice_client, division, "standings")
    assert sorted(row["name"] for row in rows) == sorted(f"'{name}" for name in names)
    assert {line["name"] for line in body["stages"][0]["tables"][0]["rows"]} == set(names)
    rows, _body = files(alice_client, division, "pairings")
    exported = {row[f"name_{side}"] for row in rows for side in (1, 2)} - {""}
    assert exported
    assert all(name.startswith("'") for name in exported)


def test_the_heads_do_not_depend_on_what_is_in_it(staged: Callable[..., Division], client: Client) -> None:
    division = staged("groups", 8)
    event = division.tournament
    for name, heads in (("standings", exports.STANDING_COLUMNS), ("pairings", exports.PAIRING_COLUMNS)):
        for query in ("", "?stage=1", "?stage=9"):
            address = f"/events/{event.club.slug}/{event.slug}/{division.public_id}/{name}.csv{query}"
            first = client.get(address).getvalue().decode().splitlines(keepends=True)[0]
            assert first.strip().split(",") == list(heads)
    assert all(head == head.lower() and head.replace("_", "").isalnum() for head in exports.STANDING_COLUMNS)
