"""API views of rankings, players, and a club's rating pools and imports."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView, validated_query
from matches.models import PlayerRating, RatingChange
from matches.presentation.visibility import Viewer
from matches.rankings import histories, profiles, tables
from matches.rankings.histories import Explained, HistoryLine
from matches.ratings import rated
from matches.ratings.services import default_pool, provisional_among
from players import access
from players.accounts.serializers import PROBLEM
from players.models import Player

# API views of rankings and players.


MAX_DAYS = 36500
PROVISIONAL = "Whether the rating rests on too little to be ranked; shown with “?” (docs/ratings.md)."


class PlayerSerializer(serializers.Serializer[Any]):
    """A player as shown to everyone."""

    public_id = serializers.CharField()
    name = serializers.CharField(help_text="Only initials if the player prefers that.")


class StandingSerializer(serializers.Serializer[Any]):
    """A player's current rating."""

    rating = serializers.FloatField(help_text="FIBS points.")
    last_change = serializers.FloatField(help_text="Change by the latest rated match.")
    experience = serializers.IntegerField(help_text="Sum of the lengths of the rated matches, in points.")
    matches = serializers.IntegerField()
    wins = serializers.IntegerField()
    last_played_at = serializers.DateTimeField()
    is_provisional = serializers.BooleanField(help_text=PROVISIONAL)


class RankingRowSerializer(StandingSerializer):
    """A row of the ranking."""

    rank = serializers.IntegerField(
        allow_null=True,
        help_text="Equal ratings share the better rank; null for a provisional rating that a search has found.",
    )
    player = PlayerSerializer()


class FoundSerializer(PlayerSerializer):
    """A player in search results."""

    standing = StandingSerializer(allow_null=True, help_text="Null without a rated match.")


class PeakSerializer(serializers.Serializer[Any]):
    """The highest rating so far."""

    rating = serializers.FloatField()
    at = serializers.DateTimeField()


class ClubRatingSerializer(StandingSerializer):
    """A player's rating in a pool of a club."""

    club = serializers.CharField(help_text="Slug.")
    pool = serializers.IntegerField(help_text="Id.")
    name = serializers.CharField()
    deviation = serializers.FloatField(allow_null=True, help_text="Of Glicko-2, today.")
    sentences = serializers.ListField(child=serializers.CharField(), help_text="The formula, and what counts.")


class ProfileSerializer(PlayerSerializer):
    """A player's page."""

    clubs = serializers.ListField(child=serializers.CharField())
    standing = StandingSerializer(allow_null=True, help_text="Null without a rated match.")
    rank = serializers.IntegerField(
        allow_null=True,
        help_text="Among players with a rated match in the last year; null if not ranked, as while provisional.",
    )
    peak = PeakSerializer(allow_null=True)
    form = serializers.ListField(
        child=serializers.BooleanField(), help_text="Whether the player won their latest rated matches, oldest first."
    )
    of_clubs = ClubRatingSerializer(many=True, help_text="The ratings in the pools of clubs.")


class WorkingSerializer(serializers.Serializer[Any]):
    """The numbers of the rating formula: change = ± stake · K · P; by FIBS the stake is 4 · √length."""

    upset_chance = serializers.FloatField(help_text="Chance (0–1) that the lower-rated player wins.")
    upset = serializers.BooleanField()
    winner_p = serializers.FloatField(help_text="P: the upset chance if the favourite won, else 1 minus it.")
    k = serializers.FloatField()
    sqrt_length = serializers.FloatField()
    stake = serializers.FloatField(help_text="Rating points at stake before K.")


class ChangeSerializer(serializers.Serializer[Any]):
    """A rating change by one match."""

    won = serializers.BooleanField()
    length = serializers.IntegerField()
    rating_before = serializers.FloatField()
    rating_after = serializers.FloatField()
    change = serializers.FloatField()
    opponent_before = serializers.FloatField()
    experience_before = serializers.IntegerField()
    working = WorkingSerializer(allow_null=True, help_text="Null by Glicko-2.")
    pool = serializers.CharField(help_text="The name of the rating pool.")
    family = serializers.CharField(help_text="The formula of the pool (docs/ratings.md).")
    deviation = serializers.FloatField(allow_null=True, help_text="Of Glicko-2, at the end of the week.")
    expected = serializers.FloatField(allow_null=True, help_text="The score (0–1) that Glicko-2 expected.")


class DatedChangeSerializer(ChangeSerializer):
    """A rating change with its date."""

    finished_at = serializers.DateTimeField()


