"""Which chat messages somebody may remove, and which of them were reported and wait for a decision."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404

from matches import access
from matches.access import Visitor
from matches.lifecycle.own_match import side_of
from matches.models import ChatDecision, ChatMessage, ChatReport, Match
from matches.play.chat.rooms import author_of, text_of
from players.access import Role, is_at_least, role_in
from players.actors import Actor
from players.models import Club, Membership, Player, User

LATEST_DECISIONS = 20
"""Decisions that are listed, so that they can be undone."""


class ReportedMessage(NamedTuple):
    """A reported message for whoever decides on it."""

    message: ChatMessage
    author: str
    names: list[str]
    """Of the two players."""
    reasons: list[str]

    @property
    def text(self) -> str:
        """What was written."""
        return text_of(self.message)


def message_for_moderator(user: Visitor, public_id: str, message: str) -> ChatMessage:
    """Return a message of a match for somebody who may remove it: its staff, or for a friendly match that of a club.

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
    """Return those of a club's matches, and of friendly matches between its members."""
    return undecided(user, _of_club(club))


def latest_decisions(user: User, club: Club) -> list[ChatDecision]:
    """Return the decisions that stand on messages of a club, newest first, without those of the user's own matches."""
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
    own = Player.objects.filter(Q(user=user) | Q(merged_into__user=user)).values("pk")
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
