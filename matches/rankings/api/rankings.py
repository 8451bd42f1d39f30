"""The API of rankings and players: what their pages show, for programs."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from matches.models import PlayerRating, RatingChange
from matches.presentation.visibility import Viewer
from matches.rankings import histories, profiles
from matches.rankings import tables as rankings
from matches.rankings.histories import Explained, Line
from matches.ratings import rated
from matches.ratings.services.ratings import default_pool
from players import access
from players.accounts.serializers import PROBLEM
from players.models import Player

MOST_DAYS = 36500


class PlayerSerializer(serializers.Serializer[Any]):
    """A player as everybody may see him."""

    public_id = serializers.CharField()
    name = serializers.CharField(help_text="Initials only, where he wants no more to be shown.")


class StandingSerializer(serializers.Serializer[Any]):
    """Where a player stands in the ratings."""

    rating = serializers.FloatField(help_text="FIBS points.")
    last_change = serializers.FloatField(help_text="What his last rated match did.")
    experience = serializers.IntegerField(help_text="Lengths of his rated matches, in points.")
    matches = serializers.IntegerField()
    wins = serializers.IntegerField()
    last_played_at = serializers.DateTimeField()


class RankingRowSerializer(StandingSerializer):
    """One line of the ranking."""

    rank = serializers.IntegerField(help_text="Equal ratings share the better rank.")
    player = PlayerSerializer()


class FoundSerializer(PlayerSerializer):
    """A player whom a search has found."""

    standing = StandingSerializer(allow_null=True, help_text="Null without a rated match.")


class PeakSerializer(serializers.Serializer[Any]):
    """The highest rating so far."""

    rating = serializers.FloatField()
    at = serializers.DateTimeField()


class ProfileSerializer(PlayerSerializer):
    """A player's page."""

    clubs = serializers.ListField(child=serializers.CharField())
    standing = StandingSerializer(allow_null=True, help_text="Null without a rated match.")
    rank = serializers.IntegerField(allow_null=True, help_text="Among those who played within a year.")
    peak = PeakSerializer(allow_null=True)
    form = serializers.ListField(
        child=serializers.BooleanField(), help_text="Whether he won his last matches, oldest first."
    )


class WorkingSerializer(serializers.Serializer[Any]):
    """The formula with its numbers: change = ± 4 · K · √length · P."""

    upset_chance = serializers.FloatField(help_text="The chance that the lower rated side wins.")
    upset = serializers.BooleanField()
    winner_p = serializers.FloatField(help_text="P: the upset chance if the favourite won, else 1 minus it.")
    k = serializers.FloatField()
    sqrt_length = serializers.FloatField()


class ChangeSerializer(serializers.Serializer[Any]):
    """What a rated match did to a rating."""

    won = serializers.BooleanField()
    length = serializers.IntegerField()
    rating_before = serializers.FloatField()
    rating_after = serializers.FloatField()
    change = serializers.FloatField()
    opponent_before = serializers.FloatField()
    experience_before = serializers.IntegerField()
    working = WorkingSerializer()


class DatedChangeSerializer(ChangeSerializer):
    """The same in a player's list of changes."""

    finished_at = serializers.DateTimeField()


class HistoryLineSerializer(serializers.Serializer[Any]):
    """A match as one of its players sees it."""

    public_id = serializers.CharField(allow_null=True, help_text="Null where you may not see the match.")
    finished_at = serializers.DateTimeField()
    length = serializers.IntegerField()
    opponent = PlayerSerializer(allow_null=True, help_text="Null where you may not see the match.")
    won = serializers.BooleanField(allow_null=True, help_text="Null where nobody won, or the match is void.")
    score = serializers.ListField(
        child=serializers.IntegerField(), min_length=2, max_length=2, allow_null=True, help_text="His points first."
    )
    ending = serializers.CharField(help_text="played, concession, flag, walkover, void (but still rated) …")
    rating = ChangeSerializer(allow_null=True, help_text="Null of a match that is not rated.")


class ChanceSerializer(serializers.Serializer[Any]):
    """What the formula expects of a match."""

    length = serializers.IntegerField()
    first = serializers.FloatField()
    second = serializers.FloatField()


