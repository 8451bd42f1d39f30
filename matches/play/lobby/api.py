"""The API of the lobby: practice, challenges, rematches and blocked players."""

from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView, validated
from core.public_ids import LENGTH
from core.repeats import Repeat, repeated
from engine.errors import Refused
from matches.access import match_for_player
from matches.lifecycle.play_rules import MAX_SPAN_DAYS
from matches.models import MAX_FRIENDLY, BotPlayer, Challenge, ClockPreset, Match, PracticeLevel, RatingPool
from matches.play.lobby import selectors
from matches.play.lobby import services as lobby
from matches.play.lobby.services import foresee
from players import access
from players.accounts.api import by, me
from players.accounts.serializers import PROBLEM, PersonSerializer
from players.accounts.services import ensure_player
from players.models import Player
from players.people.rows import player_of

Json = dict[str, Any]
BOTS = [choice for choice in BotPlayer.Style.choices if choice[0] != BotPlayer.Style.LEVEL]


class StartedMatchSerializer(serializers.Serializer[Any]):
    """The match that a request led to."""

    match = serializers.CharField(allow_null=True, help_text="Public id; null while the other player has not agreed.")
    page = serializers.URLField(allow_null=True)


class NewPracticeSerializer(serializers.Serializer[Any]):
    """A practice match."""

    opponent = serializers.ChoiceField(BOTS, default=BotPlayer.Style.CLUB, source="style")
    level = serializers.ChoiceField(
        PracticeLevel.choices,
        default=None,
        allow_null=True,
        help_text="Instead of `opponent`: the analysis program of the site plays at this level.",
    )
    length = serializers.IntegerField(min_value=1, max_value=MAX_FRIENDLY)

    def validate(self, attrs: Json) -> Json:
        """Refuse a bot and a level at once."""
        if attrs["level"] and "opponent" in self.initial_data:
            raise serializers.ValidationError({"opponent": "Choose either an opponent or a level."})
        return attrs


class NewChallengeSerializer(serializers.Serializer[Any]):
    """The friendly match that is wished for."""

    opponent = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        max_length=LENGTH,
        help_text="Public id of a player; null: anybody may accept.",
    )
    length = serializers.IntegerField(min_value=1, max_value=MAX_FRIENDLY)
    clock = serializers.ChoiceField(ClockPreset.choices, default=ClockPreset.TABLE)
    turn_days = serializers.IntegerField(
        default=2, min_value=1, max_value=MAX_SPAN_DAYS, help_text="Correspondence: days for each turn."
    )
    rated = serializers.BooleanField(default=False, help_text="Accepting the challenge means accepting this, too.")
    pool_id = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        help_text="Of a rated match: a rating pool of a club of both players; null: that of the site.",
    )


class OpponentSerializer(serializers.Serializer[Any]):
    """A player who can be challenged."""

    player = PersonSerializer()
    club = serializers.CharField(help_text="One of their clubs, if possible one of yours; empty without a club.")
    is_clubmate = serializers.BooleanField(help_text="Whether you are members of the same club.")


class ChallengeSerializer(serializers.Serializer[Any]):
    """A challenge."""

    public_id = serializers.CharField()
    challenger = PersonSerializer()
    opponent = PersonSerializer(allow_null=True, help_text="Null: anybody may accept.")
    length = serializers.IntegerField()
    clock = serializers.ChoiceField(ClockPreset.choices)
    turn_days = serializers.IntegerField()
    rated = serializers.BooleanField()
    not_rated = serializers.ChoiceField(
        Challenge.NotRated.choices,
        allow_blank=True,
        help_text="Why its match is not rated although that is wished, or, until it is accepted, would not be if you "
        "played it now: `address`, `day` (the 4th of you two) or `week` (the 11th).",
    )
    pool_id = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(Challenge.State.choices)
    expires_at = serializers.DateTimeField()


class AcceptChallengeSerializer(serializers.Serializer[Any]):
    """What you have read about the match."""

    not_rated = serializers.ChoiceField(
        Challenge.NotRated.choices,
        required=False,
        allow_blank=True,
        default="",
        help_text="As the challenge has it; 409 `rating_changed` where that has changed since.",
    )


class BlockedSerializer(serializers.Serializer[Any]):
    """A player to block."""

    player = serializers.CharField(max_length=LENGTH, help_text="Public id.")


class ReviewedSerializer(serializers.Serializer[Any]):
    """A friendly match of two players who are listed."""

    match = serializers.CharField(source="match.public_id")
    finished_at = serializers.DateTimeField(source="match.finished_at")
    winner = PersonSerializer(allow_null=True)
    ended_early = serializers.BooleanField(help_text="Conceded or lost on time before the 10th play.")
    rated = serializers.BooleanField(source="is_rated")


