"""Pages of draws and rounds: draft, publish, pair, change, and keep players apart."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

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
    DivisionAction,
    account_needed,
    chosen_entry,
    directed_division,
    division_url_args,
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


class DrawAction(DivisionAction):
    """What a director does with the draw of a division; its page follows. The `harmless` refusal is not shown."""

    PAGE: ClassVar[str] = "draw"

    def __init__(self, name: str, form: type[RefusingForm], run: Callable[..., str], *, harmless: str = "") -> None:
        super().__init__(name, form, run)
        self.harmless = harmless

    def url(self, request: HttpRequest, obj: Division) -> str:
        return reverse(self.PAGE, args=division_url_args(obj))

    def refused(self, request: HttpRequest, obj: Division, form: Any, refused: Refused) -> HttpResponse:
        """Show what has changed since, if the page was stale."""
        if refused.code == self.harmless:
            return redirect(self.url(request, obj))
        if refused.code == "stale":
            return self.stale(request, obj, refused)
        return super().refused(request, obj, form, refused)

    def stale(self, request: HttpRequest, division: Division, refused: Refused) -> HttpResponse:
        """Show the current draw with what has changed, with status 409."""
        context = draw_page(division, timezone.now()) | _missed(request, division, refused)
        return render(request, "tournaments/draws/draw.html", context, status=409)


def _missed(request: HttpRequest, division: Division, refused: Refused) -> dict[str, Any]:
    topics = [division.topic, division.tournament.topic]
    return {
        "missed": missed(request, refused, division.tournament, topics),
        "stale": sentence(refused.code, refused.params),
    }


class PublishAction(DrawAction):
    """Publishing a draw; its division's page follows, also if somebody else was faster."""

    def refused(self, request: HttpRequest, obj: Division, form: Any, refused: Refused) -> HttpResponse:
        if Draw.objects.filter(stage__division=obj, state=Draw.State.PUBLISHED).exists():
            return redirect(self.success_url(request, obj, form))
        return super().refused(request, obj, form, refused)

    def success_url(self, request: HttpRequest, obj: Division, form: Any) -> str:
        return reverse("division", args=division_url_args(obj))


def _request_draw(form: RequestDrawForm, **acting: Any) -> str:
    division, fields = form.instance, dict(form.cleaned_data)
    publishes = fields.pop("publish_event") and division.tournament.status == Tournament.Status.DRAFT
    service = services.publish_event_and_draw if publishes else services.request_draw
    service(division=division, **fields, **acting)
    return ""


def _publish_draw(form: AfterForm, **acting: Any) -> str:
    services.publish_draw(division=form.instance, **form.cleaned_data, **acting)
    return _("The draw of %(division)s was published.") % {"division": form.instance.name}


def _take_back_draw(form: TakeBackForm, **acting: Any) -> str:
    take_back_draw(division=form.instance, **form.cleaned_data, **acting)
    return _("The draw of %(division)s was taken back.") % {"division": form.instance.name}


request_draw = DrawAction("request", RequestDrawForm, _request_draw, harmless="draft_in_work").view
publish_draft = PublishAction("publish", AfterForm, _publish_draw).view
undo_draw = DrawAction("take-back", TakeBackForm, _take_back_draw).view


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


class RoundsAction(DrawAction):
    """What a director does with the rounds of a division."""

    PAGE: ClassVar[str] = "rounds"

    def stale(self, request: HttpRequest, division: Division, refused: Refused) -> HttpResponse:
        """Show the current rounds with what has changed, with status 409."""
        division.refresh_from_db()
        try:
            context = _context(request, division)
        except Refused as not_by_rounds:
            return refuse(request, not_by_rounds, reverse("division", args=division_url_args(division)))
        return render(request, TEMPLATE, context | _missed(request, division, refused), status=409)


def _pair(form: PairRoundForm, **acting: Any) -> str:
    division, fields = form.instance, dict(form.cleaned_data)
    pairs = fields.pop("pairs")
    manual = [(chosen_entry(division, first), chosen_entry(division, second)) for first, second in pairs]
    round_services.request_round(division=division, manual=manual, **fields, **acting)
    return ""


def _publish_round(form: AfterForm, **acting: Any) -> str:
    draw = draws.publish_draw(division=form.instance, **form.cleaned_data, **acting)
    return _("Round %(round)d published.") % {"round": draw.round}


def _take_back_round(form: TakeBackRoundForm, **acting: Any) -> str:
    fields = dict(form.cleaned_data)
    number = fields.pop("round")
    take_back_round(division=form.instance, round_number=number, **fields, **acting)
    return _("Round %(round)d taken back.") % {"round": number}


def _stop(form: AfterForm, **acting: Any) -> str:
    draws.stop_countdown(division=form.instance, **form.cleaned_data, **acting)
    return _("Countdown stopped. The round waits until you publish it.")


def _change(form: ChangeRoundsForm, **acting: Any) -> str:
    fields = dict(form.cleaned_data)
    after = fields.pop("after")
    round_services.change_rounds(division=form.instance, changes=RoundChanges(**fields), after=after, **acting)
    return _("Saved.")


def _bye(form: ByeForm, **acting: Any) -> str:
    fields = form.cleaned_data
    entry, number = chosen_entry(form.instance, fields["entry"]), fields["round"]
    if fields["take_back"]:
        round_services.take_back_bye(entry=entry, round_number=number, **acting)
    else:
        round_services.request_bye(entry=entry, round_number=number, kind=fields["kind"], **acting)
    return ""


pair = RoundsAction("pair", PairRoundForm, _pair, harmless="draft_in_work").view
publish_round = RoundsAction("publish", AfterForm, _publish_round).view
undo_round = RoundsAction("take-back", TakeBackRoundForm, _take_back_round).view
stop = RoundsAction("stop", AfterForm, _stop, harmless="no_countdown").view
change = RoundsAction("change", ChangeRoundsForm, _change).view
bye = RoundsAction("bye", ByeForm, _bye).view


# Keeping two players apart, from the page of the draw or of the rounds.


class KeepApartAction(DivisionAction):
    """Keeping two players apart or letting them meet again; the page of the form follows."""

    def url(self, request: HttpRequest, obj: Division) -> str:
        form = KeepApartForm(request.POST)
        form.is_valid()
        return reverse(form.cleaned_data.get("page", "draw"), args=division_url_args(obj))


def _keep_apart(form: KeepApartForm, **acting: Any) -> str:
    fields = form.cleaned_data
    service = kept_apart.keep_apart if fields["act"] == KeepApartForm.KEEP else kept_apart.let_meet
    first, second = (chosen_entry(form.instance, fields[name]) for name in ("first", "second"))
    service(first=first, second=second, **acting)
    return ""


keep_apart = KeepApartAction("keep-apart", KeepApartForm, _keep_apart).view


# The public list of a club's commitments.


@require_safe
def commitments(request: HttpRequest, slug: str) -> HttpResponse:
    """List the commitments of a club and the fate of each."""
    context = commitments_page(club_access.club(slug), request.GET.get("page"))
    return render(request, "tournaments/draws/commitments.html", context)