class VersusSerializer(serializers.Serializer[Any]):
    """Two players head to head."""

    players = PlayerSerializer(many=True)
    ratings = serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2)
    wins = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    chances = ChanceSerializer(many=True)
    count = serializers.IntegerField()
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    matches = HistoryLineSerializer(many=True, help_text="As the first of the two sees them, the last one first.")


class RankingQuery(serializers.Serializer[Any]):
    """Who is in the table."""

    days = serializers.IntegerField(
        min_value=0, max_value=MOST_DAYS, default=rankings.ACTIVE_DAYS, help_text="Played within so many days; 0: ever."
    )
    least = serializers.IntegerField(min_value=1, max_value=10**6, default=1, help_text="At least so many matches.")
    club = serializers.SlugField(default="", allow_blank=True, max_length=60)
    q = serializers.CharField(default="", allow_blank=True, max_length=80, help_text="Words of a name.")


class WordsQuery(serializers.Serializer[Any]):
    """What is searched for."""

    q = serializers.CharField(default="", allow_blank=True, max_length=80, help_text="Words of a name.")


class HistoryQuery(serializers.Serializer[Any]):
    """Which of his matches."""

    result = serializers.ChoiceField(histories.RESULTS, default="", allow_blank=True)
    rated = serializers.ChoiceField(histories.RATED, default="", allow_blank=True)
    length = serializers.IntegerField(min_value=0, max_value=100, default=0)
    year = serializers.IntegerField(min_value=0, max_value=histories.YEARS[-1], default=0)
    opponent = serializers.CharField(default="", allow_blank=True, max_length=80, help_text="Words of a name.")


class PageQuery(serializers.Serializer[Any]):
    """Which page."""

    page = serializers.IntegerField(min_value=1, max_value=10**6, default=1)


def _query(kind: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    given = kind(data=request.query_params)
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)


def as_player(player: Player) -> dict[str, Any]:
    """A player for programs."""
    return {"public_id": player.public_id, "name": player.shown_name}


def as_standing(standing: PlayerRating | None) -> dict[str, Any] | None:
    """A standing for programs."""
    return None if standing is None else dict(StandingSerializer(standing).data)


def as_change(explained: Explained) -> dict[str, Any]:
    """A change and its working for programs."""
    change, working = explained.change, explained.working
    return {
        "won": change.won,
        "length": change.length,
        "rating_before": change.rating_before,
        "rating_after": change.rating_after,
        "change": change.change,
        "opponent_before": change.opponent_before,
        "experience_before": change.experience_before,
        "working": {
            "upset_chance": working.upset_chance,
            "upset": working.upset,
            "winner_p": working.winner_p,
            "k": working.k,
            "sqrt_length": working.root,
        },
    }


def as_match(line: Line) -> dict[str, Any]:
    """A match for programs."""
    return {
        "public_id": None if line.hidden else line.match.public_id,
        "finished_at": line.match.finished_at,
        "length": line.match.length,
        "opponent": as_player(line.opponent) if line.opponent else None,
        "won": line.won,
        "score": line.score,
        "ending": line.result.kind if line.result else "",
        "rating": as_change(line.explained) if line.explained else None,
    }


class _Listed(generics.GenericAPIView[Any]):
    """Something in pages, for everybody."""

    permission_classes = (AllowAny,)
    filter_backends = ()

    def page_of(self, rows: Any) -> list[Any]:
        """The rows of the page that was asked for."""
        return list(self.paginate_queryset(rows) or ())

    @property
    def start(self) -> int:
        """How many rows come before that page."""
        page: Any = getattr(self.paginator, "page", None)
        return max(0, page.start_index() - 1) if page is not None else 0


