"""The page of a division: entries, registering, and the bracket."""

import random
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from matches.reporting import reports
from players.accounts.services import ensure_player
from players.actors import SYSTEM, Actor
from players.models import Player, User
from tests.event_cast import NOW, RunningEvent
from tests.pages import html
from tests.tournaments.support.pages import box, division_url, page, text
from tests.tournaments.support.played_stages import STAGES, drawn_as, play
from tournaments.draws import services as draws
from tournaments.draws.page import draw_page
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.events.selectors import read_with_seq
from tournaments.models import Division, Draw, Entry, Fixture
from tournaments.results import services as results

pytestmark = pytest.mark.django_db


def test_a_winner_is_bold_and_ticked_and_advances(running: RunningEvent, client: Client, by_alice: Actor) -> None:
    results.enter_result(fixture=running.fixture, result=ResultInput(0, (7, 3)), by=by_alice, now=NOW)

    html = page(client, running.division_url)

    assert re.search(r'class="entry won".*?7<span class="visually-hidden"> won</span>', box(html, 1), re.DOTALL)
    match = running.fixture.match
    assert match is not None
    assert match.player_0.name in text(box(html, 3))
    assert "Winner of M2" in text(box(html, 3))
    assert "winner → M3" in text(box(html, 1))


def test_bye_walkover_and_to_be_decided_have_words_of_their_own(
    drawn: Callable[..., Division], client: Client, by_alice: Actor
) -> None:
    division = drawn(5)
    with_match = Fixture.objects.select_related("match", "stage").get(
        stage__division=division, status="ready", round__number=1
    )
    assert with_match.match is not None
    gone = Entry.objects.get(division=division, player=with_match.match.player_0)
    entries.withdraw(entry=gone, by=by_alice, now=NOW)

    html = page(client, division_url(division))

    assert html.count('<p class="bye"><span dir="auto">Bye</span></p>') == 3
    walkover = box(html, with_match.number)
    assert re.search(r'<p class="walkover"[^>]*><a [^>]*>Player \d</a><em>not coming</em>', walkover)
    assert "walkover" in text(walkover)
    assert "Winner of M5" in text(box(html, 7))


@pytest.mark.parametrize("word", ["Being played", "Reported", "Disputed"])
def test_what_happens_in_a_match_is_marked(running: RunningEvent, client: Client, word: str) -> None:
    match = running.fixture.match
    assert match is not None
    if word == "Being played":
        Match.objects.filter(pk=match.pk).update(begun_at=NOW)
    else:
        reports.report_score(match=match, side=0, report=reports.ScoreReport(0, (7, 3)), by=Actor.link(0), now=NOW)
    if word == "Disputed":
        reports.contest(match=match, side=1, by=Actor.link(1), now=NOW)
    assert f"<b>{word}</b>" in box(page(client, running.division_url), 1)


def test_looking_for_a_player_marks_his_path(running: RunningEvent, client: Client, by_alice: Actor) -> None:
    results.enter_result(fixture=running.fixture, result=ResultInput(0, (7, 3)), by=by_alice, now=NOW)
    assert running.fixture.match is not None
    name = running.fixture.match.player_0.name

    html = page(client, f"{running.division_url}?player={name.lower()}")

    assert [number for number in (1, 2, 3) if " path" in box(html, number).split(">")[0]] == [1, 3]
    assert html.count('class="entry won here"') == 1
    assert f"The path of {name} is marked." in text(html)


def test_looking_for_nobody_or_several_says_so(running: RunningEvent, client: Client) -> None:
    assert "Nobody called “xyz” is entered here." in text(page(client, f"{running.division_url}?player=xyz"))
    assert "Who do you mean?" in text(page(client, f"{running.division_url}?player=player"))


def test_only_directors_can_search_for_a_player_who_shows_initials(
    running: RunningEvent, client: Client, alice_client: Client
) -> None:
    Player.objects.filter(name="Carol").update(initials_only=True, name="Carol Danvers")
    assert "Danvers" not in page(client, running.division_url)
    assert "C. D." in text(page(client, running.division_url))
    assert "Nobody called" in text(page(client, f"{running.division_url}?player=danvers"))
    assert "Carol Danvers" in text(page(alice_client, running.division_url))


