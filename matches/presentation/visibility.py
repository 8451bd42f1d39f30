"""Which matches a visitor may see, as a condition of a query and as a check of one match."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q

from matches.models import Match
from players.access import RANK, Role, has_second_factor
from players.models import Membership, Player, User
from players.people.rows import ids_of

Seen = Match.Visibility


class HasPlayers(Protocol):
    """A match, or a row of a list, with what decides who may see it."""

    @property
    def club_id(self) -> int | None:
        """The club that runs it; None for a friendly."""

    @property
    def visibility(self) -> str:
        """A value of `Match.Visibility`."""

    @property
    def player_0_id(self) -> int:
        """The player on side 0."""

    @property
    def player_1_id(self) -> int:
        """The player on side 1."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A visitor of the site, with what decides which matches they may see."""

    player: int | None = None
    """Their player; for merged players the one merged into."""
    players: frozenset[int] = frozenset()
    """Their player, the players merged into it, and the pairs in which they play."""
    clubs: frozenset[int] = frozenset()
    directs: frozenset[int] = frozenset()
    runs: frozenset[int] = frozenset()
    """The clubs whose matches they run: as assistants, directors or owners."""
    everything: bool = False

    @classmethod
    def of(cls, user: User | AnonymousUser) -> "Viewer":
        """Return the viewer of a user. Takes a few queries for a signed-in player, none for anonymous visitors."""
        if not isinstance(user, User) or not user.is_active:
            return NOBODY
        row = Player.objects.filter(user=user).values_list("pk", "merged_into").first()
        if row is None:
            return cls(everything=user.is_superuser)
        player, own = row[0], row[1] or row[0]
        current = Membership.objects.filter(player=player, left_at__isnull=True).order_by()
        memberships = list(current.values_list("club", "role", "club__second_factor"))
        roles = {club: role for club, role, _ in memberships}
        restricted = {club for club, role, required in memberships if required and role == Role.OWNER}
        if restricted and has_second_factor(user):
            restricted = set()
        return cls(
            player=own,
            players=frozenset(ids_of(own)),
            clubs=frozenset(roles),
            directs=_at_least(Role.DIRECTOR, roles) - restricted,
            runs=_at_least(Role.ASSISTANT, roles) - restricted,
            everything=user.is_superuser,
        )

    def sees(self, match: HasPlayers) -> bool:
        if match.visibility == Seen.PUBLIC or self.is_insider_of(match):
            return True
        return match.visibility == Seen.CLUB and match.club_id in self.clubs

    def is_insider_of(self, match: HasPlayers) -> bool:
        """Whether the viewer plays the match, or directs its club."""
        if self.everything or match.club_id in self.directs:
            return True
        return bool({match.player_0_id, match.player_1_id} & self.players)

    def is_staff_of(self, match: HasPlayers) -> bool:
        return self.everything or match.club_id in self.runs

    def plays_or_runs(self, match: HasPlayers) -> bool:
        """Whether the viewer plays or runs the match, and so sees notes and names that are hidden from others."""
        return self.is_staff_of(match) or bool({match.player_0_id, match.player_1_id} & self.players)

    def visible(self, prefix: str = "") -> Q:
        """The same as a query condition; `prefix` is the lookup from the queried model to the match, e.g. `match__`."""
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


def _at_least(role: Role, roles: Mapping[int, str]) -> frozenset[int]:
    """Return the clubs where the user has at least this role."""
    return frozenset(club for club, held_role in roles.items() if RANK[Role(held_role)] >= RANK[role])


NOBODY = Viewer()
