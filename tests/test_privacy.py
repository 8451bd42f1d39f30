"""Strangers cannot read what is private: names behind initials, federation numbers, notes, who is kept apart.

The whole demo club is made private. Every readable route is requested as an anonymous visitor and as the owner of
another club, and no response may contain any of it, not even a surname. The routes are those of the URL configuration,
filled with rows of the database.
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
from django.apps import apps
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import transaction
from django.db.models import JSONField, Model, Q
from django.test import Client
from django.urls import NoReverseMatch, reverse
from pytest_django import DjangoDbBlocker

from matches.lifecycle import links
from matches.models import (
    Challenge,
    ChatMessage,
    ChatReport,
    Claim,
    FriendlyBlock,
    Match,
    Objection,
    Proposal,
    Result,
    Submission,
)
from matches.play.codec import from_data
from matches.play.lobby.services import challenges
from matches.play.lobby.services.challenges import ChallengeInput
from matches.play.public_state import STREAMED, streamed_state
from players.accounts.services import register_user
from players.actors import SYSTEM, Actor, log
from players.clubs.services import create_club
from players.models import AccountSession, Alias, Club, LogEntry, Player, PushSubscription, User
from players.people.services import erase_player
from players.privacy import mentions
from tests.test_role_walk import ROUTES
from tournaments.demo import club as demo
from tournaments.draws.services.kept_apart import keep_apart
from tournaments.models import (
    CashCount,
    Correction,
    Division,
    Entry,
    Fixture,
    Payment,
    Table,
    Tournament,
    Withdrawal,
)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OF_EACH = int(os.environ.get("PRIVACY_ROWS", "4"))
"""Rows of each kind that a route is requested for; raise it to request all."""
NOTE = "spilled-note"
NUMBER = "FED-4711"
PERSONAL = {
    "event_token",
    "secret",
    "uidb64",
    "feed_token",
    "pairing_token",
    "unsubscribe_token",
    "notification",
    "browser",
    "export",
}
"""Parameters of links that work like a key, or that only their owner has."""
NO_ROW = "2222222222"
OF_PLAYERS = {
    "api-bracket",
    "api-draws",
    "api-entries",
    "api-fixtures",
    "api-live",
    "api-live-chat",
    "api-live-dice",
    "api-match",
    "api-members",
    "api-pairings",
    "api-player",
    "api-report",
    "api-standings",
    "api-submission",
    "api-tournament-floor",
    "club",
    "division",
    "embed-bracket",
    "embed-calls",
    "embed-standings",
    "event",
    "event-calendar",
    "event-report",
    "event-tv",
    "event-wall",
    "home",
    "match",
    "match-dice",
    "match-link",
    "match-play",
    "pairings",
    "pairings-file",
    "paper-draws",
    "player",
    "players",
    "prizes",
    "rankings",
    "ranking-csv",
    "rated-matches-csv",
    "record",
    "replay",
    "standings",
    "standings-file",
    "submission",
    "table-now",
    "versus",
}
"""Routes that are about players and public: each must have been read with a row."""
SHORTEST_SURNAME = 4
"""Letters; a shorter surname could be part of another word."""
RECORDS = {
    "submission",
    "replay",
    "replay-picture",
    "record",
    "record-analysis",
    "api-submission",
    "api-record",
    "api-record-analysis",
}
PLAYED_HERE = ("api-live", "match-play", "match-dice", "match-replay", "match-record")


def make_private() -> None:
    """Make everybody show only initials, with a number and notes; some are kept apart."""
    for claim in Claim.objects.all():
        claim.note, claim.answer_note = f"{NOTE} {claim.pk}", f"{NOTE} answer {claim.pk}"
        claim.save()
    open_ = Match.objects.filter(state=Match.State.OPEN).order_by("pk")
    for match in open_[:2]:
        Proposal.objects.create(match=match, side=0, times=[(NOW + timedelta(days=1)).isoformat()], note=NOTE)
    for claim in Claim.objects.order_by("pk")[:2]:
        Objection.objects.create(match=claim.match, claim=claim, side=0, reason=NOTE, answer=NOTE)
    for division in Division.objects.filter(status=Division.Status.ENTRIES):
        first, second = division.entries.filter(status=Entry.Status.IN)[:2]
        keep_apart(first=first, second=second, by=SYSTEM, now=NOW)
    bob, alice = (User.objects.get(email=f"{name}@example.org") for name in ("bob", "alice"))
    Submission.objects.filter(match__isnull=False).update(submitter=bob)
    Result.objects.update(user=alice)
    Payment.objects.update(note=NOTE)
    for event in Tournament.objects.all():
        CashCount.objects.create(tournament=event, expected=1, counted=2, note=NOTE)
    talk_in_a_friendly(bob, alice)
    for player in Player.objects.exclude(user__email__startswith="dave"):
        player.initials_only, player.federation_number = True, f"{NUMBER}-{player.pk}"
        player.save()


def talk_in_a_friendly(bob: User, alice: User) -> None:
    """Bob and Alice play here and talk; Carol comments, Alice reports it and blocks her; a challenge is open."""
    by, carol = Actor.of(bob), User.objects.get(email="carol@example.org")
    offered = challenges.make_challenge(player=bob.player, wish=ChallengeInput(5), by=by, now=NOW)
    match = challenges.accept(challenge=offered, player=alice.player, by=by, now=NOW)
    ChatMessage.objects.create(match=match, room="players", side=0, user=bob, text=NOTE)
    comment = ChatMessage.objects.create(match=match, room="spectators", user=carol, text="Nice!")
    ChatReport.objects.create(message=comment, side=1, user=alice, reason=NOTE)
    FriendlyBlock.objects.create(player=alice.player, blocked=carol.player)
    challenges.make_challenge(player=alice.player, wish=ChallengeInput(3), by=by, now=NOW)


def secrets() -> set[str]:
    """Return what no response may contain, in lower case."""
    hidden = Player.objects.filter(initials_only=True)
    names = set(hidden.values_list("name", flat=True)) | set(Alias.objects.values_list("name", flat=True))
    surnames = {surname for name in names if len(surname := name.split()[-1]) >= SHORTEST_SURNAME}
    return {name.casefold() for name in names | surnames} | {NOTE, NUMBER.casefold()}


PLAYED = Match.objects.filter(Q(submissions__isnull=False) | Q(claims__isnull=False))
LIVE = Match.objects.filter(live__isnull=False)


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
    elif "table" in places:
        yield from rows_with(Table.objects.all(), "table")
    elif "tournament" in places:
        yield from rows_with(Tournament.objects.all(), "tournament")
    elif "club" in places:
        yield from ({**around(event)} for event in Tournament.objects.all())
    elif "public_id" in places:
        yield from rows_with(rows_named(name), "public_id")
    else:
        yield {}


def rows_named(name: str) -> Any:
    """Return the rows that a `public_id` can refer to; records and matches of every kind."""
    if name in RECORDS:
        return Submission.objects.defer("data").order_by("standing", "pk")
    if name.startswith(PLAYED_HERE):
        return LIVE.order_by("state", "pk")
    if "-challenge-" in name or name.endswith("-challenge"):
        return Challenge.objects.order_by("pk")
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
    tournament = row if isinstance(row, Tournament) else getattr(division or row, "tournament", None)
    if tournament is None:
        return {}
    return {"club": tournament.club.slug, "slug": tournament.slug}


def addresses(name: str) -> Iterator[str]:
    """Return the URLs of a route for some rows of each kind."""
    pattern = ROUTES[name].pattern.regex
    others = list(Player.objects.order_by("-pk")[:1])
    common = {"slug": demo.SLUG, "other_id": others[0].public_id, "number": 1, "pk": 1}
    common |= {"kind": "entries", "action": "undo", "side": 0}
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


@pytest.fixture(scope="module")
def club_of_strangers(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[User]:
    """The demo club, in which everybody is hidden; return Dave, who owns another club."""
    with django_db_blocker.unblock(), transaction.atomic():
        demo.load(password="crawford-1969", now=NOW)
        make_private()
        dave = register_user(email="dave@example.org", password="crawford-1969", display_name="Dave", now=NOW)
        create_club(name="Elsewhere", slug="elsewhere", city="", time_zone="UTC", by=Actor.of(dave))
        yield dave
        transaction.set_rollback(True)


def leaks_to(client: Client, hidden: set[str], step: int) -> tuple[list[str], dict[str, list[str]]]:
    """Request every URL of each route, or one of `step` in turn.

    Return the route of each response that was read, and by route what was leaked.
    """
    read: list[str] = []
    leaks: dict[str, list[str]] = {}
    for name in ROUTES:
        if PERSONAL & set(ROUTES[name].pattern.regex.groupindex):
            continue
        for address in islice(addresses(name), None, None, step):
            response = client.get(address)
            assert response.status_code < 500, address
            read += [name] if response.status_code == 200 else []
            text = text_of(response)
            if leaked := sorted(secret for secret in hidden if secret in text):
                leaks.setdefault(name, []).append(f"{address}: {leaked[:4]}")
    return read, leaks


@pytest.mark.django_db
@pytest.mark.parametrize(("reader", "step"), [("anonymous", 1), ("owner of another club", 3)])
def test_no_route_shows_private_data_to_a_stranger(club_of_strangers: User, reader: str, step: int) -> None:
    hidden = secrets()
    assert len(hidden) > 60
    client = Client()
    if reader != "anonymous":
        client.force_login(club_of_strangers)
    read, leaks = leaks_to(client, hidden, step)
    assert len(read) > 200 // step
    # A public page is public for both; one of them reads it with every row.
    assert step > 1 or OF_PLAYERS - set(read) == set()
    assert leaks == {}


@pytest.mark.django_db
def test_streams_of_matches_carry_no_private_data(club_of_strangers: User) -> None:
    hidden = secrets()
    streamed: list[str] = []
    for match in LIVE.select_related("live"):
        actions = match.live.actions.filter(kind__in=STREAMED)
        content = streamed_state(match.live, from_data(match.live.state), list(actions))
        streamed += [json.dumps(json.loads(content), ensure_ascii=False).casefold()] if content else []
    assert streamed
    assert [secret for secret in hidden for text in streamed if secret in text] == []


@pytest.mark.django_db
def test_players_and_directors_read_names_and_notes(club_of_strangers: User) -> None:
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


SPILLED = "spilled-secret"
OF_THE_CLUB: dict[type[Model], dict[str, str]] = {LogEntry: {"club__slug": demo.SLUG}, Club: {"slug": demo.SLUG}}
"""Rows of these models that are not of Bob's club are of no club, or of another."""


