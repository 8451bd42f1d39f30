"""What each place is due, payouts, agreed splits and side pools, with real results."""

import pytest

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from prizes.prizes import pot_keys, prize_changes
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
from tests.prizes.conftest import PLAN, Prizes
from tournaments.ledger import payments
from tournaments.ledger.accounts import box_of
from tournaments.ledger.shares import Pot
from tournaments.models import Fixture, PoolMember
from tournaments.results.corrections import CorrectionInput, apply_correction, preview_correction
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
