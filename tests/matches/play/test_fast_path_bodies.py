"""What the fast path reads of a body is what the view reads, whatever a client sends."""

import json
from typing import Any

from django.test import RequestFactory
from hypothesis import example, given
from hypothesis import strategies as st
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.settings import api_settings

from core.api import validated
from engine.actions import Act
from engine.errors import Refused
from matches.play.acting import OF_PLAYERS, ActionInput
from matches.play.api import MAX_KEY_LENGTH, LiveActionInputSerializer, _key, _value
from matches.play.fast_path import DEFAULTS, REQUIRED, ActionRequest, NotFast, action_request

LINK = "ab" * 32
ODD = st.sampled_from(
    [None, True, False, 0, 1, 5, 60, 61, -1, 2.0, 2**31, 10**25, "", " ", "1", "\0", "é", "٣", "\ud83c", [], [1], {}]
)
FIELDS: dict[str, Any] = {
    "kind": st.sampled_from(["roll", "play", "double", "take"]) | st.sampled_from(sorted(map(str, OF_PLAYERS))),
    "after": st.integers(0, 10**6),
    "play": st.sampled_from(
        ["8/5 6/5", "", " 8/5  6/5 ", "bar/20*", "24/18*/13", "6/off(2)", "x", "8/5" * 20, "8/5\t6/5"]
    ),
    "link": st.sampled_from([LINK, "", LINK.upper(), f"{LINK}\n", f" {LINK}", LINK[1:]]),
    "seen": st.integers(0, 9),
    "play_forced": st.booleans() | st.sampled_from(["true", "on", 1]),
    "bear_off": st.booleans(),
    "tab": st.sampled_from(["t", "", "k3v9-_", "t" * 32, "t" * 33, "té", "t\n", " t"]),
    "every": st.integers(0, 70),
    "seat": st.sampled_from(["", "a.b:c", "a" * 300, "a" * 301, " a", "a\0"]),
    "value": st.integers(1, 3),
    "days": st.integers(1, 3),
    "dice": st.just([6, 6]),
}
USUAL = {"kind": FIELDS["kind"], "after": FIELDS["after"]}
"""Usual bodies, of which single fields are odd or missing."""


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """Nearly always an action in JSON; at times text that is none, or in another encoding."""
    names = draw(st.sets(st.sampled_from(sorted(FIELDS)), max_size=4)) | USUAL.keys()
    fields = {name: draw(FIELDS[name]) for name in sorted(names)}
    if "play" in fields or fields["kind"] == Act.PLAY:
        fields |= {"kind": draw(st.sampled_from(["play", "play", "roll"])), "play": draw(FIELDS["play"])}
    change = draw(st.integers(0, 5))
    if change == 0:
        fields[draw(st.sampled_from(sorted(fields)))] = draw(ODD)
    elif change == 1:
        del fields[draw(st.sampled_from(sorted(fields)))]
    text = json.dumps(fields, ensure_ascii=draw(st.booleans()))
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(["", ",", '"', "}", "NaN", '"after": 1, ', "[" * 3000])) + text[at:]
    encoding = draw(st.sampled_from(["utf-8"] * 12 + ["utf-16", "utf-32", "utf-8-sig", "latin-1"]))
    return text.encode(encoding, "backslashreplace" if encoding == "latin-1" else "surrogatepass")


def read_plainly(body: bytes, key: str) -> ActionRequest | None:
    """What the view makes of a body; None if it refuses it."""
    sent = RequestFactory().generic("POST", "/", body, "application/json", headers={"Idempotency-Key": key})
    request = Request(sent, parsers=[parser() for parser in api_settings.DEFAULT_PARSER_CLASSES])
    try:
        form = validated(LiveActionInputSerializer, request)
        names = ("kind", "after", "moves", "link", "play_forced", "bear_off")
        fields = {name: form[name] for name in names} | {"value": _value(form), "seen": form.get("seen")}
        return ActionRequest(ActionInput(key=_key(request), **fields), form["tab"], form["every"], form["seat"])
    except (APIException, Refused):
        return None


def read_shortly(body: bytes, key: str) -> ActionRequest | None:
    try:
        return action_request(body, key)
    except (NotFast, Refused):
        return None


@given(bodies(), st.sampled_from(["", "k", "k" * MAX_KEY_LENGTH, "k" * (MAX_KEY_LENGTH + 1)]))
@example(b'{"kind": []}', "")
@example(b'{"kind": "roll"}', "")
@example(b"[" * 3000, "")
@example('{"kind": "roll", "after": 1}'.encode("utf-16"), "")
@example(b'{"kind": "roll", "after": 1, "seat": "%s"}' % (b"a" * 301), "")
def test_the_fast_path_takes_no_body_that_the_view_refuses_or_reads_differently(body: bytes, key: str) -> None:
    short = read_shortly(body, key)
    assert short in (None, read_plainly(body, key))


@given(
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["roll", "double", "take"]), "after": FIELDS["after"], "seat": st.just("a.b:c")},
        optional={name: FIELDS[name] for name in ("seen", "bear_off")} | {"every": st.integers(5, 60)},
    )
)
def test_the_fast_path_takes_what_pages_send(fields: dict[str, Any]) -> None:
    body = json.dumps(fields).encode()
    assert fields.keys() <= REQUIRED | DEFAULTS.keys()
    assert read_shortly(body, "k") == read_plainly(body, "k") is not None
