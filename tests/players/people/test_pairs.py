"""Pairs: names that follow from those of two people, merged and separated with them, and in no list of people."""

import ast
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.http import Http404
from django.utils.translation import override

from clubhouse.home import _counted as counted
from core.packages import ROOT
from engine.errors import Refused
from matches.play.lobby.selectors import player_with_id
from matches.rankings.tables import called
from players import access, selectors
from players.accounts.services import ensure_player, update_preferences
from players.actors import SYSTEM, Actor
from players.joining.services import claimable
from players.models import Club, Membership, Merge, Pair, Player, User
from players.people.erasure import erase_player
from players.people.pairs import names_of, pair_of, persons, with_people
from players.people.rows import lock_present, people_of
from players.people.services import claim_player, edit_player, find_players, merge_players, undo_merge
from tests.players.conftest import NOW, Enter
from tests.test_layout import python_files

pytestmark = pytest.mark.postgresql


@pytest.fixture
def ann(enter: Enter) -> Player:
    return enter("Ann Berg")


@pytest.fixture
def bea(enter: Enter) -> Player:
    return enter("Bea Kral")


@pytest.fixture
def pair(ann: Player, bea: Player) -> Player:
    return make_pair(ann, bea)


def make_pair(first: Player, second: Player) -> Player:
    with transaction.atomic():
        return pair_of(Player.objects.get(pk=first.pk), Player.objects.get(pk=second.pk))


def merge(player: Player, into: Player) -> Merge:
    return merge_players(player=player, into=into, by=SYSTEM, now=NOW)


def undo(done: Merge) -> None:
    undo_merge(merge=done, by=SYSTEM, now=NOW)


def names(pair: Player) -> tuple[str, str, str]:
    """The shown, the full and the stored name; what is stored follows from both people."""
    row = Player.objects.select_related("merged_into").get(pk=pair.pk)
    for each in with_people().select_related("player"):
        assert (each.player.parts, each.player.name) == names_of(each)
    return row.shown_name, row.full_name, row.name


# One row for a couple.


def test_there_is_one_row_for_a_couple_in_the_order_of_the_first_entry(pair: Player, ann: Player, bea: Player) -> None:
    assert make_pair(bea, ann) == pair
    assert persons(pair) == [ann, bea]
    assert people_of([pair.pk, ann.pk]) == {pair.pk: (ann.pk, bea.pk), ann.pk: (ann.pk,)}
    assert names(pair) == ("Ann Berg & Bea Kral",) * 3


def test_nobody_plays_with_themselves_and_no_pair_is_in_a_pair(pair: Player, ann: Player, enter: Enter) -> None:
    anna = enter("Anna Berg")
    merge(anna, ann)
    for first, second, code in ((ann, ann, "partner_same"), (ann, anna, "partner_same"), (pair, ann, "pair_in_pair")):
        with pytest.raises(Refused) as refused:
            make_pair(first, second)
        assert refused.value.code == code
    assert Pair.objects.count() == 1


def test_who_was_merged_plays_as_whom_they_were_merged_into(
    pair: Player, ann: Player, bea: Player, enter: Enter
) -> None:
    anna = enter("Anna Berg")
    merge(anna, ann)
    assert make_pair(anna, bea) == pair


def test_of_a_pair_both_have_to_be_there(pair: Player, bob: User, ann: Player) -> None:
    claim_player(player=ann, user=bob, by=SYSTEM, now=NOW)
    User.objects.update(is_active=False)
    with pytest.raises(Refused, match="suspended"), transaction.atomic():
        lock_present(pair)


# Names follow.


def test_a_name_that_is_corrected(pair: Player, bea: Player, club: Club) -> None:
    edit_player(player=bea, club=club, name="Bea Král", country="", by=SYSTEM)
    assert names(pair) == ("Ann Berg & Bea Král",) * 3
    pair.refresh_from_db()
    assert pair.name_key == "ann berg bea kral"


