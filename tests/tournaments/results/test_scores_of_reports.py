"""A report reads the same wherever it is shown: the winner’s points first, whichever side won."""

from collections.abc import Callable, Mapping

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from matches.lifecycle.finish import ResultInput
from matches.lifecycle.links import token_for
from matches.models import Claim
from matches.reporting import reports
from players.actors import Actor
from players.models import LogEntry, User
from players.notifications.emails import send_emails
from tests.event_cast import NOW, RunningEvent
from tests.tournaments.support.pages import page, text
from tournaments.entries.event_links import path_for
from tournaments.models import Floor
from tournaments.results.corrections import result_text
from tournaments.state.log import entries_of, line_text

pytestmark = pytest.mark.django_db

LOST = reports.ScoreReport(1, (3, 7))
REPORTS: Mapping[str, Callable[..., object]] = {
    "by the winner": lambda **match: reports.report_score(side=1, report=LOST, by=Actor.link(1), **match),
    "by the loser": lambda **match: reports.report_score(side=0, report=LOST, by=Actor.link(0), **match),
    "from the score sheet": lambda **match: reports.report_from_sheet(
        says_side=0, report=LOST, by=Actor(LogEntry.By.LINK), **match
    ),
    "contested": lambda **match: (
        reports.report_score(side=1, report=LOST, by=Actor.link(1), **match),
        reports.contest(side=0, by=Actor.link(0), **match),
    ),
    "against another report": lambda **match: (
        reports.report_score(side=1, report=LOST, by=Actor.link(1), **match),
        reports.report_score(side=0, report=reports.ScoreReport(0, (7, 5)), by=Actor.link(0), **match),
    ),
}


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_of_the_second_side_reads_as_its_winner_reads_it(
    running: RunningEvent, as_user: Callable[[User | None], Client], alice: User, bob: User, carol: User, report: str
) -> None:
    match = running.fixture.match
    assert match is not None
    REPORTS[report](match=match, now=NOW)
    needs = page(as_user(alice), f"{running.url}console/")
    Floor.objects.create(tournament=running.tournament, opened_at=NOW)
    for user in (bob, carol):
        send_emails(user=user.pk, now=NOW)
    own_pages = ["/", reverse("my-matches"), "/notifications/", f"/matches/{match.public_id}/"]
    staff_pages = [f"{running.url}{name}" for name in ("console/log/", "floor/", "status/")]
    shown = {
        f"{user}: {path}": text(page(as_user(user), path))
        for user, paths in {
            alice: [*own_pages, *staff_pages, running.fixture_url],
            bob: own_pages,
            carol: own_pages,
        }.items()
        for path in paths
    } | {
        f"link of {side}: {path}": text(page(as_user(None), path))
        for side, player in enumerate(match.players)
        for path in (reverse("match-link", args=[token_for(match, side)]), path_for(running.tournament, player, 0))
    }
    shown |= {"console": text(needs)} | {
        f"mail {number}": f"{sent.subject} {sent.body}" for number, sent in enumerate(mail.outbox)
    }
    shown |= {f"log {row.pk}": line_text(row) for row in entries_of(running.tournament, directs=True)}

    assert [name for name, words in shown.items() if "3–7" in words] == []
    assert f"{match.names[1]} won 7–3" in shown[f"Alice: {running.fixture_url}"]
    assert sum("7–3" in words for words in shown.values()) >= 4


def test_the_sheet_says_who_contests_a_report_instead_of_that_nobody_saw_it(
    running: RunningEvent, alice_client: Client
) -> None:
    match = running.fixture.match
    assert match is not None
    for name in ("contested", "against another report"):
        Claim.objects.all().delete()
        match.state = "open"
        match.save(update_fields=["state"])
        REPORTS[name](match=match, now=NOW)
        sheet = text(page(alice_client, running.fixture_url))
        assert "{} contests that {} won 7–3.".format(*match.names) in sheet, name
        assert "has not seen it" not in sheet, name


def test_a_match_that_was_not_played_to_its_end_names_the_winner_with_their_points_first(
    running: RunningEvent,
) -> None:
    match = running.fixture.match
    assert match is not None
    assert result_text(match, ResultInput(1, (3, 5), "concession"), ("Bob", "Carol")) == "conceded 5–3, Carol wins"
    assert result_text(match, ResultInput(1, (3, 7)), ("Bob", "Carol")) == "Bob 3–7 Carol"


@pytest.mark.parametrize("report", ["by the winner", "by the loser"])
def test_who_answers_a_report_sees_its_winner_marked(running: RunningEvent, client: Client, report: str) -> None:
    match = running.fixture.match
    assert match is not None
    REPORTS[report](match=match, now=NOW)
    answering = 0 if report == "by the winner" else 1
    html = page(client, reverse("match-link", args=[token_for(match, answering)]))
    assert f'<div class="is-winner"><dt class="name">{match.names[1]}</dt><dd>7</dd>' in html
