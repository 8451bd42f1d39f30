"""Pairs: two people who play as one side, and the names that follow from theirs."""

from collections.abc import Iterable

from django.db.models import Prefetch, Q, QuerySet, prefetch_related_objects
from django.utils.translation import gettext as _

from core.locks import for_update
from engine.errors import Refused
from players.models import Pair, Player
from players.models.people import as_initials
from players.people.rows import canonical, lock_players, pairs_of


def pair_of(first: Player, second: Player) -> Player:
    """Return the player that stands for these two, in a transaction; there is one row for a couple.

    Both are locked, so nobody leaves or is merged meanwhile. Whom a player was merged into is meant.
    Refused: `partner_same`, `pair_in_pair`.
    """
    people = [canonical(first), canonical(second)]
    if people[0] == people[1]:
        raise Refused("partner_same", name=people[0].shown_name)
    if any(player.parts is not None for player in people):
        raise Refused("pair_in_pair")
    locked = lock_players(*people)
    one, two = (locked[player.pk] for player in people)
    if (known := known_pair(one, two)) is not None:
        return known
    parts = [_part(one), _part(two)]
    player = Player.objects.create(
        name=_name(parts), parts=parts, analysis_visibility=Player.AnalysisVisibility.PRIVATE
    )
    Pair.objects.create(player=player, first=one, second=two)
    return player


def known_pair(first: Player, second: Player) -> Player | None:
    """Return the player that stands for these two; None if they have not played as one side yet."""
    one, two = canonical(first), canonical(second)
    rows = Pair.objects.filter(Q(first=one, second=two) | Q(first=two, second=one))
    known = rows.select_related("player__merged_into").first()
    return canonical(known.player) if known is not None else None


def shown_partners(pair: Player) -> list[str]:
    """Return the names of both of a pair as others see them."""
    parts = canonical(pair).parts
    assert parts is not None  # noqa: S101, a pair
    return [shown or _("Former member") for _full, shown in parts]


def rename_pairs(people: Iterable[Player | int]) -> None:
    """Write the names of all pairs of these people again, after a name, initials, an erasure or a merge has changed.

    It is called in the transaction of the change. `Player.name` has full names, for search and order.
    """
    # Locked before the names are read, since the other of a pair may be renamed at the same moment.
    locked = {row.pk: row for row in for_update(pairs_of(people).order_by("pk"))}
    for pair in with_people().filter(player__in=locked) if locked else ():
        row = locked[pair.pk]
        row.parts, row.name = names_of(pair)
        row.save(update_fields=["parts", "name", "name_key"])


def with_people() -> QuerySet[Pair]:
    """Return all pairs, each with both people as they are after merges."""
    return Pair.objects.select_related("first__merged_into", "second__merged_into").order_by("player_id")


def names_of(pair: Pair) -> tuple[list[list[str | None]], str]:
    """Return what `parts` and `name` of a pair's player have to be."""
    parts = [_part(canonical(pair.first)), _part(canonical(pair.second))]
    return parts, _name(parts)


def persons(player: Player) -> list[Player]:
    """Return whom a player stands for, after merges: both people of a pair in the order in which they were named."""
    load_people([player])
    row = canonical(player)
    return [row] if row.parts is None else [canonical(row.pair.first), canonical(row.pair.second)]


def load_people(players: Iterable[Player]) -> None:
    """Load what `persons` needs of all of these that are pairs: one query if there are any."""
    rows = [row for player in players if (row := canonical(player)).parts is not None]
    prefetch_related_objects(rows, Prefetch("pair", with_people()))


def _part(person: Player) -> list[str | None]:
    if person.erased_at is not None:
        return ["", None]
    return [person.name, as_initials(person.name) if person.initials_only else person.name]


def _name(parts: list[list[str | None]]) -> str:
    """Return the full names, without those that were erased."""
    return " & ".join(full for full, _shown in parts if full)
