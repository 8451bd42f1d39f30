"""Signing up in the API."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core import throttle
from core.text_lengths import LONGEST_NAME
from players.accounts import api_tokens
from players.accounts import serializers as shapes
from players.accounts.api import validated
from players.accounts.services import ensure_player, register_user
from players.actors import Actor

DAYS = 365
"""How long the token of a new account is valid."""


class NewAccountSerializer(serializers.Serializer[Any]):
    """A new account."""

    email = serializers.EmailField()
    password = serializers.CharField(trim_whitespace=False, max_length=128, style={"input_type": "password"})
    display_name = serializers.CharField(max_length=LONGEST_NAME, help_text="Shown in draws and standings.")
    language = serializers.CharField(max_length=10, default="", allow_blank=True)
    time_zone = shapes.ZoneField(default="", allow_blank=True)


class SignedUpSerializer(serializers.Serializer[Any]):
    """The player of a new account, and a token to act for it, which is shown once."""

    player = serializers.CharField()
    token = serializers.CharField()


class Accounts(APIView):
    """Accounts."""

    permission_classes = (AllowAny,)
    # The request carries a password, so cookies must not count.
    authentication_classes = ()

    @extend_schema(
        operation_id="accounts_create",
        summary="Sign up",
        description="Creates an account with a player, and a token with all scopes that is valid for a year.",
        request=NewAccountSerializer,
        examples=shapes.example(email="erin@example.org", password="crawford-1969", display_name="Erin Åkesson"),  # noqa: S106 - opens nothing
        responses={201: SignedUpSerializer, 422: shapes.PROBLEM, 429: shapes.PROBLEM},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """Return the player and a token."""
        throttle.count(throttle.SIGN_UP_FROM, throttle.client_network(request))
        fields, now = validated(NewAccountSerializer, request), timezone.now()
        with transaction.atomic():
            user = register_user(**fields, now=now)
            by = Actor.of(user)
            player = ensure_player(user=user, by=by)
            created = api_tokens.create_token(
                user=user, name="API client", scopes=api_tokens.SCOPES, days=DAYS, by=by, now=now
            )
        signed_up = SignedUpSerializer({"player": player.public_id, "token": created.key})
        return Response(signed_up.data, status=status.HTTP_201_CREATED)
