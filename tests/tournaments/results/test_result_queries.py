"""Entering a result takes a fixed number of queries, however large the division is.

Beginning and ending a transaction is not counted, nor is what is published after the commit.
"""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from engine.actions import Act
from engine.clock import MINUTE, SECOND, ClockSettings
from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Claim, LiveMatch, Match
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind
from matches.play.starting import PlaySettings, commit_chain, start
from matches.reporting import reports
from players.actors import SYSTEM, Actor
from players.models import Notification, Player, User
from tests.event_cast import NOW
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tests.tournaments.support.played_stages import STAGES
from tournaments.floor import lines
from tournaments.match_events import settle_after_result
from tournaments.models import Division, Fixture
from tournaments.results import services as results

pytestmark = pytest.mark.django_db

FORMATS = {**STAGES, "groups": [StageSettings("groups", groups=8, qualifiers=2), StageSettings("knockout")]}
Way = Callable[[Fixture, Actor], list[list[str]]]
"""Enters a result in one way and returns the queries of each transaction."""


def queries_of(service: Callable[..., object], **arguments: object) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        service(**arguments)
    return [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]


def director(fixture: Fixture, by: Actor) -> list[list[str]]:
    return [queries_of(results.enter_result, fixture=fixture, result=ResultInput(0, (7, 3)), by=by, now=NOW)]


def quick_line(fixture: Fixture, by: Actor) -> list[list[str]]:
    division, text = fixture.stage.division, f"M{fixture.number} 7-3"
    event = division.tournament
    return [queries_of(lines.enter_lines, tournament=event, text=text, division=division, by=by, now=NOW)]


def confirmed_by_director(fixture: Fixture, by: Actor) -> list[list[str]]:
    report_by_side_0(fixture)
    seen, event = Claim.objects.values_list("public_id", flat=True), fixture.stage.division.tournament
    return [queries_of(results.confirm_all, tournament=event, reports=set(seen), by=by, now=timezone.now())]


def confirmed_by_player(fixture: Fixture, by: Actor) -> list[list[str]]:
    match = report_by_side_0(fixture)
    return [queries_of(reports.confirm, match=match, side=1, by=Actor.link(1), now=timezone.now()), settling(match)]


def finished_here(fixture: Fixture, by: Actor) -> list[list[str]]:
    match = fixture.match
    assert match is not None
    settings = PlaySettings(ClockSettings(12 * SECOND, 2 * MINUTE), server_chains=True)
    start(match=match, settings=settings, by=SYSTEM, now=NOW)
    for side in (0, 1):
        commit_chain(match=match, side=side, anchor="", by=SYSTEM, now=NOW)
        acted = act(match=match, side=side, request=ActionInput(EventKind.READY, side), by=SYSTEM, now=NOW)
    request = ActionInput(Act.CONCEDE, LiveMatch.objects.get().last)
    return [
        queries_of(act, match=match, side=acted.state.match.turn, request=request, by=SYSTEM, now=NOW),
        settling(match),
    ]


def report_by_side_0(fixture: Fixture) -> Match:
    assert fixture.match is not None
    report = reports.ScoreReport(0, (7, 3))
    reports.report_score(match=fixture.match, side=0, report=report, by=Actor.link(0), now=timezone.now())
    return fixture.match


def settling(match: Match) -> list[str]:
    return queries_of(settle_after_result, sender=Match, match_id=match.pk)


# (format, players, way in) -> the most queries of each transaction. It is the second result of the division; where
# winners meet, it opens the match of the first two.
MOST: dict[tuple[str, int, Way], tuple[int, ...]] = {
    ("knockout", 64, director): (18,),
    ("knockout", 256, director): (18,),
    ("progressive", 64, director): (18,),
    ("double", 64, director): (19,),
    ("swiss", 64, director): (17,),
    ("swiss", 256, director): (17,),
    ("round robin", 16, director): (15,),
    # One finds that places of the groups are entrants of the next stage, so the whole division is settled.
    ("groups", 64, director): (16,),
    ("knockout", 64, quick_line): (20,),
    # The list of open reports takes three of them, and that of provisional results one.
    ("knockout", 64, confirmed_by_director): (27,),
    # The division is settled in a second transaction.
    ("knockout", 64, confirmed_by_player): (13, 16),
    # One reads which sides have begun to play; two find that a side made no play, and store that it is not rated; two
    # read the plays, and forget those of an end that was taken back.
    ("knockout", 64, finished_here): (20, 16),
}
NOTIFYING = 6
"""Queries to notify the two players of a new match, if they have accounts."""


@pytest.fixture
def builder(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> DivisionBuilder:
    return DivisionBuilder(make_division, make_players, by_alice)


def second_result(division: Division, way: Way, by: Actor) -> list[list[str]]:
    """Enter the second result of a division in this way, and return the queries of each transaction."""
    ready = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)
    first, second = ready.select_related("stage__division__tournament__club", "match").order_by("number")[:2]
    director(first, by)
    transactions = way(second, by)
    second.refresh_from_db()
    assert second.status == Fixture.Status.DECIDED
    return transactions


def check(transactions: list[list[str]], most: tuple[int, ...]) -> None:
    for queries, limit in zip(transactions, most, strict=True):
        assert len(queries) <= limit, "\n".join([f"{len(queries)} queries:", *queries])


@pytest.mark.parametrize(("format_", "players", "way"), MOST, ids=lambda value: getattr(value, "__name__", str(value)))
def test_a_result_takes_few_queries(
    format_: str, players: int, way: Way, builder: DivisionBuilder, by_alice: Actor
) -> None:
    division = builder.drawn(players, *FORMATS[format_])
    check(second_result(division, way, by_alice), MOST[format_, players, way])


def test_notifying_the_players_of_a_new_match_takes_few_queries(builder: DivisionBuilder, by_alice: Actor) -> None:
    division = builder.drawn(8, *FORMATS["knockout"])
    for player in Player.objects.filter(user=None):
        player.user = User.objects.create_user(f"{player.public_id}@example.org", "crawford-1969")
        player.save(update_fields=["user"])
    (without_accounts,) = MOST["knockout", 64, director]
    check(second_result(division, director, by_alice), (without_accounts + NOTIFYING,))
    assert Notification.objects.count() == 2
