"""The analysis in the API and as a file: the same figures as on the pages, for the same readers."""

import csv
from collections import Counter
from math import isclose

import pytest
from django.test import Client
from django.urls import reverse

from matches.models import Analysis, Match, Submission
from players.models import Player, User
from players.privacy.sections import Person, sections
from tests.matches.analysis.rows import analysis_of
from tests.matches.cast import NOW

pytestmark = pytest.mark.django_db
Audience = Player.AnalysisVisibility


def copied(player: Player) -> Counter[tuple[str, str]]:
    """How many judged decisions a copy of the player's data has, by origin and program."""
    section = next(row for row in sections() if row.name == "analysed-decisions")
    return Counter((row["origin"], row["program"]) for row in section.rows(Person.of(player)))


def test_the_api_has_totals_and_decisions_of_the_sides_that_are_shown(
    client: Client, analysis: Analysis, match: Match, record: Submission, bob: User
) -> None:
    Player.objects.filter(pk=match.player_1_id).update(analysis_visibility=Audience.PRIVATE)
    right = analysis.decisions.filter(side=0, error=0)[2]
    right.candidates[1]["equity"] = right.candidates[0]["equity"] - 0.08
    right.save()
    client.force_login(bob)
    of_match = client.get(reverse("api-match-analysis", args=[match.public_id])).json()
    assert client.get(reverse("api-record-analysis", args=[record.public_id])).json() == of_match
    own = list(analysis.decisions.filter(side=0))
    (left,) = of_match["sides"]
    assert left["side"] == 0
    assert isclose(left["pr"], 500 * sum(row.error for row in own) / len(own))
    assert left["by_phase"]["contact"]["decisions"] + left["by_phase"]["opening"]["decisions"] == len(own)
    assert [row["event"] for row in of_match["decisions"] if row["game"] == 1] == [
        row.event for row in own if row.game == 1
    ]
    assert {row["side"] for row in of_match["decisions"]} == {0}
    assert (of_match["backend"], of_match["depth"]) == ("gnubg", "2-ply")
    player = client.get(reverse("api-player-analysis", args=[match.player_0.public_id])).json()
    assert isclose(player["pr"], left["pr"])
    assert [row["match"] for row in player["matches"]] == [match.public_id]
    (length,) = player["by_length"]
    assert (length["length"], length["matches"], length["decisions"], length["pr"]) == (3, 1, len(own), player["pr"])
    assert {phase: total["decisions"] for phase, total in player["by_phase"].items()} == Counter(
        row.phase for row in own
    )
    worst = [(row["match"], row["difference"]) for row in player["worst"]]
    assert worst == [(match.public_id, error) for error in sorted((row.error for row in own), reverse=True)[:3]]
    (best,) = player["best"]
    assert (best["game"], best["event"], best["played"]) == (right.game, right.event, right.best)
    assert isclose(best["difference"], 0.08)


def test_the_senders_analysis_is_only_given_to_whoever_names_it(
    client: Client, analysis: Analysis, match: Match, record: Submission, bob: User
) -> None:
    """Also in Bob's copy of his data: his own decisions by both programs, each with its name."""
    theirs = analysis_of(record, match=match, now=NOW)
    Analysis.objects.filter(pk=theirs.pk).update(origin=Analysis.Origin.SENDER, backend="xg")
    Player.objects.filter(pk=match.player_1_id).update(analysis_visibility=Audience.PRIVATE)
    client.force_login(bob)
    urls = [
        reverse("api-match-analysis", args=[match.public_id]),
        reverse("api-record-analysis", args=[record.public_id]),
    ]
    for url in urls:
        computed = client.get(url).json()
        assert (computed["origin"], computed["backend"]) == ("computed", "gnubg")
        assert client.get(url, {"origin": "computed"}).json() == computed
        sent = client.get(url, {"origin": "sender"}).json()
        assert (sent["origin"], sent["backend"], [side["side"] for side in sent["sides"]]) == ("sender", "xg", [0])
        assert client.get(url, {"origin": "nobody"}).status_code == 422
    number = analysis.decisions.filter(side=0).count()
    assert copied(match.player_0) == {("computed", "gnubg"): number, ("sender", "xg"): number}
    Match.objects.filter(pk=match.pk).update(state=Match.State.OPEN)
    assert copied(match.player_0) == {}, "as on the pages"
    assert [client.get(url, {"origin": "sender"}).status_code for url in urls] == [404, 404]


def test_the_api_says_not_found_of_what_may_not_be_seen(
    client: Client, analysis: Analysis, match: Match, record: Submission
) -> None:
    player, of_match, of_record = (
        reverse("api-player-analysis", args=[match.player_0.public_id]),
        reverse("api-match-analysis", args=[match.public_id]),
        reverse("api-record-analysis", args=[record.public_id]),
    )
    assert client.get(player).status_code == 404
    hidden = client.get(of_match).json()
    assert (hidden["sides"], hidden["decisions"]) == ([], [])
    Match.objects.filter(pk=match.pk).update(state=Match.State.DISPUTED)
    assert [client.get(url).status_code for url in (of_match, of_record)] == [404, 404]


def test_the_file_has_the_decisions_of_the_shown_sides_by_name(
    client: Client, analysis: Analysis, match: Match
) -> None:
    url = reverse("match-analysis-file", args=[match.public_id])
    Player.objects.filter(pk=match.player_0_id).update(analysis_visibility=Audience.PUBLIC)
    rows = list(csv.DictReader(client.get(url).content.decode().splitlines()))
    assert len(rows) == analysis.decisions.filter(side=0).count()
    assert {row["player"] for row in rows} == {"Bob"}
    Player.objects.update(analysis_visibility=Audience.PRIVATE)
    assert list(csv.DictReader(client.get(url).content.decode().splitlines())) == []