class HistoryLineSerializer(serializers.Serializer[Any]):
    """A match in a player's history."""

    public_id = serializers.CharField(allow_null=True, help_text="Null if you may not see the match.")
    finished_at = serializers.DateTimeField()
    length = serializers.IntegerField()
    opponent = PlayerSerializer(allow_null=True, help_text="Null if you may not see the match.")
    won = serializers.BooleanField(allow_null=True, help_text="Null if nobody won or the match is void.")
    score = serializers.ListField(
        child=serializers.IntegerField(),
        min_length=2,
        max_length=2,
        allow_null=True,
        help_text="The player's points first.",
    )
    ending = serializers.CharField(help_text="played, concession, flag, walkover, void (but still rated) …")
    as_told = serializers.BooleanField(help_text="Imported by its club from a list of earlier years.")
    told_event = serializers.CharField(allow_blank=True, help_text="The event that the list names.")
    rating = ChangeSerializer(allow_null=True, help_text="Null if the match is not rated.")


class ChanceSerializer(serializers.Serializer[Any]):
    """The chances (0–1) in a match of one length, by the rating formula."""

    length = serializers.IntegerField()
    first = serializers.FloatField()
    second = serializers.FloatField()


class VersusSerializer(serializers.Serializer[Any]):
    """Two players head to head."""

    players = PlayerSerializer(many=True)
    ratings = serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2)
    is_provisional = serializers.ListField(
        child=serializers.BooleanField(), min_length=2, max_length=2, help_text="Of each of the ratings."
    )
    wins = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    chances = ChanceSerializer(many=True)
    count = serializers.IntegerField()
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    matches = HistoryLineSerializer(many=True, help_text="From the first player's side, newest first.")


class RankingQuery(serializers.Serializer[Any]):
    """Query parameters of the ranking."""

    days = serializers.IntegerField(
        min_value=0,
        max_value=MAX_DAYS,
        default=tables.ACTIVE_DAYS,
        help_text="Only players with a rated match within this number of days; 0 for no limit.",
    )
    least = serializers.IntegerField(
        min_value=1, max_value=10**6, default=1, help_text="Least number of rated matches."
    )
    club = serializers.SlugField(default="", allow_blank=True, max_length=60)
    provisional = serializers.BooleanField(default=False, help_text="Also players whose rating is provisional.")
    q = serializers.CharField(
        default="", allow_blank=True, max_length=80, help_text="Words of a name; also finds provisional ratings."
    )


class WordsQuery(serializers.Serializer[Any]):
    """Query parameters of the search for players."""

    q = serializers.CharField(default="", allow_blank=True, max_length=80, help_text="Words of a name.")


class HistoryQuery(serializers.Serializer[Any]):
    """Query parameters of a player's matches."""

    result = serializers.ChoiceField(histories.RESULTS, default="", allow_blank=True)
    rated = serializers.ChoiceField(histories.RATED, default="", allow_blank=True)
    length = serializers.IntegerField(min_value=0, max_value=100, default=0)
    year = serializers.IntegerField(min_value=0, max_value=histories.YEARS[-1], default=0)
    opponent = serializers.CharField(default="", allow_blank=True, max_length=80, help_text="Words of a name.")


class PageQuery(serializers.Serializer[Any]):
    """Query parameter of a page."""

    page = serializers.IntegerField(min_value=1, max_value=10**6, default=1)


def player_data(player: Player) -> dict[str, Any]:
    return {"public_id": player.public_id, "name": player.shown_name}


def standing_data(standing: PlayerRating | None) -> dict[str, Any] | None:
    return None if standing is None else dict(StandingSerializer(standing).data)


def change_data(explained: Explained) -> dict[str, Any]:
    change, working = explained.change, explained.working
    return {
        "won": change.won,
        "length": change.length,
        "rating_before": change.rating_before,
        "rating_after": change.rating_after,
        "change": change.change,
        "opponent_before": change.opponent_before,
        "experience_before": change.experience_before,
        "pool": change.pool.name,
        "family": change.pool.chosen.family,
        "deviation": change.deviation,
        "expected": change.expected,
        "working": None
        if working is None
        else {
            "upset_chance": working.upset_chance,
            "upset": working.upset,
            "winner_p": working.winner_p,
            "k": working.k,
            "sqrt_length": working.root,
            "stake": working.stake,
        },
    }


def match_data(line: HistoryLine) -> dict[str, Any]:
    return {
        "public_id": None if line.hidden else line.match.public_id,
        "finished_at": line.match.finished_at,
        "length": line.match.length,
        "opponent": player_data(line.opponent) if line.opponent else None,
        "won": line.won,
        "score": line.score,
        "ending": line.result.kind if line.result else "",
        "as_told": line.match.as_told,
        "told_event": "" if line.hidden else line.match.told_event,
        "rating": change_data(line.explained) if line.explained else None,
    }


class _PublicView(APIView, generics.GenericAPIView[Any]):
    """Base of paginated views that anyone may read."""

    permission_classes = (AllowAny,)
    filter_backends = ()

    def page_of(self, rows: Any) -> list[Any]:
        """The rows of the requested page."""
        return list(self.paginate_queryset(rows) or ())


