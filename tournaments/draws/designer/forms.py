"""Forms of the format designer: its stages, and the evening that its preview assumes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time, tzinfo
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.formats import number_format
from django.utils.functional import Promise, lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core.messages import sentence
from engine.errors import Refused
from formats.elimination.byes import LowerByes
from formats.elimination.patterns import PatternProposal, parse
from formats.elimination.places import MAX_FIELD
from formats.forecast.durations import MINUTES_PER_POINT
from formats.forecast.finish_times import MAX_MATCH, Pace, parse_lengths
from formats.forecast.stages import Choices
from formats.forecast.waits import Waits
from formats.plans import MAX_STAGES, with_places
from formats.presets import PRESETS
from formats.settings import (
    BY_ROUND,
    CHOICES,
    DEFAULT_TIEBREAKS,
    DOUBLE,
    FORMATS,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    MAX_COUNTDOWN,
    MAX_GROUPS,
    MAX_LATE_FIELD,
    MAX_LEAD,
    MAX_LIVES,
    MAX_ROUNDS,
    MAX_TABLE_POINTS,
    MAX_WINDOW,
    MIN_LIVES,
    PLACES,
    PROGRESSIVE,
    ROUND_ROBIN,
    SHARED_BY,
    SWISS,
    PairingMode,
    StageSettings,
)
from formats.swiss.event import Order
from formats.tables.records import Edition
from formats.tables.round_robin import LeaverRule, Unplayed
from formats.tables.tiebreaks import TIEBREAKS
from players.forms import NumberField, RefusingForm
from tournaments.draws.evenings import Evening
from tournaments.events.forms import MAX_TABLES, LocalField, localise
from tournaments.events.venues import first_after
from tournaments.models.events import MAX_ENTRIES
from tournaments.standings.labels import edition_day, tiebreak
from tournaments.state.format_labels import (
    CONTINUOUS_SENTENCES,
    FORMAT_NAMES,
    FORMAT_SENTENCES,
    LEADER_NAMES,
    NEXT_ROUND_NAMES,
    ORDER_NAMES,
    PAIRING_NAMES,
    PATTERN_NAMES,
    PATTERN_SENTENCES,
    pattern_in_words,
)

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

# Conversion between the settings of a stage and the fields of its form.


TIEBREAK_FIELDS = ("tiebreak1", "tiebreak2", "tiebreak3", "tiebreak4", "tiebreak5")
AUTOMATIC, OWN, WITHOUT = "auto", "own", "none"
LOTS = "lots"
"""The tie-break that always comes last, so it is not offered as a choice."""

FieldChoices = list[tuple[str, Promise | str]]

BASIC_FIELDS: Mapping[str, tuple[str, ...]] = {
    KNOCKOUT: ("lengths",),
    PROGRESSIVE: (
        "pattern",
        "own_pattern",
        "last_chance",
        "own_last_chance",
        "lower_byes",
        "lengths",
        "lower_lengths",
        "last_lengths",
    ),
    DOUBLE: ("pattern", "own_pattern", "lower_byes", "second_final", "lengths", "lower_lengths", "final_lengths"),
    PLACES: ("played_to", "shared_by", "lengths", "lower_lengths"),
    SWISS: ("pairing", "rounds", "lengths", "next_round", "countdown"),
    LIVES: ("pairing", "lives", "lengths", "next_round", "countdown"),
    ROUND_ROBIN: ("twice", "lengths"),
    GROUPS: ("groups", "twice", "lengths", "group_draw"),
    LEAGUE: ("until", "join_until", "twice", "lengths"),
}
"""Format -> the fields of its own that most directors use."""
TABLE_FIELDS = ("win", "loss", "leaver_rule")
MORE_FIELDS: Mapping[str, tuple[str, ...]] = {
    KNOCKOUT: ("starts",),
    SWISS: ("order", "missed_points", "allow_rematches", "edition", "window", "lead", "late_until", *TIEBREAK_FIELDS),
    LIVES: ("switch_time", "late_from", "late_length", "window", "lead", "leader", "late_until"),
    ROUND_ROBIN: (*TABLE_FIELDS, *TIEBREAK_FIELDS),
    GROUPS: (*TABLE_FIELDS, *TIEBREAK_FIELDS),
    LEAGUE: (*TABLE_FIELDS, "unplayed", "moving", *TIEBREAK_FIELDS),
}
"""Format -> the fields in its collapsible section."""
WITHOUT_ROUNDS = ("switch_time", "late_from", "late_length", "window", "lead", "leader", "late_until")
"""Fields that only apply without rounds."""
IN_ROUNDS = ("next_round", "countdown", "order", "allow_rematches")
"""Fields that only apply in rounds."""
KEPT_FIELDS = ("format", "qualifiers", "lengths")
"""Fields that keep their value when another format is chosen."""
PLAIN_FIELDS = {
    "lengths", "lower_lengths", "last_lengths", "final_lengths", "second_final", "rounds", "lives", "order",
    "next_round", "countdown", "missed_points", "allow_rematches", "twice", "groups", "group_draw", "win", "loss",
    "leaver_rule", "until", "join_until", "unplayed", "moving", "edition", "lower_byes", "pairing", "window", "lead",
    "leader", "switch_time", "late_from", "late_length", "late_until", "starts", "played_to", "shared_by",
}  # fmt: skip
"""Fields with the same name as the setting they hold."""
SWITCHES = {"second_final", "allow_rematches", "twice"}
DATES = {"until", "join_until"}
TIMES = {"switch_time", "late_until"}


def settings_from(format_name: str, cleaned: Mapping[str, Any], *, last: bool) -> StageSettings:
    """Return the settings for the cleaned fields of a stage; settings its format does not use keep their defaults."""
    known = {*BASIC_FIELDS[format_name], *MORE_FIELDS.get(format_name, ())}
    known -= {*_hidden(format_name, cleaned.get("pairing", "")), *(["switch_time"] if last else [])}
    plain = {name: _setting(name, cleaned[name]) for name in known & PLAIN_FIELDS}
    settings = StageSettings(format_name, **plain, qualifiers=None if last else cleaned["qualifiers"])
    if "pattern" in known:
        settings = replace(settings, pattern=_pattern(cleaned["pattern"], cleaned["own_pattern"]) or "")
    if "last_chance" in known:
        settings = replace(settings, last_chance=_pattern(cleaned["last_chance"], cleaned["own_last_chance"]))
    if TIEBREAK_FIELDS[0] in known:
        chosen = tuple(dict.fromkeys(cleaned[name] for name in TIEBREAK_FIELDS if cleaned[name]))
        default = DEFAULT_TIEBREAKS[format_name]
        settings = replace(settings, tiebreaks=() if (*chosen, LOTS) == default else chosen)
    return settings if last else with_places(settings)


def _hidden(format_name: str, pairing: str) -> tuple[str, ...]:
    """Return the fields of a format that do not apply to stages that are paired in this way."""
    if format_name not in BY_ROUND:
        return ()
    return IN_ROUNDS if pairing == PairingMode.CONTINUOUS else WITHOUT_ROUNDS


def _setting(name: str, value: Any) -> Any:
    """Convert the value of a field to the type that `StageSettings` uses."""
    if name in SWITCHES:
        return value == "yes"
    if name in TIMES:
        return f"{value:%H:%M}" if value else ""
    if name in DATES:
        return value.isoformat() if value else ""
    types: dict[str, Any] = {"missed_points": float, "shared_by": int, **CHOICES}
    return types[name](value) if name in types else value


def _pattern(choice: str, own: str) -> str | None:
    return {AUTOMATIC: "", WITHOUT: None, OWN: own}.get(choice, choice)


def with_defaults(data: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return the submitted data of a stage, with the format's defaults for fields that were not on the page.

    Fields that the page showed for another format than the chosen one are ignored, except `KEPT_FIELDS`.
    """
    own = {name.removeprefix(f"{prefix}-"): value for name, value in data.items() if name.startswith(f"{prefix}-")}
    chosen = own.get("format", "")
    if own.get("shown", chosen) != chosen:
        own = {name: value for name, value in own.items() if name in KEPT_FIELDS}
    defaults = initial_of(StageSettings(chosen if chosen in FORMATS else KNOCKOUT))
    return {f"{prefix}-{name}": str(value) for name, value in (defaults | own).items() if value is not None}


