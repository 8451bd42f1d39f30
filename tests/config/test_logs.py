"""Log lines contain neither tokens nor passwords, whichever logger writes them."""

import io
import json
import logging
import logging.config
import re
import secrets
from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse
from redis.exceptions import ConnectionError as RedisConnectionError

from config.logs import OutagesInOneLine, logging_config, without_secrets
from players.models import ApiToken, User
from tests.tokens import key_for

BEARER = {"token", *(f"{name}_token" for name in ("event", "coming", "feed", "owner", "pairing", "unsubscribe"))}
BEARER |= {"secret", "uidb64", "key"}
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
        "event_token": f"abcdefghj2.abcdefghj3.{secrets.token_urlsafe(32)}",
        "coming_token": f"12.abcdefghj2.{secrets.token_urlsafe(32)}",
        "feed_token": f"abcdefghj2.{secrets.token_urlsafe(32)}",
        "pairing_token": f"abcdefghj2.{secrets.token_urlsafe(32)}",
        "owner_token": secrets.token_urlsafe(32),
        "unsubscribe_token": f"12.reported.{secrets.token_urlsafe(32)}",
        "uidb64": "MTIz",
        "extension": "mat",
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
        "Set-Cookie: kept_input=SECRETSECRET; HttpOnly",
        "Authorization: Digest username=SECRETSECRET",
        "{'new_password': 'SECRET and, then; SECRET'}",
        '{"password": "quoted \\"SECRET"}',
        '{"one_time_code": "SECRETSECRET"}',
        '{"body": "Choose a password: SECRETSECRET\\nSECRET"}',
        f"invalid token bp_{'SECRET'.ljust(43, 'x')}",
    ],
)
def test_secrets_in_headers_cookies_and_fields_are_removed(line: str) -> None:
    assert "SECRET" not in without_secrets(line)


@pytest.mark.parametrize("is_json", [True, False], ids=["json", "console"])
@pytest.mark.parametrize("logger", ["uvicorn.access", "uvicorn.error", "django.request", "celery.app.trace", "httpx"])
def test_no_logger_of_a_library_writes_a_secret(logger: str, is_json: bool) -> None:
    """Each secret goes through the handler of the real configuration: as an argument and in a traceback."""
    secret = "abcdefghj2.0." + "SECRET".ljust(43, "x")
    written = io.StringIO()
    config = logging_config(json=is_json, level="INFO")
    config["handlers"]["stderr"]["stream"] = written
    config["handlers"]["stderr"].pop("level", None)
    before = {name: (logging.getLogger(name).handlers[:], logging.getLogger(name).level) for name in ("", logger)}
    logging.getLogger(logger).addHandler(logging.StreamHandler(io.StringIO()))
    try:
        logging.config.dictConfig(config)
        logging.getLogger(logger).warning('%s - "GET %s HTTP/1.1" 200', "192.0.2.1", f"/m/{secret}/?token={secret}")
        try:
            raise ConnectionError(f"Cookie: sessionid={secret}")
        except ConnectionError:
            logging.getLogger(logger).exception("failed", extra={"password": secret})
    finally:
        for name, (handlers, level) in before.items():
            logging.getLogger(name).handlers[:] = handlers
            logging.getLogger(name).setLevel(level)
    assert len(re.findall("^.*(?:HTTP/1.1|failed)", written.getvalue(), re.MULTILINE)) == 2
    assert "SECRET" not in written.getvalue()


def test_a_request_is_one_line_without_its_path(client: Client, bob: User, settings, caplog) -> None:  # type: ignore[no-untyped-def]
    settings.LOG_CLIENT_ADDRESS = True
    client.force_login(bob)
    with caplog.at_level("INFO", logger="config.middleware"):
        client.get(f"/invitations/{'SECRET' * 5}/", REMOTE_ADDR="192.0.2.7")
        Client().get("/nowhere/SECRET/")
    lines = [record.msg for record in caplog.records if record.name == "config.middleware"]
    assert [(line["event"], line["method"], line["route"], line["status"], line["client"]) for line in lines] == [
        ("request", "GET", "invitation", 404, "192.0.2.7"),
        ("request", "GET", None, 404, "127.0.0.1"),
    ]
    assert [line["user_id"] for line in lines] == [bob.pk, None]
    assert all(line["ms"] >= 0 and len(line["request_id"]) == 32 for line in lines)
    assert "SECRET" not in str(lines)


FAIL2BAN = re.compile(r'^.*"client": "(?P<host>[0-9a-f.:]+)", "event": "sign_in_(?:failed|refused)"')
"""The filter in docs/deployment.md."""


@pytest.mark.parametrize("path", ["/sign-in/", "/api/v1/tokens/"])
def test_a_failed_sign_in_is_an_event_for_fail2ban(log: io.StringIO, bob: User, path: str) -> None:
    logger = logging.getLogger("players.accounts.backend")
    handler = logging.getLogger("barpoint.test").handlers[-1]
    logger.addHandler(handler)
    try:
        field = "email" if path.startswith("/api") else "username"
        Client().post(path, {field: bob.email, "password": "SECRET"}, REMOTE_ADDR="2001:db8::7")
    finally:
        logger.removeHandler(handler)
    assert "sign_in_failed" in log.getvalue()
    assert "SECRET" not in log.getvalue()
    assert bob.email not in log.getvalue()
    if log.getvalue().startswith("{"):
        match = FAIL2BAN.match(log.getvalue())
        assert match is not None
        assert match["host"] == "2001:db8::7"


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
    key = key_for(bob)
    assert key not in client.get("/admin/").content.decode()
    assert ApiToken not in admin.site._registry
    assert not LogEntry.objects.filter(object_repr__contains=key).exists()


def test_a_broker_that_is_away_is_one_line_in_ten_seconds() -> None:
    def record(second: float, logger: str) -> logging.LogRecord:
        try:
            raise RedisConnectionError("Error 2 connecting to valkey.sock.")
        except RedisConnectionError as error:
            made = logging.LogRecord(
                logger, logging.ERROR, "", 0, "Message Error: %s\nlong", ("x",), (None, error, None)
            )
        made.created = second
        return made

    away = OutagesInOneLine()
    records = [record(second, "celery.beat") for second in (0, 1, 9.9, 10.1)] + [record(1, "celery.worker")]
    assert [away.filter(each) for each in records] == [True, False, False, True, True]
    assert records[0].getMessage() == "Message Error: x (broker down: Error 2 connecting to valkey.sock.)"
    assert (records[0].exc_info, records[0].levelno) == (None, logging.WARNING)
    bug = logging.LogRecord("a", logging.ERROR, "", 0, "a bug", (), (ValueError, ValueError(), None))
    assert away.filter(bug)
    assert bug.exc_info is not None