def test_initials_of_one_and_the_name_of_an_account(pair: Player, bob: User, bea: Player) -> None:
    claim_player(player=bea, user=bob, by=SYSTEM, now=NOW)
    assert names(pair)[0] == "Ann Berg & Bob"
    update_preferences(user=bob, by=Actor.of(bob), display_name="Robert Fox", initials_only=True)
    assert names(pair) == ("Ann Berg & R. F.", "Ann Berg & Robert Fox", "Ann Berg & Robert Fox")
    update_preferences(user=bob, by=Actor.of(bob), initials_only=False)
    assert names(pair)[0] == "Ann Berg & Robert Fox"


def test_one_who_is_erased(pair: Player, ann: Player, bea: Player) -> None:
    erase_player(player=ann, by=SYSTEM, now=NOW)
    assert names(pair) == ("Former member & Bea Kral", "Former member & Bea Kral", "Bea Kral")
    with override("de"):
        assert names(pair)[0].endswith("& Bea Kral")
    pair.refresh_from_db()
    assert pair.has_left
    erase_player(player=bea, by=SYSTEM, now=NOW)
    assert names(pair) == ("Former member & Former member", "Former member & Former member", "")


def test_one_who_is_merged_and_separated(pair: Player, bea: Player, enter: Enter) -> None:
    done = merge(bea, enter("Beatrix Kral"))
    assert names(pair)[0] == "Ann Berg & Beatrix Kral"
    undo(done)
    assert names(pair)[0] == "Ann Berg & Bea Kral"


# Pairs that become one couple.


def canonical_ids() -> dict[str, str]:
    """The pairs that stand for themselves and those that were merged, by their numbers in the order of entry."""
    rows = Pair.objects.order_by("pk").values_list("pk", "player__merged_into")
    numbers = {pk: number for number, (pk, _into) in enumerate(rows, start=1)}
    return {f"P{numbers[pk]}": f"P{numbers[into or pk]}" for pk, into in rows}


def test_two_pairs_that_become_the_same_couple_are_one_until_the_merge_is_undone(
    ann: Player, bea: Player, enter: Enter
) -> None:
    again = enter("Bea K.")
    make_pair(ann, again), make_pair(ann, bea)
    done = merge(again, bea)
    assert canonical_ids() == {"P1": "P2", "P2": "P2"}
    undo(done)
    assert canonical_ids() == {"P1": "P1", "P2": "P2"}
    assert not Merge.objects.filter(undone_at=None).exists()


def test_both_of_a_pair_are_merged_and_either_merge_separates_the_pairs(ann: Player, bea: Player, enter: Enter) -> None:
    other_ann, other_bea = enter("A. B."), enter("B. K.")
    make_pair(ann, bea), make_pair(other_ann, other_bea)
    first, second = merge(other_ann, ann), merge(other_bea, bea)
    assert canonical_ids()["P2"] == "P1"
    undo(first)
    assert canonical_ids()["P2"] == "P2"
    assert names(Pair.objects.last().player)[0] == "A. B. & Bea Kral"  # type: ignore[union-attr]
    undo(second)
    assert names(Pair.objects.last().player)[0] == "A. B. & B. K."  # type: ignore[union-attr]


def test_three_pairs_in_a_chain(ann: Player, bea: Player, enter: Enter) -> None:
    second, third = enter("Bea 2"), enter("Bea 3")
    for partner in (bea, second, third):
        make_pair(ann, partner)
    earlier, later = merge(third, second), merge(second, bea)
    assert set(canonical_ids().values()) == {"P1"}
    undo(later)
    assert canonical_ids() == {"P1": "P1", "P2": "P2", "P3": "P2"}
    undo(earlier)
    assert set(canonical_ids().values()) == {"P1", "P2", "P3"}


# In no list of people.


