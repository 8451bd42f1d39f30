"""How a player's matches on the site's board ended, for directors of their clubs: derived from results and actions."""

from typing import NamedTuple

from django.db.models import Exists, OuterRef, Subquery

from matches.models import Action, Match, Result
from matches.models.play import CLAIM_AWAY
from players import access
from players.models import Membership, Player, User


class Completion(NamedTuple):
    """How many matches played here ended in which way for a player."""

    finished: int
    """Played to their end, won or lost, and those the opponent did not finish."""
    flagged: int
    """Lost on time."""
    left: int
    """Lost because the opponent claimed while the player was away."""
    resigned: int
    """Conceded as a whole."""

    @property
    def matches(self) -> int:
        return sum(self)


def completion_for(user: access.Visitor, player: Player) -> Completion | None:
    """Return the record of a player for a director of one of their clubs; None for anybody else."""
    if not isinstance(user, User) or not user.is_active:
        return None
    clubs = Membership.objects.filter(player=player, left_at__isnull=True).values("club")
    roles = Membership.objects.filter(club__in=clubs, player__user=user, left_at__isnull=True).values_list("role")
    if not any(access.is_at_least(access.Role(role), access.Role.DIRECTOR) for (role,) in roles):
        return None
    return completion_of(player)


def completion_of(player: Player) -> Completion:
    """Return the record of a player, with the matches of those merged into them and without practice."""
    ids = {player.pk, *Player.objects.filter(merged_into=player).values_list("pk", flat=True)}
    latest = Result.objects.filter(match=OuterRef("pk")).order_by("-version")
    claimed = Action.objects.filter(live=OuterRef("pk"), kind=CLAIM_AWAY)
    between_people = Match.objects.filter(live__isnull=False, live__bot_side__isnull=True, live__lapsed_at=None)
    played = between_people.filter(state=Match.State.SETTLED).annotate(
        won_by=Subquery(latest.values("winner")[:1]),
        ending=Subquery(latest.values("kind")[:1]),
        claimed=Exists(claimed),
    )
    counts = dict.fromkeys(Completion._fields, 0)
    for side in (0, 1):
        rows = played.filter(**{f"player_{side}__in": ids}).values_list("won_by", "ending", "claimed")
        for winner, ending, was_claimed in rows:
            counts[_ended(lost=winner == 1 - side, ending=ending, was_claimed=was_claimed)] += 1
    return Completion(**counts)


def _ended(*, lost: bool, ending: str, was_claimed: bool) -> str:
    """The field of `Completion` that counts a match."""
    if lost and ending == Result.Kind.FLAG:
        return "left" if was_claimed else "flagged"
    return "resigned" if lost and ending == Result.Kind.CONCESSION else "finished"
