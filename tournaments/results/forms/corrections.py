"""Forms of corrections: the corrected result, what should follow from it, and the reason."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.text_lengths import LONGEST_NOTE
from matches.lifecycle.finish import ENDINGS, MOST_POINTS, ResultInput, standing_result
from matches.models import Match, Result
from players.forms import RefusingForm
from tournaments.models import Correction
from tournaments.results.forms.fixtures import NOBODY, SIDES
from tournaments.results.services.corrections import CorrectionInput

LONGEST_MARK = 16
WITHOUT_SCORE = (Result.Kind.FORFEIT, Result.Kind.DOUBLE_FORFEIT, Result.Kind.WALKOVER)


class NewResultForm(RefusingForm):
    """The corrected result; if the match was played, the score decides the winner."""

    kind = forms.ChoiceField(label=_("How it ended"), choices=ENDINGS)
    winner = forms.ChoiceField(
        label=_("Winner"), choices=[("0", "0"), ("1", "1"), (NOBODY, _("nobody"))], required=False
    )
    left = forms.IntegerField(min_value=0, max_value=MOST_POINTS, required=False)
    right = forms.IntegerField(min_value=0, max_value=MOST_POINTS, required=False)
    rated = forms.BooleanField(label=_("Played matches that become void stay rated"), required=False)

    FIELD_OF: ClassVar[dict[str, str]] = {}

    @classmethod
    def of(cls, match: Match) -> "NewResultForm":
        """Return the form filled in with the standing result."""
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
            self.add_error("winner", ValidationError(_("Choose the winner, or “nobody”."), code="required"))
        return cleaned

    @property
    def new_result(self) -> ResultInput:
        """The result as services take it."""
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
    reason = forms.CharField(max_length=LONGEST_NOTE, required=False)


class UndoForm(RefusingForm):
    """Undoing a correction, with the `seq` and `mark` of the preview that was shown."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    mark = forms.CharField(max_length=LONGEST_MARK, required=False, widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_NOTE, required=False)

    FIELD_OF: ClassVar[dict[str, str]] = {}

    @property
    def preview_mark(self) -> str | None:
        """The mark of the preview, if one was sent."""
        return self.cleaned_data["mark"] or None


class ApplyForm(NewResultForm, UndoForm):
    """A corrected result and what should follow from it."""

    choice = forms.ChoiceField(label=_("What should change?"), choices=Correction.Choice.choices)

    @property
    def correction(self) -> CorrectionInput:
        """The correction as services take it."""
        fields = self.cleaned_data
        return CorrectionInput(self.new_result, fields["choice"], fields["reason"], fields["rated"], self.preview_mark)
