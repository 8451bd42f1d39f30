"""Reading pages in tests."""

import re
from typing import Any

from tools.lint_templates import BLOCK_LEVEL

NAMES = "|".join(BLOCK_LEVEL | {"button", "html", "link", "meta", "noscript", "select"})
BLOCK_TAG = re.compile(rf" ?(</?(?:{NAMES})(?:\s[^>]*)?>) ?")


def html(response: Any) -> str:
    """Return the HTML of a response without line breaks and without the spaces that a browser drops."""
    return BLOCK_TAG.sub(r"\1", " ".join(response.content.decode().split()))


def assert_not_shared(response: Any) -> None:
    """Fail if a shared cache may keep an answer of Django; public pages are shared only by `config.page_cache`."""
    kept = response.get("Cache-Control", "nothing")
    # Pictures of records and of finished matches, for anybody with the link.
    is_picture = response.get("Content-Type") == "image/png"
    assert is_picture or "private" in kept or "no-cache" in kept or "no-store" in kept, f"Cache-Control: {kept}"
