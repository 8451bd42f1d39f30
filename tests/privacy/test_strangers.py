"""A club names only its own people: whoever sends the public id of a stranger gets 404, and no page has the name.

Every field of a form or an operation that can hold a public id is found here. One that refers to a player needs a
request in BODIES or FORMS, or a reason; any other has a name in OTHER_THINGS.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from django import forms
from django.db import transaction
from django.forms.fields import BaseTemporalField
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from clubhouse.tonight import TonightForm
from matches.ratings.preview import RatingPreview
from players.actions import UserAction
from players.actors import SYSTEM, Actor
from players.clubs.services import create_club
from players.forms import AddPlayerForm, ChosenListForm, MergeForm
from players.models import Membership, Player, User
from players.people.club_people import people_among
from players.people.pairs import pair_of
from prizes import forms as prizes
from seasons.actions import edit_url, series_url
from seasons.page.match_imports import PastMatchesForm
from seasons.page.past import PastSeasonForm
from seasons.services import count_events, enter_season
from tests.access.roles import ROUTES, may
from tests.access.world import EVENT_ROUTES, address, offer_of, season_of
from tests.api.test_parity import bound_forms, declared, fields_of, resolved, schema, writing
from tests.event_cast import NOW, RunningEvent, join
from tests.test_privacy import text_of
from tests.tiers import TIER
from tests.tokens import key_for
from tournaments.entries import forms as entries
from tournaments.entries.services import enter
from tournaments.events.helpers import accept_helping, add_helper
from tournaments.events.services import create_division
from tournaments.floor.page import forms as floor
from tournaments.models import Division, Series, SeriesEntry, SeriesPoints, SeriesView
from tournaments.offers.services import OfferInput, create_offer
from tournaments.standings.changes import ChangeLabels
from tournaments.state.preview import Consequences

pytestmark = pytest.mark.django_db

NAME = "Zoltan Zimmermann"
PERSON, EVENT, SERIES = "<person>", "<event>", "<series>"
"""Stand for public ids in requests."""
LETTERS = 10
"""Of a public id."""
NAMES_A_PLAYER = re.compile(r"player|person|member|opponent|partner|substitute|guest")
OTHER_THINGS = {
    "language": "language second_language",
    "club": "club",
    "division": "division",
    "division or season of a title": "series division",
    "entry": "entry entries first second pairs amounts",
    "event": "event",
    "fixture or its parts": "fixture match matches objection record report reports result submission fact",
    "kept apart": "first second",
    "line of text": "currency times deadlines names names_asked email auth p256dh text",
    "choice": "channels i_am move ratings scope scopes style template parts season_tables sheets nights waived waive",
    "money": "payment split",
    "size of a bracket": "places",
    "plan of an event": "stages brackets order",
    "table of start scores": "start_table",
    "play": "not_rated link tab anchor level puzzle_choice",
    "season": "like series view",
    "tap": "batch key kiosk helper missed page",
    "stage and table": "stage table move_to pool",
}
"""What a field refers to that can hold a public id, but not that of a player -> names of fields."""

PREVIEW, PREVIEW_ON_PAGE = {"preview": True}, {"step": "preview"}
"""Of an import."""
BODIES: Mapping[str, dict[str, Any]] = {
    "seasons_give_points": {"event": EVENT, "player": PERSON, "points": "1", "reason": "Set up the room."},
    "seasons_enter": {"enters": "yes", "player": PERSON},
    "seasons_pay_pool": {"player": PERSON, "event": EVENT, "amount": 5, "method": "cash"},
    "seasons_save_view": {"name": "Guests", "rule": "players", "players": [PERSON]},
    "seasons_change_plan": {"plan": {"points": 1, "count": {}, "ties": [], "players": [PERSON]}, "after": 0},
    "seasons_offer_places": {"player": PERSON},
    "seasons_take_places_back": {"player": PERSON},
    "seasons_answer_place": {"player": PERSON, "answer": "comes"},
    "titles_award": {"kind": "season", "player": PERSON, "series": SERIES},
    "members_create": {"player": PERSON},
    "members_merge": {"into": PERSON},
    "entries_create": {"name": "Elif Ristic", "player": PERSON, "partner_player": PERSON},
    "entries_substitute": {"name": "Elif Ristic", "player": PERSON, "partner_player": PERSON, "after": 1},
    "members_paste": {"names": ["Elif Ristic"], "choices": {"0": PERSON}},
    "entries_paste": {"names": ["Elif Ristic"], "choices": {"0": PERSON}},
    "past_seasons_create": {"name": "2019", "text": "name,place\nBobb,1", "choices": [f"{PERSON}:Bobb"], **PREVIEW},
    "past_matches_create": {
        "name": "2019",
        "text": "winner,loser,length\nBobb,Ola,5",
        "choices": [f"{PERSON}:Bobb"],
        **PREVIEW,
    },
    "offers_join": {"player": PERSON, "amount": 0, "unpaid": False},
    "clubs_start_evening": {"tables": 2, "closes": "23:00", "here": [PERSON]},
}
"""Operation -> a request that names a player; a declared action has the same fields on its page."""
IN_FORM = {"seasons_change_plan": {"plan"}}
"""Fields of a page that are sent as JSON."""
FORMS: Mapping[type[forms.Form], tuple[str, dict[str, Any]]] = {
    AddPlayerForm: ("add-player", BODIES["members_create"]),
    MergeForm: ("merge-member", BODIES["members_merge"]),
    entries.AddEntryForm: ("entries-add", BODIES["entries_create"]),
    ChosenListForm: ("add-list", {"names": "Elif Ristic", "choice-0": PERSON}),
    entries.EnterListForm: ("entries-enter", {"names": "Elif Ristic", "choice-0": PERSON}),
    entries.SubstituteForm: ("entry-substitute", BODIES["entries_substitute"]),
    floor.HereForm: ("floor-here", {"players": PERSON}),
    prizes.FeeForm: (
        "cash-pay",
        {"player": PERSON, "act": "receive", "amount": "5", "method": "cash", "key": "k" * 10},
    ),
    prizes.PayoutForm: (
        "cash-payout",
        {"payee": PERSON, "pot": "main", "amount": "5", "method": "cash", "key": "k" * 10},
    ),
    TonightForm: ("tonight", {"players": 2, "tables": 2, "closes": "23:00", "here": PERSON, "entered": PERSON}),
    PastSeasonForm: ("past-season-import", BODIES["past_seasons_create"] | PREVIEW_ON_PAGE),
    PastMatchesForm: ("past-matches-import", BODIES["past_matches_create"] | PREVIEW_ON_PAGE),
}
NOT_OF_A_CLUB: Mapping[str, str] = {
    "challenges_create opponent": "a friendly match between two people",
    "ChallengeForm to": "the same on a page",
    "ChallengeForm opponent": "a name that everybody may see",
    "cash_payments_create player": "one of a pair, whose entry the request names",
    **dict.fromkeys(
        (
            "entries_check_in person",
            "entries_revoke_link person",
            "RevokeEventLinkForm person",
            "PresenceForm person",
            "KioskCheckInForm person",
            "ArrivalForm people",
            "ExcuseForm person",
            "AwayForm person",
            "UndoPairingForm person",
            "fixtures_take_back_pairing person",
            "NoShowForm missing",
        ),
        "one of a pair at the event: no other can be chosen",
    ),
    "entries_create partner": "a name, of whom a club finds only its members",
    "entries_substitute partner": "the same of a substitute",
    "AddEntryForm partner": "the same on a page",
    "SubstituteForm partner": "the same on a page",
    "blocks_create player": "nobody but who blocks sees it",
    "BlockForm player": "the same on a page",
    "clubs_ask_to_join claimed": "whoever asks says who they are, among the club's members without an account",
    "JoinForm claimed": "the same on a page",
    "ownerless_answer player": "the site's staff choose among the club's members with an account",
    "AnswerRequestForm player": "the same on a page",
    "tournaments_send_kept acts": "tried part by part in `tests/access/test_foreign_ids.py`",
    "matches_send_kept acts": "the same of a match",
}
OFFERED: Mapping[type[forms.Form], str] = {
    MergeForm: "the other members",
    floor.HereForm: "the players of the event",
    prizes.FeeForm: "the players of the event",
    prizes.PayoutForm: "the players of the event",
    TonightForm: "the members, and players of the latest events",
}
"""Forms of which the player is one of a list: they refuse anybody else as a fault of the form."""
OFFERED_IN_API = {"clubs_start_evening"}


class FieldOf(NamedTuple):
    """A field of a form or an operation."""

    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner} {self.name}"


NUMBERS = ("integer", "number", "boolean")


def can_hold_an_id(name: str, shape: Mapping[str, Any]) -> bool:
    """Whether a value of the API can be or have a public id."""
    shape = resolved(shape)
    if shape.get("type") in NUMBERS or shape.get("enum") or shape.get("format"):
        return False
    if shape.get("type") == "array":
        return resolved(shape.get("items", {})).get("type") not in NUMBERS
    return shape.get("type") != "string" or shape.get("maxLength") == LETTERS or bool(NAMES_A_PLAYER.search(name))


def can_choose_a_row(name: str, field: forms.Field) -> bool:
    """Whether a field of a page can be or have a public id: by its length, or because its choices are made later."""
    if isinstance(field, forms.ModelChoiceField | forms.MultipleChoiceField | forms.JSONField):
        return True
    if isinstance(field, forms.IntegerField | forms.BooleanField | forms.FileField | BaseTemporalField):
        return False
    if isinstance(field, forms.ChoiceField):
        return not field.choices
    if isinstance(field, forms.CharField):
        return field.max_length in (None, LETTERS) or bool(NAMES_A_PLAYER.search(name))
    return True


def fields_with_an_id() -> Iterator[FieldOf]:
    for operation in writing():
        for name, shape in fields_of(operation).items():
            if can_hold_an_id(name, shape):
                yield FieldOf(operation, name)
    for form in {*bound_forms(), *(action.form for action in declared())}:
        for name, field in getattr(form, "base_fields", {}).items():
            if can_choose_a_row(name, field):
                yield FieldOf(form.__name__, name)


def of_forms() -> set[FieldOf]:
    """The fields that refer to a player in the forms of FORMS, and of the actions whose operation is in BODIES."""
    sent = {form.__name__: data for form, (_route, data) in FORMS.items()}
    sent |= {form.__name__: BODIES[operation] for form, operation in ACTION_FORMS.items()}
    return {FieldOf(form, name) for form, data in sent.items() for name, value in data.items() if PERSON in str(value)}


def actions() -> dict[str, UserAction]:
    """Operation -> the declared action of it, of those in BODIES."""
    return {action.api.operation: action for action in declared() if action.api and action.api.operation in BODIES}


ACTION_FORMS = {action.form: operation for operation, action in actions().items()}


def test_every_field_that_can_name_a_player_is_tried() -> None:
    found = set(fields_with_an_id())
    of_api = {FieldOf(op, name) for op, body in BODIES.items() for name, value in body.items() if PERSON in str(value)}
    other = {name for names in OTHER_THINGS.values() for name in names.split()}
    exempt = {field for field in found if str(field) in NOT_OF_A_CLUB}
    assert not any(NAMES_A_PLAYER.search(name) for name in other)
    unknown = {str(field) for field in found - of_api - of_forms() - exempt if field.name not in other}
    assert unknown == set(), "add a request to BODIES or FORMS, or say to what it refers in OTHER_THINGS"
    assert len(of_api) > 12
    assert len(of_forms()) > 15
    assert {str(field) for field in exempt} == set(NOT_OF_A_CLUB)
    assert {str(field) for field in of_api - found} == set(), "operations or fields that are gone"
    assert other <= {field.name for field in found}


@dataclass
class World:
    """Alice's club with an event that is played and a season, and Zoltan, who has to do with neither."""

    running: RunningEvent
    season: Series
    stranger: Player

    def filled(self, value: Any, person: Player) -> Any:
        """Return a body with the public ids in place of what stands for them."""
        text = json.dumps(value)
        event = self.running.tournament.public_id
        for mark, public_id in ((PERSON, person.public_id), (EVENT, event), (SERIES, self.season.public_id)):
            text = text.replace(mark, public_id)
        return json.loads(text)

    def endpoint(self, operation: str) -> str:
        """Return the URL of an operation, about Bob where it is about a member."""
        path = next(path for path, methods in schema()["paths"].items() if operation in str(methods))
        event, division = self.running.tournament, self.running.division
        values = {"slug": event.club.slug, "series": self.season.public_id, "division": division.public_id}
        values["entry"] = self.running.entry.public_id
        if "{offer}" in path:
            values["offer"] = offer_of(self.running).public_id
        return path.format(**values, tournament=event.public_id, public_id=self.running.entry.player.public_id)

    def page(self, route: str) -> str:
        """Return the URL of a route, about Bob where it is about a member."""
        if route == "floor-here":
            event = self.running.tournament
            return reverse("floor-action", args=[event.club.slug, event.slug, "here"])
        if route in EVENT_ROUTES:
            return address(route, self.running)
        values = {"slug": self.running.tournament.club.slug, "public_id": self.running.entry.player.public_id}
        return reverse(route, kwargs={place: values[place] for place in ROUTES[route].pattern.regex.groupindex})

    def requests(self, person: Player) -> Iterator[tuple[str, str, dict[str, Any], bool]]:
        """Yield what is tried about a person: its name, the URL, the body, and whether it is a fault of the form."""
        for operation, body in BODIES.items():
            yield operation, self.endpoint(operation), self.filled(body, person), operation in OFFERED_IN_API
        for operation, action in actions().items():
            route = next(name for name, row in ROUTES.items() if row.callback is action.view or is_page(row, action))
            data = self.filled(BODIES[operation], person)
            yield route, self.page(route), {name: flat(value) for name, value in data.items()}, False
        for form, (route, data) in FORMS.items():
            yield form.__name__, self.page(route), self.filled(data, person), form in OFFERED


