"""Forms of the director's console."""

from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm
from tournaments.models import Division, Tournament
from tournaments.one_line import LONGEST_TEXT


class QuickForm(RefusingForm):
    """Results typed as lines, and the division on the screen."""

    line = forms.CharField(
        label=_("Quick entry"),
        max_length=LONGEST_TEXT,
        error_messages={"required": _("Type a result, such as m22 11-7.")},
    )
    division = forms.ModelChoiceField(Division.objects.none(), to_field_name="public_id", required=False)

    FIELD_OF: ClassVar[dict[str, str]] = {"line_empty": "line", "too_many_lines": "line"}

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        division = self.fields["division"]
        assert isinstance(division, forms.ModelChoiceField)  # noqa: S101 - tells the type checker
        division.queryset = tournament.divisions.all()
