"""Seasons from before a club used this site: previewed, imported, undone, and their tables."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models.fields.reverse_related import ForeignObjectRel, ManyToManyRel

from core.locks import lock_row
from core.names import SimilarNames, fold
from core.spreadsheets import read_text
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from formats.series.plan import plan_from, plan_json
from matches.models import MatchImport
from matches.ratings.rated import merged_players
from players.access import persons_of
from players.actors import Actor, log
from players.models import Club, LogEntry, Membership, Player
from players.people.rows import club_topic, lock_club
from players.people.services import NameMatch, NameOutcome, find_or_add_players, find_players
from seasons.imports.rows import PastRow, PastSheet, Reading, decimals_of, marked, read_past
from seasons.services import SeriesInput, changed_series, create_series, is_empty, remove_series
from tournaments.models import PastPlacing, PastSeason, Series

NEW = "new"
"""Chosen for a name that means somebody who is not a member yet."""
SAME = "same:"
"""Before another name of the file that means the same person."""
PLACES_PRESET = "motor_racing"
"""The points of a new season for an import that has places and no points."""
COUNTED, LEFT_OUT = "past_season_counted", "past_season_left_out"
"""What the log says of an import whose evenings count in a season, or no longer do."""
MAX_DIGITS = 2
"""Decimals that a table of imported points shows."""
MAX_CANDIDATES = 8
"""People that are offered for a name."""


READING = Reading()
"""Everything is recognised."""


@dataclass(frozen=True, slots=True)
class PastInput:
    """A file as text, and what somebody has decided about it."""

    text: str
    reading: Reading = READING
    choices: Mapping[str, str] | None = None
    """By name in the file: the public id of the member it means, NEW, or SAME with another name."""
    leave_out: bool = False
    """Import the other rows although some are unclear."""


@dataclass(frozen=True, slots=True)
class Question:
    """A name that may mean several people, and what was chosen for it."""

    name: str
    members: Sequence[Player]
    names: Sequence[str]
    """Other names of the file."""
    rows: int
    choice: str = ""


@dataclass(frozen=True)
class NamesPreview:
    """The names of a file that is imported, and whom they mean."""

    names: Sequence[NameMatch]
    """Every name that can be imported, once, in the order of the file."""
    asked: Sequence[Question]
    """What was asked about the names, decided or not."""
    players: Mapping[str, Player | None]
    """By folded name: the member whom it means, None for somebody new."""
    same: Mapping[str, str]
    """Folded name -> the folded name under which its person is imported."""

    @property
    def questions(self) -> list[Question]:
        """The names that nobody has decided about."""
        return [question for question in self.asked if not question.choice]

    @property
    def respelled(self) -> list[tuple[str, str]]:
        """Names that are spelled differently from the member, or from the new member, whom they mean."""
        names = {fold(name.name): name.name for name in self.names}
        meant = {key: player.name if player else names[self.same[key]] for key, player in self.players.items()}
        return [(name, meant[key]) for key, name in names.items() if meant[key] != name]


@dataclass(frozen=True)
class PastPreview(NamesPreview):
    sheet: PastSheet

    @property
    def new(self) -> list[str]:
        """The names that would be added as members."""
        names = {fold(name.name): name.name for name in self.names}
        return [name for key, name in names.items() if self.players.get(key) is None and self.same[key] == key]

    @property
    def unclear(self) -> list[PastRow]:
        return self.sheet.unclear

    @property
    def rows(self) -> list[PastRow]:
        return self.sheet.good


def preview_past(*, club: Club, data: PastInput) -> PastPreview:
    """Return what an import would do; nothing is written.

    Refused: `past_no_columns`, `past_bad_choice`, those of `read_text` and of `find_players`.
    """
    sheet = read_past(read_text(data.text), data.reading)
    counts = Counter(fold(row.name) for row in sheet.good)
    spelled = spelled_once(row.name for row in sheet.good)
    names = find_players(club=club, names=spelled, near=True) if spelled else []
    choices = {fold(name): choice for name, choice in (data.choices or {}).items() if choice}
    asked = asked_about(club, names, counts, choices)
    players, same = decided_names(names, asked)
    people = {key: player.pk if player else same[key] for key, player in players.items()}
    return PastPreview(names, asked, players, same, replace(sheet, rows=marked(sheet.rows, people)))


def spelled_once(names: Iterable[str]) -> list[str]:
    """Return every name once, in its usual spelling: with capitals and small letters, and as it is most often."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for name in names:
        spellings[fold(name)][name] += 1
    return [
        max(counts, key=lambda name, counts=counts: (not (name.isupper() or name.islower()), counts[name]))  # type: ignore[misc]
        for counts in spellings.values()
    ]


