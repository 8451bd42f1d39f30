"""The arrivals desk: who is here and who has paid in one tap, taken back in one, and the page that shows it."""

import zoneinfo
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _

from core.messages import sentence
from core.names import fold
from core.public_ids import new_public_id
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from matches.models import Match
from players.actors import Actor
from players.models import Membership, Player
from players.models.people import MAX_PAIR_NAME_LENGTH
from players.people.rows import PersonId, canonical, is_person, is_present
from players.selectors import called
from tournaments.entries import check_in
from tournaments.entries.check_in import Attendee, attendees, no_shows_today, opens_at, record
from tournaments.entries.forms import field_form
from tournaments.entries.late import may_come_late
from tournaments.entries.lists import names_in
from tournaments.entries.reentries import reenterable
from tournaments.entries.substitutions import substituted_entries
from tournaments.ledger.accounts import owed_by_person
from tournaments.ledger.money import Currency
from tournaments.ledger.payments import PaymentInput, receive_for_entries, undo_payment
from tournaments.models import (
    CheckIn,
    Division,
    Entry,
    Fixture,
    LateEntry,
    Payment,
    PoolMember,
    SidePool,
    Tournament,
    Withdrawal,
)
from tournaments.state.locks import lock_division
from tournaments.state.names import Names, display_name, entries_lists, names_of, shown_entry

# Recording that players are here and have paid, and taking one tap back.


def arrive(
    *,
    tournament: Tournament,
    entries: Sequence[Entry],
    here: bool,
    amount: int,
    key: str,
    by: Actor,
    now: datetime,
    people: Collection[Player] = (),
) -> None:
    """Record that what is owed for these entries was paid in cash and, with `here`, that their players are here.

    `people` are those of whom that is said if there are pairs among them; without any, it is said of both. `amount` is
    the sum that the director saw, and `key` the batch by which `undo_tap` takes all of it back. Does nothing if it was
    recorded before.
    Refused: `not_entered`, `cash_closed`, `fees_changed`; then nothing is recorded.
    """
    with transaction.atomic():
        divisions = [lock_division(pk) for pk in sorted({entry.division_id for entry in entries})]
        if CheckIn.objects.filter(batch=key).exists():
            return
        locked = Entry.objects.filter(pk__in=[entry.pk for entry in entries])
        rows = list(locked.select_related("player", "division"))
        for row in rows:
            if row.status != Entry.Status.IN:
                raise Refused("not_entered", name=row.player.shown_name)
        no_shows = no_shows_today(tournament, now) if here else frozenset()
        chosen = {canonical(person).pk for person in people}
        arriving = [
            who for who in attendees(tournament, rows, now) if who.named is None or not chosen or who.person in chosen
        ]
        for division in divisions if here else ():
            check_ins = [
                CheckIn(entry=who.entry, person_id=who.named, state=CheckIn.State.HERE, batch=key, at=now, by=by.user)
                for who in arriving
                if who.entry.division_id == division.pk
                and not who.is_excused
                and (not who.is_here or who.person in no_shows)
            ]
            record(division, check_ins, by)
        if amount:
            payment = PaymentInput(amount, key)
            payers = [who.person for who in arriving]
            receive_for_entries(tournament=tournament, entries=rows, payment=payment, people=payers, by=by, now=now)


def undo_tap(*, tournament: Tournament, batch: str, by: Actor, now: datetime) -> None:
    """Undo what one tap recorded: check-ins, except of players whose presence was changed since, and payments.

    Refused: `check_in_changed` if nothing is left to be undone, `list_drawn` and `cash_closed`.
    """
    with transaction.atomic():
        for pk in tournament.divisions.order_by("pk").values_list("pk", flat=True):
            lock_division(pk)
        if name := drawn_from(batch):
            raise Refused("list_drawn", name=name)
        payments = list(_payments(tournament, batch))
        if not payments or CheckIn.objects.filter(batch=batch, undoes=None, undone_by=None).exists():
            check_in.undo(tournament=tournament, batch=batch, by=by, now=now)
        for payment in payments:
            undo_payment(payment=payment, by=by, now=now)


def drawn_from(batch: str) -> str:
    """Return the name of the list that somebody joined by a tap and that was drawn since; empty if there is none."""
    joined = CheckIn.objects.filter(batch=batch, at=F("entry__entered_at"), entry__division__offer__isnull=False)
    drawn = joined.filter(entry__division__status__in=(Division.Status.RUNNING, Division.Status.FINISHED))
    return drawn.values_list("entry__division__name", flat=True).first() or ""


