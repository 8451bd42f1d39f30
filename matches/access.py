"""Who may see and do what in this room: one call fetches and authorises."""

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
    """A match as one of its sides has it before him."""

    match: Match
    side: int | None
    """None for the sheet's link, which names no side."""
    by: Actor
    token: str = ""
    """Of the link that was used, if it was one."""


def match_for_player(user: Visitor, public_id: str) -> Seat:
    """A match for one who plays it; 404 for everybody else."""
    match = _match(public_id)
    if isinstance(user, User) and user.is_active:
        for side, player in enumerate(match.players):
            if canonical(player).user_id == user.pk:
                return Seat(match, side, Actor.of(user))
    raise Http404


def match_for_link(token: str) -> Seat:
    """A match for whoever holds one of its links; 404 for what we have not signed."""
    signed = links.read(token)
    if signed is None:
        raise Http404
    public_id, side = signed
    return Seat(_match(public_id), side, Actor(LogEntry.By.LINK, side=side), token)


def match_for_viewer(user: Visitor, public_id: str) -> Match:
    """A match for one who may see it; 404 for everybody else."""
    match = _match(public_id)
    if not Viewer.of(user).sees(match) and not may_direct(user, match):
        raise Http404
    return match


def match_for_director(user: Visitor, public_id: str) -> Match:
    """A match for one who runs it: an owner, director or assistant of its club. 404 where he may not even see it.

    Raises PermissionDenied for those who may only look.
    """
    match = match_for_viewer(user, public_id)
    if match.club is None:
        raise Http404
    people.require(user, match.club, people.Role.ASSISTANT)
    return match


def may_direct(user: Visitor, match: Match) -> bool:
    """Whether he runs the match, as `match_for_director` asks it."""
    return match.club is not None and people.is_at_least(people.role_in(user, match.club), people.Role.ASSISTANT)


def is_insider(user: Visitor, match: Match) -> bool:
    """Whether they play the match or run it: they read notes, and names that are not shown to others."""
    viewer = Viewer.of(user)
    plays = bool({match.player_0_id, match.player_1_id} & viewer.players)
    return viewer.everything or plays or may_direct(user, match)


def match_again(match: Match) -> Match:
    """A match that was already authorised, as it is now."""
    return _match(match.public_id)


def record_of(seat: Seat, record_id: str) -> Submission:
    """A record of the match that a side has before it; 404 for a record of another."""
    found = seat.match.submissions.filter(public_id=record_id).defer("data").first()
    if found is None or seat.side is None:
        raise Http404
    return found


def proposal_of(seat: Seat, proposal_id: str) -> Proposal:
    """Proposed times of the match that a side has before it; 404 for those of another."""
    found = seat.match.proposals.filter(public_id=proposal_id).first()
    if found is None or seat.side is None:
        raise Http404
    return found


def _match(public_id: str) -> Match:
    found = (
        Match.objects.select_related("club", "pool", "player_0__user", "player_0__merged_into")
        .select_related("player_1__user", "player_1__merged_into")
        .filter(public_id=public_id)
        .first()
    )
    if found is None:
        raise Http404
    return found


def submission(public_id: str) -> Submission:
    """A record sent in, without its bytes: whoever has the link may see it. Raises Http404 for any other link."""
    found = Submission.objects.filter(public_id=public_id).defer("data").first()
    if found is None:
        raise Http404
    return found