class ReviewedGroupSerializer(serializers.Serializer[Any]):
    """Friendlies of the last 30 days that somebody should look at."""

    players = PersonSerializer(
        many=True,
        help_text="The two players, three or more who played only one another, or the winner alone of matches that "
        "several opponents gave up early.",
    )
    matches = ReviewedSerializer(many=True, help_text="The newest first.")


class ReviewSerializer(serializers.Serializer[Any]):
    """Whether a friendly match counts for the ratings, as an officer decides."""

    match = serializers.CharField(max_length=LENGTH, help_text="Public id.")
    rated = serializers.BooleanField()


def started(match: Match | None, request: Request | HttpRequest) -> Json:
    if match is None:
        return {"match": None, "page": None}
    return {
        "match": match.public_id,
        "page": request.build_absolute_uri(reverse("match-play", args=[match.public_id])),
    }


REFUSED: dict[Any, Any] = {401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM}


class LobbyView(APIView):
    """Base of the views of the lobby."""

    permission_classes = (IsAuthenticated,)

    def player(self) -> Player:
        """The player of the signed-in user, created if there is none."""
        return ensure_player(user=me(self.request), by=by(self.request))

    def acting(self) -> dict[str, Any]:
        """The arguments that every service takes."""
        return {"player": self.player(), "by": by(self.request), "now": timezone.now()}

    def challenge(self, public_id: str) -> Challenge:
        """Return a challenge that the user may see. Raise Http404 for others."""
        return selectors.challenge_for(me(self.request), public_id)[0]


@open_to(post=Who.SIGNED_IN)
class Practice(LobbyView):
    @extend_schema(
        operation_id="practice_start",
        summary="Play a practice match against a bot",
        description=(
            "Private and unrated, without a clock. The bot answers within a second or two. With a `level`, an analysis "
            "program plays; `no_practice_program` where none is installed."
        ),
        request=NewPracticeSerializer,
        examples=[
            OpenApiExample("To 5 points", value={"opponent": "club", "length": 5}, request_only=True),
            OpenApiExample("At a level", value={"level": "casual", "length": 5}, request_only=True),
        ],
        responses={201: StartedMatchSerializer, **REFUSED},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request) -> Response:
        form = validated(NewPracticeSerializer, request)
        match = lobby.start_practice(**self.acting(), **form)
        return Response(started(match, request), status=status.HTTP_201_CREATED)


