"""What is printed, and on which paper."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.models import Division, Round, Tournament

A4, LETTER = "a4", "letter"
LETTER_ZONES = ("America/", "US/", "Canada/", "Pacific/Honolulu")
"""Time zones of countries that print on US Letter; a director elsewhere on these continents can choose A4."""


def usual_paper(tournament: Tournament) -> str:
    """Return the paper size that is usual where the event takes place."""
    return LETTER if tournament.time_zone.startswith(LETTER_ZONES) else A4


class PaperForm(forms.Form):
    """The choices of every printed page; unknown values are refused."""

    paper = forms.ChoiceField(label=_("Paper"), choices=[(A4, "A4"), (LETTER, "US Letter")], required=False)
    division = forms.ModelChoiceField(Division.objects.none(), to_field_name="public_id", required=False)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tournament = tournament
        self._choose_from("division", tournament.divisions.all())

    def _choose_from(self, name: str, rows: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - for the type checker
        field.queryset = rows

    @property
    def size(self) -> str:
        """The chosen paper size, else the usual one."""
        return self.cleaned_data["paper"] or usual_paper(self.tournament)

    @property
    def divisions(self) -> list[Division]:
        """The chosen division, else all."""
        chosen = self.cleaned_data["division"]
        return [chosen] if chosen else list(self.tournament.divisions.all())


class ScoreSheetsForm(PaperForm):
    """Which score sheets are printed: those of a round, or of all matches that can be played now."""

    round = forms.ModelChoiceField(Round.objects.none(), required=False)
    per_page = forms.TypedChoiceField(
        label=_("Sheets per page"), choices=[(4, "4"), (2, "2")], coerce=int, required=False
    )

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        self._choose_from("round", Round.objects.filter(bracket__stage__division__tournament=tournament))

    @property
    def sheets_per_page(self) -> int:
        """The chosen number of sheets, else four."""
        return self.cleaned_data["per_page"] or 4
