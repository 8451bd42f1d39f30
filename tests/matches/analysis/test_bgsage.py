"""bgsage as a child process: stages, a package that is absent or dies, and answers that do not fit."""

from pathlib import Path

import pytest
from django.conf import LazySettings

from engine.actions import Phase
from engine.errors import Refused
from engine.ids import parse_xgid
from engine.simulation import play_out
from matches.analysis.backends.base import Depth
from matches.analysis.backends.bgsage import Bgsage
from matches.analysis.backends.chosen import chosen_backend, installed_backend_name, is_any_installed
from matches.analysis.backends.processes import ProgramLimits
from matches.analysis.queue import analyse
from matches.analysis.situations import situations_of
from matches.analysis.values import CubeEquities, DecisionKind
from tests.matches.analysis.programs import fake_gnubg

MATCH = play_out(seed=3, length=3, players=("Bob", "Carol"))
TO_PLAY = parse_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10")
FAKE = '''
from types import SimpleNamespace as Value


def legal(board, first, second):
    import sys
    sys.path.insert(0, {root!r})
    from engine import Position, legal_plays
    counts = [-board[0], *board[1:]]
    for play in legal_plays(Position.from_counts(counts), (first, second)):
        after = list(play.result.counts)
        yield [abs(after[0]), *after[1:]]


class BgBotAnalyzer:
    """Pips decide: each that is left costs 0.01 at 1-ply, and a little more at each depth."""

    def __init__(self, eval_level, parallel_threads):
        assert parallel_threads == 1
        self.plies = int(eval_level[0])

    def worth(self, board):
        own = sum(point * count for point, count in enumerate(board) if count > 0 and point)
        stacked = max(board[1:7], default=0)
        return -own / 100 - stacked / 100 * self.plies

    def checker_play(self, board, first, second, cube, owner, **rules):
        moves = [Value(board=after, equity=self.worth(after)) for after in legal(board, first, second)]
        return Value(moves=sorted(moves, key=lambda move: -move.equity))

    def post_move_analytics(self, board, owner, cube, **rules):
        return Value(cubeful_equity=self.worth(board))

    def cube_action(self, board, cube, owner, **rules):
        return Value(equity_nd=0.1 * self.plies, equity_dt=0.05, equity_dp=1.0)

    def roll_luck(self, board, first, second, **options):
        return Value(luck=0.1 if first == second else 0.0)
'''
ROOT = str(Path(__file__).resolve().parents[3])


def package(folder: Path, source: str) -> Bgsage:
    """Write a package `bgsage` and return the backend that uses it."""
    (folder / "bgsage").mkdir()
    (folder / "bgsage" / "__init__.py").write_text(source)
    metadata = folder / "bgsage-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: bgsage\nVersion: 0.1\n")
    return Bgsage(str(folder), ProgramLimits(memory=3 * 1024**3, niceness=0))


def test_stages(tmp_path: Path) -> None:
    """Close plays are looked at more deeply, up to 4-ply where the play made seems to be an error."""
    backend = package(tmp_path, FAKE.format(root=ROOT))
    assert backend.is_available()
    analysed = analyse(MATCH, backend)
    assert (analysed.backend, analysed.version) == ("bgsage", "0.1")
    assert len(analysed.decisions) == len(situations_of(MATCH))
    plays = [decision for decision in analysed.decisions if decision.kind is DecisionKind.PLAY and decision.candidates]
    depths = {candidate.depth for decision in plays for candidate in decision.candidates}
    assert depths == {"1-ply", "2-ply", "3-ply", "4-ply"}
    played = [(next(c for c in decision.candidates if c.played), decision) for decision in plays]
    assert {candidate.depth for candidate, decision in played if decision.error >= 0.06} == {"4-ply"}
    # Errors are differences between equities of the same depth.
    assert all(decision.candidates[0].depth == candidate.depth for candidate, decision in played if decision.error)
    doubles = [decision for decision in analysed.decisions if decision.kind is DecisionKind.DOUBLE]
    assert doubles
    assert all(decision.no_double == pytest.approx(0.3) for decision in doubles)


def test_a_decision_that_still_has_to_be_made(tmp_path: Path) -> None:
    """The plays close to the best are looked at more deeply, and so is the cube."""
    backend = package(tmp_path, FAKE.format(root=ROOT))
    quick, deep = (backend.advise(TO_PLAY, depth).candidates for depth in Depth)
    assert {play.depth for play in quick} == {"1-ply"}
    assert [play.depth for play in deep[:7]] == ["2-ply"] * 6 + ["1-ply"]
    assert {play.play for play in quick} == {play.play for play in deep} == {str(p) for p in TO_PLAY.legal_plays()}
    before_roll = TO_PLAY._replace(phase=Phase.TO_ROLL, dice=None)
    assert backend.advise(before_roll, Depth.DEEP).equities == CubeEquities(0.2, 0.05, 1.0)


@pytest.mark.parametrize(
    "source",
    ["import os, signal\nos.kill(os.getpid(), signal.SIGILL)", "import a_library_that_is_not_there"],
    ids=["no AVX2", "broken wheel"],
)
def test_a_package_that_cannot_run_is_not_used(tmp_path: Path, source: str, settings: LazySettings) -> None:
    assert not package(tmp_path, source).is_available()
    settings.ANALYSIS_BGSAGE, settings.ANALYSIS_GNUBG = str(tmp_path), str(tmp_path / "gnubg")
    assert chosen_backend() is None
    assert is_any_installed()


def test_gnubg_is_preferred_where_both_are_installed(tmp_path: Path, settings: LazySettings) -> None:
    package(tmp_path, FAKE.format(root=ROOT))
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_BGSAGE = "auto", str(tmp_path)
    for path, name in (fake_gnubg(tmp_path).path, "gnubg"), (str(tmp_path / "absent"), "bgsage"):
        settings.ANALYSIS_GNUBG = path
        backend = chosen_backend()
        assert backend is not None
        assert backend.name == installed_backend_name() == name


def test_a_package_that_is_absent(tmp_path: Path) -> None:
    assert not Bgsage(str(tmp_path)).is_available()
    with pytest.raises(Refused) as refused:
        analyse(MATCH, Bgsage(str(tmp_path), ProgramLimits(niceness=0)))
    assert refused.value.code == "analysis_unreadable"


def test_an_answer_with_other_plays_is_refused(tmp_path: Path) -> None:
    source = FAKE.format(root=ROOT).replace("sorted(moves, key=lambda move: -move.equity)", "moves[1:]")
    backend = package(tmp_path, source)
    with pytest.raises(Refused) as refused:
        analyse(MATCH, backend)
    assert refused.value.code == "analysis_differs"


def test_matches_beyond_25_points_are_not_asked_about(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        analyse(play_out(seed=1, length=26), Bgsage(str(tmp_path)))
    assert refused.value.code == "match_too_long_to_analyse"
