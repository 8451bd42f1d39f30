"""The summary of an event, and the API of the cash desk."""

import csv
import random
from collections.abc import Callable
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from clubhouse.summary import event_night
from engine import replay
from engine.simulation import play_out
from matches.lifecycle.finish import ResultInput
from matches.models import Analysis, Match
from matches.ratings.services import default_pool, replay_pool
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import NOW, RunningEvent
from tests.matches.analysis.rows import store_game
from tests.pages import html
from tests.prizes.conftest import Prizes
from tests.tournaments.support.played_stages import STAGES, drawn_as, play
from tournaments.models import Division, Payment
from tournaments.results import services as results

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def test_the_summary_has_winners_prizes_upsets_and_ratings(
    prizes: Prizes, as_user: Callable[[User | None], Client]
) -> None:
    event = prizes.division.tournament
    replay_pool(pool_id=default_pool().pk, now=NOW)
    champion = prizes.holder(1).player
    visitor = as_user(None)
    page = html(visitor.get(f"/events/{event.club.slug}/{event.slug}/report/"))
    assert f'Champion: <b class="name win">{champion.name}</b>' in page
    assert "71.00" in page
    assert "Rating changes" in page
    body = visitor.get(f"/api/v1/tournaments/{event.public_id}/report/").json()
    assert body["figures"] == {"players": 4, "entries": 4, "matches": 3, "played": 3, "walkovers": 0, "points": 12}
    (division,) = body["divisions"]
    assert division["champion"] == champion.name
    assert [place["place"] for place in division["brackets"][0]["places"]] == ["1", "2", "3–4"]
    assert [prize["due"] for prize in division["prizes"]] == [7100, 2500, 0, 0]
    assert len(body["ratings"]) == 4
    assert body["ratings"][0]["after"] > body["ratings"][0]["before"]
    assert all(upset["winner_rating"] < upset["loser_rating"] for upset in body["upsets"])
    prizes.division.prize_plans.update(published=False)
    hidden = visitor.get(f"/api/v1/tournaments/{event.public_id}/report/").json()
    assert hidden["divisions"][0]["prizes"] == []


def test_the_summary_of_a_running_event_leaves_out_brackets_without_a_place(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
    as_user: Callable[[User | None], Client],
) -> None:
    division = drawn_as(make_division(match_length=5), STAGES["knockout"], make_players(16), by_alice)
    play(division, by_alice, random.Random(7), most=1)
    event, visitor = division.tournament, as_user(None)
    (reported,) = visitor.get(f"/api/v1/tournaments/{event.public_id}/report/").json()["divisions"]
    assert [bracket["places"] for bracket in reported["brackets"]] == [[]]
    page = html(visitor.get(f"/events/{event.club.slug}/{event.slug}/report/"))
    assert "No place is certain yet." in page


