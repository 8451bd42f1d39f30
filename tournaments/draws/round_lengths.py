"""Changing the match length of rounds that nobody has begun."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from engine.errors import Refused
from matches.lifecycle.opening import set_lengths
from matches.models import Match
from players.actors import Actor, log
from players.models import LogEntry
from tournaments.models import Division, Fixture, Round, Tournament
from tournaments.state.changes import known_facts, notify_changed
from tournaments.state.locks import division_changed, lock_division, lock_event, lock_matches

LENGTHS_CHANGED = "lengths_changed"
"""The verb of a change in the log; its `rounds` are the changes."""
UNDECIDED = (Fixture.Status.WAITING, Fixture.Status.READY)


class RoundLength(NamedTuple):
    """A new match length for a round, and the length that the director saw."""

    round: int
    seen: int
    length: int


def change_round_lengths(
    *, tournament: Tournament, changes: Sequence[RoundLength], by: Actor, now: datetime
) -> list[Round]:
    """Give rounds of an event other match lengths, open matches in them included; return the changed rounds.

    Whoever is in their divisions is told.

    A round whose length is already the new one is left alone, so a repeated request does nothing. The reverse change
    undoes it. Refused: `stale` if a length is not the one the director saw, `length_round_begun`, `bad_length`.
    """
    round_ids = [change.round for change in changes]
    with transaction.atomic():
        event = lock_event(tournament.pk)
        divisions = _lock_divisions(tournament, round_ids)
        rounds = {row.pk: row for row in _rounds(tournament, round_ids)}
        known = known_facts(event)
        changed = []
        for change in changes:
            row = rounds.get(change.round)
            if row is None or row.length not in (change.seen, change.length):
                raise Refused("stale")
            if row.length != change.length:
                _change(row, change.length, by)
                changed.append((row, change))
        for division in divisions:
            own = [(row, change) for row, change in changed if row.bracket.stage.division_id == division.pk]
            if own:
                _log(division, own, by)
                division_changed(division)
        notify_changed(event, known, by=by, now=now)
    return [row for row, _change in changed]


def _lock_divisions(tournament: Tournament, rounds: Sequence[int]) -> list[Division]:
    own = Division.objects.filter(tournament=tournament, stages__brackets__rounds__in=rounds).distinct()
    return [lock_division(pk) for pk in sorted(own.values_list("pk", flat=True))]


def _rounds(tournament: Tournament, ids: Sequence[int]) -> Sequence[Round]:
    rounds = Round.objects.filter(pk__in=ids, bracket__stage__division__tournament=tournament)
    return list(rounds.select_related("bracket__stage"))


def _change(row: Round, length: int, by: Actor) -> None:
    """Store the length of a round and of its open matches, which are locked first."""
    matches = lock_matches(list(_open_matches(row).values_list("pk", flat=True)))
    if rounds_begun([row.pk]):
        raise Refused("length_round_begun", round=row.number)
    set_lengths(list(matches.values()), length=length, by=by)
    row.length = length
    row.save(update_fields=["length"])


def rounds_begun(rounds: Sequence[int]) -> set[int]:
    """Return which of these rounds have a match that has begun or was played; byes and walkovers do not count."""
    begun = Fixture.objects.filter(round__in=rounds, match__begun_at__isnull=False)
    return set(begun.exclude(match__state=Match.State.VOID).values_list("round", flat=True))


def _open_matches(row: Round) -> QuerySet[Match]:
    fixtures = Fixture.objects.filter(round=row, status__in=UNDECIDED, match__state=Match.State.OPEN)
    return Match.objects.filter(pk__in=fixtures.values("match"))


def _log(division: Division, changed: Sequence[tuple[Round, RoundLength]], by: Actor) -> None:
    log(
        by,
        LENGTHS_CHANGED,
        division.topic,
        club=division.tournament.club,
        changes={f"{row.bracket.key} {row.number}": [change.seen, change.length] for row, change in changed},
        rounds=[[row.pk, change.seen, change.length] for row, change in changed],
    )


# Which shortening of rounds was the last one, and whether it can be undone.


@dataclass(frozen=True, slots=True)
class Shortened:
    """The last change of match lengths in an event: who made it and when, and the changes that undo it."""

    at: datetime
    who: str
    undo: tuple[RoundLength, ...]

    @property
    def value(self) -> str:
        """The changes as the form takes them."""
        return " ".join(":".join(map(str, change)) for change in self.undo)


def last_shortening(tournament: Tournament) -> Shortened | None:
    """Return the last change of lengths if it shortened rounds that still have that length and have not begun."""
    topics = [division.topic for division in tournament.divisions.all()]
    rows = LogEntry.objects.filter(verb=LENGTHS_CHANGED, topic__in=topics).select_related("user")
    entry = rows.order_by("-pk").first()
    if entry is None:
        return None
    undo = reverse_of(entry)
    if any(change.length <= change.seen for change in undo) or not undo:
        return None
    return Shortened(entry.at, entry.user.display_name if entry.user is not None else "", undo)


def lengths_stand(entry: LogEntry) -> bool:
    """Whether the rounds of a change in the log still have the lengths that it gave them."""
    changes = [RoundLength(*change) for change in entry.params["rounds"]]
    lengths = dict(Round.objects.filter(pk__in=[change.round for change in changes]).values_list("pk", "length"))
    return all(lengths.get(change.round) == change.length for change in changes)


def reverse_of(entry: LogEntry) -> tuple[RoundLength, ...]:
    """Return the changes that undo a change in the log; none if it does not stand or a round has begun since."""
    changes = [RoundLength(*change) for change in entry.params["rounds"]]
    if not lengths_stand(entry) or rounds_begun([change.round for change in changes]):
        return ()
    return tuple(RoundLength(change.round, change.length, change.seen) for change in changes)
