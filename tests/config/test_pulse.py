"""The first request to a web process begins its pulse, and waits until an outage before it is credited."""

import threading
import urllib.request
from datetime import timedelta
from typing import Any

import pytest
import uvicorn
from django.db import connection
from django.utils import timezone

from config import asgi
from config.web_process import WebPulse
from matches.models import Outage, Pulse
from tests.config.test_downloads import eventually


@pytest.mark.django_db(transaction=True)
def test_the_first_request_after_a_restart_ends_an_outage(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = timezone.now() - timedelta(minutes=5)
    Pulse.objects.create(pk=Pulse.ONLY, beat_at=before)
    settings.WEB_PULSE = True
    monkeypatch.setattr(asgi, "pulse", WebPulse())
    server = uvicorn.Server(uvicorn.Config(asgi.application, port=0, lifespan="off", log_config=None))
    thread = threading.Thread(target=server.run)
    thread.start()
    eventually(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/clubs/", timeout=10) as response:
        assert response.status == 200
    outage = Outage.objects.get()
    assert outage.started_at == before
    assert outage.credited_at is not None
    first = Pulse.objects.get().beat_at
    eventually(lambda: Pulse.objects.get().beat_at > first)
    server.should_exit = True
    thread.join(10)
    connection.close()
