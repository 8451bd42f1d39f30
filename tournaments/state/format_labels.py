"""Formats and their settings in words a club player understands."""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournaments.formats.settings import (
    DOUBLE,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    PROGRESSIVE,
    ROUND_ROBIN,
    SWISS,
    NextRound,
    StageSettings,
)
from tournaments.formats.swiss.event import Order

FORMAT_NAMES: Mapping[str, Promise] = {
    KNOCKOUT: gettext_lazy("Knockout"),
    PROGRESSIVE: gettext_lazy("Knockout with consolation"),
    DOUBLE: gettext_lazy("Double elimination"),
    SWISS: gettext_lazy("Swiss"),
    LIVES: gettext_lazy("Lives"),
    ROUND_ROBIN: gettext_lazy("Round robin"),
    GROUPS: gettext_lazy("Groups"),
    LEAGUE: gettext_lazy("League"),
}
FORMAT_SENTENCES: Mapping[str, Promise] = {
    KNOCKOUT: gettext_lazy("Whoever loses is out."),
    PROGRESSIVE: gettext_lazy("Whoever loses in the main draw goes on in a consolation of its own."),
    DOUBLE: gettext_lazy(
        "Whoever loses goes on in the lower bracket, and its winner meets the upper winner for the title."
    ),
    SWISS: gettext_lazy("Everybody plays every round, against somebody with as many wins; nobody meets twice."),
    LIVES: gettext_lazy(
        "Everybody meets players with as many lives left; each loss costs one, and the last one in wins."
    ),
    ROUND_ROBIN: gettext_lazy("Everybody meets everybody."),
    GROUPS: gettext_lazy("Everybody meets everybody in his group; the best of each go on to the next stage."),
    LEAGUE: gettext_lazy("Everybody meets everybody in any order, until a day that you set."),
}
PRESET_NAMES: Mapping[str, Promise] = {
    "knockout": gettext_lazy("Knockout"),
    "consolation": gettext_lazy("Knockout with consolation and last chance"),
    "double": gettext_lazy("Double elimination"),
    "swiss": gettext_lazy("Swiss, 5 rounds"),
    "lives": gettext_lazy("Three lives"),
    "groups": gettext_lazy("Groups, then knockout"),
    "roundrobin": gettext_lazy("Round robin"),
    "league": gettext_lazy("League"),
}
PATTERN_NAMES: Mapping[str, Promise] = {
    "unshifted": gettext_lazy("evenly"),
    "shifted": gettext_lazy("losers enter early"),
    "early shift": gettext_lazy("losers enter early"),
    "late shift": gettext_lazy("losers enter late"),
    "supershift": gettext_lazy("losers enter early"),
    "fewest byes": gettext_lazy("fewest byes"),
    "fewest rounds": gettext_lazy("fewest rounds"),
}
NEXT_ROUND_NAMES: Sequence[tuple[str, Promise]] = (
    (NextRound.DRAFT.value, gettext_lazy("becomes a draft that a director publishes")),
    (NextRound.PUBLISH.value, gettext_lazy("publishes itself after a countdown")),
    (NextRound.ASK.value, gettext_lazy("waits until a director asks for it")),
)
"""What may happen to the next round, as forms offer it."""
_EARLY = gettext_lazy(
    "Losers enter early: the lower bracket is shorter, but the loser of the upper final has to win more than one match "
    "to reach the final."
)
PATTERN_SENTENCES: Mapping[str, Promise] = {
    "unshifted": gettext_lazy("Evenly: the losers of each round enter when no more players than they are left."),
    "shifted": _EARLY,
    "early shift": _EARLY,
    "supershift": _EARLY,
    "late shift": gettext_lazy(
        "Losers enter late: the losers of the last rounds enter one round after the other, so the loser of the upper "
        "final has to win more than one match to reach the final."
    ),
    "fewest byes": gettext_lazy("Fewest byes: losers enter where the numbers come out even, sometimes earlier."),
    "fewest rounds": gettext_lazy("Fewest rounds: losers enter as early as possible, even if it takes more byes."),
}
ORDER_NAMES: Mapping[Order, Promise] = {
    Order.RANDOM: gettext_lazy("by lot"),
    Order.FOLD: gettext_lazy("the best against the weakest"),
    Order.SLIDE: gettext_lazy("the upper half against the lower half"),
    Order.RATING: gettext_lazy("neighbours by rating"),
}


def stage_name(settings: StageSettings) -> str:
    """A stage in a few words, such as “Swiss, 5 rounds”."""
    name = str(FORMAT_NAMES[settings.format])
    if settings.format == SWISS and settings.rounds is not None:
        more = ngettext("%(count)d round", "%(count)d rounds", settings.rounds) % {"count": settings.rounds}
    elif settings.format == LIVES:
        more = ngettext("%(count)d life", "%(count)d lives", settings.lives) % {"count": settings.lives}
    elif settings.format == GROUPS:
        return ngettext("%(count)d group", "%(count)d groups", settings.groups) % {"count": settings.groups}
    elif settings.format == PROGRESSIVE and settings.last_chance is not None:
        return _("Knockout with consolation and last chance")
    else:
        return name
    return f"{name}, {more}"


def stages_name(stages: list[StageSettings]) -> str:
    """All stages in a few words: “4 groups, then knockout”."""
    first, *rest = map(stage_name, stages)
    return "".join([first, *(_(", then %(stage)s") % {"stage": one[:1].lower() + one[1:]} for one in rest)])
