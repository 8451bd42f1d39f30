"""Who may read and write in the rooms of a match, and what stands there."""

from typing import NamedTuple

from core.live.publishing import last_touch
from matches.access import MatchSeat, Visitor, is_insider
from matches.lifecycle import links
from matches.models import ChatMessage, ChatMute, LiveMatch, Match
from players.actors import Actor
from players.models import LogEntry, Membership, User

Room = ChatMessage.Room
MOST_MESSAGES = 100
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
        """Who this is in the log."""
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
    """The topic of a room in the event stream."""
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
    return list(rows.order_by("-pk")[:MOST_MESSAGES])[::-1]


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