def asked_about(
    club: Club, names: Sequence[NameMatch], counts: Mapping[str, int], choices: Mapping[str, str]
) -> list[Question]:
    """Return the names that several members have, and unknown ones that may be those of other people.

    `names` are those of `find_players` with `near`. Of two unknown names that are alike, the one with fewer rows is
    asked about. A choice that is a public id is one of the club's people; otherwise 404.
    """
    persons_of(club, {choice for choice in choices.values() if choice != NEW and not choice.startswith(SAME)})
    unknown = {fold(name.name): name.name for name in names if name.how in (NameOutcome.ADDED, NameOutcome.PARTIAL)}
    own = SimilarNames(unknown)
    order = {name: (-counts[name], place) for place, name in enumerate(unknown)}
    asked = []
    for name in names:
        key = fold(name.name)
        others = [unknown[other] for other in own.like(key) if order[other] < order[key]] if key in unknown else []
        if name.candidates or others:
            asked.append(Question(name.name, name.candidates, others[:MAX_CANDIDATES], counts[key]))
    return [replace(question, choice=_choice(question, choices.get(fold(question.name), ""))) for question in asked]


def _choice(question: Question, choice: str) -> str:
    """Return a choice if it is one of those offered. Refused: `past_bad_choice`."""
    offered = {NEW, *(player.public_id for player in question.members), *(SAME + name for name in question.names)}
    if choice and choice not in offered:
        raise Refused("past_bad_choice", name=question.name)
    return choice


def decided_names(
    names: Sequence[NameMatch], asked: Sequence[Question]
) -> tuple[dict[str, Player | None], dict[str, str]]:
    """Return the player of each folded name, and the name under which its person is imported."""
    same = {fold(name.name): fold(name.name) for name in names}
    players = {fold(name.name): name.player for name in names}
    for question in asked:
        key = fold(question.name)
        if question.choice.startswith(SAME):
            same[key] = fold(question.choice.removeprefix(SAME))
        else:
            members = {player.public_id: player for player in question.members}
            players[key] = members.get(question.choice)
    for key in same:
        # A name is only offered the names that come before it by their rows, so this ends.
        while same[same[key]] != same[key]:
            same[key] = same[same[key]]
    return {key: players[same[key]] for key in players}, same


def import_past(*, club: Club, name: str, data: PastInput, by: Actor, now: datetime) -> PastSeason:
    """Import a season; unknown names become members without an account.

    Refused: as for `preview_past`; `past_no_columns`, `past_cells_open`, `past_names_open`, `past_rows_open`,
    `past_nothing`, `past_twice`.
    """
    with transaction.atomic():
        lock_club(club)
        preview = preview_past(club=club, data=data)
        if preview.sheet.lacks_columns:
            raise Refused("past_no_columns")
        if preview.sheet.lacks_cells:
            raise Refused("past_cells_open")
        if preview.questions:
            raise Refused("past_names_open", name=preview.questions[0].name)
        if preview.unclear and not data.leave_out:
            raise Refused("past_rows_open", count=len(preview.unclear))
        if not preview.rows:
            raise Refused("past_nothing")
        digest = _digest(preview.rows)
        if PastSeason.objects.filter(club=club, digest=digest, undone_at=None).exists():
            raise Refused("past_twice")
        needed = {preview.same[fold(row.name)] for row in preview.rows}
        players, added = players_of(club, preview.names, (preview.players, preview.same), needed, by)
        season = PastSeason.objects.create(club=club, name=name[:MAX_NAME_LENGTH], digest=digest, at=now, by=by.user)
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


def players_of(
    club: Club,
    names: Sequence[NameMatch],
    decided: tuple[Mapping[str, Player | None], Mapping[str, str]],
    needed: Collection[str],
    by: Actor,
) -> tuple[dict[str, Player], list[Player]]:
    """Return the player of each folded name that is needed, and those who are new members.

    `decided` is that of `decided_names`. Former members stay former ones.
    """
    players, same = decided
    known = {key: player for key, player in players.items() if player is not None}
    unknown = [name for name in names if fold(name.name) in needed and fold(name.name) not in known]
    namesakes = {index for index, name in enumerate(unknown) if name.how == NameOutcome.AMBIGUOUS}
    matches = find_or_add_players(club=club, names=[name.name for name in unknown], by=by, namesakes=namesakes)
    added = {fold(match.name): match.player for match in matches if match.player is not None}
    return {key: known.get(key) or added[own] for key, own in same.items() if own in needed}, list(added.values())


@dataclass(frozen=True, slots=True)
class NewSeason:
    name: str
    first_day: date
    last_day: date


def days_of(season: PastSeason) -> tuple[date, date] | None:
    """Return the first and the last day of an import; None if not all of its evenings have one."""
    days = set(season.placings.values_list("day", flat=True))
    known = {day for day in days if day is not None}
    return (min(known), max(known)) if known and known == days else None


