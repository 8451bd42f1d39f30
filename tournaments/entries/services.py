"""Entering players before the draw, and withdrawal."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact

from engine.errors import Refused
from formats.graph import EntryId
from matches.models import Match
from players.actors import Actor, log, log_all
from players.models import Player
from players.people.pairs import pair_of, shown_partners
from players.people.rows import PersonId, canonical, lock_present, pairs_of, people_of_rows, players_among
from tournaments.models import Bracket, CheckIn, Division, Entry, Tournament, Withdrawal
from tournaments.state.derivation import StageState
from tournaments.state.locks import division_changed, lock_division, lock_unfinished_matches
from tournaments.state.places import fill_places, free_places, moving_up
from tournaments.state.preview import NOTHING, Consequences, DivisionFacts, consequences_of
from tournaments.state.settle import settle
from tournaments.state.stage_rows import DivisionRows
from tournaments.state.versions import DivisionPart

Side = Player | tuple[Player, Player]
"""Who enters: a player, or two people as a pair, which may be new."""


def enter(
    *,
    division: Division,
    players: Iterable[Side],
    by: Actor,
    now: datetime,
    instead_of: Iterable[Entry] = (),
) -> list[Entry]:
    """Enter players on behalf of a director; those without a free place go on the waiting list.

    The entries `instead_of` are withdrawn: players of a final, whose places go to the next ranks before who waits.

    Refused: `division_drawn`, `tournament_not_open`, `former_member`, `suspended`, and as `pair_of` and `refuse_sides`;
    then nobody is entered.
    """
    with transaction.atomic():
        row = lock_division(division.pk)
        _check_open(row)
        fill_places(row, now)
        leaving = list(instead_of)
        for entry in leaving:
            _withdraw(row, entry, {}, by, now, "")
        entering = locked_sides(players)
        entries = _enter(row, _as_merged(entering), by, now)
        if leaving:
            fill_places(row, now)
        _touch(row)
    return entries


def register(*, division: Division, player: Player, by: Actor, now: datetime) -> Entry:
    """Enter a player who registers without a director. Refused: `registration_closed`, and what `enter` refuses."""
    with transaction.atomic():
        row = lock_division(division.pk)
        _check_open(row)
        published = row.tournament.status != Tournament.Status.DRAFT
        if not row.self_registration or not published or (row.closes_at is not None and now >= row.closes_at):
            raise Refused("registration_closed")
        fill_places(row, now)
        lock_present(player)
        (entry,) = _enter(row, _as_merged([player]), by, now)
        _touch(row)
    return entry


def set_fields(*, entry: Entry, fields: Mapping[str, str], by: Actor) -> None:
    """Write these of `Entry.FIELDS`. Members of a team are not paired with each other from now on."""
    with transaction.atomic():
        division = lock_division(entry.division_id)
        entry.refresh_from_db(fields=[*fields])
        for name, text in fields.items():
            if getattr(entry, name) != text:
                setattr(entry, name, text)
                entry.save(update_fields=[name])
                log(by, f"{name}_set", division.topic, club=division.tournament.club, entry=entry.pk, name=text)
                _touch(division)


def withdraw(*, entry: Entry, by: Actor, now: datetime, reason: str = "") -> Entry:
    """Withdraw an entry from the division.

    Before the draw whoever waits and has the next turn gets the place. Afterwards decided matches stay, and every other
    match is a walkover for the opponent. Refused: `not_entered`, `tournament_not_open`, and what `check_own_win`
    refuses if the director would win a match by it.
    """
    with transaction.atomic():
        row = lock_division(entry.division_id)
        entry.refresh_from_db()
        _withdraw(row, entry, lock_unfinished_matches([row]), by, now, reason)
        fill_places(row, now)
    return entry


def withdraw_from_event(*, tournament: Tournament, player: Player, by: Actor, now: datetime, reason: str = "") -> int:
    """Withdraw a player from every division of an event; return the number of entries. Refused: as `withdraw`."""
    own = Entry.objects.filter(decided_by([canonical(player)]), division__tournament=tournament)
    return len(withdraw_all(own.exclude(status=Entry.Status.OUT), by=by, now=now, reason=reason))


def withdraw_all(rows: QuerySet[Entry], *, by: Actor, now: datetime, reason: str = "") -> list[Entry]:
    """Withdraw these entries from their divisions; return them. Refused: as `withdraw`."""
    with transaction.atomic():
        ids = sorted(set(rows.order_by().values_list("division", flat=True)))
        divisions = {pk: lock_division(pk) for pk in ids}
        locked_matches = lock_unfinished_matches(divisions.values())
        withdrawn = []
        for entry in rows.filter(division__in=ids).select_related("player").order_by("division_id", "pk"):
            entry.division = divisions[entry.division_id]
            _withdraw(entry.division, entry, locked_matches, by, now, reason)
            withdrawn.append(entry)
        for division in divisions.values():
            fill_places(division, now)
    return withdrawn


def _withdraw(
    division: Division, entry: Entry, locked_matches: Mapping[int, Match], by: Actor, now: datetime, reason: str
) -> None:
    """Withdraw an entry whose division and matches are locked; the caller fills its place."""
    if entry.status == Entry.Status.OUT:
        raise Refused("not_entered", name=entry.player.shown_name)
    if division.status == Division.Status.CANCELLED:
        raise Refused("tournament_not_open")
    was_in = entry.status == Entry.Status.IN
    entry.status, entry.withdrawn_at = Entry.Status.OUT, now
    entry.save(update_fields=["status", "withdrawn_at"])
    log(by, "entry_withdrawn", division.topic, club=division.tournament.club, entry=entry.pk, reason=reason)
    if was_in and division.status != Division.Status.ENTRIES:
        Withdrawal.objects.create(entry=entry, reason=reason, at=now, by=by.user)
        settle(division, by=by, now=now, locked=locked_matches, withdrawal_reason=reason)
    # Who leaves between two matches changes none of them, but the next pairs and every list.
    _touch(division)


@dataclass(frozen=True, slots=True)
class DivisionWithdrawal:
    entry: Entry
    following: Consequences = NOTHING
    moves_up: Entry | None = None
    """The entry of the waiting list that gets the place."""
    goes_on: Sequence[EntryId | None] = ()
    """Who goes on to each stage to come instead, None: nobody."""


def preview_withdrawal(
    *, entry: Entry, event: bool = False, bracket: Bracket | None = None
) -> list[DivisionWithdrawal]:
    """Return what follows from the withdrawal of an entry from its division, or from a `bracket` of it.

    With `event`, of its player from the whole event.

    Refused: `not_entered`, `tournament_not_open`.
    """
    rows = [entry]
    if event:
        who, tournament = decided_by([canonical(entry.player)]), entry.division.tournament_id
        own = Entry.objects.filter(who, division__tournament=tournament)
        own = own.exclude(status=Entry.Status.OUT).exclude(division__status=Division.Status.CANCELLED)
        rows = list(own.select_related("player", "division__tournament__club").order_by("division__order", "pk"))
    if not rows or entry.status == Entry.Status.OUT:
        raise Refused("not_entered", name=entry.player.shown_name)
    return [_preview(row, bracket) for row in rows]


def _preview(entry: Entry, bracket: Bracket | None) -> DivisionWithdrawal:
    division = entry.division
    if division.status == Division.Status.CANCELLED:
        raise Refused("tournament_not_open")
    if entry.status != Entry.Status.IN:
        return DivisionWithdrawal(entry)
    if division.status == Division.Status.ENTRIES:
        return DivisionWithdrawal(entry, moves_up=next(iter(moving_up(division, leaving=1)), None))
    before = DivisionFacts(division).states()
    instead = [moving[entry.pk] for state in before if entry.pk in (moving := state.moving_up())]
    if bracket is None:
        supposed = DivisionRows(division, withdrawn=[entry.pk])
    else:
        supposed, instead = DivisionRows(division, left=[(entry.pk, bracket.pk)]), []
    after = DivisionFacts(division, supposed.drawn).states()
    return DivisionWithdrawal(entry, consequences_of(division, before, after), goes_on=instead)


def same_person(player: Player) -> Q:
    """Return a filter for the entries in which a person plays, merged players and pairs included."""
    return plays_in({PersonId(canonical(player).pk)})


def same_side(player: Player) -> Q:
    """Return a filter for the entries of a player, merged ones included, but not for those of a pair with them."""
    player = canonical(player)
    return Q(player=player) | Q(player__merged_into=player)


def decided_by(people: Collection[Player | int]) -> Q:
    """Return a filter for the entries that end with these people: not those of pairs that play without them."""
    rows = CheckIn.objects.filter(Q(person__in=people) | Q(person__merged_into__in=people), undoes=None, undone_by=None)
    rows = rows.filter(entry__division=OuterRef("division"), entry__player=OuterRef("player")).order_by("-pk")
    return plays_in(people) & ~Q(Exact(Coalesce(Subquery(rows.values("state")[:1]), Value("")), CheckIn.State.EXCUSED))


def plays_in(people: Collection[Player | int]) -> Q:
    """Return a filter for the entries with which these people play, alone, under another name or as one of a pair."""
    return Q(player__in=people) | Q(player__merged_into__in=people) | Q(player__in=pairs_of(people).values("pk"))


def next_number(division: Division, player: Player) -> int:
    """Return the number of the next entry of a player in a drawn division: 1, unless another one was in the draw."""
    drawn = division.entries.filter(same_side(player))
    withdrawn = Withdrawal.objects.filter(entry__division=division, bracket=None, taken_back_at=None).values("entry")
    drawn = drawn.filter(Q(status=Entry.Status.IN) | Q(pk__in=withdrawn))
    return max(drawn.values_list("number", flat=True), default=0) + 1


def _as_merged(players: Iterable[Player]) -> list[Player]:
    """Return players as they are now: one that was read before a merge would be entered beside the other."""
    ids = [player.pk for player in players]
    rows = {row.pk: row for row in players_among(ids)}
    return [canonical(rows[pk]) for pk in ids]


def locked_sides(sides: Iterable[Side]) -> list[Player]:
    """Return the players that stand for these sides, whose people are locked. Refused: as `pair_of`, `lock_present`."""
    rows = list(sides)
    # All at once, in one order, before each couple by itself.
    lock_present(*(player for side in rows for player in (side if isinstance(side, tuple) else (side,))))
    return [pair_of(*side) if isinstance(side, tuple) else side for side in rows]


Places = Mapping[PersonId, tuple[Player, int]]
"""Person -> the player of the entry in which they play, and their place in it: 0, or 1 for the second of a pair."""


def places_of(entries: QuerySet[Entry]) -> Places:
    """Return where each person plays in these entries."""
    rows = [row.player for row in entries.select_related("player__merged_into")]
    people = people_of_rows(rows)
    return {person: (row, at) for row in rows for at, person in enumerate(people[row.pk])}


def refuse_placed(places: Places, people: Iterable[PersonId]) -> None:
    """Refuse people who play already: `already_entered`, or `already_in_pair`."""
    for person in people:
        if person in places:
            side, at = places[person]
            if side.parts is None:
                raise Refused("already_entered", name=side.shown_name)
            names = shown_partners(side)
            raise Refused("already_in_pair", name=names[at], partner=names[1 - at])


def refuse_sides(division: Division, players: Iterable[Player], entries: QuerySet[Entry]) -> None:
    """Refuse players whom the division does not take, and people who play in these entries or are named twice.

    Refused: `partner_missing`, `pairs_not_taken`, `already_entered`, `already_in_pair`.
    """
    players = list(players)
    for player in players:
        refuse_kind(division, is_pair=player.parts is not None, name=player.shown_name)
    people = people_of_rows(players)
    places = dict(places_of(entries.filter(plays_in({person for side in people.values() for person in side}))))
    for player in players:
        refuse_placed(places, people[player.pk])
        places |= {person: (player, at) for at, person in enumerate(people[player.pk])}


def refuse_spent(states: Iterable[StageState], players: Iterable[Player], *, own: Q) -> None:
    """Refuse people of whom another entry than their `own` is spent in one of these stages: `reentry_not_offered`."""
    people = {person for side in people_of_rows(players).values() for person in side}
    for state in states:
        others = state.stage.division.entries.filter(plays_in(people)).exclude(own)
        if state.spent.intersection(others.values_list("pk", flat=True)):
            raise Refused("reentry_not_offered")


def refuse_kind(division: Division, *, is_pair: bool, name: str) -> None:
    """Refuse a single player where pairs play, or the reverse: `partner_missing`, `pairs_not_taken`."""
    if is_pair and division.sides == Division.Sides.ONE:
        raise Refused("pairs_not_taken", division=division.name)
    if not is_pair and division.sides == Division.Sides.TWO:
        raise Refused("partner_missing", division=division.name, name=name)


def _enter(division: Division, players: Sequence[Player], by: Actor, now: datetime) -> list[Entry]:
    refuse_sides(division, players, division.entries.exclude(status=Entry.Status.OUT))
    free = free_places(division)
    entries = Entry.objects.bulk_create(
        Entry(
            division=division,
            player=player,
            status=Entry.Status.IN if free is None or at < free else Entry.Status.WAITING,
            entered_at=now,
            entered_by=by.user,
        )
        for at, player in enumerate(players)
    )
    entered_now = ((division.topic, {"entry": entry.pk, "status": entry.status}) for entry in entries)
    log_all(by, "entered", entered_now, club=division.tournament.club)
    return entries


def _check_open(division: Division) -> None:
    if division.tournament.status in (Tournament.Status.FINISHED, Tournament.Status.CANCELLED):
        raise Refused("tournament_not_open")
    if division.status != Division.Status.ENTRIES:
        raise Refused("division_drawn")


def _touch(division: Division) -> None:
    division_changed(division, part=DivisionPart.ENTRIES)
