"""What the big screen of an event shows: the match that decides most, the others that are live, and the last rounds."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q
from django.urls import reverse

from matches.play.watching import LiveLine, live_now
from matches.presentation.visibility import NOBODY
from tournaments.models import Division, Tournament
from tournaments.standings.layout import Column, FixtureBox
from tournaments.standings.selectors import brackets
from tournaments.standings.selectors.brackets import BracketOptions
from tournaments.state.names import names_of
from tournaments.state.topics import event_topics

MOST_LIVE = 40
ALSO_LIVE = 4
"""Matches listed beside the one that is shown."""
ROUNDS = 3
"""Rounds of the strip at the bottom."""
MOST_IN_STRIP = 4
"""Matches of a round in the strip."""


class Followed(NamedTuple):
    """A match that is being played, and where it stands in its division."""

    line: LiveLine
    division: Division
    column: Column
    box: FixtureBox
    weight: tuple[int, int, int]
    """How much it decides: the stage, how few matches its round has, its length."""


def tv(event: Tournament, now: datetime) -> dict[str, Any]:
    """Return the context of the screen. It shows only what everybody may see, whoever is signed in on it."""
    divisions = list(event.divisions.exclude(status=Division.Status.ENTRIES).order_by("pk"))
    topics = [division.topic for division in divisions]
    lines = {line.public_id: line for line in live_now(NOBODY, now, among=Q(parent_topic__in=topics), most=MOST_LIVE)}
    columns = {division.pk: list(_columns(division)) for division in divisions}
    playing = [
        Followed(lines[box.match], division, column, box, (stage, -len(column.boxes), column.length))
        for division in divisions
        for stage, column in columns[division.pk]
        for box in column.boxes
        if box.match in lines
    ]
    playing.sort(key=lambda match: match.weight, reverse=True)
    first = playing[0] if playing else None
    shown = first.division if first else next((row for row in divisions if row.status == row.Status.RUNNING), None)
    return {
        "tournament": event,
        "topics": event_topics(event),
        "followed": first,
        "api": reverse("api-live", args=[first.line.public_id]) if first else "",
        "also": playing[1 : 1 + ALSO_LIVE],
        "division": shown,
        "strip": _strip([column for _, column in columns[shown.pk]], first) if shown else [],
        "now": now,
    }


def _columns(division: Division) -> Iterator[tuple[int, Column]]:
    """Yield the rounds of a division with their stage, of the main bracket of each stage first."""
    for tree in brackets.trees(brackets.rounds_of(division), BracketOptions(names_of(division, staff=False))):
        for section in tree.sections:
            for column in section.columns:
                yield tree.stage, column


def _strip(columns: list[Column], first: Followed | None) -> list[tuple[Column, list[FixtureBox]]]:
    """Return the round of the match that is shown, the one before and the one after, else the last ones begun."""
    at = next((index for index, column in enumerate(columns) if first and first.box in column.boxes), None)
    if at is None:
        begun = [index for index, column in enumerate(columns) if column.done]
        at = begun[-1] if begun else 0
    start = max(0, min(at - 1, len(columns) - ROUNDS))
    return [(column, _most_interesting(column.boxes)) for column in columns[start : start + ROUNDS]]


def _most_interesting(boxes: list[FixtureBox]) -> list[FixtureBox]:
    """Return the first matches of a round, those that are being played before others, in the order of the round."""
    live_first = sorted(boxes, key=lambda box: box.mark != "live")[:MOST_IN_STRIP]
    return [box for box in boxes if box in live_first]
