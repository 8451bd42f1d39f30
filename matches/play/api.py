"""The API of matches played here: open one, commit to dice, act, rule, read."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView, validated
from core.live import audience
from core.live.presence import UNKNOWN, PagePresence
from core.repeats import Repeat, repeated
from core.requests import arrived_at, parse_int
from core.text_lengths import MAX_NOTE_LENGTH
from engine.actions import Act, Phase
from engine.clock import DAY, SECOND
from engine.cube import Side
from engine.errors import Refused
from engine.legality import step_graph
from engine.match import MatchState
from engine.notation import parse_play
from matches import access
from matches.access import LINK, MatchSeat, match_and_seat_in_api, seat_of, side_of
from matches.lifecycle import links
from matches.lifecycle.arrivals import claimable_from_call
from matches.lifecycle.events import events
from matches.lifecycle.play_rules import MAX_DELAY, MAX_OVERTIME, MAX_SPAN_DAYS
from matches.models import MAX_ACTION_KEY_LENGTH, Action, ClockPreset, LiveMatch, Match
from matches.play import absences, acting, directing, due, hints, lag, starting
from matches.play.acting import OF_PLAYERS, Acted
from matches.play.chains import armings_of
from matches.play.correspondence import boards_waiting
from matches.play.deciding_ahead import answer_ahead, may_decide_ahead
from matches.play.dice import armings_up_to, dice_of
from matches.play.directing import OF_DIRECTORS
from matches.play.live import VACATION_DAYS, EventKind, LiveState, from_ms
from matches.play.page import Page, page_of, page_ticket, seat_ticket
from matches.play.public_state import Json, action_json, chain_json, chains_of, invitation_json, may_do, public_json
from matches.play.topics import topic_of
from matches.play.watching import Watched, watched
from players.accounts.api import by
from players.accounts.serializers import PROBLEM
from players.models import User

HASH = r"^[0-9a-f]{64}$"
TAB = r"^[\w-]{1,32}$"
AFTER = "The number of the last action that was seen (`last`)."
EVERY = "Seconds until the next sign of life."


class StartLiveSerializer(serializers.Serializer[Any]):
    """How a match is to be played here; what is left out follows the settings of its division."""

    clock = serializers.ChoiceField(
        choices=ClockPreset.choices,
        required=False,
        help_text="A preset whose bank follows from the length, `correspondence`, or `none`.",
    )
    overtime_minutes = serializers.IntegerField(required=False, min_value=0, max_value=MAX_OVERTIME)
    days = serializers.IntegerField(
        source="turn_days",
        required=False,
        min_value=1,
        max_value=MAX_SPAN_DAYS,
        help_text="Correspondence: days for each turn.",
    )
    bank_days = serializers.IntegerField(
        required=False, min_value=0, max_value=MAX_SPAN_DAYS, help_text="Correspondence: days more for the whole match."
    )
    flag_rule = serializers.ChoiceField(choices=LiveMatch.FlagRule.choices, required=False)
    spectators_delay = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_DELAY,
        help_text="Minutes by which spectators are behind; 0: none; null: they see the match once it is over.",
    )
    server_chains = serializers.BooleanField(default=False, help_text="Players may let the server keep their dice.")


class DiceChainSerializer(serializers.Serializer[Any]):
    """The dice chain of a device that a side plays on."""

    anchor = serializers.RegexField(
        HASH, required=False, default="", allow_blank=True, help_text="Link 0 in hexadecimal; empty: the server's."
    )
    number = serializers.IntegerField(
        required=False, min_value=1, help_text="Which chain of your side it was made as; refused if another was."
    )


class LiveActionInputSerializer(serializers.Serializer[Any]):
    """What a player does."""

    kind = serializers.ChoiceField(choices=sorted(str(kind) for kind in OF_PLAYERS))
    after = serializers.IntegerField(min_value=0, help_text=AFTER)
    play = serializers.CharField(
        required=False, max_length=60, allow_blank=True, help_text="PLAY: in notation, `8/5 6/5`; empty: no move."
    )
    value = serializers.IntegerField(required=False, min_value=1, max_value=3, help_text="RESIGN: 1, 2 or 3 times.")
    days = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=VACATION_DAYS,
        help_text="VACATION: so many days from now.",
    )
    link = serializers.RegexField(
        HASH,
        required=False,
        default="",
        allow_blank=True,
        help_text="READY, ROLL, PLAY: the next link of your dice chain. A play may do without.",
    )
    seen = serializers.IntegerField(
        required=False, min_value=0, help_text="With a link: how many `armings` of the opponent you know; else all."
    )
    play_forced = serializers.BooleanField(default=False, help_text="ROLL: make the play too, if there is no choice.")
    bear_off = serializers.BooleanField(
        default=False, help_text="ROLL: make the play too, if your checkers are home and contact is over."
    )
    tab = serializers.RegexField(
        TAB,
        required=False,
        default="",
        allow_blank=True,
        help_text="A page that names itself, as in its pings, need not ping in the next `every` seconds.",
    )
    every = serializers.IntegerField(required=False, default=15, min_value=5, max_value=60, help_text=EVERY)

    seat = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=300,
        help_text="The last `seat` received in this session: with it ordinary actions are answered faster.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Read the play. Refused: `bad_notation`."""
        if attrs["kind"] == Act.PLAY and "play" not in attrs:
            raise serializers.ValidationError({"play": "A play is needed, or an empty one where there is no move."})
        if attrs["kind"] == Act.RESIGN and "value" not in attrs:
            raise serializers.ValidationError({"value": "A resignation is for 1, 2 or 3 times the cube."})
        if attrs["kind"] == EventKind.VACATION and "days" not in attrs:
            raise serializers.ValidationError({"days": "A vacation lasts for a number of days."})
        attrs["moves"] = tuple(parse_play(attrs["play"])) if attrs.get("play") else ()
        return attrs


