"""Prize money: nothing is lost and nothing is made, for any shares, ties, splits, rounding and corrections."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.ledger.money import Fees, allocate
from tournaments.ledger.shares import (
    WHOLE,
    CertainPlaces,
    Pot,
    Prize,
    PrizePlacing,
    Split,
    is_applied,
    pool_standing,
    prize_table,
    proportional,
    published_order,
)

ALICE, BOB, CAROL, DAVE = 1, 2, 3, 4
CLUB_NIGHT = (Pot("main", (4000, 2500)), Pot("consolation", (2500, 1000)))


def single(*entries: int) -> CertainPlaces:
    """The entries in this order, none of them tied."""
    return CertainPlaces(
        tuple(PrizePlacing(place, place, (entry,)) for place, entry in enumerate(entries, start=1)), over=True
    )


def dues(prizes: list[Prize]) -> list[int]:
    return [prize.due for prize in prizes]


def test_a_club_night_rounded_to_five_leaves_the_remainder_to_first() -> None:
    fund = Fees(3000, 600).fund(32, 0)
    prizes = prize_table(fund, CLUB_NIGHT, {}, unit=500)
    assert fund == 76800
    assert [prize.exact for prize in prizes] == [30720, 19200, 19200, 7680]
    assert dues(prizes) == [31300, 19000, 19000, 7500]


def test_the_losers_of_the_semi_finals_share_their_prizes() -> None:
    pots = (Pot("main", (6000, 2000, 1500, 500)),)
    both = CertainPlaces((PrizePlacing(3, 4, (CAROL, DAVE)),))
    prizes = prize_table(10000, pots, {"main": both})
    assert [(prize.entry, prize.due) for prize in prizes] == [(None, 6000), (None, 2000), (CAROL, 1000), (DAVE, 1000)]
    prizes = prize_table(10000, pots, {"main": CertainPlaces((PrizePlacing(3, 4, (CAROL,)),))})
    assert [(prize.entry, prize.due) for prize in prizes[2:]] == [(CAROL, 1000), (None, 1000)]


def test_a_tie_across_the_last_prize_shares_it() -> None:
    tied = CertainPlaces((PrizePlacing(1, 1, (ALICE,)), PrizePlacing(2, 4, (BOB, CAROL, DAVE))), over=True)
    prizes = prize_table(1000, (Pot("rounds", (7000, 3000)),), {"rounds": tied}, unit=10)
    assert dues(prizes) == [700, 100, 100, 100]


def test_two_who_share_first_place_divide_the_remainder() -> None:
    tied = CertainPlaces((PrizePlacing(1, 2, (ALICE, BOB)),), over=True)
    prizes = prize_table(1001, (Pot("rounds", (7000, 3000)),), {"rounds": tied}, unit=100)
    assert dues(prizes) == [501, 500]


def test_a_place_that_nobody_takes_goes_to_first_place_of_its_bracket() -> None:
    prizes = prize_table(1000, CLUB_NIGHT, {"consolation": single(CAROL)})
    assert [(prize.pot, prize.due) for prize in prizes] == [("main", 400), ("main", 250), ("consolation", 350)]


def test_an_agreed_split_holds_while_the_same_players_have_the_same_places() -> None:
    split = Split("main", ((ALICE, 330), (BOB, 320)), (1, 2))
    for order in ((ALICE, BOB), (BOB, ALICE)):
        prizes = prize_table(1000, CLUB_NIGHT, {"main": single(*order)}, splits=[split])
        assert {prize.entry: prize.due for prize in prizes[:2]} == {ALICE: 330, BOB: 320}
    corrected = prize_table(1000, CLUB_NIGHT, {"main": single(ALICE, CAROL)}, splits=[split])
    assert dues(corrected)[:2] == [400, 250]
    assert not is_applied(corrected, split)
    larger = prize_table(2000, CLUB_NIGHT, {"main": single(ALICE, BOB)}, splits=[split])
    assert dues(larger)[:2] == [660, 640]


def test_a_side_pool_ranks_its_members_across_brackets() -> None:
    order = published_order(CLUB_NIGHT)
    assert order == [("main", 1), ("main", 2), ("consolation", 1), ("consolation", 2)]
    standings = {"main": single(ALICE, BOB), "consolation": single(CAROL, DAVE)}
    standing = pool_standing([DAVE, BOB, CAROL], order, standings)
    assert [row.entries for row in standing.placings] == [(BOB,), (CAROL,), (DAVE,)]
    running = pool_standing([DAVE, BOB], order, {"main": single(ALICE, BOB), "consolation": CertainPlaces()})
    assert [row.entries for row in running.placings] == [(BOB,)]
    assert not running.over
    final = pool_standing([ALICE], order, {"main": CertainPlaces((PrizePlacing(2, 2, (BOB,)),))})
    assert final.placings == ()
    unplaced = pool_standing([BOB, DAVE, 9, 8], order[:2], standings)
    assert [(row.first, row.last, row.entries) for row in unplaced.placings] == [(1, 1, (BOB,)), (2, 4, (DAVE, 8, 9))]


def test_a_pool_with_one_member_gives_them_everything() -> None:
    standing = pool_standing([BOB], published_order(CLUB_NIGHT), {"main": single(ALICE, BOB)})
    prizes = prize_table(1000, (Pot("pool", (7000, 3000)),), {"pool": standing})
    assert [(prize.entry, prize.due, prize.exact) for prize in prizes] == [(BOB, 1000, Fraction(1000))]


@pytest.mark.parametrize("shares", [(), (5000,), (0, WHOLE), (12000, -2000)])
def test_shares_that_do_not_make_the_whole_are_refused(shares: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="100 %"):
        prize_table(100, (Pot("main", shares),), {})


# Fees


def test_a_reentry_costs_half_and_keeps_half_of_the_registration() -> None:
    fees = Fees(1501, 301)
    assert fees.of(is_reentry=True) == 751
    assert fees.kept(is_reentry=True) == 150
    assert Fees(1500, 0, reentry=1000).of(is_reentry=True) == 1000
    assert fees.fund(4, 1, guaranteed=10000) == 10000
    with pytest.raises(ValueError, match="impossible"):
        Fees(100, 200)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 300), st.integers(0, 300), st.data())
def test_every_fee_is_either_kept_or_prize_money(
    entry: int, more: int, first: int, again: int, data: st.DataObject
) -> None:
    fees = Fees(entry, data.draw(st.integers(0, entry)), data.draw(st.none() | st.integers(0, more)))
    kept = first * fees.kept(is_reentry=False) + again * fees.kept(is_reentry=True)
    paid = first * fees.of(is_reentry=False) + again * fees.of(is_reentry=True)
    assert fees.fund(first, again) + kept == paid
    assert fees.kept(is_reentry=True) >= 0


@given(st.lists(st.integers(0, 5000), max_size=6), st.data())
def test_allocating_pays_exactly_the_amount(owed: list[int], data: st.DataObject) -> None:
    amount = data.draw(st.integers(0, sum(owed)))
    parts = allocate(amount, owed)
    assert sum(parts) == amount
    assert all(part <= each for part, each in zip(parts, owed, strict=True))
    with pytest.raises(ValueError, match="more than"):
        allocate(sum(owed) + 1, owed)


@given(st.integers(0, 10**8), st.lists(st.integers(1, 10**6), min_size=1, max_size=12))
def test_a_proportional_division_is_complete(total: int, weights: list[int]) -> None:
    assert sum(proportional(total, weights)) == total


# Any prize table


@st.composite
def pots(draw: st.DrawFn) -> list[Pot]:
    """One to three pots whose shares make 100 %."""
    cuts = sorted(draw(st.lists(st.integers(1, WHOLE - 1), min_size=1, max_size=9, unique=True)))
    shares = [after - before for before, after in zip([0, *cuts], [*cuts, WHOLE], strict=True)]
    first = draw(st.integers(1, len(shares)))
    second = draw(st.integers(first, len(shares)))
    split = (shares[:first], shares[first:second], shares[second:])
    keys = ("main", "consolation", "last_chance")
    return [Pot(key, tuple(own)) for key, own in zip(keys, split, strict=True) if own]


@st.composite
def standing(draw: st.DrawFn, least: int) -> CertainPlaces:
    """Places from the first or from a later one on, tied in any way, with or without unknown holders."""
    place, entry, placings = draw(st.integers(1, 4)), least, []
    for size in draw(st.lists(st.integers(1, 4), max_size=5)):
        known = draw(st.integers(1, size))
        placings.append(PrizePlacing(place, place + size - 1, tuple(range(entry, entry + known))))
        place, entry = place + size, entry + known
    return CertainPlaces(tuple(placings), over=draw(st.booleans()))


@st.composite
def standings(draw: st.DrawFn) -> dict[str, CertainPlaces]:
    return {key: draw(standing(100 * index)) for index, key in enumerate(("main", "consolation", "last_chance"), 1)}


@pytest.mark.slow
@settings(max_examples=300)
@given(st.integers(0, 10**8), pots(), standings(), st.sampled_from([1, 5, 10, 100, 500, 10**4]), st.data())
def test_the_prizes_add_up_to_the_fund(
    fund: int, own: list[Pot], places: dict[str, CertainPlaces], unit: int, data: st.DataObject
) -> None:
    before = prize_table(fund, own, places, unit=unit)
    assert sum(dues(before)) == fund
    assert sum(prize.share for prize in before) == WHOLE
    assert sum(prize.exact for prize in before) == fund
    placed = [prize for prize in before if prize.pot == "main" and prize.entry is not None]
    splits = []
    if placed:
        total = sum(dues(placed))
        weights = data.draw(st.lists(st.integers(1, 100), min_size=len(placed), max_size=len(placed)))
        amounts = proportional(total, weights)
        pairs = tuple((prize.entry or 0, amount) for prize, amount in zip(placed, amounts, strict=True))
        splits = [Split("main", pairs, tuple(sorted(prize.first for prize in placed)))]
        if total:
            agreed = prize_table(fund, own, places, unit=unit, splits=splits)
            assert sum(dues(agreed)) == fund
            assert {prize.entry: prize.due for prize in agreed if prize.agreed} == dict(pairs)
    corrected = prize_table(fund, own, data.draw(standings()), unit=unit, splits=splits)
    assert sum(dues(corrected)) == fund
    assert all(due >= 0 for due in dues(corrected))
