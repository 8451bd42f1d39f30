"""Random requests, generated from the API description (schemathesis), against the real site.

Each is sent to the demo club, which has something of everything, by three users and is rolled back. The response must
be one that the description contains: never a 500, never another content type, and every error with a code.
The first of them is the simplest that is valid or invalid, the others are random.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoDbBlocker
from schemathesis import APIOperation, Case, Response
from schemathesis.checks import content_type_conformance, not_a_server_error, response_schema_conformance
from schemathesis.generation import GenerationMode

from config.api_errors import PROBLEM_JSON
from demo.club import load
from matches.models import Challenge, ChatMessage, Match, Proposal, RatingImport, RatingPool, Submission
from matches.play.lobby import services as lobby
from matches.play.lobby.services import ChallengeInput
from matches.reporting import appointments
from players.access import Role
from players.actors import Actor
from players.clubs.owners import want_owner
from players.clubs.services import add_member
from players.handover.services import offer_ownership
from players.models import Club, DataExport, KeptAct, Membership, Merge, Outbox, OwnerOffer, Player, User
from players.people.services import claim_player
from players.privacy.services import request_export
from seasons.services import SeriesInput, create_series
from tests.tiers import TIER
from tests.tokens import key_for
from tournaments.entries import services as entries
from tournaments.events import helpers
from tournaments.events import services as events
from tournaments.ledger import payments
from tournaments.ledger.payments import PaymentInput
from tournaments.models import (
    AgreedSplit,
    Correction,
    Division,
    Entry,
    Fixture,
    Helper,
    Offer,
    PastSeason,
    Payment,
    Series,
    SidePool,
    Title,
    Tournament,
)
from tournaments.offers.services import OfferInput, create_offer

pytestmark = pytest.mark.django_db

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
ASKERS = {"anonymous": None, "player": "bob@example.org", "director": "alice@example.org"}
# Hypothesis takes the first value for the simplest, and tries that first: a request for something that exists.
ONE_IN_FIVE = st.sampled_from([*[False] * 4, True])

hurried = settings(
    max_examples=TIER.fuzzed,
    database=None,
    # A shrunk request would show the same as the first one, but later.
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@dataclass
class World:
    """Existing ids, by the first word of a path and the name of its parameter."""

    ids: dict[tuple[str, str], list[str]]
    seqs: dict[str, int]
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """The demo club with a draft event and proposed times, created once."""
    now = timezone.now()
    # A server closes connections after each request; Django's test client, and this one, stay in the transaction.
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    with django_db_blocker.unblock(), transaction.atomic():
        load(password="crawford-1969", now=now)
        _an_event_to_draw(now)
        _seasons(now)
        for match in Match.objects.filter(state=Match.State.OPEN).order_by("pk")[:1]:
            appointments.propose(
                match=match, side=0, offer=appointments.Dates([now + timedelta(hours=6)]), by=Actor.link(0), now=now
            )
        _a_friendly_match(now)
        bob = User.objects.get(email=ASKERS["player"])
        request_export(player=bob.player, user=bob, by=Actor.of(bob), now=now)
        namesake = add_member(club=Club.objects.get(), name="Bobby Bergmann", by=Actor.of(bob), namesake=True)
        claim_player(player=namesake.player, user=bob, by=Actor.of(bob), now=now)
        _who_owns_the_club(bob.player, now)
        yield World(known_ids(), _seqs(), {user.email: key_for(user) for user in User.objects.all()})
        transaction.set_rollback(True)
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


def _an_event_to_draw(now: datetime) -> None:
    club, by = Club.objects.get(), Actor.of(User.objects.get(email=ASKERS["director"]))
    event = events.create_tournament(club=club, by=by, now=now, name="Spring Open", starts_at=now)
    create_offer(tournament=event, offer=OfferInput("Jackpot", 4, [5]), by=by, now=now)
    division = events.create_division(tournament=event, by=by, now=now, name="Open", self_registration=True)
    entries.enter(division=division, players=list(Player.objects.order_by("pk")[:5]), by=by, now=now)
    payments.add_float(tournament=event, payment=PaymentInput(100, "float"), by=by, now=now)
    SidePool.objects.create(division=division, name="Jackpot", fee=5, shares=[10_000], at=now)
    AgreedSplit.objects.create(division=division, pot="main", at=now)
    box = Outbox.objects.create(topic=event.topic, key="k" * 22, club=club, by=by.kind, user=by.user)
    KeptAct.objects.create(outbox=box, number=1, action="note", outcome="done", is_open=True)
    helpers.add_helper(tournament=event, email="helga@example.org", by=by, now=now, link=str)


def _seasons(now: datetime) -> None:
    """A season of this year, and an imported one."""
    club, by = Club.objects.get(), Actor.of(User.objects.get(email=ASKERS["director"]))
    this_year = SeriesInput("This year", now.date(), now.date() + timedelta(days=200))
    create_series(club=club, series=this_year, by=by, now=now)
    PastSeason.objects.create(club=club, name="2019", at=now)
    division = Division.objects.filter(status=Division.Status.FINISHED).latest("pk")
    player = division.entries.latest("pk").player
    Title.objects.create(club=club, player=player, kind=Title.Kind.EVENT, division=division, day=now.date(), at=now)


def _a_friendly_match(now: datetime) -> None:
    """Bob plays Alice here, who has said hello; a challenge to anybody is open."""
    alice, bob = (Player.objects.get(user__email=ASKERS[name]) for name in ("director", "player"))
    by = Actor.of(User.objects.get(email=ASKERS["player"]))
    challenge = lobby.make_challenge(player=bob, wish=ChallengeInput(5), by=by, now=now)
    match = lobby.accept(challenge=challenge, player=alice, by=by, now=now)
    ChatMessage.objects.create(match=match, room=ChatMessage.Room.PLAYERS, side=1, text="Hello!")
    lobby.make_challenge(player=alice, wish=ChallengeInput(3), by=by, now=now)


def _who_owns_the_club(asked: Player, now: datetime) -> None:
    owner = Membership.objects.get(role=Role.OWNER)
    assert owner.player.user is not None
    member = Membership.objects.get(player=asked)
    offer_ownership(membership=member, then=Role.DIRECTOR, by=Actor.of(owner.player.user), now=now)
    want_owner(owner.club, now)


def known_ids() -> dict[tuple[str, str], list[str]]:
    def of(rows: Any, field: str = "public_id") -> list[str]:
        return [str(value) for value in rows.order_by("-pk").values_list(field, flat=True)]

    bob_matches = Match.objects.filter(player_0__user__email=ASKERS["player"]) | Match.objects.filter(
        player_1__user__email=ASKERS["player"]
    )
    people, submissions = of(Player.objects), of(Submission.objects)
    return {
        ("challenges", "public_id"): of(Challenge.objects),
        ("clubs", "slug"): of(Club.objects, "slug"),
        ("clubs", "public_id"): [*people, *of(PastSeason.objects)],
        ("clubs", "id"): [*of(Merge.objects, "pk"), *of(RatingPool.objects, "pk"), "1"],
        ("clubs", "source"): [*of(RatingImport.objects, "pk"), "1"],
        ("corrections", "correction"): of(Correction.objects),
        ("divisions", "division"): of(Division.objects),
        ("divisions", "number"): ["1"],
        ("divisions", "entry"): of(Entry.objects),
        ("divisions", "pool"): of(SidePool.objects),
        ("divisions", "split"): of(AgreedSplit.objects),
        ("entries", "entry"): of(Entry.objects),
        ("exports", "export"): of(DataExport.objects),
        ("fixtures", "fixture"): of(Fixture.objects.filter(match__isnull=False)),
        ("matches", "public_id"): [*of(bob_matches), *of(Match.objects.exclude(state=Match.State.SETTLED))],
        ("matches", "record_id"): of(Submission.objects.filter(match__in=bob_matches)),
        ("matches", "side"): ["0", "1"],
        ("matches", "message"): of(ChatMessage.objects),
        ("me", "id"): of(Merge.objects.filter(claimed=True), "pk"),
        ("me", "public_id"): people,
        ("me", "token_id"): ["1"],
        ("matches", "proposal_id"): of(Proposal.objects),
        ("offers", "offer"): of(Offer.objects),
        ("owner-offers", "owner_offer"): of(OwnerOffer.objects),
        ("players", "public_id"): people,
        ("players", "other_id"): people,
        ("seasons", "series"): of(Series.objects),
        ("seasons", "player"): people,
        ("site", "slug"): of(Club.objects, "slug"),
        ("submissions", "public_id"): submissions,
        ("submissions", "extension"): ["mat", "sgf", "json"],
        ("titles", "title"): of(Title.objects),
        ("tournaments", "tournament"): of(Tournament.objects),
        ("tournaments", "payment"): of(Payment.objects),
        ("tournaments", "helper"): of(Helper.objects),
        ("tournaments", "kept"): of(KeptAct.objects, "pk"),
    }


def _seqs() -> dict[str, int]:
    """The `seq` to send with a write, by the id in the path."""
    fixtures = Fixture.objects.filter(match__isnull=False).values_list("public_id", "match__seq")
    rows = (Division.objects.values_list("public_id", "seq"), Match.objects.values_list("public_id", "seq"), fixtures)
    return {public_id: seq for some in rows for public_id, seq in some}


def aimed(case: Case, world: World, data: st.DataObject) -> Case:
    """Let most requests name something that exists, with its current `seq`."""
    path = dict(case.path_parameters)
    for name in path:
        if not data.draw(ONE_IN_FIVE):
            known = world.ids[case.path.split("/")[3], name]
            assert known, f"nothing there for {name} of {case.path}"
            path[name] = data.draw(st.sampled_from(known))
    headers = {name: value for name, value in case.headers.items() if name != "Authorization"}
    if not data.draw(ONE_IN_FIVE):
        headers.pop("Match-Link", None)
    body, seen = case.body, [world.seqs[public_id] for public_id in path.values() if public_id in world.seqs]
    if seen and not data.draw(ONE_IN_FIVE):
        headers["If-Match"] = f'"{seen[0]}"'
        body = {name: value for name, value in body.items() if name != "after"} if isinstance(body, dict) else body
    case.path_parameters, case.headers, case.body = path, headers, body
    return case


def refusals_have_a_code(_context: Any, response: Response, case: Case) -> None:
    """Check that every error is a problem with a code."""
    if response.status_code >= 400 and case.method != "HEAD":
        assert response.headers["content-type"] == [PROBLEM_JSON]
        assert response.json()["code"]


def modes(operation: APIOperation) -> list[GenerationMode]:
    """Operations without input accept anything."""
    takes_something = any((operation.path_parameters, operation.query, operation.body))
    return [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if takes_something else [])]


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.postgresql
def test_no_request_causes_a_server_error(world: World, subtests: pytest.Subtests) -> None:
    """All three users send each request, because generating it takes longer than answering it."""
    described = schemathesis.openapi.from_wsgi("/api/schema/", get_wsgi_application())
    # The stream has a server of its own, for which there is no WSGI.
    operations = [result.ok() for result in described.exclude(path="/live/").get_all_operations()]
    assert len(operations) > 70
    tokens = [
        # What leaves the server compressed arrives here without a browser that unpacks it.
        {"Accept-Encoding": "identity"} | ({"Authorization": f"Token {world.tokens[email]}"} if email else {})
        for email in ASKERS.values()
    ]
    for operation in operations:
        for mode in modes(operation):
            with subtests.test(operation.label, mode=mode.value):
                strategy = operation.as_strategy(generation_mode=mode)

                @hurried
                @given(case=strategy, data=st.data())
                def ask(case: Case, data: st.DataObject) -> None:
                    case = aimed(case, world, data)
                    headers = case.headers
                    for token in tokens:
                        case.headers = {**headers, **token}
                        with transaction.atomic():
                            response = case.call()
                            transaction.set_rollback(True)
                        case.validate_response(response, checks=CHECKS, additional_checks=[refusals_have_a_code])

                ask()