def write_about_bob() -> Player:
    """Write about Bob wherever that is possible: in what concerns him, and with his name in what does not."""
    bob = Player.objects.get(user__email="bob@example.org")
    matches = Match.objects.filter(Q(player_0=bob) | Q(player_1=bob))
    for model, fields in mentions.registered().items():
        for field in fields:
            is_json = isinstance(model._meta.get_field(field), JSONField)
            text = "Lost: bob  BERGMANN of Hundested"
            written = {"reason": text, "entry": 0} if is_json else text
            rows = model.objects.filter(**OF_THE_CLUB.get(model, {}))  # type: ignore[attr-defined]
            rows.update(**{field: written})
    CashCount.objects.update(note="Ask bob@example.org")
    Claim.objects.filter(match__in=matches).update(note=SPILLED, answer_note=SPILLED)
    Result.objects.filter(match__in=matches).update(reason=SPILLED)
    Proposal.objects.create(match=matches[0], side=0, times=[], note=SPILLED)
    ChatMessage.objects.filter(user__player=bob).update(text=SPILLED)
    entry = Entry.objects.filter(player=bob).order_by("pk")[0]
    Withdrawal.objects.create(entry=entry, reason=SPILLED)
    Payment.objects.filter(entry__player=bob).update(note=SPILLED)
    log(SYSTEM, "objected", matches[0].topic, reason=SPILLED)
    log(SYSTEM, "entry_withdrawn", entry.division.topic, entry=entry.pk, reason=SPILLED)
    log(SYSTEM, "line_entered", entry.division.tournament.topic, line=f"late {SPILLED} 10m")
    log(SYSTEM, "player_changed", f"player:{bob.public_id}", changed={"name": [SPILLED, "Bob"]})
    Submission.objects.filter(match__in=matches).update(file_name=SPILLED)
    PushSubscription.objects.create(user=bob.user, endpoint=f"https://push.example/{SPILLED}", p256dh="", auth="")
    return bob