def pattern_choices(proposals: Sequence[PatternProposal], chosen: str) -> FieldChoices:
    """Return the proposed patterns with their counts, and the chosen one even if it is not proposed."""
    choices: FieldChoices = [(str(proposal.pattern), _pattern_label(proposal)) for proposal in proposals]
    known = {AUTOMATIC, OWN, WITHOUT, "", *(pattern for pattern, _label in choices)}
    return choices if chosen in known else [*choices, (chosen, pattern_in_words(chosen) or chosen)]


def _pattern_label(proposal: PatternProposal) -> str:
    rounds, matches = len(proposal.rounds), sum(round_.matches for round_ in proposal.rounds)
    counts = [
        ngettext("%(count)s round", "%(count)s rounds", rounds) % {"count": rounds},
        ngettext("%(count)s match", "%(count)s matches", matches) % {"count": matches},
        ngettext("%(count)s bye", "%(count)s byes", proposal.byes) % {"count": proposal.byes},
    ]
    name = PATTERN_NAMES.get(proposal.name, proposal.name)
    return f"{name}: {', '.join(counts)}. {pattern_in_words(str(proposal.pattern))}"


def _byes_label(byes: LowerByes, waits: Waits | None) -> Promise | str:
    name: Promise = {
        LowerByes.LINES: _("on fixed lines: matches begin as soon as both players are there"),
        LowerByes.LOTS: _("by lot in each round, when all its players are known"),
    }[byes]
    if waits is None:
        return name
    return _("{name} (first losers wait {mean} min on average, up to {longest} min)").format(
        name=name, mean=round(waits.mean), longest=round(waits.longest)
    )


