"""Forms of notifications: what somebody chooses, and what they do with their list."""

from typing import Any, NamedTuple

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.notifications import LONGEST_ENDPOINT
from players.notifications.choices import CHANNELS, EMAIL, PUSH, SITE
from players.notifications.kinds import NotificationKind, registered

LABELS = {SITE: _("Site"), EMAIL: _("Email"), PUSH: _("Push")}


class ChoiceRow(NamedTuple):
    """One kind on the settings page: its label and a checkbox for each channel."""

    label: str
    boxes: list[forms.BoundField]


class ChoicesForm(forms.Form):
    """A checkbox for every kind, urgent ones first, and channel; none ticked means no notification of that kind."""

    def __init__(self, *args: Any, chosen: dict[str, frozenset[str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.kinds: list[NotificationKind] = sorted(
            (kind for kind in registered() if kind.code in chosen), key=lambda kind: not kind.is_urgent
        )
        for kind in self.kinds:
            for channel in CHANNELS:
                label = gettext("{kind}: {channel}").format(kind=gettext(kind.label), channel=LABELS[channel])
                self.fields[f"{kind.code}-{channel}"] = forms.BooleanField(
                    required=False, initial=channel in chosen[kind.code], label=label
                )

    @property
    def rows(self) -> list[ChoiceRow]:
        """The kinds in order."""
        return [
            ChoiceRow(gettext(kind.label), [self[f"{kind.code}-{channel}"] for channel in CHANNELS])
            for kind in self.kinds
        ]

    @property
    def wanted(self) -> dict[str, set[str]]:
        """The channels that were ticked, by kind."""
        ticked = self.cleaned_data
        return {kind.code: {channel for channel in CHANNELS if ticked[f"{kind.code}-{channel}"]} for kind in self.kinds}


class SubscribeForm(forms.Form):
    """A browser's push subscription, filled in by static/players/notifications/push.js."""

    endpoint = forms.CharField(max_length=LONGEST_ENDPOINT)
    p256dh = forms.RegexField(r"^B[A-Za-z0-9_-]{86}=?$")
    auth = forms.RegexField(r"^[A-Za-z0-9_-]{22}(==)?$")


class UnsubscribeForm(forms.Form):
    """A tap on the page of an unsubscribe link; what mail programs send has no `resume`."""

    resume = forms.BooleanField(required=False)
