"""Derive everything again from the facts and compare it with what is stored. There should never be a difference."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from django.db.models import Q, QuerySet

from formats.soundness import faults
from formats.states import FixtureState
from matches.lifecycle.begun import begun_at
from matches.models import Action, Claim, Match, RatingPool, Result
from matches.play.live import EventKind
from matches.play.transcripts import differences_of
from matches.ratings import services as ratings
from players.models import Club, Membership, Pair
from players.people.pairs import names_of, with_people
from players.people.rows import PersonId, canonical, people_of
from tournaments.models import Correction, Division, Entry, Fixture, FloorEvent, FloorKind, JoinedEntry, Slot, Stage
from tournaments.state.derivation import StageState, states_of
from tournaments.state.floor import beginnings_of
from tournaments.state.places import moving_up
from tournaments.state.stage_rows import outcome

BATCH = 500
OVER = (Division.Status.FINISHED, Division.Status.CANCELLED)
Report = Callable[[str, int], None]
"""Is called with "division", "match" or "rating pool", and how many of them have been checked."""


def silent(_kind: str, _count: int) -> None:
    """Report nothing."""


class Difference(NamedTuple):
    """A stored value that differs from the one derived from the facts, or a broken invariant."""

    topic: str
    what: str
    stored: object
    derived: object

    def __str__(self) -> str:
        return f"{self.topic}: {self.what} is {self.stored!r}, the facts give {self.derived!r}"


class Selection(NamedTuple):
    divisions: QuerySet[Division]
    matches: QuerySet[Match]
    pools: QuerySet[RatingPool]
    pairs: QuerySet[Pair]

    @classmethod
    def of(cls, *, since: datetime | None = None, club: Club | None = None) -> "Selection":
        """Select what was created after `since`, or one club, without rating pools and pairs; everything by default."""
        divisions = Division.objects.select_related("tournament")
        matches, pools = Match.objects.all(), RatingPool.objects.all()
        pairs = with_people() if club is None and since is None else Pair.objects.none()
        if club is not None:
            divisions, matches, pools = divisions.filter(tournament__club=club), matches.filter(club=club), pools.none()
        if since is not None:
            divisions = divisions.filter(Q(tournament__created_at__gte=since) | Q(tournament__starts_at__gte=since))
            matches, pools = matches.filter(created_at__gte=since), pools.none()
        return cls(divisions.order_by("pk"), matches.order_by("pk"), pools.order_by("pk"), pairs)

    def __str__(self) -> str:
        counts = (("division", self.divisions), ("match", self.matches), ("rating pool", self.pools))
        return ", ".join(counted(name, rows.count()) for name, rows in counts)


def counted(name: str, count: int) -> str:
    """Return a number of divisions, matches or rating pools as a reader sees it."""
    plural = {"match": "matches"}.get(name, f"{name}s")
    return f"{count:,} {name if count == 1 else plural}"


def is_empty() -> bool:
    """Whether the database has no division and no match."""
    return not Division.objects.exists() and not Match.objects.exists()


def differences(selection: Selection | None = None, report: Report = silent) -> Iterator[Difference]:
    """Yield every difference in pairs, divisions, matches and ratings; `report` is called as the check goes on."""
    divisions, matches, pools, pairs = selection or Selection.of()
    yield from _of_pairs(pairs)
    for count, division in enumerate(divisions.iterator(BATCH), start=1):
        yield from _of_division(division)
        report("division", count)
    yield from _of_matches(matches, report)
    for count, pool in enumerate(pools, start=1):
        yield from _of_pool(pool)
        report("rating pool", count)


def _of_pairs(pairs: QuerySet[Pair]) -> Iterator[Difference]:
    """Check that pairs are two people, that their names follow from these, and that one row stands for a couple."""
    rows = list(pairs.select_related("player__merged_into"))
    members = set(Membership.objects.filter(player__in=[pair.pk for pair in rows]).values_list("player", flat=True))
    standing: dict[frozenset[int], int] = {}
    for pair in rows:
        topic, row = f"pair:{pair.pk}", pair.player
        parts, name = names_of(pair)
        if (row.parts, row.name) != (parts, name):
            yield Difference(topic, "parts and name", (row.parts, row.name), (parts, name))
        if pair.first.parts is not None or pair.second.parts is not None:
            yield Difference(topic, "a pair in it", pair.pk, None)
        if row.user_id is not None or pair.pk in members:
            yield Difference(topic, "an account or a membership", pair.pk, None)
        couple = frozenset(canonical(person).pk for person in (pair.first, pair.second))
        row = canonical(row)
        if standing.setdefault(couple, row.pk) != row.pk:
            yield Difference(topic, "merged into", row.pk, standing[couple])


def _of_matches(matches: QuerySet[Match], report: Report) -> Iterator[Difference]:
    """Check matches in batches, each with a fixed number of queries but for those that are played here."""
    count = 0
    rows = matches.select_related("live").prefetch_related("results", "claims").iterator(BATCH)
    while batch := list(islice(rows, BATCH)):
        starts = beginnings_of([match.pk for match in batch])
        for match in batch:
            yield from _of_match(match, starts.get(match.pk))
        count += len(batch)
        report("match", count)


def _of_division(division: Division) -> Iterator[Difference]:
    stored = list(division.entries.select_related("player").order_by("pk"))
    entries = {entry.pk: (entry.player_id, entry.number) for entry in stored}
    yield from _of_entries(division, stored)
    if moving := moving_up(division):
        yield Difference(division.topic, "who waits although a place is free", [entry.pk for entry in moving], [])
    # What is derived leaves them out, as if they had been undone while it was read.
    without = Fixture.objects.filter(stage__division=division, slots=None)
    for number in without.order_by("number").values_list("number", flat=True):
        yield Difference(f"{division.topic} M{number}", "slots", 0, 2)
    for state in states_of(division):
        rows = state.rows
        for slot, source in rows.redrawn(state.progress):
            yield Difference(
                f"{division.topic} slot {slot.pk}", "drawn from", (slot.source, slot.source_fixture), source
            )
        for number, fixture in state.progress.fixtures.items():
            row = rows.fixtures[number]
            yield from _of_fixture(f"{division.topic} M{number}", row, rows.slots[row.pk], fixture, entries)
        status = Stage.Status.FINISHED if state.over else Stage.Status.RUNNING
        topic = f"{division.topic} stage {state.stage.number}"
        if state.stage.status != status:
            yield Difference(topic, "status", state.stage.status, status)
        for fault in faults(rows.settings, state.progress, state.event):
            yield Difference(topic, fault.what, fault.actual, fault.expected)
        yield from _of_kept_brackets(division, state)


def _of_entries(division: Division, entries: Sequence[Entry]) -> Iterator[Difference]:
    """Check that one person has one entry, except for re-entries, and which entry stands for a joined one."""
    standing = JoinedEntry.standing(division)
    persons: dict[tuple[int, int], int] = {}
    people = people_of(entry.player_id for entry in entries)
    sides: dict[PersonId, frozenset[PersonId]] = {}
    for entry in entries:
        topic = f"{division.topic} entry {entry.pk}"
        if entry.joined_to_id != standing.get(entry.pk):
            yield Difference(topic, "joined to", entry.joined_to_id, standing.get(entry.pk))
        if entry.status == Entry.Status.OUT:
            continue
        if entry.pk in standing:
            yield Difference(topic, "status of a joined entry", entry.status, Entry.Status.OUT.value)
        person = (entry.player.merged_into_id or entry.player_id, entry.number)
        if division.status == Division.Status.ENTRIES and person in persons:
            yield Difference(topic, "entry of a person who has entry", entry.pk, persons[person])
        persons.setdefault(person, entry.pk)
        side = frozenset(people[entry.player_id])
        for person_id in side if division.status not in OVER else ():
            if sides.setdefault(person_id, side) != side:
                yield Difference(topic, "sides of a person", set(side), set(sides[person_id]))


def _of_kept_brackets(division: Division, state: StageState) -> Iterator[Difference]:
    """Check that a correction that keeps the bracket, and stands, keeps who advanced by the result before it."""
    division_rows = state.rows.of_division
    standing = {versions[-1].pk for versions in division_rows.versions.values()}
    advances = {advance.result_id: advance for advance in division_rows.advances}
    keeping = Correction.objects.filter(choice=Correction.Choice.KEEP_BRACKET, fixture__stage=state.stage)
    for correction in keeping.select_related("before", "after", "fixture").order_by("pk"):
        if correction.after_id not in standing:
            continue
        before, after = (outcome(result, None, kept=advances) for result in (correction.before, correction.after))
        topic = f"{division.topic} M{correction.fixture.number}"
        if before.advancing_slot != after.advancing_slot:
            yield Difference(topic, "side that advances in a kept bracket", after.advancing_slot, before.advancing_slot)
        lost = {place: entry for place, entry in before.kept if place not in dict(after.kept)}
        now = {place: state.places.get(place) for place in lost}
        if now != lost:
            yield Difference(topic, "places in a kept bracket", list(now.values()), list(lost.values()))


def _of_fixture(
    topic: str, fixture: Fixture, slots: Iterable[Slot], state: FixtureState, entries: Mapping[int, tuple[int, int]]
) -> Iterator[Difference]:
    """Check a fixture; `entries` are the entries of the division with their players and numbers."""
    if fixture.status != state.status.value:
        yield Difference(topic, "status", fixture.status, state.status.value)
    for slot, derived_slot in zip(slots, state.slots, strict=True):
        stored, derived = (
            (slot.status, slot.entry_id, slot.absent_id),
            (derived_slot.status.value, derived_slot.entry, derived_slot.absent),
        )
        if stored != derived:
            yield Difference(topic, f"side {slot.side}", stored, derived)
    needs_match = state.entrants is not None
    if needs_match != (fixture.match is not None):
        yield Difference(topic, "has a match", fixture.match is not None, needs_match)
    if fixture.match is not None:
        yield from _of_players(topic, fixture.match, slots, entries)


def _of_players(
    topic: str, match: Match, slots: Iterable[Slot], entries: Mapping[int, tuple[int, int]]
) -> Iterator[Difference]:
    """Check that the match of a fixture is between its two entrants."""
    entrants = [slot.entry_id or slot.absent_id for slot in slots]
    derived = [entries.get(entry) if entry else None for entry in entrants]
    stored = list(zip((match.player_0_id, match.player_1_id), match.entry_numbers, strict=True))
    if derived != stored:
        yield Difference(topic, "players and entry numbers", stored, derived)


def _of_match(match: Match, started: datetime | None) -> Iterator[Difference]:
    """Check a match; `started` is when it was started at a table."""
    results = sorted(match.results.all(), key=lambda result: result.version)
    versions = [result.version for result in results]
    if versions != list(range(1, len(results) + 1)):
        yield Difference(match.topic, "versions", versions, list(range(1, len(results) + 1)))
    state = _state(match, results[-1] if results else None)
    if match.state != state:
        yield Difference(match.topic, "state", match.state, state)
    provisional = bool(results) and results[-1].finality == Result.Finality.PROVISIONAL
    if match.provisional != provisional:
        yield Difference(match.topic, "provisional", match.provisional, provisional)
    counted = [result for result in results if result.kind != Result.Kind.VOID]
    finished = counted[0].at if counted else None
    if match.finished_at != finished:
        yield Difference(match.topic, "finished_at", match.finished_at, finished)
    live = getattr(match, "live", None)
    begun = begun_at(match.claims.all(), results, live.begun_at if live else None, started)
    if match.begun_at != begun:
        yield Difference(match.topic, "begun_at", match.begun_at, begun)
    if match.unsettled != (match.settle_at is not None):
        yield Difference(match.topic, "unsettled", match.unsettled, match.settle_at is not None)
    if live is not None:
        for difference in differences_of(live):
            yield Difference(match.topic, *difference)


def _state(match: Match, standing: Result | None) -> str:
    if standing is not None and standing.kind == Result.Kind.VOID:
        if _is_restored(match, standing):
            return Match.State.LIVE
        if not _goes_on(match, standing):
            return Match.State.VOID
    elif standing is not None:
        return Match.State.SETTLED
    if hasattr(match, "live") and match.live.lapsed_at is None:
        return Match.State.LIVE
    claims = {claim.state for claim in match.claims.all() if claim.is_signed}
    if Claim.State.CONTESTED in claims:
        return Match.State.DISPUTED
    return Match.State.CLAIMED if Claim.State.OPEN in claims else Match.State.OPEN


def _is_restored(match: Match, void: Result) -> bool:
    """Whether a match is being played here again since it became void."""
    return Action.objects.filter(live=match.pk, kind=EventKind.RESTORED, at__gte=void.at).exists()


def _goes_on(match: Match, void: Result) -> bool:
    """Whether a match that was stopped goes on since it became void, because that was undone."""
    stopped = FloorEvent.objects.filter(match=match.pk, kind=FloorKind.STOPPED).order_by("-pk").first()
    return stopped is not None and FloorEvent.objects.filter(undoes=stopped, at__gte=void.at).exists()


def _of_pool(pool: RatingPool) -> Iterator[Difference]:
    report = ratings.check_ratings(pool)
    topic = f"pool:{pool.pk}"
    for name in ("changes", "standings", "unmoved"):
        for place, (stored, derived) in getattr(report, name).items():
            yield Difference(topic, f"{name} of {place}", stored, derived)
