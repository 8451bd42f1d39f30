"""Where matches are at the tables, and what players enter there, for the pages of the `matches` app.

They enter running scores, and offers of a shorter match with the answers to them.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _

from engine.errors import Refused
from matches.lifecycle.at_tables import Answered, AtTables, Entered, LengthOffer, Offered, RunningScore
from matches.lifecycle.begun import is_untouched
from matches.models import Match
from players.actors import Actor
from tournaments.floor import loading
from tournaments.floor.fold import Seat
from tournaments.floor.selectors import floor
from tournaments.floor.services.length_offers import (
    accept_length,
    decline_length,
    offer_length,
    players_offer_from,
)
from tournaments.floor.services.matches import set_players_score
from tournaments.floor.state import MatchState
from tournaments.models import Fixture, Tournament


def at_tables(matches: Collection[int], inside: Mapping[int, bool], now: datetime) -> Mapping[int, AtTables]:
    """Return match id -> how it stands, for those of these matches that belong to an open floor.

    Four queries at most, and some more for each event with a match `inside` that has not begun and may wait for
    something.
    """
    is_open = Q(stage__division__tournament__floor__isnull=False)
    rows = Fixture.objects.filter(loading.at_tables(match__in=matches), is_open).order_by("pk")
    fixtures = list(rows.select_related("match", "stage__division__tournament"))
    if not fixtures:
        return {}
    folded, labels = loading.load_seats({row.stage.division.tournament for row in fixtures})
    reasons = _reasons(fixtures, inside, now)
    return {
        row.match.pk: _at_tables(
            folded.seat(row.pk), row.match, row.stage.division.tournament, labels, reasons.get(row.pk, ())
        )
        for row in fixtures
        if row.match is not None
    }


def _reasons(fixtures: Collection[Fixture], inside: Mapping[int, bool], now: datetime) -> Mapping[int, tuple[str, ...]]:
    """Return fixture id -> what its match waits for, for those of these fixtures that cannot be called now."""
    to_come: dict[tuple[Tournament, bool], list[int]] = {}
    for row in fixtures:
        if row.match is not None and row.match.pk in inside and is_untouched(row.match):
            to_come.setdefault((row.stage.division.tournament, inside[row.match.pk]), []).append(row.pk)
    reasons: dict[int, tuple[str, ...]] = {}
    for (tournament, staff), pks in to_come.items():
        matches = floor(tournament, now, staff=staff).matches
        waiting = (pk for pk in pks if pk in matches and matches[pk].state == MatchState.WAITING)
        reasons |= {pk: matches[pk].reasons for pk in waiting}
    return reasons


def _at_tables(
    seat: Seat, match: Match, tournament: Tournament, labels: Mapping[int, str], waits_for: tuple[str, ...]
) -> AtTables:
    """Return how a match stands by the facts about it."""
    notes = []
    if seat.adjourned is not None:
        notes.append(_("The director says when it goes on."))
    if seat.clocks is not None:
        notes.append(_("You play with clocks: %(minutes)d minutes each.") % {"minutes": seat.clocks})
    if seat.shortened is not None:
        notes.append(_("This match was shortened from %(was)d to %(length)d points.") % seat.shortened.params)
    running = None
    if seat.score is not None and seat.scored is not None:
        running = RunningScore(seat.score, seat.scored.at, seat.scored.params.get("side"))
    offer = seat.offer
    if offer is not None and (seat.adjourned is not None or not offer.stands(match.length, seat.score)):
        offer = None
    return AtTables(
        seat.seating(labels, waits_for),
        running,
        tuple(notes),
        LengthOffer(offer.fact, offer.side, offer.length, offer.was, offer.agreed) if offer is not None else None,
        players_offer_from(tournament),
    )


def record_score(entered: Entered, *, by: Actor, now: datetime) -> None:
    """Record a running score that a player enters. Refused: `no_running_scores`, and as `set_players_score`."""
    fixture = _on_open_floor(entered.match)
    if fixture is None:
        raise Refused("no_running_scores")
    set_players_score(fixture=fixture, side=entered.side, score=entered.score, by=by, now=now)


def record_length(move: Offered | Answered, *, by: Actor, now: datetime) -> None:
    """Record what a player offers or answers. Refused: `no_length_offers`, and what the service of it refuses."""
    fixture = _on_open_floor(move.match)
    if fixture is None:
        raise Refused("no_length_offers")
    if isinstance(move, Offered):
        offer_length(fixture=fixture, side=move.side, length=move.length, score=move.score, by=by, now=now)
    else:
        answer = accept_length if move.accepted else decline_length
        answer(fixture=fixture, side=move.side, offer=move.offer, by=by, now=now)


def _on_open_floor(match: Match) -> Fixture | None:
    fixtures = Fixture.objects.select_related("stage__division").filter(match=match)
    return fixtures.filter(stage__division__tournament__floor__isnull=False).first()