class LivePingSerializer(serializers.Serializer[Any]):
    """A sign of life of a player's page."""

    ping = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text="The last `ping` received; measures lag.",
    )
    tab = serializers.RegexField(
        TAB,
        required=False,
        default="page",
        help_text="Tells the pages of a player apart: unique, and another one after each `goodbye`.",
    )
    every = serializers.IntegerField(required=False, default=15, min_value=5, max_value=60, help_text=EVERY)
    ticket = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text="The `ticket` of an earlier answer, instead of an account or a link.",
    )


class LiveGoodbyeSerializer(serializers.Serializer[Any]):
    """A page of a player that is closed."""

    tab = serializers.RegexField(
        TAB, required=False, default="page", help_text="As in its pings; later signs of life by this name are ignored."
    )
    link = serializers.CharField(
        required=False, default="", max_length=100, help_text="Token of a personal link: a beacon has no headers."
    )


class LivePongSerializer(serializers.Serializer[Any]):
    """What a ping measured."""

    lag = serializers.IntegerField(help_text="The estimated lag of this connection in milliseconds.")
    ping = serializers.CharField(help_text="The next ping; send it back at once to measure again, or keep it unused.")
    ticket = serializers.CharField(
        help_text="For further pings, until five minutes after it was first given. Without a valid ticket a ping needs "
        "the account or the link, and its answer has a new one."
    )


class LiveRulingSerializer(serializers.Serializer[Any]):
    """What a director does to a match that is played here."""

    kind = serializers.ChoiceField(choices=sorted(str(kind) for kind in OF_DIRECTORS))
    after = serializers.IntegerField(min_value=0, help_text=AFTER)
    side = serializers.IntegerField(required=False, min_value=0, max_value=1)
    value = serializers.IntegerField(
        required=False,
        min_value=-86_400_000,
        max_value=86_400_000,
        help_text="`end_game`: points. `adjust_clock`: milliseconds added to the bank, or taken off.",
    )
    score = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=99), min_length=2, max_length=2, required=False
    )
    reason = serializers.CharField(required=False, default="", allow_blank=True, max_length=MAX_NOTE_LENGTH)


class LiveActionSerializer(serializers.Serializer[Any]):
    """One action of the match."""

    seq = serializers.IntegerField()
    kind = serializers.CharField()
    side = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField()
    credit = serializers.IntegerField(help_text="Milliseconds given back for lag.")
    data = serializers.DictField(  # type: ignore[assignment]  # the name of a property of DRF
        help_text="Dice, moves, value or score, and the links of a roll. Of an opening roll `begins`, the side on turn;"
        " of a double `cube`, the value that is offered."
    )


