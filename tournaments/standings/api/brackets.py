"""API of brackets and fixtures: the whole graph of a division, with sources and states."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.pagination import NumberedPages
from matches.models import Match
from matches.reporting.serializers import where_data
from tournaments import access
from tournaments.models import Division, Fixture
from tournaments.standings.layout import bracket_name, round_name
from tournaments.standings.selectors import brackets
from tournaments.standings.selectors.brackets import FixtureRow, RoundRow, SlotRow
from tournaments.state import serializers
from tournaments.state.api import PROBLEM, READ, with_etag
from tournaments.state.names import Names, names_for

EXAMPLE = OpenApiExample(
    "A final to be decided",
    value={
        "division": "k7m2q9x4ab",
        "seq": 12,
        "status": "running",
        "stages": [{"number": 1, "format": "knockout", "status": "running"}],
        "brackets": [
            {
                "stage": 1,
                "key": "main",
                "name": "Main draw",
                "rounds": [
                    {
                        "number": 2,
                        "name": "Final",
                        "length": 11,
                        "deadline": None,
                        "fixtures": [
                            {
                                "public_id": "p3m2q9x4ab",
                                "number": 3,
                                "status": "waiting",
                                "slots": [
                                    {"source": "winner", "source_fixture": 1, "source_stage": None,
                                     "source_place": None, "status": "to_be_decided", "entry": None,
                                     "absent": None, "name": None},
                                    {"source": "winner", "source_fixture": 2, "source_stage": None,
                                     "source_place": None, "status": "to_be_decided", "entry": None,
                                     "absent": None, "name": None},
                                ],
                                "match": None, "match_state": None, "where": None, "seq": None, "due_at": None,
                                "result": None,
                                "bracket_kept": False,
                                "winner_to": None, "loser_to": None,
                            }
                        ],
                    }
                ],
            }
        ],
    },
    response_only=True,
)  # fmt: skip


def fixture_body(row: FixtureRow, names: Names, targets: tuple[dict[int, int], dict[int, int]]) -> dict[str, Any]:
    """Return a fixture as the API shows it."""
    played = row.played
    fields = ("winner", "score", "kind", "provisional")
    result = {name: getattr(played, name) for name in fields} if played.kind else None
    return {
        "public_id": row.public_id,
        "number": row.number,
        "status": row.status,
        "slots": [_slot(slot, names) for slot in row.slots],
        "match": played.public_id or None,
        "match_state": played.state or None,
        "where": where_data(played.where) if played.where is not None else None,
        "seq": seq_of(row, names),
        "due_at": row.due_at,
        "result": result,
        "bracket_kept": played.kept and played.onward != played.winner,
        "winner_to": targets[0].get(row.number),
        "loser_to": targets[1].get(row.number),
    }


def seq_of(row: FixtureRow, names: Names) -> int | None:
    """Return the `seq` of a fixture's match; of one that is being played here only for those who run the event.

    It would show spectators who are behind when somebody acts.
    """
    played = row.played
    is_hidden = played.state == Match.State.LIVE and not names.staff
    return played.seq if played.public_id and not is_hidden else None


def _slot(slot: SlotRow, names: Names) -> dict[str, Any]:
    def public_id(entry: int | None) -> str | None:
        return names.entries[entry].public_id if entry is not None and entry in names.entries else None

    return {
        "source": slot.source,
        "source_fixture": slot.source_fixture,
        "source_stage": slot.source_stage or None,
        "source_place": slot.source_place,
        "status": slot.status,
        "entry": public_id(slot.entry),
        "absent": public_id(slot.absent),
        "name": names.of(slot.entrant) or None,
    }


def rows_and_names(request: Request, division: Division) -> tuple[list[RoundRow], Names]:
    """Return the rounds of a division and the names of its entries as this user may see them."""
    return brackets.rounds_of(division), names_for(request.user, division)


class BracketView(APIView):
    """The graph of a division."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="divisions_bracket",
        summary="The whole bracket",
        description=(
            "Every fixture with the sources of its slots and their entrants now. A slot is an entry, a bye, a "
            "walkover or to be decided. Stages follow each other: a slot with `source` `place` waits for that place of "
            "`source_stage` (`1`, or `1:A` for group A of stage 1); one with `source` `drawn` is drawn by lot once all "
            "players of the round are known, and then has the winner or loser it went to as its source. "
            "Writes to a fixture take its match's `seq` as `after`."
        ),
        examples=[EXAMPLE],
        responses={200: serializers.BracketSerializer, **READ},
    )
    def get(self, request: Request, division: str) -> Response:
        """All stages, brackets and rounds."""
        requested = access.division(request.user, division)
        rounds, names = rows_and_names(request, requested)
        body = {
            "division": requested.public_id,
            "seq": requested.seq,
            "status": requested.status,
            "stages": list(requested.stages.order_by("number").values("number", "format", "status")),
            "brackets": _brackets(rounds, names),
        }
        return with_etag(serializers.BracketSerializer(body).data, requested.seq)


def _brackets(rounds: list[RoundRow], names: Names) -> list[dict[str, Any]]:
    targets = brackets.targets(rounds)
    by_key: dict[tuple[int, str], list[RoundRow]] = {}
    for row in rounds:
        by_key.setdefault((row.stage, row.bracket), []).append(row)
    return [
        {
            "stage": stage,
            "key": key,
            "name": bracket_name(key, upper=own[0].upper),
            "rounds": [
                {
                    "number": row.number,
                    "name": round_name(key, row.number, len(row.fixtures), len(own), upper=row.upper),
                    "length": row.length,
                    "deadline": row.deadline,
                    "fixtures": [fixture_body(fixture, names, targets) for fixture in row.fixtures],
                }
                for row in own
            ],
        }
        for (stage, key), own in by_key.items()
    ]


class Fixtures(generics.GenericAPIView[Any]):
    """The fixtures of a division as a list."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    pagination_class = NumberedPages
    serializer_class = serializers.FixtureSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="fixtures_list",
        summary="The fixtures of a division",
        parameters=[
            OpenApiParameter("status", str, enum=Fixture.Status.values),
            OpenApiParameter("player", str, description="Public id of a player: only their fixtures."),
        ],
        responses={200: serializers.FixtureSerializer(many=True), **READ, 422: PROBLEM},
    )
    def get(self, request: Request, division: str) -> Response:
        """By number."""
        requested = access.division(request.user, division)
        rounds, names = rows_and_names(request, requested)
        targets = brackets.targets(rounds)
        rows = [row for round_ in rounds for row in round_.fixtures]
        status, player = request.query_params.get("status"), request.query_params.get("player")
        if status:
            rows = [row for row in rows if row.status == status]
        if player:
            own = {pk for pk, entry in names.entries.items() if entry.player.public_id == player}
            rows = [row for row in rows if own & {entry for slot in row.slots for entry in (slot.entry, slot.absent)}]
        bodies = [fixture_body(row, names, targets) for row in self.paginate_queryset(rows) or []]
        return self.get_paginated_response(serializers.FixtureSerializer(bodies, many=True).data)
