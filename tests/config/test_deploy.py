"""The files of `deploy/` start the processes that `make run` starts, with settings that exist."""

import ipaddress
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
import yaml
from django.core.management import get_commands
from django.urls import resolve
from jsonschema import Draft202012Validator
from redis import Redis

from config.processes import spawn, stop
from config.valkey import free_port, prepare
from config.wsgi_threads import MAX_BODY
from core.queue import BACKGROUND, OUTGOING, RECORDS, URGENT
from tests.config.test_downloads import eventually

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
PYTHON = "/opt/barpoint/.venv/bin/python"


def compose() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text())
    return content


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield the arguments of every Python command of the units and of Compose, with the name of the file."""
    for unit in UNITS:
        lines = re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)
        assert lines, unit.name
        for line in lines:
            python, *arguments = shlex.split(line)
            assert python == PYTHON
            yield unit.name, arguments
    ours = {name: service for name, service in compose()["services"].items() if service["image"] == "barpoint"}
    for name, service in ours.items():
        for command in re.split(r"&&", service.get("command", "").removeprefix("sh -c").strip(' "')):
            if command:
                python, *arguments = shlex.split(command)
                assert python == "python"
                yield f"compose {name}", arguments


def test_every_command_exists() -> None:
    all_commands = list(commands())
    assert len(all_commands) > 12
    for place, arguments in all_commands:
        if arguments[0] == "manage.py":
            assert arguments[1] in get_commands(), place
        else:
            assert arguments[:2] in (["-m", "uvicorn"], ["-m", "celery"]), place


@pytest.mark.parametrize("kind", ["unit", "compose"])
def test_every_process_is_there_and_every_queue_is_worked_off(kind: str) -> None:
    texts = [" ".join(arguments) for place, arguments in commands() if place.startswith("compose") == (kind != "unit")]
    for process in ("uvicorn config.asgi:application", "manage.py run_clock", "beat --pidfile=", "manage.py migrate"):
        assert any(process in text for text in texts), process
    worked_off = {queue for text in texts for queue in ",".join(re.findall(r"--queues=(\S+)", text)).split(",")}
    assert {URGENT, RECORDS, BACKGROUND, OUTGOING} <= worked_off


def test_compose_brings_database_broker_and_proxy_and_trusts_only_the_proxy() -> None:
    content = compose()
    services = content["services"]
    assert {"postgres", "valkey", "caddy", "web", "worker", "records", "outgoing", "clock", "beat"} <= services.keys()
    caddy = services["caddy"]["networks"]["default"]["ipv4_address"]
    assert services["web"]["environment"]["FORWARDED_ALLOW_IPS"] == caddy
    assert not any("ports" in service for name, service in services.items() if name != "caddy")


TEXT, TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
VALUES = {"type": "object", "additionalProperties": {"type": "string"}}
SERVICE_SCHEMA = {
    "type": "object",
    "required": ["image"],
    "additionalProperties": False,
    "properties": {
        **dict.fromkeys(("image", "command", "env_file", "stop_grace_period"), TEXT),
        **dict.fromkeys(("volumes", "ports"), TEXTS),
        "build": {"type": "object", "properties": {"context": TEXT, "dockerfile": TEXT}, "additionalProperties": False},
        "environment": VALUES,
        "restart": {"enum": ["no", "always", "on-failure", "unless-stopped"]},
        "depends_on": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["condition"],
                "properties": {
                    "condition": {"enum": ["service_started", "service_healthy", "service_completed_successfully"]}
                },
            },
        },
        "healthcheck": {
            "type": "object",
            "properties": {"test": TEXTS, "interval": {"pattern": "^[0-9]+s$"}},
            "additionalProperties": False,
        },
        "networks": {"type": "object"},
    },
}
"""The part of the Compose specification that we use; a value that YAML reads as a boolean or number is a mistake."""


def test_compose_has_the_form_of_its_specification_and_names_only_what_it_defines() -> None:
    content = compose()
    services = content["services"]
    assert content.keys() - {"x-barpoint"} == {"name", "services", "networks", "volumes"}
    for name, service in services.items():
        faults = [error.message for error in Draft202012Validator(SERVICE_SCHEMA).iter_errors(service)]
        assert faults == [], name
        assert service.get("depends_on", {}).keys() <= services.keys(), name
        healthy = [other for other, need in service.get("depends_on", {}).items() if "healthy" in need["condition"]]
        assert all("healthcheck" in services[other] for other in healthy), name
        named = {
            source for source in (volume.split(":")[0] for volume in service.get("volumes", [])) if "/" not in source
        }
        assert named <= content["volumes"].keys(), name
    subnet = ipaddress.ip_network(content["networks"]["default"]["ipam"]["config"][0]["subnet"])
    assert ipaddress.ip_address(services["caddy"]["networks"]["default"]["ipv4_address"]) in subnet


def test_the_example_has_only_documented_settings_and_no_secret() -> None:
    lines = (DEPLOY / "barpoint.env.example").read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    documented = (ROOT / "docs" / "deployment.md").read_text()
    assert {name for name in values if f"`{name}`" not in documented and name not in documented} == set()
    assert values["SECRET_KEY"] == ""
    assert "@" not in values["REDIS_URL"]
    assert re.fullmatch(r"postgresql://\w+@[^:]+", values["DATABASE_URL"]), "no password"


def test_caddy_accepts_its_file() -> None:
    if shutil.which("caddy") is None:
        pytest.skip("Caddy is not installed")
    arguments = ["--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile"]
    done = subprocess.run(["caddy", "validate", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    formatted = subprocess.run(["caddy", "fmt", DEPLOY / "Caddyfile"], capture_output=True, text=True, check=False)
    assert formatted.stdout == (DEPLOY / "Caddyfile").read_text()


@pytest.mark.parametrize("name", ["Caddyfile", "Caddyfile.lan"])
def test_what_caddy_says_by_itself_is_not_taken_for_an_answer_of_the_site(name: str, tmp_path: Path) -> None:
    if shutil.which("caddy") is None:
        pytest.skip("Caddy is not installed")
    port, nobody = free_port(), free_port()
    # Neither certificates nor ports that others may use.
    text = (DEPLOY / name).read_text().replace("https://{$SITE}", "{$SITE}").replace("tls internal", "")
    text = re.sub(r"^\{", "{\n\tadmin off", text, count=1, flags=re.MULTILINE)
    (tmp_path / name).write_text(re.sub(r"http://\{\$SITE\}:8080 \{.*", "", text, flags=re.DOTALL))
    environment = {"SITE": f"http://127.0.0.1:{port}", "UPSTREAMS": f"127.0.0.1:{nobody}", "PORT": str(nobody)}
    arguments = ["caddy", "run", "--config", tmp_path / name, "--adapter", "caddyfile"]
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    process = subprocess.Popen(arguments, env={**os.environ, **environment, **home}, stderr=subprocess.DEVNULL)
    try:
        with pytest.raises(HTTPError) as answer:
            eventually(lambda: answered(f"http://127.0.0.1:{port}/"))
    finally:
        process.terminate()
        process.wait()
    assert answer.value.code in (502, 503)
    assert "Barpoint" not in answer.value.headers


def answered(url: str) -> bool:
    """Whether the proxy is up yet. Raises HTTPError for an answer that is an error."""
    try:
        urlopen(url, timeout=20)
    except HTTPError:
        raise
    except URLError:
        return False
    return True


def test_only_the_health_check_takes_a_web_process_out_of_service() -> None:
    directives = [line.split() for line in (DEPLOY / "Caddyfile").read_text().splitlines() if line.strip()]
    names = {directive[0] for directive in directives}
    assert names.isdisjoint({"fail_duration", "max_fails", "unhealthy_status", "unhealthy_latency"})
    (path,) = [directive[1] for directive in directives if directive[0] == "health_uri"]
    assert resolve(path).url_name == "healthz"


def test_the_proxy_passes_on_all_that_a_web_process_reads() -> None:
    (size,) = re.findall(r"max_size (\d+)MB", (DEPLOY / "Caddyfile").read_text())
    assert int(size) * 1000**2 > MAX_BODY


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    for path in (DEPLOY / "systemd").iterdir():
        (tmp_path / path.name).write_text(path.read_text().replace(PYTHON, sys.executable))
    units = [str(path) for path in sorted(tmp_path.iterdir())]
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    complaints = [line for line in done.stderr.splitlines() if "barpoint" in line]
    assert (done.returncode, complaints) == (0, [])


def test_a_shell_reads_the_example_as_systemd_does() -> None:
    script = 'set -a; . "$0"; printf %s "$DEFAULT_FROM_EMAIL"'
    done = subprocess.run(["sh", "-c", script, DEPLOY / "barpoint.env.example"], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("Barpoint <barpoint@bg.example.org>", "")


def test_the_image_has_a_folder_of_its_user_for_each_volume() -> None:
    (folders,) = re.findall(r"install --directory --owner=barpoint .*?((?: /\S+)+)$", dockerfile(), re.MULTILINE)
    ours = [service for service in compose()["services"].values() if service["image"] == "barpoint"]
    mounted = {volume.partition(":")[2] for service in ours for volume in service["volumes"]}
    assert mounted == set(folders.split())


def dockerfile() -> str:
    return (DEPLOY / "compose" / "Dockerfile").read_text()


def test_the_broker_starts_with_the_configuration_that_is_shipped(tmp_path: Path) -> None:
    server = prepare(tmp_path)
    own = DEPLOY / "valkey.conf"
    process = spawn((*server.argv, "--include", str(own)))
    try:
        server.wait_until_up(process)
        with Redis.from_url(server.url) as client:
            shipped = {name: client.config_get(name)[name] for name in ("save", "appendonly", "maxmemory-policy")}
        assert shipped == {"save": "", "appendonly": "no", "maxmemory-policy": "noeviction"}
    finally:
        stop(process, 5)
    assert compose()["services"]["valkey"]["volumes"] == ["../valkey.conf:/etc/valkey/barpoint.conf:ro"]
