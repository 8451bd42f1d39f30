"""Bob and Carol's analysed match of the tests of analyses."""

from tests.matches.analysis.conftest import analysis, match, record  # noqa: F401, fixtures
