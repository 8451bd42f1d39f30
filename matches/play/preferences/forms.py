"""The form of play preferences."""

from django import forms

from matches.models import PlayPreferences


class PlayPreferencesForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """Everything that can be chosen."""

    class Meta:
        model = PlayPreferences
        fields = PlayPreferences.FIELDS
