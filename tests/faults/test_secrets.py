"""The log of a real installation while the database is away contains no secrets.

The installation runs as in production, with DEBUG off; how both formats of the log hide secrets is in
tests/config/test_logs.py. If DATABASE_URL names a PostgreSQL server, it uses its own database there.
"""

import http.client
import os
import re
import secrets
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import psycopg
import pytest
from django.core.signing import Signer

from config.valkey import free_port
from tests.faults.test_supervisor import DATABASE, ROOT, migrated

pytestmark = pytest.mark.slow
PASSWORD = "Zugzwang-4711-hypergammon"
SECRET_KEY = "only-for-this-test-" + secrets.token_hex(20)
PATIENCE = 120.0
POSTGRES = os.environ.get("DATABASE_URL", "") if os.environ.get("DATABASE_URL", "").startswith("postgres") else ""


class Site:
    """An installation whose database can be taken away, and a visitor with cookies."""

    def __init__(self, var: Path, **settings: str) -> None:
        self.var, self.port = var, free_port()
        self.log_path = var / "log"
        self.database = f"barpoint_{uuid.uuid4().hex[:12]}"
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.env = kept | {"BARPOINT_VAR": str(var), "PORT": str(self.port), "LOG_LEVEL": "INFO", **settings}
        if POSTGRES:
            self.on_server(f'CREATE DATABASE "{self.database}"')
            self.env["DATABASE_URL"] = urlsplit(POSTGRES)._replace(path=f"/{self.database}").geturl()
        else:
            (var / DATABASE).write_bytes(migrated())
        self.cookies: dict[str, str] = {}
        with self.log_path.open("w") as log:
            command = [sys.executable, "-m", "config.supervisor"]
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=log, stderr=subprocess.STDOUT)

    @staticmethod
    def on_server(*statements: str) -> None:
        with psycopg.connect(POSTGRES, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while "Barpoint is ready" not in self.log():
            assert self.process.poll() is None, self.log()
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.1)

    def log(self) -> str:
        return self.log_path.read_text()

    def stop_database(self) -> None:
        if POSTGRES:
            self.on_server(
                f'ALTER DATABASE "{self.database}" ALLOW_CONNECTIONS false',
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.database}'",
            )
            return
        # Connections stay open from one request to the next, so the file under them is overwritten in its place.
        for file in self.var.glob(f"{DATABASE}*"):
            with file.open("r+b") as opened:
                opened.write(b"\1" * file.stat().st_size)

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        if POSTGRES:
            self.on_server(f'DROP DATABASE "{self.database}" WITH (FORCE)')

    def ask(self, method: str, path: str, fields: Mapping[str, str] | None = None, **headers: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if fields is not None:
            fields = {**fields, "csrfmiddlewaretoken": self.cookies.get("csrftoken", "")}
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, urlencode(fields or {}), {**headers, "Cookie": cookies})
        response = connection.getresponse()
        for header in response.headers.get_all("Set-Cookie", ()):
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(header).items() if morsel.value}
        body = response.read().decode()
        connection.close()
        return response.status, body

    def token(self) -> tuple[int, str]:
        body = f'{{"email": "bob@example.org", "password": "{PASSWORD}"}}'
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", "/api/v1/tokens/", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = response.status, response.read().decode()
        connection.close()
        return answer

    def run(self, *command: str) -> str:
        env = self.env | {"REDIS_URL": f"unix://{self.var / 'run' / 'valkey.sock'}"}
        command = (sys.executable, *command)
        return subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    settings = {"SECRET_KEY": SECRET_KEY, "ALLOWED_HOSTS": "127.0.0.1", "SSL_REDIRECT": "0"}
    running = Site(tmp_path_factory.mktemp("s"), **settings)
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.end()


def test_no_secret_is_in_the_log(site: Site) -> None:
    account = {"display_name": "Bob", "email": "bob@example.org", "new_password": PASSWORD}
    site.ask("GET", "/sign-up/")
    assert site.ask("POST", "/sign-up/", account)[0] == 302
    api_token = re.findall(r'"token": ?"(bp_[\w-]{43})"', site.token()[1])[0]
    link = match_link(site)
    invitation, reset = secrets.token_urlsafe(24), f"MQ/{secrets.token_urlsafe(12)}"
    owner_link = urlsplit(site.run("manage.py", "owner_link").strip()).path
    session, csrf = site.cookies["sessionid"], site.cookies["csrftoken"]

    assert site.ask("POST", f"/m/{link}/withdraw/", {"after": "0"})[0] == 409
    assert site.ask("GET", f"/invitations/{invitation}/")[0] == 404

    assert site.ask("GET", owner_link)[0] == 302
    assert site.ask("POST", f"{owner_link}club/", {})[0] == 422

    site.stop_database()
    elsewhere = {"X-Forwarded-For": "10.0.0.1", "Idempotency-Key": invitation, "Match-Link": link}
    sign_in = {"username": "bob@example.org", "password": PASSWORD}
    answers = [
        site.ask("POST", "/sign-in/", sign_in, **elsewhere)[0],
        site.ask("POST", "/sign-up/", account | {"email": "carol@example.org"})[0],
        site.token()[0],
        site.ask("GET", "/api/v1/me/", Authorization=f"Token {api_token}")[0],
        site.ask("GET", f"/m/{link}/")[0],
        site.ask("GET", f"/password/choose/{reset}/")[0],
        site.ask("GET", f"/invitations/{invitation}/")[0],
        site.ask("GET", owner_link)[0],
        site.ask("POST", f"{owner_link}club/", account)[0],
    ]
    del site.cookies["sessionid"]
    answers += [
        site.ask("POST", "/sign-in/", sign_in)[0],
        site.ask("POST", "/sign-up/", account | {"email": "dave@example.org"})[0],
        site.ask("GET", f"/m/{link}/")[0],
        site.ask("GET", f"/invitations/{invitation}/")[0],
    ]
    assert set(answers) == {500}

    log = site.log()
    assert log.count("Internal Server Error") >= len(answers), "the failures are in the log"
    assert log.count("OperationalError" if POSTGRES else "DatabaseError") >= len(answers), "and so are their tracebacks"
    names = {
        "password": PASSWORD, "session": session, "csrf": csrf, "token": api_token, "link": link,
        "signature": link.rpartition(".")[2], "invitation": invitation, "reset": reset.partition("/")[2],
        "key": SECRET_KEY, "owner": owner_link.split("/")[2],
    }  # fmt: skip
    assert [name for name, secret in names.items() if secret in log] == []
    assert "Conflict: /m/***/withdraw/" in log
    assert "Not Found: /invitations/***/" in log


def match_link(site: Site) -> str:
    """Return the personal link of a player in an open match; created directly, since it cannot be read anywhere."""
    site.run("-m", "tests.faults.create_event", "knockout", "4")
    query = "SELECT public_id FROM matches_match WHERE state = 'open' ORDER BY id LIMIT 1"
    if POSTGRES:
        with psycopg.connect(site.env["DATABASE_URL"]) as connection:
            row = connection.execute(query.encode()).fetchone()
    else:
        import sqlite3

        row = sqlite3.connect(site.var / DATABASE).execute(query).fetchone()
    assert row
    return Signer(key=SECRET_KEY, salt="matches.links", sep=".").sign(f"{row[0]}.0")
