"""Labels, times, formats and parts of the floor, for several pages of tournaments."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath
from zoneinfo import ZoneInfo

from django import template
from django.template import Context, Node, NodeList
from django.template.base import FilterExpression, Parser, Token
from django.templatetags.static import static
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core import times
from matches.models import ClockPreset
from tournaments.floor.page.actions import ACTIONS
from tournaments.floor.page.page import Parts
from tournaments.ledger.money import Currency
from tournaments.models import Division, Entry, PrizePlan, Stage, Tournament
from tournaments.results import line_words
from tournaments.standings import labels
from tournaments.state import topics
from tournaments.state.format_labels import stages_name
from tournaments.state.names import shown_entry
from tournaments.state.stages import stage_settings

register = template.Library()


@register.simple_tag
def event_topics(event: Tournament) -> str:
    """The topics of an event that a page rendered now watches, with the numbers that it shows."""
    return topics.event_topics(event)


@register.filter
def in_own_words(line: str) -> str:
    """Return an example of a typed line in the words of the reader's language."""
    return line_words.in_own_words(line)


@register.filter
def entry_name(entry: Entry, staff: bool) -> str:
    """Return the name of an entry as the reader may see it."""
    return shown_entry(entry, staff=staff)


@register.simple_tag
def stage_title(stage: Stage, stages: Sequence[object]) -> str:
    """Return the title of a stage; numbered if its division has several."""
    return labels.stage_title(stage, several=len(stages) > 1)


@register.simple_tag
def event_summary(event: Tournament) -> str:
    """Return the club, date and place of an event, as link previews show it."""
    day = date_format(event.starts_at.astimezone(ZoneInfo(event.time_zone)))
    return " · ".join(filter(None, (event.club.name, day, event.venue)))


@register.simple_tag
def division_summary(division: Division, champion: str) -> str:
    """Return the event, status and winner of a division, as link previews show it."""
    state = _("won by %(name)s") % {"name": champion} if champion else division.get_status_display()
    return f"{division.tournament.name} · {division.tournament.club.name} · {state}"


@register.filter
def fee(division: Division) -> str:
    return Currency.of(division.tournament).with_name(division.fee)


@register.filter
def has_prizes(tournament: Tournament) -> bool:
    """Return whether the prizes of a division of the event are published."""
    return PrizePlan.objects.filter(division__tournament=tournament, published=True).exists()


@register.filter
def lengths(division: Division) -> str:
    """Format the match lengths by round, or the first stage's own lengths."""
    stages = list(division.stages.all())
    by_round = list(stages[0].settings.get("lengths") or ()) or division.lengths if stages else division.lengths
    points = ", ".join(map(str, by_round))
    return ngettext("{count} point", "{count} points", by_round[-1] if len(by_round) == 1 else 2).format(count=points)


@register.filter
def play_clock(division: Division) -> str:
    """Describe the clock of matches played here, e.g. “2 days for each turn”."""
    if division.clock != ClockPreset.CORRESPONDENCE:
        return str(ClockPreset(division.clock).label)
    days = ngettext("%(days)d day for each turn", "%(days)d days for each turn", division.turn_days)
    text = days % {"days": division.turn_days}
    if not division.bank_days:
        return text
    bank = ngettext("%(days)d extra day for the match", "%(days)d extra days for the match", division.bank_days)
    return f"{text}, {bank % {'days': division.bank_days}}"


@register.filter
def spectators(division: Division) -> str:
    """Say when spectators see a match that is played here."""
    minutes = division.spectators_delay
    if minutes is None:
        return _("After the match")
    if not minutes:
        return _("Live")
    return ngettext("%(minutes)d minute behind", "%(minutes)d minutes behind", minutes) % {"minutes": minutes}


@register.filter
def place_of(waiting: Sequence[tuple[Entry, str]], entry: Entry) -> int:
    """Return the place of an entry on the waiting list, from 1; 0 if it is not on the list."""
    return next((place for place, (other, _name) in enumerate(waiting, start=1) if other.pk == entry.pk), 0)


@register.simple_tag
def moment(at: datetime | None, zone: str, *, long: bool = False) -> SafeString | str:
    """An instant on the event's clocks and, where they differ, on the reader's; `long` with weekday and year."""
    if at is None:
        return ""
    return times.event_element(at, zone, times.LONG if long else times.SHORT)


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
    return ngettext("%(count)d day ago", "%(count)d days ago", seconds // day) % {"count": seconds // day}


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
    return ngettext("in %(count)d day", "in %(count)d days", seconds // day) % {"count": seconds // day}


EVENT_STATUS_TAGS = {"draft": "tag-warning", "running": "tag-win", "cancelled": "tag-danger"}
MATCH_STATE_CLASSES = {"live": "live", "disputed": "danger"}
NEXT_ROUND_CARDS = {"refused": "card-danger", "draft": "card-live"}


@register.filter
def event_status_tag(status: str) -> str:
    """The CSS class of the tag that shows an event's status."""
    return EVENT_STATUS_TAGS.get(status, "")


@register.filter
def match_state_class(mark: str) -> str:
    """The CSS class of the text that shows where a match is in a list, by its mark."""
    return MATCH_STATE_CLASSES.get(mark, "muted")


@register.filter
def next_round_card(state: str) -> str:
    """The CSS class of the card that shows the next round."""
    return NEXT_ROUND_CARDS.get(state, "")


@register.simple_tag
def format_of(division: Division) -> str:
    """Describe all stages of a division, such as “4 groups, then knockout”."""
    return stages_name(stage_settings(division))


# The tag `{% keep_as %}`: forms whose acts are kept without a connection.


FLOOR_ACTION = "/floor/do/"
"""In the URL of every action of a floor, before its name."""


@register.simple_tag
def keep_as(url: str) -> SafeString:
    """Return the attribute of a form that may be kept without a connection; nothing for other forms.

    `<form method="post" action="{{ url }}" {% keep_as url %}>` has `data-keep="start"` if its URL is that of the action
    `start`, which declares what is assumed of an act that was kept.
    """
    action = ACTIONS.get(PurePosixPath(url).name) if FLOOR_ACTION in url else None
    return SafeString() if action is None or action.kept is None else format_html('data-keep="{}"', action.name)


# The tag `{% part %}`: an element of the floor that is sent alone if only it has changed.


@register.tag
def part(parser: Parser, token: Token) -> "PartNode":
    """Render an element with this id: `{% part "floor-counts" %}<b id="floor-counts">…</b>{% endpart %}`.

    With a value as a second argument, from which alone the element is made, it is rendered only if that has changed:
    `{% part card.html_id card %}`.
    """
    _tag, name, *value = token.split_contents()
    content = parser.parse(("endpart",))
    parser.delete_first_token()
    return PartNode(parser.compile_filter(name), [parser.compile_filter(text) for text in value], content)


class PartNode(Node):
    def __init__(self, name: FilterExpression, value: list[FilterExpression], nodelist: NodeList) -> None:
        self.name, self.value, self.nodelist = name, value, nodelist

    def render(self, context: Context) -> SafeString:
        parts: Parts = context["parts"]
        name = self.name.resolve(context)
        if self.value:
            return parts.add_made_from(self.value[0].resolve(context), name, lambda: self.nodelist.render(context))
        return parts.add(name, self.nodelist.render(context), token=str(context.get("csrf_token", "")))
