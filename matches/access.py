"""Access to matches and records, on pages and in the API: each function fetches an object and authorises the user."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.core.signing import BadSignature
from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from matches.lifecycle import links
from matches.lifecycle.links import refuse_expired_link
from matches.models import Match, Proposal, Submission
from matches.presentation.visibility import Viewer
from players import access as people
from players.actors import Actor
from players.models import LogEntry, Player, User
from players.people.pairs import persons
from players.people.rows import canonical

# Access to matches and records: each function fetches an object and authorises the user in one call.


Visitor = User | AnonymousUser


class MatchSeat(NamedTuple):
    """A match as seen by one of its sides, or by the holder of the score sheet's link."""

    match: Match
    side: int | None
    """None for the sheet link."""
    by: Actor
    token: str = ""
    """Token of the link that was used; empty for an account."""
    about: Any = None
    """What else an action is about, such as the record that a URL names."""


def side_of(seat: MatchSeat) -> int:
    """The side that acts. Raise Http404 for the sheet link."""
    if seat.side is None:
        raise Http404
    return seat.side


def match_url(seat: MatchSeat) -> str:
    """URL of the match page, with the personal link if the player came by one."""
    return reverse("match-link", args=[seat.token]) if seat.token else reverse("match", args=[seat.match.public_id])


def action_url(seat: MatchSeat, name: str, *args: str) -> str:
    """The URL of an action; `name` is the URL name without its prefix `match-` or `link-`."""
    if seat.token:
        return reverse(f"link-{name}", args=[seat.token, *args])
    return reverse(f"match-{name}", args=[seat.match.public_id, *args])


def match_for_player(user: Visitor, public_id: str, *, only_seat: bool = False) -> MatchSeat:
    """Return a match and the side this user plays. Raise Http404 for anyone else.

    With `only_seat` no more of the match is read than who plays it, for what locks and reads it again anyway.
    """
    match = _seats(public_id) if only_seat else _match(public_id)
    if isinstance(user, User) and user.is_active:
        for side, player in enumerate(match.players):
            if canonical(player).user_id == user.pk:
                return MatchSeat(match, side, Actor.of(user))
            if player.parts is not None:
                for person in persons(player):
                    if person.user_id == user.pk:
                        return MatchSeat(match, side, replace(Actor.of(user), person=person.pk))
    raise Http404


def match_for_link(token: str) -> MatchSeat:
    """Return a match and the side of this link's token. Raise Http404 if it is forged or was revoked.

    Refused: `link_expired`.
    """
    match = _match(links.match_id_of(token))
    try:
        side = links.side_of(token, match)
    except BadSignature:
        raise Http404 from None
    refuse_expired_link(match, timezone.now())
    person = None if side is None else _person_of(match.players[side], token)
    return MatchSeat(match, side, Actor(LogEntry.By.LINK, side=side, person=person), token)


def _person_of(player: Player, token: str) -> int | None:
    """Return who of a pair has this link; None for a side of one. Raise Http404 for the link of a second who is not."""
    second = links.is_second(token)
    if player.parts is None:
        if second:
            raise Http404
        return None
    return persons(player)[second].pk


def match_for_ticket(public_id: str, tickets: Iterable[str]) -> MatchSeat | None:
    """Return the match and the side of the first stream ticket that is valid for it, or None if none is."""
    of_match = [ticket for ticket in tickets if links.match_id_of(ticket) == public_id]
    match = _match(public_id) if of_match else None
    if match is None:
        return None
    for ticket in of_match:
        with suppress(BadSignature):
            side = links.side_of_ticket(ticket, match)
            return MatchSeat(match, side, Actor(LogEntry.By.LINK, side=side))
    return None


def match_for_link_owner(user: Visitor, public_id: str, side: int) -> Match:
    """Return a match whose personal link for this side the user may revoke: its player, or whoever runs the match."""
    with suppress(Http404):
        seat = match_for_player(user, public_id)
        if seat.side == side:
            return seat.match
    return match_for_director(user, public_id)


def match_for_viewer(user: Visitor, public_id: str) -> Match:
    """Return a match that this user may see. Raise Http404 otherwise."""
    match = _match(public_id)
    if not Viewer.of(user).sees(match) and not may_direct(user, match):
        raise Http404
    return match


def match_and_seat(user: Visitor, public_id: str) -> tuple[Match, MatchSeat | None]:
    """Return a match that this user may see, and their seat if they play in it. Raise Http404 otherwise."""
    # Players may see their matches in any case, and most readers of a match that is played are its players.
    with suppress(Http404):
        seat = match_for_player(user, public_id)
        return seat.match, seat
    return match_for_viewer(user, public_id), None


