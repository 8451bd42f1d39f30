"""Labels and descriptions of formats and their settings, for pages and forms."""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from formats.elimination.patterns import LETTERS, parse
from formats.errors import Refused
from formats.settings import (
    DOUBLE,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    PLACES,
    PROGRESSIVE,
    ROUND_ROBIN,
    SWISS,
    Leader,
    NextRound,
    PairingMode,
    StageSettings,
)
from formats.swiss.event import Order

FORMAT_NAMES: Mapping[str, Promise] = {
    KNOCKOUT: gettext_lazy("Knockout"),
    PROGRESSIVE: gettext_lazy("Knockout with consolation"),
    DOUBLE: gettext_lazy("Double elimination"),
    PLACES: gettext_lazy("Everybody plays to the end"),
    SWISS: gettext_lazy("Swiss"),
    LIVES: gettext_lazy("Lives"),
    ROUND_ROBIN: gettext_lazy("Round robin"),
    GROUPS: gettext_lazy("Groups"),
    LEAGUE: gettext_lazy("League"),
}
FORMAT_SENTENCES: Mapping[str, Promise] = {
    KNOCKOUT: gettext_lazy("One loss and you are out."),
    PROGRESSIVE: gettext_lazy("Players who lose in the main draw continue in a consolation bracket."),
    DOUBLE: gettext_lazy(
        "Players who lose continue in the lower bracket, and its winner plays the upper winner for the title."
    ),
    PLACES: gettext_lazy("Players who lose play on for the places below, so that everybody has a place in the end."),
    SWISS: gettext_lazy("Everybody plays every round, against players with about as many wins; nobody meets twice."),
    LIVES: gettext_lazy(
        "Everybody plays opponents with about as many lives left. Each loss costs a life; the last player left wins."
    ),
    ROUND_ROBIN: gettext_lazy("Everybody plays everybody."),
    GROUPS: gettext_lazy("Everybody plays everybody in their group; the best of each group advance to the next stage."),
    LEAGUE: gettext_lazy("Everybody plays everybody in any order, until a date that you set."),
}
CONTINUOUS_SENTENCES: Mapping[str, Promise] = {
    SWISS: gettext_lazy(
        "Everybody plays the same number of matches, each as soon as a suitable opponent is free; nobody meets twice."
    ),
    LIVES: gettext_lazy(
        "As soon as two players with as many lives left are free, they play. Each loss costs a life; the last player "
        "left wins."
    ),
}
"""Format -> how it goes without rounds."""
PAIRING_NAMES: Sequence[tuple[str, Promise]] = (
    (PairingMode.ROUNDS.value, gettext_lazy("in rounds: everybody waits for the slowest match")),
    (PairingMode.CONTINUOUS.value, gettext_lazy("without rounds: whoever is free plays")),
)
LEADER_NAMES: Sequence[tuple[str, Promise]] = (
    (Leader.PLAYS.value, gettext_lazy("as soon as one of them has nobody to wait for")),
    (Leader.WAITS.value, gettext_lazy("only if both have nobody to wait for")),
)
PRESET_NAMES: Mapping[str, Promise] = {
    "knockout": gettext_lazy("Knockout"),
    "consolation": gettext_lazy("Knockout with consolation and last chance"),
    "double": gettext_lazy("Double elimination"),
    "places": gettext_lazy("Everybody plays to the end"),
    "swiss": gettext_lazy("Swiss, 5 rounds"),
    "lives": gettext_lazy("Three lives"),
    "flow": gettext_lazy("Two lives, without rounds"),
    "flow_strict": gettext_lazy("Two lives, strict pairing (for prize events)"),
    "flow_swiss": gettext_lazy("Swiss without rounds, 5 matches each"),
    "groups": gettext_lazy("Groups, then knockout"),
    "roundrobin": gettext_lazy("Round robin"),
    "league": gettext_lazy("League"),
}
PATTERN_NAMES: Mapping[str, Promise] = {
    "unshifted": gettext_lazy("even"),
    "shifted": gettext_lazy("losers enter early"),
    "early shift": gettext_lazy("losers enter early"),
    "late shift": gettext_lazy("losers enter late"),
    "supershift": gettext_lazy("losers enter early"),
    "fewest byes": gettext_lazy("fewest byes"),
    "fewest rounds": gettext_lazy("fewest rounds"),
}
NEXT_ROUND_NAMES: Sequence[tuple[str, Promise]] = (
    (NextRound.DRAFT.value, gettext_lazy("becomes a draft for a director to publish")),
    (NextRound.PUBLISH.value, gettext_lazy("is published automatically after a countdown")),
    (NextRound.ASK.value, gettext_lazy("waits until a director requests it")),
)
"""How the next round comes about: the choices of forms."""
_EARLY = gettext_lazy(
    "Losers enter early: the lower bracket is shorter, but the loser of the upper final needs more than one win to "
    "reach the final."
)
PATTERN_SENTENCES: Mapping[str, Promise] = {
    "unshifted": gettext_lazy(
        "Even: the losers of each round enter when no more than that number of players are left."
    ),
    "shifted": _EARLY,
    "early shift": _EARLY,
    "supershift": _EARLY,
    "late shift": gettext_lazy(
        "Losers enter late: the losers of the last rounds enter one round after another, so the loser of the upper "
        "final needs more than one win to reach the final."
    ),
    "fewest byes": gettext_lazy("Fewest byes: losers enter where the number of players is even, sometimes earlier."),
    "fewest rounds": gettext_lazy("Fewest rounds: losers enter as early as possible, even if it takes more byes."),
}
ORDER_NAMES: Mapping[Order, Promise] = {
    Order.RANDOM: gettext_lazy("by lot"),
    Order.FOLD: gettext_lazy("strongest against weakest"),
    Order.SLIDE: gettext_lazy("upper half against lower half"),
    Order.RATING: gettext_lazy("neighbours by rating"),
}


