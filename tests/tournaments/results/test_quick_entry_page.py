"""Quick entry on the console and by API."""

import re
from html import unescape

import pytest
from django.test import Client

from matches.models import Match, Result
from tests.event_cast import RunningEvent
from tests.tournaments.support.pages import page, post, text
from tournaments.models import Fixture

pytestmark = pytest.mark.django_db


def field_value(html: str) -> str:
    """Return the value of the quick-entry field."""
    textarea = re.search(r'<textarea id="line"[^>]*>(.*?)</textarea>', html, re.DOTALL)
    assert textarea is not None
    return unescape(textarea[1])


def test_a_line_is_entered_and_confirmed(running: RunningEvent, alice_client: Client) -> None:
    answer = post(
        alice_client, f"{running.url}console/quick/", {"line": "m1 7-3", "division": running.division.public_id}
    )
    match = Match.objects.get(pk=running.fixture.match_id)
    assert f"M1 · {match.player_0.name} – {match.player_1.name} 7–3" in text(answer.content.decode())
    assert match.state == Match.State.SETTLED


def test_after_a_line_the_field_regains_the_focus(running: RunningEvent, alice_client: Client) -> None:
    answer = post(alice_client, f"{running.url}console/quick/", {"line": "m1 7-3"})
    html = answer.content.decode()
    assert "autofocus" in html[html.index('id="line"') :][:600]
    assert field_value(html) == ""
    assert "autofocus" not in page(alice_client, f"{running.url}console/")


def test_lines_that_were_not_entered_come_back_for_editing(running: RunningEvent, alice_client: Client) -> None:
    answer = alice_client.post(f"{running.url}console/quick/", {"line": "m1 7-3; m9 7-1; nobody 7-0"})
    assert answer.status_code == 422
    html = answer.content.decode()
    assert field_value(html) == "m9 7-1\nnobody 7-0"
    assert "There is no M9" in text(html)
    assert "Nobody called nobody" in text(html)
    assert Result.objects.get().score == (7, 3)


def test_a_settled_match_links_to_its_prefilled_correction(running: RunningEvent, alice_client: Client) -> None:
    post(alice_client, f"{running.url}console/quick/", {"line": "m1 7-3"})
    html = alice_client.post(f"{running.url}console/quick/", {"line": "m1 4-7"}).content.decode()
    link = re.search(r'href="([^"]*/correct/[^"]*)"', html)
    assert link is not None
    correction = page(alice_client, unescape(link[1]))
    assert re.search(r'id="left"[^>]*value="4"', correction)
    assert re.search(r'id="right"[^>]*value="7"', correction)
    assert 'name="choice"' in correction, "it shows at once what would follow"


def test_a_question_mark_shows_help(running: RunningEvent, alice_client: Client) -> None:
    answer = alice_client.post(f"{running.url}console/quick/", {"line": "?"})
    assert answer.status_code == 200
    assert "takes back what you did last" in text(answer.content.decode())
    assert field_value(answer.content.decode()) == ""


def test_undo_names_the_match_it_took_back(running: RunningEvent, alice_client: Client) -> None:
    post(alice_client, f"{running.url}console/quick/", {"line": "m1 7-3"})
    answer = post(alice_client, f"{running.url}console/quick/", {"line": "undo"})
    assert "The result of M1 was taken back." in text(answer.content.decode())
    fixture = Fixture.objects.select_related("match").get(pk=running.fixture.pk)
    assert fixture.match is not None
    assert fixture.match.state == Match.State.OPEN


def test_an_unknown_division_is_refused(running: RunningEvent, alice_client: Client) -> None:
    fields = {"line": "m1 7-3", "division": "nowhere"}
    assert alice_client.post(f"{running.url}console/quick/", fields).status_code == 422
    assert not Result.objects.exists()


def test_lines_can_be_entered_by_the_api(running: RunningEvent, alice_client: Client) -> None:
    url = f"/api/v1/tournaments/{running.tournament.public_id}/lines/"
    answer = alice_client.post(url, {"lines": "m1 7-3\nm9 7-1; undo"}, content_type="application/json")
    assert [(outcome["what"], outcome["number"], outcome["code"]) for outcome in answer.json()] == [
        ("booked", 1, None),
        ("refused", None, "line_no_fixture"),
        ("undone", 1, None),
    ]


def test_an_invalid_line_stays_in_the_field_with_its_reason(running: RunningEvent, alice_client: Client) -> None:
    answer = alice_client.post(f"{running.url}console/quick/", {"line": "m1 eleven"})
    assert answer.status_code == 422
    html = answer.content.decode()
    assert field_value(html) == "m1 eleven"
    assert "autofocus" in html
    assert "is not a result" in text(html)
    assert not Result.objects.exists()
