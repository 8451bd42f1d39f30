"""What a published draw is repeated from: the input of a paired round, and the lots drawn later in its stage.

`tools/verify_draw.py` reads it. Whom a director keeps apart is shown to directors only.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from tournaments.formats.elimination import knockout
from tournaments.formats.graph import MAIN
from tournaments.formats.settings import BY_ROUND, ELIMINATION, GROUPS, LIVES, MOST_ROUNDS
from tournaments.formats.swiss.event import PAIRING_BYES, ByeKind, Order, SwissEvent
from tournaments.models import Division, Draw, LateEntry, Stage
from tournaments.state.derivation import StageState, states_of
from tournaments.state.names import club_mates, club_of_each
from tournaments.state.plans import settings_of
from tournaments.state.stage_rows import Byes, digest, kept_apart


def groups_of(stage: Stage) -> int:
    """Return into how many groups the places of a draw are divided."""
    settings = settings_of(stage)
    return settings.groups if settings.format == GROUPS else 1


def group_seeds(draw: Draw, division: Division, ratings: dict[int, float]) -> dict[int, int]:
    """Return entry id -> seed, if the draw of groups was seeded by rating."""
    if draw.stage.format != GROUPS or division.draw_method != Division.DrawMethod.RATING:
        return {}
    order = knockout.seed_order({place: ratings[place] for place in draw.places if place is not None})
    return {entry: at for at, entry in enumerate(order, start=1)}


def apart_in(draw: Draw, division: Division) -> list[list[int]]:
    """Return the entries that the draw of a bracket or of groups keeps apart, as they are now."""
    drawn = [place for place in draw.places if place is not None]
    mates = club_mates(division, drawn) if division.apart else []
    return [*mates, *(sorted(pair) for pair in kept_apart(division))]


def pairing_input(state: StageState, draw: Draw, *, directs: bool) -> dict[str, Any] | None:
    """Return what a round was paired from; None if a correction or another change has altered it since.

    Scores are doubled, so that they are whole numbers.
    """
    if state.event is None or draw.stage.format not in BY_ROUND or not draw.round or state.event.continuous:
        return None
    division, settings = state.rows.stage.division, state.rows.settings
    byes = {int(entry): ByeKind(kind) for entry, kind in draw.byes.items() if kind not in PAIRING_BYES}
    playing = tuple(player for player in state.event.players if player.active(draw.round))
    before = replace(state.event, players=playing, rounds=state.event.rounds[: draw.round - 1])
    event = _as_it_was(before, byes, draw.basis)
    if event is None:
        return None
    clubs = club_of_each(division, [player.entry for player in event.players]) if division.apart else {}
    met = sorted([*sorted(pair), rounds] for pair, rounds in event.meetings.items())
    return {
        "planned": event.planned,
        "rematches": event.allow_rematches,
        "lives": settings.lives if settings.format == LIVES else None,
        "order": event.order.value,
        "players": [
            {
                "number": player.entry,
                "score": round(2 * event.scores[player.entry]),
                "losses": event.losses[player.entry],
                "rating": player.rating if event.order is not Order.RANDOM else None,
                "float": event.floats.get(player.entry, 0),
                "byes": event.pairing_byes[player.entry],
            }
            for player in event.players
        ],
        "met": met,
        "requested": sorted(byes),
        "fixed": draw.manual,
        "apart": sorted(sorted(pair) for pair in event.forbidden) if directs else None,
        "clubs": [[entry, club] for entry, club in sorted(clubs.items())] if directs else None,
    }


def _as_it_was(event: SwissEvent, byes: Byes, basis: str) -> SwissEvent | None:
    """Return the event with the settings under which it has this digest; None if something else differs."""
    now = (event.planned, event.allow_rematches)
    others = product((None, *range(1, MOST_ROUNDS + 1)), (False, True))
    for planned, rematches in (now, *others):
        tried = replace(event, planned=planned, allow_rematches=rematches)
        if digest(tried, byes) == basis:
            return tried
    return None


def later_lots(state: StageState) -> list[dict[str, Any]]:
    """Return the lots that were drawn in a stage after its draw, as far as its plan says who drew them.

    `among` are shuffled by the lot with this `key`; `drawn` is the order it gave. Of a late entry's lot, `drawn` are
    the matches whose byes were taken, first to last.
    """
    lots: list[dict[str, Any]] = []
    for table in state.tables:
        among = sorted(table.records.games)
        drawn = sorted(among, key=lambda entry: table.records.lots[entry])
        lots.append({"key": "tiebreak", "of": table.key, "among": among, "drawn": drawn})
    if state.stage.format in ELIMINATION:
        first = sorted(fixture.number for fixture in state.rows.graph.bracket(MAIN).rounds[0].fixtures)
        rows = LateEntry.objects.filter(stage=state.stage, undoes=None, undone_by=None).order_by("pk")
        taken = [number for row in rows for number, _side in row.slots if number in first]
        lots += [{"key": "lot:late", "of": MAIN, "among": first, "drawn": taken}] if taken else []
    return lots


def state_for(draws: Sequence[Draw], division: Division) -> dict[int, StageState]:
    """Return the states of the stages of published draws, by stage id; nothing is derived if none is needed."""
    needed = any(draw.stage.format in BY_ROUND or draw.stage.lots_seed_is_public for draw in draws)
    return {state.stage.pk: state for state in states_of(division)} if needed else {}
