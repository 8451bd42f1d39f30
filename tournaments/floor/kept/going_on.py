"""What the page of a floor needs without a connection: who can come to each match, and what follows from it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Max
from django.utils.translation import gettext as _

from matches.lifecycle.own_match import side_of
from matches.reporting.kept import shown
from players.actors import Actor
from players.kept.acts import SentAct
from players.kept.api import About
from players.models import Player, User
from tournaments import access
from tournaments.floor.selectors import FloorView
from tournaments.floor.state import MatchOnFloor
from tournaments.models import CheckIn, Fixture, FloorEvent, Slot, Tournament

MOST_OF_STAFF = 2000
"""Acts that one of the staff sends in a day."""


class SideToCome(NamedTuple):
    """One side of a fixture: who stands there, or the match whose winner or loser comes there."""

    number: int
    entry: str | None
    player: int | None
    source: str
    feeding: int | None


class GoingOn:
    """The matches of a floor as they can go on; two queries."""

    def __init__(self, view: FloorView, reader: Actor) -> None:
        self.view = view
        self.seats: dict[int, list[SideToCome]] = defaultdict(list)
        """Number of a match, which is unique in the event -> its sides."""
        self.ways: dict[int, dict[str, int]] = defaultdict(dict)
        """Number of a match -> where its winner and its loser go."""
        rows = Slot.objects.filter(fixture__stage__division__tournament=view.tournament)
        for seat in map(
            SideToCome._make,
            rows.order_by("fixture__number", "side").values_list(
                "fixture__number", "entry__public_id", "entry__player", "source", "source_fixture"
            ),
        ):
            self.seats[seat.number].append(seat)
            if seat.feeding is not None:
                self.ways[seat.feeding][seat.source] = seat.number
        self.coming: dict[int, dict[str, dict[str, str]]] = {}
        self.own: set[int] = set()
        if isinstance(reader.user, User):
            self.own = set(Player.objects.filter(user=reader.user).values_list("pk", flat=True))

    def body(self, match: MatchOnFloor) -> dict[str, Any]:
        """Return what the API says of a match beside how it stands."""
        sides = [self._entry(seat) for seat in self.seats[match.number]]
        persons = set(self.view.facts.persons(match.facts.players))
        return {
            "sides": sides,
            "possible": [
                [] if seat.entry is not None else list(self._coming(seat.feeding).values())
                for seat in self.seats[match.number]
            ],
            "then": self._then(match),
            "saw": shown(match.facts.length, match.facts.start),
            "needs_reason": not self.own.isdisjoint(persons),
        }

    def _entry(self, seat: SideToCome) -> dict[str, str] | None:
        if seat.entry is None or seat.player is None:
            return None
        return {"entry": seat.entry, "name": self.view.names.get(seat.player, "")}

    def _coming(self, feeding: int | None) -> Mapping[str, dict[str, str]]:
        """Return the entries that can still come from a match; nobody from what is only to be drawn or paired."""
        if feeding is None:
            return {}
        if feeding not in self.coming:
            coming: dict[str, dict[str, str]] = {}
            for seat in self.seats[feeding]:
                entry = self._entry(seat)
                coming |= {entry["entry"]: entry} if entry is not None else self._coming(seat.feeding)
            self.coming[feeding] = coming
        return self.coming[feeding]

    def _then(self, match: MatchOnFloor) -> str:
        ways = self.ways.get(match.number, {})
        parts = []
        if Slot.Source.WINNER in ways:
            parts.append(_("The winner goes to M%(number)d.") % {"number": ways[Slot.Source.WINNER]})
        if Slot.Source.LOSER in ways:
            parts.append(_("The loser goes to M%(number)d.") % {"number": ways[Slot.Source.LOSER]})
        return f"{_('Then:')} {' '.join(parts)}" if parts else ""


def newest_fact(tournament: Tournament) -> int:
    """Return the number of the newest fact of an event: of its floor and its check-ins, the higher."""
    facts = FloorEvent.objects.filter(tournament=tournament).aggregate(newest=Max("pk"))
    check_ins = CheckIn.objects.filter(entry__division__tournament=tournament).aggregate(newest=Max("pk"))
    return max(facts["newest"] or 0, check_ins["newest"] or 0)


def about_event(tournament: Tournament, reader: Actor) -> About:
    """Return what the acts of a floor are about, for somebody of its staff."""

    def carries(whose: User, acts: Sequence[SentAct], since: datetime) -> bool:
        named = Fixture.objects.filter(
            public_id__in={act.fixture for act in acts}, stage__division__tournament=tournament
        )
        matches = [row.match for row in named.select_related("match") if row.match is not None]
        plays = any(side_of(match, Actor.of(whose)) is not None for match in matches)
        return plays or access.had_role(whose, tournament, since)

    return About(tournament.topic, tournament.club, reader, carries, MOST_OF_STAFF)
