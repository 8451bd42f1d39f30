"""Pages of draws and rounds: draft, publish, pair, change, and keep players apart."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.messages import sentence
from core.public_ids import LENGTH
from core.requests import is_htmx, parse_int
from core.text_lengths import LONGEST_NOTE
from engine.errors import Refused
from players import access as club_access
from players.access import Role
from players.forms import RefusingForm
from tournaments import access
from tournaments.draws import kept_apart, services
from tournaments.draws import lists as draw_lists
from tournaments.draws import rounds as round_services
from tournaments.draws import services as draws
from tournaments.draws.kept_apart import apart_view
from tournaments.draws.lists import commitments_page, draft_page, presence
from tournaments.draws.rounds import RoundChanges
from tournaments.draws.services import LEAST_ENTRIES
from tournaments.draws.take_back import draw_to_take_back, take_back_draw, take_back_round
from tournaments.events.pages import (
    account_needed,
    by,
    chosen_entry,
    directed_division,
    division_url_args,
    faulty,
    missed,
    refuse,
)
from tournaments.events.selectors import divisions_of, read_with_seq
from tournaments.formats.settings import LONGEST_COUNTDOWN, MOST_ROUNDS, NextRound
from tournaments.models import ByeRequest, Division, Draw, Entry, Tournament
from tournaments.state.format_labels import NEXT_ROUND_NAMES
from tournaments.state.forms import KeepApartForm
from tournaments.state.names import names_of
from tournaments.state.stages import provenance_of

# Forms of directors about draws and rounds.


class AfterForm(RefusingForm):
    """The `seq` of the page, so that a change made since then is noticed."""

    after = forms.IntegerField(min_value=0)


class RequestDrawForm(RefusingForm):
    """A request for a draft; `publish_event` publishes a draft event first, `here_only` leaves out who is missing."""

    reason = forms.CharField(max_length=LONGEST_NOTE, required=False, label=gettext_lazy("Reason"))
    publish_event = forms.BooleanField(required=False)
    here_only = forms.BooleanField(required=False)


class PairRoundForm(AfterForm):
    """A request for the next round; each `first` is paired with the `second` in the same position."""

    reason = forms.CharField(max_length=LONGEST_NOTE, required=False, label=gettext_lazy("Reason"))
    first = forms.Field(required=False, widget=forms.MultipleHiddenInput, label=gettext_lazy("First player"))
    second = forms.Field(required=False, widget=forms.MultipleHiddenInput, label=gettext_lazy("Second player"))

    def clean(self) -> dict[str, Any]:
        """Replace the two lists with `pairs`; rows without any choice are ignored."""
        cleaned = super().clean() or self.cleaned_data
        first, second = cleaned.pop("first", None) or [], cleaned.pop("second", None) or []
        if len(first) != len(second):
            raise forms.ValidationError(sentence("choose_a_player", {}))
        cleaned["pairs"] = [pair for pair in zip(first, second, strict=True) if any(pair)]
        return cleaned


class ByeForm(RefusingForm):
    """A bye to request or, with `take_back`, to cancel."""

    entry = forms.CharField(max_length=LENGTH, label=gettext_lazy("Player"))
    round = forms.IntegerField(min_value=1, max_value=MOST_ROUNDS, label=gettext_lazy("Round"))
    kind = forms.ChoiceField(choices=ByeRequest.Kind.choices, required=False, label=gettext_lazy("Bye"))
    take_back = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Require the kind of a bye that is requested."""
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("take_back") and not cleaned.get("kind") and "kind" not in self.errors:
            self.add_error("kind", forms.Field.default_error_messages["required"])
        return cleaned


class ChangeRoundsForm(AfterForm):
    """New settings of a running stage; empty fields keep their current value."""

    rounds = forms.IntegerField(min_value=1, max_value=MOST_ROUNDS, required=False, label=gettext_lazy("Rounds"))
    allow_rematches = forms.TypedChoiceField(
        choices=[("0", "0"), ("1", "1")],
        coerce=lambda text: text == "1",
        empty_value=None,
        required=False,
        label=gettext_lazy("Rematches"),
    )
    next_round = forms.TypedChoiceField(
        choices=NEXT_ROUND_NAMES, coerce=NextRound, empty_value=None, required=False, label=gettext_lazy("Next round")
    )
    countdown = forms.IntegerField(
        min_value=0, max_value=LONGEST_COUNTDOWN, required=False, label=gettext_lazy("Countdown")
    )


class TakeBackForm(AfterForm):
    """Takes back a published draw; the reason will be shown to everybody."""

    reason = forms.CharField(max_length=LONGEST_NOTE, label=gettext_lazy("Reason"))


class TakeBackRoundForm(TakeBackForm):
    """Takes back a paired round."""

    round = forms.IntegerField(min_value=1, max_value=MOST_ROUNDS, label=gettext_lazy("Round"))


# The page of a draw, as directors see it.


