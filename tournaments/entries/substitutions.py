"""Substitutes: another player takes the place of an entry before its first match, and that can be undone."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.access import Who, open_to
from core.repeats import Repeat, repeated
from engine.errors import Refused
from matches.lifecycle.begun import is_untouched
from matches.lifecycle.own_match import check_own_match
from matches.models import Match
from players.actors import Actor, log
from players.models import Player
from players.people.rows import lock_present
from tournaments.entries import check_in
from tournaments.entries.forms import SubstituteForm, UndoSubstitutionForm
from tournaments.entries.lists import find_or_add_player
from tournaments.entries.services import same_person
from tournaments.events.actions import (
    EntryAction,
    by,
    desk_url,
    directed_entry,
    event_url_args,
    page,
    sent,
)
from tournaments.models import CheckIn, Division, Entry, Fixture, Substitution
from tournaments.state.locks import division_changed, lock_division, lock_unfinished_matches
from tournaments.state.names import display_name
from tournaments.state.places import refuse_passing
from tournaments.state.settle import settle


@dataclass(frozen=True, slots=True)
class SubstituteInput:
    """Who takes the place: a name, or the public id of a player (`player`) that the name refers to."""

    name: str
    player: str = ""
    reason: str = ""
    past_waiting: bool = False
    """Whether the director confirms that those who wait for a place go on waiting."""


def substitute(*, entry: Entry, substitute: SubstituteInput, after: int, by: Actor, now: datetime) -> Substitution:
    """Let another player take the place of an entry; its open matches become matches of that player.

    The player is not checked in, even if the one who leaves was.

    Refused: `stale`, `not_entered`, `already_entered`, `substitution_too_late`,
    `reentry_without_substitute`, `others_wait`, what `enter_name` refuses for a name,
    and what `check_own_match` refuses for directors who exchange their own opponent.
    """
    with transaction.atomic():
        player = find_or_add_player(division=entry.division, name=substitute.name, player=substitute.player, by=by)
        reason, past_waiting = substitute.reason, substitute.past_waiting
        return _replace(entry, player, after, by, now, reason=reason, past_waiting=past_waiting)


def undo_substitution(*, entry: Entry, after: int, by: Actor, now: datetime) -> Substitution:
    """Give an entry its place back from the last substitute.

    Refused: `stale`, `not_substituted`, `already_entered` if the first player was entered again since, and as
    `substitute` refuses.
    """
    with transaction.atomic():
        lock_division(entry.division_id)
        last = last_substitution(entry)
        if last is None:
            raise Refused("not_substituted")
        return _replace(entry, last.before, after, by, now, undoes=last)


def last_substitution(entry: Entry) -> Substitution | None:
    """Return the newest substitution of an entry that stands."""
    rows = entry.substitutions.filter(undoes=None, undone_by=None).select_related("before", "after")
    return rows.order_by("-pk").first()


def _replace(
    entry: Entry,
    player: Player,
    after: int,
    by: Actor,
    now: datetime,
    *,
    undoes: Substitution | None = None,
    reason: str = "",
    past_waiting: bool = False,
) -> Substitution:
    """Record a substitution and settle the division; the caller holds a transaction."""
    division = lock_division(entry.division_id)
    locked_matches = lock_unfinished_matches([division])
    row = Entry.objects.select_related("player").get(pk=entry.pk)
    if division.seq != after:
        raise Refused("stale")
    _refuse_unfit(division, row, player)
    if undoes is None:
        refuse_passing(division, [Entry(entered_at=now)], past_waiting=past_waiting)
    lock_present(player)
    for match in _matches_of(row):
        if not is_untouched(match):
            raise Refused("substitution_too_late", name=row.player.shown_name)
        check_own_match(match, by, reason)
    _reset_presence(division, row, by, now)
    substitution = Substitution.objects.create(
        entry=row, before=row.player, after=player, undoes=undoes, at=now, by=by.user
    )
    row.player = player
    row.save(update_fields=["player"])
    verb = "substituted" if undoes is None else "substitution_undone"
    log(by, verb, division.topic, club=division.tournament.club, entry=row.pk, reason=reason)
    division_changed(division)
    if division.status == Division.Status.RUNNING:
        settle(division, by=by, now=now, locked=locked_matches)
    return substitution


def _reset_presence(division: Division, entry: Entry, by: Actor, now: datetime) -> None:
    """Record that the entry is missing: who was here, or away until a time, was the player who leaves the place."""
    if check_in.state_of(entry) != CheckIn.State.MISSING:
        missing = CheckIn(entry=entry, state=CheckIn.State.MISSING, at=now, by=by.user)
        check_in.record(division, [missing], by)


def _refuse_unfit(division: Division, entry: Entry, player: Player) -> None:
    """Refuse an entry or a division that no longer plays, and a player who is entered already."""
    if entry.status != Entry.Status.IN:
        raise Refused("not_entered", name=entry.player.shown_name)
    if division.status not in (Division.Status.ENTRIES, Division.Status.RUNNING):
        raise Refused("tournament_not_open")
    if entry.number > 1:
        raise Refused("reentry_without_substitute")
    others = division.entries.exclude(status=Entry.Status.OUT).exclude(pk=entry.pk)
    if player.pk == entry.player_id or others.filter(same_person(player)).exists():
        raise Refused("already_entered", name=player.shown_name)


def _matches_of(entry: Entry) -> list[Match]:
    """Return the matches of the fixtures that an entry has reached."""
    fixtures = Fixture.objects.filter(slots__entry=entry, match__isnull=False).select_related("match")
    return [fixture.match for fixture in fixtures.distinct() if fixture.match is not None]


# Who plays instead of whom.


class Substitute(NamedTuple):
    """A player in the place of another, by the names that the reader may see."""

    player: str
    instead_of: str


def substitutes(division: Division, *, staff: bool) -> list[Substitute]:
    """Return the substitutions of a division that stand."""
    rows = Substitution.objects.filter(entry__division=division, undoes=None, undone_by=None)
    return [
        Substitute(display_name(row.after, staff=staff), display_name(row.before, staff=staff))
        for row in rows.select_related("before", "after").order_by("pk")
    ]


def substituted_entries(division: Division) -> set[int]:
    """Return the entries whose place a substitute has taken."""
    rows = Substitution.objects.filter(entry__division=division, undoes=None, undone_by=None)
    return set(rows.values_list("entry", flat=True))


# The page on which a director lets a substitute take the place of an entry, or undoes that.


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def substitute_page(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Ask who takes the place of an entry; by POST, let them."""
    entry = directed_entry(request.user, **kwargs)
    division = entry.division
    url = desk_url(division)
    form = SubstituteForm(sent(request), initial={"after": division.seq})
    candidates: list[list[str]] = []
    if form.is_valid():
        data = form.cleaned_data
        wanted = SubstituteInput(data["name"], data["player"], data["reason"], data["past_waiting"])
        try:
            done = substitute(entry=entry, substitute=wanted, after=data["after"], by=by(request), now=timezone.now())
        except Refused as refused:
            form.refuse(refused)
            candidates = refused.params.get("candidates", [])
        else:
            names = {"player": done.after.name, "instead_of": done.before.name}
            messages.success(request, _("%(player)s plays instead of %(instead_of)s.") % names)
            return redirect(url)
    args = (*event_url_args(division.tournament), entry.public_id)
    context = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "entry": entry,
        "form": form,
        "candidates": candidates,
        "last": last_substitution(entry),
        "undo_url": reverse("entry-substitute-undo", args=args),
        "back_url": url,
    }
    return page(request, "tournaments/entries/substitute.html", context, form)


def _undo(form: UndoSubstitutionForm, **acting: Any) -> str:
    done = undo_substitution(entry=form.instance, after=form.cleaned_data["after"], **acting)
    return _("%(player)s plays again.") % {"player": done.after.name}


undo = EntryAction("undo", UndoSubstitutionForm, _undo).view