def is_page(route: Any, action: UserAction) -> bool:
    """Whether a route is the page of an action, not its endpoint."""
    return getattr(route.callback, "action", None) is action and not str(route.pattern).startswith("^api/")


def flat(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict) else value


@pytest.fixture
def world(running: RunningEvent) -> World:
    zoltan = User.objects.create_user("zoltan@example.org", "crawford-1969", display_name=NAME)
    elsewhere = create_club(name="Inland", slug="inland", by=SYSTEM)
    stranger = join(elsewhere, zoltan)
    stranger.initials_only = True
    stranger.save()
    create_offer(tournament=running.tournament, offer=OfferInput("Jackpot", 4, [5]), by=SYSTEM, now=NOW)
    return World(running, season_of(running), stranger)


def helper_of(running: RunningEvent) -> User:
    helga = User.objects.create_user("helga@example.org", "crawford-1969", display_name="Helga")
    by, now = Actor.of(helga), timezone.now()
    invited = add_helper(tournament=running.tournament, email=helga.email, by=SYSTEM, now=now, link=str)
    accept_helping(helper=invited.helper, user=helga, by=by, now=now)
    return helga


def pages_of(world: World) -> Iterator[str]:
    """Yield the URL of every page and file of the club, its event and its season that can be read."""
    yield from (world.page(name) for name in (*EVENT_ROUTES, "events", "api-tournaments") if may("owner", name))
    season = reverse("series", args=[world.season.club.slug, world.season.slug])
    yield from (f"{season}table.csv", f"{season}table.json")
    for name, route in ROUTES.items():
        places = set(route.pattern.regex.groupindex)
        if name not in EVENT_ROUTES and "slug" in places and places <= {"slug", "public_id"}:
            yield world.page(name)


