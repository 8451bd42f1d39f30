"""What is sent is in the reader's language, else in that of the event or the club, else in that of the site."""

import re
import string
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils.translation import override

from config.urls import club, event, season
from display.paper.lists import KINDS
from display.sharing.cards import card_of
from matches.models import Match
from matches.reporting import calendars
from matches.reporting.notifications import remind_of_deadline
from players.actors import SYSTEM, Actor
from players.models import AccountEmail, Club, Membership, Notification, Player, User
from players.notifications.emails import send_emails
from players.notifications.kinds import NotificationKind, registered, texts_of, written_for
from players.people.services import invite
from seasons.services import SeriesInput, create_series
from tests.event_cast import NOON, RunningEvent
from tests.pages import html
from tests.test_pseudo_locale import typed_by_people, unmarked
from tools.pseudo_locale import LANGUAGE, pseudo
from tournaments.events import services as events
from tournaments.events.helpers import add_helper
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=1)
ENGLISH = re.compile(r"[A-Za-z]{2,}")
NAME = "★"
"""Stands for all that is no word of the site."""
SENTENCES = ("sentences", "details", "subjects", "subjects_of_several")


@pytest.fixture
def two_languages(running: RunningEvent, pseudo_locale: str) -> RunningEvent:
    """Of a club that speaks the second language of the site: Bob has chosen none, Carol English."""
    Club.objects.update(language=pseudo_locale)
    User.objects.filter(email="carol@example.org").update(language="en")
    Notification.objects.all().delete()
    return running


def test_each_email_is_in_the_language_of_its_reader(
    two_languages: RunningEvent, bob: User, carol: User, by_alice: Actor
) -> None:
    events.cancel_tournament(tournament=two_languages.tournament, by=by_alice, now=NOON)
    for user in (bob, carol):
        assert send_emails(user=user.pk, now=LATER) == 1
    to_bob, to_carol = mail.outbox
    for text, english in (
        (to_bob.subject, f"Winter Open {pseudo('is cancelled')}"),
        (to_carol.subject, "Winter Open is cancelled"),
        (to_bob.body, pseudo("The event is cancelled.")),
        (to_carol.body, "The event is cancelled."),
    ):
        assert english in text


def test_an_event_in_another_language_than_its_club_writes_in_its_own(
    two_languages: RunningEvent, bob: User, by_alice: Actor
) -> None:
    event = events.update_tournament(tournament=two_languages.tournament, by=by_alice, now=NOON, language="en")
    events.cancel_tournament(tournament=event, by=by_alice, now=NOON)
    send_emails(user=bob.pk, now=LATER)
    assert mail.outbox[0].subject == "Winter Open is cancelled"


def words(kind: NotificationKind) -> Iterator[dict[str, Any]]:
    """The parameters of each variant of a kind, which have no word."""
    for variant in kind.sentences:
        texts = [getattr(kind, name).get(variant, "") for name in SENTENCES]
        names = {name for text in texts for _text, name, _format, _how in string.Formatter().parse(text) if name}
        params: dict[str, Any] = dict.fromkeys(names, NAME)
        params |= dict.fromkeys(kind.players, None) | dict.fromkeys(kind.times, NOON.isoformat())
        params |= dict.fromkeys(kind.minutes, 90) | {"zone": "UTC", "since": NOON.isoformat(), "ends": ""}
        yield params | {"variant": variant, "tournament": NAME, "context": "", "event": NAME, "place": PLACE}


PLACE = [4, ["", "main", 1, 4, 3, False, 0], 13]
"""Board 4, quarter-finals, M13."""


def test_every_kind_of_notification_is_said_in_the_language_of_its_reader(
    bob: User, carol: User, pseudo_locale: str, subtests: pytest.Subtests
) -> None:
    bob.language, carol.language = pseudo_locale, "en"
    rows = [
        Notification(user=user, kind=kind.code, params=params)
        for kind in registered()
        for params in words(kind)
        for user in (bob, carol)
    ]
    assert len(rows) > 50
    for row in rows:
        with subtests.test(row.kind, variant=row.params["variant"], language=row.user.language):
            with written_for(row.user, [row]):
                text = texts_of([row])[0]
            said = [text.sentence, text.detail, text.subject, text.subject_of_several, text.context]
            plain = [ENGLISH.findall(part.replace("Barpoint", "").replace("UTC", "")) for part in said]
            assert any(plain) if row.user == carol else not any(plain), said


