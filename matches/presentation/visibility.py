"""Which matches somebody may see among many: the conditions of a query, and the same for one row."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q

from matches.models import Match
from matches.ratings import rated
from players.access import RANK, Role
from players.models import Membership, Player, User

Seen = Match.Visibility


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks, as far as it matters for what he sees."""

    player: int | None = None
    """The player that stands for him."""
    players: frozenset[int] = frozenset()
    """He, and who was merged into him."""
    clubs: frozenset[int] = frozenset()
    directs: frozenset[int] = frozenset()
    everything: bool = False

    @classmethod
    def of(cls, user: User | AnonymousUser) -> "Viewer":
        """What somebody may see; two queries for whoever is signed in and plays, none for the others."""
        if not isinstance(user, User) or not user.is_active:
            return NOBODY
        player = Player.objects.filter(user=user).values_list("pk", flat=True).first()
        if player is None:
            return cls(everything=user.is_superuser)
        roles = dict(
            Membership.objects.filter(player=player, left_at__isnull=True).order_by().values_list("club", "role")
        )
        same = rated.merged_players()
        own = same.get(player, player)
        return cls(
            player=own,
            players=frozenset({player, own, *(one for one, into in same.items() if into == own)}),
            clubs=frozenset(roles),
            directs=frozenset(club for club, role in roles.items() if RANK[role] >= RANK[Role.DIRECTOR]),
            everything=user.is_superuser,
        )

    def sees(self, match: Match) -> bool:
        """Whether he may see this match."""
        if self.everything or match.visibility == Seen.PUBLIC:
            return True
        if {match.player_0_id, match.player_1_id} & self.players or match.club_id in self.directs:
            return True
        return match.visibility == Seen.CLUB and match.club_id in self.clubs

    def visible(self, prefix: str = "") -> Q:
        """The same as a condition; `prefix` leads from the model asked to the match (`match__`)."""
        if self.everything:
            return Q()
        condition = Q(**{f"{prefix}visibility": Seen.PUBLIC})
        if self.players:
            condition |= Q(**{f"{prefix}player_0__in": self.players}) | Q(**{f"{prefix}player_1__in": self.players})
        if self.directs:
            condition |= Q(**{f"{prefix}club__in": self.directs})
        if self.clubs:
            condition |= Q(**{f"{prefix}visibility": Seen.CLUB, f"{prefix}club__in": self.clubs})
        return condition


NOBODY = Viewer()
