"""Texts of standings: tie-breaks with their definitions, reasons for places, and titles of stages."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from core.times import FULL, pattern
from formats.settings import ELIMINATION, OWN_SETTINGS, PLACES, StageSettings
from formats.tables.records import Edition, RoundKind
from formats.tables.tiebreaks import EXPLANATIONS, FIDE_ARTICLES, LABELS, Explanation, RoundShare, plain
from tournaments.models import Stage
from tournaments.state.format_labels import FORMAT_NAMES


def stage_title(stage: Stage, *, several: bool) -> str:
    """Return the title of a stage, numbered if the division has several."""
    name = str(FORMAT_NAMES[stage.format])
    return _("Stage %(number)d: %(text)s") % {"number": stage.number, "text": name} if several else name


def jumps(stages: Sequence[Any]) -> list[tuple[str, str, int]]:
    """Return links within a page of several brackets as (anchor, title, number of matches being played).

    Each bracket of an elimination gets a link; every other stage gets one. Empty if there would be only one.
    """
    links: list[tuple[str, str, int]] = []
    for shown in stages:
        if shown.stage.format in ELIMINATION and shown.trees:
            # Of the many brackets of a place for everybody, those of a single match are found beside the others.
            trees = [tree for tree in shown.trees if shown.stage.format != PLACES or len(tree.boxes) > 1]
            links += [(f"tree-{tree.key}", tree.title, tree.live) for tree in trees]
        else:
            links.append(
                (
                    f"stage-{shown.stage.number}",
                    stage_title(shown.stage, several=True),
                    sum(tree.live for tree in shown.trees),
                )
            )
    return links if len(links) > 1 else []


class Tiebreak(NamedTuple):
    """The texts of a tie-break: `short` is its column heading, `reference` a FIDE article or ours."""

    code: str
    name: str
    short: str
    definition: str
    reference: str


LIVES_EXPLANATIONS: dict[str, str] = {
    "lives_left": gettext_noop("{left} of {lives} lives left."),
    "lives_out": gettext_noop("Out in round {round}, having lost all {lives} lives."),
    "lives_gone": gettext_noop("Withdrawn after round {round}."),
    "lives_out_after": gettext_noop("Out; matches won: {won}. Who won more before going out is placed higher."),
    "lives_withdrawn": gettext_noop("Withdrawn; matches won: {won}."),
}
"""Reasons for a place where lives are counted; code -> English template."""

_TEMPLATES = EXPLANATIONS | LIVES_EXPLANATIONS


WHY_PAIRED: dict[str, str] = {
    "equal_new": gettext_noop("Equal lives; not played yet."),
    "only_pair": gettext_noop("No other two could be paired."),
    "by_lot": gettext_noop("By lot among equally good pairings."),
    "fewest": gettext_noop("Both had played the fewest matches."),
    "unequal": gettext_noop("Nobody with equal lives can come to play one of them."),
    "rematch": gettext_noop("They have met, but everybody else free has met them more often or is busy."),
    "manual": gettext_noop("Set by a director."),
    "on_paper": gettext_noop("Made on paper, and not checked against the rule."),
}
"""Code -> English sentence about why two were paired."""


def why_paired(code: str, params: Mapping[str, Any]) -> str:
    """Return why two were paired in a stage without rounds."""
    return _(WHY_PAIRED[code]).format_map(params)


def tiebreak(code: str) -> Tiebreak:
    """Return the texts of a tie-break, translated."""
    name, short, definition = map(_, LABELS[code])
    reference = f"FIDE {FIDE_ARTICLES[code]}" if code in FIDE_ARTICLES else _("this site")
    return Tiebreak(code, name, short, definition, reference)


def explanation_text(why: Explanation, name_of: Callable[[int | None], str]) -> str:
    """Return the sentence of a reason, translated, with the name behind every part of a sum."""
    params = dict(why.params)
    if why.shares:
        params["parts"] = " + ".join(_share(share, name_of) for share in why.shares) or "0"
        params["cut"] = ", ".join(
            _share(share, name_of) for share in sorted(why.shares, key=lambda share: share.value) if share.cut
        )
    return _(_TEMPLATES[why.code]).format_map(params)


def _share(share: RoundShare, name_of: Callable[[int | None], str]) -> str:
    if share.opponent is not None:
        return f"{name_of(share.opponent)} {share.text}"
    name = _("bye") if share.kind in (RoundKind.BYE, RoundKind.REQUESTED_BYE) else _("round not played")
    return f"{name} {share.text}"


def points_text(value: float) -> str:
    """Return points with their noun: ½ point, 1 point, 2½ points."""
    return ngettext("{count} point", "{count} points", 1 if 0 < value <= 1 else 2).format(count=plain(value))


def regulations(settings: StageSettings) -> str:
    """Return the regulations that the tie-breaks of a stage follow, with their edition if it is a setting."""
    title = _("FIDE Tie-Break Regulations")
    if "edition" not in OWN_SETTINGS[settings.format]:
        return title
    return _("{regulations}, edition of {day}").format(regulations=title, day=edition_day(settings.edition))


def edition_day(edition: Edition) -> str:
    """Return the day an edition applies from, formatted for the user's language."""
    return date_format(date.fromisoformat(edition.value), pattern(FULL))


