"""A club in which every route leads somewhere, and who visits it; `tests/conftest.py` loads its fixtures."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from clubhouse.letters.coming import coming_path
from demo import owner
from engine.records import write
from engine.simulation import play_out
from matches.lifecycle import links
from matches.lifecycle.finish import ResultInput
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import Card, ChatMessage, PoolSettings, PuzzleAnswer, Submission
from matches.play.lobby.services import ChallengeInput, make_challenge
from matches.play.starting import PlaySettings, start
from matches.puzzles.pool import puzzle_of
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
from players.handover.services import offer_ownership
from players.joining.services import ask_to_join
from players.models import Club, DataExport, DataExportPart, KeptAct, Membership, Outbox, Player, User
from players.notifications import emails
from players.notifications.services import notify
from players.people.services import claim_player, invite, merge_players
from seasons.imports.match_imports import MatchesInput, import_matches
from seasons.imports.seasons import PastInput, import_past
from seasons.services import SeriesInput, create_series
from tests.access.roles import ROLES, ROUTES
from tests.event_cast import NOW, Role, RunningEvent, join
from tests.players.clubs.test_emblems import picture
from tournaments.entries.event_links import path_for
from tournaments.entries.kiosks import create_kiosk, pairing_token
from tournaments.events.helpers import InvitedHelper, add_helper
from tournaments.models import AgreedSplit, Correction, Offer, Payment, Series, SidePool, Table, Title
from tournaments.offers.services import OfferInput, create_offer
from tournaments.results import corrections
from tournaments.results import services as results

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
ABOUT_EVENTS = {
    *("club", "tournament", "division", "entry", "fixture", "match", "correction", "table", "payment", "offer"),
    *("pairing_token", "event_token"),
}
"""Parameters of routes about an event, or about what is in it."""
ABOUT_SEASONS = {"series", "title"}
LINKS_OF_HELPERS = {"helping", "helping-accept"}
"""Routes for whoever has a secret link, whatever else they may see."""


def parameters(name: str) -> set[str]:
    """Return the parameters of a route."""
    return set(ROUTES[name].pattern.regex.groupindex)


def is_about_event(name: str) -> bool:
    """Whether a route is about an event that is there, and shows it to each reader as they may see it.

    Creating an event needs none, and everybody gets the same pictures for links (tests/display/sharing/).
    """
    return bool(parameters(name) & ABOUT_EVENTS) and name != "event-create" and not name.endswith("-card")


EVENT_ROUTES = tuple(name for name in ROUTES if parameters(name) & (ABOUT_EVENTS | ABOUT_SEASONS))
CLUB_ROUTES = tuple(name for name in ROUTES if parameters(name) == {"slug"})


def address(name: str, running: RunningEvent) -> str:
    """Return the URL of one of `EVENT_ROUTES` or `CLUB_ROUTES`, with what the running event is called."""
    club, slug = running.tournament.club.slug, running.tournament.slug
    places = parameters(name)
    values: dict[str, Any] = {
        "club": club,
        "slug": slug if "club" in places else club,
        "tournament": running.tournament.public_id,
        "division": running.division.public_id,
        "entry": running.entry.public_id,
        "fixture": running.fixture.public_id,
        "player": running.entry.player.public_id,
        "match": running.fixture.match.public_id,
        "extension": "csv",
        "version": "0" * 10,
        "kind": "pairings",
        "action": "undo",
        "number": str(running.division.stages.get().draws.get(state="published").number),
    }
    if "table" in places:
        values["table"] = table_of(running).public_id
    if "pairing_token" in places:
        kiosk = create_kiosk(tournament=running.tournament, by=SYSTEM, now=timezone.now())
        values["pairing_token"] = pairing_token(kiosk)
    if "event_token" in places:
        values["event_token"] = path_for(running.tournament, running.entry.player, 0).split("/")[2]
    if "helper" in places:
        values["helper"] = invited_helper(running).helper.public_id
    if "series" in places:
        season = season_of(running)
        values["series"] = season.public_id if name.startswith("api-") else season.slug
    if "kept" in places:
        values["kept"] = note_of(running).pk
    rows = {"title": title_of, "payment": paid, "correction": corrected, "pool": pool_of, "split": split_of}
    rows["offer"] = offer_of
    values |= {kind: rows[kind](running).public_id for kind in places & rows.keys()}
    path = reverse(name, kwargs={key: values[key] for key in places})
    return f"{path}?label={table_of(running).label}" if name == "table-now" else path


def season_of(running: RunningEvent) -> Series:
    """A season of the club without events."""
    first = Series.objects.filter(club=running.tournament.club).first()
    days = SeriesInput(running.tournament.name, NOW.date(), NOW.date())
    return first or create_series(club=running.tournament.club, series=days, by=SYSTEM, now=NOW)


def title_of(running: RunningEvent) -> Title:
    """A title of the division."""
    player, club, day = running.entry.player, running.tournament.club, NOW.date()
    values = {"club": club, "player": player, "kind": Title.Kind.EVENT, "day": day}
    return Title.objects.get_or_create(division=running.division, defaults=values)[0]


def table_of(running: RunningEvent) -> Table:
    """A table of the event."""
    return Table.objects.get_or_create(tournament=running.tournament, label="1")[0]


def pool_of(running: RunningEvent) -> SidePool:
    """A side pool of the division."""
    return SidePool.objects.get_or_create(division=running.division, name="Jackpot", fee=5, shares=[10_000])[0]


def offer_of(running: RunningEvent) -> Offer:
    """A jackpot at the desk of the event."""
    made = Offer.objects.filter(tournament=running.tournament).first()
    values = OfferInput("Jackpot", 4, [5])
    return made or create_offer(tournament=running.tournament, offer=values, by=SYSTEM, now=NOW)


def note_of(running: RunningEvent) -> KeptAct:
    """A note about the event that was kept without a connection."""
    box, _created = Outbox.objects.get_or_create(topic=running.tournament.topic, key="k" * 22)
    return KeptAct.objects.get_or_create(outbox=box, number=1, action="note", defaults={"is_open": True})[0]


def split_of(running: RunningEvent) -> AgreedSplit:
    """What the players of the division agreed on."""
    return AgreedSplit.objects.get_or_create(division=running.division, pot="main")[0]


def invited_helper(running: RunningEvent) -> InvitedHelper:
    """Helga, who is invited to help at the event."""
    invited: dict[str, Any] = {"tournament": running.tournament, "email": "helga@example.org"}
    return add_helper(**invited, by=SYSTEM, now=timezone.now(), link=str)


def paid(running: RunningEvent) -> Payment:
    """A float in the box of the event."""
    payment, _created = Payment.objects.get_or_create(
        tournament=running.tournament, kind="float", amount=5, key="float"
    )
    return payment


def corrected(running: RunningEvent) -> Correction:
    """M1, corrected once."""
    if (done := Correction.objects.filter(fixture=running.fixture).first()) is not None:
        return done
    results.enter_result(fixture=running.fixture, result=ResultInput(0, (7, 5)), by=SYSTEM, now=NOW)
    running.division.refresh_from_db()
    correction = corrections.apply_correction(
        fixture=running.fixture,
        correction=corrections.CorrectionInput(ResultInput(1, (5, 7)), "correct_all"),
        after=running.division.seq,
        by=SYSTEM,
        now=NOW,
    )
    assert correction is not None
    return correction


@dataclass
class World:
    """The parameters of the routes, and the bodies of requests that need one."""

    running: RunningEvent
    places: dict[str, Any]
    bodies: dict[str, dict[str, Any]]

    def address(self, name: str) -> str:
        """Return the URL of a route."""
        if name in EVENT_ROUTES:
            return address(name, self.running)
        about = (
            "live"
            if name in ("match-play", "match-record", "chat-decision")
            or name.startswith(("api-live", "match-dice", "match-replay"))
            else "match"
            if name.startswith(("match", "api-match", "replay-card"))
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
        if name in LINKS_OF_HELPERS:
            places["secret"] = invited_helper(self.running).url
        if name.endswith("-card"):
            places["version"] = "0" * 10
        return reverse(name, kwargs={place: places[place] for place in parameters(name)})


@pytest.fixture
def world(running: RunningEvent, club: Club, bob: User, bob_player: Player) -> World:
    """Bob meets Carol and has proposed a time; Jens has no account, is invited, and was written as J.; Ida wants in."""
    jens, double = Player.objects.create(name="Jens"), Player.objects.create(name="J.")
    for player in (jens, double):
        Membership.objects.create(club=club, player=player)
    invited = invite(membership=jens.memberships.get(), by=SYSTEM, now=NOW, link=str)
    merged = merge_players(player=double, into=jens, by=SYSTEM, now=NOW, club=club)
    claimed = Player.objects.create(name="B.")
    claim_player(player=claimed, user=bob, by=SYSTEM, now=timezone.now())
    ida = User.objects.create_user("ida@example.org", "crawford-1969", display_name="Ida")
    match = running.fixture.match
    times = [NOW + timedelta(days=1)]
    side = match.players.index(bob_player)
    offered = appointments.propose(match=match, side=side, offer=appointments.Dates(times), by=SYSTEM, now=NOW)
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
    puzzle = puzzle_of(club, now=timezone.now())
    assert puzzle is not None
    PuzzleAnswer.objects.create(puzzle=puzzle, user=bob, play="8/5", is_right=False)
    places = {
        "slug": club.slug,
        "puzzle": puzzle.pk,
        "person": jens.public_id,
        "match": match.public_id,
        "live": live.public_id,
        "challenge": challenge.public_id,
        "notification": notified.pk,
        "card": Card.objects.create(user=bob, match=match, due=NOW.date()).pk,
        "request": ask_to_join(club=club, user=ida, claimed="", by=Actor.of(ida), now=NOW).public_id,
        "owner_offer": offer_ownership(
            membership=bob_player.memberships.get(club=club),
            then="owner",
            by=Actor.of(User.objects.get(player__memberships__club=club, player__memberships__role="owner")),
            now=timezone.now(),
        ).public_id,
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
        "coming_token": coming_path(bob, running.tournament).split("/")[2],
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
