"""The API of the chat of a match."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView, validated
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NOTE_LENGTH
from engine.errors import Refused
from matches.access import LINK, match_and_seat_in_api
from matches.models import ChatMessage
from matches.models.chat import MAX_MESSAGE_LENGTH
from matches.play.chat import services
from matches.play.chat.services import (
    ChatReader,
    Room,
    author_of,
    is_muted,
    may_remove,
    message_for_moderator,
    messages,
    number_of,
    text_of,
    topic_of,
)
from players.accounts.api import by
from players.accounts.serializers import PROBLEM


class ChatMessageSerializer(serializers.Serializer[Any]):
    """A message."""

    public_id = serializers.CharField()
    name = serializers.CharField()
    side = serializers.IntegerField(allow_null=True)
    mine = serializers.BooleanField()
    phrase = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True, help_text="Of a phrase in your language; empty once removed.")
    removed = serializers.BooleanField(help_text="By somebody who runs the match.")
    at = serializers.DateTimeField()


class ChatRoomSerializer(serializers.Serializer[Any]):
    """A room that you may read."""

    room = serializers.ChoiceField(choices=Room.choices)
    topic = serializers.CharField(help_text="Of the event stream; `seq` is its number.")
    seq = serializers.IntegerField()
    may_write = serializers.BooleanField()
    free_text = serializers.BooleanField(help_text="False: only phrases, since the players share no club.")
    muted = serializers.BooleanField()
    may_remove = serializers.BooleanField(help_text="Whether you may remove messages: you run the match.")
    messages = ChatMessageSerializer(many=True, help_text="The latest hundred, oldest first.")


class ChatSerializer(serializers.Serializer[Any]):
    """What is said during a match."""

    rooms = ChatRoomSerializer(many=True)
    phrases = serializers.DictField(child=serializers.CharField())
    ticket = serializers.CharField(allow_blank=True, help_text="With a personal link: `ticket` of the event stream.")


class NewChatMessageSerializer(serializers.Serializer[Any]):
    """A phrase or a text."""

    room = serializers.ChoiceField(choices=Room.choices)
    phrase = serializers.ChoiceField(choices=ChatMessage.Phrase.choices, required=False)
    text = serializers.CharField(required=False, default="", max_length=MAX_MESSAGE_LENGTH)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refused: `chat_phrase_or_text`."""
        # No default of the field, which would have to be one of the phrases in the API description.
        attrs.setdefault("phrase", "")
        if bool(attrs["phrase"]) == bool(attrs["text"]):
            raise Refused("chat_phrase_or_text")
        return attrs


class ChatMuteSerializer(serializers.Serializer[Any]):
    """Whether to hide what the opponent writes."""

    muted = serializers.BooleanField()


class ChatDecisionSerializer(serializers.Serializer[Any]):
    """A decision on a message."""

    removed = serializers.BooleanField(help_text="False: keep it although it was reported, or put it back.")


class ChatReportSerializer(serializers.Serializer[Any]):
    """What is wrong with a message."""

    reason = serializers.CharField(required=False, default="", allow_blank=True, max_length=MAX_NOTE_LENGTH)


def chat_data(reader: ChatReader) -> dict[str, Any]:
    return {
        "rooms": [_room_data(reader, room) for room in Room.values if reader.may_read(room)],
        "ticket": reader.ticket,
        "phrases": {phrase.value: str(phrase.label) for phrase in ChatMessage.Phrase},
    }


def _room_data(reader: ChatReader, room: str) -> dict[str, Any]:
    seq = number_of(reader.match, room)
    return {
        "room": room,
        "topic": topic_of(reader.match, room),
        "seq": seq,
        "may_write": reader.may_write(room),
        "free_text": reader.may_write_freely(room),
        "muted": room == Room.PLAYERS and is_muted(reader.match, reader.side),
        "may_remove": reader.user is not None and may_remove(reader.user, reader.match),
        "messages": [message_data(reader, message) for message in messages(reader, room)],
    }