def took_money(tournament: Tournament, batch: str) -> bool:
    """Whether a tap recorded payments that were not taken back."""
    return _payments(tournament, batch).exists()


def paid_text(tournament: Tournament, batch: str) -> str:
    """Return what one tap recorded as paid, taken back or not, such as “30.00 EUR paid”; empty if it was nothing."""
    amounts = Payment.objects.filter(tournament=tournament, key=batch, undoes=None).values_list("amount", flat=True)
    paid = sum(amounts)
    return _("%(amount)s paid") % {"amount": Currency.of(tournament).with_name(paid)} if paid else ""


def _payments(tournament: Tournament, batch: str) -> QuerySet[Payment]:
    return Payment.objects.filter(tournament=tournament, key=batch, undoes=None, undone_by=None).order_by("pk")


# The page of the desk.


ALL, OWES, WITHDRAWN = "all", "owes", "withdrawn"
ONE = Division.Sides.ONE
STATES = CheckIn.State
REGULAR_NIGHTS = 6
"""Earlier events of the club whose players are offered."""
MAX_REGULARS = 30
MAX_MATCHING_MEMBERS = 8


class Filter(NamedTuple):
    """A number of entries that is a link to the list of them."""

    key: str
    label: str
    number: int
    url: str
    is_current: bool


class PoolOffer(NamedTuple):
    """A side pool that an entry can join by one tap."""

    public_id: str
    label: str
    join_label: str = ""
    """What the button says to screen readers."""
    entry: str = ""
    """The public id of the entry."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A person with all their entries in the divisions that are shown."""

    row: str
    """Names the row on the page."""
    entries: tuple[Entry, ...]
    person: Player | None
    """The person, if one of the entries is of a pair."""
    name: str
    state: str
    """A value of `CheckIn.State`, or `withdrawn`; `excused` if all their pairs play without them."""
    next_state: str
    """The state that a tap on the row records."""
    owed: int
    """In minor units; 0 for readers who do not handle money."""
    owes: str
    is_paid: bool
    details: str
    clock: str
    """When the player was checked in, or comes back; on the event's clocks."""
    key: str
    """Of the row's form."""
    is_no_show: bool
    """Whether the player did not come to a match and has not been here since."""
    pools: tuple[PoolOffer, ...] = ()
    """The side pools to join, until a match is over."""

    @property
    def entry(self) -> Entry:
        return self.entries[0]

    @property
    def player(self) -> Player:
        return self.person or self.entry.player

    @property
    def paid_label(self) -> str:
        """What the button that records the fee says to screen readers."""
        return f"{_('Paid')} · {self.name}"

    @property
    def both_label(self) -> str:
        """What the button that also checks the player in says to screen readers."""
        return _("%(name)s is here and paid") % {"name": self.name}

    @property
    def is_pending(self) -> bool:
        """Whether “all here and paid” includes the entry."""
        if self.is_no_show:
            return False
        return self.state == STATES.MISSING or (self.state == STATES.HERE and self.owed > 0)


class Everybody(NamedTuple):
    """What “all here and paid” would record of the entries on the page."""

    entries: list[str]
    people: list[str]
    """Whom of pairs."""
    arriving: int
    paying: int
    amount: int
    amount_text: str
    key: str


class Tap(NamedTuple):
    """What the last tap recorded, as it can be undone."""

    batch: str
    name: str
    """The player; empty if there are several."""
    text: str


class Regular(NamedTuple):
    """A player of recent events of the club who is not entered yet."""

    player: Player
    nights: int


