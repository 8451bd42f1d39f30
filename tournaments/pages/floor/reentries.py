"""Re-entry on the floor: a button beside a match of the main bracket for its loser, and one that undoes it."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _

from matches.lifecycle.begun import has_begun
from matches.models import Result
from players.actors import Actor
from tournaments.entries.selectors.previews import reentry_view, refund_notes
from tournaments.entries.services.late_previews import preview_undo, standing_late_entry, undo_late
from tournaments.entries.services.reentries import may_reenter, preview_reentry, reenter, reenterable
from tournaments.formats.graph import MAIN
from tournaments.ledger.money import Currency
from tournaments.ledger.selectors.accounts import fees_of, paid_for, plans_of
from tournaments.models import Division, Entry, Fixture, Slot, Tournament
from tournaments.pages.floor.posts import Post, action_url
from tournaments.state.names import shown_entry


class Reentered(NamedTuple):
    """A player who has entered again and has not begun a match since."""

    name: str
    text: str
    """Until when the re-entry can be undone, and what was paid for it."""
    post: Post


class _Loser(NamedTuple):
    """The entry that lost a match, and the newest entry of the same player."""

    entry: Entry
    newest: Entry


def reentry_posts(
    tournament: Tournament, fixtures: Collection[Fixture], now: datetime, *, with_undo: bool = False
) -> dict[int, list[Post]]:
    """Return fixture id -> the buttons for the losers of these decided matches who can enter again.

    `with_undo` adds those that undo the re-entry of a loser who has not played since, for pages without the list of all
    of them. The service decides whether that is still possible. No query for events without re-entry.
    """
    for row in fixtures:
        row.stage.division.tournament = tournament
    decided = [
        row for row in fixtures if row.stage.division.reentry_until is not None and row.status == Fixture.Status.DECIDED
    ]
    open_ = {division for division in {row.stage.division for row in decided} if may_reenter(division, now)}
    if not open_ and not (with_undo and decided):
        return {}
    posts: dict[int, list[Post]] = {row.pk: [] for row in decided}
    losers = _losers(decided)
    played = _have_played([loser.newest for _, loser in losers]) if with_undo else set()
    fees = {division: _fee(division) for division in open_}
    able = {entry for division in open_ for entry in reenterable(division, now)}
    for fixture, loser in losers:
        division = fixture.stage.division
        loser.newest.division = division
        if loser.newest == loser.entry and loser.newest.pk in able:
            posts[fixture.pk].append(_enter(loser.newest, fees[division]))
        elif with_undo and loser.newest.number > loser.entry.number and loser.newest.pk not in played:
            posts[fixture.pk].append(_undo(loser.newest))
    return posts


def reentered(tournament: Tournament) -> list[Reentered]:
    """Return the re-entries of an event that can still be undone; no query for events without re-entry.

    That does not end with the time until which players can enter again.
    """
    running = {
        row.pk: row
        for row in tournament.divisions.all()
        if row.reentry_until is not None and row.status == Division.Status.RUNNING
    }
    if not running:
        return []
    again = Entry.objects.filter(division__in=running, number__gt=1, status=Entry.Status.IN)
    entries = list(again.select_related("player").order_by("division", "pk"))
    played, paid = _have_played(entries), paid_for(entries)
    slots = Slot.objects.filter(entry__in=entries).order_by("-fixture__number")
    first = dict(slots.values_list("entry", "fixture__number"))
    rows = []
    for entry in entries:
        entry.division = running[entry.division_id]
        if entry.pk not in played and entry.pk in first:
            rows.append(_reentered(entry, first[entry.pk], paid.get(entry.pk, 0)))
    return rows


def _reentered(entry: Entry, first: int, paid: int) -> Reentered:
    values = {"number": first, "amount": Currency.of(entry.division.tournament).with_name(paid)}
    text = _("Can be undone until M%(number)d begins.")
    if paid:
        text = _("Can be undone until M%(number)d begins. Undoing it makes %(amount)s due for refund.")
    return Reentered(shown_entry(entry, staff=True), text % values, _undo(entry))


def _fee(division: Division) -> str:
    fee = fees_of(division, plans_of([division]).get(division.pk)).of(is_reentry=True)
    return Currency.of(division.tournament).with_name(fee) if fee else ""


def _losers(fixtures: Collection[Fixture]) -> list[tuple[Fixture, _Loser]]:
    """Return the losers of those of these matches that are of a main bracket, with their newest entry."""
    by_pk = {row.pk: row for row in fixtures}
    slots = Slot.objects.filter(fixture__in=by_pk, fixture__round__bracket__key=MAIN, entry__isnull=False)
    rows = slots.select_related("entry__player", "fixture").order_by("fixture", "side")
    results = Result.objects.filter(match__in=[row.match_id for row in fixtures]).order_by("version")
    # The last version of each match stays.
    winners: dict[int | None, int | None] = dict(results.values_list("match", "winner"))
    divisions = {row.stage.division_id for row in fixtures}
    entries = Entry.objects.filter(division__in=divisions, status=Entry.Status.IN).select_related("player")
    newest = {(entry.division_id, _person(entry)): entry for entry in entries.order_by("pk")}
    losers = []
    for slot in rows:
        entry, match_id = slot.entry, slot.fixture.match_id
        # A match that both forfeited has two losers.
        if entry is None or match_id not in winners or winners[match_id] == slot.side:
            continue
        last = newest.get((entry.division_id, _person(entry)))
        if last is not None:
            losers.append((by_pk[slot.fixture_id], _Loser(entry, last)))
    return losers


def _person(entry: Entry) -> int:
    return entry.player.merged_into_id or entry.player_id


def _have_played(entries: Collection[Entry]) -> set[int]:
    """Return the ids of those of these entries of which a match has begun or is over; one query."""
    slots = Slot.objects.filter(entry__in=entries, fixture__match__isnull=False).select_related("fixture__match")
    return {
        slot.entry_id
        for slot in slots
        if slot.entry_id and (match := slot.fixture.match) is not None and (has_begun(match) or match.is_over)
    }


def _enter(entry: Entry, fee: str) -> Post:
    name = {"name": entry.player.name, "fee": fee}
    label = _("%(name)s enters again: %(fee)s") % name if fee else _("%(name)s enters again") % name
    fields = (("entry", entry.public_id), ("number", str(entry.number)))
    return Post(action_url(entry.division.tournament, "re-enter"), label, fields, f"re-enter-{entry.public_id}")


def _undo(entry: Entry) -> Post:
    label = _("Undo the re-entry of %(name)s") % {"name": shown_entry(entry, staff=True)}
    url = action_url(entry.division.tournament, "undo-re-entry")
    return Post(url, label, (("entry", entry.public_id),), f"undo-re-entry-{entry.public_id}")


def enter_again(*, entry: Entry, number: int, by: Actor, now: datetime) -> str:
    """Enter the player of an entry again and return what that did and what it costs.

    `number` is that of the entry the reader saw as the newest: pressed twice, it enters the player once. Refused: as
    `reenter`.
    """
    later = entry.division.entries.filter(player=entry.player, number__gt=number, status=Entry.Status.IN)
    if (again := later.select_related("player").order_by("pk").first()) is not None:
        return _("%(name)s has been entered.") % {"name": shown_entry(again, staff=True)}
    preview = preview_reentry(entry=entry, now=now)
    notes = reentry_view(preview).notes
    reenter(entry=entry, after=preview.seq, by=by, now=now)
    return " ".join(notes)


def undo_reentry(*, entry: Entry, by: Actor, now: datetime) -> str:
    """Undo a re-entry and return what that did; undoing it twice changes nothing. Refused: as `undo_late`."""
    if entry.number == 1 or standing_late_entry(entry) is not None:
        undo_late(entry=entry, after=preview_undo(entry=entry).seq, by=by, now=now)
    undone = _("Late entry of %(name)s undone.") % {"name": shown_entry(entry, staff=True)}
    return " ".join([undone, *refund_notes(entry)])
