"""What a director chooses for the wall screen."""

from django import forms
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm
from tournaments.models import Wall
from tournaments.models.wall import LONGEST_MESSAGE
from tournaments.wall.parts import PART_LABELS, PartKey


class WallForm(RefusingForm):
    """The message and the parts of the wall screen."""

    message = forms.CharField(
        label=_("Message"),
        max_length=LONGEST_MESSAGE,
        required=False,
        help_text=_("Always at the bottom of the screen. Leave it empty to remove it."),
    )
    parts = forms.MultipleChoiceField(
        label=_("Shown in turn"),
        choices=[(key.value, PART_LABELS[key]) for key in PartKey],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one part.")},
    )
    seconds = forms.IntegerField(label=_("Seconds per screen"), min_value=5, max_value=120)

    @classmethod
    def of(cls, wall: Wall) -> "WallForm":
        """Return the form with the present settings."""
        parts = [key.value for key in PartKey if key.value not in wall.hidden]
        return cls(initial={"message": wall.message, "parts": parts, "seconds": wall.seconds})
