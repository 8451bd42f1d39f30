"""Who may do what: every route of the site with every method, as each user who may use it.

On the way the headers and cookies of every answer are checked, as a scanner would.
The tables are in tests/access/; tests/clubhouse/test_roles.py reads and writes the routes of events.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from demo import owner
from engine.records import write
from engine.simulation import play_out
from matches.lifecycle import links
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import ChatMessage, PoolSettings, Submission
from matches.play.lobby.services import ChallengeInput, make_challenge
from matches.play.starting import PlaySettings, start
from matches.rankings.formulas import request_comparison
from matches.rankings.imports import apply_import
from matches.ratings.pools import create_pool
from matches.records import submissions
from matches.records.submissions import RecordFile
from matches.reporting import appointments, calendars, records
from matches.reporting.calendars import token_of
from matches.reporting.records import adjudicate_submission
from players.actors import SYSTEM, Actor
from players.clubs.emblems import set_emblem
from players.joining.services import ask_to_join
from players.models import Club, DataExport, DataExportPart, Membership, Player, User
from players.notifications import emails
from players.notifications.services import notify
from players.people.services import claim_player, invite, merge_players
from seasons.match_imports import MatchesInput, import_matches
from seasons.past import PastInput, import_past
from tests.access import event_roles
from tests.access.roles import (
    ACCEPTED,
    MAY_NOT,
    METHODS,
    NEEDS_TOKEN,
    NOT_SO,
    NOT_THERE,
    ROLES,
    SIGN_IN,
    TABLE,
)
from tests.clubhouse import test_roles
from tests.event_cast import (
    NOW,
    Role,
    RunningEvent,
    as_user,
    bob_player,
    by_alice,
    carol_player,
    club,
    erin,
    frank,
    join,
    make_division,
    make_players,
    running,
    tournament,
)
from tests.pages import assert_not_shared, assert_protected
from tests.players.clubs.test_emblems import picture

__all__ = [
    "as_user",
    "bob_player",
    "by_alice",
    "carol_player",
    "club",
    "erin",
    "frank",
    "make_division",
    "make_players",
]
__all__ += ["running", "tournament"]

pytestmark = pytest.mark.django_db

# `make test` walks as those who may do least. On PostgreSQL, an owner and a player reach every query of the pages.
ON_POSTGRESQL = [pytest.mark.slow, pytest.mark.postgresql]
MARKS = {"anonymous": [], "player": ON_POSTGRESQL, "owner": ON_POSTGRESQL}
WALKS = [pytest.param(role, marks=MARKS.get(role, [pytest.mark.slow])) for role in ROLES]


def patterns(resolver: URLResolver | None = None) -> Iterator[URLPattern]:
    """Return every route of the site except Django's admin pages, which share one check."""
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLPattern):
            yield entry
        elif entry.app_name != "admin":
            yield from patterns(entry)


ROUTES = {entry.name or "": entry for entry in patterns()}


def test_every_route_is_in_a_table() -> None:
    assert len(ROUTES) == len(list(patterns())) > 130, "each has a name of its own"
    assert set(ROUTES) == set(TABLE) | set(event_roles.TABLE)
    assert set(TABLE) & set(event_roles.TABLE) == set()


OF_RECORDS = (
    "submission",
    "replay",
    "replay-picture",
    "record",
    "record-analysis",
    "api-submission",
    "api-record",
    "api-record-analysis",
)


@dataclass
class World:
    """The parameters of the routes, and the bodies of requests that need one."""

    running: RunningEvent
    places: dict[str, Any]
    bodies: dict[str, dict[str, Any]]

    def address(self, name: str) -> str:
        """Return the URL of a route."""
        if name in event_roles.TABLE:
            return test_roles.address(name, self.running)
        about = (
            "live"
            if name in ("match-play", "match-record", "chat-decision")
            or name.startswith(("api-live", "match-dice", "match-replay"))
            else "match"
            if name.startswith(("match", "api-match"))
            else "record"
            if name in OF_RECORDS
            else "challenge"
            if "-challenge" in name and not name.startswith("make-")
            else "request"
            if "join-request-" in name
            else "matches"
            if "past-matches" in name
            else "season"
            if "past-season" in name
            else "person"
        )
        row = "pool" if "pool" in name else "merge" if "merge" in name else "claim" if "claim" in name else "invitation"
        places = {**self.places, "public_id": self.places[about], "pk": self.places[row]}
        return reverse(name, kwargs={place: places[place] for place in ROUTES[name].pattern.regex.groupindex})


