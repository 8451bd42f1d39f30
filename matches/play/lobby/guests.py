"""A match against the Club Bot without an account: nothing is stored until it is kept.

The browser keeps the whole match as a signed text, sends it with each action, and gets the next one. It decides neither
what is legal nor the dice. These follow from secrets that are derived from the id of the match, by the same chains as
in every match that is played here (docs/dice.md): whoever sends an older text again gets the same dice again, so they
can be foreseen, as after *Take back*, but not chosen.

To keep a match repeats its history in an ordinary practice match with the same id and the same secrets, where the dice
come out the same and can be checked.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from django.core import signing
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView, validated
from core.public_ids import new_public_id
from core.repeats import Repeat, repeated
from core.requests import arrived_at
from engine.actions import Act, Phase
from engine.bots import Bot, decide
from engine.cube import Side
from engine.dice import Chain, ChainTag, opening_roll, roll
from engine.errors import Refused
from engine.match import MatchState
from engine.notation import parse_play
from matches.models import MAX_FRIENDLY, BotPlayer, DiceChain, LiveMatch, Match
from matches.play import hints
from matches.play.acting import DECISIONS, ActionInput, act_again, play_by_itself
from matches.play.api import HintAnswerSerializer, LiveMatchSerializer, graph_json
from matches.play.chains import Chains
from matches.play.codec import from_data, to_data
from matches.play.journal import event_data, outcome_data
from matches.play.live import EventKind, LiveEvent, LiveState, after_event, from_ms, to_ms
from matches.play.lobby.api import StartedMatchSerializer, started
from matches.play.lobby.services import BOT_SIDE, GuestOrigin, start_practice
from matches.play.page import MODULES, THEMES
from matches.play.preferences import preferences_json
from matches.play.public_state import may_do, public_json
from matches.presentation import labels
from players.accounts.api import by, me
from players.accounts.serializers import PROBLEM
from players.accounts.services import ensure_player
from players.actors import SYSTEM, Actor
from players.models import Player

Json = dict[str, Any]
GUEST: Side = 0
USUAL_LENGTH = 3
LASTS = timedelta(days=14)
"""How long after its last action a match can be continued."""
MAX_STEPS = 1500
"""Of one match; it fits into one dice chain of each side, and into a request."""
MAX_TOKEN_LENGTH = 120_000
TAKE_BACK = EventKind.TAKE_BACK.value
KINDS = sorted({str(act) for act in DECISIONS} | {EventKind.READY.value, Act.ROLL.value, TAKE_BACK})
_SALT = "matches.guests"


class GuestStep(NamedTuple):
    """What a side has done, as it is repeated to take something back and to keep the match."""

    side: Side
    kind: str
    at: int
    """Milliseconds."""
    moves: tuple[tuple[int, ...], ...] = ()
    value: int | None = None
    play_forced: bool = False
    bear_off: bool = False


@dataclass
class GuestMatch:
    id: str
    """The public id that it has once it is kept."""
    length: int
    began: int
    steps: list[GuestStep] = field(default_factory=list)
    reveals: list[int] = field(default_factory=lambda: [0, 0])
    """How many links of its dice chain each side has revealed."""
    rolls: int = 0
    last: int = 0
    changed_by: int = 0
    appended: list[Json] = field(default_factory=list)
    """The actions that were added to this object."""
    state: LiveState = field(init=False)

    def __post_init__(self) -> None:
        self.state = LiveState.start(MatchState.start(self.length), None, self.began)

    @classmethod
    def start(cls, length: int, now: datetime) -> "GuestMatch":
        """A match before its first roll."""
        return cls(new_public_id(), length, to_ms(now))

    @classmethod
    def load(cls, token: str) -> "GuestMatch":
        """The match that `token` gave. Refused: `guest_match_lost` if it is forged or too old."""
        try:
            data = signing.loads(token, salt=_SALT, max_age=LASTS)
        except signing.BadSignature:
            raise Refused("guest_match_lost") from None
        state, steps = data.pop("state"), data.pop("steps")
        match = cls(**data, steps=[_step(row) for row in steps])
        match.state = from_data(state)
        return match

    @property
    def token(self) -> str:
        data = {name: getattr(self, name) for name in ("id", "length", "began", "reveals", "rolls", "last")}
        data |= {"changed_by": self.changed_by, "steps": self.steps, "state": to_data(self.state)}
        return signing.dumps(data, salt=_SALT, compress=True)

    def act(self, step: GuestStep) -> None:
        """Let the guest act, and the bot until it is the guest's turn again.

        Refused: `guest_match_long`, `nothing_to_take_back`, `dead_cube`, and what `after_event` refuses.
        """
        if step.kind == TAKE_BACK:
            self._take_back()
            return
        if len(self.steps) >= MAX_STEPS:
            raise Refused("guest_match_long")
        self._do(step)
        while self.state.waits_for_bot(BOT_SIDE):
            self._do(_bot_step(self, step.at))

    def replayed(self) -> "GuestMatch":
        """The same match with all its actions in `appended`."""
        match = GuestMatch(self.id, self.length, self.began)
        for step in self.steps:
            match._do(step)
        return match

    @property
    def may_take_back(self) -> bool:
        return self._last_decision is not None

    @property
    def _last_decision(self) -> int | None:
        indices = (at for at, step in enumerate(self.steps) if step.side == GUEST and step.kind in DECISIONS)
        return max(indices, default=None)

    def _take_back(self) -> None:
        """Undo the guest's last decision and all that followed; the dice stay what they were."""
        decision = self._last_decision
        if decision is None:
            raise Refused("nothing_to_take_back")
        self.steps = self.steps[:decision]
        before = self.replayed()
        self.__dict__.update(before.__dict__)

    def _do(self, step: GuestStep) -> None:
        """Do what a side wants to, with the dice that follow."""
        event = LiveEvent(step.kind, step.at, step.side, moves=step.moves, value=step.value)
        if step.kind == Act.ROLL:
            self._roll(event, step)
        else:
            is_dead_cube = step.kind == Act.DOUBLE and not self.state.match.may_double
            self._append(event)
            if is_dead_cube:
                raise Refused("dead_cube")
            if step.kind in (Act.PLAY, EventKind.READY):
                self.reveals[step.side] += 1
        if self.state.awaits_opening_roll:
            self.rolls += 1
            links = (self._link(0), self._link(1))
            dice = opening_roll(self._server_link, self.id, self.rolls, links=links)
            self._append(LiveEvent(Act.ROLL, step.at, dice=dice))
        self.steps.append(step)

    def _roll(self, event: LiveEvent, step: GuestStep) -> None:
        if self.state.match.phase is Phase.OPENING:
            raise Refused("not_now", act=Act.ROLL.value, phase=Phase.OPENING.value)
        # Any dice tell whether this side may roll now.
        after_event(self.state, event._replace(dice=(1, 2)))
        self.rolls += 1
        self.reveals[step.side] += 1
        fresh, latest = self._link(step.side), self._link(1 - step.side)
        self._append(event._replace(dice=roll(self._server_link, self.id, self.rolls, fresh=fresh, latest=latest)))
        forced = play_by_itself(self.state.match, step.at, play_forced=step.play_forced, bear_off=step.bear_off)
        if forced is not None:
            self._append(forced, {"forced": True})

    def _append(self, event: LiveEvent, data: Json | None = None) -> None:
        before, self.state = self.state, after_event(self.state, event)
        self.last += 1
        self.changed_by = self.last
        self.appended.append(
            {
                "seq": self.last,
                "kind": event.kind,
                "side": event.side,
                "at": from_ms(event.at),
                "data": event_data(event) | outcome_data(before, self.state, event) | (data or {}),
                "credit": 0,
            }
        )

    def _link(self, side: Side) -> bytes:
        return _chain(self.id, str(side)).link(self.reveals[side])

    @property
    def _server_link(self) -> bytes:
        return _chain(self.id, DiceChain.Owner.SERVER).link(self.rolls)

    def history(self, by: Actor) -> Iterator[tuple[Side, ActionInput, Actor, datetime]]:
        """What both sides have done, the guest being `by`."""
        for step in self.steps:
            request = ActionInput(
                step.kind,
                0,
                moves=step.moves,
                value=step.value,
                play_forced=step.play_forced,
                bear_off=step.bear_off,
            )
            yield step.side, request, by if step.side == GUEST else SYSTEM, from_ms(step.at)


