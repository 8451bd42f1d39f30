"""Every form that the pages of the demo club offer has one effect if it is sent twice, or twice at once."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import transaction
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from core.repeats import Repeat, protection_of
from players.models import IdempotencyKey, User
from tests import demo_club
from tests.access.crawler import FAULT, Form, Page, Walk, Way
from tests.access.test_crawl import states
from tests.concurrency.racing import at_once
from tests.names import NAME, unseen_names
from tests.repeats.rows import Rows, all_rows, changes, restore
from tests.tiers import TIER

ROLES = ("owner", "player")
"""They are offered every form but those of visitors, and those of somebody else's account."""
MAX_STEPS = 5
TYPED = {
    "alias": "Nadja",
    "amount": "100",
    "email": "nadia@example.org",
    "fee": "5",
    "label": "Once",
    "length": "5",
    "name": "Nadia Berg",
    "names": "Nadia Berg\nOle Lund",
    "note": "Once",
    "points": "2",
    "reason": "Once",
    "shares": "100",
    "starts_at": "2027-01-11T19:00",
    "text": "Once",
    "times": "2027-01-11T19:00",
}
"""What is typed into an empty field of this name."""


class Forms(Walk):
    """The forms that a user comes to, which the walk itself does not send."""

    found: dict[str, Form]

    def _go(self, way: Way, steps: int) -> Page | None:
        if way.form.method != "post":
            return super()._go(way, steps)
        self.found.setdefault(name_of(way.form), way.form)
        return None

    def _kind(self, form: Form) -> tuple[str, str]:
        name, state = super()._kind(form)
        return (name_of(form), state) if name == "floor-action" else (name, state)


def name_of(form: Form) -> str:
    """The route of a form, with what it does if the route is for many things."""
    match = resolve(urlsplit(form.url).path)
    return " ".join(filter(None, (match.url_name, match.kwargs.get("action"))))


def forms_of(client: Client) -> Iterator[tuple[str, Form]]:
    walk = Forms(client, MAX_STEPS, states())
    walk.found = {}
    walk.run()
    yield from walk.found.items()


def faults_of(form: Form, before: Rows, post: Callable[[], Any]) -> Iterator[str]:
    """Send a form twice, and twice at once, and say what it did twice; nothing if it does nothing at all."""
    protection = protection_of(resolve(urlsplit(form.url).path).func, "POST")
    first = post()
    once = all_rows()
    if not (effect := changes(before, once)) or protection is Repeat.HARMLESS:
        undo(before)
        return
    again = post()
    if protection is Repeat.KEY and answered(first) != answered(again):
        yield f"answers {answered(again)} after {answered(first)}"
    if more := changes(once, all_rows()):
        yield f"({protection}) changes {dict(more)} again after {dict(effect)}"
    undo(before)
    answers = at_once(post, post)
    faults = [answer for answer in (again, *answers) if isinstance(answer, Exception) or answer.status_code >= FAULT]
    if faults:
        yield f"fails: {faults}"
    if (both := changes(before, all_rows())) != effect:
        yield f"({protection}) changes {dict(both)} at once instead of {dict(effect)}"
    undo(before)


def answered(answer: Any) -> tuple[int, str | None]:
    """Return what a browser is told."""
    return answer.status_code, answer.get("Location")


def undo(before: Rows) -> None:
    """Put the rows back, and forget the keys of the forms that were sent."""
    restore(before)
    IdempotencyKey.objects.all().delete()


def signed_in(user: User) -> Client:
    """Return a browser with a session of its own: the last one may have ended by a form."""
    client = Client()
    client.force_login(user)
    return client


def send(user: User, form: Form) -> Any:
    """Send a form, with something in the fields that are empty."""
    return signed_in(user).post(form.url, {key: value or TYPED.get(key, "") for key, value in form.data})


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not TIER.every_write, reason="only `make soak` sends every form; test_sample.py sends some")
def test_every_form_has_one_effect() -> None:
    cast = demo_club.load(now=timezone.now())
    faults: list[str] = []
    tried: set[str] = set()
    for role in ROLES:
        user = cast[role]
        assert user is not None
        before = all_rows()
        for name, form in forms_of(signed_in(user)):
            tried.add(name)
            faults += [f"{role}: {name} {fault}" for fault in faults_of(form, before, partial(send, user, form))]
    assert faults == []
    assert len(tried) > 100


@pytest.mark.slow
@pytest.mark.postgresql
@pytest.mark.django_db
def test_no_form_takes_a_name_that_cannot_be_seen() -> None:
    owner = demo_club.load(now=timezone.now())["owner"]
    assert owner is not None
    before, sent, failed = unseen_names(), list[tuple[str, str]](), list[str]()
    for name, form in forms_of(signed_in(owner)):
        names = [field for field, _value in form.data if NAME.fullmatch(field) and field not in ("event", "title")]
        for field in names:
            for text in ("\u200b", "An\u00adna \u2060Berg"):
                data = {key: value or TYPED.get(key, "") for key, value in form.data}
                with transaction.atomic():
                    signed_in(owner).post(form.url, {**data, field: text})
                    failed += [f"{name} {field}: {row}" for row in unseen_names() - before]
                    transaction.set_rollback(True)
                sent.append((name, field))
    assert failed == []
    assert len(sent) > 20
