"""The lines of a scoring plan as the fields of a form, and back."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from engine.errors import Refused
from formats.series.final import byes_of
from formats.series.plan import ELSE, plan_from
from formats.series.warnings import kinds_of
from players.forms import RefusingForm
from seasons.sample_evening import USUAL_LENGTH, USUAL_PLAYERS, Invented

Path = tuple[str | int, ...]

MAX_DIGITS_OF_A_RANK = 6
LONGEST = 600
"""Characters of a line."""
NEW_LINES: Mapping[str, Any] = {
    "attend": {"attend": "1"},
    "win": {"win": "1", "bracket": "main"},
    "consolation": {"win": "1", "bracket": "consolation"},
    "match": {"match": "1"},
    "place": {"place": {"bracket": "main", "ties": "mean", "values": {"kind": "list", "points": ["3", "2", "1"]}}},
}
"""What a director can add, by code, as it is at first."""
NEW_LABELS = (
    ("", gettext_lazy("Choose …")),
    ("attend", gettext_lazy("Points for coming")),
    ("win", gettext_lazy("Points for each win")),
    ("consolation", format_lazy("{} · {}", gettext_lazy("Points for each win"), gettext_lazy("Consolation"))),
    ("match", gettext_lazy("Points for each match, won or lost")),
    ("place", gettext_lazy("Points for places")),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A figure of a plan, or a list of them: where it stands, and what it is."""

    path: Path
    label: str
    value: Any
    removable: Path | None = None
    """What is left out with this line, if a plan can do without it."""

    @property
    def name(self) -> str:
        return "-".join(map(str, self.path))

    @property
    def where(self) -> str:
        """Its place as refusals of a plan name it: `points.add[0].win`."""
        return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path).removeprefix(".")

    @property
    def text(self) -> str:
        """The figures as they are typed: `2`, `25, 18, 15` or `1: 5, 2: 3`."""
        if isinstance(self.value, Mapping):
            return ", ".join(f"{key}: {value}" for key, value in self.value.items())
        return ", ".join(map(str, self.value)) if isinstance(self.value, list) else str(self.value)

    def read(self, text: str) -> Any:
        """Return what was typed in the form of this line. Raises Refused("series_number")."""
        items = [item.strip() for item in text.replace(";", ",").split(",") if item.strip()]
        if isinstance(self.value, Mapping):
            pairs = [item.partition(":") for item in items]
            wrong = next((item for item, pair in zip(items, pairs, strict=True) if not pair[1]), None)
            if wrong is not None:
                raise Refused("series_number", where=self.label, value=wrong[:40])
            return {key.strip(): value.strip() for key, _colon, value in pairs}
        return items if isinstance(self.value, list) else text.strip()


def bracket_label(name: str) -> str:
    """Return the name of a bracket, or of several, beside the label of a line."""
    labels = {
        "main": _("Main draw"),
        "consolation": _("Consolation"),
        "last_chance": _("Last chance"),
        "group": _("Groups"),
        "any": _("any bracket"),
        "all": _("all brackets in one order"),
    }
    if name.startswith("group") and name != "group":
        return _("Group %(name)s") % {"name": name.removeprefix("group")}
    return labels.get(name, name)


def lines_of(plan: Mapping[str, Any]) -> list[Line]:
    """Return the lines of a plan in its exchange form, in their order."""
    return list(_lines(plan["points"], ("points",), None))


def _lines(node: Any, path: Path, removable: Path | None) -> Iterator[Line]:
    if not isinstance(node, Mapping):
        yield Line(path, _("Times"), node)
        return
    yield from _blocks(node, path, removable)
    if "attend" in node:
        label = _("Points for coming without a win") if node.get("when") == "no_win" else _("Points for coming")
        yield Line((*path, "attend"), label, node["attend"], removable)
    if "win" in node:
        yield _wins(node, path, removable)
    if "match" in node:
        yield Line((*path, "match"), _("Points for each match, won or lost"), node["match"], removable)
    if "place" in node:
        yield from _places(node["place"], (*path, "place"), removable)
    yield from _factors(node, path)