def _step(row: list[Any]) -> GuestStep:
    side, kind, at, moves, *others = row
    return GuestStep(side, kind, at, tuple(tuple(way) for way in moves), *others)


def _bot_step(match: GuestMatch, at: int) -> GuestStep:
    """What the bot does now. The same state gives the same decision."""
    if match.state.match.phase is Phase.OPENING:
        return GuestStep(BOT_SIDE, EventKind.READY, at)
    decision = decide(match.state.match, Bot.CLUB, Random(f"{match.id}/{match.last}"))  # noqa: S311, no secret
    return GuestStep(BOT_SIDE, decision.act, at, tuple(decision.moves))


def _secret(match_id: str, owner: str) -> bytes:
    return salted_hmac(_SALT, f"{match_id}/{owner}", algorithm="sha256").digest()


@lru_cache(maxsize=300)
def _chain(match_id: str, owner: str) -> Chain:
    """The dice chain of a side or of the server; derived, thus nowhere stored."""
    return Chain.from_secret(ChainTag(match_id, owner, 1), _secret(match_id, owner))


def keep(*, token: str, player: Player, by: Actor, now: datetime) -> Match:
    """Make a guest's match an ordinary practice match of `player`; to keep it again returns the same match.

    Refused: `guest_match_lost`, `guest_match_kept`, `too_many_practice_matches`.
    """
    guest = GuestMatch.load(token)
    if (kept := _kept(guest, player)) is not None:
        return kept
    try:
        match = _keep(guest, player, by, now)
    except IntegrityError:
        # It was kept in the meantime, perhaps by somebody else.
        if (kept := _kept(guest, player)) is None:
            raise
        return kept
    match.refresh_from_db()
    return match


