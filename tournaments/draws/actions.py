"""What directors do with draws and rounds: request, publish, pair, change, take back, and keep players apart."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.messages import sentence
from core.public_ids import LENGTH
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NOTE_LENGTH
from engine.errors import Refused
from formats.settings import MAX_COUNTDOWN, MAX_ROUNDS, NextRound
from players.actions import Endpoint, FormSerializer
from players.forms import RefusingForm, YesNoField
from tournaments.draws import kept_apart, services
from tournaments.draws import rounds as round_services
from tournaments.draws.api import RoundsSerializer, changed_draw, rounds_response
from tournaments.draws.page import ROUNDS, render_division, rounds_context
from tournaments.draws.rounds import RoundChanges
from tournaments.draws.undo import undo_paired_round, undo_published_draw
from tournaments.events.actions import DivisionAction, chosen_entry, division_url_args, missed, refuse
from tournaments.models import ByeRequest, Division, Draw, Tournament
from tournaments.state.api import WRITE, AfterSerializer, DrawSerializer, TakeBackSerializer
from tournaments.state.format_labels import NEXT_ROUND_NAMES
from tournaments.state.forms import AfterForm, KeepApartForm, UndoPublishedForm


class RequestDrawForm(RefusingForm):
    """A request for a draft; `publish_event` publishes a draft event first, `here_only` leaves out who is missing."""

    reason = forms.CharField(max_length=MAX_NOTE_LENGTH, required=False, label=gettext_lazy("Reason"))
    publish_event = forms.BooleanField(required=False)
    here_only = forms.BooleanField(required=False)


class PairRoundForm(AfterForm):
    """A request for the next round; each `first` is paired with the `second` in the same position."""

    reason = forms.CharField(max_length=MAX_NOTE_LENGTH, required=False, label=gettext_lazy("Reason"))
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
    round = forms.IntegerField(min_value=1, max_value=MAX_ROUNDS, label=gettext_lazy("Round"))
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

    rounds = forms.IntegerField(min_value=1, max_value=MAX_ROUNDS, required=False, label=gettext_lazy("Rounds"))
    allow_rematches = YesNoField(required=False, label=gettext_lazy("Rematches"))
    next_round = forms.TypedChoiceField(
        choices=NEXT_ROUND_NAMES, coerce=NextRound, empty_value=None, required=False, label=gettext_lazy("Next round")
    )
    countdown = forms.IntegerField(
        min_value=0, max_value=MAX_COUNTDOWN, required=False, label=gettext_lazy("Countdown")
    )


class UndoRoundForm(UndoPublishedForm):
    round = forms.IntegerField(min_value=1, max_value=MAX_ROUNDS, label=gettext_lazy("Round"))


class TakeBackRoundSerializer(FormSerializer):
    """The round to take back, and the reason."""

    class Meta:
        form = UndoRoundForm


class ChangeRoundsSerializer(FormSerializer):
    """New settings; those missing stay as they are."""

    next_round = serializers.ChoiceField([choice.value for choice in NextRound], required=False)

    class Meta:
        form = ChangeRoundsForm


class DrawAction(DivisionAction):
    """What a director does with the draw of a division; its page follows. The `harmless` refusal is not shown."""

    PAGE: ClassVar[str] = "draw"
    responses: ClassVar[dict[int, Any]] = {200: DrawSerializer, **WRITE}

    def __init__(
        self,
        name: str,
        form: type[RefusingForm],
        run: Callable[..., str],
        api: Endpoint | None = None,
        *,
        harmless: str = "",
    ) -> None:
        super().__init__(name, form, run, api=api)
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
        return render_division(request, division, status=HTTPStatus.CONFLICT, **_missed(request, division, refused))

    def answer(self, request: Request, obj: Division, form: Any) -> Response:
        return changed_draw(form.instance, obj)


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


@repeated(Repeat.KEY)
def _request_draw(form: RequestDrawForm, **acting: Any) -> str:
    division, fields = form.instance, dict(form.cleaned_data)
    publishes = fields.pop("publish_event") and division.tournament.status == Tournament.Status.DRAFT
    service = services.publish_event_and_draw if publishes else services.request_draw
    service(division=division, **fields, **acting)
    return ""


def _publish_draw(form: AfterForm, **acting: Any) -> str:
    """Publish the draft.

    Creates the bracket and opens its first matches. 409 `no_draft`, `draft_outdated`, `stale`.
    """
    division = form.instance
    form.instance = services.publish_draw(division=division, **form.cleaned_data, **acting)
    return _("The draw of %(division)s was published.") % {"division": division.name}


def _undo_draw(form: UndoPublishedForm, **acting: Any) -> str:
    """Take the published draw back.

    Only while none of its matches has begun. The division takes entries again, the matches are void, the seed becomes
    public and is not used again, and the next draft is drawn from a new one.
    """
    division = form.instance
    form.instance = undo_published_draw(division=division, **form.cleaned_data, **acting)
    return _("The draw of %(division)s was taken back.") % {"division": division.name}


request_draw = DrawAction("request", RequestDrawForm, _request_draw, harmless="draft_in_work")
publish_draw = PublishAction(
    "publish", AfterForm, _publish_draw, Endpoint("draws_publish", AfterSerializer, {"after": 4})
)
undo_draw = DrawAction("take-back", UndoPublishedForm, _undo_draw, Endpoint(
    "draws_take_back", TakeBackSerializer, {"after": 4, "reason": "The format was wrong"}
))  # fmt: skip


class RoundsAction(DrawAction):
    """What a director does with the rounds of a division."""

    PAGE: ClassVar[str] = "rounds"
    responses: ClassVar[dict[int, Any]] = {200: RoundsSerializer, **WRITE}

    def stale(self, request: HttpRequest, division: Division, refused: Refused) -> HttpResponse:
        """Show the current rounds with what has changed, with status 409."""
        division.refresh_from_db()
        try:
            context = rounds_context(request, division)
        except Refused as not_by_rounds:
            return refuse(request, not_by_rounds, reverse("division", args=division_url_args(division)))
        return render(request, ROUNDS, context | _missed(request, division, refused), status=409)

    def answer(self, request: Request, obj: Division, form: Any) -> Response:
        return rounds_response(request, obj)


def _pair(form: PairRoundForm, **acting: Any) -> str:
    division, fields = form.instance, dict(form.cleaned_data)
    pairs = fields.pop("pairs")
    manual = [(chosen_entry(division, first), chosen_entry(division, second)) for first, second in pairs]
    round_services.request_round(division=division, manual=manual, **fields, **acting)
    return ""


def _publish_round(form: AfterForm, **acting: Any) -> str:
    draw = services.publish_draw(division=form.instance, **form.cleaned_data, **acting)
    return _("Round %(round)d published.") % {"round": draw.round}


def _undo_round(form: UndoRoundForm, **acting: Any) -> str:
    """Take back the last paired round.

    Only while none of its matches has begun. The first round of a division is taken back with its draw.
    """
    fields = dict(form.cleaned_data)
    number = fields.pop("round")
    undo_paired_round(division=form.instance, round_number=number, **fields, **acting)
    return _("Round %(round)d taken back.") % {"round": number}


def _stop(form: AfterForm, **acting: Any) -> str:
    """Stop the countdown of a draft.

    The draft then waits until a director publishes it. 409 `no_countdown`, `stale`.
    """
    form.instance = services.stop_countdown(division=form.instance, **form.cleaned_data, **acting)
    return _("Countdown stopped. The round waits until you publish it.")


def _change(form: ChangeRoundsForm, **acting: Any) -> str:
    """Change the settings of a running Swiss.

    A round that could not be paired (`no_legal_pairing`) is requested again.
    """
    fields = dict(form.cleaned_data)
    after = fields.pop("after")
    round_services.change_rounds(division=form.instance, changes=RoundChanges(**fields), after=after, **acting)
    return _("Saved.")


@repeated(Repeat.STATE)
def _bye(form: ByeForm, **acting: Any) -> str:
    fields = form.cleaned_data
    entry, number = chosen_entry(form.instance, fields["entry"]), fields["round"]
    if fields["take_back"]:
        round_services.withdraw_bye(entry=entry, round_number=number, **acting)
    else:
        round_services.request_bye(entry=entry, round_number=number, kind=fields["kind"], **acting)
    return ""


class StopAction(RoundsAction):
    """Stopping a countdown, which the API answers with the draft."""

    responses: ClassVar[dict[int, Any]] = DrawAction.responses
    answer = DrawAction.answer


pair = RoundsAction("pair", PairRoundForm, _pair, harmless="draft_in_work")
publish_round = RoundsAction("publish", AfterForm, _publish_round)
undo_round = RoundsAction("take-back", UndoRoundForm, _undo_round, Endpoint(
    "rounds_take_back", TakeBackRoundSerializer, {"after": 12, "round": 2, "reason": "A result of round 1 was wrong"}
))  # fmt: skip
stop = StopAction(
    "stop", AfterForm, _stop, Endpoint("draws_stop_countdown", AfterSerializer, {"after": 4}), harmless="no_countdown"
)
change = RoundsAction("change", ChangeRoundsForm, _change, Endpoint(
    "rounds_change", ChangeRoundsSerializer, {"after": 12, "allow_rematches": True}
))  # fmt: skip
bye = RoundsAction("bye", ByeForm, _bye)


# Keeping two players apart, from the page of the draw or of the rounds.


class KeepApartAction(DivisionAction):
    """Keeping two players apart or letting them meet again; the page of the form follows."""

    def url(self, request: HttpRequest, obj: Division) -> str:
        form = KeepApartForm(request.POST)
        form.is_valid()
        return reverse(form.cleaned_data.get("page", "draw"), args=division_url_args(obj))


@repeated(Repeat.STATE)
def _keep_apart(form: KeepApartForm, **acting: Any) -> str:
    fields = form.cleaned_data
    service = kept_apart.keep_apart if fields["act"] == KeepApartForm.KEEP else kept_apart.let_meet
    first, second = (chosen_entry(form.instance, fields[name]) for name in ("first", "second"))
    service(first=first, second=second, **acting)
    return ""


keep_apart = KeepApartAction("keep-apart", KeepApartForm, _keep_apart)