def leaks(client: Client, world: World, *, only: str = "") -> list[str]:
    """Return the pages on which the name of the stranger is, of all or of those whose URL has this text."""
    read = {url: client.get(url) for url in pages_of(world) if only in url}
    assert sum(answer.status_code == 200 for answer in read.values()) > (10 if only else 40)
    return [url for url, answer in read.items() if NAME.casefold() in text_of(answer)]


ROLES = ("director", "token", "assistant", "helper", "member", "director of another club", "nobody")


@pytest.mark.soak
@pytest.mark.parametrize(
    "role", [pytest.param(role, marks=[] if role == "director" else [pytest.mark.slow]) for role in ROLES]
)
def test_nobody_makes_a_club_name_a_stranger(
    role: str,
    world: World,
    as_user: Callable[[User | None], Client],
    alice: User,
    erin: User,
    bob: User,
    frank: User,
    dave: User,
) -> None:
    users = dict(zip(ROLES, (alice, alice, erin, None, bob, frank, dave), strict=True))
    user = users[role] or helper_of(world.running)
    client = Client(headers={"Authorization": f"Token {key_for(user)}"}) if role == "token" else as_user(user)
    directs = role in ("director", "token")
    wrong: dict[str, int] = {}
    tried = 0
    for name, url, body, is_offered in world.requests(world.stranger):
        in_api = url.startswith("/api/")
        if role == "token" and not in_api:
            continue
        answer = send(client, url, body)
        tried += 1
        right = (404,) if directs else (403, 404)
        faults = (200, 302, 422) if is_offered else ()
        if answer.status_code not in (*right, *faults) or NAME.casefold() in text_of(answer):
            wrong[name] = answer.status_code
    assert tried > (14 if role == "token" else 30)
    assert wrong == {}
    assert not people_among(world.season.club, [world.stranger])
    sample = "" if TIER.every_page else "/seasons/"
    assert leaks(as_user(alice if directs else user), world, only=sample) == []


