"""The prize of each place of a division: who is due it, and what has been paid of it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from core.left_out import refuse_gaps
from core.public_ids import new_form_key
from formats import graph
from formats.plans import ROUNDS, TABLE
from formats.progress import numbered
from formats.settings import (
    DOUBLE,
    ELIMINATION,
    GROUPS,
    LEAGUE,
    LIVES,
    ONE_ORDER,
    PLACES,
    PROGRESSIVE,
    ROUND_ROBIN,
    StageSettings,
)
from formats.tables.groups import group_names
from formats.tables.tables import elimination_places, ranks
from players.models import Player
from tournaments.ledger.accounts import PAYER, division_charges, fees_of
from tournaments.ledger.money import Currency, part_of, percent
from tournaments.ledger.season_pools import SeasonPart, shares_of_events
from tournaments.ledger.shares import (
    CertainPlaces,
    Pot,
    Prize,
    PrizePlacing,
    Split,
    is_applied,
    pool_standing,
    prize_table,
)
from tournaments.ledger.sides import Sides, halves
from tournaments.models import (
    AgreedSplit,
    Division,
    Entry,
    Payment,
    PoolMember,
    PrizePlan,
    Series,
    SidePool,
    Stage,
    Tournament,
)
from tournaments.standings.brackets import places_name
from tournaments.state.derivation import StageState, places_beyond, states_of
from tournaments.state.names import Names, display_name, names_of
from tournaments.state.plans import settings_of

# The places of a division that prizes are given for: those of its last stage.


def pot_keys(division: Division) -> tuple[str, ...]:
    """Return the brackets, tables or groups of the division's last stage, the one that decides the title first."""
    last = division.stages.order_by("-number").first()
    settings = settings_of(last) if last is not None else StageSettings()
    if settings.format == PROGRESSIVE:
        third = () if settings.last_chance is None else (graph.LAST_CHANCE,)
        return (graph.MAIN, graph.CONSOLATION, *third)
    if settings.format == DOUBLE:
        return (graph.FINAL,)
    if settings.format in ELIMINATION:
        return (graph.MAIN,)
    if settings.format == GROUPS:
        return group_names(settings.groups)
    return (TABLE,) if settings.format in (ROUND_ROBIN, LEAGUE) else (ROUNDS,)


def standings_of(
    division: Division, *, ties_share: bool = False, states: Sequence[StageState] | None = None
) -> dict[str, CertainPlaces]:
    """Return the certain places by bracket or table of the last stage; empty until its draw is published.

    Who shares a place in a table shares it here. With `ties_share`, so do entries with equal points; where lives are
    counted, nearly everybody ends with none, and only shared places count. `states` are derived ones, for previews.
    """
    derived = states_of(division) if states is None else states
    last = division.stages.order_by("-number").values_list("number", flat=True).first()
    state = next((row for row in derived if row.stage.number == last), None)
    if state is None:
        return {}
    settings, by_points = state.rows.settings, ties_share and state.rows.settings.format != LIVES
    if settings.format in ELIMINATION:
        brackets = elimination_places(settings, state.progress)
        over = {key: _is_over(state, key, settings) for key in brackets}
    else:
        brackets = {
            table.key: tuple(numbered(ranks(table, by_points=by_points))) if table.over else ()
            for table in state.tables
        }
        over = {table.key: table.over for table in state.tables}
    title = next(iter(brackets), None)
    beyond = places_beyond(derived, by_points=ties_share)
    return {
        key: CertainPlaces(
            tuple(
                PrizePlacing(row.first, row.last, row.entries, row.only)
                for row in (*places, *(beyond if key == title else ()))
            ),
            # Who has the places after these may follow from an earlier stage that was opened again.
            over=over[key] and all(row.over for row in derived[:-1]),
        )
        for key, places in brackets.items()
    }


def _is_over(state: StageState, key: str, settings: StageSettings) -> bool:
    """Whether every match of a bracket is over; brackets with one order of places count as one."""
    if settings.format in ONE_ORDER:
        return state.over
    numbers = [fixture.number for fixture in state.progress.graph.bracket(key).fixtures]
    return all(state.progress.fixtures[number].over for number in numbers)


FINALISTS = 2


# The prize table of a division: what each place is due, to whom, and what has been paid of it.