def test_where_a_match_is_played_is_said_in_the_language_of_whoever_reads_it(
    two_languages: RunningEvent, bob: User, carol: User
) -> None:
    match = two_languages.fixture.match
    assert match is not None
    match.due_at = LATER
    with override(LANGUAGE):
        remind_of_deadline(match, NOON)
    rounds = {bob: pseudo("Semi-finals"), carol: "Semi-finals"}
    rows = Notification.objects.filter(kind="deadline").select_related("user")
    assert {row.user for row in rows} == rounds.keys()
    for row in rows:
        with written_for(row.user, [row]):
            assert texts_of([row])[0].context == f"Winter Open · Open · {rounds[row.user]} · M1"


@pytest.mark.time_machine(NOON)
def test_a_personal_calendar_is_in_its_owners_language_and_those_of_club_and_event_in_theirs(
    two_languages: RunningEvent, bob: User, carol: User, by_alice: Actor
) -> None:
    event = two_languages.tournament
    Match.objects.update(due_at=LATER)
    for user, title in ((bob, pseudo("Deadline: {match}")), (carol, "Deadline: {match}")):
        user.refresh_from_db()
        assert title.partition("{")[0] in unfolded(calendars.feed(user, NOON, str))
    events.cancel_tournament(tournament=event, by=by_alice, now=NOON)
    cancelled = pseudo("{event} is cancelled").format(event=event.name)
    for path in (f"/clubs/{event.club.slug}/calendar.ics", f"{two_languages.url}calendar.ics"):
        assert cancelled in unfolded(Client(headers={"Accept-Language": "en"}).get(path).content)


def unfolded(data: bytes) -> str:
    return data.decode().replace("\r\n ", "")


def test_a_shared_picture_is_in_the_language_of_what_it_shows(two_languages: RunningEvent, by_alice: Actor) -> None:
    event, match = two_languages.tournament, two_languages.fixture.match
    assert match is not None
    home = f"{event.club.slug}/{event.slug}"
    keys = {"club": event.club.slug, "division": f"{home}/{two_languages.division.public_id}", "match": match.public_id}
    with override("en"):
        assert all(not ENGLISH.search(card_of(kind, key).label) for kind, key in keys.items())
        events.update_tournament(tournament=event, by=by_alice, now=NOON, language="en")
        labels = {kind: card_of(kind, key).label for kind, key in keys.items()}
    assert not ENGLISH.search(labels.pop("club")), "of the club"
    assert all(map(ENGLISH.search, labels.values()))


def test_an_invitation_is_in_the_language_of_the_address_or_else_of_whoever_invites_as_a_club(
    two_languages: RunningEvent, alice: User, carol: User, by_alice: Actor
) -> None:
    def link(secret: str) -> str:
        return secret

    User.objects.filter(pk=carol.pk).update(email_verified_at=NOON)
    member = Membership.objects.create(club=two_languages.tournament.club, player=Player.objects.create(name="Pat"))
    for address, language in (("pat@example.org", LANGUAGE), (carol.email, "en")):
        invite(membership=member, by=by_alice, now=NOON, link=link, email=address)
        add_helper(tournament=two_languages.tournament, email=address, by=by_alice, now=NOON, link=link)
        rows = list(AccountEmail.objects.order_by("pk"))
        assert len(rows) == 2
        for row in rows:
            assert ("Hello" in row.text or "help" in row.subject or "invites" in row.subject) == (language == "en")
        AccountEmail.objects.all().delete()


