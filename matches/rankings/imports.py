"""Starting ratings and past matches from CSV files: parsed, previewed, imported, undone."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import count
from typing import NamedTuple

from django.db import transaction
from django.utils.dateparse import parse_date

from core.locks import for_update, lock_row
from core.names import fold
from core.numbers import read_number
from core.queue import hint
from engine.errors import Refused
from formats.ratings import RatedMatch, Start, replay, standings_after
from matches.lifecycle.begun import begun_at
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.lifecycle.voiding import void_matches
from matches.models import Match, RatingImport, RatingPool, RatingStart, Result
from matches.models.matches import MAX_MATCH
from matches.ratings import rated
from matches.ratings.pools import MAX_EXPERIENCE, MAX_RATING, MIN_RATING, USUAL_RATINGS
from matches.ratings.rated import BEGINNING
from matches.ratings.services import REPLAY, mark_all_dirty
from players.actors import Actor, log
from players.models import Club, Player
from players.people.rows import club_topic
from players.people.services import NameMatch, NameOutcome, find_or_add_players, find_players

# Parsing starting ratings and past matches from CSV; errors name their row.


MAX_ROWS = 5000
RATING_PLACES = 6
STARTS = ("name", "rating", "experience")
MATCHES = ("date", "winner", "loser", "length")
DELIMITERS = ",;\t"


class StartRow(NamedTuple):
    """A starting rating; `row` is its row number in the file."""

    row: int
    name: str
    rating: float
    experience: int


class ImportedMatch(NamedTuple):
    row: int
    at: datetime
    winner: str
    loser: str
    length: int


def start_rows(text: str) -> list[StartRow]:
    """Parse starting ratings from the columns name, rating and (optional) experience.

    Refused: `import_empty`, `import_too_long`, `import_bad_row`, `import_unreadable_row`.
    """
    return [
        StartRow(
            row,
            _name(row, "name", cells),
            _number(row, "rating", cells, MIN_RATING, MAX_RATING),
            int(_number(row, "experience", cells, 0, MAX_EXPERIENCE, empty="0")),
        )
        for row, cells in _rows(text, STARTS)
    ]


def match_rows(text: str) -> list[ImportedMatch]:
    """Parse past matches from the columns date (2025-11-27), winner, loser and length. Refused: as for `start_rows`.

    Matches of one day keep the order of the file.
    """
    matches = []
    for row, cells in _rows(text, MATCHES):
        at = datetime.combine(_day(row, cells), time(12), UTC) + timedelta(seconds=row)
        length = int(_number(row, "length", cells, 1, MAX_MATCH))
        matches.append(ImportedMatch(row, at, _name(row, "winner", cells), _name(row, "loser", cells), length))
    return matches


def _rows(text: str, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    lines = text.removeprefix("\ufeff").strip().splitlines()
    first = lines[0] if lines else ""
    delimiter = max(DELIMITERS, key=first.count)
    titles = [title.strip().casefold() for title in next(_cells([first], delimiter, 1), [])]
    needed = [column for column in columns if column != "experience"]
    if len(lines) < 2 or not set(needed) <= set(titles):
        raise Refused("import_empty", columns=", ".join(columns))
    if len(lines) - 1 > MAX_ROWS:
        raise Refused("import_too_long", most=MAX_ROWS, count=len(lines) - 1)
    reader = _cells(io.StringIO("\n".join(lines[1:])), delimiter, 2)
    for row, cells in enumerate(reader, start=2):
        if any(cell.strip() for cell in cells):
            yield row, {title: cell.strip() for title, cell in zip(titles, cells, strict=False)}


def _cells(lines: Iterable[str], delimiter: str, row: int) -> Iterator[list[str]]:
    """Yield the cells of each row; the first row has the number `row`. Refused: `import_unreadable_row`."""
    reader = csv.reader(lines, delimiter=delimiter)
    for number in count(row):
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            # A cell of more than 128 KiB, as after a quotation mark that is never closed.
            raise Refused("import_unreadable_row", row=number) from None


def _name(row: int, column: str, cells: dict[str, str]) -> str:
    if not (name := cells.get(column, "")):
        raise Refused("import_bad_row", row=row, column=column, value="")
    return name


def _number(row: int, column: str, cells: dict[str, str], least: float, most: float, *, empty: str = "") -> float:
    text = cells.get(column, "") or empty
    try:
        number = read_number(text, RATING_PLACES, USUAL_RATINGS) if column == "rating" else read_number(text, 0)
    except ValueError:
        raise Refused("import_bad_row", row=row, column=column, value=text) from None
    if not least <= number <= most:
        raise Refused("import_bad_row", row=row, column=column, value=text)
    return float(number)


def _day(row: int, cells: dict[str, str]) -> date:
    text = cells.get("date", "")
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise Refused("import_bad_row", row=row, column="date", value=text)
    return day


# Importing starting ratings and past matches into a club's pool, with a preview and an undo.
#
# Past matches become ordinary matches without a score, so that ratings are computed as usual. Undoing voids them.


Kind = RatingImport.Kind


@dataclass(frozen=True, slots=True)
class Effect:
    """A player whose rating would change; `before` is None without a rating."""

    name: str
    new: bool
    before: float | None
    after: float


@dataclass(frozen=True, slots=True)
class ImportPreview:
    kind: str
    rows: int
    respelled: Sequence[tuple[str, str]]
    """(name in the file, name of the member) where a member was recognised by a different spelling."""
    effects: Sequence[Effect]


def preview_import(*, pool: RatingPool, kind: str, text: str) -> ImportPreview:
    """Return what an import would do to the ratings of a pool; nothing is written.

    Refused: `import_empty`, `import_too_long`, `import_bad_row`, `import_ambiguous`, `import_same_player`,
    `pairs_unrated`.
    """
    rows = _read(pool, kind, text)
    matched = _match_names(rows, find_players(club=_club(pool), names=_names(rows)))
    numbers = {
        key: name.player.pk if name.player else -index for index, (key, name) in enumerate(matched.items(), start=1)
    }
    starts: dict[int, Start] = {}
    matches: list[RatedMatch] = []
    if kind == Kind.STARTS:
        starts = {numbers[fold(row.name)]: (row.rating, row.experience) for row in rows if isinstance(row, StartRow)}
    else:
        past = (row for row in rows if isinstance(row, ImportedMatch))
        matches = [_rated(row, numbers) for row in past]
    names = {
        numbers[key]: (name.player.name if name.player else name.name, name.player is None)
        for key, name in matched.items()
    }
    effects = effects_of(pool, names, matches, starts)
    respelled = [(name.name, name.player.name) for name in matched.values() if name.respelled and name.player]
    return ImportPreview(kind, len(rows), respelled, effects)


def effects_of(
    pool: RatingPool,
    names: Mapping[int, tuple[str, bool]],
    past: Iterable[RatedMatch],
    new_starts: Mapping[int, Start] | None = None,
) -> list[Effect]:
    """Return what past matches and starting ratings would do to the ratings of a pool, the highest rating first.

    `names` are those of the imported players, by id, and whether they are new; new players have negative ids.
    """
    same = rated.merged_players()
    starts, matches = rated.starts_of(pool, same), rated.rated_matches(pool, BEGINNING, same)
    before = _ratings(pool, matches, starts)
    counted = [match for match in past if rated.counts_imported(pool.chosen, match.length)]
    after = _ratings(pool, [*matches, *counted], starts | dict(new_starts or {}))
    others = Player.objects.in_bulk([player for player in after if player > 0 and player not in names])
    all_names = {**names, **{pk: (player.shown_name, False) for pk, player in others.items()}}
    effects = [
        Effect(*all_names[player], before.get(player), rating)
        for player, rating in after.items()
        if rating != before.get(player)
    ]
    return sorted(effects, key=lambda effect: (-effect.after, fold(effect.name)))


def apply_import(*, pool: RatingPool, kind: str, text: str, by: Actor, now: datetime) -> RatingImport:
    """Import the rows of a file; unknown names become members. Refused: as for `preview_import`."""
    rows, club = _read(pool, kind, text), _club(pool)
    with transaction.atomic():
        matched = _match_names(rows, find_or_add_players(club=club, names=_names(rows), by=by))
        players = {key: name.player for key, name in matched.items() if name.player is not None}
        new_import = RatingImport.objects.create(pool=pool, kind=kind, at=now, by=by.user)
        if kind == Kind.STARTS:
            newest = {players[fold(row.name)].pk: row for row in rows if isinstance(row, StartRow)}
            RatingStart.objects.bulk_create(
                RatingStart(source=new_import, player_id=player, rating=row.rating, experience=row.experience)
                for player, row in newest.items()
            )
        else:
            past = [
                PastResult((players[fold(row.winner)], players[fold(row.loser)]), row.length, row.at)
                for row in rows
                if isinstance(row, ImportedMatch)
            ]
            settings = MatchSettings(club=club, pool=pool)
            new_import.matches.set(create_past_matches(past, settings=settings, by=by, now=now))
        log(by, "ratings_imported", club_topic(club), club=club, pool=pool.pk, kind=kind, rows=len(rows))
        # Starting ratings are part of the basis of a replay, so they need no mark.
        transaction.on_commit(partial(hint, REPLAY, pool.pk), robust=True)
    return new_import


def undo_import(*, source: RatingImport, by: Actor, now: datetime) -> RatingImport:
    """Undo an import; ratings are recalculated without it. Refused: `import_undone`."""
    with transaction.atomic():
        row = lock_row(RatingImport, source.pk)
        if row.undone_at is not None:
            raise Refused("import_undone")
        club = _club(row.pool)
        matches = for_update(Match.objects.filter(pk__in=row.matches.values("pk")))
        void_matches(dict.fromkeys(matches.order_by("pk"), False), club=club, by=by, now=now, reason="import undone")
        row.undone_at = now
        row.save(update_fields=["undone_at"])
        log(by, "rating_import_undone", club_topic(club), club=club, pool=row.pool_id, kind=row.kind)
        transaction.on_commit(partial(hint, REPLAY, row.pool_id), robust=True)
    return row


Row = StartRow | ImportedMatch


def _club(pool: RatingPool) -> Club:
    if pool.club is None:
        raise Refused("pool_of_other_club")
    return pool.club


def _read(pool: RatingPool, kind: str, text: str) -> Sequence[Row]:
    if pool.chosen.of_pairs:
        raise Refused("pairs_unrated")
    return start_rows(text) if kind == Kind.STARTS else match_rows(text)


def _names(rows: Iterable[Row]) -> list[str]:
    """Every name once, in the order of the file."""
    names = (name for row in rows for name in ((row.name,) if isinstance(row, StartRow) else (row.winner, row.loser)))
    return list({fold(name): name for name in names}.values())


def _match_names(rows: Sequence[Row], matched: Iterable[NameMatch]) -> dict[str, NameMatch]:
    """Matched players by folded name. Refused if a name is ambiguous, or if someone would play themselves."""
    by_name = {fold(match.name): match for match in matched}
    for row in rows:
        names = (row.name,) if isinstance(row, StartRow) else (row.winner, row.loser)
        matches = [by_name[fold(name)] for name in names]
        for match in matches:
            if match.how == NameOutcome.AMBIGUOUS:
                raise Refused("import_ambiguous", row=row.row, name=match.name)
        first, last = matches[0], matches[-1]
        if len(matches) == 2 and (first is last or (first.player is not None and first.player == last.player)):
            raise Refused("import_same_player", row=row.row, name=first.name)
    return by_name


def _rated(row: ImportedMatch, numbers: Mapping[str, int]) -> RatedMatch:
    # A higher id than any existing match: the match will be the newest of those that finished at the same time.
    return RatedMatch(row.at, 2**62 + row.row, numbers[fold(row.winner)], numbers[fold(row.loser)], row.length)


def _ratings(pool: RatingPool, matches: Iterable[RatedMatch], starts: Mapping[int, Start]) -> dict[int, float]:
    standings = standings_after({}, replay(pool.settings, {}, matches, starts))
    known = {player: rating for player, (rating, _) in starts.items()}
    return known | {player: standing.rating for player, standing in standings.items()}


class PastResult(NamedTuple):
    """A match that was played elsewhere: won by the first of its players, at a time, with a score if it is known."""

    players: tuple[Player, Player]
    length: int
    at: datetime
    score: tuple[int, int] | None = None
    event: str = ""


def create_past_matches(
    past: Sequence[PastResult], *, settings: MatchSettings, by: Actor, now: datetime
) -> list[Match]:
    """Create settled matches, won by side 0."""
    openings = [Opening(row.players, row.length) for row in past]
    matches = open_matches(openings, settings=settings, by=by, now=now)
    results = [
        Result(
            match=match,
            version=1,
            winner=0,
            score_0=row.score[0] if row.score else None,
            score_1=row.score[1] if row.score else None,
            kind=Result.Kind.PLAYED,
            source=Result.Source.DIRECTOR,
            by=by.kind,
            user=by.user,
            at=row.at,
        )
        for match, row in zip(matches, past, strict=True)
    ]
    for match, row, result in zip(matches, past, results, strict=True):
        match.state, match.finished_at, match.begun_at = Match.State.SETTLED, row.at, begun_at([], [result])
        match.seq, match.as_told, match.told_event = 1, True, row.event
    changed = ["state", "finished_at", "begun_at", "seq", "as_told", "told_event"]
    Match.objects.bulk_update(matches, changed, batch_size=500)
    Result.objects.bulk_create(results, batch_size=500)
    mark_all_dirty(matches)
    return matches
