"""The pool of a season: the part of the entry fees that evenings give, and who is due what of it."""

from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from core.public_ids import new_form_key
from engine.errors import Refused
from matches.models import Result
from players.actors import SYSTEM
from players.models import Membership, Player, User
from players.people.services import merge_players
from prizes.page.cash import cash_rows
from prizes.prizes import prizes_of
from prizes.services import PlanInput, save_plan
from seasons import services
from seasons.actions import season_data
from seasons.changes import season_changes
from seasons.pool import SeasonPoolInput, due_of, paid_out, pay_due, pools_of, set_pool
from seasons.tables import closing_of
from tests.seasons.test_seasons import CHOICES, NOON, night, refused, season
from tests.tiers import first_in_make_test
from tests.tournaments.support.correcting import Cup, won_by
from tournaments.ledger import payments
from tournaments.ledger.accounts import box_of
from tournaments.ledger.money import Currency, Fees, FeeShare
from tournaments.ledger.payments import PaymentInput
from tournaments.ledger.shares import Pot
from tournaments.models import Entry, Payment, Series, Tournament
from tournaments.results.corrections import preview_correction

EUR = Currency("EUR", 2)
NOBODY = AnonymousUser()
FIFTH = SeasonPoolInput(percent=2000, shares=(5000, 3000, 2000))


@pytest.fixture
def cast() -> list[Player]:
    return [Player.objects.create(name=f"Player {number}") for number in range(1, 9)]


def paying(cast: list[Player], name: str, fee: int = 1000, currency: Currency = EUR, seed: int = 1) -> Cup:
    """A played knockout of eight with an entry fee, of which the club keeps a tenth."""
    cup = night(cast, name, seed)
    cup.division.fee = fee
    cup.division.save(update_fields=["fee"])
    event = cup.division.tournament
    Tournament.objects.filter(pk=event.pk).update(currency=currency.code, currency_exponent=currency.exponent)
    cup.division.refresh_from_db()
    plan = PlanInput([Pot("main", (7000, 3000))], registration=fee // 10)
    save_plan(division=cup.division, plan=plan, publish=True, by=SYSTEM, now=NOON)
    return cup


def share(series: Series, pool: SeasonPoolInput = FIFTH) -> None:
    series.refresh_from_db()
    set_pool(series=series, pool=pool, after=series.seq, by=SYSTEM, now=NOON)


def brought(series: Series) -> dict[str, list[tuple[str, int]]]:
    """Currency -> what each evening brought."""
    return {
        pool.currency.code: [(row.event.name.removeprefix("Cup "), row.amount) for row in pool.evenings]
        for pool in pools_of(series)
    }


def close(event: Tournament) -> None:
    payments.close_desk(tournament=event, counted=0, expected=0, by=SYSTEM, now=NOON)


# The arithmetic


@given(
    st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 300), st.integers(0, 300),
    st.lists(st.tuples(st.booleans(), st.integers(0, 10_000)), max_size=3), st.data(),
)  # fmt: skip
def test_every_fee_is_kept_or_for_a_season_or_prize_money(
    entry: int, more: int, first: int, again: int, wanted: list[tuple[bool, int]], data: st.DataObject
) -> None:
    fees = Fees(entry, data.draw(st.integers(0, entry)), data.draw(st.none() | st.integers(0, more)))
    shares = [FeeShare(percent=value) if is_percent else FeeShare(amount=value) for is_percent, value in wanted]
    parts = fees.for_seasons(first, again, shares)
    kept = first * fees.kept(is_reentry=False) + again * fees.kept(is_reentry=True)
    paid = first * fees.of(is_reentry=False) + again * fees.of(is_reentry=True)
    assert kept + sum(parts) + fees.fund(first, again, seasons=sum(parts)) == paid
    assert min(parts, default=0) >= 0


@given(st.integers(0, 10**5), st.integers(0, 300), st.integers(0, 300), st.integers(0, 10_000))
def test_a_percentage_is_that_of_all_fees(entry: int, first: int, again: int, percent: int) -> None:
    fees = Fees(entry)
    (part,) = fees.for_seasons(first, again, [FeeShare(percent=percent)])
    exact = (first * entry + again * fees.of(is_reentry=True)) * percent
    assert 0 <= exact - part * 10_000 < 10_000


