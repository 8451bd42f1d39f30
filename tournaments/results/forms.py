"""Forms of results: on the page of a match, of corrections, and of quick entry."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from core.text_lengths import MAX_NOTE_LENGTH
from matches.lifecycle.finish import ENDINGS, MAX_POINTS, ResultInput, standing_result
from matches.models import Claim, Match, Provisional, Result
from matches.reporting.forms import WinnerForm
from matches.reporting.records import FindingName
from players.forms import RefusingForm, YesNoField
from tournaments.events.forms import LocalField
from tournaments.models import Correction, Division, Fixture, Round, Tournament
from tournaments.results.corrections import CorrectionInput
from tournaments.results.lines import MAX_TEXT_LENGTH

# Forms on the page of a match: result, forfeit, ruling, accepted record, deadline, withdrawal, objection.
#
# An empty or unknown field never has a meaning: whoever wins, forfeits or withdraws is named.


SIDES = ("0", "1")
BOTH = "both"
NOBODY = "nobody"
AS_RECORDED = "record"
RULINGS = (Result.Kind.RULING, Result.Kind.LEADER, Result.Kind.SETTLED)
"""How a director can end a match that was not played out; each is a kind of its own."""
FINDING = re.compile(r"([a-z0-9_]+)\|([0-9]{0,6})\|([0-9]{0,6})")


class Points(forms.IntegerField):
    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=MAX_POINTS, **options)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "inputmode": "numeric"}


class FindingsField(forms.Field):
    """Findings of a record, each sent as `code|game|ply`."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Sequence[Any] | None) -> list[FindingName]:
        """Parse the findings; raise ValidationError for an invalid name."""
        return [self._finding(finding) for finding in value or ()]

    @staticmethod
    def _finding(text: str | Mapping[str, Any]) -> FindingName:
        if isinstance(text, Mapping):
            return text["code"], text["game"], text["ply"]
        name = FINDING.fullmatch(text)
        if name is None:
            raise ValidationError(forms.ModelChoiceField.default_error_messages["invalid_choice"], code="invalid")
        game, ply = (int(part) if part else None for part in name.group(2, 3))
        return name[1], game, ply


