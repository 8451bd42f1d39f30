"""Strangers cannot read what is private: names behind initials, federation numbers, notes, who is kept apart.

The whole demo club is made private. Every readable route is requested as an anonymous visitor and as the owner of
another club, and no response may contain any of it, not even a surname. The routes are those of the URL configuration,
filled with rows of the database.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from html import unescape
from itertools import islice
from typing import Any
from urllib.parse import unquote

import pytest
from django.apps import apps
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import transaction
from django.db.models import JSONField, Model, Q
from django.http import Http404
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from demo import club
from display.sharing.cards import card_of
from matches.models import Card, ChatMessage, Claim, Match, Proposal, PuzzleAnswer, Result, Submission
from matches.play.codec import from_data
from matches.play.public_state import STREAMED, streamed_state
from players.accounts.services import register_user
from players.actors import SYSTEM, Actor, log
from players.clubs.services import create_club
from players.models import AccountSession, Club, LogEntry, Merge, Player, PushSubscription, User
from players.people import mentions
from players.people.erasure import erase_player
from players.people.services import claim_player, undo_merge
from players.people.stored_elsewhere import has_open
from seasons.services import SeriesInput, create_series
from tests.privacy.addresses import LIVE, ROUTES, addresses
from tests.privacy.leaving import ERASED, STAYS, rows_of
from tests.privacy.private_club import NOTE, NOW, NUMBER, OWN, make_private, secrets
from tournaments.models import CashCount, Entry, Fixture, Letter, Payment, Series, Tournament, Withdrawal

PERSONAL = {
    "event_token",
    "coming_token",
    "owner_token",
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
    "embed-series",
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
    "series",
    "series-file",
    "standings",
    "standings-file",
    "submission",
    "table-now",
    "versus",
}
"""Routes that are about players and public: each must have been read with a row."""


TOKEN_OF_A_FORM = re.compile(r"\b[A-Za-z0-9]{64}\b")


def text_of(response: Any) -> str:
    """Return the whole response with its headers, without what is drawn: a token may contain a short name by chance."""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    text = content.decode("utf-8", "replace")
    if "json" in response.headers.get("Content-Type", ""):
        text = json.dumps(json.loads(text), ensure_ascii=False)
    headers = "\n".join(f"{key}: {unquote(value)}" for key, value in response.headers.items())
    return TOKEN_OF_A_FORM.sub("", unescape(f"{headers}\n{text}")).casefold()


@pytest.fixture(scope="module")
def club_of_strangers(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[User]:
    """The demo club, in which everybody is hidden; return Dave, who owns another club."""
    with django_db_blocker.unblock(), transaction.atomic():
        club.load(password="crawford-1969", now=NOW)
        days = SeriesInput("Autumn", (NOW - timedelta(days=100)).date(), (NOW + timedelta(days=30)).date(), "usual")
        create_series(club=Tournament.objects.earliest("pk").club, series=days, by=SYSTEM, now=NOW)
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
            text = text_of(response).replace(address.casefold(), "")
            if leaked := sorted(secret for secret in hidden if secret in text):
                leaks.setdefault(name, []).append(f"{address}: {leaked[:4]}")
    return read, leaks


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("reader", "step"), [pytest.param("anonymous", 1, marks=pytest.mark.landing), ("owner of another club", 3)]
)
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


def addresses_around(match: Match, player: Player) -> Iterator[str]:
    """Return the URL of every route that can be about a match of an event or one of its players."""
    fixture = Fixture.objects.select_related("stage__division__tournament__club").get(match=match)
    division, record = fixture.stage.division, match.submissions.first()
    rows = {"fixture": fixture, "division": division, "entry": division.entries.get(player=player)}
    common = {name: row.public_id for name, row in rows.items()} | {"tournament": division.tournament.public_id}
    common |= {"club": division.tournament.club.slug, "slug": division.tournament.slug, "side": 0, "extension": "json"}
    for name, route in ROUTES.items():
        for row in filter(None, (match, player, record)):
            values = {**common, "public_id": row.public_id}
            with suppress(KeyError, NoReverseMatch):
                yield reverse(name, kwargs={place: values[place] for place in route.pattern.regex.groupindex})


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.django_db
@pytest.mark.parametrize("reader", ["alice", "carol", "bob"])
def test_nobody_in_the_club_but_the_player_reads_decisions_cards_answers_and_letters(
    club_of_strangers: User, reader: str
) -> None:
    """Not the owner who directs and not another member, on no page and in no operation; Bob does."""
    bob = User.objects.get(email="bob@example.org")
    match = Match.objects.get(pk__in=Card.objects.filter(user=bob).values("match"))
    client = Client()
    client.force_login(User.objects.get(email=f"{reader}@example.org"))
    answers = {url: client.get(url) for url in dict.fromkeys(addresses_around(match, bob.player))}
    assert sum(answer.status_code == 200 for answer in answers.values()) > 50
    spilled = [url for url, answer in answers.items() if OWN in text_of(answer)]
    assert bool(spilled) == (reader == "bob"), spilled


@pytest.mark.slow
@pytest.mark.django_db
def test_no_route_shows_what_an_account_saw_before_its_claim_was_undone(club_of_strangers: User) -> None:
    """Dave has said that he is a player of the club. What he read as that player alone, he does not read afterwards."""
    disputed = Match.objects.get(state=Match.State.DISPUTED)
    karl = next(player for player in disputed.players if player.user_id is None)
    Result.objects.filter(match=disputed).update(reason=NOTE)
    dave = Client()
    dave.force_login(club_of_strangers)

    def read(urls: Iterable[str]) -> dict[str, tuple[int, bool]]:
        """Return the status of each page, and whether it has notes of the match or Karl's own name."""
        answers = {url: dave.get(url) for url in dict.fromkeys(urls)}
        private = (NOTE, karl.name.casefold())
        return {url: (row.status_code, any(word in text_of(row) for word in private)) for url, row in answers.items()}

    before = read(addresses_around(disputed, karl))
    claim_player(player=karl, user=club_of_strangers, by=SYSTEM, now=timezone.now())
    claimed = read(before)
    opened = {url for url in before if claimed[url] != before[url]}
    assert len(opened) >= 10
    undo_merge(merge=Merge.objects.get(player=karl), by=SYSTEM, now=timezone.now())
    after = read(opened)
    assert {url: after[url] for url in opened if after[url] != before[url]} == {}


