"""The part of the entry fees of an event that goes to the pools of the seasons in which it counts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, Q

from tournaments.ledger.accounts import charges_by_division, fees_of, plans_of
from tournaments.ledger.money import Currency, Fees, FeeShare
from tournaments.models import CashCount, Division, Series, SeriesEvent, SeriesFeeShare


@dataclass(frozen=True, slots=True)
class SeasonPart:
    """What a division gives to the pool of a season, in minor units of its event's currency."""

    share: SeriesFeeShare
    amount: int
    is_fixed: bool
    """Whether the cash desk of the event is closed, so that a changed share does not change it."""

    @property
    def series(self) -> Series:
        return self.share.series


@dataclass(frozen=True, slots=True)
class EventShares:
    """The fee shares that apply to an event, in the order in which they are taken."""

    shares: Sequence[SeriesFeeShare] = ()
    is_fixed: bool = False

    def parts(self, fees: Fees, entries: int, reentries: int) -> list[SeasonPart]:
        """Return what each season gets of so many entries and re-entries of a division with these fees."""
        values = [FeeShare(share.percent, share.amount) for share in self.shares]
        amounts = fees.for_seasons(entries, reentries, values)
        return [SeasonPart(share, amount, self.is_fixed) for share, amount in zip(self.shares, amounts, strict=True)]


def shares_of_events(events: Mapping[int, Currency]) -> dict[int, EventShares]:
    """Return event id -> the fee shares that apply; events are given with their currencies.

    An event with a closed cash desk keeps the shares with which it was closed, even if it no longer counts in the
    season. An amount applies to events in its own currency only.
    """
    concerned = Q(series__counted__tournament__in=events) | Q(counts__tournament__in=events)
    if not SeriesFeeShare.objects.filter(concerned).exists():
        return {event: EventShares() for event in events}
    closed = standing_counts(events)
    counted = SeriesEvent.objects.filter(tournament__in=events.keys() - closed.keys()).order_by(
        "-series__last_day", "-series_id"
    )
    pairs = list(counted.values_list("tournament", "series"))
    newest = newest_shares({series for _event, series in pairs})
    shares: dict[int, list[SeriesFeeShare]] = {event: [] for event in events}
    for event, series in pairs:
        share = newest.get(series)
        if share is not None and _applies(share, events[event]):
            shares[event].append(share)
    return {
        event: EventShares(list(closed[event].fee_shares.all()), True) if event in closed else EventShares(rows)
        for event, rows in shares.items()
    }


def standing_counts(events: Iterable[int]) -> dict[int, CashCount]:
    """Return event id -> the count that closed its cash desk, for those that were not reopened since."""
    kept = Prefetch(
        "fee_shares", SeriesFeeShare.objects.select_related("series__club").order_by("-series__last_day", "-series_id")
    )
    rows = CashCount.objects.filter(tournament__in=events).select_related("reopened").prefetch_related(kept)
    last = {row.tournament_id: row for row in rows.order_by("pk")}
    return {event: row for event, row in last.items() if not hasattr(row, "reopened")}


def _applies(share: SeriesFeeShare, currency: Currency) -> bool:
    if share.percent:
        return True
    return bool(share.amount) and Currency(share.currency, share.currency_exponent) == currency


def newest_shares(series: Collection[int]) -> dict[int, SeriesFeeShare]:
    """Return series id -> its fee share, for those for which one was ever set."""
    rows = SeriesFeeShare.objects.filter(series__in=series).select_related("series__club").order_by("number")
    return {row.series_id: row for row in rows}


def season_parts(divisions: Iterable[Division]) -> dict[int, list[SeasonPart]]:
    """Return division id -> what it gives to the pools of seasons.

    The number of queries does not depend on the number of divisions.
    """
    rows = list(divisions)
    shares = shares_of_events({row.tournament_id: Currency.of(row.tournament) for row in rows})
    plans, charges = plans_of(rows), charges_by_division(rows)
    parts = {}
    for row in rows:
        again = sum(charge.is_reentry for charge in charges[row.pk])
        fees = fees_of(row, plans.get(row.pk))
        parts[row.pk] = shares[row.tournament_id].parts(fees, len(charges[row.pk]) - again, again)
    return parts
