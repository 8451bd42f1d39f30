"""Matches as topics of the event stream: `match` as it stands, `watch` for spectators who are behind, and `chat`.

`user` is what concerns one account, and `lobby` what is open to all of them.
"""

from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from core.live import audience
from core.live.publishing import last_touch
from engine.errors import Refused
from matches import access
from matches.access import MatchSeat, Visitor
from matches.lifecycle.spectators import OVER, is_behind_for_spectators, watch_topic
from matches.models import LiveMatch, Match
from matches.play.chat import services as chat
from matches.play.lobby.services import LOBBY_TOPIC
from matches.play.watching import Watched, seen
from players.accounts.tokens import ApiTokenAuthentication
from players.models import User
from players.people.rows import user_topic


def match_number(request: HttpRequest, public_id: str) -> int:
    """Return the `seq` of a match for whoever may see it as it stands; raise Http404 for others."""
    reader = _authorised(request, public_id)
    if not reader.is_insider:
        if is_behind_for_spectators(reader.match):
            raise Http404
        audience.add_to_audience(request, public_id)
    return reader.match.seq


def watch_number(request: HttpRequest, public_id: str) -> int:
    """Return the number of a match as its spectators see it, for whoever may watch it; raise Http404 for others."""
    reader = _authorised(request, public_id)
    match = reader.match
    if not reader.is_insider:
        audience.add_to_audience(request, public_id)
    if match.state == Match.State.SETTLED:
        return OVER + match.seq
    live = LiveMatch.objects.select_related("match").filter(pk=match.pk).first()
    if live is None:
        raise Http404
    return seen(live, now=timezone.now()).last


def chat_number(request: HttpRequest, name: str) -> int:
    """Return when something was said last in a room, by `match/room`, for whoever may read it; raise Http404."""
    public_id, _, room = name.partition("/")
    reader = _authorised(request, public_id)
    chatting = chat.ChatReader.of(reader.match, reader.seat, reader.user)
    if room not in chat.Room.values or not chatting.may_read(room):
        raise Http404
    return chat.number_of(reader.match, room)


def user_number(request: HttpRequest, name: str) -> int:
    """Return when a match or challenge of an account changed last, for its owner alone; raise Http404 for others."""
    user = _user(request)
    if not isinstance(user, User) or name != str(user.pk):
        raise Http404
    return last_touch(user_topic(user))


def lobby_number(request: HttpRequest, name: str) -> int:
    """Return when the open challenges changed last, for whoever is signed in; raise Http404 for others."""
    if not _user(request).is_authenticated or f"lobby:{name}" != LOBBY_TOPIC:
        raise Http404
    return last_touch(LOBBY_TOPIC)


def topic_of(watched: Watched) -> str:
    match = watched.live.match
    return watch_topic(match.public_id) if watched.is_behind else match.topic


class Authorised(NamedTuple):
    """A match, with the seat or the account that lets its reader see it."""

    match: Match
    seat: MatchSeat | None
    """Of a link, a ticket, or a player's account."""
    user: Visitor

    @property
    def is_insider(self) -> bool:
        """Whether the reader plays or runs the match."""
        plays = self.seat is not None and self.seat.side is not None
        return plays or (not self.is_linked and access.is_insider(self.user, self.match))

    @property
    def is_linked(self) -> bool:
        """Whether the reader came by a link, whatever account the browser is signed in with."""
        return self.seat is not None and self.seat.by.user is None


def _authorised(request: HttpRequest, public_id: str) -> Authorised:
    """Return the match for whoever may see it. Raise Http404 for others.

    They have an account, a token, a personal link in `Match-Link`, or a stream ticket in the parameter `ticket`.
    """
    if link := request.headers.get("Match-Link"):
        seat = _linked(link)
        if seat.match.public_id != public_id:
            raise Http404
        return Authorised(seat.match, seat, AnonymousUser())
    if admitted := access.match_for_ticket(public_id, request.GET.getlist("ticket")):
        return Authorised(admitted.match, admitted, AnonymousUser())
    user = _user(request)
    return Authorised(*access.match_and_seat(user, public_id), user)


def _linked(link: str) -> MatchSeat:
    try:
        return access.match_for_link(link)
    except Refused:
        raise Http404 from None


def _user(request: HttpRequest) -> Visitor:
    try:
        signed_in = ApiTokenAuthentication().authenticate(Request(request))
    except AuthenticationFailed:
        raise Http404 from None
    user: Visitor = signed_in[0] if signed_in else request.user
    return user
