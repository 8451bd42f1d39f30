"""A knockout of five from the draw to ratings, with a real worker and a real beat: records, reports, a deadline."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import Page, expect

from config.processes import spawn, stop
from engine.records import write_mat
from engine.simulation import play_out
from formats.settings import KNOCKOUT, StageSettings
from matches.lifecycle import links
from matches.models import Match, PlayerRating
from matches.ratings.services import default_pool, dirty_since
from players.actors import SYSTEM
from players.models import User
from players.people.services import remember_alias
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, follow
from tests.browser.result_form import choose_result
from tests.conftest import SHARED_DATA, ValkeyServer
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tournaments.events.deadlines import extend_deadline
from tournaments.models import Division, Fixture

PATIENCE = 60.0


@pytest.fixture
def knockout(builder: DivisionBuilder) -> Division:
    """A drawn knockout of five, in which who does not play in time is out or goes on by lot."""
    division = builder.drawn(5, StageSettings(KNOCKOUT, lengths=(3, 5, 7)))
    Division.objects.update(deadline_rule=Division.DeadlineRule.LOTS)
    return division


@pytest.fixture
def beat(celery_worker: Any, valkey_server: ValkeyServer) -> Iterator[None]:
    """A real beat, whose messages the test's real worker receives."""
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "REDIS_URL": valkey_server.url}
    env |= {"BARPOINT_PROFILE": "local", "BARPOINT_VAR": str(settings.VAR_DIR)}
    argv = [sys.executable, "-m", "celery", "--app=config", "--quiet", "beat", "--pidfile="]
    process: subprocess.Popen[bytes] = spawn(argv, env)
    yield
    stop(process, 10)


def eventually(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.1)


@pytest.mark.slow
def test_a_knockout_of_five_decided_by_records_reports_and_a_deadline(
    knockout: Division, open_page: OpenPage, looked_at: Check, alice: User, beat: None
) -> None:
    by_record(open_page, looked_at, opened(1))
    first, second = opened(2)
    by_claim_and_answer(open_page, looked_at, first)
    by_deadline(second)
    (final,) = opened(3)
    by_strangers_record(open_page, looked_at, final)

    eventually(lambda: Division.objects.get().status == Division.Status.FINISHED)
    eventually(lambda: dirty_since(default_pool()) is None and default_pool().claimed_at is None)
    # Five players; the lots drawn at the deadline are not rated.
    assert PlayerRating.objects.exclude(rating=1500).count() >= 3
    page = open_page("/rankings/", width=DESK, user=alice)
    looked_at(page)
    page.goto(f"/players/{PlayerRating.objects.order_by('-rating')[0].player.public_id}/")
    looked_at(page)
    call_command("check_integrity")  # exits with an error if anything differs


def opened(round_number: int) -> list[Fixture]:
    """Return the fixtures of a round once both players of each are known."""
    rows = Fixture.objects.filter(round__number=round_number).exclude(status=Fixture.Status.BYE)
    eventually(lambda: all(row.match_id is not None for row in rows.all()))
    return list(rows.select_related("match__player_0", "match__player_1").order_by("number"))


def match_of(fixture: Fixture) -> Match:
    assert fixture.match is not None
    return fixture.match


def send_record(page: Page, data: bytes) -> None:
    record = {"name": "match.txt", "mimeType": "text/plain", "buffer": data}
    page.get_by_label("Drop a record here, or choose a file").set_input_files(record)
    with page.expect_navigation():
        page.get_by_role("button", name="Send the match record").click()


def settled(fixture: Fixture) -> bool:
    return Match.objects.get(pk=match_of(fixture).pk).state == Match.State.SETTLED


def confirmed(open_page: OpenPage, fixture: Fixture, side: int) -> None:
    """Send in a record; it stands once the loser sent it or the other player confirms it."""
    match = match_of(fixture)
    eventually(lambda: Match.objects.get(pk=match.pk).state in (Match.State.CLAIMED, Match.State.SETTLED))
    if not settled(fixture):
        page = open_page(f"/m/{links.token_for(match, side)}/", width=PHONE)
        page.get_by_role("button", name="Confirm this score").click()
        eventually(lambda: settled(fixture))


def by_record(open_page: OpenPage, looked_at: Check, fixtures: list[Fixture]) -> None:
    """XG's dialect with swapped sides and a nickname is accepted without a question."""
    (fixture,) = fixtures
    match = match_of(fixture)
    remember_alias(player=match.player_1, name="shark_77", by=SYSTEM)
    transcript = play_out(5, match.length, players=("shark_77", match.player_0.name))
    page = open_page(f"/m/{links.token_for(match, 0)}/", width=PHONE)
    looked_at(page)
    send_record(page, write_mat(transcript, "xg"))
    confirmed(open_page, fixture, 1)
    page.reload()
    expect(page.get_by_role("heading", name="Score sheet")).to_be_visible()
    looked_at(page)


def by_claim_and_answer(open_page: OpenPage, looked_at: Check, fixture: Fixture) -> None:
    match = match_of(fixture)
    winner = open_page(f"/m/{links.token_for(match, 0)}/", width=PHONE)
    choose_result(winner, "I won", 2)
    looked_at(winner)
    follow(winner.get_by_role("button", name="I won 5–2"))
    loser = open_page(f"/m/{links.token_for(match, 1)}/", width=PHONE)
    looked_at(loser)
    loser.get_by_role("button", name="Confirm this score").click()
    eventually(lambda: settled(fixture))


def by_deadline(fixture: Fixture) -> None:
    """Nobody plays; the round ends in a second, and beat and worker do the rest."""
    now = timezone.now()
    extend_deadline(fixture=fixture, due_at=now + timedelta(seconds=1), by=SYSTEM, now=now)
    eventually(lambda: settled(fixture))
    result = match_of(fixture).results.get()
    assert (result.kind, result.source) == ("forfeit", "deadline")


def by_strangers_record(open_page: OpenPage, looked_at: Check, fixture: Fixture) -> None:
    """A record with unknown names, which the sender assigns. A real file, if there is one."""
    match = match_of(fixture)
    real = sorted((SHARED_DATA / "gnubg").glob("seven_*.mat"))
    data = real[0].read_bytes() if real else write_mat(play_out(8, 7, players=("x1", "y2")), "galaxy")
    page = open_page(f"/m/{links.token_for(match, 1)}/", width=PHONE)
    send_record(page, data)
    question = page.get_by_role("heading", name="Which player is which?")
    eventually(lambda: match.submissions.get().standing == "names")
    page.reload()
    expect(question).to_be_visible()
    looked_at(page)
    page.get_by_role("radio", name=match.player_1.name, exact=True).check()
    page.get_by_role("button", name="Save").click()
    confirmed(open_page, fixture, 0)
    assert match.submissions.get().swapped is True
