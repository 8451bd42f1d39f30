"""Forms of the director's console."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from matches.models import Claim, Provisional
from players.forms import RefusingForm
from tournaments.models import Division, Fixture, Round, Tournament
from tournaments.results.line_parser import LONGEST_TEXT
from tournaments.state.sheet_codes import with_match_numbers

ROUND = "round-"
"""Begins the value of a round; that of a division is its public id."""


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
    """The reports and provisional results that the director saw, to be confirmed at once."""

    report = forms.ModelMultipleChoiceField(Claim.objects.none(), to_field_name="public_id", required=False)
    result = forms.ModelMultipleChoiceField(Provisional.objects.none(), to_field_name="public_id", required=False)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        report, result = self.fields["report"], self.fields["result"]
        assert isinstance(report, forms.ModelMultipleChoiceField)  # noqa: S101 - for the type checker
        assert isinstance(result, forms.ModelMultipleChoiceField)  # noqa: S101 - for the type checker
        topics = [division.topic for division in tournament.divisions.all()]
        report.queryset = Claim.objects.filter(match__parent_topic__in=topics)
        result.queryset = Provisional.objects.filter(result__match__parent_topic__in=topics)

    def clean(self) -> dict[str, Any]:
        """Require a report or a result."""
        fields: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and not fields["report"] and not fields["result"]:
            self.add_error("report", _("Choose what to confirm."))
        return fields

    @property
    def reports(self) -> set[str]:
        """The public ids of the reports and results."""
        return {row.public_id for row in (*self.cleaned_data["report"], *self.cleaned_data["result"])}


class CloseForm(ConfirmForm):
    """Closing the event, a division or a round, with the provisional results that the director saw."""

    scope = forms.ChoiceField(label=_("What to close"), required=False)

    def __init__(self, *args: Any, tournament: Tournament, rounds: Mapping[int, str], **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        scope = self.fields["scope"]
        assert isinstance(scope, forms.ChoiceField)  # noqa: S101 - for the type checker
        divisions = {division.pk: division for division in tournament.divisions.all()}
        waiting = Fixture.objects.filter(stage__division__in=divisions, match__provisional=True).order_by("number")
        ids = dict(waiting.values_list("round", "stage__division"))
        scope.choices = [
            ("", _("The whole event")),
            *((row.public_id, row.name) for row in divisions.values()),
            *((f"{ROUND}{pk}", f"{divisions[of].name} · {rounds[pk]}") for pk, of in ids.items()),
        ]

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