@dataclass(frozen=True, slots=True)
class Payout:
    """What was paid to an entry from a pot, by whom of a pair it names, and when last."""

    people: Mapping[int | None, int] = field(default_factory=dict)
    at: datetime | None = None

    @property
    def amount(self) -> int:
        return sum(self.people.values())


@dataclass(slots=True)
class PrizeRow:
    """A prize and what has been paid of it; `prize` is None if nothing is due any more."""

    pot: str
    entry: int | None
    prize: Prize | None
    payout: Payout = field(default_factory=Payout)

    @property
    def paid(self) -> int:
        return self.payout.amount

    @property
    def due(self) -> int:
        return 0 if self.prize is None else self.prize.due

    @property
    def open(self) -> int:
        """What is still to be paid to a known winner; negative if too much was paid."""
        return 0 if self.entry is None else self.due - self.paid


@dataclass(frozen=True, slots=True)
class PersonShare:
    """What one person of a side gets of its prize, and has been paid of it."""

    player: Player
    due: int
    paid: int

    @property
    def open(self) -> int:
        """What is still to be paid; negative if too much was paid."""
        return self.due - self.paid


def shares_of_people(entry: int, rows: Sequence[PrizeRow], sides: Sides) -> list[PersonShare]:
    """Divide what an entry is due by these rows among its people: all of it for one, half for each of a pair."""
    people, paid = sides.of(entry), defaultdict[int, int](int)
    for row in rows:
        for payee, amount in row.payout.people.items():
            paid[sides.whose(entry, payee)] += amount
    parts = halves(sum(row.due for row in rows), len(people))
    return [PersonShare(person, due, paid[person.pk]) for person, due in zip(people, parts, strict=True)]


@dataclass(frozen=True, slots=True)
class Fund:
    """Where the prize money of a division comes from."""

    entries: int
    reentries: int
    each: int
    each_reentry: int
    total: int
    added: int
    """What the club adds to reach the guaranteed amount."""
    kept: int = 0
    """What the club keeps of the sum of all fees."""
    seasons: Sequence[SeasonPart] = ()
    """What goes to the pools of seasons instead."""


@dataclass(slots=True)
class DivisionPrizes:
    division: Division
    plan: PrizePlan | None
    fund: Fund
    rows: list[PrizeRow] = field(default_factory=list)
    pools: list["PoolPrizes"] = field(default_factory=list)
    splits: list[tuple[AgreedSplit, bool]] = field(default_factory=list)
    """Agreed splits, and whether they apply."""
    finals: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Pot -> who meet in its final, which has no result."""

    @property
    def every_row(self) -> list[PrizeRow]:
        """The prizes of the division and of its side pools."""
        return [*self.rows, *(row for pool in self.pools for row in pool.rows)]


@dataclass(slots=True)
class PoolPrizes:
    pool: SidePool
    members: list[int]
    total: int
    """What the members pay, without what the club keeps of it."""
    kept: int
    rows: list[PrizeRow]


def pots_of(plan: PrizePlan) -> list[Pot]:
    return [Pot(key, tuple(shares)) for key, shares in plan.shares]


def plan_of(division: Division) -> PrizePlan | None:
    """Return the highest published version of a division's plan, or else its latest draft."""
    return division.prize_plans.order_by("-published", "-version").first()


def fund_of(division: Division, plan: PrizePlan | None) -> Fund:
    """Return the prize money of a division: what its entries owe, whether they have paid or not."""
    fees, charges = fees_of(division, plan), division_charges(division)
    again = sum(charge.is_reentry for charge in charges)
    first = len(charges) - again
    event = division.tournament
    parts = shares_of_events({event.pk: Currency.of(event)})[event.pk].parts(fees, first, again)
    for_seasons = sum(part.amount for part in parts)
    total = fees.fund(first, again, plan.guaranteed if plan else 0, for_seasons)
    return Fund(
        first,
        again,
        fees.prize_money(is_reentry=False),
        fees.prize_money(is_reentry=True),
        total,
        total - fees.fund(first, again, seasons=for_seasons),
        fees.kept_of_all(first, again),
        [part for part in parts if part.amount],
    )


