"""Reading pages in tests."""

import re
from typing import Any

from tools.lint_templates import BLOCK_LEVEL

NAMES = "|".join(BLOCK_LEVEL | {"button", "html", "link", "meta", "noscript", "select"})
BLOCK_TAG = re.compile(rf" ?(</?(?:{NAMES})(?:\s[^>]*)?>) ?")


def html(response: Any) -> str:
    """Return the HTML of a response without line breaks and without the spaces that a browser drops."""
    return BLOCK_TAG.sub(r"\1", " ".join(response.content.decode().split()))
