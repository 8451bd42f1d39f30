"""Log lines contain neither tokens nor passwords, whichever logger writes them."""

import io
import json
import logging
import logging.config
import secrets
from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse
from rest_framework.authtoken.models import Token

from config.logs import logging_config, without_secrets
from players.models import User

BEARER = {"token", "secret", "uidb64", "key"}
"""Route parameters that work like a key."""


@pytest.fixture(params=[True, False], ids=["json", "console"])
def log(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    """The output of the site's loggers in either format."""
    config = logging_config(json=request.param, level="INFO")
    formatter = config["formatters"]["structured"]
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(
        formatter["()"](foreign_pre_chain=formatter["foreign_pre_chain"], processors=formatter["processors"])
    )
    logger = logging.getLogger("barpoint.test")
    logger.addHandler(handler)
    yield written
    logger.removeHandler(handler)


def patterns(resolver: URLResolver) -> Iterator[URLPattern]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from patterns(entry)
        else:
            yield entry


def bearer_paths() -> Iterator[tuple[str, list[str]]]:
    """Yield each route with a secret in its path, filled with secrets."""
    secret = {
        "token": f"abcdefghj2.0.{secrets.token_urlsafe(32)}",
        "secret": secrets.token_urlsafe(24),
        "uidb64": "MTIz",
    }
    for pattern in patterns(get_resolver()):
        names = set(pattern.pattern.regex.groupindex)
        if not names & BEARER or not pattern.name:
            continue
        values = {name: secret.get(name, "abcdefghj2") for name in names}
        try:
            yield reverse(pattern.name, kwargs=values), [values[name] for name in names & BEARER]
        except NoReverseMatch:
            pytest.fail(f"{pattern.name}: give this test a value for one of {sorted(names)}")


def test_secrets_in_paths_are_not_logged() -> None:
    paths = list(bearer_paths())
    assert len(paths) > 10
    for path, values in paths:
        for line in (
            f"Conflict: {path}",
            f"https://x.org{path}?a=1",
            path.replace("/", "%2F"),
            json.dumps({"at": path}),
        ):
            assert not [value for value in values if value in without_secrets(line)], line


def test_a_line_without_secrets_is_unchanged() -> None:
    for line in (
        "Not Found: /events/harbour/winter-open/",
        "Not Found: /matches/abcdefghj2/claim/",
        "Task matches.sweep_claims[1] succeeded",
        "token bucket empty",
    ):
        assert without_secrets(line) == line


@pytest.mark.parametrize(
    "line",
    [
        "Authorization: Token SECRETSECRET",
        '{"Authorization": "Bearer SECRETSECRET"}',
        "Cookie: sessionid=SECRETSECRET; csrftoken=SECRETSECRET",
        "{'sessionid': 'SECRETSECRET', 'new_password': 'SECRETSECRET'}",
        '"{\\"password\\": \\"SECRETSECRET\\"}"',
        "Idempotency-Key: SECRETSECRET",
        "cannot connect to postgresql://barpoint:SECRETSECRET@db.example/barpoint",
        "DETAIL:  Failing row contains (1, SECRETSECRET, bob@example.org).",
    ],
)
def test_secrets_in_headers_cookies_and_fields_are_removed(line: str) -> None:
    assert "SECRET" not in without_secrets(line)


def test_a_traceback_contains_the_line_but_no_variables(log: io.StringIO) -> None:
    def sign_in(typed: str) -> None:
        raise RuntimeError("the database went away")

    typed = secrets.token_hex(8)
    try:
        sign_in(typed)
    except RuntimeError:
        logging.getLogger("barpoint.test").exception("Internal Server Error: %s", "/sign-in/")
    line = log.getvalue()
    assert "the database went away" in line
    assert "sign_in" in line
    assert typed not in line


def test_the_admin_neither_shows_nor_records_tokens(client: Client, alice: User, bob: User) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    client.force_login(alice)
    token = Token.objects.create(user=bob)
    assert token.key not in client.get("/admin/").content.decode()
    assert client.get("/admin/authtoken/tokenproxy/").status_code == 404
    assert not any(issubclass(model, Token) for model in admin.site._registry)
    assert not LogEntry.objects.filter(object_repr__contains=token.key).exists()
