"""Rated friendlies of a club's members that its officers look at, and their decision that a match does not count."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.formats import date_format
from django.utils.timezone import localtime

from engine.actions import Act
from engine.errors import Refused
from matches.lifecycle.locks import changed, lock_match
from matches.models import Action, Challenge, Match, Result, Unrating
from matches.ratings.services import ratings
from players.actors import Actor, log
from players.models import Club, Membership, Player
from players.people.rows import canonical

WITHIN = timedelta(days=30)
USUAL = 6
"""So many rated friendlies of the same two players in that time are nothing to look at."""
EARLY = 10
"""A match that was conceded or lost on time before its 10th play ended early."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A friendly match of two players who are listed."""

    match: Match
    winner: Player | None
    ended_early: bool
    is_rated: bool

    @property
    def finished(self) -> str:
        """When it ended, for the page."""
        return date_format(localtime(self.match.finished_at), "SHORT_DATETIME_FORMAT")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two players with more rated friendlies than usual, of which one won all or half ended early."""

    players: tuple[Player, Player]
    matches: list[Reviewed]
    """The newest first."""

    @property
    def only_winner(self) -> Player | None:
        """Who won all of them; None if both have won."""
        winners = {row.winner for row in self.matches}
        return next(iter(winners)) if len(winners) == 1 else None

    @property
    def ended_early(self) -> int:
        """How many were conceded or lost on time before the 10th play."""
        return sum(row.ended_early for row in self.matches)

    @property
    def is_listed(self) -> bool:
        many = len(self.matches) > USUAL
        return many and (self.only_winner is not None or 2 * self.ended_early >= len(self.matches))


def pairs_to_review(club: Club, now: datetime) -> list[Pair]:
    """The pairs with a current member of a club whose friendlies of the last 30 days should be looked at."""
    rows = _friendlies_of(club).filter(match__finished_at__gt=now - WITHIN, match__state=Match.State.SETTLED)
    rows = rows.select_related("match__player_0", "match__player_1").order_by("-match__finished_at", "-match")
    matches = [row.match for row in rows if row.match is not None]
    by_pair: defaultdict[frozenset[int], list[Reviewed]] = defaultdict(list)
    for reviewed in _reviewed(matches):
        by_pair[frozenset((reviewed.match.player_0_id, reviewed.match.player_1_id))].append(reviewed)
    pairs = [Pair(rows[0].match.players, rows) for rows in by_pair.values()]
    return sorted((pair for pair in pairs if pair.is_listed), key=lambda pair: -len(pair.matches))


def _friendlies_of(club: Club) -> QuerySet[Challenge]:
    """The friendlies of current members that are rated, or were until an officer decided about them."""
    members = Membership.objects.filter(club=club, left_at__isnull=True).values("player")
    unrated = Unrating.objects.filter(match=OuterRef("match"), undone_at=None)
    return Challenge.objects.filter(
        Q(challenger__in=members) | Q(opponent__in=members),
        Q(match__rated=True) | Exists(unrated),
        match__moved=True,
        match__finished_at__isnull=False,
    )


def _reviewed(matches: Iterable[Match]) -> list[Reviewed]:
    ids = [match.pk for match in matches]
    standing = {result.match_id: result for result in Result.objects.filter(match__in=ids).order_by("version")}
    plays = Action.objects.filter(live__in=ids, kind=Act.PLAY).order_by().values("live").annotate(plays=Count("pk"))
    counts = Counter({row["live"]: row["plays"] for row in plays})
    given_up = (Result.Kind.CONCESSION, Result.Kind.FLAG)
    return [
        Reviewed(
            match,
            winner=match.players[winner] if (winner := standing[match.pk].winner) is not None else None,
            ended_early=standing[match.pk].kind in given_up and counts[match.pk] < EARLY,
            is_rated=match.rated,
        )
        for match in matches
    ]


def match_to_review(club: Club, public_id: str) -> Match:
    """Return a friendly match of a member that was made rated. Raise Http404 for any other match."""
    row = _friendlies_of(club).filter(match__public_id=public_id).select_related("match").first()
    if row is None or row.match is None:
        raise Http404
    return row.match


def decide_rated(*, match: Match, club: Club, rated: bool, by: Actor, now: datetime) -> Match:
    """Take a friendly match out of the ratings as an officer of a club, or undo that; a repetition changes nothing.

    Refused: `review_own`.
    """
    with transaction.atomic():
        locked = lock_match(match.pk)
        if by.user is not None and any(canonical(player).user_id == by.user.pk for player in locked.players):
            raise Refused("review_own")
        unrating = Unrating.objects.filter(match=locked, undone_at=None).first()
        if rated == (unrating is None):
            return locked
        if unrating is None:
            Unrating.objects.create(match=locked, at=now, by=by.user)
        else:
            unrating.undone_at = now
            unrating.save(update_fields=["undone_at"])
        locked.rated = rated
        changed(locked, "rated")
        log(by, "friendly_rated_again" if rated else "friendly_unrated", locked.topic, club=club)
        ratings.mark_dirty(match=locked)
    return locked
