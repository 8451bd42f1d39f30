"""The fixture for reference records."""

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of reference data beside the project; tests that need it are skipped if it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the reference records (../shared/data) are not beside the project")
    return SHARED_DATA
