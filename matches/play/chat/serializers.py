"""What the API of chats takes and returns."""

from typing import Any

from rest_framework import serializers

from core.text_lengths import LONGEST_NOTE
from engine.errors import Refused
from matches.models import ChatMessage
from matches.models.chat import LONGEST_MESSAGE
from matches.play.chat.moderation import may_remove
from matches.play.chat.rooms import ChatReader, Room, author_of, is_muted, messages, number_of, text_of, topic_of


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
    text = serializers.CharField(required=False, default="", max_length=LONGEST_MESSAGE)

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

    reason = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_NOTE)


def chat_data(reader: ChatReader) -> dict[str, Any]:
    """Data of ChatSerializer."""
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
    """Data of ChatMessageSerializer."""
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
