"""Reading pages in tests."""

import re
from typing import Any


def html(response: Any) -> str:
    """Return the HTML of a response without line breaks, and without whitespace before and after tags."""
    text = " ".join(response.content.decode().split())
    return re.sub(r" ?(<[^>]+>) ?", r"\1", text)
