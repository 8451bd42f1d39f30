"""Forms of the director's console."""

from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from matches.models import Claim
from players.forms import RefusingForm
from tournaments.models import Division, Tournament
from tournaments.results.line_parser import LONGEST_TEXT
from tournaments.state.sheet_codes import with_match_numbers


class OnScreenForm(RefusingForm):
    """An action on the console, and the division on the screen."""

    division = forms.ModelChoiceField(Division.objects.none(), to_field_name="public_id", required=False)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tournament = tournament
        division = self.fields["division"]
        assert isinstance(division, forms.ModelChoiceField)  # noqa: S101 - for the type checker
        division.queryset = tournament.divisions.all()


class QuickForm(OnScreenForm):
    """Results typed as lines."""

    line = forms.CharField(
        label=_("Quick entry"),
        max_length=LONGEST_TEXT,
        error_messages={"required": _("Type a result, such as m22 11-7.")},
    )
    FIELD_OF: ClassVar[dict[str, str]] = {"line_empty": "line", "too_many_results": "line"}

    def clean_line(self) -> str:
        """Return the lines with match numbers in the place of codes and scanned links of score sheets."""
        return with_match_numbers(self.tournament, self.cleaned_data["line"])


class PreviewForm(RefusingForm):
    """A line that is being typed."""

    line = forms.CharField(max_length=LONGEST_TEXT, required=False)


class ConfirmForm(OnScreenForm):
    """The reports that the director saw, to be confirmed at once."""

    report = forms.ModelMultipleChoiceField(Claim.objects.none(), to_field_name="public_id")

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        report = self.fields["report"]
        assert isinstance(report, forms.ModelMultipleChoiceField)  # noqa: S101 - for the type checker
        topics = [division.topic for division in tournament.divisions.all()]
        report.queryset = Claim.objects.filter(match__parent_topic__in=topics)

    @property
    def reports(self) -> set[str]:
        """The public ids of the reports."""
        return {claim.public_id for claim in self.cleaned_data["report"]}
