"""Forms on the page of one match: its result, a forfeit, a ruling, a record to accept, its deadline, a withdrawal.

No field has a meaning when it is empty or unknown: whoever wins, gives up or withdraws is named.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from matches.lifecycle.finish import MOST_POINTS
from matches.reporting.services.records import FindingName
from players.forms import RefusingForm
from tournaments.events.forms import LocalField
from tournaments.state.forms import LONGEST_REASON

SIDES = ("0", "1")
BOTH = "both"
NOBODY = "nobody"
AS_RECORDED = "record"
FINDING = re.compile(r"([a-z0-9_]+)\|([0-9]{0,6})\|([0-9]{0,6})")


class Points(forms.IntegerField):
    """The points of one side, in a large field for a thumb."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=MOST_POINTS, **options)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """A keypad with figures only."""
        return {**super().widget_attrs(widget), "inputmode": "numeric"}


class FindingsField(forms.Field):
    """Findings of a record, each as code|game|ply."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Sequence[str] | None) -> list[FindingName]:
        """Raises ValidationError for what is no finding's name."""
        return [self._finding(text) for text in value or ()]

    @staticmethod
    def _finding(text: str) -> FindingName:
        name = FINDING.fullmatch(text)
        if name is None:
            raise ValidationError(_("This is not the name of a finding."), code="invalid")
        game, ply = (int(part) if part else None for part in name.group(2, 3))
        return name[1], game, ply


class DecisionForm(RefusingForm):
    """What a director decides on a match, on the strength of what the page showed."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_REASON, required=False)

    FIELD_OF: ClassVar[dict[str, str]] = {"ruling_needs_reason": "reason", "own_match_reason": "reason"}
    BY_SIDE: ClassVar[tuple[str, ...]] = ()
    """Fields that choose one of the two players; their choices get the names."""

    AUTO_ID: ClassVar[str] = "%s"
    """How the ids of its fields are made: several of these forms share a page."""

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
        """Points by side, where they are known."""
        left, right = self.cleaned_data["left"], self.cleaned_data["right"]
        return None if left is None or right is None else (left, right)


def _who(label: Any, *more: tuple[str, Any]) -> forms.ChoiceField:
    """A choice between the two players and more; nobody is chosen beforehand."""
    return forms.ChoiceField(label=label, choices=[*((side, side) for side in SIDES), *more], widget=forms.RadioSelect)


class WithScore(DecisionForm):
    """A decision in which the score may be known."""

    left = Points(required=False)
    right = Points(required=False)

    def clean(self) -> dict[str, Any]:
        """A score names both sides, or neither."""
        cleaned = super().clean() or {}
        for given, missing in (("left", "right"), ("right", "left")):
            if cleaned.get(given) is not None and missing in cleaned and cleaned[missing] is None:
                self.add_error(missing, ValidationError(_("Give the points of both, or of neither.")))
        return cleaned


class ResultForm(DecisionForm):
    """How a match ended, as the director saw it."""

    left = Points()
    right = Points()


class ForfeitForm(DecisionForm):
    """One of the two gives up this match, or both do."""

    AUTO_ID: ClassVar[str] = "forfeit-%s"
    side = _who(_("Who gives up this match?"), (BOTH, _("Both; nobody goes on")))
    BY_SIDE: ClassVar[tuple[str, ...]] = ("side",)


class RulingForm(WithScore):
    """What the director decides; a reason is needed."""

    AUTO_ID: ClassVar[str] = "rule-%s"
    winner = _who(_("Who goes on?"), (NOBODY, _("Nobody")))
    BY_SIDE: ClassVar[tuple[str, ...]] = ("winner",)

    @property
    def winning_side(self) -> int | None:
        """The side that goes on; None: nobody."""
        chosen = self.cleaned_data["winner"]
        return None if chosen == NOBODY else int(chosen)


class AcceptForm(WithScore):
    """A rejected record, let stand by ruling."""

    AUTO_ID: ClassVar[str] = "accept-%s"
    record = forms.CharField(max_length=10, widget=forms.HiddenInput)
    waive = FindingsField(required=False)
    swapped = forms.ChoiceField(
        label=_("Who is on the left of the record?"),
        choices=[(side, side) for side in SIDES],
        widget=forms.RadioSelect,
        required=False,
        help_text=_("Asked only where the names in the record do not tell."),
    )
    winner = _who(_("Who won?"), (AS_RECORDED, _("As the record has it")))
    BY_SIDE: ClassVar[tuple[str, ...]] = ("swapped", "winner")

    @property
    def winning_side(self) -> int | None:
        """The side that won by ruling; None: as the record has it."""
        chosen = self.cleaned_data["winner"]
        return None if chosen == AS_RECORDED else int(chosen)

    @property
    def swapped_sides(self) -> bool | None:
        """Whether the record's left player is side 1; None where its names tell."""
        chosen = self.cleaned_data["swapped"]
        return None if chosen == "" else chosen == "1"


class DueForm(RefusingForm):
    """A later end for one match."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    due_at = LocalField(label=_("New deadline"))
    FIELD_OF: ClassVar[dict[str, str]] = {"deadline_not_ahead": "due_at"}


class WithdrawForm(DecisionForm):
    """Which of the two withdraws, and from what."""

    AUTO_ID: ClassVar[str] = "withdraw-%s"
    after = None  # type: ignore[assignment]  # whoever leaves does so whatever has become of the match
    side = _who(_("Who withdraws?"))
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