def draw_page(division: Division, now: datetime) -> dict[str, Any]:
    """Return the context of the draw page: requested, a draft to review, published, or refused."""
    stage = division.stages.order_by("number").first()
    provenance = provenance_of(stage) if stage else None
    newest = provenance.drafts[-1] if provenance and provenance.drafts else None
    context: dict[str, Any] = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "divisions": divisions_of(division.tournament),
        "provenance": provenance,
        "newest": newest,
        "entered": division.entries.filter(status=Entry.Status.IN).count(),
        "now": now,
        "take_back": draw_to_take_back(division),
    }
    if division.status == Division.Status.ENTRIES:
        names = names_of(division, staff=True)
        here, missing = presence(names)
        context |= {
            "apart": apart_view(division, names),
            "here": here if missing and here >= LEAST_ENTRIES else 0,
            "missing": [names.of(entry) for entry in missing],
        }
    if newest is not None and newest.state == Draw.State.DRAFT:
        context |= draft_page(division, newest)
    return context


# The draw of a division: requested, reviewed as a draft, drawn again with a reason, published, taken back.


@account_needed
@never_cache
@require_safe
def draw(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the draft or its progress; an htmx request gets only that part."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    context = read_with_seq(row, lambda: draw_page(row, timezone.now()))
    newest = context["newest"]
    if newest is not None and newest.refusal:
        context["refusal"] = sentence(newest.refusal["code"], newest.refusal["params"])
    name = "tournaments/draws/_draw.html" if is_htmx(request) else "tournaments/draws/draw.html"
    return render(request, name, context)


@account_needed
@require_POST
def request_draw(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Request a draft, publishing the event first if the form says so; a second click changes nothing."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = RequestDrawForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(row))
    publishes = form.cleaned_data["publish_event"] and row.tournament.status == Tournament.Status.DRAFT
    request_service = services.publish_event_and_draw if publishes else services.request_draw
    try:
        request_service(
            division=row,
            by=by(request),
            now=timezone.now(),
            reason=form.cleaned_data["reason"],
            here_only=form.cleaned_data["here_only"],
        )
    except Refused as refused:
        if refused.code != "draft_in_work":
            return refuse(request, refused, _url(row))
    return redirect(_url(row))


@account_needed
@require_POST
def publish_draft(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Publish the draft as the draw."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = AfterForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(row))
    try:
        services.publish_draw(division=row, after=form.cleaned_data["after"], by=by(request), now=timezone.now())
    except Refused as refused:
        if _is_published(row):
            return redirect("division", *division_url_args(row))
        if refused.code == "stale":
            context = draw_page(row, timezone.now())
            context["missed"] = missed(request, refused, row.tournament, [row.topic, row.tournament.topic])
            context["stale"] = sentence(refused.code, refused.params)
            return render(request, "tournaments/draws/draw.html", context, status=409)
        return refuse(request, refused, _url(row))
    messages.success(request, _("The draw of %(division)s was published.") % {"division": row.name})
    return redirect("division", *division_url_args(row))


@account_needed
@require_POST
def undo_draw(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Take back the published draw; the division accepts entries again."""
    row = access.division_as(request.user, division, Role.DIRECTOR, (club, slug))
    form = TakeBackForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, _url(row))
    try:
        take_back_draw(division=row, by=by(request), now=timezone.now(), **form.cleaned_data)
    except Refused as refused:
        return refuse(request, refused, _url(row))
    messages.success(request, _("The draw of %(division)s was taken back.") % {"division": row.name})
    return redirect(_url(row))


def _is_published(division: Division) -> bool:
    return Draw.objects.filter(stage__division=division, state=Draw.State.PUBLISHED).exists()


def _url(division: Division) -> str:
    return reverse("draw", args=division_url_args(division))


# Pages for directors about stages that are paired round by round: view, pair, publish and change rounds.


TEMPLATE = "tournaments/draws/rounds.html"
FRAGMENT = "tournaments/draws/_rounds.html"


@account_needed
@never_cache
@require_safe
def rounds(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the last round and the state of the next; for htmx, only that part of the page."""
    division = directed_division(request, **kwargs)
    try:
        context = _context(request, division)
    except Refused as refused:
        return refuse(request, refused, reverse("division", args=division_url_args(division)))
    return render(request, FRAGMENT if is_htmx(request) else TEMPLATE, context)


def _context(request: HttpRequest, division: Division) -> dict[str, Any]:
    shown = parse_int(request.GET.get("round"))
    context = read_with_seq(division, lambda: draw_lists.rounds_page(division, shown, timezone.now()))
    context["counted_down"] = request.headers.get("HX-Target") == "countdown"
    draft = context["next"].draft
    if draft is not None and draft.refusal:
        context["refusal"] = sentence(draft.refusal["code"], draft.refusal["params"])
    return context


@account_needed
@require_POST
def pair(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Request the next round, with some pairs fixed; on a double click the second request finds it being made."""
    division = directed_division(request, **kwargs)

    def request_round(pairs: list[tuple[str, str]], **fields: Any) -> None:
        manual = [(chosen_entry(division, first), chosen_entry(division, second)) for first, second in pairs]
        round_services.request_round(division=division, manual=manual, **_acting(request), **fields)

    return _submit(request, division, PairRoundForm(request.POST), request_round, harmless="draft_in_work")


@account_needed
@require_POST
def publish_round(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Publish the draft of the next round."""
    division = directed_division(request, **kwargs)

    def publish_draft(**fields: Any) -> None:
        draw = draws.publish_draw(division=division, **_acting(request), **fields)
        messages.success(request, _("Round %(round)d published.") % {"round": draw.round})

    return _submit(request, division, AfterForm(request.POST), publish_draft)


@account_needed
@require_POST
def undo_round(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Take back the last paired round, so that it can be paired again."""
    division = directed_division(request, **kwargs)

    def take_back_last_round(**fields: Any) -> None:
        number = fields.pop("round")
        take_back_round(division=division, round_number=number, **_acting(request), **fields)
        messages.success(request, _("Round %(round)d taken back.") % {"round": number})

    return _submit(request, division, TakeBackRoundForm(request.POST), take_back_last_round)


@account_needed
@require_POST
def stop(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Stop the countdown of a draft that publishes itself."""
    division = directed_division(request, **kwargs)

    def stop_countdown(**fields: Any) -> None:
        draws.stop_countdown(division=division, **_acting(request), **fields)
        messages.success(request, _("Countdown stopped. The round waits until you publish it."))

    return _submit(request, division, AfterForm(request.POST), stop_countdown, harmless="no_countdown")


@account_needed
@require_POST
def change(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Change the number of rounds, rematches, and what happens when a round is complete."""
    division = directed_division(request, **kwargs)

    def change_rounds(after: int, **changes: Any) -> None:
        round_services.change_rounds(
            division=division, changes=RoundChanges(**changes), after=after, **_acting(request)
        )
        messages.success(request, _("Saved."))

    return _submit(request, division, ChangeRoundsForm(request.POST), change_rounds)


@account_needed
@require_POST
def bye(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Request a bye for a player, or cancel one."""
    division = directed_division(request, **kwargs)

    def change_bye(**fields: Any) -> None:
        entry, number = chosen_entry(division, fields["entry"]), fields["round"]
        if fields["take_back"]:
            round_services.take_back_bye(entry=entry, round_number=number, **_acting(request))
        else:
            round_services.request_bye(entry=entry, round_number=number, kind=fields["kind"], **_acting(request))

    return _submit(request, division, ByeForm(request.POST), change_bye)


def _acting(request: HttpRequest) -> dict[str, Any]:
    return {"by": by(request), "now": timezone.now()}


def _submit(
    request: HttpRequest, division: Division, form: RefusingForm, act: Callable[..., None], *, harmless: str = ""
) -> HttpResponse:
    """Call `act` with the values of a valid form and redirect to the rounds; the `harmless` refusal is not shown."""
    url = reverse("rounds", args=division_url_args(division))
    if not form.is_valid():
        return faulty(request, form, url)
    try:
        act(**form.cleaned_data)
    except Refused as refused:
        if refused.code == "stale":
            return _stale(request, division, refused)
        if refused.code != harmless:
            return refuse(request, refused, url)
    return redirect(url)


def _stale(request: HttpRequest, division: Division, refused: Refused) -> HttpResponse:
    """Show the current rounds with what has changed, with status 409."""
    division.refresh_from_db()
    try:
        context = _context(request, division)
    except Refused as not_by_rounds:
        return refuse(request, not_by_rounds, reverse("division", args=division_url_args(division)))
    topics = [division.topic, division.tournament.topic]
    context["missed"] = missed(request, refused, division.tournament, topics)
    context["stale"] = sentence(refused.code, refused.params)
    return render(request, TEMPLATE, context, status=409)


# Keeping two players apart, from the page of the draw or of the rounds.


@account_needed
@require_POST
def keep_apart(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Keep two players apart or let them meet again, then return to the page of the form."""
    division = directed_division(request, **kwargs)
    form = KeepApartForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, reverse(form.cleaned_data.get("page", "draw"), args=division_url_args(division)))
    url = reverse(form.cleaned_data["page"], args=division_url_args(division))
    service = kept_apart.keep_apart if form.cleaned_data["act"] == KeepApartForm.KEEP else kept_apart.let_meet
    try:
        first, second = (chosen_entry(division, form.cleaned_data[name]) for name in ("first", "second"))
        service(first=first, second=second, by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, url)
    return redirect(url)


# The public list of a club's commitments.


@require_safe
def commitments(request: HttpRequest, slug: str) -> HttpResponse:
    """List the commitments of a club and the fate of each."""
    context = commitments_page(club_access.club(slug), request.GET.get("page"))
    return render(request, "tournaments/draws/commitments.html", context)
