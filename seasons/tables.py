"""The table of a series: evaluated from its events, or as it was announced when the series was closed."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.formats import get_format

from formats.series.facts import Player as PlayerId
from formats.series.facts import SeasonEvent, SeriesBracket
from formats.series.facts import SeriesDivision as DivisionFacts
from formats.series.numbers import format_number, number, written
from formats.series.plan import MAIN, Add, Eligibility, ManualPoints, Plan, nodes, plan_from
from formats.series.points import Earned, event_points
from formats.series.table import Season, View, season
from matches.models import Match
from matches.ratings.rated import RATED_KINDS
from players.access import Role, Visitor, is_at_least, role_in
from players.models import Club, Membership, Player
from seasons.facts import States, facts_of
from tournaments.access import VISIBLE
from tournaments.models import (
    Division,
    PastPlacing,
    PastSeason,
    Series,
    SeriesClosing,
    SeriesEvent,
    SeriesPlan,
    Tournament,
)
from tournaments.state.names import names_in_club

PAIR_SHARES: Mapping[str, Fraction] = {
    Series.PairPoints.EACH: Fraction(1),
    Series.PairPoints.HALF: Fraction(1, 2),
    Series.PairPoints.NONE: Fraction(0),
}
"""What each of the two of a pair gets of its points."""
DECIMAL_POINT = re.compile(r"(?<=\d)\.(?=\d)")


@dataclass(frozen=True)
class CountedEvent:
    """An event that counts, as the series sees it; `is_over` once its places are certain.

    An evening of an imported season has no row of its own.
    """

    facts: SeasonEvent
    name: str
    is_over: bool
    has_begun: bool
    url: str
    row: SeriesEvent | None = None
    is_dated: bool = True
    """Whether it has a day of its own; an import may not tell."""
    is_abandoned: bool = False
    """Whether it was cancelled after it had begun: what is certain counts."""
    reasons: Mapping[PlayerId, str] = field(default_factory=dict)
    """Why directors gave points by hand, by player."""

    @property
    def event(self) -> Tournament:
        """The event; not for an evening of an imported season."""
        assert self.row is not None  # noqa: S101, imported evenings are over, and asked only for their facts.
        return self.row.tournament

    @property
    def day(self) -> date:
        """The day as of which it counts, on the clocks of the event."""
        return self.facts.date

    @property
    def shown_day(self) -> date | None:
        return self.day if self.is_dated else None


def day_of(event: Tournament) -> date:
    """Return the day of an event on its own clocks."""
    return event.starts_at.astimezone(ZoneInfo(event.time_zone)).date()


def earliest_start(day: date) -> datetime:
    """Return an instant before which this day has begun nowhere."""
    return datetime.combine(day, time.min, UTC) - timedelta(days=1)


def events_between(first: date, last: date, rows: QuerySet[Tournament]) -> list[Tournament]:
    """Return those of the events whose day, on their own clocks, is one of these, by their start."""
    near = rows.filter(starts_at__gte=earliest_start(first), starts_at__lt=earliest_start(last + timedelta(days=3)))
    return [row for row in near.order_by("starts_at", "pk") if first <= day_of(row) <= last]


@dataclass(frozen=True)
class SeasonTable:
    """A series as it stands now, by one version of its plan; `plan.players` are those who belong to it."""

    series: Series
    version: SeriesPlan
    plan: Plan
    nights: Sequence[CountedEvent]
    season: Season
    so_far: Mapping[str, Mapping[PlayerId, Earned]] = field(default_factory=dict)
    """Event -> what everybody has earned so far, of events that are being played."""
    view: View | None = None
    """The part of the players that is ranked; None: everybody."""

    def seen_by(self, view: View) -> "SeasonTable":
        events = self.season.events
        return replace(self, season=season(self.plan, events, view=view, earned=self.season.points), view=view)

    @property
    def over(self) -> list[CountedEvent]:
        return [night for night in self.nights if night.is_over]

    @cached_property
    def ranks_before(self) -> dict[PlayerId, int]:
        return self.ranks_after(len(self.season.events) - 1)

    def ranks_after(self, evenings: int) -> dict[PlayerId, int]:
        """The ranks after so many of the nights that count; empty before the first."""
        earlier = self.season.events[: max(0, evenings)]
        rows = season(self.plan, earlier, view=self.view, earned=self.season.points).rows if earlier else ()
        return {row.player: row.rank for row in rows if row.rank is not None}

    @property
    def digits(self) -> int:
        """How many decimals are shown."""
        return self.plan.show_digits

    def show(self, value: Fraction) -> str:
        """Write a number as the plan shows it, without decimals that are all zero."""
        return display(value, self.digits)


def display(value: Fraction, digits: int) -> str:
    """Write a number with at most so many decimals.

    >>> display(Fraction(25, 2), 2), display(Fraction(12), 2)
    ('12.50', '12')
    """
    return local(plain(value, digits))


def plain(value: Fraction, digits: int) -> str:
    """Write a number with at most so many decimals after a point, in every language."""
    text = format_number(value, digits)
    return text.partition(".")[0] if not text.partition(".")[2].strip("0") else text


def local(text: str) -> str:
    """Write numbers of a text, and nothing else than numbers, with the decimal separator of the reader's language."""
    return DECIMAL_POINT.sub(str(get_format("DECIMAL_SEPARATOR")), text)


