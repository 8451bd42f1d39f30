"""Forms of records sent in."""

from django import forms


class RecordForm(forms.Form):
    """A record, as a file or as pasted text; `intake.record_in` says what is missing or too much."""

    file = forms.FileField(required=False, allow_empty_file=True)
    text = forms.CharField(required=False, strip=False)
