"""A club weekend: an event with a division of every format, each at a different stage of play."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

from matches.lifecycle.finish import ResultInput
from matches.lifecycle.own_match import MayDecide, standing_of
from matches.models import Match, Result
from players.actors import Actor
from players.models import Club, Player
from tournaments.draws.services import draws
from tournaments.entries.services import entries
from tournaments.events.services import events
from tournaments.formats.settings import DOUBLE, GROUPS, KNOCKOUT, LEAGUE, PROGRESSIVE, SWISS, StageSettings
from tournaments.models import Correction, Division, Draw, Fixture, Tournament
from tournaments.results.services.corrections import CorrectionInput, apply_correction
from tournaments.results.services.results import enter_result
from tournaments.state.stages import set_stages

TABLES = 8
STRONGER_WINS = 0.65
FINISHED = 1.0
OWN_MATCH_REASON = "Both players have signed the score sheet."
Staff = tuple[Actor, Actor]
"""The director and the assistant."""
WEEKEND: Sequence[tuple[str, int, int, Sequence[StageSettings], float]] = (
    ("Championship", 13, 7, (StageSettings(PROGRESSIVE, last_chance="", lower_lengths=(5,), last_lengths=(3,)),), 0.6),
    ("Double trouble", 8, 5, (StageSettings(DOUBLE, second_final=True),), FINISHED),
    ("Swiss", 12, 5, (StageSettings(SWISS, rounds=5),), 0.5),
    ("Groups", 9, 5, (StageSettings(GROUPS, groups=3, qualifiers=2), StageSettings(KNOCKOUT)), 0.7),
    ("League", 6, 7, (StageSettings(LEAGUE),), 0.5),
    ("Sunday speedgammon", 7, 3, (StageSettings(PROGRESSIVE),), 0.0),
)
"""Name, players, match length, stages, and the share that is played; the last division has no draw yet."""


def load_weekend(club: Club, players: Sequence[Player], by: Actor, now: datetime, *, assistant: Actor) -> Tournament:
    """Create the event and play its share of each division.

    The assistant enters the results of matches that `by` plays in.
    """
    starts = now - timedelta(hours=9)
    tournament = events.create_tournament(
        club=club, by=by, now=starts, name="Harbour Weekend", starts_at=starts, venue="Café Havnen", tables=TABLES
    )
    for name, count, length, stages, share in WEEKEND:
        division = events.create_division(
            tournament=tournament, by=by, now=starts, name=name, match_length=length, fee=2
        )
        entries.enter(division=division, players=players[:count], by=by, now=starts)
        division.refresh_from_db()
        set_stages(division=division, stages=stages, after=division.seq, by=by, now=starts)
        if tournament.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=tournament, by=by, now=starts)
            tournament.refresh_from_db()
        if share:
            publish_draw(division, by, starts)
            play_share(division, share, players, (by, assistant), starts)
        if share == FINISHED:
            _correct(division, (by, assistant), now - timedelta(minutes=30))
    return tournament


def publish_draw(division: Division, by: Actor, now: datetime) -> None:
    """Draw a division and publish the draft."""
    draw = draws.request_draw(division=division, by=by, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=now)


def play_share(division: Division, share: float, players: Sequence[Player], staff: Staff, at: datetime) -> None:
    """Enter results until `share` of the matches are played; draws of later rounds are published as they fall due."""
    chance = Random(division.name)  # noqa: S311, invented results
    strength = {player.pk: rank for rank, player in enumerate(players)}
    entered = 0
    while True:
        for draw in Draw.objects.filter(stage__division=division, state=Draw.State.REQUESTED):
            draws.make_draft(draw_id=draw.pk, now=at)
            division.refresh_from_db()
            draws.publish_draw(division=division, after=division.seq, by=staff[0], now=at)
        open_ = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)
        first = open_.select_related("stage", "match").order_by("round__number", "number").first()
        count = _planned_matches(division)
        if first is None or first.match is None or entered >= share * count:
            return
        at, entered = at + timedelta(minutes=4), entered + 1
        stronger = 0 if strength[first.match.player_0_id] < strength[first.match.player_1_id] else 1
        winner = stronger if chance.random() < STRONGER_WINS else 1 - stronger
        lost = chance.randrange(first.match.length)
        score = (first.match.length, lost) if winner == 0 else (lost, first.match.length)
        by = _impartial_director(first.match, staff)
        enter_result(fixture=first, result=ResultInput(winner, score), by=by, now=at, reason=_reason(first.match, by))


def _impartial_director(match: Match, staff: Staff) -> Actor:
    """Return a director who does not play in the match, or the first if both do."""
    return next((director for director in staff if standing_of(match, director) == MayDecide.IMPARTIAL), staff[0])


def _reason(match: Match, by: Actor) -> str:
    """Return the reason for deciding one's own match; empty if it is not one's own."""
    return "" if standing_of(match, by) == MayDecide.IMPARTIAL else OWN_MATCH_REASON


def _correct(division: Division, staff: Staff, now: datetime) -> None:
    """Swap the points of the first result, which was misread, after everyone has played on; the bracket is kept."""
    first = Fixture.objects.filter(stage__division=division).select_related("stage", "match").order_by("number")[0]
    assert first.match is not None  # noqa: S101, it was played
    standing = Result.objects.get(match=first.match)
    assert standing.score is not None  # noqa: S101, it was played
    division.refresh_from_db()
    correction = CorrectionInput(
        ResultInput.played(standing.score[::-1]), Correction.Choice.KEEP_BRACKET, reason="The points had been swapped."
    )
    by = _impartial_director(first.match, staff)
    apply_correction(fixture=first, correction=correction, after=division.seq, by=by, now=now)


def _planned_matches(division: Division) -> int:
    """Return the number of planned matches, those of rounds that are not paired yet included."""
    fixtures = Fixture.objects.filter(stage__division=division)
    planned = fixtures.exclude(status__in=[Fixture.Status.BYE, Fixture.Status.EMPTY]).count()
    stage = division.stages.order_by("number")[0]
    if stage.format != SWISS:
        return planned
    in_round = fixtures.filter(round__number=1).count()
    return in_round * int(stage.settings["rounds"])
