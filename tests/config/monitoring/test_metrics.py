"""`/metrics` measures requests, queues and sweeps, and is not public."""

import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from redis import Redis

from matches.models import Submission
from matches.tasks import sweep_claims

pytest.importorskip("prometheus_client", reason="prometheus-client is not installed")
from config.monitoring.health import forget_dead_processes

ROOT = Path(__file__).resolve().parents[3]
TOKEN = {"Authorization": "Bearer only-for-tests"}


def value(text: str, name: str) -> float:
    """Return the value of the one line that begins with this name and these labels."""
    (number,) = re.findall(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(number)


@pytest.mark.slow
@pytest.mark.django_db
def test_only_the_operator_reads_metrics(client: Client, settings: Any) -> None:
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404
    assert client.get("/metrics", headers=TOKEN).status_code == 200
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics").status_code == 200, "from this machine"
    for name in ("X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP"):
        assert client.get("/metrics", headers={name: "192.0.2.7"}).status_code == 404, "through a proxy"
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 404


@pytest.mark.slow
@pytest.mark.django_db
def test_requests_queues_and_sweeps_are_measured(client: Client, valkey: Redis) -> None:
    Submission.objects.create(data=b"x", size=1, sha256="0" * 64, created_at=timezone.now() - timedelta(seconds=90))
    valkey.lpush("celery", "a message")
    sweep_claims.apply()
    client.get("/")
    client.get("/nowhere/")
    client.generic("INVENTED", "/nowhere/")
    text = client.get("/metrics", headers=TOKEN).content.decode()
    assert value(text, 'barpoint_request_seconds_count{method="GET",route="home",status="200"}') >= 1
    assert value(text, 'barpoint_request_seconds_count{method="GET",route="none",status="404"}') >= 1
    assert value(text, 'barpoint_database_seconds_total{route="home"}') > 0
    assert value(text, 'barpoint_waiting_work{kind="submissions"}') == 1
    assert 90 <= value(text, 'barpoint_waiting_seconds{kind="submissions"}') < 120
    assert value(text, 'barpoint_queue_messages{queue="celery"}') == 1
    assert 0 <= value(text, 'barpoint_sweep_age_seconds{sweep="matches.sweep_claims"}') < 60
    assert value(text, "barpoint_open_streams") == 0
    assert value(text, 'barpoint_request_seconds_count{method="other",route="none",status="404"}') >= 1
    assert "nowhere" not in text
    assert "INVENTED" not in text


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.usefixtures("broker_down")
def test_metrics_are_answered_without_the_broker(client: Client) -> None:
    text = client.get("/metrics", headers=TOKEN).content.decode()
    assert value(text, 'barpoint_waiting_work{kind="draws"}') == 0


@pytest.mark.slow
def test_one_process_answers_for_all(tmp_path: Path) -> None:
    count = "from config.monitoring import metrics as m; m.observe('GET', 'home', 200, 0.1, m.QueryTime()); "
    count += "m.open_streams.inc()"
    env = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", count], cwd=ROOT, env=env, check=True)
    forget_dead_processes(tmp_path)
    show = "from prometheus_client import *; from prometheus_client.multiprocess import *; r = CollectorRegistry(); "
    show += "MultiProcessCollector(r); print(generate_latest(r).decode())"
    text = subprocess.run([sys.executable, "-c", show], cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    assert value(text.stdout, 'barpoint_request_seconds_count{method="GET",route="home",status="200"}') == 2
    assert "barpoint_open_streams " not in text.stdout, "both processes have ended"