def message_data(reader: ChatReader, message: ChatMessage) -> dict[str, Any]:
    is_own_user = reader.user is not None and message.user_id == reader.user.pk
    is_removed = message.is_removed
    is_own_side = message.side is not None and message.side == reader.side
    return {
        "public_id": message.public_id,
        "name": author_of(message),
        "side": message.side,
        "mine": is_own_side or (message.side is None and is_own_user),
        "phrase": "" if is_removed else message.phrase,
        "text": "" if is_removed else text_of(message),
        "removed": is_removed,
        "at": message.at,
    }


REFUSED: dict[Any, Any] = {401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM}


class ChatView(APIView):
    """Base of the views of a chat."""

    permission_classes = (AllowAny,)
    throttle_classes = throttle.LIVE_MATCH

    def reader(self, public_id: str, *, writes: bool = False) -> ChatReader:
        """Return who reads. Raise Http404 if they may not see the match, NotAuthenticated for a guest who writes."""
        match, seat = match_and_seat_in_api(self.request, public_id)
        reader = ChatReader.of(match, seat, self.request.user)
        if writes and reader.user is None and reader.side is None:
            raise NotAuthenticated
        return reader


@open_to(get=Who.EVERYBODY, post=Who.SIGNED_IN)
class Chat(ChatView):
    @extend_schema(
        operation_id="live_chat",
        summary="Read the chat of a match",
        description="Players do not see the comments of spectators until the match is over; spectators and guests do "
        "not see the chat of the players.",
        parameters=[LINK],
        responses={200: ChatSerializer, 401: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        return Response(chat_data(self.reader(public_id)))

    @extend_schema(
        operation_id="live_say",
        summary="Write in the chat of a match",
        request=NewChatMessageSerializer,
        examples=[OpenApiExample("A phrase", value={"room": "players", "phrase": "hello"}, request_only=True)],
        parameters=[LINK],
        responses={201: ChatMessageSerializer, **REFUSED},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, public_id: str) -> Response:
        """201 with the message."""
        reader = self.reader(public_id, writes=True)
        form = validated(NewChatMessageSerializer, request)
        message = services.write(reader=reader, now=timezone.now(), **form)
        return Response(message_data(reader, message), status=status.HTTP_201_CREATED)


@open_to(post=Who.SIGNED_IN)
class ChatMuting(ChatView):
    @extend_schema(
        operation_id="live_mute",
        summary="Hide what your opponent writes, or show it again",
        request=ChatMuteSerializer,
        examples=[OpenApiExample("Mute", value={"muted": True}, request_only=True)],
        parameters=[LINK],
        responses={200: ChatSerializer, **REFUSED},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str) -> Response:
        """The chat as you see it now."""
        reader = self.reader(public_id, writes=True)
        services.mute(reader=reader, muted=validated(ChatMuteSerializer, request)["muted"])
        return Response(chat_data(reader))


@open_to(post=Who.PLAYERS)
class ChatReporting(ChatView):
    @extend_schema(
        operation_id="live_report_message",
        summary="Report a message to the directors",
        request=ChatReportSerializer,
        examples=[OpenApiExample("With a reason", value={"reason": "An insult."}, request_only=True)],
        parameters=[LINK],
        responses={204: None, **REFUSED},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str, message: str) -> Response:
        """204; they decide whether it is removed."""
        reader = self.reader(public_id, writes=True)
        row = ChatMessage.objects.filter(match=reader.match, public_id=message).first()
        if row is None or not reader.may_read(row.room):
            raise Http404
        reason = validated(ChatReportSerializer, request)["reason"]
        services.report(reader=reader, message=row, reason=reason, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(post=Who.STAFF)
class ChatDeciding(APIView):
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
    @repeated(Repeat.STATE)
    def post(self, request: Request, public_id: str, message: str) -> Response:
        row = message_for_moderator(request.user, public_id, message)
        removes = validated(ChatDecisionSerializer, request)["removed"]
        services.decide(message=row, removes=removes, by=by(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
