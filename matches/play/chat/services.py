"""The chat of a match: who may read and write, writing, muting, reporting and moderating."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404

from core import throttle
from core.live.publishing import last_touch, touch_on_commit
from core.locks import lock_row
from engine.errors import Refused
from matches import access
from matches.access import MatchSeat, Visitor, is_insider
from matches.lifecycle import links
from matches.lifecycle.locks import changed, lock_match, matches_topic
from matches.lifecycle.own_match import side_of
from matches.lifecycle.provisional import note_told
from matches.models import ChatDecision, ChatMessage, ChatMute, ChatReport, LiveMatch, Match
from players.access import Role, is_at_least, role_in
from players.actors import Actor, log
from players.models import Club, LogEntry, Membership, Player, User
from players.people.rows import of_account

# Who may read and write in the rooms of a match, and what stands there.


Room = ChatMessage.Room
MAX_MESSAGES = 100
"""The latest of a room that are shown."""


class ChatReader(NamedTuple):
    """Somebody who may see a match: one of its players, somebody who runs it, or a spectator."""

    match: Match
    side: int | None
    user: User | None
    is_insider: bool
    ticket: str = ""
    """For the event stream, where the reader came by a link."""

    @classmethod
    def of(cls, match: Match, seat: MatchSeat | None, visitor: Visitor) -> "ChatReader":
        """The holder of a seat, or a visitor without one."""
        side = seat.side if seat is not None else None
        is_linked = seat is not None and seat.by.user is None
        user = visitor if isinstance(visitor, User) and not is_linked else None
        ticket = links.stream_ticket(match, side) if is_linked else ""
        return cls(match, side, user, side is not None or (user is not None and is_insider(user, match)), ticket)

    @property
    def by(self) -> Actor:
        return Actor.of(self.user) if self.user is not None else Actor(LogEntry.By.LINK, side=self.side)

    @property
    def is_playing(self) -> bool:
        """Whether the reader is a player of a match that is not over."""
        return self.side is not None and self.match.state != Match.State.SETTLED

    def may_read(self, room: str) -> bool:
        """Players read the comments of spectators once the match is over; nobody but directors reads their chat."""
        return self.is_insider if room == Room.PLAYERS else not self.is_playing

    def may_write(self, room: str) -> bool:
        """Players write to each other, spectators with an account to each other."""
        if not LiveMatch.objects.filter(pk=self.match.pk).exists():
            return False
        if room == Room.PLAYERS:
            return self.side is not None
        return self.user is not None and self.side is None and not self.is_insider

    def may_write_freely(self, room: str) -> bool:
        """Whether a text may be written rather than a phrase: players who share no club are strangers."""
        return room == Room.SPECTATORS or share_club(self.match)


def topic_of(match: Match, room: str) -> str:
    return f"chat:{match.public_id}/{room}"


def number_of(match: Match, room: str) -> int:
    """When something was written in a room last."""
    return last_touch(topic_of(match, room))


def share_club(match: Match) -> bool:
    """Whether both players are members of one club."""
    first, second = (
        set(Membership.objects.filter(player=player, left_at__isnull=True).values_list("club", flat=True))
        for player in match.players
    )
    return bool(first & second)


def is_muted(match: Match, side: int | None) -> bool:
    """Whether this side does not want to read what the opponent writes."""
    return side is not None and ChatMute.objects.filter(match=match, side=side).exists()


def messages(reader: ChatReader, room: str) -> list[ChatMessage]:
    """The latest messages of a room, oldest first, without those that the reader has muted."""
    rows = ChatMessage.objects.filter(match=reader.match, room=room)
    rows = rows.select_related("match__player_0", "match__player_1", "user__player").prefetch_related("decisions")
    if room == Room.PLAYERS and is_muted(reader.match, reader.side):
        rows = rows.filter(side=reader.side)
    return list(rows.order_by("-pk")[:MAX_MESSAGES])[::-1]


def author_of(message: ChatMessage) -> str:
    """The name of whoever wrote a message, as everybody may read it."""
    if message.side is not None:
        return message.match.names[message.side]
    player = getattr(message.user, "player", None)
    if player is not None:
        return str(player.shown_name)
    return message.user.display_name if message.user is not None else ""


def text_of(message: ChatMessage) -> str:
    """What was written; a phrase in the language of the reader."""
    return message.text or str(ChatMessage.Phrase(message.phrase).label)


# Write, mute and report in the chat of a match.


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


# Which chat messages somebody may remove, and which of them were reported and wait for a decision.


LATEST_DECISIONS = 20
"""Decisions that are listed, so that they can be undone."""


class ReportedMessage(NamedTuple):
    message: ChatMessage
    author: str
    names: list[str]
    """Of the two players."""
    reasons: list[str]

    @property
    def text(self) -> str:
        return text_of(self.message)


def message_for_moderator(user: Visitor, public_id: str, message: str) -> ChatMessage:
    """Return a message of a match for somebody who may remove it: staff, in a friendly of a club of both players.

    Raise Http404 if they may not read it either, PermissionDenied or Http404 if they may not remove it.
    """
    row = (
        ChatMessage.objects.select_related("match__club").filter(match__public_id=public_id, public_id=message).first()
    )
    if row is None:
        raise Http404
    if row.match.club_id is not None:
        access.match_for_director(user, public_id)
    elif not any(is_at_least(role_in(user, club), Role.DIRECTOR) for club in _clubs_of_both(row.match)):
        raise Http404
    return row


def may_remove(user: Visitor, match: Match) -> bool:
    """Whether this user runs the match and does not play it."""
    return isinstance(user, User) and access.may_direct(user, match) and side_of(match, Actor.of(user)) is None


def undecided(user: User, matches: Q) -> list[ReportedMessage]:
    """Return the reported messages of these matches (a condition on messages) that nobody has decided on.

    Messages of the user's own matches are left out; players do not see what spectators write.
    """
    decided = ChatDecision.objects.filter(message=OuterRef("pk"))
    reported = ChatReport.objects.filter(message=OuterRef("pk"))
    rows = ChatMessage.objects.filter(matches, Exists(reported), ~Exists(decided)).exclude(_own(user))
    return [_reported(row) for row in _complete(rows).order_by("pk")]


def undecided_in_club(user: User, club: Club) -> list[ReportedMessage]:
    """Return the undecided messages in a club's matches, and in friendlies between its members."""
    return undecided(user, _of_club(club))


