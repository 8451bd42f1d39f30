"""`undo`: the last result a director entered by a line is taken back, as long as nothing builds on it."""

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
    """Takes back the last result that `by` entered by a line in this event; its match can be played and entered anew.

    The result stays as a version of a void match. Refused: `nothing_to_undo`, and `undo_built_on` where the result was
    changed since, a match that follows from it has begun, or a later round is paired: then it is to be corrected.
    Also what `check_own_match` refuses.
    """
    entered = _last(tournament, by)
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
        if standing is None or standing.version != entered.params["version"] or _is_built_on(fixture, match, standing):
            raise Refused("undo_built_on", fixture=fixture.number)
        check_own_match(match, by, "")
        club = division.tournament.club
        void_matches({match: False}, club=club, by=by, now=now)
        log(by, UNDONE, match.topic, club=club, version=entered.params["version"])
        settle(division, by=by, now=now, locked=locked)
    return Fixture.objects.select_related("stage__division", "match__player_0", "match__player_1").get(pk=fixture.pk)


def _last(tournament: Tournament, by: Actor) -> LogEntry | None:
    """The newest line of this director that was not undone."""
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


def _is_built_on(fixture: Fixture, match: Match, standing: Result) -> bool:
    """Whether anything follows from a result that taking it back would take away."""
    since = Match.objects.filter(parent_topic=match.parent_topic, created_at__gte=standing.at).exclude(pk=match.pk)
    # The winner and the loser meet others later; whoever they meet, the match has one of them or a place after them.
    players = set(match.players)
    later = Fixture.objects.filter(match__in=since).select_related("match__player_0", "match__player_1", "stage")
    for row in later:
        assert row.match is not None  # noqa: S101, filtered above
        follows = row.stage.number > fixture.stage.number or players & set(row.match.players)
        if follows and not is_untouched(row.match):
            return True
    paired = Draw.objects.filter(stage=fixture.stage, round__gt=0, state=Draw.State.PUBLISHED)
    return paired.filter(published_at__gte=standing.at).exists()
