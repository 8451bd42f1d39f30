"""The API is what its description says: it refuses fields and parameters that no operation has, by name."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import islice, product
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from rest_framework import views

from config.api_schema import METHODS, ApiSchema
from config.page import ApiReference
from core.api import APIView
from matches.models import Match, PoolSettings
from matches.ratings.pools import create_pool
from matches.reporting import appointments
from players.actors import SYSTEM, Actor
from players.joining.services import ask_to_join
from players.models import Club, User
from seasons.imports.seasons import PastInput, import_past
from tests.api.requests import API, problem_code
from tests.api.test_fuzzed import World, known_ids, world
from tests.tokens import key_for

__all__ = ["world"]

PAST = PastInput("name,place\nElif Nord,1")
MAX_TRIES = 40
STAFF = "staff@example.org"
"""How many objects are tried until an account may use one."""


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the method, path and description of each operation."""
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    for path, item in schema["paths"].items():
        if path.startswith(API):
            yield from ((method, path, operation) for method, operation in item.items() if method in METHODS)


@pytest.fixture
def objects(world: World) -> World:
    """The demo club with a pool of its own, times that were proposed to Bob, and somebody who asks to join."""
    now = timezone.now()
    pool = create_pool(club=Club.objects.get(), settings=PoolSettings(name="Club"), by=SYSTEM)
    match = Match.objects.filter(state=Match.State.OPEN, player_1__user__email="bob@example.org").earliest("pk")
    offer = appointments.Dates([now + timedelta(hours=6)])
    proposal = appointments.propose(match=match, side=0, offer=offer, by=Actor.link(0), now=now)
    newcomer = User.objects.create_user("newcomer@example.org", display_name="Newcomer")
    request = ask_to_join(club=Club.objects.get(), user=newcomer, claimed="", by=Actor.of(newcomer), now=now)
    season = import_past(club=Club.objects.get(), name="2019", data=PAST, by=SYSTEM, now=now)
    ids = {
        ("clubs", "id"): [str(pool.pk)],
        ("clubs", "public_id"): [request.public_id, season.public_id, *world.ids["clubs", "public_id"]],
        ("matches", "proposal_id"): [proposal.public_id],
    }
    staff = User.objects.create_superuser(STAFF, display_name="Staff")
    return replace(world, ids=world.ids | ids, tokens=world.tokens | {STAFF: key_for(staff)})


def answers(world: World, method: str, path: str, query: str = "", **sent: Any) -> Iterator[Any]:
    """Yield the responses of one operation to the people and objects of the demo club, each rolled back."""
    names = re.findall(r"{(\w+)}", path)
    known = [world.ids[path.split("/")[3], name] for name in names]
    for ids in islice(product(*known), MAX_TRIES):
        for email in ("alice@example.org", "bob@example.org", "erik@example.org", STAFF):
            client = Client(headers={"Authorization": f"Token {world.tokens[email]}"})
            with transaction.atomic():
                url = path.format(**dict(zip(names, ids, strict=True))) + query
                yield getattr(client, method)(url, content_type="application/json", **sent)
                transaction.set_rollback(True)


@pytest.mark.django_db
def test_every_name_in_a_path_is_one_that_the_tests_have_an_object_for() -> None:
    wanted = {(path.split("/")[3], name) for _, path, _ in operations() for name in re.findall(r"{(\w+)}", path)}
    assert wanted - set(known_ids()) == set()


@pytest.mark.slow
@pytest.mark.django_db
def test_every_operation_refuses_a_field_that_it_does_not_have(objects: World, subtests: pytest.Subtests) -> None:
    writing = [(method, path) for method, path, _ in operations() if method != "get"]
    assert len(writing) > 120
    for method, path in writing:
        with subtests.test(method=method, path=path):
            seen = answers(objects, method, path, data={"nonsense": 1})
            answer = next((answer for answer in seen if answer.status_code not in (401, 403, 404)), None)
            assert answer is not None, "nothing that somebody may change"
            assert problem_code(answer) == (422, "unknown_field")
            assert answer.json()["errors"] == [
                {"field": "nonsense", "code": "unknown_field", "message": "There is no field nonsense."}
            ]


@pytest.mark.slow
@pytest.mark.django_db
def test_every_operation_refuses_a_query_parameter_that_it_does_not_have(
    objects: World, subtests: pytest.Subtests
) -> None:
    for method, path, _ in operations():
        with subtests.test(method=method, path=path):
            refusal = next(answers(objects, method, path, "?nonsense=1"))
            assert problem_code(refusal) == (422, "unknown_field")


NOT_REQUIRED = {"matches_send_record"}
"""Operations that need no version, since a record is valid whatever came before."""


@pytest.mark.slow
@pytest.mark.django_db
def test_every_operation_that_takes_a_version_asks_for_it_in_the_same_way(
    objects: World, subtests: pytest.Subtests
) -> None:
    asking = [
        (method, path, operation)
        for method, path, operation in operations()
        if any(parameter["name"] == "If-Match" for parameter in operation.get("parameters", []))
        and operation["operationId"] not in NOT_REQUIRED
    ]
    assert len(asking) > 25
    for method, path, operation in asking:
        with subtests.test(method=method, path=path):
            examples = operation["requestBody"]["content"]["application/json"]["examples"]
            body = {name: value for name, value in next(iter(examples.values()))["value"].items() if name != "after"}
            for headers in ({}, {"If-Match": '"newest"'}):
                seen = answers(objects, method, path, data=body, headers=headers)
                answer = next((answer for answer in seen if answer.status_code not in (401, 403, 404)), None)
                assert answer is not None, "nothing that somebody may change"
                assert problem_code(answer) == (422, "after_missing")


@pytest.mark.slow
@pytest.mark.django_db
def test_every_operation_that_takes_a_version_takes_the_one_of_a_compressed_answer(
    objects: World, subtests: pytest.Subtests
) -> None:
    reading = (path for method, path, _ in operations() if method == "get" and path.startswith(f"{API}matches/{{"))
    compressed = next(
        answer
        for path in reading
        for answer in answers(objects, "get", path, headers={"Accept-Encoding": "gzip"})
        if "ETag" in answer.headers
    )
    assert compressed["Content-Encoding"] == "gzip"
    assert compressed["ETag"].startswith('W/"')
    writing = [
        (method, path, operation)
        for method, path, operation in operations()
        if any(parameter["name"] == "If-Match" for parameter in operation.get("parameters", []))
        and operation["operationId"] not in NOT_REQUIRED
    ]
    assert len(writing) > 25
    for method, path, operation in writing:
        with subtests.test(method=method, path=path):
            examples = operation["requestBody"]["content"]["application/json"]["examples"]
            body = {name: value for name, value in next(iter(examples.values()))["value"].items() if name != "after"}
            seen = answers(objects, method, path, data=body, headers={"If-Match": compressed["ETag"]})
            answer = next((answer for answer in seen if answer.status_code not in (401, 403, 404)), None)
            # With this version some objects are not there any more; a header that is not understood is 422 everywhere.
            assert answer is None or answer.status_code < 400 or problem_code(answer)[1] != "after_missing"


def api_views(resolver: URLResolver) -> Iterator[Any]:
    """Yield the callback of each URL that is a view of REST framework."""
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from api_views(entry)
        elif issubclass(getattr(entry.callback, "cls", object), views.APIView):
            yield entry.callback


def test_every_endpoint_refuses_what_its_description_does_not_name() -> None:
    endpoints = [view.cls for view in api_views(get_resolver())]
    assert len(endpoints) > 120
    assert {cls for cls in endpoints if not issubclass(cls, APIView)} == {ApiSchema, ApiReference}
