"""The pages on which a result is corrected: looked at, applied, undone, refused."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from matches.lifecycle.finish import ResultInput
from matches.models import Match
from matches.reporting import reports
from players.actors import Actor
from players.models import LogEntry, User
from tests.event_cast import NOW, RunningEvent
from tests.pages import html
from tournaments.models import Correction, Fixture
from tournaments.results import services as results

pytestmark = pytest.mark.django_db
SHOWN = {"winner": "1", "left": "5", "right": "7", "kind": "played", "rated": "1"}


@pytest.fixture
def played(running: RunningEvent, by_alice: Actor) -> RunningEvent:
    """M1 ended 7–5 for its first side, M2 7–0, and the final 7–3."""
    for number, score in ((1, (7, 5)), (2, (7, 0)), (3, (7, 3))):
        fixture = Fixture.objects.select_related("stage").get(stage__division=running.division, number=number)
        results.enter_result(fixture=fixture, result=ResultInput(0, score), by=by_alice, now=NOW)
    running.division.refresh_from_db()
    running.fixture.refresh_from_db()
    return running


def hidden(page: str) -> dict[str, str]:
    """What the form of a preview carries."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))


def looked_at(client: Client, running: RunningEvent, **more: str) -> dict[str, str]:
    """The fields to be sent, as the page has them, with these changes."""
    page = client.get(f"{running.fixture_url}correct/", {**SHOWN, **more})
    assert page.status_code == 200
    return hidden(html(page))


def test_the_sheet_of_a_settled_match_leads_to_its_correction(alice_client: Client, played: RunningEvent) -> None:
    page = html(alice_client.get(played.fixture_url))
    assert f'href="{played.fixture_url}correct/"' in page
    assert f'action="{played.fixture_url}result/"' not in page


def test_the_page_of_a_settled_match_leads_directors_to_its_correction(
    alice_client: Client, as_user: Callable[[User], Client], bob: User, erin: User, played: RunningEvent
) -> None:
    match = played.fixture.match
    assert match is not None
    url = f"/matches/{match.public_id}/"
    assert f'href="{url}correct/"' in html(alice_client.get(url))
    assert alice_client.get(f"{url}correct/")["Location"] == f"{played.fixture_url}correct/"
    for user in (bob, erin):
        assert "correct/" not in html(as_user(user).get(url))
    Match.objects.filter(pk=match.pk).update(state=Match.State.OPEN)
    assert "correct/" not in html(alice_client.get(url))


def test_nothing_is_previewed_before_a_result_is_entered(alice_client: Client, played: RunningEvent) -> None:
    page = html(alice_client.get(f"{played.fixture_url}correct/"))
    assert 'value="7"' in page
    assert 'id="apply"' not in page


def test_the_preview_says_in_words_what_would_follow(alice_client: Client, played: RunningEvent) -> None:
    page = html(alice_client.get(f"{played.fixture_url}correct/", SHOWN))
    assert "result 7–3 would become void (played: stays rated)" in page
    assert "Later matches have begun (M3)" in page
    assert page.count('name="choice"') == 3
    assert re.search(r'value="let_stand" required checked', page)
    assert "1 match changes" in page
    assert "1 result void" in page
    assert Correction.objects.count() == 0


def test_the_ratings_are_shown_with_their_change(alice_client: Client, played: RunningEvent) -> None:
    page = html(alice_client.get(f"{played.fixture_url}correct/", SHOWN))
    assert "Ratings" in page
    assert "<b>15" in page
    unrated = html(alice_client.get(f"{played.fixture_url}correct/", {**SHOWN, "rated": ""}))
    assert "no longer rated" in unrated


def test_htmx_gets_the_preview_alone(alice_client: Client, played: RunningEvent) -> None:
    page = html(alice_client.get(f"{played.fixture_url}correct/", SHOWN, headers={"HX-Request": "true"}))
    assert page.lstrip().startswith('<section id="preview"')
    wrong = alice_client.get(f"{played.fixture_url}correct/", {**SHOWN, "right": "6"}, headers={"HX-Request": "true"})
    assert wrong.status_code == 200
    assert 'role="alert"' in html(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["correct_all", "keep_bracket"])
def test_an_applied_correction_is_listed_and_undone_on_the_match_page(
    alice_client: Client, played: RunningEvent, choice: str
) -> None:
    fields = looked_at(alice_client, played)
    answer = alice_client.post(
        f"{played.fixture_url}correct/", {**fields, "choice": choice, "reason": "Wrong sheet."}, follow=True
    )
    page = html(answer)
    assert answer.redirect_chain[-1][0] == played.fixture_url
    correction = Correction.objects.get()
    assert (correction.choice, correction.reason, correction.before.score, correction.after.score) == (
        choice, "Wrong sheet.", (7, 5), (5, 7),
    )  # fmt: skip
    undo = f"{played.fixture_url}correct/undo/{correction.public_id}/"
    assert undo in page
    assert "Wrong sheet." in page
    preview = alice_client.get(undo)
    assert preview.status_code == 200
    done = alice_client.post(undo, {**hidden(html(preview)), "reason": "It was right."}, follow=True)
    assert "undone" in html(done)
    assert Match.objects.get(pk=played.fixture.match.pk).results.latest("version").score == (7, 5)
    again = alice_client.get(undo)
    assert again.status_code == 409
    assert "already been undone" in html(again)


