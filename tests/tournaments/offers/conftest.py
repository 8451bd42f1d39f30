"""A published event with a jackpot of four at 100.00, of which 5 % are kept."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from players.actors import Actor
from players.models import Player
from tests.event_cast import NOON
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Entry, Offer, Tournament
from tournaments.offers import services as offers
from tournaments.offers.services import OfferInput

FEE = 100_00
JACKPOT = OfferInput("Jackpot 100", 4, [5], fee=FEE, kept=500, shares=(7000, 3000))
NAMES = ("Ann", "Bea", "Cem", "Dan", "Eva", "Fay", "Gus", "Hal")


@dataclass
class Desk:
    """Alice at the desk of an event with a jackpot; Ann, Bea and the others play in its main event."""

    event: Tournament
    offer: Offer
    by: Actor
    at: datetime = NOON
    people: dict[str, Player] = field(default_factory=dict)
    taps: int = 0

    def join(self, *names: str, amount: int = FEE, key: str = "", paid: bool = True) -> Entry:
        """Put these people on a list, one after another; return the last entry."""
        for name in names:
            self.taps += 1
            entry = offers.join(
                offer=self.offer,
                player=self.people[name],
                amount=amount,
                key=key or f"tap {self.taps}",
                paid=paid,
                by=self.by,
                now=self.at,
            )
        return Entry.objects.select_related("division", "player").get(pk=entry.pk)

    def leave(self, name: str, run: int = 1) -> None:
        """Take somebody off a list."""
        offers.leave(offer=self.offer, entry=self.entry(name, run), by=self.by, now=self.at)

    def wait(self, seconds: float) -> None:
        """Let time pass, and the sweep run."""
        self.at += timedelta(seconds=seconds)
        offers.start_lists(self.at)

    def run(self, number: int) -> Division:
        """A list as it is now."""
        return Division.objects.select_related("offer", "tournament__club").get(offer=self.offer, run=number)

    def entry(self, name: str, run: int = 1) -> Entry:
        """The entry of somebody on a list."""
        rows = Entry.objects.filter(division=self.run(run), player=self.people[name]).exclude(status="out")
        return rows.select_related("division", "player").get()

    @property
    def lists(self) -> list[tuple[str, ...]]:
        """The names on each list, in their order."""
        return [
            tuple(
                row.player.name
                for row in run.entries.filter(status="in").select_related("player").order_by("entered_at", "pk")
            )
            for run in self.offer.runs.order_by("run")
        ]

    @property
    def statuses(self) -> list[str]:
        """The status of each list."""
        return list(self.offer.runs.order_by("run").values_list("status", flat=True))


@pytest.fixture
def desk(tournament: Tournament, by_alice: Actor) -> Desk:
    """The desk of a published event with a jackpot."""
    Tournament.objects.update(currency="EUR", currency_exponent=2)
    division = events.create_division(tournament=tournament, by=by_alice, now=NOON, name="Main")
    people = {name: Player.objects.create(name=name) for name in NAMES}
    entries.enter(division=division, players=people.values(), by=by_alice, now=NOON)
    tournament.refresh_from_db()
    offer = offers.create_offer(tournament=tournament, offer=JACKPOT, by=by_alice, now=NOON)
    events.publish_tournament(tournament=tournament, by=by_alice, now=NOON)
    tournament.refresh_from_db()
    return Desk(tournament, Offer.objects.select_related("tournament__club").get(pk=offer.pk), by_alice, people=people)