@pytest.fixture
def world(running: RunningEvent, club: Club, bob: User, dave: User, bob_player: Player) -> World:
    """Bob meets Carol and has proposed a time; Jens has no account, is invited, and was formerly written as J."""
    jens, double = Player.objects.create(name="Jens"), Player.objects.create(name="J.")
    for player in (jens, double):
        Membership.objects.create(club=club, player=player)
    invited = invite(membership=jens.memberships.get(), by=SYSTEM, now=NOW, link=str)
    merged = merge_players(player=double, into=jens, by=SYSTEM, now=NOW, club=club)
    claimed = Player.objects.create(name="B.")
    claim_player(player=claimed, user=bob, by=SYSTEM, now=timezone.now())
    match = running.fixture.match
    times = [NOW + timedelta(days=1)]
    side = match.players.index(bob_player)
    offered = appointments.propose(match=match, side=side, offer=appointments.Offer(times), by=SYSTEM, now=NOW)
    appointments.accept(proposal=offered, side=1 - side, time=times[0], by=SYSTEM, now=NOW)
    text = write(play_out(1, 3), "mat")
    sent = submissions.submit(file=submissions.RecordFile(text, Submission.Source.API, "a.mat"), now=NOW).submission
    adjudicate_submission(submission_id=sent.pk, now=NOW)
    own = records.submit_for_match(match=match, side=side, file=RecordFile(text, "api"), by=SYSTEM, now=NOW).submission
    live = open_matches([Opening(match.players, 5)], settings=MatchSettings(club=club), by=SYSTEM, now=NOW)[0]
    start(match=live, settings=PlaySettings(server_chains=True), by=SYSTEM, now=NOW)
    message = ChatMessage.objects.create(match=live, room=ChatMessage.Room.PLAYERS, side=side, text="Hello!")
    wish = ChallengeInput(5, match.players[1 - side])
    challenge = make_challenge(player=bob_player, wish=wish, by=SYSTEM, now=timezone.now())
    pool = create_pool(club=club, settings=PoolSettings("Ladder"), by=SYSTEM)
    request_comparison(pool=pool, by=SYSTEM, now=NOW)
    [notified] = notify(
        users=[bob.pk], kind="ruled", params={"opponent": bob_player.pk}, url="/my/", key="one", now=NOW
    )
    copy = DataExport.objects.create(player=bob_player, requested_by=bob, state=DataExport.State.DONE, size=2)
    DataExportPart.objects.create(export=copy, number=0, data=b"PK")
    places = {
        "slug": club.slug,
        "person": jens.public_id,
        "match": match.public_id,
        "live": live.public_id,
        "challenge": challenge.public_id,
        "notification": notified.pk,
        "request": ask_to_join(club=club, user=dave, claimed="", by=Actor.of(dave), now=NOW).public_id,
        "season": import_past(
            club=club, name="2019", data=PastInput("name,place\nJens,1"), by=SYSTEM, now=NOW
        ).public_id,
        "matches": import_matches(
            club=club,
            name="2019",
            data=MatchesInput("date,winner,loser,length\n2019-03-01,Jens,Ola,5"),
            ratings="",
            by=SYSTEM,
            now=NOW,
        ).public_id,
        "export": copy.public_id,
        "browser": 1,
        "unsubscribe_token": emails.token_of(bob, ["reported"]),
        "feed_token": token_of(calendars.renew(user=bob, now=NOW)),
        "record": sent.public_id,
        "other_id": running.entry.player.public_id,
        "invitation": invited.invitation.pk,
        "merge": merged.pk,
        "claim": claimed.merges.get().pk,
        "pool": pool.pk,
        "source": apply_import(pool=pool, kind="starts", text="name,rating\nJens,1600", by=SYSTEM, now=NOW).pk,
        "secret": invited.url,
        "version": set_emblem(club=club, data=picture(), by=SYSTEM).emblem_version,
        "token": links.token_for(match, side),
        "side": side,
        "token_id": 1,
        "record_id": own.public_id,
        "proposal_id": offered.public_id,
        "extension": "mat",
        "message": message.public_id,
        "uidb64": "MQ",
        "owner_token": owner.renew(now=timezone.now()).split("/")[2],
    }
    into = {"into": running.entry.player.public_id}
    match.refresh_from_db()
    bodies = {"add-player": {"player": jens.public_id}, "merge-member": into, "api-member-merge": into}
    bodies["block-player"] = {"player": jens.public_id}
    bodies["match-withdraw-times"] = bodies["api-match-withdraw-times"] = {"after": match.seq}
    return World(running, places, bodies)


