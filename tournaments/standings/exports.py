"""Standings and pairings as data: the bodies of the API and of JSON files, and the rows of CSV files."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from core.downloads import safe
from formats.tables.tiebreaks import TIEBREAKS
from matches.reporting.serializers import where_data
from tournaments.models import Division
from tournaments.standings.pairings import BoardPairing, PairingSide, PairingsView
from tournaments.standings.standings import PlacesView, RoundCell, ShownEntry, StageView, StandingsLine, TableView

Body = dict[str, Any]

STANDING_COLUMNS = (
    "stage", "format", "table", "after_round", "place", "last_place", "entry", "player", "name", "points", "played",
    "won", "lost", "drawn", "unplayed_won", "unplayed_lost", "byes", "lives_left", "out_in_round", "joined_round",
    "left_after_round", "withdrawn", "goes_on", "decided_by", *TIEBREAKS, "rounds", "why",
)  # fmt: skip
PAIRING_COLUMNS = (
    "stage", "format", "bracket", "round", "board", "match_number", "match", "fixture", "length", "status", "bye_kind",
    "stands_1", "entry_1", "player_1", "name_1", "points_1", "score_1",
    "stands_2", "entry_2", "player_2", "name_2", "points_2", "score_2",
    "winner", "result_kind", "start_1", "start_2",
)  # fmt: skip


def standings_body(division: Division, views: Iterable[StageView]) -> Body:
    """Return standings as the API and JSON files show them."""
    return {
        "division": division.public_id,
        "seq": division.seq,
        "status": division.status,
        "stages": [_stage(view) for view in views],
    }


def _stage(view: StageView) -> Body:
    ids = {line.person.entry: line.person.public_id for table in view.tables for line in table.lines}
    return {
        "number": view.number,
        "format": view.format,
        "status": view.stage.status,
        "over": view.over,
        "rounds_complete": view.complete,
        "rounds_paired": view.paired if view.complete is not None else None,
        "lives": view.lives,
        "teams": []
        if view.teams is None
        else [{"team": team, "boards": score.boards, "points": score.points} for team, score in view.teams.scores],
        "open_boards": None if view.teams is None else view.teams.open_boards,
        "tables": [_table(table, ids) for table in view.tables],
        "brackets": [_places(bracket, view) for bracket in view.brackets],
    }


def _table(table: TableView, ids: Mapping[int, str]) -> Body:
    return {
        "key": table.key,
        "over": table.over,
        "after_round": table.round,
        "regulations": table.regulations,
        "tiebreaks": [tiebreak._asdict() for tiebreak in table.tiebreaks],
        "rows": [_line(line, ids) for line in table.lines],
    }


def _person(person: ShownEntry) -> Body:
    return {"entry": person.public_id, "player": person.player, "name": person.name, "withdrawn": person.withdrawn}


def _line(line: StandingsLine, ids: Mapping[int, str]) -> Body:
    counts = line.counts
    return {
        "place": line.place,
        **_person(line.person),
        "points": line.points,
        "played": counts.played,
        "won": counts.won,
        "lost": counts.lost,
        "drawn": counts.drawn,
        "unplayed_won": counts.unplayed_won,
        "unplayed_lost": counts.unplayed_lost,
        "byes": counts.byes,
        "lives_left": line.lives,
        "out_in_round": line.out_in,
        "joined_round": line.joined,
        "left_after_round": line.left,
        "goes_on": line.advances,
        "decided_by": line.decided_by,
        "tiebreaks": {figure.code: figure.value for figure in line.figures},
        "rounds": [_cell(cell, ids) for cell in line.cells],
        "why": [
            {"code": reason.code, "params": dict(reason.params), "sentence": sentence} for reason, sentence in line.why
        ],
    }


def _cell(cell: RoundCell, ids: Mapping[int, str]) -> Body:
    return {
        "round": cell.round,
        "kind": cell.kind,
        "opponent": ids.get(cell.opponent) if cell.opponent is not None else None,
        "score": list(cell.score) if cell.score else None,
        "match": cell.match or None,
        "counted": cell.counted,
    }


def _places(bracket: PlacesView, view: StageView) -> Body:
    return {
        "key": bracket.key,
        "name": bracket.title,
        "over": bracket.over,
        "places": [
            {
                "first": place.first,
                "last": place.last,
                "entries": [_person(person) | {"goes_on": person.entry in view.advancing} for person in place.people],
            }
            for place in bracket.places
        ],
    }


def pairings_body(division: Division, view: PairingsView) -> Body:
    """Return pairings as the API and JSON files show them."""
    return {
        "division": division.public_id,
        "seq": division.seq,
        "status": division.status,
        "stage": view.stage.number if view.stage else None,
        "format": view.stage.format if view.stage else None,
        "round": view.round,
        "pairings": [_pairing(pairing) for pairing in view.pairings],
    }


def _pairing(pairing: BoardPairing) -> Body:
    return {
        "bracket": pairing.bracket,
        "round": pairing.round,
        "board": pairing.board,
        "where": where_data(pairing.where) if pairing.where is not None else None,
        "match_number": pairing.number,
        "match": pairing.match or None,
        "fixture": pairing.public_id,
        "length": pairing.length,
        "start": list(pairing.start),
        "status": pairing.status,
        "bye_kind": pairing.bye or None,
        "sides": [_side(side) for side in pairing.sides],
        "winner": next((number for number, side in enumerate(pairing.sides) if side.won), None),
        "result_kind": pairing.kind or None,
    }


def _side(side: PairingSide) -> Body:
    person = side.person
    return {
        "stands": side.status,
        "entry": person.public_id if person else None,
        "player": person.player if person else None,
        "name": person.name if person else None,
        "points": side.points,
        "score": side.score,
    }


def standings_rows(body: Body) -> Iterator[list[Any]]:
    """Yield the header, then a row for every line of a table and every entry of a bracket's places."""
    yield list(STANDING_COLUMNS)
    for stage in body["stages"]:
        shared = {"stage": stage["number"], "format": stage["format"]}
        for table in stage["tables"]:
            common = shared | {"table": table["key"], "after_round": table["after_round"]}
            for row in table["rows"]:
                yield _flat(STANDING_COLUMNS, common | _flat_line(row))
        for bracket in stage["brackets"]:
            for place in bracket["places"]:
                common = shared | {"table": bracket["key"], "place": place["first"], "last_place": place["last"]}
                for entry in place["entries"]:
                    yield _flat(STANDING_COLUMNS, common | entry)