class RoundMark(NamedTuple):
    """The texts of a kind of round: the letter in its cell, its meaning in the legend, and a full sentence."""

    letter: str
    meaning: str
    sentence: str


NAMELESS = gettext_noop("{round}: {what}.")
"""The sentence about a round or a match without an opponent: its meaning in the legend says it all."""
MARKS: dict[str, RoundMark] = {
    "won": RoundMark(gettext_noop("W"), gettext_noop("won"), gettext_noop("{round}: won {score} against {name}.")),
    "lost": RoundMark(gettext_noop("L"), gettext_noop("lost"), gettext_noop("{round}: lost {score} to {name}.")),
    "drawn": RoundMark(
        gettext_noop("N"), gettext_noop("nobody won"), gettext_noop("{round}: nobody won against {name}.")
    ),
    "forfeit_won": RoundMark(
        gettext_noop("F+"),
        gettext_noop("the opponent forfeited"),
        gettext_noop("{round}: won, {name} forfeited the match."),
    ),
    "forfeit_lost": RoundMark(
        gettext_noop("F−"),
        gettext_noop("forfeited"),
        gettext_noop("{round}: forfeited the match against {name}."),
    ),
    "walkover_won": RoundMark(
        gettext_noop("WO+"),
        gettext_noop("walkover: the opponent withdrew"),
        gettext_noop("{round}: walkover, {name} withdrew."),
    ),
    "walkover_lost": RoundMark(
        gettext_noop("WO−"),
        gettext_noop("walkover for the opponent"),
        gettext_noop("{round}: did not come, walkover for {name}."),
    ),
    "empty": RoundMark(
        gettext_noop("E"),
        gettext_noop("empty: neither player came"),
        gettext_noop("{round}: empty, {name} did not come either."),
    ),
    "bye_full": RoundMark(gettext_noop("B"), gettext_noop("bye by pairing, counts as a win"), NAMELESS),
    "bye_sit_out": RoundMark(gettext_noop("S"), gettext_noop("bye: no life lost, no win"), NAMELESS),
    "bye_half": RoundMark("½", gettext_noop("requested bye, half a point"), NAMELESS),
    "bye_requested": RoundMark(gettext_noop("R"), gettext_noop("requested bye, no points"), NAMELESS),
    "bye_drawn": RoundMark(gettext_noop("B"), gettext_noop("bye by the draw, no points"), NAMELESS),
    "missed": RoundMark(gettext_noop("late"), gettext_noop("before a late entry"), NAMELESS),
    "absent": RoundMark(gettext_noop("A"), gettext_noop("absent"), NAMELESS),
    "gone": RoundMark("×", gettext_noop("out or withdrawn"), NAMELESS),
    "open": RoundMark("…", gettext_noop("still to be played"), gettext_noop("{round}: still to play against {name}.")),
}
"""Kind of a round -> its texts."""


def letter(kind: str) -> str:
    return _(MARKS[kind].letter)


def meaning(kind: str) -> str:
    return _(MARKS[kind].meaning)


def round_sentence(kind: str, *, number: int, score: str, name: str, is_match: bool) -> str:
    """Return a sentence about one round, or one match of a stage without rounds; an empty score is left out."""
    # The numbers of matches have an M before them; this one counts the matches of one player.
    title = _("Match %(number)d") if is_match else _("Round %(number)s")
    params = {"round": title % {"number": number}, "score": score, "name": name, "what": meaning(kind)}
    return " ".join(_(MARKS[kind].sentence).format_map(params).split())
