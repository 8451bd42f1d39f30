"""The API of the chat of a match."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import status
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core import throttle
from matches.api_access import LINK, match_and_seat
from matches.models import ChatMessage
from matches.play.chat import services
from matches.play.chat.moderation import message_for_moderator
from matches.play.chat.rooms import ChatReader
from matches.play.chat.serializers import (
    ChatDecisionSerializer,
    ChatMessageSerializer,
    ChatMuteSerializer,
    ChatReportSerializer,
    ChatSerializer,
    NewChatMessageSerializer,
    chat_data,
    message_data,
)
from players.accounts.api import by, validated
from players.accounts.serializers import PROBLEM

REFUSED: dict[Any, Any] = {401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM}


class ChatView(APIView):
    """Base of the views of a chat."""

    permission_classes = (AllowAny,)
    throttle_classes = throttle.LIVE_MATCH

    def reader(self, public_id: str, *, writes: bool = False) -> ChatReader:
        """Return who reads. Raise Http404 if they may not see the match, NotAuthenticated for a guest who writes."""
        match, seat = match_and_seat(self.request, public_id)
        reader = ChatReader.of(match, seat, self.request.user)
        if writes and reader.user is None and reader.side is None:
            raise NotAuthenticated
        return reader


class Chat(ChatView):
    """What is said during a match."""

    @extend_schema(
        operation_id="live_chat",
        summary="Read the chat of a match",
        description="Players do not see the comments of spectators until the match is over; spectators and guests do "
        "not see the chat of the players.",
        parameters=[LINK],
        responses={200: ChatSerializer, 401: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The rooms that you may read."""
        return Response(chat_data(self.reader(public_id)))

    @extend_schema(
        operation_id="live_say",
        summary="Write in the chat of a match",
        request=NewChatMessageSerializer,
        examples=[OpenApiExample("A phrase", value={"room": "players", "phrase": "hello"}, request_only=True)],
        parameters=[LINK],
        responses={201: ChatMessageSerializer, **REFUSED},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """201 with the message."""
        reader = self.reader(public_id, writes=True)
        form = validated(NewChatMessageSerializer, request)
        message = services.write(reader=reader, now=timezone.now(), **form)
        return Response(message_data(reader, message), status=status.HTTP_201_CREATED)


class ChatMuting(ChatView):
    """Whether a player reads what the opponent writes."""

    @extend_schema(
        operation_id="live_mute",
        summary="Hide what your opponent writes, or show it again",
        request=ChatMuteSerializer,
        examples=[OpenApiExample("Mute", value={"muted": True}, request_only=True)],
        parameters=[LINK],
        responses={200: ChatSerializer, **REFUSED},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The chat as you see it now."""
        reader = self.reader(public_id, writes=True)
        services.mute(reader=reader, muted=validated(ChatMuteSerializer, request)["muted"])
        return Response(chat_data(reader))


class ChatReporting(ChatView):
    """Messages that are reported."""

    @extend_schema(
        operation_id="live_report_message",
        summary="Report a message to the directors",
        request=ChatReportSerializer,
        examples=[OpenApiExample("With a reason", value={"reason": "An insult."}, request_only=True)],
        parameters=[LINK],
        responses={204: None, **REFUSED},
    )
    def post(self, request: Request, public_id: str, message: str) -> Response:
        """204; they decide whether it is removed."""
        reader = self.reader(public_id, writes=True)
        row = ChatMessage.objects.filter(match=reader.match, public_id=message).first()
        if row is None or not reader.may_read(row.room):
            raise Http404
        reason = validated(ChatReportSerializer, request)["reason"]
        services.report(reader=reader, message=row, reason=reason, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class ChatDeciding(APIView):
    """Messages that are removed."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="live_decide_message",
        summary="Remove a message, or keep it",
        description="For whoever runs the match, unless they play it themselves, and in a friendly match for the "
        "directors of a club of both players. Nobody reads a removed message any more. The latest decision stands.",
        request=ChatDecisionSerializer,
        examples=[OpenApiExample("Remove", value={"removed": True}, request_only=True)],
        responses={204: None, 403: PROBLEM, **REFUSED},
    )
    def post(self, request: Request, public_id: str, message: str) -> Response:
        """204."""
        row = message_for_moderator(request.user, public_id, message)
        removes = validated(ChatDecisionSerializer, request)["removed"]
        services.decide(message=row, removes=removes, by=by(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
