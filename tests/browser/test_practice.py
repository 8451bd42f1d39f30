"""The board of a practice match says when the Club Bot decided in place of the program."""

from pathlib import Path
from random import Random

import pytest
from django.conf import LazySettings
from django.utils import timezone
from playwright.sync_api import expect

from engine.actions import Act
from engine.match import MatchState
from matches.models import Action, Match
from matches.play import bots, due
from matches.play.bots import has_choice
from matches.play.live import EventKind
from matches.play.lobby.services import BOT_SIDE
from matches.play.transcripts import differences_of
from players.models import User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage
from tests.browser.test_guest import play as make_any_play
from tests.browser.test_play import eventually
from tests.matches.analysis.programs import Indifferent, fake_gnubg
from tests.matches.cast import player_of
from tests.matches.play.lobby.test_levels import practise
from tests.matches.play.lobby.test_practice import live_of, play_on
from tests.matches.play.lobby.test_practice import practise as practise_with_bot


@pytest.mark.django_db(transaction=True)
def test_a_member_gets_a_hint_takes_back_and_plays_again(
    open_page: OpenPage, in_both_views: Check, settings: LazySettings, bob: User
) -> None:
    settings.ANALYSIS_BACKEND = "off"
    match = practise_with_bot(player_of(bob), length=3)
    chance = Random(2)
    # Until Bob has played once and has to play again.
    while not Action.objects.filter(live=match.pk, side=0, kind=Act.PLAY).exists() or not has_choice(state_of(match)):
        play_on(match, chance)
        bots.act_for_bot(match_id=match.pk, now=timezone.now())
    page = open_page(f"/matches/{match.public_id}/play/", width=PHONE, user=bob)
    hint, plays = page.locator('[data-banner="hint"]'), page.locator("#play-list")
    page.locator('[data-act="hint"]').click()
    expect(hint).to_contain_text("Hint by the Club Bot")
    in_both_views(page)
    before, last = plays.inner_text(), live_of(match).last
    page.locator('[data-act="take_back"]').click()
    expect(plays).not_to_have_text(before)
    expect(hint).to_be_hidden()
    expect(page.locator('[data-banner="error"]')).to_be_hidden()
    assert live_of(match).last == last + 1
    page.reload()
    expect(plays).not_to_have_text(before)
    if page.locator('[data-panel="play"]').is_visible():
        make_any_play(page)
        expect(page.locator('[data-panel="play"]')).to_be_hidden()
        expect(page.locator('[data-banner="error"]')).to_be_hidden()
    page.wait_for_timeout(300)
    assert list(differences_of(live_of(match))) == []


def state_of(match: Match) -> MatchState:
    return due.state_of(live_of(match)).match


@pytest.mark.django_db(transaction=True)
def test_the_board_says_when_the_club_bot_stood_in(
    open_page: OpenPage, axe: Check, fits: Check, tmp_path: Path, settings: LazySettings, bob: User
) -> None:
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", fake_gnubg(tmp_path).path
    match = practise(player_of(bob), length=3)
    chance = Random(1)
    played = Action.objects.filter(live=match.pk, side=BOT_SIDE, kind=Act.PLAY)

    def let_bot_play(program: Indifferent | None) -> None:
        before = played.count()
        while played.count() == before:
            bots.act_for_bot(match_id=match.pk, now=timezone.now(), advisor=program)
            if played.count() == before:
                play_on(match, chance)

    let_bot_play(Indifferent())
    pages = [
        open_page(f"/matches/{match.public_id}/play/", width=width, scheme=scheme, user=bob)
        for width, scheme in ((PHONE, "dark"), (DESK, "light"))
    ]
    banners = [page.locator('[data-banner="standIn"]') for page in pages]
    for page, banner in zip(pages, banners, strict=True):
        expect(page.locator("#play-list")).not_to_be_empty()
        expect(banner).to_be_hidden()
    let_bot_play(None)
    for page, banner in zip(pages, banners, strict=True):
        expect(banner).to_contain_text("The Club Bot decided this turn")
        expect(banner).to_contain_text("indifferent gave no usable answer. It will be asked again next turn.")
        axe(page)
        fits(page)
    let_bot_play(Indifferent())
    for banner in banners:
        expect(banner).to_be_hidden()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_board_says_that_the_program_takes_its_time_on_a_busy_machine(
    open_page: OpenPage, axe: Check, fits: Check, tmp_path: Path, settings: LazySettings, bob: User
) -> None:
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", fake_gnubg(tmp_path).path
    match = practise(player_of(bob), length=3)
    page = open_page(f"/matches/{match.public_id}/play/", width=PHONE, user=bob)
    banner = page.locator('[data-banner="thinking"]')
    expect(banner).to_be_hidden()
    # Against a program a page says by itself that its player is ready.
    eventually(Action.objects.filter(live=match.pk, side=1 - BOT_SIDE, kind=EventKind.READY).exists)
    expect(banner).to_be_hidden()
    expect(banner).to_be_visible(timeout=15_000)
    expect(banner).to_contain_text("The computer is thinking…")
    axe(page)
    fits(page)
    bots.act_for_bot(match_id=match.pk, now=timezone.now(), advisor=Indifferent())
    expect(banner).to_be_hidden()
