"""Forms for a club's rating pools and imports."""

from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from core.text_lengths import LONGEST_NAME
from matches.models import RatingImport, RatingPool
from matches.ratings.services.pools import (
    LEAST_RATING,
    LEAST_SCALE,
    MOST_EXPERIENCE,
    MOST_RATING,
    MOST_SCALE,
    PoolSettings,
)
from players.forms import LONGEST_LIST, RefusingForm


class PoolForm(RefusingForm):
    """Settings of a pool."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    start_rating = forms.FloatField(
        label=_("Starting rating"), min_value=LEAST_RATING, max_value=MOST_RATING, initial=1500
    )
    start_experience = forms.IntegerField(
        label=_("Starting experience (points)"), min_value=0, max_value=MOST_EXPERIENCE, initial=0
    )
    ramp = forms.ChoiceField(label=_("K for new players falls with"), choices=RatingPool.RAMPS)
    k_scale = forms.FloatField(
        label=_("Scale of K"),
        min_value=LEAST_SCALE,
        max_value=MOST_SCALE,
        initial=1,
        help_text=_("1 is the FIBS formula; 0.5 halves every change."),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {**RefusingForm.FIELD_OF, "pool_name_taken": "name"}

    @classmethod
    def of(cls, pool: RatingPool, data: Any = None) -> "PoolForm":
        """Return the form of an existing pool."""
        return cls(data, initial={name: getattr(pool, name) for name in cls.base_fields})

    @property
    def settings(self) -> PoolSettings:
        """The settings as a value."""
        return PoolSettings(**self.cleaned_data)


class ImportForm(RefusingForm):
    """CSV rows to preview or to import."""

    kind = forms.ChoiceField(label=_("Data"), choices=RatingImport.Kind.choices)
    text = forms.CharField(
        label=_("CSV"),
        max_length=LONGEST_LIST,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=_(
            "The first row names the columns. Starting ratings: name, rating, experience. "
            "Past matches: date (2025-11-27), winner, loser, length."
        ),
    )
    step = forms.ChoiceField(choices=[("preview", "preview"), ("apply", "apply")])
    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        **dict.fromkeys(
            ("import_empty", "import_too_long", "import_bad_row", "import_unreadable_row", "import_ambiguous",
             "import_same_player", "name_too_long", "too_many_names"),
            "text",
        ),
    }  # fmt: skip