def test_how_well_an_event_and_an_evening_were_played_by_api_and_as_a_file(
    running: RunningEvent, by_alice: Actor, as_user: Callable[[User | None], Client]
) -> None:
    results.enter_result(fixture=running.fixture, result=ResultInput(0, (7, 5)), by=by_alice, now=NOW)
    match, event, visitor = running.fixture.match, running.tournament, as_user(None)
    assert match is not None
    analysis = Analysis.objects.create(match=match, club=event.club, state=Analysis.State.DONE)
    transcript = play_out(2, 3)
    frames = replay(replace(transcript, games=transcript.games[:1]))
    store_game(analysis, 1, frames, 7, {"start": [0, 0], "crawford": False})
    analysis.decisions.filter(pk__in=[row.pk for row in analysis.decisions.all()[2:4]]).update(luck_winning=-0.2)
    shared, private = match.players
    Player.objects.filter(pk=shared.pk).update(analysis_visibility=Player.AnalysisVisibility.PUBLIC)
    Player.objects.filter(pk=private.pk).update(analysis_visibility=Player.AnalysisVisibility.PRIVATE)
    of_event = f"/api/v1/tournaments/{event.public_id}/analysis/"
    of_club = f"/api/v1/clubs/{event.club.slug}/analysis/"

    report, page = visitor.get(of_event).json(), event_night(AnonymousUser(), event)
    own = list(analysis.decisions.filter(side=0))
    (row,) = report["players"]
    assert [row["player"]] == [shown.public_id for shown in page.rows] == [shared.public_id]
    assert row["pr"] == pytest.approx(500 * sum(decision.error for decision in own) / len(own))
    assert (row["decisions"], row["luck_winning"]) == (len(own), page.rows[0].luck_winning)
    assert page.swing is not None
    assert report["swing"]["player"] == page.swing.public_id == shared.public_id
    assert (report["swing"]["match"], report["swing"]["luck_winning"]) == (match.public_id, -0.2)

    file = f"/events/{event.club.slug}/{event.slug}/analysis.csv"
    assert f'href="{file}"' in html(visitor.get(f"/events/{event.club.slug}/{event.slug}/report/"))
    download = visitor.get(file)
    assert f"play-quality-{event.club.slug}-{event.slug}.csv" in download["Content-Disposition"]
    (line,) = csv.DictReader(download.content.decode().splitlines())
    assert (line["public_id"], line["matches"]) == (shared.public_id, "1")
    for figure in ("decisions", "pr", "sampling_error", "luck_winning"):
        assert float(line[figure]) == pytest.approx(row[figure], abs=0.001)

    day = NOW.astimezone(ZoneInfo(event.club.time_zone)).date().isoformat()
    expected = {"day": day, "earlier": None, "night": report}
    assert visitor.get(of_club).json() == visitor.get(of_club, {"day": day}).json() == expected
    assert visitor.get(of_club, {"day": "2020-01-01"}).json()["night"]["players"] == []
    for end_of_time in ("0001-01-01", "9999-12-31"):
        assert visitor.get(of_club, {"day": end_of_time}).status_code == 422
        assert visitor.get(f"/clubs/{event.club.slug}/analysis/", {"day": end_of_time}).status_code == 200

    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.PRIVATE)
    nothing = {"matches": 0, "pending": 0, "players": [], "luckiest": [], "swing": None}
    assert visitor.get(of_event).json() == nothing
    assert list(csv.DictReader(visitor.get(file).content.decode().splitlines())) == []
    assert visitor.get(of_club).json() == {"day": None, "earlier": None, "night": None}

    Match.objects.filter(pk=match.pk).update(visibility=Match.Visibility.PUBLIC)
    Analysis.objects.update(state=Analysis.State.QUEUED)
    waiting = html(visitor.get(f"/events/{event.club.slug}/{event.slug}/report/"))
    assert "1 match is still to be analysed." in waiting
    assert file not in waiting


def test_the_cash_desk_by_api(prizes: Prizes, alice_client: Client) -> None:
    event = prizes.division.tournament
    url = f"/api/v1/tournaments/{event.public_id}/cash/"
    first = prizes.holder(1)

    def send(path: str, **body: object) -> tuple[int, object]:
        response = alice_client.post(f"{url}{path}", body, content_type="application/json")
        return response.status_code, response.json()

    body = alice_client.get(url).json()
    assert (body["currency"], body["expected"], body["closed"]) == ("EUR", 12000, False)
    assert [account["owes"] for account in body["accounts"]] == [0] * 4
    payout = {"act": "payout", "entry": first.public_id, "bracket": "main", "amount": 7100}
    status, rows = send("payments/", **payout)
    assert (status, rows[0]["amount"]) == (201, -7100)  # type: ignore[index]
    status, problem = send("payments/", **payout)
    assert (status, problem["code"]) == (409, "nothing_due")  # type: ignore[index]
    for wrong in ({"act": "payout", "entry": first.public_id, "amount": 1}, {"act": "receive", "amount": 1}):
        assert send("payments/", **wrong)[0] == 422
    paid = Payment.objects.get(kind="payout")
    assert send(f"payments/{paid.public_id}/take-back/")[0] == 201
    status, problem = send("close/", counted=12000, expected=4900)
    assert (status, problem["code"]) == (409, "box_changed")  # type: ignore[index]
    status, closed = send("close/", counted=12000, expected=12000)
    assert (status, closed["closed"], closed["counted"]) == (200, True, 12000)  # type: ignore[index]
    assert send("payments/", act="float", amount=100)[0] == 409
    assert send("reopen/")[0] == 200
    assert send("payments/", act="float", amount=100)[0] == 201
    public = alice_client.get(f"/api/v1/tournaments/{event.public_id}/prizes/").json()
    assert [prize["due"] for prize in public[0]["prizes"]] == [7100, 2500, 0, 0]
