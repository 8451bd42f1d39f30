"""What players enter at the tables, for the pages of the `matches` app, which must not import this one.

Those are running scores, and offers of a shorter match with the answers to them.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from matches.lifecycle.length_offers import Answered, LengthOffer, Offered
from matches.lifecycle.running_scores import AtTables, Entered, RunningScore
from matches.models import Match
from players.actors import Actor
from tournaments.floor.facts import Fact, Kind
from tournaments.floor.fold import fold_match
from tournaments.floor.services.length_offers import (
    accept_length,
    decline_length,
    offer_length,
    players_offer_from,
)
from tournaments.floor.services.matches import set_players_score
from tournaments.models import Fixture, FloorEvent

SHOWN = (
    Kind.RUNNING_SCORE,
    Kind.CLOCKS,
    Kind.ADJOURNED,
    Kind.CONTINUED,
    Kind.SHORTENED,
    Kind.LENGTH_OFFERED,
    Kind.LENGTH_ACCEPTED,
    Kind.LENGTH_DECLINED,
    Kind.LENGTH_WITHDRAWN,
)


def at_tables(matches: Collection[int]) -> Mapping[int, AtTables]:
    """Return match id -> how it stands, for those of these matches that belong to an open floor; two queries."""
    fixtures = _fixtures_of(matches)
    facts: dict[int, list[FloorEvent]] = {match: [] for match in fixtures}
    rows = FloorEvent.objects.filter(match__in=facts, kind__in=SHOWN, undone_by=None) if facts else ()
    for fact in sorted(rows, key=lambda row: row.pk):
        if fact.match_id is not None:
            facts[fact.match_id].append(fact)
    return {match: _at_table(of_match, fixtures[match]) for match, of_match in facts.items()}


def _fixtures_of(matches: Collection[int]) -> Mapping[int, Fixture]:
    """Return match id -> its fixture, for those of these matches whose event has opened its floor; one query."""
    rows = Fixture.objects.filter(match__in=matches, stage__division__tournament__floor__isnull=False)
    fixtures = rows.select_related("match", "stage__division__tournament")
    return {fixture.match_id: fixture for fixture in fixtures if fixture.match_id}


def _at_table(facts: Sequence[FloorEvent], fixture: Fixture) -> AtTables:
    """Return how the match of a fixture stands by these facts, the oldest first."""
    assert fixture.match is not None  # noqa: S101, it was fetched by its match
    last: dict[str, FloorEvent] = {fact.kind: fact for fact in facts}
    seat = fold_match(0, [Fact(row.pk, Kind(row.kind), row.at, 0, params=row.params) for row in facts])
    score, is_adjourned = last.get(Kind.RUNNING_SCORE), seat.adjourned is not None
    notes = []
    if is_adjourned:
        notes.append(_("This match is adjourned. The director says when it goes on."))
    if seat.clocks is not None:
        notes.append(_("You play with clocks: %(minutes)d minutes each.") % {"minutes": seat.clocks})
    if seat.shortened is not None:
        notes.append(_("This match was shortened from %(was)d to %(length)d points.") % seat.shortened.params)
    running = None
    if score is not None:
        left, right = score.params["score"]
        running = RunningScore((left, right), score.at, score.params.get("side"))
    version = ".".join(str(fact.pk) for fact in last.values())
    offer = None
    if seat.offer is not None and not is_adjourned and seat.offer.stands(fixture.match.length, seat.score):
        offer = LengthOffer(seat.offer.fact, seat.offer.side, seat.offer.length, seat.offer.was, seat.offer.agreed)
    return AtTables(
        running, version, tuple(notes), is_adjourned, offer, players_offer_from(fixture.stage.division.tournament)
    )


def record(entered: Entered, by: Actor, now: datetime) -> bool:
    """Record a running score that a player enters; return False for a match that belongs to no open floor."""
    fixture = _on_open_floor(entered.match)
    if fixture is None:
        return False
    set_players_score(fixture=fixture, side=entered.side, score=entered.score, by=by, now=now)
    return True


def record_length(move: Offered | Answered, by: Actor, now: datetime) -> bool:
    """Record what a player offers or answers; return False for a match that belongs to no open floor."""
    fixture = _on_open_floor(move.match)
    if fixture is None:
        return False
    if isinstance(move, Offered):
        offer_length(fixture=fixture, side=move.side, length=move.length, score=move.score, by=by, now=now)
    else:
        answer = accept_length if move.accepted else decline_length
        answer(fixture=fixture, side=move.side, offer=move.offer, by=by, now=now)
    return True


def _on_open_floor(match: Match) -> Fixture | None:
    fixtures = Fixture.objects.select_related("stage__division").filter(match=match)
    return fixtures.filter(stage__division__tournament__floor__isnull=False).first()
