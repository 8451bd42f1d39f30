"""What strangers must not read: names behind initials, federation numbers, notes, who is kept apart.

Everything of the demonstration club is made private, every route that can be read is asked for as somebody without an
account and as an unrelated user, and no answer may hold any of it. Routes are taken from the URL configuration and
filled with the rows of the database.
"""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import islice
from typing import Any
from urllib.parse import unquote

import pytest
from django.db.models import Q
from django.test import Client
from django.urls import NoReverseMatch, reverse

from matches.lifecycle import links
from matches.models import Claim, Match, Proposal, Result, Submission
from players.actors import SYSTEM
from players.models import Alias, Club, Player, User
from tests.test_role_walk import ROUTES
from tournaments.demo import club as demo
from tournaments.draws.services.kept_apart import keep_apart
from tournaments.models import Correction, Division, Entry, Fixture, Tournament

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OF_EACH = int(os.environ.get("PRIVACY_ROWS", "4"))
"""Rows of each kind that a route is asked for; raise it to ask for all of them."""
NOTE = "spilled-note"
NUMBER = "FED-4711"
PERSONAL = {"secret", "uidb64"}
"""Places of links that are secrets of whoever they were sent to."""
NO_ROW = "2222222222"
RECORDS = {"submission", "replay", "record", "api-submission", "api-record"}


def make_private() -> None:
    """Everybody shows initials, has a number, and has written notes; some are kept apart."""
    for claim in Claim.objects.all():
        claim.note, claim.answer_note = f"{NOTE} {claim.pk}", f"{NOTE} answer {claim.pk}"
        claim.save()
    open_ = Match.objects.filter(state=Match.State.OPEN).order_by("pk")
    for match in open_[:2]:
        Proposal.objects.create(match=match, side=0, times=[(NOW + timedelta(days=1)).isoformat()], note=NOTE)
    for division in Division.objects.filter(status=Division.Status.ENTRIES):
        first, second = division.entries.filter(status=Entry.Status.IN)[:2]
        keep_apart(first=first, second=second, by=SYSTEM, now=NOW)
    bob, alice = (User.objects.get(email=f"{name}@example.org") for name in ("bob", "alice"))
    Submission.objects.filter(match__isnull=False).update(submitter=bob)
    Result.objects.update(user=alice)
    for player in Player.objects.exclude(user__email__startswith="dave"):
        player.initials_only, player.federation_number = True, f"{NUMBER}-{player.pk}"
        player.save()


def secrets() -> set[str]:
    """What no answer may hold, in lower case."""
    hidden = Player.objects.filter(initials_only=True)
    names = set(hidden.values_list("name", flat=True)) | set(Alias.objects.values_list("name", flat=True))
    return {name.casefold() for name in names} | {NOTE, NUMBER.casefold()}


PLAYED = Match.objects.filter(Q(submissions__isnull=False) | Q(claims__isnull=False))


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    """Values for the places of a route, one set for each row it can be about."""
    places = set(ROUTES[name].pattern.regex.groupindex)
    if "token" in places:
        yield from ({"token": links.token_for(match, None)} for match in PLAYED.distinct())
    elif "fixture" in places:
        yield from rows_with(Fixture.objects.order_by("status", "pk"), "fixture")
    elif "entry" in places:
        yield from rows_with(Entry.objects.all(), "entry")
    elif "correction" in places:
        yield from rows_with(Correction.objects.all(), "correction")
    elif "division" in places:
        yield from rows_with(Division.objects.all(), "division")
    elif "tournament" in places:
        yield from rows_with(Tournament.objects.all(), "tournament")
    elif "public_id" in places:
        yield from rows_with(rows_named(name), "public_id")
    else:
        yield {}


def rows_named(name: str) -> Any:
    """The rows that a `public_id` stands for; records and matches of every kind."""
    if name in RECORDS:
        return Submission.objects.defer("data").order_by("standing", "pk")
    if name.startswith(("match", "api-match")):
        return PLAYED.distinct().order_by("state", "pk")
    return Player.objects.order_by("pk")


