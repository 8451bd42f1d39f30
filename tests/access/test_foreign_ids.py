"""Whoever has the highest role in a club of their own learns nothing of strangers, and does nothing to them, by an id.

Every field of an operation or a form that can name a row is found here, nested ones too, and has a kind in KINDS or
is in NO_ROW. Requests are made from the description of the API and from the fields of the forms, about the sender's own
rows; then one id at a time is that of a stranger, who has nothing to do with the club, or of something of another club.
The answer has to be that for an id which does not exist, without a word of the stranger, who stays as they were.

`tests/privacy/test_strangers.py` is about players whom a club names, by whom, and on which pages.
"""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import pytest
import time_machine
from django import forms
from django.apps import apps
from django.contrib.messages import get_messages
from django.db import connection, models, transaction
from django.forms.fields import BaseTemporalField
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone

from matches.models import Objection, PoolSettings, Provisional, Result, Submission
from matches.ratings.pools import create_pool
from matches.reporting.reports import ScoreReport, report_score
from players.accounts.sessions import name_of
from players.actors import SYSTEM, Actor
from players.models import ApiToken, Club, LogEntry, Membership, Outbox, Player, User
from players.people.erasure import erase_player
from players.people.pairs import pair_of
from players.privacy.sections import Person, sections
from tests.access import world as routes_world
from tests.access.roles import ROUTES, may
from tests.access.world import World
from tests.api.test_parity import MATCH_ACTIONS, bound_forms, declared, resolved, schema, writing
from tests.event_cast import NOW, Role, RunningEvent, join, publish
from tests.matches.play.lobby.test_reviews import played
from tests.privacy.test_strangers import is_page
from tests.test_parsed_input import ROOT, sources
from tests.test_privacy import text_of
from tests.tokens import key_for
from tournaments.entries.kiosks import create_kiosk
from tournaments.entries.services import enter
from tournaments.events import services
from tournaments.floor.calls import start
from tournaments.floor.evening import open_floor, shorten
from tournaments.floor.length_offers import propose_length
from tournaments.floor.page.actions import ACTIONS as FLOOR_ACTIONS
from tournaments.floor.undo import UndoableAct
from tournaments.models import (
    CheckIn,
    Division,
    Entry,
    EveningTemplate,
    Fixture,
    MissedMatch,
    SeriesPoints,
    SeriesView,
    Tournament,
)
from tournaments.offers.services import join as join_list

pytestmark = pytest.mark.django_db

KINDS: Mapping[str, str] = {
    "account": "reader",
    "act": "act",
    "batch": "batch",
    "club": "club",
    "division": "division",
    "entry": "entries entry first pairs second",
    "event": "event",
    "fact": "fact",
    "fixture": "fixture running",
    "given": "given",
    "helper": "helper",
    "kept fields": "fields",
    "kiosk": "kiosk",
    "match": "match",
    "missed": "missed",
    "objection": "objection",
    "offer": "offer",
    "outbox": "outbox",
    "payment": "payment",
    "person": (
        "choices claimed entered here into missing opponent partner_player payee people person plan player players to"
    ),
    "pool": "pool",
    "rating pool": "pool_id",
    "record": "record submission",
    "report": "report reports",
    "result": "result",
    "season": "like season_tables series",
    "session": "session",
    "split": "split",
    "stage": "stage",
    "table": "move_to table",
    "template": "from_template template",
    "token": "token",
    "view": "view",
}
"""What a field names, with the names of such fields."""
OTHERWISE: Mapping[str, str] = {
    "ArrivalForm key": "batch",
    "JoinForm claimed": "claimable",
    "ListedEntryForm entry": "listed",
    "ReviewForm match": "friendly",
    "WithdrawLengthForm fact": "offer",
    "club_friendlies_decide match": "friendly",
    "clubs_ask_to_join claimed": "claimable",
    "StartListForm division": "list",
    "offers_leave entry": "listed",
    "offers_start division": "list",
    "offers_undo entry": "listed",
    "ChallengeForm opponent": "",
    "ChallengeForm ratings": "rating pool",
    "PastMatchesForm pool": "rating pool",
    "TonightForm players": "",
    "guest_match_act token": "",
    "guest_match_hint token": "",
    "guest_match_keep token": "",
    "guest_match_read token": "",
    "matches_send_kept fields": "",
    "matches_send_kept pair": "side",
    "outline_create entries": "",
    "past_matches_create pool": "rating pool",
    "tournaments_send_kept pair": "slot",
}
"""Fields that name something else, or nothing."""
NO_ROW: Mapping[str, str] = {
    "text": (
        "about city contact display_name email file_name imprint label line lines meets message name names names_asked "
        "new_label note partner reason tagline team text time_zone venue"
    ),
    "a name or a code that the browser makes up": "auth endpoint key p256dh page ping tab",
    "a secret, which is a right by itself": "anchor link new_password one_time_code password seat secret ticket",
    "a version, or what was seen": "after agreed checked generation last mark n now ratings saw seen seen_at",
    "a part of a sheet": (
        "columns_of day_column event_column length_column loser_column loser_points_column name_column nights "
        "opponent_column opponent_points_column place_column player_column player_points_column points_column "
        "score_column sheets winner_column winner_points_column"
    ),
    "a time": (
        "active_days at bank_days claim_wait closes countdown days deadlines every extension_hours hold minutes "
        "no_show no_show_minutes overtime_minutes penalty_each penalty_first rest second_call seconds "
        "spectators_delay turn_days"
    ),
    "a choice of a few": (
        "action bracket by changes code country currency embed_hosts i_am kind language "
        "last_chance move next order pattern position pot puzzle scope second_language slug style weight"
    ),
    "a number or an amount": (
        "amount capacity chance_exponent class_points counted currency_exponent deviation expected fee "
        "final_lengths fitted_minutes fitted_players fitted_tables game groups guaranteed k_scale kept "
        "last_lengths late_from late_length lead least_length least_matches left length lengths lives "
        "lower_lengths match_length more moving named new_count number percent place play played_to ply "
        "points proposed provisional_below qualifiers reentry registration right round round_lengths "
        "rounds scale score score_0 score_1 shares side stages stake stake_exponent stakes start_cap "
        "start_experience start_rating start_table starts tables tau time unit value waive window winner year_fee"
    ),
}
"""What fields say that name no row, with their names."""
NO_ID = frozenset(name for names in NO_ROW.values() for name in names.split())
NUMBERS = ("fact", "given", "missed", "offer", "rating pool", "template", "token")
"""Kinds whose ids are numbers in JSON."""
FORMATS = ("date", "date-time", "time", "email", "binary", "uri")
NO_TEXT = (forms.BooleanField, forms.FileField, forms.EmailField, BaseTemporalField)