def send(client: Client, url: str, body: dict[str, Any]) -> Any:
    return (
        client.post(url, body, content_type="application/json") if url.startswith("/api/") else client.post(url, body)
    )


@pytest.mark.slow
def test_the_same_requests_find_a_member(world: World, as_user: Callable[[User | None], Client], alice: User) -> None:
    """Without this, requests that are refused for another reason would show nothing."""
    client, bob = as_user(alice), world.running.entry.player
    not_there = []
    for name, url, body, _is_offered in world.requests(bob):
        with transaction.atomic():
            not_there += [name] if send(client, url, body).status_code in (403, 404) else []
            transaction.set_rollback(True)
    assert not_there == []


@pytest.fixture
def pair(world: World) -> Player:
    """Bob and Carol, who also play doubles in the event."""
    event = world.running.tournament
    division = create_division(tournament=event, by=SYSTEM, now=NOW, name="Doubles")
    Division.objects.filter(pk=division.pk).update(sides=Division.Sides.TWO)
    division.refresh_from_db()
    bob, carol = Player.objects.filter(user__display_name__in=("Bob", "Carol")).order_by("name")
    with transaction.atomic():
        player = pair_of(bob, carol)
    enter(division=division, players=[player], by=SYSTEM, now=NOW)
    return player


PAYS = {"FeeForm", "HereForm", "PayoutForm"}
"""Forms about entries, of which a pair is one."""


