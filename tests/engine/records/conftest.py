"""Where the reference records are, and how a test asks for them."""

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of reference data beside the project; a test that needs it is skipped where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the reference records (../shared/data) are not beside the project")
    return SHARED_DATA