class LiveMatchSerializer(serializers.Serializer[Any]):
    """Where a match that is played here stands."""

    seq = serializers.IntegerField(help_text="The number of `topic` in the event stream.")
    last = serializers.IntegerField(help_text="The number of the last action; the next write names it as `after`.")
    changed_by = serializers.IntegerField(help_text="The last action that changed position, cube or turn.")
    now = serializers.DateTimeField(help_text="The server's time.")
    phase = serializers.CharField()
    turn = serializers.IntegerField(allow_null=True)
    to_act = serializers.IntegerField(allow_null=True)
    length = serializers.IntegerField()
    score = serializers.ListField(child=serializers.IntegerField())
    game = serializers.IntegerField()
    games = serializers.ListField(
        child=serializers.DictField(),
        help_text="Of each game that is over its `winner`, `kind`, `points` and `cube`, and the `score` after it.",
    )
    crawford = serializers.BooleanField()
    cube = serializers.DictField(
        help_text="`value`, `owner`, and `face`: the number to show, 64 for a centred cube that nobody has turned, the "
        "doubled value while a double waits for its answer."
    )
    dice = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    dice_to_play = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="The higher one first; a double has four."
    )
    checkers = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="Null once the match is over. Otherwise 26 counts as side 0 sees them: 0 the bar of side 1, 1–24 the "
        "points, 25 the bar of side 0; side 1's checkers are negative.",
    )
    pips = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="Of each side; null once the match is over."
    )
    xgid = serializers.CharField(allow_null=True, help_text="Null once the match is over.")
    winner = serializers.IntegerField(allow_null=True)
    resigned = serializers.DictField(allow_null=True)
    here = serializers.ListField(child=serializers.BooleanField(), help_text="Who has come to the board.")
    is_called_off = serializers.BooleanField(help_text="The match is void: nobody has won it.")
    invitation = serializers.DictField(
        allow_null=True,
        help_text="Until both sides are `here`: until when the board `is_open`, and `claim_from` when your opponent, "
        "whom a director called to the board, has not come.",
    )
    ready = serializers.ListField(child=serializers.BooleanField())
    pauses = serializers.ListField(child=serializers.IntegerField(), help_text="Taken by each side.")
    vacation_left = serializers.ListField(
        child=serializers.IntegerField(), help_text="Days that each side may still take; 0 except by correspondence."
    )
    continues = serializers.ListField(child=serializers.BooleanField(), help_text="Who wants to end the pause.")
    paused_until = serializers.DateTimeField(allow_null=True)
    clock = serializers.DictField(allow_null=True, help_text="In milliseconds.")
    due_at = serializers.DateTimeField(allow_null=True, help_text="When a flag falls or a pause ends.")
    presence = serializers.ListField(
        child=serializers.DictField(),
        help_text="For each side `online` (null: not known), `since` when it is away, and if its page was `closed`.",
    )
    absence = serializers.DictField(
        allow_null=True,
        help_text="While the match waits for a `side` that is away: `claim_at`, from when its opponent `may_claim`.",
    )
    lag = serializers.ListField(
        child=serializers.IntegerField(), help_text="Milliseconds that each side would be given back for an action now."
    )
    ping = serializers.CharField(allow_null=True, help_text="For players: send it to `live/ping/` at once.")
    chains = serializers.ListField(child=serializers.DictField())
    armings = serializers.ListField(
        child=serializers.DictField(), help_text="Each time a device has armed its dice chain, in order."
    )
    actions = LiveActionSerializer(many=True, help_text="After the number that was asked for, at most 500.")
    my_side = serializers.IntegerField(allow_null=True)
    may = serializers.ListField(child=serializers.CharField(), help_text="What your side may do now.")
    stakes = serializers.DictField(
        allow_null=True,
        help_text="`cube`: what the game is worth now or after a take; `doubled`: after a double; `scores[side][0…2]`: "
        "the score if that side wins a single game, a gammon or a backgammon at that; `drop`: after a drop of the "
        "double. Null once over.",
    )
    resignations = serializers.ListField(
        child=serializers.DictField(),
        help_text="What the side to act may resign: each `multiple` of the cube that it can still lose and has not "
        "offered in this turn, with the `score` it leads to, where that differs from that of a lower one.",
    )
    graph = serializers.ListField(
        child=serializers.DictField(), allow_null=True, help_text="For the mover: every legal step of the roll."
    )
    topic = serializers.CharField(help_text="The topic of the event stream by which you watch the match.")
    spectators = serializers.IntegerField(allow_null=True, help_text="Browsers that watch; null: not known.")
    spectators_delay = serializers.IntegerField(
        allow_null=True, help_text="Minutes by which spectators are behind; null: they see the match once it is over."
    )
    is_behind = serializers.BooleanField(
        help_text="You are a spectator who is behind: this is what was there at `now`, and `actions` end there."
    )
    ticket = serializers.CharField(
        allow_null=True, help_text="With a personal link: the parameter `ticket` of the event stream, for an hour."
    )
    answer_ahead = serializers.CharField(
        allow_null=True,
        help_text="What you have decided ahead about a double that may come now, `take` or `drop`; empty: nothing; "
        "null: there is nothing to decide ahead. Your opponent does not see it.",
    )
    boards_waiting = serializers.IntegerField(
        allow_null=True, help_text="By correspondence: in how many other such matches you are to act; else null."
    )
    seat = serializers.CharField(
        allow_null=True, help_text="For a player signed in with a session: sent back with an action, for five minutes."
    )