@open_to(get=Who.SIGNED_IN)
class Opponents(LobbyView):
    @extend_schema(
        operation_id="opponents_list",
        summary="Find a player to challenge",
        description="Up to ten players with an account, members of your clubs first; never those who show only "
        "initials, or whom you have blocked.",
        parameters=[
            OpenApiParameter("q", str, required=True, description="Beginnings of words, three letters in all.")
        ],
        responses={200: OpponentSerializer(many=True), 401: PROBLEM, 429: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        throttle.count(throttle.NAME_SEARCHES_BY, str(me(request).pk))
        opponents = selectors.find_opponents(player_of(me(request)), request.query_params.get("q", ""))
        return Response(OpponentSerializer(opponents, many=True).data)


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
class Challenges(LobbyView):
    @extend_schema(
        operation_id="challenges_list",
        summary="List open challenges",
        description="My own, those made to me, and those open to everybody.",
        responses={200: ChallengeSerializer(many=True), 401: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        player, now = player_of(me(request)), timezone.now()
        rows = foresee(selectors.open_challenges(player, now)[: selectors.CHALLENGES_SHOWN], player, now)
        return Response(ChallengeSerializer(rows, many=True).data)

    @extend_schema(
        operation_id="challenges_create",
        summary="Challenge a player, or everybody, to a friendly match",
        request=NewChallengeSerializer,
        examples=[OpenApiExample("Open to everybody", value={"length": 5, "clock": "online"}, request_only=True)],
        responses={201: ChallengeSerializer, **REFUSED},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request) -> Response:
        """201 with the challenge."""
        form = validated(NewChallengeSerializer, request)
        opponent, pool = form.pop("opponent"), form.pop("pool_id")
        wish = lobby.ChallengeInput(
            **form, opponent=selectors.other_player(opponent) if opponent else None, pool=_pool(pool)
        )
        acting = self.acting()
        challenge = lobby.make_challenge(**acting, wish=wish)
        (challenge,) = foresee([challenge], acting["player"], acting["now"])
        return Response(ChallengeSerializer(challenge).data, status=status.HTTP_201_CREATED)


def _pool(pk: int | None) -> RatingPool | None:
    """A rating pool by id. Refused: `pool_of_other_club` for an unknown one."""
    if pk is None:
        return None
    pool = RatingPool.objects.filter(pk=pk).first()
    if pool is None:
        raise Refused("pool_of_other_club")
    return pool


@open_to(post=Who.PLAYERS)
class AcceptChallenge(LobbyView):
    @extend_schema(
        operation_id="challenges_accept",
        summary="Accept a challenge; its match begins at once",
        request=AcceptChallengeSerializer,
        examples=[OpenApiExample("As read", value={"not_rated": ""}, request_only=True)],
        responses={200: StartedMatchSerializer, **REFUSED},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        """The match; the same if it is accepted again."""
        as_read = validated(AcceptChallengeSerializer, request)["not_rated"]
        match = lobby.accept(challenge=self.challenge(public_id), not_rated=as_read, **self.acting())
        return Response(started(match, request))


@open_to(post=Who.PLAYERS)
class DeclineChallenge(LobbyView):
    @extend_schema(
        operation_id="challenges_decline",
        summary="Decline a challenge made to me",
        request=None,
        responses={204: None, **REFUSED},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        """204, also if it was declined before."""
        lobby.decline(challenge=self.challenge(public_id), **self.acting())
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(post=Who.PLAYERS)
class WithdrawChallenge(LobbyView):
    @extend_schema(
        operation_id="challenges_withdraw",
        summary="Withdraw my challenge",
        request=None,
        responses={204: None, **REFUSED},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        """Return 204, even if it had already been withdrawn."""
        lobby.withdraw(challenge=self.challenge(public_id), **self.acting())
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(post=Who.PLAYERS)
class Rematch(LobbyView):
    @extend_schema(
        operation_id="matches_rematch",
        summary="Ask for a rematch of a friendly match",
        description="It begins once both players have asked for it.",
        request=AcceptChallengeSerializer,
        examples=[OpenApiExample("As read", value={"not_rated": ""}, request_only=True)],
        responses={200: StartedMatchSerializer, **REFUSED},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, public_id: str) -> Response:
        """The new match, or null while only one player wants it."""
        match = match_for_player(me(request), public_id).match
        as_read = validated(AcceptChallengeSerializer, request)["not_rated"]
        return Response(started(lobby.want_rematch(match=match, not_rated=as_read, **self.acting()), request))


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
class Blocks(LobbyView):
    @extend_schema(
        operation_id="blocks_list",
        summary="List the players I have blocked for friendly matches",
        responses={200: PersonSerializer(many=True), 401: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """The latest first."""
        return Response(PersonSerializer(selectors.blocks_of(player_of(me(request))), many=True).data)

    @extend_schema(
        operation_id="blocks_create",
        summary="Block a player for friendly matches",
        request=BlockedSerializer,
        examples=[OpenApiExample("A player", value={"player": "k3v9w2xq7m"}, request_only=True)],
        responses={204: None, **REFUSED},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request) -> Response:
        """204, also if the player was blocked before."""
        other = selectors.other_player(validated(BlockedSerializer, request)["player"])
        lobby.block(other=other, **self.acting())
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(delete=Who.SIGNED_IN)
class OneBlock(LobbyView):
    @extend_schema(
        operation_id="blocks_delete",
        summary="Allow friendly matches with a player again",
        responses={204: None, 401: PROBLEM, 404: PROBLEM},
    )
    def delete(self, request: Request, public_id: str) -> Response:
        """204, also if the player was not blocked."""
        other = selectors.other_player(public_id)
        if other == self.player():
            raise Http404
        lobby.unblock(player=self.player(), other=other, by=by(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class Friendlies(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="club_friendlies_list",
        summary="List friendlies that should be looked at (directors)",
        description="More than 6 rated ones of the same two players in 30 days, all won by one of them or half of them "
        "conceded or lost on time before the 10th play; or more than 6 that one player won so against several.",
        responses={200: ReviewedGroupSerializer(many=True), 401: PROBLEM, 403: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, slug: str = "") -> Response:
        club = access.club_or_site(request.user, slug)
        return Response(ReviewedGroupSerializer(lobby.friendlies_to_review(club, timezone.now()), many=True).data)

    @extend_schema(
        operation_id="club_friendlies_decide",
        summary="Take a friendly match out of the ratings, or put it back (directors)",
        request=ReviewSerializer,
        examples=[OpenApiExample("Out", value={"match": "k3v9w2xq7m", "rated": False}, request_only=True)],
        responses={204: None, 403: PROBLEM, **REFUSED},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str = "") -> Response:
        """204, also if it was decided before."""
        club = access.club_or_site(request.user, slug)
        form = validated(ReviewSerializer, request)
        match = lobby.match_to_review(club, form["match"])
        lobby.decide_rated(match=match, club=club, rated=form["rated"], by=by(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(get=Who.SITE, post=Who.SITE)
@extend_schema_view(
    get=extend_schema(
        operation_id="friendlies_list",
        summary="List friendlies of players without an accepted club to look at (administrators)",
    ),
    post=extend_schema(
        operation_id="friendlies_decide",
        summary="Take a friendly match of such players out of the ratings, or put it back (administrators)",
    ),
)
class FriendliesOfNoClub(Friendlies):
    """The friendlies of players who belong to no club."""
