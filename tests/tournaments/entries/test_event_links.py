"""A personal link of an event: one for each player, for check-in and all their matches, without an account."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from engine.errors import Refused
from matches.models import Match
from players.accounts.tokens import SCOPES
from players.actors import SYSTEM, Actor
from players.models import Club, LogEntry, Membership, Player, User
from players.people.services import merge_players
from tests.event_cast import NOW, RunningEvent
from tests.pages import html
from tests.tokens import key_for
from tests.tournaments.support.pages import text
from tournaments.entries import services as entries
from tournaments.entries import substitutions
from tournaments.entries.event_links import link_holder, path_for
from tournaments.entries.substitutions import SubstituteInput
from tournaments.events import services as events
from tournaments.models import CheckIn, Entry, EventLink, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def own(running: RunningEvent) -> str:
    """The path of Bob's link."""
    return path_for(running.tournament, running.entry.player, 0)


def token_of(path: str) -> str:
    return path.split("/")[2]


def match_links(path: str) -> list[str]:
    """Return the paths of the matches that the page behind a link leads to."""
    return [part.split('"')[0] for part in html(Client().get(path)).split('href="')[1:] if part.startswith("/m/")]


def open_check_in(running: RunningEvent) -> None:
    now = timezone.now()
    opens, closes = now - timedelta(hours=1), now + timedelta(hours=1)
    Tournament.objects.filter(pk=running.tournament.pk).update(check_in_opens_at=opens, check_in_closes_at=closes)


def test_opening_a_link_changes_nothing_and_its_forms_check_in_and_report(running: RunningEvent, own: str) -> None:
    open_check_in(running)
    browser = Client(enforce_csrf_checks=True)
    before = LogEntry.objects.count()
    page = browser.get(own)
    assert "Carol" in text(html(page))
    assert (page["Referrer-Policy"], page["X-Robots-Tag"]) == ("no-referrer", "noindex, nofollow")
    assert "no-store" in page["Cache-Control"]
    [to_match] = match_links(own)
    assert browser.get(to_match).status_code == 200
    assert (LogEntry.objects.count(), EventLink.objects.count(), CheckIn.objects.count()) == (before, 0, 0)

    null = {"Origin": "null"}
    assert browser.get(f"{own}check-in/").status_code == 405
    assert browser.post(f"{own}check-in/", {"present": "1"}, headers=null).status_code == 302
    assert browser.post(f"{own}check-in/", {"present": "1"}, headers=null).status_code == 302
    assert [(row.entry, row.source) for row in CheckIn.objects.all()] == [(running.entry, CheckIn.Source.LINK)]
    assert LogEntry.objects.filter(verb="checked_in").get().by == LogEntry.By.LINK
    browser.post(f"{own}check-in/", {"present": "0"}, headers=null)
    assert Entry.objects.get(pk=running.entry.pk).checked_in_at is None
    match = running.fixture.match
    assert match is not None
    side = match.players.index(running.entry.player)
    report = {f"score_{side}": "3", f"score_{1 - side}": "7", "winner": str(1 - side), "after": match.seq}
    browser.post(f"{to_match}claim/", report, headers=null)
    assert match.claims.get().side == side
    assert "Divisions" in text(html(browser.get(own))), "with a report that waits, too"


def test_check_in_by_link_keeps_the_times_of_the_event(running: RunningEvent, own: str) -> None:
    closed = Client().post(f"{own}check-in/", {"present": "1"}, follow=True)
    assert "Check-in is not open now. Ask the director." in text(html(closed))
    assert not CheckIn.objects.exists()
    assert Client().post(f"{own}check-in/", {}).status_code == 302


def test_a_forged_link_opens_nothing(running: RunningEvent, own: str, club: Club, by_alice: Actor) -> None:
    event_id, player_id, signature = token_of(own).split(".")
    other = events.create_tournament(club=club, by=by_alice, now=NOW, name="Another", starts_at=NOW)
    events.create_division(tournament=other, by=by_alice, now=NOW, name="Open")
    events.publish_tournament(tournament=other, by=by_alice, now=NOW)
    carol = Player.objects.get(name="Carol")
    wrong = signature[:-1] + ("A" if signature[-1] != "A" else "E")
    for forged in (
        f"{event_id}.{player_id}.{wrong}",
        f"{event_id}.{carol.public_id}.{signature}",
        f"{other.public_id}.{player_id}.{signature}",
        f"2222222222.{player_id}.{signature}",
        f"{event_id}.2222222222.{signature}",
    ):
        assert Client().get(f"/e/{forged}/").status_code == 404
        assert Client().post(f"/e/{forged}/check-in/", {"present": "1"}).status_code == 404
    elsewhere = Client().get(path_for(other, running.entry.player, 0))
    assert "You are not entered in this event." in text(html(elsewhere))
    assert "Carol" not in text(html(elsewhere)), "no match of another event"