def _kept(guest: GuestMatch, player: Player) -> Match | None:
    """Return the match if `player` has kept it already. Refused: `guest_match_kept` if somebody else has."""
    kept = Match.objects.filter(public_id=guest.id).first()
    if kept is not None and kept.player_0_id != player.pk:
        raise Refused("guest_match_kept")
    return kept


def _keep(guest: GuestMatch, player: Player, by: Actor, now: datetime) -> Match:
    """Begin a practice match with the id of the guest's, and repeat what was done in it."""
    with transaction.atomic():
        began = from_ms(guest.began)

        def secret_of(owner: str) -> bytes:
            return _secret(guest.id, owner)

        match = start_practice(
            player=player,
            style=BotPlayer.Style.CLUB,
            length=guest.length,
            by=by,
            now=began,
            origin=GuestOrigin(guest.id, secret_of),
        )
        Chains(match.live, match.public_id, secret_of).arm(str(GUEST), began)
        act_again(match=match, history=guest.history(by), now=now)
    return match


class GuestBoardSerializer(LiveMatchSerializer):
    """A match that nobody stores but its player."""

    seat = None  # type: ignore[assignment] # It belongs to a session; a guest has none.
    token = serializers.CharField(help_text="The match as a signed text; send it with the next request.")


class GuestMatchSerializer(serializers.Serializer[Any]):
    """A new match, or one to continue."""

    token = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=MAX_TOKEN_LENGTH, help_text="Empty: a new match."
    )
    length = serializers.IntegerField(
        required=False, default=USUAL_LENGTH, min_value=1, max_value=MAX_FRIENDLY, help_text="Of a new match."
    )