def test_names_of_any_kind_stand_in_the_bracket_unharmed(
    make_division: Callable[..., Division], drawn: Callable[..., Division], client: Client
) -> None:
    division = drawn(4)
    odd = ["<script>alert(1)</script>", "花子 山田", "M" * 80, "O'Brien & Søn"]
    for player, name in zip(Player.objects.filter(name__startswith="Player"), odd, strict=True):
        Player.objects.filter(pk=player.pk).update(name=name)
    html = page(client, division_url(division))
    for name in odd:
        assert escape(name) in html
    assert "<script>alert" not in html


def test_the_draw_tells_how_it_came_about(running: RunningEvent, client: Client) -> None:
    stage = running.division.stages.get()
    drafts = stage.draws.count()
    html = page(client, running.division_url)
    assert stage.seed in html
    assert stage.seed_hash in html
    assert "barpoint-knockout/1" in html
    assert html.count("reason: “again”") == drafts - 1


def test_before_the_draw_only_the_hash_is_shown(open_division: Division, client: Client, alice_client: Client) -> None:
    stage = open_division.stages.get()
    for visitor in (client, alice_client):
        html = page(visitor, division_url(open_division))
        assert stage.seed_hash in html
        assert stage.seed not in html


def test_a_large_bracket_has_sections_and_opens_the_one_searched_for(
    drawn: Callable[..., Division], client: Client
) -> None:
    division = drawn(97)
    html = page(client, division_url(division))
    assert re.findall(r'<details class="part" id="([^"]+)"( open)?', html) == [
        ("main-1", " open"), ("main-2", ""), ("main-3", ""), ("main-4", ""), ("main-final", ""),
    ]  # fmt: skip
    assert re.findall(r'id="([^"]+)" open', page(client, f"{division_url(division)}?section=main-3")) == ["main-3"]
    last = Fixture.objects.get(stage__division=division, number=64).slots.get(side=0).entry
    assert last is not None
    looked_for = page(client, f"{division_url(division)}?player={last.player.public_id}")
    assert "main-4" in re.findall(r'id="([^"]+)" open', looked_for)


def test_dave_registers_and_withdraws(open_division: Division, dave: User, as_user: Callable[[User], Client]) -> None:
    browser = as_user(dave)
    browser.post(f"{division_url(open_division)}register/")
    assert "You are entered" in text(page(browser, division_url(open_division)))
    # The second of two clicks changes nothing.
    browser.post(f"{division_url(open_division)}register/")
    assert Entry.objects.get().player.user == dave
    browser.post(f"{division_url(open_division)}withdraw/")
    assert Entry.objects.get().status == Entry.Status.OUT
    browser.post(f"{division_url(open_division)}withdraw/")
    assert "Register" in text(page(browser, division_url(open_division)))


def test_bob_reads_what_follows_before_he_withdraws(
    running: RunningEvent, bob: User, carol: User, as_user: Callable[[User], Client]
) -> None:
    Player.objects.filter(user=carol).update(name="Carol Byrne", initials_only=True)
    browser = as_user(bob)
    assert 'href="withdraw/"' in page(browser, running.division_url)
    preview = text(page(browser, f"{running.division_url}withdraw/"))
    assert "M1: Bob forfeits, and C. B. goes through." in preview
    assert "Byrne" not in preview
    running.entry.refresh_from_db()
    assert running.entry.status == Entry.Status.IN
    browser.post(f"{running.division_url}withdraw/", {"reason": ""})
    assert Entry.objects.get(division=running.division, player__user=bob).status == Entry.Status.OUT
    # Nothing is left to preview.
    assert browser.get(f"{running.division_url}withdraw/").status_code == 302


def test_who_comes_late_waits_and_sees_his_place(
    open_division: Division, dave: User, bob: User, carol: User, as_user: Callable[[User], Client]
) -> None:
    Division.objects.filter(pk=open_division.pk).update(capacity=2)
    for user in (bob, carol, dave):
        as_user(user).post(f"{division_url(open_division)}register/")
    assert "You are number 1 on the waiting list." in text(page(as_user(dave), division_url(open_division)))
    as_user(bob).post(f"{division_url(open_division)}withdraw/")
    assert "You are entered" in text(page(as_user(dave), division_url(open_division)))


