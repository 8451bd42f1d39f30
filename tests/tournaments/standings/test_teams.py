"""A match between teams: a Swiss whose members of one team never meet, and the sum of its boards."""

from collections.abc import Callable
from random import Random

import pytest
from django.test import Client

from display.wall import _standings
from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import LogEntry, Player
from tests.event_cast import NOON
from tests.pages import html
from tests.tournaments.entries.listed import rows_named
from tests.tournaments.support.played_stages import play, ready
from tournaments.draws import services as draws
from tournaments.draws.kept_apart import keep_apart
from tournaments.entries import services as entries
from tournaments.entries.lists import enter_list
from tournaments.events import services as events
from tournaments.models import Division, Entry, Fixture
from tournaments.results import services as results
from tournaments.standings.standings import standings_of
from tournaments.standings.teams import TeamsView
from tournaments.state.names import names_of
from tournaments.state.stage_rows import kept_apart
from tournaments.state.stages import set_stages

pytestmark = pytest.mark.django_db

CBC = ("Ann", "Bea", "Cem")
MBK = ("Dan", "Eva", "Fay")


def by_name(division: Division) -> dict[str, Entry]:
    return {entry.player.name: entry for entry in division.entries.select_related("player", "division")}


@pytest.fixture
def match(make_division: Callable[..., Division], by_alice: Actor) -> Division:
    """Three boards, to be drawn."""
    division = make_division(name="Match", match_length=7, rated=False)
    stage = StageSettings("swiss", rounds=3)
    set_stages(division=division, stages=[stage], after=division.seq, by=by_alice, now=NOON)
    for team, names in (("CBC", CBC), ("mbk", MBK[:1]), ("MBK", MBK[1:])):
        enter_list(division=division, people=rows_named(names), choices={}, team=team, by=by_alice, now=NOON)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOON)
    division.refresh_from_db()
    return division


@pytest.fixture
def drawn(match: Division, by_alice: Actor) -> Division:
    draw = draws.request_draw(division=match, by=by_alice, now=NOON)
    draws.make_draft(draw_id=draw.pk, now=NOON)
    match.refresh_from_db()
    draws.publish_draw(division=match, after=match.seq, by=by_alice, now=NOON)
    match.refresh_from_db()
    return match


def teams(division: Division) -> TeamsView:
    (view,) = standings_of(division, names_of(division, staff=False))
    assert view.teams is not None
    return view.teams


def win(fixture: Fixture, team: tuple[str, ...], by: Actor) -> None:
    """Let the member of this team win, 9–4 in a match to 7."""
    assert fixture.match is not None
    side = 0 if fixture.match.player_0.name in team else 1
    score = (7, 4) if side == 0 else (4, 7)
    results.enter_result(fixture=fixture, result=ResultInput(side, score), by=by, now=NOON)


def test_members_of_a_team_never_meet_and_the_boards_are_summed(drawn: Division, by_alice: Actor) -> None:
    assert teams(drawn).text == "CBC 0 – 0 mbk, 3 still playing"
    first, second, _third = ready(drawn)
    win(first, CBC, by_alice)
    win(second, MBK, by_alice)
    assert (teams(drawn).text, teams(drawn).points) == ("CBC 1 – 1 mbk, 1 still playing", "11 – 11")
    play(drawn, by_alice, Random(2))
    met = [
        {entry in CBC for entry in (row.match.player_0.name, row.match.player_1.name)}
        for row in Fixture.objects.filter(stage__division=drawn, match__isnull=False).select_related("match")
        if row.match is not None
    ]
    assert len(met) >= 3
    assert all(sides == {True, False} for sides in met)
    entries.set_fields(entry=by_name(drawn)["Fay"], fields={"team": ""}, by=by_alice)
    assert Entry.objects.get(player__name="Fay").team == ""
    assert LogEntry.objects.filter(verb="team_set").count() == len(CBC) + len(MBK) + 1


def test_who_is_in_a_team_is_known_with_the_pairs_a_director_keeps_apart(match: Division, by_alice: Actor) -> None:
    rows = by_name(match)
    assert match.keeps_apart
    assert len(kept_apart(match)) == 3 + 3
    keep_apart(first=rows["Ann"], second=rows["Dan"], by=by_alice, now=NOON)
    assert len(kept_apart(match)) == 3 + 3 + 1
    for name in MBK:
        entries.set_fields(entry=rows[name], fields={"team": "CBC"}, by=by_alice)
    assert kept_apart(match) == {frozenset((rows["Ann"].pk, rows["Dan"].pk))}, "one name makes no match between teams"


def test_events_without_teams_have_none(make_division: Callable[..., Division], by_alice: Actor) -> None:
    division = make_division()
    enter_list(division=division, people=rows_named(CBC), choices={}, by=by_alice, now=NOON)
    assert not division.keeps_apart
    assert kept_apart(division) == frozenset()


def test_the_score_is_on_the_page_the_wall_and_in_the_api(
    drawn: Division, by_alice: Actor, alice_client: Client
) -> None:
    win(ready(drawn)[0], CBC, by_alice)
    event = drawn.tournament
    page = html(alice_client.get(f"/events/{event.club.slug}/{event.slug}/{drawn.public_id}/standings/"))
    assert "<b>CBC 1 – 0 mbk, 2 still playing</b>" in page
    assert "(7 – 4 points)" in page
    assert "CBC 1 – 0 mbk, 2 still playing" in next(_standings([drawn])).title
    (stage,) = alice_client.get(f"/api/v1/divisions/{drawn.public_id}/standings/").json()["stages"]
    assert (stage["teams"], stage["open_boards"]) == (
        [{"team": "CBC", "boards": 1, "points": 7}, {"team": "mbk", "boards": 0, "points": 4}], 2,
    )  # fmt: skip


def test_a_list_is_pasted_with_its_team_and_one_entry_changed(match: Division, alice_client: Client) -> None:
    event = match.tournament
    url = f"/events/{event.club.slug}/{event.slug}/{match.public_id}/entries/"
    preview = html(alice_client.post(f"{url}paste/", {"names": "Gus\nHal", "team": "CBC"}))
    assert '<input type="hidden" name="team" value="CBC">' in preview
    alice_client.post(f"{url}enter/", {"names": "Gus\nHal", "team": "CBC"})
    rows = by_name(match)
    assert (rows["Gus"].team, rows["Hal"].team) == ("CBC", "CBC")
    entry = rows["Hal"].public_id
    desk = html(alice_client.get(f"/events/{event.club.slug}/{event.slug}/check-in/?more={entry}"))
    assert f"/entries/{entry}/team/" in desk
    alice_client.post(f"/events/{event.club.slug}/{event.slug}/entries/{entry}/team/", {"team": "MBK"})
    answer = alice_client.post(f"/api/v1/entries/{entry}/team/", {"team": "x" * 41}, content_type="application/json")
    assert answer.status_code == 422
    answer = alice_client.post(f"/api/v1/entries/{entry}/team/", {"team": ""}, content_type="application/json")
    assert answer.json()["team"] == ""
    listed = {"names": ["Ida"], "team": "MBK"}
    path = f"/api/v1/divisions/{match.public_id}/entries/paste/"
    assert alice_client.post(path, listed, content_type="application/json").json()["entries"][0]["team"] == "MBK"
    assert Player.objects.filter(name="Ida").exists()