def stage_name(settings: StageSettings) -> str:
    """Describe a stage in a few words, such as “Swiss, 5 rounds”."""
    name = str(FORMAT_NAMES[settings.format])
    if settings.is_continuous and settings.format == SWISS:
        more = ngettext("%(count)s match each", "%(count)s matches each", settings.rounds or 0)
        return _("%(format)s without rounds, %(more)s") % {"format": name, "more": more % {"count": settings.rounds}}
    if settings.is_continuous:
        more = ngettext("%(count)s life", "%(count)s lives", settings.lives) % {"count": settings.lives}
        return _("%(format)s without rounds, %(more)s") % {"format": name, "more": more}
    if settings.format == SWISS and settings.rounds is not None:
        more = ngettext("%(count)s round", "%(count)s rounds", settings.rounds) % {"count": settings.rounds}
    elif settings.format == LIVES:
        more = ngettext("%(count)s life", "%(count)s lives", settings.lives) % {"count": settings.lives}
    elif settings.format == GROUPS:
        return ngettext("%(count)s group", "%(count)s groups", settings.groups) % {"count": settings.groups}
    elif settings.format == PROGRESSIVE and settings.last_chance is not None:
        return _("Knockout with consolation and last chance")
    else:
        return name
    return f"{name}, {more}"


def stages_name(stages: list[StageSettings]) -> str:
    """Describe all stages in a few words, such as “4 groups, then Knockout”."""
    return in_order([stage_name(stage) for stage in stages])


def in_order(texts: Sequence[str]) -> str:
    """Join what comes one after another: “4 groups, then Knockout”."""
    joined = ""
    for text in texts:
        joined = _("%(first)s, then %(following)s") % {"first": joined, "following": text} if joined else text
    return joined


def pattern_in_words(text: str) -> str:
    """Return in which rounds of a lower bracket the losers of each round enter; empty for an unfinished pattern.

    For `A.B.|.C`: “Losers of rounds 1, 2, 3 enter in its rounds 1, 2, 4.”
    """
    try:
        pattern = parse(text)
    except Refused:
        return ""
    entries = [
        (LETTERS.index(letter) + 1, number)
        for number, letters in enumerate(pattern.rounds, start=1)
        for letter in letters
    ]
    if len(entries) == 1:
        ((lost, entered),) = entries
        words = _("Losers of round %(lost)d enter in its round %(entered)d.") % {"lost": lost, "entered": entered}
    else:
        words = _("Losers of rounds %(lost)s enter in its rounds %(entered)s.") % {
            "lost": ", ".join(str(lost) for lost, _entered in entries),
            "entered": ", ".join(str(entered) for _lost, entered in entries),
        }
    if pattern.second_final:
        return words + " " + _("Its winner meets the winner of the upper bracket, twice if need be.")
    return words + " " + _("Its winner meets the winner of the upper bracket.") if pattern.final else words
