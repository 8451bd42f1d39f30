"""The files of an export: each app registers the sections that it knows about."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet
from django.utils.functional import Promise

from players.models import Player, User
from players.people.topics import player_topic, user_topic

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Person:
    """A player with those merged into them, and their account if they have one."""

    players: list[Player]
    user: User | None

    @classmethod
    def of(cls, player: Player) -> "Person":
        """Return the person behind a player who is not merged into another."""
        return cls([player, *player.merged.all()], player.user)

    @property
    def topics(self) -> list[str]:
        """The topics of the player and the account in the log."""
        return [player_topic(player) for player in self.players] + ([user_topic(self.user)] if self.user else [])


Row = dict[str, Any]
Rows = Callable[[Person], Iterable[Row]]
Files = Callable[[Person], Iterable[tuple[str, bytes]]]


@dataclass(frozen=True, slots=True)
class ExportSection:
    """A JSON file with a list of rows, and the models that it shows."""

    name: str
    """Of the file, without extension."""
    about: str | Promise
    """One line for the README."""
    models: tuple[type[Model], ...]
    rows: Rows
    files: Files | None = None
    """What the section adds to the export beside its rows, as (path, content)."""


_sections: list[ExportSection] = []


def register(*sections: ExportSection) -> None:
    """Add sections to every export."""
    _sections.extend(sections)


def sections() -> list[ExportSection]:
    """Return all sections in the order in which they were registered."""
    return list(_sections)


def files_of(person: Person) -> Iterator[tuple[str, bytes]]:
    """Yield the files that sections add, as (path, content)."""
    for section in _sections:
        if section.files is not None:
            yield from section.files(person)


def values(rows: QuerySet[Any], *fields: str, **renamed: Any) -> Iterator[Row]:
    """Yield these fields of all rows, in order of their id; `renamed` are expressions by their name in the file."""
    return rows.order_by("pk").values(*fields, **renamed).iterator(chunk_size=AT_ONCE)