@pytest.mark.slow
def test_a_pair_is_nobody_whom_a_club_can_name(world: World, pair: Player, alice_client: Client) -> None:
    taken = {}
    for name, url, body, is_offered in world.requests(pair):
        with transaction.atomic():
            status = send(alice_client, url, body).status_code
            transaction.set_rollback(True)
        if name not in PAYS and status not in ((404, 422, 200) if is_offered else (404,)):
            taken[name] = status
    assert taken == {}


@pytest.mark.slow
def test_no_form_of_a_club_offers_a_pair_as_a_person(world: World, pair: Player, alice_client: Client) -> None:
    bob = world.running.entry.player
    offered = {bob: set[str](), pair: set[str]()}
    for url in pages_of(world):
        text = text_of(alice_client.get(url))
        for player, urls in offered.items():
            urls |= {url} if f'value="{player.public_id}"'.casefold() in text else set()
    assert len(offered[bob]) > 4
    assert {url for url in offered[pair] if not url.endswith(("/cash/", "/prizes/"))} == set()


@pytest.mark.slow
def test_no_page_or_operation_about_a_member_takes_a_stranger(world: World, alice_client: Client) -> None:
    about_members = [name for name, route in ROUTES.items() if "members/(?P<public_id>" in str(route.pattern)]
    slug, answers = world.season.club.slug, {}
    for name in about_members:
        url = reverse(name, kwargs={"slug": slug, "public_id": world.stranger.public_id})
        for method in ("get", "post", "put", "patch", "delete"):
            status = getattr(alice_client, method)(url).status_code
            answers[f"{method} {name}"] = status
    assert len(about_members) > 10
    assert {key: status for key, status in answers.items() if status not in (404, 405)} == {}


