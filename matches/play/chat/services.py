"""Write, mute and report in the chat of a match."""

from datetime import datetime

from django.db import transaction

from core import throttle
from core.live.publishing import touch_on_commit
from core.locks import lock_row
from engine.errors import Refused
from matches.lifecycle.locks import changed, lock_match, matches_topic
from matches.lifecycle.own_match import side_of
from matches.lifecycle.provisional import note_told
from matches.models import ChatDecision, ChatMessage, ChatMute, ChatReport, Match
from matches.play.chat.rooms import ChatReader, topic_of
from players.actors import Actor, log


def write(*, reader: ChatReader, room: str, phrase: str, text: str, now: datetime) -> ChatMessage:
    """Add a message; whoever writes knows of a provisional result of the match.

    Refused: `chat_not_yours`, `chat_phrases_only`, `too_many_attempts`.
    """
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
        if reader.side is not None and reader.match.provisional:
            locked = lock_match(reader.match.pk)
            if note_told(locked, reader.side, now):
                changed(locked)
    return message


def mute(*, reader: ChatReader, muted: bool) -> None:
    """Hide what the opponent writes, or show it again. Refused: `chat_not_yours` for spectators."""
    if reader.side is None:
        raise Refused("chat_not_yours")
    if muted:
        ChatMute.objects.get_or_create(match=reader.match, side=reader.side)
    else:
        ChatMute.objects.filter(match=reader.match, side=reader.side).delete()


def report(*, reader: ChatReader, message: ChatMessage, reason: str, now: datetime) -> None:
    """Report a message to whoever runs the match, to decide whether it is removed. Once for each reader."""
    with transaction.atomic():
        known = ChatReport.objects.filter(message=message, side=reader.side, user=reader.user)
        if known.exists():
            return
        ChatReport.objects.create(message=message, side=reader.side, user=reader.user, reason=reason, at=now)
        # Without the text, which is deleted with its author.
        params = {"message": message.public_id, "reason": reason}
        log(reader.by, "chat_reported", reader.match.topic, club=reader.match.club, **params)
        _announce_needs(reader.match)


def decide(*, message: ChatMessage, removes: bool, by: Actor, now: datetime) -> None:
    """Remove a message for everybody, keep one that was reported, or put one back. The latest decision stands.

    Refused: `own_match` where `by` plays it.
    """
    match = message.match
    if side_of(match, by) is not None:
        raise Refused("own_match")
    with transaction.atomic():
        message = lock_row(ChatMessage, message.pk)
        latest = message.decisions.order_by("-pk").first()
        if latest is not None and latest.removes == removes:
            return
        ChatDecision.objects.create(message=message, removes=removes, user=by.user, at=now)
        verb = "chat_removed" if removes else "chat_restored" if latest is not None else "chat_kept"
        log(by, verb, match.topic, club=match.club, message=message.public_id)
        touch_on_commit(topic_of(match, message.room))
        _announce_needs(match)


def _announce_needs(match: Match) -> None:
    """Have the consoles of its event list the reported messages again."""
    if match.parent_topic:
        touch_on_commit(matches_topic(match.parent_topic))