def divisions_with_prizes(tournament: Tournament) -> list[Division]:
    """Return the divisions of an event, without lists of side events that have not started or were called off."""
    refuse_gaps()
    waiting = (Division.Status.ENTRIES, Division.Status.CANCELLED)
    rows = tournament.divisions.exclude(offer__isnull=False, status__in=waiting)
    return list(rows.select_related("tournament__club"))


def prizes_of(
    division: Division, *, plan: PrizePlan | None = None, states: Sequence[StageState] | None = None
) -> DivisionPrizes:
    """Return the prize table; `plan` replaces the plan that counts, and `states` the places, for previews."""
    used = plan or plan_of(division)
    fund = fund_of(division, used)
    prizes = DivisionPrizes(division, used, fund)
    derived = states_of(division) if states is None else states
    standings = standings_of(division, ties_share=used is not None and used.ties_share, states=derived)
    if any(state.rows.settings.ended for state in derived):
        # The prizes were set for a stage that became another in mid-evening.
        (places,) = standings.values() or [CertainPlaces()]
        standings = {graph.MAIN: places, ROUNDS: places}
    prizes.finals = _finals(derived)
    payouts = payouts_of(division)
    if used is not None:
        rows = list(division.agreed_splits.filter(taken_back_at=None))
        splits = [split_of(row) for row in rows]
        table = prize_table(fund.total, pots_of(used), standings, unit=used.unit, splits=splits)
        prizes.rows = _rows(table, payouts)
        prizes.splits = [(row, is_applied(table, split)) for row, split in zip(rows, splits, strict=True)]
    prizes.pools = _pools(division, standings, payouts)
    prizes.rows += [PrizeRow(pot, entry, None, paid) for (pot, entry), paid in payouts.items()]
    return prizes


def _finals(states: Sequence[StageState]) -> dict[str, tuple[int, int]]:
    """Return bracket -> the two of its final, before it has a result. A double elimination may need two matches."""
    last = states[-1] if states else None
    if last is None or last.rows.settings.format not in ELIMINATION or last.rows.settings.format == DOUBLE:
        return {}
    if last.stage.number < max(stage.number for stage in last.rows.of_division.stages):
        return {}
    finals = {}
    for bracket in last.progress.graph.brackets:
        if last.rows.settings.format == PLACES and bracket.key != graph.MAIN:
            continue
        fixtures = bracket.rounds[-1].fixtures
        state = last.progress.fixtures[fixtures[0].number] if len(fixtures) == 1 else None
        if state is not None and state.entrants is not None and not state.over:
            finals[bracket.key] = state.entrants
    return finals


def final_sum(prizes: DivisionPrizes, pot: str) -> int:
    """Return the prizes of places 1 and 2 of a pot together."""
    rows = [row.prize for row in prizes.rows if row.pot == pot and row.prize is not None]
    return sum(prize.due for prize in rows if prize.first <= FINALISTS)


def split_of(row: AgreedSplit) -> Split:
    return Split(row.pot, tuple((entry, amount) for entry, amount in row.amounts), tuple(row.places))


def payouts_of(division: Division) -> dict[tuple[str, int], Payout]:
    """Return (pot, entry) -> what was paid and not taken back."""
    amounts: dict[tuple[str, int], dict[int | None, int]] = defaultdict(lambda: defaultdict(int))
    last: dict[tuple[str, int], datetime] = {}
    rows = Payment.objects.filter(entry__division=division, kind=Payment.Kind.PAYOUT).order_by("at", "pk")
    for pot, entry, payee, amount, at in rows.values_list("pot", "entry", PAYER, "amount", "at"):
        amounts[pot, entry][payee] -= amount
        last[pot, entry] = at
    return {key: Payout(people, last[key]) for key, people in amounts.items() if any(people.values())}


def _rows(table: Sequence[Prize], payouts: dict[tuple[str, int], Payout]) -> list[PrizeRow]:
    """Return the prizes with what was paid of each; their payouts are removed from the mapping."""
    rows = []
    for prize in table:
        payout = payouts.pop((prize.pot, prize.entry), Payout()) if prize.entry is not None else Payout()
        rows.append(PrizeRow(prize.pot, prize.entry, prize, payout))
    return rows


