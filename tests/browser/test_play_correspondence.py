"""A match by correspondence over three days, of which the server's clock skips most."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from engine.clock import DAY, ClockSettings
from matches.models import Match
from matches.play.live import VACATION_DAYS
from matches.play.starting import PlaySettings, start
from players.actors import Actor
from players.models import User
from tests.browser.conftest import Check, OpenPage
from tests.browser.test_play import BOB, CAROL, Seat, on_turn, open_seats
from tests.tournaments.support.drawn_divisions import DivisionBuilder, fixture_of
from tournaments.formats.settings import KNOCKOUT, StageSettings

Skip = Callable[[timedelta], None]


@pytest.fixture
def skip(monkeypatch: pytest.MonkeyPatch) -> Skip:
    """Set the clock of the server forward; it runs in a thread of this process."""
    skipped = timedelta()
    now = timezone.now

    def shifted_now() -> datetime:
        return now() + skipped

    def skip_by(more: timedelta) -> None:
        nonlocal skipped
        skipped += more

    monkeypatch.setattr(timezone, "now", shifted_now)
    return skip_by


@pytest.fixture
def match(builder: DivisionBuilder, alice: User, bob: User) -> Match:
    division = builder.drawn(2, StageSettings(KNOCKOUT), match_length=3)
    match = fixture_of(division, 1).match
    assert match is not None
    match.player_0.user = bob
    match.player_0.save()
    settings = PlaySettings(ClockSettings(2 * DAY, 0, correspondence=True))
    start(match=match, settings=settings, by=Actor.of(alice), now=timezone.now())
    return match


def test_three_days_of_correspondence(
    match: Match, open_page: OpenPage, looked_at: Check, bob: User, skip: Skip
) -> None:
    seats = open_seats(match, open_page, bob)
    seats[BOB].act("ready")
    pass_the_day(seats, skip)
    seats[CAROL].act("ready")
    mover = on_turn(seats)
    expect(seats[mover].page.locator("#seat-near [data-bank]")).to_have_text("1 d 23 h")
    looked_at(seats[mover].page)
    take_vacation(seats[mover], days=2)
    seats[mover].move()
    pass_the_day(seats, skip)
    other = 1 - mover
    # A day of two is over.
    expect(seats[other].page.locator("#seat-near [data-bank]")).to_have_text(re.compile("23:59:"))
    for seat in seats:
        expect(seat.page.locator('[data-banner="away"]')).to_be_hidden()
    seats[other].act("roll")
    seats[other].move()
    pass_the_day(seats, skip)
    seats[mover].tap(seats[mover].page.locator('[data-open="resign"]'))
    seats[mover].act("resign", 3)
    # There is nothing more to offer, so nothing to refuse.
    for seat in seats:
        expect(seat.panel("over")).to_be_visible()
    assert Match.objects.get(pk=match.pk).results.get().winner == other


def take_vacation(seat: Seat, *, days: int) -> None:
    """The clock stands still in the player's own turn; what is left of the vacation is shown."""
    seat.tap(seat.page.locator('[data-open="vacation"]'))
    seat.page.locator("#vacation-days").fill(str(days))
    seat.act("vacation")
    expect(seat.page.locator('[data-open="vacation"]')).to_contain_text(f"days left: {VACATION_DAYS - days}")


def pass_the_day(seats: list[Seat], skip: Skip) -> None:
    """Both leave their pages, and open them again a day later."""
    urls = [seat.page.url for seat in seats]
    for seat in seats:
        seat.page.goto("about:blank")
    skip(timedelta(days=1))
    for seat, url in zip(seats, urls, strict=True):
        seat.page.goto(url)