def desk(
    tournament: Tournament,
    division: Division | None,
    *,
    show: str,
    text: str,
    may_direct: bool,
    now: datetime,
    batch: str = "",
    opened: str = "",
    after_tap: bool = False,
) -> dict[str, Any]:
    """Return the context of the desk; what players owe and who could be entered only for directors.

    `batch` is the last tap, and `opened` the public id of the entry whose row shows everything that can be done. With
    `after_tap`, which changes only a row and the counts, it is left out who could be entered. The number of queries
    does not depend on the number of entries.
    """
    every_division = list(tournament.divisions.all())
    # Whoever is on the list of a side event was put there at the desk, so they are at none of these.
    divisions = [row for row in every_division if row.offer_id is None]
    chosen = division if len(divisions) > 1 or division not in divisions else None
    if division is None and len(divisions) == 1:
        division = divisions[0]
    shown_divisions = divisions if division is None else [row for row in every_division if row == division]
    arrivals = arrivals_of(
        tournament, shown_divisions, may_direct=may_direct, several=len(shown_divisions) > 1, now=now
    )
    url = reverse("check-in", args=(tournament.club.slug, tournament.slug))
    listed = [row for row in _named(arrivals, text) if _is_shown(row, show)]
    query = _query(chosen, show, text)
    opened_row = next((row for row in listed if row.row == opened), None)
    context = {
        "tournament": tournament,
        "club": tournament.club,
        "division": division,
        "chosen_division": chosen,
        "shows_divisions": len(shown_divisions) > 1,
        "may_direct": may_direct,
        "filters": _filters(arrivals, show, url, chosen),
        "show": show,
        "q": text,
        "arrivals": listed,
        "everyone": arrivals,
        "missing": sum(row.state == STATES.MISSING and not row.is_no_show for row in arrivals),
        "everybody": _everybody(listed, Currency.of(tournament)) if may_direct else None,
        "topics": " ".join(f"{row.topic}={row.seq}" for row in shown_divisions),
        "query": query,
        "check_in_url": url,
        "more_url": f"{url}?{f'{query}&' if query else ''}more=",
        "refresh_url": f"{url}?{query}{f'&more={opened}' if opened_row is not None else ''}",
        "find_label": _find_label(division, may_direct=may_direct),
        "find_length": MAX_NAME_LENGTH if division is None or division.sides == ONE else MAX_PAIR_NAME_LENGTH,
        "entered_count": sum(row.state != WITHDRAWN for row in arrivals),
        "tap": tap_of(tournament, batch, may_direct=may_direct) if batch else None,
    }
    if may_direct and not after_tap:
        context |= _entering(tournament, division, text, now)
    return context | ({"opened": opened, "more": _opened(opened_row, now)} if opened_row is not None else {})


def _find_label(division: Division | None, *, may_direct: bool) -> str:
    if not may_direct:
        return _("Name")
    return _("Find or add a player") if division is None or division.sides == ONE else _("Name, or Ann & Bea")


def _opened(row: Arrival, now: datetime) -> list[dict[str, Any]]:
    """Return what can be done with each entry of a row beyond the desk's buttons."""
    pairs = [entry for entry in row.entries if entry.player.parts is not None]
    people = attendees(pairs[0].division.tournament, pairs, now) if pairs else []
    return [_entry_opened(row, entry, [who for who in people if who.entry == entry], now) for entry in row.entries]


def _entry_opened(row: Arrival, entry: Entry, people: Sequence[Attendee], now: datetime) -> dict[str, Any]:
    division = entry.division
    at = (division.tournament.club.slug, division.tournament.slug, entry.public_id)
    out = Withdrawal.objects.filter(entry=entry, bracket__isnull=False, taken_back_at=None)
    excuse = None
    for who in people:
        if row.person is None or who.person != row.person.pk:
            continue
        if who.is_excused:
            excuse = (str(STATES.HERE), _("{name} plays again").format(name=row.name))
        elif not any(other.is_excused for other in people):
            excuse = (str(STATES.EXCUSED), _("Plays without {name}").format(name=row.name))
    return {
        "entry": entry,
        "label": division.name if len(row.entries) > 1 else "",
        "excuse": excuse,
        "is_late_entry": LateEntry.objects.filter(entry=entry, undoes=None, undone_by=None).exists(),
        "may_enter_again": entry.pk in reenterable(division, now),
        "has_substitute": entry.pk in substituted_entries(division),
        "is_out_of_bracket": out.exists(),
        "fields": [
            (field_form(name)(initial={name: text}, auto_id=False)[name], reverse(f"entry-{name}", args=at))
            for name, field in Entry.FIELDS.items()
            # What belongs to the side, as a team does, is given to a list; whoever has it may get another.
            if (text := getattr(entry, name)) or field.of_person
        ],
    }


