"""A director's evening in a browser, from signing up to the closed cash desk: 13 players at four tables.

On the way a tap at the desk is undone with its fee, a player is late, one does not come, a table
breaks, results are undone by button and by word, players report on their phones, and the final is corrected after
the prizes were paid. The wall, the bracket and the floor on a phone follow without reload.
"""

import re
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from matches.lifecycle import links
from matches.lifecycle.finish import ResultInput
from matches.models import Match
from players.actors import SYSTEM
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, follow
from tests.browser.result_form import choose_result
from tests.browser.test_floor import NAMES
from tournaments.floor import selectors
from tournaments.floor.evening import UNDER_WAY
from tournaments.ledger.accounts import accounts_of
from tournaments.ledger.payments import PaymentInput, receive
from tournaments.models import Fixture, Floor, FloorEvent, Payment, Tournament
from tournaments.results.services import enter_result

ABSENT, LATE = NAMES[0], "Wanda Late"
SOON = 15_000
"""In milliseconds: within which an open page follows, on a busy machine."""
PATIENCE = 60.0
FINAL_ROUND = 4
TABLES = 3
"""In use: the first is broken."""


def eventually(is_true: Callable[[], bool]) -> None:
    """Wait for the worker."""
    until = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < until, "the worker has not done it"
        time.sleep(0.05)


def called() -> dict[int, Fixture]:
    """The matches that the autopilot has called and nobody has finished, by the number of their table."""
    view = selectors.floor(Tournament.objects.get(), timezone.now())
    fixtures = {row.pk: row for row in open_fixtures()}
    seated = [row for row in view.matches.values() if row.state in UNDER_WAY and row.where.table]
    at_tables = sorted((int(row.where.table), row.fixture) for row in seated)
    return {table: fixtures[fixture] for table, fixture in at_tables if fixture in fixtures}


def is_absent(fixture: Fixture) -> bool:
    return ABSENT in [player.name for player in match_of(fixture).players]


def match_of(fixture: Fixture) -> Match:
    assert fixture.match is not None
    return fixture.match


