"""The API of play preferences."""

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches.play.preferences.selectors import preferences_json
from matches.play.preferences.serializers import PlayPreferencesSerializer
from matches.play.preferences.services import update_preferences
from players.accounts.api import me, validated
from players.accounts.serializers import PROBLEM, example


class MyPlayPreferences(APIView):
    """How the signed-in user wants to play."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="me_play_preferences_retrieve",
        summary="Show how I want to play",
        responses={200: PlayPreferencesSerializer, 401: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """Return all preferences, the defaults where nothing was chosen."""
        return Response(preferences_json(me(request)))

    @extend_schema(
        operation_id="me_play_preferences_update",
        summary="Change how I want to play",
        request=PlayPreferencesSerializer,
        examples=example(autoroll="no_double", sound=True),
        responses={200: PlayPreferencesSerializer, 401: PROBLEM, 422: PROBLEM},
    )
    def patch(self, request: Request) -> Response:
        """Change the fields that are sent."""
        changes = validated(PlayPreferencesSerializer, request, partial=True)
        update_preferences(user=me(request), changes=changes)
        return Response(preferences_json(me(request)))