def _entering(tournament: Tournament, division: Division | None, text: str, now: datetime) -> dict[str, Any]:
    """Return who could be entered in `division`, before the draw or late."""
    if tournament.status in (Tournament.Status.FINISHED, Tournament.Status.CANCELLED):
        return {}
    if division is None:
        return {"asks_division": bool(text)}
    taking = division.status == Division.Status.ENTRIES
    late = may_come_late(division)
    if not taking and not late:
        return {}
    names, hint = [text], ""
    try:
        names = names_in(division, text) if text else []
    except Refused as refused:
        hint = sentence(refused.code, refused.params)
    members = members_called(division, text) if len(names) == 1 else []
    return {
        "taking": taking,
        "late": late,
        "enters_here": now >= opens_at(tournament),
        "regulars": [] if text or division.sides == Division.Sides.TWO else regulars(tournament, division),
        "found_members": [(row.player.public_id, row.player.name) for row in members],
        "enter_hint": hint,
        "enters_pair": len(names) > 1,
        "asks": "player",
        "waiting": entries_lists(names_of(division, staff=True))["waiting"],
    }


def members_called(division: Division, text: str) -> list[Membership]:
    """Return members of the club whose name contains this text and who are not entered yet."""
    if not fold(text):
        return []
    entered = division.entries.exclude(status=Entry.Status.OUT).values(person=Coalesce("player__merged_into", "player"))
    return list(
        Membership.objects.filter(
            called(text, "player__"),
            is_present("player__"),
            club=division.tournament.club,
            left_at=None,
            player__merged_into=None,
        )
        .exclude(player__in=entered)
        .select_related("player")
        .order_by("player__name_key", "pk")[:MAX_MATCHING_MEMBERS]
    )


def regulars(tournament: Tournament, division: Division) -> list[Regular]:
    """Return the players of the club's last events who are not entered in `division`, the most frequent first."""
    ended = (Tournament.Status.DRAFT, Tournament.Status.CANCELLED)
    nights = (
        Tournament.objects.filter(club=tournament.club, starts_at__lt=tournament.starts_at)
        .exclude(pk=tournament.pk)
        .exclude(status__in=ended)
        .order_by("-starts_at", "-pk")
        .values_list("pk", flat=True)[:REGULAR_NIGHTS]
    )
    entered = division.entries.exclude(status=Entry.Status.OUT).select_related("player__merged_into")
    not_offered = {canonical(entry.player).pk for entry in entered}
    rows = Entry.objects.filter(is_person("player__"), division__tournament__in=list(nights), status=Entry.Status.IN)
    attended = {
        (canonical(row.player), row.division.tournament_id)
        for row in rows.select_related("player__merged_into__user", "player__user", "division")
    }
    counts = Counter(player for player, _night in attended)
    offered = [
        Regular(player, count)
        for player, count in counts.items()
        if player.pk not in not_offered and not player.has_left
    ]
    return sorted(offered, key=lambda row: (-row.nights, fold(row.player.name), row.player.pk))[:MAX_REGULARS]


def tap_of(tournament: Tournament, batch: str, *, may_direct: bool) -> Tap | None:
    """Return what one tap recorded; None if it was undone, or recorded money and the reader does not handle any."""
    rows = CheckIn.objects.filter(
        batch=batch, entry__division__tournament=tournament, undoes=None, undone_by=None
    ).select_related("entry__player", "person__merged_into")
    check_ins = list(rows)
    payments = list(_payments(tournament, batch).select_related("entry__player", "player__merged_into"))
    if (not check_ins and not payments) or (payments and not may_direct):
        return None
    about = [(row.person, row.entry) for row in check_ins] + [(row.player, row.entry) for row in payments]
    names = {
        person or entry.player: shown_entry(entry, staff=True) if person is None else display_name(person, staff=True)
        for person, entry in about
        if entry is not None
    }
    of_people = dict.fromkeys((row.person or row.entry.player, str(row.get_state_display())) for row in check_ins)
    states = Counter(label for _who, label in of_people)
    parts = [f"{count} {label}" if len(names) > 1 else label for label, count in states.items()]
    if payments:
        parts.append(paid_text(tournament, batch))
    return Tap(batch, next(iter(names.values())) if len(names) == 1 else "", " · ".join(parts))


def _everybody(listed: Iterable[Arrival], currency: Currency) -> Everybody:
    pending = [row for row in listed if row.is_pending]
    amount = sum(row.owed for row in pending)
    return Everybody(
        list(dict.fromkeys(entry.public_id for row in pending for entry in row.entries)),
        [row.person.public_id for row in pending if row.person is not None],
        sum(row.state == STATES.MISSING for row in pending),
        sum(row.owed > 0 for row in pending),
        amount,
        currency.with_name(amount),
        new_public_id(),
    )


