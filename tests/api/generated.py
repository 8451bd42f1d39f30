"""The client that openapi-python-client generates from the API description, for tests."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

from django.core.management import call_command

from config.api_schema import operations

NAME = "barpoint_client"


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


@dataclass
class Answer:
    """An operation that was called, with the status and the headers of its answer."""

    operation: str
    status: int
    headers: set[str]


@dataclass
class Site:
    """A server, the description of its API, and the answers it gave to generated clients."""

    url: str
    description: dict[str, Any]
    answers: list[Answer] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.described = {operation["operationId"]: operation for _path, operation in operations(self.description)}

    def headers_of(self, answer: Answer) -> dict[str, bool]:
        """Return the headers that are described for an answer, in lower case, and whether they are always sent."""
        described = self.described[answer.operation]["responses"]
        body = self.resolved(described.get(str(answer.status), described["default"]))
        headers = {name.lower(): self.resolved(header) for name, header in body.get("headers", {}).items()}
        return {name: header.get("required", False) for name, header in headers.items()}

    def resolved(self, described: dict[str, Any]) -> dict[str, Any]:
        """Return a part of the description, or what it refers to."""
        path = described.get("$ref", "").removeprefix("#/").split("/")
        found: dict[str, Any] = self.description if path[0] else described
        for name in filter(None, path):
            found = found[name]
        return found

    def client(self, token: str = "") -> "Api":
        """Return a generated client with this token; without one, nobody is signed in."""
        package = import_module(NAME)
        if token:
            client = package.AuthenticatedClient(base_url=self.url, token=token, prefix="Token")
        else:
            client = package.Client(base_url=self.url)
        return Api(self, client)


@dataclass
class Api:
    """The generated package with its operations called by name: `alice("clubs_retrieve", "harbour")`."""

    site: Site
    client: Any
    player: str = ""

    def __call__(self, operation: str, *args: Any, body: Any = None, **values: Any) -> Any:
        """Run an operation, whose body is JSON or a model, and return its answer as it was parsed."""
        answer = self.send(operation, *args, body=body, **values)
        assert answer.status_code < 300, (operation, answer.content.decode())
        assert answer.parsed is not None or answer.status_code == 204, (operation, answer.status_code)
        return answer.parsed

    def refused(self, status: int, operation: str, *args: Any, body: Any = None, **values: Any) -> Any:
        """Run an operation that is refused with this status, and return the problem."""
        answer = self.send(operation, *args, body=body, **values)
        assert (answer.status_code, answer.parsed.status) == (status, status), operation
        return answer.parsed

    def send(self, operation: str, *args: Any, body: Any = None, **values: Any) -> Any:
        """Run an operation and return its answer with status and headers."""
        tag = self.site.described[operation]["tags"][0].replace("-", "_")
        module = import_module(f"{NAME}.api.{tag}.{operation}")
        if body is not None:
            values["body"] = self.model(module, body) if isinstance(body, dict) else body
        answer = module.sync_detailed(*args, client=self.client, **values)
        self.called(operation, answer)
        return answer

    def called(self, operation: str, answer: Any) -> None:
        """Note that an operation was answered."""
        self.site.answers.append(Answer(operation, int(answer.status_code), set(answer.headers)))

    @staticmethod
    def model(module: Any, body: dict[str, Any]) -> Any:
        """Return the body of an operation from JSON; if there are several kinds of body, of the last."""
        hint = get_type_hints(module.sync_detailed)["body"]
        models = [kind for kind in (get_args(hint) or (hint,)) if hasattr(kind, "from_dict")]
        return models[-1].from_dict(json.loads(json.dumps(body)))
