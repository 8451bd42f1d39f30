"""Who may do what: every route of the site with every method, as each user who may use it.

On the way the headers and cookies of every answer are checked, as a scanner would.
The routes of events have their own table, tests/tournaments/pages/test_roles.py; all others are in this one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from engine.records import write
from engine.simulation import play_out
from matches.lifecycle import links
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import ChatMessage, Submission
from matches.play.lobby.services.challenges import ChallengeInput, make_challenge
from matches.play.services.starting import PlaySettings, start
from matches.rankings.services.imports import apply_import
from matches.ratings.services.pools import PoolSettings, create_pool
from matches.records.services import submissions
from matches.records.services.submissions import RecordFile
from matches.reporting.calendars import token_of
from matches.reporting.services import feeds, proposals, records
from matches.reporting.services.adjudication import adjudicate_submission
from players.actors import SYSTEM
from players.models import Club, DataExport, DataExportPart, Membership, Player, User
from players.notifications import unsubscribing
from players.notifications.services import notify
from players.people.services import invite, merge_players
from tests.pages import assert_not_shared, assert_protected
from tests.tournaments.conftest import (
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
from tests.tournaments.pages import test_roles as of_events

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

ROLES = ("anonymous", "stranger", "player", "opponent", "assistant", "director", "owner", "other_director")
METHODS = ("get", "post", "put", "patch", "delete")
ACCEPTED, SIGN_IN, NEEDS_TOKEN, MAY_NOT, NOT_THERE, NOT_SO = "accepted", "sign in", 401, 403, 404, 405
"""ACCEPTED: the user may make the request, whatever its outcome."""
Row = dict[str, str | int]


def only(*roles: str, others: str | int = MAY_NOT, anonymous: str | int = SIGN_IN) -> Row:
    """These may; the status that the others get."""
    return {"anonymous": anonymous, **{role: ACCEPTED if role in roles else others for role in ROLES[1:]}}


def by_api(row: Row) -> Row:
    """The same for routes that do not redirect to the sign-in page."""
    return row | {"anonymous": NEEDS_TOKEN}


PUBLIC = only(*ROLES, anonymous=ACCEPTED)
SIGNED_IN = only(*ROLES)
MEMBERS = only("player", "opponent", "assistant", "director", "owner")
ASSISTANTS = only("assistant", "director", "owner")
DIRECTORS = only("director", "owner")
OWNERS = only("owner")
PLAYERS = only("player", "opponent", others=NOT_THERE)
PROPOSER = PLAYERS | {"opponent": MAY_NOT}

# Methods missing here are allowed to nobody. A view refuses a method whoever sends it, so that three users try them.
TRY_OTHER_METHODS = ("anonymous", "player", "owner")
GROUPS: list[tuple[str, Row, str]] = [
    # The site
    ("get", PUBLIC, "home robots healthz readyz live-stream api-schema api-docs"),
    ("get", PUBLIC, "security-txt"),
    ("get", only(others=NOT_THERE, anonymous=NOT_THERE), "metrics"),
    ("post", PUBLIC, "set-theme"),
    ("get post put patch delete", PUBLIC, "set-language"),
    # Accounts
    ("get post", PUBLIC, "sign-up sign-in password-forgotten password-choose"),
    # Django's own forms treat PUT as POST; the page of an invalid link answers any method.
    ("put", PUBLIC, "sign-in password-forgotten"),
    ("put patch delete", PUBLIC, "password-choose"),
    # Signed-in users are redirected with any method.
    ("patch delete", only(*ROLES, anonymous=NOT_SO), "sign-in"),
    ("get post", PUBLIC, "confirm-email"),
    ("get", PUBLIC, "password-sent password-done"),
    ("post", PUBLIC, "sign-out"),
    # The user is checked before the method.
    ("get", SIGNED_IN, "send-kept-input"),
    ("get post", SIGNED_IN, "preferences play-preferences delete-account make-token"),
    # Copies of data; the one in the URL is Bob's. Jens has no account.
    ("get", SIGNED_IN, "my-data"),
    ("post", SIGNED_IN, "export-my-data"),
    ("get", only("player", others=NOT_THERE), "data-export"),
    ("get", DIRECTORS, "member-data"),
    ("post", DIRECTORS, "export-member-data erase-member"),
    ("post", PUBLIC, "api-accounts"),
    ("get post", by_api(SIGNED_IN), "api-my-exports"),
    ("post", by_api(SIGNED_IN), "api-erase-me"),
    ("get", by_api(only("player", others=NOT_THERE)), "api-export api-export-archive"),
    ("get post", by_api(DIRECTORS), "api-member-exports"),
    ("post", by_api(DIRECTORS), "api-erase-member"),
    ("post", SIGNED_IN, "change-email change-password revoke-token resend-confirmation"),
    # Without the first step there is nothing to confirm.
    ("get post", only(others=SIGN_IN), "sign-in-code"),
    ("get", SIGNED_IN, "second-factor sessions"),
    ("post", SIGNED_IN, "end-session end-other-sessions"),
    ("post", SIGNED_IN, "start-second-factor second-factor-on second-factor-off renew-recovery-codes"),
    ("get", only(*ROLES[:0], others=MAY_NOT), "admin-sign-in"),
    # Notifications; the one in the URL is Bob's.
    ("get", SIGNED_IN, "notifications notification-bell"),
    ("get post", SIGNED_IN, "notification-settings"),
    ("post", SIGNED_IN, "notifications-read push-subscribe"),
    # Removing somebody else's browser changes nothing.
    ("post", SIGNED_IN, "push-remove"),
    ("get", PUBLIC, "service-worker"),
    ("post", only("player", others=NOT_THERE), "notification-open notification-unread"),
    ("get post", PUBLIC, "unsubscribe"),
    ("get post", by_api(SIGNED_IN), "api-my-notifications"),
    ("get patch", by_api(SIGNED_IN), "api-my-notification-choices"),
    ("post", PUBLIC, "api-tokens"),
    ("get patch", by_api(SIGNED_IN), "api-me api-play-preferences"),
    ("get", by_api(SIGNED_IN), "api-my-tokens"),
    # Revoking somebody else's token changes nothing.
    ("delete", by_api(SIGNED_IN), "api-current-token api-my-token"),
    # Clubs
    ("get", PUBLIC, "club-list api-clubs api-club api-members api-member"),
    ("get post", SIGNED_IN, "create-club"),
    ("post", by_api(SIGNED_IN), "api-clubs"),
    ("post", MEMBERS, "leave-club"),
    ("get post", DIRECTORS, "edit-club"),
    ("get", DIRECTORS, "club-members club-member"),
    ("post", DIRECTORS, "add-member add-player paste-members withdraw-invitation undo-merge"),
    ("post", DIRECTORS, "invite merge-member add-alias edit-name remove-member"),
    ("post", OWNERS, "set-role club-second-factor"),
    ("patch", by_api(DIRECTORS), "api-club"),
    ("post", by_api(DIRECTORS), "api-members api-member-list api-member-invitation api-member-merge"),
    ("patch", by_api(OWNERS), "api-member"),
    ("put", by_api(DIRECTORS), "api-member-name"),
    ("delete", by_api(DIRECTORS), "api-member api-member-invitation api-undo-merge"),
    # Rating pools of a club
    ("get post", DIRECTORS, "club-pools club-pool"),
    ("post", DIRECTORS, "club-pool-import club-pool-undo"),
    ("get post", by_api(DIRECTORS), "api-pools api-pool-imports"),
    ("put", by_api(DIRECTORS), "api-pool"),
    ("post", by_api(DIRECTORS), "api-pool-undo"),
    # Invitations: anybody with the link
    ("get", PUBLIC, "invitation"),
    ("post", PUBLIC, "invitation-sign-up"),
    ("post", SIGNED_IN, "accept-invitation"),
    ("post", by_api(SIGNED_IN), "api-accept-invitation"),
    # Records: anybody with the link
    ("get post", PUBLIC, "check"),
    ("get", PUBLIC, "submission replay replay-picture record record-analysis api-submission api-record"),
    ("get", PUBLIC, "api-record-analysis"),
    ("post", PUBLIC, "api-submissions"),
    # Rankings and players
    ("get", PUBLIC, "rankings ranking-csv rated-matches-csv players player player-matches choose-opponent versus"),
    ("get", PUBLIC, "player-analysis club-analysis club-analysis-file api-club-analysis"),
    # The match is not over, and a player without an account shares nothing.
    ("get", only(others=NOT_THERE, anonymous=NOT_THERE), "api-match-analysis api-player-analysis"),
    ("get", PUBLIC, "api-rankings api-players api-player api-player-changes api-player-matches api-versus"),
    # Matches
    ("get", SIGNED_IN, "my-matches"),
    ("get", PUBLIC, "match match-analysis match-analysis-file api-matches api-match"),
    # Matches played here
    (
        "get",
        PUBLIC,
        "api-live api-live-dice match-dice match-dice-file match-play match-replay match-record",
    ),
    ("post", by_api(ASSISTANTS), "api-live api-live-rulings"),
    ("post", by_api(PLAYERS), "api-live-actions api-live-chains api-live-goodbye api-live-ping"),
    # The message is one of the players, whom spectators do not read.
    ("get", PUBLIC, "api-live-chat"),
    ("post", by_api(SIGNED_IN), "api-live-chat"),
    ("post", by_api(SIGNED_IN), "api-live-chat-mute"),
    (
        "post",
        by_api(only("player", "opponent", "assistant", "director", "owner", others=NOT_THERE)),
        "api-live-chat-report",
    ),
    ("post", ASSISTANTS, "chat-decision"),
    ("post", by_api(ASSISTANTS), "api-live-chat-decision"),
    ("get", DIRECTORS, "reported-messages"),
    ("post", PLAYERS, "match-play-here"),
    ("post", PLAYERS, "match-rematch match-here match-no-show"),
    ("post", PUBLIC, "link-here link-no-show"),
    ("post", by_api(PLAYERS), "api-match-here api-match-no-show"),
    ("get", PUBLIC, "calendar-feed"),
    ("post", SIGNED_IN, "renew-calendar-feed revoke-calendar-feed"),
    ("get post delete", by_api(SIGNED_IN), "api-my-calendar"),
    ("post", by_api(PLAYERS), "api-match-rematch"),
    # The lobby; the challenge is Bob's and made to Carol.
    ("get", SIGNED_IN, "lobby"),
    ("post", SIGNED_IN, "practice make-challenge"),
    ("post", SIGNED_IN, "block-player unblock-player"),
    ("post", PLAYERS, "accept-challenge decline-challenge withdraw-challenge"),
    ("get post", by_api(SIGNED_IN), "api-challenges api-blocks"),
    ("post", by_api(SIGNED_IN), "api-practice"),
    ("delete", by_api(SIGNED_IN), "api-block"),
    ("post", by_api(PLAYERS | {"player": MAY_NOT}), "api-challenge-accept api-challenge-decline"),
    ("post", by_api(PROPOSER), "api-challenge-withdraw"),
    ("post", by_api(PLAYERS), "api-live-open"),
    ("get", ASSISTANTS, "match-links"),
    ("get", by_api(ASSISTANTS), "api-match-links"),
    # The side is Bob's.
    ("post", only("player", "assistant", "director", "owner"), "match-revoke-link"),
    ("delete", by_api(only("player", "assistant", "director", "owner")), "api-match-link"),
    ("get", PLAYERS, "match-appointment"),
    ("post", PLAYERS, "match-claim match-confirm match-contest match-withdraw match-records match-names"),
    ("post", PLAYERS, "match-concede match-seen match-object match-running-score"),
    ("post", PLAYERS, "match-offer-length match-accept-length match-decline-length"),
    ("get", PLAYERS, "match-report"),
    ("post", PLAYERS, "match-times match-accept-time"),
    ("post", PROPOSER, "match-withdraw-times"),
    ("post", by_api(PLAYERS), "api-match-claims api-match-confirm api-match-contest api-match-withdraw"),
    ("post", by_api(PLAYERS), "api-match-preview api-match-concede api-match-seen api-match-objections"),
    ("post", by_api(PLAYERS), "api-match-running-score"),
    ("get post", by_api(PLAYERS), "api-match-length-offers"),
    ("post", by_api(PLAYERS), "api-match-accept-length api-match-decline-length"),
    ("post", by_api(PLAYERS), "api-match-records api-match-names api-match-proposals api-match-accept"),
    ("post", by_api(PROPOSER), "api-match-withdraw-times"),
    # The same with a player's personal link
    ("get", PUBLIC, "match-link link-report link-appointment"),
    # The match has not begun: there is no position to picture.
    ("get", only(others=NOT_THERE, anonymous=NOT_THERE), "match-replay-picture"),
    # Its match is not played here.
    ("get", only(others=NOT_THERE, anonymous=NOT_THERE), "link-dice link-dice-file link-play link-replay link-record"),
    ("post", PUBLIC, "link-claim link-confirm link-contest link-withdraw link-records link-names"),
    ("post", PUBLIC, "link-concede link-seen link-object link-play-here link-running-score"),
    ("post", PUBLIC, "link-offer-length link-accept-length link-decline-length"),
    ("post", PUBLIC, "link-times link-accept-time link-withdraw-times"),
]
TABLE: dict[str, dict[str, Row]] = {}
for methods, row, names in GROUPS:
    for name in names.split():
        TABLE.setdefault(name, {}).update(dict.fromkeys(methods.split(), row))


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
    assert set(ROUTES) == set(TABLE) | set(of_events.TABLE)
    assert set(TABLE) & set(of_events.TABLE) == set()


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
        if name in of_events.TABLE:
            return of_events.address(name, self.running)
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
            else "person"
        )
        row = "pool" if "pool" in name else "merge" if "merge" in name else "invitation"
        places = {**self.places, "public_id": self.places[about], "pk": self.places[row]}
        return reverse(name, kwargs={place: places[place] for place in ROUTES[name].pattern.regex.groupindex})


@pytest.fixture
def world(running: RunningEvent, club: Club, bob: User, bob_player: Player) -> World:
    """Bob meets Carol and has proposed a time; Jens has no account, is invited, and was formerly written as J."""
    jens, double = Player.objects.create(name="Jens"), Player.objects.create(name="J.")
    for player in (jens, double):
        Membership.objects.create(club=club, player=player)
    invited = invite(membership=jens.memberships.get(), by=SYSTEM, now=NOW, link=str)
    merged = merge_players(player=double, into=jens, by=SYSTEM, now=NOW, club=club)
    match = running.fixture.match
    times = [NOW + timedelta(days=1)]
    side = match.players.index(bob_player)
    offered = proposals.propose(match=match, side=side, offer=proposals.Offer(times), by=SYSTEM, now=NOW)
    proposals.accept(proposal=offered, side=1 - side, time=times[0], by=SYSTEM, now=NOW)
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
        "export": copy.public_id,
        "browser": 1,
        "unsubscribe_token": unsubscribing.token_of(bob, ["reported"]),
        "feed_token": token_of(feeds.renew(user=bob, now=NOW)),
        "record": sent.public_id,
        "other_id": running.entry.player.public_id,
        "invitation": invited.invitation.pk,
        "merge": merged.pk,
        "pool": pool.pk,
        "source": apply_import(pool=pool, kind="starts", text="name,rating\nJens,1600", by=SYSTEM, now=NOW).pk,
        "secret": invited.url,
        "token": links.token_for(match, side),
        "side": side,
        "token_id": 1,
        "record_id": own.public_id,
        "proposal_id": offered.public_id,
        "extension": "mat",
        "message": message.public_id,
        "uidb64": "MQ",
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
    return {"get", "post", *of_events.WRITES_BY_OTHER_METHODS.get(name, ())[:1]}


@pytest.mark.usefixtures("behind_tls")
@pytest.mark.parametrize("role", ROLES)
def test_each_user_gets_what_the_table_says(role: str, world: World, visitors: dict[str, Client]) -> None:
    wrong: dict[str, str | int] = {}
    requests = 0
    for name in ROUTES:
        address = world.address(name)
        for method in METHODS:
            row = TABLE.get(name, {}).get(method)
            if name in of_events.TABLE and method in methods_covered(name):
                continue
            if row is None and role not in TRY_OTHER_METHODS:
                continue
            got = outcome(visitors[role], method, address, world.bodies.get(name, {}))
            requests += 1
            if (row is None and got == ACCEPTED) or (row is not None and got != row[role]):
                wrong[f"{method} {name}"] = got
    assert requests > (1000 if role in TRY_OTHER_METHODS else 200)
    assert wrong == {}


@pytest.mark.parametrize("role", ROLES)
def test_club_officers_cannot_open_the_admin(role: str, visitors: dict[str, Client]) -> None:
    for page in ("", "players/user/", "matches/match/"):
        assert visitors[role].get(f"/admin/{page}").headers["Location"].startswith("/admin/login/")