class GuestActionSerializer(serializers.Serializer[Any]):
    """What a guest does."""

    token = serializers.CharField(max_length=MAX_TOKEN_LENGTH)
    kind = serializers.ChoiceField(choices=KINDS)
    after = serializers.IntegerField(min_value=0, help_text="The number of the last action that was seen (`last`).")
    play = serializers.CharField(
        required=False, default="", max_length=60, allow_blank=True, help_text="PLAY: in notation, `8/5 6/5`."
    )
    value = serializers.IntegerField(
        required=False, default=None, allow_null=True, min_value=1, max_value=3, help_text="RESIGN: 1, 2 or 3 times."
    )
    play_forced = serializers.BooleanField(default=False, help_text="ROLL: make the play too, if there is no choice.")
    bear_off = serializers.BooleanField(
        default=False, help_text="ROLL: make the play too, if your checkers are home and contact is over."
    )

    def validate(self, attrs: Json) -> Json:
        """Read the play. Refused: `bad_notation`."""
        if attrs["kind"] == Act.RESIGN and attrs["value"] is None:
            raise serializers.ValidationError({"value": "A resignation is for 1, 2 or 3 times the cube."})
        attrs["moves"] = tuple(parse_play(attrs["play"])) if attrs["play"] else ()
        return attrs


class GuestTokenSerializer(serializers.Serializer[Any]):
    """The match of a guest."""

    token = serializers.CharField(max_length=MAX_TOKEN_LENGTH)


WRITTEN: dict[Any, Any] = {200: GuestBoardSerializer, 409: PROBLEM, 422: PROBLEM, 429: PROBLEM}


@open_to(post=Who.EVERYBODY)
class GuestMatches(APIView):
    # No account is read: pages of guests need neither a session nor a CSRF token.
    authentication_classes = ()
    permission_classes = (AllowAny,)
    # Counted by match, and generously by network: everybody at a venue shares an IP address.
    throttle_classes = ()

    @extend_schema(
        operation_id="guest_match_read",
        summary="Play against the Club Bot without an account",
        description="Nothing is stored: `token` is the whole match.",
        request=GuestMatchSerializer,
        examples=[OpenApiExample("To 3 points", value={"length": 3}, request_only=True)],
        responses=WRITTEN,
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request) -> Response:
        form = validated(GuestMatchSerializer, request)
        if form["token"]:
            match = GuestMatch.load(form["token"])
            _count(match, request)
            return Response(_board(match.replayed()))
        throttle.count(throttle.GUEST_MATCHES_FROM, throttle.client_network(request))
        return Response(_board(GuestMatch.start(form["length"], timezone.now())))


@open_to(post=Who.EVERYBODY)
class GuestActions(APIView):
    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = ()

    @extend_schema(
        operation_id="guest_match_act",
        summary="Roll, play, double, answer, resign or take back without an account",
        request=GuestActionSerializer,
        examples=[
            OpenApiExample("Ready", value={"token": "eJx…", "kind": "ready", "after": 0}, request_only=True),
        ],
        responses=WRITTEN,
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request) -> Response:
        """The board after the action and what the bot did, with these actions; after `take_back` with all."""
        form = validated(GuestActionSerializer, request)
        match = GuestMatch.load(form["token"])
        _count(match, request)
        if form["after"] != match.last:
            raise Refused("stale", seq=match.last)
        value = form["value"] if form["kind"] == Act.RESIGN else None
        flags = {name: form["kind"] == Act.ROLL and form[name] for name in ("play_forced", "bear_off")}
        match.act(GuestStep(GUEST, form["kind"], to_ms(arrived_at(request)), form["moves"], value, **flags))
        return Response(_board(match))


@open_to(post=Who.EVERYBODY)
class GuestHints(APIView):
    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = ()

    @extend_schema(
        operation_id="guest_match_hint",
        summary="What a program would do, without an account",
        description="A program answers guests when it has nothing else to do. `hint_in_play` as in practice matches.",
        request=GuestTokenSerializer,
        examples=[OpenApiExample("A match", value={"token": "eJx…"}, request_only=True)],
        responses={200: HintAnswerSerializer, 409: PROBLEM, 422: PROBLEM, 429: PROBLEM},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request) -> Response:
        match = GuestMatch.load(validated(GuestTokenSerializer, request)["token"])
        _count(match, request)
        advice = hints.hint(state=match.state.match, side=GUEST, is_guest=True, now=timezone.now())
        return Response({"last": match.last, "hint": advice})


