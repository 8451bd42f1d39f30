"""A proposed plan, tried on an evening and on the whole season: points, what moves in the table, and warnings."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from core.names import fold
from formats.series.facts import SeasonEvent
from formats.series.final import final_rounds
from formats.series.plan import GROUP, CountRule, Places, Plan, nodes, plan_from
from formats.series.table import season
from formats.series.warnings import MESSAGES as WARNINGS
from formats.series.warnings import warnings_of
from players.access import Visitor
from players.models import Club
from seasons.changes import TableChange, changes_of
from seasons.facts import facts_of
from seasons.sample_evening import USUAL_PLAYERS, Invented, invented_evening
from seasons.sentences import belongs_text, result_sentence
from seasons.tables import SeasonTable, day_of, display, names_of_table, season_table, table_of
from tournaments.models import Division as DivisionRow
from tournaments.models import Series, Tournament

CHANGES_SHOWN = 40
"""Rows of a preview."""


@dataclass(frozen=True, slots=True)
class PlanPreview:
    """A proposed plan on real results: an evening's points, the rows that change, and warnings."""

    plan: str
    """As JSON, to be saved."""
    heading: str
    """Which evening the example is."""
    example: Sequence[tuple[str, str, str]] = ()
    """Name, points and their explanation, of everybody who came to it."""
    changes: Sequence[TableChange] = ()
    warnings: Sequence[str] = ()
    differs: bool = False
    belongs: str = ""
    """Who is in the table, in words, if not everybody is."""


def preview_of(user: Visitor, before: SeasonTable, data: Mapping[str, Any], invented: Invented | None) -> PlanPreview:
    """Return what a proposed plan would change in a season, and its points for an evening, an invented or the last one.

    The last is that of the season, before its first evening that of the club, and without any an invented one.
    Raises Refused, as `plan_from` and `final_rounds`.
    """
    series, proposed = before.series, plan_from(data)
    final_rounds(proposed.qualify)
    after = season_table(series, version=before.version, plan=proposed, nights=before.nights)
    names = names_of_table(user, series.club, {"rows": table_of(before)["rows"] + table_of(after)["rows"]})
    evening = _in_season(after, names) if invented is None and after.over else None
    if evening is None:
        evening = _on_its_own(user, series, proposed, invented)
    warnings = warnings_of(proposed, [evening.facts], {evening.facts.id: evening.points}, len(before.nights) or None)
    names |= evening.names
    texts = [
        _(WARNINGS[warning.code]).format_map(
            {key: names.get(value, value) if isinstance(value, str) else value for key, value in warning.params.items()}
        )
        for warning in warnings
    ]
    applying = plan_from(before.version.plan)
    return PlanPreview(
        json.dumps(data),
        evening.heading,
        evening.lines,
        changes_of(before, after, names)[:CHANGES_SHOWN],
        texts,
        differs=applying != replace(proposed, name=applying.name),
        belongs=belongs_text(after.plan),
    )


@dataclass(frozen=True, slots=True)
class _Evening:
    """An evening with the points that a plan gives for it."""

    heading: str
    facts: SeasonEvent
    points: Mapping[str, Any]
    names: dict[str, str]
    lines: Sequence[tuple[str, str, str]]


def _in_season(standing: SeasonTable, names: dict[str, str]) -> _Evening:
    """The last evening of a season: each figure says whether it counts."""
    last = standing.over[-1]
    points, by_player = standing.season.points[last.facts.id], {row.player: row for row in standing.season.rows}
    lines = []
    for player, own in sorted(points.items(), key=lambda pair: (-pair[1].points, fold(names.get(pair[0], "")))):
        row = by_player.get(player)
        result = next((each for each in row.results if each.event == last.facts.id), None) if row is not None else None
        if row is not None and result is not None:
            text = result_sentence(row, result, standing.digits)
            lines.append((names.get(player, ""), standing.show(own.points), text))
    heading = _("The last evening with these points: {night}").format(night=last.name)
    return _Evening(heading, last.facts, points, names, lines)


def _on_its_own(user: Visitor, series: Series, plan: Plan, invented: Invented | None) -> _Evening:
    event = _last_of(series.club) if invented is None else None
    if event is not None:
        facts = _facts(event)
        names = names_of_table(user, series.club, {"rows": [{"player": player} for player in facts.players]})
        heading = _("The last evening with these points: {night}").format(night=event.name)
    else:
        is_group = any(GROUP in node.bracket for node in nodes(plan.points) if isinstance(node, Places))
        facts = invented_evening(invented or Invented(USUAL_PLAYERS), series.first_day, is_group=is_group)
        names = {player: _("Player {number}").format(number=player) for player in facts.players}
        heading = _("An invented evening with these points")
    alone = season(replace(plan, players=None, count=CountRule()), [facts])
    rows = sorted(alone.rows, key=lambda row: (-row.total, len(row.player), fold(names.get(row.player, ""))))
    lines = [
        (
            names.get(row.player, ""),
            display(result.points, plan.show_digits),
            result_sentence(row, result, plan.show_digits),
        )
        for row in rows
        for result in row.results
    ]
    return _Evening(heading, facts, alone.points[facts.id], names, lines)


def _last_of(club: Club) -> Tournament | None:
    return Tournament.objects.filter(club=club, status=Tournament.Status.FINISHED).order_by("starts_at", "pk").last()


def _facts(event: Tournament) -> SeasonEvent:
    divisions = list(event.divisions.exclude(status=DivisionRow.Status.CANCELLED).order_by("order", "pk"))
    own = facts_of(divisions)
    return SeasonEvent(event.public_id, day_of(event), tuple(own[row.pk] for row in divisions if row.pk in own))