def initial_of(settings: StageSettings) -> dict[str, Any]:
    """Return the initial values of the fields for these settings."""
    order = [code for code in settings.tiebreak_order if code != LOTS]
    plain = {name: getattr(settings, name) for name in PLAIN_FIELDS}
    switches = {name: "yes" if value else "no" for name, value in plain.items() if name in SWITCHES}
    lengths = {name: " ".join(map(str, plain[name])) for name in plain if name.endswith("lengths") or name == "starts"}
    tiebreaks = {name: order[at] if at < len(order) else "" for at, name in enumerate(TIEBREAK_FIELDS)}
    return {
        **plain, **switches, **lengths, **tiebreaks,
        "format": settings.format,
        "qualifiers": settings.qualifiers,
        "pattern": settings.pattern or AUTOMATIC,
        "own_pattern": "",
        "last_chance": WITHOUT if settings.last_chance is None else settings.last_chance or AUTOMATIC,
        "own_last_chance": "",
        "win": f"{settings.win:g}",
        "loss": f"{settings.loss:g}",
        **{name: str(plain[name]) for name in CHOICES},
    }  # fmt: skip


MAX_QUALIFIERS = 1024
MAX_DIGITS = 4
DEFAULTS = StageSettings()
YES_NO: FieldChoices = [("no", _("no")), ("yes", _("yes"))]


def _select(label: Any, choices: FieldChoices, **options: Any) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=choices, **options)


def _lengths(label: Any, help_text: Any = "") -> forms.CharField:
    widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    return forms.CharField(label=label, required=False, max_length=60, widget=widget, help_text=help_text)


_ABOVE = _("Leave empty to use those of the bracket above.")


def _lengths_of(bracket: "StrPromise") -> "StrPromise":
    return format_lazy(_("Match lengths: {bracket}"), bracket=bracket)


def _whole(label: Any, least: int, most: int, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=most, **options)


def _tiebreak(number: int) -> "StrPromise":
    return format_lazy(_("Tie-break {number}"), number=number)


def _points(label: Any) -> NumberField:
    return NumberField(label=label, min_value=0, max_value=MAX_TABLE_POINTS)


def _starts(text: str) -> tuple[int, ...]:
    """Return the numbers of a text such as `0 0 4`. Raises Refused("bad_setting")."""
    parts = text.replace(",", " ").split()
    if not all(part.isdecimal() and len(part) <= MAX_DIGITS for part in parts):
        raise Refused("bad_setting", name="starts", value=text)
    return tuple(map(int, parts))