def match_for_director(user: Visitor, public_id: str) -> Match:
    """Return a match that this user runs, as an owner, director or assistant of its club.

    Raise Http404 if they may not see it, PermissionDenied if they may see it only.
    """
    match = match_for_viewer(user, public_id)
    if match.club is None:
        raise Http404
    people.require(user, match.club, people.Role.ASSISTANT)
    return match


def may_direct(user: Visitor, match: Match) -> bool:
    """Whether this user runs the match, as checked by `match_for_director`."""
    return match.club is not None and people.is_at_least(people.role_in(user, match.club), people.Role.ASSISTANT)


def viewer_of(user: Visitor, seat: MatchSeat | None) -> Viewer:
    """Return who reads the match of a seat: its player, or else this user."""
    if seat is None or seat.side is None:
        return Viewer.of(user)
    return Viewer(players=frozenset({(seat.match.player_0_id, seat.match.player_1_id)[seat.side]}))


def may_correct(user: Visitor, match: Match) -> bool:
    """Whether this user may correct the result of the match: directors, once it is settled."""
    if match.state != Match.State.SETTLED or match.club is None:
        return False
    return people.is_at_least(people.role_in(user, match.club), people.Role.DIRECTOR)


def is_insider(user: Visitor, match: Match) -> bool:
    """Whether this user plays or runs the match, and so sees notes and names that are hidden from others."""
    return Viewer.of(user).plays_or_runs(match)


def refetch(match: Match) -> Match:
    """Fetch an authorised match again, but keep its club, pool and players where they are unchanged."""
    again = Match.objects.get(pk=match.pk)
    for relation in ("club", "pool", "player_0", "player_1"):
        if getattr(again, f"{relation}_id") == getattr(match, f"{relation}_id"):
            setattr(again, relation, getattr(match, relation))
    return again


def record_of(seat: MatchSeat, record_id: str) -> Submission:
    """Return a record of the match, for one of its sides. Raise Http404 for a record of another match."""
    submission = seat.match.submissions.filter(public_id=record_id).defer("data").first()
    if submission is None or seat.side is None:
        raise Http404
    return submission


def proposal_of(seat: MatchSeat, proposal_id: str) -> Proposal:
    """Return a proposal of the match, for one of its sides. Raise Http404 for a proposal of another match."""
    proposal = seat.match.proposals.filter(public_id=proposal_id).first()
    if proposal is None or seat.side is None:
        raise Http404
    return proposal


def _seats(public_id: str) -> Match:
    of_players = (f"player_{side}__{name}" for side in (0, 1) for name in ("user", "merged_into", "parts"))
    rows = Match.objects.select_related("player_0", "player_1").only("public_id", *of_players)
    return _first(rows, public_id)


def _match(public_id: str) -> Match:
    return _first(Match.objects.select_related("club", "pool", "player_0__user", "player_1__user"), public_id)


def _first(rows: QuerySet[Match], public_id: str) -> Match:
    try:
        # `get` drops the ordering, which `first` would compile for so many columns on each request.
        return rows.get(public_id=public_id)
    except Match.DoesNotExist:
        raise Http404 from None


def submission(public_id: str) -> Submission:
    """Return a submission without its bytes. Anyone who knows its id may see it; raise Http404 for an unknown id."""
    row = Submission.objects.filter(public_id=public_id).defer("data").first()
    if row is None:
        raise Http404
    return row


# Access to matches in the API, by account or by the token of a link in a header.


LINK = OpenApiParameter(
    "Match-Link",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The token of a personal link, or of the sheet link (for reports only), instead of an account.",
)


def seat_of(request: Request, public_id: str, *, sheet: bool = False, only_seat: bool = False) -> MatchSeat:
    """Return the match and the side that a request acts for; `sheet` allows the sheet link, too.

    With `only_seat` no more of an account's match is read than who plays it.

    Raise Http404 or NotAuthenticated without access.
    """
    if token := request.headers.get("Match-Link"):
        seat = match_for_link(token)
        if seat.match.public_id != public_id or (seat.side is None and not sheet):
            raise Http404
        return seat
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return match_for_player(request.user, public_id, only_seat=only_seat)


def match_and_seat_in_api(request: Request, public_id: str) -> tuple[Match, MatchSeat | None]:
    """Return a match that may be seen, and the reader's side if they play it. Raise Http404 otherwise."""
    if request.headers.get("Match-Link"):
        seat = seat_of(request, public_id, sheet=True)
        return seat.match, seat
    return match_and_seat(request.user, public_id)
