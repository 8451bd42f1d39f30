"""The form of one stage on the designer page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _

from core.messages import sentence
from engine.errors import Refused
from players.forms import RefusingForm
from tournaments.draws.designer.forms.stage_values import (
    AUTOMATIC,
    BASIC_FIELDS,
    LOTS,
    MORE_FIELDS,
    OWN,
    TIEBREAK_FIELDS,
    WITHOUT,
    FieldChoices,
    initial_of,
    pattern_choices,
    settings_from,
    with_defaults,
)
from tournaments.formats.elimination.patterns import parse
from tournaments.formats.forecast.finish_times import parse_lengths
from tournaments.formats.forecast.stages import Choices
from tournaments.formats.settings import (
    DOUBLE,
    FEWEST_LIVES,
    FORMATS,
    GROUPS,
    KNOCKOUT,
    LONGEST_COUNTDOWN,
    MOST_GROUPS,
    MOST_LIVES,
    MOST_ROUNDS,
    MOST_TABLE_POINTS,
    StageSettings,
)
from tournaments.formats.swiss.event import Order
from tournaments.formats.tables.records import Edition
from tournaments.formats.tables.round_robin import LeaverRule, Unplayed
from tournaments.formats.tables.tiebreaks import TIEBREAKS
from tournaments.standings.labels import edition_day, tiebreak
from tournaments.state.format_labels import (
    FORMAT_NAMES,
    FORMAT_SENTENCES,
    NEXT_ROUND_NAMES,
    ORDER_NAMES,
    PATTERN_SENTENCES,
)

MOST_QUALIFIERS = 1024
DEFAULTS = StageSettings()
YES_NO: FieldChoices = [("no", _("no")), ("yes", _("yes"))]


def _select(label: Any, choices: FieldChoices, **options: Any) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=choices, **options)


def _lengths(label: Any, help_text: Any = "") -> forms.CharField:
    widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    return forms.CharField(label=label, required=False, max_length=60, widget=widget, help_text=help_text)


def _whole(label: Any, least: int, most: int, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=most, **options)


def _points(label: Any) -> forms.FloatField:
    return forms.FloatField(label=label, min_value=0, max_value=MOST_TABLE_POINTS)


class StageForm(RefusingForm):
    """One stage: `number` counts from 1, and the `last` one has no qualifiers."""

    format = _select(_("Format"), [(name, FORMAT_NAMES[name]) for name in FORMATS])
    qualifiers = _whole(_("Qualifiers"), 1, MOST_QUALIFIERS, required=False)
    lengths = _lengths(
        _("Match length by round"), _("In points, for example 5 5 7 9 11. The last length applies to all later rounds.")
    )
    lower_lengths = _lengths(_("Lengths in the consolation"), _("Leave empty to use those of the main draw."))
    last_lengths = _lengths(_("Lengths in the last chance"), _("Leave empty to use those of the consolation."))
    final_lengths = _lengths(_("Lengths in the final"), _("Leave empty to use the length of the last round."))
    pattern = _select(_("Consolation"), [])
    own_pattern = forms.CharField(
        label=_("Custom pattern"),
        required=False,
        max_length=80,
        help_text=_("Example: in A.B.|.C the losers of rounds 1, 2 and 3 enter; | is a round without new players."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "mono"}),
    )
    last_chance = _select(_("Last chance"), [])
    own_last_chance = forms.CharField(
        label=_("Custom pattern for the last chance"),
        required=False,
        max_length=80,
        help_text=_("The letters stand for the rounds of the consolation."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "mono"}),
    )
    second_final = _select(
        _("Final"),
        [("no", _("one match")), ("yes", _("a second match if the upper bracket winner loses the first"))],
    )
    rounds = _whole(
        _("Rounds"), 1, MOST_ROUNDS, required=False, help_text=_("Leave empty to play until one player is unbeaten.")
    )
    lives = _whole(_("Lives"), FEWEST_LIVES, MOST_LIVES, help_text=_("Players are out after this many losses."))
    order = _select(_("Pairing of players with equal scores"), [(order.value, ORDER_NAMES[order]) for order in Order])
    next_round = _select(_("When a round is complete, the next one"), list(NEXT_ROUND_NAMES))
    countdown = _whole(
        _("Countdown, in seconds"),
        0,
        LONGEST_COUNTDOWN,
        help_text=_("Only for rounds that are published automatically. You can stop the countdown."),
    )
    missed_points = _select(
        _("Late entries get for each missed round"), [("0.0", _("nothing")), ("0.5", _("half a point"))]
    )
    allow_rematches = _select(_("Allow rematches if they cannot be avoided"), YES_NO)
    twice = _select(_("Opponents meet"), [("no", _("once")), ("yes", _("twice"))])
    groups = _whole(_("Groups"), 1, MOST_GROUPS)
    group_draw = _select(
        _("Groups are filled"),
        [("drawn", _("by lot, with one seed in each")), ("snake", _("by rating (snake)"))],
    )
    win = _points(_("Points for a win"))
    loss = _points(_("Points for a loss"))
    leaver_rule = _select(
        _("Results of players who withdraw"),
        [
            (LeaverRule.HALF.value, _("count if the player has played at least half of the matches")),
            (LeaverRule.KEEP.value, _("count")),
            (LeaverRule.DELETE.value, _("are deleted")),
        ],
    )
    until = forms.DateField(label=_("Last day"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    join_until = forms.DateField(
        label=_("Last day to join"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    unplayed = _select(
        _("Matches not played by the last day"),
        [
            (Unplayed.NOTHING.value, _("do not count")),
            (Unplayed.HALF.value, _("count as half a win for both")),
            (Unplayed.RULING.value, _("are decided by the director")),
        ],
    )
    edition = _select(
        _("FIDE regulations for unplayed rounds, edition of"),
        [(edition.value, lazy(edition_day, str)(edition)) for edition in Edition],
    )
    moving = _whole(_("Players promoted and relegated"), 0, 12)
    tiebreak1 = _select(_("First tie-break"), [], required=False)
    tiebreak2 = _select(_("Second tie-break"), [], required=False)
    tiebreak3 = _select(_("Third tie-break"), [], required=False)
    tiebreak4 = _select(_("Fourth tie-break"), [], required=False)
    tiebreak5 = _select(_("Fifth tie-break"), [], required=False)

    FIELD_OF: ClassVar[dict[str, str]] = {
        "no_such_format": "format",
        "unknown_tiebreak": "tiebreak1",
        "tiebreak_needs_one_length": "tiebreak1",
        "stage_qualifiers": "qualifiers",
        "group_count": "groups",
    }

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        number: int,
        last: bool,
        default_lengths: Sequence[int],
        stored: StageSettings = DEFAULTS,
    ) -> None:
        self.number, self.last, self.default_lengths = number, last, default_lengths
        self.settings: StageSettings | None = None if data is not None else stored
        """The chosen settings; None until they are valid."""
        prefix = f"s{number}"
        super().__init__(
            None if data is None else with_defaults(data, prefix),
            prefix=prefix,
            initial=initial_of(stored),
            auto_id="%s",
        )
        self.fields["lengths"].widget.attrs["placeholder"] = " ".join(map(str, default_lengths))
        chosen = str(self["format"].value())
        self.format_name = chosen if chosen in FORMATS else KNOCKOUT
        self.offer(Choices())
        if self.format_name == DOUBLE:
            self.fields["pattern"].label = _("Lower bracket")
            self.fields["lower_lengths"].label = _("Lengths in the lower bracket")
            self.fields["lower_lengths"].help_text = _("Leave empty to use those of the upper bracket.")
        if self.format_name == GROUPS:
            self.fields["qualifiers"].label = _("Qualifiers per group")

    def offer(self, choices: Choices) -> None:
        """Set the patterns that suit the previewed field; a chosen pattern that does not suit it stays in the list."""
        standard = _("standard: the loser of the upper final plays the lower final")
        automatic = standard if self.format_name == DOUBLE else _("fewest byes")
        lower = pattern_choices(choices.lower, self._value("pattern"))
        self._set_choices("pattern", [(AUTOMATIC, automatic), *lower, (OWN, _("custom pattern…"))])
        sentences = dict.fromkeys(PATTERN_SENTENCES[proposal.name] for proposal in choices.lower)
        self.fields["pattern"].help_text = " ".join(map(str, sentences))
        last = pattern_choices(choices.last_chance, self._value("last_chance"))
        first = [(WITHOUT, _("none")), (AUTOMATIC, _("for losers of the first half of the consolation"))]
        self._set_choices("last_chance", [*first, *last, (OWN, _("custom pattern…"))])
        tiebreaks = [(code, tiebreak(code).name) for code in TIEBREAKS if code != LOTS]
        for field in TIEBREAK_FIELDS:
            self._set_choices(field, [("", "–"), *tiebreaks])

    def _value(self, name: str) -> str:
        return str(self[name].value() or "")

    def _set_choices(self, name: str, choices: FieldChoices) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101, they are declared above
        field.choices = choices

    @property
    def about(self) -> Promise:
        """One sentence about the format."""
        return FORMAT_SENTENCES[self.format_name]

    @property
    def basic(self) -> list[forms.BoundField]:
        """The main fields of this format that apply to what is chosen."""
        hidden = {
            "own_pattern": self._value("pattern") != OWN,
            "own_last_chance": self._value("last_chance") != OWN,
            "last_lengths": self._value("last_chance") == WITHOUT,
        }
        names = [name for name in BASIC_FIELDS[self.format_name] if not hidden.get(name)]
        return [self[name] for name in (*([] if self.last else ["qualifiers"]), *names)]

    @property
    def more(self) -> list[forms.BoundField]:
        """The fields in the collapsible section, except tie-breaks."""
        return [self[name] for name in MORE_FIELDS.get(self.format_name, ()) if name not in TIEBREAK_FIELDS]

    @property
    def more_open(self) -> bool:
        """Whether a field in the collapsible section differs from its default or has an error."""
        defaults = initial_of(StageSettings(self.format_name))
        names = MORE_FIELDS.get(self.format_name, ())
        return any(self._value(name) != str(defaults[name]) or self[name].errors for name in names)

    @property
    def tiebreaks(self) -> list[tuple[forms.BoundField, str]]:
        """The tie-break fields, each with the definition of the chosen tie-break."""
        if TIEBREAK_FIELDS[0] not in MORE_FIELDS.get(self.format_name, ()):
            return []
        codes = [self._value(name) for name in TIEBREAK_FIELDS]
        definitions = [tiebreak(code).definition if code in TIEBREAKS else "" for code in codes]
        return list(zip([self[name] for name in TIEBREAK_FIELDS], definitions, strict=True))

    def clean(self) -> dict[str, Any]:
        """Parse lengths and patterns, then set `settings` if the stage is valid."""
        cleaned = super().clean() or {}
        for name in ("lengths", "lower_lengths", "last_lengths", "final_lengths"):
            self._parse(name, lambda text: parse_lengths(text) if text.strip() else ())
        for name in ("own_pattern", "own_last_chance"):
            self._parse(name, lambda text: str(parse(text)) if text.strip() else "")
        for choice, own in (("pattern", "own_pattern"), ("last_chance", "own_last_chance")):
            if cleaned.get(choice) == OWN and own in cleaned and not cleaned[own]:
                self.add_error(own, ValidationError(sentence("pattern_empty", {})))
        if not self.errors:
            try:
                settings = settings_from(self.format_name, self.cleaned_data, last=self.last)
                self.settings = settings.checked(self.default_lengths)
            except Refused as refused:
                self.refuse(refused)
        return cleaned

    def refuse(self, refused: Refused) -> None:
        """Show the refusal beside its field; `bad_setting` carries the name of the field."""
        name = refused.params.get("name") if refused.code == "bad_setting" else None
        if refused.code.startswith("pattern_"):
            name = "pattern"
        if name in self.fields:
            self.add_error(name, sentence(refused.code, refused.params))
        else:
            super().refuse(refused)

    def _parse(self, name: str, parse_text: Callable[[str], Any]) -> None:
        if name not in self.cleaned_data:
            return
        try:
            self.cleaned_data[name] = parse_text(self.cleaned_data[name])
        except Refused as refused:
            self.add_error(name, sentence(refused.code, refused.params))