def test_registration_closes(open_division: Division, dave: User, as_user: Callable[[User], Client]) -> None:
    Division.objects.filter(pk=open_division.pk).update(closes_at=timezone.now() - timedelta(minutes=1))
    browser = as_user(dave)
    assert "Registration is closed." in text(page(browser, division_url(open_division)))
    answer = browser.post(f"{division_url(open_division)}register/", follow=True)
    assert "Registration is closed." in text(answer.content.decode())
    dave_player, acts = ensure_player(user=dave, by=SYSTEM), {"by": SYSTEM, "now": timezone.now()}
    with pytest.raises(Refused, match="registration_closed"):
        entries.register(division=open_division, player=dave_player, **acts)
    assert not Entry.objects.exists()


def test_the_fee_is_shown_in_tickets_and_in_money(open_division: Division, client: Client) -> None:
    Division.objects.filter(pk=open_division.pk).update(fee=2)
    assert "2 tickets" in text(page(client, division_url(open_division)))
    type(open_division.tournament).objects.update(currency="EUR", currency_exponent=2)
    assert "0.02 EUR" in text(page(client, division_url(open_division)))


def test_a_finished_bracket_names_who_won_and_the_places(
    running: RunningEvent, client: Client, by_alice: Actor
) -> None:
    while ready := list(
        Fixture.objects.filter(stage__division=running.division, status="ready").select_related("stage")
    ):
        for fixture in ready:
            results.enter_result(fixture=fixture, result=ResultInput(0, (7, 3)), by=by_alice, now=NOW)
    html = page(client, running.division_url)
    final = Fixture.objects.select_related("match").get(stage__division=running.division, number=3)
    assert final.match is not None
    assert f"won by {final.match.player_0.name}" in text(html)
    assert f"1 {final.match.player_0.name} 2 {final.match.player_1.name} 3–4" in text(html)
    assert Result.objects.count() == 3


def test_who_meets_nobody_in_the_final_has_won_it(running: RunningEvent, client: Client, by_alice: Actor) -> None:
    first, second = Fixture.objects.filter(stage__division=running.division, round__number=1).select_related("stage")
    results.enter_result(fixture=first, result=ResultInput(None, kind=Result.Kind.DOUBLE_FORFEIT), by=by_alice, now=NOW)
    results.enter_result(fixture=second, result=ResultInput(0, (7, 3)), by=by_alice, now=NOW)

    final = box(page(client, running.division_url), 3)

    assert 'class="is-walkover"' in final
    assert re.search(r'<p class="walkover"><span dir="auto">Nobody</span></p>', final)
    assert re.search(r'<p class="entry won"', final)
    assert "won by" in text(page(client, running.division_url))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["swiss", "lives", "league", "groups", "knockout"])
def test_the_seed_stays_secret_while_something_is_still_drawn_from_it(
    name: str, client: Client, make_division: Callable[..., Division], make_players: Any, by_alice: Actor
) -> None:
    division = drawn_as(make_division(), STAGES[name], make_players(8), by_alice)
    stage = division.stages.order_by("number")[0]
    page = f"/events/{division.tournament.club.slug}/{division.tournament.slug}/{division.public_id}/"
    api = f"/api/v1/divisions/{division.public_id}/draws/"

    def shown_by_page_and_api() -> tuple[bool, bool]:
        return stage.seed in html(client.get(page)), client.get(api).json()["results"][0]["seed"] == stage.seed

    at_once = name not in ("swiss", "lives")
    assert shown_by_page_and_api() == (at_once, at_once)
    play(division, by_alice, random.Random(3))
    stage.refresh_from_db()
    assert stage.status == "finished"
    assert shown_by_page_and_api() == (True, True)


def test_a_draft_that_is_finished_while_its_page_is_read_can_be_published(
    make_division: Callable[..., Division], make_players: Any, by_alice: Actor
) -> None:
    division = make_division()
    entries.enter(division=division, players=make_players(4), by=by_alice, now=NOW)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    seen = Division.objects.get(pk=division.pk)
    draw = draws.request_draw(division=division, by=by_alice, now=NOW)
    read = []

    def page_of_the_draw() -> Any:
        # The worker is done between the division and the draft being read.
        draws.make_draft(draw_id=draw.pk, now=NOW)
        read.append(draw_page(seen, NOW))
        return read[-1]

    shown = read_with_seq(seen, page_of_the_draw)

    assert shown["draft"] == Draw.objects.get()
    assert shown["division"].seq == Division.objects.get().seq
    assert len(read) == 2
