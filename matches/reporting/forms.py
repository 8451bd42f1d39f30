"""Forms for players: to report matches and to agree on times."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.messages import sentence
from core.text_lengths import MAX_NOTE_LENGTH
from engine.errors import Refused
from matches.access import MatchSeat, side_of
from matches.lifecycle.finish import MAX_POINTS
from matches.models import MAX_TIMES, LiveMatch
from matches.models.matches import MAX_MATCH
from matches.reporting.appointments import check_time, instant
from players.forms import RefusingForm

OTHER = "other"
"""Choice of a sender who is neither of the players."""
TIME_FIELDS = [f"time_{number}" for number in range(1, MAX_TIMES + 1)]


class TapForm(RefusingForm):
    """A tap without any choice, which is harmless to repeat, by whoever has a seat in a match."""

    def __init__(self, *args: Any, seat: MatchSeat, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance = seat

    @property
    def seat(self) -> dict[str, Any]:
        """Keyword arguments of a service: the match, and the side that acts."""
        return {"match": self.instance.match, "side": side_of(self.instance)}


class RevokeLinkForm(forms.Form):
    """The generation of the personal link that the reader saw."""

    generation = forms.IntegerField(min_value=0, max_value=32_766, widget=forms.HiddenInput)


class ActForm(TapForm):
    """Base of forms that change a match: the version the reader saw, and a key that makes a second click harmless."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    key = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    @property
    def version(self) -> dict[str, Any]:
        """Keyword arguments of a service that may be repeated: the version, and the key."""
        return {"after": self.cleaned_data["after"], "key": self.cleaned_data["key"]}


class AheadForm(TapForm):
    """How a player answers the double that may come now; to be asked withdraws what was decided."""

    ASK = "ask"
    answer = forms.ChoiceField(choices=[*LiveMatch.AnswerAhead.choices, (ASK, _("ask me"))])
    last = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    @property
    def decision(self) -> str:
        """The answer; empty to be asked."""
        answer: str = self.cleaned_data["answer"]
        return "" if answer == self.ASK else answer


class NoteForm(ActForm):
    note = forms.CharField(label=_("Message"), required=False, max_length=MAX_NOTE_LENGTH, initial="")


class ObjectionForm(ActForm):
    reason = forms.CharField(label=_("Reason"), max_length=MAX_NOTE_LENGTH)


class WinnerForm(RefusingForm):
    """Who won a match that was played to its end, and the points of the other player."""

    winner = forms.TypedChoiceField(
        label=_("Winner"), choices=[(0, "first"), (1, "second")], coerce=int, required=False, empty_value=None
    )
    points = forms.IntegerField(
        label=_("Points of the other player"), min_value=0, max_value=MAX_POINTS, required=False
    )

    def fill_in(self, length: int, fields: tuple[str, str]) -> None:
        """Set the points of both sides from the winner and the points, if they were sent; the service checks them.

        Without either, each of `fields` has to be sent.
        """
        data = self.cleaned_data
        if (winner := data.get("winner")) is not None and data.get("points") is not None:
            data[fields[winner]], data[fields[1 - winner]] = length, data["points"]
            return
        for name in fields:
            if name in data and data[name] is None:
                self.add_error(
                    name, forms.ValidationError(self.fields[name].error_messages["required"], code="required")
                )


