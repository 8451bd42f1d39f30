"""Nothing that is known of people is looked up by the id of a player alone: a merged player stands for somebody else.

`people_of` says for whom. What it returns is typed (`PersonId`), so that mypy finds a plain id where a person belongs.
This walk finds what has no such type: comparisons with the id of a player, and sets and dictionaries of such ids. Each
function that has one is listed here, with why it may.
"""

import ast
import re
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
SIMULATED = "rows of a simulated weekend, in which nobody is merged; it keeps itself who they stand for"
PERSON = "ratings and current members, which are stored of persons"

RAW = {
    "players/people/services.py": {
        "undo_merge": MERGED, "__init__": MERGED, "_pairs_to_separate": MERGED,
    },
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
    "matches/reporting/my_matches.py": {"_is_to_see": GROUP, "_my_match_of": GROUP},
    "demo/club.py": {"play_share": ROW},
    "demo/weekends.py": dict.fromkeys(
        ("_know", "_take_fees", "_entry", "_excuse", "_go_home", "_substitute", "_leave", "_check_halves"), SIMULATED
    ),
    "tournaments/entries/check_in.py": {"attendees": ROW},
    "tournaments/entries/event_links.py": {"revoke_event_link": GROUP},
    "tournaments/entries/late.py": {"_void_own_match": ROW},
    "tournaments/entries/merges.py": {"join_entries": MERGED, "_join": MERGED},
    "tournaments/entries/returns.py": {"_is_own_loss": ROW},
    "tournaments/entries/substitutions.py": {"_refuse_unfit": ROW},
    "tournaments/floor/calls.py": {"mark_late": ROW},
    "clubhouse/letters/contents.py": {"_letter": PERSON},
    "clubhouse/letters/night.py": {"_changes": PERSON, "_chances": PERSON},
    "clubhouse/summary.py": {"_changes": PERSON},
    "seasons/page/season.py": {"_by_hand": ROW},
    "seasons/imports/seasons.py": {"unused": ROW, "table_of": MERGED},
    "tournaments/standings/rounds.py": {"playable": ROW},
    "tournaments/state/integrity.py": {"_of_pairs": PERSON},
    "tournaments/state/start_scores.py": {"keep_rating": ROW},
    "tournaments/state/names.py": {"own_entry": ACCOUNTS},
    "tournaments/events/home.py": {"_my_matches": GROUP},
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


MEMBER = "a member of the club, which no pair is"
LINK = "whose personal link it is, which directors hand out"
SHOWN = "a name as it is shown, of a side of the board, a match or a report"
STORED_NAMES = {
    "clubhouse/_home_board.html": SHOWN,
    "display/paper/link_cards.html": LINK,
    "matches/rankings/join_requests.html": "who asks to join, and the member without an account they say to be",
    "matches/reporting/_answer.html": SHOWN,
    "matches/reporting/_match_head.html": SHOWN,
    "matches/reporting/_names.html": SHOWN,
    "matches/reporting/_time.html": SHOWN,
    "players/accounts/preferences.html": "a player that the account has claimed",
    "players/clubs/_members.html": MEMBER,
    "players/clubs/_merges.html": "two players who were merged, by the names they had; merges of pairs are not listed",
    "players/clubs/invited.html": MEMBER,
    "players/clubs/member.html": MEMBER,
    "players/clubs/members.html": MEMBER,
    "players/people/invitation.html": MEMBER,
    "players/people/mail/invitation.txt": MEMBER,
    "players/privacy/member_data.html": MEMBER,
    "seasons/edit.html": "who may be entered in a season, which no pair is",
    "tournaments/entries/_enter.html": "somebody who comes often, which no pair does",
}
"""Template -> why it prints the `name` of something that is called a player, and not a name as it is shown."""
STORED_NAME = re.compile(r"\bplayer(_[01])?\.name\b")


def test_no_template_prints_the_stored_name_of_the_player_of_an_entry() -> None:
    """The stored name of a pair is for search and order: it has names in full that are shown as initials only."""
    found = set()
    for path in sorted((ROOT / "templates").rglob("*.*")):
        if path.suffix in (".html", ".txt") and path.name != "api_docs.html" and STORED_NAME.search(path.read_text()):
            found.add(str(path.relative_to(ROOT / "templates")))
    assert found == set(STORED_NAMES), "print `shown_name`, `full_name` or what `shown_entry` returns, or say why not"
