"""The page of the side events at the desk: names with their fees in one tap, and the lists as they fill."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.names import fold
from core.requests import is_htmx
from players.access import Role
from players.models import Player
from players.people.rows import PersonId, people_of
from tournaments import access
from tournaments.entries.arrivals import members_called
from tournaments.events.actions import event_url_args, page
from tournaments.events.offers import ListState, OfferLine, RunLine, names_on, offers_of
from tournaments.ledger.accounts import draw_needs_payment, owed_by_entry
from tournaments.ledger.money import Currency, percent
from tournaments.models import Division, Entry, Offer, Tournament
from tournaments.offers.forms import SideEventForm
from tournaments.state.names import shown_entry
from tournaments.state.topics import event_topics

PAGE, PART = "tournaments/offers/jackpots.html", "tournaments/offers/_jackpots.html"


def jackpots_url(tournament: Tournament) -> str:
    return reverse("jackpots", args=event_url_args(tournament))


@dataclass(frozen=True, slots=True)
class DeskList:
    """A list that has not started, with who is on it."""

    run: RunLine
    entries: Sequence[tuple[Entry, str]]
    """With the name of each."""
    waits_for: str
    """Whose fees its start waits for; empty if for nobody's."""

    @property
    def names(self) -> str:
        return " · ".join(name for _entry, name in self.entries)


@dataclass(frozen=True, slots=True)
class DeskOffer:
    """An offer at the desk: its lists, and who can be put on the next one by a tap."""

    line: OfferLine
    lists: Sequence[DeskList]
    others: Sequence[RunLine]
    """The lists that have started."""
    people: Sequence[Player]
    amount: int
    """The fee of the list that takes the next name."""
    fee: str
    form: SideEventForm


