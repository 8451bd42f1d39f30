"""Removing the names and words of an erased person from what others have written, and from the log."""

import re
from collections.abc import Collection, Iterable
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

from django.db.models import JSONField, Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

from core.names import NameMask, fold
from players.models import Alias, LogEntry, Membership, Player
from players.people import stored_elsewhere

# Removing what people wrote from the log, but not its entries.


WRITTEN = ("reason", "note", "line", "message", "name", "alias", "changed", "text", "answer")
"""Parameters that hold what somebody wrote."""
BATCH = 500


def erase_texts_of(entries: QuerySet[LogEntry]) -> None:
    """Remove what people wrote from these log entries."""
    written = Q()
    for name in WRITTEN:
        written |= Q(**{f"params__{name}__isnull": False})
    changed = []
    for entry in entries.filter(written).only("params").iterator(chunk_size=BATCH):
        entry.params = {name: value for name, value in entry.params.items() if name not in WRITTEN}
        changed.append(entry)
    LogEntry.objects.bulk_update(changed, ["params"], batch_size=BATCH)


# Removing the names of an erased person from what others have written.
#
# Names are searched for only in the clubs that the person had to do with. An account chooses its name itself, so a
# search of the whole site would let anybody remove words from the pages of every club: sign up as “entry fee”, then
# be erased.


ERASED = "[…]"
"""Replaces a name, in every language."""
SEARCHED = (*WRITTEN, "changes", "fields")
"""Names in JSON under which people write; what is under others are codes, ids and times."""
SHORTEST = 5
"""Letters of the shortest name that is looked for; shorter ones are also common words, such as “May”."""


class Written(NamedTuple):
    """The free-text fields of a model, and the paths from it to its club and its match."""

    fields: tuple[str, ...]
    club: str
    match: str
    only: Q
    sentences: tuple[str, ...]
    """Those of the fields with the parameters of a sentence, any of which can be a name."""

    def within(self, players: Collection[Player], clubs: Collection[int]) -> Q:
        """Return the condition that a row belongs to one of these clubs, or to a match of these players."""
        condition = Q(**{f"{self.club}__in": clubs})
        if self.match:
            condition |= Q(**{f"{self.match}__player_0__in": players}) | Q(**{f"{self.match}__player_1__in": players})
        return condition & self.only


_written: dict[type[Model], Written] = {}


def register(
    model: type[Model],
    *fields: str,
    club: str,
    match: str = "",
    only: Q | None = None,
    sentences: tuple[str, ...] = (),
) -> None:
    """Register the free-text fields of a model, in all rows or `only` in some.

    `club` and `match` are paths from the model. In JSON people write what is under the names in SEARCHED, and in
    `sentences` anything may be a name.
    """
    _written[model] = Written((*fields, *sentences), club, match, only or Q(), sentences)


def registered() -> dict[type[Model], tuple[str, ...]]:
    return {model: written.fields for model, written in _written.items()}


def names_to_erase(players: Collection[Player], others: Iterable[str] = ()) -> set[str]:
    """Return the names, aliases and `others` that point to these players alone.

    A name that somebody else has as well stays, since it may mean them.
    """
    names = {player.name for player in players} | set(others)
    names |= set(Alias.objects.filter(player__in=players).values_list("name", flat=True))
    names = {name for name in names if len(name) >= SHORTEST}
    keys = {fold(name) for name in names}
    mine = [player.pk for player in players]
    of_others = set(Player.objects.filter(name_key__in=keys).exclude(pk__in=mine).values_list("name_key", flat=True))
    of_others |= set(
        Alias.objects.filter(name_key__in=keys).exclude(player__in=mine).values_list("name_key", flat=True)
    )
    return {name for name in names if fold(name) not in of_others}


def erase_mentions(names: Collection[str], players: Collection[Player]) -> None:
    """Replace these names of these players in every registered field of their clubs and matches."""
    if not names:
        return
    clubs = set(Membership.objects.filter(player__in=players).values_list("club", flat=True))
    for stored in stored_elsewhere.registered():
        for guests in stored.guests():
            clubs |= set(guests.filter(person__in=[player.pk for player in players]).values_list("of_club", flat=True))
    mask = NameMask(dict.fromkeys(names, ERASED))
    for model, written in _written.items():
        rows: QuerySet[Any] = model.objects.filter(written.within(players, clubs))  # type: ignore[attr-defined]
        for field in written.fields:
            is_json = isinstance(model._meta.get_field(field), JSONField)
            _erase_in(rows, field, names, mask, whole=not is_json or field in written.sentences)


def _erase_in(rows: QuerySet[Any], field: str, names: Collection[str], mask: NameMask, *, whole: bool) -> None:
    may_contain = Q()
    for name in names:
        may_contain |= _may_contain(name)
    candidates = rows.annotate(as_text=Cast(field, TextField())).filter(may_contain).order_by("pk")
    for pk, value in candidates.values_list("pk", field):
        masked = mask.inside(value, keys=False) if whole else _mask_json(value, mask)
        if masked != value:
            rows.model.objects.filter(pk=pk).update(**{field: masked})


def _may_contain(name: str) -> Q:
    """Return a condition that every text with this name meets, whatever its case and spacing.

    It looks for the ASCII letters alone: SQLite folds the case of no others, and stores them in JSON as escapes.
    """
    parts = [Q(as_text__icontains=part) for part in re.findall(r"[A-Za-z0-9]{2,}", name)]
    return reduce(and_, parts) if parts else ~Q(as_text="")


def _mask_json(value: dict[str, Any], mask: NameMask) -> dict[str, Any]:
    return {name: mask.inside(inner, keys=False) if name in SEARCHED else inner for name, inner in value.items()}
