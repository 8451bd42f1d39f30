"""What each place is due, payouts, agreed splits and side pools, with real results."""

from dataclasses import replace

import pytest

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.models import Player
from players.people.pairs import pair_of
from prizes.prizes import final_sum, pot_keys, prize_changes, prizes_for_staff, prizes_view
from prizes.services import (
    PlanInput,
    SidePoolInput,
    agree_split,
    create_pool,
    join_pool,
    pay_out,
    save_plan,
    undo_split,
)
from tests.event_cast import NOW
from tests.prizes.conftest import PLAN, Prizes, play
from tournaments.ledger import payments
from tournaments.ledger.accounts import box_of
from tournaments.ledger.payments import PaymentInput
from tournaments.ledger.shares import Pot
from tournaments.models import Entry, Fixture, Payment, PoolMember
from tournaments.results import services as results
from tournaments.results.corrections import CorrectionInput, apply_correction, preview_correction
from tournaments.state.names import names_of
from tournaments.state.preview import Choice

pytestmark = pytest.mark.django_db

AS_PUBLISHED = [("main", 1, 7100), ("main", 2, 2500), ("main", 3, 0), ("main", 3, 0)]


def test_the_prizes_follow_the_places_and_the_entries(prizes: Prizes) -> None:
    table = prizes.now()
    assert (table.fund.entries, table.fund.each, table.fund.total, table.fund.added) == (4, 2400, 9600, 0)
    assert prizes.due() == AS_PUBLISHED
    assert pot_keys(prizes.division) == ("main",)


def test_a_prize_is_paid_once(prizes: Prizes) -> None:
    with pytest.raises(Refused, match="due_changed"):
        prizes.pay(1, 100)
    (paid,) = prizes.pay(1, 7100, "form")
    assert (paid.kind, paid.amount, paid.pot) == ("payout", -7100, "main")
    assert prizes.pay(1, 7100, "form") == [paid]
    with pytest.raises(Refused, match="nothing_due"):
        prizes.pay(1, 7100)
    assert box_of(prizes.division.tournament).expected == 4 * 3000 - 7100
    payments.undo_payment(payment=paid, by=prizes.by, now=NOW)
    prizes.pay(1, 7100)


def test_prizes_are_paid_only_once_they_are_published(prizes: Prizes) -> None:
    prizes.division.prize_plans.all().delete()
    save_plan(division=prizes.division, plan=PLAN, publish=False, by=prizes.by, now=NOW)
    with pytest.raises(Refused, match="prizes_not_published"):
        prizes.pay(1, 7100)


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        (PlanInput([Pot("main", (9000,))]), "bad_shares"),
        (PlanInput([]), "bad_shares"),
        (PlanInput([Pot("main", (10000,))], registration=3001), "registration_too_large"),
    ],
)
def test_impossible_plans_are_refused(prizes: Prizes, plan: PlanInput, code: str) -> None:
    with pytest.raises(Refused, match=code):
        save_plan(division=prizes.division, plan=plan, publish=True, by=prizes.by, now=NOW)


def test_a_later_draft_changes_nothing_until_it_is_published(prizes: Prizes) -> None:
    flat = PlanInput([Pot("main", (5000, 5000))], guaranteed=20000)
    draft = save_plan(division=prizes.division, plan=flat, publish=False, by=prizes.by, now=NOW)
    assert prizes.due() == AS_PUBLISHED
    published = save_plan(division=prizes.division, plan=flat, publish=True, by=prizes.by, now=NOW)
    assert (draft.version, published.version) == (2, 3)
    assert prizes.due() == [("main", 1, 10000), ("main", 2, 10000)]
    assert prizes.now().fund.added == 20000 - 12000


def test_a_correction_changes_what_is_due_and_never_a_payment(prizes: Prizes) -> None:
    champion, finalist = prizes.holder(1), prizes.holder(2)
    prizes.pay(1, 7100)
    prizes.pay(2, 2500)
    final = Fixture.objects.select_related("match", "stage__division").get(stage__division=prizes.division, number=3)
    consequences = preview_correction(fixture=final, new=ResultInput(1, (1, 3))).all
    changes = [(row.before, row.after) for row in prize_changes(prizes.division, consequences.states)]
    assert sorted(changes) == [("25.00", "71.00"), ("71.00", "25.00")]
    prizes.division.refresh_from_db()
    correction = CorrectionInput(ResultInput(1, (1, 3)), Choice.CORRECT_ALL)
    apply_correction(fixture=final, correction=correction, after=prizes.division.seq, by=prizes.by, now=NOW)
    rows = {row.entry: row for row in prizes.now().rows}
    assert (rows[finalist.pk].due, rows[finalist.pk].paid, rows[finalist.pk].open) == (7100, 2500, 4600)
    assert (rows[champion.pk].due, rows[champion.pk].paid, rows[champion.pk].open) == (2500, 7100, -4600)
    assert box_of(prizes.division.tournament).expected == 4 * 3000 - 9600