class Evening:
    """The pages of the evening: the director's desk and phone, the wall and the bracket."""

    def __init__(self, open_page: OpenPage, looked_at: Check) -> None:
        self.open_page, self.looked_at = open_page, looked_at
        self.desk = open_page("/", width=DESK)
        self.desk.set_default_timeout(SOON)
        self.wall = self.bracket = self.phone = self.desk

    @property
    def base(self) -> str:
        return f"/events/harbour-backgammon/{Tournament.objects.get().slug}"

    def card(self, page: Page, table: int) -> Locator:
        return page.locator(".floor-card").nth(table - 1)

    def set_up(self) -> None:
        """Sign up, found a club, and create an event with a fee and 12 entries."""
        desk = self.desk
        follow(desk.get_by_role("link", name="Start a club night").first)
        desk.get_by_label("Your name").fill("Frida")
        desk.get_by_label("Email address").fill("alice@example.org")
        desk.locator("input[type=password]").first.fill("crawford-1969")
        follow(desk.get_by_role("button", name="Create account"))
        desk.get_by_label("Name", exact=True).fill("Harbour Backgammon")
        desk.get_by_label("Country").select_option(label="Denmark")
        desk.get_by_label("Currency of fees").fill("ticket")
        follow(desk.get_by_role("button", name="Create a club"))
        follow(desk.get_by_role("link", name="Plan an event"))
        desk.get_by_label("Tables").fill("4")
        follow(desk.get_by_role("button", name="Create event"))
        desk.get_by_label("Match length by round").fill("3")
        desk.get_by_label("Entry fee").fill("10")
        follow(desk.get_by_role("button", name="Add a division"))
        desk.get_by_label("Paste a list").fill("\n".join(NAMES[:12]))
        follow(desk.get_by_role("button", name="Check the names"))
        follow(desk.locator("main form button.button-primary"))
        follow(desk.get_by_role("link", name="Go to the draw"))
        follow(desk.get_by_role("button", name="Publish event and draw"))
        expect(desk.get_by_role("button", name="Publish this draw")).to_be_visible(timeout=2 * SOON)

    def check_in(self) -> None:
        """Take a fee and undo it, then check everybody in but one."""
        page = self.desk
        page.goto(f"{self.base}/check-in/")
        page.get_by_role("button", name=f"{NAMES[1]} is here and paid").click()
        expect(page.locator(".arrival-here")).to_have_count(1)
        page.locator("#check-in-undo").get_by_role("button", name="Undo").click()
        expect(page.locator(".arrival-here")).to_have_count(0)
        assert sorted(Payment.objects.values_list("amount", flat=True)) in ([-10, 10], [10, 10])
        page.get_by_role("button", name="All here").click()
        expect(page.locator(".arrival-here")).to_have_count(12)
        page.locator(".arrival-tap").get_by_role("button", name=ABSENT).click()
        expect(page.locator(".arrival-here")).to_have_count(11)
        self.looked_at(page)

    def draw(self) -> None:
        """Publish the draft, which names who is missing, and let a late player in."""
        desk = self.desk
        follow(desk.get_by_role("link", name=re.compile("^Draw")))
        expect(desk.locator("#draw")).to_contain_text(f"not checked in: {ABSENT}")
        follow(desk.get_by_role("button", name="Publish this draw"))
        expect(desk.get_by_role("heading", name="Main draw")).to_be_visible()
        follow(desk.get_by_role("link", name="Console"))
        follow(desk.get_by_role("link", name=re.compile("^Arrivals")))
        desk.get_by_role("searchbox").fill(LATE)
        follow(desk.get_by_role("button", name=f"New player {LATE}"))
        self.looked_at(desk)
        follow(desk.get_by_role("button", name="Let in"))
        expect(desk.locator("#check-in")).to_contain_text(LATE)

    def open_floor(self) -> None:
        """Open the floor with a table out of use, and let the autopilot call by itself; others look on."""
        desk = self.desk
        self.wall = self.open_page(f"{self.base}/wall/", width=DESK)
        division = Tournament.objects.get().divisions.get()
        self.bracket = self.open_page(f"{self.base}/{division.public_id}/", width=DESK)
        desk.goto(f"{self.base}/floor/")
        follow(desk.get_by_role("button", name="Open the floor"))
        # A director believes that everybody is here; otherwise the missing are not called.
        desk.get_by_role("button", name="All here", exact=True).click()
        expect(desk.locator("#floor-not-here")).not_to_contain_text("not here")
        Floor.objects.update(rest_minutes=0)  # the test does not wait until players have rested
        desk.get_by_role("button", name="Call to table 1").click()
        expect(self.card(desk, 1)).to_contain_text("Called")
        self.break_first_table()
        desk.get_by_role("button", name=re.compile("^Undo: Table 1 ")).click()
        expect(self.card(desk, 1)).to_contain_text("Called")
        self.break_first_table()
        desk.get_by_role("button", name="Let it call by itself").click()
        expect(desk.get_by_text("Autopilot calls by itself")).to_be_visible()
        eventually(lambda: len(called()) == TABLES)
        expect(self.card(desk, 4)).to_contain_text("Called")
        self.looked_at(desk)
        self.phone = self.open_page("/", width=PHONE, scheme="dark", touch=True)
        self.phone.context.add_cookies(desk.context.cookies())
        self.phone.goto(f"{self.base}/floor/")
        self.looked_at(self.phone)
        expect(self.wall.locator(".wall-call")).to_have_count(TABLES)

    def break_first_table(self) -> None:
        """Take the first table out of use; its match goes to the second."""
        desk = self.desk
        self.card(desk, 1).click()
        desk.get_by_text("Table 1 is broken…").click()
        desk.get_by_label("What is broken?").fill("Lamp broken")
        follow(desk.get_by_role("button", name="Take out of use"))
        expect(self.card(desk, 1)).to_contain_text("Lamp broken")
        expect(self.card(desk, 2)).to_contain_text("Called")

    def tap_result(self, table: int) -> None:
        """Enter that the first player at a table has won 3–1, by four taps on the phone."""
        phone = self.phone
        self.card(phone, table).tap()
        sheet = phone.locator("dialog[open]")
        sheet.locator("[name=winner]").first.tap()
        sheet.get_by_role("radio", name="1", exact=True).tap()
        with phone.expect_navigation():
            sheet.get_by_role("button", name=re.compile("wins 3–1")).tap()

    def play_first(self) -> None:
        """Start a match on the phone and decide it by four taps, and another by a line at the desk; each once in vain.

        The first is undone by a button, the second by a word.
        """
        phone = self.phone
        (table, first), (_, second) = [item for item in called().items() if not is_absent(item[1])][:2]
        self.card(phone, table).tap()
        with phone.expect_navigation():
            phone.get_by_role("button", name="Start", exact=True).tap()
        expect(self.card(phone, table)).to_contain_text("0:00")
        self.tap_result(table)
        phone.get_by_role("button", name=re.compile("^Undo: .+ wins 3–1")).tap()
        expect(phone.get_by_text(f"The result of M{first.number} was taken back.")).to_be_visible()
        eventually(lambda: first.pk in {row.pk for row in open_fixtures()})
        self.type_line(f"m{first.number} 3-1")
        number = self.bracket.get_by_role("link", name=f"M{first.number}", exact=True)
        expect(self.bracket.locator("#brackets li").filter(has=number)).to_contain_text("won", timeout=SOON)
        self.type_line(f"m{second.number} 3-2")
        eventually(lambda: match_of(second).results.exists())
        self.type_line("undo")
        eventually(lambda: second.pk in {row.pk for row in open_fixtures()})
        self.type_line(f"m{second.number} 3-2")
        eventually(lambda: second.pk not in {row.pk for row in open_fixtures()})
        eventually(lambda: len(called()) == TABLES)
        assert {first.pk, second.pk}.isdisjoint(row.pk for row in called().values())

    def type_line(self, text: str) -> None:
        """Type a line at the desk, and wait for its answer."""
        self.desk.locator("#line").fill(text)
        self.desk.locator("#line").press("Enter")
        expect(self.desk.locator("#line")).to_have_value("")

    def report_on_phones(self) -> None:
        """The winner reports on a phone, and the loser confirms on another."""
        fixture = next(row for row in called().values() if not is_absent(row))
        match = match_of(fixture)
        winner = self.open_page(f"/m/{links.token_for(match, 0)}/", width=PHONE, touch=True)
        report = winner.get_by_role("region", name="Report the result")
        choose_result(report, "I won", 0)
        self.looked_at(winner)
        report.get_by_role("button", name="I won 3–0").tap()
        expect(winner.get_by_text("You reported 3–0.")).to_be_visible()
        loser = self.open_page(f"/m/{links.token_for(match, 1)}/", width=PHONE, touch=True)
        self.looked_at(loser)
        follow(loser.get_by_role("button", name="Confirm this score"))
        eventually(lambda: fixture.pk not in {row.pk for row in called().values()})

    def no_show(self) -> None:
        """Somebody is missing at their table; after the no-show time the desk says so, and the match is forfeited."""
        desk = self.desk
        eventually(absent_is_called)
        fixture = next(filter(is_absent, called().values()))
        FloorEvent.objects.filter(fixture=fixture, kind="called").update(at=timezone.now() - timedelta(minutes=20))
        desk.goto(f"{self.base}/floor/")
        need = desk.locator(".need", has_text=f"M{fixture.number} ")
        expect(need).to_contain_text("No-show")
        self.looked_at(desk)
        need.get_by_text("Who is missing?").click()
        self.looked_at(desk)
        need.get_by_role("button", name=ABSENT).click()
        eventually(lambda: match_of(fixture).results.filter(kind="forfeit").exists())

    def play_to_the_end(self) -> None:
        """Enter the other results; the line at the desk ends the evening, and everybody sees it."""
        while (fixture := open_fixtures()[0]).round.number < FINAL_ROUND:
            decide(fixture)
        self.desk.goto(f"{self.base}/floor/")
        self.type_line(f"m{fixture.number} 3-1")
        for page in (self.desk, self.phone):
            expect(page.locator(".floor-champion")).to_be_visible(timeout=SOON)
        expect(self.bracket.locator("#division-progress")).to_contain_text("won by", timeout=SOON)
        self.looked_at(self.bracket)
        self.looked_at(self.desk)

    def prizes(self) -> None:
        """Collect the fees, publish the prizes and pay out the first."""
        desk, event = self.desk, Tournament.objects.get()
        desk.goto(f"{self.base}/cash/")
        follow(desk.get_by_role("button", name=re.compile("^Take")).first)
        for account in accounts_of(event):
            if account.owes:
                payment = PaymentInput(account.owes, f"fee {account.player.pk}")
                receive(tournament=event, player=account.player, payment=payment, by=SYSTEM, now=timezone.now())
        follow(desk.get_by_role("link", name="Set prizes"))
        desk.get_by_label(re.compile("^Percentages")).first.fill("60 40")
        self.looked_at(desk)
        follow(desk.get_by_role("button", name="Publish prizes"))
        desk.goto(f"{self.base}/cash/?tab=prizes")
        self.looked_at(desk)
        follow(desk.get_by_role("button", name=re.compile("^Pay 78")))
        expect(desk.get_by_role("status")).to_contain_text("78 paid to")

    def correct(self) -> None:
        """Correct the final after the payout: what is due changes, and no payment does."""
        desk = self.desk
        paid = list(Payment.objects.order_by("pk").values_list("pk", "kind", "amount"))
        final = Fixture.objects.select_related("match").get(round__number=FINAL_ROUND)
        desk.goto(f"{self.base}/fixtures/{final.public_id}/")
        follow(desk.get_by_role("link", name="Correct this result…"))
        desk.locator("#left").fill("2")
        desk.locator("#right").fill("3")
        desk.locator("#right").press("Tab")
        expect(desk.locator("#preview")).to_contain_text("78")
        desk.get_by_label("Reason").fill("Entered the wrong way round.")
        self.looked_at(desk)
        desk.get_by_role("button", name="Apply").click()
        expect(desk.locator(".messages")).to_contain_text("was corrected")
        assert list(Payment.objects.order_by("pk").values_list("pk", "kind", "amount")) == paid
        desk.goto(f"{self.base}/cash/?tab=prizes")
        expect(desk.locator("[data-part=prizes]")).to_contain_text("26 too much")

    def close(self) -> None:
        """Count the box and close the cash desk."""
        desk = self.desk
        desk.goto(f"{self.base}/cash/?tab=closing")
        expected = desk.locator(".box-expected dd").inner_text()
        desk.get_by_label("Counted").fill(expected)
        follow(desk.get_by_role("button", name=re.compile("Nothing was missing")))
        expect(desk.locator(".message-warning")).to_contain_text("Nothing was missing.")
        self.looked_at(desk)


def open_fixtures() -> list[Fixture]:
    """The matches that can be played."""
    rows = Fixture.objects.filter(match__state=Match.State.OPEN)
    return list(rows.select_related("round", "match__player_0", "match__player_1").order_by("number"))


def decide(fixture: Fixture) -> None:
    enter_result(fixture=fixture, result=ResultInput.played((3, 0)), by=SYSTEM, now=timezone.now())


def absent_is_called() -> bool:
    """Decide one of the matches that are called unless the match of the missing player is among them.

    It may wait for the last one that can be called, while tables are free.
    """
    calls = called()
    if any(map(is_absent, calls.values())):
        return True
    if calls:
        decide(next(iter(calls.values())))
    return False


@pytest.mark.slow
@pytest.mark.usefixtures("celery_worker")
def test_an_evening_from_signing_up_to_the_closed_cash_desk(open_page: OpenPage, looked_at: Check) -> None:
    evening = Evening(open_page, looked_at)
    evening.set_up()
    evening.check_in()
    evening.draw()
    evening.open_floor()
    evening.play_first()
    evening.report_on_phones()
    evening.no_show()
    evening.play_to_the_end()
    evening.prizes()
    evening.correct()
    evening.close()
    call_command("check_integrity")  # exits with an error if anything differs
