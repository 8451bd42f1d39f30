"""Forms of the lobby."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH
from core.text_lengths import LONGEST_NAME
from matches.analysis.backends.chosen import installed_backend_name
from matches.lifecycle.play_rules import LONGEST_DAYS
from matches.models import LONGEST_FRIENDLY, BotPlayer, Challenge, ClockPreset, PracticeLevel, RatingPool
from matches.play.levels import PROGRAM_NAMES
from matches.play.lobby.selectors import player_with_id, players_called
from matches.play.lobby.services.challenges import ChallengeInput
from players.forms import RefusingForm
from players.models import Player

UNRATED, SITE = "", "site"
USUAL_LENGTH = 5


def _length(label: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=1,
        max_value=LONGEST_FRIENDLY,
        initial=USUAL_LENGTH,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


BOTS = [
    (BotPlayer.Style.CLUB.value, _("Club Bot (plays decently)")),
    (BotPlayer.Style.PIP.value, _("Pip Bot (only races)")),
    (BotPlayer.Style.RANDOM.value, _("Random Bot (moves at random)")),
]
AT_LEVEL = "level-"
"""What the values of levels begin with, since a bot and a level are both called `club`."""


class PracticeForm(forms.Form):
    """A match against a bot, or at a level against the analysis program that is installed here."""

    style = forms.ChoiceField(label=_("Opponent"))
    length = _length(_("Points"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        program = installed_backend_name()
        self.has_levels = bool(program)
        style = self.fields["style"]
        assert isinstance(style, forms.ChoiceField)  # noqa: S101, declared above
        style.choices = BOTS
        if program:
            levels = [(f"{AT_LEVEL}{level.value}", capfirst(level.label)) for level in PracticeLevel]
            style.choices = [(PROGRAM_NAMES[program], levels), (_("This site’s bots"), BOTS)]
            self.initial.setdefault("style", f"{AT_LEVEL}{PracticeLevel.CLUB}")

    @property
    def wish(self) -> dict[str, Any]:
        """The arguments of `start_practice` that the form has."""
        style = self.cleaned_data["style"]
        level = style.removeprefix(AT_LEVEL) if style.startswith(AT_LEVEL) else None
        return {"style": style, "length": self.cleaned_data["length"], "level": level}


class ChallengeForm(RefusingForm):
    """A friendly match, offered to one player or to everybody."""

    opponent = forms.CharField(
        label=_("Opponent"),
        max_length=LONGEST_NAME,
        required=False,
        help_text=_("A player’s full name. Leave empty to let anybody accept."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    to = forms.CharField(required=False, max_length=LENGTH, widget=forms.HiddenInput)
    """Public id of the player whose page led here; it counts while their name is left as it was."""
    length = _length(_("Points"))
    clock = forms.ChoiceField(label=_("Clock"), choices=ClockPreset.choices, initial=ClockPreset.TABLE)
    turn_days = forms.IntegerField(
        label=_("Correspondence: days for each turn"), min_value=1, max_value=LONGEST_DAYS, initial=2
    )
    ratings = forms.ChoiceField(
        label=_("Ratings"),
        required=False,
        help_text=_(
            "Accepting the challenge means accepting this, too. At most 3 matches a day and 10 a week between the same "
            "two players are rated."
        ),
    )

    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        "challenge_self": "opponent",
        "challenge_of_bot": "opponent",
        "challenge_blocked": "opponent",
        "opponent_without_account": "opponent",
        "address_unconfirmed": "ratings",
    }

    def __init__(self, *args: Any, pools: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ratings = self.fields["ratings"]
        assert isinstance(ratings, forms.ChoiceField)  # noqa: S101, declared above
        ratings.choices = [(UNRATED, _("Not rated")), (SITE, _("In the site’s ratings")), *pools]

    def clean(self) -> dict[str, Any]:
        """Find the opponent: the one player with an account who has this name, None if it was left empty."""
        cleaned = super().clean() or {}
        name = cleaned.get("opponent", "").strip()
        named = player_with_id(cleaned.get("to", ""))
        if not name:
            cleaned["opponent"] = None
        elif named is not None and named.shown_name == name:
            cleaned["opponent"] = named
        else:
            cleaned["opponent"] = self._player_called(name)
        return cleaned

    def _player_called(self, name: str) -> Player | None:
        players = players_called(name)
        if not players:
            self.add_error("opponent", ValidationError(_("No player with an account has this name.")))
        elif len(players) > 1:
            text = _("Several players have this name. Open the right player’s page to challenge them.")
            self.add_error("opponent", ValidationError(text))
        else:
            return players[0]
        return None

    @property
    def wish(self) -> ChallengeInput:
        """The match that was asked for."""
        data = self.cleaned_data
        pool = data["ratings"]
        return ChallengeInput(
            length=data["length"],
            opponent=data["opponent"],
            clock=data["clock"],
            turn_days=data["turn_days"],
            rated=pool != UNRATED,
            pool=RatingPool.objects.get(pk=pool) if pool not in (UNRATED, SITE) else None,
        )


class AcceptForm(forms.Form):
    """What the page said about the match that is being accepted."""

    not_rated = forms.ChoiceField(choices=Challenge.NotRated, required=False)


class ReviewForm(forms.Form):
    """Whether a friendly match counts for the ratings, as an officer decides."""

    match = forms.CharField(min_length=LENGTH, max_length=LENGTH)
    rated = forms.TypedChoiceField(choices=[("yes", ""), ("no", "")], coerce=lambda value: value == "yes")


class BlockForm(forms.Form):
    """A player to block."""

    player = forms.CharField(min_length=LENGTH, max_length=LENGTH)
