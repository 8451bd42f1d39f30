"""The form of a stage in the draw designer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from core.messages import sentence
from engine.errors import Refused
from players.forms import RefusingForm
from tournaments.formats.elimination.patterns import Proposal, parse
from tournaments.formats.forecast.outline import Choices
from tournaments.formats.forecast.schedule import parse_lengths
from tournaments.formats.settings import (
    CHOICES,
    DEFAULT_TIEBREAKS,
    DOUBLE,
    FEWEST_LIVES,
    FORMATS,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    LONGEST_COUNTDOWN,
    MOST_GROUPS,
    MOST_LIVES,
    MOST_ROUNDS,
    MOST_TABLE_POINTS,
    PROGRESSIVE,
    ROUND_ROBIN,
    SWISS,
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
    PATTERN_NAMES,
    PATTERN_SENTENCES,
)

MOST_QUALIFIERS = 1024
TIEBREAK_FIELDS = ("tiebreak1", "tiebreak2", "tiebreak3", "tiebreak4", "tiebreak5")
DEFAULTS = StageSettings()
AUTOMATIC, OWN, WITHOUT = "auto", "own", "none"
DRAWN_LAST = "lots"
"""The tie-break that always comes last and is not to be chosen."""

Words = list[tuple[str, Promise | str]]

BASIC: Mapping[str, tuple[str, ...]] = {
    KNOCKOUT: ("lengths",),
    PROGRESSIVE: (
        "pattern",
        "own_pattern",
        "last_chance",
        "own_last_chance",
        "lengths",
        "lower_lengths",
        "last_lengths",
    ),
    DOUBLE: ("pattern", "own_pattern", "second_final", "lengths", "lower_lengths", "final_lengths"),
    SWISS: ("rounds", "lengths", "next_round", "countdown"),
    LIVES: ("lives", "lengths", "next_round", "countdown"),
    ROUND_ROBIN: ("twice", "lengths"),
    GROUPS: ("groups", "twice", "lengths", "group_draw"),
    LEAGUE: ("until", "join_until", "twice", "lengths"),
}
"""Format -> the settings of its own that most directors choose."""
TABLE_SETTINGS = ("win", "loss", "leaver_rule")
MORE: Mapping[str, tuple[str, ...]] = {
    SWISS: ("order", "missed_points", "allow_rematches", "edition", *TIEBREAK_FIELDS),
    ROUND_ROBIN: (*TABLE_SETTINGS, *TIEBREAK_FIELDS),
    GROUPS: (*TABLE_SETTINGS, *TIEBREAK_FIELDS),
    LEAGUE: (*TABLE_SETTINGS, "unplayed", "moving", *TIEBREAK_FIELDS),
}
"""Format -> those that stand behind “More”."""
STAYS = ("format", "qualifiers", "lengths")
"""What is kept when another format is chosen."""
YES_NO: Words = [("no", _("no")), ("yes", _("yes"))]


def _select(label: Any, choices: Words, **options: Any) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=choices, **options)


def _lengths(label: Any, help_text: Any = "") -> forms.CharField:
    widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    return forms.CharField(label=label, required=False, max_length=60, widget=widget, help_text=help_text)


def _whole(label: Any, least: int, most: int, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=most, **options)


def _points(label: Any) -> forms.FloatField:
    return forms.FloatField(label=label, min_value=0, max_value=MOST_TABLE_POINTS)


class StageForm(RefusingForm):
    """One stage; `number` counts from 1, and `last` sends nobody on."""

    format = _select(_("Format"), [(name, FORMAT_NAMES[name]) for name in FORMATS])
    qualifiers = _whole(_("Go on to the next stage"), 1, MOST_QUALIFIERS, required=False)
    lengths = _lengths(_("Match length by round"), _("Points, such as 5 5 7 9 11; the last one goes on."))
    lower_lengths = _lengths(_("in the consolation"), _("Empty: as in the main draw."))
    last_lengths = _lengths(_("in the last chance"), _("Empty: as in the consolation."))
    final_lengths = _lengths(_("in the final"), _("Between the two winners. Empty: as in the last round."))
    pattern = _select(_("Consolation"), [])
    own_pattern = forms.CharField(
        label=_("Own pattern"),
        required=False,
        max_length=80,
        help_text=_("A.B.|.C: losers of rounds 1, 2 and 3 enter; | is a round without new ones."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "mono"}),
    )
    last_chance = _select(_("Last chance"), [])
    own_last_chance = forms.CharField(
        label=_("Own pattern of the last chance"),
        required=False,
        max_length=80,
        help_text=_("Letters are the rounds of the consolation."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "mono"}),
    )
    second_final = _select(
        _("Final"),
        [("no", _("one match decides")), ("yes", _("the upper winner may lose once: second final"))],
    )
    rounds = _whole(_("Rounds"), 1, MOST_ROUNDS, required=False, help_text=_("Empty: until only one is unbeaten."))
    lives = _whole(_("Lives"), FEWEST_LIVES, MOST_LIVES, help_text=_("Out after so many losses."))
    order = _select(_("Among equals meet"), [(order.value, ORDER_NAMES[order]) for order in Order])
    next_round = _select(_("When a round is complete, the next one"), list(NEXT_ROUND_NAMES))
    countdown = _whole(
        _("Countdown, in seconds"),
        0,
        LONGEST_COUNTDOWN,
        help_text=_("Only for a round that publishes itself; it can be stopped meanwhile."),
    )
    missed_points = _select(
        _("Who comes late gets for each missed round"), [("0.0", _("nothing")), ("0.5", _("half a point"))]
    )
    allow_rematches = _select(_("Rematches where they cannot be avoided"), YES_NO)
    twice = _select(_("Everybody meets everybody"), [("no", _("once")), ("yes", _("twice"))])
    groups = _whole(_("Groups"), 1, MOST_GROUPS)
    group_draw = _select(
        _("Groups are filled"),
        [("drawn", _("by lot, the seeded at their heads")), ("snake", _("by rating, to and fro"))],
    )
    win = _points(_("Points for a win"))
    loss = _points(_("Points for a loss"))
    leaver_rule = _select(
        _("Results of somebody who leaves"),
        [
            (LeaverRule.HALF.value, _("count if he has played half of his matches")),
            (LeaverRule.KEEP.value, _("count")),
            (LeaverRule.DELETE.value, _("are deleted")),
        ],
    )
    until = forms.DateField(label=_("Played until"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    join_until = forms.DateField(
        label=_("Joining until"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    unplayed = _select(
        _("A match not played by then"),
        [
            (Unplayed.NOTHING.value, _("counts nothing")),
            (Unplayed.HALF.value, _("is half a win for both")),
            (Unplayed.RULING.value, _("is decided by the director")),
        ],
    )
    edition = _select(
        _("Unplayed rounds by the FIDE regulations of"), [(one.value, lazy(edition_day, str)(one)) for one in Edition]
    )
    moving = _whole(_("Go up and down between divisions"), 0, 12)
    tiebreak1 = _select(_("Tie-breaks, in this order"), [], required=False)
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
        usual_lengths: Sequence[int],
        stored: StageSettings = DEFAULTS,
    ) -> None:
        self.number, self.last, self.usual_lengths = number, last, usual_lengths
        self.made: StageSettings | None = None if data is not None else stored
        """What was chosen, where it is in order."""
        prefix = f"s{number}"
        super().__init__(
            None if data is None else _filled(data, prefix), prefix=prefix, initial=initial_of(stored), auto_id="%s"
        )
        self.fields["lengths"].widget.attrs["placeholder"] = " ".join(map(str, usual_lengths))
        chosen = str(self["format"].value())
        self.format_name = chosen if chosen in FORMATS else KNOCKOUT
        self.offer(Choices())
        if self.format_name == DOUBLE:
            self.fields["pattern"].label = _("Lower bracket")
            self.fields["lower_lengths"].label = _("in the lower bracket")
            self.fields["lower_lengths"].help_text = _("Empty: as in the upper bracket.")
        if self.format_name == GROUPS:
            self.fields["qualifiers"].label = _("Of each group go on")

    def offer(self, choices: Choices) -> None:
        """What can be chosen for the field of tonight, and what is chosen although it does not fit it."""
        lower = _offered(choices.lower, self._chosen("pattern"))
        usual = _("the usual one: the loser of the upper final plays the lower final")
        automatic = usual if self.format_name == DOUBLE else _("the one with the fewest byes")
        self._choose("pattern", [(AUTOMATIC, automatic), *lower, (OWN, _("own pattern…"))])
        sentences = dict.fromkeys(PATTERN_SENTENCES[one.name] for one in choices.lower)
        self.fields["pattern"].help_text = " ".join(map(str, sentences))
        last = _offered(choices.last_chance, self._chosen("last_chance"))
        first = [(WITHOUT, _("none")), (AUTOMATIC, _("losers of the first half of the consolation"))]
        self._choose("last_chance", [*first, *last, (OWN, _("own pattern…"))])
        words = [(code, tiebreak(code).name) for code in TIEBREAKS if code != DRAWN_LAST]
        for field in TIEBREAK_FIELDS:
            self._choose(field, [("", "–"), *words])

    def _chosen(self, name: str) -> str:
        return str(self[name].value() or "")

    def _choose(self, name: str, choices: Words) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101, they are declared above
        field.choices = choices

    @property
    def about(self) -> Promise:
        """The format in a sentence."""
        return FORMAT_SENTENCES[self.format_name]

    @property
    def basic(self) -> list[forms.BoundField]:
        """The fields that matter for this format, as far as they matter with what is chosen."""
        hidden = {
            "own_pattern": self._chosen("pattern") != OWN,
            "own_last_chance": self._chosen("last_chance") != OWN,
            "last_lengths": self._chosen("last_chance") == WITHOUT,
        }
        names = [name for name in BASIC[self.format_name] if not hidden.get(name)]
        return [self[name] for name in (*([] if self.last else ["qualifiers"]), *names)]

    @property
    def more(self) -> list[forms.BoundField]:
        """Those behind “More”, tie-breaks left out."""
        return [self[name] for name in MORE.get(self.format_name, ()) if name not in TIEBREAK_FIELDS]

    @property
    def more_open(self) -> bool:
        """Whether something behind “More” is not as usual, or wrong."""
        usual = initial_of(StageSettings(self.format_name))
        names = MORE.get(self.format_name, ())
        return any(str(self[name].value() or "") != str(usual[name]) or self[name].errors for name in names)

    @property
    def tiebreaks(self) -> list[tuple[forms.BoundField, str]]:
        """The fields of the tie-breaks, each with the sentence of what is chosen there."""
        if TIEBREAK_FIELDS[0] not in MORE.get(self.format_name, ()):
            return []
        codes = [str(self[name].value() or "") for name in TIEBREAK_FIELDS]
        said = [tiebreak(code).definition if code in TIEBREAKS else "" for code in codes]
        return list(zip([self[name] for name in TIEBREAK_FIELDS], said, strict=True))

    def clean(self) -> dict[str, Any]:
        """Puts together the settings and has them checked."""
        cleaned = super().clean() or {}
        for name in ("lengths", "lower_lengths", "last_lengths", "final_lengths"):
            self._read(name, lambda text: parse_lengths(text) if text.strip() else ())
        for name in ("own_pattern", "own_last_chance"):
            self._read(name, lambda text: str(parse(text)) if text.strip() else "")
        for choice, own in (("pattern", "own_pattern"), ("last_chance", "own_last_chance")):
            if cleaned.get(choice) == OWN and own in cleaned and not cleaned[own]:
                self.add_error(own, ValidationError(sentence("pattern_empty", {})))
        if not self.errors:
            try:
                self.made = self._settings().checked(self.usual_lengths)
            except Refused as refused:
                self.refuse(refused)
        return cleaned

    def refuse(self, refused: Refused) -> None:
        """Beside the field it is about; `bad_setting` names that itself."""
        name = refused.params.get("name") if refused.code == "bad_setting" else None
        if refused.code.startswith("pattern_"):
            name = "pattern"
        if name in self.fields:
            self.add_error(name, sentence(refused.code, refused.params))
        else:
            super().refuse(refused)

    def _read(self, name: str, read: Any) -> None:
        if name not in self.cleaned_data:
            return
        try:
            self.cleaned_data[name] = read(self.cleaned_data[name])
        except Refused as refused:
            self.add_error(name, sentence(refused.code, refused.params))

    def _settings(self) -> StageSettings:
        """What was chosen; settings of another format than this are left as they are by default."""
        cleaned = self.cleaned_data
        known = {*BASIC[self.format_name], *MORE.get(self.format_name, ())}
        plain = {name: _value(name, cleaned[name]) for name in known & PLAIN}
        made = StageSettings(self.format_name, **plain, qualifiers=None if self.last else cleaned["qualifiers"])
        if "pattern" in known:
            made = replace(made, pattern=_pattern(cleaned["pattern"], cleaned["own_pattern"]) or "")
        if "last_chance" in known:
            made = replace(made, last_chance=_pattern(cleaned["last_chance"], cleaned["own_last_chance"]))
        if "tiebreak1" in known:
            chosen = tuple(dict.fromkeys(cleaned[name] for name in TIEBREAK_FIELDS if cleaned[name]))
            usual = DEFAULT_TIEBREAKS[self.format_name]
            made = replace(made, tiebreaks=() if (*chosen, "lots") == usual else chosen)
        return made


PLAIN = {
    "lengths", "lower_lengths", "last_lengths", "final_lengths", "second_final", "rounds", "lives", "order",
    "next_round", "countdown", "missed_points", "allow_rematches", "twice", "groups", "group_draw", "win", "loss",
    "leaver_rule", "until", "join_until", "unplayed", "moving", "edition",
}  # fmt: skip
"""Fields that are named as the setting they hold."""
SWITCHES = {"second_final", "allow_rematches", "twice"}


def _value(name: str, value: Any) -> Any:
    """A setting as `StageSettings` has it."""
    if name in SWITCHES:
        return value == "yes"
    if name in ("until", "join_until"):
        return value.isoformat() if value else ""
    kinds: dict[str, Any] = {"missed_points": float, **CHOICES}
    return kinds[name](value) if name in kinds else value


def _pattern(choice: str, own: str) -> str | None:
    return {AUTOMATIC: "", WITHOUT: None, OWN: own}.get(choice, choice)


def _filled(data: Mapping[str, str], prefix: str) -> dict[str, str]:
    """What was sent, with the defaults of the format for fields that were not on the page.

    Fields that were shown for another format than the one chosen now do not count, save `STAYS`.
    """
    own = {name.removeprefix(f"{prefix}-"): value for name, value in data.items() if name.startswith(f"{prefix}-")}
    chosen = own.get("format", "")
    if own.get("shown", chosen) != chosen:
        own = {name: value for name, value in own.items() if name in STAYS}
    usual = initial_of(StageSettings(chosen if chosen in FORMATS else KNOCKOUT))
    return {f"{prefix}-{name}": str(value) for name, value in (usual | own).items() if value is not None}


def _offered(proposals: Sequence[Proposal], chosen: str) -> Words:
    """Patterns with their counts; the one that is chosen stays on the list."""
    words: Words = [(str(one.pattern), _described(one)) for one in proposals]
    known = {AUTOMATIC, OWN, WITHOUT, "", *(text for text, _words in words)}
    return words if chosen in known else [*words, (chosen, chosen)]


def _described(one: Proposal) -> str:
    matches = sum(round_.matches for round_ in one.rounds)
    return _now("%(pattern)s  %(name)s: %(rounds)d rounds, %(matches)d matches, %(byes)d byes") % {
        "pattern": one.pattern,
        "name": PATTERN_NAMES.get(one.name, one.name),
        "rounds": len(one.rounds),
        "matches": matches,
        "byes": one.byes,
    }


def initial_of(settings: StageSettings) -> dict[str, Any]:
    """The settings of a stage as the fields show them."""
    order = [code for code in settings.tiebreak_order if code != "lots"]
    plain = {name: getattr(settings, name) for name in PLAIN}
    shown = {name: "yes" if value else "no" for name, value in plain.items() if name in SWITCHES}
    lengths = {name: " ".join(map(str, plain[name])) for name in plain if name.endswith("lengths")}
    ties = {name: order[at] if at < len(order) else "" for at, name in enumerate(TIEBREAK_FIELDS)}
    return {
        **plain, **shown, **lengths, **ties,
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