def newest_plan(series: Series) -> SeriesPlan:
    """Return the version of the plan that applies."""
    return series.plans.order_by("-number")[0]


def nights_of(series: Series, overrides: States | None = None) -> list[CountedEvent]:
    """Return the events of a series with their facts, in order; hidden ones are left out.

    So are cancelled ones, unless a match of theirs had been played.
    """
    counted = list(
        series.counted.filter(tournament__status__in=VISIBLE)
        .select_related("tournament__club")
        .order_by("tournament__starts_at", "pk")
    )
    all_divisions = list(
        Division.objects.filter(tournament__in=[row.tournament_id for row in counted])
        .select_related("tournament__club")
        .order_by("order", "pk")
    )
    cancelled = [row for row in all_divisions if row.tournament.status == Tournament.Status.CANCELLED]
    begun_topics = with_a_match(cancelled)
    divisions = [
        row for row in all_divisions
        if row.topic in begun_topics or (row not in cancelled and row.status != Division.Status.CANCELLED)
    ]  # fmt: skip
    abandoned = {row.tournament_id for row in divisions if row in cancelled}
    rows = [
        row for row in counted
        if row.tournament.status != Tournament.Status.CANCELLED or row.tournament_id in abandoned
    ]  # fmt: skip
    drawn = [row for row in divisions if row.status != Division.Status.ENTRIES]
    facts = facts_of(drawn, overrides)
    by_hand, reasons = _points_by_hand(series)
    nights = []
    for row in rows:
        own = [division for division in divisions if division.tournament_id == row.tournament_id]
        begun = [replace(facts[division.pk], shares=shares_of(row.shares)) for division in own if division.pk in facts]
        if begun:
            begun[0] = replace(begun[0], given=by_hand[row.tournament_id])
        event = SeasonEvent(
            id=row.tournament.public_id,
            date=day_of(row.tournament),
            divisions=tuple(begun),
            kind=row.kind,
            weight=number(row.weight, "weight"),
            away=row.tournament.club_id != series.club_id,
            pair_share=PAIR_SHARES[series.pairs],
        )
        is_abandoned = row.tournament_id in abandoned
        is_over = is_abandoned or (bool(own) and all(_is_over(each, overrides) for each in own))
        tournament = row.tournament
        url = reverse("event", args=[tournament.club.slug, tournament.slug])
        reason = reasons[row.tournament_id]
        nights.append(
            CountedEvent(
                event, tournament.name, is_over, bool(begun), url, row, is_abandoned=is_abandoned, reasons=reason
            )
        )  # fmt: skip
    past = [
        night
        for season in series.past_seasons.select_related("club")
        for night in past_nights(season, series.first_day)
    ]
    return sorted([*past, *nights], key=lambda night: night.day) if past else nights