def dump() -> str:
    """Return every value of every table as text, in lower case, with sessions decoded."""
    values = [
        bytes(value).decode("utf-8", "replace") if isinstance(value, bytes | memoryview) else value
        for model in apps.get_models(include_auto_created=True)
        for row in model._default_manager.all()
        for value in (
            [row.get_decoded()]
            if isinstance(row, AbstractBaseSession)
            else [getattr(row, f.attname) for f in model._meta.concrete_fields]
        )
    ]
    return json.dumps(values, ensure_ascii=False, default=str).casefold()


@pytest.mark.django_db
def test_nothing_of_an_erased_person_is_left_in_the_database(club_of_strangers: User) -> None:
    bob = write_about_bob()
    user = bob.user
    assert user is not None
    browser = Client()
    browser.force_login(user)
    session = browser.session.session_key
    secret = [SPILLED, "bob bergmann", "bob  bergmann", "bobby_b", "bob@example.org", f'{NUMBER}-{bob.pk}"'.casefold()]
    before = dump()
    assert [text for text in secret if text not in before] == []
    results = list(Result.objects.order_by("pk").values_list("match", "winner", "score_0", "score_1"))
    others = Submission.objects.exclude(submitter=user).exclude(match__player_0=bob).exclude(match__player_1=bob)
    records = {row.pk: bytes(row.data) for row in others}

    erase_player(player=bob, by=Actor.of(user), now=NOW)

    left = dump()
    assert [text for text in secret if text in left] == []
    assert "of hundested" in left, "the rest of what others wrote stays"
    assert not AccountSession.objects.filter(session_key=session).exists()
    assert list(Result.objects.order_by("pk").values_list("match", "winner", "score_0", "score_1")) == results
    assert {row.pk: bytes(row.data) for row in Submission.objects.filter(pk__in=records)} == records
    assert Player.objects.get(pk=bob.pk).shown_name == "Former member"


@pytest.mark.django_db
def test_a_name_that_somebody_else_has_stays_in_what_others_wrote(club_of_strangers: User) -> None:
    bob = write_about_bob()
    Player.objects.create(name="Bob Bergmann")
    erase_player(player=bob, by=SYSTEM, now=NOW)
    assert "lost: bob  bergmann of hundested" in dump()
