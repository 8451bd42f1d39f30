"""Every write of the API is sent twice with its key, one after the other and at once: it has one effect, and no 500.

The story of the generated client calls every operation; each write that changes anything is first sent in each way, the
rows being put back in between. A write that declares that its state protects it must change nothing without a key.
"""

import json
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from redis import Redis
from rest_framework.throttling import SimpleRateThrottle

from core.repeats import Repeat
from players.models import User
from tests.api import test_generated_client as story
from tests.api.generated import Api, Site, generate
from tests.concurrency.racing import at_once
from tests.event_cast import bob_player, carol_player, club
from tests.repeats.rows import Rows, changes, restore, settled_rows
from tests.tiers import TIER
from tests.tokens import key_for

__all__ = ["bob_player", "carol_player", "club"]

pytest.importorskip("openapi_python_client", reason="openapi-python-client is not installed")

QUEUES = ("celery", "records", "background", "guests")
MAX_EXAMPLES = 2
"""Of one operation; the story enters many results."""


@dataclass
class Notes:
    """What the walk has seen of the operations that write."""

    valkey: Redis
    examples: Counter[str] = field(default_factory=Counter)
    """Operation -> how often it was sent in each way."""
    faults: list[str] = field(default_factory=list)

    def rows(self) -> Rows:
        """All rows once the workers are idle."""
        return settled_rows(lambda: not any(self.valkey.llen(queue) for queue in QUEUES))

    def fault(self, operation: str, *what: object) -> None:
        self.faults.append(" ".join(map(str, (operation, *what))))


class TwiceApi(Api):
    """A generated client that sends a write that changes something in each way, before it goes on."""

    notes: Notes

    def send(self, operation: str, *args: Any, body: Any = None, **values: Any) -> Any:
        protection = self.site.described[operation].get("x-repeat")

        def sent(**key: str) -> Any:
            for part in (body, getattr(body, "file", None), getattr(body, "image", None)):
                if hasattr(part, "payload"):
                    part.payload.seek(0)
            return super(TwiceApi, self).send(operation, *args, body=body, **values, **key)

        is_known = self.notes.examples[operation] >= MAX_EXAMPLES
        if protection is None or is_known or "idempotency_key" in values:
            return sent()
        return self.sent_in_each_way(
            operation, Repeat(protection), sent, is_text=body is None or isinstance(body, dict)
        )

    def sent_in_each_way(self, operation: str, protection: Repeat, sent: Callable[..., Any], *, is_text: bool) -> Any:
        """Send a request once, again without a key, twice with one, and twice at once; return the last answer."""
        notes = self.notes
        cache.clear()
        before = notes.rows()
        first = sent()
        once = notes.rows()
        if not (effect := changes(before, once)):
            return first
        notes.examples[operation] += 1
        again = sent()
        if again.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            notes.fault(operation, "again:", again.content)
        if protection is Repeat.STATE and (more := changes(once, notes.rows())):
            notes.fault(operation, "declares that its state protects it, and changes", dict(more))

        restore(before)
        key = {"idempotency_key": secrets.token_hex(8)}
        first = sent(**key)
        once = notes.rows()
        again = sent(**key)
        if more := changes(once, notes.rows()):
            notes.fault(operation, "with its key changes", dict(more))
        if protection is Repeat.OWN_KEY:
            return first
        is_gone = protection is Repeat.STATE and again.status_code == HTTPStatus.UNAUTHORIZED
        if not is_gone and (first.status_code, first.content) != (again.status_code, again.content):
            notes.fault(operation, "with its key:", first.content, again.status_code, again.content)
        if is_gone or not is_text:
            # Two threads cannot read one file.
            return first

        restore(before)
        key = {"idempotency_key": secrets.token_hex(8)}
        answers = at_once(lambda: sent(**key), lambda: sent(**key))
        if len({(answer.status_code, answer.content) for answer in answers}) > 1:
            notes.fault(operation, "at once:", *(answer.content for answer in answers))
        if (both := changes(before, notes.rows())) != effect:
            notes.fault(operation, "at once changes", dict(both), "instead of", dict(effect))
        return answers[0]


@pytest.mark.slow
@pytest.mark.landing
@pytest.mark.soak
@pytest.mark.postgresql
@pytest.mark.usefixtures("celery_worker", "club", "bob_player", "carol_player")
def test_every_write_of_the_api_has_one_effect(
    server: str,
    valkey: Redis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    alice: User,
    bob: User,
    carol: User,
    dave: User,
) -> None:
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", dict.fromkeys(("anon", "guest", "user"), "9999/min"))
    assert generate(tmp_path) == "", "every operation is in the client"
    monkeypatch.syspath_prepend(tmp_path)
    site = Site(server, json.loads((tmp_path / "schema.json").read_text()))
    notes = Notes(valkey)
    monkeypatch.setattr(TwiceApi, "notes", notes, raising=False)
    monkeypatch.setattr(site, "client", lambda token="": TwiceApi(site, Site.client(site, token).client))
    cast = story.Cast(*(site.client(key_for(user)) for user in (alice, bob, carol, dave)), nobody=site.client())
    for person in (cast.alice, cast.bob, cast.carol, cast.dave):
        person.player = person("me_retrieve").player
    for chapter in story.CHAPTERS:
        if TIER.every_write or chapter.__name__ in SAMPLE:
            chapter(cast)
    assert notes.faults == []
    assert len(notes.examples) > (120 if TIER.every_write else 15)


SAMPLE = {"seasons", "challenges"}
"""Chapters of the story that are told outside `make soak`."""
