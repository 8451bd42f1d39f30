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


def assert_protected(response: Any, *, framed: bool = False) -> None:
    """Fail unless an answer says what it may run, who may frame it, and what of its URL other sites learn.

    Only pages to embed (`framed`) may be framed, by our own pages and by the websites that a club allows.

    Over TLS it demands TLS from then on, and cookies are sent over nothing else.
    """
    headers = response.headers
    policy = {name: values for name, *values in map(str.split, headers["Content-Security-Policy"].split(";"))}
    assert policy["default-src"] == ["'self'"]
    assert policy["object-src"] == policy["base-uri"] == ["'none'"]
    assert policy["frame-ancestors"] == (["'self'"] if framed else ["'none'"])
    assert policy["form-action"] == ["'self'"]
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*"} & set(policy.get("script-src", ()))
    assert headers["Barpoint"] == "1"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] in ("same-origin", "no-referrer")
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]
    is_secure = response.wsgi_request.is_secure()
    assert not is_secure or headers["Strict-Transport-Security"] == "max-age=31536000"
    for name, cookie in response.cookies.items():
        if cookie["max-age"] != 0:
            assert cookie["httponly"], name
            assert cookie["samesite"] in ("Lax", "Strict"), name
            assert cookie["secure"] or not is_secure, name