class DiceSerializer(serializers.Serializer[Any]):
    """Every roll with its proof, as docs/dice.md describes."""

    format = serializers.CharField()
    match = serializers.CharField()
    chains = serializers.ListField(child=serializers.DictField())
    armings = serializers.ListField(child=serializers.DictField())
    rolls = serializers.ListField(child=serializers.DictField())


# A match played here as its pages and API clients read it.


MAX_ACTIONS = 500
"""Of one answer; a reader that is further behind asks again."""


def as_json(
    watched: Watched,
    *,
    since: int,
    latest: Sequence[Action] = (),
    lag_credits: tuple[int, int] | None = None,
    presences: Sequence[PagePresence] | None = None,
    spectators: int | None = None,
    public: Json | None = None,
) -> Json:
    """Where a match stands for its reader, and its actions after number `since`; for a side also what it may do.

    `latest` are actions that have just been added; they are not read again if the reader misses only those. Nor are
    `lag_credits`, the `presences` of the sides, the number of `spectators` and the `public_json` where they are
    given. The step graph of a roll is for its mover alone. Spectators do not see who is there, nor anybody's lag.
    """
    live, state, now = watched.live, watched.state, watched.at
    is_all = bool(latest) and (latest[0].seq - 1, latest[-1].seq) == (since, watched.last)
    # Before the chains, so that no roll is listed without its chain.
    actions = latest if is_all else visible_actions(watched, since)[:MAX_ACTIONS]
    actions_json = [action_json(action) for action in actions]
    chains = _chains_json(watched)
    return {
        "seq": watched.last if watched.is_behind else live.match.seq,
        "last": watched.last,
        "changed_by": watched.last if watched.is_behind else live.changed_by,
        "now": now,
        **(public or public_json(live, state)),
        "due_at": _due_at(watched),
        "is_called_off": live.match.state == Match.State.VOID,
        "invitation": _invitation_json(watched),
        "presence": [_presence_json(presence) for presence in presences or _presences(watched)],
        "lag": _lag_json(watched, lag_credits),
        "chains": chains,
        "armings": _armings_json(watched, chains),
        "actions": actions_json,
        **_side_json(watched),
        "topic": topic_of(watched),
        "spectators": audience.size(live.match.public_id) if spectators is None else spectators,
        "is_behind": watched.is_behind,
    }


def _lag_json(watched: Watched, lag_credits: tuple[int, int] | None) -> list[int]:
    """What each side would be given back for an action now; nothing for spectators."""
    if not watched.is_insider:
        return [0, 0]
    return list(lag.lag_of(watched.live.pk).possible_credits if lag_credits is None else lag_credits)


def _side_json(watched: Watched) -> Json:
    """What the reader's own side may do, and what it needs for that."""
    side, match = watched.side, watched.state.match
    absence = _absence_json(watched.state, watched.at) if watched.is_insider else None
    plays = side is not None and not match.is_over
    is_practice = watched.live.bot_side is not None
    is_live = watched.live.match.state == Match.State.LIVE
    may = may_do(watched.state, side, is_practice=is_practice) if is_live else []
    return {
        "my_side": side,
        "may": may + (["claim_away"] if _may_claim(absence, side) else []),
        "absence": absence,
        "answer_ahead": _answer_ahead(watched) if plays else None,
        "ping": lag.new_ping(watched.live.pk, side, timezone.now()) if side is not None and plays else None,
        "graph": graph_json(match) if plays and side == match.turn and match.phase is Phase.TO_PLAY else None,
    }


def _answer_ahead(watched: Watched) -> str | None:
    """What the reader has decided ahead; None where nothing can be."""
    live, side = watched.live, watched.side
    if side is None or not may_decide_ahead(live, watched.state, side):
        return None
    return answer_ahead(live)


def visible_actions(watched: Watched, since: int = 0) -> QuerySet[Action]:
    """The actions after number `since` that the reader may see."""
    return watched.live.actions.filter(seq__gt=since, seq__lte=watched.last).order_by("seq")


