"""Access to matches and records: each function fetches an object and authorises the user in one call."""

from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from matches.lifecycle import links
from matches.models import Match, Proposal, Submission
from matches.presentation.visibility import Viewer
from players import access as people
from players.actors import Actor
from players.models import LogEntry, User
from players.people.canonical import canonical

Visitor = User | AnonymousUser


class Seat(NamedTuple):
    """A match as seen by one of its sides, or by the holder of the score sheet's link."""

    match: Match
    side: int | None
    """None for the sheet link."""
    by: Actor
    token: str = ""
    """Token of the link that was used; empty for an account."""


def match_for_player(user: Visitor, public_id: str) -> Seat:
    """Return a match and the side this user plays. Raise Http404 for anyone else."""
    match = _match(public_id)
    if isinstance(user, User) and user.is_active:
        for side, player in enumerate(match.players):
            if canonical(player).user_id == user.pk:
                return Seat(match, side, Actor.of(user))
    raise Http404


def match_for_link(token: str) -> Seat:
    """Return a match and the side of this link's token. Raise Http404 if the signature is invalid."""
    signed = links.read(token)
    if signed is None:
        raise Http404
    public_id, side = signed
    return Seat(_match(public_id), side, Actor(LogEntry.By.LINK, side=side), token)


def match_for_viewer(user: Visitor, public_id: str) -> Match:
    """Return a match that this user may see. Raise Http404 otherwise."""
    match = _match(public_id)
    if not Viewer.of(user).sees(match) and not may_direct(user, match):
        raise Http404
    return match


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


def is_insider(user: Visitor, match: Match) -> bool:
    """Whether this user plays or runs the match, and so sees notes and names that are hidden from others."""
    viewer = Viewer.of(user)
    plays = bool({match.player_0_id, match.player_1_id} & viewer.players)
    return viewer.everything or plays or may_direct(user, match)


def refetch(match: Match) -> Match:
    """Fetch a match again that was already authorised."""
    return _match(match.public_id)


def record_of(seat: Seat, record_id: str) -> Submission:
    """Return a record of the match, for one of its sides. Raise Http404 for a record of another match."""
    submission = seat.match.submissions.filter(public_id=record_id).defer("data").first()
    if submission is None or seat.side is None:
        raise Http404
    return submission


def proposal_of(seat: Seat, proposal_id: str) -> Proposal:
    """Return a proposal of the match, for one of its sides. Raise Http404 for a proposal of another match."""
    proposal = seat.match.proposals.filter(public_id=proposal_id).first()
    if proposal is None or seat.side is None:
        raise Http404
    return proposal


def _match(public_id: str) -> Match:
    match = (
        Match.objects.select_related("club", "pool", "player_0__user", "player_0__merged_into")
        .select_related("player_1__user", "player_1__merged_into")
        .filter(public_id=public_id)
        .first()
    )
    if match is None:
        raise Http404
    return match


def submission(public_id: str) -> Submission:
    """Return a submission without its bytes. Anyone who knows its id may see it; raise Http404 for an unknown id."""
    row = Submission.objects.filter(public_id=public_id).defer("data").first()
    if row is None:
        raise Http404
    return row
