"""What the floor proposes at closing time for the matches that still run."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.messages import sentence
from engine.errors import Refused
from tournaments.events.views.pages import event_url_args
from tournaments.floor.closing_time import ClosingTime, RunningView, closing_time, is_over
from tournaments.floor.selectors import FloorView, MatchView
from tournaments.models import Fixture, Tournament
from tournaments.pages.floor.cards import Cards
from tournaments.pages.floor.posts import Post

ClosingRule = Tournament.ClosingRule


@dataclass(frozen=True, slots=True)
class RunningLine:
    """A match that still runs, as a line of the proposal."""

    number: int
    names: str
    score: str
    url: str
    note: str
    """Which shorter length is on offer, or that it was shortened; empty otherwise."""


@dataclass(frozen=True, slots=True)
class ClosingNeed:
    """The matches that still run after the end of the event, and what to do with all of them."""

    heading: str
    text: str
    lines: tuple[RunningLine, ...]
    posts: tuple[Post, ...]


def closing_need(view: FloorView, cards: Cards) -> ClosingNeed | None:
    """Return what the event's rule proposes once its end has come; None before, or if no match runs."""
    if not is_over(view.tournament, view.now):
        return None
    closing = closing_time(view)
    if not closing.running:
        return None
    count = len(closing.running)
    heading = ngettext("%(count)d match still runs", "%(count)d matches still run", count) % {"count": count}
    lines = tuple(
        RunningLine(
            row.match.number,
            " – ".join(side.name for side in row.match.sides),
            "–".join(map(str, row.score)),
            cards.sheet_url(row.match),
            _note(row.match),
        )
        for row in closing.running
    )
    return ClosingNeed(heading, _text(closing), lines, tuple(_posts(view.tournament, closing)))


def _note(match: MatchView) -> str:
    offer, shortened = match.row.offer, match.row.shortened
    if offer is not None:
        return _("to %(length)d points?") % {"length": offer.length}
    if shortened is not None:
        return _("to %(length)d points") % {"length": match.length}
    return ""


def refusal_of(fixture: Fixture, refused: Refused) -> str:
    """Return why a match was refused, with its number."""
    text = sentence(refused.code, refused.params)
    return text if "fixture" in refused.params else f"M{fixture.number}: {text}"


def _text(closing: ClosingTime) -> str:
    match closing.rule:
        case ClosingRule.ADJOURN:
            return _("This event adjourns them: their scores are kept, and their tables are free.")
        case ClosingRule.LEADER:
            text = _("At this event the leader wins. Not rated.")
            if any(row.is_level for row in closing.running):
                text += " " + _("Where nobody leads, open the match and decide.")
            return text
        case ClosingRule.SHORTEN:
            if not closing.points_left:
                return _("None of them can be shortened. Open each and decide.")
            return _("This event shortens them. Tap once all players have agreed; otherwise open a match.")
        case _:
            return _("At this event a director decides each of them. Open it for the choices.")


def _posts(tournament: Tournament, closing: ClosingTime) -> list[Post]:
    count = len(closing.running)
    match closing.rule:
        case ClosingRule.ADJOURN:
            label = ngettext("Adjourn it", "Adjourn all %(count)d", count) % {"count": count}
            return [_post(tournament, closing.running, "adjourn", label)]
        case ClosingRule.LEADER:
            ahead = [row for row in closing.running if not row.is_level]
            label = ngettext("The leader wins", "The leaders win %(count)d matches", len(ahead)) % {"count": len(ahead)}
            return [_post(tournament, ahead, "leader", label)] if ahead else []
        case ClosingRule.SHORTEN:
            running = closing.running
            return [_post(tournament, running, "shorten", _shorter(points), points) for points in closing.points_left]
        case _:
            return []


def _shorter(points: int) -> str:
    text = ngettext("Leader needs %(points)d more point", "Leader needs %(points)d more points", points)
    return text % {"points": points}


def _post(tournament: Tournament, running: Sequence[RunningView], rule: str, label: str, points: int = 0) -> Post:
    matches = " ".join(f"{row.match.public_id}:{row.score[0]}:{row.score[1]}" for row in running)
    fields = [("rule", rule), ("matches", matches)]
    if points:
        fields.append(("points", str(points)))
    url = reverse("floor-close", args=event_url_args(tournament))
    return Post(url, label, tuple(fields), f"closing-{rule}-{points}")
