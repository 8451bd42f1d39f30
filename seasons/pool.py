"""The pool of a series: what its evenings bring, who is due what of it, setting the share of the fees, and paying out.

Money out of the pool is a payment at the cash desk of an event of the club, so that the box of that evening adds up.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from core.locks import lock_row
from core.public_ids import new_form_key
from engine.errors import Refused
from players.actors import Actor, log
from players.models import Player
from players.people.rows import lock_club
from seasons.services import changed_series
from seasons.tables import closing_of, day_of, earliest_start, players_by_public_id
from tournaments.ledger.money import Currency, percent
from tournaments.ledger.payments import PaymentInput, PaymentPart, lock_open_desk, record, recorded
from tournaments.ledger.season_pools import newest_shares, season_parts, standing_counts
from tournaments.ledger.shares import CertainPlaces, Pot, PrizePlacing, is_whole, prize_table
from tournaments.models import Division, Payment, Series, SeriesFeeShare, Tournament
from tournaments.state.names import names_in_club

POT = "season"


@dataclass(frozen=True, slots=True)
class SeasonPoolInput:
    """The part of each entry fee, in hundredths of a percent or as an amount, and the shares of the places."""

    percent: int = 0
    amount: int = 0
    currency: Currency | None = None
    shares: Sequence[int] = ()
    """In hundredths of a percent, from the first place; empty if places get nothing, as for a pool of the final."""


def set_pool(*, series: Series, pool: SeasonPoolInput, after: int, by: Actor, now: datetime) -> SeriesFeeShare:
    """Let another part of the entry fees go to the pool, of evenings whose cash desk is not closed.

    An equal one makes no version. Refused: `stale`, `series_closed`, `series_shares`.
    """
    if pool.shares and not is_whole([Pot(POT, tuple(pool.shares))]):
        raise Refused("series_shares")
    currency = pool.currency if pool.amount else None
    values: dict[str, Any] = {
        "percent": pool.percent,
        "amount": pool.amount,
        "currency": currency.code if currency is not None else "",
        "currency_exponent": currency.exponent if currency is not None else 0,
        "shares": list(pool.shares),
    }
    with transaction.atomic():
        row = changed_series(series, after)
        newest = row.fee_shares.order_by("-number").first()
        if newest is not None and values == {name: getattr(newest, name) for name in values}:
            return newest
        number = 1 if newest is None else newest.number + 1
        share = SeriesFeeShare.objects.create(series=row, number=number, at=now, by=by.user, **values)
        log(by, "series_pool_set", row.topic, club=row.club, name=row.name)
    return share


def currencies_of(series: Series) -> list[Currency]:
    """Return the currencies of the evenings, the usual one of the club first if no evening counts yet."""
    rows = series.counted.order_by("-tournament__starts_at").values_list(
        "tournament__currency", "tournament__currency_exponent"
    )
    by_code: dict[str, Currency] = {}
    for code, exponent in rows:
        by_code.setdefault(code, Currency(code, exponent))
    if not by_code and series.club.currency:
        by_code[series.club.currency] = Currency.usual(series.club.currency)
    return list(by_code.values()) or [Currency.usual("ticket")]


def open_desks(series: Series) -> int:
    """Return for how many evenings of a series a changed share counts, because their cash desk is not closed."""
    events = set(series.counted.values_list("tournament", flat=True))
    return len(events - standing_counts(events).keys())


# What is in it, and who is due what.


@dataclass(frozen=True, slots=True)
class PoolEvening:
    """What an evening brings, in minor units."""

    event: Tournament
    amount: int
    is_fixed: bool
    """Whether its cash desk is closed."""
    counts: bool
    """Whether it still counts in the series."""

    @property
    def day(self) -> date:
        """Its day, on its own clocks."""
        return day_of(self.event)


@dataclass(frozen=True, slots=True)
class PoolDue:
    """What a player is due of the pool, in minor units, for the places `first` to `last`."""

    player: str
    """Public id."""
    first: int
    last: int
    amount: int


@dataclass(frozen=True, slots=True)
class SeasonPool:
    """The pool of a series in one currency."""

    currency: Currency
    evenings: Sequence[PoolEvening]
    shares: Sequence[int]

    @property
    def amount(self) -> int:
        """What is in it, in minor units."""
        return sum(evening.amount for evening in self.evenings)

    def due(self, ranks: Iterable[tuple[int | None, str]]) -> list[PoolDue]:
        """Return who is due what by these ranks and public ids: all of the pool, if anybody has a rank."""
        return due_of(self.amount, self.shares, ranks)


def due_of(amount: int, shares: Sequence[int], ranks: Iterable[tuple[int | None, str]]) -> list[PoolDue]:
    """Divide an amount by the places of a table as prizes are; players without a rank are due nothing.

    Equal ranks share what their places are due, and the first place gets what rounding leaves and the shares of places
    that nobody has.

    >>> [(due.player, due.amount) for due in due_of(100, [5000, 3000, 2000], [(1, "a"), (2, "b"), (2, "c")])]
    [('a', 50), ('b', 25), ('c', 25)]
    """
    by_rank: dict[int, list[str]] = defaultdict(list)
    for rank, player in ranks:
        if rank is not None:
            by_rank[rank].append(player)
    if not by_rank or not shares or not amount:
        return []
    players = [player for rank in sorted(by_rank) for player in by_rank[rank]]
    numbers = {player: number for number, player in enumerate(players)}
    placings = tuple(
        PrizePlacing(rank, rank + len(group) - 1, tuple(numbers[player] for player in group))
        for rank, group in sorted(by_rank.items())
    )
    prizes = prize_table(amount, [Pot(POT, tuple(shares))], {POT: CertainPlaces(placings, over=True)})
    return [
        PoolDue(players[prize.entry], prize.first, prize.last, prize.due)
        for prize in prizes
        if prize.entry is not None and prize.due
    ]


def ranks_of(table: Mapping[str, Any]) -> list[tuple[int | None, str]]:
    """Return rank and public id of the rows of a table as plain data."""
    return [(row["rank"], row["player"]) for row in table["rows"]]


def pools_of(series: Series) -> list[SeasonPool]:
    """Return the pools of a series, one for each currency; empty if it never had a share of the fees.

    The number of queries does not depend on the number of evenings.
    """
    share = newest_shares([series.pk]).get(series.pk)
    if share is None:
        return []
    counted = set(series.counted.values_list("tournament", flat=True))
    concerned = Q(tournament__in=counted) | Q(tournament__cash_counts__fee_shares__series=series)
    rows = Division.objects.filter(concerned).select_related("tournament__club").distinct()
    divisions = list(rows.order_by("tournament__starts_at", "tournament_id", "order", "pk"))
    parts = season_parts(divisions)
    evenings: dict[Currency, list[PoolEvening]] = defaultdict(list)
    by_event: dict[Tournament, list[Division]] = defaultdict(list)
    for division in divisions:
        by_event[division.tournament].append(division)
    for event, own in by_event.items():
        mine = [part for division in own for part in parts[division.pk] if part.share.series_id == series.pk]
        amount = sum(part.amount for part in mine)
        if amount:
            is_fixed = any(part.is_fixed for part in mine)
            evenings[Currency.of(event)].append(PoolEvening(event, amount, is_fixed, event.pk in counted))
    return [SeasonPool(currency, nights, share.shares) for currency, nights in evenings.items()]


@dataclass(frozen=True, slots=True)
class PaidOut:
    """What a player is due of a pool and has been paid, in minor units."""

    player: Player
    due: Sequence[PoolDue]
    """Empty while the season is open; several of a player who was two in the table and was merged since."""
    payments: Sequence[Payment] = ()
    """Those that stand, the earliest first."""

    @property
    def paid(self) -> int:
        return -sum(payment.amount for payment in self.payments)

    @property
    def rest(self) -> int:
        """What is still due; negative if too much was paid."""
        return sum(due.amount for due in self.due) - self.paid


def paid_out(series: Series, pool: SeasonPool, table: Mapping[str, Any] | None) -> list[PaidOut]:
    """Return who is due or was paid something of a pool, by place; `table` is that with which the series was closed."""
    rows = Payment.objects.filter(
        series=series,
        tournament__currency=pool.currency.code,
        tournament__currency_exponent=pool.currency.exponent,
        undoes=None,
        undone_by=None,
    )
    payments: dict[str, list[Payment]] = defaultdict(list)
    people: dict[str, Player] = {}
    for row in rows.select_related("player__merged_into", "tournament__club", "by").order_by("at", "pk"):
        if row.player is not None:
            player = row.player.merged_into or row.player
            people[player.public_id] = player
            payments[player.public_id].append(row)
    due: dict[str, list[PoolDue]] = defaultdict(list)
    rows_due = pool.due(ranks_of(table)) if table is not None else []
    known = players_by_public_id(row.player for row in rows_due)
    for row_due in rows_due:
        player = known[row_due.player].merged_into or known[row_due.player]
        people[player.public_id] = player
        due[player.public_id].append(row_due)
    order = [*due, *(player for player in payments if player not in due)]
    return [PaidOut(people[player], due.get(player, ()), payments.get(player, ())) for player in order]


MAX_DESKS = 12
"""Cash desks that a page offers to pay from."""


def open_desks_of(series: Series, currency: Currency) -> list[Tournament]:
    """Return the events of the club with an open cash desk in this currency: the final, then the newest."""
    running = ("published", "running", "finished")
    rows = Tournament.objects.filter(
        club=series.club_id, currency=currency.code, currency_exponent=currency.exponent, status__in=running,
        starts_at__gte=earliest_start(series.first_day),
    ).order_by("-starts_at", "-pk")  # fmt: skip
    events = [row for row in rows.select_related("club")[: 4 * MAX_DESKS] if day_of(row) >= series.first_day]
    closed = standing_counts([event.pk for event in events])
    still_open = [event for event in events if event.pk not in closed]
    return sorted(still_open, key=lambda event: event.pk != series.final_id)[:MAX_DESKS]


def pay_due(
    *, series: Series, player: Player, tournament: Tournament, payment: PaymentInput, by: Actor, now: datetime
) -> list[Payment]:
    """Pay a player what is still due to them of a pool, from the cash desk of an event in its currency.

    `payment.amount` is what the director saw; repeating its key returns what it recorded first.
    Refused: `series_not_closed`, `cash_closed`, `pool_due_changed`.
    """
    with transaction.atomic():
        lock_club(series.club)
        row = lock_row(Series, series.pk)
        desk = lock_open_desk(tournament)
        if earlier := recorded(desk, payment.key):
            return earlier
        closing = closing_of(row)
        if closing is None:
            raise Refused("series_not_closed")
        currency, person = Currency.of(tournament), player.merged_into or player
        pool = next((pool for pool in pools_of(row) if pool.currency == currency), None)
        accounts = paid_out(row, pool, closing.table) if pool is not None else []
        rest = next((account.rest for account in accounts if account.player == person), 0)
        if rest <= 0 or payment.amount != rest:
            name = names_in_club(row.club, [person], staff=True)[person.pk]
            raise Refused("pool_due_changed", name=name, amount=currency.with_name(max(0, rest)))
        part = PaymentPart(Payment.Kind.SEASON, -rest, series=row, player=person)
        payments = record(desk, [part], payment, by=by, now=now)
        log(by, "series_pool_paid", row.topic, club=row.club, player=person.public_id)
        row.seq += 1
        row.save(update_fields=["seq"])
    return payments


@dataclass(frozen=True, slots=True)
class PoolDueLine:
    """What a player is due of a pool, as text; what was paid is for directors and for the player."""

    player: str
    """Public id."""
    places: str
    name: str
    amount: str
    """What is due; empty if nothing is."""
    pay: int = 0
    """What a director can pay, in minor units."""
    pay_text: str = ""
    too_much: str = ""
    payments: Sequence[tuple[Payment, str, bool]] = ()
    """With their amounts, and whether they can be taken back, which a closed cash desk refuses."""
    key: str = ""


@dataclass(frozen=True, slots=True)
class PoolLine:
    """A pool as text: its amount, its evenings, and who is due what once the series is closed."""

    amount: str
    evenings: Sequence[tuple[PoolEvening, str]]
    due: Sequence[PoolDueLine]
    left: str = ""
    """For directors: what is left in it, once something was paid."""
    desks: Sequence[Tournament] = ()
    """For directors: the events from whose cash desks it can be paid."""

    @property
    def is_unpaid(self) -> bool:
        """Whether something is still to be paid, as directors see it."""
        return any(line.pay for line in self.due)


def pool_lines(
    series: Series,
    pools: Sequence[SeasonPool],
    table: Mapping[str, Any] | None,
    *,
    own: Player | None = None,
    staff: bool = False,
    directs: bool = False,
) -> list[PoolLine]:
    """Return the pools for a page; `table` is that with which the series was closed."""
    lines = []
    for pool in pools:
        accounts = paid_out(series, pool, table)
        names = names_in_club(series.club, (account.player for account in accounts), staff=staff)
        desks = open_desks_of(series, pool.currency) if directs and any(row.rest > 0 for row in accounts) else []
        paid = sum(account.paid for account in accounts)
        closed = standing_counts({row.tournament_id for account in accounts for row in account.payments})
        lines.append(
            PoolLine(
                pool.currency.with_name(pool.amount),
                [(evening, pool.currency.text(evening.amount)) for evening in pool.evenings],
                [
                    _due_line(account, pool.currency, names, closed, directs=directs, is_own=account.player == own)
                    for account in accounts
                    if account.due or directs or account.player == own
                ],
                pool.currency.with_name(pool.amount - paid) if directs and paid else "",
                desks,
            )
        )
    return lines


def _due_line(
    account: PaidOut,
    currency: Currency,
    names: Mapping[int, str],
    closed: Container[int],
    *,
    directs: bool,
    is_own: bool,
) -> PoolDueLine:
    """`closed` are the events whose cash desk is closed."""
    player, due, text = account.player, account.due, currency.with_name
    payments = [
        (payment, text(-payment.amount), directs and payment.tournament_id not in closed)
        for payment in account.payments
    ]
    pays = directs and account.rest > 0
    return PoolDueLine(
        player.public_id,
        ", ".join(map(_places, due)),
        names[player.pk],
        text(sum(row.amount for row in due)) if due else "",
        account.rest if pays else 0,
        text(account.rest) if pays else "",
        text(-account.rest) if (directs or is_own) and account.rest < 0 and due else "",
        payments if directs or is_own else (),
        new_form_key() if pays else "",
    )


@dataclass(frozen=True, slots=True)
class PoolChange:
    """What a player is due of the pool that a correction would change; amounts as text."""

    player: str
    """Public id."""
    name: str
    before: str
    after: str


def pool_changes(
    series: Series,
    before: Sequence[tuple[int | None, str]],
    after: Sequence[tuple[int | None, str]],
    names: Mapping[str, str],
) -> list[PoolChange]:
    """Return whose money changes if these ranks become those."""
    changes = []
    for pool in pools_of(series):
        old = {due.player: due.amount for due in pool.due(before)}
        new = {due.player: due.amount for due in pool.due(after)}
        text = pool.currency.with_name
        changes += [
            PoolChange(player, names.get(player, ""), text(old.get(player, 0)), text(new.get(player, 0)))
            for player in dict.fromkeys([*new, *old])
            if old.get(player, 0) != new.get(player, 0)
        ]
    return changes


def _places(due: PoolDue) -> str:
    return str(due.first) if due.first == due.last else f"{due.first}–{due.last}"


def share_text(share: SeriesFeeShare | None) -> str:
    """Return the part of each entry fee as text, such as 20 % or 2.00 EUR; empty if there is none."""
    if share is None or not (share.percent or share.amount):
        return ""
    if share.percent:
        return percent(share.percent)
    return Currency(share.currency, share.currency_exponent).with_name(share.amount)


def places_text(share: SeriesFeeShare | None) -> str:
    """Return the shares of the places as text, such as 50 · 30 · 20 %; empty if places get nothing."""
    if share is None or not share.shares:
        return ""
    return " · ".join(percent(each).removesuffix(" %") for each in share.shares) + " %"


def pool_data(
    series: Series, table: Mapping[str, Any] | None, names: Mapping[str, str], *, directs: bool = False
) -> list[dict[str, Any]]:
    """Return the pools of a series as the API shows them; `table` is that with which it was closed.

    What was paid is for directors.
    """
    ranks = ranks_of(table) if table is not None else []
    pools = pools_of(series)
    paid: dict[tuple[Currency, str], int] = {}
    if directs:
        for pool in pools:
            accounts = paid_out(series, pool, table)
            paid |= {(pool.currency, account.due[0].player): account.paid for account in accounts if account.due}
    return [
        {
            "currency": pool.currency.code,
            "currency_exponent": pool.currency.exponent,
            "amount": pool.amount,
            "evenings": [
                {"event": evening.event.public_id, "amount": evening.amount, "is_fixed": evening.is_fixed}
                for evening in pool.evenings
            ],
            "due": [
                {
                    "player": due.player,
                    "name": names.get(due.player, ""),
                    "first": due.first,
                    "last": due.last,
                    "amount": due.amount,
                    "paid": paid.get((pool.currency, due.player), 0) if directs else None,
                }
                for due in pool.due(ranks)
            ],
        }
        for pool in pools
    ]
