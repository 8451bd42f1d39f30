"""Nothing that is known of people is looked up by the id of a player alone: a merged player stands for somebody else.

`people_of` says for whom. What it returns is typed (`PersonId`), so that mypy finds a plain id where a person belongs.
This walk finds what has no such type: comparisons with the id of a player, and sets and dictionaries of such ids. Each
function that has one is listed here, with why it may.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.test_layout import ROOT, python_files

IDS = {"player_id", "player_0_id", "player_1_id", "opponent_id"}
FIELDS = ("player", "player_id", "player_0", "player_1")
LOOKUPS = {"get", "setdefault", "add", "discard"}

ACCOUNT = "the player of an account, which is never merged into another"
ACCOUNTS = "looked up in accounts_of, which has the accounts of persons"
GROUP = "compared with the whole person: the player and those merged into them"
MERGED = "replaced by whom they were merged into, or the act of merging itself"
ROW = "as a match or an entry has them: compared with those of the same match or division, or to show just these rows"
PERSON = "ratings and current members, which are stored of persons"

RAW = {
    "players/people/services.py": {"undo_merge": MERGED, "__init__": MERGED},
    "matches/analysis/access.py": {"players_shown": PERSON},
    "matches/analysis/classes.py": {"club_classes": PERSON},
    "matches/analysis/profile.py": {"_side": GROUP},
    "matches/lifecycle/voiding.py": {"successors_of": ROW, "_next_of_each": ROW},
    "matches/play/lobby/guests.py": {"_kept": ACCOUNT},
    "matches/play/lobby/leaving.py": {"_side_of": GROUP},
    "matches/play/lobby/selectors.py": {"lobby_page": ACCOUNT},
    "matches/play/lobby/services.py": {"_check_accepts": ACCOUNT, "accept": ACCOUNT, "decline": ACCOUNT},
    "matches/presentation/visibility.py": {"is_insider_of": GROUP, "plays_or_runs": GROUP},
    "matches/privacy.py": {"_matches": GROUP},
    "matches/rankings/histories.py": {"_other": GROUP, "lines": GROUP, "ranking_rows": PERSON},
    "matches/rankings/tables.py": {"with_standings": PERSON, "ranked": PERSON},
    "matches/ratings/rated.py": {"_standings_before": PERSON},
    "matches/ratings/services.py": {"forget_matches": PERSON, "provisional_among": PERSON},
    "matches/reporting/my_matches.py": {"_is_to_see": GROUP, "_mine": GROUP},
    "demo/club.py": {"play_share": ROW},
    "tournaments/entries/event_links.py": {"revoke_event_link": GROUP},
    "tournaments/entries/late.py": {"_void_own_match": ROW},
    "tournaments/entries/merges.py": {"join_entries": MERGED, "_join": MERGED},
    "tournaments/entries/returns.py": {"_is_own_loss": ROW},
    "tournaments/entries/substitutions.py": {"_refuse_unfit": ROW},
    "tournaments/floor/calls.py": {"mark_late": ROW},
    "clubhouse/summary.py": {"_changes": PERSON},
    "seasons/page/season.py": {"_by_hand": ROW},
    "seasons/imports/seasons.py": {"unused": ROW, "table_of": MERGED},
    "tournaments/standings/rounds.py": {"playable": ROW},
    "tournaments/state/notifications.py": {"notify_moved_up": ACCOUNTS},
    "tournaments/state/settle.py": {"_is_outdated": ROW},
    "tournaments/state/stage_rows.py": {
        "next_begun": ROW, "lock_matches": ROW, "decided_entries": ROW, "former_results": ROW,
    },
}  # fmt: skip
"""File -> function that compares ids of players, or keeps or finds something by them -> why it may."""


def raw_uses(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the functions in which ids of players are compared, or keep or find something, with the line."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in ast.walk(tree):
        if _is_raw_use(node):
            around = [row for row in functions if row.lineno <= node.lineno <= (row.end_lineno or 0)]
            yield (around[-1].name if around else ""), node.lineno


def _is_raw_use(node: ast.AST) -> bool:
    match node:
        case ast.Compare(ops=[ast.In() | ast.NotIn() | ast.Eq() | ast.NotEq()]):
            return any(map(_is_id, (node.left, *node.comparators)))
        case ast.Set():
            return any(map(_is_id, node.elts))
        case ast.SetComp():
            return _is_id(node.elt)
        case ast.DictComp():
            return _is_id(node.key)
        case ast.Subscript():
            return _is_id(node.slice) and not ast.unparse(node.value).endswith("people")
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in LOOKUPS:
            return _is_id(first)
        case ast.Call(
            func=ast.Name(id="dict" | "set"), args=[ast.Call(func=ast.Attribute(attr="values_list")) as rows]
        ):
            first = next(iter(rows.args), None)
            return isinstance(first, ast.Constant) and str(first.value).split("__")[-1] in FIELDS
    return False


def _is_id(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return any(map(_is_id, node.elts))
    return isinstance(node, ast.Attribute) and node.attr in IDS


def test_nothing_is_known_of_a_player_that_should_be_known_of_a_person() -> None:
    found: dict[str, dict[str, int]] = {}
    for path in python_files():
        for function, line in raw_uses(ast.parse(path.read_text())):
            found.setdefault(str(path.relative_to(ROOT)), {})[function] = line
    new = [
        f"{file}:{line}: {function}"
        for file, uses in found.items()
        for function, line in uses.items()
        if function not in RAW.get(file, {})
    ]
    assert not new, "ask people_of (players/people/rows.py) whom the players stand for, or say here why not"
    gone = [(file, name) for file, names in RAW.items() for name in names if name not in found.get(file, {})]
    assert not gone


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("entry.player_id in busy", True),
        ("busy = {row.player_id for row in rows}", True),
        ("busy[match.player_0_id]", True),
        ("away = dict(entries.values_list('player', 'away_until'))", True),
        ("busy.get((entry.stage, entry.player_id))", True),
        ("people[entry.player_id]", False),
        ("row.opponent_id is None", False),
        ("dict(entries.values_list('pk', 'player'))", False),
    ],
)
def test_what_counts(line: str, *, is_found: bool) -> None:
    assert bool(list(raw_uses(ast.parse(line)))) == is_found