class StageForm(RefusingForm):
    """One stage: `number` counts from 1, and the `last` one has no qualifiers."""

    format = _select(_("Format"), [(name, FORMAT_NAMES[name]) for name in FORMATS])
    qualifiers = _whole(_("Qualifiers"), 1, MAX_QUALIFIERS, required=False)
    lengths = _lengths(
        _("Match length by round"), _("In points, for example 5 5 7 9 11. The last length applies to all later rounds.")
    )
    lower_lengths = _lengths(_lengths_of(_("Consolation")), _ABOVE)
    last_lengths = _lengths(_lengths_of(_("Last chance")), _ABOVE)
    final_lengths = _lengths(_lengths_of(_("Final")), _("Leave empty to use the length of the last round."))
    starts = _lengths(
        _("Players who start in later rounds"),
        _(
            "How many of the best seeded start in the final, in the semi-finals, in the quarter-finals and so on: with "
            "0 0 4 four start in the quarter-finals, and all others play for the other places there. Leave empty if "
            "all start together."
        ),
    )
    pattern = _select(_("Consolation"), [])
    own_pattern = forms.CharField(
        label=_("Custom pattern"),
        required=False,
        max_length=80,
        help_text=_(
            "A letter for each round whose losers enter, A for round 1, and | for a round without new players, with "
            "dots between: in A.B.|.C the losers of rounds 1, 2 and 3 enter in rounds 1, 2 and 4."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "mono"}),
    )
    last_chance = _select(_("Last chance"), [])
    own_last_chance = forms.CharField(
        label=_("Custom pattern"),
        required=False,
        max_length=80,
        help_text=_("The letters stand for the rounds of the consolation."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "mono"}),
    )
    lower_byes = _select(_("Byes after a loss"), [])
    second_final = _select(
        _("Final"),
        [("no", _("one match")), ("yes", _("a second match if the upper bracket winner loses the first"))],
    )
    played_to = _whole(_("Last place that is played for"), 0, MAX_FIELD, help_text=_("0 for all of them."))
    shared_by = _select(_("Places behind it are shared by at most"), [(str(count), str(count)) for count in SHARED_BY])
    rounds = _whole(
        _("Rounds"), 1, MAX_ROUNDS, required=False, help_text=_("Leave empty to play until one player is unbeaten.")
    )
    lives = _whole(_("Lives"), MIN_LIVES, MAX_LIVES, help_text=_("Players are out after this many losses."))
    pairing = _select(_("Pairing"), list(PAIRING_NAMES))
    window = _whole(
        _("Minutes between the first possible pair and its pairing"),
        0,
        MAX_WINDOW,
        help_text=_("All who are free by then take part, so that nobody can choose an opponent by waiting."),
    )
    lead = _whole(
        _("Matches that a player may be ahead of a match in progress"),
        0,
        MAX_LEAD,
        help_text=_("0 for no limit: then whoever is slow has an advantage, because others eliminate each other."),
    )
    leader = _select(_("Players with unequal lives meet"), list(LEADER_NAMES))
    switch_time = forms.TimeField(
        label=_("The bracket is drawn at the latest at"),
        required=False,
        widget=forms.TimeInput(attrs={"type": "time"}),
        help_text=_("Then as many places as are needed; matches in progress are played to their end."),
    )
    late_from = _whole(
        _("Players still in from whom on matches are shorter or longer"),
        0,
        MAX_LATE_FIELD,
        help_text=_("0 for one length throughout."),
    )
    late_length = _whole(_("Length of these matches, in points"), 0, MAX_MATCH)
    late_until = forms.TimeField(
        label=_("Late entries until"),
        required=False,
        widget=forms.TimeInput(attrs={"type": "time"}),
        help_text=_("Empty: as long as a late entry has a life or a match left."),
    )
    order = _select(_("Pairing of players with equal scores"), [(order.value, ORDER_NAMES[order]) for order in Order])
    next_round = _select(_("When a round is complete, the next one"), list(NEXT_ROUND_NAMES))
    countdown = _whole(
        _("Countdown, in seconds"),
        0,
        MAX_COUNTDOWN,
        help_text=_("Only for rounds that are published automatically. You can stop the countdown."),
    )
    missed_points = _select(
        _("Late entries get for each missed round"), [("0.0", _("nothing")), ("0.5", _("half a point"))]
    )
    allow_rematches = _select(_("Allow rematches if they cannot be avoided"), YES_NO)
    twice = _select(_("Opponents meet"), [("no", _("once")), ("yes", _("twice"))])
    groups = _whole(_("Groups"), 1, MAX_GROUPS)
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
    tiebreak1 = _select(_tiebreak(1), [], required=False)
    tiebreak2 = _select(_tiebreak(2), [], required=False)
    tiebreak3 = _select(_tiebreak(3), [], required=False)
    tiebreak4 = _select(_tiebreak(4), [], required=False)
    tiebreak5 = _select(_tiebreak(5), [], required=False)

    FIELD_OF: ClassVar[dict[str, str]] = {
        "no_such_format": "format",
        "unknown_tiebreak": "tiebreak1",
        "tiebreak_needs_one_length": "tiebreak1",
        "stage_qualifiers": "qualifiers",
        "group_count": "groups",
        "rounds_with_rematches": "rounds",
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
        self.offer_byes({})
        if self.format_name == DOUBLE:
            self.fields["pattern"].label = _("Lower bracket")
            self.fields["lower_lengths"].label = _lengths_of(_("Lower bracket"))
        if self.format_name == PLACES:
            self.fields["lower_lengths"].label = _lengths_of(_("Those who have lost"))
        if self.is_continuous:
            self.fields["rounds"].label = _("Matches that everybody plays")
            self.fields["rounds"].help_text = ""
            if self.format_name == LIVES:
                self.fields["qualifiers"].label = _("Places of the bracket")
                self.fields["qualifiers"].help_text = _(
                    "8, 16, 32 or 64, or empty if the clock alone is to draw it, at the time below. Each life left "
                    "takes a place. More than two lives are rounded up, in favour of who has them: three take 4 places "
                    "like four, and five take 8."
                )
        if self.format_name == GROUPS:
            self.fields["qualifiers"].label = _("Qualifiers per group")

    def offer(self, choices: Choices) -> None:
        """Set the patterns that suit the previewed field; a chosen pattern that does not suit it stays in the list."""
        standard = _("standard: the loser of the upper final plays the lower final")
        automatic = standard if self.format_name == DOUBLE else _("fewest byes")
        lower = pattern_choices(choices.lower, self._value("pattern"))
        self.choose_among("pattern", [(AUTOMATIC, automatic), *lower, (OWN, _("Custom pattern"))])
        sentences = dict.fromkeys(PATTERN_SENTENCES[proposal.name] for proposal in choices.lower)
        self.fields["pattern"].help_text = " ".join(map(str, sentences))
        last = pattern_choices(choices.last_chance, self._value("last_chance"))
        first = [(WITHOUT, _("none")), (AUTOMATIC, _("for losers of the first half of the consolation"))]
        self.choose_among("last_chance", [*first, *last, (OWN, _("Custom pattern"))])
        tiebreaks = [(code, tiebreak(code).name) for code in TIEBREAKS if code != LOTS]
        for field in TIEBREAK_FIELDS:
            self.choose_among(field, [("", "–"), *tiebreaks])

    def offer_byes(self, waits: Mapping[LowerByes, Waits]) -> None:
        """Show beside each way to decide the byes of lower brackets what it costs, if that is known."""
        self.choose_among("lower_byes", [(byes.value, _byes_label(byes, waits.get(byes))) for byes in LowerByes])
        if waits and waits[LowerByes.LINES] != waits[LowerByes.LOTS]:
            rematches = _("Expected rematches: {lines} on fixed lines, {lots} by lot.").format(
                lines=number_format(waits[LowerByes.LINES].rematches, 1),
                lots=number_format(waits[LowerByes.LOTS].rematches, 1),
            )
            self["lower_byes"].help_text = rematches

    def _value(self, name: str) -> str:
        return str(self[name].value() or "")

    @property
    def is_continuous(self) -> bool:
        """Whether the stage is chosen to be paired without rounds."""
        return self.format_name in BY_ROUND and self._value("pairing") == PairingMode.CONTINUOUS

    @property
    def about(self) -> Promise:
        if self.is_continuous:
            return CONTINUOUS_SENTENCES[self.format_name]
        return FORMAT_SENTENCES[self.format_name]

    @property
    def basic(self) -> list[forms.BoundField]:
        """The main fields of this format that apply to what is chosen."""
        hidden = {
            "own_pattern": self._value("pattern") != OWN,
            "own_last_chance": self._value("last_chance") != OWN,
            "last_lengths": self._value("last_chance") == WITHOUT,
            **dict.fromkeys(_hidden(self.format_name, self._value("pairing")), True),
        }
        names = [name for name in BASIC_FIELDS[self.format_name] if not hidden.get(name)]
        return [self[name] for name in (*([] if self.last else ["qualifiers"]), *names)]

    @property
    def more(self) -> list[forms.BoundField]:
        """The fields in the collapsible section, except tie-breaks."""
        hidden = {*TIEBREAK_FIELDS, *_hidden(self.format_name, self._value("pairing"))}
        if self.last:
            hidden.add("switch_time")
        return [self[name] for name in MORE_FIELDS.get(self.format_name, ()) if name not in hidden]

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
        self._parse("starts", _starts)
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


CLOCK_ATTRS = {"inputmode": "numeric", "autocomplete": "off", "maxlength": "5", "data-clock": "15"}
"""Of the field for a closing time: a text, so that no browser shows another clock than the pages do.

Its keys take it to the next quarter of an hour; any other time can be typed.
"""


class EveningForm(RefusingForm):
    """How many players and tables a format is previewed for, and when the evening starts and ends."""

    players = forms.IntegerField(label=_("Players"), min_value=0, max_value=MAX_ENTRIES)
    tables = forms.IntegerField(label=_("Tables"), min_value=1, max_value=MAX_TABLES)
    starts = LocalField(label=_("Start"))
    closes = forms.TimeField(
        label=_("Closes at"),
        required=False,
        widget=forms.TimeInput(attrs=CLOCK_ATTRS, format="%H:%M"),
    )
    minutes = NumberField(label=_("Minutes per point"), min_value=1, max_value=60, initial=MINUTES_PER_POINT)

    FIELD_OF: ClassVar[dict[str, str]] = {"no_tables": "tables"}

    def pace(self) -> Pace:
        """Return the number of tables and the minutes per point that a schedule is computed with."""
        return Pace(self.cleaned_data["tables"], minutes_per_point=self.cleaned_data["minutes"])

    def evening(self) -> Evening | None:
        """Return the evening in local times; None without players or a closing time."""
        starts, closes, players = (self.cleaned_data[name] for name in ("starts", "closes", "players"))
        if closes is None or not players:
            return None
        return Evening(players, self.cleaned_data["tables"], starts, first_after(starts, closes))

    def span(self, zone: tzinfo) -> tuple[datetime, datetime | None]:
        """Return the start and, with a closing time, the first instant after it when clocks show that time."""
        naive: datetime = self.cleaned_data["starts"]
        starts = localise(naive, zone)
        closes: time | None = self.cleaned_data["closes"]
        if closes is None:
            return starts, None
        return starts, localise(first_after(naive, closes), zone)


# The frame of the designer page: how many stages it has and which of its buttons was pressed.


MAX_MINUTES = 24 * 60


class DesignerForm(RefusingForm):
    """The fields that belong to no stage; each stage and the evening have forms of their own over the same data."""

    stages = forms.IntegerField(label=_("Stages"), min_value=1, max_value=MAX_STAGES)
    new_count = forms.IntegerField(label=_("Stages"), min_value=1, max_value=MAX_STAGES, required=False)
    """The new number of stages, sent by the buttons that add or remove one."""
    preset = forms.ChoiceField(label=_("Preset"), choices=[(name, name) for name in PRESETS], required=False)
    """The preset that replaces all stages."""
    template = forms.IntegerField(label=_("Template"), min_value=1, required=False)
    """The id of the club's template that replaces all stages."""
    proposal = forms.ChoiceField(label=_("Format"), choices=[(name, name) for name in PRESETS], required=False)
    """The format to store, with the match lengths that are proposed for the evening."""
    from_preset = forms.ChoiceField(label=_("Preset"), choices=[(name, name) for name in PRESETS], required=False)
    from_template = forms.IntegerField(label=_("Template"), min_value=1, required=False)
    fitted_players = forms.IntegerField(label=_("Players"), min_value=0, required=False)
    fitted_tables = forms.IntegerField(label=_("Tables"), min_value=1, required=False)
    fitted_minutes = NumberField(label=_("Minutes"), min_value=0, max_value=MAX_MINUTES, required=False)
    """What the stages on the page were taken from, and the evening that their match lengths were fitted to."""
    format_open = forms.BooleanField(required=False)
    rounds_open = forms.BooleanField(required=False)
    """Whether the details of the format, and its rounds, were open."""
    faulty = forms.BooleanField(required=False)
    """Whether the page showed errors when it was sent."""
    FIELD_OF: ClassVar[dict[str, str]] = {}

    @property
    def faults(self) -> list[str]:
        """All errors, each after the label of its field."""
        return [f"{self.fields[name].label}: {error}" for name, errors in self.errors.items() for error in errors]

    @property
    def stage_count(self) -> int:
        count: int = self.cleaned_data["new_count"] or self.cleaned_data["stages"]
        return count
