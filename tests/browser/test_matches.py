"""Two people report a match, on a phone and on a desktop."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from engine.records import write
from engine.simulation import play_out
from matches.lifecycle import links
from matches.models import Match
from matches.reporting import reports
from matches.reporting.records import adjudicate_submission
from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, follow
from tests.browser.result_form import choose_result
from tests.matches.cast import BOB, CAROL, match_between
from tests.matches.conftest import bob_player, carol_player, club, match, pool

__all__ = ["bob_player", "carol_player", "club", "match", "pool"]

WIDTHS = pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESK, "dark")])


def test_one_player_reports_and_the_other_confirms(
    open_page: OpenPage, in_both_views: Check, match: Match, bob: User, carol: User
) -> None:
    page = open_page("/my/", width=PHONE, user=bob)
    in_both_views(page)
    page.get_by_role("link", name="Report the result").click()
    expect(page.get_by_role("button", name="Report the result")).to_be_disabled()
    choose_result(page, "I won", 5)
    expect(page.get_by_text("Carol or the director has to confirm it.")).to_be_visible()
    in_both_views(page)
    page.get_by_role("button", name="I won 7–5").click()
    expect(page.get_by_role("status")).to_contain_text("The other player has to confirm it.")

    hers = open_page("/my/", width=PHONE, user=carol)
    expect(hers.get_by_text("Bob reports a 7–5 win against you. Is that right?")).to_be_visible()
    follow(hers.get_by_role("link", name="Answer"))
    in_both_views(hers)
    hers.get_by_role("button", name="Confirm this score").click()
    expect(hers.get_by_text("Bob won 7–5.").first).to_be_visible()
    in_both_views(hers)
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED


def test_a_dispute_over_personal_links(open_page: OpenPage, in_both_views: Check, match: Match) -> None:
    his = open_page(f"/m/{links.token_for(match, BOB)}/", width=PHONE)
    choose_result(his, "I won", 5)
    follow(his.get_by_role("button", name="I won 7–5"))
    hers = open_page(f"/m/{links.token_for(match, CAROL)}/", width=PHONE)
    hers.get_by_text("That’s not the score").click()
    expect(hers.get_by_role("button", name="Bob wins 7–5")).to_be_enabled()
    hers.get_by_role("radio", name="I won").check()
    hers.get_by_role("button", name="I won 7–5").click()
    expect(hers.get_by_role("heading", name="Disputed")).to_be_visible()
    in_both_views(hers)


def test_a_waiting_page_shows_the_verdict_of_a_record(
    open_page: OpenPage, axe: Check, fits: Check, bob_player: Player, carol_player: Player, bob: User
) -> None:
    match = match_between(bob_player, carol_player, length=3)
    page = open_page(f"/matches/{match.public_id}/", width=PHONE, user=bob)
    record = {
        "name": "final.mat",
        "mimeType": "text/plain",
        "buffer": write(play_out(1, 3, players=("Bob", "Carol")), "mat"),
    }
    page.get_by_label("Drop a record here, or choose a file").set_input_files(record)
    page.get_by_role("button", name="Send the match record").click()
    expect(page.get_by_text("A match record is being checked.")).to_be_visible()
    adjudicate_submission(submission_id=match.submissions.get().pk, now=timezone.now())
    expect(page.get_by_text("You reported 3–0.").first).to_be_visible()
    reports.confirm(match=match, side=CAROL, by=Actor.link(CAROL), now=timezone.now())
    page.reload()
    expect(page.get_by_text("Bob won 3–0.").first).to_be_visible()
    expect(page.get_by_role("heading", name="Score sheet")).to_be_visible()
    axe(page)
    fits(page)


def test_a_time_is_proposed_and_accepted(open_page: OpenPage, axe: Check, match: Match, bob: User, carol: User) -> None:
    day = (timezone.now() + timezone.timedelta(days=20)).date()
    page = open_page(f"/matches/{match.public_id}/", width=PHONE, user=bob)
    page.locator("summary", has_text="Propose times").click()
    page.get_by_label("Time 1").fill(f"{day}T19:30")
    axe(page)
    page.get_by_role("button", name="Propose times").click()
    expect(page.get_by_role("heading", name="You propose")).to_be_visible()
    hers = open_page(f"/matches/{match.public_id}/", width=PHONE, user=carol)
    hers.get_by_role("button", name="Accept").click()
    expect(hers.get_by_role("link", name="Add to calendar")).to_be_visible()
    axe(hers)


def test_a_waiting_page_never_replaces_a_field_in_use(open_page: OpenPage, match: Match, bob: User) -> None:
    page = open_page(f"/m/{links.token_for(match, CAROL)}/", width=PHONE)
    choose_result(page, "I won", 4)
    reports.report_score(
        match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=timezone.now()
    )
    waiting = "const it = document.querySelector('[data-waiting]');"
    page.evaluate(f"() => {{ {waiting} htmx.ajax('GET', it.getAttribute('hx-get'), {{ source: it, swap: 'none' }}) }}")
    page.wait_for_timeout(1000)
    expect(page.get_by_role("button", name="I won 7–4")).to_be_visible()
    page.evaluate("() => document.querySelector('[data-result]').reset()")
    page.get_by_role("heading", level=1).click()
    page.evaluate(f"() => {{ {waiting} htmx.ajax('GET', it.getAttribute('hx-get'), {{ source: it, swap: 'none' }}) }}")
    expect(page.get_by_role("button", name="Confirm this score")).to_be_visible()
