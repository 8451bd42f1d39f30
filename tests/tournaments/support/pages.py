"""Reading pages and sending forms in tests of tournaments."""

import re
from typing import Any

from django.test import Client
from django.utils import timezone

from matches.models import Match
from matches.reporting import reports
from players.actors import Actor
from tests.event_cast import RunningEvent
from tests.pages import html
from tournaments.models import Division


def page(client: Client, path: str) -> str:
    """Return the HTML of a page, which must answer 200."""
    response = client.get(path)
    assert response.status_code == 200
    return html(response)


def text(html: str) -> str:
    """Return the text of some HTML, without tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def box(html: str, number: int) -> str:
    """Return the HTML of a fixture's box in a bracket."""
    match = re.search(rf'<li class="[^"]*"><div><p>(?:<a [^>]*>|<span>)M{number}<.*?</li>', html, re.DOTALL)
    assert match, f"M{number} is not on the page"
    return match[0]


def division_url(division: Division) -> str:
    """Return the URL of a division's page."""
    return f"/events/{division.tournament.club.slug}/{division.tournament.slug}/{division.public_id}/"


def post(client: Client, path: str, data: dict[str, Any]) -> Any:
    """Post a form and follow the redirect."""
    return client.post(path, data, follow=True)


def needs(client: Client, running: RunningEvent) -> str:
    """Return the text of the section “Needs you”."""
    html = page(client, f"{running.url}console/")
    return text(html[html.index('id="needs"') : html.index('id="ready"')])


def report_first_match(running: RunningEvent, *, side: int = 0, acknowledged: bool = False, winner: int = 0) -> Match:
    """Let one side report the result of M1; `acknowledged` means that the other side has seen the report."""
    assert running.fixture.match is not None
    report = reports.report_score(
        match=running.fixture.match,
        side=side,
        report=reports.ScoreReport(winner, (7, 3) if winner == 0 else (3, 7)),
        by=Actor.link(side),
        now=timezone.now(),
    ).report
    if acknowledged:
        reports.acknowledge(match=report.match, side=1 - side, by=Actor.link(1 - side), now=timezone.now())
    return Match.objects.get(pk=running.fixture.match.pk)