def _points_by_hand(series: Series) -> tuple[dict[int, dict[PlayerId, Fraction]], dict[int, dict[PlayerId, str]]]:
    """Return tournament id -> player -> points that a director gave, and the same with the reasons."""
    by_hand: dict[int, dict[PlayerId, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    reasons: dict[int, dict[PlayerId, str]] = defaultdict(dict)
    for points in series.points_by_hand.select_related("player__merged_into"):
        player = points.player.merged_into or points.player
        by_hand[points.tournament_id][player.public_id] += number(points.points, "points")
        texts = reasons[points.tournament_id]
        texts[player.public_id] = "; ".join(filter(None, [texts.get(player.public_id), points.reason]))
    return by_hand, reasons


def _is_over(division: Division, overrides: States | None) -> bool:
    """Whether a division is over; one with other states in a preview, if all its stages would be."""
    if overrides is None or division.pk not in overrides:
        return division.status == Division.Status.FINISHED
    states = overrides[division.pk]
    return len(states) == division.stages.count() and all(state.over for state in states)


def with_a_match(divisions: Sequence[Division]) -> set[str]:
    """Return the topics of those of these divisions in which a match was played."""
    if not divisions:
        return set()
    matches = Match.objects.filter(
        parent_topic__in=[row.topic for row in divisions], state=Match.State.SETTLED, results__kind__in=RATED_KINDS
    )
    return set(matches.order_by().values_list("parent_topic", flat=True))


def shares_of(text: str) -> tuple[Fraction, ...]:
    """Return the shares of the places that a director has typed in. Refused: `series_number`."""
    return tuple(number(share.strip(), "shares") for share in text.split(",") if share.strip())


def past_nights(season: PastSeason, first_day: date) -> list[CountedEvent]:
    """Return the evenings of an imported season, with points as somebody typed them in.

    One without a day stands where it is in the import, and counts as of `first_day`. Its places count
    only if they are complete: 1, 2, 3–4, 5 or 1, 2, 3, 3, 4, but not 1, 2, 5.
    """
    placings: dict[tuple[str, date | None], list[PastPlacing]] = defaultdict(list)
    for row in season.placings.select_related("player__merged_into").order_by("pk"):
        placings[row.event, row.day].append(row)
    url = reverse("past-season", args=[season.club.slug, season.public_id])
    nights = []
    for index, ((event, day), rows) in enumerate(placings.items(), 1):
        facts = SeasonEvent(
            id=f"{season.public_id}-{index}", date=day or first_day, divisions=(_past_division(rows, event),)
        )
        nights.append(CountedEvent(facts, event or season.name, True, True, url, is_dated=day is not None))
    return sorted(nights, key=lambda night: night.day)


def _past_division(rows: Sequence[PastPlacing], name: str) -> DivisionFacts:
    players = {row.pk: (row.player.merged_into or row.player).public_id for row in rows}
    given: dict[str, Fraction] = {}
    for row in rows:
        if row.points is not None:
            given[players[row.pk]] = given.get(players[row.pk], Fraction(0)) + Fraction(row.points)
    everybody = frozenset(players.values())
    by_place: dict[int, dict[str, None]] = defaultdict(dict)
    for row in sorted((row for row in rows if row.place is not None), key=lambda row: row.place or 0):
        if not any(players[row.pk] in group for group in by_place.values()):
            by_place[row.place or 0][players[row.pk]] = None
    groups = list(by_place.values())
    before = list(accumulate((len(group) for group in groups), initial=0))
    is_complete = list(by_place) in ([count + 1 for count in before[:-1]], list(range(1, len(groups) + 1)))
    bracket = SeriesBracket(MAIN, everybody, tuple(map(tuple, groups)))
    return DivisionFacts(name, everybody, (bracket,) if groups and is_complete else (), given=given)


def season_table(
    series: Series,
    *,
    version: SeriesPlan | None = None,
    plan: Plan | None = None,
    nights: Sequence[CountedEvent] | None = None,
) -> SeasonTable:
    """Evaluate a series. `plan` replaces that of the version, for previews."""
    version = version or newest_plan(series)
    used = plan or plan_from(version.plan)
    players = eligible_players(series, used)
    used = replace(used, players=players)
    own = nights_of(series) if nights is None else list(nights)
    earned = {night.facts.id: earned_on(night, used, night.facts) for night in own if night.has_begun}
    evaluated = season(used, [night.facts for night in own if night.is_over], earned=earned)
    so_far = {
        night.facts.id: {
            player: points for player, points in earned[night.facts.id].items() if players is None or player in players
        }
        for night in own
        if night.has_begun and not night.is_over
    }
    return SeasonTable(series, version, used, own, evaluated, so_far)


def earned_on(night: CountedEvent, plan: Plan, facts: SeasonEvent) -> dict[PlayerId, Earned]:
    """Return what an evening with these facts gives: by the plan, and by hand even if the plan has no such line."""
    if night.reasons and not any(isinstance(node, ManualPoints) for node in nodes(plan.points)):
        plan = replace(plan, points=Add((plan.points, ManualPoints())))
    return event_points(plan, facts)


# Who belongs to a series.


def end_of(series: Series) -> datetime:
    """Return the end of the last day of a series, on the clocks of its club."""
    return datetime.combine(series.last_day, time.max, ZoneInfo(series.club.time_zone))


def members_of(series: Series, joined_by: datetime | None = None) -> set[int]:
    """Return the ids of the members of the club now, or of a series that is over: at its end.

    With `joined_by` only those who had become members by then.
    """
    rows = Membership.objects.filter(Q(left_at=None) | Q(left_at__gt=end_of(series)), club=series.club)
    if joined_by is not None:
        rows = rows.filter(joined_at__lte=joined_by)
    return {into or pk for pk, into in rows.values_list("player", "player__merged_into")}


def eligible_players(series: Series, plan: Plan) -> frozenset[PlayerId] | None:
    """Return those who belong to a series by its plan; None if everybody does.

    Who becomes a member after the series was closed does not.
    """
    if plan.belongs is Eligibility.EVERYBODY:
        return plan.players
    if plan.belongs is Eligibility.MEMBERS:
        closing = closing_of(series)
        own = members_of(series, closing.at if closing is not None else None)
    else:
        own = {into or pk for pk, into in series.entries.values_list("player", "player__merged_into")}
    players = frozenset(Player.objects.filter(pk__in=own).values_list("public_id", flat=True))
    return players if plan.players is None else players & plan.players


def closing_of(series: Series) -> SeriesClosing | None:
    """Return the closing of a series; None while it is open."""
    return series.closings.filter(reopened_at=None).select_related("plan").first()


def table_of(standing: SeasonTable) -> dict[str, Any]:
    """Return a table as plain data, with public ids and exact numbers: for the archive, the API and files."""
    return {
        "events": [
            {
                "event": night.facts.id,
                "name": night.name,
                "day": night.shown_day.isoformat() if night.shown_day else None,
            }
            for night in standing.over
        ],
        "rows": [
            {
                "rank": row.rank,
                "player": row.player,
                "total": written(row.total),
                "points": {result.event: written(result.points) for result in row.results},
                "counted": list(row.counted),
                "more_events": row.more_events,
            }
            for row in standing.season.rows
        ],
    }


def table_of_view(table: Mapping[str, Any], view: View) -> dict[str, Any]:
    """Return the rows of a view in a table that was announced, ranked among themselves."""
    rows = [row for row in table["rows"] if row["player"] in view.players]
    ranks = [row["rank"] for row in rows if row["rank"] is not None]
    return {
        **table,
        "rows": [row if row["rank"] is None else {**row, "rank": ranks.index(row["rank"]) + 1} for row in rows],
    }


def players_by_public_id(ids: Iterable[str]) -> dict[str, Player]:
    return {row.public_id: row for row in Player.objects.filter(public_id__in=set(ids)).select_related("merged_into")}


def names_of_table(user: Visitor, club: Club, table: Mapping[str, Any]) -> dict[str, str]:
    """Return public id -> name of everybody in a table, as this reader may see it."""
    return names_by_id(club, (row["player"] for row in table["rows"]), staff=is_staff(user, club))


def is_staff(user: Visitor, club: Club) -> bool:
    """Whether the reader is on the staff of the club, and so reads the full names of its people."""
    return is_at_least(role_in(user, club), Role.ASSISTANT)


def names_by_id(club: Club, ids: Iterable[str], *, staff: bool) -> dict[str, str]:
    """Return public id -> name, as the staff of the club or everybody sees it."""
    people = players_by_public_id(ids)
    names = names_in_club(club, people.values(), staff=staff)
    return {public_id: names[player.pk] for public_id, player in people.items()}
