"""Every page that a role may open is reached from the home page by links and buttons, in the demo club.

Nothing else is given: no address is typed. Who may open what, views declare (`core.access`).
"""

from collections.abc import Iterator, Mapping

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from core.access import Who
from display.sharing.cards import CARDS
from display.sharing.page.app import ICONS
from matches.models import Analysis, LiveMatch, Match, Proposal
from players.models import Player
from tests import demo_club
from tests.access.crawler import Walk
from tests.access.roles import ROUTES, declared, may
from tests.test_privacy import PERSONAL
from tests.tiers import TIER
from tournaments.models import Entry, Fixture, Floor, Tournament

MAX_STEPS = 5
NEARLY_LIKE_OTHERS = ("stranger", "assistant")
"""Roles whose pages are those of a player and a director but for a few."""
KEYS = PERSONAL | {"token"}
"""Parameters of links that work like a key. They come by e-mail, on paper, or are shown once to whoever made them."""
NOT_LINKED = {
    "design": "takes the form of the format on the page Draw, to which it leads",
    "division-withdraw": "only whoever is entered in the division is offered to withdraw",
    "healthz": "for programs",
    "live-stream": "for the scripts of pages",
    "readyz": "for programs",
    "replay-picture": "the picture in previews of links",
    **{f"{kind}-card": "the picture in previews of links" for kind in CARDS if kind != "replay"},
    "club-pool-formulas": "the part of the page of a pool that htmx fetches while the formulas are compared",
    "club-emblem": "a picture on the pages of clubs",
    "club-manifest": "for browsers",
    **{f"club-icon-{icon}": "for browsers" for icon in ICONS},
    "match-report": "for players of a match that somebody reported from its score sheet",
    "join-club": "for whoever is no member yet, and for members without a role",
    "deck-card": "follows the answer to a card",
    "next-board": "linked while a board by correspondence waits for the reader",
    "match-decisions": "linked from the letter and the analysis of an own match; a journey follows the links",
    "past-season": "linked once a season is imported",
    "kept": "linked while something that was kept without a connection waits for a decision",
    "floor-chosen-pair": "fetched by the floor while two are chosen who are free without rounds",
    "owner-offer": "linked while an offer or a request waits for an answer",
    "club-nobody": "linked while no owner has signed in for 60 days",
    "join-requests": "linked while somebody asks to join",
    "entry-undo-late": "in the panel of an entry at the arrivals desk",
    "entry-re-enter": "in the panel of an entry at the arrivals desk",
    "entry-return": "among the withdrawn at the arrivals desk",
    "offline": "shown by the service worker while the server is away",
    "robots": "for programs",
    "security-txt": "for programs",
    "service-worker": "for browsers",
    "set-language": "a form, which leads back to its page",
    "sign-in": "for visitors; whoever is signed in is sent on",
    "guest-board": "for visitors; whoever is signed in is led to practice",
    "guest-keep": "follows the sign-up of somebody who has played without an account",
    "password-forgotten": "for visitors; whoever is signed in changes the password in the preferences",
    "password-sent": "follows a form with an e-mail address",
    "password-done": "follows the link of an e-mail",
    "send-kept-input": "follows the sign-in in the middle of a form",
    "table-now": "the QR code on the card of a table",
    "arrive": "the QR code on the poster at the door; players who are entered also have a link",
    "entries": "an older address of the arrivals desk, which it leads to",
    "fixture-correct-undo": "assistants may read what would follow, and are not offered to undo",
    "embed-bracket": "a frame on other websites; its address is under Embed",
    "embed-calls": "a frame on other websites; its address is under Embed",
    "embed-series": "a frame on other websites; its address is under Embed",
    "embed-standings": "a frame on other websites; its address is under Embed",
}
"""Route -> why a role that may open it need not be led to it."""
REACHED_BY = {
    "arrive": "player assistant helper director owner",
    "division-withdraw": "player assistant owner",
    "fixture-correct-undo": "director owner",
    "guest-board": "anonymous",
    "join-club": "anonymous stranger player helper director owner",
    "password-forgotten": "anonymous",
    "set-language": "anonymous",
    "sign-in": "anonymous player assistant helper director owner",
    "table-now": "assistant helper director owner",
}
"""Route of NOT_LINKED -> the roles that are led to it all the same. All others that may open it need the exception."""
BY_CHANCE = {"match-decisions"}
"""Reached by some roles, with some dice of the demo club."""


