"""The demo comes with finished analyses, which everybody may see."""

import re

import pytest
from django.db.models import Avg
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from demo.club import ACCOUNTS, SLUG, load
from matches.analysis.line import waiting_in_line
from matches.models import Analysis
from players.models import Player, User
from tests.pages import html

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_nothing_of_the_demo_waits_and_its_players_have_profiles() -> None:
    load(password="anchor-bar-blot-1234", now=timezone.now(), with_year=True)
    assert waiting_in_line(timezone.now()) == []
    rows = list(Analysis.objects.all())
    assert len(rows) > 37
    assert {(row.state, row.backend) for row in rows} == {("done", "gnubg")}
    for row in rows:
        mean = row.decisions.filter(counted=True).aggregate(mean=Avg("error"))["mean"]
        assert 0 < mean < 1, "simulated players err, but no figure is of another decision"
    for name in ACCOUNTS.values():
        player = Player.objects.get(name=name)
        assert re.search(r"PR \d", html(Client().get(reverse("player-analysis", args=[player.public_id])))), name
    _have_decisions_of_the_last_evening()
    classes = html(Client().get(reverse("club-classes", args=[SLUG])))
    assert all(name in classes for name in ACCOUNTS.values())


def _have_decisions_of_the_last_evening() -> None:
    """Everybody with an account has a letter about it, with decisions that are explained and can be repeated."""
    pages, sentences = Client(), list[str]()
    for name in ACCOUNTS.values():
        user = User.objects.get(display_name=name)
        pages.force_login(user)
        home = html(pages.get("/"))
        letter = re.search(r"/my/letters/\w+/", home)
        assert letter is not None, name
        matches = set(re.findall(r"/matches/\w+/decisions/", html(pages.get(letter[0]))))
        assert matches, name
        for match in matches:
            sentences += re.findall(r"</dl>\s*<p>([^<]+)</p>", html(pages.get(match)))
        pages.post(reverse("deck-collect"), {"collects": "1"})
        assert "data-question" in html(pages.get(reverse("deck"))), name
    assert len(sentences) > len(ACCOUNTS), "errors are explained"
    assert re.search(r'href="/matches/\w+/analysis/"', html(Client().get("/"))), "an example for visitors"
