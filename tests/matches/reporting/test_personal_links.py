"""Personal links can be revoked, end after the event, and stay out of search engines and `Referer`."""

from datetime import timedelta

import pytest
from django.core.signing import BadSignature
from django.test import Client
from django.utils import timezone

from engine.errors import Refused
from matches import access
from matches.lifecycle import links
from matches.models import Claim, Match
from players.models import LogEntry, User
from tests.matches.cast import BOB, CAROL

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture(autouse=True)
def _two_days(settings) -> None:  # type: ignore[no-untyped-def]
    settings.PERSONAL_LINK_HOURS = 48


TWO_DAYS = timedelta(days=2)
SECOND = timedelta(seconds=1)


def test_a_player_revokes_their_link_once(match: Match, bob: User, carol: User, client: Client) -> None:
    old, other, sheet = (links.token_for(match, side) for side in (BOB, CAROL, None))
    ticket = links.stream_ticket(match, BOB)
    client.force_login(bob)
    assert "Revoke this link" in client.get(f"/matches/{match.public_id}/").content.decode()
    path = f"/matches/{match.public_id}/links/{BOB}/revoke/"
    for _twice in range(2):
        assert client.post(path, {"generation": 0}).status_code == 302
    match.refresh_from_db()
    assert match.link_generations == (1, 0)
    assert LogEntry.objects.filter(verb="link_revoked").count() == 1
    new = links.token_for(match, BOB)
    assert [Client().get(f"/m/{token}/").status_code for token in (old, new, other, sheet)] == [404, 200, 200, 200]
    with pytest.raises(BadSignature):
        links.side_of_ticket(ticket, match)
    client.force_login(carol)
    assert client.post(path, {"generation": 1}).status_code == 403


def test_a_director_revokes_a_link_on_the_page_that_prints_them(match: Match, alice: User, client: Client) -> None:
    client.force_login(alice)
    page = f"/matches/{match.public_id}/links/"
    assert links.token_for(match, BOB) in client.get(page).content.decode()
    response = client.post(f"{page}{BOB}/revoke/", {"generation": 0}, follow=True)
    match.refresh_from_db()
    assert links.token_for(match, BOB) in response.content.decode()
    api = f"/api/v1/matches/{match.public_id}/links/{CAROL}/"
    assert client.delete(api).status_code == 204
    match.refresh_from_db()
    assert match.link_generations == (1, 1)


def test_pages_of_links_send_no_referrer_and_their_forms_work_nonetheless(match: Match) -> None:
    token = links.token_for(match, CAROL)
    browser = Client(enforce_csrf_checks=True)
    page = browser.get(f"/m/{token}/")
    assert page["Referrer-Policy"] == "no-referrer"
    assert page["X-Robots-Tag"] == "noindex, nofollow"
    claim = {"score_0": "7", "score_1": "5", "winner": "0", "after": match.seq}
    answer = browser.post(f"/m/{token}/claim/", claim, headers={"Origin": "null"})
    assert answer.status_code != 403
    assert match.claims.count() == 1
    record = browser.post(f"/m/{token}/records/", {"text": "", "after": match.seq}, headers={"Origin": "null"})
    assert record.status_code == 422
    for form in ("claim", "records"):
        other = browser.post(f"/matches/{match.public_id}/{form}/", claim, headers={"Origin": "null"})
        assert other.status_code == 403, "accounts act by a cookie, so their forms need the token"
    unsubscribe = browser.get(f"/password/choose/MQ/{'x' * 10}/")
    assert (unsubscribe["Referrer-Policy"], unsubscribe["X-Robots-Tag"]) == ("same-origin", "noindex, nofollow")


def expired(match: Match) -> bool:
    try:
        access.match_for_link(links.token_for(match, CAROL))
    except Refused as refused:
        return refused.code == "link_expired"
    return False


@pytest.mark.parametrize(("ago", "is_over"), [(TWO_DAYS - 5 * SECOND, False), (TWO_DAYS + SECOND, True)])
def test_the_link_of_a_friendly_match_ends_two_days_after_it(match: Match, ago: timedelta, is_over: bool) -> None:
    Match.objects.filter(pk=match.pk).update(
        state=Match.State.SETTLED, finished_at=timezone.now() - ago, parent_topic=""
    )
    assert expired(match) is is_over
    if is_over:
        page = Client().get(f"/m/{links.token_for(match, CAROL)}/")
        assert page.status_code == 410
        assert "This link has expired: the event is over." in page.content.decode()


def test_the_link_of_a_friendly_match_lasts_until_it_is_played(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(created_at=timezone.now() - timedelta(days=30), parent_topic="")
    assert not expired(match)


def test_a_link_lasts_as_long_as_its_player_may_object(match: Match) -> None:
    long_ago = timezone.now() - timedelta(days=5)
    Match.objects.filter(pk=match.pk).update(state=Match.State.SETTLED, finished_at=long_ago, parent_topic="")
    report = Claim.objects.create(
        match=match, side=BOB, winner=BOB, score_0=7, score_1=5, state=Claim.State.STANDS, stood_unanswered=True,
        by=LogEntry.By.LINK, answered_at=long_ago,
    )  # fmt: skip
    assert not expired(match), "Carol has not seen the report yet"
    Claim.objects.filter(pk=report.pk).update(seen_at=timezone.now() - timedelta(hours=23))
    assert not expired(match)
    Claim.objects.filter(pk=report.pk).update(seen_at=timezone.now() - timedelta(hours=25))
    assert expired(match)