def test_staff_read_the_initials_of_a_stranger_who_has_points_from_earlier(world: World, alice_client: Client) -> None:
    season, event = world.season, world.running.tournament
    count_events(series=season, events=[event], by=SYSTEM)
    SeriesPoints.objects.create(series=season, tournament=event, player=world.stranger, points="3", reason="x")
    SeriesEntry.objects.create(series=season, player=world.stranger, by=None)
    view = SeriesView.objects.create(series=season, name="Guests", rule="players")
    view.players.add(world.stranger)
    Division.objects.update(status=Division.Status.FINISHED)
    table = alice_client.get(f"{series_url(season)}table.json").json()
    assert [row["name"] for row in table["rows"] if row["player"] == world.stranger.public_id] == ["Z. Z."]
    assert "Z. Z." in alice_client.get(edit_url(season)).content.decode()
    assert leaks(alice_client, world, only="/seasons/") == []


@pytest.mark.postgresql
@pytest.mark.parametrize("act", ["enters the event", "enters the season", "becomes a member"])
def test_who_comes_by_their_own_act_is_named_to_staff_alone(
    act: str, world: World, alice_client: Client, client: Client
) -> None:
    season, zoltan = world.season, world.stranger
    assert zoltan.user is not None
    by = Actor.of(zoltan.user)
    if act == "enters the season":
        enter_season(series=season, player=zoltan, by=by, now=NOW)
    elif act == "becomes a member":
        Membership.objects.create(club=season.club, player=zoltan)
    else:
        division = create_division(tournament=world.running.tournament, by=SYSTEM, now=NOW, name="Beginners")
        enter(division=division, players=[zoltan], by=by, now=NOW)
    assert people_among(season.club, [zoltan]) == {zoltan.pk}
    count_events(series=season, events=[world.running.tournament], by=SYSTEM)
    body = world.filled(BODIES["seasons_give_points"], zoltan)
    assert send(alice_client, world.endpoint("seasons_give_points"), body).status_code == 200
    Division.objects.update(status=Division.Status.FINISHED)
    table = f"{series_url(season)}table.csv"
    assert NAME in alice_client.get(table).content.decode()
    assert "Z. Z." in client.get(table).content.decode()


def test_a_typed_name_is_not_the_stranger_who_has_it(world: World, alice_client: Client) -> None:
    alice_client.post(world.page("add-member"), {"name": NAME, "namesake": "on"})
    body = {"name": f"{NAME.split()[0]} Z", "player": "new"}
    alice_client.post(world.page("entries-add"), body)
    assert Player.objects.filter(name=NAME).count() == 2
    assert not people_among(world.season.club, [world.stranger])


def test_whoever_shows_their_full_name_can_be_made_a_member(world: World, alice_client: Client) -> None:
    carla = Player.objects.create(name="Carla Conti")
    answer = alice_client.post(world.page("add-player"), {"player": carla.public_id})
    assert answer.status_code == 302
    assert people_among(world.season.club, [carla]) == {carla.pk}


def test_a_person_is_known_under_a_merged_player(world: World) -> None:
    jens = Player.objects.create(name="Jens")
    Membership.objects.create(club=world.season.club, player=jens)
    jens.merged_into = world.stranger
    jens.save()
    assert people_among(world.season.club, [world.stranger, jens]) == {world.stranger.pk, jens.pk}


def test_a_correction_names_strangers_of_the_site_s_ratings_as_everybody_sees_them(world: World) -> None:
    changed = [RatingPreview(1, player.pk, 1500.0, 1512.0) for player in (world.stranger, world.running.entry.player)]
    lines = ChangeLabels(world.running.division).ratings(Consequences(ratings=tuple(changed)))
    assert [line.name for line in lines] == ["Z. Z.", "Bob"]
