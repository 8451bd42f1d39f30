"""Re-entries: a player who is out of the main bracket takes a bye by lot, until a time of the division.

The two entries are kept as far apart as the byes allow, and never play each other: if they meet later on, the earlier
entry advances without a match.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from engine.errors import Refused
from formats.graph import MAIN, EntrySource
from formats.plans import LateDrop
from matches.ratings.services import ratings_of
from players.actors import Actor, log
from players.models import Player
from players.people.rows import canonical, lock_present
from tournaments.entries import check_in
from tournaments.entries.late import LATE, ByePlan, Newcomer, check_running, free_byes, plan_bye, rows_of, write_plan
from tournaments.entries.services import next_number, same_side, withdraw
from tournaments.models import CheckIn, Division, Entry, LateEntry, Tournament
from tournaments.models import Fixture as FixtureRow
from tournaments.state.derivation import StageState, states_of
from tournaments.state.locks import division_changed, lock_division, lock_event, lock_unfinished_matches
from tournaments.state.places import WITH_REENTRY, is_full, may_reenter, passed_over, refuse_passing
from tournaments.state.preview import Consequences, DivisionFacts, consequences_of
from tournaments.state.settle import settle
from tournaments.state.versions import DivisionPart, refuse_stale

NEW_ENTRY = 0
"""Placeholder for the id of the new entry in a preview."""


@dataclass(frozen=True, slots=True)
class ReentryPreview:
    """A re-entry and the changes it would make; `seq` is the division's."""

    previous: Entry
    number: int
    newcomer: Newcomer
    leaves: bool
    """Whether the previous entry is withdrawn and so gives up its place in the consolation."""
    seq: int
    following: Consequences
    """What follows from that withdrawal; whose bye the new entry takes is not shown before."""
    passes: Sequence[Entry] = ()
    """Who waits and comes before them."""


class _Place(NamedTuple):
    """A running stage, the player who enters again, their entries that are in, and the bye they get."""

    state: StageState
    player: Player
    standing: Sequence[Entry]
    plan: ByePlan


def reenterable(division: Division, now: datetime) -> set[int]:
    """Return the ids of the newest entries of players who are out of the main bracket and can enter again now.

    A few queries while re-entry is open, and few of them once no bye is left.
    """
    byes = FixtureRow.objects.filter(stage__division=division, status=FixtureRow.Status.BYE)
    if not may_reenter(division, now) or not byes.exists():
        return set()
    state = states_of(division)[0]
    if is_full(division) or not free_byes(state, []):
        return set()
    rows = division.entries.filter(status=Entry.Status.IN).select_related("player").order_by("pk")
    entries_of: dict[int, list[int]] = {}
    for entry in rows:
        entries_of.setdefault(entry.player.merged_into_id or entry.player_id, []).append(entry.pk)
    out = state.progress.eliminated(MAIN)
    return {entries[-1] for entries in entries_of.values() if out.issuperset(entries)}


def preview_reentry(*, entry: Entry, now: datetime) -> ReentryPreview:
    """Preview `reenter`. Refused: as `reenter`, except `stale`."""
    division = entry.division
    place = _place(division, entry, now)
    leaving = [place.standing[-1].pk] if _leaves(place) else []
    # Compared with the newcomer in the bracket, where whoever leaves may meet another opponent. Lower brackets that are
    # planned anew have other matches, of which none has begun.
    graph = None if place.plan.drop is LateDrop.ANEW else place.plan.graph
    before, after = (DivisionFacts(division, rows_of(division, graph, gone)).states() for gone in ([], leaving))
    following = consequences_of(division, before, after)
    number = next_number(division, place.player)
    byes = free_byes(place.state, [row.pk for row in place.standing])
    newcomer = Newcomer(NEW_ENTRY, place.player, place.player.name, byes=byes, drop=place.plan.drop)
    passes = passed_over(division, [Entry(entered_at=now)])
    return ReentryPreview(entry, number, newcomer, bool(leaving), division.seq, following, passes)


