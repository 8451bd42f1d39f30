"""The floor and the cash desk of the demo's weekend: matches at the tables, others called, some players have paid."""

from datetime import datetime, timedelta

from players.actors import Actor
from players.models import Player
from tournaments.floor.selectors import floor
from tournaments.floor.services import calls, matches, tables
from tournaments.floor.services.opening import open_floor
from tournaments.ledger.selectors.accounts import account_of
from tournaments.ledger.services.payments import PaymentInput, add_float, receive
from tournaments.models import Fixture, Tournament

SCORES = ((3, 1), (2, 2), (0, 4), None)
"""Running scores of the matches at the first tables; the last one has just begun."""
CALLED = len(SCORES) + 1
"""How many matches are called; the last one has not started."""
FLOAT = 40
PAID = 6


def load_floor(tournament: Tournament, by: Actor, now: datetime) -> None:
    """Open the floor of the event, call and start matches, and take some fees."""
    opened_at = now - timedelta(minutes=45)
    open_floor(tournament=tournament, by=by, now=opened_at)
    tables.take_out_of_use(
        table=tournament.floor_tables.order_by("-order")[0], reason="Lamp broken", by=by, now=opened_at
    )
    for number in range(CALLED):
        at = opened_at + timedelta(minutes=10 * number)
        suggestions = floor(tournament, at).state.suggestions
        if not suggestions:
            break
        fixture = Fixture.objects.select_related("stage__division").get(pk=suggestions[0].fixture)
        calls.call(fixture=fixture, by=by, now=at)
        if number < len(SCORES):
            calls.start(fixture=fixture, by=by, now=at + timedelta(minutes=2))
            score = SCORES[number]
            if score is not None:
                matches.set_running_score(fixture=fixture, score=score, by=by, now=now - timedelta(minutes=3))
    _take_fees(tournament, by, opened_at)


def _take_fees(tournament: Tournament, by: Actor, now: datetime) -> None:
    """Put a float into the box, and take the fees of the players who came first."""
    add_float(tournament=tournament, payment=PaymentInput(FLOAT, "demo-float"), by=by, now=now)
    players = Player.objects.filter(pk__in=tournament.divisions.values("entries__player")).order_by("pk")
    for player in players[:PAID]:
        owed = sum(max(0, line.owes) for line in account_of(tournament, player).lines)
        receive(tournament=tournament, player=player, payment=PaymentInput(owed, f"demo-{player.pk}"), by=by, now=now)