@open_to(get=Who.DIRECTORS)
@never_cache
def jackpots(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the side events at the desk; an htmx request gets only the lists."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    context = jackpots_page(event, request.GET.get("q", "").strip(), request.GET.get("tap", ""), timezone.now())
    return render(request, PART if is_htmx(request) else PAGE, context)


def with_form(request: HttpRequest, event: Tournament, form: SideEventForm, offer: Offer | None = None) -> HttpResponse:
    """Show the page with a form of an offer, or of a new one, that was refused."""
    context = jackpots_page(event, "", "", timezone.now(), faulty=(offer, form))
    return page(request, PAGE, context, form)


def jackpots_page(
    tournament: Tournament,
    text: str,
    tap: str,
    now: datetime,
    faulty: tuple[Offer | None, SideEventForm] | None = None,
) -> dict[str, Any]:
    """Return the context of the page. `text` is a name that is looked for, `tap` the entry that was made last.

    The number of queries depends on that of the offers, not on that of the names.
    """
    currency = Currency.of(tournament)
    lines = offers_of(tournament, now)
    waiting = [run for line in lines for run in line.waiting]
    on_list = names_on([run for line in lines for run in line.runs])
    owed = _owed(tournament, waiting)
    persons = people_of(entry.player_id for entries in on_list.values() for entry in entries)
    people = _people(tournament, text)
    desks = []
    for line in lines:
        taken = _taken(line, on_list, persons)
        lists = [_desk_list(run, on_list.get(run.division.pk, ()), owed, currency) for run in line.waiting]
        fee = line.next.division.fee if line.next is not None else line.offer.fee
        form = faulty[1] if faulty is not None and faulty[0] == line.offer else form_of(line.offer)
        desks.append(
            DeskOffer(
                line,
                lists,
                [run for run in line.runs if not run.takes_names],
                [person for person in people if person.pk not in taken],
                fee,
                currency.text(fee) if fee else "",
                form,
            )
        )
    first = next((run.division for line in lines for run in line.waiting), None)
    if first is not None:
        first.tournament = tournament
    return {
        "tournament": tournament,
        "club": tournament.club,
        "may_direct": True,
        "offers": desks,
        "q": text,
        "found_members": _found(first, text, people) if first is not None and text else [],
        "tap": _tap(waiting, on_list, tap),
        "new_form": faulty[1] if faulty is not None and faulty[0] is None else _new_form(tournament),
        "is_faulty": faulty is not None,
        "topics": event_topics(tournament),
        "counts_down": any(run.state == ListState.STARTS for run in waiting),
        "jackpots_url": jackpots_url(tournament),
        "find_label": _("Find or add a player"),
    }


NEW = {"lengths": "5", "shares": "100", "size": 8, "kept": "5"}


def _new_form(tournament: Tournament) -> SideEventForm:
    return SideEventForm(initial={**NEW, "rated": tournament.rated})


def form_of(offer: Offer) -> SideEventForm:
    plain = Currency.of(offer.tournament).plain
    return SideEventForm(
        initial={
            "name": offer.name,
            "size": offer.size,
            "fee": plain(offer.fee) if offer.fee else "",
            "lengths": " ".join(map(str, offer.lengths)),
            "kept": percent(offer.kept).removesuffix(" %") if offer.kept else "",
            "shares": " ".join(percent(share).removesuffix(" %") for share in offer.shares),
            "unit": plain(offer.unit) if offer.unit > 1 else "",
            "rated": offer.rated,
            "again": offer.again,
        },
        auto_id=f"id_{offer.public_id}_%s",
    )


def _people(tournament: Tournament, text: str) -> list[Player]:
    """Return who is here or, where nobody is checked in but on lists, who is entered: those called so, by name."""
    rows = Entry.objects.filter(division__tournament=tournament, status=Entry.Status.IN)
    entered = list(rows.values_list("player", "checked_in_at", "division__offer"))
    # A name on a list is here by that, which says nothing of the others.
    is_used = any(at is not None and offer is None for _player, at, offer in entered)
    here = {player for player, at, _offer in entered if at is not None or not is_used}
    ids = {person for persons in people_of(here).values() for person in persons}
    people = Player.objects.filter(pk__in=ids, erased_at=None).order_by("name_key", "pk")
    return [person for person in people if fold(text) in fold(person.name)]


def _found(run: Division, text: str, people: Sequence[Player]) -> list[Player]:
    """Return the members called so who are not offered already."""
    known = {person.pk for person in people}
    return [row.player for row in members_called(run, text) if row.player.pk not in known]


def _taken(
    line: OfferLine, on_list: Mapping[int, Sequence[Entry]], persons: Mapping[int, tuple[PersonId, ...]]
) -> set[int]:
    """Return the persons who cannot join now: those on the next list or, unless the offer allows it, on any."""
    ended = (ListState.OVER, ListState.CALLED_OFF)
    runs = [run for run in line.runs if run == line.next or (not line.offer.again and run.state not in ended)]
    entries = [entry for run in runs for entry in on_list.get(run.division.pk, ())]
    return {person for entry in entries for person in persons[entry.player.pk]}


def _owed(tournament: Tournament, waiting: Sequence[RunLine]) -> dict[int, int]:
    """Return entry id -> what it owes, on full lists whose start waits for that."""
    full = [run.division for run in waiting if run.state == ListState.FULL]
    return owed_by_entry(*full) if full and draw_needs_payment(tournament) else {}


def _desk_list(run: RunLine, entries: Sequence[Entry], owed: Mapping[int, int], currency: Currency) -> DeskList:
    named = [(entry, shown_entry(entry, staff=True)) for entry in entries]
    owing = [(name, owed[entry.pk]) for entry, name in named if entry.pk in owed]
    waits_for = ""
    if owing:
        values = {
            "amount": currency.text(sum(due for _name, due in owing)),
            "names": ", ".join(row[0] for row in owing),
        }
        waits_for = _("Waits for %(amount)s from %(names)s") % values
    return DeskList(run, named, waits_for)


def _tap(waiting: Sequence[RunLine], on_list: Mapping[int, Sequence[Entry]], tap: str) -> dict[str, Any] | None:
    """Return the name that was put on a list last, while it can be undone; None if there is none."""
    for run in waiting:
        for entry in on_list.get(run.division.pk, ()):
            if entry.public_id == tap:
                return {"entry": entry, "name": shown_entry(entry, staff=True), "offer": run.division.offer}
    return None
