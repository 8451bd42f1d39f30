"""The number of matches, players and entries of a division, from the draft to the last match."""

from collections.abc import Callable

import pytest

from demo.club import FINISHED, play_share
from formats.settings import (
    BY_ROUND,
    DOUBLE,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    PROGRESSIVE,
    ROUND_ROBIN,
    SWISS,
    StageSettings,
)
from players.actors import SYSTEM
from players.models import Player
from tests.event_cast import NOW
from tournaments.draws import services as draws
from tournaments.draws.lists import counts
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Slot
from tournaments.state.figures import Counted, Figures, MatchFigures, counted, figures_of
from tournaments.state.stages import set_stages

pytestmark = pytest.mark.django_db

PLAYERS = 7
STAGES = {
    KNOCKOUT: ((StageSettings(KNOCKOUT),), 6),
    PROGRESSIVE: ((StageSettings(PROGRESSIVE, last_chance=""),), 12),
    # The second final is needed only if the upper winner loses the first; here it is not.
    DOUBLE: ((StageSettings(DOUBLE, second_final=True),), 12),
    SWISS: ((StageSettings(SWISS, rounds=4),), 4 * 3),
    LIVES: ((StageSettings(LIVES),), None),
    ROUND_ROBIN: ((StageSettings(ROUND_ROBIN),), 7 * 6 // 2),
    LEAGUE: ((StageSettings(LEAGUE),), 7 * 6 // 2),
    GROUPS: ((StageSettings(GROUPS, groups=2, qualifiers=2), StageSettings(KNOCKOUT)), 6 + 3 + 3),
}


def now(division: Division) -> Figures:
    fresh = Division.objects.get(pk=division.pk)
    return figures_of([fresh])[fresh.pk]


@pytest.fixture
def entered(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]]
) -> Callable[[str], tuple[Division, list[Player]]]:
    """Enter seven players into a division of a published event with these stages."""

    def enter(format_: str) -> tuple[Division, list[Player]]:
        division, players = make_division(match_length=5), make_players(PLAYERS)
        entries.enter(division=division, players=players, by=SYSTEM, now=NOW)
        division.refresh_from_db()
        set_stages(division=division, stages=STAGES[format_][0], after=division.seq, by=SYSTEM, now=NOW)
        events.publish_tournament(tournament=division.tournament, by=SYSTEM, now=NOW)
        return Division.objects.get(pk=division.pk), players

    return enter


@pytest.mark.parametrize("format_", STAGES)
def test_the_number_of_matches_is_the_same_from_the_draft_to_the_end(
    format_: str, entered: Callable[[str], tuple[Division, list[Player]]]
) -> None:
    division, players = entered(format_)
    total = STAGES[format_][1]
    requested = draws.request_draw(division=division, by=SYSTEM, now=NOW)
    draft = draws.make_draft(draw_id=requested.pk, now=NOW)
    assert draft is not None
    in_draft = counts(division, draft).matches
    assert in_draft == (3 if format_ in BY_ROUND else total), "a draft of one round counts that round"
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=NOW)
    assert now(division).matches == MatchFigures(total)
    for share in (0.3, 0.5):
        play_share(division, share, players, (SYSTEM, SYSTEM), NOW)
        assert now(division).matches.total == total
    while Division.objects.get(pk=division.pk).status == Division.Status.RUNNING:
        play_share(division, FINISHED, players, (SYSTEM, SYSTEM), NOW)
    over = now(division).matches
    assert over.played == over.total == (total or over.played) > PLAYERS - 2
    assert over.is_over


def test_who_withdraws_after_the_draw_has_still_taken_part(
    entered: Callable[[str], tuple[Division, list[Player]]],
) -> None:
    division, _players = entered(KNOCKOUT)
    before = division.entries.earliest("pk")
    entries.withdraw(entry=before, by=SYSTEM, now=NOW)
    assert (now(division).entries, now(division).players) == (6, 6)
    draft = draws.request_draw(division=division, by=SYSTEM, now=NOW)
    draws.make_draft(draw_id=draft.pk, now=NOW)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=NOW)
    after = Slot.objects.filter(fixture__status="ready")[0].entry
    assert after is not None
    entries.withdraw(entry=after, by=SYSTEM, now=NOW)
    figures = now(division)
    assert (figures.entries, figures.players, figures.entered, figures.waiting) == (6, 6, 5, 0)
    assert figures.matches == MatchFigures(total=5, played=0, walkovers=1)


@pytest.mark.parametrize(
    ("fixture", "expected"),
    [
        ({"status": "bye"}, Counted.NO_MATCH),
        ({"status": "waiting"}, Counted.OPEN),
        ({"status": "waiting", "has_bye": True}, Counted.NO_MATCH),
        ({"status": "waiting", "conditional": True}, Counted.NO_MATCH),
        ({"status": "ready", "conditional": True}, Counted.OPEN),
        ({"status": "decided", "result": "played"}, Counted.PLAYED),
        ({"status": "decided", "result": "forfeit"}, Counted.WALKOVER),
        ({"status": "walkover"}, Counted.WALKOVER),
        ({"status": "empty"}, Counted.NO_MATCH),
        ({"status": "empty", "result": "double_forfeit"}, Counted.WALKOVER),
        ({"status": "not_needed"}, Counted.NO_MATCH),
    ],
)
def test_a_fixture_counts_as_a_match_unless_nobody_can_meet_in_it(
    fixture: dict[str, object], expected: Counted
) -> None:
    assert counted(**fixture) is expected  # type: ignore[arg-type]
