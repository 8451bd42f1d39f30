"""Lists at the desk that start themselves: jackpots and other side events.

An offer (“Jackpot 100”) has runs. Each is an ordinary division by knockout, which draws itself once it is full; the
next one takes names by then. Whatever fills a list or empties it again (a name, a payment, a withdrawal elsewhere) is
noticed by `_follow`, at once here and otherwise by the sweep.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import IntegrityError, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from core.faults import each
from core.locks import for_update
from core.public_ids import LENGTH
from engine.errors import Refused
from formats import graph
from players.actors import SYSTEM, Actor, log
from players.models import Player
from players.people.rows import canonical, lock_club
from tournaments.draws.services import make_draft, publish_draw, request_draw
from tournaments.entries.check_in import record
from tournaments.entries.services import enter, same_person, withdraw
from tournaments.events.offers import MIN_NAMES
from tournaments.events.services import create_division
from tournaments.ledger.accounts import draw_needs_payment, owed_by_entry
from tournaments.ledger.money import Currency
from tournaments.ledger.payments import PaymentInput, desk_changed, lock_desk, receive_for_entries, undo_payment
from tournaments.ledger.shares import Pot, is_whole
from tournaments.models import CheckIn, Division, Draw, Entry, Offer, Payment, PrizePlan, Tournament
from tournaments.state.floor import OPEN
from tournaments.state.locks import division_changed, lock_division, lock_event
from tournaments.state.places import fill_places, free_places, is_full
from tournaments.state.versions import DivisionPart, refuse_stale

logger = structlog.get_logger(__name__)

COUNTDOWN = timedelta(seconds=30)
"""Between the last name of a list and its draw, in which it can be taken back."""


@dataclass(frozen=True, slots=True)
class OfferInput:
    """What an offer is; amounts in whole minor units, shares in hundredths of a percent."""

    name: str
    size: int
    lengths: Sequence[int]
    """Match lengths by round; the last one applies to all later rounds."""
    fee: int = 0
    kept: int = 0
    shares: Sequence[int] = (10_000,)
    unit: int = 1
    rated: bool = True
    again: bool = True

    @classmethod
    def of(cls, offer: Offer) -> "OfferInput":
        """Return what is offered already."""
        return cls(**{field.name: getattr(offer, field.name) for field in fields(cls)})


@dataclass(slots=True)
class _Locked:
    """An offer with everything that its services lock, in the order of docs/locking.md."""

    event: Tournament
    offer: Offer
    runs: list[Division]
    """Its lists that have not started, in their order."""


def create_offer(*, tournament: Tournament, offer: OfferInput, by: Actor, now: datetime) -> Offer:
    """Offer a side event at the desk and open its first list.

    Refused: `tournament_not_open`, `name_taken`, `bad_shares`, `bad_round_lengths`.
    """
    _check_shares(offer)
    with transaction.atomic():
        lock_club(tournament.club)
        event = lock_event(tournament.pk)
        if event.status in (Tournament.Status.FINISHED, Tournament.Status.CANCELLED):
            raise Refused("tournament_not_open")
        row = Offer(tournament=event, created_at=now, **asdict(offer))
        _save(row)
        log(by, "offer_opened", event.topic, club=tournament.club, name=row.name)
        _follow(_Locked(event, row, []), now=now)
    return row


def update_offer(*, offer: Offer, values: OfferInput, by: Actor, now: datetime) -> Offer:
    """Change an offer, for its lists without names and those to come; lists with names stay as they are.

    Refused: `name_taken`, `bad_shares`, `bad_round_lengths`.
    """
    _check_shares(values)
    with transaction.atomic():
        locked = _lock(offer)
        row = locked.offer
        for name, value in asdict(values).items():
            setattr(row, name, value)
        _save(row)
        for run in locked.runs:
            if not run.entries.exclude(status=Entry.Status.OUT).exists():
                for name, value in _settings(row, run.run or 1).items():
                    setattr(run, name, value)
                run.save()
                division_changed(run)
                _set_prizes(run, row, by, now)
        log(by, "offer_changed", locked.event.topic, club=locked.event.club, name=row.name)
        _follow(locked, now=now)
    return row


def close_offer(*, offer: Offer, by: Actor, now: datetime) -> list[Entry]:
    """Take no more names and call off the lists that have not started; return whose fees are to be refunded.

    Refused: `offer_closed` if that was done already.
    """
    with transaction.atomic():
        locked = _lock(offer)
        if locked.offer.closed_at is not None and not locked.runs:
            raise Refused("offer_closed", name=locked.offer.name)
        called_off = [entry for run in locked.runs for entry in _entered(run)]
        for run in locked.runs:
            run.status, run.starts_at = Division.Status.CANCELLED, None
            division_changed(run, "status", "starts_at")
        _close(locked, by, now)
    return called_off


def reopen_offer(*, offer: Offer, by: Actor, now: datetime) -> Offer:
    """Take names again, on a new list. Does nothing if the offer is open. Refused: `tournament_not_open`."""
    with transaction.atomic():
        locked = _lock(offer)
        if not locked.event.is_open:
            raise Refused("tournament_not_open")
        if locked.offer.closed_at is not None:
            locked.offer.closed_at = None
            locked.offer.save(update_fields=["closed_at"])
            log(by, "offer_opened", locked.event.topic, club=locked.event.club, name=locked.offer.name)
            _follow(locked, now=now)
    return locked.offer


def _close(locked: _Locked, by: Actor, now: datetime) -> None:
    if locked.offer.closed_at is None:
        locked.offer.closed_at = now
        locked.offer.save(update_fields=["closed_at"])
        log(by, "offer_closed", locked.event.topic, club=locked.event.club, name=locked.offer.name)


def _check_shares(offer: OfferInput) -> None:
    if not is_whole([Pot(graph.MAIN, tuple(offer.shares))]):
        raise Refused("bad_shares")
    if not offer.lengths:
        raise Refused("bad_round_lengths", most=25)


def _save(offer: Offer) -> None:
    try:
        with transaction.atomic():
            offer.save()
    except IntegrityError:
        raise Refused("name_taken", name=offer.name) from None


def join(*, offer: Offer, player: Player, amount: int, key: str, by: Actor, now: datetime, paid: bool = True) -> Entry:
    """Put a player on the first list with a free place: entered, here and, if `paid`, with the fee in cash.

    `amount` is the fee that the director saw. Repeating a `key` for the player returns the first entry.

    Refused: `offer_closed`, `tournament_not_open`, `list_again`, `fees_changed`, `cash_closed`, and what `enter`
    refuses; then nothing is recorded.
    """
    batch = _batch(key, player)
    with transaction.atomic():
        locked = _lock(offer)
        if (earlier := CheckIn.objects.filter(batch=batch).select_related("entry__division").first()) is not None:
            return earlier.entry
        row = locked.offer
        if row.closed_at is not None:
            raise Refused("offer_closed", name=row.name)
        if not locked.event.is_open:
            raise Refused("tournament_not_open")
        run = _first_free(locked, now)
        if not paid and amount != run.fee:
            raise Refused("fees_changed", amount=Currency.of(locked.event).text(run.fee))
        _refuse_again(row, run, player)
        (entry,) = enter(division=run, players=[player], by=by, now=now)
        entry.division = run
        run.refresh_from_db(fields=["seq"])
        record(run, [CheckIn(entry=entry, state=CheckIn.State.HERE, batch=batch, at=now, by=by.user)], by)
        if paid and (run.fee or amount):
            payment = PaymentInput(amount, batch)
            receive_for_entries(tournament=locked.event, entries=[entry], payment=payment, by=by, now=now)
        _follow(locked, now=now)
    return entry


def undo_join(*, offer: Offer, entry: Entry, by: Actor, now: datetime) -> None:
    """Take back that a player joined: the entry, and what was paid with it in the same tap.

    Refused: as `leave`, and `cash_closed`.
    """
    with transaction.atomic():
        leave(offer=offer, entry=entry, by=by, now=now)
        batches = entry.check_ins.filter(undoes=None).values("batch")
        for payment in Payment.objects.filter(entry=entry, key__in=batches, undoes=None, undone_by=None):
            undo_payment(payment=payment, by=by, now=now)


def leave(*, offer: Offer, entry: Entry, by: Actor, now: datetime) -> None:
    """Take a player off a list that has not started, which calls its start off; the fee is to be refunded.

    Refused: `list_started`, `not_entered`.
    """
    with transaction.atomic():
        locked = _lock(offer)
        run = next((run for run in locked.runs if run.pk == entry.division_id), None)
        if run is None:
            raise Refused("list_started", run=entry.division.run)
        withdraw(entry=entry, by=by, now=now)
        run.refresh_from_db(fields=["seq"])
        _follow(locked, now=now)


def _batch(key: str, player: Player) -> str:
    """Return the id by which the check-in and the payment of one tap are found again."""
    return hashlib.sha256(f"{key}:{canonical(player).pk}".encode()).hexdigest()[:LENGTH]


def _first_free(locked: _Locked, now: datetime) -> Division:
    """Return the first list with a free place; whoever waits for one goes before a new name."""
    for run in locked.runs:
        fill_places(run, now)
    _follow(locked, now=now)
    return next(run for run in locked.runs if not is_full(run))


def _refuse_again(offer: Offer, run: Division, player: Player) -> None:
    """Refuse somebody who is on another list that is not over, unless the offer allows it."""
    if offer.again:
        return
    over = (Division.Status.FINISHED, Division.Status.CANCELLED)
    others = Entry.objects.filter(same_person(player), division__offer=offer, status=Entry.Status.IN)
    others = others.exclude(division__status__in=over).exclude(division=run)
    if (other := others.select_related("division", "player").order_by("division__run").first()) is not None:
        raise Refused("list_again", name=other.player.shown_name, run=other.division.run)


def start(*, division: Division, names: int, after: int, by: Actor, now: datetime) -> list[Entry]:
    """Start a list now with its first `names` names; return who is taken off it, whose fees are to be refunded.

    From closing time on the offer takes no more names then; before, its next list opens.

    Refused: `stale`, `list_started`, `list_too_short`, `unpaid_entries`, and what a draw refuses.
    """
    offer = _offer_of(division)
    with transaction.atomic():
        locked = _lock(offer)
        run = next((run for run in locked.runs if run.pk == division.pk), None)
        if run is None:
            raise Refused("list_started", run=division.run)
        refuse_stale(run, after, by=by, parts=[DivisionPart.PLAN, DivisionPart.ENTRIES])
        entered = _entered(run)
        if not MIN_NAMES <= names <= len(entered):
            raise Refused("list_too_short")
        # So that nobody who waits gets a place of those who are taken off.
        run.capacity = names
        division_changed(run, "capacity")
        for entry in entered[names:]:
            withdraw(entry=entry, by=by, now=now)
        _draw(run, by, now)
        locked.runs.remove(run)
        if locked.event.ends_at is not None and now >= locked.event.ends_at:
            _close(locked, by, now)
        _follow(locked, now=now)
    return entered[names:]


def start_lists(now: datetime) -> None:
    """Start the lists whose countdown is over, each in its own transaction."""

    def start(run: Division) -> None:
        if not _is_due(run, now):
            return
        try:
            start_due(division_id=run.pk, now=now)
        except Refused as refused:
            # It is tried again, and its page says that it waits.
            logger.warning("list_not_started", division=run.pk, code=refused.code)

    runs = Division.objects.filter(offer__isnull=False, status=Division.Status.ENTRIES, tournament__status__in=OPEN)
    each("lists", runs.select_related("tournament", "offer").order_by("pk"), start)


def _is_due(run: Division, now: datetime) -> bool:
    """Whether a list starts now, or its start is to be set."""
    if run.starts_at is None:
        return is_full(run) and (_is_ready(run) or not _has_free(run.offer))
    return not _counts_down(run.starts_at, now) or not is_full(run)


def _counts_down(starts_at: datetime, now: datetime) -> bool:
    """Whether a list is still to start; a start later than any countdown was set before the clock was set back."""
    return now < starts_at <= now + COUNTDOWN


def start_due(*, division_id: int, now: datetime) -> Draw | None:
    """Draw and publish a list whose countdown is over; None if it is not, as somebody has left or owes the fee.

    Refused: what a draw refuses; then nothing is written.
    """
    with transaction.atomic():
        locked = _lock(_offer_of(Division.objects.select_related("offer").get(pk=division_id)))
        _follow(locked, now=now)
        run = next((run for run in locked.runs if run.pk == division_id), None)
        if run is None or run.starts_at is None or _counts_down(run.starts_at, now):
            return None
        return _draw(run, SYSTEM, now)


def _draw(run: Division, by: Actor, now: datetime) -> Draw:
    """Draw a locked list and publish the draw; a draft that is still right is published as it is."""
    draft = _last_draw(run)
    if draft is None or draft.state != Draw.State.DRAFT or _places(draft) != {entry.pk for entry in _entered(run)}:
        requested = request_draw(division=run, by=by, now=now)
        make_draft(draw_id=requested.pk, now=now)
    run.refresh_from_db(fields=["seq"])
    run.starts_at = None
    division_changed(run, "starts_at")
    return publish_draw(division=run, after=run.seq, by=by, now=now)


def _follow(locked: _Locked, *, now: datetime) -> None:
    """Set or call off the starts of lists, and open the next one, as an act of the site, once all are full."""
    for run in locked.runs:
        ready = _is_ready(run)
        if ready != (run.starts_at is not None):
            run.starts_at = now + COUNTDOWN if ready else None
            division_changed(run, "starts_at")
    is_open = locked.offer.closed_at is None
    if is_open and all(is_full(run) for run in locked.runs):
        locked.runs.append(_open_run(locked, now))


def _is_ready(run: Division) -> bool:
    """Whether a list starts by itself: it is full, and paid if draws wait for that.

    One whose draw was taken back waits for a director, or for another name.
    """
    if not is_full(run) or not run.tournament.is_open:
        return False
    last = _last_draw(run)
    if last is not None and _places(last) == {entry.pk for entry in _entered(run)}:
        return False
    return not (draw_needs_payment(run.tournament) and owed_by_entry(run))


def _has_free(offer: Offer | None) -> bool:
    """Whether an offer has a list with a free place, or takes no more names."""
    if offer is None or offer.closed_at is not None:
        return True
    return any(free_places(run) for run in offer.runs.filter(status=Division.Status.ENTRIES))


def _last_draw(run: Division) -> Draw | None:
    return Draw.objects.filter(stage__division=run).exclude(state=Draw.State.DISCARDED).order_by("-number").first()


def _places(draw: Draw) -> set[int]:
    return {place for place in draw.places if place is not None}


def _entered(run: Division) -> list[Entry]:
    """Return the entries of a list, in the order of entry."""
    rows = run.entries.filter(status=Entry.Status.IN).select_related("player")
    return list(rows.order_by("entered_at", "pk"))


# Lists as divisions.


def _offer_of(division: Division) -> Offer:
    offer = division.offer
    if offer is None:
        raise ValueError(f"{division} is no list of an offer")
    return offer


def _lock(offer: Offer) -> _Locked:
    """Lock a club, the event, an offer and its lists that have not started, for a transaction.

    The club and the event are locked for the commitment of the next list and for the numbers of its matches.
    """
    event_row = offer.tournament
    lock_club(event_row.club)
    event = lock_event(event_row.pk)
    row = for_update(Offer.objects.filter(pk=offer.pk)).get()
    row.tournament = event
    waiting = Division.objects.filter(offer=row, status=Division.Status.ENTRIES).order_by("pk")
    runs = [lock_division(pk) for pk in waiting.values_list("pk", flat=True)]
    # One that was drawn meanwhile is left alone.
    open_runs = [run for run in runs if run.status == Division.Status.ENTRIES]
    return _Locked(event, row, sorted(open_runs, key=lambda run: run.run or 0))


def _open_run(locked: _Locked, now: datetime) -> Division:
    """Open the next list of a locked offer, with its prizes; its seed is committed to as that of any division."""
    offer = locked.offer
    last = offer.runs.order_by("-run").values_list("run", flat=True).first()
    number = (last or 0) + 1
    run = create_division(tournament=locked.event, by=SYSTEM, now=now, **_settings(offer, number))
    Division.objects.filter(pk=run.pk).update(offer=offer, run=number, is_side=True)
    _set_prizes(run, offer, SYSTEM, now)
    return lock_division(run.pk)


def _settings(offer: Offer, number: int) -> dict[str, Any]:
    """Return the settings of a list as a division."""
    with translation.override(offer.tournament.effective_language):
        name = _("%(name)s no. %(number)s") % {"name": offer.name, "number": number}
    return {
        "name": name,
        "capacity": offer.size,
        "fee": offer.fee,
        "match_length": offer.lengths[0],
        "round_lengths": list(offer.lengths) if len(offer.lengths) > 1 else [],
        "rated": offer.rated,
    }


def _set_prizes(run: Division, offer: Offer, by: Actor, now: datetime) -> None:
    desk = lock_desk(offer.tournament)
    last = run.prize_plans.order_by("-version").first()
    PrizePlan.objects.create(
        division=run,
        version=1 if last is None else last.version + 1,
        unit=offer.unit,
        kept=offer.kept,
        shares=[[graph.MAIN, list(offer.shares)]],
        published=True,
        at=now,
        by=by.user,
    )
    desk_changed(desk)
