"""The settings of a rating pool in sentences, as its list and its players' pages show them."""

from django.utils.dates import WEEKDAYS
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from matches.models import PoolSettings
from matches.models.pool_settings import AFTER_EACH_MATCH, AT_TABLES, FREE, GLICKO2, HERE

FAMILIES = {
    "fibs": gettext_lazy("FIBS: √ of the length, K falls from 5"),
    "slow_ramp": gettext_lazy("√ of the length, K falls slowly from 2"),
    "belgian": gettext_lazy("√ of the length, K is always 1 (Belgium)"),
    "danish": gettext_lazy("A point at stake for each point of the match (Denmark)"),
    "nardgammon": gettext_lazy("√ of the length, scale 400 (nardgammon)"),
    "elo_by_length": gettext_lazy("Elo with a stake for each length"),
    GLICKO2: gettext_lazy("Glicko-2, by weeks"),
    FREE: gettext_lazy("FIBS with numbers of your own"),
}
"""The formulas by code, as a director chooses and compares them."""
PUBLISHED_ON = {
    "monday": WEEKDAYS[0],
    "tuesday": WEEKDAYS[1],
    "wednesday": WEEKDAYS[2],
    "thursday": WEEKDAYS[3],
    "friday": WEEKDAYS[4],
    "saturday": WEEKDAYS[5],
    "sunday": WEEKDAYS[6],
}
"""The days of the week when a list can change, as Django names them."""
PLACES = {
    "anywhere": gettext_lazy("wherever they are played"),
    HERE: gettext_lazy("only matches on the board here"),
    AT_TABLES: gettext_lazy("only matches at tables"),
}


def formula_sentence(chosen: PoolSettings) -> str:
    start = number_format(chosen.start_rating, 0)
    if chosen.family == GLICKO2:
        together = (
            _("Rated by Glicko-2: all matches of an event count together, and others by weeks (from Monday).")
            if chosen.by_event
            else _("Rated by Glicko-2: all matches of a week (from Monday) count together.")
        )
        newcomers = _(
            "New players have %(start)s ± %(spread)s; the figure after ± is two deviations, and grows again in weeks "
            "without a match."
        ) % {"start": start, "spread": number_format(2 * chosen.deviation, 0)}
        sentence = f"{together} {newcomers}"
        return f"{sentence} {_by_length(chosen)}"
    if chosen.family == FREE:
        sentence = _(
            "Rated by the formula of FIBS with other numbers: the stake is %(stake)s · n^%(stake_exponent)s points, "
            "and the chance grows with n^%(chance_exponent)s on a scale of %(scale)s. New players have %(start)s."
        ) % {
            "stake": number_format(chosen.stake),
            "stake_exponent": number_format(chosen.stake_exponent),
            "chance_exponent": number_format(chosen.chance_exponent),
            "scale": number_format(chosen.scale),
            "start": start,
        }
    else:
        sentence = _("Rated by this formula: %(formula)s. New players have %(start)s.") % {
            "formula": FAMILIES[chosen.family],
            "start": start,
        }
    if chosen.k_scale == 1:
        return sentence
    scaled = _("Every change is multiplied by %(scale)s.") % {"scale": number_format(chosen.k_scale)}
    return f"{sentence} {scaled}"


def _by_length(chosen: PoolSettings) -> str:
    if chosen.by_length:
        return _("A match of n points has the weight √(n/7).")
    return _("The length of a match does not matter.")


def counted_sentence(chosen: PoolSettings) -> str:
    parts = []
    if chosen.least_length > 1:
        parts.append(
            ngettext("matches to at least %(n)s point", "matches to at least %(n)s points", chosen.least_length)
            % {"n": chosen.least_length}
        )
    if chosen.where in (HERE, AT_TABLES):
        parts.append(str(PLACES[chosen.where]))
    if chosen.of_pairs:
        parts.append(_("only matches of pairs"))
    if chosen.events_only:
        parts.append(_("only matches of events, no friendly and no imported ones"))
    elif not chosen.imported:
        parts.append(_("no imported matches"))
    if not parts:
        return _("All rated matches of this pool count.")
    return _("What counts: %(rules)s.") % {"rules": "; ".join(parts)}


def list_sentence(chosen: PoolSettings) -> str:
    parts = []
    if chosen.members_only:
        parts.append(_("members of the club"))
    if chosen.least_matches > 1:
        parts.append(_("with at least %(n)s rated matches") % {"n": chosen.least_matches})
    if chosen.active_days:
        parts.append(
            ngettext(
                "with a rated match in the last %(n)s day", "with a rated match in the last %(n)s days",
                chosen.active_days,
            )
            % {"n": chosen.active_days}
        )  # fmt: skip
    listed = (
        _("In the list: %(rules)s.") % {"rules": ", ".join(parts)} if parts else _("Every rated player is in the list.")
    )
    if chosen.published_on != AFTER_EACH_MATCH:
        changes = _("The list changes every %(day)s, with the matches up to the Sunday of the week before.")
        listed = f"{listed} {changes % {'day': PUBLISHED_ON[chosen.published_on]}}"
    if not chosen.provisional_below:
        return listed
    below = {"n": chosen.provisional_below}
    if chosen.lists_provisional:
        provisional = _("Below %(n)s points of experience a rating is provisional: named at the end, without a rank.")
    else:
        provisional = _("Below %(n)s points of experience a rating is provisional and not listed.")
    return f"{listed} {provisional % below}"


def sentences_of(chosen: PoolSettings) -> list[str]:
    return [formula_sentence(chosen), counted_sentence(chosen), list_sentence(chosen)]
