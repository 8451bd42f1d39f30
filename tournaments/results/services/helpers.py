"""What helpers of an event leave to its directors when they enter results."""

from engine.errors import Refused
from matches.models import Match, Objection, Result
from players.actors import Actor
from tournaments import access
from tournaments.models import Fixture


def refuse_helper(fixture: Fixture, match: Match, standing: Result | None, by: Actor) -> None:
    """Refuse to let a helper decide what is left to directors.

    `standing` is the result of the match, if it is settled. Refused: see `reserved_for_directors`.
    """
    if by.user is None or (standing is None and match.state != Match.State.DISPUTED):
        return
    if access.only_helps(by.user, fixture.stage.division.tournament):
        code = reserved_for_directors(fixture, match, standing)
        if code:
            raise Refused(code, fixture=fixture.number)


def reserved_for_directors(fixture: Fixture, match: Match, standing: Result | None) -> str:
    """Return why only directors may enter a result of this match now: the code of a refusal, or empty if helpers may.

    It is `helper_disputed` in a dispute, `helper_ruled` if a director has ruled on the match or corrected it or has to
    answer an objection, and `helper_round_over` if every match of the round has a result.
    """
    if match.state == Match.State.DISPUTED:
        return "helper_disputed"
    if standing is None:
        return ""
    is_ruling = standing.kind == Result.Kind.RULING or bool(standing.waived)
    is_objected = match.objections.filter(state=Objection.State.OPEN).exists()
    if is_ruling or is_objected or fixture.corrections.exists():
        return "helper_ruled"
    undecided = (Fixture.Status.WAITING, Fixture.Status.READY)
    is_round_over = not Fixture.objects.filter(round=fixture.round_id, status__in=undecided).exists()
    return "helper_round_over" if is_round_over else ""
