"""An event with a division of every kind, each at another point of its way: what a club weekend looks like."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

from matches.lifecycle.finish import ResultInput
from matches.lifecycle.own_match import Standing, standing_of
from matches.models import Match, Result
from players.actors import Actor
from players.models import Club, Player
from tournaments.draws.services import draws
from tournaments.entries.services import entries
from tournaments.events.services import events
from tournaments.formats.settings import DOUBLE, GROUPS, KNOCKOUT, LEAGUE, PROGRESSIVE, SWISS, StageSettings
from tournaments.models import Correction, Division, Draw, Fixture, Tournament
from tournaments.results.services.corrections import apply_correction
from tournaments.results.services.results import enter_result
from tournaments.state.stages import set_stages

TABLES = 8
STRONGER_WINS = 0.65
OVER = 1.0
SIGNED = "Both players have signed the score sheet."
Staff = tuple[Actor, Actor]
"""The director and the assistant."""
WEEKEND: Sequence[tuple[str, int, int, Sequence[StageSettings], float]] = (
    ("Championship", 13, 7, (StageSettings(PROGRESSIVE, last_chance="", lower_lengths=(5,), last_lengths=(3,)),), 0.6),
    ("Double trouble", 8, 5, (StageSettings(DOUBLE, second_final=True),), OVER),
    ("Swiss", 12, 5, (StageSettings(SWISS, rounds=5),), 0.5),
    ("Groups", 9, 5, (StageSettings(GROUPS, groups=3, qualifiers=2), StageSettings(KNOCKOUT)), 0.7),
    ("League", 6, 7, (StageSettings(LEAGUE),), 0.5),
    ("Sunday speedgammon", 7, 3, (StageSettings(PROGRESSIVE),), 0.0),
)
"""Name, players, match length, stages, and how much of it is played; the last one still waits for its draw."""


def load_weekend(club: Club, players: Sequence[Player], by: Actor, now: datetime, *, assistant: Actor) -> Tournament:
    """Makes the event and plays as much of each division as is to be seen.

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
            _draw(division, by, starts)
            _play(division, share, players, (by, assistant), starts)
        if share == OVER:
            _correct(division, (by, assistant), now - timedelta(minutes=30))
    return tournament


def _draw(division: Division, by: Actor, now: datetime) -> None:
    draw = draws.request_draw(division=division, by=by, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=now)


def _play(division: Division, share: float, players: Sequence[Player], staff: Staff, at: datetime) -> None:
    """Results of the first `share` of the matches there are; each round is paired when the last one is over."""
    chance = Random(division.name)  # noqa: S311, invented results
    strength = {player.pk: rank for rank, player in enumerate(players)}
    booked = 0
    while True:
        for asked in Draw.objects.filter(stage__division=division, state=Draw.State.REQUESTED):
            draws.make_draft(draw_id=asked.pk, now=at)
            division.refresh_from_db()
            draws.publish_draw(division=division, after=division.seq, by=staff[0], now=at)
        open_ = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)
        first = open_.select_related("stage", "match").order_by("round__number", "number").first()
        count = _expected(division)
        if first is None or first.match is None or booked >= share * count:
            return
        at, booked = at + timedelta(minutes=4), booked + 1
        stronger = 0 if strength[first.match.player_0_id] < strength[first.match.player_1_id] else 1
        winner = stronger if chance.random() < STRONGER_WINS else 1 - stronger
        lost = chance.randrange(first.match.length)
        score = (first.match.length, lost) if winner == 0 else (lost, first.match.length)
        by = _who_decides(first.match, staff)
        enter_result(fixture=first, result=ResultInput(winner, score), by=by, now=at, reason=_reason(first.match, by))


def _who_decides(match: Match, staff: Staff) -> Actor:
    """Whoever does not play in the match; of two who do, the first."""
    return next((one for one in staff if standing_of(match, one) == Standing.IMPARTIAL), staff[0])


def _reason(match: Match, by: Actor) -> str:
    """Why somebody decides a match of their own; empty where it is not their own."""
    return "" if standing_of(match, by) == Standing.IMPARTIAL else SIGNED


def _correct(division: Division, staff: Staff, now: datetime) -> None:
    """The first result was read the wrong way round, and everybody had played on: the bracket is kept."""
    first = Fixture.objects.filter(stage__division=division).select_related("stage", "match").order_by("number")[0]
    assert first.match is not None  # noqa: S101, it was played
    stands = Result.objects.get(match=first.match)
    assert stands.score is not None  # noqa: S101, it was played
    division.refresh_from_db()
    apply_correction(
        fixture=first,
        new=ResultInput(int(stands.winner == 0), stands.score[::-1]),
        choice=Correction.Choice.KEEP_BRACKET,
        after=division.seq,
        by=_who_decides(first.match, staff),
        now=now,
        reason="The score sheet was read the wrong way round.",
    )


def _expected(division: Division) -> int:
    """Matches that are planned; of rounds paired one by one as many as they will have."""
    fixtures = Fixture.objects.filter(stage__division=division)
    planned = fixtures.exclude(status__in=[Fixture.Status.BYE, Fixture.Status.EMPTY]).count()
    stage = division.stages.order_by("number")[0]
    if stage.format != SWISS:
        return planned
    in_round = fixtures.filter(round__number=1).count()
    return in_round * int(stage.settings["rounds"])
