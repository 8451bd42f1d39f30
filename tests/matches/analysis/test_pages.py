"""The analysis on the pages of a match and of a record."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.http import Http404
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from core.live.publishing import authorise
from matches.models import Analysis, Match, Submission
from players.models import Player, User
from tests.matches.analysis.rows import BLUNDER, analysis_of
from tests.matches.cast import NOW
from tests.pages import html

pytestmark = pytest.mark.django_db
Audience = Player.AnalysisVisibility


def choose(audience: str) -> None:
    Player.objects.update(analysis_visibility=audience)


def part(client: Client, url: str) -> str:
    """The part that the page of a match loads."""
    response = client.get(url, headers={"HX-Request": "true"})
    assert response.status_code == 200
    return html(response)


def state_of(content: str) -> str:
    match = re.search(r'data-state="(\w+)"', content)
    assert match is not None
    return match[1]


@pytest.fixture
def url(match: Match) -> str:
    return reverse("match-analysis", args=[match.public_id])


def test_the_page_of_a_match_shows_how_both_sides_played(
    client: Client, analysis: Analysis, match: Match, url: str
) -> None:
    choose(Audience.PUBLIC)
    assert f'hx-get="{url}"' in html(client.get(reverse("match", args=[match.public_id])))
    content = part(client, url)
    assert state_of(content) == "done"
    decisions = analysis.decisions.filter(side=0)
    pr = 500 * sum(decision.error for decision in decisions) / len(decisions)
    assert f'<strong class="pr">{pr:.1f}</strong>' in content
    assert re.search(r"± \d+\.\d", content)
    assert f"<td>{len(decisions)}</td>" in content
    assert "gnubg 2-ply" in content
    luck = 100 * 0.002 * len(decisions)
    assert f"+{luck:.1f} %" in content
    assert content.count('<svg class="graph ') == 2
    assert "Biggest errors" in content


def test_a_match_without_a_decision_says_so_instead_of_listing_zeros(
    client: Client, analysis: Analysis, url: str
) -> None:
    choose(Audience.PUBLIC)
    assert "Equity lost by kind" in part(client, url)
    analysis.decisions.update(counted=False)
    content = part(client, url)
    assert "Equity lost by kind" not in content
    assert "Nothing to rate" in content


def test_a_game_that_could_not_be_analysed_is_named_and_luck_is_left_to_whole_matches(
    client: Client, analysis: Analysis, url: str
) -> None:
    choose(Audience.PUBLIC)
    without_luck = r"Without luck</th>\s*<td>\s*\d"
    assert re.search(without_luck, part(client, url))
    Analysis.objects.update(settings={"plays": "2-ply", "games_left_out": [1]})
    content = part(client, url)
    assert "Game 1 was not analysed: a play in it is not legal, or the program could not judge it." in content
    assert not re.search(without_luck, content)


def test_points_of_the_graph_lead_to_their_step_in_the_replay(
    client: Client, analysis: Analysis, record: Submission, url: str
) -> None:
    choose(Audience.PUBLIC)
    blunder = analysis.decisions.filter(error__gt=0.1).order_by("game", "event")[0]
    replay = reverse("replay", args=[record.public_id])
    link = f"{replay}?g={blunder.game}&amp;e={blunder.event}"
    assert f'class="graph-blunder" href="{link}"' in part(client, url)
    step = client.get(link.replace("&amp;", "&"))
    assert re.fullmatch(rf"{re.escape(replay)}\?g={blunder.game}&p=\d+", step["Location"])
    now = html(client.get(step["Location"]))
    assert f"{blunder.played}</strong>" in now
    assert blunder.xgid in now
    assert client.get(f"{replay}?g=99&e=1")["Location"] == f"{replay}?g=1&p=1"


def test_a_side_that_is_not_shown_leaves_no_trace(client: Client, analysis: Analysis, match: Match, url: str) -> None:
    choose(Audience.PUBLIC)
    Player.objects.filter(pk=match.player_1_id).update(analysis_visibility=Audience.PRIVATE)
    content = part(client, url)
    assert state_of(content) == "done"
    assert "not shown" in content
    assert "blunder by Bob" in content
    assert "blunder by Carol" not in content
    carols = analysis.decisions.filter(side=1)
    assert carols
    for decision in carols:
        assert f"g={decision.game}&amp;e={decision.event}&" not in content
        assert f'g={decision.game}&amp;e={decision.event}"' not in content
    choose(Audience.PRIVATE)
    assert state_of(part(client, url)) == "hidden"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (Analysis.State.QUEUED, "Waiting to be analysed, about 1 minute."),
        (Analysis.State.WORKING, "Analysing, about 1 minute."),
        (Analysis.State.FAILED, "This match could not be analysed."),
    ],
)
def test_an_analysis_that_is_not_done_says_so(
    client: Client, record: Submission, match: Match, url: str, state: str, words: str
) -> None:
    Analysis.objects.all().delete()
    Analysis.objects.create(submission=record, match=match, state=state, created_at=NOW)
    for page in (url, reverse("record-analysis", args=[record.public_id])):
        content = part(client, page)
        assert state_of(content) == state
        assert words in content
        assert ("data-topics=" in content) == (state != Analysis.State.FAILED)


def test_the_wait_is_longer_where_analyses_get_less_of_the_processor(
    client: Client, record: Submission, match: Match, url: str, settings: Any
) -> None:
    """20 seconds of CPU time, of which a tenth is given to each second."""
    Analysis.objects.all().delete()
    Analysis.objects.create(submission=record, match=match, created_at=NOW)
    settings.ANALYSIS_CPU_SHARE = 0.1
    assert "Waiting to be analysed, about 4 minutes." in part(client, url)


def test_an_analysis_that_runs_for_longer_than_was_said_says_why(
    client: Client, record: Submission, match: Match, url: str
) -> None:
    Analysis.objects.all().delete()
    row = Analysis.objects.create(submission=record, match=match, state=Analysis.State.WORKING, created_at=NOW)
    for seconds, words in ((30, "Analysing, about 1 minute."), (90, "longer than usual: the server is busy.")):
        Analysis.objects.filter(pk=row.pk).update(claimed_at=timezone.now() - timedelta(seconds=seconds))
        assert words in part(client, url)
    Analysis.objects.filter(pk=row.pk).update(state=Analysis.State.QUEUED)
    assert "Waiting to be analysed, about 1 minute." in part(client, url), "it was given back to the line"


def test_a_site_without_a_program_tells_directors_how_to_switch_analyses_on(
    client: Client, record: Submission, match: Match, url: str, settings: Any, tmp_path: Path, frank: User
) -> None:
    Analysis.objects.all().delete()
    program = tmp_path / "gnubg"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", str(program)
    assert state_of(part(client, url)) == "none"
    settings.ANALYSIS_GNUBG = str(tmp_path / "absent")
    assert state_of(part(client, url)) == "none", "nothing that others have to read on the page of a match"
    own_page = html(client.get(url))
    assert "Matches are not analysed at present." in own_page
    assert "install GNU Backgammon" not in own_page
    client.force_login(frank)
    assert state_of(part(client, url)) == "off"
    assert "install GNU Backgammon" in html(client.get(url))
    row = Analysis.objects.create(submission=record, match=match)
    assert state_of(part(client, url)) == "off", "also while it waits for a worker to find out"
    row.state, row.failure = Analysis.State.FAILED, "no_analysis_backend"
    row.save()
    assert state_of(part(client, url)) == "off"
    settings.ANALYSIS_GNUBG = str(program)
    assert state_of(part(client, url)) == "broken", "a worker tried it"
    settings.ANALYSIS_GNUBG = str(tmp_path / "absent")
    Match.objects.filter(pk=match.pk).update(state=Match.State.DISPUTED)
    assert state_of(part(client, url)) == "none"


def test_only_whoever_may_see_the_match_may_see_its_analysis(
    client: Client, analysis: Analysis, match: Match, dave: User, url: str
) -> None:
    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.PRIVATE)
    client.force_login(dave)
    assert client.get(url).status_code == 404
    request = RequestFactory().get("/live/")
    request.user = dave
    with pytest.raises(Http404):
        authorise(request, f"analysis:{match.public_id}")
    request.user = match.player_0.user
    assert authorise(request, f"analysis:{match.public_id}") == 0


def test_the_analysis_in_a_record_is_shown_as_its_senders_and_never_mixed_with_ours(
    client: Client, analysis: Analysis, record: Submission, match: Match, url: str
) -> None:
    choose(Audience.PUBLIC)
    ours = part(client, url)
    assert "The sender’s analysis" not in ours
    theirs = analysis_of(record, match=match, now=NOW)
    Analysis.objects.filter(pk=theirs.pk).update(origin=Analysis.Origin.SENDER, backend="xg", settings={})
    theirs.decisions.update(error=0.5)
    both = part(client, url)
    head, card = both.split("data-senders")
    assert '<strong class="pr">' in head
    assert "250.0" not in head
    assert card.count("250.0") == 2
    assert "eXtreme Gammon, as it was stored in the record" in card
    Player.objects.filter(pk=match.player_0_id).update(analysis_visibility=Audience.PRIVATE)
    card = part(client, url).split("data-senders")[1]
    assert card.count("250.0") == 1
    Analysis.objects.filter(pk=analysis.pk).delete()
    assert "250.0" in part(client, reverse("record-analysis", args=[record.public_id]))


def test_visitors_see_an_example_of_those_who_show_how_they_play_and_without_a_program_no_promise(
    client: Client, analysis: Analysis, match: Match, url: str, settings: Any
) -> None:
    promise, link = "see what you missed", f'href="{url}"'
    home = html(client.get("/"))
    assert promise in home
    assert link not in home, "they show it to their clubs"
    choose(Audience.PUBLIC)
    home = html(client.get("/"))
    piece = home[home.index("piece-plays") : home.index(link)]
    assert f'href="{reverse("club-puzzle", args=[match.club.slug])}"' in home
    shown = analysis.decisions.filter(error=BLUNDER).order_by("pk")
    assert re.findall(r"<span>([^<]+)</span>", piece) == [shown[0].best, *(row.played for row in shown[:2])]
    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.CLUB)
    assert link not in html(client.get("/"))
    settings.ANALYSIS_BACKEND = "off"
    assert promise in html(client.get("/")), "a worker elsewhere has analysed a match"
    Analysis.objects.all().delete()
    assert promise not in html(client.get("/"))