def arrivals_of(
    tournament: Tournament, divisions: Sequence[Division], *, may_direct: bool, several: bool, now: datetime
) -> list[Arrival]:
    """Return the entries of these divisions by name; their number does not change the number of queries."""
    is_played = any(row.status == Division.Status.RUNNING for row in divisions)
    shown = _Shown(
        no_shows_today(tournament, now) if is_played else frozenset(),
        owed_by_person(*divisions) if may_direct else {},
        *(_pools(divisions, Currency.of(tournament)) if may_direct else ({}, set())),
        _sources(divisions),
        Currency.of(tournament),
        zoneinfo.ZoneInfo(tournament.time_zone),
        several,
        may_direct,
    )
    entries = Entry.objects.filter(division__in=divisions, joined_to=None).exclude(status=Entry.Status.WAITING)
    rows = list(entries.select_related("player__merged_into", "division").order_by("player__name_key", "pk"))
    groups: dict[tuple[int, int], list[Attendee]] = {}
    for who in attendees(tournament, rows, now):
        # A re-entry is a row of its own, as its name has a number; who has withdrawn from a division is asked back.
        is_out = who.entry.status == Entry.Status.OUT
        groups.setdefault((-who.entry.pk, 0) if is_out else (who.person, who.entry.number), []).append(who)
    pairs = {who.person for who in chain(*groups.values()) if who.named is not None}
    people = Player.objects.in_bulk(pairs) if pairs else {}
    arrivals = [_arrival(group, people, shown) for group in groups.values()]
    return sorted(arrivals, key=lambda row: fold(row.name)) if pairs else arrivals


class _Shown(NamedTuple):
    """What all rows of a desk are made from."""

    no_shows: frozenset[PersonId]
    owed: Mapping[int, Mapping[PersonId, int]]
    """Entry id -> person -> what they owe."""
    offers: Mapping[int, Sequence[PoolOffer]]
    """Division id -> the side pools that can be joined."""
    joined: Set[tuple[int, str]]
    """(Entry id, public id of a side pool)."""
    sources: Mapping[tuple[int, int | None], str]
    """(Entry id, whom of a pair) -> how they were checked in last."""
    currency: Currency
    zone: zoneinfo.ZoneInfo
    several: bool
    may_direct: bool


def _sources(divisions: Sequence[Division]) -> dict[tuple[int, int | None], str]:
    newest = CheckIn.objects.filter(entry__division__in=divisions).values("entry", "person").annotate(newest=Max("pk"))
    rows = CheckIn.objects.filter(pk__in=newest.values("newest")).values_list("entry", "person", "source")
    return {(entry, person): source for entry, person, source in rows}


def _pools(
    divisions: Sequence[Division], currency: Currency
) -> tuple[dict[int, list[PoolOffer]], set[tuple[int, str]]]:
    """Return division id -> the side pools that can be joined, and the (entry id, pool) of those who have."""
    offers: dict[int, list[PoolOffer]] = {}
    over = Fixture.objects.filter(match__finished_at__isnull=False).exclude(match__state=Match.State.VOID)
    pools = SidePool.objects.filter(division__in=divisions).exclude(division__in=over.values("stage__division"))
    for pool in pools.order_by("pk"):
        label = f"{pool.name} {currency.with_name(pool.fee)}"
        offers.setdefault(pool.division_id, []).append(PoolOffer(pool.public_id, label))
    if not offers:
        return {}, set()
    members = PoolMember.objects.filter(pool__division__in=divisions, taken_back_at=None)
    return offers, set(members.values_list("entry", "pool__public_id"))