def _flat_line(row: Body) -> Body:
    rounds = " ".join(round_text(spent) for spent in row["rounds"])
    why = " ".join(reason["sentence"] for reason in row["why"])
    plain = {key: value for key, value in row.items() if key not in ("tiebreaks", "rounds", "why")}
    return {**plain, **row["tiebreaks"], "last_place": row["place"], "rounds": rounds, "why": why}


def round_text(spent: Body) -> str:
    """Return a round without spaces, as `3:won:7-5:k7m2q9x4ab`; a missing score or opponent is left empty."""
    score = "-".join(map(str, spent["score"])) if spent["score"] else ""
    counted = "" if spent["counted"] else ":deleted"
    return f"{spent['round']}:{spent['kind']}:{score}:{spent['opponent'] or ''}{counted}"


def pairings_rows(body: Body) -> Iterator[list[Any]]:
    """Yield the header, then a row for every pairing."""
    yield list(PAIRING_COLUMNS)
    for pairing in body["pairings"]:
        row = {"stage": body["stage"], "format": body["format"], **pairing}
        if pairing["winner"] is not None:
            row["winner"] = pairing["winner"] + 1
        row["start_1"], row["start_2"] = pairing["start"]
        for number, side in enumerate(pairing["sides"], start=1):
            row |= {f"{key}_{number}": value for key, value in side.items()}
        yield _flat(PAIRING_COLUMNS, row)


def _flat(columns: Iterable[str], row: Mapping[str, Any]) -> list[Any]:
    return [_cell_text(row.get(column)) for column in columns]


def _cell_text(value: Any) -> Any:
    """Return a value for a spreadsheet: None as empty, booleans as 1 and 0, text that looks like a formula escaped."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return int(value)
    return safe(value) if isinstance(value, str) else value


def as_json(body: Body) -> str:
    return json.dumps(body, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