def reenter(
    *, entry: Entry, after: int, by: Actor, now: datetime, reason: str = "", past_waiting: bool = False
) -> Entry:
    """Enter the player of an entry once more. `after` is the `seq` of the preview, `past_waiting` as in `enter_late`.

    Unless the division lets the previous entry play on in the consolation, it is withdrawn, with this public `reason`.
    Refused: `stale`, `tournament_not_open`, `division_not_drawn`, `reentry_not_offered`, `reentry_closed`,
    `not_entered`, `reentry_still_in`, `reentry_without_bye`, `others_wait`, and what `withdraw` refuses.
    """
    with transaction.atomic():
        event = lock_event(entry.division.tournament_id)
        division = lock_division(entry.division_id)
        refuse_stale(division, after, by=by)
        locked_matches = lock_unfinished_matches([division])
        place = _place(division, Entry.objects.select_related("player").get(pk=entry.pk), now)
        lock_present(place.player)
        refuse_passing(division, [Entry(entered_at=now)], past_waiting=past_waiting)
        late = _add_entry(division, event, place, by, now)
        division_changed(division, part=DivisionPart.ENTRIES)
        settle(division, by=by, now=now, locked=locked_matches)
        if _leaves(place):
            previous = withdraw(entry=place.standing[-1], by=by, now=now, reason=reason)
            late.withdrawal = previous.withdrawals.filter(bracket=None, taken_back_at=None).latest("pk")
            late.save(update_fields=["withdrawal"])
    return late.entry


def _add_entry(division: Division, event: Tournament, place: _Place, by: Actor, now: datetime) -> LateEntry:
    """Write the new entry, present if the previous one is, and the bye it takes."""
    entry = Entry.objects.create(
        division=division,
        player=place.player,
        number=next_number(division, place.player),
        rating=ratings_of(players=[place.player.pk], pool=division.pool, club=division.tournament.club)[
            place.player.pk
        ],
        entered_at=now,
        entered_by=by.user,
        **{name: getattr(place.standing[-1], name) for name in Entry.FIELDS},
    )
    side = place.plan.graph.fixture(place.plan.fixture).sources.index(EntrySource(NEW_ENTRY))
    graph = place.plan.graph.with_source(place.plan.fixture, side, EntrySource(entry.pk))
    written = write_plan(place.state, place.plan._replace(graph=graph), event=event, now=now)
    late = LateEntry.objects.create(entry=entry, stage=place.state.stage, **written, at=now, by=by.user)
    log_params = {"entry": entry.pk, "fixture": place.plan.fixture, "lot": [LATE]}
    log(by, "re_entered", division.topic, club=division.tournament.club, **log_params)
    if check_in.state_of(place.standing[-1]) == CheckIn.State.HERE:
        check_in.record(division, [CheckIn(entry=entry, state=CheckIn.State.HERE, at=now, by=by.user)], by)
    return late


def _place(division: Division, entry: Entry, now: datetime) -> _Place:
    """Return where a player would enter again, as NEW_ENTRY. Refused: as `reenter`."""
    check_running(division)
    state = states_of(division)[0]
    if division.reentry_until is None or state.stage.format not in WITH_REENTRY or state.over:
        raise Refused("reentry_not_offered")
    if now >= division.reentry_until:
        raise Refused("reentry_closed")
    player = canonical(entry.player)
    if entry.status != Entry.Status.IN:
        raise Refused("not_entered", name=player.shown_name)
    standing = list(division.entries.filter(same_side(player), status=Entry.Status.IN).order_by("pk"))
    if not state.progress.eliminated(MAIN).issuperset(row.pk for row in standing):
        raise Refused("reentry_still_in", name=player.shown_name)
    plan = None if is_full(division) else plan_bye(state, NEW_ENTRY, [row.pk for row in standing])
    if plan is None:
        raise Refused("reentry_without_bye")
    return _Place(state, player, standing, plan)


def _leaves(place: _Place) -> bool:
    """Whether the previous entry gives up a place in the brackets below the main bracket."""
    return len(place.state.rows.brackets) > 1 and not place.state.stage.division.reentry_keeps
