"""Accounts in the API: signing up, the current account, its tokens, and accepting an invitation."""

from typing import Any, cast

from django.contrib.auth import authenticate
from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers, status
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView, validated
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NAME_LENGTH
from players.access import has_second_factor
from players.accounts import serializers as shapes
from players.accounts import services as account_services
from players.accounts import tokens as api_tokens
from players.accounts.backend import check_second_factor
from players.accounts.services import ensure_player, register_user
from players.actors import Actor
from players.models import ApiToken, User
from players.people import services as people_services

# The current account, its tokens, and accepting an invitation.


def me(request: Request) -> User:
    """Return the signed-in user; the view's permission class guarantees that there is one."""
    return cast(User, request.user)


def by(request: Request) -> Actor:
    return Actor.of(me(request))


@open_to(get=Who.SIGNED_IN, patch=Who.SIGNED_IN)
class Me(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="me_retrieve",
        summary="Show my account and preferences",
        responses={200: shapes.MeSerializer, 401: shapes.PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """Return the account and its player."""
        account_services.ensure_player(user=me(request), by=by(request))
        return Response(shapes.MeSerializer(me(request)).data)

    @extend_schema(
        operation_id="me_update",
        summary="Change my preferences",
        request=shapes.PreferencesSerializer,
        examples=shapes.example(time_zone="Europe/Copenhagen", theme="dark"),
        responses={200: shapes.MeSerializer, 401: shapes.PROBLEM, 422: shapes.PROBLEM},
    )
    @repeated(Repeat.STATE)
    def patch(self, request: Request) -> Response:
        """Change the fields that are sent."""
        preferences = validated(shapes.PreferencesSerializer, request)
        user = account_services.update_preferences(user=me(request), by=by(request), **preferences)
        return Response(shapes.MeSerializer(User.objects.select_related("player").get(pk=user.pk)).data)


@open_to(post=Who.EVERYBODY)
class Tokens(APIView):
    permission_classes = (AllowAny,)
    # The request carries a password, so cookies must not count.
    authentication_classes = ()

    @extend_schema(
        operation_id="tokens_create",
        summary="Create a token",
        description=(
            "Each call creates another token; an account has up to 20. The scopes are `read`, `play`, `direct` and "
            "`club`: what the token may do, within what its user may do. The token is shown once."
        ),
        request=shapes.CredentialsSerializer,
        examples=shapes.example(email="bob@example.org", password="crawford-1969", name="Scoreboard", scopes=["read"]),  # noqa: S106 - opens nothing
        responses={200: shapes.TokenSerializer, 401: shapes.PROBLEM, 422: shapes.PROBLEM, 429: shapes.PROBLEM},
        auth=[],
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request) -> Response:
        fields = validated(shapes.CredentialsSerializer, request)
        typed = {"username": fields["email"], "password": fields["password"]}
        # Backends and the limit of failed attempts get the request as from the page of the sign-in.
        user = authenticate(request._request, **typed)  # noqa: SLF001
        if not isinstance(user, User):
            raise exceptions.AuthenticationFailed(code="wrong_credentials")
        if has_second_factor(user):
            check_second_factor(request, user, fields["one_time_code"])
        token, key = api_tokens.create_token(
            user=user,
            name=fields["name"],
            scopes=fields["scopes"],
            days=fields["days"],
            by=Actor.of(user),
            now=timezone.now(),
        )
        return Response(shapes.ApiTokenSerializer(token).data | {"token": key})

    def get_authenticate_header(self, request: Request) -> str:
        """Return a scheme, without which DRF answers a wrong password with 403."""
        return "Token"


@open_to(delete=Who.SIGNED_IN)
class CurrentToken(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="tokens_revoke",
        summary="Revoke the token of this request",
        request=None,
        responses={204: None, 401: shapes.PROBLEM},
    )
    def delete(self, request: Request) -> Response:
        """Delete the token; harmless for a session, which has none."""
        if isinstance(request.auth, ApiToken):
            api_tokens.revoke_token(user=me(request), token_id=request.auth.pk, by=by(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(get=Who.SIGNED_IN)
class MyTokens(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="me_tokens_list",
        summary="List my tokens",
        responses={200: shapes.ApiTokenSerializer(many=True), 401: shapes.PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """Return the tokens that have not expired, without their keys."""
        tokens = api_tokens.live_tokens(me(request), timezone.now())
        return Response(shapes.ApiTokenSerializer(tokens, many=True).data)


@open_to(delete=Who.SIGNED_IN)
class OneToken(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="me_tokens_revoke",
        summary="Revoke one of my tokens",
        request=None,
        responses={204: None, 401: shapes.PROBLEM},
    )
    def delete(self, request: Request, token_id: str) -> Response:
        """Delete it; harmless if there is none."""
        api_tokens.revoke_token(user=me(request), token_id=int(token_id), by=by(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(post=Who.SIGNED_IN)
class AcceptInvitation(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="invitations_accept",
        summary="Accept an invitation",
        request=shapes.SecretSerializer,
        examples=shapes.example(secret="Jq3mZ0c8vR1tYw5uXk9pLa"),  # noqa: S106 - opens nothing
        responses={200: shapes.PersonSerializer, 410: shapes.PROBLEM, **shapes.PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request) -> Response:
        """Return the player of the account after the invitation was accepted."""
        secret = validated(shapes.SecretSerializer, request)["secret"]
        player = people_services.accept_invitation(secret=secret, user=me(request), by=by(request), now=timezone.now())
        return Response(shapes.PersonSerializer(player).data)


# Signing up in the API.


DAYS = 365
"""How long the token of a new account is valid."""


class NewAccountSerializer(serializers.Serializer[Any]):
    """A new account."""

    email = serializers.EmailField()
    password = serializers.CharField(trim_whitespace=False, max_length=128, style={"input_type": "password"})
    display_name = serializers.CharField(max_length=MAX_NAME_LENGTH, help_text="Shown in draws and standings.")
    language = serializers.CharField(max_length=10, default="", allow_blank=True)
    time_zone = shapes.ZoneField(default="", allow_blank=True)


class SignedUpSerializer(serializers.Serializer[Any]):
    """The player of a new account, and a token to act for it, which is shown once."""

    player = serializers.CharField()
    token = serializers.CharField()


@open_to(post=Who.EVERYBODY)
class Accounts(APIView):
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
    @repeated(Repeat.KEY)
    def post(self, request: Request) -> Response:
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
