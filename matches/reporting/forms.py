"""Forms for players: to report matches and to agree on times."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.messages import sentence
from core.text_lengths import LONGEST_NOTE
from engine.errors import Refused
from matches.lifecycle.finish import MOST_POINTS
from matches.models import MOST_TIMES, Match
from matches.models.matches import LONGEST_MATCH
from matches.reporting.appointments import check_time, instant

OTHER = "other"
"""Choice of a sender who is neither of the players."""
TIME_FIELDS = [f"time_{number}" for number in range(1, MOST_TIMES + 1)]


class TapForm(forms.Form):
    """A tap without any choice, which is harmless to repeat."""


class RevokeLinkForm(forms.Form):
    """The generation of the personal link that the reader saw."""

    generation = forms.IntegerField(min_value=0, max_value=32_766, widget=forms.HiddenInput)


class ActForm(forms.Form):
    """Base of forms that change a match: the version the reader saw, and a key that makes a second click harmless."""

    after = forms.IntegerField(min_value=0, max_value=10**9, widget=forms.HiddenInput)
    key = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    @property
    def common(self) -> dict[str, Any]:
        """Keyword arguments that every service takes."""
        return {"after": self.cleaned_data["after"], "key": self.cleaned_data["key"], "now": timezone.now()}


class NoteForm(ActForm):
    """An answer with an optional note."""

    note = forms.CharField(label=_("Message (optional)"), required=False, max_length=LONGEST_NOTE)


class ObjectionForm(ActForm):
    """An objection with its reason."""

    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_NOTE)


class ScoreForm(forms.Form):
    """A score to preview."""

    score_0 = forms.IntegerField(min_value=0, max_value=MOST_POINTS)
    score_1 = forms.IntegerField(min_value=0, max_value=MOST_POINTS)
    note = forms.CharField(label=_("Message (optional)"), required=False, max_length=LONGEST_NOTE)

    def __init__(self, *args: Any, match: Match, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for side, name in enumerate(match.names):
            self.fields[f"score_{side}"].label = name
            self.fields[f"score_{side}"].initial = match.start_score[side]

    @property
    def score(self) -> tuple[int, int]:
        """Points of side 0 and side 1."""
        return self.cleaned_data["score_0"], self.cleaned_data["score_1"]

    @property
    def winner(self) -> int:
        """The side with more points."""
        return 0 if self.score[0] > self.score[1] else 1

    @property
    def says_side(self) -> int | None:
        """The player the sender says they are; only the score sheet asks for it."""
        return None


class RunningScoreForm(forms.Form):
    """The score of a match that goes on. It needs no version of the match: the last score stands."""

    score_0 = forms.IntegerField(min_value=0, max_value=LONGEST_MATCH)
    score_1 = forms.IntegerField(min_value=0, max_value=LONGEST_MATCH)

    def __init__(self, *args: Any, match: Match, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for side, name in enumerate(match.names):
            self.fields[f"score_{side}"].label = name

    @property
    def score(self) -> tuple[int, int]:
        """Points of side 0 and side 1."""
        return self.cleaned_data["score_0"], self.cleaned_data["score_1"]


class LengthOfferForm(RunningScoreForm):
    """A shorter length that a player offers, at the score that they saw."""

    length = forms.IntegerField(label=_("Play to"), min_value=1, max_value=LONGEST_MATCH)


class LengthAnswerForm(forms.Form):
    """The offer of a shorter length that is answered."""

    offer = forms.IntegerField(min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput)


class SheetScoreForm(ScoreForm):
    """A score from the score sheet, with who the sender says they are."""

    i_am = forms.ChoiceField(label=_("I am"))

    def __init__(self, *args: Any, match: Match, **kwargs: Any) -> None:
        super().__init__(*args, match=match, **kwargs)
        names = [(str(side), name) for side, name in enumerate(match.names)]
        choice = self.fields["i_am"]
        assert isinstance(choice, forms.ChoiceField)  # noqa: S101, it is declared above
        choice.choices = [*names, (OTHER, gettext("someone else"))]

    @property
    def says_side(self) -> int | None:
        """The side of one of the players, or None for someone else."""
        choice = self.cleaned_data["i_am"]
        return None if choice == OTHER else int(choice)


class ReportForm(ScoreForm, ActForm):
    """A score to report; `kept` if it was typed without a connection and kept on the device."""

    kept = forms.BooleanField(required=False, widget=forms.HiddenInput)


class SheetReportForm(SheetScoreForm, ReportForm):
    """A report by somebody who scanned the score sheet and says who they are."""


class NamesForm(ActForm):
    """Which player of a record is which: the side of its left player."""

    left = forms.TypedChoiceField(choices=[(0, "0"), (1, "1")], coerce=int)


class TimesForm(ActForm):
    """Times to propose, in the player's time zone."""

    note = forms.CharField(label=_("Message (optional)"), required=False, max_length=LONGEST_NOTE)

    def __init__(self, *args: Any, match: Match, zone: ZoneInfo, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.match, self.zone = match, zone
        self.times: list[datetime] = []
        for number, name in enumerate(TIME_FIELDS, start=1):
            label = gettext("Time {number}").format(number=number)
            self.fields[name] = forms.CharField(label=label, required=number == 1, max_length=40)

    def clean(self) -> dict[str, Any]:
        """Parse each time in the player's time zone and report errors by field."""
        cleaned = super().clean() or {}
        for name in TIME_FIELDS:
            if not cleaned.get(name):
                continue
            try:
                at = instant(cleaned[name], self.zone)
                check_time(self.match, at, timezone.now())
            except Refused as refused:
                self.add_error(name, forms.ValidationError(sentence(refused.code, refused.params), code=refused.code))
            else:
                self.times.append(at)
        return cleaned

    def time_fields(self) -> list[forms.BoundField]:
        """The bound fields, one for each time that can be proposed."""
        return [self[name] for name in TIME_FIELDS]


class AcceptForm(ActForm):
    """One of the proposed times, in ISO 8601."""

    time = forms.CharField(max_length=40)

    def clean_time(self) -> datetime:
        """Parse the time; it has an offset, or is in UTC."""
        try:
            return instant(self.cleaned_data["time"], ZoneInfo("UTC"))
        except Refused as refused:
            raise forms.ValidationError(sentence(refused.code, refused.params), code=refused.code) from None
