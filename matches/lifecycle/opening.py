"""Matches opened, and their deadlines; what players and directors do for one is in the modules beside this one."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.begun import begun_at, derive_begun
from matches.lifecycle.locks import changed, lock_match, refuse_over
from matches.models import Match, RatingPool
from matches.models.matches import LONGEST_MATCH, WAIT_ONLINE
from players.actors import Actor, log, log_all
from players.models import Club, Player

AT_ONCE = 500


class Opening(NamedTuple):
    """A match to be opened: its two players, its length in points, the score it begins with, and its deadline."""

    players: tuple[Player, Player]
    length: int
    start_score: tuple[int, int] = (0, 0)
    due_at: datetime | None = None


def open_matches(
    openings: Sequence[Opening],
    *,
    club: Club | None = None,
    visibility: str = Match.Visibility.PUBLIC,
    parent_topic: str = "",
    crawford: bool = True,
    rated: bool = True,
    pool: RatingPool | None = None,
    claim_wait: int = WAIT_ONLINE,
    records_stand: bool = False,
    by: Actor,
    now: datetime,
) -> list[Match]:
    """New matches that have their settings in common, in a number of queries that does not grow with theirs.

    Without a pool a rated match counts in the site's own. `claim_wait` is in seconds.
    Refused: `match_same_player`, `bad_length`, `bad_score`.
    """
    for opening in openings:
        _check(opening)
    matches = [
        Match(
            club=club,
            visibility=visibility,
            parent_topic=parent_topic,
            player_0=opening.players[0],
            player_1=opening.players[1],
            length=opening.length,
            start_0=opening.start_score[0],
            start_1=opening.start_score[1],
            crawford=crawford,
            rated=rated,
            pool=pool,
            due_at=opening.due_at,
            claim_wait=claim_wait,
            records_stand=records_stand,
            created_at=now,
        )
        for opening in openings
    ]
    with transaction.atomic():
        Match.objects.bulk_create(matches, batch_size=AT_ONCE)
        told = [
            (match.topic, {"length": match.length, "players": [player.public_id for player in match.players]})
            for match in matches
        ]
        log_all(by, "match_opened", told, club=club)
    return matches


def _check(opening: Opening) -> None:
    if opening.players[0].pk == opening.players[1].pk:
        raise Refused("match_same_player")
    if not 1 <= opening.length <= LONGEST_MATCH:
        raise Refused("bad_length", most=LONGEST_MATCH, length=opening.length)
    left, right = opening.start_score
    if min(opening.start_score) < 0 or max(opening.start_score) >= opening.length:
        raise Refused("bad_score", length=opening.length, left=left, right=right)


def set_due(match: Match, *, due_at: datetime | None, by: Actor) -> Match:
    """Move the deadline. Refused: `match_settled`, `match_void`."""
    with transaction.atomic():
        row = lock_match(match.pk)
        refuse_over(row)
        if row.due_at == due_at:
            return row
        was, row.due_at = row.due_at, due_at
        changed(row, "due_at")
        moved = {"was": was.isoformat() if was else None, "due_at": due_at.isoformat() if due_at else None}
        log(by, "match_due_moved", row.topic, club=row.club, **moved)
    return row


def rebuild_beginnings() -> int:
    """Derive `begun_at` of every match again and write what differs; how many did."""
    rewritten = 0
    for match in (
        Match.objects.select_related("live")
        .prefetch_related("claims", "results")
        .order_by("pk")
        .iterator(chunk_size=AT_ONCE)
    ):
        live = getattr(match, "live", None)
        begun = begun_at(match.claims.all(), match.results.all(), live.begun_at if live else None)
        if match.begun_at != begun:
            with transaction.atomic():
                row = lock_match(match.pk)
                derive_begun(row)
                row.save(update_fields=["begun_at"])
            rewritten += 1
    return rewritten
