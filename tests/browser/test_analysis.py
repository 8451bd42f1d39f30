"""The analysis of a match in a browser: it appears by itself, its graph leads to the replay, and the replay quizzes."""

import re
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import expect

from engine.records import write
from engine.simulation import play_out
from matches.analysis.access import announce
from matches.models import Analysis, Decision, Match, Submission
from matches.records.submissions import RecordFile
from matches.reporting import records
from matches.reporting.records import adjudicate_submission
from matches.tasks import analyse
from players.actors import Actor
from players.models import Club, Player, User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage
from tests.browser.test_check import drop
from tests.matches.analysis.programs import fake_gnubg
from tests.matches.analysis.rows import analysis_of
from tests.matches.cast import CAROL, match_between, player_of
from tests.matches.records.samples import simulated

SEED = 2


@pytest.fixture
def match(club: Club, bob: User, carol: User) -> Match:
    """Bob has won 3–0 in two games, and both let everybody see how they played."""
    players = [player_of(user, analysis_visibility=Player.AnalysisVisibility.PUBLIC) for user in (bob, carol)]
    match = match_between(players[0], players[1], club=club, length=3, parent_topic="")
    data = write(play_out(SEED, 3, players=("Bob", "Carol")), "mat")
    row = records.submit_for_match(
        match=match, side=CAROL, file=RecordFile(data, "upload"), by=Actor.of(carol), now=timezone.now()
    ).submission
    adjudicate_submission(submission_id=row.pk, now=timezone.now())
    match.refresh_from_db()
    return match


def finish(match: Match) -> None:
    """Store the analysis that a worker would make, and announce it."""
    record = Submission.objects.get(match=match)
    # The open page may ask at any moment.
    with transaction.atomic():
        Analysis.objects.filter(submission=record).delete()
        analysis = analysis_of(record, match=match)
    announce(analysis)


@pytest.mark.slow
def test_an_analysis_appears_and_leads_to_the_errors(
    open_page: OpenPage, axe: Check, fits: Check, in_both_views: Check, match: Match
) -> None:
    Analysis.objects.all().delete()
    Analysis.objects.create(submission=Submission.objects.get(match=match), match=match)
    page = open_page(f"/matches/{match.public_id}/", width=PHONE, scheme="dark")
    expect(page.locator("#analysis")).to_contain_text("Waiting to be analysed, about 1 minute.")
    page.evaluate("document.body.dataset.kept = 'yes'")
    finish(match)
    expect(page.get_by_role("heading", name="Winning chances of Bob")).to_be_visible(timeout=15_000)
    assert page.evaluate("document.body.dataset.kept") == "yes", "the page was loaded again"
    axe(page)
    fits(page)
    blunder, after = (page.locator(".graph-phone .graph-blunder").nth(number) for number in (0, 1))
    words = blunder.get_attribute("aria-label") or ""
    played = re.search(r": (.+), cost", words)
    assert played is not None
    blunder.focus()
    page.keyboard.press("Tab")
    expect(after).to_be_focused()
    page.get_by_text("Show as table").press("Enter")
    expect(page.get_by_role("region", name="Winning chances by game").get_by_role("link").first).to_be_visible()
    blunder.press("Enter")
    expect(page.locator("[data-now] strong")).to_contain_text(played[1])
    expect(page.locator(".move-list a[aria-current]")).to_have_class(re.compile("is-blunder"))
    page.get_by_text("Candidates").click()
    candidates = page.locator("[data-candidates] [data-judged]:not([hidden])")
    expect(candidates.get_by_text("A blunder: −0.160")).to_be_visible()
    expect(candidates.locator(".is-played th")).to_have_text(played[1])
    axe(page)
    fits(page)
    _quiz(open_page, axe, fits, in_both_views, match)


@pytest.mark.slow
@pytest.mark.usefixtures("celery_worker")
def test_a_record_goes_from_the_upload_to_the_quiz_on_one_page(
    open_page: OpenPage, in_both_views: Check, settings: LazySettings, tmp_path: Path
) -> None:
    """The program stands in for gnubg, and finds one error."""
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", fake_gnubg(tmp_path).path
    settings.ANALYSIS_CPU_SHARE = 1.0
    page = open_page("/check/", width=PHONE)
    drop(page, simulated(seed=4, length=3))
    expect(page.get_by_text("Accepted", exact=True)).to_be_visible(timeout=20_000)
    expect(page.locator("#analysis")).to_contain_text("Waiting to be analysed, about 1 minute.")
    page.evaluate("document.body.dataset.kept = 'yes'")
    # As the worker that takes the queue of analyses does.
    analyse(Analysis.objects.get().pk)
    expect(page.locator(".graph-phone")).to_be_visible()
    assert page.evaluate("document.body.dataset.kept") == "yes", "the page was loaded again"
    in_both_views(page)
    error = page.locator(".errors").get_by_role("link", name="Replay")
    expect(error).to_have_count(1)
    error.click()
    now = page.locator("[data-now] strong")
    expect(now).to_have_text(re.compile(r"^\d\d: \S+"))
    page.get_by_role("button", name="Quiz").click()
    expect(now).to_have_text("What would you play?")
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator("[data-candidates] [data-judged]:not([hidden])")).to_contain_text("−0.030")
    in_both_views(page)


def _quiz(open_page: OpenPage, axe: Check, fits: Check, in_both_views: Check, match: Match) -> None:
    """On a large screen: the pages, then the next error with its play hidden until it is asked for."""
    page = open_page(f"/matches/{match.public_id}/", width=DESK, scheme="light")
    expect(page.locator(".graph-desk .graph-blunder").first).to_be_visible()
    axe(page)
    fits(page)
    page.locator(".errors").get_by_role("link", name="Replay").first.click()
    expect(page.locator(".game-board")).to_be_visible()
    page.get_by_role("button", name="Quiz").click()
    page.keyboard.press("e")
    now = page.locator("[data-now] strong")
    expect(now).to_have_text("What would you play?")
    expect(page.locator(".move-list")).to_be_hidden()
    expect(page.locator(".game-board .arrow")).to_have_count(0)
    page.get_by_role("button", name="Show the answer").click()
    expect(now).to_have_text(re.compile(r"^\d\d: \S+"))
    expect(page.locator("[data-candidates] [data-judged]:not([hidden])")).to_be_visible()
    expect(page.locator("[data-reveal]")).to_be_hidden()
    page.get_by_role("button", name="Quiz").click()
    expect(page.locator(".move-list")).to_be_visible()
    axe(page)
    player = match.player_0.public_id
    page.goto(page.url.split("/check/")[0] + f"/players/{player}/analysis/")
    expect(page.get_by_role("heading", name="Biggest errors")).to_be_visible()
    in_both_views(page)
    page.goto(page.url.split("/players/")[0] + "/clubs/harbour/analysis/")
    expect(page.get_by_text("Biggest swing")).to_be_visible()
    in_both_views(page)


def test_the_own_decisions_are_a_link_away_from_the_match(
    open_page: OpenPage, in_both_views: Check, match: Match, bob: User
) -> None:
    finish(match)
    Decision.objects.filter(side=0, error__gt=0).update(error=0.16, error_winning=0.04)
    page = open_page(f"/matches/{match.public_id}/", width=PHONE, user=bob)
    page.get_by_role("link", name="Your three decisions").click()
    expect(page.get_by_role("heading", name="Your three decisions")).to_be_visible()
    expect(page.get_by_role("listitem").get_by_role("img")).to_have_count(3)
    in_both_views(page)
