"""Running scores that players enter, for the pages of the `matches` app, which must not import this one."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from matches.lifecycle.running_scores import AtTables, Entered, RunningScore
from players.actors import Actor
from tournaments.floor.facts import Kind
from tournaments.floor.services.matches import set_players_score
from tournaments.models import Fixture, Floor, FloorEvent

SHOWN = (Kind.RUNNING_SCORE, Kind.CLOCKS, Kind.ADJOURNED, Kind.CONTINUED)


def at_tables(matches: Collection[int]) -> Mapping[int, AtTables]:
    """Return match id -> how it stands, for those of these matches that belong to an open floor; two queries."""
    of_floor = "tournament__divisions__stages__fixtures__match"
    ids = Floor.objects.filter(**{f"{of_floor}__in": matches}).values_list(of_floor, flat=True)
    facts: dict[int, list[FloorEvent]] = {match: [] for match in ids if match in matches}
    rows = FloorEvent.objects.filter(match__in=facts, kind__in=SHOWN, undone_by=None) if facts else ()
    for fact in sorted(rows, key=lambda row: row.pk):
        if fact.match_id is not None:
            facts[fact.match_id].append(fact)
    return {match: _at_table(of_match) for match, of_match in facts.items()}


def _at_table(facts: Sequence[FloorEvent]) -> AtTables:
    """Return how a match stands by these facts, the oldest first."""
    last: dict[str, FloorEvent] = {fact.kind: fact for fact in facts}
    score, adjourned, continued = (last.get(kind) for kind in (Kind.RUNNING_SCORE, Kind.ADJOURNED, Kind.CONTINUED))
    is_adjourned = adjourned is not None and (continued is None or continued.pk < adjourned.pk)
    notes = []
    if is_adjourned:
        notes.append(_("This match is adjourned. The director says when it goes on."))
    if (clocks := last.get(Kind.CLOCKS)) is not None:
        notes.append(_("You play with clocks: %(minutes)d minutes each.") % {"minutes": clocks.params["minutes"]})
    running = None
    if score is not None:
        left, right = score.params["score"]
        running = RunningScore((left, right), score.at, score.params.get("side"))
    version = ".".join(str(fact.pk) for fact in last.values())
    return AtTables(running, version, tuple(notes), is_adjourned)


def record(entered: Entered, by: Actor, now: datetime) -> bool:
    """Record a running score that a player enters; return False for a match that belongs to no open floor."""
    fixtures = Fixture.objects.select_related("stage__division").filter(match=entered.match)
    fixture = fixtures.filter(stage__division__tournament__floor__isnull=False).first()
    if fixture is None:
        return False
    set_players_score(fixture=fixture, side=entered.side, score=entered.score, by=by, now=now)
    return True