def test_a_director_hands_out_a_link_and_revokes_it_with_those_of_its_matches(
    running: RunningEvent, own: str, alice_client: Client
) -> None:
    [old_match] = match_links(own)
    page = f"{running.url}entries/{running.entry.public_id}/link/"
    assert page in html(alice_client.get(f"{running.url}check-in/?more={running.entry.public_id}"))
    shown = html(alice_client.get(page))
    assert own in shown
    assert "QR codes printed before" in shown
    carols_page = path_for(running.tournament, Player.objects.get(name="Carol"), 0)
    [carols_match] = match_links(carols_page)
    for _twice in range(2):
        assert alice_client.post(f"{page}revoke/", {"generation": "0"}).status_code == 302
    assert EventLink.objects.get().generation == 1
    assert LogEntry.objects.filter(verb="link_revoked").count() == 1
    new = path_for(running.tournament, running.entry.player, 1)
    assert new in html(alice_client.get(page))
    statuses = [Client().get(path).status_code for path in (own, old_match, new, carols_page, carols_match)]
    assert statuses == [404, 404, 200, 200, 200]
    assert Client().get(match_links(new)[0]).status_code == 200
    assert alice_client.post(f"{page}revoke/", {}).status_code == 302
    assert EventLink.objects.get().generation == 1, "a request without the generation revokes nothing"


def test_a_player_revokes_their_own_link_only(running: RunningEvent, own: str, bob: User, dave: User) -> None:
    browser = Client()
    browser.force_login(bob)
    assert own in html(browser.get(f"{running.url}arrive/"))
    browser.post(f"{running.url}arrive/revoke-link/", {"generation": "0"})
    assert Client().get(own).status_code == 404
    carols = path_for(running.tournament, Player.objects.get(name="Carol"), 0)
    assert Client().get(carols).status_code == 200
    browser.force_login(dave)
    Player.objects.create(name="Dave", user=dave)
    browser.post(f"{running.url}arrive/revoke-link/", {"generation": "0"})
    assert EventLink.objects.count() == 1


def test_a_link_ends_two_days_after_the_event(running: RunningEvent, own: str, settings) -> None:  # type: ignore[no-untyped-def]
    settings.PERSONAL_LINK_HOURS = 48
    event = running.tournament
    long_ago = timezone.now() - timedelta(days=9)
    Tournament.objects.filter(pk=event.pk).update(status="finished", starts_at=long_ago, ends_at=long_ago)
    Match.objects.update(state=Match.State.SETTLED, finished_at=timezone.now() - timedelta(hours=47))
    assert Client().get(own).status_code == 200
    Match.objects.update(finished_at=timezone.now() - timedelta(hours=49))
    expired = Client().get(own)
    assert (expired.status_code, "This link has expired" in html(expired)) == (410, True)
    with pytest.raises(Refused, match="link_expired"):
        link_holder(token_of(own), timezone.now())
    match = running.fixture.match
    assert match is not None
    match.objections.create(
        side=0,
        claim=match.claims.create(side=1, winner=1, score_0=1, score_1=7, state="stands", by=LogEntry.By.LINK),
        reason="It was the other way round.",
    )
    assert Client().get(own).status_code == 200, "until the last objection is answered"


def test_a_draft_and_an_erased_player_have_no_page(running: RunningEvent, own: str) -> None:
    Tournament.objects.update(status="draft")
    assert Client().get(own).status_code == 404
    Tournament.objects.update(status="running")
    Player.objects.filter(name="Bob").update(erased_at=NOW, name="")
    assert Client().get(own).status_code == 404


def test_after_a_merge_both_links_lead_to_the_player_and_are_revoked_together(
    running: RunningEvent, by_alice: Actor
) -> None:
    entry = running.division.entries.get(player__name="Player 1")
    before = path_for(running.tournament, entry.player, 0)
    full_name = Player.objects.create(name="Player One")
    merge_players(player=entry.player, into=full_name, by=SYSTEM, now=NOW)
    after = path_for(running.tournament, full_name, 0)
    assert "Player One" in text(html(Client().get(before)))
    assert [len(match_links(path)) for path in (before, after)] == [1, 1]
    alice = Client()
    alice.force_login(by_alice.user)  # type: ignore[arg-type]
    page = f"{running.url}entries/{entry.public_id}/link/"
    assert after in html(alice.get(page))
    alice.post(f"{page}revoke/", {"generation": "0"})
    assert [Client().get(path).status_code for path in (before, after)] == [404, 404]


