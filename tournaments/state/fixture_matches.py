"""The match of a fixture: opened when both players are known, voided when they change, reinstated when they return.

Only `settle` calls these, with the division locked.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from matches.lifecycle.finish import Announced, Basis, ResultInput, append_result
from matches.lifecycle.opening import MatchSettings, Opening, open_matches, renumber_entries
from matches.lifecycle.own_match import check_own_win
from matches.lifecycle.voiding import reinstate_matches, void_matches
from matches.models import Match, Result
from matches.play.directing import adjourn_boards, restore_boards
from players.actors import SYSTEM, Actor
from players.models import Player
from tournaments.formats.states import FixtureState
from tournaments.models import Advance, Division, Entry, Fixture, Slot
from tournaments.state.locks import lock_matches
from tournaments.state.notifications import notify_ready
from tournaments.state.preview import was_rated_while_void
from tournaments.state.stage_rows import StageRows

BATCH = 500
FOLLOWING = (Slot.Source.WINNER, Slot.Source.LOSER)
"""Sources of slots whose entrants come from other matches of the stage."""


class Pair(NamedTuple):
    """The two players of a fixture, and which of their entries in the division they play with."""

    players: tuple[Player, Player]
    numbers: tuple[int, int]


def update_matches(
    division: Division, rows: StageRows, states: Mapping[int, FixtureState], now: datetime, *, void_rated: bool | None
) -> list[Match]:
    """Give every fixture with two known entrants its match; return the matches that were opened.

    A match whose players changed is voided first. If the two have met in this fixture before, their old match and its
    result stand again instead. `void_rated` as in `settle`. The caller saves the fixtures.
    """
    pairs = _pairs(states, rows.of_division.entries)
    outdated = [row for number, row in rows.fixtures.items() if _is_outdated(row, pairs.get(number))]
    _detach(division, outdated, now, void_rated)
    unmatched = {number: pair for number, pair in pairs.items() if rows.fixtures[number].match is None}
    former = _former_matches(
        {rows.fixtures[number]: pair for number, pair in unmatched.items() if number in rows.former_results}
    )
    _reinstate(division, former, now)
    have_former = {match.number for match in rows.former_matches}
    missing = {rows.fixtures[number]: pair for number, pair in unmatched.items() if number in have_former}
    boards = _restore_boards({row: pair for row, pair in missing.items() if row not in former}, now)
    lengths = {round_.pk: round_.length for round_ in rows.rounds}
    openings = []
    for number, pair in unmatched.items():
        row = rows.fixtures[number]
        if row not in former and row not in boards:
            opening = Opening(pair.players, lengths[row.round_id], due_at=row.due_at, entry_numbers=pair.numbers)
            openings.append((row, opening))
    opened = _open(division, rows, openings, now)
    matches = {rows.fixtures[number].match: pair.numbers for number, pair in pairs.items()}
    renumber_entries({row: new for row, new in matches.items() if row is not None and row.entry_numbers != new})
    return opened


def record_walkovers(
    rows: StageRows, states: Mapping[int, FixtureState], now: datetime, by: Actor, withdrawal_reason: str | None
) -> bool:
    """Write the results of matches in which one side, or both, will not appear; return whether there were any."""
    matches = {number: rows.fixtures[number].match for number, state in states.items() if state.walkover is not None}
    locked = lock_matches([match.pk for match in matches.values() if match is not None])
    unplayed = {number: locked[match.pk] for number, match in matches.items() if match and not locked[match.pk].is_over}
    for number, match in unplayed.items():
        walkover = states[number].walkover
        winner = walkover.winner if walkover is not None else None
        kind = Result.Kind.WALKOVER if winner is not None else Result.Kind.DOUBLE_FORFEIT
        is_own = withdrawal_reason is not None and check_own_win(match, winner, by, withdrawal_reason)
        basis = Basis(Result.Source.FORMAT, reason=withdrawal_reason or "" if is_own else "", own_match=is_own)
        outcome, author = ResultInput(winner, kind=kind), by if is_own else SYSTEM
        append_result(match, outcome, basis, by=author, now=now, announced_by=Announced.CALLER)
    return bool(unplayed)


def _pairs(states: Mapping[int, FixtureState], entries: Mapping[int, Entry]) -> dict[int, Pair]:
    """Return the pair of every fixture whose two entrants are known, by fixture number."""
    pairs = {}
    for number, state in states.items():
        if state.entrants is not None:
            first, second = (entries[entry] for entry in state.entrants)
            pairs[number] = Pair((first.player, second.player), (first.number, second.number))
    return pairs


def _is_outdated(row: Fixture, pair: Pair | None) -> bool:
    """Whether the fixture has a match that is void or not between these two players."""
    if row.match is None:
        return False
    if row.match.state == Match.State.VOID:
        return True
    return pair is None or (row.match.player_0_id, row.match.player_1_id) != _ids(pair)


def _ids(pair: Pair) -> tuple[int, int]:
    first, second = pair.players
    return first.pk, second.pk


def _open(
    division: Division, rows: StageRows, openings: Sequence[tuple[Fixture, Opening]], now: datetime
) -> list[Match]:
    if not openings:
        return []
    matches = open_matches(
        [opening for _, opening in openings],
        settings=MatchSettings(
            club=division.tournament.club,
            parent_topic=division.topic,
            crawford=division.crawford,
            rated=division.rated,
            pool=division.pool,
            claim_wait=division.claim_wait,
            records_stand=division.records_stand,
        ),
        by=SYSTEM,
        now=now,
    )
    for (row, _), match in zip(openings, matches, strict=True):
        row.match = match
    following = [row for row, _ in openings if any(slot.source in FOLLOWING for slot in rows.slots[row.pk])]
    notify_ready(division, following, now)
    return matches


def _detach(division: Division, rows: Sequence[Fixture], now: datetime, rated: bool | None) -> None:
    """Void the matches of these fixtures and link them as former matches, so that they can be reinstated."""
    live = {row.match_id: row for row in rows if row.match is not None and row.match.state != Match.State.VOID}
    ids = [pk for pk in live if pk is not None]
    if ids:
        adjourn_boards(ids, now=now)
        stays_rated = was_rated_while_void(ids) if rated is None else dict.fromkeys(ids, rated)
        voided = {match: stays_rated[pk] for pk, match in lock_matches(ids).items()}
        void_matches(voided, club=division.tournament.club, by=SYSTEM, now=now)
        link = Fixture.former.through
        link.objects.bulk_create(
            [link(fixture_id=row.pk, match_id=pk) for pk, row in live.items()], ignore_conflicts=True
        )
    for row in rows:
        row.match = None


def _former_matches(pairs: Mapping[Fixture, Pair]) -> dict[Fixture, Match]:
    """Return the matches these pairs finished in their fixture before others took their places, locked."""
    if not pairs:
        return {}
    links = Fixture.former.through.objects.filter(fixture__in=list(pairs), match__finished_at__isnull=False)
    rows = links.order_by("match").values_list("fixture", "match", "match__player_0", "match__player_1")
    by_pk = {row.pk: row for row in pairs}
    former = {}
    for fixture, match, first, second in rows:
        row = by_pk[fixture]
        if _ids(pairs[row]) == (first, second):
            former[row] = match
    locked = lock_matches(list(former.values()))
    return {row: locked[match] for row, match in former.items()}


def _restore_boards(pairs: Mapping[Fixture, Pair], now: datetime) -> set[Fixture]:
    """Give fixtures back the matches that these pairs were playing here when others took their places."""
    if not pairs:
        return set()
    link = Fixture.former.through
    unfinished = link.objects.filter(
        fixture__in=list(pairs),
        match__state=Match.State.VOID,
        match__live__isnull=False,
        match__finished_at__isnull=True,
    )
    rows = {row.pk: row for row in pairs}
    boards: dict[Fixture, int] = {}
    for fixture, match, first, second in unfinished.order_by("match").values_list(
        "fixture", "match", "match__player_0", "match__player_1"
    ):
        row = rows[fixture]
        if _ids(pairs[row]) == (first, second):
            boards[row] = match  # The latest, should there be several.
    restored = {match.pk: match for match in restore_boards(boards.values(), now=now)}
    link.objects.filter(fixture__in=list(boards), match__in=restored).delete()
    for row, match_id in boards.items():
        row.match = restored[match_id]
    return set(boards)


def _reinstate(division: Division, former: Mapping[Fixture, Match], now: datetime) -> None:
    """Reinstate former matches, each with its result and with whoever was to advance from it."""
    if not former:
        return
    matches = list(former.values())
    before = {
        result.match_id: result.pk
        for result in Result.objects.filter(match__in=matches).exclude(kind=Result.Kind.VOID).order_by("version")
    }
    results = reinstate_matches(matches, club=division.tournament.club, by=SYSTEM, now=now)
    advances = {advance.result_id: advance for advance in Advance.objects.filter(result__in=before.values())}
    Advance.objects.bulk_create(
        Advance(result=result, fixture=row, side=advance.side, places=advance.places)
        for row, result in zip(former, results, strict=True)
        if (advance := advances.get(before[result.match_id])) is not None
    )
    link = Fixture.former.through
    link.objects.filter(fixture__in=list(former), match__in=matches).delete()
    for row, match in former.items():
        row.match = match
