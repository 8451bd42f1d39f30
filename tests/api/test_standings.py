"""Standings and pairings by API; among them the FIDE exercise, through a real Swiss division in the database."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from formats.settings import StageSettings
from formats.tables.records import Edition
from formats.tables.tiebreaks import EXPLANATIONS, LABELS
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.actors import Actor
from players.models import Player
from tests.conftest import SHARED_DATA
from tests.tournaments.support.played_stages import NOON, STAGES, drawn_as, play
from tournaments.draws import services as draws
from tournaments.draws.rounds import current_event
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Draw, Entry, Fixture
from tournaments.results import services as results
from tournaments.standings.labels import LIVES_EXPLANATIONS
from tournaments.state.stage_rows import digest, requested_byes
from tournaments.state.stages import set_stages

pytestmark = pytest.mark.django_db

Make = Callable[..., Division]
FIDE = SHARED_DATA / "standings" / "fide_exercise_2023.json"


@pytest.fixture
def staged(make_division: Make, make_players: Callable[[int], list[Player]], by_alice: Actor) -> Make:
    def make(name: str, count: int = 8, most: int | None = None) -> Division:
        division = drawn_as(make_division(name="Open", match_length=7), STAGES[name], make_players(count), by_alice)
        play(division, by_alice, random.Random(5), most=most)
        return division

    return make


def get(client: Client, division: Division, what: str = "standings", **query: int) -> Any:
    answer = client.get(f"/api/v1/divisions/{division.public_id}/{what}/", query)
    assert answer.status_code == 200
    assert answer.headers["ETag"] == f'"{division.seq}"'
    return answer.json()


def test_every_figure_comes_with_its_reason(staged: Make, client: Client) -> None:
    body = get(client, staged("swiss"))
    table = body["stages"][0]["tables"][0]
    assert table["regulations"] == "FIDE Tie-Break Regulations, edition of 1 March 2026"
    assert [tiebreak["code"] for tiebreak in table["tiebreaks"]] == [
        "buchholz_cut_1", "buchholz", "sonneborn_berger", "head_to_head", "lots",
    ]  # fmt: skip
    assert len(table["rows"]) == 8
    for row in table["rows"]:
        reasons = {reason["code"]: reason for reason in row["why"]}
        assert reasons["points"]["sentence"] == f"Points: {row['points']:g}."
        # A Buchholz can be told of everybody; the reasons are those that were needed.
        assert row["tiebreaks"]["buchholz"] is not None
        for code in ("buchholz_cut_1", "buchholz", "sonneborn_berger"):
            if code in reasons:
                assert float(reasons[code]["params"]["value"]) == row["tiebreaks"][code]
        assert row["decided_by"] in (None, "points") or row["tiebreaks"][row["decided_by"]] is not None
        assert set(reasons) <= EXPLANATIONS.keys() | LIVES_EXPLANATIONS.keys()
    assert all(tiebreak["definition"] and tiebreak["reference"] for tiebreak in table["tiebreaks"])
    assert set(LABELS) >= {tiebreak["code"] for tiebreak in table["tiebreaks"]}


@pytest.mark.parametrize("name", STAGES)
def test_the_answer_is_the_json_file(name: str, staged: Make, client: Client) -> None:
    division = staged(name, most=7)
    event = division.tournament
    for what in ("standings", "pairings"):
        file = client.get(f"/events/{event.club.slug}/{event.slug}/{division.public_id}/{what}.json")
        assert json.loads(file.content) == get(client, division, what)


def test_a_draft_is_nobody_elses(make_division: Make, client: Client, alice_client: Client) -> None:
    division = make_division(name="Open")
    for what in ("standings", "pairings"):
        address = f"/api/v1/divisions/{division.public_id}/{what}/"
        assert client.get(address).status_code == 404
        assert alice_client.get(address).status_code == 200


def test_staff_read_full_names(staged: Make, client: Client, alice_client: Client) -> None:
    division = staged("round robin", most=3)
    shy = Entry.objects.filter(division=division).select_related("player")[0]
    Player.objects.filter(pk=shy.player_id).update(name="Dagmar Shy", initials_only=True)

    def names(reader: Client) -> set[str]:
        rows = get(reader, division)["stages"][0]["tables"][0]["rows"]
        paired = [
            side["name"] for pairing in get(reader, division, "pairings")["pairings"] for side in pairing["sides"]
        ]
        assert {row["name"] for row in rows} >= set(paired)
        return {row["name"] for row in rows}

    assert "Dagmar Shy" in names(alice_client)
    assert "Dagmar Shy" not in names(client)


def test_pairings_tell_bye_walkover_and_entry_apart(staged: Make, client: Client, by_alice: Actor) -> None:
    division = staged("swiss", 7, most=0)
    leaver = Fixture.objects.filter(stage__division=division, status="ready")[0].slots.get(side=0).entry
    assert leaver is not None
    entries.withdraw(entry=leaver, by=by_alice, now=NOON)
    division.refresh_from_db()
    body = get(client, division, "pairings", round=1)
    sides_by_status = {
        pairing["status"]: sorted(side["stands"] for side in pairing["sides"]) for pairing in body["pairings"]
    }
    assert sides_by_status == {
        "ready": ["entry", "entry"], "bye": ["bye", "entry"], "decided": ["entry", "walkover"],
    }  # fmt: skip
    assert [pairing["result_kind"] for pairing in body["pairings"] if pairing["status"] == "decided"] == ["walkover"]
    missing = next(side for pairing in body["pairings"] for side in pairing["sides"] if side["stands"] == "walkover")
    assert missing["entry"] == leaver.public_id
    assert [pairing["bye_kind"] for pairing in body["pairings"] if pairing["status"] == "bye"] == ["full"]


# The FIDE exercise

ROW_12 = ["-W4", "+BYE", "+F14", "--", "--"]
"""The row that the shared file lacks, from the others (tests/formats/test_tiebreaks.py says how)."""
BYES = {"+BYE": "full", "=BYE": "half", "--": "requested"}
OWN = {
    "1": ["+W2", "+B3"],
    "2": ["-B1", "=BYE"],
    "3": ["+BYE", "-W1"],
}
"""Three players, two rounds."""
OWN_ANSWERS = {
    # The opponents' points: 2 has 0.5 for his requested bye, 3 has 1 for the other one.
    ("buchholz", "1"): 0.5 + 1.0,
    # For a bye, one's own points.
    ("buchholz", "2"): 2.0 + 0.5,
    ("buchholz", "3"): 1.0 + 2.0,
    # Only what was won: the bye, against a dummy with one's own points.
    ("sonneborn_berger", "3"): 1.0,
    ("sonneborn_berger", "1"): 1.5,
}


class CrosstableDivision:
    """A Swiss division whose rounds are paired and played as a crosstable says."""

    def __init__(self, division: Division, crosstable: dict[str, list[str]], by: Actor) -> None:
        self.division, self.crosstable, self.by = division, crosstable, by
        entered = Entry.objects.filter(division=division).select_related("player")
        self.entries = {entry.player.name.removeprefix("Player "): entry for entry in entered}
        self.stage = division.stages.get()

    def play(self) -> None:
        for at in range(len(next(iter(self.crosstable.values())))):
            self._pair(at)
            for number, cells in self.crosstable.items():
                cell = cells[at]
                if cell not in BYES and int(number) < int(cell.lstrip("+-=WBF")):
                    self._enter(number, cell)
        self.division.refresh_from_db()

    def _pair(self, at: int) -> None:
        """Publishes the round that the crosstable has, as a director could who pairs by hand."""
        places: list[int | None] = []
        byes = {}
        for number, cells in self.crosstable.items():
            entry = self.entries[number].pk
            if cells[at] in BYES:
                byes[str(entry)] = BYES[cells[at]]
            elif int(number) < int(other := cells[at].lstrip("+-=WBF")):
                places += [entry, self.entries[other].pk]
        for entry in byes:
            places += [int(entry), None]
        draw = Draw.objects.filter(stage=self.stage).exclude(state__in=["published", "discarded"]).get()
        draw.places, draw.byes, draw.state = places, byes, Draw.State.DRAFT
        self.division.refresh_from_db()
        event = current_event(self.division, self.stage)
        draw.basis = digest(event, requested_byes(self.stage, event))
        draw.at_once = False
        draw.save()
        draws.publish_draw(division=self.division, after=self.division.seq, by=self.by, now=NOON)

    def _enter(self, number: str, cell: str) -> None:
        entry = self.entries[number]
        fixture = Fixture.objects.filter(stage=self.stage, status="ready", slots__entry=entry).select_related("stage")
        row = fixture.get()
        side = row.slots.get(entry=entry).side
        if "F" in cell:
            results.forfeit(fixture=row, side=side if cell[0] == "-" else 1 - side, by=self.by, now=NOON)
        elif cell[0] == "=":
            # Nobody won: a match that was settled.
            results.enter_result(
                fixture=row, result=ResultInput(None, (3, 3), Result.Kind.SETTLED), by=self.by, now=NOON
            )
        else:
            winner = side if cell[0] == "+" else 1 - side
            results.enter_result(
                fixture=row, result=ResultInput(winner, (7, 4) if winner == 0 else (4, 7)), by=self.by, now=NOON
            )


def crosstable_division(crosstable: dict[str, list[str]], make_division: Make, by: Actor) -> CrosstableDivision:
    """A division played as the crosstable says, with every tie-break that the exercise publishes."""
    division = make_division(name="Open", match_length=7)
    players = [Player.objects.create(name=f"Player {number}") for number in crosstable]
    settings = StageSettings(
        "swiss",
        edition=Edition.FIDE_2023,
        rounds=len(next(iter(crosstable.values()))),
        tiebreaks=("buchholz", "buchholz_cut_1", "sonneborn_berger"),
    )
    entries.enter(division=division, players=players, by=by, now=NOON)
    division.refresh_from_db()
    set_stages(division=division, stages=[settings], after=division.seq, by=by, now=NOON)
    events.publish_tournament(tournament=division.tournament, by=by, now=NOON)
    draws.request_draw(division=division, by=by, now=NOON)
    crosstable_division = CrosstableDivision(division, crosstable, by)
    crosstable_division.play()
    return crosstable_division


def answers(client: Client, crosstable_division: CrosstableDivision) -> dict[tuple[str, str], float]:
    """(tie-break, player) -> what the API says."""
    rows = get(client, crosstable_division.division)["stages"][0]["tables"][0]["rows"]
    return {
        (code, row["name"].removeprefix("Player ")): value for row in rows for code, value in row["tiebreaks"].items()
    }


@pytest.mark.slow
def test_every_published_answer_of_the_fide_exercise_is_the_answer_of_a_real_division(
    make_division: Make, by_alice: Actor, client: Client
) -> None:
    if not FIDE.exists():
        pytest.skip("the shared FIDE exercise is not on this machine")
    data = json.loads(FIDE.read_text())
    crosstable = dict(sorted((data["results"] | {"12": ROW_12}).items(), key=lambda row: int(row[0])))
    got = answers(client, crosstable_division(crosstable, make_division, by_alice))
    names = {"buchholz_cut1": "buchholz_cut_1"}
    expected = {
        (names.get(row["tiebreak"], row["tiebreak"]), row["player"]): row["value"]
        for row in data["expected_after_round_5"]
    }
    assert len(expected) >= 28
    assert {key: got[key] for key in expected} == expected


def test_a_small_crosstable_of_our_own(make_division: Make, by_alice: Actor, client: Client) -> None:
    got = answers(client, crosstable_division(OWN, make_division, by_alice))
    assert {key: got[key] for key in OWN_ANSWERS} == OWN_ANSWERS
