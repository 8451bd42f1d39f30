"""Labels and times that several pages of tournaments use."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django import template
from django.template import Context
from django.templatetags.static import static
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core import times
from tournaments.events.views import console_head as navigation
from tournaments.models import Division, Entry, Stage
from tournaments.standings import titles
from tournaments.state.names import shown

register = template.Library()


@register.filter
def entry_name(entry: Entry, staff: bool) -> str:
    """Return a player's name as the reader may see it."""
    return shown(entry.player, staff)


@register.simple_tag
def stage_title(stage: Stage, stages: Sequence[object]) -> str:
    """Return the title of a stage; numbered if its division has several."""
    return titles.stage_title(stage, several=len(stages) > 1)


@register.filter
def fee(division: Division) -> str:
    """Format the entry fee."""
    tournament = division.tournament
    if tournament.currency == "ticket":
        return ngettext("%(count)d ticket", "%(count)d tickets", division.fee) % {"count": division.fee}
    amount = Decimal(division.fee).scaleb(-tournament.currency_exponent)
    return f"{amount:.{tournament.currency_exponent}f} {tournament.currency}"


@register.filter
def lengths(division: Division) -> str:
    """Format the match lengths by round, those of the first stage if it has its own."""
    stages = list(division.stages.all())
    by_round = list(stages[0].settings.get("lengths") or ()) or division.lengths if stages else division.lengths
    points = ", ".join(map(str, by_round))
    return _("%(points)s points") % {"points": points}


@register.filter
def place_of(waiting: Sequence[tuple[Entry, str]], entry: Entry) -> int:
    """Return the place of an entry on the waiting list, from 1; 0 if it is not on the list."""
    return next((place for place, (other, _name) in enumerate(waiting, start=1) if other.pk == entry.pk), 0)


@register.simple_tag
def moment(at: datetime | None, zone: str, *, long: bool = False) -> SafeString | str:
    """An instant on the event's clocks and, where they differ, on the reader's; `long` with weekday and year."""
    if at is None:
        return ""
    return times.time_element(at, times.event_time(at, zone, times.LONG if long else times.SHORT))


@register.simple_tag
def static_file(name: str) -> str:
    """Return the URL of a static file, for pages that load no other."""
    return static(name)


@register.filter
def ago(seconds: int) -> str:
    """Describe how long ago something was."""
    minute, hour, day = 60, 3600, 86400
    if seconds < minute:
        return ngettext("%(count)d s ago", "%(count)d s ago", seconds) % {"count": seconds}
    if seconds < hour:
        return _("%(count)d min ago") % {"count": seconds // minute}
    if seconds < day:
        return _("%(count)d h ago") % {"count": seconds // hour}
    return _("%(count)d days ago") % {"count": seconds // day}


@register.simple_tag
def since(at: datetime | None, now: datetime) -> str:
    """Describe how long ago a time was."""
    return "" if at is None else ago(max(0, int((now - at).total_seconds())))


@register.simple_tag
def until(at: datetime | None, now: datetime) -> str:
    """Describe how much time is left."""
    if at is None:
        return ""
    seconds = int((at - now).total_seconds())
    if seconds <= 0:
        return _("now")
    minute, hour, day = 60, 3600, 86400
    if seconds < hour:
        return _("in %(count)d min") % {"count": max(1, seconds // minute)}
    if seconds < 2 * day:
        return _("in %(count)d h") % {"count": seconds // hour}
    return _("in %(count)d days") % {"count": seconds // day}


EVENT_STATUS_TAGS = {"draft": "tag-warning", "running": "tag-win", "cancelled": "tag-danger"}
MATCH_STATE_CLASSES = {"live": "live", "disputed": "danger"}
NEXT_ROUND_CARDS = {"refused": "card-danger", "draft": "card-live"}


@register.filter
def event_status_tag(status: str) -> str:
    """The CSS class of the tag that shows an event's status."""
    return EVENT_STATUS_TAGS.get(status, "")


@register.filter
def match_state_class(state: str) -> str:
    """The CSS class of the text that shows the state of a match in a list."""
    return MATCH_STATE_CLASSES.get(state, "muted")


@register.filter
def next_round_card(state: str) -> str:
    """The CSS class of the card that shows the next round."""
    return NEXT_ROUND_CARDS.get(state, "")


@register.inclusion_tag("tournaments/_console_head.html", takes_context=True)
def console_head(context: Context, page: str, *, may_direct: bool | None = None) -> dict[str, Any]:
    """Render the head of the console above `page`; the context names the event, and the division if one is open."""
    tournament = context["tournament"]
    directs = context.get("may_direct", False) if may_direct is None else may_direct
    divisions = [counts.division for counts in context.get("divisions") or ()]
    head = navigation.console_head(tournament, context.get("division"), divisions, page=page, may_direct=bool(directs))
    return {"tournament": tournament, "head": head}
