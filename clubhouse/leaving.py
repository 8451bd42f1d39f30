"""Whoever leaves the site is withdrawn from events that are not over, and gives up places in finals."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from core.messages import sentence
from engine.errors import Refused
from formats.series.plan import Eligibility
from players.models import Club, Player
from players.people.stored_elsewhere import Leaving, Participation
from seasons.finals import answer
from seasons.places import is_drawn, notify_gave_up
from seasons.tables import newest_plan
from tournaments.entries.returns import bring_back, preview_return
from tournaments.entries.services import decided_by, plays_in, withdraw_all
from tournaments.models import Division, Entry, FinalPlace, Series, Tournament
from tournaments.state.locks import lock_division
from tournaments.state.notifications import BACK, BACK_WAITING, SUSPENDED, notify_left

OVER = (Division.Status.FINISHED, Division.Status.CANCELLED)
DECLINED = FinalPlace.Answer.DECLINED


def open_entries(players: Collection[Player]) -> QuerySet[Entry]:
    """Return the entries of a person in divisions that are not over, those on waiting lists and of pairs included.

    A pair ends as a side when one of the two leaves, unless it plays without them.
    """
    rows = Entry.objects.filter(decided_by(players)).exclude(status=Entry.Status.OUT)
    return rows.exclude(division__status__in=OVER).select_related("player", "division__tournament__club")


def held_places(players: Collection[Player], now: datetime) -> list[FinalPlace]:
    """Return the places that a person has, or is offered, in finals that are not drawn."""
    rows = FinalPlace.objects.filter(player__in=players, taken_back_at=None).exclude(answer=DECLINED)
    rows = rows.select_related("player", "series__club", "series__final").order_by("series__club_id", "series_id")
    return [row for row in rows if row.is_held(now) and not is_drawn(row.series.final)]


def parts_of(players: Collection[Player], now: datetime) -> Iterator[Participation]:
    """Yield the events and places that a person may know of: an event that is not published is not named."""
    for entry in open_entries(players).exclude(division__tournament__status=Tournament.Status.DRAFT):
        yield _part(entry)
    for place in held_places(players, now):
        yield _part_of_place(place)


def _finals_for_members(
    players: Collection[Player], club: Club, now: datetime
) -> tuple[QuerySet[Entry], list[FinalPlace]]:
    """Return a person's open entries and places in finals of seasons to which only members of a club belong."""
    series = [
        row for row in Series.objects.filter(club=club) if newest_plan(row).plan.get("belongs") == Eligibility.MEMBERS
    ]
    entries = open_entries(players).filter(division__tournament__final_of__in=series)
    return entries, [place for place in held_places(players, now) if place.series in series]


def for_members(players: Collection[Player], club: Club, now: datetime) -> Iterator[Participation]:
    """Yield the finals of a club that a person can only play in as a member."""
    entries, places = _finals_for_members(players, club, now)
    published = entries.exclude(division__tournament__status=Tournament.Status.DRAFT)
    yield from {_part(entry) for entry in published} | {_part_of_place(place) for place in places}


def end_membership(leaving: Leaving, club: Club) -> None:
    """Withdraw who leaves a club from the finals that only its members can play in."""
    entries, places = _finals_for_members(leaving.players, club, leaving.now)
    withdraw_all(entries, by=leaving.by, now=leaving.now)
    _decline(places, leaving)


def end_all(leaving: Leaving) -> None:
    """Withdraw a person from everything, and tell the directors."""
    variant = SUSPENDED if leaving.is_suspended else ""
    for entry in withdraw_all(open_entries(leaving.players), by=leaving.by, now=leaving.now):
        notify_left(entry, variant=variant, leaving=leaving)
    places = held_places(leaving.players, leaving.now)
    _decline(places, leaving)
    for place in places:
        if place.series.final is None:
            notify_gave_up(place, leaving)


def _decline(places: Iterable[FinalPlace], leaving: Leaving) -> None:
    acting: Any = {"by": leaving.by, "now": leaving.now}
    for place in places:
        answer(series=place.series, player=place.player, answer=DECLINED, directs=True, **acting)


def return_all(leaving: Leaving, left_at: datetime) -> Iterator[Participation]:
    """Return a person to the events from which a suspension withdrew them; yield the others, with why."""
    rows = Entry.objects.filter(plays_in(leaving.players), status=Entry.Status.OUT, withdrawn_at=left_at)
    entries = list(rows.select_related("player", "division__tournament__club").order_by("division_id", "pk"))
    for division in sorted({entry.division_id for entry in entries}):
        lock_division(division)
    for entry in entries:
        try:
            with transaction.atomic():
                if entry.division.status in OVER:
                    raise Refused("tournament_not_open")
                bring_back(entry=entry, seen=preview_return(entry=entry).mark, by=leaving.by, now=leaving.now)
        except Refused as refused:
            part = _part(entry)
            yield Participation(f"{part.text}: {sentence(refused.code, refused.params)}", part.url)
        else:
            waits = entry.status == Entry.Status.WAITING
            notify_left(entry, variant=BACK_WAITING if waits else BACK, leaving=leaving)
    given_up = FinalPlace.objects.filter(player__in=leaving.players, answer=DECLINED, answered_at=left_at)
    for place in given_up.select_related("series__club"):
        yield _part_of_place(place)


def _part(entry: Entry) -> Participation:
    division = entry.division
    event = division.tournament
    url = reverse("division", args=[event.club.slug, event.slug, division.public_id])
    return Participation(f"{event.name} · {division.name}", url)


def _part_of_place(place: FinalPlace) -> Participation:
    text = _("Place in the final of %(season)s") % {"season": place.series.name}
    return Participation(text, reverse("series", args=[place.series.club.slug, place.series.slug]))
