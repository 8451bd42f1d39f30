"""A client that openapi-python-client generates from the API description runs an event."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from players.models import User
from tournaments.draws import services as draws
from tournaments.models import Draw

NAME = "barpoint_client"
pytest.importorskip("openapi_python_client", reason="openapi-python-client is not installed")
httpx = pytest.importorskip("httpx", reason="httpx comes with openapi-python-client")


def generate(folder: Path) -> str:
    """Write a client package to a folder, and return the generator's warnings."""
    call_command("spectacular", format="openapi-json", file=str(folder / "schema.json"))
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta=none"]
    command += [f"--path={folder / 'schema.json'}", f"--output-path={folder / NAME}"]
    # Without the step that formats the code. The generator sends only bytes of the types that it knows.
    config = "post_hooks: []\ncontent_type_overrides: {text/csv: application/octet-stream}\n"
    (folder / "config.yml").write_text(config)
    command.append(f"--config={folder / 'config.yml'}")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return "\n".join(line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("Generating"))


class ToTestClient(httpx.BaseTransport):  # type: ignore[misc]
    """Sends the requests of httpx to Django's test client."""

    def handle_request(self, request: Any) -> Any:
        """Return the site's answer."""
        path = request.url.raw_path.decode()
        headers = {name: value for name, value in request.headers.items() if name != "cookie"}
        content_type = headers.pop("content-type", "application/json")
        answer = Client().generic(request.method, path, request.read(), content_type, headers=headers)
        return httpx.Response(answer.status_code, headers=dict(answer.headers), content=answer.content)


class Api:
    """The generated package, with the names of operations as methods: `divisions.stages_set(…)`."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.models = import_module(f"{NAME}.models")

    def __call__(self, operation: str, *args: Any, **values: Any) -> Any:
        """Run an operation, such as `divisions.stages_set`, and return its parsed answer."""
        module = import_module(f"{NAME}.api.{operation}")
        answer = module.sync_detailed(*args, client=self.client, **values)
        assert answer.status_code < 300, (operation, answer.content)
        return answer.parsed

    def make(self, model: str, **values: Any) -> Any:
        """Return a value of a model from JSON."""
        return getattr(self.models, model).from_dict(json.loads(json.dumps(values)))


def play_event(api: Api, club_slug: str, wait: Callable[[], None]) -> Any:
    """Run an event from its creation to its end, and return its bracket; `wait` lets a worker draw."""
    event = {"club": club_slug, "name": f"Club Open {time.time_ns()}", "starts_at": "2026-12-05T18:30:00+01:00"}
    tournament = api("tournaments.tournaments_create", body=api.make("NewEvent", **event)).public_id
    fields = api.make("DivisionFields", name="Open", match_length=3)
    division = api("tournaments.divisions_create", tournament, body=fields)
    stage = {"format": "double", "lengths": [3], "second_final": True}
    body = api.make("NewStages", stages=[stage], after=division.seq)
    (stored,) = api("divisions.stages_set", division.public_id, body=body)
    assert (stored.format_.value, stored.lengths, stored.second_final) == ("double", [3], True)
    names = ["Elif", "Omar", "Uma", "Ines"]
    api("divisions.entries_paste", division.public_id, body=api.make("NameList", names=names))
    api("tournaments.tournaments_publish", tournament)
    draft = api("divisions.draws_create", division.public_id).number
    while (draw := api("divisions.draws_retrieve", division.public_id, draft)).state.value == "requested":
        wait()
    assert len(draw.places) == 4
    seq = api("divisions.divisions_retrieve", division.public_id).seq
    api("divisions.draws_publish", division.public_id, body=api.make("After", after=seq))
    while ready := [
        fixture
        for fixture in api("divisions.fixtures_list", division.public_id).results
        if fixture.status.value == "ready"
    ]:
        score = api.make("PlayedScore", score=[3, 1], after=ready[0].seq)
        api("fixtures.fixtures_result", ready[0].public_id, body=score)
    return api("divisions.divisions_bracket", division.public_id)


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.usefixtures("club")
def test_a_generated_client_runs_an_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: Client, alice: User, password: str
) -> None:
    assert generate(tmp_path) == "", "every operation is in the client"
    monkeypatch.syspath_prepend(tmp_path)
    credentials = {"email": alice.email, "password": password}
    token = client.post("/api/v1/tokens/", credentials, content_type="application/json").json()["token"]
    generated = import_module(NAME).AuthenticatedClient(base_url="http://testserver", token=token, prefix="Token")
    headers = {"Authorization": f"Token {token}"}
    generated.set_httpx_client(httpx.Client(transport=ToTestClient(), base_url="http://testserver", headers=headers))

    def draw() -> None:
        draws.make_draft(draw_id=Draw.objects.get(state=Draw.State.REQUESTED).pk, now=timezone.now())

    bracket = play_event(Api(generated), "harbour", draw)
    assert bracket.status.value == "finished"
