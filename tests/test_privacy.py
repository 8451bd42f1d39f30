"""Strangers cannot read what is private: names behind initials, federation numbers, notes, who is kept apart.

The whole demo club is made private. Every readable route is requested as an anonymous visitor and as an unrelated user,
and no response may contain any of it. The routes are those of the URL configuration, filled with rows of the database.
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
"""Rows of each kind that a route is requested for; raise it to request all."""
NOTE = "spilled-note"
NUMBER = "FED-4711"
PERSONAL = {"secret", "uidb64"}
"""Parameters of links that work like a key."""
NO_ROW = "2222222222"
RECORDS = {"submission", "replay", "record", "api-submission", "api-record"}


def make_private() -> None:
    """Make everybody show only initials, with a number and notes; some are kept apart."""
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
    """Return what no response may contain, in lower case."""
    hidden = Player.objects.filter(initials_only=True)
    names = set(hidden.values_list("name", flat=True)) | set(Alias.objects.values_list("name", flat=True))
    return {name.casefold() for name in names} | {NOTE, NUMBER.casefold()}


PLAYED = Match.objects.filter(Q(submissions__isnull=False) | Q(claims__isnull=False))


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    """Return parameters of a route, one set for each row it can be about."""
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
    """Return the rows that a `public_id` can refer to; records and matches of every kind."""
    if name in RECORDS:
        return Submission.objects.defer("data").order_by("standing", "pk")
    if name.startswith(("match", "api-match")):
        return PLAYED.distinct().order_by("state", "pk")
    return Player.objects.order_by("pk")


def rows_with(rows: Any, place: str) -> Iterator[dict[str, Any]]:
    """Return some of the rows, spread over all of them."""
    rows_list = list(rows)
    step = max(1, len(rows_list) // OF_EACH)
    for row in islice(rows_list[::step], OF_EACH):
        yield {place: row.public_id, **around(row)}


def around(row: Any) -> dict[str, Any]:
    """Return the other parameters in the URL of a row."""
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
    """Return the URLs of a route for some rows of each kind."""
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
            parameters = {place: values.get(place, NO_ROW) for place in pattern.groupindex}
            try:
                yield reverse(name, kwargs=parameters)
            except NoReverseMatch:
                # Only an extension may be one that this route does not have.
                assert extension, name


def text_of(response: Any) -> str:
    """Return the whole response with its headers."""
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
    """Return the number of responses read, and by route what was leaked in them."""
    read, leaks = 0, {}
    for name in ROUTES:
        if PERSONAL & set(ROUTES[name].pattern.regex.groupindex):
            continue
        for address in addresses(name):
            response = client.get(address)
            assert response.status_code < 500, address
            read += response.status_code == 200
            text = text_of(response)
            if leaked := sorted(secret for secret in hidden if secret in text):
                leaks.setdefault(name, []).append(f"{address}: {leaked[:4]}")
    return read, leaks


def test_no_route_shows_private_data_to_a_stranger(private: None, dave: User) -> None:
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
    # The demo's draw is by lot, so the player with an account may be on either side.
    with_account = Q(match__player_0__user__isnull=False) | Q(match__player_1__user__isnull=False)
    proven = Submission.objects.filter(with_account, transcript__isnull=False)[0]
    reader = next(row.user for row in proven.match.players if row.user is not None)
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
