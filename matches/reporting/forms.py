"""What players enter about their matches: every field is named and checked here, never read from a request by hand."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.messages import sentence
from engine.errors import Refused
from matches.lifecycle.finish import MOST_POINTS
from matches.models import MOST_TIMES, Match
from matches.reporting.appointments import instant
from matches.reporting.services.proposals import check_time
from matches.reporting.services.reports import LONGEST_NOTE

OTHER = "other"
"""Holds the score sheet and is neither of the players."""
TIME_FIELDS = [f"time_{number}" for number in range(1, MOST_TIMES + 1)]


class ActForm(forms.Form):
    """What every form brings: the state its reader saw, and a key that makes a second click harmless."""

    after = forms.IntegerField(min_value=0, max_value=10**9, widget=forms.HiddenInput)
    key = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    @property
    def common(self) -> dict[str, Any]:
        """Arguments that every service takes."""
        return {"after": self.cleaned_data["after"], "key": self.cleaned_data["key"], "now": timezone.now()}


class NoteForm(ActForm):
    """An answer with a word about it."""

    note = forms.CharField(label=_("Note"), required=False, max_length=LONGEST_NOTE)


class ObjectionForm(ActForm):
    """Why a result is wrong."""

    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_NOTE)


class ScoreForm(forms.Form):
    """A score of a match, as it is previewed."""

    score_0 = forms.IntegerField(min_value=0, max_value=MOST_POINTS)
    score_1 = forms.IntegerField(min_value=0, max_value=MOST_POINTS)
    note = forms.CharField(label=_("Note"), required=False, max_length=LONGEST_NOTE)

    def __init__(self, *args: Any, match: Match, **more: Any) -> None:
        super().__init__(*args, **more)
        for side, player in enumerate(match.players):
            self.fields[f"score_{side}"].label = player.shown_name
            self.fields[f"score_{side}"].initial = match.start_score[side]

    @property
    def score(self) -> tuple[int, int]:
        """Points of both sides."""
        return self.cleaned_data["score_0"], self.cleaned_data["score_1"]

    @property
    def winner(self) -> int:
        """The side with more points."""
        return 0 if self.score[0] > self.score[1] else 1

    @property
    def says_side(self) -> int | None:
        """Who the sender says they are; only the sheet asks."""
        return None


class SheetScoreForm(ScoreForm):
    """The same from the score sheet, which does not know who holds it."""

    i_am = forms.ChoiceField(label=_("I am"))

    def __init__(self, *args: Any, match: Match, **more: Any) -> None:
        super().__init__(*args, match=match, **more)
        names = [(str(side), player.shown_name) for side, player in enumerate(match.players)]
        choice = self.fields["i_am"]
        assert isinstance(choice, forms.ChoiceField)  # noqa: S101, it is declared above
        choice.choices = [*names, (OTHER, gettext("somebody else"))]

    @property
    def says_side(self) -> int | None:
        """One of the players, or None for somebody else."""
        given = self.cleaned_data["i_am"]
        return None if given == OTHER else int(given)


class ReportForm(ScoreForm, ActForm):
    """A score that is sent."""


class SheetReportForm(SheetScoreForm, ActForm):
    """A score that is sent from the score sheet."""


class NamesForm(ActForm):
    """Which player of a record is which."""

    left = forms.TypedChoiceField(choices=[(0, "0"), (1, "1")], coerce=int)


class TimesForm(ActForm):
    """Times to play, as clocks show them where the player is."""

    note = forms.CharField(label=_("Note"), required=False, max_length=LONGEST_NOTE)

    def __init__(self, *args: Any, match: Match, zone: ZoneInfo, **more: Any) -> None:
        super().__init__(*args, **more)
        self.match, self.zone = match, zone
        self.times: list[datetime] = []
        for number, name in enumerate(TIME_FIELDS, start=1):
            label = gettext("Time {number}").format(number=number)
            self.fields[name] = forms.CharField(label=label, required=number == 1, max_length=40)

    def clean(self) -> dict[str, Any]:
        """Read each time in the player's zone, and name the one that cannot be."""
        given = super().clean() or {}
        for name in TIME_FIELDS:
            if not given.get(name):
                continue
            try:
                at = instant(given[name], self.zone)
                check_time(self.match, at, timezone.now())
            except Refused as refused:
                self.add_error(name, forms.ValidationError(sentence(refused.code, refused.params), code=refused.code))
            else:
                self.times.append(at)
        return given

    def time_fields(self) -> list[forms.BoundField]:
        """The times alone."""
        return [self[name] for name in TIME_FIELDS]


class AcceptForm(ActForm):
    """One of the times that were proposed, as an instant."""

    time = forms.CharField(max_length=40)

    def clean_time(self) -> datetime:
        """As an instant."""
        try:
            return instant(self.cleaned_data["time"], ZoneInfo("UTC"))
        except Refused as refused:
            raise forms.ValidationError(sentence(refused.code, refused.params), code=refused.code) from None