def _pools(
    division: Division, standings: Mapping[str, CertainPlaces], payouts: dict[tuple[str, int], Payout]
) -> list[PoolPrizes]:
    """Return the side pools of a division; members who owe no entry fee any more do not count."""
    charged = {charge.entry.pk for charge in division_charges(division)}
    members: dict[int, list[int]] = defaultdict(list)
    joined = PoolMember.objects.filter(pool__division=division, taken_back_at=None)
    for pool, entry in joined.order_by("pk").values_list("pool", "entry"):
        if entry in charged:
            members[pool].append(entry)
    pools = []
    for row in division.side_pools.all():
        own = members[row.pk]
        standing = pool_standing(own, [(key, place) for key, place in row.order], standings)
        kept = part_of(row.fee * len(own), row.kept)
        total = row.fee * len(own) - kept
        table = prize_table(total, [Pot(row.key, tuple(row.shares))], {row.key: standing}, unit=row.unit)
        pools.append(PoolPrizes(row, own, total, kept, _rows(table, payouts) if own else []))
    return pools


# The prize table as its pages, files and the API show it.


@dataclass(frozen=True, slots=True)
class PersonLine:
    """What one of a pair gets of a prize, for the staff; amounts as in `PrizeLine`."""

    player: str
    name: str
    due_amount: int
    paid_amount: int
    open_amount: int
    open_text: str
    key: str
    pay_label: str


@dataclass(frozen=True, slots=True)
class PrizeLine:
    """A line of the prize table; amounts with the suffix `_amount` in minor units, the others as text."""

    place: str
    entry: int | None
    entry_id: str
    name: str
    pot: str
    share: str
    exact: str
    due: str
    due_amount: int
    paid_amount: int
    open_amount: int
    open_text: str
    """The open amount for a form field."""
    key: str
    """The idempotency key of the form that pays it."""
    pay_label: str
    paid_at: datetime | None
    state: str
    """`open`, `paid`, `too_much` or `waiting`."""
    agreed: bool
    status: str
    """What is still to be done, as a sentence."""
    people: Sequence[PersonLine] = ()
    """Of a pair: what each of them gets."""


@dataclass(frozen=True, slots=True)
class PrizeSection:
    """A bracket, table or side pool with its lines and sums."""

    key: str
    title: str
    share: str
    exact: str
    due: str
    lines: list[PrizeLine]


@dataclass(frozen=True, slots=True)
class SplitLine:
    split: AgreedSplit
    text: str
    applies: bool
    waits: bool
    """Whether its two are still to play the final."""


@dataclass(frozen=True, slots=True)
class FinalSplit:
    """A final whose two may agree on their prizes before they play."""

    key: str
    title: str
    total: str
    players: Sequence[tuple[str, str]]
    """Public id of the entry, and the name."""


@dataclass(frozen=True, slots=True)
class SeasonLine:
    """What the entry fees of a division give to the pool of a season."""

    series: Series
    amount: int
    text: str
    """The amount."""
    share: str
    """The part of each entry fee."""
    is_fixed: bool
    """Whether the cash desk was closed with this share."""


def season_line(part: SeasonPart, currency: Currency) -> SeasonLine:
    """Return a part of the entry fees as text."""
    share = part.share
    each = percent(share.percent) if share.percent else currency.text(share.amount)
    return SeasonLine(part.series, part.amount, currency.text(part.amount), each, part.is_fixed)


@dataclass(frozen=True, slots=True)
class DivisionPrizesView:
    division: Division
    is_published: bool
    has_plan: bool
    summary: str
    sections: list[PrizeSection] = field(default_factory=list)
    splits: list[SplitLine] = field(default_factory=list)
    open_amount: int = 0
    open_players: int = 0
    seasons: list[SeasonLine] = field(default_factory=list)
    kept: list[tuple[str, int]] = field(default_factory=list)
    """What the club keeps of the sum of the fees, by the names of the division and of its side pools."""
    finals: list[FinalSplit] = field(default_factory=list)

    @property
    def split_sections(self) -> list[PrizeSection]:
        """The brackets and tables with prizes for at least two known players."""
        return [
            section
            for section in self.sections
            if not section.key.startswith("pool:") and sum(line.entry is not None for line in section.lines) > 1
        ]