class DecisionForm(RefusingForm):
    """A director's decision on a match; `after` is the match's `seq` as the page showed it."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Reason"), max_length=MAX_NOTE_LENGTH, required=False)

    FIELD_OF: ClassVar[dict[str, str]] = {"ruling_needs_reason": "reason", "own_match_reason": "reason"}
    BY_SIDE: ClassVar[tuple[str, ...]] = ()
    """Fields that choose a player; their choices are labelled with the players' names."""

    AUTO_ID: ClassVar[str] = "%s"
    """Format of the fields' HTML ids, since several of these forms share a page."""

    def __init__(self, *args: Any, names: tuple[str, str] = SIDES, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": self.AUTO_ID, **kwargs})
        for name in self.BY_SIDE:
            field = cast(forms.ChoiceField, self.fields[name])
            labels = dict(zip(SIDES, names, strict=True))
            field.choices = [
                (value, labels.get(value, label)) for value, label in cast(Iterable[tuple[str, Any]], field.choices)
            ]
        for name, label in zip(("left", "right"), names, strict=True):
            if name in self.fields:
                self.fields[name].label = label

    @property
    def common(self) -> dict[str, Any]:
        """The fields that most decisions have, as services take them."""
        return {name: self.cleaned_data[name] for name in ("after", "reason") if name in self.fields}

    @property
    def score(self) -> tuple[int, int] | None:
        """Points by side, or None if they were not entered."""
        left, right = self.cleaned_data["left"], self.cleaned_data["right"]
        return None if left is None or right is None else (left, right)


def _player_choice(label: Any, *more: tuple[str, Any]) -> forms.ChoiceField:
    """Return a choice between the two players and `more`, without a preselection."""
    return forms.ChoiceField(label=label, choices=[*((side, side) for side in SIDES), *more], widget=forms.RadioSelect)


class WithScore(DecisionForm):
    left = Points(required=False)
    right = Points(required=False)

    def clean(self) -> dict[str, Any]:
        """Require the points of both sides, or of neither."""
        cleaned = super().clean() or {}
        for filled, missing in (("left", "right"), ("right", "left")):
            if cleaned.get(filled) is not None and missing in cleaned and cleaned[missing] is None:
                self.add_error(missing, ValidationError(_("Enter the points of both players, or of neither.")))
        return cleaned


class ResultForm(WinnerForm, DecisionForm):
    """The score of a match that was played: who won, and the points of the other player, or the points of both."""

    left = Points(required=False)
    right = Points(required=False)

    def clean(self) -> dict[str, Any]:
        """Fill in the points of both."""
        super().clean()
        self.fill_in(self.instance.match.length if self.instance.match is not None else 0, ("left", "right"))
        return self.cleaned_data


class ForfeitForm(DecisionForm):
    AUTO_ID: ClassVar[str] = "forfeit-%s"
    side = _player_choice(_("Who forfeits this match?"), (BOTH, _("Both; nobody advances")))
    BY_SIDE: ClassVar[tuple[str, ...]] = ("side",)


class RulingForm(WithScore):
    AUTO_ID: ClassVar[str] = "rule-%s"
    kind = forms.ChoiceField(
        label=_("How it ended"),
        choices=[(kind.value, kind.label) for kind in RULINGS],
        initial=RULINGS[0].value,
        widget=forms.RadioSelect,
    )
    winner = _player_choice(_("Who advances?"), (NOBODY, _("Nobody")))
    BY_SIDE: ClassVar[tuple[str, ...]] = ("winner",)

    @property
    def winning_side(self) -> int | None:
        """The side that advances; None: nobody."""
        chosen = self.cleaned_data["winner"]
        return None if chosen == NOBODY else int(chosen)


class AcceptRecordForm(WithScore):
    """A rejected record to accept by ruling."""

    AUTO_ID: ClassVar[str] = "accept-%s"
    record = forms.CharField(max_length=10, widget=forms.HiddenInput)
    waive = FindingsField(required=False)
    swapped = YesNoField(
        label=_("Who is on the left of the record?"),
        choices=[(side, side) for side in SIDES],
        widget=forms.RadioSelect,
        required=False,
        help_text=_("Needed only if the names in the record do not match the players."),
    )
    winner = _player_choice(_("Who won?"), (AS_RECORDED, _("As in the record")))
    BY_SIDE: ClassVar[tuple[str, ...]] = ("swapped", "winner")

    @property
    def winning_side(self) -> int | None:
        """The side that won by ruling; None: as in the record."""
        chosen = self.cleaned_data["winner"]
        return None if chosen == AS_RECORDED else int(chosen)


class DueForm(DecisionForm):
    """A later deadline for one match."""

    reason = None  # type: ignore[assignment]  # nobody is asked for one
    due_at = LocalField(label=_("New deadline"))
    FIELD_OF: ClassVar[dict[str, str]] = {"deadline_not_ahead": "due_at"}


class WithdrawPlayerForm(DecisionForm):
    """Which of the two players withdraws, and from what."""

    AUTO_ID: ClassVar[str] = "withdraw-%s"
    after = None  # type: ignore[assignment]  # a withdrawal does not depend on the state of the match
    side = _player_choice(_("Who withdraws?"))
    scope = forms.ChoiceField(
        label=_("From what?"),
        choices=[("bracket", _("This bracket")), ("division", _("The division")), ("event", _("The whole event"))],
        initial="bracket",
        widget=forms.RadioSelect,
    )
    confirmed = forms.BooleanField(required=False)
    BY_SIDE: ClassVar[tuple[str, ...]] = ("side",)


class AnswerObjectionForm(DecisionForm):
    """Whether an objection is upheld or dismissed, and why."""

    AUTO_ID: ClassVar[str] = "objection-%s"
    FIELD_OF: ClassVar[dict[str, str]] = {"objection_answer_missing": "reason", "own_match_reason": "reason"}

    objection = forms.CharField(max_length=10, widget=forms.HiddenInput)
    upheld = YesNoField()


MAX_MARK_LENGTH = 16
WITHOUT_SCORE = (Result.Kind.FORFEIT, Result.Kind.DOUBLE_FORFEIT, Result.Kind.WALKOVER)


class NewResultForm(RefusingForm):
    """The corrected result; if the match was played, the score decides the winner."""

    kind = forms.ChoiceField(label=_("How it ended"), choices=ENDINGS)
    winner = forms.ChoiceField(
        label=_("Winner"), choices=[("0", "0"), ("1", "1"), (NOBODY, _("Nobody"))], required=False
    )
    left = forms.IntegerField(min_value=0, max_value=MAX_POINTS, required=False)
    right = forms.IntegerField(min_value=0, max_value=MAX_POINTS, required=False)
    rated = forms.BooleanField(label=_("Played matches that become void stay rated"), required=False)

    FIELD_OF: ClassVar[dict[str, str]] = {}

    @classmethod
    def of(cls, match: Match) -> "NewResultForm":
        standing = standing_result(match)
        assert standing is not None  # noqa: S101, only used for settled matches
        left, right = standing.score or (None, None)
        winner = NOBODY if standing.winner is None else str(standing.winner)
        return cls(initial={"kind": standing.kind, "winner": winner, "left": left, "right": right, "rated": True})

    def clean(self) -> dict[str, Any]:
        """Require a winner, or “nobody”, unless the score or the kind of ending decides it."""
        cleaned = super().clean() or {}
        kind = cleaned.get("kind")
        scored = cleaned.get("left") is not None and cleaned.get("right") is not None
        is_decided = kind == Result.Kind.DOUBLE_FORFEIT or (kind == Result.Kind.PLAYED and scored)
        if not is_decided and not cleaned.get("winner") and "winner" not in self.errors:
            self.add_error("winner", ValidationError(_("Choose the winner, or “Nobody”."), code="required"))
        return cleaned

    @property
    def new_result(self) -> ResultInput:
        kind, chosen = self.cleaned_data["kind"], self.cleaned_data["winner"]
        winner = int(chosen) if chosen in SIDES else None
        left, right = self.cleaned_data["left"], self.cleaned_data["right"]
        score = None if left is None or right is None or kind in WITHOUT_SCORE else (left, right)
        if kind == Result.Kind.PLAYED and score is not None and left != right:
            winner = 0 if left > right else 1
        if kind == Result.Kind.DOUBLE_FORFEIT:
            winner = None
        return ResultInput(winner, score, kind)


class PreviewForm(NewResultForm):
    """A result to preview; a choice and a reason already entered are kept."""

    choice = forms.ChoiceField(choices=Correction.Choice.choices, required=False)
    reason = forms.CharField(max_length=MAX_NOTE_LENGTH, required=False)


class UndoCorrectionForm(RefusingForm):
    """Undoing a correction, with the `seq` and `mark` of the preview that was shown."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    mark = forms.CharField(max_length=MAX_MARK_LENGTH, required=False, widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Reason"), max_length=MAX_NOTE_LENGTH, required=False)

    FIELD_OF: ClassVar[dict[str, str]] = {}

    @property
    def preview_mark(self) -> str | None:
        return self.cleaned_data["mark"] or None


class ApplyForm(NewResultForm, UndoCorrectionForm):
    """A corrected result and what should follow from it."""

    choice = forms.ChoiceField(label=_("What should change?"), choices=Correction.Choice.choices)

    @property
    def correction(self) -> CorrectionInput:
        fields = self.cleaned_data
        return CorrectionInput(self.new_result, fields["choice"], fields["reason"], fields["rated"], self.preview_mark)


ROUND = "round-"
"""Begins the value of a round; that of a division is its public id."""


class OnScreenForm(RefusingForm):
    """An action on the console, and the division on the screen."""

    division = forms.ModelChoiceField(Division.objects.none(), to_field_name="public_id", required=False)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tournament = tournament
        self.choose_from("division", tournament.divisions.all())


class QuickForm(OnScreenForm):
    """Results typed as lines."""

    line = forms.CharField(
        label=_("Quick entry"),
        max_length=MAX_TEXT_LENGTH,
        error_messages={"required": _("Type a result, such as m22 11-7.")},
    )
    seen = forms.IntegerField(min_value=0, required=False)
    FIELD_OF: ClassVar[dict[str, str]] = {"line_empty": "line", "too_many_results": "line"}


class LinePreviewForm(RefusingForm):
    """A line that is being typed."""

    line = forms.CharField(max_length=MAX_TEXT_LENGTH, required=False)

    @classmethod
    def line_in(cls, request: HttpRequest) -> str:
        """Return the line that an address names; empty if it names none."""
        form = cls(request.GET)
        return str(form.cleaned_data["line"]) if form.is_valid() else ""


class ConfirmResultsForm(OnScreenForm):
    """The reports and provisional results that the director saw, to be confirmed at once."""

    report = forms.ModelMultipleChoiceField(Claim.objects.none(), to_field_name="public_id", required=False)
    result = forms.ModelMultipleChoiceField(Provisional.objects.none(), to_field_name="public_id", required=False)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        topics = [division.topic for division in tournament.divisions.all()]
        self.choose_from("report", Claim.objects.filter(match__parent_topic__in=topics))
        self.choose_from("result", Provisional.objects.filter(result__match__parent_topic__in=topics))

    def clean(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and not fields["report"] and not fields["result"]:
            self.add_error("report", _("Choose what to confirm."))
        return fields

    @property
    def reports(self) -> set[str]:
        """The public ids of the reports and results."""
        return {row.public_id for row in (*self.cleaned_data["report"], *self.cleaned_data["result"])}


class CloseEventForm(ConfirmResultsForm):
    """Closing the event, a division or a round, with the provisional results that the director saw."""

    scope = forms.ChoiceField(label=_("What to close"), required=False)

    def __init__(self, *args: Any, tournament: Tournament, rounds: Mapping[int, str], **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        divisions = {division.pk: division for division in tournament.divisions.all()}
        waiting = Fixture.objects.filter(stage__division__in=divisions, match__provisional=True).order_by("number")
        ids = dict(waiting.values_list("round", "stage__division"))
        of_divisions = [(row.public_id, row.name) for row in divisions.values()]
        of_rounds = [(f"{ROUND}{pk}", f"{divisions[of].name} · {rounds[pk]}") for pk, of in ids.items()]
        self.choose_among("scope", [("", _("The whole event")), *of_divisions, *of_rounds])

    def clean(self) -> dict[str, Any]:
        """Require results, once the form is sent and not only chosen from."""
        return forms.Form.clean(self) or self.cleaned_data

    @property
    def closed(self) -> dict[str, Any]:
        """The division and the round to close, for the service; neither for the whole event."""
        scope = self.cleaned_data.get("scope", "")
        if scope.startswith(ROUND):
            return {"round_": Round.objects.get(pk=int(scope.removeprefix(ROUND)))}
        return {"division": self.tournament.divisions.get(public_id=scope)} if scope else {}