def test_a_withdrawn_player_keeps_the_page_and_a_substitute_has_a_link_of_their_own(
    running: RunningEvent, own: str, by_alice: Actor
) -> None:
    [old_match] = match_links(own)
    running.division.refresh_from_db()
    substitutions.substitute(
        entry=running.entry,
        substitute=SubstituteInput("Grete"),
        after=running.division.seq,
        by=by_alice,
        now=NOW,
    )
    assert "You are not entered in this event." in text(html(Client().get(own)))
    assert match_links(own) == []
    gretes = path_for(running.tournament, Player.objects.get(name="Grete"), 0)
    assert "Carol" in text(html(Client().get(gretes)))
    assert old_match not in match_links(gretes)
    entry = Entry.objects.get(pk=running.entry.pk)
    entries.withdraw(entry=entry, by=by_alice, now=NOW)
    page = text(html(Client().get(gretes)))
    assert "Open withdrawn" in page
    assert "Carol" in page, "the walkover is listed"


def test_a_card_is_printed_for_each_player_once(running: RunningEvent, by_alice: Actor, alice_client: Client) -> None:
    bob = running.entry.player
    side_event = events.create_division(tournament=running.tournament, by=by_alice, now=NOW, name="Blitz")
    entries.enter(division=side_event, players=[bob], by=by_alice, now=NOW)
    entries.withdraw(entry=running.division.entries.get(player__name="Player 1"), by=by_alice, now=NOW)
    page = html(alice_client.get(f"{running.url}paper/personal-links/"))
    assert page.count("link-card-code") == 3
    assert page.count(">Bob</h2>") == 1
    blitz = html(alice_client.get(f"{running.url}paper/personal-links/?division={side_event.public_id}"))
    assert blitz.count("link-card-code") == 1
    assert f"{running.url}paper/personal-links/" in html(alice_client.get(f"{running.url}paper/"))


def test_by_api_a_link_is_read_with_the_scope_of_directors_and_revoked(
    running: RunningEvent, own: str, alice: User
) -> None:
    path = f"/api/v1/entries/{running.entry.public_id}/link/"
    read_only, directing = ({"Authorization": f"Token {key_for(alice, *scopes)}"} for scopes in (["read"], SCOPES))
    assert Client().get(path, headers=read_only).json()["code"] == "token_scope", "the link acts for a player"
    answer = Client().get(path, headers=directing).json()
    assert answer == {"url": f"http://testserver{own}", "generation": 0}
    for _twice in range(2):
        assert Client().delete(f"{path}?generation=0", headers=directing).status_code == 204
    assert EventLink.objects.get().generation == 1
    assert Client().get(own).status_code == 404


def test_a_director_who_plays_gets_no_link_of_an_opponent_that_others_can_hand_out(
    running: RunningEvent, club: Club, bob: User, erin: User, alice_client: Client
) -> None:
    Membership.objects.filter(player__user=bob).update(role="director")
    match = running.fixture.match
    assert match is not None
    opponent = next(player for player in match.players if player.user_id != bob.pk)
    entry = Entry.objects.get(player=opponent)
    page, api = f"{running.url}entries/{entry.public_id}/link/", f"/api/v1/entries/{entry.public_id}/link/"
    cards = f"{running.url}paper/personal-links/"
    path = path_for(running.tournament, opponent, 0)
    of_bob = Client()
    of_bob.force_login(bob)
    assert path in html(alice_client.get(page))
    assert path in alice_client.get(api).json()["url"]
    assert opponent.name in html(alice_client.get(cards))
    assert of_bob.get(page).status_code == 302
    assert of_bob.get(api).json()["code"] == "link_of_opponent"
    assert "The card of 1 player is left out" in text(html(of_bob.get(cards)))
    logged = LogEntry.objects.filter(verb="division_links_shown")
    assert set(logged.values_list("user", "topic")) == {(bob.pk, running.division.topic)}, "the cards of the others"
    match.state = Match.State.SETTLED
    match.save()
    assert path in of_bob.get(api).json()["url"]