def prizes_view(division: Division, names: Names, prizes: DivisionPrizes | None = None) -> DivisionPrizesView:
    """Return the prize table of a division for readers who may see these names."""
    table = prizes or prizes_of(division)
    builder = _Builder(division, names, Currency.of(division.tournament))
    rows = [row for row in table.every_row if row.open > 0]
    return DivisionPrizesView(
        division,
        is_published=table.plan is not None and table.plan.published,
        has_plan=table.plan is not None,
        summary=builder.summary(table),
        sections=builder.sections(table),
        splits=[builder.split(row, applies, table.finals) for row, applies in table.splits],
        open_amount=sum(row.open for row in rows),
        open_players=len({row.entry for row in rows}),
        seasons=[season_line(part, builder.currency) for part in table.fund.seasons],
        finals=[builder.final(table, key) for key in table.finals if final_sum(table, key)],
        kept=[(name, amount) for name, amount in _kept(table) if amount],
    )


def _kept(prizes: DivisionPrizes) -> Iterator[tuple[str, int]]:
    yield prizes.division.name, prizes.fund.kept
    for pool in prizes.pools:
        yield pool.pool.name, pool.kept


def prizes_for_staff(division: Division) -> DivisionPrizesView:
    return prizes_view(division, names_of(division, staff=True))


class _Builder:
    """Formats prizes for one reader."""

    def __init__(self, division: Division, names: Names, currency: Currency) -> None:
        self.division, self.names, self.currency = division, names, currency
        self.in_brackets = _in_brackets(division)
        self.sides = Sides(names.entries.values() if names.staff else ())

    def summary(self, table: DivisionPrizes) -> str:
        """Say where the prize money comes from and how it is rounded."""
        fund, text = table.fund, self.currency.text
        parts = [f"{fund.entries} × {text(fund.each)}"]
        if fund.reentries:
            parts.append(f"{fund.reentries} × {text(fund.each_reentry)}")
        if fund.added:
            parts.append(_("%(amount)s added by the club") % {"amount": text(fund.added)})
        for_seasons = sum(part.amount for part in fund.seasons)
        less = " − " + _("%(amount)s for the season") % {"amount": text(for_seasons)} if for_seasons else ""
        kept = " − " + _("%(amount)s for the club") % {"amount": text(fund.kept)} if fund.kept else ""
        sentence = f"{' + '.join(parts)}{kept}{less} = {text(fund.total)}"
        if table.plan is not None and table.plan.unit > 1:
            rounding = _("rounded down to %(unit)s, remainder to first") % {"unit": text(table.plan.unit)}
            return f"{sentence} · {rounding}"
        return sentence

    def sections(self, table: DivisionPrizes) -> list[PrizeSection]:
        """Return the brackets, then the side pools."""
        titles = {row.pot: "" for row in table.rows}
        pools = {pool.pool.key: pool for pool in table.pools}
        sections = []
        for key in titles:
            rows = [row for row in table.rows if row.pot == key]
            title = pools[key].pool.name if key in pools else places_name(key)
            sections.append(self._section(key, title, rows))
        sections += [self._section(key, pool.pool.name, pool.rows) for key, pool in pools.items() if pool.rows]
        return sections

    def _section(self, key: str, title: str, rows: Sequence[PrizeRow]) -> PrizeSection:
        prizes = [row.prize for row in rows if row.prize is not None]
        share = sum((prize.share for prize in prizes), Fraction(0))
        exact = sum((prize.exact for prize in prizes), Fraction(0))
        return PrizeSection(
            key,
            title,
            percent(share) if share else "",
            self.currency.text(int(exact)),
            self.currency.text(sum(row.due for row in rows)),
            [self._line(row) for row in rows],
        )

    def _line(self, row: PrizeRow) -> PrizeLine:
        prize, entry = row.prize, self.names.entries.get(row.entry or 0)
        state, name = self._state(row), self.names.of(row.entry)
        amount = {"amount": self.currency.with_name(max(0, row.open))}
        return PrizeLine(
            self._place(row),
            row.entry,
            entry.public_id if entry is not None else "",
            name,
            row.pot,
            percent(prize.share) if prize is not None else "",
            self.currency.text(int(prize.exact)) if prize is not None else "",
            self.currency.text(row.due),
            row.due,
            row.paid,
            row.open,
            self.currency.plain(max(0, row.open)),
            new_form_key(),
            _("Pay %(amount)s") % amount,
            row.payout.at,
            state,
            prize is not None and prize.agreed,
            self._status(row, state),
            self._people(row, entry),
        )

    def _people(self, row: PrizeRow, entry: Entry | None) -> list[PersonLine]:
        if entry is None or entry.player.parts is None or not self.names.staff:
            return []
        return [self._person(share) for share in shares_of_people(entry.pk, [row], self.sides)]

    def _person(self, share: PersonShare) -> PersonLine:
        name, still = display_name(share.player, staff=True), max(0, share.open)
        return PersonLine(
            share.player.public_id,
            name,
            share.due,
            share.paid,
            share.open,
            self.currency.plain(still),
            new_form_key(),
            _("Pay %(amount)s to %(name)s") % {"amount": self.currency.text(still), "name": name},
        )

    def _state(self, row: PrizeRow) -> str:
        if row.entry is None or (not row.due and not row.paid):
            return "waiting"
        if row.open < 0:
            return "too_much"
        return "open" if row.open else "paid"

    def _status(self, row: PrizeRow, state: str) -> str:
        """Return what is still to be done for a prize."""
        if state == "too_much":
            return _("%(amount)s too much was paid.") % {"amount": self.currency.text(-row.open)}
        if state == "open" and row.paid:
            return _("%(paid)s of %(due)s paid.") % {
                "paid": self.currency.text(row.paid),
                "due": self.currency.text(row.due),
            }
        return ""

    def _place(self, row: PrizeRow) -> str:
        if row.prize is None:
            return "–"
        first, last = row.prize.first, row.prize.last
        if first != last:
            return f"{first}–{last}"
        if self.in_brackets and not row.pot.startswith("pool:"):
            return {1: pgettext("prize", "Winner"), 2: pgettext("prize", "Finalist")}.get(first, str(first))
        return str(first)

    def final(self, table: DivisionPrizes, key: str) -> FinalSplit:
        players = [(self.names.entries[entry].public_id, self.names.of(entry)) for entry in table.finals[key]]
        return FinalSplit(key, places_name(key), self.currency.text(final_sum(table, key)), players)

    def split(self, row: AgreedSplit, applies: bool, finals: Mapping[str, tuple[int, int]]) -> SplitLine:
        shares = [f"{self.names.of(entry)} {self.currency.text(amount)}" for entry, amount in row.amounts]
        waits = {entry for entry, _amount in row.amounts} == set(finals.get(row.pot, ()))
        return SplitLine(row, " · ".join(shares), applies, waits)