class ScoreForm(WinnerForm, TapForm):
    """A score to preview; senders from the score sheet say who they are."""

    score_0 = forms.IntegerField(min_value=0, max_value=MAX_POINTS, required=False)
    score_1 = forms.IntegerField(min_value=0, max_value=MAX_POINTS, required=False)
    note = forms.CharField(label=_("Message"), required=False, max_length=MAX_NOTE_LENGTH)
    i_am = forms.ChoiceField(label=_("I am"))

    def __init__(self, *args: Any, seat: MatchSeat, **kwargs: Any) -> None:
        super().__init__(*args, seat=seat, **kwargs)
        for side, name in enumerate(seat.match.names):
            self.fields[f"score_{side}"].label = name
        choice = self.fields.pop("i_am")
        if seat.side is None and isinstance(choice, forms.ChoiceField):
            names = [(str(side), name) for side, name in enumerate(seat.match.names)]
            choice.choices = [*names, (OTHER, gettext("someone else"))]
            self.fields["i_am"] = choice

    def clean(self) -> dict[str, Any]:
        """Take the score as the winner and the points of the other player, or as the points of both."""
        super().clean()
        self.fill_in(self.instance.match.length, ("score_0", "score_1"))
        return self.cleaned_data

    @property
    def score(self) -> tuple[int, int]:
        """Points of side 0 and side 1."""
        return self.cleaned_data["score_0"], self.cleaned_data["score_1"]

    @property
    def report(self) -> tuple[int, tuple[int, int]]:
        """The side with more points, and the score."""
        return 0 if self.score[0] > self.score[1] else 1, self.score

    @property
    def chosen(self) -> tuple[int | None, int | None]:
        """The winner and the points of the other player, as far as they were chosen."""
        data = self.cleaned_data
        left, right = data.get("score_0"), data.get("score_1")
        if left is None or right is None or left == right:
            return data.get("winner"), data.get("points")
        return 0 if left > right else 1, min(left, right)

    @property
    def says_side(self) -> int | None:
        """The player the sender says they are, or None for someone else; only the score sheet asks for it."""
        choice = self.cleaned_data.get("i_am", OTHER)
        return None if choice == OTHER else int(choice)


class RunningScoreForm(TapForm):
    """The score of a match that goes on. It needs no version of the match: the last score stands."""

    score_0 = forms.IntegerField(min_value=0, max_value=MAX_MATCH)
    score_1 = forms.IntegerField(min_value=0, max_value=MAX_MATCH)

    def __init__(self, *args: Any, seat: MatchSeat, **kwargs: Any) -> None:
        super().__init__(*args, seat=seat, **kwargs)
        for side, name in enumerate(seat.match.names):
            self.fields[f"score_{side}"].label = name

    @property
    def score(self) -> tuple[int, int]:
        """Points of side 0 and side 1."""
        return self.cleaned_data["score_0"], self.cleaned_data["score_1"]


class LengthOfferForm(RunningScoreForm):
    """A shorter length that a player offers, at the score that they saw."""

    length = forms.IntegerField(label=_("Play to"), min_value=1, max_value=MAX_MATCH)


class LengthAnswerForm(TapForm):
    offer = forms.IntegerField(min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput)


class ReportForm(ScoreForm, ActForm):
    """A score to report; `kept` if it was typed without a connection and kept on the device."""

    kept = forms.BooleanField(required=False, widget=forms.HiddenInput)


class NamesForm(ActForm):
    """Which player of a record is which: the side of its left player."""

    left = forms.TypedChoiceField(choices=[(0, "0"), (1, "1")], coerce=int)


class TimesForm(NoteForm):
    """Times to propose, in the player's time zone."""

    def __init__(self, *args: Any, zone: ZoneInfo, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.zone = zone
        self.times: list[datetime] = []
        for number, name in enumerate(TIME_FIELDS, start=1):
            label = gettext("Time {number}").format(number=number)
            self.fields[name] = forms.CharField(label=label, required=number == 1, max_length=40)

    def clean(self) -> dict[str, Any]:
        """Parse each time in the player's time zone and report errors by field."""
        cleaned = super().clean() or {}
        for name in TIME_FIELDS:
            if not cleaned.get(name):
                continue
            try:
                at = instant(cleaned[name], self.zone)
                check_time(self.instance.match, at, timezone.now())
            except Refused as refused:
                self.add_error(name, forms.ValidationError(sentence(refused.code, refused.params), code=refused.code))
            else:
                self.times.append(at)
        return cleaned

    def time_fields(self) -> list[forms.BoundField]:
        """The bound fields, one for each time that can be proposed."""
        return [self[name] for name in TIME_FIELDS]


class AcceptTimeForm(ActForm):
    """One of the proposed times, in ISO 8601."""

    time = forms.CharField(max_length=40)

    def clean_time(self) -> datetime:
        """Parse the time; it has an offset, or is in UTC."""
        try:
            return instant(self.cleaned_data["time"], ZoneInfo("UTC"))
        except Refused as refused:
            raise forms.ValidationError(sentence(refused.code, refused.params), code=refused.code) from None
