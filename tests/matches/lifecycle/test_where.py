"""Where a match is, derived from facts: Bob and Carol play to seven points."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest

from matches.lifecycle.at_tables import AtTables, Seating
from matches.lifecycle.where import OnBoard, Where, WhereFacts, WhereState, in_words, where_is
from matches.models import Claim, Match
from players.models import Player
from tests.matches.cast import BOB, CAROL, NOW

EARLIER = NOW - timedelta(minutes=20)
CALLED = Seating(table="4", called_at=EARLIER)
PLAYING = Seating(table="4", called_at=EARLIER, started_at=NOW, score=(3, 1))
REPORTED = Claim(side=CAROL, created_at=NOW)


@dataclass(frozen=True)
class Row:
    """A match as a row of a list has it."""

    state: str = "open"
    begun_at: datetime | None = None
    finished_at: datetime | None = None
    length: int = 7
    provisional: bool = False


def at(seat: Seating) -> WhereFacts:
    return WhereFacts(AtTables(seat))


@pytest.mark.parametrize(
    ("row", "facts", "where"),
    [
        (Row(""), WhereFacts(), Where(WhereState.WAITING, 7)),
        (Row(), WhereFacts(), Where(WhereState.READY, 7)),
        (Row(), at(Seating(waits_for=("Bob is at M3.",))), Where(WhereState.WAITING, 7, waits_for=("Bob is at M3.",))),
        (Row(), at(CALLED), Where(WhereState.CALLED, 7, "4", EARLIER)),
        (Row(), at(PLAYING), Where(WhereState.PLAYING, 7, "4", NOW, (3, 1))),
        (Row(begun_at=EARLIER), WhereFacts(), Where(WhereState.PLAYING, 7, since=EARLIER)),
        # Another match was sent to its table.
        (Row(), at(PLAYING._replace(table="")), Where(WhereState.PLAYING, 7, "", NOW, (3, 1))),
        (Row(), at(PLAYING._replace(table="", adjourned_at=NOW)), Where(WhereState.ADJOURNED, 7, "", NOW, (3, 1))),
        (Row("claimed"), at(PLAYING), Where(WhereState.REPORTED, 7, "4")),
        (Row("claimed"), WhereFacts(report=REPORTED), Where(WhereState.REPORTED, 7, since=NOW, side=CAROL)),
        (Row("disputed"), at(PLAYING), Where(WhereState.DISPUTED, 7, "4")),
        (Row("settled", finished_at=NOW), at(PLAYING), Where(WhereState.SETTLED, 7, since=NOW)),
        (Row("settled", finished_at=NOW, provisional=True), WhereFacts(), Where(WhereState.PROVISIONAL, 7, since=NOW)),
        (Row("void"), at(CALLED), Where(WhereState.VOID, 7)),
        (Row("live"), WhereFacts(board=OnBoard((2, 0), since=NOW)), Where(WhereState.HERE, 7, since=NOW, score=(2, 0))),
        (
            Row("live"),
            WhereFacts(board=OnBoard(since=NOW, is_invitation=True)),
            Where(WhereState.INVITED, 7, since=NOW),
        ),
        (Row("live"), WhereFacts(board=OnBoard(since=EARLIER)), Where(WhereState.HERE, 7, since=EARLIER)),
        (
            Row("live"),
            WhereFacts(board=OnBoard((2, 0), is_adjourned=True)),
            Where(WhereState.ADJOURNED, 7, score=(2, 0)),
        ),
        (
            Row("live"),
            WhereFacts(board=OnBoard((2, 0), turn=BOB, is_correspondence=True)),
            Where(WhereState.CORRESPONDENCE, 7, score=(2, 0), side=BOB),
        ),
    ],
)
def test_where_a_match_is(row: Row, facts: WhereFacts, where: Where) -> None:
    assert where_is(row, facts) == replace(where, is_called_to_table=facts.at_tables is not None)


@pytest.mark.parametrize(
    ("where", "to_bob", "to_others"),
    [
        (Where(WhereState.READY, 7), "Ready to play", "Ready to play"),
        (Where(WhereState.READY, 7, is_called_to_table=True), "Not called yet", "Not called yet"),
        (Where(WhereState.WAITING, 7, waits_for=("Bob is at M3.", "No table {x} is free.")),
         "Bob is at M3. No table {x} is free.", "Bob is at M3. No table {x} is free."),
        (Where(WhereState.CALLED, 7, "4"), "You are called to table 4.", "Called to table 4"),
        (Where(WhereState.PLAYING, 7, "4", None, (1, 3)),
         "Playing at table 4, 1–3", "Playing at table 4, 1–3"),
        (Where(WhereState.PLAYING, 7), "Being played", "Being played"),
        (Where(WhereState.ADJOURNED, 7, score=(1, 3)), "Adjourned, 1–3", "Adjourned, 1–3"),
        (Where(WhereState.REPORTED, 7, side=CAROL), "Reported by Carol.", "Reported by Carol."),
        (Where(WhereState.HERE, 7, score=(1, 3)), "The board of your match is open", "Live, 1–3"),
        (Where(WhereState.INVITED, 7), "The board of your match is open", "Invited to the board"),
        (Where(WhereState.HERE, 7), "The board of your match is open", "Live"),
        (Where(WhereState.CORRESPONDENCE, 7, side=BOB), "Your turn", "Waiting for Bob"),
        (Where(WhereState.CORRESPONDENCE, 7, side=CAROL), "Waiting for Carol", "Waiting for Carol"),
        (Where(WhereState.DISPUTED, 7, "4"), "Disputed", "Disputed"),
    ],
)  # fmt: skip
def test_it_is_said_in_words(where: Where, to_bob: str, to_others: str) -> None:
    match = Match(player_0=Player(name="Bob"), player_1=Player(name="Carol"), length=7)
    assert in_words(where, match, BOB) == to_bob
    assert in_words(where, match) == to_others


def test_carol_reads_her_points_first() -> None:
    match = Match(player_0=Player(name="Bob"), player_1=Player(name="Carol"), length=7)
    assert in_words(Where(WhereState.PLAYING, 7, "4", None, (1, 3)), match, CAROL) == "Playing at table 4, 3–1"


@pytest.mark.parametrize(
    ("row", "mark"),
    [
        (Row(), ""),
        (Row(begun_at=NOW), "live"),
        (Row("live"), "live"),
        (Row("claimed", begun_at=NOW), "claimed"),
        (Row("settled", begun_at=NOW), ""),
    ],
)
def test_a_match_in_play_is_marked(row: Row, mark: str) -> None:
    assert where_is(row).mark == mark
