"""Helpers of one event: what they may do, how they are invited, and that they lose access at once when removed."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from core.access import Who
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.lifecycle.own_match import OwnMatchRuling, own_match_ruling
from matches.models import Match
from players.actors import Actor
from players.mail import send
from players.models import AccountEmail, LogEntry, Membership, Player, User
from players.people.erasure import erase_player
from tests.access.roles import ACCEPTED, MAY_NOT, NOT_THERE, ROUTES, TABLE, declared
from tests.access.test_role_walk import outcome
from tests.access.world import CLUB_ROUTES, EVENT_ROUTES, address
from tests.event_cast import NOW, RunningEvent
from tests.pages import html
from tournaments import access
from tournaments.events import helpers
from tournaments.events.services import create_tournament
from tournaments.floor.lines import enter_lines
from tournaments.floor.page.actions import ACTIONS
from tournaments.models import Fixture, Helper, Tournament
from tournaments.results import services as results
from tournaments.state.log import log_lines

pytestmark = pytest.mark.django_db

READ_BY_HELPERS = (
    "event", "console", "floor", "floor-match", "floor-table", "check-in", "paper", "wall-settings", "fixture",
)  # fmt: skip


@pytest.fixture
def add_helper(by_alice: Actor) -> Callable[[Tournament, User], Helper]:
    """Make a user a helper of an event."""

    def add(event: Tournament, user: User) -> Helper:
        now = timezone.now()
        invited = helpers.add_helper(tournament=event, email=user.email, by=by_alice, now=now, link=str)
        return helpers.accept_helping(helper=invited.helper, user=user, by=Actor.of(user), now=now)

    return add


@pytest.fixture
def helper(running: RunningEvent, dave: User, add_helper: Any) -> Helper:
    """Dave helps at the running event."""
    return add_helper(running.tournament, dave)


@pytest.fixture
def dave_client(helper: Helper, dave: User, as_user: Any, behind_tls: None) -> Client:
    return as_user(dave)


def test_helping_ends_with_the_personal_links_of_the_event(
    running: RunningEvent, helper: Helper, dave: User, settings: Any
) -> None:
    event = running.tournament
    settings.PERSONAL_LINK_HOURS = 48
    assert access.is_helper(dave, event), "it goes on for as long as the event does"
    event.status, now = Tournament.Status.FINISHED, timezone.now()
    event.starts_at = now - timedelta(hours=60)
    event.ends_at = now - timedelta(hours=47)
    event.save()
    assert access.is_helper(dave, event)
    event.ends_at = now - timedelta(hours=49)
    event.save()
    assert not access.is_helper(dave, event)
    last = Match.objects.filter(parent_topic=running.division.topic).first()
    assert last is not None
    Match.objects.filter(pk=last.pk).update(finished_at=now - timedelta(hours=1))
    assert access.is_helper(dave, event), "its last match was over later than planned"


@pytest.mark.slow
def test_helpers_may_do_what_strangers_may_and_what_is_declared(running: RunningEvent, dave_client: Client) -> None:
    for name in (*EVENT_ROUTES, *CLUB_ROUTES):
        url = address(name, running)
        for method, who in declared(ROUTES[name]).items():
            answers = TABLE[name][method]
            if answers["stranger"] != ACCEPTED:
                right = answers["assistant" if who is Who.HELPERS else "stranger"]
                assert outcome(dave_client, method, url, {}) == right, f"{method} {name}"


def test_helpers_leave_the_floor_as_directors_set_it(running: RunningEvent, dave_client: Client) -> None:
    by_directors = {
        *("open", "pause", "resume", "autopilot", "shorten"),
        *("adjourn", "let-go-on", "shorten-match", "start-score", "leader-wins", "settle"),
        *("propose-length", "withdraw-length", "take-back-length", "re-enter", "undo-re-entry"),
        *("take-back-pairing", "waive-lead", "stop-match", "pair-by-hand", "flow", "end-stage", "take-back-missed"),
    }
    assert {name for name, action in ACTIONS.items() if action.needed != access.HELPER} == by_directors
    for name in by_directors:
        assert outcome(dave_client, "post", f"{running.url}floor/do/{name}/", {}) == MAY_NOT, name


def test_a_line_for_directors_is_refused_to_helpers(running: RunningEvent, helper: Helper, dave: User) -> None:
    [line] = enter_lines(
        tournament=running.tournament, text="pause", division=None, by=Actor.of(dave), now=timezone.now()
    )
    assert line.refused is not None
    assert line.refused.code == "directors_only"


@pytest.mark.slow
def test_a_removed_helper_loses_access_at_once(
    running: RunningEvent, dave_client: Client, helper: Helper, by_alice: Actor
) -> None:
    assert dave_client.get(f"{running.url}check-in/").status_code == 200
    helpers.remove_helper(helper=helper, by=by_alice, now=timezone.now())
    helpers.remove_helper(helper=helper, by=by_alice, now=timezone.now())
    assert LogEntry.objects.filter(verb="helper_removed").count() == 1
    helped = [
        (name, method) for name in EVENT_ROUTES for method, who in declared(ROUTES[name]).items() if who is Who.HELPERS
    ]
    assert len(helped) > 30
    for name, method in helped:
        assert outcome(dave_client, method, address(name, running), {}) == MAY_NOT, name


@pytest.mark.usefixtures("behind_tls")
def test_helpers_of_one_event_do_not_help_at_another(
    running: RunningEvent, dave: User, as_user: Any, add_helper: Any, by_alice: Actor
) -> None:
    other = create_tournament(club=running.tournament.club, by=by_alice, now=NOW, name="Summer Open", starts_at=NOW)
    add_helper(other, dave)
    client = as_user(dave)
    assert client.get(f"{running.url}check-in/").status_code == 403
    assert outcome(client, "post", f"{running.fixture_url}result/", {}) == MAY_NOT
    # A helper sees the event before it is published; nobody else without a role does.
    assert client.get(f"/events/harbour/{other.slug}/check-in/").status_code == 200
    assert client.get(f"/events/harbour/{other.slug}/edit/").status_code == 403


def links_of(page: str, running: RunningEvent) -> set[str]:
    """Return the addresses of the event that a page links to or sends forms to, without their queries."""
    urls = re.findall(r'(?:href|action|hx-get|hx-post|data-url)="([^"#?]+)', page)
    return {url for url in urls if url.startswith(running.url)}


@pytest.mark.slow
def test_pages_offer_helpers_nothing_that_they_may_not_do(running: RunningEvent, dave_client: Client) -> None:
    fee = running.division
    fee.fee = 10
    fee.save(update_fields=["fee"])
    dave_client.post(f"{running.url}floor/line/", {"line": "t1 call m1"})
    links: set[str] = set()
    for name in READ_BY_HELPERS:
        response = dave_client.get(address(name, running), follow=True)
        assert response.status_code == 200, name
        page = html(response)
        assert "Owes" not in page
        links |= links_of(page, running)
    assert len(links) > 20
    assert f"{running.url}cash/" not in links
    for url in links:
        answers = {outcome(dave_client, method, url, {}) for method in ("get", "post")}
        assert not answers & {MAY_NOT, NOT_THERE}, url


def enter(fixture: Fixture, by: User, score: tuple[int, int] = (7, 3)) -> None:
    results.enter_result(fixture=fixture, result=ResultInput.played(score), by=Actor.of(by), now=NOW)


def test_helpers_correct_a_result_until_its_round_is_over(running: RunningEvent, helper: Helper, dave: User) -> None:
    first, second = Fixture.objects.filter(stage__division=running.division, round__number=1).order_by("number")
    enter(first, dave)
    enter(first, dave, (3, 7))
    first.refresh_from_db()
    assert first.match is not None
    assert first.match.results.order_by("-version")[0].winner == 1
    enter(second, dave)
    with pytest.raises(Refused, match="helper_round_over"):
        enter(first, dave)


def test_helpers_leave_disputes_and_rulings_to_directors(
    running: RunningEvent, dave_client: Client, dave: User, by_alice: Actor
) -> None:
    assert running.fixture.match is not None
    Match.objects.filter(pk=running.fixture.match.pk).update(state=Match.State.DISPUTED)
    with pytest.raises(Refused, match="helper_disputed"):
        enter(running.fixture, dave)
    page = html(dave_client.get(running.fixture_url))
    assert "A director has to decide M" in page
    assert f"{running.fixture_url}result/" not in page
    results.rule(fixture=running.fixture, winner=0, score=None, by=by_alice, now=NOW, reason="Bob was there.")
    with pytest.raises(Refused, match="helper_ruled"):
        enter(running.fixture, dave)


def test_helpers_never_decide_their_own_match(
    running: RunningEvent, bob: User, as_user: Any, add_helper: Any, alice: User
) -> None:
    add_helper(running.tournament, bob)
    assert running.fixture.match is not None
    data = {"after": running.fixture.match.seq, "left": "7", "right": "0", "reason": "I won."}
    assert as_user(bob).post(f"{running.fixture_url}result/", data).status_code == 403
    # Without anybody else in the club to decide, a director may with a reason, and a helper still may not.
    Membership.objects.filter(player__user=alice).update(left_at=NOW)
    assert own_match_ruling(running.fixture.match, Actor.of(bob)) == OwnMatchRuling.NEEDS_OTHER


def test_opening_the_link_changes_nothing_and_accepting_makes_a_helper_once(
    running: RunningEvent,
    alice_client: Client,
    dave: User,
    carol: User,
    as_user: Any,
) -> None:
    page = html(alice_client.post(f"{running.url}helpers/add/", {"email": "Dave@Example.org"}))
    assert send(email_id=AccountEmail.objects.get().pk, now=NOW)
    [url] = set(re.findall(r"/helping/[\w-]+/", page))
    [message] = mail.outbox
    assert message.to == ["dave@example.org"]
    assert url in message.body
    assert as_user(None).get(url).status_code == 200
    other, client = as_user(carol), as_user(dave)
    other.post(f"{url}accept/")
    client.get(url)
    assert client.get(f"{running.url}check-in/").status_code == 403
    assert other.get(f"{running.url}check-in/").status_code == 403
    client.post(f"{url}accept/")
    client.post(f"{url}accept/")
    assert client.get(f"{running.url}check-in/").status_code == 200
    row = Helper.objects.get()
    assert (row.user, row.email) == (dave, "")
    assert as_user(None).get(url).status_code == 410
    assert running.tournament.name in html(client.get("/"))
    listing = html(alice_client.get(f"{running.url}helpers/"))
    assert str(dave) in listing
    alice_client.post(f"{running.url}helpers/remove/", {"helper": row.public_id})
    [line] = log_lines(LogEntry.objects.filter(verb="helper_removed"), running.tournament)
    assert (line.what, line.details) == ("removed a helper", ["Dave"])
    assert client.get(f"{running.url}check-in/").status_code == 403
    client.post(f"{url}accept/")
    assert client.get(f"{running.url}check-in/").status_code == 403


def test_the_answer_does_not_say_who_has_an_account(running: RunningEvent, alice_client: Client, dave: User) -> None:
    pages = []
    for email in ("dave@example.org", "none@example.org"):
        page = html(alice_client.post(f"{running.url}helpers/add/", {"email": email})).replace(email, "…")
        pages.append(re.sub(r"(?s)/helping/[\w-]+/|<svg.*?</svg>|\b\w{64}\b|\b\d{10,}\b", "", page))
    assert pages[0] == pages[1]


def test_a_later_invitation_replaces_an_earlier_one(running: RunningEvent, dave: User, by_alice: Actor) -> None:
    invite = {"tournament": running.tournament, "email": dave.email, "by": by_alice, "link": str}
    first = helpers.add_helper(**invite, now=NOW).helper
    second = helpers.add_helper(**invite, now=NOW).helper
    by_dave = Actor.of(dave)
    with pytest.raises(Refused, match="invitation_withdrawn"):
        helpers.accept_helping(helper=first, user=dave, by=by_dave, now=NOW)
    with pytest.raises(Refused, match="invitation_expired"):
        helpers.accept_helping(helper=second, user=dave, by=by_dave, now=NOW + timedelta(days=14))
    helpers.accept_helping(helper=second, user=dave, by=by_dave, now=NOW)
    third = helpers.add_helper(**invite, now=NOW).helper
    assert helpers.accept_helping(helper=third, user=dave, by=by_dave, now=NOW) == second
    assert Helper.objects.filter(removed_at=None).count() == 1


def test_an_event_that_is_over_gets_no_helpers(running: RunningEvent, by_alice: Actor) -> None:
    Tournament.objects.update(status=Tournament.Status.FINISHED)
    with pytest.raises(Refused, match="tournament_not_open"):
        helpers.add_helper(tournament=running.tournament, email="a@example.org", by=by_alice, now=NOW, link=str)


def test_an_event_has_so_many_helpers(running: RunningEvent, by_alice: Actor) -> None:
    invite = {"tournament": running.tournament, "by": by_alice, "now": NOW, "link": str}
    for number in range(helpers.MAX_HELPERS):
        helpers.add_helper(email=f"{number}@example.org", **invite)
    with pytest.raises(Refused, match="too_many_helpers"):
        helpers.add_helper(email="a@example.org", **invite)
    helpers.add_helper(email="0@example.org", **invite)


def test_helpers_by_api(running: RunningEvent, alice_client: Client, by_alice: Actor) -> None:
    url = f"/api/v1/tournaments/{running.tournament.public_id}/helpers/"
    created = alice_client.post(url, {"email": "dave@example.org"}, content_type="application/json")
    assert created.status_code == 201
    assert "/helping/" in created.json()["url"]
    [row] = alice_client.get(url).json()
    assert (row["state"], row["email"], row["name"]) == ("invited", "dave@example.org", "")
    other = create_tournament(club=running.tournament.club, by=by_alice, now=NOW, name="Summer Open", starts_at=NOW)
    elsewhere = f"/api/v1/tournaments/{other.public_id}/helpers/{row['public_id']}/"
    assert alice_client.delete(elsewhere).status_code == 404
    assert alice_client.delete(f"{url}{row['public_id']}/").status_code == 204
    assert alice_client.get(url).json() == []


def test_erasing_a_helper_removes_them_and_their_open_invitations(
    running: RunningEvent, bob: User, bob_player: Player, add_helper: Any, by_alice: Actor
) -> None:
    User.objects.filter(pk=bob.pk).update(email_verified_at=NOW)
    add_helper(running.tournament, bob)
    helpers.add_helper(tournament=running.tournament, email=bob.email, by=by_alice, now=NOW, link=str)
    assert Helper.objects.count() == 2
    bob_player.refresh_from_db()
    erase_player(player=bob_player, by=by_alice, now=NOW)
    assert not Helper.objects.exists()
