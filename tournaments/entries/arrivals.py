"""The arrivals desk: who is here and who has paid in one tap, taken back in one, and the page that shows it."""

import zoneinfo
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db import transaction
from django.db.models import Max, QuerySet
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _

from core.names import fold
from core.public_ids import new_public_id
from engine.errors import Refused
from players.actors import Actor
from players.models import Membership, Player
from players.people.rows import canonical, is_present
from players.selectors import called
from tournaments.entries import check_in
from tournaments.entries.check_in import no_shows_of, opens_at, record, state_of
from tournaments.entries.late import may_come_late, reenterable
from tournaments.entries.substitutions import substituted_entries
from tournaments.events.selectors import divisions_of
from tournaments.ledger.accounts import owed_by_entry
from tournaments.ledger.money import Currency
from tournaments.ledger.payments import PaymentInput, receive_for_entries, undo_payment
from tournaments.models import CheckIn, Division, Entry, LateEntry, Payment, Tournament, Withdrawal
from tournaments.state.locks import lock_division
from tournaments.state.names import Names, entries_lists, names_of, shown_entry

# Recording that players are here and have paid, and taking one tap back.


def arrive(
    *, tournament: Tournament, entries: Sequence[Entry], here: bool, amount: int, key: str, by: Actor, now: datetime
) -> None:
    """Record that what is owed for these entries was paid in cash and, with `here`, that their players are here.

    `amount` is the sum that the director saw, and `key` the batch by which `undo_tap` takes all of it back. Does
    nothing if it was recorded before.
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
        no_shows = no_shows_of(tournament, now) if here else frozenset()
        for division in divisions if here else ():
            arriving = [row for row in rows if row.division_id == division.pk]
            check_ins = [
                CheckIn(entry=row, state=CheckIn.State.HERE, batch=key, at=now, by=by.user)
                for row in arriving
                if state_of(row) != CheckIn.State.HERE or row.pk in no_shows
            ]
            record(division, check_ins, by)
        if amount:
            payment = PaymentInput(amount, key)
            receive_for_entries(tournament=tournament, entries=rows, payment=payment, by=by, now=now)


def undo_tap(*, tournament: Tournament, batch: str, by: Actor, now: datetime) -> None:
    """Undo what one tap recorded: check-ins, except of players whose presence was changed since, and payments.

    Refused: `check_in_changed` if nothing is left to be undone, and `cash_closed`.
    """
    with transaction.atomic():
        for pk in tournament.divisions.order_by("pk").values_list("pk", flat=True):
            lock_division(pk)
        payments = list(_payments(tournament, batch))
        if not payments or CheckIn.objects.filter(batch=batch, undoes=None, undone_by=None).exists():
            check_in.undo(tournament=tournament, batch=batch, by=by, now=now)
        for payment in payments:
            undo_payment(payment=payment, by=by, now=now)


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


@dataclass(frozen=True, slots=True)
class Arrival:
    entry: Entry
    name: str
    state: str
    """A value of `CheckIn.State`, or `withdrawn`."""
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

    @property
    def paid_label(self) -> str:
        """What the button that records the fee says to screen readers."""
        return _("%(name)s paid") % {"name": self.name}

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
) -> dict[str, Any]:
    """Return the context of the desk; what players owe and who could be entered only for directors.

    `batch` is the last tap, and `opened` the public id of the entry whose row shows everything that can be done. The
    number of queries does not depend on the number of entries.
    """
    counts = divisions_of(tournament)
    divisions = [row.division for row in counts]
    chosen = division if len(divisions) > 1 else None
    if len(divisions) == 1:
        division = divisions[0]
    shown_divisions = [row for row in divisions if division is None or row == division]
    arrivals = arrivals_of(
        tournament, shown_divisions, may_direct=may_direct, several=len(shown_divisions) > 1, now=now
    )
    url = reverse("check-in", args=(tournament.club.slug, tournament.slug))
    listed = [row for row in _named(arrivals, text) if _is_shown(row, show)]
    query = _query(chosen, show, text)
    opened_row = next((row for row in listed if row.entry.public_id == opened), None)
    context = {
        "tournament": tournament,
        "club": tournament.club,
        "division": division,
        "chosen_division": chosen,
        "divisions": counts,
        "shows_divisions": len(shown_divisions) > 1,
        "may_direct": may_direct,
        "filters": _filters(arrivals, show, url, chosen),
        "show": show,
        "q": text,
        "arrivals": listed,
        "missing": sum(row.state == STATES.MISSING and not row.is_no_show for row in arrivals),
        "everybody": _everybody(listed, Currency.of(tournament)) if may_direct else None,
        "topics": " ".join(f"{row.topic}={row.seq}" for row in shown_divisions),
        "query": query,
        "check_in_url": url,
        "more_url": f"{url}?{f'{query}&' if query else ''}more=",
        "refresh_url": f"{url}?{query}{f'&more={opened}' if opened_row is not None else ''}",
        "find_label": _("Find or add a player") if may_direct else _("Name"),
        "entered_count": sum(row.state != WITHDRAWN for row in arrivals),
        "tap": tap_of(tournament, batch, may_direct=may_direct) if batch else None,
    }
    if may_direct:
        context |= _entering(tournament, division, text, now)
    return context | (_opened(opened_row.entry, now) if opened_row is not None else {})


def _opened(entry: Entry, now: datetime) -> dict[str, Any]:
    """Return what can be done with one entry beyond the desk's buttons."""
    division = entry.division
    out = Withdrawal.objects.filter(entry=entry, bracket__isnull=False, taken_back_at=None)
    return {
        "opened": entry,
        "is_late_entry": LateEntry.objects.filter(entry=entry, undoes=None, undone_by=None).exists(),
        "may_enter_again": entry.pk in reenterable(division, now),
        "has_substitute": entry.pk in substituted_entries(division),
        "is_out_of_bracket": out.exists(),
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
    return {
        "taking": taking,
        "late": late,
        "enters_here": now >= opens_at(tournament),
        "regulars": [] if text else regulars(tournament, division),
        "found_members": [(row.player.public_id, row.player.name) for row in members_called(division, text)],
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
    rows = Entry.objects.filter(division__tournament__in=list(nights), status=Entry.Status.IN)
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
    ).select_related("entry__player")
    check_ins = list(rows)
    payments = list(_payments(tournament, batch).select_related("entry__player"))
    if (not check_ins and not payments) or (payments and not may_direct):
        return None
    entries = {row.entry.pk: row.entry for row in check_ins}
    entries |= {row.entry.pk: row.entry for row in payments if row.entry is not None}
    states = Counter(str(row.get_state_display()) for row in check_ins)
    parts = [f"{count} {label}" if len(entries) > 1 else label for label, count in states.items()]
    if payments:
        parts.append(paid_text(tournament, batch))
    name = shown_entry(next(iter(entries.values())), staff=True) if len(entries) == 1 else ""
    return Tap(batch, name, " · ".join(parts))


def _everybody(listed: Iterable[Arrival], currency: Currency) -> Everybody:
    pending = [row for row in listed if row.is_pending]
    amount = sum(row.owed for row in pending)
    return Everybody(
        [row.entry.public_id for row in pending],
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
    no_shows = no_shows_of(tournament, now) if is_played else frozenset()
    owed = owed_by_entry(*divisions) if may_direct else {}
    entries = Entry.objects.filter(division__in=divisions, joined_to=None).exclude(status=Entry.Status.WAITING)
    rows = list(entries.select_related("player__merged_into", "division").order_by("player__name_key", "pk"))
    newest = CheckIn.objects.filter(entry__division__in=divisions).values("entry").annotate(newest=Max("pk"))
    check_ins = {row.entry_id: row for row in CheckIn.objects.filter(pk__in=newest.values("newest"))}
    zone = zoneinfo.ZoneInfo(tournament.time_zone)
    currency = Currency.of(tournament)
    return [
        _arrival(
            row,
            check_ins.get(row.pk),
            owed.get(row.pk, 0),
            currency,
            zone,
            several,
            may_direct,
            is_no_show=row.pk in no_shows,
        )
        for row in rows
    ]


def _arrival(
    entry: Entry,
    check_in: CheckIn | None,
    owed: int,
    currency: Currency,
    zone: zoneinfo.ZoneInfo,
    several: bool,
    may_direct: bool,
    *,
    is_no_show: bool,
) -> Arrival:
    state = WITHDRAWN if entry.status == Entry.Status.OUT else str(state_of(entry))
    details = [entry.division.name] if several else []
    is_no_show = is_no_show and state != WITHDRAWN
    if is_no_show:
        state = str(STATES.MISSING)
        details.append(_("did not come"))
    at = entry.checked_in_at
    if state == STATES.HERE and check_in is not None:
        details.append(str(CheckIn.Source(check_in.source).label))
    if state == STATES.AWAY and entry.away_until is not None:
        at = entry.away_until
        details.append(_("away until %(time)s") % {"time": _clock(at, zone)})
    owed = owed if state != WITHDRAWN else 0
    return Arrival(
        entry=entry,
        name=shown_entry(entry, staff=True),
        state=state,
        next_state=STATES.MISSING if state == STATES.HERE else STATES.HERE,
        owed=owed,
        owes=_("Owes %(amount)s") % {"amount": currency.with_name(owed)} if owed > 0 else "",
        is_paid=may_direct and not owed and entry.division.fee > 0 and state != WITHDRAWN,
        details=" · ".join(details),
        clock=_clock(at, zone) if at and state in (STATES.HERE, STATES.AWAY) else "",
        key=new_public_id(),
        is_no_show=is_no_show,
    )


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
    named = {entry.pk for entry in Names({row.entry.pk: row.entry for row in arrivals}, staff=True).find(text)}
    return [row for row in arrivals if row.entry.pk in named]


def _is_shown(row: Arrival, show: str) -> bool:
    if show == OWES:
        return row.owed > 0
    return row.state != WITHDRAWN if show == ALL else row.state == show