class Leaf(NamedTuple):
    """A field of an operation or a form, and the name of what has it."""

    owner: str
    path: str
    """Parts of objects with dots; `[]` of a list, `{}` of an object with any names."""

    @property
    def place(self) -> str:
        """The path without the lists."""
        return re.sub(r"[][{}]", "", self.path)

    @property
    def kind(self) -> str | None:
        """What it names: empty for nothing, None if nobody has said."""
        name = self.place.rpartition(".")[2]
        if (special := OTHERWISE.get(f"{self.owner} {name}")) is not None:
            return special
        return next((kind for kind, names in KINDS.items() if name in names.split()), "" if name in NO_ID else None)


def parts_of(shape: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the places of a schema in which a text or a number is that is not one of a few."""
    shape = resolved(shape)
    if some := shape.get("oneOf", shape.get("anyOf")):
        for schema in some:
            yield from parts_of(schema, path)
    elif shape.get("type") == "array":
        yield from parts_of(shape.get("items", {}), f"{path}[]")
    elif shape.get("properties"):
        for name, part in shape["properties"].items():
            yield from parts_of(part, f"{path}.{name}" if path else name)
    elif shape.get("additionalProperties"):
        yield from parts_of(shape["additionalProperties"], f"{path}{{}}") if "fields" not in path else (path,)
    elif (
        shape.get("type") not in ("boolean", "number") and not shape.get("enum") and shape.get("format") not in FORMATS
    ):
        yield path


def of_api() -> Iterator[Leaf]:
    for operation, described in writing().items():
        query = [row for row in described.get("parameters", ()) if row["in"] == "query"]
        for media in described.get("requestBody", {}).get("content", {}).values():
            yield from (Leaf(operation, path) for path in parts_of(media["schema"], ""))
        yield from (Leaf(operation, path) for row in query for path in parts_of(row["schema"], row["name"]))


def choices_of(of_form: forms.Field) -> list[str]:
    """The values among which a field chooses, if they are the same for everybody."""
    if isinstance(of_form, forms.ChoiceField) and not isinstance(of_form, forms.ModelChoiceField):
        return [str(value) for value, _label in of_form.choices]
    return []


def of_forms() -> Iterator[Leaf]:
    for form in {*bound_forms(), *(action.form for action in declared())}:
        for name, of_form in getattr(form, "base_fields", {}).items():
            if not isinstance(of_form, NO_TEXT) and not choices_of(of_form):
                yield Leaf(form.__name__, name)


# The requests. In them `<kind>` stands for an id of that kind, `<kind:2>` for another one.

MARK = re.compile(r"<([a-z ]+)(:2)?>")
AT = int(NOW.timestamp() * 1000)
OUTBOX = {"outbox": "7" * 22, "now": AT}


def kept(action: str, **more: Any) -> dict[str, Any]:
    """An act that was done without a connection, carried by somebody else of the staff."""
    act = {"n": 1, "action": action, "at": AT, "seen_at": AT, "reader": "<account>", **more}
    return {**OUTBOX, "carried": True, "acts": [act]}


NEW_PAIR = {"name": "Jens", "player": "<new>", "partner": "Alice", "partner_player": "<new:2>", "after": 0}
REQUESTS: Mapping[str, list[dict[str, Any]]] = {
    "seasons_change_plan": [{"plan": {"points": 1, "count": {}, "ties": [], "players": ["<person>"]}, "after": 0}],
    "members_paste": [{"names": ["Elif Ristic"], "choices": {"0": "<person>"}}],
    "entries_paste": [{"names": ["Elif Ristic"], "choices": {"0": "<person>"}}],
    "past_seasons_create": [
        {"name": "2019", "text": "name,place\nBobb,1", "choices": ["<person>:Bobb"], "preview": True}
    ],
    "past_matches_create": [
        {
            "name": "2019",
            "text": "date,winner,loser,length\n2019-03-01,Bobb,Ola,5",
            "choices": ["<person>:Bobb"],
            "pool": "<rating pool>",
            "preview": True,
        }
    ],
    "entries_create": [NEW_PAIR],
    "entries_substitute": [NEW_PAIR],
    "entries_check_in": [{"person": "<person>", "present": True}],
    "clubs_start_evening": [{"tables": 2, "closes": "23:00", "here": ["<person>"]}],
    "fixtures_accept_record": [{"submission": "<record>", "waived": [], "after": 0}],
    "rounds_pair": [{"pairs": [["<entry>", "<entry:2>"]], "after": 0}],
    "titles_award": [
        {"kind": "season", "player": "<person>", "series": "<season>"},
        {"kind": "event", "player": "<person>", "division": "<division>"},
    ],
    "tournaments_send_kept": [
        kept("note", fields={"text": "Ann paid 20"}),
        {**OUTBOX, "acts": [{"n": 1, "action": "note", "at": AT, "reader": "<account>", "fields": {"text": "Hm"}}]},
        kept("note", fields={"text": "Ann paid 20"}) | {"outbox": "<outbox>"},
        kept("result", fixture="<fixture>", pair=["<slot>", "<slot:2>"], fields={"winner": 0, "points": 4}),
        kept("move", fixture="<fixture>", pair=["<slot>", "<slot:2>"], fields={"table": "<table>"}),
        kept("start", fixture="<fixture>", pair=["<slot>", "<slot:2>"]),
        kept("score", fixture="<fixture>", pair=["<slot>", "<slot:2>"], fields={"left": 1, "right": 0}),
        kept("here", fields={"players": ["<person>"]}),
        kept("away", fields={"players": ["<person>"], "minutes": 5}),
        kept("away", fields={"entry": "<pair>", "person": "<person>", "minutes": 5}),
    ],
    "matches_send_kept": [
        {
            **OUTBOX,
            "outbox": outbox,
            "carried": carried,
            "acts": [
                {
                    "n": 1,
                    "action": "claim",
                    "at": AT,
                    "seen_at": AT,
                    "reader": "<account>",
                    "fixture": "<fixture>",
                    "pair": ["<side>", "<side:2>"],
                    "fields": {"winner": 0, "points": 4},
                }
            ],
        }
        for outbox, carried in (("7" * 22, True), ("7" * 22, False), ("<outbox>", False))
    ],
}
"""Operations whose request does not follow from its description; each field with an id is in one of them."""
VALUES: Mapping[str, dict[str, Any]] = {
    "AwardForm": {"kind": "event", "series": ""},
    "AwayForm": {"entry": "<pair>"},
    "ExcuseForm": {"entry": "<pair>"},
    "PresenceForm": {"entry": "<pair>"},
    "UndoLengthForm": {"fixture": "<fixture:2>"},
    "PastSeasonForm": {"text": "name,place\nBobb,1", "choices": "<person>:Bobb", "name": "2019", "step": "preview"},
    "PastMatchesForm": {
        "text": "date,winner,loser,length\n2019-03-01,Bobb,Ola,5",
        "choices": "<person>:Bobb",
        "name": "2019",
        "pool": "<rating pool>",
        "step": "preview",
    },
    "SeasonPlanForm": {"plan": '{"points": 1, "count": {}, "ties": [], "players": ["<person>"]}'},
    "ClosingTimeForm": {"running": "<fixture>:0:0"},
    "ChosenListForm": {"names": "Elif Ristic", "choice-0": "<person>"},
    "EnterListForm": {"names": "Elif Ristic", "choice-0": "<person>"},
    "FloorSettingsForm": {"label_<table>": "7", "category_<table>": "normal"},
    "SplitForm": {"amount_<entry>": "5"},
    "ArrivalForm": {"act": "paid", "amount": "0"},
    "ByeForm": {"kind": "half"},
    "ChallengeForm": {"opponent": "B"},
    "AddEntryForm": NEW_PAIR,
    "SubstituteForm": NEW_PAIR,
}
"""Forms of which some values do not follow from their fields."""
OTHER_VALUES: Mapping[str, list[dict[str, Any]]] = {
    "AwardForm": [{"kind": "season", "series": "<season>", "division": ""}],
    "ChallengeForm": [{"ratings": ""}],
    "PresenceForm": [{"entry": "<entry>", "person": ""}],
}
"""What else is sent of some forms: where one id is not looked at because of another."""
PAGES: Mapping[str, str] = {
    "AddEntryForm": "entries-add",
    "AddPlayerForm": "add-player",
    "AllHereForm": "check-in-all",
    "ArrivalForm": "check-in-arrive",
    "BlockForm": "block-player",
    "CancelForm": "event-cancel",
    "ChallengeForm": "make-challenge",
    "ChosenListForm": "add-list",
    "CloseEventForm": "console-close",
    "ClosingTimeForm": "floor-close",
    "ConfirmResultsForm": "console-confirm-all",
    "CountPastForm": "past-season-count",
    "DesignerForm": "design-show",
    "EnterListForm": "entries-enter",
    "EveningTemplateForm": "division-create",
    "FloorSettingsForm": "floor-settings",
    "MergeForm": "merge-member",
    "PastMatchesForm": "past-matches-import",
    "PastSeasonForm": "past-season-import",
    "PresenceForm": "check-in-mark",
    "QuickForm": "console-quick",
    "RemoveHelperForm": "helper-remove",
    "ReviewForm": "club-friendlies",
    "RevokeEventLinkForm": "entry-revoke-link",
    "RevokeKioskForm": "kiosk-revoke",
    "RevokeTokenForm": "revoke-token",
    "SessionForm": "end-session",
    "SplitForm": "prize-split",
    "SubstituteForm": "entry-substitute",
    "TonightForm": "tonight",
    "UndoCheckInForm": "check-in-undo",
    "WallForm": "wall-settings",
}
"""Form that is no declared action's -> the page that takes it."""
NOT_TRIED: Mapping[str, str] = {
    "AcceptClubForm": "for whoever runs the site",
    "KioskCheckInForm": "for a paired device, which has no account",
}
ABOUT_PAIRS = {
    "AddEntryForm", "DesignerForm", "RevokeEventLinkForm", "SubstituteForm", "entries_check_in", "entries_create",
    "entries_link", "entries_revoke_link", "entries_substitute",
}  # fmt: skip
"""What is asked of a pair and its division."""


class Call(NamedTuple):
    """A request of an operation or a form, with marks for its ids."""

    owner: str
    route: str
    method: str
    body: dict[str, Any]
    action: str = ""
    """Of the floor."""
    is_query: bool = False

    @property
    def is_api(self) -> bool:
        return self.route.startswith("api-")


def mark(kind: str, name: str) -> str:
    """What stands for an id in a field; the second of two is another one."""
    return f"<{kind}:2>" if name.endswith(("second", "partner_player")) else f"<{kind}>"


def sample(operation: str, shape: Mapping[str, Any], path: str = "") -> Any:
    """The simplest value of a schema, in which every id has its mark; None where nothing needs to be sent."""
    shape = resolved(shape)
    if some := shape.get("oneOf", shape.get("anyOf")):
        return sample(operation, some[0], path)
    if shape.get("type") == "array":
        item = sample(operation, shape.get("items", {}), f"{path}[]")
        return [item] if MARK.search(str(item)) else [item] * max(1, shape.get("minItems", 0))
    if shape.get("type") == "object" or "properties" in shape:
        fields = {
            name: (part, f"{path}.{name}" if path else name) for name, part in shape.get("properties", {}).items()
        }
        samples = {name: sample(operation, *place) for name, place in fields.items()}
        return {
            name: value
            for name, value in samples.items()
            if MARK.search(str(value)) or name in shape.get("required", ())
        }
    if shape.get("enum"):
        return shape["enum"][0]
    if shape.get("type") != "boolean" and path and (kind := Leaf(operation, path).kind):
        return mark(kind, path)
    simple = {
        "boolean": False,
        "integer": max(1, shape.get("minimum", 1)),
        "number": 1,
        "date": "2027-01-01",
        "time": "20:00",
    }
    simple |= {"date-time": "2027-01-01T20:00:00Z", "string": "5"[: shape.get("maxLength", 1)]}
    return simple[shape.get("format") if shape.get("format") in simple else shape.get("type", "string")]


IN_QUERIES = ("outbox", "person", "view")
"""Parameters of URLs that name a row; others choose from a list that everybody may read."""


@cache
def route_of(path: str) -> str:
    """The route of an operation, by its path in the description."""
    for value in ("2222222222", "2"):
        try:
            return resolve(re.sub(r"\{\w+\}", value, path)).url_name
        except Resolver404:
            continue
    raise AssertionError(path)


def calls_of_api() -> Iterator[Call]:
    for path, methods in schema()["paths"].items():
        for method, described in methods.items():
            operation = described["operationId"]
            query = [row["name"] for row in described.get("parameters", ()) if row["in"] == "query"]
            media = described.get("requestBody", {}).get("content", {}).get("application/json")
            bodies = [sample(operation, media["schema"])] if media is not None else []
            for body in REQUESTS.get(operation, bodies):
                if MARK.search(str(body)):
                    yield Call(operation, route_of(path), method, {**body, "after": 0} if "after" in body else body)
            for name in {*query} & {*IN_QUERIES}:
                if kind := Leaf(operation, name).kind:
                    more = {"generation": 0} if "generation" in query else {}
                    yield Call(operation, route_of(path), method, {name: f"<{kind}>", **more}, is_query=True)


def calls_of_forms() -> Iterator[Call]:
    for action in declared():
        for values in variants_of(action.form):
            if FLOOR_ACTIONS.get(action.name) is action:
                yield Call(action.form.__name__, "floor-action", "post", values, action=action.name)
            else:
                page = next(name for name, row in ROUTES.items() if row.callback is action.view or is_page(row, action))
                yield Call(action.form.__name__, page, "post", values)
    for form in dict.fromkeys(bound_forms()):
        if form.__name__ not in NOT_TRIED and form not in {action.form for action in declared()}:
            yield from (Call(form.__name__, PAGES[form.__name__], "post", values) for values in variants_of(form))


def values_of(form: Any) -> dict[str, Any]:
    """The simplest values of a form, in which every id has its mark."""
    simple: tuple[tuple[type[forms.Field], str], ...]
    simple = ((forms.DateField, "2027-01-01"), (BaseTemporalField, "20:00"), (forms.Field, "5"))
    values: dict[str, Any] = {}
    for name, of_form in getattr(form, "base_fields", {}).items():
        choices = choices_of(of_form)
        if not isinstance(of_form, NO_TEXT) and not choices and (kind := Leaf(form.__name__, name).kind):
            values[name] = mark(kind, name)
        elif of_form.required and choices:
            values[name] = next(value for value in choices if value)
        elif of_form.required and isinstance(of_form, forms.IntegerField):
            values[name] = str(of_form.min_value or 0)
        elif of_form.required:
            values[name] = next(value for kind, value in simple if isinstance(of_form, kind))
    return values | VALUES.get(form.__name__, {})


def variants_of(form: Any) -> Iterator[dict[str, Any]]:
    """Yield what is sent of a form, where it has ids."""
    values = values_of(form)
    for other in ({}, *OTHER_VALUES.get(form.__name__, ())):
        if MARK.search(str(values | other)):
            yield values | other


def places_of(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield where the marks of a request are, each with its name."""
    if isinstance(value, dict):
        for name, part in value.items():
            for mark in MARK.finditer(name):
                yield f"{path}.{name}", mark[0][1:-1]
            yield from places_of(part, f"{path}.{name}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from places_of(part, f"{path}.{number}")
    else:
        yield from ((path, mark[0][1:-1]) for mark in MARK.finditer(str(value)))


def filled(
    value: Any, ids: Mapping[str, str], other: tuple[str, str] = ("", ""), path: str = "", *, is_json: bool
) -> Any:
    """Return a request with own ids for its marks, but for `other`: a place, and the id that is sent there."""
    if isinstance(value, dict):
        return {
            replaced(name, ids, other, f"{path}.{name}"): filled(part, ids, other, f"{path}.{name}", is_json=is_json)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [filled(part, ids, other, f"{path}.{number}", is_json=is_json) for number, part in enumerate(value)]
    if not isinstance(value, str):
        return value
    sent = replaced(value, ids, other, path)
    kind = MARK.fullmatch(value)
    return int(sent) if is_json and kind is not None and kind[1] in NUMBERS else sent


def replaced(text: str, ids: Mapping[str, str], other: tuple[str, str], path: str) -> str:
    return MARK.sub(lambda mark: other[1] if other[0] == path else ids[mark[0][1:-1]], text)


# Two clubs that have nothing to do with each other.


def everything(running: RunningEvent, owner: User, member: Player) -> dict[str, str]:
    """Make what is not there yet, and return an id of each kind."""
    event, division, by = running.tournament, running.division, Actor.of(owner)
    season, offer = routes_world.season_of(running), routes_world.offer_of(running)
    second = Fixture.objects.get(stage=running.fixture.stage, number=2)
    open_floor(tournament=event, by=by, now=NOW)
    fact = shorten(fixture=second, length=5, by=by, now=NOW)
    listed = join_list(offer=offer, player=member, amount=offer.fee, key="k" * 10, by=by, now=NOW)
    claim = report_score(match=second.match, side=0, report=ScoreReport(0, (5, 1), ""), by=SYSTEM, now=NOW).report
    start(fixture=running.fixture, by=by, now=NOW)
    offer_of_length = propose_length(fixture=running.fixture, length=5, by=by, now=NOW)
    entered = {"kind": Result.Kind.PLAYED, "winner": 0, "score_0": 5, "score_1": 1, "by": LogEntry.By.USER}
    result = Result.objects.create(match=second.match, version=1, **entered)
    given = {"tournament": event, "player": member, "points": "3", "reason": "Set up the room."}
    outbox = Outbox.objects.create(
        topic=event.topic,
        key=("4" if owner.email.startswith("zora") else "3") * 22,
        club=event.club,
        by=by.kind,
        user=owner,
        have=1,
    )
    # Acts about a match have outboxes of their own, which may have the same key.
    Outbox.objects.create(topic=running.fixture.match.topic, key=outbox.key, by=by.kind, user=member.user, have=1)
    client = Client()
    client.force_login(owner)
    key_for(owner)
    format_ = {"stages": [{"format": "knockout", "settings": {}}], "lengths": [7], "starts": "19:00", "closes": "23:00"}
    return {
        "account": str(owner.pk),
        "act": UndoableAct(fact).name,
        "batch": CheckIn.objects.create(entry=running.entry, state="here", by=owner).batch,
        "club": event.club.slug,
        "division": division.public_id,
        "entry": running.entry.public_id,
        "entry:2": division.entries.exclude(pk=running.entry.pk)[0].public_id,
        "event": event.public_id,
        "fact": str(fact.pk),
        "fixture": running.fixture.public_id,
        "fixture:2": second.public_id,
        "given": str(SeriesPoints.objects.create(series=season, **given).pk),
        "helper": routes_world.invited_helper(running).helper.public_id,
        "kiosk": create_kiosk(tournament=event, by=by, now=timezone.now()).public_id,
        "list": listed.division.public_id,
        "listed": listed.public_id,
        "match": running.fixture.match.public_id,
        "missed": str(MissedMatch.objects.create(stage=running.fixture.stage, entry=running.entry).pk),
        "objection": Objection.objects.create(match=running.fixture.match, side=1, reason="No.").public_id,
        "offer": str(offer_of_length.pk),
        "outbox": outbox.key,
        "payment": routes_world.paid(running).public_id,
        "person": member.public_id,
        "pool": routes_world.pool_of(running).public_id,
        "rating pool": str(create_pool(club=event.club, settings=PoolSettings("Ladder B"), by=by).pk),
        "record": Submission.objects.create(
            match=running.fixture.match, data=b"", size=0, source="api", sha256="0" * 64
        ).public_id,
        "report": claim.public_id,
        "result": Provisional.objects.create(result=result, why=Provisional.Why.REPORT, against=1).public_id,
        "season": season.public_id,
        "session": name_of(client.session.session_key),
        "split": routes_world.split_of(running).public_id,
        "stage": running.fixture.stage.public_id,
        "table": routes_world.table_of(running).public_id,
        "template": str(EveningTemplate.objects.create(club=event.club, players=8, tables=4, **format_).pk),
        "token": str(ApiToken.objects.filter(user=owner).latest("pk").pk),
        "view": SeriesView.objects.create(series=season, name="Guests", rule="members").public_id,
    }


WORDS = ("Zoltan", "Zimmermann", "Zora", "Zander", "Zachris", "Zephyr")
"""Of names that nobody outside the other club may read: of people with initials, without an account, of its draft."""
OPEN_NAME = "Petra Przybylski"
"""Of somebody who shows their full name: everybody reads it, but not from the number of her account."""
GONE = "Yvonne Ypsilanti"
NUMBER = "FED-8812"


class Stranger(NamedTuple):
    """An id of the other club, and what of it the sender may not read."""

    label: str
    id: str


@pytest.fixture
def strangers(db: None) -> dict[str, list[Stranger]]:
    """Zora's club with the draft of an event, everything in it, and people of all sorts, by the kind of id."""
    zora, zoltan, petra, yvonne = (
        User.objects.create_user(f"{name.split()[0].lower()}@example.net", "crawford-1969", display_name=name)
        for name in ("Zora Zander", "Zoltan Zimmermann", OPEN_NAME, GONE)
    )
    club = Club.objects.create(name="Zephyr Club", slug="inland", time_zone="Europe/Copenhagen")
    people = [join(club, zora, Role.OWNER), join(club, zoltan), join(club, petra), join(club, yvonne)]
    for number in range(4):
        people.append(Player.objects.create(name=f"Zachris Zander {number}"))
        Membership.objects.create(club=club, player=people[-1])
    hidden = [player for player in people if player.name != OPEN_NAME]
    Player.objects.filter(pk__in=[player.pk for player in hidden]).update(initials_only=True)
    Player.objects.filter(pk__in=[player.pk for player in people]).update(federation_number=NUMBER)
    by = Actor.of(zora)
    event = services.create_tournament(club=club, by=by, now=NOW, name="Zephyr Open", starts_at=NOW)
    division = services.create_division(tournament=event, by=by, now=NOW, name="Zephyr", match_length=7)
    enter(division=division, players=people, by=by, now=NOW)
    services.publish_tournament(tournament=event, by=by, now=NOW)
    publish(division, by)
    fixture = Fixture.objects.select_related("match", "stage").get(stage__division=division, number=1)
    event.refresh_from_db()
    entry = division.entries.get(player=people[1])
    ids = everything(RunningEvent(event, division, fixture, entry), zora, people[1])
    Tournament.objects.filter(pk=event.pk).update(status=Tournament.Status.DRAFT)
    gone = people[3]
    numbers = [("an owner", zora), ("initials", zoltan), ("full name", petra)]
    erase_player(player=gone, by=SYSTEM, now=NOW)
    strangers = {kind: [Stranger("another club's", value)] for kind, value in ids.items()}
    strangers |= {"friendly": strangers["match"], "pair": strangers["entry"], "slot": strangers["entry"]}
    strangers["account"] = [Stranger(label, str(user.pk)) for label, user in numbers]
    labels = ("owner", "initials", "full name", "erased", "no account")
    strangers["person"] = strangers["side"] = strangers["claimable"] = strangers["new"] = [
        Stranger(label, row.public_id) for label, row in zip(labels, people[:5], strict=True)
    ]
    return strangers


@dataclass
class Foreign:
    """The rows of the other club and of its people, and whatever refers to them."""

    rows: dict[type[models.Model], set[Any]]
    before: dict[type[models.Model], set[tuple[Any, ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, club: Club, people: list[Player]) -> "Foreign":
        """Follow the keys of the database from a club and its people."""
        users = {player.user_id for player in people if player.user_id is not None}
        own = cls({Club: {club.pk}, Player: {player.pk for player in people}, User: users})
        count = 0
        while count != (count := sum(map(len, own.rows.values()))):
            for model in apps.get_models():
                if rows := set(own.of_model(model).values_list("pk", flat=True)):
                    own.rows.setdefault(model, set()).update(rows)
        own.before = {model: own.values(model) for model in apps.get_models()}
        return own

    def of_model(self, model: Any) -> Any:
        """The rows of a model that are among these, or name one of them."""
        named = models.Q(pk__in=self.rows.get(model, ()))
        for key in model._meta.get_fields():
            if isinstance(key, models.ForeignKey) and key.related_model in self.rows:
                named |= models.Q(**{f"{key.name}__in": self.rows[key.related_model]})
        return model.objects.filter(named)

    def values(self, model: type[models.Model]) -> set[tuple[Any, ...]]:
        return {tuple(map(str, row)) for row in self.of_model(model).values_list()}

    def changed(self, tables: frozenset[str]) -> set[str]:
        """Return which of these tables have other rows of theirs than before, or rows that name them."""
        written = [model for model in apps.get_models() if model._meta.db_table in tables]
        return {model.__name__ for model in written if self.values(model) != self.before[model]}


WRITES = re.compile(r'^(?:INSERT INTO|UPDATE|DELETE FROM) "(\w+)"')
DRAWN = re.compile(r'"request_id": "\w+"|tap=\w+|name="key" value="[^"]*"|\b\d{13}\b')
"""What differs between two answers that say the same: ids of requests, keys of forms, and numbers of topics."""
HEADERS = re.compile(r"^(?!content-disposition)[\w-]+: .*$", re.MULTILINE)
"""Those that name nobody."""
QUIET = {"players_idempotencykey", "players_accountsession", "django_session", "players_formkey"}
"""Tables that keep what any request of somebody who is signed in leaves."""


class Answer(NamedTuple):
    """An answer without the id that was sent, and what it has written."""

    status: int
    text: str
    """Where it leads, what is on it and what the next page says, without what is drawn."""
    tables: frozenset[str]

    @property
    def is_taken(self) -> bool:
        return self.status < 400

    def says_as(self, other: "Answer", *ids: str) -> bool:
        """Whether it says and does the same as another answer, apart from the ids that were sent."""
        words = re.compile("|".join(rf"\b{re.escape(name.casefold())}\b" for name in ids))
        says_same = words.sub("", self.text) == words.sub("", other.text)
        return says_same and (self.status, self.tables) == (other.status, other.tables)


NONE = {
    "account": "99999999", "act": "floor-99999999", "club": "nowhere", "fact": "99999999", "given": "99999999",
    "missed": "99999999", "offer": "99999999", "outbox": "2" * 22, "rating pool": "99999999", "session": "2" * 32,
    "template": "99999999", "token": "99999999",
}  # fmt: skip
"""Ids that do not exist; public ids are ten letters."""


def read_by(role: str, pages: str) -> list[tuple[str, str]]:
    return [(role, page) for page in pages.split()]


READ = {
    "owner": read_by(
        "owner",
        "api-tournament-floor api-tournament-log api-members api-entries api-blocks api-challenges api-series api-cash "
        "api-my-notifications api-kept-apart check-in club-members console event-log lobby",
    ),
    "player": read_by("player", "api-match api-my-notifications match my-matches")
    + read_by("owner", "event-log match"),
    "stranger": read_by("stranger", "api-my-join-requests join-club") + read_by("owner", "join-requests"),
}
"""Who reads what after something was written, by who sent it."""
READ_OF_KEPT = read_by("owner", "api-kept-undecided api-tournament-log console event-log") + read_by("player", "match")
"""The same after acts that were kept without a connection."""
HIDDEN = (*WORDS, GONE, NUMBER, "@example.net")
PUBLIC: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    # Whoever shows their full name can be made a member (docs/privacy.md), and the page of a player says who has left.
    "AddPlayerForm .player": {"full name": ("Membership",), "erased": ()},
    "members_create .player": {"full name": ("Membership",), "erased": ()},
    # Two people play a friendly match with each other, whatever club they are of, and block each other.
    "challenges_create .opponent": {
        **dict.fromkeys(("owner", "initials", "full name"), ("Challenge", "Notification")),
        "no account": (),
    },
    "BlockForm .player": dict.fromkeys(("owner", "initials", "full name", "no account"), ("FriendlyBlock",)),
    "blocks_create .player": dict.fromkeys(("owner", "initials", "full name", "no account"), ("FriendlyBlock",)),
    # Clubs are public.
    "tournaments_create .club": {"another club's": ()},
}
"""Where a stranger's id may have another answer than none: whose, and what is written; no words of HIDDEN even so."""
SHOWS_NOTHING = {
    "AllHereForm .division": "whoever is missing in it is missing in another division, too, and is one person",
    "ArrivalForm .key": "the page makes it up, and the answer is the same whatever it is",
    "AnswerRequestForm .player": "for whoever runs the site",
    "DesignerForm .from_template": "is for what has been changed on the page since",
    "SplitForm .amount_<entry>": "for the holders of prizes, and there are none yet",
    "friendlies_decide .match": "for whoever runs the site",
    "ownerless_answer .player": "for whoever runs the site",
    "matches_send_kept .acts.0.fixture": "is not looked at: the match is in the URL",
}
"""Places in which an own id has the same answer as none, and why."""
LOWER = tuple("abcdefghijklmnopqrstuvwxyz")
"""How the names of operations begin; those of forms do not."""


@dataclass
class Walk:
    """What is sent by Alice, who owns a club, and by Bob, who plays there, and what came of it."""

    world: World
    clients: dict[str, Client]
    owner: Person
    ids: dict[str, str]
    strangers: dict[str, list[Stranger]]
    foreign: Foreign
    calls: int = 0
    foreign_calls: int = 0
    """Those with an id of a stranger."""
    wrong: dict[str, list[str]] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    unlike: set[str] = field(default_factory=set)
    """Where a stranger's id has another answer than none."""
    shown: set[str] = field(default_factory=set)
    """Where an own id has another answer than none, of the places that were tried."""

    def url(self, call: Call) -> str:
        """Return the URL of a request about the sender's own rows."""
        if call.action:
            event = self.world.running.tournament
            return reverse("floor-action", args=[event.club.slug, event.slug, call.action])
        url = self.world.address(call.route)
        for own in ("entry", "division") if call.owner in ABOUT_PAIRS else ():
            url = url.replace(self.ids[own], self.ids[f"{own} of pairs"])
        return url

    def send(self, call: Call, url: str, other: tuple[str, str]) -> Answer:
        """Send a request, with another id in one place."""
        client = self.clients[self.sender(call)]
        body = filled(call.body, self.ids_for(call), other, is_json=call.is_api)
        sent: dict[str, Any] = {"query_params": body} if call.is_query else {"data": body}
        if call.is_api and not call.is_query:
            sent["content_type"] = "application/json"
        cookies = deepcopy(client.cookies)
        with CaptureQueriesContext(connection) as queries:
            answer = getattr(client, call.method)(url, secure=True, **sent)
        client.cookies = cookies
        self.calls += 1
        tables = {match[1] for query in queries if (match := WRITES.match(query["sql"]))}
        next_page = get_messages(answer.wsgi_request)
        text = (
            f"{answer.headers.get('Location', '')} {HEADERS.sub('', text_of(answer))} {' '.join(map(str, next_page))}"
        )
        return Answer(answer.status_code, DRAWN.sub("", text.casefold()), frozenset(tables - QUIET))

    def sender(self, call: Call) -> str:
        """Return who sends it: the owner, or a player of a match; whoever asks to join is no member yet."""
        if "<claimable>" in str(call.body):
            return "stranger"
        return "owner" if may("owner", call.route, call.method) or call.action else "player"

    def ids_for(self, call: Call) -> dict[str, str]:
        """Return the own ids of whoever sends a request."""
        account = {"account": self.ids["account of a player"]} if self.sender(call) == "player" else {}
        return self.ids | account

    def try_ids(self, call: Call) -> None:
        """Send a request with each id of a stranger in each place."""
        with transaction.atomic():
            url = self.url(call)
            for place, named in places_of(call.body):
                kind, own = named.removesuffix(":2"), Stranger("own", self.ids_for(call)[named])
                none = Stranger("none", NONE.get(kind, "2222222222"))
                name = f"{call.owner} {call.action}{place}"
                public = PUBLIC.get(name, {})
                answers = {}
                for stranger in (own, none, *self.strangers[kind]):
                    with transaction.atomic():
                        answers[stranger] = self.send(call, url, (place, stranger.id))
                        if stranger not in (own, none):
                            self.foreign_calls += 1
                            wrong = self.learned(call, kind, answers[stranger])
                            if not answers[stranger].says_as(answers[none], stranger.id, none.id):
                                self.unlike.add(name)
                                if stranger.label not in public:
                                    wrong.append(
                                        f"answered unlike none: {answers[stranger].status}, {answers[none].status}"
                                    )
                            written = self.foreign.changed(answers[stranger].tables)
                            wrong += [f"writes {model}" for model in written - set(public.get(stranger.label, ()))]
                            if wrong:
                                self.wrong.setdefault(f"{name} = {stranger.label}", wrong)
                        transaction.set_rollback(True)
                self.tried.add(name)
                if not answers[own].says_as(answers[none], own.id, none.id):
                    self.shown.add(name)
            transaction.set_rollback(True)

    def learned(self, call: Call, kind: str, answer: Answer) -> list[str]:
        """Return what an answer, and what somebody of the club may read afterwards, says of a stranger."""
        texts = {"the answer": answer.text}
        if answer.tables and (answer.is_taken or "players_outbox" in answer.tables):
            pages = READ[self.sender(call)] if "players_outbox" not in answer.tables else READ_OF_KEPT
            texts |= {
                page: text_of(self.clients[role].get(self.world.address(page), secure=True)) for role, page in pages
            }
            texts["their copy"] = str([list(part.rows(self.owner)) for part in sections()]).casefold()
        words = [*HIDDEN, *([OPEN_NAME] if kind == "account" else [])]
        return [f"{page} says {word}" for page, text in texts.items() for word in words if word.casefold() in text]


@pytest.fixture
def walk(
    world: World,
    visitors: dict[str, Client],
    strangers: dict[str, list[Stranger]],
    alice: User,
    bob_player: Player,
    carol_player: Player,
) -> Walk:
    ids = everything(world.running, alice, bob_player)
    division = services.create_division(tournament=world.running.tournament, by=SYSTEM, now=NOW, name="Doubles")
    Division.objects.filter(pk=division.pk).update(sides=Division.Sides.TWO)
    division.refresh_from_db()
    with transaction.atomic():
        pair = pair_of(bob_player, carol_player)
    enter(division=division, players=[pair], by=SYSTEM, now=NOW)
    sides = world.running.fixture.match.players
    slots = world.running.fixture.slots.order_by("side").values_list("entry__public_id", flat=True)
    ids |= dict(zip(("slot", "slot:2"), slots, strict=True)) | {
        "account of a player": str(bob_player.user_id),
        "claimable": world.places["person"],
        "division of pairs": division.public_id,
        "entry of pairs": division.entries.get().public_id,
        "friendly": played(bob_player, carol_player, timezone.now()).public_id,
        "new": world.places["person"],
        "new:2": Player.objects.get(user=alice).public_id,
        "pair": division.entries.get().public_id,
        "person:2": carol_player.public_id,
        "side": sides[0].public_id,
        "side:2": sides[1].public_id,
    }
    club = Club.objects.get(slug="inland")
    entered = Entry.objects.filter(division__tournament__club=club)
    people = list(Player.objects.filter(pk__in=entered.values("player")))
    owner = Person.of(Player.objects.get(user=alice))
    return Walk(world, visitors, owner, ids, strangers, Foreign.of(club, people))


@pytest.mark.usefixtures("behind_tls")
@pytest.mark.parametrize("of_api", [False, True], ids=["pages", "API"])
def test_an_id_of_a_stranger_is_no_better_than_none(of_api: bool, walk: Walk) -> None:
    # Some pages say what time it is, or how long something still takes.
    with time_machine.travel(timezone.now().timestamp(), tick=False):
        for call in calls_of_api() if of_api else calls_of_forms():
            walk.try_ids(call)
    print(f"{walk.foreign_calls} of {walk.calls} calls with a stranger's id, in {len(walk.tried)} places")
    assert walk.foreign_calls > 280
    assert walk.wrong == {}
    assert walk.unlike == {name for name in PUBLIC if name.startswith(LOWER) == of_api}, "exceptions that are gone"
    unshown = {name for name in SHOWS_NOTHING if name.startswith(LOWER) == of_api}
    assert walk.tried - walk.shown == unshown, "places in which an own id has the same answer as none"


def test_every_field_that_can_name_a_row_is_known() -> None:
    leaves = {*of_api(), *of_forms()}
    assert {str(leaf) for leaf in leaves if leaf.kind is None} == set(), "add its name to KINDS, or to NO_ROW"
    names = {leaf.place.rpartition(".")[2] for leaf in leaves}
    assert {name for names_of in KINDS.values() for name in names_of.split()} - names == set(), "names that are gone"
    assert NO_ID - names == set(), "names that are gone"
    fields = {f"{leaf.owner} {leaf.place.rpartition('.')[2]}" for leaf in leaves}
    assert OTHERWISE.keys() - fields == set(), "fields that are gone"


def test_every_field_with_an_id_is_sent() -> None:
    calls = [*calls_of_api(), *calls_of_forms()]
    sent = {(call.owner, re.sub(r"\.\d+", "", place)[1:]) for call in calls for place, _kind in places_of(call.body)}
    free = {(owner, place.rpartition(".")[0]) for owner, place in sent}
    named = {leaf for leaf in {*of_api(), *of_forms()} if leaf.kind and leaf.owner not in NOT_TRIED}
    unsent = {(leaf.owner, leaf.place) for leaf in named} - sent - free
    assert {" ".join(field) for field in unsent} == set(), "add a request to REQUESTS, or values to VALUES"
    assert len(named) > 150


def test_every_id_in_a_kept_act_is_sent() -> None:
    bodies = [call.body for call in calls_of_api() if "send_kept" in call.owner]
    sent = {re.sub(r"\.\d+$", "", place).rpartition(".")[2] for body in bodies for place, _kind in places_of(body)}
    kept_forms = {action.form for action in (*FLOOR_ACTIONS.values(), *MATCH_ACTIONS) if action.kept is not None}
    named = {name for form in kept_forms for name in form.base_fields if Leaf(form.__name__, name).kind}
    assert named == {"entry", "fixture", "person", "players", "table"}
    assert named <= sent


def test_every_field_that_is_named_by_an_id_is_sent() -> None:
    """Some forms have a field for each row, whose name has its id."""
    named_by_id = {
        name
        for path in sources()
        for name in re.findall(r'self\.fields\[f"(\w+)_\{\w+\.public_id\}"\]', (ROOT / path).read_text())
    }
    assert named_by_id == {re.sub("_<.*", "", name) for values in VALUES.values() for name in values if "<" in name}
