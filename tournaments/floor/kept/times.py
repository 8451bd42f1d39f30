"""Which matches have no times, since what was kept of them has the time of its arrival."""

from players.kept.acts import Outcome
from players.models import KeptAct
from tournaments.models import TYPED_AT, Fixture, FloorEvent, Tournament
from tournaments.state.floor import BEGINNINGS


def untimed_matches(tournament: Tournament) -> frozenset[int]:
    """Return the fixtures of an event, by id, whose start or result was kept; a query, and another if there are any."""
    begun = FloorEvent.objects.filter(tournament=tournament, kind__in=BEGINNINGS, params__has_key=TYPED_AT)
    results = KeptAct.objects.filter(outbox__topic=tournament.topic, action="result", outcome=Outcome.DONE)
    named = results.values_list("content__fixture", flat=True)
    fixtures = set(begun.exclude(fixture=None).values_list("fixture", flat=True))
    return frozenset(fixtures | set(Fixture.objects.filter(public_id__in=list(named)).values_list("pk", flat=True)))
