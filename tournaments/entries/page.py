"""Pages of entries: lists of names, check-in, withdrawal, re-entry and late entry."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from rest_framework.response import Response

from core.access import View, Who, open_to
from core.links import absolute_url
from core.messages import sentence
from core.people_lists import as_lines
from core.repeats import Repeat, repeated
from core.requests import is_htmx
from engine.errors import Refused
from players.access import Role, is_at_least, my_player
from players.actions import Endpoint, FormSerializer
from players.actors import Actor
from players.clubs.lists import checked
from players.forms import CHOICE, RefusingForm
from players.models import Player, User
from players.people.rows import canonical
from tournaments import access
from tournaments.entries import arrivals, lists, services
from tournaments.entries import check_in as presence
from tournaments.entries.api import EntrySerializer
from tournaments.entries.event_links import links_of
from tournaments.entries.forms import (
    DIVISION,
    EVENT,
    AddEntryForm,
    AllHereForm,
    ArrivalForm,
    EnterListForm,
    EntryListForm,
    OwnCheckInForm,
    PresenceForm,
    PreviewedForm,
    ReturnForm,
    ScopeForm,
    UndoCheckInForm,
    WithdrawEntryForm,
    field_form,
    question_of,
)
from tournaments.entries.late import LatePreview, preview_undo, undo_late
from tournaments.entries.previews import (
    PartView,
    bye_taken,
    has_one_match_only,
    late_view,
    reentry_view,
    refund_notes,
    return_view,
    undo_view,
    withdrawal_view,
)
from tournaments.entries.reentries import preview_reentry, reenter
from tournaments.entries.returns import bring_back, preview_return
from tournaments.entries.workload import warnings_of
from tournaments.events.actions import (
    EntryAction,
    by,
    desk_url,
    directed_entry,
    division_url_args,
    event_url_args,
    faulty,
    me,
    page,
    refuse,
)
from tournaments.models import CheckIn, Division, Entry, Tournament
from tournaments.state.api import WRITE
from tournaments.state.names import shown_entry

# The arrivals desk, and the page on which players check themselves in.


DESK, LIST = "tournaments/entries/arrivals.html", "tournaments/entries/_arrivals.html"
CHANGED = "tournaments/entries/_arrivals_changed.html"
"""The list with an undo, which stays outside it, so that a live update of the list does not remove it."""


@open_to(get=Who.HELPERS)
@never_cache
def check_in_page(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show who is here, who is missing and who owes; an htmx request gets only the list."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    return render(request, LIST if is_htmx(request) else DESK, _desk(request, event))


def _desk(
    request: HttpRequest,
    event: Tournament,
    *,
    division: Division | None = None,
    batch: str = "",
    text: str = "",
    after_tap: bool = False,
) -> dict[str, Any]:
    """Return the context of the desk as the URL, or the arguments, say it is shown."""
    role = access.require_in(request.user, event, access.HELPER)
    context = arrivals.desk(
        event,
        division or _division(event, request.GET.get("division", "")),
        show=request.GET.get("show", arrivals.ALL),
        text=text or request.GET.get("q", "").strip(),
        may_direct=is_at_least(role, Role.DIRECTOR),
        now=timezone.now(),
        batch=batch or request.GET.get("tap", ""),
        opened=request.GET.get("more", ""),
        after_tap=after_tap,
    )
    return context | {"only_helps": role is None, "list_form": EntryListForm()}


def _division(event: Tournament, public_id: str) -> Division | None:
    """Return the division of the event with this public id; None, for all of them, if there is none."""
    return event.divisions.filter(public_id=public_id).first() if public_id else None


def _recorded(request: HttpRequest, event: Tournament, batch: str) -> HttpResponse:
    """Show the desk after a tap, with its undo; an htmx request gets only the list."""
    if is_htmx(request):
        return render(request, CHANGED, _desk(request, event, batch=batch))
    return redirect(_shown_url(request, event, tap=batch))


def _not_recorded(request: HttpRequest, event: Tournament, refused: Refused) -> HttpResponse:
    """Show the desk as it is now and why a tap was refused; an htmx request gets the list in place of its target."""
    if not is_htmx(request):
        return refuse(request, refused, _shown_url(request, event))
    context = _desk(request, event) | {"refusal": sentence(refused.code, refused.params)}
    response = render(request, CHANGED, context)
    response["HX-Retarget"], response["HX-Reswap"] = "#check-in", "outerHTML"
    return response


@open_to(post=Who.HELPERS)
@repeated(Repeat.STATE)
def mark(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Record that a player is here, away or missing; an htmx request gets the changed row, the counts and an undo."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = PresenceForm(request.POST, partners=presence.partners_in(event))
    if not form.is_valid():
        return faulty(request, form, _shown_url(request, event))
    now = timezone.now()
    until, person = form.cleaned_data["until"], form.cleaned_data["person"]
    entry = access.entry_as_player_or(request.user, form.cleaned_data["entry"], access.HELPER, (club, slug))
    try:
        service = presence.mark if form.cleaned_data["state"] == CheckIn.State.EXCUSED else presence.mark_everywhere
        service(
            entry=entry,
            person=person,
            state=form.cleaned_data["state"],
            until=presence.instant_of(until, event.time_zone, now) if until else None,
            by=by(request),
            now=now,
        )
    except Refused as refused:
        return _not_recorded(request, event, refused)
    newest = CheckIn.objects.filter(entry=entry).order_by("pk").last()
    return _row(request, event, entry, person, newest.batch if newest is not None else "")


def _row(request: HttpRequest, event: Tournament, entry: Entry, person: Player | None, batch: str) -> HttpResponse:
    """Show the desk after a tap on one row; an htmx request gets the row, the counts and an undo."""
    if not is_htmx(request):
        return redirect(_shown_url(request, event, tap=batch))
    context = _desk(request, event, batch=batch, after_tap=True)
    own = [row for row in context["everyone"] if entry in row.entries and person in (None, row.person)]
    if not own:
        return _recorded(request, event, batch)
    context["arrival"] = own[0]
    return render(request, "tournaments/entries/_marked.html", context)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def arrive(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Record that players have paid, or are here and have paid: one of them, or everybody on the page."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = ArrivalForm(request.POST, tournament=event, partners=presence.partners_in(event))
    if not form.is_valid():
        return faulty(request, form, _shown_url(request, event))
    entries, key = list(form.cleaned_data["entries"]), form.cleaned_data["key"]
    people = list(form.cleaned_data["people"])
    try:
        arrivals.arrive(
            tournament=event,
            entries=entries,
            people=people,
            here=form.cleaned_data["act"] == ArrivalForm.BOTH,
            amount=form.cleaned_data["amount"],
            key=key,
            by=by(request),
            now=timezone.now(),
        )
    except Refused as refused:
        return _not_recorded(request, event, refused)
    if len(people) == 1 or (len(entries) == 1 and not people):
        return _row(request, event, entries[0], people[0] if people else None, key)
    return _recorded(request, event, key)


@open_to(post=Who.HELPERS)
@repeated(Repeat.STATE)
def mark_all(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Check in everybody who is missing."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = AllHereForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _shown_url(request, event))
    division = _division(event, form.cleaned_data["division"])
    batch, count = presence.mark_all_here(tournament=event, division=division, by=by(request), now=timezone.now())
    if not is_htmx(request):
        messages.success(
            request, ngettext("%(count)s player checked in.", "%(count)s players checked in.", count) % {"count": count}
        )
    return _recorded(request, event, batch)


@open_to(post=Who.HELPERS)
@repeated(Repeat.STATE)
def undo(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Undo what one tap recorded; only a director takes money back."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = UndoCheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _shown_url(request, event))
    batch = form.cleaned_data["batch"]
    if arrivals.took_money(event, batch):
        access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    try:
        arrivals.undo_tap(tournament=event, batch=batch, by=by(request), now=timezone.now())
    except Refused as refused:
        return _not_recorded(request, event, refused)
    return _recorded(request, event, "")


@never_cache
@open_to(get=Who.EVERYBODY)
def own(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show a player whether they are checked in; opening the page, as link previews do, checks nobody in."""
    event = access.tournament(request.user, club, slug)
    user = request.user
    player = Player.objects.filter(user=user).first() if isinstance(user, User) else None
    context = presence.own_page(event, player, timezone.now())
    is_poster = request.GET.get("from") == CheckIn.Source.POSTER
    context["source"] = CheckIn.Source.POSTER if is_poster else CheckIn.Source.PLAYER
    if player is not None and context["entries"]:
        context["link"] = links_of(event, [canonical(player)], partial(absolute_url, request))[0]
        context["revoke_url"] = reverse("arrive-revoke-link", args=event_url_args(event))
    return render(request, "tournaments/entries/arrive.html", context)


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def mark_own(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Check the signed-in player in, or out again."""
    event = access.tournament(request.user, club, slug)
    player = my_player(me(request))
    url = reverse("arrive", args=event_url_args(event))
    form = OwnCheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    present = form.cleaned_data["present"]
    try:
        presence.check_in_self(tournament=event, player=player, by=by(request), now=timezone.now(), **form.cleaned_data)
    except Refused as refused:
        return refuse(request, refused, url)
    messages.success(request, _("You are checked in.") if present else _("Your check-in is undone."))
    return redirect(url)


def _shown_url(request: HttpRequest, event: Tournament, tap: str = "") -> str:
    """Return the URL of the desk as it is shown now, after `tap`."""
    shown = {key: request.GET[key] for key in ("division", "show", "q") if request.GET.get(key)}
    query = urlencode(shown | ({"tap": tap} if tap else {}))
    url = reverse("check-in", args=event_url_args(event))
    return f"{url}?{query}" if query else url


# Re-entry, and undoing a withdrawal or a late entry, each after a preview of its effects.


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def back_in(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Preview the return of a withdrawn player; by POST, apply it."""
    entry = directed_entry(request.user, **kwargs)
    url = desk_url(entry.division)
    if request.method != "POST":
        query = ScopeForm({"scope": DIVISION, **request.GET.dict()})
        if not query.is_valid():
            return faulty(request, query, url)
        return _return_preview(request, entry, query.cleaned_data["scope"], url)
    form = ReturnForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    fields = form.cleaned_data
    try:
        bring_back(
            entry=entry,
            seen=fields["seen"],
            by=by(request),
            now=timezone.now(),
            event=fields["scope"] == EVENT,
            reason=fields["reason"],
        )
    except Refused as refused:
        back = f"{request.path}?scope={fields['scope']}" if refused.code == "stale" else url
        return refuse(request, refused, back)
    waits = entry.status == Entry.Status.WAITING
    text = _("%(name)s is on the waiting list.") if waits else _("%(name)s is back.")
    messages.success(request, text % {"name": entry.player.full_name})
    return redirect(url)


def _return_preview(request: HttpRequest, entry: Entry, scope: str, url: str) -> HttpResponse:
    try:
        preview = preview_return(entry=entry, event=scope == EVENT)
    except Refused as refused:
        return refuse(request, refused, url)
    title = f"{_('Let back in')} · {entry.player.full_name}"
    hidden = {"scope": scope, "seen": preview.mark}
    return _preview_page(
        request, entry, title=title, parts=return_view(preview), hidden=hidden, button=_("Let back in")
    )


def _preview_page(request: HttpRequest, entry: Entry, **context: Any) -> HttpResponse:
    tournament = entry.division.tournament
    common: dict[str, Any] = {
        "club": tournament.club,
        "tournament": tournament,
        "division": entry.division,
        "action": request.path,
        "asks_reason": True,
    }
    return render(request, "tournaments/entries/entry_preview.html", {**common, **context})


class EntryChange(NamedTuple):
    """A change of an entry that a director previews and then applies."""

    title: str
    button: str
    preview: Callable[[], tuple[dict[str, Any], PartView]]
    """Returns what is sent back to apply it, and the effects; refuses if the change is not possible."""
    apply: Callable[..., str]
    """Takes what the form has, the actor and the time; returns what was done as a sentence."""


def _preview_and_apply(request: HttpRequest, entry: Entry, change: EntryChange) -> HttpResponse:
    url = desk_url(entry.division)
    form = PreviewedForm(request.POST)
    if request.method == "POST" and not form.is_valid():
        return faulty(request, form, url)
    try:
        if request.method != "POST":
            hidden, part = change.preview()
            return _preview_page(request, entry, title=change.title, parts=[part], hidden=hidden, button=change.button)
        done = change.apply(by=by(request), now=timezone.now(), **form.cleaned_data)
    except Refused as refused:
        return refuse(request, refused, request.path if refused.code == "stale" else url)
    messages.success(request, done)
    return redirect(url)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def undo_late_entry(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Preview undoing a late entry; by POST, apply it."""
    entry = directed_entry(request.user, **kwargs)
    name = {"name": shown_entry(entry, staff=True)}

    def preview() -> tuple[dict[str, Any], PartView]:
        undo = preview_undo(entry=entry)
        return {"after": undo.seq}, undo_view(undo)

    def apply(*, past_waiting: bool, **values: Any) -> str:
        undo_late(entry=entry, **values)
        return " ".join([_("Late entry of %(name)s undone.") % name, *refund_notes(entry)])

    change = EntryChange(f"{_('Undo the late entry')} · {name['name']}", _("Undo"), preview, apply)
    return _preview_and_apply(request, entry, change)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def re_enter(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Preview a re-entry; by POST, apply it."""
    entry = directed_entry(request.user, **kwargs)

    def preview() -> tuple[dict[str, Any], PartView]:
        reentry = preview_reentry(entry=entry, now=timezone.now())
        return {"after": reentry.seq, **_past_waiting(reentry.passes)}, reentry_view(reentry)

    def apply(**values: Any) -> str:
        again = reenter(entry=entry, **values)
        done = _("%(name)s was entered.") % {"name": shown_entry(again, staff=True)}
        return " ".join([done, bye_taken(again)])

    title = f"{_('Enter again')} · {entry.player.full_name}"
    return _preview_and_apply(request, entry, EntryChange(title, _("Enter again"), preview, apply))


def _past_waiting(passes: Sequence[Entry]) -> dict[str, str]:
    """Return the field that confirms a preview by which others go on waiting."""
    return {"past_waiting": "on"} if passes else {}


# Managing the entries of a division: by name, by list, check-in, withdrawal.


@open_to(get=Who.STAFF)
def entries_of_division(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Go on to the desk, where the entries of a division are."""
    row = access.division_as(request.user, division, Role.ASSISTANT, (club, slug))
    return redirect(desk_url(row))


def _desk_page(request: HttpRequest, division: Division, form: RefusingForm, **context: Any) -> HttpResponse:
    text = context.pop("text", "")
    return page(request, DESK, {**_desk(request, division.tournament, division=division, text=text), **context}, form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def add(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Enter a player by name; if the name is ambiguous, the page offers the candidates."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = AddEntryForm(request.POST)
    if form.is_valid():
        try:
            if row.status == Division.Status.RUNNING and form.cleaned_data["after"] is None:
                return _late_name(request, row, form)
            entry = lists.enter_name(division=row, by=by(request), now=timezone.now(), **form.cleaned_data)
        except Refused as refused:
            if refused.code == "stale":
                messages.error(request, sentence(refused.code, refused.params))
                return _late_name(request, row, form)
            form.refuse(refused)
            context: dict[str, Any] = {"repeated_names": refused.code == "name_ambiguous"}
            if question := question_of(refused, form):
                context |= {**question, "found_members": question["candidates"]}
            return _faulty_name(request, row, form, **context)
        warnings = warnings_of(entry, timezone.now())
        if is_htmx(request):
            return render(request, CHANGED, _desk(request, row.tournament) | {"entered": entry, "warnings": warnings})
        messages.success(request, _entered_message(entry))
        for warning in warnings:
            messages.warning(request, warning)
        return redirect(desk_url(row))
    return _faulty_name(request, row, form)


def _faulty_name(request: HttpRequest, division: Division, form: AddEntryForm, **context: Any) -> HttpResponse:
    """Show the desk with why a name was not entered, and the members it may mean."""
    if is_htmx(request):
        # The answer replaces a list, so the reason stands beside it.
        error = next(iter(form.errors.values()))[0]
        return render(request, CHANGED, _desk(request, division.tournament) | {"refusal": error})
    errors = [str(error) for errors in form.errors.values() for error in errors]
    return _desk_page(request, division, form, text=form["name"].value() or "", faulty_name=" ".join(errors), **context)


def _late_name(request: HttpRequest, division: Division, form: AddEntryForm) -> HttpResponse:
    """Preview what a late entry would change."""
    named = {name: form.cleaned_data[name] for name in ("name", "player", "partner", "partner_player")}
    named = {name: value for name, value in named.items() if value or name in ("name", "player")}
    preview = lists.preview_late_name(division=division, now=timezone.now(), **named)
    name = preview.newcomers[0].name if preview.newcomers else named["name"]
    hidden = {**named, "here": "on"} if form.cleaned_data["here"] else named
    return _late_page(request, preview, f"{_('Let in')} · {name}", "entries-add", hidden)


def _late_list(request: HttpRequest, division: Division, form: EnterListForm) -> HttpResponse:
    people, choices = form.cleaned_data["names"], form.choices
    preview = lists.preview_late_list(division=division, people=people, choices=choices, now=timezone.now())
    chosen = {f"{CHOICE}{place}": value for place, value in choices.items()}
    hidden = {"names": as_lines(people), "team": form.cleaned_data["team"], **chosen}
    return _late_page(request, preview, _("Let these players in late"), "entries-enter", hidden)


def _late_page(
    request: HttpRequest, preview: LatePreview, title: str, route: str, hidden: dict[str, str]
) -> HttpResponse:
    division = preview.division
    context = {
        "club": division.tournament.club,
        "tournament": division.tournament,
        "division": division,
        "title": title,
        "parts": [late_view(preview)],
        "action": reverse(route, args=division_url_args(division)),
        "hidden": {**hidden, "after": preview.seq, **_past_waiting(preview.passes)},
        "button": _("Let in all the same") if preview.passes or has_one_match_only(preview) else _("Let in"),
    }
    return render(request, "tournaments/entries/entry_preview.html", context)


def _entered_message(entry: Entry) -> str:
    name = {"name": entry.player.full_name}
    running = entry.division.status == Division.Status.RUNNING
    if entry.status == Entry.Status.WAITING and running:
        return _("No place is free for %(name)s, who is now on the waiting list.") % name
    if entry.status == Entry.Status.WAITING:
        return _("%(name)s is on the waiting list.") % name
    if running:
        return " ".join(filter(None, [_("%(name)s was entered late.") % name, bye_taken(entry)]))
    return _("%(name)s was entered.") % name


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def paste(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Preview a list, pasted or in a file: which player each name stands for, before anyone is entered."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = EntryListForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            people = form.people(pairs=row.sides != Division.Sides.ONE)
            lines = lists.preview(division=row, people=[person for person in people if person.name])
        except Refused as refused:
            form.refuse(refused)
        else:
            event = row.tournament
            context = {"division": row, "tournament": event, "club": event.club, **checked(people, lines, Entry.FIELDS)}
            context |= {"team": form.cleaned_data["team"], "text": form.text}
            return render(request, "tournaments/entries/entries_preview.html", context)
    for name in form.errors.keys() & form.fields.keys():
        # The list stands far below on the page, and so does what is wrong with it.
        form.fields[name].widget.attrs["autofocus"] = True
    return _desk_page(request, row, form, list_form=form)


def _count_entered(division: Division, count: int) -> str:
    if division.sides == Division.Sides.TWO:
        return ngettext("%(count)d pair entered.", "%(count)d pairs entered.", count) % {"count": count}
    return ngettext("%(count)d player entered.", "%(count)d players entered.", count) % {"count": count}


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def enter_list(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = EnterListForm(request.POST)
    if not form.is_valid():
        list_form = EntryListForm({"names": form.data.get("names", "")})
        return _desk_page(request, row, form, list_form=list_form)
    try:
        if row.status == Division.Status.RUNNING and form.cleaned_data["after"] is None:
            return _late_list(request, row, form)
        outcome = lists.enter_list(
            division=row,
            people=form.cleaned_data["names"],
            choices=form.choices,
            by=by(request),
            now=timezone.now(),
            after=form.cleaned_data["after"],
            past_waiting=form.cleaned_data["past_waiting"],
            team=form.cleaned_data["team"],
        )
    except Refused as refused:
        if refused.code == "stale":
            messages.error(request, sentence(refused.code, refused.params))
            return _late_list(request, row, form)
        return refuse(request, refused, desk_url(row))
    messages.success(
        request,
        " ".join(
            [
                _count_entered(row, len(outcome.entries)),
                *filter(None, map(bye_taken, outcome.entries if row.status == Division.Status.RUNNING else ())),
            ]
        ),
    )
    if outcome.left_out:
        messages.warning(
            request, _("Not entered: %(names)s.") % {"names": ", ".join(each.name for each in outcome.left_out[:20])}
        )
    return redirect(desk_url(row))


@repeated(Repeat.STATE)
def _withdraw(form: WithdrawEntryForm, **acting: Any) -> str:
    entry, reason = form.instance, form.cleaned_data["reason"]
    if form.cleaned_data["scope"] == EVENT:
        event = entry.division.tournament
        services.withdraw_from_event(tournament=event, player=entry.player, reason=reason, **acting)
    else:
        services.withdraw(entry=entry, reason=reason, **acting)
    return _("%(name)s has withdrawn.") % {"name": entry.player.full_name}


class FieldAction(EntryAction):
    """Writing one of `Entry.FIELDS`."""

    responses: ClassVar[dict[int, Any]] = {200: EntrySerializer, **WRITE}

    def __init__(self, name: str) -> None:
        @repeated(Repeat.STATE)
        def run(form: RefusingForm, by: Actor, now: datetime) -> str:
            services.set_fields(entry=form.instance, fields=form.cleaned_data, by=by)
            return _("Saved.")

        field, form = Entry.FIELDS[name], field_form(name)
        run.__doc__ = f"Set the {name} of an entry.\n\n{field.description}"
        sent = {name: {"required": True, "allow_blank": True, "help_text": "Empty: none."}}
        about = {"Meta": type("Meta", (), {"form": form, "extra_kwargs": sent}), "__doc__": f"The {name} of an entry."}
        serializer = type(f"{name.capitalize()}Serializer", (FormSerializer,), about)
        super().__init__(name, form, run, api=Endpoint(f"entries_set_{name}", serializer, {name: field.example}))

    def answer(self, request: Any, obj: Entry, form: Any) -> Response:
        return Response(EntrySerializer(obj).data)


FIELD_ACTIONS = tuple(map(FieldAction, Entry.FIELDS))
FLOOR = "floor"
"""The value of `?from=` with which a page returns to the floor."""


class WithdrawAction(EntryAction):
    """The withdrawal of a player: a GET request shows what follows from it, and a POST request applies it.

    With `?from=floor`, a player goes home, and both return to the floor.
    """

    def guard(self, view: View) -> View:
        @open_to(get=self.who, post=self.who)
        def either(request: HttpRequest, **url: str) -> HttpResponseBase:
            return view(request, **url) if request.method == "POST" else self._preview(request, **url)

        return either

    def url(self, request: HttpRequest, obj: Entry) -> str:
        if request.GET.get("from") == FLOOR:
            return reverse("floor", args=event_url_args(obj.division.tournament))
        return super().url(request, obj)

    def _preview(self, request: HttpRequest, **url: str) -> HttpResponse:
        entry = self.find(request, **url)
        query = ScopeForm({"scope": DIVISION, **request.GET.dict()})
        if not query.is_valid():
            return faulty(request, query, self.url(request, entry))
        scope = query.cleaned_data["scope"]
        try:
            preview = services.preview_withdrawal(entry=entry, event=scope == EVENT)
        except Refused as refused:
            return refuse(request, refused, self.url(request, entry))
        came_from = {"from": FLOOR} if request.GET.get("from") == FLOOR else {}
        name = entry.player.full_name
        title = _("%(name)s goes home") % {"name": name} if came_from else f"{_('Withdraw')} · {name}"
        return _preview_page(
            request,
            entry,
            title=title,
            parts=withdrawal_view(preview),
            hidden={"scope": scope},
            button=_("Withdraw from this division") if scope == DIVISION else _("Withdraw from the whole event"),
            is_danger=True,
            action=f"{request.path}?{urlencode(came_from)}" if came_from else request.path,
            cancel_url=self.url(request, entry),
            other_scope=_other_scope(entry, scope),
            other_url=f"{request.path}?{urlencode({'scope': EVENT if scope == DIVISION else DIVISION, **came_from})}",
        )


def _other_scope(entry: Entry, scope: str) -> str:
    """Return the label of the other scope of a withdrawal; empty if the player is entered only once."""
    own = Entry.objects.filter(division__tournament=entry.division.tournament_id).exclude(status=Entry.Status.OUT)
    if own.filter(services.decided_by([canonical(entry.player)])).count() < 2:
        return ""
    if scope == DIVISION:
        return _("Withdraw from the whole event")
    return _("Withdraw from %(division)s only…") % {"division": entry.division.name}


withdraw = WithdrawAction("withdraw", WithdrawEntryForm, _withdraw).view
