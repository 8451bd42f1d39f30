"""Forms of pages that belong to no app."""

from django import forms

from players.models import User


class ThemeForm(forms.Form):
    """The theme, and the page it was chosen on."""

    theme = forms.ChoiceField(choices=User.Theme.choices)
    next = forms.CharField(required=False, max_length=2000, empty_value="/")
