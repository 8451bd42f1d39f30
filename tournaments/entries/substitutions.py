"""Substitutes: another player takes the place of an entry before its first match, and that can be undone."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.db import transaction
from django.db.models import Q
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
from tournaments.entries import check_in
from tournaments.entries.forms import SubstituteForm, UndoSubstitutionForm, question_of
from tournaments.entries.lists import find_or_add_side, line_of
from tournaments.entries.services import Side, locked_sides, refuse_sides, refuse_spent
from tournaments.events.actions import EntryAction, by, desk_url, directed_entry, event_url_args, page, sent
from tournaments.models import Division, Entry, Fixture, Substitution
from tournaments.state.derivation import states_of
from tournaments.state.locks import division_changed, lock_division, lock_unfinished_matches
from tournaments.state.names import display_name
from tournaments.state.places import refuse_passing
from tournaments.state.settle import settle
from tournaments.state.start_scores import keep_rating
from tournaments.state.versions import DivisionPart, refuse_stale


@dataclass(frozen=True, slots=True)
class SubstituteInput:
    """Who takes the place: a name and the public id (`player`) of whom it means, and both of a partner."""

    name: str
    player: str = ""
    partner: str = ""
    partner_player: str = ""
    reason: str = ""
    past_waiting: bool = False
    """Whether the director confirms that those who wait for a place go on waiting."""


def substitute(*, entry: Entry, substitute: SubstituteInput, after: int, by: Actor, now: datetime) -> Substitution:
    """Let another player, or another pair, take the place of an entry; its open matches become theirs.

    Who is new is not checked in, even if the one who leaves was.

    Refused: `stale`, `not_entered`, `substitution_too_late`, `reentry_without_substitute`, `others_wait`, what
    `enter_name` refuses for a name, and what `check_own_match` refuses for directors who exchange their own opponent.
    """
    with transaction.atomic():
        who = substitute
        line = line_of(entry.division, who.name, who.partner, who.player, who.partner_player)
        side = find_or_add_side(division=entry.division, line=line, by=by, leaving=entry)
        return _replace(entry, side, after, by, now, reason=who.reason, past_waiting=who.past_waiting)


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
    rows = entry.substitutions.filter(undoes=None, undone_by=None).select_related("before", "after")
    return rows.order_by("-pk").first()


def _replace(
    entry: Entry,
    side: Side,
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
    refuse_stale(division, after, by=by, parts=[DivisionPart.ENTRIES])
    [player] = locked_sides([side])
    _refuse_unfit(division, row, player)
    if undoes is None:
        refuse_passing(division, [Entry(entered_at=now)], past_waiting=past_waiting)
    for match in _matches_of(row):
        if not is_untouched(match):
            raise Refused("substitution_too_late", name=row.player.shown_name)
        check_own_match(match, by, reason)
    substitution = Substitution.objects.create(
        entry=row, before=row.player, after=player, undoes=undoes, at=now, by=by.user
    )
    row.player = player
    for name, empty in Entry.emptied().items():
        setattr(row, name, empty)
    keep_rating(division, row)
    row.save(update_fields=["player", "rating", *Entry.emptied()])
    check_in.after_substitution(division, row, by, now)
    verb = "substituted" if undoes is None else "substitution_undone"
    log(by, verb, division.topic, club=division.tournament.club, entry=row.pk, reason=reason)
    division_changed(division, part=DivisionPart.ENTRIES)
    if division.status == Division.Status.RUNNING:
        settle(division, by=by, now=now, locked=locked_matches)
    return substitution


def _refuse_unfit(division: Division, entry: Entry, player: Player) -> None:
    """Refuse an entry or a division that no longer plays, and a player who is entered already."""
    if entry.status != Entry.Status.IN:
        raise Refused("not_entered", name=entry.player.shown_name)
    if division.status not in (Division.Status.ENTRIES, Division.Status.RUNNING):
        raise Refused("tournament_not_open")
    if entry.number > 1:
        raise Refused("reentry_without_substitute")
    others = division.entries.exclude(status=Entry.Status.OUT).exclude(pk=entry.pk)
    if player.pk in (entry.player_id, entry.player.merged_into_id):
        raise Refused("already_entered", name=player.shown_name)
    refuse_sides(division, [player], others)
    refuse_spent(states_of(division), [player], own=Q(pk=entry.pk))


def _matches_of(entry: Entry) -> list[Match]:
    """Return the matches of the fixtures that an entry has reached."""
    fixtures = Fixture.objects.filter(slots__entry=entry, match__isnull=False).select_related("match")
    return [fixture.match for fixture in fixtures.distinct() if fixture.match is not None]


class Substitute(NamedTuple):
    """A player in the place of another, by the names that the reader may see."""

    player: str
    instead_of: str


def substitutes(division: Division, *, staff: bool) -> list[Substitute]:
    rows = Substitution.objects.filter(entry__division=division, undoes=None, undone_by=None)
    return [
        Substitute(display_name(row.after, staff=staff), display_name(row.before, staff=staff))
        for row in rows.select_related("before", "after").order_by("pk")
    ]


def substituted_entries(division: Division) -> set[int]:
    """Return the entries whose place a substitute has taken."""
    rows = Substitution.objects.filter(entry__division=division, undoes=None, undone_by=None)
    return set(rows.values_list("entry", flat=True))


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def substitute_page(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Ask who takes the place of an entry; by POST, let them."""
    entry = directed_entry(request.user, **kwargs)
    division = entry.division
    url = desk_url(division)
    pair = entry.player.full_name if entry.player.parts is not None else ""
    form = SubstituteForm(sent(request), initial={"after": division.seq, "name": pair})
    question: dict[str, Any] = {}
    if form.is_valid():
        data = form.cleaned_data
        wanted = SubstituteInput(**{field.name: data[field.name] for field in fields(SubstituteInput)})
        try:
            done = substitute(entry=entry, substitute=wanted, after=data["after"], by=by(request), now=timezone.now())
        except Refused as refused:
            if "seq" in refused.params:
                # Sent again, it is about what the page shows now.
                form.data = dict(form.data.items()) | {"after": refused.params["seq"]}
            form.refuse(refused)
            question = question_of(refused, form)
        else:
            names = {"player": done.after.full_name, "instead_of": done.before.full_name}
            messages.success(request, _("%(player)s plays instead of %(instead_of)s.") % names)
            return redirect(url)
    args = (*event_url_args(division.tournament), entry.public_id)
    context = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "entry": entry,
        "form": form,
        **question,
        "last": last_substitution(entry),
        "undo_url": reverse("entry-substitute-undo", args=args),
        "back_url": url,
    }
    return page(request, "tournaments/entries/substitute.html", context, form)


def _undo(form: UndoSubstitutionForm, **acting: Any) -> str:
    done = undo_substitution(entry=form.instance, after=form.cleaned_data["after"], **acting)
    return _("%(player)s plays again.") % {"player": done.after.full_name}


undo = EntryAction("undo", UndoSubstitutionForm, _undo).view