def test_an_agreed_split_is_due_until_it_is_taken_back(prizes: Prizes) -> None:
    first, second, third = prizes.holder(1), prizes.holder(2), prizes.holder(3)
    split = {"division": prizes.division, "pot": "main", "by": prizes.by, "now": NOW}
    with pytest.raises(Refused, match="split_sum"):
        agree_split(amounts={first.pk: 5000, second.pk: 5000}, **split)  # type: ignore[arg-type]
    with pytest.raises(Refused, match="split_holders"):
        agree_split(amounts={first.pk: 7100}, **split)  # type: ignore[arg-type]
    agree_split(amounts={first.pk: 5000, second.pk: 4600}, **split)  # type: ignore[arg-type]
    assert [due for _, _, due in prizes.due()] == [5000, 4600, 0, 0]
    again = agree_split(amounts={first.pk: 4800, second.pk: 4400, third.pk: 400}, **split)  # type: ignore[arg-type]
    assert sorted(due for _, _, due in prizes.due()) == [0, 400, 4400, 4800]
    undo_split(split=again, by=prizes.by, now=NOW)
    assert prizes.due() == AS_PUBLISHED
    with pytest.raises(Refused, match="split_taken_back"):
        undo_split(split=again, by=prizes.by, now=NOW)


def test_a_side_pool_pays_its_best_placed_members(prizes: Prizes) -> None:
    pool = create_pool(
        division=prizes.division,
        pool=SidePoolInput("Side pool", 1000, (7000, 3000), (("main", 1), ("main", 2), ("main", 3))),
        by=prizes.by,
        now=NOW,
    )
    # Before the first result, after which nobody can join.
    for place in (2, 3):
        PoolMember.objects.create(pool=pool, entry=prizes.holder(place), at=NOW)
    with pytest.raises(Refused, match="pool_closed"):
        join_pool(pool=pool, entry=prizes.holder(1), by=prizes.by, now=NOW)
    (shown,) = prizes.now().pools
    assert [(row.entry, row.due) for row in shown.rows] == [(prizes.holder(2).pk, 1400), (prizes.holder(3).pk, 600)]
    payment = payments.PaymentInput(1400, "pool prize")
    (paid,) = pay_out(entry=prizes.holder(2), pot=pool.key, payment=payment, by=prizes.by, now=NOW)
    assert paid.pool == pool
    assert [row.open for row in prizes.now().pools[0].rows] == [0, 600]
    assert all(row.paid == 0 for row in prizes.now().rows)


@pytest.fixture
def pair(prizes: Prizes) -> tuple[Player, Player]:
    """Ann and Bea, who have won the division."""
    ann, bea = Player.objects.create(name="Ann Berg"), Player.objects.create(name="Bea Kral")
    Entry.objects.filter(pk=prizes.holder(1).pk).update(player=pair_of(ann, bea))
    save_plan(
        division=prizes.division, plan=replace(PLAN, unit=1, guaranteed=9627), publish=True, by=prizes.by, now=NOW
    )
    return ann, bea


def test_each_of_a_pair_is_paid_half(prizes: Prizes, pair: tuple[Player, Player]) -> None:
    ann, bea = pair
    assert prizes.due()[0] == ("main", 1, 5777)

    def pay(amount: int, key: str, player: Player | None = None) -> list[tuple[Player | None, int]]:
        rows = pay_out(
            entry=prizes.holder(1), pot="main", payment=PaymentInput(amount, key), player=player, by=prizes.by, now=NOW
        )
        return [(row.player, row.amount) for row in rows]

    (line, *_others) = prizes_for_staff(prizes.division).sections[0].lines
    assert [(row.name, row.due_amount, row.pay_label) for row in line.people] == [
        ("Ann Berg", 2889, "Pay 28.89 to Ann Berg"),
        ("Bea Kral", 2888, "Pay 28.88 to Bea Kral"),
    ]
    with pytest.raises(Refused, match="due_changed"):
        pay(2889, "a", bea)
    assert pay(2888, "b", bea) == [(bea, -2888)]
    with pytest.raises(Refused, match="nothing_due"):
        pay(2888, "c", bea)
    (line, *_others) = prizes_for_staff(prizes.division).sections[0].lines
    assert ([row.open_amount for row in line.people], line.open_amount) == ([2889, 0], 2889)
    with pytest.raises(Refused, match="nothing_due"):
        pay(2889, "d", prizes.holder(2).player)
    assert pay(2889, "e") == [(ann, -2889)], "what is left of both"
    (line, *_others) = prizes_for_staff(prizes.division).sections[0].lines
    assert line.state == "paid"
    for row in Payment.objects.filter(kind="payout"):
        payments.undo_payment(payment=row, by=prizes.by, now=NOW)
    assert pay(5777, "f") == [(ann, -2889), (bea, -2888)]