@pytest.fixture(scope="module")
def cast(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[demo_club.Cast]:
    """The accounts of the demo club, by role."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield demo_club.load(now=timezone.now())
        transaction.set_rollback(True)


def states() -> Mapping[str, str]:
    """Public id or slug -> the state that decides what the pages about it offer."""
    floors = set(Floor.objects.values_list("tournament", flat=True))
    analysed = Analysis.objects.filter(state=Analysis.State.DONE)
    played_here = LiveMatch.objects.filter(match__state=Match.State.SETTLED)
    topics = {
        "here": set(played_here.values_list("match__parent_topic", flat=True)),
        "live": set(Match.objects.filter(state=Match.State.LIVE).values_list("parent_topic", flat=True)),
        "analysed": set(analysed.values_list("match__parent_topic", flat=True)),
        "withdrawn": {row.division.topic for row in Entry.objects.filter(status=Entry.Status.OUT)},
    }
    by_id: dict[str, str] = {}
    for event in Tournament.objects.prefetch_related("divisions"):
        of_divisions = {
            row.public_id: [row.status, *(word for word, found in topics.items() if row.topic in found)]
            for row in event.divisions.all()
        }
        particulars = {word for words in of_divisions.values() for word in words[1:]}
        by_id[event.slug] = " ".join([event.status, *(["floor"] if event.pk in floors else []), *sorted(particulars)])
        by_id |= {public_id: " ".join(words) for public_id, words in of_divisions.items()}
    for model in (Fixture, Entry):
        by_id |= dict(model.objects.values_list("public_id", "status"))
    by_id |= dict(Match.objects.values_list("public_id", "state"))
    appointments = Proposal.objects.filter(state=Proposal.State.ACCEPTED)
    by_id |= dict.fromkeys(appointments.values_list("match__public_id", flat=True), "appointment")
    by_id |= dict.fromkeys(played_here.values_list("match__public_id", flat=True), "played here")
    by_id |= dict.fromkeys(analysed.values_list("match__public_id", flat=True), "analysed")
    here = set(played_here.values_list("match__player_0", flat=True))
    by_id |= {
        row.public_id: f"account: {row.user_id is not None}, here: {row.pk in here}" for row in Player.objects.all()
    }
    return by_id


def may_open(role: str) -> set[str]:
    """Return the routes that a role may open; those of the API and those that need a key are left out."""
    routes = {name for name, route in ROUTES.items() if not KEYS & set(route.pattern.regex.groupindex)}
    return {name for name in routes if not name.startswith("api-") and _may_open(name, role)}


def _may_open(route: str, role: str) -> bool:
    if role == "helper":
        role = "assistant" if declared(ROUTES[route]).get("get") is Who.HELPERS else "stranger"
    return may(role, route)


ROLES = ("anonymous", "stranger", "player", "assistant", "helper", "director", "owner")


def test_every_exception_is_needed_by_a_role() -> None:
    assert REACHED_BY.keys() <= NOT_LINKED.keys()
    needed_by = {name: {role for role in ROLES if name in may_open(role)} for name in NOT_LINKED}
    assert [name for name, roles in needed_by.items() if roles <= set(REACHED_BY.get(name, "").split())] == []


@pytest.mark.slow
@pytest.mark.landing
@pytest.mark.django_db
@pytest.mark.parametrize("role", [role for role in ROLES if TIER.every_role or role not in NEARLY_LIKE_OTHERS])
def test_every_page_is_reached_in_five_steps_and_leads_on(role: str, cast: demo_club.Cast) -> None:
    user = cast[role]
    client = Client()
    if user is not None:
        client.force_login(user)
    # The page about oneself offers something else than those about others, of whom one is looked at.
    own = dict.fromkeys(Player.objects.filter(user=user).values_list("public_id", flat=True), "own") if user else {}
    walk = Walk(client, MAX_STEPS, {**states(), **own}).run()
    missed = may_open(role) - set(walk.steps_to)
    assert len(walk.steps_to) > 40
    assert walk.broken == [], "links and buttons that lead where the role may not go"
    assert walk.dead_ends == [], "pages without a way on"
    assert missed - set(NOT_LINKED) == set(), "orphans"
    led_to = {name for name in may_open(role) - missed if name in NOT_LINKED}
    assert led_to - BY_CHANCE == {name for name, roles in REACHED_BY.items() if role in roles.split()}, "exceptions"
