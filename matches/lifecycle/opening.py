"""Opening matches, and changing their deadlines and lengths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.begun import begun_at, derive_begun
from matches.lifecycle.events import events
from matches.lifecycle.locks import changed, lock_match, refuse_over
from matches.models import Match, RatingPool
from matches.models.matches import MAX_MATCH, WAIT_ONLINE
from matches.ratings.services import own_pool
from players.actors import Actor, log, log_all
from players.models import Club, Player
from players.people.rows import touch_users_on_commit

BATCH_SIZE = 500


class Opening(NamedTuple):
    """A match to open: its players, its length in points, its start score and its deadline.

    `entry_numbers` say which of their entries in the event the players play with, 2 for a re-entry.
    """

    players: tuple[Player, Player]
    length: int
    start_score: tuple[int, int] = (0, 0)
    due_at: datetime | None = None
    entry_numbers: tuple[int, int] = (1, 1)
    public_id: str = ""
    """Where it is known before the match; empty: a new one."""


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """Settings that matches opened together have in common."""

    club: Club | None = None
    visibility: str = Match.Visibility.PUBLIC.value
    parent_topic: str = ""
    crawford: bool = True
    rated: bool = True
    pool: RatingPool | None = None
    """None: a rated match counts in the default pool of the site."""
    claim_wait: int = WAIT_ONLINE
    """Seconds until a report stands that the other side has seen and not answered."""
    records_stand: bool = False


def open_matches(openings: Sequence[Opening], *, settings: MatchSettings, by: Actor, now: datetime) -> list[Match]:
    """Create matches, in a number of queries that does not depend on how many there are.

    Refused: `match_same_player`, `bad_length`, `bad_score`.
    """
    for opening in openings:
        _check(opening)
    matches = [
        Match(
            club=settings.club,
            visibility=settings.visibility,
            parent_topic=settings.parent_topic,
            player_0=opening.players[0],
            player_1=opening.players[1],
            entry_number_0=opening.entry_numbers[0],
            entry_number_1=opening.entry_numbers[1],
            length=opening.length,
            start_0=opening.start_score[0],
            start_1=opening.start_score[1],
            crawford=settings.crawford,
            rated=settings.rated,
            pool=settings.pool,
            due_at=opening.due_at,
            claim_wait=settings.claim_wait,
            records_stand=settings.records_stand,
            created_at=now,
            **({"public_id": opening.public_id} if opening.public_id else {}),
        )
        for opening in openings
    ]
    with transaction.atomic(savepoint=False):
        if settings.rated and settings.pool is None and settings.club and settings.club.accepted_at is None:
            own_pool(settings.club)
        Match.objects.bulk_create(matches, batch_size=BATCH_SIZE)
        log_entries = [
            (match.topic, {"length": match.length, "players": [player.public_id for player in match.players]})
            for match in matches
        ]
        log_all(by, "match_opened", log_entries, club=settings.club)
        touch_users_on_commit(player for opening in openings for player in opening.players)
    return matches


def _check(opening: Opening) -> None:
    if opening.players[0].pk == opening.players[1].pk:
        raise Refused("match_same_player")
    if not 1 <= opening.length <= MAX_MATCH:
        raise Refused("bad_length", most=MAX_MATCH, length=opening.length)
    left, right = opening.start_score
    if min(opening.start_score) < 0 or max(opening.start_score) >= opening.length:
        raise Refused("bad_score", length=opening.length, left=left, right=right)


def set_due(match: Match, *, due_at: datetime | None, by: Actor) -> Match:
    """Change the deadline of a match. Refused: `match_settled`, `match_void`."""
    with transaction.atomic():
        locked = lock_match(match.pk)
        refuse_over(locked)
        if locked.due_at == due_at:
            return locked
        before, locked.due_at = locked.due_at, due_at
        changed(locked, "due_at")
        params = {"was": before.isoformat() if before else None, "due_at": due_at.isoformat() if due_at else None}
        log(by, "match_due_moved", locked.topic, club=locked.club, **params)
    return locked


def set_lengths(matches: Sequence[Match], *, length: int, by: Actor) -> None:
    """Change the length of locked matches; the caller has checked that it may change. Refused: `bad_length`."""
    for match in matches:
        _check(Opening(match.players, length, match.start_score))
        if match.length != length:
            before, match.length = match.length, length
            changed(match, "length")
            log(by, "match_length_changed", match.topic, club=match.club, changes={"match_length": [before, length]})


def set_start(match: Match, score: tuple[int, int]) -> None:
    """Change the score at which a locked match begins; the caller has checked that it has not. Refused: `bad_score`."""
    _check(Opening(match.players, match.length, score))
    if match.start_score != score:
        match.start_0, match.start_1 = score
        changed(match, "start_0", "start_1")


def renumber_entries(numbers: Mapping[Match, tuple[int, int]]) -> None:
    """Change which of their entries the players of matches play with; the `seq` of the matches stays."""
    for match, (first, second) in numbers.items():
        match.entry_number_0, match.entry_number_1 = first, second
    Match.objects.bulk_update(list(numbers), ["entry_number_0", "entry_number_1"], batch_size=BATCH_SIZE)


def rebuild_beginnings() -> int:
    """Derive `begun_at` of every match again and write those that differ; return how many."""
    rewritten = 0
    for match in (
        Match.objects.select_related("live")
        .prefetch_related("claims", "results")
        .order_by("pk")
        .iterator(chunk_size=BATCH_SIZE)
    ):
        live = getattr(match, "live", None)
        started = events().started_at_tables([match.pk]).get(match.pk)
        begun = begun_at(match.claims.all(), match.results.all(), live.begun_at if live else None, started)
        if match.begun_at != begun:
            with transaction.atomic():
                locked = lock_match(match.pk)
                derive_begun(locked)
                locked.save(update_fields=["begun_at"])
            rewritten += 1
    return rewritten
