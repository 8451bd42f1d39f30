"""Matches from before a club used this site: previewed with their ratings, imported, undone."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import cached_property
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models.fields.reverse_related import ForeignObjectRel, ManyToManyRel

from core.locks import for_update, lock_row
from core.names import fold
from core.spreadsheets import read_text
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from formats.ratings import RatedMatch
from matches.lifecycle.opening import MatchSettings
from matches.models import Match, MatchImport, RatingChange, RatingPool, Result
from matches.rankings.imports import Effect, PastResult, create_past_matches, effects_of
from matches.ratings import rated
from matches.ratings.services import forget_matches
from players.actors import Actor, log
from players.models import Club, Player
from players.people.rows import club_topic, lock_club
from players.people.services import find_players
from seasons.imports.matches import SKIPPED, MatchProblem, MatchReading, MatchSheet, PastMatch, read_past_matches
from seasons.imports.seasons import NamesPreview, asked_about, decided_names, players_of, remove_unused, spelled_once

AS_RECOGNISED = MatchReading()


@dataclass(frozen=True, slots=True)
class MatchesInput:
    """A file as text, and what somebody has decided about it."""

    text: str
    reading: MatchReading = AS_RECOGNISED
    choices: Mapping[str, str] = field(default_factory=dict)
    """As of `PastInput`."""
    leave_out: bool = False
    pool: RatingPool | None = None
    """The pool of the club in which the matches count; None: they are not rated."""


@dataclass(frozen=True)
class MatchesPreview(NamesPreview):
    sheet: MatchSheet
    rows: Sequence[PastMatch]
    """The matches that would be imported, in the order of the file."""
    unclear: Sequence[PastMatch]
    skipped: Sequence[PastMatch]
    effects: Sequence[Effect] = ()
    """Every rating of the pool that would be different."""

    @property
    def new(self) -> list[str]:
        """The names that would be added as members."""
        needed = {self.same[fold(name)] for row in self.rows for name in row.names}
        names = {fold(name.name): name.name for name in self.names}
        return [name for key, name in names.items() if key in needed and self.players.get(key) is None]

    @cached_property
    def ratings(self) -> str:
        """Stands for the rating changes shown: an import into a pool names it, so that nobody rates unseen."""
        shown = repr([(effect.name, effect.before, effect.after) for effect in self.effects])
        return hashlib.sha256(shown.encode()).hexdigest()[:32]


Person = int | str
"""The id of a member, or the folded name of somebody new."""
MatchKey = tuple[date | None, Person, Person, int, tuple[int, int] | None, str]


def preview_matches(*, club: Club, data: MatchesInput, now: datetime) -> MatchesPreview:
    """Return what an import would do; nothing is written.

    Refused: `past_no_columns`, `past_bad_choice`, `pool_of_other_club`, those of `read_text` and of `find_players`.
    """
    if data.pool is not None and data.pool.club_id != club.pk:
        raise Refused("pool_of_other_club")
    zone = ZoneInfo(club.time_zone)
    sheet = read_past_matches(read_text(data.text), data.reading, now.astimezone(zone).date())
    counts = Counter(fold(name) for row in sheet.good for name in row.names)
    spelled = spelled_once(name for row in sheet.good for name in row.names)
    names = find_players(club=club, names=spelled, near=True) if spelled else []
    choices = {fold(name): choice for name, choice in data.choices.items() if choice}
    asked = asked_about(club, names, counts, choices)
    players, same = decided_names(names, asked)
    people: dict[str, Person] = {key: player.pk if player else same[key] for key, player in players.items()}
    rows = _checked(sheet.rows, people, _stored_keys(club, zone))
    preview = MatchesPreview(
        names,
        asked,
        players,
        same,
        sheet,
        [row for row in rows if row.problem is None],
        [row for row in rows if row.problem is not None and row.problem not in SKIPPED],
        [row for row in rows if row.problem in SKIPPED],
    )
    if data.pool is None:
        return preview
    return replace(preview, effects=_effects(data.pool, preview, people, zone))


def _checked(rows: Sequence[PastMatch], people: Mapping[str, Person], stored: frozenset[MatchKey]) -> list[PastMatch]:
    """Return the rows with those marked that are imported already, that repeat another one, or have one player.

    The first of several equal rows is imported; the others may be the same match, told by both of its players.
    """
    seen: set[MatchKey] = set()
    checked = []
    for row in rows:
        if row.problem is None:
            key = _key(row, people)
            shown = f"{row.winner} – {row.loser}"
            if key[1] == key[2]:
                row = replace(row, problem=MatchProblem.SAME_PLAYER, value=shown)
            elif key in stored:
                row = replace(row, problem=MatchProblem.KNOWN, value=shown)
            elif key in seen:
                row = replace(row, problem=MatchProblem.REPEATED, value=shown)
            seen.add(key)
        checked.append(row)
    return checked


def _key(row: PastMatch, people: Mapping[str, Person]) -> MatchKey:
    winner, loser = (people[fold(name)] for name in row.names)
    return row.day, winner, loser, row.length, row.score, fold(row.event)


def _stored_keys(club: Club, zone: ZoneInfo) -> frozenset[MatchKey]:
    """Return the imported matches of a club as `_key` describes those of a file."""
    same = rated.merged_players()
    rows = Result.objects.filter(match__club=club, match__as_told=True, version=1, winner=0)
    columns = rows.exclude(match__state=Match.State.VOID).values_list(
        "match__finished_at", "match__player_0", "match__player_1", "match__length", "score_0", "score_1",
        "match__told_event",
    )  # fmt: skip
    return frozenset(
        (
            at.astimezone(zone).date() if at else None,
            same.get(winner, winner),
            same.get(loser, loser),
            length,
            None if won is None or lost is None else (won, lost),
            fold(event),
        )
        for at, winner, loser, length, won, lost, event in columns.order_by().iterator()
    )


def _times(rows: Sequence[PastMatch], zone: ZoneInfo) -> list[datetime]:
    """Return when the matches are said to have ended: from noon of their day on, in the order of the file."""
    return [
        datetime.combine(row.day or date.min, time(12), zone) + timedelta(seconds=place)
        for place, row in enumerate(rows)
    ]


def _effects(pool: RatingPool, preview: MatchesPreview, people: Mapping[str, Person], zone: ZoneInfo) -> list[Effect]:
    new = {key: -number for number, key in enumerate(dict.fromkeys(preview.same.values()), 1)}
    ids = {key: person if isinstance(person, int) else new[person] for key, person in people.items()}
    names = {
        ids[fold(name.name)]: (player.name if player else name.name, player is None)
        for name in preview.names
        if (player := preview.players[fold(name.name)]) or preview.same[fold(name.name)] == fold(name.name)
    }
    past = [
        # A higher id than any match has: those of an import are the newest of those that ended at the same time.
        RatedMatch(
            at,
            2**62 + place,
            ids[fold(row.winner)],
            ids[fold(row.loser)],
            row.length,
            rated.told_event_key(row.event, at),
        )
        for place, (row, at) in enumerate(zip(preview.rows, _times(preview.rows, zone), strict=True))
    ]
    return effects_of(pool, names, past)


def import_matches(*, club: Club, name: str, data: MatchesInput, ratings: str, by: Actor, now: datetime) -> MatchImport:
    """Import matches; unknown names become members without an account.

    With a pool, `ratings` is that of the preview: the changes that somebody has seen. Refused: as for
    `preview_matches`; `past_no_match_columns`, `past_names_open`, `past_rows_open`, `past_nothing`, `past_twice`,
    `past_ratings_changed`.
    """
    with transaction.atomic():
        lock_club(club)
        preview = preview_matches(club=club, data=data, now=now)
        if preview.sheet.lacks_columns:
            raise Refused("past_no_match_columns")
        if preview.questions:
            raise Refused("past_names_open", name=preview.questions[0].name)
        if preview.unclear and not data.leave_out:
            raise Refused("past_rows_open", count=len(preview.unclear))
        if not preview.rows:
            is_known = any(row.problem is MatchProblem.KNOWN for row in preview.skipped)
            raise Refused("past_twice" if is_known else "past_nothing")
        if data.pool is not None and ratings != preview.ratings:
            raise Refused("past_ratings_changed")
        needed = {preview.same[fold(player)] for row in preview.rows for player in row.names}
        players, added = players_of(club, preview.names, (preview.players, preview.same), needed, by)
        row = MatchImport.objects.create(club=club, name=name[:MAX_NAME_LENGTH], pool=data.pool, at=now, by=by.user)
        row.added.set(added)
        row.matches.set(_create(club, data.pool, preview.rows, players, by, now))
        log(by, "past_matches_imported", club_topic(club), club=club, source=row.public_id, rows=len(preview.rows))
    return row


def _create(
    club: Club,
    pool: RatingPool | None,
    rows: Sequence[PastMatch],
    players: Mapping[str, Player],
    by: Actor,
    now: datetime,
) -> list[Match]:
    """Create settled matches, won by side 0; without a pool they are not rated anywhere."""
    times = _times(rows, ZoneInfo(club.time_zone))
    past = [
        PastResult((players[fold(row.winner)], players[fold(row.loser)]), row.length, at, row.score, row.event)
        for row, at in zip(rows, times, strict=True)
    ]
    settings = MatchSettings(club=club, rated=pool is not None, pool=pool)
    return create_past_matches(past, settings=settings, by=by, now=now)


def undo_matches(*, source: MatchImport, by: Actor, now: datetime) -> MatchImport:
    """Undo an import: its matches go, and its new members whom nothing else refers to; ratings are recalculated.

    Matches that have been ruled on or given a record since stay, as do members who have been used; both stay listed
    in `matches` and `added`. Refused: `past_undone`.
    """
    with transaction.atomic():
        row = lock_row(MatchImport, source.pk)
        if row.undone_at is not None:
            raise Refused("past_undone")
        lock_club(row.club)
        locked = list(for_update(Match.objects.filter(pk__in=row.matches.values("pk"))).order_by("pk"))
        used = _used(locked)
        gone = [match.pk for match in locked if match.pk not in used]
        if row.pool is not None:
            forget_matches(pool=row.pool, matches=gone)
        row.matches.remove(*gone)
        Result.objects.filter(match__in=gone).delete()
        Match.objects.filter(pk__in=gone).delete()
        remove_unused(row)
        row.undone_at = now
        row.save(update_fields=["undone_at"])
        log(by, "past_matches_undone", club_topic(row.club), club=row.club, source=row.public_id)
    return row


def _used(matches: Sequence[Match]) -> set[int]:
    """Return the matches to which more refers than their imported result, its ratings and the import."""
    ids = [match.pk for match in matches]
    used = set(Result.objects.filter(match__in=ids, version__gt=1).values_list("match", flat=True))
    for relation in Match._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and not isinstance(relation, ManyToManyRel):
            model, name = relation.related_model, relation.field.name
            if model not in (Result, RatingChange, MatchImport.matches.through):
                rows = model._default_manager.filter(**{f"{name}__in": ids})  # noqa: SLF001, the manager of any model
                used |= set(rows.values_list(name, flat=True))
    return used
