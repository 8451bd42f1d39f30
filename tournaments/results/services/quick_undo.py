"""The `undo` of quick entry: a director's last line is taken back, as long as nothing depends on its result."""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.begun import is_untouched
from matches.lifecycle.finish import standing_result
from matches.lifecycle.own_match import check_own_match
from matches.lifecycle.voiding import void_matches
from matches.models import Match, Result
from players.actors import Actor, log
from players.models import LogEntry
from tournaments.models import Draw, Fixture, Tournament
from tournaments.state.locks import lock_division, lock_unfinished_matches
from tournaments.state.settle import settle

ENTERED = "line_entered"
UNDONE = "line_undone"


def undo_last(*, tournament: Tournament, by: Actor, now: datetime) -> Fixture:
    """Take back the last result that `by` entered by quick entry in this event, and return its fixture.

    The match becomes void and keeps the result as a version; a new match is opened in its place.
    Refused: `nothing_to_undo`; `undo_built_on` if the result was changed since, a match that follows from it has begun,
    or a later round is paired (it can still be corrected); and what `check_own_match` refuses.
    """
    entered = last_entered(tournament, by)
    if entered is None:
        raise Refused("nothing_to_undo")
    fixture = Fixture.objects.select_related("stage").filter(match__public_id=entered.topic.partition(":")[2]).first()
    if fixture is None or fixture.match_id is None:
        raise Refused("nothing_to_undo")
    with transaction.atomic():
        division = lock_division(fixture.stage.division_id)
        locked = lock_unfinished_matches([division], [fixture.match_id])
        match = locked[fixture.match_id]
        standing = standing_result(match)
        if (
            standing is None
            or standing.version != entered.params["version"]
            or _is_depended_on(fixture, match, standing)
        ):
            raise Refused("undo_built_on", fixture=fixture.number)
        check_own_match(match, by, "")
        club = division.tournament.club
        void_matches({match: False}, club=club, by=by, now=now)
        log(by, UNDONE, match.topic, club=club, version=entered.params["version"])
        settle(division, by=by, now=now, locked=locked)
    return Fixture.objects.select_related("stage__division", "match__player_0", "match__player_1").get(pk=fixture.pk)


def last_entered(tournament: Tournament, by: Actor) -> LogEntry | None:
    """Return the log entry of this director's newest line that was not undone, or None."""
    divisions = [division.topic for division in tournament.divisions.all()]
    matches = Match.objects.filter(parent_topic__in=divisions).values_list("public_id", flat=True)
    mine = LogEntry.objects.filter(user=by.user, verb__in=[ENTERED, UNDONE]).order_by("-pk")
    topics = {f"match:{public_id}" for public_id in matches}
    undone: set[tuple[str, int]] = set()
    for row in mine.iterator():
        line = (row.topic, row.params["version"])
        if row.verb == UNDONE:
            undone.add(line)
        elif line not in undone and row.topic in topics:
            return row
    return None


def _is_depended_on(fixture: Fixture, match: Match, standing: Result) -> bool:
    """Whether undoing a result would affect a match that has begun, or a round paired since."""
    since = Match.objects.filter(parent_topic=match.parent_topic, created_at__gte=standing.at).exclude(pk=match.pk)
    # What follows from a result is a match of one of its two players, or one of a later stage.
    players = set(match.players)
    later = Fixture.objects.filter(match__in=since).select_related("match__player_0", "match__player_1", "stage")
    for row in later:
        assert row.match is not None  # noqa: S101, filtered above
        follows = row.stage.number > fixture.stage.number or players & set(row.match.players)
        if follows and not is_untouched(row.match):
            return True
    paired = Draw.objects.filter(stage=fixture.stage, round__gt=0, state=Draw.State.PUBLISHED)
    return paired.filter(published_at__gte=standing.at).exists()