@open_to(get=Who.EVERYBODY)
class RankingList(_PublicView):
    serializer_class = RankingRowSerializer

    @extend_schema(
        operation_id="rankings_list",
        summary="The ranking",
        parameters=[RankingQuery],
        responses={200: RankingRowSerializer(many=True), 422: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """Return a page of the ranking, best first."""
        chosen, now = tables.RankingFilters(**validated_query(RankingQuery, request)), timezone.now()
        filters = tables.opened(chosen, request.user)
        standings = self.page_of(tables.picked(filters, now).select_related("player", "pool"))
        start = tables.index_of(standings[0], tables.table(filters, now)) if standings else 0
        rows = tables.ranked(filters, now, standings, start)
        return self.get_paginated_response(
            [
                {"rank": row.rank, "player": player_data(row.player), **(standing_data(row.standing) or {})}
                for row in rows
            ]
        )


@open_to(get=Who.EVERYBODY)
class PlayerList(_PublicView):
    serializer_class = FoundSerializer

    @extend_schema(
        operation_id="players_list",
        summary="Find players by name",
        description="Players who show only initials are not found.",
        parameters=[WordsQuery],
        responses={200: FoundSerializer(many=True), 422: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        people = self.page_of(tables.called(validated_query(WordsQuery, request)["q"]))
        rows = tables.with_standings(people)
        return self.get_paginated_response(
            [{**player_data(row.player), "standing": standing_data(row.standing)} for row in rows]
        )


@open_to(get=Who.EVERYBODY)
class PlayerDetail(_PublicView):
    serializer_class = ProfileSerializer
    pagination_class = None

    @extend_schema(
        operation_id="players_retrieve", summary="A player's profile", responses={200: ProfileSerializer, 404: PROBLEM}
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return rating, rank, peak and form."""
        profile = profiles.profile(access.player(public_id), timezone.now(), Viewer.of(request.user))
        peak = profile.peak
        return Response(
            {
                **player_data(profile.player),
                "clubs": [membership.club.name for membership in profile.clubs],
                "standing": standing_data(profile.standing),
                "rank": profile.rank,
                "peak": {"rating": peak.rating_after, "at": peak.finished_at} if peak else None,
                "form": profile.form,
                "of_clubs": [
                    {
                        "club": row.pool.club.slug if row.pool.club is not None else "",
                        "pool": row.pool.pk,
                        "name": row.pool.name,
                        "deviation": None if row.spread is None else row.spread / 2,
                        "sentences": row.sentences,
                        **(standing_data(row.standing) or {}),
                    }
                    for row in profile.of_clubs
                ],
            }
        )


@open_to(get=Who.EVERYBODY)
class ChangeList(_PublicView):
    serializer_class = DatedChangeSerializer

    @extend_schema(
        operation_id="players_changes",
        summary="A player's rating changes, with their calculation",
        responses={200: DatedChangeSerializer(many=True), 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return a page of changes, newest first."""
        changes = RatingChange.objects.filter(pool=default_pool(), player=access.player(public_id))
        rows = self.page_of(changes.select_related("pool__club").order_by("-finished_at", "-match_id"))
        return self.get_paginated_response(
            [{"finished_at": row.finished_at, **change_data(Explained.of(row))} for row in rows]
        )


@open_to(get=Who.EVERYBODY)
class PlayerMatchList(_PublicView):
    serializer_class = HistoryLineSerializer

    @extend_schema(
        operation_id="players_matches",
        summary="A player's matches",
        parameters=[HistoryQuery],
        responses={200: HistoryLineSerializer(many=True), 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return a page of matches, newest first."""
        player, viewer, same = access.player(public_id), Viewer.of(request.user), rated.merged_players()
        filters = histories.HistoryFilters(**validated_query(HistoryQuery, request))
        rows = self.page_of(histories.filtered(player, filters, viewer, same).select_related("club"))
        return self.get_paginated_response([match_data(line) for line in histories.lines(player, rows, viewer, same)])


@open_to(get=Who.EVERYBODY)
class HeadToHead(_PublicView):
    serializer_class = VersusSerializer
    pagination_class = None

    @extend_schema(
        operation_id="players_versus",
        summary="Two players head to head",
        parameters=[PageQuery],
        responses={200: VersusSerializer, 404: PROBLEM, 422: PROBLEM},
    )
    def get(self, request: Request, public_id: str, other_id: str) -> Response:
        """Return wins, a page of matches, and the chances by the current ratings."""
        player, other, pool = access.player(public_id), access.player(other_id), default_pool()
        ratings = profiles.rating_of(player, pool), profiles.rating_of(other, pool)
        provisional = provisional_among(pool, [player.pk, other.pk])
        page = validated_query(PageQuery, request)["page"]
        met = histories.versus(player, other, ratings, page, Viewer.of(request.user))
        return Response(
            {
                "players": [player_data(player), player_data(other)],
                "ratings": ratings,
                "is_provisional": [player.pk in provisional, other.pk in provisional],
                "wins": met.wins,
                "chances": [
                    {"length": chance.length, "first": chance.first, "second": chance.second} for chance in met.chances
                ],
                "count": met.page.paginator.count,
                "page": met.page.number,
                "pages": met.page.paginator.num_pages,
                "matches": [match_data(line) for line in met.lines],
            }
        )