def latest_decisions(user: User, club: Club) -> list[ChatDecision]:
    """Return the standing decisions on messages of a club, newest first, except in the user's own matches."""
    later = ChatDecision.objects.filter(message=OuterRef("message"), pk__gt=OuterRef("pk"))
    messages = ChatMessage.objects.filter(_of_club(club)).exclude(_own(user))
    rows = ChatDecision.objects.filter(~Exists(later), message__in=messages)
    related = ("user", "message__match__player_0", "message__match__player_1", "message__user__player")
    return list(rows.select_related(*related).order_by("-pk")[:LATEST_DECISIONS])


def _of_club(club: Club) -> Q:
    members = Membership.objects.filter(club=club, left_at__isnull=True).values("player")
    friendly = Q(match__club=None, match__player_0__in=members, match__player_1__in=members)
    return Q(match__club=club) | friendly


def _own(user: User) -> Q:
    own = Player.objects.filter(of_account(user)).values("pk")
    return Q(match__player_0__in=own) | Q(match__player_1__in=own)


def _clubs_of_both(match: Match) -> Iterable[Club]:
    of_both = Club.objects.all()
    for player in match.players:
        memberships = Membership.objects.filter(club=OuterRef("pk"), player=player, left_at__isnull=True)
        of_both = of_both.filter(Exists(memberships))
    return of_both


def _complete(rows: QuerySet[ChatMessage]) -> QuerySet[ChatMessage]:
    related = ("match__player_0", "match__player_1", "user__player")
    return rows.select_related(*related).prefetch_related("reports")


def _reported(row: ChatMessage) -> ReportedMessage:
    reasons = [report.reason for report in row.reports.all() if report.reason]
    return ReportedMessage(row, author_of(row), list(row.match.names), reasons)