def test_what_a_pair_agreed_to_is_halved_as_well(prizes: Prizes, pair: tuple[Player, Player]) -> None:
    amounts = {prizes.holder(1).pk: 4333, prizes.holder(2).pk: 5777 + 2888 - 4333}
    agree_split(division=prizes.division, pot="main", amounts=amounts, by=prizes.by, now=NOW)
    lines = prizes_for_staff(prizes.division).sections[0].lines
    (line,) = [line for line in lines if line.people]
    assert [row.due_amount for row in line.people] == [2167, 2166]


def test_visitors_read_no_amount_of_one_person(prizes: Prizes, pair: tuple[Player, Player]) -> None:
    view = prizes_view(prizes.division, names_of(prizes.division, staff=False))
    assert not any(line.people for section in view.sections for line in section.lines)


# Splits before the final.


def finalists(prizes: Prizes) -> list[int]:
    """Play until only the final of the main draw is left, and return its two entries."""
    semifinals = Fixture.objects.filter(stage__division=prizes.division, round__bracket__key="main", round__number=1)
    for fixture in semifinals.select_related("match"):
        results.enter_result(fixture=fixture, result=ResultInput(0, (3, 1)), by=prizes.by, now=NOW)
    return list(prizes.now().finals["main"])


def test_finalists_split_before_they_play_and_it_applies_once_they_hold_the_places(unplayed: Prizes) -> None:
    first, second = finalists(unplayed)
    with pytest.raises(Refused, match="split_sum"):
        agree_split(division=unplayed.division, pot="main", amounts={first: 1, second: 1}, by=unplayed.by, now=NOW)
    together = final_sum(unplayed.now(), "main")
    amounts = {first: together // 2, second: together - together // 2}
    agree_split(division=unplayed.division, pot="main", amounts=amounts, by=unplayed.by, now=NOW)
    assert [applies for _row, applies in unplayed.now().splits] == [False]
    play(unplayed.division, unplayed.by)
    due = {row.entry: row.due for row in unplayed.now().rows if row.prize is not None and row.prize.first <= 2}
    assert due == amounts
    assert [applies for _row, applies in unplayed.now().splits] == [True]


def test_finalists_split_what_the_winner_takes_alone(unplayed: Prizes) -> None:
    plan = PlanInput([Pot("main", (10_000,))])
    save_plan(division=unplayed.division, plan=plan, publish=True, by=unplayed.by, now=NOW)
    first, second = finalists(unplayed)
    total = final_sum(unplayed.now(), "main")
    agree_split(
        division=unplayed.division, pot="main", amounts={first: total - 500, second: 500}, by=unplayed.by, now=NOW
    )
    play(unplayed.division, unplayed.by)
    rows = unplayed.now().rows
    assert {row.entry: row.due for row in rows} == {first: total - 500, second: 500}
    assert sum(row.due for row in rows) == total


def test_a_final_that_is_settled_gives_both_their_agreed_amounts(unplayed: Prizes) -> None:
    first, second = finalists(unplayed)
    total = final_sum(unplayed.now(), "main")
    agree_split(
        division=unplayed.division, pot="main", amounts={first: 100, second: total - 100}, by=unplayed.by, now=NOW
    )
    final = Fixture.objects.get(stage__division=unplayed.division, round__bracket__key="main", round__number=2)
    nobody = ResultInput(None, None, kind=Result.Kind.SETTLED)
    results.enter_result(fixture=final, result=nobody, by=unplayed.by, now=NOW)
    due = {row.entry: row.due for row in unplayed.now().rows if row.prize is not None and row.prize.first == 1}
    assert due == {first: 100, second: total - 100}