@given(
    st.integers(1, 10**6),
    st.lists(st.integers(1, 5), min_size=1, max_size=8),
    st.integers(0, 3),
    st.lists(st.integers(1, 9), min_size=1, max_size=6),
)
def test_what_is_due_is_the_whole_pool_and_equal_ranks_are_due_the_same(
    amount: int, groups: list[int], unranked: int, weights: list[int]
) -> None:
    cuts = [weight * 10_000 // sum(weights) for weight in weights]
    cuts[0] += 10_000 - sum(cuts)
    ranks: list[tuple[int | None, str]] = []
    for group in groups:
        rank = len(ranks) + 1
        ranks += [(rank, f"player {rank} {number}") for number in range(group)]
    due = due_of(amount, cuts, [*ranks, *((None, f"unranked {number}") for number in range(unranked))])
    assert sum(row.amount for row in due) == amount
    assert not any(row.player.startswith("unranked") for row in due)
    for rank in {row.first for row in due}:
        amounts = [row.amount for row in due if row.first == rank]
        assert max(amounts) - min(amounts) <= 1


def test_ties_share_what_their_places_are_due() -> None:
    due = due_of(10_000, (5000, 3000, 2000), [(1, "Ada"), (2, "Bob"), (2, "Cem"), (4, "Dan")])
    assert [(row.player, row.first, row.last, row.amount) for row in due] == [
        ("Ada", 1, 1, 5000), ("Bob", 2, 3, 2500), ("Cem", 2, 3, 2500),
    ]  # fmt: skip
    assert due_of(10_000, (5000, 3000, 2000), [(None, "Ada")]) == []


# Evenings


@pytest.mark.django_db
def test_prizes_are_divided_from_what_a_season_leaves(cast: list[Player]) -> None:
    cup, series = paying(cast, "One"), season()
    assert prizes_of(cup.division).fund.total == 7200
    share(series)
    prizes = prizes_of(cup.division)
    assert [(part.series, part.amount) for part in prizes.fund.seasons] == [(series, 1600)]
    assert (prizes.fund.total, sum(row.due for row in prizes.rows)) == (5600, 5600)
    assert brought(series) == {"EUR": [("One", 1600)]}
    services.leave_out(series=series, event=cup.division.tournament, by=SYSTEM)
    assert prizes_of(cup.division).fund.total == 7200
    assert brought(series) == {}


@pytest.mark.django_db
def test_currencies_and_tickets_have_pools_of_their_own(cast: list[Player]) -> None:
    paying(cast, "Euros")
    paying(cast, "Tickets", fee=2, currency=Currency("ticket", 0), seed=2)
    series = season()
    share(series)
    assert brought(series) == {"EUR": [("Euros", 1600)], "ticket": [("Tickets", 3)]}
    share(series, SeasonPoolInput(amount=150, currency=EUR, shares=(10_000,)))
    assert brought(series) == {"EUR": [("Euros", 1200)]}


@pytest.mark.django_db
def test_an_entry_that_is_taken_back_takes_its_part_back(cast: list[Player]) -> None:
    cup, series = paying(cast, "One"), season()
    share(series)
    entry = cup.division.entries.order_by("pk")[0]
    Entry.objects.filter(pk=entry.pk).update(status=Entry.Status.OUT)
    assert brought(series) == {"EUR": [("One", 1400)]}
    assert prizes_of(cup.division).fund.total == 4900
    Entry.objects.filter(pk=entry.pk).update(status=Entry.Status.IN)
    assert brought(series) == {"EUR": [("One", 1600)]}


@pytest.mark.slow
@pytest.mark.django_db
def test_a_closed_cash_desk_keeps_its_share_until_it_is_reopened(cast: list[Player]) -> None:
    first, second, series = paying(cast, "One"), paying(cast, "Two", seed=2), season()
    share(series)
    event = first.division.tournament
    close(event)
    share(series, replace(FIFTH, percent=1000))
    assert brought(series) == {"EUR": [("One", 1600), ("Two", 800)]}
    assert prizes_of(first.division).fund.total == 5600
    assert prizes_of(second.division).fund.total == 6400
    services.leave_out(series=series, event=event, by=SYSTEM)
    (pool,) = pools_of(series)
    assert [(row.amount, row.is_fixed, row.counts) for row in pool.evenings] == [
        (1600, True, False),
        (800, False, True),
    ]
    services.count_events(series=series, events=[event], by=SYSTEM)
    payments.reopen_desk(tournament=event, by=SYSTEM, now=NOON)
    assert brought(series) == {"EUR": [("One", 800), ("Two", 800)]}
    close(event)
    share(series)
    assert brought(series) == {"EUR": [("One", 800), ("Two", 1600)]}


@pytest.mark.django_db
def test_a_desk_closed_before_there_was_a_share_gives_nothing(cast: list[Player]) -> None:
    cup = paying(cast, "One")
    close(cup.division.tournament)
    series = season()
    share(series)
    assert brought(series) == {}
    assert prizes_of(cup.division).fund.total == 7200


@pytest.mark.django_db
def test_the_pool_is_due_once_the_season_is_closed_and_then_its_share_stays(cast: list[Player]) -> None:
    paying(cast, "One")
    series = season()
    share(series)
    assert season_data(NOBODY, series)["pools"][0]["due"] == []
    series.refresh_from_db()
    services.close_series(series=series, after=series.seq, by=SYSTEM, now=NOON)
    (pool,) = season_data(NOBODY, series)["pools"]
    assert sum(row["amount"] for row in pool["due"]) == pool["amount"] == 1600
    assert pool["due"][0]["amount"] == 800
    with refused("series_closed"):
        share(series, SeasonPoolInput())


@pytest.mark.django_db
def test_wrong_shares_and_old_pages_are_refused_and_an_equal_share_is_no_new_version(cast: list[Player]) -> None:
    paying(cast, "One")
    series = season()
    with refused("series_shares"):
        share(series, replace(FIFTH, shares=(5000, 3000)))
    share(series)
    share(series)
    assert series.fee_shares.count() == 1
    with refused("stale"):
        set_pool(series=series, pool=FIFTH, after=series.seq - 1, by=SYSTEM, now=NOON)


@pytest.mark.django_db
def test_a_correction_shows_whose_money_changes(cast: list[Player]) -> None:
    cup, series = paying(cast, "One"), season()
    share(series)
    final = cup.settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    preview = preview_correction(fixture=final, new=won_by(1 - winner), voided_rated=True)
    (change,) = season_changes(cup.division, preview.consequences[CHOICES[1]].states)
    assert sorted((row.before, row.after) for row in change.pool) == [
        ("4.80 EUR", "8.00 EUR"),
        ("8.00 EUR", "4.80 EUR"),
    ]


@pytest.mark.django_db
def test_a_director_sets_the_pool_and_everybody_reads_it(cast: list[Player], client: Client, alice: User) -> None:
    cup, series = paying(cast, "One"), season()
    player = Player.objects.create(name="Alice", user=alice)
    Membership.objects.create(club=series.club, player=player, role=Membership.Role.DIRECTOR)
    client.force_login(alice)
    url, args = "series-pool", [series.club.slug, series.slug]
    sent = {"amount": "1,50", "currency": "EUR", "shares": "50 30 20", "after": series.seq}
    wrong = client.post(reverse(url, args=args), {**sent, "percent": "20"}, follow=True)
    assert "not both" in wrong.content.decode()
    unclear = {**sent, "amount": "1,500"}
    asked = client.post(reverse(url, args=args), unclear)
    assert (asked.status_code, 'name="amount" value="1.50"' in asked.content.decode()) == (422, True)
    by_program = client.post(reverse("api-series-pool", args=[series.public_id]), unclear, "application/json")
    assert (by_program.status_code, by_program.json()["code"]) == (422, "unclear_amount")
    assert list(by_program.json()["params"]["readings"]) == ["1500.00", "1.50"]
    assert brought(series) == {}
    saved = client.post(reverse(url, args=args), sent, follow=True).content.decode()
    assert "It counts for 1 evening whose cash desk is not closed" in saved
    assert brought(series) == {"EUR": [("One", 1200)]}
    event = cup.division.tournament
    desk = client.get(reverse("cash", args=[event.club.slug, event.slug])).content.decode()
    assert "12.00 for the season" in desk
    assert reverse("series", args=args) in desk
    client.logout()
    page = client.get(reverse("series", args=args)).content.decode()
    assert "of each entry fee" in page
    assert "12.00 EUR" in page


@pytest.mark.slow
@pytest.mark.django_db
def test_the_queries_of_a_pool_do_not_grow_with_its_evenings(cast: list[Player]) -> None:
    counts = []
    paying(cast, "Zero")
    series = season()
    share(series)
    for number in range(2):
        with CaptureQueriesContext(connection) as queries:
            assert pools_of(series)
        counts.append(len(queries))
        cup = paying(cast, str(number), seed=number)
        services.count_events(series=series, events=[cup.division.tournament], by=SYSTEM)
    assert counts[0] == counts[1]


# Paying it out


def closed(series: Series) -> None:
    series.refresh_from_db()
    services.close_series(series=series, after=series.seq, by=SYSTEM, now=NOON)


def accounts(series: Series) -> dict[str, tuple[int, int]]:
    """Name -> what is due and what was paid, of the only pool."""
    closing = closing_of(series)
    (pool,) = pools_of(series)
    rows = paid_out(series, pool, closing.table if closing is not None else None)
    return {row.player.name: (row.rest + row.paid, row.paid) for row in rows}


def pay(series: Series, event: Tournament, name: str, amount: int, key: str = "") -> list[Payment]:
    payment = PaymentInput(amount, key or new_form_key())
    player = Player.objects.get(name=name)
    return pay_due(series=series, player=player, tournament=event, payment=payment, by=SYSTEM, now=NOON)


def paid_season(cast: list[Player]) -> tuple[Cup, Series, list[str]]:
    """A closed season of one night, and who is due 8.00, 4.80 and, twice, 1.60."""
    cup, series = paying(cast, "One"), season()
    share(series)
    closed(series)
    return cup, series, list(accounts(series))


@pytest.mark.django_db
def test_what_is_due_is_paid_once_from_a_cash_desk_and_can_be_taken_back(cast: list[Player]) -> None:
    cup, series, (first, second, *_others) = paid_season(cast)
    event = cup.division.tournament
    paid = [row for key in ("a", "a") for row in pay(series, event, first, 800, key)]
    assert paid[0] == paid[1]
    assert accounts(series)[first] == (800, 800)
    assert box_of(event).expected == -800
    with refused("pool_due_changed"):
        pay(series, event, first, 800)
    with refused("pool_due_changed"):
        pay(series, event, second, 479)
    with refused("pool_due_changed"):
        pay(series, event, Player.objects.create(name="Zoe").name, 100)
    rows = list(cash_rows(event))
    assert [row[1:6] for row in rows if row[0] == "payment"] == [[first, "season Autumn", "cash", "", "-8.00"]]
    payments.undo_payment(payment=paid[0], by=SYSTEM, now=NOON)
    assert accounts(series)[first] == (800, 0)
    assert box_of(event).expected == 0
    pay(series, event, first, 800)
    close_with(event, -800)
    with refused("cash_closed"):
        pay(series, event, second, 480)


def close_with(event: Tournament, amount: int) -> None:
    payments.close_desk(tournament=event, counted=amount, expected=amount, by=SYSTEM, now=NOON)


@pytest.mark.django_db
def test_an_open_season_pays_nothing_and_a_correction_shows_the_difference(cast: list[Player]) -> None:
    cup, series, (first, second, *others) = paid_season(cast)
    event = cup.division.tournament
    for name, amount in ((first, 800), (second, 480)):
        pay(series, event, name, amount)
    series.refresh_from_db()
    services.reopen_series(series=series, reason="The final was turned round", after=series.seq, by=SYSTEM, now=NOON)
    assert accounts(series) == {first: (0, 800), second: (0, 480)}
    with refused("series_not_closed"):
        pay(series, event, first, 800)
    # The final was won by the other one.
    final = cup.settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    new = won_by(1 - winner)
    cup.correct(final, new)
    closed(series)
    assert accounts(series) == {second: (800, 480), first: (480, 800), **dict.fromkeys(others, (160, 0))}
    pay(series, event, second, 320)
    with refused("pool_due_changed"):
        pay(series, event, first, 480)
    assert accounts(series)[second] == (800, 800)


@pytest.mark.django_db
def test_whoever_was_merged_is_paid_what_both_are_due(cast: list[Player]) -> None:
    cup, series, (first, second, *_others) = paid_season(cast)
    by_name = {player.name: player for player in cast}
    pay(series, cup.division.tournament, first, 800)
    merge_players(player=by_name[first], into=by_name[second], by=SYSTEM, now=NOON)
    # Their second entry is a re-entry by now, which pays half the fee, so that less is in the pool.
    assert accounts(series)[second] == (750 + 450, 800)
    pay(series, cup.division.tournament, first, 400)
    assert accounts(series)[second] == (1200, 1200)


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("seed", first_in_make_test(*range(3)))
def test_fees_are_kept_given_to_seasons_or_prizes_whatever_is_paid_and_taken_back(
    cast: list[Player], seed: int
) -> None:
    chance = Random(seed)
    cup, other, series = paying(cast, "One", seed=seed), paying(cast, "Two", fee=730, seed=seed + 1), season()
    nights = [cup, other]
    share(series, replace(FIFTH, percent=chance.randrange(100, 9000)))
    closed(series)
    box: dict[int, int] = {}
    events = [night_.division.tournament for night_ in nights]
    for _step in range(25):
        event = chance.choice(events)
        name, (due, paid) = chance.choice(list(accounts(series).items()))
        standing = list(Payment.objects.filter(kind="season", undoes=None, undone_by=None))
        if standing and chance.random() < 0.4:
            row = chance.choice(standing)
            payments.undo_payment(payment=row, by=SYSTEM, now=NOON)
            box[row.tournament_id] = box.get(row.tournament_id, 0) - row.amount
        else:
            with suppress(Refused):
                amount = chance.choice((due - paid, due, 1))
                pay(series, event, name, amount)
                box[event.pk] = box.get(event.pk, 0) - amount
        assert all(0 <= paid <= due for due, paid in accounts(series).values())
        assert [box_of(event).expected for event in events] == [box.get(event.pk, 0) for event in events]
        prizes = [prizes_of(night_.division).fund for night_ in nights]
        fees, kept = 8 * 1000 + 8 * 730, 8 * 100 + 8 * 73
        (pool,) = pools_of(series)
        assert fees == kept + pool.amount + sum(fund.total for fund in prizes)
        assert sum(due for due, _paid in accounts(series).values()) == pool.amount
    assert box


@pytest.mark.slow
@pytest.mark.django_db
def test_a_director_pays_on_the_page_and_players_see_only_their_own(
    cast: list[Player], client: Client, alice: User, bob: User
) -> None:
    cup, series, (first, _second, *_others) = paid_season(cast)
    event, args = cup.division.tournament, [series.club.slug, series.slug]
    player = Player.objects.create(name="Alice", user=alice)
    Membership.objects.create(club=series.club, player=player, role=Membership.Role.DIRECTOR)
    Player.objects.filter(name=first).update(user=bob)
    client.force_login(alice)
    page = client.get(reverse("series", args=args)).content.decode()
    assert "Pay 8.00 EUR" in page
    sent = {"player": Player.objects.get(name=first).public_id, "event": event.public_id, "amount": 800,
            "method": "cash", "key": "k"}  # fmt: skip
    for _twice in range(2):
        page = client.post(reverse("series-pay-pool", args=args), sent, follow=True).content.decode()
        assert f"8.00 EUR paid to {first}." in page
    assert Payment.objects.filter(kind="season").count() == 1
    assert "8.00 EUR of it not paid out" in page
    assert "Pay 8.00 EUR" not in page
    late = client.post(reverse("series-pay-pool", args=args), {**sent, "key": "other"}, follow=True)
    assert "Check it and pay again" in late.content.decode()
    desk = client.get(reverse("cash", args=[event.club.slug, event.slug]) + "?tab=closing").content.decode()
    assert "Pool of a season, 1" in desk
    assert "Series pool: Autumn" in desk
    assert season_data(alice, series)["pools"][0]["due"][0]["paid"] == 800
    assert season_data(bob, series)["pools"][0]["due"][0]["paid"] is None
    client.force_login(bob)
    own = client.get(reverse("series", args=args)).content.decode()
    assert own.count('tag-win">Paid') == 1
    assert "Take back" not in own
    others = Client().get(reverse("series", args=args)).content.decode()
    assert "8.00 EUR" in others
    assert 'tag-win">Paid' not in others
