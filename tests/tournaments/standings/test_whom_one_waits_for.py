"""Whoever waits in a bracket reads which match comes next, in which round, and whom they wait for."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import NOW, RunningEvent, publish
from tests.tournaments.support.pages import page, text
from tournaments.entries.event_links import path_for
from tournaments.entries.services import enter
from tournaments.events.services import publish_tournament
from tournaments.models import Division, Fixture, Slot
from tournaments.results.services import enter_result
from tournaments.standings.context import next_in_bracket
from tournaments.state.names import shown_entry
from tournaments.state.stages import set_stages

pytestmark = pytest.mark.django_db
NOTHING = "No matches to play right now."


def wins(fixture: Fixture, side: int, by: Actor) -> None:
    score = (7, 3) if side == 0 else (3, 7)
    enter_result(fixture=fixture, result=ResultInput(side, score), by=by, now=NOW)


def other_match(running: RunningEvent) -> Fixture:
    return Fixture.objects.get(stage__division=running.division, number=2)


def test_the_winner_reads_it_on_each_of_their_pages_and_the_loser_nothing(
    running: RunningEvent, as_user: Callable[[User | None], Client], bob: User, carol: User, by_alice: Actor
) -> None:
    match, other = running.fixture.match, other_match(running).match
    assert match is not None
    assert other is not None
    winner, loser = [(bob, carol), (carol, bob)][match.player_1_id == running.entry.player_id]
    Player.objects.filter(pk=other.player_0_id).update(name="Zoë Ballard", initials_only=True)
    paths = {player.user_id: path_for(running.tournament, player, 0) for player in match.players}
    wins(running.fixture, 0, by_alice)
    awaited = f"Final · M3: the winner of Z. B. – {other.player_1.name}"

    for user, expected in ((winner, awaited), (loser, NOTHING)):
        for client, path in (
            (Client(), paths[user.pk]),
            (as_user(user), reverse("my-matches")),
            (as_user(user), "/"),
        ):
            shown = text(page(client, path))
            assert expected in shown, path
            assert (NOTHING in shown) == (expected == NOTHING), path
            assert "Zoë" not in shown, path


def test_once_the_opponent_is_known_there_is_a_match(running: RunningEvent, by_alice: Actor) -> None:
    entries = list(running.division.entries.values_list("pk", flat=True))
    assert next_in_bracket(entries) == {}
    wins(running.fixture, 0, by_alice)
    assert len(next_in_bracket(entries)) == 1
    wins(other_match(running), 1, by_alice)
    assert next_in_bracket(entries) == {}


@pytest.mark.parametrize("stage", [StageSettings("progressive"), StageSettings("double"), StageSettings("places")])
@pytest.mark.parametrize("players", [5, 8])
def test_everybody_whose_opponent_is_to_be_decided_is_named_the_match_it_depends_on(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
    stage: StageSettings,
    players: int,
) -> None:
    division = make_division(name="Open", match_length=7)
    set_stages(division=division, stages=[stage], after=division.seq, by=by_alice, now=NOW)
    enter(division=division, players=make_players(players), by=by_alice, now=NOW)
    publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    division = publish(Division.objects.select_related("tournament__club").get(), by_alice)
    entries = {entry.pk: shown_entry(entry, staff=False) for entry in division.entries.select_related("player")}
    rows, seen = Fixture.objects.filter(stage__division=division).order_by("number"), set[str]()
    while (fixture := rows.filter(status="ready").first()) is not None:
        wins(fixture, fixture.number % 2, by_alice)
        waiting = Slot.objects.filter(entry__in=entries, fixture__status="waiting").select_related("fixture")
        lines = next_in_bracket(entries)
        assert lines.keys() == {slot.entry_id for slot in waiting}
        for slot in waiting:
            line, source = lines[slot.entry_id or 0], slot.fixture.slots.get(side=1 - slot.side)
            assert f"M{slot.fixture.number}: " in line
            before = Fixture.objects.select_related("match").filter(number=source.source_fixture or 0).first()
            if source.source in ("winner", "loser") and before is not None:
                names = before.match.names if before.match is not None else (f"M{before.number}",)
                assert line.endswith(f"the {source.source} of {' – '.join(names)}")
                seen.add(source.source)
            else:
                assert line.endswith(": the opponent is still to be decided")
    assert seen