def test_a_refusal_has_one_code_and_a_sentence_in_the_language_of_the_request(
    two_languages: RunningEvent, alice_client: Client
) -> None:
    path = f"/api/v1/tournaments/{two_languages.tournament.public_id}/publish/"
    answers = [alice_client.post(path, headers={"Accept-Language": code}).json() for code in ("en", LANGUAGE)]
    assert {answer["code"] for answer in answers} == {"tournament_not_draft"}
    assert [bool(ENGLISH.search(answer["detail"])) for answer in answers] == [True, False]


# What is shown and printed.


OF_THE_READER = {"paper", "table-now", "wall-settings"}
SHOWN_OR_PRINTED = [
    route
    for noun in (club, event, season)
    for route in noun.urlpatterns
    if isinstance(route, URLPattern)
    and route.callback.__module__ in ("display.paper.page", "display.wall")
    and route.name not in OF_THE_READER
]


def pages_of(running: RunningEvent) -> dict[str, str]:
    """The path of each page that is shown on a wall, printed, or framed, by its name."""
    place, slug = running.tournament.club.slug, running.tournament.slug
    days = SeriesInput("★", NOON.date(), NOON.date())
    series = create_series(club=running.tournament.club, series=days, by=SYSTEM, now=NOON)
    paths = {}
    for kind in KINDS:
        for route in SHOWN_OR_PRINTED:
            names = {"club": place, "slug": slug, "division": running.division.public_id, "series": series.slug}
            names |= {"kind": kind} | ({"slug": place} if "club" not in route.pattern.regex.groupindex else {})
            wanted = {name: names[name] for name in route.pattern.regex.groupindex}
            paths[f"{route.name} {wanted.get('kind', '')}"] = reverse(route.name, kwargs=wanted)
    return paths


def test_wall_and_paper_are_in_the_events_language_whoever_opens_them(
    two_languages: RunningEvent, alice: User, alice_client: Client, subtests: pytest.Subtests
) -> None:
    pages, typed = pages_of(two_languages), typed_by_people()
    assert len(pages) > 18
    for reader in ("en", LANGUAGE):
        User.objects.filter(pk=alice.pk).update(language=reader)
        for name, path in pages.items():
            with subtests.test(name, reader=reader):
                answer = alice_client.get(path, headers={"Accept-Language": reader})
                assert (answer.status_code, answer.headers["Content-Language"]) == (200, LANGUAGE)
                page = answer.content.decode()
                assert f'<html lang="{LANGUAGE}"' in page
                assert unmarked(page, typed) == set()
    Tournament.objects.update(language="en")
    for name, path in pages.items():
        with subtests.test(name, event="en"):
            of_club = name.partition(" ")[0] in ("club-poster", "embed-series")
            page = alice_client.get(path).content.decode()
            assert f'<html lang="{LANGUAGE if of_club else "en"}"' in page


def test_the_pages_on_which_a_director_sets_them_are_in_the_directors_language(
    two_languages: RunningEvent, alice_client: Client
) -> None:
    for path in ("paper/", "wall/settings/"):
        page = alice_client.get(f"{two_languages.url}{path}", headers={"Accept-Language": "en"}).content.decode()
        assert '<html lang="en"' in page


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("paper/score-sheets/", "Length"),
        ("paper/tables/", "Table"),
        ("check-in/poster/", "Scan to check in"),
        ("paper/pairings/", "Player"),
        ("paper/draws/", "Semi-finals"),
    ],
)
def test_headings_of_sheets_are_in_a_second_language_too(
    path: str, heading: str, two_languages: RunningEvent, alice_client: Client
) -> None:
    other = pseudo(heading)
    for first, second, both in (
        (LANGUAGE, "en", True),
        ("en", LANGUAGE, True),
        ("en", "en", False),
        ("en", "xx", False),
    ):
        Tournament.objects.update(language=first, second_language=second)
        sheet = html(alice_client.get(f"{two_languages.url}{path}")).partition('class="sheets-of-paper"')[2]
        assert (heading in sheet, other in sheet) == (True, both)
        assert ('class="second-language"' in sheet or " / " in sheet) == both