def test_to_let_it_stand_is_only_noted(alice_client: Client, played: RunningEvent) -> None:
    before = list(Match.objects.values_list("pk", "seq", "state"))
    fields = looked_at(alice_client, played)
    alice_client.post(f"{played.fixture_url}correct/", {**fields, "choice": "let_stand", "reason": "Too late."})
    assert Correction.objects.count() == 0
    assert list(Match.objects.values_list("pk", "seq", "state")) == before
    assert LogEntry.objects.filter(verb="correction_left").get().params["reason"] == "Too late."


def test_a_stale_correction_says_what_changed_and_keeps_what_was_typed(
    alice_client: Client, played: RunningEvent, by_alice: Actor
) -> None:
    fields = looked_at(alice_client, played)
    second = Fixture.objects.select_related("stage").get(stage__division=played.division, number=2)
    results.enter_result(fixture=second, result=ResultInput(0, (7, 6)), by=by_alice, now=NOW)
    results.forfeit(
        fixture=Fixture.objects.select_related("stage").get(stage__division=played.division, number=3), side=0,
        by=by_alice, now=NOW,
    )  # fmt: skip
    answer = alice_client.post(
        f"{played.fixture_url}correct/",
        {**fields, "seen": "1700000000", "choice": "correct_all", "reason": "Read from the wrong sheet."},
    )
    page = html(answer)
    assert answer.status_code == 409
    assert "Changes since you opened this page" in page
    assert "Read from the wrong sheet." in page
    assert re.search(r'value="correct_all" required checked', page)
    assert hidden(page)["after"] != fields["after"]
    assert Correction.objects.count() == 0


def test_a_match_begun_since_the_preview_makes_it_stale(
    alice_client: Client, running: RunningEvent, by_alice: Actor
) -> None:
    for number in (1, 2):
        fixture = Fixture.objects.select_related("stage").get(stage__division=running.division, number=number)
        results.enter_result(fixture=fixture, result=ResultInput(0, (7, 5)), by=by_alice, now=NOW)
    fields = looked_at(alice_client, running)
    final = Fixture.objects.select_related("match").get(stage__division=running.division, number=3)
    assert final.match is not None
    reports.report_score(match=final.match, side=0, report=reports.ScoreReport(0, (7, 2)), by=Actor.link(0), now=NOW)
    answer = alice_client.post(f"{running.fixture_url}correct/", {**fields, "choice": "correct_all"})
    page = html(answer)
    assert answer.status_code == 409
    assert "Begun or reported; would be stopped" in page
    sent = alice_client.post(f"{running.fixture_url}correct/", {**hidden(page), "choice": "correct_all"})
    assert sent.status_code == 302
    final.match.refresh_from_db()
    assert final.match.state == Match.State.VOID


def test_assistants_look_and_do_not_apply(as_user: Any, erin: User, played: RunningEvent) -> None:
    page = html(as_user(erin).get(f"{played.fixture_url}correct/", SHOWN))
    assert "result 7–3 would become void" in page
    assert "Only directors of this event can do this." in page
    assert ">Apply<" not in page


def test_what_cannot_be_corrected_says_so(alice_client: Client, running: RunningEvent) -> None:
    answer = alice_client.get(f"{running.fixture_url}correct/")
    assert answer.status_code == 409
    assert "has no result to correct" in html(answer)


def test_the_same_result_is_no_correction(alice_client: Client, played: RunningEvent) -> None:
    same = {**SHOWN, "winner": "0", "left": "7", "right": "5"}
    answer = alice_client.get(f"{played.fixture_url}correct/", same)
    assert answer.status_code == 422
    assert "already the result of M1" in html(answer)


def test_where_the_sheet_or_a_line_is_refused_it_leads_to_the_correction(
    alice_client: Client, played: RunningEvent
) -> None:
    seq = Match.objects.get(pk=played.fixture.match.pk).seq
    sent = alice_client.post(f"{played.fixture_url}result/", {"after": seq, "left": 5, "right": 7})
    assert sent.status_code == 409
    assert f'href="{played.fixture_url}correct/"' in html(sent)
    line = alice_client.post(f"{played.url}console/quick/", {"line": "m1 5-7"})
    assert f'href="{played.fixture_url}correct/?kind=played&amp;winner=1&amp;left=5&amp;right=7' in html(line)


def test_the_corrections_of_an_event_are_listed(alice_client: Client, played: RunningEvent) -> None:
    fields = looked_at(alice_client, played)
    alice_client.post(f"{played.fixture_url}correct/", {**fields, "choice": "keep_bracket", "reason": "Wrong sheet."})
    page = html(alice_client.get(f"{played.url}corrections/"))
    assert "Wrong sheet." in page
    assert "7–5" in page
    assert "5–7" in page
    assert "Alice" in page
    assert f"{played.url}corrections/" in html(alice_client.get(f"{played.url}console/log/"))


def test_the_log_tells_from_what_to_what(alice_client: Client, played: RunningEvent) -> None:
    fields = looked_at(alice_client, played)
    alice_client.post(f"{played.fixture_url}correct/", {**fields, "choice": "correct_all"})
    page = html(alice_client.get(f"{played.url}console/log/"))
    assert "corrected the result" in page
    assert "Result: 7–5 → 5–7" in page