def _blocks(node: Mapping[str, Any], path: Path, removable: Path | None) -> Iterator[Line]:
    for index, item in enumerate(node.get("add", ())):
        own = (*path, "add", index)
        yield from _lines(item, own, own if len(node["add"]) > 1 else removable)
    for index, item in enumerate(node.get("higher", ())):
        for line in _lines(item, (*path, "higher", index), removable):
            yield replace(line, label=_("%(line)s · the higher counts") % {"line": line.label})
    factors = node.get("times", ())
    for index, item in enumerate(factors):
        own, label = (*path, "times", index), _factor_label(factors[:index], factors[index + 1 :])
        yield from _lines(item, own, removable) if isinstance(item, Mapping) else [Line(own, label, item)]
    for kind, item in node.get("by_class", {}).items():
        name = _("all others") if kind == ELSE else kind_label(kind)
        for line in _lines(item, (*path, "by_class", kind), None):
            yield replace(line, label=_("%(line)s · evenings: %(kind)s") % {"line": line.label, "kind": name})


def kind_label(kind: str) -> str:
    """Return the name of a class of evenings; a plan may have others than the presets."""
    labels = {
        "double": pgettext("an evening", "double"),
        "bonus": pgettext("an evening", "bonus"),
        "last": pgettext("an evening", "last date"),
    }
    return labels.get(kind, kind)


def _factor_label(before: Sequence[Any], after: Sequence[Any]) -> str:
    """Return the label of a number by which the parts of the plan beside it are multiplied."""
    rows, others = ([part for part in parts if isinstance(part, Mapping)] for parts in (after, before))
    is_one_line = len(rows) == 1 and not {"add", "higher", "times", "by_class"} & set(rows[0])
    if is_one_line:
        return _("The next line counts times")
    if rows:
        return _("The lines below count times")
    return _("The line above counts times") if others else _("Times")


def _wins(node: Mapping[str, Any], path: Path, removable: Path | None) -> Line:
    brackets = node.get("bracket", "any")
    where = ", ".join(map(bracket_label, [brackets] if isinstance(brackets, str) else brackets))
    value = node["win"]
    by_length = isinstance(value, Mapping) and set(value) == {"length"}
    labels = {
        "length": _("Points for each win, times its length"),
        "root_length": _("Points for each win, times √length"),
    }
    label = labels.get(node.get("by", "one"), _("Points for each win"))
    if by_length:
        value, label = value["length"], _("Points for each win, by length")
    own = (*path, "win", "length") if by_length else (*path, "win")
    return Line(own, f"{label} · {where}", value, removable)


def _factors(node: Mapping[str, Any], path: Path) -> Iterator[Line]:
    if "place_factor" in node:
        yield Line((*path, "place_factor", "factors"), _("Times, by place"), node["place_factor"]["factors"])
    if "division" in node:
        yield Line((*path, "division"), _("Times, by division"), node["division"])
    if "class" in node:
        yield Line((*path, "class"), _("Times, by kind of evening"), node["class"])


def _places(place: Mapping[str, Any], path: Path, removable: Path | None) -> Iterator[Line]:
    values = place["values"]
    where = bracket_label(str(place.get("bracket", "main")))
    own = (*path, "values")
    if values["kind"] == "list":
        yield Line((*own, "points"), f"{_('Points for places')} · {where}", values["points"], removable)
    elif values["kind"] == "bands":
        for index, band in enumerate(values["bands"]):
            label = f"{_band_label(values, band)} · {where}"
            yield Line((*own, "bands", index, "rows"), label, band["rows"], removable if index == 0 else None)
    else:
        for key in ("scale", "factors"):
            if key in values:
                label = (
                    _("Share of each place") if key == "factors" and "scale" in values else
                    _("Points for places by the size of the field")
                )  # fmt: skip
                yield Line((*own, key), f"{label} · {where}", values[key], removable if key == "scale" else None)


