"""Honours of a month or a season: who stood out in the events of a club.

Nothing of them is stored: they follow from results, ratings and analyses, and a correction of a match corrects them.
Only matches that were really played, are settled and were not imported count. How well somebody played is counted only
where they let the reader see it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.core.cache import cache
from django.db import models
from django.db.models import Count, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from engine.cube import Side
from formats.ratings import DIGITS, Settings, win_probability
from matches.analysis import labels
from matches.analysis.access import analyses_of_results, players_shown, replay_url, side_in_match
from matches.analysis.event_report import FIRST_DAY
from matches.analysis.profile import Total
from matches.analysis.values import LEFT_OUT
from matches.lifecycle.events import WonHonour
from matches.models import Analysis, Decision, Match, RatingChange, RatingImport, RatingPool, Result
from matches.presentation.visibility import Viewer
from matches.ratings.rated import RATED_KINDS, merged_players
from matches.records.replays import event_path
from players.models import Club, Player
from tournaments.access import VISIBLE
from tournaments.models import Series, Tournament
from tournaments.state.names import shown

LEAST_MATCHES, LEAST_DECISIONS = 3, 100
"""What a performance rating must rest on."""
LEAST_IN_A_ROW = 3
"""Wins that make a streak."""
KEPT = 7 * 24 * 3600
"""Seconds for which the facts of a month are cached; their key has all they depend on."""
FORM = 1
"""Part of the key as well: grows when what is cached changes its form."""
DIGITS_OF_PR, DIGITS_OF_RATING, DIGITS_OF_CHANCE = 2, 1, 3
"""Decimals that are compared: what is shown as equal shares an honour."""
LATEST_MONTHS, MOST_CLUBS = 12, 3
"""Months and clubs whose honours are shown on the page of a player."""
EVEN = 0.5


class Kind(models.TextChoices):
    """What somebody stood out for."""

    PR = "pr", gettext_lazy("Best performance rating")
    GAIN = "gain", gettext_lazy("Largest rating gain")
    STREAK = "streak", gettext_lazy("Longest winning streak")
    SWING = "swing", gettext_lazy("Biggest swing")
    UPSET = "upset", gettext_lazy("Upset")
    COMEBACK = "comeback", gettext_lazy("Comeback")


# The time that honours are of.


@dataclass(frozen=True, slots=True)
class Period:
    """A month, or the days of a season."""

    first: date
    last: date
    key: str
    """2026-11, or the public id of the season."""
    name: str

    @property
    def months(self) -> list[date]:
        """The first days of the months that it touches."""
        months = [self.first.replace(day=1)]
        while (following := _next(months[-1])) <= self.last:
            months.append(following)
        return months


def month_of(day: date) -> Period:
    """Return the month of a day."""
    first = day.replace(day=1)
    return Period(first, _next(first) - timedelta(days=1), f"{first:%Y-%m}", formats.date_format(first, "F Y"))


def month_with(key: str, now: datetime) -> Period | None:
    """Return the month that is written so, such as 2026-11; None if it is none, or still to come."""
    try:
        first = datetime.strptime(key, "%Y-%m").replace(tzinfo=UTC).date()
    except ValueError:
        return None
    return month_of(first) if FIRST_DAY <= first <= (now + timedelta(days=1)).date() else None


def _next(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def season_period(series: Series) -> Period:
    """Return the days of a season."""
    return Period(series.first_day, series.last_day, series.public_id, series.name)


def periods_of(club: Club, now: datetime) -> tuple[list[Period], list[Period]]:
    """Return the months since the first event of a club, and its seasons; the newest first."""
    zone = ZoneInfo(club.time_zone)
    events = Tournament.objects.filter(club=club, status__in=VISIBLE, starts_at__lte=now)
    first = events.order_by("starts_at").values_list("starts_at", flat=True).first()
    months = [month_of((first or now).astimezone(zone).date())]
    while (following := _next(months[-1].first)) <= now.astimezone(zone).date():
        months.append(month_of(following))
    seasons = Series.objects.filter(club=club, first_day__lte=now.astimezone(zone).date())
    return months[::-1], [season_period(series) for series in seasons]


def latest_month(club: Club) -> Period | None:
    """Return the month of the latest match that counts; None without one."""
    latest = counted_matches(club).order_by("-finished_at").values_list("finished_at", flat=True).first()
    return month_of(latest.astimezone(ZoneInfo(club.time_zone)).date()) if latest is not None else None


# What a month consists of.


class RatedSide(NamedTuple):
    """How a match changed the rating of a side."""

    pool: int
    gain: float
    chance: float
    """Of winning the match, by the ratings before it."""


class AnalysedSide(NamedTuple):
    """How a side played."""

    decisions: int
    error: float
    luckiest: float | None
    """How much one roll raised the chance of winning the match, at most."""
    lowest: float | None
    """The lowest chance of winning the match at a decision of this side."""


class Analysed(NamedTuple):
    """The analysis of a match; sides are those of the match."""

    id: int
    program: str
    is_complete: bool
    is_swapped: bool
    replay: str
    """The path of the replay."""
    sides: tuple[AnalysedSide | None, AnalysedSide | None]


@dataclass(frozen=True, slots=True)
class Played:
    """A match that counts."""

    public_id: str
    finished_at: datetime
    players: tuple[int, int]
    """The ids of the players of side 0 and side 1."""
    winner: Side
    rated: tuple[RatedSide | None, RatedSide | None] = (None, None)
    analysis: Analysed | None = None


def counted_matches(club: Club) -> QuerySet[Match]:
    """Return the matches of events of a club that count for honours and records."""
    imported = RatingImport.matches.through.objects.values("match")
    return Match.objects.filter(
        club=club, parent_topic__startswith="division:", state=Match.State.SETTLED, provisional=False,
        finished_at__isnull=False,
    ).exclude(pk__in=imported)  # fmt: skip


def played_in(club: Club, months: Collection[date]) -> dict[date, Sequence[Played]]:
    """Return the matches that count by month, in the order in which they ended; a few queries for any months."""
    keys = _keys(club, months)
    stored = cache.get_many(keys.values())
    by_month: dict[date, Sequence[Played]] = {month: stored[key] for month, key in keys.items() if key in stored}
    missing = [month for month in months if month not in by_month]
    if missing:
        rows = _load(club, missing)
        by_month |= rows
        cache.set_many({keys[month]: rows[month] for month in missing}, KEPT)
    return by_month


def played_and_seen(club: Club, months: Collection[date], viewer: Viewer) -> dict[date, Sequence[Played]]:
    """Return the same without the matches that the viewer may not see."""
    if not months:
        return {}
    by_month = played_in(club, months)
    if viewer.everything:
        return by_month
    within = Q(finished_at__gte=_span(club, min(months))[0], finished_at__lt=_span(club, max(months))[1])
    hidden = set(Match.objects.filter(within, club=club).exclude(viewer.visible()).values_list("public_id", flat=True))
    return {month: [row for row in rows if row.public_id not in hidden] for month, rows in by_month.items()}


def _span(club: Club, month: date) -> tuple[datetime, datetime]:
    zone = ZoneInfo(club.time_zone)
    start, end = (datetime.combine(day, time.min, zone) for day in (month, _next(month)))
    return start, end


def _keys(club: Club, months: Collection[date]) -> dict[date, str]:
    """Return a key of the cache by month; it changes with every result, rating and analysis of the month."""
    spans = {month: _span(club, month) for month in months}
    if not spans:
        return {}
    first, last = min(start for start, _end in spans.values()), max(end for _start, end in spans.values())

    def sums(rows: QuerySet[Any], at: str, *fields: str) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        for number, (start, end) in enumerate(spans.values()):
            within = Q(**{f"{at}__gte": start, f"{at}__lt": end})
            columns[f"count_{number}"] = Count("pk", filter=within)
            columns |= {f"{field}_{number}": Sum(field, filter=within) for field in fields}
        return rows.filter(**{f"{at}__gte": first, f"{at}__lt": last}).order_by().aggregate(**columns)

    states = [
        sums(counted_matches(club), "finished_at", "seq"),
        sums(RatingChange.objects.filter(match__club=club), "finished_at", "rating_after", "pool"),
        sums(
            Analysis.objects.filter(match__club=club, state=Analysis.State.DONE, origin=Analysis.Origin.COMPUTED),
            "match__finished_at", "pk",
        ),
    ]  # fmt: skip
    return {
        month: _key(club, month, [{k: v for k, v in row.items() if k.endswith(f"_{number}")} for row in states])
        for number, month in enumerate(spans)
    }


def _key(club: Club, month: date, states: Sequence[Mapping[str, Any]]) -> str:
    seen = (FORM, club.pk, club.time_zone, month, [sorted(state.values(), key=str) for state in states])
    return f"honours:{sha256(repr(seen).encode()).hexdigest()}"


def _load(club: Club, months: Sequence[date]) -> dict[date, Sequence[Played]]:
    within = Q()
    for month in months:
        start, end = _span(club, month)
        within |= Q(finished_at__gte=start, finished_at__lt=end)
    matches = counted_matches(club).filter(within)
    latest = Result.objects.filter(match=OuterRef("pk")).order_by("-version")
    results = matches.annotate(
        winner=Subquery(latest.values("winner")[:1]), kind=Subquery(latest.values("kind")[:1])
    ).filter(winner__isnull=False, kind__in=RATED_KINDS)
    ended = list(
        results.order_by("finished_at", "pk").values_list(
            "pk", "public_id", "finished_at", "player_0", "player_1", "winner"
        )
    )
    rated = _rated(matches, {pk: winner for pk, *_rest, winner in ended}) if ended else {}
    analysed = _analysed(matches) if ended else {}
    zone = ZoneInfo(club.time_zone)
    rows: dict[date, list[Played]] = {month: [] for month in months}
    for pk, public_id, finished_at, player_0, player_1, winner in ended:
        if finished_at is None:
            # The query excludes it; this satisfies the type checker.
            continue
        sides = rated.get(pk, {})
        month = finished_at.astimezone(zone).date().replace(day=1)
        rows[month].append(
            Played(public_id, finished_at, (player_0, player_1), winner, (sides.get(0), sides.get(1)), analysed.get(pk))
        )
    return {month: tuple(played) for month, played in rows.items()}


def _rated(matches: QuerySet[Match], winners: Mapping[int, Side]) -> dict[int, dict[Side, RatedSide]]:
    """Return match -> side -> how its rating changed."""
    changes: dict[int, dict[Side, RatedSide]] = {}
    columns = ("match", "pool", "won", "length", "rating_before", "rating_after", "opponent_before", "expected")
    rows = list(RatingChange.objects.filter(match__in=matches).order_by("pool", "pk").values_list(*columns))
    pools = RatingPool.objects.select_related("club").in_bulk({row[1] for row in rows})
    settings: dict[int, Settings] = {pk: pool.settings for pk, pool in pools.items()}
    for match, pool, won, length, before, after, opponent, expected in rows:
        winner = winners.get(match)
        if winner is None:
            continue
        chance = expected
        if chance is None:
            chance = win_probability(before, opponent, length, settings[pool].formula)
        side = winner if won else 1 - winner
        changes.setdefault(match, {})[side] = RatedSide(pool, round(after - before, DIGITS), chance)
    return changes


def _analysed(matches: QuerySet[Match]) -> dict[int, Analysed]:
    """Return match -> its newest analysis."""
    rows = analyses_of_results().filter(match__in=matches).select_related("match", "submission").order_by("pk")
    newest = {row.match_id: row for row in rows}
    figures: dict[int, dict[Side, AnalysedSide]] = {row.pk: {} for row in newest.values()}
    counts = Q(counted=True)
    sums = Decision.objects.filter(analysis__in=list(figures)).order_by().values_list("analysis", "side")
    for analysis, side, number, error, luckiest, lowest in sums.annotate(
        number=Count("pk", filter=counts), lost=Sum("error", filter=counts), best=Max("luck_winning"),
        lowest=Min("winning"),
    ):  # fmt: skip
        figures[analysis][side] = AnalysedSide(number, error or 0.0, luckiest, lowest)
    return {
        row.match.pk: Analysed(
            row.pk, labels.program(row), not row.settings.get(LEFT_OUT), row.swapped, replay_url(row, row.match),
            (figures[row.pk].get(side_in_match(row, 0)), figures[row.pk].get(side_in_match(row, 1))),
        )
        for row in newest.values()
        if row.match is not None
    }  # fmt: skip


# The rules.


@dataclass(frozen=True, slots=True)
class Honour:
    """Who stood out for what, with the match that shows it."""

    kind: Kind
    player: int
    figure: float
    match: Played
    side: Side
    """Of the player in the match."""
    matches: int = 1
    """Of a performance rating and of a rating gain: how many matches it is over."""
    decisions: int = 0
    program: str = ""
    pool: int | None = None

    @property
    def opponent(self) -> int:
        """The id of the other player of the match."""
        return self.match.players[1 - self.side]


def honours_of(played: Sequence[Played], same: Mapping[int, int], shown_players: Collection[int]) -> list[Honour]:
    """Return the honours of these matches, which are in order of time; several players may share one.

    `same` maps merged players to the one merged into. How well somebody played counts only for `shown_players`.
    """
    return [
        *_best_pr(played, same, shown_players),
        *_largest_gain(played, same),
        *_longest_streak(played, same),
        *_biggest_swing(played, same, shown_players),
        *_upset(played, same),
        *_comeback(played, same, shown_players),
    ]


def _first(honours: Iterable[Honour], *, lowest: bool = False) -> list[Honour]:
    """Return those with the best figure, one of each player."""
    rows = list(honours)
    best = (min if lowest else max)((row.figure for row in rows), default=0.0)
    return list({row.player: row for row in reversed(rows) if row.figure == best}.values())[::-1]


def _sides(played: Iterable[Played], same: Mapping[int, int]) -> Iterable[tuple[Played, Side, int]]:
    return ((row, side, same.get(row.players[side], row.players[side])) for row in played for side in (0, 1))


def _best_pr(played: Sequence[Played], same: Mapping[int, int], shown_players: Collection[int]) -> list[Honour]:
    """By the program that analysed most of the matches, since the figures of two programs do not compare."""
    whole = [row for row in played if row.analysis is not None and row.analysis.is_complete]
    programs = Counter(row.analysis.program for row in whole if row.analysis is not None).most_common(1)
    sums: dict[int, list[tuple[Total, Played, Side]]] = {}
    for row, side, player in _sides(whole, same):
        own = row.analysis.sides[side] if row.analysis is not None else None
        if own is not None and row.analysis is not None and row.analysis.program == programs[0][0]:
            sums.setdefault(player, []).append((Total(own.decisions, own.error), row, side))
    honours = []
    for player, rows in sums.items():
        total = sum((own for own, _row, _side in rows), Total())
        if player not in shown_players or len(rows) < LEAST_MATCHES or total.decisions < LEAST_DECISIONS:
            continue
        _own, match, side = min((own for own in rows if own[0].decisions), key=lambda own: own[0].pr)
        figure = round(total.pr, DIGITS_OF_PR)
        honours.append(Honour(Kind.PR, player, figure, match, side, len(rows), total.decisions, programs[0][0]))
    return _first(honours, lowest=True)


def _largest_gain(played: Sequence[Played], same: Mapping[int, int]) -> list[Honour]:
    gains: dict[tuple[int, int], list[tuple[float, Played, Side]]] = {}
    for row, side, player in _sides(played, same):
        if (rated := row.rated[side]) is not None:
            gains.setdefault((player, rated.pool), []).append((rated.gain, row, side))
    honours = []
    for (player, pool), rows in gains.items():
        _gain, match, side = max(rows, key=lambda own: own[0])
        figure = round(sum(gain for gain, _row, _side in rows), DIGITS_OF_RATING)
        honours.append(Honour(Kind.GAIN, player, figure, match, side, len(rows), pool=pool))
    return _first(row for row in honours if row.figure > 0)


def _longest_streak(played: Sequence[Played], same: Mapping[int, int]) -> list[Honour]:
    now: Counter[int] = Counter()
    longest: dict[int, Honour] = {}
    for row, side, player in _sides(played, same):
        now[player] = now[player] + 1 if side == row.winner else 0
        if now[player] >= LEAST_IN_A_ROW and (player not in longest or now[player] > longest[player].figure):
            longest[player] = Honour(Kind.STREAK, player, now[player], row, side)
    first = _first(longest.values())
    # What more than half of the players share is no distinction.
    return first if 2 * len(first) <= len(now) else []


def _biggest_swing(played: Sequence[Played], same: Mapping[int, int], shown_players: Collection[int]) -> list[Honour]:
    return _first(
        Honour(Kind.SWING, player, round(own.luckiest, DIGITS_OF_CHANCE), row, row.winner)
        for row, player, own in _analysed_winners(played, same, shown_players)
        if own.luckiest is not None and own.luckiest > 0
    )


def _comeback(played: Sequence[Played], same: Mapping[int, int], shown_players: Collection[int]) -> list[Honour]:
    return _first(
        (
            Honour(Kind.COMEBACK, player, round(own.lowest, DIGITS_OF_CHANCE), row, row.winner)
            for row, player, own in _analysed_winners(played, same, shown_players)
            if own.lowest is not None and own.lowest < EVEN
        ),
        lowest=True,
    )


def _analysed_winners(
    played: Iterable[Played], same: Mapping[int, int], shown_players: Collection[int]
) -> Iterable[tuple[Played, int, AnalysedSide]]:
    for row in played:
        player = same.get(row.players[row.winner], row.players[row.winner])
        own = row.analysis.sides[row.winner] if row.analysis is not None else None
        if own is not None and player in shown_players:
            yield row, player, own


def _upset(played: Iterable[Played], same: Mapping[int, int]) -> list[Honour]:
    return _first(
        (
            Honour(Kind.UPSET, player, round(rated.chance, DIGITS_OF_CHANCE), row, side)
            for row, side, player in _sides(played, same)
            if side == row.winner and (rated := row.rated[side]) is not None and rated.chance < EVEN
        ),
        lowest=True,
    )


# For a reader.


@dataclass(frozen=True, slots=True)
class HonourLine:
    """An honour in words."""

    kind: Kind
    label: str
    player: str
    """Public id."""
    name: str
    figure: float
    reason: str
    """How it was found."""
    match: str
    """Public id of the match."""
    opponent: str
    position: str = ""
    """The path of the position in the replay of the match."""

    @property
    def url(self) -> str:
        """The page of the match."""
        return reverse("match", args=[self.match])


@dataclass(frozen=True)
class Honours:
    """The honours of a period for one reader."""

    period: Period
    lines: Sequence[HonourLine]
    matches: int
    """How many matches that count the reader may see."""

    @property
    def quiet(self) -> str:
        """Why there is none, as a sentence; empty if there are some."""
        if self.lines:
            return ""
        if not self.matches:
            return _("A quiet time: no match of an event was played.")
        return _("A quiet time: matches were played, but nothing in them stands out.")


def honours_in(club: Club, viewer: Viewer, period: Period, *, staff: bool) -> Honours:
    """Return the honours of a period, over the matches that the reader may see; staff see names in full."""
    by_month = played_and_seen(club, period.months, viewer)
    zone = ZoneInfo(club.time_zone)
    played = [
        row
        for month in period.months
        for row in by_month[month]
        if period.first <= row.finished_at.astimezone(zone).date() <= period.last
    ]
    same = merged_players() if played else {}
    honours = honours_of(played, same, _shown_players(viewer, played, same))
    return Honours(period, _lines(honours, same, staff=staff), len(played))


def _shown_players(viewer: Viewer, played: Iterable[Played], same: Mapping[int, int]) -> frozenset[int]:
    analysed = {same.get(player, player) for row in played if row.analysis is not None for player in row.players}
    return players_shown(viewer, analysed) if analysed else frozenset()


def _lines(honours: Sequence[Honour], same: Mapping[int, int], *, staff: bool) -> list[HonourLine]:
    ids = {same.get(player, player) for row in honours for player in (row.player, row.opponent)}
    people = Player.objects.in_bulk(list(ids)) if ids else {}
    in_pools = {row.pool for row in honours if row.pool is not None}
    pools = RatingPool.objects.in_bulk(list(in_pools)) if in_pools else {}
    lines = []
    for row in honours:
        player, opponent = people[row.player], people[same.get(row.opponent, row.opponent)]
        decision = _decision_of(row)
        lines.append(
            HonourLine(
                row.kind, str(row.kind.label), player.public_id, shown(player, staff), row.figure,
                _reason(row, decision, pools), row.match.public_id, shown(opponent, staff),
                _position(row, decision),
            )
        )  # fmt: skip
    return lines


def _decision_of(honour: Honour) -> Decision | None:
    """Return the decision that an honour is about: the luckiest roll, or the position with the lowest chance."""
    analysis = honour.match.analysis
    if analysis is None or honour.kind not in (Kind.SWING, Kind.COMEBACK):
        return None
    side = 1 - honour.side if analysis.is_swapped else honour.side
    rows = Decision.objects.filter(analysis=analysis.id, side=side).defer("candidates")
    if honour.kind is Kind.SWING:
        return rows.filter(luck_winning__isnull=False).order_by("-luck_winning", "pk").first()
    return rows.filter(winning__isnull=False).order_by("winning", "pk").first()


def _position(honour: Honour, decision: Decision | None) -> str:
    if decision is None or honour.match.analysis is None:
        return ""
    return event_path(honour.match.analysis.replay, decision.game, decision.event)


def _reason(honour: Honour, decision: Decision | None, pools: Mapping[int, RatingPool]) -> str:
    chance = labels.percent(honour.figure, 1)
    match honour.kind:
        case Kind.PR:
            return _("%(pr)s over %(decisions)d decisions in %(matches)d matches, by %(program)s") % {
                "pr": labels.number(honour.figure, DIGITS_OF_PR), "decisions": honour.decisions,
                "matches": honour.matches, "program": honour.program,
            }  # fmt: skip
        case Kind.GAIN:
            points = labels.signed(honour.figure, DIGITS_OF_RATING)
            text = ngettext(
                "%(points)s rating points in %(count)d match", "%(points)s rating points in %(count)d matches",
                honour.matches,
            ) % {"points": points, "count": honour.matches}  # fmt: skip
            pool = pools.get(honour.pool or 0)
            return text if pool is None or pool.is_default or pool.is_own else f"{text} ({pool.name})"
        case Kind.STREAK:
            wins = int(honour.figure)
            return ngettext("%(figure)s win in a row", "%(figure)s wins in a row", wins) % {"figure": wins}
        case Kind.SWING:
            if decision is None or decision.winning is None or decision.luck_winning is None:
                return _("one roll raised the chance to win the match by %(chance)s") % {"chance": chance}
            return _("one roll raised the chance to win the match from %(before)s to %(after)s") % {
                "before": labels.percent(max(0.0, decision.winning - decision.luck_winning), 1),
                "after": labels.percent(decision.winning, 1),
            }
        case Kind.UPSET:
            return _("won with a chance of %(chance)s by rating") % {"chance": chance}
        case Kind.COMEBACK:
            return _("won after the chance to win the match was down to %(chance)s") % {"chance": chance}


# On the page of a player.


class PlayerHonour(NamedTuple):
    """An honour of one player, with when and where."""

    period: Period
    club: Club
    line: HonourLine


def honours_of_player(player: Player, viewer: Viewer, now: datetime) -> list[PlayerHonour]:
    """Return the honours of a player in the latest months, the newest first; of the clubs they played in last."""
    same = merged_players()
    ids = {player.pk, *(merged for merged, into in same.items() if into == player.pk)}
    since = now
    for _month in range(LATEST_MONTHS):
        since = since.replace(day=1) - timedelta(days=1)
    theirs = Match.objects.filter(
        Q(player_0__in=ids) | Q(player_1__in=ids), club__isnull=False, parent_topic__startswith="division:",
        finished_at__gt=since,
    ).order_by("-finished_at", "-pk")  # fmt: skip
    times: dict[int, list[datetime]] = {}
    for of_club, finished_at in theirs.values_list("club", "finished_at"):
        if of_club is not None and finished_at is not None and (of_club in times or len(times) < MOST_CLUBS):
            times.setdefault(of_club, []).append(finished_at)
    honours: list[PlayerHonour] = []
    for club in Club.objects.filter(pk__in=times) if times else ():
        zone = ZoneInfo(club.time_zone)
        months = {at.astimezone(zone).date().replace(day=1) for at in times[club.pk]}
        seen = played_and_seen(club, sorted(months), viewer)
        shown_players = _shown_players(viewer, [row for rows in seen.values() for row in rows], same)
        own = [
            (month, row)
            for month, rows in seen.items()
            for row in honours_of(rows, same, shown_players)
            if row.player == player.pk
        ]
        lines = _lines([row for _month, row in own], same, staff=False)
        honours += [PlayerHonour(month_of(month), club, line) for (month, _row), line in zip(own, lines, strict=True)]
    return sorted(honours, key=lambda row: row.period.first, reverse=True)


def won_honours(player: Player, viewer: Viewer, now: datetime) -> Sequence[WonHonour]:
    """Return what a player stood out for in the latest months, the newest first."""
    return [
        WonHonour(
            row.period.name, row.line.label, row.line.reason, row.club.name,
            f"{reverse('hall-of-fame', args=[row.club.slug])}?period={row.period.key}#honours", row.line.url,
        )
        for row in honours_of_player(player, viewer, now)
    ]  # fmt: skip