def _arrival(group: Sequence[Attendee], people: Mapping[int, Player], shown: _Shown) -> Arrival:
    """Return the row of a person with these entries, or of an entry that was withdrawn."""
    entries = tuple(who.entry for who in group)
    entry, is_out = entries[0], entries[0].status == Entry.Status.OUT
    person = next((people[who.person] for who in group if who.named is not None), None)
    state = WITHDRAWN if is_out else _state_of(group)
    details = list(dict.fromkeys(text for who in group if (text := _detail(who, several=shown.several))))
    is_no_show = not is_out and group[0].person in shown.no_shows
    if is_no_show:
        state = str(STATES.MISSING)
        details.append(_("did not come"))
    at = max((who.since for who in group if who.is_here and who.since is not None), default=None)
    if state == STATES.HERE:
        sources = (shown.sources.get((who.entry.pk, who.named)) for who in group if who.is_here)
        details += dict.fromkeys(str(CheckIn.Source(source).label) for source in sources if source)
    if state == STATES.AWAY:
        at = max(who.until for who in group if who.until is not None)
        details.append(_("Away until {until}.").format(until=_clock(at, shown.zone)))
    owed = 0 if is_out else sum(shown.owed.get(who.entry.pk, {}).get(who.person, 0) for who in group)
    # Of an entry that was withdrawn the first of a pair stands for both.
    name = shown_entry(entry, staff=True) if is_out else group[0].name(staff=True)
    return Arrival(
        row=entry.public_id if group[0].named is None or is_out else f"{entry.public_id}-{group[0].place}",
        entries=entries[:1] if is_out else entries,
        person=None if is_out else person,
        name=name,
        state=state,
        next_state=STATES.MISSING if state == STATES.HERE else STATES.HERE,
        owed=owed,
        owes=_("Owes %(amount)s") % {"amount": shown.currency.with_name(owed)} if owed > 0 else "",
        is_paid=shown.may_direct and not owed and any(row.division.fee > 0 for row in entries) and not is_out,
        details=" · ".join(details),
        clock=_clock(at, shown.zone) if at and state in (STATES.HERE, STATES.AWAY) else "",
        key=new_public_id(),
        is_no_show=is_no_show,
        pools=() if is_out else tuple(_pools_of(entries, name, shown)),
    )


def _state_of(group: Iterable[Attendee]) -> str:
    """Return the state of a person with several entries: missing before away, as long as they are not here for all."""
    states = {str(who.state) for who in group if not who.is_excused}
    order = (STATES.MISSING, STATES.AWAY, STATES.HERE)
    return next((str(state) for state in order if state in states), str(STATES.EXCUSED))


def _detail(who: Attendee, *, several: bool) -> str:
    """Return what a row says of an entry: its division if there are several, and the partner."""
    division, partner = who.entry.division.name if several else "", who.partner(staff=True)
    if who.entry.status == Entry.Status.OUT or not partner:
        return division
    text = f"{division}/{partner}" if division else f"& {partner}"
    return f"{text} ({STATES.EXCUSED.label})" if who.is_excused else text


def _pools_of(entries: Iterable[Entry], name: str, shown: _Shown) -> Iterator[PoolOffer]:
    for entry in entries:
        for pool in shown.offers.get(entry.division_id, ()):
            if (entry.pk, pool.public_id) not in shown.joined:
                yield pool._replace(join_label=f"{pool.label} · {name}", entry=entry.public_id)


def _clock(at: datetime, zone: zoneinfo.ZoneInfo) -> str:
    return formats.time_format(at.astimezone(zone).time(), "TIME_FORMAT")


def _filters(arrivals: Sequence[Arrival], show: str, url: str, division: Division | None) -> list[Filter]:
    """Return the counts; those that are seldom needed only if they are not 0."""
    numbers = Counter(row.state for row in arrivals)
    numbers[OWES] = sum(row.owed > 0 for row in arrivals)
    labels = {
        str(STATES.HERE): _("here"),
        str(STATES.MISSING): _("missing"),
        OWES: _("owe"),
        str(STATES.AWAY): _("away"),
        str(STATES.EXCUSED): str(STATES.EXCUSED.label),
        WITHDRAWN: _("withdrawn"),
    }
    always = (STATES.HERE, STATES.MISSING)
    return [
        Filter(key, label, numbers[key], f"{url}?{_query(division, ALL if key == show else key)}", key == show)
        for key, label in labels.items()
        if key in always or numbers[key] or key == show
    ]


def _query(division: Division | None, show: str, text: str = "") -> str:
    values = {"division": division.public_id if division else "", "show": "" if show == ALL else show, "q": text}
    return urlencode({key: value for key, value in values.items() if value})


def _named(arrivals: list[Arrival], text: str) -> list[Arrival]:
    """Return the arrivals whose name contains `text`, or all of them if it is empty."""
    if not text:
        return arrivals
    entries = {entry.pk: entry for row in arrivals for entry in row.entries}
    named = {entry.pk for entry in Names(entries, staff=True).find(text)}
    return [row for row in arrivals if any(entry.pk in named for entry in row.entries)]


def _is_shown(row: Arrival, show: str) -> bool:
    if show == OWES:
        return row.owed > 0
    return row.state != WITHDRAWN if show == ALL else row.state == show
