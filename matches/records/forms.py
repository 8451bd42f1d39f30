"""Form for sending a record."""

from django import forms


class RecordForm(forms.Form):
    """A record as a file or as pasted text; `intake.record_in` checks that there is exactly one of them."""

    file = forms.FileField(required=False, allow_empty_file=True)
    text = forms.CharField(required=False, strip=False)
