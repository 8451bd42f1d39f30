"""Errors are reported to the service of SENTRY_DSN, without secrets."""

import gzip
import http.server
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("sentry_sdk", reason="sentry-sdk is not installed")
ROOT = Path(__file__).resolve().parents[3]
CRASH = """
import django; django.setup()
from django.test import Client
from django.urls import path
from config import urls

def crash(request):
    password = "crawford-1969"
    raise RuntimeError("cannot sign in with password=crawford-1969")

urls.urlpatterns.append(path("crash/", crash))
client = Client(raise_request_exception=False, headers={"Authorization": "Bearer crawford-1969"})
print(client.post("/crash/?token=crawford-1969", {"note": "crawford-1969"}).status_code)
"""


@pytest.mark.slow
def test_an_error_is_reported_without_secrets() -> None:
    received: list[str] = []

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body).decode())
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env = os.environ | {
            "SENTRY_DSN": f"http://key@127.0.0.1:{server.server_port}/1",
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        }
        done = subprocess.run([sys.executable, "-c", CRASH], cwd=ROOT, env=env, capture_output=True, text=True)
        server.shutdown()
    assert done.stdout == "500\n", done.stderr
    reports = "\n".join(received)
    assert "cannot sign in with password=***" in reports
    assert '"transaction": "/crash/"' in reports or '"transaction":"/crash/"' in reports
    assert "crawford-1969" not in reports
