"""Seasons from before a club used this site: previewed, imported, undone, and their tables."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models.fields.reverse_related import ForeignObjectRel, ManyToManyRel

from core.locks import lock_row
from core.names import fold
from core.spreadsheets import read_csv
from core.text_lengths import LONGEST_NAME
from engine.errors import Refused
from matches.ratings.rated import merged_players
from players.actors import Actor, log
from players.models import Club, Membership, Player
from players.people.rows import club_topic, lock_club
from players.people.services import How, NameMatch, find_or_add_players, find_players
from tournaments.models import PastPlacing, PastSeason
from tournaments.seasons.past_rows import PastRow, PastSheet, Problem, read_past

NEW = "new"
"""Chosen for a name that means somebody who is not a member yet."""


@dataclass(frozen=True, slots=True)
class PastInput:
    """A file as text, and what somebody has decided about it."""

    text: str
    columns: Mapping[str, int | None]
    day_order: str = ""
    choices: Mapping[str, str] | None = None
    """By name in the file: the public id of the member it means, or NEW."""
    leave_out: bool = False
    """Import the other rows although some are unclear."""


@dataclass(frozen=True, slots=True)
class PastPreview:
    """What an import would do."""

    sheet: PastSheet
    names: Sequence[NameMatch]
    """Every name that can be imported, once, in the order of the file."""
    chosen: Mapping[str, Player | None]
    """By folded name: the member who was chosen for it, None for somebody new."""
    clashes: Sequence[PastRow]
    """Rows of two names that mean the same player in the same event."""

    @property
    def questions(self) -> list[NameMatch]:
        """The names that several members have and nobody has decided about."""
        return [name for name in self.names if name.how == How.AMBIGUOUS and fold(name.name) not in self.chosen]

    @property
    def new(self) -> list[str]:
        """The names that would be added as members."""
        return [
            name.name
            for name in self.names
            if (name.how == How.ADDED and fold(name.name) not in self.chosen)
            or (fold(name.name) in self.chosen and self.chosen[fold(name.name)] is None)
        ]

    @property
    def respelled(self) -> list[tuple[str, Player]]:
        """Names that are spelled differently from the member whom they mean."""
        return [(name.name, name.player) for name in self.names if name.respelled and name.player]

    @property
    def unclear(self) -> list[PastRow]:
        """The rows that would be left out."""
        return sorted([*self.sheet.unclear, *self.clashes], key=lambda row: row.row)

    @property
    def rows(self) -> list[PastRow]:
        """The rows that would be imported."""
        clashing = {row.row for row in self.clashes}
        return [row for row in self.sheet.good if row.row not in clashing]


def preview_past(*, club: Club, data: PastInput) -> PastPreview:
    """Return what an import would do; nothing is written.

    Refused: `past_no_columns`, `past_bad_choice`, those of `read_csv` and of `find_players`.
    """
    sheet = read_past(read_csv(data.text), data.columns, data.day_order)
    spelled = list({fold(row.name): row.name for row in reversed(sheet.good)}.values())[::-1]
    names = find_players(club=club, names=spelled) if spelled else []
    chosen = _chosen(names, data.choices or {})
    return PastPreview(sheet, names, chosen, _clashes(sheet, names, chosen))


def _chosen(names: Sequence[NameMatch], choices: Mapping[str, str]) -> dict[str, Player | None]:
    ambiguous = {fold(name.name): name for name in names if name.how == How.AMBIGUOUS}
    chosen: dict[str, Player | None] = {}
    for name, choice in choices.items():
        if not choice or fold(name) not in ambiguous:
            continue
        candidates = {player.public_id: player for player in ambiguous[fold(name)].candidates}
        if choice != NEW and choice not in candidates:
            raise Refused("past_bad_choice", name=name)
        chosen[fold(name)] = candidates.get(choice)
    return chosen


def _clashes(sheet: PastSheet, names: Sequence[NameMatch], chosen: Mapping[str, Player | None]) -> list[PastRow]:
    players = {fold(name.name): name.player for name in names} | dict(chosen)
    rows: dict[tuple[Any, ...], list[PastRow]] = defaultdict(list)
    for row in sheet.good:
        if player := players.get(fold(row.name)):
            rows[player.pk, fold(row.event), row.day].append(row)
    return [
        PastRow(row.row, row.name, problem=Problem.REPEATED, value=row.name)
        for same in rows.values()
        if len(same) > 1
        for row in same
    ]


def import_past(*, club: Club, name: str, data: PastInput, by: Actor, now: datetime) -> PastSeason:
    """Import a season; unknown names become members without an account.

    Refused: as for `preview_past`; `past_names_open`, `past_rows_open`, `past_nothing`, `past_twice`.
    """
    with transaction.atomic():
        lock_club(club)
        preview = preview_past(club=club, data=data)
        if preview.questions:
            raise Refused("past_names_open", name=preview.questions[0].name)
        if preview.unclear and not data.leave_out:
            raise Refused("past_rows_open", count=len(preview.unclear))
        if not preview.rows:
            raise Refused("past_nothing")
        digest = _digest(preview.rows)
        if PastSeason.objects.filter(club=club, digest=digest, undone_at=None).exists():
            raise Refused("past_twice")
        players, added = _players(club, preview, by)
        season = PastSeason.objects.create(club=club, name=name[:LONGEST_NAME], digest=digest, at=now, by=by.user)
        season.added.set(added)
        PastPlacing.objects.bulk_create(
            [
                PastPlacing(
                    season=season,
                    player=players[fold(row.name)],
                    event=row.event,
                    day=row.day,
                    place=row.place,
                    points=row.points,
                )
                for row in preview.rows
            ],
            batch_size=500,
        )
        log(by, "past_season_imported", club_topic(club), club=club, season=season.public_id, rows=len(preview.rows))
    return season


def _digest(rows: Sequence[PastRow]) -> str:
    lines = sorted(repr((fold(row.name), fold(row.event), row.day, row.place, row.points)) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _players(club: Club, preview: PastPreview, by: Actor) -> tuple[dict[str, Player], list[Player]]:
    """Return the player of each folded name that is imported, and those who are new members."""
    needed = {fold(row.name) for row in preview.rows}
    names = [name.name for name in preview.names if fold(name.name) in needed]
    namesakes = {
        index for index, name in enumerate(names) if fold(name) in preview.chosen and preview.chosen[fold(name)] is None
    }
    matches = find_or_add_players(club=club, names=names, by=by, namesakes=namesakes)
    found = {fold(match.name): match.player for match in matches if match.player is not None}
    players = found | {name: player for name, player in preview.chosen.items() if player is not None}
    return players, [match.player for match in matches if match.how == How.ADDED and match.player is not None]


def undo_past(*, season: PastSeason, by: Actor, now: datetime) -> PastSeason:
    """Undo an import: its placings go, and its new members whom nothing else refers to.

    Whoever has since got an account, been merged, entered an event, played, or been given a role or another club
    stays a member, and stays in `added`. Refused: `past_undone`.
    """
    with transaction.atomic():
        row = lock_row(PastSeason, season.pk)
        if row.undone_at is not None:
            raise Refused("past_undone")
        lock_club(row.club)
        row.placings.all().delete()
        added = list(row.added.all())
        for player in unused(added, row):
            row.added.remove(player)
            Membership.objects.filter(player=player).delete()
            player.delete()
        row.undone_at = now
        row.save(update_fields=["undone_at"])
        log(by, "past_season_undone", club_topic(row.club), club=row.club, season=row.public_id)
    return row


def unused(players: Sequence[Player], season: PastSeason) -> list[Player]:
    """Return the players to whom nothing refers but a plain membership of the club and this import."""
    ids = [player.pk for player in players]
    used = {player.pk for player in players if player.user_id or player.merged_into_id or player.erased_at}
    memberships = Membership.objects.filter(player__in=ids)
    used |= set(memberships.exclude(club=season.club).values_list("player", flat=True))
    used |= set(memberships.exclude(role=Membership.Role.MEMBER).values_list("player", flat=True))
    imports = PastSeason.added.through.objects.filter(player__in=ids).exclude(pastseason=season)
    used |= set(imports.values_list("player", flat=True))
    for relation in Player._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and not isinstance(relation, ManyToManyRel):
            model, field = relation.related_model, relation.field.name
            if model not in (Membership, PastSeason.added.through):
                rows = model._default_manager.filter(**{f"{field}__in": ids})  # noqa: SLF001, the manager of any model
                used |= set(rows.values_list(field, flat=True))
    return [player for player in players if player.pk not in used]


# The table of an imported season.


@dataclass(frozen=True, slots=True)
class PastTableRow:
    """A line of the table; people who are level share a rank."""

    rank: int
    player: Player
    points: Decimal | None
    events: int
    best: int | None
    """The best place."""


def table_of(season: PastSeason) -> list[PastTableRow]:
    """Return the table: by points if the import has any, otherwise by firsts, seconds and so on."""
    merged = merged_players()
    placings: dict[int, list[PastPlacing]] = defaultdict(list)
    for placing in season.placings.all():
        placings[merged.get(placing.player_id, placing.player_id)].append(placing)
    players = Player.objects.in_bulk(list(placings))
    has_points = any(row.points is not None for rows in placings.values() for row in rows)
    lines = []
    for pk, rows in placings.items():
        points = sum((row.points for row in rows if row.points is not None), Decimal(0)) if has_points else None
        places = sorted(row.place for row in rows if row.place is not None)
        key: tuple[Any, ...] = (-points,) if points is not None else _by_places(places)
        lines.append((key, fold(players[pk].name), players[pk], points, len(rows), places[0] if places else None))
    lines.sort(key=lambda line: line[:2])
    table: list[PastTableRow] = []
    for number, (key, _name, player, points, events, best) in enumerate(lines, 1):
        rank = table[-1].rank if table and key == lines[number - 2][0] else number
        table.append(PastTableRow(rank, player, points, events, best))
    return table


def _by_places(places: Sequence[int]) -> tuple[Any, ...]:
    """Order by the best place, then by how often, then by the next: (1, 1, 3) is before (1, 2) and (1,)."""
    return (*places, 10**6)