def rows_with(rows: Any, place: str) -> Iterator[dict[str, Any]]:
    """Some of the rows, spread over all of them."""
    found = list(rows)
    step = max(1, len(found) // OF_EACH)
    for row in islice(found[::step], OF_EACH):
        yield {place: row.public_id, **around(row)}


def around(row: Any) -> dict[str, Any]:
    """What else is in the address of a row."""
    division = getattr(row, "division", None) or getattr(getattr(row, "stage", None), "division", None)
    if isinstance(row, Correction):
        division = row.fixture.stage.division
    if isinstance(row, Division):
        division = row
    tournament = row if isinstance(row, Tournament) else division.tournament if division else None
    if tournament is None:
        return {}
    return {"club": tournament.club.slug, "slug": tournament.slug}


def addresses(name: str) -> Iterator[str]:
    """Where a route leads, for some rows of each kind."""
    pattern = ROUTES[name].pattern.regex
    others = list(Player.objects.order_by("-pk")[:1])
    common = {"slug": Club.objects.get().slug, "other_id": others[0].public_id, "number": 1, "pk": 1}
    event = Tournament.objects.order_by("pk").first()
    assert event is not None
    if "club" in pattern.groupindex:
        common |= {"club": event.club.slug, "slug": event.slug}
    for row in rows_of(name):
        for extension in ("mat", "sgf", "json", "csv") if "extension" in pattern.groupindex else ("",):
            values = {**common, **row, "extension": extension}
            wanted = {place: values.get(place, NO_ROW) for place in pattern.groupindex}
            try:
                yield reverse(name, kwargs=wanted)
            except NoReverseMatch:
                # Only an extension may be one that this route does not have.
                assert extension, name


def text_of(response: Any) -> str:
    """The whole answer with its headers, as a reader of it could search it."""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    text = content.decode("utf-8", "replace")
    if "json" in response.headers.get("Content-Type", ""):
        text = json.dumps(json.loads(text), ensure_ascii=False)
    headers = "\n".join(f"{key}: {unquote(value)}" for key, value in response.headers.items())
    return unescape(f"{headers}\n{text}").casefold()


@pytest.fixture
def private(dave: User) -> None:
    demo.load(password="crawford-1969", now=NOW)
    make_private()


def leaks_to(client: Client, hidden: set[str]) -> tuple[int, dict[str, list[str]]]:
    """How many answers were read, and by route what was found in them."""
    read, leaks = 0, {}
    for name in ROUTES:
        if PERSONAL & set(ROUTES[name].pattern.regex.groupindex):
            continue
        for address in addresses(name):
            response = client.get(address)
            assert response.status_code < 500, address
            read += response.status_code == 200
            text = text_of(response)
            if found := sorted(secret for secret in hidden if secret in text):
                leaks.setdefault(name, []).append(f"{address}: {found[:4]}")
    return read, leaks


def test_no_route_shows_a_stranger_what_is_private(private: None, dave: User) -> None:
    hidden = secrets()
    assert len(hidden) > 30
    signed_in = Client()
    signed_in.force_login(dave)
    for client in (Client(), signed_in):
        read, leaks = leaks_to(client, hidden)
        assert read > 150
        assert leaks == {}


def test_players_and_directors_read_names_and_notes(private: None) -> None:
    disputed = Match.objects.get(state=Match.State.DISPUTED)
    # The demonstration's draw is by lot, so whoever has an account may be on either side.
    with_account = Q(match__player_0__user__isnull=False) | Q(match__player_1__user__isnull=False)
    proven = Submission.objects.filter(with_account, transcript__isnull=False)[0]
    reader = next(one.user for one in proven.match.players if one.user is not None)
    typed = proven.transcript["players"]
    director, player, other = Client(), Client(), Client()
    director.force_login(User.objects.get(email="alice@example.org"))
    player.force_login(reader)
    other.force_login(User.objects.get(email="dave@example.org"))
    for client in (director, player):
        assert client.get(f"/api/v1/submissions/{proven.public_id}/").json()["verdict"]["players"] == typed
    assert NOTE in text_of(director.get(f"/matches/{disputed.public_id}/"))
    shown = other.get(f"/api/v1/submissions/{proven.public_id}/").json()["verdict"]["players"]
    assert set(shown) == {player.shown_name for player in proven.match.players}
