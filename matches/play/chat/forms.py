"""Forms of the pages about chat messages."""

from django import forms


class DecisionForm(forms.Form):
    """Whether a message is removed, or stays."""

    decision = forms.ChoiceField(choices=[("remove", ""), ("keep", "")])

    @property
    def removes(self) -> bool:
        """Whether it is removed."""
        return bool(self.cleaned_data["decision"] == "remove")
