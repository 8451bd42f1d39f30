"""Rows of players and clubs: the current player after merges, row locks, and topics."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NewType

from django.db.models import Q, QuerySet

from core.live.publishing import touch_on_commit
from core.locks import for_update, lock_row
from engine.errors import Refused
from players.models import Club, Pair, Player, User

# The current player after merges.


def canonical(player: Player) -> Player:
    """Return the player that a player was merged into, or the player if not merged."""
    while player.merged_into is not None:
        player = player.merged_into
    return player


PersonId = NewType("PersonId", int)
"""The id of a player who stands for a person: one who is not merged into another."""

People = Mapping[int, tuple[PersonId, ...]]
"""Player id -> whom the player stands for."""


PERSON_COLUMNS = (
    "merged_into", "pair__first", "pair__first__merged_into", "pair__second", "pair__second__merged_into",
)  # fmt: skip


def people_of(ids: Iterable[int | None]) -> People:
    """Return whom the players with these ids stand for; one query, and none for nobody.

    A pair stands for its two, in the order in which they were named; any other for whom it was merged into, or itself.

    What is known of players (who is busy, here, away or a member) is compared by persons, while facts keep the ids they
    were written with: so it is known of each of them alone again once a merge is undone.
    """
    known = {pk for pk in ids if pk is not None}
    if not known:
        # Building the query would take longer than what most callers do beside it.
        return {}
    rows = Player.objects.filter(pk__in=known)
    return {row[0]: side_of(row) for row in rows.values_list("pk", *PERSON_COLUMNS)}


def side_columns(player: str) -> tuple[str, ...]:
    """Return the columns by which `side_of` knows whom a related player stands for, in the query of other rows."""
    return (player, *(f"{player}__{name}" for name in PERSON_COLUMNS))


def side_of(columns: Sequence[Any]) -> tuple[PersonId, ...]:
    """Return whom a player stands for (`people_of`), given the values of `side_columns`."""
    pk, into, first, first_into, second, second_into = columns
    people = [into or pk] if first is None else [first_into or first, second_into or second]
    return tuple(map(PersonId, people))


def people_of_rows(players: Iterable[Player]) -> People:
    """Return whom these players stand for; one query if there are pairs among them, else none (`people_of`).

    Other than by ids, a merge counts if it was made before a player was read.
    """
    rows = list(players)
    people = {row.pk: (PersonId(canonical(row).pk),) for row in rows if row.parts is None}
    return {**people, **people_of(row.pk for row in rows if row.parts is not None)}


def persons_among(players: Iterable[Player]) -> set[int]:
    """Return the ids of whom these players stand for; one query if there are pairs among them, else none."""
    return {person for side in people_of_rows(players).values() for person in side}


def is_person(prefix: str = "") -> Q:
    """Return the condition that players are people, and not pairs: no list of people has a pair."""
    return Q(**{f"{prefix}parts__isnull": True})


def pairs_of(people: Iterable[Player | int]) -> QuerySet[Player]:
    """Return the pairs in which any of these plays, or somebody merged into them."""
    ids = {person if isinstance(person, int) else person.pk for person in people}
    # A subquery, as in `of_account`.
    same = Player.objects.filter(Q(pk__in=ids) | Q(merged_into__in=ids)).values("pk")
    return Player.objects.filter(Q(pair__first__in=same) | Q(pair__second__in=same))


def ids_of(person: int) -> list[int]:
    """Return the ids under which a person plays: their own, those of players merged into them, and of their pairs."""
    same = Player.objects.filter(Q(pk=person) | Q(merged_into=person)).order_by().values_list("pk", flat=True)
    return sorted(same.union(pairs_of([person]).order_by().values_list("pk", flat=True)))


def account_of(player: Player) -> int | None:
    """Return the id of the account of a player, or of the player it was merged into, if there is one.

    A pair has none (`accounts_of`).
    """
    return player.user_id or canonical(player).user_id


def accounts_of(players: Iterable[Player]) -> dict[int, tuple[int, ...]]:
    """Return player id -> the ids of the accounts of whom it stands for; players without any are left out.

    Takes two queries if there are pairs among them.
    """
    rows = {player.pk: player for player in players}
    accounts: dict[int, tuple[int, ...]] = {
        pk: (own,) for pk, player in rows.items() if (own := account_of(player)) is not None
    }
    couples = people_of(pk for pk, player in rows.items() if player.parts is not None)
    if not couples:
        return accounts
    people = Player.objects.filter(pk__in={person for couple in couples.values() for person in couple})
    known = dict(people.filter(user__isnull=False).values_list("pk", "user"))
    of_pairs = {pk: tuple(known[person] for person in couple if person in known) for pk, couple in couples.items()}
    return accounts | {pk: users for pk, users in of_pairs.items() if users}


def of_account(user: User, player: str = "") -> Q:
    """Return the condition for the players of an account, with merged ones and its pairs; `player` is a prefix."""
    # Subqueries, since a condition on two tables would read all players.
    own = Player.objects.filter(user=user).values("pk")
    same = Player.objects.filter(Q(user=user) | Q(merged_into__in=own)).values("pk")
    pairs = Pair.objects.filter(Q(first__in=same) | Q(second__in=same)).values("player")
    return Q(**{f"{player}user": user}) | Q(**{f"{player}merged_into__in": own}) | Q(**{f"{player}pk__in": pairs})


def players_among(ids: Iterable[int | None]) -> QuerySet[Player]:
    """Return the players with these ids, each with the player it was merged into."""
    return Player.objects.filter(pk__in={pk for pk in ids if pk is not None}).select_related("merged_into")


def player_of(user: User) -> Player | None:
    return Player.objects.filter(user=user).first()


# Locks of clubs and players.
#
# A service that needs several locks takes the account first, then clubs and then players, each by ascending id, and
# invitations and merges last. A service that changes a club's member list holds the club.


def lock_club(club: Club) -> Club:
    """Lock a club, and with it its member list."""
    return lock_row(Club, club.pk)


def lock_clubs(ids: Iterable[int]) -> None:
    """Lock clubs by ascending id."""
    for pk in sorted(set(ids)):
        lock_row(Club, pk)


def lock_clubs_of(*players: Player) -> None:
    """Lock the clubs of these players and of those merged into them, by ascending id."""
    of_players = Q(memberships__player__in=players) | Q(memberships__player__merged_into__in=players)
    lock_clubs(Club.objects.filter(of_players).values_list("pk", flat=True))


def lock_players(*players: Player) -> dict[int, Player]:
    """Lock players by ascending id and return them by id."""
    return {pk: lock_row(Player, pk) for pk in sorted({player.pk for player in players})}


def lock_present(*players: Player) -> None:
    """Lock players who are asked to take part in something: until the commit they can neither leave nor be suspended.

    Of a pair, both. Locked after everything that `leave` locks before the players. Refused: as `refuse_absent`.
    """
    rows = [canonical(player) for player in players]
    ids = {row.pk for row in rows if row.parts is None}
    if pairs := [row.pk for row in rows if row.parts is not None]:
        ids.update(*people_of(pairs).values())
    refuse_absent(*for_update(Player.objects.filter(pk__in=ids).order_by("pk")))


def refuse_absent(*players: Player) -> None:
    """Refuse players who have left the site. Refused: `former_member`, `suspended`."""
    for player in players:
        if player.erased_at is not None:
            raise Refused("former_member")
    # Read after the lock: a joined row would be the one from before it.
    accounts = [player.pk for player in players if player.user_id is not None]
    suspended = Player.objects.filter(pk__in=accounts, user__is_active=False).first()
    if suspended is not None:
        raise Refused("suspended", name=suspended.shown_name)


def is_present(prefix: str = "") -> Q:
    """Return the condition that players have neither deleted their account nor are suspended."""
    active = Q(**{f"{prefix}user": None}) | Q(**{f"{prefix}user__is_active": True})
    return Q(**{f"{prefix}erased_at": None}) & active


# The topics of people and clubs, in the log and in the event stream.


def user_topic(user: User) -> str:
    return f"user:{user.pk}"


def player_topic(player: Player) -> str:
    return f"player:{player.public_id}"


def club_topic(club: Club) -> str:
    """Return the topic of a club, by its id, since its slug may change."""
    return f"club:{club.pk}"


def touch_users_on_commit(players: Iterable[Player]) -> None:
    """After commit, tell the pages of these players' accounts that something of theirs has changed.

    Players without an account are left out.
    """
    users = {user for accounts in accounts_of(players).values() for user in accounts}
    touch_on_commit(*(f"user:{user}" for user in sorted(users)))