@open_to(post=Who.SIGNED_IN)
class GuestKeeping(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="guest_match_keep",
        summary="Keep a match that was begun without an account",
        description="It becomes a practice match with its history. To keep it again gives the same match.",
        request=GuestTokenSerializer,
        examples=[OpenApiExample("A match", value={"token": "eJx…"}, request_only=True)],
        responses={201: StartedMatchSerializer, 401: PROBLEM, 409: PROBLEM, 422: PROBLEM},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request) -> Response:
        form = validated(GuestTokenSerializer, request)
        player = ensure_player(user=me(request), by=by(request))
        match = keep(token=form["token"], player=player, by=by(request), now=timezone.now())
        return Response(started(match, request), status=status.HTTP_201_CREATED)


def _count(match: GuestMatch, request: Request) -> None:
    """Count a request for its match and its network. Refused: `too_many_attempts`."""
    throttle.count(throttle.GUEST_ACTIONS_OF, match.id)
    throttle.count(throttle.GUEST_ACTIONS_FROM, throttle.client_network(request))


def _board(match: GuestMatch) -> Json:
    """The match as its page reads it, like a match that is played by an account."""
    state = match.state
    may = [each for each in may_do(state, GUEST) if each in KINDS]
    to_play = state.match.phase is Phase.TO_PLAY and state.match.turn == GUEST
    number, chain = match.reveals[GUEST], _chain(match.id, str(GUEST))
    return {
        "seq": match.last,
        "last": match.last,
        "changed_by": match.changed_by,
        "now": timezone.now(),
        **public_json(LiveMatch(), state),
        "due_at": None,
        "is_called_off": False,
        "invitation": None,
        "presence": [{"online": None, "since": None, "closed": False}] * 2,
        "lag": [0, 0],
        "chains": [
            {
                "owner": str(GUEST),
                "number": 1,
                "anchor": chain.anchor.hex(),
                "opponent_reveals": 0,
                "used": number,
                "latest": (chain.link(number) if number else chain.anchor).hex(),
                "kept_by_server": True,
            }
        ],
        "armings": [{"owner": str(GUEST), "chain": 1, "own_reveals": 0}],
        "actions": match.appended,
        "my_side": GUEST,
        "may": may + ([TAKE_BACK] if match.may_take_back else []),
        "absence": None,
        "ping": None,
        "graph": graph_json(state.match) if to_play and not state.match.is_over else None,
        "topic": "",
        "spectators": 0,
        "is_behind": False,
        "ticket": None,
        "answer_ahead": None,
        "boards_waiting": None,
        "token": match.token,
    }


@never_cache
@open_to(get=Who.EVERYBODY)
def board(request: HttpRequest) -> HttpResponse:
    """The board of a guest; whoever has an account is led to practice."""
    if request.user.is_authenticated:
        return redirect("practice")
    names = [gettext("Guest"), str(BotPlayer.Style.CLUB.label)]
    keep_url = f"{reverse('sign-up')}?next={reverse('guest-keep')}"
    context = {
        "guest": True,
        "practises": True,
        "keep_url": keep_url,
        "seat": {"side": GUEST},
        "back": reverse("home"),
        "back_label": gettext("Home"),
        "practice": gettext("Practice"),
        "length": labels.length(USUAL_LENGTH),
        "names": names,
        "seats": [("far", names[BOT_SIDE]), ("near", names[GUEST])],
        "modules": [f"matches/{name}.js" for name in MODULES],
        "settings": {
            "guest": True,
            "practises": True,
            "match": "guest",
            "side": GUEST,
            "link": "",
            "csrf": "",
            "api": reverse("api-guest-matches"),
            "names": names,
            "length": USUAL_LENGTH,
            "pauses": 0,
            "preferences": preferences_json(request.user),
            "preferencesUrl": "",
            "themes": {name: static(f"matches/board/themes/{name}.css") for name in THEMES},
            "moments": static("matches/play/moments.css"),
            "turnIcon": static("matches/play/turn.svg"),
        },
    }
    return render(request, "matches/play/play.html", context)


@open_to(get=Who.SIGNED_IN)
@never_cache
def keep_page(request: HttpRequest) -> HttpResponse:
    """Keep the match that this browser has; its script sends it."""
    return render(request, "matches/play/lobby/keep.html")