def test_a_pair_is_in_no_list_of_people(pair: Player, club: Club, olga: User) -> None:
    people = Player.objects.exclude(pk=pair.pk)
    assert people.count() == 3
    assert counted()[0] == 3
    for rows in (selectors.players(), selectors.players("Ann"), called(""), called("bea"), claimable(club)):
        assert rows, "a list without anybody proves nothing"
        assert pair not in rows
    assert find_players(club=club, names=["Ann Berg & Bea Kral"], near=True)[0].player is None
    assert player_with_id(pair.public_id) is None
    for fetch in (access.person_of, access.player_to_add):
        with pytest.raises(Http404):
            fetch(club, pair.public_id)
    assert not Membership.objects.filter(player=pair).exists()
    assert access.player(pair.public_id) == pair, "a pair has a page"
    assert ensure_player(user=olga, by=SYSTEM) != pair


# Every function that writes what the name of a pair follows from.


FIELDS = {"name", "initials_only", "erased_at", "merged_into", "merged_into_id", "parts"}
RENAMES = "calls rename_pairs"
CALLED = "called by merge_players or undo_merge, which call rename_pairs"
OTHER = "writes no player"
WRITERS = {
    "players/models/people.py": {"pre_save": "the key, which follows from the name"},
    "players/accounts/services.py": {"_update_own_player": RENAMES, "update_preferences": OTHER},
    "players/clubs/services.py": {"update_club": OTHER, "set_second_factor": OTHER},
    "players/people/erasure.py": {"erase_player": RENAMES},
    "players/people/pairs.py": {"rename_pairs": "writes pairs"},
    "players/people/services.py": {
        "edit_player": RENAMES, "claim_player": RENAMES, "_give_back": CALLED, "_point": CALLED, "_part": CALLED,
    },
    "clubhouse/divisions.py": {"_stages_context": OTHER},
    "seasons/season_views.py": {"save_view": OTHER},
    "seasons/services.py": {"change_details": OTHER},
}  # fmt: skip
"""File -> function that writes a name, initials, an erasure or a merge -> what becomes of the pairs."""
CALLERS = {"merge_players", "undo_merge"}


def writers(tree: ast.Module, *, generic: bool) -> Iterator[ast.FunctionDef]:
    """Yield the functions that write one of FIELDS; with `generic`, also those that write any field."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        if any(_writes(node, generic=generic) for node in ast.walk(function)):
            yield function


def _writes(node: ast.AST, *, generic: bool) -> bool:
    match node:
        case ast.Assign(targets=targets):
            each = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
            return any(isinstance(part, ast.Attribute) and part.attr in FIELDS for part in each)
        case ast.Call(func=ast.Attribute(attr="update"), keywords=values):
            return any(value.arg in FIELDS for value in values)
        case ast.Call(func=ast.Name(id="setattr" | "apply")):
            return generic
    return False


def test_whoever_writes_what_names_follow_from_renames_the_pairs() -> None:
    found: dict[str, set[str]] = {}
    for path in python_files():
        source, file = path.read_text(), str(path.relative_to(ROOT))
        if "Player" not in source or "/migrations/" in file:
            continue
        for function in writers(ast.parse(source), generic=file.startswith("players/")):
            found.setdefault(file, set()).add(function.name)
            if WRITERS.get(file, {}).get(function.name) == RENAMES:
                assert "rename_pairs(" in ast.unparse(function), f"{file}: {function.name} forgets the pairs"
    assert found == {file: set(names) for file, names in WRITERS.items()}
    tree = ast.parse((ROOT / "players/people/services.py").read_text())
    calling = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and "rename_pairs(" in ast.unparse(node)
    }
    assert calling >= CALLERS


@pytest.mark.parametrize(
    "line",
    ["player.name = name", "a.erased_at, b = now, 1", "Player.objects.filter(pk=1).update(merged_into=x)"],
)
def test_what_counts_as_writing(line: str) -> None:
    assert list(writers(ast.parse(f"def f():\n    {line}"), generic=False))
    assert not list(writers(ast.parse("def f():\n    apply(row, values)"), generic=False))