def _in_brackets(division: Division) -> bool:
    last: Stage | None = division.stages.order_by("-number").first()
    return last is None or last.format in ELIMINATION


def default_shares(keys: Sequence[str]) -> dict[str, list[int]]:
    """Return the shares that are suggested for these brackets: 40/25 and 25/10, or 50/30/20 for a single one."""
    if len(keys) == 1:
        return {keys[0]: [5000, 3000, 2000]}
    return {keys[0]: [4000, 2500], keys[1]: [2500, 1000]}


# Which prizes a correction would change, for its preview.


@dataclass(frozen=True, slots=True)
class PrizeChange:
    """The prize of an entry that would change; amounts as text, in the currency of the event."""

    entry: str
    name: str
    prize: str
    before: str
    after: str


def prize_changes(division: Division, states: Sequence[StageState]) -> list[PrizeChange]:
    """Return the published prizes that would change if the stages of a division were in these states.

    Payments are not mentioned, because assistants see previews, too.
    """
    plan = plan_of(division) if states else None
    if plan is None or not plan.published:
        return []
    before, after = _due(prizes_of(division)), _due(prizes_of(division, states=states))
    names, currency = names_of(division, staff=True), Currency.of(division.tournament)
    titles = {pool.key: pool.name for pool in division.side_pools.all()}
    return [
        PrizeChange(
            names.entries[entry].public_id,
            names.of(entry),
            titles.get(pot) or places_name(pot),
            currency.text(before[pot, entry]),
            currency.text(after[pot, entry]),
        )
        for pot, entry in sorted(before.keys() | after.keys())
        if before[pot, entry] != after[pot, entry]
    ]


def _due(prizes: DivisionPrizes) -> defaultdict[tuple[str, int], int]:
    """Return (pot, entry) -> what is due."""
    due: defaultdict[tuple[str, int], int] = defaultdict(int)
    for row in prizes.every_row:
        if row.entry is not None:
            due[row.pot, row.entry] += row.due
    return due
