"""Forms on the page of a match: result, forfeit, ruling, accepted record, deadline, withdrawal, objection.

An empty or unknown field never has a meaning: whoever wins, forfeits or withdraws is named.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.text_lengths import LONGEST_NOTE
from matches.lifecycle.finish import MOST_POINTS
from matches.models import Result
from matches.reporting.records import FindingName
from players.forms import RefusingForm
from tournaments.events.forms import LocalField

SIDES = ("0", "1")
BOTH = "both"
NOBODY = "nobody"
AS_RECORDED = "record"
RULINGS = (Result.Kind.RULING, Result.Kind.LEADER, Result.Kind.SETTLED)
"""How a director can end a match that was not played out; each is a kind of its own."""
FINDING = re.compile(r"([a-z0-9_]+)\|([0-9]{0,6})\|([0-9]{0,6})")


class Points(forms.IntegerField):
    """The points of one side."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=MOST_POINTS, **options)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """Show a numeric keypad."""
        return {**super().widget_attrs(widget), "inputmode": "numeric"}


class FindingsField(forms.Field):
    """Findings of a record, each sent as `code|game|ply`."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Sequence[str] | None) -> list[FindingName]:
        """Parse the findings; raise ValidationError for an invalid name."""
        return [self._finding(text) for text in value or ()]

    @staticmethod
    def _finding(text: str) -> FindingName:
        name = FINDING.fullmatch(text)
        if name is None:
            raise ValidationError(_("This is not a valid finding."), code="invalid")
        game, ply = (int(part) if part else None for part in name.group(2, 3))
        return name[1], game, ply


class DecisionForm(RefusingForm):
    """A director's decision on a match; `after` is the match's `seq` as the page showed it."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_NOTE, required=False)

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
    def score(self) -> tuple[int, int] | None:
        """Points by side, or None if they were not entered."""
        left, right = self.cleaned_data["left"], self.cleaned_data["right"]
        return None if left is None or right is None else (left, right)


def _player_choice(label: Any, *more: tuple[str, Any]) -> forms.ChoiceField:
    """Return a choice between the two players and `more`, without a preselection."""
    return forms.ChoiceField(label=label, choices=[*((side, side) for side in SIDES), *more], widget=forms.RadioSelect)


class WithScore(DecisionForm):
    """A decision with an optional score."""

    left = Points(required=False)
    right = Points(required=False)

    def clean(self) -> dict[str, Any]:
        """Require the points of both sides, or of neither."""
        cleaned = super().clean() or {}
        for filled, missing in (("left", "right"), ("right", "left")):
            if cleaned.get(filled) is not None and missing in cleaned and cleaned[missing] is None:
                self.add_error(missing, ValidationError(_("Enter the points of both players, or of neither.")))
        return cleaned


class ResultForm(DecisionForm):
    """The score of a match that was played."""

    left = Points()
    right = Points()


class ForfeitForm(DecisionForm):
    """A forfeit by one player or both."""

    AUTO_ID: ClassVar[str] = "forfeit-%s"
    side = _player_choice(_("Who forfeits this match?"), (BOTH, _("Both; nobody advances")))
    BY_SIDE: ClassVar[tuple[str, ...]] = ("side",)


class RulingForm(WithScore):
    """A ruling, with a reason."""

    AUTO_ID: ClassVar[str] = "rule-%s"
    kind = forms.ChoiceField(
        label=_("How does it end?"),
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


class AcceptForm(WithScore):
    """A rejected record to accept by ruling."""

    AUTO_ID: ClassVar[str] = "accept-%s"
    record = forms.CharField(max_length=10, widget=forms.HiddenInput)
    waive = FindingsField(required=False)
    swapped = forms.ChoiceField(
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

    @property
    def swapped_sides(self) -> bool | None:
        """Whether the record's left player is side 1; None if the names decide."""
        chosen = self.cleaned_data["swapped"]
        return None if chosen == "" else chosen == "1"


class DueForm(RefusingForm):
    """A later deadline for one match."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    due_at = LocalField(label=_("New deadline"))
    FIELD_OF: ClassVar[dict[str, str]] = {"deadline_not_ahead": "due_at"}


class WithdrawForm(DecisionForm):
    """Which of the two players withdraws, and from what."""

    AUTO_ID: ClassVar[str] = "withdraw-%s"
    after = None  # type: ignore[assignment]  # a withdrawal does not depend on the state of the match
    side = _player_choice(_("Who withdraws?"))
    scope = forms.ChoiceField(
        label=_("From what?"),
        choices=[("bracket", _("this bracket")), ("division", _("the division")), ("event", _("the whole event"))],
        widget=forms.RadioSelect,
    )
    BY_SIDE: ClassVar[tuple[str, ...]] = ("side",)


class ObjectionForm(DecisionForm):
    """Whether an objection is upheld or dismissed, and why."""

    AUTO_ID: ClassVar[str] = "objection-%s"
    FIELD_OF: ClassVar[dict[str, str]] = {"objection_answer_missing": "reason", "own_match_reason": "reason"}

    objection = forms.CharField(max_length=10, widget=forms.HiddenInput)
    upheld = forms.TypedChoiceField(choices=[("1", "1"), ("0", "0")], coerce=lambda value: value == "1")
