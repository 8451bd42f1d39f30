"""What Enter will do with a line that is being typed."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from core.messages import sentence
from engine.errors import Refused
from matches.presentation.labels import score_of
from players.actors import Actor
from tournaments.floor.derivation import floor_state
from tournaments.floor.line_parser import parse_floor_line
from tournaments.floor.loading import load_facts
from tournaments.floor.sentences import sentence_of_fact, sentence_of_plan
from tournaments.floor.services import lines, undo
from tournaments.floor.services.calls import refuse_call, refuse_table
from tournaments.floor.services.journal import match_on_floor
from tournaments.floor.state import FloorState
from tournaments.models import Division, FloorKind, Slot, Tournament
from tournaments.results.line_parser import Command, parse
from tournaments.results.services import quick_entry
from tournaments.results.services.quick_undo import last_entered
from tournaments.state.names import match_names
from tournaments.state.sheet_codes import with_match_numbers


@dataclass(frozen=True, slots=True)
class LinePreview:
    """What a line will do, or why it will be refused. `table` and `fixture` are ids, to outline them on the page."""

    text: str
    is_refused: bool = False
    table: int | None = None
    fixture: int | None = None


def preview_line(
    *, tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime
) -> LinePreview | None:
    """Return what Enter will do with a line; None for an empty line and for help. Nothing is written."""
    if not text.strip():
        return None
    text = with_match_numbers(tournament, text)
    try:
        if (line := parse_floor_line(text)) is not None:
            lines.refuse_assistant(tournament, line, by)
            return _of_floor(tournament, lines.target_of(tournament, line, division, now), now)
        parsed = parse(text)
        if parsed == Command.HELP:
            return None
        if parsed == Command.UNDO:
            return _of_undo(tournament, by)
        return _of_result(tournament, quick_entry.target_of(tournament, parsed, division), now)
    except Refused as refused:
        return LinePreview(sentence(refused.code, refused.params), is_refused=True)


def _of_floor(tournament: Tournament, target: lines.Target, now: datetime) -> LinePreview:
    state = floor_state(load_facts(tournament), now)
    table = target.table.pk if target.table is not None else None
    if target.fixture is not None:
        row = match_on_floor(state, target.fixture)
        table = table or row.table
        if target.kind == FloorKind.CALLED:
            refuse_call(state, row)
            if target.table is not None:
                refuse_table(state, target.table, target.fixture)
    text = sentence_of_plan(
        target.kind, target.params, fixture=target.fixture, table=target.table, player=target.player,
        zone=ZoneInfo(tournament.time_zone),
    )  # fmt: skip
    return LinePreview(text, table=table, fixture=target.fixture.pk if target.fixture is not None else None)


def _of_undo(tournament: Tournament, by: Actor) -> LinePreview:
    fact, entered = undo.last_of(tournament, by), last_entered(tournament, by)
    if fact is not None and (entered is None or entered.at <= fact.at):
        return LinePreview(_("Undo: %(fact)s") % {"fact": sentence_of_fact(fact)}, fixture=fact.fixture_id)
    if entered is None:
        raise Refused("nothing_to_undo")
    return LinePreview(_("Take back the last result that you entered."))


def _of_result(tournament: Tournament, target: quick_entry.Target, now: datetime) -> LinePreview:
    fixture, match, new = target
    first, second = match_names(fixture, staff=False)
    if new.winner is None:
        outcome = _("%(first)s and %(second)s both forfeit") % {"first": first, "second": second}
    else:
        winner, loser = (first, second) if new.winner == 0 else (second, first)
        names = {"winner": winner, "loser": loser}
        if new.score is None:
            outcome = _("%(loser)s forfeits to %(winner)s") % names
        else:
            outcome = _("%(winner)s beats %(loser)s") % names + f" {score_of(match, new.winner, new.score)}"
    state = floor_state(load_facts(tournament), now)
    parts = [outcome, _place(fixture.number, fixture.pk, state), _next(fixture.stage_id, fixture.number)]
    row = state.matches.get(fixture.pk)
    return LinePreview(
        " · ".join(part for part in parts if part), table=row.table if row is not None else None, fixture=fixture.pk
    )


def _place(number: int, fixture: int, state: FloorState) -> str:
    row = state.matches.get(fixture)
    if row is None or row.table is None:
        return f"M{number}"
    return _("M%(number)d, table %(table)s") % {"number": number, "table": state.tables[row.table].label}


def _next(stage: int, number: int) -> str:
    """Return where the winner goes, if that is a match of the same stage."""
    slots = Slot.objects.filter(fixture__stage=stage, source=Slot.Source.WINNER, source_fixture=number)
    following = slots.values_list("fixture__number", flat=True).first()
    return _("winner to M%(number)d") % {"number": following} if following is not None else ""