class Rankings(_Listed):
    """The ranking table."""

    serializer_class = RankingRowSerializer

    @extend_schema(
        operation_id="rankings_list",
        summary="The ranking",
        parameters=[RankingQuery],
        responses={200: RankingRowSerializer(many=True), 422: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """The page that was asked for, best first."""
        filters, now = rankings.Filters(**_query(RankingQuery, request)), timezone.now()
        standings = self.page_of(rankings.picked(filters, now).select_related("player"))
        rows = rankings.ranked(filters, now, standings, self.start)
        return self.get_paginated_response(
            [{"rank": row.rank, "player": as_player(row.player), **(as_standing(row.standing) or {})} for row in rows]
        )


class Players(_Listed):
    """Everybody who plays."""

    serializer_class = FoundSerializer

    @extend_schema(
        operation_id="players_list",
        summary="Find players by name",
        description="Whoever shows only initials is not found.",
        parameters=[WordsQuery],
        responses={200: FoundSerializer(many=True), 422: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """The page that was asked for, by name."""
        people = self.page_of(rankings.called(_query(WordsQuery, request)["q"]))
        found = rankings.with_standings(people)
        return self.get_paginated_response(
            [{**as_player(one.player), "standing": as_standing(one.standing)} for one in found]
        )


class OnePlayer(_Listed):
    """One player."""

    serializer_class = ProfileSerializer
    pagination_class = None

    @extend_schema(
        operation_id="players_retrieve", summary="A player's profile", responses={200: ProfileSerializer, 404: PROBLEM}
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Rating, rank, peak and form."""
        shown = profiles.profile(access.player(public_id), timezone.now(), Viewer.of(request.user))
        peak = shown.peak
        return Response(
            {
                **as_player(shown.player),
                "clubs": [membership.club.name for membership in shown.clubs],
                "standing": as_standing(shown.standing),
                "rank": shown.rank,
                "peak": {"rating": peak.rating_after, "at": peak.finished_at} if peak else None,
                "form": shown.form,
            }
        )


class Changes(_Listed):
    """What each rated match did to a player."""

    serializer_class = DatedChangeSerializer

    @extend_schema(
        operation_id="players_changes",
        summary="Every change of a player's rating, explained",
        responses={200: DatedChangeSerializer(many=True), 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The page that was asked for, the last change first."""
        changes = RatingChange.objects.filter(pool=default_pool(), player=access.player(public_id))
        rows = self.page_of(changes.select_related("pool").order_by("-finished_at", "-match"))
        return self.get_paginated_response(
            [{"finished_at": row.finished_at, **as_change(Explained.of(row))} for row in rows]
        )


class PlayerMatches(_Listed):
    """A player's matches."""

    serializer_class = HistoryLineSerializer

    @extend_schema(
        operation_id="players_matches",
        summary="A player's matches",
        parameters=[HistoryQuery],
        responses={200: HistoryLineSerializer(many=True), 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The page that was asked for, the last match first."""
        player, viewer, same = access.player(public_id), Viewer.of(request.user), rated.merged_players()
        filters = histories.Filters(**_query(HistoryQuery, request))
        rows = self.page_of(histories.filtered(player, filters, viewer, same).select_related("club"))
        return self.get_paginated_response([as_match(line) for line in histories.lines(player, rows, viewer, same)])


class HeadToHead(_Listed):
    """Two players head to head."""

    serializer_class = VersusSerializer
    pagination_class = None

    @extend_schema(
        operation_id="players_versus",
        summary="Two players head to head",
        parameters=[PageQuery],
        responses={200: VersusSerializer, 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, public_id: str, other_id: str) -> Response:
        """Who has won how often, match by match, and what the ratings expect."""
        one, other, pool = access.player(public_id), access.player(other_id), default_pool()
        ratings = profiles.rating_of(one, pool), profiles.rating_of(other, pool)
        page = _query(PageQuery, request)["page"]
        met = histories.versus(one, other, ratings, page, Viewer.of(request.user))
        return Response(
            {
                "players": [as_player(one), as_player(other)],
                "ratings": ratings,
                "wins": met.wins,
                "chances": [_as_mapping(chance) for chance in met.chances],
                "count": met.pages.count,
                "page": met.pages.number,
                "pages": met.pages.last,
                "matches": [as_match(line) for line in met.lines],
            }
        )


def _as_mapping(chance: histories.Chance) -> Mapping[str, float]:
    return {"length": chance.length, "first": chance.first, "second": chance.second}