def count_past(
    *, season: PastSeason, by: Actor, now: datetime, series: Series | None = None, new: NewSeason | None = None
) -> Series:
    """Let the evenings of an import count in a season of the club: one that there is, or a new one.

    A new season counts the points of the import, or else its places by a list. Harmless if they count there already.
    Refused: `past_undone`, `past_counts`, `series_closed`, and as `create_series`.
    """
    with transaction.atomic():
        is_new = series is None
        row = lock_row(PastSeason, season.pk)
        if row.undone_at is not None:
            raise Refused("past_undone")
        if row.counts_in is not None and series != row.counts_in:
            raise Refused("past_counts", name=row.counts_in.name)
        if series is None:
            assert new is not None  # noqa: S101, the form asks for one of the two.
            wanted = SeriesInput(new.name, new.first_day, new.last_day, PLACES_PRESET)
            series = create_series(club=row.club, series=wanted, by=by, now=now)
            series.counted.all().delete()
            if row.placings.filter(points__isnull=False).exists():
                points = row.placings.values_list("points", flat=True)
                digits = min(MAX_DIGITS, max(map(decimals_of, points)))
                plan = {"name": series.name, "points": {"given": True}, "count": {}, "ties": [], "show_digits": digits}
                series = changed_series(series)
                series.plans.update(plan=plan_json(plan_from(plan)) | {"name": series.name})
        elif row.counts_in is None:
            series = changed_series(series)
        row.counts_in = series
        row.save(update_fields=["counts_in"])
        log(by, COUNTED, series.topic, club=row.club, season=row.public_id, name=row.name, is_new=is_new)
    return series


def leave_out_past(*, season: PastSeason, by: Actor) -> PastSeason:
    """Let the evenings of an import no longer count; harmless if they do not. Refused: `series_closed`."""
    with transaction.atomic():
        row = lock_row(PastSeason, season.pk)
        if row.counts_in is not None:
            series = changed_series(row.counts_in)
            row.counts_in = None
            row.save(update_fields=["counts_in"])
            log(by, LEFT_OUT, series.topic, club=row.club, season=row.public_id, name=row.name)
    return row


def undo_past(*, season: PastSeason, by: Actor, now: datetime) -> PastSeason:
    """Undo an import: its placings go, and its new members whom nothing else refers to.

    Whoever has since got an account, been merged, entered an event, played, or been given a role or another club
    stays a member, and stays in `added`. The season in which its evenings counted stays without them, unless the
    import made it and nobody has done anything else with it. One that is closed was announced. Refused: `past_undone`,
    `series_closed`.
    """
    with transaction.atomic():
        row = lock_row(PastSeason, season.pk)
        if row.undone_at is not None:
            raise Refused("past_undone")
        counted_in = row.counts_in
        if counted_in is not None:
            changed_series(counted_in)
            row.counts_in = None
        lock_club(row.club)
        row.placings.all().delete()
        remove_unused(row)
        row.undone_at = now
        row.save(update_fields=["undone_at", "counts_in"])
        if counted_in is not None and _came_with(row, counted_in):
            remove_series(series=counted_in, by=by)
        log(by, "past_season_undone", club_topic(row.club), club=row.club, season=row.public_id)
    return row


def _came_with(season: PastSeason, series: Series) -> bool:
    """Whether an import made a season that is empty without it, and nobody has done anything else with it."""
    rows = LogEntry.objects.filter(topic=series.topic)
    is_used = rows.exclude(verb__in=("series_created", COUNTED, LEFT_OUT)).exists()
    is_its_own = rows.filter(verb=COUNTED, params__season=season.public_id, params__is_new=True).exists()
    return is_its_own and not is_used and is_empty(series)


def remove_unused(source: PastSeason | MatchImport) -> None:
    """Delete the new members of an import to whom nothing else refers, all at once: each kind of row is looked at."""
    gone = unused(list(source.added.all()), source)
    source.added.remove(*gone)
    Membership.objects.filter(player__in=gone).delete()
    Player.objects.filter(pk__in=[player.pk for player in gone]).delete()


def unused(players: Sequence[Player], source: PastSeason | MatchImport) -> list[Player]:
    """Return the players to whom nothing refers but a plain membership of the club and this import."""
    ids = [player.pk for player in players]
    used = {player.pk for player in players if player.user_id or player.merged_into_id or player.erased_at}
    memberships = Membership.objects.filter(player__in=ids)
    used |= set(memberships.exclude(club=source.club).values_list("player", flat=True))
    used |= set(memberships.exclude(role=Membership.Role.MEMBER).values_list("player", flat=True))
    seasons, match_lists = PastSeason.added.through.objects, MatchImport.added.through.objects
    of_seasons, of_lists = seasons.filter(player__in=ids), match_lists.filter(player__in=ids)
    if isinstance(source, PastSeason):
        of_seasons = of_seasons.exclude(pastseason=source)
    else:
        of_lists = of_lists.exclude(matchimport=source)
    used |= {*of_seasons.values_list("player", flat=True), *of_lists.values_list("player", flat=True)}
    for relation in Player._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and not isinstance(relation, ManyToManyRel):
            model, field = relation.related_model, relation.field.name
            if model not in (Membership, PastSeason.added.through, MatchImport.added.through):
                rows = model._default_manager.filter(**{f"{field}__in": ids})  # noqa: SLF001, the manager of any model
                used |= set(rows.values_list(field, flat=True))
    return [player for player in players if player.pk not in used]


@dataclass(frozen=True, slots=True)
class PastTableRow:
    """A line of the table; people who are level share a rank."""

    rank: int
    player: Player
    points: Decimal | None
    events: int
    best: int | None
    """The best place."""

    @property
    def decimals(self) -> int:
        """How many decimals of the points say something."""
        return decimals_of(self.points)


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