@pytest.fixture
def visitors(
    alice: User, bob: User, carol: User, dave: User, erin: User, frank: User, club: Club, as_user: Any
) -> dict[str, Client]:
    """Alice owns this club, Grete directs and Erin assists; Frank directs another; Bob plays Carol, and Dave has no
    role.
    """
    grete = User.objects.create_user("grete@example.org", "crawford-1969", display_name="Grete")
    join(club, grete, Role.DIRECTOR)
    users = (None, dave, bob, carol, erin, grete, alice, frank)
    return {role: as_user(user) for role, user in zip(ROLES, users, strict=True)}


def outcome(client: Client, method: str, address: str, body: dict[str, Any]) -> str | int:
    """Return the status a user gets; the request is rolled back."""
    sent = {"data": body} if method == "post" and "/api/" not in address else {}
    if method != "get" and not sent:
        sent = {"data": body, "content_type": "application/json"}
    kept = client.cookies.copy()
    with transaction.atomic():
        answer = getattr(client, method)(address, secure=True, **sent)
        transaction.set_rollback(True)
    # A user who has just signed out is signed in again for the next request.
    client.cookies = kept
    assert answer.status_code < 500, f"{method} {address}"
    assert_not_shared(answer)
    assert_protected(answer)
    if answer.status_code == 302 and answer.headers["Location"].startswith("/sign-in/"):
        return SIGN_IN
    return answer.status_code if answer.status_code in (NEEDS_TOKEN, MAY_NOT, NOT_THERE, NOT_SO) else ACCEPTED


def methods_covered(name: str) -> set[str]:
    """Return the methods that the table of events covers."""
    return {"get", "post", *event_roles.WRITES_BY_OTHER_METHODS.get(name, ())[:1]}


def user_of_other_methods(name: str) -> str:
    """Return who tries the methods that a route has for nobody: a view refuses them whoever sends them.

    It is somebody for whom the route has another method, so that the view does not refuse the user instead.
    """
    rows = TABLE.get(name, {}).values()
    return next((role for role in ("owner", *ROLES) if any(row[role] == ACCEPTED for row in rows)), "owner")


@pytest.mark.usefixtures("behind_tls")
@pytest.mark.parametrize("role", WALKS)
def test_each_user_gets_what_the_table_says(role: str, world: World, visitors: dict[str, Client]) -> None:
    wrong: dict[str, str | int] = {}
    requests = 0
    for name in ROUTES:
        address = world.address(name)
        for method in METHODS:
            row = TABLE.get(name, {}).get(method)
            if name in event_roles.TABLE and method in methods_covered(name):
                continue
            if row is None and role != user_of_other_methods(name):
                continue
            got = outcome(visitors[role], method, address, world.bodies.get(name, {}))
            requests += 1
            if (row is None and got == ACCEPTED) or (row is not None and got != row[role]):
                wrong[f"{method} {name}"] = got
    assert requests > (1000 if role == "owner" else 200)
    assert wrong == {}


OF_THE_SITE = {"waiting-clubs", "friendlies-without-club", "api-friendlies-without-club"}
"""Clubs that wait to be accepted, and matches of no club: only those who run the site see them."""


@pytest.mark.slow
@pytest.mark.usefixtures("behind_tls")
def test_running_the_site_gives_no_role_in_a_club(world: World, as_user: Callable[[User | None], Client]) -> None:
    staff = as_user(User.objects.create_superuser("staff@example.org", "crawford-1969", display_name="Staff"))
    refused = {name: row["get"]["stranger"] for name, row in TABLE.items() if "get" in row}
    refused |= {name: event_roles.TABLE[name][0].stranger for name in event_roles.TABLE}
    refused = {name: status for name, status in refused.items() if status in (MAY_NOT, NOT_THERE)}
    assert len(refused) > 100
    answers = {name: outcome(staff, "get", world.address(name), {}) for name in refused}
    assert {name for name in refused if answers[name] != refused[name]} == OF_THE_SITE


@pytest.mark.parametrize("role", ROLES)
def test_club_officers_cannot_open_the_admin(role: str, visitors: dict[str, Client]) -> None:
    for page in ("", "players/user/", "matches/match/"):
        assert visitors[role].get(f"/admin/{page}").headers["Location"].startswith("/admin/login/")