def graph_json(match: MatchState) -> list[Json]:
    """Every legal step on the way to a legal play: nodes with edges of (die, from, to, hits, next node)."""
    assert match.dice is not None  # noqa: S101, true in this phase
    return [
        {
            "complete": node.complete,
            "edges": [
                {
                    "die": edge.step.die,
                    "from": edge.step.source,
                    "to": edge.step.target,
                    "hits": edge.step.hit,
                    "node": edge.node,
                }
                for edge in node.edges
            ],
        }
        for node in step_graph(match.position, match.dice)
    ]


def _presence_json(seen: PagePresence) -> Json:
    since = from_ms(int(seen.since * SECOND)) if seen.since is not None else None
    return {"online": seen.online, "since": since, "closed": seen.closed}


def _absence_json(state: LiveState, now: datetime) -> Json | None:
    """The countdown of the side that is away while the match waits for it; None where there is no countdown."""
    limits = absences.limits()
    for side, absence in enumerate(state.absences):
        claim_at = absence.claim_at(limits)
        if claim_at is not None and state.waits_for(side):
            return {
                "side": side,
                "closed": absence.page_closed,
                "claim_at": from_ms(claim_at),
                "may_claim": from_ms(claim_at) <= now,
            }
    return None


def _invitation_json(watched: Watched) -> Json | None:
    """Until when a side may still come to the board, or that it is closed; None once both have come."""
    state = watched.live.match.state
    if not watched.state.is_invitation or state == Match.State.SETTLED:
        return None
    claim_from = claimable_from_call(watched.live.match, watched.side) if watched.side is not None else None
    return invitation_json(watched.live, claim_from)


def _may_claim(absence: Json | None, side: Side | None) -> bool:
    return absence is not None and side is not None and side != absence["side"] and bool(absence["may_claim"])


def _due_at(watched: Watched) -> datetime | None:
    """When a flag falls or a pause ends, as the reader sees it."""
    if not watched.is_behind:
        return watched.live.due_at
    due = watched.state.due_at()
    return from_ms(due) if due is not None else None


def _presences(watched: Watched) -> list[PagePresence]:
    if not watched.is_insider:
        return [UNKNOWN, UNKNOWN]
    return absences.side_presences(watched.live.match.public_id, watched.at)


def _chains_json(watched: Watched) -> list[Json]:
    """The chains as the reader sees them; a spectator who is behind gets no link ahead of the roll they see."""
    chains = chains_of(watched.live)
    if not watched.is_behind:
        return [chain_json(chain) for chain in chains]
    latest: dict[tuple[str, int], Json] = {}
    for data in (
        visible_actions(watched).filter(kind__in=(Act.ROLL, Act.PLAY, EventKind.READY)).values_list("data", flat=True)
    ):
        for link in [*data.get("links", ()), data.get("link"), data.get("server")]:
            if link is not None:
                latest[link["owner"], link["chain"]] = link
    for chain in chains:
        last = latest.get((chain.owner, chain.number))
        chain.used, chain.latest = (last["number"], last["link"]) if last is not None else (0, chain.anchor)
    return [chain_json(chain) for chain in chains if chain.committed_at <= watched.at]


def _armings_json(watched: Watched, chains: Sequence[Json]) -> list[Json]:
    """When which chains were armed, as far as the reader sees the links of `chains`."""
    armings = armings_of(watched.live)
    if watched.is_behind:
        shown = {(chain["owner"], chain["number"]) for chain in chains}
        reveals = Counter({chain["owner"]: 0 for chain in chains})
        for chain in chains:
            reveals[chain["owner"]] += chain["used"]
        armings = list(armings_up_to(armings, shown, reveals))
    return [arming.data for arming in armings]


# A player is signed in or names a personal link in `Match-Link`. An action names the last action it has seen as
# `after`; with an `Idempotency-Key` it is safe to repeat.


MAX_KEY_LENGTH = MAX_ACTION_KEY_LENGTH - len("0:")
"""Of an Idempotency-Key; the side is stored before it."""
RULES = ("clock", "overtime_minutes", "turn_days", "bank_days", "flag_rule", "spectators_delay")
"""What a director may choose instead of the settings of the division."""
SINCE = OpenApiParameter("since", OpenApiTypes.INT, description="Only actions after this number; 0: all.")
WRITTEN: dict[Any, Any] = {
    200: LiveMatchSerializer,
    401: PROBLEM,
    403: PROBLEM,
    404: PROBLEM,
    409: PROBLEM,
    422: PROBLEM,
}