@pytest.mark.django_db
def test_pictures_of_shared_pages_name_nobody_who_is_hidden(club_of_strangers: User) -> None:
    hidden = secrets()
    pages = [("match", match.public_id) for match in Match.objects.all()]
    pages += [("replay", match.public_id) for match in LIVE]
    pages += [("player", player.public_id) for player in Player.objects.all()]
    for event in Tournament.objects.select_related("club"):
        place = f"{event.club.slug}/{event.slug}"
        pages += [("event", place), *(("division", f"{place}/{row.public_id}") for row in event.divisions.all())]
    pages += [("series", f"{row.club.slug}/{row.slug}") for row in Series.objects.select_related("club")]
    texts: dict[str, str] = {}
    for kind, key in pages:
        with suppress(Http404):
            texts[f"{kind} {key}"] = "\n".join(card_of(kind, key).texts()).casefold()
    assert {page.split()[0] for page in texts} == {"match", "replay", "player", "event", "division", "series"}
    assert [(page, secret) for page, text in texts.items() for secret in hidden if secret in text] == []


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
OF_THE_CLUB: dict[type[Model], dict[str, str]] = {LogEntry: {"club__slug": club.SLUG}, Club: {"slug": club.SLUG}}
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
    Card.objects.filter(user=bob.user).update(state={"note": SPILLED})
    PuzzleAnswer.objects.filter(user=bob.user).update(play=SPILLED)
    Letter.objects.filter(user=bob.user).update(facts={"note": SPILLED})
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
    results = list(Result.objects.order_by("pk").values_list("pk", "winner", "score_0", "score_1"))
    others = Submission.objects.exclude(submitter=user).exclude(match__player_0=bob).exclude(match__player_1=bob)
    records = {row.pk: bytes(row.data) for row in others}

    referring, account = rows_of(bob.pk, user.pk), user.pk

    erase_player(player=bob, by=Actor.of(user), now=NOW)

    still = rows_of(bob.pk, account)
    assert sum(referring[name] > 0 for name in ERASED) > 5
    assert {name: still[name] for name in ERASED if still[name]} == {}
    assert {name: still[name] for name in STAYS} == {name: referring[name] for name in STAYS}
    assert not has_open([bob], NOW)
    left = dump()
    assert [text for text in secret if text in left] == []
    assert "of hundested" in left, "the rest of what others wrote stays"
    assert not AccountSession.objects.filter(session_key=session).exists()
    kept = Result.objects.filter(pk__in=[pk for pk, *_ in results]).order_by("pk")
    assert list(kept.values_list("pk", "winner", "score_0", "score_1")) == results
    assert {row.pk: bytes(row.data) for row in Submission.objects.filter(pk__in=records)} == records
    assert Player.objects.get(pk=bob.pk).shown_name == "Former member"


@pytest.mark.django_db
def test_a_name_that_somebody_else_has_stays_in_what_others_wrote(club_of_strangers: User) -> None:
    bob = write_about_bob()
    Player.objects.create(name="Bob Bergmann")
    erase_player(player=bob, by=SYSTEM, now=NOW)
    assert "lost: bob  bergmann of hundested" in dump()