def _band_label(values: Mapping[str, Any], band: Mapping[str, Any]) -> str:
    """Return the label of the points for places in fields of some sizes, or after some numbers of rounds."""
    most = band["to"]
    if most is None:
        return _("Points for places in larger fields")
    if values.get("by") == "rounds":
        text = ngettext("Points for places, up to %(count)s round", "Points for places, up to %(count)s rounds", most)
    else:
        text = ngettext("Points for places, up to %(count)s player", "Points for places, up to %(count)s players", most)
    return text % {"count": most}


YES_OR_NO = (("no", gettext_lazy("no")), ("yes", gettext_lazy("yes")))
NAMED = "named"
"""In place of a rule of who belongs: the plan lists them."""
BELONGS = (
    ("everybody", gettext_lazy("everybody who plays")),
    ("members", gettext_lazy("Only members of the club are in the table.")),
    ("entered", gettext_lazy("Only players who have entered the season are in the table.")),
)
GUESTS = (
    ("keep_places", gettext_lazy("Guests take places but are not in it.")),
    ("close_up", gettext_lazy("Guests are left out, and places close up.")),
)
SWITCHES = ("no_shows_attend", "tied_wins_share", "voided_wins")


class PlanLinesForm(RefusingForm):
    """The lines of a plan with how many evenings count; what is typed becomes a proposed plan."""

    best = forms.IntegerField(
        label=gettext_lazy("Best evenings that count"), min_value=1, max_value=400, required=False,
        help_text=gettext_lazy("Empty: all of them."),
    )  # fmt: skip
    drop_worst = forms.IntegerField(
        label=gettext_lazy("Worst evenings dropped"), min_value=0, max_value=400, required=False
    )
    min_events = forms.IntegerField(
        label=gettext_lazy("Evenings needed for a rank"), min_value=0, max_value=400, required=False
    )
    qualify = forms.IntegerField(
        label=gettext_lazy("Ranks that qualify for a final"), min_value=0, max_value=400, required=False
    )
    show_digits = forms.IntegerField(label=gettext_lazy("Decimals shown"), min_value=0, max_value=4, required=False)
    belongs = forms.ChoiceField(label=gettext_lazy("Who is in the table"), choices=BELONGS, required=False)
    guests = forms.ChoiceField(label=gettext_lazy("Guests"), choices=GUESTS, required=False)
    class_by_month = forms.CharField(
        label=gettext_lazy("Kind of evening by month"), max_length=LONGEST, required=False,
        help_text=gettext_lazy("Month: kind, such as 5: double, 11: double. Each evening can still be set otherwise."),
    )  # fmt: skip
    several_divisions = forms.ChoiceField(
        label=gettext_lazy("Who plays in several divisions of an evening gets"),
        choices=(("sum", gettext_lazy("the points of all")), ("best", gettext_lazy("the points of the best"))),
        required=False,
    )
    no_shows_attend = forms.ChoiceField(
        label=gettext_lazy("Points for coming to whoever was drawn and never came"), choices=YES_OR_NO, required=False
    )
    tied_wins_share = forms.ChoiceField(
        label=gettext_lazy("Equal points in a table share their places"), choices=YES_OR_NO, required=False,
        help_text=gettext_lazy("Otherwise the tie-breaks decide."),
    )  # fmt: skip
    voided_wins = forms.ChoiceField(
        label=gettext_lazy("Matches that were played, but void after a correction, count as wins"), choices=YES_OR_NO,
        required=False,
    )  # fmt: skip
    stages = forms.CharField(
        label=gettext_lazy("Ranks of the final that start in later rounds"), max_length=LONGEST, required=False,
        help_text=gettext_lazy(
            "Last rank: round, such as 4: quarterfinal, 8: last 16, 12: last 32, 28: qualifying. Empty: all start "
            "together."
        ),
    )  # fmt: skip
    example_players = forms.IntegerField(
        label=gettext_lazy("Players"), min_value=2, max_value=64, required=False,
        help_text=gettext_lazy("Empty: the last evening."),
    )  # fmt: skip
    example_length = forms.IntegerField(label=gettext_lazy("Length"), min_value=1, max_value=25, required=False)
    new = forms.ChoiceField(label=gettext_lazy("Add a line"), choices=NEW_LABELS, required=False)

    def __init__(self, data: Any, plan: Mapping[str, Any]) -> None:
        count = plan.get("count", {})
        initial = {name: count.get(name) for name in ("best", "drop_worst", "min_events")}
        initial |= {"qualify": plan.get("qualify", {}).get("places"), "show_digits": plan.get("show_digits", 2)}
        initial |= {name: "yes" if plan.get(name) else "no" for name in SWITCHES}
        initial |= {"several_divisions": plan.get("several_divisions", "sum"), "class_by_month": _months_of(plan).text}
        rule = plan.get("belongs") or ("everybody" if plan.get("players") is None else NAMED)
        initial |= {"belongs": rule, "guests": plan.get("guests", "keep_places")}
        initial |= {"stages": stages_text(plan)}
        super().__init__(data, initial=initial)
        if rule == NAMED:
            belongs = cast(forms.ChoiceField, self.fields["belongs"])
            belongs.choices = [*BELONGS, (NAMED, _("Only players whom the plan names are in the table."))]
        self.plan, self.lines = plan, lines_of(plan)
        for line in self.lines:
            self.fields[line.name] = forms.CharField(
                label=line.label, max_length=LONGEST, required=False, initial=line.text
            )

    def refuse(self, refused: Refused) -> None:
        """Add the message of a refusal, which names a line as the form does instead of its place in the plan."""
        where = str(refused.params.get("where", ""))
        labels = {line.where: line.label for line in self.lines}
        labels |= {f"plan.{name}": str(field.label) for name, field in self.fields.items()}
        own = (text for path, text in labels.items() if where == path or where.startswith((f"{path}.", f"{path}[")))
        label = next(own, where)
        super().refuse(Refused(refused.code, **{**refused.params, "where": label}))

    @property
    def rows(self) -> list[tuple[Line, Any]]:
        return [(line, self[line.name]) for line in self.lines]

    @property
    def count_fields(self) -> list[Any]:
        return [self[name] for name in ("best", "drop_worst", "min_events", "qualify", "show_digits")]

    @property
    def example(self) -> Invented | None:
        """The evening that was made up to see its points; None: the last one."""
        if not self.is_bound or not self.is_valid():
            return None
        players, length = (self.cleaned_data.get(name) for name in ("example_players", "example_length"))
        return Invented(players or USUAL_PLAYERS, length or USUAL_LENGTH) if players or length else None

    @property
    def example_fields(self) -> list[Any]:
        return [self[name] for name in ("example_players", "example_length")]

    @property
    def table_fields(self) -> list[Any]:
        return [self[name] for name in ("belongs", "guests")]

    @property
    def rule_fields(self) -> list[Any]:
        """The fields of rules that few clubs need; kinds by month only if the plan tells kinds apart."""
        names = ("stages", "several_divisions", *SWITCHES)
        return [self[name] for name in (("class_by_month", *names) if has_kinds(self.plan) else names)]

    @property
    def proposed(self) -> dict[str, Any]:
        """The plan with what was typed; a line that was emptied is left out. Raises Refused("series_number")."""
        plan = copy.deepcopy(dict(self.plan))
        gone: list[Path] = []
        for line in self.lines:
            if line.name not in self.data:
                continue
            text = self.cleaned_data.get(line.name, "")
            if text.strip():
                _at(plan, line.path[:-1])[line.path[-1]] = line.read(text)
            elif line.removable is not None:
                gone.append(line.removable)
        for path in sorted(set(gone), key=lambda path: [str(part).zfill(4) for part in path], reverse=True):
            own = _at(plan, path[:-1])
            if len(own) > 1:
                del own[path[-1]]
        if new := self.cleaned_data.get("new"):
            _add(plan, copy.deepcopy(NEW_LINES[new]))
        digits = self.cleaned_data.get("show_digits")
        return {
            **plan,
            **self._rules(),
            "count": self._figures(
                plan.get("count", {}), {name: name for name in ("best", "drop_worst", "min_events")}
            ),
            "qualify": self._final(plan.get("qualify", {})),
            "show_digits": plan.get("show_digits", 2) if digits is None else digits,
        }

    def _rules(self) -> dict[str, Any]:
        """Return the rules that were typed; those that were not sent stay as they are."""
        sent = {name: self.cleaned_data.get(name) for name in SWITCHES if name in self.data}
        rules: dict[str, Any] = {name: value == "yes" or None for name, value in sent.items()}
        if "several_divisions" in self.data:
            rules["several_divisions"] = self.cleaned_data.get("several_divisions") or None
        if "guests" in self.data:
            rules["guests"] = self.cleaned_data.get("guests") or None
        belongs = self.cleaned_data.get("belongs")
        if belongs and belongs != self.initial["belongs"]:
            rules |= {"belongs": belongs, "players": None}
        if "class_by_month" in self.data:
            rules["class_by_month"] = _months_of(self.plan).read(self.cleaned_data.get("class_by_month", "")) or None
        return rules

    def _final(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Return how many qualify and where they start; stages that were not sent or not changed stay as they are."""
        final = self._figures(before, {"qualify": "places"})
        if final.get("byes") != byes_of(final.get("places", 0)):
            # They follow from the places, and have no field.
            final.pop("byes", None)
        text = self.cleaned_data.get("stages", "")
        if "stages" not in self.data or text.strip() == stages_text(self.plan):
            return final
        rows = [item.partition(":") for item in text.replace(";", ",").split(",") if item.strip()]
        final.pop("byes", None)
        final["stages"] = [_stage(rank.strip(), name.strip()) for rank, _colon, name in rows]
        return {key: value for key, value in final.items() if value}

    def _figures(self, before: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
        """Return a part of the plan with the figures of these fields, by the keys that they have there."""
        others = {key: value for key, value in before.items() if key not in keys.values()}
        typed = {key: value for field, key in keys.items() if (value := self.cleaned_data.get(field))}
        return others | typed


def _stage(rank: str, name: str) -> dict[str, Any]:
    return {"to": int(rank) if rank.isdecimal() and len(rank) < MAX_DIGITS_OF_A_RANK else rank, "stage": name.lower()}


def stages_text(plan: Mapping[str, Any]) -> str:
    """Return the stages of the final as they are typed; a plan that a program has written may have anything there."""
    stages = plan.get("qualify", {}).get("stages")
    rows = [row for row in stages if isinstance(row, Mapping)] if isinstance(stages, list) else []
    return ", ".join(f"{row.get('to')}: {row.get('stage')}" for row in rows)


def _months_of(plan: Mapping[str, Any]) -> Line:
    return Line(("class_by_month",), _("Kind of evening by month"), plan.get("class_by_month") or {})


def has_kinds(plan: Mapping[str, Any]) -> bool:
    """Whether a plan tells kinds of evenings apart."""
    return bool(plan.get("class_by_month")) or bool(kinds_of(plan_from({"points": plan["points"]})))


def _at(plan: Any, path: Path) -> Any:
    for part in path:
        plan = plan[part]
    return plan


def _add(plan: dict[str, Any], line: Any) -> None:
    """Add a line to the first sum of a plan, or make a sum of it."""
    node = plan["points"]
    holder: Any = node if "add" in node else None
    if holder is None:
        holder = next((item for item in node.get("times", ()) if isinstance(item, dict) and "add" in item), None)
    if holder is None:
        plan["points"] = {"add": [node, line]}
    else:
        holder["add"].append(line)