@open_to(get=Who.EVERYBODY, post=Who.STAFF)
class Live(APIView):
    throttle_classes = throttle.LIVE_MATCH

    def get_permissions(self) -> list[Any]:
        """Anyone who may see the match may read; directors open it."""
        return [AllowAny() if self.request.method == "GET" else IsAuthenticated()]

    @extend_schema(
        operation_id="live_retrieve",
        summary="Where a match that is played here stands",
        parameters=[SINCE, LINK],
        responses={200: LiveMatchSerializer, 401: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Its state, and its actions since a number."""
        match, player = match_and_seat_in_api(request, public_id)
        since = parse_int(request.query_params.get("since"), 0)
        return _answer(request, _live(match), player, since=since)

    @extend_schema(
        operation_id="live_start",
        summary="Open a match to be played here (directors)",
        request=StartLiveSerializer,
        examples=[OpenApiExample("With the usual clock", value={"clock": "table"}, request_only=True)],
        responses={**WRITTEN, 201: LiveMatchSerializer},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        """201 with the board before the first roll."""
        match = access.match_for_director(request.user, public_id)
        form = validated(StartLiveSerializer, request)
        rules = events().play_rules(match.parent_topic)._replace(**{name: form[name] for name in RULES if name in form})
        settings = starting.PlaySettings.by_rules(rules, match)._replace(server_chains=form["server_chains"])
        starting.start(match=match, settings=settings, by=by(request), now=timezone.now())
        return _answer(request, _live(match), None, code=status.HTTP_201_CREATED)


@open_to(post=Who.PLAYERS)
class LiveOpening(APIView):
    permission_classes = (AllowAny,)
    throttle_classes = throttle.LIVE_MATCH

    @extend_schema(
        operation_id="live_open",
        summary="Open a match to be played here (its players)",
        description="Where the settings of the division allow it (`play_mode`), with its clock and rules. If the match "
        "is being played here already, nothing changes.",
        request=None,
        parameters=[LINK],
        responses=WRITTEN,
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        player = seat_of(request, public_id)
        starting.open_by_player(match=player.match, by=player.by, now=timezone.now())
        return _answer(request, _live(player.match), player)


@open_to(post=Who.PLAYERS)
class LiveChains(APIView):
    permission_classes = (AllowAny,)
    throttle_classes = throttle.LIVE_MATCH

    @extend_schema(
        operation_id="live_commit_chain",
        summary="Arm a dice chain, and commit to it if it is new",
        description="Once before the first roll, and whenever this device is to be played on again. docs/dice.md "
        "describes chains.",
        request=DiceChainSerializer,
        examples=[OpenApiExample("Kept by the server", value={"anchor": ""}, request_only=True)],
        parameters=[LINK],
        responses=WRITTEN,
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, public_id: str) -> Response:
        player = seat_of(request, public_id)
        form = validated(DiceChainSerializer, request)
        starting.commit_chain(
            match=player.match,
            side=side_of(player),
            anchor=form["anchor"],
            number=form.get("number"),
            by=player.by,
            now=timezone.now(),
        )
        return _answer(request, _live(player.match), player)


@open_to(post=Who.PLAYERS)
class LiveActions(APIView):
    permission_classes = (AllowAny,)
    # Counted by side instead: everybody at a venue shares an IP address.
    throttle_classes = ()

    @repeated(Repeat.OWN_KEY)
    @extend_schema(
        operation_id="live_act",
        summary="Roll, play, double, answer, resign, pause",
        description="In practice also `take_back`: the side's last own decision and all that followed count no more. "
        "The dice of that decision stay; later ones are rolled anew. The taken back actions stay in `actions`, before "
        "a `take_back` whose `to` is the number of the last one that still counts.",
        request=LiveActionInputSerializer,
        examples=[OpenApiExample("A play", value={"kind": "play", "play": "8/5 6/5", "after": 3}, request_only=True)],
        parameters=[LINK],
        responses=WRITTEN,
    )
    def post(self, request: Request, public_id: str) -> Response:
        player = seat_of(request, public_id, only_seat=True)
        throttle.count(throttle.LIVE_ACTIONS_OF, f"{public_id}:{player.side}")
        form = validated(LiveActionInputSerializer, request)
        action = acting.ActionInput(
            kind=form["kind"],
            after=form["after"],
            key=_key(request),
            moves=form["moves"],
            value=_value(form),
            link=form["link"],
            seen=form.get("seen"),
            play_forced=form["play_forced"],
            bear_off=form["bear_off"],
        )
        side = side_of(player)
        network, now = throttle.client_network(request), arrived_at(request)
        acted = acting.act(match=player.match, side=side, request=action, by=player.by, now=now, network=network)
        sign = absences.sign_of(public_id, side, form["tab"], form["every"]) if form["tab"] else None
        seen = absences.side_presences(public_id, now, sign)
        return _answer(request, acted.live, player, since=form["after"], acted=acted, presences=seen)


class HintChoiceSerializer(serializers.Serializer[Any]):
    """One choice."""

    choice = serializers.CharField(help_text="A play in notation, or `double`, `no_double`, `take`, `drop`.")
    loss = serializers.FloatField(
        allow_null=True, help_text="Equity, normalised to the cube, that it loses against the best; null: not known."
    )


class HintSerializer(serializers.Serializer[Any]):
    """What a program would do."""

    kind = serializers.ChoiceField(choices=["play", "double", "take"])
    program = serializers.CharField(allow_blank=True, help_text="The program; empty: the Club Bot.")
    choices = HintChoiceSerializer(many=True, help_text="The best first, at most three.")


class HintAnswerSerializer(serializers.Serializer[Any]):
    """A hint, or that it is not there yet."""

    last = serializers.IntegerField(help_text="The number of the last action of the match.")
    hint = HintSerializer(allow_null=True, help_text="Null: a program is still asked. Ask again in a second.")


@open_to(post=Who.PLAYERS)
class LiveHint(APIView):
    permission_classes = (AllowAny,)
    throttle_classes = ()

    @extend_schema(
        operation_id="live_hint",
        summary="What a program would do in your practice match",
        description="Refused in matches between people (`no_hint`), and with `hint_in_play` for a decision that people "
        "have on their board, or had in the last two turns, unless its position can arise in the first three plies.",
        request=None,
        parameters=[LINK],
        responses={200: HintAnswerSerializer, 401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 429: PROBLEM},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, public_id: str) -> Response:
        seat = seat_of(request, public_id, only_seat=True)
        throttle.count(throttle.HINTS_OF, f"{public_id}:{seat.side}")
        live = _live(seat.match)
        if live.bot_side is None:
            raise Refused("no_hint")
        if live.match.state != Match.State.LIVE:
            raise Refused("not_live")
        state = due.state_of(live).match
        advice = hints.hint(state=state, side=side_of(seat), is_guest=False, now=timezone.now())
        return Response({"last": live.last, "hint": advice})


@open_to(post=Who.PLAYERS)
class LivePing(APIView):
    permission_classes = (AllowAny,)
    throttle_classes = ()

    @extend_schema(
        operation_id="live_ping",
        summary="Measure the lag of a player's connection",
        request=LivePingSerializer,
        description="With the `ticket` of an earlier answer neither an account nor a link is needed for five minutes.",
        examples=[OpenApiExample("Every 15 seconds", value={"tab": "k3v9", "every": 15}, request_only=True)],
        parameters=[LINK],
        responses={200: LivePongSerializer, 401: PROBLEM, 404: PROBLEM, 422: PROBLEM},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, public_id: str) -> Response:
        form = validated(LivePingSerializer, request)
        ticket, page = form["ticket"], page_of(form["ticket"], public_id)
        if page is None:
            seat = seat_of(request, public_id, only_seat=True)
            page = Page(seat.match.pk, side_of(seat))
            ticket = page_ticket(public_id, page)
        match_id, side = page
        throttle.count(throttle.LIVE_PINGS_OF, f"{public_id}:{side}")
        network, now = throttle.client_network(request), arrived_at(request)
        if form["ping"]:
            estimate = lag.measure(match_id=match_id, side=side, network=network, ping=form["ping"], now=now)
        else:
            estimate = lag.measured(match_id, side, network)
        absences.note_activity_of(absences.sign_of(public_id, side, form["tab"], form["every"]), now)
        return Response({"lag": estimate, "ping": lag.new_ping(match_id, side, timezone.now()), "ticket": ticket})


@open_to(post=Who.PLAYERS)
class LiveGoodbye(APIView):
    permission_classes = (AllowAny,)
    throttle_classes = ()

    @extend_schema(
        operation_id="live_goodbye",
        summary="Say that a player's page is closed",
        description="Made for `navigator.sendBeacon`: form data with `tab`, and `link` or `csrfmiddlewaretoken`.",
        request=LiveGoodbyeSerializer,
        examples=[OpenApiExample("One tab", value={"tab": "k3v9"}, request_only=True)],
        parameters=[LINK],
        responses={204: None, 401: PROBLEM, 404: PROBLEM, 422: PROBLEM},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, public_id: str) -> Response:
        """204; the opponent's page shows it after some seconds, unless the page is loaded again."""
        form = validated(LiveGoodbyeSerializer, request)
        player = access.match_for_link(form["link"]) if form["link"] else seat_of(request, public_id)
        if player.match.public_id != public_id:
            raise Http404
        side = side_of(player)
        throttle.count(throttle.LIVE_PINGS_OF, f"{public_id}:{side}")
        absences.note_goodbye(public_id=public_id, side=side, tab=form["tab"], now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(post=Who.STAFF)
class LiveRulings(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="live_rule",
        summary="Adjust a clock, set the score, end a game, adjourn or resume (directors)",
        request=LiveRulingSerializer,
        examples=[OpenApiExample("Adjourn", value={"kind": "adjourn", "after": 3}, request_only=True)],
        responses=WRITTEN,
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        """The board after the ruling."""
        match = access.match_for_director(request.user, public_id)
        form = validated(LiveRulingSerializer, request)
        left_right = form.get("score")
        ruling = directing.Ruling(
            kind=form["kind"],
            after=form["after"],
            side=form.get("side"),
            value=form.get("value") if form["kind"] in (Act.END_GAME, EventKind.ADJUST_CLOCK) else None,
            score=(left_right[0], left_right[1]) if left_right else None,
            reason=form["reason"],
        )
        directing.rule(match=match, ruling=ruling, by=by(request), now=timezone.now())
        return _answer(request, _live(match), None, since=form["after"])


@open_to(get=Who.EVERYBODY)
class LiveDice(APIView):
    permission_classes = (AllowAny,)
    throttle_classes = throttle.LIVE_MATCH

    @extend_schema(
        operation_id="live_dice",
        summary="Every roll with its proof",
        description="The input of verify_dice.py; docs/dice.md describes the format.",
        parameters=[LINK],
        responses={200: DiceSerializer, 401: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        match, seat = match_and_seat_in_api(request, public_id)
        live = _live(match)
        return Response(dice_of(live, watched(live, seat, request.user, timezone.now())))


def _key(request: Request) -> str:
    """The Idempotency-Key of a request, or nothing. Refused: `key_too_long`."""
    key: str = request.headers.get("Idempotency-Key", "")
    if len(key) > MAX_KEY_LENGTH:
        raise Refused("key_too_long", most=MAX_KEY_LENGTH)
    return key


def _value(form: dict[str, Any]) -> int | None:
    """The value of an action: of a resignation, or the milliseconds of a vacation."""
    if form["kind"] == EventKind.VACATION:
        return int(form["days"]) * DAY
    return form.get("value") if form["kind"] == Act.RESIGN else None


def _live(match: Match) -> LiveMatch:
    """The board of a match; 404 where it is not played here."""
    try:
        return LiveMatch.objects.select_related("match").get(pk=match.pk)
    except LiveMatch.DoesNotExist:
        raise Http404 from None


def live_response(request: Request, seat: MatchSeat, since: int) -> Response:
    """The board of a seat's match, with the actions after number `since`."""
    return _answer(request, _live(seat.match), seat, since=since)


def _answer(
    request: Request,
    live: LiveMatch,
    seat: MatchSeat | None,
    *,
    since: int = 0,
    acted: Acted | None = None,
    presences: Sequence[PagePresence] | None = None,
    code: int = status.HTTP_200_OK,
) -> Response:
    """The board as its reader sees it, after an action of theirs; for the holder of a link with a stream ticket."""
    latest, lag_credits = (acted.actions, acted.credits) if acted else ((), None)
    reader = watched(live, seat, request.user, timezone.now())
    board = as_json(reader, since=since, latest=latest, lag_credits=lag_credits, presences=presences)
    ticket = links.stream_ticket(live.match, seat.side) if seat is not None and seat.token else None
    own = {"ticket": ticket, "boards_waiting": _boards_waiting(request, live, seat)}
    return Response(board | own | {"seat": _seat_ticket(request, live, seat)}, status=code)


def _boards_waiting(request: Request, live: LiveMatch, seat: MatchSeat | None) -> int | None:
    """In how many other matches by correspondence a signed-in player is to act; None for everybody else."""
    if seat is None or seat.token or not live.correspondence or not isinstance(request.user, User):
        return None
    return len(boards_waiting(request.user, besides=live.pk))


def _seat_ticket(request: Request, live: LiveMatch, seat: MatchSeat | None) -> str | None:
    """For a player who is signed in with a session: what lets their next actions take the fast path."""
    if seat is None or seat.side is None or seat.token or request.auth or not isinstance(request.user, User):
        return None
    session_key = request.session.session_key
    return seat_ticket(live.match.public_id, live.pk, seat.side, request.user, session_key) if session_key else None
