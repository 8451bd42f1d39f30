"""Where matches are at the tables, and what players enter there, for the `matches` app, which must not import this one.

They enter running scores, and offers of a shorter match with the answers to them.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from matches.lifecycle.begun import is_untouched
from matches.lifecycle.length_offers import Answered, LengthOffer, Offered
from matches.lifecycle.running_scores import AtTables, Entered, RunningScore
from matches.models import Match
from players.actors import Actor
from tournaments.floor import loading
from tournaments.floor.fold import Seat, fold_floor
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


def at_tables(matches: Collection[int], inside: Collection[int], now: datetime) -> Mapping[int, AtTables]:
    """Return match id -> how it stands, for those of these matches that belong to an open floor.

    One query, and a few for each event. What a match waits for is read for those `inside` that have not begun.
    """
    rows = Fixture.objects.filter(
        loading.at_tables(match__in=matches), stage__division__tournament__floor__isnull=False
    )
    fixtures: dict[Tournament, list[tuple[Fixture, Match]]] = {}
    for row in rows.order_by("pk").select_related("match", "stage__division__tournament"):
        if row.match is not None:
            fixtures.setdefault(row.stage.division.tournament, []).append((row, row.match))
    at: dict[int, AtTables] = {}
    for tournament, of_event in fixtures.items():
        if any(is_untouched(match) and match.pk in inside for _row, match in of_event):
            view = floor(tournament, now, staff=False)
            folded = fold_floor(view.facts)
            labels: Mapping[int, str] = {key: table.row.label for key, table in view.tables.items()}
            waiting = [match for match in view.matches.values() if match.state == MatchState.WAITING]
            reasons = {match.match_id: match.reasons for match in waiting}
        else:
            (folded, labels), reasons = loading.load_seats(tournament), {}
        for row, match in of_event:
            waits_for = reasons.get(match.pk, ()) if match.pk in inside else ()
            at[match.pk] = _at_tables(folded.seat(row.pk), match, tournament, labels, waits_for)
    return at


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
