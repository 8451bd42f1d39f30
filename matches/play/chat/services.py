"""Write, mute and report in the chat of a match."""

from datetime import datetime

from django.db import transaction

from core import throttle
from core.live.publishing import touch_on_commit
from engine.errors import Refused
from matches.models import ChatMessage, ChatMute, ChatReport
from matches.play.chat.rooms import Reader, topic_of
from players.actors import log


def write(*, reader: Reader, room: str, phrase: str, text: str, now: datetime) -> ChatMessage:
    """Add a message. Refused: `chat_not_yours`, `chat_phrases_only`, `too_many_attempts`."""
    if not reader.may_write(room):
        raise Refused("chat_not_yours")
    if text and not reader.may_write_freely(room):
        raise Refused("chat_phrases_only")
    throttle.count(throttle.LIVE_CHAT_OF, f"{reader.match.public_id}:{reader.side}:{reader.user and reader.user.pk}")
    with transaction.atomic():
        message = ChatMessage.objects.create(
            match=reader.match, room=room, side=reader.side, user=reader.user, phrase=phrase, text=text, at=now
        )
        touch_on_commit(topic_of(reader.match, room))
    return message


def mute(*, reader: Reader, muted: bool) -> None:
    """Hide what the opponent writes, or show it again. Refused: `chat_not_yours` for spectators."""
    if reader.side is None:
        raise Refused("chat_not_yours")
    if muted:
        ChatMute.objects.get_or_create(match=reader.match, side=reader.side)
    else:
        ChatMute.objects.filter(match=reader.match, side=reader.side).delete()


def report(*, reader: Reader, message: ChatMessage, reason: str, now: datetime) -> None:
    """Report a message to the directors, who find it in the log of the event. Once for each reader."""
    with transaction.atomic():
        known = ChatReport.objects.filter(message=message, side=reader.side, user=reader.user)
        if known.exists():
            return
        ChatReport.objects.create(message=message, side=reader.side, user=reader.user, reason=reason, at=now)
        # Without the text, which is deleted with its author.
        params = {"message": message.public_id, "reason": reason}
        log(reader.by, "chat_reported", reader.match.topic, club=reader.match.club, **params)
